"""A route as a table of streets, and sums of other quantities along it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import _core
from warpath.base import notebook, units
from warpath.base.errors import DistanceOverflowError, GraphError
from warpath.base.escaping import visible
from warpath.graph.checks import is_missing, plain_array, shown
from warpath.graph.edge_edits import NAMES
from warpath.results.rows import Rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import ArrayLike

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.results.route import Route
    from warpath.results.rows import Columns

#: The columns of a table by the unit of their numbers.
_BY_UNIT = {"m": "metres", "s": "seconds"}

#: What is written above columns whose cells have units.
_HEADINGS = {"metres": "length", "seconds": "time"}

_SHOWN = 12  # longer tables are shown without the middle
_UNNAMED = "(no name)"


class Legs(Rows):
    """The streets along a route, one row for each run of consecutive edges of the same street.

    Attributes
    ----------
    columns : arrays by name, each (k,): "street", the name, "" for streets without one; "metres"
        and "seconds", as far as they are known; "length" in the unit of the weights, where that is
        neither.
    """

    def __init__(self, columns: Mapping[str, Array]) -> None:
        self.columns = dict(columns)

    @property
    def street(self) -> Array:
        """The names of the streets, (k,)."""
        return self.columns["street"]

    def _columns(self) -> Columns:
        return {name: (values, None) for name, values in self.columns.items()}

    def __getitem__(self, name: str) -> Array:
        return self.columns[name]

    def __len__(self) -> int:
        return len(self.street)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return zip(*(column.tolist() for column in self.columns.values()), strict=True)

    def _texts(self) -> list[list[str]]:
        """Return the rows as readable text, without the middle of a long table."""
        unit_of = {name: unit for unit, name in _BY_UNIT.items()}
        rows = [
            [
                visible(street) or _UNNAMED,
                *(
                    units.measure(value, unit_of.get(name))
                    for name, value in zip(list(self.columns)[1:], values, strict=True)
                ),
            ]
            for street, *values in self
        ]
        if len(rows) <= _SHOWN:
            return rows
        half = _SHOWN // 2
        left_out = f"... {len(rows) - 2 * half:,} more ..."
        return [*rows[:half], [left_out, *[""] * (len(self.columns) - 1)], *rows[-half:]]

    def __repr__(self) -> str:
        count = f"{len(self):,} street{'' if len(self) == 1 else 's'}"
        rows = self._texts()
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(
                [
                    f"{row[0]:{widths[0]}}",
                    *(f"{text:>{width}}" for text, width in zip(row[1:], widths[1:], strict=True)),
                ]
            ).rstrip()
            for row in rows
        ]
        return "\n  ".join([f"<Legs: {count}", *lines]) + ">"

    def _repr_html_(self) -> str:
        head = [_HEADINGS.get(name, name) for name in self.columns]
        return notebook.box("Legs", notebook.table(head, self._texts()))


def street_column(graph: Graph) -> str | None:
    """Return the name of the kept column that names streets, None if there is none."""
    names = () if graph.given is None else graph.given.columns
    return next((name for name in NAMES if name in names), None)


def legs_of(route: Route) -> Legs:
    """Implement `Route.legs`. O(h) plus the edges out of the vertices of the route."""
    texts = streets_of(route)
    begins = [at for at, text in enumerate(texts) if at == 0 or text != texts[at - 1]]
    columns: dict[str, Array] = {"street": np.array([texts[at] for at in begins], np.str_)}
    for name, values in quantities(route.graph, route).items():
        columns[name] = np.add.reduceat(values, begins) if begins else values
    return Legs(columns)


def streets_of(route: Route) -> list[str]:
    """Return the street of each edge, "" for edges without one.

    Raises
    ------
    GraphError
        If the graph keeps no column of street names.
    """
    graph = route.graph
    named = street_column(graph)
    if graph.given is None or named is None:
        msg = (
            "the graph has no street names: read an OpenStreetMap extract, or a table with "
            'attributes=["street"]. route.weights has the weights of single edges.'
        )
        raise GraphError(msg)
    names = graph.given.column(named, route.edges).tolist()
    return ["" if is_missing(text) else str(text) for text in names]


def quantities(graph: Graph, route: Route) -> dict[str, Array]:
    """Return the numbers of the route's edges by the names of the columns of `Legs`."""
    own = route.weights.astype(graph.dist_dtype, copy=False)
    symbol = units.symbol_of(graph.unit)
    if symbol is None:
        return {"length": own}
    base, factor = units.SCALES[symbol]
    assert graph.given is not None  # noqa: S101 - checked by the caller
    by_column = {
        _BY_UNIT[unit]: parts_on_routes(graph.given.column(name, route.edges), route.shares)
        for name, unit in graph.given.units.items()
        if unit in _BY_UNIT and name in graph.given.columns
    }
    if factor == 1:
        by_column[_BY_UNIT[base]] = own
    else:
        by_column.setdefault(_BY_UNIT[base], own * factor)
    return {name: by_column[name] for name in _BY_UNIT.values() if name in by_column}


def parts_on_routes(values: Array, shares: Array) -> Array:
    """Return the parts of the values of edges that are on a route, which may begin on an edge."""
    if values.dtype.kind not in "iuf" or (shares == (0.0, 1.0)).all():
        return values
    parts: Array = values * (shares[:, 1] - shares[:, 0])
    return parts


def kept_column(graph: Graph, name: str, edges: Array | slice, given_as: str) -> Array:
    """Return a kept column for some edges, (e,), or raise GraphError.

    Parameters
    ----------
    given_as : the argument as the error shows it.
    """
    given = graph.given
    columns = {} if given is None else given.columns
    if given is None or not isinstance(name, str) or name not in columns:
        names = f"there are {', '.join(map(repr, columns))}" if columns else "there are none"
        msg = f"{given_as}: the graph keeps no column of this name; {names}."
        if isinstance(name, str):
            msg += (
                " A column of the file or table is kept if the graph is made with "
                f"attributes={name!r}, or with attributes='all'."
            )
        raise GraphError(msg)
    values: Array = given.column(name, edges)
    return values


def total_along(route: Route, quantity: str | ArrayLike) -> Any:
    """Implement `Route.along`: the sum from the source to the target, as distances are summed."""
    values = values_along(route.graph, quantity, route.edges, route.shares)
    return sums_of_routes(values, np.array([len(values)])).item()


def sums_of_routes(values: Array, counts: Array, *, also: bool = False) -> Array:
    """Return the sums of the values of each route, in their order: (k,).

    Parameters
    ----------
    values : (e,) numbers, of one route after another.
    counts : (k,) int64, how many values each route has.
    also : as in `sum_too_large`.

    Raises
    ------
    DistanceOverflowError
        If a sum of integers does not fit 64 bits.
    """
    kind = type_of_sums(values.dtype)
    sums = np.empty(len(counts), kind)
    try:
        _core.route_sums(counts, np.ascontiguousarray(values, kind), sums)
    except OverflowError as error:
        raise sum_too_large(error, also=also) from None
    return sums


def type_of_sums(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type of the sums of numbers: float32 or float64 for floats, else 64 bits."""
    if dtype.kind == "f":
        return np.dtype(np.float32 if dtype.itemsize <= 4 else np.float64)
    return np.dtype(np.uint64 if dtype.kind == "u" else np.int64)


def sum_too_large(error: OverflowError, *, also: bool) -> DistanceOverflowError:
    """Return the error for a sum along a route that does not fit, with a remedy.

    Parameters
    ----------
    also : whether the quantity is a column of `also`, not an argument of `along`.
    """
    remedy = (
        "also= needs the column as floats: write its numbers with a decimal point in the file, or "
        "convert it in the table by astype('float64'), before the graph is made"
        if also
        else "give the quantity as floats, for example along(values.astype('float64'))"
    )
    return DistanceOverflowError(f"{error}: {remedy}.")


def values_along(
    graph: Graph, quantity: str | ArrayLike, edges: Array, shares: Array | None
) -> Array:
    """Return the numbers of a quantity on the edges of routes, of which some are not whole: (e,).

    Parameters
    ----------
    quantity : as in `Route.along`.
    edges, shares : (e,) and (e, 2), as those of a `Route`; None for shares that are all whole.
    """
    if isinstance(quantity, str):
        values = kept_column(graph, quantity, edges, f"along({shown(quantity)})")
    else:
        array = plain_array(quantity, "quantity")
        if array.shape != (graph.m,):
            msg = (
                f"along(array): the array has the shape {shown(array.shape)}, but the graph has "
                f"m = {graph.m:,} edges."
            )
            raise GraphError(msg)
        values = array[edges]
    refuse_texts(values, f"along({shown(quantity)})")
    return values if shares is None else parts_on_routes(values, shares)


def refuse_texts(values: Array, given_as: str) -> None:
    """Raise GraphError for values that are no numbers; `given_as` is as in `kept_column`."""
    if values.dtype.kind not in "iuf":
        msg = f"{given_as}: the values are {values.dtype}, and sums need numbers."
        raise GraphError(msg)
