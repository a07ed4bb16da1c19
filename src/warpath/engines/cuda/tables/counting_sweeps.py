"""Betweenness by counting sweeps on a device: sums of the core's order, and so of its bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import _core
from warpath.base import settings, units
from warpath.base.errors import NotEnoughMemoryError
from warpath.engines.betweenness import BLOCK, counted, counts_that_fit, of_positions
from warpath.engines.cuda.entry import Types, kernel
from warpath.graph.derived import Derived

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from warpath.base.dtypes import Array
    from warpath.engines.base import Device
    from warpath.engines.betweenness import PathShares, Sums
    from warpath.graph import Graph

#: Sources of a block of threads, and those that the core's vectors hold, whose shares it adds up
#: together; it adds a 64th of a block of sources, at most 64 such vectors, before anything else.
_LINE, _ITEM, _GROUPS = 32, 8, 64
#: Lines of an upward search at first, and blocks of threads on a multiprocessor.
_ROOM, _RESIDENT = 1024, 2
_KEPT_FREE = 0.9  # of the free memory may be taken
_NO_ROOM = 1  # a bit of `failed`


@dataclass
class _Places:
    """A counted hierarchy on a device, by places.

    Attributes
    ----------
    of_vertex : (n,) int32, the place of each vertex.
    order : (n + arcs,) int64 on the device, for each sum of the core where the kernel has it.
    arguments : those of the kernel that describe the hierarchy.
    label : the type of labels.
    arcs : the numbers of arcs down and up.
    """

    of_vertex: Array
    order: Array
    arguments: dict[str, Any]
    label: np.dtype[Any]
    arcs: tuple[int, int]


_PLACES: Derived[_Places] = Derived(
    __name__,
    "counted hierarchy on a device",
    lambda places: sum(
        getattr(each, "nbytes", 0) for each in (places.order, *places.arguments.values())
    ),
)


def path_sums(
    device: Device,
    graph: Graph,
    shares: PathShares,
    sources: Array,
    starts: range,
    *,
    stay: bool,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Sums]:
    """Yield the sums of blocks of sources; see `warpath.engines.base.WithPathSums`.

    Work: as `counting_sweep.cuh`. Memory: 16 bytes a vertex for each source that is searched from
    at the same time: twice 32 on each multiprocessor, or as many as fit.
    """
    places = _PLACES.of(graph, lambda: _places(graph, device), device.name)
    sweeps = _Sweeps(device, graph.n, places, shares)
    groups = [sweeps.groups(sources[start : start + BLOCK]) for start in starts]
    at = 0  # the first block of sources with groups that are not yet swept
    while at < len(groups):
        until = at + 1
        while until < len(groups) and sum(map(len, groups[at : until + 1])) <= sweeps.most:
            until += 1
        totals = sweeps.run(groups[at:until])
        for number, total in zip(range(at, until), totals, strict=True):
            sums = total[places.order]
            yield of_positions(graph, sums if stay else device.get(sums))
            if progress is not None:
                progress(min(starts[number] + BLOCK, len(sources)), len(sources))
        at = until


def _places(graph: Graph, device: Device) -> _Places:
    """Return the hierarchy of a graph on a device."""
    hierarchy = counted(graph, None, settings.threads())
    rows: Any = _core.level_rows
    level_first, positions, of_vertex, down, up = rows(hierarchy.hierarchy, 0)
    up = up if len(up[0]) else down
    n, ups, downs = graph.n, len(up[1]), len(down[1])
    place_of = np.empty(n, np.int32)
    place_of[positions] = np.arange(n, dtype=np.int32)
    counts = np.split(hierarchy.counts.counts(), [ups])
    arguments: dict[str, Any] = {
        "places": n,
        "levels": len(level_first) - 1,
        "level_first": device.put(level_first),
        "positions": device.put(positions),
        "place_of": device.put(place_of),
    }
    order = [place_of.astype(np.int64)]
    for name, rows_of, of_arcs, before in (
        ("up", up, counts[0], n),
        ("down", down, counts[1], n + ups),
    ):
        by_position = _arcs_by_place(rows_of[0], place_of)
        order.append(by_position + before)
        of_places = np.empty_like(of_arcs)
        of_places[by_position] = of_arcs
        fields = zip(("first", "heads", "weights", "counts"), (*rows_of, of_places), strict=True)
        arguments |= {f"{name}_{field}": device.put(array) for field, array in fields}
    arguments |= _back(down, positions, device)
    return _Places(
        of_vertex, device.put(np.concatenate(order)), arguments, down[2].dtype, (downs, ups)
    )


def _arcs_by_place(first: Array, place_of: Array) -> Array:
    """Return the number among arcs by place of each arc by position: (arcs,) int64."""
    begins = first[place_of]
    lengths = np.diff(first)[place_of]
    before = np.cumsum(lengths) - lengths
    return np.repeat(begins - before, lengths) + np.arange(first[-1])


def _back(down: tuple[Array, Array, Array], positions: Array, device: Device) -> dict[str, Array]:
    """Return the arcs down from each place, the least important place that they lead to first."""
    first, heads, _ = down
    tails = np.repeat(np.arange(len(positions), dtype=np.int32), np.diff(first))
    arcs = np.lexsort((-positions[tails], heads)).astype(np.int32)
    back_first = np.searchsorted(heads[arcs], np.arange(len(positions) + 1)).astype(np.int64)
    return {
        "back_first": device.put(back_first),
        "back_tails": device.put(tails[arcs]),
        "back_arcs": device.put(arcs),
    }


class _Sweeps:
    """Sweeps from groups of sources, one group for each block of threads.

    Attributes
    ----------
    most : groups that are swept from at the same time.
    """

    def __init__(self, device: Device, n: int, places: _Places, shares: PathShares) -> None:
        self._device, self._places, self._n = device, places, n
        self._size = n + sum(places.arcs)
        types = Types.of(np.int32, places.label, places.label)
        self._kernel = kernel("counting_sweep", types, device.block)
        self._add = kernel("counting_sums", types, device.block)
        is_target = np.zeros(n, np.uint8)
        is_target[places.of_vertex[shares.targets]] = 1
        self._given = places.arguments | {
            "is_target": device.put(is_target),
            "endpoints": int(shares.endpoints),
        }
        self._failed = device.xp.zeros(1, np.int32)
        self._room = min(n, _ROOM)
        self.most = 0
        self._buffers: dict[str, Array] = {}
        self._make_buffers()

    def groups(self, sources: Array) -> list[Array]:
        """Return the places of groups of sources, -1 for none: those that the core adds up first.

        They are those of `sum_in_order` in the core, by vectors of `CountingSweep`.
        """
        positions = self._device.get(self._given["positions"])
        starts = self._places.of_vertex[sources]
        starts = starts[np.argsort(positions[starts], kind="stable")]
        vectors = -(-len(starts) // _ITEM)
        size = _ITEM * min(max(vectors // _GROUPS, 1), _LINE // _ITEM)
        lines = np.full((-(-len(starts) // size), _LINE), -1, np.int32)
        for line, begin in zip(lines, range(0, len(starts), size), strict=True):
            some = starts[begin : begin + size]
            line[: len(some)] = some
        return list(lines)

    def run(self, blocks: list[list[Array]]) -> list[Array]:
        """Return the sums of blocks of groups, each in the kernel's order, on the device."""
        totals = [self._device.xp.zeros(self._size) for _ in blocks]
        queue = [
            (line, total) for lines, total in zip(blocks, totals, strict=True) for line in lines
        ]
        begin = 0
        while begin < len(queue):
            some = queue[begin : begin + self.most]
            if not self._swept(np.concatenate([line for line, _ in some])):
                self._room = min(self._n, 4 * self._room)
                self._make_buffers()
                continue
            first = 0
            while first < len(some):
                into = some[first][1]
                count = sum(total is into for _, total in some[first:])
                self._add_up(first, count, into)
                first += count
            begin += len(some)
        return totals

    def _swept(self, starts: Array) -> bool:
        """Sweep from groups of sources; return whether the upward searches had room."""
        device = self._device
        arguments = self._kernel.arguments(
            **self._given,
            **self._buffers,
            room=self._room,
            starts=device.put(starts),
            failed=self._failed,
        )
        device.launch(self._kernel, len(starts) // _LINE, *arguments)
        failed = int(device.get(self._failed)[0])
        self._failed.fill(0)
        if failed & _NO_ROOM:
            return False
        if failed:
            with counts_that_fit():
                msg = "there are more than 1e300 shortest paths between two vertices"
                raise OverflowError(msg)
        return True

    def _add_up(self, first: int, count: int, total: Array) -> None:
        arguments = self._add.arguments(
            size=self._size,
            up_begin=self._n,
            up_end=self._n + self._places.arcs[1],
            blocks=count,
            sums=self._buffers["sums"][first],
            total=total,
        )
        device = self._device
        blocks = min(8 * device.processors, -(-self._size // device.block))
        device.launch(self._add, blocks, *arguments)

    def _make_buffers(self) -> None:
        """Make what groups need while they are swept from, for as many as fit the memory."""
        self._buffers = {}  # frees the memory for the new ones
        n, room, xp, label = self._n, self._room, self._device.xp, self._places.label
        downs, _ = self._places.arcs
        shapes: dict[str, tuple[int, Any]] = {
            "paths": (n * _LINE, np.float64),
            "shares": (n * _LINE, np.float64),
            "tight": (downs, np.uint32),
            "numbers": (n, np.int32),
            "queue": (n // 32 + 1, np.uint32),
            "reached": (room, np.int32),
            "up_labels": (room * _LINE, label),
            "up_paths": (room * _LINE, np.float64),
            "up_shares": (room * _LINE, np.float64),
            "turns": (room, np.uint32),
            "parts": (room * 4, np.float64),
            "sums": (self._size, np.float64),
        }
        bytes_ = sum(size * np.dtype(dtype).itemsize for size, dtype in shapes.values())
        free = int(self._device.free_memory() * _KEPT_FREE)
        if bytes_ > free:
            msg = (
                f"betweenness takes {units.size(bytes_)} on {self._device.name}, of which "
                f"{units.size(free)} are free: use device='cpu'."
            )
            raise NotEnoughMemoryError(msg)
        self.most = min(_RESIDENT * self._device.processors, free // bytes_)
        zero = {"numbers", "queue", "sums"}
        self._buffers = {
            name: (xp.zeros if name in zero else xp.empty)((self.most, max(size, 1)), dtype)
            for name, (size, dtype) in shapes.items()
        }
