"""The order in which a search scans vertices, against searches that keep it."""

from __future__ import annotations

from collections import deque
from heapq import heappop, heappush

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support import corpus
from support.strategies import graphs
from warpath import _core, generate
from warpath.base.dtypes import unreachable
from warpath.graph import Graph


def scanned(graph, dist, sources, *, queue=False):
    """Return (order, via) as the core finds them from distances."""
    csr = (graph.indptr, graph.indices, graph._solver_weights)
    order, above, via = _core.visit_order(*csr, dist, np.array(sources, np.int64), queue)
    tails = graph.edges()[0]
    assert [order[at] for at in above if at >= 0] == tails[via[via >= 0]].tolist()
    by_vertex = np.full(graph.n, -1)
    by_vertex[order] = via
    return order.tolist(), by_vertex.tolist()


def searched(graph, sources):
    """Return (order, via, dist) of Dijkstra's search whose heap takes equal keys as they came."""
    dist, via, order, settled, heap = {}, [-1] * graph.n, [], set(), []
    for source in sources:
        dist[source] = graph.dist_dtype.type(0)
        heappush(heap, (dist[source], len(heap), source))
    pushed = len(heap)
    while heap:
        label, _, u = heappop(heap)
        if u in settled:
            continue
        settled.add(u)
        order.append(u)
        for e in range(graph.indptr[u], graph.indptr[u + 1]):
            v = int(graph.indices[e])
            longer = label + graph.dist_dtype.type(graph._solver_weights[e])
            if v not in dist or longer < dist[v]:
                dist[v], via[v] = longer, e
                pushed += 1
                heappush(heap, (longer, pushed, v))
    labels = np.full(graph.n, unreachable(graph.dist_dtype), graph.dist_dtype)
    labels[list(dist)] = list(dist.values())
    return order, via, labels


@given(st.sampled_from(["int32", "float64"]).flatmap(graphs))
def test_by_distance_it_is_the_order_of_a_heap_that_takes_equal_keys_as_they_came(graph):
    order, via, dist = searched(graph, [0])
    assert scanned(graph, dist, [0]) == (order, via)


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("name", ["grid_of_ones", "road", "zero_cycle"])
def test_from_several_sources_in_the_order_given_and_named_twice(name, dtype):
    graph = corpus.case(name).astype(dtype).graph()
    sources = [graph.n - 1, 0, graph.n - 1]
    order, via, dist = searched(graph, list(dict.fromkeys(sources)))
    assert scanned(graph, dist, sources) == (order, via)


def test_as_a_queue_it_is_breadth_first_over_tight_edges():
    graph = corpus.case("negative_without_cycle").graph()
    dist = np.empty(graph.n, graph.dist_dtype)
    csr = (graph.indptr, graph.indices, graph._solver_weights)
    _core.bellman_ford(*csr, np.array([0]), dist)
    waiting, order, via = deque([0]), [], [-1] * graph.n
    met = {0}
    while waiting:
        u = waiting.popleft()
        order.append(u)
        for e in range(graph.indptr[u], graph.indptr[u + 1]):
            v = int(graph.indices[e])
            if v not in met and dist[u] + graph._solver_weights[e] == dist[v]:
                met.add(v)
                via[v] = e
                waiting.append(v)
    assert len(order) > 2
    assert scanned(graph, dist, [0], queue=True) == (order, via)


def test_a_sum_beyond_the_type_is_not_mistaken_for_the_label_of_what_is_not_reached():
    most = np.iinfo(np.int64).max
    graph = Graph.from_edges([0, 1], [1, 2], np.array([most - 5, 5]))
    dist = np.array([0, most - 5, most])
    assert scanned(graph, dist, [0]) == ([0, 1], [-1, 0, -1])


def test_labels_that_are_no_distances_are_refused_not_followed():
    graph = Graph.from_edges([0, 1], [1, 2], np.array([1, 1]))
    with pytest.raises(ValueError, match="do not reach all labels"):
        scanned(graph, np.array([0, 1, 7]), [0])
    with pytest.raises(ValueError, match="dist must not be negative"):
        scanned(graph, np.array([0, -1, 2]), [0])
    with pytest.raises(ValueError, match="a source has no label"):
        scanned(graph, np.array([np.iinfo(np.int64).max, 1, 2]), [0])
    with pytest.raises(ValueError, match="no vertex 3"):
        scanned(graph, np.array([0, 1, 2]), [3])
    with pytest.raises(ValueError, match="entries, but"):
        scanned(graph, np.array([0, 1]), [0])


@pytest.mark.parametrize("dtype", ["int32", "float64"])
def test_many_distances_are_put_in_order_whatever_their_spread(dtype):
    rng = np.random.default_rng(3)
    for weights in (rng.integers(1, 10**6, 5000), 2 ** rng.integers(0, 30, 5000), np.ones(5000)):
        star = Graph.from_edges(np.zeros(5000, int), np.arange(1, 5001), weights.astype(dtype))
        dist = np.append(0, weights).astype(star.dist_dtype)
        order, via = scanned(star, dist, [0])
        assert order == np.argsort(dist, kind="stable").tolist()
        assert via == list(range(-1, 5000))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_distances_of_the_least_numbers_are_put_in_order(dtype):
    tiny = np.array([3, 1, 2], dtype) * np.finfo(dtype).smallest_subnormal
    star = Graph.from_edges([0, 0, 0], [1, 2, 3], tiny)
    assert scanned(star, np.append(tiny[:0], [0, *tiny]).astype(dtype), [0])[0] == [0, 2, 3, 1]


@pytest.mark.parametrize("limit", [0, 1, 3, 100])
def test_breadth_first_it_is_the_scan_of_its_own_levels(limit):
    graph = corpus.case("grid_of_ones").graph()
    levels = np.empty(graph.n, np.int64)
    scan = _core.breadth_first_scan(graph.indptr, graph.indices, 3, limit, levels)
    ones = graph.with_weights(None)
    dist = searched(ones, [3])[2]
    dist[dist > limit] = unreachable(dist.dtype)
    assert np.array_equal(levels, dist)
    csr = (ones.indptr, ones.indices, ones._solver_weights)
    theirs = _core.visit_order(*csr, dist, np.array([3]), queue=True)[:2]
    for ours, same in zip(scan, theirs, strict=True):
        assert ours.tolist() == same.tolist()


def search_levels(indptr, indices, *rest):
    into = Graph(indptr, indices).reversed()
    return _core.breadth_first_levels(indptr, indices, into.indptr, into.indices, *rest)


@pytest.mark.parametrize("limit", [-1, 0, 1, 3, 10**9])
@pytest.mark.parametrize("degree", [0, 1, 2, 16])
def test_levels_ascend_and_so_do_the_vertices_of_each(degree, limit):
    # 300 vertices are five words of bits: levels of fewer edges than these are listed, not drawn.
    for graph in (generate.uniform(300, degree), corpus.case("grid_of_ones").graph()):
        ones = graph.with_weights(None)
        dist = searched(ones, [3])[2]
        dist[dist > max(0, limit)] = unreachable(dist.dtype)
        expected = [
            v for v in np.argsort(dist, kind="stable") if dist[v] != unreachable(dist.dtype)
        ]
        levels = np.empty(graph.n, np.int64)
        found = search_levels(graph.indptr, graph.indices, 3, limit, levels)
        assert found.tolist() == expected
        assert np.array_equal(levels, dist)


@pytest.mark.parametrize("search", [_core.breadth_first_scan, search_levels])
def test_a_search_from_or_into_what_is_not_there_is_refused(search):
    graph = Graph.from_edges([0], [1])
    for source, size in ((2, 2), (-1, 2), (0, 3)):
        with pytest.raises(ValueError, match=r"no vertex|entries, but"):
            search(graph.indptr, graph.indices, source, 9, np.empty(size, np.int64))


def test_levels_take_the_rows_into_the_vertices_of_the_same_graph():
    graph, other = Graph.from_edges([0], [1]), Graph.from_edges([0, 1], [1, 0])
    with pytest.raises(ValueError, match="of another graph"):
        _core.breadth_first_levels(
            graph.indptr, graph.indices, other.indptr, other.indices, 0, 9, np.empty(2, np.int64)
        )


@given(st.sampled_from(["int32", "float64"]).flatmap(graphs), st.integers(0, 8))
def test_tight_rows_are_the_edges_on_shortest_paths(graph, limit):
    order, _, dist = searched(graph, [0])
    dist[dist > limit] = unreachable(dist.dtype)
    order = [v for v in order if dist[v] <= limit]
    src, dst, weights = graph.edges()
    sums = dist[src] + weights.astype(dist.dtype)
    seen, tight = {0: None}, {v: [] for v in order}
    for u in order:
        for e in range(graph.indptr[u], graph.indptr[u + 1]):
            if sums[e] <= limit:
                seen[int(dst[e])] = None
                if sums[e] == dist[dst[e]]:
                    tight[int(dst[e])].append(u)
    for first_met, keys in ((True, list(seen)), (False, order)):
        found, ends, tails = _core.tight_rows(
            graph.indptr,
            graph.indices,
            graph._solver_weights,
            dist,
            np.array(order),
            1,
            first_met,
            limit,
        )
        assert found.tolist() == keys
        rows = np.split(tails, ends[:-1])
        assert [row.tolist() for row in rows] == [tight[v] for v in keys]
