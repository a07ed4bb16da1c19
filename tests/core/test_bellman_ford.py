"""Bellman-Ford in the core: any sign of weight, the cycle itself, and never a wrapped number."""

from __future__ import annotations

import signal
import threading
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from support import reference
from warpath import _core

INDICES = [np.int32, np.int64]
WEIGHTS = [np.int32, np.int64, np.float32, np.float64]
FAR = np.iinfo(np.int64).max


def rows(n, edges, index, weight):
    parts = reference.rows(n, edges, index, weight)
    return dict(zip(("indptr", "indices", "weights"), parts, strict=True))


def solve(n, edges, source, weight=np.int64, index=np.int32):
    dist = np.empty(n, weight if np.dtype(weight).kind == "f" else np.int64)
    sources = np.array([source] if source >= 0 else [], np.int64)
    result = _core.bellman_ford(
        **rows(n, edges, index, weight), sources=sources, dist=dist, progress=None
    )
    return dist, result


def least_sums(n, edges, source, number):
    """Labels by rounds over all edges in `number` arithmetic; None: a cycle lowers them on."""
    label = {v: number(0) for v in range(n)} if source < 0 else {source: number(0)}
    for _ in range(n + 1):
        changed = False
        for u, v, w in edges:
            if u in label and (v not in label or label[u] + number(w) < label[v]):
                label[v] = label[u] + number(w)
                changed = True
        if not changed:
            return label
    return None


def random_edges(rng, n, m, low, high):
    return [
        (int(rng.integers(n)), int(rng.integers(n)), int(rng.integers(low, high))) for _ in range(m)
    ]


def exact(weight):
    return Fraction(weight if isinstance(weight, int) else float(weight))


def length_of_cycle(edges, cycle):
    closed = [*cycle, cycle[0]]
    assert len(set(cycle.tolist())) == len(cycle)
    return sum(min(exact(w) for a, b, w in edges if (a, b) == (u, v)) for u, v in pairwise(closed))


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("weight", WEIGHTS)
def test_labels_are_the_least_sums_or_the_cycle_is_negative(index, weight):
    rng = np.random.default_rng(1)
    cycles = 0
    for _ in range(400):
        n = int(rng.integers(1, 9))
        low = int(rng.integers(-4, 1))
        edges = random_edges(rng, n, int(rng.integers(0, 20)), low, 6)
        source = int(rng.integers(-1, n))
        expected = least_sums(n, edges, source, int)
        dist, result = solve(n, edges, source, weight, index)
        if expected is None:
            cycles += 1
            assert length_of_cycle(edges, result["cycle"]) < 0
        else:
            assert result["cycle"].size == 0
            far = np.inf if dist.dtype.kind == "f" else FAR
            assert dist.tolist() == [expected.get(v, far) for v in range(n)]
    assert 40 < cycles < 360


@pytest.mark.parametrize("weight", [np.float32, np.float64])
def test_float_labels_are_the_least_rounded_sums_bit_by_bit(weight):
    rng = np.random.default_rng(2)
    for _ in range(300):
        n = int(rng.integers(2, 12))
        edges = [
            (u, v, weight(10.0 ** rng.uniform(-8, 8) if rng.random() < 0.8 else 0))
            for u, v, _ in random_edges(rng, n, 30, 0, 2)
        ]
        expected = least_sums(n, edges, 0, weight)
        dist, result = solve(n, edges, 0, weight)
        assert result["cycle"].size == 0
        assert dist.tolist() == [float(expected.get(v, np.inf)) for v in range(n)]


def test_potentials_do_not_change_distances():
    rng = np.random.default_rng(3)
    n = 400
    edges = random_edges(rng, n, 1600, 0, 50)
    shift = [int(p) for p in rng.integers(0, 10**6, n)]
    plain, _ = solve(n, edges, 0)
    moved, _ = solve(n, [(u, v, w + shift[u] - shift[v]) for u, v, w in edges], 0)
    reached = plain != FAR
    assert (reached == (moved != FAR)).all()
    assert (plain[reached] == (moved - shift[0] + np.array(shift))[reached]).all()


def test_negative_self_loop_is_a_cycle_of_one_vertex():
    _, result = solve(3, [(0, 1, 5), (1, 1, -1), (1, 2, 1)], 0)
    assert result["cycle"].tolist() == [1]


def test_cycle_out_of_reach_does_not_matter_but_the_virtual_source_finds_it():
    edges = [(0, 1, 2), (2, 3, -2), (3, 2, 1), (2, 0, 1)]
    dist, result = solve(4, edges, 0)
    assert result["cycle"].size == 0
    assert dist.tolist() == [0, 2, FAR, FAR]
    _, result = solve(4, edges, -1)
    assert sorted(result["cycle"].tolist()) == [2, 3]


def test_cycle_of_length_zero_is_no_negative_cycle():
    dist, result = solve(3, [(0, 1, 1), (1, 2, -4), (2, 1, 4)], 0)
    assert result["cycle"].size == 0
    assert dist.tolist() == [0, 1, -3]


def test_empty_graph_and_lonely_vertex():
    assert solve(0, [], -1)[1]["cycle"].size == 0
    assert solve(1, [], 0)[0].tolist() == [0]


@pytest.mark.parametrize("index", INDICES)
def test_sum_beyond_64_bits_on_the_way_is_no_harm(index):
    big = 2**62 + 1
    with pytest.raises(OverflowError, match="64 bits"):
        solve(4, [(0, 1, big), (1, 2, big), (2, 3, -big)], 0, index=index)
    dist, _ = solve(4, [(0, 1, big), (1, 2, big), (2, 3, -big), (0, 2, 7)], 0, index=index)
    assert dist.tolist() == [0, big, 7, 7 - big]


def test_distance_of_exactly_the_unreachable_label_is_refused():
    with pytest.raises(OverflowError, match="64 bits"):
        solve(3, [(0, 1, 2**62), (1, 2, 2**62 - 1)], 0)
    dist, _ = solve(3, [(0, 1, 2**62), (1, 2, 2**62 - 2)], 0)
    assert dist[2] == FAR - 1


def test_negative_distance_beyond_64_bits_is_refused_and_the_last_that_fits_is_given():
    with pytest.raises(OverflowError, match="64 bits"):
        solve(3, [(0, 1, -(2**63)), (1, 2, -1)], 0)
    dist, _ = solve(3, [(0, 1, -(2**62)), (1, 2, -(2**62))], 0)
    assert dist[2] == -(2**63)


@pytest.mark.parametrize("source", [0, -1])
def test_cycle_of_huge_weights_is_found_although_its_sum_does_not_fit(source):
    edges = [(0, 1, -(2**63)), (1, 2, -(2**63)), (2, 0, 2**62)]
    _, result = solve(3, edges, source)
    assert sorted(result["cycle"].tolist()) == [0, 1, 2]


def test_huge_random_weights_agree_with_unbounded_integers():
    rng = np.random.default_rng(4)
    outcomes = set()
    for _ in range(600):
        n = int(rng.integers(2, 7))
        scale = int(rng.choice([2**60, 2**62, 2**63 - 1]))
        edges = random_edges(
            rng, n, int(rng.integers(1, 9)), -scale // int(rng.integers(1, 9)), scale
        )
        expected = least_sums(n, edges, 0, int)
        if expected is None:
            assert length_of_cycle(edges, solve(n, edges, 0)[1]["cycle"]) < 0
            outcomes.add("cycle")
        elif all(-(2**63) <= d < FAR for d in expected.values()):
            assert solve(n, edges, 0)[0].tolist() == [expected.get(v, FAR) for v in range(n)]
            outcomes.add("fits")
        else:
            with pytest.raises(OverflowError):
                solve(n, edges, 0)
            outcomes.add("refused")
    assert outcomes == {"cycle", "fits", "refused"}


@pytest.mark.parametrize("weight", [np.float32, np.float64])
def test_float_distance_below_the_type_is_refused(weight):
    low = float(np.finfo(weight).min)
    with pytest.raises(OverflowError, match="float"):
        solve(3, [(0, 1, low), (1, 2, low)], 0, weight)


@pytest.mark.parametrize("weight", [np.float32, np.float64])
def test_float_sum_beyond_the_type_is_unreachable(weight):
    high = float(np.finfo(weight).max)
    dist, _ = solve(3, [(0, 1, high), (1, 2, high)], 0, weight)
    assert dist.tolist() == [0, high, np.inf]


@pytest.mark.parametrize("weight", [np.float32, np.float64])
def test_rounding_alone_makes_no_negative_cycle(weight):
    rng = np.random.default_rng(5)
    eps = float(np.finfo(weight).eps)
    found = {True: 0, False: 0}
    for _ in range(1500):
        n = int(rng.integers(2, 8))
        shift = [weight(x) for x in 10.0 ** rng.uniform(-3, 3, n)]
        edges = [
            (u, v, weight(w) * weight(0.1) * (rng.random() < 0.3) + shift[u] - shift[v])
            for u, v, w in random_edges(rng, n, 24, 0, 3)
        ]
        expected = least_sums(n, edges, 0, exact)
        dist, result = solve(n, edges, 0, weight)
        found[result["cycle"].size > 0] += 1
        if result["cycle"].size:
            assert length_of_cycle(edges, result["cycle"]) < 0
        elif expected is not None:
            size = float(sum(shift))
            for v in range(n):
                wanted = float(expected.get(v, np.inf))
                assert dist[v] == wanted or abs(dist[v] - wanted) <= 4 * n * eps * size
    assert min(found.values()) > 50


@pytest.mark.parametrize(("tiny", "negative"), [(-1e-20, True), (1e-20, False), (0.0, False)])
def test_sign_of_a_float_cycle_is_that_of_its_exact_sum(tiny, negative):
    # At label 2**53 the step of +1 is lost to rounding and that of -1 is not: the label falls.
    edges = [(0, 1, 2.0**53), (1, 2, 1.0), (2, 3, tiny), (3, 1, -1.0)]
    _, result = solve(4, edges, 0, np.float64)
    assert sorted(result["cycle"].tolist()) == ([1, 2, 3] if negative else [])


def test_absorbed_fall_does_not_lose_a_vertex_below():
    # 0 -> 2 -> 3 gives 3 first; then 0 -> 1 -> 2 lowers 2 by so little that 3's label stays as it
    # was, and 3 must still hand its label on to 4.
    big = 2.0**60
    edges = [(0, 2, 1.0), (2, 3, big), (3, 4, -big), (0, 1, 0.25), (1, 2, 0.25)]
    dist, _ = solve(5, edges, 0, np.float64)
    assert dist.tolist() == [0, 0.25, 0.5, big, 0]


def test_counters_and_progress_say_what_was_done():
    n = 50
    edges = [(v, v + 1, 1) for v in range(n - 1)]
    _, result = solve(n, edges, 0)
    assert (result["settled"], result["relaxed"], result["improved"]) == (n, n - 1, n - 1)
    assert result["rounds"] == n


def test_interrupt_stops_a_long_solve():
    # Every pass over the queue settles one vertex: about n^3 / 6 relaxations.
    n = 2500
    src, dst = np.triu_indices(n, 1)
    order = np.lexsort((-dst, src))
    indptr = np.searchsorted(src, np.arange(n + 1)).astype(np.int64)
    weights = (2 * (dst - src) - 1)[order].astype(np.int64)
    dist = np.empty(n, np.int64)
    timer = threading.Timer(0.3, signal.raise_signal, (signal.SIGINT,))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        _core.bellman_ford(
            indptr=indptr,
            indices=dst[order].astype(np.int32),
            weights=weights,
            sources=np.array([0]),
            dist=dist,
            progress=None,
        )
    timer.join()
    assert solve(2, [(0, 1, 3)], 0)[0].tolist() == [0, 3]


def test_several_sources_give_the_distance_from_the_nearest():
    graph = rows(5, [(0, 1, 4), (2, 1, 1), (1, 3, -2)], np.int32, np.int64)
    dist = np.empty(5, np.int64)
    sources = np.array([2, 0, 2])
    result = _core.bellman_ford(**graph, sources=sources, dist=dist, progress=None)
    assert dist.tolist() == [0, 1, 0, -1, np.iinfo(np.int64).max]
    assert len(result["cycle"]) == 0


def solve_wide(n, edges, source, index=np.int32, certify=True):
    dist, misfit = np.empty(n, np.int64), np.empty(n, np.int8)
    pred = np.empty(n, index)
    cycle, broken = _core.bellman_ford_wide(
        **rows(n, edges, index, np.int64),
        source=source,
        dist=dist,
        misfit=misfit,
        pred=pred,
        certify=certify,
    )
    assert broken is None
    return dist, misfit, pred, cycle.tolist()


@pytest.mark.parametrize("index", INDICES)
def test_wide_sums_say_which_distances_do_not_fit_and_lead_through_them(index):
    half = 2**62
    edges = [(0, 1, half), (1, 2, half), (2, 3, -half), (0, 4, -half), (4, 5, -half), (5, 6, -1)]
    dist, misfit, pred, cycle = solve_wide(8, edges, 0, index)
    assert dist.tolist() == [0, half, FAR, half, -half, -2 * half, FAR, FAR]
    assert misfit.tolist() == [0, 0, 1, 0, 0, 0, -1, 0]
    assert pred.tolist() == [-1, 0, 1, 2, 0, 4, 5, -1]
    assert cycle == []


@pytest.mark.parametrize("index", INDICES)
def test_wide_sums_of_random_graphs_are_those_of_python(index):
    rng = np.random.default_rng(11)
    for _ in range(60):
        n = int(rng.integers(1, 9))
        edges = random_edges(rng, n, int(rng.integers(0, 25)), -(2**61), 2**63 - 1)
        right = least_sums(n, edges, 0, int)
        dist, misfit, pred, cycle = solve_wide(n, edges, 0, index)
        assert (right is None) == bool(cycle)
        if right is None:
            continue
        for v in range(n):
            fits = v not in right or -(2**63) <= right[v] < FAR
            assert misfit[v] == (0 if fits else 1 if right[v] > 0 else -1)
            assert dist[v] == (right[v] if fits and v in right else FAR)
            before = int(pred[v])
            tight = (before, v, right.get(v, 0) - right.get(before, 0)) in edges
            assert tight if v in right and v != 0 else before == -1
