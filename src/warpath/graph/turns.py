"""Turns at vertices: which are forbidden, what they cost, and the graph in which they are edges.

A graph of n vertices and m edges with turns is *expanded*: a vertex for the start of a path at each
vertex (0 .. n - 1), one for each edge (n .. n + m - 1), and one for the end of a path at each
vertex (n + m .. 2 n + m - 1). An arc from edge to edge is a turn. Every solver then works
unchanged. Source: Caldwell, On finding minimum routes in a network with turn penalties, 1961.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import _core
from warpath.base.errors import GraphError, NotSupportedError
from warpath.graph.checks import frozen
from warpath.graph.coordinates import in_degrees
from warpath.graph.derived import Derived, bytes_of_graph

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warpath.base.dtypes import Array
    from warpath.graph.graph import Graph

#: Radians. A smaller change of direction is straight on.
_STRAIGHT = np.radians(45)


class Turns:
    """The turns of a graph: forbidden ones and costs.

    Attributes
    ----------
    banned : (b, 2) int64, pairs of edges, as positions in `Graph.edges`, of which the second must
        not follow the first.
    back : (m,) int64, the edge along the same road in the other direction; -1 if there is none.
    left, right : what a turn by 45 to 180 degrees adds to a path at a vertex with a choice of ways,
        in the unit of the weights.
    u_turn : what a turn back into the same road adds; None forbids it except at dead ends.
    honoured : number of restrictions of the file that `banned` states.
    ignored : numbers of restrictions that it does not, by the reason.
    """

    def __init__(
        self,
        banned: Array,
        back: Array,
        *,
        left: float = 0.0,
        right: float = 0.0,
        u_turn: float | None = None,
        honoured: int = 0,
        ignored: Mapping[str, int] | None = None,
    ) -> None:
        self.banned = frozen(np.asarray(banned, np.int64).reshape(-1, 2))
        self.back = frozen(np.asarray(back, np.int64))
        self.left, self.right, self.u_turn = left, right, u_turn
        self.honoured = honoured
        self.ignored = dict(ignored or {})

    def checked(self, m: int) -> Turns:
        """Return the turns unchanged, or raise GraphError if they do not belong to m edges."""
        edges = np.concatenate([self.banned.ravel(), self.back])
        if len(self.back) != m or (len(edges) and not -1 <= edges.min() <= edges.max() < m):
            msg = f"turns do not belong to the m = {m:,} edges of the graph."
            raise GraphError(msg)
        return self

    def taken(self, edges: Array) -> Turns:
        """Return the turns between some edges, which are numbered in this order."""
        place = np.full(len(self.back) + 1, -1)
        place[edges] = np.arange(len(edges))  # the last entry stays -1, for -1
        banned = place[self.banned]
        return Turns(
            banned[(banned >= 0).all(axis=1)],
            place[self.back[edges]],
            left=self.left,
            right=self.right,
            u_turn=self.u_turn,
            honoured=self.honoured,
            ignored=self.ignored,
        )

    def transposed(self, indptr: Array, indices: Array) -> Turns:
        """Return the turns of a graph's reversed edges, in the order of the transpose."""
        ids = np.arange(len(self.back))
        order = np.empty_like(ids)
        _core.transpose(indptr, indices, ids, np.empty_like(indptr), np.empty_like(indices), order)
        mirrored = self.taken(order)
        mirrored.banned = frozen(mirrored.banned[:, ::-1])
        mirrored.left, mirrored.right = self.right, self.left
        return mirrored

    def __str__(self) -> str:
        one = self.honoured == 1
        honoured = f"{self.honoured:,} restriction{'' if one else 's'} honoured"
        ignored = ", ".join(f"{count:,} {why}" for why, count in self.ignored.items())
        return f"{honoured}{f'; ignored: {ignored}' if ignored else ''}"

    def __repr__(self) -> str:
        return f"<Turns: {self}>"


_EXPANDED: Derived[Graph] = Derived(__name__, "graph with turns as edges", bytes_of_graph)


def expanded(graph: Graph) -> Graph:
    """Return the expanded graph, or the graph itself if it has no turns.

    O(n + m + t) for t pairs of edges that follow one another.

    Raises
    ------
    GraphError
        If the weights are integers and a cost is not.
    """
    turns = graph.turns
    if turns is None:
        return graph
    return _EXPANDED.of(graph, lambda: _expanded(graph, turns))


def ends_of_turns(graph: Graph, targets: Array) -> Array:
    """Return the vertices of the expanded graph at which paths to `targets` end: (k,) int64."""
    return targets if graph.turns is None else targets + graph.n + graph.m


def edges_of_turns(graph: Graph, path: Array) -> Array:
    """Return the edges, as positions in `Graph.edges`, of a path in the expanded graph."""
    edges: Array = path[1:-1] - graph.n
    return edges


def refuse_turns(graph: Graph, call: str) -> None:
    """Raise NotSupportedError if a graph has turns, which a call does not honour."""
    if graph.turns is not None:
        msg = (
            f"{call} does not honour turn restrictions and turn costs; path, pairs, distances and "
            "apsp do. Read the file without turns for the other calls."
        )
        raise NotSupportedError(msg)


def _expanded(graph: Graph, turns: Turns) -> Graph:
    n, m, weights = graph.n, graph.m, graph.solver_weights
    tails, heads = (ends.astype(np.int64) for ends in graph.edges()[:2])
    edges, vertices = np.arange(m), np.arange(n)
    first, second = _pairs(graph)
    costs, allowed = _costs(graph, turns, first, second)
    first, second, costs = first[allowed], second[allowed], costs[allowed]
    added = costs.astype(weights.dtype)
    if (added != costs).any():
        msg = (
            f"turn costs must be integers, as the weights are {weights.dtype}: use "
            "graph.astype('float64'), or costs that are whole numbers."
        )
        raise GraphError(msg)
    none = np.zeros(m + n, weights.dtype)
    # A path from a vertex to itself has no edge: the last arcs lead from starts to ends.
    src = np.concatenate([tails, n + first, n + edges, vertices])
    dst = np.concatenate([n + edges, n + second, n + m + heads, n + m + vertices])
    lengths = np.concatenate([weights, weights[second] + added, none])
    return type(graph).from_edges(src, dst, lengths, n=2 * n + m)


def _pairs(graph: Graph) -> tuple[Array, Array]:
    """Return all pairs of edges that follow one another, (t,) each."""
    degree = np.diff(graph.indptr)
    counts = degree[graph.indices]
    first = np.repeat(np.arange(graph.m), counts)
    inside = np.arange(len(first)) - np.repeat(np.cumsum(counts) - counts, counts)
    return first, graph.indptr[graph.indices[first]] + inside


def _costs(graph: Graph, turns: Turns, first: Array, second: Array) -> tuple[Any, Any]:
    """Return the cost of each pair of edges, and whether it is allowed."""
    costs, allowed = np.zeros(len(first)), np.ones(len(first), bool)
    u_turn = turns.back[first] == second
    exits = np.diff(graph.indptr)[graph.indices]  # of the vertex that an edge leads to
    others = (exits - (turns.back >= 0))[first]
    if turns.u_turn is None:
        allowed[u_turn & (others > 0)] = False
    else:
        costs[u_turn] = turns.u_turn
    if turns.left or turns.right:
        angle = _angles(graph, first, second)
        choice = ~u_turn & (others > 1)
        costs[choice & (angle > _STRAIGHT)] = turns.left
        costs[choice & (angle < -_STRAIGHT)] = turns.right
    if len(turns.banned):
        keys = first * graph.m + second
        allowed &= ~np.isin(keys, turns.banned[:, 0] * graph.m + turns.banned[:, 1])
    return costs, allowed


def _angles(graph: Graph, first: Array, second: Array) -> Array:
    """Return the change of direction from edge to edge, in radians; left is positive."""
    arriving, leaving = _directions(graph)
    a, b = arriving[first], leaving[second]
    cross, dot = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0], (a * b).sum(axis=1)
    angle: Array = np.arctan2(cross, dot)
    return angle


def _directions(graph: Graph) -> tuple[Array, Array]:
    """Return in which direction each edge arrives and leaves, (m, 2) x and y each."""
    points = graph.coordinates
    if points is None:
        msg = "costs of left and right turns need coordinates: leave them out, or give coordinates."
        raise GraphError(msg)
    tails, heads, _ = graph.edges()
    start, end = points[tails], points[heads]
    before, after = start.copy(), end.copy()  # the points next to the ends
    if graph.shapes is not None:
        low, high = graph.shapes.indptr[:-1], graph.shapes.indptr[1:]
        bent = high > low
        before[bent] = graph.shapes.points[high[bent] - 1]
        after[bent] = graph.shapes.points[low[bent]]
    scale = np.ones((graph.m, 2))
    if in_degrees(points):
        scale[:, 0] = np.cos(np.radians(start[:, 1]))
    return (end - before) * scale, (after - start) * scale
