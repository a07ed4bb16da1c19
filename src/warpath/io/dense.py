"""Square matrices as graphs: entry (u, v) is the weight of the edge u -> v."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from warpath.base.errors import GraphError, InputError, WeightError
from warpath.graph import Graph
from warpath.graph.checks import checked_bool, on_host, shown
from warpath.graph.csr import kept_rows
from warpath.io.scipy_sparse import undirected

if TYPE_CHECKING:
    from warpath.base.dtypes import Array


def from_matrix(
    data: Any,
    *,
    zero: Literal["edge", "no_edge"] | None = None,
    directed: bool = True,
    **attributes: Any,
) -> Graph:
    """Make a graph from an adjacency matrix.

    Parameters
    ----------
    data : (n, n) NumPy array, or any object with DLPack in CPU-accessible memory. inf, NaN and
        masked entries mean that there is no edge. Every square array is a matrix, so a list of
        edges in a (3, 3) array is read as a matrix too; (m, 2) and (m, 3) arrays are refused.
    zero : meaning of 0. "no_edge": no edge, as in SciPy's dense graphs. "edge": an edge of weight
        0, on the diagonal too. None: "no_edge" for a plain array, "edge" for a masked array, whose
        mask marks absent edges; SciPy reads both in this way.
    directed : False makes the graph undirected: a symmetric matrix already has both arcs of every
        edge; in any other matrix each entry is an edge.
    **attributes : ``labels``, ``id_base``, ``coordinates``, ``first_through``, ``name`` of `Graph`.

    Raises
    ------
    GraphError
        The array is not square.
    WeightError
        -inf, or a type that cannot be a weight.

    Notes
    -----
    O(n**2). Edges of weight 0 in a plain matrix need ``zero="edge"``, with inf or NaN for absent
    edges.
    """
    directed = checked_bool(directed, "directed", GraphError)
    if not (zero is None or (isinstance(zero, str) and zero in {"edge", "no_edge"})):
        msg = f'zero={shown(zero)} must be "edge" or "no_edge", the meaning of a 0 in the matrix.'
        raise InputError(msg)
    matrix = _matrix(data)
    if zero is None:
        zero = "edge" if np.ma.isMaskedArray(matrix) else "no_edge"
    values = np.ma.getdata(matrix)
    present = ~np.ma.getmaskarray(matrix)
    if values.dtype.kind == "f":
        present &= ~np.isnan(values)  # kept_rows leaves out +inf
        wrong = np.argwhere(present & (values == -np.inf))
        if len(wrong):
            u, v = wrong[0]
            msg = (
                f"matrix[{u}, {v}] = -inf: a weight is a finite number; inf, NaN or a mask means "
                f"'no edge'."
            )
            raise WeightError(msg)
    if zero == "no_edge":
        present &= values != 0
    indptr = np.concatenate(([0], np.cumsum(np.count_nonzero(present, axis=1))))
    rows = kept_rows(indptr, np.nonzero(present)[1], values[present], copied=False)
    graph = Graph(*rows, **attributes)
    return graph if directed else undirected(graph)


def _matrix(data: Any) -> Array:
    matrix = on_host(data)
    if matrix.dtype.names is not None:
        msg = (
            f"a structured array with the fields {', '.join(matrix.dtype.names)} is not a matrix: "
            "give its columns as a tuple (src, dst, weights)."
        )
        raise GraphError(msg)
    if matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1]:
        if matrix.dtype.kind not in "biuf":
            msg = f"a matrix of type {matrix.dtype} has no weights: use integers or floats."
            raise WeightError(msg)
        # np.matrix would stay two-dimensional when it is indexed by a mask
        return matrix if np.ma.isMaskedArray(matrix) else np.asarray(matrix)
    msg = f"an array of shape {matrix.shape} is not a graph: an adjacency matrix is square."
    if matrix.ndim == 2 and matrix.shape[1] in {2, 3}:
        columns = ", ".join(f"a[:, {column}]" for column in range(matrix.shape[1]))
        msg += f" For a list of edges give its columns as a tuple: ({columns})."
    elif matrix.ndim == 2 and matrix.shape[0] in {2, 3}:
        msg += " For a list of edges give its rows as a tuple: tuple(a)."
    raise GraphError(msg)
