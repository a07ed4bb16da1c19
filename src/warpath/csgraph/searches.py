"""SciPy's functions for shortest paths: read, solve, and answer as SciPy does."""

from __future__ import annotations

import math
import warnings
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import GraphError, InputError
from warpath.csgraph.dense import closed
from warpath.csgraph.errors import raising_scipys
from warpath.csgraph.matrices import (
    as_scipys,
    check_numbers,
    edges_of,
    is_sparse,
    lengths_of,
    present_in,
)
from warpath.csgraph.owners import nearest_sources
from warpath.csgraph.solving import solved
from warpath.engines.potentials import potentials_of
from warpath.graph import Graph

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.base.dtypes import Array
    from warpath.csgraph.matrices import Edges

    Answer = Array | tuple[Array, ...]


def shortest_path(
    csgraph: Any,
    method: str = "auto",
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
    indices: Any = None,
) -> Answer:
    """Shortest paths between all pairs, or from some vertices.

    Parameters
    ----------
    csgraph : (n, n) array, matrix, masked array or sparse matrix of weights, as in `dijkstra`.
    method : "FW", "D", "BF" or "J" for `floyd_warshall`, `dijkstra`, `bellman_ford`, `johnson`;
        "auto" as SciPy chooses: Floyd-Warshall where a quarter of the matrix or more are edges and
        `indices` is None, else Johnson where a weight is negative, else Dijkstra.
    directed, return_predecessors, unweighted, indices : as in `dijkstra`.
    overwrite : as in `floyd_warshall`.

    Returns
    -------
    dist_matrix, predecessors
        As `dijkstra` returns them.

    Raises
    ------
    ValueError
        For what `csgraph` and `indices` cannot be, another method, or `indices` with "FW".
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
        msg = f"unrecognized method '{method}': 'auto', 'FW', 'D', 'BF' and 'J' are."
        raise InputError(msg)
    return _SEARCHES[method](
        data, directed, indices,
        return_predecessors=return_predecessors, unweighted=unweighted,
    )  # fmt: skip


def _method(data: Any, indices: Any, *, overwrite: bool) -> str:
    """Return the method that SciPy takes for a matrix.

    What it may overwrite has inf in the place of what is no edge by then.
    """
    if is_sparse(data):
        # Others may hold their entries by rows or blocks.
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
    """Shortest paths from some vertices, for weights >= 0.

    Parameters
    ----------
    csgraph : (n, n) array, matrix, masked array or sparse matrix; entry (u, v) is the weight of
        the edge u -> v. Stored entries of a sparse one are edges, zeros too. In a plain array what
        is 0 (up to 1e-8), inf or NaN is none, in a masked one what is masked.
    directed : False lets each entry be an edge in both directions, of which the lighter counts.
    indices : the sources, integers of any shape; those below 0 count from the end. None: all.
    return_predecessors : return them, too.
    unweighted : every edge counts as 1.
    limit : vertices farther than this are not reached, and with negative weights not passed.
    min_only : one row: the distance from the nearest of the sources.

    Returns
    -------
    dist_matrix : float64, the shape of `indices` and n; (n,) with `min_only`. inf where there is no
        path.
    predecessors : int32 of the same shape, if asked for: the vertex before each one on its path;
        -9999 for sources and what is not reached.
    sources : (n,) int32, with `min_only` and predecessors: the source that a path comes from, or
        -9999.

    Raises
    ------
    ValueError
        If the matrix is not square, holds -inf, or an index or the limit is out of range.
    NegativeCycleError
        If a negative cycle can be reached; SciPy does not end there.

    Warns
    -----
    UserWarning
        If a weight is negative. Distances are right all the same.

    Notes
    -----
    Solved by what `warpath.plan` chooses; distances have the bits of Dijkstra's algorithm. Of
    equally short paths it is that of the smallest predecessor, which need not be SciPy's.
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
    if cutoff is not None and math.isnan(cutoff):  # no sum is <= NaN, not even 0
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
    """Shortest paths from some vertices; weights may be negative.

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
        If a source reaches a negative cycle; without direction an edge of negative weight is one.
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
    """Shortest paths from many vertices; weights may be negative.

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
        If there is a negative cycle, even where no source reaches it.
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
    """Shortest paths between all pairs of a dense graph; weights may be negative.

    Parameters
    ----------
    csgraph, directed, return_predecessors, unweighted : as in `dijkstra`, but self-loops do not
        count, zeros of masked arrays are no edges, and sparse matrices are csr, csc or lil.
    overwrite : where `csgraph` is a C-contiguous float64 array, it becomes the answer.

    Returns
    -------
    dist_matrix, predecessors
        (n, n), as `dijkstra` returns them. Floats are added in another order than along the path:
        within n * eps.

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
    """Return the sources, (k,) int64, and the shape of the answer."""
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
    """Return the limit: None for inf; TypeError for what is no number."""
    if math.isinf(limit) and limit > 0:
        return None
    if limit < 0:
        msg = f"limit must be >= 0, not {limit}."
        raise InputError(msg)
    return float(limit)


def _answer(
    edges: Edges, sources: Array, shape: tuple[int, ...], predecessors: object, **options: Any
) -> Answer:
    """Return a row for each source, in the shape that was asked for."""
    dist, pred = solved(edges, sources, predecessors=bool(predecessors), **options)
    return dist.reshape(shape) if pred is None else (dist.reshape(shape), pred.reshape(shape))


def _nearest(
    edges: Edges, sources: Array, predecessors: object, limit: float | None = None
) -> Answer:
    with raising_scipys():
        return nearest_sources(edges.graph, sources, limit, predecessors=bool(predecessors))


def _within(
    edges: Edges, sources: Array, shape: tuple[int, ...], predecessors: object, limit: float,
    *, min_only: bool,
) -> Answer:  # fmt: skip
    """Answer with negative weights and a limit that no vertex of a path lies beyond, as in SciPy.

    The limit of warpath's own searches is for the whole path only.
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


def _pruned(edges: Edges, limit: float, solve: Callable[[Edges], Answer]) -> Answer:
    """Solve without the edges that lead beyond the limit, which there are more of each time."""
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
