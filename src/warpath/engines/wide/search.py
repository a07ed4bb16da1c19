"""The search itself: its buffers, the first widths of its buckets, and its launch."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath import _core
from warpath.engines.base import Raw
from warpath.engines.cuda.entry import Kernel, Types, kernel
from warpath.engines.cuda.flight import Ended, flight
from warpath.engines.tables.table import longest
from warpath.engines.tables.widths import Width, widths
from warpath.engines.wide.rows import HUB, rows_of
from warpath.errors import NotSupportedError
from warpath.paths import never

if TYPE_CHECKING:
    from warpath.engines.base import Array, Device, Order
    from warpath.graph import Graph

_RUN = 256  # `kRun`
_CONTROL = 128  # bytes, of `WideControl`
#: Lanes that take a row's next edges together where rows end early, and where they do not.
_LANES = {4: ("2", "4"), 8: ("2", "2")}
#: A bucket that settles fewer vertices than this was too narrow: a round waits for memory.
_NARROW = 20_000
#: What a pulled edge costs in sixteenths of a pushed one.
_FAVOUR = 16
_MOST_ROUNDS = 2**32 - 1
#: Widths of the first bucket and of the others, in mean weight / mean degree. Among hubs a narrow
#: bucket reaches most edges; elsewhere twice the logarithm of n reaches most vertices.
_SKEWED, _EVEN = (4, 2), (28, 4)


class Buffers(NamedTuple):
    """What a solve works with beside its answer; the kernel clears what it must find clear."""

    dist: Array | None
    rest: Array
    entries: tuple[Array, Array]
    runs: tuple[Array, Array]
    control: Array
    least: Array


def wide(order: Order, device: Device) -> Raw:
    """Run `Loop.WIDE`."""
    graph = order.graph
    if order.trace is not None:
        msg = f"{order.recipe.name} keeps no trace: its rounds end on the device, uncounted."
        raise NotSupportedError(msg)
    for width in widths(graph):
        words, dist = _solved(order, device, width)
        if words[0] != Ended.LOST:
            break
    labels = device.get(dist)
    if labels.dtype != graph.dist_dtype:
        labels = _widened(labels, graph.dist_dtype)
    if longest(graph) >= 2**62:
        _core.refuse_overflow(graph.indptr, graph.indices, graph.solver_weights, labels)
    return Raw(labels, stats={"rounds": int(words[1]), "buckets": int(words[2])})


def _solved(order: Order, device: Device, width: Width) -> tuple[Array, Array]:
    """Return the kernel's words and the labels in a width, in the order of the graph."""
    graph = order.graph
    rows = rows_of(graph, width, device)
    made = kernel_of(width, device.block)
    label = np.dtype(width.label)
    dist = device.xp.empty(graph.n, label)
    room_of_runs = _room_of_runs(graph)

    def buffers() -> Buffers:
        return _buffers(graph.n, room_of_runs, label, device, own=rows.ranks is not None)

    with flight(graph, f"wide search in {label.name}", device, buffers) as own:
        kept: Buffers = own.buffers
        first, delta = bounds(graph, width, order.params.get("delta"))
        given = {
            "n": graph.n, "source": order.problem.source, "ranks": rows.ranks, "hubs": rows.hubs,
            "leaves": rows.leaves, "indptr": rows.indptr, "edges": rows.edges, "into": rows.into,
            "sources": rows.sources, "first": first, "delta": delta,
            "limit": _limit(order.problem.cutoff, width), "narrow": _NARROW, "favour": _FAVOUR,
            "most": _MOST_ROUNDS, "dist": dist if kept.dist is None else kept.dist,
            "rest": kept.rest, "entries": kept.entries[0], "next_entries": kept.entries[1],
            "runs": kept.runs[0], "next_runs": kept.runs[1], "room": graph.n,
            "room_of_runs": room_of_runs, "control": kept.control, "least": kept.least,
            "out": None if kept.dist is None else dist, "parting": rows.parting, "halt": own.halt, "said": own.said,
        }  # fmt: skip
        values = [
            given[name] if kind == "*" else np.dtype(kind).type(given[name])
            for name, kind in made.params
        ]
        words = own.run(made, device.resident_blocks(made), *values).copy()
    return words, dist


def kernel_of(width: Width, block: int) -> Kernel:
    """Return the kernel for a width."""
    types = Types.of(np.int32, width.weight, width.label)
    lanes, pulled = _LANES[np.dtype(width.label).itemsize]
    return kernel("wide", types, block, ("lanes", lanes), ("pulled", pulled))


def bounds(graph: Graph, width: Width, delta: float | None) -> tuple[Any, Any]:
    """Return the widths of the first bucket and of the others, in the labels' type."""
    kind = np.dtype(width.label).type
    facts = graph.facts(symmetry=False)
    unit = facts.mean_weight / max(facts.mean_degree, 1)
    skewed = facts.max_degree > HUB
    wanted = tuple(unit * one for one in (_SKEWED if skewed else _EVEN))
    if delta is not None:
        wanted = delta, delta
    if np.dtype(width.label).kind == "f":
        largest = float(np.finfo(kind).max)
        return kind(min(wanted[0], largest)), kind(min(wanted[1], largest))
    most = int(width.never)
    return tuple(kind(min(max(math.floor(min(one, most)), 1), most)) for one in wanted)


def _limit(cutoff: float | None, width: Width) -> Any:
    """Return what all labels within the cutoff are below."""
    kind = np.dtype(width.label).type
    if cutoff is None or cutoff >= width.never:
        return width.never
    if np.dtype(width.label).kind == "f":
        nearest = kind(cutoff)
        return nearest if float(nearest) > cutoff else np.nextafter(nearest, kind(np.inf))
    return kind(math.floor(cutoff) + 1)


def _room_of_runs(graph: Graph) -> int:
    """Return how many runs a list takes: twice those of all hubs."""
    degrees = np.diff(graph.indptr)
    return 2 * int((degrees[degrees > HUB] // _RUN + 1).sum()) + 64


def _buffers(n: int, room_of_runs: int, label: np.dtype[Any], device: Device, *, own: bool) -> Buffers:
    xp = device.xp
    narrow = label.itemsize == 4
    entry, run = (8, 12) if narrow else (16, 16)

    def words(count: int, size: int) -> Array:
        made: Array = xp.empty(max(count * size // 8 + 1, 1), np.uint64)
        return made

    return Buffers(
        xp.empty(n, label) if own else None,
        words(n, entry),
        (words(n, entry), words(n, entry)),
        (words(room_of_runs, run), words(room_of_runs, run)),
        xp.zeros(_CONTROL // 8, np.uint64),
        xp.empty(3, label),
    )


def _widened(labels: Array, dtype: np.dtype[Any]) -> Array:
    """Return labels of 32 bits in 64."""
    wide = labels.astype(dtype)
    wide[labels == never(labels.dtype)] = never(dtype)
    return wide
