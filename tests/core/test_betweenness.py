"""Betweenness: counting sweeps and Brandes' algorithm, compared with all paths of small graphs."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

import warpath as wp
from warpath import _core

TYPES = ("int32", "int64", "float32", "float64")


def ties(seed, *, most=7):
    """A graph full of ties with parallel edges and self-loops, and its rows without them."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, most))
    m = int(rng.integers(0, 3 * n))
    src, dst = rng.integers(0, n, (2, m))
    weights = rng.integers(1, rng.integers(2, 5), m)
    return n, list(zip(src.tolist(), dst.tolist(), weights.tolist(), strict=True))


def plain(n, edges, dtype):
    """The lightest of parallel edges, no self-loops, as a graph."""
    lightest = {}
    for u, v, w in edges:
        if u != v:
            lightest[u, v] = min(w, lightest.get((u, v), w))
    kept = [(u, v, w) for (u, v), w in sorted(lightest.items())]
    return wp.Graph.of(kept, n=n).astype(dtype) if kept else wp.Graph.of([], n=n).astype(dtype)


def simple_paths(graph, source, target):
    """Yield the length, the vertices and the edges of each simple path."""
    src, dst, weights = (part.tolist() for part in graph.edges())
    edges = list(zip(range(graph.m), src, dst, map(Fraction, weights), strict=True))
    waiting = [(Fraction(0), [source], [])]
    while waiting:
        length, path, used = waiting.pop()
        if path[-1] == target:
            yield length, path, used
            continue
        for e, u, v, w in edges:
            if u == path[-1] and v not in path:
                waiting.append((length + w, [*path, v], [*used, e]))


def enumerated(graph, sources, targets, *, endpoints, cutoff=np.inf, metres=None):
    """The shares by the definition: of all simple paths of each pair, the shortest ones.

    The least of their metres is what the cutoff limits, if there are some.
    """
    vertices, edges = [Fraction(0)] * graph.n, [Fraction(0)] * graph.m
    for source, target in itertools.product(sources, targets):
        paths = [] if source == target else list(simple_paths(graph, source, target))
        shortest = [way for way in paths if way[0] == min(paths)[0]]
        measure = [way[0] if metres is None else sum(metres[e] for e in way[2]) for way in shortest]
        shortest = shortest if measure and min(measure) <= cutoff else []
        for _, path, used in shortest:
            for v in path if endpoints else path[1:-1]:
                vertices[v] += Fraction(1, len(shortest))
            for e in used:
                edges[e] += Fraction(1, len(shortest))
    return [float(x) for x in vertices], [float(x) for x in edges]


def searched(
    graph, sources, targets, *, endpoints=False, threads=1, equal=False, cutoffs=(), metres=None
):
    weights = graph._solver_weights
    weights = weights.astype(np.int64) if weights.dtype.kind == "i" else weights
    rows = graph.indptr, graph.indices, weights[:0] if equal else weights
    limits, measured = np.array(cutoffs, graph.dist_dtype), {}
    if metres is not None:
        measured = {"lengths": metres.astype(float), "radii": limits.astype(float)}
        limits[:] = np.iinfo(np.int64).max - 1 if limits.dtype.kind == "i" else np.inf
    how = {"threads": threads} | measured
    return _core.betweenness(*rows, sources, targets, endpoints, limits, **how)


def swept(graph, sources, targets, *, endpoints=False, threads=1, bits=512):
    hierarchy = _core.eliminate(graph.indptr, graph.indices).customize(graph._solver_weights)
    rows = graph.indptr, graph.indices, graph._solver_weights.astype(np.int64)
    counts = _core.path_counts(hierarchy, *rows)
    sums = counts.sums(sources, targets, endpoints, threads=threads, bits=bits)
    return counts.hand_down(*rows, sums)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("endpoints", [False, True])
def test_shares_are_those_of_all_shortest_paths_enumerated(dtype, endpoints):
    methods = (searched, swept) if dtype[0] == "i" else (searched,)
    for seed in range(120):
        graph = plain(*ties(seed), dtype)
        rng = np.random.default_rng(seed)
        sources = rng.permutation(graph.n)[: rng.integers(1, graph.n + 1)]
        targets = rng.permutation(graph.n)[: rng.integers(1, graph.n + 1)]
        right = enumerated(graph, sources.tolist(), targets.tolist(), endpoints=endpoints)
        for method in methods:
            for found, expected in zip(
                method(graph, sources, targets, endpoints=endpoints), right, strict=True
            ):
                assert np.allclose(found, expected, rtol=1e-12, atol=0), (seed, method)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("equal", [False, True])
def test_shares_within_cutoffs_are_those_of_the_paths_that_are_no_longer(dtype, equal):
    for seed in range(60):
        graph = plain(*ties(seed), dtype)
        if equal:
            graph = graph.with_weights(None)
        rng = np.random.default_rng(seed)
        sources = rng.permutation(graph.n)[: rng.integers(1, graph.n + 1)]
        targets = rng.permutation(graph.n)[: rng.integers(1, graph.n + 1)]
        cutoffs, ends = [0, 2, 3, 9], bool(seed % 2)
        how = {"endpoints": ends, "equal": equal, "cutoffs": cutoffs}
        one = searched(graph, sources, targets, **how)
        assert all(
            np.array_equal(part, other)
            for threads in (2, 3)
            for part, other in zip(
                one, searched(graph, sources, targets, threads=threads, **how), strict=True
            )
        )
        for at, cutoff in enumerate(cutoffs):
            right = enumerated(
                graph, sources.tolist(), targets.tolist(), endpoints=ends, cutoff=cutoff
            )
            for found, expected in zip(one, right, strict=True):
                assert np.allclose(found.reshape(4, -1)[at], expected, rtol=1e-12, atol=0), seed


@pytest.mark.parametrize("dtype", TYPES)
def test_radii_limit_the_least_metres_along_the_shortest_paths(dtype):
    for seed in range(120):
        graph = plain(*ties(seed), dtype)
        if not graph.m:
            continue
        rng = np.random.default_rng(seed)
        sources = rng.permutation(graph.n)[: rng.integers(1, graph.n + 1)]
        targets = rng.permutation(graph.n)[: rng.integers(1, graph.n + 1)]
        metres, radii, ends = rng.integers(0, 5, graph.m), [0, 2, 3, 9], bool(seed % 2)
        how = {"endpoints": ends, "cutoffs": radii, "metres": metres}
        one = searched(graph, sources, targets, **how)
        for threads in (2, 3):
            again = searched(graph, sources, targets, threads=threads, **how)
            assert all(map(np.array_equal, one, again))
        for at, radius in enumerate(radii):
            given = {"endpoints": ends, "cutoff": radius, "metres": metres.tolist()}
            right = enumerated(graph, sources.tolist(), targets.tolist(), **given)
            for found, expected in zip(one, right, strict=True):
                assert np.allclose(found.reshape(4, -1)[at], expected, rtol=1e-12, atol=0), seed


def test_a_search_for_radii_forgets_the_vertices_it_did_not_settle():
    """Those of one search must not look reached by the next one."""
    grid = wp.generate.grid(12, 12, weights=(1, 3))
    metres, every = np.random.default_rng(1).integers(1, 9, grid.m), np.arange(grid.n)
    whole = searched(grid, every, every, cutoffs=[10], metres=metres)
    parts = [searched(grid, every[v : v + 1], every, cutoffs=[10], metres=metres) for v in every]
    for sums, of_parts in zip(whole, zip(*parts, strict=True), strict=True):
        assert np.allclose(sums, np.sum(of_parts, axis=0), rtol=1e-12, atol=0)


def test_shares_of_equal_lengths_are_those_of_breadth_first_searches():
    for seed in range(120):
        graph = plain(*ties(seed), "int32").with_weights(None)
        every = np.arange(graph.n)
        right = enumerated(graph, every.tolist(), every.tolist(), endpoints=False)
        for found, expected in zip(searched(graph, every, every, equal=True), right, strict=True):
            assert np.allclose(found, expected, rtol=1e-12, atol=0), seed


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("dtype", ["int32", "int64", "float64"])
def test_any_number_of_threads_gives_the_same_bits(threads, dtype):
    road = wp.generate.road(900, weights=(1, 9)).astype(dtype)
    sources, every = np.arange(0, road.n, 2), np.arange(road.n)
    for method in (searched, swept) if dtype[0] == "i" else (searched,):
        one = method(road, sources, every, endpoints=True)
        several = method(road, sources, every, endpoints=True, threads=threads)
        for first, second in zip(one, several, strict=True):
            assert first.tobytes() == second.tobytes()


def test_any_width_of_registers_gives_the_same_bits():
    road = wp.generate.road(900, weights=(1, 9))
    every = np.arange(road.n)
    wide, narrow = (swept(road, every, every, bits=bits) for bits in (512, 128))
    assert wide[0].tobytes() == narrow[0].tobytes()
    assert wide[1].tobytes() == narrow[1].tobytes()


def test_sweeps_give_the_shares_of_searches_on_a_large_graph():
    grid = wp.generate.grid(30, 40, weights=(1, 3))
    every = np.arange(grid.n)
    for one, other in zip(
        searched(grid, every, every, endpoints=True),
        swept(grid, every, every, endpoints=True),
        strict=True,
    ):
        assert np.allclose(one, other, rtol=1e-11, atol=0)


def test_sweeps_count_paths_that_are_as_long_in_one_direction_alone():
    edges = [(0, 1, 1), (1, 3, 1), (0, 2, 1), (2, 3, 1), (3, 0, 2), (3, 1, 1), (1, 0, 1)]
    graph = wp.Graph.of(edges)
    every = np.arange(4)
    right = enumerated(graph, range(4), range(4), endpoints=False)
    for found, expected in zip(swept(graph, every, every), right, strict=True):
        assert np.allclose(found, expected, rtol=1e-14, atol=0)


def test_more_paths_than_floats_hold_are_refused_by_both():
    """A thousand diamonds in a row: twice as many paths behind each."""
    diamond = np.array([(0, 1), (0, 2), (1, 3), (2, 3)])
    edges = (3 * np.arange(1000)[:, None, None] + diamond).reshape(-1, 2)
    row = wp.Graph.of([(u, v, 1) for u, v in edges.tolist()])
    first, every = np.zeros(1, np.int64), np.arange(row.n)
    with pytest.raises(OverflowError, match="more than 1e300 shortest paths"):
        searched(row, first, every, equal=True)
    with pytest.raises(OverflowError, match="more than 1e300 shortest paths"):
        swept(row, first, every)


@pytest.mark.parametrize(
    ("first", "largest"), [(2**62, 2**63 - 2), (1e308, np.finfo(float).max)], ids=["int", "float"]
)
def test_the_longest_distance_is_the_largest_number_of_its_type(first, largest):
    every = np.arange(3)

    def row(second):
        return wp.Graph.of([(0, 1, first), (1, 2, second)])

    assert searched(row(largest - first), every[:1], every)[0].tolist() == [0, 1, 0]
    longer = row(largest - first + (1 if isinstance(first, int) else first))
    with pytest.raises(OverflowError, match="a distance does not fit its type"):
        searched(longer, every[:1], every)
    within = searched(longer, every[:1], every, endpoints=True, cutoffs=[first])
    assert within[0].tolist() == [1, 1, 0]


def test_a_length_that_is_lost_in_a_sum_is_returned_as_its_edge():
    graph = wp.Graph.of([(0, 1, 1e20), (1, 2, 1.0)])
    every = np.arange(3)
    assert searched(graph, every[:1], every) == 1


def test_trips_that_do_not_belong_to_the_sources_are_refused():
    graph = wp.Graph.of([(0, 1, 1), (1, 2, 1)])
    weights, ends = graph._solver_weights.astype(np.int64), np.array([1, 2])
    for first in ([0, 3], [0, 1], [1, 2], [0, 3, 2]):
        sources = np.arange(len(first) - 1)
        with pytest.raises(ValueError, match="first must ascend from 0 to the number of trips"):
            _core.betweenness(
                graph.indptr, graph.indices, weights, sources, ends,
                endpoints=False, cutoffs=weights[:0], first=np.array(first), trips=np.ones(2),
            )  # fmt: skip


def test_arguments_of_another_graph_are_refused():
    graph, other = wp.generate.road(100), wp.generate.road(120)
    hierarchy = _core.eliminate(other.indptr, other.indices).customize(other._solver_weights)
    rows = graph.indptr, graph.indices, graph._solver_weights.astype(np.int64)
    with pytest.raises(ValueError, match="the hierarchy has other vertices"):
        _core.path_counts(hierarchy, *rows)
    own = _core.eliminate(graph.indptr, graph.indices).customize(graph._solver_weights)
    counts = _core.path_counts(own, *rows)
    with pytest.raises(ValueError, match="sums has 100 entries"):
        counts.hand_down(*rows, np.zeros(graph.n))
