"""Checks of what is at the path of a table, and of the disk, before anything is written."""

from __future__ import annotations

import errno
import shutil
import stat
from typing import TYPE_CHECKING

from warpath.base.errors import OutputError

if TYPE_CHECKING:
    from pathlib import Path


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
