"""Random graphs in numbers: Dijkstra's bits and tree, and many solves in a row."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import warpath as wp
from support.compare import assert_same_bits
from support.recipes import on_gpu
from warpath import generate

TYPES = ("int32", "int64", "float32", "float64")
#: Of a size and a seed.
KINDS = {
    "uniform": lambda n, seed: generate.uniform(n, 2 + seed % 11, (0, 1000), seed=seed),
    "in-degree": lambda n, seed: generate.random_in_degree(n, 1 + seed % 9, (1, 10), seed=seed),
    "rmat": lambda n, seed: generate.rmat(n.bit_length() - 1, 8, (1, 255), seed=seed),
    "small world": lambda n, seed: generate.small_world(n, 6, 0.1, (0, 50), seed=seed),
    "road": lambda n, seed: generate.road(n, seed=seed),
    "grid": lambda n, seed: generate.grid(n // 300, 300, (1, 10_000), drop=0.25, seed=seed),
    "delaunay": lambda n, seed: generate.delaunay(n, (1, 200), seed=seed),
}


def random_graph(kind: str, dtype: str, seed: int, largest: int) -> tuple[wp.Graph, int]:
    """A graph of a random size, and a vertex of it with edges; floats of up to 16 decades."""
    rng = np.random.default_rng(seed)
    graph = KINDS[kind](int(largest * rng.uniform(0.1, 1)), seed)
    source = int(rng.choice(np.flatnonzero(np.diff(graph.indptr))))
    if dtype.startswith("int"):
        return graph.astype(dtype), source
    decades = rng.uniform(-1, 1, graph.m) * rng.choice([0.1, 1, 8])
    weights = (graph.weights * 10.0**decades).astype(dtype)
    return wp.Graph(graph.indptr, graph.indices, weights), source  # each direction has its own


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_random_large_graph_has_the_bits_and_the_tree_of_dijkstra(kind, dtype, seed):
    graph, source = random_graph(kind, dtype, seed, 400_000)
    found = wp.sssp(graph, source, device="cuda")
    expected = wp.sssp(graph, source, algorithm="classic.dijkstra", device="cpu", threads=1)
    assert_same_bits(found.dist, expected.dist, graph)
    assert_same_bits(found.pred, expected.pred)


def test_ten_thousand_solves_of_mixed_graphs_are_right_and_leave_nothing_behind(gpu):
    solves = []
    for place, kind in enumerate(KINDS):
        for dtype in TYPES:
            graph, source = random_graph(kind, dtype, 100 + place, 5000)
            right = wp.sssp(graph, source, algorithm="classic.dijkstra", device="cpu").dist
            solves.append((graph.to("cuda"), source, gpu.xp.asarray(right)))
    pool = gpu.xp.get_default_memory_pool()
    used = []
    for k in range(10_000):
        graph, source, right = solves[k % len(solves)]
        found = wp.sssp(graph, source)
        assert bool((found.on_device.dist == right).all()), (k, source)
        del found
        if k in (999, 9_999):
            gc.collect()
            used.append(pool.used_bytes())
    assert used[0] == used[1]


def test_ten_thousand_solves_by_all_recipes_in_rounds_are_right_and_leave_nothing_behind(gpu):
    solves = []
    for place, kind in enumerate(("uniform", "rmat", "road", "small world")):
        graph, source = random_graph(kind, "int32", 200 + place, 1000)
        right = wp.sssp(graph, source, algorithm="classic.dijkstra", device="cpu").dist
        solves.append((graph.to("cuda"), source, gpu.xp.asarray(right)))
    names = [r.name for r in on_gpu() if r.exact and r.axes and not r.axes.host_driven]
    pool = gpu.xp.get_default_memory_pool()
    used = []
    for k in range(10_000):
        graph, source, right = solves[k // len(names) % len(solves)]
        name = names[k % len(names)]
        found = wp.sssp(graph, source, algorithm=name)
        assert bool((found.on_device.dist == right).all()), (k, name)
        del found
        if k in (999, 9_999):
            gc.collect()
            used.append(pool.used_bytes())
    assert used[0] == used[1]
