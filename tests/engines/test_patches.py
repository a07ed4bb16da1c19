"""warpath.patches on the emulator: the bits of plain Python from patches of any size."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import warpath as wp
from support import corpus, reference
from support.compare import assert_same_bits
from support.kernels import check, device_for, expected, prepare, solve
from warpath import generate
from warpath.base.dtypes import unreachable
from warpath.engines.base import Order, Problem
from warpath.engines.cuda import patches as engine
from warpath.engines.cuda.engine import run
from warpath.engines.cuda.flight import FLIGHTS
from warpath.engines.cuda.tables.widths import Width
from warpath.recipes import CATALOGUE, Task
from warpath.results.predecessors import as_labels
from warpath.results.trace import Trace

PATCHES = CATALOGUE["warpath.patches"]
LARGE = 300  # vertices; larger cases take plain Python and the emulator long

per_type = pytest.mark.parametrize("dtype", corpus.ALL_TYPES)


@cache
def device_of(dtype, index="int32"):
    """Three blocks that visit and one that watches."""
    device = device_for(64, 2)
    prepare(device, [PATCHES], dtype, index=index, traced=False)
    return device


@cache
def answers(dtype):
    """Return (graph, source, what must come out) for the cases without negative weights."""
    cases = [c for c in corpus.all(dtype=dtype) if not c.negative and 0 < c.graph().n <= LARGE]
    return [(c.graph(), s, expected(c.graph(), s)) for c in cases for s in c.sources]


def solved(graph, source=0, *, cutoff=None, device=None, **params):
    order = Order(PATCHES, graph, Problem(Task.SSSP, np.array([source]), cutoff=cutoff), 1, params)
    device = device or device_of(str(graph._solver_weights.dtype))
    raw = run(order, device)
    return replace(raw, dist=as_labels(graph, device.get(raw.dist)))


@per_type
@pytest.mark.parametrize("patch", [1, 3, 16, 128])
def test_patches_of_any_size_give_the_bits_of_plain_python(dtype, patch):
    device = device_of(dtype)
    for device.seed, (graph, source, answer) in enumerate(answers(dtype), start=patch):
        check(PATCHES, graph, source, device, answer, {"patch": patch})


@per_type
@pytest.mark.parametrize("delta", [1, 1e300])
def test_how_wide_the_band_is_changes_no_bit(dtype, delta):
    device = device_of(dtype)
    for device.seed, (graph, source, answer) in enumerate(answers(dtype), start=900):
        check(PATCHES, graph, source, device, answer, {"patch": 5, "delta": delta})


@pytest.mark.parametrize("seed", range(6))
def test_the_order_of_threads_changes_no_bit(seed):
    device = device_of("int32")
    graph = generate.grid(14, 14, weights=(1, 99), seed=seed)
    device.seed = seed
    assert_same_bits(
        solve(PATCHES, graph, 3, device, {"patch": 7}), reference.dijkstra(graph, 3), graph
    )


def test_a_patch_whose_edges_are_too_many_for_a_block_reads_them_where_they_are():
    graph = corpus.case("huge_degree").astype("int32").graph()
    device = device_of("int32")
    check(PATCHES, graph, 0, device, expected(graph, 0))
    (cut,) = (one for (entry, _), one in graph.derived.items() if entry is engine.CUT)
    exit_room, room = engine._fitting(cut, Width("int32", "int32", proven=False), device)
    assert cut.most_exits > exit_room
    assert cut.most_edges <= room


@pytest.mark.parametrize("patch", [1, 4])
def test_labels_of_32_bits_that_do_not_hold_are_found_again_in_64(patch):
    big = 2**30
    graph = wp.Graph.of([(0, 1, big), (1, 2, big), (2, 3, big), (0, 3, 2**31 - 2)])
    raw = solved(graph, patch=patch)
    assert raw.dist.tolist() == [0, big, 2 * big, 2**31 - 2]
    assert raw.dist.dtype == np.int64


@pytest.mark.parametrize("patch", [1, 4])
def test_a_sum_beyond_64_bits_is_an_error(patch):
    graph = wp.Graph.of([(0, 1, 2**62), (1, 2, 2**62)])
    with pytest.raises(OverflowError):
        solved(graph, patch=patch)


def test_nothing_beyond_the_cutoff_is_kept():
    graph = generate.grid(9, 9, weights=(1, 20), seed=4)
    whole = reference.dijkstra(graph, 40)
    for cutoff in (0, 13, 40):
        found = solved(graph, 40, cutoff=cutoff, patch=6).dist
        assert np.array_equal(found, np.where(whole <= cutoff, whole, unreachable(whole.dtype)))


def test_a_second_source_takes_the_patches_and_the_memory_of_the_first():
    graph = generate.grid(8, 8, weights=(1, 9), seed=2)
    solved(graph, 0, patch=9)
    kept = dict(graph.derived)
    for source in (5, 63, 5):
        assert_same_bits(
            solved(graph, source, patch=9).dist, reference.dijkstra(graph, source), graph
        )
    assert graph.derived.keys() == kept.keys()
    (cut,) = (one for (entry, _), one in kept.items() if entry is engine.CUT)
    (pool,) = (one for (entry, _), one in kept.items() if entry is FLIGHTS)
    assert pool.made == 1
    assert cut.nbytes > 0 < pool.nbytes


def test_a_solve_says_what_it_did():
    graph = generate.grid(8, 8, weights=(1, 9), seed=2)
    stats = solved(graph, 0, patch=16).stats
    assert stats["visits"] >= 4
    assert graph.m <= stats["relaxed"] < 8 * graph.m


def test_a_trace_is_refused():
    graph = generate.grid(4, 4)
    order = Order(PATCHES, graph, Problem(Task.SSSP, np.array([0])), 1, {}, trace=Trace())
    with pytest.raises(wp.NotSupportedError, match="no rounds to trace"):
        run(order, device_of("int32"))


def test_a_solve_ends_when_the_host_says_so():
    graph = generate.grid(8, 8, weights=(1, 9), seed=2)
    device = device_of("int32")
    solved(graph, 0)
    (pool,) = (one for (entry, _), one in graph.derived.items() if entry is FLIGHTS)
    pool.idle[0].halt[0] = 1
    with pytest.raises(wp.DeviceError, match="gave up"):
        solved(graph, 0, device=device)
