"""CuPy, the driver and its GPUs: their versions, and the errors if one is missing or too old."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warpath.base.errors import MissingDependencyError, NoDeviceError, install_line, require
from warpath.engines.cuda import compile as compiling

if TYPE_CHECKING:
    from types import ModuleType


def device_count() -> int:
    """Return how many GPUs this process sees; raise like `open_device` if it can use none."""
    cupy = import_cupy()
    compiling.cuda_core()
    runtime = cupy.cuda.runtime
    driver = runtime.driverGetVersion()
    if driver == 0:
        msg = "no NVIDIA driver is installed here. Use device='cpu'."
        raise NoDeviceError(msg)
    compiled_for = compiling.nvrtc_version()
    if driver // 1000 < compiled_for[0]:
        msg = (
            f"the NVIDIA driver is for CUDA {dotted(as_version(driver))}, too old for NVRTC "
            f"{dotted(compiled_for)}: update the driver"
        )
        if driver // 1000 == 12:
            msg += f", or install what it can run with {install_line('cupy', 'cuda12')}"
        raise NoDeviceError(msg)
    try:
        return int(runtime.getDeviceCount())
    except Exception as error:
        if not of_cuda(error):
            raise
        msg = f"CUDA finds no GPU here ({error}). Use device='cpu'."
        raise NoDeviceError(msg) from error


def versions() -> dict[str, str]:
    """Return the versions of the driver, the CUDA runtime, the compiler and CuPy."""
    cupy = import_cupy()
    runtime = cupy.cuda.runtime
    driver = runtime.driverGetVersion()
    return {
        "driver": f"for CUDA {dotted(as_version(driver))}" if driver else "none",
        "CUDA runtime": dotted(as_version(runtime.runtimeGetVersion())),
        "compiler": compiling.compiler(),
        "cupy": cupy.__version__,
    }


def import_cupy() -> ModuleType:
    """Import CuPy; raise an error that says how to install it or why it does not start."""
    try:
        return require("cupy", what="device='cuda'", extra="cuda13")
    except MissingDependencyError as error:
        cause = error.__cause__
        if isinstance(cause, ModuleNotFoundError) and cause.name == "cupy":
            raise
        last = str(cause).strip("=\n ").splitlines()[-1].strip()
        msg = f"CuPy is installed but does not start here: {last}. Use device='cpu'."
        raise NoDeviceError(msg) from cause


def of_cuda(error: Exception) -> bool:
    """Return whether an error is CUDA's, by its class's name, because some classes are private."""
    names = {"CUDARuntimeError", "CUDADriverError", "CUDAError"}
    return any(ancestor.__name__ in names for ancestor in type(error).__mro__)


def forked(name: str) -> str:
    """Return the error message for a forked child whose parent has used the GPU."""
    return (
        f"device={name!r}: CUDA was used before this process was forked, and does not "
        "survive that. Start processes by multiprocessing.set_start_method('spawn')."
    )


def as_version(number: int) -> tuple[int, int]:
    """Convert CUDA's notation of a version, 12040, to (12, 4)."""
    return number // 1000, number % 1000 // 10


def dotted(version: tuple[int, int]) -> str:
    """Return a version as text: 12.4."""
    return f"{version[0]}.{version[1]}"


def failed_in(kernels: list[str]) -> str:
    """Return in words where a device failed, given the launched kernels in order."""
    if not kernels:
        return "before a kernel was launched"
    if len(kernels) == 1:
        return f"in the kernel {kernels[0]}"
    before = ", ".join(kernels[-2::-1])
    return f"in the kernel {kernels[-1]} or one launched shortly before it: {before}"
