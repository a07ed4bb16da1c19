"""Compile kernels for the CPU: many in one library, kept by what they are made of."""

from __future__ import annotations

import ctypes
import fcntl
import functools
import hashlib
import re
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from warpath import settings
from warpath.errors import MissingDependencyError, NotSupportedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warpath.testing.emulated import Kernel

_TOGETHER = 64  # kernels in a library: large enough to share their headers, small enough to spread
_FLAGS = ["-std=c++20", "-g", "-fPIC", "-shared", "-fvisibility=hidden", "-ffp-contract=off"]
_KERNEL_FLAGS = ["-O1", "-fno-exceptions", "-Wall", "-Wextra", "-Wno-unknown-pragmas"]
_SCHEDULER = "scheduler.cpp"
_RUNTIMES = {"thread": "__tsan_create_fiber", "address": "__sanitizer_start_switch_fiber"}


@dataclass(frozen=True)
class Library:
    """A loaded library: the kernels in it, and what the compiler said about them."""

    handle: ctypes.CDLL
    names: tuple[str, ...]
    messages: str


@dataclass(frozen=True)
class Builder:
    """Builds kernels into a folder that other processes may use at the same time.

    Parameters
    ----------
    folder : where the libraries go; it is made if it is not there.
    emulator : where ``cuda_on_cpu.hpp`` and the scheduler are.
    headers : what the kernels include.
    sanitize : "thread", "address" or "".
    """

    folder: Path
    emulator: Path
    headers: Path
    sanitize: str

    def __post_init__(self) -> None:
        if not (self.emulator / "cuda_on_cpu.hpp").is_file():
            msg = (
                f"{self.emulator / 'cuda_on_cpu.hpp'} does not exist: the emulator comes with "
                "warpath's repository, not with its wheel; give its folder as emulator=..."
            )
            raise NotSupportedError(msg)
        if self.sanitize not in {"", *_RUNTIMES}:
            msg = f"sanitize={self.sanitize!r}: 'thread', 'address', 'loaded' or False"
            raise NotSupportedError(msg)
        if self.sanitize and self.sanitize != loaded_sanitizer():
            msg = (
                f"sanitize={self.sanitize!r} needs the sanitizer's runtime loaded before Python: "
                f"LD_PRELOAD=$(g++ -print-file-name=lib{self.sanitize[0]}san.so), see .ci/sanitize"
            )
            raise NotSupportedError(msg)
        self.folder.mkdir(parents=True, exist_ok=True)

    def build(self, kernels: Sequence[Kernel]) -> list[Library]:
        """Compile and load kernels; those whose sources define other macros go apart."""
        groups: dict[str, list[Kernel]] = {}
        for kernel in kernels:
            groups.setdefault(_macros(kernel.source), []).append(kernel)
        parts = [
            group[i : i + _TOGETHER]
            for group in groups.values()
            for i in range(0, len(group), _TOGETHER)
        ]
        if not parts:
            return []
        scheduler = self._scheduler
        with ThreadPoolExecutor(settings.threads()) as pool:
            return list(pool.map(lambda part: self._library(part, scheduler), parts))

    def _library(self, kernels: list[Kernel], scheduler: Path) -> Library:
        source = _joined(kernels)
        flags = [
            *_FLAGS, *_KERNEL_FLAGS, *self._sanitizer,
            "-include", str(self.emulator / "cuda_on_cpu.hpp"), f"-I{self.headers}",
        ]  # fmt: skip
        named = kernels[0].name if len(kernels) == 1 else f"{len(kernels)} kernels"
        path = self._made(
            "kernels",
            [source, self._texts],
            [*flags, "-x", "c++", "-", "-x", "none", str(scheduler), "-Wl,-rpath,$ORIGIN"],
            source,
            named,
        )
        messages = path.with_suffix(".txt").read_text(encoding="utf-8")
        return Library(ctypes.CDLL(str(path)), tuple(k.name for k in kernels), messages)

    @functools.cached_property
    def _emulator_texts(self) -> str:
        return _texts(self.emulator, "*.?pp")

    @functools.cached_property
    def _texts(self) -> str:
        """All headers: a change in any of them compiles anew."""
        return self._emulator_texts + _texts(self.headers, "*.cuh")

    @property
    def _sanitizer(self) -> list[str]:
        kind = self.sanitize
        if not kind:
            return []
        # With recovery ASAN_OPTIONS decides whether the first report ends the process, as it does.
        recover = ["-fsanitize-recover=address"] if kind == "address" else []
        return [f"-fsanitize={kind}", *recover, "-fno-omit-frame-pointer"]

    @functools.cached_property
    def _scheduler(self) -> Path:
        watched = [f"-DWARPATH_SANITIZED_{self.sanitize.upper()}"] if self.sanitize else []
        flags = [*_FLAGS, "-O2", *watched, str(self.emulator / _SCHEDULER)]
        return self._made("scheduler", [self._emulator_texts], flags, "", _SCHEDULER)

    def _made(
        self, stem: str, parts: list[str], arguments: list[str], source: str, what: str
    ) -> Path:
        """Return the library made of these parts, after making it if nobody has."""
        key = hashlib.sha256("\0".join([_version(), *parts, *arguments]).encode()).hexdigest()[:24]
        path = self.folder / f"{stem}-{key}.so"
        if path.exists():
            return path
        with (self.folder / f"{stem}-{key}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # whoever comes second waits and finds it made
            if not path.exists():
                self._compile(path, arguments, source, what)
        return path

    def _compile(self, path: Path, arguments: list[str], source: str, what: str) -> None:
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            made = Path(folder) / path.name
            # A library is found again by its soname, beside the one that needs it.
            command = [compiler(), *arguments, f"-Wl,-soname,{path.name}", "-o", str(made)]
            run = _run(command, source)
            if run.returncode:
                msg = f"{what}: {command[0]} cannot compile it for the emulator:\n{run.stderr}"
                raise NotSupportedError(msg)
            path.with_suffix(".txt").write_text(run.stderr, encoding="utf-8")
            made.replace(path)


def loaded_sanitizer() -> str:
    """Return the sanitizer whose runtime this process has: "thread", "address" or ""."""
    program = ctypes.CDLL(None)
    found = (kind for kind, symbol in _RUNTIMES.items() if hasattr(program, symbol))
    return next(found, "")


def _texts(folder: Path, pattern: str) -> str:
    files = sorted(folder.glob(pattern))
    return "\0".join(f"{file.name}\0{file.read_text(encoding='utf-8')}" for file in files)


def _preamble(source: str) -> tuple[list[str], list[str]]:
    """Return the lines of the preprocessor that a source begins with, and the rest."""
    lines = source.splitlines()
    count = 0
    while count < len(lines) and re.match(r"\s*(#|//|$)", lines[count]):
        count += 1
    return lines[:count], lines[count:]


def _macros(source: str) -> str:
    head, _ = _preamble(source)
    return "\n".join(line for line in head if not re.match(r"\s*(#\s*(include|pragma)|//|$)", line))


def _joined(kernels: list[Kernel]) -> str:
    """Return one translation unit of several: what they include, then each in a namespace."""
    parts, _ = _preamble(kernels[0].source)
    for kernel in kernels[1:]:
        head, _ = _preamble(kernel.source)
        parts += [line for line in head if line not in parts]
    for i, kernel in enumerate(kernels):
        head, body = _preamble(kernel.source)
        parts += [f"namespace unit_{i} {{", f'#line {len(head) + 1} "{kernel.name}"', *body]
        parts += ["}", f'#line 1 "entry of {kernel.name}"', f"using unit_{i}::{kernel.name};"]
        parts += [f"WARPATH_ENTRY({kernel.name})"]
    return "\n".join(parts) + "\n"


@functools.cache
def compiler() -> str:
    """Return the C++ compiler: $CXX, or g++."""
    wanted = settings.compiler()
    found = shutil.which(wanted)
    if found is None:
        msg = (
            f"running kernels on the CPU needs a C++ compiler, and {wanted!r} is not found: "
            "install g++ 12 or later, or set CXX to it"
        )
        raise MissingDependencyError(msg)
    return found


@functools.cache
def _version() -> str:
    return _run([compiler(), "--version"]).stdout


def _run(command: list[str], given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - the compiler is the user's
        command, input=given, capture_output=True, text=True, check=False
    )
