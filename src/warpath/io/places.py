"""Validation of the paths that callers give, before any file is opened."""

from __future__ import annotations

import errno
import os
import re
import shlex
from pathlib import Path
from typing import Any

from warpath.base.errors import GraphFormatError, InputError, OutputError
from warpath.graph.checks import shown

#: A path with a scheme, also after `pathlib` removed one of its slashes.
_URL = re.compile(r"(?:https?|ftp|s3|gs|file):/+", re.IGNORECASE)


def to_read(path: Any) -> Path:
    """Return the path of a file to be read.

    Raises
    ------
    InputError
        If it is neither a string nor a path.
    GraphFormatError
        If no file can have this name, or it is a URL.
    """
    checked, problem = _checked(path)
    if _URL.match(str(checked)) and not checked.exists():
        url = str(path).replace(":/", "://", 1) if isinstance(path, Path) else str(path)
        way = f"curl -LO {shlex.quote(url)}"
        msg = f"URLs are not read: download the file first, for example by {way}"
        raise GraphFormatError(url, None, msg)
    if problem is not None:
        raise GraphFormatError(shown(path), None, f"this is not a valid path: {problem[1]}")
    return checked


def to_write(path: Any) -> Path:
    """Return the path of a file to be written.

    Raises
    ------
    InputError
        If it is neither a string nor a path.
    OutputError
        If no file can have this name.
    """
    checked, problem = _checked(path)
    if problem is None and not checked.name:
        problem = errno.EISDIR, "it is a directory"
    if problem is not None:
        raise OutputError(problem[0], f"cannot be written: {problem[1]}", shown(path))
    return checked


def _checked(path: Any) -> tuple[Path, tuple[int, str] | None]:
    """Return a path, and the error number and description if its name is not valid, else None."""
    try:
        checked = Path(path)
    except TypeError:
        msg = f"path = {shown(path)} must be a string or a Path, not {type(path).__name__}."
        raise InputError(msg) from None
    try:
        os.lstat(checked)
    except ValueError:
        what = "a NUL character" if "\0" in str(checked) else "a character that no file name has"
        return checked, (errno.EINVAL, f"its path has {what}")
    except OSError as error:
        if error.errno in {errno.ENAMETOOLONG, errno.ELOOP}:
            return checked, (error.errno, os.strerror(error.errno).lower())
    return checked, None
