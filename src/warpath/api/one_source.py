"""Solving one source by a plan."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.api.run import (
    counted,
    narrowed,
    on_device,
    run_plan,
    traced_run,
    with_own_names,
)
from warpath.base.dtypes import unreachable
from warpath.base.errors import DistanceOverflowError, NegativeCycleError
from warpath.base.progress import is_silent
from warpath.engines import cpu
from warpath.engines.base import Problem
from warpath.engines.registry import engine_of
from warpath.graph.labels import one_label
from warpath.graph.zones import folded, folded_tree, opened
from warpath.recipes import Task
from warpath.results.paths import Paths, paths_found
from warpath.results.point_paths import paths_from
from warpath.results.predecessors import searched, without_unreached
from warpath.results.predecessors import tree as predecessors
from warpath.results.trace import Trace

if TYPE_CHECKING:
    from warpath.api.bound_plans import OneSource
    from warpath.api.options import Options
    from warpath.api.run import Progress
    from warpath.base.dtypes import Array
    from warpath.engines.cuda.engine import Bound
    from warpath.graph import Graph
    from warpath.graph.point_sources import PointSources


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
