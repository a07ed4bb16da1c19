"""The routes of trips drawn on their network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import GraphError
from warpath.plot.html_page import measured
from warpath.plot.map import (
    draw_network,
    mark,
    new_map,
    positions_of,
    write_source,
    write_title,
)
from warpath.plot.page import AREAS, checked_path, drawable, save
from warpath.plot.route import route_line
from warpath.results.names import names_of
from warpath.results.pairs import Pairs

if TYPE_CHECKING:
    import os

    from warpath.base.dtypes import Array

MARKED = 24  # the most trips whose ends are marked
_MARGIN = 0.06  # on each side, as a fraction of the larger extent of the routes


def plot_pairs(
    found: Pairs,
    path: str | os.PathLike[str] | None = None,
    *,
    title: str | None = None,
    subtitle: str | None = None,
    theme: str = "light",
    dpi: int = 200,
) -> Any:
    """Draw the routes of trips over the part of the network around them.

    Each route is searched for. Six colours alternate; the ends of up to 24 trips are marked.

    Parameters
    ----------
    found : result of `warpath.pairs` for a graph with coordinates, drawn to scale as in
        `plot_route`.
    path : file to write, its format by suffix: .png, .svg, .pdf, .jpg, .webp, .tif; None for none.
    title, subtitle : text above the drawing; None for a description of it, "" for no text.
    theme : "light" or "dark".
    dpi : dots per inch of pixel formats.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    GraphError
        If the graph or a vertex of a route has no coordinates, or no trip has a path.
    InputError
        If `found` is not a `Pairs`, or the suffix or `dpi` is not valid.
    MissingDependencyError
        If matplotlib is not installed.
    """
    drawable(found, Pairs, "found", "pairs(graph, origins, destinations)")
    target = None if path is None else checked_path(path)
    trips, lines = routes_of(found)
    what = "the routes of trips"
    points = np.concatenate(lines)
    drawing = new_map(found.graph, points, what, theme=theme, dpi=dpi, margin=_MARGIN)
    draw_network(drawing, found.graph)
    palette = AREAS[drawing.theme.paper == "white"]
    for at, line in enumerate(lines):
        shade = palette[at % len(palette)]
        drawing.axes.plot(line[:, 0], line[:, 1], color=shade, linewidth=1.8, zorder=3)
    starts, ends = (
        names_of(found, found.origin_indices),
        names_of(found, found.destination_indices),
    )
    for trip, line in zip(trips, lines, strict=True):
        if len(trips) <= MARKED:
            mark(drawing, line[0], starts[trip], start=True)
            mark(drawing, line[-1], ends[trip], start=False)
    write_source(drawing, found.graph)
    write_title(
        drawing,
        f"{len(found):,} trips" if title is None else title,
        trips_subtitle(found) if subtitle is None else subtitle,
    )
    if target is not None:
        save(drawing.figure, target, dpi)
    return drawing.figure


def routes_of(result: Pairs) -> tuple[list[int], list[Array]]:
    """Return the trips that have a path, and the line of each: (h, 2) coordinates.

    Raises
    ------
    GraphError
        If the graph or a vertex of a route has no coordinates, or no trip has a path.
    """
    positions_of(result.graph, "the routes of trips")
    trips = np.flatnonzero(result.reached).tolist()
    if not trips:
        raise GraphError("no trip has a path, so there is nothing to draw.")
    return trips, [route_line(result.graph, result.route(trip)) for trip in trips]


def trips_subtitle(result: Pairs) -> str:
    """Return the graph's name, the number of trips that have a path, and the longest of them."""
    reached = result.dist[result.reached]
    longest = measured(reached.max().item(), result.graph)
    parts = [result.graph.name] if result.graph.name else []
    return ", ".join([*parts, f"{len(reached):,} have a path", f"the longest of {longest}"])
