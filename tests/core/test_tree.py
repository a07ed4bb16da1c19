from __future__ import annotations

import itertools

import numpy as np
import pytest

import warpath as wp
from support.reference import rows
from warpath import _core

TYPES = [(v, w) for v in (np.int32, np.int64) for w in (np.int32, np.int64, np.float32, np.float64)]
MAX = np.iinfo(np.int64).max


def label_type(weights):
    return np.dtype(np.int64) if weights.dtype.kind == "i" else weights.dtype


def random_rows(seed, index_type, weight_type, lowest=0):
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 20))
    m = int(random.integers(0, 5 * n))
    heaviest = int(random.choice([0, 1, 2, 50]))
    weights = random.integers(lowest, heaviest + 1, m)
    edges = list(zip(random.integers(0, n, m), random.integers(0, n, m), weights, strict=True))
    if np.dtype(weight_type).kind == "f" and seed % 2:
        edges = [
            (u, v, w * 0.1 if w < heaviest else 1e17) for u, v, w in edges
        ]  # some weights vanish in rounding
    return n, rows(n, edges, index_type, weight_type)


def distances(graph, source):
    dist = np.empty(len(graph[0]) - 1, label_type(graph[2]))
    _core.dijkstra(*graph, source=source, dist=dist, queue="heap", targets=np.empty(0, np.int64))
    return dist


def tight_edges(graph, dist):
    indptr, indices, weights = graph
    limit = MAX if dist.dtype.kind == "i" else np.inf
    for u in range(len(dist)):
        if dist[u] == limit:
            continue
        for e in range(indptr[u], indptr[u + 1]):
            if dist[u] + dist.dtype.type(weights[e]) == dist[indices[e]] != limit:
                yield u, int(indices[e])


def tree_by_the_rule(graph, dist, source, *, negative=False):
    """Rule 2 word by word."""
    tight = sorted(tight_edges(graph, dist))
    pred = [-1] * len(dist)
    if not negative:
        for u, v in tight:
            if dist[u] < dist[v] and pred[v] == -1:
                pred[v] = u
    level = {source} | {v for v in range(len(dist)) if pred[v] >= 0}
    while level:
        found = {}
        for u, v in tight:
            if u in level and pred[v] == -1 and v != source:
                found.setdefault(v, u)
        for v, u in found.items():
            pred[v] = u
        level = set(found)
    return pred


def no_rows(graph):
    return np.empty(0, np.int64), np.empty(0, graph[1].dtype), np.empty(0, graph[2].dtype)


def transposed(graph):
    indptr, indices, weights = graph
    src = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    edges = list(zip(indices, src, weights, strict=True))
    return rows(len(indptr) - 1, edges, indices.dtype, weights.dtype)


def backwards(graph):
    indptr, indices, weights = graph
    order = np.concatenate(
        [np.arange(a, b)[::-1] for a, b in itertools.pairwise(indptr)] or [np.arange(0)]
    )
    return indptr, indices[order], weights[order]


def trees(graph, source, dist, *, negative=False):
    """Return the trees that all ways to make one give: by edges out, or in, on some threads."""
    found = []
    into = transposed(graph)
    sorted_rows = is_ascending(into)
    for known in (no_rows(graph), into, backwards(into)):
        for ascending in {False, sorted_rows and known is into}:
            bound = _core.trees(*graph, *known, ascending, negative)
            for threads, assemble in ((1, False), (2, True), (5, False), (5, True)):
                pred = bound(source, dist, threads, assemble)
                assert pred.dtype == graph[1].dtype
                found.append(pred.tolist())
    return found


def is_ascending(graph):
    indptr, indices, _ = graph
    return all((np.diff(indices[a:b]) >= 0).all() for a, b in itertools.pairwise(indptr))


def tree(graph, source, dist, *, negative=False):
    found = trees(graph, source, dist, negative=negative)
    assert all(one == found[0] for one in found)
    return found[0]


@pytest.mark.parametrize(("index_type", "weight_type"), TYPES)
def test_tree_follows_the_rule_word_by_word(index_type, weight_type):
    for seed in range(100):
        n, graph = random_rows(seed, index_type, weight_type)
        source = seed % n
        dist = distances(graph, source)
        assert tree(graph, source, dist) == tree_by_the_rule(graph, dist, source)


@pytest.mark.parametrize(("index_type", "weight_type"), TYPES)
def test_tree_with_negative_weights_is_breadth_first_over_tight_edges(index_type, weight_type):
    for seed in range(300):
        n, (indptr, indices, weights) = random_rows(seed, index_type, weight_type)
        if weights.dtype.kind == "f":
            weights = np.rint(weights).clip(0, 50).astype(weight_type)
        source = seed % n
        p = np.random.default_rng(seed).integers(-9, 9, n)
        src = np.repeat(np.arange(n), np.diff(indptr))
        dist = distances((indptr, indices, weights), source)
        limit = MAX if dist.dtype.kind == "i" else np.inf
        dist = np.where(dist == limit, dist, dist + p[source] - p).astype(dist.dtype)
        graph = indptr, indices, (weights + p[src] - p[indices]).astype(weight_type)
        expected = tree_by_the_rule(graph, dist, source, negative=True)
        assert tree(graph, source, dist, negative=True) == expected


def test_equal_paths_go_through_the_smallest_vertex():
    graph = rows(5, [(0, 3, 1), (0, 2, 1), (3, 4, 1), (2, 4, 1), (0, 4, 2)])
    assert tree(graph, 0, distances(graph, 0)) == [-1, -1, 0, 0, 0]
    graph = rows(5, [(1, 3, 1), (1, 2, 1), (3, 4, 1), (2, 4, 1)])
    assert tree(graph, 1, distances(graph, 1)) == [-1, -1, 1, 1, 2]


def test_zero_weight_cycle_beside_the_source_is_not_a_cycle_of_the_tree():
    graph = rows(4, [(3, 0, 5), (0, 1, 0), (1, 0, 0), (1, 2, 0), (2, 1, 0)])
    assert tree(graph, 3, distances(graph, 3)) == [3, 0, 1, -1]


def test_long_chain_without_length_is_taken_level_by_level():
    n = 5000
    graph = rows(n, [(v + 1, v, 0) for v in range(n - 1)])
    assert tree(graph, n - 1, distances(graph, n - 1)) == [*range(1, n), -1]


def test_float_label_that_overflowed_to_infinity_has_no_predecessor():
    graph = rows(3, [(0, 1, 3e38), (1, 2, 3e38)], weight_type=np.float32)
    assert tree(graph, 0, distances(graph, 0)) == [-1, 0, -1]


def random_graph(seed, n, m, mirrored=False):
    random = np.random.default_rng(seed)
    src, dst = random.integers(0, n, m), random.integers(0, n, m)
    weights = random.integers(0, 5, m)
    src[: n // 8] = 0  # a long row
    if mirrored:
        src, dst, weights = np.r_[src, dst], np.r_[dst, src], np.r_[weights, weights]
    return rows(n, list(zip(src, dst, weights, strict=True)))


@pytest.mark.threads
@pytest.mark.parametrize("seed", range(4))
def test_larger_trees_follow_the_rule_on_every_number_of_threads(seed):
    graph = random_graph(seed, n=3000, m=3000 * (1 + 4 * (seed % 2)))
    dist = distances(graph, seed)
    assert tree(graph, seed, dist) == tree_by_the_rule(graph, dist, seed)


def test_float_sum_that_overflows_is_no_edge_to_an_unreached_vertex():
    graph = rows(3, [(0, 1, 3e38), (1, 2, 3e38), (1, 1, 3e38)], weight_type=np.float32)
    assert tree(graph, 0, distances(graph, 0)) == [-1, 0, -1]


def test_integer_sum_that_leaves_its_type_is_no_tight_edge():
    graph = rows(3, [(0, 1, MAX - 1), (1, 2, 1), (1, 0, MAX)], weight_type=np.int64)
    dist = np.array([0, MAX - 1, MAX])
    assert tree(graph, 0, dist) == [-1, 0, -1]


@pytest.mark.threads
@pytest.mark.parametrize(("index_type", "weight_type"), TYPES)
def test_order_of_rows_is_found_out(index_type, weight_type):
    for seed in range(60):
        graph = random_graph(seed, n=50, m=70 + 300 * (seed % 2), mirrored=seed % 3 > 0)
        indptr, indices, weights = graph[0], graph[1].astype(index_type), graph[2].copy()
        weights = weights.astype(weight_type)
        if seed % 3 == 2:
            weights[seed] += 1
        edges = list(zip(np.repeat(np.arange(50), np.diff(indptr)), indices, weights, strict=True))
        mirrored = sorted(edges) == sorted((v, u, w) for u, v, w in edges)
        for threads in (1, 3):
            found = _core.row_order(indptr, indices, weights, threads=threads)
            assert found[0] is mirrored
            if mirrored:
                assert found[1] is is_ascending((indptr, indices, weights))


def test_rows_of_ascending_vertices_are_known_as_such():
    for vertices, ascending in (((1, 2), True), ((2, 1), False)):
        edges = [(0, v, 1) for v in vertices] + [(v, 0, 1) for v in vertices]
        graph = rows(3, edges)
        graph[1][:2] = vertices
        assert _core.row_order(*graph) == (True, ascending)


def test_tree_of_a_graph_is_the_same_with_a_transpose_at_hand():
    for directed in (True, False):
        random = np.random.default_rng(directed)
        src, dst = random.integers(0, 999, (2, 5000))
        graph = wp.Graph.from_edges(src, dst, random.integers(1, 9, 5000), directed=directed)
        before = wp.sssp(graph, 0, threads=2).pred
        graph.reversed()
        assert np.array_equal(wp.sssp(graph, 0, threads=1).pred, before)


def test_undirected_graph_with_unlike_weights_is_not_taken_for_mirrored():
    graph = wp.Graph.from_edges([0, 1, 2], [1, 2, 0], [1, 1, 9], directed=False)
    graph = graph.with_weights([1, 9, 1, 5, 9, 1])
    paths = wp.sssp(graph, 0)
    wp.verify(graph, paths)


def test_bound_trees_refuse_what_does_not_fit_the_graph():
    graph = rows(3, [(0, 1, 5), (1, 2, 1)], np.int32, np.int64)
    bound = _core.trees(*graph, *no_rows(graph), ascending=False, negative=False)
    with pytest.raises(ValueError, match="into_indptr has 2 entries, but 3 are needed"):
        _core.trees(*graph, *rows(2, [], np.int32, np.int64), ascending=False, negative=False)
    dist = np.array([0, 5, 6])
    with pytest.raises(ValueError, match="dist has 2 entries, but 3 are needed"):
        bound(0, dist[:2])
    apart = np.zeros(8 * len(dist) + 1, np.uint8)[1:].view(dist.dtype)  # not where an int64 may lie
    for other in (
        dist.astype(float),
        dist.astype(np.int32),
        dist[:, None],
        dist.view(np.uint64),
        np.repeat(dist, 2)[::2],
        dist.astype(">i8"),
        apart,
        dist.tolist(),
        memoryview(dist),
    ):
        with pytest.raises(TypeError, match="one dimension without gaps, of the graph's type"):
            bound(0, other)
    assert bound(0, dist.astype(np.longlong)).tolist() == [-1, 0, 1]  # int64 by its other name
    for source in (-1, 3):
        with pytest.raises(ValueError, match=f"there is no vertex {source}"):
            bound(source, dist)
    pred = bound(0, dist)
    with pytest.raises(ValueError, match="read-only"):
        pred[0] = 1
    assert pred.tolist() == [-1, 0, 1]
