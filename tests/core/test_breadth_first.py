"""Breadth-first search against a queue in plain Python, on every way that it can take."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

import warpath as wp
from warpath import _core
from warpath.base.dtypes import unreachable
from warpath.engines.cpu import counters

TYPES = [(v, d) for v in (np.int32, np.int64) for d in (np.int64, np.float32, np.float64)]
NO_ROWS = np.empty(0, np.int64)
THREADS = (1, 2, 5)


def graph_of(src, dst, n, index_type=np.int32):
    order = np.argsort(src, kind="stable")
    starts = np.searchsorted(src[order], np.arange(n + 1))
    return starts.astype(np.int64), dst[order].astype(index_type)


def hops_from(graph, source):
    indptr, indices = graph
    hops = [-1] * (len(indptr) - 1)
    hops[source] = 0
    waiting = deque([source])
    while waiting:
        u = waiting.popleft()
        for v in indices[indptr[u] : indptr[u + 1]].tolist():
            if hops[v] < 0:
                hops[v] = hops[u] + 1
                waiting.append(v)
    return np.array(hops)


def labels_of(hops, weight, kind):
    """Return what a path adds up to, weight after weight."""
    sums = np.concatenate([[0], np.cumsum(np.full(hops.max(initial=0) + 1, weight, kind))])
    return np.where(hops < 0, unreachable(np.dtype(kind)), sums[hops]).astype(kind)


def solve(graph, into, source, threads, kind=np.int64, weight=1, cutoff=None):
    """Solve with threads that come when they can, and with all from the start."""
    found = []
    for assemble in (False, True):
        search = _core.breadth_first(
            *graph,
            *into,
            weight=weight,
            like=np.empty(0, kind),
            cutoff=cutoff,
            threads=threads,
            assemble=assemble,
        )
        dist, done = search(source)
        found.append((dist, counters(done)))
    assert found[0][0].tobytes() == found[1][0].tobytes()
    return found[1]


def random_edges(seed, n, m):
    random = np.random.default_rng(seed)
    skewed = (random.integers(0, n, m) * random.random(m) ** (seed % 3)).astype(np.int64)
    return skewed, random.integers(0, n, m)


@pytest.mark.threads
@pytest.mark.parametrize(("index_type", "kind"), TYPES)
def test_labels_are_sums_along_paths_of_fewest_edges_both_ways(index_type, kind):
    weight = kind(3) if kind is np.int64 else kind(0.1)
    for seed in range(40):
        n, m = ((7, 9), (64, 200), (65, 900), (1000, 9000))[seed % 4]
        src, dst = random_edges(seed, n, m)
        graph, into = graph_of(src, dst, n, index_type), graph_of(dst, src, n, index_type)
        hops = hops_from(graph, seed % n)
        for threads in THREADS:
            for back in (into, (NO_ROWS, into[1][:0])):
                dist, counts = solve(graph, back, seed % n, threads, kind, weight)
                assert dist.tobytes() == labels_of(hops, weight, kind).tobytes()
                assert counts["settled"] == (hops >= 0).sum() == counts["improved"] + 1
                assert counts["rounds"] == hops.max() + 1


@pytest.mark.threads
@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("degree", [2, 30])
def test_large_frontiers_are_shared(threads, degree):
    n = 60_000
    src, dst = random_edges(0, n, n * degree)
    graph, into = graph_of(src, dst, n), graph_of(dst, src, n)
    expected = labels_of(hops_from(graph, 1), 1, np.int64)
    for back in (into, (NO_ROWS, into[1][:0])):
        dist, counts = solve(graph, back, 1, threads)
        assert np.array_equal(dist, expected)
        if degree == 30 and back is into:
            assert counts["relaxed"] < len(src) / 2


@pytest.mark.parametrize("threads", THREADS)
def test_no_vertex_is_lost_where_the_search_turns_back(threads):
    core, chains, length = 1000, 40, 20
    for seed in range(8):
        random = np.random.default_rng(seed)
        n = core + chains * length
        links = np.arange(core, n).reshape(length, chains)
        tails = np.vstack([np.arange(chains), links[:-1]]).ravel()
        number = random.permutation(n)  # the ends of the chains lie in words of bits at random
        src = number[np.r_[random.integers(0, core, 20 * core), tails]]
        dst = number[np.r_[random.integers(0, core, 20 * core), links.ravel()]]
        graph, into = graph_of(src, dst, n), graph_of(dst, src, n)
        source = int(number[core - 1])
        dist, counts = solve(graph, into, source, threads)
        assert np.array_equal(dist, labels_of(hops_from(graph, source), 1, np.int64))
        assert counts["relaxed"] < len(src)


@pytest.mark.parametrize("cutoff", [8, 9])
@pytest.mark.parametrize("threads", [1, 3])
def test_levels_beyond_the_cutoff_are_left_out(threads, cutoff):
    n = 200
    graph = graph_of(np.arange(n - 1), np.arange(1, n), n)
    dist, counts = solve(graph, (NO_ROWS, graph[1][:0]), 0, threads, weight=2, cutoff=cutoff)
    assert (dist[:5] == [0, 2, 4, 6, 8]).all()
    assert (dist[5:] == np.iinfo(np.int64).max).all()
    assert counts["settled"] == 5


def test_float_labels_that_overflow_are_unreachable():
    graph = graph_of(np.arange(3), np.arange(1, 4), 4)
    dist, counts = solve(graph, (NO_ROWS, graph[1][:0]), 0, 1, np.float32, 3e38)
    assert dist.tolist() == [0, np.float32(3e38), np.inf, np.inf]
    assert counts["settled"] == 2


def test_auto_takes_it_where_weights_are_equal_and_gives_the_bits_of_dijkstra():
    random = np.random.default_rng(3)
    src, dst = random.integers(0, 3000, (2, 20_000))
    for weights in (None, np.full(20_000, 7), np.full(20_000, 0.1), np.zeros(20_000, np.int32)):
        for directed in (True, False):
            graph = wp.Graph.from_edges(src, dst, weights, n=3000, directed=directed)
            found = wp.sssp(graph, 5, threads=2)
            assert found.plan.algorithm == "warpath.bfs"
            expected = wp.sssp(graph, 5, algorithm="classic.dijkstra")
            assert found.dist.tobytes() == expected.dist.tobytes()
            assert np.array_equal(found.pred, expected.pred)
            wp.verify(graph, found)


def test_unlike_weights_are_refused_with_their_range():
    graph = wp.Graph.of([(0, 1, 2), (1, 2, 5)])
    with pytest.raises(wp.NotSupportedError, match="needs equal weights, the graph has 2 to 5"):
        wp.sssp(graph, 0, algorithm="warpath.bfs")


def test_weights_whose_sums_may_not_fit_are_left_to_others():
    graph = wp.Graph.of([(0, 1, 2**62), (1, 2, 2**62)])
    with pytest.raises(wp.NotSupportedError, match="could leave 64 bits"):
        wp.sssp(graph, 0, algorithm="warpath.bfs")
