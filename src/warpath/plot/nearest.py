"""The area of each facility: the edges whose ends have the same nearest facility."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base import units
from warpath.base.errors import GraphError
from warpath.graph.edge_geometry import lines_of
from warpath.plot.map import (
    MapFigure,
    draw_lines,
    line_width,
    links,
    mark,
    new_map,
    starts_of,
    write_source,
    write_title,
)
from warpath.plot.page import AREAS, checked_path, drawable, save
from warpath.results.names import names_of
from warpath.results.nearest import Nearest

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from warpath.base.dtypes import Array

_MOST_NAMES = 24  # more facilities are marked without their names


def plot_nearest(
    found: Nearest,
    path: str | os.PathLike[str] | None = None,
    *,
    title: str | None = None,
    subtitle: str | None = None,
    names: Sequence[str] | Mapping[Any, str] | None = None,
    theme: str = "light",
    dpi: int = 200,
) -> Any:
    """Draw the network in the colours of the nearest facilities.

    Six colours are given out greedily, so that neighbouring areas differ unless one has six
    neighbours or more. An edge between two areas, or whose ends have no facility, is faint.

    Parameters
    ----------
    found : result for a graph with coordinates, drawn to scale as in `plot_route`.
    path : file to write, its format by suffix: .png, .svg, .pdf, .jpg, .webp, .tif; None for none.
    title, subtitle : text above the drawing; None for a description of it, "" for no text.
    names : a label for each of ``found.facilities``, or ``{vertex: label}``; None for their names.
        More than 24 are not written.
    theme : "light" or "dark".
    dpi : dots per inch of pixel formats.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    GraphError
        If the graph or all its facilities have no coordinates.
    InputError
        If `found` is not a `Nearest`, or `names`, the suffix or `dpi` is not valid.
    MissingDependencyError
        If matplotlib is not installed.
    """
    drawable(found, Nearest, "found", "nearest(graph, facilities)")
    target = None if path is None else checked_path(path)
    graph = found.graph
    starts = starts_of(found, found.starts, "the areas of facilities")
    if not np.isfinite(starts).all(axis=1).any():
        raise GraphError("no facility has coordinates, so their areas cannot be drawn.")
    edges = links(graph)
    src, dst = (ends[edges] for ends in graph.edges()[:2])
    lines, which, _, _ = lines_of(graph, edges)
    area = areas(found, src, dst)
    is_finite = np.isfinite(lines).all(axis=(1, 2))
    lines, of_line = lines[is_finite], area[which[is_finite]]
    points = np.concatenate([lines.reshape(-1, 2), starts])
    drawing = new_map(graph, points, "the areas of facilities", theme=theme, dpi=dpi)
    _draw_areas(drawing, lines, of_line, greedy_colours(found, src, dst))
    labels = names_of(found, found.starts, names)
    for place, label in zip(starts, labels, strict=True):
        if np.isfinite(place).all():
            mark(drawing, place, label if len(labels) <= _MOST_NAMES else "", start=True)
    write_source(drawing, graph)
    way = "to" if found.reverse else "from"
    write_title(
        drawing,
        f"Shortest paths {way} the nearest of {found.facilities_counted}"
        if title is None
        else title,
        nearest_subtitle(found) if subtitle is None else subtitle,
    )
    if target is not None:
        save(drawing.figure, target, dpi)
    return drawing.figure


def _draw_areas(drawing: MapFigure, lines: Array, area: Array, colour: Array) -> None:
    palette = AREAS[drawing.theme.paper == "white"]
    width = line_width(len(lines), 0.4, 1.8)
    draw_lines(drawing.axes, lines[area < 0], colors=drawing.theme.network, linewidths=width / 2)
    for at, one in enumerate(palette):
        mine = (area >= 0) & (colour[area] == at)
        draw_lines(drawing.axes, lines[mine], colors=one, linewidths=width, capstyle="round")


def areas(result: Nearest, src: Array, dst: Array) -> Array:
    """Return the number of the facility that both ends of each edge have, or -1: (m,)."""
    facility = result.facility_rows[src]
    return np.where(facility == result.facility_rows[dst], facility, -1)


def greedy_colours(result: Nearest, src: Array, dst: Array) -> Array:
    """Return a number of a colour for each facility, by greedy colouring: (k,)."""
    ends = [result.facility_rows[each] for each in (src, dst)]
    both = result.reached[src] & result.reached[dst] & (ends[0] != ends[1])
    next_to: list[set[int]] = [set() for _ in result.starts]
    for one, other in np.unique(np.stack(ends)[:, both], axis=1).T.tolist():
        next_to[one].add(other)
        next_to[other].add(one)
    count = len(AREAS[True])
    colours = np.zeros(len(result.starts), np.int64)
    for at, others in enumerate(next_to):
        taken = {int(colours[other]) for other in others if other < at}
        colours[at] = next((each for each in range(count) if each not in taken), at % count)
    return colours


def nearest_subtitle(result: Nearest) -> str:
    """Return how many vertices have a facility, and how far the farthest of them is."""
    graph, reached = result.graph, result.reached
    parts = [graph.name] if graph.name else []
    parts.append(f"{int(reached.sum()):,} of {graph.n:,} vertices")
    if reached.any():
        farthest = result.dist[reached].max().item()
        parts.append(f"the farthest {units.measure(farthest, graph.unit)} away")
    return ", ".join(parts)
