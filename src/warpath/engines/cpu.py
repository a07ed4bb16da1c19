"""The CPU engine: each of its loops is one function of the core."""

from __future__ import annotations

import struct
import time
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from warpath import _core
from warpath.base.dtypes import unreachable
from warpath.engines import dynamic, hierarchy, hub_labels, labels, loops
from warpath.engines.base import Order, Problem, Raw, TableOrder, TripsOrder
from warpath.engines.dense import adjacency_matrix, narrow_part
from warpath.engines.potentials import labels_or_cycle, lengths_and_potentials, potentials_of
from warpath.engines.staged.tiles import all_pairs_on_host
from warpath.graph.facts import leaves, rows_into
from warpath.graph.raster_graph import RasterGraph
from warpath.recipes import Loop, Queue, Task
from warpath.results.predecessors import search, tree
from warpath.results.trace import up_and_down, whole_search

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.base.progress import Report
    from warpath.engines.base import Search
    from warpath.graph import Graph
    from warpath.planner.plan import Plan
    from warpath.recipes import Recipe

name = "cpu"
totals = hierarchy.totals
dynamic_paths = dynamic.paths_of

_COUNTERS = ("settled", "relaxed", "improved", "rounds", "reached", "together", "moves")
_DONE = struct.Struct("=8q")  # these, and nanoseconds
_ALL = np.empty(0, np.int64)  # means to the core that every vertex is a source or target


def run(order: Order, device: str = "cpu") -> Raw:
    """Run one order on the CPU; see `warpath.engines.base.Engine`."""
    del device
    loop, start = order.recipe.loop, time.perf_counter()
    if isinstance(order, TableOrder) and loop in _TABLES:
        raw = _TABLES[loop](order)
    elif isinstance(order, TripsOrder) and loop in _TRIPS:
        raw = _TRIPS[loop](order)
    else:
        raw = (_SEARCHES.get(loop) or loops.on_cpu(order.recipe))(order)
    if order.trace is None:
        return raw
    seconds = time.perf_counter() - start
    if "relaxed_up" in raw.stats:
        for row in up_and_down(raw.stats, seconds):
            order.trace.add(row)
    if not len(order.trace):
        order.trace.add(whole_search(raw.stats, seconds))
    return raw


def many(order: TableOrder, potentials: Array | None = None) -> Raw:
    """Run Dijkstra from every source, on reduced weights where potentials are given."""
    problem = order.problem
    targets = _ALL if problem.targets is None else problem.targets
    shared: dict[str, Any] = {
        "queue": _queue(order.recipe),
        "cutoff": problem.cutoff,
        "threads": order.threads,
        "progress": order.progress,
    }
    solve: Any = _core.dijkstra_many if potentials is None else _core.johnson_many
    more = () if potentials is None else (potentials,)
    stats = solve(*order.graph._solver_rows, *more, problem.sources, targets, order.out, **shared)
    return Raw(order.out, stats=stats)


def _path(order: TripsOrder) -> Raw:
    problem = order.problem
    vertices, dist, stats = _core.path(
        *order.graph._solver_rows,
        *order.graph.reversed()._solver_rows,
        problem.source,
        problem.target,
        bidirectional=order.recipe.loop is Loop.BIDIRECTIONAL,
        progress=order.progress,
    )
    return Raw(np.asarray(dist, order.graph.dist_dtype), vertices, stats)


def _bellman_ford(order: Order) -> Raw:
    dist, stats = labels_or_cycle(order.graph, order.problem.sources, order.progress)
    return Raw(dist, stats=stats)


def _bellman_ford_path(order: TripsOrder) -> Raw:
    graph, problem = order.graph, order.problem
    stats: dict[str, int] = {}
    try:
        dist, stats = labels_or_cycle(graph, problem.sources, order.progress)
        pred = tree(graph, problem.source, dist)
    except OverflowError:
        dist, pred = search(graph, problem.source, None, problem.targets)
    vertices = _chain(pred, problem.target)
    reached = vertices[0] == problem.source
    return Raw(dist[problem.target], vertices if reached else _ALL, stats)


def _bellman_ford_rows(order: TableOrder) -> Raw:
    problem = order.problem
    targets = slice(None) if problem.targets is None else problem.targets
    total: dict[str, int] = {}
    for row in range(len(problem.sources)):
        dist, stats = labels_or_cycle(order.graph, problem.sources[row : row + 1], None)
        order.out[row] = fitting(cut(dist[targets], problem.cutoff), order.out.dtype)
        total = {key: total.get(key, 0) + value for key, value in stats.items()}
        if order.progress is not None:
            order.progress(row + 1, len(problem.sources))
    return Raw(order.out, stats=total)


def _delta_stepping(order: Order) -> Raw:
    dist = np.empty(order.graph.n, order.graph.dist_dtype)
    stats = _core.delta_stepping(
        *order.graph._solver_rows, order.problem.source, dist, delta=order.params["delta"],
        threads=order.threads, complete=order.problem.cutoff is None, progress=order.progress,
    )  # fmt: skip
    return Raw(dist, stats=stats)


def host_search(graph: Graph, plan: Plan) -> Search | None:
    """Return the search of one source that a plan runs; see `bound_search`."""
    return bound_search(graph, plan.recipe, plan.params, plan.threads)


def devices() -> list[str]:
    """Return the name of the only device: all cores of this machine."""
    return [name]


def memory(graph: Graph, device: str) -> tuple[None, str]:  # noqa: ARG001
    """Return (None, ""): plans on the CPU share the memory of the host."""
    return None, ""


def place(graph: Graph, device: str) -> str:  # noqa: ARG001 - it is here already
    """Return the name of the device."""
    return device


def bound_search(
    graph: Graph,
    recipe: Recipe,
    params: dict[str, float],
    threads: int,
    cutoff: float | None = None,
) -> Search | None:
    """Return the search of one source that a recipe runs on a graph, to be called many times.

    None for a loop that is not bound so.
    """
    match recipe.loop:
        case Loop.BUCKET_TEAM:
            return bucket_team_of(graph, params["delta"], threads, cutoff)
        case Loop.BFS:
            return breadth_first_of(graph, threads, cutoff)
        case Loop.DIJKSTRA:
            return cast(
                "Search", _core.dijkstra_search(*graph._solver_rows, _queue(recipe), cutoff)
            )
        case Loop.OWN_BUCKETS:
            return cast("Search", _core.own_buckets(*graph._solver_rows, params["delta"], cutoff))
        case Loop.OWN if recipe.own is not None and recipe.own.search is not None:
            return cast("Search", recipe.own.search(graph, params, cutoff))
        case _:
            return None


def counters(done: bytes) -> dict[str, int]:
    """Return what a search says that it did, by name; it counts some of it only."""
    *counts, _ = _DONE.unpack(done)
    return {name: count for name, count in zip(_COUNTERS, counts, strict=True) if count >= 0}


def seconds(done: bytes) -> float:
    """Return how long a search says that it took."""
    return float(_DONE.unpack(done)[-1] / 1e9)


def run_search(order: Order) -> Raw:
    """Run an order of one source by the search that `bound_search` returns."""
    graph, cutoff = order.graph, order.problem.cutoff
    if order.trace is not None and order.recipe.queue is Queue.HEAP:
        return _counted_search(order)
    search = bound_search(graph, order.recipe, order.params, order.threads, cutoff)
    answer = None if search is None else search(order.problem.source, order.progress)
    if answer is not None:
        dist, done = answer
        return Raw(dist, stats=counters(done))
    # Distances near the end of 64 bits, which Dijkstra's search adds with care.
    dist = np.empty(graph.n, graph.dist_dtype)
    stats = _core.dijkstra(
        *graph._solver_rows, order.problem.source, dist, queue=_queue(order.recipe), targets=_ALL,
        cutoff=cutoff, progress=order.progress,
    )  # fmt: skip
    return Raw(dist, stats=stats)


def _counted_search(order: Order) -> Raw:
    """Search from one source and count comparisons and additions of labels too."""
    graph, problem = order.graph, order.problem
    dist = np.empty(graph.n, graph.dist_dtype)
    stats = _core.dijkstra(
        *graph._solver_rows, problem.source, dist, queue=_queue(order.recipe), targets=_ALL,
        counted=True, cutoff=problem.cutoff, progress=order.progress,
    )  # fmt: skip
    return Raw(dist, stats=stats)


def vertices_within(
    graph: Graph, sources: NDArray[np.int64], cutoff: float, most: int, progress: Report | None
) -> tuple[NDArray[np.int64], Array, dict[str, Any]] | None:
    """Return the vertices within a cutoff of the nearest source, at most `most`; None for more.

    Takes time and memory in proportion to their number.

    Parameters
    ----------
    graph : without negative weights, turns and closed vertices.

    Returns
    -------
    vertices, dist : (r,) each, in ascending order of (distance, vertex).
    stats : counters, as in `Raw`.
    """
    if graph.indices.dtype != np.int32:
        return None
    answer: Any = _core.vertices_within(
        *graph._solver_rows, sources, cutoff, most, progress=progress
    )
    if answer is None:
        return None
    vertices, dist, *counts = answer
    vertices, dist = vertices.view(np.int64), dist.view(graph.dist_dtype)  # not "long long"
    return vertices, dist, dict(zip(_COUNTERS, counts, strict=False))


def _many_sources(order: TableOrder, *, together: bool) -> Raw:
    graph, problem, delta = order.graph, order.problem, order.params["delta"]
    degree = graph.facts(symmetry=False).mean_degree
    stats = _core.many_sources(
        *graph._solver_rows, problem.sources, _ALL if problem.targets is None else problem.targets,
        order.out, delta=delta, delta_together=delta * max(1, degree / 2), together=together,
        cutoff=problem.cutoff, threads=order.threads, progress=order.progress,
    )  # fmt: skip
    return Raw(order.out, stats=stats)


def _floyd_warshall(order: TableOrder) -> Raw:
    graph = order.graph
    if order.tiles is not None:
        all_pairs_on_host(graph, order.threads, order.out, order.tiles, order.progress)
        return Raw(order.out)
    try:
        lengths, potentials = lengths_and_potentials(graph)
    except OverflowError:  # under potentials, which says nothing about the distances
        return _bellman_ford_rows(order)
    work = adjacency_matrix(graph, lengths, _dense_matrix(order), order.threads)
    _core.floyd_warshall(work, threads=order.threads, progress=order.progress)
    if potentials is not None:
        work -= potentials[:, None]
        work += potentials
        np.fill_diagonal(work, 0)
    if np.may_share_memory(work, order.out):
        if work.dtype != order.out.dtype:
            _core.widen(order.out, threads=order.threads)
    else:
        order.out[:] = fitting(work, order.out.dtype)
    return Raw(order.out)


def _dense_matrix(order: TableOrder) -> Array | None:
    """Return the answer's own memory where it can hold the matrix: twice as many int32 fit there.

    Half as wide, integers are added and compared twice as fast.
    """
    out, graph = order.out, order.graph
    if not out.flags.c_contiguous:
        return None
    if graph.facts(symmetry=False).sums_fit_int32:
        return out if out.dtype == np.int32 else narrow_part(out)
    return out if out.dtype == graph.dist_dtype else None


def _in_hierarchy(order: TripsOrder) -> Raw:
    found_by = {Loop.TREE_LABELS: labels.search, Loop.HUB_LABELS: hub_labels.pairs}
    raw = found_by.get(order.recipe.loop, hierarchy.search)(order)
    if raw is None:  # sums near the end of 64 bits, which Dijkstra's search adds with care
        return _path(order) if order.problem.task is Task.PATH else _pairs(order)
    return raw


def _pairs(order: TripsOrder) -> Raw:
    """Search for each pair apart."""
    graph, problem = order.graph, order.problem
    dist = np.empty((len(problem.sources), 1), graph.dist_dtype)
    for trip, row in enumerate(dist):
        trip_at = slice(trip, trip + 1)
        pair = Problem(Task.MANY, problem.sources[trip_at], problem.targets[trip_at])
        many(TableOrder(order.recipe, graph, pair, order.threads, order.params, row[None]))
    return Raw(dist[:, 0])


def _one_down_hierarchy(order: Order) -> Raw:
    raw = hierarchy.sweep_one(order)
    if raw is None:  # as above
        return run_search(order)
    raw.dist = cut(raw.dist, order.problem.cutoff)
    return raw


def _down_hierarchy(order: TableOrder) -> Raw:
    labelled = order.recipe.loop is Loop.TREE_LABELS
    raw = labels.table(order) if labelled else hierarchy.sweep(order)
    return many(order) if raw is None else raw  # as above


def refuse_overflow(graph: Graph, problem: Problem, dist: Array) -> None:
    """Raise OverflowError if a sum that did not fit lost a vertex whose distance is requested.

    Parameters
    ----------
    dist : (n,) labels of a loop that passes over such sums, weights >= 0. Within a cutoff, which
        fits, none is lost.
    """
    if problem.cutoff is None:
        _core.refuse_overflow(*graph._solver_rows, dist, problem.targets)


def _johnson(order: TableOrder) -> Raw:
    facts = order.graph.facts(symmetry=False)
    if not facts.negative:
        return many(order)
    try:
        return many(order, _potentials(order))
    except OverflowError:
        # A length under potentials may leave its type where the distance itself fits.
        if facts.integer and 4 * facts.longest < 2**63:
            raise
        return _bellman_ford_rows(order)


def _potentials(order: Order) -> Array:
    if order.problem.task is Task.APSP:
        return potentials_of(order.graph)
    # From the sources alone: a negative cycle that none of them reaches does not matter, and
    # neither do large weights there, which would cost the potentials of floats their precision.
    return labels_or_cycle(order.graph, order.problem.sources, None)[0]


def cut(dist: Array, cutoff: float | None) -> Array:
    """Return labels with those above the cutoff made unreachable."""
    return dist if cutoff is None else np.where(dist > cutoff, unreachable(dist.dtype), dist)


def fitting(dist: Array, dtype: np.dtype[Any]) -> Array:
    """Return integer distances in another type; raise OverflowError if one does not fit."""
    if dist.dtype == dtype:
        return dist
    missing = dist == unreachable(dist.dtype)
    bounds = np.iinfo(dtype)
    finite = dist[~missing]
    if finite.size and (finite.max() >= bounds.max or finite.min() < bounds.min):
        msg = f"a distance of {finite[np.argmax(np.abs(finite))]} does not fit {dtype}"
        raise OverflowError(msg)
    fitted = dist.astype(dtype)
    fitted[missing] = bounds.max
    return fitted


def _chain(pred: Array, target: int) -> Array:
    """Follow predecessors back from a target: the vertices from the root to it."""
    route = [target]
    while pred[route[-1]] >= 0:
        route.append(int(pred[route[-1]]))
    return np.array(route[::-1], np.int64)


def _queue(recipe: Recipe) -> str:
    return (recipe.queue or Queue.RADIX).value


_SEARCHES: dict[Loop, Callable[[Order], Raw]] = {
    Loop.DIJKSTRA: run_search,
    Loop.BELLMAN_FORD: _bellman_ford,
    Loop.DELTA_STEPPING: _delta_stepping,
    Loop.BUCKET_TEAM: run_search,
    Loop.BFS: run_search,
    Loop.OWN_BUCKETS: run_search,
    Loop.DYNAMIC: dynamic.search,
    Loop.HIERARCHY_SWEEP: _one_down_hierarchy,
}
_TRIPS: dict[Loop, Callable[[TripsOrder], Raw]] = {
    Loop.DIJKSTRA: _path,
    Loop.BIDIRECTIONAL: _path,
    Loop.BELLMAN_FORD: _bellman_ford_path,
    Loop.HIERARCHY: _in_hierarchy,
    Loop.CUSTOMIZED: _in_hierarchy,
    Loop.HUB_LABELS: _in_hierarchy,
    Loop.TREE_LABELS: _in_hierarchy,
}
_TABLES: dict[Loop, Callable[[TableOrder], Raw]] = {
    Loop.DIJKSTRA: many,
    Loop.BELLMAN_FORD: _bellman_ford_rows,
    Loop.OWN_BUCKETS: partial(_many_sources, together=False),
    Loop.SIDE_BY_SIDE: partial(_many_sources, together=True),
    Loop.FLOYD_WARSHALL: _floyd_warshall,
    Loop.JOHNSON: _johnson,
    Loop.HIERARCHY_BUCKETS: _down_hierarchy,
    Loop.HIERARCHY_SWEEP: _down_hierarchy,
    Loop.RESTRICTED_SWEEP: _down_hierarchy,
    Loop.TREE_LABELS: _down_hierarchy,
}


_HUB = 64  # times the mean degree
_NONE = np.empty(0, np.int64)  # no rows of edges in


def bucket_team_of(graph: Graph, delta: float, threads: int, cutoff: float | None) -> Search:
    """Bind delta-stepping in shared buckets."""
    facts = graph.facts(symmetry=False)
    if isinstance(graph, RasterGraph):
        return _raster_search_of(graph, delta, threads, cutoff)
    # What hubs have is in every thread's caches anyway, and is rarely lowered.
    scattered = facts.scattered and facts.max_degree <= _HUB * facts.mean_degree
    search: Any = _core.bucket_team(
        *graph._solver_rows,
        delta=delta,
        max_weight=facts.max_weight,
        scattered=scattered,
        cutoff=cutoff,
        threads=threads,
        leaves=leaves(graph),
    )
    return cast("Search", search)


def _raster_search_of(
    graph: RasterGraph, delta: float, threads: int, cutoff: float | None
) -> Search:
    """Bind delta-stepping in shared buckets, over edges that are computed from costs."""
    n, most = graph.n, graph.facts(symmetry=False).max_weight
    find = graph.costs.search(delta, most, cutoff, threads)

    def search(source: int, progress: Report | None = None) -> tuple[Array, bytes]:
        dist, done = find(graph.costs.position(source), progress)
        return dist[:n], done

    return cast("Search", search)


def nearest_in_raster(
    graph: RasterGraph,
    sources: Array,
    delta: float,
    threads: int,
    cutoff: float | None,
    progress: Report | None,
) -> tuple[Array, Array, dict[str, Any]]:
    """Return the distance and the nearest of several sources of each cell, and counters.

    By delta-stepping in shared buckets, over edges that are computed from costs.
    """
    n, most = graph.n, graph.facts(symmetry=False).max_weight
    dist, owner = np.empty(graph.costs.positions), np.empty(n, np.int32)
    stats = graph.costs.nearest(
        sources, delta, most, cutoff, threads, dist, owner, progress=progress
    )
    return dist[:n], owner, stats


def breadth_first_of(graph: Graph, threads: int, cutoff: float | None) -> Search:
    """Bind breadth-first search, over edges in as well where they are at hand."""
    into, _ = rows_into(graph, threads)
    back_indptr: Array = _NONE if into is None else into.indptr
    back_indices: Array = graph.indices[:0] if into is None else into.indices
    weight: Any = 1 if graph.weights is None else graph.weights[:1].sum().item()
    search: Any = _core.breadth_first(
        graph.indptr,
        graph.indices,
        back_indptr,
        back_indices,
        weight,
        like=np.empty(0, graph.dist_dtype),
        cutoff=cutoff,
        threads=threads,
    )
    return cast("Search", search)
