"""Temporary files next to a target, locked as long as their writer lives.

A temporary file is always created, never opened if it exists, so nothing is written to a symbolic
link or a file that another user put there. Its writer holds an exclusive lock (``flock``) on it. A
file without a lock was left by a killed process: the next writer of the same target removes it.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import secrets
import stat
from pathlib import Path

from warpath.base import system
from warpath.base.errors import OutputError
from warpath.io.places import to_write

#: Number of names that are tried in turn, after removal of unlocked files. If there are more
#: writers of one target at a time, the others use random names.
_SLOTS = 8
#: The most bytes of the target's name in the temporary file's name; file systems allow 255.
_LONGEST = 200


def real_path(path: str | os.PathLike[str]) -> Path:
    """Return the file that a path leads to: symbolic links are followed.

    Raises
    ------
    OutputError
        If no file can have this name, or its links lead in a circle.
    """
    target = Path(os.path.realpath(to_write(path)))
    try:
        target.lstat()
    except OSError:
        return target  # it does not exist, or opening it raises the error
    if target.is_symlink():
        message = "this symbolic link leads to itself: remove it, or choose another name"
        raise OutputError(errno.ELOOP, message, str(path))
    return target


def failure(error: OSError, path: Path) -> OutputError:
    """Return the OutputError of a system call that failed."""
    return OutputError(error.errno, f"cannot be written: {error.strerror}", str(path))


class Temporary:
    """A new file in the folder of a target, to be renamed to the target.

    Attributes
    ----------
    path : path of the temporary file.
    file : the temporary file, open for unbuffered writing.
    """

    def __init__(self, target: Path) -> None:
        name = os.fsdecode(os.fsencode(target.name)[:_LONGEST])
        self._slots = [target.with_name(f".{name}.{slot}.part") for slot in range(_SLOTS)]
        self.path = target
        self.file: io.FileIO | None = None

    def create(self) -> io.FileIO:
        """Create the file under a name that no other writer uses, and lock it.

        Raises
        ------
        OSError
            If the folder does not exist or may not be written to.
        """
        for slot in self._slots:
            self.path = slot
            remove_unlocked(slot)
            with contextlib.suppress(FileExistsError):
                self.file = io.FileIO(slot, "xb", opener=system.open_replaceable)
                if system.lock(self.file) is not False and same_file(self.file, slot):
                    break
                self.file.close()  # another writer removed it before it was locked
        else:
            first = self._slots[0]
            self.path = first.with_name(f"{first.stem}.{secrets.token_hex(8)}.part")
            self.file = io.FileIO(self.path, "xb", opener=system.open_replaceable)
            system.lock(self.file)
        for slot in self._slots:
            if slot != self.path:
                remove_unlocked(slot)
        return self.file

    def close(self, *, keep: bool) -> None:
        """Close the file; unless `keep`, remove it first.

        If an interrupt occurred between the file's creation and the assignment to `file`, the
        file is closed and has no lock.
        """
        if not keep and self.file is not None:
            with contextlib.suppress(OSError):
                if same_file(self.file, self.path):
                    self.path.unlink()
        elif not keep and self.path in self._slots:
            remove_unlocked(self.path)
        if self.file is not None:
            self.file.close()


def same_file(file: io.FileIO, path: Path) -> bool:
    """Return whether a path is this open file itself, neither a link to it nor another file."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.lstat())
    except OSError:
        return False


def remove_unlocked(path: Path) -> None:
    """Remove a temporary file, unless it is locked or not ours."""
    with contextlib.suppress(OSError):
        if not is_ours(path.lstat()):
            return
        with io.FileIO(path, "rb+", opener=system.open_replaceable) as file:
            if system.lock(file) and same_file(file, path):
                path.unlink()


def is_ours(status: os.stat_result) -> bool:
    """Return whether this is a regular file of this user without other hard links."""
    owners = {status.st_uid, system.user()} - {None}
    return stat.S_ISREG(status.st_mode) and (status.st_nlink, len(owners)) == (1, 1)
