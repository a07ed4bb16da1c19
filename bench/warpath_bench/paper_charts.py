"""The pictures of a paper's report: one or several for each figure, depending on its `chart`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warpath_bench.charts import Mark, Point, dots, panels, plane
from warpath_bench.paper_results import short

if TYPE_CHECKING:
    from pathlib import Path

    from warpath_bench.experiments import Figure
    from warpath_bench.paper_results import Results

_AXES = {
    "ms": "time (ms)",
    "mteps": "edges of Dijkstra's a second (millions)",
    "work": "edges read / Dijkstra's",
    "parallelism": "vertices a round",
    "rounds": "rounds",
}


def draw(results: Results, figure: Figure, stem: Path) -> list[Path]:
    """Draw a figure into files whose names begin with a stem; none if there are no lines."""
    if not results.recipes(figure):
        return []
    way = {"time": _time, "speedup": _time, "work": _work, "rounds": _rounds, "delta": _delta}.get(
        figure.chart
    )
    return [] if way is None else way(results, figure, stem)


def _time(results: Results, figure: Figure, stem: Path) -> list[Path]:
    study, path = results.study(figure), stem.with_name(f"{stem.name}.png")
    base = figure.baseline if figure.chart == "speedup" else ""
    title = f"times faster than {short(base, study)}" if base else _AXES[figure.key]
    level = 1.0 if base else None
    sized = len(study.graphs) == 1 and len(results.labels(study)) > 2
    points = _points(results, figure, base)
    if not any(points.values()):
        return []
    marks = [
        Mark(one.graph, one.number, f"the paper: {one.what}, {one.value}")
        for one in figure.published
        if one.number is not None and one.graph in results.labels(study)
    ]
    if sized:
        series = {
            name: [point for _, point in sorted(values.items(), key=lambda kept: kept[1].x)]
            for name, values in points.items()
        }
        panels(path, [(title, series)], "vertices", level=level)
    else:
        rows = {
            name: {label: p.y for label, p in values.items()} for name, values in points.items()
        }
        dots(path, rows, title, level=level, marks=marks)
    return [path]


def _points(results: Results, figure: Figure, base: str) -> dict[str, dict[str, Point]]:
    """Return series -> graph -> value; with a baseline, the speedup over it."""
    study = results.study(figure)
    found: dict[str, dict[str, Point]] = {}
    for recipe in results.recipes(figure):
        mine: dict[str, Point] = {}
        for label in results.labels(study):
            spread = results.spread(study, label, recipe, figure.key)
            x = results.size(study, label)
            over = results.mid(study, label, base, figure.key) if base else None
            if spread is None or x is None or (base and over is None):
                continue
            values = (spread.mid, spread.low, spread.high)
            if over is not None:
                values = over / spread.mid, over / spread.high, over / spread.low
            mine[label] = Point(x, *values)
        if mine and recipe != base:
            found[short(recipe, study)] = mine
    return found


def _work(results: Results, figure: Figure, stem: Path) -> list[Path]:
    """Draw work and rounds against parallelism, a point for each graph."""
    study, path = results.study(figure), stem.with_name(f"{stem.name}.png")
    work: dict[str, list[tuple[float, float]]] = {}
    rounds: dict[str, list[tuple[float, float]]] = {}
    for recipe in results.recipes(figure):
        for label in results.labels(study):
            many, share, made = (
                results.mid(study, label, recipe, key) for key in ("parallelism", "work", "rounds")
            )
            if many and share and made:
                work.setdefault(short(recipe, study), []).append((many, share))
                rounds.setdefault(short(recipe, study), []).append((many, made))
    if not work:
        return []
    plane(path, work, _AXES["parallelism"], (_AXES["work"], "rounds"), [rounds])
    return [path]


def _rounds(results: Results, figure: Figure, stem: Path) -> list[Path]:
    """Draw the counts of each round, in a picture for each graph."""
    study, paths = results.study(figure), []
    for at, label in enumerate(results.labels(study)):
        sizes: dict[str, list[Point]] = {}
        edges: dict[str, list[Point]] = {}
        for recipe in results.recipes(figure):
            lines = (line for line in results.of(study, label, recipe) if "each_round" in line)
            for key, values in next(lines, {"each_round": {}})["each_round"].items():
                points = [Point(x, y, y, y) for x, y in enumerate(values)]
                if key == "read":
                    edges[short(recipe, study)] = points
                elif key == "selected" or (key == "far" and any(values)):
                    sizes[f"{short(recipe, study)}: {key}"] = points
        if sizes:
            path = stem.with_name(f"{stem.name}-{at + 1}.png")
            panels(path, [("vertices", sizes), ("edges read", edges)], f"round, {label}")
            paths.append(path)
    return paths


def _delta(results: Results, figure: Figure, stem: Path) -> list[Path]:
    """Draw time, work and parallelism over delta: a picture per recipe, a curve per graph."""
    study, paths = results.study(figure), []
    for at, recipe in enumerate(results.recipes(figure)):
        rows = []
        for key in ("ms", "work", "parallelism"):
            series = {
                label: [
                    Point(factor, value, value, value)
                    for factor in study.factors
                    if factor is not None
                    and (value := results.mid(study, label, recipe, key, factor)) is not None
                ]
                for label in results.labels(study)
            }
            series = {label: points for label, points in series.items() if points}
            rows += [(_AXES[key], series)] if series else []
        if rows:
            path = stem.with_name(f"{stem.name}-{at + 1}.png")
            panels(path, rows, f"delta / (32 w / d), {short(recipe, study)}")
            paths.append(path)
    return paths
