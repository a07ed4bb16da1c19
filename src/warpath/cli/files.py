"""convert, prepare and generate: write graph files."""
# Annotations are read at run time: no postponed evaluation.

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

from warpath.api import calls
from warpath.base import units
from warpath.cli import output, saving
from warpath.cli.generators import arguments_of, describe_kind, list_kinds
from warpath.cli.options import THREADS, Reading, Showing, argument, flag, option
from warpath.cli.output import Report
from warpath.cli.reading import load, pairs
from warpath.cli.reporting import UsageError, busy, tell
from warpath.engines.hierarchy import arcs_of
from warpath.graph import Graph
from warpath.graph.zones import opened
from warpath.io.formats import left_out, write


def convert(
    *,
    options: Reading,
    out: Path = argument(
        "The file to write: .gr, .mtx, .wel, .npz, .parquet, ...; compressed by a second suffix "
        ".gz, .xz, .bz2 or .zst.",
        metavar="OUT",
    ),
    format_out: str | None = option("The format to write, if the suffix of OUT is not enough."),
    option_out: list[str] | None = option(
        "An option of the writer, e.g. labels=drop.", metavar="KEY=VALUE"
    ),
) -> None:
    """Read a graph in one format and write it in another.

    An existing file OUT is replaced. If writing fails, no partial file is left.

    Example: [cyan]warpath convert roads.gr.gz roads.npz[/]
    """
    saving.check_folder(out)
    loaded = load(options, prepared=False)
    settings = pairs(option_out, "--option-out")
    report = loaded.report("convert")
    report.facts["read"] = report.facts.pop("graph")
    _write(report, loaded.graph, out, loaded.seconds, format=format_out, **settings)


def prepare(
    *,
    options: Reading,
    out: Path = option("The file to write: .wph.", "--out", "-o", default=...),
    threads: int | None = THREADS,
) -> None:
    """Prepare a graph for many routes, trips and tables, and save it with its hierarchy.

    Every command that reads a graph takes the file and searches in the hierarchy where that is
    predicted to be faster. Weights must be 0 or more; road networks and meshes can be prepared,
    social networks cannot.

    Example: [cyan]warpath prepare roads.gr.gz -o roads.wph[/]
    """
    saving.check(out, saving.PREPARED)
    loaded = load(options, prepared=False)
    roads = loaded.graph
    with loaded.timed("prepare"):
        solver = calls.prepare(roads, threads=threads, progress=options.progress)
    up, down = arcs_of(opened(roads))
    report = loaded.report("prepare")
    hierarchy = f"{output.count(up)} arcs up, {output.count(down)} down"
    report.add("arcs", {"up": up, "down": down}, "hierarchy", hierarchy)
    _report_written(report, out, loaded.seconds, solver.save)


def generate(
    *,
    context: typer.Context,
    showing: Showing,
    kind: str | None = argument("What to generate: grid, road, rmat, ...", default=None),
    out: Path | None = option("The file to write, its format by suffix.", "--out", "-o"),
    seed: int = option("The same seed gives the same graph.", default=0),
    parameter: list[str] | None = option(
        "The same as --NAME VALUE.", "--parameter", "-p", metavar="NAME=VALUE"
    ),
    list_them: bool = flag("List the kinds, or the parameters of one.", "--list"),
) -> None:
    """Generate a graph of a well-known kind, the same on every machine, and write it.

    The parameters of a kind are options: [bold]warpath generate grid --list[/] lists them.

    Example: [cyan]warpath generate grid --rows 100 --columns 100 -o grid.gr[/]
    """
    if kind is None or list_them:
        rest = context.args or parameter or out
        if kind is None and rest and not list_them:
            raise UsageError("a KIND is needed: `warpath generate --list` lists them.")
        report = Report("generate", showing)
        list_kinds(report) if kind is None else describe_kind(report, kind)
        report.show()
        return
    function, arguments = arguments_of(kind, context.args, pairs(parameter, "--parameter"))
    if out is None:
        raise UsageError("-o FILE is needed, for example -o graph.npz.")
    saving.check_folder(out)
    start = time.perf_counter()
    with busy(f"generating {kind}", showing):
        made = function(**arguments, seed=seed)
    seconds = {"generate": time.perf_counter() - start}
    report = Report("generate", showing, kind=kind, arguments={**arguments, "seed": seed})
    report.document |= {"n": made.n, "m": made.m}
    report.facts["generated"] = (
        f"{made.name or kind}, seed {seed}: n = {output.count(made.n)} vertices, "
        f"m = {output.count(made.m)} edges"
    )
    _write(report, made, out, seconds)


def _write(
    report: Report, graph: Graph, out: Path, seconds: dict[str, float], **options: Any
) -> None:
    """Write a graph, and print the report of it."""
    _report_written(report, out, seconds, lambda file: write(graph, file, **options))
    if said := left_out(graph, out, options.get("format")):
        tell(said)


def _report_written(
    report: Report, out: Path, seconds: dict[str, float], write: Callable[[Path], Any]
) -> None:
    """Write a file, add its size and the time to a report, and print the report."""

    def timed(file: Path) -> str:
        start = time.perf_counter()
        write(file)
        seconds["write"] = time.perf_counter() - start
        return f"{file}, {units.size(file.stat().st_size)}"

    report.add_file("out", out, "written", timed)
    report.document["bytes"] = out.stat().st_size
    report.add_seconds(seconds)
    report.show()
