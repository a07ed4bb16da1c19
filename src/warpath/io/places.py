"""Paths of files as callers give them, checked before anything is opened."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

from warpath.base.errors import GraphFormatError, InputError, OutputError
from warpath.graph.checks import shown


def to_read(path: Any) -> Path:
    """Return the path of a file to be read.

    Raises
    ------
    InputError
        If it is neither a string nor a path.
    GraphFormatError
        If no file can have this name.
    """
    found, why = _looked_up(path)
    if why is not None:
        raise GraphFormatError(shown(path), None, f"this is no path of a file: {why[1]}")
    return found


def to_write(path: Any) -> Path:
    """Return the path of a file to be written.

    Raises
    ------
    InputError
        If it is neither a string nor a path.
    OutputError
        If no file can have this name.
    """
    found, why = _looked_up(path)
    if why is None and not found.name:
        why = errno.EISDIR, "it is a directory"
    if why is not None:
        raise OutputError(why[0], f"cannot be written: {why[1]}", shown(path))
    return found


def _looked_up(path: Any) -> tuple[Path, tuple[int, str] | None]:
    """Return a path, and the number and the sentence of what is wrong with its name, or None."""
    try:
        found = Path(path)
    except TypeError:
        msg = f"path = {shown(path)} is a {type(path).__name__}: a string or a Path is needed."
        raise InputError(msg) from None
    try:
        os.lstat(found)
    except ValueError:
        what = "a NUL character" if "\0" in str(found) else "a character that no file name has"
        return found, (errno.EINVAL, f"its path has {what}")
    except OSError as error:
        if error.errno in {errno.ENAMETOOLONG, errno.ELOOP}:
            return found, (error.errno, os.strerror(error.errno).lower())
    return found, None
