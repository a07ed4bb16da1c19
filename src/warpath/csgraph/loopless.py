"""SciPy's function for the K shortest loopless paths."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import InputError
from warpath.csgraph.errors import raising_scipys
from warpath.csgraph.matrices import edges_of
from warpath.csgraph.results import NO_PREDECESSOR
from warpath.engines.yen import shortest_loopless
from warpath.results.route import Route

if TYPE_CHECKING:
    from warpath.base.dtypes import Array


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
    dist_array : (M,) float64, lengths in ascending order; M < K if there are no more paths.
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
        found = shortest_loopless(graph, int(source), int(sink), K)
    with np.errstate(over="ignore"):  # the sum of a path may round to inf
        lengths: Array = np.array([Route(graph, np.array(path), 0).weights.sum() for path in found])
    reached = lengths != np.inf
    lengths, found = lengths[reached], list(compress(found, reached))
    if not return_predecessors:
        return lengths
    pred = np.full((len(found), n), NO_PREDECESSOR)
    for row, path in zip(pred, found, strict=True):
        row[path[1:]] = path[:-1]
    return lengths, pred
