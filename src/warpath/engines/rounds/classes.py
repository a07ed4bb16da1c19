"""Edges classified by their ends, as in the Johnson paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.engines.rounds.run import resident
from warpath.graph.derived import Derived

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.engines.rounds.run import Run


_CLASSES: Derived[Array] = Derived(__name__, "classes of vertices on a device")


class Classes:
    """What a push over classified edges takes, and what it leaves for the end.

    Self-loops are never relaxed, but a negative one is seen. Edges out of the source start from 0.
    A target of in-degree 1 is lowered without an atomic. Targets of out-degree 0 are left out, and
    all get their labels at the end.
    """

    def __init__(self, run: Run) -> None:
        graph = run.order.graph
        self._run = run
        self._pull = run.kernel("pull", bounds="GlobalBounds", traced=run.traced)
        self._leaf: Array = np.diff(graph.indptr) == 0
        self._classes = _CLASSES.of(graph, self._of_vertices, run.device.name)
        self._loop = run.xp.zeros(1, np.int32)

    def _of_vertices(self) -> Array:
        single = np.diff(self._run.order.graph.reversed().indptr) == 1
        return self._run.device.put((1 * single + 2 * self._leaf).astype(np.uint8))

    def named(self) -> dict[str, Any]:
        """Return the arguments by the names of the kernel's parameters."""
        source = self._run.order.problem.source
        return {"classes": self._classes, "source": source, "negative_loop": self._loop}

    def finish(self) -> bool:
        """Assign the leaves; return False if a negative cycle was seen."""
        run, source = self._run, self._run.order.problem.source
        if run.read(self._loop)[0]:
            return False
        if run.device.get(run.dist[source : source + 1])[0] < 0:
            return False  # its edges start from 0 whatever its label, so the cycle was left once
        self._assign_leaves(source)
        return True

    def _assign_leaves(self, source: int) -> None:
        """Give vertices without out-edges their labels, which no other label depends on."""
        run, leaf = self._run, self._leaf.copy()
        leaf[source] = False
        if not leaf.any():
            return
        entering = resident(run.order.graph, run.device, reverse=True)
        flags, others = (run.device.put(which.astype(np.uint8)) for which in (leaf, ~leaf))
        with run.step("leaves"):
            run.launch(
                self._pull,
                run.n,
                **entering.named(),
                dist=run.dist,
                frontier=others,
                unsettled=flags,
            )
        relaxed, improved, _ = run.counted() if run.traced else (0, 0, 0)
        run.round("leaves", int(leaf.sum()), relaxed, improved)
