"""Alternative routes in a graph with labels: through ancestors of the source and of the target.

A route through a vertex is the shortest path to it and the shortest path from there on. Every route
passes vertices above the source and the target in the elimination tree, most of them of the large
separators, and to and from these the labels have all distances. Vertices through which one and the
same route leads are a plateau of it: each part of the route that ends inside, or contains no more
than the plateau, is a shortest path. Source: Abraham, Delling, Goldberg, Werneck, Alternative
routes in road networks, 2013, whose bounds these are; the vertices there are those of two searches.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base.dtypes import unreachable
from warpath.engines.labels import arcs_of, labels_of
from warpath.graph.derived import Derived
from warpath.graph.edge_geometry import lightest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.graph import Graph

#: The vertex at each position of the elimination tree, and the parent of each vertex, -1 for roots.
_PARENTS: Derived[Array] = Derived(__name__, "parents of vertices in the elimination tree")

_AT_ONCE = 16  # candidates whose routes are unpacked together
_MOST = 64  # candidates
_STEPS = np.s_[:-1], np.s_[1:]  # the tails and the heads of a path


class Bounds(NamedTuple):
    """What alternatives must keep, as shares of the length of the shortest route."""

    sharing: float
    stretch: float
    local: float


class Found(NamedTuple):
    """A route, its length, the length that it shares with those before, and its local optimality.

    Parts of the route that are shorter than `local` are shortest paths.
    """

    vertices: NDArray[np.int64]
    length: Any
    shared: Any
    local: Any


def alternatives(graph: Graph, source: int, target: int, k: int, bounds: Bounds) -> list[Found]:
    """Return the shortest route and alternatives to it; none if there is no route.

    O(a log a) for the a ancestors, and a route for each candidate that is considered.

    Parameters
    ----------
    graph : a graph with labels that lead to routes, whose sums of weights are exact.
    source, target : two different vertices.
    """
    search = _Search(graph, source, target, bounds)
    return search.routes(k) if search.best != unreachable(search.best.dtype) else []


class _Candidates(NamedTuple):
    """Routes through plateaus: the first and last vertices, (c,), and lengths."""

    first: Array
    last: Array
    length: Array
    plateau: Array

    def taken(self, at: Any) -> _Candidates:
        return _Candidates(*(part[at] for part in self))


class _Route(NamedTuple):
    """A candidate with its vertices and edges, and the weights of these."""

    candidate: _Candidates
    vertices: NDArray[np.int64]
    edges: Array
    weights: Array

    def shared(self, taken: Array) -> Any:
        """Return the length of the edges that are among some, which ascend."""
        at = np.searchsorted(taken[:-1], self.edges)
        return self.weights[taken[at] == self.edges].sum(dtype=self.candidate.length.dtype)

    def passes_twice(self) -> bool:
        ordered = np.sort(self.vertices)
        return bool((ordered[1:] == ordered[:-1]).any())


class _Search:
    def __init__(self, graph: Graph, source: int, target: int, bounds: Bounds) -> None:
        self._graph, self._ends, self._bounds = graph, (source, target), bounds
        self._labels, self._arcs = labels_of(graph, 1), arcs_of(graph, 1)
        self.best = self._distances(np.array([source]), np.array([target]))[0]

    def routes(self, k: int) -> list[Found]:
        """Return at most k routes, the shortest first."""
        ends, zero = (np.array([end]) for end in self._ends), self.best.dtype.type(0)
        (shortest,) = self._unpacked(*ends)
        found = [Found(shortest, self.best, zero, self.best)]
        taken = np.sort(lightest(self._graph, shortest[:-1], shortest[1:]))
        candidates = self._candidates(shortest)
        for at in range(0, len(candidates.first), _AT_ONCE):
            waiting = self._routes(candidates.taken(slice(at, at + _AT_ONCE)))
            while waiting and len(found) < k:
                route = self._best_of(waiting, taken, found)
                if route is not None:
                    found.append(route[0])
                    taken = np.sort(np.concatenate([taken, route[1]]))
        return found

    def _distances(self, starts: Array, ends: Array) -> Array:
        dist = np.empty(len(starts), self._graph.dist_dtype)
        self._labels.pairs(starts, ends, dist, threads=1)
        return dist

    def _unpacked(self, starts: Array, ends: Array) -> list[NDArray[np.int64]]:
        """Return the vertices of the shortest paths of pairs."""
        vertices, counts = self._arcs.routes(starts, ends, threads=1)
        return _split(vertices, np.cumsum(counts))

    def _candidates(self, shortest: Array) -> _Candidates:
        """Return the routes through ancestors that are short enough, the most promising first.

        Without those that share too much with the shortest route.
        """
        via = _ancestors(self._graph, self._ends)
        source, target = (np.full(len(via), end) for end in self._ends)
        before, after = self._distances(source, via), self._distances(via, target)
        none = unreachable(self.best.dtype)
        possible = np.flatnonzero((before != none) & (after != none))
        via, before, after = (part[possible] for part in (via, before, after))
        length = before + after
        order = np.lexsort((before, length))
        order = order[length[order] <= self._part(self._bounds.stretch)]
        via, before, after, length = (part[order] for part in (via, before, after, length))
        steps = self._distances(via[:-1], via[1:])
        at = np.flatnonzero((length[1:] == length[:-1]) & (steps != none))
        at = at[before[at] + steps[at] == before[at + 1]]
        at = at[steps[at] + after[at + 1] == after[at]]
        begins, ends = np.ones((2, len(via)), np.bool_)
        begins[at + 1] = ends[at] = False
        first, last = np.flatnonzero(begins), np.flatnonzero(ends)
        plateau = before[last] - before[first]
        candidates = _Candidates(via[first], via[last], length[first], plateau)
        shared = self._shared(shortest, candidates, before[first], after[first])
        order = np.argsort(2.0 * candidates.length + shared - plateau, kind="stable")
        apart = candidates.length - shared
        possible = (shared <= self._part(self._bounds.sharing)) & (
            (apart > self._part(self._bounds.local)) | (candidates.length == self.best)
        )
        order = order[possible[order]]
        return candidates.taken(order[:_MOST])

    def _shared(self, shortest: Array, of: _Candidates, before: Array, after: Array) -> Array:
        """Return the lengths of the beginnings and ends that routes share with the shortest.

        A vertex of the shortest route lies on the shortest path to a later vertex as well where
        the distances add up, as do those of all vertices before it.

        Parameters
        ----------
        before, after : the distances to and from the first vertices of the plateaus.
        """
        weights = self._graph._solver_weights
        legs = weights[lightest(self._graph, shortest[:-1], shortest[1:])]
        sums = np.concatenate([[0], np.cumsum(legs, dtype=self.best.dtype)])
        low, high = np.zeros((2, len(of.first)), np.int64)
        high += len(shortest) - 1
        last = high.copy()
        first = low.copy()
        while (low < high).any() or (first < last).any():
            middle = (low + high + 1) // 2
            to = self._distances(shortest[middle], of.first)
            joined = sums[middle] + to == before
            low, high = np.where(joined, middle, low), np.where(joined, high, middle - 1)
            middle = (first + last) // 2
            onward = self._distances(of.first, shortest[middle])
            joined = onward + (self.best - sums[middle]) == after
            first, last = np.where(joined, first, middle + 1), np.where(joined, middle, last)
        both: Array = sums[low] + (self.best - sums[first])
        return both

    def _routes(self, candidates: _Candidates) -> list[_Route]:
        via = candidates.first
        source, target = (np.full(len(via), end) for end in self._ends)
        parts = self._unpacked(np.concatenate([source, via]), np.concatenate([via, target]))
        paths = [
            np.concatenate([before, after[1:]])
            for before, after in zip(parts[: len(via)], parts[len(via) :], strict=True)
        ]
        tails, heads = (np.concatenate([path[cut] for path in paths]) for cut in _STEPS)
        edges = lightest(self._graph, tails, heads)
        ends = np.cumsum([len(path) - 1 for path in paths])
        edges_of_each = _split(edges, ends)
        lengths_of_each = _split(self._graph._solver_weights[edges], ends)
        rows = map(candidates.taken, range(len(via)))
        return [
            _Route(*route)
            for route in zip(rows, paths, edges_of_each, lengths_of_each, strict=True)
        ]

    def _best_of(
        self, waiting: list[_Route], taken: Array, found: list[Found]
    ) -> tuple[Found, Array] | None:
        """Return the best route that keeps all bounds, with its edges.

        Those that were considered are removed.

        Parameters
        ----------
        taken : the edges of the routes that were found, which ascend.
        """
        routes = [(route, route.shared(taken)) for route in waiting]
        routes.sort(
            key=lambda each: 2.0 * each[0].candidate.length + each[1] - each[0].candidate.plateau
        )
        most = self._part(self._bounds.sharing)
        for at, (route, shared) in enumerate(routes):
            if shared > most or route.passes_twice():
                continue
            if any(np.array_equal(route.vertices, other.vertices) for other in found):
                continue
            local = self._local(route)
            if local is not None:
                waiting[:] = [each for each, _ in routes[at + 1 :]]
                return Found(route.vertices, route.candidate.length, shared, local), route.edges
        waiting.clear()
        return None

    def _local(self, route: _Route) -> Any:
        """Return the length below which parts are shortest paths; None if it is too small.

        Only parts that begin before the plateau and end after it may be none.
        """
        candidate, vertices = route.candidate, route.vertices
        least = self._part(self._bounds.local)
        if candidate.plateau > least:
            return candidate.plateau
        sums = np.concatenate([[0], np.cumsum(route.weights, dtype=self.best.dtype)])
        first, last = (np.argmax(vertices == end) for end in (candidate.first, candidate.last))
        begins = np.arange(first)
        ends = np.searchsorted(sums, sums[:first] + least, side="right") - 1
        begins, ends = begins[ends > last], ends[ends > last]
        parts = self._distances(vertices[begins], vertices[ends])
        return least if (parts == sums[ends] - sums[begins]).all() else None

    def _part(self, share: float) -> Any:
        """Return a share of the shortest length, rounded down."""
        if self.best.dtype.kind == "f":
            return self.best.dtype.type(share * self.best.item())
        above, below = share.as_integer_ratio()
        return min(above * self.best.item() // below, int(np.iinfo(self.best.dtype).max))


def _split(array: Array, ends: Array) -> list[Array]:
    """Return the parts of an array that end at some positions."""
    return [array[begin:end] for begin, end in pairwise([0, *ends.tolist()])]


def _ancestors(graph: Graph, vertices: tuple[int, int]) -> NDArray[np.int64]:
    """Return the ancestors of two vertices, and these themselves, once each."""
    parent = _PARENTS.of(graph, lambda: _parents(graph))
    above = []
    for vertex in vertices:
        above.append(vertex)
        while (next_above := parent[above[-1]].item()) >= 0:
            above.append(next_above)
    return np.unique(np.array(above, np.int64))


def _parents(graph: Graph) -> Array:
    position, parent = labels_of(graph, 1).tree.arrays()
    vertex = np.full(len(position) + 1, -1)  # the last entry is for position -1
    vertex[position] = np.arange(len(position))
    parents: Array = vertex[parent][position]
    return parents
