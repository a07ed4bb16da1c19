"""Routes that differ from the shortest one, against all simple paths of small graphs."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import warpath as wp
from support.simple_paths import DTYPES, lightest, random_graphs, simple_paths
from warpath.base.errors import InputError, NegativeWeightError, NoPathError, NotSupportedError
from warpath.recipes import Loop


def distances(graph):
    """Return the distance from each vertex to each one, by Floyd and Warshall."""
    rows, n = lightest(graph), graph.n
    dist = [[0 if u == v else rows[u].get(v, float("inf")) for v in range(n)] for u in range(n)]
    for k in range(n):
        for u in range(n):
            for v in range(n):
                dist[u][v] = min(dist[u][v], dist[u][k] + dist[k][v])
    return dist


def parts(graph, path):
    """Yield the length and the ends of each part of a path."""
    rows = lightest(graph)
    sums = np.cumsum([0, *(rows[u][v] for u, v in pairwise(path))]).tolist()
    for i in range(len(path)):
        for j in range(i + 1, len(path)):
            yield sums[j] - sums[i], path[i], path[j]


def shared(graph, path, others):
    """Return the length of the edges of a path that are edges of others, too."""
    taken = {edge for other in others for edge in pairwise(other)}
    return sum(lightest(graph)[u][v] for u, v in pairwise(path) if (u, v) in taken)


def check(graph, source, target, k, sharing, stretch, local, method="via", solver=None):
    """Check the measures of all routes; return the vertices of each."""
    bounds = {"sharing": sharing, "stretch": stretch, "local": local, "method": method}
    try:
        found = (solver or wp.Solver(graph)).alternatives(source, target, k, **bounds)
    except NoPathError:
        assert simple_paths(graph, source, target) == []
        return []
    every = {tuple(path): length for length, path in simple_paths(graph, source, target)}
    paths = [route.indices.tolist() for route in found]
    assert len(found) <= k
    assert len(set(map(tuple, paths))) == len(paths)
    assert paths[0] == wp.path(graph, source, target).indices.tolist()
    shortest, dist = found[0].length, distances(graph)
    for i, (route, path) in enumerate(zip(found, paths, strict=True)):
        assert route.length == every[tuple(path)] <= stretch * shortest
        of = shared(graph, path, paths[:i])
        assert of <= sharing * shortest
        assert route.sharing * shortest == pytest.approx(of)
        assert route.stretch * shortest == pytest.approx(route.length)
        assert route.local >= local or not shortest
        for length, u, v in parts(graph, path):
            if length <= local * shortest or length < route.local * shortest * (1 - 1e-9):
                assert length == dist[u][v]
    return paths


@pytest.mark.parametrize("dtype", DTYPES)
def test_each_route_keeps_its_bounds_and_has_its_measures(dtype):
    rng, several = np.random.default_rng(6), 0
    for graph, source, target in random_graphs(7, 500, dtype):
        bounds = rng.choice([0, 0.3, 0.8, 1]), rng.choice([1, 1.25, 2, 9]), rng.choice([0, 0.25, 1])
        several += len(check(graph, source, target, int(rng.integers(1, 6)), *bounds)) > 1
    assert several > 20


def trees(dist, rows, n, source, target):
    """Return the vertex before and the vertex after each one, where no two paths are as long."""
    inner = range(n)
    before = {
        v: next(
            u for u in inner if v in rows[u] and dist[source][u] + rows[u][v] == dist[source][v]
        )
        for v in inner
        if v != source and dist[source][v] < float("inf")
    }
    after = {
        u: next(v for v in rows[u] if rows[u][v] + dist[v][target] == dist[u][target])
        for u in inner
        if u != target and dist[u][target] < float("inf")
    }
    return before, after


def expected(graph, source, target, k, sharing, stretch, local):
    """Return the paths that the definition gives, where no two paths are equally long."""
    dist, rows, n = distances(graph), lightest(graph), graph.n
    shortest = dist[source][target]
    if shortest == float("inf"):
        return []
    before, after = trees(dist, rows, n, source, target)
    plateaus = {}
    for v in range(n):
        if dist[source][v] + dist[v][target] > stretch * shortest:
            continue
        path, end = [v], v
        while path[0] != source:
            path.insert(0, before[path[0]])
        while path[-1] != target:
            path.append(after[path[-1]])
        while end != target and before.get(after[end]) == end:
            end = after[end]
        length = dist[source][end] - dist[source][v]
        plateaus[tuple(path)] = max(length, plateaus.get(tuple(path), 0))
    lengths = {path: sum(rows[u][v] for u, v in pairwise(path)) for path in plateaus}
    chosen = [min(plateaus, key=lengths.get)]

    def keeps(path):
        return (
            len(set(path)) == len(path)
            and shared(graph, path, chosen) <= sharing * shortest
            and all(
                length == dist[u][v]
                for length, u, v in parts(graph, path)
                if length <= local * shortest
            )
        )

    while len(chosen) < k:
        left = [path for path in plateaus if path not in chosen and keeps(path)]
        if not left:
            break
        cost = {p: 2 * lengths[p] + shared(graph, p, chosen) - plateaus[p] for p in left}
        chosen.append(min(left, key=cost.get))
    return [list(path) for path in chosen]


def with_lengths(graph, lengths):
    """Return a graph with other weights; both directions of an undirected edge have the first."""
    if graph.directed:
        return graph.with_weights(lengths)
    src, dst, _ = graph.edges()
    ends = {}
    edges = zip(src.tolist(), dst.tolist(), lengths.tolist(), strict=True)
    first = [ends.setdefault((min(e), max(e)), w) for *e, w in edges]
    return graph.with_weights(np.array(first, lengths.dtype))


def test_they_are_the_best_routes_via_vertices():
    rng, several = np.random.default_rng(8), 0
    for graph, source, target in random_graphs(9, 600, np.int64):
        lengths = 2 ** rng.permutation(40)[: graph.m] + 2**45
        if graph.m > 40 or source == target:
            continue
        own = with_lengths(graph, lengths)
        bounds = (
            float(rng.choice([0.3, 0.8, 1])),
            float(rng.choice([1.25, 2, 9])),
            float(rng.choice([0, 0.25, 0.5])),
        )
        k = int(rng.integers(1, 6))
        found = check(own, source, target, k, *bounds)
        assert found == expected(own, source, target, k, *bounds)
        several += len(found) > 1
    assert several > 30


def by_penalties(graph, source, target, k, sharing, stretch, local):
    """Return the paths that penalties give, and whether no two cheapest ones are equal."""
    dist, rows = distances(graph), lightest(graph)
    shortest = dist[source][target]
    paths = [
        path
        for _, path in simple_paths(graph, source, target)
        if all(dist[source][v] + dist[v][target] <= stretch * shortest for v in path)
    ]
    if not paths or source == target:
        return None
    lengths = [sum(rows[u][v] for u, v in pairwise(path)) for path in paths]
    last = paths[int(np.argmin(lengths))]
    chosen, passed, unique = [last], {}, lengths.count(min(lengths)) == 1
    for _ in range(10 * k):
        if len(chosen) == k:
            break
        for edge in pairwise(last):
            passed[edge] = passed.get(edge, 0) + 1
        costs = [
            sum(rows[u][v] * (1 + 0.4 * passed.get((u, v), 0)) for u, v in pairwise(path))
            for path in paths
        ]
        order = np.argsort(costs)
        unique &= len(costs) == 1 or costs[order[1]] > costs[order[0]] * (1 + 1e-9)
        last, length = paths[order[0]], lengths[order[0]]
        if (
            last not in chosen
            and length <= stretch * shortest
            and shared(graph, last, chosen) <= sharing * shortest
            and all(of == dist[u][v] for of, u, v in parts(graph, last) if of <= local * shortest)
        ):
            chosen.append(last)
    return chosen if unique else None


@pytest.mark.parametrize("dtype", DTYPES)
def test_by_penalties_they_are_the_cheapest_of_each_round(dtype):
    rng, compared, several = np.random.default_rng(16), 0, 0
    for ties, source, target in random_graphs(17, 500, dtype):
        graph = with_lengths(ties, rng.integers(1, 100, ties.m).astype(dtype))
        bounds = rng.choice([0.3, 0.8, 1]), rng.choice([1, 1.25, 2, 9]), rng.choice([0, 0.25, 1])
        arguments = (graph, source, target, int(rng.integers(1, 6)), *bounds)
        found, expected_paths = check(*arguments, "penalty"), by_penalties(*arguments)
        if expected_paths is not None:
            assert found == expected_paths
            compared += 1
            several += len(found) > 1
    assert compared > 100
    assert several > 20


@pytest.mark.parametrize("dtype", DTYPES)
def test_by_labels_each_route_keeps_its_bounds(dtype):
    rng, several = np.random.default_rng(18), 0
    for graph, source, target in random_graphs(19, 250, dtype):
        own = with_lengths(graph, rng.integers(1, 5, graph.m).astype(dtype))
        solver = wp.prepare(own, labels=True, device="cpu")
        bounds = rng.choice([0.3, 0.8, 1]), rng.choice([1.25, 2, 9]), rng.choice([0, 0.25])
        found = check(own, source, target, int(rng.integers(1, 6)), *bounds, solver=solver)
        several += len(found) > 1
    assert several > 5


def test_by_labels_routes_of_a_road_network_are_those_of_searches():
    road = wp.generate.road(2000, seed=4)
    city = wp.prepare(road, labels=True, device="cpu")
    assert city.path(5, 100).plan.recipe.loop is Loop.TREE_LABELS
    found, others, same = 0, 0, 0
    for target in range(100, 2000, 50):
        routes = city.alternatives(5, target, 4, sharing=0.6)
        wp.verify(road, routes, claim="alternatives")
        assert all(route.sharing <= 0.6 for route in routes)
        searched = wp.alternatives(road, 5, target, 4, sharing=0.6)
        found, others = found + len(routes), others + len(searched)
        same += len({tuple(route) for route in routes} & {tuple(route) for route in searched})
    assert found > 0.85 * others
    assert same > 0.5 * others


def test_closed_vertices_are_only_ends():
    for closed in (1, 2, 3):
        for graph, source, target in random_graphs(closed + 10, 300, closed=closed):
            check_closed(graph, source, target, closed)


def check_closed(graph, source, target, closed):
    try:
        found = wp.alternatives(graph, source, target, 4, sharing=1, stretch=9, local=0)
    except NoPathError:
        assert simple_paths(graph, source, target) == []
        return
    every = {tuple(path): length for length, path in simple_paths(graph, source, target)}
    for route in found:
        path = route.indices.tolist()
        assert route.length == every[tuple(path)]
        assert all(v >= closed for v in path[1:-1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rounded_sums_keep_the_bounds(dtype):
    road = wp.generate.road(1500, seed=2)
    road = road.with_weights(np.random.default_rng(1).random(road.m).astype(dtype) + dtype(0.1))
    several = 0
    for target in range(100, 1500, 100):
        found = wp.alternatives(road, 0, target, 5)
        several += len(found) > 1
        first = wp.path(road, 0, target)
        assert found[0].length == first.length
        assert found[0].indices.tolist() == first.indices.tolist()
        for route in found:
            assert route.stretch <= 1.25
            assert route.sharing <= 0.8
            length = np.cumsum(route.weights, dtype=dtype)[-1]
            assert route.length == length
    assert several > 5


def test_routes_of_a_road_network_differ_and_are_locally_optimal():
    road = wp.generate.road(2000, seed=4)
    several = 0
    for target in range(100, 2000, 150):
        found = wp.alternatives(road, 5, target, 4)
        several += len(found) > 1
        shortest = found[0].length
        for route in found[1:]:
            ends = [(u, v) for length, u, v in parts_of(route) if length <= 0.25 * shortest]
            lengths = [length for length, u, v in parts_of(route) if length <= 0.25 * shortest]
            assert wp.pairs(road, *map(list, zip(*ends, strict=True))).dist.tolist() == lengths
    assert several > 5


def parts_of(route):
    sums = [0, *np.cumsum(route.weights).tolist()]
    path = route.indices.tolist()
    return [
        (sums[j] - sums[i], path[i], path[j])
        for i in range(len(path))
        for j in range(i + 1, len(path))
    ]


def test_labels_one_vertex_and_no_route():
    streets = [("a", "b", 4), ("b", "d", 4), ("a", "c", 5), ("c", "d", 4), ("b", "c", 2)]
    first, second = wp.alternatives(streets, "a", "d")
    assert (list(first), first.sharing, first.stretch, first.local) == (list("abd"), 0, 1, 1)
    assert (list(second), second.sharing, second.stretch) == (list("acd"), 0, 9 / 8)
    (only,) = wp.alternatives(streets, "a", "a")
    assert (list(only), only.length, only.stretch) == (["a"], 0, 1)
    assert wp.path(streets, "a", "d").sharing is None
    with pytest.raises(NoPathError, match="no path leads from 'd' to 'a'"):
        wp.alternatives(streets, "d", "a")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "k = 0 must be an integer, 1 or more"),
        ({"k": 2.5}, r"k = 2.5 must be an integer"),
        ({"sharing": 1.5}, "sharing = 1.5 must be a number from 0 to 1: a share of the length"),
        ({"sharing": float("nan")}, "sharing = nan must be a number"),
        ({"stretch": 0.9}, "stretch = 0.9 must be a number of 1 or more, finite"),
        ({"stretch": float("inf")}, "stretch = inf must be"),
        ({"local": -0.1}, "local = -0.1 must be a number from 0 to 1"),
        ({"method": "plateau"}, "method = 'plateau' must be 'via' or 'penalty'"),
        ({"local": "far"}, "local = 'far' must be a number"),
        ({"local": np.array([0, 1])}, r"local = .* must be a number from 0 to 1"),
        ({"stretch": np.float16(0.5)}, r"stretch = .* must be a number of 1 or more"),
    ],
)
def test_wrong_bounds_are_named(options, message):
    with pytest.raises(InputError, match=message):
        wp.alternatives([(0, 1, 2)], 0, 1, **options)


def test_numbers_of_few_bits_are_bounds():
    assert len(wp.alternatives([(0, 1, 2)], 0, 1, stretch=np.float16(1.5))) == 1


def test_what_it_does_not_support_is_refused():
    with pytest.raises(NegativeWeightError, match="alternatives needs weights of 0 or more"):
        wp.alternatives([(0, 1, -2)], 0, 1)
    with pytest.raises(NotSupportedError, match="alternatives runs one algorithm of its own"):
        wp.Solver([(0, 1, 2)], algorithm="classic.dijkstra").alternatives(0, 1)


def test_a_stretch_of_1_admits_routes_as_long_as_the_shortest_above_2_to_the_53():
    long = 2**53 + 1  # the next double is one less
    edges = [(0, 1, long - 1), (1, 3, 1), (0, 2, long - 1), (2, 3, 1), (0, 3, long + 1)]
    graph = wp.Graph.of(edges)
    routes = wp.alternatives(graph, 0, 3, stretch=1.0, sharing=0.5, local=0.0)
    assert [route.length for route in routes] == [long, long]
