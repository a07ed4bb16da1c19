"""Betweenness on a GPU: the bits of the CPU."""

from __future__ import annotations

import numpy as np
import pytest

import warpath as wp
from warpath.engines.cuda.tables import counting_sweeps
from warpath.recipes import CATALOGUE

TYPES = ("int32", "int64", "float32", "float64")


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("directed", [False, True], ids=["one direction", "two directions"])
def test_sums_have_the_bits_of_the_cpu(dtype, directed, ran, tmp_path):
    ran(CATALOGUE["warpath.counting_sweeps"])
    graph = wp.generate.road(6_000)
    if directed:
        graph = graph.with_weights(np.random.default_rng(2).integers(1, 9, graph.m))
    graph = graph.astype(dtype)
    chosen = np.random.default_rng(1).permutation(graph.n)
    how = {"sources": chosen[:2100], "targets": chosen[1000:5000], "endpoints": directed}
    right = wp.centrality.betweenness(wp.Solver(graph, prepared=True, device="cpu"), **how)
    kept = tmp_path / "sums"
    for given in ({}, {"checkpoint": kept}):
        found = wp.centrality.betweenness(wp.Solver(graph, device="cuda"), **how, **given)
        assert found.method == right.method == "counting sweeps"
        assert np.array_equal(found.vertices, right.vertices)
        assert np.array_equal(found.edges, right.edges)


def test_less_memory_and_room_give_the_same_bits(monkeypatch):
    graph = wp.generate.road(3_000)
    right = wp.centrality.betweenness(wp.Solver(graph, prepared=True, device="cpu"))
    monkeypatch.setattr(counting_sweeps, "_ROOM", 8)
    monkeypatch.setenv("WARPATH_GPU_MEMORY", "40 MB")
    found = wp.centrality.betweenness(wp.Solver(graph, device="cuda"))
    assert np.array_equal(found.vertices, right.vertices)
    assert np.array_equal(found.edges, right.edges)


def test_a_gpu_without_the_memory_is_refused(monkeypatch):
    monkeypatch.setenv("WARPATH_GPU_MEMORY", "1 MB")
    with pytest.raises(wp.NotEnoughMemoryError, match=r"betweenness takes .* use device='cpu'"):
        wp.centrality.betweenness(wp.Solver(wp.generate.road(3_000), device="cuda"))


def test_a_long_call_takes_the_gpu_by_itself():
    graph = wp.generate.road(100_000)
    how = {"k": 30_000, "seed": 1}
    found = wp.centrality.betweenness(wp.prepare(graph), **how)
    named = wp.centrality.betweenness(wp.Solver(graph, device="cuda"), **how)
    assert np.array_equal(found.vertices, named.vertices)
    assert found.method == named.method == "counting sweeps"
