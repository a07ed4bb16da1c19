"""Contraction hierarchies on a device: the distances within the top, and levels below it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath import _core
from warpath.base import settings
from warpath.graph.derived import Derived

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.engines.base import Device
    from warpath.graph import Graph

#: The number of positions of the top, which have no level, is a multiple of `_TOP_STEP`, chosen to
#: minimize the time for levels and for the matrix of the top's distances: for 256 sources on an
#: H200 3 us per level and 27 us per 2^20 entries. New York's roads have 48 levels below a top of
#: 640 positions. The most are `kMostTop` of kernels/hierarchy_upward.cuh.
_TOP_STEP, _MOST_OF_TOP, _PER_LEVEL = 64, 2048, 117_000


class PlaceArcs(NamedTuple):
    """The arcs between each place below the top and more important places, on a device.

    Attributes
    ----------
    first : (places + 1,) int64.
    heads : (arcs,) int32, the more important places.
    weights : (arcs,).
    """

    first: Array
    heads: Array
    weights: Array


@dataclass
class Levels:
    """Positions of a hierarchy on a device, level by level, and the places of its vertices.

    Attributes
    ----------
    n : number of positions.
    levels : number of levels.
    level_first : as in `HierarchySweepArgs`, on the device.
    down, up : the arcs; None for `up` where some positions have no place.
    position_of_place : (places,) int32 on the host.
    columns : the places of the targets, or of all vertices, on the device.
    columns_here : the same on the host.
    search_on_cpu : whether upward searches have found more than a block, or the room for labels,
        can hold.
    """

    n: int
    levels: int
    level_first: Array
    down: PlaceArcs
    up: PlaceArcs | None
    position_of_place: Array
    columns: Array
    columns_here: Array
    search_on_cpu: bool = False

    @property
    def places(self) -> int:
        """Number of places, those of the top included."""
        return len(self.position_of_place)

    @cached_property
    def place_of_position(self) -> Array:
        """The place of each position, -1 where it has none: (n,) int32 on the host."""
        inverse = np.full(self.n, -1, np.int32)
        inverse[self.position_of_place] = np.arange(self.places, dtype=np.int32)
        return inverse


_TOPS: Derived[Array] = Derived(__name__, "most important vertices of a hierarchy")
_MATRICES: Derived[Array] = Derived(__name__, "distances within the top of a hierarchy")
_LEVELS: Derived[Levels] = Derived(__name__, "contraction hierarchy by levels")


def top_of(graph: Graph, hierarchy: Any) -> Array:
    """Return the most important vertices, which have no level, cached with the graph: (t,)."""
    find: Any = _core.level_top
    return _TOPS.of(graph, lambda: find(hierarchy, _TOP_STEP, _MOST_OF_TOP, _PER_LEVEL))


def levels_of(graph: Graph, hierarchy: Any, device: Device, targets: Array | None = None) -> Levels:
    """Return the levels below the top, cached with the graph; or those above some targets."""
    top = len(top_of(graph, hierarchy))

    def make() -> Levels:
        rows: Any = _core.level_rows
        level_first, position, columns, down, up = rows(hierarchy, top, targets)
        arcs = PlaceArcs(*map(device.put, down))
        upward = PlaceArcs(*map(device.put, up)) if len(up[0]) else arcs
        return Levels(
            n=graph.n,
            levels=len(level_first) - 1,
            level_first=device.put(level_first),
            down=arcs,
            up=upward if targets is None else None,
            position_of_place=position,
            columns=device.put(columns),
            columns_here=columns,
        )

    return _LEVELS.of(graph, make, device.name) if targets is None else make()


def distances_of_top(graph: Graph, hierarchy: Any, device: Device, dtype: np.dtype[Any]) -> Array:
    """Return the distances within the top, cached: at [t, r] the one from vertex r to vertex t."""
    top = top_of(graph, hierarchy)

    def make() -> Array:
        matrix = np.empty((len(top), len(top)), dtype)
        if len(top):
            hierarchy.table(top, top, matrix, restricted=True, threads=settings.threads())
        return device.put(np.ascontiguousarray(matrix.T))

    return _MATRICES.of(graph, make, device.name)
