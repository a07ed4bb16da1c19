"""An interactive map as one HTML page: data, style and script are inside, nothing is fetched.

``map.html`` draws what `write_page` puts into it: layers of lines, marks at vertices and a legend.
"""

from __future__ import annotations

import math
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base import units
from warpath.base.errors import GraphError, InputError
from warpath.base.escaping import html, script_data
from warpath.graph.checks import checked_kind, shown
from warpath.graph.coordinates import in_degrees
from warpath.io.places import to_write
from warpath.plot.map import network_lines
from warpath.plot.page import theme_of

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from pathlib import Path

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.plot.page import Theme

_SUFFIXES = (".html", ".htm")
_AROUND = 0.5  # of the network that is drawn around something: a fraction of its larger extent
_STEPS = 1_000_000  # coordinates are whole numbers of this part of the map's larger side
_FARTHEST_NORTH = math.radians(85.05)  # of Mercator's projection, as tiles are cut
_OSM = "© OpenStreetMap contributors"

# Viridis at 0, 1/8, ... 1: pictures take it from matplotlib, which a page does not need.
_VIRIDIS = bytes.fromhex("440154 472d7b 3b528b 2c728e 21918c 28ae80 5ec962 addc30 fde725")


class Layer(NamedTuple):
    """Lines of one colour.

    Attributes
    ----------
    colour, width : of the lines, in pixels.
    pieces : (s, 2, 2) straight pieces of lines; those with an unknown end (NaN) are left out.
    line : (s,) the number of the line that each piece belongs to, ascending.
    texts : what the page says of a line under the pointer: one text for all, one for each line by
        its number, or None for nothing.
    """

    colour: str
    width: float
    pieces: Array
    line: Array
    texts: str | Sequence[str] | None = None


class Mark(NamedTuple):
    """A vertex with its name: a ring at a source or facility, a square at a target."""

    place: Array
    name: str
    start: bool


class MapPage(NamedTuple):
    """The contents of a page.

    Attributes
    ----------
    layers, marks : what is drawn, later ones over earlier ones.
    legend : colours with what they mean.
    focus : (k, 2) the points that the page shows at first.
    title, subtitle : the lines above the map.
    """

    layers: Sequence[Layer]
    marks: Sequence[Mark]
    legend: Sequence[tuple[str, str]]
    focus: Array
    title: str
    subtitle: str


def checked_page(given: Any, theme: str, tiles: Any, graph: Graph) -> tuple[Path, Theme]:
    """Return the path and the theme of a page, or raise InputError for an option of it.

    Parameters
    ----------
    tiles : None, or the address of the background's tiles with {z}, {x} and {y} in it.
    """
    path = to_write(given)
    if path.suffix.lower() not in _SUFFIXES:
        msg = f"{path}: the suffix must be .html or .htm, not {path.suffix or 'no suffix'}."
        raise InputError(msg)
    if tiles is not None:
        if not isinstance(tiles, str) or not all(part in tiles for part in ("{z}", "{x}", "{y}")):
            msg = (
                f"tiles = {shown(tiles)} must be the address of tiles with {{z}}, {{x}} and {{y}}, "
                "such as 'https://tile.example.org/{z}/{x}/{y}.png'."
            )
            raise InputError(msg)
        if graph.coordinates is not None and not in_degrees(graph.coordinates):
            msg = (
                "tiles need longitudes and latitudes in degrees, but the graph's coordinates are "
                "in a plane: leave tiles= out, or convert them."
            )
            raise GraphError(msg)
    return path, theme_of(theme)


def heading(given: Any, otherwise: str) -> str:
    """Return a title or subtitle, or `otherwise` where none is given."""
    return otherwise if checked_kind(given, str, "title") is None else str(given)


def colours(theme: Theme, count: int) -> list[str]:
    """Return so many colours of viridis, evenly spaced over its visible part: "#21918c"."""
    anchors = np.array(list(_VIRIDIS)).reshape(-1, 3)
    at = np.linspace(*theme.scale, count) * (len(anchors) - 1)
    mixed = np.stack([np.interp(at, range(len(anchors)), each) for each in anchors.T], axis=1)
    return [f"#{r:02x}{g:02x}{b:02x}" for r, g, b in np.rint(mixed).astype(int).tolist()]


def write_page(
    path: str | os.PathLike[str], graph: Graph, page: MapPage, theme: Theme, tiles: str | None
) -> None:
    """Write a page atomically.

    Longitudes and latitudes in degrees are drawn in Mercator's projection, as tiles are; other
    coordinates unchanged.
    """
    from warpath.io.save import atomic

    placed = _Places(graph, page)
    document = {
        "layers": [placed.layer(layer) for layer in page.layers],
        "marks": [
            dict(zip("xy", placed.whole(mark.place[None])[0].tolist(), strict=True))
            | {"name": mark.name, "start": mark.start}
            for mark in page.marks
        ],
        "legend": page.legend,
        "box": placed.box(page.focus),
        "world": placed.world,
        "tiles": tiles,
    }
    words = {
        "TITLE": html(page.title, lines=True),
        "SUBTITLE": html(page.subtitle, lines=True),
        "CREDIT": html(_credit(graph, tiles)),
        "COLOURS": "".join(
            f"--{name}: {getattr(theme, name)}; "
            for name in ("paper", "ink", "soft", "network", "ends")
        ),
        "DATA": script_data(document),
    }
    text = files(__package__).joinpath("map.html").read_text(encoding="utf-8")
    parts = text.split("@")
    # The template has an @ around each of its words and nowhere else.
    parts[1::2] = [words[name] for name in parts[1::2]]
    with atomic(path) as file:
        file.write("".join(parts).encode())


def measured(value: Any, graph: Graph) -> str:
    """Return a distance as text, in the unit of the graph's weights if it is known."""
    return units.length(value) if graph.unit is None else units.measure(value, graph.unit)


def network_around(graph: Graph, points: Array, theme: Theme) -> Layer:
    """Return the network around some points as a faint layer."""
    finite = points[np.isfinite(points).all(axis=1)]
    low, high = finite.min(axis=0), finite.max(axis=0)
    margin = _AROUND * (float((high - low).max()) or 1e-3)
    lines = network_lines(graph, (*(low - margin).tolist(), *(high + margin).tolist()))
    return Layer(theme.network, 1, lines, np.arange(len(lines)))


def _credit(graph: Graph, tiles: str | None) -> str:
    """Return whom the map must name."""
    named = [graph.attribution] if graph.attribution else []
    if tiles is not None and "openstreetmap" in tiles and _OSM not in named:
        named.append(_OSM)
    return ", ".join(named)


class _Places:
    """The places of a page as whole numbers, x to the right and y downward.

    Attributes
    ----------
    world : where these numbers lie in the square of the whole world, for tiles and the scale bar;
        None for coordinates that are not degrees.
    """

    def __init__(self, graph: Graph, page: MapPage) -> None:
        assert graph.coordinates is not None  # noqa: S101 - the callers draw them
        self._degrees = in_degrees(graph.coordinates)
        points = [layer.pieces.reshape(-1, 2) for layer in page.layers]
        drawn = np.concatenate([*points, page.focus, *(mark.place[None] for mark in page.marks)])
        finite = self._projected(drawn[np.isfinite(drawn).all(axis=1)])
        self._corner = finite.min(axis=0)
        extent = float((finite.max(axis=0) - self._corner).max())
        self._step = (extent or (1e-6 if self._degrees else 1.0)) / _STEPS
        left, top = self._corner.tolist()
        self.world = {"left": left, "top": top, "step": self._step} if self._degrees else None

    def _projected(self, points: Array) -> Array:
        """Return places in the plane of the page: (k, 2)."""
        if not self._degrees:
            turned: Array = points * (1, -1)
            return turned
        lon, lat = np.radians(points).T
        north = np.arcsinh(np.tan(np.clip(lat, -_FARTHEST_NORTH, _FARTHEST_NORTH)))
        placed: Array = 0.5 + np.stack([lon, -north], axis=1) / (2 * np.pi)
        return placed

    def whole(self, points: Array) -> Array:
        """Return places as whole numbers of steps from the corner: (k, 2) int64."""
        steps: Array = np.rint((self._projected(points) - self._corner) / self._step)
        return steps.astype(np.int64)

    def box(self, points: Array) -> list[int]:
        """Return xmin, ymin, xmax, ymax of some points."""
        finite = self.whole(points[np.isfinite(points).all(axis=1)])
        return [*finite.min(axis=0).tolist(), *finite.max(axis=0).tolist()]

    def layer(self, layer: Layer) -> dict[str, Any]:
        """Return a layer as the script reads it.

        The points of a line follow each other: the first, then the steps from one to the next.
        ``points`` has the number of points of each line, and is empty where each has two.
        """
        is_finite = np.isfinite(layer.pieces).all(axis=(1, 2))
        pieces, line = layer.pieces[is_finite], layer.line[is_finite]
        begins = np.flatnonzero(np.diff(line, prepend=-1))
        counts = np.diff(begins, append=len(line)) + 1
        first = np.cumsum(counts) - counts
        corners = np.empty((int(counts.sum()), 2))
        rest = np.ones(len(corners), np.bool_)
        rest[first] = False
        corners[first], corners[rest] = pieces[begins, 0], pieces[:, 1]
        points = self.whole(corners)
        steps = np.diff(points, axis=0, prepend=0)
        steps[first] = points[first]
        texts = layer.texts
        if texts is not None and not isinstance(texts, str):
            texts = [texts[each] for each in line[begins].tolist()]
        return {
            "colour": layer.colour,
            "width": layer.width,
            "xy": steps.ravel().tolist(),
            "points": [] if (counts == 2).all() else counts.tolist(),
            "text": texts,
        }
