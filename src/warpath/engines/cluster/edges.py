"""Chunks of edges: read on a worker, checked, and divided among the partitions."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import (
    GraphError,
    GraphFormatError,
    InputError,
    NegativeWeightError,
    WeightError,
    require,
)
from warpath.engines.cluster.partition import Sized, worker_name
from warpath.graph.checks import as_ids, as_weights, index_dtype
from warpath.io.dataframes import adapted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warpath.base.dtypes import Array
    from warpath.engines.cluster.division import Division
    from warpath.io.dataframes import Table

_SAMPLED = 4096  # labels of each end that a chunk contributes to the sample
_LARGEST = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Chunk:
    """Consecutive row groups of a Parquet file.

    Attributes
    ----------
    path : path of the file.
    groups : numbers of the row groups.
    first, rows : the first row, and the number of rows.
    """

    path: str
    groups: tuple[int, ...]
    first: int
    rows: int

    def __str__(self) -> str:
        return f"rows {self.first:,} to {self.first + self.rows - 1:,}"


@dataclass(frozen=True)
class Footer:
    """What a Parquet file says of itself: its columns and the rows of each row group."""

    path: str
    names: tuple[str, ...]
    rows: tuple[int, ...]


@dataclass(frozen=True)
class Columns:
    """The columns that describe an edge.

    Attributes
    ----------
    source, target, weight : their names; the weight may be None.
    n : the vertices are the numbers 0 .. n - 1; None if they are labels.
    both : whether a row is an edge in both directions.
    """

    source: str
    target: str
    weight: str | None
    n: int | None
    both: bool


@dataclass
class Piece(Sized):
    """Edges of one chunk whose sources belong to one partition.

    Attributes
    ----------
    names : (c,) distinct labels in ascending order, which `src` and `dst` are positions in; they
        include labels of this partition that the chunk has as targets only. None for numbers.
    src, dst : (m,) the ends.
    weights : (m,) weights; empty if every weight is 1.
    """

    names: Any
    src: Array
    dst: Array
    weights: Array


def footer(path: str) -> Footer:
    """Read the footer of a Parquet file."""
    file = _opened(path)
    data = file.metadata
    rows = tuple(data.row_group(at).num_rows for at in range(data.num_row_groups))
    return Footer(path, tuple(file.schema_arrow.names), rows)


def _opened(path: str) -> Any:
    parquet = require("pyarrow.parquet", extra="io", what="reading Parquet edge tables")
    arrow = require("pyarrow", extra="io", what="reading Parquet edge tables")
    try:
        return parquet.ParquetFile(path, memory_map=True)
    except FileNotFoundError:
        msg = f"the worker {worker_name()} does not find this file: all workers need its folder"
        raise GraphFormatError(path, None, msg) from None
    except (arrow.ArrowException, OSError, ValueError) as error:
        raise _damaged(path, error) from error


def _damaged(path: str, error: Exception) -> GraphFormatError:
    reason = " ".join(str(error).split())  # some messages of Arrow have several lines
    msg = f"this is not a valid Parquet file: {reason} (read by the worker {worker_name()})"
    return GraphFormatError(path, None, msg)


def _read(chunk: Chunk, names: list[str]) -> Table:
    arrow = require("pyarrow", extra="io", what="reading Parquet edge tables")
    try:
        file = _opened(chunk.path)
        return adapted(file.read_row_groups(list(chunk.groups), columns=names, use_threads=False))
    except (arrow.ArrowException, OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise _damaged(chunk.path, error) from error


@contextmanager
def _placed(chunk: Any, where: str) -> Iterator[None]:
    """Name the file or partition, its rows and the worker in errors of the input."""
    try:
        yield
    except GraphFormatError:
        raise
    except InputError as error:
        location = f"{chunk.path}, {chunk}" if isinstance(chunk, Chunk) else where
        msg = f"{location} (read by the worker {worker_name()}): {error}"
        raise type(error)(msg) from error


def sample(chunk: Any, where: str, columns: Columns) -> Array:
    """Return labels of ends of some edges of a chunk, evenly spread."""
    with _placed(chunk, where):
        table = _table(chunk, columns)
        picked = []
        for name in (columns.source, columns.target):
            ends = table.ends(name)
            picked.append(ends[:: max(1, len(ends) // _SAMPLED)])
        src, dst = (_as_labels(ends, "sample") for ends in picked)
        _refuse_mixed(src, dst, columns)
        return np.concatenate([src, dst])


def weight_type(chunk: Any, where: str, columns: Columns) -> np.dtype[Any]:
    """Return the type that the weights of a chunk have in a graph."""
    if columns.weight is None:
        return np.dtype(np.int32)
    with _placed(chunk, where):
        return as_weights(_table(chunk, columns).weights(columns.weight)).dtype


def _table(chunk: Any, columns: Columns) -> Table:
    names = [columns.source, columns.target, *([columns.weight] if columns.weight else [])]
    return _read(chunk, names) if isinstance(chunk, Chunk) else adapted(chunk)


def split(
    chunk: Any, where: str, columns: Columns, dtype: np.dtype[Any], division: Division
) -> list[Piece]:
    """Read a chunk, check it, and return its edges for each partition.

    Parameters
    ----------
    chunk : a `Chunk`, or a data frame.
    where : name of the data frame's partition, for errors.
    dtype : type of the weights.
    """
    with _placed(chunk, where):
        table = _table(chunk, columns)
        first = chunk.first if isinstance(chunk, Chunk) else 0
        src, dst = table.ends(columns.source), table.ends(columns.target)
        weights = np.empty(0, dtype)
        if columns.weight is not None:
            given = as_weights(table.weights(columns.weight))
            present = _checked_weights(given, columns.weight, first)
            if given.dtype != dtype:
                msg = f"column {columns.weight!r} is {given.dtype}, elsewhere {dtype}: use one type"
                raise WeightError(msg)
            src, dst, weights = src[present], dst[present], given[present]
        if columns.n is None:
            return _labelled(src, dst, weights, columns, division)
        return _numbered(src, dst, weights, columns, division, first)


def _checked_weights(weights: Array, name: str, first: int) -> Any:
    """Return which weights are not +inf; raise for one that is negative or NaN."""
    wrong = np.flatnonzero(~(weights >= 0))
    if len(wrong):
        at = int(wrong[0])
        value = weights[at]
        kind = WeightError if value != value or np.isinf(value) else NegativeWeightError  # noqa: PLR0124 - NaN
        msg = (
            f"row {first + at:,} of column {name!r} is {value}: partitions need finite weights "
            ">= 0. Remove the row, or use warpath.sssp on one machine for negative weights."
        )
        raise kind(msg)
    return slice(None) if weights.dtype.kind != "f" else weights != np.inf


def _numbered(
    src: Array, dst: Array, weights: Array, columns: Columns, division: Division, first: int
) -> list[Piece]:
    n = columns.n or 0
    src, dst = as_ids(src, columns.source), as_ids(dst, columns.target)
    for name, ends in ((columns.source, src), (columns.target, dst)):
        outside = np.flatnonzero((ends < 0) | (ends >= n))
        if len(outside):
            at = int(outside[0])
            msg = (
                f"row {first + at:,} of column {name!r} is {ends[at]}: vertices lie in 0 .. n - 1 "
                f"= {n - 1:,}. Give a larger n, or none to keep the numbers as labels."
            )
            raise GraphError(msg)
    small = index_dtype(n)
    src, dst = src.astype(small, copy=False), dst.astype(small, copy=False)
    src, dst, weights = _both(src, dst, weights) if columns.both else (src, dst, weights)
    return [
        Piece(None, src[edges], dst[edges], weights[edges] if len(weights) else weights)
        for edges in _groups(division.owners(src), division.count)
    ]


def _labelled(
    src: Array, dst: Array, weights: Array, columns: Columns, division: Division
) -> list[Piece]:
    src, dst = _as_labels(src, columns.source), _as_labels(dst, columns.target)
    _refuse_mixed(src, dst, columns)
    names, codes = _coded(src, dst)
    src, dst = codes[: len(src)], codes[len(src) :]
    src, dst, weights = _both(src, dst, weights) if columns.both else (src, dst, weights)
    if len(names) and names.dtype.kind != division.kind:
        msg = "some rows have integer labels and others strings: use one type in all files."
        raise GraphError(msg)
    owner = division.owners(names)
    pieces = []
    for part, edges in enumerate(_groups(owner[src], division.count)):
        used = owner == part
        used[src[edges]] = True
        used[dst[edges]] = True
        index_of_label = (np.cumsum(used) - 1).astype(np.int32)
        own_weights = weights[edges] if len(weights) else weights
        pieces.append(
            Piece(names[used], index_of_label[src[edges]], index_of_label[dst[edges]], own_weights)
        )
    return pieces


def _refuse_mixed(src: Array, dst: Array, columns: Columns) -> None:
    if src.dtype.kind != dst.dtype.kind and len(src):
        msg = (
            f"column {columns.source!r} holds {src.dtype} and column {columns.target!r} "
            f"{dst.dtype}: both must be integers, or both strings."
        )
        raise GraphError(msg)


def _as_labels(ends: Array, name: str) -> Array:
    """Return labels as int64, or as UTF-8 bytes."""
    if ends.dtype.kind in "iu":
        if len(ends) and int(ends.max()) >= _LARGEST:
            msg = f"column {name!r} has the label {ends.max()}: integer labels lie below 2^63 - 1."
            raise GraphError(msg)
        return ends.astype(np.int64, copy=False)
    texts = ends.tolist()
    if not all(type(text) is str for text in texts):
        at = next(at for at, text in enumerate(texts) if type(text) is not str)
        msg = f"row {at} of column {name!r} is {texts[at]!r}: labels are integers or strings."
        raise GraphError(msg)
    coded = [text.encode() for text in texts]
    if any(text.endswith(b"\0") for text in coded):
        msg = f"column {name!r} has a label that ends with the character NUL: remove it."
        raise GraphError(msg)
    return np.array(coded) if coded else np.empty(0, "S1")


def _coded(src: Array, dst: Array) -> tuple[Array, Array]:
    """Return the distinct labels of the ends in ascending order, and each end's position."""
    names, codes = np.unique(np.concatenate([src, dst]), return_inverse=True)
    return names, codes.astype(np.int32)


def _both(src: Array, dst: Array, weights: Array) -> tuple[Array, Array, Array]:
    """Append the reverse of every edge, except of self-loops."""
    proper = src != dst
    more = weights[proper] if len(weights) else weights
    return (
        np.concatenate([src, dst[proper]]),
        np.concatenate([dst, src[proper]]),
        np.concatenate([weights, more]),
    )


def _groups(owner: Array, count: int) -> list[Array]:
    """Return the positions of each partition's entries, in order."""
    order = np.argsort(owner, kind="stable")  # a radix sort for uint16
    cut = np.searchsorted(owner[order], np.arange(count + 1))
    return [order[begin:end] for begin, end in pairwise(cut)]


def expanded(patterns: Any) -> list[str]:
    """Return the absolute paths of Parquet files: of a file, a folder, a pattern or a list.

    Raises
    ------
    InputError
        No file matches.
    """
    import glob

    listed = [patterns] if isinstance(patterns, str | Path) else list(patterns)
    paths_of_files: list[str] = []
    for pattern in listed:
        path = Path(pattern).absolute()
        if path.is_dir():
            matches = sorted(map(str, path.glob("*.parquet")))
        else:
            matches = sorted(glob.glob(str(path)))  # noqa: PTH207 - the pattern may be absolute
        if not matches:
            msg = f"{str(pattern)!r} matches no Parquet file: check the folder and the pattern."
            raise InputError(msg)
        paths_of_files += matches
    return paths_of_files
