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
    """Run the quick suite in a process of its own; a sanitizer ends it at its first report."""

    def run(headers, recipes, dtype="int32", *, sanitizer="none"):
        here = emulator_build.loaded_sanitizer()
        if here and here != sanitizer:
            pytest.skip(f"the core that this process has loaded is made for the {here} sanitizer")
        environment = dict(os.environ)
        if sanitizer != "none":
            environment |= {
                "LD_PRELOAD": runtimes(sanitizer),
                "TSAN_OPTIONS": "halt_on_error=1",
                "ASAN_OPTIONS": "detect_leaks=0:halt_on_error=1",
            }
        command = [sys.executable, "-X", "faulthandler", QUICK, headers, sanitizer, dtype, *recipes]
        try:
            return subprocess.run(
                command, capture_output=True, text=True, env=environment, check=False, timeout=120
            )
        except subprocess.TimeoutExpired as late:
            return subprocess.CompletedProcess(command, -1, "", f"endless: {late}")

    return run


def runtimes(sanitizer):
    """Return what must be loaded before Python, which is not compiled for the sanitizer."""
    library = f"lib{sanitizer[0]}san.so"
    found = [
        subprocess.run(
            [emulator_build.compiler(), f"-print-file-name={name}"],
            capture_output=True, text=True, check=True,
        ).stdout.strip()
        for name in (library, "libstdc++.so")
    ]  # fmt: skip
    if not all(Path(path).is_absolute() for path in found):
        pytest.skip(f"the compiler comes without {library}")
    return " ".join(found)
