"""Floyd-Warshall on a matrix that the memory or the device does not hold: tiles pass through it.

For each block of vertices, the pivot, its diagonal is closed and its rows and columns are lowered
into panels beside the matrix; then tile after tile is lowered to ``min(C, A (+) B)``, A and B from
the panels. A journal notes when the panels are complete and when the tiles are. Lowering a tile
again by the same panels changes no bit, so a solve that was killed goes on from the last note to
the same matrix. Reads and writes: 5 entries of the matrix a pivot; arithmetic: 2 operations for
each vertex of the pivot and entry. So pivots are as large as memory allows.
"""

from __future__ import annotations

import errno
import math
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from warpath import _core
from warpath.engines.tables.blocks import Window
from warpath.errors import NotEnoughMemoryError, OutputError
from warpath.paths import never

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from warpath.engines.base import Array
    from warpath.engines.tables.blocks import Blocks
    from warpath.graph import Graph

_TILES = 4  # that the memory holds: A, B, and two of C, or C and the copy that lowers a panel
_CHUNK = 2**18  # entries that are converted at once


class Journal(Protocol):
    """What remembers how far a solve is, when the process does not."""

    def done(self) -> dict[str, Any] | None:
        """Return what `mark` noted last, or None."""
        ...

    def mark(self, state: dict[str, Any]) -> None:
        """Note, in one step, that all before is written."""
        ...


class Unnoted:
    """A journal for matrices that die with the process."""

    def done(self) -> dict[str, Any] | None:
        """Return None: nothing was noted."""
        return None

    def mark(self, state: dict[str, Any]) -> None:
        """Forget it."""


class Tiles(NamedTuple):
    """How a matrix that a device does not hold is solved there.

    Attributes
    ----------
    memory : bytes of the device that tiles may take.
    journal, panels : as in `all_pairs`.
    """

    memory: int
    journal: Journal | None = None
    panels: Path | None = None


class Staging(Protocol):
    """What a device needs: `warpath.engines.base.Device` has it, and `HostMemory`."""

    xp: Any

    def put(self, array: Array, out: Array | None = None) -> Array:
        """Copy an array to the device."""
        ...

    def get(self, array: Array, out: Array | None = None) -> Array:
        """Copy an array from the device, after all work before."""
        ...

    def host_array(self, like: Array) -> Array:
        """Return a host array to copy from and to."""
        ...


class _Slot(NamedTuple):
    """A tile on the device, and the host array it comes from and goes to."""

    there: Array
    here: Array


class _Panels(NamedTuple):
    """The lowered rows (side, n) and columns (n, side) of a pivot, the diagonal in both."""

    rows: Array
    columns: Array


def all_pairs(
    graph: Graph,
    matrix: Array,
    blocks: Blocks,
    device: Staging,
    memory: int,
    journal: Journal | None = None,
    panels: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
    finish: Callable[[Array, slice], None] | None = None,
) -> None:
    """Fill a matrix with the distances of a graph without negative weights.

    Parameters
    ----------
    matrix : (n, n), of the distances' type or of `blocks.dtype`; of the host or a mapped file. A
        narrower `blocks.dtype` must be proven to hold every sum.
    memory : bytes of the device that the tiles may take.
    journal : where an unfinished solve is noted; what it holds belongs to this matrix.
    panels : a file for the panels, as large as two pivots' rows, removed at the end; needed for a
        journal to be of use after the process. In memory when not given.
    progress : called with the tiles done and all tiles.
    finish : changes rows of distances in place, once each, given which they are; with it a solve
        under potentials ends with the lengths of the graph itself.

    Raises
    ------
    NotEnoughMemoryError
        If the memory does not hold four of the least tiles.
    OutputError
        If there is no room for the panels, or they are not where the journal says they are.
    """
    if graph.n == 0:
        return
    journal = Unnoted() if journal is None else journal
    state = journal.done()
    if state is None:
        side = side_of(graph.n, blocks, memory)
        _fill(matrix, graph, blocks.dtype)
        _flush(matrix)
        state = {"side": side, "pivot": 0, "panels": False}
        journal.mark(state)
    with _panels(panels, graph.n, matrix.dtype, state) as sides:
        solve = _Solve(matrix, blocks, device, state["side"], sides, progress, finish)
        solve.run(journal, state)


def side_of(n: int, blocks: Blocks, memory: int) -> int:
    """Return how many vertices a pivot has: as many as fit, and all pivots about as many."""
    tile = blocks.tile
    whole = math.isqrt(max(0, memory) // (_TILES * blocks.dtype.itemsize))
    most = whole // tile * tile
    if most == 0:
        least = _TILES * tile**2 * blocks.dtype.itemsize
        msg = (
            f"{memory:,} bytes hold no tiles of {tile} x {tile}: at least {least:,} bytes are "
            "needed. Raise the limit (WARPATH_MEMORY, WARPATH_GPU_MEMORY)."
        )
        raise NotEnoughMemoryError(msg)
    pivots = max(1, -(-n // most))
    return max(1, -(-n // (pivots * tile))) * tile


class _Solve:
    """One run over all pivots."""

    def __init__(
        self,
        matrix: Array,
        blocks: Blocks,
        device: Staging,
        side: int,
        panels: _Panels,
        progress: Callable[[int, int], None] | None,
        finish: Callable[[Array, slice], None] | None,
    ) -> None:
        self.matrix = matrix
        self.finish = finish
        self.blocks = blocks
        self.device = device
        self.side = side
        self.panels = panels
        self.progress = progress
        n = len(matrix)
        self.parts = [slice(begin, min(begin + side, n)) for begin in range(0, n, side)]
        self.left = self._slot()
        self.right = self._slot()
        first = self._slot()
        # Where host and device share no memory, a tile is read while the one before is lowered.
        self.tiles = [first] if first.here is first.there else [first, self._slot()]
        self.done = 0

    def run(self, journal: Journal, state: dict[str, Any]) -> None:
        """Go on from the state, pivot after pivot; then finish part after part of the rows.

        Either has a step that only writes panels, and one that may be done again.
        """
        parts = len(self.parts)
        for step in range(state["pivot"], parts if self.finish is None else 2 * parts):
            k = step % parts
            self.done = step * parts**2 if step < parts else parts**3 + k
            if step == state["pivot"] and state["panels"]:
                self._told(2 * parts - 1 if step < parts else 0)
            else:
                self._lower_panels(k) if step < parts else self._finish_rows(k)
                _flush(*self.panels)
                journal.mark({"side": self.side, "pivot": step, "panels": True})
            if step < parts:
                self._lower_tiles(k)
                self._keep_panels(k)
            else:
                self.matrix[self.parts[k]] = self._finished(k)
                self._told(1)
            _flush(self.matrix)
            journal.mark({"side": self.side, "pivot": step + 1, "panels": False})

    def _lower_panels(self, k: int) -> None:
        """Put the pivot's rows and columns, lowered, into the panels; the matrix stays as it is."""
        pivot = self.parts[k]
        size = pivot.stop - pivot.start
        diagonal = self._loaded(self.left, self.matrix[pivot, pivot])
        self.blocks.close(diagonal)
        self._stored(self.left, self.panels.columns[pivot, :size])
        self.panels.rows[:size, pivot] = self.panels.columns[pivot, :size]
        self._told(1)
        tile = self.tiles[0]
        for part in self._others(k):
            self.blocks.panel_row(diagonal, self._loaded(tile, self.matrix[pivot, part]))
            self._stored(tile, self.panels.rows[:size, part])
            self._told(1)
        for part in self._others(k):
            self.blocks.panel_column(diagonal, self._loaded(tile, self.matrix[part, pivot]))
            self._stored(tile, self.panels.columns[part, :size])
            self._told(1)

    def _lower_tiles(self, k: int) -> None:
        size = self.parts[k].stop - self.parts[k].start
        for rows in self._others(k):
            left = self._loaded(self.left, self.panels.columns[rows, :size])
            waiting: tuple[_Slot, Array] | None = None
            for turn, columns in enumerate(self._others(k)):
                slot = self.tiles[turn % len(self.tiles)]
                if waiting is not None and slot is waiting[0]:
                    self._stored(*waiting)
                    waiting = None
                self._read(slot, self.matrix[rows, columns])
                if waiting is not None:
                    self._stored(*waiting)
                tile = self._sent(slot, self.matrix[rows, columns])
                right = self._loaded(self.right, self.panels.rows[:size, columns])
                self.blocks.update(tile, left, right)
                waiting = slot, self.matrix[rows, columns]
                self._told(1)
            if waiting is not None:
                self._stored(*waiting)

    def _keep_panels(self, k: int) -> None:
        """Copy the panels into the matrix."""
        pivot = self.parts[k]
        size = pivot.stop - pivot.start
        self.matrix[pivot] = self.panels.rows[:size]
        for part in self._others(k):
            self.matrix[part, pivot] = self.panels.columns[part, :size]

    def _finish_rows(self, k: int) -> None:
        """Put rows that are finished into the panels; the matrix stays as it is."""
        assert self.finish is not None  # noqa: S101 - else there is nothing to finish
        rows = self.parts[k]
        finished = self._finished(k)
        for part in _chunks(rows.stop - rows.start, len(self.matrix)):
            these = slice(rows.start + part.start, rows.start + part.stop)
            finished[part] = self.matrix[these]
            self.finish(finished[part], these)

    def _finished(self, k: int) -> Array:
        rows = self.parts[k]
        return self.panels.rows[: rows.stop - rows.start]

    def _others(self, k: int) -> list[slice]:
        return self.parts[:k] + self.parts[k + 1 :]

    def _slot(self) -> _Slot:
        side = self._whole(self.side)  # that of a solve begun elsewhere may be no whole tiles
        there = self.device.xp.empty((side, side), self.blocks.dtype)
        return _Slot(there, self.device.host_array(there))

    def _loaded(self, slot: _Slot, labels: Array) -> Window:
        self._read(slot, labels)
        return self._sent(slot, labels)

    def _read(self, slot: _Slot, labels: Array) -> None:
        """Copy labels into a slot on the host, as the device marks them, up to whole tiles."""
        rows, columns = labels.shape
        high, wide = self._whole(rows), self._whole(columns)
        slot.here[:rows, columns:wide] = self.blocks.unreachable
        slot.here[rows:high, :wide] = self.blocks.unreachable
        for part in _chunks(rows, columns):
            into = slot.here[part, :columns]
            if labels.dtype.kind == "f":
                into[:] = labels[part]
            else:
                np.minimum(labels[part], self.blocks.unreachable, out=into, casting="same_kind")

    def _sent(self, slot: _Slot, labels: Array) -> Window:
        """Copy a slot to the device."""
        self.device.put(slot.here, slot.there)
        return Window(slot.there, 0, 0, *(self._whole(size) for size in labels.shape))

    def _stored(self, slot: _Slot, labels: Array) -> None:
        """Copy a slot back into labels, as the caller marks them."""
        self.device.get(slot.there, slot.here)
        rows, columns = labels.shape
        for part in _chunks(rows, columns):
            found = slot.here[part, :columns]
            into = labels[part]
            into[:] = found
            if labels.dtype.kind != "f":
                np.putmask(into, found >= self.blocks.unreachable, never(labels.dtype))

    def _whole(self, size: int) -> int:
        return -(-size // self.blocks.tile) * self.blocks.tile

    def _told(self, tiles: int) -> None:
        self.done += tiles
        if self.progress is not None:
            parts = len(self.parts)
            self.progress(self.done, parts**3 + (0 if self.finish is None else parts))


def _chunks(rows: int, columns: int) -> Iterator[slice]:
    step = max(1, _CHUNK // max(1, columns))
    return (slice(begin, min(begin + step, rows)) for begin in range(0, rows, step))


def _fill(matrix: Array, graph: Graph, narrow: np.dtype[Any]) -> None:
    """Write the edges, some rows at a time; whatever says "no edge" is above what blocks call so.

    Every tile that is read becomes the blocks' own, and every one is written.
    """
    for rows in _chunks(graph.n, graph.n):
        block = np.empty((rows.stop - rows.start, graph.n), narrow)
        indptr = graph.indptr[rows.start : rows.stop + 1]
        _core.adjacency_rows(indptr, graph.indices, graph.solver_weights, rows.start, block)
        matrix[rows] = block


@contextmanager
def _panels(
    path: Path | None, n: int, dtype: np.dtype[Any], state: dict[str, Any]
) -> Iterator[_Panels]:
    """Open the panels' file, or make panels in memory; the file is removed after a whole solve."""
    side = state["side"]
    if path is None:
        yield _Panels(np.empty((side, n), dtype), np.empty((n, side), dtype))
        return
    size = 2 * side * n * dtype.itemsize
    there = path.stat().st_size if path.exists() else -1
    if state["panels"] and there != size:
        message = (
            f"the panels of a solve that was under way are not here ({there:,} bytes of {size:,}): "
            "bring the file back, or delete the unfinished table to begin anew"
        )
        raise OutputError(errno.ENOENT, message, str(path))
    if not state["panels"]:
        _reserve(path, size)
    flat = np.memmap(path, dtype, "r+", shape=(2 * side * n,))
    yield _Panels(flat[: side * n].reshape(side, n), flat[side * n :].reshape(n, side))
    del flat
    path.unlink(missing_ok=True)


def _reserve(path: Path, size: int) -> None:
    """Take the file's place on the disk: a mapped file that finds none kills the process."""
    try:
        with path.open("ab") as file:
            file.truncate(size)
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, size)
    except OSError as error:
        if error.errno in {errno.EINVAL, errno.EOPNOTSUPP}:  # a file system without it
            return
        path.unlink(missing_ok=True)
        message = f"the panels, {size:,} bytes, cannot be written: {error.strerror}"
        raise OutputError(error.errno, message, str(path)) from None


def _flush(*arrays: Array) -> None:
    """Bring mapped arrays to their files, before a note says that they are there."""
    for array in arrays:
        if isinstance(array, np.memmap):
            array.flush()
