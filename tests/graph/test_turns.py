"""Random graphs with turns, beside a search over pairs of edges in plain Python."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import warpath as wp
from warpath.base.errors import GraphError, NoPathError
from warpath.graph.turns import Turns, expanded

ROAD = st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 9), st.booleans())
FAR = np.iinfo(np.int64).max


@st.composite
def turned(draw):
    """Draw a graph of one-way and two-way roads with forbidden turns and a cost of U-turns."""
    roads = draw(st.lists(ROAD, min_size=1, max_size=7))
    edges = [(u, v, w, at) for at, (u, v, w, _) in enumerate(roads)]
    edges += [(v, u, w, at) for at, (u, v, w, both) in enumerate(roads) if both]
    src, dst, weights, road = np.array(edges).T
    plain = wp.Graph.from_edges(src, dst, weights, n=5, keep_rows=True)
    tails, heads, _ = plain.edges()
    road, m = road[plain.given.rows], plain.m
    pairs = [(e, f) for e in range(m) for f in range(m) if heads[e] == tails[f]]
    back = np.full(m, -1)
    for e, f in itertools.permutations(range(m), 2):
        if road[e] == road[f]:
            back[e] = f
    banned = draw(st.lists(st.sampled_from(pairs), max_size=len(pairs))) if pairs else []
    turns = Turns(np.array(banned), back, u_turn=draw(st.sampled_from([None, 0, 3])))
    return wp.Graph(plain.indptr, plain.indices, plain.weights, turns=turns)


def following(graph, e):
    """Yield the edges that may follow an edge, with what the turn adds."""
    turns, head = graph.turns, graph.indices[e]
    row = range(graph.indptr[head], graph.indptr[head + 1])
    for f in row:
        back = turns.back[e] == f
        dead_end = len(row) == 1
        if [e, f] in turns.banned.tolist() or (back and turns.u_turn is None and not dead_end):
            continue
        yield f, (turns.u_turn or 0) if back else 0


def labels_from(graph, source):
    """Return the distance of each vertex, by relaxing edges until nothing changes."""
    tails, heads, weights = graph.edges()
    label = {e: int(weights[e]) for e in range(graph.m) if tails[e] == source}
    waiting = list(label)
    while waiting:
        e = waiting.pop()
        for f, cost in following(graph, e):
            if label[e] + cost + weights[f] < label.get(f, FAR):
                label[f] = int(label[e] + cost + weights[f])
                waiting.append(f)
    dist = [FAR] * graph.n
    for e, found in label.items():
        dist[heads[e]] = min(dist[heads[e]], found)
    dist[source] = 0
    return dist


@given(turned())
def test_tables_pairs_and_routes_are_those_of_plain_python(graph):
    expected = [labels_from(graph, s) for s in range(graph.n)]
    assert wp.apsp(graph).dist.tolist() == expected
    everyone = np.arange(graph.n)
    trips = wp.pairs(graph, np.repeat(everyone, graph.n), np.tile(everyone, graph.n))
    assert trips.dist.tolist() == np.ravel(expected).tolist()
    for s, t in zip(trips.origins.tolist(), trips.destinations.tolist(), strict=True):
        if expected[s][t] == FAR:
            with pytest.raises(NoPathError):
                wp.path(graph, s, t)
            continue
        route = wp.path(graph, s, t)
        check_route(graph, route, s, t)
        assert route.length == expected[s][t]


def check_route(graph, route, source, target):
    """Check that the edges of a route follow one another as they may, and add up to its length."""
    tails, heads, weights = graph.edges()
    edges = route.edges.tolist()
    assert (route.source, route.target) == (source, target)
    assert tails[edges].tolist() == route.indices[:-1].tolist()
    assert heads[edges].tolist() == route.indices[1:].tolist()
    length = int(weights[edges[0]]) if edges else 0
    for e, f in itertools.pairwise(edges):
        length += dict(following(graph, e))[f] + int(weights[f])
    assert length == route.length == route.weights.sum()


@given(turned())
def test_the_reverse_has_the_same_distances_the_other_way(graph):
    if graph.turns.u_turn is not None:  # a dead end of the reverse is another vertex
        assert wp.apsp(graph.reversed()).dist.tolist() == wp.apsp(graph).dist.T.tolist()


@given(turned(), st.sets(st.integers(0, 4), min_size=1))
def test_a_subgraph_keeps_its_turns(graph, vertices):
    part = graph.subgraph(sorted(vertices))
    tails, heads, _ = part.edges()
    assert all(heads[e] == tails[f] for e, f in part.turns.banned)
    kept = sum(
        {graph.edges()[0][e], heads_of(graph)[e], heads_of(graph)[f]} <= vertices
        for e, f in graph.turns.banned
    )
    assert len(part.turns.banned) == kept


def heads_of(graph):
    return graph.indices.tolist()


def test_a_graph_without_turns_is_its_own_expanded_graph():
    graph = wp.Graph.of([(0, 1, 2)])
    assert expanded(graph) is graph


def test_turns_belong_to_the_edges():
    graph = wp.Graph.of([(0, 1, 2), (1, 2, 2)])
    for banned, back in (([[0, 2]], [-1, -1]), ([], [-1]), ([[0, -2]], [-1, -1])):
        with pytest.raises(GraphError, match="turns do not belong to the m = 2 edges"):
            wp.Graph(graph.indptr, graph.indices, turns=Turns(banned, back))
