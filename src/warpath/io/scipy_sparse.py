"""SciPy sparse matrices and arrays as graphs: entry (u, v) is the edge u -> v."""

from __future__ import annotations

from typing import Any

import numpy as np

from warpath.base import settings
from warpath.base.errors import GraphError
from warpath.graph import Graph
from warpath.graph.facts import rows_into


def from_scipy(data: Any, *, directed: bool = True, **attributes: Any) -> Graph:
    """Make a graph from a square SciPy sparse matrix or array.

    Parameters
    ----------
    data : (n, n), any format. Stored entries are edges: an explicit zero is an edge of weight 0,
        duplicate entries of a COO matrix are parallel edges, +inf means no edge. DIA and BSR pad
        their diagonals and blocks with zeros, so in these formats a zero means no edge.
    directed : False makes the graph undirected; see `undirected`.
    **attributes : ``labels``, ``id_base``, ``coordinates``, ``first_through``, ``name`` of `Graph`.

    Raises
    ------
    GraphError
        The matrix is not square, or its arrays are damaged.
    WeightError
        NaN, -inf, or a type that cannot be a weight (complex).

    Notes
    -----
    O(n + m). A CSR matrix with indices and data of a graph's own types is read in place: the graph
    then shows later changes to `data`, so change a copy.
    """
    if not hasattr(data, "tocoo"):
        msg = f"a {type(data).__module__}.{type(data).__qualname__} is not a sparse matrix."
        raise GraphError(msg)
    shape = data.shape
    if len(shape) != 2 or shape[0] != shape[1]:
        msg = (
            f"the sparse matrix has shape {tuple(shape)}: entry (u, v) is an edge, so it must be "
            f"square."
        )
        raise GraphError(msg)
    graph = _converted(data, int(shape[0]), attributes)
    return graph if directed else undirected(graph)


def _converted(data: Any, n: int, attributes: dict[str, Any]) -> Graph:
    if data.format in {"csr", "csc"}:
        # SciPy allows unused capacity after the last entry.
        used = int(data.indptr[-1])
        rows = Graph.from_csr(data.indptr, data.indices[:used], data.data[:used], **attributes)
        return rows if data.format == "csr" else rows.reversed()
    padded = data.format in {"bsr", "dia"}
    entries = data.tocoo()
    row, col, weights = entries.row, entries.col, entries.data
    if padded:
        stored = weights != 0
        row, col, weights = row[stored], col[stored], weights[stored]
    return Graph.from_edges(row, col, weights, n=n, **attributes)


def undirected(graph: Graph) -> Graph:
    """Return the undirected graph of a matrix.

    A symmetric matrix already has both arcs of every edge. In any other matrix, such as a triangle,
    each entry is an edge, and its reverse is added.
    """
    attributes: dict[str, Any] = {
        "labels": graph.labels,
        "id_base": graph.id_base,
        "coordinates": graph.coordinates,
        "first_through": graph.first_through,
        "areas": graph.areas,
        "name": graph.name,
    }
    if rows_into(graph, settings.threads())[0] is graph:
        return Graph(graph.indptr, graph.indices, graph.weights, directed=False, **attributes)
    src = np.repeat(np.arange(graph.n, dtype=graph.indices.dtype), np.diff(graph.indptr))
    return Graph.from_edges(
        src, graph.indices, graph.weights, n=graph.n, directed=False, **attributes
    )
