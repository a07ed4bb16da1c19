"""Distances and trees from predecessors."""

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
    """Distances along the paths that predecessors make.

    Parameters
    ----------
    graph : (n, n) weights, as in `floyd_warshall`.
    predecessors : (n, n) int32, a row for each source, as `shortest_path` returns them.
    directed : False takes the lighter of both directions.
    null_value : what stands where there is no path.

    Returns
    -------
    ndarray
        (n, n) float64.

    Raises
    ------
    TypeError
        If the predecessors are not int32.
    ValueError
        If their shape is another, or they lead outside the graph or round in a cycle.

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
    null = math.ldexp(null_value, 0)  # a TypeError for what is no number
    n = len(lengths)
    wrong = (pred != NO_PREDECESSOR) & ((pred < 0) | (pred >= n))
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        msg = f"predecessors[{i}, {j}] = {pred[i, j]}: a vertex is 0 .. {n - 1}, none is -9999."
        raise InputError(msg)
    if not directed:
        lengths[lengths == 0] = np.inf
        # Not np.minimum: of a NaN and a number SciPy takes the one above the diagonal.
        lighter = np.where(lengths >= lengths.T, lengths.T, lengths)
        lengths = np.where(np.tri(n, k=-1, dtype=np.bool_), lighter.T, lighter)
    with np.errstate(over="ignore", invalid="ignore"):  # inf and NaN are sums like others
        return _summed(lengths, pred, null)


def _summed(lengths: Array, pred: Array, null_value: float) -> Array:
    """Walk all paths back at once, an edge of each in every step."""
    n = len(lengths)
    dist = np.zeros((n, n))
    row, end = np.nonzero(~np.eye(n, dtype=np.bool_))
    at = end
    for step in range(n + 1):
        before = pred[row, at]
        known = before != NO_PREDECESSOR
        if step == 0:
            dist[row[~known], end[~known]] = null_value
        row, end, at, before = row[known], end[known], at[known], before[known]
        dist[row, end] += lengths[before, at]
        going = before != row
        row, end, at = row[going], end[going], before[going]
        if len(row) == 0:
            return dist
    msg = f"predecessors[{row[0]}] lead round in a cycle that {end[0]} hangs on."
    raise InputError(msg)


def reconstruct_path(csgraph: Any, predecessors: Any, directed: bool = True) -> Any:
    """Return the tree that predecessors make, as a sparse matrix.

    Parameters
    ----------
    csgraph : (n, n) weights, as in `dijkstra`.
    predecessors : (n,) integers, those below 0 say that there is none.
    directed : False takes the lighter of both directions.

    Returns
    -------
    csr_array
        (n, n) float64, the edges of the tree; a csr_matrix where `csgraph` is a sparse matrix.

    Raises
    ------
    MissingDependencyError
        Without SciPy, whose matrices these are.
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
    made = kind((lengths, ends, places), shape=(n, n))
    foreign = getattr(type(csgraph), "from_scipy_sparse", None)
    return made if foreign is None else foreign(made)


def _entries(rows: Any, starts: Array, ends: Array) -> Array:
    """Return the entries at these places; SciPy gives them as a sparse array or a matrix."""
    found = rows[starts, ends]
    dense: Array = np.asarray(found.toarray() if hasattr(found, "toarray") else found)
    return dense.ravel()
