"""Bounded multi-source shortest paths in the core: the bits and the counts of the paper's words."""

from __future__ import annotations

import signal
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import warpath as wp
from support import bmssp, corpus, reference, strategies
from support.compare import assert_same_bits
from support.reference import rows
from warpath import _core

NAME = "duan2025.bmssp"
TYPES = [np.int32, np.int64, np.float32, np.float64]
SIZES = [(0, 0), (1, 1), (1, 3), (2, 1), (2, 2), (3, 0), (0, 2), (5, 6)]
COUNTS = ("comparisons", "additions", "pulls", "pivots", "improved")
SOLVED = [
    case.astype(dtype)
    for case in corpus.all()
    if not case.overflows and not case.has_cycle and case.graph().n <= 300
    if not case.graph().facts(symmetry=False).negative
    for dtype in case.dtypes
]


def random_rows(seed, weight_type, largest=40):
    """Ties, zero weights, parallel edges, loops, and vertices that are not reached."""
    random = np.random.default_rng(seed)
    n = int(random.integers(1, largest))
    m = int(random.integers(0, 5 * n))
    weights = random.integers(0, random.choice([1, 2, 4, 1000]) + 1, m)
    if np.dtype(weight_type).kind == "f":
        weights = weights * random.choice([1.0, 0.1, 1e-3])
    ends = random.integers(0, n, (2, m))
    edges = list(zip(*ends, weights, strict=True))
    return n, rows(n, edges, weight_type=weight_type)


def distances_of(graph):
    kind = graph[2].dtype
    return np.empty(len(graph[0]) - 1, kind if kind.kind == "f" else np.int64)


def dijkstra(graph, source, cutoff=None):
    dist = distances_of(graph)
    every = np.empty(0, np.int64)
    _core.dijkstra(*graph, source=source, dist=dist, queue="heap", targets=every, cutoff=cutoff)
    return dist


def counted(graph, source, k=0, t=0, *, constant_degree=False, cutoff=None, progress=None):
    dist = distances_of(graph)
    counts = _core.bmssp(
        *graph,
        source,
        dist,
        k,
        t,
        constant_degree=constant_degree,
        cutoff=cutoff,
        progress=progress,
    )
    return dist, counts


def bound(graph, source, k=0, t=0, *, constant_degree=False, cutoff=None):
    search = _core.bmssp_search(*graph, k, t, constant_degree=constant_degree, cutoff=cutoff)
    return search(source)[0]


@pytest.mark.parametrize("weight_type", TYPES)
def test_ties_and_loops_and_parallel_edges_give_the_bits_of_dijkstra(weight_type):
    for seed in range(60):
        n, graph = random_rows(seed, weight_type)
        source, (k, t) = seed % n, SIZES[seed % len(SIZES)]
        expected = dijkstra(graph, source).tobytes()
        for degree in (False, True):
            assert counted(graph, source, k, t, constant_degree=degree)[0].tobytes() == expected
            assert bound(graph, source, k, t, constant_degree=degree).tobytes() == expected


@pytest.mark.parametrize("weight_type", TYPES)
def test_counts_are_those_of_the_algorithm_in_plain_python(weight_type):
    for seed in range(24):
        n, graph = random_rows(seed, weight_type, 40 if seed % 8 else 600)
        source, (k, t) = seed % n, SIZES[seed % len(SIZES)]
        dist, counts = counted(graph, source, k, t)
        search = bmssp.Search(graph, source, k, t)
        assert {name: counts[name] for name in COUNTS} == {n: bmssp.COUNTS[n] for n in COUNTS}
        assert counts["settled"] == len(search.settled) == len(set(search.settled))
        assert {v: dist[v] for v in search.settled} == {
            v: label.length for v, label in search.labels.items()
        }


def test_counts_of_dijkstra_are_those_of_a_heap_in_plain_python():
    for seed in range(20):
        n, graph = random_rows(seed, np.int32, 80)
        every = np.empty(0, np.int64)
        dist = distances_of(graph)
        counts = _core.dijkstra(*graph, seed % n, dist, "heap", every, counted=True)
        bmssp.dijkstra(graph, seed % n)
        assert all(counts[name] == bmssp.COUNTS[name] for name in COUNTS[:2])


def test_a_selection_among_sorted_and_equal_lengths_stays_linear():
    """Where the median of three is bad, as in organ pipes, the next one is that of medians."""
    n = 600
    half = np.arange(n // 2)
    weights = np.concatenate([half, half[::-1]])
    graph = rows(n + 1, [(0, v + 1, int(w)) for v, w in enumerate(weights)], np.int32, np.int32)
    dist, counts = counted(graph, 0, k=1, t=5)
    assert dist.tolist() == [0, *weights.tolist()]
    bmssp.Search(graph, 0, 1, 5)
    assert counts["comparisons"] == bmssp.COUNTS["comparisons"] < 100 * n


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_smallest_graphs_are_solved(n):
    graph = rows(n, [(u, u + 1, 0) for u in range(n - 1)], np.int32, np.int32)
    for degree in (False, True):
        assert bound(graph, 0, constant_degree=degree).tolist() == [0] * n
        assert counted(graph, n - 1, constant_degree=degree)[0].tolist() == [2**63 - 1] * (
            n - 1
        ) + [0]


def test_a_shorter_path_of_more_edges_that_rounds_to_the_same_sum_is_followed():
    """0 -> 4 -> 1 is shorter than 0 -> 1; to 2 both are 2 long, and the latter has fewer edges.

    Vertex 2 gets its label by way of the longer path first. In the order by all hops it keeps that
    label, so that no path of the final labels leads to it, and vertex 3 is lost.
    """
    edges = [(0, 1, 2.0**-25), (0, 4, 0), (4, 1, 0), (1, 2, 2), (2, 3, 1)]
    graph = rows(5, edges, np.int32, np.float32)
    assert bound(graph, 0, 3, 3).tolist() == [0, 0, 2, 3, 0]


@pytest.mark.parametrize("params", [{}, {"constant_degree": 1}, {"k": 1, "t": 1}], ids=str)
@pytest.mark.parametrize("case", SOLVED, ids=str)
def test_the_corpus_has_the_bits_of_dijkstra_and_the_one_tree(case, params):
    graph = case.graph()
    for source in case.sources:
        name = graph.label_of(np.array([source]))[0]
        paths = wp.sssp(graph, name, algorithm=NAME, params=params)
        expected = reference.dijkstra(graph, source)
        assert_same_bits(paths.dist, expected, graph)
        assert np.array_equal(paths.pred, reference.rule2_tree(graph, source, expected))


@given(strategies.graphs(), st.integers(0, 4), st.integers(0, 4), st.booleans(), st.data())
@settings(deadline=None)
def test_any_graph_is_solved_with_any_sizes(graph, k, t, constant_degree, data):
    source = data.draw(st.integers(0, graph.n - 1))
    given_sizes = {"k": k, "t": t, "constant_degree": int(constant_degree)}
    params = {name: value for name, value in given_sizes.items() if value}
    if graph.facts(symmetry=False).negative:
        return
    try:
        expected = reference.dijkstra(graph, source)
    except wp.DistanceOverflowError:
        with pytest.raises(wp.DistanceOverflowError):
            wp.sssp(graph, source, algorithm=NAME, params=params)
        return
    assert_same_bits(wp.sssp(graph, source, algorithm=NAME, params=params).dist, expected, graph)


def test_a_cutoff_leaves_out_what_is_farther():
    for seed in range(40):
        n, graph = random_rows(seed, np.int32)
        for cutoff in (0, 1, 3, 100):
            expected = dijkstra(graph, seed % n, cutoff).tobytes()
            for degree in (False, True):
                assert (
                    bound(graph, seed % n, constant_degree=degree, cutoff=cutoff).tobytes()
                    == expected
                )


@pytest.mark.parametrize("constant_degree", [False, True])
def test_a_distance_beyond_64_bits_is_refused_and_one_on_no_path_is_not(constant_degree):
    far = 2**62
    lost = rows(4, [(0, 1, far), (1, 2, far), (2, 3, far)], np.int32, np.int64)
    with pytest.raises(OverflowError, match="a distance does not fit 64 bits"):
        counted(lost, 0, constant_degree=constant_degree)
    assert _core.bmssp_search(*lost, 0, 0, constant_degree=constant_degree)(0) is None
    spared = rows(3, [(0, 1, far), (1, 2, far), (0, 2, 5)], np.int32, np.int64)
    assert counted(spared, 0, constant_degree=constant_degree)[0].tolist() == [0, far, 5]


def test_the_graph_of_constant_degree_takes_more_work_for_the_same_distances():
    graph = wp.generate.uniform(500, 6, (0, 3), seed=1)
    plain = wp.sssp(graph, 0, algorithm=NAME, trace=True)
    cycles = wp.sssp(graph, 0, algorithm=NAME, params={"constant_degree": 1}, trace=True)
    assert np.array_equal(plain.dist, cycles.dist)
    assert cycles.stats["settled"] > 4 * plain.stats["settled"]


def test_a_trace_counts_comparisons_next_to_those_of_dijkstra():
    graph = wp.generate.road(2000, seed=1)
    trace = wp.sssp(graph, 0, algorithm=NAME, trace=True).trace
    counts = trace.totals().counts
    assert set(counts) == {"comparisons", "additions", "pulls", "pivots"}
    assert trace[0].counts == counts
    assert f"{counts['pivots']:,} pivots" in repr(trace)
    dijkstra = wp.sssp(graph, 0, algorithm="classic.dijkstra", trace=True).trace.totals()
    assert set(dijkstra.counts) == {"comparisons", "additions"}
    assert dijkstra.counts["additions"] == dijkstra.relaxed
    assert dijkstra.counts["comparisons"] > dijkstra.relaxed
    radix = wp.sssp(graph, 0, algorithm="classic.dijkstra.radix_heap", trace=True).trace.totals()
    assert radix.counts == {}


def slow_graph():
    """With k above the number of vertices, every round lowers most labels: n^3 / 6 relaxations."""
    n = 1500
    src, dst = np.triu_indices(n, 1)
    order = np.lexsort((-dst, src))
    starts = np.searchsorted(src[order], np.arange(n + 1)).astype(np.int64)
    return starts, dst[order].astype(np.int32), (2 * (dst - src) - 1)[order].astype(np.int32)


def test_progress_is_told_out_of_all_vertices_and_an_error_in_it_ends_the_search():
    def stop(done, total):
        assert 0 <= done <= total == 1500
        message = "enough"
        raise KeyError(message)

    with pytest.raises(KeyError, match="enough"):
        counted(slow_graph(), 0, k=4096, progress=stop)


@pytest.mark.parametrize("search", [counted, bound])
def test_an_interrupt_ends_a_long_search(search):
    timer = threading.Timer(0.2, signal.raise_signal, (signal.SIGINT,))
    graph = slow_graph()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        search(graph, 0, k=4096)
    timer.join()


@pytest.mark.parametrize(("k", "t"), [(-1, 0), (4097, 0), (0, -1), (0, 33)])
def test_sizes_out_of_range_are_refused(k, t):
    graph = rows(2, [(0, 1, 1)], np.int32, np.int32)
    with pytest.raises(ValueError, match=r"must lie in 0 \.\. "):
        bound(graph, 0, k, t)


def test_auto_never_takes_it():
    assert not wp.algorithms()[NAME].planned
