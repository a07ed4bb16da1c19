"""Time, work and rounds over delta, the width of a bucket."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import cycle
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from warpath.base.errors import InputError
from warpath.graph import Graph
from warpath.planner.kinds import kind_of
from warpath.plot.page import (
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    SKY,
    VERMILION,
    checked_path,
    drawable,
    new_figure,
    picture_text,
    save,
    set_log_ticks,
    theme_of,
)
from warpath.recipes import CATALOGUE, Task
from warpath.recipes.params import chosen_params

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from warpath.plot.page import Theme
    from warpath.results.paths import Paths

_COLOURS = {
    "light": (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY),
    "dark": (SKY, ORANGE, GREEN, PURPLE, VERMILION, BLUE),
}
_MARKS = "osD^vP"


class Swept(NamedTuple):
    """The cost of one algorithm with one delta.

    Attributes
    ----------
    delta : width of the buckets, in the weights' unit.
    seconds : median time of several solves; None of a device without times, as the emulator.
    work : edges read, divided by those of Dijkstra's algorithm; None if there are none.
    rounds : number of rounds.
    """

    delta: float
    seconds: float | None
    work: float | None
    rounds: int


class Sweep(NamedTuple):
    """One algorithm with several deltas, in ascending order, and its `default` delta."""

    algorithm: str
    default: float
    points: tuple[Swept, ...]

    @property
    def best(self) -> Swept | None:
        """The point of the shortest time; None without times."""
        timed = [point for point in self.points if point.seconds is not None]
        return min(timed, key=lambda point: point.seconds or 0.0, default=None)


#: The factors of an algorithm's own delta that are tried: 1/64 to 64.
FACTORS = tuple(2.0**power for power in range(-6, 7))


def delta_sweep(
    solve: Callable[..., Paths],
    graph: Graph,
    source: Any,
    algorithm: str = "warpath.buckets",
    *,
    factors: Sequence[float] = FACTORS,
    repeats: int = 5,
    report: Callable[[int, int], None] | None = None,
) -> Sweep:
    """Measure an algorithm with several widths of its buckets.

    Parameters
    ----------
    solve : `sssp`, perhaps with a device and threads.
    graph, source : as in `sssp`.
    algorithm : one that takes a ``delta``.
    factors : of the delta that it chooses itself; of widths that come out equal one is measured.
    repeats : solves for each, after a warm-up; work and rounds are counted by one more.
    report : called with (solves done, solves in all).
    """
    able = [
        recipe.name
        for recipe in CATALOGUE
        if Task.SSSP in recipe.solves and any(param.name == "delta" for param in recipe.params)
    ]
    if algorithm not in able:
        raise InputError(
            f"{algorithm!r} takes no delta from one source; these do: {', '.join(able)}."
        )
    graph = Graph.of(graph)
    facts = graph.facts(symmetry=False)
    once = partial(solve, graph, source, algorithm=algorithm)
    first = once()
    default = float(first.plan.params["delta"])
    tried = ({"delta": default * factor} for factor in factors)
    chosen = {chosen_params(CATALOGUE[algorithm], facts, given)["delta"] for given in tried}
    points: list[Swept] = []
    for delta in sorted(chosen):
        params = {"delta": delta}
        once(params=params)
        seconds = None
        if kind_of(first.plan.device).timed:
            seconds = median(
                solve(graph, source, params=params, algorithm=algorithm).stats["seconds"]
                for _ in range(repeats)
            )
        traced = once(params=params, trace=True)
        assert traced.trace is not None  # noqa: S101 - it was requested
        totals = traced.trace.totals()
        points.append(Swept(delta, seconds, totals.work_ratio, totals.rounds))
        if report is not None:
            report(len(points), len(chosen))
    return Sweep(algorithm, default, tuple(points))


def plot_sweep(
    sweeps: Sequence[Sweep],
    path: str | os.PathLike[str] | None = None,
    *,
    title: str | None = None,
    subtitle: str | None = None,
    theme: str = "light",
    dpi: int = 150,
) -> Any:
    """Draw time, work and rounds over delta, one above the other.

    A dotted line marks the default delta of an algorithm, a large mark the fastest. Without times,
    as on the emulator, only work and rounds are drawn.

    Parameters
    ----------
    sweeps : results of `warpath.plot.sweep.delta_sweep`, for one or several algorithms.
    path : file to write, its format by suffix: .png, .svg, .pdf, .jpg, .webp, .tif; None for none.
    title, subtitle : text above the drawing.
    theme : "light" or "dark".
    dpi : dots per inch of pixel formats.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    InputError
        If there is no sweep or one of another type, or the suffix or `dpi` is not valid.
    MissingDependencyError
        If matplotlib is not installed.
    """
    target = None if path is None else checked_path(path)
    runs = list(sweeps) if isinstance(sweeps, Iterable) else [sweeps]
    for sweep in runs:
        drawable(sweep, Sweep, "a sweep", "warpath.plot.sweep.delta_sweep")
    if not runs or not all(sweep.points for sweep in runs):
        raise InputError("there is no delta to draw: give at least one sweep with points.")
    colours = theme_of(theme)
    timed = any(sweep.best for sweep in runs)
    figure = new_figure(
        (8.0, 7.6 if timed else 5.2),
        dpi,
        "drawing a sweep",
        layout="constrained",
        facecolor=colours.paper,
    )
    heading = "\n".join(filter(None, (title, subtitle)))
    if heading:
        figure.suptitle(
            picture_text(heading),
            x=0.012,
            ha="left",
            fontsize=11,
            color=colours.ink,
            parse_math=False,
        )
    labels = {"time (ms)": 1.3, "work over Dijkstra's": 1.0, "rounds": 1.0}
    if not timed:
        del labels["time (ms)"]
    grid = figure.subplots(len(labels), 1, sharex=True, height_ratios=[*labels.values()])
    for sweep, colour, mark in zip(runs, cycle(_COLOURS[theme]), cycle(_MARKS), strict=False):
        _draw(grid, sweep, colour, mark)
    for axes, label in zip(grid, labels, strict=True):
        _tidy(axes, colours, label)
    grid[-2].axhline(1, color=colours.soft, linewidth=0.8, linestyle="--", zorder=1)
    grid[-1].set_xlabel("delta, in the weights' unit", color=colours.ink)
    legend = grid[0].legend(
        loc="lower left",
        bbox_to_anchor=(0, 1.0),
        ncols=3,
        frameon=False,
        borderaxespad=0.2,
        fontsize=9,
        labelcolor=colours.ink,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)
    if target is not None:
        save(figure, target, dpi)
    return figure


def _draw(grid: Any, sweep: Sweep, colour: str, mark: str) -> None:
    look: dict[str, Any] = {
        "color": colour,
        "marker": mark,
        "markersize": 4.5,
        "linewidth": 1.6,
        "zorder": 3,
    }
    deltas = [point.delta for point in sweep.points]
    counted = [point for point in sweep.points if point.work is not None]
    works = [point.work for point in counted]
    grid[-2].plot([point.delta for point in counted], works, label=sweep.algorithm, **look)
    grid[-1].plot(deltas, [max(point.rounds, 1) for point in sweep.points], **look)
    best = sweep.best
    if best is not None and best.seconds is not None:
        spent = [1e3 * (point.seconds or 0.0) for point in sweep.points]
        grid[0].plot(deltas, spent, label=sweep.algorithm, **look)
        grid[0].plot(
            best.delta, 1e3 * best.seconds, mark, color=colour, markersize=10, zorder=4, alpha=0.55
        )
    for axes in grid:
        axes.axvline(sweep.default, color=colour, linewidth=1.1, linestyle=":", zorder=2)


def _tidy(axes: Any, theme: Theme, label: str) -> None:
    axes.set_facecolor(theme.paper)
    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        set_log_ticks(axis, "{x:,.10g}")
    axes.set_ylabel(label, color=theme.ink)
    axes.tick_params(which="both", colors=theme.soft)
    axes.grid(visible=True, color=theme.network, linewidth=0.6, alpha=0.4)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(theme.soft)
