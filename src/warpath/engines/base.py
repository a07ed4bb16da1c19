"""What an engine is: something that runs recipes on one kind of device."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from warpath._core import CompletionFlag
    from warpath.base.dtypes import Array
    from warpath.engines.betweenness import PathShares, Sums
    from warpath.engines.cuda.entry import Kernel
    from warpath.engines.staged.tiles import Tiles
    from warpath.graph import Graph
    from warpath.planner.cpu_model import Size
    from warpath.planner.plan import Plan
    from warpath.recipes import Recipe, Task
    from warpath.results.paths import DeviceResult
    from warpath.results.trace import Trace

    #: (source, progress) -> (n,) distances, read-only, and what it did, for `counters`; None where
    #: distances may not fit.
    Search = Callable[..., tuple[Array, bytes] | None]


@dataclass(slots=True)
class Problem:
    """The question, in vertex indices.

    Attributes
    ----------
    task : what kind of answer.
    sources : (k,) int64; one for PATH. Several for SSSP mean distances from the nearest of them,
        which sweeps down a hierarchy find.
    targets : (t,) int64, or None for all vertices.
    cutoff : vertices farther than this stay unreachable; None for no limit.
    """

    task: Task
    sources: Array
    targets: Array | None = None
    cutoff: float | None = None

    @property
    def source(self) -> int:
        """The only source."""
        return int(self.sources[0])


@dataclass(slots=True)
class Trips(Problem):
    """A question of PATH, one trip, or of PAIRS: from each source to the target at its index."""

    targets: Array = field()

    @property
    def target(self) -> int:
        """The only target."""
        return int(self.targets[0])


@dataclass(slots=True)
class Raw:
    """What an engine returns.

    Attributes
    ----------
    dist : (n,) for SSSP, (k, t) for MANY and APSP, () for PATH.
    vertices : (h,) int64, the route of a PATH problem from source to target; empty without one.
    owners : (n,) of the indices' type, the source that is nearest to each vertex, -1 for none;
        None but for several sources of SSSP.
    stats : counters of the run; "reached", where counting was free, counts within the cutoff.
    device : where the distances of SSSP are, if not on the host; `WithDeviceResults.on_device`
        makes a result of them. Integers may have 32 bits there for 64, the largest for what is
        unreachable, and those beyond the cutoff may be left.
    """

    dist: Array
    vertices: Array = field(default_factory=lambda: np.empty(0, np.int64))
    stats: dict[str, int] = field(default_factory=dict)
    device: Device | None = None
    owners: Array | None = None


@dataclass(slots=True)
class Order:
    """Everything that an engine needs for one search from a source, or for totals.

    Attributes
    ----------
    progress : called with (done, total), or None.
    trace : where the loop puts what each round did; None where no trace was requested; then
        nothing is counted.
    rows_on_host : whether the graph's rows stay in memory of the host, where kernels read them.
    """

    recipe: Recipe
    graph: Graph
    problem: Problem
    threads: int
    params: dict[str, float]
    progress: Callable[[int, int], None] | None = field(default=None, kw_only=True)
    trace: Trace | None = field(default=None, kw_only=True)
    rows_on_host: bool = field(default=False, kw_only=True)


@dataclass(slots=True)
class TripsOrder(Order):
    """An order of PATH or PAIRS.

    Attributes
    ----------
    out : (k,) on the device that runs, where the distances of PAIRS go; None for a new array of the
        host. With it, sources and targets are arrays of that device, and not yet checked.
    """

    problem: Trips
    out: Array | None = None


@dataclass(slots=True)
class TableOrder(Order):
    """An order of MANY or APSP that fills a table.

    Attributes
    ----------
    out : (k, t), where the distances go; int32 is allowed for integer weights. An array of the
        host, or of the device that runs: then nothing is copied.
    pred : (k, t), where the predecessors go; None where they were not requested.
    tiles : the tiling of a matrix that is larger than the device's memory; None where it fits.
    """

    out: Array
    pred: Array | None = field(default=None, kw_only=True)
    tiles: Tiles | None = field(default=None, kw_only=True)


class PreparedLaunch(Protocol):
    """A launch of a kernel that waits for `Device.fire`; its arguments can be changed.

    Attributes
    ----------
    name : of the kernel.
    """

    name: str

    def change(self, position: int, value: Any) -> None:
        """Change an argument: an array, or a whole number for a number."""
        ...


class Transfer(NamedTuple):
    """A copy of an array of one device into an array of the same size on another one."""

    sender: Device
    array: Array
    receiver: Device
    out: Array


class Device(Protocol):
    """Where kernels run: a GPU, or the emulator.

    Attributes
    ----------
    name : "cuda:0".
    xp : the array library, with NumPy's functions.
    block : threads a block.
    processors : multiprocessors.
    shared_memory : bytes of shared memory that a block may take.
    packed : whether two labels of 16 bits are lowered by one instruction.
    """

    name: str
    xp: Any
    block: int
    processors: int
    shared_memory: int
    packed: bool

    def free_memory(self) -> int:
        """Return the bytes that can still be allocated."""
        ...

    def put(self, array: Array, out: Array | None = None, *, wait: bool = True) -> Array:
        """Return a copy of a host array on the device, made in `out` where that is given.

        Without `wait`, a copy from `host_array` may end as late as `synchronize` returns.
        """
        ...

    def get(self, array: Array, out: Array | None = None) -> Array:
        """Return a copy of a device array on the host, made in `out` where that is given."""
        ...

    def fetch(self, array: Array, out: Array) -> Callable[[], None]:
        """Begin to copy a device array into a `host_array`; return what waits for the copy.

        What is launched afterwards may run at the same time: it must leave the array alone.
        """
        ...

    def reads(self, other: Device) -> bool:
        """Return whether kernels here can read the memory of another device, and allow it."""
        ...

    def exchange(self, transfers: Sequence[Transfer]) -> None:
        """Begin copies between devices of this kind, which may run at the same time.

        They follow what was launched before on their devices; what is launched there afterwards
        follows them.
        """
        ...

    def host_array(self, like: Array) -> Array:
        """Return a host array of the shape and type of another, as fast to copy as can be."""
        ...

    def mapped(self, array: Array) -> Array:
        """Return what a kernel takes to read or write a `host_array`, and keeps that alive.

        What a kernel wrote is there after `synchronize`.
        """
        ...

    def resident_blocks(self, kernel: Kernel) -> int:
        """Return how many blocks of a kernel run at the same time."""
        ...

    def launch(self, kernel: Kernel, blocks: int, *args: Any) -> None:
        """Launch a kernel after what was launched before: arrays, None or NumPy scalars."""
        ...

    def prepared(self, kernel: Kernel, blocks: int, *args: Any) -> PreparedLaunch:
        """Return a launch of a kernel whose arguments can be changed; `args` as in `launch`."""
        ...

    def fire(self, launch: Any) -> None:
        """Launch what is `prepared` after what was launched before."""
        ...

    def synchronize(self) -> None:
        """Wait for everything that was launched; Ctrl-C ends the wait."""
        ...

    def finish(self, halt: Array, word: CompletionFlag, seconds: float) -> None:
        """Wait for a kernel's status word, or for its end without one.

        Setting ``halt[0]`` to 1 makes the kernel end soon. The device does so when Ctrl-C is
        pressed and after `seconds`, which raises DeviceError.
        """
        ...

    def active(self) -> AbstractContextManager[None]:
        """Make this the calling thread's device for a while."""
        ...


class Bound(Protocol):
    """Searches on a device, bound to a graph to which they hold no reference."""

    nbytes: int
    device: Device
    counters: Callable[[list[int]], dict[str, int]]

    def __call__(self, source: int) -> tuple[Array, list[int]] | None:
        """Return new labels on the device and the status words; None if a sum did not fit."""
        ...


class Engine(Protocol):
    """Runs plans on one kind of device. Modules are engines: these are their functions.

    The protocols below are optional: `warpath.engines.registry.capability` returns the engine of a
    device as one of them, or None.
    """

    name: str

    def run(self, order: Order, device: str) -> Raw:
        """Run one order and return its result.

        Raises
        ------
        NegativeCycleError
            With vertex indices; the caller gives them their names.
        OverflowError
            When a distance does not fit its type.
        """
        ...

    def place(self, graph: Graph, device: str) -> str:
        """Copy a graph's rows to a device, where they stay; return the device's whole name."""
        ...

    def devices(self) -> list[str]:
        """Return the names of the devices that can be used; none of a kind that is only named.

        Raises
        ------
        NotSupportedError
            If there is none; the message says why.
        """
        ...

    def memory(self, graph: Graph, device: str) -> tuple[int | None, str]:
        """Return the bytes of a device for a graph, and "" or why it cannot be used."""
        ...


@runtime_checkable
class WithTotals(Protocol):
    """An engine that adds distances up where it computes them."""

    def totals(self, order: Order, device: str, names: tuple[str, ...]) -> dict[str, Array] | None:
        """Return totals of the distances from each source, made without a table.

        None if the algorithm has none.

        Parameters
        ----------
        order : of MANY or APSP.
        names : keys of `warpath.results.totals.NAMES`, which the result has as well.
        """
        ...


@runtime_checkable
class WithPathSums(Protocol):
    """An engine that counts shortest paths in a hierarchy."""

    def path_sums(
        self,
        graph: Graph,
        device: str,
        shares: PathShares,
        sources: Array,
        starts: range,
        *,
        stay: bool,
        progress: Callable[[int, int], None] | None = None,
    ) -> Iterator[Sums]:
        """Yield the sums of the block of sources at each start; see `betweenness.Elsewhere`.

        Parameters
        ----------
        shares : of counting sweeps, `swept`.
        """
        ...


@runtime_checkable
class WithHostSearches(Protocol):
    """An engine whose searches can be bound to a graph, and leave distances on the host."""

    def host_search(self, graph: Graph, plan: Plan) -> Search | None:
        """Return the search of one source that a plan runs; None if its loop is not bound so."""
        ...


@runtime_checkable
class WithDeviceResults(Protocol):
    """An engine whose distances from one source may stay on the device that computed them."""

    def device_search(self, graph: Graph, plan: Plan) -> Bound | None:
        """Return the search of one source that a plan runs; None if its loop is not bound so."""
        ...

    def on_device(
        self,
        graph: Graph,
        source: int,
        labels: Array,
        device: Device,
        cutoff: float | None,
        dtype: np.dtype[Any],
    ) -> DeviceResult:
        """Return labels that `run` or a `device_search` left on a device as a result.

        Parameters
        ----------
        graph, source : the question; the graph may have closed vertices.
        labels : labels of the opened graph, as in `Raw.dist`.
        device : as in `Raw.device`.
        cutoff : labels beyond it count as unreachable; None for no limit.
        dtype : the type of the distances.

        Raises
        ------
        OverflowError
            If a distance does not fit the type.
        """
        ...


@runtime_checkable
class WithDivision(Protocol):
    """An engine of which several devices solve one source of a graph that is divided over them."""

    def run_divided(self, order: Order, devices: Sequence[str]) -> Raw:
        """Run an order of one source; the labels are on the first of the devices."""
        ...


@runtime_checkable
class WithRepairs(Protocol):
    """An engine that repairs the paths of a graph that changes."""

    def dynamic_paths(self, graph: Graph, sources: Array, device: str) -> Any:
        """Return paths that are repaired on a device; they copy the rows.

        They have the methods of the core's `dynamic_paths`, and labels that are not set.
        """
        ...


@runtime_checkable
class WithDetection(Protocol):
    """An engine whose devices device="auto" may choose where no device was requested."""

    def seen(self) -> str | None:
        """Return the name of a device that seems to be there, without importing or starting it.

        None without one.
        """
        ...

    def trouble(self, device: str) -> str:
        """Return why a device does not work, or "" if it solves a small graph; it is started."""
        ...


@runtime_checkable
class WithWorkers(Protocol):
    """An engine whose devices are workers in other processes, which answer blocks of rows."""

    def spread(self, plan: Plan, size: Size) -> Plan:
        """Return the plan of a call whose rows the workers share, from that of one thread."""
        ...
