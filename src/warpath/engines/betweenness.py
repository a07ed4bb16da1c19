"""Betweenness: counting sweeps over a hierarchy, or Brandes' algorithm; loads by labels.

The module is one idea: all three count shortest paths over the same edges, with the same errors.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

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
from warpath.graph.fingerprint import digest_of, fingerprint
from warpath.io.journal import KeptSums, kept_sums
from warpath.planner.cpu_model import may_be_prepared, prepare_bytes, prepare_seconds
from warpath.recipes import Loop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.io.journal import Question

    Progress = Callable[[int, int], None] | None

#: Seconds for each vertex and edge of one search of Brandes' algorithm on a large road network.
_SEARCH = 55e-9

#: Seconds of one route in a contraction hierarchy, for each square root of a vertex.
_ROUTE = 3e-7

#: Bytes of a position in the sweeps of one thread.
_SWEPT = 196

#: Bytes of a vertex in the searches of one thread, besides its shares and sums.
_SEARCHED = 44

#: The graph with lengths that are integers and proportional to its own, which are floats.
_WHOLE: Derived[Graph] = Derived(__name__, "integer lengths of a graph of floats", bytes_of_graph)

#: Whether the type of a graph's floats holds all sums along its shortest paths.
_EXACT: Derived[bool] = Derived(__name__, "whether sums of floats are exact")

#: Sources whose sums are formed together: 8 s on New York's roads in a hierarchy, 2 min without.
BLOCK = 2048

#: The number of shortest paths that each arc of a graph's hierarchy stands for.
_COUNTS: Derived[Any] = Derived(__name__, "counts of shortest paths", lambda counts: counts.nbytes)

#: Why shortest paths are not counted in a hierarchy; kept, so that it is not tried again.
_REFUSED: Derived[str] = Derived(__name__, "why there are no counting sweeps")


class Sums(NamedTuple):
    """The shares of shortest paths that lead over vertices and edges.

    Those of a block by sweeps are of positions and arcs of the hierarchy, perhaps on a device.

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
    checkpoint: Any = None,
    elsewhere: Elsewhere | None = None,
    progress: Progress = None,
) -> Sums:
    """Return the shares of the shortest paths from sources to targets, each pair counting once.

    The sums of blocks of sources are added up in order: any number of threads and workers, a GPU,
    and a run that continues another one, give the same bits.

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
    checkpoint : path of the file next to which sums are kept after each block but the last; None
        for none.
    elsewhere : computes the sums of blocks; None for threads of this process.

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
    edges = _plain_edges(graph, lengths)
    refuse_short(graph, edges.weights, edges.numbers)
    if graph.weight_dtype.kind == "i" and graph.facts(symmetry=False).longest >= 2**63:
        raise DistanceOverflowError(
            "the length of a path may not fit 64 bits: use float64 weights "
            "(graph.astype('float64')), or smaller units."
        )
    targets = np.unique(targets)
    swept = len(sources) > 0 and _swept(graph, len(sources), threads, prepared, cutoffs, loop)
    shares = PathShares(targets, endpoints, cutoffs, lengths, swept)

    def add_up(kept: KeptSums | None) -> Sums:
        done = 0 if kept is None else kept.done
        starts = range(done, max(len(sources), 1), BLOCK)
        blocks = None
        if elsewhere is not None:
            blocks = elsewhere(shares, sources, starts, checkpoint is None)
        if blocks is None:
            blocks = _blocks(shares, graph, edges, sources, starts, threads, progress)
        sums = _added_up(shares, graph.n, zip(starts, blocks, strict=True), len(sources), kept)
        if swept:
            sums = _handed_down(graph, edges, sums, threads)
        return sums._replace(edges=_of_all(graph, edges, sums.edges))

    if checkpoint is None:
        return add_up(None)
    identity = shares.identity(graph, sources)
    summed = counted(graph, edges, threads).counts.arcs if swept else len(edges.indices)
    with kept_sums(checkpoint, identity, shares.columns * (graph.n + summed)) as kept:
        return add_up(kept)


def _blocks(
    shares: PathShares,
    graph: Graph,
    edges: _Edges,
    sources: Array,
    starts: range,
    threads: int,
    progress: Progress,
) -> Iterator[Sums]:
    """Yield the sums of blocks of sources."""

    def report(done: int, _: int) -> None:
        assert progress is not None  # noqa: S101 - it is not called then
        progress(start + done, len(sources))

    for start in starts:
        block = sources[start : start + BLOCK]
        yield shares.of_edges(graph, edges, block, threads, progress and report)
        if progress is not None:  # the caller has kept the sums
            progress(start + len(block), len(sources))


def _added_up(
    shares: PathShares,
    n: int,
    blocks: Iterator[tuple[int, Sums]],
    sources: int,
    kept: KeptSums | None,
) -> Sums:
    """Return the sum of blocks, of which there is one at least, and of the sums that were kept."""
    method = ""
    total = None
    if kept is not None and kept.sums is not None:
        parts = np.split(kept.sums, [shares.columns * n])
        total = [part.reshape(shares.columns, -1) for part in parts]
    for start, sums in blocks:
        method = sums.method
        if total is None:
            total = [sums.vertices, sums.edges]
        else:
            total[0] += sums.vertices
            total[1] += sums.edges
        if kept is not None and start + BLOCK < sources:
            kept.keep(start + BLOCK, *total)
    assert total is not None  # noqa: S101 - of the first block
    here = [part if isinstance(part, np.ndarray) else part.get() for part in total]
    return Sums(here[0], here[1], method)


class Elsewhere(Protocol):
    """Computes the sums of blocks of sources on other processors."""

    def __call__(
        self, shares: PathShares, sources: Array, starts: range, stay: bool, /
    ) -> Iterator[Sums] | None:
        """Yield the sums of the block of sources at each start, in order.

        They are those that `PathShares.of` returns. With `stay`, they may stay on a device. None
        where they are to be computed here.
        """
        ...


class PathShares(NamedTuple):
    """What all blocks of a call of `betweenness_sums` share.

    Attributes
    ----------
    targets : ascending.
    endpoints, cutoffs, lengths : as in `betweenness_sums`.
    swept : whether paths are counted in a hierarchy.
    """

    targets: Array
    endpoints: bool
    cutoffs: Array | None
    lengths: Array | None
    swept: bool

    @property
    def columns(self) -> int:
        """The number of sums of each vertex and edge."""
        return 1 if self.cutoffs is None else len(self.cutoffs)

    def identity(self, graph: Graph, sources: Array) -> Question:
        """Return what the sums depend on."""
        arrays = {
            "sources": sources,
            "targets": self.targets,
            "cutoffs": self.cutoffs,
            "lengths": self.lengths,
        }
        return {
            "graph": fingerprint(graph),
            **{k: "none" if v is None else digest_of([v]) for k, v in arrays.items()},
            "endpoints": str(self.endpoints),
            "order of sums": f"blocks of {BLOCK} {'of arcs' if self.swept else 'by searches'}",
        }

    def of(self, graph: Graph, sources: Array, threads: int) -> Sums:
        """Return the sums of the paths from some sources: of edges that paths may use, or of arcs.

        Those by sweeps are of positions and arcs.
        """
        return self.of_edges(graph, _plain_edges(graph, self.lengths), sources, threads, None)

    def of_edges(
        self, graph: Graph, edges: _Edges, sources: Array, threads: int, progress: Progress
    ) -> Sums:
        """Return the same for the edges that `_plain_edges` returns."""
        asked = (sources, self.targets, self.endpoints)
        with counts_that_fit():
            if self.swept:
                return _by_sweeps(graph, edges, asked, threads, progress)
            limits, radii = self.cutoffs, None
            if self.lengths is not None and limits is not None:
                radii = self.lengths, limits
                limits = np.full(len(limits), largest(graph.dist_dtype))
            return _by_searches(graph, edges, asked, threads, limits, progress, radii=radii)


def _swept(
    graph: Graph,
    sources: int,
    threads: int,
    prepared: bool | str,
    cutoffs: Array | None,
    loop: Loop | None,
) -> bool:
    """Return whether to count paths in a hierarchy, which is made then."""
    if loop is Loop.COUNTING_SWEEPS:
        prepared = True
        if cutoffs is not None:
            raise NotSupportedError(
                "warpath.counting_sweeps counts paths of all lengths: leave cutoff out, or use "
                "algorithm='brandes2001.betweenness'."
            )
    if loop is Loop.BRANDES or cutoffs is not None:
        return False
    if loop is None:
        return _in_hierarchy(graph, sources, prepared) and _counting(graph, threads) is not None
    return bool(counted(graph, None, threads))


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


def _counting(graph: Graph, threads: int) -> tuple[Graph, Any] | None:
    """Return a graph of integer lengths and its hierarchy, in which paths are counted.

    None where a hierarchy is of no use or sums are rounded.
    """
    if _REFUSED.cached(graph) is not None:
        return None
    try:
        customizable.elimination_of(graph)
    except NotSupportedError as error:
        reason = str(error)
        _REFUSED.of(graph, lambda: reason)
        return None
    whole = _with_whole_lengths(graph)
    hierarchy = None if whole is None else customizable.hierarchy_of(whole, threads)
    if (
        whole is None
        or hierarchy is None
        or not _EXACT.of(graph, lambda: _exact(graph, whole, hierarchy))
    ):
        _REFUSED.of(graph, lambda: "sums of weights are rounded")
        return None
    return whole, hierarchy


class Counted(NamedTuple):
    """A hierarchy in which the shortest paths of a graph are counted.

    Attributes
    ----------
    hierarchy : an object of the core.
    counts : the number of shortest paths that each arc stands for, an object of the core.
    rows : offsets, heads and lengths of the edges that paths may use; lengths are int64.
    """

    hierarchy: Any
    counts: Any
    rows: tuple[Array, Array, Array]


def counted(graph: Graph, edges: _Edges | None, threads: int) -> Counted:
    """Return the hierarchy of a graph in which paths are counted, of which the counts are kept.

    Raises
    ------
    NotSupportedError
        If there is none; the message says why.
    DistanceOverflowError
        If there are more than 1e300 shortest paths.
    """
    counting = _counting(graph, threads)
    if counting is None:
        msg = (
            f"warpath.counting_sweeps cannot count these paths: {_REFUSED.cached(graph)}. Use "
            "algorithm='brandes2001.betweenness'."
        )
        raise NotSupportedError(msg)
    edges = edges or _plain_edges(graph)
    lengths = counting[0]._solver_weights.astype(np.int64)
    lengths = lengths if edges.numbers is None else lengths[edges.numbers]
    rows = edges.indptr, edges.indices, lengths
    count: Any = _core.path_counts
    with counts_that_fit():
        counts = _COUNTS.of(graph, lambda: count(counting[1], *rows))
    return Counted(counting[1], counts, rows)


@contextmanager
def counts_that_fit() -> Iterator[None]:
    """Raise DistanceOverflowError where a number of paths is too large."""
    try:
        yield
    except OverflowError as error:
        msg = (
            f"{error}: betweenness is a share of their number. Use targets=, a part of the "
            "graph, or weights that differ more."
        )
        raise DistanceOverflowError(msg) from None


def _by_sweeps(
    graph: Graph, edges: _Edges, asked: tuple[Any, ...], threads: int, progress: Progress
) -> Sums:
    """Return sums of positions and arcs by counting sweeps."""
    counts = counted(graph, edges, threads).counts
    of_thread = graph.n * (_SWEPT + 8) + 8 * counts.arcs
    team = _team(threads, of_thread, 8 * (2 * graph.n + 4 * graph.m) + 16 * counts.arcs)
    return of_positions(graph, counts.sums(*asked, threads=team, progress=progress))


def of_positions(graph: Graph, sums: Array) -> Sums:
    """Return the sums of the positions and arcs of a hierarchy, which are in one array."""
    return Sums(sums[None, : graph.n], sums[None, graph.n :], "counting sweeps")


def _handed_down(graph: Graph, edges: _Edges, sums: Sums, threads: int) -> Sums:
    """Return the sums of vertices and edges, of those of positions and arcs."""
    hierarchy = counted(graph, edges, threads)
    of_all = np.concatenate([sums.vertices[0], sums.edges[0]])
    vertices, shares = hierarchy.counts.hand_down(*hierarchy.rows, of_all)
    return Sums(vertices[None], shares[None], sums.method)


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
    of_thread = graph.n * (_SEARCHED + 16 * count) + (24 + 8 * count) * graph.m
    of_thread += 8 * graph.n * (radii is not None)
    team = _team(threads, of_thread, 8 * count * (2 * graph.n + 4 * graph.m))
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
