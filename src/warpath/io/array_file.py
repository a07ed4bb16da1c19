"""A file of NumPy arrays that is mapped into memory, with a checksum of every byte.

===============  ================================================================================
bytes            content, in little-endian order
===============  ================================================================================
0 to 7           the magic number of the format
8 to 11          the version of the format
12 to 15         the length of the table
16 to 19         CRC-32 of the table
from 20 on       the table: a JSON list, padded with blanks to the next multiple of 64
from there on    the arrays, each padded with zeros to the next multiple of 64
===============  ================================================================================

An entry of the table has the ``name``, ``dtype`` and ``shape`` of an array, its ``offset`` from the
end of the table, and its ``checksum``: CRC-32 of its bytes and its padding.
"""

from __future__ import annotations

import json
import math
import struct
import zlib
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from warpath.io.compression import CHUNK

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from warpath.io.source import Source

_HEAD = struct.Struct("<8sIII")
#: Arrays begin at multiples of a cache line, so that their entries are aligned in a mapped file.
_ALIGNED = 64
#: Booleans, integers, floats and strings.
_KINDS = "biufSU"
#: Bytes per step of a checksum, between which Ctrl-C and progress are served.
_STEP = 64 * CHUNK


@dataclass(frozen=True)
class FileFormat:
    """A format: its magic number of 8 bytes, its version, and words for messages.

    Attributes
    ----------
    magic, version : as in the file.
    what : what a file holds, for example "prepared graph".
    way : how the user makes a file of this version.
    """

    magic: bytes
    version: int
    what: str
    way: str


@dataclass(frozen=True)
class Entry:
    """An array as the table describes it."""

    name: str
    dtype: str
    shape: list[int]
    offset: int
    checksum: int

    @property
    def nbytes(self) -> int:
        """The bytes of the array without padding."""
        return math.prod(self.shape) * np.dtype(self.dtype).itemsize


def entry_of(name: str, array: NDArray[Any], offset: int = 0) -> Entry:
    """Return the entry of an array; O(bytes) for its checksum."""
    data = _bytes(array)
    checksum = zlib.crc32(bytes(-len(data) % _ALIGNED), zlib.crc32(data))
    return Entry(name, _written(array).dtype.str, list(array.shape), offset, checksum)


def write(file: BinaryIO, layout: FileFormat, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays of booleans, numbers or strings; the same arrays give the same bytes."""
    entries: list[Entry] = []
    end = 0
    for name, array in arrays.items():
        entries.append(entry_of(name, array, end))
        end += _padded(entries[-1].nbytes)
    table = json.dumps([asdict(entry) for entry in entries]).encode()
    table = table.ljust(_padded(_HEAD.size + len(table)) - _HEAD.size)
    file.write(_HEAD.pack(layout.magic, layout.version, len(table), zlib.crc32(table)))
    file.write(table)
    for array in arrays.values():
        data = _bytes(array)
        file.write(data)
        file.write(bytes(-len(data) % _ALIGNED))


class ArrayFile:
    """The arrays of a file, mapped into memory read-only; each is checked when it is taken.

    Processes that map the same file share its pages. The file must not be changed while it is
    mapped; a file that is replaced by renaming another one, as `save.atomic` does, stays as it is
    for those that have mapped it.

    Parameters
    ----------
    source : a file that `write` wrote.
    layout : its format.

    Raises
    ------
    GraphFormatError
        The file is not of this format, of another version, compressed or damaged.
    """

    def __init__(self, source: Source, layout: FileFormat) -> None:
        self._source = source
        if source.compression is not None:
            reason = f"a {layout.what} is mapped into memory, so unpack this file first"
            raise source.error(None, reason)
        if not source.raw_head.startswith(layout.magic):
            raise source.error(None, f"this is not a {layout.what}: {layout.way}")
        content = np.asarray(np.memmap(source.path, np.uint8, "r"))
        if len(content) < _HEAD.size:
            raise self._damaged(f"it ends after {len(content)} bytes, within its header")
        _, version, length, checksum = _HEAD.unpack(content[: _HEAD.size].tobytes())
        if version != layout.version:
            age = "a newer" if version > layout.version else "an older"
            reason = (
                f"this {layout.what} has version {version} of its format, {age} one than version "
                f"{layout.version}, which this release of warpath reads: {layout.way}"
            )
            raise source.error(None, reason)
        table = content[_HEAD.size : _HEAD.size + length].tobytes()
        if zlib.crc32(table) != checksum:
            raise self._damaged("the table of its arrays does not match its checksum")
        self.entries = self._checked(json.loads(table), len(content) - _HEAD.size - length)
        self._arrays = content[_HEAD.size + length :]

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return an array; raise GraphFormatError if its bytes do not match its checksum."""
        entry = self.entries[name]
        data = self._arrays[entry.offset : entry.offset + _padded(entry.nbytes)]
        checksum = 0
        for begin in range(0, len(data), _STEP):
            checksum = zlib.crc32(data[begin : begin + _STEP].data, checksum)
            self._report(entry.offset + min(begin + _STEP, len(data)))
        if checksum != entry.checksum:
            raise self._damaged(f"the array {name} does not match its checksum")
        array = data[: entry.nbytes].view(entry.dtype).reshape(entry.shape)
        return array.astype(array.dtype.newbyteorder("="), copy=False)

    def _checked(self, table: Any, size: int) -> dict[str, Entry]:
        """Return the entries by name, which must describe arrays without gaps, `size` bytes."""
        entries = [Entry(**fields) for fields in table]
        end = 0
        for entry in entries:
            dtype = np.dtype(entry.dtype)
            shaped = all(type(extent) is int and extent >= 0 for extent in entry.shape)
            if dtype.kind not in _KINDS or not dtype.itemsize or not shaped:
                raise self._damaged(f"the array {entry.name} has a type or shape that is not valid")
            if entry.offset != end:
                raise self._damaged(f"the array {entry.name} is not where the one before it ends")
            end += _padded(entry.nbytes)
        if end != size:
            raise self._damaged(f"its arrays take {end:,} bytes, but {size:,} follow the table")
        return {entry.name: entry for entry in entries}

    def _damaged(self, reason: str) -> Exception:
        return self._source.error(None, f"the file is damaged: {reason}")

    def _report(self, done: int) -> None:
        if self._source.progress is not None:
            self._source.progress(done, len(self._arrays))


def _padded(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED


def _bytes(array: NDArray[Any]) -> memoryview:
    return _written(array).reshape(-1).view(np.uint8).data


def _written(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array in row order and in the files' byte order."""
    return np.asarray(array, array.dtype.newbyteorder("<"), order="C")
