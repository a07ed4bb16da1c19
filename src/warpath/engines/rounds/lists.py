"""Lists of vertices on a device: expanding their edges, closing gaps, splitting by labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.engines.cuda.entry import MERGE_PATH_ITEMS
from warpath.recipes.axes import Map

if TYPE_CHECKING:
    from warpath.engines.base import Array
    from warpath.engines.rounds.run import Run


class Lists:
    """The steps of Davidson et al.: relax the edges of a list into slots, then make lists of them.

    A slot holds the target of an edge whose relaxation lowered a label, or -1. At most m slots are
    in use: a list never holds a vertex twice.
    """

    def __init__(self, run: Run) -> None:
        xp = run.xp
        self._run = run
        self._push = run.push_kernel("EmitSlots")
        self._degrees = run.kernel("degrees")
        self._claim = run.kernel("claim")
        self._mark = run.kernel("mark")
        self._scatter = run.kernel("scatter")
        self.slots = xp.empty(max(run.order.graph.m, 1), run.rows.indices.dtype)
        self._offsets = xp.zeros(run.n + 1, np.int64)
        self._table: Array = xp.empty(max(run.n, 1), np.int64)

    def expand(self, vertices: Array, count: int) -> int:
        """Relax the edges of a list; return how many slots they took."""
        run, offsets = self._run, self._offsets
        with run.step("expand"):
            degrees = run.xp.empty(count, np.int64)
            run.launch(self._degrees, count, list=vertices, indptr=run.rows.indptr, degree=degrees)
            run.xp.cumsum(degrees, out=offsets[1 : count + 1])
            (total,) = run.read(offsets[count : count + 1])
        with run.step("relax"):
            blocks = run.blocks(count)
            if run.axes.map is Map.MERGE_PATH:
                blocks = run.blocks(total, MERGE_PATH_ITEMS)
            run.launch(
                self._push, count, blocks=blocks if total else 0, list=vertices, offsets=offsets,
                **run.rows.named(), **{"from": run.dist}, dist=run.dist, slots=self.slots,
            )  # fmt: skip
        return total

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
                self._mark, count, items=items, table=self._table, dist=run.dist, low=low,
                high=high, marks=marks,
            )  # fmt: skip
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
        valid = run.xp.where(labels < run.label(low), run.label(run.never), labels)
        return run.device.get(valid.min()).item()
