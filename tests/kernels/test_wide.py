"""The search of wide graphs on the emulator: hubs, full lists, pulled labels, narrow labels."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from support import corpus
from support.compare import assert_same_bits
from support.kernels import check, device_for, expected, prepare
from warpath import Graph
from warpath.base.errors import DeviceError, NotSupportedError
from warpath.engines.base import Order, Problem
from warpath.engines.cuda.engine import run
from warpath.engines.cuda.flight import FLIGHTS
from warpath.engines.cuda.wide import rows, search
from warpath.recipes import CATALOGUE, Task
from warpath.results.predecessors import as_labels
from warpath.results.trace import Trace

WIDE = CATALOGUE["warpath.wide"]
VARIANTS = [{}, {"delta": 1}, {"delta": 1e300}]

per_type = pytest.mark.parametrize("dtype", corpus.ALL_TYPES)


@cache
def device_of(dtype, processors=1):
    device = device_for(64, processors)
    prepare(device, [WIDE], dtype, traced=False)
    return device


def skewed(dtype, *, symmetric, n=600, m=4000, seed=0):
    """A graph with hubs, edges of no length, parallel ones and loops; floats over 16 decades."""
    rng = np.random.default_rng(seed)
    src, dst = (n * rng.random(m) ** 4).astype(int), (n * rng.random(m) ** 2).astype(int)
    src[: m // 3] = 3
    floats = np.dtype(dtype).kind == "f"
    weights = 10.0 ** rng.uniform(-8, 8, m) if floats else rng.integers(0, 60, m)
    weights[: m // 50] = 0
    if symmetric:
        src, dst, weights = np.append(src, dst), np.append(dst, src), np.append(weights, weights)
    return Graph.of((src, dst, weights.astype(dtype)), n=n)


def agree(graph, dtype, sources=(3, 500), seeds=(1,)):
    device = device_of(dtype)
    for source in sources:
        answer = expected(graph, source)
        for device.seed in seeds:
            for params in VARIANTS:
                check(WIDE, graph, source, device, answer, params)


@per_type
@pytest.mark.parametrize("symmetric", [True, False])
def test_rows_of_hubs_are_relaxed_in_runs(dtype, symmetric, monkeypatch):
    monkeypatch.setattr(rows, "HUB", 40)
    monkeypatch.setattr(search, "NARROW", 5)
    agree(skewed(dtype, symmetric=symmetric), dtype)


@pytest.mark.parametrize("dtype", ["int32", "float32"])
@pytest.mark.parametrize("symmetric", [True, False])
def test_a_row_of_many_runs_is_relaxed_in_parts(dtype, symmetric, monkeypatch):
    monkeypatch.setattr(search, "NARROW", 0)
    graph = skewed(dtype, symmetric=symmetric, m=9000)
    assert np.diff(graph.indptr).max() > 8 * rows.RUN
    agree(graph, dtype)


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("room", [1, 7])
def test_a_full_list_is_no_error(symmetric, room, monkeypatch):
    monkeypatch.setattr(rows, "HUB", 40)
    monkeypatch.setattr(search, "rooms", lambda _, held: (room, 2 * held.runs + 64))
    agree(skewed("int32", symmetric=symmetric), "int32")


def test_runs_that_do_not_fit_are_no_error(monkeypatch):
    monkeypatch.setattr(rows, "HUB", 40)
    monkeypatch.setattr(search, "rooms", lambda graph, held: (graph.n, held.runs + 3))
    agree(skewed("int32", symmetric=True), "int32")


@pytest.mark.parametrize("cost", [0, 2**30])
@pytest.mark.parametrize("dtype", ["int32", "float64"])
def test_the_rest_may_be_pulled_at_once_or_never(cost, dtype, monkeypatch):
    monkeypatch.setattr(search, "PULL_COST", cost)
    for symmetric in (True, False):
        agree(skewed(dtype, symmetric=symmetric), dtype)


def test_a_graph_without_rows_into_its_vertices_is_only_pushed(monkeypatch):
    monkeypatch.setattr(rows, "MOST_INTO", 0)
    agree(skewed("int32", symmetric=False), "int32")


@pytest.mark.parametrize("dtype", ["int32", "float64"])
def test_rows_that_are_sorted_in_chunks_are_the_same(dtype, monkeypatch):
    monkeypatch.setattr(rows, "_CHUNK", 500)
    agree(skewed(dtype, symmetric=False), dtype)


@per_type
def test_rows_ascend_and_keep_their_edges(dtype):
    graph = skewed(dtype, symmetric=False)
    device = device_of(dtype)
    width = search.widths(graph)[0]
    held = rows.rows_of(graph, width, device)
    assert held.hubs > 0
    places = np.asarray(held.ranks)
    found = [None] * graph.n
    for vertex, place in enumerate(places):
        own = held.edges[held.indptr[place] : held.indptr[place + 1]]
        assert (np.diff(own[:, 0]) >= 0).all()
        targets = own.view(f"u{own.itemsize}")[:, 1]
        found[vertex] = sorted(zip(own[:, 0].tolist(), targets.tolist(), strict=True))
    for vertex in range(graph.n):
        row = slice(graph.indptr[vertex], graph.indptr[vertex + 1])
        weights, targets = graph._solver_weights[row], places[graph.indices[row]]
        assert found[vertex] == sorted(zip(weights.tolist(), targets.tolist(), strict=True))


@pytest.mark.parametrize("symmetric", [True, False])
def test_edges_behind_billions_of_others_are_found(symmetric, monkeypatch, tmp_path):
    """A file without contents stands for 2^32 edges, which a number of 32 bits would lead to."""
    before, real = 2**32, rows.rows_of

    def moved(edges, name):
        held = np.memmap(tmp_path / name, edges.dtype, "w+", shape=(before + len(edges), 2))
        held[before:] = edges
        return held

    @cache
    def behind(*what):
        own = real(*what)
        edges = moved(own.edges, "edges")
        indptr, into, sources = own.indptr + before, own.into + before, moved(own.sources, "into")
        return replace(own, indptr=indptr, edges=edges, into=into, sources=sources)

    monkeypatch.setattr(rows, "HUB", 40)
    monkeypatch.setattr(search, "rows_of", behind)
    graph = skewed("int32", symmetric=symmetric)
    for cost in (search.PULL_COST, 0):
        monkeypatch.setattr(search, "PULL_COST", cost)
        agree(graph, "int32", sources=(3,))


def test_a_chain_takes_a_round_for_each_vertex_and_ends():
    n = 300
    weights = np.arange(n - 1, 0, -1, dtype=np.int32) * 1000
    agree(Graph.of((np.arange(n - 1), np.arange(1, n), weights), n=n), "int32", sources=(0, 150))


def test_labels_that_32_bits_do_not_hold_are_found_in_64():
    weights = np.array([2**30, 2**30, 2**30, 5], np.int32)
    graph = Graph.of((np.array([0, 1, 2, 0]), np.array([1, 2, 3, 4]), weights), n=5)
    device = device_of("int32")
    raw = run(Order(WIDE, graph, Problem(Task.SSSP, np.array([0])), 1, {}), device)
    assert raw.dist.dtype == np.int64
    assert as_labels(graph, raw.dist).tolist() == [0, 2**30, 2**31, 3 * 2**30, 5]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_sum_that_32_bits_do_not_hold_is_seen_where_it_is_pulled(seed):
    """The row of 3 begins with edges from vertices that nothing reaches."""
    edges = [(0, 1, 10**9), (0, 2, 12 * 10**8), *[(0, 1, 13 * 10**8)] * 100, (2, 3, 16 * 10**8)]
    edges += [(each, 3, 15 * 10**8) for each in range(4, 8)]
    src, dst, weights = np.array(edges).T
    graph = Graph.of((src, dst, weights.astype(np.int32)), n=8)
    device = device_of("int32")
    device.seed = seed
    check(WIDE, graph, 0, device, expected(graph, 0), {"delta": 1})


@per_type
def test_beyond_a_cutoff_nothing_has_a_label(dtype):
    graph = skewed(dtype, symmetric=True)
    device = device_of(dtype)
    answer = expected(graph, 3)
    cutoff = float(np.sort(answer)[graph.n // 3])
    problem = Problem(Task.SSSP, np.array([3]), cutoff=cutoff)
    dist = as_labels(graph, run(Order(WIDE, graph, problem, 1, {}), device).dist)
    near = answer <= cutoff
    assert near.any()
    assert_same_bits(dist[near], answer[near])
    assert (dist[~near] > cutoff).all()


def test_a_second_solve_finds_what_the_first_left_behind():
    graph = skewed("float32", symmetric=True)
    agree(graph, "float32", sources=range(0, 60, 7))
    (pool,) = (one for (entry, _), one in graph.derived.items() if entry is FLIGHTS)
    assert pool.nbytes > 0


def test_a_search_that_makes_too_many_rounds_is_stopped(monkeypatch):
    monkeypatch.setattr(search, "_MOST_ROUNDS", 2)
    graph = skewed("int32", symmetric=True)
    order = Order(WIDE, graph, Problem(Task.SSSP, np.array([3])), 1, {"delta": 1})
    with pytest.raises(DeviceError, match="gave up"):
        run(order, device_of("int32"))


def test_a_search_keeps_no_trace():
    graph = skewed("int32", symmetric=True)
    order = Order(WIDE, graph, Problem(Task.SSSP, np.array([3])), 1, {}, trace=Trace())
    with pytest.raises(NotSupportedError, match=r"warpath\.wide keeps no trace"):
        run(order, device_of("int32"))


def test_several_multiprocessors_give_the_same_bits():
    graph = skewed("float32", symmetric=True, m=9000)
    device = device_of("float32", processors=3)
    answer = expected(graph, 3)
    for device.seed in range(4):
        check(WIDE, graph, 3, device, answer)
