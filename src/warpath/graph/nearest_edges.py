"""Nearest points of edges: exact, by a search over the middles of short pieces of the edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from warpath.graph.derived import Derived
from warpath.graph.edge_geometry import lines_of
from warpath.graph.nearest_points import PointSearch, points_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.graph.csr_graph import CsrGraph
    from warpath.graph.edge_geometry import Shapes

#: Points that are compared with the lines near them at a time, which bounds memory.
_AT_ONCE = 1024
#: A point this near to an end of an edge, as a part of its length, is the end.
_AT_END = 1e-9


class PointsOnEdges(NamedTuple):
    """Points of edges, the nearest to q other points.

    Attributes
    ----------
    edges : (q,) int64, positions in `Graph.edges`; of edges along the same line the first.
    fractions : (q,) float64, the length of the edge up to the point, as a part of the whole: 0.0
        and 1.0 at the ends.
    points : (q, 2) float64, x and y.
    """

    edges: NDArray[np.int64]
    fractions: NDArray[np.float64]
    points: Array


class NearestEdges:
    """The edges of a graph, to be searched for their points nearest to others.

    Edges are straight between the points of their shapes: parts of great circles for degrees.

    Each straight line is cut into pieces of about the mean length of all lines. The line nearest to
    a point has a piece whose middle is no farther from the point than the nearest known line plus
    half the length of a piece; all lines with such pieces are compared exactly.
    """

    def __init__(self, graph: CsrGraph) -> None:
        self._vertices = points_of(graph)
        self.twins = Twins(graph)
        lines, which, _, _ = lines_of(graph, self.twins.firsts)
        gaps = ~np.isfinite(lines).all(axis=(1, 2))
        drawn = np.bincount(which, gaps, len(self.twins.firsts))[which] == 0
        self._lines, self._edges = lines[drawn], self.twins.firsts[which[drawn]]
        self._ends = np.stack(
            [self._vertices.embedded(self._lines[:, at]) for at in (0, 1)], axis=1
        )
        lengths = self._vertices.measure(self._lines[:, 0], self._lines[:, 1])
        self._upto = np.cumsum(lengths)
        first = np.flatnonzero(np.diff(self._edges, prepend=-1))
        counts = np.diff(first, append=len(lengths))
        self._before = np.repeat((self._upto - lengths)[first], counts)
        self._total = np.repeat(np.add.reduceat(lengths, first), counts) if len(first) else lengths
        self._lengths = lengths
        self._search, self._line, self._reach = self._pieces()

    @property
    def nbytes(self) -> int:
        """The bytes of the lines, their pieces and the search."""
        arrays = (self._lines, self._ends, self._edges, self._upto, self._before, self._total)
        return sum(array.nbytes for array in (*arrays, self._line, self._search, self.twins))

    def __len__(self) -> int:
        return len(self._lines)

    def _pieces(self) -> tuple[PointSearch, NDArray[np.int64], float]:
        """Return the middles of pieces, the line of each, and how far a piece leads from them."""
        mean = float(self._lengths.mean()) if len(self) else 0.0
        counts = np.ones(len(self), np.int64)
        if mean > 0:
            counts = np.maximum(1, np.ceil(self._lengths / mean)).astype(np.int64)
        line = np.repeat(np.arange(len(self)), counts)
        number = np.arange(len(line)) - np.repeat(np.cumsum(counts) - counts, counts)
        start, middle, end = (
            self._between(line, (number + part) / counts[line]) for part in (0.0, 0.5, 1.0)
        )
        reach = max(float(_norms(ends - middle).max(initial=0)) for ends in (start, end))
        return PointSearch(middle), line, reach

    def _between(self, line: Array, share: Array) -> Array:
        """Return points of lines, as they are compared: (k, d)."""
        start, end = self._ends[line, 0], self._ends[line, 1]
        points: Array = start + share[:, None] * (end - start)
        return points / _norms(points)[:, None] if self._vertices.degrees else points

    def nearest(self, points: Array) -> PointsOnEdges:
        """Return the nearest point of an edge for each of q points.

        Parameters
        ----------
        points : (q, 2) finite x and y; the graph has an edge with coordinates.
        """
        embedded = self._vertices.embedded(points)
        nearest = np.empty(len(points), np.int64)
        for low in range(0, len(points), _AT_ONCE):
            some = embedded[low : low + _AT_ONCE]
            middle = self._search.nearest(some)
            most = _norms(self._foot(some, self._line[middle])[0] - some) + self._reach
            most = np.maximum(most, _norms(self._search.points[middle] - some))
            which, piece = self._search.near(some, most * (1 + 1e-9))
            line = self._line[piece]
            far = _norms(self._foot(some[which], line)[0] - some[which])
            order = np.lexsort((line, far, which))
            best = np.unique(which[order], return_index=True)[1]
            nearest[low : low + _AT_ONCE] = line[order][best]
        feet, share = self._foot(embedded, nearest)
        total = self._total[nearest]
        along = (self._upto - self._lengths - self._before)[nearest] + share * self._lengths[
            nearest
        ]
        fractions = np.divide(along, total, out=np.zeros(len(points)), where=total > 0)
        fractions[fractions <= _AT_END] = 0.0
        fractions[fractions >= 1 - _AT_END] = 1.0
        return PointsOnEdges(self._edges[nearest], fractions, self._flat(feet, nearest, share))

    def _foot(self, points: Array, line: Array) -> tuple[Array, Array]:
        """Return the point of each line nearest to a point, and its share of the line's length."""
        start, end = self._ends[line, 0], self._ends[line, 1]
        if not self._vertices.degrees:
            along = end - start
            square = (along * along).sum(axis=1)
            inner = ((points - start) * along).sum(axis=1)
            share = np.divide(inner, square, out=np.zeros(len(line)), where=square > 0)
            share = np.clip(share, 0.0, 1.0)
            return np.where((share == 1.0)[:, None], end, start + share[:, None] * along), share
        axis = np.cross(start, end)
        sine = _norms(axis)
        straight = sine > 0
        axis = np.divide(axis, sine[:, None], out=np.zeros_like(axis), where=straight[:, None])
        ahead, behind = np.cross(axis, start), np.cross(end, axis)  # along the line at its ends
        forward, backward = ((direction * points).sum(axis=1) for direction in (ahead, behind))
        inside = straight & (forward > 0) & (backward > 0)
        whole = np.arctan2(sine, (start * end).sum(axis=1))
        angle = np.where(inside, np.arctan2(forward, (points * start).sum(axis=1)), 0.0)
        nearer_end = _norms(points - end) < _norms(points - start)
        angle = np.where(inside | ~nearer_end, angle, whole)
        foot = start * np.cos(angle)[:, None] + ahead * np.sin(angle)[:, None]
        foot = np.where((~inside & nearer_end)[:, None], end, foot)
        share = np.divide(angle, whole, out=np.zeros(len(line)), where=straight)
        return foot, np.minimum(share, 1.0)

    def _flat(self, feet: Array, line: Array, share: Array) -> Array:
        """Return points of lines as x and y."""
        if self._vertices.degrees:
            lam = np.arctan2(feet[:, 1], feet[:, 0])
            phi = np.arctan2(feet[:, 2], np.hypot(feet[:, 0], feet[:, 1]))
            feet = np.degrees(np.column_stack([lam, phi]))
        feet = np.where((share == 0.0)[:, None], self._lines[line, 0], feet)
        return np.where((share == 1.0)[:, None], self._lines[line, 1], feet)


class Twins:
    """Edges along the same line, in either direction.

    Attributes
    ----------
    firsts : (k,) int64, ascending, the first edge along each line.
    """

    def __init__(self, graph: CsrGraph) -> None:
        src, dst, weights = graph.edges()
        ends = np.minimum(src, dst).astype(np.int64) * graph.n + np.maximum(src, dst)
        self._turned = src > dst
        digests = np.zeros(graph.m, np.uint64)
        if graph.shapes is not None:
            digests = _digests(graph.shapes, self._turned)
            # A loop has no smaller end: of its two directions that of the smaller digest counts.
            other = _digests(graph.shapes, ~self._turned)
            self._turned |= (src == dst) & (other < digests)
            digests = np.where(src == dst, np.minimum(digests, other), digests)
        order = np.lexsort((digests, ends))
        new = np.ones(graph.m, np.bool_)
        new[1:] = (np.diff(ends[order]) != 0) | (np.diff(digests[order]) != 0)
        starts = np.flatnonzero(new)
        self.firsts: NDArray[np.int64] = np.sort(np.minimum.reduceat(order, starts))
        self._order, self._starts, self._weights = order, np.append(starts, graph.m), weights
        self._line = np.empty(graph.m, np.int64)
        self._line[order] = np.cumsum(new) - 1
        self._both = not graph.directed

    @property
    def nbytes(self) -> int:
        """The bytes of the arrays, without the weights of the graph."""
        arrays = (self._order, self._starts, self._line, self._turned, self.firsts)
        return sum(array.nbytes for array in arrays)

    def ways(self, edges: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the lightest edge along the line of each edge, in both directions.

        Returns
        -------
        along, back : (k,) int64 each, the edges in the direction of the edge and in the other; -1
            where nothing leads back.
        """
        line = self._line[edges]
        counts = self._starts[line + 1] - self._starts[line]
        which = np.repeat(np.arange(len(edges)), counts)
        within = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
        edge = self._order[self._starts[line][which] + within]
        backward = self._turned[edge] != self._turned[edges][which]
        result = []
        for direction in (False, True):
            some = np.flatnonzero(backward == direction)
            order = some[np.lexsort((edge[some], self._weights[edge[some]], which[some]))]
            rows, first = np.unique(which[order], return_index=True)
            lightest = np.full(len(edges), -1, np.int64)
            lightest[rows] = edge[order][first]
            result.append(lightest)
        return result[0], result[1]


def _digests(shapes: Shapes, turned: Array) -> NDArray[np.uint64]:
    """Return a number for the points of each edge, the same for equal points: (m,).

    Parameters
    ----------
    turned : (m,) whether to take the points in reverse.
    """
    points = shapes.taken(np.arange(len(shapes)), turned).points + 0.0  # no -0.0
    counts = np.diff(shapes.indptr)
    at = np.arange(len(points)) - np.repeat(shapes.indptr[:-1], counts)
    mixed = points.view(np.uint64) + np.uint64(0x9E3779B97F4A7C15) * (
        2 * at[:, None] + np.arange(1, 3)
    ).astype(np.uint64)
    # The finalizer of splitmix64, after which the sums of different points differ.
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    upto = np.zeros(len(points) + 1, np.uint64)
    np.cumsum(mixed.sum(axis=1, dtype=np.uint64), out=upto[1:])
    return upto[shapes.indptr[1:]] - upto[shapes.indptr[:-1]]


def _norms(vectors: Array) -> NDArray[np.float64]:
    norms: NDArray[np.float64] = np.sqrt((vectors * vectors).sum(axis=1))
    return norms


_EDGES: Derived[NearestEdges] = Derived(
    __name__, "search for nearest edges", lambda edges: edges.nbytes
)


def edges_of(graph: CsrGraph) -> NearestEdges:
    """Return the search of a graph, which is kept with it; GraphError without coordinates."""
    return _EDGES.of(graph, lambda: NearestEdges(graph))
