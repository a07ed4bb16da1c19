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
    from warpath.engines.base import Device, PreparedLaunch
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
        self._found: list[Reached] = []  # by the searches of each sweep
        self._launch: PreparedLaunch | None = None
        self._launched = 0  # the sources of the launch

    def __call__(self, sources: Array) -> Iterator[tuple[slice, Reached]]:
        """Yield the sources of each sweep, and what was reached from them."""
        self._there = not self._levels.search_on_cpu
        return self._on_device(sources) if self._there else self._on_cpu(sources)

    def failed(self) -> bool:
        """Return whether searches on the device did not fit; the next ones are on the CPU then.

        Waits for the launches so far.
        """
        if not self._there:
            self._device.synchronize()
            return False
        if not self._device.get(self.lost)[0]:
            return False
        self._levels.search_on_cpu = True  # of the graph: other threads may set it, too
        self.lost.fill(0)
        return True

    def _on_device(self, sources: Array) -> Iterator[tuple[slice, Reached]]:
        device, width, most = self._device, self._width, AT_ONCE * self._width
        starts = device.put(self._levels.columns_here[sources])
        if len(self._found) < min(-(-len(sources) // width), AT_ONCE):
            self._make_room(-(-len(sources) // width))
        for begin in range(0, len(sources), most):
            some = starts[begin : begin + most]
            launch = self._launch_for(len(some))
            launch.change(self._starts, some)
            self._counts.fill(0)
            device.fire(launch)
            firsts = range(begin, begin + len(some), width)
            for first, reached in zip(firsts, self._found, strict=False):
                yield slice(first, min(first + width, len(sources))), reached

    def _make_room(self, sweeps: int) -> None:
        """Make the arrays of the labels of some sweeps at once, of at most `AT_ONCE`."""
        xp, label, room = self._device.xp, self._levels.down.weights.dtype, _ROOM * self._width
        shape = min(sweeps, AT_ONCE), room
        self._counts = xp.zeros(shape[0], np.uint32)
        arrays = xp.empty(shape, np.int32), xp.empty(shape, np.uint16), xp.empty(shape, label)
        self._found = [
            Reached(self._counts[sweep : sweep + 1], *(array[sweep] for array in arrays))
            for sweep in range(shape[0])
        ]
        self._launch = None

    def _launch_for(self, count: int) -> PreparedLaunch:
        """Return the launch of searches from so many sources, which are still to be set."""
        if self._launch is not None and self._launched == count:
            return self._launch
        levels, (counts, places, lanes, labels) = self._levels, self._found[0]
        up, down = levels.up, levels.down
        assert up is not None  # noqa: S101 - all positions have places
        dtype = labels.dtype
        search = kernel("hierarchy_upward", Types.of(np.int32, dtype, dtype), self._device.block)
        arguments = search.arguments(
            sources=np.int32(count),
            width=self._width,
            starts=None,
            top=self._top,
            up_first=up.first,
            up_heads=up.heads,
            up_weights=up.weights,
            down_first=down.first,
            down_heads=down.heads,
            down_weights=down.weights,
            room=len(places),
            reached=counts,
            reached_from=places,
            lanes=lanes,
            reached_labels=labels,
            swept=self._swept_position_of(),
            lost=self.lost,
        )
        blocks = min(count, _BLOCKS * self._device.processors)
        self._starts = search.position("starts")
        self._launched = count
        self._launch = self._device.prepared(search, blocks, *arguments)
        return self._launch

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
