"""An emulated device in place of a GPU: calls for "cuda" run on it, with arrays of its own type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from support.kernels import CACHE
from warpath.engines.emulator.device import EmulatedDevice

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray


class DeviceArray(np.ndarray):
    """An array that claims, as CuPy's do, to be on a GPU."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        given: dict[str, Any] = self.__array_interface__
        return {name: given[name] for name in ("shape", "typestr", "strides", "data")}

    def get(self) -> NDArray[Any]:
        """Return a copy on the host."""
        return np.array(self)

    def set(self, values: NDArray[Any]) -> None:
        """Copy the values of a host array."""
        if isinstance(values, DeviceArray):
            raise TypeError("set takes an array of the host")
        self[...] = values


class _Arrays:
    """NumPy whose new arrays are device arrays."""

    ndarray = DeviceArray

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def empty(self, shape: Any, dtype: DTypeLike = float) -> DeviceArray:
        """Return a device array."""
        return np.empty(shape, dtype).view(DeviceArray)


class StandIn(EmulatedDevice):
    """The emulated device under a GPU's name; `opened` replaces `open_device`."""

    name = "cuda:0"
    xp: Any = _Arrays()
    busy = False

    def __init__(self, seed: int) -> None:
        super().__init__(seed=seed, cache=CACHE)

    def opened(self, _name: str) -> StandIn:
        """Return this device for any name."""
        return self
