"""The table "where we differ and why": it is complete, and both modules do what it says."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from hunt.program import Finding
from hunt.programs import scipy_face
from warpath import csgraph as ours

sparse = pytest.importorskip("scipy.sparse")
theirs = pytest.importorskip("scipy.sparse.csgraph")

from hunt.programs._scipy_calls import Call  # noqa: E402 - they import SciPy
from hunt.programs._scipy_differences import (  # noqa: E402
    DIFFERENCES,
    NOT_ASKED,
    scipy_can_be_asked,
    table,
)
from hunt.programs._scipy_matrices import Matrix  # noqa: E402

DOCS = Path(__file__).parents[2] / "docs" / "how-to" / "scipy.md"
INF, NAN = np.inf, np.nan
CHAIN = [[0.0, 1, 0], [0, 0, 1], [0, 0, 0]]
ALL_CYCLES = np.array([[-9999, 2, 1]] * 3, np.int32)


def dense(rows, kind="array", **options):
    container = {
        "array": lambda: np.array(rows, **options),
        "list": lambda: [list(row) for row in rows],
        "fortran": lambda: np.array(rows, order="F"),
        "masked": lambda: np.ma.masked_array(rows, np.array(rows) == 0),
        "nomask": lambda: np.ma.masked_array(rows),
    }[kind]
    return Matrix(kind, len(rows), container)


def compressed(data, indices, indptr, kind="csr_array", index=np.int32):
    parts = np.array(data, float), np.array(indices, index), np.array(indptr, index)
    n = len(indptr) - 1
    return Matrix(kind, n, lambda: sparse.csr_array(parts, shape=(n, n)))


ROUND = [[0, 0.2, 0.7], [0.2, 0, 0], [-0.1, -0.1, 0]]
FAR = [[0, -1.7e308, 0], [0, 0, -1.7e308], [0, 0, 0]]
FORKS = [[0, 0, 0.1, 0], [0, 0, 0, 0.3], [0.7, 0.7, 0, 0.3], [0, 0, 0, 0]]
PARALLEL = compressed([2, 1], [1, 1], [0, 2, 2], "csr_array duplicates")

#: A call for each row of the table, by the beginning of its first column.
EXAMPLES = {
    "an entry of -inf": Call("bellman_ford", compressed([-INF], [1], [0, 1, 1])),
    "lists in": Call("shortest_path", dense(CHAIN, "list")),
    "a masked array without a mask": Call("dijkstra", dense(CHAIN, "nomask")),
    "`yen` of a matrix without an entry": Call("yen", dense(np.zeros((2, 2))), (0, 0, 1)),
    "`yen` of a sparse matrix with indices": Call(
        "yen", compressed([-1], [1], [0, 1, 1], index=np.int64), (0, 1, 1)
    ),
    "`yen` with `True`": Call("yen", compressed([-1], [0], [0, 0, 1]), (True, 0, 1)),
    "`reconstruct_path`": Call("reconstruct_path", dense(CHAIN), (np.full(3, -9999.0),)),
    "indices in an array": Call("dijkstra", dense(CHAIN), (), {"indices": np.array([2**32])}),
    "sums that round in `floyd_warshall`": Call("floyd_warshall", dense(ROUND)),
    "`bellman_ford` with": Call(
        "bellman_ford", dense([[0, 1e8, 0], [0, 0, 0.7], [0, 0, 0.1]]), (), {"directed": False}
    ),
    "sums that round in `yen`": Call("yen", dense(FORKS), (0, 3, 2)),
    "negative cycles no longer": Call("bellman_ford", dense([[-1e-320]], "masked")),
    "sums of negative weights that": Call("bellman_ford", dense(FAR)),
    "NaN in a masked array": Call("floyd_warshall", dense([[0, NAN], [0, 0]], "masked")),
    "`dijkstra` where": Call("dijkstra", dense([[0, -1], [-1, 0]])),
    "`yen` with `K=0`": Call("yen", dense(CHAIN), (0, 1, 0)),
    "`yen` of a matrix with several": Call("yen", PARALLEL, (0, 1, 1)),
    "predecessors in": Call("construct_dist_matrix", dense(CHAIN), (ALL_CYCLES,)),
    "`floyd_warshall` of an array": Call("floyd_warshall", dense(CHAIN, "fortran")),
}


def example_of(case):
    return next(call for start, call in EXAMPLES.items() if case.startswith(start))


def test_the_table_in_the_docs_is_that_of_the_hunting_program():
    assert "\n".join(table()) in DOCS.read_text()
    lines = DOCS.read_text().splitlines()
    rows = [line for line in lines if line.startswith("|")]
    assert rows == table()
    assert len(EXAMPLES) == len(table()) - 2


@pytest.mark.parametrize("difference", DIFFERENCES, ids=lambda one: one.case[:40])
def test_both_modules_still_do_what_the_table_says(difference):
    call = example_of(difference.case)
    assert scipy_can_be_asked(call)
    mine, other = call.on(ours, call.matrix.make()), call.on(theirs, call.matrix.make())
    assert scipy_face._difference(mine, other) in scipy_face._MAY_BE_ANNOUNCED
    assert [one.case for one in DIFFERENCES if one.covers(call, mine, other)] == [difference.case]
    counts = Counter()
    scipy_face.compare(call, counts)
    assert counts["announced differences"] == 1


@pytest.mark.parametrize("difference", DIFFERENCES, ids=lambda one: one.case[:40])
def test_a_difference_that_is_not_announced_is_found(difference, monkeypatch):
    kept = tuple(one for one in DIFFERENCES if one is not difference)
    monkeypatch.setattr("hunt.programs._scipy_differences.DIFFERENCES", kept)
    with pytest.raises(Finding):
        scipy_face.compare(example_of(difference.case), Counter())


@pytest.mark.parametrize("one", NOT_ASKED, ids=lambda one: one.case[:40])
def test_calls_that_scipy_does_not_answer_are_answered_by_ours(one):
    call = example_of(one.case)
    assert [other.case for other in NOT_ASKED if other.covers(call)] == [one.case]
    mine = call.on(ours, call.matrix.make())
    assert mine.error is None or isinstance(mine.error, ValueError | ours.NegativeCycleError)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_scipy_returns_arrays_that_are_not_contiguous_by_rows_unsolved():
    matrix = np.asfortranarray(CHAIN)
    assert theirs.floyd_warshall(matrix)[0, 2] == INF
    assert ours.floyd_warshall(matrix)[0, 2] == 2
