"""Compile kernels for the CPU, many in one library, and cache the libraries by their contents."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import itertools
import re
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from warpath.base import settings, system
from warpath.base.errors import MissingDependencyError, NotSupportedError
from warpath.engines.cuda import sources, trust

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warpath.engines.emulator.device import Kernel

_TOGETHER = 64  # kernels in a library: large enough to share their headers, small enough to spread
_FLAGS = ["-std=c++20", "-g1", "-fPIC", "-shared", "-fvisibility=hidden", "-ffp-contract=off"]
_KERNEL_FLAGS = ["-O1", "-fno-exceptions", "-Wall", "-Wextra", "-Wno-unknown-pragmas"]
_SCHEDULER = "scheduler.cpp"
_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
_RUNTIMES = {"thread": "__tsan_create_fiber", "address": "__sanitizer_start_switch_fiber"}


@dataclass(frozen=True)
class Library:
    """A loaded library: the names of its kernels, and the compiler's messages."""

    handle: ctypes.CDLL
    names: tuple[str, ...]
    messages: str


@dataclass(frozen=True)
class Builder:
    """Builds kernels into a folder that several processes may use at the same time.

    Parameters
    ----------
    folder : the folder of the libraries; created if it does not exist.
    emulator : the folder of ``cuda_on_cpu.hpp`` and the scheduler.
    headers : the folder of the headers that the kernels include.
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
                "warpath's repository, not with its wheel: install a checkout with pip install "
                "-e ., or give its folder as emulator=..."
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
        if reason := trust.refusal(self.folder.absolute()):
            msg = f"cache={str(self.folder)!r}: its libraries would be loaded, but {reason}"
            raise NotSupportedError(msg)

    def build(self, kernels: Sequence[Kernel]) -> list[Library]:
        """Compile and load kernels, with a library for each set of macros and includes.

        A kernel that is in the cache, in any library, is not compiled again.
        """
        kernels_of: dict[Path, list[Kernel]] = {}
        groups: dict[str, list[Kernel]] = {}
        for kernel in kernels:
            library = self._known(kernel)
            if library is None:
                groups.setdefault(_head(kernel.source), []).append(kernel)
            else:
                kernels_of.setdefault(library, []).append(kernel)
        parts = [
            group[i : i + _TOGETHER]
            for group in groups.values()
            for i in range(0, len(group), _TOGETHER)
        ]
        if parts:
            scheduler = self._scheduler
            with ThreadPoolExecutor(settings.threads()) as pool:
                paths = pool.map(lambda part: self._library(part, scheduler), parts)
                kernels_of |= zip(paths, parts, strict=True)
        return [_loaded(path, group) for path, group in kernels_of.items()]

    def _known(self, kernel: Kernel) -> Path | None:
        """Return the library that has a kernel, if any."""
        entry = self._entry(kernel)
        return self.folder / entry.readlink() if entry.exists() else None

    def _entry(self, kernel: Kernel) -> Path:
        """Return the link to the library of a kernel."""
        key = _hash(_head(kernel.source), kernel.source, self._digest(kernel.source))
        return self.folder / f"{key}.kernel"

    def _library(self, kernels: list[Kernel], scheduler: Path) -> Path:
        source = _joined(kernels)
        named = kernels[0].name if len(kernels) == 1 else f"{len(kernels)} kernels"
        path = self._made(
            f"kernels-{_hash(source, self._digest(source))}",
            [
                *self._flags,
                "-include",
                str(self.emulator / "cuda_on_cpu.hpp"),
                f"-I{self.headers}",
                "-x",
                "c++",
                "-",
                "-x",
                "none",
                str(scheduler),
                "-Wl,-rpath,$ORIGIN",
            ],
            source,
            named,
        )
        for kernel in kernels:
            with suppress(FileExistsError):  # another process built it too: either will do
                self._entry(kernel).symlink_to(path.name)
        return path

    @functools.cached_property
    def _flags(self) -> list[str]:
        return [*_FLAGS, *_KERNEL_FLAGS, *self._sanitizer]

    def _digest(self, source: str) -> str:
        """Return a hash of all that a library depends on except its source and its path.

        These are the compiler, its flags, the emulator and all headers that the source includes.
        """
        head = "\n".join(_INCLUDE.findall(source))
        if head not in self._digests:
            headers = itertools.chain(*sources.included(source, self.headers).items())
            self._digests[head] = _hash(_version(), *self._flags, self._emulator_texts, *headers)
        return self._digests[head]

    @functools.cached_property
    def _digests(self) -> dict[str, str]:
        return {}

    @functools.cached_property
    def _emulator_texts(self) -> str:
        files = sorted(self.emulator.glob("*.?pp"))
        return "\0".join(f"{file.name}\0{file.read_text(encoding='utf-8')}" for file in files)

    @property
    def _sanitizer(self) -> list[str]:
        kind = self.sanitize
        if not kind:
            return []
        # With recovery, ASAN_OPTIONS decides whether the first report ends the process.
        recover = ["-fsanitize-recover=address"] if kind == "address" else []
        return [f"-fsanitize={kind}", *recover, "-fno-omit-frame-pointer"]

    @functools.cached_property
    def _scheduler(self) -> Path:
        watched = [f"-DWARPATH_SANITIZED_{self.sanitize.upper()}"] if self.sanitize else []
        flags = [*_FLAGS, "-O2", *watched]
        return self._made(
            f"scheduler-{_hash(_version(), *flags, self._emulator_texts)}",
            [*flags, str(self.emulator / _SCHEDULER)],
            "",
            _SCHEDULER,
        )

    def _made(self, stem: str, arguments: list[str], source: str, what: str) -> Path:
        """Return a library; build it if it does not exist."""
        path = self.folder / f"{stem}.so"
        if path.exists():
            return path
        with (self.folder / f"{stem}.lock").open("wb", 0) as file:
            system.lock(file, wait=True)  # a second process waits and then uses the library
            if not path.exists():
                self._compile(path, arguments, source, what)
        return path

    def _compile(self, path: Path, arguments: list[str], source: str, what: str) -> None:
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            library = Path(folder) / path.name
            # The loader finds a library by its soname, next to the one that needs it.
            command = [compiler(), *arguments, f"-Wl,-soname,{path.name}", "-o", str(library)]
            run = _run(command, source)
            if run.returncode:
                msg = f"{what}: {command[0]} cannot compile it for the emulator:\n{run.stderr}"
                raise NotSupportedError(msg)
            path.with_suffix(".txt").write_text(run.stderr, encoding="utf-8")
            library.replace(path)


def loaded_sanitizer() -> str:
    """Return the sanitizer whose runtime is loaded: "thread", "address" or ""."""
    program = ctypes.CDLL(None)
    kinds = (kind for kind, symbol in _RUNTIMES.items() if hasattr(program, symbol))
    return next(kinds, "")


def _loaded(path: Path, kernels: list[Kernel]) -> Library:
    messages = path.with_suffix(".txt").read_text(encoding="utf-8")
    return Library(ctypes.CDLL(str(path)), tuple(kernel.name for kernel in kernels), messages)


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


def _preamble(source: str) -> tuple[list[str], list[str]]:
    """Return the preprocessor lines at the beginning of a source, and the other lines."""
    lines = source.splitlines()
    count = 0
    while count < len(lines) and re.match(r"\s*(#|//|$)", lines[count]):
        count += 1
    return lines[:count], lines[count:]


def _head(source: str) -> str:
    """Return the macros and includes at the beginning of a source."""
    head, _ = _preamble(source)
    return "\n".join(line for line in head if not re.match(r"\s*(#\s*pragma|//|$)", line))


def _joined(kernels: list[Kernel]) -> str:
    """Return one translation unit of several: their includes, then each in its own namespace."""
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
    """Return the path of the C++ compiler, $CXX or g++."""
    command = settings.compiler()
    path = shutil.which(command)
    if path is None:
        msg = (
            f"running kernels on the CPU needs a C++ compiler, and {command!r} is not found: "
            "install g++ 12 or later, or set CXX to it"
        )
        raise MissingDependencyError(msg)
    return path


@functools.cache
def _version() -> str:
    return _run([compiler(), "--version"]).stdout


def _run(command: list[str], given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - the compiler of this machine
        command, input=given, capture_output=True, text=True, check=False
    )
