"""Block operations of Floyd-Warshall by the kernels of ``floyd_warshall.cuh``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.engines.cuda.entry import Kernel, Types, kernel
from warpath.engines.staged.blocks import Window

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import DTypeLike

    from warpath.base.dtypes import Array
    from warpath.engines.base import Device

#: The label of an unreachable pair, by the type of labels; the sum of two such labels fits.
FAR = {
    "int16": 2**14 - 1,
    "int32": 2**30 - 1,
    "int64": 2**62 - 1,
    "float32": np.inf,
    "float64": np.inf,
}
#: Bytes of a panel copied at once: its old labels are read while new ones are written.
_COPIED = 2**28
_TILE = {64: 64, 256: 128}  # by threads of a block


def tile_of(device: Device) -> int:
    """Return the rows and columns of a tile on a device."""
    return _TILE[device.block]


def min_plus_kernel(kind: str, dtype: DTypeLike, block: int) -> Kernel:
    """Return the kernel "floyd_warshall" or "product" for labels of a type."""
    wide = "_wide" if np.dtype(dtype).itemsize == 8 else ""
    return kernel(kind + wide, Types.of(dtype, dtype, dtype), block)


class MinPlus:
    """The `warpath.engines.staged.blocks.BlockOperations` of a device that launches kernels.

    Parameters
    ----------
    device : the device of the matrices.
    dtype : type of their labels, which may be int16.
    """

    def __init__(self, device: Device, dtype: DTypeLike) -> None:
        self.dtype = np.dtype(dtype)
        self.tile = tile_of(device)
        self.unreachable = FAR[self.dtype.name]
        self._device = device
        self._solve = min_plus_kernel("floyd_warshall", dtype, device.block)
        self._product = min_plus_kernel("product", dtype, device.block)

    def close(self, diagonal: Window) -> None:
        """Replace a square window by its all-pairs distances, in place."""
        for _ in self.closing(diagonal, diagonal.rows):
            pass

    def closing(self, diagonal: Window, step: int) -> Iterator[int]:
        """Close a window by `step` pivots per launch; yield the number of pivots so far."""
        xp: Any = self._device.xp
        tiles = diagonal.rows // self.tile
        blocks = min(self._device.resident_blocks(self._solve), max(tiles * tiles, 1))
        # A third of a step's products hide the diagonal tile, the others its panels.
        ahead = min(4 * self._device.processors, max(tiles - 2, 0) ** 2 // 3)
        labels, offset, pitch = _place(diagonal)
        versions = xp.zeros(tiles * tiles, np.int32)
        row_readers, column_readers, diagonal_readers = (
            xp.zeros(size, np.int32) for size in (tiles * tiles, tiles * tiles, tiles)
        )
        for first in range(0, tiles, max(step // self.tile, 1)):
            last = min(first + max(step // self.tile, 1), tiles)
            arguments = self._solve.arguments(
                tiles=tiles,
                labels=labels,
                offset=offset,
                pitch=pitch,
                first=first,
                last=last,
                ahead=ahead,
                versions=versions,
                row_readers=row_readers,
                column_readers=column_readers,
                diagonal_readers=diagonal_readers,
                ticket=xp.zeros(1, np.int32),
            )
            self._device.launch(self._solve, blocks, *arguments)
            yield last * self.tile

    def panel_row(self, diagonal: Window, panel: Window) -> None:
        """Lower a panel by a closed diagonal block: panel = min(panel, diagonal (+) panel)."""
        wide = _COPIED // (self.dtype.itemsize * panel.rows) // self.tile * self.tile
        for part in _parts(panel.columns, wide or self.tile):
            some = panel._replace(column=panel.column + part.start, columns=part.stop - part.start)
            self.update(some, diagonal, self._copy(some))

    def panel_column(self, diagonal: Window, panel: Window) -> None:
        """Lower a panel below a closed diagonal: panel = min(panel, panel (+) diagonal)."""
        high = _COPIED // (self.dtype.itemsize * panel.columns) // self.tile * self.tile
        for part in _parts(panel.rows, high or self.tile):
            some = panel._replace(row=panel.row + part.start, rows=part.stop - part.start)
            self.update(some, self._copy(some), diagonal)

    def update(self, c: Window, a: Window, b: Window) -> None:
        """Lower c to min(c, a (+) b); c is (m, n), a (m, k), b (k, n)."""
        across = c.columns // self.tile
        given: dict[str, Any] = {"across": across, "depth": a.columns}
        for name, window in (("c", c), ("a", a), ("b", b)):
            given[name], given[f"offset_{name}"], given[f"pitch_{name}"] = _place(window)
        arguments = self._product.arguments(**given)
        self._device.launch(self._product, c.rows // self.tile * across, *arguments)

    def _copy(self, window: Window) -> Window:
        array, row, column, rows, columns = window
        copy = self._device.xp.empty((rows, columns), self.dtype)
        copy[...] = array[row : row + rows, column : column + columns]
        return Window.whole(copy)


def _parts(size: int, most: int) -> Iterator[slice]:
    for begin in range(0, size, most):
        yield slice(begin, min(begin + most, size))


def _place(window: Window) -> tuple[Array, int, int]:
    """Return the arguments that describe a window to a kernel: matrix, offset, pitch."""
    pitch = window.array.shape[1]
    return window.array, window.row * pitch + window.column, pitch
