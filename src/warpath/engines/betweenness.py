"""Betweenness: counting sweeps over a hierarchy, or Brandes' algorithm; loads by labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath import _core
from warpath.base import settings, units
from warpath.base.dtypes import unreachable
from warpath.base.errors import (
    DistanceOverflowError,
    NotEnoughMemoryError,
    NotSupportedError,
)
from warpath.engines import customizable, labels
from warpath.engines.lengths import length_lost, refuse_short
from warpath.engines.weighted_sums import largest
from warpath.graph.checks import refuse_wide
from warpath.graph.derived import Derived, bytes_of_graph
from warpath.planner.cpu_model import may_be_prepared, prepare_bytes, prepare_seconds
from warpath.recipes import Loop

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.base.dtypes import Array
    from warpath.graph import Graph

    Progress = Callable[[int, int], None] | None

#: Seconds for each vertex and edge of one search of Brandes' algorithm on a large road network.
_SEARCH = 55e-9

#: Seconds of one route in a contraction hierarchy, for each square root of a vertex.
_ROUTE = 3e-7

#: Bytes of a position in the sweeps of one thread.
_SWEPT = 196

#: Bytes of a vertex in the searches of one thread, besides its shares and sums.
_SEARCHED = 36

#: The graph with lengths that are integers and proportional to its own, which are floats.
_WHOLE: Derived[Graph] = Derived(__name__, "integer lengths of a graph of floats", bytes_of_graph)

#: Why shortest paths are not counted in a hierarchy; kept, so that it is not tried again.
_REFUSED: Derived[str] = Derived(__name__, "why there are no counting sweeps")


class Sums(NamedTuple):
    """The shares of shortest paths that lead over vertices and edges.

    Attributes
    ----------
    vertices : (c, n) float64 for c cutoffs; (1, n) without.
    edges : (c, m) float64; 0 for self-loops and for parallel edges but the first lightest one.
    method : "counting sweeps", "dijkstra" or "breadth-first".
    """

    vertices: Array
    edges: Array
    method: str


class _Edges(NamedTuple):
    """The edges of a graph that shortest paths may use: no self-loops, one edge between two ends.

    Attributes
    ----------
    numbers : (k,) int64, ascending, their numbers in the graph; None for all.
    """

    indptr: Array
    indices: Array
    weights: Array
    numbers: Array | None

    def at(self, edge: int) -> int:
        """Return the number in the graph of one of these edges."""
        return edge if self.numbers is None else int(self.numbers[edge])


def betweenness_sums(
    graph: Graph,
    sources: Array,
    targets: Array,
    threads: int,
    *,
    endpoints: bool,
    prepared: bool | str,
    cutoffs: Array | None = None,
    lengths: Array | None = None,
    loop: Loop | None = None,
    progress: Progress = None,
) -> Sums:
    """Return the shares of the shortest paths from sources to targets, each pair counting once.

    Any number of threads gives the same bits.

    Parameters
    ----------
    graph : without turns and closed vertices.
    sources, targets : int64 indices.
    endpoints : whether the ends of a path count as vertices on it.
    prepared : whether to count in a customizable hierarchy; "auto" if that is predicted to be
        faster, its preparation included. Paths within cutoffs are searched for.
    cutoffs : (c,) in ascending order, in the type of the distances: only pairs within a cutoff
        count. None for no limit.
    lengths : (m,) float64 >= 0, the lengths along shortest paths that `cutoffs`, float64, limit in
        place of distances.
    loop : `Loop.BRANDES` or `Loop.COUNTING_SWEEPS`, in place of `prepared`; None for either.

    Raises
    ------
    NegativeWeightError, WeightError
        If an edge is not longer than 0, or too short for the sums of floats.
    DistanceOverflowError
        If a distance does not fit, or there are more than 1e300 shortest paths.
    NotEnoughMemoryError
        If the sums of one thread take more than the free memory.
    NotSupportedError
        If `loop` cannot count these paths.
    """
    refuse_wide(graph.n, "betweenness")
    swept = loop is Loop.COUNTING_SWEEPS
    prepared = prepared if loop is None else swept
    if swept and cutoffs is not None:
        raise NotSupportedError(
            "warpath.counting_sweeps counts paths of all lengths: leave cutoff out, or use "
            "algorithm='brandes2001.betweenness'."
        )
    edges = _plain_edges(graph, lengths)
    refuse_short(graph, edges.weights, edges.numbers)
    if graph.weight_dtype.kind == "i" and graph.facts(symmetry=False).longest >= 2**63:
        raise DistanceOverflowError(
            "the length of a path may not fit 64 bits: use float64 weights "
            "(graph.astype('float64')), or smaller units."
        )
    asked = (sources, np.unique(targets), endpoints)
    try:
        sums = None
        if len(sources) and cutoffs is None and _in_hierarchy(graph, len(sources), prepared):
            sums = _by_sweeps(graph, edges, asked, threads, progress)
        if sums is None and swept and len(sources):
            raise NotSupportedError(
                f"warpath.counting_sweeps cannot count these paths: {_REFUSED.cached(graph)}. Use "
                "algorithm='brandes2001.betweenness'."
            )
        if sums is None:
            limits, radii = cutoffs, None
            if lengths is not None and cutoffs is not None:
                limits, radii = np.full(len(cutoffs), largest(graph.dist_dtype)), (lengths, cutoffs)
            sums = _by_searches(graph, edges, asked, threads, limits, progress, radii=radii)
    except OverflowError as error:
        msg = (
            f"{error}: betweenness is a share of their number. Use targets=, a part of the graph, "
            "or weights that differ more."
        )
        raise DistanceOverflowError(msg) from None
    return sums._replace(edges=_of_all(graph, edges, sums.edges))


def _plain_edges(graph: Graph, lengths: Array | None = None) -> _Edges:
    """Return the edges without self-loops, and of parallel edges the first lightest one.

    Parameters
    ----------
    lengths : (m,), of equally light edges the shortest one is taken.
    """
    tails = np.repeat(np.arange(graph.n, dtype=np.int64), np.diff(graph.indptr))
    heads, weights = graph.indices, graph._solver_weights
    keys = tails * graph.n + heads
    ascending = bool((keys[1:] > keys[:-1]).all())
    if ascending and not (tails == heads).any():
        return _Edges(graph.indptr, heads, weights, None)
    ranks = (weights, keys) if lengths is None else (lengths, weights, keys)
    order = np.lexsort(ranks)  # stable: of equal edges the first one remains the first
    first = np.ones(len(order), bool)
    first[1:] = keys[order[1:]] != keys[order[:-1]]
    kept = np.sort(order[first])
    kept = kept[tails[kept] != heads[kept]]
    if len(kept) == graph.m:
        return _Edges(graph.indptr, heads, weights, None)
    indptr = np.searchsorted(tails[kept], np.arange(graph.n + 1)).astype(np.int64)
    return _Edges(indptr, heads[kept], weights[kept], kept)


def _in_hierarchy(graph: Graph, sources: int, prepared: bool | str) -> bool:
    """Return whether to count in a hierarchy.

    The number of threads does not matter, as the last bits depend on the method.
    """
    if not prepared or _REFUSED.cached(graph) is not None:
        return False
    facts = graph.facts(symmetry=False)
    known = customizable.ELIMINATION.cached(graph) is not None
    if known or prepared is True:
        return True
    searches = sources * _SEARCH * (graph.n + graph.m)
    return (
        may_be_prepared(facts)
        and prepare_bytes(facts) <= settings.memory()
        and searches > prepare_seconds(facts, 1)
    )


def _by_sweeps(
    graph: Graph, edges: _Edges, asked: tuple[Any, ...], threads: int, progress: Progress
) -> Sums | None:
    """Return sums by counting sweeps; None where a hierarchy is of no use or sums are rounded."""
    try:
        customizable.elimination_of(graph)
    except NotSupportedError as error:
        reason = str(error)
        _REFUSED.of(graph, lambda: reason)
        return None
    whole = _with_whole_lengths(graph)
    hierarchy = None if whole is None else customizable.hierarchy_of(whole, threads)
    if whole is None or hierarchy is None or not _exact(graph, whole, hierarchy):
        _REFUSED.of(graph, lambda: "sums of weights are rounded")
        return None
    lengths = whole._solver_weights.astype(np.int64)
    lengths = lengths if edges.numbers is None else lengths[edges.numbers]
    arcs = sum(hierarchy.arcs)
    of_thread = graph.n * (_SWEPT + 8) + 8 * arcs
    team = _team(threads, of_thread, 32 * arcs + 8 * (graph.n + 3 * graph.m))
    count: Any = _core.hierarchy_betweenness
    rows = (edges.indptr, edges.indices, lengths)
    vertices, shares = count(hierarchy, *rows, *asked, threads=team, progress=progress)
    return Sums(vertices[None], shares[None], "counting sweeps")


def split_loads(
    graph: Graph, trips: tuple[Array, Array, Array], threads: int, progress: Progress = None
) -> Sums:
    """Return the trips over each edge, which equally short paths share, by searches.

    Any number of threads gives the same bits.

    Parameters
    ----------
    graph : without turns and closed vertices.
    trips : as for `loads_by_labels`.

    Raises
    ------
    NegativeWeightError, WeightError, DistanceOverflowError, NotEnoughMemoryError
        As `betweenness_sums`.
    """
    edges = _plain_edges(graph)
    sources, targets, numbers = trips
    order = np.argsort(sources, kind="stable")
    starts, first = np.unique(sources[order], return_index=True)
    asked = starts, targets[order], False
    given = {"first": np.append(first, len(order)), "trips": numbers[order]}
    try:
        sums = _by_searches(graph, edges, asked, threads, None, progress, given)
    except OverflowError as error:
        msg = f'{error}, among which trips cannot be split: use ties="canonical".'
        raise DistanceOverflowError(msg) from None
    loads = _of_all(graph, edges, sums.edges)
    return sums._replace(edges=loads)


def _of_all(graph: Graph, edges: _Edges, sums: Array) -> Array:
    """Return sums of some edges, (c, k), as those of all edges of the graph: (c, m)."""
    if edges.numbers is None:
        return sums
    of_all = np.zeros((len(sums), graph.m))
    of_all[:, edges.numbers] = sums
    return of_all


def _by_searches(
    graph: Graph,
    edges: _Edges,
    asked: tuple[Any, ...],
    threads: int,
    cutoffs: Array | None,
    progress: Progress,
    trips: dict[str, Array] | None = None,
    radii: tuple[Array, Array] | None = None,
) -> Sums:
    weights = edges.weights
    equal = not len(weights) or (radii is None and bool((weights == weights[0]).all()))
    limits = np.empty(0, graph.dist_dtype) if cutoffs is None else cutoffs
    if weights.dtype.kind == "i":
        if equal and len(weights):
            limits = limits // int(weights[0])
        weights = weights[:0].astype(np.int64) if equal else weights.astype(np.int64)
    elif len(limits):
        equal = False  # as sums of equal floats may be rounded
    elif equal:
        weights = weights[:0]
    count = max(len(limits), 1)
    of_thread = graph.n * (_SEARCHED + 16 * count) + (16 + 8 * count) * graph.m
    of_thread += 8 * graph.n * (radii is not None)
    team = _team(threads, of_thread, 8 * count * (graph.n + 3 * graph.m))
    given = trips or {}
    if radii is not None and not equal:
        lengths = radii[0] if edges.numbers is None else radii[0][edges.numbers]
        given = {"lengths": lengths, "radii": radii[1]}
    search: Any = _core.betweenness
    rows = edges.indptr, edges.indices, weights
    found = search(*rows, *asked, limits, threads=team, progress=progress, **given)
    if isinstance(found, int):
        raise length_lost(graph, edges.at(found))
    vertices, shares = (sums.reshape(count, -1) for sums in found)
    return Sums(vertices, shares, "breadth-first" if equal else "dijkstra")


def _team(threads: int, of_thread: int, shared: int, call: str = "betweenness") -> int:
    """Return how many threads fit the free memory."""
    free = settings.memory()
    if shared + of_thread > free:
        msg = (
            f"{call} would take {units.size(shared + of_thread)} in addition to the graph, "
            f"but {units.size(free)} are free: use a machine with more memory, or a part of the "
            "graph (graph.subgraph)."
        )
        raise NotEnoughMemoryError(msg)
    return max(1, min(threads, (free - shared) // max(of_thread, 1)))


def _with_whole_lengths(graph: Graph) -> Graph | None:
    """Return a graph whose lengths are integers and proportional to those of a graph.

    None if the lengths of paths may not fit 64 bits then.
    """
    weights = graph._solver_weights
    if weights.dtype.kind == "i":
        return graph
    whole = _WHOLE.cached(graph)
    if whole is not None or not len(weights):
        return whole
    mantissas, exponents = np.frexp(weights.astype(np.float64))
    digits = (mantissas * 2**53).astype(np.int64)
    lowest = np.frexp((digits & -digits).astype(np.float64))[1] - 54
    unit = int((exponents + lowest)[weights > 0].min(initial=2**20))
    with np.errstate(over="ignore"):
        scaled = np.ldexp(weights.astype(np.float64), -unit)
    if unit == 2**20 or not scaled.max() * graph.n < 2**62:
        return None
    longest = scaled.max() * graph.n
    lengths = scaled.astype(np.int32 if longest < 2**31 else np.int64)
    whole = graph._like(graph.indptr, graph.indices, lengths)  # noqa: SLF001 - the same edges
    customizable.share_elimination(graph, whole, None, customizable.elimination_of(graph))
    return _WHOLE.of(graph, lambda: whole)


def _exact(graph: Graph, whole: Graph, hierarchy: Any) -> bool:
    """Return whether the type of a graph's floats holds all sums along shortest paths.

    Where all vertices reach vertex 0 and are reached from it, no distance exceeds the detour by it.
    """
    if whole is graph:
        return True
    row, source = np.empty((1, graph.n), np.int64), np.zeros(1, np.int64)
    every = np.empty(0, np.int64)
    longest = 0
    for direction in (hierarchy, hierarchy.reversed()):
        direction.table(source, every, row, restricted=False)
        longest += int(row.max()) if row.max() != unreachable(row.dtype) else hierarchy.bound
    longest = min(longest, hierarchy.bound) + int(whole._solver_weights.max())
    return bool(longest <= 2 ** (np.finfo(graph.weight_dtype).nmant + 1))


def loads_by_labels(
    graph: Graph,
    trips: tuple[Array, Array, Array],
    threads: int,
    *,
    split: bool,
    prepared: bool | str,
    progress: Progress = None,
) -> tuple[Array, Array] | None:
    """Return the trips over each edge, (m,) float64, and which trips have a path, by labels.

    None where labels are of no use, or are predicted to take longer than searches.

    Parameters
    ----------
    graph : without turns and closed vertices.
    trips : (k,) origins and (k,) destinations, int64, and (k,) numbers, float64.
    split : whether equally short paths share trips evenly; else the canonical path has all.
    prepared : as for `betweenness_sums`.

    Raises
    ------
    WeightError, NegativeWeightError, DistanceOverflowError
        If trips are split and an edge is not longer than 0, or a pair has more than 1e300 shortest
        paths.
    """
    sources, targets, _ = trips
    edges = _plain_edges(graph)
    if split:
        what = "a load with ties='split' counts shortest paths"
        refuse_short(graph, edges.weights, edges.numbers, what)
    pay = _labels_pay(graph, len(sources), len(np.unique(sources)), prepared)
    if graph.facts(symmetry=False).zero or not pay:
        return None
    try:
        searched = _for_labels(graph, threads)
        found = None if searched is None else labels.labels_of(searched, threads)
    except (NotSupportedError, NotEnoughMemoryError):
        return None
    if searched is None or found is None:
        return None
    lengths = searched._solver_weights
    lengths = lengths.astype(np.int64) if lengths.dtype.kind == "i" else lengths
    lengths = lengths if edges.numbers is None else lengths[edges.numbers]
    arcs = labels.arcs_of(searched, threads)
    dist = np.empty(len(sources), searched.dist_dtype)
    found.pairs(sources, targets, dist, threads=threads)
    rows = (edges.indptr, edges.indices, lengths)
    of_thread = 16 * arcs.arcs + 5 * graph.n
    team = _team(threads, of_thread, of_thread, "loads")
    try:
        loads = arcs.loads(*rows, *trips, split=split, threads=team, progress=progress)
    except OverflowError as error:
        msg = f'{error}, among which trips cannot be split: use ties="canonical".'
        raise DistanceOverflowError(msg) from None
    return _of_all(graph, edges, loads[None])[0], dist != unreachable(dist.dtype)


def _labels_pay(graph: Graph, trips: int, sources: int, prepared: bool | str) -> bool:
    """Return whether to compute labels, unless the graph has some."""
    if not prepared or labels.LABELS.cached(graph) is not None:
        return bool(prepared)
    facts = graph.facts(symmetry=False)
    if not may_be_prepared(facts) or prepare_bytes(facts) > settings.memory():
        return False
    one_by_one = trips * _ROUTE * graph.n**0.5
    if prepared == "auto":
        one_by_one = min(one_by_one, sources * _SEARCH * (graph.n + graph.m))
    return bool(one_by_one > prepare_seconds(facts, 1))


def _for_labels(graph: Graph, threads: int) -> Graph | None:
    """Return the graph, or one with proportional lengths, of which sums are exact."""
    if graph.weight_dtype.kind == "i":
        return graph
    whole = _with_whole_lengths(graph)
    hierarchy = None if whole is None else customizable.hierarchy_of(whole, threads)
    able = whole is not None and hierarchy is not None and _exact(graph, whole, hierarchy)
    return whole if able else None
