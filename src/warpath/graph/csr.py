"""CSR arrays: built from edges by a counting sort, or checked if they exist already."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpath import _core
from warpath.base.errors import GraphError, NotEnoughMemoryError
from warpath.base.settings import memory, threads
from warpath.graph.checks import (
    as_ids,
    as_weights,
    bad_weight,
    index_dtype,
    is_integer,
    out_of_range,
    shown,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from warpath.base.dtypes import Array

#: The weights argument of the core for a graph without weights.
NO_WEIGHTS = np.empty(0, np.int32)

#: Arrays below this number of bytes are made without a check of free memory.
_UNCHECKED_BYTES = 2**24

#: Vertices and edges per thread for passes that visit each of them once.
_PER_THREAD = 2**17


def threads_for(entries: int) -> int:
    """Return the number of threads for one pass over this many vertices and edges."""
    most = entries // _PER_THREAD
    return 1 if most <= 1 else min(threads(), most)


def rows_of_edges(
    src: ArrayLike, dst: ArrayLike, weights: ArrayLike | None, n: int | None, *, both: bool
) -> tuple[Array, Array, Array | None]:
    """Check edges and return (indptr, indices, weights); `both` also adds reversed edges."""
    src, dst = as_ids(src, "src"), as_ids(dst, "dst")
    wide = np.int32 if src.dtype == dst.dtype == np.int32 else np.int64
    src, dst = src.astype(wide, copy=False), dst.astype(wide, copy=False)
    checked = None if weights is None else as_weights(weights)
    for name, array in (("dst", dst), ("weights", checked)):
        if array is not None and len(array) != len(src):
            msg = f"src has {len(src)} entries but {name} has {len(array)}: one per edge."
            raise GraphError(msg)
    if n is not None and not (is_integer(n) and 0 <= n < 2**63):
        msg = f"n = {shown(n)} must be an integer, 0 or more, below 2^63."
        raise GraphError(msg)
    given = NO_WEIGHTS if checked is None else checked
    if len(src) == 0:
        given = given[:0]
    report = _core.inspect_edges(src, dst, given, -1 if n is None else n)
    for name, array, key in (("src", src, "bad_source"), ("dst", dst, "bad_target")):
        if report[key] >= 0:
            raise out_of_range(name, report[key], int(array[report[key]]), n)
    if report["bad_weight"] >= 0:
        raise bad_weight(report["bad_weight"], given)
    n = report["largest"] + 1 if n is None else int(n)
    m = 2 * report["kept"] - report["loops"] if both else report["kept"]
    _room_for(n, m * (index_dtype(n).itemsize + (0 if checked is None else given.itemsize)))
    indptr = np.empty(n + 1, np.int64)
    indices = np.empty(m, index_dtype(n))
    sorted_weights = np.empty(0 if checked is None else m, given.dtype)
    try:
        _core.build_csr(src, dst, given, both, indptr, indices, sorted_weights)
    except ValueError as error:  # another thread wrote to the arrays after they were inspected
        msg = f"{error}: no other thread may write src, dst and weights during the call."
        raise GraphError(msg) from error
    return checked_rows(indptr, indices, None if checked is None else sorted_weights, copied=False)


def _room_for(n: int, edges: int) -> None:
    """Raise NotEnoughMemoryError if n vertices and `edges` bytes of edges exceed free memory."""
    need = 8 * (n + 1)
    if need + edges > _UNCHECKED_BYTES and need + edges > memory():
        if need <= memory():
            msg = (
                f"the graph needs {need + edges:,} bytes, but {memory():,} are free: "
                f"{need:,} for n = {n:,} vertices, {edges:,} for its edges."
            )
            raise NotEnoughMemoryError(msg)
        msg = (
            f"n = {n:,} vertices need {need:,} bytes, but {memory():,} are free. "
            "Is the largest vertex right? Graph.from_labelled_edges takes ids with gaps."
        )
        raise NotEnoughMemoryError(msg)


def order_of_transpose(indptr: Array, indices: Array) -> NDArray[np.int64]:
    """Return the edges of a graph in the order of the rows of its reversed graph: (m,)."""
    ids = np.arange(len(indices))
    order = np.empty_like(ids)
    _core.transpose(indptr, indices, ids, np.empty_like(indptr), np.empty_like(indices), order)
    return order


def kept_rows(
    indptr: ArrayLike, indices: ArrayLike, weights: ArrayLike | None, *, copied: bool = True
) -> tuple[Array, Array, Array | None]:
    """Return checked CSR arrays that are read-only. O(n + m).

    The core recognises these arrays and does not check their content again. Arrays that come from
    this function are returned unchanged. Edges of weight +inf are left out.

    Parameters
    ----------
    indptr, indices, weights : as in `Graph.from_csr`.
    copied : False for arrays that only the caller holds and will not write again: the result is a
        view of them, not a copy.

    Raises
    ------
    GraphError, WeightError
    """
    rows, columns = _offsets(indptr), as_ids(indices, "indices")
    n = len(rows) - 1
    if columns.dtype == np.int64 and index_dtype(n) == np.int32:  # check before narrowing
        wrong = np.flatnonzero((columns < 0) | (columns >= n))
        if wrong.size:
            raise out_of_range("indices", int(wrong[0]), int(columns[wrong[0]]), n)
    columns = columns.astype(index_dtype(n), copy=False)
    return checked_rows(
        rows, columns, None if weights is None else as_weights(weights), copied=copied
    )


def _offsets(indptr: ArrayLike) -> Array:
    rows = as_ids(indptr, "indptr").astype(np.int64, copy=False)
    if len(rows) == 0:
        msg = "indptr is empty: it has n + 1 entries, so an empty graph has indptr = [0]."
        raise GraphError(msg)
    return rows


def checked_rows(
    rows: Array, columns: Array, weights: Array | None, *, copied: bool
) -> tuple[Array, Array, Array | None]:
    """Return what `kept_rows` does of arrays that have the types of a graph."""
    if weights is not None and len(weights) != len(columns):
        msg = f"indices has {len(columns)} entries but weights has {len(weights)}: one per edge."
        raise GraphError(msg)
    given = NO_WEIGHTS if weights is None else weights
    report, copies = _core.validate_rows(
        rows, columns, given, copied, threads_for(len(rows) + len(columns))
    )
    if copies is not None:
        return copies[0], copies[1], None if weights is None else copies[2]
    if report["bad_ends"] or report["descending"] >= 0:
        at = report["descending"]
        actual = f"indptr[{at}] > indptr[{at + 1}]" if at >= 0 else f"{rows[0]} .. {rows[-1]}"
        msg = f"indptr must ascend from 0 to m = {len(columns)}, found {actual}."
        raise GraphError(msg)
    if report["bad_index"] >= 0:
        at = report["bad_index"]
        raise out_of_range("indices", at, int(columns[at]), len(rows) - 1)
    if report["bad_weight"] >= 0:
        raise bad_weight(report["bad_weight"], given)
    # The only report left is weights of +inf. Copy before reading again: another thread may write
    # the caller's arrays.
    rows, columns, _ = checked_rows(rows, columns, None, copied=copied)
    lengths = np.array(given)
    finite = lengths != np.inf
    rows = np.concatenate(([0], np.cumsum(finite)))[rows]
    return checked_rows(rows, columns[finite], lengths[finite], copied=False)
