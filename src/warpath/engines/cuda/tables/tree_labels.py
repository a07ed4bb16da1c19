"""Labels over an elimination tree on a device: distances of pairs, and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base import settings, units
from warpath.base.errors import NotEnoughMemoryError, VertexError
from warpath.engines import cpu
from warpath.engines.base import Raw
from warpath.engines.cuda.entry import Types, kernel
from warpath.engines.cuda.tables.deliver import Delivery
from warpath.engines.cuda.tables.fill import fill
from warpath.engines.cuda.tables.pair_solvers import solver_of
from warpath.engines.cuda.tables.widths import Width, largest_within
from warpath.engines.labels import labels_of
from warpath.graph.derived import Derived

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.engines.base import Device, Order, TableOrder, TripsOrder
    from warpath.engines.cuda.tables.fill import BatchSolver
    from warpath.graph import Graph

_BLOCK = 32  # positions of a block, `kPositionsOfBlock` of kernels/tree_labels.cuh
_LINE = 16  # entries, `kEntriesOfLine`
_NO_DEPTH = 65535  # `kNoDepth`
_OF_DEPTHS = 4  # bytes of a position's depth, and of its part of the least depths at most
_BLOCKS_A_PROCESSOR = 64
_MOST_PAIRS = 2**24  # whose answers are copied while the next ones are computed

#: `TreePlace` of kernels/tree_labels.cuh.
_PLACE = np.dtype(
    [(name, np.uint32) for name in ("position", "line")]
    + [(name, np.uint16) for name in ("depth", "before", "after", "unused")]
)


class DeviceLabels(NamedTuple):
    """The labels of a graph on a device.

    Attributes
    ----------
    places : (n, 4) uint32, the place of each vertex in the tree.
    depths : (n,) uint16, the number of ancestors of each position.
    least : (rows, blocks) uint16, in row r the least depths of 2^r blocks of positions.
    up, down : (entries,) each, the same array where both directions have equal distances.
    """

    places: Array
    depths: Array
    least: Array
    up: Array
    down: Array

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(int(array.nbytes) for array in {id(each): each for each in self}.values())


_LABELS: Derived[DeviceLabels] = Derived(
    __name__, "labels over the elimination tree", lambda labels: labels.nbytes
)


def device_labels(graph: Graph, device: Device) -> DeviceLabels | None:
    """Return the labels of a graph on a device, kept with the graph; the first call copies them.

    None if sums of weights may not fit 64 bits.

    Raises
    ------
    NotEnoughMemoryError
        If the device's free memory does not hold them.
    """
    labels = labels_of(graph, settings.threads())
    if labels is None:
        return None

    def copied() -> DeviceLabels:
        need, free = labels_bytes(labels), device.free_memory()
        if need > free:
            msg = (
                f"labels take {units.size(need)} on {device.name}, but {units.size(free)} are "
                "free: end what else uses this GPU, take a larger one, or use device='cpu'."
            )
            raise NotEnoughMemoryError(msg)
        up, down = labels.arrays()
        places, depths, least = map(device.put, tree_arrays(*labels.tree.arrays()))
        there = device.put(up)
        both = there, there if down is None else device.put(down)
        return DeviceLabels(places, depths, least, *both)

    return _LABELS.of(graph, copied, device.name)


def labels_bytes(labels: Any) -> int:
    """Return the bytes that labels of the core take on a device."""
    entries = int(labels.nbytes) - int(labels.tree.nbytes)
    return entries + int(labels.tree.n) * (_PLACE.itemsize + _OF_DEPTHS)


def tree_arrays(position: Array, parent: Array) -> tuple[Array, Array, Array]:
    """Return the places, depths and least depths of a tree, as in `DeviceLabels`.

    Parameters
    ----------
    position : (n,) of each vertex.
    parent : (n,) of each position; -1 for a root.
    """
    n = len(parent)
    depth = _depths(parent)
    lines = -(-(depth.astype(np.int64) + 1) // _LINE)
    blocks = -(-n // _BLOCK)
    by_block = np.full((blocks, _BLOCK), _NO_DEPTH, np.uint16)
    by_block.reshape(-1)[:n] = depth
    onward = np.minimum.accumulate(by_block[:, ::-1], axis=1)[:, ::-1]
    after = np.full_like(by_block, _NO_DEPTH)
    after[:, :-1] = onward[:, 1:]
    places = np.zeros(n, _PLACE)
    places["position"] = np.arange(n)
    places["line"] = np.cumsum(lines) - lines
    places["depth"] = depth
    places["before"] = np.minimum.accumulate(by_block, axis=1).reshape(-1)[:n]
    places["after"] = after.reshape(-1)[:n]
    rows, width = [by_block.min(axis=1, initial=_NO_DEPTH)], 1
    while 2 * width <= blocks:
        row = rows[-1].copy()
        row[: blocks - width] = np.minimum(row[: blocks - width], row[width:])
        rows.append(row)
        width *= 2
    return places[position].view(np.uint32).reshape(n, 4), depth, np.stack(rows)


def _depths(parent: Array) -> Array:
    """Return the number of ancestors of each position, by jumps of 1, 2, 4, ... parents."""
    up = np.append(np.where(parent < 0, len(parent), parent), len(parent))
    depth = (up < len(parent)).astype(np.uint16)
    while (up < len(parent)).any():
        depth += depth[up]
        up = up[up]
    return depth[:-1].copy()


class _Launcher:
    """Launches of one kind of kernel on the labels of a graph.

    Attributes
    ----------
    label : type of labels.
    """

    def __init__(
        self, kind: str, labels: DeviceLabels, device: Device, cutoff: float | None
    ) -> None:
        self.label = labels.up.dtype
        self._device = device
        self._kernel = kernel(kind, Types.of(np.int32, self.label, self.label), device.block)
        self._unfit = device.xp.zeros(1, np.int32)
        self._narrow = False
        width = Width(self.label.name, self.label.name, proven=True)
        self._given: dict[str, Any] = {
            **labels._asdict(),
            "blocks": labels.least.shape[1],
            "cutoff": largest_within(cutoff, width),
            "unfit": self._unfit,
        }

    def launch(self, into: Array, **given: Any) -> None:
        """Start to fill an array of the device; its type may be the other width of integers."""
        self._narrow = self._narrow or into.dtype.itemsize < self.label.itemsize
        out = "wide" if into.dtype == np.int64 else "small"
        out = "same" if into.dtype == self.label else out
        arguments = self._kernel.arguments(**self._given, **given, **{out: into})
        groups = -(-into.size // (self._device.block // 8))
        blocks = min(groups, _BLOCKS_A_PROCESSOR * self._device.processors)
        self._device.launch(self._kernel, blocks, *arguments)

    def check(self) -> None:
        """Raise OverflowError if a distance did not fit the array; waits for launches then."""
        if self._narrow and int(self._device.get(self._unfit)[0]):
            msg = "a distance does not fit int32"
            raise OverflowError(msg)


def tree_label_table(order: TableOrder, device: Device) -> Raw:
    """Run `Loop.TREE_LABELS` for a table."""
    if order.out.size == 0:
        return Raw(order.out)

    def make(order: Order, device: Device, width: Width) -> BatchSolver:
        labels = device_labels(order.graph, device)
        if labels is None:  # sums near the end of 64 bits
            return solver_of(order, device, width)
        return LabelRowsSolver(order, device, labels)

    return fill(order, device, make)


class LabelRowsSolver:
    """Fills the rows of a table from labels; a `warpath.engines.cuda.tables.fill.BatchSolver`."""

    def __init__(self, order: Order, device: Device, labels: DeviceLabels) -> None:
        targets = order.problem.targets
        self._device = device
        self._launcher = _Launcher("tree_label_table", labels, device, order.problem.cutoff)
        self._columns = order.graph.n if targets is None else len(targets)
        self._targets = None if targets is None else device.put(np.asarray(targets, np.int64))
        self.batch = max(len(order.problem.sources), 1)
        self.stats: dict[str, int] = {}

    def run(self, sources: Array, into: Array) -> None:
        """Start to fill the rows of some sources."""
        self._launcher.launch(
            into,
            sources=self._device.put(sources),
            targets=self._targets,
            rows=len(into),
            columns=self._columns,
        )

    def lost(self) -> bool:
        """Return False, as all sums fit; raise OverflowError if one does not fit the table."""
        self._launcher.check()
        return False


def tree_label_pairs(order: TripsOrder, device: Device) -> Raw:
    """Run `Loop.TREE_LABELS` for pairs."""
    graph, problem = order.graph, order.problem
    labels = device_labels(graph, device)
    if labels is None:  # sums near the end of 64 bits, which Dijkstra's search adds with care
        return cpu.run(order)
    if order.out is not None:
        return _left_there(order, device, labels, order.out)
    dist = np.empty((len(problem.sources), 1), graph.dist_dtype)
    launcher = _Launcher("tree_label_pairs", labels, device, problem.cutoff)
    delivery = Delivery(dist, device, dist.dtype)
    step = min(delivery.most, _MOST_PAIRS)
    for done in range(0, len(dist), step):
        some = slice(done, min(done + step, len(dist)))
        ends = {
            name: device.put(np.ascontiguousarray(of[some], np.int64))
            for name, of in (("sources", problem.sources), ("targets", problem.targets))
        }
        into = delivery.room(some)
        launcher.launch(into, rows=len(into), **ends)
        delivery.take(some)
        if order.progress is not None:
            order.progress(some.stop, len(dist))
    delivery.close()
    return Raw(dist[:, 0])


def _left_there(order: TripsOrder, device: Device, labels: DeviceLabels, out: Array) -> Raw:
    """Find the distances of pairs whose ends are on the device, and leave them there."""
    xp, problem, n = device.xp, order.problem, order.graph.n
    given = problem.sources, problem.targets
    ends = [xp.ascontiguousarray(xp.asarray(of).astype(np.int64, copy=False)) for of in given]
    for name, vertices in zip(("origins", "destinations"), ends, strict=True):
        if int(vertices.min()) < 0 or int(vertices.max()) >= n:
            at = int(xp.argmax((vertices < 0) | (vertices >= n)))
            bad = int(vertices[at])
            msg = f"vertex {bad} does not exist (in {name}[{at}]): vertices are 0 .. {n - 1}."
            raise VertexError(msg).about(name, bad, at)
    launcher = _Launcher("tree_label_pairs", labels, device, problem.cutoff)
    launcher.launch(xp.asarray(out), rows=len(ends[0]), sources=ends[0], targets=ends[1])
    launcher.check()
    return Raw(out)
