"""Rounds that one kernel drives: several launches of a solve, how it is stopped, its trace."""

from __future__ import annotations

import numpy as np
import pytest

import warpath as wp
from support import corpus
from support.compare import assert_same_bits
from support.kernels import device_for, expected, prepare, solve
from support.recipes import on_gpu
from support.tiers import RECIPES_ON_GPUS
from warpath import generate
from warpath.engines.cuda.flight import FLIGHTS
from warpath.engines.papers import on_device
from warpath.recipes import CATALOGUE, Loop, Task
from warpath.results.trace import Trace

in_full = pytest.mark.full("rounds on the emulator", *RECIPES_ON_GPUS)

RECIPES = [recipe for recipe in on_gpu(Task.SSSP) if recipe.axes and not recipe.axes.host_driven]
F_GPU = CATALOGUE["martin2009.f_gpu"]

per_recipe = pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)


@pytest.fixture(scope="module")
def device():
    device = device_for(64)
    for dtype in ("int32", "float32"):
        prepare(device, RECIPES, dtype)
    return device


@in_full
@pytest.mark.parametrize("most", [1, 3])
@pytest.mark.parametrize("dtype", ["int32", "float32"])
@per_recipe
def test_a_solve_of_several_launches_gives_the_same_bits(recipe, dtype, most, device, monkeypatch):
    case = corpus.case("power_law").astype(dtype)
    graph, source = case.graph(), case.sources[0]
    answer = expected(graph, source)
    monkeypatch.setattr(on_device, "_MOST", most)
    for trace in (None, Trace()):
        found = solve(recipe, graph, source, device, trace=trace)
        if recipe.exact:
            assert_same_bits(found, answer, graph)
        else:
            assert not (found < answer).any()
    assert len(trace) > most
    assert [row.number for row in trace] == list(range(len(trace)))


def test_a_kernel_of_rounds_ends_when_it_is_told_to(device):
    graph = generate.grid(5, 5, seed=1)
    solve(F_GPU, graph, 0, device)
    (flight,) = FLIGHTS.cached(graph, device.name, "rounds in blocks of 64").idle
    flight.halt[0] = 1
    with pytest.raises(wp.DeviceError, match="gave up on a graph of n = 25"):
        solve(F_GPU, graph, 0, device)
    assert_same_bits(solve(F_GPU, graph, 0, device), expected(graph, 0), graph)


@pytest.mark.parametrize("loop", [Loop.NEAR_FAR, Loop.BUCKETS, Loop.SETTLE])
def test_a_kernel_that_takes_more_turns_than_its_algorithm_can_gives_up(loop, device, monkeypatch):
    recipe = next(recipe for recipe in RECIPES if recipe.loop is loop)
    graph = generate.grid(5, 5, seed=1)
    few = on_device._LOOPS[loop]._replace(turns=lambda _: 2)
    monkeypatch.setitem(on_device._LOOPS, loop, few)
    with pytest.raises(wp.DeviceError, match="gave up on a graph of n = 25"):
        solve(recipe, graph, 0, device)


def test_buffers_are_shared_by_the_recipes_of_a_graph(device):
    graph = generate.grid(6, 6, seed=1)
    for recipe in RECIPES:
        solve(recipe, graph, 0, device)
    flights = FLIGHTS.cached(graph, device.name, "rounds in blocks of 64")
    assert flights.made == 1
    kept = flights.nbytes
    for recipe in RECIPES:
        solve(recipe, graph, 1, device)
    assert flights.nbytes == kept


def test_a_trace_counts_the_edges_of_each_round(device):
    graph = wp.Graph.of(([0, 0, 1, 2], [1, 2, 3, 3], np.array([1, 1, 5, 1], np.int32)))
    trace = Trace()
    dist = solve(F_GPU, graph, 0, device, trace=trace)
    assert dist.tolist() == [0, 1, 1, 2]
    assert [(row.phase, row.selected, row.relaxed, row.improved) for row in trace] == [
        ("settle", 1, 2, 2),
        ("settle", 2, 2, trace[1].improved),
        ("settle", 1, 0, 0),
    ]
    assert trace[1].improved in {1, 2}  # by the order of the two threads
    assert all(row.seconds == {} for row in trace)  # the emulator has no clock


def test_a_pull_reads_all_edges_into_what_is_not_settled(device):
    graph = wp.Graph.of(([0, 0, 1, 2, 3], [1, 2, 3, 3, 0], np.array([1, 1, 5, 1, 1], np.int32)))
    trace = Trace()
    solve(CATALOGUE["martin2009.u_gpu"], graph, 0, device, trace=trace)
    assert [(row.selected, row.relaxed, row.read) for row in trace] == [
        (1, 2, 4),
        (2, 2, 2),
        (1, 0, 0),
    ]
    trace = Trace()
    solve(F_GPU, graph, 0, device, trace=trace)
    assert [(row.relaxed, row.read) for row in trace] == [(2, 2), (2, 2), (0, 1)]


@pytest.mark.parametrize("name", ["davidson2014.bellman_ford", "bodra2025.bf_vertex"])
def test_a_sweep_over_all_vertices_touches_all_edges_in_every_round(name, device):
    graph = wp.Graph.of(([0, 1, 2, 3, 5], [1, 2, 3, 4, 4], np.ones(5, np.int32)))
    trace = Trace()
    solve(CATALOGUE[name], graph, 0, device, trace=trace)
    assert [row.read for row in trace] == [5] * len(trace)
    assert trace[0].relaxed < 5


@pytest.mark.parametrize("name", ["u_gpu_1min", "u_gpu_2min"])
def test_the_cpu_takes_the_least_of_the_values_that_the_passes_leave(name, monkeypatch):
    """As Martin et al. have it: n / (2 b) of them, and n / (2 b)^2, with b threads a block."""
    device, made = device_for(64), []
    graph = generate.uniform(20_000, 3, (1, 9), seed=1)
    mapped = device.mapped
    monkeypatch.setattr(device, "mapped", lambda left: made.append(left) or mapped(left))
    recipe = CATALOGUE[f"martin2009.{name}"]
    assert_same_bits(solve(recipe, graph, 0, device), expected(graph, 0), graph)
    once = -(-graph.n // 128)
    (left,) = made
    assert len(left) == (once if name == "u_gpu_1min" else -(-once // 128))
    assert (left == np.iinfo(np.int64).max).all()  # in the last round


def test_a_threshold_that_rises_by_delta_gives_the_same_bits(device):
    recipe = CATALOGUE["davidson2014.near_far.merge_path"]
    for dtype in ("int32", "float32"):
        case = corpus.case("power_law").astype(dtype)
        graph, source = case.graph(), case.sources[0]
        for skip in (1, 2, 1000):
            found = solve(recipe, graph, source, device, {"delta": 3, "skip": skip})
            assert_same_bits(found, expected(graph, source), graph)
