# ruff: noqa: SLF001 - of other Solvers, in methods of the class
"""The solver: a graph with where and how it is solved.

The module is one idea: a class with a short method for each call.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.api import prepared as preparing
from warpath.api import question as asking
from warpath.api.accessibility import accessibility_of
from warpath.api.along import PAIR_COLUMNS, TABLE_COLUMNS, check_sums, checked_also, sums_of_table
from warpath.api.extremes import diameter_of, least_of
from warpath.api.loads import loads_of
from warpath.api.nearest import within_of
from warpath.api.options import ONE_SOURCE, options_of
from warpath.api.other_routes import (
    all_shortest_of,
    alternatives_of,
    constrained_of,
    counts_of,
    disjoint_of,
    k_shortest_of,
    pareto_of,
    refuse_counting,
)
from warpath.api.pairs import (
    check_out,
    pairs_left_there,
    pairs_of,
    put_into,
    route_of,
    route_of_stops,
    size_of_pairs,
    solved_pairs,
)
from warpath.api.prepared import with_hierarchy_if_faster
from warpath.api.question import ends_of_trips, numbers_of_trips
from warpath.api.run import paths_of
from warpath.api.scenarios import Scenarios
from warpath.api.table import table_of
from warpath.api.totals import ON_THIS_MACHINE, totals_of
from warpath.base import settings
from warpath.base.dtypes import unreachable
from warpath.base.errors import GraphError, InputError, NotSupportedError
from warpath.engines import hierarchy, hub_labels, labels, new_weights
from warpath.engines.devices import members, place_on
from warpath.graph import Graph
from warpath.graph.arguments import as_indices, checked_cutoff, one_index
from warpath.graph.labels import one_label
from warpath.graph.places import holds_places
from warpath.graph.restrictions import restricted
from warpath.graph.solvable import SolvableGraph, search_graph
from warpath.planner.cpu_model import Size
from warpath.recipes import Task
from warpath.results.predecessors import no_path
from warpath.results.route import Route
from warpath.results.within import checked_cutoffs

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import ArrayLike, DTypeLike

    from warpath.api.dynamic import DynamicPaths
    from warpath.api.options import Options
    from warpath.api.question import Progress, Runners
    from warpath.base.dtypes import Array
    from warpath.planner.plan import Plan
    from warpath.recipes import Recipe
    from warpath.results.accessibility import Accessibility
    from warpath.results.centrality import Centrality
    from warpath.results.distance_table import DistanceTable
    from warpath.results.nearest import Nearest
    from warpath.results.pairs import Pairs
    from warpath.results.paths import Paths
    from warpath.results.totals import Reduction, Totals
    from warpath.results.within import Within


class Solver:
    """A graph with where and how it is solved: checked and planned once, then solved often.

    The calls of the module do the same in one line, and keep the plans of their options with the
    graph, so that a Solver is no faster than they are. It saves naming the options each time.

    Parameters
    ----------
    graph : anything that `Graph.of` takes.
    device : as in `sssp`, or a Dask cluster as in `distances`. A graph that is solved on a GPU is
        copied there at once.
    algorithm, threads, params : as in `sssp`; they hold for each call of the solver.
    prepared : whether to search in a contraction hierarchy where that is predicted to be faster.
        The first call that does builds it; `warpath.prepare` builds it at once, and so does a
        Solver on a cluster, which sends it. With "auto" it is built by the first table or pairs
        that are predicted to take longer without it, its building included, and used from then on.

    Attributes
    ----------
    graph : the graph that is solved.

    Raises
    ------
    InputError
        If an option is not valid.
    NoDeviceError, MissingDependencyError, NotEnoughMemoryError
        If the GPU that was requested does not exist, or lacks a package or memory.

    Examples
    --------
    >>> import warpath as wp
    >>> solver = wp.Solver([(0, 1, 2), (1, 2, 5)], threads=1)
    >>> solver.sssp(0).dist, solver.path(0, 2).length
    (array([0, 2, 7]), 7)
    """

    def __init__(
        self,
        graph: Any,
        *,
        device: Any = "auto",
        algorithm: str | Recipe = "auto",
        threads: int | None = None,
        params: dict[str, float] | None = None,
        prepared: bool | str = False,
    ) -> None:
        self.graph = own = Graph.of(graph)
        self._options = options_of(own, algorithm, device, threads, params, prepared=prepared)
        self._place()
        if self._options.on_cluster:
            from warpath.api.cluster_calls import send

            self._client = device  # which stays open
            send(own, self._options.device(), prepared=self._options.request.prepared is True)

    def _place(self) -> None:
        """Copy the graph to each device, where it stays; compare a cluster's versions with ours."""
        place_on(self.graph, members(self._options.device()))

    def sssp(
        self,
        source: Any,
        *,
        cutoff: float | str | None = None,
        dist_dtype: DTypeLike | None = None,
        progress: Progress = None,
        trace: bool = False,
    ) -> Paths:
        """Return the shortest paths from one source to every vertex.

        Parameters
        ----------
        source, cutoff, dist_dtype, progress, trace : as in `warpath.sssp`.
        """
        question = asking.of_source(self.graph, source, cutoff, dist_dtype, progress, trace=trace)
        return question.with_snap_notes(paths_of(self._options, question))

    def path(
        self,
        source: Any,
        target: Any,
        *,
        progress: Progress = None,
        avoid: Any = None,
        only: Any = None,
    ) -> Route:
        """Return one shortest path.

        Parameters
        ----------
        source, target : vertices: indices, labels if the graph has some, or `Place`.
        progress : True for a bar on stderr, or a function of (done, total), which some algorithms
            never call. An exception raised in it cancels the call.
        avoid, only : as in `warpath.path`.
        """
        solver = self._restricted("path", avoid, only)
        return solver._route_by(solver._options, source, target, progress)

    def distance(self, source: Any, target: Any) -> float:
        """Return the distance from one vertex to another: a number of Python.

        Of a graph with labels it takes 2 us, a tenth of ``pairs([source], [target])``.

        Parameters
        ----------
        source, target : as in `warpath.distance`.
        """
        search = self._options.pair(self.graph)
        if search is not None and not (holds_places(source) or holds_places(target)):
            graph = self.graph
            return search(one_index(graph, source, "source"), one_index(graph, target, "target"))
        question = asking.of_path(self.graph, source, target, None).but(task=Task.PAIRS)
        pairs = pairs_of(self._options, question, self._runners().pairs, self._route)
        distance: float = pairs.dist.item()
        return distance

    def _restricted(self, call: str, avoid: Any, only: Any) -> Solver:
        """Return a Solver of the graph without the edges that a call avoids; itself for none."""
        if avoid is None and only is None:
            return self
        if self._options.request.prepared is True:
            raise NotSupportedError(
                f"{call} with avoid or only searches a graph without some edges, for which this "
                "Solver is not prepared. For many questions, close the edges once by "
                "solver.with_changes(edges, float('inf')), which takes a second at first and then "
                f"50 ms on New York; for a few, use warpath.{call}(solver.graph, ...)."
            )
        return Solver(restricted(self.graph, avoid, only), **self._given_options())

    def _route(self, source: Any, target: Any) -> Route:
        """Return a route of a result; on a cluster it is searched in this process."""
        return self._route_by(self._options.on_this_machine(self.graph), source, target, None)

    def _route_by(self, options: Options, source: Any, target: Any, progress: Progress) -> Route:
        graph, search = self.graph, options.route(self.graph) if progress is None else None
        if search is not None and not (holds_places(source) or holds_places(target)):
            s, t = one_index(graph, source, "source"), one_index(graph, target, "target")
            plan, find = search
            vertices, length = find(s, t)
            if not len(vertices):
                raise no_path(graph, s, t)
            return Route(graph, vertices, length, plan._copied())
        question = asking.of_path(graph, source, target, progress)
        return question.with_snap_notes(route_of(options, question))

    def route_through(self, stops: Any, *, order: str = "given", round_trip: bool = False) -> Route:
        """Return one route through several stops.

        Parameters
        ----------
        stops, order, round_trip : as in `warpath.route_through`.
        """
        return route_of_stops(
            self.graph, stops, order, self.distances, self.path, round_trip=round_trip
        )

    def k_shortest_paths(
        self,
        source: Any,
        target: Any,
        k: int | None = None,
        *,
        max_length: float | str | None = None,
    ) -> Iterator[Route]:
        """Return an iterator over the routes that pass no vertex twice, in order of their length.

        Parameters
        ----------
        source, target, k, max_length : as in `warpath.k_shortest_paths`.
        """
        question = asking.of_path(self.graph, source, target, None)
        return k_shortest_of(self._options, question, k, max_length)

    def alternatives(
        self,
        source: Any,
        target: Any,
        k: int = 3,
        *,
        sharing: float = 0.8,
        stretch: float = 1.25,
        local: float | None = None,
        method: str = "via",
    ) -> list[Route]:
        """Return the shortest route and routes that differ from it.

        Parameters
        ----------
        source, target, k, sharing, stretch, local, method : as in `warpath.alternatives`.
        """
        question = asking.of_path(self.graph, source, target, None)
        return alternatives_of(self._options, question, k, sharing, stretch, local, method)

    def disjoint_paths(
        self, source: Any, target: Any, k: int = 2, by: str = "edges"
    ) -> list[Route]:
        """Return k routes that share no edge, or no vertex, of the least total length.

        Parameters
        ----------
        source, target, k, by : as in `warpath.disjoint_paths`.
        """
        question = asking.of_path(self.graph, source, target, None)
        return disjoint_of(self._options, question, k, by)

    def all_shortest_paths(self, source: Any, target: Any) -> Iterator[Route]:
        """Return an iterator over all routes of the least length.

        Parameters
        ----------
        source, target : as in `warpath.all_shortest_paths`.
        """
        question = asking.of_path(self.graph, source, target, None)
        return all_shortest_of(self._options, question)

    def pareto_paths(
        self,
        source: Any,
        target: Any,
        second: Any,
        *,
        limit: float | str | None = None,
        epsilon: float | None = None,
        memory: int | str | None = None,
    ) -> Iterator[Route]:
        """Return an iterator over the routes that no other route beats in both of two costs.

        Parameters
        ----------
        source, target, second, limit, epsilon, memory : as in `warpath.pareto_paths`.
        """
        question = asking.of_path(self.graph, source, target, None)
        return pareto_of(self._options, question, second, limit, epsilon, memory)

    def constrained_path(self, source: Any, target: Any, second: Any, limit: float | str) -> Route:
        """Return the shortest route whose second cost is within a limit.

        Parameters
        ----------
        source, target, second, limit : as in `warpath.constrained_path`.
        """
        question = asking.of_path(self.graph, source, target, None)
        return constrained_of(self._options, question, second, limit)

    def count_shortest_paths(self, source: Any) -> Array:
        """Return the number of shortest paths from a source to each vertex.

        Parameters
        ----------
        source : as in `warpath.count_shortest_paths`.
        """
        graph = self.graph
        refuse_counting(graph)
        s, view = one_index(graph, source, "source"), SolvableGraph(graph)
        inner = view.inner
        solver = self if inner is graph else Solver(inner)
        dist = solver.sssp(one_label(inner, s)).dist
        counts = np.array(counts_of(inner, s, dist), object)
        counts = counts[view.arrivals(np.arange(graph.n))]
        counts[s] = 1
        return counts

    def _runners(self) -> Runners:
        """Return the functions that run calls in this process or on a cluster."""
        if not self._options.on_cluster:
            return ON_THIS_MACHINE
        from warpath.api.cluster_calls import ON_CLUSTER

        return ON_CLUSTER

    def pairs(
        self,
        origins: Any,
        destinations: Any = None,
        *,
        dist_dtype: DTypeLike | None = None,
        out: Any = None,
        progress: Progress = None,
        missing: str = "raise",
        also: Sequence[str] = (),
        avoid: Any = None,
        only: Any = None,
    ) -> Pairs:
        """Return the distances of several trips.

        Parameters
        ----------
        origins, destinations, dist_dtype, out, progress, missing, also, avoid, only : as in
            `warpath.pairs`.
        """
        solver = self._restricted("pairs", avoid, only)
        names = checked_also(solver.graph, also, PAIR_COLUMNS)
        first, last, columns = ends_of_trips(origins, destinations)
        result = None
        if out is not None:
            result = pairs_left_there(
                solver._options,
                solver.graph,
                (first, last),
                out,
                dist_dtype,
                progress,
                missing,
                solver._route,
            )
        if result is None:
            question = asking.of_pairs(solver.graph, first, last, dist_dtype, progress, missing)
            if out is not None:
                check_out(out, question)
            result = question.with_snap_notes(
                pairs_of(solver._options, question, solver._runners().pairs, solver._route)
            )
            if out is not None:
                put_into(out, result)
        if names:
            result.also = {name: result._sums(name, also=True) for name in names}
        return result if columns is None else result.with_columns(columns)

    def loads(
        self,
        origins: Any,
        destinations: Any = None,
        trips: ArrayLike | None = None,
        *,
        ties: str = "canonical",
        through: Any = None,
        progress: Progress = None,
    ) -> Centrality:
        """Return how many trips lead over each edge.

        Parameters
        ----------
        origins, destinations, trips, ties, through, progress : as in `warpath.loads`.
        """
        first, last, columns = ends_of_trips(origins, destinations)
        numbers, name = numbers_of_trips(trips, columns)
        question = asking.of_pairs(self.graph, first, last, None, None, "raise")

        def find_pairs() -> Pairs:
            return pairs_of(self._options, question, self._runners().pairs, self._route)

        return loads_of(self._options, question, find_pairs, numbers, ties, through, progress, name)

    def accessibility(
        self,
        opportunities: Any,
        cutoffs: float | str | ArrayLike | None = None,
        *,
        origins: Any = None,
        weights: Any = None,
        decay: str | Callable[[Array], Any] = "step",
        beta: float | None = None,
        nearest: int | None = None,
        competition: str | None = None,
        demand: ArrayLike | None = None,
        by: Any = None,
        progress: Progress = None,
    ) -> Accessibility:
        """Return the weighted number of opportunities that each origin reaches.

        Parameters
        ----------
        opportunities, cutoffs, origins, weights, decay, beta : as in `warpath.accessibility`.
        nearest, competition, demand, by, progress : as in `warpath.accessibility`.
        """
        given = {
            "cutoffs": cutoffs,
            "weights": weights,
            "decay": decay,
            "beta": beta,
            "nearest": nearest,
            "competition": competition,
            "demand": demand,
            "by": by,
        }
        places = origins, opportunities
        return accessibility_of(self._options, self._runners(), self.graph, places, given, progress)

    def distances(
        self,
        sources: Any,
        targets: Any = None,
        *,
        cutoff: float | str | None = None,
        dist_dtype: DTypeLike | None = None,
        predecessors: bool = False,
        out: Any = None,
        progress: Progress = None,
        trace: bool = False,
        missing: str = "raise",
        also: Sequence[str] = (),
        avoid: Any = None,
        only: Any = None,
    ) -> DistanceTable:
        """Return the distances from several sources to several targets, or to every vertex.

        Parameters
        ----------
        sources, targets, cutoff, dist_dtype, predecessors, out, progress, trace, missing, also : as
            in `warpath.distances`.
        avoid, only : as in `warpath.path`.
        """
        solver = self._restricted("distances", avoid, only)
        columns = checked_also(solver.graph, also, TABLE_COLUMNS)
        question = asking.of_table(
            solver.graph,
            sources,
            targets,
            cutoff,
            dist_dtype,
            progress,
            missing=missing,
            out=out,
            predecessors=predecessors,
            trace=trace,
        )
        if columns:
            check_sums(solver._options, question, columns)
        table = table_of(solver._options, question, solver._runners().table, solver._route)
        if columns:
            table.also = sums_of_table(solver._options, question, table, columns, solved_pairs)
        return question.with_snap_notes(table)

    def apsp(
        self,
        *,
        dist_dtype: DTypeLike | None = None,
        predecessors: bool = False,
        out: Any = None,
        progress: Progress = None,
        trace: bool = False,
    ) -> DistanceTable:
        """Return the distances between all pairs of vertices.

        Parameters
        ----------
        dist_dtype, predecessors, out, progress, trace : as in `warpath.apsp`.
        """
        question = asking.of_all_pairs(
            self.graph, dist_dtype, progress, out=out, predecessors=predecessors, trace=trace
        )
        return table_of(self._options, question, self._runners().table)

    def totals(
        self,
        reduce: str | Sequence[str] | Reduction,
        *,
        sources: Any = None,
        targets: Any = None,
        cutoff: float | str | None = None,
        progress: Progress = None,
        missing: str = "raise",
    ) -> Totals:
        """Return what the distances from each source add up to, without a table of them.

        Parameters
        ----------
        reduce, sources, targets, cutoff, progress, missing : as in `warpath.totals`.
        """
        question = asking.of_table(
            self.graph, sources, targets, cutoff, progress=progress, missing=missing, every=True
        )
        return question.with_snap_notes(totals_of(self._options, question, reduce, self._runners()))

    def eccentricity(self, sources: Any = None, *, progress: Progress = None) -> Array:
        """Return the largest distance from each source to any vertex.

        Parameters
        ----------
        sources, progress : as in `warpath.eccentricity`.
        """
        totals = self.totals(("max", "count"), sources=sources, progress=progress)
        largest: Array = totals["max"].copy()
        largest[totals["count"] < self.graph.n] = unreachable(largest.dtype)
        return largest

    def diameter(self, *, progress: Progress = None) -> float:
        """Return the largest distance between two vertices.

        Parameters
        ----------
        progress : as in `warpath.diameter`.
        """
        largest: float = diameter_of(self._options, self.graph, self.eccentricity, progress).item()
        return largest

    def radius(self, *, progress: Progress = None) -> float:
        """Return the smallest eccentricity.

        Parameters
        ----------
        progress : as in `warpath.radius`.
        """
        least = least_of(self._options, self.graph, self.eccentricity, "radius", progress)[0]
        return least.item()  # type: ignore[no-any-return]

    def center(self, *, progress: Progress = None) -> Array:
        """Return the vertices of the smallest eccentricity.

        Parameters
        ----------
        progress : as in `warpath.center`.
        """
        _, vertices = least_of(self._options, self.graph, self.eccentricity, "center", progress)
        return self.graph.label_of(vertices)

    def dynamic(
        self, source: Any = None, *, sources: Any = None, algorithm: str = "auto"
    ) -> DynamicPaths:
        """Return shortest paths that stay right while edges change.

        The graph of the solver stays as it is. The options of the solver, without a preparation,
        are used where the paths are solved anew.

        Parameters
        ----------
        source, sources, algorithm : as in `warpath.DynamicPaths`.

        Examples
        --------
        >>> import warpath as wp
        >>> live = wp.Solver([(0, 1, 2), (1, 2, 5)]).dynamic(0)
        >>> live.insert([(0, 2)], [4]).new
        array([4])
        """
        from warpath.api.dynamic import DynamicPaths

        return DynamicPaths._of(self.graph, self._options, source, sources, algorithm)

    def nearest(
        self,
        facilities: Any,
        *,
        reverse: bool = False,
        cutoff: float | str | None = None,
        dist_dtype: DTypeLike | None = None,
        progress: Progress = None,
        missing: str = "raise",
    ) -> Nearest:
        """Find for every vertex the nearest of several facilities.

        Parameters
        ----------
        facilities, reverse, cutoff, dist_dtype, progress, missing : as in `warpath.nearest`.
        """
        question, absent = asking.of_facilities(
            self.graph, facilities, cutoff, dist_dtype, progress, reverse=reverse, missing=missing
        )
        result = self._runners().nearest(self._options, question)
        if absent is not None:
            result.missing = absent
        return question.with_snap_notes(result)

    def within(
        self,
        source: Any,
        cutoff: float | str | ArrayLike,
        *,
        reverse: bool = False,
        progress: Progress = None,
        avoid: Any = None,
        only: Any = None,
    ) -> Within:
        """Find the vertices within one or several distances of a source.

        Parameters
        ----------
        source, cutoff, reverse, progress, avoid, only : as in `warpath.within`.
        """
        solver = self._restricted("within", avoid, only)
        cutoffs = checked_cutoffs(cutoff, solver.graph)
        question = asking.of_sources_within(
            solver.graph, source, cutoffs, progress, reverse=reverse
        )
        return question.with_snap_notes(
            within_of(solver._options, question, cutoffs, solver._runners().nearest)
        )

    def with_weights(
        self,
        weights: ArrayLike,
        *,
        order: str = "edges",
        round: float | None = None,  # noqa: A002 - as in Graph.with_weights
        progress: Progress = None,
    ) -> Solver:
        """Return a prepared Solver of the same streets with new weights.

        The arcs that a hierarchy of these streets may need are found once, at the first call; each
        call then *customizes* them, that is, computes their weights. The new Solver shares them and
        has the same options. It answers as ``warpath.prepare(graph.with_weights(weights))`` does.

        Parameters
        ----------
        weights : (m,) numbers >= 0 in the order of ``graph.edges()``. Their type is kept. +inf
            closes an edge: the graph of the new Solver has fewer edges.
        order, round : as in `Graph.with_weights`. With floats whose sums are rounded, routes are
            searched in the graph, 50 times as long on New York as in its hierarchy; with
            ``round=1 / 64`` the hierarchy has them.
        progress : as in `sssp`; it counts the vertices of the first call.

        Raises
        ------
        NotSupportedError
            If this Solver is not prepared, or removing vertices makes the rest of the graph denser
            and denser.
        GraphError, WeightError, NegativeWeightError, DistanceOverflowError
            If the number of weights is not m, or a weight is NaN or negative, or their
            sums may not fit 64 bits.
        NotEnoughMemoryError
            If the call is predicted to take more than the free memory.

        Notes
        -----
        Source: Dibbelt, Strasser, Wagner, Customizable contraction hierarchies, 2014. On a road
        network of 264,346 vertices the first call takes a second more than the later ones.

        Examples
        --------
        >>> import warpath as wp
        >>> city = wp.prepare([(0, 1, 2), (1, 2, 5), (0, 2, 9)])
        >>> city.with_weights([2, 9, 50]).pairs([0], [2]).dist
        array([9])
        """
        threads = self._prepared_threads("with_weights")
        graph = new_weights.reweighted(
            self.graph, threads, weights, progress, order=order, step=round
        )
        return Solver(graph, **self._given_options())

    def with_changes(self, edges: Any, weights: ArrayLike, *, progress: Progress = None) -> Solver:
        """Return a prepared Solver of the same streets with new weights of a few edges.

        It answers as `with_weights` with all weights does, but only the arcs that the changes
        affect are computed. The first call keeps the weights of all arcs for the later ones. A
        graph with turns is prepared anew if an edge is closed.

        Parameters
        ----------
        edges : k different edges, in one of the forms that `Graph.without_edges` takes: numbers, a
            mask, a street's name, or sources and targets. An edge of an undirected graph has a
            number for each direction; its ends name both.
        weights : (k,) numbers >= 0 that fit the type of the graph's weights, or one for all edges.
            +inf closes an edge, also of integer weights: the graph of the new Solver lacks it.
        progress : as in `with_weights`, whose errors it raises; InputError for a wrong edge.

        Examples
        --------
        >>> import warpath as wp
        >>> city = wp.prepare([(0, 1, 2), (1, 2, 5), (0, 2, 9)])
        >>> city.with_changes([1], [3]).pairs([0], [2]).dist
        array([3])
        >>> city.with_changes([(0, 2), (1, 2)], [float("inf"), 8]).pairs([0], [2]).dist
        array([10])
        """
        threads = self._prepared_threads("with_changes")
        graph = new_weights.changed(self.graph, threads, edges, weights, progress)
        return Solver(graph, **self._given_options())

    def scenarios(self, weights: Mapping[Any, ArrayLike] | ArrayLike) -> Scenarios:
        """Return Solvers of the same streets, one for each of several sets of weights.

        Parameters
        ----------
        weights : ``{name: weights}``, a data frame with a column for each set, or an (h, m) array
            whose rows are numbered. Each set is as in `Graph.with_weights`; those of a prepared
            Solver are customized, as by `with_weights`, in 50 ms for New York.

        Returns
        -------
        Scenarios
            ``scenarios.pairs(origins, destinations)`` has a row for each set, and
            ``scenarios[name]`` is a Solver.
        """

        def solver_with(lengths: Any) -> Solver:
            if self._options.request.prepared:
                return self.with_weights(lengths)
            return Solver(self.graph.with_weights(lengths), **self._given_options())

        return Scenarios(weights, solver_with)

    def _prepared_threads(self, call: str) -> int:
        """Return the number of threads; raise NotSupportedError if the solver is not prepared."""
        request = self._options.request
        if not request.prepared:
            raise NotSupportedError(
                f"{call} needs a prepared Solver, and this one is not: use "
                f"warpath.prepare(graph).{call}(...), or "
                "warpath.Solver(graph.with_weights(weights)) without preparation."
            )
        return request.threads or settings.threads()

    def plan(
        self,
        source: Any = None,
        target: Any = None,
        *,
        sources: Any = None,
        targets: Any = None,
        origins: Any = None,
        destinations: Any = None,
        cutoff: float | str | None = None,
    ) -> Plan:
        """Return what would run and why, without running it.

        Parameters
        ----------
        source, target, sources, targets, origins, destinations, cutoff : as in `warpath.plan`.
        """
        graph = self.graph
        limit = checked_cutoff(cutoff, graph)
        options = with_hierarchy_if_faster(graph, self._options)
        entry, indices = graph.dist_dtype.itemsize, partial(as_indices, graph, empty=True)
        if origins is not None or destinations is not None:
            if origins is None:
                raise InputError("a plan of pairs needs origins= as well as destinations=.")
            first, last, _ = ends_of_trips(origins, destinations)
            starts, ends = indices(first, "origins"), indices(last, "destinations")
            size = size_of_pairs(options, starts, ends, entry)
        elif sources is not None:
            width = graph.n if targets is None else len(indices(targets, "targets"))
            size = Size(Task.MANY, len(indices(sources, "sources")), width, entry)
        elif source is None:
            size = Size(Task.APSP, graph.n, graph.n, entry)
        else:
            one_index(graph, source, "source")
            size = options.size_within(graph, limit)
            if target is not None:
                one_index(graph, target, "target")
                size = ONE_SOURCE._replace(task=Task.PATH)
        return options.plan(size, graph, anew=True)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the graph, its hierarchy and its labels to a file, which `warpath.load` reads.

        The write is atomic: an existing file is replaced when the new one is complete, and stays as
        it is for processes that have loaded it. Options, such as threads, are not written.

        Parameters
        ----------
        path : a name that ends in .wph.

        Raises
        ------
        InputError
            If the solver has no hierarchy, or the graph's labels are neither all strings nor all
            numbers.
        OutputError
            If the folder cannot be written to, or the disk is full.
        """
        preparing.save(self.graph, path)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the graph, the options and what was prepared: no process builds it again."""
        inner = search_graph(self.graph)
        return _restored, (
            self.graph,
            self._given_options(),
            hierarchy.arrays_of(inner),
            labels.arrays_of(inner),
            hub_labels.arrays_of(inner),
        )

    def _given_options(self) -> dict[str, Any]:
        """Return the options, as the constructor takes them."""
        return {name: getattr(self._options.request, name) for name in _OPTIONS}

    def __repr__(self) -> str:
        options = "".join(
            f", {name}={value!r}" for name, value in self._given_options().items() if value
        )
        return f"<Solver of {self.graph!r}{options}>"


_OPTIONS = ("device", "algorithm", "threads", "params", "prepared")


def _restored(
    graph: Graph,
    options: dict[str, Any],
    arrays: tuple[Any, ...] | None,
    of_labels: tuple[Any, ...] | None = None,
    of_hubs: tuple[Any, ...] | None = None,
) -> Solver:
    """Return a solver that was pickled."""
    if arrays is not None:
        hierarchy.keep(search_graph(graph), arrays)
    if of_labels is not None:
        labels.keep(search_graph(graph), of_labels)
    if of_hubs is not None:
        hub_labels.keep(search_graph(graph), of_hubs)
    return Solver(graph, **options)


def solver_of(
    graph: Any, algorithm: str | Recipe, device: Any, threads: int | None,
    params: dict[str, float] | None = None, *, prepared: bool | str = False,
) -> Solver:  # fmt: skip
    """Return the solver of one call, which leaves a graph where it is until it is solved."""
    solver = object.__new__(Solver)
    solver.graph = own = Graph.of(graph)
    solver._options = options_of(own, algorithm, device, threads, params, prepared=prepared)
    return solver


def not_a_graph(solver: Solver, **options: Any) -> Graph:  # noqa: ARG001 - called as a converter
    """Raise GraphError for a Solver in place of a graph, with the ways out."""
    raise GraphError(
        f"a {type(solver).__name__} is not a supported graph: call its method in place of the "
        "module's function, for example solver.pairs(...), or pass its graph, solver.graph."
    )
