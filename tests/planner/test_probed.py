"""How many hops lead to thousands of vertices: what tells wide graphs from deep ones."""

from __future__ import annotations

import warpath as wp
from warpath import Graph, generate
from warpath.graph.facts import PROBED, WIDE_HOPS, probed
from warpath.planner.cpu_model import MESH_DEGREE


def test_random_and_skewed_graphs_are_wide():
    for graph in (
        generate.uniform(20_000, 8, seed=1),
        generate.random_in_degree(20_000, 7, seed=1),
        generate.rmat(14, 8, seed=1),
        generate.complete(3000, seed=1),
    ):
        assert 1 <= probed(graph).hops <= WIDE_HOPS, graph


def test_grids_roads_and_triangulations_are_deep():
    for graph in (
        generate.grid(120, 120, seed=1),
        generate.road(2**14, seed=1),
        generate.delaunay(2**14, seed=1),
    ):
        assert probed(graph).hops > WIDE_HOPS, graph


def test_a_path_is_as_deep_as_is_counted():
    n = 10_000
    path = Graph.of((range(n - 1), range(1, n), [1] * (n - 1)))
    assert probed(path).hops == 64


def test_graphs_without_edges_have_hops_too():
    assert probed(Graph.of([], n=3)).hops == 1


def test_the_other_facts_stay_and_hops_are_counted_once():
    graph = generate.uniform(1000, 4, seed=2)
    assert probed(graph) is probed(graph)
    assert probed(graph).m == graph.facts(symmetry=False).m
    assert graph.facts(symmetry=False).hops == 0


def test_a_plan_counts_hops_where_far_numbers_may_be_those_of_a_deep_graph():
    sparse = generate.uniform(2**14, 3, seed=1)
    assert sparse.facts(symmetry=False).mean_degree < MESH_DEGREE
    enough = -(-(2**20) // sparse.m)
    wp.plan(sparse, sources=range(enough - 1), device="cpu")
    assert PROBED.cached(sparse) is None
    wp.plan(sparse, sources=range(enough), device="cpu")
    assert PROBED.cached(sparse) is not None


def test_a_plan_counts_no_hops_of_a_mesh_whose_numbers_are_near():
    mesh = generate.grid(128, 128, seed=1)
    assert mesh.facts(symmetry=False).mean_degree < MESH_DEGREE
    wp.plan(mesh, sources=range(2**20 // mesh.m + 1), device="cpu")
    assert PROBED.cached(mesh) is None
