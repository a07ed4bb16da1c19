"""Matrices as graphs and as dense matrices of lengths, by the rules of SciPy's csgraph.

All stored entries of a sparse matrix are edges, also explicit zeros. In a dense matrix 0, inf and
NaN are not edges. In a masked array masked entries are not edges; for Floyd-Warshall neither are 0
and inf.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base.errors import GraphError, WeightError
from warpath.engines.dense import adjacency_matrix
from warpath.graph import Graph
from warpath.graph.csr import kept_rows
from warpath.io.scipy_sparse import undirected

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.base.dtypes import Array

#: Smaller entries of plain dense matrices count as 0 in SciPy, by `numpy.ma.masked_values`.
_NOTHING = 1e-8
#: Smaller sums of integers are the same in int64 and in float64.
_EXACT = 2**53
#: The types whose values float64 holds exactly.
_FLOATS = (np.float64, np.float32, np.float16)
#: For fewer entries integers do not pay, because the results are converted to floats.
_FEW = 2**15


class MatrixEdges(NamedTuple):
    """The edges of a matrix.

    Attributes
    ----------
    graph : the graph to solve, with integer weights if the values of the matrix allow it.
    negative : whether the matrix has a negative weight.
    signed : whether the graph has one; False if `unweighted` made all weights 1.
    """

    graph: Graph
    negative: bool
    signed: bool

    def without_edges(self) -> MatrixEdges:
        """Return the same vertices without edges."""
        none = Graph.from_csr(np.zeros(self.graph.n + 1, np.int64), np.empty(0, np.int32))
        return MatrixEdges(none, self.negative, signed=False)


def is_sparse(data: Any) -> bool:
    """Return whether an object is a SciPy sparse matrix or array, or converts to one."""
    return hasattr(data, "tocsr") or hasattr(data, "to_scipy_sparse")


def as_scipys(data: Any) -> Any:
    """Convert a sparse array of the package `sparse` to SciPy's; return other objects unchanged."""
    if not hasattr(data, "to_scipy_sparse"):
        return data
    try:
        return data.to_scipy_sparse(accept_fv=[0, np.inf, np.nan])
    except TypeError:  # before 0.15.4 the only fill value was 0
        return data.to_scipy_sparse()


def edges_of(csgraph: Any, *, directed: bool, unweighted: bool = False) -> MatrixEdges:
    """Return the edges of a matrix.

    Parameters
    ----------
    csgraph : (n, n), any type that SciPy's functions take. A CSR matrix of float64 is not copied.
    directed : False if each entry is an edge in both directions.
    unweighted : whether every edge has the weight 1 in place of its entry.

    Raises
    ------
    GraphError
        If the matrix is not square.
    WeightError
        If a stored entry is -inf.

    Notes
    -----
    O(n + m) for CSR. Nothing is cached, as the caller may change the arrays between calls.
    """
    indptr, indices, values = rows_of(csgraph, directed=directed)
    negative = _any_negative(values)
    graph = _graph(indptr, indices, None) if unweighted else _weighted(indptr, indices, values)
    return MatrixEdges(
        graph if directed else undirected(graph), negative, negative and not unweighted
    )


def _any_negative(values: Array) -> bool:
    """Return whether an entry is below 0; NaNs are ignored."""
    least = values.min(initial=0)
    return bool(np.any(values < 0)) if np.isnan(least) else bool(least < 0)


def rows_of(csgraph: Any, *, directed: bool = True) -> tuple[Array, Array, Array]:
    """Return (indptr, indices, entries) of the rows of a sparse or dense matrix.

    If not `directed`, they may be those of its columns.
    """
    data = as_scipys(csgraph)
    if not is_sparse(data):
        indptr, indices, values = _rows_of_dense(data)
    else:
        indptr, indices, values = _rows_of_sparse(_added_up(data), directed=directed)
    check_numbers(values)
    fits = values.dtype.kind in "biu" or values.dtype in _FLOATS
    return indptr, indices, values if fits else values.astype(np.float64)


def _added_up(data: Any) -> Any:
    """Return a matrix with duplicate entries added up if its type is not float64.

    SciPy does so when it converts the type of compressed rows; of float64 duplicates the least
    counts.
    """
    compressed = data.format in {"csr", "csc"} and data.dtype != np.float64
    return data.astype(np.float64) if compressed and not data.has_canonical_format else data


def _rows_of_sparse(data: Any, *, directed: bool) -> tuple[Array, Array, Array]:
    if len(data.shape) != 2:
        msg = f"compressed-sparse graph must be 2-D, not of shape {tuple(data.shape)}."
        raise GraphError(msg)
    if data.shape[0] != data.shape[1]:
        msg = f"compressed-sparse graph must be shape (N, N), not {tuple(data.shape)}."
        raise GraphError(msg)
    # For an undirected graph the columns serve as rows, which saves the transpose.
    rows = data if not directed and data.format == "csc" else data.tocsr()
    used = int(rows.indptr[-1])  # SciPy allows unused space after the last entry
    return rows.indptr, rows.indices[:used], rows.data[:used]


def _rows_of_dense(data: Any) -> tuple[Array, Array, Array]:
    values = np.asarray(np.ma.getdata(data) if np.ma.isMaskedArray(data) else data)
    _check_square(values)
    check_numbers(values)
    present = ~np.ma.getmaskarray(data) if np.ma.isMaskedArray(data) else present_in(values)
    present = np.asarray(present)  # np.matrix would stay two-dimensional under a mask
    indptr = np.concatenate(([0], np.cumsum(np.count_nonzero(present, axis=1))))
    return indptr, np.nonzero(present)[1].astype(np.int32), values[present]


def present_in(values: Array) -> NDArray[np.bool_]:
    """Return the mask of the edges of a plain dense matrix."""
    if values.dtype.kind != "f":
        present: NDArray[np.bool_] = np.isfinite(values) & (values != 0)
        return present
    # Comparisons need no temporary array of floats, whose allocation takes longer.
    present = (values > _NOTHING) | (values < -_NOTHING)
    present &= (values != np.inf) & (values != -np.inf)
    return present


def check_numbers(values: Array) -> None:
    """Raise an error for dates and durations, which cannot be compared with 0."""
    if values.dtype.kind in "mM":
        msg = f"a matrix of {values.dtype} has times, not numbers: divide by a unit of time."
        raise TypeError(msg)


def _check_square(values: Array) -> None:
    if values.ndim != 2:
        msg = f"graph should have two dimensions, but its shape is {values.shape}."
        raise GraphError(msg)
    if values.shape[0] != values.shape[1]:
        msg = f"graph should be a square array, but its shape is {values.shape}."
        raise GraphError(msg)


def _weighted(indptr: Array, indices: Array, values: Array) -> Graph:
    """Return the graph of weighted rows, with integer weights if the distances are equal."""
    if values.dtype.kind in "bi" and len(values) > _FEW:
        largest = max(abs(int(values.max(initial=0))), abs(int(values.min(initial=0))))
        if largest * len(indptr) < _EXACT:
            return _graph(indptr, indices, values)
    return _with_floats(indptr, indices, values)


def _with_floats(indptr: Array, indices: Array, values: Array) -> Graph:
    floats = values.astype(np.float64, copy=False)
    try:
        return _graph(indptr, indices, floats)
    except WeightError:
        absent = np.isnan(floats)  # comparisons with NaN are false, so no path uses the edge
        if not absent.any():
            raise
        return _graph(indptr, indices, np.where(absent, np.inf, floats))


def _graph(indptr: Array, indices: Array, weights: Array | None) -> Graph:
    """Return a graph that shares the arrays, which no other thread may change during the call.

    The graph exists only during the call. Copying would take 5 to 10 % of the time of a search.
    """
    return Graph(*kept_rows(indptr, indices, weights, copied=False))


def lengths_of(csgraph: Any, *, overwrite: bool = False, zeros: bool = False) -> Array:
    """Return the (n, n) float64 matrix of lengths, with inf where there is no edge.

    Parameters
    ----------
    csgraph : as in `edges_of`, but sparse matrices must have the format csr, csc or lil. Of
        duplicate entries the least counts; conversion from other formats would add them up.
    overwrite : whether a C-contiguous float64 array is returned itself and not as a copy.
    zeros : True if every unmasked entry of a masked array is an edge, whatever its value, and so is
        a complex number with real part 0; False if zeros, inf and NaN are not edges.

    Raises
    ------
    GraphError, WeightError
        As `edges_of`, and if the format is another one.
    """
    data = as_scipys(csgraph)
    if is_sparse(data):
        if data.format not in {"lil", "csc", "csr"}:
            msg = f"csgraph must be lil, csr, or csc format, not {data.format}: use .tocsr()."
            raise GraphError(msg)
        indptr, indices, values = _rows_of_sparse(data, directed=True)
        graph = _with_floats(indptr, indices, values)
        return adjacency_matrix(graph, graph._solver_weights)
    values = np.asarray(np.ma.getdata(data) if np.ma.isMaskedArray(data) else data)
    _check_square(values)
    check_numbers(values)
    present = ~np.ma.getmaskarray(data) if np.ma.isMaskedArray(data) else present_in(values)
    # The result must be writable even if the input is not.
    own = overwrite and values.dtype == np.float64 and values.flags.carray
    matrix = values if own else values.astype(np.float64, order="C")
    if not zeros and (np.ma.isMaskedArray(data) or values.dtype.kind == "c"):
        _refuse_minus_infinity(np.where(present, matrix, 0))
        present &= (matrix != 0) & np.isfinite(matrix)
    np.copyto(matrix, np.inf, where=~present)
    return matrix


def _refuse_minus_infinity(lengths: Array) -> None:
    wrong = np.argwhere(lengths == -np.inf)
    if len(wrong):
        u, v = wrong[0].tolist()
        msg = f"the entry [{u}, {v}] is -inf, but lengths must be finite: mask such entries."
        raise WeightError(msg)
