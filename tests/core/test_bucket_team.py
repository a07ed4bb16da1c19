"""Delta-stepping of a team in the core: one answer for every delta and every number of threads."""

from __future__ import annotations

import os
import signal
import threading
from itertools import product

import numpy as np
import pytest

from warpath import _core
from warpath.engines.cpu import counters

WEIGHTS = [np.int32, np.int64, np.float32, np.float64]
THREADS = [1, 2, 3, 7]
FAR = np.iinfo(np.int64).max


def rows(n, src, dst, weights):
    order = np.argsort(src, kind="stable")
    return {
        "indptr": np.searchsorted(src[order], np.arange(n + 1)).astype(np.int64),
        "indices": dst[order].astype(np.int32),
        "weights": weights[order],
    }


def distance_type(weights):
    return weights.dtype if weights.dtype.kind == "f" else np.dtype(np.int64)


def solve(graph, delta, threads, source=0, cutoff=None, progress=None):
    """Solve with threads that come when they can and all at once, of far numbers and of near."""
    weights = graph["weights"]
    max_weight = weights.max(initial=0).item()
    found = []
    leaves = np.packbits(np.diff(graph["indptr"]) == 0, bitorder="little")
    for assemble, scattered in product((False, True), repeat=2):
        search = _core.bucket_team(
            **graph,
            delta=delta,
            max_weight=max_weight,
            scattered=scattered,
            cutoff=cutoff,
            threads=threads,
            assemble=assemble,
            leaves=leaves if assemble == scattered else None,
        )
        dist, done = search(source, progress) or (None, None)
        found.append((dist, None if done is None else counters(done)))
    assert len({None if dist is None else dist.tobytes() for dist, _ in found}) == 1
    return found[-1]


def expected_of(graph, source=0, cutoff=None):
    dist = np.empty(len(graph["indptr"]) - 1, distance_type(graph["weights"]))
    every = np.empty(0, np.int64)
    _core.dijkstra(**graph, source=source, dist=dist, queue="heap", targets=every, cutoff=cutoff)
    return dist


def random_weights(rng, m, weight):
    """Ties and zeros, or sizes over 16 decades, or the smallest numbers that there are."""
    if np.dtype(weight).kind == "i":
        return rng.integers(0, rng.choice([2, 5, 1000, 2**30]), m).astype(weight)
    kind = rng.integers(3)
    if kind == 0:
        return rng.integers(0, 4, m).astype(weight)
    if kind == 1:
        return (10.0 ** rng.uniform(-8, 8, m)).astype(weight)
    return (rng.integers(0, 9, m) * float(np.finfo(weight).smallest_subnormal)).astype(weight)


@pytest.mark.threads
@pytest.mark.parametrize("weight", WEIGHTS)
def test_labels_are_those_of_dijkstra_for_every_delta_and_team(weight):
    rng = np.random.default_rng(1)
    for _ in range(60):
        n, m = int(rng.integers(1, 14)), int(rng.integers(0, 40))
        weights = random_weights(rng, m, weight)
        graph = rows(n, rng.integers(0, n, m), rng.integers(0, n, m), weights)
        source = int(rng.integers(n))
        expected = expected_of(graph, source)
        for delta in (5e-324, max(1e-300, float(weights.max(initial=1))), 1e300):
            for threads in (1, int(rng.choice(THREADS))):
                dist, counts = solve(graph, delta, threads, source)
                assert dist.tobytes() == expected.tobytes()
                assert counts["reached"] == (dist != dist.dtype.type(far_of(dist))).sum()


def far_of(dist):
    return np.inf if dist.dtype.kind == "f" else FAR


@pytest.mark.threads
@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("degree", [3, 12])
def test_larger_graphs_have_the_bits_of_dijkstra(weight, threads, degree):
    rng = np.random.default_rng(2)
    n, m = 2000, 2000 * degree
    for _ in range(2):
        weights = random_weights(rng, m, weight)
        graph = rows(n, rng.integers(0, n, m), rng.integers(0, n, m), weights)
        expected = expected_of(graph)
        scale = float(weights.max()) or 1.0
        for ratio in (1e-9, 1e-3, 0.1, 1e3):
            if scale * ratio > 0:
                assert solve(graph, scale * ratio, threads)[0].tobytes() == expected.tobytes()


@pytest.mark.threads
@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("weight", WEIGHTS)
def test_leaves_are_labelled_and_not_scanned(weight, threads):
    rng = np.random.default_rng(6)
    n, m = 20_000, 40_000
    weights = random_weights(rng, m, weight)
    graph = rows(n, rng.integers(0, n // 4, m), rng.integers(0, n, m), weights)
    dist, counts = solve(graph, float(weights.mean()) or 1.0, threads)
    assert dist.tobytes() == expected_of(graph).tobytes()
    assert counts["reached"] == (dist != dist.dtype.type(far_of(dist))).sum()
    if threads == 1:
        assert counts["settled"] >= counts["reached"]


def test_too_few_bits_for_the_leaves_are_refused():
    graph = rows(9, np.array([0]), np.array([1]), np.array([1.0]))
    with pytest.raises(ValueError, match="leaves must have n bits"):
        _core.bucket_team(**graph, delta=1.0, max_weight=1.0, leaves=np.zeros(1, np.uint8))


@pytest.mark.threads
@pytest.mark.parametrize("threads", [2, 5])
def test_bucket_that_one_thread_fills_alone_is_shared(threads):
    n = 60_000  # a star whose leaves reach many more: all in one bucket, entered by one thread
    leaves = np.arange(1, n // 2)
    src = np.concatenate((np.zeros_like(leaves), leaves, leaves))
    dst = np.concatenate((leaves, leaves + n // 2, np.roll(leaves, 7) + n // 2))
    weights = np.random.default_rng(4).integers(0, 50, len(src)).astype(np.int32)
    graph = rows(n, src, dst, weights)
    expected = expected_of(graph)
    for delta in (1, 8, 1000):
        assert solve(graph, delta, threads)[0].tobytes() == expected.tobytes()


@pytest.mark.parametrize("threads", [1, 2])
def test_smallest_delta_for_16_decades_of_weights_ends(threads):
    rng = np.random.default_rng(3)
    n, m = 20000, 80000
    graph = rows(n, rng.integers(0, n, m), rng.integers(0, n, m), 10.0 ** rng.uniform(-8, 8, m))
    dist, counts = solve(graph, 5e-324, threads)
    assert dist.tobytes() == expected_of(graph).tobytes()
    assert counts["rounds"] <= 3 * n


@pytest.mark.threads
@pytest.mark.parametrize("threads", THREADS)
def test_long_path_crosses_many_windows(threads):
    n = 3000
    src = np.arange(n - 1)
    graph = rows(n, src, src + 1, np.full(n - 1, 10**6, np.int64))
    dist, counts = solve(graph, 1, threads)
    assert (dist == np.arange(n) * 10**6).all()
    assert counts["settled"] == n
    assert counts["improved"] == n - 1


@pytest.mark.threads
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("weight", [np.int32, np.int64])
def test_distances_beyond_31_bits_take_wider_labels(weight, threads):
    heavy = np.full(4, 2**30, weight)
    graph = rows(5, np.arange(4), np.arange(1, 5), heavy)
    dist, _ = solve(graph, 2**28, threads)
    assert dist.tolist() == [i * 2**30 for i in range(5)]


def test_distances_up_to_31_bits_need_no_wider_labels():
    graph = rows(3, np.array([0, 1]), np.array([1, 2]), np.array([2**30, 2**30 - 3], np.int32))
    assert solve(graph, 2**28, 1)[0].tolist() == [0, 2**30, 2**31 - 3]


@pytest.mark.parametrize("threads", [1, 2])
def test_sum_that_63_bits_may_not_hold_is_left_to_another_search(threads):
    big = np.array([2**62, 2**62], np.int64)
    graph = rows(3, np.array([0, 1]), np.array([1, 2]), big)
    assert solve(graph, 2**60, threads)[1] is None


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("weight", WEIGHTS)
def test_vertices_beyond_the_cutoff_stay_unreachable(weight, threads):
    rng = np.random.default_rng(5)
    n, m = 2000, 8000
    weights = rng.integers(0, 100, m).astype(weight)
    graph = rows(n, rng.integers(0, n, m), rng.integers(0, n, m), weights)
    for cutoff in (0, 40, 150, 10_000):
        dist, counts = solve(graph, 30, threads, cutoff=cutoff)
        expected = expected_of(graph)
        expected[expected > cutoff] = far_of(expected)
        assert dist.tobytes() == expected.tobytes()
        assert counts["reached"] == (expected != far_of(expected)).sum()


def test_float_sum_beyond_the_type_is_unreachable():
    high = float(np.finfo(np.float32).max)
    weights = np.array([high, high], np.float32)
    graph = rows(3, np.array([0, 1]), np.array([1, 2]), weights)
    assert solve(graph, 1.0, 2)[0].tolist() == [0, high, np.inf]


@pytest.mark.parametrize("delta", [0.0, -1.0, np.nan])
def test_delta_must_be_positive(delta):
    graph = rows(2, np.array([0]), np.array([1]), np.array([1.0]))
    with pytest.raises(ValueError, match="delta"):
        solve(graph, delta, 1)


def test_no_threads_is_refused():
    graph = rows(2, np.array([0]), np.array([1]), np.array([1.0]))
    with pytest.raises(ValueError, match="threads"):
        solve(graph, 1.0, 0)


def slow_graph():
    """With one bucket for all, every pass settles one vertex: about n^3 / 6 relaxations."""
    n = 2500
    src, dst = np.triu_indices(n, 1)
    order = np.lexsort((-dst, src))
    return rows(n, src[order], dst[order], (2 * (dst - src) - 1)[order].astype(np.int64))


@pytest.mark.threads
@pytest.mark.parametrize("threads", [1, 3])
def test_interrupt_stops_a_long_solve(threads):
    graph = slow_graph()
    timer = threading.Timer(0.3, signal.raise_signal, (signal.SIGINT,))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        solve(graph, 2**62, threads)
    timer.join()
    small = rows(2, np.array([0]), np.array([1]), np.array([1.0]))
    assert solve(small, 1.0, threads)[0].tolist() == [0, 1]


@pytest.mark.threads
@pytest.mark.parametrize("threads", [1, 3])
def test_error_in_the_progress_callback_stops_the_team(threads):
    def refuse(done, total):
        assert 0 <= done <= total
        message = "enough"
        raise RuntimeError(message)

    with pytest.raises(RuntimeError, match="enough"):
        solve(slow_graph(), 2**62, threads, progress=refuse)


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="the system has no affinity")
def test_calling_thread_may_run_where_it_could_before():
    graph = rows(2, np.array([0]), np.array([1]), np.array([1.0]))
    before = os.sched_getaffinity(0)
    try:
        for _ in range(500):  # so tiny that helpers end before they are looked at
            _core.row_order(**graph, threads=len(before))
            solve(graph, 1.0, len(before))
        assert os.sched_getaffinity(0) == before
    finally:
        os.sched_setaffinity(0, before)
