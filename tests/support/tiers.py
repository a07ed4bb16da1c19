"""Which tests of the full tier have to run: those whose sources changed since a full run.

A slow test is marked with a part's name and the files that decide its outcome, relative to the
root of the repository; the file of the test itself counts too::

    @pytest.mark.full("races of kernels", "src/warpath/engines/cuda/kernels/*.cuh")

`make test` leaves out these tests. `make test-full` runs every test and records a digest of each
part that passed in docs/full-runs; `make test-changed` runs the parts whose digest no record has.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
RUNS = ROOT / "docs" / "full-runs"

#: What the outcome of a test of kernels on the emulator depends on, besides the kernels.
EMULATOR = (
    "cpp/emulator/*.?pp",
    "tests/kernels/conftest.py",
    "tests/kernels/quick.py",
    "tests/support/emula*.py",
    "src/warpath/engines/emulator/*.py",
    "src/warpath/engines/cuda/entry.py",
    "src/warpath/engines/cuda/kernel_kinds.py",
)
KERNELS = "src/warpath/engines/cuda/kernels/*.cuh"
#: What the sanitizers watch: the compiled core.
CORE = ("CMakeLists.txt", "cpp/include/warpath/*/*.hpp", "cpp/bindings/*")
#: What the outcome of a test that solves by recipes of GPUs on the emulator depends on.
RECIPES_ON_GPUS = (
    *(KERNELS, *EMULATOR, *CORE),
    "src/warpath/base/*.py",
    "src/warpath/engines/*.py",
    *(f"src/warpath/engines/{room}/**/*.py" for room in ("cuda", "emulator", "papers", "staged")),
    "src/warpath/graph/*.py",
    "src/warpath/io/*.py",
    "src/warpath/planner/*.py",
    "src/warpath/recipes/*.py",
    "src/warpath/results/predecessors.py",
    "src/warpath/results/trace.py",
    "tests/support/*.py",
    "tools/kernel_list.py",
)
#: What the outcome of a benchmark depends on, besides its own test.
BENCH = ("bench/**/*.py", "bench/programs/*", "src/warpath/**/*.py", *CORE)
#: What the outcome of a solve by the public calls depends on, on any device.
SOLVES = (*RECIPES_ON_GPUS, "src/warpath/*/*.py", "src/warpath/_*.py")


@cache
def digest(*globs: str) -> str:
    """Return a hash over the names and contents of the files that match, 16 hexadecimal digits.

    >>> digest("README.md") == digest("README.*") != digest("LICENSE")
    True
    """
    found = hashlib.sha256()
    for path in sorted({path for one in globs for path in ROOT.glob(one)}):
        content = path.read_bytes()
        found.update(f"{path.relative_to(ROOT).as_posix()} {len(content)}\n".encode() + content)
    return found.hexdigest()[:16]


@cache
def recorded(folder: Path = RUNS) -> frozenset[tuple[str, str]]:
    """Return each part that passed with the digest it had, from the records of all full runs."""
    runs = [json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")]
    return frozenset(passed for run in runs for passed in run["passed"].items())


def is_recorded(part: str, *globs: str) -> bool:
    """Return whether a full run passed a part with the files as they are now."""
    return (part, digest(*globs)) in recorded()
