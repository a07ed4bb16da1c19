"""Divide a table of edges among the workers of a cluster, chunk by chunk.

The chunks are read in waves, a few for each worker, so that the edges wait in memory for a moment
only. No process receives the edges of all partitions, and the client receives none.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import getitem
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import GraphError, GraphFormatError, InputError
from warpath.engines.cluster import assembly, edges
from warpath.engines.cluster.division import Assigned, Ranges, balanced
from warpath.graph.checks import is_integer, shown
from warpath.io.columns import chosen_columns, directions_by_name, says_directions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from warpath.base.dtypes import Array
    from warpath.engines.cluster.assembly import Size
    from warpath.engines.cluster.division import Division
    from warpath.engines.cluster.edges import Chunk, Columns, Footer
    from warpath.engines.cluster.tasks import Tasks
    from warpath.io.columns import Column

_CHUNK_ROWS = 2**19  # rows of a chunk, at least one row group: 100 bytes each while split
_AT_ONCE = 1  # chunks for each thread of the cluster in a wave
_SAMPLED_CHUNKS = 32
_MOST_PARTITIONS = 2**16


@dataclass(frozen=True)
class Loaded:
    """A graph on the workers of a cluster.

    Attributes
    ----------
    tasks : the client with its tasks.
    parts : a future for each `Partition`.
    sizes : the numbers of each partition.
    division : which partition a label belongs to.
    dtype : type of the weights; None if every weight is 1.
    strings : whether labels are strings.
    """

    tasks: Tasks
    parts: list[Any]
    sizes: list[Size]
    division: Division
    dtype: np.dtype[Any] | None
    strings: bool


class Source:
    """Chunks of a table that tasks can read: Parquet files, or the partitions of a data frame."""

    def __init__(self, names: Sequence[str], count: int) -> None:
        self.names = names
        self.count = count

    def chunk(self, at: int) -> Any:
        """Return a chunk, or a future of a data frame."""
        raise NotImplementedError

    def where(self, at: int) -> str:
        """Return the name of a chunk for errors."""
        return f"partition {at} of the data frame"


class ParquetFiles(Source):
    """Row groups of Parquet files."""

    def __init__(self, tasks: Tasks, patterns: Any) -> None:
        paths = edges.expanded(patterns)
        tasks_of_footers = [tasks.submit(edges.footer, path) for path in paths]
        footers: list[Footer] = tasks.gather(
            tasks_of_footers, "reading the footers of the Parquet files"
        )
        for other in footers[1:]:
            if other.names != footers[0].names:
                msg = (
                    f"expected the columns {', '.join(footers[0].names)} of {footers[0].path}, "
                    f"found {', '.join(other.names)}"
                )
                raise GraphFormatError(other.path, None, msg)
        self._chunks = [chunk for footer in footers for chunk in _chunks(footer)]
        super().__init__(footers[0].names, len(self._chunks))

    def chunk(self, at: int) -> Chunk:
        """Return some row groups of a file."""
        return self._chunks[at]


class DataFrame(Source):
    """The partitions of a Dask data frame."""

    def __init__(self, tasks: Tasks, frame: Any) -> None:
        if not hasattr(frame, "to_delayed") or not hasattr(frame, "npartitions"):
            msg = (
                f"a {type(frame).__module__}.{type(frame).__name__} is not a Dask data frame; "
                "dask.dataframe.from_pandas(frame, npartitions=8) makes one."
            )
            raise InputError(msg)
        super().__init__([str(name) for name in frame.columns], frame.npartitions)
        self._frame = frame
        self._client = tasks.client

    def chunk(self, at: int) -> Any:
        """Return a future of a partition of the data frame."""
        return self._client.compute(self._frame.get_partition(at))


def _chunks(footer: Footer) -> list[Chunk]:
    """Group the row groups of a file into chunks of about _CHUNK_ROWS rows."""
    chunks, groups, first, rows = [], [], 0, 0
    for at, count in enumerate(footer.rows):
        groups.append(at)
        rows += count
        if rows >= _CHUNK_ROWS or at == len(footer.rows) - 1:
            if rows:
                chunks.append(edges.Chunk(footer.path, tuple(groups), first, rows))
            groups, first, rows = [], first + rows, 0
    return chunks


def load(
    tasks: Tasks,
    source: Source,
    *,
    columns: Sequence[Column] | None,
    weight: Column | None,
    n: int | None,
    directed: bool | None,
    partitions: int | Sequence[Any] | None,
    assign: Callable[[Array], Any] | None,
) -> Loaded:
    """Divide the edges of a source among the workers and make the partitions."""
    if n is not None and not (is_integer(n) and 0 < n < 2**62):
        msg = f"n = {shown(n)} must be an integer, 1 or more: the vertices are 0 .. n - 1."
        raise GraphError(msg)
    chosen = chosen_columns(list(source.names), columns, weight)
    directions = directions_by_name(source.names, chosen[:2])
    if directed is None and (directions.costs or says_directions(directions.oneway or "")):
        column = directions.oneway or directions.costs[1]  # type: ignore[index]
        msg = (
            f"the column {column!r} gives directions, which are not read into partitions: write a "
            "row for each direction, or give directed=True or directed=False for all rows."
        )
        raise GraphError(msg)
    form = edges.Columns(*chosen, None if n is None else int(n), directed is False)
    workers = tasks.workers()
    count = _count(partitions, sum(workers.values()))
    labels = _sample(tasks, source, form)
    division = _division(labels, form, count, partitions, assign)
    if labels.dtype.kind == "S" and n is not None:
        msg = f"n = {n} needs vertices that are numbers, but column {form.source!r} holds strings."
        raise GraphError(msg)
    dtype = _weight_type(tasks, source, form)
    homes = [address for address, _ in zip(_round_robin(list(workers)), range(count), strict=False)]
    stacks = _stacks(tasks, source, form, dtype, division, homes, sum(workers.values()))
    return _linked(tasks, stacks, division, dtype, homes, form, labels.dtype.kind == "S")


def _round_robin(workers: list[str]) -> Any:
    while True:
        yield from workers


def _count(partitions: Any, threads: int) -> int:
    if partitions is None:
        return threads
    if is_integer(partitions):
        if 1 <= partitions <= _MOST_PARTITIONS:
            return int(partitions)
    elif isinstance(partitions, list | tuple | np.ndarray):
        return len(partitions) + 1
    msg = (
        f"partitions = {shown(partitions)} must be an integer in 1 .. {_MOST_PARTITIONS:,}, or the "
        "first label of each partition after the first, in ascending order."
    )
    raise InputError(msg)


def _sample(tasks: Tasks, source: Source, form: Columns) -> Array:
    """Return labels of ends of edges, drawn evenly from the chunks."""
    few = np.unique(
        np.linspace(0, source.count - 1, min(source.count, _SAMPLED_CHUNKS)).astype(int)
    )
    sampled = [
        tasks.submit(edges.sample, source.chunk(at), source.where(at), form)
        for at in few.tolist()
        if source.count
    ]
    samples = [part for part in tasks.gather(sampled, "sampling the edges") if len(part)]
    kinds = {part.dtype.kind for part in samples}
    if len(kinds) > 1:
        msg = "some chunks of the table have integer labels and others strings: use one type."
        raise GraphError(msg)
    return np.concatenate(samples) if samples else np.empty(0, np.int64)


def _division(labels: Array, form: Columns, count: int, partitions: Any, assign: Any) -> Division:
    if assign is not None:
        if form.n is not None or not callable(assign) or not is_integer(partitions):
            msg = (
                "assign must be a function of labels, given with the number of partitions and "
                "without n: assign=lambda labels: labels // 1000, partitions=4."
            )
            raise InputError(msg)
        if labels.dtype.kind == "S":
            msg = "assign needs integer labels; string labels are divided by ranges: leave it out."
            raise InputError(msg)
        return Assigned(assign, count)
    if partitions is None or is_integer(partitions):
        return balanced(labels, count, form.n)
    given = list(partitions)
    if labels.dtype.kind == "S" or (not len(labels) and given and isinstance(given[0], str)):
        bounds = np.array([str(label).encode() for label in given])
    else:
        bounds = np.asarray(given)
        if bounds.dtype.kind not in "iu":
            msg = f"partitions = {shown(partitions)} must be labels, which are integers here."
            raise InputError(msg)
        bounds = bounds.astype(np.int64)
    outside = form.n is not None and ((bounds < 0) | (bounds > form.n)).any()
    if (bounds[1:] < bounds[:-1]).any() or outside:
        msg = f"partitions = {shown(partitions)} must ascend and lie within the labels."
        raise InputError(msg)
    return Ranges(bounds, form.n)


def _weight_type(tasks: Tasks, source: Source, form: Columns) -> np.dtype[Any]:
    """Return the type of the weights, from the first chunk; all others must have it."""
    if form.weight is None or not source.count:
        return np.dtype(np.int32)
    task = tasks.submit(edges.weight_type, source.chunk(0), source.where(0), form)
    dtype: np.dtype[Any] = tasks.gather([task], "reading the weights' type")[0]
    return dtype


def _stacks(
    tasks: Tasks,
    source: Source,
    form: Columns,
    dtype: np.dtype[Any],
    division: Division,
    homes: list[str],
    threads: int,
) -> list[Any]:
    """Send the edges to their partitions, and return a future of each partition's pieces."""
    stacks: list[Any] = [tasks.submit(assembly.stacked, None, worker=home) for home in homes]
    wave = _AT_ONCE * threads
    for first in range(0, source.count, wave):
        splits = [
            tasks.submit(edges.split, source.chunk(at), source.where(at), form, dtype, division)
            for at in range(first, min(source.count, first + wave))
        ]
        stacks = [
            tasks.submit(
                assembly.stacked,
                stack,
                *[tasks.submit(getitem, pieces, part) for pieces in splits],
                worker=home,
            )
            for part, (stack, home) in enumerate(zip(stacks, homes, strict=True))
        ]
        del splits
        tasks.wait(stacks, "dividing the edges")
    return stacks


def _linked(
    tasks: Tasks,
    stacks: list[Any],
    division: Division,
    dtype: np.dtype[Any],
    homes: list[str],
    form: Columns,
    strings: bool,
) -> Loaded:
    """Make the partitions, and find the place of every ghost in its owner."""
    drafts = [
        tasks.submit(assembly.assembled, stack, part, division, dtype, worker=home)
        for part, (stack, home) in enumerate(zip(stacks, homes, strict=True))
    ]
    stacks.clear()
    sizes: list[Size] = tasks.gather(
        [tasks.submit(assembly.size_of, draft) for draft in drafts], "making the partitions"
    )
    firsts = np.cumsum([0, *[size.n for size in sizes]]).tolist()
    parts = []
    for part, size in enumerate(sizes):
        lookups = []
        for owner, asked in enumerate(size.asked):
            if asked:
                labels = tasks.submit(assembly.wanted_of, drafts[part], owner)
                lookups.append(tasks.submit(assembly.located, drafts[owner], labels, division))
        parts.append(
            tasks.submit(
                assembly.finished, drafts[part], firsts[part], *lookups, worker=size.worker
            )
        )
    tasks.wait(parts, "linking the partitions")
    weight_dtype = None if form.weight is None else dtype
    return Loaded(tasks, parts, sizes, division, weight_dtype, strings)


def default_client() -> Any:
    """Return the client that is current in this process."""
    from distributed import get_client

    try:
        return get_client()
    except ValueError as error:
        msg = "there is no Dask client in this process: give one, such as distributed.Client()."
        raise InputError(msg) from error
