"""`DynamicPaths` whose repairs run on a device: the emulator, which runs the kernels of GPUs."""

from __future__ import annotations

import inspect
import pkgutil
import signal
from pathlib import Path

import numpy as np
import pytest

import warpath as wp
from api.test_dynamic import assert_right, drawn
from support import corpus
from support.compare import assert_same_bits
from support.emulated_repairs import check_repairs, small_lists
from support.kernels import device_for
from support.tiers import SOLVES
from warpath import Graph, generate
from warpath.engines import base, cuda, dynamic, emulator
from warpath.engines.cuda import device_paths
from warpath.engines.cuda.device_paths import DevicePaths
from warpath.engines.cuda.repair import Repair

BUILD = Path(__file__).parents[2] / "build"  # the tests of kernels keep theirs there, too
TYPES = [np.int32, np.int64, np.float32, np.float64]
CASES = [
    case.astype(dtype)
    for case in corpus.all()
    if case.graph().n <= 300 and not case.overflows and not case.has_cycle and case.sources
    for dtype in case.dtypes
]


@pytest.fixture(autouse=True)
def _own_device(monkeypatch):
    monkeypatch.setenv("WARPATH_CACHE_DIR", str(BUILD))
    emulator.emulated.cache_clear()
    yield
    emulator.emulated.cache_clear()


@pytest.fixture
def square():
    """Two ways from 0 to 3: over 1, 3 long, and over 2, 4 long."""
    return Graph.of([(0, 1, 1), (1, 3, 2), (0, 2, 2), (2, 3, 2)])


def there(graph, *given, **options):
    """Return paths that the emulator repairs."""
    live = wp.DynamicPaths(graph, *given, device="emulated", **options)
    assert isinstance(live._paths, DevicePaths)
    return live


def assert_same_changes(changed, other):
    """Compare two results, whose vertices may be in another order."""
    for one in (changed, other):
        order = np.lexsort((one.indices, one.rows))
        one.key = [array[order].tolist() for array in (one.rows, one.indices, one.old, one.new)]
    assert changed.key == other.key


@pytest.mark.parametrize("dtype", TYPES)
def test_repairs_have_the_bits_of_the_cores(dtype):
    check_repairs(device_for(64, 2), dtype, [1])


def test_a_full_list_of_lowered_vertices_is_no_error():
    with small_lists():
        check_repairs(device_for(64, 2), "int32", [1])


@pytest.mark.full("repairs on the emulator", *SOLVES)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("processors", [1, 3])
def test_many_repairs_have_the_bits_of_the_cores(dtype, processors):
    device = device_for(64, processors)
    check_repairs(device, dtype, range(10, 30), batches=10)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("dtype", TYPES)
def test_batches_give_what_a_new_solve_and_the_cpu_give(dtype, directed):
    random = np.random.default_rng(2)
    graph = generate.uniform(60, 3, (0, 4), seed=3, dtype=dtype)
    if not directed:
        src, dst, weights = graph.edges()
        one = src < dst
        graph = Graph.from_edges(src[one], dst[one], weights[one], n=graph.n, directed=False)
    live = there(graph, sources=[0, 7, 7])
    here = wp.DynamicPaths(graph, sources=[0, 7, 7], device="cpu")
    for turn in range(8):
        batch = drawn(live.graph, random, most=6)
        if turn % 2:  # the rows stay on the device, and weights are changed in place
            batch = [change for change in batch if change[0] == "update"]
        changed, other = live.apply(batch), here.apply(batch)
        assert_same_changes(changed, other)
        assert changed.stats["solved_anew"] == 0
        assert_right(live)
        if turn % 3 == 2:
            assert_same_changes(live.undo(), here.undo())
            assert_right(live, here.graph)


@pytest.mark.full("batches on the emulator", *SOLVES, "tests/api/test_dynamic.py")
@pytest.mark.parametrize("case", CASES, ids=str)
def test_batches_on_the_corpus_give_what_a_new_solve_gives(case):
    graph, random = case.graph(), np.random.default_rng(1)
    live = there(graph, sources=graph.label_of(np.array(case.sources[:2])).tolist())
    for _ in range(3):
        before = live.graph
        try:
            live.apply(drawn(before, random))
        except (wp.NegativeCycleError, wp.DistanceOverflowError, wp.WeightError):
            assert_right(live, before)
        assert_right(live)


def test_reads_undo_and_changes_are_those_of_the_cpu(square):
    live = there(square, source=0)
    with pytest.raises(wp.InputError, match="there is no batch to take back"):
        live.undo()
    dist, pred = live.dist, live.pred
    changed = live.apply([("delete", 0, 1), ("insert", 0, 3, 1), ("update", 2, 3, 7)])
    assert (changed.indices.tolist(), changed.new.tolist()) == ([1, 3], [2**63 - 1, 1])
    assert repr(changed) == "<Changed: 2 distances; 2 vertices affected>"
    assert live.path_to(3).vertices.tolist() == [0, 3]
    assert live.distances_to([3, 0]).tolist() == [1, 0]
    with pytest.raises(wp.NoPathError):
        live.path_to(1)
    back = live.undo()
    assert (back.old.tolist(), back.new.tolist()) == ([2**63 - 1, 1], [1, 3])
    assert_same_bits(live.dist, dist)
    assert_same_bits(live.pred, pred)
    assert not live.pred.flags.writeable
    with pytest.raises(wp.InputError, match="and once"):
        live.undo()
    assert live.update([(0, 1)], [9]).new.tolist() == [9, 4]  # in the weights of before
    assert_right(live)
    assert live.nbytes > wp.DynamicPaths(square, source=0).nbytes


def test_a_refused_batch_changes_nothing(square):
    live = there(square, source=0)
    live.update([(0, 1)], [2])
    with pytest.raises(wp.InputError, match="there is no edge 3 -> 0"):
        live.delete([(3, 0)])
    assert_right(live)
    assert live.undo().new.tolist() == [1, 3]  # the batch before the error
    assert_right(live, square)


def test_a_repair_of_too_many_vertices_ends_in_a_new_solve(square, monkeypatch):
    monkeypatch.setattr(device_paths, "_FEW", 0)
    monkeypatch.setattr(device_paths, "_MOST_AFFECTED", 1 / 2)
    live = there(square, source=0)
    changed = live.delete([(0, 1), (0, 2)])  # affects 3 of 4 vertices
    assert changed.stats["solved_anew"] == 1
    assert changed.indices.tolist() == [1, 2, 3]
    assert_right(live)
    assert live.undo().new.tolist() == [1, 2, 3]
    assert_right(live, square)
    assert live.update([(1, 3)], [1]).stats["solved_anew"] == 0
    assert_right(live)


def test_a_repair_that_relaxes_too_many_edges_ends_in_a_new_solve(monkeypatch):
    monkeypatch.setattr(device_paths, "_FEW", 0)
    monkeypatch.setattr(device_paths, "_MOST_SETTLED", 0)
    live = there([(at, at + 1, 3) for at in range(99)], source=0)
    assert live.update([(0, 1)], [2]).stats["solved_anew"] == 1  # labels fall for many rounds
    assert_right(live)
    assert live.update([(97, 98)], [2]).stats["solved_anew"] == 0
    assert_right(live)


def test_negative_weights_are_solved_and_a_cycle_keeps_the_state(square):
    live = there(square, source=0)
    assert live.update([(1, 3)], [-1]).new.tolist() == [0]
    assert_right(live)
    with pytest.raises(wp.NegativeCycleError):
        live.insert([(3, 0)], [-1])
    assert live.dist.tolist() == [0, 1, 2, 0]
    assert_right(live)
    live.update([(1, 3)], [1])  # and back to weights >= 0, which are repaired
    assert_right(live)
    assert live.update([(0, 1)], [2]).stats["solved_anew"] == 0
    assert_right(live)
    live.update([(2, 3)], [-1])
    live.update([(2, 3)], [0])
    changed = live.update([(0, 2)], [1])  # a repair with the weight that came with a new solve
    assert changed.stats["solved_anew"] == 0
    assert_right(live)


def test_a_batch_that_fails_leaves_the_batch_before_it_to_undo(square):
    live = there(square, source=0)
    live.apply([("delete", 0, 1), ("insert", 0, 3, 1), ("update", 2, 3, 7)])
    dist = live.dist
    for _ in range(2):
        with pytest.raises(wp.NegativeCycleError):
            live.insert([(3, 0)], [-9])
        assert_same_bits(live.dist, dist)
    assert live.undo().new.tolist() == [1, 3]
    assert_right(live, square)
    assert live.update([(0, 1)], [2]).stats["solved_anew"] == 0
    assert_right(live)


def test_the_tree_of_negative_weights_is_not_repaired():
    edges = [(0, 2, 1), (2, 1, 1), (1, 4, 1), (0, 3, 2), (3, 4, 1), (0, 5, 1)]
    live = there(Graph.of(edges), source=0)
    live.update([(0, 5)], [-1])
    assert live.pred[4] == 3  # over fewer edges
    live.update([(0, 5)], [1])
    assert live.pred[4] == 1  # the smallest
    assert_right(live)


def test_a_distance_that_does_not_fit_keeps_the_state():
    big = 2**62
    live = there(Graph.of([(0, 1, big), (1, 2, 1)]), source=0)
    with pytest.raises(wp.DistanceOverflowError, match="does not fit"):
        live.update([(1, 2)], [big])
    assert live.dist.tolist() == [0, big, big + 1]
    assert_right(live)
    assert live.update([(0, 1)], [7]).new.tolist() == [7, 8]
    assert_right(live)


def test_an_error_in_a_repair_keeps_the_state(square, monkeypatch):
    live = there(square, sources=[0, 1])
    real, calls = Repair.__call__, []

    def failing(self, *given):
        found = real(self, *given)
        calls.append(found)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return found

    monkeypatch.setattr(Repair, "__call__", failing)
    with pytest.raises(KeyboardInterrupt):
        live.update([(0, 1), (1, 3)], [9, 9])
    assert_right(live, square)
    with pytest.raises(wp.InputError, match="there is no batch"):
        live.undo()
    live.update([(0, 1)], [9])
    live.update([(0, 2)], [50])
    assert_right(live)


def test_an_interrupt_of_a_running_kernel_keeps_the_state():
    def interrupt(*_):
        raise KeyboardInterrupt

    graph = generate.grid(70, 70, (1, 9), seed=1)
    live = there(graph, source=0)
    live.update([(4898, 4899)], [30])  # compiles the kernel

    def follow():
        for turn in range(10_000):  # far more than the alarm leaves time for
            live.update([(0, 1), (0, 70)], [900 + turn % 90, 800])

    kept = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.03)
        with pytest.raises(KeyboardInterrupt):
            follow()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, kept)
    assert_right(live)
    live.update([(0, 1)], [5])
    assert_right(live)


def test_closed_vertices_are_not_passed_through():
    graph = Graph.from_edges([1, 0, 1], [0, 2, 2], [1, 1, 9], first_through=1)
    live = there(graph, source=1)
    live.update([(1, 0)], [2])
    assert live.dist.tolist() == [2, 0, 9]
    assert_right(live)


def test_the_device_is_the_one_that_is_asked_for(square):
    name = "khanda2022.batch"
    assert there(square, source=0, algorithm=name).dist.tolist() == [0, 1, 2, 3]
    for algorithm in ("chan2009.dyndij", "ramalingam1996.dynamic"):  # they repair on the CPU
        live = wp.DynamicPaths(square, 0, device="emulated", algorithm=algorithm)
        assert not isinstance(live._paths, DevicePaths)
    assert not isinstance(wp.DynamicPaths(square, 0)._paths, DevicePaths)
    assert isinstance(wp.DynamicPaths(square.to("emulated"), 0)._paths, DevicePaths)
    with pytest.raises(wp.InputError, match=f"{name} repairs on a GPU, not on device='cpu'"):
        wp.DynamicPaths(square, 0, algorithm=name, device="cpu")
    limits = wp.algorithms()[name].limits._replace(vertices=3)
    object.__setattr__(wp.algorithms()[name], "limits", limits)
    try:
        assert not isinstance(wp.DynamicPaths(square, 0, device="emulated")._paths, DevicePaths)
        with pytest.raises(wp.NotSupportedError, match="up to 3 vertices, the graph has 4"):
            wp.DynamicPaths(square, 0, device="emulated", algorithm=name)
    finally:
        object.__setattr__(wp.algorithms()[name], "limits", limits._replace(vertices=2**31 - 1))
    assert name in dynamic.names()
    assert wp.sssp(square, 0, algorithm=name, device="emulated").dist.tolist() == [0, 1, 2, 3]


def test_a_vertex_without_edges_and_a_graph_without_any():
    live = there(Graph.from_edges([], [], n=3), source=1)
    assert live.insert([(1, 2)], [4]).new.tolist() == [4]
    live.undo()
    assert live.dist.tolist() == [2**63 - 1, 0, 2**63 - 1]
    assert_right(live)


def test_no_module_hides_a_function_of_the_cuda_engine():
    modules = {module.name for module in pkgutil.iter_modules(cuda.__path__)}
    engines = [base.Engine, *(one for name, one in vars(base).items() if name.startswith("With"))]
    functions = {
        name for one in engines for name, what in vars(one).items() if inspect.isfunction(what)
    }
    assert {"run", "dynamic_paths"} <= functions
    assert not modules & functions


def test_an_undo_that_is_stopped_leaves_the_graph_before_the_batch(square, monkeypatch):
    live, right = there(square, source=0), there(square, source=0)
    live.update([(0, 1)], [9])
    assert live.dist.tolist()
    device = live._paths._device

    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(device, "synchronize", stopped)
    monkeypatch.setattr(device, "put", stopped)
    with pytest.raises(KeyboardInterrupt):
        live.undo()
    monkeypatch.undo()
    assert_right(live, right.graph)
    for batch in ([(0, 2)], [1]), ([(1, 3)], [2]):
        live.update(*batch)
        right.update(*batch)
        assert_same_bits(live.dist, right.dist)
        assert_same_bits(live.pred, right.pred)
