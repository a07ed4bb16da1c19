"""A file that is being read: its bytes, its lines, and errors that name the place."""

from __future__ import annotations

import os
import stat
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from warpath import _core
from warpath.errors import GraphFormatError, NotEnoughMemoryError
from warpath.io.compression import CHUNK, decompressed, kind_of, without_suffix
from warpath.settings import memory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Progress = Callable[[int, int], object]

#: What a sniffer sees of a file.
HEAD = 4096

#: The longest piece of a file that an error repeats.
SHOWN = 60

_BOM = b"\xef\xbb\xbf"

#: How files that are no graphs start, and what they are.
_FOREIGN = {
    b"\x7fELF": "a program (ELF)",
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"%PDF": "a PDF document",
    b"<!DOCTYPE": "a web page: was the download link a page?",
    b"<!doctype": "a web page: was the download link a page?",
    b"<html": "a web page: was the download link a page?",
    b"<?xml": "XML",
    b"\xff\xfe": "UTF-16 text: save it as UTF-8",
    b"\xfe\xff": "UTF-16 text: save it as UTF-8",
    b"SQLite format 3": "an SQLite database",
    b"\x89HDF": "an HDF5 (or MATLAB) file",
    b"MATLAB": "a MATLAB file: save the matrix as Matrix Market",
    b"PAR1": "a Parquet file",
    b"version https://git-lfs": "a Git LFS pointer: the file itself was not fetched",
}


class Line(NamedTuple):
    """A line with something in it: its text, its number, and where the next one starts."""

    text: bytes
    number: int
    next: int


class Source:
    """A file that is being read: `head` for sniffing, `data`, or `path` for readers of their own.

    Parameters
    ----------
    path : the file; compression is recognised by its first bytes and undone.
    member : the file inside a zip archive that holds more than one.
    progress : None, or called with bytes done and bytes in all.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        member: str | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.path = Path(path)
        self.progress = progress
        self._size = _checked_size(self.path)
        self._done = 0
        with self._opened() as file:
            self.raw_head: bytes = file.read(HEAD)
        if not self.raw_head:
            raise self.error(None, "the file is empty")
        self.compression = kind_of(self.raw_head)
        self.member = member
        self._pieces: list[bytes] = []
        self._rest: Iterator[bytes] = self._stream()

    def _stream(self) -> Iterator[bytes]:
        if self.compression is not None:
            yield from decompressed(
                self.path, self.compression, member=self.member, advance=self._advance
            )
            return
        with self._opened() as file:
            while piece := file.read(CHUNK if self._done == 0 else 64 * CHUNK):
                self._advance(len(piece))
                yield piece

    def _opened(self) -> Any:
        try:
            return self.path.open("rb")
        except OSError as error:
            raise GraphFormatError(self.path, None, _why(error)) from error

    def _advance(self, count: int) -> None:
        self._done += count
        if self.progress is not None:
            self.progress(self._done, max(self._size, self._done))

    @property
    def name(self) -> str:
        """The file's name without the suffix of its compression: ``USA-road-d.NY.gr``."""
        return without_suffix(self.path.name)

    @property
    def title(self) -> str:
        """The file's name without any suffix of a format: ``USA-road-d.NY``."""
        return Path(self.name).stem

    @property
    def suffix(self) -> str:
        """The suffix of the format, in lower case: ``.gr``."""
        return Path(self.name).suffix.lower()

    @property
    def head(self) -> bytes:
        """The first bytes of the content, decompressed."""
        while sum(map(len, self._pieces)) < HEAD:
            piece = next(self._rest, None)
            if piece is None:
                break
            self._pieces.append(piece)
        return b"".join(self._pieces)[:HEAD].removeprefix(_BOM)

    @property
    def data(self) -> bytes:
        """The whole content, decompressed. Read once, then kept."""
        self._take_all()
        if len(self._pieces) != 1:
            self._pieces = [b"".join(self._pieces)]
        if self._pieces[0].startswith(_BOM):
            self._pieces = [self._pieces[0].removeprefix(_BOM)]
        if not self._pieces[0]:
            raise self.error(None, "the file is empty once decompressed")
        return self._pieces[0]

    def _take_all(self) -> None:
        """Read to the end, unless the content is larger than memory: little can unpack to a lot."""
        room = memory()
        held, self._pieces = self._pieces, []
        for piece in chain(held, self._rest):
            self._pieces.append(piece)
            room -= len(piece)
            if room < 0:
                msg = f"{self.path}: the content is larger than the memory that is free."
                raise NotEnoughMemoryError(msg)

    @property
    def text(self) -> bytes:
        """`data` of a text file; a binary one is refused with what it looks like."""
        if (what := foreign(self.head)) is not None:
            raise self.error(None, f"expected text, but this looks like {what}")
        return self.data

    def error(self, line: int | None, message: str, found: bytes = b"") -> GraphFormatError:
        """Return the error that names this file and the line; `found` is cut and escaped."""
        return GraphFormatError(self.path, line or None, message + shown(found))

    def line(self, at: int, number: int, skip: bytes = b"") -> Line | None:
        """Return the first line from `at` on that is neither blank nor starts with one of `skip`.

        Parameters
        ----------
        at : position in `data`, the start of line `number`.
        skip : first characters of comments.
        """
        data = self.data
        while at < len(data):
            end = data.find(b"\n", at)
            end = len(data) if end < 0 else end
            text = data[at : min(end, at + HEAD)].strip()
            if text and text[:1] not in {skip[i : i + 1] for i in range(len(skip))}:
                return Line(data[at:end].strip(), number, end + 1)
            at, number = end + 1, number + 1
        return None

    def size(self, token: bytes, line: int, what: str) -> int:
        """Return a count from a header; it must be an integer in [0, 2**62)."""
        if not token.isdigit():
            raise self.error(line, f"{what} must be a whole number, 0 or more", token)
        if len(token) > 18:
            raise self.error(line, f"{what} is larger than any file can hold", token)
        return int(token)

    def room_for(self, n: int) -> None:
        """Refuse a number of vertices whose rows alone would not fit into memory."""
        need = 16 * n  # row offsets, and one array of the solver
        if need > memory():
            msg = (
                f"{self.path}: {n:,} vertices need {need:,} bytes, of {memory():,} that are free. "
                "Is the largest vertex number right?"
            )
            raise NotEnoughMemoryError(msg)

    def rows(self, at: int, line: int, roles: str, **layout: Any) -> list[NDArray[Any]]:
        """Read the rows from `at` on in the core; see `RowLayout` in read_rows.hpp. O(bytes)."""
        return self.named_rows(at, line, roles, **layout)[0]

    def named_rows(
        self, at: int, line: int, roles: str, **layout: Any
    ) -> tuple[list[NDArray[Any]], list[str]]:
        """Read rows with columns of names: (columns, names), names in order of appearance."""
        columns, names = self.parsed(_core.read_rows, at, line, roles, **layout)
        return columns, names

    def parsed(self, reader: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Call a reader of the core on `text`; what it finds wrong names this file."""
        try:
            return reader(self.text, *args, progress=self.progress, **options)
        except _core.ParseError as error:
            line, message, found = error.args
            raise self.error(line, message, found) from None


def shown(found: bytes) -> str:
    """Return ``, found "..."`` with the text cut at 60 characters and the unprintable escaped."""
    if not found:
        return ""
    text = found[: 4 * SHOWN].decode("utf-8", "backslashreplace")
    cut = text[:SHOWN] + ("..." if len(text) > SHOWN else "")
    return f', found "{printable(cut)}"'


def printable(text: str) -> str:
    """Return a text with everything that a terminal would not show escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def foreign(head: bytes) -> str | None:
    """Return what a file looks like that is no text, or None for text."""
    for magic, what in _FOREIGN.items():
        if head.startswith(magic):
            return what
    if head[257:262] == b"ustar":
        return "a tar archive: unpack it first"
    if b"\0" in head:
        return "binary data"
    return None


def _checked_size(path: Path) -> int:
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        raise GraphFormatError(path, None, _why(error)) from error
    if stat.S_ISDIR(status.st_mode):
        raise GraphFormatError(path, None, "this is a directory, but a file is needed")
    if not stat.S_ISREG(status.st_mode):
        message = "this is a pipe or a device, but a file that can be read twice is needed"
        raise GraphFormatError(path, None, f"{message}: write the content to a file first")
    return status.st_size


def _why(error: OSError | ValueError) -> str:
    if isinstance(error, ValueError):
        return f"this is no path of a file ({error})"
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if isinstance(error, PermissionError):
        return "this user may not read the file (permission denied)"
    return f"the file cannot be read ({os.strerror(error.errno) if error.errno else error})"
