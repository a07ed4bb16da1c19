"""Repeat calls, and see that memory, open files, threads and files in the folder do not grow."""

from __future__ import annotations

import ctypes
import gc
import itertools
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hunt.program import Finding, Program
from hunt.programs._leak_calls import makers

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from hunt.program import Counts

#: Seconds of one trial's first part, in which caches fill, and of each of the two parts after it.
_SECONDS = 0.4
_FEWEST, _MOST = 40, 2000
#: What the second of two parts may add, in all: allocators take memory in steps of up to 1 MiB.
_STEP = 2**20
#: What a call adds for certain in every part, where it is called a leak: bytes, and objects.
_BYTES_A_CALL = 48
_OBJECTS_A_CALL = 0.5
#: Objects that the measurements themselves keep, and the interpreter's free lists.
_OWN_OBJECTS = 100
#: How often a suspicion is looked at, over as many calls each time as in the first part.
_LOOKS = 10


class Usage(NamedTuple):
    """What the process has at a moment."""

    memory: int
    objects: int
    descriptors: int
    threads: int
    files: int


#: What the second half of a long look adds, relative to the first, where something leaks.
_CONSTANT = 0.8


def trial(rng: np.random.Generator, counts: Counts) -> None:
    """Repeat one call; look longer where something grew."""
    kinds = makers()
    with tempfile.TemporaryDirectory(prefix="hunt-") as folder:
        kind = kinds[rng.integers(len(kinds))]
        call = kind(rng, Path(folder))
        begin = time.perf_counter()
        _repeat(call, 10, counts)
        each = (time.perf_counter() - begin) / 10
        times = int(min(_MOST, max(_FEWEST, _SECONDS / each)))
        _repeat(call, times, counts)
        before = _usage(folder)
        _repeat(call, times, counts)
        after = _usage(folder)
        if _grew(before, after, times):
            _look_longer(call, times, folder, counts, kind.__name__)


def _grew(before: Usage, after: Usage, times: int) -> bool:
    return (
        after.memory - before.memory > max(_STEP, _BYTES_A_CALL * times)
        or after.objects - before.objects > _OBJECTS_A_CALL * times
        or any(now > then for now, then in zip(after[2:], before[2:], strict=True))
    )


def _look_longer(
    call: Callable[[], object], times: int, folder: str, counts: Counts, name: str
) -> None:
    """Report what grows in nine of ten further parts, and in all by as much as a leak does."""
    seen = [_usage(folder)]
    for _ in range(_LOOKS):
        _repeat(call, times, counts)
        seen.append(_usage(folder))
    calls = times * _LOOKS
    least = (max(2 * _STEP, _BYTES_A_CALL * calls), _OBJECTS_A_CALL * calls + _OWN_OBJECTS, 2, 2, 2)
    for at, field in enumerate(Usage._fields):
        values = [usage[at] for usage in seen]
        rises = sum(b > a for a, b in itertools.pairwise(values))
        steady = rises >= (_LOOKS - 1 if at < 2 else 2)
        halves = values[_LOOKS // 2] - values[0], values[-1] - values[_LOOKS // 2]
        constant = halves[1] > _CONSTANT * halves[0]  # what is kept for later calls grows ever less
        if steady and constant and min(halves) > least[at] / 4 and sum(halves) > least[at]:
            raise Finding(f"{name}: {field} grew over {calls} calls: {values}")


def _repeat(call: Callable[[], object], times: int, counts: Counts) -> None:
    for _ in range(times):
        call()
    counts["calls"] += times


def _usage(folder: str) -> Usage:
    """Count after unreachable objects were freed and free memory was given back."""
    for _ in range(2):
        gc.collect()
    _LIBC.malloc_trim(0)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return Usage(
        pages * os.sysconf("SC_PAGE_SIZE"),
        sys.getallocatedblocks(),
        *(len(list(Path(each).iterdir())) for each in ("/proc/self/fd", "/proc/self/task", folder)),
    )


def _obstacle() -> str:
    return "" if Path("/proc/self/statm").exists() else "this system has no /proc/self/statm"


_LIBC = ctypes.CDLL(None)

PROGRAM = Program(
    summary="Repeated calls do not grow in memory, open files, threads or temporary files.",
    trial=trial,
    obstacle=_obstacle,
)
