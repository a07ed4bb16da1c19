"""The k shortest paths without loops, against all simple paths."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support import strategies
from warpath import Graph
from warpath.base.errors import NegativeCycleError
from warpath.engines.yen import shortest_loopless


def simple_paths(graph, source, target):
    """Return (length, vertices) of every path that passes no vertex twice, by length."""
    lightest = {}
    for u, v, w in zip(*(part.tolist() for part in graph.edges()), strict=True):
        lightest.setdefault(u, {})
        lightest[u][v] = min(w, lightest[u].get(v, np.inf))
    found = []

    def go(path, length):
        if path[-1] == target:
            found.append((length, path))
            return
        for v, w in lightest.get(path[-1], {}).items():
            if v not in path:
                go([*path, v], length + w)

    go([source], 0.0)
    return sorted(found)


def length_of(graph, path):
    total = 0.0
    for u, v in pairwise(path):
        row = slice(graph.indptr[u], graph.indptr[u + 1])
        total += graph.weights[row][graph.indices[row] == v].min()
    return total


@given(strategies.graphs(np.int32, max_vertices=6), st.data())
def test_they_are_the_shortest_of_all_simple_paths_each_once(graph, data):
    graph = graph.astype(np.float64)
    source, target = (data.draw(st.integers(0, graph.n - 1)) for _ in range(2))
    count = data.draw(st.sampled_from([0, 1, 2, 3, 5, 1000]))
    every = simple_paths(graph, source, target)
    found = shortest_loopless(graph, source, target, count)
    assert [length_of(graph, path) for path in found] == [length for length, _ in every[:count]]
    assert len({tuple(path) for path in found}) == len(found)
    assert {tuple(path) for path in found} <= {tuple(path) for _, path in every}


@given(strategies.graphs(np.int32, max_vertices=6, negative=True), st.data())
def test_under_negative_weights_too(graph, data):
    graph = graph.astype(np.float64)
    source, target = (data.draw(st.integers(0, graph.n - 1)) for _ in range(2))
    try:
        found = shortest_loopless(graph, source, target, 4)
    except NegativeCycleError:
        return
    every = simple_paths(graph, source, target)
    assert [length_of(graph, path) for path in found] == [length for length, _ in every[:4]]


def test_of_equally_long_ones_the_one_that_leaves_latest_is_first():
    # two ways at each of two places: as SciPy orders them
    edges = [(0, 1, 1.0), (1, 3, 1.0), (0, 2, 1.0), (2, 3, 1.0), (3, 4, 1.0), (3, 5, 1.0)]
    graph = Graph.of([*edges, (4, 6, 1.0), (5, 6, 1.0)])
    found = shortest_loopless(graph, 0, 6, 9)
    assert found == [[0, 1, 3, 4, 6], [0, 2, 3, 4, 6], [0, 2, 3, 5, 6], [0, 1, 3, 5, 6]]


def test_edges_are_put_back_for_the_next_search():
    graph = Graph.of([(u, v, float(1 + (u * v) % 3)) for u in range(6) for v in range(6) if u != v])
    assert shortest_loopless(graph, 0, 5, 20) == shortest_loopless(graph, 0, 5, 20)
    every = simple_paths(graph, 0, 5)
    assert len(every) == 1 + 4 + 12 + 24 + 24
    for count in (*range(2, 20), 1000):
        found = [length_of(graph, path) for path in shortest_loopless(graph, 0, 5, count)]
        assert found == [length for length, _ in every[:count]]


def test_a_negative_cycle_that_no_path_meets_is_refused():
    graph = Graph.of([(0, 1, 1.0), (2, 3, 1.0), (3, 2, -2.0)])
    with pytest.raises(NegativeCycleError):
        shortest_loopless(graph, 0, 1, 1)
