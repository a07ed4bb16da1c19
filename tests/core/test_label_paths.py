"""Routes and loads by labels, against routes and numbers of paths without them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import warpath as wp
from warpath import _core
from warpath.engines import customizable, labels

TYPES = ("int32", "int64", "float32", "float64")


def graph_full_of_ties(seed: int, dtype: str) -> wp.Graph:
    """Return a random graph, directed or not, with parallel edges, self-loops and few weights."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 10))
    m = int(rng.integers(0, 3 * n + 1))
    src, dst = rng.integers(0, n, (2, m))
    weights = rng.integers(1, 4, m).astype(dtype)
    return wp.Graph.from_edges(src, dst, weights, n=n, directed=bool(seed % 2))


def arcs_of(graph: wp.Graph, threads: int = 1):
    labels.labels_of(graph, threads)
    return labels.arcs_of(graph, threads)


def simple_rows(graph: wp.Graph):
    """Return the rows of the lightest edges, without self-loops, and their numbers."""
    src, dst, weights = graph.edges()
    best: dict[tuple[int, int], int] = {}
    for edge, (u, v, w) in enumerate(zip(src.tolist(), dst.tolist(), weights, strict=True)):
        if u != v and ((u, v) not in best or w < weights[best[u, v]]):
            best[u, v] = edge
    kept = np.array(sorted(best.values()), np.int64)
    indptr = np.searchsorted(src[kept], np.arange(graph.n + 1)).astype(np.int64)
    lengths = weights[kept] if weights.dtype.kind == "f" else weights[kept].astype(np.int64)
    return (indptr, dst[kept].astype(np.int32), lengths), kept


@pytest.mark.parametrize("dtype", TYPES)
def test_routes_are_the_canonical_ones(dtype):
    for seed in range(60):
        graph = graph_full_of_ties(seed, dtype)
        s, t = (ends.ravel() for ends in np.indices((graph.n, graph.n)))
        for threads in (1, 2, 3):
            vertices, counts = arcs_of(graph).routes(s, t, threads=threads)
            routes = np.split(vertices, np.cumsum(counts)[:-1])
            for source, target, route in zip(s.tolist(), t.tolist(), routes, strict=True):
                try:
                    expected = wp.path(graph, source, target).indices.tolist()
                except wp.NoPathError:
                    expected = []
                assert route.tolist() == expected, (seed, source, target)
        dist = wp.apsp(wp.Graph(graph.indptr, graph.indices, graph.weights)).dist
        for source, target, route in zip(s.tolist(), t.tolist(), routes, strict=True):
            vertices, length = arcs_of(graph).route(source, target)
            assert vertices.tolist() == route.tolist()
            assert length == dist[source, target]


@pytest.mark.parametrize("dtype", TYPES)
def test_split_loads_are_the_shares_of_shortest_paths(dtype):
    for seed in range(30):
        graph = graph_full_of_ties(seed, dtype)
        rows, kept = simple_rows(graph)
        s, t = (ends.ravel() for ends in np.indices((graph.n, graph.n)))
        trips = np.random.default_rng(seed).integers(0, 9, len(s)).astype(np.float64)
        dist = wp.apsp(graph).dist.tolist()
        counts = [wp.count_shortest_paths(graph, v) for v in range(graph.n)]
        src, dst, weights = (array[kept] for array in graph.edges())
        expected = []
        for u, v, w in zip(src.tolist(), dst.tolist(), weights.tolist(), strict=True):
            share = Fraction(0)
            for source, target, number in zip(s.tolist(), t.tolist(), trips, strict=True):
                tight = dist[source][u] + w + dist[v][target] == dist[source][target]
                if source != target and counts[source][target] and tight:
                    paths = counts[source][u] * counts[v][target]
                    share += Fraction(paths, counts[source][target]) * int(number)
            expected.append(float(share))
        found = [
            arcs_of(graph).loads(*rows, s, t, trips, split=True, threads=threads)
            for threads in (1, 2, 3)
        ]
        assert found[0] == pytest.approx(np.array(expected), rel=1e-12, abs=1e-12)
        assert found[0].tobytes() == found[1].tobytes() == found[2].tobytes()


@pytest.mark.parametrize("dtype", TYPES)
def test_whole_loads_are_the_sums_of_routes(dtype):
    for seed in range(40):
        graph = graph_full_of_ties(seed, dtype)
        rows, kept = simple_rows(graph)
        s, t = (ends.ravel() for ends in np.indices((graph.n, graph.n)))
        trips = np.random.default_rng(seed).integers(0, 9, len(s)).astype(np.float64)
        src, dst, _ = (array[kept] for array in graph.edges())
        number_of = {ends: i for i, ends in enumerate(zip(src.tolist(), dst.tolist(), strict=True))}
        expected = np.zeros(len(kept))
        vertices, counts = arcs_of(graph).routes(s, t)
        for route, number in zip(np.split(vertices, np.cumsum(counts)[:-1]), trips, strict=True):
            for step in zip(route[:-1].tolist(), route[1:].tolist(), strict=True):
                expected[number_of[step]] += number
        for threads in (1, 2, 3):
            found = arcs_of(graph).loads(*rows, s, t, trips, split=False, threads=threads)
            assert found.tolist() == expected.tolist(), seed


def test_many_blocks_of_trips_give_the_same_bits_with_any_number_of_threads():
    graph = wp.generate.road(2000)
    rows, _ = simple_rows(graph)
    rng = np.random.default_rng(0)
    s, t = rng.integers(0, graph.n, (2, 20_000))
    trips = rng.random(20_000)
    for split in (False, True):
        one, two, three = (
            arcs_of(graph).loads(*rows, s, t, trips, split=split, threads=threads).tobytes()
            for threads in (1, 2, 3)
        )
        assert one == two == three


def test_more_paths_than_can_be_multiplied_are_refused():
    squares = 2200  # each doubles the number of paths
    edges = [
        (3 * i + u, 3 * i + v, 1)
        for i in range(squares)
        for u, v in ((0, 1), (0, 2), (1, 3), (2, 3))
    ]
    graph = wp.Graph.of(edges)
    arcs = arcs_of(graph)
    ends = np.array([0]), np.array([graph.n - 1])
    route = arcs.routes(*ends)[0]
    assert route.tolist() == wp.path(graph, 0, graph.n - 1).indices.tolist()
    with pytest.raises(OverflowError, match="1e300"):
        arcs.loads(*simple_rows(graph)[0], *ends, np.ones(1), split=True)


def test_wrong_arguments_are_refused():
    graph, other = wp.generate.road(50), wp.generate.road(60)
    found, hierarchy = labels.labels_of(graph, 1), customizable.hierarchy_of(other, 1)
    rows = graph.indptr, graph.indices, graph._solver_weights.astype(np.int64)
    with pytest.raises(ValueError, match="those of the hierarchy"):
        _core.labelled_arcs(found, hierarchy, *rows)
    with pytest.raises(ValueError, match="above 0"):
        _core.labelled_arcs(found, customizable.hierarchy_of(graph, 1), *rows[:2], 0 * rows[2])
    arcs = _core.labelled_arcs(found, customizable.hierarchy_of(graph, 1), *rows[:2], rows[2] + 1)
    assert arcs.routes(np.zeros(1, np.int64), np.full(1, 49))[1].tolist() == [0]
    arcs = arcs_of(graph)
    zero = np.zeros(1, np.int64)
    with pytest.raises(ValueError, match="vert"):
        arcs.routes(zero, zero + 50)
    for ends in ((0, 50), (-1, 0)):
        with pytest.raises(ValueError, match="vert"):
            arcs.route(*ends)
    with pytest.raises(ValueError, match="trips"):
        arcs.loads(*rows, zero, zero, np.ones(2), split=False)
    with pytest.raises(ValueError, match="another graph"):
        arcs.loads(*simple_rows(other)[0], zero, zero, np.ones(1), split=False)
