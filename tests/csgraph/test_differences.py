"""The table "where we differ and why" of the docs: both modules do what each row says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from warpath import csgraph as ours

sparse = pytest.importorskip("scipy.sparse")
theirs = pytest.importorskip("scipy.sparse.csgraph")

DOCS = Path(__file__).parents[2] / "docs" / "how-to" / "scipy.md"
INF, NAN = np.inf, np.nan
CHAIN = [[0.0, 1, 0], [0, 0, 1], [0, 0, 0]]
FAR = [[0, -1.7e308, 0], [0, 0, -1.7e308], [0, 0, 0]]
ROUND = [[0, 0.2, 0.7], [0.2, 0, 0], [-0.1, -0.1, 0]]
FORKS = [[0, 0, 0.1, 0], [0, 0, 0, 0.3], [0.7, 0.7, 0, 0.3], [0, 0, 0, 0]]
DIAMOND = [[0, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]]
NEARLY_NO_CYCLE = [[0, 1e8, 0], [0, 0, 0.7], [0, 0, 0.1]]


def dense(rows):
    return np.array(rows, float)


def compressed(data, indices, indptr, index=np.int32):
    parts = np.array(data, float), np.array(indices, index), np.array(indptr, index)
    return sparse.csr_array(parts, shape=(len(indptr) - 1,) * 2)


#: For each row of the table, by the beginning of its first column: a call, and the exceptions or
#: answers of warpath and of SciPy; ... is for any answer, of which two must differ.
EXAMPLES = {
    "an entry of -inf": (
        lambda m: m.bellman_ford(compressed([-INF], [1], [0, 1, 1])),
        ValueError,
        ...,
    ),
    "lists in": (lambda m: m.shortest_path(CHAIN), [[0, 1, 2], [INF, 0, 1], [INF, INF, 0]],
                 AttributeError),
    "a masked array without a mask": (
        lambda m: m.dijkstra(np.ma.masked_array([[0.0, 1], [2, 0]])),
        [[0, 1], [2, 0]],
        np.exceptions.AxisError,
    ),
    "`yen` of a matrix without an entry": (
        lambda m: m.yen(np.zeros((2, 2)), 0, 0, 1), [0], ValueError,
    ),
    "`yen` of a sparse matrix with indices": (
        lambda m: m.yen(compressed([-1], [1], [0, 1, 1], np.int64), 0, 1, 1), [-1], ValueError,
    ),
    "`yen` with `True`": (
        lambda m: m.yen(compressed([-1], [0], [0, 0, 1]), np.bool_(1).item(), 0, 1),
        [-1],
        (ValueError, IndexError),
    ),
    "`reconstruct_path`": (
        lambda m: m.reconstruct_path(dense(CHAIN), np.full(3, -9999.0)).toarray(), ValueError, ...,
    ),
    "indices in an array": (
        lambda m: m.dijkstra(dense(CHAIN), indices=np.array([2**32])), ValueError, [[0, 1, 2]],
    ),
    "sums that round in `floyd_warshall`": (lambda m: m.floyd_warshall(dense(ROUND)), ..., ...),
    "`bellman_ford` with": (
        lambda m: m.bellman_ford(dense(NEARLY_NO_CYCLE), directed=False), ...,
        theirs.NegativeCycleError,
    ),
    "paths of the same length in `yen`": (
        lambda m: m.yen(dense(DIAMOND), 0, 3, 2, return_predecessors=True)[1],
        [[-9999, 0, -9999, 1], [-9999, -9999, 0, 2]],
        [[-9999, -9999, 0, 2], [-9999, 0, -9999, 1]],
    ),
    "sums that round in `yen`": (lambda m: m.yen(dense(FORKS), 0, 3, 2), ..., ...),
    "negative cycles no longer": (
        lambda m: m.bellman_ford(np.ma.masked_array([[-1e-320]], [[False]])),
        ours.NegativeCycleError,
        [[0]],
    ),
    "sums of negative weights that": (
        lambda m: m.bellman_ford(dense(FAR)), OverflowError, (theirs.NegativeCycleError, ...),
    ),
    "NaN in a masked array": (
        lambda m: m.floyd_warshall(np.ma.masked_array([[0, NAN], [0, 0]], [[1, 0], [1, 1]])),
        [[0, INF], [INF, 0]],
        [[0, NAN], [INF, 0]],
    ),
    # SciPy is not asked for these: it may not end, or crash.
    "`dijkstra` where": (
        lambda m: m.dijkstra(dense([[0, -1], [-1, 0]])), ours.NegativeCycleError, None,
    ),
    "`yen` with `K=0`": (lambda m: m.yen(dense(CHAIN), 0, 1, 0), [], None),
    "`yen` of a matrix with several": (
        lambda m: m.yen(compressed([2, 1], [1, 1], [0, 2, 2]), 0, 1, 1), [1], None,
    ),
    "predecessors in": (
        lambda m: m.construct_dist_matrix(dense(CHAIN), np.array([[-9999, 2, 1]] * 3, np.int32)),
        ValueError,
        None,
    ),
    "`floyd_warshall` of an array": (
        lambda m: m.floyd_warshall(np.asfortranarray(CHAIN)),
        [[0, 1, 2], [INF, 0, 1], [INF, INF, 0]],
        [[INF, 1, INF], [INF, INF, 1], [INF, INF, INF]],
    ),
}  # fmt: skip


def test_each_row_of_the_docs_has_an_example():
    rows = [line for line in DOCS.read_text().splitlines() if line.startswith("| ")][1:]
    for row in rows:
        assert sum(row.startswith(f"| {start}") for start in EXAMPLES) == 1, row
    assert len(rows) == len(EXAMPLES)


def outcome(module, call, expected):
    """Return an answer, after a comparison with what is expected; None for an exception."""
    kinds = expected if isinstance(expected, tuple) else (expected,)
    errors = tuple(kind for kind in kinds if isinstance(kind, type))
    try:
        answer = call(module)
    except errors:
        return None
    assert ... in kinds or not errors, f"{answer} in place of {errors}"
    first = np.asarray(answer[0] if isinstance(answer, tuple) else answer)
    if isinstance(expected, list):
        assert np.array_equal(first, np.reshape(expected, first.shape), equal_nan=True)
    return first


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore:Graph has negative weights")
@pytest.mark.parametrize("start", EXAMPLES)
def test_both_modules_do_what_the_table_says(start):
    call, mine, other = EXAMPLES[start]
    found = outcome(ours, call, mine)
    if other is not None:
        expected = outcome(theirs, call, other)
        assert found is None or expected is None or not np.array_equal(found, expected)
