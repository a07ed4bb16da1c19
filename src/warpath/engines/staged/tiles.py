"""Floyd-Warshall on a matrix that the memory or the device does not hold: tiles pass through it.

For each block of vertices, the pivot, its diagonal is closed and its rows and columns are lowered
into panels next to the matrix; then tile after tile is lowered to ``min(C, A (+) B)``, A and B from
the panels. A journal notes when the panels are complete and when the tiles are. Lowering a tile
again by the same panels changes no bit, so a solve that was killed goes on from the last note to
the same matrix. Reads and writes: 5 entries of the matrix a pivot; arithmetic: 2 operations for
each vertex of the pivot and entry. So pivots are as large as memory allows.
"""

from __future__ import annotations

import math
import zlib
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from warpath import _core
from warpath.base.dtypes import unreachable
from warpath.base.errors import NotEnoughMemoryError
from warpath.engines.staged.blocks import HostBlocks, HostMemory, Window
from warpath.engines.staged.unfinished import (
    State,
    checksum,
    chunks,
    damaged,
    flush,
    opened_panels,
    state_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from warpath.base.dtypes import Array
    from warpath.base.progress import Report
    from warpath.engines.staged.blocks import BlockOperations
    from warpath.engines.staged.unfinished import Panels, TileJournal
    from warpath.graph import Graph

_TILES = 4  # that the memory holds: A, B, and two of C, or C and the copy that lowers a panel


class Tiles(NamedTuple):
    """How a matrix that a device does not hold is solved there.

    Attributes
    ----------
    memory : bytes of the device that tiles may take.
    journal, panels : as in `all_pairs`.
    """

    memory: int
    journal: TileJournal | None = None
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


def all_pairs(
    graph: Graph,
    matrix: Array,
    blocks: BlockOperations,
    device: Staging,
    memory: int,
    journal: TileJournal | None = None,
    panels: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
    finish: Callable[[Array, slice], None] | None = None,
    threads: int = 1,
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
    threads : that copy between the matrix and the tiles.

    Raises
    ------
    NotEnoughMemoryError
        If the memory does not hold four of the least tiles.
    OutputError
        If there is no room for the panels, they are not where the journal says they are, or what
        an earlier run wrote was changed since.
    """
    if graph.n == 0:
        return
    stored = None if journal is None else journal.done()
    if stored is None:
        state = State(side_of(graph.n, blocks, memory))
        _fill(matrix, graph, blocks.dtype)
        flush(matrix)
    else:
        state = state_of(stored, graph.n, finishes=finish is not None)
    with opened_panels(panels, graph.n, matrix.dtype, state) as sides:
        solve = _Solve(matrix, blocks, device, state, sides, progress, finish)
        with ThreadPoolExecutor(threads, "warpath-tiles") as pool:
            solve.pool = pool
            if stored is not None:
                solve.check()
            solve.run(journal)


def side_of(n: int, blocks: BlockOperations, memory: int) -> int:
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
    """One run over all pivots.

    Attributes
    ----------
    pool : threads that copy between the matrix and the tiles.
    """

    pool: ThreadPoolExecutor

    def __init__(
        self,
        matrix: Array,
        blocks: BlockOperations,
        device: Staging,
        state: State,
        panels: Panels,
        progress: Callable[[int, int], None] | None,
        finish: Callable[[Array, slice], None] | None,
    ) -> None:
        self.matrix = matrix
        self.finish = finish
        self.blocks = blocks
        self.device = device
        self.side = side = state.side
        self.state = state
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

    def check(self) -> None:
        """Compare what an earlier run has left with its checksums."""
        state = self.state
        parts = len(self.parts)
        finishing = state.pivot >= parts
        writing = state.pivot % parts if finishing else state.strips  # by the run that was stopped
        for at, rows in enumerate(self.parts):
            whole = not state.panels or at != writing
            if whole and state.sums[at] != self._sum(self.matrix[rows]):
                raise damaged("matrix")
        if state.panels and state.panels_sum != self._sum(*self.panels):
            raise damaged("panels")

    def run(self, journal: TileJournal | None) -> None:
        """Go on from the state, pivot after pivot; then finish part after part of the rows.

        Either has a step that only writes panels, and one that may be done again.
        """
        parts = len(self.parts)
        state = self.state
        if journal is not None and not state.sums:
            state.sums = [self._sum(self.matrix[rows]) for rows in self.parts]
        state.note(journal)
        for step in range(state.pivot, parts if self.finish is None else 2 * parts):
            k = step % parts
            self.done = step * parts**2 if step < parts else parts**3 + k
            if state.panels:
                self._told(2 * parts - 1 if step < parts else 0)
            else:
                self._lower_panels(k) if step < parts else self._finish_rows(k)
                flush(*self.panels)
                state.panels, state.strips = True, 0
                state.panels_sum = 0 if journal is None else self._sum(*self.panels)
                state.note(journal)
            if step < parts:
                self._lower_strips(k, journal)
            else:
                self.matrix[self.parts[k]] = self._finished(k)
                self._told(1)
                self._written(k, journal)
            state.pivot, state.panels, state.strips = step + 1, False, 0
            state.note(journal)

    def _lower_strips(self, k: int, journal: TileJournal | None) -> None:
        """Lower the rows of all pivots by the panels, and note each."""
        state, parts = self.state, len(self.parts)
        if state.strips:
            self._told((parts - 1) * (state.strips - (k < state.strips)))
        for at in range(state.strips, parts):
            if at == k:
                self.matrix[self.parts[k]] = self.panels.rows[: self._size(k)]
            else:
                self._lower_strip(self.parts[at], k)
            self._written(at, journal)
            state.strips = at + 1
            if state.strips < parts:  # the caller notes the last one
                state.note(journal)

    def _written(self, at: int, journal: TileJournal | None) -> None:
        """Bring a strip to the disk, and keep its checksum."""
        flush(self.matrix)
        if journal is not None:
            self.state.sums[at] = self._sum(self.matrix[self.parts[at]])

    def _sum(self, *arrays: Array) -> int:
        sums = [checksum(array, self.pool.map) for array in arrays]
        return sums[0] if len(sums) == 1 else zlib.crc32(repr(sums).encode())

    def _size(self, k: int) -> int:
        return self.parts[k].stop - self.parts[k].start

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

    def _lower_strip(self, rows: slice, k: int) -> None:
        """Lower the tiles of some rows, and copy their columns of the pivot from the panels."""
        size = self._size(k)
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
        self.matrix[rows, self.parts[k]] = self.panels.columns[rows, :size]

    def _finish_rows(self, k: int) -> None:
        """Put rows that are finished into the panels; the matrix stays as it is."""
        assert self.finish is not None  # noqa: S101 - else there is nothing to finish
        rows = self.parts[k]
        finished = self._finished(k)
        for part in chunks(rows.stop - rows.start, len(self.matrix)):
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

        def copy(part: slice) -> None:
            into = slot.here[part, :columns]
            if labels.dtype.kind == "f":
                into[:] = labels[part]
            else:
                np.minimum(labels[part], self.blocks.unreachable, out=into, casting="same_kind")

        self._in_parts(copy, rows, columns)

    def _sent(self, slot: _Slot, labels: Array) -> Window:
        """Copy a slot to the device."""
        self.device.put(slot.here, slot.there)
        return Window(slot.there, 0, 0, *(self._whole(size) for size in labels.shape))

    def _stored(self, slot: _Slot, labels: Array) -> None:
        """Copy a slot back into labels, as the caller marks them."""
        self.device.get(slot.there, slot.here)
        rows, columns = labels.shape

        def copy(part: slice) -> None:
            tile = slot.here[part, :columns]
            into = labels[part]
            into[:] = tile
            if labels.dtype.kind != "f":
                np.putmask(into, tile >= self.blocks.unreachable, unreachable(labels.dtype))

        self._in_parts(copy, rows, columns)

    def _in_parts(self, copy: Callable[[slice], None], rows: int, columns: int) -> None:
        """Let the threads copy: one alone is slower than a GPU lowers tiles."""
        for _ in self.pool.map(copy, chunks(rows, columns)):
            pass

    def _whole(self, size: int) -> int:
        return -(-size // self.blocks.tile) * self.blocks.tile

    def _told(self, tiles: int) -> None:
        self.done += tiles
        if self.progress is not None:
            parts = len(self.parts)
            self.progress(self.done, parts**3 + (0 if self.finish is None else parts))


def _fill(matrix: Array, graph: Graph, narrow: np.dtype[Any]) -> None:
    """Write the edges, some rows at a time; whatever says "no edge" is above what blocks call so.

    Every tile that is read becomes the blocks' own, and every one is written.
    """
    for rows in chunks(graph.n, graph.n):
        block = np.empty((rows.stop - rows.start, graph.n), narrow)
        indptr = graph.indptr[rows.start : rows.stop + 1]
        _core.adjacency_rows(indptr, graph.indices, graph._solver_weights, rows.start, block)
        matrix[rows] = block


def all_pairs_on_host(
    graph: Graph, threads: int, matrix: Array, tiles: Tiles, report: Report | None
) -> None:
    """Fill a matrix of distances on the host, from tiles that pass through its memory."""
    narrow = graph.facts(symmetry=False).sums_fit_int32
    blocks = HostBlocks(np.int32 if narrow else graph.dist_dtype, threads)
    all_pairs(
        graph,
        matrix,
        blocks,
        HostMemory(),
        tiles.memory,
        tiles.journal,
        tiles.panels,
        report,
        threads=threads,
    )
