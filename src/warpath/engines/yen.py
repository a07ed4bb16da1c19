"""The shortest paths between two vertices that pass no vertex twice, one after another.

Yen, "Finding the k shortest loopless paths in a network", Management Science 17, 1971, with
Lawler's rule (Management Science 18, 1972): a path is left only where it left its parent, or later.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from warpath import _core
from warpath.engines.potentials import potentials_of, reduced
from warpath.graph import Graph
from warpath.graph.csr import kept_rows

if TYPE_CHECKING:
    from warpath.base.dtypes import Array


class Loopless(NamedTuple):
    """A path: its vertices from source to target, and the place where it left its parent."""

    vertices: tuple[int, ...]
    leaves_at: int


def shortest_loopless(graph: Graph, source: int, target: int, count: int) -> list[list[int]]:
    """Return up to so many paths in ascending order of their length.

    Parameters
    ----------
    graph : float64 weights, no closed vertices. Of parallel edges the lightest counts.
    source, target : indices.
    count : how many paths.

    Raises
    ------
    NegativeCycleError
        If there is a negative cycle anywhere.

    Notes
    -----
    One search between two vertices for each vertex of each path: O(count n (m + n log n)) at worst.
    Of equally long candidates the one that was found last comes first.
    """
    weights = graph._solver_weights
    if graph.facts(symmetry=False).negative:
        weights = reduced(graph, potentials_of(graph))
    search = _Search(graph, weights, target)
    first = search.route_from(source)
    if count < 1 or first is None:
        return []
    paths = [Loopless(tuple(first[0]), 0)]
    candidates: list[tuple[float, Loopless]] = []  # by ascending length
    while len(paths) < count:
        for length, path in search.deviations(paths):
            _insert(candidates, length, path, count - len(paths))
        if not candidates:
            break
        paths.append(candidates.pop(0)[1])
    return [list(path.vertices) for path in paths]


def _insert(
    candidates: list[tuple[float, Loopless]], length: float, path: Loopless, most: int
) -> None:
    """Put a path among the candidates, of which no more are kept than can still be taken."""
    if len(candidates) >= most and length >= candidates[-1][0]:
        return
    candidates.insert(
        bisect_left(candidates, length, key=lambda candidate: candidate[0]), (length, path)
    )
    del candidates[most:]


class _Search:
    """Searches to one target in a graph that edges are taken out of and put back into."""

    def __init__(self, graph: Graph, weights: Array, target: int) -> None:
        numbered = kept_rows(graph.indptr, graph.indices, np.arange(graph.m), copied=False)
        order = Graph(*numbered).reversed()
        self._indptr, self._indices = graph.indptr, graph.indices
        self._back_indptr, self._back_indices = order.indptr, order.indices
        self._kept, self._weights = weights, weights.copy()
        self._back = weights[order._solver_weights]
        self._place = np.empty(graph.m, np.int64)  # of each edge among those into vertices
        self._place[order._solver_weights] = np.arange(graph.m)
        self._target = target

    def route_from(self, source: int) -> tuple[list[int], float] | None:
        """Return the shortest path to the target and its length, or None."""
        if source == self._target:
            return [source], 0.0
        vertices, length, _ = _core.path(
            self._indptr,
            self._indices,
            self._weights,
            self._back_indptr,
            self._back_indices,
            self._back,
            source,
            self._target,
            bidirectional=False,
            progress=None,
        )
        return (vertices.tolist(), length) if len(vertices) else None

    def deviations(self, paths: list[Loopless]) -> list[tuple[float, Loopless]]:
        """Return the shortest paths that leave the last one found, at each place where they can.

        From the target's side back, as SciPy takes them: it matters among equally long ones.
        """
        path, leaves_at = paths[-1]
        lengths = self._lengths(path)
        shared = [_common(path, other.vertices) for other in paths]
        for u in path[:-1]:
            self._remove(self._edges_out(u))
        deviating = []
        for at in range(len(path) - 2, leaves_at - 1, -1):
            spur = path[at]
            self._restore(self._edges_out(spur))
            next_ones = [
                other.vertices[at + 1]
                for other, same in zip(paths, shared, strict=True)
                if at < same and at + 1 < len(other.vertices)
            ]
            row = self._edges_out(spur)
            self._remove(row[np.isin(self._indices[row], next_ones)])
            route = self.route_from(spur)
            if route is not None:
                vertices, length = route
                deviating.append((lengths[at] + length, Loopless((*path[:at], *vertices), at)))
            self._restore(row)
        for u in path[:leaves_at]:
            self._restore(self._edges_out(u))
        return deviating

    def _lengths(self, path: tuple[int, ...]) -> list[float]:
        """Return the distance of each of a path's vertices from its start, along it."""
        lengths = [0.0]
        for u, v in pairwise(path):
            row = self._edges_out(u)
            lengths.append(lengths[-1] + self._kept[row][self._indices[row] == v].min().item())
        return lengths

    def _edges_out(self, u: int) -> Array:
        return np.arange(self._indptr[u], self._indptr[u + 1])

    def _remove(self, edges: Array) -> None:
        self._weights[edges] = self._back[self._place[edges]] = np.inf

    def _restore(self, edges: Array) -> None:
        self._weights[edges] = self._back[self._place[edges]] = self._kept[edges]


def _common(path: tuple[int, ...], other: tuple[int, ...]) -> int:
    """Return how many vertices two paths share from their start on."""
    for at, (u, v) in enumerate(zip(path, other, strict=False)):
        if u != v:
            return at
    return min(len(path), len(other))
