"""Compressed rows as a dense matrix: the core reads and writes inside of its arrays only."""

from __future__ import annotations

import numpy as np
import pytest

from warpath import _core


def matrix(indptr, indices, weights, out=np.int64):
    filled = np.zeros((len(indptr) - 1, 3), out)
    _core.adjacency_rows(
        np.array(indptr, np.int64), np.array(indices, np.int32), weights, 0, filled, threads=2
    )
    return filled.tolist()


def test_the_lightest_of_parallel_edges_counts():
    none = np.iinfo(np.int64).max
    made = matrix([0, 2, 3, 3], [1, 1, 2], np.array([5, 3, 7]))
    assert made == [[0, 3, none], [none, 0, 7], [none, none, 0]]


@pytest.mark.parametrize("wrong", [3, -1, 2**31 - 1, -(2**31)])
def test_an_edge_to_no_vertex_is_refused(wrong):
    with pytest.raises(ValueError, match=r"indices\[1\] is no vertex below n"):
        matrix([0, 1, 2, 2], [1, wrong], np.array([5, 3]))


@pytest.mark.parametrize(
    "indptr", [[0, 2, 3, 5], [0, 3, 1, 2], [-1, 1, 2, 2], [0, 2**40, 2, 2], [-(2**62), 1, 1, 2]]
)
def test_rows_outside_of_the_edges_are_refused(indptr):
    with pytest.raises(ValueError, match="indptr must ascend from 0 to the number of edges"):
        matrix(indptr, [1, 2], np.array([5, 3]))


@pytest.mark.parametrize("wrong", [2**31, -(2**31) - 1, 2**40, 2**63 - 1])
def test_a_weight_that_the_matrix_does_not_hold_is_refused(wrong):
    with pytest.raises(ValueError, match=r"weights\[1\] does not fit the matrix"):
        matrix([0, 1, 2, 2], [1, 2], np.array([5, wrong]), np.int32)
