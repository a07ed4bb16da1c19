"""Damage to files of any format, as disks, downloads, editors or attackers cause it."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

_NUMBER = re.compile(rb"\d{1,19}")
_ODD_NUMBERS = (
    b"", b"0", b"-0", b"-1", b"1", b"00", b"0.5", b"1e3", b"1e400", b"-1e400", b"1e-400", b"nan",
    b"inf", b"-inf", b"x", b"+3", b"2147483647", b"2147483648", b"4294967296",
    b"9007199254740993", b"9223372036854775807", b"9223372036854775808", b"18446744073709551616",
    b"10000000000000000", b"99999999999999999999", b"1" * 400,
)  # fmt: skip
_ODD_TEXTS = (
    b"\n", b"\n" * 40, b"\r", b"\r\n", b" ", b" " * 300, b"\t", b"\0", b"\0" * 9, b",", b";", b'"',
    b"#", b"%", b"c ", b"\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"\xc3", b"\x1b[2J", b"<", b">",
    b"&lt;", b"<!DOCTYPE x>", b"PK\x03\x04", b"1" * 5000, b"a" * 5000,
)  # fmt: skip
_ODD_BYTES = (0, 1, 0x7F, 0x80, 0xFF)


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Return the data with one to three kinds of damage."""
    for _ in range(chance.randint(1, 3)):
        data = chance.choice(_KINDS)(data, chance)
    return data


def _two_places(data: bytes, chance: random.Random) -> tuple[int, int]:
    one, other = chance.randint(0, len(data)), chance.randint(0, len(data))
    return (one, other) if one < other else (other, one)


def _flip(data: bytes, chance: random.Random) -> bytes:
    if not data:
        return data
    flipped = bytearray(data)
    flipped[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(flipped)


def _overwrite(data: bytes, chance: random.Random) -> bytes:
    if not data:
        return data
    changed = bytearray(data)
    at = chance.randrange(len(data))
    for place in range(at, min(at + chance.choice((1, 1, 4, 8)), len(data))):
        changed[place] = chance.choice(_ODD_BYTES)
    return bytes(changed)


def _truncate(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randint(0, len(data))]


def _cut_out(data: bytes, chance: random.Random) -> bytes:
    at, end = _two_places(data, chance)
    return data[:at] + data[end:]


def _double(data: bytes, chance: random.Random) -> bytes:
    at, end = _two_places(data, chance)
    return data[:end] + data[at:end] + data[end:]


def _swap(data: bytes, chance: random.Random) -> bytes:
    at, end = _two_places(data, chance)
    middle = chance.randint(at, end)
    return data[:at] + data[middle:end] + data[at:middle] + data[end:]


def _insert(data: bytes, chance: random.Random) -> bytes:
    at = chance.choice((0, chance.randint(0, len(data)), len(data)))
    odd = chance.choice(_ODD_TEXTS) if chance.random() < 0.7 else chance.randbytes(9)
    return data[:at] + odd + data[at:]


def _change_number(data: bytes, chance: random.Random) -> bytes:
    """Replace a number, most often one of the first: the header's."""
    numbers = list(_NUMBER.finditer(data[:4096]))
    if not numbers:
        return data
    place = chance.choice(numbers[:4] if chance.random() < 0.5 else numbers)
    return data[: place.start()] + chance.choice(_ODD_NUMBERS) + data[place.end() :]


def _change_lines(data: bytes, chance: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    if not lines:
        return data
    at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    kind = chance.randrange(3)
    if kind == 0:
        lines.insert(at, lines[other] * chance.choice((1, 2, 50)))
    elif kind == 1:
        lines[at], lines[other] = lines[other], lines[at]
    else:
        del lines[at]
    return b"".join(lines)


_KINDS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    _flip,
    _overwrite,
    _truncate,
    _cut_out,
    _double,
    _swap,
    _insert,
    _insert,
    _change_number,
    _change_number,
    _change_lines,
)


def _zip(data: bytes, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr("a.txt", data)
    return buffer.getvalue()


def _zstd(data: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdCompressor().compress(data)


#: Compressors by their file suffix.
COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": lambda data: gzip.compress(data, 1, mtime=0),
    ".bz2": lambda data: bz2.compress(data, 1),
    ".xz": lambda data: lzma.compress(data, preset=0),
    ".zst": _zstd,
    ".zip": _zip,
}

_BOMB = 2**28


def bomb(suffix: str, chance: random.Random, kept: dict[str, bytes]) -> bytes:
    """Return some kilobytes that unpack to 256 MiB or more; `kept` caches earlier results."""
    # bz2 takes a minute to compress data that repeats with a longer period.
    filling = b"\n" if suffix == ".bz2" else chance.choice((b"\n", b"0 1\n", b"0 ", b"\0"))
    key = f"{suffix} {filling!r}"
    if key not in kept:
        kept[key] = COMPRESSIONS[suffix](filling * (_BOMB // len(filling)))
    # Zip archives cannot be concatenated; compressed streams can.
    return kept[key] * (1 if suffix == ".zip" else chance.choice((1, 8)))
