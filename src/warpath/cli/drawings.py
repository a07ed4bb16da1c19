"""plot: pictures of searches on a map, of traced runs, and of the effect of delta."""
# Annotations are read at run time: no postponed evaluation.

import dataclasses
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from warpath.api import calls
from warpath.base import units
from warpath.base.progress import watch
from warpath.cli import options as shared
from warpath.cli import saving
from warpath.cli.options import Showing, Snapping, VertexSolving, argument, check_solving, option
from warpath.cli.output import NamedValues, Report, TableRows, titled
from warpath.cli.reading import Loaded, load, numbers
from warpath.cli.searches import find_route
from warpath.planner.kinds import device_names
from warpath.results.names import names_of
from warpath.results.trace import Trace

_COLUMNS = ("trace", "algorithm", "device", "rounds", "parallelism", "work", "MTEPS", "time")


def tree(
    *,
    options: VertexSolving,
    source: str = shared.PLACE,
    out: Path = shared.PICTURE,
    target: str | None = option("Also draw the route to this vertex.", "--target", "-t"),
    cutoff: float | None = shared.CUTOFF,
    theme: str = shared.THEME,
) -> None:
    """Draw the shortest-path tree of one source, coloured by distance.

    Example: [cyan]warpath plot tree roads.gr.gz --source 1 --target 1000 -o tree.png[/]
    """
    loaded = _load(options, [source, target], "the tree")
    paths = loaded.solve("sssp", loaded.vertex(source), cutoff=cutoff)
    route = None if target is None else paths.path_to(loaded.vertex(target, along=False))
    _report("tree", loaded, paths, out, partial(paths.plot, route=route, theme=theme))


def route(
    *,
    options: VertexSolving,
    source: str = shared.VERTEX,
    target: str = shared.VERTEX,
    out: Path = shared.PICTURE,
    theme: str = shared.THEME,
) -> None:
    """Draw one shortest path over the network around it.

    Example: [cyan]warpath plot route roads.gr.gz 1 1000 -o route.png[/]
    """
    loaded = _load(options, [source, target], "the route")
    found = find_route(loaded, source, target)
    _report("route", loaded, found, out, partial(found.plot, theme=theme))


def within(
    *,
    options: VertexSolving,
    source: str = shared.PLACE,
    cutoff: str = shared.CUTOFFS,
    out: Path = shared.PICTURE,
    reverse: bool = shared.TO_SOURCE,
    theme: str = shared.THEME,
) -> None:
    """Draw isochrones: the parts of the network within given distances of a vertex.

    Example: [cyan]warpath plot within roads.gr.gz --source 1 --cutoff 500,1000 -o near.png[/]
    """
    loaded = _load(options, [source], "what lies within")
    start, cutoffs = loaded.vertex(source), numbers(cutoff, "--cutoff")
    found = loaded.solve("within", start, cutoffs, reverse=reverse)
    _report("within", loaded, found, out, partial(found.plot, theme=theme))


def nearest(
    *,
    options: VertexSolving,
    facilities: str = shared.FACILITIES,
    out: Path = shared.PICTURE,
    reverse: bool = shared.TO_FACILITIES,
    cutoff: float | None = shared.CUTOFF,
    theme: str = shared.THEME,
) -> None:
    """Draw the network in the colours of the nearest of several facilities.

    Example: [cyan]warpath plot nearest roads.gr.gz --facilities 1,500,900 -o areas.png[/]
    """
    loaded = _load(options, [facilities], "the areas")
    found = loaded.solve("nearest", loaded.listed(facilities), reverse=reverse, cutoff=cutoff)
    _report("nearest", loaded, found, out, partial(found.plot, theme=theme))


def frontier(
    *,
    options: VertexSolving,
    source: str = shared.PLACE,
    out: Path = option(
        "An animation (.gif), a folder for its frames (no suffix), or one picture of all steps "
        "(.png, .svg, .pdf).",
        "--out",
        "-o",
        default=...,
    ),
    frames: int | None = option("Number of steps.", min=1, max=400),
    width: float | None = option("Width of a step, instead of --frames."),
    by: str | None = option(
        "Steps of equal [bold]distance[/], of [bold]hops[/], or the [bold]rounds[/] of the "
        "algorithm with the vertices that each selects. By default rounds for an --algorithm in "
        "rounds, else distance."
    ),
    theme: str = shared.THEME,
) -> None:
    """Draw the spread of a search, step by step.

    Example: [cyan]warpath plot frontier roads.gr.gz --source 1 -o search.gif[/]
    """
    from warpath.plot import plot_frontier

    if out.suffix:
        saving.check(out, (*saving.PICTURES, ".gif"), "-o")
    loaded = _load(options, [source], "the frontier")
    paths = loaded.solve("sssp", loaded.vertex(source))
    name = names_of(paths, np.array([paths.source_index]))[0]
    if by is None:
        requested = options.algorithm != "auto" and paths.plan is not None
        in_rounds = requested and paths.plan.recipe.axes is not None and width is None
        by = "rounds" if in_rounds else "distance"
    steps: dict[str, Any] = {"frames": frames, "width": width, "by": by}
    draw = partial(plot_frontier, paths, **steps, source=name, theme=theme)
    _report("frontier", loaded, paths, out, draw)


def delta(
    *,
    options: Snapping,
    source: str = shared.PLACE,
    out: Path = shared.PICTURE,
    algorithms: str = option(
        "Algorithms with a delta, like one,other.",
        "--algorithms",
        "-a",
        default="warpath.buckets,classic.delta_stepping",
    ),
    device: str = option(
        f"{device_names(auto=True, quoted=False)}.", "--device", "-d", default="auto"
    ),
    threads: int | None = shared.THREADS,
    repeats: int = option("Solves for each delta.", min=1, default=5),
    theme: str = shared.THEME,
) -> None:
    """Draw time, work and rounds over delta, the width of the buckets of a search.

    Delta ranges from 1/64 of the default of an algorithm to 64 times the default.

    Example: [cyan]warpath plot delta roads.gr.gz --source 1 -o delta.png[/]
    """
    from warpath.plot import plot_sweep
    from warpath.plot.sweep import delta_sweep

    names = [name.strip() for name in algorithms.split(",")]
    for name in names:
        check_solving(name, device)
    loaded = load(options, [source], prepared=False)
    start = loaded.vertex(source, along=False)
    solve = partial(calls.sssp, device=device, threads=threads)
    sweep = partial(delta_sweep, solve, loaded.graph, start)
    sweeps = []
    for name in names:
        with watch(options.progress, name) as report:
            sweeps.append(sweep(name, repeats=repeats, report=report))
    timed = any(each.best for each in sweeps)
    title = f"{titled(options.graph.name, loaded.graph)}, from {source}"
    title += f", median of {repeats} solves" if timed else ", counted by the emulator"
    shown = Report("plot delta", options, graph=str(options.graph), source=source, sweeps=sweeps)
    rows = []
    for each in sweeps:
        rows.append([each.algorithm, units.digits(each.default)])
        if each.best is not None and each.best.seconds is not None:
            rows[-1] += [units.digits(each.best.delta), units.seconds(each.best.seconds)]
    heads = ("algorithm", "its delta", *(("fastest delta", "time") if timed else ()))
    draw = partial(plot_sweep, sweeps, title=title, theme=theme)
    _show_drawn(shown, TableRows(heads, rows, data=False), out, draw)


def trace(
    *,
    files: list[Path] = argument("Files saved by sssp --trace: .jsonl.", metavar="TRACE"),
    out: Path = shared.PICTURE,
    showing: Showing,
) -> None:
    """Draw the rounds of a traced run, or compare several runs.

    One trace: selected and waiting vertices, edges read and time, over the rounds.
    Several: side by side (up to four), and time, work and rounds against parallelism.
    Work is edges read, divided by those of Dijkstra's algorithm, parallelism vertices per round.

    Example: [cyan]warpath plot trace near_far.jsonl sweep.jsonl -o trace.png[/]
    """
    from warpath.plot import plot_trace

    traces = [Trace.load(file) for file in files]
    report = Report("plot trace", showing, traces=[])
    rows = []
    for file, each in zip(files, traces, strict=True):
        total, run = each.totals(), each.run and dataclasses.asdict(each.run)
        report.document["traces"].append({"file": file, "run": run, **dataclasses.asdict(total)})
        made = [run and run[name] for name in ("algorithm", "device")]
        numbers = (total.mean_parallelism, total.work_ratio, total.mteps)
        texts = [None if number is None else units.digits(number) for number in numbers]
        took = units.seconds(total.seconds) if total.seconds else None
        rows.append([file.name, *made, total.rounds, *texts, took])
    _show_drawn(report, TableRows(_COLUMNS, rows, data=False), out, partial(plot_trace, traces))


COMMANDS = (tree, route, within, nearest, frontier, trace, delta)


def _show_drawn(report: Report, table: TableRows, out: Path, draw: Callable[[Path], Any]) -> None:
    """Draw a picture, and print a report with a table above the path of the picture."""
    report.add_file("plot", out, "drawn to", draw)
    report.parts = [table, NamedValues(report.facts)]
    report.show(facts=False)


def _load(options: VertexSolving, named: list[str | None], what: str) -> Loaded:
    loaded = load(options, named)
    loaded.require_coordinates(what)
    return loaded


def _report(
    command: str, loaded: Loaded, result: Any, out: Path, draw: Callable[[Path], Any]
) -> None:
    """Draw a picture of a result, and print what was drawn."""
    report = loaded.report(f"plot {command}")
    report.document["algorithm"] = result.plan.algorithm
    report.document["seconds"] = {"read": loaded.seconds["read"]}
    report.facts["plan"] = result.plan.headline()
    report.add_file("plot", out, "drawn to", draw)
    report.show()
