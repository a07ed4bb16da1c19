"""Sums of kept columns along the shortest routes of a table: `also=` of `warpath.distances`."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import _core
from warpath.api.along import Routes, over_tree, threads_of
from warpath.api.linked_routes import LinkedRoutes
from warpath.api.pairs import solved_pairs
from warpath.base import settings, units
from warpath.base.dtypes import unreachable
from warpath.base.errors import InputError, NotEnoughMemoryError, NotSupportedError
from warpath.base.progress import watch
from warpath.results.legs import parts_on_routes, sums_of_routes
from warpath.results.predecessors import as_labels, tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from warpath.api.options import Options
    from warpath.api.question import Question
    from warpath.base.dtypes import Array
    from warpath.base.progress import Report
    from warpath.results.distance_table import DistanceTable

#: Vertices for which a whole tree takes as long as one route in a hierarchy.
_TREE_VERTICES = 512

#: Trips whose routes are in memory at a time.
_TRIPS_AT_ONCE = 2048

#: Bytes of a vertex while the sums of a tree are formed: the label, the predecessor, the edge, the
#: value, the sum and copies.
_TREE_BYTES = 72


def check_sums(options: Options, question: Question, columns: Mapping[str, Array]) -> None:
    """Raise where the sums along the routes of a table cannot be formed, before it is filled."""
    graph, out = question.graph, question.out
    if options.on_cluster:
        msg = (
            "also= is for tables of this machine, but device= is a cluster, whose workers return "
            'distances alone: use device="cpu", or pairs(..., also=...) for single trips.'
        )
        raise NotSupportedError(msg)
    if not (out is None or isinstance(out, np.ndarray)):
        msg = (
            "also= fills arrays in memory, but out= is a file, a function or an array on a GPU: "
            "leave one of them out."
        )
        raise InputError(msg)
    k, t = len(question.sources), question.width
    trees = min(max(k, 1), threads_of(options)) * question.view.inner.n * _TREE_BYTES
    bytes_ = len(columns) * (k * t + graph.m) * 8 + trees
    distances, free = k * t * question.dtype.itemsize, settings.memory()
    if bytes_ + distances > free:
        msg = (
            f"also= would take {units.size(bytes_)} next to the {units.size(distances)} of the "
            f"distances, but {units.size(free)} are free: name fewer columns, or select fewer "
            "sources or targets."
        )
        raise NotEnoughMemoryError(msg)


def sums_of_table(
    options: Options,
    question: Question,
    table: DistanceTable,
    columns: Mapping[str, Array],
) -> dict[str, Array]:
    """Return the sums of columns along the routes of a table: (k, t) by name.

    Parameters
    ----------
    columns : as `checked_also` returns them.
    """
    work = _TableSums(options, question, table, columns)
    with watch(question.progress, "sums along routes", "sources") as report:
        work.fill(report)
    return work.sums


class _TableSums:
    """The sums along the routes of one table while they are formed.

    Attributes
    ----------
    dist, reached : (k, t), the distances, and whether a pair has a path.
    sums : (k, t) by name.
    """

    def __init__(
        self,
        options: Options,
        question: Question,
        table: DistanceTable,
        columns: Mapping[str, Array],
    ) -> None:
        self.question = question
        self.dist = table.on_host("also")
        self.reached = reached = self.dist != unreachable(self.dist.dtype)
        self.columns = columns
        self.routes = Routes(options, question)
        self._linked = (
            None
            if question.entries is None
            else LinkedRoutes(options, question, self.routes, solved_pairs)
        )
        kinds = {name: values.dtype for name, values in columns.items()}
        if question.entries is not None and not all(
            side.only_vertices for side in question.entries
        ):
            kinds = dict.fromkeys(kinds, np.dtype(np.float64))  # parts of edges
        self.sums = {name: _start(reached, kind) for name, kind in kinds.items()}
        rounded = table.reassociated and question.graph.dist_dtype.kind == "f"
        self._exact = not rounded and not question.view.inner.facts(symmetry=False).negative

    def fill(self, report: Report | None) -> None:
        """Form the sums: of rows with few targets by routes in a hierarchy, of others by trees.

        Routes between points along edges begin and end at several vertices: there are no trees.
        """
        rows = np.flatnonzero(self.reached.any(axis=1))
        few = np.full(len(rows), self.question.entries is not None)
        if self.routes.upward and self.question.entries is None:
            few = self.reached[rows].sum(axis=1) * _TREE_VERTICES <= self.question.view.inner.n
        for trips in self._trips_of(rows[few]):
            self._by_routes(*trips)
            if report is not None:
                report(int(np.searchsorted(rows[few], trips[0][-1], side="right")), len(rows))
        done = int(few.sum())
        with ThreadPoolExecutor(self.routes.threads) as pool:
            for at, _ in enumerate(pool.map(self._by_tree, rows[~few].tolist())):
                if report is not None:
                    report(done + at + 1, len(rows))

    def _trips_of(self, rows: Array) -> Iterator[tuple[Array, Array]]:
        """Yield the rows and columns of some trips at a time."""
        which, columns = np.nonzero(self.reached[rows])
        for at in range(0, len(which), _TRIPS_AT_ONCE):
            part = slice(at, at + _TRIPS_AT_ONCE)
            yield rows[which[part]], columns[part]

    def _by_routes(self, rows: Array, columns: Array) -> None:
        question, shares = self.question, None
        if self._linked is None or question.entries is None:
            origins, destinations = question.sources[rows], question.all_targets[columns]
            edges, counts = self.routes.edges(origins, destinations)
        else:
            start, end = question.entries
            edges, shares, counts = self._linked.edges(start.part(rows), end.part(columns))
        for name, values in self.columns.items():
            on_routes = values[edges]
            if shares is not None:
                on_routes = parts_on_routes(on_routes, shares)
            self.sums[name][rows, columns] = sums_of_routes(on_routes, counts, also=True)

    def _by_tree(self, row: int) -> None:
        question, view = self.question, self.question.view
        source, targets = int(question.sources[row]), question.all_targets
        columns = np.flatnonzero(self.reached[row] & (targets != source))
        if not len(columns):
            return
        ends = view.arrivals(targets[columns])
        pred = self._tree(row, source, columns, ends)
        heads = np.flatnonzero(pred >= 0)
        edges = view.edges_of_steps(pred[heads], heads)
        heads, edges = heads[edges >= 0], edges[edges >= 0]
        for name, values in self.columns.items():
            of_vertices = np.zeros(len(pred), values.dtype)
            of_vertices[heads] = values[edges]
            sums = np.empty(len(ends), values.dtype)
            over_tree(_core.tree_sums, pred, of_vertices, ends, sums)
            self.sums[name][row, columns] = sums

    def _tree(self, row: int, source: int, columns: Array, ends: Array) -> Array:
        """Return the predecessors of the vertices of the graph that is searched."""
        graph, dist = self.question.graph, self.dist[row]
        if self._exact and self.question.targets is None and self.question.view.inner is graph:
            return tree(graph, source, as_labels(graph, dist))
        limit = dist[columns].max().item() if self._exact else None
        return self.routes.tree(source, ends, limit)


def _start(reached: NDArray[np.bool_], dtype: np.dtype[Any]) -> Array:
    """Return 0 for each pair with a path, and the number that stands for none elsewhere."""
    sums: Array = np.where(reached, dtype.type(0), dtype.type(unreachable(dtype)))
    return sums
