"""The subgraph induced by some vertices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpath.base.errors import GraphError
from warpath.graph.csr import rows_of_edges

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from warpath.graph.csr_graph import G


def subgraph(graph: G, vertices: ArrayLike) -> G:
    """Return the subgraph induced by some vertices; see `Graph.subgraph`. O(n + m)."""
    chosen = graph.index_of(vertices)
    if len(np.unique(chosen)) != len(chosen):
        msg = "subgraph: a vertex is named twice; name each vertex once."
        raise GraphError(msg)
    place = np.full(graph.n, -1, np.int64)
    place[chosen] = np.arange(len(chosen))
    src, dst = (place[ends] for ends in graph.edges()[:2])
    inside = np.flatnonzero((src >= 0) & (dst >= 0))
    labels = chosen + graph.id_base if graph.labels is None else graph.labels[chosen]
    closed = chosen < graph.first_through
    if closed.any() and not closed[: int(closed.sum())].all():
        msg = "subgraph: vertices that are never passed through must come first."
        raise GraphError(msg)
    # Edge numbers in place of weights: `order` then is the edges' order in the rows.
    indptr, indices, order = rows_of_edges(
        src[inside], dst[inside], inside, len(chosen), both=False
    )
    assert order is not None  # noqa: S101 - weights were given
    return graph._like(  # noqa: SLF001 - a part of the class
        indptr,
        indices,
        None if graph.weights is None else graph.weights[order],
        labels=labels,
        id_base=0,
        first_through=int(closed.sum()),
        coordinates=None if graph.coordinates is None else graph.coordinates[chosen],
        shapes=graph.shapes and graph.shapes.taken(order),
        given=graph.given and graph.given.taken(order),
        turns=graph.turns and graph.turns.taken(order),
    )
