"""The environment variables of warpath, read here and nowhere else.

===================  ==========================================================================
WARPATH_DEVICE       the device that ``device="auto"`` takes: ``cpu``, ``cuda`` or ``cuda:1``
                     (default: the CPU, but for what runs on a GPU only)
WARPATH_THREADS      the number of threads on the CPU (default: the cores this process may use)
WARPATH_MEMORY       the memory a call may plan with, in bytes or as ``8G`` (default: what is free)
WARPATH_GPU_MEMORY   the memory of a GPU that a call may plan with, likewise (default: what is free)
WARPATH_CACHE_DIR    the folder that keeps compiled CUDA kernels; ``off`` or empty to keep none
                     (default: warpath/kernels in the user's cache, XDG_CACHE_HOME or ~/.cache);
                     not used if other users own it or can write to it or to a folder above it
WARPATH_BENCH_DATA   the folder of graph files that ``warpath bench`` knows by name (default: none)
CXX                  the C++ compiler that `support.emulated` runs (default: g++)
===================  ==========================================================================
"""

from __future__ import annotations

import functools
import os
import re
import time
from typing import TYPE_CHECKING

from warpath import _core
from warpath.base.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

MOST_THREADS = 1024

_LOOKS_A_SECOND = 20  # at free memory: a look takes 36 us, as long as a small solve

_MOST_BYTES = 2.0**63  # more than any machine has; a float of more digits may be infinite

_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


_VARIABLES = ["WARPATH_DEVICE", "WARPATH_THREADS", "WARPATH_MEMORY", "WARPATH_GPU_MEMORY"]
#: Returns what a kept plan depends on: variables, processors and the moment of the last look at
#: free memory; the same object until something changes. In one call of the core, as each variable
#: takes 0.6 us of Python.
surroundings = _core.surroundings(_VARIABLES, _LOOKS_A_SECOND)
#: The same of the variables alone, for what depends on nothing else.
variables = _core.surroundings(_VARIABLES, 0)


def device() -> str:
    """Return what ``device="auto"`` should mean, or ``"auto"``."""
    value = os.environ.get("WARPATH_DEVICE", "").strip()
    if not value:
        return "auto"
    if not re.fullmatch(r"auto|cpu|cuda(:\d{1,4})?", value):
        msg = f"WARPATH_DEVICE={value!r} is no device: use 'cpu', 'cuda' or 'cuda:1', or unset it."
        raise InputError(msg)
    return value


def threads() -> int:
    """Return the number of threads to use on the CPU unless the call says otherwise."""
    value = os.environ.get("WARPATH_THREADS", "").strip()
    if not value:
        return (
            len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1
        )
    if not re.fullmatch(r"[0-9]{1,9}", value) or not 1 <= int(value) <= MOST_THREADS:
        msg = f"WARPATH_THREADS={value!r} must be a whole number, 1 to {MOST_THREADS}, or unset."
        raise InputError(msg)
    return int(value)


def memory() -> int:
    """Return the bytes that a call may plan with: WARPATH_MEMORY, or what is free."""
    limit = memory_limit()
    if limit is not None:
        return limit
    return _free_memory(int(time.monotonic() * _LOOKS_A_SECOND))


def memory_limit() -> int | None:
    """Return WARPATH_MEMORY in bytes, or None where it is not set."""
    return _bytes_of("WARPATH_MEMORY")


@functools.lru_cache(maxsize=1)
def _free_memory(moment: int) -> int:  # noqa: ARG001 - what is kept grows old with it
    free = [_available_of_machine(), _available_of_cgroup(), _available_of_process()]
    return min((bytes_ for bytes_ in free if bytes_ is not None), default=2**63 - 1)


def gpu_memory() -> int | None:
    """Return the bytes of a GPU that a call may plan with at most, or None for all that is free."""
    return _bytes_of("WARPATH_GPU_MEMORY")


def bench_data() -> Path | None:
    """Return the folder of the benchmarks' graph files, or None where none is set."""
    from pathlib import Path  # here, as it takes 5 ms of `import warpath`

    value = os.environ.get("WARPATH_BENCH_DATA", "").strip()
    return Path(value).expanduser() if value else None


def compiler() -> str:
    """Return the C++ compiler that makes kernels run on the CPU."""
    return os.environ.get("CXX", "").strip() or "g++"


def kernel_cache() -> Path | None:
    """Return the folder that keeps compiled kernels, or None where none are kept."""
    from pathlib import Path  # here, as it takes 5 ms of `import warpath`

    value = os.environ.get("WARPATH_CACHE_DIR")
    if value is None:
        base = os.environ.get("XDG_CACHE_HOME", "")
        base = base if base.startswith(os.sep) else "~/.cache"  # the XDG rule for a relative one
        value = f"{base}/warpath/kernels"
    if value.strip() in {"", "off"}:
        return None
    try:
        return Path(value.strip()).expanduser().absolute()
    except RuntimeError:  # a process of no user has no home
        return None


def _bytes_of(name: str) -> int | None:
    """Return a variable's number of bytes, or None where it is not set."""
    value = os.environ.get(name)
    if value is None or not (value := value.strip()):
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", value, re.IGNORECASE)
    if match is None:
        msg = f"{name}={value!r} must be a number of bytes, or one with K, M, G, T: 8G."
        raise InputError(msg)
    return int(min(float(match[1]), _MOST_BYTES) * _UNITS[match[2].upper()])


def _available_of_machine() -> int | None:
    text = _text_of("/proc/meminfo")
    if text is None:
        return None
    match = re.search(r"^MemAvailable:\s+(\d+) kB", text, re.MULTILINE)
    return None if match is None else int(match[1]) * 1024


def _available_of_cgroup() -> int | None:
    """Return what a container's limit leaves (cgroup v2), where one is set."""
    limit, used = (_text_of(f"/sys/fs/cgroup/memory.{name}") for name in ("max", "current"))
    if limit is None or used is None or limit.strip() == "max":
        return None
    return max(0, int(limit) - int(used))


def _available_of_process() -> int | None:
    """Return how much more address space the process may take (RLIMIT_AS), where it is limited."""
    try:
        import resource  # here, as a system without such limits does not have it
    except ImportError:
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    pages = None if limit == resource.RLIM_INFINITY else _text_of("/proc/self/statm")
    return None if pages is None else max(0, limit - int(pages.split()[0]) * resource.getpagesize())


def _text_of(path: str) -> str | None:
    from pathlib import Path  # here, as it takes 5 ms of `import warpath`

    try:
        return Path(path).read_text(encoding="ascii")
    except OSError:
        return None
