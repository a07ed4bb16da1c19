"""Shared parts of pictures: colours, themes, an empty figure, and the file."""

from __future__ import annotations

import math
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

from warpath.base.errors import InputError, require
from warpath.base.escaping import visible
from warpath.graph.checks import is_number, shown
from warpath.graph.detached import DetachedGraph, needs_graph
from warpath.io.places import to_write

if TYPE_CHECKING:
    from pathlib import Path

# Okabe and Ito's palette: distinguishable with any kind of colour vision, and in grey.
BLUE, VERMILION, GREEN, ORANGE = "#0072B2", "#D55E00", "#009E73", "#E69F00"
SKY, PURPLE, YELLOW, INK = "#56B4E9", "#CC79A7", "#F0E442", "#222222"

#: Colours of areas side by side, on dark (False) and on light paper (True).
AREAS = {
    True: (BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY),
    False: (SKY, ORANGE, GREEN, PURPLE, YELLOW, VERMILION),
}

_SUFFIXES = (".png", ".svg", ".pdf", ".jpg", ".jpeg", ".webp", ".tif", ".tiff")
_MOST_DOTS = 2**28  # largest picture; a dot takes 4 bytes
_LONGEST = 400  # characters of a text; matplotlib takes minutes for a million
_LEAST_DPI = 9  # letters of 8 points are one dot high; FreeType fails below half a dot


class Theme(NamedTuple):
    """The colours of a drawing on light or dark paper.

    Attributes
    ----------
    paper, ink, soft : colours of the background, of titles and names, and of smaller text.
    network : colour of the edges of the network in the background.
    route, ends : colours of a route and of the marks at its ends.
    scale : range of the colour map ``viridis`` that is visible on the paper, within 0 .. 1.
    """

    paper: str
    ink: str
    soft: str
    network: str
    route: str
    ends: str
    scale: tuple[float, float]


_THEMES = {
    "light": Theme("white", INK, "#555555", "#B9BEC4", VERMILION, BLUE, (0.0, 0.8)),
    "dark": Theme("#14171C", "#F2F2F2", "#B4B8BE", "#474D57", ORANGE, SKY, (0.22, 1.0)),
}


def theme_of(name: str) -> Theme:
    """Return a theme by its name, "light" or "dark"."""
    if not isinstance(name, str) or name not in _THEMES:
        msg = f"theme = {shown(name)} is not valid: use {' or '.join(map(repr, _THEMES))}."
        raise InputError(msg)
    return _THEMES[name]


def checked_path(given: Any, *more: str) -> Path:
    """Return the path of a picture; raise InputError if its suffix is not valid nor in `more`."""
    path, suffixes = to_write(given), (*_SUFFIXES, *more)
    if path.suffix.lower() not in suffixes:
        suffix = path.suffix or "no suffix"
        msg = f"{path}: the suffix must be one of {', '.join(suffixes)}, not {suffix}."
        raise InputError(msg)
    return path


def picture_text(value: object) -> str:
    """Return a text for a picture: control characters escaped, and cut if it is very long."""
    text = visible(value, lines=True)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def drawable(given: Any, kind: type, name: str, how: str) -> None:
    """Raise InputError if an argument has another type than `kind`; `how` is a call for one."""
    if isinstance(given, DetachedGraph):
        raise needs_graph("a picture")
    if not isinstance(given, kind):
        what_was_given = f"{given!r:.60} is a {type(given).__name__}"
        msg = f"{name} = {what_was_given}, not a {kind.__name__}: {how} returns one."
        raise InputError(msg)


def _checked_dpi(dpi: Any, size: tuple[float, float]) -> float:
    """Return the dots per inch; raise InputError if a picture would be too small or too large.

    Parameters
    ----------
    size : width and height, in inches.
    """
    if not is_number(dpi) or not _LEAST_DPI <= dpi < math.inf:
        msg = f"dpi = {shown(dpi)} must be a number of at least {_LEAST_DPI}, such as 200."
        raise InputError(msg)
    most = int(math.sqrt(_MOST_DOTS / (size[0] * size[1])))
    if dpi > most:
        msg = (
            f"dpi = {shown(dpi)} makes a picture of {_dots(dpi, size)} dots, "
            f"over {4 * _MOST_DOTS // 2**30} GiB in memory: use at most {most:,}."
        )
        raise InputError(msg)
    return float(dpi)


def _dots(dpi: float, size: tuple[float, float]) -> str:
    """Return the size of a picture in dots, as text."""
    try:
        return f"{float(dpi) * size[0]:,.0f} x {float(dpi) * size[1]:,.0f}"
    except OverflowError:  # an integer too large for a float
        return "far too many"


def new_figure(size: tuple[float, float], dpi: int, what: str, **options: Any) -> Any:
    """Return an empty figure without a window; `what` names it if matplotlib is missing."""
    require("matplotlib", what=what, extra="plot")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, dpi=_checked_dpi(dpi, size), **options)
    FigureCanvasAgg(figure)
    return figure


def save(figure: Any, path: Path, dpi: int) -> None:
    """Write a figure atomically: a failed save leaves no partial file."""
    from warpath.io.save import atomic

    picture = BytesIO()  # the file of `atomic` is not seekable
    figure.savefig(
        picture, format=path.suffix.lower()[1:], dpi=dpi, facecolor=figure.get_facecolor()
    )
    with atomic(path) as file:
        file.write(picture.getbuffer())


_MOST_TICKS = 9


def set_log_ticks(axis: Any, formatter: Any) -> None:
    """Set three to nine labelled ticks on a logarithmic axis, however small its range is."""
    from matplotlib.ticker import FixedLocator, MaxNLocator, NullFormatter

    low, high = axis.get_view_interval()
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [one * 10.0**at for at in decades for one in (1, 2, 5)]
    ticks = [tick for tick in ticks if low <= tick <= high]
    if len(ticks) > _MOST_TICKS:
        ticks = [tick for tick in ticks if tick in {10.0**at for at in decades}]
        ticks = ticks[:: 1 + len(ticks) // _MOST_TICKS]
    enough = len(ticks) >= 3  # 1, 2 and 5 times a power of ten may be outside a small range
    axis.set_major_locator(FixedLocator(ticks) if enough else MaxNLocator(5))
    axis.set_major_formatter(formatter)
    axis.set_minor_formatter(NullFormatter())
