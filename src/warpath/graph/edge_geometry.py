"""Shapes of edges: the points between their ends, and the lines that they form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import _core
from warpath.base.errors import GraphError
from warpath.graph.checks import frozen
from warpath.graph.coordinates import coordinates_of
from warpath.graph.csr import order_of_transpose, rows_of_edges

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from warpath.base.dtypes import Array
    from warpath.graph.csr_graph import CsrGraph


class Shapes:
    """The points of each edge between its two ends.

    Attributes
    ----------
    indptr : (m + 1,) int64
    points : (p, 2) float64; edge e passes through ``points[indptr[e] : indptr[e + 1]]``.
    crs : coordinate reference system of all coordinates, as GeoPandas accepts it; None if unknown.
    """

    def __init__(self, indptr: ArrayLike, points: ArrayLike, crs: Any = None) -> None:
        self.indptr = frozen(np.asarray(indptr, np.int64))
        self.points = frozen(np.asarray(points, np.float64).reshape(-1, 2))
        self.crs = crs
        ends = self.indptr[[0, -1]].tolist() if self.indptr.ndim == 1 and len(self.indptr) else []
        if ends != [0, len(self.points)] or (np.diff(self.indptr) < 0).any():
            msg = f"shapes: indptr must ascend from 0 to the number of points, {len(self.points)}."
            raise GraphError(msg)

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def checked(self, m: int) -> Shapes:
        """Return the shapes unchanged, or raise GraphError if they do not belong to m edges."""
        if len(self) != m:
            msg = f"shapes has {len(self)} edges, but the graph has m = {m}."
            raise GraphError(msg)
        return self

    def __bool__(self) -> bool:
        return True  # also for a graph without edges

    def taken(self, edges: Array, backwards: Array | None = None) -> Shapes:
        """Return the shapes of some edges, in this order; reversed where `backwards` is True."""
        at, first, _ = self.places(edges)
        if backwards is not None:
            last = np.repeat(self.indptr[1:][edges] - 1, np.diff(self.indptr)[edges])
            turned = np.repeat(backwards, np.diff(self.indptr)[edges])
            at = np.where(turned, last - (at - first), at)
        counts = np.diff(self.indptr)[edges]
        return Shapes(np.concatenate(([0], np.cumsum(counts))), self.points[at], self.crs)

    def places(self, edges: Array) -> tuple[Array, Array, Array]:
        """Locate the points of some edges.

        Returns
        -------
        places : (q,) rows of `points`.
        first : (q,) row of the first point of the same edge.
        which : (q,) position of the edge in `edges`.
        """
        counts = np.diff(self.indptr)[edges]
        which = np.repeat(np.arange(len(edges)), counts)
        first = self.indptr[:-1][edges][which]
        inside = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
        return first + inside, first, which

    def without_infinite(self, weights: Array | None) -> Shapes:
        """Return the shapes of the edges whose new weight is not +inf."""
        if weights is None or weights.dtype.kind != "f" or not np.isinf(weights).any():
            return self
        return self.taken(np.flatnonzero(weights != np.inf))

    def transposed(self, indptr: Array, indices: Array) -> Shapes:
        """Return the shapes of a graph's reversed edges, in the order of the transpose."""
        order = order_of_transpose(indptr, indices)
        return self.taken(order, np.ones(len(order), np.bool_))


def in_rows(
    lines: Shapes,
    ends: tuple[Array, Array],
    weights: Array | None,
    coordinates: Array,
    *,
    directed: bool,
) -> Shapes:
    """Return the shapes of edges in the order of a graph's rows, from whole lines.

    Parameters
    ----------
    lines : a line for each of k edges, ends included, in either direction; no points for a
        straight edge.
    ends : src and dst of the edges, each (k,), indices.
    weights : (k,); edges of weight +inf are left out, as in `Graph.from_edges`.
    coordinates : (n, 2), positions of the vertices.
    """
    src, dst = ends
    some = np.flatnonzero(np.diff(lines.indptr) > 0)
    start, end = lines.points[lines.indptr[some]], lines.points[lines.indptr[some + 1] - 1]
    tail, head = coordinates[src[some]], coordinates[dst[some]]
    along = np.hypot(*(start - tail).T) + np.hypot(*(end - head).T)
    turned = np.zeros(len(lines), np.bool_)
    turned[some] = along > np.hypot(*(start - head).T) + np.hypot(*(end - tail).T)
    lines = _without_ends(lines.taken(np.arange(len(lines)), turned), coordinates, src, dst)
    used = np.arange(len(src))
    if weights is not None and weights.dtype.kind == "f":
        used = np.flatnonzero(weights != np.inf)
    rows, _, order = rows_of_edges(  # edge numbers in place of weights: they give the order
        src[used], dst[used], used, len(coordinates), both=not directed
    )
    assert order is not None  # noqa: S101 - weights were given
    row = np.repeat(np.arange(len(coordinates)), np.diff(rows))
    return lines.taken(order, src[order] != row)


def _without_ends(lines: Shapes, coordinates: Array, src: Array, dst: Array) -> Shapes:
    """Return lines without their first and last points where these equal the edge's ends."""
    which = np.repeat(np.arange(len(lines)), np.diff(lines.indptr))
    at = np.arange(len(lines.points))
    first, last = at == lines.indptr[which], at == lines.indptr[which + 1] - 1
    drop = first & (lines.points == coordinates[src[which]]).all(axis=1)
    drop |= last & (lines.points == coordinates[dst[which]]).all(axis=1)
    counts = np.bincount(which[~drop], minlength=len(lines))
    return Shapes(np.concatenate(([0], np.cumsum(counts))), lines.points[~drop], lines.crs)


def lines_of(
    graph: CsrGraph, edges: Array, scale: float = 1.0
) -> tuple[Array, Array, Array, Array]:
    """Split edges into straight pieces, one or more per edge.

    Parameters
    ----------
    graph : a graph with coordinates.
    edges : (k,) positions in `Graph.edges`.
    scale : length of a unit of y in units of x.

    Returns
    -------
    lines : (s, 2, 2) x and y of both ends.
    which : (s,) positions in `edges`.
    start, end : (s,) where a piece begins and ends, as fractions of the edge's length.

    Raises
    ------
    GraphError
        If the graph has no coordinates.
    """
    points = coordinates_of(graph, ", so its edges have no lines")
    tail = points[np.searchsorted(graph.indptr, edges, side="right") - 1]
    head = points[graph.indices[edges]]
    if graph.shapes is None:
        whole = np.ones(len(edges))
        return np.stack([tail, head], axis=1), np.arange(len(edges)), 0 * whole, whole
    place, _, inner = graph.shapes.places(edges)
    counts = np.diff(graph.shapes.indptr)[edges] + 1  # pieces
    ends = np.cumsum(counts + 1)
    line = np.empty((int(ends[-1]) if len(ends) else 0, 2))
    line[ends - counts - 1], line[ends - 1] = tail, head
    first = np.cumsum(counts - 1) - (counts - 1)
    line[(ends - counts)[inner] + np.arange(len(inner)) - first[inner]] = graph.shapes.points[place]
    begins = np.ones(len(line), np.bool_)
    begins[ends - 1] = False
    at = np.flatnonzero(begins)
    lines = np.stack([line[at], line[at + 1]], axis=1)
    which = np.repeat(np.arange(len(edges)), counts)
    length = np.hypot(*((lines[:, 1] - lines[:, 0]) * (1, scale)).T)
    total = np.bincount(which, length, len(edges))[which]
    upto = np.cumsum(length)
    before = (upto - length)[np.cumsum(counts) - counts][which]
    with np.errstate(invalid="ignore", divide="ignore"):
        start = np.where(total > 0, (upto - length - before) / total, 0.0)
        end = np.where(total > 0, (upto - before) / total, 1.0)
    return lines, which, start, end


def linestrings(shapely: Any, graph: CsrGraph, edges: Array) -> Array:
    """Return edges of a graph with coordinates as LineStrings of shapely: (k,)."""
    pieces, which, _, _ = lines_of(graph, edges)
    last = np.append(which[1:] != which[:-1], True)[: len(which)]
    corners = np.concatenate([pieces[:, 0], pieces[last, 1]])
    owners = np.concatenate([which, which[last]])
    order = np.argsort(owners, kind="stable")
    lines: Array = shapely.linestrings(corners[order], indices=owners[order])
    return lines


def weight_up_to(graph: CsrGraph, edges: Array, fractions: Array) -> Array:
    """Return the parts of the weights of edges from their tails to points along them: (k,).

    Weights are spread evenly over the lengths of edges. Parts of integers are rounded to integers,
    halves up.

    Parameters
    ----------
    edges : (k,) positions in `Graph.edges`.
    fractions : (k,) float64, from 0 to 1.
    """
    weights: Array = graph._solver_weights[edges].astype(graph.dist_dtype)
    if weights.dtype.kind == "f":
        parts: Array = weights * fractions.astype(weights.dtype)
        return parts
    parts = np.floor(weights * fractions + 0.5)
    least, most = np.minimum(weights, 0), np.maximum(weights, 0)  # floats round large integers
    whole: Array = np.clip(parts.astype(weights.dtype), least, most)
    return whole


def lightest(graph: CsrGraph, src: Array, dst: Array, threads: int = 1) -> Array:
    """Return the lightest edge from each `src` to its `dst`, the first of equal ones: (k,) int64.

    It is -1 where there is none. O(edges out of `src`).
    """
    tails, heads = (np.ascontiguousarray(ends, np.int64) for ends in (src, dst))
    edges: Array = _core.lightest_edges(
        graph.indptr, graph.indices, graph._solver_weights, tails, heads, threads=threads
    )
    return edges


def leg_weights(graph: CsrGraph, src: Array, dst: Array) -> Array:
    """Return the weight of the lightest edge from each `src` to its `dst`: (k,)."""
    legs: Array = graph._solver_weights[lightest(graph, src, dst)]
    return legs
