"""The certificate of routes accepts those of each call and names what breaks others."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import warpath as wp
from support.simple_paths import DTYPES, random_graphs
from support.turned import turned
from warpath.base.errors import (
    GraphError,
    InputError,
    NoPathError,
    NotSupportedError,
    VerificationError,
)
from warpath.graph.turns import Turns
from warpath.results.route import Route

STREETS = wp.Graph.of([(0, 1, 2), (1, 2, 5), (0, 2, 9), (1, 3, 1), (3, 2, 5)])


def routes_or_none(call, *arguments, **options):
    try:
        return list(call(*arguments, **options))
    except NoPathError:
        return []


@given(turned())
@settings(max_examples=40)
def test_routes_with_turns_are_certified_and_fewer_are_not(graph):
    pairs_alone = not (graph.turns.banned[:, 2:] >= 0).any()
    second = np.arange(graph.m) % 4
    for s, t in ((0, 1), (2, 0), (1, 4)):
        every = routes_or_none(wp.k_shortest_paths, graph, s, t)
        if every:
            assert wp.verify(graph, every, claim="k_shortest").routes == len(every)
            shorter = [at for at, route in enumerate(every) if route.length < every[-1].length]
            for gone in shorter[:2]:
                with pytest.raises(VerificationError, match="is missing, which is shorter"):
                    wp.verify(graph, [*every[:gone], *every[gone + 1 :]], claim="k_shortest")
        if not (different := routes_or_none(wp.alternatives, graph, s, t, 4, local=0.3)):
            continue
        wp.verify(graph, different, claim="alternatives")
        if pairs_alone and graph.directed:
            for k in (1, 2):
                if routes := routes_or_none(wp.disjoint_paths, graph, s, t, k):
                    wp.verify(graph, routes, claim="disjoint")
        frontier = list(wp.pareto_paths(graph, s, t, second))
        wp.verify(graph, frontier, claim="pareto", second=second)
        if len(frontier) > 1:
            with pytest.raises(VerificationError, match=r"a route of the costs .* is missing"):
                wp.verify(graph, frontier[1:], claim="pareto", second=second)


def test_forbidden_turns_and_longer_pairs_of_routes_are_named():
    edges = [(0, 1, 1), (0, 2, 2), (1, 3, 1), (2, 1, 1), (2, 3, 3)]
    rows = wp.Graph.of(edges)
    back = np.full(rows.m, -1)
    graph = rows._like(rows.indptr, rows.indices, rows.weights, turns=Turns([[0, 2]], back))
    free = wp.path(rows, 0, 3)
    with pytest.raises(VerificationError, match=r"route 0: the turn from edge 0 to edge 2 is for"):
        wp.verify(graph, free)
    best = wp.path(graph, 0, 3)
    proof = wp.verify(graph, best, claim="disjoint")
    assert (best.length, proof.routes, proof.edges) == (4, 1, 3)
    other = next(r for r in wp.k_shortest_paths(graph, 0, 3) if r.length == 5)
    with pytest.raises(VerificationError, match="total length is 5, and others' is 5 -1"):
        wp.verify(graph, other, claim="disjoint")
    with pytest.raises(NotSupportedError, match="'vertex_disjoint' of a graph with turns: use"):
        wp.verify(graph, best, claim="vertex_disjoint")


@pytest.mark.parametrize("dtype", DTYPES)
def test_routes_of_each_call_are_certified_and_fewer_are_not(dtype):
    missing = 0
    for graph, s, t in random_graphs(11, 150, dtype):
        every = routes_or_none(wp.k_shortest_paths, graph, s, t)
        if not every:
            continue
        assert wp.verify(graph, every, claim="k_shortest").routes == len(every)
        assert wp.verify(graph, every[:3], claim="k_shortest").routes == len(every[:3])
        shorter = [at for at, route in enumerate(every) if route.length < every[-1].length]
        for gone in shorter[:2]:
            with pytest.raises(VerificationError, match="is missing, which is shorter"):
                wp.verify(graph, [*every[:gone], *every[gone + 1 :]], claim="k_shortest")
            missing += 1
        wp.verify(graph, wp.alternatives(graph, s, t, 4, local=0.3), claim="alternatives")
        if s != t:
            for by, claim in (("edges", "disjoint"), ("vertices", "vertex_disjoint")):
                for k in (1, 2, 3):
                    routes = routes_or_none(wp.disjoint_paths, graph, s, t, k, by)
                    if routes:
                        wp.verify(graph, routes, claim=claim)
        second = np.random.default_rng(graph.m).integers(0, 9, graph.n)
        second = second[graph.edges()[0]] + second[graph.edges()[1]]  # the same both ways
        frontier = routes_or_none(wp.pareto_paths, graph, s, t, second)
        wp.verify(graph, frontier, claim="pareto", second=second)
        best = wp.constrained_path(graph, s, t, second, frontier[-1].second)
        about = {"claim": "constrained", "second": second, "limit": frontier[-1].second}
        wp.verify(graph, best, **about)
        for gone in range(len(frontier) > 1 and len(frontier)):
            with pytest.raises(VerificationError, match=r"a route of the costs .* is missing"):
                wp.verify(
                    graph, frontier[:gone] + frontier[gone + 1 :], claim="pareto", second=second
                )
    assert missing > 30


@pytest.mark.parametrize("claim", ["disjoint", "vertex_disjoint"])
def test_disjoint_routes_of_a_larger_total_are_refused(claim):
    refused = 0
    for graph, s, t in random_graphs(12, 200):
        by = "edges" if claim == "disjoint" else "vertices"
        best = routes_or_none(wp.disjoint_paths, graph, s, t, 2, by) if s != t else []
        if not best:
            continue
        total = sum(route.length for route in best)
        every = list(wp.k_shortest_paths(graph, s, t))
        for one in every:
            for other in every:
                if one.length > other.length or one is other:
                    continue
                try:
                    wp.verify(graph, [one, other], claim=claim)
                except VerificationError:
                    refused += one.length + other.length > total
                else:
                    assert one.length + other.length == total
    assert refused > 20


def changed(route, **parts):
    given = {"edges": route.edges, "weights": route.weights, **parts}
    length, indices = given.pop("length", route.length), given.pop("indices", route.indices)
    found = Route(route.graph, indices, length, **given)
    found.sharing, found.stretch, found.local = route.sharing, route.stretch, route.local
    return found


def test_what_is_wrong_with_a_route_is_named():
    routes = list(wp.k_shortest_paths(STREETS, 0, 2))
    first, other = routes[0], wp.path(STREETS, 0, 3)
    assert str(wp.verify(STREETS, first)) == "verified exactly: 1 route of 2 edges"
    for wrong, message in (
        (changed(first, length=6), "route 0: its length is 6, but its edges add up to 7"),
        (changed(first, edges=first.edges[::-1]), "edge 2 does not lead from 0 to 1"),
        ([first, other], "route 1: it has other ends than route 0"),
        ([first, first], "route 1: it is route 0 again"),
    ):
        with pytest.raises(VerificationError, match=message):
            wp.verify(STREETS, wrong)
    with pytest.raises(VerificationError, match="its length 7 is below that before, 8"):
        wp.verify(STREETS, [routes[1], routes[0]], claim="k_shortest")
    with pytest.raises(VerificationError, match="routes share an edge"):
        wp.verify(STREETS, routes[:2], claim="disjoint")
    for name in ("sharing", "stretch", "local"):
        alternative = wp.alternatives(STREETS, 0, 2, local=0.1)
        setattr(alternative[1], name, 3.0)
        with pytest.raises(VerificationError, match=rf"its {name} is 3\.0|is not a shortest path"):
            wp.verify(STREETS, alternative, claim="alternatives")


def test_routes_of_a_road_network_are_certified():
    town = wp.generate.road(3000)
    climb = np.random.default_rng(0).integers(0, 9, town.m)
    routes = list(wp.k_shortest_paths(town, 0, 2500, 10))
    certificate = wp.verify(town, routes, claim="k_shortest")
    assert str(certificate).endswith(
        "; no other route that passes no vertex twice is shorter than the last"
    )
    wp.verify(town, wp.alternatives(town, 0, 2500), claim="alternatives")
    for claim in ("disjoint", "vertex_disjoint"):
        by = "edges" if claim == "disjoint" else "vertices"
        wp.verify(town, wp.disjoint_paths(town, 0, 2500, by=by), claim=claim)
    wp.verify(town, list(wp.pareto_paths(town, 0, 900, climb)), claim="pareto", second=climb)


def test_claims_that_cannot_be_checked_are_refused_by_name():
    route = wp.path(STREETS, 0, 2)
    for options, message in (
        ({"claim": "best"}, "claim='best' is not valid: use 'k_shortest', 'alternatives'"),
        ({"claim": "pareto"}, "claim='pareto' needs second=, the second cost"),
        ({"second": [1] * 5}, "claim=None does not take second=, the second"),
        ({"claim": "constrained", "second": [1] * 5}, "'constrained' needs limit= and one route"),
        ({"claim": "pareto", "second": [1] * 5, "limit": "x"}, "limit='x' must be a number"),
        ({"claim": "pareto", "second": [1, np.nan, 1, 1, 1]}, r"second\[1\] = nan"),
        ({"claim": "pareto", "second": [1]}, "second has 1 entries"),
        ({"source": 0}, "source= has no effect on routes"),
        ({"tree": "any"}, "tree='any' has no effect on routes"),
    ):
        with pytest.raises((InputError, GraphError), match=message):
            wp.verify(STREETS, route, **options)
    with pytest.raises(InputError, match=r"claim= is about a list of routes.*list\(routes\)"):
        wp.verify(STREETS, wp.k_shortest_paths(STREETS, 0, 2), claim="k_shortest")
    with pytest.raises(InputError, match="must not contain anything else"):
        wp.verify(STREETS, [route, 3])
    with pytest.raises(InputError, match="route 0 does not belong to this graph"):
        wp.verify([(0, 1, 1)], route)
    with pytest.raises(NotSupportedError, match="weights of 0 or more"):
        wp.verify([(0, 1, -1), (1, 2, 4)], route)
