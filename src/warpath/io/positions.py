"""Reads and writes at given positions of an open file."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def reserve(file: int, size: int) -> None:
    """Allocate the whole file on disk, so that a full disk is detected before the work begins."""
    if hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(file, 0, size)
        except OSError as error:
            if error.errno not in {
                errno.EINVAL,
                errno.EOPNOTSUPP,
            }:  # the file system does not support it
                raise
    os.truncate(file, size)


def on_disk(file: int) -> None:
    """Flush the content to the disk."""
    getattr(os, "fdatasync", os.fsync)(file)


def write_at(file: int, data: Any, at: int) -> None:
    """Write all bytes of a buffer, starting at a position."""
    left = memoryview(data)
    while left:
        count = os.pwrite(file, left[: 1 << 30], at)
        left, at = left[count:], at + count


def read_at(file: int, into: Any, at: int) -> None:
    """Fill a buffer from the file, with zeros beyond its end."""
    left = memoryview(into)
    while left and (count := os.preadv(file, [left[: 1 << 30]], at)):
        left, at = left[count:], at + count
    left[:] = bytes(len(left))


def bytes_of(values: NDArray[Any]) -> Any:
    """Return the bytes of a C-ordered array, without a copy."""
    return np.ravel(values).view(np.uint8).data
