"""Centralities and loads: the edges of a network, as wide as their numbers are large."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base import units
from warpath.base.errors import GraphError
from warpath.graph.edge_geometry import lines_of
from warpath.plot.map import (
    MapFigure,
    add_legend,
    add_scale,
    colours_between,
    draw_lines,
    draw_network,
    legend_height,
    line_width,
    new_map,
    positions_of,
    write_source,
    write_title,
)
from warpath.plot.page import checked_path, drawable, save
from warpath.plot.tree import FOOT
from warpath.results.centrality import Centrality

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from warpath.base.dtypes import Array
    from warpath.plot.page import Theme

SHADES = 24  # of the numbers
_THINNEST, _WIDEST = (0.1, 0.6), 5.5  # line widths near 0 and of the largest number, in points
_IN_LEGEND = 4  # most numbers that a legend explains
_WHAT = "a centrality"
_TITLES = {
    "betweenness": "Shortest paths over each edge",
    "edge_betweenness": "Shortest paths over each edge",
    "harmonic": "Harmonic centrality of vertices",
    "load": "Trips over each edge",
}


class Lines(NamedTuple):
    """What a map of a centrality shows, in ascending order of the numbers.

    Attributes
    ----------
    edges : (k,) positions in ``graph.edges()``.
    numbers : (k,) float64.
    pieces : (s, 2, 2) straight pieces of the edges that have coordinates.
    which : (s,) the edge of each piece, as a position in `edges`.
    flows : whether the numbers are those of paths or trips, whose lines have widths.
    """

    edges: Array
    numbers: Array
    pieces: Array
    which: Array
    flows: bool

    def shades(self, numbers: Array) -> Array:
        """Return the shades of numbers, 0 to SHADES - 1; -1 for a flow of 0.

        Shades of flows are even in the square root: most flows are small.
        """
        low, high = (0.0, self.numbers[-1]) if self.flows else self.numbers[[0, -1]]
        share = (numbers - low) / (high - low if high > low else 1.0)
        even = np.sqrt(share) if self.flows else share
        shades: Array = np.minimum(even * SHADES, SHADES - 1).astype(np.int64)
        return np.where(numbers > 0, shades, -1) if self.flows else shades

    def layers(self) -> Iterator[tuple[int, float, Array]]:
        """Yield the shades of flows, the largest last: shade, line width in points, pieces."""
        shade = self.shades(self.numbers)[self.which]
        for at in range(SHADES):
            width = self._width(((at + 0.5) / SHADES) ** 2)
            yield at, float(width), np.flatnonzero(shade == at)

    def legend(self) -> tuple[Array, Array]:
        """Return numbers for a legend of flows, and their line widths; none without a flow.

        They are 1, 2 or 5 times powers of ten, from the largest flow to the smallest, at most.
        """
        flows = self.numbers[self.numbers > 0] if self.flows else self.numbers[:0]
        if not len(flows):
            return flows, flows
        powers = 10.0 ** (np.floor(np.log10(flows[-1])) - np.arange(3))
        steps = np.outer(powers, (5, 2, 1)).ravel()
        values = steps[steps <= flows[-1]][:_IN_LEGEND]
        values = values[: max(1, np.count_nonzero(values >= flows[0]))]
        return values, self._width(values / flows[-1])

    def _width(self, share: Any) -> Any:
        """Return the widths of lines, in points, for shares of the largest number."""
        thinnest = line_width(len(self.pieces), *_THINNEST)
        return thinnest + (_WIDEST - thinnest) * share


def plot_centrality(
    found: Centrality,
    path: str | os.PathLike[str] | None = None,
    *,
    cutoff: float | None = None,
    title: str | None = None,
    subtitle: str | None = None,
    theme: str = "light",
    dpi: int = 200,
) -> Any:
    """Draw the network with the numbers of a centrality, or with loads.

    Numbers of paths and trips are line widths, proportional to the number, and colours; edges
    without any are faint. Numbers of vertices, such as closeness, are colours: an edge has the mean
    of its two ends. The two directions of a street are drawn as one line, with their sum.

    Parameters
    ----------
    found : result of a function of `warpath.centrality`, or of `warpath.loads`, for a graph with
        coordinates, drawn to scale as in `plot_route`.
    path : file to write, its format by suffix: .png, .svg, .pdf, .jpg, .webp, .tif; None for none.
    cutoff : one of ``found.cutoffs``; None for the largest.
    title, subtitle : text above the drawing; None for a description of it, "" for no text.
    theme : "light" or "dark".
    dpi : dots per inch of pixel formats.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    GraphError
        If the graph has no coordinates.
    InputError
        If `found` is not a `Centrality`, or `cutoff`, the suffix or `dpi` is not valid.
    MissingDependencyError
        If matplotlib is not installed.
    """
    drawable(found, Centrality, "found", "centrality.betweenness(graph) or loads(graph, ...)")
    target = None if path is None else checked_path(path)
    graph, shown = found.graph, lines_to_draw(found, cutoff)
    values, widths = shown.legend()
    labels = [counted(found, value) for value in values.tolist()]
    drawing = new_map(
        graph,
        shown.pieces.reshape(-1, 2),
        _WHAT,
        theme=theme,
        dpi=dpi,
        foot=(lambda width: legend_height(labels, width)) if labels else FOOT,
    )
    draw_network(drawing, graph)
    if shown.flows:
        palette = by_importance(colours_between(drawing.theme, SHADES), drawing.theme)
        for at, width, some in shown.layers():
            draw_lines(
                drawing.axes,
                shown.pieces[some],
                colors=[palette[at]],
                linewidths=width,
                capstyle="round",
                zorder=3,
            )
        if labels:
            add_legend(drawing, labels, palette[shown.shades(values)], widths)
    else:
        _draw_colours(drawing, found, shown)
    write_source(drawing, graph)
    above, below = headings(found, shown, cutoff)
    write_title(drawing, above if title is None else title, below if subtitle is None else subtitle)
    if target is not None:
        save(drawing.figure, target, dpi)
    return drawing.figure


def lines_to_draw(found: Centrality, cutoff: float | None) -> Lines:
    """Return the edges that a map shows, with their lines.

    Raises
    ------
    GraphError
        If the graph has no coordinates, or no edge between two vertices that have some.
    InputError
        If `cutoff` is not among those of the result.
    """
    positions_of(found.graph, _WHAT)
    edges, numbers = found.map_numbers(cutoff)
    pieces, which = lines_of(found.graph, edges)[:2]
    is_finite = np.isfinite(pieces).all(axis=(1, 2))
    if not is_finite.any():
        msg = f"no edge with a finite number has coordinates at both ends: {_WHAT} cannot be drawn."
        raise GraphError(msg)
    return Lines(edges, numbers, pieces[is_finite], which[is_finite], found.edges is not None)


def counted(found: Centrality, value: float) -> str:
    """Return a number in words: ``200 trips``."""
    return f"{value:,.4g} trips" if found.measure == "load" else f"{value:,.4g}"


def headings(found: Centrality, shown: Lines, cutoff: float | None) -> tuple[str, str]:
    """Return a title and a subtitle for the map of a centrality."""
    graph, sources = found.graph, len(found.source_indices)
    title = _TITLES.get(found.measure, f"{found.measure.capitalize()} of vertices")
    if found.cutoffs is not None:
        limit = found.cutoffs[-1].item() if cutoff is None else cutoff
        title += f" within {units.measure(limit, graph.unit)}"
    parts = [graph.name] if graph.name else []
    if found.measure == "load":
        parts.append(f"{sources:,} pairs" if sources != 1 else "1 pair")
    elif sources < graph.n:
        parts.append(f"from {sources:,} of {graph.n:,} vertices")
    else:
        parts.append(f"{graph.n:,} vertices")
    return title, ", ".join([*parts, f"at most {counted(found, shown.numbers[-1])}"])


def by_importance(palette: Any, theme: Theme) -> Any:
    """Return colours in the order in which they stand out on the paper, the strongest last."""
    return palette[::-1] if theme.paper == "white" else palette


def _draw_colours(drawing: MapFigure, found: Centrality, shown: Lines) -> None:
    from matplotlib.colors import ListedColormap

    palette = by_importance(colours_between(drawing.theme, 256), drawing.theme)
    drawn = draw_lines(
        drawing.axes,
        shown.pieces,
        array=shown.numbers[shown.which],
        cmap=ListedColormap(palette),
        linewidths=line_width(len(shown.pieces), 0.8, 3.0),
        capstyle="round",
        zorder=3,
    )
    drawn.set_clim(*shown.numbers[[0, -1]].tolist())
    add_scale(drawing, drawn, found.measure)
