"""Checks that no other user can change the folders and files that compiled code is read from.

The rule is that of OpenSSH for its keys. A folder is trusted if it, every folder above it and every
symbolic link on the way belong to this user or to root, and if neither group nor others can write
to them. A parent folder may be writable by all if it is sticky, like /tmp: others cannot rename
entries of other users there. Access control lists are not checked.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from warpath.base import system

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def refusal(folder: Path) -> str | None:
    """Return why a folder is not trusted and what to do; None if it is or does not exist yet.

    Parameters
    ----------
    folder : an absolute path.
    """
    if system.user() is None:
        return None
    real = Path(os.path.realpath(folder))
    for path in dict.fromkeys([folder, real, *folder.parents, *real.parents]):
        try:
            status = path.lstat()
        except OSError:  # it does not exist, or this user cannot reach it and so not read it
            continue
        if not _has_trusted_owner(status):
            return (
                f"{path} belongs to user {status.st_uid}, who can change what is in it: name a "
                "folder of your own"
            )
        sticky = path not in {folder, real} and status.st_mode & stat.S_ISVTX
        if not stat.S_ISLNK(status.st_mode) and status.st_mode & _OTHERS_WRITE and not sticky:
            return (
                f"other users can write to {path} (mode {stat.S_IMODE(status.st_mode):04o}): run "
                f"chmod go-w {path}, or name another folder"
            )
    return None


def is_trusted(file: int) -> bool:
    """Return whether an open file is a regular one that no other user can change."""
    status = os.fstat(file)
    if not stat.S_ISREG(status.st_mode):
        return False
    return system.user() is None or (
        _has_trusted_owner(status) and not status.st_mode & _OTHERS_WRITE
    )


def _has_trusted_owner(status: os.stat_result) -> bool:
    return status.st_uid in {0, system.user()}
