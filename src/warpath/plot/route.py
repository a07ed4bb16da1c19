"""A route drawn on its network."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base import units
from warpath.base.errors import GraphError, InputError
from warpath.graph import Graph
from warpath.graph.checks import shown
from warpath.plot.html_page import measured
from warpath.plot.map import (
    MapFigure,
    add_legend,
    draw_network,
    legend_height,
    mark,
    new_map,
    positions_of,
    write_source,
    write_title,
)
from warpath.plot.page import AREAS, checked_path, drawable, picture_text, save
from warpath.results.names import in_words, names_of
from warpath.results.route import Route, checked_routes

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from warpath.base.dtypes import Array
    from warpath.plot.page import Theme

_LISTED = 24  # the most routes in a legend
_MARGIN = 0.12  # on each side, as a fraction of the larger extent of the route


def plot_route(
    graph: Graph,
    vertices: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    others: Sequence[Route] = (),
    title: str | None = None,
    subtitle: str | None = None,
    ends: tuple[str, str] | None = None,
    theme: str = "light",
    dpi: int = 200,
) -> Any:
    """Draw a route over the part of the network around it.

    Parameters
    ----------
    graph : graph with coordinates; longitudes and latitudes in degrees are drawn true to scale at
        their mean latitude, other coordinates unchanged.
    vertices : a `Route`, or its (h,) vertices from source to target, as the graph names them.
    path : file to write, its format by suffix: .png, .svg, .pdf, .jpg, .webp, .tif; None for none.
    others : more routes with the same ends, such as the other ones of `warpath.alternatives`, each
        in a colour under those before it. A legend has the lengths of up to 24 routes.
    title, subtitle : text above the drawing; None for a description of it, "" for no text.
    ends : labels of the source and the target; their names by default.
    theme : "light" or "dark".
    dpi : dots per inch of pixel formats.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    GraphError
        If the graph or a vertex of the route has no coordinates.
    InputError
        If `graph`, `vertices`, the suffix or `dpi` is not valid.
    MissingDependencyError
        If matplotlib is not installed.
    """
    drawable(graph, Graph, "graph", "Graph.of")
    if not isinstance(vertices, Route | Iterable):
        msg = f"vertices = {vertices!r:.60} must be a Route, or the vertices of one in order."
        raise InputError(msg)
    check_ends(ends)
    target = None if path is None else checked_path(path)
    names = list(getattr(vertices, "vertices", vertices))
    routes = checked_routes(vertices, others)
    lines = [route_line(graph, route) for route in routes]
    labels = [picture_text(text) for text in lengths_of(routes)]
    drawing = new_map(
        graph,
        np.concatenate(lines),
        "its route",
        theme=theme,
        dpi=dpi,
        margin=_MARGIN,
        flattest=0.45,
        foot=lambda width: legend_height(labels, width) if labels else 0,
    )
    draw_network(drawing, graph)
    colours = colours_of_routes(drawing.theme, len(routes))
    for line, colour in reversed([*zip(lines, colours, strict=True)][1:]):
        _draw_line(drawing, line, colour)
    if labels:
        add_legend(drawing, labels, colours[: len(labels)])
    if ends is None:
        shown_names: Sequence[Any] = names
        if isinstance(vertices, Route):
            shown_names = route_ends(vertices, vertices.stops(names_of(vertices, vertices.indices)))
        ends = str(shown_names[0]), str(shown_names[-1])
    draw_route(drawing, lines[0], ends)
    write_source(drawing, graph)
    write_title(
        drawing,
        f"{what_of(routes)} from {ends[0]} to {ends[1]}" if title is None else title,
        route_subtitle(graph, vertices, others) if subtitle is None else subtitle,
    )
    if target is not None:
        save(drawing.figure, target, dpi)
    return drawing.figure


def route_ends(route: Route, names: Sequence[str]) -> tuple[str, str]:
    """Return what titles and marks call the ends of a route, whose stops have these names."""
    if not len(route.indices):
        return names[0], names[-1]
    first, last = (int(route.indices[at]) for at in (0, -1))
    return in_words(route.graph, first, names[0]), in_words(route.graph, last, names[-1])


def check_ends(ends: Any) -> None:
    """Raise InputError unless `ends` is None or two strings."""
    two = (
        isinstance(ends, tuple | list) and len(ends) == 2 and all(isinstance(e, str) for e in ends)
    )
    if ends is not None and not two:
        msg = f"ends = {shown(ends)} must be two strings, for the source and the target."
        raise InputError(msg)


def what_of(routes: list[Any]) -> str:
    """Return the first words of a title."""
    if len(routes) > 1:
        return f"{len(routes):,} routes"
    return "Shortest path" if isinstance(routes[0], Route) else "Route"


def lengths_of(routes: list[Any]) -> list[str]:
    """Return a legend's texts for several routes; of one there is no legend."""
    if len(routes) == 1:
        return []
    texts = []
    for number, route in enumerate(routes[:_LISTED], 1):
        second = "" if route.second is None else f", second cost {units.length(route.second)}"
        texts.append(f"{number}: {measured(route.length, route.graph)}{second}")
    return texts


def colours_of_routes(theme: Theme, count: int) -> list[str]:
    """Return a colour for each of some routes; those after the first alternate."""
    rest = [colour for colour in AREAS[theme.paper == "white"] if colour != theme.route]
    return [theme.route, *(rest[at % len(rest)] for at in range(count - 1))]


def route_subtitle(graph: Graph, vertices: Any, others: Sequence[Route] = ()) -> str:
    """Return the length of a route, its number of edges and the graph's name.

    Of several routes it has the least and the largest length.
    """
    parts = []
    if others:
        ends = [pick([vertices, *others], key=lambda route: route.length) for pick in (min, max)]
        least, most = (measured(route.length, graph) for route in ends)
        parts.append(f"{least} to {most}")
    elif isinstance(vertices, Route):
        has_unit = graph.unit is not None
        length, hops = vertices.length, len(vertices.edges)
        parts.append(
            units.measure(length, graph.unit) if has_unit else f"length {units.length(length)}"
        )
        parts.append(f"{hops:,} edge{'' if hops == 1 else 's'}")
    return ", ".join([*parts, *([graph.name] if graph.name else [])])


def route_line(graph: Graph, vertices: Any) -> Array:
    """Return the points of a route, (k, 2); raise GraphError if a vertex has no coordinates."""
    positions = positions_of(graph, "its route")
    names = list(getattr(vertices, "vertices", vertices))
    if isinstance(vertices, Route) and not names:  # two points of one edge
        return np.asarray(vertices.line)
    if not names:
        raise GraphError("the route has no vertices, so there is nothing to draw.")
    line: Array = positions[graph.indices_of(names)]
    bad = np.flatnonzero(~np.isfinite(line).all(axis=1))
    if len(bad):
        name = names[bad[0]]
        name = name.item() if isinstance(name, np.generic) else name
        raise GraphError(f"vertex {name!r} of the route has no coordinates.")
    along: Array | None = getattr(vertices, "line", None)
    return line if along is None else along


def draw_route(drawing: MapFigure, line: Array, names: tuple[str, str]) -> None:
    """Draw a line with a rim from a source to a target, and both ends with their names."""
    _draw_line(drawing, line, drawing.theme.route)
    ahead = line[-1] - line[0]
    mark(drawing, line[0], names[0], start=True, side=tuple(-ahead))
    mark(drawing, line[-1], names[1], start=False, side=tuple(ahead))


def _draw_line(drawing: MapFigure, line: Array, colour: str) -> None:
    rounded = {"solid_capstyle": "round", "solid_joinstyle": "round"}
    for shade, width in ((drawing.theme.paper, 4.6), (colour, 2.6)):
        drawing.axes.plot(line[:, 0], line[:, 1], color=shade, linewidth=width, zorder=3, **rounded)
