"""The wide search: its buffers, the initial widths of its buckets, and its launch."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base.errors import NotSupportedError
from warpath.engines.base import Raw
from warpath.engines.cpu import refuse_overflow
from warpath.engines.cuda.entry import Kernel, Types, kernel
from warpath.engines.cuda.flight import Ended, flights
from warpath.engines.cuda.repeated_search import Search
from warpath.engines.cuda.rows import longest
from warpath.engines.cuda.tables.widths import Width, widths
from warpath.engines.cuda.wide.rows import HUB, rows_of, rows_on_host
from warpath.results.predecessors import as_labels

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.engines.base import Device, Order
    from warpath.engines.cuda.wide.rows import WideRows
    from warpath.graph import Graph

_CONTROL = 128  # bytes of `WideControl`
#: Lanes that relax a row's next edges together, by the bytes of a label.
_LANES = {4: "4", 8: "2"}
#: A bucket that settles fewer vertices than this was too narrow: latency dominated its rounds.
NARROW = 20_000
#: The cost of a pulled edge in sixteenths of that of a pushed edge.
PULL_COST = 16
_MOST_ROUNDS = 2**32 - 1
#: Widths of the first bucket and of the others, in mean weight / mean degree, for graphs with hubs
#: and for others. With hubs a narrow bucket reaches most edges; in other graphs a first bucket of
#: about twice the logarithm of n reaches most vertices.
_SKEWED, _EVEN = (4, 2), (28, 4)


class WideBuffers(NamedTuple):
    """The buffers of a solve other than its result; the kernel initializes them."""

    dist: Array | None
    rest: Array
    entries: tuple[Array, Array]
    runs: tuple[Array, Array]
    control: Array
    minimum: Array


def wide(order: Order, device: Device) -> Raw:
    """Run `Loop.WIDE`."""
    graph, problem = order.graph, order.problem
    if order.trace is not None:
        msg = f"{order.recipe.name} keeps no trace: its rounds follow each other on the device."
        raise NotSupportedError(msg)
    for width in widths(graph):
        search = search_of(
            graph, width, device, order.params, problem.cutoff, on_host=order.rows_on_host
        )
        dist, words = search(problem.source)
        if words[0] != Ended.LOST:
            break
    if longest(graph) >= 2**62:
        refuse_overflow(graph, problem, as_labels(graph, device.get(dist)))
    return Raw(dist, stats=counters(words), device=device)


def search_of(
    graph: Graph,
    width: Width,
    device: Device,
    params: dict[str, float],
    cutoff: float | None,
    *,
    on_host: bool = False,
) -> Search:
    """Return the search of a graph in a width, which holds no reference to the graph.

    It returns labels in the order of the graph's vertices.

    Parameters
    ----------
    on_host : whether the edges stay in memory of the host.
    """
    rows = (rows_on_host if on_host else rows_of)(graph, width, device)
    search_kernel = wide_kernel(width, device.block)
    n, label, own_labels = graph.n, np.dtype(width.label), rows.ranks is not None
    room, room_of_runs = rooms(graph, rows)
    first, delta = bounds(graph, width, params.get("delta"))
    same = {
        "n": n, "ranks": rows.ranks, "hubs_count": rows.hubs, "leaves": rows.leaves,
        "indptr": rows.indptr, "edges": rows.edges, "into": rows.into, "sources": rows.sources,
        "first": first, "delta": delta, "limit": first_beyond(cutoff, width), "narrow": NARROW,
        "pull_cost": PULL_COST, "max_rounds": _MOST_ROUNDS,
        "even_room": room, "even_room_of_runs": room_of_runs, "hubs_splitters": rows.splitters,
    }  # fmt: skip

    def buffers() -> WideBuffers:  # cached with the graph, so it must not refer to it
        return buffers_of(n, room, room_of_runs, label, device, own=own_labels)

    def given(held: WideBuffers) -> dict[str, Any]:
        return same | {
            "dist": held.dist,
            "rest": held.rest,
            "even_entries": held.entries[0],
            "odd_entries": held.entries[1],
            "even_runs": held.runs[0],
            "odd_runs": held.runs[1],
            "control": held.control,
            "minimum": held.minimum,
        }

    return Search(
        flights(graph, f"wide search in {label.name}, {rows.runs} runs", device, buffers),
        search_kernel,
        lambda _: device.resident_blocks(search_kernel),
        given,
        (n, label),
        "out" if own_labels else "dist",
    )


def counters(words: list[int]) -> dict[str, int]:
    """Return the counters in a solve's status words by name."""
    return {"rounds": words[1], "buckets": words[2]}


def wide_kernel(width: Width, block: int) -> Kernel:
    """Return the kernel for a width."""
    types = Types.of(np.int32, width.weight, width.label)
    return kernel("wide", types, block, ("lanes", lanes(width)))


def lanes(width: Width) -> str:
    """Return how many lanes relax a row's next edges together."""
    return _LANES[np.dtype(width.label).itemsize]


def bounds(graph: Graph, width: Width, delta: float | None) -> tuple[Any, Any]:
    """Return the widths of the first bucket and of the others in the labels' type."""
    kind = np.dtype(width.label).type
    facts = graph.facts(symmetry=False)
    unit = facts.mean_weight / max(facts.mean_degree, 1)
    skewed = facts.max_degree > HUB
    bounds = tuple(unit * factor for factor in (_SKEWED if skewed else _EVEN))
    if delta is not None:
        bounds = delta, delta
    if np.dtype(width.label).kind == "f":
        largest = float(np.finfo(kind).max)
        return kind(min(bounds[0], largest)), kind(min(bounds[1], largest))
    most = int(width.unreachable)
    return tuple(kind(min(max(math.floor(min(bound, most)), 1), most)) for bound in bounds)


def first_beyond(cutoff: float | None, width: Width) -> Any:
    """Return the smallest number above all labels within the cutoff."""
    kind = np.dtype(width.label).type
    if cutoff is None or cutoff >= width.unreachable:
        return width.unreachable
    if np.dtype(width.label).kind == "f":
        nearest = kind(cutoff)
        return nearest if float(nearest) > cutoff else np.nextafter(nearest, kind(np.inf))
    return kind(math.floor(cutoff) + 1)


def rooms(graph: Graph, rows: WideRows) -> tuple[int, int]:
    """Return how many entries and how many runs a list can hold.

    A full list is not an error: the next round inspects all vertices. There is room for twice the
    runs of all hubs, because hubs whose labels are lowered again are listed again.
    """
    return graph.n, 2 * rows.runs + 64


def buffers_of(
    n: int, room: int, room_of_runs: int, label: np.dtype[Any], device: Device, *, own: bool
) -> WideBuffers:
    """Return new buffers; with `own`, labels in the order of the rows among them."""
    xp = device.xp
    narrow = label.itemsize == 4
    entry, run = (8, 12) if narrow else (16, 16)

    def words(count: int, size: int) -> Array:
        array: Array = xp.empty(max(count * size // 8 + 1, 1), np.uint64)
        return array

    return WideBuffers(
        xp.empty(n, label) if own else None,
        words(n, entry),
        (words(room, entry), words(room, entry)),
        (words(room_of_runs, run), words(room_of_runs, run)),
        xp.zeros(_CONTROL // 8, np.uint64),
        xp.empty(3, label),
    )
