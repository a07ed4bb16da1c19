"""A device that nobody requested: when "auto" takes it, and what it says."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import warpath as wp
from support import toy
from warpath.base.errors import NoDeviceError
from warpath.engines import cuda, planning
from warpath.graph import generate
from warpath.planner import auto_device, kinds
from warpath.planner.cpu_model import Size
from warpath.planner.device_kind import Need
from warpath.recipes import CATALOGUE, Task

N = 200


class FastKind(toy.ToyKind):
    """A device that "auto" considers: fast, after a start of some seconds."""

    own_memory = True
    start = 0.0

    def candidate(self, recipe, size, facts, hardware, threads):
        made = super().candidate(recipe, size, facts, hardware, threads)
        return replace(made, seconds=1e-9, bytes=1000)

    def start_seconds(self, *_):
        return self.start

    def free(self, hardware):
        return hardware.gpu_memory

    def needs(self, chosen, _size, _facts, hardware, device):
        return [Need(chosen.bytes, hardware.gpu_memory, self.where(device), "use device='cpu'")]


class FastEngine(toy.ToyEngine):
    """Its engine, which counts how often it is looked at and started."""

    seen_as: str | None = "toy:0"
    broken = ""
    free = 2**40

    def __init__(self):
        super().__init__(stays=True)
        self.looked = self.started = 0

    def seen(self):
        self.looked += 1
        return self.seen_as

    def trouble(self, device):
        assert device == "toy:0"
        self.started += 1
        return self.broken

    def memory(self, *_):
        return self.free, ""


@pytest.fixture
def engine(monkeypatch):
    """The fast device; every question is long enough to consider it."""
    toy.registered(monkeypatch)
    made = FastEngine()
    kinds.KINDS["toy"] = FastKind()
    toy.registry._ENGINES["toy"] = made
    monkeypatch.delitem(kinds.KINDS, "cuda")  # tests also run where there is a GPU
    monkeypatch.setattr(auto_device, "_LEAST", 0.0)
    return made


@pytest.fixture
def graph():
    return generate.uniform(N, 4, seed=3)


def test_one_source_is_found_there_and_its_result_is_on_the_host(engine, graph):
    right = wp.sssp(graph, 0, device="cpu")
    paths = wp.sssp(graph, 0)
    assert paths.plan.device == "toy:0"
    assert engine.ran == [(toy.ALGORITHM, "toy:0")]
    assert paths.dist.tobytes() == right.dist.tobytes()
    assert (paths.pred == right.pred).all()
    with pytest.raises(wp.NotSupportedError, match="on the host alone"):
        _ = paths.on_device
    assert wp.sssp(graph, 0, device="toy").on_device.device == "toy:0"


@pytest.mark.usefixtures("engine")
def test_the_plan_of_the_device_has_both_predictions(graph):
    kinds.KINDS["toy"].start = 1e-6
    here = wp.plan(graph, 0, device="cpu")
    text = str(wp.plan(graph, 0))
    assert text.startswith("classic.dijkstra on toy:0\n")
    assert f"half as long as the CPU: {here.headline()}, predicted" in text
    assert "predicted 1 us" in text  # its start counts
    assert "its time includes the start of toy:0" in text


def test_the_plan_of_the_cpu_has_both_predictions(engine, graph):
    kinds.KINDS["toy"].start = 2.0
    plan = wp.plan(graph, 0)
    assert plan.device == "cpu"
    assert plan == replace(wp.plan(graph, 0, device="cpu"), notes=plan.notes)
    assert (
        "toy:0 would not take at most half as long, with its start, copies and compilation: "
        "classic.dijkstra on toy:0, predicted 2 s"
    ) in str(plan)
    assert (engine.looked, engine.started) == (1, 0)


@pytest.mark.parametrize(("share", "device"), [(0.49, "toy:0"), (0.51, "cpu")])
@pytest.mark.usefixtures("engine")
def test_the_device_must_take_at_most_half_as_long(graph, share, device):
    kinds.KINDS["toy"].start = share * wp.plan(graph, device="cpu").seconds
    assert wp.plan(graph).device == device


def test_the_start_counts_for_the_runners_up_too(graph):
    kind, plan = FastKind(), wp.plan(graph, 0, device="cpu")
    kind.start = 3.0
    later = auto_device.with_start(plan, kind, Size(Task.SSSP), graph.facts())
    assert plan.runners_up
    for before, after in zip((plan, *plan.runners_up), (later, *later.runners_up), strict=True):
        assert after.seconds == before.seconds + 3.0


def test_a_quick_question_does_not_look_for_a_device(engine, graph, monkeypatch):
    monkeypatch.setattr(auto_device, "_LEAST", 0.2)
    assert wp.sssp(graph, 0).plan.device == "cpu"
    assert str(wp.plan(graph, 0)) == str(wp.plan(graph, 0, device="cpu"))
    assert engine.looked == 0


@pytest.mark.parametrize(
    "options",
    [{"device": "cpu"}, {"threads": 1}, {"algorithm": "classic.dijkstra"}, {"trace": True}],
    ids=str,
)
def test_an_option_of_the_cpu_keeps_a_call_there(engine, graph, options):
    assert wp.sssp(graph, 0, **options).plan.device == "cpu"
    assert wp.distances(graph, [0, 1], **options).plan.device == "cpu"
    assert engine.looked == 0


def test_the_environment_forbids_it(engine, graph, monkeypatch):
    monkeypatch.setenv("WARPATH_DEVICE", "cpu")
    assert wp.sssp(graph, 0).plan.device == "cpu"
    assert wp.apsp(graph).plan.device == "cpu"
    assert engine.looked == 0


def test_a_graph_on_the_cpu_stays_there(engine, graph):
    assert wp.sssp(graph.to("cpu"), 0).plan.device == "cpu"
    assert engine.looked == 0


def test_a_machine_without_the_device_says_nothing_of_it(engine, graph, monkeypatch):
    monkeypatch.setattr(engine, "seen_as", None)
    plan = wp.plan(graph, 0)
    assert str(plan) == str(wp.plan(graph, 0, device="cpu"))
    assert (engine.looked, engine.started) == (1, 0)


def test_a_device_that_does_not_start_leaves_the_work_to_the_cpu(engine, graph, monkeypatch):
    monkeypatch.setattr(engine, "broken", "its driver is too old.")
    paths = wp.sssp(graph, 0)
    assert paths.plan.device == "cpu"
    assert "toy:0 was considered, but its driver is too old." in str(paths.plan)
    assert (paths.dist == wp.sssp(graph, 0, device="cpu").dist).all()
    assert engine.ran == []


def test_a_device_without_enough_memory_leaves_the_work_to_the_cpu(engine, graph, monkeypatch):
    monkeypatch.setattr(engine, "free", 999)
    plan = wp.apsp(graph).plan
    assert plan.device == "cpu"
    assert "toy:0 was considered, but classic.dijkstra would take 1000 B on toy:0" in str(plan)


def test_the_same_call_makes_the_same_plan(engine, graph):
    first = wp.plan(graph, 0)
    assert all(wp.sssp(graph, s).plan == first for s in range(5))
    assert wp.plan(graph, 0) == first
    assert str(wp.plan(graph, sources=[0, 1])) == str(wp.plan(graph, sources=[0, 1]))
    assert engine.ran


def test_a_process_that_was_forked_plans_anew(engine, graph, monkeypatch):
    assert wp.sssp(graph, 0).plan.device == "toy:0"
    monkeypatch.setattr(engine, "broken", "CUDA was used before this process was forked.")
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert wp.sssp(graph, 0).plan.device == "cpu"


def test_tables_pairs_totals_and_nearest_facilities_are_found_there(engine, graph, tmp_path):
    calls = {
        "distances": lambda **on: wp.distances(graph, range(9), [5, 7], **on).dist,
        "predecessors": lambda **on: wp.distances(graph, range(9), predecessors=True, **on).pred,
        "apsp": lambda **on: wp.apsp(graph, out=tmp_path / f"{len(on)}.npy", **on).dist,
        "pairs": lambda **on: wp.pairs(graph, range(150), range(50, 200), **on).dist,
        "totals": lambda **on: wp.totals(graph, "sum", **on)["sum"],
        "nearest": lambda **on: wp.nearest(graph, [3, 9], **on).facility,
    }
    for name, call in calls.items():
        engine.ran.clear()
        assert (np.asarray(call()) == np.asarray(call(device="cpu"))).all(), name
        assert {device for _, device in engine.ran} == {"toy:0"}, name


def test_all_blocks_of_pairs_are_found_on_one_device(engine, graph, monkeypatch):
    """The last block is small: alone it would not be worth a device."""
    monkeypatch.setattr(FastKind, "rows_at_once", lambda *_: 64)
    origins = np.arange(129)
    whole = wp.plan(graph, sources=origins, targets=[0], device="cpu").seconds
    kinds.KINDS["toy"].start = 0.4 * whole
    assert wp.plan(graph, sources=[0], targets=[0]).device == "cpu"
    engine.ran.clear()
    found = wp.pairs(graph, origins, origins[::-1])
    assert found.plan.device == "toy:0"
    assert len(engine.ran) == 3
    assert (found.dist == wp.pairs(graph, origins, origins[::-1], device="cpu").dist).all()


@pytest.mark.usefixtures("engine")
def test_a_trace_of_a_table_is_kept_on_the_cpu(graph):
    table = wp.distances(graph, [0, 1], trace=True)
    assert table.plan.device == "cpu"
    assert len(table.trace)
    assert wp.distances(graph, [0, 1]).plan.device == "toy:0"


def test_bits_of_floats_do_not_depend_on_what_is_plugged_in():
    road = generate.road(50, seed=1)
    floats = road.astype("float64").facts(symmetry=False)
    plan = wp.plan(road, device="cpu")
    ordered, loose = (replace(plan, recipe=CATALOGUE[name]) for name in _ORDERS)
    assert (ordered.recipe.reassociates, loose.recipe.reassociates) == (False, True)
    assert auto_device.same_bits(ordered, ordered, floats)
    assert not auto_device.same_bits(loose, ordered, floats)
    assert not auto_device.same_bits(ordered, loose, floats)
    assert auto_device.same_bits(loose, ordered, replace(floats, exact_sums=True))
    assert auto_device.same_bits(loose, ordered, road.facts(symmetry=False))


_ORDERS = ("classic.dijkstra", "warpath.floyd_warshall")


def test_floats_stay_on_the_cpu_where_the_device_would_sum_them_in_another_order(
    engine, graph, monkeypatch
):
    monkeypatch.setattr(planning.auto_device, "same_bits", lambda *_: False)
    plan = wp.plan(graph)
    assert plan.device == "cpu"
    assert "toy:0 was considered, but sums of floats would depend on the device" in str(plan)
    assert engine.started == 0


@pytest.fixture
def seen(monkeypatch, tmp_path):
    """Return the check for a GPU, on a machine with a driver and without the packages."""
    driver = tmp_path / "nvidiactl"
    driver.touch()
    monkeypatch.setattr(cuda, "_DRIVERS", (str(driver),))
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    return cuda.seen.__wrapped__


def test_a_gpu_is_seen_by_its_driver_and_packages(seen, monkeypatch):
    installed = {"cupy", "cuda.core"}
    monkeypatch.setattr(cuda, "find_spec", lambda name: name if name in installed else None)
    assert seen() == "cuda:0"
    installed.remove("cupy")
    assert seen() is None
    installed.add("cupy")
    monkeypatch.setattr(cuda, "_DRIVERS", ("/no/such/file",))
    assert seen() is None


@pytest.mark.parametrize("hidden", ["", "-1"])
def test_a_hidden_gpu_is_not_seen(seen, monkeypatch, hidden):
    monkeypatch.setattr(cuda, "find_spec", lambda name: name)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    assert seen() == "cuda:0"
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", hidden)
    assert seen() is None


@pytest.mark.parametrize("error", [ModuleNotFoundError("no cuda"), ValueError("no __spec__")])
def test_a_package_that_cannot_be_looked_up_is_not_there(seen, monkeypatch, error):
    def find_spec(_name):
        raise error

    monkeypatch.setattr(cuda, "find_spec", find_spec)
    assert seen() is None


def test_a_gpu_that_fails_a_small_solve_says_why(monkeypatch):
    def fails(*_):
        raise NoDeviceError("no NVIDIA driver is installed here.")

    monkeypatch.setattr(cuda, "run", fails)
    assert cuda.trouble.__wrapped__("cuda:0") == "no NVIDIA driver is installed here."
    monkeypatch.setattr(cuda, "run", lambda *_: None)
    assert cuda.trouble.__wrapped__("cuda:0") == ""


_NOTHING_IMPORTED = """
import sys
import warpath as wp
from warpath.planner import auto_device

auto_device._LEAST = 0.0
paths = wp.sssp(wp.generate.uniform(100, 4, seed=1), 0)
assert paths.plan.device == "cpu", paths.plan
print(sorted(name for name in sys.modules if name.partition(".")[0] in {"cupy", "cuda"}))
"""


def test_nothing_is_imported_on_a_machine_without_a_gpu():
    hidden = os.environ | {"CUDA_VISIBLE_DEVICES": ""}
    command = [sys.executable, "-c", _NOTHING_IMPORTED]
    done = subprocess.run(command, env=hidden, capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
