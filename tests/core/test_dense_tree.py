"""Predecessors of all pairs of a matrix, against the tree of each row."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpath import Graph, _core
from warpath.results.predecessors import tree

WIDEST = pytest.mark.parametrize("widest", [16, 32, 64])


def matrix(n, edges=0.5, seed=0, least=1):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(least, 9, (n, n)).astype(np.float64)
    lengths[rng.random((n, n)) > edges] = np.inf
    np.fill_diagonal(lengths, 0)
    return lengths


def closed(lengths):
    dist = lengths.copy()
    _core.floyd_warshall(dist)
    return dist


def predecessors(lengths, dist, **options):
    pred = np.full(dist.shape, 77, np.int32)
    _core.dense_tree(lengths, dist, pred, **options)
    return pred


def graph_of(lengths):
    present = np.isfinite(lengths)
    np.fill_diagonal(present, val=False)
    indptr = np.concatenate(([0], np.cumsum(present.sum(axis=1))))
    return Graph.from_csr(indptr, np.nonzero(present)[1], lengths[present])


def expected(lengths, dist):
    """The tree of each row, but the source itself where an edge from it is a shortest path."""
    graph = graph_of(lengths)
    pred = np.array([tree(graph, s, row) for s, row in enumerate(dist)])
    sources = np.broadcast_to(np.arange(len(dist))[:, None], dist.shape)
    direct = (dist == lengths) & np.isfinite(dist) & (sources != sources.T)
    return np.where(direct, sources, pred)


@WIDEST
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("n", [1, 3, 4, 15, 16, 17, 70])
def test_they_are_those_of_the_trees(n, widest, threads):
    lengths = matrix(n, 3 / n)
    dist = closed(lengths)
    found = predecessors(lengths, dist, widest=widest, threads=threads)
    assert np.array_equal(found, expected(lengths, dist))


def judged(lengths, dist):
    """What the header promises, pair by pair."""
    n = len(dist)
    pred = np.full((n, n), -1)
    for i, j in np.argwhere(np.isfinite(dist) & ~np.eye(n, dtype=bool)):
        sums = dist[i] + lengths[:, j]
        sums[j] = np.inf
        u = sums.argmin()
        pred[i, j] = u if np.isfinite(sums[u]) and dist[i, u] < dist[i, j] else -2
        if dist[i, j] == lengths[i, j]:
            pred[i, j] = i
    return pred


@WIDEST
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(
    ("largest", "shrunk"),
    [
        pytest.param(9, 1, id="many edges may end a path"),
        pytest.param(10**6, 1, id="few may"),
        pytest.param(10**6, 0.5, id="sums exceed the distances, so that all edges are looked at"),
    ],
)
def test_whatever_edges_are_looked_at_the_first_with_the_least_sum_is_found(
    largest, shrunk, threads, widest
):
    lengths = np.random.default_rng(3).integers(1, largest, (130, 130)).astype(np.float64)
    np.fill_diagonal(lengths, 0)
    dist = closed(lengths) * shrunk
    found = predecessors(lengths, dist, widest=widest, threads=threads)
    assert np.array_equal(found, judged(lengths, dist))


@given(st.integers(1, 9), st.integers(0, 1000), st.sampled_from([0.2, 0.5, 1.0]))
def test_after_edges_of_no_length_they_are_right_or_said_to_be_unknown(n, seed, edges):
    lengths = matrix(n, edges, seed, least=0)
    dist = closed(lengths)
    found = predecessors(lengths, dist)
    right = expected(lengths, dist)
    known = found != -2
    assert np.array_equal(found[known], right[known])


@WIDEST
def test_rounded_sums_lead_back_to_the_source_all_the_same(widest):
    lengths = matrix(60, 0.2) / 10
    dist = closed(lengths)
    found = predecessors(lengths, dist, widest=widest)
    assert (found != -2).all()
    for i, j in np.argwhere(np.isfinite(dist) & (dist > 0)):
        u = found[i, j]
        assert dist[i, u] < dist[i, j]
        assert abs(dist[i, u] + lengths[u, j] - dist[i, j]) <= 60 * np.finfo(float).eps * dist[i, j]


def test_matrices_of_other_sizes_are_refused():
    square = np.zeros((3, 3))
    for shape in ((2, 3), (3, 2), (4, 4)):
        with pytest.raises(ValueError, match="must be square, and of one size"):
            _core.dense_tree(square, square, np.zeros(shape, np.int32))
    with pytest.raises(ValueError, match="threads must be >= 1"):
        _core.dense_tree(square, square, np.zeros((3, 3), np.int32), threads=0)
