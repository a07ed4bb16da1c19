"""The environment's variables."""

from __future__ import annotations

import itertools
import time
from pathlib import Path

import pytest

from warpath import InputError
from warpath.base import settings, system


def test_threads_are_those_of_the_process_or_of_the_variable(monkeypatch):
    monkeypatch.delenv("WARPATH_THREADS", raising=False)
    assert settings.threads() >= 1
    monkeypatch.setenv("WARPATH_THREADS", "7")
    assert settings.threads() == 7


@pytest.mark.parametrize("value", ["0", "two", "-1", "1.5", "5000"])
def test_threads_that_are_none_are_refused(monkeypatch, value):
    monkeypatch.setenv("WARPATH_THREADS", value)
    with pytest.raises(InputError, match="integer, 1 to 1024"):
        settings.threads()


def test_threads_where_the_system_has_no_affinity(monkeypatch):
    monkeypatch.delenv("WARPATH_THREADS", raising=False)
    monkeypatch.delattr("os.sched_getaffinity")
    assert settings.threads() >= 1


@pytest.mark.parametrize(
    ("value", "count"),
    [("1000", 1000), ("8G", 8 * 2**30), ("1.5k", 1536), ("2 MiB", 2**21), ("1TB", 2**40)],
)
def test_memory_is_read_with_units(monkeypatch, value, count):
    monkeypatch.setenv("WARPATH_MEMORY", value)
    assert settings.memory() == count


def test_a_gpus_memory_is_all_that_is_free_or_what_the_variable_says(monkeypatch):
    monkeypatch.delenv("WARPATH_GPU_MEMORY", raising=False)
    assert settings.gpu_memory() is None
    monkeypatch.setenv("WARPATH_GPU_MEMORY", "8G")
    assert settings.gpu_memory() == 2**33
    monkeypatch.setenv("WARPATH_GPU_MEMORY", "lots")
    with pytest.raises(InputError, match="WARPATH_GPU_MEMORY='lots' must be a number of bytes"):
        settings.gpu_memory()


@pytest.mark.parametrize("value", ["much", "-1", "8X", "G"])
def test_memory_that_is_none_is_refused(monkeypatch, value):
    monkeypatch.setenv("WARPATH_MEMORY", value)
    with pytest.raises(InputError, match="WARPATH_MEMORY"):
        settings.memory()


def test_memory_is_the_least_of_machine_and_container(monkeypatch):
    monkeypatch.delenv("WARPATH_MEMORY", raising=False)
    monkeypatch.setattr(time, "monotonic", itertools.count(1).__next__)  # a second between looks
    assert 2**20 < settings.memory() < 2**63
    files = {
        "/proc/meminfo": "MemTotal: 9 kB\nMemAvailable:   4000 kB\n",
        "/sys/fs/cgroup/memory.max": "3000000\n",
        "/sys/fs/cgroup/memory.current": "1000000\n",
    }

    def read(path: Path, **_: str) -> str:
        if str(path) not in files:
            raise FileNotFoundError(path)
        return files[str(path)]

    monkeypatch.setattr(Path, "read_text", read)
    assert settings.memory() == 2_000_000
    # Pages of files that were read count as used, and are freed when memory is short.
    files["/sys/fs/cgroup/memory.stat"] = "anon 7\ninactive_file 500000\nactive_file 3\n"
    assert settings.memory() == 2_500_000
    files["/sys/fs/cgroup/memory.max"] = "max\n"
    assert settings.memory() == 4_096_000
    version_1 = "/sys/fs/cgroup/memory/memory."
    files |= {f"{version_1}limit_in_bytes": "2000000\n", f"{version_1}usage_in_bytes": "1500000\n"}
    assert settings.memory() == 500_000
    files[f"{version_1}stat"] = "inactive_file 1\ntotal_inactive_file 100000\n"
    assert settings.memory() == 600_000
    files[f"{version_1}limit_in_bytes"] = "9223372036854771712\n"  # no limit
    assert settings.memory() == 4_096_000
    files.clear()
    assert settings.memory() == 2**63 - 1
    files["/proc/meminfo"] = "MemTotal: 9 kB\n"
    assert settings.memory() == 2**63 - 1


@pytest.mark.parametrize(
    ("files", "cores"),
    [
        ({"cpu.max": "150000 100000\n"}, 2),
        ({"cpu.max": "50000 100000\n"}, 1),
        ({"cpu.max": "max 100000\n"}, 8),
        ({"cpu.max": "6400000 100000\n"}, 8),
        ({"cpu/cpu.cfs_quota_us": "300000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 3),
        ({"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, 8),
        ({}, 8),
    ],
)
def test_the_quota_of_a_container_counts_as_cores(monkeypatch, files, cores):
    monkeypatch.delenv("WARPATH_THREADS", raising=False)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(8)))
    monkeypatch.setattr(
        system, "text_of", lambda path: files.get(path.removeprefix("/sys/fs/cgroup/"))
    )
    system._quota_of_cgroup.cache_clear()
    assert settings.threads() == cores
    system._quota_of_cgroup.cache_clear()


def test_free_memory_is_not_looked_at_again_within_the_same_moment(monkeypatch):
    monkeypatch.delenv("WARPATH_MEMORY", raising=False)
    moments = iter([1000.0, 1000.001, 1001.0])
    monkeypatch.setattr(time, "monotonic", moments.__next__)
    free = iter([100, 200])
    monkeypatch.setattr(system, "_available_of_machine", lambda: next(free))
    monkeypatch.setattr(system, "_available_of_cgroup", lambda: None)
    assert [settings.memory() for _ in range(3)] == [100, 100, 200]


def test_the_device_is_auto_unless_the_variable_names_one(monkeypatch):
    monkeypatch.delenv("WARPATH_DEVICE", raising=False)
    assert settings.device() == "auto"
    for value, device in (("", "auto"), ("  ", "auto"), (" cuda:1 ", "cuda:1"), ("auto", "auto")):
        monkeypatch.setenv("WARPATH_DEVICE", value)
        assert settings.device() == device


def test_kernels_are_kept_in_the_users_cache_or_where_the_variable_says(monkeypatch, tmp_path):
    monkeypatch.delenv("WARPATH_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert settings.kernel_cache() == tmp_path / ".cache" / "warpath" / "kernels"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert settings.kernel_cache() == tmp_path / ".cache" / "warpath" / "kernels"
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/cache")
    assert settings.kernel_cache() == Path("/var/cache/warpath/kernels")
    monkeypatch.setenv("WARPATH_CACHE_DIR", "~/kernels")
    assert settings.kernel_cache() == tmp_path / "kernels"
    monkeypatch.setenv("WARPATH_CACHE_DIR", "here")
    assert settings.kernel_cache() == Path.cwd() / "here"
    for off in ("", " ", "off"):
        monkeypatch.setenv("WARPATH_CACHE_DIR", off)
        assert settings.kernel_cache() is None


def test_a_process_without_a_home_keeps_no_kernels(monkeypatch):
    def homeless(_):
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("WARPATH_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "expanduser", homeless)
    assert settings.kernel_cache() is None


def test_numbers_of_very_many_digits_are_no_number_of_threads_and_all_the_memory(monkeypatch):
    monkeypatch.setenv("WARPATH_THREADS", "9" * 5000)
    with pytest.raises(InputError, match="WARPATH_THREADS"):
        settings.threads()
    monkeypatch.setenv("WARPATH_MEMORY", "9" * 400)
    assert settings.memory() == 2**63
