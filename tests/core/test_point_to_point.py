from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from support.reference import rows
from warpath import _core

TYPES = [(v, w) for v in (np.int32, np.int64) for w in (np.int32, np.int64, np.float32, np.float64)]
MAX = np.iinfo(np.int64).max
BOTH = pytest.mark.parametrize("bidirectional", [False, True])


def random_rows(seed, index_type, weight_type):
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 40))
    m = int(random.integers(0, 5 * n))
    heaviest = int(random.choice([0, 1, 2, 50, 1000]))
    weights = random.integers(0, heaviest + 1, m)
    edges = zip(random.integers(0, n, m), random.integers(0, n, m), weights, strict=True)
    if np.dtype(weight_type).kind == "f" and seed % 2:
        edges = (
            (u, v, w * 0.1 if w < heaviest else 1e17) for u, v, w in edges
        )  # some weights vanish in rounding
    return n, rows(n, list(edges), index_type, weight_type)


def whole(graph, source):
    """Distances and the tree of a whole solve."""
    dtype = np.int64 if graph[2].dtype.kind == "i" else graph[2].dtype
    dist = np.empty(len(graph[0]) - 1, dtype)
    _core.dijkstra(*graph, source=source, dist=dist, queue="heap", targets=np.empty(0, np.int64))
    no_rows = [each[:0] for each in graph]  # of the edges in
    pred = _core.trees(*graph, *no_rows, ascending=False, negative=False)(source, dist)
    return dist, pred


def route_in(pred, source, target):
    if source != target and pred[target] < 0:
        return []
    route = [target]
    while route[-1] != source:
        route.append(int(pred[route[-1]]))
    return route[::-1]


def path(graph, source, target, *, bidirectional):
    back = tuple(np.empty_like(array) for array in graph)
    _core.transpose(*graph, *back)
    vertices, length, counters = _core.path(*graph, *back, source, target, bidirectional)
    assert vertices.dtype == np.int64
    assert set(counters) == {"settled", "relaxed", "improved"}
    return vertices.tolist(), length


def summed(graph, route):
    """Sum the lightest edges of a route from its start, in the labels' own type."""
    indptr, indices, weights = graph
    total = weights.dtype.type(0)
    for u, v in pairwise(route):
        row = slice(indptr[u], indptr[u + 1])
        total = total + weights[row][indices[row] == v].min()
    return total


# Bidirectional search on floats is left to the next test: its two halves round differently.
@pytest.mark.parametrize(
    ("index_type", "weight_type", "bidirectional"),
    [(*types, False) for types in TYPES]
    + [(np.int32, weight, True) for weight in (np.int32, np.int64)],
)
def test_path_is_the_route_of_the_tree(index_type, weight_type, bidirectional):
    for seed in range(250):
        n, graph = random_rows(seed, index_type, weight_type)
        source = seed % n
        dist, pred = whole(graph, source)
        for target in range(0, n, 1 + n // 8):
            route, length = path(graph, source, target, bidirectional=bidirectional)
            assert route == route_in(pred, source, target)
            assert length == dist[target]


@pytest.mark.parametrize("weight_type", [np.float32, np.float64])
def test_bidirectional_float_path_is_as_short_within_rounding_and_sums_from_the_source(weight_type):
    eps = np.finfo(weight_type).eps
    for seed in range(250):
        n, graph = random_rows(seed, np.int32, weight_type)
        dist, _ = whole(graph, seed % n)
        for target in range(0, n, 1 + n // 8):
            route, length = path(graph, seed % n, target, bidirectional=True)
            if dist[target] == np.inf:
                assert (route, length) == ([], np.inf)
                continue
            assert route[0] == seed % n
            assert route[-1] == target
            assert len(set(route)) == len(route)
            assert length == summed(graph, route)
            assert dist[target] <= length <= dist[target] * (1 + n * eps)


@BOTH
def test_path_to_the_source_is_one_vertex_of_length_zero(bidirectional):
    graph = rows(2, [(0, 0, 0), (0, 1, 0), (1, 0, 0)])
    assert path(graph, 0, 0, bidirectional=bidirectional) == ([0], 0)


@BOTH
def test_path_to_an_unreachable_target_is_empty(bidirectional):
    graph = rows(3, [(0, 1, 2), (2, 1, 2)])
    assert path(graph, 0, 2, bidirectional=bidirectional) == ([], MAX)


@BOTH
def test_path_whose_length_leaves_int64_raises_overflow_error(bidirectional):
    half = MAX // 2 + 1
    for chain in ([half, half], [half, 1, half], [MAX - 1, 1], [1, MAX - 1]):
        edges = [(v, v + 1, w) for v, w in enumerate(chain)]
        graph = rows(len(chain) + 1, edges, weight_type=np.int64)
        with pytest.raises(OverflowError, match="64 bits"):
            path(graph, 0, len(chain), bidirectional=bidirectional)


@BOTH
def test_overflow_elsewhere_does_not_matter_to_a_target_that_no_path_reaches(bidirectional):
    half = MAX // 2 + 1
    graph = rows(4, [(0, 1, half), (1, 2, half)], weight_type=np.int64)
    assert path(graph, 0, 3, bidirectional=bidirectional) == ([], MAX)


def test_halves_that_meet_beyond_int64_before_either_overflows_raise_overflow_error():
    half = MAX // 2 + 1
    graph = rows(4, [(0, 1, half), (0, 3, half), (1, 2, half)], weight_type=np.int64)
    with pytest.raises(OverflowError, match="64 bits"):
        path(graph, 0, 2, bidirectional=True)


@BOTH
def test_path_that_just_fits_int64_is_found_beside_one_that_does_not(bidirectional):
    graph = rows(4, [(0, 1, MAX - 1), (1, 3, 9), (0, 2, MAX - 4), (2, 3, 3)], weight_type=np.int64)
    assert path(graph, 0, 3, bidirectional=bidirectional) == ([0, 2, 3], MAX - 1)


@BOTH
def test_path_crosses_a_plateau_without_length_by_the_fewest_edges(bidirectional):
    chain = [(0, 1, 7), (1, 2, 0), (2, 3, 0), (3, 4, 0), (1, 5, 0), (5, 4, 0), (4, 1, 0), (4, 6, 3)]
    assert path(rows(7, chain), 0, 6, bidirectional=bidirectional) == ([0, 1, 5, 4, 6], 10)


def test_bidirectional_search_of_a_graph_with_64_bit_indices_is_refused():
    _, graph = random_rows(1, np.int64, np.int32)
    with pytest.raises(ValueError, match="indices must have 32 bits"):
        path(graph, 0, 0, bidirectional=True)


def test_bidirectional_search_settles_less_than_the_whole_graph():
    side = 200
    vertex = np.arange(side * side).reshape(side, side)
    pairs = np.concatenate(
        [
            np.stack([vertex[:, :-1].ravel(), vertex[:, 1:].ravel()], 1),
            np.stack([vertex[:-1].ravel(), vertex[1:].ravel()], 1),
        ]
    )
    weights = np.random.default_rng(5).integers(1, 100, len(pairs))
    edges = [(u, v, w) for (u, v), w in zip(pairs, weights, strict=True)]
    graph = rows(side * side, edges + [(v, u, w) for u, v, w in edges])
    back = tuple(np.empty_like(array) for array in graph)
    _core.transpose(*graph, *back)
    source, target = 20_050, 20_150
    dist, pred = whole(graph, source)
    vertices, length, counters = _core.path(*graph, *back, source, target, bidirectional=True)
    assert vertices.tolist() == route_in(pred, source, target)
    assert length == dist[target]
    assert counters["settled"] < side * side // 2
