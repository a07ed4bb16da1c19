"""Compressed files as streams of bytes: gzip, xz, bzip2, zip, zstd, known by their first bytes."""

from __future__ import annotations

import bz2
import importlib
import lzma
import zipfile
import zlib
from typing import TYPE_CHECKING, Any, BinaryIO

from warpath.errors import GraphFormatError, InputError, require

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

#: Compressed bytes per step: small enough that Ctrl-C and progress are prompt.
CHUNK = 1 << 18

#: What each kind starts with.
MAGIC = {
    "gzip": b"\x1f\x8b",
    "xz": b"\xfd7zXZ\x00",
    "bzip2": b"BZh",
    "zip": b"PK\x03\x04",
    "zstd": b"\x28\xb5\x2f\xfd",
}

#: The suffix that asks a writer for compression.
SUFFIXES = {".gz": "gzip", ".xz": "xz", ".bz2": "bzip2", ".zst": "zstd", ".zip": "zip"}


def kind_of(head: bytes) -> str | None:
    """Return the kind of compression that bytes start with, or None."""
    return next((kind for kind, magic in MAGIC.items() if head.startswith(magic)), None)


def without_suffix(name: str) -> str:
    """Return a file's name without the suffix of its compression: ``a.gr.gz`` is ``a.gr``."""
    stem, dot, last = name.rpartition(".")
    return stem if dot + last.lower() in SUFFIXES else name


def decompressed(
    path: Path, kind: str, *, member: str | None, advance: Callable[[int], None]
) -> Iterator[bytes]:
    """Yield what a compressed file holds, piece by piece.

    Parameters
    ----------
    path : the file.
    kind : of `MAGIC`.
    member : the file inside a zip archive that holds more than one.
    advance : called with the number of compressed bytes that were read since the last call.

    Raises
    ------
    GraphFormatError
        The stream is damaged, ends too early, or is followed by something else.
    InputError
        A zip archive holds several files, or not the one asked for.
    MissingDependencyError
        zstd before Python 3.14 without the package zstandard.
    """
    if kind == "zip":
        yield from _members(path, member, advance)
        return
    with path.open("rb") as file:
        yield from _stream(file, path, kind, advance)


def _decoder(kind: str) -> tuple[Callable[[], Any], tuple[type[Exception], ...]]:
    if kind == "gzip":
        return lambda: zlib.decompressobj(wbits=31), (zlib.error,)
    if kind == "xz":
        return lzma.LZMADecompressor, (lzma.LZMAError, EOFError)
    if kind == "bzip2":
        return bz2.BZ2Decompressor, (OSError, ValueError, EOFError)
    zstd = zstd_module()
    if hasattr(zstd, "ZstdDecompressor") and hasattr(zstd.ZstdDecompressor, "decompressobj"):
        return lambda: zstd.ZstdDecompressor().decompressobj(), (zstd.ZstdError,)
    return zstd.ZstdDecompressor, (zstd.ZstdError, EOFError)


def zstd_module() -> Any:
    """Return Python's own zstd (from 3.14 on), or the package zstandard."""
    try:
        return importlib.import_module("compression.zstd")
    except ImportError:
        return require("zstandard", what="a .zst file", extra="io")


def _stream(
    file: BinaryIO, path: Path, kind: str, advance: Callable[[int], None]
) -> Iterator[bytes]:
    """Decode one stream after another: concatenated members are one file."""
    make, failures = _decoder(kind)
    decoder, members, started = make(), 0, False
    while chunk := file.read(CHUNK):
        advance(len(chunk))
        while chunk:
            if decoder.eof:
                chunk = chunk.lstrip(b"\0")  # tapes and xz pad with zeros
                if not chunk:
                    break
                decoder, members, started = make(), members + 1, False
            try:
                piece = decoder.decompress(chunk)
            except failures as error:
                reason = (
                    f"other bytes follow the end of the {kind} stream"
                    if members and not started
                    else f"the {kind} stream is damaged ({error}): download or copy it again"
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
            told = 0
            with archive.open(chosen) as file:
                while piece := file.read(CHUNK):
                    done = int(chosen.compress_size * (file.tell() / max(chosen.file_size, 1)))
                    advance(done - told)
                    told = done
                    yield piece
    except (zipfile.BadZipFile, zlib.error, EOFError, lzma.LZMAError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        reason = f"the zip archive is damaged or cut short ({error}): download or copy it again"
        raise GraphFormatError(path, None, reason) from error
    except RuntimeError as error:  # a password, or a method that zipfile does not have
        reason = f"the zip archive cannot be read ({error}): unpack it first"
        raise GraphFormatError(path, None, reason) from error


def _chosen(path: Path, archive: zipfile.ZipFile, member: str | None) -> zipfile.ZipInfo:
    files = [
        info
        for info in archive.infolist()
        if not info.is_dir() and not info.filename.startswith("__MACOSX/")
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
    msg = f'{path}: the archive holds {shown}; {wrong}. Choose with member="{names[0]}".'
    raise InputError(msg)
