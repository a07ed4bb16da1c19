"""A block of threads for each source, for graphs whose labels fit a block's shared memory."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from warpath import units
from warpath.engines.tables.fill import Common, fill
from warpath.engines.tables.widths import bucket
from warpath.errors import NotSupportedError

if TYPE_CHECKING:
    from warpath.engines.base import Array, Device, Order, Raw
    from warpath.engines.tables.widths import Width
    from warpath.graph import Graph

_OWN = 2048  # bytes of a block that the kernel and the system take for themselves
#: Mean weights that a bucket is wide.
_BUCKET = 2.0
_MOST_EDGES = 2**31 - 1


def block_a_source(order: Order, device: Device) -> Raw:
    """Run `Loop.BLOCK_A_SOURCE`.

    Raises
    ------
    NotSupportedError
        For a graph with too many vertices.
    """
    return fill(order, device, Blocks)


def shared_bytes(n: int, label: int) -> int:
    """Return the bytes of shared memory for a source: labels, their bits, the list of a round."""
    return n * (label + 2) + (n + 31) // 32 * 4 + 2


def fits(graph: Graph, width: Width, device: Device) -> bool:
    """Say whether a block can keep the labels of a graph in this width."""
    size = shared_bytes(graph.n, np.dtype(width.label).itemsize)
    return size + _OWN <= device.shared_memory and graph.m <= _MOST_EDGES


class Blocks:
    """Solves batches of any number of sources."""

    def __init__(self, order: Order, device: Device, width: Width) -> None:
        self._common = common = Common(order, device, width, "block_a_source")
        size = shared_bytes(common.n, common.label.itemsize)
        if not fits(order.graph, width, device):
            msg = (
                f"{order.recipe.name} keeps the labels of a source in a block's shared memory: "
                f"{common.n:,} vertices take {units.size(size + _OWN)}, {device.name} gives "
                f"{units.size(device.shared_memory)}. Use algorithm='warpath.pairs'."
            )
            raise NotSupportedError(msg)
        common.kernel = replace(common.kernel, shared=size)
        self.batch = max(len(order.problem.sources), 1)
        self._delta = bucket(order.graph, width, order.params.get("delta"), _BUCKET)
        self._next = device.xp.zeros(1, np.uint64)
        self.stats = common.stats

    def run(self, sources: Array, into: Array) -> None:
        """Begin to fill the rows of these sources."""
        common = self._common
        self._next.fill(0)
        blocks = min(common.device.resident_blocks(common.kernel), len(sources))
        common.launch(
            blocks, into, sources=common.device.put(sources), delta=self._delta, next=self._next
        )

    def lost(self) -> bool:
        """Say whether a sum did not fit the labels."""
        return self._common.lost()
