"""Betweenness by counting sweeps on the emulator: the bits of the core."""

from __future__ import annotations

import numpy as np
import pytest

import warpath as wp
from support import corpus
from support.kernels import device_for, prepare
from warpath.engines import betweenness
from warpath.engines.betweenness import PathShares
from warpath.engines.cuda.tables import counting_sweeps
from warpath.recipes import CATALOGUE


def device_of(dtype):
    device = device_for(64)
    prepare(device, [CATALOGUE["warpath.counting_sweeps"]], dtype, traced=False)
    return device


def compared(device, graph, sources, targets, *, endpoints=False):
    """Check that a device and the core have the same sums; return how many there were."""
    shares = PathShares(np.unique(targets), endpoints, None, None, swept=True)
    starts = range(0, len(sources), betweenness.BLOCK)
    there = counting_sweeps.path_sums(device, graph, shares, sources, starts, stay=False)
    for start, sums in zip(starts, there, strict=True):
        here = shares.of(graph, sources[start : start + betweenness.BLOCK], 2)
        assert sums.method == here.method == "counting sweeps"
        assert np.array_equal(sums.vertices, here.vertices)
        assert np.array_equal(sums.edges, here.edges)
    return len(starts)


def of_ties(seed, dtype):
    """A graph with as many edges as a few times its vertices, many of the same length."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40))
    m = int(rng.integers(0, 4 * n))
    edges = zip(*rng.integers(0, n, (2, m)).tolist(), rng.integers(1, 4, m).tolist(), strict=True)
    return wp.Graph.of(list(edges), n=n, directed=bool(seed % 3)).astype(dtype)


@pytest.mark.parametrize("dtype", corpus.ALL_TYPES)
def test_sums_have_the_bits_of_the_core(dtype):
    device, ran = device_of(dtype), 0
    for device.seed in range(12):
        graph = of_ties(device.seed, dtype)
        rng = np.random.default_rng(device.seed)
        sources = rng.permutation(graph.n)[: rng.integers(1, graph.n + 1)]
        targets = rng.permutation(graph.n)[: rng.integers(1, graph.n + 1)]
        ran += compared(device, graph, sources, targets, endpoints=bool(device.seed % 2))
    assert ran == 12


def test_groups_of_many_sources_are_added_up_as_in_the_core(monkeypatch):
    device = device_of("int32")
    road = wp.generate.road(150, seed=1)
    every = np.arange(road.n)
    for block, groups in ((48, 2), (2048, 64)):
        for module in (betweenness, counting_sweeps):
            monkeypatch.setattr(module, "BLOCK", block)
            monkeypatch.setattr(counting_sweeps, "_GROUPS", groups)
        if groups == 64:  # as the core has them
            assert compared(device, road, every, every, endpoints=True) == -(-road.n // block)
    lines = counting_sweeps._Sweeps(device, road.n, *_given(device, road)).groups(every)
    assert [int((line >= 0).sum()) for line in lines] == [8] * (road.n // 8) + [road.n % 8] * (
        road.n % 8 > 0
    )


def _given(device, graph):
    places = counting_sweeps._places(graph, device)
    return places, PathShares(
        np.arange(graph.n), endpoints=False, cutoffs=None, lengths=None, swept=True
    )


def test_a_search_without_room_is_made_again_with_more(monkeypatch):
    device = device_of("int32")
    road = wp.generate.road(150, seed=2)
    monkeypatch.setattr(counting_sweeps, "_ROOM", 2)
    every = np.arange(road.n)
    assert compared(device, road, every[:40], every) == 1


def test_more_than_1e300_paths_are_refused():
    device = device_of("int32")
    steps = [
        (3 * i + a, 3 * i + b, 1) for i in range(1100) for a, b in ((0, 1), (0, 2), (1, 3), (2, 3))
    ]
    row = wp.Graph.of(steps)
    with pytest.raises(wp.DistanceOverflowError, match="more than 1e300 shortest paths"):
        compared(device, row, np.arange(1), np.arange(row.n))


def test_the_call_counts_on_a_device_what_it_counts_here():
    road = wp.generate.road(120, seed=4)
    here = wp.centrality.betweenness(wp.Solver(road, prepared=True))
    there = wp.centrality.betweenness(wp.Solver(road, device="emulated"))
    assert there.method == here.method == "counting sweeps"
    assert np.array_equal(there.vertices, here.vertices)
    assert np.array_equal(there.edges, here.edges)


def test_what_is_not_counted_in_a_hierarchy_is_refused_on_a_device():
    road = wp.generate.road(120, seed=4)
    with pytest.raises(wp.NotSupportedError, match=r"cutoff=.*use device='cpu'"):
        wp.centrality.betweenness(wp.Solver(road, device="emulated"), cutoff=10)
    brandes = wp.Solver(road, device="emulated", algorithm="brandes2001.betweenness")
    with pytest.raises(wp.WarpathError, match=r"another algorithm.*use device='cpu'"):
        wp.centrality.betweenness(brandes)
