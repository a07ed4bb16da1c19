"""Unfinished files: a part file, a note of its progress, and a lock.

While ``full.npy`` is written, ``full.npy.part`` holds the finished rows; ``full.npy.part.json``,
the *note*, holds the query that they answer, their number and their checksum; and
``full.npy.part.lock`` excludes other writers as long as this process lives. A call with the same
query continues from there, however the call before ended.

The note is used only if its own checksum is right, and the rows only if theirs is. A part, a note
or a lock that is a symbolic link or belongs to another user is refused.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import json
import os
import shutil
import stat
import time
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base import system
from warpath.base.errors import OutputError
from warpath.io.positions import bytes_of, on_disk, read_at, reserve, write_at
from warpath.io.temporary import failure, is_ours, real_path, remove_unlocked, same_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from warpath.base.dtypes import Array

#: A query: everything that a table depends on, by the names that messages use.
Question = dict[str, str]

_WAYS = "delete {part} and {note} to start again, or choose another name"
#: The most bytes of a note that are read: far more than the checksums of any table take.
_LARGEST_NOTE = 2**26


class Journal:
    """An unfinished file and the note of its valid rows.

    Attributes
    ----------
    target : path of the file, or of the folder of a Zarr array, that is being made.
    part : path of the unfinished file or folder.
    note : path of the JSON note.
    rows : number of leading rows that are valid according to the note.
    crc : CRC-32 of the bytes of these rows.
    """

    def __init__(self, target: Path, question: Question, *, folder: bool) -> None:
        self.target = target
        self.part = self._next_to("")
        self.note = self._next_to(".json")
        self.rows, self.crc = 0, 0
        self._state: dict[str, Any] | None = None
        self._question = question
        self._folder = folder
        self._opened = False
        self._lock = self._next_to(".lock")
        self._lock_file: io.FileIO | None = None
        self._locked = False
        self._file: io.FileIO | None = None

    def open(self) -> None:
        """Lock and open the part, and read the note of an earlier run; `close` undoes both.

        Raises
        ------
        OutputError
            If another process or thread is writing the part, or it belongs to a different query,
            or warpath did not make it.
        """
        try:
            self._take_lock()
            if self._folder:
                self._make_folder()
            else:
                self._open_part()
        except OSError as error:
            if isinstance(error, OutputError):
                raise
            raise failure(error, self.target) from error
        self._read()
        self._opened = True

    @property
    def file(self) -> io.FileIO:
        """The part, open for reading and writing; not available for a folder."""
        assert self._file is not None  # noqa: S101 - `open` was called
        return self._file

    def begin(self) -> None:
        """Write the first note; the part must be empty."""
        self._write()

    def advance(self, rows: int, crc: int) -> None:
        """Note that the first `rows` rows are in the file, with their CRC-32."""
        self.rows, self.crc, self._state = rows, crc, None
        self._write()

    def done(self) -> dict[str, Any] | None:
        """Return the last state that `mark` noted, or None."""
        return self._state

    def mark(self, state: dict[str, Any]) -> None:
        """Note the state of an algorithm that fills the rows more than once.

        The data that the state refers to must have been written before.
        """
        self.rows, self.crc, self._state = 0, 0, state
        self._write()

    @property
    def opened(self) -> bool:
        """Whether `open` succeeded: the part is ours, even if it has no results yet."""
        return self._opened

    @property
    def begun(self) -> bool:
        """Whether the part has results."""
        return self.rows > 0 or self._state is not None

    def finish(self) -> None:
        """Rename the complete part to the target."""
        old = self._next_to(".old")
        try:
            if self._folder and self.target.exists():
                shutil.rmtree(old, ignore_errors=True)
                self.target.rename(old)
            self.part.replace(self.target)
        except OSError as error:
            raise failure(error, self.target) from error
        self._remove_notes()
        if self._folder:
            shutil.rmtree(old, ignore_errors=True)

    @property
    def panels(self) -> Path:
        """A file next to the part, for temporary data of algorithms that call `mark`."""
        return self._next_to(".panels")

    def discard(self) -> None:
        """Remove the part, its note and the panels file."""
        for _ in range(50 if self._folder else 0):  # Zarr's threads may still write chunks
            shutil.rmtree(self.part, ignore_errors=True)
            if not self.part.exists():
                break
            time.sleep(0.02)
        if self._file is not None and same_file(self._file, self.part):
            self.part.unlink()
        self._remove_notes()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Open the journal for a block of code, and keep its files after an error if work began."""
        try:
            self.open()
            yield
        except BaseException:
            if self.opened and not self.begun:
                self.discard()
            raise
        finally:
            try:
                self.close()
            finally:
                self.close()  # again, as an interrupt may have prevented the first call

    def close(self) -> None:
        """Close the part and release the lock."""
        if self._locked and self._lock_file is not None and not self._lock_file.closed:
            if not self._opened:
                self._remove_empty_part()
            if same_file(self._lock_file, self._lock):
                with contextlib.suppress(OSError):
                    self._lock.unlink()
        for file in (self._file, self._lock_file):
            if file is not None:
                file.close()
        if not self._locked:  # an interrupt may have occurred after the lock file was created
            remove_unlocked(self._lock)

    def refusal(self, what: str) -> OutputError:
        """Return the error for a part that cannot be continued, with the remedies."""
        ways = _WAYS.format(part=self.part.name, note=self.note.name)
        return OutputError(errno.EEXIST, f"{what}: {ways}", str(self.target))

    def _next_to(self, end: str) -> Path:
        return self.target.with_name(f"{self.target.name}.part{end}")

    def _remove_notes(self) -> None:
        for file in (self.note, self._next_to(".json.new"), self.panels):
            with contextlib.suppress(OSError):
                file.unlink()

    def _remove_empty_part(self) -> None:
        with contextlib.suppress(OSError):
            if self._folder:
                self.part.rmdir()
            elif is_ours(status := self.part.lstat()) and status.st_size == 0:
                self.part.unlink()

    def _take_lock(self) -> None:
        """Lock a file next to the part; retry if its holder removes or replaces it meanwhile."""
        for _ in range(100):
            try:
                self._lock_file = io.FileIO(self._lock, "xb", opener=system.open_replaceable)
            except FileExistsError:
                try:
                    self._lock_file = io.FileIO(self._lock, "rb+", opener=system.open_replaceable)
                except FileNotFoundError:
                    if self._lock.is_symlink():
                        break
                    continue
            if system.lock(self._lock_file) is False:
                raise self._busy()
            if same_file(self._lock_file, self._lock):
                self._refuse_foreign(self._lock, os.fstat(self._lock_file.fileno()))
                self._locked = True
                return
            self._lock_file.close()
            if self._lock.is_symlink():
                break
        else:
            raise self._busy()
        raise self._foreign(self._lock, "is a symbolic link")

    def _open_part(self) -> None:
        try:
            self._file = io.FileIO(self.part, "xb+", opener=system.open_replaceable)
        except FileExistsError:
            if self.part.is_symlink():
                raise self._foreign(self.part, "is a symbolic link") from None
            self._file = io.FileIO(self.part, "rb+", opener=system.open_replaceable)
        self._refuse_foreign(self.part, os.fstat(self._file.fileno()))
        if not same_file(self._file, self.part):
            raise self._foreign(self.part, "was exchanged while it was opened")

    def _make_folder(self) -> None:
        with contextlib.suppress(FileExistsError):
            self.part.mkdir()
        self._refuse_foreign(self.part, self.part.lstat())

    def _refuse_foreign(self, path: Path, status: os.stat_result) -> None:
        """Raise OutputError unless this is a file (or folder) of this user with a single name.

        Files of the owner of the enclosing folder are accepted as well: the owner can replace every
        file in it, and some network file systems give all files one owner.
        """
        if stat.S_ISLNK(status.st_mode):
            raise self._foreign(path, "is a symbolic link")
        folder = self._folder and path == self.part
        if not (stat.S_ISDIR if folder else stat.S_ISREG)(status.st_mode):
            raise self._foreign(path, f"is not a {'folder' if folder else 'regular file'}")
        if not folder and status.st_nlink != 1:
            raise self._foreign(path, "has other names (hard links)")
        if system.user() is None:
            return
        if status.st_uid not in {system.user(), path.parent.stat().st_uid}:
            raise self._foreign(path, "belongs to another user")

    def _foreign(self, path: Path, what: str) -> OutputError:
        message = f"{path.name} {what}, so it is not used: remove it, or choose another name"
        return OutputError(errno.EEXIST, message, str(self.target))

    def _busy(self) -> OutputError:
        message = (
            "another process or thread is writing it at this moment: wait until it is done, or "
            "choose another name"
        )
        return OutputError(errno.EBUSY, message, str(self.target))

    def _empty(self) -> bool:
        if self._folder:
            return not any(self.part.iterdir())
        return os.fstat(self.file.fileno()).st_size == 0

    def _read(self) -> None:
        """Read the note of an earlier run, or refuse a part that this call cannot continue."""
        if self._empty():
            return
        try:
            note = _checked(self._note_text())
        except OutputError:
            raise
        except (OSError, ValueError, RecursionError):
            message = f"{self.part.name} exists, but {self.note.name} does not describe it"
            raise self.refusal(message) from None
        query, rows, state = note["asked"], note["rows"], note["state"]
        if not rows and state is None:
            return
        differing = [
            name
            for name in sorted({*query, *self._question})
            if query.get(name) != self._question.get(name)
        ]
        if differing:
            ways = _WAYS.format(part=self.part.name, note=self.note.name)
            held = "results" if state is not None else f"{rows:,} rows"
            message = (
                f"{self.part.name} holds {held} of another query (another "
                f"{', another '.join(differing)}): repeat that call to complete it, {ways}"
            )
            raise OutputError(errno.EEXIST, message, str(self.target))
        self.rows, self.crc, self._state = rows, note["crc"], state

    def _note_text(self) -> bytes:
        """Return the bytes of the note; raise if it is a link, a pipe or far too large."""
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        with io.FileIO(self.note, opener=lambda name, _: os.open(name, flags)) as file:
            status = os.fstat(file.fileno())
            self._refuse_foreign(self.note, status)
            if status.st_size > _LARGEST_NOTE:
                raise ValueError
            return file.readall()

    def _write(self) -> None:
        """Replace the note atomically."""
        content = {
            "what": "unfinished distances of warpath: the same call again completes them",
            "rows": self.rows,
            "crc": self.crc,
            "asked": self._question,
            "state": self._state,
        }
        text = json.dumps(content | {"check": _check(content)}, indent=2)
        fresh = self._next_to(".json.new")  # written only under the lock
        try:
            fresh.unlink(missing_ok=True)
            with fresh.open("xb") as file:
                file.write(f"{text}\n".encode())
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(self.note)
        except OSError as error:
            with contextlib.suppress(OSError):
                fresh.unlink()
            raise failure(error, self.target) from error


class KeptSums:
    """The sums of one call, which grow on disk.

    The unfinished file has room for them twice, and the journal says which copy is whole: a run
    that is killed while it writes one of them continues from the other.

    Attributes
    ----------
    done : how many items were added up before this run.
    sums : (count,) float64, their sums; None for 0 items.
    """

    def __init__(self, journal: Journal, count: int) -> None:
        self.done, self.sums = 0, None
        self._journal, self._count, self._slot = journal, count, 0
        self._file = journal.file.fileno()
        state = journal.done()
        try:
            if state is None:
                reserve(self._file, 2 * 8 * count)
                return
            self.sums = np.empty(count)
            self._slot = int(state["slot"])
            read_at(self._file, bytes_of(self.sums), 8 * count * self._slot)
        except OSError as error:
            raise failure(error, journal.target) from error
        self.done = int(state["done"])
        if zlib.crc32(bytes_of(self.sums)) != state["crc"]:
            raise journal.refusal(
                f"{journal.part.name} does not hold the sums that an earlier run wrote: it was "
                "changed or damaged since"
            )

    def keep(self, done: int, *parts: Array) -> None:
        """Store the sums of the first items: arrays with `count` numbers in all."""
        self._slot = 1 - self._slot
        at, crc = 8 * self._count * self._slot, 0
        try:
            for part in parts:
                write_at(self._file, bytes_of(part), at)
                crc = zlib.crc32(bytes_of(part), crc)
                at += part.nbytes
            on_disk(self._file)
        except OSError as error:
            raise failure(error, self._journal.target) from error
        self._journal.mark({"done": done, "slot": self._slot, "crc": crc})


@contextmanager
def kept_sums(path: str | os.PathLike[str], question: Question, count: int) -> Iterator[KeptSums]:
    """Open the sums that an unfinished run with the same question left next to a path.

    They are removed at the end, and kept after an error if some were stored.
    """
    journal = Journal(real_path(path), question, folder=False)
    with journal.held():
        yield KeptSums(journal, count)
        journal.discard()


def _check(content: dict[str, Any]) -> str:
    """Return the checksum of a note, independent of the order of its entries."""
    text = json.dumps(content, sort_keys=True).encode()
    return hashlib.blake2b(text, digest_size=16).hexdigest()


def _checked(text: bytes) -> dict[str, Any]:
    """Return the content of a note; raise ValueError unless `Journal` wrote exactly this text."""
    note = json.loads(text)
    if not isinstance(note, dict) or note.pop("check", None) != _check(note):
        raise ValueError
    kinds: dict[str, Any] = {
        "what": str,
        "rows": int,
        "crc": int,
        "asked": dict,
        "state": dict | None,
    }
    if note.keys() != kinds.keys():
        raise ValueError
    for name, kind in kinds.items():
        if not isinstance(note[name], kind) or isinstance(note[name], bool):
            raise ValueError  # noqa: TRY004 - `_read` expects ValueError for any defect
    if note["rows"] < 0 or (note["rows"] and note["state"] is not None):
        raise ValueError
    return note
