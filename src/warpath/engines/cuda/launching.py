"""What a launch is to the driver: a function, a shape, and the bytes of its arguments."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warpath.engines.cuda.entry import Kernel


class CUDADriverError(RuntimeError):
    """What the driver said of a launch."""


class Launch:
    """A kernel whose blocks run at the same time, its arguments laid out for the driver.

    cuda.core inspects the type of each argument at each launch; the driver needs their addresses.

    Parameters
    ----------
    kernel : what is launched.
    function : the driver's name for it.
    blocks, threads : how many, and how many of each block.
    args : as in `CudaDevice.launch`.

    Attributes
    ----------
    name : of the kernel.
    shape : the driver's arguments before the stream.
    parameters : where the addresses of the kernel's arguments lie.
    """

    __slots__ = ("_args", "_pointers", "_words", "name", "parameters", "shape")

    def __init__(
        self, kernel: Kernel, function: Any, blocks: int, threads: int, args: Sequence[Any]
    ) -> None:
        self.name = kernel.name
        self.shape = (function, blocks, 1, 1, threads, 1, 1, kernel.shared)
        self._args = list(args)  # arrays must live as long as it may be launched
        try:
            self._words = (ctypes.c_uint64 * max(len(args), 1))(*map(_word, args))
        except AttributeError:
            raise TypeError(no_argument(kernel, args)) from None
        first, size = ctypes.addressof(self._words), ctypes.sizeof(ctypes.c_uint64)
        places = range(first, first + size * len(args), size)
        self._pointers = (ctypes.c_void_p * max(len(args), 1))(*places)
        self.parameters = ctypes.addressof(self._pointers)

    def change(self, place: int, value: Any) -> None:
        """Change an argument: an array, which the caller keeps, or a whole number for a number."""
        self._words[place] = value if type(value) is int else value.data.ptr


def _word(one: Any) -> int:
    """Return an argument as the lowest bytes of a word, where the driver reads it."""
    if one is None:
        return 0
    if isinstance(one, np.generic):
        return int.from_bytes(one.tobytes(), "little")
    address: int = one.data.ptr
    return address


def no_argument(kernel: Kernel, args: Sequence[Any]) -> str:
    """Return which of the arguments a launch does not take."""
    at, wrong = next((at, one) for at, one in enumerate(args) if not _is_argument(one))
    return (
        f"argument {at} of the kernel {kernel.name} is of {type(wrong)}: it must be an array of "
        "the device, a NumPy scalar or None."
    )


def _is_argument(one: Any) -> bool:
    has_address = hasattr(getattr(one, "data", None), "ptr")
    return one is None or isinstance(one, np.generic) or has_address
