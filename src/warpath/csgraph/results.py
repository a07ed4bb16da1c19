"""Conversion of distances and predecessors to the form that SciPy returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpath.base.dtypes import unreachable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.graph import Graph

#: The value for "no predecessor".
NO_PREDECESSOR = np.int32(-9999)


def as_floats(dist: Array) -> Array:
    """Return distances as writable float64, with inf where unreachable.

    A float64 array that owns its memory is returned without a copy.
    """
    if dist.dtype == np.float64:
        if not dist.flags.owndata:
            return dist.copy()
        dist.flags.writeable = True  # not shared: the result that held the array is gone
        return dist
    floats = dist.astype(np.float64)
    floats[dist == unreachable(dist.dtype)] = np.inf
    return floats


def as_predecessors(pred: Array) -> NDArray[np.int32]:
    """Return predecessors as a new array of int32, -9999 where there is none."""
    return np.where(pred < 0, NO_PREDECESSOR, pred).astype(np.int32, copy=False)


def prefer_sources(graph: Graph, sources: Array, dist: Array, pred: Array) -> None:
    """Make the source the predecessor of each vertex whose shortest path can be one edge.

    SciPy relaxes the edges out of the source first, and keeps the first of equally short paths.

    Parameters
    ----------
    dist : (k, n) distances in the graph's distance type.
    pred : (k, n) predecessors in SciPy's form, changed in place.
    """
    for row, s in enumerate(sources.tolist()):
        edges = slice(graph.indptr[s], graph.indptr[s + 1])
        ends = graph.indices[edges]
        tight = (dist[row, ends] == graph._solver_weights[edges]) & (ends != s)
        pred[row, ends[tight]] = s
