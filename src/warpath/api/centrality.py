"""Centralities: which vertices and edges lie on shortest paths, and which vertices are central.

Names, defaults and values are NetworkX's where it has the function; `reach`, `gravity` and
`straightness` are those of Urban Network Analysis. The module is one idea: its functions are all of
`warpath.centrality`, over three loops that they share.

>>> import warpath as wp
>>> town = wp.Graph.of([("a", "b", 2), ("b", "c", 1), ("c", "d", 2), ("b", "d", 3)], directed=False)
>>> wp.centrality.betweenness(town).vertices
array([0.        , 0.66666667, 0.33333333, 0.        ])
"""

from __future__ import annotations

import math
import random
import time
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from warpath.api import question as asking
from warpath.api.accessibility import (
    DecayedSums,
    checked_numbers,
    is_single,
    limits_of,
    measured_by,
)
from warpath.api.extremes import most_central
from warpath.api.nearest import few_expected
from warpath.api.prepared import with_hierarchy_if_faster
from warpath.api.solver import Solver
from warpath.api.totals import ON_THIS_MACHINE, totals_of
from warpath.base import settings, units
from warpath.base.errors import GraphError, InputError, NotSupportedError
from warpath.base.progress import watch
from warpath.engines.base import WithPathSums
from warpath.engines.betweenness import betweenness_sums
from warpath.engines.registry import capability
from warpath.engines.weighted_sums import Decay, Straightness, largest
from warpath.graph.arguments import as_indices
from warpath.graph.checks import as_float, checked_bool, is_integer, shown
from warpath.graph.coordinates import EARTH_RADIUS, in_degrees, on_sphere
from warpath.graph.export import refuse_closed
from warpath.graph.labels import one_label
from warpath.graph.turns import refuse_turns
from warpath.planner.cpu_model import Destination, Size
from warpath.recipes import CATALOGUE, Task
from warpath.results.centrality import Centrality

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

    from warpath.api.options import Options
    from warpath.api.question import Progress
    from warpath.base.dtypes import Array
    from warpath.base.progress import Report
    from warpath.engines.betweenness import Elsewhere, PathShares, Sums
    from warpath.graph import Graph
    from warpath.planner.plan import Plan
    from warpath.results.totals import Totals

#: The probability that a sample for an error exceeds it.
_FAILURE = 0.1

#: What vertices within a cutoff count for `totals`.
_DECAYS = {"sum": "distance", "count": "step", "harmonic": "inverse"}

__all__ = [
    "betweenness",
    "closeness",
    "eccentricity",
    "edge_betweenness",
    "gravity",
    "harmonic",
    "reach",
    "straightness",
    "top_closeness",
]


def betweenness(
    graph: Any,
    *,
    sources: Any = None,
    targets: Any = None,
    k: int | None = None,
    error: float | None = None,
    seed: int | None = None,
    normalized: bool = True,
    endpoints: bool = False,
    cutoff: float | str | ArrayLike | None = None,
    by: ArrayLike | str | None = None,
    threads: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Progress = None,
) -> Centrality:
    """Return for each vertex the share of the shortest paths that pass it.

    Parameters
    ----------
    graph : anything that `Graph.of` takes, or a Solver. A prepared Solver counts paths in a
        hierarchy; for a graph, one is made if it is predicted to save time. A Solver may name the
        algorithm "brandes2001.betweenness" or "warpath.counting_sweeps", and a GPU.
    sources, targets : vertices, as in `sssp`, one or several: only paths between these count. All
        when not given.
    k : count the paths from this number of random vertices to all, and scale the sums to all.
    error : in place of k: take as many random vertices as make all normalized numbers, of vertices
        and edges, right within this error with a probability of 0.9.
    seed : of the random numbers; the same as in NetworkX. None for other vertices at each call.
    normalized : whether to divide by the number of pairs of other vertices: (n - 1)(n - 2). False
        returns the number of pairs; an undirected pair counts once.
    endpoints : whether a path passes its ends, too.
    cutoff : the largest length of the paths that count, or several, as in `warpath.within`: all of
        them in one pass. None for no limit. Sums are divided as without it.
    by : the numbers of edges that cutoffs limit in place of the weights, such as metres where paths
        are the fastest ones: a kept column, a unit or (m,) numbers >= 0, as `Graph.with_weights`
        takes them. The least sum along the shortest paths of a pair counts.
    threads : threads on the CPU; those of the Solver, or all cores, when not given.
    checkpoint : a file name for a long call: after each 2,048 sources, ``NAME.part`` and its notes
        keep the sums. The same call, and seed, continues from there after it was stopped. They are
        removed at the end.
    progress : as in `sssp`; it counts sources.

    Returns
    -------
    Centrality
        ``vertices`` (n,), or (n, c) for a list of cutoffs; ``edges`` (m,) or (m, c), the shares of
        edges, which come with them, as `edge_betweenness` returns them. With k=1 and without
        endpoints, the vertex that was drawn has NaN in graphs of three vertices or more, as in
        NetworkX: it is an end of each path that was counted, which says nothing about the paths
        that pass it.

    Raises
    ------
    VertexError, InputError
        If a vertex does not exist, or k is not a number of vertices.
    WeightError, NegativeWeightError
        If an edge has the length 0 or less, or one that is lost in sums of floats.
    DistanceOverflowError
        If a distance does not fit its type, or two vertices have more than 1e300 shortest paths.
    NotSupportedError
        If the graph has turns or closed vertices, or the Solver several devices or another
        algorithm; on a GPU also with cutoffs, and for graphs whose paths no hierarchy counts.
    OutputError
        If a checkpoint cannot be written, or belongs to another call.
    NotEnoughMemoryError

    Notes
    -----
    Paths are equally short if their lengths are equal bit for bit, which is right for integers and
    for floats whose sums are exact. Other floats are added from the source on, and paths that
    differ by rounding alone do not count as equal: use integers, for example of millimetres. Of
    parallel edges the lightest one counts, once. Numbers of paths are exact up to 2^53; beyond that
    each sum of them has a relative error of at most 2^-53. Any number of threads returns the same
    bits. Numbers from a hierarchy may differ in the last bits from those without one. On a
    cluster each thread of a worker counts blocks of 2,048 sources, with the same bits, too.

    O(k (m + n log n)) for k sources by Brandes' algorithm; on a road network of 264,346 vertices a
    source takes 4 ms in a hierarchy, and 56 ms without. With a cutoff, there is no hierarchy, and
    the time is that of searches within it. With error, ln(20 (n + m)) / (2 error^2) + 1 sources, by
    Hoeffding's inequality for each vertex and edge: 3,364 for 0.05 on these roads. Memory:
    O(n + m) for each thread and cutoff.

    Examples
    --------
    >>> import warpath as wp
    >>> path = wp.Graph.of([(0, 1, 2), (1, 2, 5)], directed=False)
    >>> wp.centrality.betweenness(path).vertices
    array([0., 1., 0.])
    """
    how = {
        "sources": sources,
        "targets": targets,
        "k": k,
        "error": error,
        "seed": seed,
        "cutoff": cutoff,
        "by": by,
        "checkpoint": checkpoint,
    }
    kinds = {"normalized": normalized, "endpoints": endpoints}
    return _betweenness(graph, "betweenness", how, kinds, threads, progress)


def edge_betweenness(
    graph: Any,
    *,
    sources: Any = None,
    targets: Any = None,
    k: int | None = None,
    error: float | None = None,
    seed: int | None = None,
    normalized: bool = True,
    cutoff: float | str | ArrayLike | None = None,
    by: ArrayLike | str | None = None,
    threads: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Progress = None,
) -> Centrality:
    """Return for each edge the share of the shortest paths that lead over it.

    Parameters
    ----------
    normalized : whether to divide by the number of pairs of vertices: n (n - 1).
    graph, sources, targets, k, error, seed, cutoff, by, threads, checkpoint, progress : as in
        `betweenness`, whose errors it raises.

    Returns
    -------
    Centrality
        ``edges`` (m,) or (m, c) in the order of ``graph.edges()``. Both stored edges of an
        undirected edge have the sum of both directions. Of parallel edges the first lightest one
        has the share.

    Examples
    --------
    >>> import warpath as wp
    >>> wp.centrality.edge_betweenness([(0, 1, 2), (1, 2, 5)], normalized=False).edges
    array([2., 2.])
    """
    how = {
        "sources": sources,
        "targets": targets,
        "k": k,
        "error": error,
        "seed": seed,
        "cutoff": cutoff,
        "by": by,
        "checkpoint": checkpoint,
    }
    kinds = {"normalized": normalized, "endpoints": False}
    return _betweenness(graph, "edge_betweenness", how, kinds, threads, progress)


def closeness(
    graph: Any,
    *,
    wf_improved: bool = True,
    cutoff: float | str | ArrayLike | None = None,
    by: ArrayLike | str | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Centrality:
    """Return for each vertex the inverse of the mean distance from the vertices that reach it.

    Parameters
    ----------
    wf_improved : whether to multiply by the share of the vertices that reach it.
    cutoff : only vertices within it count; or several, as in `betweenness`.
    by : as in `betweenness`, on this machine's CPU. Distances that count are not measured by it.
    graph, threads, progress : as in `betweenness`. A Solver runs on its device.

    Returns
    -------
    Centrality
        ``vertices`` (n,), or (n, c) for a list of cutoffs; 0 where no other vertex reaches one.

    Raises
    ------
    DistanceOverflowError, NotEnoughMemoryError, NotSupportedError
        As `warpath.totals`, which also refuses negative cycles.

    Notes
    -----
    ``totals(graph, ["sum", "count"])`` has the sums of distances from each vertex, also for some
    sources and targets.

    Examples
    --------
    >>> import warpath as wp
    >>> wp.centrality.closeness([(0, 1, 2), (1, 2, 2), (2, 0, 2)]).vertices
    array([0.33333333, 0.33333333, 0.33333333])
    """
    improved = checked_bool(wf_improved, "wf_improved")
    found = _distances_towards(graph, ("sum", "count"), cutoff, by, threads, progress)
    sums = found.numbers["sum"].astype(np.float64)
    others = found.numbers["count"].astype(np.float64) - 1
    with np.errstate(over="ignore"):  # infinite where the mean distance is below 1 / the largest
        values = np.divide(others, sums, out=np.zeros(sums.shape), where=sums > 0)
    if improved and len(sums) > 1:
        values *= others / (len(sums) - 1)
    return found.result("closeness", values)


class TopVertices(NamedTuple):
    """The vertices with the largest numbers.

    Attributes
    ----------
    vertices : (k,) as the graph names them, the largest first; of equal ones in the order of their
        indices.
    values : (k,) float64.
    searches : how many vertices were searched from.
    """

    vertices: Array
    values: Array
    searches: int


def top_closeness(
    graph: Any,
    k: int = 1,
    *,
    wf_improved: bool = True,
    threads: int | None = None,
    progress: Progress = None,
) -> TopVertices:
    """Return the vertices with the largest closeness, without a search from every vertex.

    Parameters
    ----------
    k : how many, 1 to n.
    graph, wf_improved, threads, progress : as in `closeness`. A Solver runs on its device.

    Returns
    -------
    TopVertices
        The first k vertices in the order of `closeness`. Sums of floats are rounded in the order of
        the vertices, so that nearly equal numbers may be in another order there.

    Raises
    ------
    InputError
        If `k` is not from 1 to n.
    NotSupportedError
        If the graph has turns or closed vertices.

    Notes
    -----
    A search from a vertex bounds the closeness of those that reach one another with it, by the
    triangle inequality. About as many searches are needed as the square root of n on road networks,
    and all n where distances differ little, as in small worlds.

    References
    ----------
    Newling, Fleuret, "A sub-quadratic exact medoid algorithm", 2017.

    Examples
    --------
    >>> import warpath as wp
    >>> wp.centrality.top_closeness([("a", "b", 2), ("b", "a", 2), ("b", "c", 1), ("c", "b", 1)])
    TopVertices(vertices=array(['b'], dtype='<U1'), values=array([0.66666667]), searches=3)
    """
    improved = checked_bool(wf_improved, "wf_improved")
    options, own = _opened(graph, threads)
    refuse_turns(own, "centrality.top_closeness")
    refuse_closed(own, "centrality.top_closeness")
    if not is_integer(k) or not 1 <= k <= own.n:
        raise InputError(f"k = {shown(k)} must be a number of vertices: 1 to {own.n:,}.")
    best, values, searches = most_central(
        options, own, int(k), improved=improved, progress=progress
    )
    return TopVertices(own.label_of(best), values, searches)


def harmonic(
    graph: Any,
    *,
    cutoff: float | str | ArrayLike | None = None,
    by: ArrayLike | str | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Centrality:
    """Return for each vertex the sum of 1 / distance from all other vertices.

    Parameters
    ----------
    graph, cutoff, by, threads, progress : as in `closeness`, whose errors it raises.

    Returns
    -------
    Centrality
        ``vertices`` (n,) or (n, c). A vertex that does not reach another one adds 0, and so does
        one at distance 0.

    Examples
    --------
    >>> import warpath as wp
    >>> wp.centrality.harmonic([(0, 1, 2), (1, 2, 2)]).vertices
    array([0.  , 0.5 , 0.75])
    """
    found = _distances_towards(graph, ("harmonic",), cutoff, by, threads, progress)
    return found.result("harmonic", found.numbers["harmonic"])


def eccentricity(
    graph: Any, *, threads: int | None = None, progress: Progress = None
) -> Centrality:
    """Return for each vertex the largest distance from it to any vertex.

    `warpath.eccentricity` has them in the distances' type, also for some sources.

    Parameters
    ----------
    graph, threads, progress : as in `closeness`, whose errors it raises.

    Returns
    -------
    Centrality
        ``vertices`` (n,); inf where a vertex does not reach all others.

    Examples
    --------
    >>> import warpath as wp
    >>> wp.centrality.eccentricity([(0, 1, 2), (1, 2, 2), (2, 0, 2)]).vertices
    array([4., 4., 4.])
    """
    start = time.perf_counter()
    options, own = _opened(graph, threads)
    totals = _totals(options, own, ("max", "count"), None, progress)
    farthest = np.where(totals["count"] < own.n, np.inf, totals["max"].astype(np.float64))
    found = _Towards(own, {}, None, totals.source_indices, totals.plan.recipe.name, start)
    return found.result("eccentricity", farthest)


def reach(
    graph: Any,
    *,
    weights: ArrayLike | None = None,
    cutoff: float | str | ArrayLike | None = None,
    by: ArrayLike | str | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Centrality:
    """Return for each vertex the number, or weight, of the other vertices that it reaches.

    Parameters
    ----------
    weights : (n,) finite numbers >= 0, what each vertex is worth, such as floor area; or one number
        for all. 1 when not given.
    cutoff : only vertices within this distance count; or several, in one pass, as in `betweenness`.
    graph, by, threads, progress : as in `closeness`.

    Returns
    -------
    Centrality
        ``vertices`` (n,), or (n, c) for a list of cutoffs, in ascending order of ``cutoffs``.

    Raises
    ------
    InputError
        If a weight or cutoff is not valid, or a sum is not finite.
    DistanceOverflowError, NotEnoughMemoryError, NotSupportedError
        As `warpath.totals`, which also refuses negative cycles.

    Notes
    -----
    As defined by Sevtsuk and Mekonnen (Urban Network Analysis: A new toolbox for ArcGIS, 2012), the
    vertex itself does not count. Distances lead from the vertex to the others. The sums are those
    of `warpath.accessibility` with all vertices as opportunities, less the own weight: exact for
    integer weights that add up to 2^53 at most, else right within rounding.

    Examples
    --------
    >>> import warpath as wp
    >>> path = wp.Graph.of([(0, 1, 2), (1, 2, 5)], directed=False)
    >>> wp.centrality.reach(path, cutoff=[2, 7], weights=[10, 20, 30]).vertices
    array([[20., 50.],
           [10., 40.],
           [ 0., 30.]])
    """
    return _weighted(graph, "reach", Decay("step"), weights, cutoff, by, threads, progress)


def gravity(
    graph: Any,
    *,
    beta: float | None = None,
    weights: ArrayLike | None = None,
    cutoff: float | str | ArrayLike | None = None,
    by: ArrayLike | str | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Centrality:
    """Return for each vertex the sum of the weights of the others, divided by exp(beta * distance).

    Parameters
    ----------
    beta : a number > 0, per unit of the distances; it must be given.
    graph, weights, cutoff, by, threads, progress : as in `reach`, whose errors it raises.

    Returns
    -------
    Centrality
        ``vertices`` (n,) or (n, c).

    Notes
    -----
    As in `reach`, by the decay "exponential" of `warpath.accessibility`, whose "gravity" is a power
    of the distance.

    Examples
    --------
    >>> import warpath as wp
    >>> wp.centrality.gravity([(0, 1, 1), (1, 2, 1)], beta=0.5).vertices.round(3)
    array([0.974, 0.607, 0.   ])
    """
    if beta is None:
        raise InputError(
            "gravity needs beta, a number > 0 per unit of the distances, such as 0.002 for metres: "
            "weights are divided by exp(beta * distance)."
        )
    decay = Decay.checked("exponential", beta)
    return _weighted(graph, "gravity", decay, weights, cutoff, by, threads, progress)


def straightness(
    graph: Any,
    *,
    weights: ArrayLike | None = None,
    cutoff: float | str | ArrayLike | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Centrality:
    """Return for each vertex the sum of straight distance / distance to the others, times weights.

    Parameters
    ----------
    graph : as in `closeness`, with coordinates of all vertices. Straight distances between
        longitudes and latitudes are great circles, in metres if the weights have no unit; other
        coordinates are in the unit of the weights.
    weights, cutoff, threads, progress : as in `reach`, whose errors it raises.

    Returns
    -------
    Centrality
        ``vertices`` (n,) or (n, c). A vertex that is not reached, or at distance 0, adds 0.

    Raises
    ------
    GraphError
        If a vertex has no coordinates, or the weights are times.

    Notes
    -----
    The definition is that of Sevtsuk and Mekonnen, as in `reach`, over the same loop; divided by
    `reach` it is the mean straightness. Each pair within the cutoff takes a straight distance.

    Examples
    --------
    >>> import warpath as wp
    >>> corner = wp.Graph.of([(0, 1, 3), (1, 2, 4)], coordinates=[(0, 0), (3, 0), (3, 4)])
    >>> wp.centrality.straightness(corner).vertices.round(3)
    array([1.714, 1.   , 0.   ])
    """
    given = _opened(graph, threads)[1]
    how = weights, cutoff, None, threads, progress
    return _weighted(graph, "straightness", _straight(given), *how)


def _weighted(
    given: Any,
    measure: str,
    decay: Decay | Straightness,
    weights: ArrayLike | None,
    cutoff: Any,
    by: Any,
    threads: int | None,
    progress: Progress,
) -> Centrality:
    """Return the sums of decayed weights of the other vertices, over the loop of accessibility."""
    start = time.perf_counter()
    options, graph = _opened(given, threads)
    numbers = checked_numbers(1 if weights is None else weights, graph.n, "weights", "vertex")
    measured = measured_by(graph, by, cutoff, f"centrality.{measure}")
    cutoffs, limits = limits_of(graph, cutoff, measured)
    farthest = limits.max()
    whole = measured is not None or farthest == largest(graph.dist_dtype)
    question = asking.of_opportunities(
        graph, None, None, None if whole else farthest.item(), progress
    )
    sums = DecayedSums(options, ON_THIS_MACHINE, question, (decay,), limits, measured=measured)
    values = sums.to_origins(np.tile(numbers, (len(limits), 1)))[0]
    if isinstance(decay, Decay):  # an own term of `Straightness` is 0
        values = np.maximum(values - numbers, 0)
    if not np.isfinite(values).all():
        at = one_label(graph, int(np.flatnonzero(~np.isfinite(values).all(axis=0))[0]))
        raise InputError(f"the sum of vertex {at!r} is not finite: give smaller weights.")
    return Centrality(
        graph,
        measure,
        _by_cutoff(values, single=cutoffs is None or is_single(cutoff)),
        None,
        question.sources,
        method=cast("Plan", sums.plan).recipe.name,
        stats={"seconds": time.perf_counter() - start},
        cutoffs=cutoffs,
    )


def _straight(graph: Graph) -> Straightness:
    """Return the straight distances of a graph; GraphError where they cannot be compared."""
    points = graph.coordinates
    if points is None:
        raise GraphError(
            "centrality.straightness needs coordinates, but the graph has none: give them with "
            "coordinates= when reading, or graph.with_coordinates(array)."
        )
    unknown = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if len(unknown):
        raise GraphError(
            f"centrality.straightness needs the coordinates of all vertices, and vertex "
            f"{one_label(graph, int(unknown[0]))!r} has {tuple(points[unknown[0]].tolist())}: give "
            "them with graph.with_coordinates(array)."
        )
    symbol = units.symbol_of(graph.unit)
    base, factor = units.SCALES["m" if symbol is None else symbol]
    if base != "m":
        raise GraphError(
            f"centrality.straightness divides lengths by distances, but weights are in {symbol}: "
            "use lengths as weights, graph.with_weights(column)."
        )
    if not in_degrees(points):
        return Straightness(np.ascontiguousarray(points.T, np.float64), None)
    return Straightness(on_sphere(points) / factor, 2 * EARTH_RADIUS / factor)


def _betweenness(
    graph: Any,
    measure: str,
    how: dict[str, Any],
    kinds: dict[str, Any],
    threads: int | None,
    progress: Progress,
) -> Centrality:
    solver = _solver(graph, threads)
    own, call = solver.graph, f"centrality.{measure}"
    request = solver._options.request  # noqa: SLF001 - one package
    refuse_turns(own, call)
    refuse_closed(own, call)
    recipe = request.recipe
    able = recipe is None or Task.BETWEENNESS in recipe.solves
    on_cluster, on_several = solver._options.on_cluster, solver._options.on_several  # noqa: SLF001 - one package
    if on_several or not able or request.params:
        names = " or ".join(one.name for one in CATALOGUE if Task.BETWEENNESS in one.solves)
        raise NotSupportedError(
            f"{call} runs on one device or on a cluster, by algorithms of its own: use a Solver "
            f"without params=, and with the algorithm {names} or none, not {solver!r}."
        )
    normalized, endpoints = (checked_bool(value, name) for name, value in kinds.items())
    if how["error"] is not None:
        how["k"] = _sources_for(own, how)
    sampled = None if how["k"] is None else _sample(own, how)
    sources = _all_or(own, how["sources"], "sources") if sampled is None else sampled
    targets = _all_or(own, how["targets"], "targets")
    on_gpu = not on_cluster and request.device not in {"auto", "cpu"}
    prepared = on_gpu or request.prepared  # a GPU counts in hierarchies only
    cutoffs, limits = None, None
    measured = measured_by(own, how["by"], how["cutoff"], call)
    if how["cutoff"] is not None:
        cutoffs, limits = limits_of(own, how["cutoff"], measured)
    start = time.perf_counter()
    with watch(progress, measure, "sources") as report:
        sums = betweenness_sums(
            own,
            sources,
            targets,
            threads or request.threads or settings.threads(),
            endpoints=endpoints,
            prepared=prepared,
            cutoffs=limits,
            lengths=None if measured is None else measured.edges()[2].astype(np.float64),
            loop=None if recipe is None else recipe.loop,
            checkpoint=how["checkpoint"],
            elsewhere=_elsewhere(solver, call, report),
            progress=report,
        )
    edges = sums.edges if own.directed else sums.edges + sums.edges[:, _reverse_edges(own)]
    rule = {"normalized": normalized, "directed": own.directed}
    if sampled is not None and len(sampled) == own.n and measure == "betweenness":
        sampled = None  # as NetworkX does
    edges *= scale(own.n, None if sampled is None else len(sampled), endpoints=True, **rule)
    vertices = sums.vertices * scale(own.n, sampled, endpoints=endpoints, **rule)
    single = cutoffs is None or is_single(how["cutoff"])
    return Centrality(
        own,
        measure,
        _by_cutoff(vertices, single=single),
        _by_cutoff(edges, single=single),
        sources,
        method=sums.method,
        stats={"seconds": time.perf_counter() - start},
        cutoffs=cutoffs,
    )


def _elsewhere(solver: Solver, call: str, report: Report | None) -> Elsewhere:
    """Return the function that has paths counted by the workers of a cluster, or by a GPU."""
    options, graph = solver._options, solver.graph  # noqa: SLF001 - one package
    if options.on_cluster:
        from warpath.api.cluster_calls import path_sums

        return partial(path_sums, options, graph, report)

    def sums(
        shares: PathShares, sources: Array, starts: range, stay: bool
    ) -> Iterator[Sums] | None:
        device = options.one_device()
        if options.is_open and shares.swept:  # where the paths' lengths would be added up
            size = Size(Task.MANY, len(sources), graph.n, 8, Destination.TOTALS)
            device = options.plan(size, graph).device
        engine = None if device == "auto" else capability(device, WithPathSums)
        if engine is not None and shares.swept:
            asked = shares, sources, starts
            return engine.path_sums(graph, device, *asked, stay=stay, progress=report)
        if options.request.device not in {"auto", "cpu"}:
            raise NotSupportedError(
                f"{call} on {device} counts paths in a hierarchy, which these arguments or this "
                "graph do not allow (cutoff=, another algorithm, sums that are rounded, no "
                "separators of few vertices): use device='cpu'."
            )
        return None

    return sums


def _by_cutoff(sums: Array, *, single: bool) -> Array:
    """Return sums (c, k) as results have them: (k, c), or (k,) for a single one."""
    return sums[0] if single else np.ascontiguousarray(sums.T)


def scale(
    n: int, sampled: Array | int | None, *, normalized: bool, directed: bool, endpoints: bool
) -> Any:
    """Return the factor of sums, as NetworkX has it: one number, or (n,) for sampled vertices.

    A sampled vertex is a source of one pair less than the other vertices, unless the ends of paths
    count.

    Parameters
    ----------
    sampled : the sampled sources, or only their number where ends count; None for other sums.
    """
    possible = n if endpoints else n - 1
    if possible < 2:
        return 1.0
    count = possible if sampled is None else sampled if isinstance(sampled, int) else len(sampled)

    def factor(sources: int) -> float:
        if normalized:
            return 1 / (sources * (possible - 1))
        return possible / (sources * (1 if directed else 2))

    if sampled is None or endpoints:
        return factor(count)
    factors = np.full(n, factor(count))
    factors[sampled] = factor(count - 1) if count > 1 else math.nan
    return factors


def _sources_for(graph: Graph, how: dict[str, Any]) -> int | None:
    """Return how many random sources an error needs; None where it is all of them.

    A number is the mean over sources of terms between 0 and 1, which Hoeffding's inequality bounds
    for sources that are drawn without replacement as well (1963, theorem 4). A drawn vertex has a
    term less, as it is no source of paths that pass it. A rule that stops by the variance
    (empirical Bernstein) would take 2,118 in place of 3,364 sources for 0.05 on New York's roads,
    and 20,615 in place of 84,050 for 0.01; it needs the squares of the terms of each source, which
    only searches have, and these take 14 times as long as a source of the sweeps.
    """
    error = how["error"]
    if how["k"] is not None or how["sources"] is not None:
        raise InputError("error= chooses the sources, as k= and sources= do: give one of them.")
    if not 0 < as_float(error) < 1:
        raise InputError(f"error = {shown(error)} must be a number between 0 and 1.")
    numbers = graph.n + graph.m
    square = as_float(error) ** 2
    if 2 * square * graph.n <= (needed := math.log(2 * max(numbers, 1) / _FAILURE)):
        return None
    return min(math.ceil(needed / (2 * square)) + 1, graph.n)


def _sample(graph: Graph, how: dict[str, Any]) -> NDArray[np.int64]:
    k = how["k"]
    if how["sources"] is not None:
        raise InputError("sources= and k= both choose the sources: leave one of them out.")
    if not is_integer(k) or not 1 <= k <= graph.n:
        msg = f"k = {shown(k)} must be a number of vertices to draw: 1 to {graph.n:,}."
        raise InputError(msg)
    seed = how["seed"]
    if seed is not None and not is_integer(seed):
        raise InputError(f"seed = {shown(seed)} must be an integer, or None.")
    numbers = random.Random(None if seed is None else int(seed))  # noqa: S311 - no secret
    return np.array(numbers.sample(range(graph.n), int(k)), np.int64)


def _all_or(graph: Graph, vertices: Any, what: str) -> NDArray[np.int64]:
    return np.arange(graph.n) if vertices is None else as_indices(graph, vertices, what, empty=True)


def _reverse_edges(graph: Graph) -> NDArray[np.int64]:
    """Return for each stored edge of an undirected graph the one of the other direction."""
    src, dst, weights = graph.edges()
    # Parallel edges have the same weights and order in both directions.
    there = np.lexsort((weights, dst, src))
    back = np.lexsort((weights, src, dst))
    reverse = np.empty(graph.m, np.int64)
    reverse[there] = back
    return reverse


def _solver(graph: Any, threads: int | None) -> Solver:
    """Return the Solver of a call: a graph may get a hierarchy where that saves time."""
    return graph if isinstance(graph, Solver) else Solver(graph, threads=threads, prepared="auto")


def _opened(given: Any, threads: int | None) -> tuple[Options, Graph]:
    """Return the options and the graph of sums of distances; a cluster is refused."""
    solver = _solver(given, threads)
    options = solver._options  # noqa: SLF001 - one package
    if options.on_cluster:
        msg = (
            "centralities run on this machine: use warpath.Solver(graph), or on the cluster "
            "Solver(graph.reversed(), device=client).totals(...)."
        )
        raise NotSupportedError(msg)
    return options if threads is None else options.but(solver.graph, threads=threads), solver.graph


class _Towards(NamedTuple):
    """What the distances from all vertices to each one add up to.

    Attributes
    ----------
    numbers : (n,) by the names of `totals`; (n, c) for a list of cutoffs.
    """

    graph: Graph
    numbers: dict[str, Array]
    cutoffs: Array | None
    sources: NDArray[np.int64]
    method: str
    start: float

    def result(self, measure: str, values: Array) -> Centrality:
        """Return the result of a measure."""
        return Centrality(
            self.graph,
            measure,
            values,
            None,
            self.sources,
            method=self.method,
            stats={"seconds": time.perf_counter() - self.start},
            cutoffs=self.cutoffs,
        )


def _distances_towards(
    given: Any,
    names: tuple[str, ...],
    cutoff: Any,
    by: Any,
    threads: int | None,
    progress: Progress,
) -> _Towards:
    """Return sums of the distances from all vertices to each one."""
    start = time.perf_counter()
    options, graph = _opened(given, threads)
    own = graph
    measured = measured_by(graph, by, cutoff, "centrality")
    if graph.directed:
        options, graph = options.for_reversed(graph), graph.reversed()
        measured = None if measured is None else measured.reversed()
    if cutoff is None:
        totals = _totals(options, graph, names, None, progress)
        sources, method = totals.source_indices, totals.plan.recipe.name
        return _Towards(own, totals.values, None, sources, method, start)
    cutoffs, limits = limits_of(graph, cutoff, measured)
    limit = limits.max().item() if measured is None else None
    question = asking.of_opportunities(graph, None, None, limit, progress)
    swept = False
    if measured is None and few_expected(options, question, graph) is None:
        options = with_hierarchy_if_faster(graph, options, question.size(Destination.TOTALS))
        swept = options.request.prepared is True
    if swept:  # without rows of a table, a pass for each cutoff takes less
        each = [_totals(options, graph, names, limit, progress) for limit in limits.tolist()]
        found = [np.array([totals[name] for totals in each]) for name in names]
        method = each[0].plan.recipe.name
    else:
        decays = tuple(Decay(_DECAYS[name]) for name in names)
        sums = DecayedSums(options, ON_THIS_MACHINE, question, decays, limits, measured=measured)
        found = list(sums.to_origins(np.ones((len(limits), graph.n))))
        method = cast("Plan", sums.plan).recipe.name
    numbers = {
        name: _by_cutoff(of_name, single=is_single(cutoff))
        for name, of_name in zip(names, found, strict=True)
    }
    return _Towards(own, numbers, cutoffs, question.sources, method, start)


def _totals(
    options: Options, graph: Graph, names: tuple[str, ...], limit: float | None, progress: Progress
) -> Totals:
    """Return totals of the distances from each vertex to all, or to those within a limit."""
    question = asking.of_table(
        graph, None, None, limit, progress=progress, missing="raise", every=True
    )
    return totals_of(options, question, names, ON_THIS_MACHINE)
