"""How far a file that takes long to write has come: noted beside it, under a lock.

While ``full.npy`` is made there are ``full.npy.part``, which holds what is done, and
``full.npy.part.json``, which says what was asked and how much of the answer is there. A call with
the same question goes on from there, whatever ended the one before.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import time
from typing import TYPE_CHECKING, Any

from warpath.errors import OutputError

if TYPE_CHECKING:
    from pathlib import Path

#: What a table depends on, as the messages call it.
Question = dict[str, str]

_WAYS = "delete {part} and {note} to begin anew, or choose another name"


class Journal:
    """The part of a file, and the note that says how much of it is valid.

    Attributes
    ----------
    part : the file, or the folder of a Zarr array, that is being filled; open and locked.
    note : the JSON document beside it.
    rows : how many rows, from the first on, are valid.
    descriptor : the part, open for reading and writing (a folder: for reading).
    """

    def __init__(self, target: Path, question: Question, *, folder: bool) -> None:
        self.target = target
        self.part = target.with_name(f"{target.name}.part")
        self.note = target.with_name(f"{target.name}.part.json")
        self.rows = 0
        self._state: dict[str, Any] | None = None
        self._question = question
        self._folder = folder
        self.descriptor = self._opened()
        try:
            self._lock()
            self._read()
        except BaseException:
            self.close()
            raise

    def begin(self) -> None:
        """Write the first note; before it the part must be empty."""
        self._write()

    def restart(self) -> None:
        """Forget what was noted: the part is not what the note says."""
        self.rows, self._state = 0, None

    def advance(self, rows: int) -> None:
        """Note that all rows before this one are in the file."""
        self.rows, self._state = rows, None
        self._write()

    def done(self) -> dict[str, Any] | None:
        """Return what `mark` noted last, or None: for work that fills the rows more than once."""
        return self._state

    def mark(self, state: dict[str, Any]) -> None:
        """Note how far such work is; what it says is in the file must have been written."""
        self.rows, self._state = 0, state
        self._write()

    @property
    def begun(self) -> bool:
        """Whether anything of the answer is there."""
        return self.rows > 0 or self._state is not None

    def finish(self) -> None:
        """Give the part its name: it is complete."""
        if self._folder and self.target.exists():
            shutil.rmtree(self.target)
        self.part.replace(self.target)
        for file in (self.note, self.panels):  # panels: of work that other work has taken over
            file.unlink(missing_ok=True)

    @property
    def panels(self) -> Path:
        """A file for what such work keeps beside the part."""
        return self.target.with_name(f"{self.target.name}.part.panels")

    def discard(self) -> None:
        """Remove the part, its note and what was kept beside it."""
        for _ in range(50 if self._folder else 0):  # Zarr's threads may still write chunks
            shutil.rmtree(self.part, ignore_errors=True)
            if not self.part.exists():
                break
            time.sleep(0.02)
        files = [self.note, self.panels]
        for file in files if self._folder else [self.part, *files]:
            with contextlib.suppress(OSError):
                file.unlink()

    def close(self) -> None:
        """Let go of the part and its lock."""
        os.close(self.descriptor)

    def _opened(self) -> int:
        flags = getattr(os, "O_CLOEXEC", 0)
        try:
            if not self._folder:
                return os.open(self.part, flags | os.O_RDWR | os.O_CREAT, 0o666)
            self.part.mkdir(exist_ok=True)
            return os.open(self.part, flags | os.O_RDONLY)
        except OSError as error:
            message = f"cannot be written: {error.strerror}"
            raise OutputError(error.errno, message, str(self.target)) from error

    def _lock(self) -> None:
        try:
            import fcntl
        except ImportError:  # Windows
            return
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise self._busy() from None
        except OSError:  # a file system that knows no locks
            return
        try:  # another process may have finished or removed it between opening and locking
            same = os.path.samestat(os.fstat(self.descriptor), self.part.stat())
        except OSError:
            same = False
        if not same:
            raise self._busy()

    def _busy(self) -> OutputError:
        message = (
            "another process or thread is writing it at this moment: wait until it is done, or "
            "choose another name"
        )
        return OutputError(errno.EBUSY, message, str(self.target))

    def _empty(self) -> bool:
        if self._folder:
            return not any(self.part.iterdir())
        return os.fstat(self.descriptor).st_size == 0

    def _read(self) -> None:
        """Take over what an earlier run noted; refuse what is no such part, or another's."""
        if self._empty():
            return
        ways = _WAYS.format(part=self.part.name, note=self.note.name)
        try:
            kept = json.loads(self.note.read_text(encoding="utf-8"))
            asked, rows, state = kept["asked"], int(kept["rows"]), kept.get("state")
            others = sorted({*asked, *self._question})
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            message = f"{self.part.name} is there, but {self.note.name} does not say what is in it"
            raise OutputError(errno.EEXIST, f"{message}: {ways}", str(self.target)) from None
        differing = [name for name in others if asked.get(name) != self._question.get(name)]
        if not rows and state is None:
            return
        if differing:
            message = (
                f"{self.part.name} holds {rows:,} rows of another question (another "
                f"{', another '.join(differing)}): ask that one again to complete it, {ways}"
            )
            raise OutputError(errno.EEXIST, message, str(self.target))
        self.rows, self._state = rows, state

    def _write(self) -> None:
        """Replace the note in one step, so that it is never half written."""
        text = json.dumps(
            {
                "what": "unfinished distances of warpath: the same call again completes them",
                "rows": self.rows,
                "asked": self._question,
                **({} if self._state is None else {"state": self._state}),
            },
            indent=2,
        )
        fresh = self.note.with_name(f"{self.note.name}.new")
        try:
            fresh.write_text(f"{text}\n", encoding="utf-8")
            fresh.replace(self.note)
        except OSError as error:
            with contextlib.suppress(OSError):
                fresh.unlink()
            message = f"cannot be written: {error.strerror}"
            raise OutputError(error.errno, message, str(self.target)) from error
