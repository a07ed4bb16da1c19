"""Routes of two costs, against all paths of small graphs, and the shortest within a limit."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import warpath as wp
from warpath.api import other_routes
from warpath.base.errors import (
    DistanceOverflowError,
    GraphError,
    InputError,
    NegativeWeightError,
    NoPathError,
    NotEnoughMemoryError,
    NotSupportedError,
    VertexError,
    WeightError,
)
from warpath.graph.turns import Turns

TYPES = [np.int32, np.int64, np.float32, np.float64]
STREETS = wp.Graph.of([(0, 1, 2), (1, 2, 5), (0, 2, 9), (1, 3, 1), (3, 2, 5)])
AREAS = wp.Graph.of([(0, 1, 2), (1, 2, 5)], first_through=1, areas=True)
CLIMB = [10, 0, 30, 0, 5]


def walks(graph, second, source, target, banned=()):
    """Return (length, second, edges) of every path that passes no vertex twice.

    Parameters
    ----------
    banned : pairs of edges that no path may follow; paths then pass no edge twice.
    """
    dst, weights, second = (part.tolist() for part in (*graph.edges()[1:], np.asarray(second)))
    turns = graph.turns is not None
    found = []

    def go(u, passed, edges, length, cost):
        if u == target and (edges or source == target):
            found.append((length, cost, edges))
            if not turns:
                return
        if edges and u < graph.first_through:
            return
        for e in range(graph.indptr[u], graph.indptr[u + 1]):
            mark = e if turns else dst[e]
            if mark in passed or (edges and (edges[-1], e) in banned):
                continue
            go(dst[e], passed | {mark}, [*edges, e], length + weights[e], cost + second[e])

    go(source, set() if turns else {source}, [], 0, 0)
    return found


def frontier(paths):
    """Return the paths that no other one beats; of equal costs that of the first last edges."""
    costs = {path[:2] for path in paths}
    best = [
        (a, b) for a, b in costs if not any(c <= a and d <= b for c, d in costs if (c, d) != (a, b))
    ]
    return [
        (*pair, min((p[2] for p in paths if p[:2] == pair), key=lambda edges: edges[::-1]))
        for pair in sorted(best)
    ]


def found(graph, source, target, second, **options):
    try:
        routes = list(wp.pareto_paths(graph, source, target, second, **options))
    except NoPathError:
        return []
    for route in routes:
        assert route.vertices[0] == source
        assert route.vertices[-1] == target
        assert route.along(np.asarray(second)) == route.second
        assert route.weights.sum() == route.length
        assert graph.indices[route.edges].tolist() == route.indices.tolist()[1:]
    return [(route.length, route.second, route.edges.tolist()) for route in routes]


def random_cases(seed, count, closed=0):
    """Yield small graphs with few different costs, a second cost and two vertices."""
    rng = np.random.default_rng(seed)
    for at in range(count):
        n = int(rng.integers(1, 7))
        src, dst = rng.integers(0, n, (2, int(rng.integers(0, 3 * n + 1))))
        least = at % 3 == 0
        weights = rng.integers(int(least), 4, len(src)).astype(TYPES[at % 4])
        options = {"directed": bool(rng.integers(0, 2)), "first_through": min(closed, n)}
        graph = wp.Graph.from_edges(src, dst, weights, n=n, **options)
        second = rng.integers(int(least), 4, graph.m).astype(TYPES[at // 4 % 4])
        yield (graph, *rng.integers(0, n, 2).tolist(), second), least


@pytest.mark.parametrize("closed", [0, 2])
def test_they_are_the_paths_that_no_other_path_beats(closed):
    several = 0
    for case, strict in random_cases(1, 1200, closed):
        graph, source, target, second = case
        expected = frontier(walks(graph, second, source, target))
        answer = found(*case)
        assert [path[:2] for path in answer] == [path[:2] for path in expected]
        if strict:  # edges without costs leave the choice between equal routes to the search
            assert answer == expected
        several += len(expected) > 1
    assert several > 60


@pytest.mark.parametrize("relax_after", [0, 3, 2**16])
def test_a_limit_leaves_the_routes_within_it_and_the_first_is_the_constrained_path(
    relax_after, monkeypatch
):
    monkeypatch.setattr(other_routes, "_RELAX_AFTER", relax_after)
    for case, _ in random_cases(2, 600):
        every = found(*case)
        for limit in (0, 2, 3.5, 6):
            within = [path for path in every if path[1] <= limit]
            assert found(*case, limit=limit) == within
            if within:
                route = wp.constrained_path(*case, limit)
                assert (route.length, route.second, route.edges.tolist()) == within[0]
            elif every:
                least = f"second cost within .*: the least possible is {every[-1][1]}"
                with pytest.raises(NoPathError, match=least):
                    wp.constrained_path(*case, limit)


@pytest.mark.parametrize("dtype", TYPES)
def test_the_relaxed_limit_of_a_road_network_leaves_the_route_as_it_is(dtype, monkeypatch):
    rng = np.random.default_rng(7)
    town = wp.generate.road(900)
    town = town.with_weights((town.weights * rng.random(town.m) * 2).astype(dtype) + 1)
    second = rng.integers(1, 50, town.m) if dtype == np.int64 else rng.random(town.m) + 0.1
    for source, target in rng.integers(0, town.n, (20, 2)).tolist():
        every = list(wp.pareto_paths(town, source, target, second))
        for at in {0, len(every) // 3, len(every) // 2, len(every) - 1}:
            answers = []
            for relax_after in (0, 40, 2**60):
                monkeypatch.setattr(other_routes, "_RELAX_AFTER", relax_after)
                route = wp.constrained_path(town, source, target, second, every[at].second)
                answers.append((route.length, route.second, route.edges.tolist()))
            assert answers == [(every[at].length, every[at].second, every[at].edges.tolist())] * 3


@pytest.mark.parametrize("epsilon", [0, 0.3, 1, 10])
def test_epsilon_leaves_out_routes_that_a_returned_one_stands_for(epsilon):
    for case, _ in random_cases(3, 500):
        every, some = found(*case), found(*case, epsilon=epsilon)
        assert set(map(str, some)) <= set(map(str, every))
        assert every[:1] == some[:1]
        for length, second, _ in every:
            assert any(a <= length and b <= (1 + epsilon) * second for a, b, _ in some)
        assert epsilon or some == every


def test_epsilon_leaves_out_a_second_cost_of_just_the_share():
    graph = wp.Graph.of([(0, 1, 1), (1, 3, 0), (0, 2, 2), (2, 3, 0)])
    for second, count in ((6, 1), (5, 1), (4, 2)):
        assert len(list(wp.pareto_paths(graph, 0, 3, [10, second, 0, 0], epsilon=1))) == count


def test_rounded_sums_are_within_rounding_of_the_frontier():
    rng = np.random.default_rng(4)
    for case, _ in random_cases(5, 300):
        graph, source, target, _ = case
        graph = graph.with_weights(rng.random(graph.m))
        second = rng.random(graph.m)
        paths = walks(graph, second, source, target)
        costs = (
            [
                (route.length, route.second)
                for route in wp.pareto_paths(graph, source, target, second)
            ]
            if paths
            else []
        )
        seconds = [b for _, b in costs]
        assert seconds == sorted(seconds, reverse=True)
        for length, cost, _ in paths:
            assert any(a <= length * (1 + 1e-12) and b <= cost * (1 + 1e-12) for a, b in costs)


def test_turns_are_honoured_and_a_route_may_pass_a_vertex_twice():
    rng = np.random.default_rng(6)
    twice = 0
    for _ in range(400):
        n = int(rng.integers(2, 5))
        src, dst = rng.integers(0, n, (2, int(rng.integers(2, 9))))
        rows = wp.Graph.from_edges(src, dst, rng.integers(1, 4, len(src)), n=n)
        src, dst, _ = rows.edges()
        follow = [(e, f) for e in range(rows.m) for f in range(rows.m) if dst[e] == src[f]]
        banned = [pair for pair in follow if rng.random() < 0.4]
        turns = Turns(np.array(banned), np.full(rows.m, -1))
        graph = wp.Graph(rows.indptr, rows.indices, rows.weights, turns=turns)
        second = rng.integers(1, 4, rows.m)
        source, target = rng.choice(n, 2, replace=False).tolist()
        expected = frontier(walks(graph, second, source, target, banned))
        answer = found(graph, source, target, second)
        assert [path[:2] for path in answer] == [path[:2] for path in expected]
        twice += any(len(set(dst[path[2]].tolist())) < len(path[2]) for path in answer)
    assert twice


def test_costs_of_turns_add_to_the_length_alone():
    rows = wp.Graph.of([(0, 1, 1), (1, 2, 1), (1, 3, 1)])
    points = [(0, 0), (1, 0), (1, 1), (1, -1)]
    turns = Turns(np.empty((0, 2), int), [-1, -1, -1], left=5)
    graph = wp.Graph(rows.indptr, rows.indices, rows.weights, coordinates=points, turns=turns)
    (route,) = wp.pareto_paths(graph, 0, 2, [4, 4, 4])
    assert (route.length, route.second, route.weights.tolist()) == (7, 8, [1, 6])


def test_a_road_network_has_the_lengths_of_single_searches_at_both_ends():
    road = wp.generate.road(3000)
    second = np.random.default_rng(8).integers(1, 1000, road.m)
    other, solver = road.with_weights(second), wp.Solver(road)
    routes = list(solver.pareto_paths(0, 2500, second))
    assert routes[0].length == wp.path(road, 0, 2500).length
    assert routes[-1].second == wp.path(other, 0, 2500).length
    assert len(routes) > 20
    for before, after in pairwise(routes):
        assert before.length < after.length
        assert before.second > after.second
    middle = routes[len(routes) // 2]
    assert solver.constrained_path(0, 2500, second, middle.second).length == middle.length
    swapped = list(wp.pareto_paths(other, 0, 2500, road.weights))
    assert [(r.second, r.length) for r in swapped] == [(r.length, r.second) for r in routes][::-1]


def test_the_second_cost_may_be_a_column_or_a_unit_with_limits_in_its_unit():
    columns = {"source": ["a", "a", "b"], "target": ["b", "c", "c"], "metres": [100, 900, 100]}
    table = columns | {"climb": [1.5, 0, 0.5], "speed_kph": [6, 60, 6]}
    graph = wp.Graph.of(table, weight="metres", attributes="all", unit="m")
    shown = [(r.length, r.second, list(r)) for r in wp.pareto_paths(graph, "a", "c", "climb")]
    assert shown == [(200, 2.0, ["a", "b", "c"]), (900, 0.0, ["a", "c"])]
    assert wp.constrained_path(graph, "a", "c", "minutes", "90s").length == 900
    assert wp.constrained_path(graph, "a", "c", "minutes", 2.5).second == pytest.approx(2)
    assert repr(next(wp.pareto_paths(graph, "a", "c", "climb"))) == (
        "<Route of length 200 and second cost 2.0 over 2 edges: 'a' -> 'b' -> 'c'>"
    )


def test_labels_that_fill_the_memory_end_the_routes_with_an_error():
    road = wp.generate.grid(30, 30)
    rng = np.random.default_rng(9)
    road, second = road.with_weights(rng.integers(1, 99, road.m)), rng.integers(1, 99, road.m)
    every = [route.length for route in wp.pareto_paths(road, 0, 899, second)]
    some, routes = [], wp.pareto_paths(road, 0, 899, second, memory="400K")
    with pytest.raises(
        NotEnoughMemoryError, match=r"labels of the search fill 400.0 KiB after \d+"
    ):
        some.extend(route.length for route in routes)
    assert 0 < len(some) < len(every)
    assert some == every[: len(some)]
    with pytest.raises(NotEnoughMemoryError, match="after 0 routes: give a limit"):
        next(wp.pareto_paths(road, 0, 899, second, memory=0))


def test_a_vertex_is_a_route_to_itself():
    (route,) = wp.pareto_paths(STREETS, 2, 2, CLIMB)
    assert (route.length, route.second, list(route)) == (0, 0, [2])
    (route,) = wp.pareto_paths(wp.Graph.from_edges([], [], n=1), 0, 0, np.empty(0))
    assert (route.length, route.second, list(route)) == (0, 0.0, [0])


def test_arrays_that_changed_between_calls_are_not_mistaken_for_each_other():
    second = np.array(CLIMB)
    assert wp.constrained_path(STREETS, 0, 2, second, 20).second == 15
    second[-1] = 1
    assert wp.constrained_path(STREETS, 0, 2, second, 20).second == 11


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: wp.pareto_paths(STREETS, 0, 9, CLIMB), VertexError, "vertex 9 does not exist"),
        (lambda: wp.pareto_paths(STREETS, 0, 2, [1, 2]), GraphError, "second has 2 entries"),
        (lambda: wp.pareto_paths(STREETS, 0, 2, "climb"), GraphError, "second='climb' is"),
        (lambda: wp.pareto_paths(STREETS, 0, 2, None), InputError, "second = None must be a kept"),
        (
            lambda: wp.pareto_paths(STREETS, 0, 2, [1, 2, 3, np.nan, 5]),
            WeightError,
            "second.*nan",
        ),
        (
            lambda: wp.pareto_paths(STREETS, 0, 2, [1, 2, 3, -4, 5]),
            NegativeWeightError,
            "pareto_paths needs second costs of 0 or more: 1 of 5",
        ),
        (
            lambda: wp.pareto_paths([(0, 1, -1)], 0, 1, [1]),
            NegativeWeightError,
            "pareto_paths needs weights of 0 or more",
        ),
        (
            lambda: wp.pareto_paths(STREETS, 0, 2, [1, 2, 3, np.inf, 5]),
            GraphError,
            "second: 1 costs are inf",
        ),
        (
            lambda: wp.pareto_paths(STREETS, 0, 2, [2**60] * 5),
            DistanceOverflowError,
            r"second costs.*is 2\^61 or more",
        ),
        (
            lambda: wp.pareto_paths(STREETS.with_weights([2**52] * 5), 0, 2, [0.5] * 5),
            DistanceOverflowError,
            r"is 2\^53 or more: bounds of pareto_paths may not fit float64",
        ),
        (lambda: wp.pareto_paths(STREETS, 0, 2, CLIMB, limit=-1), InputError, "limit = -1 must be"),
        (lambda: wp.pareto_paths(STREETS, 0, 2, CLIMB, limit="5 km"), InputError, "limit = '5 km'"),
        (
            lambda: wp.pareto_paths(STREETS, 0, 2, CLIMB, epsilon=-0.5),
            InputError,
            "epsilon = -0.5 must be a number, 0 or more",
        ),
        (
            lambda: wp.pareto_paths(STREETS, 0, 2, CLIMB, epsilon=10**400),
            InputError,
            "epsilon = 1000.* must be a number, 0 or more",
        ),
        (lambda: wp.pareto_paths(STREETS, 0, 2, CLIMB, memory="x"), InputError, "memory='x'"),
        (
            lambda: wp.constrained_path(STREETS, 0, 2, CLIMB, None),
            InputError,
            "limit = None must be a number",
        ),
        (
            lambda: wp.Solver(STREETS, algorithm="classic.dijkstra").pareto_paths(0, 2, CLIMB),
            NotSupportedError,
            "pareto_paths runs one algorithm of its own",
        ),
        (
            lambda: wp.pareto_paths(AREAS, 0, 2, CLIMB),
            NotSupportedError,
            "does not support areas",
        ),
        (lambda: next(wp.pareto_paths(STREETS, 2, 0, CLIMB)), NoPathError, "no path leads from 2"),
        (
            lambda: next(wp.pareto_paths(STREETS, 2, 0, CLIMB, limit=3)),
            NoPathError,
            "no path leads from 2 to 0",
        ),
    ],
)
def test_bad_input_is_refused_by_name(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("share", [0.1, 0.3, 0.7, 1.0, 1e-17])
def test_epsilon_is_exact_for_lengths_above_2_to_the_53(share):
    second = [2**53 + 1, 2**53, 0, 0]
    graph = wp.Graph.of([(0, 1, 1), (1, 3, 0), (0, 2, 2), (2, 3, 0)])
    routes = list(wp.pareto_paths(graph, 0, 3, second, epsilon=share))
    assert len(routes) == (2 if share == 1e-17 else 1)
