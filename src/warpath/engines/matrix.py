"""A graph as a dense matrix of labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpath.paths import never

if TYPE_CHECKING:
    from warpath.engines.base import Array
    from warpath.graph import Graph


def adjacency_matrix(graph: Graph, lengths: Array, out: Array | None = None) -> Array:
    """Return (n, n): the lightest edge of each pair, unreachable without one, 0 on the diagonal."""
    matrix = np.empty((graph.n, graph.n), graph.dist_dtype) if out is None else out
    matrix[:] = never(graph.dist_dtype)
    src, dst, _ = graph.edges()
    np.minimum.at(matrix, (src, dst), lengths.astype(graph.dist_dtype))
    diagonal = np.arange(graph.n)
    matrix[diagonal, diagonal] = 0
    return matrix
