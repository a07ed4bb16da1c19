"""The properties that tests state with Hypothesis, on other examples than those of the tests.

Among them are the comparisons with SciPy, NetworkX and plain Python. The tests themselves take the
same examples in each run.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hunt.program import Finding, Program

if TYPE_CHECKING:
    import numpy as np

    from hunt.program import Counts

_ROOT = Path(__file__).resolve().parents[3]
#: Files of tests that state properties; those of kernels take minutes.
_FILES = sorted(
    path
    for path in (_ROOT / "tests").rglob("test_*.py")
    if "@given(" in path.read_text(encoding="utf-8")
    and path.parent.name not in {"kernels", "tools"}
)
_PYTEST = [sys.executable, "-m", "pytest", "-q", "-m", "hypothesis", "-p", "no:cacheprovider"]


def trial(rng: np.random.Generator, counts: Counts) -> None:
    """Run the properties of one file on random examples."""
    file = _FILES[rng.integers(len(_FILES))]
    seed = int(rng.integers(2**31))
    env = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
    command = [*_PYTEST, f"--hypothesis-seed={seed}", str(file)]
    ran = subprocess.run(command, cwd=_ROOT, env=env, capture_output=True, text=True, check=False)
    counts["properties"] += sum(map(int, re.findall(r"(\d+) passed", ran.stdout)))
    if ran.returncode not in {0, 5}:  # 5: all of them need packages that are not installed
        raise Finding(f"{file.name}: {ran.stdout[-4000:]}{ran.stderr[-1000:]}")


PROGRAM = Program(
    summary="The properties that tests state of random examples, on other examples than theirs.",
    trial=trial,
    packages=("pytest", "hypothesis"),
)
