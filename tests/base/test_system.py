"""Operating systems: what Windows and macOS lack is missing here, and answers come all the same."""

from __future__ import annotations

import ctypes
import io
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from warpath.base import system

#: Started without the modules and functions that a system lacks, as on that system.
PROGRAM = """
import os, pathlib, platform, sys
platform.processor()  # it asks the real system
name, *missing = sys.argv[1:]
sys.platform = name
for one in missing:
    module, _, function = one.rpartition(".")
    if module:
        delattr(sys.modules[module], function)
    else:
        sys.modules[one] = None
import warpath as wp
from warpath.base import settings, system
from warpath.engines.cuda import trust
import warpath.engines.emulator.build
graph = wp.generate.road(50, seed=1)
wp.write(graph, "a.gr")
table = wp.apsp(graph, out="full.npy")
assert wp.read("a.gr").m == graph.m and table.dist.shape == (graph.n, graph.n)
assert sorted(os.listdir()) == ["a.gr", "full.npy"]
assert settings.threads() >= 1 and settings.memory() > 0 and system.processor()
print(system.user(), trust.refusal(pathlib.Path.cwd()))
"""


@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("darwin", ["os.sched_getaffinity"]),
        ("freebsd14", ["os.sched_getaffinity", "fcntl", "resource", "os.geteuid", "os.fchmod"]),
    ],
)
def test_files_cores_and_memory_where_the_system_lacks_parts_of_linux(tmp_path, name, missing):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("WARPATH_")}
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, name, *missing],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("None" if "os.geteuid" in missing else str(os.geteuid()))


def test_free_memory_of_windows_is_its_available_physical_memory(monkeypatch):
    def answer(reference):
        status = reference._obj
        assert status.length == ctypes.sizeof(status) == 64
        status.numbers[0], status.numbers[1] = 2**35, 2**34
        return 1

    kernel = SimpleNamespace(GlobalMemoryStatusEx=answer)
    monkeypatch.setattr(ctypes, "WinDLL", lambda _: kernel, raising=False)
    assert system._available_of_windows() == 2**34
    monkeypatch.delattr(ctypes, "WinDLL")
    assert system._available_of_windows() is None


def test_free_memory_of_macos_is_that_of_free_and_inactive_pages(monkeypatch):
    def answer(host, kind, words, count):
        assert (host, kind, count._obj.value) == (7, 4, 38)
        words._obj[0], words._obj[1], words._obj[2] = 1000, 5, 500
        return 0

    library = SimpleNamespace(mach_host_self=lambda: 7, host_statistics64=answer)
    monkeypatch.setattr(ctypes, "CDLL", lambda _: library)
    assert system._available_of_macos() == 1500 * os.sysconf("SC_PAGESIZE")
    monkeypatch.setattr(ctypes, "CDLL", lambda _: SimpleNamespace())
    assert system._available_of_macos() is None
    assert not system._sysctl("machdep.cpu.brand_string")


def test_a_locked_file_is_not_locked_twice(tmp_path):
    path = tmp_path / "lock"
    first = io.FileIO(path, "xb", opener=system.open_replaceable)
    second = io.FileIO(path, "rb+", opener=system.open_replaceable)
    assert system.lock(first) is True
    assert system.lock(second) is False
    first.close()
    assert system.lock(second, wait=True) is True
    second.close()
