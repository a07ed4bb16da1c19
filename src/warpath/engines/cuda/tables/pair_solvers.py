"""Batches of sources in common rounds: (source, vertex) pairs, or 64 sources per vertex."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from warpath.base.errors import NotEnoughMemoryError
from warpath.engines.cuda.tables.fill import Common, fill
from warpath.engines.cuda.tables.widths import bucket
from warpath.graph.derived import Derived
from warpath.planner.gpu_model import PAIRS_AT_ONCE, SIDE_BY_SIDE

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.engines.base import Device, Order, Raw, TableOrder
    from warpath.engines.cuda.tables.fill import BatchSolver
    from warpath.engines.cuda.tables.widths import Width
    from warpath.graph import Graph

_RUN = 32  # maximum edges of an item, `kRowEdges`
_ROUNDS = 10  # place of the number of rounds in `control`, `kRounds`
_MOST_PAIRS = 2**32 - 1  # pairs and entries are numbered in 32 bits
_KEPT_FREE = 0.9  # of the free memory may be taken
#: Default width of a bucket of pairs, in mean weight / mean degree.
_BUCKET = 60.0
#: Pairs of a batch if the frontiers of sources overlap: then all labels are in use at once and must
#: fit the cache.
_IN_CACHE = 2**22
#: All pairs of a grid of 100 x 100 took 122 ms in one batch, 56 in three.
_MOST_SOURCES = 4096
#: Minimum mean degree for rows: below it, most sources of a row have nothing to relax.
_DEGREE = 4
#: Frontiers overlap if _HOPS hops from a source lead to at least _REACHED vertices.
_HOPS, _REACHED = 10, 2048
_PROBES = 3  # vertices that are tested


def pairs(order: TableOrder, device: Device) -> Raw:
    """Run `Loop.PAIRS`."""
    return fill(order, device, solver_of)


def solver_of(order: Order, device: Device, width: Width) -> BatchSolver:
    """Return the solver for single pairs, or for 64 sources with adjacent labels."""
    requested = order.params.get("together")
    if requested is None:
        graph = order.graph
        several = len(order.problem.sources) > 1
        dense = several and graph.facts(symmetry=False).mean_degree >= _DEGREE
        requested = SIDE_BY_SIDE if dense and fronts_meet(graph) else 1
    return (
        PairRowsSolver(order, device, width)
        if requested > 1
        else PairListSolver(order, device, width)
    )


_FRONTS_MEET: Derived[bool] = Derived(__name__, "whether the sources' frontiers overlap")


def fronts_meet(graph: Graph) -> bool:
    """Return whether a few hops from a vertex lead to thousands of vertices.

    Then the frontiers of different sources overlap. The result is cached. It takes O(edges of the
    vertices reached) from some vertices with edges: 6 ms on R-MAT 18 16, whose solve takes 4 ms.
    """

    def any_is_wide() -> bool:
        usable = np.flatnonzero(np.diff(graph.indptr))
        chosen = usable[np.linspace(0, len(usable) - 1, min(_PROBES, len(usable))).astype(np.int64)]
        return any(_is_wide_around(graph, int(v)) for v in chosen)

    return _FRONTS_MEET.of(graph, any_is_wide)


def _is_wide_around(graph: Graph, source: int) -> bool:
    seen = np.zeros(graph.n, np.bool_)
    seen[source] = True
    front, reached = np.array([source]), 1
    for _ in range(_HOPS):
        starts, ends = graph.indptr[front], graph.indptr[front + 1]
        degrees = ends - starts
        edges = np.repeat(ends - np.cumsum(degrees), degrees) + np.arange(degrees.sum())
        onto = np.unique(graph.indices[edges])
        front = onto[~seen[onto]].astype(np.int64)
        seen[front] = True
        reached += len(front)
        if reached >= min(_REACHED, graph.n // 2):
            return True
    return False


class PairListSolver:
    """Solves with a row of labels per source and lists of (source, vertex) pairs."""

    def __init__(self, order: Order, device: Device, width: Width) -> None:
        self._common = common = Common(order, device, width, "pairs")
        n, xp = max(common.n, 1), device.xp
        a_source = n * (common.label.itemsize + 4 * 4) + 3 * ((n + 31) // 32) * 4
        self.batch = _batch(order, device, a_source, _MOST_PAIRS // n)
        size = self.batch * n
        self._dist = xp.empty(size, common.label)
        self._near, self._far = xp.empty(2 * size, np.uint32), xp.empty(2 * size, np.uint32)
        self._bits = xp.empty(3 * ((size + 31) // 32), np.uint32)
        self._control = xp.empty(_ROUNDS + 1, np.uint32)
        self._minimum = xp.empty(3, common.label)
        degree = max(order.graph.facts(symmetry=False).mean_degree, 1)
        self._delta = bucket(order.graph, width, order.params.get("delta"), _BUCKET / degree)
        self._rounds = xp.zeros(1, np.uint32)

    @property
    def stats(self) -> dict[str, int]:
        """The rounds of all batches; waits for the launches so far."""
        return {"rounds": int(self._common.device.get(self._rounds)[0])}

    def run(self, sources: Array, into: Array) -> None:
        """Start to fill the rows of some sources."""
        common, device = self._common, self._common.device
        own = device.put(np.arange(len(sources)) * common.n + sources)
        self._dist[: len(sources) * common.n].fill(common.width.unreachable)
        self._dist[own] = 0
        self._near[: len(sources)] = own
        self._bits.fill(0)
        self._minimum.fill(common.width.unreachable)
        self._control.fill(0)
        self._control[:1] = len(sources)
        common.launch(
            device.resident_blocks(common.kernel),
            into,
            delta=self._delta,
            dist=self._dist,
            near=self._near,
            far=self._far,
            bits=self._bits,
            control=self._control,
            minimum=self._minimum,
        )
        self._rounds += self._control[_ROUNDS : _ROUNDS + 1]

    def lost(self) -> bool:
        """Return whether a sum did not fit the labels."""
        return self._common.lost()


class PairRowsSolver:
    """Solves with adjacent labels of 64 sources and a word of waiting sources per vertex."""

    batch = SIDE_BY_SIDE

    def __init__(self, order: Order, device: Device, width: Width) -> None:
        self._common = common = Common(order, device, width, "pair_rows")
        n, xp = max(common.n, 1), device.xp
        runs = n + order.graph.m // _RUN  # items of a round, at most
        _batch(order, device, n * (SIDE_BY_SIDE * common.label.itemsize + 8) + 16 * runs, 1)
        self._dist = xp.empty(n * SIDE_BY_SIDE, common.label)
        self._waiting, self._busy = xp.empty(n, np.uint64), xp.empty(3, np.uint64)
        self._items = xp.empty(2 * runs, np.uint64)
        self._control = xp.empty(8, np.uint32)
        self._minimum = xp.empty(3 * SIDE_BY_SIDE, common.label)
        self._delta = bucket(order.graph, width, order.params.get("delta"), math.inf)
        self.stats = common.stats

    def run(self, sources: Array, into: Array) -> None:
        """Start to fill the rows of some sources."""
        common, device = self._common, self._common.device
        for array in (self._dist, self._minimum):
            array.fill(common.width.unreachable)
        for array in (self._waiting, self._busy, self._control):
            array.fill(0)
        lanes = np.arange(len(sources))
        self._dist[device.put(sources * SIDE_BY_SIDE + lanes)] = 0
        at, owner = np.unique(sources, return_inverse=True)
        bits = np.zeros(len(at), np.uint64)
        np.bitwise_or.at(bits, owner, np.uint64(1) << lanes.astype(np.uint64))
        self._waiting[device.put(at)] = device.put(bits)
        common.launch(
            device.resident_blocks(common.kernel),
            into,
            delta=self._delta,
            dist=self._dist,
            waiting=self._waiting,
            items=self._items,
            control=self._control,
            minimum=self._minimum,
            busy=self._busy,
        )

    def lost(self) -> bool:
        """Return whether a sum did not fit the labels."""
        return self._common.lost()


def _batch(order: Order, device: Device, size: int, most: int) -> int:
    """Return how many items of `size` bytes to solve at once, at most `most`."""
    requested = len(order.problem.sources)
    chosen = order.params.get("batch")
    if chosen is None:
        wide = fronts_meet(order.graph)
        chosen = max((_IN_CACHE if wide else PAIRS_AT_ONCE) // max(order.graph.n, 1), SIDE_BY_SIDE)
        chosen = min(chosen, _MOST_SOURCES)
    fitting = int(device.free_memory() * _KEPT_FREE) // size
    if fitting < 1:
        msg = (
            f"{order.recipe.name} takes {size:,} bytes at least, and {device.name} has "
            f"{device.free_memory():,} free. Use device='cpu'."
        )
        raise NotEnoughMemoryError(msg)
    return max(min(requested, fitting, most, int(chosen)), 1)
