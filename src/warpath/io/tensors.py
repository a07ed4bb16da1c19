"""Graphs from dense and sparse tensors of PyTorch and JAX, and from PyTorch Geometric.

Tensors in CPU memory whose type is one of a graph's own are read in place through DLPack.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import GraphError
from warpath.graph import Graph
from warpath.graph.checks import on_host
from warpath.io.dense import from_matrix
from warpath.io.scipy_sparse import undirected

if TYPE_CHECKING:
    from warpath.base.dtypes import Array


def from_tensor(data: Any, **options: Any) -> Graph:
    """Make a graph from a tensor of PyTorch or JAX, or from a PyTorch Geometric ``Data``.

    Parameters
    ----------
    data : a square matrix, dense (as in `from_matrix`) or sparse. Stored entries of a sparse matrix
        are edges, duplicate entries of a COO tensor are parallel edges. A ``Data`` has
        ``edge_index``, and may have ``edge_weight``, ``num_nodes`` and ``pos``. For edges in
        separate tensors, pass a tuple to `Graph.of`: ``(edge_index, edge_weight)`` or
        ``(src, dst, weights)``.
    **options : ``directed`` and the attributes of `Graph.from_edges`; ``zero`` for a dense matrix;
        ``weight`` for a ``Data``: the attribute with the weights, None for 1 everywhere, "auto" for
        ``edge_weight`` or an ``edge_attr`` of one column.

    Raises
    ------
    GraphError, WeightError
        The tensor is not a graph, or the weights are not valid.
    NotSupportedError
        The CPU cannot read the tensor through DLPack; the message has the reason.
    """
    if hasattr(data, "edge_index") or hasattr(data, "to_homogeneous"):
        return from_pyg(data, **options)
    if type(data).__name__ == "EdgeIndex":  # PyTorch Geometric's, a tensor with a size
        sizes = [size for size in data.sparse_size() if size is not None]
        options = {"n": max(sizes, default=None), **options}
        return Graph.from_edges(*_ends(data), **options)
    entries = _entries(data)
    return from_matrix(data, **options) if entries is None else _sparse(data, entries, **options)


def from_pyg(data: Any, *, weight: str | None = "auto", **attributes: Any) -> Graph:
    """Make a graph from a PyTorch Geometric ``Data``; see `from_tensor`."""
    edge_index = getattr(data, "edge_index", None)
    if edge_index is None or isinstance(edge_index, dict):
        kind = type(data).__name__
        way = (
            "data.to_homogeneous() makes one from several kinds of vertices"
            if hasattr(data, "to_homogeneous")
            else "set data.edge_index"
        )
        raise GraphError(f"the {kind} has no edge_index: {way}.")
    src, dst = _ends(edge_index)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch Geometric warns if it infers num_nodes
        attributes.setdefault("n", data.num_nodes)
    points = getattr(data, "pos", None)
    if points is not None and points.ndim == 2 and points.shape[1] == 2:
        attributes.setdefault("coordinates", on_host(points))
    return Graph.from_edges(src, dst, _weights(data, weight), **attributes)


def _weights(data: Any, weight: str | None) -> Array | None:
    if weight is None:
        return None
    if weight != "auto":
        values = getattr(data, weight, None)
        if values is None:
            msg = f"the data has no {weight!r}; it has {', '.join(map(repr, data.keys()))}."
            raise GraphError(msg)
        return one_column(on_host(values), weight)
    values = getattr(data, "edge_weight", None)
    if values is not None:
        return one_column(on_host(values), "edge_weight")
    values = getattr(data, "edge_attr", None)
    if values is None:
        return None
    if values.ndim > 1 and values.shape[1] != 1:
        msg = (
            f"edge_attr has shape {tuple(values.shape)}, so which column is the weight is not "
            "clear: set data.edge_weight = data.edge_attr[:, k], or use weight=None."
        )
        raise GraphError(msg)
    return one_column(on_host(values), "edge_attr")


def one_column(values: Array, name: str) -> Array:
    """Return weights as (m,) from an array (m,) or (m, 1), or raise GraphError."""
    if values.ndim == 2 and values.shape[1] == 1:
        return values[:, 0]
    if values.ndim != 1:
        msg = f"{name} has shape {values.shape}: one weight per edge, (m,), is needed."
        raise GraphError(msg)
    return values


def _ends(edge_index: Any) -> tuple[Array, Array]:
    ends = on_host(edge_index)
    if getattr(ends, "ndim", 0) != 2 or ends.shape[0] != 2:
        shape = getattr(ends, "shape", None)
        msg = f"edge_index has shape {shape}: (2, m) is needed, sources in row 0, targets in row 1."
        raise GraphError(msg)
    return ends[0], ends[1]


def _entries(data: Any) -> tuple[Array, Array, Array] | None:
    """Return (rows, columns, values) of a sparse tensor, or None for a dense one."""
    layout = str(getattr(data, "layout", ""))
    if layout == "torch.sparse_coo":
        rows, columns = on_host(data._indices())  # noqa: SLF001 - .indices() would sum duplicates
        return rows, columns, on_host(data._values().detach())  # noqa: SLF001
    if layout in {"torch.sparse_csr", "torch.sparse_csc"}:
        by_row = layout.endswith("csr")
        pointers = on_host(data.crow_indices() if by_row else data.ccol_indices())
        indices = on_host(data.col_indices() if by_row else data.row_indices())
        spread = np.repeat(np.arange(len(pointers) - 1), np.diff(pointers))
        ends = (spread, indices) if by_row else (indices, spread)
        return (*ends, on_host(data.values().detach()))
    kind = type(data).__name__
    if kind == "BCOO":
        pairs, values = on_host(data.indices), on_host(data.data)
        if pairs.ndim != 2:
            raise GraphError(
                "a BCOO with batch dimensions is not a graph: select one of the batch."
            )
        real = (pairs < np.array(data.shape)).all(axis=1)  # padding has indices outside the shape
        return pairs[real, 0], pairs[real, 1], values[real]
    if kind == "BCSR":
        pointers = on_host(data.indptr)
        if pointers.ndim != 1:
            raise GraphError(
                "a BCSR with batch dimensions is not a graph: select one of the batch."
            )
        used = int(pointers[-1])
        rows = np.repeat(np.arange(len(pointers) - 1), np.diff(pointers))
        return rows, on_host(data.indices)[:used], on_host(data.data)[:used]
    return None


def _sparse(
    data: Any, entries: tuple[Array, Array, Array], *, directed: bool = True, **attributes: Any
) -> Graph:
    shape = tuple(data.shape)
    if len(shape) != 2 or shape[0] != shape[1]:
        msg = f"the sparse tensor has shape {shape}: entry (u, v) is an edge, so it must be square."
        raise GraphError(msg)
    graph = Graph.from_edges(*entries, n=shape[0], **attributes)
    return graph if directed else undirected(graph)
