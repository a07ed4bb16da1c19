"""Delta-stepping in the core: one answer for every delta and every number of threads."""

from __future__ import annotations

import signal
import threading

import numpy as np
import pytest

from support import reference
from warpath import _core

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


def solve(graph, delta, threads, source=0, progress=None):
    dist = np.empty(len(graph["indptr"]) - 1, distance_type(graph["weights"]))
    counts = _core.delta_stepping(
        **graph, source=source, dist=dist, delta=delta, threads=threads, progress=progress
    )
    return dist, counts


def least_sums(graph, source=0):
    """Rounds over all edges in the labels' own arithmetic, until nothing changes."""
    n = len(graph["indptr"]) - 1
    kind = distance_type(graph["weights"]).type
    far = np.inf if np.dtype(kind).kind == "f" else FAR
    dist = [kind(far)] * n
    dist[source] = kind(0)
    src = np.repeat(np.arange(n), np.diff(graph["indptr"])).tolist()
    edges = list(zip(src, graph["indices"].tolist(), graph["weights"].astype(kind), strict=True))
    changed = True
    while changed:
        changed = False
        for u, v, w in edges:
            if dist[u] != far and dist[u] + w < dist[v]:
                dist[v] = dist[u] + w
                changed = True
    return np.array(dist, kind)


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
def test_labels_are_the_least_sums_for_every_delta_and_team(weight):
    rng = np.random.default_rng(1)
    integer = np.dtype(weight).kind == "i"
    tiny = 1 if integer else float(np.finfo(weight).smallest_subnormal)
    huge = 2**63 - 1 if integer else float(np.finfo(weight).max)
    for _ in range(60):
        n = int(rng.integers(1, 14))
        m = int(rng.integers(0, 40))
        weights = random_weights(rng, m, weight)
        graph = rows(n, rng.integers(0, n, m), rng.integers(0, n, m), weights)
        source = int(rng.integers(n))
        expected = least_sums(graph, source)
        typical = max(tiny, type(tiny)(weights.max(initial=1)))
        for delta in (tiny, typical, huge):
            for threads in (1, int(rng.choice(THREADS))):
                dist, _ = solve(graph, delta, threads, source)
                assert dist.tobytes() == expected.tobytes()


@pytest.mark.threads
@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("threads", THREADS)
def test_larger_graphs_have_the_bits_of_bellman_ford(weight, threads):
    rng = np.random.default_rng(2)
    n, m = 5000, 25000
    for _ in range(3):
        weights = random_weights(rng, m, weight)
        graph = rows(n, rng.integers(0, n, m), rng.integers(0, n, m), weights)
        expected = np.empty(n, distance_type(weights))
        _core.bellman_ford(**graph, sources=np.array([0]), dist=expected, progress=None)
        scale = float(weights.max()) or 1.0
        for ratio in (1e-9, 1e-3, 0.1, 1e3):
            delta = (
                float(weight(scale * ratio))
                if weights.dtype.kind == "f"
                else max(1, int(scale * ratio))
            )
            if delta > 0:
                assert solve(graph, delta, threads)[0].tobytes() == expected.tobytes()


@pytest.mark.parametrize("threads", [1, 2])
def test_smallest_delta_for_16_decades_of_weights_ends(threads):
    rng = np.random.default_rng(3)
    n, m = 20000, 80000
    graph = rows(n, rng.integers(0, n, m), rng.integers(0, n, m), 10.0 ** rng.uniform(-8, 8, m))
    expected, _ = solve(graph, 1e9, 1)
    dist, counts = solve(graph, 5e-324, threads)
    assert dist.tobytes() == expected.tobytes()
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


@pytest.mark.parametrize("threads", [1, 3])
def test_unreachable_half_stays_unreachable(threads):
    graph = rows(4, np.array([0, 2]), np.array([1, 3]), np.array([1.5, 1.5]))
    assert solve(graph, 1.0, threads)[0].tolist() == [0, 1.5, np.inf, np.inf]


@pytest.mark.threads
@pytest.mark.parametrize("threads", [1, 2])
def test_distance_that_does_not_fit_is_refused_and_never_wrapped(threads):
    big = np.array([2**62, 2**62], np.int64)
    graph = rows(3, np.array([0, 1]), np.array([1, 2]), big)
    with pytest.raises(OverflowError, match="64 bits"):
        solve(graph, 2**60, threads)


@pytest.mark.parametrize("threads", [1, 2])
def test_sum_that_does_not_fit_is_no_harm_where_a_shorter_path_exists(threads):
    weights = np.array([2**62, 2**62, 5], np.int64)
    graph = rows(3, np.array([0, 1, 0]), np.array([1, 2, 2]), weights)
    assert solve(graph, 2**60, threads)[0].tolist() == [0, 2**62, 5]


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


def test_distances_that_do_not_fit_are_refused_or_left_unreachable():
    parts = reference.rows(3, [(0, 1, 2**62), (1, 2, 2**62)], weight_type=np.int64)
    dist = np.empty(3, np.int64)
    with pytest.raises(OverflowError, match="64 bits"):
        _core.delta_stepping(*parts, 0, dist, delta=2**53 + 1)
    _core.delta_stepping(*parts, 0, dist, delta=2**53 + 1, complete=False)
    assert dist.tolist() == [0, 2**62, FAR]


def test_the_edges_of_a_vertex_are_read_once_for_the_light_and_once_for_the_heavy_ones():
    rows = {
        "indptr": np.array([0, 2, 2, 2]),
        "indices": np.array([1, 2], np.int32),
        "weights": np.array([1, 9], np.int32),
    }
    dist, counts = solve(rows, delta=3, threads=1)
    assert dist.tolist() == [0, 1, 9]
    assert (counts["relaxed"], counts["read"]) == (2, 4)
