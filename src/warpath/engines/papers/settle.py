"""Relax the frontier, find the round's minimum, settle what it allows, with steps on the CPU.

The three steps may run on different processors; what one side changes travels to the other. Where
all three are on the GPU, one launch makes all rounds instead (`on_device.py`).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from warpath import _core
from warpath.base.dtypes import unreachable
from warpath.engines.base import Raw
from warpath.engines.cpu import refuse_overflow
from warpath.engines.cuda.rows import resident
from warpath.engines.dense import adjacency_matrix
from warpath.engines.papers.clock import Clock
from warpath.engines.papers.policies import step_map, step_write
from warpath.engines.papers.run import Counted, Run
from warpath.graph.derived import Derived
from warpath.recipes.axes import Direction, Layout, Memory, Reduce, Side

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.base.dtypes import Array
    from warpath.engines.base import Device, Order
    from warpath.engines.cuda.entry import Kernel
    from warpath.graph import Graph

_MATRIX: Derived[Array] = Derived(__name__, "adjacency matrix on a device")
_LIGHTEST_OUT: Derived[Array] = Derived(__name__, "lightest edge out of each vertex, on a device")
_BLOCK_EDGES: Derived[tuple[Array, Array]] = Derived(__name__, "edges between blocks of vertices")


def settle(run: Run) -> bool:
    """Run `Loop.SETTLE` with steps on both processors; True."""
    source = run.order.problem.source
    run.dist = run.labels(source)
    unsettled = run.flags()
    unsettled.fill(1)
    unsettled[source] = 0
    place = run.axes.place
    labels = (
        Shared(run.dist, run.device, on_host=bool(place.on_cpu)),
        Shared(run.flags(source), run.device, on_host=Side.CPU in {place.relax, place.update}),
        Shared(unsettled, run.device, on_host=bool(place.on_cpu)),
    )
    side: dict[Side, Steps] = {Side.GPU: GpuSteps(run, *labels)}
    if place.on_cpu:
        side[Side.CPU] = CpuSteps(run.order, *labels)
    _rounds(run, side[place.relax], side[place.reduce], side[place.update])
    run.dist = labels[0].on(Side.GPU)
    return True


def on_cpu(order: Order) -> Raw:
    """Run `Loop.SETTLE` on the CPU alone."""
    dist, rounds = settle_on_cpu(order)
    refuse_overflow(order.graph, order.problem, dist)
    return Raw(dist, stats={"rounds": rounds})


def settle_on_cpu(order: Order) -> tuple[Array, int]:
    """Run `Loop.SETTLE` on the CPU alone; return the labels and how many rounds it took."""
    graph, source = order.graph, order.problem.source
    dist = np.full(graph.n, unreachable(graph.dist_dtype), graph.dist_dtype)
    frontier, unsettled = np.zeros(graph.n, np.uint8), np.ones(graph.n, np.uint8)
    dist[source], frontier[source], unsettled[source] = 0, 1, 0
    steps = CpuSteps(order, Shared(dist), Shared(frontier), Shared(unsettled))
    clock = Clock(order)
    _rounds(clock, steps, steps, steps)
    return dist, clock.rounds


def _rounds(run: Clock, relaxing: Steps, reducing: Steps, updating: Steps) -> None:
    """Repeat the three steps until no unsettled vertex has a path (or, for `OUT`, an edge).

    A threshold is not below the least label, so a round settles at least one vertex: with the
    source settled before and one round that finds nothing, n rounds are enough.
    """
    selected = 1
    report = run.order.progress if isinstance(updating, CpuSteps) else None  # only these count
    settled = 1
    while True:
        run.must_end_within(run.order.graph.n, run.rounds + 1)
        with run.step("relax"):
            done = relaxing.relax()
        with run.step("reduce"):
            threshold = reducing.reduce()
        ended = threshold == reducing.unreachable
        now = selected
        if not ended:
            with run.step("update"):
                selected = updating.update(threshold)
            settled += selected
            if report is not None:
                report(settled, run.order.graph.n)
        run.round("settle", now, done.relaxed, done.improved, done.read)
        if ended:
            return


class Steps(Protocol):
    """The three steps on one processor."""

    unreachable: Any

    def relax(self) -> Counted:
        """Lower labels over edges out of the frontier; return what was counted."""
        ...

    def reduce(self) -> Any:
        """Return the round's minimum."""
        ...

    def update(self, threshold: Any) -> int:
        """Make what the threshold settles the frontier; return how many they are, if counted."""
        ...


class CpuSteps:
    """The steps as loops of the core."""

    def __init__(self, order: Order, dist: Shared, frontier: Shared, unsettled: Shared) -> None:
        graph, axes = order.graph, order.recipe.axes
        assert axes is not None  # noqa: S101 - every recipe with a round-based loop has them
        self.unreachable = unreachable(graph.dist_dtype)
        self._label = graph.dist_dtype.type
        self._arrays = dist, frontier, unsettled
        blocks = (
            -(-graph.n // _core.COMPOUND_FRONTIER_BLOCK) if axes.place.reduce is Side.CPU else 0
        )
        self._least = np.empty(blocks, graph.dist_dtype)  # of each block, left by the minimum
        push = axes.direction is Direction.PUSH
        if axes.layout is Layout.DENSE:
            self._graph: tuple[Array, ...] = (matrix_of(order),)
            self._relax: Any = (
                _core.compound_frontier_relax_f_dense
                if push
                else _core.compound_frontier_relax_u_dense
            )
        else:
            rows = graph if push else graph.reversed()
            self._graph = (*rows._solver_rows, *(() if push else block_edges(rows)))
            self._relax = (
                _core.compound_frontier_relax_f if push else _core.compound_frontier_relax_u
            )

    def relax(self) -> Counted:
        """Lower the labels of unsettled vertices over edges out of the frontier."""
        dist, frontier, unsettled = self._arrays
        *counted, begin, end = self._relax(
            *self._graph, dist.on(Side.CPU), frontier.on(Side.CPU), unsettled.on(Side.CPU)
        )
        dist.wrote(Side.CPU, begin, end)
        return Counted(*counted)

    def reduce(self) -> Any:
        """Return the least label of the unsettled vertices."""
        dist, _, unsettled = self._arrays
        return _core.compound_frontier_minimum(
            dist.on(Side.CPU), unsettled.on(Side.CPU), self._least
        )

    def update(self, threshold: Any) -> int:
        """Make the unsettled vertices of a label the frontier; return how many they are."""
        dist, frontier, unsettled = self._arrays
        selected, begin, end = _core.compound_frontier_update(
            dist.on(Side.CPU), unsettled.on(Side.CPU), frontier.on(Side.CPU), threshold, self._least
        )
        frontier.wrote(Side.CPU, begin, end)
        unsettled.wrote(Side.CPU, begin, end)
        return selected


class GpuSteps:
    """The steps as kernels; those that the recipe places on the CPU are not made ready."""

    def __init__(self, run: Run, dist: Shared, frontier: Shared, unsettled: Shared) -> None:
        self._run = run
        self.unreachable = run.unreachable
        self._arrays = dist, frontier, unsettled
        place = run.axes.place
        if place.relax is Side.GPU:
            self._relax = self._relaxing()
        if place.reduce is Side.GPU:
            self._make_reduce()
        if place.update is Side.GPU:
            self._settle = run.kernel("settle", criterion="Equal", traced=run.traced)

    def _relaxing(self) -> Callable[..., None]:
        """Return what relaxes, given labels, frontier flags and unsettled flags."""
        run, axes = self._run, self._run.axes
        graph, device = run.order.graph, run.device
        push = axes.direction is Direction.PUSH
        if axes.layout is Layout.DENSE:
            matrix = matrix_on(graph, device, run.order)
            kernel = run.kernel("dense", push=push, write=step_write(axes), traced=run.traced)
            return partial(run.launch, kernel, run.n, matrix=matrix)
        rows = resident(graph, device, reverse=not push).named()
        if push:
            kernel = run.kernel(
                "push", map=step_map(axes), write=step_write(axes), traced=run.traced
            )
            return partial(self._push, kernel, rows)
        bounds = "SharedBoundsTextureFlags" if axes.memory is Memory.SHARED else "GlobalBounds"
        kernel = run.kernel("pull", bounds=bounds, traced=run.traced)
        return partial(run.launch, kernel, run.n, host_dist=self._arrays[0].mirror, **rows)

    def _push(
        self,
        kernel: Kernel,
        rows: dict[str, Any],
        *,
        dist: Array,
        frontier: Array,
        unsettled: Array,
    ) -> None:
        run = self._run
        run.launch(
            kernel,
            run.n,
            blocks=run.push_blocks(),
            dist=dist,
            flags=frontier,
            unsettled=unsettled,
            **rows,
        )

    def _make_reduce(self) -> None:
        run, axes = self._run, self._run.axes
        self._reduce = run.kernel("reduce", value="Unsettled")
        self._minima = run.xp.empty(run.blocks(run.n, 2), run.label)
        last = self._minima
        if axes.reduce is Reduce.TWO_PASS:
            self._second = run.kernel("reduce", value="Plain")
            last = run.xp.empty(run.blocks(len(self._minima), 2), run.label)
        self._left = run.device.host_array(last)
        self._mapped = run.device.mapped(self._left)

    def relax(self) -> Counted:
        """Lower the labels of unsettled vertices over edges out of the frontier."""
        run = self._run
        dist, frontier, unsettled = (a.on(Side.GPU) for a in self._arrays)
        self._relax(dist=dist, frontier=frontier, unsettled=unsettled)
        if run.axes.direction is Direction.PULL and run.axes.layout is not Layout.DENSE:
            self._arrays[0].mirrored()
        else:
            self._arrays[0].wrote(Side.GPU)
        return run.counted() if run.traced else Counted()

    def reduce(self) -> Any:
        """Return the round's minimum: the CPU takes the least of what the passes leave.

        The last pass writes to the host's page-locked memory.
        """
        run, minima = self._run, self._minima
        twice = run.axes.reduce is Reduce.TWO_PASS
        dist, _, unsettled = (a.on(Side.GPU) for a in self._arrays)
        run.launch(
            self._reduce,
            run.n,
            blocks=len(minima),
            values=dist,
            unsettled=unsettled,
            minima=minima if twice else self._mapped,
        )
        if twice:
            run.launch(
                self._second,
                len(minima),
                blocks=len(self._left),
                values=minima,
                minima=self._mapped,
            )
        run.device.synchronize()
        return self._left.min()

    def update(self, threshold: Any) -> int:
        """Make what the threshold settles the frontier; return how many they are, if counted."""
        run = self._run
        dist, frontier, unsettled = (array.on(Side.GPU) for array in self._arrays)
        run.launch(
            self._settle,
            run.n,
            dist=dist,
            threshold=threshold,
            unsettled=unsettled,
            frontier=frontier,
            host_frontier=self._arrays[1].mirror,
            host_unsettled=self._arrays[2].mirror,
        )
        for array in self._arrays[1:]:
            array.mirrored()
        return run.counted().selected if run.traced else 0


def block_edges(rows: Graph) -> tuple[Array, Array]:
    """Return the edges between blocks of vertices by which a pull on the CPU passes over blocks."""
    return _BLOCK_EDGES.of(
        rows, lambda: _core.compound_frontier_block_edges(rows.indptr, rows.indices)
    )


def matrix_on(graph: Graph, device: Device, order: Order) -> Array:
    """Return the adjacency matrix of an order's graph on a device; copied once and kept."""
    return _MATRIX.of(graph, lambda: device.put(matrix_of(order)), device.name)


def lightest_on(graph: Graph, device: Device) -> Array:
    """Return the least weight out of each vertex on a device; copied once and kept."""
    return _LIGHTEST_OUT.of(graph, lambda: device.put(lightest_out(graph)), device.name)


def matrix_of(order: Order) -> Array:
    """Return the adjacency matrix of an order's graph in its labels' type."""
    return adjacency_matrix(order.graph, order.graph._solver_weights)


def lightest_out(graph: Graph) -> Array:
    """Return the least weight out of each vertex, unreachable where there is no edge: (n,)."""
    least = np.full(graph.n, unreachable(graph.dist_dtype), graph.dist_dtype)
    src, _, weights = graph.edges()
    np.minimum.at(least, src, weights.astype(graph.dist_dtype))
    return least


class Shared:
    """An array with a copy on each side that works with it.

    Copies the changed range only, when the other side reads the array. A kernel may write its
    changes to the host's copy itself.

    Parameters
    ----------
    array : of the device, or of the host where there is none.
    device : the GPU.
    on_host : whether kernels find a copy on the host to write to.
    """

    def __init__(
        self, array: Array, device: Device | None = None, *, on_host: bool = False
    ) -> None:
        self._device = device
        self._copies = {Side.CPU if device is None else Side.GPU: array}
        self._missed = dict.fromkeys(Side, (0, 0))  # what the other side changed
        self._in_use = False  # whether the device may still read or write the host's copy
        self.mirror: Array | None = None
        if device is not None and on_host:
            self.mirror = device.mapped(self.on(Side.CPU))

    def on(self, side: Side) -> Array:
        """Return the array on a side, up to date."""
        device, copies = self._device, self._copies
        if device is None:
            return copies[side]
        if side not in copies:  # the host's: there is one on the device from the beginning
            there = copies[Side.GPU]
            copies[side] = device.get(there, device.host_array(there))
            self._missed[side] = 0, 0
        begin, end = self._missed[side]
        if begin < end:
            there, here = (copies[side][begin:end] for side in (Side.GPU, Side.CPU))
            if side is Side.GPU:
                device.put(here, there, wait=False)
                self._in_use = True
            else:
                device.get(there, here)
            self._missed[side] = 0, 0
        if side is Side.CPU and self._in_use:
            device.synchronize()
            self._in_use = False
        return copies[side]

    def wrote(self, side: Side, begin: int = 0, end: int | None = None) -> None:
        """Say that a side has changed places from `begin` to before `end`, by default all."""
        behind = len(self._copies[side]) if end is None else end
        other = Side.GPU if side is Side.CPU else Side.CPU
        first, last = self._missed[other]
        if begin < behind:
            self._missed[other] = (
                (min(first, begin), max(last, behind)) if first < last else (begin, behind)
            )

    def mirrored(self) -> None:
        """Say that a kernel was launched that writes what it changes to `mirror` as well."""
        self._in_use = True
