"""The order in which a search scans vertices, against searches that keep it."""

from __future__ import annotations

from collections import deque
from heapq import heappop, heappush

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpath import _core
from warpath.graph import Graph
from warpath.paths import never
from warpath.testing import corpus
from warpath.testing.strategies import graphs


def scanned(graph, dist, sources, *, queue=False):
    """Return (order, via) as the core finds them from distances."""
    order = np.flatnonzero(dist != never(dist.dtype))
    order = np.empty(len(order), np.int64) if queue else order[np.argsort(dist[order])]
    via = np.empty(graph.n, np.int64)
    csr = (graph.indptr, graph.indices, graph.solver_weights)
    _core.scan_order(*csr, dist, np.array(sources, np.int64), queue, order, via)
    return order.tolist(), via.tolist()


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
            longer = label + graph.dist_dtype.type(graph.solver_weights[e])
            if v not in dist or longer < dist[v]:
                dist[v], via[v] = longer, e
                pushed += 1
                heappush(heap, (longer, pushed, v))
    labels = np.full(graph.n, never(graph.dist_dtype), graph.dist_dtype)
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
    csr = (graph.indptr, graph.indices, graph.solver_weights)
    _core.bellman_ford(*csr, np.array([0]), dist)
    waiting, order, via = deque([0]), [], [-1] * graph.n
    met = {0}
    while waiting:
        u = waiting.popleft()
        order.append(u)
        for e in range(graph.indptr[u], graph.indptr[u + 1]):
            v = int(graph.indices[e])
            if v not in met and dist[u] + graph.solver_weights[e] == dist[v]:
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
    csr = (graph.indptr, graph.indices, graph.solver_weights)
    dist, via = np.array([0, 1, 2]), np.empty(3, np.int64)

    def refused(order, *, queue, dist=dist):
        with pytest.raises(ValueError) as error:  # noqa: PT011 - the text is what is asked for
            _core.scan_order(*csr, dist, np.array([0]), queue, np.array(order), via)
        return str(error.value)

    assert "more vertices are met" in refused([0, 0], queue=True)
    assert "has no place" in refused([0, 1], queue=False)
    assert "what is no vertex" in refused([0, -1], queue=False)
    assert "what is no vertex" in refused([0, 3], queue=False)
    assert "an entry for each vertex" in refused([0, 0, 0], queue=True, dist=dist[1:])
