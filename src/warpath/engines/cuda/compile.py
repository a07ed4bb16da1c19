"""Compile kernels to cubins by NVRTC through cuda.core; needs neither a GPU nor a driver."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warpath.base.errors import (
    DeviceError,
    MissingDependencyError,
    NoDeviceError,
    install_line,
    require,
)
from warpath.base.log import logged
from warpath.engines.cuda import cache

if TYPE_CHECKING:
    from types import ModuleType

    from warpath.engines.cuda.entry import Kernel

HEADERS = Path(__file__).parent / "kernels"

# Rule 1 (same bits as the CPU) needs plain dist + weight: no fused multiply-add, no flushed
# denormals. Headers are searched for in our folder only: by default NVRTC prefers a header of the
# same name in the working directory, which the cache key does not cover. Line information is for
# compute-sanitizer.
OPTIONS: dict[str, Any] = {
    "std": "c++20",
    "fma": False,
    "ftz": False,
    "prec_div": True,
    "prec_sqrt": True,
    "no_source_include": True,
    "lineinfo": True,
}


def cubin(kernel: Kernel, arch: str, headers: Path = HEADERS) -> bytes:
    """Return a kernel's machine code, compiled or from the cache.

    Parameters
    ----------
    kernel : its name and source.
    arch : the architecture, for example ``"sm_90"``.
    headers : the folder of the headers that the source includes.

    Raises
    ------
    MissingDependencyError
        Without cuda.core or NVRTC.
    DeviceError
        If it does not compile. The message has the compiler's log.
    """
    options = repr(sorted(OPTIONS.items()))
    parts = [_of_headers(headers), kernel.source, kernel.name, options, arch, compiler()]
    digest = hashlib.sha256()
    for part in parts:  # with its length, so that different lists of parts give different bytes
        digest.update(b"%d:" % len(part))
        digest.update(part.encode())
    return cache.fetch(digest.hexdigest(), kernel.name, lambda: _compiled(kernel, arch, headers))


def _of_headers(folder: Path) -> str:
    """Return names and contents of all headers: an edit of one recompiles all kernels."""
    return "\0".join(
        f"{path.relative_to(folder).as_posix()}\0{path.read_text(encoding='utf-8')}"
        for path in sorted(folder.rglob("*.cuh"))
    )


def _compiled(kernel: Kernel, arch: str, headers: Path) -> bytes:
    core = cuda_core()
    options = core.ProgramOptions(
        name=f"{kernel.name}.cu", arch=arch, include_path=[str(headers)], **OPTIONS
    )
    try:
        with logged(f"compiled the kernel {kernel.name} for {arch}"):
            code = core.Program(kernel.source, "c++", options).compile("cubin").code
    except Exception as error:
        msg = (
            f"the kernel {kernel.name} does not compile for {arch} with {compiler()}. "
            "That is a fault of warpath: please report it with the compiler's log.\n"
            + str(error).rstrip("\0\n ")
        )
        raise DeviceError(msg) from error
    return bytes(code)


def cuda_core() -> ModuleType:
    """Import cuda.core; raise an error that says how to install it if it is missing."""
    return require("cuda.core", what="device='cuda'", extra="cuda13", package="cuda-core")


def cuda_driver() -> ModuleType:
    """Import the bindings of the driver, which are installed with cuda.core."""
    return require("cuda.bindings.driver", what="device='cuda'", extra="cuda13")


@functools.cache
def compiler() -> str:
    """Return the versions of NVRTC and cuda.core as text."""
    major, minor = nvrtc_version()
    return f"NVRTC {major}.{minor}, cuda.core {cuda_core().__version__}"


def nvrtc_version() -> tuple[int, int]:
    """Return the version of NVRTC."""
    _, major, minor = _nvrtc("nvrtcVersion")
    return major, minor


def architecture(capability: tuple[int, int]) -> str:
    """Return the architecture to compile for: the best one for a device's compute capability.

    A device runs the code of its own capability and of lower ones with the same first number.
    """
    major, minor = capability
    _, supported = _nvrtc("nvrtcGetSupportedArchs")
    able = [number for number in supported if number // 10 == major and number % 10 <= minor]
    if not able:
        lowest, highest = min(supported), max(supported)
        msg = (
            f"a GPU of compute capability {major}.{minor} is none that {compiler()} compiles for "
            f"({lowest // 10}.{lowest % 10} to {highest // 10}.{highest % 10}): "
            f"install another one, {install_line('NVRTC', 'cuda13')} --upgrade"
        )
        raise NoDeviceError(msg)
    return f"sm_{max(able)}"


def _nvrtc(function: str) -> Any:
    bindings = require("cuda.bindings.nvrtc", what="device='cuda'", extra="cuda13", package="NVRTC")
    try:
        return getattr(bindings, function)()
    except RuntimeError as error:  # NVRTC's shared library is in another package
        line = install_line("NVRTC", "cuda13")
        msg = f"device='cuda' needs NVRTC, which is not installed: {line} ({error})"
        raise MissingDependencyError(msg) from error


def allow_shared(handle: Any, size: int, device: int) -> None:
    """Allow the blocks of a loaded kernel `size` bytes of dynamic shared memory."""
    driver = cuda_driver()
    attribute = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    (error,) = driver.cuKernelSetAttribute(attribute, size, handle, driver.CUdevice(device))
    if error != driver.CUresult.CUDA_SUCCESS:
        msg = f"a block cannot take {size:,} bytes of shared memory: {error.name}."
        raise DeviceError(msg)
