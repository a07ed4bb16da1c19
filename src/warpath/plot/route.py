"""A route drawn on its network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.errors import GraphError
from warpath.plot.page import BLUE, INK, VERMILION, checked_path, new_figure, save

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from warpath.graph import Graph

    Array = NDArray[Any]

_ROUTE, _ENDS, _NETWORK = VERMILION, BLUE, "#B9BEC4"
_MARGIN = 0.12  # of the route's larger extent, on each side
_WIDTH, _EDGE, _HEADING = 8.0, 0.2, 0.75  # inches


def plot_route(
    graph: Graph,
    vertices: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    title: str | None = None,
    subtitle: str | None = None,
    ends: tuple[str, str] | None = None,
    dpi: int = 200,
) -> Any:
    """Draw a route over the part of the network around it.

    Parameters
    ----------
    graph : with coordinates; longitude and latitude in degrees are drawn true to scale at their
        mean latitude, anything else as it is.
    vertices : a `Route`, or its (h,) vertices from source to target, as the graph names them.
    path : where to save it, by suffix: .png, .svg, .pdf, .jpg, .webp, .tif. None: nothing is saved.
    title, subtitle : lines above the drawing.
    ends : what to write beside the two ends; their names by default.
    dpi : dots per inch of a pixel format.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    GraphError
        The graph has no coordinates, or a vertex of the route has none.
    InputError
        The suffix is no picture's.
    MissingDependencyError
        matplotlib is not installed.
    """
    target = None if path is None else checked_path(Path(path))
    names = list(getattr(vertices, "vertices", vertices))
    line = _positions(graph, names)
    stretch = _stretch(graph.coordinates, line)
    box = _box(line, stretch)
    wide, high = _size(box, stretch)
    size = (wide + 2 * _EDGE, high + _EDGE + _HEADING)
    figure = new_figure(size, dpi, "drawing a route")
    axes = figure.add_axes((_EDGE / size[0], _EDGE / size[1], wide / size[0], high / size[1]))
    axes.set_axis_off()
    axes.set_aspect(stretch)
    axes.set_xlim(box[0], box[2])
    axes.set_ylim(box[1], box[3])
    _draw_network(axes, graph, box)
    _draw_route(axes, line, ends or (str(names[0]), str(names[-1])))
    _write_title(figure, title, subtitle)
    if target is not None:
        save(figure, target, dpi)
    return figure


def _positions(graph: Graph, names: list[Any]) -> Array:
    if graph.coordinates is None:
        msg = (
            "the graph has no coordinates, so its route cannot be drawn: give them with "
            "coordinates= when reading, or graph.with_coordinates(array)."
        )
        raise GraphError(msg)
    if not names:
        raise GraphError("the route has no vertices, so there is nothing to draw.")
    line: Array = graph.coordinates[graph.index_of(names)]
    bad = np.flatnonzero(~np.isfinite(line).all(axis=1))
    if len(bad):
        raise GraphError(f"vertex {names[bad[0]]!r} of the route has no coordinates.")
    return line


def _stretch(coordinates: Array | None, line: Array) -> float:
    """Return how much longer a unit of y is drawn than one of x: 1 / cos(latitude) for degrees."""
    if coordinates is None or not _in_degrees(coordinates):
        return 1.0
    latitude = np.radians((line[:, 1].min() + line[:, 1].max()) / 2)
    return float(1 / max(np.cos(latitude), 0.05))


def _in_degrees(coordinates: Array) -> bool:
    """Tell longitudes and latitudes from plane coordinates: in range, and not all whole numbers."""
    known = coordinates[np.isfinite(coordinates).all(axis=1)]
    inside = np.abs(known) <= (180, 90)
    return bool(len(known) and inside.all() and (known != np.round(known)).any())


def _box(line: Array, stretch: float) -> tuple[float, float, float, float]:
    """Return xmin, ymin, xmax, ymax of what is shown: the route and a margin, not too flat."""
    low, high = line.min(axis=0), line.max(axis=0)
    scale = np.array([1.0, stretch])
    extent = (high - low) * scale
    largest = float(extent.max()) or 1.0
    wanted = np.maximum(extent, 0.45 * largest) + 2 * _MARGIN * largest
    middle, half = (low + high) / 2, wanted / scale / 2
    return (*(middle - half).tolist(), *(middle + half).tolist())


def _size(box: tuple[float, float, float, float], stretch: float) -> tuple[float, float]:
    """Return the inches of the drawing: as wide as `_WIDTH` unless it would be too tall."""
    ratio = (box[3] - box[1]) * stretch / (box[2] - box[0])
    wide = min(_WIDTH, 1.1 * _WIDTH / ratio)
    return wide, wide * ratio


def _draw_network(axes: Any, graph: Graph, box: tuple[float, float, float, float]) -> None:
    from matplotlib.collections import LineCollection

    start, end = _links(graph)
    low, high = np.minimum(start, end), np.maximum(start, end)
    seen = (high >= box[:2]).all(axis=1) & (low <= box[2:]).all(axis=1)
    segments: Any = np.stack([start[seen], end[seen]], axis=1)
    width = float(np.clip(1.5 - 0.25 * np.log10(max(len(segments), 1)), 0.25, 1.0))
    axes.add_collection(
        LineCollection(segments, colors=_NETWORK, linewidths=width, rasterized=len(segments) > 2e4),
        autolim=False,
    )


def _links(graph: Graph) -> tuple[Array, Array]:
    """Return both ends of every pair of neighbours, each pair once."""
    src, dst, _ = graph.edges()
    low, high = np.minimum(src, dst).astype(np.int64), np.maximum(src, dst)
    pairs = np.unique(low[low != high] * graph.n + high[low != high])
    positions = graph.coordinates
    assert positions is not None  # noqa: S101 - looked at before the drawing began
    return positions[pairs // graph.n], positions[pairs % graph.n]


def _draw_route(axes: Any, line: Array, names: tuple[str, str]) -> None:
    from matplotlib.patheffects import withStroke

    rounded = {"solid_capstyle": "round", "solid_joinstyle": "round"}
    axes.plot(line[:, 0], line[:, 1], color="white", linewidth=4.6, zorder=3, **rounded)
    axes.plot(line[:, 0], line[:, 1], color=_ROUTE, linewidth=2.6, zorder=4, **rounded)
    halo = [withStroke(linewidth=3, foreground="white")]
    ahead = line[-1] - line[0]
    for at, name, fill, away in ((0, names[0], "white", -ahead), (-1, names[1], _ENDS, ahead)):
        axes.plot(
            line[at, 0], line[at, 1], "o" if at == 0 else "s", markersize=8, zorder=5,
            markerfacecolor=fill, markeredgecolor=_ENDS if at == 0 else "white", markeredgewidth=2,
        )  # fmt: skip
        side = "left" if away[0] >= 0 else "right"
        label = axes.annotate(
            name, line[at], xytext=(9 if side == "left" else -9, 7 if away[1] >= 0 else -7),
            textcoords="offset points", ha=side, va="bottom" if away[1] >= 0 else "top",
            fontsize=11, fontweight="bold", color=INK, zorder=6, path_effects=halo,
            annotation_clip=False, parse_math=False,
        )  # fmt: skip
        _keep_inside(label, axes.figure)


def _keep_inside(label: Any, figure: Any) -> None:
    """Move a label along the border that it would cross, so that its end is not cut off."""
    extent, border = label.get_window_extent(figure.canvas.get_renderer()), 0.05 * figure.dpi
    over = max(0.0, extent.x1 + border - figure.bbox.x1) - max(0.0, border - extent.x0)
    x, y = label.get_position()
    label.set_position((x - over * 72 / figure.dpi, y))


def _write_title(figure: Any, title: str | None, subtitle: str | None) -> None:
    height = figure.get_figheight()
    for text, inches, look in (
        (title, 0.16, {"fontsize": 13, "fontweight": "bold", "color": INK}),
        (subtitle, 0.44, {"fontsize": 10, "color": "#555555"}),
    ):
        if text:
            figure.text(
                _EDGE / figure.get_figwidth(),
                1 - inches / height,
                text,
                va="top",
                parse_math=False,
                **look,
            )
