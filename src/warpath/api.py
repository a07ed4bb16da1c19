"""The calls: validate, plan, run, wrap. No algorithm lives here."""

from __future__ import annotations

import time
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import settings
from warpath.arguments import as_indices, checked_cutoff, checked_dist_dtype, one_index
from warpath.costs import Size
from warpath.engines import cpu
from warpath.engines.base import Order, Problem
from warpath.engines.dispatch import gpu_memory, run
from warpath.errors import (
    DistanceOverflowError,
    InputError,
    NegativeCycleError,
    NoPathError,
)
from warpath.graph import Graph
from warpath.paths import DistanceTable, Paths, Route, never, one_label
from warpath.plan import Hardware, Plan, Wish, checked, choose, device_of, preferring
from warpath.progress import share, watch
from warpath.recipes import CATALOGUE, Catalogue, Loop, Task
from warpath.trace import Run, Trace
from warpath.zones import arrivals, at_home, folded, opened

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import DTypeLike, NDArray

    from warpath.engines.base import Raw

    Array = NDArray[Any]
    Progress = bool | Callable[[int, int], None] | None


def sssp(
    graph: Any,
    source: Any,
    *,
    algorithm: str = "auto",
    device: str = "auto",
    threads: int | None = None,
    params: dict[str, float] | None = None,
    cutoff: float | None = None,
    dist_dtype: DTypeLike | None = None,
    progress: Progress = None,
    trace: bool = False,
) -> Paths:
    """Shortest paths from one source to every vertex.

    Parameters
    ----------
    graph : n vertices, m directed edges; anything that `Graph.of` takes.
    source : a vertex: its label where the graph has labels, else an integer in [0, n).
    algorithm : "auto", or a name from `algorithms()`, for example "classic.dijkstra".
    device : "auto", "cpu", "cuda" or "cuda:1"; a named device never falls back to another. "auto"
        is the CPU, but for a named algorithm that runs on a GPU only.
    threads : threads on the CPU; all cores that the process may use when not given.
    params : the algorithm's own numbers, for example ``{"delta": 100}``.
    cutoff : leave vertices farther than this unreachable; Dijkstra's searches stop there.
    dist_dtype : "int32" narrows integer distances, exactly or with DistanceOverflowError.
    progress : True for a bar on stderr, or a function of (done, total); rounds tell it nothing.
    trace : keep what each round did as ``Paths.trace`` and its totals in ``Paths.stats``; a search
        that takes vertices one at a time is one row. Counting slows a solve, but changes nothing.

    Returns
    -------
    Paths
        ``dist`` (n,), int64 for integer weights, else the weights' type, in their unit;
        ``pred`` (n,); ``plan``, what ran and why.

    Raises
    ------
    VertexError, NegativeWeightError, NegativeCycleError, DistanceOverflowError, NotSupportedError
    NoDeviceError, MissingDependencyError, NotEnoughMemoryError, DeviceError
        On a GPU that cannot be used, lacks a package or memory, or fails.

    Notes
    -----
    For weights >= 0 every exact algorithm returns the same bits, whatever device and threads.
    O(m + n log n) or better; Bellman-Ford, for negative weights, O(n m) at worst.

    Examples
    --------
    >>> import warpath as wp
    >>> wp.sssp([(0, 1, 2.0), (1, 2, 0.5)], 0).dist
    array([0. , 2. , 2.5])
    """
    graph = Graph.of(graph)
    s = one_index(graph, source, "source")
    inner = opened(graph)
    limit = checked_cutoff(cutoff, graph)
    wanted = checked_dist_dtype(dist_dtype, graph)
    chosen = _choose(Size(Task.SSSP), inner, Wish(algorithm, device, threads, params))
    problem = Problem(Task.SSSP, np.array([s]), cutoff=limit)
    rounds = Trace() if trace else None
    raw, stats = _run(graph, chosen, problem, progress=progress, trace=rounds)
    dist = cpu.cut(raw.dist, limit)
    reached = dist != never(dist.dtype)
    stats["reached"] = int(np.count_nonzero(reached))
    if rounds is not None:
        edges = int(np.diff(inner.indptr)[raw.dist != never(dist.dtype)].sum())
        rounds.run = Run.of(chosen, graph, one_label(graph, s), edges, stats["seconds"])
        stats |= asdict(rounds.totals())

    def tree() -> Array:
        return folded(graph, cpu.tree(inner, s, dist), s, -1)

    labels = _narrowed(folded(graph, dist, s, 0), wanted)
    labels.flags.writeable = False
    return Paths(graph, s, labels, tree=tree, cutoff=limit, plan=chosen, stats=stats, trace=rounds)


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
    chosen = _choose(size, opened(graph), wish)
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
    chosen = _choose(size, opened(graph), wish)
    return _table(graph, chosen, Problem(Task.APSP, rows), wanted, out=out, progress=progress)


def path(
    graph: Any,
    source: Any,
    target: Any,
    *,
    algorithm: str = "auto",
    device: str = "auto",
    threads: int | None = None,
    progress: Progress = None,
) -> Route:
    """One shortest path; the search stops early.

    Parameters
    ----------
    source, target : vertices, as in `sssp`.
    graph, algorithm, device, threads, progress : as in `sssp`.

    Returns
    -------
    Route
        The vertices and the length; the same route as ``sssp(...).path_to(target)``.

    Raises
    ------
    NoPathError
        If the target cannot be reached.
    VertexError, NegativeCycleError, NotSupportedError

    Examples
    --------
    >>> import warpath as wp
    >>> list(wp.path([("a", "b", 2), ("b", "c", 5)], "a", "c"))
    ['a', 'b', 'c']
    """
    graph = Graph.of(graph)
    s, t = one_index(graph, source, "source"), one_index(graph, target, "target")
    inner = opened(graph)
    chosen = _choose(Size(Task.PATH), inner, Wish(algorithm, device, threads))
    if s == t:
        return Route(graph, np.array([s]), graph.dist_dtype.type(0).item(), chosen)
    problem = Problem(Task.PATH, np.array([s]), arrivals(graph, np.array([t])))
    raw, _ = _run(graph, chosen, problem, progress=progress)
    if len(raw.vertices) == 0:
        msg = f"no path leads from {one_label(graph, s)!r} to {one_label(graph, t)!r}."
        raise NoPathError(msg)
    raw.vertices[-1] = t
    return Route(graph, raw.vertices, raw.dist.item(), chosen)


def plan(
    graph: Any,
    source: Any = None,
    *,
    sources: Any = None,
    targets: Any = None,
    target: Any = None,
    algorithm: str = "auto",
    device: str = "auto",
    threads: int | None = None,
    params: dict[str, float] | None = None,
) -> Plan:
    """Say what would run, why, how long it is predicted to take and how much memory.

    Parameters
    ----------
    source : asks about `sssp`; with `target`, about `path`.
    sources, targets : ask about `distances`.
    graph, algorithm, device, threads, params : as in `sssp`. The graph alone asks about `apsp`.

    Examples
    --------
    >>> import warpath as wp
    >>> wp.plan([(0, 1, -2), (1, 2, 5)], 0).algorithm
    'classic.bellman_ford'
    """
    graph = Graph.of(graph)
    wish = Wish(algorithm, device, threads, params)
    entry = graph.dist_dtype.itemsize
    if sources is not None:
        rows = len(as_indices(graph, sources, "sources"))
        columns = graph.n if targets is None else len(as_indices(graph, targets, "targets"))
        size = Size(Task.MANY, rows, columns, entry)
    elif source is None:
        size = Size(Task.APSP, graph.n, graph.n, entry)
    else:
        one_index(graph, source, "source")
        if target is not None:
            one_index(graph, target, "target")
        size = Size(Task.SSSP if target is None else Task.PATH)
    return _choose(size, opened(graph), wish)


def algorithms() -> Catalogue:
    """Return the catalogue: every algorithm, its paper, what it needs and what it is for."""
    return CATALOGUE


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
        _, stats = _run(graph, chosen, problem, out=whole, progress=progress)
        into[:] = whole[: graph.n, problem.targets]
        return stats
    _, stats = _run(graph, chosen, problem, out=into, progress=progress)
    if problem.cutoff is not None and chosen.recipe.loop is not Loop.DIJKSTRA:
        into[:] = cpu.cut(into, problem.cutoff)
    return stats


def _run(
    graph: Graph,
    chosen: Plan,
    problem: Problem,
    *,
    out: Array | None = None,
    progress: Progress = None,
    trace: Trace | None = None,
) -> tuple[Raw, dict[str, Any]]:
    """Run a plan; errors come back with the graph's own names."""
    start = time.perf_counter()
    try:
        with watch(progress, chosen.recipe.name) as report:
            order = Order(
                chosen.recipe,
                opened(graph),
                problem,
                chosen.threads,
                chosen.params,
                out,
                report,
                trace,
            )
            raw = run(order, chosen.device)
    except NegativeCycleError as error:
        names = graph.label_of(np.array(error.cycle)).tolist()
        raise NegativeCycleError(names, error.length) from None
    except OverflowError as error:
        msg = f"{error}. Use float64 weights (graph.astype('float64')), or smaller units."
        raise DistanceOverflowError(msg) from None
    return raw, dict(raw.stats) | {"seconds": time.perf_counter() - start}


def _choose(size: Size, graph: Graph, wish: Wish) -> Plan:
    if wish.threads is not None and not (
        type(wish.threads) is int and 1 <= wish.threads <= settings.MOST_THREADS
    ):
        msg = f"threads = {wish.threads!r} must be a whole number, 1 to {settings.MOST_THREADS}."
        raise InputError(msg)
    wish = preferring(settings.device(), size, checked(wish))
    # That a GPU cannot be used is an error only when it shall run.
    gpu = gpu_memory(device_of(size, wish), graph)
    hardware = Hardware(settings.threads(), settings.memory(), *gpu)
    return choose(size, graph.facts(symmetry=False), hardware, wish)


def _narrowed(dist: Array, wanted: np.dtype[Any]) -> Array:
    try:
        return cpu.fitting(dist, wanted)
    except OverflowError as error:
        msg = f"{error}: leave dist_dtype out for 64 bits."
        raise DistanceOverflowError(msg) from None
