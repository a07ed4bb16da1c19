"""Tables that are written to disk block by block while the next block is computed.

Memory holds two blocks, however large the table is. Rows go into an ``.npy`` file by plain writes:
pages of a mapped file would count as memory of the process until the system reclaims them.
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
from warpath.io.zarr_rows import ChunkedRows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future
    from pathlib import Path

    from warpath.base.dtypes import Array
    from warpath.io.journal import Question

#: The usual limit on the bytes of a block; see `row_blocks` for the exceptions.
BLOCK_BYTES = 128 * 2**20

#: Larger blocks have a multiple of this number of rows, so that batches of sources are full.
_BATCH = 64

#: The bytes of a Zarr array's chunk; a block is a whole number of chunks.
CHUNK_BYTES = 16 * 2**20

#: The bytes that are read at a time to check the rows of an earlier run against their checksum.
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
    """Return the row ranges of the blocks of a table; two blocks take a fraction of free memory.

    Parameters
    ----------
    at_once : True returns a single range.
    several : minimum number of rows per range, for threads or batches, if an eighth of free memory
        holds them.
    start : the first row.
    whole : divisor of the number of rows per range.
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
) -> Iterator[_StreamedFile]:
    """Open an ``.npy`` or ``.zarr`` file to fill, or the part that an unfinished run left.

    After an error the finished rows stay, so that the same call can continue. They are removed if
    no call can succeed: for a negative cycle or a distance that does not fit its type. A symbolic
    link is followed: the link stays, its target is replaced, and the part is next to the target.
    """
    folder = path.suffix == ".zarr"
    target = real_path(path)
    refuse_what_is_there(target, folder=folder)
    journal = Journal(target, question, folder=folder)
    with journal.held():
        kind = _Zarr if folder else NpyFile
        output = kind(journal, shape, dtype)
        try:
            try:
                output.start()
                yield output
                output.finish()
            finally:
                output.drain()
        except (NegativeCycleError, DistanceOverflowError):
            journal.discard()
            raise


class _StreamedFile(ABC):
    """A file with two buffers: a thread writes one while the caller fills the other."""

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
    in_chunks = False
    by_chunks: ChunkedRows | None = None

    def start(self) -> None:
        """Start the writer thread, which prepares the part.

        An interrupt is raised in the main thread. So it cannot stop the start of the writer thread
        half-way, nor a call of Zarr, whose threads would continue, nor the renames at the end.
        """
        self._pool = ThreadPoolExecutor(1, "warpath-writer")
        self._in_thread(int)  # starts the thread, so that no later call starts it
        self._in_thread(self.prepare)
        self.resumed = self.journal.rows
        if self.in_chunks:
            self.by_chunks = ChunkedRows(self.journal, self.chunk, self.note)

    def finish(self) -> None:
        """Wait for the last write, rename the part to the target, and open the target."""
        self.check()
        self._in_thread(self.complete)
        self._in_thread(self.journal.finish)
        self.array = self._in_thread(self.result)

    def _in_thread(self, work: Callable[[], Any]) -> Any:
        assert self._pool is not None  # noqa: S101 - `start` was called
        return self._pool.submit(work).result()

    @abstractmethod
    def prepare(self) -> None:
        """Create the part, or check the part of an earlier run."""

    def blocks(self, *, at_once: bool = False, several: int = 1) -> list[slice]:
        if self.resumed == self.shape[0]:
            return []
        return row_blocks(
            self.shape,
            self.dtype,
            at_once=at_once,
            several=several,
            start=self.resumed,
            whole=self.chunk,
        )

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
        """Wait until the last block is written; raise the exception of the write."""
        writing, self._writing = self._writing, None
        if writing is not None:
            writing.result()

    def drain(self) -> None:
        """Wait until the writer thread has ended."""
        self._ended = True
        if self._pool is not None:
            self._pool.shutdown(wait=True)

    def note(self, rows: int, crc: int) -> None:
        """Note in the journal that other processes have stored the first `rows` rows."""
        self.check()
        assert self._pool is not None  # noqa: S101 - `start` was called
        self._writing = self._pool.submit(self.journal.advance, rows, crc)

    def _write(self, rows: slice, values: Array) -> None:
        try:
            self.store(rows, values)
            self.journal.advance(rows.stop, zlib.crc32(bytes_of(values), self.journal.crc))
        except OSError as error:
            if isinstance(error, OutputError):
                raise
            raise self.failed(error) from error

    def failed(self, error: OSError) -> OutputError:
        """Return the error of a failed write, with the rows that are stored and the remedy."""
        rows, part = self.journal.rows, self.journal.part.name
        message = f"cannot be written: {error.strerror}"
        if error.errno in _FULL:
            free = shutil.disk_usage(self.journal.part.parent).free
            message = f"the disk is full ({free:,} bytes are free)"
        if rows:
            message += f"; {rows:,} of {self.shape[0]:,} rows are stored in {part}: repeat the "
            message += "call to continue from there"
        return OutputError(error.errno, message, str(self.journal.target))

    def check_rows(self) -> None:
        """Compare the rows of an earlier run with their checksum; raise OutputError if wrong."""
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
        """Write rows to the file."""

    @abstractmethod
    def load(self, rows: slice) -> Array:
        """Return rows of the file; arbitrary values if the file is damaged."""

    def complete(self) -> None:  # noqa: B027 - optional in subclasses
        """Make sure that the whole file is on the disk."""

    @abstractmethod
    def result(self) -> Any:
        """Return the finished table, mapped into memory if possible."""


class NpyFile(_StreamedFile):
    """An ``.npy`` file."""

    def __init__(self, journal: Journal, shape: tuple[int, int], dtype: np.dtype[Any]) -> None:
        head = io.BytesIO()
        layout = {
            "descr": np.lib.format.dtype_to_descr(dtype),
            "fortran_order": False,
            "shape": shape,
        }
        np.lib.format.write_array_header_1_0(head, layout)
        self._offset = head.tell()
        self._row = shape[1] * dtype.itemsize
        self._head = head.getvalue()
        self._file = journal.file.fileno()
        super().__init__(journal, shape, dtype)

    def prepare(self) -> None:
        """Check the rows of an earlier run, and allocate the whole file on the disk."""
        journal = self.journal
        size = self._offset + self.shape[0] * self._row
        status = os.fstat(self._file)
        if journal.begun and status.st_size != size:
            raise journal.refusal(
                f"{journal.part.name} has {status.st_size:,} bytes, {size:,} are expected: it was "
                "changed or damaged since it was written"
            )
        allocated = min(status.st_size, status.st_blocks * 512)
        refuse_a_full_disk(journal.target, size - self._offset - allocated)
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
        """Return the part mapped into memory, for algorithms that visit rows repeatedly."""
        return np.memmap(self.journal.file, self.dtype, "r+", self._offset, self.shape)

    def load(self, rows: slice) -> Array:
        """Read rows, with zeros beyond the end of the file."""
        values = np.empty((rows.stop - rows.start, self.shape[1]), self.dtype)
        read_at(self._file, bytes_of(values), self._offset + rows.start * self._row)
        return values

    def store(self, rows: slice, values: Array) -> None:
        """Write rows and flush them to the disk, so that noted rows survive a loss of power."""
        at = self._offset + rows.start * self._row
        write_at(self._file, bytes_of(values), at)
        on_disk(self._file)
        if hasattr(os, "posix_fadvise"):  # not read soon: free the page cache
            os.posix_fadvise(self._file, at, values.nbytes, os.POSIX_FADV_DONTNEED)

    def complete(self) -> None:
        """Flush the file to the disk."""
        os.fsync(self._file)

    def result(self) -> Any:
        """Return the finished file, mapped into memory."""
        empty = not self.shape[0] * self.shape[1]  # an empty file cannot be mapped
        return np.load(self.journal.target, mmap_mode=None if empty else "r")


class _Zarr(_StreamedFile):
    in_chunks = True

    def __init__(self, journal: Journal, shape: tuple[int, int], dtype: np.dtype[Any]) -> None:
        self._zarr = require("zarr", extra="zarr", what=f"Writing {journal.target.name}")
        super().__init__(journal, shape, dtype)
        self._into: Any = None

    def prepare(self) -> None:
        """Check the array of an earlier run, or create one."""
        journal, row = self.journal, self.shape[1] * self.dtype.itemsize
        rows = max(1, CHUNK_BYTES // max(1, row))
        self.chunk = max(1, min(rows, self.shape[0]))
        if journal.begun:
            for left in journal.part.rglob("*.partial"):  # of a killed process
                left.unlink(missing_ok=True)
            self._into = self._continued()
            self.chunk = self._into.chunks[0]
            self.check_rows()
            return
        refuse_a_full_disk(journal.target, self.shape[0] * row)
        journal.begin()
        self._into = self._zarr.create_array(
            journal.part,
            shape=self.shape,
            dtype=self.dtype,
            chunks=(self.chunk, max(1, self.shape[1])),
            overwrite=True,
        )

    def _continued(self) -> Any:
        """Open the array of an earlier run."""
        try:
            array = self._zarr.open_array(self.journal.part, mode="r+")
            continues = (
                array.shape == self.shape and array.dtype == self.dtype and array.chunks[0] > 0
            )
        except Exception:  # noqa: BLE001 - Zarr has no exception for damaged arrays
            continues = False
        if not continues:
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


def refuse_what_is_there(path: Path, *, folder: bool) -> None:
    """Raise OutputError if the path exists and is not a file (or Zarr array) to replace."""
    try:
        mode = path.stat().st_mode
    except OSError:  # it does not exist, or opening the part raises the error
        return
    if not folder and stat.S_ISDIR(mode):
        message = "this is a directory, but a file is to be written"
        raise OutputError(errno.EISDIR, message, str(path))
    if not folder and not stat.S_ISREG(mode):
        message = "a table cannot be written to a pipe or a device: choose another name"
        raise OutputError(errno.EEXIST, message, str(path))
    if folder and not _is_zarr(path):
        message = "the path exists and is not a Zarr array: remove it, or choose another name"
        raise OutputError(errno.EEXIST, message, str(path))


def _is_zarr(path: Path) -> bool:
    marks = ("zarr.json", ".zarray", ".zgroup")
    return path.is_dir() and any((path / mark).is_file() for mark in marks)


def refuse_a_full_disk(path: Path, needed: int) -> None:
    """Raise OutputError if the disk of a path has fewer free bytes than are needed."""
    free = shutil.disk_usage(path.parent).free
    if needed > free:
        message = (
            f"would take {needed:,} bytes, but its disk has {free:,} free: use another disk, "
            "select fewer vertices with distances(targets=), or halve the size with "
            "dist_dtype='int32' or float32 weights"
        )
        raise OutputError(errno.ENOSPC, message, str(path))
