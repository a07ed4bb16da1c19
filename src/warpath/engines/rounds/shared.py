"""Arrays that both the CPU and a GPU work with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warpath.recipes.axes import Side

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.engines.base import Device


class Shared:
    """An array with a copy on each side that works with it.

    Of what one side writes, only the part that may have changed travels, and not before the other
    side asks for the array. A kernel may write what changes to the host's copy by itself.

    Parameters
    ----------
    array : of the device, or of the host where there is none.
    device : the GPU.
    on_host : whether kernels find a copy on the host to write to.
    """

    def __init__(
        self, array: Array, device: Device | None = None, *, on_host: bool = False
    ) -> None:
        self._device = device
        self._copies = {Side.CPU if device is None else Side.GPU: array}
        self._missed = dict.fromkeys(Side, (0, 0))  # what the other side changed
        self._in_use = False  # whether the device may still read or write the host's copy
        self.mirror: Array | None = None
        if device is not None and on_host:
            self.mirror = device.mapped(self.on(Side.CPU))

    def on(self, side: Side) -> Array:
        """Return the array on a side, up to date."""
        device, copies = self._device, self._copies
        if device is None:
            return copies[side]
        if side not in copies:  # the host's: there is one on the device from the beginning
            there = copies[Side.GPU]
            copies[side] = device.get(there, device.host_array(there))
            self._missed[side] = 0, 0
        begin, end = self._missed[side]
        if begin < end:
            there, here = (copies[each][begin:end] for each in (Side.GPU, Side.CPU))
            if side is Side.GPU:
                device.put(here, there, wait=False)
                self._in_use = True
            else:
                device.get(there, here)
            self._missed[side] = 0, 0
        if side is Side.CPU and self._in_use:
            device.synchronize()
            self._in_use = False
        return copies[side]

    def wrote(self, side: Side, begin: int = 0, end: int | None = None) -> None:
        """Say that a side has changed places from `begin` to before `end`, by default all."""
        behind = len(self._copies[side]) if end is None else end
        other = Side.GPU if side is Side.CPU else Side.CPU
        first, last = self._missed[other]
        if begin < behind:
            self._missed[other] = (
                (min(first, begin), max(last, behind)) if first < last else (begin, behind)
            )

    def mirrored(self) -> None:
        """Say that a kernel was launched that writes what it changes to `mirror` as well."""
        self._in_use = True
