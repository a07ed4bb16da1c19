"""The search functions of SciPy's csgraph: read the matrix, solve, return SciPy's types."""

from __future__ import annotations

import math
import warnings
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.api.calls import nearest, sssp
from warpath.api.nearest import with_a_start
from warpath.api.other_routes import simple_paths
from warpath.base.errors import GraphError, InputError
from warpath.csgraph.errors import raising_scipys
from warpath.csgraph.matrices import (
    as_scipys,
    check_numbers,
    edges_of,
    is_sparse,
    lengths_of,
    present_in,
)
from warpath.csgraph.results import NO_PREDECESSOR, as_floats, as_predecessors
from warpath.csgraph.solving import closed, solved
from warpath.engines.potentials import potentials_of, reduced
from warpath.graph import Graph
from warpath.graph.csr import kept_rows
from warpath.results.predecessors import tree
from warpath.results.route import Route

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.base.dtypes import Array
    from warpath.csgraph.matrices import MatrixEdges

    Answer = Array | tuple[Array, ...]
    from warpath.base.dtypes import Array


def shortest_path(
    csgraph: Any,
    method: str = "auto",
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
    indices: Any = None,
) -> Answer:
    """Compute shortest paths between all pairs, or from some vertices.

    Parameters
    ----------
    csgraph : (n, n) array, matrix, masked array or sparse matrix of weights, as in `dijkstra`.
    method : "FW", "D", "BF" or "J" for `floyd_warshall`, `dijkstra`, `bellman_ford`, `johnson`;
        "auto" chooses as SciPy does: Floyd-Warshall if at least a quarter of the matrix are edges
        and `indices` is None, else Johnson if a weight is negative, else Dijkstra.
    directed, return_predecessors, unweighted, indices : as in `dijkstra`.
    overwrite : as in `floyd_warshall`.

    Returns
    -------
    dist_matrix, predecessors
        As `dijkstra` returns them.

    Raises
    ------
    ValueError
        If `csgraph`, `indices` or the method is not valid, or `indices` is given with "FW".
    NegativeCycleError
    """
    data = as_scipys(csgraph)
    if method == "auto":
        method = _method(data, indices, overwrite=bool(overwrite))
    if method == "FW":
        if indices is not None:
            msg = "Cannot specify indices with method == 'FW'."
            raise InputError(msg)
        return floyd_warshall(data, directed, return_predecessors, unweighted, overwrite)
    if method not in _SEARCHES:
        msg = f"unrecognized method '{method}': use 'auto', 'FW', 'D', 'BF' or 'J'."
        raise InputError(msg)
    return _SEARCHES[method](
        data, directed, indices, return_predecessors=return_predecessors, unweighted=unweighted
    )


def _method(data: Any, indices: Any, *, overwrite: bool) -> str:
    """Return the method that SciPy chooses for a matrix.

    If `overwrite`, SciPy has already replaced missing edges by inf when it counts the edges.
    """
    if is_sparse(data):
        # Other formats may store their entries by rows or blocks.
        listed = data if data.format in {"csr", "csc", "coo"} else data.tocoo()
        count, entries = data.nnz, listed.data
    elif np.ma.isMaskedArray(data):
        count, entries = data.count(), data.compressed()
    else:
        values = np.asarray(data)
        if values.ndim != 2:
            msg = f"graph should have two dimensions, but its shape is {values.shape}."
            raise GraphError(msg)
        check_numbers(values)
        cleared = overwrite and values.dtype == np.float64
        entries = values[present_in(values) if cleared else np.isfinite(values) & (values != 0)]
        count = entries.size
    if indices is None and count >= np.prod(np.shape(data)[:1]) ** 2 / 4:
        return "FW"
    return "J" if np.any(entries < 0) else "D"


def dijkstra(
    csgraph: Any,
    directed: bool = True,
    indices: Any = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    limit: float = np.inf,
    min_only: bool = False,
) -> Answer:
    """Compute shortest paths from some vertices, for weights >= 0.

    Parameters
    ----------
    csgraph : (n, n) array, matrix, masked array or sparse matrix; entry (u, v) is the weight of
        the edge u -> v. All stored entries of a sparse matrix are edges, also zeros. Entries 0 (up
        to 1e-8), inf or NaN of a plain array and masked entries of a masked array are not edges.
    directed : False if each entry is an edge in both directions; of two entries the lighter counts.
    indices : the sources, integers of any shape, negative ones count from the end; None for all.
    return_predecessors : whether to return predecessors too.
    unweighted : whether every edge has the weight 1.
    limit : the largest distance. Farther vertices are unreachable; with negative weights paths do
        not pass through them.
    min_only : whether to return one row, the distances from the nearest of the sources.

    Returns
    -------
    dist_matrix : float64 of shape ``(*indices.shape, n)``, or (n,) if `min_only`; inf where
        there is no path.
    predecessors : int32 of the same shape, if requested: the vertex before each vertex on its path;
        -9999 for sources and unreachable vertices.
    sources : (n,) int32, if `min_only` and predecessors are requested: the source of each path, or
        -9999.

    Raises
    ------
    ValueError
        If the matrix is not square, holds -inf, or an index or the limit is out of range.
    NegativeCycleError
        If a negative cycle is reachable; SciPy does not terminate then.

    Warns
    -----
    UserWarning
        If a weight is negative. The distances are correct nevertheless.

    Notes
    -----
    Solved by the algorithm that `warpath.plan` chooses; distances have the bits of Dijkstra's
    algorithm. Of equally short paths the one with the smallest predecessors is returned, which may
    differ from SciPy's.
    """
    edges = edges_of(csgraph, directed=directed, unweighted=unweighted)
    if edges.negative:
        warnings.warn(
            "Graph has negative weights: dijkstra will give inaccurate results if the graph "
            "contains negative cycles. Consider johnson or bellman_ford.",
            stacklevel=2,
        )
    sources, shape = _sources(indices, edges.graph.n)
    cutoff = _checked_limit(limit)
    if cutoff is not None and math.isnan(cutoff):  # no distance is <= NaN, not even 0
        edges, cutoff = edges.without_edges(), None
    if edges.signed and cutoff is not None:
        return _within(edges, sources, shape, return_predecessors, cutoff, min_only=min_only)
    if min_only:
        return _nearest(edges, sources, return_predecessors, cutoff)
    return _answer(edges, sources, shape, return_predecessors, cutoff=cutoff)


def bellman_ford(
    csgraph: Any,
    directed: bool = True,
    indices: Any = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> Answer:
    """Compute shortest paths from some vertices; weights may be negative.

    Parameters
    ----------
    csgraph, directed, indices, return_predecessors, unweighted : as in `dijkstra`.

    Returns
    -------
    dist_matrix, predecessors
        As `dijkstra` returns them.

    Raises
    ------
    ValueError
        As `dijkstra`.
    NegativeCycleError
        If a source reaches a negative cycle. If not `directed`, every negative edge is one.
    """
    edges = edges_of(csgraph, directed=directed, unweighted=unweighted)
    sources, shape = _sources(indices, edges.graph.n)
    return _answer(edges, sources, shape, return_predecessors)


def johnson(
    csgraph: Any,
    directed: bool = True,
    indices: Any = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> Answer:
    """Compute shortest paths from many vertices; weights may be negative.

    Parameters
    ----------
    csgraph, directed, indices, return_predecessors, unweighted : as in `dijkstra`.

    Returns
    -------
    dist_matrix, predecessors
        As `dijkstra` returns them.

    Raises
    ------
    ValueError
        As `dijkstra`.
    NegativeCycleError
        If there is a negative cycle, even if no source reaches it.
    """
    if unweighted:
        return dijkstra(csgraph, directed, indices, return_predecessors, unweighted)
    edges = edges_of(csgraph, directed=directed)
    sources, shape = _sources(indices, edges.graph.n)
    if not edges.signed:
        return _answer(edges, sources, shape, return_predecessors)
    with raising_scipys():
        potentials_of(edges.graph)
    return _answer(edges, sources, shape, return_predecessors, algorithm="classic.johnson")


_SEARCHES = {"D": dijkstra, "BF": bellman_ford, "J": johnson}


def floyd_warshall(
    csgraph: Any,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
) -> Answer:
    """Compute shortest paths between all pairs of a dense graph; weights may be negative.

    Parameters
    ----------
    csgraph, directed, return_predecessors, unweighted : as in `dijkstra`, but self-loops are
        ignored, zeros of masked arrays are not edges, and sparse matrices must be csr, csc or lil.
    overwrite : whether to overwrite `csgraph` with the result, if it is a C-contiguous float64
        array.

    Returns
    -------
    dist_matrix, predecessors
        (n, n), as `dijkstra` returns them. Floats are added in another order than along the path,
        so distances may differ within n * eps.

    Raises
    ------
    ValueError
        As `dijkstra`.
    NegativeCycleError
        If there is a negative cycle of two vertices or more.
    """
    lengths = lengths_of(csgraph, overwrite=bool(overwrite))
    if unweighted:
        lengths[lengths != np.inf] = 1
    np.fill_diagonal(lengths, 0)
    if not directed:
        np.minimum(lengths, lengths.T.copy(), out=lengths)
    with raising_scipys():
        pred = closed(lengths, predecessors=bool(return_predecessors))
    return lengths if pred is None else (lengths, pred)


def _sources(indices: Any, n: int) -> tuple[Array, tuple[int, ...]]:
    """Return the sources, (k,) int64, and the shape of the result."""
    if indices is None:
        return np.arange(n), (n, n)
    given = np.array(indices, dtype=np.int32, order="C")
    exact = np.asarray(indices)
    if exact.dtype.kind in "iu" and not np.array_equal(exact, given):  # NumPy wraps arrays
        wrong = exact[exact != given].reshape(-1)[0]
        msg = f"indices out of range 0...N = {n}: {wrong}."
        raise InputError(msg)
    sources = given.reshape(-1).astype(np.int64)
    sources[sources < 0] += n
    if np.any(sources < 0) or np.any(sources >= n):
        msg = f"indices out of range 0...N = {n}: {sources[(sources < 0) | (sources >= n)][0]}."
        raise InputError(msg)
    return sources, (*given.shape, n)


def _checked_limit(limit: float) -> float | None:
    """Return the limit, None for inf; raise TypeError if it is not a number."""
    if math.isinf(limit) and limit > 0:
        return None
    if limit < 0:
        msg = f"limit must be >= 0, not {limit}."
        raise InputError(msg)
    return float(limit)


def _answer(
    edges: MatrixEdges, sources: Array, shape: tuple[int, ...], predecessors: object, **options: Any
) -> Answer:
    """Return one row per source, in the requested shape."""
    dist, pred = solved(edges, sources, predecessors=bool(predecessors), **options)
    return dist.reshape(shape) if pred is None else (dist.reshape(shape), pred.reshape(shape))


def _nearest(
    edges: MatrixEdges, sources: Array, predecessors: object, limit: float | None = None
) -> Answer:
    with raising_scipys():
        return nearest_sources(edges.graph, sources, limit, predecessors=bool(predecessors))


def _within(
    edges: MatrixEdges,
    sources: Array,
    shape: tuple[int, ...],
    predecessors: object,
    limit: float,
    *,
    min_only: bool,
) -> Answer:
    """Solve with negative weights and a limit for every vertex of a path, as in SciPy.

    The cutoff of warpath's searches applies to the end of a path only.
    """
    if min_only:
        nearest = partial(_nearest, sources=sources, predecessors=predecessors)
        return _pruned(edges, limit, nearest)
    rows = []
    for s in sources[:, None]:
        answer = partial(_answer, sources=s, shape=(edges.graph.n,), predecessors=predecessors)
        rows.append(_pruned(edges, limit, answer))
    if not predecessors:
        return np.reshape(np.array(rows, np.float64), shape)
    dist, pred = zip(*rows, strict=True) if rows else ((), ())
    return (
        np.reshape(np.array(dist, np.float64), shape),
        np.reshape(np.array(pred, np.int32), shape),
    )


def _pruned(edges: MatrixEdges, limit: float, solve: Callable[[MatrixEdges], Answer]) -> Answer:
    """Solve repeatedly, each time without the edges that were found to lead beyond the limit."""
    while True:
        answer = solve(edges)
        dist = answer[0] if isinstance(answer, tuple) else answer
        src, dst, weights = edges.graph.edges()
        with np.errstate(over="ignore"):
            within = (dist[src] + weights <= limit) | (dist[src] == np.inf)
        if within.all():
            return answer
        kept = Graph.from_edges(src[within], dst[within], weights[within], n=edges.graph.n)
        edges = edges._replace(graph=kept)


def yen(
    csgraph: Any,
    source: int,
    sink: int,
    K: int,  # noqa: N803 - SciPy's name
    *,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> Array | tuple[Array, Array]:
    """Find the K shortest loopless paths from a source to a sink.

    Parameters
    ----------
    csgraph, directed, unweighted : as in `dijkstra`; weights may be negative.
    source, sink : vertices, 0 .. n - 1.
    K : number of paths.
    return_predecessors : whether to return predecessors too.

    Returns
    -------
    dist_array : (M,) float64, lengths in ascending order; M < K if there are no more paths. Equally
        long paths are in lexicographic order of their vertices.
    predecessors : (M, n) int32, if requested: the vertex before each vertex of a path; -9999 for
        the source and for vertices that are not on the path.

    Raises
    ------
    ValueError
        As `dijkstra`; also if the source or sink is not a vertex, or K < 0.
    NegativeCycleError
        If there is a negative cycle, even if no path meets it.
    """
    edges = edges_of(csgraph, directed=directed, unweighted=unweighted)
    graph = edges.graph.astype(np.float64)
    n = graph.n
    if source < 0 or source >= n or sink < 0 or sink >= n:
        msg = (
            "For csgraph with shape (N, N), must have 0 <= source < N and "
            f"0 <= sink < N. Got N={n}, source={source}, sink={sink}."
        )
        raise InputError(msg)
    np.empty(K, np.bool_)  # raises the same errors for an invalid K as in SciPy
    with raising_scipys():
        paths = _loopless(graph, int(source), int(sink), K)
    with np.errstate(over="ignore"):  # the sum of a path may round to inf
        lengths: Array = np.array([Route(graph, path, 0).weights.sum() for path in paths])
    order = np.argsort(lengths, kind="stable")[: np.count_nonzero(lengths != np.inf)]
    lengths, paths = lengths[order], [paths[at] for at in order]
    if not return_predecessors:
        return lengths
    pred = np.full((len(paths), n), NO_PREDECESSOR)
    for row, path in zip(pred, paths, strict=True):
        row[path[1:]] = path[:-1]
    return lengths, pred


def _loopless(graph: Graph, source: int, sink: int, count: int) -> list[Array]:
    """Return the vertices of paths by length, then by vertices; any weights may be negative."""
    if graph.facts(symmetry=False).negative:
        weights = reduced(graph, potentials_of(graph))
        graph = Graph(*kept_rows(graph.indptr, graph.indices, weights, copied=False))
    return [path for path, _ in islice(simple_paths(graph, source, sink), count)]


def nearest_sources(
    graph: Graph, sources: Array, limit: float | None, *, predecessors: bool
) -> Array | tuple[Array, Array, Array]:
    """Return the distance of each vertex from the nearest source, (n,) float64.

    If `predecessors`, also return the vertex before it and the source, (n,) int32 each, -9999 where
    there is none. All vertices of a path have the same source: ``sources[pred[v]] == sources[v]``.
    """
    n = graph.n
    if len(sources) == 0 or n == 0:
        none = np.full(n, NO_PREDECESSOR)
        far = np.full(n, np.inf)
        return (far, none, none.copy()) if predecessors else far
    starts = np.unique(sources)
    if not predecessors:
        paths = sssp(with_a_start(graph, starts), n, cutoff=limit)
        return as_floats(paths.dist[:n])
    graph = _kept_apart(graph, starts)
    table = nearest(graph, starts, cutoff=limit)
    pred = _tree_within(graph, starts, table.dist, table.facility_indices)
    owner = as_predecessors(table.facility_indices)
    return as_floats(table.dist), pred, owner


def _kept_apart(graph: Graph, starts: Array) -> Graph:
    """Return the graph without edges of length 0 into sources, so that each is its own nearest."""
    facts = graph.facts(symmetry=False)
    if facts.negative or not facts.zero:
        return graph
    src, dst, weights = graph.edges()
    is_start = np.zeros(graph.n, np.bool_)
    is_start[starts] = True
    kept = ~(is_start[dst] & (weights == 0))
    return Graph.from_edges(src[kept], dst[kept], weights[kept], n=graph.n)


def _tree_within(graph: Graph, starts: Array, dist: Array, owner: Array) -> Array:
    """Return predecessors that have the same nearest source as the vertex."""
    src, dst, weights = graph.edges()
    same = owner[src] == owner[dst]
    within = Graph.from_edges(src[same], dst[same], weights[same], n=graph.n)
    own = starts[owner[starts] == starts]
    pred = tree(with_a_start(within, own), graph.n, np.append(dist, dist.dtype.type(0)))
    return as_predecessors(np.where(pred == graph.n, -1, pred)[: graph.n])
