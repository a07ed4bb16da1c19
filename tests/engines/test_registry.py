"""An engine is added by registering it; nothing else knows the names of devices."""

from __future__ import annotations

import pytest

import warpath as wp
from support.toy import ToyKind, registered
from warpath.engines import base, cpu, loops, registry
from warpath.planner import kinds
from warpath.recipes import CATALOGUE, Loop, Task


@pytest.fixture
def toy(monkeypatch):
    return registered(monkeypatch)


def test_a_registered_engine_runs_what_its_device_is_requested_for(toy):
    graph = wp.Graph.of([(0, 1, 2), (1, 2, 5)])
    paths = wp.sssp(graph, 0, device="toy")
    assert paths.dist.tolist() == [0, 2, 7]
    assert paths.pred.tolist() == [-1, 0, 1]
    assert (paths.plan.device, paths.plan.algorithm) == ("toy:0", "classic.dijkstra")
    assert "on toy:0" in str(paths.plan)
    assert wp.distances(graph, [0, 1], device="toy").dist.tolist() == [[0, 2, 7], [2**63 - 1, 0, 5]]
    assert wp.sssp(graph.to("toy"), 1).dist.tolist() == [2**63 - 1, 0, 5]
    assert toy.ran == 3 * [("classic.dijkstra", "toy:0")]
    assert wp.sssp(graph, 0).plan.device == "cpu"


def test_the_environment_may_name_a_registered_device(toy, monkeypatch):
    graph = wp.Graph.of([(0, 1, 2), (1, 2, 5)])
    for name in ("toy", "toy:0"):
        monkeypatch.setenv("WARPATH_DEVICE", name)
        assert wp.sssp(graph, 0).plan.device == "toy:0"
    assert len(toy.ran) == 2
    monkeypatch.setenv("WARPATH_DEVICE", "toy:7")
    known = "'cpu', 'cuda', 'cuda:1', 'emulated', 'dask' or 'toy'"
    message = f"WARPATH_DEVICE='toy:7' is not valid: use {known}, or unset"
    with pytest.raises(wp.InputError, match=message):
        wp.sssp(graph, 0)


def test_a_result_that_stays_on_a_device_is_made_by_its_engine(monkeypatch):
    registered(monkeypatch, stays=True)
    graph = wp.Graph.of([(0, 1, 2), (1, 2, 5)])
    paths = wp.sssp(graph, 0, device="toy")
    assert paths.on_device.device == "toy:0"
    assert paths.on_device.dist.tolist() == paths.dist.tolist() == [0, 2, 7]
    assert paths.on_device.pred.tolist() == paths.pred.tolist() == [-1, 0, 1]
    assert wp.nearest(graph, [1], device="toy").dist.tolist() == [2**63 - 1, 0, 5]


@pytest.mark.usefixtures("toy")
def test_a_device_without_an_engine_is_refused():
    graph = wp.Graph.of([(0, 1, 2)])
    for device in ("toy:7", "tpu", "cpu:1"):
        known = "'auto', 'cpu', 'cuda', 'cuda:1', 'emulated', 'dask' or 'toy'"
        said = f"device='{device}' is not valid; use {known}"
        with pytest.raises(wp.InputError, match=said):
            wp.sssp(graph, 0, device=device)


@pytest.mark.parametrize("device", ["tpu", "cpu:1", "auto", ""])
def test_a_graph_is_put_on_valid_devices_only(device):
    graph = wp.Graph.of([(0, 1, 2)])
    wp.sssp(graph, 0, device="cpu")  # the engine of the CPU is loaded
    with pytest.raises(
        wp.InputError, match=r"is not valid; use 'cpu', 'cuda', 'cuda:1', 'emulated' or 'dask'\."
    ):
        graph.to(device)


def test_each_kind_of_device_of_the_package_has_an_engine():
    assert registry._MODULES.keys() == kinds.KINDS.keys(), (
        "a kind of device in KINDS of planner/kinds.py needs the module of its engine in _MODULES "
        "of engines/registry.py, and the reverse"
    )
    for name in registry._MODULES:
        assert kinds.KINDS[name].name == registry.engine_of(name).name == name


def test_each_engine_has_the_functions_of_what_its_devices_can_do():
    protocols = [value for name, value in vars(base).items() if name.startswith("With")]
    able = {
        name: {one.__name__ for one in protocols if registry.capability(name, one) is not None}
        for name in registry._MODULES
    }
    assert able == {
        "cpu": {"WithTotals", "WithHostSearches", "WithRepairs"},
        "cuda": {
            "WithTotals", "WithDeviceResults", "WithDivision", "WithRepairs", "WithDetection",
            "WithPathSums",
        },
        "emulated": {"WithPathSums", "WithRepairs"},
        "dask": {"WithWorkers"},
    }  # fmt: skip


def test_the_cpu_has_a_function_for_each_loop_and_task_of_the_recipes():
    by_task = {
        Task.SSSP: cpu._SEARCHES, Task.PATH: cpu._TRIPS, Task.PAIRS: cpu._TRIPS,
        Task.MANY: cpu._TABLES, Task.APSP: cpu._TABLES,
        Task.BETWEENNESS: {Loop.BRANDES: 1, Loop.COUNTING_SWEEPS: 2},  # engines/betweenness.py
    }  # fmt: skip
    registered = {Loop.OWN, *loops._ON_CPU}
    missing = {
        (recipe.name, task)
        for recipe in CATALOGUE
        for task in recipe.solves
        if "cpu" in recipe.devices and recipe.loop not in by_task[task].keys() | registered
    }
    assert missing == set()


def test_what_a_device_cannot_do_is_refused_by_name():
    with pytest.raises(wp.NotSupportedError, match=r"device='emulated' has no Division: use anot"):
        registry.required("emulated", base.WithDivision)


def test_a_kind_without_an_engine_is_refused_with_what_to_add(monkeypatch):
    monkeypatch.setitem(kinds.KINDS, "toy", ToyKind())
    with pytest.raises(wp.NotSupportedError, match="device='toy:0' has no engine: add its module"):
        registry.engine_of("toy:0")
