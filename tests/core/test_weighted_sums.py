"""Rows of near vertices, and sums of weights within limits, compared with plain NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import warpath as wp
from warpath import _core


def near(graph, sources, cutoff, columns=(), threads=1, **measured):
    weights = graph._solver_weights
    weights = weights.astype(np.int64) if weights.dtype.kind == "i" else weights
    rows = graph.indptr, graph.indices, weights
    how = {"threads": threads} | measured
    return _core.near_rows(*rows, np.array(sources), np.array(columns, np.int32), cutoff, **how)


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_rows_have_the_vertices_within_the_cutoff_in_the_order_of_their_columns(dtype):
    graph = wp.generate.road(200, weights=(0, 9)).astype(dtype)
    sources = [5, 0, 5, *range(60)]
    whole = wp.distances(graph, sources).dist
    columns = np.where(np.arange(graph.n) % 3 == 0, np.arange(graph.n) // 3, -1)
    for cutoff in (0, 7, 30):
        for of_vertices in ((), columns):
            starts, found, dist, _, settled = near(graph, sources, cutoff, of_vertices)
            assert settled == (whole <= cutoff).sum()
            for at, row in enumerate(whole):
                part = slice(starts[at], starts[at + 1])
                reached = np.flatnonzero(row <= cutoff)
                if len(of_vertices):
                    reached = reached[reached % 3 == 0]
                assert dist[part].tolist() == row[reached].tolist()
                expected = reached if not len(of_vertices) else reached // 3
                assert found[part].tolist() == expected.tolist()
            for threads in (2, 3):
                again = near(graph, sources, cutoff, of_vertices, threads)
                assert [part.tolist() for part in again[:3]] == [
                    part.tolist() for part in (starts, found, dist)
                ]


@pytest.mark.parametrize("dtype", ["int64", "float32", "float64"])
def test_rows_within_a_radius_have_the_least_metres_along_shortest_paths(dtype):
    graph = wp.generate.grid(12, 12, weights=(1, 3)).astype(dtype)
    metres = np.random.default_rng(4).integers(0, 6, graph.m)
    packed = graph.with_weights(graph.edges()[2].astype(np.int64) * 10_000 + metres)
    whole = wp.apsp(packed).dist
    most = 2**60 if dtype == "int64" else 1e30
    how = {"lengths": metres.astype(float), "radius": 9.0}
    starts, found, dist, lengths, _ = near(graph, range(graph.n), most, **how)
    assert starts[-1] == (whole % 10_000 <= 9).sum() < graph.n**2
    for at, row in enumerate(whole):
        part = slice(starts[at], starts[at + 1])
        within = np.flatnonzero(row % 10_000 <= 9)
        assert found[part].tolist() == within.tolist()
        assert dist[part].tolist() == (row[within] // 10_000).tolist()
        assert lengths[part].tolist() == (row[within] % 10_000).tolist()
    again = near(graph, range(graph.n), most, threads=2, **how)
    assert all(map(np.array_equal, again[:4], (starts, found, dist, lengths)))
    lost = wp.Graph.of([(0, 1, 1e20), (1, 2, 1.0)])
    assert near(lost, [0], 1e30, lengths=np.ones(2), radius=9.0) == 1


def test_sums_that_do_not_fit_are_beyond_the_cutoff():
    graph = wp.Graph.of([(0, 1, 2**62), (1, 2, 2**62), (0, 2, 5)])
    starts, columns, dist, *_ = near(graph, [0], 2**63 - 2)
    assert (starts.tolist(), columns.tolist(), dist.tolist()) == ([0, 3], [0, 1, 2], [0, 2**62, 5])


def sums(dist, limits, weights, *, of_columns, values=None, sparse=False, nearest=0, threads=1):
    rows, width = dist.shape
    kept = dist <= max(limits)
    values = np.ones(dist.shape) if values is None else values
    parts = (
        (dist[kept], np.concatenate(([0], kept.sum(axis=1).cumsum())), np.nonzero(kept)[1])
        if sparse
        else (dist.reshape(-1), np.empty(0, np.int64), np.empty(0))
    )
    out = np.zeros(len(limits) * (width if of_columns else rows))
    _core.weighted_sums(
        parts[0],
        parts[1],
        parts[2].astype(np.int32),
        values[kept] if sparse else values.reshape(-1),
        np.array(limits, dist.dtype),
        width,
        weights.reshape(-1),
        out,
        of_columns,
        nearest=nearest,
        threads=threads,
    )
    return out.reshape(len(limits), -1)


@pytest.mark.parametrize("dtype", ["int64", "float64"])
@pytest.mark.parametrize("of_columns", [False, True])
def test_sums_are_those_of_the_entries_in_their_order(dtype, of_columns):
    rng = np.random.default_rng(3)
    for rows, width in ((1, 1), (40, 3), (7, 5000)):
        dist = rng.integers(0, 9, (rows, width)).astype(dtype)
        dist[rng.random(dist.shape) < 0.1] = np.inf if dtype == "float64" else 2**63 - 1
        limits, values = [2, 5], rng.random(dist.shape)
        weights = rng.random((2, rows if of_columns else width))
        right = []
        for limit, own in zip(limits, weights, strict=True):
            factors = own[:, None] if of_columns else own[None, :]
            terms = np.where(dist <= limit, factors * values, 0.0)
            right.append(terms.cumsum(axis=0 if of_columns else 1))  # which adds one by one
        right = [each[-1, :] if of_columns else each[:, -1] for each in right]
        for sparse in (False, True):
            for threads in (1, 2, 3):
                how = {"of_columns": of_columns, "sparse": sparse, "threads": threads}
                found = sums(dist, limits, weights, values=values, **how)
                assert found.tolist() == [each.tolist() for each in right], how


def test_only_the_nearest_entries_of_a_row_count_and_of_ties_the_first():
    dist = np.array([[3, 1, 3, 3, 9], [9, 9, 9, 9, 9]])
    weights = np.array([[1.0, 10, 100, 1000, 10000]] * 2)
    for sparse in (False, True):
        for k, right in ((1, [10, 10]), (2, [10, 11]), (3, [10, 111]), (9, [10, 1111])):
            how = {"of_columns": False, "sparse": sparse, "nearest": k}
            assert sums(dist, [2, 4], weights, **how)[:, 0].tolist() == right


def test_sizes_are_checked():
    whole = np.zeros(6, np.int64), np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0)
    limit, out = np.array([3]), np.zeros(2)
    with pytest.raises(ValueError, match="weights"):
        _core.weighted_sums(*whole, limit, 3, np.zeros(2), out, of_columns=False)
    with pytest.raises(ValueError, match="sums"):
        _core.weighted_sums(*whole, limit, 3, np.zeros(3), np.zeros(3), of_columns=False)
    with pytest.raises(ValueError, match="whole"):
        _core.weighted_sums(*whole, limit, 4, np.zeros(4), out, of_columns=False)
    sparse = np.zeros(2, np.int64), np.array([0, 2]), np.array([0, 3], np.int32), np.empty(0)
    with pytest.raises(ValueError, match="columns must lie"):
        _core.weighted_sums(*sparse, limit, 3, np.zeros(3), out[:1], of_columns=False)
    for starts in ([1, 2], [0, 1], [0, 3, 2]):
        wrong = sparse[0], np.array(starts), *sparse[2:]
        with pytest.raises(ValueError, match="starts must"):
            _core.weighted_sums(*wrong, limit, 4, np.zeros(4), out[:1], of_columns=False)
