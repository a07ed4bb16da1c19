"""`csgraph.yen` where SciPy's own order or negative entries matter."""

from __future__ import annotations

import numpy as np
import pytest

from warpath import csgraph


def matrix_of(edges, n):
    lengths = np.full((n, n), np.inf)
    for u, v, w in edges:
        lengths[u, v] = w
    return lengths


def paths_of(pred, sink):
    found = []
    for row in pred.tolist():
        path = [sink]
        while row[path[-1]] != -9999:
            path.append(row[path[-1]])
        found.append(path[::-1])
    return found


def simple_paths(lengths, source, sink):
    found = []

    def go(path, length):
        if path[-1] == sink:
            found.append((length, path))
            return
        for v in np.flatnonzero(lengths[path[-1]] < np.inf).tolist():
            if v not in path:
                go([*path, v], length + lengths[path[-1], v])

    go([source], 0.0)
    return sorted(found)


def test_equally_long_paths_are_in_the_order_of_their_vertices():
    edges = [(0, 1, 1), (1, 3, 1), (0, 2, 1), (2, 3, 1), (3, 4, 1), (3, 5, 1), (4, 6, 1), (5, 6, 1)]
    dist, pred = csgraph.yen(matrix_of(edges, 7), 0, 6, 9, return_predecessors=True)
    assert dist.tolist() == [4] * 4
    paths = paths_of(pred, 6)
    assert paths == [[0, 1, 3, 4, 6], [0, 1, 3, 5, 6], [0, 2, 3, 4, 6], [0, 2, 3, 5, 6]]


def test_negative_entries_without_a_negative_cycle():
    rng = np.random.default_rng(1)
    for _ in range(200):
        n = int(rng.integers(2, 7))
        potentials = rng.integers(-9, 9, n)
        reduced = rng.integers(0, 4, (n, n)) + np.where(rng.random((n, n)) < 0.6, 0, np.inf)
        np.fill_diagonal(reduced, np.inf)
        lengths = reduced - potentials[:, None] + potentials
        lengths[lengths == 0] = np.inf  # a dense matrix has no such edges
        dist, pred = csgraph.yen(lengths, 0, n - 1, 30, return_predecessors=True)
        expected = simple_paths(lengths, 0, n - 1)
        assert list(zip(dist.tolist(), paths_of(pred, n - 1), strict=True)) == expected[:30]


def test_a_negative_cycle_that_no_path_meets_is_refused():
    with pytest.raises(csgraph.NegativeCycleError):
        csgraph.yen(matrix_of([(0, 1, 1), (2, 3, 1), (3, 2, -2)], 4), 0, 1, 1)
