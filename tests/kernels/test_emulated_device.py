"""The emulated device: what it takes, what it compiles and keeps, what it says."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from warpath.base.errors import InputError, MissingDependencyError, NotSupportedError
from warpath.engines.emulator import build as emulator_build
from warpath.engines.emulator.device import EmulatedDevice, Unit


def kernel(name: str, arguments: str, body: str) -> Unit:
    return Unit(name, f'extern "C" __global__ void {name}({arguments}) {{\n{body}\n}}\n')


def value_of(device, unit):
    out = np.zeros(1, np.int32)
    device.launch(unit, 1, out)
    return out[0]


def test_arguments_of_every_width_arrive(device):
    arguments = (
        "double* out, const int* none, int a, long long b, float c, double d, unsigned char e, "
        "bool f, unsigned g, unsigned long long h, short i, const unsigned char* j, const void* k"
    )
    body = """
    const double all[] = {none ? 1.0 : 0.0, (double)a, (double)b, c, d, (double)e, (double)f,
                          (double)g, (double)h, (double)i, (double)j[1], k ? 1.0 : 0.0};
    for (int x = 0; x < 12; ++x) out[x] = all[x];
    """
    unit = kernel("everything", arguments, body)
    values = [
        None,
        np.int32(-7),
        np.int64(-(2**40)),
        np.float32(0.1),
        np.float64(0.1),
        np.uint8(200),
        np.bool_(True),  # noqa: FBT003
        np.uint32(2**32 - 1),
        np.uint64(2**63),
        np.int16(-300),
        np.array([1, 250], np.uint8),
        np.zeros(1, np.float16),
    ]
    out = np.zeros(12)
    device.block = 1
    device.launch(unit, 1, out, *values)
    assert out.tolist() == [
        0, -7, -(2**40), float(np.float32(0.1)), 0.1, 200, 1, 2**32 - 1, 2**63, -300, 250, 1,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), "takes 2 arguments, not 0"),
        (
            (np.zeros(4, np.int64), np.int32(1)),
            "argument 0: found ndarray of int64, expected an array",
        ),
        ((np.zeros(4, np.float32), np.int32(1)), "argument 0: found ndarray of float32"),
        ((np.zeros((4, 4), np.int32).T, np.int32(1)), "argument 0: the array is not contiguous"),
        ((None, np.int64(1)), "argument 1: found int64 of int64, expected an integer of 32 bits"),
        ((None, 1), "argument 1: found 1, expected an integer of 32 bits"),
        ((None, None), "argument 1: found None"),
        ((None, np.zeros(1, np.int32)), "argument 1: found ndarray of int32"),
    ],
)
def test_arguments_of_other_types_are_refused(device, args, message):
    with pytest.raises(InputError, match=message):
        device.launch(kernel("typed", "const int* x, int y", "(void)x, (void)y;"), 1, *args)


def test_kernels_built_together_keep_their_macros_names_and_headers_apart(tmp_path):
    headers = tmp_path / "headers"
    headers.mkdir()
    (headers / "width.cuh").write_text(
        "#pragma once\nconstexpr int kWidth = WIDTH;\ninline int width() { return WIDTH; }\n"
    )
    units = [
        Unit(
            f"wide_{width}_{i}",
            f'#define WIDTH {width}\n#include "width.cuh"\nusing V = {type_};\n'
            f'extern "C" __global__ void wide_{width}_{i}(int* out) '
            "{ out[0] = kWidth + width() + sizeof(V); }\n",
        )
        for width in (10, 20)
        for i, type_ in enumerate(["int", "long long"])
    ]
    device = EmulatedDevice(headers=headers, cache=tmp_path / "cache")
    device.prepare(units)
    built = len(list((tmp_path / "cache").glob("kernels-*.so")))
    found = [value_of(device, unit) for unit in units]
    assert found == [24, 28, 44, 48]
    assert built == len(list((tmp_path / "cache").glob("kernels-*.so"))) == 2


def test_a_changed_header_or_source_is_compiled_anew(tmp_path):
    headers = tmp_path / "headers"
    headers.mkdir()
    source = '#include "value.cuh"\nextern "C" __global__ void value(int* out) { out[0] = VALUE; }'
    for value in (1, 2):
        (headers / "value.cuh").write_text(f"#define VALUE {value}\n")
        device = EmulatedDevice(headers=headers, cache=tmp_path / "cache")
        assert value_of(device, Unit("value", source)) == value
    changed = Unit("value", source.replace("VALUE;", "VALUE + 5;"))
    assert value_of(device, changed) == 7


def test_libraries_are_not_loaded_from_a_folder_that_others_can_write_to(tmp_path):
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o777)
    with pytest.raises(NotSupportedError, match="would be loaded, but other users can write to"):
        EmulatedDevice(cache=tmp_path / "cache")


def test_processes_that_build_the_same_kernels_at_once_build_them_once(tmp_path, monkeypatch):
    code = """
import sys, numpy as np
from pathlib import Path
from warpath.engines.emulator.device import EmulatedDevice, Unit
put = 'extern "C" __global__ void put{0}(int* x) {{ *x = {0}; }}'
units = [Unit(f"put{i}", put.format(i)) for i in range(9)]
device = EmulatedDevice(block=1, cache=Path(sys.argv[1]))
device.prepare(units)
x = np.zeros(1, np.int32)
for i, unit in enumerate(units):
    device.launch(unit, 1, x)
    assert x[0] == i
"""
    cache, calls = tmp_path / "cache", tmp_path / "calls"
    compiler = tmp_path / "compiler"
    compiler.write_text(f'#!/bin/sh\necho "$*" >> {calls}\nexec g++ "$@"\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    command = [sys.executable, "-c", code, str(cache)]
    running = [subprocess.Popen(command) for _ in range(4)]
    assert [process.wait() for process in running] == [0] * 4
    outputs = [call for call in calls.read_text().splitlines() if " -o " in call]
    assert len(outputs) == len(list(cache.glob("*.so"))) == 2  # the scheduler and the kernels
    assert not [path for path in cache.iterdir() if path.is_dir()]


def test_what_the_compiler_says_is_kept_and_an_error_names_the_kernel_and_its_line(tmp_path):
    unused = kernel("unused", "int* out", "int x = 5;\nout[0] = 1;")
    for _ in range(2):  # compiled, then found
        device = EmulatedDevice(cache=tmp_path)
        device.prepare([unused])
        (message,) = device.messages
        assert "unused:2" in message
        assert "unused variable" in message
    with pytest.raises(
        NotSupportedError, match=r"(?s)wrong: .*g\+\+.* cannot compile.*wrong:3:\d+: e"
    ):
        device.launch(kernel("wrong", "", "int x = 5;\nx = y;"), 1)


def test_cuda_has_no_atomic_of_this_type(device):
    with pytest.raises(NotSupportedError, match=r"no matching function for call to .atomicAdd"):
        device.prepare([kernel("signed_add", "long long* x", "atomicAdd(x, 1);")])


def test_without_a_compiler_the_way_out_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("CXX", "no-such-compiler")
    emulator_build.compiler.cache_clear()
    try:
        with pytest.raises(
            MissingDependencyError, match=r"'no-such-compiler' is not found: install g"
        ):
            EmulatedDevice(cache=tmp_path).launch(kernel("nothing", "", ""), 1)
    finally:
        monkeypatch.undo()
        emulator_build.compiler.cache_clear()


def test_without_a_checkout_the_way_out_is_named(tmp_path):
    with pytest.raises(NotSupportedError, match=r"comes with warpath's repository.*emulator="):
        EmulatedDevice(emulator=tmp_path)
    with pytest.raises(NotSupportedError, match="sanitize='memory'"):
        EmulatedDevice(sanitize="memory")


@pytest.mark.skipif(bool(emulator_build.loaded_sanitizer()), reason="one is loaded")
def test_a_sanitizer_must_be_loaded_before():
    with pytest.raises(NotSupportedError, match=r"LD_PRELOAD=.*libtsan\.so"):
        EmulatedDevice(sanitize=True)
    EmulatedDevice(sanitize="loaded")


EMULATOR = Path(__file__).resolve().parents[2] / "cpp" / "emulator"


def test_the_emulator_may_lie_elsewhere(tmp_path):
    shutil.copytree(EMULATOR, tmp_path / "copy")
    device = EmulatedDevice(emulator=tmp_path / "copy")
    assert value_of(device, kernel("one", "int* out", "out[0] = 1;")) == 1


def test_the_device_keeps_its_arrays_apart(device):
    ours = np.arange(3)
    theirs = device.put(ours)
    theirs[0] = 9
    back = device.get(theirs)
    theirs[1] = 9
    device.synchronize()
    assert (ours[0], back.tolist()) == (0, [9, 1, 2])
    assert device.free_memory() > 0
