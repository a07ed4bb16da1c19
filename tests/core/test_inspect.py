"""What a look through rows finds, on one thread and on several, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import warpath as wp
from support import strategies
from warpath import _core

THREADS = pytest.mark.parametrize("threads", [1, 3])
TYPES = pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])


def inspected(indptr, indices, weights, threads=1):
    report, kept = _core.validate_rows(indptr, indices, weights, copied=True, threads=threads)
    assert (report is None) == (kept is not None)
    nothing = {"bad_ends": False, "descending": -1, "bad_index": -1, "bad_weight": -1, "absent": 0}
    return nothing if report is None else report


def rows(m=50_000, n=700, dtype=np.float64, index=np.int32):
    """Rows with one that is longer than a block, and empty ones."""
    rng = np.random.default_rng(7)
    src = np.sort(np.where(rng.random(m) < 0.4, 5, rng.integers(0, n - 9, m)))
    indptr = np.searchsorted(src, np.arange(n + 1)).astype(np.int64)
    return indptr, rng.integers(0, n, m).astype(index), rng.integers(1, 90, m).astype(dtype), src


@THREADS
@TYPES
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_facts_are_those_of_the_arrays(threads, dtype, index):
    indptr, indices, weights, src = rows(dtype=dtype, index=index)
    weights[[9, 20_000, 49_999]] = -3, 0, -1
    found = _core.row_facts(indptr, indices, weights, threads=threads)
    degrees = np.diff(indptr)
    n = len(degrees)
    assert found == {
        "min_degree": degrees.min(),
        "max_degree": degrees.max(),
        "loops": np.count_nonzero(src == indices),
        "far": np.count_nonzero(np.abs(src - indices) > int(4 * np.sqrt(n))),
        "negative": 2,
        "zero": 1,
        "first_negative": 9,
        "min_weight": -3,
        "max_weight": 89,
        "mean_weight": weights.sum(dtype=np.float64) / len(weights),
    }


@THREADS
def test_the_mean_of_rounded_weights_is_the_same_on_any_number_of_threads(threads):
    indptr, indices, weights, _ = rows()
    alone = _core.row_facts(indptr, indices, weights / 7, threads=1)
    assert _core.row_facts(indptr, indices, weights / 7, threads=threads) == alone


def test_the_range_of_large_integers_is_not_rounded():
    indptr, indices = np.array([0, 2, 2]), np.array([0, 1], np.int32)
    weights = np.array([2**53 + 1, -(2**63)])
    found = _core.row_facts(indptr, indices, weights)
    assert (found["min_weight"], found["max_weight"]) == (-(2**63), 2**53 + 1)
    assert {type(found["min_weight"]), type(found["max_weight"])} == {int}


@given(strategies.graphs(np.float64, negative=True))
def test_facts_of_small_graphs(graph):
    found = _core.row_facts(graph.indptr, graph.indices, graph.weights)
    src, dst, weights = graph.edges()
    assert found["loops"] == np.count_nonzero(src == dst)
    assert found["far"] == np.count_nonzero(np.abs(src - dst) > int(4 * np.sqrt(graph.n)))
    assert found["negative"] == np.count_nonzero(weights < 0)
    assert found["zero"] == np.count_nonzero(weights == 0)
    assert (found["min_weight"], found["max_weight"]) == (
        (weights.min(), weights.max()) if graph.m else (0, 0)
    )


@THREADS
@TYPES
def test_good_rows_have_nothing_wrong(threads, dtype):
    indptr, indices, weights, _ = rows(dtype=dtype)
    found = inspected(indptr, indices, weights, threads=threads)
    assert found == {
        "bad_ends": False,
        "descending": -1,
        "bad_index": -1,
        "bad_weight": -1,
        "absent": 0,
    }


@THREADS
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("wrong", [-1, 700, "least", "most"])
def test_the_first_index_that_is_no_vertex_is_found(threads, index, wrong):
    indptr, indices, weights, _ = rows(index=index)
    limits = np.iinfo(index)
    value = {"least": limits.min, "most": limits.max}.get(wrong, wrong)
    indices[[8200, 8191, 49_999]] = value
    assert inspected(indptr, indices, weights, threads=threads)["bad_index"] == 8191
    indices[0] = value
    assert inspected(indptr, indices, weights, threads=threads)["bad_index"] == 0


@THREADS
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("wrong", [np.nan, -np.inf])
def test_the_first_weight_that_is_none_is_found_and_absent_ones_are_counted(threads, dtype, wrong):
    indptr, indices, weights, _ = rows(dtype=dtype)
    weights[[3, 30_000, 49_998]] = np.inf
    found = inspected(indptr, indices, weights, threads=threads)
    assert (found["absent"], found["bad_weight"]) == (3, -1)
    weights[[33_000, 49_999]] = wrong
    found = inspected(indptr, indices, weights, threads=threads)
    assert (found["absent"], found["bad_weight"]) == (3, 33_000)


@THREADS
def test_offsets_that_descend_or_end_elsewhere_are_found(threads):
    indptr, indices, weights, _ = rows(n=20_000)
    indptr[15_000] = indptr[15_001] + 1
    indptr[19_000] = indptr[19_001] + 1
    found = inspected(indptr, indices, weights, threads=threads)
    assert (found["descending"], found["bad_ends"]) == (15_000, False)
    assert inspected(indptr, indices[1:], weights[1:], threads=threads)["bad_ends"]


@given(st.integers(-2, 2))
def test_a_graph_without_vertices_has_no_edge(index):
    nothing = np.zeros(1, np.int64)
    found = inspected(nothing, np.array([index], np.int32), np.ones(1))
    assert found["bad_index"] == 0


def test_no_thread_is_too_few():
    with pytest.raises(ValueError, match="threads must be >= 1"):
        _core.row_facts(*rows()[:3], threads=0)


def test_the_longest_path_of_the_most_negative_weight_is_bounded_exactly():
    facts = wp.Graph.of([(0, 1, -(2**63)), (1, 2, 2**53 + 1)]).facts()
    assert facts.longest == 3 * 2**63
    assert not facts.sums_fit_int32
    assert wp.Graph.of([(0, 1, 2**53 + 1)]).facts().longest == 2 * (2**53 + 1)
