"""One source of a deep graph: the graph cut into patches once, then one launch for each source."""

from __future__ import annotations

import math
import threading
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import _core, settings
from warpath.costs import MESH_DEGREE
from warpath.engines.base import Raw
from warpath.engines.cuda.entry import Types, kernel
from warpath.engines.rounds.run import kept
from warpath.engines.tables.widths import limit, widths
from warpath.errors import NotSupportedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warpath.engines.base import Array, Device, Order
    from warpath.engines.cuda.entry import Kernel
    from warpath.engines.tables.widths import Width
    from warpath.graph import Graph

_EACH = 2  # vertices of a thread, as the kind "patches" has it
_WORDS = 8  # of a row of the table, `kRow`
_BLOCKS = {4: 4, 8: 2}  # of a multiprocessor, which share its memory, by the bytes of a label
_OWN = 2048  # bytes of a block that the kernel and the system take for themselves
#: How wide the band of labels is that patches relax at a time, in mean weight / mean degree: of
#: roads and grids, of graphs with more edges. See docs/performance/sssp-h200-deep.md.
_BAND, _NARROW_BAND = 384.0, 192.0
_MOST_LOOKS = 2**24  # of the watching block without a change: some 20 s
_MOST_VERTICES, _MOST_EDGES = 2**31 - 1, 2**32 - 1
_DONE = 1  # `kDone`


def patches(order: Order, device: Device) -> Raw:
    """Run `Loop.PATCHES`.

    Raises
    ------
    NotSupportedError
        For a trace, and for a graph of 2^31 vertices or 2^32 edges.
    OverflowError
        When a distance does not fit its type.
    RuntimeError
        When the kernel's watching block sees nothing change any more.
    """
    _check(order)
    graph = order.graph
    capacity = int(min(order.params.get("patch") or math.inf, _EACH * device.block))
    cut: Cut = kept(graph, f"patches of {capacity}", device, lambda: Cut(graph, capacity, device))
    for width in widths(graph):
        with cut.lent(width) as space:
            dist, lost = space.solve(order, graph)
        if not lost:
            break
    labels = device.get(dist)
    if lost:
        _core.refuse_overflow(graph.indptr, graph.indices, graph.solver_weights, labels)
    return Raw(labels, stats=space.stats)


def _check(order: Order) -> None:
    graph, name = order.graph, order.recipe.name
    if order.trace is not None:
        msg = (
            f"{name} has no rounds to trace, its blocks do not wait for each other: leave trace "
            "out, or trace a published variant (warpath algorithms --device cuda)."
        )
        raise NotSupportedError(msg)
    if graph.n > _MOST_VERTICES or graph.m > _MOST_EDGES:
        msg = (
            f"{name} numbers vertices in 31 bits and edges in 32, the graph has {graph.n:,} and "
            f"{graph.m:,}: leave algorithm out, or take another one."
        )
        raise NotSupportedError(msg)


class Cut:
    """A graph in patches on a device, and the memory that solves on it take in turn.

    Parameters
    ----------
    capacity : vertices of a patch, at most.
    """

    def __init__(self, graph: Graph, capacity: int, device: Device) -> None:
        made = _core.cut_into_patches(
            graph.indptr, graph.indices, graph.solver_weights, capacity,
            threads=settings.threads(),
        )  # fmt: skip
        self.n, self.most_edges, self.most_exits = graph.n, made["most_edges"], made["most_exits"]
        names = ("places", "table", "begin", "targets", "exits", "slots", "owners")
        self.arrays = {name: device.put(made[name]) for name in names}
        weight = graph.solver_weights.dtype.name
        self._weights = {weight: tuple(device.put(made[name]) for name in ("weights", "tolls"))}
        self._own_weight = weight
        self._device = device
        self._spaces: dict[Width, list[Space]] = {}
        self._guard = threading.Lock()

    @property
    def patches(self) -> int:
        """How many there are."""
        return len(self.arrays["table"]) // _WORDS

    @property
    def nbytes(self) -> int:
        """What all of it takes on the device."""
        held = sum(array.nbytes for array in self.arrays.values())
        held += sum(array.nbytes for pair in self._weights.values() for array in pair)
        return held + sum(space.nbytes for kept in self._spaces.values() for space in kept)

    def weights(self, name: str) -> tuple[Array, Array]:
        """Return the weights of edges that stay in a patch and of those that leave, in a type."""
        if name not in self._weights:
            own = self._weights[self._own_weight]
            self._weights[name] = tuple(each.astype(name) for each in own)
        stay, leave = self._weights[name]
        return stay, leave

    @contextmanager
    def lent(self, width: Width) -> Iterator[Space]:
        """Lend memory for a solve; what is in use by another thread is left to it."""
        with self._guard:
            waiting = self._spaces.setdefault(width, [])
            space = waiting.pop() if waiting else None
        space = space or Space(self, width, self._device)
        yield space
        with self._guard:
            waiting.append(space)


class Space:
    """What one solve writes to, and its kernel with all arguments that do not change.

    Attributes
    ----------
    stats : of the last solve.
    """

    def __init__(self, cut: Cut, width: Width, device: Device) -> None:
        xp, label = device.xp, np.dtype(width.label)
        self._width, self._device = width, device
        self._kernel = _kernel(width, device)
        gates, room = _fitting(cut, width, device)
        patches = cut.patches
        self._blocks = max(min(device.resident_blocks(self._kernel), patches + 1), 2)
        self._control = xp.zeros(6, np.int64)
        words = self._control.view(np.int32)
        stay, leave = cut.weights(width.weight)
        vertices = _EACH * device.block
        self._arrays = {
            "labels": xp.empty(cut.n, label),
            "unsettled": xp.empty(patches * vertices // 32, np.uint32),
            "news": xp.empty(len(cut.arrays["owners"]), label),
            "pending": xp.empty(patches, label),
            "left": xp.empty(patches, label),
            "least": xp.empty(self._blocks, label),
            "open": self._control.view(np.uint64)[:1],
            "state": words[2:3],
            "lost": words[3:4],
            "counts": self._control.view(np.uint64)[2:4],
            "threshold": self._control.view(label)[4 * 8 // label.itemsize :][:1],
            "arrived": self._control.view(np.uint32)[10:11],
        }
        given: dict[str, Any] = {
            **cut.arrays, **self._arrays, "weights": stay, "tolls": leave, "n": cut.n,
            "size": len(cut.arrays["owners"]), "patches": patches,
            "each": -(-patches // (self._blocks - 1)), "room": room, "gates": gates,
            "patience": _MOST_LOOKS,
        }  # fmt: skip
        self._places = {name: place for place, (name, _) in enumerate(self._kernel.params)}
        self._values = [
            given.get(name) if kind == "*" else np.dtype(kind).type(given.get(name, 0))
            for name, kind in self._kernel.params
        ]
        self.stats: dict[str, int] = {}

    @property
    def nbytes(self) -> int:
        """What its arrays take."""
        return sum(array.nbytes for array in self._arrays.values())

    def solve(self, order: Order, graph: Graph) -> tuple[Array, bool]:
        """Return the distances on the device, and whether a sum did not fit the labels; waits."""
        dist = self._device.xp.empty(graph.n, graph.dist_dtype)
        changing = {
            "source": np.uint32(order.problem.source),
            "delta": _band(order, self._width),
            "cutoff": limit(order.problem.cutoff, self._width),
            "dist": dist,
        }
        values = list(self._values)
        for name, value in changing.items():
            values[self._places[name]] = value
        self._device.launch(self._kernel, self._blocks, *values)
        word, visits, relaxed = self._device.get(self._control[1:4]).tolist()
        state, lost = word & 0xFFFFFFFF, word >> 32
        if state != _DONE:
            msg = (
                f"{order.recipe.name} came to a stand after {visits:,} visits: its kernel is at "
                "fault. Take another algorithm, and report this graph."
            )
            raise RuntimeError(msg)
        self.stats = {"visits": visits, "relaxed": relaxed}
        return dist, bool(lost)


def _kernel(width: Width, device: Device) -> Kernel:
    """Return the kernel with as much memory as the blocks of a multiprocessor can have each."""
    types = Types.of(np.int32, width.weight, width.label)
    made = kernel(kind_of(types), types, device.block)
    return replace(made, shared=_shared(width, device))


def kind_of(types: Types) -> str:
    """Return the kind of kernel for labels of a type."""
    return "patches" if types.label.endswith("32") else "patches_wide"


def _shared(width: Width, device: Device) -> int:
    # The same for all graphs: a kernel with another size would be loaded anew.
    blocks = _BLOCKS[np.dtype(width.label).itemsize]
    return (device.shared_memory // blocks - _OWN) // 16 * 16


def _fitting(cut: Cut, width: Width, device: Device) -> tuple[int, int]:
    """Return how many edges that leave a patch, and how many that stay, fit beside its labels."""
    weight = np.dtype(width.weight).itemsize
    vertices = _EACH * device.block
    free = _shared(width, device) - vertices * (np.dtype(width.label).itemsize + 2) - 2
    gates = min(cut.most_exits, free // 2 // (weight + 8))
    return gates, min(cut.most_edges, (free - gates * (weight + 8)) // (weight + 2))


def _band(order: Order, width: Width) -> Any:
    """Return how far above the least label that waits others are relaxed, in the labels' type."""
    facts = order.graph.facts(symmetry=False)
    band = _BAND if facts.mean_degree < MESH_DEGREE else _NARROW_BAND
    default = band / max(facts.mean_degree, 1) * float(facts.mean_weight)
    delta = order.params.get("delta", default)
    kind = np.dtype(width.label).type
    integer = width.label.startswith("i")
    most = width.never.item() if integer else float(np.finfo(kind).max)
    if not 0 < delta < most:
        return width.never
    return kind(max(round(delta), 1) if integer else delta)
