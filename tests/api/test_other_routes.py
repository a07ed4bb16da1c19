"""Other routes than one shortest one, against all simple paths of small graphs and NetworkX."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import combinations, islice, pairwise

import networkx as nx
import numpy as np
import pytest

import warpath as wp
from support.simple_paths import DTYPES, lightest, random_graphs, simple_paths
from warpath.base.errors import (
    DistanceOverflowError,
    GraphError,
    InputError,
    NegativeWeightError,
    NoPathError,
    NotSupportedError,
    VertexError,
)

STREETS = [(0, 1, 2), (1, 2, 5), (0, 2, 9), (1, 3, 1), (3, 2, 5)]


def routes(graph, source, target, *rest, **options):
    try:
        found = list(wp.k_shortest_paths(graph, source, target, *rest, **options))
    except NoPathError:
        return []
    return [(route.length, route.indices.tolist()) for route in found]


@pytest.mark.parametrize("dtype", DTYPES)
def test_they_are_all_simple_paths_by_length_then_by_vertices(dtype):
    for graph, source, target in random_graphs(1, 400, dtype):
        assert routes(graph, source, target) == simple_paths(graph, source, target)


def test_a_number_and_a_length_end_them():
    for graph, source, target in random_graphs(2, 300):
        every = simple_paths(graph, source, target)
        assert routes(graph, source, target, 3) == every[:3]
        for limit in (0, 4, 7.5):
            within = [path for path in every if path[0] <= limit]
            assert routes(graph, source, target, max_length=limit) == within


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rounded_sums_lose_no_path_and_are_lengths_from_the_source(dtype):
    rng = np.random.default_rng(3)
    for graph, source, target in random_graphs(4, 200, dtype):
        weighted = graph.with_weights(rng.random(graph.m).astype(dtype))
        found = routes(weighted, source, target)
        every = simple_paths(weighted, source, target)
        assert sorted(path for _, path in found) == sorted(path for _, path in every)
        rows = lightest(weighted)
        for length, path in found:
            total = dtype(0)
            for u, v in pairwise(path):
                total += dtype(rows[u][v])
            assert length == total
        lengths = np.array([length for length, _ in found])
        assert (lengths[1:] >= lengths[:-1] * (1 - graph.n * np.finfo(dtype).eps)).all()


def test_closed_vertices_are_only_ends():
    for closed in (1, 2, 3):
        for graph, source, target in random_graphs(closed, 200, closed=closed):
            every = simple_paths(graph, source, target)
            # A closed target comes after other vertices.
            expected = sorted(
                (length, [*path[:-1], target + graph.n * (target < closed)], path)
                for length, path in every
            )
            assert routes(graph, source, target) == [(part[0], part[2]) for part in expected]


@pytest.mark.parametrize("rows", [8, 30])
def test_large_grids_of_equal_weights_are_walked_in_lexicographic_order(rows):
    grid = wp.Graph.of(nx.convert_node_labels_to_integers(nx.grid_2d_graph(rows, rows)))
    assert grid.weights is None
    found = list(islice(wp.k_shortest_paths(grid, 0, grid.n - 1), 300))
    assert {route.length for route in found} == {2 * rows - 2}
    paths = [list(route) for route in found]
    assert paths == sorted(paths)
    assert len(set(map(tuple, paths))) == 300
    if rows == 8:
        theirs = nx.all_shortest_paths(grid.to_networkx(), 0, grid.n - 1)
        assert paths == sorted(theirs)[:300]


@pytest.mark.parametrize("directed", [True, False])
def test_lengths_are_those_of_networkx(directed):
    rng = np.random.default_rng(5)
    for _ in range(8):
        n = 60
        src, dst = rng.integers(0, n, (2, 150))
        graph = wp.Graph.from_edges(src, dst, rng.integers(0, 20, 150), n=n, directed=directed)
        theirs = graph.to_networkx()
        if not nx.has_path(theirs, 0, n - 1):
            continue
        simple = nx.DiGraph(theirs) if directed else nx.Graph(theirs)
        for u, v in simple.edges:
            simple[u][v]["weight"] = lightest(graph)[u][v]
        paths = islice(nx.shortest_simple_paths(simple, 0, n - 1, weight="weight"), 60)
        expected = [nx.path_weight(simple, path, "weight") for path in paths]
        found = routes(graph, 0, n - 1, 60)
        assert [length for length, _ in found] == expected
        assert len({tuple(path) for _, path in found}) == len(found)


def test_the_first_is_a_shortest_path_of_a_road_network_and_the_rest_ascends():
    road = wp.generate.road(3000)
    found = list(wp.k_shortest_paths(road, 0, 2500, 200))
    assert found[0].length == wp.path(road, 0, 2500).length
    lengths = [route.length for route in found]
    assert lengths == sorted(lengths)
    for route in found:
        assert len(set(route.indices.tolist())) == len(route)
        assert route.weights.sum() == route.length
    assert len({tuple(route.indices.tolist()) for route in found}) == 200


def test_routes_have_labels_names_and_a_solver_keeps_them():
    graph = wp.Graph.of([("a", "b", 1), ("b", "c", 1), ("a", "c", 3)])
    assert [list(route) for route in wp.k_shortest_paths(graph, "a", "c")] == [
        ["a", "b", "c"],
        ["a", "c"],
    ]
    city = wp.prepare(graph)
    assert [route.length for route in city.k_shortest_paths("a", "c", 5)] == [2, 3]
    assert [list(route) for route in wp.k_shortest_paths(graph, "b", "b")] == [["b"]]


def test_what_cannot_be_done_is_refused_by_name():
    with pytest.raises(InputError, match=r"k = 0 must be an integer, 1 or more; None means all"):
        wp.k_shortest_paths(STREETS, 0, 2, 0)
    with pytest.raises(InputError, match=r"max_length = -1 must be a number, 0 or more"):
        wp.k_shortest_paths(STREETS, 0, 2, max_length=-1)
    with pytest.raises(VertexError, match="vertex 9 does not exist"):
        wp.k_shortest_paths(STREETS, 0, 9)
    with pytest.raises(NegativeWeightError, match="k_shortest_paths needs weights of 0 or more"):
        wp.k_shortest_paths([(0, 1, -1)], 0, 1)
    with pytest.raises(DistanceOverflowError, match=r"times the 2 vertices is 2\^61 or more"):
        wp.k_shortest_paths([(0, 1, 2**61)], 0, 1)
    with pytest.raises(NotSupportedError, match=r"not with algorithm='classic\.dijkstra'"):
        wp.Solver(STREETS, algorithm="classic.dijkstra").k_shortest_paths(0, 2)
    with pytest.raises(NoPathError, match="no path leads from 2 to 0"):
        next(wp.k_shortest_paths(STREETS, 2, 0))
    with pytest.raises(NoPathError, match="no path leads from 0 to 2 within 6"):
        next(wp.k_shortest_paths(STREETS, 0, 2, max_length=6))
    areas = wp.Graph.of(STREETS, first_through=1, areas=True)
    with pytest.raises(NotSupportedError, match="does not support areas"):
        wp.k_shortest_paths(areas, 0, 2)


def edge_paths(graph, source, target):
    """Return (length, vertices, edges) of every simple path; parallel edges count each."""
    src, dst, weights = (part.tolist() for part in graph.edges())
    found = []

    def go(path, edges, length):
        if path[-1] == target:
            found.append((length, path, edges))
            return
        for e in range(graph.indptr[path[-1]], graph.indptr[path[-1] + 1]):
            if dst[e] not in path:
                go([*path, dst[e]], [*edges, e], length + weights[e])

    go([source], [], 0)
    return src, dst, weights, found


def input_edges(graph):
    """Return a number for each edge, the same for both directions of an undirected one."""
    if graph.directed:
        return list(range(graph.m))
    numbers, met = [], defaultdict(int)
    for u, v, w in zip(*(part.tolist() for part in graph.edges()), strict=True):
        numbers.append((min(u, v), max(u, v), w, met[u, v, w]))
        met[u, v, w] += 1
    return numbers


@pytest.mark.parametrize("by", ["edges", "vertices"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_disjoint_paths_have_the_least_total_of_all_sets_of_disjoint_paths(dtype, by):
    pairs_found = 0
    for graph, source, target in random_graphs(6, 300, dtype):
        numbers = input_edges(graph)
        if source == target:
            continue
        src, dst, weights, every = edge_paths(graph, source, target)
        if len(every) > 40:
            continue

        def disjoint(one, other, numbers=numbers):
            shared = set(one[1][1:-1]) & set(other[1][1:-1])
            same = {numbers[e] for e in one[2]} & {numbers[e] for e in other[2]}
            return not same and not (shared and by == "vertices")

        for k in (1, 2, 3):
            sets = [
                sum(path[0] for path in paths)
                for paths in combinations(every, k)
                if all(disjoint(*pair) for pair in combinations(paths, 2))
            ]
            if not sets:
                with pytest.raises(NoPathError):
                    wp.disjoint_paths(graph, source, target, k, by)
                continue
            found = wp.disjoint_paths(graph, source, target, k, by)
            paths = [(r.length, r.indices.tolist(), r.edges.tolist()) for r in found]
            assert sum(length for length, _, _ in paths) == min(sets)
            assert all(disjoint(*pair) for pair in combinations(paths, 2))
            assert paths == sorted(paths)
            for route, (length, path, edges) in zip(found, paths, strict=True):
                assert ([src[e] for e in edges], [dst[e] for e in edges]) == (path[:-1], path[1:])
                assert len(set(path)) == len(path)
                assert route.weights.tolist() == [weights[e] for e in edges]
                assert length == sum(weights[e] for e in edges)
            pairs_found += k == 2
    assert pairs_found > 20


@pytest.mark.parametrize("by", ["edges", "vertices"])
def test_disjoint_paths_of_a_road_network_have_the_cost_of_a_minimum_flow(by):
    road = wp.generate.road(400)
    theirs = nx.DiGraph()
    for u, row in lightest(road).items():
        theirs.add_edge((u, "in"), (u, "out"), capacity=1 if by == "vertices" else 9, weight=0)
        for v, w in row.items():
            theirs.add_edge((u, "out"), (v, "in"), capacity=1, weight=w)
    found = 0
    for source, target in np.random.default_rng(7).integers(0, road.n, (30, 2)).tolist():
        flow = nx.DiGraph(theirs)
        flow.nodes[source, "out"]["demand"], flow.nodes[target, "in"]["demand"] = -3, 3
        try:
            cost = nx.min_cost_flow_cost(flow)
        except nx.NetworkXUnfeasible:
            continue
        routes = wp.disjoint_paths(road, source, target, 3, by)
        assert sum(route.length for route in routes) == cost
        found += 1
    assert found


def test_the_error_says_how_many_disjoint_routes_there_are():
    streets = [(0, 1, 1), (1, 3, 1), (0, 2, 2), (2, 3, 2), (1, 2, 0)]
    message = "no 3 routes from 0 to 3 share no edge, only 2 routes: use k=2"
    with pytest.raises(NoPathError, match=message):
        wp.disjoint_paths(streets, 0, 3, 3)
    with pytest.raises(NoPathError, match="share no vertex between them, only 2 routes"):
        wp.disjoint_paths(streets, 0, 3, 3, by="vertices")
    with pytest.raises(NoPathError, match="no path leads from 3 to 0"):
        wp.disjoint_paths(streets, 3, 0)
    with pytest.raises(InputError, match="source and target are the same vertex, 0"):
        wp.disjoint_paths(streets, 0, 0)
    with pytest.raises(InputError, match="by = 'street' must be 'edges' or 'vertices'"):
        wp.disjoint_paths(streets, 0, 3, by="street")
    with pytest.raises(InputError, match=r"by = .* must be .edges. or .vertices."):
        wp.disjoint_paths(streets, 0, 3, by=np.array(["edges", "vertices"]))
    with pytest.raises(InputError, match=r"k = 0 must be an integer, 1 or more\."):
        wp.disjoint_paths(streets, 0, 3, 0)
    with pytest.raises(NotSupportedError, match="does not support closed vertices"):
        wp.disjoint_paths(wp.Graph.of(streets, first_through=1), 0, 3)


@pytest.mark.parametrize("dtype", DTYPES)
def test_all_shortest_paths_are_counted_and_yielded_in_order(dtype):
    for closed in (0, 2):
        for graph, source, target in random_graphs(8, 200, dtype, closed):
            paths = [simple_paths(graph, source, v) for v in range(graph.n)]
            shortest = [[p for p in every if p[0] == every[0][0]] for every in paths]
            try:
                found = list(wp.all_shortest_paths(graph, source, target))
            except NoPathError:
                found = []
            expected = [path for _, path in shortest[target]]
            assert sorted(route.indices.tolist() for route in found) == expected
            try:
                counts = wp.count_shortest_paths(graph, source)
            except GraphError:
                assert 0 in graph.weights
                continue
            assert counts.tolist() == [len(every) for every in shortest]


def test_counts_are_exact_beyond_64_bits():
    grid = wp.Graph.of(nx.convert_node_labels_to_integers(nx.grid_2d_graph(40, 40)))
    counts = wp.count_shortest_paths(grid, 0)
    assert counts[-1] == math.comb(78, 39) > 2**64
    first = [list(route) for route in islice(wp.all_shortest_paths(grid, 0, 1599), 2)]
    assert first[0] < first[1]
    assert wp.count_shortest_paths([(0, 1, -2), (0, 2, 1), (2, 1, -3)], 0).tolist() == [1, 2, 1]


def test_cycles_of_length_0_are_not_counted():
    with pytest.raises(GraphError, match="from 0 to 1 may lead around a cycle of length 0"):
        wp.count_shortest_paths([(0, 1, 1), (1, 2, 0), (2, 1, 0)], 0)
    assert wp.count_shortest_paths([(0, 1, 0), (1, 0, 0), (1, 1, 0)], 0).tolist() == [1, 1]


@pytest.mark.parametrize("labels", [(1, 2, 3, 4), ("a", "b", "c", "d"), (4, 3, 2, 1)])
def test_shortest_paths_from_a_label_are_counted(labels):
    a, b, c, d = labels
    edges = [(a, b, 1), (a, c, 1), (b, d, 1), (c, d, 1), (d, a, 1)]
    graph = wp.Graph.of(edges)
    found = dict(
        zip(graph.label_of(range(4)).tolist(), wp.count_shortest_paths(graph, a), strict=True)
    )
    assert found == {a: 1, b: 1, c: 1, d: 2}


def test_of_routes_that_rounding_parts_only_those_of_the_least_length_are_yielded():
    edges = [(0, 1, 0.1), (1, 2, 0.2), (2, 3, 0.3), (0, 4, 0.3), (4, 5, 0.2), (5, 3, 0.1)]
    routes = list(wp.all_shortest_paths(edges, 0, 3))
    assert [(route.length, list(route)) for route in routes] == [(0.6, [0, 4, 5, 3])]
    assert wp.count_shortest_paths(edges, 0)[3] == 1


def test_a_missing_route_is_an_error_of_the_iterator():
    routes = wp.all_shortest_paths([(0, 1, 1), (2, 1, 1)], 0, 2)
    with pytest.raises(wp.NoPathError):
        next(routes)
