"""Lengths and limits at the ends of their types: the answers are SciPy's, and no call crashes."""

from __future__ import annotations

import numpy as np
import pytest

import warpath as wp
from warpath import csgraph

sparse = pytest.importorskip("scipy.sparse")
theirs = pytest.importorskip("scipy.sparse.csgraph")

INF, NAN = np.inf, np.nan
#: Just inside and outside int32, int64, float32 and the whole numbers of float64.
LARGE = [2.0**29, 2.0**31 - 1, 2.0**31, 3e9, 2.0**40, 2.0**53, 2.0**63, 1e39, 1e300]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("large", LARGE)
@pytest.mark.parametrize("small", [-1.0, -3.0, 0.0, 2.0])
def test_large_lengths_stay_what_they_are_between_all_pairs(large, small):
    # Kept whole numbers of int64 once wrapped in int32: 2^40 came out as 0, 3e9 as negative.
    chain = sparse.csr_array(([large, small, 7.0], ([0, 1, 3], [1, 2, 0])), shape=(4, 4))
    dense = chain.toarray()
    for given in (chain, dense):
        for name in ("floyd_warshall", "shortest_path"):
            found, pred = getattr(csgraph, name)(given, return_predecessors=True)
            expected = getattr(theirs, name)(given.copy())
            assert np.array_equal(found, expected)
            assert pred[0, 1] == 0


@pytest.mark.parametrize("large", LARGE)
def test_large_lengths_beside_negative_ones_make_no_negative_cycle(large):
    matrix = np.array([[0, large, -1], [5, 0, 0], [0, 5, 0]])
    assert np.array_equal(csgraph.shortest_path(matrix), theirs.shortest_path(matrix.copy()))


@pytest.mark.parametrize("large", LARGE)
def test_predecessors_over_edges_of_no_length_do_not_crash_beside_large_ones(large):
    lengths = sparse.csr_array(([large, 0.0], ([0, 1], [1, 2])), shape=(3, 3))
    dist, pred = csgraph.floyd_warshall(lengths, return_predecessors=True)
    assert np.array_equal(dist, theirs.floyd_warshall(lengths))
    assert pred.tolist() == [[-9999, 0, 1], [-9999, -9999, 1], [-9999, -9999, -9999]]


@pytest.mark.parametrize("name", ["dijkstra", "bellman_ford", "johnson"])
def test_a_negative_entry_is_seen_among_nans(name):
    # The least of entries with a NaN is NaN, which is not below 0: Dijkstra was run on -2.
    matrix = sparse.csr_array(([4.0, NAN, -2.0], ([0, 0, 1], [1, 2, 2])), shape=(3, 3))
    warned = pytest.warns(UserWarning, match="negative weights") if name == "dijkstra" else None
    if warned is None:
        found = getattr(csgraph, name)(matrix)
    else:
        with warned:
            found = getattr(csgraph, name)(matrix)
    assert found[0].tolist() == [0, 4, 2]


@pytest.mark.parametrize("unweighted", [False, True])
@pytest.mark.parametrize("min_only", [False, True])
@pytest.mark.parametrize("limit", [2**63 - 1, 2**63, 1e19, 1e300, NAN])
def test_a_limit_beyond_64_bits_and_one_that_is_no_number_are_scipys(limit, min_only, unweighted):
    matrix = sparse.csr_array(([0.0, 3.0], ([0, 1], [1, 2])), shape=(3, 3))
    for kind in (np.float64, np.int64):
        options = {"limit": limit, "min_only": min_only, "unweighted": unweighted, "indices": [0]}
        found = csgraph.dijkstra(matrix.astype(kind), return_predecessors=True, **options)
        expected = theirs.dijkstra(matrix.astype(kind), return_predecessors=True, **options)
        for mine, other in zip(found, expected, strict=True):
            assert mine.tolist() == other.tolist()


@pytest.mark.parametrize("name", ["dijkstra", "bellman_ford", "johnson", "shortest_path"])
@pytest.mark.parametrize("wide", [2**32, -(2**32), 2**31, 2**63 - 1])
def test_an_index_that_int32_does_not_hold_is_out_of_range(name, wide):
    # SciPy wraps it: 2^32 is vertex 0 there.
    with pytest.raises(ValueError, match=r"indices out of range 0\.\.\.N = 3: -?\d+"):
        getattr(csgraph, name)(np.eye(3), indices=np.array([0, wide]))


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("zero", [0.0, INF, NAN])
def test_every_entry_of_a_masked_array_that_is_not_masked_has_its_length_in_a_tree(zero, directed):
    masked = np.ma.masked_array([[9.0, zero, 9], [9, 9, 4], [9, 9, 9]], mask=np.ones((3, 3), bool))
    masked.mask[0, 1] = masked.mask[1, 2] = False
    pred = np.array([[-9999, 0, 1], [-9999, -9999, 1], [-9999, -9999, -9999]], np.int32)
    expected = theirs.construct_dist_matrix(masked.copy(), pred, directed)
    assert np.array_equal(
        csgraph.construct_dist_matrix(masked, pred, directed), expected, equal_nan=True
    )


@pytest.mark.parametrize("module", [csgraph, theirs])
@pytest.mark.parametrize("null", ["3", None, 1j, [1.0, 2.0]])
def test_a_null_value_that_is_no_number_is_a_type_error(module, null):
    with pytest.raises(TypeError):
        module.construct_dist_matrix(np.eye(3), np.full((3, 3), -9999, np.int32), null_value=null)


@pytest.mark.parametrize("min_only", [False, True])
@pytest.mark.parametrize("limit", [0, 1, 2.5])
def test_a_path_over_negative_edges_passes_no_vertex_beyond_the_limit(limit, min_only):
    matrix = np.zeros((5, 5))
    matrix[0, 1], matrix[1, 2], matrix[0, 3], matrix[3, 2], matrix[2, 4] = 3, -3, 1, -0.5, -1
    for indices in (None, 0, [0, 3], [[0], [1]]):
        options = {"indices": indices, "limit": limit, "min_only": min_only}
        with pytest.warns(UserWarning, match="negative weights"):
            found = csgraph.dijkstra(matrix, return_predecessors=True, **options)
        with pytest.warns(UserWarning, match="negative weights"):
            expected = theirs.dijkstra(matrix, return_predecessors=True, **options)
        for mine, other in zip(found, expected, strict=True):
            assert (mine.dtype, mine.tolist()) == (other.dtype, other.tolist())


def test_a_complex_number_without_a_real_part_is_no_edge_between_all_pairs():
    matrix = np.array([[0, 1j, 3], [0, 0, 1], [0, 1j, 0]])
    with pytest.warns(np.exceptions.ComplexWarning):
        found = csgraph.floyd_warshall(matrix)
    with pytest.warns(np.exceptions.ComplexWarning):
        expected = theirs.floyd_warshall(matrix.copy())
    assert found.tolist() == expected.tolist() == [[0, INF, 3], [INF, 0, 1], [INF, INF, 0]]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("given", [np.array, sparse.csr_array])
def test_sums_that_leave_float64_are_inf_without_a_warning(given):
    matrix = np.array([[0, 1.7e308, 0], [0, 0, 1.7e308], [0, 0, 0]])
    pred = np.array([[-9999, 0, 1], [-9999, -9999, 1], [-9999, -9999, -9999]], np.int32)
    for module in (csgraph, theirs):
        assert module.floyd_warshall(given(matrix))[0].tolist() == [0, 1.7e308, INF]
        assert module.construct_dist_matrix(given(matrix), pred)[0].tolist() == [0, 1.7e308, INF]


def test_potentials_that_leave_float64_do_not_stop_negative_lengths():
    matrix = np.array([[0, -1e300, 1.7e308], [0, 0, 1.7e308], [0, 3, 0]])
    found, pred = csgraph.floyd_warshall(matrix, return_predecessors=True)
    assert found.tolist() == theirs.floyd_warshall(matrix.copy()).tolist()
    assert pred.tolist() == [[-9999, 0, 1], [-9999, -9999, 1], [-9999, 2, -9999]]


def test_minus_infinity_in_a_masked_array_is_refused_with_its_place():
    masked = np.ma.masked_array([[0, 1.0], [-INF, 0]], mask=[[True, False], [False, True]])
    for name in ("floyd_warshall", "dijkstra"):
        with pytest.raises(ValueError, match="-inf"):
            getattr(csgraph, name)(masked)


@pytest.mark.parametrize(
    "call",
    [
        csgraph.johnson,
        csgraph.bellman_ford,
        csgraph.floyd_warshall,
        csgraph.shortest_path,
        lambda matrix: csgraph.yen(matrix, 0, 2, 2),
    ],
)
def test_a_sum_below_the_smallest_float64_raises_warpaths_own_error(call):
    matrix = np.array([[0, -1.7e308, 0], [0, 0, -1.7e308], [0, 0, 0]])
    with pytest.raises(wp.DistanceOverflowError, match=r"below the smallest|under potentials"):
        call(matrix)


def test_paths_whose_length_overflows_are_none_of_the_shortest():
    far = 1.7e308
    lengths = np.zeros((4, 4))
    lengths[0, 1], lengths[1, 2], lengths[1, 3], lengths[3, 2] = far, 1, 1, far
    assert csgraph.yen(lengths, 0, 2, 3).tolist() == [far]
    # Added from the end on, this path has the largest float as its length; along the path, inf.
    legs = map(float.fromhex, ("0x1.fffffffffffffp+1022", "0x1.ffffffffffffdp+1022", "0x1.8p+970"))
    lengths = np.zeros((5, 5))
    lengths[0, 1], lengths[1, 2], lengths[2, 3] = legs
    lengths[3, 4], lengths[1, 4] = 2.0**970, 1
    assert csgraph.yen(lengths, 0, 4, 3).tolist() == [lengths[0, 1]]
