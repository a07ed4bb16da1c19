"""Hashes of the sources of kernels, to detect changes since a recorded run on a GPU."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import warpath

#: Recorded runs in a checkout; an installed package has none.
RUNS = Path(warpath.__file__).parents[2] / "docs" / "gpu-runs"

_INCLUDE = re.compile(r'^\s*#include "([^"]+)"', re.MULTILINE)
_HERE = Path(__file__).parent
_HEADERS = _HERE / "kernels"
_WRITERS = (_HERE / "entry.py", _HERE / "kernel_kinds.py")


def hashes(headers: Path = _HEADERS, writers: tuple[Path, ...] = _WRITERS) -> dict[str, str]:
    """Return the SHA-256 of every header and of the modules that write entry points, by name."""
    files = [*sorted(headers.glob("*.cuh")), *writers]
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def included(source: str, headers: Path = _HEADERS) -> dict[str, str]:
    """Return the texts of all headers that a source includes, directly or not, by sorted name."""
    texts: dict[str, str] = {}
    waiting = [source]
    while waiting:
        for name in _INCLUDE.findall(waiting.pop()):
            header = headers / name
            if name not in texts and header.is_file():
                texts[name] = header.read_text(encoding="utf-8")
                waiting.append(texts[name])
    return dict(sorted(texts.items()))


def digest(texts: dict[str, str]) -> str:
    """Return one hash over names and hashes, independent of their order."""
    text = "".join(f"{name} {value}\n" for name, value in sorted(texts.items()))
    return hashlib.sha256(text.encode()).hexdigest()


def changed(before: dict[str, str], now: dict[str, str]) -> list[str]:
    """Return the names of sources that are new, removed or different.

    >>> changed({"a.cuh": "1", "b.cuh": "2"}, {"b.cuh": "3", "c.cuh": "4"})
    ['a.cuh', 'b.cuh', 'c.cuh']
    """
    return sorted(n for n in before.keys() | now.keys() if before.get(n) != now.get(n))


def recorded(folder: Path = RUNS) -> list[dict[str, Any]]:
    """Return the recorded runs, as `record` wrote them."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]


def since_recorded(folder: Path = RUNS) -> dict[str, str]:
    """Return for each recorded run, by GPU and date, whether kernel sources have changed since."""
    now = hashes()
    digests = {}
    for run in recorded(folder):
        different = changed(run["kernel_sources"], now)
        counts = run["counts"]
        verdict = f"kernel sources changed since: {', '.join(different)}"
        if not different:
            verdict = f"{counts['passed']:,} passed, {counts['failed']:,} failed, same kernels"
        digests[f"{run['gpu']}, {run['date']}"] = verdict
    return digests
