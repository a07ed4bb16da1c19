"""The steps of Dijkstra's algorithm over compound frontiers, put together in each way there is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support import corpus, reference, strategies
from support.compare import assert_same_bits, noting
from support.reference import rows
from warpath import Graph, _core
from warpath.base.dtypes import unreachable
from warpath.graph.zones import opened

MAX = np.iinfo(np.int64).max
WEIGHT_TYPES = [np.int32, np.int64, np.float32, np.float64]
LABEL_TYPES = [np.dtype(name) for name in ("int64", "float32", "float64")]
RELAXATIONS = ["f", "u", "u_blocks", "f_dense", "u_dense"]
ON_ROWS = RELAXATIONS[:3]
BLOCK = _core.COMPOUND_FRONTIER_BLOCK
NO_EDGES = np.empty(0, np.int32), np.empty(0, np.int32)
CASES = [
    case.astype(dtype)
    for case in corpus.all(negative=False)
    if case.graph().n <= 2_100
    for dtype in case.dtypes
]


def arrays(graph):
    return graph.indptr, graph.indices, graph._solver_weights


def matrix_of(graph):
    matrix = np.full((graph.n, graph.n), unreachable(graph.dist_dtype), graph.dist_dtype)
    src = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    np.minimum.at(matrix, (src, graph.indices), graph._solver_weights.astype(graph.dist_dtype))
    return matrix


def relaxation(graph, how):
    """Return the step relax(dist, frontier, unsettled) of a graph."""
    step = getattr(_core, f"compound_frontier_relax_{how.removesuffix('_blocks')}")
    if how == "f":
        given = arrays(graph)
    elif how in ON_ROWS:
        given = arrays(graph.reversed()) + (all_block_edges(graph) if how != "u" else NO_EDGES)
    else:
        given = (matrix_of(graph),)
    return lambda dist, frontier, unsettled: step(*given, dist, frontier, unsettled)[:2]


def all_block_edges(graph):
    """Return the edges between blocks of 64 vertices, also where they are too many to be of use."""
    src, dst = edges(graph)
    pairs = sorted(set(zip((dst // 64).tolist(), (src // 64).tolist(), strict=True)))
    return tuple(np.array([pair[side] for pair in pairs], np.int32) for side in (0, 1))


def minimum(dist, unsettled, **options):
    least = np.zeros(-(-len(dist) // BLOCK), dist.dtype)
    return _core.compound_frontier_minimum(dist, unsettled, least, **options), least


def update(dist, unsettled, frontier, threshold, least=None):
    given = np.empty(0, dist.dtype) if least is None else least
    return _core.compound_frontier_update(dist, unsettled, frontier, threshold, given)[0]


def start(graph, source):
    dist = np.full(graph.n, unreachable(graph.dist_dtype), graph.dist_dtype)
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
        threshold, least = minimum(dist, unsettled)
        if threshold == unreachable(graph.dist_dtype):
            return dist, rounds
        selected = update(dist, unsettled, frontier, threshold, least)
        rounds.append((threshold, selected, relaxed, improved))
        assert len(rounds) < graph.n


@pytest.mark.parametrize("case", [c for c in CASES if not c.overflows], ids=str)
def test_each_relaxation_settles_the_corpus_as_dijkstra_does(case):
    graph = opened(case.graph())
    for source in case.sources[:2]:
        expected = reference.dijkstra(graph, source)
        for how in RELAXATIONS if graph.n <= 600 else ON_ROWS:
            with noting(f"{how} from {source}"):
                dist, _ = settle(graph, source, how)
                assert_same_bits(dist, expected, graph)
                _core.refuse_overflow(*arrays(graph), dist)


@pytest.mark.parametrize("how", RELAXATIONS)
def test_distance_that_does_not_fit_is_passed_over_and_refused_afterwards(how):
    for case in (c for c in CASES if c.overflows):
        graph = case.graph()
        dist, _ = settle(graph, 0, how)
        assert dist[1] == MAX - 1, case
        assert (dist[2:] == MAX).all(), case
        with pytest.raises(OverflowError, match="64 bits"):
            _core.refuse_overflow(*arrays(graph), dist)


@pytest.mark.parametrize("weight_type", WEIGHT_TYPES)
@given(data=st.data())
def test_every_round_settles_all_vertices_at_the_least_label(weight_type, data):
    graph = data.draw(strategies.graphs(weight_type, max_vertices=9))
    source = data.draw(st.integers(0, graph.n - 1))
    expected = reference.dijkstra(graph, source)
    simple = len(set(zip(*edges(graph), strict=True))) == graph.m
    for how in RELAXATIONS if simple else ON_ROWS:
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
            threshold, least = minimum(dist, unsettled)
            assert threshold == min(dist[unsettled == 1], default=unreachable(graph.dist_dtype))
            assert threshold >= now
            if threshold == unreachable(graph.dist_dtype):
                break
            was = unsettled.copy()
            selected = update(dist, unsettled, frontier, threshold, least)
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


@pytest.mark.parametrize("how", ON_ROWS)
def test_each_lowering_of_a_label_by_parallel_edges_is_counted(how):
    graph = Graph.from_edges([0] * 4, [1] * 4, np.array([7, 3, 9, 3], np.int32), n=2)
    dist, frontier, unsettled = start(graph, 0)
    assert relaxation(graph, how)(dist, frontier, unsettled) == (4, 2)
    assert dist.tolist() == [0, 3]


@pytest.mark.parametrize("dtype", LABEL_TYPES)
def test_minimum_over_no_unsettled_vertex_is_unreachable_and_update_takes_none(dtype):
    dist = np.array([1, 0, unreachable(dtype)], dtype)
    unsettled = np.array([0, 0, 1], np.uint8)
    frontier = np.array([0, 1, 1], np.uint8)
    assert minimum(dist, unsettled)[0] == unreachable(dtype)
    assert minimum(dist[:0], unsettled[:0])[0] == unreachable(dtype)
    assert update(dist, unsettled, frontier, unreachable(dtype)) == 0
    assert frontier.tolist() == [0, 0, 0]
    assert unsettled.tolist() == [0, 0, 1]
    assert minimum(dist, np.array([1, 0, 1], np.uint8))[0] == 1


def labels(size, dtype, share, seed):
    """Return labels, some of them unreachable, and unsettled flags, a share of them set."""
    rng = np.random.default_rng(seed)
    dist = rng.integers(0, 1_000, size).astype(dtype)
    dist[rng.random(size) < 0.3] = unreachable(dtype)
    settled = np.repeat(rng.random(-(-size // 64)) > share, 64)[:size]  # whole blocks
    return dist, ((rng.random(size) < (1 + share) / 2) & ~settled).astype(np.uint8)


@pytest.mark.parametrize("vector_bytes", [16, 32, 64])
@pytest.mark.parametrize("size", [1, 7, 63, 64, 65, 130, BLOCK, BLOCK + 1, 3 * BLOCK + 71])
@pytest.mark.parametrize("dtype", LABEL_TYPES)
def test_each_instruction_set_finds_the_same_least_label_of_each_block(dtype, size, vector_bytes):
    for seed, share in enumerate((0, 0.1, 0.5, 0.9, 1)):
        dist, unsettled = labels(size, dtype, share, seed)
        found, least = minimum(dist, unsettled, bytes=vector_bytes)
        seen = np.where(unsettled == 1, dist, unreachable(dtype))
        expected = [seen[at : at + BLOCK].min() for at in range(0, size, BLOCK)]
        assert least.tolist() == expected
        assert found == min(expected)


@pytest.mark.parametrize("vector_bytes", [16, 32, 64])
@pytest.mark.parametrize("dtype", LABEL_TYPES)
def test_the_least_label_is_found_wherever_it_lies(dtype, vector_bytes):
    dist = np.full(200, 9, dtype)
    for unsettled in np.ones(200, np.uint8), np.tile(np.array([1, 1, 0, 1], np.uint8), 50):
        for place in range(200):
            dist[place] = 5
            expected = 5 if unsettled[place] else 9
            assert minimum(dist, unsettled, bytes=vector_bytes)[0] == expected
            dist[place] = 9


@pytest.mark.parametrize("dtype", LABEL_TYPES)
def test_update_by_the_least_labels_of_blocks_is_the_one_that_compares_all(dtype):
    for seed in range(5):
        dist, unsettled = labels(3 * BLOCK + 71, dtype, 0.5, seed)
        before = np.zeros(len(dist), np.uint8)
        before[[0, 63, BLOCK - 1, len(dist) - 1]] = 1
        threshold, least = minimum(dist, unsettled)
        expected = unsettled.astype(bool) & (dist == threshold)
        for blocks in (least, np.empty(0, dtype)):
            frontier, left = before.copy(), unsettled.copy()
            selected, begin, end = _core.compound_frontier_update(
                dist, left, frontier, threshold, blocks
            )
            assert selected == expected.sum() > 0
            assert (frontier == expected).all()
            assert (left == (unsettled.astype(bool) & ~expected)).all()
            changed = np.flatnonzero((frontier != before) | (left != unsettled))
            assert begin <= changed.min()
            assert changed.max() < end <= len(dist)


def test_every_relaxation_makes_the_same_rounds_with_the_same_counts():
    rng = np.random.default_rng(5)
    src = np.repeat(np.arange(400), 6)
    near = np.clip(src + rng.integers(-150, 150, len(src)), 0, 399)  # of several blocks
    graph = Graph.from_edges(src, near, rng.integers(0, 4, len(src)).astype(np.int32), n=400)
    dist, rounds = settle(graph, 7, "f")
    assert len(rounds) > 10
    for how in ("u", "u_blocks"):
        other, found = settle(graph, 7, how)
        assert (other == dist).all()
        assert [one[:3] for one in found] == [one[:3] for one in rounds]
    assert settle(graph, 7, "u")[1] == found  # times a label fell too, for both go by vertices


def test_least_labels_of_other_blocks_are_refused():
    dist, unsettled = labels(BLOCK + 1, np.dtype("int64"), 1, 0)
    with pytest.raises(ValueError, match="COMPOUND_FRONTIER_BLOCK"):
        _core.compound_frontier_minimum(dist, unsettled, np.empty(1, np.int64))
    with pytest.raises(ValueError, match="COMPOUND_FRONTIER_BLOCK"):
        _core.compound_frontier_update(dist, unsettled, unsettled.copy(), 0, np.empty(1, np.int64))


@pytest.mark.parametrize("how", ["f", "u", "f_dense", "u_dense"])
def test_relaxing_says_where_it_lowered_labels(how):
    graph = Graph.from_edges(
        [3, 3, 3, 3, 8], [5, 7, 6, 9, 4], np.array([1, 2, 9, 1, 1], np.int32), n=11
    )
    dist, frontier, unsettled = start(graph, 3)
    dist[8], frontier[8], unsettled[8] = 0, 1, 0
    unsettled[9], dist[6] = 0, 4
    given = {"f": arrays(graph), "u": arrays(graph.reversed()) + NO_EDGES}.get(
        how, (matrix_of(graph),)
    )
    relax = getattr(_core, f"compound_frontier_relax_{how}")
    read = {"f": 5, "u": 4, "f_dense": 2 * 8, "u_dense": 8 * 2}[how]  # of a matrix: entries
    assert relax(*given, dist, frontier, unsettled) == (4, 3, read, 4, 8)
    assert relax(*given, dist, frontier, unsettled) == (4, 0, read, 0, 0)


def test_block_edges_are_those_between_blocks_of_vertices_unless_they_are_many():
    path = chain(1_000)
    into, from_ = _core.compound_frontier_block_edges(*arrays(path.reversed())[:2])
    assert list(zip(into.tolist(), from_.tolist(), strict=True)) == [
        (at, before) for at in range(16) for before in (at - 1, at) if before >= 0
    ]
    rng = np.random.default_rng(0)
    far = Graph.from_edges(rng.integers(0, 4_000, 4_000), rng.integers(0, 4_000, 4_000), n=4_000)
    assert len(_core.compound_frontier_block_edges(*arrays(far.reversed())[:2])[0]) == 0


def chain(size):
    return Graph.from_edges(np.arange(size - 1), np.arange(1, size), n=size)


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


def test_refusal_looks_for_wanted_vertices_alone():
    third = MAX // 3 + 1
    heavy = rows(5, [(0, 1, third), (1, 2, third), (2, 3, third)], weight_type=np.int64)
    found = np.array([0, third, 2 * third, MAX, MAX])
    _core.refuse_overflow(*heavy, found, np.array([0, 2, 4]))
    with pytest.raises(OverflowError, match="64 bits"):
        _core.refuse_overflow(*heavy, found, np.array([2, 3]))
