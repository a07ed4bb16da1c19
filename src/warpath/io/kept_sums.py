"""Sums that are kept on disk while they grow, so that a call that was stopped can continue.

The unfinished file has room for the sums twice, and the journal says which copy is whole: a run
that is killed while it writes one of them continues from the other.
"""

from __future__ import annotations

import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from warpath.io.journal import Journal
from warpath.io.positions import bytes_of, on_disk, read_at, reserve, write_at
from warpath.io.temporary import failure, real_path

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from warpath.base.dtypes import Array
    from warpath.io.journal import Question


class KeptSums:
    """The sums of one call.

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
    try:
        journal.open()
        yield KeptSums(journal, count)
        journal.discard()
    except BaseException:
        if journal.opened and not journal.begun:
            journal.discard()
        raise
    finally:
        try:
            journal.close()
        finally:
            journal.close()  # again, as an interrupt may have prevented the first call
