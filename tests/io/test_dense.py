from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import warpath as wp
from warpath.base.errors import GraphError, InputError, NotSupportedError, WeightError


def edges_of(graph):
    src, dst, weights = graph.edges()
    return list(zip(src.tolist(), dst.tolist(), weights.tolist(), strict=True))


def test_zero_infinity_and_nan_are_no_edges():
    matrix = np.array([[0, 2.0, np.inf], [np.nan, 0, 3.0], [-1.0, 0, 0]])
    assert edges_of(wp.Graph.of(matrix)) == [(0, 1, 2.0), (1, 2, 3.0), (2, 0, -1.0)]


def test_zero_is_an_edge_on_request():
    matrix = np.array([[np.inf, 0.0], [np.inf, 0.0]])
    assert edges_of(wp.Graph.of(matrix, zero="edge")) == [(0, 1, 0.0), (1, 1, 0.0)]


def test_in_a_masked_array_the_mask_says_what_is_absent():
    matrix = np.ma.array([[0, 0], [4, 0]], mask=[[1, 0], [0, 1]])
    assert edges_of(wp.Graph.of(matrix)) == [(0, 1, 0), (1, 0, 4)]
    assert edges_of(wp.Graph.of(matrix, zero="no_edge")) == [(1, 0, 4)]


def test_scipy_reads_plain_and_masked_zeros_in_the_same_way():
    csgraph = pytest.importorskip("scipy.sparse.csgraph")
    plain = np.array([[0, 0.0], [4, np.inf]])
    masked = np.ma.array(plain, mask=[[1, 0], [0, 1]])
    assert csgraph.csgraph_from_dense(plain).nnz == wp.Graph.of(plain).m == 1
    assert csgraph.csgraph_from_masked(masked).nnz == wp.Graph.of(masked).m == 2


def test_booleans_and_matrices_are_read():
    assert edges_of(wp.Graph.of(np.array([[False, True], [False, False]]))) == [(0, 1, 1)]
    with pytest.warns(PendingDeprecationWarning):
        old = np.matrix([[0, 3], [0, 0]])
    assert edges_of(wp.Graph.of(old)) == [(0, 1, 3)]


def test_the_empty_matrix_is_the_empty_graph():
    assert wp.Graph.of(np.empty((0, 0))).n == 0
    assert wp.Graph.of(np.zeros((1, 1))).n == 1


def test_a_triangle_read_as_undirected_gets_its_opposites():
    assert wp.Graph.of(np.array([[0, 2], [0, 0]]), directed=False).m == 2
    assert wp.Graph.of(np.array([[0, 2], [2, 0]]), directed=False).m == 2


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros((5, 2), int), r"\(5, 2\) is not a graph.*tuple: \(a\[:, 0\], a\[:, 1\]\)"),
        (np.zeros((5, 3), int), r"\(5, 3\).*\(a\[:, 0\], a\[:, 1\], a\[:, 2\]\)"),
        (np.zeros((2, 5), int), r"\(2, 5\).*as a tuple: tuple\(a\)"),
        (np.zeros((4, 5)), r"\(4, 5\) is not a graph: an adjacency matrix is square"),
        (np.zeros(4), r"shape \(4,\) is not a graph"),
        (np.array(4), r"shape \(\) is not a graph"),
        (np.zeros((2, 2, 2)), r"shape \(2, 2, 2\)"),
        (np.zeros(2, [("u", int), ("v", int)]), "structured array with the fields u, v"),
    ],
)
def test_what_is_not_square_is_refused_with_the_way_out(array, message):
    with pytest.raises(GraphError, match=message):
        wp.Graph.of(array)


@pytest.mark.parametrize("dtype", ["complex64", "object", "U3"])
def test_a_matrix_of_other_things_than_numbers_is_refused(dtype):
    with pytest.raises(WeightError, match="has no weights"):
        wp.Graph.of(np.zeros((2, 2), dtype))


def test_float16_is_refused():
    with pytest.raises(WeightError, match="float16 cannot be used"):
        wp.Graph.of(np.ones((2, 2), np.float16))


def test_minus_infinity_is_refused_with_row_and_column():
    with pytest.raises(WeightError, match=r"matrix\[1, 0\] = -inf"):
        wp.Graph.of(np.array([[0, 1], [-np.inf, 0]]))


def test_an_unknown_rule_for_zero_is_refused():
    with pytest.raises(InputError, match=r'zero=\'no\' must be "edge" or "no_edge"'):
        wp.Graph.of(np.eye(2), zero="no")


class Tensor:
    """A foreign array that has DLPack alone."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **options):
        if self.values is None:
            msg = "the memory is on device 3"
            raise BufferError(msg)
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return (1, 0)


def test_dlpack_arrays_are_matrices():
    assert edges_of(wp.Graph.of(Tensor(np.array([[0, 3], [0, 0]])))) == [(0, 1, 3)]


def test_dlpack_memory_out_of_reach_is_refused():
    with pytest.raises(NotSupportedError, match=r"cannot be read on the CPU.*device 3"):
        wp.Graph.of(Tensor(None))


@given(arrays.arrays(np.int32, (4, 4), elements=st.integers(0, 3)))
def test_a_matrix_comes_back_from_its_graph(matrix):
    assert np.array_equal(wp.Graph.of(matrix).to_scipy().toarray(), matrix)
