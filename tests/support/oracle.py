"""Shortest paths in plain Python: the reference answers of tests and hunting programs.

This module imports nothing of warpath. Integers are Python's, hence exact. Floats are added one
after another along a path, in the type of the weights.
"""

from __future__ import annotations

import heapq
import itertools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: The label of each vertex; None if no path reaches it.
Labels = list[Any]

_INFINITE = float("inf")


class Oracle:
    """The shortest paths of one graph.

    A closed vertex may start or end a path but is never passed. Each edge into a closed vertex z
    ends at n + z instead, which has no edges out. Labels and trees have these n + closed entries;
    `folded` returns those of the graph's own n vertices.

    Parameters
    ----------
    n : number of vertices.
    edges : (u, v, weight); both directions of an undirected edge.
    zero : the length of the empty path, in the type in which lengths are added.
    closed : number of closed vertices, which are the first ones.
    """

    def __init__(
        self, n: int, edges: Iterable[tuple[int, int, Any]], zero: Any, closed: int = 0
    ) -> None:
        self.n, self.closed, self.zero = n, closed, zero
        self.rows: list[list[tuple[int, Any]]] = [[] for _ in range(n + closed)]
        self.negative = False
        for u, v, weight in edges:
            self.rows[u].append((v + n if v < closed else v, weight))
            self.negative |= bool(weight < 0)
        self._found: dict[tuple[int, ...], Labels | None] = {}

    def labels(self, *starts: int) -> Labels | None:
        """Return the distances from the nearest of some vertices; None for a negative cycle."""
        if starts not in self._found:
            search = self.bellman_ford if self.negative else self.dijkstra
            self._found[starts] = search(starts)
        return self._found[starts]

    def dijkstra(self, starts: Sequence[int]) -> Labels:
        """Return the distances from the nearest of some vertices, for weights >= 0."""
        labels: Labels = [None] * len(self.rows)
        heap = [(self.zero, start) for start in starts]
        while heap:
            length, u = heapq.heappop(heap)
            if labels[u] is not None:
                continue
            labels[u] = length
            for v, weight in self.rows[u]:
                if labels[v] is None and (candidate := length + weight) < _INFINITE:
                    heapq.heappush(heap, (candidate, v))
        return labels

    def bellman_ford(self, starts: Sequence[int]) -> Labels | None:
        """Return the distances for weights of any sign; None for a negative cycle."""
        labels: Labels = [None] * len(self.rows)
        for start in starts:
            labels[start] = self.zero
        improved = set(starts)
        for _ in range(len(self.rows) + 1):
            if not improved:
                return labels
            relaxed, improved = improved, set()
            for u in relaxed:
                for v, weight in self.rows[u]:
                    candidate = labels[u] + weight
                    if candidate < (_INFINITE if labels[v] is None else labels[v]):
                        labels[v] = candidate
                        improved.add(v)
        return None

    def _tight(self, u: int, labels: Labels) -> Iterable[int]:
        """Return the heads of the edges out of u that end a shortest path."""
        if labels[u] is None:
            return []
        return [
            v
            for v, weight in self.rows[u]
            if labels[v] is not None and labels[u] + weight == labels[v]
        ]

    def tree(self, source: int, labels: Labels) -> list[int]:
        """Return the predecessors that docs/decisions/0004 defines; -1 if there is none."""
        pred = [-1] * len(self.rows)
        level = [source]
        if not self.negative:
            for u in range(len(self.rows)):
                for v in self._tight(u, labels):
                    if pred[v] < 0 and v != source and labels[u] < labels[v]:
                        pred[v] = u
            level = [source, *(v for v, u in enumerate(pred) if u >= 0)]
        while level:
            following = []
            for u in sorted(level):
                for v in self._tight(u, labels):
                    level_edge = self.negative or labels[u] == labels[v]
                    if level_edge and pred[v] < 0 and v != source:
                        pred[v] = u
                        following.append(v)
            level = following
        return pred

    def owners(self, starts: Sequence[int], labels: Labels) -> list[int]:
        """Return the smallest start from which a shortest path leads to each vertex, else -1.

        Parameters
        ----------
        starts : in ascending order.
        labels : the distances from the nearest of them.
        """
        owner = [-1] * len(self.rows)
        for start in starts:
            if owner[start] >= 0 or labels[start] != self.zero:
                continue
            owner[start] = start
            stack = [start]
            while stack:
                for v in self._tight(stack.pop(), labels):
                    if owner[v] < 0:
                        owner[v] = start
                        stack.append(v)
        return owner

    def folded(self, values: Sequence[Any], source: int, at_source: Any) -> list[Any]:
        """Return the entries of the graph's n vertices; a closed one gets its arrival entry n + z.

        Parameters
        ----------
        values : labels or predecessors.
        at_source : the source's own entry: the empty path.
        """
        if not self.closed:
            return list(values)
        own = [*values[self.n :], *values[self.closed : self.n]]
        own[source] = at_source
        return own

    def distances(self, source: int) -> Labels | None:
        """Return the distances from a vertex to each of the n; None for a negative cycle."""
        labels = self.labels(source)
        return None if labels is None else self.folded(labels, source, self.zero)

    def predecessors(self, source: int) -> list[int]:
        """Return the tree of the n vertices; ValueError if a negative cycle is reached."""
        labels = self.labels(source)
        if labels is None:
            raise ValueError("a negative cycle has no tree")
        return self.folded(self.tree(source, labels), source, -1)

    def around(self, cycle: Sequence[int]) -> Any:
        """Return the length of a cycle over the lightest of parallel edges; None if not a cycle.

        Vertices that pass a closed vertex, or one vertex twice, are not a cycle.
        """
        if not cycle or len(set(cycle)) != len(cycle) or min(cycle) < self.closed:
            return None
        return self.along([*cycle, cycle[0]])

    def along(self, route: Sequence[int]) -> Any:
        """Return the length of a route over the lightest of parallel edges, else None."""
        total = self.zero
        for u, v in itertools.pairwise(route):
            weights = [weight for head, weight in self.rows[u] if head in (v, v + self.n)]
            if not weights:
                return None
            total += min(weights)
        return total

    def reaches(self, starts: Iterable[int]) -> set[int]:
        """Return the vertices to which any path leads from some vertices."""
        seen = set(starts)
        stack = list(seen)
        while stack:
            for v, _ in self.rows[stack.pop()]:
                if v not in seen:
                    seen.add(v)
                    stack.append(v)
        return seen
