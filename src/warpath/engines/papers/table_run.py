"""Shared by the loops over an adjacency matrix: the type of labels, and output of rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.dtypes import unreachable
from warpath.engines.cuda.entry import Types
from warpath.engines.cuda.rows import longest, resident
from warpath.engines.cuda.tables.deliver import put
from warpath.engines.papers.run import Run
from warpath.engines.potentials import labels_or_cycle
from warpath.results.predecessors import tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warpath.base.dtypes import Array
    from warpath.engines.base import Device, TableOrder
    from warpath.graph import Graph

#: Bytes of temporary memory for a block of rows during output.
_ON_THE_WAY = 2**26


class TableRun(Run):
    """A solve of several sources at once.

    Attributes
    ----------
    rows : the graph's rows on the device.
    label : type of the labels: int32 if that is requested and holds every length, else the type
        of the graph's distances.
    paths : whether predecessors are computed.
    """

    order: TableOrder

    def __init__(self, order: TableOrder, device: Device) -> None:
        super().__init__(order, device)
        graph = order.graph
        label = graph.dist_dtype
        if asks_for_int32(order) and longest(graph) < 2**29:
            label = np.dtype(np.int32)
        self.label = label.type
        self.unreachable: Any = unreachable(label)
        self.types = Types.of(graph.indices.dtype, graph._solver_weights.dtype, label)
        self.rows = resident(graph, device)
        self.paths = order.pred is not None

    @property
    def sources(self) -> Array:
        """The sources of the order."""
        return self.order.problem.sources

    def lay_out(self, weights: Array, nothing: Any, *, paths: bool) -> tuple[Array, Array | None]:
        """Return the adjacency matrix for an array of edge lengths, and its predecessors.

        Parameters
        ----------
        weights : (m,) on the device.
        nothing : the entry for no edge.
        paths : whether predecessors are requested.
        """
        xp, n = self.xp, self.n
        dist = xp.full((n, n), nothing, self.label)
        pred = xp.full((n, n), -1, self.rows.indices.dtype) if paths else None
        kernel = self.kernel("lay", paths=paths)
        rows = self.rows._replace(weights=weights)
        self.launch(kernel, n, **rows.named(), dist=dist, pred=pred)
        return dist, pred

    def row_blocks(self, rows: int) -> Iterator[slice]:
        """Yield slices of rows that take little temporary memory."""
        rows_of_block = max(1, _ON_THE_WAY // (16 * max(self.n, 1)))
        for first in range(0, rows, rows_of_block):
            yield slice(first, min(first + rows_of_block, rows))

    def deliver(self, at: slice, dist: Array, pred: Array | None = None) -> None:
        """Copy rows of distances, (r, n) on the device, to the output; likewise predecessors."""
        order = self.order
        chosen = order.problem.targets
        columns = slice(None) if chosen is None else self.device.put(chosen)
        put(order.out, at, dist[:, columns], self.device)
        if pred is not None and order.pred is not None:
            put(order.pred, at, self._checked_predecessors(at, dist, pred)[:, columns], self.device)

    def _checked_predecessors(self, at: slice, dist: Array, pred: Array) -> Array:
        """Return predecessors that lead to their row's source; -1 there and where unreachable.

        The predecessors of a row with a cycle are computed again by a search on the CPU.
        """
        xp, graph = self.xp, self.order.graph
        rows = self.sources[at]
        pred = xp.where(dist == self.unreachable, -1, pred).astype(pred.dtype)
        pred[xp.arange(len(rows)), self.device.put(rows)] = -1
        if not circles_may_close(graph):
            return pred
        for row in np.flatnonzero(self.device.get(self._rows_with_cycles(pred))).tolist():
            source = int(rows[row])
            labels, _ = labels_or_cycle(graph, np.array([source]), None)
            pred[row] = self.device.put(tree(graph, source, labels))
        return pred

    def _rows_with_cycles(self, pred: Array) -> Array:
        """Return for each row whether the predecessors of a vertex do not lead to a root: (r,)."""
        xp = self.xp
        before = xp.where(pred < 0, xp.arange(self.n), pred)
        for _ in range(math.ceil(math.log2(max(self.n, 2)))):
            before = xp.take_along_axis(before, before, axis=1)
        lost = xp.take_along_axis(pred, before, axis=1) >= 0
        astray: Array = lost.any(axis=1)
        return astray


def asks_for_int32(order: TableOrder) -> bool:
    """Return whether int32 distances of integer weights are requested."""
    integer = order.graph.dist_dtype.kind == "i"
    return integer and order.out.dtype == np.int32


def circles_may_close(graph: Graph) -> bool:
    """Return whether predecessors can form a cycle, over edges that do not change the length.

    They cannot if every cycle is longer than 0 and sums are exact.
    """
    facts = graph.facts(symmetry=False)
    return not facts.integer or facts.min_weight <= 0
