"""SciPy's function for the k shortest paths without loops."""

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
    """Lengths of the K shortest paths from a vertex to another that pass no vertex twice.

    Parameters
    ----------
    csgraph, directed, unweighted : as in `dijkstra`; weights may be negative.
    source, sink : vertices, 0 .. n - 1.
    K : how many paths.
    return_predecessors : return them, too.

    Returns
    -------
    dist_array : (M,) float64 in ascending order; M < K where there are no more.
    predecessors : (M, n) int32, if asked for: the vertex before each one on that path; -9999 for
        its source and vertices that it does not pass.

    Raises
    ------
    ValueError
        As `dijkstra`; for a source or sink that is no vertex, or K < 0.
    NegativeCycleError
        If there is a negative cycle, even where no path meets it.
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
    np.empty(K, np.bool_)  # what NumPy refuses as a length is refused here
    with raising_scipys():
        found = shortest_loopless(graph, int(source), int(sink), K)
    with np.errstate(over="ignore"):  # along the whole path a sum may round up to inf
        lengths: Array = np.array([Route(graph, np.array(path), 0).legs.sum() for path in found])
    reached = lengths != np.inf
    lengths, found = lengths[reached], list(compress(found, reached))
    if not return_predecessors:
        return lengths
    pred = np.full((len(found), n), NO_PREDECESSOR)
    for row, path in zip(pred, found, strict=True):
        row[path[1:]] = path[:-1]
    return lengths, pred
