"""Simple, slow solvers of graphs in plain Python, as references for small graphs.

Integers are Python's, hence exact; floats are NumPy scalars of the weights' type, hence rounded
after every addition as the core does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from support.oracle import Oracle
from warpath.base.dtypes import unreachable
from warpath.base.errors import DistanceOverflowError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike, NDArray

    from support.oracle import Labels
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


def _oracle(graph: Graph) -> Oracle:
    src, dst, weights = graph.edges()
    values = weights.tolist() if graph.dist_dtype.kind == "i" else list(weights)
    edges = zip(src.tolist(), dst.tolist(), values, strict=True)
    zero = graph.dist_dtype.type(0) if graph.dist_dtype.kind == "f" else 0
    return Oracle(graph.n, edges, zero, graph.first_through)


def _array(graph: Graph, labels: Labels) -> NDArray[Any]:
    dtype = graph.dist_dtype
    if dtype.kind == "i":
        limit = np.iinfo(dtype)
        for v, length in enumerate(labels):
            if length is not None and not limit.min <= length < limit.max:
                raise DistanceOverflowError(f"the distance {length} of {v} does not fit {dtype}.")
    return np.array([unreachable(dtype) if d is None else d for d in labels], dtype)


def dijkstra(graph: Graph, source: int) -> NDArray[Any]:
    """Return distances (n,) from a vertex index, weights >= 0. O(m log m).

    Raises
    ------
    DistanceOverflowError
        When an integer distance does not fit int64.
    """
    oracle = _oracle(graph)
    with np.errstate(over="ignore", under="ignore"):
        return _array(graph, oracle.folded(oracle.dijkstra([source]), source, oracle.zero))


def bellman_ford(graph: Graph, source: int) -> NDArray[Any] | None:
    """Return distances (n,) from a vertex index, or None when a negative cycle is reached. O(n m).

    Raises
    ------
    DistanceOverflowError
        When an integer distance does not fit int64.
    """
    oracle = _oracle(graph)
    with np.errstate(over="ignore", under="ignore"):
        labels = oracle.bellman_ford([source])
        return None if labels is None else _array(graph, oracle.folded(labels, source, oracle.zero))


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
    oracle = _oracle(graph)
    oracle.negative = negative
    values = dist.tolist() if dist.dtype.kind == "i" else list(dist)
    reached = dist != unreachable(dist.dtype)
    labels: Labels = [d if there else None for d, there in zip(values, reached, strict=True)]
    closed = graph.first_through
    arrivals = labels[:closed]
    labels[:closed] = [oracle.zero if v == source else None for v in range(closed)]
    with np.errstate(over="ignore", under="ignore"):
        tree = oracle.tree(source, labels + arrivals)
    return np.array(oracle.folded(tree, source, -1), np.int64)
