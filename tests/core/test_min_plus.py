"""Products, closures and adjacency matrices of the core, on parts of larger matrices."""

from __future__ import annotations

import numpy as np
import pytest

import warpath as wp
from warpath import _core
from warpath.engines.dense import adjacency_matrix

TYPES = [np.int32, np.int64, np.float32, np.float64]


def none_of(kind):
    """Return the kernels' label of what no path reaches."""
    return np.inf if np.dtype(kind).kind == "f" else np.iinfo(kind).max // 2


def labels(rng, shape, kind):
    drawn = rng.integers(-50, 1000, shape).astype(kind)
    drawn[rng.random(shape) < 0.3] = none_of(kind)
    return drawn


def part_of(kind, shape):
    """Return a part of a larger matrix, and the matrix."""
    whole = np.full((shape[0] + 5, shape[1] + 9), 77, kind)
    return whole[2 : 2 + shape[0], 3 : 3 + shape[1]], whole


@pytest.mark.threads
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize(("m", "n", "k"), [(1, 1, 1), (5, 70, 9), (97, 65, 128), (200, 130, 300)])
@pytest.mark.parametrize("threads", [1, 3])
def test_product_lowers_a_part_and_nothing_beside_it(kind, m, n, k, threads):
    rng = np.random.default_rng(m)
    a, b, old = labels(rng, (m, k), kind), labels(rng, (k, n), kind), labels(rng, (m, n), kind)
    c, whole = part_of(kind, (m, n))
    left, right = part_of(kind, (m, k))[0], part_of(kind, (k, n))[0]
    left[:], right[:] = a, b
    expected = old
    for column, row in zip(a.T[:, :, None], b[:, None], strict=True):
        none = (column == none_of(kind)) | (row == none_of(kind))
        expected = np.minimum(expected, np.where(none, none_of(kind), column + row))
    for widest in (16, 32, 64):
        c[:] = old
        _core.min_plus(c, left, right, threads=threads, widest=widest)
        assert (c == expected).all()
        c[:] = 77
        assert (whole == 77).all()


@pytest.mark.threads
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("threads", [1, 2])
def test_closed_part_keeps_the_labels_of_the_kernels(kind, threads):
    rng = np.random.default_rng(3)
    n = 150
    block, whole = part_of(kind, (n, n))
    block[:] = np.abs(labels(rng, (n, n), kind))
    block[:, 7] = none_of(kind)
    np.fill_diagonal(block, 0)
    plain = block.copy()
    plain[plain == none_of(kind)] = np.inf if np.dtype(kind).kind == "f" else np.iinfo(kind).max
    _core.floyd_warshall(plain)
    _core.close_labels(block, threads=threads)
    assert (block == np.minimum(plain, none_of(kind))).all()
    assert block[6, 7] == none_of(kind)
    block[:] = 77
    assert (whole == 77).all()


def test_shapes_that_are_no_product_are_refused():
    c, a, b = np.zeros((2, 3)), np.zeros((2, 4)), np.zeros((4, 3))
    for wrong in ((c, a, b[1:]), (c[1:], a, b), (c[:, 1:], a, b)):
        with pytest.raises(ValueError, match="product"):
            _core.min_plus(*wrong)
    with pytest.raises(ValueError, match="side by side"):
        _core.min_plus(np.zeros((2, 6))[:, ::2], a, b)
    with pytest.raises(ValueError, match="one after the other"):
        _core.min_plus(np.zeros((2, 3))[::-1], a, b)
    with pytest.raises(ValueError, match="threads"):
        _core.min_plus(c, a, b, threads=0)


@pytest.mark.threads
@pytest.mark.parametrize("weights", TYPES)
@pytest.mark.parametrize("threads", [1, 3])
def test_matrix_of_a_graph_has_the_lightest_edges(weights, threads):
    rng = np.random.default_rng(4)
    n = 40
    src, dst = rng.integers(0, n, (2, 500))
    lengths = rng.integers(1, 90, 500).astype(weights)
    graph = wp.Graph.of((src, dst, lengths), n=n)
    expected = np.full((n, n), 1000)
    np.minimum.at(expected, (src, dst), lengths.astype(np.int64))
    np.fill_diagonal(expected, 0)
    for kind in (np.int32, np.int64) if np.dtype(weights).kind == "i" else (weights,):
        out = np.empty((n, n), kind)
        found = adjacency_matrix(graph, graph._solver_weights, out, threads)
        assert found is out
        assert ((out == expected) | (expected == 1000)).all()
        missing = np.inf if np.dtype(kind).kind == "f" else np.iinfo(kind).max
        assert (out[expected == 1000] == missing).all()


@pytest.mark.threads
@pytest.mark.parametrize("n", [0, 1, 3, 63, 64, 65, 150])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_widened_in_place_is_the_same_numbers(n, threads):
    rng = np.random.default_rng(n)
    narrow = rng.integers(-(2**31), 2**31 - 1, (n, n)).astype(np.int32)
    narrow[rng.random((n, n)) < 0.2] = np.iinfo(np.int32).max
    wide = np.empty((n, n), np.int64)
    wide.reshape(-1).view(np.int32)[: n * n] = narrow.reshape(-1)
    _core.widen(wide, threads=threads)
    assert (wide == np.where(narrow == 2**31 - 1, 2**63 - 1, narrow.astype(np.int64))).all()


def test_a_product_in_the_memory_of_a_factor_is_refused():
    whole = np.ones((8, 8))
    for a, b in ((whole, whole[:4, :4]), (whole[:4, :4], whole)):
        with pytest.raises(ValueError, match="must not lie in a factor's memory"):
            _core.min_plus(whole[:4, :4], a[:4, :4], b[:4, :4])
    with pytest.raises(ValueError, match="must not lie in a factor's memory"):
        _core.min_plus(whole[1:5, 1:5], whole[4:, 4:], whole[:4, :4].copy())
    with pytest.raises(ValueError, match="must not lie in a factor's memory"):
        _core.min_plus(whole[:4, 4:6], whole[:4, :6], np.ones((6, 2)))
    # Blocks of one matrix that only lie between each other's rows are no such case.
    _core.min_plus(whole[:4, 4:], whole[:4, :4], whole[4:, 4:])
