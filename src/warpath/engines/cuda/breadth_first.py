"""One source of a graph with equal edge lengths: breadth-first search in one launch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base import settings
from warpath.base.errors import NotSupportedError
from warpath.engines.base import Raw
from warpath.engines.cpu import refuse_overflow
from warpath.engines.cuda.entry import Kernel, Types, kernel
from warpath.engines.cuda.flight import Ended, flights
from warpath.engines.cuda.repeated_search import Search
from warpath.engines.cuda.rows import longest, resident
from warpath.engines.cuda.tables.widths import largest_within, widths
from warpath.graph.derived import Derived
from warpath.graph.facts import rows_into

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.engines.base import Device, Order
    from warpath.engines.cuda.tables.widths import Width
    from warpath.graph import Graph

_CONTROL = 80  # bytes of `BreadthControl`
#: Maximum edges of a piece of an out-row (`kPiece`) and of a part of an in-row (`kPart`).
_PIECE, _PART = 256, 512
#: A level is bottom-up if its frontier has more than 1 / _ALPHA of the remaining edges.
_ALPHA = 15


class RowsIn(NamedTuple):
    """The in-edges of each vertex, on a device.

    Attributes
    ----------
    indptr : (n + 1,) int64.
    indices : (m,) int32.
    without_in_edges : (ceil(n / 32),) uint32, a bit for each vertex without in-edges.
    """

    indptr: Array
    indices: Array
    without_in_edges: Array


class BreadthFirstBuffers(NamedTuple):
    """The buffers of a solve other than its labels; the kernel initializes them."""

    pieces: Array
    parts: Array
    seen: Array
    other: Array
    control: Array


def breadth_first(order: Order, device: Device) -> Raw:
    """Run `Loop.BFS`.

    Raises
    ------
    NotSupportedError
        For a trace.
    OverflowError
        When a distance does not fit its type.
    """
    graph, problem = order.graph, order.problem
    _check(order)
    for width in widths(graph):
        search = search_of(graph, width, device, order.params, problem.cutoff)
        dist, words = search(problem.source)
        if words[0] != Ended.LOST:
            break
    if longest(graph) >= 2**62:
        refuse_overflow(graph, problem, device.get(dist))
    return Raw(dist, stats=counters(words), device=device)


def _check(order: Order) -> None:
    if order.trace is not None:
        msg = (
            f"{order.recipe.name} keeps no trace on a GPU, where all levels run in one launch: "
            "leave out trace, or use device='cpu'."
        )
        raise NotSupportedError(msg)


def search_of(
    graph: Graph, width: Width, device: Device, _params: dict[str, float], cutoff: float | None
) -> Search:
    """Return the search of a graph in a width, which holds no reference to the graph."""
    rows, into = resident(graph, device), rows_in(graph, device)
    search_kernel = breadth_first_kernel(width, device.block)
    n, m = graph.n, graph.m
    same = {
        "n": n,
        "m": m,
        "indptr": rows.indptr,
        "indices": _narrow(graph, rows.indices, device),
        "into": into.indptr,
        "sources": into.indices,
        "without_in_edges": into.without_in_edges,
        "weight": _weight(graph),
        "cutoff": largest_within(cutoff, width),
        "alpha": _ALPHA,
    }

    def buffers() -> BreadthFirstBuffers:  # cached with the graph, so it must not refer to it
        return _buffers(n, m, device)

    return Search(
        flights(graph, "breadth-first search", device, buffers),
        search_kernel,
        lambda _: device.resident_blocks(search_kernel),
        lambda held: same | held._asdict(),
        (n, np.dtype(width.label)),
    )


def counters(words: list[int]) -> dict[str, int]:
    """Return the counters in a solve's status words by name."""
    return {"rounds": words[1], "back": words[2]}


def breadth_first_kernel(width: Width, block: int) -> Kernel:
    """Return the kernel for a width."""
    return kernel("breadth_first", Types.of(np.int32, width.weight, width.label), block)


#: The in-edges of each vertex on a device, if they differ from the graph's own rows.
EDGES_IN: Derived[tuple[Array, Array]] = Derived(__name__, "edges in on a device")
_WITHOUT_IN_EDGES: Derived[Array] = Derived(__name__, "vertices without in-edges, on a device")
_NARROW: Derived[Array] = Derived(__name__, "indices of 32 bits on a device")


def rows_in(graph: Graph, device: Device) -> RowsIn:
    """Return the in-edges of each vertex, computed when first requested and cached.

    These are the graph's own rows if each edge has its opposite, else the rows of its transpose.
    """
    host, _ = rows_into(graph, settings.threads())
    host = graph.reversed() if host is None else host
    if host is graph:
        rows = resident(graph, device)
        indptr, indices = rows.indptr, _narrow(graph, rows.indices, device)
    else:
        narrow = host.indices.astype(np.int32, copy=False)
        indptr, indices = EDGES_IN.of(
            graph, lambda: (device.put(host.indptr), device.put(narrow)), device.name
        )
    without_in_edges = _WITHOUT_IN_EDGES.of(
        graph, lambda: device.put(_without_in_edges(host)), device.name
    )
    return RowsIn(indptr, indices, without_in_edges)


def _narrow(graph: Graph, indices: Array, device: Device) -> Array:
    """Return indices of 32 bits; a graph of fewer than 2^31 vertices may have 64-bit ones."""
    if indices.dtype == np.int32:
        return indices
    return _NARROW.of(graph, lambda: indices.astype(np.int32), device.name)


def _without_in_edges(rows: Graph) -> Array:
    """Return a bit for each empty row."""
    bits = np.packbits(np.diff(rows.indptr) == 0, bitorder="little")
    whole = np.zeros(-(-rows.n // 32) * 4, np.uint8)
    whole[: len(bits)] = bits
    return whole.view("<u4").astype(np.uint32)


def _weight(graph: Graph) -> Any:
    """Return the weight of every edge."""
    return graph._solver_weights[0] if graph.m else 0


def _buffers(n: int, m: int, device: Device) -> BreadthFirstBuffers:
    xp = device.xp
    words = -(-n // 32)
    return BreadthFirstBuffers(
        xp.empty(n + m // _PIECE + 1, np.uint64),
        xp.empty(m // _PART + 1, np.uint64),
        xp.empty(words, np.uint32),
        xp.empty(words, np.uint32),
        xp.zeros(_CONTROL // 8, np.uint64),
    )
