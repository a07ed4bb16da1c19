"""Rho-stepping and delta*-stepping in the core: one answer for every threshold and team."""

from __future__ import annotations

import numpy as np
import pytest

from core.test_delta_stepping import (
    THREADS,
    WEIGHTS,
    distance_type,
    least_sums,
    random_weights,
    rows,
    slow_graph,
)
from warpath import _core

BY_RHO = {"delta": 0, "rho": 1}


def solve(graph, threads=1, source=0, progress=None, **threshold):
    dist = np.empty(len(graph["indptr"]) - 1, distance_type(graph["weights"]))
    counts = _core.stepping(
        **graph, source=source, dist=dist, threads=threads, progress=progress, **threshold
    )
    return dist, counts


@pytest.mark.threads
@pytest.mark.parametrize("weight", WEIGHTS)
def test_labels_are_the_least_sums_for_every_threshold_and_team(weight):
    rng = np.random.default_rng(1)
    integer = np.dtype(weight).kind == "i"
    tiny = 1 if integer else float(np.finfo(weight).smallest_subnormal)
    huge = 2**63 - 1 if integer else float(np.finfo(weight).max)
    for _ in range(40):
        n, m = int(rng.integers(1, 14)), int(rng.integers(0, 40))
        weights = random_weights(rng, m, weight)
        graph = rows(n, rng.integers(0, n, m), rng.integers(0, n, m), weights)
        source = int(rng.integers(n))
        expected = least_sums(graph, source)
        typical = max(tiny, type(tiny)(weights.max(initial=1)))
        thresholds = [{"delta": delta, "rho": 0} for delta in (tiny, typical, huge)]
        thresholds += [{"delta": 0, "rho": rho} for rho in (1, 3, 2**31 - 1)]
        for threshold in thresholds:
            dist, _ = solve(graph, int(rng.choice(THREADS)), source, **threshold)
            assert dist.tobytes() == expected.tobytes()


@pytest.mark.threads
@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("threads", THREADS)
def test_larger_graphs_have_the_bits_of_bellman_ford(weight, threads):
    rng = np.random.default_rng(2)
    n, m = 5000, 25000
    weights = rng.integers(1, 1000, m).astype(weight)
    graph = rows(n, rng.integers(0, n, m), rng.integers(0, n, m), weights)
    expected = np.empty(n, distance_type(weights))
    _core.bellman_ford(**graph, sources=np.array([0]), dist=expected, progress=None)
    for threshold in ({"delta": 7, "rho": 0}, {"delta": 0, "rho": 9}, {"delta": 0, "rho": 1500}):
        assert solve(graph, threads, **threshold)[0].tobytes() == expected.tobytes()


def test_delta_star_relaxes_again_what_falls_back_below_the_threshold():
    graph = rows(
        4, np.array([0, 0, 2, 1]), np.array([1, 2, 1, 3]), np.array([4, 1, 1, 4], np.int32)
    )
    dist, counts = solve(graph, delta=5, rho=0)
    assert dist.tolist() == [0, 2, 1, 6]
    assert (counts["rounds"], counts["settled"], counts["relaxed"]) == (4, 6, 5)


def test_rho_stepping_takes_the_nearest_vertices():
    n = 101
    graph = rows(n, np.zeros(n - 1, int), np.arange(1, n), np.arange(1, n, dtype=np.int32))
    assert solve(graph, **BY_RHO)[1]["rounds"] == n
    assert solve(graph, delta=0, rho=10)[1]["rounds"] == 11
    assert solve(graph, delta=0, rho=100)[1]["rounds"] == 2


def test_delta_star_passes_over_steps_that_would_take_nothing():
    n = 3000
    src = np.arange(n - 1)
    graph = rows(n, src, src + 1, np.full(n - 1, 10**6, np.int64))
    dist, counts = solve(graph, delta=1, rho=0)
    assert (dist == np.arange(n) * 10**6).all()
    assert (counts["settled"], counts["rounds"]) == (n, n)


@pytest.mark.parametrize("threads", [1, 2])
def test_distances_that_do_not_fit_are_refused_or_left_unreachable(threads):
    graph = rows(3, np.array([0, 1]), np.array([1, 2]), np.array([2**62, 2**62], np.int64))
    for threshold in (BY_RHO, {"delta": 2**60, "rho": 0}):
        with pytest.raises(OverflowError, match="64 bits"):
            solve(graph, threads, **threshold)
        dist, _ = solve(graph, threads, **threshold, complete=False)
        assert dist.tolist() == [0, 2**62, np.iinfo(np.int64).max]


@pytest.mark.parametrize(("delta", "rho"), [(0, 0), (1, 1), (-1, 0), (0, -1), (np.nan, 0)])
def test_exactly_one_of_delta_and_rho_is_positive(delta, rho):
    graph = rows(2, np.array([0]), np.array([1]), np.array([1.0]))
    with pytest.raises(ValueError, match="delta and rho"):
        solve(graph, delta=delta, rho=rho)


@pytest.mark.threads
@pytest.mark.parametrize("threads", [1, 3])
def test_error_in_the_progress_callback_stops_the_team(threads):
    def refuse(done, total):
        assert 0 <= done <= total
        message = "enough"
        raise RuntimeError(message)

    with pytest.raises(RuntimeError, match="enough"):
        solve(slow_graph(), threads, delta=2**62, rho=0, progress=refuse)
