"""Edges classified by their ends, as in the Johnson paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpath.engines.rounds.run import Counted, resident
from warpath.graph.derived import Derived

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.engines.cuda.entry import Kernel
    from warpath.engines.rounds.run import Run


_CLASSES: Derived[Array] = Derived(__name__, "classes of vertices on a device")
_LEAVES: Derived[Array] = Derived(__name__, "vertices without out-edges")


def leaves_kernel(run: Run) -> Kernel:
    """Return the kernel that gives vertices without out-edges their labels."""
    return run.kernel("pull", bounds="GlobalBounds", traced=run.traced)


class Classes:
    """The classes of vertices that a push over classified edges takes, and what it leaves undone.

    Self-loops are never relaxed, but a negative one is seen. Edges out of the source start from 0.
    A target of in-degree 1 is lowered without an atomic. Targets of out-degree 0 are left out, and
    all get their labels at the end.
    """

    def __init__(self, run: Run) -> None:
        graph = run.order.graph
        self._run = run
        self._leaf: Array = _LEAVES.of(graph, lambda: np.diff(graph.indptr) == 0)
        self.vertices = _CLASSES.of(graph, self._of_vertices, run.device.name)

    def _of_vertices(self) -> Array:
        single = np.diff(self._run.order.graph.reversed().indptr) == 1
        return self._run.device.put((1 * single + 2 * self._leaf).astype(np.uint8))

    def assign_leaves(self) -> None:
        """Give vertices without out-edges their labels, which no other label depends on."""
        run, leaf = self._run, self._leaf
        source = run.order.problem.source
        if leaf[source]:
            leaf = leaf.copy()
            leaf[source] = False
        if not leaf.any():
            return
        entering = resident(run.order.graph, run.device, reverse=True)
        flags, others = (run.device.put(which.astype(np.uint8)) for which in (leaf, ~leaf))
        with run.step("leaves"):
            run.launch(
                leaves_kernel(run),
                run.n,
                **entering.named(),
                dist=run.dist,
                frontier=others,
                unsettled=flags,
            )
        done = run.counted() if run.traced else Counted()
        run.round("leaves", int(leaf.sum()), done.relaxed, done.improved, done.read)
