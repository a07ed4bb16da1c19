"""The edges of the shortest routes of many trips, and the columns to sum along them."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from warpath import _core
from warpath.api.prepared import with_hierarchy_if_faster
from warpath.api.run import run_plan
from warpath.base import settings
from warpath.base.errors import DistanceOverflowError, InputError
from warpath.engines import hierarchy, labels
from warpath.engines.base import Trips
from warpath.graph.checks import shown
from warpath.planner.cpu_model import Size
from warpath.planner.request import DEFAULT
from warpath.recipes import Loop, Task
from warpath.results.legs import kept_column, refuse_texts, sum_too_large, type_of_sums
from warpath.results.predecessors import search

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from warpath.api.options import Options
    from warpath.api.question import Question
    from warpath.base.dtypes import Array
    from warpath.base.progress import Report
    from warpath.graph import Graph

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
