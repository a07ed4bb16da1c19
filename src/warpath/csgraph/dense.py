"""All pairs within a matrix of lengths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import _core, settings
from warpath.csgraph.results import as_floats, as_predecessors, prefer_sources
from warpath.graph import Graph
from warpath.tables import apsp

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

_FAR = np.iinfo(np.int32).max
_WHOLE = _FAR // 4  # lengths below it add up in 32 bits


def closed(lengths: Array, *, predecessors: bool = False) -> Array | None:
    """Replace lengths by distances between all pairs; return predecessors if asked for.

    Parameters
    ----------
    lengths : (n, n) float64, C-contiguous; inf where there is no edge, 0 on the diagonal.

    Raises
    ------
    NegativeCycleError
    """
    if len(lengths) == 0:
        return np.empty((0, 0), np.int32) if predecessors else None
    if predecessors or lengths.min() < 0:
        graph = _graph(lengths)
        table = apsp(graph, predecessors=predecessors)
        lengths[:] = as_floats(table.dist)
        if table.pred is None:
            return None
        pred = as_predecessors(table.pred)
        prefer_sources(graph, table.source_indices, table.dist, pred)
        return pred
    narrow = _in_32_bits(lengths)
    _core.floyd_warshall(lengths if narrow is None else narrow, threads=settings.threads())
    if narrow is not None:
        lengths[:] = narrow
        lengths[narrow == _FAR] = np.inf
    return None


def _in_32_bits(lengths: Array) -> NDArray[np.int32] | None:
    """Return whole lengths that are small enough as int32, which takes a third of the time."""
    present = lengths != np.inf
    longest = lengths.max(where=present, initial=0)
    if longest * len(lengths) > _WHOLE:
        return None
    narrow = np.full(lengths.shape, _FAR, np.int32)
    np.copyto(narrow, lengths, where=present, casting="unsafe")
    return narrow if np.array_equal(narrow[present], lengths[present]) else None


def _graph(lengths: Array) -> Graph:
    present = lengths != np.inf
    np.fill_diagonal(present, val=False)
    indptr = np.concatenate(([0], np.cumsum(np.count_nonzero(present, axis=1))))
    weights = lengths[present]
    whole = weights.astype(np.int64)
    fits = np.abs(weights).max(initial=0) * len(lengths) < 2**53
    exact = fits and np.array_equal(whole, weights)
    indices = np.nonzero(present)[1].astype(np.int32)
    return Graph.from_csr(indptr, indices, whole.astype(np.int32, copy=False) if exact else weights)
