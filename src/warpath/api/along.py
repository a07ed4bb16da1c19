"""Measures along the shortest routes of trips and of tables: their edges, and sums of columns."""

from __future__ import annotations

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
from warpath.engines import hierarchy
from warpath.engines.base import Trips
from warpath.graph.checks import shown
from warpath.planner.cpu_model import Size
from warpath.recipes import Loop, Task
from warpath.results.legs import (
    kept_column,
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
    from warpath.graph.places import Snapped
    from warpath.results.distance_table import DistanceTable
    from warpath.results.route import Route

T = TypeVar("T")

#: Vertices for which a whole tree takes as long as one route in a hierarchy.
_TREE_VERTICES = 512

#: Trips whose routes are in memory at a time.
_TRIPS_AT_ONCE = 2048

#: Bytes of a vertex while the sums of a tree are formed: the label, the predecessor, the edge, the
#: value, the sum and copies.
_TREE_BYTES = 72


#: The columns that the tables of `pairs` and of `distances` have themselves.
PAIR_COLUMNS = (
    "origin", "destination", "distance", "origin_snap", "destination_snap", "far", "missing",
)  # fmt: skip
TABLE_COLUMNS = ("source", "target", "distance", "pred")


class Routes:
    """The search for the routes of trips between vertices, on this machine.

    Attributes
    ----------
    view : the graph, with the graph that is searched.
    threads : the largest number of threads.
    """

    def __init__(self, options: Options, question: Question) -> None:
        graph = question.graph
        options = options.on_this_machine(graph)
        self.view = question.view
        self.threads = _threads(options)
        self._plan = with_hierarchy_if_faster(graph, options).plan(Size(Task.PATH), graph)

    @property
    def upward(self) -> bool:
        """Whether routes are searched in a hierarchy."""
        return self._plan.recipe.loop in {Loop.HIERARCHY, Loop.CUSTOMIZED}

    def edges(self, sources: Array, targets: Array) -> tuple[Array, Array]:
        """Return the edges of the routes of trips, and how many each route has.

        Parameters
        ----------
        sources, targets : (k,) vertices of the graph, between which there are paths.
        """
        counts = np.zeros(len(sources), np.int64)
        moved = np.flatnonzero(sources != targets)
        ends = sources[moved], self.view.ends(targets[moved])
        vertices, lengths = self._vertices(*ends)
        edges, counts[moved] = self.view.edges_of_paths(vertices, lengths, self.threads)
        return edges, counts

    def _vertices(self, starts: Array, ends: Array) -> tuple[Array, Array]:
        """Return the vertices of the routes in the graph that is searched, and their numbers."""
        loop = self._plan.recipe.loop
        in_hierarchy = hierarchy.routes(self.view.inner, loop, (starts, ends), self.threads)
        if in_hierarchy is not None:
            return in_hierarchy
        none = np.empty(0, np.int64)
        order = np.argsort(starts, kind="stable")
        groups = np.split(order, np.flatnonzero(np.diff(starts[order])) + 1)

        def from_one_source(trips: Array) -> tuple[Array, Array]:
            if len(trips) > 1:
                pred = self.tree(int(starts[trips[0]]), ends[trips])
                routes: tuple[Array, Array] = _over_tree(_core.tree_routes, pred, ends[trips])
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
    trees = min(max(k, 1), _threads(options)) * question.view.inner.n * _TREE_BYTES
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
    find_route: Callable[[Any, Any], Route],
) -> dict[str, Array]:
    """Return the sums of columns along the routes of a table: (k, t) by name.

    Parameters
    ----------
    columns : as `checked_also` returns them.
    find_route : returns a route from an entry of the rows to one of the columns.
    """
    work = _TableSums(options, question, table, columns)
    with watch(question.progress, "sums along routes", "sources") as report:
        if question.ends is not None:
            work.route_by_route(question.ends, find_route, report)
        else:
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
        kinds = {name: values.dtype for name, values in columns.items()}
        if question.ends is not None and not all(ends.only_vertices for ends in question.ends):
            kinds = dict.fromkeys(kinds, np.dtype(np.float64))  # parts of edges
        self.sums = {name: _start(reached, kind) for name, kind in kinds.items()}
        rounded = table.reassociated and question.graph.dist_dtype.kind == "f"
        self._exact = not rounded and not question.view.inner.facts(symmetry=False).negative

    def fill(self, report: Report | None) -> None:
        """Form the sums: of rows with few targets by routes in a hierarchy, of others by trees."""
        rows = np.flatnonzero(self.reached.any(axis=1))
        few = np.zeros(len(rows), np.bool_)
        if self.routes.upward:
            few = self.reached[rows].sum(axis=1) * _TREE_VERTICES <= self.question.view.inner.n
        for trips in self._trips_of(rows[few]):
            self._by_routes(*trips)
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
        question = self.question
        ends = question.sources[rows], question.all_targets[columns]
        edges, counts = self.routes.edges(*ends)
        for name, values in self.columns.items():
            self.sums[name][rows, columns] = sums_of_routes(values[edges], counts)

    def _by_tree(self, row: int) -> None:
        question, view = self.question, self.question.view
        source, targets = int(question.sources[row]), question.all_targets
        columns = np.flatnonzero(self.reached[row] & (targets != source))
        if not len(columns):
            return
        ends = view.ends(targets[columns])
        pred = self._tree(row, source, columns, ends)
        heads = np.flatnonzero(pred >= 0)
        edges = view.edges_of_steps(pred[heads], heads)
        heads, edges = heads[edges >= 0], edges[edges >= 0]
        for name, values in self.columns.items():
            of_vertices = np.zeros(len(pred), values.dtype)
            of_vertices[heads] = values[edges]
            sums = np.empty(len(ends), values.dtype)
            _over_tree(_core.tree_sums, pred, of_vertices, ends, sums)
            self.sums[name][row, columns] = sums

    def _tree(self, row: int, source: int, columns: Array, ends: Array) -> Array:
        """Return the predecessors of the vertices of the graph that is searched."""
        graph, dist = self.question.graph, self.dist[row]
        if self._exact and self.question.targets is None and self.question.view.inner is graph:
            return tree(graph, source, as_labels(graph, dist))
        limit = dist[columns].max().item() if self._exact else None
        return self.routes.tree(source, ends, limit)

    def route_by_route(
        self,
        entries: tuple[Snapped, Snapped],
        find_route: Callable[[Any, Any], Route],
        report: Report | None,
    ) -> None:
        """Form the sums of a table of which some entries are points along edges."""
        rows, columns = entries
        for row, targets in enumerate(self.reached):
            for column in np.flatnonzero(targets).tolist():
                route = find_route(rows.given[row], columns.given[column])
                for name, values in self.columns.items():
                    self.sums[name][row, column] = route.along(values)
            if report is not None:
                report(row + 1, len(self.reached))


def _over_tree(call: Callable[..., T], *arguments: Array) -> T:
    """Call a function of the core that follows predecessors."""
    try:
        return call(*arguments)
    except OverflowError as error:
        raise sum_too_large(error) from None
    except ValueError as error:
        msg = (
            "no routes lead over the predecessors: sums of float weights were rounded on a cycle "
            "of length 0; use integer weights."
        )
        raise InputError(msg) from error


def _threads(options: Options) -> int:
    threads: int = options.request.threads or settings.threads()
    return threads


def _start(reached: NDArray[np.bool_], dtype: np.dtype[Any]) -> Array:
    """Return 0 for each pair with a path, and the number that stands for none elsewhere."""
    sums: Array = np.where(reached, dtype.type(0), dtype.type(unreachable(dtype)))
    return sums
