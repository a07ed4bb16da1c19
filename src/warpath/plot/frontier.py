"""The frontier of a search, step by step: as an animation, as files or side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base.errors import GraphError, InputError
from warpath.graph.coordinates import stretch
from warpath.io.places import to_write
from warpath.plot.map import (
    EDGE,
    MapFigure,
    add_scale,
    colours_between,
    draw_lines,
    draw_network,
    frame,
    line_width,
    mark,
    network_lines,
    new_map,
    positions_of,
    starts_of,
    write_title,
)
from warpath.plot.page import checked_path, drawable, new_figure, save, theme_of
from warpath.plot.selections import rounds, selection_of_rounds
from warpath.plot.tree import FOOT, tree_edges
from warpath.results.paths import Paths

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator
    from pathlib import Path

    from warpath.base.dtypes import Array
    from warpath.plot.page import Theme

_PANELS, _FRAMES, _MOST = 9, 36, 400  # steps: side by side, in an animation, at most
_MOST_ROUNDS = 2000  # that are computed for a picture
_MOST_MASKS = 2 * 10**8  # their number times that of the vertices
_SHOWN, _HELD = 120, 1500  # duration of a frame and of the last frame, in milliseconds
_COLUMNS, _PANEL, _LABEL, _HEAD = 3, 2.6, 0.3, 0.45  # inches
_TITLE = "How the search from {} spreads"


class SearchSteps(NamedTuple):
    """A search divided into s steps.

    Attributes
    ----------
    lines : (k, 2, 2) line segments of the edges of the tree.
    dist : (k,) distances of the ends of the edges.
    step : (k,) steps in which the ends are reached, from 0 on.
    limits : (s,) largest distance or number of edges of each step.
    counts : (s,) numbers of vertices reached up to each step.
    by : "distance", "hops" or "rounds".
    selected : the vertices that relax in the rounds of each step; empty unless by rounds.
    """

    lines: Array
    dist: Array
    step: Array
    limits: Array
    counts: Array
    by: str
    selected: tuple[Array, ...] = ()

    def label(self, at: int) -> str:
        """Return the limit of a step and the number of vertices reached, as text."""
        if self.by == "rounds":
            first, last = (self.limits[at - 1] if at else 0) + 1, self.limits[at]
            span = f"round {last:,}" if first == last else f"rounds {first:,} to {last:,}"
            return f"{span}: {len(self.selected[at]):,} selected"
        far = f"{self.limits[at]:,.5g}" if self.limits[at] < 1e5 else f"{self.limits[at]:,.0f}"
        within = f"within {far}" if self.by == "distance" else f"after {far} edges"
        return f"{within}: {self.counts[at]:,}"


def plot_frontier(
    paths: Paths,
    path: str | os.PathLike[str] | None = None,
    *,
    frames: int | None = None,
    width: float | None = None,
    by: str = "distance",
    title: str | None = None,
    source: str | None = None,
    theme: str = "light",
    dpi: int | None = None,
) -> Any:
    """Draw the frontier of a search step by step, over the edges reached before.

    Parameters
    ----------
    paths : result for a graph with coordinates, drawn to scale as in `plot_route`.
    path : an animation (.gif); a folder (no suffix) for files ``frame-001.png`` and so on; or a
        picture (.png, .svg, ...) of all steps side by side. None for that picture, not saved.
    frames : number of steps; 36 for an animation, 9 side by side.
    width : width of a step, instead of `frames`: with the ``delta`` of a plan's `params` each step
        is one bucket of delta-stepping.
    by : "distance" for steps of equal distance, "hops" for steps in the number of edges from the
        source, as in breadth-first search, or "rounds" for those of the plan's algorithm, with the
        vertices that relax in each. They are computed in NumPy, as if a round read the labels of
        the round before, in O(m) a round.
    title : text above the drawing; None for a description of it.
    source : label of the source; its name by default.
    theme : "light" or "dark".
    dpi : dots per inch; by default 100 for an animation, else 200.

    Returns
    -------
    matplotlib.figure.Figure
        All steps side by side, or the last frame.

    Raises
    ------
    GraphError
        If the graph has no coordinates.
    InputError
        If `paths` is not a `Paths`, `frames` is not 1 to 400, the suffix or `dpi` is not valid, or
        the algorithm has no rounds to draw, or more than 2,000 (in graphs of
        100,000 vertices and more: fewer).
    MissingDependencyError
        If matplotlib is not installed.
    """
    drawable(paths, Paths, "paths", "sssp(graph, source)")
    target = None if path is None else to_write(path)
    moving = target is not None and target.suffix.lower() in {"", ".gif"}
    if dpi is None:
        dpi = 100 if moving else 200
    if target is not None and not moving:
        checked_path(target, ".gif")
    positions_of(paths.graph, "its frontier")
    steps = steps_of(
        paths, (_FRAMES if moving else _PANELS) if frames is None else frames, width, by
    )
    name = str(paths.source) if source is None else source
    if target is None or not moving:
        figure = _panels(paths, steps, name, title, theme, dpi)
        if target is not None:
            save(figure, target, dpi)
        return figure
    drawing = new_map(
        paths.graph, _shown(paths, steps), "its frontier", theme=theme, dpi=dpi, foot=FOOT
    )
    pictures = list(_frames(drawing, paths, steps, name, title))
    if target.suffix:
        _save_animation(pictures, target, drawing.theme)
    else:
        _save_folder(pictures, target)
    return drawing.figure


def steps_of(paths: Paths, frames: int, width: float | None, by: str) -> SearchSteps:
    """Divide a tree into steps of equal width."""
    if by not in {"distance", "hops", "rounds"}:
        raise InputError(f"by = {by!r} is not valid: use 'distance', 'hops' or 'rounds'.")
    if by == "rounds":
        return _steps_of_rounds(paths, frames, width)
    heads, lines, dist = tree_edges(paths)
    depth = _hops(paths.pred) if by == "hops" else paths.dist.astype(np.float64)
    ends = depth[heads]
    last = float(ends.max(initial=0))
    if width is None:
        width = last / frames if frames > 0 else 0.0
        width = max(1.0, np.ceil(width)) if by == "hops" else width
    elif not width > 0:
        raise InputError(f"width = {width!r} must be a number above 0.")
    count = max(1, int(np.ceil(last / width - 1e-9))) if width > 0 and last > 0 else 1
    if frames < 1 or count > _MOST:
        msg = f"{min(frames, count):,} frames are not possible: use 1 to {_MOST}."
        raise InputError(msg)
    limits = np.append(width * np.arange(1, count), last)
    step = np.minimum(np.searchsorted(limits, ends), count - 1)
    reached = np.sort(depth[paths.reached])
    counts = np.searchsorted(reached, limits, side="right")
    return SearchSteps(lines, dist, step, limits, counts, by)


def _steps_of_rounds(paths: Paths, frames: int, width: float | None) -> SearchSteps:
    """Divide the rounds of the plan's algorithm into steps of equally many rounds."""
    if width is not None:
        raise InputError("width goes with 'distance' and 'hops': leave it out by 'rounds'.")
    if not 1 <= frames <= _MOST:
        raise InputError(f"{frames:,} frames are not possible: use 1 to {_MOST}.")
    plan, graph = paths.plan, paths.graph
    selection = None if plan is None else selection_of_rounds(plan.recipe)
    params = {} if plan is None else plan.params
    delta = params.get("delta", params.get("rho", 0.0))
    if selection in {"below", "delta star", "rho", "bucket"} and not delta:
        selection = None  # the thresholds of the algorithm are its own
    if plan is None or selection is None:
        name = "this result" if plan is None else plan.algorithm
        raise InputError(f"{name} has no rounds to draw: use by='distance' or by='hops'.")
    if graph.first_through or graph.turns is not None or paths.cutoff is not None:
        raise InputError(
            "rounds are drawn without closed vertices, turns and cutoff: use by='distance'."
        )
    most = min(_MOST_ROUNDS, _MOST_MASKS // max(graph.n, 1))
    run = rounds(graph, paths.source_index, selection, delta, most)
    heads, lines, dist = tree_edges(paths)
    masks = np.array([one.selected for one in run])
    settled = np.array([one.settled for one in run])
    # An edge of the tree is drawn in the round that makes the label of its end final.
    final = settled.argmax(axis=0)
    count = min(frames, len(run))
    ends = (len(run) * np.arange(1, count + 1)) // count  # rounds up to each step
    step = np.searchsorted(ends, final[heads], side="right")
    starts = np.append(0, ends[:-1])
    selected = tuple(
        np.flatnonzero(masks[low:high].any(axis=0)) for low, high in zip(starts, ends, strict=True)
    )
    return SearchSteps(lines, dist, step, ends, settled[ends - 1].sum(axis=1), "rounds", selected)


def _hops(pred: Array) -> Array:
    """Return the number of edges of the path to each vertex, (n,), by pointer jumping."""
    ends = np.append(pred, -1)  # index -1 is the last entry, which points to itself
    ends[ends < 0] = len(pred)
    hops = (ends != len(pred)).astype(np.int64)
    while (ends != len(pred)).any():
        hops += hops[ends]
        ends = ends[ends]
    counts: Array = hops[:-1]
    return counts


def _shown(paths: Paths, steps: SearchSteps) -> Array:
    (start,) = starts_of(paths, np.array([paths.source_index]), "its frontier")
    if not np.isfinite(start).all():
        raise GraphError(f"the source {paths.source!r} has no coordinates.")
    return np.concatenate([steps.lines.reshape(-1, 2), start[None]])


def _frames(
    drawing: MapFigure, paths: Paths, steps: SearchSteps, name: str, title: str | None
) -> Iterator[Array]:
    """Yield the frames, (height, width, 3) uint8; each draws only the new edges."""
    figure, axes, theme = drawing.figure, drawing.axes, drawing.theme
    canvas = figure.canvas
    draw_network(drawing, paths.graph)
    write_title(drawing, _titled(paths, steps, name) if title is None else title, None)
    settled, fresh = _looks(steps, theme, line_width(len(steps.lines), 0.35, 1.6))
    scale = draw_lines(axes, steps.lines[:0], array=steps.dist[:0], **settled)
    add_scale(drawing, scale, f"distance from {name}")
    canvas.draw()
    behind = canvas.copy_from_bbox(figure.bbox)
    mark(drawing, _shown(paths, steps)[-1], name, start=True)
    above = [*axes.lines, *axes.texts]
    said = figure.text(
        EDGE / figure.get_figwidth(),
        1 - 0.44 / figure.get_figheight(),
        "",
        va="top",
        fontsize=10,
        color=theme.soft,
    )
    for at in range(len(steps.limits)):
        now = np.flatnonzero(steps.step == at)
        said.set_text(f"{steps.label(at)} vertices")
        dots = _dots(axes, paths, steps, at, theme)
        for look, last in ((fresh, False), (settled, True)):
            canvas.restore_region(behind)
            colours = {"array": steps.dist[now]} if last else {}
            drawn = draw_lines(axes, steps.lines[now], **look, **colours)
            axes.draw_artist(drawn)
            drawn.remove()
            if not last:
                for dot in dots:
                    axes.draw_artist(dot)
                    dot.remove()
            if last:
                behind = canvas.copy_from_bbox(figure.bbox)
            if not last or at == len(steps.limits) - 1:
                for artist in above:
                    axes.draw_artist(artist)
                figure.draw_artist(said)
                yield np.asarray(canvas.buffer_rgba())[..., :3].copy()


def _titled(paths: Paths, steps: SearchSteps, name: str) -> str:
    if steps.by != "rounds" or paths.plan is None:
        return _TITLE.format(name)
    return f"{paths.plan.algorithm} from {name}"


def _looks(steps: SearchSteps, theme: Theme, thin: float) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the line styles for earlier steps and for the current step."""
    high = float(steps.dist.max(initial=0)) or 1.0
    settled = {
        "cmap": colours_between(theme),
        "clim": (0, high),
        "linewidths": thin,
        "capstyle": "round",
    }
    fresh = {"colors": [theme.route], "linewidths": 2.2 * thin, "capstyle": "round", "zorder": 3}
    if steps.by == "rounds":  # the selected vertices are marked instead
        fresh = {"colors": [theme.soft], "linewidths": thin, "capstyle": "round"}
    return settled, fresh


def _panels(
    paths: Paths, steps: SearchSteps, name: str, title: str | None, theme: str, dpi: int
) -> Any:
    """Draw the steps side by side."""
    graph, colours = paths.graph, theme_of(theme)
    one = new_map(graph, _shown(paths, steps), "its frontier", theme=theme, dpi=dpi)
    scale = stretch(positions_of(graph, "its frontier"), _shown(paths, steps))
    count = len(steps.limits)
    columns = min(_COLUMNS, count)
    rows = -(-count // columns)
    bounds = one.axes.get_position()
    ratio = bounds.height * one.figure.get_figheight() / bounds.width / one.figure.get_figwidth()
    wide, high = columns * (_PANEL + EDGE) + EDGE, rows * (_PANEL * ratio + _LABEL) + _HEAD + FOOT
    wide = max(wide, 6.5)
    figure = new_figure((wide, high), dpi, "drawing a frontier", facecolor=colours.paper)
    network = network_lines(graph, one.box)
    thin = line_width(len(steps.lines), 0.2, 1.1)
    settled, fresh = _looks(steps, colours, thin)
    for at in range(count):
        row, column = divmod(at, columns)
        left = EDGE + column * (_PANEL + EDGE)
        low = high - _HEAD - (row + 1) * (_PANEL * ratio + _LABEL)
        axes = figure.add_axes((left / wide, low / high, _PANEL / wide, _PANEL * ratio / high))
        frame(axes, one.box, scale)
        draw_lines(axes, network, colors=colours.network, linewidths=thin / 2)
        before, now = steps.step < at, steps.step == at
        drawn = draw_lines(axes, steps.lines[before], array=steps.dist[before], **settled)
        draw_lines(axes, steps.lines[now], **fresh)
        _dots(axes, paths, steps, at, colours)
        start = _shown(paths, steps)[-1]
        axes.plot(
            *start,
            "o",
            markersize=4.5,
            markerfacecolor=colours.paper,
            markeredgecolor=colours.ends,
            markeredgewidth=1.4,
            zorder=5,
        )
        axes.set_title(
            steps.label(at), fontsize=8.5, color=colours.soft, loc="left", pad=3, parse_math=False
        )
    whole = MapFigure(figure, axes, one.box, colours)
    add_scale(whole, drawn, f"distance from {name}")
    write_title(whole, _titled(paths, steps, name) if title is None else title, None)
    return figure


def _dots(axes: Any, paths: Paths, steps: SearchSteps, at: int, theme: Theme) -> list[Any]:
    """Draw the vertices that a step selects, if it has any."""
    if not steps.selected:
        return []
    x, y = positions_of(paths.graph, "its frontier")[steps.selected[at]].T
    size = line_width(len(steps.lines), 2.0, 6.0)
    drawn: list[Any] = axes.plot(
        x, y, "o", color=theme.route, markersize=size, markeredgewidth=0, zorder=4
    )
    return drawn


def _palette(theme: Theme) -> list[int]:
    """Return the 256 colours of an animation: those drawn, and their blends into the paper."""
    from matplotlib.colors import to_rgb

    paper = np.array(to_rgb(theme.paper))
    plain = [theme.network, theme.route, theme.ends, theme.ink, theme.soft]
    drawn = [*(to_rgb(colour) for colour in plain), *colours_between(theme, 46)[:, :3]]
    shares = np.linspace(0, 1, 6)[1:, None, None]
    blends = (paper + shares * (np.array(drawn) - paper)).reshape(-1, 3)
    levels = np.rint(255 * np.concatenate([paper[None], blends]))
    return [int(level) for level in levels.ravel()]


def _save_animation(pictures: list[Array], path: Path, theme: Theme) -> None:
    from io import BytesIO

    from PIL import Image

    from warpath.io.save import atomic

    palette = Image.new("P", (1, 1))
    palette.putpalette(_palette(theme))
    images = (Image.fromarray(picture) for picture in pictures)
    flat = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]
    times = [_SHOWN] * (len(flat) - 1) + [_HELD]
    data = BytesIO()
    flat[0].save(
        data, "GIF", save_all=True, append_images=flat[1:], duration=times, loop=0, optimize=False
    )
    with atomic(path) as file:
        file.write(data.getbuffer())


def _save_folder(pictures: list[Array], folder: Path) -> None:
    from PIL import Image

    folder.mkdir(parents=True, exist_ok=True)
    for at, picture in enumerate(pictures, 1):
        Image.fromarray(picture).save(folder / f"frame-{at:03}.png")
