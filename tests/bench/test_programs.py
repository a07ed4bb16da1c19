"""The programs of bench/programs."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from support.tiers import BENCH

pytestmark = pytest.mark.full("programs of the benchmarks", *BENCH)

PROGRAMS = Path(__file__).resolve().parents[2] / "bench" / "programs"


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="it needs nvcc")
def test_near_far_compiles_without_warnings(tmp_path):
    command = ["nvcc", "-std=c++17", "-arch=sm_80", "-Werror", "all-warnings", "-cubin"]
    made = subprocess.run(
        [*command, "-o", str(tmp_path / "near_far.cubin"), str(PROGRAMS / "near_far.cu")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
