"""The pictures of a report: ratios to the best peer, scaling, threads, work and parallelism."""

from __future__ import annotations

from math import inf
from statistics import geometric_mean
from typing import TYPE_CHECKING

from warpath_bench.charts import Point, curves, dots, panels, plane

if TYPE_CHECKING:
    from collections.abc import Container
    from pathlib import Path

    from warpath_bench.report_lines import Machine

_PANELS = 6  # maximum number of families in a picture
MANY = 12  # from more graphs than this on, they share the rows of tables and pictures


def draw(
    machine: Machine, folder: Path, name: str, only: Container[str] | None = None
) -> dict[str, Path]:
    """Draw all charts, or those named, for which a machine has lines; return title -> file."""
    ways = {
        "ratios": ("Ours against the best peer", _ratios),
        "sizes": ("Time per edge over the number of vertices", _sizes),
        "threads": ("Speed-up with threads", _threads),
        "work": ("Work and rounds against parallelism", _work),
    }
    found = {}
    for suffix, (title, way) in ways.items():
        path = folder / f"{name}-{suffix}.png"
        if (only is None or suffix in only) and way(machine, path):
            found[title] = path
    return found


def _ratios(machine: Machine, path: Path) -> bool:
    """Draw a row for each case; with many graphs, points over the number of vertices."""
    series: dict[str, dict[str, float]] = {}
    points: dict[str, list[tuple[float, float]]] = {}
    ratios = machine.ratios()
    for ratio in ratios:
        threads = f"{ratio.threads} thread{'s' * (ratio.threads > 1)}"
        series.setdefault(threads, {})[str(ratio.case)] = ratio.times
        place = machine.size(ratio.case.graph)[0], ratio.times
        points.setdefault(ratio.kind, []).append(place)
    title = "times as fast as the best peer (above 1: ours is faster)"
    if len({ratio.case.graph for ratio in ratios}) > MANY:
        plane(path, points, "vertices", [title])
    elif series:
        dots(path, series, title, level=1.0)
    return bool(series)


def _sizes(machine: Machine, path: Path) -> bool:
    """Draw time per edge over n, without trees: a chart for each family with several sizes.

    A family is the first word of a graph's name. If no family has several sizes, all graphs are
    points of one chart.
    """
    families: dict[str, dict[str, dict[int, float]]] = {}
    for case in machine.cases():
        n, m = machine.size(case.graph)
        for solver, threads in machine.solvers():
            spread = None if case.tree else machine.spread(case, solver, threads)
            if spread is not None and m:
                family, _, _ = case.graph.partition(" ")
                name = f"{solver}, {threads}"
                at = families.setdefault(family, {}).setdefault(name, {})
                at[n] = min(at.get(n, inf), 1e6 * spread.mid / m)
    several = {
        family: {
            name: [Point(n, y, y, y) for n, y in sorted(found.items())]
            for name, found in series.items()
            if len(found) > 1
        }
        for family, series in families.items()
    }
    rows = [(f"{family}: ns per edge", series) for family, series in several.items() if series]
    if rows:
        panels(path, rows[:_PANELS], "vertices")
    elif families:
        every: dict[str, list[tuple[float, float]]] = {}
        for series in families.values():
            for name, found in series.items():
                every.setdefault(name, []).extend(found.items())
        plane(path, every, "vertices", ["time per edge (ns)"])
    return bool(families)


def _threads(machine: Machine, path: Path) -> bool:
    """Draw the geometric mean of speedups over the cases, in a band from least to largest."""
    series = {}
    for solver, by_threads in machine.speedups().items():
        points = [Point(1, 1, 1, 1)]
        for threads, gains in sorted(by_threads.items()):
            values = list(gains.values())
            points.append(Point(threads, geometric_mean(values), min(values), max(values)))
        series[solver] = points
    if series:
        most = max(point.x for points in series.values() for point in points)
        series["as many times"] = [Point(x, x, x, x) for x in (1, most)]
        curves(path, series, "threads", "times as fast as on one thread")
    return bool(series)


def _work(machine: Machine, path: Path) -> bool:
    found = machine.works()
    work = {name: [(many, share) for many, share, _ in at] for name, at in found.items()}
    rounds = {
        name: [(many, made) for many, _, made in at if made]
        for name, at in found.items()
        if any(made for *_, made in at)
    }
    if work:
        others = [rounds] if rounds else []
        plane(
            path,
            work,
            "vertices a round",
            ("edges read / Dijkstra's", "rounds")[: 1 + len(others)],
            others,
        )
    return bool(work)
