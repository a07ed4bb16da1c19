"""The result of a solve from many sources: a table of distances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from warpath.base import notebook
from warpath.base.cached import cached_property
from warpath.base.dtypes import unreachable
from warpath.base.errors import (
    DistanceOverflowError,
    InputError,
    NotSupportedError,
    VertexError,
    require,
)
from warpath.base.escaping import json_chunks, visible
from warpath.base.upward import upward
from warpath.graph.arguments import one_index
from warpath.graph.checks import checked_bool
from warpath.graph.labels import encodable, file_ids, labels_or_none, one_label, table_ids
from warpath.graph.places import NO_NAMES, Place
from warpath.results.paths import Paths
from warpath.results.predecessors import (
    as_labels,
    followed,
    no_path,
    searched,
    searched_path,
    tree_over,
    walked,
    without_unreached,
)
from warpath.results.reached import ReachedDistances
from warpath.results.result import NO_COLUMNS, Result, checked_missing, plain_cells
from warpath.results.route import Route
from warpath.results.route_between import route_of_path
from warpath.results.rows import pairs_of_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import DTypeLike, NDArray

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.graph.places import Snap, Snapped
    from warpath.results.run_plan import RunPlan
    from warpath.results.trace import Trace


class DistanceTable(Result, ReachedDistances):
    """Distances from k sources to t targets, or between all pairs.

    Attributes
    ----------
    graph : the graph that was solved.
    dist : (k, t) distances; inf (floats) or the largest integer where unreachable, which sums of
        integers would include: see `reached_dist`, `to_numpy`. A NumPy array,
        or the memory-mapped file or array that was passed as ``out=``; None if ``out=`` was a
        function.
    pred : (k, t) of the indices' type, the index of the vertex before each target, -1 where there
        is none; None if predecessors were not requested.
    source_indices, target_indices : (k,) and (t,) int64; for points along edges the nearer ends, -1
        for missing entries.
    cutoff : the largest distance in the table; farther pairs are unreachable. None for no limit.
    plan : the plan that ran: algorithm, device and the reasons.
    reassociated : whether float sums may have been formed in another order than along the paths.
    stats : counters of the run, with ``seconds``; after an interrupted run also ``resumed``, the
        number of rows that it had written, or of the intermediate vertices that out-of-core
        Floyd-Warshall had processed.
    trace : the work of each round if a trace was requested, else None.
    snapped : what was taken for each `Place` in the call, a tuple of `Snap`; empty without places.
    names : the names that the call gave to vertices, as ``{vertex: name}`` or by ``Place.name``: a
        dictionary from their indices. Pictures and maps show them.
    also : the sums along the routes of the columns that the call named, (k, t) by name; inf or the
        largest number of their type without a path. Long tables, JSON and ``.npz`` have them.
    """

    snapped: tuple[Snap, ...] = ()
    also: Mapping[str, Array] = NO_COLUMNS
    names: Mapping[int, str] = NO_NAMES

    _LEFT_OUT = frozenset({"_find_route"})

    def __init__(
        self,
        graph: Graph,
        sources: NDArray[np.int64],
        targets: NDArray[np.int64] | None,
        dist: Any,
        *,
        pred: Any = None,
        cutoff: float | None = None,
        plan: RunPlan | None = None,
        stats: dict[str, Any] | None = None,
        reassociated: bool = False,
        trace: Trace | None = None,
        find_route: Callable[[Any, Any], Route] | None = None,
        ends: tuple[Snapped, Snapped] | None = None,
    ) -> None:
        self.graph = graph
        self.source_indices = sources
        self._targets = targets  # None for all vertices, of which most callers read no list
        self.dist: Array = dist
        self.pred: Array | None = pred
        self.cutoff = cutoff
        self.plan = cast("RunPlan", plan)  # None in a result that was read from a file
        self.reassociated = reassociated or (plan is not None and plan.recipe.reassociates)
        self.stats = stats or {}
        self.trace = trace
        self._find_route = find_route
        self._ends = ends

    @cached_property
    def target_indices(self) -> NDArray[np.int64]:
        """The vertices of the columns; see the class."""
        return np.arange(self.graph.n) if self._targets is None else self._targets

    @cached_property
    def sources(self) -> Array:
        """The vertices of the rows, as the graph names them, None for missing ones: (k,)."""
        return labels_or_none(self.graph, self.source_indices)

    @cached_property
    def targets(self) -> Array:
        """The vertices of the columns, as the graph names them: (t,)."""
        return labels_or_none(self.graph, self.target_indices)

    @property
    def row_ids(self) -> Array:
        """The names that the call gave to the sources, or their ids in the graph's file: (k,)."""
        return file_ids(self.graph, self.source_indices, self.given_names[0])

    @property
    def column_ids(self) -> Array:
        """The names that the call gave to the targets, or their ids in the graph's file: (t,)."""
        return file_ids(self.graph, self.target_indices, self.given_names[1])

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Mask of the pairs with a place that has no point near, or without a vertex: (k, t)."""
        return (self.source_indices < 0)[:, None] | (self.target_indices < 0)[None, :]

    @property
    def reached(self) -> NDArray[np.bool_]:
        """Mask of the pairs that have a path, within any cutoff: (k, t) bool."""
        self._require_distances("reached")
        on_gpu = hasattr(self.dist, "__cuda_array_interface__")
        dist = self.dist if on_gpu else np.asarray(self.dist)
        reached: NDArray[np.bool_] = dist != unreachable(dist.dtype)
        return reached

    def rows(self) -> Iterator[Array]:
        """Yield the rows of ``dist`` as NumPy arrays; a file is read chunk by chunk."""
        self._require_distances("rows")
        step = getattr(self.dist, "chunks", (64,))[0]
        for start in range(0, self.shape[0], step):
            yield from self._row(self.dist, slice(start, start + step))

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of sources and of targets, (k, t)."""
        columns = self.graph.n if self._targets is None else len(self._targets)
        return len(self.source_indices), columns

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        return np.array(self.on_host(), dtype=dtype, copy=copy)

    def on_host(self, what: str = "an array") -> Array:
        """Return the distances as a NumPy array, copied only if they are on a GPU."""
        self._require_distances(what)
        return np.asarray(self.dist.get() if hasattr(self.dist, "get") else self.dist)

    def _require_distances(self, what: str) -> None:
        """Raise InputError if the distances were passed to a function and not stored."""
        if cast("Array | None", self.dist) is None:
            msg = (
                f"{what} needs the distances, but the function out= took them: "
                "give an array or a file as out=."
            )
            raise InputError(msg)

    @cached_property
    def _whole(self) -> bool:
        """Whether the columns are all vertices, in order."""
        return self._targets is None or np.array_equal(self._targets, np.arange(self.graph.n))

    @property
    def _exact(self) -> bool:
        """Whether edges on shortest paths are tight to the last bit."""
        if self.graph.turns:
            return False  # which edges may follow one another counts, too
        if self.cutoff is not None and self.graph.facts(symmetry=False).negative:
            return False  # a path within the cutoff may lead through vertices beyond it
        return not (self.reassociated and self.graph.dist_dtype.kind == "f")

    def path(self, source: Any, target: Any) -> Route:
        """Return a shortest path from the vertex of a row to the vertex of a column.

        The route follows the stored predecessors if there are any. Otherwise it is traced back from
        the target over tight edges, which needs a column for every vertex. If columns are missing,
        or floats were added in another order than along the path, one new search finds the route.

        Parameters
        ----------
        source, target : vertices, as the graph names them.

        Raises
        ------
        VertexError
            If the graph has no such vertex, or the table no such row or column.
        NoPathError
            If the target is unreachable or beyond the cutoff.
        """
        row = self._place(source, self.source_indices, "row")
        column = self._place(target, self.target_indices, "column")
        s, t = int(self.source_indices[row]), int(self.target_indices[column])
        length = None if self.dist is None else self.dist[row, column].item()
        if length is not None and length == unreachable(self.dist.dtype):
            raise no_path(self.graph, s, t, self.cutoff)
        if self._find_route is not None and self._ends is not None:
            rows, columns = self._ends
            return self._find_route(rows.given[row], columns.given[column])
        cut = self.cutoff is not None and not self._exact
        if length is not None and self._whole and self.pred is not None and not cut:
            return Route(self.graph, followed(self._row(self.pred, row), s, t), length, self.plan)
        if length is not None and self._whole and self._exact:
            labels = as_labels(self.graph, self._row(self.dist, row))
            return Route(self.graph, walked(self.graph, s, t, labels), length, self.plan)
        try:
            path, length = searched_path(self.graph, s, t)
        except OverflowError as error:
            raise DistanceOverflowError.of(error) from None
        if not len(path) or (self.cutoff is not None and length > self.cutoff):
            raise no_path(self.graph, s, t, self.cutoff)
        return route_of_path(self.graph, path, length, self.plan)

    def paths_from(self, source: Any) -> Paths:
        """Return a row as `Paths`, with the same tree as `sssp`.

        The tree is computed from the row. If the table lacks columns, or holds floats that were
        added in another order than along the paths, one new search replaces the row; its distances
        are those of `sssp`.

        Raises
        ------
        VertexError
            If the graph has no such vertex, or the table no such row.
        DistanceOverflowError
            If the distance of any vertex, also one without a column, does not fit its type.
        """
        row = self._place(source, self.source_indices, "row")
        if self._ends is not None and self._ends[0].along[row] >= 0:
            msg = (
                f"paths_from does not take {self._ends[0].given[row]}, a point along an edge: use "
                'sssp, or Place(..., snap="vertex").'
            )
            raise NotSupportedError(msg)
        s, graph = int(self.source_indices[row]), self.graph
        if self.dist is not None and self._whole and self._exact:
            dist = as_labels(graph, self._row(self.dist, row))
            return Paths(
                graph,
                s,
                dist,
                tree=lambda: tree_over(graph, s, dist),
                cutoff=self.cutoff,
                plan=self.plan,
                stats=self.stats,
            )
        try:
            dist, through = searched(graph, s, self.cutoff)
        except OverflowError as error:
            raise DistanceOverflowError.of(error) from None
        return Paths(
            graph,
            s,
            dist,
            tree=lambda: without_unreached(through, dist),
            through=lambda: through,
            cutoff=self.cutoff,
            plan=self.plan,
            stats=self.stats,
        )

    def _vertices(self) -> NDArray[np.int64] | None:
        # Predecessors may be any vertices.
        if self.pred is not None:
            return None
        return np.concatenate([self.source_indices, self.target_indices])

    def _row(self, table: Any, row: int | slice) -> Array:
        values = table[row]
        return np.asarray(values.get() if hasattr(values, "get") else values)

    def _place(self, vertex: Any, indices: NDArray[np.int64], what: str) -> int:
        if self._ends is not None and isinstance(vertex, Place):
            given = self._ends[0 if what == "row" else 1].given
            if vertex in given:
                return given.index(vertex)
        at = one_index(self.graph, vertex, "source" if what == "row" else "target")
        found_at = np.flatnonzero(indices == at)
        if self._ends is not None:  # a vertex, before points along edges of which it is the end
            along = self._ends[0 if what == "row" else 1].along[found_at]
            found_at = found_at[np.argsort(along >= 0, kind="stable")]
        if not len(found_at):
            axis = "sources" if what == "row" else "targets"
            msg = (
                f"the table has no {what} for {one_label(self.graph, at)!r}: "
                f"it must be among the {len(indices):,} {axis} that were requested."
            )
            raise VertexError(msg)
        return int(found_at[0])

    def to_pandas(self, *, long: bool = False) -> Any:
        """Return a pandas data frame, with NA for unreachable pairs.

        Vertices have the names that the call gave them, or the ids of the graph's file, as in all
        tables.

        Parameters
        ----------
        long : True for one row per pair (source, target, distance, pred if stored, and the sums of
            `also`), False for one row per source with distances alone.
        """
        long = checked_bool(long, "long")
        pandas = require("pandas", what="DistanceTable.to_pandas")
        dist = self.on_host("to_pandas")
        reached = dist != unreachable(dist.dtype)
        if long:
            k, t = self.shape
            with np.errstate(invalid="ignore"):  # pandas tries whether all are integers
                flat = pandas.Series(dist.ravel()).convert_dtypes()
            columns = {
                "source": np.repeat(encodable(self.row_ids), t),
                "target": np.tile(encodable(self.column_ids), k),
                "distance": flat.mask(~reached.ravel(), pandas.NA),
            }
            if self.pred is not None:
                pred = np.asarray(self.pred).ravel()
                before = pandas.Series(table_ids(self.graph, np.where(pred >= 0, pred, 0)))
                columns["pred"] = before.convert_dtypes().mask(pred < 0, pandas.NA)
            for name, sums in self.also.items():
                along = pandas.Series(sums.ravel()).convert_dtypes()
                columns[name] = along.mask(~reached.ravel(), pandas.NA)
            return pandas.DataFrame(columns)
        wide = pandas.DataFrame(dist, encodable(self.row_ids), encodable(self.column_ids))
        return wide.convert_dtypes().mask(~reached, pandas.NA)

    def _arrow(self) -> Any:
        self._require_distances("an Arrow table")
        return pairs_of_table(self)

    def to_json(self, missing: Any = None) -> str:
        """Return the table as JSON: an object with sources, targets and the rows of distances.

        Where the table has sums along the routes, "also" has their rows by name.

        Parameters
        ----------
        missing : as in `Pairs.to_json`.
        """
        missing = checked_missing(missing)
        sources, targets = (plain_cells(ids, None) for ids in (self.row_ids, self.column_ids))
        dist = self.on_host("to_json")
        reached = dist != unreachable(dist.dtype)

        def rows(values: Array) -> list[list[Any]]:
            return [plain_cells(*row, missing) for row in zip(values, reached, strict=True)]

        table: dict[str, Any] = {"sources": sources, "targets": targets, "distances": rows(dist)}
        if self.also:
            table["also"] = {name: rows(sums) for name, sums in self.also.items()}
        return "".join(json_chunks(table))

    def save(self, path: Any, *, long: bool = True, escape_formulas: bool = False) -> None:
        """Write the table to ``.npz``, ``.npy``, ``.omx``, ``.parquet`` or ``.csv``.

        ``.omx`` has the distances and the sums of `also` as matrices for transport models, NaN
        where there is no path, and the ids as the mapping ``zone`` (``source`` and ``target`` if
        rows and columns differ); it needs h5py.

        Parameters
        ----------
        path : file to write, its format by suffix.
        long : for Parquet and CSV: True for one row per reached pair (source, target, distance,
            pred if stored, and the sums of `also`), False for one row per source.
        escape_formulas : as for `Paths.save`.
        """
        upward("DistanceTable.save")(self, path, long=long, escape_formulas=escape_formulas)

    def _repr_html_(self) -> str:
        k, t = self.shape
        where = "given to a function" if self.dist is None else str(self.dist.dtype)
        parts = []
        if k and t and self.dist is not None:
            most = 8
            head, *rows = _cells(self, most)
            if most < t:
                head, rows = [*head, "..."], [[*row, ""] for row in rows]
            if most < k:
                rows.append(["...", *[""] * (len(head) - 1)])
            parts.append(notebook.table(["source \\ target", *head[1:]], rows))
        if self.plan is not None:
            parts.append(notebook.line(self.plan.headline()))
        return notebook.box(f"DistanceTable {k:,} x {t:,}, {where}", *parts)

    def __repr__(self) -> str:
        k, t = self.shape
        where = "given to a function" if self.dist is None else f"of {self.dist.dtype}"
        lines = [f"<DistanceTable {k:,} x {t:,} {where}"]
        if self.plan is not None:
            lines.append(f"  {self.plan.headline()}")
        if k and t and self.dist is not None:
            lines.append(_preview(self))
        return "\n".join(lines) + ">"


def _cells(table: DistanceTable, most: int) -> list[list[str]]:
    """Return the first rows and columns as text, below a row of target names."""
    rows, columns = min(most, table.shape[0]), min(most, table.shape[1])
    names = [
        ids if given else labels
        for ids, labels, given in zip(
            (table.row_ids, table.column_ids),
            (table.sources, table.targets),
            table.given_names,
            strict=True,
        )
    ]
    lines = [["", *map(visible, names[1][:columns].tolist())]]
    limit = unreachable(table.dist.dtype)
    for row in range(rows):
        values = [table.dist[row, column].item() for column in range(columns)]
        shown = ["-" if value == limit else f"{value:,}" for value in values]
        lines.append([visible(names[0][row]), *shown])
    return lines


def _preview(table: DistanceTable, most: int = 6) -> str:
    lines = _cells(table, most)
    widths = [max(len(line[at]) for line in lines) for at in range(len(lines[0]))]
    text = [
        "  " + "  ".join(f"{cell:>{w}}" for cell, w in zip(line, widths, strict=True))
        for line in lines
    ]
    if most < table.shape[1]:
        text[0] += "  ..."
    if most < table.shape[0]:
        text.append("  ...")
    return "\n".join(text)
