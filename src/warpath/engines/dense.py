"""A graph as a dense matrix of labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpath import _core

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.graph import Graph


def adjacency_matrix(
    graph: Graph, lengths: Array, out: Array | None = None, threads: int = 1
) -> Array:
    """Return (n, n): the lightest edge of each pair, unreachable without one, 0 on the diagonal.

    Parameters
    ----------
    lengths : (m,) of the edges, in their order.
    out : where it goes, of a type that holds the lengths: a new array of the distances' type when
        not given.
    """
    matrix = np.empty((graph.n, graph.n), graph.dist_dtype) if out is None else out
    _core.adjacency_rows(graph.indptr, graph.indices, lengths, 0, matrix, threads=threads)
    return matrix


def narrow_part(matrix: Array) -> Array:
    """Return the first half of a contiguous (n, n) int64 matrix as (n, n) int32."""
    flat: Array = matrix.reshape(-1).view(np.int32)[: matrix.size]
    return flat.reshape(matrix.shape)
