"""Small graphs with turns, and the rules of their routes in plain Python."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import strategies as st

import warpath as wp
from warpath.graph.turns import Turns

if TYPE_CHECKING:
    from collections.abc import Iterator

ROAD = st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 9), st.booleans())
FAR = np.iinfo(np.int64).max


POINTS = [(0, 0), (2, 1), (1, 3), (-2, 2), (3, -1)]  # no turn by exactly 45 degrees


@st.composite
def turned(draw: Any) -> wp.Graph:
    """Draw one-way and two-way roads with forbidden sequences and costs of turns."""
    roads = draw(st.lists(ROAD, min_size=1, max_size=7))
    edges = [(u, v, w, at) for at, (u, v, w, _) in enumerate(roads)]
    edges += [(v, u, w, at) for at, (u, v, w, both) in enumerate(roads) if both]
    src, dst, weights, road = np.array(edges).T
    plain = wp.Graph.from_edges(src, dst, weights, n=5, keep_rows=True)
    road, m = road[plain.given.rows], plain.m
    back = np.full(m, -1)
    for e, f in itertools.permutations(range(m), 2):
        if road[e] == road[f]:
            back[e] = f
    banned = [draw(walk(plain)) for _ in range(draw(st.integers(0, 8)))]
    longest = max(map(len, banned), default=2)
    turns = Turns(
        np.array([row + [-1] * (longest - len(row)) for row in banned if len(row) > 1]),
        back,
        left=draw(st.sampled_from([0, 2])),
        right=draw(st.sampled_from([0, 1])),
        u_turn=draw(st.sampled_from([None, 0, 3])),
    )
    return wp.Graph(plain.indptr, plain.indices, plain.weights, turns=turns, coordinates=POINTS)


@st.composite
def walk(draw: Any, graph: wp.Graph) -> list[int]:
    """Draw one to four edges that follow one another."""
    edges = [draw(st.integers(0, graph.m - 1))]
    for _ in range(draw(st.integers(1, 3))):
        head = graph.indices[edges[-1]]
        row = range(graph.indptr[head], graph.indptr[head + 1])
        edges += [draw(st.sampled_from(row))] if row else []
    return edges


def following(graph: wp.Graph, path: tuple[int, ...]) -> Iterator[tuple[int, Any]]:
    """Yield the edges that may follow the last edges of a path, with what the turn adds."""
    turns, e = graph.turns, path[-1]
    head = graph.indices[e]
    row = range(graph.indptr[head], graph.indptr[head + 1])
    others = len(row) - (turns.back[e] >= 0)
    banned = {tuple(f for f in one if f >= 0) for one in turns.banned.tolist()}
    for f in row:
        longer = (*path, f)
        if any(longer[-k:] in banned for k in range(2, len(longer) + 1)):
            continue
        if turns.back[e] == f:
            if turns.u_turn is not None or not others:
                yield f, turns.u_turn or 0
        else:
            yield f, side(graph, e, f) if others > 1 else 0


def side(graph: wp.Graph, e: int, f: int) -> Any:
    """Return what a turn by more than 45 degrees adds."""
    tails, heads, _ = graph.edges()
    points: Any = graph.coordinates
    (ax, ay), (bx, by), (cx, cy) = points[[tails[e], heads[e], heads[f]]].astype(int)
    cross = (bx - ax) * (cy - by) - (by - ay) * (cx - bx)
    dot = (bx - ax) * (cx - bx) + (by - ay) * (cy - by)
    if abs(cross) <= dot or cross == dot == 0:
        return 0
    return graph.turns.left if cross >= 0 else graph.turns.right


def labels_from(graph: wp.Graph, source: int) -> list[int]:
    """Return the distance of each vertex, by relaxing the last edges of paths."""
    tails, heads, weights = graph.edges()
    last = graph.turns.banned.shape[1] - 1
    label: dict[tuple[int, ...], int] = {
        (e,): int(weights[e]) for e in range(graph.m) if tails[e] == source
    }
    waiting = list(label)
    while waiting:
        path = waiting.pop()
        for f, cost in following(graph, path):
            after, dist = (*path, f)[-last:], int(label[path] + cost + weights[f])
            if dist < label.get(after, FAR):
                label[after] = dist
                waiting.append(after)
    rows: list[int] = [int(FAR)] * graph.n
    for path, found in label.items():
        rows[heads[path[-1]]] = min(rows[heads[path[-1]]], found)
    rows[source] = 0
    return rows


def check_route(graph: wp.Graph, route: wp.Route, source: int, target: int) -> None:
    """Check that the edges of a route follow one another as they may, and add up to its length."""
    tails, heads, weights = graph.edges()
    edges = route.edges.tolist()
    assert (route.source, route.target) == (source, target)
    assert tails[edges].tolist() == route.indices[:-1].tolist()
    assert heads[edges].tolist() == route.indices[1:].tolist()
    length = int(weights[edges[0]]) if edges else 0
    for at in range(1, len(edges)):
        cost = dict(following(graph, tuple(edges[:at])))[edges[at]]
        length += cost + int(weights[edges[at]])
    assert length == route.length == route.weights.sum()
