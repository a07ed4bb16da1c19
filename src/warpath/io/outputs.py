"""Destinations of large tables: memory, a file, a GPU array or a function."""

from __future__ import annotations

import math
import os
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from warpath.base.errors import InputError
from warpath.io.places import to_write

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from warpath.base.dtypes import Array
    from warpath.io.journal import Journal, Question
    from warpath.io.zarr_rows import ChunkedRows


class Output(Protocol):
    """A (k, t) table that is filled in blocks of rows, in order."""

    @property
    def array(self) -> Any:
        """The table; None for a function, and for a file until it is complete."""
        ...

    @property
    def resumed(self) -> int:
        """Number of rows from an earlier run; `blocks` begins after them."""
        ...

    @property
    def journal(self) -> Journal | None:
        """The journal of an unfinished file; None for other outputs."""
        ...

    @property
    def by_chunks(self) -> ChunkedRows | None:
        """A file that other processes may fill by whole chunks; None for other outputs."""
        ...

    def blocks(self, *, at_once: bool = False, several: int = 1) -> list[slice]:
        """Return the row ranges of the blocks, in order.

        Parameters
        ----------
        at_once : True returns a single block.
        several : minimum number of rows per block, if memory allows.
        """
        ...

    def block(self, rows: slice) -> Any:
        """Return an array to fill with these rows; the previous block may still be in use."""
        ...

    def put(self, rows: slice, values: Any) -> None:
        """Store the filled rows."""
        ...


class _InPlace:
    """An array in host or GPU memory that is filled in place."""

    resumed = 0
    journal = None
    by_chunks = None

    def __init__(self, array: Any) -> None:
        self.array = array

    def blocks(self, *, at_once: bool = False, several: int = 1) -> list[slice]:  # noqa: ARG002
        return [slice(0, len(self.array))]

    def block(self, rows: slice) -> Any:
        return self.array[rows]

    def put(self, rows: slice, values: Any) -> None:
        """Do nothing: the block is part of the array."""


class _Callback:
    """A function that is called with each block, in the thread of the caller."""

    array = None
    resumed = 0
    journal = None
    by_chunks = None

    def __init__(
        self,
        take: Callable[[slice, Array], object],
        shape: tuple[int, int],
        dtype: np.dtype[Any],
    ) -> None:
        self._take = take
        self._shape = shape
        self._buffer: Array = np.empty((0, shape[1]), dtype)

    def blocks(self, *, at_once: bool = False, several: int = 1) -> list[slice]:
        from warpath.io.streams import row_blocks

        return row_blocks(self._shape, self._buffer.dtype, at_once=at_once, several=several)

    def block(self, rows: slice) -> Array:
        count = rows.stop - rows.start
        if len(self._buffer) < count:
            self._buffer = np.empty((count, self._shape[1]), self._buffer.dtype)
        return self._buffer[:count]

    def put(self, rows: slice, values: Array) -> None:
        self._take(rows, values)


def output_of(
    out: Any,
    shape: tuple[int, int],
    dtype: np.dtype[Any],
    *,
    on_gpu: bool = False,
    question: Callable[[], Question] | None = None,
) -> AbstractContextManager[Output]:
    """Return the context in which the destination of a table is open.

    Parameters
    ----------
    out : None for a new array; an array of this shape and type; a path ending in ``.npy`` or
        ``.zarr``, which is created only when the table is complete; or a function of
        (rows, values).
    shape, dtype : shape and type of the table.
    on_gpu : whether the call runs on a GPU; only then can it fill a GPU array.
    question : returns the query, so that only a call with the same query continues a file.
    """
    if out is None:
        return nullcontext(_InPlace(np.empty(shape, dtype)))
    if hasattr(out, "__cuda_array_interface__") or isinstance(out, np.ndarray):
        return nullcontext(_InPlace(array_of(out, shape, dtype, on_gpu=on_gpu)))
    if isinstance(out, str | os.PathLike):
        from warpath.io.streams import opened_file

        path = to_write(out)
        if path.suffix not in {".npy", ".zarr"}:
            msg = f"out={str(path)!r}: a path must end in .npy or .zarr."
            raise InputError(msg)
        return opened_file(path, shape, dtype, {} if question is None else question())
    if callable(out):
        return nullcontext(_Callback(out, shape, dtype))
    msg = f"out is a {type(out).__name__}: it must be None, an array, a path or a function."
    raise InputError(msg)


def array_of(out: Any, shape: tuple[int, ...], dtype: np.dtype[Any], *, on_gpu: bool) -> Any:
    """Return an array of the host or of a GPU; refuse one of another shape or type.

    Parameters
    ----------
    on_gpu : as in `output_of`.
    """
    if hasattr(out, "__cuda_array_interface__"):
        _check_gpu_array(out, shape, dtype, on_gpu=on_gpu)
    else:
        _check_array(out, shape, dtype)
    return out


def _check_array(out: Array, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    ordered = out.flags.c_contiguous and out.flags.aligned
    if out.shape != shape or out.dtype != dtype or not ordered:
        order = "" if ordered else ", not C-ordered"
        msg = (
            f"out has shape {out.shape} and type {out.dtype}{order}: a C-ordered array of shape "
            f"{shape} and type {dtype} is needed."
        )
        raise InputError(msg)
    if not out.flags.writeable:
        msg = "out is read-only: use a writable array."
        raise InputError(msg)


def _check_gpu_array(
    out: Any, shape: tuple[int, ...], dtype: np.dtype[Any], *, on_gpu: bool
) -> None:
    if not on_gpu:
        msg = (
            f"out is a {type(out).__name__} on a GPU, but the call runs on the CPU: use "
            "device='cuda', or a NumPy array."
        )
        raise InputError(msg)
    given = out.__cuda_array_interface__
    actual, kind, strides = tuple(given["shape"]), np.dtype(given["typestr"]), given.get("strides")
    packed = tuple(dtype.itemsize * math.prod(shape[axis + 1 :]) for axis in range(len(shape)))
    ordered = strides is None or tuple(strides) == packed
    if actual != shape or kind != dtype or not ordered:
        order = "" if ordered else ", not C-ordered"
        msg = (
            f"out has shape {actual} and type {kind}{order}: a C-ordered array of shape {shape} "
            f"and type {dtype} is needed."
        )
        raise InputError(msg)
    if given["data"][1]:
        msg = "out is read-only: use a writable array."
        raise InputError(msg)
