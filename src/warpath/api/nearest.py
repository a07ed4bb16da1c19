"""The nearest of several facilities, for every vertex."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import _core
from warpath.api.options import ONE_SOURCE, Options
from warpath.api.run import narrowed, run_plan
from warpath.base.dtypes import unreachable
from warpath.base.errors import DistanceOverflowError, NegativeCycleError
from warpath.engines import cpu
from warpath.engines.base import Problem
from warpath.graph import Graph
from warpath.graph.csr import kept_rows
from warpath.graph.turns import refuse_turns
from warpath.graph.zones import opened
from warpath.recipes import Task
from warpath.results.nearest import Nearest
from warpath.results.predecessors import search, searched

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.api.run import Progress
    from warpath.base.dtypes import Array


def nearest_of(
    graph: Graph,
    options: Options,
    starts: NDArray[np.int64],
    limit: float | None,
    dtype: np.dtype[Any],
    progress: Progress,
    *,
    reverse: bool,
) -> Nearest:
    """Find for every vertex the nearest of several facilities; see `warpath.nearest`.

    Parameters
    ----------
    starts : (k,) the facilities, ascending.
    limit, dtype : the cutoff, and the type of the distances.
    """
    refuse_turns(graph, "nearest")
    way = graph.reversed() if reverse else graph
    inner = opened(way)
    started = with_a_start(inner, starts)
    chosen = options.for_graph(started).plan(ONE_SOURCE, started)
    problem = Problem(Task.SSSP, np.array([inner.n]), cutoff=limit)
    start = time.perf_counter()
    try:
        raw, stats = run_plan(started, chosen, problem, progress=progress)
        labels, owner = _with_owners(inner, starts, raw.dist)
    except DistanceOverflowError:
        if limit is None and starts[0] >= graph.first_through:
            raise
        labels, owner = _found_again(way, inner, started, starts, limit)
        stats = {"seconds": time.perf_counter() - start}
    except NegativeCycleError as error:  # nothing leads to the start: all are the graph's own
        cycle = error.cycle[::-1] if reverse else error.cycle
        raise NegativeCycleError(graph.label_of(cycle).tolist(), error.length) from None
    # Only now, as under negative weights a path may lead through vertices beyond the cutoff.
    labels = cpu.cut(labels, limit)
    owner[labels == unreachable(labels.dtype)] = -1
    labels, owner = _at_facilities(way, starts, labels, owner)
    dist = narrowed(labels, dtype)
    dist.flags.writeable = owner.flags.writeable = False
    stats["reached"] = int(np.count_nonzero(dist != unreachable(dist.dtype)))
    return Nearest(
        graph, starts, dist, owner, reverse=reverse, cutoff=limit, plan=chosen, stats=stats
    )


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
    inner : the opened graph.
    started : the graph that `with_a_start` makes of it.
    """
    closed = facilities[facilities < graph.first_through]
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
    graph: Graph, facilities: NDArray[np.int64], labels: Array, owner: Array
) -> tuple[Array, Array]:
    """Return what belongs to the graph's own vertices, (n,) each, from the opened graph's.

    Where a path may not pass through, what arrives there is a label of its own; but a facility is
    at 0 from itself.
    """
    closed, n = graph.first_through, graph.n
    if not closed:
        return labels, owner
    dist, nearest = labels[:n].copy(), owner[:n].copy()
    dist[:closed], nearest[:closed] = labels[n:], owner[n:]
    own = facilities[facilities < closed]
    first = np.minimum(own, np.where((dist[own] == 0) & (nearest[own] >= 0), nearest[own], own))
    own_is_nearest = dist[own] >= 0
    nearest[own] = np.where(own_is_nearest, first, nearest[own])
    dist[own] = np.minimum(dist[own], 0)
    for one in own[(dist[own] < 0) & (nearest[own] == own)]:  # a round trip, which does not count
        dist[one], nearest[one] = _nearest_of(graph, facilities, int(one))
    return dist, nearest


def _nearest_of(graph: Graph, facilities: NDArray[np.int64], target: int) -> tuple[Any, int]:
    """Return how far a facility is from the nearest one, itself included, and which that is."""
    wanted = np.array([target])
    found = [(searched(graph, int(one), None, wanted)[0][target], int(one)) for one in facilities]
    return min(found)
