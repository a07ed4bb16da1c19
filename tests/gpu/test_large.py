"""Large graphs: a certificate for the answer, and the same bits from all."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import warpath as wp
from support.compare import assert_same_bits
from support.recipes import on_gpu
from warpath import generate
from warpath.recipes import Task

GRAPHS = {
    "rmat 16": lambda: generate.rmat(16, 16, seed=11),
    "rmat 18": lambda: generate.rmat(18, 16, seed=12),
    "in-degree 7": lambda: generate.random_in_degree(2**18, seed=13),
    "grid": lambda: generate.grid(400, 300, (1, 100), drop=0.25, seed=14),
    "delaunay": lambda: generate.delaunay(2**15, (1, 200), seed=15),
    "small world": lambda: generate.small_world(2**16, 10, 0.1, (1, 100), seed=16),
    "hub": lambda: hub(2**17),
}
TYPES = ("int32", "int64", "float32", "float64")
# One of each loop, map, reduction and kind of list.
IN_ALL_TYPES = (
    "warpath.wide",
    "warpath.patches",
    "davidson2014.near_far.merge_path",
    "davidson2014.workfront_sweep.cta_warp_scan",
    "davidson2014.bucketing_multisplit.cooperative_blocks",
    "bodra2025.bf_strided_flag",
    "johnson_gpu.bf_queue",
)
# Their rounds are the distinct distances, which floats and large integers have too many of.
IN_INT32 = (
    "martin2009.f_gpu",
    "martin2009.f_gpu_1min",
    "martin2009.u_gpu_plus_1min",
    "martin2009.u_gpu_2min",
    "martin2009.u_h3",
    "johnson_gpu.dijkstra_flags",
    "johnson_gpu.dijkstra_queue",
    "johnson_gpu.dijkstra_prefix",
    "davidson2014.bellman_ford",
    "davidson2014.bucketing.merge_path",
    "davidson2014.near_far.cooperative_blocks",
    "davidson2014.near_far.cta_warp_scan",
    "davidson2014.hybrid",
    "bodra2025.bf_vertex",
)
RUNS = [(name, dtype) for name in IN_ALL_TYPES for dtype in TYPES]
RUNS += [(name, "int32") for name in IN_INT32]


def hub(n: int) -> wp.Graph:
    """A random graph and a vertex with an edge to each other one."""
    src, dst, weights = generate.uniform(n, 4, (1, 100), seed=17).edges()
    leaves = np.arange(1, n)
    return wp.Graph.from_edges(
        np.concatenate((src, np.zeros_like(leaves))),
        np.concatenate((dst, leaves)),
        np.concatenate((weights, 150 + leaves % 50)).astype(np.int32),
        n=n,
    )


@cache
def problem(name: str, dtype: str) -> tuple[wp.Graph, int, np.ndarray]:
    """A graph, a source with edges, and the certified distances."""
    graph = GRAPHS[name]().astype(dtype)
    source = int(np.flatnonzero(np.diff(graph.indptr))[-7])
    paths = wp.sssp(graph, source, device="cpu")
    wp.verify(graph, paths)
    return graph, source, paths.dist


@pytest.mark.parametrize(("algorithm", "dtype"), RUNS)
@pytest.mark.parametrize("name", GRAPHS)
def test_a_large_graph_is_solved_with_the_certified_bits(name, algorithm, dtype, record_property):
    record_property("recipe", algorithm)
    graph, source, expected = problem(name, dtype)
    found = wp.sssp(graph, source, algorithm=algorithm, device="cuda")
    assert_same_bits(found.dist, expected, graph)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", GRAPHS)
def test_a_large_graph_of_equal_weights_is_searched_breadth_first(name, dtype, record_property):
    record_property("recipe", "warpath.bfs")
    graph = GRAPHS[name]()
    graph = graph.with_weights(np.full(graph.m, 0.1 if dtype.startswith("f") else 3, dtype))
    for source in np.flatnonzero(np.diff(graph.indptr))[[0, -7]].tolist():
        found = wp.sssp(graph, source, algorithm="warpath.bfs", device="cuda")
        expected = wp.sssp(graph, source, algorithm="warpath.bfs", device="cpu")
        assert_same_bits(found.dist, expected.dist, graph)
        assert_same_bits(found.pred, expected.pred)


@pytest.mark.parametrize("name", GRAPHS)
def test_what_comes_from_a_gpu_passes_the_certificate(name):
    graph, source, _ = problem(name, "float32")
    found = wp.sssp(graph, source, algorithm="davidson2014.near_far.merge_path", device="cuda")
    wp.verify(graph, found)


@pytest.mark.parametrize("order", ["C", "F"])
def test_matrices_give_the_bits_of_lists(order, record_property):
    graph = generate.dense(1500, 0.2 if order == "C" else 0.9, (1, 10), seed=18)
    expected = wp.sssp(graph, 3, device="cpu").dist
    for algorithm in (
        "martin2009.f_gpu_1min.dense",
        "martin2009.f_gpu.dense",
        "martin2009.u_gpu_1min.dense",
        "martin2009.u_gpu.dense",
    ):
        record_property("recipe", algorithm)
        found = wp.sssp(graph, 3, algorithm=algorithm, device="cuda")
        assert_same_bits(found.dist, expected, graph)


NEGATIVE = [recipe for recipe in on_gpu() if recipe.negative and recipe.exact]


@pytest.mark.parametrize("recipe", NEGATIVE, ids=lambda r: r.name)
def test_negative_weights_without_a_negative_cycle(recipe, ran):
    graph = generate.grid(150, 150, (1, 100), drop=0.2, seed=19)
    src, dst, weights = graph.edges()
    height = np.random.default_rng(20).integers(0, 500, graph.n)
    tilted = wp.Graph.from_edges(src, dst, weights + height[src] - height[dst], n=graph.n)
    assert tilted.facts(symmetry=False).negative > tilted.m / 4
    assert recipe.objection(Task.SSSP, tilted.facts(symmetry=False)) is None
    ran(recipe)
    found = wp.sssp(tilted, 0, algorithm=recipe.name, device="cuda")
    assert_same_bits(found.dist, wp.sssp(tilted, 0, device="cpu").dist, tilted)
    wp.verify(tilted, found)


@pytest.mark.parametrize("recipe", NEGATIVE, ids=lambda r: r.name)
def test_a_negative_cycle_far_from_the_source_is_found(recipe, ran):
    n = 3000
    ran(recipe)
    ring = np.arange(n - 3, n)
    src = np.concatenate((np.arange(n - 1), [n - 1]))
    dst = np.concatenate((np.arange(1, n), [n - 3]))
    weights = np.concatenate((np.full(n - 1, 2), [-5])).astype(np.int32)
    with pytest.raises(wp.NegativeCycleError) as caught:
        wp.sssp(wp.Graph.from_edges(src, dst, weights), 0, algorithm=recipe.name, device="cuda")
    assert sorted(caught.value.cycle) == ring.tolist()
    assert caught.value.length == -1
