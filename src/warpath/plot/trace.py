"""The rounds of a trace, and several traces against each other.

The panels follow figures 4 and 6 of Davidson, Baxter, Garland and Owens (IPDPS 2014): selected and
waiting vertices, relaxed edges and the time of each round; then work against parallelism.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import cycle
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base import units
from warpath.base.errors import InputError
from warpath.plot.page import (
    BLUE,
    GREEN,
    INK,
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
)
from warpath.plot.rounds import rounds_of
from warpath.results.trace import Trace, headline, totals_as_text

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from warpath.plot.rounds import Rounds, StepSummary
    from warpath.results.trace import TraceTotals

#: Most traces whose rounds are drawn side by side; of more, only the totals are compared.
MOST_COLUMNS = 4

_COLOURS = (BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY, INK)
_USUAL = {  # each word has the same colour in every picture
    "selected": BLUE, "near": SKY, "far": VERMILION, "queue": GREEN, "buckets": ORANGE,
    "read": BLUE, "improved": ORANGE, "relax": BLUE, "compact": VERMILION, "reduce": ORANGE,
    "update": GREEN, "search": SKY,
}  # fmt: skip
_MARKERS = "osD^vPX<>hp"
_LINES = ("-", "--", "-.", ":")
_DASHED = 60  # with more steps, dashed lines are hard to follow
_WIDE_RANGE = 300  # largest ratio of large to small values on a linear axis
_GREY = "#555555"


def plot_trace(
    traces: Trace | Iterable[Trace],
    path: str | os.PathLike[str] | None = None,
    *,
    names: Sequence[str] | None = None,
    dpi: int = 150,
) -> Any:
    """Draw the rounds of a run, or compare several runs.

    One trace: selected and waiting vertices, edges read, and time, over the rounds. Two to four
    traces: the same side by side on the same axes, and below them time, work against parallelism,
    and rounds against parallelism. More traces: only these comparisons. Where no run has times, as
    on the emulator, none are drawn.

    Parameters
    ----------
    traces : one trace or several.
    path : file to write, its format by suffix: .png, .svg, .pdf, .jpg, .webp, .tif; None for none.
    names : names of the traces; by default what differs between them: the algorithms, then their
        parameters, devices and graphs.
    dpi : dots per inch of pixel formats.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    InputError
        If there is no trace, or one of another type or without rounds, or the suffix or `dpi` is
        not valid.
    MissingDependencyError
        If matplotlib is not installed.
    """
    target = None if path is None else checked_path(path)
    one = isinstance(traces, Trace) or not isinstance(traces, Iterable)
    runs: list[Any] = [traces] if one else list(traces)
    if not runs:
        raise InputError("there is no trace to draw: give at least one.")
    for trace in runs:
        drawable(trace, Trace, "a trace", "sssp(graph, source, trace=True).trace")
    drawn = [rounds_of(trace) for trace in runs]
    titles = [picture_text(name) for name in (_names(runs) if names is None else names)]
    if len(titles) != len(runs):
        raise InputError(f"names has {len(titles)} names for {len(runs)} traces.")
    columns = len(runs) if len(runs) <= MOST_COLUMNS else 0
    below = 0 if len(runs) == 1 else 0.9 + 0.3 * len(runs) + 2.0
    above = 7.6 if any(each.seconds for each in drawn) else 5.6
    size = (max(9.0 if columns == 1 else 11.0, 5.2 * columns), (above if columns else 0.4) + below)
    figure = new_figure(size, dpi, "drawing a trace", layout="constrained")
    heights = ([above] if columns else []) + ([below] if below else [])
    parts = iter(figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0])
    if columns:
        _draw_columns(next(parts), runs, drawn, titles)
    if below:
        _draw_comparison(next(parts), [trace.totals() for trace in runs], titles)
    _write_heading(figure, runs)
    if target is not None:
        save(figure, target, dpi)
    return figure


def _names(traces: Sequence[Trace]) -> list[str]:
    """Return what differs between the traces, as little as makes them unique, or numbers."""
    if len(traces) == 1:
        return [_with_params(traces[0])]
    details = [_details(trace) for trace in traces]
    names = [""] * len(traces)
    for key in dict.fromkeys(key for one in details for key in one):
        values = [one.get(key, "") for one in details]
        if len(set(values)) > 1:
            names = [", ".join(filter(None, pair)) for pair in zip(names, values, strict=True)]
        if len(set(names)) == len(names):
            break
    names = [name or one["algorithm"] for name, one in zip(names, details, strict=True)]
    if len(set(names)) == len(names):
        return names
    return [f"{name} ({at})" for at, name in enumerate(names, 1)]


def _details(trace: Trace) -> dict[str, str]:
    """Return the parts of a name by what they say, the most telling ones first."""
    run = trace.run
    if run is None:
        return {"algorithm": "trace"}
    params = {name: f"{name} = {value:,g}" for name, value in run.params.items()}
    ends = {"device": f"on {run.device}", "graph": _graph(trace)}
    return {"algorithm": run.algorithm, **params, **ends}


def _with_params(trace: Trace) -> str:
    details = _details(trace)
    return ", ".join(value for key, value in details.items() if key not in {"device", "graph"})


def _graph(trace: Trace) -> str:
    run = trace.run
    if run is None:
        return ""
    name = "" if run.graph is None else f"{run.graph}: "
    return f"{name}n = {run.n:,}, m = {run.m:,}, from {run.source}"


def _write_heading(figure: Any, traces: Sequence[Trace]) -> None:
    """Write what all traces have in common above the picture: the algorithm, the graph."""
    algorithms = {_details(trace)["algorithm"] for trace in traces} - {"trace"}
    parts = [*algorithms] if len(algorithms) == 1 else []
    heading = ", ".join(filter(None, [*parts, _common_graph(traces)]))
    if len(traces) > 1 and heading:
        figure.suptitle(picture_text(heading), fontsize=11, color=INK, parse_math=False)


def _common_graph(traces: Sequence[Trace]) -> str:
    graphs = {_graph(trace) for trace in traces}
    return graphs.pop() if len(graphs) == 1 else ""


def _draw_columns(
    figure: Any, traces: Sequence[Trace], drawn: Sequence[Rounds], names: Sequence[str]
) -> None:
    timed = any(each.seconds for each in drawn)
    heights = (1.25, 1, 1)[: 3 if timed else 2]
    grid = figure.subplots(
        len(heights),
        len(traces),
        sharex="col",
        squeeze=False,
        gridspec_kw={"height_ratios": heights},
    )
    for row, part, label in zip(
        grid, ("sizes", "work"), ("vertices", "edges a round"), strict=False
    ):
        series = [getattr(each, part) for each in drawn]
        high = 1.05 * max(map(_largest, series))
        for axes, each, one in zip(row, drawn, series, strict=True):
            _draw_lines(axes, each, one, 1.0)
            _scale(axes, high, 1.0 if _is_wide(series) else None)
        row[0].set_ylabel(label)
    for axes, each in zip(grid[-1], drawn, strict=True):
        if each.seconds:
            _draw_times(axes, each)
        elif timed:
            axes.text(0.5, 0.5, "no times", ha="center", transform=axes.transAxes, color=_GREY)
            axes.set_yticks([])
        span, shown = int(np.diff(each.edges).max()), "and range " if each.joined > 1 else ""
        axes.set_xlabel("round" + (f" (each step: mean {shown}of {span:,})" if span > 1 else ""))
        axes.set_xlim(each.edges[0], each.edges[-1])
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.xaxis.set_major_formatter("{x:,.0f}")
    for axes, trace, name in zip(grid[0], traces, names, strict=True):
        totals = trace.totals()
        lines = [] if len(traces) > 1 and _common_graph(traces) else [_graph(trace)]
        time = totals_as_text(totals)["time"]
        lines += [headline(totals), f"traced in {time}" if time else ""]
        wrapped = wrap(name, 100 if len(traces) == 1 else 42)
        _write_title(
            axes, "\n".join(wrapped) or " ", [picture_text(line) for line in lines if line]
        )
    for axes in grid.flat:
        _tidy(axes)
    figure.align_ylabels()


def _write_title(axes: Any, name: str, lines: list[str]) -> None:
    """Write a name in bold and lines below it, all above the panel and its legend."""
    room = "\n".join([*" " * (name.count("\n") + 1), *lines])
    axes.set_title(
        room, fontsize=9.5, pad=24, linespacing=1.25, color=INK, loc="left", parse_math=False
    )
    axes.annotate(
        name, (0, 1), xytext=(0, 24 + 9.5 * 1.25 * len(lines) * 1.17), xycoords="axes fraction",
        textcoords="offset points", va="bottom", fontsize=11, fontweight="bold", color=INK,
        parse_math=False, annotation_clip=False,
    )  # fmt: skip


def _tidy(axes: Any) -> None:
    axes.grid(visible=True, color="#E6E6E6", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _scale(axes: Any, high: float, threshold: float | None) -> None:
    """Scale an axis from 0 on: linear, or logarithmic above a threshold."""
    if threshold is None:
        axes.set_ylim(0, high or 1)
        axes.yaxis.set_major_formatter(_plain)
        return
    axes.set_yscale("symlog", linthresh=threshold, linscale=1)
    axes.set_ylim(0, 2 * high)
    least, most = np.floor(np.log10(threshold)), np.ceil(np.log10(high))
    decades = np.arange(least, most + 1, max(1, (most - least) // 4))
    axes.set_yticks([0, *(10.0**decades)])
    axes.yaxis.set_major_formatter(_plain)


def _plain(value: float, _: int | None = None) -> str:
    """Return a short text for the number of a tick: ``0.25``, ``2,500``, ``10k``, ``1.5M``."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= max(size, 1e4):
            return f"{value / size:,.10g}{letter}"
    return f"{value:,.0f}" if value >= 1000 else f"{value:g}"


def _styles(names: Iterable[str]) -> dict[str, str]:
    """Return a colour for each name: its usual one, else an unused one."""
    names = list(names)
    taken = {_USUAL[name] for name in names if name in _USUAL}
    free = cycle([colour for colour in _COLOURS if colour not in taken] or _COLOURS)
    return {name: _USUAL.get(name) or next(free) for name in names}


def _draw_lines(axes: Any, rounds: Rounds, series: dict[str, StepSummary], scale: float) -> None:
    styles = _styles(series)
    lines = cycle(_LINES if len(rounds.edges) < _DASHED else "-")
    for order, (name, line) in enumerate(zip(series, lines, strict=False)):
        steps, colour = series[name], styles[name]
        if rounds.joined > 1:
            axes.stairs(
                steps.high * scale,
                rounds.edges,
                baseline=steps.low * scale,
                fill=True,
                color=colour,
                alpha=0.22,
                linewidth=0,
            )
        elif order == 0:
            axes.stairs(steps.mean * scale, rounds.edges, fill=True, color=colour, alpha=0.18)
        axes.stairs(
            steps.mean * scale,
            rounds.edges,
            baseline=None,
            color=colour,
            linestyle=line,
            linewidth=1.5,
            label=name,
            zorder=3 + order,
        )
    _add_legend(axes)


def _draw_times(axes: Any, rounds: Rounds) -> None:
    """Draw the times of the steps, stacked, or as separate lines if rounds differ widely."""
    series = rounds.seconds
    unit, factor = _unit(_largest(series))
    axes.set_ylabel(f"time a round ({unit})")
    if _is_wide([series]):
        _draw_lines(axes, rounds, series, factor)
        threshold = 10.0 ** np.floor(np.log10(_positive([series]).min() * factor))
        _scale(axes, _largest(series) * factor, threshold)
        return
    _draw_stack(axes, rounds, series, factor)
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(_plain)


def _draw_stack(axes: Any, rounds: Rounds, series: dict[str, StepSummary], scale: float) -> None:
    styles = _styles(series)
    base = np.zeros(len(rounds.edges) - 1)
    for name, steps in series.items():
        top = base + steps.mean * scale
        axes.stairs(top, rounds.edges, baseline=base, fill=True, color=styles[name], label=name)
        axes.stairs(top, rounds.edges, baseline=None, color="white", linewidth=0.4)
        base = top
    _add_legend(axes)


def _add_legend(axes: Any) -> None:
    """Add a legend above the panel."""
    handles, labels = axes.get_legend_handles_labels()
    if not handles:
        return
    legend = axes.legend(
        handles, labels, loc="lower left", bbox_to_anchor=(0, 1.0), ncols=4, frameon=False,
        borderaxespad=0.2, handlelength=2.2, columnspacing=1.2, fontsize=9,
    )  # fmt: skip
    for text in legend.get_texts():
        text.set_parse_math(False)


def _largest(series: dict[str, StepSummary]) -> float:
    return max((float(steps.high.max()) for steps in series.values()), default=0.0)


def _positive(series: Iterable[dict[str, StepSummary]]) -> Any:
    """Return all drawn values above zero."""
    values = [steps.mean for each in series for steps in each.values()]
    together = np.concatenate([*values, np.empty(0)])
    return together[together > 0]


def _is_wide(series: Sequence[dict[str, StepSummary]]) -> bool:
    """Return whether small values would be invisible on a linear axis."""
    values = _positive(series)
    return bool(len(values) and values.max() > _WIDE_RANGE * np.quantile(values, 0.1))


def _unit(seconds: float) -> tuple[str, float]:
    if seconds < 0.9995e-3:
        return "us", 1e6
    return ("ms", 1e3) if seconds < 0.9995 else ("s", 1.0)


def _draw_comparison(figure: Any, totals: Sequence[TraceTotals], names: Sequence[str]) -> None:
    """Draw time, then work and rounds against parallelism; the bars' names are the legend."""
    time, work, rounds = figure.subplots(1, 3, width_ratios=(1.5, 1, 1))
    timed = any(one.seconds for one in totals)
    unit, factor = _unit(max(one.seconds for one in totals))
    letters = int(4.9 * figure.bbox.width / figure.dpi)  # what fits above a bar
    for at, (one, colour, marker) in enumerate(
        zip(totals, cycle(_COLOURS), cycle(_MARKERS), strict=False)
    ):
        look = {
            "color": colour,
            "marker": marker,
            "markersize": 8,
            "markeredgecolor": "white",
            "linestyle": "none",
        }
        spent = one.seconds * factor
        time.barh(at, spent, color=colour, height=0.3, alpha=0.45)
        said = f": {units.seconds(one.seconds)}" if one.seconds else ": no times" if timed else ""
        time.annotate(
            f"{_cut(names[at], letters)}{said}",
            (0, at - 0.18),
            xytext=(3, 1),
            textcoords="offset points",
            va="bottom",
            fontsize=8,
            color=INK,
            parse_math=False,
            in_layout=False,
        )
        time.plot(spent, at, **look, clip_on=False, zorder=4)
        if one.work_ratio:
            work.plot(one.mean_parallelism, one.work_ratio, **look)
        rounds.plot(one.mean_parallelism, one.rounds, **look)
    time.set_yticks([])
    time.set_ylim(max(len(names), 4) - 0.6, -0.7)
    time.set_xlim(0, None if timed else 1)
    time.set_xlabel(f"time, traced ({unit})")
    work.axhline(1, color=_GREY, linewidth=0.8, linestyle=":")
    for axes, label in ((work, "work over Dijkstra's"), (rounds, "rounds")):
        axes.set_xlabel("vertices a round")
        axes.set_ylabel(label)
        axes.margins(0.15)
        _scale_by_decades(axes)
    for axes in (time, work, rounds):
        _tidy(axes)
    if not timed:
        time.set_axis_off()


def _cut(name: str, most: int) -> str:
    return name if len(name) <= most else f"{name[: most - 3]}..."


def _scale_by_decades(axes: Any) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        set_log_ticks(axis, _plain)
