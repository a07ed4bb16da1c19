"""Eccentricities, and the diameter, radius and center of a graph."""

from __future__ import annotations

import numpy as np
import pytest

import warpath as wp
from support import corpus
from warpath.api import extremes
from warpath.base.dtypes import unreachable


@pytest.fixture(scope="module")
def road():
    return wp.generate.road(500)


@pytest.mark.parametrize("prepared", [False, True])
def test_they_are_those_of_the_table(road, prepared):
    solver = wp.Solver(road, prepared=prepared)
    farthest = wp.apsp(road).dist.max(axis=1)
    assert solver.eccentricity().tolist() == farthest.tolist()
    assert solver.diameter() == farthest.max()
    assert solver.radius() == farthest.min()
    assert solver.center().tolist() == np.flatnonzero(farthest == farthest.min()).tolist()
    assert solver.eccentricity([7, 3, 7]).tolist() == farthest[[7, 3, 7]].tolist()
    assert isinstance(solver.diameter(), int)


def graphs_of_some_size():
    yield wp.generate.road(400, weights=(0, 9))
    yield wp.generate.road(700).astype("float64")
    yield wp.generate.road(300).with_weights(None)  # many ties
    yield wp.generate.small_world(500, degree=6)
    yield wp.generate.grid(1, 300, weights=(1, 3))
    one_way = wp.generate.rmat(9, 8, directed=True, seed=3).largest_component(strong=True)
    yield one_way
    yield one_way.with_weights(np.random.default_rng(2).random(one_way.m))
    rng = np.random.default_rng(1)
    ring = np.arange(300)
    yield wp.Graph.from_edges(ring, (ring + 1) % 300, rng.integers(1, 9, 300))
    yield wp.Graph.from_edges(ring, (ring + 1) % 300, rng.random(300), directed=False)


@pytest.mark.parametrize("prepared", [False, True])
def test_bounds_leave_the_same_as_all_searches(prepared, monkeypatch):
    for graph in graphs_of_some_size():
        if prepared and graph.dist_dtype.kind == "f":
            continue  # whose sums in a hierarchy are rounded in another way
        for most in (3, 64):
            monkeypatch.setattr(extremes, "_MOST_SEARCHED", most)
            farthest = wp.eccentricity(graph)
            solver = wp.Solver(graph, prepared=prepared)
            assert solver.diameter() == farthest.max()
            assert solver.radius() == farthest.min()
            central = graph.label_of(np.flatnonzero(farthest == farthest.min()))
            assert solver.center().tolist() == central.tolist()


def test_a_road_network_takes_few_searches(monkeypatch):
    searches = []
    solve = extremes.paths_of
    monkeypatch.setattr(
        extremes, "paths_of", lambda *asked: searches.append(asked) or solve(*asked)
    )
    road = wp.generate.road(20_000)
    monkeypatch.setattr(wp.Solver, "eccentricity", None)
    wp.diameter(road)
    assert len(searches) <= 20
    wp.radius(road.reversed())
    assert len(searches) <= 40


def test_messages_of_large_graphs_name_the_first_vertex_that_does_not_reach_all():
    ring = np.arange(300)
    line = wp.Graph.from_edges(ring[:-1], ring[1:], np.ones(299, np.int64))
    with pytest.raises(wp.GraphError, match=r"no diameter, .* vertex 1 does not"):
        wp.diameter(line)
    assert (wp.radius(line), wp.center(line).tolist()) == (299, [0])
    assert wp.center(line.reversed()).tolist() == [299]
    parts = wp.Graph.from_edges(ring[:-2], ring[1:-1], np.ones(298, np.int64), n=300)
    for call in (wp.diameter, wp.radius, wp.center):
        with pytest.raises(wp.GraphError, match="vertex 0 does not"):
            call(parts.reversed())


@pytest.mark.parametrize("dtype", corpus.ALL_TYPES)
def test_every_type_of_weights(dtype):
    for case in corpus.all(dtype=dtype):
        graph = case.graph()
        if not 0 < graph.n <= 60 or case.negative or "overflow" in case.name:
            continue
        dist = wp.apsp(graph).dist
        found = wp.eccentricity(graph)
        assert found.dtype == dist.dtype
        assert found.tolist() == dist.max(axis=1).tolist()  # an unreachable vertex is the farthest


def test_a_vertex_that_does_not_reach_all_others_is_endless_and_no_center():
    one_way = wp.Graph.of([("a", "b", 2), ("b", "c", 5)])
    assert wp.eccentricity(one_way).tolist() == [7, *[unreachable(np.dtype(np.int64))] * 2]
    assert wp.eccentricity(one_way.astype("float64"), "b").tolist() == [np.inf]
    assert wp.radius(one_way) == 7
    assert wp.center(one_way).tolist() == ["a"]
    with pytest.raises(wp.GraphError, match=r"no diameter, .*vertex 'b' does not.*'max'"):
        wp.diameter(one_way)


@pytest.mark.parametrize("call", [wp.diameter, wp.radius, wp.center])
def test_a_graph_in_two_parts_and_one_without_vertices_have_none(call):
    name = call.__name__
    with pytest.raises(wp.GraphError, match=f"no {name}, for .* all others: vertex 0 does not"):
        call(wp.Graph.from_edges([0, 2], [1, 3], directed=False))
    with pytest.raises(wp.GraphError, match=f"no vertices, so it has no {name}"):
        call(wp.Graph.from_edges([], [], n=0))


def test_one_vertex_is_the_center_of_itself():
    alone = wp.Graph.from_edges([], [], n=1)
    assert (wp.diameter(alone), wp.radius(alone), wp.center(alone).tolist()) == (0, 0, [0])
    assert wp.eccentricity(wp.Graph.from_edges([], [], n=0)).tolist() == []


def test_they_are_networkxs():
    nx = pytest.importorskip("networkx")
    graph = nx.grid_2d_graph(5, 4)
    nx.set_edge_attributes(graph, {e: 1 + sum(e[0]) % 3 for e in graph.edges}, "minutes")
    ours = wp.Graph.of(graph, weight="minutes")
    assert wp.diameter(ours) == nx.diameter(graph, weight="minutes")
    assert wp.radius(ours) == nx.radius(graph, weight="minutes")
    assert [tuple(v) for v in wp.center(ours)] == nx.center(graph, weight="minutes")
