"""The numbers of the vertices in the graph that is searched in place of a graph.

- A graph with closed vertices is *opened* (see `zones`): its n vertices, then a duplicate of each
  closed vertex, where paths to it end.
- A graph with turns is *expanded* (see `turns`): n starts of paths, m edges, n ends of paths, then
  the other *states*. States are what turns lead from and to: the edges, then the beginnings of
  forbidden sequences, then copies of the states inside areas.
- Points along edges are vertices after all of these (see `point_sources`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.graph.csr_graph import CsrGraph


def arrivals(graph: CsrGraph, targets: Array) -> NDArray[np.int64]:
    """Return the vertices of the graph that is searched at which paths to targets end: (t,)."""
    if graph.turns is not None:
        ends: NDArray[np.int64] = targets + Expanded.of(graph).ends.start
        return ends
    if graph.first_through == 0:
        return targets
    return np.where(targets < graph.first_through, targets + graph.n, targets)


def originals(graph: CsrGraph, vertices: Array) -> Array:
    """Return the vertices of a graph at which paths end, from those of the graph that is searched.

    Of an opened graph, any vertices: those that are no duplicates stay as they are.
    """
    if graph.turns is not None:
        targets: Array = vertices - Expanded.of(graph).ends.start
        return targets
    return np.where(vertices >= graph.n, vertices - graph.n, vertices)


class Expanded(NamedTuple):
    """The parts of an expanded graph of n vertices and m edges."""

    n: int
    m: int

    @classmethod
    def of(cls, graph: CsrGraph) -> Expanded:
        """Return the parts of the expanded graph of a graph."""
        return cls(graph.n, graph.m)

    @property
    def ends(self) -> slice:
        """The ends of paths, one for each vertex."""
        return slice(self.n + self.m, 2 * self.n + self.m)

    def vertices(self, states: Array) -> Array:
        """Return the vertices of states."""
        return self.n + states + np.where(states < self.m, 0, self.n)

    def states(self, vertices: Array) -> Array:
        """Return the states of vertices that have one."""
        return vertices - np.where(vertices < self.ends.start, self.n, 2 * self.n)

    def have_state(self, vertices: Array) -> NDArray[np.bool_]:
        """Return whether vertices stand for states: neither starts nor ends of paths."""
        ends = self.ends
        have: NDArray[np.bool_] = (vertices >= self.n) & (
            (vertices < ends.start) | (vertices >= ends.stop)
        )
        return have
