"""Min-plus on windows of dense matrices of labels: what out-of-core and resident solves share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from warpath import _core

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from warpath.base.dtypes import Array


class Window(NamedTuple):
    """A part of a matrix of the device.

    Attributes
    ----------
    array : (r, c), C-contiguous, of `BlockOperations.dtype`; c is the pitch, a multiple of
        `BlockOperations.tile`.
    row, column : where the window begins; multiples of `BlockOperations.tile`.
    rows, columns : its shape; multiples of `BlockOperations.tile`.
    """

    array: Array
    row: int
    column: int
    rows: int
    columns: int

    @classmethod
    def whole(cls, array: Array) -> Window:
        """Return the window that is a whole matrix."""
        return cls(array, 0, 0, *array.shape)


class BlockOperations(Protocol):
    """Block operations of Floyd-Warshall on one device, for one type of labels >= 0.

    Work goes to the device's current stream in the order of the calls, which return at once.
    Rows and columns that fill a matrix up to whole tiles hold `unreachable`, on the diagonal too
    or 0 there. What an operation writes must not overlap what it reads, except where said.

    Attributes
    ----------
    tile : all places and shapes of windows are multiples of it.
    dtype : of labels: int32, int64, float32 or float64.
    unreachable : the label of what no path reaches; for integers the sum of two of them fits, and
        every label of at least it means unreachable (min-plus keeps such labels at it or below).
    """

    tile: int
    dtype: np.dtype
    unreachable: int | float

    def close(self, diagonal: Window) -> None:
        """Make a square window its own all-pairs distances, in place."""
        ...

    def panel_row(self, diagonal: Window, panel: Window) -> None:
        """Lower a panel by a closed diagonal block: panel = min(panel, diagonal (+) panel)."""
        ...

    def panel_column(self, diagonal: Window, panel: Window) -> None:
        """Lower a panel below a closed diagonal: panel = min(panel, panel (+) diagonal)."""
        ...

    def update(self, c: Window, a: Window, b: Window) -> None:
        """Lower c to min(c, a (+) b); c is (m, n), a (m, k), b (k, n)."""
        ...


class HostMemory:
    """The part of a device that staging needs, where the device is this machine.

    An array of the device is its own copy on the host, so that nothing is held twice.
    """

    xp: Any = np

    def put(self, array: Array, out: Array | None = None) -> Array:
        """Return the array, copied into `out` where that is another."""
        if out is None or out is array:
            return array
        np.copyto(out, array)
        return out

    def get(self, array: Array, out: Array | None = None) -> Array:
        """Return the array, copied into `out` where that is another."""
        return self.put(array, out)

    def host_array(self, like: Array) -> Array:
        """Return the array itself."""
        return like


class HostBlocks:
    """`warpath.engines.staged.blocks.BlockOperations` by the core's kernels; calls wait.

    Parameters
    ----------
    dtype : of labels.
    threads : of each operation.
    """

    tile = 64  # the widest of the kernels' tiles, so that only the last windows are filled up

    def __init__(self, dtype: DTypeLike, threads: int) -> None:
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self.threads = threads
        self.unreachable: int | float = (
            np.inf if self.dtype.kind == "f" else int(np.iinfo(self.dtype).max) // 2
        )

    def close(self, diagonal: Window) -> None:
        """Make a square window its own all-pairs distances, in place."""
        _core.close_labels(_view(diagonal), threads=self.threads)

    def panel_row(self, diagonal: Window, panel: Window) -> None:
        """Lower a panel by a closed diagonal block: panel = min(panel, diagonal (+) panel)."""
        lowered = _view(panel)
        _core.min_plus(lowered, _view(diagonal), lowered.copy(), threads=self.threads)

    def panel_column(self, diagonal: Window, panel: Window) -> None:
        """Lower a panel below a closed diagonal: panel = min(panel, panel (+) diagonal)."""
        lowered = _view(panel)
        _core.min_plus(lowered, lowered.copy(), _view(diagonal), threads=self.threads)

    def update(self, c: Window, a: Window, b: Window) -> None:
        """Lower c to min(c, a (+) b); c is (m, n), a (m, k), b (k, n)."""
        _core.min_plus(_view(c), _view(a), _view(b), threads=self.threads)


def _view(window: Window) -> Array:
    rows = slice(window.row, window.row + window.rows)
    return window.array[rows, window.column : window.column + window.columns]
