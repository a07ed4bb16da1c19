"""The nearest of several facilities, for every vertex."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import _core
from warpath.api.prepared import decided
from warpath.api.run import (
    SourceRequest,
    narrowed,
    run_plan,
    solve_from_point,
    solve_one,
    with_own_names,
)
from warpath.base.dtypes import unreachable
from warpath.base.errors import DistanceOverflowError, NegativeCycleError
from warpath.engines import cpu
from warpath.engines.base import Problem, Raw
from warpath.engines.hierarchy import hierarchy_of
from warpath.graph import Graph
from warpath.graph.arguments import as_indices, checked_cutoff
from warpath.graph.csr import kept_rows
from warpath.graph.places import Snapped, noted, snapped
from warpath.graph.point_sources import PointSources
from warpath.graph.turns import refuse_turns
from warpath.graph.zones import opened
from warpath.recipes import Task
from warpath.results.nearest import Nearest
from warpath.results.predecessors import search
from warpath.results.within import Within

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.api.options import Options
    from warpath.api.run import Progress
    from warpath.base.dtypes import Array
    from warpath.planner.plan import Plan


def nearest_of(
    graph: Graph,
    options: Options,
    facilities: NDArray[np.int64],
    limit: float | None,
    dtype: np.dtype[Any],
    progress: Progress,
    *,
    reverse: bool,
    ends: Snapped | None = None,
) -> Nearest:
    """Find for every vertex the nearest of several facilities; see `warpath.nearest`.

    Parameters
    ----------
    facilities : (k,) their indices, in the order of the call; of points along edges the nearer
        ends.
    limit, dtype : the cutoff, and the type of the distances.
    ends : the facilities, where some are points along edges; else None.
    """
    refuse_turns(graph, "nearest")
    if options.on_cluster():
        from warpath.api.clustered import clustered_nearest

        return clustered_nearest(
            graph, options, facilities, limit, dtype, progress, reverse=reverse, ends=ends
        )
    way = graph.reversed() if reverse else graph
    points = None if ends is None else PointSources.of(graph, ends, reverse=reverse)
    in_search = facilities if points is None else points.vertices
    inner = opened(way) if points is None else points.searched
    starts, first = np.unique(in_search, return_index=True)
    chosen = None
    if points is None:
        chosen = _swept_by(way, options.for_reversed(graph) if reverse else options, limit)
    if chosen is not None:
        raw, stats = run_plan(
            way, chosen, Problem(Task.SSSP, starts, cutoff=limit), progress=progress
        )
        labels, owner = raw.dist, _owners(raw, way, starts)
    else:
        labels, owner, chosen, stats = _searched(
            way, inner, options, starts, limit, progress, reverse=reverse
        )
    # Only now, as under negative weights a path may lead through vertices beyond the cutoff.
    labels = cpu.cut(labels, limit)
    chosen = with_own_names(chosen, way, graph)
    owner[labels == unreachable(labels.dtype)] = -1
    labels, owner = _at_facilities(way, inner, starts, labels, owner)
    dist = narrowed(labels, dtype)
    rows = None
    if points is not None:
        rows = np.where(owner < 0, -1, first[np.searchsorted(starts, np.maximum(owner, starts[0]))])
        owner = np.where(rows < 0, -1, facilities[rows]).astype(graph.indices.dtype)
    dist.flags.writeable = owner.flags.writeable = False
    stats["reached"] = int(np.count_nonzero(dist != unreachable(dist.dtype)))
    return Nearest(
        graph,
        facilities,
        dist,
        owner,
        reverse=reverse,
        cutoff=limit,
        plan=chosen,
        stats=stats,
        rows=rows,
        points=points,
    )


def _swept_by(way: Graph, options: Options, limit: float | None) -> Plan | None:
    """Return the plan of a sweep down the graph's hierarchy if that is what should run."""
    options = decided(way, options)
    named = options.wish.recipe
    if not options.wish.prepared and (named is None or not named.prepared):
        return None
    plan = options.plan(options.size_within(way, limit), way)
    able = plan.recipe.prepared and hierarchy_of(opened(way), plan.threads) is not None
    return plan if able else None


def _owners(raw: Raw, way: Graph, starts: NDArray[np.int64]) -> Array:
    """Return the facility of each vertex of the opened graph after a sweep."""
    if raw.owners is not None:
        return raw.owners
    return np.full(len(raw.dist), starts[0], opened(way).indices.dtype)  # the only one


def _searched(
    way: Graph,
    inner: Graph,
    options: Options,
    starts: NDArray[np.int64],
    limit: float | None,
    progress: Progress,
    *,
    reverse: bool,
) -> tuple[Array, Array, Plan, dict[str, Any]]:
    """Search from a vertex more, which has edges to the facilities.

    Parameters
    ----------
    inner : the opened graph, with a vertex for each point along an edge.
    starts : the facilities in `inner`, in ascending order.

    Returns
    -------
    labels, owner : of the opened graph's vertices; labels beyond the cutoff may be left.
    plan, stats : what ran, and its counters.
    """
    started = with_a_start(inner, starts)
    chosen = options.for_graph(started).plan(options.size_within(way, limit), started)
    chosen = with_own_names(chosen, started, way)
    problem = Problem(Task.SSSP, np.array([inner.n]), cutoff=limit)
    start = time.perf_counter()
    try:
        raw, stats = run_plan(started, chosen, problem, progress=progress)
        labels, owner = _with_owners(inner, starts, raw.dist)
    except DistanceOverflowError:
        if limit is None and starts[0] >= way.first_through:
            raise
        labels, owner = _found_again(way, inner, started, starts, limit)
        stats = {"seconds": time.perf_counter() - start}
    except NegativeCycleError as error:  # nothing leads to the start: all are the graph's own
        cycle = error.cycle[::-1] if reverse else error.cycle
        raise NegativeCycleError(way.label_of(cycle).tolist(), error.length) from None
    return labels, owner, chosen, stats


def with_a_start(graph: Graph, facilities: NDArray[np.int64]) -> Graph:
    """Return a graph with one vertex more, from which edges of length 0 lead to some vertices."""
    weights = graph.solver_weights
    rows = kept_rows(
        np.append(graph.indptr, graph.m + len(facilities)),
        np.append(graph.indices, facilities.astype(graph.indices.dtype)),
        np.append(weights, np.zeros(len(facilities), weights.dtype)),
        copied=False,
    )
    return Graph(*rows)


def _with_owners(graph: Graph, facilities: NDArray[np.int64], labels: Array) -> tuple[Array, Array]:
    """Return the labels of a graph's own vertices, and the facility that each belongs to.

    Parameters
    ----------
    graph : without closed vertices, as `opened` makes it.
    labels : of the graph that `with_a_start` makes of it, not cut.
    """
    labels = np.ascontiguousarray(labels[: graph.n])
    owner = np.empty(graph.n, graph.indices.dtype)
    _core.nearest_sources(
        graph.indptr, graph.indices, graph.solver_weights, facilities, labels, owner, progress=None
    )
    return labels, owner


def _found_again(
    graph: Graph,
    inner: Graph,
    started: Graph,
    facilities: NDArray[np.int64],
    limit: float | None,
) -> tuple[Array, Array]:
    """Return labels and owners where a sum that is not part of the answer may not fit 64 bits.

    Such sums lie beyond the cutoff, or lead back to a closed facility.

    Parameters
    ----------
    inner : as in `_searched`.
    started : the graph that `with_a_start` makes of it.
    """
    closed = facilities[(facilities < graph.first_through) & (not graph.areas)]
    ends = np.delete(np.arange(inner.n), graph.n + closed)
    try:
        labels, _ = search(started, inner.n, limit, ends)
    except OverflowError as error:
        raise DistanceOverflowError.of(error) from None
    if not inner.facts(symmetry=False).negative:
        return _with_owners(inner, facilities, labels)
    labels = labels[: inner.n]
    owner = np.full(inner.n, -1, inner.indices.dtype)
    for one in facilities[::-1].tolist():
        row, _ = search(inner, one, limit, ends[:0])
        owner[row == labels] = one
    return labels, owner


def _at_facilities(
    graph: Graph, inner: Graph, facilities: NDArray[np.int64], labels: Array, owner: Array
) -> tuple[Array, Array]:
    """Return what belongs to the graph's own vertices, (n,) each, from those of `inner`.

    Where a path may not pass through, what arrives there is a label of its own; but a facility is
    at 0 from itself.
    """
    closed, n = graph.first_through, graph.n
    if not closed:
        return labels[:n], owner[:n]
    dist, nearest = labels[:n].copy(), owner[:n].copy()
    dist[:closed], nearest[:closed] = labels[n : n + closed], owner[n : n + closed]
    if graph.areas:
        return dist, nearest
    own = facilities[facilities < closed]
    first = np.minimum(own, np.where((dist[own] == 0) & (nearest[own] >= 0), nearest[own], own))
    own_is_nearest = dist[own] >= 0
    nearest[own] = np.where(own_is_nearest, first, nearest[own])
    dist[own] = np.minimum(dist[own], 0)
    for one in own[(dist[own] < 0) & (nearest[own] == own)]:  # a round trip, which does not count
        dist[one], nearest[one] = _nearest_of(inner, facilities, int(one), n + int(one))
    return dist, nearest


def _nearest_of(
    inner: Graph, facilities: NDArray[np.int64], target: int, copy: int
) -> tuple[Any, int]:
    """Return how far a closed facility is from the nearest one, itself included, and which that is.

    Parameters
    ----------
    copy : the vertex of `inner` where paths to it end.
    """
    ends, others = np.array([copy]), facilities[facilities != target].tolist()
    found = [(search(inner, one, None, ends)[0][copy], one) for one in others]
    return min([(inner.dist_dtype.type(0), target), *found])


def within_of(
    graph: Graph,
    options: Options,
    source: Any,
    cutoffs: Array,
    progress: Progress,
    *,
    reverse: bool,
) -> Within:
    """Find the vertices within distances of one or several sources; see `warpath.within`.

    Parameters
    ----------
    cutoffs : as `warpath.results.within.checked_cutoffs` returns them.
    """
    refuse_turns(graph, "within")
    searched = graph.reversed() if reverse else graph
    source = snapped(graph, source, "source")
    starts = as_indices(graph, source, "source")
    limit = checked_cutoff(cutoffs.tolist()[-1], searched)
    ends = source if type(source) is Snapped and not source.only_vertices else None
    if (starts != starts[0]).any() or (ends is not None and len(starts) > 1):
        dtype = graph.dist_dtype
        near = nearest_of(
            graph, options, starts, limit, dtype, progress, reverse=reverse, ends=ends
        )
        return noted(Within(graph, cutoffs, starts, near, reverse=reverse), source)
    s, request = int(starts[0]), SourceRequest(limit, graph.dist_dtype)
    options = options.for_reversed(graph) if reverse else options
    try:
        if ends is not None:
            points = PointSources.of(graph, ends, reverse=reverse)
            paths = solve_from_point(points, options, request, progress)
        else:
            one = decided(searched, options).one_source(searched, cutoff=limit)
            paths = solve_one(searched, one, s, request, progress)
    except NegativeCycleError as error:
        if not reverse:
            raise
        raise NegativeCycleError(error.cycle[::-1], error.length) from None
    if reverse:
        paths.plan = with_own_names(paths.plan, searched, graph)
    return noted(Within(graph, cutoffs, starts, paths, reverse=reverse), source)
