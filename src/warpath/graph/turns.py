"""Turns at vertices: which are forbidden, what they cost, and the graph in which they are edges.

A graph with turns is *expanded*: a vertex for the start of a path at each vertex, one for each
edge, one for the end of a path at each vertex, then one for each beginning of a forbidden sequence
of three or more edges and, in a graph with areas (see `zones`), one more for each edge inside an
area: its first vertex is for paths that begin in the area, the other for paths that end there.
An arc from edge to edge is a turn. Every solver then works unchanged. Sources: Caldwell, On finding
minimum routes in a network with turn penalties, 1961; Villeneuve and Desaulniers, The shortest path
problem with forbidden paths, 2005, who find the sequences with the automaton of Aho and Corasick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import GraphError, NotEnoughMemoryError, NotSupportedError
from warpath.base.settings import memory
from warpath.graph.checks import frozen
from warpath.graph.coordinates import in_degrees
from warpath.graph.csr import order_of_transpose
from warpath.graph.derived import Derived, bytes_of_graph
from warpath.graph.search_vertices import Expanded, arrivals

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warpath.base.dtypes import Array
    from warpath.graph.csr_graph import CsrGraph, G

#: Radians. A smaller change of direction is straight on.
_STRAIGHT = np.radians(45)

#: Bytes for each pair of edges while a graph is expanded: two ids, a cost, an arc and its weight.
_PAIR_BYTES = 48


class Turns:
    """The turns of a graph: forbidden ones and costs.

    Attributes
    ----------
    banned : (b, k) int64, sequences of two to k edges, as positions in `Graph.edges`, that no path
        may follow without an edge in between; shorter ones are filled with -1.
    back : (m,) int64, the edge along the same road in the other direction; -1 if there is none.
    left, right : what a turn by 45 to 180 degrees adds to a path at a vertex with a choice of ways,
        in the unit of the weights.
    u_turn : what a turn back into the same road adds; None forbids it except at dead ends.
    honoured : number of restrictions of the file that `banned` states.
    ignored : numbers of restrictions that it does not, by the reason.
    against_travel : whether paths follow the edges against the direction of travel, as in the
        reverse of a graph: dead ends, choices of ways, left and right are those of travellers.
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
        against_travel: bool = False,
    ) -> None:
        rows = np.asarray(banned, np.int64)
        self.banned = frozen(rows if rows.ndim == 2 and rows.size else rows.reshape(-1, 2))
        self.back = frozen(np.asarray(back, np.int64))
        self.left, self.right, self.u_turn = left, right, u_turn
        self.honoured = honoured
        self.ignored = dict(ignored or {})
        self.against_travel = against_travel

    def checked(self, m: int) -> Turns:
        """Return the turns unchanged, or raise GraphError if they do not belong to m edges."""
        edges = np.concatenate([self.banned.ravel(), self.back])
        if len(self.back) != m or (len(edges) and not -1 <= edges.min() <= edges.max() < m):
            msg = f"turns do not belong to the m = {m:,} edges of the graph."
            raise GraphError(msg)
        filling = self.banned < 0
        if filling[:, :2].any() or (filling[:, :-1] & ~filling[:, 1:]).any():
            msg = "turns.banned: a forbidden sequence has two or more edges, then only -1."
            raise GraphError(msg)
        return self

    def taken(self, edges: Array) -> Turns:
        """Return the turns between some edges, which are numbered in this order."""
        position = np.full(len(self.back) + 1, -1)
        position[edges] = np.arange(len(edges))  # the last entry stays -1, for -1
        banned = position[self.banned]
        possible = ((banned >= 0) == (self.banned >= 0)).all(axis=1)
        return Turns(
            banned[possible],
            position[self.back[edges]],
            left=self.left,
            right=self.right,
            u_turn=self.u_turn,
            honoured=self.honoured,
            ignored=self.ignored,
            against_travel=self.against_travel,
        )

    def transposed(self, indptr: Array, indices: Array) -> Turns:
        """Return the turns of a graph's reversed edges, in the order of the transpose."""
        mirrored = self.taken(order_of_transpose(indptr, indices))
        rows = mirrored.banned[:, ::-1]
        column = (rows < 0).sum(axis=1, keepdims=True) + np.arange(rows.shape[1])
        mirrored.banned = frozen(np.take_along_axis(rows, column % rows.shape[1], axis=1))
        mirrored.against_travel = not self.against_travel
        return mirrored

    def report(self) -> dict[str, int]:
        """Return the numbers of restrictions, by sentences as in `Graph.read_report`."""
        ignored = {f"turn restrictions ignored, {why}": k for why, k in self.ignored.items()}
        return {"turn restrictions honoured": self.honoured} | ignored

    def __str__(self) -> str:
        singular = self.honoured == 1
        honoured = f"{self.honoured:,} restriction{'' if singular else 's'} honoured"
        ignored = ", ".join(f"{count:,} {why}" for why, count in self.ignored.items())
        return f"{honoured}{f'; ignored: {ignored}' if ignored else ''}"

    def __repr__(self) -> str:
        return f"<Turns: {self}>"


_EXPANDED: Derived[Any] = Derived(__name__, "graph with turns as edges", bytes_of_graph)
_SEQUENCES: Derived[_Sequences] = Derived(__name__, "automaton of forbidden sequences")
_STATES: Derived[Array] = Derived(__name__, "last edges of paths by state")


def expanded(graph: G) -> G:
    """Return the expanded graph, or the graph itself if it has no turns.

    O(n + m + t) for t pairs of edges that follow one another; a forbidden sequence of k edges adds
    at most k - 2 vertices, each with the turns of an edge.

    Raises
    ------
    GraphError
        If the weights are integers and a cost is not.
    """
    turns = graph.turns
    if turns is None:
        return graph
    whole: G = _EXPANDED.of(graph, lambda: _expanded(graph, turns))
    return whole


def last_edges(graph: CsrGraph, vertices: Array) -> Array:
    """Return the last edges of paths that end in vertices of the expanded graph: (k,).

    Parameters
    ----------
    vertices : (k,) vertices that stand for states.
    """
    states = Expanded.of(graph).states(vertices)
    return states if (states < graph.m).all() else edges_of_states(graph)[states]


def states_of_edges(graph: CsrGraph, edges: Array) -> tuple[Array, Array]:
    """Return the vertices of the expanded graph at which paths are whose last edge is a given one.

    Parameters
    ----------
    edges : (k,) positions in `Graph.edges`, of a graph with turns.

    Returns
    -------
    which, vertices : (s,) int64 each, ascending positions in `edges`, and the vertices.
    """
    last = edges_of_states(graph)
    order = np.argsort(last, kind="stable")
    low, high = (np.searchsorted(last[order], edges, side=side) for side in ("left", "right"))
    counts = high - low
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    states = order[np.repeat(low, counts) + within]
    vertices = Expanded.of(graph).vertices(states)
    return np.repeat(np.arange(len(edges)), counts), vertices


def homes_of_turns(graph: CsrGraph) -> Array:
    """Return a number of each vertex of the expanded graph: (n',).

    It is the same for the start of paths at a vertex and for all edges that lead to the vertex; an
    end of paths has its own.
    """
    edges = edges_of_states(graph)
    homes = np.arange(2 * graph.n + len(edges))
    homes[Expanded.of(graph).vertices(np.arange(len(edges)))] = graph.indices[edges]
    return homes


def refuse_turns(graph: CsrGraph, call: str) -> None:
    """Raise NotSupportedError if a graph has turns, which a call does not honour."""
    if graph.turns is not None:
        msg = (
            f"{call} does not honour turn restrictions and turn costs: read the file without turns "
            "for this call."
        )
        raise NotSupportedError(msg)


class _Sequences:
    """The automaton of Aho and Corasick that recognises forbidden sequences of three or more edges.

    Its states are the beginnings of sequences; state 0 is the empty one.

    Attributes
    ----------
    edges : (x,) int64, the last edges of the beginnings of two or more edges.
    """

    def __init__(self, banned: Array) -> None:
        self._next: list[dict[int, int]] = [{}]
        self._suffix, self._forbidden = [0], [False]
        parent, last = [0], [-1]
        for row in banned[(banned >= 0).sum(axis=1) > 2].tolist():
            state = 0
            for edge in row[: row.index(-1) if -1 in row else None]:
                if edge not in self._next[state]:
                    self._next[state][edge] = len(last)
                    self._next.append({})
                    self._suffix.append(0)
                    self._forbidden.append(False)
                    parent.append(state)
                    last.append(edge)
                state = self._next[state][edge]
            self._forbidden[state] = True
        order = list(self._next[0].values())
        for state in order:  # breadth-first: a suffix is shorter, and comes before
            order += self._next[state].values()
            if parent[state]:
                self._suffix[state] = self._after(self._suffix[parent[state]], last[state])
                self._forbidden[state] |= self._forbidden[self._suffix[state]]
        self._own = [state for state in order if parent[state] and not self._forbidden[state]]
        self.edges = np.array(last, np.int64)[self._own]

    def _after(self, state: int, edge: int) -> int:
        """Return the longest beginning with which a beginning and one more edge end."""
        while state and edge not in self._next[state]:
            state = self._suffix[state]
        return self._next[state].get(edge, 0)

    def turns(self, first: Array, second: Array, m: int) -> tuple[Array, Array, Array]:
        """Return the turns between states: the m edges, then the beginnings of two or more.

        Parameters
        ----------
        first, second : (t,) pairs of edges that may follow one another; `first` ascending.

        Returns
        -------
        before, after : (u,) the states.
        pair : (u,) the pair of edges of each turn, a position in `first`.
        """
        heads, longer = second.copy(), []
        number = {state: m + at for at, state in enumerate(self._own)}
        single = [(state, edge, edge) for edge, state in self._next[0].items()]
        own = zip(self._own, number.values(), self.edges.tolist(), strict=True)
        for state, tail, edge in [*single, *own]:
            for pair in range(*np.searchsorted(first, [edge, edge + 1]).tolist()):
                end = self._after(state, int(second[pair]))
                head = -1 if self._forbidden[end] else number.get(end, int(second[pair]))
                if tail < m:
                    heads[pair] = head
                else:
                    longer.append((tail, head, pair))
        more = np.array(longer, np.int64).reshape(-1, 3)
        turns = np.concatenate([np.stack([first, heads, np.arange(len(first))], axis=1), more])
        before, after, pair = turns[turns[:, 1] >= 0].T
        return before, after, pair


def _sequences(graph: CsrGraph) -> _Sequences:
    banned = np.empty((0, 2), np.int64) if graph.turns is None else graph.turns.banned
    return _SEQUENCES.of(graph, lambda: _Sequences(banned))


def edges_of_states(graph: CsrGraph) -> Array:
    """Return the last edges of paths that end in each state of a graph: (k,) int64.

    States are the edges, then the beginnings of two or more edges of forbidden sequences, then
    copies of those states whose edge is inside an area, for paths that end there.
    """

    def make() -> Array:
        edges = np.concatenate([np.arange(graph.m), _sequences(graph).edges])
        tails, heads, _ = graph.edges()
        inside = np.maximum(tails, heads)[edges] < graph.first_through if graph.areas else []
        return np.concatenate([edges, edges[np.flatnonzero(inside)]])

    return _STATES.of(graph, make)


def _expanded(graph: G, turns: Turns) -> G:
    n, m, weights = graph.n, graph.m, graph._solver_weights
    tails, heads = (ends.astype(np.int64) for ends in graph.edges()[:2])
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
    before, after, pair = _sequences(graph).turns(first, second, m)
    edges = edges_of_states(graph)
    if graph.first_through:
        before, after, pair = _without_passing(graph, edges, before, after, pair)
    starts, vertex = np.arange(n), Expanded.of(graph).vertices(np.arange(len(edges)))
    ends = arrivals(graph, starts)
    # A path from a vertex to itself has no edge: the last arcs lead from starts to ends.
    src = np.concatenate([tails, vertex[before], vertex, starts])
    dst = np.concatenate([vertex[:m], vertex[after], ends[heads[edges]], ends])
    none = np.zeros(len(edges) + n, weights.dtype)
    lengths = np.concatenate([weights, (weights[second] + added)[pair], none])
    return type(graph).from_edges(src, dst, lengths, n=2 * n + len(edges))


def _without_passing(
    graph: CsrGraph, edges: Array, before: Array, after: Array, pair: Array
) -> tuple[Array, Array, Array]:
    """Return the turns that pass no closed vertex, and no area, of a graph.

    Parameters
    ----------
    edges : as `edges_of_states` returns them.
    before, after, pair : (u,) states and pairs of edges, as `_Sequences.turns` returns them.
    """
    tails, heads, _ = graph.edges()
    closed_tail, closed_head = (ends[edges] < graph.first_through for ends in (tails, heads))
    passes = closed_head[before]
    if not graph.areas:
        return before[~passes], after[~passes], pair[~passes]
    inside = closed_tail & closed_head
    copies = np.zeros(len(edges), np.int64)
    own = len(edges) - int(inside.sum()) // 2  # without the copies
    copies[np.flatnonzero(inside[:own])] = np.arange(own, len(edges))
    begins = ~passes | inside[before]  # a path that ends in the area has the copies
    ends = passes & inside[after]
    last = np.where(inside[before], copies[before], before)[ends]
    return (
        np.concatenate([before[begins], last]),
        np.concatenate([after[begins], copies[after[ends]]]),
        np.concatenate([pair[begins], pair[ends]]),
    )


def _pairs(graph: CsrGraph) -> tuple[Array, Array]:
    """Return all pairs of edges that follow one another, (t,) each; the first ones ascend."""
    degree = np.diff(graph.indptr)
    counts = degree[graph.indices]
    need = _PAIR_BYTES * int(counts.sum())
    if need > memory():
        msg = (
            f"the turns at vertices of high degree (up to {int(degree.max()):,} edges) need about "
            f"{need:,} bytes, but {memory():,} are free: read the graph without turns."
        )
        raise NotEnoughMemoryError(msg)
    first = np.repeat(np.arange(graph.m), counts)
    inside = np.arange(len(first)) - np.repeat(np.cumsum(counts) - counts, counts)
    return first, graph.indptr[graph.indices[first]] + inside


def _costs(graph: CsrGraph, turns: Turns, first: Array, second: Array) -> tuple[Any, Any]:
    """Return the cost of each pair of edges, and whether it is allowed."""
    costs, allowed = np.zeros(len(first)), np.ones(len(first), bool)
    before, after = (second, first) if turns.against_travel else (first, second)
    u_turn = turns.back[before] == after
    exits = np.diff(graph.indptr)
    if turns.against_travel:  # the traveller leaves a vertex by the edges that lead to it
        exits = np.bincount(graph.indices, minlength=graph.n)
    others = exits[graph.indices[first]] - (turns.back[before] >= 0)
    if turns.u_turn is None:
        allowed[u_turn & (others > 0)] = False
    else:
        costs[u_turn] = turns.u_turn
    if turns.left or turns.right:
        arriving, leaving = directions(graph)
        angle = angles(arriving[first], leaving[second])
        angle = -angle if turns.against_travel else angle
        angle[angle == -np.pi] = np.pi  # straight back by another road: a left turn
        choice = ~u_turn & (others > 1)
        costs[choice & (angle > _STRAIGHT)] = turns.left
        costs[choice & (angle < -_STRAIGHT)] = turns.right
    pairs = turns.banned[(turns.banned >= 0).sum(axis=1) == 2]
    if len(pairs):
        keys = first * graph.m + second
        allowed &= ~np.isin(keys, pairs[:, 0] * graph.m + pairs[:, 1])
    return costs, allowed


def angles(arriving: Array, leaving: Array) -> Array:
    """Return the changes from one direction to another, in radians; left is positive.

    Parameters
    ----------
    arriving, leaving : (..., 2) directions.
    """
    cross = arriving[..., 0] * leaving[..., 1] - arriving[..., 1] * leaving[..., 0]
    angle: Array = np.arctan2(cross, (arriving * leaving).sum(axis=-1))
    return angle


def directions(graph: CsrGraph) -> tuple[Array, Array]:
    """Return in which direction each edge arrives and leaves, (m, 2) x and y each.

    Raises
    ------
    GraphError
        If the graph has no coordinates.
    """
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
    arriving, leaving = end - before, after - start
    if in_degrees(points):
        arriving[:, 0] *= np.cos(np.radians(end[:, 1]))
        leaving[:, 0] *= np.cos(np.radians(start[:, 1]))
    return arriving, leaving
