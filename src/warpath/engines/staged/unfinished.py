"""What a solve in tiles leaves when it is stopped: its state, its panels and their checksums.

The matrix is made of strips, the rows of one pivot each. The state says for which pivot the panels
are complete and how many strips have been lowered by them, with a checksum for each strip and one
for the panels. A solve that goes on compares all of them. The one strip that was being written when
the process ended cannot be compared, as its entries are old and new ones; it is lowered again.
"""

from __future__ import annotations

import errno
import os
import zlib
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from warpath.base.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from warpath.base.dtypes import Array

_CHUNK = 2**18  # entries that are converted at once
#: A pivot that a state may name, beyond the vertices: tiles of any device fill it up.
_LARGEST_TILE = 4096


class TileJournal(Protocol):
    """What remembers how far a solve is, when the process does not."""

    def done(self) -> dict[str, Any] | None:
        """Return what `mark` noted last, or None."""
        ...

    def mark(self, state: dict[str, Any]) -> None:
        """Note, in one step, that all before is written."""
        ...


@dataclass
class State:
    """How far a solve is.

    Attributes
    ----------
    side : vertices of a pivot.
    pivot : pivots that are done, and after all of them parts of the rows that are finished.
    panels : whether the panels of the next one are complete.
    strips : strips that have been lowered by them.
    sums : the checksum of each strip.
    panels_sum : the checksum of the panels.
    """

    side: int
    pivot: int = 0
    panels: bool = False
    strips: int = 0
    sums: list[int] = field(default_factory=list)
    panels_sum: int = 0

    def note(self, journal: TileJournal | None) -> None:
        """Write the state into a journal, if there is one."""
        if journal is not None:
            journal.mark(asdict(self))


def state_of(entries: dict[str, Any], n: int, *, finishes: bool) -> State:
    """Return what a journal noted.

    Raises
    ------
    OutputError
        If no solve of n vertices, which ends with finished rows or not, can be in this state.
    """
    kinds = {
        "side": int,
        "pivot": int,
        "panels": bool,
        "strips": int,
        "sums": list,
        "panels_sum": int,
    }
    if {name: type(value) for name, value in entries.items()} != kinds:
        raise damaged("note")
    state = State(**entries)
    if not 1 <= state.side <= n + _LARGEST_TILE:
        raise damaged("note")
    parts = -(-n // state.side)
    last = (2 if finishes else 1) * parts
    fits = 0 <= state.pivot <= last - state.panels and 0 <= state.strips <= parts * state.panels
    if not fits or len(state.sums) != parts or {*map(type, state.sums)} != {int}:
        raise damaged("note")
    return state


def damaged(what: str) -> OutputError:
    """Return the error for a part of an unfinished solve that is not what was written."""
    message = (
        f"the {what} of a solve that was under way {'have' if what == 'panels' else 'has'} changed "
        "since the solve was stopped: "
        "delete the unfinished table and its note (NAME.part, NAME.part.json) to start again"
    )
    return OutputError(errno.EEXIST, message)


class Panels(NamedTuple):
    """The lowered rows (side, n) and columns (n, side) of a pivot, the diagonal in both."""

    rows: Array
    columns: Array


@contextmanager
def opened_panels(
    path: Path | None, n: int, dtype: np.dtype[Any], state: State
) -> Iterator[Panels]:
    """Open the panels' file, or make panels in memory; the file is removed after a whole solve."""
    side = state.side
    if path is None:
        yield Panels(np.empty((side, n), dtype), np.empty((n, side), dtype))
        return
    size = 2 * side * n * dtype.itemsize
    if state.panels:
        _refuse_lost_panels(path, size)
    else:
        _reserve(path, size)
    with path.open("r+b") as file:
        flat = np.memmap(file, dtype, "r+", shape=(2 * side * n,))
    yield Panels(flat[: side * n].reshape(side, n), flat[side * n :].reshape(n, side))
    del flat
    path.unlink(missing_ok=True)


def _refuse_lost_panels(path: Path, size: int) -> None:
    regular = path.is_file() and not path.is_symlink()
    there = path.stat().st_size if regular else -1
    if there != size:
        message = (
            f"the panels of a solve that was under way are not here ({there:,} bytes of {size:,}): "
            "bring the file back, or delete the unfinished table to start again"
        )
        raise OutputError(errno.ENOENT, message, str(path))


def _reserve(path: Path, size: int) -> None:
    """Take a new file's place on the disk: a mapped file that finds none kills the process.

    Nothing is written through a link that has its name, for the link is removed.
    """
    try:
        path.unlink(missing_ok=True)
        with path.open("xb") as file:
            file.truncate(size)
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, size)
    except OSError as error:
        if error.errno in {errno.EINVAL, errno.EOPNOTSUPP}:  # a file system without it
            return
        with suppress(OSError):
            path.unlink()
        message = f"the panels, {size:,} bytes, cannot be written: {error.strerror}"
        raise OutputError(error.errno, message, str(path)) from None


def flush(*arrays: Array) -> None:
    """Bring mapped arrays to their files, before a note says that they are there."""
    for array in arrays:
        if isinstance(array, np.memmap):
            array.flush()


def checksum(array: Array, run: Callable[[Callable[[slice], int], Iterable[slice]], Any]) -> int:
    """Return the CRC-32 of an array's chunks' CRC-32s; `run` is the map of a pool of threads."""

    def one(rows: slice) -> int:
        return zlib.crc32(np.ascontiguousarray(array[rows]).view(np.uint8).data)

    return zlib.crc32(np.fromiter(run(one, chunks(*array.shape)), "<u4").tobytes())


def chunks(rows: int, columns: int) -> Iterator[slice]:
    """Return ranges of rows of about a million bytes each."""
    step = max(1, _CHUNK // max(1, columns))
    return (slice(begin, min(begin + step, rows)) for begin in range(0, rows, step))
