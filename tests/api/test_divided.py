"""One source of a graph that is divided over several devices."""

from __future__ import annotations

import pytest

import warpath as wp
from support.compare import assert_same_bits
from support.kernels import CACHE, Unset
from warpath.base.errors import NotEnoughMemoryError, NotSupportedError
from warpath.engines import registry
from warpath.engines.cuda import engine as cuda
from warpath.engines.cuda.result import OnDevice
from warpath.engines.emulator.device import EmulatedDevice
from warpath.graph import generate
from warpath.planner import kinds, several

LARGE = 2**40  # bytes that every graph of these tests fits


class PairKind(kinds.Cuda):
    """GPUs of a test, which are emulated."""

    name = "pair"
    timed = False

    def whole_name(self, device):
        return device if device in {"pair:0", "pair:1"} else None


class Pair:
    """An engine of two emulated devices that have some memory."""

    name = "pair"

    def __init__(self):
        self.free = LARGE
        self.ran = []
        self.opened = {}

    def device(self, name):
        if name not in self.opened:
            made = self.opened[name] = EmulatedDevice(len(self.opened), cache=CACHE)
            made.name, made.xp = name, Unset()
        return self.opened[name]

    def run(self, order, device):
        self.ran.append((device,))
        return cuda.run(order, self.device(device))

    def run_divided(self, order, devices):
        self.ran.append(devices)
        return cuda.run_divided(order, [self.device(each) for each in devices])

    def devices(self):
        return ["pair:0", "pair:1"]

    def memory(self, _graph, _device):
        return self.free, ""

    def on_device(self, *what):
        return OnDevice(*what)

    def device_search(self, *_):
        return None

    def place(self, graph, device):
        if self.free < 8 * graph.m:
            raise NotEnoughMemoryError(f"{device} is full")
        return device


@pytest.fixture
def pair(monkeypatch):
    monkeypatch.setattr(kinds, "KINDS", dict(kinds.KINDS))
    monkeypatch.setattr(registry, "KINDS", kinds.KINDS)
    monkeypatch.setattr(registry, "_ENGINES", {})
    engine = Pair()
    registry.register(PairKind(), engine)
    return engine


@pytest.fixture
def crowded(pair, monkeypatch):
    """Devices of which each is too small for the graph."""
    pair.free = 1000
    monkeypatch.setattr(several, "divided_bytes", lambda *_: 900)
    return pair


@pytest.fixture
def graph():
    return generate.rmat(9, 8, seed=3)


def test_a_graph_larger_than_a_device_is_divided(crowded, graph):
    paths = wp.sssp(graph, 5, device="pair:0,1")
    right = wp.sssp(graph, 5, device="cpu")
    assert_same_bits(paths.dist, right.dist)
    assert (paths.pred == right.pred).all()
    assert crowded.ran == [("pair:0", "pair:1")]
    assert paths.plan.among == ("pair:0", "pair:1")
    assert "warpath.wide on pair:0 and pair:1" in str(paths.plan)
    assert "the graph does not fit pair:0 alone" in str(paths.plan)
    assert paths.stats["bytes exchanged"] > 0
    wp.verify(graph, paths)


def test_one_device_solves_what_would_take_longer_divided(pair, graph):
    plan = wp.plan(graph, 0, device="pair:0,1")
    assert plan.among == ()
    assert "one device alone, as divided it would take" in str(plan)
    paths = wp.sssp(graph, 5, device="pair:0,1")
    assert (paths.dist == wp.sssp(graph, 5, device="cpu").dist).all()
    assert pair.ran == [("pair:0",)]


def test_a_division_that_is_faster_is_chosen(pair, graph, monkeypatch):
    monkeypatch.setattr(several, "divided_seconds", lambda *_: 1e-9)
    plan = wp.plan(graph, 0, device="pair:0,1")
    assert plan.among == ("pair:0", "pair:1")
    assert "it is predicted to be faster than" in plan.reason
    assert pair.ran == []


def test_a_division_can_be_requested(pair, graph):
    paths = wp.sssp(graph, 5, device="pair:0,1", algorithm="warpath.wide")
    assert paths.plan.among == ("pair:0", "pair:1")
    assert paths.plan.reason == "it was requested"
    assert pair.ran == [("pair:0", "pair:1")]


def test_a_cutoff_and_a_narrow_type_are_as_on_one_device(crowded, graph):
    right = wp.sssp(graph, 5, cutoff=60, dist_dtype="int32", device="cpu")
    paths = wp.sssp(graph, 5, cutoff=60, dist_dtype="int32", device="pair:0,1")
    assert crowded.ran
    assert_same_bits(paths.dist, right.dist)
    assert (paths.pred == right.pred).all()


def test_closed_vertices_are_opened_before_the_division(crowded):
    base = generate.rmat(8, 8, seed=3)
    graph = wp.Graph(base.indptr, base.indices, base.weights, first_through=20)
    for source in (3, 100):
        paths = wp.sssp(graph, source, device="pair:0,1")
        assert_same_bits(paths.dist, wp.sssp(graph, source, device="cpu").dist)
    assert crowded.ran


def test_a_solver_keeps_the_division(crowded, graph):
    solver = wp.Solver(graph, device="pair:0,1")
    for source in range(3):
        assert (solver.sssp(source).dist == wp.sssp(graph, source, device="cpu").dist).all()
    assert len(crowded.ran) == 3


@pytest.mark.usefixtures("crowded")
def test_what_is_not_divided_says_why(graph):
    with pytest.raises(NotEnoughMemoryError):
        wp.sssp(graph, 0, device="pair:0,1", algorithm="davidson2014.near_far.merge_path")
    negative = wp.Graph.of([(0, 1, -2), (1, 2, 5)] * 50)
    with pytest.raises(NotEnoughMemoryError):
        wp.sssp(negative, 0, device="pair:0,1")


def test_a_graph_that_fits_nowhere_is_refused(crowded, graph):
    crowded.free = 800
    message = "divided over pair:0 and pair:1 would take 900 B on each, but 800 B are free"
    with pytest.raises(NotEnoughMemoryError, match=message):
        wp.sssp(graph, 0, device="pair:0,1")


@pytest.mark.usefixtures("pair")
def test_the_cpu_takes_no_part(graph):
    with pytest.raises(NotSupportedError, match="use one device for sssp"):
        wp.sssp(graph, 0, device="all")


def test_the_tree_is_made_on_the_cpu_where_the_rows_do_not_fit(crowded, graph, monkeypatch):
    paths = wp.sssp(graph, 5, device="pair:0,1")
    monkeypatch.setattr(crowded.device("pair:0"), "free_memory", lambda: 100)
    right = wp.sssp(graph, 5, device="cpu").pred
    assert (paths.pred == right).all()
    assert not [key for key in graph.derived if "rows on a device" in repr(key[0])]
