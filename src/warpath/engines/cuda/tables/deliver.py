"""Copy finished rows from a device to the caller's array."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base import settings
from warpath.base.dtypes import unreachable
from warpath.engines import cpu
from warpath.planner.gpu_model import ROW_BUFFER

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.base.dtypes import Array
    from warpath.engines.base import Device

#: Maximum threads that copy from a buffer to the caller's array, and minimum bytes per thread.
_MOST_THREADS = 8
_LEAST_COPY = 2**23


def on_device(array: Array, device: Device) -> bool:
    """Return whether an array is in the device's memory, so that kernels can write to it."""
    return isinstance(array, device.xp.ndarray)


class Delivery:
    """Receives rows in order, in an array on the device or through two buffers on the host.

    Rows are copied to the host while the next ones are computed.

    Parameters
    ----------
    out : (k, t), on the host or on the device.
    device : the device that computes rows.
    dtype : type of the computed rows; integers are converted to the type of `out`.

    Attributes
    ----------
    most : maximum rows of a buffer.
    """

    def __init__(self, out: Array, device: Device, dtype: np.dtype[Any]) -> None:
        self._out = out
        self._device = device
        self._dtype = np.dtype(dtype)
        self._direct = on_device(out, device) and out.dtype == self._dtype and _contiguous(out)
        row = max(out.shape[1] * self._dtype.itemsize, 1)
        self.most = max(len(out), 1) if self._direct else max(ROW_BUFFER // row, 1)
        self._rows: list[Array] = []
        self._pinned: list[Array] = []
        self._threads = min(settings.threads(), _MOST_THREADS)
        self._turn = 0
        self._waiting: list[Callable[[], None] | None] = [None, None]

    def room(self, rows: slice) -> Array:
        """Return the array on the device in which the rows of a slice are to be computed."""
        if self._direct:
            return self._out[rows]
        if not self._rows:
            shape = (min(self.most, len(self._out)), self._out.shape[1])
            self._rows = [self._device.xp.empty(shape, self._dtype) for _ in range(2)]
        self._finish(self._turn)
        return self._rows[self._turn][: rows.stop - rows.start]

    def take(self, rows: slice) -> None:
        """Start the copy of the rows of a slice, computed in the array that `room` returned."""
        if self._direct:
            return
        turn, self._turn = self._turn, 1 - self._turn
        here = self._rows[turn][: rows.stop - rows.start]
        if on_device(self._out, self._device):
            put(self._out, rows, here, self._device)
            return
        if not self._pinned:
            self._pinned = [self._device.host_array(row) for row in self._rows]
        pinned = self._pinned[turn][: len(here)]
        wait = self._device.fetch(here, pinned)

        def finish() -> None:
            wait()
            self._spread(pinned, self._out[rows])

        self._waiting[turn] = finish

    def close(self) -> None:
        """Wait until all rows are in `out`."""
        for turn in (self._turn, 1 - self._turn):
            self._finish(turn)

    def _spread(self, rows: Array, out: Array) -> None:
        """Copy rows by several threads: a single one is slower than the copy from the device."""
        step = max(-(-len(rows) // self._threads), _LEAST_COPY // max(rows[:1].nbytes, 1), 1)
        parts = [slice(begin, begin + step) for begin in range(0, len(rows), step)]

        def copy(part: slice) -> None:
            out[part] = cpu.fitting(rows[part], out.dtype)

        if len(parts) == 1:
            copy(parts[0])
            return
        with ThreadPoolExecutor(len(parts)) as pool:
            list(pool.map(copy, parts))

    def _finish(self, turn: int) -> None:
        finish, self._waiting[turn] = self._waiting[turn], None
        if finish is not None:
            finish()


def put(out: Array, at: slice, rows: Array, device: Device) -> None:
    """Copy rows from the device into an array on the device or the host, in that array's type.

    Raises
    ------
    OverflowError
        If a distance does not fit the array's type.
    """
    if on_device(out, device):
        out[at] = _narrowed(rows, out.dtype, device.xp)
    else:
        out[at] = cpu.fitting(device.get(rows), out.dtype)


def _narrowed(rows: Array, dtype: np.dtype[Any], xp: Any) -> Array:
    """Return rows on a device in another type; raise OverflowError if a distance does not fit."""
    if rows.dtype == dtype:
        return rows
    unreached, most = unreachable(rows.dtype), unreachable(dtype)
    missing = rows == unreached
    if not bool((missing | ((rows < most) & (rows >= -most))).all()):
        msg = f"a distance does not fit {dtype}"
        raise OverflowError(msg)
    narrow: Array = xp.where(missing, most, rows).astype(dtype)
    return narrow


def _contiguous(array: Array) -> bool:
    return bool(array.flags.c_contiguous)
