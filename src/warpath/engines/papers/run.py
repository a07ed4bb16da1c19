"""What every round-based solve on a device has: labels, and steps launched by the host."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base.dtypes import unreachable
from warpath.engines.cuda.entry import Kernel, Types, kernel
from warpath.engines.papers.clock import Clock
from warpath.engines.papers.policies import axes_of
from warpath.recipes.axes import Map

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.engines.base import Device, Order
    from warpath.recipes.axes import Axes

#: Blocks a multiprocessor that a grid-stride launch makes: eight of 256 threads fill one.
_BLOCKS_A_PROCESSOR = 8


class Counted(NamedTuple):
    """What traced kernels count, in the order of `Counter` of base.cuh."""

    relaxed: int = 0
    improved: int = 0
    read: int = 0
    selected: int = 0


class Run(Clock):
    """One solve.

    Attributes
    ----------
    dist : (n,) on the device, the labels; unset until the solve ends.
    """

    dist: Array

    def __init__(self, order: Order, device: Device) -> None:
        super().__init__(order, device.synchronize)
        graph = order.graph
        self.device = device
        self.xp: Any = device.xp
        self.n = graph.n
        self.unreachable = unreachable(graph.dist_dtype)
        self.types = Types.of(graph.indices.dtype, graph._solver_weights.dtype, graph.dist_dtype)
        self.label = graph.dist_dtype.type
        self._kernels: dict[Any, Kernel] = {}

    @cached_property
    def _counters(self) -> Array:
        counters: Array = self.xp.zeros(len(Counted._fields), np.uint64)
        return counters

    @property
    def axes(self) -> Axes:
        """The axes of the recipe."""
        return axes_of(self.order.recipe)

    def labels(self, source: int) -> Array:
        """Return new labels: 0 at the source, elsewhere unreachable."""
        dist: Array = self.xp.full(self.n, self.unreachable, self.order.graph.dist_dtype)
        dist[source] = 0
        return dist

    def flags(self, *ones: int) -> Array:
        """Return new flags, set at the given vertices."""
        flags: Array = self.xp.zeros(self.n, np.uint8)
        for flag in ones:
            flags[flag] = 1
        return flags

    def kernel(self, kind: str, **policies: str | bool) -> Kernel:
        """Return a kernel of this solve's types."""
        key = (kind, *policies.items())
        if key not in self._kernels:
            self._kernels[key] = kernel(kind, self.types, self.device.block, *policies.items())
        return self._kernels[key]

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """The kernels that were requested so far."""
        return tuple(self._kernels.values())

    def launch(self, step: Kernel, size: int, /, **given: Any) -> None:
        """Launch a kernel over `size` items.

        Parameters
        ----------
        blocks : how many there are, if not one thread for each item.
        given : parameters of the kernel by name; pointers that are not given are null.
        """
        blocks = given.pop("blocks", self.blocks(size))
        if blocks == 0:
            return
        if self.traced:
            given["counters"] = self._counters
        given = {"n": size, "size": size} | given  # as a step over vertices or over a list has it
        self.device.launch(step, blocks, *step.arguments(**given))

    def blocks(self, items: int, each: int = 1) -> int:
        """Return how many blocks hold items, `each` of them a thread."""
        return -(-items // (self.device.block * each))

    def push_blocks(self) -> int:
        """Return how many blocks push from flagged vertices under the recipe's map."""
        blocks = self.blocks(self.n)
        return min(blocks, self.resident_blocks) if self.axes.map is Map.GRID_STRIDE else blocks

    @property
    def resident_blocks(self) -> int:
        """The blocks that run at once on a full device."""
        return _BLOCKS_A_PROCESSOR * self.device.processors

    def counted(self) -> Counted:
        """Return what the kernels counted since the last call."""
        counted = Counted(*self.device.get(self._counters).tolist())
        self._counters.fill(0)
        return counted
