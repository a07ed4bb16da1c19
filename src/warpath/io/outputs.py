"""Where large tables go: memory, a file, an array of a GPU or a function."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from warpath.base.errors import InputError
from warpath.io.places import to_write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from warpath.base.dtypes import Array
    from warpath.io.journal import Journal, Question


class Output(Protocol):
    """A (k, t) table that is filled in blocks of rows, in order."""

    @property
    def array(self) -> Any:
        """The table; of a file from when it is complete on; None where a function takes it."""
        ...

    @property
    def resumed(self) -> int:
        """How many rows an earlier run has left; `blocks` begins after them."""
        ...

    @property
    def journal(self) -> Journal | None:
        """Where a file notes how far it is; None elsewhere."""
        ...

    def blocks(self, *, at_once: bool = False, several: int = 1) -> list[slice]:
        """Return the row ranges in which it wants to be filled.

        Parameters
        ----------
        at_once : one block only.
        several : how many rows a block should have at least, where memory allows.
        """
        ...

    def block(self, rows: slice) -> Any:
        """Return an array for these rows, to be filled; the one before it may still be written."""
        ...

    def put(self, rows: slice, values: Any) -> None:
        """Take the filled rows."""
        ...


class _Held:
    """An array, of this machine or of a GPU, that is filled in place."""

    resumed = 0
    journal = None

    def __init__(self, array: Any) -> None:
        self.array = array

    def blocks(self, *, at_once: bool = False, several: int = 1) -> list[slice]:  # noqa: ARG002
        return [slice(0, len(self.array))]

    def block(self, rows: slice) -> Any:
        return self.array[rows]

    def put(self, rows: slice, values: Any) -> None:
        """Nothing to do: the block is the array's own memory."""


class _Told:
    """A function that takes block after block, in the thread of the call."""

    array = None
    resumed = 0
    journal = None

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


@contextmanager
def output_of(
    out: Any,
    shape: tuple[int, int],
    dtype: np.dtype[Any],
    *,
    device: str = "cpu",
    question: Callable[[], Question] | None = None,
) -> Iterator[Output]:
    """Open what a table is written to.

    Parameters
    ----------
    out : None for a new array; an array of this shape and type; a path ending in ``.npy`` or
        ``.zarr``, which appears complete or not at all; or a function of (rows, values).
    shape, dtype : of the table.
    device : what runs: only a GPU fills an array that lies on one.
    question : gives what the table depends on, so that a file is only continued by what began it.
    """
    if out is None:
        yield _Held(np.empty(shape, dtype))
    elif hasattr(out, "__cuda_array_interface__"):
        _check_gpu_array(out, shape, dtype, device)
        yield _Held(out)
    elif isinstance(out, np.ndarray):
        _check_array(out, shape, dtype)
        yield _Held(out)
    elif isinstance(out, str | os.PathLike):
        from warpath.io.streams import opened_file

        path = to_write(out)
        if path.suffix not in {".npy", ".zarr"}:
            msg = f"out={str(path)!r}: a path ends in .npy or .zarr."
            raise InputError(msg)
        with opened_file(path, shape, dtype, {} if question is None else question()) as output:
            yield output
    elif callable(out):
        yield _Told(out, shape, dtype)
    else:
        msg = f"out is a {type(out).__name__}: None, an array, a path or a function is needed."
        raise InputError(msg)


def _check_array(out: Array, shape: tuple[int, int], dtype: np.dtype[Any]) -> None:
    ordered = out.flags.c_contiguous and out.flags.aligned
    if out.shape != shape or out.dtype != dtype or not ordered:
        order = "" if ordered else ", not C-ordered"
        msg = (
            f"out has shape {out.shape} and type {out.dtype}{order}: a C-ordered array of shape "
            f"{shape} and type {dtype} is needed."
        )
        raise InputError(msg)
    if not out.flags.writeable:
        msg = "out is read-only: give an array that may be written."
        raise InputError(msg)


def _check_gpu_array(out: Any, shape: tuple[int, int], dtype: np.dtype[Any], device: str) -> None:
    if device == "cpu":
        msg = (
            f"out is a {type(out).__name__} on a GPU, but the CPU runs: say device='cuda', or give "
            "a NumPy array."
        )
        raise InputError(msg)
    given = out.__cuda_array_interface__
    found, kind, strides = tuple(given["shape"]), np.dtype(given["typestr"]), given.get("strides")
    packed = (shape[1] * dtype.itemsize, dtype.itemsize)
    ordered = strides is None or tuple(strides) == packed
    if found != shape or kind != dtype or not ordered:
        order = "" if ordered else ", not C-ordered"
        msg = (
            f"out has shape {found} and type {kind}{order}: a C-ordered array of shape {shape} "
            f"and type {dtype} is needed."
        )
        raise InputError(msg)
    if given["data"][1]:
        msg = "out is read-only: give an array that may be written."
        raise InputError(msg)
