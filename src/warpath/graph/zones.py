"""Closed vertices: a path may start or end at one but never pass through it.

Transport models call them zones or centroids. A graph with ``first_through = c`` is *opened*, that
is, converted to a graph of n + c vertices: every edge into a closed vertex z < c ends at its
duplicate n + z instead, which has no out-edges. Every solver then works unchanged, and *folding*
copies the labels of duplicates back to their closed vertices.

In a graph with ``areas``, edges between closed vertices form areas, such as private streets: a path
may begin with edges of an area and end with edges of an area, but not pass through one. A closed
vertex is then where paths begin, its duplicate where they end. An edge between closed vertices
joins the vertices and, as a copy, their duplicates; an edge out of an area begins at the vertex. An
edge of length 0 leads from each closed vertex to its duplicate, whose distance therefore is that of
the shortest path, whether it stays inside the area or leaves it and comes back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpath import _core
from warpath.base.dtypes import unreachable
from warpath.base.errors import NotSupportedError
from warpath.graph.checks import index_dtype
from warpath.graph.csr import kept_rows
from warpath.graph.derived import Derived, bytes_of_graph
from warpath.graph.graph import Graph
from warpath.graph.search_vertices import originals

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.graph.links import Links


_OPENED: Derived[Graph] = Derived(__name__, "graph with closed vertices opened", bytes_of_graph)
_INSIDE: Derived[Graph] = Derived(__name__, "edges inside areas", bytes_of_graph)


def opened(graph: Graph) -> Graph:
    """Return the opened graph, or the graph itself if it has no closed vertices. O(n + m)."""
    closed = graph.first_through
    if closed == 0:
        return graph

    def make() -> Graph:
        if graph.areas:
            return _with_areas_opened(graph)
        indices = graph.indices.astype(index_dtype(graph.n + closed))
        indices[indices < closed] += graph.n
        ends = np.full(closed, graph.m, np.int64)
        rows = kept_rows(np.concatenate([graph.indptr, ends]), indices, graph.weights, copied=False)
        return Graph(*rows)

    return _OPENED.of(graph, make)


def _with_areas_opened(graph: Graph) -> Graph:
    src, dst, edge = _edges_with_areas_opened(graph)
    weights = graph._solver_weights
    if weights.min(initial=0) < 0:
        msg = (
            "a graph with areas, which paths do not pass through, cannot have negative weights: "
            'read the file with restricted="open" for a graph without areas.'
        )
        raise NotSupportedError(msg)
    lengths = np.append(weights, weights.dtype.type(0))[edge]
    return Graph.from_edges(src, dst, lengths, n=graph.n + graph.first_through)


def _edges_with_areas_opened(graph: Graph) -> tuple[Array, Array, Array]:
    """Return the edges of the opened graph in the order of its rows: (m',) int64 each.

    Returns
    -------
    src, dst : the ends.
    edge : the edge that each is a copy of; -1 for edges to duplicates.
    """
    n, closed = graph.n, graph.first_through
    zones = np.arange(closed)
    src, dst = (ends.astype(np.int64) for ends in graph.edges()[:2])
    inside = np.flatnonzero((src < closed) & (dst < closed))
    into = np.where((src >= closed) & (dst < closed), n, 0)
    src, dst, edge = (
        np.concatenate([src, zones, n + src[inside]]),
        np.concatenate([dst + into, n + zones, n + dst[inside]]),
        np.concatenate([np.arange(graph.m), np.full(closed, -1), inside]),
    )
    order = np.argsort(src, kind="stable")
    return src[order], dst[order], edge[order]


def edges_of_opened(graph: Graph) -> NDArray[np.int64]:
    """Return the edge that each edge of the opened graph is a copy of, -1 for none: (m',)."""
    return _edges_with_areas_opened(graph)[2] if graph.areas else np.arange(graph.m)


def _inside(graph: Graph) -> Graph:
    """Return the closed vertices of a graph with areas, and the edges between them."""

    def make() -> Graph:
        src, dst, weights = graph.edges()
        inside = (src < graph.first_through) & (dst < graph.first_through)
        return Graph.from_edges(src[inside], dst[inside], weights[inside], n=graph.first_through)

    return _INSIDE.of(graph, make)


def home_path(graph: Graph, path: Array) -> Array:
    """Return the vertices of the graph along a path in the opened graph: (h,) int64."""
    if graph.first_through == 0 or not len(path):
        return path
    vertices = originals(graph, path)
    joined = (path[:-1] < graph.n) & (path[1:] == path[:-1] + graph.n)  # a vertex, its duplicate
    return np.delete(vertices, 1 + np.flatnonzero(joined))


def folded(graph: Graph, dist: Array, source: int | None) -> Array:
    """Return the (n,) distances in a graph from the (n + c,) distances in the opened graph.

    Parameters
    ----------
    source : the source; None for a point along an edge.
    """
    closed = graph.first_through
    if closed == 0:
        return dist
    result = dist[: graph.n].copy()
    result[:closed] = dist[graph.n :]
    if source is not None:
        result[source] = 0
    return result


def folded_tree(graph: Graph, pred: Array, source: int | None) -> Array:
    """Return the (n,) predecessors in a graph from the (n + c,) ones in the opened graph.

    In a graph with areas, each is the vertex before another on the shortest path to that one. From
    a closed source, the path to a vertex need not be the beginning of a path through it: a path
    that leaves the area of the source passes vertices to which another way, from outside, may be
    shorter. `warpath.results.predecessors.walked` has whole paths.
    """
    closed, n = graph.first_through, graph.n
    if closed == 0:
        return pred
    result = pred[:n].copy()
    if graph.areas:
        ends = pred[n:].copy()
        alone = ends == np.arange(closed, dtype=ends.dtype, like=ends)
        ends[alone] = result[:closed][alone]  # it is reached inside its area
        ends[ends >= n] -= n
        result[:closed] = ends
    else:
        result[:closed] = pred[n:]
    if source is not None:
        result[source] = -1
    return result


def unfolded(graph: Graph, dist: Array, source: int, cutoff: float | None = None) -> Array:
    """Return the distances in the opened graph that fold to `dist`.

    A round trip to the source that exceeds the cutoff or the type is unreachable.
    """
    closed = graph.first_through
    if closed == 0:
        return dist
    far = unreachable(dist.dtype)
    labels = np.full(graph.n + closed, far, dist.dtype)
    labels[closed : graph.n] = dist[closed:]
    labels[graph.n :] = dist[:closed]
    if source >= closed:
        return labels
    labels[source] = dist[source]
    if graph.areas:
        labels[:closed] = _inside_from(graph, source, cutoff)
        return labels
    labels[graph.n + source] = far
    # Folding lost the label of the source's duplicate: relax its in-edges.
    back = graph.reversed()
    around = slice(back.indptr[source], back.indptr[source + 1])
    before = labels[back.indices[around]]
    weights = back._solver_weights[around].astype(dist.dtype)
    valid = before != far
    if dist.dtype.kind == "i":  # sums that would overflow are left out
        valid &= (weights <= 0) | (before < far - np.maximum(weights, 0))
    with np.errstate(over="ignore"):
        round_trip = (before[valid] + weights[valid]).min(initial=far)
    if cutoff is None or round_trip <= cutoff:
        labels[graph.n + source] = round_trip
    return labels


def inside_from(graph: Graph, sources: Array, links: Links | None) -> NDArray[np.float64]:
    """Return the distances from the nearest closed source inside its area: (c,), inf outside.

    Parameters
    ----------
    links : the links of further sources, points along edges.
    """
    labels = np.full(graph.first_through, np.inf)
    starts = dict.fromkeys(sources.tolist(), 0.0)
    pairs = (
        [] if links is None else zip(links.vertices.tolist(), links.offsets.tolist(), strict=True)
    )
    for vertex, offset in [*starts.items(), *pairs]:
        if vertex >= graph.first_through:
            continue
        inside = _inside_from(graph, vertex, None)
        reached = inside != unreachable(inside.dtype)
        labels[reached] = np.minimum(labels[reached], offset + inside[reached])
    return labels


def _inside_from(graph: Graph, source: int, cutoff: float | None) -> Array:
    """Return the distances from a closed source inside its area: (c,)."""
    inside = _inside(graph)
    labels = np.empty(inside.n, graph.dist_dtype)
    limit = cutoff
    if limit is None and labels.dtype.kind == "i":
        limit = unreachable(labels.dtype) - 1  # a distance inside that does not fit is not needed
    _core.dijkstra(
        inside.indptr,
        inside.indices,
        inside._solver_weights,
        source,
        labels,
        queue="radix",
        targets=np.empty(0, np.int64),
        cutoff=limit,
        progress=None,
    )
    return labels


def refuse_areas(graph: Graph, call: str) -> None:
    """Raise NotSupportedError if a graph has areas, which a call does not honour."""
    if graph.areas:
        msg = (
            f"{call} does not honour areas, such as private streets, that paths do not pass "
            'through. Read the file with restricted="open" or "closed" for this call.'
        )
        raise NotSupportedError(msg)


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
