"""`loads`: trips over each edge, along the routes that `path` returns."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import warpath as wp
from warpath.base.errors import InputError


def added_up(graph, origins, destinations, trips):
    """The trips over each edge, route by route."""
    src, dst, weights = (part.tolist() for part in graph.edges())
    loads = np.zeros(graph.m)
    for origin, destination, count in zip(origins, destinations, trips, strict=True):
        try:
            route = wp.path(graph, origin, destination).indices.tolist()
        except wp.NoPathError:
            continue
        for u, v in itertools.pairwise(route):
            between = [e for e in range(graph.m) if (src[e], dst[e]) == (u, v)]
            loads[min(between, key=weights.__getitem__)] += count
    return loads


HOW = {
    "searched": wp.Solver,
    "prepared": wp.prepare,
    "labelled": lambda graph: wp.prepare(graph, labels=True),
}


@pytest.mark.parametrize("how", HOW)
def test_loads_are_the_trips_of_each_route_added_up(how):
    rng = np.random.default_rng(4)
    for seed in range(8):
        graph = wp.generate.uniform(30, 2, seed=seed, weights=(1, 3))
        origins, destinations = rng.integers(0, graph.n, (2, 40))
        trips = rng.integers(0, 9, 40)
        solver = HOW[how](graph)
        found = solver.loads(origins, destinations, trips)
        right = added_up(graph, origins.tolist(), destinations.tolist(), trips.tolist())
        assert found.edges.tolist() == right.tolist()
        unreached = ~solver.pairs(origins, destinations).reached
        assert found.stats["trips_without_path"] == trips[unreached].sum()
        assert (found.method == "labels") == (how == "labelled")
        passing = np.bincount(graph.edges()[1], found.edges, graph.n)
        passing += np.bincount(origins[~unreached], trips[~unreached], graph.n)
        assert found.vertices.tolist() == passing.tolist()


@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_equally_short_routes_share_trips_evenly(dtype):
    """Two ways around a square, and a diagonal of two parallel edges as long as both."""
    edges = [(0, 1, 1), (1, 3, 2), (0, 2, 2), (2, 3, 1), (0, 3, 3), (0, 3, 3), (3, 4, 5)]
    for graph in (wp.Graph.of(edges).astype(dtype), wp.prepare(wp.Graph.of(edges).astype(dtype))):
        found = wp.loads(graph, [0, 4], [4, 0], trips=[12, 7], ties="split")
        assert found.edges.tolist() == [4, 4, 4, 0, 4, 4, 12]  # in the order of tails and heads
        assert found.vertices.tolist() == [12, 4, 4, 12, 12]
        assert found.stats["trips_without_path"] == 7


def test_loads_of_many_trips_are_found_by_labels_where_that_pays():
    road = wp.generate.road(12_000)
    rng = np.random.default_rng(1)
    few, many = rng.integers(0, road.n, (2, 10)), rng.integers(0, road.n, (2, 4000))
    assert wp.loads(road, *few).method != "labels"
    found = wp.loads(road, *many)
    assert found.method == "labels"
    assert found.edges @ road.edges()[2] == wp.pairs(road, *many).dist.sum()
    weights = road._solver_weights * 0.25
    halves = wp.loads(road.with_weights(weights), *many)
    assert (halves.method, halves.edges.tolist()) == ("labels", found.edges.tolist())


def test_any_number_of_threads_gives_the_same_bits():
    road = wp.generate.road(3_000)
    rng = np.random.default_rng(1)
    ends, trips = rng.integers(0, road.n, (2, 6_000)), rng.random(6_000)
    one, two, three = (wp.Solver(road, threads=t).loads(*ends, trips).edges for t in (1, 2, 3))
    assert one.tobytes() == two.tobytes() == three.tobytes()
    assert one.sum() > trips.sum()


def test_a_table_of_trips_and_one_number_for_all_are_taken():
    graph = wp.Graph.of([("a", "b", 2), ("b", "c", 5)])
    rows = {"origin": ["a", "b"], "destination": ["c", "c"]}
    found = wp.loads(graph, rows, trips=2.5)
    assert found.edges.tolist() == [2.5, 5]
    table = found.to_pandas()
    assert table.columns.tolist() == ["source", "target", "load"]
    assert repr(found).startswith("<Centrality: load of 2 edges\n  2 sources, by ")
    assert wp.loads(graph, rows).edges.tolist() == [1, 2]


def test_progress_counts_trips():
    calls = []
    graph = wp.generate.road(100)
    wp.loads(graph, [0, 1], [9, 9], progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (2, 2)


@pytest.mark.parametrize(
    ("trips", "text"),
    [
        ([1, -2], r"trips\[1\] = -2 must be a finite number >= 0"),
        (-1, "trips = -1 must be a finite number >= 0"),
        ([1, float("nan")], r"trips\[1\] = nan must be a finite number >= 0"),
        ([1], "give 2 numbers, one for each origin, or one for all"),
        (["x", "y"], "give 2 numbers"),
    ],
)
def test_numbers_of_trips_that_are_not_valid_are_refused(trips, text):
    with pytest.raises(InputError, match=text):
        wp.loads([(0, 1, 2), (1, 2, 5)], [0, 1], [2, 2], trips=trips)


def test_ties_that_are_not_valid_or_cannot_be_counted_are_refused():
    with pytest.raises(InputError, match="ties = 'first' is not valid: use 'canonical' or 'split'"):
        wp.loads([(0, 1, 2)], [0], [1], ties="first")
    with pytest.raises(wp.WeightError, match="edge 0 from 'a' to 'b' has the length 0"):
        wp.loads([("a", "b", 0)], ["a"], ["b"], ties="split")
    with pytest.raises(wp.NegativeWeightError, match="has the length -1"):
        wp.loads([("a", "b", -1)], ["a"], ["b"], ties="split")
    closed = wp.Graph.from_edges([0, 1], [1, 2], [2, 2], first_through=2)
    with pytest.raises(wp.NotSupportedError, match="use ties='canonical'"):
        wp.loads(closed, [0], [2], ties="split")


def test_a_solver_is_taken_with_its_own_options():
    city = wp.prepare([(0, 1, 2), (1, 2, 5)])
    assert wp.loads(city, [0, 1], [2, 2], trips=[10, 5]).edges.tolist() == [10, 15]
    with pytest.raises(wp.InputError, match="are options of the Solver"):
        wp.loads(city, [0], [2], threads=2)


def test_numbers_of_trips_come_from_a_column_of_the_table():
    graph = [(0, 1, 2), (1, 2, 5)]
    ends = {"origin": [0, 1], "destination": [2, 2]}
    assert wp.loads(graph, ends | {"trips": [30, 40]}).edges.tolist() == [30, 70]
    assert wp.loads(graph, ends | {"Trips": [30, 40]}).edges.tolist() == [30, 70]
    rows = pytest.importorskip("pandas").DataFrame(ends | {"trips": [30, 40], "am": [1.5, 2]})
    assert wp.loads(graph, rows).edges.tolist() == [30, 70]
    assert wp.loads(graph, rows, trips="trips").edges.tolist() == [30, 70]
    assert wp.prepare(graph).loads(rows, trips="am").edges.tolist() == [1.5, 3.5]
    assert wp.loads(graph, rows, trips=1).edges.tolist() == [1, 2]
    with pytest.raises(InputError, match=r"trips = 'pm' is not a column .* are 'trips', 'am'\."):
        wp.loads(graph, rows, trips="pm")
    with pytest.raises(InputError, match=r"trips = 'pm' is not a column .* are none\."):
        wp.loads(graph, ends, trips="pm")
    with pytest.raises(InputError, match=r"trips = 'am' names a column, but .* not in a table"):
        wp.loads(graph, [0], [2], trips="am")
    with pytest.raises(InputError, match=r"am\[1\] = -2 must be a finite number >= 0"):
        wp.loads(graph, ends | {"am": [1, -2]}, trips="am")


@pytest.mark.filterwarnings("error")
def test_sums_of_trips_that_are_not_finite_are_refused():
    graph = wp.Graph.of([("a", "b", 2), ("b", "c", 5)])
    with pytest.raises(InputError, match=r"trips: the trips over the edge 'b' -> 'c' add up to"):
        wp.loads(graph, ["a", "b"], ["c", "c"], trips=1e308)
    with pytest.raises(InputError, match=r"trips: the trips without a path add up to more than"):
        wp.loads(graph, ["c", "c"], ["a", "b"], trips=1e308)
    assert wp.loads(graph, ["a", "b"], ["b", "c"], trips=1e308).edges.tolist() == [1e308, 1e308]


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_split_trips_are_the_same_by_searches_and_by_labels(dtype):
    rng = np.random.default_rng(5)
    for seed in range(12):
        graph = wp.generate.uniform(30, 2, seed=seed, weights=(1, 3)).astype(dtype)
        if seed % 3 == 0:
            graph = graph.with_weights(np.full(graph.m, 2, dtype))
        ends, trips = rng.integers(0, graph.n, (2, 60)), rng.integers(0, 9, 60)
        one, two, three = (
            wp.Solver(graph, threads=threads).loads(*ends, trips, ties="split")
            for threads in (1, 2, 3)
        )
        assert one.edges.tobytes() == two.edges.tobytes() == three.edges.tobytes()
        assert one.method == ("breadth-first" if seed % 3 == 0 else "dijkstra")
        labelled = wp.prepare(graph, labels=True).loads(*ends, trips, ties="split")
        assert labelled.method == "labels"
        assert labelled.edges == pytest.approx(one.edges, rel=1e-12, abs=1e-12)
        assert labelled.stats["trips_without_path"] == one.stats["trips_without_path"]


def test_split_trips_of_graphs_without_a_hierarchy_and_of_rounded_sums():
    dense = wp.generate.rmat(9, seed=2)
    ends = np.random.default_rng(2).integers(0, dense.n, (2, 50))
    found = wp.loads(dense.with_weights(np.full(dense.m, 0.1)), *ends, ties="split")
    hops = dense.with_weights(np.full(dense.m, 1))
    whole, pairs = wp.loads(hops, *ends, ties="split"), wp.pairs(hops, *ends)
    assert found.edges == pytest.approx(whole.edges, rel=1e-12)
    assert whole.edges.sum() == pytest.approx(pairs.dist[pairs.reached].sum())


@pytest.mark.parametrize("prepared", [False, True])
def test_only_trips_through_selected_edges_are_counted(prepared):
    rng = np.random.default_rng(4)
    edges = rng.integers(0, 30, (90, 2)).tolist()
    graph = wp.Graph.of([(u, v, 1 + (u * v) % 5) for u, v in edges], n=32)
    solver = wp.prepare(graph) if prepared else graph
    origins, destinations = rng.integers(0, 32, (2, 300))
    numbers = rng.integers(0, 9, 300)
    pairs = wp.pairs(graph, origins, destinations)
    routes = [pairs.route(i).edges.tolist() if pairs.reached[i] else [] for i in range(300)]
    for through in ([3], [5, 9, 40], {"vertices": [7]}):
        chosen = through
        if isinstance(through, dict):
            src, dst, _ = graph.edges()
            chosen = np.flatnonzero((src == 7) | (dst == 7)).tolist()
        found = wp.loads(solver, origins, destinations, numbers, through=through)
        uses = [bool(set(route) & set(chosen)) for route in routes]
        assert found.through.tolist() == uses
        assert 0 < sum(uses) < 300
        kept = numbers * np.array(uses)
        only = wp.loads(graph, origins, destinations, kept)
        assert found.edges.tolist() == only.edges.tolist()
        assert found.vertices.tolist() == only.vertices.tolist()
        whole = wp.loads(graph, origins, destinations, numbers)
        assert found.stats["trips_without_path"] == whole.stats["trips_without_path"] > 0
        assert whole.through is None


def test_edges_that_cannot_be_selected_are_refused():
    edges = [(0, 1, 2), (1, 2, 5)]
    with pytest.raises(wp.NotSupportedError, match="leave one of the two out"):
        wp.loads(edges, [0], [2], through=[0], ties="split")
    with pytest.raises(wp.InputError, match="through"):
        wp.loads(edges, [0], [2], through=[7])
    with pytest.raises(wp.InputError, match=r"through = \{\} is empty"):
        wp.loads(edges, [0], [2], through={})
