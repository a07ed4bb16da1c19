from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from warpath.engines.emulator import build as emulator_build
from warpath.engines.emulator.device import EmulatedDevice

QUICK = Path(__file__).with_name("quick.py")


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    """The folder of the compiled kernels of this process."""
    return tmp_path_factory.mktemp("kernels")


@pytest.fixture
def device(cache):
    return EmulatedDevice(cache=cache)


@pytest.fixture(scope="session")
def servers():
    """The processes that run the quick suite, one for each sanitizer."""
    started: dict[str, subprocess.Popen[str]] = {}
    yield started
    for server in started.values():
        server.communicate()  # the end of its orders is its own


@pytest.fixture
def quick(servers):
    """Run the quick suite in a process of its own; a sanitizer ends it at its first report.

    So do `seconds` of its work: of the process alone, whatever else the machine does.
    """

    def run(headers, recipes, dtype="int32", *, sanitizer="none", seconds=600):
        here = emulator_build.loaded_sanitizer()
        if here and here != sanitizer:
            pytest.skip(f"the core that this process has loaded is made for the {here} sanitizer")
        if sanitizer not in servers:
            servers[sanitizer] = started(sanitizer)
        server = servers[sanitizer]
        order = [seconds, str(headers), sanitizer, dtype, recipes]
        server.stdin.write(f"{json.dumps(order)}\n")
        server.stdin.flush()
        code, said = json.loads(server.stdout.readline())
        return subprocess.CompletedProcess(order, code, "", said)

    return run


def started(sanitizer):
    """Start a server of the quick suite, which coverage does not watch: kernels are its matter."""
    environment = {key: value for key, value in os.environ.items() if "COVERAGE" not in key}
    environment["OPENBLAS_NUM_THREADS"] = "1"  # a sanitized process forks on one thread only
    if sanitizer != "none":
        environment |= {
            "LD_PRELOAD": runtimes(sanitizer),
            "TSAN_OPTIONS": "halt_on_error=1",
            "ASAN_OPTIONS": "detect_leaks=0:halt_on_error=1",
        }
    return subprocess.Popen(
        [sys.executable, "-X", "faulthandler", QUICK],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )


def runtimes(sanitizer):
    """Return what must be loaded before Python, which is not compiled for the sanitizer."""
    library = f"lib{sanitizer[0]}san.so"
    found = [
        subprocess.run(
            [emulator_build.compiler(), f"-print-file-name={name}"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for name in (library, "libstdc++.so")
    ]
    if not all(Path(path).is_absolute() for path in found):
        pytest.skip(f"the compiler comes without {library}")
    return " ".join(found)
