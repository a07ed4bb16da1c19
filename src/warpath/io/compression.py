"""Decompression of gzip, xz, bzip2, zip and zstd files, recognised by their first bytes."""

from __future__ import annotations

import bz2
import importlib
import lzma
import zipfile
import zlib
from typing import TYPE_CHECKING, Any, BinaryIO

from warpath.base.errors import GraphFormatError, InputError, NotEnoughMemoryError, require
from warpath.io.shown import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

#: Compressed bytes per step: small enough that Ctrl-C and progress are prompt.
CHUNK = 1 << 18

#: The most bytes that are decompressed at once. Only zstd may exceed it, up to 64 MiB.
PIECE = 1 << 22

#: The first bytes of each kind.
MAGIC = {
    "gzip": b"\x1f\x8b",
    "xz": b"\xfd7zXZ\x00",
    "bzip2": b"BZh",
    "zip": b"PK\x03\x04",
    "zstd": b"\x28\xb5\x2f\xfd",
}

#: The suffixes that make a writer compress.
SUFFIXES = {".gz": "gzip", ".xz": "xz", ".bz2": "bzip2", ".zst": "zstd", ".zip": "zip"}


def kind_of(head: bytes) -> str | None:
    """Return the kind of compression of a file that starts with `head`, or None."""
    return next((kind for kind, magic in MAGIC.items() if head.startswith(magic)), None)


def without_suffix(name: str) -> str:
    """Return a file's name without its compression suffix: ``a.gr.gz`` is ``a.gr``."""
    stem, dot, last = name.rpartition(".")
    return stem if dot + last.lower() in SUFFIXES else name


def decompressed(
    path: Path, kind: str, *, member: str | None, advance: Callable[[int], None], room: int
) -> Iterator[bytes]:
    """Yield the decompressed content of a file in pieces of limited size.

    The limit holds for any compression ratio.

    Parameters
    ----------
    path : the file.
    kind : a key of `MAGIC`.
    member : the file inside a zip archive that holds more than one.
    advance : called with the number of compressed bytes read since the last call.
    room : the most bytes that the dictionary of an xz stream may take.

    Raises
    ------
    GraphFormatError
        The stream is damaged, ends too early, or is followed by other bytes.
    InputError
        A zip archive holds several files, or does not hold `member`.
    MissingDependencyError
        zstd before Python 3.14 without the package zstandard.
    NotEnoughMemoryError
        The dictionary of an xz stream does not fit into `room`.
    """
    if kind == "zip":
        yield from _members(path, member, advance)
        return
    with path.open("rb") as file:
        yield from _stream(file, path, kind, advance, room)


class _Gzip:
    """zlib's decoder with the interface of the decoders of bz2 and lzma."""

    def __init__(self) -> None:
        self._decoder = zlib.decompressobj(wbits=31)
        self._full = False

    def decompress(self, data: bytes, most: int) -> bytes:
        piece = self._decoder.decompress(self._decoder.unconsumed_tail + data, most)
        self._full = len(piece) == most
        return piece

    @property
    def eof(self) -> bool:
        return self._decoder.eof

    @property
    def needs_input(self) -> bool:
        return not self._full and not self._decoder.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._decoder.unused_data


class _Zstandard:
    """The decoder of the package zstandard, which cannot limit the size of its output.

    Four bytes of input can decode to a block of 128 KiB, so each step gets little input.
    """

    _STEP = 2048

    def __init__(self, zstd: Any) -> None:
        self._decoder = zstd.ZstdDecompressor().decompressobj()
        self._waiting = memoryview(b"")

    def decompress(self, data: bytes, most: int) -> bytes:  # noqa: ARG002 - see above
        if data:
            self._waiting = memoryview(data)
        now, self._waiting = self._waiting[: self._STEP], self._waiting[self._STEP :]
        piece: bytes = self._decoder.decompress(now)
        return piece

    @property
    def eof(self) -> bool:
        ended: bool = self._decoder.eof
        return ended

    @property
    def needs_input(self) -> bool:
        return not self._waiting

    @property
    def unused_data(self) -> bytes:
        after: bytes = self._decoder.unused_data
        return after + bytes(self._waiting)


def _decoder(kind: str, room: int) -> tuple[Callable[[], Any], tuple[type[Exception], ...]]:
    """Return a factory of decoders, and the exceptions that they raise for damaged data."""
    if kind == "gzip":
        return _Gzip, (zlib.error,)
    if kind == "xz":
        return lambda: lzma.LZMADecompressor(memlimit=max(room, 1)), (lzma.LZMAError, EOFError)
    if kind == "bzip2":
        return bz2.BZ2Decompressor, (OSError, ValueError, EOFError)
    zstd = zstd_module()
    if hasattr(zstd, "ZstdDecompressor") and hasattr(zstd.ZstdDecompressor, "decompressobj"):
        return lambda: _Zstandard(zstd), (zstd.ZstdError,)
    return zstd.ZstdDecompressor, (zstd.ZstdError, EOFError)


def zstd_module() -> Any:
    """Return Python's zstd module (3.14 or later), or the package zstandard."""
    try:
        return importlib.import_module("compression.zstd")
    except ImportError:
        return require("zstandard", what="a .zst file", extra="io")


def _stream(
    file: BinaryIO, path: Path, kind: str, advance: Callable[[int], None], room: int
) -> Iterator[bytes]:
    """Yield the decoded bytes of a file, which may be several concatenated streams."""
    make, failures = _decoder(kind, room)
    decoder, members, started = make(), 0, False
    while chunk := file.read(CHUNK):
        advance(len(chunk))
        while chunk:
            if decoder.eof:
                chunk = chunk.lstrip(b"\0")  # xz and tapes add padding of zeros
                if not chunk:
                    break
                decoder, members, started = make(), members + 1, False
            try:
                piece = decoder.decompress(chunk, PIECE)
                chunk = b""
                while not decoder.needs_input and not decoder.eof:
                    yield piece
                    piece = decoder.decompress(b"", PIECE)
            except failures as error:
                if kind == "xz" and "emory" in str(error):
                    msg = f"{path}: the xz stream needs more memory than is free, {room:,} bytes."
                    raise NotEnoughMemoryError(msg) from error
                reason = (
                    f"other bytes follow the end of the {kind} stream"
                    if members and not started
                    else f"the {kind} stream is damaged ({_why(error)}): download or copy it again"
                )
                raise GraphFormatError(path, None, reason) from error
            started = True
            if piece:
                yield piece
            chunk = decoder.unused_data if decoder.eof else b""
    if not decoder.eof:
        reason = f"the file ends in the middle of the {kind} stream: truncated download?"
        raise GraphFormatError(path, None, reason)


def _members(path: Path, member: str | None, advance: Callable[[int], None]) -> Iterator[bytes]:
    try:
        with zipfile.ZipFile(path) as archive:
            chosen = _chosen(path, archive, member)
            reported = 0
            with archive.open(chosen) as file:
                while piece := file.read(CHUNK):
                    done = int(chosen.compress_size * (file.tell() / max(chosen.file_size, 1)))
                    advance(done - reported)
                    reported = done
                    yield piece
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, lzma.LZMAError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        reason = (
            f"the zip archive is damaged or cut short ({_why(error)}): download or copy it again"
        )
        raise GraphFormatError(path, None, reason) from error
    except RuntimeError as error:  # a password, or a method that zipfile does not support
        reason = f"the zip archive cannot be read ({_why(error)}): unpack it first"
        raise GraphFormatError(path, None, reason) from error


def _why(error: Exception) -> str:
    return printable(str(error))


def _chosen(path: Path, archive: zipfile.ZipFile, member: str | None) -> zipfile.ZipInfo:
    files = [
        info
        for info in archive.infolist()
        if info.filename and not info.is_dir() and not info.filename.startswith("__MACOSX/")
    ]
    names = [info.filename for info in files]
    if member is None and len(files) == 1:
        return files[0]
    if member in names:
        return files[names.index(member)]
    shown = ", ".join(names[:12]) + (f", ... ({len(names)} files)" if len(names) > 12 else "")
    if not names:
        raise GraphFormatError(path, None, "the zip archive holds no file")
    wrong = "which one is the graph is not clear" if member is None else f"not {member!r}"
    reason = printable(f'the archive holds {shown}; {wrong}. Choose with member="{names[0]}".')
    msg = f"{path}: {reason}"
    raise InputError(msg)
