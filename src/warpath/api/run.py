"""Running a plan: what all calls share."""

from __future__ import annotations

import time
from contextlib import nullcontext
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base.dtypes import unreachable
from warpath.base.errors import (
    DistanceOverflowError,
    MissingDependencyError,
    NegativeCycleError,
    NoDeviceError,
    NotSupportedError,
)
from warpath.base.progress import is_silent, watch
from warpath.engines import cpu
from warpath.engines.base import Order, Problem
from warpath.engines.registry import engine_of
from warpath.graph.facts import negative_weights
from warpath.graph.labels import one_label
from warpath.graph.zones import folded, folded_tree, opened
from warpath.planner.kinds import kind_of
from warpath.recipes import CATALOGUE, Task
from warpath.results.paths import Paths, paths_found
from warpath.results.point_paths import paths_from
from warpath.results.predecessors import searched, without_unreached
from warpath.results.predecessors import tree as predecessors
from warpath.results.trace import Trace, TracedRun

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.base.dtypes import Array
    from warpath.engines.base import Bound, Raw
    from warpath.engines.staged.tiles import Tiles
    from warpath.graph import Graph
    from warpath.planner.plan import Plan
    from warpath.results.paths import DeviceResult

    Progress = bool | Callable[[int, int], None] | None
    from warpath.api.options import OneSource, Options
    from warpath.graph.point_sources import PointSources


_FEW = 4  # algorithms that a message lists

_SILENT = nullcontext()  # entered in a tenth of the time of `watch`, which counts on tiny graphs


def run_plan(
    graph: Graph,
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
    stay : whether distances from one source may stay on the device that found them.
    """
    start = time.perf_counter()
    try:
        with _SILENT if is_silent(progress) else watch(progress, chosen.recipe.name) as report:
            order = Order(
                chosen.recipe,
                opened(graph),
                problem,
                chosen.threads,
                chosen.params,
                out,
                report,
                trace,
                pred=pred,
                tiles=tiles,
                among=chosen.among,
                rows_on_host=chosen.rows_on_host,
            )
            raw = engine_of(chosen.device).run(order, chosen.device)
            if raw.device is not None and not stay:
                there = on_device(raw, chosen, order.graph, problem.source, None)
                raw.dist, raw.device = there.here(), None  # the caller applies the cutoff
    except NegativeCycleError as error:
        names = graph.label_of(np.array(error.cycle)).tolist()
        raise NegativeCycleError(names, error.length) from None
    except (MissingDependencyError, NoDeviceError) as error:
        raise without_device(error, chosen) from error
    except OverflowError as error:
        raise too_wide(error, None if out is None else out.dtype) from None
    return raw, dict(raw.stats) | {"seconds": time.perf_counter() - start}


def without_device(error: NotSupportedError, chosen: Plan) -> NotSupportedError:
    """Return the error for a device that cannot be used, with algorithms that run without it."""
    recipe = chosen.recipe
    others = [
        other.name
        for other in CATALOGUE.planned
        if cpu.name in other.devices and not other.prepared and other.solves & recipe.solves
    ]
    if cpu.name in recipe.devices or not others:
        return error
    msg = (
        f"{recipe.name} runs on GPUs only, and {error}. On a CPU these "
        f"run: {', '.join(others[:_FEW])}; or, for small graphs, device='emulated'."
    )
    return type(error)(msg)


def traced_run(
    chosen: Plan, graph: Graph, source: Any, dijkstra_edges: int, seconds: float
) -> TracedRun:
    """Return the description of a plan's traced run, without its time where that says nothing."""
    known = seconds if kind_of(chosen.device).timed else 0.0
    return TracedRun.of(chosen, graph, source, dijkstra_edges, known)


def run_totals(
    graph: Graph, chosen: Plan, problem: Problem, names: tuple[str, ...], progress: Progress
) -> dict[str, Array] | None:
    """Return totals of the rows of a table that the plan's engine makes where it runs.

    None where the engine does not for this algorithm.

    Parameters
    ----------
    names : keys of `warpath.results.totals.NAMES`.
    """
    try:
        with watch(progress, chosen.recipe.name, "sources") as report:
            order = Order(
                chosen.recipe,
                opened(graph),
                problem,
                chosen.threads,
                chosen.params,
                progress=report,
            )
            return engine_of(chosen.device).totals(order, chosen.device, names)
    except (MissingDependencyError, NoDeviceError) as error:
        raise without_device(error, chosen) from error
    except OverflowError as error:
        raise too_wide(error) from None


def on_device(
    raw: Raw,
    chosen: Plan,
    graph: Graph,
    source: int,
    cutoff: float | None,
    dtype: np.dtype[Any] | None = None,
) -> DeviceResult:
    """Return distances that a plan left on its device as a result; see `Engine.on_device`."""
    assert raw.device is not None  # noqa: S101 - the caller has looked
    dtype = graph.dist_dtype if dtype is None else dtype
    try:
        engine = engine_of(chosen.device)
        return engine.on_device(graph, source, raw.dist, raw.device, cutoff, dtype)
    except OverflowError as error:
        raise too_wide(error, np.dtype(np.int32)) from None


def with_own_names(plan: Plan, searched: Graph, graph: Graph) -> Plan:
    """Return a plan whose note about negative weights is about a graph, not one made of it.

    Parameters
    ----------
    searched : the graph that was planned for.
    """
    if searched is graph or not searched.facts(symmetry=False).negative:
        return plan
    note, own = negative_weights(searched), negative_weights(graph)
    return replace(plan, notes=tuple(own if each == note else each for each in plan.notes))


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


class SourceRequest(NamedTuple):
    """What a call requests of one source.

    Attributes
    ----------
    limit : the cutoff, or None.
    dtype : of the distances.
    trace : whether the rounds are traced.
    """

    limit: float | None
    dtype: np.dtype[Any]
    trace: bool = False


def solve_one(
    graph: Graph, one: OneSource, s: int, request: SourceRequest, progress: Progress
) -> Paths:
    """Solve from the vertex of index `s`."""
    limit, dtype, trace = request
    if limit is None and dtype == graph.dist_dtype and not trace and is_silent(progress):
        if one.search is not None:
            found = one.search(s)
            if found is not None:
                dist, done = found
                return paths_found(graph, s, dist, done, one)
        start = time.perf_counter()
        solves = one.on_gpu(graph)
        labels = None if solves is None else solves(s)
        if solves is not None and labels is not None:
            return _left_there(graph, one, solves, s, labels, time.perf_counter() - start)
    return _solved_in_steps(graph, one, s, request, progress)


def solve_from_point(
    points: PointSources, options: Options, request: SourceRequest, progress: Progress
) -> Paths:
    """Solve from a point along an edge, in the graph in which it is a vertex."""
    searched = points.searched
    options = options.for_graph(searched)
    one = options.one_source(searched, trace=request.trace, cutoff=request.limit)
    try:
        found = solve_one(searched, one, searched.n - 1, request, progress)
    except NegativeCycleError as error:  # nothing leads to the point: all are the graph's own
        names = points.graph.label_of(np.array(error.cycle)).tolist()
        raise NegativeCycleError(names, error.length) from None
    paths = paths_from(points, found)
    paths.plan = with_own_names(paths.plan, searched, points.graph)
    return paths


def _searched_again(
    graph: Graph, one: OneSource, s: int, request: SourceRequest, rounds: Trace | None
) -> Paths:
    """Solve where a distance did not fit that may be no part of the answer.

    It may lie beyond the cutoff, or be a round trip to a closed source.
    """
    start = time.perf_counter()
    try:
        dist, through = searched(graph, s, request.limit)
    except OverflowError as error:
        raise DistanceOverflowError.of(error) from None
    stats = counted({"seconds": time.perf_counter() - start}, dist)
    labels = narrowed(dist, request.dtype)
    labels.flags.writeable = False
    return Paths(
        graph,
        s,
        labels,
        tree=lambda: without_unreached(through, dist),
        through=lambda: through,
        cutoff=request.limit,
        plan=one.plan.again(),
        stats=stats,
        trace=rounds,
    )


def _left_there(
    graph: Graph,
    one: OneSource,
    solves: Bound,
    s: int,
    found: tuple[Array, list[int]],
    seconds: float,
) -> Paths:
    """Return a result whose distances stay on the device that computed them."""
    labels, words = found
    engine = engine_of(one.plan.device)
    there = engine.on_device(graph, s, labels, solves.device, None, graph.dist_dtype)
    return Paths(
        graph,
        s,
        None,
        tree=there.pred_here,
        plan=one.plan.again,
        stats=lambda: solves.counters(words) | {"seconds": seconds},
        there=there,
    )


def _solved_in_steps(
    graph: Graph, one: OneSource, s: int, request: SourceRequest, progress: Progress
) -> Paths:
    """Solve where distances have to be cut, folded or narrowed, or progress to be reported."""
    inner, limit, chosen = opened(graph), request.limit, one.plan.again()
    problem = Problem(Task.SSSP, np.array([s]), cutoff=limit)
    rounds = Trace() if request.trace else None
    # Under negative weights a route within the cutoff may pass a vertex beyond it.
    beyond = limit is not None and inner.facts(symmetry=False).negative > 0
    stay = rounds is None and not beyond and one.stays
    try:
        raw, stats = run_plan(graph, chosen, problem, progress=progress, trace=rounds, stay=stay)
    except DistanceOverflowError:
        if limit is None and s >= graph.first_through:
            raise
        return _searched_again(graph, one, s, request, rounds)
    if raw.device is not None:
        there = on_device(raw, chosen, graph, s, limit, request.dtype)
        return Paths(
            graph,
            s,
            None,
            tree=there.pred_here,
            cutoff=limit,
            plan=chosen,
            stats=stats,
            there=there,
        )
    dist = cpu.cut(raw.dist, limit)
    counted(stats, dist)
    if rounds is not None:
        missed = np.flatnonzero(raw.dist == unreachable(dist.dtype))
        edges = inner.m - int((inner.indptr[missed + 1] - inner.indptr[missed]).sum())
        rounds.run = traced_run(chosen, graph, one_label(graph, s), edges, stats["seconds"])
        stats |= asdict(rounds.totals())

    home = folded(graph, dist, s)

    def through() -> Array:
        found = predecessors(inner, s, raw.dist if beyond else dist, one.team)
        return folded_tree(graph, found, s)

    def tree() -> Array:
        return without_unreached(through(), home) if beyond else through()

    labels = narrowed(home, request.dtype)
    labels.flags.writeable = False
    return Paths(
        graph,
        s,
        labels,
        tree=tree,
        through=through if beyond else None,
        cutoff=limit,
        plan=chosen,
        stats=stats,
        trace=rounds,
    )
