"""Atomic writing of files, with compression, and blocks of edges for text formats."""

from __future__ import annotations

import bz2
import contextlib
import errno
import gzip
import io
import lzma
import os
import shutil
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import numpy as np

from warpath.base.errors import InputError, OutputError, interrupts_first
from warpath.graph.csr import NO_WEIGHTS
from warpath.io.compression import SUFFIXES, without_suffix, zstd_module
from warpath.io.temporary import Temporary, failure, real_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from warpath.graph import Graph

#: Edges per block of text: tens of megabytes, so that memory stays small and Ctrl-C prompt.
BLOCK = 1 << 20

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class _Sink(io.RawIOBase):
    """A file that still counts bytes when the disk is full, so that the error has the total."""

    def __init__(self, file: io.FileIO, path: Path) -> None:
        super().__init__()
        self.name = without_suffix(path.name)
        self.written = 0
        self.full: OSError | None = None
        self._file = file
        self._path = path

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        left = view
        while left and self.full is None:
            try:
                left = left[os.write(self._file.fileno(), left) :]
            except BrokenPipeError:
                raise
            except OSError as error:
                if error.errno not in _FULL:
                    raise failure(error, self._path) from error
                self.full = error
        self.written += len(view)
        return len(view)

    def tell(self) -> int:
        return self.written

    def leave(self) -> None:
        """Discard all further bytes, as a buffer may be flushed after the file is closed."""
        self.full = self.full or OSError(errno.EBADF, "closed")


@contextlib.contextmanager
def atomic(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file that replaces the target only if the block ends without error.

    The bytes go to a temporary file in the target's folder, which is flushed to the disk and then
    renamed. Several writers at once have a file each; the last to finish determines the target. A
    suffix .gz, .xz, .bz2 or .zst of `path` selects compression. The yielded file cannot seek; its
    ``name`` is that of `path` without the compression suffix.

    Parameters
    ----------
    path : the target. A symbolic link is followed: the link stays, and the file that it points to
        is replaced, in that file's folder. A pipe or a device is written to directly.

    Raises
    ------
    OutputError
        The folder is missing or not writable, no file can have this name, or the disk is full; the
        message has the bytes needed.
    """
    given, target = Path(path), real_path(path)
    if os.path.isdir(target):  # noqa: PTH112 - Path.is_dir raises for a name that is too long
        raise OutputError(
            errno.EISDIR, "this is a directory, but a file is to be written", str(path)
        )
    direct = _is_special(given)
    temporary = Temporary(target)
    done = False
    sink: _Sink | None = None
    try:
        try:
            file = _opened(given) if direct else temporary.create()
            if not direct:
                _take_mode(file, target)
        except OSError as error:
            raise failure(error, given) from error
        sink = _Sink(file, given)
        with interrupts_first(), _compressor(sink, given.suffix.lower()) as stream:
            yield stream
        _refuse_a_full_disk(sink, target)
        if not direct:
            _finish(file, temporary.path, target)
        done = True
    finally:
        if sink is not None:
            sink.leave()
        temporary.close(keep=done)
        if direct and sink is not None:
            file.close()


def _is_special(path: Path) -> bool:
    """Return whether a path is a pipe or a device."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _opened(path: Path) -> io.FileIO:
    """Open an existing pipe or device for writing."""
    flags = os.O_WRONLY | getattr(os, "O_CLOEXEC", 0)
    return io.FileIO(path, "wb", opener=lambda name, _: os.open(name, flags))


def _take_mode(file: io.FileIO, target: Path) -> None:
    """Give the temporary file the permissions of the file that it will replace."""
    if hasattr(os, "fchmod"):
        with contextlib.suppress(FileNotFoundError):
            os.fchmod(file.fileno(), stat.S_IMODE(target.stat().st_mode))


def _finish(file: io.FileIO, temporary: Path, target: Path) -> None:
    """Flush the temporary file to the disk and rename it to the target."""
    try:
        os.fsync(file.fileno())
        temporary.replace(target)
    except OSError as error:
        raise failure(error, target) from error


def _refuse_a_full_disk(sink: _Sink, target: Path) -> None:
    if sink.full is not None:
        free = shutil.disk_usage(target.parent).free
        message = (
            f"the disk is full: the file needs {sink.written:,} bytes, {free:,} are free; "
            "no existing file was changed"
        )
        raise OutputError(sink.full.errno, message, str(target))


@contextlib.contextmanager
def _compressor(sink: _Sink, suffix: str) -> Iterator[BinaryIO]:
    kind = SUFFIXES.get(suffix)
    raw = cast("BinaryIO", sink)
    if kind is None:
        buffered = io.BufferedWriter(sink, 1 << 20)
        yield cast("BinaryIO", _Named(buffered, sink.name))
        buffered.flush()
        return
    if kind == "zip":
        msg = "zip files are read but not written: use .gz, .xz, .bz2 or .zst"
        raise InputError(msg)
    file: Any
    if kind == "gzip":
        # Without a time stamp and a name the same graph gives the same bytes.
        file = gzip.GzipFile("", "wb", 6, raw, mtime=0)
    elif kind == "xz":
        file = lzma.LZMAFile(raw, "wb")  # noqa: SIM115 - closed below, like the others
    elif kind == "bzip2":
        file = bz2.BZ2File(raw, "wb")
    else:
        zstd = zstd_module()
        file = _zstd_file(zstd, raw)
    with file:
        yield cast("BinaryIO", _Named(file, sink.name))


def _zstd_file(zstd: Any, raw: BinaryIO) -> Any:
    """Open a writer that adds a checksum, without which zstd detects no damage."""
    if hasattr(zstd, "ZstdFile"):
        return zstd.ZstdFile(raw, "w", options={zstd.CompressionParameter.checksum_flag: 1})
    return _ZstdFile(zstd.ZstdCompressor(write_checksum=True).compressobj(), raw)


class _ZstdFile(io.RawIOBase):
    """A writer for the package zstandard, whose own writer leaks an object at every close."""

    def __init__(self, compressor: Any, raw: BinaryIO) -> None:
        super().__init__()
        self._compressor = compressor
        self._raw = raw

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._raw.write(self._compressor.compress(data))
        return memoryview(data).nbytes

    def close(self) -> None:
        if not self.closed:
            self._raw.write(self._compressor.flush())
        super().close()


class _Named(io.RawIOBase):
    """A writer with the target's name; closing it does not close the underlying file."""

    def __init__(self, file: Any, name: str) -> None:
        super().__init__()
        self._file = file
        self._written = 0
        self.name = name

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        size = memoryview(data).nbytes
        self._file.write(data)
        self._written += size
        return size

    def tell(self) -> int:
        return self._written


def edge_blocks(
    graph: Graph, *, weighted: bool = True
) -> Iterator[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]]:
    """Yield (src, dst, weights) of about a million edges at a time, row by row.

    Parameters
    ----------
    weighted : False yields empty weights; True yields ones for a graph without weights.
    """
    for low in range(0, graph.m, BLOCK):
        high = min(low + BLOCK, graph.m)
        first = int(np.searchsorted(graph.indptr, low, "right")) - 1
        last = int(np.searchsorted(graph.indptr, high, "left"))
        ends = np.clip(graph.indptr[first : last + 1], low, high)
        src = np.repeat(np.arange(first, last, dtype=graph.indices.dtype), np.diff(ends))
        weights = graph._solver_weights[low:high] if weighted else NO_WEIGHTS
        yield src, graph.indices[low:high], weights


def refuse_what_text_cannot_hold(graph: Graph, suffix: str, labels: str) -> None:
    """Raise InputError for labels unless they are dropped."""
    if labels not in {"refuse", "drop"}:
        msg = f'labels={labels!r} must be "refuse" or "drop".'
        raise InputError(msg)
    if graph.labels is not None and labels == "refuse":
        msg = (
            f"a {suffix} file has numbers for vertices, but these have names ({graph.labels[0]!s}, "
            '...): write .npz or Parquet, or drop the names with labels="drop".'
        )
        raise InputError(msg)
