"""CRC-32 of a sequence from the CRC-32 of its parts."""

from __future__ import annotations

_POLYNOMIAL = 0xEDB88320  # of zlib.crc32, bits reversed
_ONE = 0x80000000  # the polynomial 1


def _product(a: int, b: int) -> int:
    """Return the product of two polynomials over GF(2) modulo the polynomial of CRC-32."""
    found = 0
    while a:
        if a & _ONE:
            found ^= b
        a = (a << 1) & 0xFFFFFFFF
        b = (b >> 1) ^ (_POLYNOMIAL if b & 1 else 0)
    return found


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
