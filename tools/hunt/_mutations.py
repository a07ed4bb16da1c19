"""Damage to files of any format, as disks, downloads, editors or attackers cause it."""

from __future__ import annotations

import bz2
import functools
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
        at, end = sorted(chance.randint(0, len(data)) for _ in range(2))
        head, middle, tail = data[:at], data[at:end], data[end:]
        kinds = (
            head,
            head + tail,
            head + 2 * middle + tail,
            head + bytes([middle[0] ^ 1 << chance.randrange(8)]) + middle[1:] + tail
            if middle
            else tail + head,
            head + bytes(chance.choices(_ODD_BYTES, k=min(len(middle), 4))) + middle[4:] + tail,
            chance.choice((b"", head)) + chance.choice(_ODD_TEXTS) + middle + tail,
            head + chance.choice((*_ODD_TEXTS, chance.randbytes(9))) + middle + tail,
            *(_with_other_number(data, chance) for _ in range(2)),
            _with_other_lines(data, chance),
        )
        data = chance.choice(kinds)
    return data


def _with_other_number(data: bytes, chance: random.Random) -> bytes:
    """Replace a number, most often one of the first: the header's."""
    numbers = list(_NUMBER.finditer(data[:4096]))
    if not numbers:
        return data
    place = chance.choice(numbers[:4] if chance.random() < 0.5 else numbers)
    return data[: place.start()] + chance.choice(_ODD_NUMBERS) + data[place.end() :]


def _with_other_lines(data: bytes, chance: random.Random) -> bytes:
    """Remove or repeat a line, or exchange two."""
    lines = data.splitlines(keepends=True) or [b""]
    at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    one, two = lines[at], lines[other]
    lines[other] = chance.choice((one, two))
    lines[at] = chance.choice((b"", two, two * 2, two * 50))
    return b"".join(lines)


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


def bomb(suffix: str, chance: random.Random) -> bytes:
    """Return some kilobytes that unpack to 256 MiB or more."""
    # bz2 takes a minute to compress data that repeats with a longer period.
    filling = b"\n" if suffix == ".bz2" else chance.choice((b"\n", b"0 1\n", b"0 ", b"\0"))
    # Zip archives cannot be concatenated; compressed streams can.
    return _bomb(suffix, filling) * (1 if suffix == ".zip" else chance.choice((1, 8)))


@functools.cache
def _bomb(suffix: str, filling: bytes) -> bytes:
    return COMPRESSIONS[suffix](filling * (2**28 // len(filling)))
