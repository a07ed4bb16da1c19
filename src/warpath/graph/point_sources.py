"""Sources along edges as vertices of the graph that is searched."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from warpath.graph.csr import kept_rows, order_of_transpose
from warpath.graph.graph import Graph
from warpath.graph.links import Links, arriving, leaving
from warpath.graph.search_vertices import Expanded, arrivals, originals
from warpath.graph.solvable import search_graph

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.graph.places import Snapped


class PointSources(NamedTuple):
    """Several sources, some of them points along edges, in a graph that has a vertex for each.

    Attributes
    ----------
    graph : the graph of the results; the reversed graph for distances to the sources.
    ends : the k sources, with positions of edges in this graph.
    links : the rest of an edge from each point to a vertex that it leads to.
    vertices : (k,) int64, the sources in `searched`.
    searched : the opened graph, and after its vertices one for each point, with its links as edges.
    """

    graph: Graph
    ends: Snapped
    links: Links
    vertices: NDArray[np.int64]
    searched: Graph

    @classmethod
    def of(cls, graph: Graph, ends: Snapped, *, reverse: bool = False) -> PointSources:
        """Join sources to the graph that is searched.

        Parameters
        ----------
        ends : sources, none of them missing.
        reverse : whether distances to the sources are searched.
        """
        points = np.flatnonzero(ends.along >= 0)
        part = ends.part(points)
        links = arriving(graph, part, turned=False) if reverse else leaving(graph, part)
        if reverse:
            new = np.argsort(order_of_transpose(graph.indptr, graph.indices))
            # Where paths end in the graph that is searched, those of the reversed graph begin.
            edges, at = new[links.edges], links.vertices
            if graph.turns is None:
                starts = np.where(at < graph.n, arrivals(graph, at), originals(graph, at))
            else:
                starts = Expanded.of(graph).vertices(edges)
            links = links._replace(vertices=starts, edges=edges)
            along, back = (
                np.where(edges >= 0, new[edges], -1) for edges in (ends.along, ends.back)
            )
            ends = ends._replace(along=along, back=back, fractions=1 - ends.fractions)
            graph = graph.reversed()
        return cls.joined(graph, ends, links._replace(rows=points[links.rows]))

    def on(self, graph: Graph) -> PointSources:
        """Return the same sources joined to a graph of the same edges."""
        return self.joined(graph, self.ends, self.links)

    @classmethod
    def joined(cls, graph: Graph, ends: Snapped, links: Links) -> PointSources:
        """Join sources to a graph over given links, in the order of the sources."""
        inner, points = search_graph(graph), np.flatnonzero(ends.along >= 0)
        vertices = ends.indices.copy()
        vertices[points] = inner.n + np.arange(len(points))
        counts = np.bincount(links.rows, minlength=len(vertices))[points]
        weights = inner._solver_weights
        rows = kept_rows(
            np.append(inner.indptr, inner.m + np.cumsum(counts)),
            np.append(inner.indices, links.vertices.astype(inner.indices.dtype)),
            np.append(weights, links.offsets.astype(weights.dtype)),
            copied=False,
        )
        return cls(graph, ends, links, vertices, Graph(*rows))

    @property
    def distinct(self) -> int:
        """The number of different sources."""
        ends = self.ends
        at_vertices = np.where(ends.along < 0, ends.indices, -1)
        return len(np.unique(np.stack([at_vertices, ends.along, ends.fractions]), axis=1).T)

    @property
    def starts(self) -> NDArray[np.float64]:
        """Where the links begin, as fractions of the lengths of their edges: (e,)."""
        rows, fractions = self.links.rows, self.ends.fractions
        along = self.links.edges == self.ends.along[rows]
        return np.where(along, fractions[rows], 1 - fractions[rows])

    def parts(self) -> tuple[NDArray[np.int64], Array, Array]:
        """Return the parts of edges from each point on, up to the next point on the same edge.

        Returns
        -------
        edges, starts, stops : (e,) each, positions of edges and fractions of their lengths.
        """
        edges, starts = self.links.edges, self.starts
        order = np.lexsort((starts, edges))
        edges, starts = edges[order], starts[order]
        last = np.diff(edges, append=-1) != 0
        return edges, starts, np.where(last, 1.0, np.roll(starts, -1))

    def link(self, row: int, vertex: int) -> Links:
        """Return the shortest link from a point to a vertex."""
        at = np.flatnonzero((self.links.rows == row) & (self.links.vertices == vertex))
        return self.links.taken(at[np.argsort(self.links.offsets[at], kind="stable")][:1])
