"""Breadth-first search on the emulator: both ways, long rows, where it turns, what does not fit."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from support import corpus
from support.compare import assert_same_bits
from support.kernels import check, device_for, expected, prepare
from warpath import Graph
from warpath.base.dtypes import unreachable
from warpath.base.errors import DeviceError, NotSupportedError
from warpath.engines.base import Order, Problem
from warpath.engines.cuda import breadth_first
from warpath.engines.cuda.engine import run
from warpath.engines.cuda.flight import FLIGHTS, flight
from warpath.recipes import CATALOGUE, Task
from warpath.results.predecessors import as_labels
from warpath.results.trace import Trace

BFS = CATALOGUE["warpath.bfs"]
AHEAD, BACK = 0, 2**31

per_type = pytest.mark.parametrize("dtype", corpus.ALL_TYPES)
both_kinds = pytest.mark.parametrize("symmetric", [True, False])


@cache
def device_of(dtype, processors=1):
    device = device_for(64, processors)
    prepare(device, [BFS], dtype, traced=False)
    return device


def graph_of(src, dst, n, dtype="int32", weight=None):
    """A graph all of whose edges have a weight; none where it is left out."""
    weights = None if weight is None else np.full(len(src), weight, dtype)
    return Graph.from_edges(np.asarray(src, int), np.asarray(dst, int), weights, n=n)


def skewed(dtype="int32", *, symmetric, n=700, m=3000, weight=3, seed=0):
    """A graph with hubs, parallel edges, loops and vertices that nothing reaches."""
    rng = np.random.default_rng(seed)
    src, dst = (n * rng.random(m) ** 3).astype(int), (n * rng.random(m) ** 2).astype(int)
    if symmetric:
        src, dst = np.append(src, dst), np.append(dst, src)
    return graph_of(src, dst, n, dtype, weight)


def solve(graph, source, dtype="int32", cutoff=None):
    device = device_of(dtype)
    problem = Problem(Task.SSSP, np.array([source]), cutoff=cutoff)
    return run(Order(BFS, graph, problem, 1, {}), device)


def agree(graph, dtype="int32", sources=(3, 500), seeds=(1, 2)):
    device = device_of(dtype)
    for source in sources:
        answer = expected(graph, source)
        for device.seed in seeds:
            check(BFS, graph, source, device, answer)


@per_type
@both_kinds
@pytest.mark.parametrize("alpha", [AHEAD, 1, 15, BACK])
def test_wherever_it_turns_the_labels_are_those_of_dijkstra(dtype, symmetric, alpha, monkeypatch):
    monkeypatch.setattr(breadth_first, "_ALPHA", alpha)
    weight = 0.1 if dtype.startswith("f") else 3
    agree(skewed(dtype, symmetric=symmetric, weight=weight), dtype)


@both_kinds
def test_a_graph_without_weights_counts_hops(symmetric):
    agree(skewed(symmetric=symmetric, weight=None))


def test_the_search_looks_back_in_the_middle_alone():
    graph = skewed(symmetric=True, m=9000)
    raw = solve(graph, 650)
    assert 0 < raw.stats["back"] < raw.stats["rounds"]


def chains_on_a_core(seed):
    """A dense core with long chains: the search turns back, and goes on for 20 levels."""
    random = np.random.default_rng(seed)
    core, chains, length = 300, 40, 20
    n = core + chains * length
    links = np.arange(core, n).reshape(length, chains)
    tails = np.vstack([np.arange(chains), links[:-1]]).ravel()
    number = random.permutation(n)  # the chains' ends lie in words of bits at random
    src = number[np.r_[random.integers(0, core, 20 * core), tails]]
    dst = number[np.r_[random.integers(0, core, 20 * core), links.ravel()]]
    return graph_of(src, dst, n), int(number[core - 1])


@pytest.mark.parametrize("seed", range(3))
def test_no_vertex_is_lost_where_the_search_turns_back(seed):
    graph, source = chains_on_a_core(seed)
    agree(graph, sources=(source,))
    assert solve(graph, source).stats["back"] > 0


def long_rows(*, out):
    """A hub with a row of 20,000 edges: out of it, or into it, the last one from the frontier."""
    n = 2100
    leaves = np.tile(np.arange(2, 2002), 10)
    src, dst = (np.ones_like(leaves), leaves) if out else (leaves, np.ones_like(leaves))
    more_src, more_dst = [0, 2050, 1, 2060], [2050, 1, 2060, 2061]
    return graph_of(np.append(src, more_src), np.append(dst, more_dst), n)


@pytest.mark.parametrize("out", [True, False])
@pytest.mark.parametrize("alpha", [AHEAD, BACK])
def test_long_rows_are_shared(out, alpha, monkeypatch):
    monkeypatch.setattr(breadth_first, "_ALPHA", alpha)
    graph = long_rows(out=out)
    agree(graph, sources=(0, 2050, 7), seeds=range(4))


def test_the_parts_of_a_row_agree_on_one_label(monkeypatch):
    """All parts of the row into 1 meet the frontier, and edges lead on from there."""
    monkeypatch.setattr(breadth_first, "_ALPHA", BACK)
    n = 4000
    unseen, near = np.arange(3000, 3600), np.arange(2, 1602)
    src = np.concatenate([np.zeros_like(near), unseen, near, [1, 1]])
    dst = np.concatenate([near, np.ones_like(unseen), np.ones_like(near), [3700, 3701]])
    agree(graph_of(src, dst, n), sources=(0,), seeds=range(4))


@per_type
@pytest.mark.parametrize("alpha", [AHEAD, 15])
def test_beyond_a_cutoff_nothing_has_a_label(dtype, alpha, monkeypatch):
    monkeypatch.setattr(breadth_first, "_ALPHA", alpha)
    graph = skewed(dtype, symmetric=True, weight=2, n=300, m=400)
    answer = expected(graph, 3)
    for cutoff in (0, 1, 2, 5, 6.5, float(unreachable(answer.dtype))):
        dist = as_labels(graph, solve(graph, 3, dtype, cutoff).dist)
        assert_same_bits(dist, np.where(answer > cutoff, unreachable(answer.dtype), answer))


def test_labels_that_32_bits_do_not_hold_are_found_in_64():
    graph = graph_of(np.arange(4), np.arange(1, 5), 5, weight=2**30)
    raw = solve(graph, 0)
    assert raw.dist.dtype == np.int64
    assert as_labels(graph, raw.dist).tolist() == [each * 2**30 for each in range(5)]
    near = graph_of([0, 1], [1, 0], 5, weight=2**30)
    assert as_labels(near, solve(near, 0).dist)[:2].tolist() == [0, 2**30]


def test_a_sum_that_64_bits_do_not_hold_is_an_error():
    chain = np.arange(4), np.arange(1, 5)
    agree(graph_of(*chain, 5, "int64", 2**61), "int64", sources=(0, 1, 2))
    with pytest.raises(OverflowError):
        solve(graph_of(*chain, 5, "int64", 2**61), 0, "int64")


def test_floats_that_grow_to_inf_or_not_at_all_end():
    chain = np.arange(40), np.arange(1, 41)
    for weight in (3e38, 1e37, 2.0**-149, 0.0):
        agree(graph_of(*chain, 41, "float32", weight), "float32", sources=(0, 20))


@pytest.mark.parametrize("n", [1, 2, 31, 32, 33, 64, 95])
@pytest.mark.parametrize("alpha", [AHEAD, BACK])
def test_words_of_bits_end_where_the_vertices_do(n, alpha, monkeypatch):
    monkeypatch.setattr(breadth_first, "_ALPHA", alpha)
    ring = graph_of(np.arange(n), (np.arange(n) + 1) % n, n)
    star = graph_of(np.zeros(n, int), np.arange(n), n)
    for graph in (ring, star, graph_of([], [], n)):
        agree(graph, sources=(0, n - 1))


def test_a_vertex_without_edges_in_is_not_taken_for_reached(monkeypatch):
    monkeypatch.setattr(breadth_first, "_ALPHA", BACK)
    graph = graph_of([0, 3, 3], [1, 2, 4], 5)  # nothing leads to 3
    agree(graph, sources=(0, 1, 3))


def test_rows_of_a_mirrored_graph_serve_both_ways():
    graph, other = skewed(symmetric=True), skewed(symmetric=False)
    device = device_of("int32")
    for each in (graph, other):
        solve(each, 3)
    assert breadth_first.EDGES_IN.cached(graph, device.name) is None
    rows = breadth_first.rows_in(graph, device)
    assert rows.indices is breadth_first.resident(graph, device).indices
    into = breadth_first.rows_in(other, device)
    assert into.indices is breadth_first.rows_in(other, device).indices
    turned = other.reversed()
    assert into.indptr.tolist() == turned.indptr.tolist()
    assert into.indices.tolist() == turned.indices.tolist()
    bits = np.unpackbits(into.without_in_edges.view(np.uint8), bitorder="little")
    assert np.flatnonzero(bits).tolist() == np.flatnonzero(np.diff(turned.indptr) == 0).tolist()


def test_a_second_solve_finds_what_the_first_left_behind():
    graph = skewed(symmetric=False)
    agree(graph, sources=range(0, 60, 7))
    (pool,) = (one for (entry, _), one in graph.derived.items() if entry is FLIGHTS)
    assert pool.nbytes > 0


def test_a_search_ends_when_it_is_told_to():
    graph = skewed(symmetric=True)
    solve(graph, 3)
    with flight(graph, "breadth-first search", device_of("int32"), lambda: None) as own:
        own.halt[0] = 1
    with pytest.raises(DeviceError, match="gave up"):
        solve(graph, 3)
    assert solve(graph, 3).stats["rounds"] > 1  # with buffers of its own


def test_a_search_keeps_no_trace_on_a_gpu():
    graph = skewed(symmetric=True)
    order = Order(BFS, graph, Problem(Task.SSSP, np.array([3])), 1, {}, trace=Trace())
    with pytest.raises(NotSupportedError, match=r"warpath\.bfs keeps no trace on a GPU.*'cpu'"):
        run(order, device_of("int32"))


def test_several_multiprocessors_give_the_same_bits():
    device = device_of("int32", processors=3)
    for symmetric in (True, False):
        graph = skewed(symmetric=symmetric, m=9000)
        answer = expected(graph, 3)
        for device.seed in range(4):
            check(BFS, graph, 3, device, answer)
