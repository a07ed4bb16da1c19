"""The environment variables of warpath; all of them are read in this module.

===================  ==========================================================================
WARPATH_DEVICE       the device for ``device="auto"``: ``cpu``, ``cuda`` or ``cuda:1``
                     (default: the CPU, or the GPU for a long question that is predicted to take at
                     most half as long there, its start included; ``cpu`` forbids that)
WARPATH_THREADS      the number of threads on the CPU (default: the cores this process may use: its
                     CPU mask, or the quota of its container, rounded up, where that is less)
WARPATH_MEMORY       the memory a call may use, in bytes or as ``8G`` (default: free memory)
WARPATH_GPU_MEMORY   the GPU memory a call may use, likewise (default: free GPU memory); edges
                     that do not fit stay in memory of the host
WARPATH_CACHE_DIR    the folder for compiled CUDA kernels; ``off`` or empty to store none
                     (default: warpath/kernels in the user's cache, XDG_CACHE_HOME or ~/.cache);
                     not used if other users own it or can write to it or to a folder above it
WARPATH_BENCH_DATA   the folder of graph files that ``warpath bench`` finds by name (default: none)
CXX                  the C++ compiler for `device="emulated"` (default: g++)
===================  ==========================================================================
"""

from __future__ import annotations

import functools
import operator
import os
import re
import time
from typing import TYPE_CHECKING

from warpath.base import system
from warpath.base.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

MOST_THREADS = 1024

_CHECKS_PER_SECOND = 20  # of free memory: a check takes 36 us, as long as a small solve

_MOST_BYTES = 2.0**63  # more than any machine has; the product of a larger float may be infinite

_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def device() -> str:
    """Return the value of WARPATH_DEVICE, or ``"auto"``.

    The value is not checked: `warpath.api.options.preferred_device` does that.
    """
    return os.environ.get("WARPATH_DEVICE", "").strip() or "auto"


def threads() -> int:
    """Return the default number of threads on the CPU."""
    value = os.environ.get("WARPATH_THREADS", "").strip()
    if not value:
        return system.cores()
    if not re.fullmatch(r"[0-9]{1,9}", value) or not 1 <= int(value) <= MOST_THREADS:
        msg = f"WARPATH_THREADS={value!r} must be an integer, 1 to {MOST_THREADS}, or unset."
        raise InputError(msg)
    return int(value)


def memory() -> int:
    """Return the bytes that a call may use: WARPATH_MEMORY, or free memory."""
    limit = _bytes_of("WARPATH_MEMORY")
    if limit is not None:
        return limit
    return _free_memory(int(time.monotonic() * _CHECKS_PER_SECOND))


def memory_limit() -> int | None:
    """Return WARPATH_MEMORY in bytes, or None if it is not set."""
    return _bytes_of("WARPATH_MEMORY")


@functools.lru_cache(maxsize=1)
def _free_memory(moment: int) -> int:  # noqa: ARG001 - a new moment expires the cached value
    return system.free_memory()


def gpu_memory() -> int | None:
    """Return the limit on a GPU's memory in bytes, or None for all free memory."""
    return _bytes_of("WARPATH_GPU_MEMORY")


def bench_data() -> Path | None:
    """Return the folder of the benchmarks' graph files, or None if it is not set."""
    from pathlib import Path  # imported here: it takes 5 ms of `import warpath`

    value = os.environ.get("WARPATH_BENCH_DATA", "").strip()
    return Path(value).expanduser() if value else None


def compiler() -> str:
    """Return the C++ compiler for kernels that are emulated on the CPU."""
    return os.environ.get("CXX", "").strip() or "g++"


def kernel_cache() -> Path | None:
    """Return the folder for compiled kernels, or None if they are not stored."""
    from pathlib import Path  # imported here: it takes 5 ms of `import warpath`

    value = os.environ.get("WARPATH_CACHE_DIR")
    if value is None:
        base = os.environ.get("XDG_CACHE_HOME", "")
        base = base if base.startswith(os.sep) else "~/.cache"  # XDG ignores relative paths
        value = f"{base}/warpath/kernels"
    if value.strip() in {"", "off"}:
        return None
    try:
        return Path(value.strip()).expanduser().absolute()
    except RuntimeError:  # the user of the process has no home folder
        return None


def _bytes_of(name: str) -> int | None:
    """Return a variable's number of bytes, or None if it is not set."""
    value = os.environ.get(name)
    if value is None or not (value := value.strip()):
        return None
    return bytes_of(value, name)


def bytes_of(value: int | str, name: str) -> int:
    """Return a number of bytes that was passed as a number, or as text such as "500M".

    Raises
    ------
    InputError
        If it is neither; the message names it `name`.
    """
    if hasattr(value, "__index__") and not isinstance(value, bool):
        try:
            number = operator.index(value)
        except TypeError:  # NumPy's floats and bools have __index__, too
            number = -1
        if number >= 0:
            return min(number, int(_MOST_BYTES))
    text = value.strip() if isinstance(value, str) else ""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", text, re.IGNORECASE)
    if match is None:
        msg = f"{name}={value!r} must be a number of bytes, or one with K, M, G, T: 8G."
        raise InputError(msg)
    return int(min(float(match[1]), _MOST_BYTES) * _UNITS[match[2].upper()])
