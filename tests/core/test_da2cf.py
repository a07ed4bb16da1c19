"""The steps of Dijkstra's algorithm over compound frontiers, put together in each way there is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpath import Graph, _core
from warpath.paths import never
from warpath.testing import corpus, reference, strategies
from warpath.testing.compare import assert_same_bits
from warpath.testing.reference import rows
from warpath.zones import opened

MAX = np.iinfo(np.int64).max
WEIGHT_TYPES = [np.int32, np.int64, np.float32, np.float64]
LABEL_TYPES = [np.dtype(name) for name in ("int64", "float32", "float64")]
RELAXATIONS = ["f", "u", "f_dense", "u_dense"]
CASES = [
    case.astype(dtype)
    for case in corpus.all(negative=False)
    if case.graph().n <= 2_100
    for dtype in case.dtypes
]
SOLVED = [
    (case, how)
    for case in CASES
    for how in RELAXATIONS
    if not case.overflows and (case.graph().n <= 600 or how in ("f", "u"))
]


def arrays(graph):
    return graph.indptr, graph.indices, graph.solver_weights


def matrix_of(graph):
    matrix = np.full((graph.n, graph.n), never(graph.dist_dtype), graph.dist_dtype)
    src = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    np.minimum.at(matrix, (src, graph.indices), graph.solver_weights.astype(graph.dist_dtype))
    return matrix


def relaxation(graph, how):
    """Return the step relax(dist, frontier, unsettled) of a graph."""
    if how in ("f", "u"):
        step = {"f": _core.da2cf_relax_f, "u": _core.da2cf_relax_u}[how]
        given = arrays(graph if how == "f" else graph.reversed())
    else:
        step = {"f_dense": _core.da2cf_relax_f_dense, "u_dense": _core.da2cf_relax_u_dense}[how]
        given = (matrix_of(graph),)
    return lambda dist, frontier, unsettled: step(*given, dist, frontier, unsettled)


def start(graph, source):
    dist = np.full(graph.n, never(graph.dist_dtype), graph.dist_dtype)
    frontier = np.zeros(graph.n, np.uint8)
    unsettled = np.ones(graph.n, np.uint8)
    dist[source], frontier[source], unsettled[source] = 0, 1, 0
    return dist, frontier, unsettled


def settle(graph, source, how):
    """Return the labels and, for each round, (threshold, selected, relaxed, improved)."""
    dist, frontier, unsettled = start(graph, source)
    relax = relaxation(graph, how)
    rounds = []
    while True:
        relaxed, improved = relax(dist, frontier, unsettled)
        threshold = _core.da2cf_minimum(dist, unsettled)
        if threshold == never(graph.dist_dtype):
            return dist, rounds
        selected = _core.da2cf_update(dist, unsettled, frontier, threshold)
        rounds.append((threshold, selected, relaxed, improved))
        assert len(rounds) < graph.n


@pytest.mark.parametrize(("case", "how"), SOLVED, ids=str)
def test_each_relaxation_settles_the_corpus_as_dijkstra_does(case, how):
    graph = opened(case.graph())
    for source in case.sources[:2]:
        dist, _ = settle(graph, source, how)
        assert_same_bits(dist, reference.dijkstra(graph, source), graph)
        _core.refuse_overflow(*arrays(graph), dist)


@pytest.mark.parametrize("how", RELAXATIONS)
@pytest.mark.parametrize("case", [c for c in CASES if c.overflows], ids=str)
def test_distance_that_does_not_fit_is_passed_over_and_refused_afterwards(case, how):
    graph = case.graph()
    dist, _ = settle(graph, 0, how)
    assert dist[1] == MAX - 1
    assert (dist[2:] == MAX).all()
    with pytest.raises(OverflowError, match="64 bits"):
        _core.refuse_overflow(*arrays(graph), dist)


@pytest.mark.parametrize("weight_type", WEIGHT_TYPES)
@given(data=st.data())
def test_every_round_settles_all_vertices_at_the_least_label(weight_type, data):
    graph = data.draw(strategies.graphs(weight_type, max_vertices=9))
    source = data.draw(st.integers(0, graph.n - 1))
    expected = reference.dijkstra(graph, source)
    simple = len(set(zip(*edges(graph), strict=True))) == graph.m
    for how in RELAXATIONS if simple else RELAXATIONS[:2]:
        relax = relaxation(graph, how)
        dist, frontier, unsettled = start(graph, source)
        now = 0
        for _ in range(graph.n):
            src, dst = edges(graph)
            crossing = int((frontier[src] & unsettled[dst]).sum())
            before = dist.copy()
            relaxed, improved = relax(dist, frontier, unsettled)
            assert relaxed == crossing
            assert (improved > 0) == (dist != before).any()
            assert (dist[unsettled == 0] == before[unsettled == 0]).all()
            threshold = _core.da2cf_minimum(dist, unsettled)
            assert threshold == min(dist[unsettled == 1], default=never(graph.dist_dtype))
            assert threshold >= now
            if threshold == never(graph.dist_dtype):
                break
            was = unsettled.copy()
            selected = _core.da2cf_update(dist, unsettled, frontier, threshold)
            assert (frontier == (was & (dist == threshold))).all()
            assert (unsettled == (was & (dist != threshold))).all()
            assert selected == frontier.sum()
            now = threshold
        assert_same_bits(dist, expected, graph)


def edges(graph):
    return np.repeat(np.arange(graph.n), np.diff(graph.indptr)), graph.indices


def test_zero_weights_take_a_round_at_the_same_label_and_settle_no_vertex_twice():
    graph = Graph.from_edges([0, 1, 2, 3], [1, 2, 1, 1], np.array([4, 0, 0, 0], np.int32), n=4)
    for how in RELAXATIONS:
        dist, rounds = settle(graph, 0, how)
        assert dist.tolist() == [0, 4, 4, MAX]
        assert rounds == [(4, 1, 1, 1), (4, 1, 1, 1)]


@pytest.mark.parametrize("how", RELAXATIONS)
def test_only_frontier_vertices_relax_and_only_unsettled_ones_are_lowered(how):
    graph = Graph.from_edges(
        [0, 0, 0, 1, 4], [1, 2, 3, 2, 2], np.array([1, 5, 7, 1, 1], np.int32), n=5
    )
    dist = np.array([2, 50, 50, 8, MAX])
    frontier = np.array([1, 0, 0, 0, 1], np.uint8)  # 4 has no path, so it reaches nothing
    unsettled = np.array([0, 0, 1, 1, 0], np.uint8)
    assert relaxation(graph, how)(dist, frontier, unsettled) == (2, 1)
    assert dist.tolist() == [2, 50, 7, 8, MAX]


@pytest.mark.parametrize("how", ["f", "u"])
def test_each_lowering_of_a_label_by_parallel_edges_is_counted(how):
    graph = Graph.from_edges([0] * 4, [1] * 4, np.array([7, 3, 9, 3], np.int32), n=2)
    dist, frontier, unsettled = start(graph, 0)
    assert relaxation(graph, how)(dist, frontier, unsettled) == (4, 2)
    assert dist.tolist() == [0, 3]


@pytest.mark.parametrize("dtype", LABEL_TYPES)
def test_minimum_over_no_unsettled_vertex_is_unreachable_and_update_takes_none(dtype):
    dist = np.array([1, 0, never(dtype)], dtype)
    unsettled = np.array([0, 0, 1], np.uint8)
    frontier = np.array([0, 1, 1], np.uint8)
    assert _core.da2cf_minimum(dist, unsettled) == never(dtype)
    assert _core.da2cf_minimum(dist[:0], unsettled[:0]) == never(dtype)
    assert _core.da2cf_update(dist, unsettled, frontier, never(dtype)) == 0
    assert frontier.tolist() == [0, 0, 0]
    assert unsettled.tolist() == [0, 0, 1]
    assert _core.da2cf_minimum(dist, np.array([1, 0, 1], np.uint8)) == 1


@pytest.mark.parametrize("how", RELAXATIONS)
def test_a_sum_of_just_the_unreachable_label_does_not_fit(how):
    graph = Graph.from_edges([0, 1], [1, 2], np.array([MAX - 1, 1]), n=3)
    dist, rounds = settle(graph, 0, how)
    assert dist.tolist() == [0, MAX - 1, MAX]
    assert rounds == [(MAX - 1, 1, 1, 1)]


def test_refusal_looks_for_vertices_that_have_a_path_but_no_label():
    third = MAX // 3 + 1
    heavy = rows(5, [(0, 1, third), (1, 2, third), (2, 3, third)], weight_type=np.int64)
    _core.refuse_overflow(*heavy, np.array([MAX, MAX, 0, third, MAX]))
    with pytest.raises(OverflowError, match="64 bits"):
        _core.refuse_overflow(*heavy, np.array([0, third, 2 * third, MAX, MAX]))


def test_refusal_passes_over_light_edges_and_floats():
    light = rows(2, [(0, 1, 5)], weight_type=np.int64)
    _core.refuse_overflow(*light, np.array([0, MAX]))
    floats = rows(2, [(0, 1, 3e38)], weight_type=np.float32)
    _core.refuse_overflow(*floats, np.array([2e38, np.inf], np.float32))
    _core.refuse_overflow(*rows(1, []), np.array([0]))
