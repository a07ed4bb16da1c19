"""The nearest of several facilities for every vertex, and the vertices within some distances."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import _core
from warpath.api.options import ONE_SOURCE
from warpath.api.prepared import with_hierarchy_if_faster
from warpath.api.run import may_fit, narrowed, paths_of, run_plan, with_own_names
from warpath.base.dtypes import unreachable
from warpath.base.errors import DistanceOverflowError, NegativeCycleError
from warpath.base.progress import watch
from warpath.engines import cpu
from warpath.engines.base import Problem
from warpath.engines.hierarchy import hierarchy_of
from warpath.graph import Graph
from warpath.graph.arguments import distinct
from warpath.graph.checks import index_dtype
from warpath.graph.csr import checked_rows
from warpath.graph.point_sources import PointSources
from warpath.graph.raster_graph import RasterGraph
from warpath.graph.search_vertices import arrivals
from warpath.graph.solvable import SolvableGraph, search_graph
from warpath.planner.cpu_model import reach
from warpath.planner.request import DEFAULT
from warpath.recipes import Loop, Task
from warpath.results.nearest import Nearest
from warpath.results.predecessors import search
from warpath.results.within import NearVertices, Within

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from warpath.api.options import Options
    from warpath.api.question import Question
    from warpath.base.dtypes import Array
    from warpath.engines.base import Raw
    from warpath.planner.plan import Plan
    from warpath.results.paths import Paths

    Solve = Callable[[Options, Question], Nearest]

#: The algorithm for few vertices within a cutoff.
OF_FEW = "classic.dijkstra"
#: They are few up to a 16th of all: on New York's roads the search of all vertices is faster beyond
#: a 10th, on one thread and on two.
_FEW, _FEW_AT_LEAST = 16, 1000
_BYTES = 80  # of a search, for each vertex that it may meet


def within_of(options: Options, question: Question, cutoffs: Array, solve: Solve) -> Within:
    """Find the vertices within distances of one or several sources; see `warpath.within`.

    Parameters
    ----------
    cutoffs : as `warpath.results.within.checked_cutoffs` returns them.
    """
    starts = question.sources
    points = question.entries is not None and len(starts) > 1
    several = points or (starts != starts[0]).any()

    def search() -> Paths | Nearest:
        return solve(options, question) if several else paths_of(options, question)

    nearby = _few(options, question)
    if nearby is None:
        result = search()
        nearby = NearVertices.of(result)
        return Within(
            question.graph, cutoffs, starts, nearby, lambda: result, reverse=question.reverse
        )
    return Within(question.graph, cutoffs, starts, nearby, search, reverse=question.reverse)


def _few(options: Options, question: Question) -> NearVertices | None:
    """Search in proportion to the number of vertices within the cutoff; None where that is large.

    None also where options ask for something else, and in graphs whose distances are to be folded.
    """
    graph, cutoff = question.graph, question.cutoff
    few = few_expected(options, question, graph)
    if few is None or cutoff is None:
        return None
    most, part = few
    oriented = graph.reversed() if question.reverse else graph
    start = time.perf_counter()
    with watch(question.progress, OF_FEW) as report:
        nearby = cpu.vertices_within(oriented, question.sources, cutoff, most, report)
    if nearby is None:
        return None
    indices, dist, stats = nearby
    plan = plan_of_few(options, graph, part, _BYTES * most)
    stats |= {"reached": len(indices), "seconds": time.perf_counter() - start}
    return NearVertices(indices, dist, plan, stats)


def few_expected(options: Options, question: Question, graph: Graph) -> tuple[int, float] | None:
    """Return how many vertices are few, and the part of them expected within a question's cutoff.

    None where that is more, where options ask for something else, and in graphs whose distances are
    to be folded.

    Parameters
    ----------
    graph : the graph of the options.
    """
    cutoff, request = question.cutoff, options.request
    if cutoff is None or question.entries is not None or search_graph(graph) is not graph:
        return None
    if (
        request.algorithm != "auto"
        or request.params
        or options.on_cluster
        or options.one_device() not in {"auto", DEFAULT}
    ):
        return None
    facts = graph.facts(symmetry=False)
    most = max(graph.n // _FEW, _FEW_AT_LEAST)
    part = reach(cutoff, facts)
    return None if facts.negative or part * graph.n > 2 * most else (most, part)


def plan_of_few(options: Options, graph: Graph, part: float, bytes_: int) -> Plan:
    """Return the plan of a search for few vertices, a part of all."""
    own = options.but(graph, algorithm=OF_FEW, device=DEFAULT, threads=1, prepared=False)
    plan = own.plan(ONE_SOURCE._replace(reach=part), graph)
    vars(plan).update(reason="few vertices are within the cutoff", bytes=bytes_)
    return plan


def nearest_of(options: Options, question: Question) -> Nearest:
    """Find for every vertex the nearest of several facilities; see `warpath.nearest`."""
    graph, cutoff, facilities = question.graph, question.cutoff, question.sources
    oriented = graph.reversed() if question.reverse else graph
    view, points = SolvableGraph(oriented), None
    if question.entries is not None:
        points = PointSources.of(graph, question.entries[0], reverse=question.reverse)
    in_search = facilities if points is None else points.vertices
    inner = view.inner if points is None else points.searched
    starts, _ = distinct(in_search)
    chosen = None
    if points is None:
        own = options.for_reversed(graph) if question.reverse else options
        chosen = _sweep(view, own, cutoff)
    if chosen is not None:
        problem = Problem(Task.SSSP, starts, cutoff=cutoff)
        raw, stats = run_plan(view, chosen, problem, progress=question.progress)
        labels, owner = raw.dist, _owners(raw, view, starts)
    else:
        labels, owner, chosen, stats = _searched(view, inner, options, starts, question)
    # Only now, as under negative weights a path may lead through vertices beyond the cutoff.
    labels = cpu.cut(labels, cutoff)
    chosen = with_own_names(chosen, oriented, graph)
    owner[labels == unreachable(labels.dtype)] = -1
    labels, owner = _folded(view, inner, starts, labels, owner)
    dist = narrowed(labels, question.dtype)
    rows = None
    if points is not None:
        _, first = np.unique(in_search, return_index=True)
        rows = np.where(owner < 0, -1, first[np.searchsorted(starts, np.maximum(owner, starts[0]))])
        owner = np.where(rows < 0, -1, facilities[rows]).astype(graph.indices.dtype)
    dist.flags.writeable = owner.flags.writeable = False
    stats["reached"] = int(np.count_nonzero(dist != unreachable(dist.dtype)))
    return Nearest(
        graph,
        facilities,
        dist,
        owner,
        reverse=question.reverse,
        cutoff=cutoff,
        plan=chosen,
        stats=stats,
        rows=rows,
        points=points,
    )


def _sweep(view: SolvableGraph, options: Options, cutoff: float | None) -> Plan | None:
    """Return the plan of a sweep down the graph's hierarchy if that is what should run."""
    graph = view.graph
    options = with_hierarchy_if_faster(graph, options)
    named = options.request.recipe
    if not options.request.prepared and (named is None or not named.prepared):
        return None
    plan = options.plan(options.size_within(graph, cutoff), graph)
    able = plan.recipe.prepared and hierarchy_of(view.inner, plan.threads) is not None
    return plan if able else None


def _owners(raw: Raw, view: SolvableGraph, starts: NDArray[np.int64]) -> Array:
    """Return the facility of each vertex of the graph that is searched after a sweep."""
    if raw.owners is not None:
        return raw.owners
    return np.full(len(raw.dist), starts[0], view.inner.indices.dtype)  # the only one


def _searched(
    view: SolvableGraph,
    inner: Graph,
    options: Options,
    starts: NDArray[np.int64],
    question: Question,
) -> tuple[Array, Array, Plan, dict[str, Any]]:
    """Search from a vertex more, which has edges to the facilities.

    Parameters
    ----------
    inner : the graph that is searched, with a vertex for each point along an edge.
    starts : the facilities in `inner`, in ascending order.

    Returns
    -------
    labels, owner : of the vertices of `inner`; labels beyond the cutoff may be left.
    plan, stats : what ran, and its counters.
    """
    graph, cutoff = view.graph, question.cutoff
    size = options.size_within(graph, cutoff)
    if isinstance(inner, RasterGraph):
        chosen = options.plan(size, graph)
        if chosen.device == DEFAULT and chosen.recipe.loop is Loop.BUCKET_TEAM:
            return _over_costs(inner, chosen, starts, question)
    started = with_a_start(inner, starts)
    if inner is view.inner:
        if options.request.prepared or graph is not question.graph:  # each way has plans of its own
            options = options.but(graph, prepared=False)
        chosen = options.plan(size, started, facilities=len(starts))
    else:
        chosen = options.but(started, prepared=False).plan(size, started)
    chosen = with_own_names(chosen, started, graph)
    problem = Problem(Task.SSSP, np.array([inner.n]), cutoff=cutoff)
    start = time.perf_counter()
    try:
        raw, stats = run_plan(SolvableGraph(started), chosen, problem, progress=question.progress)
        labels, owner = _with_owners(inner, starts, raw.dist)
    except DistanceOverflowError:
        if not may_fit(view, problem):
            raise
        labels, owner = _searched_labels(view, inner, started, starts, cutoff)
        stats = {"seconds": time.perf_counter() - start}
    except NegativeCycleError as error:  # nothing leads to the start: all are the graph's own
        own = view.cycle(np.array(error.cycle[::-1] if question.reverse else error.cycle))
        raise NegativeCycleError(graph.label_of(own).tolist(), error.length) from None
    return labels, owner, chosen, stats


def _over_costs(
    graph: RasterGraph, plan: Plan, starts: NDArray[np.int64], question: Question
) -> tuple[Array, Array, Plan, dict[str, Any]]:
    """Return the same of a raster's graph, whose edges are not made."""
    start = time.perf_counter()
    with watch(question.progress, plan.recipe.name) as report:
        labels, owner, stats = cpu.nearest_in_raster(
            graph, starts, plan.params["delta"], plan.threads, question.cutoff, report
        )
    return labels, owner, plan, stats | {"seconds": time.perf_counter() - start}


def with_a_start(graph: Graph, facilities: NDArray[np.int64]) -> Graph:
    """Return a graph with one vertex more, from which edges of length 0 lead to some vertices."""
    weights, columns, count = graph._solver_weights, graph.indices, len(facilities)
    rows = checked_rows(
        np.concatenate((graph.indptr, (len(columns) + count,))),
        np.concatenate((columns, facilities), dtype=index_dtype(graph.n + 1), casting="unsafe"),
        np.concatenate((weights, np.zeros(count, weights.dtype))),
        copied=False,
    )
    return Graph(*rows)


def _with_owners(graph: Graph, facilities: NDArray[np.int64], labels: Array) -> tuple[Array, Array]:
    """Return the labels of a graph's own vertices, and the facility that each belongs to.

    Parameters
    ----------
    graph : without turns and closed vertices.
    labels : of the graph that `with_a_start` makes of it, not cut.
    """
    labels = np.ascontiguousarray(labels[: graph.n])
    owner = np.empty(graph.n, graph.indices.dtype)
    _core.nearest_sources(*graph._solver_rows, facilities, labels, owner, progress=None)
    return labels, owner


def _searched_labels(
    view: SolvableGraph,
    inner: Graph,
    started: Graph,
    facilities: NDArray[np.int64],
    cutoff: float | None,
) -> tuple[Array, Array]:
    """Return labels and owners of a search whose sums that are no part of them need not fit.

    They lie beyond the cutoff, or lead back to a closed facility; see `run.may_fit`.

    Parameters
    ----------
    inner : as in `_searched`.
    started : the graph that `with_a_start` makes of it.
    """
    graph = view.graph
    if graph.turns is None:
        closed = facilities[(facilities < graph.first_through) & (not graph.areas)]
        ends = np.delete(np.arange(inner.n), arrivals(graph, closed))
    else:
        ends = view.arrivals(np.arange(graph.n))
    try:
        labels, _ = search(started, inner.n, cutoff, ends)
    except OverflowError as error:
        raise DistanceOverflowError.of(error) from None
    if not inner.facts(symmetry=False).negative:
        return _with_owners(inner, facilities, labels)
    labels = labels[: inner.n]
    owner = np.full(inner.n, -1, inner.indices.dtype)
    for facility in facilities[::-1].tolist():
        row, _ = search(inner, facility, cutoff, ends[:0])
        owner[row == labels] = facility
    return labels, owner


def _folded(
    view: SolvableGraph, inner: Graph, facilities: NDArray[np.int64], labels: Array, owner: Array
) -> tuple[Array, Array]:
    """Return what belongs to the graph's own vertices, (n,) each, from those of `inner`.

    Where a path may not pass through, what arrives there is a label of its own; but a facility is
    at 0 from itself.
    """
    graph = view.graph
    dist, nearest = (view.fold(values[: view.inner.n], None) for values in (labels, owner))
    if graph.turns is not None or graph.areas or not graph.first_through:
        return dist, nearest
    own = facilities[facilities < graph.first_through]
    first = np.minimum(own, np.where((dist[own] == 0) & (nearest[own] >= 0), nearest[own], own))
    own_is_nearest = dist[own] >= 0
    nearest[own] = np.where(own_is_nearest, first, nearest[own])
    dist[own] = np.minimum(dist[own], 0)
    # A round trip does not count.
    for vertex in own[(dist[own] < 0) & (nearest[own] == own)].tolist():
        end, others = view.arrivals(np.array([vertex])), facilities[facilities != vertex].tolist()
        by_others = [(search(inner, other, None, end)[0][end[0]], other) for other in others]
        dist[vertex], nearest[vertex] = min([(dist.dtype.type(0), vertex), *by_others])
    return dist, nearest
