"""The calls about one source, and the plan: validate, plan, run, wrap. No algorithm lives here."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import settings
from warpath.arguments import as_indices, checked_cutoff, checked_dist_dtype, one_index
from warpath.costs import Size
from warpath.engines import cpu
from warpath.engines.base import Problem
from warpath.errors import NoPathError
from warpath.graph import Graph
from warpath.paths import Paths, Route, never, one_label
from warpath.plan import Plan, Wish
from warpath.recipes import CATALOGUE, Catalogue, Task
from warpath.routes import tree as predecessors
from warpath.running import choose_for, narrowed, on_device, run_plan
from warpath.trace import Run, Trace
from warpath.zones import arrivals, folded, opened

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from warpath.running import Progress

    Array = NDArray[Any]


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
        is where the graph was put by `Graph.to`, else the CPU, but for a named algorithm that runs
        on a GPU only. Distances found on a GPU stay there until they are asked for.
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
    wish = Wish(algorithm, device, threads, params)
    chosen = choose_for(Size(Task.SSSP), inner, wish, graph.device)
    problem = Problem(Task.SSSP, np.array([s]), cutoff=limit)
    rounds = Trace() if trace else None
    # Under negative weights a route within the cutoff may pass a vertex beyond it.
    beyond = limit is not None and inner.facts(symmetry=False).negative > 0
    stay = rounds is None and not beyond
    raw, stats = run_plan(graph, chosen, problem, progress=progress, trace=rounds, stay=stay)
    if raw.device is not None:
        there = on_device(raw, graph, s, limit, wanted)
        return Paths(
            graph, s, None, tree=there.pred_here, cutoff=limit, plan=chosen, stats=stats,
            there=there,
        )  # fmt: skip
    dist = cpu.cut(raw.dist, limit)
    if "reached" not in stats:  # a loop that counts while it writes saves a pass
        stats["reached"] = int(np.count_nonzero(dist != never(dist.dtype)))
    if rounds is not None:
        edges = int(np.diff(inner.indptr)[raw.dist != never(dist.dtype)].sum())
        rounds.run = Run.of(chosen, graph, one_label(graph, s), edges, stats["seconds"])
        stats |= asdict(rounds.totals())

    def through() -> Array:
        team = settings.threads() if threads is None else threads
        return folded(graph, predecessors(inner, s, raw.dist if beyond else dist, team), s, -1)

    def tree() -> Array:
        found = through()
        if not beyond:
            return found
        reached = dist != never(dist.dtype)
        return np.where(folded(graph, reached, s, at_source=True), found, -1)

    labels = narrowed(folded(graph, dist, s, 0), wanted)
    labels.flags.writeable = False
    return Paths(
        graph, s, labels, tree=tree, through=through if beyond else None, cutoff=limit, plan=chosen,
        stats=stats, trace=rounds,
    )  # fmt: skip


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
    wish = Wish(algorithm, device, threads)
    chosen = choose_for(Size(Task.PATH), inner, wish, graph.device)
    if s == t:
        return Route(graph, np.array([s]), graph.dist_dtype.type(0).item(), chosen)
    problem = Problem(Task.PATH, np.array([s]), arrivals(graph, np.array([t])))
    raw, _ = run_plan(graph, chosen, problem, progress=progress)
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
    return choose_for(size, opened(graph), wish, graph.device, again=False)


def algorithms() -> Catalogue:
    """Return the catalogue: every algorithm, its paper, what it needs and what it is for."""
    return CATALOGUE
