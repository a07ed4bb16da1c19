"""Files that are written wholly or not at all."""

from __future__ import annotations

import bz2
import contextlib
import errno
import gzip
import io
import lzma
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import numpy as np

from warpath.errors import InputError, OutputError
from warpath.io.compression import SUFFIXES, without_suffix, zstd_module
from warpath.rows import NO_WEIGHTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from warpath.graph import Graph

#: Edges per piece of text: tens of megabytes, so that memory stays small and Ctrl-C prompt.
BLOCK = 1 << 20

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class _Sink(io.RawIOBase):
    """A file that goes on counting once the disk is full: the error knows the bytes needed."""

    def __init__(self, descriptor: int, name: str) -> None:
        super().__init__()
        self.name = name
        self.written = 0
        self.full: OSError | None = None
        self._descriptor = descriptor

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        left = view
        while left and self.full is None:
            try:
                left = left[os.write(self._descriptor, left) :]
            except OSError as error:
                if error.errno not in _FULL:
                    raise
                self.full = error
        self.written += len(view)
        return len(view)

    def tell(self) -> int:
        return self.written

    def leave(self) -> None:
        """Write nothing any more: a buffer that is thrown away late must not meet a closed file."""
        self.full = self.full or OSError(errno.EBADF, "closed")


@contextlib.contextmanager
def atomic(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing that appears under its name only when the block ends without error.

    The bytes go to a temporary file in the same folder, which is flushed to the disk and then
    renamed. A suffix .gz, .xz, .bz2 or .zst compresses them. The file given cannot be sought in;
    its ``name`` is that of the target without the suffix of the compression.

    Parameters
    ----------
    path : the target; a link is followed; what is no regular file (a pipe) is written to directly.

    Raises
    ------
    OutputError
        The folder is missing or closed to this user, or the disk is full: with the bytes needed.
    """
    target = Path(os.path.realpath(path))
    direct = target.exists() and not target.is_file() and not target.is_dir()
    part = target if direct else target.with_name(f".{target.name}.{os.getpid()}.part")
    flags = os.O_WRONLY | getattr(os, "O_CLOEXEC", 0)
    if target.is_dir():
        raise OutputError(
            errno.EISDIR, "this is a directory, but a file is to be written", str(path)
        )
    try:
        descriptor = os.open(part, flags if direct else flags | os.O_CREAT | os.O_TRUNC, 0o666)
    except OSError as error:
        raise OutputError(error.errno, f"cannot be written: {error.strerror}", str(path)) from error
    done = False
    sink = _Sink(descriptor, without_suffix(target.name))
    try:
        with _compressor(sink, target.suffix.lower()) as file:
            yield file
        if sink.full is not None:
            raise _no_room(sink, target)
        if not direct:
            os.fsync(descriptor)
            if target.exists():
                shutil.copymode(target, part)
            part.replace(target)
        done = True
    finally:
        sink.leave()
        os.close(descriptor)
        if not done and not direct:
            with contextlib.suppress(OSError):
                part.unlink()


def _no_room(sink: _Sink, target: Path) -> OutputError:
    free = shutil.disk_usage(target.parent).free
    message = (
        f"the disk is full: the file needs {sink.written:,} bytes, {free:,} are free; "
        "what was there before is untouched"
    )
    code = sink.full.errno if sink.full is not None else errno.ENOSPC
    return OutputError(code, message, str(target))


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
        # No time stamp and no name: the same graph gives the same bytes.
        file = gzip.GzipFile("", "wb", 6, raw, mtime=0)
    elif kind == "xz":
        file = lzma.LZMAFile(raw, "wb")  # noqa: SIM115 - closed below, as all of them are
    elif kind == "bzip2":
        file = bz2.BZ2File(raw, "wb")
    else:
        zstd = zstd_module()
        file = _zstd_file(zstd, raw)
    with file:
        yield cast("BinaryIO", _Named(file, sink.name))


def _zstd_file(zstd: Any, raw: BinaryIO) -> Any:
    """Open a writer with a checksum, without which zstd notices no damage."""
    if hasattr(zstd, "ZstdFile"):
        return zstd.ZstdFile(raw, "w", options={zstd.CompressionParameter.checksum_flag: 1})
    return zstd.ZstdCompressor(write_checksum=True).stream_writer(raw, closefd=False)


class _Named(io.RawIOBase):
    """A writer under the name of its target, that the block may close without harm."""

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
    weighted : False leaves the weights empty; True gives ones where the graph has none.
    """
    for low in range(0, graph.m, BLOCK):
        high = min(low + BLOCK, graph.m)
        first = int(np.searchsorted(graph.indptr, low, "right")) - 1
        last = int(np.searchsorted(graph.indptr, high, "left"))
        ends = np.clip(graph.indptr[first : last + 1], low, high)
        src = np.repeat(np.arange(first, last, dtype=graph.indices.dtype), np.diff(ends))
        weights = graph.solver_weights[low:high] if weighted else NO_WEIGHTS
        yield src, graph.indices[low:high], weights


def refuse_what_text_cannot_hold(graph: Graph, suffix: str, labels: str) -> None:
    """Refuse names of vertices (unless dropped) and vertices that are never passed through."""
    if labels not in {"refuse", "drop"}:
        msg = f'labels={labels!r} must be "refuse" or "drop".'
        raise InputError(msg)
    if graph.labels is not None and labels == "refuse":
        msg = (
            f"a {suffix} file has numbers for vertices, but these have names ({graph.labels[0]!s}, "
            '...): write .npz or Parquet, or drop the names with labels="drop".'
        )
        raise InputError(msg)
    if graph.first_through:
        msg = (
            f"a {suffix} file cannot say that the first {graph.first_through} vertices are never "
            "passed through: write .npz."
        )
        raise InputError(msg)
