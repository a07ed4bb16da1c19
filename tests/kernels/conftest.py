from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from warpath.testing import emulator_build
from warpath.testing.emulated import EmulatedDevice

QUICK = Path(__file__).with_name("quick.py")


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    """The folder of the compiled kernels of this process."""
    return tmp_path_factory.mktemp("kernels")


@pytest.fixture
def device(cache):
    return EmulatedDevice(cache=cache)


@pytest.fixture
def quick():
    """Run the quick suite in a process of its own; ThreadSanitizer ends it at its first report."""

    def run(headers, recipes, dtype="int32", *, watched=False):
        environment = dict(os.environ)
        environment.pop("LD_PRELOAD", None)
        if watched:
            environment |= {"LD_PRELOAD": runtimes(), "TSAN_OPTIONS": "halt_on_error=1"}
        kind = "thread" if watched else "none"
        command = [sys.executable, "-X", "faulthandler", QUICK, headers, kind, dtype, *recipes]
        try:
            return subprocess.run(
                command, capture_output=True, text=True, env=environment, check=False, timeout=30
            )
        except subprocess.TimeoutExpired as late:
            return subprocess.CompletedProcess(command, -1, "", f"endless: {late}")

    return run


def runtimes():
    """Return what must be loaded before Python, which is not compiled for ThreadSanitizer."""
    found = [
        subprocess.run(
            [emulator_build.compiler(), f"-print-file-name={name}"],
            capture_output=True, text=True, check=True,
        ).stdout.strip()
        for name in ("libtsan.so", "libstdc++.so")
    ]  # fmt: skip
    if not all(Path(path).is_absolute() for path in found):
        pytest.skip("the compiler comes without libtsan.so")
    return " ".join(found)
