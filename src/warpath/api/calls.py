"""The public functions. Each one calls the method of its name on the solver of its options.

The file is one idea: these functions hold the documentation of all parameters of the calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from warpath.api.options import uses_labels
from warpath.api.prepared import loaded, prepare_graph
from warpath.api.solver import Solver, solver_of
from warpath.base.errors import InputError, NotSupportedError
from warpath.recipes import CATALOGUE, Catalogue

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import ArrayLike, DTypeLike

    from warpath.api.question import Progress
    from warpath.base.dtypes import Array
    from warpath.planner.plan import Plan
    from warpath.recipes import Recipe
    from warpath.results.accessibility import Accessibility
    from warpath.results.centrality import Centrality
    from warpath.results.distance_table import DistanceTable
    from warpath.results.nearest import Nearest
    from warpath.results.pairs import Pairs
    from warpath.results.paths import Paths
    from warpath.results.route import Route
    from warpath.results.totals import Reduction, Totals
    from warpath.results.within import Within


def sssp(
    graph: Any,
    source: Any,
    *,
    algorithm: str | Recipe = "auto",
    device: str = "auto",
    threads: int | None = None,
    params: dict[str, float] | None = None,
    cutoff: float | str | None = None,
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
    cutoff : leave vertices farther than this unreachable; Dijkstra's searches stop there. A number,
        or a text such as "10min" or "5km" if the graph's `unit` is one of times or lengths.
    dist_dtype : "int32" narrows integer distances, exactly or with DistanceOverflowError.
    progress : True for a bar on stderr, or a function of (done, total), which some algorithms never
        call. An exception raised in it cancels the call.
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
    avoid: Any = None,
    only: Any = None,
) -> Route:
    """One shortest path; the search stops early.

    Parameters
    ----------
    source, target : vertices, as in `sssp`.
    graph, algorithm, device, threads, progress : as in `sssp`.
    avoid : edges that the route does not use: in one of the forms that `Graph.without_edges` takes,
        or a polygon of shapely, GeoPandas or GeoJSON, for the edges that touch it. Or a
        dictionary, for the edges to which one of its entries applies: ``{"toll": True}`` or
        ``{"highway": ["motorway", "trunk"]}`` with values of kept columns (see
        `Graph.edge_table`), and the keys "edges", "vertices" and "polygon", a ring of (x, y).
    only : in the same forms, the edges that the route may use: those to which all entries apply,
        whose ends are both among the vertices, and that lie within the polygon.

    Returns
    -------
    Route
        The vertices and the length; the same route as ``sssp(...).path_to(target)``. Its graph is
        that without the avoided edges.

    Raises
    ------
    NoPathError
        If the target cannot be reached.
    VertexError, NegativeCycleError, NotSupportedError
    InputError, GraphError
        If `avoid` or `only` names an edge, a column or a text that the graph does not have.

    Notes
    -----
    With `avoid` or `only`, the search runs in a copy of the graph without edges, O(n + m). For many
    calls, make it once: ``Solver(graph.without_edges(...))``.

    Examples
    --------
    >>> import warpath as wp
    >>> list(wp.path([("a", "b", 2), ("b", "c", 5)], "a", "c"))
    ['a', 'b', 'c']
    """
    return solver_of(graph, algorithm, device, threads, None).path(
        source, target, progress=progress, avoid=avoid, only=only
    )


def distance(
    graph: Any,
    source: Any,
    target: Any,
    *,
    algorithm: str | Recipe = "auto",
    device: str = "auto",
    threads: int | None = None,
) -> float:
    """Return the distance from one vertex to another.

    Parameters
    ----------
    source, target : vertices, as in `sssp`.
    graph, algorithm, device, threads : as in `sssp`.

    Returns
    -------
    int or float
        In the weights' unit; inf (floats) or the largest integer if the target cannot be reached.
        It is that of ``pairs(graph, [source], [target])``.

    Raises
    ------
    VertexError, NegativeCycleError, NotSupportedError
    InputError, GraphError

    Notes
    -----
    `Solver.distance` of a graph that is prepared with labels takes 2 us on New York; for many
    trips at once, `pairs` takes a tenth of that each.

    Examples
    --------
    >>> import warpath as wp
    >>> wp.distance([("a", "b", 2), ("b", "c", 5)], "a", "c")
    7
    """
    return solver_of(graph, algorithm, device, threads, None).distance(source, target)


def route_through(
    graph: Any, stops: Any, *, order: str = "given", round_trip: bool = False
) -> Route:
    """Return one route through several stops: the shortest paths between them, one after another.

    Parameters
    ----------
    graph : as in `sssp`.
    stops : two vertices or more, as in `sssp`; a `Place` with ``snap="vertex"``.
    order : "given", or "best" for the order of the least length of at most 12 stops, of which the
        first stays the first, and the last the last, except on a round trip.
    round_trip : whether the route returns to the first stop. Any turn is allowed at a stop.

    Returns
    -------
    Route
        ``order`` has the positions of the stops in `stops`, in the order of the route.

    Raises
    ------
    InputError
        If there are fewer than two stops, or more than 12 for the best order.
    NoPathError
        If a stop cannot be reached.
    VertexError, NegativeCycleError, DistanceOverflowError, NotSupportedError

    Notes
    -----
    The best order takes one table and O(2^k k^2) steps for k stops. Of equally long orders it is
    the first in lexicographic order. Source: Held and Karp 1962.

    Examples
    --------
    >>> import warpath as wp
    >>> streets = wp.Graph.of([(0, 1, 2), (1, 2, 5), (2, 3, 1), (0, 2, 4)], directed=False)
    >>> route = wp.route_through(streets, [0, 2, 1, 3], order="best")
    >>> list(route), route.length, route.order
    ([0, 1, 2, 3], 8, (0, 2, 1, 3))
    """
    return Solver(graph).route_through(stops, order=order, round_trip=round_trip)


def k_shortest_paths(
    graph: Any,
    source: Any,
    target: Any,
    k: int | None = None,
    *,
    max_length: float | str | None = None,
) -> Iterator[Route]:
    """Return an iterator over the routes that pass no vertex twice, in order of their length.

    Each step of the iterator searches one route.

    Parameters
    ----------
    graph : weights of 0 or more; otherwise as in `sssp`.
    source, target : vertices, as in `sssp`; a `Place` with ``snap="vertex"``.
    k : the largest number of routes; all when not given.
    max_length : the length that no route exceeds; a number or a text, as `cutoff` in `sssp`.

    Returns
    -------
    iterator of Route
        It ends without an error if there are fewer than k routes. Of parallel edges, a route takes
        the lightest; with turns, each makes a route of its own.

    Raises
    ------
    NoPathError
        By the iterator, if there is no route at all, or if turns let every route pass a vertex
        twice.
    VertexError, NegativeWeightError, NotSupportedError, DistanceOverflowError
        DistanceOverflowError if the lengths of routes may not fit 61 bits.

    Notes
    -----
    Equally long routes are in lexicographic order of their vertices' indices; closed targets come
    last. Where sums of float weights are rounded, lengths ascend up to n * eps. With turns, the
    order is that of edges, except after the beginnings of forbidden sequences of three or more;
    some graphs then have exponentially many paths that are searched and left out.

    A bidirectional search, then a scan of each route's edges and a few searches that stay close to
    it. Memory: up to 50 bytes for each vertex of the graph, 40 for each vertex of each route.
    Sources: Yen 1971; Lawler 1972; Kurz and Mutzel 2016; Feng et al. 2023 (PeeK).

    Examples
    --------
    >>> import warpath as wp
    >>> streets = [(0, 1, 2), (1, 2, 5), (0, 2, 9), (1, 3, 1), (3, 2, 5)]
    >>> [(route.length, list(route)) for route in wp.k_shortest_paths(streets, 0, 2, 2)]
    [(7, [0, 1, 2]), (8, [0, 1, 3, 2])]
    """
    return Solver(graph).k_shortest_paths(source, target, k, max_length=max_length)


def alternatives(
    graph: Any,
    source: Any,
    target: Any,
    k: int = 3,
    *,
    sharing: float = 0.8,
    stretch: float = 1.25,
    local: float | None = None,
    method: str = "via",
) -> list[Route]:
    """Return the shortest route and routes that differ from it, without small detours.

    Parameters
    ----------
    graph, source, target : as in `k_shortest_paths`.
    k : the largest number of routes.
    sharing : the largest length that a route shares with those before it; with turns, an edge is
        shared if the edge before it is the same.
    stretch : the largest length of a route.
    local : every part of a route up to this length is a shortest path; None means 0.25 by "via" and
        0 by "penalty". All three are shares of the length of the shortest route.
    method : "via" for shortest routes via single vertices; "penalty" for routes that are the
        cheapest while the edges of those before cost more, which finds others but takes longer.

    Returns
    -------
    list of Route
        The shortest route, as `path` returns it, then the best ones; fewer than k without an error.
        Each has the attributes ``sharing``, ``stretch`` and ``local``, its measures: those of its
        parts that are shorter than ``local`` are shortest paths.

    Raises
    ------
    NoPathError
        If there is no route at all.
    VertexError, InputError, NegativeWeightError, NotSupportedError, DistanceOverflowError

    Notes
    -----
    By "via", each route is the shortest one via some vertex. Of those that keep the bounds, the
    next one has the least 2 * length + shared length - plateau, where a plateau is a part that is
    in the trees of both ends. The routes of the 256 longest plateaus are considered. Searches from
    both ends cover all walks of the bounded length; short searches along some routes follow.
    Memory: about 40 bytes for each vertex of the graph.

    A Solver with labels (``wp.prepare(graph, labels=True)``) considers the routes via ancestors of
    both ends in the elimination tree, which are fewer, and may return others. It takes a seventh
    of the time on New York's roads; only sums of weights that are exact allow it.

    By "penalty", the edges of a route add 0.4 of their weights to the costs of the next one, in
    each of at most 10 k rounds. The routes come in the order in which they were found.

    Sources: Abraham, Delling, Goldberg, Werneck 2013; Cambridge Vehicle Information Technology
    2005 (plateaus); Bader, Dees, Geisberger, Sanders 2011 (penalties).

    Examples
    --------
    >>> import warpath as wp
    >>> streets = [(0, 1, 4), (1, 3, 4), (0, 2, 5), (2, 3, 4), (1, 2, 2)]
    >>> [(list(route), route.stretch) for route in wp.alternatives(streets, 0, 3)]
    [([0, 1, 3], 1.0), ([0, 2, 3], 1.125)]
    """
    options: Any = {"sharing": sharing, "stretch": stretch, "local": local, "method": method}
    return Solver(graph).alternatives(source, target, k, **options)


def disjoint_paths(
    graph: Any, source: Any, target: Any, k: int = 2, by: str = "edges"
) -> list[Route]:
    """Return k routes that share no edge, or no vertex, of the least total length.

    Parameters
    ----------
    graph, source, target : as in `k_shortest_paths`. An edge of an undirected graph is used in one
        direction; each of parallel edges may be used.
    k : the number of routes.
    by : "edges", or "vertices" for routes that share no vertex between source and target. With
        turns "edges", in a directed graph whose forbidden sequences have two edges.

    Returns
    -------
    list of Route
        By length, then by vertices.

    Raises
    ------
    NoPathError
        If there are fewer than k; the message says how many.
    VertexError, InputError, NegativeWeightError, NotSupportedError, DistanceOverflowError

    Notes
    -----
    A bidirectional search, then k searches with potentials; O(k (m + n log n)) at worst. If there
    are fewer than k routes, the last search covers all that can be reached. Where sums of float
    weights are rounded, the total is the least up to n * eps.
    Sources: Suurballe 1974; Bhandari 1999.

    Examples
    --------
    >>> import warpath as wp
    >>> streets = [(0, 1, 1), (1, 3, 1), (0, 2, 2), (2, 3, 2), (1, 2, 0)]
    >>> [list(route) for route in wp.disjoint_paths(streets, 0, 3)]
    [[0, 1, 3], [0, 2, 3]]
    """
    return Solver(graph).disjoint_paths(source, target, k, by)


def all_shortest_paths(graph: Any, source: Any, target: Any) -> Iterator[Route]:
    """Return an iterator over all routes of the least length that pass no vertex twice.

    Parameters
    ----------
    graph, source, target : as in `k_shortest_paths`, which has the same order and memory. With
        turns, a route may pass a vertex twice, but no edge after the same beginning of a forbidden
        sequence.

    Returns
    -------
    iterator of Route

    Raises
    ------
    NoPathError
        By the iterator, if there is no route.
    VertexError, NegativeWeightError, NotSupportedError, DistanceOverflowError

    Examples
    --------
    >>> import warpath as wp
    >>> streets = [(0, 1, 1), (1, 3, 1), (0, 2, 1), (2, 3, 1)]
    >>> [list(route) for route in wp.all_shortest_paths(streets, 0, 3)]
    [[0, 1, 3], [0, 2, 3]]
    """
    return Solver(graph).all_shortest_paths(source, target)


def pareto_paths(
    graph: Any,
    source: Any,
    target: Any,
    second: Any,
    *,
    limit: float | str | None = None,
    epsilon: float | None = None,
    memory: int | str | None = None,
) -> Iterator[Route]:
    """Return an iterator over the routes that no other route beats in both of two costs.

    For each pair of costs that no other pair equals or beats in both there is one route. They come
    in order of their length, so that their second cost falls.

    Parameters
    ----------
    graph : weights of 0 or more; otherwise as in `sssp`. With turns, their costs add to the length
        alone, and a route may pass a vertex twice.
    source, target : vertices, as in `sssp`; a `Place` with ``snap="vertex"``.
    second : the second cost of the edges, 0 or more: a kept column, a unit or (m,) numbers, as
        `Graph.with_weights` takes them.
    limit : the second cost that no route exceeds; a number, or a text such as "10min" if the unit
        of the second cost is known.
    epsilon : leave out each route for which another one that is returned is no longer, and has at
        most 1 + epsilon times its second cost.
    memory : the bytes that the labels of the search may take, a number or a text such as ``"2G"``;
        the free memory when not given.

    Returns
    -------
    iterator of Route
        Each has ``length`` and ``second``. Each step searches one route.

    Raises
    ------
    NoPathError
        By the iterator, if there is no route, or none within the limit: the message has the least
        possible second cost.
    NotEnoughMemoryError
        By the iterator, in place of the next route, if the labels do not fit the memory.
    GraphError, InputError, VertexError, WeightError
    NegativeWeightError, NotSupportedError, DistanceOverflowError
        DistanceOverflowError if sums of costs may not fit 61 bits.

    Notes
    -----
    Of routes with the same two costs, the one is returned whose last edge is the first in the order
    of `Graph.edges`, then the edge before it, and so on; over edges with both costs 0, the search
    decides. Costs of which one is of floats are summed in float64. Where sums are rounded, a route
    that is better by n * eps may be missing.

    Bidirectional searches bound both costs, then BOA* extends paths in order of their length; their
    number may be exponential. Memory: 70 bytes a vertex, 32 to 104 for each path.
    Source: Hernandez Ulloa et al. 2020 (BOA*).

    Examples
    --------
    >>> import warpath as wp
    >>> streets = wp.Graph.of([(0, 1, 2), (1, 2, 5), (0, 2, 9), (1, 3, 1), (3, 2, 5)])
    >>> climb = [10, 0, 30, 0, 5]  # of the edges (0, 1), (0, 2), (1, 2), (1, 3), (3, 2)
    >>> [(route.length, route.second) for route in wp.pareto_paths(streets, 0, 2, climb)]
    [(7, 40), (8, 15), (9, 0)]
    """
    return Solver(graph).pareto_paths(
        source, target, second, limit=limit, epsilon=epsilon, memory=memory
    )


def constrained_path(
    graph: Any, source: Any, target: Any, second: Any, limit: float | str
) -> Route:
    """Return the shortest route whose second cost is within a limit.

    Parameters
    ----------
    graph, source, target, second, limit : as in `pareto_paths`, whose first route it is.

    Raises
    ------
    NoPathError
        If there is no route within the limit; the message has the least possible second cost.
    GraphError, InputError, VertexError, WeightError
    NegativeWeightError, NotSupportedError, DistanceOverflowError, NotEnoughMemoryError
        As `pareto_paths` raises them.

    Notes
    -----
    The search of `pareto_paths`. After 65,536 labels the sum of the length and a multiple of the
    second cost bounds it, too: the Lagrangian relaxation of the limit (Handler and Zang 1980).

    Examples
    --------
    >>> import warpath as wp
    >>> streets = wp.Graph.of([(0, 1, 2), (1, 2, 5), (0, 2, 9), (1, 3, 1), (3, 2, 5)])
    >>> list(wp.constrained_path(streets, 0, 2, [10, 0, 30, 0, 5], 20))
    [0, 1, 3, 2]
    """
    return Solver(graph).constrained_path(source, target, second, limit)


def count_shortest_paths(graph: Any, source: Any) -> Array:
    """Return the number of shortest paths from a source to each vertex.

    Parameters
    ----------
    graph : as in `sssp`, without turns. Of parallel edges one counts.
    source : a vertex, as in `sssp`.

    Returns
    -------
    numpy.ndarray
        (n,) Python integers of any size: 1 for the source, 0 for vertices that are not reached.

    Raises
    ------
    GraphError
        If shortest paths may lead around a cycle of length 0.
    VertexError, NegativeCycleError, NotSupportedError

    Notes
    -----
    `sssp`, then O(n + m) additions over the edges of shortest paths. Lengths of floats count as
    equal if their sums from the source are equal.

    Examples
    --------
    >>> import warpath as wp
    >>> wp.count_shortest_paths([(0, 1, 1), (1, 3, 1), (0, 2, 1), (2, 3, 1)], 0)
    array([1, 1, 1, 2], dtype=object)
    """
    return Solver(graph).count_shortest_paths(source)


def plan(
    graph: Any,
    source: Any = None,
    target: Any = None,
    *,
    sources: Any = None,
    targets: Any = None,
    origins: Any = None,
    destinations: Any = None,
    cutoff: float | str | None = None,
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
    origins, destinations : ask about `pairs`; one table of trips as `origins` does, too.
    cutoff : as in `sssp`. The plan depends on it where a prepared graph has one source.
    graph, algorithm, device, threads, params : as in `sssp`. The graph alone asks about `apsp`.

    Raises
    ------
    InputError
        If destinations are given without origins, or origins that are no table of trips without
        destinations.
    VertexError, NotEnoughMemoryError, NotSupportedError

    Examples
    --------
    >>> import warpath as wp
    >>> wp.plan([(0, 1, -2), (1, 2, 5)], 0).algorithm
    'classic.bellman_ford'
    """
    return solver_of(graph, algorithm, device, threads, params).plan(
        source,
        target,
        sources=sources,
        targets=targets,
        origins=origins,
        destinations=destinations,
        cutoff=cutoff,
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


def accessibility(
    graph: Any,
    opportunities: Any,
    cutoffs: float | str | ArrayLike | None = None,
    *,
    origins: Any = None,
    weights: Any = None,
    decay: str | Callable[[Array], Any] = "step",
    beta: float | None = None,
    nearest: int | None = None,
    competition: str | None = None,
    demand: ArrayLike | None = None,
    by: Any = None,
    algorithm: str | Recipe = "auto",
    device: Any = "auto",
    threads: int | None = None,
    progress: Progress = None,
) -> Accessibility:
    """Add up for each origin the opportunities that it reaches, without a table of distances.

    Parameters
    ----------
    opportunities, origins : vertices or places, as in `distances`; all vertices for None.
        Opportunities at one vertex count as one with the sum of their weights.
    cutoffs : the largest distance that counts, or several, as in `within`; None for no limit.
    weights : (k,) numbers >= 0, one for each opportunity, such as jobs; or columns of them: a
        dictionary, a data frame, or names of columns of the data frame of opportunities. 1 each
        when not given.
    decay : what an opportunity within the cutoff counts: "step": its weight; "exponential": that
        times exp(-beta * distance); "gravity": that times distance ** -beta, where distances below
        1 count as 1. Or a function that returns a factor for each entry of an array of distances.
    beta : a number > 0, of "exponential" per unit of the weights of edges.
    nearest : count only that many opportunities of each origin, of equally near ones those of the
        smallest index.
    competition : "2sfca" divides the weight of each opportunity by the demand that reaches it,
        decayed in the same way (two-step floating catchment areas). One that no demand reaches
        counts 0.
    demand : (o,) numbers >= 0, the people at each origin, for competition; 1 each when not given.
    by : what cutoffs are measured in along the shortest paths, in place of the weights, as in
        `warpath.centrality.betweenness`; the decay is that of the distance.
    graph : as in `distances`; or a Solver, prepared or not, whose options are used.
    algorithm, device, threads, progress : as in `distances`.

    Returns
    -------
    Accessibility
        ``values`` (o,) float64, with a further axis for a list of cutoffs, and one for columns of
        weights.

    Raises
    ------
    InputError
        If a cutoff, weight or other option is not valid, or the function does not return a finite
        number for each distance.
    VertexError, NegativeCycleError, DistanceOverflowError, NotEnoughMemoryError, NotSupportedError

    Notes
    -----
    Distances lead from origins to opportunities. They are computed for the smaller number of both,
    in the reversed graph for opportunities, where sums of floats may be rounded in another way.
    Small cutoffs take local searches, others the rows of `distances`, in a hierarchy where that is
    predicted to save time. Terms are added in the order of the vertices: the same bits with any
    number of threads, and for integer weights with any algorithm.

    Examples
    --------
    >>> import warpath as wp
    >>> street = wp.Graph.of([("a", "b", 2), ("b", "c", 5)], directed=False)
    >>> jobs = wp.accessibility(street, ["b", "c"], [2, 7], weights=[100, 50])
    >>> jobs.origins, jobs.values
    (array(['a', 'b', 'c'], dtype='<U1'), array([[100., 150.],
           [100., 150.],
           [ 50., 150.]]))
    """
    solver = _solver_of_call(graph, algorithm, device, threads, prepared="auto")
    return solver.accessibility(
        opportunities,
        cutoffs,
        origins=origins,
        weights=weights,
        decay=decay,
        beta=beta,
        nearest=nearest,
        competition=competition,
        demand=demand,
        by=by,
        progress=progress,
    )


def _solver_of_call(
    graph: Any, algorithm: str | Recipe, device: Any, threads: int | None, *, prepared: bool | str
) -> Solver:
    """Return the Solver that a call was given, or one of its graph."""
    if not isinstance(graph, Solver):
        return solver_of(graph, algorithm, device, threads, prepared=prepared)
    if (algorithm, device, threads) != ("auto", "auto", None):
        msg = "algorithm, device and threads are options of the Solver: give them when it is made."
        raise InputError(msg)
    return graph


def distances(
    graph: Any,
    sources: Any,
    targets: Any = None,
    *,
    algorithm: str | Recipe = "auto",
    device: Any = "auto",
    threads: int | None = None,
    params: dict[str, float] | None = None,
    cutoff: float | str | None = None,
    dist_dtype: DTypeLike | None = None,
    predecessors: bool = False,
    out: Any = None,
    progress: Progress = None,
    trace: bool = False,
    missing: str = "raise",
    also: Sequence[str] = (),
    avoid: Any = None,
    only: Any = None,
) -> DistanceTable:
    """Distances from several sources to several targets, or to every vertex.

    Each search stops when its targets are settled; the threads share the sources.

    Parameters
    ----------
    sources, targets : vertices, as in `sssp`, one or several. ``targets=None`` means all.
    predecessors : keep the vertex before each target on a shortest path as ``pred`` (k, t). Routes
        need it no more than ``DistanceTable.path``, which finds them again from the distances.
    out : where the (k, t) distances go, as in `apsp`.
    device : "cpu", or "cuda", "cuda:1"; "auto" is as in `sssp`. Predecessors are made on
        the CPU, from the distances. Several devices share the rows, each at its measured rate:
        "all" is the CPU and each GPU, ``"cuda:*"`` each GPU, "cuda:0,2" those two. A
        `dask.distributed` Client, "dask" for the current one or the address of a scheduler,
        "tcp://10.0.0.4:8786", means that the workers share the rows; where `out` is a ``.zarr``
        file, they write them.
    graph, algorithm, threads, params, cutoff, dist_dtype, progress : as in `sssp`.
    avoid, only : as in `path`.
    trace : as in `sssp`; on a GPU of published variants only.
    missing : "raise" for an error where places have no point of the network near; "flag" for rows
        and columns that are unreachable, also for entries that are None, NaN or NA. The result says
        in ``missing`` which these are, and counts them in the notes of its plan.
    also : names of kept columns of numbers (see `Graph.edge_table`), whose sums along the shortest
        routes are added up, on the CPU: ``also["length"]`` (k, t) of the result. Not on clusters,
        nor where `out` is a file or a function.

    Returns
    -------
    DistanceTable
        ``dist`` (k, t), with the names of its rows and columns; ``path(s, t)``, ``paths_from(s)``.

    Raises
    ------
    VertexError, NegativeCycleError, DistanceOverflowError, NotEnoughMemoryError, NotSupportedError
    OutputError
        Where `out` cannot be written, or holds part of another query.

    Examples
    --------
    >>> import warpath as wp
    >>> wp.distances([(0, 1, 2), (1, 2, 5)], sources=[0, 1], targets=[2]).dist
    array([[7],
           [5]])
    """
    return solver_of(graph, algorithm, device, threads, params).distances(
        sources,
        targets,
        cutoff=cutoff,
        dist_dtype=dist_dtype,
        predecessors=predecessors,
        out=out,
        progress=progress,
        trace=trace,
        missing=missing,
        also=also,
        avoid=avoid,
        only=only,
    )


def pairs(
    graph: Any,
    origins: Any,
    destinations: Any = None,
    *,
    algorithm: str | Recipe = "auto",
    device: Any = "auto",
    threads: int | None = None,
    dist_dtype: DTypeLike | None = None,
    out: Any = None,
    progress: Progress = None,
    missing: str = "raise",
    also: Sequence[str] = (),
    avoid: Any = None,
    only: Any = None,
) -> Pairs:
    """Distances of several trips: trip i goes from ``origins[i]`` to ``destinations[i]``.

    Parameters
    ----------
    origins, destinations : (k,) vertices, as in `sssp`, as many of each. Or, in place of both, one
        data frame or dictionary of columns with a row for each trip. The ends are in the columns
        ``origin`` and ``destination``; else in ``origin_lon``, ``origin_lat``, ``destination_lon``
        and ``destination_lat``; else in another known pair, such as ``source`` and ``target``. The
        result keeps the other columns, as `Pairs.with_columns` does.
    device : as in `sssp`, or a Dask cluster as in `distances`.
    out : (k,) array of the distances' type, of NumPy or on a GPU, that takes the distances and is
        ``dist`` of the result; None for a new one. A Solver from ``prepare(graph, labels=True,
        device="cuda")`` reads origins and destinations that are integers on the same GPU there,
        and copies nothing.
    missing : as in `distances`, for trips.
    also : names of kept columns, as in `distances`, whose sums along the routes the result has as
        ``also``, (k,) by name, as `Pairs.along` returns them. Routes are searched on the CPU.
    graph, algorithm, threads, dist_dtype, progress : as in `sssp`.
    avoid, only : as in `path`.

    Returns
    -------
    Pairs
        ``dist`` (k,), and ``route(i)`` for the path of one trip.

    Raises
    ------
    InputError
        If there are not as many destinations as origins.
    VertexError, NegativeCycleError, DistanceOverflowError, NotEnoughMemoryError, NotSupportedError

    Notes
    -----
    One search for each different origin, O(m + n log n). A graph with thousands of trips should
    be prepared first: ``warpath.prepare(graph).pairs(origins, destinations)`` takes some
    microseconds for each.

    Examples
    --------
    >>> import warpath as wp
    >>> wp.pairs([(0, 1, 2), (1, 2, 5)], [0, 1], [2, 2]).dist
    array([7, 5])
    >>> trips = {"trip_id": ["a", "b"], "source": [0, 1], "target": [2, 2]}
    >>> print(wp.pairs([(0, 1, 2), (1, 2, 5)], trips).to_json())
    [{"trip_id": "a", "origin": 0, "destination": 2, "distance": 7}, {...}]
    """
    return solver_of(graph, algorithm, device, threads, None).pairs(
        origins,
        destinations,
        dist_dtype=dist_dtype,
        out=out,
        progress=progress,
        missing=missing,
        also=also,
        avoid=avoid,
        only=only,
    )


def loads(
    graph: Any,
    origins: Any,
    destinations: Any = None,
    trips: ArrayLike | None = None,
    *,
    ties: str = "canonical",
    through: Any = None,
    algorithm: str | Recipe = "auto",
    device: Any = "auto",
    threads: int | None = None,
    progress: Progress = None,
) -> Centrality:
    """Count the trips over each edge and through each vertex.

    Parameters
    ----------
    origins, destinations : as in `pairs`.
    trips : (k,) numbers >= 0, or one for all: how many trips go from each origin to its
        destination. With a table in place of origins and destinations, also the name of a column.
        When not given, the table's column ``trips``, if it has one; else 1.
    ties : "canonical": of equally short routes, all trips take the one that `path` returns.
        "split": they take each of them, evenly.
    through : edges, in one of the forms that `avoid` of `path` takes: only the trips whose
        canonical route uses one of them are counted (a *select link* analysis). The result's
        ``through`` says which. ``{"vertices": [v]}`` selects the edges from and to v.
    graph : as in `pairs`; or a Solver, prepared or not, whose options are used.
    algorithm, device, threads, progress : as in `pairs`; routes are searched on the CPU.

    Returns
    -------
    Centrality
        ``edges`` (m,) float64: the trips over each stored edge, in its direction. ``vertices``
        (n,): the trips that pass each vertex, begin or end there.
        ``stats["trips_without_path"]``. With `through`, ``through`` (k,) bool: the trips counted.

    Raises
    ------
    InputError, GraphError
        If `through` names an edge or a column that the graph does not have, the numbers of trips
        and origins differ, a number of trips is negative or not finite, the
        sum on an edge is not finite, the table has no column that ``trips`` names, or options are
        given together with a Solver.
    VertexError, NegativeCycleError, NotEnoughMemoryError
    WeightError, NegativeWeightError, DistanceOverflowError, NotSupportedError
        With ties="split": if an edge has the length 0 or less, two vertices have more than 1e300
        shortest paths, or shortest paths cannot be counted, as over turns.

    Notes
    -----
    By labels, which are computed if that is predicted to pay, or by searches. On a road network of
    264,346 vertices 1,000,000 trips take 3 s by labels on two threads, after 2 s to compute these.
    The numbers are added in a fixed order: the same bits with any number of threads. Of parallel
    edges the first lightest one has the trips.

    Examples
    --------
    >>> import warpath as wp
    >>> wp.loads([(0, 1, 2), (1, 2, 5)], [0, 1], [2, 2], trips=[10, 5]).edges
    array([10., 15.])
    """
    solver = _solver_of_call(graph, algorithm, device, threads, prepared="auto")
    return solver.loads(origins, destinations, trips, ties=ties, through=through, progress=progress)


def apsp(
    graph: Any,
    *,
    algorithm: str | Recipe = "auto",
    device: Any = "auto",
    threads: int | None = None,
    params: dict[str, float] | None = None,
    dist_dtype: DTypeLike | None = None,
    predecessors: bool = False,
    out: Any = None,
    progress: Progress = None,
    trace: bool = False,
) -> DistanceTable:
    """Distances between all pairs of vertices.

    Parameters
    ----------
    predecessors : as in `distances`: ``pred`` (n, n).
    out : where the (n, n) distances go. An array of the right shape and type, with
        ``device="cuda"`` also one of the GPU; the path of a ``.npy`` or ``.zarr`` file, which is
        written block by block and mapped, not held; or a function of (rows: slice, values), called
        with one block after another, whose values it copies if it keeps them.
    device, trace : as in `distances`. Floyd-Warshall on a GPU that does not hold the matrix lets
        tiles of it pass through, from memory of the host or from the ``.npy`` file.
    graph, algorithm, threads, params, dist_dtype, progress : as in `sssp`.

    Returns
    -------
    DistanceTable
        ``dist`` (n, n): ``out`` where it was given, None where that is a function.

    Raises
    ------
    NegativeCycleError, DistanceOverflowError, NotEnoughMemoryError, NotSupportedError
    OutputError
        Where `out` cannot be written, or holds part of another query.

    Notes
    -----
    Dijkstra from every source, O(n m + n^2 log n), or Floyd-Warshall, O(n^3), or for negative
    weights Johnson, whichever is predicted to be faster. Float distances of the last two agree with
    the others' within n * eps, because they form sums in another order.

    While a file is written, ``NAME.part`` holds the rows that are done, ``NAME.part.json`` says how
    many, of which question and with which checksum, and ``NAME.part.lock`` keeps other processes
    out. When a run was stopped the same call goes on from there: ``stats["resumed"]`` is the number
    of rows that it found. It reads them again, and raises OutputError if they are not what was
    written. A symbolic link is followed: it stays, and the file that it leads to is replaced.

    Examples
    --------
    >>> import warpath as wp
    >>> wp.apsp([(0, 1, 2), (1, 0, 5)]).dist
    array([[0, 2],
           [5, 0]])
    """
    return solver_of(graph, algorithm, device, threads, params).apsp(
        dist_dtype=dist_dtype, predecessors=predecessors, out=out, progress=progress, trace=trace
    )


def totals(
    graph: Any,
    reduce: str | Sequence[str] | Reduction,
    *,
    sources: Any = None,
    targets: Any = None,
    algorithm: str | Recipe = "auto",
    device: Any = "auto",
    threads: int | None = None,
    params: dict[str, float] | None = None,
    cutoff: float | str | None = None,
    progress: Progress = None,
    missing: str = "raise",
) -> Totals:
    """Add up, count or compare the distances from each source, without a table of them.

    Parameters
    ----------
    reduce : "sum", "max", "count" or "harmonic", or several of them: the sum of the distances, the
        largest distance, the number of targets that are reached, and the sum of the inverses of
        the distances. Targets that cannot be reached are left out, and so are distances of 0 of
        the sum of inverses. Or a function of (sources, distances), for anything else: it is called
        with a block of b sources at a time, in order, as the graph names them, and with their
        (b, t) distances, as `distances` returns them, which the next block overwrites. It returns
        an array of b entries or rows. It is called by the thread of the caller; the distances of a
        block are found on `threads`, and are on the host.
    sources, targets : vertices, as in `sssp`, one or several; all when not given. A target that is
        named twice counts twice.
    graph, algorithm, device, threads, params, cutoff, progress, missing : as in `distances`.

    Returns
    -------
    Totals
        ``totals["sum"]`` (k,) for each requested name, and ``to_pandas()``. Sums of integers and
        counts are int64 and exact; other sums are float64. What a function returned is named by
        its ``__name__``, else "reduce": (k,), or (k, ...) for rows.

    Raises
    ------
    InputError
        If a name in `reduce` is not valid, or a function does not return an entry or a row for
        each source. What the function raises itself comes unchanged.
    DistanceOverflowError
        If a sum of integer distances may not fit 64 bits.
    VertexError, NegativeCycleError, NotEnoughMemoryError, NotSupportedError

    Notes
    -----
    Time as for `distances`; memory O(n) for each source that is searched from at a time. A graph
    from `warpath.prepare` is added up where it is swept, without rows of a table, on a GPU as well.

    Examples
    --------
    >>> import warpath as wp
    >>> near = wp.totals([(0, 1, 2), (1, 2, 5)], ["sum", "count"])
    >>> near["sum"], near["count"]
    (array([9, 5, 0]), array([3, 2, 1]))
    >>> def nearby(sources, distances):
    ...     return (distances <= 5).sum(axis=1)
    >>> wp.totals([(0, 1, 2), (1, 2, 5)], nearby)["nearby"]
    array([2, 2, 1])
    """
    return solver_of(graph, algorithm, device, threads, params).totals(
        reduce, sources=sources, targets=targets, cutoff=cutoff, progress=progress, missing=missing
    )


def nearest(
    graph: Any,
    facilities: Any,
    *,
    reverse: bool = False,
    algorithm: str | Recipe = "auto",
    device: Any = "auto",
    threads: int | None = None,
    params: dict[str, float] | None = None,
    cutoff: float | str | None = None,
    dist_dtype: DTypeLike | None = None,
    progress: Progress = None,
    missing: str = "raise",
) -> Nearest:
    """Find for every vertex the nearest of several facilities, in one search.

    Parameters
    ----------
    facilities : vertices, as the sources of `distances`, or ``{vertex: name}`` for the names in
        pictures and maps. One given twice counts once.
    reverse : False measures from a facility to the vertex, as an ambulance drives; True from the
        vertex to the facility, as its customers do.
    device : as in `sssp`, or a Dask cluster as in `distances`, of which one worker searches.
    missing : "raise" for an error where places have no vertex near; "flag" to leave out these
        facilities and those that are None, NaN or NA. The result says in ``missing`` which they
        are.
    graph, algorithm, threads, params, cutoff, dist_dtype, progress : as in `sssp`.

    Returns
    -------
    Nearest
        ``dist`` (n,) and ``facility`` (n,). Of equally near facilities it is the one of the
        smallest index.

    Raises
    ------
    VertexError, NegativeWeightError, NegativeCycleError, DistanceOverflowError, NotSupportedError

    Notes
    -----
    The search starts from a vertex more, with an edge of length 0 to each facility, so any
    algorithm of `sssp` can do it: O(m + n log n) or better, however many facilities there are.
    ``dist`` has the bits of the least entry of each column of ``distances(graph, facilities)``.
    With ``reverse`` floats are added from the facility on; they agree within n * eps. A vertex
    belongs to the facilities from which edges lead to it that fit ``dist`` to the last bit.

    Examples
    --------
    >>> import warpath as wp
    >>> found = wp.nearest([(0, 1, 2), (1, 2, 2), (3, 2, 1)], [0, 3])
    >>> found.dist, found.facility
    (array([0, 2, 1, 0]), array([0, 0, 3, 3], dtype=int32))
    """
    return solver_of(graph, algorithm, device, threads, params).nearest(
        facilities,
        reverse=reverse,
        cutoff=cutoff,
        dist_dtype=dist_dtype,
        progress=progress,
        missing=missing,
    )


def within(
    graph: Any,
    source: Any,
    cutoff: float | str | ArrayLike,
    *,
    reverse: bool = False,
    algorithm: str | Recipe = "auto",
    device: str = "auto",
    threads: int | None = None,
    params: dict[str, float] | None = None,
    progress: Progress = None,
    avoid: Any = None,
    only: Any = None,
) -> Within:
    """Find the vertices within one or several distances of one or several sources: isochrones.

    Parameters
    ----------
    cutoff : one number or several, 0 or more, in the weights' unit, or texts as in `sssp`. The
        search stops at the largest.
    reverse : False for what the source reaches within a cutoff; True for what reaches it.
    source : a vertex, or several: a vertex is within a cutoff if it is of the nearest of them. Or
        ``{vertex: name}`` for the names in pictures and maps.
    graph, algorithm, device, threads, params, progress : as in `sssp`.
    avoid, only : as in `path`.

    Returns
    -------
    Within
        ``vertices`` (r,) and ``dist`` (r,), the nearest first; ``counts`` (k,) and ``band`` (r,)
        for several cutoffs; ``plot()``, ``to_geodataframe()``.

    Raises
    ------
    InputError
        A cutoff that is not a finite number, or is below 0.
    VertexError, NegativeWeightError, NegativeCycleError, DistanceOverflowError, NotSupportedError

    Notes
    -----
    ``dist`` has the bits of `sssp`. O(r log r) time and O(r) memory for r vertices and edges within
    the largest cutoff if r is expected to be small, for options that choose the algorithm; else
    O(n) and then as `sssp`. Several sources take one search, as in `nearest`.

    Examples
    --------
    >>> import warpath as wp
    >>> near = wp.within([(0, 1, 2), (1, 2, 5), (2, 3, 9)], 0, [3, 10])
    >>> near.vertices, near.dist, near.counts
    (array([0, 1, 2]), array([0, 2, 7]), array([2, 3]))
    """
    return solver_of(graph, algorithm, device, threads, params).within(
        source, cutoff, reverse=reverse, progress=progress, avoid=avoid, only=only
    )


def eccentricity(
    graph: Any,
    sources: Any = None,
    *,
    algorithm: str | Recipe = "auto",
    device: str = "auto",
    threads: int | None = None,
    params: dict[str, float] | None = None,
    progress: Progress = None,
) -> Array:
    """Return the eccentricity of vertices: the largest distance from each to any vertex.

    Parameters
    ----------
    sources : vertices, as in `sssp`, one or several; all when not given.
    graph, algorithm, device, threads, params, progress : as in `distances`.

    Returns
    -------
    numpy.ndarray
        (k,) of the distances' type, in the order of the sources. A vertex that does not reach every
        other one has the value of an unreachable vertex: inf, or the largest integer.

    Raises
    ------
    VertexError, NegativeCycleError, DistanceOverflowError, NotEnoughMemoryError, NotSupportedError

    Notes
    -----
    The time of `distances` from the sources to all vertices, without a table of them. The largest
    distance to the vertices that are reached, however few, is ``totals(graph, "max")``.

    Examples
    --------
    >>> import warpath as wp
    >>> wp.eccentricity([(0, 1, 2), (1, 2, 5), (2, 0, 1)])
    array([7, 6, 3])
    """
    return solver_of(graph, algorithm, device, threads, params).eccentricity(
        sources, progress=progress
    )


def diameter(
    graph: Any,
    *,
    algorithm: str | Recipe = "auto",
    device: str = "auto",
    threads: int | None = None,
    params: dict[str, float] | None = None,
    progress: Progress = None,
) -> float:
    """Return the diameter of a graph: the largest distance between two vertices.

    Parameters
    ----------
    graph, algorithm, device, threads, params, progress : as in `distances`.

    Returns
    -------
    int or float

    Raises
    ------
    GraphError
        If a vertex does not reach every other one, or there are no vertices.
    NegativeCycleError, DistanceOverflowError, NotEnoughMemoryError, NotSupportedError

    Notes
    -----
    A few searches bound the eccentricities of all vertices, and those that bounds leave open are
    computed: 11 searches on New York's roads. In graphs with turns, closed vertices, float32 or
    negative weights, or with an algorithm named, there is a search from every vertex.

    Examples
    --------
    >>> import warpath as wp
    >>> wp.diameter([(0, 1, 2), (1, 2, 5), (2, 0, 1)])
    7
    """
    return solver_of(graph, algorithm, device, threads, params).diameter(progress=progress)


def radius(
    graph: Any,
    *,
    algorithm: str | Recipe = "auto",
    device: str = "auto",
    threads: int | None = None,
    params: dict[str, float] | None = None,
    progress: Progress = None,
) -> float:
    """Return the radius of a graph: the smallest eccentricity of its vertices.

    Parameters
    ----------
    graph, algorithm, device, threads, params, progress : as in `distances`.

    Returns
    -------
    int or float
        Vertices that do not reach every other one do not count.

    Raises
    ------
    GraphError
        If no vertex reaches every other one, or there are no vertices.
    NegativeCycleError, DistanceOverflowError, NotEnoughMemoryError, NotSupportedError

    Notes
    -----
    A few searches bound the eccentricities of all vertices, and those that bounds leave open are
    computed: 15 searches on New York's roads. In graphs with turns, closed vertices, float32 or
    negative weights, or with an algorithm named, there is a search from every vertex.

    Examples
    --------
    >>> import warpath as wp
    >>> wp.radius([(0, 1, 2), (1, 2, 5), (2, 0, 1)])
    3
    """
    return solver_of(graph, algorithm, device, threads, params).radius(progress=progress)


def center(
    graph: Any,
    *,
    algorithm: str | Recipe = "auto",
    device: str = "auto",
    threads: int | None = None,
    params: dict[str, float] | None = None,
    progress: Progress = None,
) -> Array:
    """Return the center of a graph: the vertices whose eccentricity is the radius.

    Parameters
    ----------
    graph, algorithm, device, threads, params, progress : as in `distances`.

    Returns
    -------
    numpy.ndarray
        The vertices as the graph names them, in ascending order of their indices.

    Raises
    ------
    GraphError
        If no vertex reaches every other one, or there are no vertices.
    NegativeCycleError, DistanceOverflowError, NotEnoughMemoryError, NotSupportedError

    Notes
    -----
    A few searches bound the eccentricities of all vertices, and those that bounds leave open are
    computed: 15 searches on New York's roads. In graphs with turns, closed vertices, float32 or
    negative weights, or with an algorithm named, there is a search from every vertex.

    Examples
    --------
    >>> import warpath as wp
    >>> wp.center([("a", "b", 2), ("b", "c", 5), ("c", "a", 1)])
    array(['c'], dtype='<U1')
    """
    return solver_of(graph, algorithm, device, threads, params).center(progress=progress)


def prepare(
    graph: Any,
    *,
    labels: bool | Literal["auto"] = False,
    memory: int | str | None = None,
    device: str = "auto",
    threads: int | None = None,
    progress: Progress = None,
) -> Solver:
    """Build a contraction hierarchy of a graph, and return a Solver that searches in it.

    It pays if many routes, pairs or tables of a graph are computed: on a road network of 264,346
    vertices it takes some seconds, and then a pair takes a thousandth of what a search in the graph
    takes. The hierarchy is kept with the graph, so that a second call returns at once.

    Parameters
    ----------
    graph : anything that `Graph.of` takes, with weights >= 0.
    labels : whether the Solver keeps, for each vertex, the distances to and from its ancestors in
        an elimination tree, of which two give a distance: pairs then take 0.2 us each on New York
        in place of 4, and small tables gain as much. They take 240 MB and two seconds there, more
        on larger networks for each vertex. "auto": if they fit a quarter of the free memory.
    memory : the bytes that labels may take, a number or text such as ``"2G"``. Where those to
        ancestors take more, on the CPU with ``labels=True``, pruned hub labels take their place: on
        a road network of a million vertices 1.4 GB in place of 3.4 and 1.7 us a pair, but a minute
        to compute, and no routes.
    device : as in `sssp`: where pairs, tables and totals are computed. Hierarchy and labels are
        always made on the CPU; with "cuda" they are copied to the GPU, too.
    threads : threads that build it and that the Solver uses; all cores that the process may use
        when not given. Any number of threads builds the same hierarchy.
    progress : as in `sssp`; it counts the vertices that are contracted.

    Returns
    -------
    Solver
        Integer distances, trees and routes are those of an unprepared graph, bit for bit; float
        distances of `pairs` and tables agree within n * eps, because shortcuts form sums in
        another order. One source and one route with float weights are searched in the graph
        itself.

    Raises
    ------
    NegativeWeightError
        If a weight is negative.
    NotSupportedError
        If contracting vertices makes the rest of the graph denser and denser, as in a social
        network, or labels are wanted for an emulated device or a cluster.
    DistanceOverflowError
        If the sums of shortcuts may not fit 64 bits.
    NotEnoughMemoryError
        If building the hierarchy is predicted to take more than the free memory, or labels would
        take more than they may, or with the hierarchy more than the GPU has free.

    Notes
    -----
    Source: Geisberger, Sanders, Schultes, Delling, Contraction hierarchies, 2008; of labels: Ouyang
    et al., When hierarchy meets 2-hop-labeling, 2018; of hub labels: Abraham et al., Hierarchical
    hub labelings for shortest paths, 2012. Memory of the hierarchy: on road networks
    about as much as the graph takes, and five to eight times as much while it is built.

    Examples
    --------
    >>> import warpath as wp
    >>> city = wp.prepare([(0, 1, 2), (1, 2, 5), (2, 0, 1)])
    >>> city.pairs([0, 2], [2, 1]).dist
    array([7, 3])
    """
    solver = solver_of(graph, "auto", device, threads)  # refuses options that are not valid
    solver._place()  # noqa: SLF001 - refuses devices that do not work
    if labels is not False and not uses_labels(device):
        msg = (
            f"labels = {labels!r} has no effect on device={device!r}, as labels are used on the "
            "CPU and on GPUs: leave labels= or device= out."
        )
        raise NotSupportedError(msg)
    prepare_graph(solver.graph, threads, progress, with_labels=labels, memory=memory, device=device)
    return Solver(
        solver.graph, device=device, threads=threads, prepared=True
    )  # copies the hierarchy


def load(
    path: str | os.PathLike[str],
    *,
    graph: Any = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Solver:
    """Load a prepared graph that `Solver.save` wrote, and return a Solver that searches in it.

    The file is mapped into memory: the graph's edges are not copied, and processes that load the
    same file share them. The file must stay as it is as long as the graph is used; `Solver.save`
    replaces a file without changing the one that is mapped.

    Parameters
    ----------
    path : a .wph file.
    graph : the graph that the file must have been prepared for, as anything that `Graph.of` takes;
        the Solver then has this graph, with its own labels and coordinates. None: the graph in the
        file.
    threads : threads that the Solver uses; all cores that the process may use when not given.
    progress : True for a bar on stderr, or a function of bytes done and bytes in total.

    Returns
    -------
    Solver
        As `prepare` returns it.

    Raises
    ------
    GraphFormatError
        The file does not exist, is not a prepared graph, is of another version, or is damaged:
        every byte is checked.
    InputError
        The file was prepared for another graph than `graph`.
    NotEnoughMemoryError
        The memory does not hold the hierarchy.

    Notes
    -----
    O(n + m): checksums, a copy of the hierarchy, and a search from one vertex and to it, whose
    distances are compared with the edges. New York's roads, 264,346 vertices and 733,846
    edges, take 25 ms, where reading the graph and preparing it takes 2.7 s.

    Examples
    --------
    >>> import tempfile
    >>> import warpath as wp
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     wp.prepare([(0, 1, 2), (1, 2, 5)]).save(f"{folder}/city.wph")
    ...     city = wp.load(f"{folder}/city.wph")
    >>> city.path(0, 2).length
    7
    """
    return Solver(loaded(path, graph, progress), threads=threads, prepared=True)
