"""convert, prepare and generate: write graph files."""
# Annotations are read at run time: no postponed evaluation.

import inspect
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import typer

from warpath.api import calls
from warpath.base import units
from warpath.cli import saving
from warpath.cli.options import THREADS, Reading, Showing, argument, flag, option, output_file
from warpath.cli.output import Report, TableRows, count
from warpath.cli.reading import load, number_or_text, pairs
from warpath.cli.reporting import UsageError, busy, check_name, did_you_mean, tell
from warpath.engines.hierarchy import arcs_of
from warpath.engines.hub_labels import HUB_LABELS
from warpath.engines.labels import LABELS
from warpath.graph import Graph
from warpath.graph.generate import GENERATORS
from warpath.graph.solvable import search_graph
from warpath.io.formats import left_out, write

_WEIGHTS = (
    "On the command line: --weights 1,10 draws integers from 1 to 10, --weights 0.5,2.0 draws "
    "floats,\n--weights none means no weights; --dtype is int32, int64, float32 or float64."
)


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
    out: Path = output_file("The file to write", saving.PREPARED, default=...),
    threads: int | None = THREADS,
    labels: bool = flag("Add labels, with which a pair takes a microsecond or less.", "--labels"),
    memory: str | None = option("The memory that labels may take: 2G.", metavar="BYTES"),
) -> None:
    """Prepare a graph for many routes, trips and tables, and save it with its hierarchy.

    Every command that reads a graph takes the file and searches in the hierarchy where that is
    predicted to be faster. Weights must be 0 or more; road networks and meshes can be prepared,
    social networks cannot.

    Example: [cyan]warpath prepare roads.gr.gz -o roads.wph[/]
    """
    loaded = load(options, prepared=False)
    roads = loaded.graph
    with loaded.timed("prepare"):
        solver = calls.prepare(
            roads, labels=labels, memory=memory, threads=threads, progress=options.progress
        )
    up, down = arcs_of(search_graph(roads))
    report = loaded.report("prepare")
    hierarchy = f"{count(up)} arcs up, {count(down)} down"
    report.add("arcs", {"up": up, "down": down}, "hierarchy", hierarchy)
    if labels:
        inner = search_graph(roads)
        size = sum(each.nbytes for each in (LABELS.cached(inner), HUB_LABELS.cached(inner)) if each)
        report.add("labels", size, "labels", units.size(size))
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
        _list_kinds(report) if kind is None else _describe_kind(report, kind)
        report.show()
        return
    function, arguments = _arguments_of(kind, context.args, pairs(parameter, "--parameter"))
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
        f"{made.name or kind}, seed {seed}: n = {count(made.n)} vertices, m = {count(made.m)} edges"
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

    def write_and_measure(file: Path) -> str:
        write(file)
        report.document["bytes"] = size = file.stat().st_size
        return f"{file}, {units.size(size)}"

    report.document["seconds"] = seconds
    report.add_file("out", out, "written", write_and_measure)
    report.show()


def _list_kinds(report: Report) -> None:
    """Add all kinds of graphs to a report."""
    texts = {name: inspect.getdoc(one) or "" for name, one in GENERATORS.items()}
    rows = [(name, text.partition("\n")[0], _usage(name)) for name, text in texts.items()]
    report.parts.append(TableRows(("kind", "what it is", "parameters"), rows, data=False))
    kinds = [dict(zip(("kind", "summary", "usage"), row, strict=True)) for row in rows]
    report.document["kinds"] = kinds


def _describe_kind(report: Report, kind: str) -> None:
    """Add the description of a kind and of its parameters to a report."""
    text = f"{kind} {_usage(kind)}\n\n{inspect.getdoc(_function(kind)) or ''}"
    text = text.partition("\nRaises\n")[0].partition("\nExamples\n")[0].rstrip()
    text += f"\n\n{_WEIGHTS}"
    defaults = {p.name: None if p.default is p.empty else p.default for p in _parameters(kind)}
    report.document |= {"kind": kind, "parameters": defaults, "text": text}
    report.parts.append(text)


def _arguments_of(
    kind: str, words: Sequence[str], given: dict[str, Any]
) -> tuple[Callable[..., Graph], dict[str, Any]]:
    """Return the generator and its arguments from ``--name value`` words and name=value pairs."""
    function = _function(kind)
    known = {p.name: p for p in _parameters(kind)}
    found = dict(given)
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.removeprefix("--").partition("=")
        name = name.replace("-", "_")
        if not word.startswith("--"):
            raise UsageError(f"unexpected {word!r}: the parameters of {kind} are {_usage(kind)}.")
        if name not in known:
            raise _unknown(kind, name, known)
        if equals:
            found[name] = number_or_text(value)
        elif isinstance(known[name].default, bool):
            found[name] = True
        elif not rest:
            raise UsageError(f"{word} needs a value: {kind} {_usage(kind)}.")
        else:
            found[name] = number_or_text(rest.pop(0))
    for name in given:
        if name not in known:
            raise _unknown(kind, name, known)
    needed = [p.name for p in known.values() if p.default is p.empty]
    lacking = [f"--{name}" for name in needed if name not in found]
    if lacking:
        raise UsageError(f"{kind} needs {' and '.join(lacking)}: {kind} {_usage(kind)}.")
    return function, {name: _value(known[name], value) for name, value in found.items()}


def _value(parameter: inspect.Parameter, value: Any) -> Any:
    """Return a value as its parameter takes it: ``none`` as None, 1e5 as an integer."""
    if value == "none":
        return None
    whole = isinstance(value, float) and value.is_integer()
    return int(value) if whole and "int" in str(parameter.annotation) else value


def _function(kind: str) -> Callable[..., Graph]:
    check_name("generator", kind, GENERATORS)
    return GENERATORS[kind]


def _unknown(kind: str, name: str, known: Iterable[str]) -> UsageError:
    hint = did_you_mean(name, known, "--")
    return UsageError(f"{kind} has no parameter {name!r}: {_usage(kind)}.{hint}")


def _parameters(kind: str) -> list[inspect.Parameter]:
    parameters = inspect.signature(_function(kind)).parameters.values()
    return [p for p in parameters if p.name != "seed"]


def _usage(kind: str) -> str:
    return " ".join(_parameter_usage(p) for p in _parameters(kind))


def _parameter_usage(parameter: inspect.Parameter) -> str:
    default = parameter.default
    if default is parameter.empty:
        return f"--{parameter.name} ..."
    if isinstance(default, bool):
        return f"[--{parameter.name}{'=yes' if default else ''}]"
    shown = ",".join(map(str, default)) if isinstance(default, tuple) else default
    return f"[--{parameter.name} {'...' if shown is None else shown}]"
