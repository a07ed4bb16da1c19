"""One source of a deep graph: the graph is cut into patches once; each source is one launch."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import _core
from warpath.base import settings
from warpath.base.errors import NotSupportedError
from warpath.engines.base import Raw
from warpath.engines.cpu import refuse_overflow
from warpath.engines.cuda.entry import Types, kernel
from warpath.engines.cuda.flight import Ended, flights
from warpath.engines.cuda.repeated_search import Search
from warpath.engines.cuda.rows import left_on_host
from warpath.engines.cuda.tables.widths import largest_within, widths
from warpath.graph.derived import Derived
from warpath.planner.cpu_model import MESH_DEGREE

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.base.dtypes import Array
    from warpath.engines.base import Device, Order
    from warpath.engines.cuda.entry import Kernel
    from warpath.engines.cuda.tables.widths import Width
    from warpath.graph import Graph
    from warpath.graph.facts import Facts

    Progress = Callable[[int, int], None] | None

_EACH = 2  # vertices per thread, as in the kind "patches"
_WORDS = 8  # words of a row of the table, `kRow`
_BLOCKS = {4: 3, 8: 2}  # blocks per multiprocessor, by the bytes of a label
_OWN = 2048  # bytes of a block's shared memory for static arrays and the system
#: Default delta, the width of the band of labels relaxed at a time, in mean weight / mean degree:
#: for roads and grids, and for graphs with more edges. See docs/benchmarks/kernels-h200.md.
_BAND, _NARROW_BAND = 384.0, 192.0


def patches(order: Order, device: Device) -> Raw:
    """Run `Loop.PATCHES`.

    Raises
    ------
    NotSupportedError
        For a trace.
    OverflowError
        When a distance does not fit its type.
    DeviceError
        When the kernel does not end.
    """
    if order.trace is not None:
        msg = (
            f"{order.recipe.name} has no rounds to trace, its blocks do not wait for each other: "
            "leave trace out, or trace a published variant (warpath algorithms --device cuda)."
        )
        raise NotSupportedError(msg)
    graph, problem = order.graph, order.problem
    for width in widths(graph):
        search = search_of(
            graph, width, device, order.params, problem.cutoff,
            progress=order.progress, on_host=order.rows_on_host,
        )  # fmt: skip
        dist, words = search(problem.source)
        # If all distances are proven to fit, a lost sum is not a distance.
        if width.proven or words[0] != Ended.LOST:
            break
    else:
        refuse_overflow(graph, problem, device.get(dist))
    return Raw(dist, stats=counters(words), device=device)


#: The patches of a graph on a device, by the maximum vertices of a patch.
CUT: Derived[Cut] = Derived(__name__, "patches on a device")


def search_of(
    graph: Graph,
    width: Width,
    device: Device,
    params: dict[str, float],
    cutoff: float | None,
    *,
    progress: Progress = None,
    on_host: bool = False,
) -> Search:
    """Return the search of a graph in a width, which holds no reference to the graph.

    The first call cuts the graph into patches and reports that to `progress`.

    Parameters
    ----------
    on_host : whether the edges stay in memory of the host.
    """
    capacity = int(min(params.get("patch") or math.inf, _EACH * device.block))

    def cut_now() -> Cut:
        return Cut(graph, capacity, device, progress, on_host=on_host)

    cut = CUT.of(graph, cut_now, device.name, capacity, on_host)
    search_kernel, label = _kernel(width, device), np.dtype(width.label)
    delta = _band(graph.facts(symmetry=False), width, params.get("delta"))
    changing = {"delta": delta, "cutoff": largest_within(cutoff, width)}
    name = f"{label.name} labels of patches of {capacity}" + " on the host" * on_host
    return Search(
        flights(graph, name, device, lambda: Space(cut, width, search_kernel, device)),
        search_kernel,
        lambda space: space.blocks,
        lambda space: space.given | changing,
        (graph.n, label),
    )


def counters(words: list[int]) -> dict[str, int]:
    """Return the counters in a solve's status words by name."""
    return {"visits": words[1], "relaxed": words[2]}


class Cut:
    """A graph in patches on a device.

    Parameters
    ----------
    capacity : maximum vertices of a patch.
    progress : called with the completed and the total work of the cut, or None.
    on_host : whether arrays of edges stay in page-locked memory of the host, where kernels read
        them, those of a patch in order.
    """

    _put: Callable[[Array], Array] | None = None  # makes a kernel's argument of an array of edges

    def __init__(
        self,
        graph: Graph,
        capacity: int,
        device: Device,
        progress: Progress = None,
        *,
        on_host: bool = False,
    ) -> None:
        cut = _core.cut_into_patches(
            graph.indptr,
            graph.indices,
            graph._solver_weights,
            capacity,
            threads=settings.threads(),
            progress=progress,
        )
        self.capacity = capacity
        self.n, self.slots = graph.n, cut["slot_count"]
        self.most_edges, self.most_exits = cut["most_edges"], cut["most_exits"]
        self.patches = len(cut["table"]) // _WORDS
        own: tuple[Array, ...] = cut["weights"], cut["exit_weights"]
        if on_host:
            self._put = partial(left_on_host, device)
        self._own_weights = own if on_host else tuple(map(device.put, own))
        self._of_vertices = {name: device.put(cut[name]) for name in ("places", "table", "begin")}
        put = self._put or device.put
        self._of_edges = {name: put(cut[name]) for name in ("targets", "tails", "slots", "owners")}
        self._weights: dict[str, tuple[Array, Array]] = {}

    @property
    def arrays(self) -> dict[str, Array]:
        """All arrays but weights, by the names of the kernel's parameters."""
        return self._of_vertices | self._of_edges

    @property
    def nbytes(self) -> int:
        """The bytes of all arrays on the device."""
        held = list(self._of_vertices.values())
        if self._put is None:
            held += self._of_edges.values()
            held += {id(array): array for pair in self._weights.values() for array in pair}.values()
        return sum(int(array.nbytes) for array in held)

    def weights(self, name: str) -> tuple[Array, Array]:
        """Return the weights of inner edges and of exits in a type."""
        if name not in self._weights:
            stay, leave = (weight.astype(name, copy=False) for weight in self._own_weights)
            if self._put is not None:
                stay, leave = self._put(stay), self._put(leave)
            self._weights[name] = stay, leave
        return self._weights[name]


class Space:
    """The buffers of one solve, and the arguments of the kernel that are equal for all solves.

    Attributes
    ----------
    blocks : blocks of a launch.
    given : arguments by name.
    """

    def __init__(self, cut: Cut, width: Width, kernel: Kernel, device: Device) -> None:
        xp, label = device.xp, np.dtype(width.label)
        exit_room, edge_room = _fitting(cut, width, device)
        patches = cut.patches
        self.blocks = max(min(device.resident_blocks(kernel), patches + 1), 2)
        control = xp.zeros(6, np.int64)
        words = control.view(np.int32)
        stay, leave = cut.weights(width.weight)
        vertices = _EACH * device.block
        self._arrays = {
            "labels": xp.empty(cut.n, label),
            "unsettled": xp.empty(patches * vertices // 32, np.uint32),
            "received": xp.empty(cut.slots, label),
            "pending": xp.empty(patches, label),
            "left": xp.empty(patches, label),
            "minimum": xp.empty(self.blocks, label),
            "open": control.view(np.uint64)[:1],
            "state": words[2:3],
            "lost": words[3:4],
            "counts": control.view(np.uint64)[2:4],
            "threshold": control.view(label)[4 * 8 // label.itemsize :][:1],
            "arrived": control.view(np.uint32)[10:11],
        }
        self.given: dict[str, Any] = {
            **cut.arrays,
            **self._arrays,
            "weights": stay,
            "exit_weights": leave,
            "n": cut.n,
            "size": cut.slots,
            "patches": patches,
            "edge_room": edge_room,
            "exit_room": exit_room,
        }

    @property
    def nbytes(self) -> int:
        """The bytes of the buffers."""
        return sum(array.nbytes for array in self._arrays.values())


def _kernel(width: Width, device: Device) -> Kernel:
    """Return the kernel with an equal share of a multiprocessor's shared memory per block."""
    types = Types.of(np.int32, width.weight, width.label)
    search_kernel = kernel(kind_of(types), types, device.block)
    return replace(search_kernel, shared=_shared(width, device))


def kind_of(types: Types) -> str:
    """Return the kind of kernel for labels of a type."""
    return "patches" if types.label.endswith("32") else "patches_wide"


def _shared(width: Width, device: Device) -> int:
    # Equal for all graphs, because a kernel with another size would be loaded again.
    blocks = _BLOCKS[np.dtype(width.label).itemsize]
    return (device.shared_memory // blocks - _OWN) // 16 * 16


def _fitting(cut: Cut, width: Width, device: Device) -> tuple[int, int]:
    """Return how many exits and how many inner edges of a patch fit into shared memory."""
    weight = np.dtype(width.weight).itemsize
    vertices = _EACH * device.block
    free = _shared(width, device) - vertices * np.dtype(width.label).itemsize
    exit_room = min(cut.most_exits, free // 2 // (weight + 10))
    return exit_room, min(cut.most_edges, (free - exit_room * (weight + 10)) // (weight + 2))


def _band(facts: Facts, width: Width, delta: float | None) -> Any:
    """Return delta in the type of labels: labels less than this above the minimum are relaxed."""
    if delta is None:
        band = _BAND if facts.mean_degree < MESH_DEGREE else _NARROW_BAND
        delta = band / max(facts.mean_degree, 1) * float(facts.mean_weight)
    kind = np.dtype(width.label).type
    integer = width.label.startswith("i")
    most = width.unreachable.item() if integer else float(np.finfo(kind).max)
    if not 0 < delta < most:
        return width.unreachable
    return kind(max(round(delta), 1) if integer else delta)
