"""Points at which lines meet: joining their ends, and splitting them between their ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.graph import Graph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warpath.base.dtypes import Array

#: The default tolerance as a part of the largest coordinate: some millimetres in degrees or metres.
_ROUNDING = 1e-9


def tolerance_of(corners: Array) -> float:
    """Return the default tolerance for lines with these corners, (p, 2)."""
    return _ROUNDING * float(np.abs(corners).max(initial=0.0))


def crosses_antimeridian(corners: Array, indptr: Array, *, geographic: bool) -> Array:
    """Return whether each line has a piece of more than 180 degrees of longitude: (k,) bool."""
    lines = len(indptr) - 1
    if not geographic or len(corners) < 2:
        return np.zeros(lines, np.bool_)
    which = np.repeat(np.arange(lines), np.diff(indptr))
    jumps = (np.abs(np.diff(corners[:, 0])) > 180.0) & (which[1:] == which[:-1])
    return np.bincount(which[1:][jumps], minlength=lines) > 0


def meetings(shapely: Any, lines: Sequence[Any], tolerance: float) -> tuple[Array, Array]:
    """Return where lines meet others between their ends.

    Parameters
    ----------
    lines : k LineStrings, or None for lines that are left out.
    tolerance : the largest distance between a line and the end of another that meet.

    Returns
    -------
    line : (c,) int64, ascending.
    along : (c,) float64, the distance from the line's start, ascending for each line.

    Notes
    -----
    Expected O((k + c) log k). Lines meet where one ends on another, where they cross, and where
    they share a corner or a stretch.
    """
    array = np.array(lines, object)
    tree = shapely.STRtree(array)
    some = np.flatnonzero([line is not None for line in lines])
    ends = shapely.points(
        np.concatenate(
            [shapely.get_coordinates(shapely.get_point(array[some], k)) for k in (0, -1)]
        )
    )
    point, line = tree.query(ends, predicate="dwithin", distance=tolerance)
    first, second = tree.query(array, predicate="intersects")
    first, second = first[first < second], second[first < second]
    crossing = shapely.relate_pattern(array[first], array[second], "T********")
    first, second = first[crossing], second[crossing]
    common = shapely.intersection(array[first], array[second])
    inner, pair = shapely.get_coordinates(common, return_index=True)
    spots = np.concatenate([ends[point], *2 * [shapely.points(inner)]])
    line = np.concatenate([line, first[pair], second[pair]])
    along = shapely.line_locate_point(array[line], spots)
    order = np.lexsort([along, line])
    line, along = line[order], along[order]
    inside = (along > tolerance) & (along < shapely.length(array)[line] - tolerance)
    line, along = line[inside], along[inside]
    new = np.append(True, (line[1:] != line[:-1]) | (np.diff(along) > tolerance))[: len(line)]
    return line[new], along[new]


def split(
    shapely: Any, lines: Sequence[Any], line: Array, along: Array
) -> tuple[list[Any], Array, Array]:
    """Split lines at the points that `meetings` returns.

    Returns
    -------
    pieces : LineStrings, in the order of the lines.
    row : (pieces,) the line of each piece.
    share : (pieces,) the part of the line's length that the piece has.
    """
    substring = shapely.ops.substring
    begin = np.searchsorted(line, np.arange(len(lines) + 1))
    pieces: list[Any] = []
    counts = np.diff(begin) + 1
    share = np.ones(int(counts.sum()))
    for at in range(len(lines)):
        cuts = along[begin[at] : begin[at + 1]].tolist()
        if not cuts:
            pieces.append(lines[at])
            continue
        bounds = [0.0, *cuts, lines[at].length]
        share[len(pieces) : len(pieces) + len(cuts) + 1] = np.diff(bounds) / bounds[-1]
        pieces += map(substring, [lines[at]] * (len(cuts) + 1), bounds[:-1], bounds[1:])
    return pieces, np.repeat(np.arange(len(lines)), counts), share


def joined(shapely: Any, points: Array, tolerance: float) -> Array:
    """Return the smallest index in each point's group; points within the tolerance share a group.

    Parameters
    ----------
    points : (k, 2), different points.
    """
    if tolerance == 0.0:
        return np.arange(len(points))
    shapes = shapely.points(points)
    first, second = shapely.STRtree(shapes).query(shapes, predicate="dwithin", distance=tolerance)
    near = Graph.from_edges(first, second, n=len(points), directed=False)
    groups = near.components().labels
    _, smallest, group = np.unique(groups, return_index=True, return_inverse=True)
    return smallest[group]
