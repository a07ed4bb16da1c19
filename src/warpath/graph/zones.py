"""Closed vertices: a path may start or end at one but never pass through it.

Transport models call them zones or centroids. A graph with ``first_through = c`` is *opened*, that
is, converted to a graph of n + c vertices: every edge into a closed vertex z < c ends at its
duplicate n + z instead, which has no out-edges. Every solver then works unchanged, and *folding*
copies the labels of duplicates back to their closed vertices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpath.graph.checks import index_dtype
from warpath.graph.csr import kept_rows
from warpath.graph.derived import Derived, bytes_of_graph
from warpath.graph.graph import Graph
from warpath.graph.turns import refuse_turns

if TYPE_CHECKING:
    from warpath.base.dtypes import Array


_OPENED: Derived[Graph] = Derived(__name__, "graph with closed vertices opened", bytes_of_graph)


def opened(graph: Graph) -> Graph:
    """Return the opened graph, or the graph itself if it has no closed vertices. O(n + m)."""
    refuse_turns(graph, "this call")  # turns are solved in another graph, see `turns.expanded`
    closed = graph.first_through
    if closed == 0:
        return graph

    def make() -> Graph:
        own = graph.indices.dtype  # at least as wide, as predecessors have the indices' type
        indices = graph.indices.astype(np.promote_types(own, index_dtype(graph.n + closed)))
        indices[indices < closed] += graph.n
        ends = np.full(closed, graph.m, np.int64)
        rows = kept_rows(np.concatenate([graph.indptr, ends]), indices, graph.weights, copied=False)
        return Graph(*rows)

    return _OPENED.of(graph, make)


def arrivals(graph: Graph, targets: Array) -> Array:
    """Return the opened graph's vertices at which paths to `targets` end: (k,) int64."""
    if graph.first_through == 0:
        return targets
    return np.where(targets < graph.first_through, targets + graph.n, targets)


def folded(graph: Graph, labels: Array, source: int, at_source: float) -> Array:
    """Return the (n,) labels of a graph from the labels of the opened graph.

    Parameters
    ----------
    labels : (n + c,) distances or predecessors.
    at_source : label of the source: 0 for distances, -1 for predecessors.
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

    A round trip to the source that exceeds the cutoff or the type is unreachable.
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
        # Folding lost the label of the source's duplicate: relax its in-edges.
        back = graph.reversed()
        around = slice(back.indptr[source], back.indptr[source + 1])
        before = labels[back.indices[around]]
        weights = back.solver_weights[around].astype(dist.dtype)
        valid = before != unreachable
        if dist.dtype.kind == "i":  # sums that would overflow are left out
            valid &= (weights <= 0) | (before < unreachable - np.maximum(weights, 0))
        with np.errstate(over="ignore"):
            round_trip = (before[valid] + weights[valid]).min(initial=unreachable)
        if cutoff is None or round_trip <= cutoff:
            labels[graph.n + source] = round_trip
    return labels


def at_home(graph: Graph, sources: Array, targets: Array, table: Array) -> None:
    """Set the distance from each closed vertex to itself to 0, in place of its round trip.

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
