"""The division of a graph's vertices over devices, and the rows that each device holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base import settings
from warpath.engines.cuda.wide import rows as wide_rows
from warpath.engines.cuda.wide.rows import WideRows, ascending, splitters_of
from warpath.graph.derived import Derived
from warpath.graph.facts import rows_into

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warpath.base.dtypes import Array
    from warpath.engines.base import Device
    from warpath.engines.cuda.tables.widths import Width
    from warpath.graph import Graph


class Share(NamedTuple):
    """The vertices of one device, which are adjacent in the order of `Division.slots`.

    Attributes
    ----------
    first, last : the first one's slot, and the slot after the last one.
    active : number of vertices that may have edges; they come first.
    hubs, leaves, runs : as in `WideRows`, of this device's vertices.
    """

    first: int
    last: int
    active: int
    hubs: int
    leaves: int
    runs: int


@dataclass(frozen=True)
class Division:
    """Which device owns which vertex.

    Attributes
    ----------
    slots : (n,) int32, the place of each vertex when the devices' vertices follow each other.
    shares : the vertices of each device.
    symmetric : whether each edge has its reverse.
    """

    slots: Array
    shares: tuple[Share, ...]
    symmetric: bool

    @property
    def nbytes(self) -> int:
        """The bytes on the host."""
        return int(self.slots.nbytes)

    def owner(self, vertex: int) -> tuple[int, int]:
        """Return the number of a vertex's device, and its place among the vertices there."""
        slot = int(self.slots[vertex])
        for number, share in enumerate(self.shares):
            if share.first <= slot < share.last:
                return number, slot - share.first
        msg = f"no device has the vertex {vertex}."
        raise IndexError(msg)

    def others(self, number: int) -> list[int]:
        """Return the numbers of the other devices, ascending: the order of lists and blocks."""
        return [other for other in range(len(self.shares)) if other != number]

    def blocks(self, number: int) -> Array:
        """Return where a device has what belongs to the others: (k - 1, 3) int64.

        The rows are the fields of `ForeignBlock` of kernels/wide_part.cuh.
        """
        own, ranges, listed = self.shares[number], [], 0
        for other in self.others(number):
            share = self.shares[other]
            first = share.first + (own.last - own.first if other < number else 0)
            ranges.append((first, share.active, listed))
            listed += share.active
        return np.array(ranges, np.int64).reshape(-1, 3)


def owners_of(graph: Graph, order: Array, count: int, *, skewed: bool) -> Array:
    """Return the number of the device of each vertex: (n,) int32.

    Vertices of a skewed graph are dealt out by falling degree, so that each device has as many hubs
    and as many edges. In other graphs each device has a range of vertices with as many edges.
    """
    owners = np.empty(graph.n, np.int32)
    if skewed:
        owners[order] = np.arange(graph.n, dtype=np.int32) % count
        return owners
    shares = np.searchsorted(graph.indptr, [graph.m * part // count for part in range(1, count)])
    owners[:] = np.searchsorted(shares, np.arange(graph.n), side="right")
    return owners


def divide(graph: Graph, count: int) -> Division:
    """Divide a graph's vertices over so many devices. O(n log n), and O(m) when first called."""
    degrees = np.diff(graph.indptr)
    symmetric = rows_into(graph, settings.threads())[0] is graph
    skewed = bool(graph.n and degrees.max() > wide_rows.HUB)
    order = np.argsort(-degrees, kind="stable") if skewed else np.arange(graph.n)
    owners = owners_of(graph, order, count, skewed=skewed)
    slots, shares, first = np.empty(graph.n, np.int32), [], 0
    for number in range(count):
        own = order[owners[order] == number]
        last = first + len(own)
        slots[own] = np.arange(first, last, dtype=np.int32)
        share = Share(first, last, len(own), 0, len(own), 0)
        shares.append(_sorted(share, degrees[own], symmetric=symmetric) if skewed else share)
        first = last
    return Division(slots, tuple(shares), symmetric)


def _sorted(share: Share, degrees: Array, *, symmetric: bool) -> Share:
    """Return a share whose vertices are in the order of falling degrees."""
    hubs = degrees[degrees > wide_rows.HUB]
    linked = int(np.count_nonzero(degrees))
    return share._replace(
        active=linked if symmetric else len(degrees),
        hubs=len(hubs),
        leaves=int(np.count_nonzero(degrees > 1)) if symmetric else linked,
        runs=int((hubs // wide_rows.RUN + 1).sum()),
    )


class PartRows(NamedTuple):
    """The rows of one device's vertices.

    Attributes
    ----------
    rows : the rows; `ranks` are the places on this device of some vertices, in their order, whose
        labels this device brings into the order of the graph.
    blocks : see `Division.blocks`.
    out : the vertices of `ranks`.
    """

    rows: WideRows
    blocks: Array
    out: slice

    @property
    def nbytes(self) -> int:
        """The bytes on the device."""
        return int(self.rows.nbytes + self.blocks.nbytes)


_DIVISIONS: Derived[Division] = Derived(__name__, "division over devices")
_PARTS: Derived[PartRows] = Derived(__name__, "rows of a part on a device")


def division_of(graph: Graph, count: int) -> Division:
    """Return the division of a graph over so many devices, made when first requested."""
    return _DIVISIONS.of(graph, lambda: divide(graph, count), count)


def parts_of(graph: Graph, width: Width, devices: Sequence[Device]) -> list[PartRows]:
    """Return the rows of each device for weights of a width. O(m log m) when first requested."""
    division = division_of(graph, len(devices))
    names = tuple(device.name for device in devices)
    parts = []
    for number, device in enumerate(devices):
        with device.active():
            part = _PARTS.of(
                graph,
                lambda at=number, on=device: _part(graph, width, on, division, at),  # type: ignore[misc]
                device.name,
                width.weight,
                names,
            )
        parts.append(part)
    return parts


def _part(graph: Graph, width: Width, device: Device, division: Division, number: int) -> PartRows:
    xp: Any = device.xp
    share, count = division.shares[number], len(division.shares)
    own = share.last - share.first
    slots = device.put(division.slots)
    # Own vertices come first, then those of the other devices in the order of their slots.
    places = xp.where(slots < share.last, slots - share.first, slots).astype(np.int32)
    places = xp.where(slots < share.first, slots + own, places).astype(np.int32)
    indptr, edges = ascending(graph, width, device, places, own)
    into, sources = (indptr, edges) if division.symmetric else (None, None)
    if not division.symmetric and graph.m // count <= wide_rows.MOST_INTO:
        into, sources = ascending(graph.reversed(), width, device, places, own)
    splitters = device.put(splitters_of(graph).astype(width.weight))
    out = slice(graph.n * number // count, graph.n * (number + 1) // count)
    ranks = places[out].copy()
    rows = WideRows(
        indptr, edges, into, sources, ranks, share.hubs, share.leaves, splitters, share.runs
    )
    return PartRows(rows, device.put(division.blocks(number)), out)
