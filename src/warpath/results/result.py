"""The common part of results: rows in files, JSON and notebooks, and pickles without the graph."""

from __future__ import annotations

import copy
import math
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from warpath.base import notebook
from warpath.base.errors import GraphError, InputError
from warpath.base.escaping import json_chunks, visible
from warpath.base.upward import upward
from warpath.graph.checks import shown
from warpath.graph.detached import DetachedGraph, needs_graph
from warpath.results.rows import Rows

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.graph import Graph

NO_COLUMNS: Mapping[str, Array] = MappingProxyType({})

#: The rows that a notebook shows.
_SHOWN = 8


class Result(Rows):
    """The common part of results.

    A pickle leaves out the graph, which is often a thousand times larger than a route. What the
    result computes from the graph is computed before the graph is left out.
    """

    graph: Graph
    #: The names that the call gave in each of its lists of vertices, in the order of the list, None
    #: for entries without one; () for a list without names.
    given_names: tuple[Sequence[Any], ...] = ((), ())

    #: Attributes that are computed before the graph is left out.
    _COMPUTED: ClassVar[tuple[str, ...]] = ()
    #: Attributes that hold the graph, or search it, and are left out with it.
    _LEFT_OUT: ClassVar[frozenset[str]] = frozenset()

    def to_json(self, missing: Any = None) -> str:
        """Return the rows as JSON: a list with an object for each row, by the names of columns.

        Vertices have the ids of the graph's file, as in all tables.

        Parameters
        ----------
        missing : the value in place of a distance where there is no path, a text, a finite number
            or a bool; None is ``null``.

        Raises
        ------
        InputError
            If `missing` is another value.
        """
        missing = checked_missing(missing)
        columns = self._columns()
        listed = [plain_cells(values, present, missing) for values, present in columns.values()]
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*listed, strict=True)]
        return "".join(json_chunks(rows))

    def save(self, path: str | os.PathLike[str], *, escape_formulas: bool = False) -> None:
        """Write rows as ``.parquet``, ``.csv`` or ``.tex``, or rows with their shapes.

        The write is atomic: a failed save leaves no partial file. Vertices have the names of the
        graph's file. ``.gpkg`` and ``.geoparquet`` have the rows of `to_geodataframe`, of
        a centrality those of its frame of `to_geopandas`, and need GeoPandas; ``.geojson`` has
        those of `to_geojson`.

        Parameters
        ----------
        path : file to write, its format by suffix.
        escape_formulas : for CSV: whether labels that a spreadsheet would take for formulas,
            because they start with = + - or @, get an apostrophe in front.

        Raises
        ------
        InputError
            If the suffix is another one, or the result has no shapes; the message says what to use.
        GraphError
            If the graph has no coordinates for shapes.
        MissingDependencyError
            If a package for the format is not installed.
        OutputError
            If the file cannot be written.
        """
        upward("Result.save")(self, path, escape_formulas=escape_formulas)

    def _repr_html_(self) -> str:
        title, *lines = repr(self).removeprefix("<").removesuffix(">").split("\n")
        columns = self._columns()
        cells = [
            plain_cells(values[:_SHOWN], None if present is None else present[:_SHOWN], "-")
            for values, present in columns.values()
        ]
        rows = [[visible(cell) for cell in row] for row in zip(*cells, strict=True)]
        if len(next(iter(columns.values()))[0]) > _SHOWN:
            rows.append(["...", *[""] * (len(columns) - 1)])
        parts = [notebook.table(list(columns), rows)] if rows else []
        return notebook.box(title, *parts, *map(notebook.line, lines))

    def detach(self) -> Self:
        """Return a copy of the result without the graph, as a pickle has it.

        Names, distances, plans and coordinates remain. Methods that need the graph, such as those
        that search or draw the network, raise NotSupportedError.
        """
        bare = object.__new__(type(self))
        vars(bare).update(self.__getstate__())
        return bare

    @property
    def _is_detached(self) -> bool:
        graph: Any = vars(self).get("graph")
        return isinstance(graph, DetachedGraph)

    def _vertices(self) -> NDArray[np.int64] | None:
        """Return the indices of the vertices that the result names; None for all of the graph."""
        return None

    def __getstate__(self) -> dict[str, Any]:
        if self._is_detached:
            return dict(vars(self))
        for name in self._COMPUTED:
            try:
                getattr(self, name)
            except GraphError:  # the graph has no such column, or no coordinates
                continue
        state = {name: part for name, part in vars(self).items() if name not in self._LEFT_OUT}
        state["graph"] = bare = DetachedGraph.of(self.graph, self._vertices())
        if state.get("point_sources") is not None:
            state["point_sources"] = state["point_sources"]._replace(graph=bare, searched=bare)
        return state

    def __getattr__(self, name: str) -> Any:
        if name in self._LEFT_OUT and self._is_detached:
            raise needs_graph("this call" if name.startswith("_") else name)
        msg = f"{type(self).__name__!r} object has no attribute {name!r}"
        raise AttributeError(msg)

    def __copy__(self) -> Self:
        same = object.__new__(type(self))
        vars(same).update(vars(self))
        return same

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        same = object.__new__(type(self))
        memo[id(self)] = same
        for name, part in vars(self).items():
            # The graph and what holds it are immutable.
            shared = name == "graph" or name in self._LEFT_OUT
            vars(same)[name] = part if shared else copy.deepcopy(part, memo)
        return same


def plain_cells(values: Array, present: Array | None, missing: Any = None) -> list[Any]:
    """Return the values of a column as JSON can hold them, another one where there is none."""
    cells = [
        cell
        if isinstance(cell, str | int | None) or (isinstance(cell, float) and math.isfinite(cell))
        else str(cell)
        for cell in values.tolist()
    ]
    if present is None:
        return cells
    return [cell if has else missing for cell, has in zip(cells, present.tolist(), strict=True)]


def checked_missing(missing: Any) -> Any:
    """Return a value that JSON can hold in place of a distance; raise InputError for others."""
    value = missing.item() if isinstance(missing, np.generic) else missing
    if isinstance(value, str | int | None) or (isinstance(value, float) and math.isfinite(value)):
        return value
    msg = f"missing = {shown(missing)} must be None, a text, a finite number or a bool."
    raise InputError(msg)
