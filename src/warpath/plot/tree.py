"""A shortest-path tree, coloured by distance, and a route over it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base import units
from warpath.base.errors import GraphError
from warpath.graph.edge_geometry import lightest, lines_of
from warpath.plot.map import (
    add_scale,
    colours_between,
    draw_lines,
    line_width,
    mark,
    new_map,
    positions_of,
    starts_of,
    write_source,
    write_title,
)
from warpath.plot.page import checked_path, drawable, save
from warpath.plot.route import draw_route, route_line
from warpath.results.names import in_words, names_of
from warpath.results.paths import Paths
from warpath.results.route import Route

if TYPE_CHECKING:
    import os

    from warpath.base.dtypes import Array

FOOT = 0.7  # height of the colour scale, in inches


def plot_tree(
    paths: Paths,
    path: str | os.PathLike[str] | None = None,
    *,
    route: Any = None,
    title: str | None = None,
    subtitle: str | None = None,
    source: str | None = None,
    target: str | None = None,
    theme: str = "light",
    dpi: int = 200,
) -> Any:
    """Draw the shortest-path tree of one source, coloured by distance.

    Parameters
    ----------
    paths : result for a graph with coordinates, drawn to scale as in `plot_route`.
    path : file to write, its format by suffix: .png, .svg, .pdf, .jpg, .webp, .tif; None for none.
    route : a target or a `Route` to draw over the tree.
    title, subtitle : text above the drawing; None for a description of it, "" for no text.
    source, target : labels of the source and of the end of the route; their names by default.
    theme : "light" or "dark".
    dpi : dots per inch of pixel formats.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    GraphError
        If the graph has no coordinates.
    NoPathError
        If the target is unreachable.
    InputError
        If `paths` is not a `Paths`, or the suffix or `dpi` is not valid.
    MissingDependencyError
        If matplotlib is not installed.
    """
    drawable(paths, Paths, "paths", "sssp(graph, source)")
    file = None if path is None else checked_path(path)
    graph = paths.graph
    positions_of(graph, "its tree")
    over = route if route is None or isinstance(route, Route) else paths.path_to(route)
    line = None if over is None else route_line(graph, over)
    (start,) = starts_of(paths, np.array([paths.source_index]), "its tree")
    if not np.isfinite(start).all():
        raise GraphError(f"the source {paths.source!r} has no coordinates.")
    _, lines, dist = tree_edges(paths)
    by, quantity = units.scale(dist.max(initial=0), graph.unit)
    shown = np.concatenate([lines.reshape(-1, 2), start[None]])
    drawing = new_map(graph, shown, "its tree", theme=theme, dpi=dpi, foot=FOOT)
    drawn = draw_lines(
        drawing.axes,
        lines,
        array=dist / by,
        cmap=colours_between(drawing.theme),
        linewidths=line_width(len(lines), 0.3, 1.6),
        capstyle="round",
    )
    name = (
        in_words(graph, paths.source_index, names_of(paths, np.array([paths.source_index]))[0])
        if source is None
        else source
    )
    end = None if over is None else names_of(over, over.indices[-1:])[0]
    end = end if over is None or target is None else target
    if line is None or end is None:
        mark(drawing, start, name, start=True)
    else:
        draw_route(drawing, line, (name, end))
    if len(lines):
        drawn.set_clim(0, dist.max() / by)
        add_scale(drawing, drawn, f"{quantity} from {name}")
    write_source(drawing, graph)
    write_title(
        drawing,
        f"Shortest paths from {name}" if title is None else title,
        tree_subtitle(paths, over, end) if subtitle is None else subtitle,
    )
    if file is not None:
        save(drawing.figure, file, dpi)
    return drawing.figure


def tree_subtitle(paths: Paths, route: Route | None = None, end: str | None = None) -> str:
    """Return how many vertices a tree reaches, and the length of a route to `end`, if any."""
    reached = int(np.count_nonzero(paths.reached))
    parts = [paths.graph.name] if paths.graph.name else []
    parts.append(f"{reached:,} of {paths.graph.n:,} vertices reached")
    if route is not None:
        unit = paths.graph.unit
        length = units.length(route.length) if unit is None else units.measure(route.length, unit)
        parts.append(f"the route to {end} is {length} long")
    return ", ".join(parts)


def tree_edges(paths: Paths) -> tuple[Array, Array, Array]:
    """Return the tree as lines, the farthest first: heads (k,), lines (k, 2, 2), dist (k,).

    An edge with a shape has several lines with the same head.
    """
    graph = paths.graph
    positions_of(graph, "its tree")
    heads = np.flatnonzero(paths.pred >= 0)
    dist = paths.dist[heads].astype(np.float64)
    heads = heads[np.argsort(-dist, kind="stable")]
    lines, which, _, _ = lines_of(graph, lightest(graph, paths.pred[heads], heads))
    is_finite = np.isfinite(lines).all(axis=(1, 2))
    heads, lines = heads[which[is_finite]], lines[is_finite]
    for root in paths.first_reached.tolist():
        pieces, _ = paths.path_to(root).pieces
        heads = np.append(heads, np.full(len(pieces), root))
        lines = np.concatenate([lines, pieces])
    return heads, lines, paths.dist[heads].astype(np.float64)
