"""The edges of the shortest routes of many trips, and sums of kept columns along them."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from warpath import _core
from warpath.api.prepared import with_hierarchy_if_faster
from warpath.api.run import run_plan
from warpath.base import settings, units
from warpath.base.dtypes import unreachable
from warpath.base.errors import (
    DistanceOverflowError,
    InputError,
    NotEnoughMemoryError,
    NotSupportedError,
)
from warpath.base.progress import watch
from warpath.engines import hierarchy, labels
from warpath.engines.base import Trips
from warpath.graph.checks import shown
from warpath.graph.links import arriving, between, leaving, pairs_of_links, plus_links
from warpath.planner.cpu_model import Size
from warpath.planner.request import DEFAULT
from warpath.recipes import Loop, Task
from warpath.results.legs import (
    kept_column,
    parts_on_routes,
    refuse_texts,
    sum_too_large,
    sums_of_routes,
    type_of_sums,
)
from warpath.results.predecessors import as_labels, search, tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    from warpath.api.options import Options
    from warpath.api.question import Question
    from warpath.base.dtypes import Array
    from warpath.base.progress import Report
    from warpath.graph import Graph
    from warpath.graph.links import Links
    from warpath.graph.places import Snapped
    from warpath.results.distance_table import DistanceTable

    SolvePairs = Callable[[Options, Question], tuple[Array, Any, dict[str, Any]]]

T = TypeVar("T")

#: The columns that the tables of `pairs` and of `distances` have themselves.
PAIR_COLUMNS = (
    "origin", "destination", "distance", "origin_snap", "destination_snap", "far", "missing",
)  # fmt: skip
TABLE_COLUMNS = ("source", "target", "distance", "pred")


class Routes:
    """The search for the routes of trips between vertices, on the CPU of this machine.

    All algorithms would find the same routes, so that "auto" chooses one.

    Attributes
    ----------
    view : the graph, with the graph that is searched.
    threads : the largest number of threads.
    """

    def __init__(self, options: Options, question: Question) -> None:
        graph = question.graph
        self.view = question.view
        self.threads = threads_of(options)
        self._plan = for_routes(options, graph).plan(Size(Task.PATH), graph)

    @property
    def upward(self) -> bool:
        """Whether routes are searched in a hierarchy."""
        return self._plan.recipe.prepared

    def edges(self, sources: Array, targets: Array) -> tuple[Array, Array]:
        """Return the edges of the routes of trips, and how many each route has.

        Parameters
        ----------
        sources, targets : (k,) vertices of the graph, between which there are paths.
        """
        moved = sources != targets  # a route of one vertex does not go to the copy of a closed one
        ends = np.where(moved, self.view.arrivals(targets), sources)
        return self.edges_in_searched(sources, ends)

    def edges_in_searched(self, starts: Array, ends: Array) -> tuple[Array, Array]:
        """Return the same between vertices of the graph that is searched."""
        counts = np.zeros(len(starts), np.int64)
        moved = np.flatnonzero(starts != ends)
        vertices, lengths = self._vertices(starts[moved], ends[moved])
        edges, counts[moved] = self.view.edges_of_paths(vertices, lengths, self.threads)
        return edges, counts

    def _vertices(self, starts: Array, ends: Array) -> tuple[Array, Array]:
        """Return the vertices of the routes in the graph that is searched, and their numbers."""
        loop = self._plan.recipe.loop
        trips = self.view.inner, (starts, ends), self.threads
        labelled = loop is Loop.TREE_LABELS
        routes = labels.routes(*trips) if labelled else hierarchy.routes(*trips, loop)
        if routes is not None:
            return routes
        none = np.empty(0, np.int64)
        order = np.argsort(starts, kind="stable")
        groups = np.split(order, np.flatnonzero(np.diff(starts[order])) + 1)

        def from_one_source(trips: Array) -> tuple[Array, Array]:
            if len(trips) > 1:
                pred = self.tree(int(starts[trips[0]]), ends[trips])
                routes: tuple[Array, Array] = over_tree(_core.tree_routes, pred, ends[trips])
                return routes
            problem = Trips(Task.PATH, starts[trips], ends[trips])
            path = run_plan(self.view, self._plan, problem)[0].vertices if len(trips) else none
            return path, np.full(len(trips), len(path))

        with ThreadPoolExecutor(self.threads) as pool:
            parts = zip(*pool.map(from_one_source, groups), strict=True)
            vertices, counts = (np.concatenate([none, *part]) for part in parts)
        begins, back = np.cumsum(counts) - counts, np.argsort(order)
        counts = counts[back]
        within = np.arange(len(vertices)) - np.repeat(np.cumsum(counts) - counts, counts)
        return vertices[np.repeat(begins[back], counts) + within], counts

    def loads(
        self, sources: Array, targets: Array, numbers: Array, report: Report | None
    ) -> NDArray[np.float64]:
        """Return how many trips lead over each edge: (m,).

        Parameters
        ----------
        sources, targets : as for `edges`.
        numbers : (k,) float64, of trips.
        report : takes the number of trips that are done, and of all.
        """
        moved = sources != targets
        starts, ends = sources[moved], self.view.arrivals(targets[moved])
        numbers = np.ascontiguousarray(numbers[moved], np.float64)
        order = np.argsort(starts, kind="stable")
        starts, ends, numbers = starts[order], ends[order], numbers[order]
        upto = [*(np.flatnonzero(np.diff(starts)) + 1).tolist(), len(starts)] if len(starts) else []
        loads = np.zeros(self.view.graph.m)

        def from_one_source(trips: slice) -> tuple[Array, Array]:
            pred = self.tree(int(starts[trips.start]), ends[trips])
            through = np.zeros(len(pred))
            over_tree(_core.tree_loads, pred, ends[trips], numbers[trips], through)
            heads = np.flatnonzero((through > 0) & (pred >= 0))
            edges = self.view.edges_of_steps(pred[heads], heads)
            return edges[edges >= 0], through[heads[edges >= 0]]

        some = [slice(*bounds) for bounds in itertools.pairwise([0, *upto])]
        with ThreadPoolExecutor(self.threads) as pool, np.errstate(over="ignore"):
            parts = pool.map(from_one_source, some)
            for trips, (edges, numbers_over) in zip(some, parts, strict=True):
                loads += np.bincount(edges, numbers_over, self.view.graph.m)
                if report is not None:
                    report(trips.stop, len(starts))
        return loads

    def tree(self, source: int, ends: Array, limit: Any = None) -> Array:
        """Return the predecessors of a search from a vertex of the graph that is searched.

        Parameters
        ----------
        ends : the vertices whose distances must fit their type.
        limit : a distance that none of them exceeds.
        """
        try:
            return search(self.view.inner, source, limit, ends)[1]
        except OverflowError as error:
            raise DistanceOverflowError.of(error) from None


def checked_also(graph: Graph, also: Any, taken: tuple[str, ...]) -> dict[str, Array]:
    """Return the numbers of all edges in each column that `also` names: (m,) by name.

    Parameters
    ----------
    taken : the names of the table's own columns.

    Raises
    ------
    InputError
        If it is no list of names, or names a column twice or one of the table's own.
    GraphError
        If the graph keeps no such column, or it has texts.
    """
    names = [also] if isinstance(also, str) else also
    if not isinstance(names, list | tuple):
        msg = f"also={shown(also)} must be a list of names of kept columns; see Graph.edge_table."
        raise InputError(msg)
    columns: dict[str, Array] = {}
    for name in names:
        given_as = f"also={shown(name)}"
        values = kept_column(graph, name, slice(None), given_as)
        refuse_texts(values, given_as)
        if name in columns or name in taken:
            why = "is named twice" if name in columns else "is a column of every table"
            msg = f"{given_as}: {name!r} {why}: leave it out, or keep it under another name."
            raise InputError(msg)
        columns[name] = np.ascontiguousarray(values, type_of_sums(values.dtype))
    return columns


def over_tree(call: Callable[..., T], *arguments: Array) -> T:
    """Call a function of the core that follows predecessors."""
    try:
        return call(*arguments)
    except OverflowError as error:
        raise sum_too_large(error, also=True) from None
    except ValueError as error:
        msg = (
            "no routes lead over the predecessors: sums of float weights were rounded on a cycle "
            "of length 0; use integer weights."
        )
        raise InputError(msg) from error


def for_routes(options: Options, graph: Graph) -> Options:
    """Return the options by which routes are searched, in a hierarchy if the graph has one."""
    prepared = options.request.prepared
    options = options.but(graph, algorithm="auto", device=DEFAULT, params=None, prepared=prepared)
    return with_hierarchy_if_faster(graph, options)


def threads_of(options: Options) -> int:
    """Return the largest number of threads of a call."""
    threads: int = options.request.threads or settings.threads()
    return threads


class LinkedRoutes:
    """The search for routes between entries, each by the links of its shortest path.

    The links are those that `warpath.path` takes: of equally short paths the one joined directly,
    else the one with the shortest links, else the first.

    Parameters
    ----------
    solve : returns the distances of trips between vertices, the plan and counters.
    """

    def __init__(
        self, options: Options, question: Question, routes: Routes, solve: SolvePairs
    ) -> None:
        self._graph = question.graph
        self._routes = routes
        self._solve = solve
        self._inner = inner = question.view.inner
        options = for_routes(options, inner)
        if options.request.prepared and not hierarchy.sums_are_exact(inner):
            options = options.but(inner, prepared=False)  # rounded sums may choose other links
        self._options = options
        self._question = question

    def edges(
        self, start: Snapped, end: Snapped
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
        """Return the edges of routes, (e,), their shares, (e, 2), and how many each has: (k,).

        Parameters
        ----------
        start, end : k entries each, between which there are paths.
        """
        graph, k = self._graph, len(start.indices)
        trip, first, last = pairs_of_links(leaving(graph, start), arriving(graph, end), k)
        total = self._totals(first, last)
        order = np.lexsort((first.offsets + last.offsets, total, trip))
        at = order[np.unique(trip[order], return_index=True)[1]]  # the best links of each trip
        both = np.arange(k)
        direct = between(graph, start, end, both, both)
        directly = np.ones(k, np.bool_)
        directly[trip[at]] = direct[trip[at]] <= total[at]
        at = at[~directly[trip[at]]]
        before, after = first.taken(at), last.taken(at)
        inner, counts_of_inner = self._routes.edges_in_searched(before.vertices, after.vertices)

        linked, alone = trip[at], np.flatnonzero(directly)
        forward = end.fractions >= start.fractions
        own = np.where(forward, start.along, start.back)
        has_before, has_after = before.edges >= 0, after.edges >= 0
        counts = np.zeros(k, np.int64)
        counts[linked] = has_before + counts_of_inner + has_after
        counts[alone] = ((start.along >= 0) & (start.fractions != end.fractions))[alone]
        alone = alone[counts[alone] > 0]

        begins = np.cumsum(counts) - counts
        edges = np.empty(counts.sum(), np.int64)
        shares = np.tile((0.0, 1.0), (len(edges), 1))
        edges[begins[alone]] = own[alone]
        for column, entries in enumerate((start, end)):
            turned = np.where(forward, entries.fractions, 1 - entries.fractions)
            shares[begins[alone], column] = turned[alone]
        within = np.arange(len(inner)) - np.repeat(
            np.cumsum(counts_of_inner) - counts_of_inner, counts_of_inner
        )
        edges[np.repeat(begins[linked] + has_before, counts_of_inner) + within] = inner
        ends = (
            (start, before, has_before, begins[linked]),
            (end, after, has_after, (begins + counts)[linked] - 1),
        )
        for column, (entries, links, has, positions) in enumerate(ends):
            rows = linked[has]
            ahead = links.edges[has] == entries.along[rows]
            edges[positions[has]] = links.edges[has]
            fractions = entries.fractions[rows]
            shares[positions[has], column] = np.where(ahead, fractions, 1 - fractions)
        return edges, shares, counts

    def _totals(self, first: Links, last: Links) -> Array:
        """Return the lengths of the shortest paths over links, each summed in its order."""
        part = self._question.but(
            graph=self._inner,
            task=Task.PAIRS,
            sources=first.vertices,
            targets=last.vertices,
            cutoff=None,
            dtype=self._graph.dist_dtype,
            out=None,
            predecessors=False,
            trace=False,
            progress=None,
            entries=None,
        )
        dist = self._solve(self._options, part)[0]
        return plus_links(plus_links(dist, first.offsets), last.offsets)


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
    solve: SolvePairs,
) -> dict[str, Array]:
    """Return the sums of columns along the routes of a table: (k, t) by name.

    Parameters
    ----------
    columns : as `checked_also` returns them.
    solve : as in `LinkedRoutes`.
    """
    work = _TableSums(options, question, table, columns, solve)
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
        solve: SolvePairs,
    ) -> None:
        self.question = question
        self.dist = table.on_host("also")
        self.reached = reached = self.dist != unreachable(self.dist.dtype)
        self.columns = columns
        self.routes = Routes(options, question)
        self._linked = None
        if question.entries is not None:
            self._linked = LinkedRoutes(options, question, self.routes, solve)
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
