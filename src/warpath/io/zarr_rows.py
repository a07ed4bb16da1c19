"""Rows of a Zarr array that several processes fill, each whole chunks of it, with checksums."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from warpath.base.errors import OutputError, require

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from warpath.base.dtypes import Array
    from warpath.io.journal import Journal


class ChunkedRows:
    """An unfinished array whose whole chunks other processes write, and its journal.

    Attributes
    ----------
    folder : the path of the array.
    chunk : rows of a chunk.
    """

    def __init__(self, journal: Journal, chunk: int, note: Callable[[int, int], None]) -> None:
        self.folder: Path = journal.part.absolute()
        self.chunk = chunk
        self._crc, self._note = journal.crc, note

    def stored(self, rows: int, crc: int, size: int) -> None:
        """Note the rows after those that were noted before.

        Parameters
        ----------
        rows : number of all leading rows that are stored now.
        crc, size : CRC-32 and number of the new rows' bytes.
        """
        self._crc = crc32_of_both(self._crc, crc, size)
        self._note(rows, self._crc)


def store(path: str, start: int, values: Array) -> None:
    """Write rows, which are whole chunks, from row `start` on.

    Raises
    ------
    OutputError
        If the array is not there, as where its folder is not shared, or the disk is full.
    """
    zarr = require("zarr", extra="zarr", what=f"Writing {path}")
    try:
        array = zarr.open_array(path, mode="r+")
    except FileNotFoundError:
        message = (
            "the table is not there: it must be in a folder that all workers and the client see "
            "under the same path; or write it as .npy, which the client does"
        )
        raise OutputError(errno.ENOENT, message, path) from None
    try:
        array[start : start + len(values)] = values
    except OSError as error:
        raise OutputError(error.errno, f"cannot be written: {error.strerror}", path) from error


_POLYNOMIAL = 0xEDB88320  # of zlib.crc32, bits reversed
_ONE = 0x80000000  # the polynomial 1


def _product(a: int, b: int) -> int:
    """Return the product of two polynomials over GF(2) modulo the polynomial of CRC-32."""
    product = 0
    while a:
        if a & _ONE:
            product ^= b
        a = (a << 1) & 0xFFFFFFFF
        b = (b >> 1) ^ (_POLYNOMIAL if b & 1 else 0)
    return product


def crc32_of_both(first: int, second: int, length: int) -> int:
    """Return the CRC-32 of two byte strings in a row from the CRC-32 of each.

    Parameters
    ----------
    first, second : the results of `zlib.crc32`.
    length : bytes of the second string.

    Examples
    --------
    >>> import zlib
    >>> crc32_of_both(zlib.crc32(b"shortest "), zlib.crc32(b"paths"), 5) == zlib.crc32(
    ...     b"shortest paths"
    ... )
    True
    """
    power, square = _ONE, 0x00800000  # x^0, and x^8 for a byte
    while length:
        if length & 1:
            power = _product(power, square)
        square = _product(square, square)
        length >>= 1
    return _product(power, first) ^ second
