from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import warpath as wp
from warpath.base.errors import GraphError, WeightError

sparse = pytest.importorskip("scipy.sparse")


def edges_of(graph):
    src, dst, weights = graph.edges()
    return sorted(zip(src.tolist(), dst.tolist(), weights.tolist(), strict=True))


EDGES = [(0, 1, 2.0), (0, 2, 0.0), (2, 1, 3.0)]


def matrix(form):
    rows, cols, values = zip(*EDGES, strict=True)
    return sparse.coo_array((values, (rows, cols)), shape=(4, 4)).asformat(form)


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil"])
def test_explicit_zeros_are_edges_of_weight_0(form):
    graph = wp.Graph.of(matrix(form))
    assert graph.n == 4
    assert edges_of(graph) == EDGES


@pytest.mark.parametrize("form", ["bsr", "dia", "dok"])
def test_zeros_that_fill_blocks_and_diagonals_are_no_edges(form):
    found = edges_of(wp.Graph.of(matrix(form)))
    assert [e for e in found if e[2]] == [e for e in EDGES if e[2]]
    assert len(found) == (3 if form == "dok" else 2)


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_matrices_are_read_as_arrays_are(form):
    old = getattr(sparse, f"{form}_matrix")(matrix(form))
    assert edges_of(wp.Graph.of(old)) == EDGES


def test_parallel_entries_stay_parallel():
    twice = sparse.coo_array(([1.0, 5.0], ([0, 0], [1, 1])), shape=(2, 2))
    assert edges_of(wp.Graph.of(twice)) == [(0, 1, 1.0), (0, 1, 5.0)]


def test_a_graph_owns_its_arrays_and_the_matrix_stays_writeable():
    given_matrix = matrix("csr")
    given_matrix.indices = given_matrix.indices.astype(np.int32)
    graph = wp.Graph.of(given_matrix)
    assert not np.shares_memory(graph.weights, given_matrix.data)
    assert not np.shares_memory(graph.indices, given_matrix.indices)
    assert given_matrix.data.flags.writeable
    assert not graph.weights.flags.writeable


def test_spare_room_behind_the_last_entry_is_ignored():
    spare = matrix("csr")
    spare.data = np.append(spare.data, np.nan)
    spare.indices = np.append(spare.indices, 99).astype(np.int32)
    assert edges_of(wp.Graph.of(spare)) == EDGES


def test_infinite_entries_are_no_edges():
    assert wp.Graph.of(sparse.csr_array(np.array([[0, np.inf], [1, 0]]))).m == 1


def test_a_triangle_read_as_undirected_gets_its_opposites():
    upper = sparse.csr_array(np.array([[0, 2], [0, 0]]))
    graph = wp.Graph.of(upper, directed=False)
    assert edges_of(graph) == [(0, 1, 2), (1, 0, 2)]
    assert not graph.directed


def test_a_symmetric_matrix_read_as_undirected_keeps_its_entries():
    graph = wp.Graph.of(sparse.csr_array(np.array([[7, 2], [2, 0]])), directed=False)
    assert edges_of(graph) == [(0, 0, 7), (0, 1, 2), (1, 0, 2)]
    assert graph.facts().edges == 2


def test_a_matrix_that_is_not_square_is_refused():
    with pytest.raises(GraphError, match=r"shape \(2, 3\).*must be square"):
        wp.Graph.of(sparse.csr_array((2, 3)))


def test_a_sparse_vector_is_refused():
    with pytest.raises(GraphError, match=r"shape \(3,\)"):
        wp.Graph.of(sparse.coo_array(np.array([1, 0, 2])))


def test_complex_entries_are_refused():
    with pytest.raises(WeightError, match="complex128 cannot be used"):
        wp.Graph.of(sparse.csr_array(np.array([[0, 1j], [0, 0]])))


def test_nan_is_refused_with_the_place():
    with pytest.raises(WeightError, match=r"weights\[0\] = nan"):
        wp.Graph.of(sparse.csr_array(np.array([[0, np.nan], [0, 0]])))


def test_another_object_of_scipy_is_refused():
    spatial = pytest.importorskip("scipy.spatial")
    with pytest.raises(GraphError, match="is not a sparse matrix"):
        wp.Graph.of(spatial.KDTree(np.eye(3)))


def test_damaged_rows_are_refused():
    broken = matrix("csr")
    broken.indices[0] = 44
    with pytest.raises(GraphError, match=r"indices\[0\] = 44"):
        wp.Graph.of(broken)


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 9)), max_size=20),
    st.sampled_from(["csr", "csc", "coo"]),
)
def test_a_graph_comes_back_from_scipy(edges, form):
    graph = wp.Graph.of(edges, n=6)
    entries = graph.to_scipy(parallel="keep").tocoo()
    assert entries.nnz == graph.m
    if len({edge[:2] for edge in edges}) == len(edges):  # other formats may add parallel entries
        entries = entries.asformat(form)
    again = wp.Graph.of(entries)
    assert again.n == 6
    assert edges_of(again) == edges_of(graph)
