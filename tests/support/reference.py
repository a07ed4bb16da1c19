"""Simple, slow solvers in plain Python, as references for small graphs.

Integers are Python's, hence exact; floats are NumPy scalars of the weights' type, hence rounded
after every addition as the core does.
"""

from __future__ import annotations

import heapq
import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import DistanceOverflowError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike, NDArray

    from warpath.graph import Graph


def rows(
    n: int,
    edges: Sequence[tuple[int, int, float]],
    index_type: DTypeLike = np.int32,
    weight_type: DTypeLike = np.int32,
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return (indptr, indices, weights) of a list of (u, v, w); a row keeps the list's order."""
    ordered = sorted(edges, key=lambda edge: edge[0])
    starts = np.searchsorted([u for u, _, _ in ordered], np.arange(n + 1)).astype(np.int64)
    return (
        starts,
        np.array([v for _, v, _ in ordered], index_type),
        np.array([w for _, _, w in ordered], weight_type),
    )


def _rows(graph: Graph) -> list[list[tuple[int, Any]]]:
    weights = graph.solver_weights
    values = weights.tolist() if weights.dtype.kind == "i" else list(weights)
    indptr, indices = graph.indptr.tolist(), graph.indices.tolist()
    return [
        list(zip(indices[begin:end], values[begin:end], strict=True))
        for begin, end in itertools.pairwise(indptr)
    ]


def _closed(graph: Graph, u: int, source: int) -> bool:
    return u < graph.first_through and u != source


def _labels(graph: Graph, found: dict[int, Any]) -> NDArray[Any]:
    dtype = graph.dist_dtype
    if dtype.kind == "f":
        dist = np.full(graph.n, np.inf, dtype)
    else:
        limit = np.iinfo(dtype)
        for v, length in found.items():
            if not limit.min <= length < limit.max:
                msg = f"the distance {length} of vertex {v} does not fit {dtype}."
                raise DistanceOverflowError(msg)
        dist = np.full(graph.n, limit.max, dtype)
    for v, length in found.items():
        dist[v] = length
    return dist


def dijkstra(graph: Graph, source: int) -> NDArray[Any]:
    """Return distances (n,) from a vertex index, weights >= 0. O(m log m).

    Raises
    ------
    DistanceOverflowError
        When an integer distance does not fit int64.
    """
    rows = _rows(graph)
    found: dict[int, Any] = {}
    heap: list[tuple[Any, int]] = [(graph.dist_dtype.type(0), source)]
    if graph.dist_dtype.kind == "i":
        heap = [(0, source)]
    with np.errstate(over="ignore", under="ignore"):
        while heap:
            length, u = heapq.heappop(heap)
            if u in found:
                continue
            found[u] = length
            if _closed(graph, u, source):
                continue
            for v, weight in rows[u]:
                candidate = length + weight
                if v not in found and candidate < np.inf:
                    heapq.heappush(heap, (candidate, v))
    return _labels(graph, found)


def bellman_ford(graph: Graph, source: int) -> NDArray[Any] | None:
    """Return distances (n,) from a vertex index, or None when a negative cycle is reached. O(n m).

    Raises
    ------
    DistanceOverflowError
        When an integer distance does not fit int64.
    """
    rows = _rows(graph)
    found: dict[int, Any] = {source: 0}
    if graph.dist_dtype.kind == "f":
        found[source] = graph.dist_dtype.type(0)
    with np.errstate(over="ignore", under="ignore"):
        for _ in range(graph.n + 1):
            changed = False
            for u in list(found):
                if _closed(graph, u, source):
                    continue
                for v, weight in rows[u]:
                    candidate = found[u] + weight
                    if candidate < found.get(v, np.inf):
                        found[v] = candidate
                        changed = True
            if not changed:
                return _labels(graph, found)
    return None


def rule2_tree(
    graph: Graph, source: int, dist: NDArray[Any], *, negative: bool = False
) -> NDArray[np.int64]:
    """Return the predecessors (n,) that docs/decisions/0004 defines, -1 if there is none.

    Parameters
    ----------
    graph, source : the problem; `source` is an index.
    dist : (n,) its distances.
    negative : whether to use breadth-first order over all tight edges, as for negative weights.
    """
    tight = _tight_edges(graph, source, dist)
    pred = np.full(graph.n, -1, np.int64)
    if not negative:
        for u, v in sorted(tight):
            if pred[v] < 0 and v != source and dist[u] < dist[v]:
                pred[v] = u
        tight = [(u, v) for u, v in tight if dist[u] == dist[v]]
    level = {source} if negative else {source, *np.flatnonzero(pred >= 0).tolist()}
    while level:
        following = set()
        for u, v in sorted(tight):
            if u in level and v != source and pred[v] < 0:
                pred[v] = u
                following.add(v)
        level = following
    return pred


def _tight_edges(graph: Graph, source: int, dist: NDArray[Any]) -> list[tuple[int, int]]:
    integer = graph.dist_dtype.kind == "i"
    labels = dist.tolist() if integer else list(dist)
    unreached = np.iinfo(np.int64).max if integer else np.inf
    with np.errstate(over="ignore", under="ignore"):
        return [
            (u, v)
            for u, row in enumerate(_rows(graph))
            if labels[u] != unreached and not _closed(graph, u, source)
            for v, weight in row
            if labels[v] != unreached and labels[u] + weight == labels[v]
        ]
