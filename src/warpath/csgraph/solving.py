"""Rows of distances and predecessors: by a plan, or directly if planning would take longer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpath.api.calls import distances, sssp
from warpath.base.settings import threads
from warpath.csgraph.errors import raising_scipys
from warpath.csgraph.results import as_floats, as_predecessors, prefer_sources
from warpath.engines import cpu
from warpath.engines.base import Order, Problem
from warpath.graph.arguments import checked_cutoff
from warpath.recipes import CATALOGUE, Task
from warpath.results.predecessors import tree

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.csgraph.matrices import MatrixEdges
    from warpath.graph import Graph

#: (n + m) * sources; a search of less work is faster than planning, which takes 0.2 ms.
_SMALL = 2**15
_AT_ONCE = CATALOGUE["classic.dijkstra.radix_heap"]


def solved(
    edges: MatrixEdges,
    sources: Array,
    *,
    predecessors: bool,
    cutoff: float | None = None,
    algorithm: str | None = None,
) -> tuple[Array, Array | None]:
    """Return distances, (k, n) float64, and predecessors if requested, (k, n) int32, as SciPy does.

    Parameters
    ----------
    algorithm : for negative weights; Bellman-Ford by default. Other weights use a plan.
    """
    graph = edges.graph
    shape = len(sources), graph.n
    if 0 in shape:
        return np.empty(shape), np.empty(shape, np.int32) if predecessors else None
    with raising_scipys():
        if algorithm is None and edges.signed:
            # "auto" may choose Johnson, which adds negative floats in another order.
            algorithm = "classic.bellman_ford"
        small = (graph.n + graph.m) * len(sources) < _SMALL
        if algorithm is None and small:
            dist, pred = _at_once(graph, sources, cutoff, predecessors=predecessors)
        elif len(sources) == 1 and algorithm != "classic.johnson":
            s = int(sources[0])
            paths = sssp(graph, s, algorithm=algorithm or "auto", cutoff=cutoff)
            dist, pred = paths.dist, None
            if predecessors:
                predecessors_of_row = (
                    paths.pred if edges.signed else tree(graph, s, dist, threads(), once=True)
                )
                pred = predecessors_of_row[None]
        else:
            table = distances(
                graph,
                sources,
                algorithm=algorithm or "auto",
                cutoff=cutoff,
                predecessors=predecessors,
            )
            dist, pred = table.dist, table.pred
    floats = as_floats(dist).reshape(shape)
    if pred is None:
        return floats, None
    before = as_predecessors(pred)
    prefer_sources(graph, sources, dist.reshape(shape), before)
    return floats, before


def _at_once(
    graph: Graph, sources: Array, cutoff: float | None, *, predecessors: bool
) -> tuple[Array, Array | None]:
    """Run Dijkstra on one thread; weights are >= 0."""
    dist = np.empty((len(sources), graph.n), graph.dist_dtype)
    cutoff = checked_cutoff(cutoff, graph)
    cpu.run(Order(_AT_ONCE, graph, Problem(Task.MANY, sources, None, cutoff), 1, {}, dist))
    if not predecessors:
        return dist, None
    rows = zip(sources.tolist(), dist, strict=True)
    return dist, np.stack([tree(graph, s, row, once=True) for s, row in rows])
