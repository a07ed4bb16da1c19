"""Streams, threads, processes, interruption: what surrounds a solve on a GPU."""

from __future__ import annotations

import _thread
import gc
import json
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import warpath as wp
from support import corpus
from support.compare import assert_same_bits
from warpath import generate
from warpath.engines.cuda.entry import Kernel
from warpath.engines.cuda.flight import FLIGHTS, flight

NEAR_FAR = "davidson2014.near_far.merge_path"
OF_EACH_LOOP = (
    NEAR_FAR,
    "davidson2014.workfront_sweep.cta_warp_scan",
    "davidson2014.bucketing_multisplit.merge_path",
    "bodra2025.bf_strided_flag",
    "johnson_gpu.dijkstra_prefix",
    "martin2009.f_gpu",
)


def graphs(count: int) -> list[wp.Graph]:
    return [generate.rmat(10, 8, (1, 99), seed=30 + k) for k in range(count)]


def solved(graph: wp.Graph, algorithm: str = NEAR_FAR) -> np.ndarray:
    return wp.sssp(graph, 0, algorithm=algorithm, device="cuda").dist


@pytest.mark.parametrize("algorithm", OF_EACH_LOOP)
def test_solves_on_two_streams_in_turn(algorithm, gpu):
    streams = [gpu.xp.cuda.Stream(non_blocking=True) for _ in range(2)]
    for graph in graphs(3):
        expected = wp.sssp(graph, 0, device="cpu").dist
        for stream in streams * 2:
            with stream:
                assert_same_bits(solved(graph, algorithm), expected, graph)
        assert_same_bits(solved(graph, algorithm), expected, graph)


def test_threads_with_a_stream_each(gpu):
    many = graphs(8)
    expected = [wp.sssp(graph, 0, device="cpu").dist for graph in many]

    def work(graph: wp.Graph) -> list[np.ndarray]:
        with gpu.xp.cuda.Stream(non_blocking=True):
            return [solved(graph, algorithm) for algorithm in OF_EACH_LOOP]

    with ThreadPoolExecutor(4) as pool:
        for graph, right, found in zip(many, expected, pool.map(work, many), strict=True):
            for one in found:
                assert_same_bits(one, right, graph)


def test_threads_that_share_one_graph(gpu):
    graph = generate.grid(60, 60, (1, 50), seed=40)
    expected = wp.sssp(graph, 0, device="cpu").dist

    def work(_: int) -> np.ndarray:
        with gpu.xp.cuda.Stream(non_blocking=True):
            return solved(graph)

    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(work, range(12)):
            assert_same_bits(found, expected, graph)


_CHILD = """
import json, sys
import warpath as wp
graph = wp.generate.grid(30, 30, (1, 9), seed=41)
names = sys.argv[1:]
print(json.dumps([wp.sssp(graph, 0, algorithm=n, device="cuda").dist.tolist() for n in names]))
"""


def test_two_new_processes_compile_into_one_empty_cache(tmp_path):
    environment = os.environ | {"WARPATH_CACHE_DIR": str(tmp_path / "kernels")}
    command = [sys.executable, "-c", _CHILD, *OF_EACH_LOOP]
    pair = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    expected = wp.sssp(generate.grid(30, 30, (1, 9), seed=41), 0, device="cpu").dist.tolist()
    for one in pair:
        out, _ = one.communicate(timeout=240)
        assert one.returncode == 0
        assert json.loads(out) == [expected] * len(OF_EACH_LOOP)
    assert list((tmp_path / "kernels").iterdir())


def test_a_forked_child_is_told_what_to_do():
    solved(corpus.case("road").graph())
    code = (
        "import os, sys, warpath as wp\n"
        "g = wp.generate.grid(9, 9)\n"
        f"a = {NEAR_FAR!r}\n"
        "wp.sssp(g, 0, algorithm=a, device='cuda')\n"
        "child = os.fork()\n"
        "if child:\n"
        "    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
        "try:\n"
        "    wp.sssp(g, 0, algorithm=a, device='cuda')\n"
        "except wp.NotSupportedError as error:\n"
        "    os._exit(0 if 'spawn' in str(error) else 2)\n"
        "os._exit(1)\n"
    )
    ran = subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=False)
    assert ran.returncode == 0


def test_an_interrupted_solve_leaves_the_library_usable():
    deep = corpus.case("long_path").graph()
    small = corpus.case("road").graph()
    solved(small, "martin2009.f_gpu")
    timer = threading.Timer(0.5, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012 - a solve may end before the interrupt
        while True:
            solved(deep, "martin2009.f_gpu")
    timer.join()
    expected = wp.sssp(small, 0, device="cpu").dist
    assert_same_bits(solved(small), expected, small)
    assert_same_bits(solved(small, "martin2009.f_gpu"), expected, small)


def test_an_alarm_in_a_solve_leaves_the_next_one_right():
    def alarmed(*_):
        raise TimeoutError

    def solve_for_ever():
        while True:
            solved(deep, "martin2009.f_gpu")

    deep = corpus.case("long_path").graph()
    expected = wp.sssp(deep, 0, device="cpu").dist
    solved(deep, "martin2009.f_gpu")
    before = signal.signal(signal.SIGALRM, alarmed)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        with pytest.raises(TimeoutError):
            solve_for_ever()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    for _ in range(3):
        assert_same_bits(solved(deep, "martin2009.f_gpu"), expected, deep)


def test_cutoff_and_narrow_distances(gpu):
    graph = corpus.case("road").graph()
    whole = wp.sssp(graph, 0, device="cpu")
    limit = int(np.median(whole.dist))
    near = wp.sssp(graph, 0, algorithm=NEAR_FAR, device="cuda", cutoff=limit)
    assert_same_bits(near.dist, wp.sssp(graph, 0, device="cpu", cutoff=limit).dist)
    narrow = wp.sssp(graph, 0, algorithm=NEAR_FAR, device="cuda", dist_dtype="int32")
    assert narrow.dist.dtype == np.int32
    assert np.array_equal(narrow.dist, whole.dist)
    assert near.plan.device == gpu.name


def test_distances_and_tree_stay_on_the_gpu_until_asked_for(gpu):
    graph = generate.rmat(14, 8, (1, 99), seed=44)
    right = wp.sssp(graph, 3, device="cpu")
    there = wp.sssp(graph.to("cuda"), 3).on_device
    for found, expected in ((there.dist, right.dist), (there.pred, right.pred)):
        assert isinstance(found, gpu.xp.ndarray)
        assert_same_bits(gpu.xp.from_dlpack(found).get(), expected, graph)
    found = wp.sssp(graph, 3, device="cuda")
    assert_same_bits(found.pred, right.pred)
    assert_same_bits(found.dist, right.dist)
    assert wp.verify(graph, found).tree


@pytest.mark.parametrize("name", [case.name for case in corpus.all(negative=False)])
def test_the_tree_of_the_gpu_is_that_of_the_cpu(name):
    for dtype in corpus.case(name).dtypes:
        case = corpus.case(name).astype(dtype)
        graph = case.graph()
        for source in case.sources:
            try:
                right = wp.sssp(graph, source, device="cpu")
            except wp.DistanceOverflowError:
                continue
            assert_same_bits(wp.sssp(graph, source, device="cuda").pred, right.pred)


COUNT = Kernel(
    "count_rounds",
    """#include "halt.cuh"
extern "C" __global__ void count_rounds(int* seen, int* halt, long long* status, int rounds) {
  int made = 0;
  while (made != rounds && !warpath::halted(halt)) ++made;
  atomicAdd(seen, 1);
  warpath::conclude(halt, status, [&] {
    status[1] = made;
    return made == rounds ? warpath::kDone : warpath::kHalted;
  });
}
""",
    at_once=True,
)


def counted(gpu, graph: wp.Graph, rounds: int) -> int:
    """Make a kernel go some rounds, for ever if they are negative."""
    with gpu.active(), flight(graph, "counts", gpu, lambda: gpu.put(np.zeros(1, np.int32))) as own:
        words = own.run(COUNT, 132, own.buffers, own.halt, own.status, np.int32(rounds))
        return int(words[1])


def test_a_kernel_that_never_ends_is_stopped_by_ctrl_c(gpu):
    graph = corpus.case("road").graph()
    assert counted(gpu, graph, 100) == 100
    timer = threading.Timer(0.5, _thread.interrupt_main)
    begin = time.perf_counter()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        counted(gpu, graph, -1)
    assert time.perf_counter() - begin < 10  # not after the watchdog's minute
    timer.join()
    gpu.synchronize()
    assert counted(gpu, graph, 100) == 100


def test_a_kernel_that_never_ends_is_stopped_by_the_watchdog(gpu):
    graph = generate.grid(9, 9, seed=45)
    assert counted(gpu, graph, 3) == 3
    FLIGHTS.cached(graph, gpu.name, "counts").longest = 0.2
    with pytest.raises(wp.DeviceError, match=r"count_rounds ran for .* and was stopped"):
        counted(gpu, graph, -1)
    assert counted(gpu, graph, 3) == 3


def test_threads_solve_on_one_graph_on_the_gpu_and_keep_their_results(gpu):
    graph = generate.rmat(12, 8, (1, 99), seed=46).to("cuda")
    right = [wp.sssp(graph, s, device="cpu") for s in range(8)]

    def work(source: int) -> list[wp.Paths]:
        with gpu.xp.cuda.Stream(non_blocking=True):
            return [wp.sssp(graph, source) for _ in range(10)]

    with ThreadPoolExecutor(4) as pool:
        for expected, results in zip(right, pool.map(work, range(8)), strict=True):
            for found in results:
                assert_same_bits(found.dist, expected.dist, graph)
                assert_same_bits(found.pred, expected.pred)


def test_memory_is_given_back():
    def once() -> None:
        solved(generate.grid(300, 300, (1, 9), seed=42))

    once()
    from warpath.engines.cuda.device import open_device

    gpu = open_device("cuda")
    gc.collect()
    before = gpu.xp.get_default_memory_pool().used_bytes()
    for _ in range(3):
        once()
    gc.collect()
    assert gpu.xp.get_default_memory_pool().used_bytes() <= before
