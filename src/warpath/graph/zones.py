"""Vertices that a path may start or end at but never pass through.

Transport models call them zones or centroids. A graph with ``first_through = c`` is opened into one
of n + c vertices: every edge into a closed vertex z < c ends at its double n + z instead, which has
no edges out. Then every solver works unchanged, and labels fold back by a copy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpath.graph.checks import index_dtype
from warpath.graph.csr import kept_rows
from warpath.graph.graph import Graph

if TYPE_CHECKING:
    from warpath.base.dtypes import Array


def opened(graph: Graph) -> Graph:
    """Return the graph that the solvers see: itself, unless it has closed vertices. O(n + m)."""
    closed = graph.first_through
    if closed == 0:
        return graph
    kept: Graph | None = graph.derived.get("opened")
    if kept is None:
        own = graph.indices.dtype  # 64 bits stay, as predecessors are of the indices' type
        indices = graph.indices.astype(np.promote_types(own, index_dtype(graph.n + closed)))
        indices[indices < closed] += graph.n
        ends = np.full(closed, graph.m, np.int64)
        rows = kept_rows(np.concatenate([graph.indptr, ends]), indices, graph.weights, copied=False)
        kept = Graph(*rows)
        graph.derived["opened"] = kept
    return kept


def arrivals(graph: Graph, targets: Array) -> Array:
    """Return where the opened graph arrives at these vertices: (k,) int64."""
    return np.where(targets < graph.first_through, targets + graph.n, targets)


def folded(graph: Graph, labels: Array, source: int, at_source: float) -> Array:
    """Return the (n,) labels of a graph from those of its opened one.

    Parameters
    ----------
    labels : (n + c,) distances or predecessors.
    at_source : what the source's own label is: 0 as a distance, -1 as a predecessor.
    """
    closed = graph.first_through
    if closed == 0:
        return labels
    result = labels[: graph.n].copy()
    result[:closed] = labels[graph.n :]
    result[source] = at_source
    return result


def unfolded(graph: Graph, dist: Array, source: int, cutoff: float | None = None) -> Array:
    """Return the labels of the opened graph that fold to `dist`.

    Those of round trips beyond the cutoff, or that do not fit, are unreachable.
    """
    closed = graph.first_through
    if closed == 0:
        return dist
    unreachable = np.inf if dist.dtype.kind == "f" else np.iinfo(dist.dtype).max
    labels = np.full(graph.n + closed, unreachable, dist.dtype)
    labels[closed : graph.n] = dist[closed:]
    labels[source] = dist[source]
    labels[graph.n :] = dist[:closed]
    if source < closed:
        labels[graph.n + source] = unreachable
        back = graph.reversed()  # the source's double was folded away: relax its in-edges again
        around = slice(back.indptr[source], back.indptr[source + 1])
        before = labels[back.indices[around]]
        weights = back.solver_weights[around].astype(dist.dtype)
        kept = before != unreachable
        if dist.dtype.kind == "i":  # the others' sums would wrap
            kept &= (weights <= 0) | (before < unreachable - np.maximum(weights, 0))
        with np.errstate(over="ignore"):
            round_trip = (before[kept] + weights[kept]).min(initial=unreachable)
        if cutoff is None or round_trip <= cutoff:
            labels[graph.n + source] = round_trip
    return labels


def at_home(graph: Graph, sources: Array, targets: Array, table: Array) -> None:
    """Set closed vertices at 0 from themselves; the opened graph has their round trips there.

    Parameters
    ----------
    sources, targets : (k,) and (t,) vertices of the graph.
    table : (k, t) distances of the opened graph, changed in place.
    """
    if graph.first_through:
        closed = np.flatnonzero(sources < graph.first_through)
        same = sources[closed, None] == targets[None, :]
        for row, column in np.argwhere(same).tolist():  # one by one: the table may be on a GPU
            table[int(closed[row]), column] = 0
