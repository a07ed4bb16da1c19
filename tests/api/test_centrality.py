"""`warpath.centrality`: the values of NetworkX, and what is refused."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys

import numpy as np
import pytest

import warpath as wp
from warpath.api.centrality import betweenness, closeness, eccentricity, edge_betweenness, harmonic
from warpath.base.errors import (
    InputError,
    NegativeWeightError,
    NotEnoughMemoryError,
    NotSupportedError,
    VertexError,
    WeightError,
)
from warpath.engines import betweenness as engine
from warpath.engines.betweenness import betweenness_sums
from warpath.recipes import Task

TYPES = ("int32", "int64", "float32", "float64")
SQUARE = [("a", "b", 1), ("b", "d", 1), ("a", "c", 1), ("c", "d", 1), ("d", "e", 2)]


@pytest.fixture
def square():
    return wp.Graph.of(SQUARE, directed=False)


def of_networkx(graph):
    """The same graph in NetworkX, whose nodes are the indices of vertices in the same order."""
    nx = pytest.importorskip("networkx")
    made = nx.DiGraph() if graph.directed else nx.Graph()
    made.add_nodes_from(range(graph.n))
    made.add_weighted_edges_from(zip(*(part.tolist() for part in graph.edges()), strict=True))
    return nx, made


def random_graph(seed, dtype):
    """A graph full of ties; floats are multiples of 1/2, or of 0.1, whose sums are rounded."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 16))
    pairs = [(u, v) for u in range(n) for v in range(u) if rng.random() < 0.3]
    unit = {"float32": 0.5, "float64": float(rng.choice([0.5, 0.1]))}.get(dtype, 1)
    edges = [(u, v, int(rng.integers(1, 4)) * unit) for u, v in pairs]
    directed = bool(rng.integers(2))
    return wp.Graph.of(edges, n=n, directed=directed).astype(dtype)


def assert_as_expected(graph, found, expected):
    if not found.measure.startswith("edge"):
        right = [expected[v] for v in range(graph.n)]
        assert np.allclose(found.vertices, right, rtol=1e-12, atol=0, equal_nan=True)
        return
    src, dst, _ = graph.edges()
    ends = zip(src.tolist(), dst.tolist(), strict=True)
    right = [expected[end] if end in expected else expected[end[::-1]] for end in ends]
    assert np.allclose(found.edges, right, rtol=1e-12, atol=0)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("prepared", [False, True])
@pytest.mark.parametrize("normalized", [False, True])
def test_values_and_samples_are_those_of_networkx(dtype, prepared, normalized):
    for seed in range(40):
        graph = random_graph(seed, dtype)
        nx, same = of_networkx(graph)
        solver = wp.Solver(graph, prepared=prepared)
        for k in (None, 1, graph.n):
            how = {"k": k, "seed": 5, "normalized": normalized}
            for ends in (False, True):
                expected = nx.betweenness_centrality(same, weight="weight", endpoints=ends, **how)
                assert_as_expected(graph, betweenness(solver, endpoints=ends, **how), expected)
            expected = nx.edge_betweenness_centrality(same, weight="weight", **how)
            assert_as_expected(graph, edge_betweenness(solver, **how), expected)


@pytest.mark.parametrize("normalized", [False, True])
def test_sources_and_targets_are_those_of_networkx_subsets(normalized):
    """Its shares of edges are others: where a vertex is no target, it divides them equally."""
    for seed in range(40):
        graph = random_graph(seed, "int32")
        nx, same = of_networkx(graph)
        some = {"sources": list(range(graph.n))[::2], "targets": list(range(graph.n))[::3]}
        how = some | {"normalized": normalized}
        expected = nx.betweenness_centrality_subset(same, weight="weight", **how)
        assert_as_expected(graph, betweenness(graph, **how), expected)


@pytest.mark.parametrize("prepared", [False, True])
def test_closeness_and_harmonic_are_those_of_networkx(prepared):
    for seed in range(40):
        graph = random_graph(seed, "int32")
        nx, same = of_networkx(graph)
        solver = wp.Solver(graph, prepared=prepared)
        for improved in (False, True):
            expected = nx.closeness_centrality(same, distance="weight", wf_improved=improved)
            assert_as_expected(graph, closeness(solver, wf_improved=improved), expected)
        assert_as_expected(graph, harmonic(solver), nx.harmonic_centrality(same, distance="weight"))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("prepared", [False, True])
def test_cutoffs_count_the_vertices_that_are_within_them(dtype, prepared):
    for seed in range(30):
        graph = random_graph(seed, dtype)
        solver = wp.Solver(graph, prepared=prepared)
        dist = wp.apsp(graph).dist.astype(float)
        near = closeness(solver, cutoff=[3, 1], wf_improved=bool(seed % 2))
        inverse = harmonic(solver, cutoff=[3, 1])
        assert near.vertices.shape == inverse.vertices.shape == (graph.n, 2)
        for at, cutoff in enumerate((1, 3)):
            within = np.where(dist <= cutoff, dist, np.nan)
            others = (dist <= cutoff).sum(axis=0) - 1
            with np.errstate(divide="ignore", invalid="ignore"):
                right = np.nan_to_num(others / np.nansum(within, axis=0), posinf=0)
                sums = np.nansum(np.where(within > 0, 1 / within, 0), axis=0)
            if seed % 2 and graph.n > 1:
                right = right * others / (graph.n - 1)
            assert np.allclose(near.vertices[:, at], right, rtol=1e-6, atol=0)
            assert np.allclose(inverse.vertices[:, at], sums, rtol=1e-6, atol=0)
        one = harmonic(solver, cutoff=3)
        assert one.vertices.tolist() == inverse.vertices[:, 1].tolist()


def test_large_cutoffs_are_swept_in_a_prepared_graph_and_small_ones_searched():
    road = wp.generate.road(4000, weights=(1, 9))
    city = wp.prepare(road)
    farthest = int(city.totals("max", sources=0)["max"][0])
    cutoffs = [farthest // 3, farthest // 2]
    swept = closeness(city, cutoff=cutoffs)
    assert swept.method != "classic.dijkstra"
    whole = wp.apsp(road).dist
    for at, cutoff in enumerate(cutoffs):
        within = np.where(whole <= cutoff, whole, 0).sum(axis=1)
        others = (whole <= cutoff).sum(axis=1) - 1
        right = others / within * others / (road.n - 1)
        assert np.allclose(swept.vertices[:, at], right, rtol=1e-12, atol=0)
    searched = wp.Solver(road, algorithm="classic.dijkstra")
    assert closeness(searched, cutoff=cutoffs).vertices.tolist() == swept.vertices.tolist()
    assert closeness(city, cutoff=20).method == "classic.dijkstra"
    assert harmonic(road, cutoff=20).vertices.tolist() == [
        pytest.approx((1 / row[(row > 0) & (row <= 20)]).sum(), rel=1e-12) for row in whole
    ]


@pytest.mark.parametrize("dtype", TYPES)
def test_paths_within_several_cutoffs_are_counted_in_one_pass(dtype):
    for seed in range(30):
        graph = random_graph(seed, dtype)
        how = {"normalized": bool(seed % 2), "endpoints": bool(seed % 3)}
        several = betweenness(graph, cutoff=[10**6, 2, 4], **how)
        assert several.cutoffs.tolist() == [2, 4, 10**6]
        whole = betweenness(graph, **how)
        assert several.vertices[:, 2].tolist() == whole.vertices.tolist()
        assert several.edges[:, 2].tolist() == whole.edges.tolist()
        for at, cutoff in enumerate((2, 4)):
            one = betweenness(graph, cutoff=cutoff, **how)
            assert one.vertices.tolist() == several.vertices[:, at].tolist()
            assert one.edges.tolist() == several.edges[:, at].tolist()
        alone = edge_betweenness(graph, cutoff=[2], normalized=how["normalized"])
        assert alone.edges[:, 0].tolist() == several.edges[:, 0].tolist()
    path = wp.Graph.of([(0, 1, 2), (1, 2, 2), (2, 3, 2)], directed=False)
    found = betweenness(path, cutoff=[2, 4], normalized=False)
    assert found.vertices.tolist() == [[0, 0], [0, 1], [0, 1], [0, 0]]


def lengths_along(graph, metres):
    """The distances, and the least metres along shortest paths, of all pairs: NaN without one."""
    packed = graph.with_weights(graph.edges()[2].astype(np.int64) * 10_000 + metres)
    table = wp.apsp(packed).dist
    reached = table != np.iinfo(np.int64).max
    return (np.where(reached, part, np.nan) for part in np.divmod(table, 10_000))


def doubled(seed):
    """A graph with ties, parallel edges and metres, which are equal in both directions."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 12))
    pairs = [(u, v) for u in range(n) for v in range(u) if rng.random() < 0.4]
    pairs += pairs[::3]
    rows = [(u, v, int(rng.integers(1, 4)), int(rng.integers(0, 9))) for u, v in pairs]
    frame = pytest.importorskip("pandas").DataFrame(rows, columns=["a", "b", "minutes", "metres"])
    directed = bool(seed % 2)
    return wp.Graph.of(frame, n=n, directed=directed, weight="minutes", attributes=["metres"])


def test_radii_in_another_column_follow_the_shortest_paths():
    for seed in range(40):
        graph = doubled(seed)
        if not graph.m:
            continue
        minutes, along = lengths_along(graph, graph.edge_table()["metres"].to_numpy())
        radii = {"cutoff": [12, 4], "by": "metres"}
        near, inverse = closeness(graph, **radii), harmonic(graph, **radii)
        reached = wp.centrality.reach(graph, **radii)
        faded = wp.centrality.gravity(graph, beta=0.5, **radii)
        open_ended = betweenness(graph, cutoff=10**6, by="metres").vertices
        assert np.allclose(open_ended, betweenness(graph).vertices, rtol=1e-12, atol=0)
        for at, radius in enumerate((4, 12)):
            within = np.where(along <= radius, minutes, np.nan)
            others = np.isfinite(within).sum(axis=0) - 1
            with np.errstate(divide="ignore", invalid="ignore"):
                mean = np.nan_to_num(others / np.nansum(within, axis=0), posinf=0)
                sums = np.nansum(np.where(within > 0, 1 / within, 0), axis=0)
            right = mean * others / max(graph.n - 1, 1)
            assert np.allclose(near.vertices[:, at], right, rtol=1e-12, atol=0)
            assert np.allclose(inverse.vertices[:, at], sums, rtol=1e-12, atol=0)
            assert (
                reached.vertices[:, at].tolist() == (np.isfinite(within).sum(axis=1) - 1).tolist()
            )
            decayed = np.nansum(np.exp(-0.5 * within), axis=1) - 1
            assert np.allclose(faded.vertices[:, at], decayed, rtol=1e-12, atol=1e-12)
            pairs = betweenness(
                graph, cutoff=radius, by="metres", normalized=False, endpoints=True
            ).vertices.sum()
            assert pairs >= (np.isfinite(within).sum() - graph.n) / (2 - graph.directed)
        both = betweenness(graph, **radii), edge_betweenness(graph, **radii)
        threads = betweenness(graph, threads=3, **radii), edge_betweenness(graph, **radii)
        assert both[0].vertices.tobytes() == threads[0].vertices.tobytes()
        assert both[1].edges.tolist() == both[0].edges.tolist()


def test_of_parallel_edges_as_light_the_shorter_one_is_within_a_radius():
    frame = pytest.importorskip("pandas").DataFrame(
        {"a": [0, 0, 1], "b": [1, 1, 2], "s": [2, 2, 5], "m": [90, 7, 8]}
    )
    street = wp.Graph.of(frame, weight="s", attributes="all")
    found = edge_betweenness(street, cutoff=[7, 15], by="m", normalized=False)
    assert found.edges.tolist() == [[0, 0], [1, 2], [0, 2]]
    assert closeness(street, cutoff=7, by="m").vertices.tolist() == [0, 0.25, 0]


def test_radii_are_in_the_unit_of_their_column_and_need_one(square):
    metres = [300] * square.m
    found = betweenness(square, cutoff=[300.5, 900], by=metres)
    assert found.cutoffs.tolist() == [300.5, 900]
    assert not found.vertices[:, 0].any()
    assert found.vertices[3].tolist() == [0, betweenness(square).vertices[3]]
    places = [(0.001 * v, 0) for v in range(5)]
    far = betweenness(square.with_coordinates(places), cutoff="0.3km", by="great_circle")
    assert 0 < far.vertices.max() < betweenness(square).vertices.max()
    for call in (betweenness, closeness, wp.centrality.reach):
        with pytest.raises(wp.GraphError, match="by='x' is not a rule"):
            call(square, cutoff=3, by="x")
        with pytest.raises(InputError, match="by has no effect without cutoffs"):
            call(square, by=metres)
        with pytest.raises(wp.NegativeWeightError, match="by: lengths must be 0 or more"):
            call(square, cutoff=3, by=[-1] * square.m)
        with pytest.raises(wp.GraphError, match="by: 10 lengths are inf"):
            call(square, cutoff=3, by=[math.inf] * square.m)
        with pytest.raises(NotSupportedError, match="paths end at the first vertex"):
            call(wp.Graph([0, 1, 1], [1], [3], first_through=1), cutoff=3, by=[1])
        with pytest.raises(WeightError, match="from 'a' to 'b' has the length 0"):
            call([("a", "b", 0), ("b", "c", 1)], cutoff=3, by=[1, 1])
        with pytest.raises(WeightError, match=r"(1 and|to) 2 has .* lost|between 2 and 1"):
            call([(0, 1, 1e20), (1, 2, 1.0), (2, 0, 1e20)], cutoff=3, by=[1, 1, 1])
        with pytest.raises(NotSupportedError, match="algorithm"):
            call(wp.Solver(square, algorithm="classic.dijkstra"), cutoff=3, by=metres)


def test_no_sources_within_a_cutoff_give_zeros(square):
    assert not wp.centrality.betweenness(square, sources=[], cutoff=100.0).vertices.any()


def test_a_sample_for_an_error_keeps_it():
    road = wp.generate.road(1500, weights=(1, 9))
    right = betweenness(wp.Solver(road, prepared=True))
    needed = math.ceil(math.log(20 * (road.n + road.m)) / (2 * 0.08**2)) + 1
    for seed in range(4):
        for directed in (False, True):
            graph = wp.Graph.of(road.edges()) if directed else road
            found = betweenness(wp.Solver(graph, prepared=True), error=0.08, seed=seed)
            assert len(found.source_indices) == needed < road.n
            assert abs(found.vertices - right.vertices).max() < 0.08
            edges = edge_betweenness(wp.Solver(road, prepared=True), error=0.08, seed=seed).edges
            assert abs(edges - right.edges).max() < 0.08
    exact = betweenness(wp.Solver(road, prepared=True), error=0.001)
    assert exact.vertices.tolist() == right.vertices.tolist()
    assert betweenness(wp.Graph.of([], n=1), error=0.1).vertices.tolist() == [0]


@pytest.mark.parametrize("error", [0, 1, -0.1, math.nan, "0.1", True])
def test_an_error_is_a_number_between_0_and_1(square, error):
    with pytest.raises(InputError, match=r"error = .* must be a number between 0 and 1"):
        betweenness(square, error=error)
    with pytest.raises(InputError, match="give one of them"):
        edge_betweenness(square, error=0.1, k=2)


def test_numbers_of_several_cutoffs_have_columns(square):
    table = closeness(square, cutoff=[1, 2]).to_pandas()
    assert list(table) == ["vertex", "closeness_1", "closeness_2"]
    table = edge_betweenness(square, cutoff=[1, 2.5]).to_pandas()
    assert list(table) == ["source", "target", "edge_betweenness_1.0", "edge_betweenness_2.5"]
    assert list(betweenness(square, cutoff=2).to_pandas()) == ["vertex", "betweenness"]
    for call in (betweenness, closeness):
        with pytest.raises(InputError, match="cutoff -1 must be"):
            call(square, cutoff=-1)


def test_floats_whose_sums_are_exact_are_counted_by_sweeps_and_others_by_searches():
    road = wp.generate.road(300, weights=(1, 9))
    whole = betweenness(wp.Solver(road, prepared=True))
    assert whole.method == "counting sweeps"
    halves = road.astype("float32").with_weights((road._solver_weights / 2).astype("float32"))
    found = betweenness(wp.Solver(halves, prepared=True))
    assert found.method == "counting sweeps"
    assert found.vertices.tolist() == whole.vertices.tolist()
    tenths = road.with_weights(road._solver_weights / 10)
    assert betweenness(wp.Solver(tenths, prepared=True)).method == "dijkstra"
    long = road.with_weights((road._solver_weights + 2.0**22).astype("float32"))
    assert betweenness(wp.Solver(long, prepared=True)).method == "dijkstra"
    assert betweenness(road.with_weights(None)).method == "breadth-first"


def test_a_graph_gets_a_hierarchy_where_that_saves_time_and_a_solver_where_it_asks_for_one():
    road = wp.generate.road(20_000)
    assert betweenness(road, k=200, seed=1).method == "counting sweeps"
    again = wp.generate.road(20_000)
    assert betweenness(again, k=1, seed=1).method == "dijkstra"
    assert betweenness(wp.Solver(again), k=200, seed=1).method == "dijkstra"
    mesh = wp.generate.small_world(500, degree=8)
    assert betweenness(wp.Solver(mesh, prepared=True)).method != ""


def test_both_algorithms_of_the_catalogue_run_by_their_names():
    road = wp.generate.road(300, weights=(1, 9))
    for name, method in (
        ("brandes2001.betweenness", "dijkstra"),
        ("warpath.counting_sweeps", "counting sweeps"),
    ):
        assert wp.algorithms()[name].solves == {Task.BETWEENNESS}
        found = betweenness(wp.Solver(road, algorithm=name))
        assert found.method == method
        assert np.allclose(found.vertices, betweenness(road).vertices, rtol=1e-12, atol=0)
        with pytest.raises(NotSupportedError, match="it does betweenness, not sssp"):
            wp.sssp(road, 0, algorithm=name)
        with pytest.raises(NotSupportedError, match="it does betweenness, not distances"):
            closeness(wp.Solver(road, algorithm=name))
    prepared = wp.Solver(road, prepared=True, algorithm="brandes2001.betweenness")
    assert betweenness(prepared).method == "dijkstra"
    sweeps = wp.Solver(road, algorithm="warpath.counting_sweeps")
    with pytest.raises(NotSupportedError, match="counts paths of all lengths: leave cutoff out"):
        betweenness(sweeps, cutoff=5)
    tenths = wp.Solver(road.with_weights(road.edges()[2] / 10), algorithm="warpath.counting_sweeps")
    with pytest.raises(NotSupportedError, match="these paths: sums of weights are rounded"):
        betweenness(tenths)
    with pytest.raises(NotSupportedError, match=r"brandes2001\.betweenness or warpath\.count"):
        betweenness(wp.Solver(road, algorithm="classic.dijkstra"))


def test_parallel_edges_count_once_and_the_first_lightest_has_the_share():
    edges = [(0, 1, 5), (0, 1, 2), (0, 1, 2), (1, 1, 0), (1, 2, 3)]
    graph = wp.Graph.of(edges)
    for prepared in (False, True):
        found = edge_betweenness(wp.Solver(graph, prepared=prepared), normalized=False)
        weights = graph.edges()[2].tolist()
        assert found.edges[weights.index(2)] == 2
        assert found.edges.sum() == 4
        assert found.vertices.tolist() == [0, 1, 0]


def test_both_directions_of_an_undirected_edge_have_its_share(square):
    found = edge_betweenness(square, normalized=False)
    table = found.to_pandas().set_index(["source", "target"])["edge_betweenness"]
    assert table["d", "e"] == table["e", "d"] == 4
    assert table["a", "b"] == table["b", "a"] == 2.5


def test_results_have_tables_and_files(square, tmp_path):
    found = betweenness(square)
    assert sorted(found.sources.tolist()) == list("abcde")
    assert sorted(found.to_pandas()["vertex"]) == list("abcde")
    found.save(tmp_path / "b.csv")
    lines = (tmp_path / "b.csv").read_text().splitlines()
    assert lines[0] == '"vertex","betweenness"'
    assert len(lines) == 6
    edges = edge_betweenness(square)
    edges.save(tmp_path / "e.csv")
    assert (tmp_path / "e.csv").read_text().startswith('"source","target","edge_betweenness"\n')
    assert repr(edges).startswith("<Centrality: edge_betweenness of 10 edges\n  5 sources, by")
    assert len(found) == 5
    copy = pickle.loads(pickle.dumps(found))  # noqa: S301 - our own
    assert copy.vertices.tolist() == found.vertices.tolist()
    assert "betweenness" in found._repr_html_()


def test_results_join_the_shapes_of_edges_and_vertices():
    pytest.importorskip("geopandas")
    grid = wp.generate.grid(3, 3)
    edges, vertices = betweenness(grid).to_geopandas()
    assert len(edges) == grid.m
    assert vertices["betweenness"].max() == vertices["betweenness"][4] > 0
    assert "betweenness" in edges


def test_edges_of_length_0_or_less_are_refused_by_name():
    with pytest.raises(WeightError, match="from 'a' to 'b' has the length 0, but betweenness"):
        betweenness([("a", "b", 0), ("b", "c", 1)])
    with pytest.raises(NegativeWeightError, match="from 0 to 1 has the length -2"):
        betweenness([(0, 1, -2), (1, 2, 1)])
    with pytest.raises(WeightError, match=r"from 1 to 2 has the length 1.0, which is lost"):
        betweenness([(0, 1, 1e20), (1, 2, 1.0)])


def test_arguments_that_are_not_valid_are_refused(square):
    for k in (0, 6, 2.5, True, "x"):
        with pytest.raises(InputError, match="must be a number of vertices to draw: 1 to 5"):
            betweenness(square, k=k)
    with pytest.raises(InputError, match="both choose the sources"):
        betweenness(square, k=2, sources=["a"])
    with pytest.raises(InputError, match="must be an integer, or None"):
        betweenness(square, k=2, seed="x")
    with pytest.raises(VertexError, match="'x'"):
        betweenness(square, sources=["x"])
    with pytest.raises(InputError, match="normalized"):
        betweenness(square, normalized="yes")
    with pytest.raises(NotSupportedError, match="algorithms of its own"):
        betweenness(wp.Solver(square, algorithm="classic.dijkstra"))
    with pytest.raises(NotSupportedError, match="paths end at the first vertex"):
        betweenness(wp.Graph([0, 1, 1], [1], [3], first_through=1))


def test_more_memory_than_is_free_is_refused_before(square, monkeypatch):
    monkeypatch.setenv("WARPATH_MEMORY", "100")
    with pytest.raises(NotEnoughMemoryError, match="betweenness would take"):
        betweenness(square)


def test_paths_of_integers_that_may_not_fit_are_refused():
    with pytest.raises(wp.DistanceOverflowError, match="may not fit 64 bits"):
        betweenness([(0, 1, 2**62), (1, 2, 2**62), (2, 3, 2**62)])


def test_progress_counts_sources_and_cancels():
    road = wp.generate.road(4_000)

    def stop(_, total):
        assert total == road.n
        raise KeyboardInterrupt

    for prepared in (False, True):
        with pytest.raises(KeyboardInterrupt):
            betweenness(wp.Solver(road, prepared=prepared), progress=stop)


def test_a_block_more_changes_no_values(monkeypatch):
    road = wp.generate.road(900, weights=(1, 9))
    whole = betweenness(road)
    monkeypatch.setattr(engine, "BLOCK", 128)
    counts = []
    found = betweenness(road, progress=lambda done, total: counts.append((done, total)))
    assert np.allclose(found.vertices, whole.vertices, rtol=1e-12, atol=0)
    assert counts == sorted(counts)
    assert counts[-1] == (road.n, road.n)
    assert betweenness(road, threads=3).vertices.tobytes() == found.vertices.tobytes()


KILLED = """
import os, signal, sys
import warpath as wp
from warpath.engines import betweenness

betweenness.BLOCK = 64

def progress(done, total):
    if done > 300:
        os.kill(os.getpid(), signal.SIGKILL)

grid = wp.generate.grid(20, 30, weights=(1, 9))
solver = wp.Solver(grid, prepared=sys.argv[2] == "True")
wp.centrality.betweenness(solver, k=500, seed=4, checkpoint=sys.argv[1], progress=progress)
"""


@pytest.mark.parametrize("prepared", [False, True])
def test_a_killed_run_continues_with_the_same_bits(tmp_path, monkeypatch, prepared):
    monkeypatch.setattr(engine, "BLOCK", 64)
    grid = wp.generate.grid(20, 30, weights=(1, 9))
    solver = wp.Solver(grid, prepared=prepared)
    right = betweenness(solver, k=500, seed=4)
    file = tmp_path / "sums"
    words = [sys.executable, "-c", KILLED, str(file), str(prepared)]
    assert subprocess.run(words, check=False).returncode < 0
    counts = []
    how = {"seed": 4, "checkpoint": file}
    with pytest.raises(wp.OutputError, match=r"of another query \(another sources\)"):
        betweenness(solver, k=400, **how)
    with pytest.raises(wp.OutputError, match="another endpoints"):
        betweenness(solver, k=500, endpoints=True, **how)
    found = betweenness(solver, k=500, progress=lambda done, _: counts.append(done), **how)
    assert counts[0] > 256
    assert found.vertices.tobytes() == right.vertices.tobytes()
    assert found.edges.tobytes() == right.edges.tobytes()
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_run_continues_and_damaged_sums_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(engine, "BLOCK", 64)
    road = wp.generate.road(400, weights=(1, 9))
    file = tmp_path / "sums"

    def stopped(most):
        def stop(done, _):
            if done > most:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            edge_betweenness(road, cutoff=[20, 40], checkpoint=file, progress=stop)
        return sorted(path.name for path in tmp_path.iterdir())

    with pytest.raises(WeightError):
        edge_betweenness([(0, 1, 1e20), (1, 2, 1.0)], checkpoint=file)
    assert list(tmp_path.iterdir()) == []
    for most in (100, 200, 290):
        assert stopped(most) == ["sums.part", "sums.part.json"]
    part = tmp_path / "sums.part"
    whole = part.read_bytes()
    part.write_bytes(bytes(len(whole)))
    with pytest.raises(wp.OutputError, match=r"changed or damaged since: delete sums\.part and"):
        edge_betweenness(road, cutoff=[20, 40], checkpoint=file)
    part.write_bytes(whole)
    found = edge_betweenness(road, cutoff=[20, 40], checkpoint=file)
    assert found.edges.tobytes() == edge_betweenness(road, cutoff=[20, 40]).edges.tobytes()
    with pytest.raises(wp.OutputError, match="No such file or directory"):
        edge_betweenness(road, checkpoint=tmp_path / "no" / "sums")


def test_graphs_without_vertices_or_edges_have_empty_or_zero_results():
    assert len(betweenness(wp.Graph.of([]))) == 0
    assert betweenness(wp.Graph.of([], n=3)).vertices.tolist() == [0, 0, 0]
    none = betweenness(wp.Graph.of([(0, 1, 2)]), sources=[])
    assert none.vertices.tolist() == [0, 0]
    every = np.arange(2)
    sums = betweenness_sums(
        wp.Graph.of([(0, 1, 2)]), every, every, 1, endpoints=True, prepared=False
    )
    assert sums.vertices.tolist() == [[1, 1]]


@pytest.mark.filterwarnings("error")
def test_closeness_beyond_the_largest_float_is_infinite_without_a_warning():
    assert closeness([(0, 1, 5e-324)]).vertices.tolist() == [0, math.inf]


def test_the_only_vertex_that_was_drawn_has_nan_as_in_networkx():
    graph = [("a", "b", 1), ("b", "c", 1), ("c", "a", 1)]
    found = betweenness(graph, k=1, seed=1)
    assert np.flatnonzero(np.isnan(found.vertices)).tolist() == found.source_indices.tolist()


@pytest.mark.parametrize("prepared", [False, True])
def test_eccentricities_are_those_of_networkx(prepared):
    for seed in range(40):
        graph = random_graph(seed, TYPES[seed % 4])
        nx, same = of_networkx(graph)
        found = eccentricity(wp.Solver(graph, prepared=prepared))
        for v in range(graph.n):
            reached = nx.single_source_dijkstra_path_length(same, v)
            far = max(reached.values()) if len(reached) == graph.n else math.inf
            assert found.vertices[v] == pytest.approx(far, rel=1e-6)
    assert len(eccentricity([]).vertices) == 0
    assert eccentricity(wp.Graph.of([(0, 1, 2)], directed=False), threads=1).vertices.tolist() == [
        2,
        2,
    ]


def test_the_largest_numbers_are_named_as_in_tables(square):
    assert betweenness(square, normalized=False).largest() == {"betweenness": (("d",), 3.5)}
    edges = edge_betweenness(square, cutoff=[1, 9], normalized=False)
    assert edges.largest() == {
        "edge_betweenness_1": (("a", "b"), 1.0),
        "edge_betweenness_9": (("d", "e"), 4.0),
    }
    drawn = betweenness(square, k=1, seed=1)
    (((vertex,), number),) = drawn.largest().values()
    assert number == np.nanmax(drawn.vertices)
    assert vertex == square.labels[np.nanargmax(drawn.vertices)]
    assert betweenness([]).largest() == {}


def test_a_checkpoint_of_few_sources_must_be_a_file_that_can_be_written_too(tmp_path):
    road = wp.generate.road(30)
    with pytest.raises(wp.OutputError, match="No such file or directory"):
        wp.centrality.betweenness(road, checkpoint=tmp_path / "no" / "sums")
    with pytest.raises(wp.InputError, match="5 must be a string or a Path"):
        wp.centrality.betweenness(road, checkpoint=5)
    wp.centrality.betweenness(road, checkpoint=tmp_path / "sums")
    assert list(tmp_path.iterdir()) == []


def test_a_solver_that_is_to_be_prepared_is_so_in_both_directions():
    road = wp.generate.road(3_000)
    road = wp.Graph.from_edges(*road.edges()[:2], np.arange(1, road.m + 1) % 97 + 1)
    there = closeness(wp.Solver(road, prepared=True))
    assert there.method == "delling2011.phast"
    assert there.vertices.tolist() == closeness(wp.Solver(road)).vertices.tolist()
