"""Upward searches in a hierarchy, whose labels sweeps start from: on the device, or on the CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath import _core
from warpath.base import settings
from warpath.engines.cuda.entry import Types, kernel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warpath.base.dtypes import Array
    from warpath.engines.base import Device
    from warpath.engines.cuda.tables.hierarchy_levels import Levels

#: Maximum number of sweeps whose upward searches are done at once.
AT_ONCE = 16
#: Labels for each source, in the mean of a sweep, for which there is room.
_ROOM = 1024
_BLOCKS = 8  # per multiprocessor


class Reached(NamedTuple):
    """The labels of the upward searches of one sweep, on the device.

    Attributes
    ----------
    size : (1,) uint32, their number.
    places, lanes, labels : the place, the number of the source and the label of each.
    """

    size: Array
    places: Array
    lanes: Array
    labels: Array


class UpwardSearches:
    """Searches upward from the sources of one sweep after another.

    A block of the device searches from a source, in shared memory. Where that cannot hold all the
    places that a search reaches, threads of the CPU search while the device sweeps.

    Parameters
    ----------
    levels, top : the whole hierarchy on the device.
    swept : the levels that are swept over.
    width : sources of a sweep.

    Attributes
    ----------
    lost : (1,) int32 on the device, set to 1 by searches that do not fit; nothing is swept then.
    """

    def __init__(
        self,
        device: Device,
        hierarchy: Any,
        levels: Levels,
        swept: Levels,
        top: int,
        width: int,
    ) -> None:
        self._device, self._hierarchy, self._levels = device, hierarchy, levels
        self._swept, self._top, self._width = swept, top, width
        self.lost = device.xp.zeros(1, np.int32)
        self._there = False  # whether the last searches were on the device

    def __call__(self, sources: Array) -> Iterator[tuple[slice, Reached]]:
        """Yield the sources of each sweep, and what was reached from them."""
        self._there = not self._levels.search_on_cpu
        return self._on_device(sources) if self._there else self._on_cpu(sources)

    def failed(self) -> bool:
        """Return whether searches on the device did not fit; the next ones are on the CPU then.

        Waits for the launches so far.
        """
        if not self._there or not self._device.get(self.lost)[0]:
            return False
        self._levels.search_on_cpu = True  # of the graph: other threads may set it, too
        self.lost.fill(0)
        return True

    def _on_device(self, sources: Array) -> Iterator[tuple[slice, Reached]]:
        device, levels, width = self._device, self._levels, self._width
        xp, up, down = device.xp, levels.up, levels.down
        assert up is not None  # noqa: S101 - all positions have places
        starts = levels.columns[device.put(sources)]
        sweeps, room = min(-(-len(sources) // width), AT_ONCE), _ROOM * width
        places = xp.empty((sweeps, room), np.int32)
        lanes = xp.empty((sweeps, room), np.uint16)
        labels = xp.empty((sweeps, room), down.weights.dtype)
        dtype = down.weights.dtype
        swept = self._swept_position_of()
        search = kernel("hierarchy_upward", Types.of(np.int32, dtype, dtype), device.block)
        for begin in range(0, len(sources), AT_ONCE * width):
            some = starts[begin : begin + AT_ONCE * width]
            counts = xp.zeros(AT_ONCE, np.uint32)
            arguments = search.arguments(
                sources=len(some),
                width=width,
                starts=some,
                top=self._top,
                up_first=up.first,
                up_heads=up.heads,
                up_weights=up.weights,
                down_first=down.first,
                down_heads=down.heads,
                down_weights=down.weights,
                room=room,
                reached=counts,
                reached_from=places,
                lanes=lanes,
                reached_labels=labels,
                swept=swept,
                lost=self.lost,
            )
            device.launch(search, min(len(some), _BLOCKS * device.processors), *arguments)
            for sweep, first in enumerate(range(begin, begin + len(some), width)):
                these = slice(first, min(first + width, len(sources)))
                yield (
                    these,
                    Reached(counts[sweep : sweep + 1], places[sweep], lanes[sweep], labels[sweep]),
                )

    def _swept_position_of(self) -> Array | None:
        """Return where each place is swept over, -1 if it is not; None if all places are."""
        if self._swept is self._levels:
            return None
        xp, put = self._device.xp, self._device.put
        place = self._levels.place_of_position
        swept: Array = xp.full(self._levels.places, -1, np.int32)
        swept[put(place[self._swept.position_of_place])] = xp.arange(
            self._swept.places, dtype=np.int32
        )
        return swept

    def _on_cpu(self, sources: Array) -> Iterator[tuple[slice, Reached]]:
        """Search from the first `width` sources, then from twice as many each time."""
        begin, some = 0, self._width
        place = self._swept.place_of_position
        while begin < len(sources):
            yield from self._block(sources, slice(begin, min(begin + some, len(sources))), place)
            begin, some = begin + some, min(2 * some, AT_ONCE * self._width)

    def _block(self, sources: Array, block: slice, place: Array) -> Iterator[tuple[slice, Reached]]:
        upward: Any = _core.upward_lists
        ends, places, lanes, labels = upward(
            self._hierarchy,
            place,
            self._top,
            sources[block],
            self._width,
            threads=settings.threads(),
        )
        put = self._device.put
        places, lanes, labels = put(places), put(lanes), put(labels)
        firsts = range(block.start, block.stop, self._width)
        of_sweeps = ends[[*(first - block.start for first in firsts), len(ends) - 1]]
        counts = put(np.diff(of_sweeps).astype(np.uint32))
        for sweep, first in enumerate(firsts):
            these = slice(first, min(first + self._width, block.stop))
            lists = slice(*of_sweeps[sweep : sweep + 2].tolist())
            yield (
                these,
                Reached(counts[sweep : sweep + 1], places[lists], lanes[lists], labels[lists]),
            )
