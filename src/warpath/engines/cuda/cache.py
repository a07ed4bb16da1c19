"""Compiled kernels on disk: found by all that shaped them, and read only if whole.

An entry is a file ``NAME.KEY.cubin``: the cubin itself, so that ``cuobjdump`` reads it, and behind
it a mark and the SHA-256 of key and cubin. A damaged entry is made anew. A folder that cannot be
written means that nothing is kept, with one warning.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import warnings
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from warpath import settings

if TYPE_CHECKING:
    from collections.abc import Callable

_MARK = b"warpath1"
_TAIL = len(_MARK) + hashlib.sha256().digest_size
_LONGEST_NAME = 120  # of 255 bytes that file systems allow

_in_memory: dict[str, bytes] = {}
_told: set[Path] = set()  # folders that were warned about


class Kept(NamedTuple):
    """What the cache holds on disk: its folder or None where it is off, entries, bytes."""

    folder: Path | None
    entries: int
    bytes: int


def fetch(key: str, name: str, build: Callable[[], bytes]) -> bytes:
    """Return the cubin of a key, from memory, from disk, or built and kept.

    Parameters
    ----------
    key : hexadecimal digits of a hash over everything that shapes the cubin.
    name : what it is called, for people who look into the folder.
    build : makes it.
    """
    if key not in _in_memory:
        folder = settings.kernel_cache()
        path = None if folder is None else folder / f"{name[:_LONGEST_NAME]}.{key[:32]}.cubin"
        found = None if path is None else _read(path, key)
        if found is None:
            found = build()
            if path is not None:
                _write(path, found + _MARK + _check(key, found))
        _in_memory[key] = found
    return _in_memory[key]


def forget() -> None:
    """Forget what is in memory; what is on disk stays."""
    _in_memory.clear()


def kept() -> Kept:
    """Count what is on disk."""
    folder = settings.kernel_cache()
    sizes = []
    if folder is not None:
        with suppress(OSError):
            sizes = [path.stat().st_size for path in folder.glob("*.cubin")]
    return Kept(folder, len(sizes), sum(sizes))


def _read(path: Path, key: str) -> bytes | None:
    """Return the cubin of an entry, or None where there is none, or none that can be trusted."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    found = content[:-_TAIL]
    return found if content == found + _MARK + _check(key, found) else None


def _check(key: str, content: bytes) -> bytes:
    return hashlib.sha256(key.encode() + content).digest()


def _write(path: Path, content: bytes) -> None:
    """Put an entry in place at once: readers see the old file or the new one, never a part."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".", suffix=".new", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        if path.parent not in _told:
            _told.add(path.parent)
            msg = (
                f"compiled kernels are not kept: {error}. Every process compiles its own; "
                "WARPATH_CACHE_DIR names another folder, or 'off'."
            )
            warnings.warn(msg, RuntimeWarning, stacklevel=2)
