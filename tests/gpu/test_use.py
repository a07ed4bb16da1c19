"""Streams, threads, processes, interruption: what surrounds a solve on a GPU."""

from __future__ import annotations

import _thread
import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import warpath as wp
from warpath import generate
from warpath.testing import corpus
from warpath.testing.compare import assert_same_bits

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
    with pytest.raises(KeyboardInterrupt):
        solved(deep, "martin2009.f_gpu")
    timer.join()
    expected = wp.sssp(small, 0, device="cpu").dist
    assert_same_bits(solved(small), expected, small)
    assert_same_bits(solved(small, "martin2009.f_gpu"), expected, small)


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


def test_memory_is_given_back():
    import gc

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
