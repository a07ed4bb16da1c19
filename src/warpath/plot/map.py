"""Shared parts of drawings on a map: the frame, the network, marks, names and a colour scale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base import units
from warpath.base.errors import GraphError
from warpath.graph.checks import checked_kind
from warpath.graph.coordinates import great_circle, in_degrees, stretch
from warpath.graph.edge_geometry import lines_of
from warpath.graph.labels import one_label
from warpath.plot.page import new_figure, picture_text, theme_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.plot.page import Theme

    Box = tuple[float, float, float, float]

_WIDTH, EDGE, _HEADING = 8.0, 0.2, 0.75  # inches
_LARGEST = 1e300  # coordinate; sums and products of larger ones overflow
_NARROWEST = 0.4  # least width of the shown part over its height: titles need 3.5 inches
_MANY = 2e4  # more lines are rasterized in vector formats
_ROW = 0.26  # height of a row of a legend, in inches
_LETTERS = 9  # size of its letters, in points
_HANDLE, _GAP = 1.6, 1.6  # its lines, and the space between its columns, in letters
_AT_ONCE, _SHADES = 64, 256  # lines that are drawn at a time, and the shades of their colours


class MapFigure(NamedTuple):
    """A figure with one map; `box` is the shown part: xmin, ymin, xmax, ymax."""

    figure: Any
    axes: Any
    box: Box
    theme: Theme


def positions_of(graph: Graph, what: str) -> Array:
    """Return the coordinates of a graph, (n, 2); without them raise GraphError naming `what`."""
    if graph.coordinates is None:
        msg = (
            f"the graph has no coordinates, so {what} cannot be drawn: give them with "
            "coordinates= when reading, or graph.with_coordinates(array)."
        )
        raise GraphError(msg)
    sizes = np.abs(graph.coordinates)
    large = np.isfinite(sizes) & (sizes > _LARGEST)
    if large.any():
        at = int(np.flatnonzero(large.any(axis=1))[0])
        x, y = graph.coordinates[at].tolist()
        msg = (
            f"vertex {one_label(graph, at)!r} lies at ({x:.7g}, {y:.7g}), but coordinates beyond "
            f"{_LARGEST:g} cannot be drawn: correct or scale them, graph.with_coordinates(array)."
        )
        raise GraphError(msg)
    return graph.coordinates


def starts_of(result: Any, indices: Array, what: str) -> Array:
    """Return where the sources of a result are drawn: (k, 2).

    Parameters
    ----------
    result : a result with `point_sources`.
    indices : (k,) its sources; of points along edges the nearer ends.
    what : as in `positions_of`.
    """
    positions = positions_of(result.graph, what)[indices]
    points = result.point_sources
    if points is None:
        return positions
    return np.where((points.ends.along >= 0)[:, None], points.ends.points, positions)


def new_map(
    graph: Graph,
    points: Array,
    what: str,
    *,
    theme: str,
    dpi: int,
    margin: float = 0.03,
    flattest: float = 0.0,
    foot: float | Callable[[float], float] = 0.0,
) -> MapFigure:
    """Return an empty drawing of the part of a graph around some points.

    Longitudes and latitudes in degrees are drawn true to scale at their mean latitude, other
    coordinates unchanged.

    Parameters
    ----------
    points : (k, 2) points to show; those without coordinates (NaN) are ignored.
    margin : margin around the points, as a fraction of their larger extent.
    flattest : least ratio of the shorter to the longer side of the drawing.
    foot : space below the drawing, in inches, or a function of the figure's width that returns it.
    """
    colours = theme_of(theme)
    positions = positions_of(graph, what)
    finite = points[np.isfinite(points).all(axis=1)]
    if not len(finite):
        msg = f"no vertex has coordinates, so {what} cannot be drawn."
        raise GraphError(msg)
    scale = stretch(positions, finite)
    box = _box(finite, scale, margin, flattest)
    ratio = (box[3] - box[1]) * scale / (box[2] - box[0])
    wide = min(_WIDTH, 1.1 * _WIDTH / ratio)
    high = wide * ratio
    if callable(foot):
        foot = foot(wide + 2 * EDGE)
    size = (wide + 2 * EDGE, high + EDGE + _HEADING + foot)
    figure = new_figure(size, dpi, f"drawing {what}", facecolor=colours.paper)
    left, low = EDGE / size[0], (EDGE + foot) / size[1]
    axes = figure.add_axes((left, low, wide / size[0], high / size[1]))
    frame(axes, box, scale)
    return MapFigure(figure, axes, box, colours)


def frame(axes: Any, box: Box, scale: float) -> None:
    """Set the limits and the aspect of axes to show a box true to scale, and hide their lines."""
    axes.set_axis_off()
    axes.set_aspect(scale)
    axes.set_xlim(box[0], box[2])
    axes.set_ylim(box[1], box[3])


def _box(points: Array, scale: float, margin: float, flattest: float) -> Box:
    """Return xmin, ymin, xmax, ymax of the shown part: the points and a margin, not too flat."""
    low, high = points.min(axis=0), points.max(axis=0)
    both = np.array([1.0, scale])
    extent = (high - low) * both
    largest = float(extent.max()) or 1.0
    size = np.maximum(extent, max(flattest, 1e-3) * largest) + 2 * margin * largest
    size[0] = max(size[0], _NARROWEST * size[1])
    middle, half = (low + high) / 2, size / both / 2
    return (*(middle - half).tolist(), *(middle + half).tolist())


def links(graph: Graph) -> Array:
    """Return one edge for every pair of neighbours, or all edges if they have shapes: (k,)."""
    src, dst, _ = graph.edges()
    if graph.shapes is not None:
        return np.arange(graph.m)
    low, high = np.minimum(src, dst).astype(np.int64), np.maximum(src, dst)
    edges = np.flatnonzero(low != high)
    first = np.unique(low[edges] * graph.n + high[edges], return_index=True)[1]
    return edges[first]


def seen(lines: Array, box: Box) -> Array:
    """Return the mask of the (k, 2, 2) lines that may cross a box: (k,) bool."""
    low, high = lines.min(axis=1), lines.max(axis=1)
    crossing: Array = (high >= box[:2]).all(axis=1) & (low <= box[2:]).all(axis=1)
    return crossing


def line_width(count: int, thinnest: float = 0.25, widest: float = 1.0) -> float:
    """Return the line width for a drawing of `count` lines, in points."""
    return float(np.clip(1.5 - 0.25 * np.log10(max(count, 1)), thinnest, widest))


def draw_lines(axes: Any, lines: Array, *, array: Array | None = None, **look: Any) -> Any:
    """Draw (k, 2, 2) lines; many lines are rasterized in vector formats.

    Many lines are drawn some at a time, as one line with gaps: a fifth of the time.

    Parameters
    ----------
    array : (k,) values for the colours of lines. Of many lines those that follow each other have
        the colour of their mean, where they differ by less than a shade.
    """
    from matplotlib.collections import LineCollection

    many = len(lines) > _MANY
    segments = list(lines)
    if many:
        ends = np.zeros(len(lines), np.bool_)
        ends[::_AT_ONCE] = True
        if array is not None:
            shade = np.floor((array - array.min()) * (_SHADES / (np.ptp(array) or 1)))
            ends[1:] |= shade[1:] != shade[:-1]
        first = np.flatnonzero(ends)
        with_gaps = np.pad(lines, ((0, 0), (0, 1), (0, 0)), constant_values=np.nan)
        segments = np.split(with_gaps.reshape(-1, 2), 3 * first[1:])
        if array is not None:
            array = np.add.reduceat(array, first) / np.diff(first, append=len(lines))
    drawn = LineCollection(segments, rasterized=many, array=array, **look)
    axes.add_collection(drawn, autolim=False)
    return drawn


def network_lines(graph: Graph, box: Box) -> Array:
    """Return the lines inside a box, once for each pair of neighbours: (k, 2, 2)."""
    positions_of(graph, "the network")
    lines = lines_of(graph, links(graph))[0]
    return lines[seen(lines, box)]


def draw_network(drawing: MapFigure, graph: Graph) -> None:
    """Draw the edges inside the box in a faint colour."""
    lines = network_lines(graph, drawing.box)
    width = line_width(len(lines))
    draw_lines(drawing.axes, lines, colors=drawing.theme.network, linewidths=width)


def mark(
    drawing: MapFigure, point: Array, name: str, *, start: bool, side: tuple[float, float] = (1, 1)
) -> None:
    """Mark one vertex, a source by a ring or a target by a square, with its name next to it.

    Parameters
    ----------
    side : position of the name: right (>= 0) or left, and above (>= 0) or below.
    """
    from matplotlib.patheffects import withStroke

    theme = drawing.theme
    drawing.axes.plot(
        point[0],
        point[1],
        "o" if start else "s",
        markersize=8,
        zorder=5,
        markerfacecolor=theme.paper if start else theme.ends,
        markeredgecolor=theme.ends if start else theme.paper,
        markeredgewidth=2,
    )
    right, above = side[0] >= 0, side[1] >= 0
    label = drawing.axes.annotate(
        picture_text(name),
        point,
        xytext=(9 if right else -9, 7 if above else -7),
        textcoords="offset points",
        ha="left" if right else "right",
        va="bottom" if above else "top",
        fontsize=11,
        fontweight="bold",
        color=theme.ink,
        zorder=6,
        path_effects=[withStroke(linewidth=3, foreground=theme.paper)],
        annotation_clip=False,
        parse_math=False,
    )
    _keep_inside(label, drawing.figure)


def _keep_inside(label: Any, figure: Any) -> None:
    """Move a label horizontally if it would cross the border, so that its end is not cut off."""
    extent, border = label.get_window_extent(figure.canvas.get_renderer()), 0.05 * figure.dpi
    over = max(0.0, extent.x1 + border - figure.bbox.x1) - max(0.0, border - extent.x0)
    x, y = label.get_position()
    label.set_position((x - over * 72 / figure.dpi, y))


def write_source(drawing: MapFigure, graph: Graph) -> None:
    """Write a scale bar, where coordinates are degrees, and the graph's attribution on the map."""
    if graph.coordinates is not None and in_degrees(graph.coordinates):
        _add_scale_bar(drawing)
    if graph.attribution:
        _write_on_map(drawing, graph.attribution, (0.995, 0.004), ha="right")


def _add_scale_bar(drawing: MapFigure) -> None:
    """Draw how long 1, 2 or 5 times a power of ten metres are, at most a quarter of the width."""
    xmin, ymin, xmax, ymax = drawing.box
    middle = np.array([[xmin, (ymin + ymax) / 2], [xmax, (ymin + ymax) / 2]])
    width = float(great_circle(middle[:1], middle[1:])[0])
    if not width:
        return
    power = 10.0 ** np.floor(np.log10(width / 4))
    metres = next(step * power for step in (5, 2, 1) if step * power <= width / 4)
    left, right = 0.01, 0.01 + metres / width
    for colour, points in ((drawing.theme.paper, 4.0), (drawing.theme.soft, 1.6)):
        drawing.axes.plot(
            (left, right),
            (0.012, 0.012),
            transform=drawing.axes.transAxes,
            color=colour,
            linewidth=points,
            solid_capstyle="butt",
            zorder=7,
        )
    _write_on_map(drawing, units.measure(metres, "m"), (left, 0.018), ha="left")


def _write_on_map(drawing: MapFigure, text: str, place: tuple[float, float], *, ha: str) -> None:
    from matplotlib.patheffects import withStroke

    drawing.axes.text(
        *place,
        picture_text(text),
        transform=drawing.axes.transAxes,
        ha=ha,
        va="bottom",
        fontsize=7,
        color=drawing.theme.soft,
        zorder=7,
        path_effects=[withStroke(linewidth=2, foreground=drawing.theme.paper)],
        parse_math=False,
    )


def write_title(drawing: MapFigure, title: str | None, subtitle: str | None) -> None:
    """Write a title and a subtitle above the drawing; None or "" leaves one out."""
    height, width = drawing.figure.get_figheight(), drawing.figure.get_figwidth()
    for text, inches, look in (
        (title, 0.16, {"fontsize": 13, "fontweight": "bold", "color": drawing.theme.ink}),
        (subtitle, 0.44, {"fontsize": 10, "color": drawing.theme.soft}),
    ):
        if checked_kind(text, str, "title"):
            written = drawing.figure.text(
                EDGE / width,
                1 - inches / height,
                picture_text(text),
                va="top",
                parse_math=False,
                **look,
            )
            _fit(written, drawing.figure)


def _fit(written: Any, figure: Any) -> None:
    """Break a text that is too wide at a comma, or else make its letters smaller."""

    def over() -> float:
        """Return how many times as wide as the room up to the border the text is."""
        extent, room = written.get_window_extent(figure.canvas.get_renderer()), figure.bbox.x1
        return float(extent.width / (room - extent.x0 - EDGE * figure.dpi))

    if over() <= 1:
        return
    text, middle = written.get_text(), len(written.get_text()) / 2
    breaks = [at + 1 for at in range(len(text)) if text.startswith(", ", at)]
    if breaks:
        at = min(breaks, key=lambda each: abs(each - middle))
        written.set_text(f"{text[:at]}\n{text[at + 1 :]}")
    if (times := over()) > 1:
        written.set_fontsize(max(written.get_fontsize() / times, 5))


def colours_between(theme: Theme, count: int | None = None) -> Any:
    """Return the visible part of viridis on the paper: a colour map, or `count` of its colours."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    low, high = theme.scale
    chosen = colormaps["viridis"](np.linspace(low, high, 256 if count is None else count))
    return ListedColormap(chosen) if count is None else chosen


def add_scale(drawing: MapFigure, drawn: Any, label: str) -> None:
    """Add a colour bar below the drawing, with its label to the right or, if too wide, above."""
    figure, theme = drawing.figure, drawing.theme
    height, width = figure.get_figheight(), figure.get_figwidth()
    long = min(4.5, width - 2 * EDGE)
    axes = figure.add_axes((EDGE / width, 0.42 / height, long / width, 0.12 / height))
    bar = figure.colorbar(drawn, cax=axes, orientation="horizontal")
    bar.outline.set_visible(False)
    axes.tick_params(colors=theme.soft, labelsize=8.5, length=2.5, pad=2)
    axes.xaxis.set_major_formatter("{x:,.10g}")
    axes.xaxis.get_major_locator().set_params(nbins=5)
    text = figure.text(
        (EDGE + long + 0.15) / width,
        0.48 / height,
        picture_text(label),
        va="center",
        fontsize=9,
        color=theme.soft,
        parse_math=False,
    )
    if text.get_window_extent(figure.canvas.get_renderer()).x1 > figure.bbox.x1:
        text.set(x=EDGE / width, y=0.6 / height, va="bottom")


def legend_height(labels: list[str], width: float) -> float:
    """Return the space that a legend needs below a map, in inches; the width of the figure, too."""
    return 0.15 + _ROW * -(-len(labels) // _columns(labels, width))


def _columns(labels: list[str], width: float) -> int:
    """Return how many columns of a legend fit a figure: 1 to 4.

    Parameters
    ----------
    width : of the figure, in inches.
    """
    from matplotlib.textpath import TextPath

    plain = (text.replace("$", "S") for text in labels)  # as wide, and no formula
    texts = (TextPath((0, 0), text, size=_LETTERS, usetex=False) for text in plain)
    longest = max(text.get_extents().width for text in texts)
    column = (longest + (_HANDLE + _GAP + 0.8) * _LETTERS) / 72
    return int(np.clip((width - 2 * EDGE) // column, 1, min(4, len(labels))))


def add_legend(drawing: MapFigure, labels: list[str], colours: Any, widths: Any = None) -> None:
    """Write labels below the map, each next to a line of its colour and its width in points."""
    from matplotlib.lines import Line2D

    widths = np.full(len(labels), 4.0) if widths is None else widths
    handles = [
        Line2D([], [], color=colour, linewidth=width, label=label)
        for label, colour, width in zip(labels, colours, widths, strict=True)
    ]
    columns = _columns(labels, drawing.figure.get_figwidth())
    legend = drawing.figure.legend(
        handles=handles,
        loc="lower left",
        ncols=columns,
        bbox_to_anchor=(EDGE / drawing.figure.get_figwidth(), 0.008),
        frameon=False,
        fontsize=_LETTERS,
        labelcolor=drawing.theme.ink,
        handlelength=_HANDLE,
        borderaxespad=0,
        borderpad=0.2,
        columnspacing=_GAP,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)
