"""Our answers beside SciPy's, on random matrices of all kinds."""

from __future__ import annotations

import warnings
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from warpath import csgraph as ours

sparse = pytest.importorskip("scipy.sparse")
theirs = pytest.importorskip("scipy.sparse.csgraph")

pytestmark = pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")

FORMATS = ("csr", "csc", "coo", "lil", "dok", "bsr", "dia", "dense", "masked", "matrix")
DTYPES = ("float64", "float32", "int64", "int32", "uint8", "bool")
#: Sums of these are exact in any order.
EXACT = (0.0, 0.0, 0.25, 0.5, 1.0, 1.0, 2.0, 3.0, 100.0, np.inf, np.nan)
WHOLE = (0, 0, 1, 1, 2, 3, 100)
ROUNDED = (0.0, 0.1, 0.2, 0.3, 0.7, 1e-8, 1e8, 1e-40)


class Case(NamedTuple):
    """A matrix, and how it is asked for."""

    matrix: object
    n: int
    directed: bool
    unweighted: bool
    indices: object


@st.composite
def cases(draw, weights=None, formats=FORMATS, dtypes=DTYPES, *, indices=True):
    n = draw(st.integers(1, 7))
    form, dtype = draw(st.sampled_from(formats)), draw(st.sampled_from(dtypes))
    if weights is None:
        values = st.sampled_from(EXACT if np.dtype(dtype).kind == "f" else WHOLE)
    else:
        values = st.sampled_from(weights)
    vertex = st.integers(0, n - 1)
    entries = draw(st.lists(st.tuples(vertex, vertex, values), max_size=4 * n))
    asked = st.none()
    if indices:
        one = st.integers(-n, n - 1)
        square = st.lists(one, min_size=4, max_size=4).map(lambda four: np.reshape(four, (2, 2)))
        asked = st.one_of(asked, one, st.lists(one, max_size=4), square)
    return Case(
        made(entries, n, form, dtype), n, draw(st.booleans()), draw(st.booleans()), draw(asked)
    )


def made(entries, n, form, dtype):
    rows, cols, values = (
        (list(part) for part in zip(*entries, strict=True)) if entries else ([],) * 3
    )
    at = (np.array(rows, np.int32), np.array(cols, np.int32))
    if form in {"dense", "masked", "matrix"}:
        matrix = np.zeros((n, n), dtype)
        matrix[at] = np.array(values, dtype)
        if form == "matrix":
            return np.matrix(matrix)
        mask = np.ones((n, n), np.bool_)
        mask[at] = False
        return matrix if form == "dense" else np.ma.masked_array(matrix, mask)
    coo = sparse.coo_array((np.array(values, dtype), at), shape=(n, n))
    return coo if form == "coo" else coo.asformat(form)


def outcome(function, *arguments, **options):
    """Return what a function does: its answer, or the class of its error, and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            answer = function(*arguments, **options)
        except theirs.NegativeCycleError:
            answer = "negative cycle"
        except ValueError:
            answer = "value error"
    return answer, [(one.category, str(one.message)) for one in caught]


def parts(answer):
    return answer if isinstance(answer, tuple) else (answer,)


def agree(name, case, same=np.array_equal, **options):
    """Compare an answer with SciPy's: types, shapes, distances; predecessors by their rule."""
    options |= {"directed": case.directed, "unweighted": case.unweighted}
    expected, warned = outcome(getattr(theirs, name), case.matrix, **options)
    found, told = outcome(getattr(ours, name), case.matrix, **options)
    assert told == warned
    if isinstance(expected, str) or isinstance(found, str):
        assert type(found) is type(expected)
        assert found == expected
        return
    for mine, other in zip(parts(found), parts(expected), strict=True):
        assert type(mine) is type(other)
        assert mine.dtype == other.dtype
        assert mine.shape == other.shape
        assert mine.flags.writeable
    assert same(parts(found)[0], parts(expected)[0])
    if len(parts(found)) == 2:
        sources = np.arange(case.n) if case.indices is None else np.asarray(case.indices)
        check_trees(case, sources, *found, loops=name != "floyd_warshall")


def edges_of(case, *, loops=True):
    """Return the (n, n) lengths that SciPy reads, inf where there is no edge."""
    matrix = case.matrix
    if sparse.issparse(matrix):
        rows = matrix.tocsr()
        lengths = np.full((case.n, case.n), np.inf)
        src = np.repeat(np.arange(case.n), np.diff(rows.indptr))
        values = np.ones(rows.nnz) if case.unweighted else rows.data.astype(float)
        np.minimum.at(lengths, (src, rows.indices), np.where(np.isnan(values), np.inf, values))
    else:
        plain = np.array(np.ma.getdata(matrix), float)
        absent = np.ma.getmaskarray(matrix) if np.ma.isMaskedArray(matrix) else plain == 0
        if not loops:
            absent = absent | (plain == 0)
        if not (np.ma.isMaskedArray(matrix) and case.unweighted and loops):
            absent = absent | ~np.isfinite(plain)
        lengths = np.where(absent, np.inf, 1.0 if case.unweighted else plain)
    return lengths if case.directed else np.minimum(lengths, lengths.T)


def check_trees(case, sources, dist, pred, *, loops=True):
    """Each reached vertex has a tight edge from its predecessor, and all lead to the source."""
    lengths = edges_of(case, loops=loops)
    sources = np.ravel(sources) % case.n
    rows = dist.reshape(-1, case.n), pred.reshape(-1, case.n)
    for s, row, before in zip(sources.tolist(), *rows, strict=True):
        assert before[s] == -9999
        for v in range(case.n):
            if v == s or row[v] == np.inf:
                assert before[v] == -9999
                continue
            assert row[before[v]] + lengths[before[v], v] == row[v]
            at, steps = v, 0
            while at != s:
                at, steps = before[at], steps + 1
                assert 0 <= at < case.n
                assert steps < case.n


@given(cases(), st.sampled_from(["dijkstra", "bellman_ford", "johnson"]), st.booleans())
def test_searches_of_exact_weights(case, name, predecessors):
    agree(name, case, indices=case.indices, return_predecessors=predecessors)


@given(cases(), st.sampled_from(["auto", "D", "BF", "J", "FW", "X"]), st.booleans(), st.booleans())
def test_shortest_path_takes_the_same_method(case, method, predecessors, ask):
    # SciPy overwrites what it was given where it may; ours only as the answer of Floyd-Warshall.
    options = {"indices": case.indices} if ask else {}
    if not ask:
        case = case._replace(indices=None)
    agree("shortest_path", case, method=method, return_predecessors=predecessors, **options)


@given(cases(indices=False), st.booleans())
def test_floyd_warshall_of_exact_weights(case, predecessors):
    agree("floyd_warshall", case, return_predecessors=predecessors)


@given(cases(ROUNDED, dtypes=("float64", "float32")), st.sampled_from(["dijkstra", "johnson"]))
def test_rounded_sums_have_the_same_bits(case, name):
    agree(name, case, indices=case.indices)


@given(cases(ROUNDED, formats=("csr", "coo", "dense"), dtypes=("float64",)))
def test_bellman_ford_rounds_in_the_same_way(case):
    agree("bellman_ford", case._replace(directed=True), indices=case.indices)


@given(cases((0.1, 0.3, 0.7, 2.1), dtypes=("float64",), indices=False))
def test_floyd_warshall_adds_in_another_order_and_agrees_within_n_eps(case):
    def same(a, b):
        return np.allclose(a, b, rtol=case.n * np.finfo(float).eps, atol=0)

    agree("floyd_warshall", case, same)


signed = cases((-2, -1, 0, 1, 2, 5), dtypes=("float64", "int32"))


@given(signed, st.sampled_from(["bellman_ford", "johnson", "floyd_warshall"]), st.booleans())
def test_negative_weights_and_cycles(case, name, predecessors):
    options = {} if name == "floyd_warshall" else {"indices": case.indices}
    if name == "floyd_warshall":
        case = case._replace(indices=None)
    agree(name, case, return_predecessors=predecessors, **options)


@given(signed, st.booleans())
def test_dijkstra_warns_of_negative_weights(case, predecessors):
    answer, _ = outcome(
        ours.bellman_ford, case.matrix, directed=case.directed, unweighted=case.unweighted
    )
    if isinstance(answer, str):  # SciPy does not end where a negative cycle is reached
        return
    agree("dijkstra", case, indices=case.indices, return_predecessors=predecessors)


@given(cases(), st.sampled_from([0, 0.25, 1, 2.5, 100, np.inf]), st.booleans())
def test_a_limit(case, limit, predecessors):
    agree("dijkstra", case, indices=case.indices, limit=limit, return_predecessors=predecessors)


@given(cases(), st.sampled_from([0, 1, 2.5, np.inf]))
def test_the_nearest_of_the_sources(case, limit):
    options = {
        "directed": case.directed,
        "unweighted": case.unweighted,
        "indices": case.indices,
        "limit": limit,
        "min_only": True,
    }
    expected = theirs.dijkstra(case.matrix, return_predecessors=True, **options)
    found = ours.dijkstra(case.matrix, return_predecessors=True, **options)
    alone = ours.dijkstra(case.matrix, **options)
    for mine, other in zip(found, expected, strict=True):
        assert (mine.dtype, mine.shape) == (other.dtype, other.shape)
        assert mine.flags.writeable
    dist, pred, sources = found
    assert np.array_equal(dist, expected[0])
    assert np.array_equal(dist, alone)
    chosen = np.arange(case.n) if case.indices is None else np.ravel(case.indices) % case.n
    lengths = edges_of(case)
    for v in range(case.n):
        if v in chosen:
            assert (dist[v], pred[v], sources[v]) == (0, -9999, v)
        elif dist[v] == np.inf:
            assert (pred[v], sources[v]) == (-9999, -9999)
        else:
            assert dist[pred[v]] + lengths[pred[v], v] == dist[v]
            assert sources[pred[v]] == sources[v]
            assert sources[v] in chosen
            at, steps = v, 0
            while pred[at] != -9999:
                at, steps = pred[at], steps + 1
                assert steps < case.n
            assert at == sources[v]


# SciPy makes no copy here: it refuses dense arrays of other types, and writes to what it gets.
@given(cases(formats=("csr", "csc", "coo", "lil", "dense"), dtypes=("float64",), indices=False))
def test_distances_along_predecessors(case):
    matrix = case.matrix
    _, pred = ours.dijkstra(matrix, directed=case.directed, return_predecessors=True)
    expected, _ = outcome(theirs.construct_dist_matrix, matrix.copy(), pred, case.directed, -1.0)
    found, _ = outcome(ours.construct_dist_matrix, matrix, pred, case.directed, -1.0)
    assert np.array_equal(found, expected)


@given(cases(formats=("csr", "csc", "coo", "lil", "dense", "matrix"), indices=False))
def test_trees_of_predecessors(case):
    _, pred = ours.dijkstra(
        case.matrix, directed=case.directed, indices=0, return_predecessors=True
    )
    expected = theirs.reconstruct_path(case.matrix, pred, case.directed)
    found = ours.reconstruct_path(case.matrix, pred, case.directed)
    assert type(found) is type(expected)
    for name in ("indptr", "indices", "data"):
        mine, other = getattr(found, name), getattr(expected, name)
        assert mine.dtype == other.dtype
        assert np.array_equal(mine, other, equal_nan=name == "data")


@given(cases((1, 1, 2, 3, 0.25, 7), indices=False), st.data(), st.integers(1, 12), st.booleans())
def test_the_k_shortest_paths(case, data, count, negative):
    source, sink = (data.draw(st.integers(0, case.n - 1)) for _ in range(2))
    matrix = case.matrix
    if negative and sparse.issparse(matrix) and matrix.dtype.kind == "f":
        matrix = -matrix
    options = {"directed": case.directed, "unweighted": case.unweighted}
    expected, _ = outcome(theirs.yen, matrix, source, sink, count, **options)
    found, _ = outcome(ours.yen, matrix, source, sink, count, return_predecessors=True, **options)
    # SciPy's, for a matrix without an entry and direction.
    assume(not (isinstance(expected, str) and expected == "value error"))
    if isinstance(expected, str) or isinstance(found, str):
        assert type(found) is type(expected)
        assert found == expected
        return
    dist, pred = found
    assert dist.dtype == expected.dtype
    assert np.array_equal(dist, expected)
    lengths = edges_of(case._replace(matrix=matrix))
    seen = set()
    for total, row in zip(dist, pred, strict=True):
        path = [sink]
        while row[path[-1]] != -9999:
            path.append(row[path[-1]])
            assert len(path) <= case.n
        assert path[-1] == source
        assert np.count_nonzero(row != -9999) == len(path) - 1
        assert total == sum(lengths[u, v] for v, u in pairwise(path))
        seen.add(tuple(path))
    assert len(seen) == len(dist)
