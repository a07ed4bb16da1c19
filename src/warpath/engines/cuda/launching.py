"""Launches in the driver's form: a function, a shape, and the addresses of its arguments."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warpath.engines.cuda.entry import Kernel


class CUDADriverError(RuntimeError):
    """The driver reported an error of a launch."""


class Launch:
    """A cooperative launch of a kernel, with its arguments laid out for the driver.

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
    shape : the arguments of the driver's launch function up to the stream.
    parameters : address of the array of the arguments' addresses.
    """

    __slots__ = ("_args", "_pointers", "_words", "name", "parameters", "shape")

    def __init__(
        self, kernel: Kernel, function: Any, blocks: int, threads: int, args: Sequence[Any]
    ) -> None:
        self.name = kernel.name
        self.shape = (function, blocks, 1, 1, threads, 1, 1, kernel.shared)
        self._args = list(args)  # keeps arrays alive as long as the launch
        try:
            self._words = (ctypes.c_uint64 * max(len(args), 1))(*map(_word, args))
        except AttributeError:
            raise TypeError(no_argument(kernel, args)) from None
        first, size = ctypes.addressof(self._words), ctypes.sizeof(ctypes.c_uint64)
        places = range(first, first + size * len(args), size)
        self._pointers = (ctypes.c_void_p * max(len(args), 1))(*places)
        self.parameters = ctypes.addressof(self._pointers)

    def change(self, place: int, value: Any) -> None:
        """Replace an argument: an array, which the caller keeps alive, or an integer."""
        self._words[place] = value if type(value) is int else value.data.ptr


def _word(one: Any) -> int:
    """Return an argument as a word whose lowest bytes the driver reads."""
    if one is None:
        return 0
    if isinstance(one, np.generic):
        return int.from_bytes(one.tobytes(), "little")
    address: int = one.data.ptr
    return address


def no_argument(kernel: Kernel, args: Sequence[Any]) -> str:
    """Return the error message for the first argument of an unsupported type."""
    at, wrong = next((at, one) for at, one in enumerate(args) if not _is_argument(one))
    return (
        f"argument {at} of the kernel {kernel.name} is of {type(wrong)}: it must be an array of "
        "the device, a NumPy scalar or None."
    )


def _is_argument(one: Any) -> bool:
    has_address = hasattr(getattr(one, "data", None), "ptr")
    return one is None or isinstance(one, np.generic) or has_address
