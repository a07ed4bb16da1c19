"""Wide searches of graphs that are divided over several emulated devices."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from kernels.test_wide import skewed
from support import corpus
from support.compare import assert_same_bits, noting
from support.kernels import CACHE, Unset, expected
from warpath import Graph
from warpath.base.errors import DeviceError, NotSupportedError
from warpath.engines.base import Order, Problem
from warpath.engines.cuda.wide import division, parts, rows, search
from warpath.engines.emulator.device import EmulatedDevice
from warpath.graph import generate
from warpath.graph.zones import opened
from warpath.recipes import CATALOGUE, Task
from warpath.results.predecessors import as_labels
from warpath.results.trace import Trace

WIDE = CATALOGUE["warpath.wide"]
LARGE = 400  # vertices of a case of the corpus

per_type = pytest.mark.parametrize("dtype", corpus.ALL_TYPES)


@cache
def devices_of(count, processors=1):
    """Emulated devices of different names and seeds."""
    found = []
    for number in range(count):
        device = EmulatedDevice(number, 64, processors, sanitize="loaded", cache=CACHE)
        device.name, device.xp = f"emulated:{number}", Unset()
        found.append(device)
    return tuple(found)


def anew(graph):
    """The same graph, with which no division is kept."""
    return Graph(graph.indptr, graph.indices, graph.weights)


def dealt_out(graph, _order, count, **_):
    """A division in which nearly all edges lead to another device."""
    return np.arange(graph.n, dtype=np.int32) % count


def at_the_last(graph, _order, count, **_):
    """A division in which all but one device have no vertices."""
    return np.full(graph.n, count - 1, np.int32)


def drawn(graph, _order, count, **_):
    return np.random.default_rng(graph.m).integers(count, size=graph.n, dtype=np.int32)


CUTS = {"as planned": None, "dealt out": dealt_out, "at the last": at_the_last, "drawn": drawn}


@pytest.fixture(params=CUTS)
def cut(request, monkeypatch):
    if CUTS[request.param] is not None:
        monkeypatch.setattr(division, "owners_of", CUTS[request.param])
    return request.param


def solve(graph, source, count=2, params=None, cutoff=None):
    problem = Problem(Task.SSSP, np.array([source]), cutoff=cutoff)
    return parts.solve_divided(Order(WIDE, graph, problem, 1, params or {}), devices_of(count))


def agree(graph, sources, count=2, params=None):
    for source in sources:
        answer = expected(graph, source)
        with noting(f"{graph!r} from {source} on {count} devices, {params}"):
            if answer is OverflowError:
                with pytest.raises(OverflowError):
                    solve(graph, source, count, params)
            else:
                found = as_labels(graph, solve(graph, source, count, params).dist)
                assert_same_bits(found, answer, graph)


def check_corpus(dtype, count):
    cases = [c for c in corpus.all(negative=False, dtype=dtype) if 0 < c.graph().n <= LARGE]
    assert len(cases) >= 20
    for case in cases:
        agree(anew(opened(case.graph())), case.sources, count)


@per_type
def test_the_corpus_over_two_devices(dtype, monkeypatch):
    monkeypatch.setattr(division, "owners_of", dealt_out)
    check_corpus(dtype, 2)


@per_type
@pytest.mark.parametrize("symmetric", [True, False])
def test_hubs_of_all_devices(dtype, symmetric, cut, monkeypatch):
    monkeypatch.setattr(rows, "HUB", 40)
    monkeypatch.setattr(search, "NARROW", 5)
    graph = skewed(dtype, symmetric=symmetric)
    agree(graph, (3, 500), 3)
    share = division.division_of(graph, 3).shares[2]
    assert share.hubs > 0
    assert cut == "at the last" or share.leaves < graph.n // 2


@per_type
@pytest.mark.parametrize("reads", [True, False])
def test_labels_are_read_where_they_are_listed_or_copied(dtype, reads, monkeypatch):
    copied = []
    copy = EmulatedDevice.exchange
    monkeypatch.setattr(EmulatedDevice, "reads", lambda *_: reads)
    monkeypatch.setattr(EmulatedDevice, "exchange", lambda *all: copied.append(copy(*all)))
    graph = skewed(dtype, symmetric=True)
    agree(graph, (3, 500), 3)
    copied.clear()
    exchanges = solve(graph, 3, 3).stats["exchanges"]
    assert exchanges > 5
    assert len(copied) == exchanges if not reads else len(copied) < 5


@pytest.mark.parametrize("cost", [0, 2**30])
@pytest.mark.parametrize("dtype", ["int32", "float64"])
def test_the_rest_may_be_pulled_at_once_or_never(cost, dtype, monkeypatch):
    monkeypatch.setattr(search, "PULL_COST", cost)
    for symmetric in (True, False):
        agree(skewed(dtype, symmetric=symmetric), (3, 500), 2, {"delta": 1})


def test_a_graph_without_rows_into_its_vertices_is_only_pushed(monkeypatch):
    monkeypatch.setattr(rows, "MOST_INTO", 0)
    monkeypatch.setattr(search, "PULL_COST", 0)
    agree(skewed("int32", symmetric=False), (3, 500))


@pytest.mark.parametrize("rounds", [1, 2])
def test_labels_are_sent_before_all_own_rows_are_relaxed(rounds, monkeypatch):
    graph = skewed("int32", symmetric=True)
    monkeypatch.setattr(parts, "MOST_ROUNDS", dict.fromkeys((True, False), 2**20))
    many = solve(graph, 3).stats["exchanges"]
    monkeypatch.setattr(parts, "MOST_ROUNDS", dict.fromkeys((True, False), rounds))
    monkeypatch.setattr(division, "owners_of", dealt_out)
    graph = anew(graph)
    agree(graph, (3, 500))
    assert solve(graph, 3).stats["exchanges"] >= many


@pytest.mark.parametrize("room", [1, 7])
def test_a_full_list_is_no_error(room, monkeypatch):
    monkeypatch.setattr(rows, "HUB", 40)
    monkeypatch.setattr(parts, "rooms", lambda share: (room, 2 * share.runs + 64))
    agree(skewed("int32", symmetric=True), (3, 500))


@pytest.mark.usefixtures("cut")
@pytest.mark.parametrize("params", [{}, {"delta": 1}, {"delta": 1e300}])
def test_random_graphs_over_several_devices(params):
    for count in (1, 2, 5):
        for graph in (generate.uniform(300, 4, seed=3), generate.grid(15, 15, seed=4)):
            agree(graph, (0, 7), count, params)


@pytest.mark.usefixtures("cut")
def test_more_devices_than_vertices():
    graph = Graph.of((np.array([0, 1]), np.array([1, 2]), np.array([3, 4], np.int32)), n=3)
    agree(graph, (0, 1, 2), 5)


@pytest.mark.usefixtures("cut")
@pytest.mark.parametrize("symmetric", [True, False])
def test_a_source_with_one_edge(symmetric, monkeypatch):
    monkeypatch.setattr(rows, "HUB", 40)
    graph = skewed("int32", symmetric=symmetric)
    degrees = np.diff(graph.indptr)
    lone = np.flatnonzero(degrees == 1)
    _, targets = np.unique(graph.indices[graph.indptr[lone]], return_index=True)
    chosen = lone[targets[:4]].tolist()
    assert len(chosen) == 4
    agree(graph, chosen, 2)
    for source in chosen:
        dist = as_labels(graph, solve(graph, source).dist)
        assert np.count_nonzero(dist < np.iinfo(np.int64).max) > graph.n // 4


def test_a_source_without_edges():
    graph = skewed("int32", symmetric=True, n=2000)
    lonely = int(np.flatnonzero(np.diff(graph.indptr) == 0)[0])
    dist = as_labels(graph, solve(graph, lonely).dist)
    assert dist[lonely] == 0
    assert (np.delete(dist, lonely) == np.iinfo(np.int64).max).all()


def test_labels_that_32_bits_do_not_hold_are_found_in_64():
    weights = np.array([2**30, 2**30, 2**30, 5], np.int32)
    graph = Graph.of((np.array([0, 1, 2, 0]), np.array([1, 2, 3, 4]), weights), n=5)
    raw = solve(graph, 0)
    assert raw.dist.dtype == np.int64
    assert as_labels(graph, raw.dist).tolist() == [0, 2**30, 2**31, 3 * 2**30, 5]


@per_type
def test_beyond_a_cutoff_nothing_has_a_label(dtype):
    graph = skewed(dtype, symmetric=True)
    answer = expected(graph, 3)
    cutoff = float(np.sort(answer)[graph.n // 3])
    dist = as_labels(graph, solve(graph, 3, cutoff=cutoff).dist)
    near = answer <= cutoff
    assert near.any()
    assert_same_bits(dist[near], answer[near])
    assert (dist[~near] > cutoff).all()


def test_devices_have_as_many_edges_and_all_vertices():
    for graph in (generate.rmat(12, 24, seed=1), generate.grid(30, 30, seed=1)):
        for count in (2, 3):
            made = division.division_of(graph, count)
            edges = [len(part.rows.edges) for part in parts_on(graph, count)]
            assert sum(edges) == graph.m
            assert max(edges) - min(edges) < graph.m // 50
            assert sorted(made.slots.tolist()) == list(range(graph.n))


def parts_on(graph, count):
    return division.parts_of(graph, search.widths(graph)[0], devices_of(count))


def test_labels_that_are_sent_are_counted():
    graph = generate.grid(10, 10, seed=1)
    stats = solve(graph, 0).stats
    assert stats["rounds"] > 0
    # At the end each device copies its labels to the other, and the second its half of the result.
    end = 4 * graph.n + 4 * (graph.n - graph.n // 2)
    assert stats["bytes exchanged"] > end
    assert (stats["bytes exchanged"] - end) % 8 == 0
    assert solve(graph, 0, 1).stats["bytes exchanged"] == 0


def test_an_error_of_one_device_is_the_search_s(monkeypatch):
    graph = skewed("int32", symmetric=True)
    solve(graph, 3)
    first, second = devices_of(2)
    landed = []

    def fails(*_):
        raise DeviceError("the second device is gone")

    monkeypatch.setattr(first, "finish", lambda *_: landed.append(1))
    monkeypatch.setattr(second, "finish", fails)
    with pytest.raises(DeviceError, match="the second device is gone"):
        solve(graph, 3)
    monkeypatch.undo()
    agree(graph, (3,))


def test_a_divided_search_keeps_no_trace():
    graph = skewed("int32", symmetric=True)
    order = Order(WIDE, graph, Problem(Task.SSSP, np.array([3])), 1, {}, trace=Trace())
    with pytest.raises(NotSupportedError, match=r"warpath\.wide keeps no trace"):
        parts.solve_divided(order, devices_of(2))
