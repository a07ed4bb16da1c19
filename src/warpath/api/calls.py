"""The calls about one source, and the plan: validate, plan, run, wrap. No algorithm lives here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warpath.api.solver import solver_of
from warpath.recipes import CATALOGUE, Catalogue

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from warpath.api.run import Progress
    from warpath.planner.plan import Plan
    from warpath.recipes import Recipe
    from warpath.results.paths import Paths
    from warpath.results.route import Route


def sssp(
    graph: Any,
    source: Any,
    *,
    algorithm: str | Recipe = "auto",
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
    source : a vertex: its label where the graph has labels, else an integer in [0, n); or a
        `Place`, for the vertex nearest to a coordinate; or ``{vertex: name}``, for a name in
        pictures and maps.
    algorithm : "auto", a name from `algorithms()`, for example "classic.dijkstra", or a recipe,
        for example one that `Recipe.but` returned.
    device : "auto", "cpu", "cuda" or "cuda:1"; a named device never falls back to another. "auto"
        is where the graph was put by `Graph.to`, else the CPU, or a GPU: for a named algorithm that
        runs there only, or for a long question that is predicted to take at most half as long
        there, its start included. Distances found on a named GPU stay there until they are read.
    threads : threads on the CPU; all cores that the process may use when not given.
    params : the algorithm's own numbers, for example ``{"delta": 100}``.
    cutoff : leave vertices farther than this unreachable; Dijkstra's searches stop there.
    dist_dtype : "int32" narrows integer distances, exactly or with DistanceOverflowError.
    progress : True for a bar on stderr, or a function of (done, total). Of the algorithms that run
        in rounds, those that count the vertices they settle report, the others do not.
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
    The algorithm and the number of threads are those that are predicted to be the fastest; the
    same call on the same machine takes the same ones.
    O(m + n log n) or better; Bellman-Ford, for negative weights, O(n m) at worst.

    Examples
    --------
    >>> import warpath as wp
    >>> wp.sssp([(0, 1, 2.0), (1, 2, 0.5)], 0).dist
    array([0. , 2. , 2.5])
    """
    solver = solver_of(graph, algorithm, device, threads, params)
    return solver.sssp(source, cutoff=cutoff, dist_dtype=dist_dtype, progress=progress, trace=trace)


def path(
    graph: Any,
    source: Any,
    target: Any,
    *,
    algorithm: str | Recipe = "auto",
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
    return solver_of(graph, algorithm, device, threads, None).path(
        source, target, progress=progress
    )


def plan(
    graph: Any,
    source: Any = None,
    *,
    sources: Any = None,
    targets: Any = None,
    target: Any = None,
    algorithm: str | Recipe = "auto",
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
    return solver_of(graph, algorithm, device, threads, params).plan(
        source, sources=sources, targets=targets, target=target
    )


def algorithms() -> Catalogue:
    """Return the catalogue: every algorithm, its paper, what it needs and what it is for."""
    return CATALOGUE


def register(recipe: Recipe) -> Recipe:
    """Add a recipe to the catalogue, so that calls take its name as ``algorithm=``.

    It is listed by `algorithms` until the process ends, and "auto" never chooses it. Another
    recipe that was registered by the same name is replaced.

    Parameters
    ----------
    recipe : for example one that `Recipe.but` returned.

    Returns
    -------
    Recipe
        The same recipe.

    Raises
    ------
    InputError
        If the package has another recipe of that name, the name is not ``paper.variant``, or no
        engine can run the recipe; the message says which field is wrong and what would be right.

    Examples
    --------
    >>> import warpath as wp
    >>> from warpath.recipes.axes import Direction
    >>> frontier = wp.algorithms()["martin2009.f_cpu"]
    >>> mine = frontier.but("martin2009.mine", "As u_cpu.", direction=Direction.PULL)
    >>> wp.register(mine)
    <Recipe martin2009.mine: As u_cpu.>
    >>> wp.sssp([(0, 1, 2), (1, 2, 5)], 0, algorithm="martin2009.mine").dist
    array([0, 2, 7])
    """
    return CATALOGUE.register(recipe)
