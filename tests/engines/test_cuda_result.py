"""Results that stay on the device that found them, on the emulated device in a GPU's place."""

from __future__ import annotations

import copy
import gc
import pickle
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import warpath as wp
from support import corpus
from support.compare import assert_same_bits
from support.stand_in import DeviceArray, StandIn
from warpath import generate
from warpath.api.options import options_of
from warpath.engines.cuda import device as cuda_device
from warpath.engines.cuda import flight, patches
from warpath.engines.cuda.flight import FLIGHTS, Flights
from warpath.engines.cuda.result import OnDevice, tree_on
from warpath.engines.cuda.rows import ROWS
from warpath.graph.zones import opened
from warpath.recipes import CATALOGUE

from .conftest import calls_in

NEAR_FAR = "davidson2014.near_far.merge_path"
SWEEPS = "bodra2025.bf_strided"


class Watched(StandIn):
    """Counts the bytes that leave the device."""

    fetched = 0

    def get(self, array, out=None):
        self.fetched += array.nbytes
        return super().get(np.asarray(array), out)


@pytest.fixture(scope="module")
def kernels():
    return Watched(seed=3)


@pytest.fixture
def gpu(kernels, monkeypatch):
    monkeypatch.setattr(cuda_device, "open_device", kernels.opened)
    return kernels


def road(n=12):
    return generate.grid(n, n, (1, 9), seed=5)


def solved(graph, source=0, **more):
    return wp.sssp(graph, source, algorithm=NEAR_FAR, device="cuda", **more)


CASES = [
    case
    for dtype in corpus.ALL_TYPES
    for case in corpus.all(negative=False, dtype=dtype)
    if not (case.overflows and dtype == "int64")
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_tree_made_on_the_device_is_the_one_tree(case, gpu):
    graph = opened(case.graph())
    for source in case.sources:
        right = wp.sssp(graph, source, device="cpu")
        found = tree_on(graph, source, gpu.put(right.dist), gpu)
        if found is None:  # some vertex has only edges of no length before it
            before, after = right.pred[right.pred >= 0], np.flatnonzero(right.pred >= 0)
            assert (right.dist[before] == right.dist[after]).any()
        else:
            assert_same_bits(found, right.pred)


def test_the_tree_of_labels_of_32_bits_sees_sums_beyond_them(gpu):
    most = 2**31 - 1
    graph = wp.Graph.of([(0, 1, most - 1), (1, 2, most - 2), (0, 2, 5)])
    labels = gpu.put(np.array([0, most - 1, 5], np.int32))
    assert tree_on(graph, 0, labels, gpu).tolist() == [-1, 0, 0]


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_distances_are_those_of_the_cpu_and_leave_the_device_when_asked_for(dtype, gpu):
    graph = road().astype(dtype)
    right = wp.sssp(graph, 3, device="cpu")
    found = solved(graph, 3)
    gpu.fetched = 0
    assert found.on_device.dist.dtype == graph.dist_dtype
    assert found.plan.device == "cuda:0"
    assert len(found) == graph.n
    assert gpu.fetched == 0
    assert_same_bits(found.dist, right.dist, graph)
    assert gpu.fetched == found.dist.nbytes
    assert not isinstance(found.dist, DeviceArray)
    assert_same_bits(np.asarray(found.on_device.dist), right.dist)
    assert gpu.fetched == found.dist.nbytes
    assert found.dist is found.dist
    assert not found.dist.flags.writeable


def test_predecessors_come_from_the_device_without_the_distances(gpu):
    graph = road()
    right, found = wp.sssp(graph, 0, device="cpu"), solved(graph)
    gpu.fetched = 0
    assert_same_bits(found.pred, right.pred)
    assert gpu.fetched == found.pred.nbytes + 4
    assert_same_bits(np.asarray(found.on_device.pred), right.pred)
    assert found.on_device.pred is found.on_device.pred
    assert_same_bits(solved(graph).on_device.pred, right.pred)


def test_labels_of_32_bits_are_widened(gpu):
    graph = wp.Graph.of([(0, 1, 7), (0, 2, 2), (2, 1, 3)], n=4)
    labels = gpu.put(np.array([0, 5, 2, 2**31 - 1], np.int32))
    found = OnDevice(graph, 0, labels, gpu, None, np.dtype(np.int64))
    right = wp.sssp(graph, 0)
    assert_same_bits(found.here(), right.dist)
    assert_same_bits(np.asarray(found.dist), right.dist)
    assert_same_bits(found.pred_here(), right.pred)
    near = OnDevice(graph, 0, labels, gpu, 4, np.dtype(np.int64))
    right = wp.sssp(graph, 0, cutoff=4)
    assert_same_bits(near.here(), right.dist)
    assert_same_bits(near.pred_here(), right.pred)


@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("cutoff", [0, 11, 11.5, 10**12])
def test_a_cutoff_is_kept(dtype, cutoff):
    graph = road().astype(dtype)
    right, found = wp.sssp(graph, 0, cutoff=cutoff), solved(graph, cutoff=cutoff)
    assert_same_bits(np.asarray(found.on_device.dist), right.dist)
    assert_same_bits(found.dist, right.dist)
    assert_same_bits(solved(graph, cutoff=cutoff).dist, right.dist)
    assert_same_bits(found.pred, right.pred)
    assert found.stats["reached"] == right.stats["reached"]


@pytest.mark.usefixtures("gpu")
def test_int32_distances_are_made_on_the_device_or_refused_by_the_call():
    graph = road()
    right, found = wp.sssp(graph, 0, dist_dtype="int32"), solved(graph, dist_dtype="int32")
    assert_same_bits(found.dist, right.dist)
    assert found.on_device.dist.dtype == np.int32
    assert_same_bits(found.pred, right.pred)
    wide = graph.with_weights(graph.weights.astype(np.int64) * 2**30)
    with pytest.raises(wp.DistanceOverflowError, match="leave dist_dtype out for 64 bits"):
        solved(wide, dist_dtype="int32")


@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize("source", [0, 3])
def test_closed_vertices_are_folded(source):
    graph = corpus.case("closed_vertices").graph()
    right, found = wp.sssp(graph, source), solved(graph, source)
    assert_same_bits(np.asarray(found.on_device.dist), right.dist)
    assert_same_bits(np.asarray(found.on_device.pred), right.pred)
    again = solved(graph, source)
    assert_same_bits(again.dist, right.dist)
    assert_same_bits(again.pred, right.pred)


@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize("name", ["zero_cycle", "all_zero", "negative_without_cycle"])
def test_a_tree_that_takes_levels_is_made_on_the_cpu(name):
    graph = corpus.case(name).graph()
    right = wp.sssp(graph, 0)
    found = wp.sssp(graph, 0, algorithm=SWEEPS, device="cuda")
    assert_same_bits(found.pred, right.pred)
    again = wp.sssp(graph, 0, algorithm=SWEEPS, device="cuda")
    assert_same_bits(np.asarray(again.on_device.pred), right.pred)


@pytest.mark.usefixtures("gpu")
def test_under_negative_weights_the_tree_goes_by_levels_though_all_edges_lengthen():
    edges = [
        (0, 5, 4),
        (5, 3, 4),
        (0, 2, 1),
        (2, 6, 1),
        (6, 1, 1),
        (1, 3, 5),
        (0, 4, 3),
        (5, 4, -1),
    ]
    graph = wp.Graph.of(edges)
    found = wp.sssp(graph, 0, algorithm=SWEEPS, device="cuda")
    assert found.pred[3] == wp.sssp(graph, 0).pred[3] == 5


@pytest.mark.usefixtures("gpu")
def test_negative_weights_within_a_cutoff_come_to_the_host_whole():
    graph = corpus.case("negative_without_cycle").graph()
    right = wp.sssp(graph, 0, cutoff=2)
    found = wp.sssp(graph, 0, cutoff=2, algorithm=SWEEPS, device="cuda")
    assert_same_bits(found.dist, right.dist)
    assert_same_bits(found.pred, right.pred)
    with pytest.raises(wp.NotSupportedError, match=r"cupy.asarray\(paths.dist\)"):
        _ = found.on_device


@pytest.mark.usefixtures("gpu")
def test_a_route_may_pass_a_vertex_beyond_a_cutoff():
    graph = wp.Graph.of([(0, 1, 10), (1, 2, -8), (2, 3, 1)])
    found = wp.sssp(graph, 0, cutoff=5, algorithm=SWEEPS, device="cuda")
    assert found.pred.tolist() == [-1, -1, 1, 2]
    assert list(found.path_to(2)) == [0, 1, 2]


@pytest.mark.usefixtures("gpu")
def test_what_keeps_no_trace_is_left_out_where_one_is_asked_for():
    traced = wp.sssp(road(), 0, device="cuda", trace=True)
    assert traced.stats["rounds"] > 0
    assert ("warpath.patches", "it keeps no trace") in traced.plan.left_out
    assert wp.sssp(road(), 0, device="cuda").plan.algorithm == "warpath.patches"


@pytest.mark.usefixtures("gpu")
def test_a_kept_plan_does_not_let_wrong_params_pass():
    graph = road()
    solved(graph)
    for wrong in ([], 0, ""):
        with pytest.raises(wp.InputError, match="must be a dict of numbers"):
            solved(graph, params=wrong)


@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize("algorithm", [NEAR_FAR, "warpath.patches", "warpath.wide"])
def test_a_graph_and_what_it_keeps_go_without_the_collector(algorithm):
    graph = road()
    kept = weakref.ref(graph)
    gc.disable()
    try:
        wp.sssp(graph, 0, algorithm=algorithm, device="cuda")
        del graph
        assert kept() is None
    finally:
        gc.enable()


@pytest.mark.usefixtures("gpu")
def test_all_that_a_result_does_works_while_it_is_on_the_device(tmp_path):
    graph, right = road(), wp.sssp(road(), 0)
    pickled = pickle.loads(pickle.dumps(solved(graph)))  # noqa: S301 - our own
    for same in (pickled, copy.deepcopy(solved(graph))):
        assert_same_bits(same.dist, right.dist)
        assert_same_bits(same.pred, right.pred)
        assert same.stats["reached"] == graph.n
    solved(graph).save(tmp_path / "tree.npz")
    assert_same_bits(wp.Paths.load(graph, tmp_path / "tree.npz").pred, right.pred)
    assert repr(solved(graph)).splitlines()[0] == repr(right).splitlines()[0]
    assert list(solved(graph).path_to(143)) == list(right.path_to(143))
    assert solved(graph)[143] == right[143]
    assert wp.verify(graph, solved(graph)).tree
    assert solved(graph).stats["reached"] == graph.n
    assert solved(graph).reached.all()


@pytest.mark.usefixtures("gpu")
def test_a_traced_result_is_on_the_host():
    found = solved(road(), trace=True)
    assert found.stats["reached"] == 144
    with pytest.raises(wp.NotSupportedError, match="on_device: this result is on the host alone"):
        _ = found.on_device


def test_a_result_of_the_cpu_is_on_no_device():
    with pytest.raises(wp.NotSupportedError, match="Solve with device='cuda'"):
        _ = wp.sssp(road(), 0).on_device


def test_a_copy_that_fails_says_so_when_it_is_asked_for(gpu, monkeypatch):
    found = solved(road())

    def fails(*_):
        raise wp.DeviceError("cuda:0, NVIDIA H200, failed")

    monkeypatch.setattr(gpu, "get", fails)
    with pytest.raises(wp.DeviceError, match="failed"):
        _ = found.dist
    monkeypatch.undo()
    assert found.dist[0] == 0


def test_nearest_takes_distances_from_the_device(gpu):
    graph = road()
    found = wp.nearest(graph, [0, 77], algorithm=NEAR_FAR, device="cuda")
    assert_same_bits(found.dist, wp.nearest(graph, [0, 77]).dist)
    assert found.plan.device == gpu.name


@pytest.mark.usefixtures("gpu")
def test_a_graph_put_on_a_gpu_is_solved_there_unless_a_call_says_otherwise():
    graph = road()
    there = graph.to("cuda")
    assert (graph.device, there.device) == ("auto", "cuda:0")
    assert repr(there).endswith(", on cuda:0>")
    assert wp.sssp(there, 0, algorithm=NEAR_FAR).plan.device == "cuda:0"
    assert wp.sssp(there, 0).plan.device == "cuda:0"
    assert wp.sssp(there, 0, device="cpu").plan.device == "cpu"
    assert wp.sssp(graph, 0).plan.device == "cpu"
    assert wp.plan(there, 0).device == "cuda:0"
    assert wp.distances(there, [0, 1], [5]).plan.device == "cuda:0"
    assert wp.nearest(there, [0]).plan.device == "cuda:0"
    assert wp.path(there, 0, 9).plan.device == "cpu"  # no GPU finds one route
    assert wp.sssp(there.to("cpu"), 0).plan.device == "cpu"
    assert_same_bits(wp.sssp(there, 7).dist, wp.sssp(graph, 7).dist)


def test_a_graph_that_is_to_stay_on_the_cpu_does(gpu, monkeypatch):
    monkeypatch.setenv("WARPATH_DEVICE", "cuda")
    assert wp.sssp(road(), 0).plan.device == gpu.name
    assert wp.sssp(road().to("cpu"), 0).plan.device == "cpu"


def test_a_graphs_arrays_are_put_on_a_gpu_once(gpu, monkeypatch):
    graph, put = road(), []
    monkeypatch.setattr(gpu, "put", lambda array, *_, **__: put.append(array) or array.copy())
    there = graph.to("cuda:0")
    assert len(put) == 3
    assert there.to("cuda") is not there
    assert len(put) == 3
    assert there.indptr is graph.indptr


@pytest.mark.usefixtures("gpu")
def test_what_is_made_of_a_graph_on_a_gpu_is_on_it():
    there = road()
    there.reversed()
    there = there.to("cuda")
    assert there.to("cpu").reversed().device == "cpu"
    made = [
        there.reversed(),
        there.subgraph([0, 1]),
        there.astype("float32"),
        there.with_weights(None),
    ]
    made += [copy.deepcopy(there), pickle.loads(pickle.dumps(there))]  # noqa: S301 - our own
    assert {one.device for one in made} == {"cuda:0"}
    closed = corpus.case("closed_vertices").graph()
    found = wp.sssp(closed.to("cuda"), 3, algorithm=NEAR_FAR)
    assert_same_bits(found.dist, wp.sssp(closed, 3).dist)


def test_plans_for_a_gpu_are_made_once_for_a_graph(gpu, monkeypatch):
    graph, asked = road().to("cuda"), []
    monkeypatch.setattr(gpu, "free_memory", lambda: asked.append(1) or 2**40)
    first, second = (wp.sssp(graph, s) for s in (0, 5))
    assert len(asked) == 1
    assert str(first.plan) == str(second.plan)
    first.plan.params["delta"] = 0
    assert wp.sssp(graph, 0).plan.params == second.plan.params
    wp.plan(graph, 0)
    solved(graph, params={"delta": 5})
    assert len(asked) == 3
    monkeypatch.setenv("WARPATH_GPU_MEMORY", "1G")
    wp.sssp(graph, 0)
    assert len(asked) == 4


def test_a_kept_plan_for_a_gpu_is_made_anew_for_another_memory_of_the_host(gpu, monkeypatch):
    graph = road().to("cuda")
    monkeypatch.setattr(gpu, "free_memory", lambda: 2**40)
    monkeypatch.setenv("WARPATH_MEMORY", "1G")
    assert wp.sssp(graph, 0).plan.device == gpu.name
    monkeypatch.setenv("WARPATH_MEMORY", "20")
    for call in ({}, {"algorithm": NEAR_FAR}):
        with pytest.raises(wp.NotEnoughMemoryError, match="on the host, but 20 B are free"):
            wp.sssp(graph, 0, **call)
    monkeypatch.setenv("WARPATH_MEMORY", "1G")
    assert_same_bits(wp.sssp(graph, 0).dist, wp.sssp(graph, 0, device="cpu").dist)


@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize("length", [5.2832665, 569987.56, 1e-3, 1e30])
def test_one_bucket_gets_the_least_label_however_its_bounds_round(length):
    graph = wp.Graph.of(([0, 1], [1, 2], np.array([length, 1], np.float32)))
    found = wp.sssp(
        graph,
        0,
        algorithm="davidson2014.bucketing.merge_path",
        device="cuda",
        params={"delta": 0.3, "buckets": 1},
    )
    assert np.array_equal(found.dist, wp.sssp(graph, 0, device="cpu").dist)


@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_an_edge_back_may_lead_beyond_the_labels_of_32_bits(dtype):
    graph = wp.Graph.of([(0, 1, 2**31 - 3), (1, 0, 2**31 - 4)]).astype(dtype)
    for _ in range(2):
        found = wp.sssp(graph, 0, algorithm="warpath.patches", device="cuda")
        assert (found.dist.tolist(), found.dist.dtype) == ([0, 2**31 - 3], np.int64)
    assert found.on_device.device == "cuda:0"
    cut = wp.sssp(graph, 0, algorithm="warpath.patches", device="cuda", cutoff=5)
    assert cut.reached.tolist() == [True, False]


ONE_LAUNCH = pytest.mark.parametrize("name", ["warpath.wide", "warpath.patches"])
OR_LEVELS = pytest.mark.parametrize("name", ["warpath.bfs", "warpath.wide", "warpath.patches"])


def able(name):
    """Return a graph that a recipe solves."""
    return road().with_weights(None) if name == "warpath.bfs" else road()


@OR_LEVELS
@pytest.mark.parametrize("dtype", corpus.ALL_TYPES)
def test_a_call_that_is_kept_answers_as_one_in_steps(name, dtype, gpu):
    graph = road().astype(dtype)
    if name == "warpath.bfs":
        graph = graph.with_weights(np.full(graph.m, 3, dtype))
    graph = graph.to("cuda")
    for source in (0, 77, 0):
        quick = wp.sssp(graph, source, algorithm=name)
        slow = wp.sssp(graph, source, algorithm=name, progress=lambda _done, _total: None)
        assert_same_bits(quick.dist, slow.dist, graph)
        assert_same_bits(quick.pred, slow.pred)
        assert_same_bits(np.asarray(quick.on_device.dist), slow.dist)
        assert quick.plan == slow.plan
        assert quick.stats.keys() == slow.stats.keys()
        assert quick.stats["reached"] == slow.stats["reached"] == graph.n
        assert quick.on_device.device == gpu.name


@ONE_LAUNCH
@pytest.mark.usefixtures("gpu")
def test_options_count_in_calls_that_are_kept(name):
    graph = road().to("cuda")
    call = {"algorithm": name}
    right = wp.sssp(graph, 0, device="cpu").dist
    assert_same_bits(wp.sssp(graph, 0, **call).dist, right)
    within = wp.sssp(graph, 0, cutoff=9, **call).dist
    assert_same_bits(within, np.where(right <= 9, right, np.iinfo(np.int64).max))
    assert wp.sssp(graph, 0, dist_dtype="int32", **call).dist.dtype == np.int32
    assert_same_bits(wp.sssp(graph, 0, params={"delta": 1}, **call).dist, right)
    assert_same_bits(wp.sssp(graph, 0, **call).dist, right)
    wp.sssp(graph, 0, **call).plan.params["delta"] = 99
    assert wp.sssp(graph, 0, **call).plan.params == {}


@ONE_LAUNCH
@pytest.mark.usefixtures("gpu")
def test_labels_of_32_bits_that_do_not_hold_are_found_in_64_by_each_call(name):
    big = 2**30
    graph = wp.Graph.of([(0, 1, big), (1, 2, big), (2, 3, big), (0, 3, 2**31 - 2)]).to("cuda")
    for _ in range(3):
        assert wp.sssp(graph, 0, algorithm=name).dist.tolist() == [0, big, 2 * big, 2**31 - 2]
    vast = wp.Graph.of([(0, 1, 2**62), (1, 2, 2**62)]).to("cuda")
    for _ in range(2):
        with pytest.raises(wp.DistanceOverflowError):
            wp.sssp(vast, 0, algorithm=name)


@ONE_LAUNCH
@pytest.mark.usefixtures("gpu")
def test_a_graph_whose_sums_may_pass_64_bits_is_solved_again_and_by_others(name):
    far = 2**63 - 2
    graph = wp.Graph.of([(0, 1, far), (1, 2, far), (0, 2, far)])
    for algorithm in (name, name, NEAR_FAR):
        found = wp.sssp(graph, 0, algorithm=algorithm, device="cuda")
        assert found.dist.tolist() == [0, far, far]


@pytest.mark.usefixtures("gpu")
def test_progress_is_told_of_the_cut_though_calls_are_kept(monkeypatch):
    told, cut = [], patches.Cut

    def watched(*given, on_host):
        told.append(given[-1])
        return cut(*given, on_host=on_host)

    monkeypatch.setattr(patches, "Cut", watched)
    graph = road().to("cuda")
    wp.sssp(graph, 0, progress=lambda _done, _total: None, algorithm="warpath.patches")
    wp.sssp(graph, 0, algorithm="warpath.patches")
    assert len(told) == 1
    assert callable(told[0])


@pytest.mark.usefixtures("gpu")
def test_more_vertices_than_a_loop_numbers_are_refused_in_each_call(monkeypatch):
    monkeypatch.setattr(
        CATALOGUE["warpath.bfs"].limits.__class__, "objection", lambda *_: "too many"
    )
    with pytest.raises(wp.NotSupportedError, match="bfs cannot do this: too many"):
        wp.sssp(able("warpath.bfs"), 0, algorithm="warpath.bfs", device="cuda")
    assert (
        wp.sssp(able("warpath.bfs"), 0, algorithm="warpath.bfs", device="cpu").plan.device == "cpu"
    )


@OR_LEVELS
@pytest.mark.usefixtures("gpu")
def test_a_graph_that_was_solved_on_a_gpu_goes_with_its_memory_when_nobody_has_it(name):
    graph = able(name).to("cuda")
    for source in (0, 1):
        wp.sssp(graph, source, algorithm=name)
    pools = [one for one in graph.derived.values() if isinstance(one, Flights)]
    assert pools
    gone = [weakref.ref(one) for one in (graph, *pools, *pools[0].idle)]
    gc.disable()
    try:
        del graph, pools
        assert [one() for one in gone] == [None] * len(gone)
    finally:
        gc.enable()


@OR_LEVELS
@pytest.mark.usefixtures("gpu")
def test_threads_that_solve_on_one_graph_share_no_answer(name):
    graph = able(name).to("cuda")
    right = [wp.sssp(graph, s, device="cpu").dist for s in range(8)]

    def work(source):
        return [wp.sssp(graph, source, algorithm=name) for _ in range(5)]

    with ThreadPoolExecutor(4) as pool:
        for expected, results in zip(right, pool.map(work, range(8)), strict=True):
            for found in results:
                assert_same_bits(found.dist, expected)
    flights = options_of(graph, name).one_source(graph).on_gpu(graph).search.flights
    assert len(flights.idle) == flights.made <= 4


def test_a_call_on_a_gpu_costs_python_few_steps(gpu, monkeypatch):
    """Its budget is counted in calls, not measured: what can be made once is made once."""
    graph = road().to("cuda")
    monkeypatch.setattr(gpu, "fire", lambda _: None)
    monkeypatch.setattr(flight, "_FAULTS", {})
    wp.sssp(graph, 0)
    assert calls_in(lambda: wp.sssp(graph, 5)) <= 82


def test_a_plan_that_memory_has_decided_is_not_kept(gpu, monkeypatch):
    graph = road()
    least = min(c.bytes for c in wp.plan(road(), 0, device="cuda").runners_up)
    for _ in range(2):
        monkeypatch.setattr(gpu, "free_memory", lambda: least)
        assert wp.sssp(graph, 0, device="cuda").plan.bytes <= least
        monkeypatch.setattr(gpu, "free_memory", lambda: 0)
        for key in [key for key in graph.derived if key[0] in {ROWS, FLIGHTS}]:
            del graph.derived[key]
        with pytest.raises(wp.NotEnoughMemoryError):
            wp.sssp(graph, 0, device="cuda")


@pytest.mark.usefixtures("gpu")
def test_graphs_put_on_a_gpu_again_and_again_look_at_their_facts_once():
    graph = road()
    assert graph.to("cuda").facts(symmetry=False) is graph.to("cuda").facts(symmetry=False)


@pytest.mark.usefixtures("gpu")
def test_a_round_trip_to_a_closed_source_need_not_fit_int32():
    graph = wp.Graph.from_edges([0, 1], [1, 0], np.array([5, 2**40]), first_through=1)
    found = solved(graph, dist_dtype="int32")
    assert found.dist.tolist() == [0, 5]
    assert found.on_device.dist.dtype == np.int32


def test_a_solver_copies_its_graph_to_the_gpu_at_once(gpu):
    graph = road()
    solver = wp.Solver(graph, device="cuda", algorithm=NEAR_FAR)
    assert ROWS.cached(graph, gpu.name) is not None
    assert_same_bits(solver.sssp(3).dist, wp.sssp(graph, 3, device="cpu").dist)
    assert solver.sssp(3).plan.device == gpu.name


def test_a_solver_of_a_gpu_that_is_not_there_is_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(wp.MissingDependencyError, match="needs cupy"):
        wp.Solver(road(), device="cuda")
