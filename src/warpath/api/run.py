"""Running a plan, what all calls share of it, and the calls about one source."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from warpath.api.prepared import with_hierarchy_if_faster
from warpath.base.dtypes import unreachable
from warpath.base.errors import (
    DistanceOverflowError,
    MissingDependencyError,
    NegativeCycleError,
    NoDeviceError,
)
from warpath.base.progress import is_silent, watch
from warpath.engines import cpu
from warpath.engines.base import (
    Order,
    Problem,
    TableOrder,
    Trips,
    TripsOrder,
    WithDeviceResults,
    WithDivision,
    WithTotals,
)
from warpath.engines.planning import without_device
from warpath.engines.registry import capability, engine_of, required
from warpath.graph.facts import negative_weights
from warpath.graph.labels import one_label
from warpath.graph.point_sources import PointSources
from warpath.graph.solvable import SolvableGraph
from warpath.planner.kinds import kind_of
from warpath.results.paths import Paths
from warpath.results.point_paths import paths_from
from warpath.results.predecessors import searched, without_unreached
from warpath.results.predecessors import tree as predecessors
from warpath.results.trace import Trace, TracedRun

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warpath.api.options import OneSource, Options
    from warpath.api.question import Progress, Question
    from warpath.base.dtypes import Array
    from warpath.engines.base import Bound, Device, Raw
    from warpath.engines.staged.tiles import Tiles
    from warpath.graph import Graph
    from warpath.planner.plan import Plan
    from warpath.results.paths import DeviceResult


def run_plan(
    view: SolvableGraph,
    chosen: Plan,
    problem: Problem,
    *,
    out: Array | None = None,
    pred: Array | None = None,
    progress: Progress = None,
    trace: Trace | None = None,
    tiles: Tiles | None = None,
    stay: bool = False,
) -> tuple[Raw, dict[str, Any]]:
    """Run a plan; errors come back with the graph's own names.

    Parameters
    ----------
    problem : in vertices of the graph that is searched.
    stay : whether distances from one source may stay on the device that found them.
    """
    start = time.perf_counter()
    errors = _own_errors(view, chosen, None if out is None else out.dtype)
    with errors, watch(progress, chosen.recipe.name) as report:
        about, how = (chosen.recipe, view.inner), (chosen.threads, chosen.params)
        given: Any = {"progress": report, "trace": trace, "rows_on_host": chosen.rows_on_host}
        order: Order
        if isinstance(problem, Trips):
            order = TripsOrder(*about, problem, *how, out, **given)
        elif out is not None:
            order = TableOrder(*about, problem, *how, out, pred=pred, tiles=tiles, **given)
        else:
            order = Order(*about, problem, *how, **given)
        if chosen.among:
            raw = required(chosen.device, WithDivision).run_divided(order, chosen.among)
        else:
            raw = engine_of(chosen.device).run(order, chosen.device)
        if raw.device is not None and not stay:
            there = on_device(raw.dist, raw.device, chosen, order.graph, problem.source, None)
            raw.dist, raw.device = there.here(), None  # the caller applies the cutoff
    return raw, dict(raw.stats) | {"seconds": time.perf_counter() - start}


def run_totals(
    view: SolvableGraph, chosen: Plan, problem: Problem, names: tuple[str, ...], progress: Progress
) -> dict[str, Array] | None:
    """Return totals of the rows of a table that the plan's engine makes where it runs.

    None where the engine does not for this algorithm.

    Parameters
    ----------
    names : keys of `warpath.results.totals.NAMES`.
    """
    engine = capability(chosen.device, WithTotals)
    if engine is None:
        return None
    about, how = (chosen.recipe, view.inner), (chosen.threads, chosen.params)
    with _own_errors(view, chosen), watch(progress, chosen.recipe.name, "sources") as report:
        order = Order(*about, problem, *how, progress=report)
        return engine.totals(order, chosen.device, names)


@contextmanager
def _own_errors(
    view: SolvableGraph, chosen: Plan, dtype: np.dtype[Any] | None = None
) -> Iterator[None]:
    """Raise errors of an engine with the graph's own names, or with the way out."""
    try:
        yield
    except OverflowError as error:
        raise too_wide(error, dtype) from None
    except NegativeCycleError as error:
        names = view.graph.label_of(view.cycle(np.array(error.cycle))).tolist()
        raise NegativeCycleError(names, error.length) from None
    except (MissingDependencyError, NoDeviceError) as error:
        raise without_device(error, chosen) from error


def may_fit(view: SolvableGraph, problem: Problem) -> bool:
    """Return whether a distance that does not fit its type may be no part of the answer.

    It may lie beyond the cutoff, be the round trip of a closed vertex, or end at another vertex
    than the targets; or another source may reach a negative cycle. Then each source is searched
    from once more by `search` of `warpath.results.predecessors`, whose other distances need not
    fit.

    Parameters
    ----------
    view : the graph of the call.
    problem : that was run, in this graph or one made of it.
    """
    facts = view.inner.facts(symmetry=False)
    long = not facts.integer or 2 * facts.longest >= unreachable(view.inner.dist_dtype)
    apart = problem.cutoff is not None or view.inner is not view.graph
    cycle = facts.negative > 0 and len(problem.sources) > 1
    return apart or cycle or (long and problem.targets is not None)


def traced_run(
    chosen: Plan, graph: Graph, source: Any, dijkstra_edges: int, seconds: float
) -> TracedRun:
    """Return the description of a plan's traced run, without its time where that says nothing."""
    shown_seconds = seconds if kind_of(chosen.device).timed else 0.0
    return TracedRun.of(chosen, graph, source, dijkstra_edges, shown_seconds)


def _traced_search(
    view: SolvableGraph, chosen: Plan, s: int, labels: Array, seconds: float
) -> TracedRun:
    """Return the description of a traced search from one source, which has these labels."""
    inner, missed = view.inner, np.flatnonzero(labels == unreachable(labels.dtype))
    edges = inner.m - int((inner.indptr[missed + 1] - inner.indptr[missed]).sum())
    return traced_run(chosen, view.graph, one_label(view.graph, s), edges, seconds)


def on_device(
    labels: Array,
    device: Device,
    chosen: Plan,
    graph: Graph,
    source: int,
    cutoff: float | None,
    dtype: np.dtype[Any] | None = None,
) -> DeviceResult:
    """Return distances that a plan left on its device as a result; see `WithDeviceResults`."""
    dtype = graph.dist_dtype if dtype is None else dtype
    try:
        engine = required(chosen.device, WithDeviceResults)
        return engine.on_device(graph, source, labels, device, cutoff, dtype)
    except OverflowError as error:
        raise too_wide(error, np.dtype(np.int32)) from None


def with_own_names(plan: Plan, searched_graph: Graph, graph: Graph) -> Plan:
    """Return a plan whose note about negative weights is about a graph, not one made of it.

    Parameters
    ----------
    searched_graph : the graph that was planned for.
    """
    if searched_graph is graph or not graph.facts(symmetry=False).negative:
        return plan
    note, own = negative_weights(searched_graph), negative_weights(graph)
    return replace(plan, notes=tuple(own if line == note else line for line in plan.notes))


def counted(stats: dict[str, Any], dist: Array) -> dict[str, Any]:
    """Add how many vertices were reached; a loop that counts while it writes saves a pass."""
    if "reached" not in stats:
        stats["reached"] = int(np.count_nonzero(dist != unreachable(dist.dtype)))
    return stats


def narrowed(dist: Array, dtype: np.dtype[Any]) -> Array:
    """Return distances in the requested type, or raise DistanceOverflowError."""
    try:
        return cpu.fitting(dist, dtype)
    except OverflowError as error:
        raise too_wide(error, dtype) from None


def too_wide(error: OverflowError, dtype: np.dtype[Any] | None = None) -> DistanceOverflowError:
    """Return the error of a distance that does not fit, with the way out.

    Parameters
    ----------
    dtype : the type of the answer; None for the graph's own.
    """
    if dtype == np.int32:
        return DistanceOverflowError(f"{error}: leave dist_dtype out for 64 bits.")
    return DistanceOverflowError.of(error)


def paths_of(options: Options, question: Question) -> Paths:
    """Return the shortest paths from one source, in the reversed graph if `question.reverse`."""
    own, reverse = question.graph, question.reverse
    graph = own.reversed() if reverse else own
    try:
        if question.entries is not None:
            points = PointSources.of(own, question.entries[0], reverse=reverse)
            paths = _paths_from_point(points, options, question)
        else:
            options = options.for_reversed(own) if reverse else options
            options = with_hierarchy_if_faster(graph, options)
            bound = _bound_plan(graph, options, question)
            paths = _paths_from(graph, bound, int(question.sources[0]), question)
    except NegativeCycleError as error:
        if not reverse:
            raise
        raise NegativeCycleError(error.cycle[::-1], error.length) from None
    if reverse:
        paths.plan = with_own_names(cast("Plan", paths.plan), graph, own)
    return paths


def _bound_plan(graph: Graph, options: Options, question: Question) -> OneSource:
    if question.trace:
        options = options.but(graph, traced=True)
    return options.one_source(graph, cutoff=question.cutoff)


def _paths_from(graph: Graph, bound: OneSource, s: int, question: Question) -> Paths:
    """Return the paths from the vertex of index `s`."""
    quick = question.cutoff is None and question.dtype == graph.dist_dtype and not question.trace
    if quick and is_silent(question.progress):
        if bound.search is not None:
            distances = bound.search(s)
            if distances is not None:
                return _of_bound_search(graph, bound, s, *distances)
        start = time.perf_counter()
        solves = bound.on_gpu(graph)
        labels = None if solves is None else solves(s)
        if solves is not None and labels is not None:
            return _left_on_device(graph, bound, solves, s, labels, time.perf_counter() - start)
    return _solved_in_steps(graph, bound, s, question)


def _paths_from_point(points: PointSources, options: Options, question: Question) -> Paths:
    """Return the paths from a point along an edge, in the graph in which it is a vertex."""
    graph = points.searched
    options = options.but(graph, prepared=False)
    bound = _bound_plan(graph, options, question)
    try:
        paths = _paths_from(graph, bound, graph.n - 1, question)
    except NegativeCycleError as error:  # nothing leads to the point: all are the graph's own
        own = SolvableGraph(points.graph).cycle(np.array(error.cycle))
        raise NegativeCycleError(points.graph.label_of(own).tolist(), error.length) from None
    paths = paths_from(points, paths)
    paths.plan = with_own_names(cast("Plan", paths.plan), graph, points.graph)
    return paths


def _of_bound_search(graph: Graph, bound: OneSource, s: int, dist: Array, done: bytes) -> Paths:
    """Return the result of a bound search, of which the rest is made when it is first read."""

    def stats() -> dict[str, Any]:
        return counted(cpu.counters(done) | {"seconds": cpu.seconds(done)}, dist)

    return Paths(
        graph,
        s,
        dist,
        tree=lambda: predecessors(graph, s, dist, bound.team),
        plan=bound.plan._copied(),
        stats=stats,
    )


def _left_on_device(
    graph: Graph,
    bound: OneSource,
    solves: Bound,
    s: int,
    distances: tuple[Array, list[int]],
    seconds: float,
) -> Paths:
    """Return a result whose distances stay on the device that computed them."""
    labels, words = distances
    engine = required(bound.plan.device, WithDeviceResults)
    there = engine.on_device(graph, s, labels, solves.device, None, graph.dist_dtype)
    return Paths(
        graph,
        s,
        None,
        tree=there.pred_here,
        plan=bound.plan._copied(),
        stats=lambda: solves.counters(words) | {"seconds": seconds},
        there=there,
    )


def _solved_in_steps(graph: Graph, bound: OneSource, s: int, question: Question) -> Paths:
    """Solve where distances have to be cut, folded or narrowed, or progress to be reported."""
    view, cutoff, chosen = SolvableGraph(graph), question.cutoff, bound.plan._copied()
    inner, problem = view.inner, Problem(question.task, np.array([s]), cutoff=cutoff)
    rounds = Trace() if question.trace else None
    # Under negative weights a route within the cutoff may pass a vertex beyond it.
    beyond = cutoff is not None and inner.facts(symmetry=False).negative > 0
    stay = rounds is None and not beyond and bound.stays
    try:
        raw, stats = run_plan(
            view, chosen, problem, progress=question.progress, trace=rounds, stay=stay
        )
    except DistanceOverflowError:
        if not may_fit(view, problem):
            raise
        return _searched_paths(graph, chosen, s, question, rounds)
    if raw.device is not None:
        there = on_device(raw.dist, raw.device, chosen, graph, s, cutoff, question.dtype)
        return Paths(
            graph,
            s,
            None,
            tree=there.pred_here,
            cutoff=cutoff,
            plan=chosen,
            stats=stats,
            there=there,
        )
    dist = cpu.cut(raw.dist, cutoff)
    home = view.fold(dist, s)
    if graph.turns:
        stats.pop("reached", None)  # it counts edges
    counted(stats, home if graph.turns else dist)
    if rounds is not None:
        rounds.run = _traced_search(view, chosen, s, raw.dist, stats["seconds"])
        stats |= asdict(rounds.totals())

    def through() -> Array:
        labels = raw.dist if beyond else dist
        return view.fold_tree(predecessors(inner, s, labels, bound.team), s)

    def tree() -> Array:
        return without_unreached(through(), home) if beyond else through()

    labels = narrowed(home, question.dtype)
    labels.flags.writeable = False
    return Paths(
        graph,
        s,
        labels,
        tree=tree,
        through=through if beyond else None,
        cutoff=cutoff,
        plan=chosen,
        stats=stats,
        trace=rounds,
    )


def _searched_paths(
    graph: Graph, chosen: Plan, s: int, question: Question, rounds: Trace | None
) -> Paths:
    """Return the paths of a search whose distances that are no part of them need not fit."""
    start, cutoff = time.perf_counter(), question.cutoff
    try:
        dist, through = searched(graph, s, cutoff)
    except OverflowError as error:
        raise DistanceOverflowError.of(error) from None
    stats = counted({"seconds": time.perf_counter() - start}, dist)
    labels = narrowed(dist, question.dtype)
    labels.flags.writeable = False
    return Paths(
        graph,
        s,
        labels,
        tree=lambda: without_unreached(through, dist),
        through=lambda: through,
        cutoff=cutoff,
        plan=chosen,
        stats=stats,
        trace=rounds,
    )
