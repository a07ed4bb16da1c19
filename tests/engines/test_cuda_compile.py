"""Kernels to cubins by the real NVRTC, which needs no GPU."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import warpath as wp
from warpath.engines.cuda import cache
from warpath.engines.cuda import compile as compiling
from warpath.engines.cuda.entry import Kernel

pytest.importorskip("cuda.core", reason="compiling kernels needs cuda-core and NVRTC")

SOURCE = """#include "step.cuh"
extern "C" __global__ void step_f32(float* x, float y, long long n) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * y + STEP;
}
"""
STEP = Kernel("step_f32", SOURCE)


@pytest.fixture
def headers(tmp_path):
    folder = tmp_path / "headers"
    folder.mkdir()
    (folder / "step.cuh").write_text("#define STEP 1.0f\n")
    (folder / "other.cuh").write_text("// nothing\n")
    return folder


@pytest.fixture
def kept(tmp_path, monkeypatch):
    monkeypatch.setenv("WARPATH_CACHE_DIR", str(tmp_path / "kernels"))
    cache.forget()
    yield tmp_path / "kernels"
    cache.forget()


@pytest.fixture
def key(monkeypatch):
    """The key under which a kernel is looked up; nothing is compiled."""

    def of(kernel, arch, headers):
        keys = []
        monkeypatch.setattr(cache, "fetch", lambda key, *_: keys.append(key))
        compiling.cubin(kernel, arch, headers)
        return keys[0]

    return of


def dumped(path: Path, *options: str) -> str:
    """What cuobjdump says of a cubin."""
    tool = shutil.which("cuobjdump") or next(
        iter(Path(sysconfig.get_path("purelib")).glob("nvidia/*/bin/cuobjdump")), None
    )
    if tool is None:
        pytest.skip("cuobjdump is not installed: pip install nvidia-cuda-cuobjdump")
    return subprocess.run([tool, *options, path], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("arch", ["sm_80", "sm_90", "sm_100"])
@pytest.mark.usefixtures("kept")
def test_a_kernel_compiles_without_a_gpu(headers, arch):
    code = compiling.cubin(STEP, arch, headers)
    assert code.startswith(b"\x7fELF")
    assert b"step_f32" in code
    assert cache.kept().entries == 1
    cache.forget()
    assert compiling.cubin(STEP, arch, headers) == code


def test_an_entry_of_the_cache_can_be_looked_into(headers, kept):
    compiling.cubin(STEP, "sm_90", headers)
    (path,) = kept.iterdir()
    usage = dumped(path, "--dump-resource-usage")
    assert re.search(r"Function step_f32:\s+REG:\d+ STACK:0 SHARED:0", usage)


def instructions(cubin: bytes, name: str) -> bytes:
    """Return the section of an ELF file that holds a kernel's instructions."""
    table, size, count, names = struct.unpack_from("<Q", cubin, 40) + struct.unpack_from(
        "<3H", cubin, 58
    )
    headers = [struct.unpack_from("<IIQQQQ", cubin, table + size * at) for at in range(count)]
    strings = cubin[headers[names][4] :]
    (where,) = [
        slice(begin, begin + length)
        for at, _, _, _, begin, length in headers
        if strings[at:].partition(b"\0")[0].decode() == f".text.{name}"
    ]
    return cubin[where]


@pytest.mark.parametrize(("option", "expression"), [("fma", "x * y + x"), ("ftz", "x + y")])
def test_products_are_not_fused_and_denormals_not_flushed(
    monkeypatch, tmp_path, option, expression
):
    """The option is off, and where it is on the instructions are others."""
    monkeypatch.setenv("WARPATH_CACHE_DIR", "off")
    assert compiling.OPTIONS[option] is False

    def both(text):
        source = f'extern "C" __global__ void k(float* p, float x, float y) {{ *p = {text}; }}'
        for value in (False, True):
            monkeypatch.setitem(compiling.OPTIONS, option, value)
            yield instructions(compiling.cubin(Kernel("k", source), "sm_90", tmp_path), "k")

    assert len(set(both(expression))) == 2
    assert len(set(both("x"))) == 1


def test_what_does_not_compile_comes_with_the_compilers_log(headers, kept):
    broken = Kernel("push", 'extern "C" __global__ void push() { int x = ; }')
    with pytest.raises(wp.DeviceError) as caught:
        compiling.cubin(broken, "sm_90", headers)
    message = str(caught.value)
    assert message.startswith("the kernel push does not compile for sm_90 with NVRTC ")
    assert "push.cu(1): error: expected an expression" in message
    assert not message.endswith("\0")
    assert not kept.exists()


@pytest.mark.usefixtures("kept")
def test_a_header_of_the_working_directory_is_not_taken(headers, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("step.cuh").write_text("#error the wrong one\n")
    assert compiling.cubin(STEP, "sm_90", headers)


@pytest.mark.usefixtures("kept")
def test_a_missing_header_is_an_error(headers):
    (headers / "step.cuh").unlink()
    with pytest.raises(wp.DeviceError, match=r'cannot open source file "step\.cuh"'):
        compiling.cubin(STEP, "sm_90", headers)


@pytest.mark.usefixtures("kept")
def test_editing_one_line_of_a_header_compiles_anew(headers):
    before = compiling.cubin(STEP, "sm_90", headers)
    (headers / "step.cuh").write_text("#define STEP 2.0f\n")
    after = compiling.cubin(STEP, "sm_90", headers)
    assert after != before
    assert cache.kept().entries == 2


def test_the_key_covers_all_that_shapes_a_cubin(headers, key, monkeypatch):
    def now(kernel=STEP, arch="sm_90"):
        return key(kernel, arch, headers)

    keys = [now(), now(arch="sm_80"), now(Kernel("other", SOURCE)), now(Kernel("step_f32", ""))]
    for edit in (
        lambda: (headers / "other.cuh").write_text("// something\n"),  # included or not
        lambda: (headers / "other.cuh").rename(headers / "renamed.cuh"),
        (headers / "new.cuh").touch,
        lambda: (headers / "sub").mkdir() or (headers / "sub" / "deep.cuh").touch(),
        lambda: monkeypatch.setitem(compiling.OPTIONS, "fma", not compiling.OPTIONS["fma"]),
        lambda: monkeypatch.setattr(compiling, "compiler", lambda: "NVRTC 99.0"),
    ):
        edit()
        keys.append(now())
    assert len(set(keys)) == len(keys)
    (headers / "notes.txt").write_text("no header")
    assert now() == keys[-1]


def test_the_key_is_the_same_in_every_process(headers, key):
    code = (
        "import sys; from pathlib import Path\n"
        "from warpath.engines.cuda import cache, compile\n"
        "from warpath.engines.cuda.entry import Kernel\n"
        "cache.fetch = lambda key, *_: print(key)\n"
        "compile.cubin(Kernel('step_f32', sys.argv[1]), 'sm_90', Path(sys.argv[2]))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, SOURCE, headers], capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == key(STEP, "sm_90", headers)


def test_two_processes_compile_at_once(headers, kept):
    code = (
        "import sys; from pathlib import Path\n"
        "from warpath.engines.cuda import compile\n"
        "from warpath.engines.cuda.entry import Kernel\n"
        "compile.compiler()\n"
        "print(flush=True); sys.stdin.readline()\n"
        "code = compile.cubin(Kernel('step_f32', sys.argv[1]), 'sm_90', Path(sys.argv[2]))\n"
        "import hashlib; print(hashlib.sha256(code).hexdigest())\n"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code, SOURCE, headers],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in running:  # both are ready
        process.stdout.readline()
    for process in running:
        process.stdin.write("\n")
        process.stdin.flush()
    found = [process.communicate(timeout=60)[0].strip() for process in running]
    assert [process.returncode for process in running] == [0, 0]
    assert len(set(found)) == 1
    assert re.fullmatch("[0-9a-f]{64}", found[0])
    assert len(list(kept.iterdir())) == 1


def test_a_gpu_gets_the_newest_code_that_it_runs():
    assert [compiling.architecture(one) for one in [(8, 0), (9, 0), (10, 0)]] == [
        "sm_80",
        "sm_90",
        "sm_100",
    ]
    assert compiling.architecture((8, 9)) in {"sm_80", "sm_86", "sm_89"}
    assert re.fullmatch(r"NVRTC 1\d\.\d+, cuda\.core \d+\.\d+\.\d+", compiling.compiler())


@pytest.mark.usefixtures("kept")
def test_without_the_compiler_it_says_what_to_install(headers, monkeypatch):
    from cuda.bindings import nvrtc

    def missing():
        raise RuntimeError('Failure finding "libnvrtc.so"')

    monkeypatch.setattr(nvrtc, "nvrtcVersion", missing)
    compiling.compiler.cache_clear()
    with pytest.raises(wp.MissingDependencyError, match=r"needs NVRTC, .*cupy-cuda13x "):
        compiling.cubin(STEP, "sm_90", headers)
