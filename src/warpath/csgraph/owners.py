"""Paths from the nearest of several sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpath.api.calls import nearest, sssp
from warpath.api.nearest import with_a_start
from warpath.csgraph.results import NO_PREDECESSOR, as_floats, as_predecessors
from warpath.graph import Graph
from warpath.results.predecessors import tree

if TYPE_CHECKING:
    from warpath.base.dtypes import Array


def nearest_sources(
    graph: Graph, sources: Array, limit: float | None, *, predecessors: bool
) -> Array | tuple[Array, Array, Array]:
    """Return the distance of each vertex from the nearest source, (n,) float64.

    If `predecessors`, also return the vertex before it and the source, (n,) int32 each, -9999 where
    there is none. All vertices of a path have the same source: ``sources[pred[v]] == sources[v]``.
    """
    n = graph.n
    if len(sources) == 0 or n == 0:
        none = np.full(n, NO_PREDECESSOR)
        far = np.full(n, np.inf)
        return (far, none, none.copy()) if predecessors else far
    starts = np.unique(sources)
    if not predecessors:
        found = sssp(with_a_start(graph, starts), n, cutoff=limit)
        return as_floats(found.dist[:n])
    graph = _kept_apart(graph, starts)
    table = nearest(graph, starts, cutoff=limit)
    pred = _tree_within(graph, starts, table.dist, table.facility_indices)
    owner = as_predecessors(table.facility_indices)
    return as_floats(table.dist), pred, owner


def _kept_apart(graph: Graph, starts: Array) -> Graph:
    """Return the graph without edges of length 0 into sources, so that each is its own nearest."""
    facts = graph.facts(symmetry=False)
    if facts.negative or not facts.zero:
        return graph
    src, dst, weights = graph.edges()
    is_start = np.zeros(graph.n, np.bool_)
    is_start[starts] = True
    kept = ~(is_start[dst] & (weights == 0))
    return Graph.from_edges(src[kept], dst[kept], weights[kept], n=graph.n)


def _tree_within(graph: Graph, starts: Array, dist: Array, owner: Array) -> Array:
    """Return predecessors that have the same nearest source as the vertex."""
    src, dst, weights = graph.edges()
    same = owner[src] == owner[dst]
    within = Graph.from_edges(src[same], dst[same], weights[same], n=graph.n)
    own = starts[owner[starts] == starts]
    pred = tree(with_a_start(within, own), graph.n, np.append(dist, dist.dtype.type(0)))
    return as_predecessors(np.where(pred == graph.n, -1, pred)[: graph.n])
