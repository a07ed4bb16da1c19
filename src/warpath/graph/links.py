"""Links between the vertices and points of a call and the graph that is searched.

A point along an edge is not a vertex of the graph that is searched. A path from it begins with a
*link*, the rest of the edge, and continues from a vertex that the link leads to; a path to it ends
with a link from a vertex. The distance between two entries of a call is the least sum of a link, a
distance of the graph that is searched, and a link. Points of one edge are also joined directly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base.dtypes import unreachable
from warpath.base.errors import DistanceOverflowError
from warpath.graph.edge_geometry import weight_up_to
from warpath.graph.search_vertices import Expanded, arrivals
from warpath.graph.turns import expanded, states_of_edges

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.graph.graph import Graph
    from warpath.graph.places import Snapped

_ANY = np.iinfo(np.int64).max  # above every vertex


class Links(NamedTuple):
    """Links of k entries, in ascending order of the entries; a missing entry has none.

    Attributes
    ----------
    rows : (e,) int64, the entries.
    vertices : (e,) int64, vertices of the graph that is searched.
    offsets : (e,) lengths of the links, in the type of distances.
    edges : (e,) int64, the edges that the links are parts of, -1 for an entry that is a vertex.
    """

    rows: NDArray[np.int64]
    vertices: NDArray[np.int64]
    offsets: Array
    edges: NDArray[np.int64]

    def of(self, rows: slice) -> Links:
        """Return the links of some entries, which are numbered from 0."""
        low, high = np.searchsorted(self.rows, (rows.start, rows.stop))
        some = [column[low:high] for column in self]
        return Links(some[0] - rows.start, *some[1:])

    def taken(self, at: Any) -> Links:
        """Return some links, in this order."""
        return Links(*(column[at] for column in self))

    @classmethod
    def joined(cls, *parts: Links) -> Links:
        """Return the links of several parts in order of the entries."""
        columns = [np.concatenate(parts_of_column) for parts_of_column in zip(*parts, strict=True)]
        order = np.argsort(columns[0], kind="stable")
        return cls(*(column[order] for column in columns))


def leaving(graph: Graph, ends: Snapped) -> Links:
    """Return the links from entries to vertices of the graph that is searched."""
    rows = np.flatnonzero((ends.along < 0) & ~ends.missing)
    own = _of_vertices(graph, rows, ends.indices[rows])
    ahead, along = _inside(ends.along), ends.along[_inside(ends.along)]
    behind, back = _inside(ends.back), ends.back[_inside(ends.back)]
    rest = _weights(graph, along) - weight_up_to(graph, along, ends.fractions[ahead])
    upto = weight_up_to(graph, back, ends.fractions[behind])
    if graph.turns is not None:
        # The next arcs are turns from the edges.
        heads, tails = (Expanded.of(graph).vertices(edges) for edges in (along, back))
    else:
        heads, tails = (graph.indices[edges].astype(np.int64) for edges in (along, back))
        if not graph.areas:  # a path that begins in an area may leave it at any end
            heads, tails = arrivals(graph, heads), arrivals(graph, tails)
    return Links.joined(own, Links(ahead, heads, rest, along), Links(behind, tails, upto, back))


def arriving(graph: Graph, ends: Snapped, *, turned: bool = True) -> Links:
    """Return the links from vertices of the graph that is searched to entries.

    Parameters
    ----------
    turned : whether links of a graph with turns begin before the turns into their edges; else they
        begin at the tails of the edges.
    """
    rows = np.flatnonzero((ends.along < 0) & ~ends.missing)
    own = _of_vertices(graph, rows, arrivals(graph, ends.indices[rows].astype(np.int64)))
    ahead, along = _inside(ends.along), ends.along[_inside(ends.along)]
    behind, back = _inside(ends.back), ends.back[_inside(ends.back)]
    upto = weight_up_to(graph, along, ends.fractions[ahead])
    rest = _weights(graph, back) - weight_up_to(graph, back, ends.fractions[behind])
    edges = np.concatenate([along, back])
    tails = np.searchsorted(graph.indptr, edges, side="right") - 1
    if graph.areas:  # a path that ends in an area may come from any end
        tails = arrivals(graph, tails)
    links = Links(np.concatenate([ahead, behind]), tails, np.concatenate([upto, rest]), edges)
    return Links.joined(own, _after_turns(graph, links) if turned and graph.turns else links)


def between(graph: Graph, start: Snapped, end: Snapped, i: Array, j: Array) -> Array:
    """Return the distances between entries that are joined directly, else unreachable: (p,).

    Two points along the same line are, in a direction that an edge has, and an entry with itself.

    Parameters
    ----------
    i, j : (p,) entries of `start` and of `end`.
    """
    dist = np.full(len(i), unreachable(graph.dist_dtype), graph.dist_dtype)
    along = start.along[i]
    same = (along == end.along[j]) & ~start.missing[i] & ~end.missing[j]
    dist[same & (along < 0) & (start.indices[i] == end.indices[j])] = 0
    ahead = end.fractions[j] - start.fractions[i]
    for edges, forward in ((along, ahead >= 0), (start.back[i], ahead <= 0)):
        at = np.flatnonzero(same & forward & (along >= 0) & (edges >= 0))
        first = weight_up_to(graph, edges[at], start.fractions[i[at]])
        last = weight_up_to(graph, edges[at], end.fractions[j[at]])
        dist[at] = np.minimum(dist[at], np.where(ahead[at] < 0, first - last, last - first))
    return dist


def pairs_of_links(first: Links, last: Links, k: int) -> tuple[Array, Links, Links]:
    """Return each link of an entry with each link of the other entry of the same number."""
    counts = np.bincount(first.rows, minlength=k), np.bincount(last.rows, minlength=k)
    begins = np.cumsum(counts[1]) - counts[1]
    repeats = counts[1][first.rows]
    at = np.repeat(np.arange(len(first.rows)), repeats)
    within = np.arange(len(at)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    trip = first.rows[at]
    return trip, first.taken(at), last.taken(begins[trip] + within)


def plus_links(dist: Array, offsets: Array) -> Array:
    """Return distances plus lengths of links; what is unreachable stays so."""
    if dist.dtype.kind == "f":
        return dist + offsets
    never = unreachable(dist.dtype)
    reached = dist != never
    if (reached & (dist >= never - np.maximum(offsets, 0))).any():
        msg = "the distance of a point along an edge does not fit 64 bits"
        raise DistanceOverflowError.of(OverflowError(msg))
    return np.where(reached, dist + np.where(reached, offsets, 0), never)


def least_sums(dist: Array, rows: Links, columns: Links, shape: tuple[int, int]) -> Array:
    """Return the least sums of a link, a distance and a link, of the given shape.

    Parameters
    ----------
    dist : distances between vertices.
    rows, columns : links, whose vertices are rows and columns of `dist`.
    """
    least = np.full(shape, unreachable(dist.dtype), dist.dtype)
    if not len(rows.rows) or not len(columns.rows):
        return least
    into, first = np.unique(rows.rows, return_index=True)
    across, begin = np.unique(columns.rows, return_index=True)
    sums = plus_links(dist[rows.vertices], rows.offsets[:, None])
    by_row = np.minimum.reduceat(sums, first, axis=0)
    sums = plus_links(by_row[:, columns.vertices], columns.offsets[None, :])
    least[np.ix_(into, across)] = np.minimum.reduceat(sums, begin, axis=1)
    return least


def before_least(
    table: tuple[Array, Array | None], rows: Links, columns: Links, tails: Array, least: Array
) -> NDArray[np.int64]:
    """Return the first vertex before each target on a path of the least sum, -1 for none.

    Parameters
    ----------
    table : distances between vertices, and the vertices before the targets.
    tails : the vertices that the links of columns lead from.
    """
    dist, pred = table
    before = np.full(least.shape, -1 if pred is None else _ANY, np.int64)
    if pred is None:
        return before
    for row, vertex, offset in zip(rows.rows, rows.vertices, rows.offsets, strict=True):
        sums = plus_links(plus_links(dist[vertex], offset)[columns.vertices], columns.offsets)
        equal = np.flatnonzero(sums == least[row, columns.rows])
        last = np.where(columns.edges < 0, pred[vertex][columns.vertices], tails)
        np.minimum.at(before[row], columns.rows[equal], last[equal])
    before[before == _ANY] = -1
    return before


def direct_pairs(start: Snapped, end: Snapped, block: slice) -> tuple[Array, Array]:
    """Return the pairs of rows of a block and columns at the same vertex or along the same line."""
    keys = [
        np.where(entries.along >= 0, entries.along, -2 - entries.indices)
        for entries in (start, end)
    ]
    rows = np.flatnonzero(~start.missing[block]) + block.start
    order = np.flatnonzero(~end.missing)
    order = order[np.argsort(keys[1][order], kind="stable")]
    low, high = (
        np.searchsorted(keys[1][order], keys[0][rows], side=side) for side in ("left", "right")
    )
    counts = high - low
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(rows, counts), order[np.repeat(low, counts) + within]


def _weights(graph: Graph, edges: Array) -> Array:
    return graph._solver_weights[edges].astype(graph.dist_dtype)


def _inside(edges: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.flatnonzero(edges >= 0)


def _of_vertices(graph: Graph, rows: Array, vertices: Array) -> Links:
    """Return links of length 0."""
    return Links(rows, vertices, np.zeros(len(rows), graph.dist_dtype), np.full(len(rows), -1))


def _after_turns(graph: Graph, links: Links) -> Links:
    """Return the links from all that a turn into the edge of a link may follow.

    Parameters
    ----------
    links : links from the tails of edges, without the costs of turns.
    """
    inner = expanded(graph)
    turned = inner.reversed()
    own, states = states_of_edges(graph, links.edges)
    counts = np.diff(turned.indptr)[states]
    at = np.arange(counts.sum()) + np.repeat(
        turned.indptr[states] - np.cumsum(counts) + counts, counts
    )
    which = np.repeat(own, counts)
    costs = turned._solver_weights[at] - graph._solver_weights[links.edges][which]
    offsets = links.offsets[which] + costs.astype(links.offsets.dtype)
    before = turned.indices[at].astype(np.int64)
    return Links(links.rows[which], before, offsets, links.edges[which])
