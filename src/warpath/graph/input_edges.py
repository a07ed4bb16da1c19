"""The edges that a graph was made from: their order, and further columns of the input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import _core
from warpath.base.errors import GraphError, InputError
from warpath.base.units import SCALES, symbol_of, unit_of_column
from warpath.graph.checks import (
    as_weights,
    checked_kind,
    frozen,
    index_dtype,
    is_number,
    shown,
)
from warpath.graph.coordinates import RULES, lengths
from warpath.graph.csr import rows_of_edges
from warpath.graph.labels import encodable, file_ids

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import ArrayLike, DTypeLike, NDArray

    from warpath.base.dtypes import Array
    from warpath.graph.csr_graph import CsrGraph


#: Names of kept columns of speeds, and the seconds for a metre at a speed of 1.
_SPEEDS = {
    **dict.fromkeys(("speed_kph", "speed_kmh", "speed_km_h", "kph", "kmh", "maxspeed"), 3.6),
    **dict.fromkeys(("speed_mph", "mph"), 3600 / 1609.344),
}
_NOUNS = {"s": "times", "m": "lengths"}


class Coded:
    """A column of texts, few of which are different.

    Attributes
    ----------
    codes : (count,) integers, the row in `values` of each text.
    values : (k,) strings, all different.
    """

    def __init__(self, codes: Array, values: Array) -> None:
        self.codes = frozen(codes)
        self.values = frozen(values)

    @classmethod
    def of(cls, texts: Iterable[str]) -> Coded:
        """Return the column of some texts, in order of their first appearance. O(count)."""
        position_of: dict[str, int] = {}
        codes = [position_of.setdefault(text, len(position_of)) for text in texts]
        narrow = np.min_scalar_type(max(len(position_of) - 1, 0))
        return cls(np.array(codes, narrow), np.array(list(position_of), np.str_))

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the texts."""
        return self.values.dtype

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Any) -> Array:
        texts: Array = self.values[self.codes[rows]]
        return texts

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        del copy  # the texts are always new
        return self[:].astype(self.dtype if dtype is None else dtype, copy=False)


class InputEdges:
    """A map from the edges of a graph to the rows of its input.

    Attributes
    ----------
    rows : (m,) integers, the row of each edge in the order of `Graph.edges`. An edge that is stored
        in both directions has its row twice; rows of weight +inf have no edge.
    count : number of rows of the input.
    columns : further columns of the input by name, each (count,): an array, or a `Coded`.
    units : the units of columns, where they are known, as `Graph.unit`.
    """

    def __init__(
        self,
        rows: Array,
        count: int,
        columns: Mapping[str, Array | Coded] | None = None,
        units: Mapping[str, str] | None = None,
    ) -> None:
        self.rows = frozen(rows)
        self.count = count
        self.columns = dict(columns or {})
        self.units = dict(units or {})

    def column(self, name: str, edges: Array | slice = slice(None)) -> Array:
        """Return the values of a kept column for some edges, in the order of `edges`."""
        return self.columns[name][self.rows[edges]]

    def checked(self, m: int) -> InputEdges:
        """Return this map unchanged, or raise GraphError if it does not belong to m edges."""
        if len(self.rows) != m:
            msg = f"given has {len(self.rows)} edges, but the graph has m = {m}."
            raise GraphError(msg)
        return self

    def taken(self, edges: Array) -> InputEdges:
        """Return the map of some edges, in this order."""
        return self._with_rows(self.rows[edges])

    def transposed(self, indptr: Array, indices: Array) -> InputEdges:
        """Return the map of a graph's reversed edges, in the order of the transpose."""
        rows = np.empty_like(self.rows)
        into_indptr, into_indices = np.empty_like(indptr), np.empty_like(indices)
        _core.transpose(indptr, indices, self.rows, into_indptr, into_indices, rows)
        return self._with_rows(rows)

    def _with_rows(self, rows: Array) -> InputEdges:
        return InputEdges(rows, self.count, self.columns, self.units)


def input_edges(
    src: ArrayLike, dst: ArrayLike, weights: ArrayLike | None, n: int, *, both: bool
) -> InputEdges:
    """Return the map of a graph that `rows_of_edges` makes from the same edges. O(n + m)."""
    src, dst = np.asarray(src), np.asarray(dst)
    used = np.arange(len(src), dtype=index_dtype(len(src)))
    if weights is not None:
        used = used[np.asarray(weights) != np.inf]
    # Row numbers in place of weights: the stable sort carries them to their edges.
    _, _, rows = rows_of_edges(src[used], dst[used], used, n, both=both)
    assert rows is not None  # noqa: S101 - weights were given
    return InputEdges(rows, len(src))


def new_weights(graph: CsrGraph, weights: Any, order: str) -> Any:
    """Return weights in the order of ``graph.edges()``; see `Graph.with_weights`."""
    checked_kind(order, str, "order")
    if order not in {"edges", "input"}:
        msg = f'order={order!r} must be "edges", the order of graph.edges(), or "input".'
        raise InputError(msg)
    if hasattr(weights, "iloc") and not weights.index.is_monotonic_increasing:
        msg = (
            "the weights are a Series in another order than its index, which is not used: give "
            "weights.sort_index() or weights.to_numpy(), whichever has the order of the edges."
        )
        raise GraphError(msg)
    if isinstance(weights, str):
        columns = {} if graph.given is None else graph.given.columns
        if weights in RULES:
            src, dst, _ = graph.edges()
            return lengths(weights, graph.coordinates, src, dst)
        if weights not in columns and symbol_of(weights) is not None:
            return _weights_in(graph, weights)
        if weights not in columns:
            names = ", ".join([*map(repr, columns), *map(repr, RULES)])
            msg = (
                f"weights={weights!r} is not a rule, a kept column or a unit such as 'minutes'; "
                f"there are {names}."
            )
            raise GraphError(msg)
        weights, order = columns[weights], "input"
    if order == "edges" or weights is None:
        return weights
    if graph.given is None:
        msg = (
            'order="input" needs the rows that the edges came from: make the graph with '
            "keep_rows=True, or give the weights in the order of graph.edges()."
        )
        raise GraphError(msg)
    array = np.asarray(weights)
    if array.shape != (graph.given.count,):
        count = graph.given.count
        msg = f"weights has the shape {shown(array.shape)}, but the input has {count} rows."
        raise GraphError(msg)
    return array[graph.given.rows]


def _weights_in(graph: CsrGraph, unit: str) -> NDArray[np.float64]:
    """Return the weight of each edge in a unit of lengths or times, (m,).

    They are the graph's own weights if these are of this kind; else the first kept column that is;
    for times also lengths divided by speeds.

    Parameters
    ----------
    unit : a word or symbol that `symbol_of` knows.

    Raises
    ------
    GraphError
        If the graph has no such weights and columns, or a speed is not above 0.
    """
    symbol = symbol_of(unit)
    assert symbol is not None  # noqa: S101 - checked by the caller
    base, factor = SCALES[symbol]
    values = _measured(graph, base)
    if values is None and base == "s":
        values = _seconds_by_speed(graph)
    if values is None:
        columns = [] if graph.given is None else list(graph.given.columns)
        names = (
            f"the kept columns are {', '.join(map(repr, columns))}"
            if columns
            else "there are no kept columns"
        )
        speeds = ", nor lengths with a column of speeds, such as speed_kph" if base == "s" else ""
        msg = (
            f"weights={unit!r}: the graph has no weights or kept column of {_NOUNS[base]} whose "
            f"unit is known{speeds}; {names}. Keep such a column by attributes=[...], or state the "
            "unit of the weights by graph.with_weights(graph.weights, unit='s'), or 'm', 'h', 'km'."
        )
        raise GraphError(msg)
    return values if factor == 1 else values / factor


def _measured(graph: CsrGraph, base: str) -> NDArray[np.float64] | None:
    """Return lengths in metres or times in seconds, of the weights or a kept column."""

    def factor_of(unit: str | None) -> float | None:
        symbol = symbol_of(unit)
        return SCALES[symbol][1] if symbol and SCALES[symbol][0] == base else None

    factor = factor_of(graph.unit)
    if factor is not None and graph.weights is not None:
        return graph.weights.astype(np.float64) * factor
    if graph.given is None:
        return None
    for name, unit in graph.given.units.items():
        factor = factor_of(unit)
        if factor is not None and name in graph.given.columns:
            values: NDArray[np.float64] = graph.given.column(name).astype(np.float64) * factor
            return values
    return None


def _seconds_by_speed(graph: CsrGraph) -> NDArray[np.float64] | None:
    """Return lengths divided by the speeds of a kept column; None without one of both."""
    metres = _measured(graph, "m")
    if metres is None or graph.given is None:
        return None
    name = next((name for name in graph.given.columns if name.lower() in _SPEEDS), None)
    if name is None:
        return None
    speeds = graph.given.column(name)
    if speeds.dtype.kind not in "iuf":
        msg = f"the speeds of the kept column {name!r} are {speeds.dtype}: numbers are needed."
        raise GraphError(msg)
    wrong = np.flatnonzero(~((speeds > 0) & (speeds < np.inf)))  # NaN is neither
    if len(wrong):
        msg = (
            f"the speed of edge {wrong[0]} in the kept column {name!r} is {speeds[wrong[0]]}: a "
            "time needs finite speeds above 0. Fill in the others before the graph is made."
        )
        raise GraphError(msg)
    seconds: NDArray[np.float64] = metres * _SPEEDS[name.lower()] / speeds
    return seconds


def rounded(weights: Any, step: float | None) -> Any:
    """Return float weights as multiples of a step, halves to the even one; None rounds nothing."""
    if step is None:
        return weights
    if not is_number(step) or not 0 < step < np.inf:
        msg = f"round = {shown(step)} must be a number above 0, the step of the weights."
        raise InputError(msg)
    array = as_weights(weights)
    if array.dtype.kind != "f":
        msg = f"round = {shown(step)}: the weights are integers, which need no rounding."
        raise InputError(msg)
    with np.errstate(over="ignore", invalid="ignore"):
        multiples: Array = np.rint(array.astype(np.float64) / step) * step
        return multiples.astype(array.dtype)


def unit_of(graph: CsrGraph, weights: str, unit: str | None) -> str | None:
    """Return the unit of the weights that a rule, a unit or a kept column gives.

    Parameters
    ----------
    unit : the argument of `Graph.with_weights`; a column whose unit is unknown takes any.

    Raises
    ------
    InputError
        If `unit` is not the unit of these weights.
    """
    stated: str | None = checked_kind(unit, str, "unit") or None
    given, own = graph.given, None
    if weights in RULES:
        own = "m" if weights == "great_circle" else None
    elif given is None or weights not in given.columns:
        own = symbol_of(weights)
    else:
        own = given.units.get(weights)
        stated = stated or own or unit_of_column(weights)
    if own is None or stated is None:
        return stated or own
    if (symbol_of(stated) or stated) != (symbol_of(own) or own):
        msg = (
            f"with_weights({weights!r}, unit={shown(unit)}): the unit of these weights is "
            f"{own!r}. Leave unit out"
        )
        convert = symbol_of(unit) is not None and weights not in RULES
        msg += f"; for weights in {unit!r} give that unit as the weights." if convert else "."
        raise InputError(msg)
    return stated


def edge_table(graph: CsrGraph) -> Any:
    """Return the edges as columns; see `Graph.edge_table`."""
    src, dst, weights = graph.edges()
    table = {"source": file_ids(graph, src), "target": file_ids(graph, dst), "weight": weights}
    if graph.given is not None:
        table |= {name: graph.given.column(name) for name in graph.given.columns}
    try:
        import pandas as pd
    except ImportError:
        return table
    return pd.DataFrame({name: encodable(values) for name, values in table.items()})
