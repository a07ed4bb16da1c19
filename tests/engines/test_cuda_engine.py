"""From the call to the GPU and back, over fakes: what is opened, checked and passed on."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import warpath as wp
from warpath.engines.base import Raw
from warpath.engines.cuda import engine
from warpath.graph.derived import Derived

from .conftest import CUDARuntimeError

EDGES = [(0, 1, 7), (0, 2, 2), (2, 1, 3)]
NAME = "martin2009.f_gpu"


@pytest.fixture(autouse=True)
def in_steps(monkeypatch):
    """Let no call be bound, so that all go by `engine.run`."""
    monkeypatch.setattr(engine, "bound", lambda *_: None)


@pytest.fixture
def ran(machine, monkeypatch):
    """The orders that reached the engine, which answers with the right distances."""
    orders = []

    def run(order, device):
        orders.append((order, device, machine.current))
        return Raw(np.array([0, 5, 2], np.int64), stats={"rounds": 3})

    monkeypatch.setattr(engine, "run", run)
    return orders


@pytest.mark.usefixtures("machine")
def test_a_call_runs_on_the_gpu_that_it_names(ran, machine):
    machine.gpus *= 2
    paths = wp.sssp(EDGES, 0, algorithm=NAME, device="cuda:1")
    assert paths.dist.tolist() == [0, 5, 2]
    assert paths.pred.tolist() == [-1, 2, 0]
    assert (paths.plan.device, paths.plan.notes) == ("cuda:1", ())
    assert paths.stats["rounds"] == 3
    ((order, device, current),) = ran
    assert (order.recipe.name, device.name, current) == (NAME, "cuda:1", 1)
    assert machine.current == 0


def test_a_cutoff_is_applied_to_what_a_gpu_returns(ran):
    paths = wp.sssp(EDGES, 0, algorithm=NAME, cutoff=3)
    assert paths.reached.tolist() == [True, False, True]
    assert ran[0][0].problem.cutoff == 3


def test_what_does_not_fit_on_the_gpu_is_refused_before_it_runs(ran, machine):
    machine.free = 50
    with pytest.raises(wp.NotEnoughMemoryError, match=r"on cuda:0 with the graph, but 50 B are fr"):
        wp.sssp(EDGES, 0, device="cuda")
    assert ran == []


@pytest.mark.usefixtures("ran")
def test_what_the_graph_holds_on_the_gpu_already_counts_as_free(machine):
    graph = wp.Graph.of(EDGES)
    needed = wp.plan(graph, 0, algorithm=NAME).bytes
    rows, classes = Derived("tests", "rows"), Derived("tests", "classes")
    rows.of(graph, lambda: (np.zeros(40, np.uint8), np.zeros(8, np.uint8)), "cuda:0")
    classes.of(graph, lambda: np.zeros(2, np.uint8), "cuda:0", 32)
    rows.of(graph, lambda: (np.zeros(1000, np.uint8),), "cuda:1")
    machine.free = needed - 50
    assert wp.plan(graph, 0, algorithm=NAME).bytes == needed
    machine.free -= 1
    with pytest.raises(wp.NotEnoughMemoryError):
        wp.plan(graph, 0, algorithm=NAME)


def test_a_gpu_that_is_not_there_is_an_error_of_the_run_only(ran, machine):
    machine.gpus = []
    (note,) = wp.plan(EDGES, 0, device="cuda").notes
    assert note.startswith("cuda:0 cannot be used here: CUDA finds no GPU here (cudaErrorNoDevice")
    with pytest.raises(wp.NoDeviceError, match="finds no GPU here"):
        wp.sssp(EDGES, 0, device="cuda")
    assert ran == []


def test_a_run_ends_when_the_gpu_has_finished(ran, machine):
    machine.failure = CUDARuntimeError("cudaErrorLaunchFailure")
    with pytest.raises(wp.DeviceError, match="cudaErrorLaunchFailure"):
        wp.sssp(EDGES, 0, device="cuda")
    assert len(ran) == 1


def test_a_failure_of_the_gpu_is_a_device_error(machine, monkeypatch):
    def run(*_):
        raise CUDARuntimeError("cudaErrorIllegalAddress")

    monkeypatch.setattr(engine, "run", run)
    with pytest.raises(wp.DeviceError, match="cudaErrorIllegalAddress"):
        wp.sssp(EDGES, 0, device="cuda")
    assert machine.current == 0


@pytest.mark.usefixtures("ran")
def test_a_negative_cycle_found_by_a_gpu_comes_with_the_graphs_names(monkeypatch):
    def run(*_):
        raise wp.NegativeCycleError([1, 2], -1)

    monkeypatch.setattr(engine, "run", run)
    with pytest.raises(wp.NegativeCycleError) as caught:
        wp.sssp([("a", "b", 1), ("b", "c", -3), ("c", "b", 2)], "a", device="cuda")
    assert caught.value.cycle == ["b", "c"]


@pytest.mark.usefixtures("machine")
def test_a_solve_on_the_cpu_asks_for_no_gpu(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    assert wp.sssp(EDGES, 0).plan.device == "cpu"
    assert wp.sssp(EDGES, 0, device="cpu").plan.notes == ()
