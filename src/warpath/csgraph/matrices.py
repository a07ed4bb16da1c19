"""SciPy's matrices as graphs, and as dense matrices of lengths, by the rules of its csgraph.

Stored entries of a sparse matrix are edges, explicit zeros too. In a dense one 0, inf and NaN are
none; in a masked one the mask says what is none, but 0 and inf are none to Floyd-Warshall.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base.errors import GraphError, WeightError
from warpath.engines.dense import adjacency_matrix
from warpath.graph import Graph
from warpath.graph.csr import rows_of_csr
from warpath.io.scipy_sparse import undirected

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.base.dtypes import Array

#: What SciPy's conversion of plain dense matrices takes for 0, by `numpy.ma.masked_values`.
_NOTHING = 1e-8
#: Sums of whole numbers below it are the same in int64 and in float64.
_EXACT = 2**53
#: What float64 holds as it is.
_FLOATS = (np.float64, np.float32, np.float16)
#: Entries that it does not pay to keep as integers: their answers are turned into floats.
_FEW = 2**15


class Edges(NamedTuple):
    """A matrix that was read.

    Attributes
    ----------
    graph : what is solved: with integers where the matrix has integers that allow it.
    negative : whether a weight of the matrix is negative.
    signed : whether one of the graph is, whose edges may all count as 1.
    """

    graph: Graph
    negative: bool
    signed: bool

    def without_edges(self) -> Edges:
        """Return the same vertices without an edge between them."""
        none = Graph.from_csr(np.zeros(self.graph.n + 1, np.int64), np.empty(0, np.int32))
        return Edges(none, self.negative, signed=False)


def is_sparse(data: Any) -> bool:
    """Say whether something is a sparse matrix or array of SciPy's, or converts to one."""
    return hasattr(data, "tocsr") or hasattr(data, "to_scipy_sparse")


def as_scipys(data: Any) -> Any:
    """Return a sparse array of the package `sparse` as SciPy's; other objects as they are."""
    if not hasattr(data, "to_scipy_sparse"):
        return data
    try:
        return data.to_scipy_sparse(accept_fv=[0, np.inf, np.nan])
    except TypeError:  # before 0.15.4 it took no other fill value than 0
        return data.to_scipy_sparse()


def edges_of(csgraph: Any, *, directed: bool, unweighted: bool = False) -> Edges:
    """Return the edges of a matrix.

    Parameters
    ----------
    csgraph : (n, n), whatever SciPy's functions take. A CSR matrix of float64 is read in place.
    directed : False lets each entry be an edge in both directions.
    unweighted : every edge counts as 1, whatever its entry says.

    Raises
    ------
    GraphError
        It is not square.
    WeightError
        A stored entry is -inf, which no path can have.

    Notes
    -----
    O(n + m) for CSR, every time: the caller may have changed the arrays since the last call.
    """
    indptr, indices, values = rows_of(csgraph, directed=directed)
    negative = _any_negative(values)
    graph = _graph(indptr, indices, None) if unweighted else _weighted(indptr, indices, values)
    return Edges(graph if directed else undirected(graph), negative, negative and not unweighted)


def _any_negative(values: Array) -> bool:
    """Say whether an entry is below 0, whatever NaNs stand between them."""
    least = values.min(initial=0)
    return bool(np.any(values < 0)) if np.isnan(least) else bool(least < 0)


def rows_of(csgraph: Any, *, directed: bool = True) -> tuple[Array, Array, Array]:
    """Return (indptr, indices, entries) of a matrix as they are stored, or as a dense one has them.

    Without direction they may be those of its columns.
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
    """Return a matrix whose parallel entries are added up where its type is not float64.

    SciPy does so when it changes the type of compressed rows; of float64 ones the least counts.
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
    # The columns of an undirected graph are as good as its rows, and need no transpose.
    rows = data if not directed and data.format == "csc" else data.tocsr()
    used = int(rows.indptr[-1])  # SciPy allows spare room behind the last entry
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
    """Return where a plain dense matrix has edges."""
    if values.dtype.kind != "f":
        present: NDArray[np.bool_] = np.isfinite(values) & (values != 0)
        return present
    # Comparisons alone make no temporary array of floats, whose pages take longer than they do.
    present = (values > _NOTHING) | (values < -_NOTHING)
    present &= (values != np.inf) & (values != -np.inf)
    return present


def check_numbers(values: Array) -> None:
    """Refuse times, which are not to be compared with 0 either."""
    if values.dtype.kind in "mM":
        msg = f"a matrix of {values.dtype} has times, not lengths: divide by a unit of time."
        raise TypeError(msg)


def _check_square(values: Array) -> None:
    if values.ndim != 2:
        msg = f"graph should have two dimensions, but its shape is {values.shape}."
        raise GraphError(msg)
    if values.shape[0] != values.shape[1]:
        msg = f"graph should be a square array, but its shape is {values.shape}."
        raise GraphError(msg)


def _weighted(indptr: Array, indices: Array, values: Array) -> Graph:
    """Return the graph of weighted rows, in integers where they give the same distances."""
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
        absent = np.isnan(floats)  # no path goes over it: no comparison with it is true
        if not absent.any():
            raise
        return _graph(indptr, indices, np.where(absent, np.inf, floats))


def _graph(indptr: Array, indices: Array, weights: Array | None) -> Graph:
    """Return a graph over the arrays themselves, which no other thread may write during the call.

    The graph is gone when the call ends. To copy the arrays would take 5 to 10 % of a search.
    """
    return Graph(*rows_of_csr(indptr, indices, weights, copied=False))


def lengths_of(csgraph: Any, *, overwrite: bool = False, zeros: bool = False) -> Array:
    """Return the (n, n) float64 matrix of lengths: inf where there is no edge.

    Parameters
    ----------
    csgraph : as in `edges_of`, but a sparse one in the format csr, csc or lil: the others would
        add up what stands at one place, of which the least counts here.
    overwrite : a C-contiguous float64 array is the answer itself; else it is a copy.
    zeros : every entry of a masked array that is not masked is an edge, whatever its value, and so
        is a complex number without a real part; False leaves out zeros, inf and NaN.

    Raises
    ------
    GraphError, WeightError
        As `edges_of`, and for other formats.
    """
    data = as_scipys(csgraph)
    if is_sparse(data):
        if data.format not in {"lil", "csc", "csr"}:
            msg = f"csgraph must be lil, csr, or csc format, not {data.format}: use .tocsr()."
            raise GraphError(msg)
        indptr, indices, values = _rows_of_sparse(data, directed=True)
        graph = _with_floats(indptr, indices, values)
        return adjacency_matrix(graph, graph.solver_weights)
    values = np.asarray(np.ma.getdata(data) if np.ma.isMaskedArray(data) else data)
    _check_square(values)
    check_numbers(values)
    present = ~np.ma.getmaskarray(data) if np.ma.isMaskedArray(data) else present_in(values)
    # The answer is an array that may be written to, whatever was given.
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
        msg = f"the entry [{u}, {v}] is -inf: a length is a finite number. Mask such entries."
        raise WeightError(msg)
