"""A cache of compiled kernels on disk, whose keys are hashes of everything that affects the code.

An entry is a file ``NAME.KEY.cubin``: the cubin, which ``cuobjdump`` can read, followed by a mark
and the SHA-256 of key and cubin. An entry that is damaged, or that another user owns or can write,
is compiled again.

A folder that another user owns or can write to is not used (see `trust`), because that user could
plant code that runs on the GPU with the rights of this process. Kernels are then kept in memory
only, with one warning that names the folder and the remedy; likewise if the folder is not writable.
This is a warning rather than an error, because results do not depend on the cache. `warpath doctor`
reports it too.
"""

from __future__ import annotations

import hashlib
import io
import os
import tempfile
import warnings
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from warpath.base import settings
from warpath.engines.cuda import trust

if TYPE_CHECKING:
    from collections.abc import Callable

_MARK = b"warpath1"
_TAIL = len(_MARK) + hashlib.sha256().digest_size
_LONGEST_NAME = 120  # file systems allow 255 bytes in all

_in_memory: dict[str, bytes] = {}
_warned: set[Path] = set()  # folders with a warning so far


class Kept(NamedTuple):
    """The cache on disk: its folder (None if it is off), number of entries, bytes."""

    folder: Path | None
    entries: int
    bytes: int


def fetch(key: str, name: str, build: Callable[[], bytes]) -> bytes:
    """Return the cubin of a key, from memory, from disk, or built and kept.

    Parameters
    ----------
    key : hexadecimal digits of a hash over everything that shapes the cubin.
    name : a readable name for people who inspect the folder.
    build : compiles the cubin if it is not cached.
    """
    if key not in _in_memory:
        folder = _trusted_folder()
        path = None if folder is None else folder / f"{name[:_LONGEST_NAME]}.{key[:32]}.cubin"
        image = None if path is None else _read(path, key)
        if image is None:
            image = build()
            if path is not None:
                _write(path, image + _MARK + _check(key, image))
        _in_memory[key] = image
    return _in_memory[key]


def forget() -> None:
    """Drop the entries in memory; those on disk stay."""
    _in_memory.clear()


def kept() -> Kept:
    """Return the folder, number and size of entries on disk, trusted or not."""
    folder = settings.kernel_cache()
    sizes = []
    if folder is not None:
        with suppress(OSError):
            sizes = [path.stat().st_size for path in folder.glob("*.cubin")]
    return Kept(folder, len(sizes), sum(sizes))


def refused() -> str | None:
    """Return why the folder is not used and what to do; None if it is used or off."""
    folder = settings.kernel_cache()
    reason = None if folder is None else trust.refusal(folder)
    return None if reason is None else f"{reason} (WARPATH_CACHE_DIR)"


def _trusted_folder() -> Path | None:
    """Return the folder to read from and write to, or None, with a warning if it is refused."""
    folder = settings.kernel_cache()
    if folder is not None and (reason := trust.refusal(folder)) is not None:
        _warn(folder, reason)
        return None
    return folder


def _read(path: Path, key: str) -> bytes | None:
    """Return the cubin of an entry, or None if there is none that can be trusted."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    flags |= getattr(os, "O_BINARY", 0)
    try:
        with io.FileIO(path, opener=lambda name, _: os.open(name, flags)) as file:
            content = file.readall() if trust.is_trusted(file.fileno()) else b""
    except OSError:
        return None
    image = content[:-_TAIL]
    return image if content == image + _MARK + _check(key, image) else None


def _check(key: str, content: bytes) -> bytes:
    return hashlib.sha256(key.encode() + content).digest()


def _write(path: Path, content: bytes) -> None:
    """Write an entry atomically: readers see the old file or the new one, never a part."""
    try:
        _make_folder(path.parent)
        handle, name = tempfile.mkstemp(prefix=".", suffix=".new", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        _warn(path.parent, str(error))


def _make_folder(folder: Path) -> None:
    """Create a folder and its parents with access for this user only, whatever the umask."""
    for path in (*reversed(folder.parents), folder):
        if not path.exists():
            path.mkdir(mode=0o700, exist_ok=True)


def _warn(folder: Path, reason: str) -> None:
    """Warn once per folder."""
    if folder not in _warned:
        _warned.add(folder)
        msg = (
            f"compiled kernels are not kept, so every process compiles its own: {reason}. "
            "WARPATH_CACHE_DIR names the folder, or 'off'."
        )
        warnings.warn(msg, RuntimeWarning, stacklevel=2)
