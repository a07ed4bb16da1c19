"""Sweeps down a contraction hierarchy from many sources: rows of a table, or their totals."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base import settings
from warpath.base.errors import NotEnoughMemoryError
from warpath.engines.base import Raw
from warpath.engines.cuda.entry import Kernel, Types, kernel
from warpath.engines.cuda.tables.fill import fill
from warpath.engines.cuda.tables.hierarchy_levels import distances_of_top, levels_of, top_of
from warpath.engines.cuda.tables.pair_solvers import solver_of
from warpath.engines.cuda.tables.upward_searches import AT_ONCE, UpwardSearches
from warpath.engines.cuda.tables.widths import Width, largest_within
from warpath.engines.hierarchy import hierarchy_of
from warpath.graph.derived import Derived

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warpath.base.dtypes import Array
    from warpath.engines.base import Device, Order, PreparedLaunch, TableOrder
    from warpath.engines.cuda.tables.fill import BatchSolver
    from warpath.engines.cuda.tables.upward_searches import Reached

#: Possible numbers of sources per sweep: the smallest that holds all sources, else the largest.
_WIDTHS = {4: (32, 64, 128, 256), 8: (32, 64, 128)}
#: What it costs on the host to find what is above a target, in labels of a sweep over all vertices.
_TARGET_COST = 12_000
_KEPT_FREE = 0.9  # of the free memory may be taken
_BLOCKS_OF_TOTALS = 8  # per multiprocessor
_SOURCES_AT_ONCE = 8  # `kSourcesAtOnce` of kernels/hierarchy_totals.cuh
_MOST_KEPT = 2**30  # bytes of a solver's buffers that are kept for the next call

#: The solver of the last table of whole rows, while no call uses it. To make it anew, with its
#: buffers, would take a third of the time of 32 sources of New York.
_IDLE: Derived[Any] = Derived(
    __name__, "buffers of sweeps", lambda solvers: sum(solver.nbytes for solver in solvers)
)


def hierarchy_sweep(order: TableOrder, device: Device) -> Raw:
    """Run `Loop.HIERARCHY_SWEEP` on a device."""
    if order.out.size == 0:
        return Raw(order.out)

    whole = order.problem.targets is None and order.problem.cutoff is None
    idle = _IDLE.of(order.graph, list, device.name)
    used: list[HierarchyRowsSolver] = []

    def make(order: Order, device: Device, width: Width) -> BatchSolver:
        hierarchy = hierarchy_of(order.graph, settings.threads())
        if hierarchy is None:  # sums near the end of 64 bits
            return solver_of(order, device, width)
        if whole:
            with suppress(IndexError):  # as another thread may take it at the same time
                used.append(idle.pop())
        if not used or used[0].width != _wanted_width(order, used[0].label.itemsize):
            used[:] = ()  # frees the memory for the new one
            used.append(HierarchyRowsSolver(order, device, hierarchy))
        return used[0]

    raw = fill(order, device, make)
    if whole and used and used[0].nbytes <= _MOST_KEPT:
        idle[:] = used  # `fill` has waited for all launches that use them
    return raw


class Sweeps:
    """Sweeps for as many sources at once as a line of labels holds.

    Attributes
    ----------
    levels : the hierarchy on the device.
    label : type of labels.
    width : maximum sources of a sweep.
    columns : the places of the targets, or of all vertices, on the device.
    labels : (places * width,) on the device, written by the last sweep.
    """

    def __init__(self, order: Order, device: Device, hierarchy: Any) -> None:
        graph, xp = order.graph, device.xp
        targets = order.problem.targets
        whole = levels_of(graph, hierarchy, device)
        if _is_restricted(order):
            self.levels = levels_of(graph, hierarchy, device, targets)
            self.columns = self.levels.columns
        else:
            self.levels = whole
            self.columns = whole.columns if targets is None else whole.columns[device.put(targets)]
        self.label = self.levels.down.weights.dtype
        self._top = len(top_of(graph, hierarchy))
        self._top_matrix = distances_of_top(graph, hierarchy, device, self.label)
        self.cutoff = largest_within(
            order.problem.cutoff, Width(self.label.name, self.label.name, proven=True)
        )
        self._device = device
        places = max(self.levels.places, 1)
        self.width = _width(order, device, places, self.label.itemsize)
        self._upward = UpwardSearches(device, hierarchy, whole, self.levels, self._top, self.width)
        self.labels = xp.empty(places * self.width, self.label)
        self.kernel: Kernel = kernel(
            "hierarchy_sweep", Types.of(np.int32, self.label, self.label), device.block
        )
        self._top_labels = xp.empty(max(self._top, 1) * self.width, self.label)
        self._touched = xp.zeros(places, np.uint32)
        self._arrived = xp.zeros(1, np.uint32)
        self._sweeps = 0
        self._launch = self._prepared()
        self._changing = [
            self.kernel.position(name)
            for name in ("sweep", "reached", "reached_from", "lanes", "reached_labels")
        ]

    def run(self, sources: Array) -> Iterator[slice]:
        """Sweep from up to `width` sources at a time; yield their slice after each launch."""
        for these, reached in self._upward(sources):
            self._sweep(reached)
            yield these

    def failed(self) -> bool:
        """Return whether labels are missing, and all sweeps must be made again."""
        return self._upward.failed()

    def _sweep(self, reached: Reached) -> None:
        self._sweeps += 1
        launch = self._launch
        for position, value in zip(self._changing, (self._sweeps, *reached), strict=True):
            launch.change(position, value)
        self._device.fire(launch)

    def _prepared(self) -> PreparedLaunch:
        """Return the launch of a sweep, of which `_sweep` sets what was reached."""
        arguments = self.kernel.arguments(
            levels=self.levels.levels,
            level_first=self.levels.level_first,
            first=self.levels.down.first,
            heads=self.levels.down.heads,
            weights=self.levels.down.weights,
            width=self.width,
            top=self._top,
            top_matrix=self._top_matrix,
            top_labels=self._top_labels,
            lost=self._upward.lost,
            touched=self._touched,
            labels=self.labels,
            arrived=self._arrived,
        )
        blocks = self._device.resident_blocks(self.kernel)
        return self._device.prepared(self.kernel, blocks, *arguments)


class HierarchyRowsSolver:
    """Fills the rows of a table by sweeps; a `warpath.engines.cuda.tables.fill.BatchSolver`."""

    def __init__(self, order: Order, device: Device, hierarchy: Any) -> None:
        self._sweeps = sweeps = Sweeps(order, device, hierarchy)
        self._device = device
        self._kernel = kernel(
            "hierarchy_rows", Types.of(np.int32, sweeps.label, sweeps.label), device.block
        )
        self._unfit = device.xp.zeros(1, np.int32)
        self._narrow = False
        self._last: Any = None  # the sources and the rows of the last run
        self.width, self.label = sweeps.width, sweeps.label
        self.nbytes = int(sweeps.labels.nbytes)
        self.batch = AT_ONCE * sweeps.width
        self.stats: dict[str, int] = {}

    def run(self, sources: Array, into: Array) -> None:
        """Start to fill the rows of some sources."""
        self._last = sources, into
        self._narrow = into.dtype.itemsize < self._sweeps.label.itemsize
        for these in self._sweeps.run(sources):
            rows = into[these]
            out = "same" if rows.dtype == self._sweeps.label else (
                "wide" if rows.dtype == np.int64 else "small"
            )  # fmt: skip
            arguments = self._kernel.arguments(
                columns=rows.shape[1],
                rows=len(rows),
                width=self._sweeps.width,
                places=self._sweeps.columns,
                labels=self._sweeps.labels,
                cutoff=self._sweeps.cutoff,
                unfit=self._unfit,
                **{out: rows},
            )
            squares = -(-rows.shape[1] // 32) * -(-len(rows) // 32)
            self._device.launch(
                self._kernel, min(squares, 32 * self._device.processors), *arguments
            )

    def lost(self) -> bool:
        """Return False, as all sums fit; raise OverflowError if one does not fit the table."""
        (sources, into), self._last = self._last, None
        if self._sweeps.failed():
            self._unfit.fill(0)  # it is about labels that were not set
            self.run(sources, into)
            self._last = None
        if self._narrow and int(self._device.get(self._unfit)[0]):
            msg = "a distance does not fit int32"
            raise OverflowError(msg)
        return False


def totals(order: Order, device: Device, names: tuple[str, ...]) -> dict[str, Array] | None:
    """Return totals of the distances from each source, without a table of them.

    Parameters
    ----------
    order : an order for MANY or APSP by `Loop.HIERARCHY_SWEEP`.
    names : "sum", "max", "count" or "harmonic", as in `warpath.results.totals.NAMES`.

    Returns
    -------
    dict or None
        (k,) arrays on the host by name. None without a hierarchy.
    """
    hierarchy = hierarchy_of(order.graph, settings.threads())
    if hierarchy is None:
        return None
    sources = np.ascontiguousarray(order.problem.sources, np.int64)
    sweeps = Sweeps(order, device, hierarchy)
    add = _Totals(order, device, sweeps, names)
    report = order.progress
    while True:
        for these in sweeps.run(sources):
            add(these)
            if report is not None:
                report(these.stop, len(sources))
        if not sweeps.failed():
            return add.sums()
        report = None  # all sources have been reported


class _Totals:
    """Computes totals on the device, sweep by sweep."""

    def __init__(
        self, order: Order, device: Device, sweeps: Sweeps, names: tuple[str, ...]
    ) -> None:
        xp: Any = device.xp
        self._device, self._sweeps = device, sweeps
        of_labels = Types.of(np.int32, sweeps.label, sweeps.label)
        self._kernel = kernel(
            "hierarchy_totals", of_labels, device.block, ("inverses", "harmonic" in names)
        )
        self._join = kernel("hierarchy_totals_join", of_labels, device.block)
        self._times = _times(order, device, sweeps)
        self._blocks = _BLOCKS_OF_TOTALS * device.processors
        k, shape = len(order.problem.sources), (self._blocks, sweeps.width)
        summed = np.dtype(np.int64 if sweeps.label.kind == "i" else np.float64)
        types = {"sum": summed, "harmonic": np.float64, "max": sweeps.label, "count": np.int64}
        self._parts = {name: xp.empty(shape, dtype) for name, dtype in types.items()}
        self._sums = {name: xp.empty(k, types[name]) for name in names}
        self._longest = order.graph.dist_dtype

    def __call__(self, these: slice) -> None:
        """Compute the totals of the last sweep, for the sources of a slice."""
        parts = self._parts
        arguments = self._kernel.arguments(
            places=self._sweeps.levels.places,
            width=self._sweeps.width,
            times=self._times,
            labels=self._sweeps.labels,
            cutoff=self._sweeps.cutoff,
            sums=parts["sum"],
            inverses=parts["harmonic"],
            largest=parts["max"],
            counts=parts["count"],
        )
        self._device.launch(self._kernel, self._blocks, *arguments)
        sums = {name: array[these] for name, array in self._sums.items()}
        arguments = self._join.arguments(
            blocks=self._blocks,
            width=self._sweeps.width,
            count=these.stop - these.start,
            sums=parts["sum"],
            inverses=parts["harmonic"],
            largest=parts["max"],
            counts=parts["count"],
            sum=sums.get("sum"),
            inverse=sums.get("harmonic"),
            most=sums.get("max"),
            reached=sums.get("count"),
        )
        self._device.launch(self._join, self._sweeps.width // _SOURCES_AT_ONCE, *arguments)

    def sums(self) -> dict[str, Array]:
        """Return the totals on the host."""
        sums = {name: self._device.get(array) for name, array in self._sums.items()}
        if "max" in sums:
            sums["max"] = sums["max"].astype(self._longest, copy=False)
        return sums


def _times(order: Order, device: Device, sweeps: Sweeps) -> Array | None:
    """Return how often each place is a target; None if every vertex is a target once."""
    if order.problem.targets is None:
        return None
    places = device.get(sweeps.columns)
    return device.put(np.bincount(places, minlength=sweeps.levels.places).astype(np.int32))


def _is_restricted(order: Order) -> bool:
    """Return whether to sweep only over what is above the targets (RPHAST).

    The rows for that are made anew by each call, so it pays for few targets or many sources.
    """
    problem = order.problem
    if problem.targets is None:
        return False
    sweeps = -(-len(problem.sources) // _WIDTHS[4][-1])
    return _TARGET_COST * len(problem.targets) < order.graph.n * sweeps


def _wanted_width(order: Order, label: int) -> int:
    """Return the number of sources of a sweep where memory does not limit it."""
    sources = len(order.problem.sources)
    return next((width for width in _WIDTHS[label] if width >= sources), _WIDTHS[label][-1])


def _width(order: Order, device: Device, places: int, label: int) -> int:
    """Return the number of sources of a sweep."""
    widths, wanted = _WIDTHS[label], _wanted_width(order, label)
    line = places * label
    most = int(device.free_memory() * _KEPT_FREE) // line
    fitting = [width for width in widths if width <= min(wanted, most)]
    if not fitting:
        msg = (
            f"{order.recipe.name} takes {widths[0] * line:,} bytes at least, and {device.name} has "
            f"{device.free_memory():,} free. Use device='cpu'."
        )
        raise NotEnoughMemoryError(msg)
    return fitting[-1]
