"""Charts of the reports: curves over a size, dots by category, points in a plane.

Each series has its own colour of Okabe and Ito's palette and its own mark, so that it can be
distinguished with any kind of colour vision and in grey. Scales are logarithmic unless the values
are close to each other.
"""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Any, NamedTuple

from warpath.plot.page import BLUE, GREEN, INK, ORANGE, PURPLE, SKY, VERMILION, new_figure, save

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_COLOURS = (BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY, INK)
_MARKS = "osD^vPX<>hp*d"
_LINES = ("-", "--", "-.", ":")
_GREY = "#555555"
_DPI = 130
_FEW = 6  # maximum number of places that each have a tick
_WIDE = 12  # from this ratio of the largest to the least value on, a scale is logarithmic
_WHAT = "drawing a report"


class Point(NamedTuple):
    """A median at a place, with its quartiles."""

    x: float
    y: float
    low: float
    high: float


class Mark(NamedTuple):
    """A published value in the row of a category; drawn hollow."""

    row: str
    value: float
    name: str


def panels(
    path: Path,
    rows: Sequence[tuple[str, Mapping[str, Sequence[Point]]]],
    x: str,
    *,
    level: float | None = None,
) -> None:
    """Draw charts above each other with a common x axis; `rows` has a title of y and series each.

    Each series is a curve with a band from quartile to quartile; series of the same name have the
    same style. There is one legend if all charts have the same series. `level` is a dotted line.
    """
    every = list(dict.fromkeys(name for _, series in rows for name in series))
    height = 4.9 if len(rows) == 1 else 0.7 + 2.5 * len(rows)
    figure = _figure((8.6, height), len(every))
    grid = figure.subplots(len(rows), 1, sharex=True, squeeze=False)[:, 0]
    style = _styles(every)
    for axes, (y, series) in zip(grid, rows, strict=True):
        _tidy(axes)
        for name, points in series.items():
            _curve(axes, name, points, style[name])
        if level is not None:
            axes.axhline(level, color=_GREY, lw=0.9, ls=":")
        axes.set(xlabel=x if axes is grid[-1] else "", ylabel=y)
        drawn = [point for points in series.values() for point in points]
        _scale(axes.xaxis, [point.x for point in drawn])
        _scale(axes.yaxis, [value for point in drawn for value in (point.y, point.high)])
        places = sorted({point.x for point in drawn})
        if len(places) <= _FEW and all(float(place).is_integer() for place in places):
            axes.set_xticks(places)
    alike = all(list(series) == every for _, series in rows)
    for axes in grid[:1] if alike else grid:
        _legend(axes)
    save(figure, path, _DPI)


def _curve(axes: Any, name: str, points: Sequence[Point], style: tuple[str, str, str]) -> None:
    colour, mark, line = style
    at = [point.x for point in points]
    size = 5.5 if len(points) <= 40 else 0
    axes.plot(at, [p.y for p in points], line, color=colour, marker=mark, ms=size, label=name)
    if any(point.low < point.high for point in points):
        low, high = [p.low for p in points], [p.high for p in points]
        axes.fill_between(at, low, high, color=colour, alpha=0.15, lw=0)


def dots(
    path: Path,
    series: Mapping[str, Mapping[str, float]],
    x: str,
    *,
    marks: Sequence[Mark] = (),
    level: float | None = None,
) -> None:
    """Draw a row for each category and a dot in it for each series."""
    rows = list(dict.fromkeys(key for values in series.values() for key in values))
    rows = list(dict.fromkeys([*rows, *(mark.row for mark in marks)]))
    figure = _figure((8.6, 1.4 + 0.42 * len(rows)), len(series) + len(marks))
    axes = figure.subplots()
    _tidy(axes)
    style = _styles(list(series))
    for at, (name, values) in enumerate(series.items()):
        colour, mark, _ = style[name]
        shift = 0.5 * ((at + 0.5) / len(series) - 0.5)
        places = [rows.index(row) + shift for row in values]
        axes.plot(list(values.values()), places, mark, color=colour, ms=6.5, label=name)
    for printed, mark in zip(marks, cycle(_MARKS), strict=False):
        place = rows.index(printed.row)
        axes.plot(printed.value, place, mark, mfc="none", mec=INK, ms=10, label=printed.name)
    if level is not None:
        axes.axvline(level, color=_GREY, lw=0.9, ls=":")
    axes.set_yticks(range(len(rows)), rows)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlabel(x)
    axes.grid(axis="y", visible=False)
    for at in range(len(rows) - 1):
        axes.axhline(at + 0.5, color="#dddddd", lw=0.7)
    numbers = [value for values in series.values() for value in values.values()]
    _scale(axes.xaxis, [*numbers, *(printed.value for printed in marks)])
    _legend(axes)
    save(figure, path, _DPI)


def plane(
    path: Path,
    series: Mapping[str, Sequence[tuple[float, float]]],
    x: str,
    ys: Sequence[str],
    others: Sequence[Mapping[str, Sequence[tuple[float, float]]]] = (),
) -> None:
    """Draw points in a plane, or in several planes next to each other with a common x axis."""
    every = [series, *others]
    figure = _figure((4.6 * len(every) + 2.6, 4.4), len(series))
    grid = figure.subplots(1, len(every), squeeze=False)[0]
    style = _styles(list(series))
    for axes, points, y in zip(grid, every, ys, strict=True):
        _tidy(axes)
        for name, places in points.items():
            colour, mark, _ = style[name]
            axes.plot(*zip(*places, strict=True), mark, color=colour, ms=7, label=name)
        axes.set(xlabel=x, ylabel=y)
        _scale(axes.xaxis, [place[0] for places in points.values() for place in places])
        _scale(axes.yaxis, [place[1] for places in points.values() for place in places])
    _legend(grid[-1])
    save(figure, path, _DPI)


def _styles(names: Sequence[str]) -> dict[str, tuple[str, str, str]]:
    """Return colour, mark and line of each series."""
    lines = [_LINES[at // len(_COLOURS) % len(_LINES)] for at in range(len(names))]
    return dict(zip(names, zip(cycle(_COLOURS), cycle(_MARKS), lines, strict=False), strict=False))


def _figure(size: tuple[float, float], entries: int) -> Any:
    """Return a figure that is high enough for a legend with so many entries."""
    width, height = size
    height = max(height, 0.9 + 0.24 * entries)
    return new_figure((width, height), _DPI, _WHAT, layout="constrained")


def _tidy(axes: Any) -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(color="#e4e4e4", lw=0.7)
    axes.set_axisbelow(True)


def _legend(axes: Any) -> None:
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, fontsize=8.5)


def _scale(axis: Any, values: Sequence[float]) -> None:
    """Make an axis logarithmic if its values are far apart, and format its numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

    least = min((value for value in values if value > 0), default=0)
    if least > 0 and min(values) > 0 and max(values) >= _WIDE * least:
        axis.axes.set(**{f"{axis.axis_name}scale": "log"})
        few = max(values) < (1000 if axis.axis_name == "y" else 100) * least
        axis.set_major_locator(LogLocator(subs=(1, 2, 5) if few else (1,)))
        axis.set_minor_formatter(NullFormatter())
    else:
        axis.set_major_locator(MaxNLocator(7))
        if axis.axis_name == "y" and values:
            axis.axes.set_ylim(0, 1.08 * max(values))
    axis.set_major_formatter(FuncFormatter(lambda value, _: _number(value)))


def _number(value: float) -> str:
    if value >= 1e6:
        return f"{value / 1e6:g} M"
    if value >= 1e4:
        return f"{value / 1e3:g} K"
    return f"{value:,.0f}" if value >= 1000 else f"{value:g}"
