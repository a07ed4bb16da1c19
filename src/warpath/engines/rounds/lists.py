"""Lists of vertices on a device: expanding their edges, closing gaps, splitting by labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.engines.rounds.classes import Classes
from warpath.recipes.axes import Edges, Emit, Map

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.engines.rounds.run import Run

#: The maps that find an edge's vertex by the offsets of the list's edges.
_BY_OFFSETS = {Map.BLOCK_SEARCH, Map.CTA_WARP_SCAN, Map.MERGE_PATH}


class ListPush:
    """The push kernel over lists; the edges of a list are numbered where that is requested."""

    def __init__(self, run: Run, emit: str, *, guarded: bool = False) -> None:
        self._run = run
        self._kernel = run.push_kernel(emit, guarded=guarded)
        self._degrees = None
        if emit == "EmitSlots" or run.axes.map in _BY_OFFSETS:
            self._degrees = run.kernel("degrees")
            self._offsets: Array = run.xp.zeros(run.n + 1, np.int64)

    def number(self, vertices: Array, count: int) -> int | None:
        """Give the edges of a list their slots; return how many, or None where none are needed."""
        if self._degrees is None:
            return None
        run, offsets = self._run, self._offsets
        degrees = run.xp.empty(count, np.int64)
        run.launch(self._degrees, count, list=vertices, indptr=run.rows.indptr, degree=degrees)
        run.xp.cumsum(degrees, out=offsets[1 : count + 1])
        (total,) = run.read(offsets[count : count + 1])
        return total

    def relax(self, vertices: Array, count: int, edges: int | None, **given: Any) -> None:
        """Relax the edges of a list; `edges` as `number` returned it for this list."""
        run = self._run
        if edges == 0:
            return
        run.launch(
            self._kernel,
            count,
            blocks=run.push_blocks(count, edges or 0),
            list=vertices,
            offsets=None if edges is None else self._offsets,
            **run.rows.named(),
            **{"from": run.dist},
            dist=run.dist,
            **given,
        )


class Expansion:
    """Relaxes the edges of a list and collects the targets whose label fell.

    By prefix sum each edge has a slot, which holds its target or -1; by an atomic queue a target is
    there once.

    Attributes
    ----------
    items : what the last expansion collected, in its first places.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._queued = run.axes.emit is Emit.ATOMIC_QUEUE
        self._push = ListPush(run, "EmitQueue" if self._queued else "EmitSlots")
        self._classes = Classes(run) if run.axes.edges is Edges.CLASSIFIED else None
        places = run.n if self._queued else run.order.graph.m
        self.items: Array = run.xp.empty(max(places, 1), run.rows.indices.dtype)
        if self._queued:
            self._size = run.xp.zeros(1, np.int64)
            self._stamps = run.xp.zeros(run.n, np.int32)

    def expand(self, vertices: Array, count: int) -> int:
        """Relax the edges of a list, which holds no vertex twice; return how many items it gave."""
        run = self._run
        given = {} if self._classes is None else self._classes.named()
        if self._queued:
            self._size.fill(0)
            given |= {"queue": self.items, "queue_size": self._size, "stamps": self._stamps}
        else:
            given["slots"] = self.items
        with run.step("expand"):
            edges = self._push.number(vertices, count)
        with run.step("relax"):
            self._push.relax(vertices, count, edges, round=run.rounds + 1, **given)
        return run.read(self._size)[0] if self._queued else edges or 0

    def finish(self) -> bool:
        """Do what is left once no vertex waits; return whether there is no negative cycle."""
        return self._classes is None or self._classes.finish()


class Splitter:
    """Makes lists of items: once for each vertex, and by its label."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._claim = run.kernel("claim")
        self._mark = run.kernel("mark")
        self._scatter = run.kernel("scatter")
        self._table: Array = run.xp.empty(max(run.n, 1), np.int64)

    def split(
        self, items: Array, count: int, low: Any, high: Any, near: Array, far: Array
    ) -> tuple[int, int]:
        """Split items by label; return how many vertices came near and far.

        Doubles, empty slots and labels below `low`, which were relaxed already, are dropped; labels
        in [low, high) go to `near`, the others to `far`, in the items' order.
        """
        if count == 0:
            return 0, 0
        run = self._run
        with run.step("compact"):
            self.claim(items, count)
            marks = run.xp.empty(2 * count, np.int64)
            run.launch(
                self._mark,
                count,
                items=items,
                table=self._table,
                dist=run.dist,
                low=low,
                high=high,
                marks=marks,
            )
            sums = run.xp.cumsum(marks)
            run.launch(self._scatter, count, items=items, sums=sums, near=near, far=far)
            nears, both = run.read(sums[count - 1 :: count])
        return nears, both - nears

    def claim(self, items: Array, count: int) -> Array:
        """Let one copy of each item own its vertex; return the table of owners, (n,)."""
        self._run.launch(self._claim, count, items=items, table=self._table)
        return self._table

    def least(self, items: Array, count: int, low: Any) -> Any:
        """Return the least label of the items that is not below `low`, or unreachable."""
        run = self._run
        labels = run.dist[items[:count]]
        valid = run.xp.where(labels < run.label(low), run.label(run.unreachable), labels)
        return run.device.get(valid.min()).item()
