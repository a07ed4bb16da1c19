"""convert, prepare and generate: write graph files."""
# Annotations are read at run time: no postponed evaluation.

import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from warpath.api import prepare as preparing
from warpath.base import units
from warpath.base.escaping import visible
from warpath.cli import output, saving
from warpath.cli.generators import arguments_of, detail, listing
from warpath.cli.options import GraphFile, Reading, Showing, Threads
from warpath.cli.output import NamedValues
from warpath.cli.reading import load, pairs
from warpath.cli.reporting import UsageError, busy
from warpath.engines.hierarchy import arcs_of
from warpath.graph import Graph
from warpath.graph.zones import opened
from warpath.io.formats import left_out, write


def convert(
    *,
    graph: GraphFile,
    out: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help="The file to write: .gr, .mtx, .wel, .npz, .parquet, ...; compressed by a second "
            "suffix .gz, .xz, .bz2 or .zst.",
            show_default=False,
        ),
    ],
    reading: Reading,
    showing: Showing,
    format_out: Annotated[
        str | None,
        typer.Option(
            "--format-out", help="The format to write, if the suffix of OUT is not enough."
        ),
    ] = None,
    option_out: Annotated[
        list[str] | None,
        typer.Option(
            "--option-out", metavar="KEY=VALUE", help="An option of the writer, e.g. labels=drop."
        ),
    ] = None,
) -> None:
    """Read a graph in one format and write it in another.

    An existing file OUT is replaced. If writing fails, no partial file is left.

    Example: [cyan]warpath convert roads.gr.gz roads.npz[/]
    """
    saving.check_folder(out)
    loaded = load(graph, reading, showing, prepared=False)
    options = pairs(option_out, "--option-out")
    with busy(f"writing {out.name}", showing):
        seconds = _write(loaded.graph, out, format_out, options)
    document = {
        "command": "convert",
        "graph": str(graph),
        "out": str(out),
        "n": loaded.graph.n,
        "m": loaded.graph.m,
        "bytes": out.stat().st_size,
        "seconds": {"read": loaded.seconds, "write": seconds},
    }
    shown = {
        "read": output.titled(graph, loaded.graph),
        "written": f"{out}, {units.size(out.stat().st_size)}",
        "time": f"{units.seconds(loaded.seconds)} reading, {units.seconds(seconds)} writing",
    }
    output.show(document, NamedValues(shown), as_json=showing.as_json)


def prepare(
    *,
    graph: GraphFile,
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="The file to write: .wph.", show_default=False),
    ],
    reading: Reading,
    showing: Showing,
    threads: Threads = None,
) -> None:
    """Prepare a graph for many routes, trips and tables, and save it with its hierarchy.

    Every command that reads a graph takes the file and searches in the hierarchy where that is
    predicted to be faster. Weights must be 0 or more; road networks and meshes can be prepared,
    social networks cannot.

    Example: [cyan]warpath prepare roads.gr.gz -o roads.wph[/]
    """
    saving.check(out, saving.PREPARED)
    loaded = load(graph, reading, showing, prepared=False)
    roads = loaded.graph
    start = time.perf_counter()
    solver = preparing.prepare(roads, threads=threads, progress=showing.progress)
    seconds = time.perf_counter() - start
    with busy(f"writing {out.name}", showing):
        start = time.perf_counter()
        solver.save(out)
        written = time.perf_counter() - start
    up, down = arcs_of(opened(roads))
    document = {
        "command": "prepare",
        "graph": str(graph),
        "out": str(out),
        "n": roads.n,
        "m": roads.m,
        "arcs": {"up": up, "down": down},
        "bytes": out.stat().st_size,
        "seconds": {"read": loaded.seconds, "prepare": seconds, "write": written},
    }
    shown = {
        "graph": output.titled(graph, roads),
        "hierarchy": f"{output.count(up)} arcs up, {output.count(down)} down",
        "written": f"{out}, {units.size(out.stat().st_size)}",
        "time": f"{units.seconds(loaded.seconds)} reading, {units.seconds(seconds)} preparing, "
        f"{units.seconds(written)} writing",
    }
    output.show(document, NamedValues(shown), as_json=showing.as_json)


def generate(
    *,
    context: typer.Context,
    showing: Showing,
    kind: Annotated[
        str | None,
        typer.Argument(help="What to generate: grid, road, rmat, ...", show_default=False),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The file to write, its format by suffix."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same graph.")] = 0,
    parameter: Annotated[
        list[str] | None,
        typer.Option("--parameter", "-p", metavar="NAME=VALUE", help="The same as --NAME VALUE."),
    ] = None,
    list_them: Annotated[
        bool, typer.Option("--list", help="List the kinds, or the parameters of one.")
    ] = False,
) -> None:
    """Generate a graph of a well-known kind, the same on every machine, and write it.

    The parameters of a kind are options: [bold]warpath generate grid --list[/] lists them.

    Example: [cyan]warpath generate grid --rows 100 --columns 100 -o grid.gr[/]
    """
    if kind is None or list_them:
        rest = context.args or parameter or out
        if kind is None and rest and not list_them:
            raise UsageError("a KIND is needed: `warpath generate --list` lists them.")
        document, part = listing() if kind is None else detail(kind)
        output.show(document, part, as_json=showing.as_json)
        return
    function, arguments = arguments_of(kind, context.args, pairs(parameter, "--parameter"))
    if out is None:
        raise UsageError("-o FILE is needed, for example -o graph.npz.")
    saving.check_folder(out)
    start = time.perf_counter()
    with busy(f"generating {kind}", showing):
        made = function(**arguments, seed=seed)
    seconds = time.perf_counter() - start
    with busy(f"writing {out.name}", showing):
        written = _write(made, out, None, {})
    document = {
        "command": "generate",
        "kind": kind,
        "arguments": {**arguments, "seed": seed},
        "out": str(out),
        "n": made.n,
        "m": made.m,
        "bytes": out.stat().st_size,
        "seconds": {"generate": seconds, "write": written},
    }
    shown = {
        "generated": f"{made.name or kind}, seed {seed}: n = {output.count(made.n)} vertices, "
        f"m = {output.count(made.m)} edges",
        "written": f"{out}, {units.size(out.stat().st_size)}",
        "time": f"{units.seconds(seconds)} generating, {units.seconds(written)} writing",
    }
    output.show(document, NamedValues(shown), as_json=showing.as_json)


def _write(graph: Graph, out: Path, name: str | None, options: dict[str, Any]) -> float:
    start = time.perf_counter()
    write(graph, out, format=name, **options)
    seconds = time.perf_counter() - start
    if said := left_out(graph, out, name):
        sys.stderr.write(f"warpath: {visible(said)}\n")
    return seconds
