"""An input file: its bytes, its lines, and errors that name the file and the line."""

from __future__ import annotations

import functools
import io
import lzma
import os
import re
import stat
import struct
import zipfile
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from warpath import _core
from warpath.base import units
from warpath.base.errors import GraphFormatError, NotEnoughMemoryError, WarpathError
from warpath.base.settings import memory
from warpath.io.compression import CHUNK, decompressed, kind_of, without_suffix
from warpath.io.places import to_read
from warpath.io.shown import excerpt, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Progress = Callable[[int, int], object]

#: The most bytes at the start of a file that a format's `sniff` gets.
HEAD = 4096

#: The most bytes of a header or first row, which Python splits into words.
LONGEST_LINE = 2**20

#: Smaller files are read without an estimate of the memory that their graph takes.
_WORTH_ESTIMATING = 2**24
_SAMPLE = 2**16

#: Exceptions of Python and its libraries for damaged data, which `reading` converts. Readers raise
#: more precise errors for the damage that they detect. No exception of warpath is among them.
_DAMAGE = (
    ArithmeticError, BufferError, EOFError, LookupError, OSError, RuntimeError, SyntaxError,
    TypeError, ValueError, lzma.LZMAError, struct.error, zipfile.BadZipFile, zlib.error,
)  # fmt: skip

_BOM = b"\xef\xbb\xbf"

#: The first bytes of files that are not graphs, with descriptions.
_FOREIGN = {
    b"\x7fELF": "a program (ELF)",
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"%PDF": "a PDF document",
    b"<?xml": "XML",
    b"\xff\xfe": "damaged UTF-16 text: save it as UTF-8",
    b"\xfe\xff": "damaged UTF-16 text: save it as UTF-8",
    b"SQLite format 3": "an SQLite database",
    b"7z\xbc\xaf\x27\x1c": "a 7-Zip archive: unpack it first",
    b"Rar!\x1a\x07": "a RAR archive: unpack it first",
    b"PK\x05\x06": "a zip archive without files",
    b"\x89HDF": "an HDF5 (or MATLAB) file",
    b"MATLAB": "a MATLAB file: save the matrix as Matrix Market",
    b"PAR1": "a Parquet file",
    b"version https://git-lfs": "a Git LFS pointer: the file itself was not fetched",
}


class Line(NamedTuple):
    """A line that is not blank: its text, its number, and the position of the next line."""

    text: bytes
    number: int
    next: int


class Source:
    """An input file: `head` to recognise its format, `data` or `path` to read it.

    Parameters
    ----------
    path : the file, which is decompressed if its first bytes show a compression.
    member : the file inside a zip archive that holds more than one.
    progress : None, or a function of bytes done and bytes in total.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        member: str | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.path = to_read(path)
        self.progress = progress
        self._size = _checked_size(self.path)
        self._done = 0
        with self._opened() as file:
            self.raw_head: bytes = self._next_piece(file, HEAD)
        if not self.raw_head:
            raise self.error(None, "the file is empty")
        #: The most bytes that reading may take: the memory that was free before it.
        self.room = memory()
        self.compression = kind_of(self.raw_head)
        self.member = member
        self._held = io.BytesIO()  # it grows in place, without a copy to join pieces
        self._data: bytes | None = None
        self._rest: Iterator[bytes] = self._stream()

    def _stream(self) -> Iterator[bytes]:
        if self.compression is not None:
            yield from decompressed(
                self.path,
                self.compression,
                member=self.member,
                advance=self._advance,
                room=self.room,
            )
            return
        with self._opened() as file:
            while piece := self._next_piece(file, CHUNK if self._done == 0 else 64 * CHUNK):
                self._advance(len(piece))
                yield piece

    def _next_piece(self, file: Any, most: int) -> bytes:
        try:
            piece: bytes = file.read(most)
        except OSError as error:
            raise GraphFormatError(self.path, None, _why(error)) from error
        return piece

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
        whole = self.name.lower().endswith(".osm.pbf")  # one suffix in two parts
        return Path(self.name[:-4] if whole else self.name).stem

    @property
    def suffix(self) -> str:
        """The suffix of the format, in lower case: ``.gr``."""
        return Path(self.name).suffix.lower()

    @property
    def head(self) -> bytes:
        """The first bytes of the content, decompressed."""
        if self._data is not None:
            return self._data[:HEAD]
        while self._held.tell() < HEAD and (piece := next(self._rest, None)) is not None:
            self._hold(piece)
        return plain_text(bytes(self._held.getbuffer()[: HEAD & ~1]))

    @property
    def data(self) -> bytes:
        """The whole content, decompressed; read once, then cached until it is parsed.

        Raises
        ------
        NotEnoughMemoryError
            The content is larger than the free memory, as a small file can unpack to a large one.
        """
        if self._data is None:
            if self.compression is None:
                self.need(self._size)
            for piece in self._rest:
                self._hold(piece)
            self._data = plain_text(self._held.getvalue())  # shares the bytes: no write follows
            self._held.close()
        if not self._data:
            raise self.error(None, "the file is empty once decompressed")
        return self._data

    def contains(self, pattern: re.Pattern[bytes]) -> bool:
        """Return whether a pattern of at most `HEAD` bytes occurs in the decompressed content.

        O(bytes) time; the content is not kept in memory.
        """
        end = b""
        for piece in self._stream():
            window = end + piece
            if pattern.search(window):
                return True
            end = window[-HEAD:]
        return False

    def _hold(self, piece: bytes) -> None:
        if self._held.tell() == 0:
            while len(piece) < len(_BOM) and (more := next(self._rest, None)) is not None:
                piece += more
            piece = piece.removeprefix(_BOM)
        if self._held.tell() + len(piece) > self.room:
            self._held.close()
            msg = (
                f"{self.path}: the {'unpacked ' if self.compression else ''}content is larger than "
                f"the memory that is free, {units.size(self.room)}."
            )
            raise NotEnoughMemoryError(msg)
        self._held.write(piece)

    def need(self, count: int, hint: str = "") -> None:
        """Raise NotEnoughMemoryError if reading needs more than `room` bytes."""
        if count > self.room:
            msg = (
                f"{self.path}: reading it needs about {units.size(count)}, but "
                f"{units.size(self.room)} are free. {hint}"
            )
            raise NotEnoughMemoryError(msg.rstrip())

    @property
    def text(self) -> bytes:
        """The `data` of a text file; raises GraphFormatError for a binary file."""
        if (what := foreign(self.head)) is not None:
            raise self.error(None, f"expected text, but this looks like {what}")
        return self.data

    def error(self, line: int | None, message: str, line_text: bytes = b"") -> GraphFormatError:
        """Return an error that names this file and the line, and quotes an excerpt of `found`."""
        return GraphFormatError(self.path, line or None, printable(message) + excerpt(line_text))

    def line(self, at: int, number: int, skip: bytes = b"") -> Line | None:
        """Return the first line from `at` on that is neither blank nor starts with one of `skip`.

        Parameters
        ----------
        at : position in `data`, the start of line `number`.
        skip : first characters of comments.
        """
        data = self.data
        begin = _skipped(skip).match(data, at).end()  # type: ignore[union-attr] # matches anything
        if begin == len(data):
            return None
        number += data.count(b"\n", at, begin)
        end = data.find(b"\n", begin)
        end = len(data) if end < 0 else end
        if end - begin > LONGEST_LINE:
            reason = f"the line is longer than {LONGEST_LINE:,} bytes"
            raise self.error(number, reason, data[begin : begin + HEAD])
        return Line(data[begin:end].strip(), number, end + 1)

    def size(self, token: bytes, line: int, what: str) -> int:
        """Return a count from a header, which must be an integer of up to 18 digits."""
        if not token.isdigit():
            raise self.error(line, f"{what} must be an integer, 0 or more", token)
        if len(token) > 18:
            raise self.error(line, f"{what} is larger than any file can hold", token)
        return int(token)

    def room_for(self, n: int) -> None:
        """Raise NotEnoughMemoryError if n vertices alone need more than `room` bytes."""
        need = 16 * n  # row offsets, and one array of the solver
        if need > self.room:
            msg = (
                f"{self.path}: {n:,} vertices need {need:,} bytes, but {self.room:,} are free. "
                "Is the largest vertex number right?"
            )
            raise NotEnoughMemoryError(msg)

    def rows(self, at: int, line: int, roles: str, **layout: Any) -> list[NDArray[Any]]:
        """Parse the rows from `at` on in the core; see `RowLayout` in read_rows.hpp. O(bytes)."""
        return self.named_rows(at, line, roles, **layout)[0]

    def named_rows(
        self, at: int, line: int, roles: str, **layout: Any
    ) -> tuple[list[NDArray[Any]], list[str]]:
        """Parse rows with columns of names: (columns, names), names in order of appearance."""
        row = sum(8 if role in "rc" else 4 for role in roles if role != ".")
        self.need(
            len(self.text) + row * self.rows_from(at),
            "Raise the limit, or convert the file to .npz on a machine with more memory.",
        )
        columns, names = self.parsed(_core.read_rows, at, line, roles, **layout)
        return columns, names

    def rows_from(self, at: int) -> int:
        """Estimate the number of rows from `at` on, from samples of a large file; 0 if small."""
        data = self.data
        left = len(data) - at
        if left < _WORTH_ESTIMATING:
            return 0
        starts = range(at, len(data) - _SAMPLE, left // 16)
        lines = sum(data.count(b"\n", start, start + _SAMPLE) for start in starts)
        return left * lines // (_SAMPLE * len(starts))

    def parsed(self, reader: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Call a parser of the core on `text`; its errors name this file.

        The content is released afterwards, because the graph is made next and needs the memory.
        After an error it stays, for another reader.
        """
        try:
            parsed = reader(self.text, *args, progress=self.progress, **options)
        except _core.ParseError as error:
            line, message, line_text = error.args
            raise self.error(line, message, line_text) from None
        else:
            self._data = b""
            return parsed


def plain_text(data: bytes) -> bytes:
    """Return UTF-16 text as UTF-8 and lone carriage returns as line feeds; other data unchanged."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            data = data.decode("utf-16").encode()
        except UnicodeDecodeError:
            return data  # `foreign` describes it as damaged
        data = re.sub(rb"(\A\s*<\?xml[^>]*?)\s+encoding=[\"'][\w-]*[\"']", rb"\1", data)
    if b"\n" not in data and b"\r" in data and foreign(data) is None:
        data = data.replace(b"\r", b"\n")
    return data


def foreign(head: bytes) -> str | None:
    """Return a description of a file that is not text, or None for text."""
    if re.match(rb"\s*<(!doctype html|html|head|body)\b", head, re.IGNORECASE):
        return "a web page: was the download link a page?"
    for magic, what in _FOREIGN.items():
        if head.startswith(magic):
            return what
    if head[257:262] == b"ustar":
        return "a tar archive: unpack it first"
    if b"\0" in head:
        wide = [half.count(0) > len(half) // 2 for half in (head[::2], head[1::2])]
        if any(wide) and re.fullmatch(rb"[\t\n\r -~]*", head.replace(b"\0", b"")):
            return "UTF-16 or UTF-32 without a mark at its start: save it as UTF-8"
        return "binary data"
    return None


@functools.cache
def _skipped(marks: bytes) -> re.Pattern[bytes]:
    """Return the pattern of blank lines and of comments, which start with one of `marks`."""
    comments = rb"(?:[%b][^\n]*+\s*+)*+" % re.escape(marks) if marks else b""
    return re.compile(rb"\s*+" + comments)


@contextmanager
def reading(path: str | os.PathLike[str]) -> Iterator[Callable[[Progress | None], Progress | None]]:
    """Convert exceptions of Python and its libraries for damaged data to warpath's errors.

    Yields a function that wraps a callback of the caller; its exceptions are not converted.

    Raises
    ------
    GraphFormatError
        For an exception that indicates damaged data; the message names the file.
    NotEnoughMemoryError
        For a MemoryError; the message has the file's size and the free memory.
    """
    raised: list[Exception] = []

    def passing(callback: Progress | None) -> Progress | None:
        if callback is None:
            return None

        def call(done: int, total: int) -> object:
            try:
                return callback(done, total)
            except Exception as error:
                raised.append(error)
                raise

        return call

    try:
        yield passing
    except WarpathError:
        raise
    except MemoryError as error:
        large = Path(path).stat().st_size if Path(path).is_file() else 0
        msg = (
            f"{path}: memory ran out while the file ({units.size(large)}) was read; "
            f"{units.size(memory())} are free now."
        )
        raise NotEnoughMemoryError(msg) from error
    except _DAMAGE as error:
        if any(error is other for other in raised):
            raise
        reason = printable(str(error)) or "no reason is given"
        msg = f"the file cannot be read ({type(error).__name__}: {reason})"
        raise GraphFormatError(path, None, msg) from error


def _checked_size(path: Path) -> int:
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        way = ": write what a pipe gives to a file first" if str(path) == "-" else ""
        raise GraphFormatError(path, None, f"{_why(error)}{way}") from error
    if stat.S_ISDIR(status.st_mode):
        raise GraphFormatError(path, None, "this is a directory, but a file is needed")
    if not stat.S_ISREG(status.st_mode):
        message = "this is a pipe or a device, but a file that can be read twice is needed"
        raise GraphFormatError(path, None, f"{message}: write the content to a file first")
    return status.st_size


def _why(error: OSError | ValueError) -> str:
    if isinstance(error, ValueError):
        return f"this is not a valid path ({error})"
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if isinstance(error, PermissionError):
        return "this user may not read the file (permission denied)"
    return f"the file cannot be read ({os.strerror(error.errno) if error.errno else error})"
