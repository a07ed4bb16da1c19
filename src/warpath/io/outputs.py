"""Where large tables go: memory, a mapped ``.npy`` file or a Zarr array, filled block by block."""

from __future__ import annotations

import errno
import os
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from warpath.errors import InputError, OutputError, require

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Array = NDArray[Any]

#: A block of rows that is computed in memory before it is written out.
BLOCK_BYTES = 64 * 2**20


class Output(Protocol):
    """A (k, t) table that is filled row by row."""

    array: Any

    def blocks(self) -> list[slice]:
        """Return the row ranges in which it wants to be filled."""
        ...

    def block(self, rows: slice) -> Array:
        """Return an array in memory for these rows."""
        ...

    def put(self, rows: slice, values: Array) -> None:
        """Take the filled rows."""
        ...


class _InMemory:
    def __init__(self, array: Array) -> None:
        self.array = array

    def blocks(self) -> list[slice]:
        return [slice(0, len(self.array))]

    def block(self, rows: slice) -> Array:
        return self.array[rows]

    def put(self, rows: slice, values: Array) -> None:
        """Nothing to do: the block is the array's own memory."""


class _OnDisk:
    def __init__(self, array: Any) -> None:
        self.array = array
        self._buffer: Array | None = None

    def blocks(self) -> list[slice]:
        k, t = self.array.shape
        rows = max(1, BLOCK_BYTES // max(1, t * self.array.dtype.itemsize))
        return [slice(start, min(k, start + rows)) for start in range(0, k, rows)]

    def block(self, rows: slice) -> Array:
        shape = (rows.stop - rows.start, self.array.shape[1])
        if self._buffer is None or self._buffer.shape != shape:
            self._buffer = np.empty(shape, self.array.dtype)
        return self._buffer

    def put(self, rows: slice, values: Array) -> None:
        self.array[rows] = values


@contextmanager
def output_of(out: Any, shape: tuple[int, int], dtype: np.dtype[Any]) -> Iterator[Output]:
    """Open what a table is written to.

    Parameters
    ----------
    out : None for a new array; an array of this shape and type; or a path ending in ``.npy`` or
        ``.zarr``, which appears complete or not at all.
    shape, dtype : of the table.
    """
    if out is None:
        yield _InMemory(np.empty(shape, dtype))
    elif isinstance(out, np.ndarray):
        ordered = out.flags.c_contiguous and out.flags.aligned
        if out.shape != shape or out.dtype != dtype or not ordered:
            msg = (
                f"out has shape {out.shape} and type {out.dtype}: a C-ordered array of shape "
                f"{shape} and type {dtype} is needed."
            )
            raise InputError(msg)
        if not out.flags.writeable:
            msg = "out is read-only: give an array that may be written."
            raise InputError(msg)
        yield _InMemory(out)
    elif isinstance(out, str | os.PathLike):
        path = Path(out)
        if path.suffix not in {".npy", ".zarr"}:
            msg = f"out={str(path)!r}: a path ends in .npy or .zarr."
            raise InputError(msg)
        _refuse_what_is_there(path)
        with (_npy if path.suffix == ".npy" else _zarr)(path, shape, dtype) as output:
            yield output
    else:
        msg = f"out is a {type(out).__name__}: None, an array or a path is needed."
        raise InputError(msg)


def _refuse_what_is_there(path: Path) -> None:
    """Refuse, before anything is computed, to replace what is no table of this kind."""
    if path.suffix == ".npy" and path.is_dir():
        message = "this is a directory, but a file is to be written"
        raise OutputError(errno.EISDIR, message, str(path))
    if path.suffix == ".zarr" and path.exists() and not _is_zarr(path):
        message = "something else than a Zarr array is there: remove it, or choose another name"
        raise OutputError(errno.EEXIST, message, str(path))


def _is_zarr(path: Path) -> bool:
    marks = ("zarr.json", ".zarray", ".zgroup")
    return path.is_dir() and any((path / mark).is_file() for mark in marks)


def _refuse_a_full_disk(path: Path, shape: tuple[int, int], dtype: np.dtype[Any]) -> None:
    needed = shape[0] * shape[1] * dtype.itemsize
    try:
        free = shutil.disk_usage(path.parent).free
    except OSError as error:
        raise OutputError(error.errno, f"cannot be written: {error.strerror}", str(path)) from None
    if needed > free:
        message = f"would take {needed:,} bytes, but its disk has {free:,} free"
        raise OutputError(errno.ENOSPC, message, str(path))


@contextmanager
def _npy(path: Path, shape: tuple[int, int], dtype: np.dtype[Any]) -> Iterator[Output]:
    _refuse_a_full_disk(path, shape, dtype)
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        mapped = np.lib.format.open_memmap(partial, mode="w+", dtype=dtype, shape=shape)
        _reserve(partial, path)
        output = _OnDisk(mapped)
        yield output
        mapped.flush()
        partial.replace(path)
        output.array = np.load(path, mmap_mode="r")
    finally:
        partial.unlink(missing_ok=True)


def _reserve(partial: Path, path: Path) -> None:
    """Take the blocks of a mapped file now: a disk that fills up later would kill the process."""
    if not hasattr(os, "posix_fallocate"):
        return
    with partial.open("r+b") as file:
        try:
            os.posix_fallocate(file.fileno(), 0, partial.stat().st_size)
        except OSError as error:
            if error.errno not in {errno.EINVAL, errno.EOPNOTSUPP}:  # a file system without it
                message = f"cannot be written: {error.strerror}"
                raise OutputError(error.errno, message, str(path)) from None


@contextmanager
def _zarr(path: Path, shape: tuple[int, int], dtype: np.dtype[Any]) -> Iterator[Output]:
    zarr = require("zarr", extra="zarr", what=f"Writing {path.name}")
    _refuse_a_full_disk(path, shape, dtype)
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        rows = max(1, BLOCK_BYTES // max(1, shape[1] * dtype.itemsize))
        chunks = (max(1, min(rows, shape[0])), max(1, shape[1]))
        output = _OnDisk(zarr.create_array(partial, shape=shape, dtype=dtype, chunks=chunks))
        yield output
        if path.exists():
            shutil.rmtree(path)
        partial.rename(path)
        output.array = zarr.open_array(path, mode="r")
    finally:
        shutil.rmtree(partial, ignore_errors=True)
