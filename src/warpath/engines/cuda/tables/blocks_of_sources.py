"""One block of threads per source, for graphs whose labels fit a block's shared memory."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from warpath.engines.cuda.tables.fill import Common, fill
from warpath.engines.cuda.tables.pair_solvers import solver_of
from warpath.engines.cuda.tables.widths import bucket

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.engines.base import Device, Order, Raw, TableOrder
    from warpath.engines.cuda.tables.fill import BatchSolver
    from warpath.engines.cuda.tables.widths import Width
    from warpath.graph import Graph

_OWN = 2048  # bytes of a block's shared memory for static arrays and the system
#: Default width of a bucket, in mean weights.
_BUCKET = 4.0
_MOST_SOURCES = 2**14  # of a launch; a solve can be stopped between launches
_MOST_EDGES = 2**31 - 1


def block_a_source(order: TableOrder, device: Device) -> Raw:
    """Run `Loop.BLOCK_A_SOURCE`."""
    return fill(order, device, block_or_pair_solver)


def block_or_pair_solver(order: Order, device: Device, width: Width) -> BatchSolver:
    """Return the solver with one block per source if a block can hold the labels, else pairs.

    A block cannot hold them if labels need 64 bits and the graph is too large for that, or on a GPU
    with less shared memory than the recipe assumes.
    """
    if fits(order.graph, width, device):
        return BlockPerSourceSolver(order, device, width)
    return solver_of(order, device, width)


def shared_bytes(n: int, label: int) -> int:
    """Return the bytes of shared memory per source: labels, waiting bits, the list of a round."""
    return n * (label + 2) + (n + 31) // 32 * 4 + 2


def fits(graph: Graph, width: Width, device: Device) -> bool:
    """Return whether a block can hold the labels of a graph in this width."""
    size = shared_bytes(graph.n, np.dtype(width.label).itemsize)
    return size + _OWN <= device.shared_memory and graph.m <= _MOST_EDGES


class BlockPerSourceSolver:
    """Solves batches of sources, one block of threads per source."""

    def __init__(self, order: Order, device: Device, width: Width) -> None:
        self._common = common = Common(order, device, width, "block_a_source")
        size = shared_bytes(common.n, common.label.itemsize)
        common.kernel = replace(common.kernel, shared=size)
        self.batch = _MOST_SOURCES
        self._delta = bucket(order.graph, width, order.params.get("delta"), _BUCKET)
        self._next = device.xp.zeros(1, np.uint64)
        self.stats = common.stats

    def run(self, sources: Array, into: Array) -> None:
        """Start to fill the rows of some sources."""
        common = self._common
        self._next.fill(0)
        blocks = min(common.device.resident_blocks(common.kernel), len(sources))
        common.launch(
            blocks, into, sources=common.device.put(sources), delta=self._delta, next=self._next
        )

    def lost(self) -> bool:
        """Return whether a sum did not fit the labels."""
        return self._common.lost()
