"""The calls about many sources: validate, plan, run block by block, wrap."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.arguments import as_indices, checked_cutoff, checked_dist_dtype
from warpath.costs import Size
from warpath.engines import cpu
from warpath.engines.base import Problem
from warpath.graph import Graph
from warpath.plan import Plan, Wish
from warpath.progress import share, watch
from warpath.recipes import Loop, Task
from warpath.running import choose_for, run_plan
from warpath.table import DistanceTable
from warpath.zones import arrivals, at_home, opened

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from warpath.running import Progress

    Array = NDArray[Any]


def distances(
    graph: Any,
    sources: Any,
    targets: Any = None,
    *,
    algorithm: str = "auto",
    device: str = "auto",
    threads: int | None = None,
    params: dict[str, float] | None = None,
    cutoff: float | None = None,
    dist_dtype: DTypeLike | None = None,
    progress: Progress = None,
) -> DistanceTable:
    """Distances from several sources to several targets, or to every vertex.

    Each search stops when its targets are settled; the threads share the sources.

    Parameters
    ----------
    sources, targets : vertices, as in `sssp`, one or several. ``targets=None`` means all.
    graph, algorithm, device, threads, params, cutoff, dist_dtype, progress : as in `sssp`.

    Returns
    -------
    DistanceTable
        ``dist`` (k, t), with the names of its rows and columns.

    Raises
    ------
    VertexError, NegativeCycleError, DistanceOverflowError, NotEnoughMemoryError, NotSupportedError

    Examples
    --------
    >>> import warpath as wp
    >>> wp.distances([(0, 1, 2), (1, 2, 5)], sources=[0, 1], targets=[2]).dist
    array([[7],
           [5]])
    """
    graph = Graph.of(graph)
    rows = as_indices(graph, sources, "sources")
    columns = None if targets is None else as_indices(graph, targets, "targets")
    wish = Wish(algorithm, device, threads, params)
    limit, wanted = checked_cutoff(cutoff, graph), checked_dist_dtype(dist_dtype, graph)
    size = Size(Task.MANY, len(rows), graph.n if columns is None else len(columns), wanted.itemsize)
    chosen = choose_for(size, opened(graph), wish)
    problem = Problem(Task.MANY, rows, columns, limit)
    return _table(graph, chosen, problem, wanted, progress=progress)


def apsp(
    graph: Any,
    *,
    algorithm: str = "auto",
    device: str = "auto",
    threads: int | None = None,
    params: dict[str, float] | None = None,
    dist_dtype: DTypeLike | None = None,
    out: Any = None,
    progress: Progress = None,
) -> DistanceTable:
    """Distances between all pairs of vertices.

    Parameters
    ----------
    out : where the (n, n) distances go: an array of the right shape and type, or the path of a
        ``.npy`` or ``.zarr`` file, which is written block by block and mapped, not held.
    graph, algorithm, device, threads, params, dist_dtype, progress : as in `sssp`.

    Returns
    -------
    DistanceTable
        ``dist`` (n, n): ``out`` where it was given.

    Raises
    ------
    NegativeCycleError, DistanceOverflowError, NotEnoughMemoryError, NotSupportedError

    Notes
    -----
    Dijkstra from every source, O(n m + n^2 log n), or Floyd-Warshall, O(n^3), or for negative
    weights Johnson, whichever is predicted to be faster. Float distances of the last two agree with
    the others' within n * eps, because they form sums in another order.

    Examples
    --------
    >>> import warpath as wp
    >>> wp.apsp([(0, 1, 2), (1, 0, 5)]).dist
    array([[0, 2],
           [5, 0]])
    """
    graph = Graph.of(graph)
    rows = np.arange(graph.n)
    wish = Wish(algorithm, device, threads, params)
    wanted = checked_dist_dtype(dist_dtype, graph)
    size = Size(Task.APSP, graph.n, graph.n, wanted.itemsize, written_out=out is not None)
    chosen = choose_for(size, opened(graph), wish)
    return _table(graph, chosen, Problem(Task.APSP, rows), wanted, out=out, progress=progress)


def _table(
    graph: Graph,
    chosen: Plan,
    problem: Problem,
    dtype: np.dtype[Any],
    *,
    out: Any = None,
    progress: Progress = None,
) -> DistanceTable:
    """Fill a table by a plan, block by block where it goes to a file."""
    from warpath.io.outputs import output_of

    rows = problem.sources
    names = np.arange(graph.n) if problem.targets is None else problem.targets
    whole = problem.targets is None and not graph.first_through
    inner = replace(problem, targets=None if whole else arrivals(graph, names))
    at_once = chosen.recipe.loop is Loop.FLOYD_WARSHALL
    stats: dict[str, Any] = {}
    with (
        output_of(out, (len(rows), len(names)), dtype) as result,
        watch(progress, chosen.recipe.name) as report,
    ):
        blocks = [slice(0, len(rows))] if at_once else result.blocks()
        for block in blocks:
            into = result.block(block)
            told = report if len(blocks) == 1 else share(report, block, len(rows))
            counted = _fill(graph, chosen, replace(inner, sources=rows[block]), into, told)
            at_home(graph, rows[block], names, into)
            result.put(block, into)
            stats = {key: stats.get(key, 0) + value for key, value in counted.items()}
    return DistanceTable(
        graph, rows, names, result.array, cutoff=problem.cutoff, plan=chosen, stats=stats
    )


def _fill(
    graph: Graph, chosen: Plan, problem: Problem, into: Array, progress: Progress
) -> dict[str, Any]:
    """Put the distances of one block of sources into `into`."""
    if chosen.recipe.loop is Loop.FLOYD_WARSHALL and problem.targets is not None:
        whole = np.empty((opened(graph).n,) * 2, into.dtype)
        _, stats = run_plan(graph, chosen, problem, out=whole, progress=progress)
        into[:] = whole[: graph.n, problem.targets]
        return stats
    _, stats = run_plan(graph, chosen, problem, out=into, progress=progress)
    if problem.cutoff is not None and chosen.recipe.loop is not Loop.DIJKSTRA:
        into[:] = cpu.cut(into, problem.cutoff)
    return stats
