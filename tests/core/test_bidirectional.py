"""Any shortest path between two vertices, by searches whose labels are kept between calls."""

from __future__ import annotations

import threading
from itertools import pairwise

import numpy as np
import pytest

from support.reference import rows
from warpath import _core

TYPES = [np.int32, np.int64, None]
MAX = np.iinfo(np.int64).max


def random_rows(seed, weight_type):
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 40))
    m = int(random.integers(0, 5 * n))
    heaviest = 1 if weight_type is None else int(random.choice([0, 1, 2, 50, 1000]))
    weights = random.integers(heaviest if weight_type is None else 0, heaviest + 1, m)
    edges = list(zip(random.integers(0, n, m), random.integers(0, n, m), weights, strict=True))
    return n, rows(n, edges, weight_type=weight_type or np.int32)


def search_of(graph, *, counts_edges=False):
    back = tuple(np.empty_like(array) for array in graph)
    _core.transpose(*graph, *back)
    if counts_edges:
        return _core.bidirectional_breadth_first(*graph[:2], *back[:2])
    return _core.bidirectional(*graph, *back)


def distances(graph, source):
    dist = np.empty(len(graph[0]) - 1, np.int64)
    _core.dijkstra(*graph, source=source, dist=dist, queue="heap", targets=np.empty(0, np.int64))
    return dist


def line(n, weight=1):
    """A way there and back over n vertices."""
    steps = [(v, v + 1, weight) for v in range(n - 1)]
    return rows(n, steps + [(v, u, w) for u, v, w in steps])


def assert_shortest(graph, found, source, target, dist):
    """`found` is a simple path over the graph's edges, as long as the distance says."""
    vertices, length = found
    assert vertices.dtype == np.int64
    route = vertices.tolist()
    assert length == dist
    if dist == MAX:
        assert route == []
        return
    indptr, indices, weights = graph
    assert (route[0], route[-1]) == (source, target)
    assert len(set(route)) == len(route)
    total = 0
    for u, v in pairwise(route):
        row = slice(indptr[u], indptr[u + 1])
        total += int(weights[row][indices[row] == v].min())
    assert total == dist


@pytest.mark.parametrize("weight_type", TYPES)
def test_one_search_after_another_finds_simple_paths_of_the_exact_length(weight_type):
    for seed in range(150):
        n, graph = random_rows(seed, weight_type)
        search = search_of(graph, counts_edges=weight_type is None)
        for source in range(0, n, 1 + n // 6):
            dist = distances(graph, source)
            for target in range(n):
                assert_shortest(graph, search(source, target), source, target, dist[target])


def test_edges_of_no_length_make_no_loop_where_the_searches_meet():
    around = [(u, v, 0) for u in range(1, 5) for v in range(1, 5) if u != v]
    graph = rows(6, [(0, 1, 2), (0, 3, 2), *around, (2, 5, 2), (4, 5, 2)])
    assert_shortest(graph, search_of(graph)(0, 5), 0, 5, 4)


def test_a_length_beyond_int64_is_not_told_from_no_path():
    half = MAX // 2 + 1
    for chain in ([half, half], [half, 1, half], [MAX - 1, 1], [1, MAX - 1], [5, MAX - 4, 1]):
        edges = [(v, v + 1, w) for v, w in enumerate(chain)]
        search = search_of(rows(len(chain) + 2, edges, weight_type=np.int64))
        assert search(0, len(chain)) is None
        assert search(0, 1)[1] == chain[0]  # what was left behind is clean


def test_of_sums_about_int64_those_that_fit_are_found_and_the_others_never_called_no_path():
    random = np.random.default_rng(8)
    for _ in range(300):
        n, m = 9, 24
        heavy = random.choice([1, 2**60, 2**61, 2**62], m)
        edges = list(zip(random.integers(0, n, m), random.integers(0, n, m), heavy, strict=True))
        exact = [0] + [None] * (n - 1)
        for _ in range(n):
            for u, v, w in edges:
                if exact[u] is not None and (exact[v] is None or exact[u] + int(w) < exact[v]):
                    exact[v] = exact[u] + int(w)
        graph = rows(n, edges, weight_type=np.int64)
        search = search_of(graph)
        for target in range(n):
            found = search(0, target)
            if exact[target] is None:
                assert found is None or found[1] == MAX
            elif exact[target] >= MAX:
                assert found is None
            else:
                assert_shortest(graph, found, 0, target, exact[target])


def test_the_longest_length_that_fits_is_found_beside_one_that_does_not():
    graph = rows(4, [(0, 1, MAX - 1), (1, 3, 9), (0, 2, MAX - 4), (2, 3, 3)], weight_type=np.int64)
    vertices, length = search_of(graph)(0, 3)
    assert (vertices.tolist(), length) == ([0, 2, 3], MAX - 1)


def test_searches_that_are_too_far_apart_say_that_they_do_not_know():
    far = 2**62
    graph = rows(5, [(0, 1, far), (0, 2, far), (3, 4, far)], weight_type=np.int64)
    assert search_of(graph)(0, 4) is None


@pytest.mark.parametrize("ends", [(-1, 0), (0, -1), (3, 0), (0, 3)])
def test_a_vertex_that_is_not_there_is_refused(ends):
    with pytest.raises(ValueError, match="there is no vertex"):
        search_of(line(3))(*ends)


@pytest.mark.parametrize("counts_edges", [False, True])
def test_what_an_interrupted_search_knew_is_forgotten(counts_edges):
    n = 1_500_000  # out of order in memory: some ticks of 50 ms
    ring = np.random.default_rng(1).permutation(n).astype(np.int32)
    indices = np.empty((n, 2), np.int32)
    indices[ring] = np.stack((np.roll(ring, 1), np.roll(ring, -1)), 1)
    graph = (np.arange(0, 2 * n + 1, 2), indices.ravel(), np.ones(2 * n, np.int32))
    search = search_of(graph, counts_edges=counts_edges)
    route = ring[: n // 2 - 1]

    def interrupted(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search(route[0], route[-1], progress=interrupted)
    # Labels from the wrong end would make this one shorter, or end it early.
    vertices, length = search(route[-1], route[0])
    assert length == len(route) - 1
    assert np.array_equal(vertices, route[::-1])


@pytest.mark.parametrize("threads", [4])
@pytest.mark.parametrize("counts_edges", [False, True])
def test_python_threads_search_one_graph_at_once(threads, counts_edges):
    graph = line(4000)
    search = search_of(graph, counts_edges=counts_edges)
    wrong = []

    def work(first: int) -> None:
        for source in range(first, 4000, 97):
            vertices, length = search(source, 3999 - source)
            expected = np.linspace(source, 3999 - source, abs(3999 - 2 * source) + 1)
            if length != len(expected) - 1 or not np.array_equal(vertices, expected):
                wrong.append(source)

    workers = [threading.Thread(target=work, args=(at,)) for at in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert wrong == []
