"""Tables that are written to disk block by block, while the next block is computed.

Memory holds two blocks, however large the table is: rows go into an ``.npy`` file by plain writes,
for pages of a mapped file would count as memory of the process until the system takes them back.
"""

from __future__ import annotations

import errno
import io
import os
import shutil
import stat
import zlib
from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base import settings
from warpath.base.errors import DistanceOverflowError, NegativeCycleError, OutputError, require
from warpath.io.journal import Journal
from warpath.io.positions import bytes_of, on_disk, read_at, reserve, write_at
from warpath.io.temporary import real_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future
    from pathlib import Path

    from warpath.base.dtypes import Array
    from warpath.io.journal import Question

#: A block of rows that is computed in memory before it is written out, at most.
BLOCK_BYTES = 128 * 2**20

#: Rows are asked for in multiples of this, so that sources that go side by side fill their places.
_BATCH = 64

#: The rows of a Zarr array's chunk; a block is a whole number of chunks.
CHUNK_BYTES = 16 * 2**20

#: What is read back at a time, to compare rows that an earlier run has left with their checksum.
_CHECKED_BYTES = 32 * 2**20

_FULL = {errno.ENOSPC, errno.EDQUOT}


def row_blocks(
    shape: tuple[int, int],
    dtype: np.dtype[Any],
    *,
    at_once: bool = False,
    several: int = 1,
    start: int = 0,
    whole: int = 1,
) -> list[slice]:
    """Return the row ranges in which a table is computed: two of them fit into memory easily.

    Parameters
    ----------
    at_once : one range only.
    several : rows that a range should have at least, for threads or batches, where an eighth of
        memory holds them.
    start : the first row that is wanted.
    whole : ranges end at multiples of this.
    """
    k, t = shape
    if at_once:
        return [slice(0, k)]
    free = settings.memory()
    row = max(1, t * dtype.itemsize)
    rows = max(1, min(BLOCK_BYTES, free // 32) // row)
    rows = max(rows, min(several, free // 8 // row))
    if rows > _BATCH:
        rows -= rows % _BATCH
    rows = max(1, rows // whole) * whole
    return [slice(at, min(k, at + rows)) for at in range(start, k, rows)]


@contextmanager
def opened_file(
    path: Path, shape: tuple[int, int], dtype: np.dtype[Any], question: Question
) -> Iterator[_File]:
    """Open an ``.npy`` or ``.zarr`` file to be filled, or what an unfinished run left of it.

    What is done stays, for the same call to go on from there, unless it can lead nowhere: a
    negative cycle, a distance that does not fit. A symbolic link is followed: it stays, and what it
    leads to is replaced, with the part next to that.
    """
    folder = path.suffix == ".zarr"
    target = real_path(path)
    _refuse_what_is_there(target, folder=folder)
    journal = Journal(target, question, folder=folder)
    try:
        journal.open()
        kind = _Zarr if folder else NpyFile
        output = kind(journal, shape, dtype)
        try:
            output.start()
            yield output
            output.finish()
        finally:
            output.drain()
    except (NegativeCycleError, DistanceOverflowError):
        journal.discard()
        raise
    except BaseException:
        if journal.opened and not journal.begun:
            journal.discard()
        raise
    finally:
        try:
            journal.close()
        finally:
            journal.close()  # once more, for an interrupt that came before the first call began


class _File(ABC):
    """Two buffers in memory, one of which a thread writes while the other is filled."""

    def __init__(self, journal: Journal, shape: tuple[int, int], dtype: np.dtype[Any]) -> None:
        self.array: Any = None
        self.journal = journal
        self.shape = shape
        self.dtype = dtype
        self.resumed = 0
        self._ended = False
        self._buffers: list[Array] = []
        self._turn = 0
        self._pool: ThreadPoolExecutor | None = None
        self._writing: Future[None] | None = None

    chunk = 1

    def start(self) -> None:
        """Start the thread that writes, and let it prepare the part.

        An interrupt goes to the main thread, so it stops neither the start of a thread for a block,
        which would leave one that no one waits for, nor Zarr at work, which would go on behind, nor
        the renames at the end.
        """
        self._pool = ThreadPoolExecutor(1, "warpath-writer")
        self._in_thread(int)  # it runs: nothing below starts another one
        self._in_thread(self.prepare)
        self.resumed = self.journal.rows

    def finish(self) -> None:
        """Wait until all is written, give the file its name, and open it."""
        self.check()
        self._in_thread(self.complete)
        self._in_thread(self.journal.finish)
        self.array = self._in_thread(self.result)

    def _in_thread(self, work: Callable[[], Any]) -> Any:
        assert self._pool is not None  # noqa: S101 - `start` was called
        return self._pool.submit(work).result()

    @abstractmethod
    def prepare(self) -> None:
        """Make the part, or check what an earlier run has left of it."""

    def blocks(self, *, at_once: bool = False, several: int = 1) -> list[slice]:
        if self.resumed == self.shape[0]:
            return []
        return row_blocks(
            self.shape, self.dtype,
            at_once=at_once, several=several, start=self.resumed, whole=self.chunk,
        )  # fmt: skip

    def block(self, rows: slice) -> Array:
        count = rows.stop - rows.start
        if len(self._buffers) <= self._turn:
            self._buffers.append(np.empty((count, self.shape[1]), self.dtype))
        return self._buffers[self._turn][:count]

    def put(self, rows: slice, values: Array) -> None:
        self.check()
        assert self._pool is not None  # noqa: S101 - `start` was called
        self._writing = self._pool.submit(self._write, rows, values)
        self._turn = 1 - self._turn

    def check(self) -> None:
        """Wait until what was put is written; raise what went wrong."""
        writing, self._writing = self._writing, None
        if writing is not None:
            writing.result()

    def drain(self) -> None:
        """Let the thread finish what it has, whatever ended the call."""
        self._ended = True
        if self._pool is not None:
            self._pool.shutdown(wait=True)

    def _write(self, rows: slice, values: Array) -> None:
        try:
            self.store(rows, values)
            self.journal.advance(rows.stop, zlib.crc32(bytes_of(values), self.journal.crc))
        except OSError as error:
            if isinstance(error, OutputError):
                raise
            raise self.failed(error) from error

    def failed(self, error: OSError) -> OutputError:
        """Return the error that says what is left, and what to do."""
        rows, part = self.journal.rows, self.journal.part.name
        message = f"cannot be written: {error.strerror}"
        if error.errno in _FULL:
            free = shutil.disk_usage(self.journal.part.parent).free
            message = f"the disk is full ({free:,} bytes are free)"
        if rows:
            message += f"; {rows:,} of {self.shape[0]:,} rows are kept in {part}: the same call "
            message += "again goes on from there"
        return OutputError(error.errno, message, str(self.journal.target))

    def check_rows(self) -> None:
        """Read what an earlier run has left, and refuse it if it is not what that run wrote."""
        done, row = self.journal.rows, max(1, self.shape[1] * self.dtype.itemsize)
        step = max(1, _CHECKED_BYTES // row // self.chunk) * self.chunk
        crc = 0
        for start in range(0, min(done, self.shape[0]), step):
            if self._ended:
                return
            crc = zlib.crc32(bytes_of(self.load(slice(start, min(start + step, done)))), crc)
        if done > self.shape[0] or crc != self.journal.crc:
            raise self.journal.refusal(
                f"{self.journal.part.name} does not hold the {done:,} rows that an earlier run "
                "wrote: it was changed or damaged since"
            )

    @abstractmethod
    def store(self, rows: slice, values: Array) -> None:
        """Put rows into the file."""

    @abstractmethod
    def load(self, rows: slice) -> Array:
        """Return rows of the file; others than were stored if it is damaged."""

    def complete(self) -> None:  # noqa: B027 - what has nothing left to do needs none
        """Make sure that all of it is on the disk."""

    @abstractmethod
    def result(self) -> Any:
        """Return the finished table, mapped."""


class NpyFile(_File):
    """An ``.npy`` file."""

    def __init__(self, journal: Journal, shape: tuple[int, int], dtype: np.dtype[Any]) -> None:
        head = io.BytesIO()
        layout = {
            "descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape,
        }  # fmt: skip
        np.lib.format.write_array_header_1_0(head, layout)
        self._offset = head.tell()
        self._row = shape[1] * dtype.itemsize
        self._head = head.getvalue()
        self._file = journal.file.fileno()
        super().__init__(journal, shape, dtype)

    def prepare(self) -> None:
        """Check the rows that are there, and take the place of the whole file."""
        journal = self.journal
        size = self._offset + self.shape[0] * self._row
        found = os.fstat(self._file)
        if journal.begun and found.st_size != size:
            raise journal.refusal(
                f"{journal.part.name} has {found.st_size:,} bytes, {size:,} are expected: it was "
                "changed or damaged since it was written"
            )
        there = min(found.st_size, found.st_blocks * 512)
        _refuse_a_full_disk(journal.target, size - self._offset - there)
        if not journal.begun:
            journal.begin()
        try:
            self.check_rows()
            write_at(self._file, self._head, 0)
            reserve(self._file, size)
        except OSError as error:
            if isinstance(error, OutputError):
                raise
            raise self.failed(error) from error

    def mapped(self) -> Array:
        """Return the table as a map of the part, for work that visits its rows again and again."""
        return np.memmap(self.journal.file, self.dtype, "r+", self._offset, self.shape)

    def load(self, rows: slice) -> Array:
        """Read rows, zeros from where the file ends."""
        values = np.empty((rows.stop - rows.start, self.shape[1]), self.dtype)
        read_at(self._file, bytes_of(values), self._offset + rows.start * self._row)
        return values

    def store(self, rows: slice, values: Array) -> None:
        """Put rows on the disk itself: what is noted survives a loss of power."""
        at = self._offset + rows.start * self._row
        write_at(self._file, bytes_of(values), at)
        on_disk(self._file)
        if hasattr(os, "posix_fadvise"):  # nobody reads it soon: leave the cache to others
            os.posix_fadvise(self._file, at, values.nbytes, os.POSIX_FADV_DONTNEED)

    def complete(self) -> None:
        """Bring all of it to the disk."""
        os.fsync(self._file)

    def result(self) -> Any:
        """Return the finished file, mapped."""
        empty = not self.shape[0] * self.shape[1]  # nothing cannot be mapped
        return np.load(self.journal.target, mmap_mode=None if empty else "r")


class _Zarr(_File):
    def __init__(self, journal: Journal, shape: tuple[int, int], dtype: np.dtype[Any]) -> None:
        self._zarr = require("zarr", extra="zarr", what=f"Writing {journal.target.name}")
        super().__init__(journal, shape, dtype)
        self._into: Any = None

    def prepare(self) -> None:
        """Check the array that is there, or create one."""
        journal, row = self.journal, self.shape[1] * self.dtype.itemsize
        rows = max(1, CHUNK_BYTES // max(1, row))
        self.chunk = max(1, min(rows, self.shape[0]))
        if journal.begun:
            for left in journal.part.rglob("*.partial"):  # by Zarr in a process that was killed
                left.unlink(missing_ok=True)
            self._into = self._continued()
            self.chunk = self._into.chunks[0]
            self.check_rows()
            return
        _refuse_a_full_disk(journal.target, self.shape[0] * row)
        journal.begin()
        self._into = self._zarr.create_array(
            journal.part, shape=self.shape, dtype=self.dtype,
            chunks=(self.chunk, max(1, self.shape[1])), overwrite=True,
        )  # fmt: skip

    def _continued(self) -> Any:
        """Open the array that an earlier run has left."""
        try:
            array = self._zarr.open_array(self.journal.part, mode="r+")
            known = array.shape == self.shape and array.dtype == self.dtype and array.chunks[0] > 0
        except Exception:  # noqa: BLE001 - Zarr has no class for "this is damaged"
            known = False
        if not known:
            raise self.journal.refusal(
                f"{self.journal.part.name} is not the array that an earlier run began: it was "
                "changed or damaged since"
            )
        return array

    def load(self, rows: slice) -> Array:
        try:
            values: Array = np.ascontiguousarray(self._into[rows])
        except Exception:  # noqa: BLE001 - a damaged chunk: each codec has its own exceptions
            values = np.empty((0, self.shape[1]), self.dtype)
        return values

    def store(self, rows: slice, values: Array) -> None:
        self._into[rows] = values

    def result(self) -> Any:
        return self._zarr.open_array(self.journal.target, mode="r")


def _refuse_what_is_there(path: Path, *, folder: bool) -> None:
    """Refuse, before anything is computed, to replace what is no table of this kind."""
    try:
        mode = path.stat().st_mode
    except OSError:  # nothing is there, or opening the part says what is wrong
        return
    if not folder and stat.S_ISDIR(mode):
        message = "this is a directory, but a file is to be written"
        raise OutputError(errno.EISDIR, message, str(path))
    if not folder and not stat.S_ISREG(mode):
        message = "this is a pipe or a device, which takes no table in blocks: choose another name"
        raise OutputError(errno.EEXIST, message, str(path))
    if folder and not _is_zarr(path):
        message = "something else than a Zarr array is there: remove it, or choose another name"
        raise OutputError(errno.EEXIST, message, str(path))


def _is_zarr(path: Path) -> bool:
    marks = ("zarr.json", ".zarray", ".zgroup")
    return path.is_dir() and any((path / mark).is_file() for mark in marks)


def _refuse_a_full_disk(path: Path, needed: int) -> None:
    free = shutil.disk_usage(path.parent).free
    if needed > free:
        message = (
            f"would take {needed:,} bytes, but its disk has {free:,} free: name a place with more, "
            "ask for fewer vertices with distances(targets=), or halve it with dist_dtype='int32' "
            "or float32 weights"
        )
        raise OutputError(errno.ENOSPC, message, str(path))
