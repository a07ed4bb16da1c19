"""The graph that is searched in place of a graph with turns or closed vertices, and back.

Turns are expanded (see `turns`) and closed vertices opened (see `zones`). A search from a vertex
starts at the same vertex of that graph; `SolvableGraph` says where paths end there, and folds
labels, predecessors and paths back to the graph's own vertices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.graph.edge_geometry import leg_weights, lightest
from warpath.graph.search_vertices import Expanded, arrivals, originals
from warpath.graph.turns import expanded, last_edges
from warpath.graph.zones import folded, folded_tree, home_path, opened

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.graph.graph import Graph


def search_graph(graph: Graph) -> Graph:
    """Return the graph that is searched: without turns and closed vertices. O(n + m) once.

    It is the graph itself if that has neither.
    """
    if graph.turns is None and graph.first_through == 0:
        return graph
    return opened(expanded(graph))


class SolvableGraph:
    """A graph with the graph that is searched in its place.

    Attributes
    ----------
    graph : the graph of the results.
    inner : its `search_graph`.
    """

    __slots__ = ("graph", "inner")

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.inner = search_graph(graph)

    def columns(self, targets: Array | None) -> NDArray[np.int64] | None:
        """Return the vertices of `inner` at which paths to targets end; None for all of them."""
        if targets is None:
            return None if self.inner is self.graph else self.arrivals(np.arange(self.graph.n))
        return self.arrivals(targets)

    def arrivals(self, targets: Array) -> NDArray[np.int64]:
        """Return the vertices of `inner` at which paths to targets end: (t,)."""
        return arrivals(self.graph, targets)

    def fold(self, labels: Array, source: int | None) -> Array:
        """Return the (n,) labels of a graph's vertices from those of `inner`.

        Parameters
        ----------
        source : the source; None for a point along an edge.
        """
        graph = self.graph
        if graph.turns is None:
            return folded(graph, labels, source)
        return labels[Expanded.of(graph).ends].copy()

    def fold_tree(self, pred: Array, source: int | None) -> Array:
        """Return the (n,) predecessors of a graph's vertices from those of `inner`.

        With turns or areas, each is the vertex before another on the shortest path to that one,
        which need not be the end of a shortest path itself.
        """
        graph = self.graph
        if graph.turns is None:
            return folded_tree(graph, pred, source)
        last = self.fold(pred, source)
        moved = last >= graph.n  # the others are unreached, or the source itself
        moved[moved] = pred[last[moved]] >= 0  # the first vertex after a point has no predecessor
        tails = np.searchsorted(graph.indptr, last_edges(graph, last[moved]), side="right") - 1
        before = np.full(graph.n, -1, graph.indices.dtype)
        before[moved] = tails
        return before

    def path(self, vertices: Array) -> tuple[NDArray[np.int64], dict[str, Any]]:
        """Return the graph's vertices along a path in `inner`, and what a `Route` has of it.

        With turns these are the edges, and their weights with the costs of the turns into them.
        """
        graph = self.graph
        if graph.turns is None:
            return home_path(graph, vertices), {}
        edges = last_edges(graph, vertices[1:-1])
        weights = leg_weights(self.inner, vertices[:-2], vertices[1:-1])
        indices = np.concatenate([vertices[:1], graph.indices[edges]])
        return indices, {"edges": edges, "weights": weights}

    def edges_of_steps(self, tails: Array, heads: Array, threads: int = 1) -> Array:
        """Return the graph's edge of each step of paths in `inner`, -1 for steps without one: (k,).

        Parameters
        ----------
        tails, heads : (k,) vertices of `inner`, joined by edges on shortest paths.
        """
        graph, n = self.graph, self.graph.n
        edges = np.full(len(heads), -1, np.int64)
        if graph.turns is not None:
            moved = Expanded.of(graph).have_state(heads)
            edges[moved] = last_edges(graph, heads[moved])
            return edges
        if graph.first_through == 0:
            return lightest(graph, tails, heads, threads)
        moved = (tails >= n) | (heads != tails + n)  # not from a vertex to its duplicate
        tails, heads = (originals(graph, ends)[moved] for ends in (tails, heads))
        edges[moved] = lightest(graph, tails, heads, threads)
        return edges

    def edges_of_paths(
        self, vertices: Array, counts: Array, threads: int = 1
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the graph's edges along paths in `inner`, and how many each path has.

        Parameters
        ----------
        vertices : (h,) vertices of `inner`, of one path after another.
        counts : (k,) how many vertices each path has.
        """
        inside = np.ones(len(vertices), np.bool_)
        inside[(np.cumsum(counts) - counts)[counts > 0]] = False
        heads = np.flatnonzero(inside)
        edges = self.edges_of_steps(vertices[heads - 1], vertices[heads], threads)
        if self.inner is self.graph:
            return edges, np.maximum(counts - 1, 0)
        moved = np.zeros(len(vertices) + 1, np.int64)
        moved[1 + heads] = edges >= 0
        upto, ends = np.cumsum(moved), np.cumsum(counts)
        return edges[edges >= 0], upto[ends] - upto[ends - counts]

    def cycle(self, vertices: Array) -> Array:
        """Return the graph's vertices along a cycle in `inner`."""
        graph = self.graph
        return vertices if graph.turns is None else graph.indices[last_edges(graph, vertices)]

    def edge_begins(self, labels: Array) -> NDArray[np.float64]:
        """Return the least distance at which a path enters each edge of a graph with turns: (m,).

        Parameters
        ----------
        labels : of the vertices of `inner`, inf where unreachable.
        """
        graph, inner = self.graph, self.inner
        begins = np.full(graph.m, np.inf)
        src, dst, weights = inner.edges()
        last = self.last_edges()[dst]
        at = np.flatnonzero(last >= 0)
        edges = last[at]
        entered = labels[src[at]] + weights[at] - graph._solver_weights[edges]
        np.minimum.at(begins, edges, entered)
        return begins

    def last_edges(self) -> NDArray[np.int64]:
        """Return the last edge of paths that end in each vertex of `inner`: (n',).

        It is -1 where paths have none, or end for good. The graph has turns.
        """
        edges = np.full(self.inner.n, -1, np.int64)
        at = np.flatnonzero(Expanded.of(self.graph).have_state(np.arange(self.inner.n)))
        edges[at] = last_edges(self.graph, at)
        return edges
