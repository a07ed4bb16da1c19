"""Make partitions of the pieces of edges that were sent to their worker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import _core
from warpath.engines.cluster.partition import Partition, Sized, worker_name
from warpath.graph.checks import refuse_wide

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.base.dtypes import Array
    from warpath.engines.cluster.division import Division, Ranges
    from warpath.engines.cluster.edges import Piece


@dataclass
class Stack(Sized):
    """The pieces that a partition has received."""

    pieces: list[Piece]

    def __sizeof__(self) -> int:
        return 64 + sum(piece.__sizeof__() for piece in self.pieces)


@dataclass
class Draft(Sized):
    """A partition whose ghosts are known by label only.

    Attributes
    ----------
    part : the partition; `first` and `ghost_at` are not set yet.
    wanted : (h,) the labels of the ghosts, grouped by owner and ascending for each.
    """

    part: Partition
    wanted: Array

    def __sizeof__(self) -> int:
        return self.part.__sizeof__() + int(self.wanted.nbytes)


@dataclass(frozen=True)
class Size:
    """The numbers of a partition that the client collects."""

    worker: str
    n: int
    m: int
    ghosts: int
    asked: tuple[int, ...]
    total_weight: float
    bytes: int


def stacked(before: Stack | None, *pieces: Piece) -> Stack:
    """Append pieces that have arrived."""
    filled = [piece for piece in pieces if len(piece.src) or piece.names is not None]
    return Stack([*(before.pieces if before else []), *filled])


def assembled(stack: Stack, number: int, division: Division, dtype: np.dtype[Any]) -> Draft:
    """Make the rows of a partition."""
    if division.n is None:
        names, wanted, owners, numbers = _labelled(stack, number, division)
        size = len(names)
    else:
        begin, end = division.span(number)
        names, size = None, end - begin
        wanted, owners, numbers = _numbered(stack, number, division)
    refuse_wide(size + len(wanted), "a partition")
    indptr, indices, weights = _rows(stack, numbers, size, dtype)
    starts = np.searchsorted(owners, np.arange(division.count + 1))
    part = Partition(number, 0, names, indptr, indices, weights, starts, np.empty(0, np.int32))
    return Draft(part, wanted)


@dataclass(frozen=True)
class _Numbers:
    """The ends of a piece's edges in a partition's own numbers, computed piece by piece.

    Attributes
    ----------
    sources, targets : functions of the position of a piece among those of the partition.
    """

    sources: Callable[[int], Array]
    targets: Callable[[int], Array]


def _rows(
    stack: Stack, numbers: _Numbers, size: int, dtype: np.dtype[Any]
) -> tuple[Array, Array, Array]:
    """Return (indptr, indices, weights) of edges by a counting sort, a piece at a time."""
    indptr = np.zeros(size + 1, np.int64)
    for at in range(len(stack.pieces)):
        indptr[1:] += np.bincount(numbers.sources(at), minlength=size)
    np.cumsum(indptr, out=indptr)
    weighted = any(len(piece.weights) for piece in stack.pieces)
    indices = np.empty(indptr[-1], np.int32)
    weights = np.empty(indptr[-1] if weighted else 0, dtype)
    next_slot = indptr[:-1].copy()
    for at, piece in enumerate(stack.pieces):
        if len(piece.src):
            src = numbers.sources(at).astype(np.int32, copy=False)
            dst = numbers.targets(at).astype(np.int32, copy=False)
            _core.append_edges(next_slot, src, dst, piece.weights, indices, weights)
    return indptr, indices, weights


def _numbered(stack: Stack, number: int, division: Ranges) -> tuple[Array, Array, _Numbers]:
    """Return the ghosts (ascending), their owners, and the pieces in the partition's numbers.

    Ghosts are found range by range, which takes no memory for all vertices of the graph.
    """
    begin, end = division.span(number)
    indices: list[Array] = []
    for part in range(division.count):
        low, high = division.span(part)
        seen = np.zeros(high - low, bool)
        if part != number:
            for piece in stack.pieces:
                seen[piece.dst[(piece.dst >= low) & (piece.dst < high)] - low] = True
        indices.append(np.flatnonzero(seen) + low)
    starts = np.cumsum([end - begin, *map(len, indices)])

    def targets(at: int) -> Array:
        dst = stack.pieces[at].dst
        numbers = np.empty(len(dst), np.int32)
        for part, ghosts in enumerate(indices):
            low, high = division.span(part)
            inside = np.flatnonzero((dst >= low) & (dst < high))
            if part == number:
                numbers[inside] = dst[inside] - low
            elif len(inside):
                rank = np.zeros(high - low, np.int32)
                rank[ghosts - low] = np.arange(starts[part], starts[part + 1])
                numbers[inside] = rank[dst[inside] - low]
        return numbers

    owners = np.repeat(np.arange(division.count), list(map(len, indices)))
    return (
        np.concatenate(indices),
        owners,
        _Numbers(lambda at: stack.pieces[at].src - begin, targets),
    )


def _labelled(
    stack: Stack, number: int, division: Division
) -> tuple[Array, Array, Array, _Numbers]:
    """Return own labels, the ghosts' labels and owners, and the pieces in own numbers."""
    owned = [division.owners(piece.names) for piece in stack.pieces]
    mine = [piece.names[at == number] for piece, at in zip(stack.pieces, owned, strict=True)]
    names = np.unique(np.concatenate(mine)) if mine else np.empty(0, np.int64)
    others = [piece.names[at != number] for piece, at in zip(stack.pieces, owned, strict=True)]
    ghosts = np.unique(np.concatenate(others)) if others else names[:0]
    owners = division.owners(ghosts).astype(np.int64)
    order = np.argsort(owners, kind="stable")
    rank = np.empty(len(ghosts), np.int64)
    rank[order] = np.arange(len(ghosts))

    def place(at: int, codes: Array) -> Array:
        labels, own = stack.pieces[at].names, owned[at] == number
        numbers = np.empty(len(labels), np.int64)
        numbers[own] = np.searchsorted(names, labels[own])
        numbers[~own] = len(names) + rank[np.searchsorted(ghosts, labels[~own])]
        return numbers[codes]

    numbers = _Numbers(
        lambda at: place(at, stack.pieces[at].src), lambda at: place(at, stack.pieces[at].dst)
    )
    return names, ghosts[order], owners[order], numbers


def size_of(draft: Draft) -> Size:
    """Return the numbers of a partition."""
    part = draft.part
    total = part.weights.sum(dtype=np.float64) if len(part.weights) else len(part.indices)
    return Size(
        worker_name(),
        part.size,
        len(part.indices),
        len(draft.wanted),
        tuple(np.diff(part.ghost_starts).tolist()),
        float(total),
        draft.__sizeof__(),
    )


def wanted_of(draft: Draft, owner: int) -> Array:
    """Return the labels of the ghosts of one owner."""
    starts = draft.part.ghost_starts
    return draft.wanted[starts[owner] : starts[owner + 1]]


def located(draft: Draft, labels: Array, division: Division) -> Array:
    """Return the numbers of own vertices by their labels; -1 for labels that do not exist."""
    part = draft.part
    if part.names is None:
        return labels - division.span(part.number)[0]  # type: ignore[union-attr]
    if not part.size:
        return np.full(len(labels), -1)
    at = np.minimum(np.searchsorted(part.names, labels), part.size - 1)
    return np.where(part.names[at] == labels, at, -1)


def finished(draft: Draft, first: int, *positions: Array) -> Partition:
    """Return the partition with the places of its ghosts, one array for each owner that has any."""
    part = draft.part
    index = part.indices.dtype
    at = (
        np.concatenate([part_of_positions.astype(index) for part_of_positions in positions])
        if positions
        else part.ghost_at
    )
    return Partition(
        part.number,
        first,
        part.names,
        part.indptr,
        part.indices,
        part.weights,
        part.ghost_starts,
        at,
    )


def place_of(part: Partition, label: Any) -> int:
    """Return the number of an own vertex by its label; -1 if there is none."""
    if part.names is None:
        return int(label) - part.first
    at = int(np.searchsorted(part.names, label))
    return at if at < part.size and part.names[at] == label else -1
