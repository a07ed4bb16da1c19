"""Several routes of graphs with turns, against all routes of small graphs in plain Python."""

from __future__ import annotations

import itertools
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import assume, given

import warpath as wp
from support.turned import check_route, following, turned
from warpath.base.errors import NegativeWeightError, NoPathError, NotSupportedError
from warpath.graph.turns import Turns

ENDS = [(s, t) for s in range(5) for t in range(5) if s != t]


def every_route(graph, source, target, may_follow):
    """Return (length, edges) of every route, by length, then by edges.

    Parameters
    ----------
    may_follow : says by the edges before, the edge and the length with it whether a route has it.
    """
    tails, heads, weights = graph.edges()
    found = []

    def go(path, length):
        if not may_follow(path[:-1], path[-1], length):
            return
        if heads[path[-1]] == target:
            found.append((length, path))
        for e, cost in following(graph, tuple(path)):
            go([*path, e], length + int(weights[e]) + cost)

    for e in np.flatnonzero(tails == source).tolist():
        go([e], int(weights[e]))
    return sorted(found)


def simple_routes(graph, source, target):
    heads = graph.indices.tolist()

    def may_follow(before, edge, _length):
        passed = [source, *(heads[e] for e in before)]
        return heads[edge] not in passed and target not in passed

    return every_route(graph, source, target, may_follow)


def pairs_alone(graph):
    return not (graph.turns.banned[:, 2:] >= 0).any()


def found_routes(call, graph, source, target, *rest, **options):
    try:
        routes = list(call(graph, source, target, *rest, **options))
    except NoPathError:
        return []
    for route in routes:
        check_route(graph, route, source, target)
    return [(route.length, route.edges.tolist()) for route in routes]


@given(turned())
def test_k_shortest_paths_are_all_routes_that_pass_no_vertex_twice(graph):
    for s, t in ENDS:
        expected = simple_routes(graph, s, t)
        found = found_routes(wp.k_shortest_paths, graph, s, t)
        assert sorted(found) == expected
        assert [length for length, _ in found] == [length for length, _ in expected]
        if pairs_alone(graph):
            assert found == expected
        assert (
            found_routes(wp.k_shortest_paths, graph, s, t, 2, max_length=9)
            == [route for route in found if route[0] <= 9][:2]
        )


@given(turned())
def test_all_shortest_paths_are_as_long_as_the_route_of_path(graph):
    graph = wp.Graph(
        graph.indptr,
        graph.indices,
        graph.weights + 1,
        turns=graph.turns,
        coordinates=graph.coordinates,
    )
    rest = wp.apsp(wp.Graph(graph.indptr, graph.indices, graph.weights)).dist.astype(float)
    for s, t in ENDS:
        found = found_routes(wp.all_shortest_paths, graph, s, t)
        if not found:
            with pytest.raises(NoPathError):
                wp.path(graph, s, t)
            continue
        least = wp.path(graph, s, t).length

        def may_follow(_before, edge, length, rest=rest[:, t], least=least):
            return length + rest[graph.indices[edge]] <= least

        assert sorted(found) == every_route(graph, s, t, may_follow)


@given(turned())
def test_disjoint_routes_have_the_least_total_of_all_that_share_no_edge(graph):
    assume(pairs_alone(graph))
    for s, t in ENDS:
        steps = itertools.count()

        def may_follow(before, edge, _length, steps=steps):
            return edge not in before and next(steps) < 600

        every = every_route(graph, s, t, may_follow)
        if len(every) > 20 or next(steps) >= 600:
            continue
        for k in (1, 2, 3):
            totals = [
                sum(length for length, _ in routes)
                for routes in combinations(every, k)
                if all(not {*a[1]} & {*b[1]} for a, b in combinations(routes, 2))
            ]
            found = found_routes(wp.disjoint_paths, graph, s, t, k)
            assert found == sorted(found)
            if not totals:
                assert not found
                continue
            assert all(route in every for route in found)
            assert sum(length for length, _ in found) == min(totals)
            assert all(not {*a[1]} & {*b[1]} for a, b in combinations(found, 2))


def least_between(graph, start, goal):
    """Return the least cost from the end of an edge to the end of another one, with turns."""
    weights, label, waiting = graph.weights.tolist(), {start: 0}, [start]
    while waiting:
        edge = waiting.pop()
        for f, cost in following(graph, (edge,)):
            total = label[edge] + cost + weights[f]
            if total < label.get(f, np.inf):
                label[f] = total
                waiting.append(f)
    return label[goal]


@given(turned())
def test_alternatives_keep_their_bounds(graph):
    assume(pairs_alone(graph))
    for s, t in ENDS:
        bounds = {"sharing": 0.6, "stretch": 1.7, "local": 0.4}
        found = found_routes(wp.alternatives, graph, s, t, 4, **bounds)
        if not found:
            with pytest.raises(NoPathError):
                wp.path(graph, s, t)
            continue
        routes = wp.alternatives(graph, s, t, 4, **bounds)
        shortest = wp.path(graph, s, t)
        assert found[0] == (shortest.length, shortest.edges.tolist())
        assert len({tuple(edges) for _, edges in found}) == len(found)
        taken = set()
        for route, (length, edges) in zip(routes, found, strict=True):
            turns = list(pairwise([-1, *edges]))
            weights = route.weights.tolist()
            shared = sum(w for turn, w in zip(turns, weights, strict=True) if turn in taken)
            taken.update(turns)
            assert length <= 1.7 * shortest.length
            if route is not routes[0]:
                assert shared <= 0.6 * shortest.length
                assert shortest.length == 0 or route.sharing == shared / shortest.length
            for i, j in combinations(range(len(edges)), 2):
                part = sum(weights[i + 1 : j + 1])
                if part <= 0.4 * shortest.length:
                    assert part == least_between(graph, edges[i], edges[j])


def with_turns(edges, banned, **options):
    rows = wp.Graph.from_edges(*np.array(edges).T)
    turns = Turns(banned, options.pop("back", np.full(rows.m, -1)), **options)
    return wp.Graph(rows.indptr, rows.indices, rows.weights, turns=turns)


def test_a_route_that_passes_a_vertex_twice_is_no_simple_one():
    # From 0 over 1 to 3 one must go around the block 1, 2, 4.
    edges = [(0, 1, 1), (1, 2, 1), (1, 3, 1), (2, 4, 1), (4, 1, 1)]
    graph = with_turns([*edges, (0, 3, 9)], [[0, 3]])
    assert wp.path(graph, 0, 3).length == 5
    assert [list(route) for route in wp.k_shortest_paths(graph, 0, 3)] == [[0, 3]]
    assert [list(route) for route in wp.all_shortest_paths(graph, 0, 3)] == [[0, 1, 2, 4, 1, 3]]
    alone = with_turns(edges, [[0, 2]])
    message = "no route leads from 0 to 3 without passing a vertex twice: turns .*all_shortest"
    with pytest.raises(NoPathError, match=message):
        next(wp.k_shortest_paths(alone, 0, 3))
    with pytest.raises(NoPathError, match="no path leads from 3 to 0"):
        next(wp.k_shortest_paths(alone, 3, 0))
    with pytest.raises(NoPathError, match="no path leads from 0 to 3 within 4"):
        next(wp.k_shortest_paths(alone, 0, 3, max_length=4))


def test_what_turns_make_hard_is_refused_by_name():
    edges = [(0, 1, 1), (1, 2, 1), (2, 3, 1)]
    graph = with_turns(edges, [[0, 1]])
    with pytest.raises(NotSupportedError, match=r"by='vertices' of a graph with turns: use by="):
        wp.disjoint_paths(graph, 0, 2, by="vertices")
    with pytest.raises(NotSupportedError, match="forbidden sequences of three or more edges"):
        wp.disjoint_paths(with_turns(edges, [[0, 1, 2]]), 0, 3)
    with pytest.raises(NotSupportedError, match="count_shortest_paths does not support turns"):
        wp.count_shortest_paths(graph, 0)
    below = with_turns(edges, [[0, 1]], back=[-1, -1, -1], u_turn=0)
    below = below.with_weights(np.array([1, -1, 1]))
    with pytest.raises(NegativeWeightError, match="k_shortest_paths needs weights of 0 or more"):
        wp.k_shortest_paths(below, 0, 2)
