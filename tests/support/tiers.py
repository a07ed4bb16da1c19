"""Which tests of the full tier `make test` runs: those whose sources changed since a full run.

A slow test is marked with a part's name and the files that decide its outcome, relative to the
root of the repository; the file of the test itself counts too::

    @pytest.mark.full("races of kernels", "src/warpath/engines/cuda/kernels/*.cuh")

`make test-full` runs every test and records a digest of each part that passed in docs/full-runs.
`make test` leaves out a part whose digest is the recorded one.
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
def recorded(folder: Path = RUNS) -> dict[str, str]:
    """Return the digests of the parts that passed, as the latest full run recorded them."""
    runs = sorted(folder.glob("*.json"))
    return json.loads(runs[-1].read_text(encoding="utf-8"))["passed"] if runs else {}


def is_recorded(part: str, *globs: str) -> bool:
    """Return whether a full run passed a part with the files as they are now."""
    return recorded().get(part) == digest(*globs)
