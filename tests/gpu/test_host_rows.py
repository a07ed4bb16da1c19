"""Graphs whose edges do not fit the GPU's memory, which WARPATH_GPU_MEMORY lowers."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import warpath as wp
from warpath import generate
from warpath.planner.cpu_model import Size
from warpath.planner.host_rows import edge_bytes, host_rows_bytes
from warpath.recipes import CATALOGUE, Task

ONE = Size(Task.SSSP)


def limited(graph, name, monkeypatch, size=ONE):
    """Set the limit to what labels and lists take, and return it."""
    limit = host_rows_bytes(CATALOGUE[name], size, graph.facts(symmetry=False))
    monkeypatch.setenv("WARPATH_GPU_MEMORY", str(limit))
    return limit


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("warpath.wide", lambda: generate.rmat(16, 32, seed=3)),
        ("warpath.wide", lambda: generate.rmat(15, 40, directed=True, seed=4)),
        ("warpath.patches", lambda: generate.road(150_000, seed=5)),
    ],
    ids=["undirected", "directed", "road"],
)
def test_edges_on_the_host_give_the_same_bits(name, make, dtype, gpu, monkeypatch, ran):
    graph = make().astype(dtype)
    ran(CATALOGUE[name])
    limit = limited(graph, name, monkeypatch)
    gc.collect()
    pool = gpu.xp.get_default_memory_pool()
    before = pool.used_bytes()
    for source in (0, graph.n // 2):
        paths = wp.sssp(graph, source, algorithm=name, device="cuda")
        assert paths.plan.rows_on_host
        right = wp.sssp(graph, source, device="cpu")
        assert paths.dist.tobytes() == right.dist.tobytes()
        assert (paths.pred == right.pred).all()
        wp.verify(graph, paths)
    assert pool.used_bytes() - before <= limit
    assert edge_bytes(CATALOGUE[name], graph.facts(symmetry=False)) > 0


def test_auto_takes_what_fits(gpu, monkeypatch):
    graph = generate.rmat(16, 32, seed=6)
    limited(graph, "warpath.wide", monkeypatch)
    paths = wp.sssp(graph, 1, device="cuda")
    assert (paths.dist == wp.sssp(graph, 1, device="cpu").dist).all()
    assert paths.plan.bytes <= gpu.free_memory()
    solver = wp.Solver(graph, device="cuda")  # copies no rows that do not fit
    assert (solver.sssp(2).dist == wp.sssp(graph, 2, device="cpu").dist).all()


@pytest.mark.parametrize("make", [generate.road, generate.uniform])
def test_tables_read_edges_on_the_host(make, monkeypatch):
    graph = make(60_000, seed=7)
    sources, name = np.arange(0, 60_000, 600), "warpath.pairs"
    limited(graph, name, monkeypatch, Size(Task.MANY, len(sources), graph.n, 8))
    table = wp.distances(graph, sources, algorithm=name, device="cuda")
    assert table.plan.rows_on_host
    assert (table.dist == wp.distances(graph, sources, device="cpu").dist).all()
