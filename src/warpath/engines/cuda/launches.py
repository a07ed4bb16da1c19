"""Launches on a GPU, the work of each thread, and waits for it that Ctrl-C can interrupt."""

from __future__ import annotations

import ctypes
import math
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from warpath._core import CompletionFlag
    from warpath.engines.cuda.device import CudaDevice
    from warpath.engines.cuda.entry import Kernel

_SPIN, _NAP = 0.02, 1e-4  # seconds of busy waiting; then seconds of each sleep
_TURN = 1e-3  # seconds between two checks for signals
_NAMED_KERNELS = 3  # named in the message about a failure that is detected while waiting


class CUDADriverError(RuntimeError):
    """The driver reported an error of a launch."""


class Launch:
    """A launch of a kernel, with its arguments laid out for the driver.

    The driver takes the addresses of the arguments. cuda.core would inspect the type of each
    argument at each launch.

    Parameters
    ----------
    kernel : the kernel.
    function : its function in the driver.
    blocks, threads : number of blocks, and of threads per block.
    args : as in `CudaDevice.launch`.

    Attributes
    ----------
    name : name of the kernel.
    at_once : whether blocks of the kernel wait for each other.
    shape : the arguments of the driver's launch function up to the stream.
    parameters : address of the array of the arguments' addresses.
    """

    __slots__ = ("_args", "_pointers", "_words", "at_once", "name", "parameters", "shape")

    def __init__(
        self, kernel: Kernel, function: Any, blocks: int, threads: int, args: Sequence[Any]
    ) -> None:
        self.name = kernel.name
        self.at_once = kernel.at_once
        self.shape = (function, blocks, 1, 1, threads, 1, 1, kernel.shared)
        self._args = list(args)  # keeps arrays alive as long as the launch
        try:
            self._words = (ctypes.c_uint64 * max(len(args), 1))(*map(_word, args))
        except AttributeError:
            raise TypeError(no_argument(kernel, args)) from None
        first, size = ctypes.addressof(self._words), ctypes.sizeof(ctypes.c_uint64)
        addresses = range(first, first + size * len(args), size)
        self._pointers = (ctypes.c_void_p * max(len(args), 1))(*addresses)
        self.parameters = ctypes.addressof(self._pointers)

    def change(self, position: int, value: Any) -> None:
        """Replace an argument: an array, which the caller keeps alive, or an integer."""
        self._words[position] = value if type(value) is int else value.data.ptr


def _word(value: Any) -> int:
    """Return an argument as a word whose lowest bytes the driver reads."""
    if value is None:
        return 0
    if isinstance(value, np.generic):
        return int.from_bytes(value.tobytes(), "little")
    address: int = value.data.ptr
    return address


def no_argument(kernel: Kernel, args: Sequence[Any]) -> str:
    """Return the error message for the first argument of an unsupported type."""
    at, wrong = next(
        (at, argument) for at, argument in enumerate(args) if not _is_argument(argument)
    )
    return (
        f"argument {at} of the kernel {kernel.name} is of {type(wrong)}: it must be an array of "
        "the device, a NumPy scalar or None."
    )


def _is_argument(argument: Any) -> bool:
    has_address = hasattr(getattr(argument, "data", None), "ptr")
    return argument is None or isinstance(argument, np.generic) or has_address


class OfThread(threading.local):
    """A thread's work on a GPU since it last waited for it.

    Attributes
    ----------
    launched : names of the last kernels launched since then.
    lasting : whether one of them may take long.
    events : CUDA events that the thread records, by their use.
    """

    def __init__(self) -> None:
        self.launched: deque[str] = deque(maxlen=_NAMED_KERNELS)
        self.lasting = False
        self.events: dict[str, Any] = {}

    def rested(self) -> None:
        """Record that all work of the thread is complete."""
        self.launched.clear()
        self.lasting = False


class Active:
    """The context manager of `CudaDevice.active`; a generator would cost 2 us more per solve."""

    __slots__ = ("_current", "_device")

    def __init__(self, device: CudaDevice) -> None:
        self._device = device

    def __enter__(self) -> None:
        try:
            self._current = self._device.entered()
        except Exception as error:
            self._explain(error)
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._current is not None:
            self._current.__exit__(kind, error, trace)
        if isinstance(error, Exception):
            self._explain(error)

    def _explain(self, error: Exception) -> None:
        explained = self._device.explained(error)
        if explained is not None:
            raise explained from error


def wait_for_word(word: CompletionFlag, stream: Callable[[], Any], seconds: float) -> bool:
    """Wait for a kernel's status word, but check for signals; return False after `seconds`.

    Also returns True if the kernel's stream has finished without a status word.
    """
    begin = time.perf_counter()
    turn = _TURN
    while not word.wait(turn):
        if stream().done:
            return True
        waited = time.perf_counter() - begin
        if waited > seconds:
            return False
        if waited > _SPIN:
            turn = 0.0
            time.sleep(_NAP)
    return True


def wait_for(event: Any, seconds: float = math.inf) -> bool:
    """Wait for an event, but check for signals; return whether it came within `seconds`."""
    begin = time.perf_counter()
    while not event.done:
        waited = time.perf_counter() - begin
        if waited > seconds:
            return False
        if waited > _SPIN:
            time.sleep(_NAP)
    return True
