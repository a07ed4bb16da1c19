"""Repeat calls, and check that memory, open files, threads and files in a folder do not grow."""

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

#: Seconds of each of a trial's three parts; caches fill during the first one.
_SECONDS = 0.4
_FEWEST, _MOST = 40, 2000
#: Bytes that one part may add in all: allocators take memory in steps of up to 1 MiB.
_STEP = 2**20
#: Growth per call above which a part is suspicious: bytes, and objects.
_BYTES_A_CALL = 48
_OBJECTS_A_CALL = 0.5
#: Objects of the measurements themselves and of the interpreter's free lists.
_OWN_OBJECTS = 100
#: Further parts that check a suspicion, each of as many calls as the first part.
_LOOKS = 10


class Usage(NamedTuple):
    """Resources of the process: bytes of memory, and numbers of the others."""

    memory: int
    objects: int
    descriptors: int
    threads: int
    files: int


#: Growth in the second half of the further parts, relative to the first half, of a leak.
_CONSTANT = 0.8


def trial(rng: np.random.Generator, counts: Counts) -> None:
    """Repeat one call; repeat it more often if a resource grew."""
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
    """Report resources that grow in nine of ten further parts, and in all as much as a leak."""
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
        constant = halves[1] > _CONSTANT * halves[0]  # the growth of caches slows down
        if steady and constant and min(halves) > least[at] / 4 and sum(halves) > least[at]:
            raise Finding(f"{name}: {field} grew over {calls} calls: {values}")


def _repeat(call: Callable[[], object], times: int, counts: Counts) -> None:
    for _ in range(times):
        call()
    counts["calls"] += times


def _usage(folder: str) -> Usage:
    """Return the usage after freeing unreachable objects and releasing free memory."""
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
