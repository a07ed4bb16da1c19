"""Routes through several stops, against all orders."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest

import warpath as wp
from support.simple_paths import random_graphs
from warpath.base.errors import (
    DistanceOverflowError,
    InputError,
    NoPathError,
    NotSupportedError,
)
from warpath.graph.turns import Turns


def test_it_is_the_shortest_paths_between_the_stops():
    town = wp.generate.road(300, seed=1)
    stops = [5, 80, 80, 3, 299]
    for back in (False, True):
        route = wp.route_through(town, stops, round_trip=back)
        legs = [wp.path(town, u, v) for u, v in pairwise([*stops, *([5] if back else [])])]
        assert route.length == sum(leg.length for leg in legs)
        assert route.length == route.weights.sum()
        indices = [v for leg in legs for v in leg.indices.tolist()[1:]]
        assert route.indices.tolist() == [5, *indices]
        src, dst, _ = town.edges()
        assert src[route.edges].tolist() == route.indices[:-1].tolist()
        assert dst[route.edges].tolist() == route.indices[1:].tolist()
        assert route.order == ((0, 1, 2, 3, 4, 0) if back else (0, 1, 2, 3, 4))
    assert wp.prepare(town).route_through(stops).length == wp.route_through(town, stops).length


def orders(dist, *, back):
    """Yield the total and the order of all orders that are routes."""
    k = len(dist)
    middle = range(1, k) if back else range(1, k - 1)
    for part in permutations(middle):
        order = (0, *part, 0 if back else k - 1)
        total = sum(dist[u][v] for u, v in pairwise(order))
        if total < float("inf"):
            yield total, order


@pytest.mark.parametrize("dtype", [np.int32, np.float64])
def test_the_best_order_is_the_first_of_the_shortest_ones(dtype):
    rng, reached = np.random.default_rng(4), 0
    for graph, *_ in random_graphs(13, 200, dtype):
        stops = rng.integers(0, graph.n, rng.integers(2, 7)).tolist()
        back = bool(rng.integers(0, 2))
        dist = wp.distances(graph, stops, stops).dist.astype(float)
        dist[dist > 1e9] = np.inf
        every = list(orders(dist.tolist(), back=back))
        if not every:
            with pytest.raises(NoPathError, match="no order of the stops is a route: "):
                wp.route_through(graph, stops, order="best", round_trip=back)
            continue
        reached += 1
        route = wp.route_through(graph, stops, order="best", round_trip=back)
        assert (route.length, route.order) == min(every)
    assert reached > 40


def test_twelve_stops_are_ordered_and_labels_are_stops():
    line = [(f"v{i}", f"v{i + 1}", 1 + i) for i in range(20)]
    graph = wp.Graph.of(line, directed=False)
    stops = ["v0", "v9", "v3", "v11", "v1", "v8", "v2", "v17", "v5", "v4", "v6", "v20"]
    route = wp.route_through(graph, stops, order="best")
    assert route.length == wp.path(graph, "v0", "v20").length
    assert [stops[at] for at in route.order] == sorted(stops, key=lambda name: int(name[1:]))
    tour = wp.route_through(graph, stops, order="best", round_trip=True)
    assert tour.length == 2 * route.length
    assert list(wp.route_through(graph, ["v3", "v3"])) == ["v3", "v3"][:1]


def test_turns_hold_on_each_leg():
    rows = wp.Graph.from_edges([0, 1, 1, 3], [1, 2, 3, 2], [1, 1, 1, 1])
    turns = Turns([[0, 1]], np.full(4, -1))  # not straight on from 0 -> 1 -> 2
    graph = wp.Graph(rows.indptr, rows.indices, rows.weights, turns=turns)
    assert list(wp.route_through(graph, [0, 2])) == [0, 1, 3, 2]
    route = wp.route_through(graph, [0, 1, 2])
    assert (list(route), route.length, route.weights.tolist()) == ([0, 1, 2], 2, [1, 1])


def test_closed_vertices_may_be_stops():
    edges = [0, 1, 2, 3], [2, 2, 3, 0], [1, 1, 1, 1]
    graph = wp.Graph.from_edges(*edges, n=4, first_through=2)
    route = wp.route_through(graph, [1, 3, 0, 2])
    assert list(route) == [1, 2, 3, 0, 2]


def test_wrong_stops_are_named():
    streets = [(0, 1, 2), (1, 2, 5)]
    for stops, options, error, message in (
        ([0], {}, InputError, r"stops = \[0\] must be two vertices or more"),
        ([], {}, InputError, "stops"),
        ({0, 1}, {}, InputError, "stops is a set, which has no order"),
        ([0, 7], {}, InputError, "stops"),
        ([0, 1.5], {}, InputError, "1.5 is not a vertex"),
        ([0, 2], {"order": "shortest"}, InputError, "order = 'shortest' must be 'given' or 'best'"),
        ([0, 2], {"order": np.array(["best", "given"])}, InputError, r"order = .* must be 'given'"),
        ([0, 2], {"round_trip": 1}, InputError, "round_trip"),
        ([0, 1] * 7, {"order": "best"}, InputError, "at most 12 stops, and there are 14: give the"),
        ([2, 0], {}, NoPathError, "no path leads from 2 to 0"),
        ([2, 1, 0], {"order": "best"}, NoPathError, "is a route: no path leads from 2 to 0"),
    ):
        with pytest.raises(error, match=message):
            wp.route_through(streets, stops, **options)
    long = wp.Graph.of([(0, 1, 2**62), (1, 0, 2**62)])
    with pytest.raises(
        DistanceOverflowError, match=r"length of the route, 9,223,\S+, does not fit"
    ):
        wp.route_through(long, [0, 1, 0])
    graph = wp.Graph.of(streets).with_coordinates([(0, 0), (0.01, 0), (0.02, 0)])
    with pytest.raises(NotSupportedError, match="use Place"):
        wp.route_through(graph, [0, wp.Place(0.004, 0)])
    place = wp.Place(0.019, 0, snap="vertex", name="shop")
    route = wp.route_through(graph, [0, place])
    assert (route.names, len(route.snapped)) == ({2: "shop"}, 1)
