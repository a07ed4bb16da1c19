"""Isochrones: the edges within given cutoffs of a vertex, in bands over the network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base import units
from warpath.plot.map import (
    add_legend,
    colours_between,
    draw_lines,
    draw_network,
    legend_height,
    line_width,
    mark,
    new_map,
    starts_of,
    write_source,
    write_title,
)
from warpath.plot.page import checked_path, drawable, picture_text, save
from warpath.results.names import in_words, names_of
from warpath.results.within import Within

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from warpath.graph import Graph

_RIM = 0.3  # by which the rim of lines is wider, as a part of their width


def plot_within(
    found: Within,
    path: str | os.PathLike[str] | None = None,
    *,
    title: str | None = None,
    subtitle: str | None = None,
    source: str | Sequence[str] | Mapping[Any, str] | None = None,
    theme: str = "light",
    dpi: int = 200,
) -> Any:
    """Draw the edges within each cutoff of a vertex, over the network around them.

    An edge in several bands is divided in proportion to the distances along it.

    Parameters
    ----------
    found : result of `warpath.within` for a graph with coordinates.
    path : file to write, its format by suffix: .png, .svg, .pdf, .jpg, .webp, .tif; None for none.
    title, subtitle : text above the drawing; None for a description of it, "" for no text.
    source : label of the source, or one for each of ``found.sources``, or ``{vertex: label}``;
        their names by default.
    theme : "light" or "dark".
    dpi : dots per inch of pixel formats.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    GraphError
        If the graph or the source has no coordinates.
    InputError
        If `found` is not a `Within`, or the suffix or `dpi` is not valid.
    MissingDependencyError
        If matplotlib is not installed.
    """
    drawable(found, Within, "found", "within(graph, source, cutoffs)")
    target = None if path is None else checked_path(path)
    graph = found.graph
    starts = starts_of(found, found.source_indices, "what lies near a vertex")
    lines, part = found.segments()
    band = found.parts()[1][part]
    shown = np.concatenate([lines.reshape(-1, 2), starts])
    labels = [picture_text(text) for text in counted(found)]
    drawing = new_map(
        graph,
        shown,
        "what lies near a vertex",
        theme=theme,
        dpi=dpi,
        margin=0.06,
        flattest=0.45,
        foot=lambda width: legend_height(labels, width),
    )
    draw_network(drawing, graph)
    colours = colours_between(drawing.theme, len(found.cutoffs))
    width = line_width(len(lines), 0.6, 2.6)
    rim: dict[str, Any] = {
        "colors": drawing.theme.ink,
        "linewidths": (1 + _RIM) * width,
        "capstyle": "round",
    }
    draw_lines(drawing.axes, lines, **rim, zorder=2.5)
    for at in reversed(range(len(colours))):  # the nearest on top: a street may be in two bands
        draw_lines(
            drawing.axes,
            lines[band == at],
            colors=[colours[at]],
            linewidths=width,
            capstyle="round",
            zorder=3,
        )
    names = source_names(found, source)
    for place, name in zip(starts, names, strict=True):
        if np.isfinite(place).all():
            mark(drawing, place, name, start=True)
    add_legend(drawing, labels, colours)
    write_source(drawing, graph)
    above, below = headings(found, names)
    write_title(drawing, above if title is None else title, below if subtitle is None else subtitle)
    if target is not None:
        save(drawing.figure, target, dpi)
    return drawing.figure


def source_names(found: Within, names: Any, *, file_ids: bool = True) -> list[str]:
    """Return what titles and marks call the sources; the arguments are as in `names_of`."""
    given = names_of(found, found.source_indices, names, file_ids=file_ids)
    rows = zip(found.source_indices.tolist(), given, strict=True)
    return [in_words(found.graph, at, name) for at, name in rows]


def counted(found: Within) -> list[str]:
    """Return how many vertices are within each cutoff, in words."""
    graph = found.graph
    rows = zip(found.cutoffs.tolist(), found.counts.tolist(), strict=True)
    return [
        f"{_vertices(graph, count)} within {units.measure(cutoff, graph.unit)}"
        for cutoff, count in rows
    ]


def _vertices(graph: Graph, count: int) -> str:
    """Return a number of vertices in words: of a network of streets they are junctions."""
    streets = units.symbol_of(graph.unit) is not None
    one, several = ("junction", "junctions") if streets else ("vertex", "vertices")
    return f"{count:,} {one if count == 1 else several}"


def headings(result: Within, names: Sequence[str]) -> tuple[str, str]:
    """Return a title and a subtitle for isochrones around sources of these names."""
    graph = result.graph
    way = "on the way to" if result.reverse else "of"
    count = result.count_of_sources
    ends = names[0] if count == 1 else f"the nearest of {count:,} sources"
    farthest = units.measure(result.cutoffs[-1].item(), graph.unit)
    parts = [graph.name] if graph.name else []
    parts.append(f"{len(result):,} of {_vertices(graph, graph.n)}")
    return f"Within {farthest} {way} {ends}", ", ".join(parts)
