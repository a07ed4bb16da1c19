"""Distances and predecessors as SciPy gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpath.base.dtypes import unreachable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.graph import Graph

#: What stands for no predecessor.
NO_PREDECESSOR = np.int32(-9999)


def as_floats(dist: Array) -> Array:
    """Return distances as float64 that may be written to, inf where nothing is reached.

    An array that is ours alone becomes the answer.
    """
    if dist.dtype == np.float64:
        if not dist.flags.owndata:
            return dist.copy()
        dist.flags.writeable = True  # its only other holder was the result that it came in
        return dist
    floats = dist.astype(np.float64)
    floats[dist == unreachable(dist.dtype)] = np.inf
    return floats


def as_predecessors(pred: Array) -> NDArray[np.int32]:
    """Return predecessors as a new array of int32, -9999 where there is none."""
    return np.where(pred < 0, NO_PREDECESSOR, pred).astype(np.int32, copy=False)


def prefer_sources(graph: Graph, sources: Array, dist: Array, pred: Array) -> None:
    """Let a source be the predecessor of whatever is no nearer than by one edge from it.

    So it is in SciPy, whose searches relax those edges first and replace nothing equally short.

    Parameters
    ----------
    dist, pred : (k, n) in the graph's own type, and as SciPy gives them.
    """
    for row, s in enumerate(sources.tolist()):
        edges = slice(graph.indptr[s], graph.indptr[s + 1])
        ends = graph.indices[edges]
        tight = (dist[row, ends] == graph.solver_weights[edges]) & (ends != s)
        pred[row, ends[tight]] = s
