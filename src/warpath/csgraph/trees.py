"""SciPy's functions that compute distances and trees from predecessors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import InputError, require
from warpath.csgraph.matrices import lengths_of, rows_of
from warpath.csgraph.results import NO_PREDECESSOR

if TYPE_CHECKING:
    from warpath.base.dtypes import Array


def construct_dist_matrix(
    graph: Any, predecessors: Any, directed: bool = True, null_value: float = np.inf
) -> Array:
    """Compute the lengths of the paths along given predecessors.

    Parameters
    ----------
    graph : (n, n) weights, as in `floyd_warshall`.
    predecessors : (n, n) int32, one row per source, as `shortest_path` returns them.
    directed : False to use the lighter of both directions of an edge.
    null_value : the value for pairs without a path.

    Returns
    -------
    ndarray
        (n, n) float64.

    Raises
    ------
    TypeError
        If the predecessors are not int32.
    ValueError
        If the shapes differ, or the predecessors lead outside the graph or into a cycle.

    Notes
    -----
    O(n**2) for each edge of the longest path.
    """
    lengths = lengths_of(graph, zeros=True)
    pred = np.asarray(predecessors)
    if pred.dtype != np.int32:
        msg = f"Type of predecessors array should be np.int32, not {pred.dtype}."
        raise TypeError(msg)
    if pred.shape != lengths.shape:
        msg = f"graph and predecessors must have the same shape, not {lengths.shape}, {pred.shape}."
        raise InputError(msg)
    null = math.ldexp(null_value, 0)  # raises TypeError if it is not a number
    n = len(lengths)
    wrong = (pred != NO_PREDECESSOR) & ((pred < 0) | (pred >= n))
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        msg = f"predecessors[{i}, {j}] = {pred[i, j]} must be a vertex, 0 .. {n - 1}, or -9999."
        raise InputError(msg)
    if not directed:
        lengths[lengths == 0] = np.inf
        # Not np.minimum: of a NaN and a number SciPy takes the one above the diagonal.
        lighter = np.where(lengths >= lengths.T, lengths.T, lengths)
        lengths = np.where(np.tri(n, k=-1, dtype=np.bool_), lighter.T, lighter)
    with np.errstate(over="ignore", invalid="ignore"):  # sums may be inf or NaN
        return _summed(lengths, pred, null)


def _summed(lengths: Array, pred: Array, null_value: float) -> Array:
    """Add up the lengths of all paths together, one edge of each per step, from their ends."""
    n = len(lengths)
    dist = np.zeros((n, n))
    row, end = np.nonzero(~np.eye(n, dtype=np.bool_))
    at = end
    for step in range(n + 1):
        before = pred[row, at]
        has_predecessor = before != NO_PREDECESSOR
        if step == 0:
            dist[row[~has_predecessor], end[~has_predecessor]] = null_value
        row, end, at, before = (
            row[has_predecessor],
            end[has_predecessor],
            at[has_predecessor],
            before[has_predecessor],
        )
        dist[row, end] += lengths[before, at]
        going = before != row
        row, end, at = row[going], end[going], before[going]
        if len(row) == 0:
            return dist
    msg = f"predecessors[{row[0]}] have a cycle on the path to vertex {end[0]}."
    raise InputError(msg)


def reconstruct_path(csgraph: Any, predecessors: Any, directed: bool = True) -> Any:
    """Return the tree of given predecessors as a sparse matrix.

    Parameters
    ----------
    csgraph : (n, n) weights, as in `dijkstra`.
    predecessors : (n,) integers, negative where there is none.
    directed : False to use the lighter of both directions of an edge.

    Returns
    -------
    csr_array
        (n, n) float64, the edges of the tree; a csr_matrix if `csgraph` is a sparse matrix.

    Raises
    ------
    MissingDependencyError
        If SciPy is not installed.
    """
    sparse = require("scipy.sparse", what="csgraph.reconstruct_path")
    indptr, indices, weights = rows_of(csgraph)
    n = len(indptr) - 1
    rows = sparse.csr_array((weights.astype(np.float64), indices, indptr), shape=(n, n))
    pred = np.asarray(predecessors)
    if pred.dtype.kind not in "iu":
        msg = f"`predecessors` must be of an integral dtype, not {pred.dtype}."
        raise InputError(msg)
    ends = np.argsort(pred)[np.count_nonzero(pred < 0) :].astype(np.int32)
    starts = pred[ends]
    lengths = _entries(rows, starts, ends)
    if not directed:
        back = _entries(rows, ends, starts)
        lengths = np.minimum(*(np.where(each == 0, np.inf, each) for each in (lengths, back)))
    places = starts.searchsorted(np.arange(n + 1)).astype(np.int32)
    kind = sparse.csr_matrix if sparse.isspmatrix(csgraph) else sparse.csr_array
    matrix = kind((lengths, ends, places), shape=(n, n))
    foreign = getattr(type(csgraph), "from_scipy_sparse", None)
    return matrix if foreign is None else foreign(matrix)


def _entries(rows: Any, starts: Array, ends: Array) -> Array:
    """Return the entries at given positions, which SciPy returns as a sparse array or a matrix."""
    lengths = rows[starts, ends]
    dense: Array = np.asarray(lengths.toarray() if hasattr(lengths, "toarray") else lengths)
    return dense.ravel()
