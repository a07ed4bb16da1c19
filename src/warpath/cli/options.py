"""The options that several commands share, as groups.

A command has a parameter whose type is a group. `grouped` makes an option of each field of the
group, and passes the command the group with the values.
"""
# Annotations are read at run time here and in the modules of commands: no postponed evaluation.

import copy
import functools
import inspect
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

import typer

from warpath.base.errors import InputError
from warpath.base.units import QUANTITIES, is_quantity
from warpath.cli import saving
from warpath.cli.output import Report
from warpath.cli.reporting import UsageError, check_name
from warpath.cli.vertices import names_coordinates
from warpath.engines.cluster.clients import is_address
from warpath.planner.kinds import device_names
from warpath.planner.request import whole_name
from warpath.planner.several import is_several
from warpath.recipes import CATALOGUE

_SEVERAL = "all, cuda:*, cuda:0,1 or the address of a Dask scheduler, tcp://10.0.0.4:8786"


def option(text: str, *flags: str, default: Any = None, **settings: Any) -> Any:
    """Declare an option of a command.

    Parameters
    ----------
    text : the help.
    flags : such as ``--out`` and ``-o``; the name of the parameter if there are none.
    default : ... for an option that must be given.
    settings : other arguments of `typer.Option`.
    """
    return typer.Option(default, *flags, help=text, **settings)


def flag(text: str, name: str, *short: str, **settings: Any) -> Any:
    """Declare an option without a value, which is False by default."""
    return option(text, name, *short, default=False, **settings)


def output_file(text: str, suffixes: Sequence[str], name: str = "--out", **settings: Any) -> Any:
    """Declare an option for a file to write; `grouped` checks its suffix and its folder."""
    flags = [name, "-o"] if name == "--out" else [name]
    declared = option(f"{text}: {', '.join(suffixes)}.", *flags, **settings)
    declared.suffixes = suffixes
    return declared


def argument(text: str, *, default: Any = ..., **settings: Any) -> Any:
    """Declare a positional argument of a command."""
    return typer.Argument(default, help=text, show_default=False, **settings)


def number(text: str) -> float:
    """Return the number of a text; integers stay integers, as floats would round large ones."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    raise ValueError(f"{text!r} is not a number")


def cutoff(text: str) -> float | str:
    """Return the number of a text, or the text if it has a unit, such as ``10min``."""
    if is_quantity(text):
        return text
    try:
        return number(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} must be {QUANTITIES}") from None


_PANELS = (None, "How the graph is read", "How it is solved", "How results are shown")
_reading, _solving, _showing = (
    functools.partial(option, rich_help_panel=panel) for panel in _PANELS[1:]
)

CUTOFF: Any = option(
    "Largest distance, such as 500, 10min or 5km: farther vertices count as unreachable.",
    parser=cutoff,
    metavar="<float>",
)
ESCAPE_FORMULAS: Any = flag(
    "In .csv, .tsv and .txt, put an apostrophe before names that a spreadsheet would take for "
    "formulas, because they start with = + - or @.",
    "--escape-formulas",
)
THREADS: Any = _solving(
    "Number of CPU threads. Default: the cores that this process may use.",
    "--threads",
    "-t",
    min=1,
    max=1024,
)
THEME: Any = option("Colours of the picture: [bold]light[/] or [bold]dark[/].", default="light")
CUTOFFS: Any = option(
    "Largest distances: one, or several like 500,1000 or 5min,10min.", "--cutoff", "-c", default=...
)
LISTED = (
    "Ids like 1,5,9, coordinates like [bold]7.41,43.73;7.42,43.74[/], or a file with an id in its "
    "first column or columns lon and lat."
)
FACILITIES: Any = option(LISTED, "--facilities", "-f", default=...)
SOURCES: Any = option(LISTED, "--sources", "-s", default=...)
PLACE: Any = option(
    "The id of the source, as in the file, or a coordinate lon,lat.", "--source", "-s", default=...
)
TO_FACILITIES: Any = flag(
    "Use distances from the vertices to the facilities, not from them.", "--reverse"
)
TO_SOURCE: Any = flag("Use distances to the source, not from it.", "--reverse")
PICTURE: Any = output_file("The picture file", saving.PICTURES, default=...)
VERTEX: Any = argument("A vertex id, as in the file, or a coordinate lon,lat.")


@dataclass(frozen=True)
class Showing:
    """Options for the output of results and progress."""

    as_json: bool = _showing("Write one JSON document to stdout.", "--json", default=False)
    quiet: bool = _showing("No progress bars on stderr.", "--quiet", "-q", default=False)
    debug: bool = _showing("Show the traceback of an error.", "--debug", default=False)

    @property
    def progress(self) -> bool | None:
        """The argument ``progress=`` for calls of the library."""
        return None if self.quiet else True


@dataclass(frozen=True)
class Reading(Showing):
    """A graph file, and the options for reading it."""

    graph: Path = argument(
        "A graph file: DIMACS .gr, Matrix Market .mtx, METIS .graph, SNAP edge list, GAP .wel "
        "or .wsg, TNTP, CSV, Parquet, .npz, OpenStreetMap, also inside gzip, xz, bzip2, zip, zstd; "
        "or a prepared graph, .wph.",
        metavar="GRAPH",
    )
    file_format: str | None = _reading(
        "The name of the format, if content and suffix do not determine it.", "--format"
    )
    weight: str | None = _reading(
        "The column of weights, by name or counted from 0; [bold]none[/] to give every edge the "
        "weight 1; [bold]euclidean[/] or [bold]great_circle[/] for lengths from coordinates; for "
        "OpenStreetMap data [bold]minutes[/], [bold]km[/] or another unit."
    )
    weights: Path | None = _reading(
        "A .csv or .tsv file of new weights: the columns that it calls source, target and weight, "
        "or three columns without a header. Other edges keep theirs. A prepared graph is "
        "customized."
    )
    column_from: str | None = _reading(
        "The column of the edges' sources in a table, by name or counted from 0.",
        "--from-column",
        "--from",
        metavar="COLUMN",
    )
    column_to: str | None = _reading(
        "The column of the targets.", "--to-column", "--to", metavar="COLUMN"
    )
    oneway: str | None = _reading(
        "The column of directions in a table: 1, yes or FT along the row, -1 or TF against it, "
        "0, no or nothing both ways; [bold]none[/] to leave such columns out.",
        metavar="COLUMN",
    )
    reverse_weight: str | None = _reading(
        "The column of weights against the row; negative where that way is closed.",
        metavar="COLUMN",
    )
    delimiter: str | None = _reading(
        "What separates the columns of a CSV file, such as ';'. Default: found."
    )
    decimal: str | None = _reading("The decimal mark of a CSV file, '.' or ','. Default: found.")
    directed: bool | None = _reading(
        "Whether an edge leads one way or both. Default: as the format says.",
        "--directed/--undirected",
    )
    ids: str | None = _reading(
        "Names of vertices in an edge list: [bold]auto[/], [bold]numbers[/] (0 .. n - 1, also "
        "those without edges), [bold]text[/] (names, even if they look like numbers)."
    )
    member: str | None = _reading("The file to read inside a .zip.")
    coordinates: Path | None = _reading("A file of vertex coordinates, if the graph file has none.")
    profile: str | None = _reading(
        "Who uses the network of an OpenStreetMap extract: [bold]car[/], [bold]bike[/], "
        "[bold]foot[/], [bold]truck[/], [bold]bus[/], [bold]wheelchair[/], [bold]emergency[/] or a "
        ".toml file with a profile. Default: car."
    )
    speed: list[str] | None = _reading(
        "The speed on a class of roads of an OpenStreetMap extract, such as residential=20; may "
        "be repeated.",
        metavar="CLASS=KMH",
    )
    at: str | None = _reading(
        "The local time at which conditional tags of an OpenStreetMap extract count, such as "
        "'2026-11-26 08:30'. Default: they are ignored.",
        metavar="TIME",
    )
    turns: bool = _reading(
        "Honour the turn restrictions of an OpenStreetMap extract.", "--turns", default=False
    )
    turn_cost: list[str] | None = _reading(
        "With --turns, what turns add to a path, in the unit of the weights: left=10, right=5 or "
        "u_turn=60; may be repeated.",
        metavar="TURN=COST",
    )
    option: list[str] | None = _reading(
        "Another option of the reader of the format; may be repeated.", metavar="KEY=VALUE"
    )

    def check(self, named: Sequence[str | Path | None]) -> None:
        """Raise UsageError for an option with an unknown value or without effect.

        Parameters
        ----------
        named : the arguments of the command that name vertices.
        """


@dataclass(frozen=True)
class Snapping(Reading):
    """Options for reading a graph, and for coordinates in the role of vertices."""

    within: float | None = option(
        "How far a coordinate may be from the network, in metres, or in the unit of coordinates "
        "that are not degrees. Default: 1000 m.",
        metavar="METRES",
        min=0,
    )

    def check(self, named: Sequence[str | Path | None]) -> None:
        """Raise UsageError also for --within without a coordinate."""
        super().check(named)
        names = [each for each in named if each is not None]
        files = any(os.path.isfile(name) for name in names)  # noqa: PTH113 - as in coordinates.py
        if self.within is not None and not files and not any(map(names_coordinates, names)):
            raise UsageError("--within is for coordinates like 7.41,43.73, and none is given.")


@dataclass(frozen=True)
class Solving(Reading):
    """Options for reading a graph, and for solving: algorithm, device and threads."""

    algorithm: str = _solving(
        "A name from [bold]warpath algorithms[/], or auto.", "--algorithm", "-a", default="auto"
    )
    device: str = _solving(
        f"{device_names(auto=True, quoted=False)}; for tables also {_SEVERAL}.",
        "--device",
        "-d",
        default="auto",
    )
    threads: int | None = THREADS

    def check(self, named: Sequence[str | Path | None]) -> None:
        """Raise UsageError also for an unknown algorithm or device."""
        super().check(named)
        check_solving(self.algorithm, self.device)


@dataclass(frozen=True)
class VertexSolving(Snapping, Solving):
    """Options for reading and solving from vertices that may be coordinates."""


@dataclass(frozen=True)
class TableSolving(VertexSolving):
    """Options for reading and solving with tables of vertices that may be coordinates."""

    missing: str = option(
        "[bold]raise[/] an error where coordinates are far from the network or a row of a file has "
        "none, or [bold]flag[/] such rows: they are counted on stderr and have no distance.",
        default="raise",
    )

    def check(self, named: Sequence[str | Path | None]) -> None:
        """Raise UsageError also for an unknown value of --missing."""
        super().check(named)
        if self.missing not in ("raise", "flag"):
            raise UsageError(f"--missing {self.missing!r} must be raise or flag.")


def check_solving(algorithm: str, device: str) -> None:
    """Raise UsageError for an unknown algorithm or device."""
    names = [recipe.name for recipe in CATALOGUE]
    if algorithm != "auto":
        check_name("algorithm", algorithm, names, " warpath algorithms lists all.")
    if device != "auto" and not is_several(device) and not is_address(device):
        try:
            whole_name(device)
        except InputError:
            known = f"{device_names(auto=True, quoted=False)}; for tables also {_SEVERAL}"
            raise UsageError(f"there is no device {device!r}: use {known}.") from None


@dataclass(frozen=True)
class HtmlMap:
    """Options for an interactive map in a file."""

    html: Path | None = output_file(
        "Write a map that can be moved and zoomed, without a server", saving.PAGES, "--html"
    )
    tiles: str | None = option(
        "The background of --html, from the network: an address with {z}, {x} and {y}.",
        metavar="URL",
    )

    def __post_init__(self) -> None:
        if self.tiles is not None and self.html is None:
            raise UsageError("--tiles is the background of --html FILE, which is missing.")

    def save(self, result: Any, file: Path, **options: Any) -> None:
        """Write the map of a result, with the ids of the graph's file."""
        result.save_html(file, tiles=self.tiles, file_ids=True, **options)


@dataclass(frozen=True)
class Shown(HtmlMap):
    """Options for a result with many rows: a map, and how the rows are printed and saved."""

    everything: bool = flag("Print every row, also of a large graph.", "--all")
    escape_formulas: bool = ESCAPE_FORMULAS

    def show(self, report: Report, result: Any, rows: str, out: Path | None) -> None:
        """Write the files of a result, and print its report, with the rows if they are few.

        Parameters
        ----------
        rows : the name of the rows in the document.
        """
        report.add_file(
            "out", out, "saved to", functools.partial(saving.save, result, self.escape_formulas)
        )
        report.add_file("html", self.html, "map in", functools.partial(self.save, result))
        listed = self.everything or len(result) <= saving.SMALL
        saving.add_rows(report, rows, result, listed=listed)
        report.show(facts=not self.everything)


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command whose parameters that are groups are replaced by one option per field."""
    parameters = inspect.signature(command).parameters.values()
    groups: dict[str, Any] = {
        each.name: each.annotation for each in parameters if is_dataclass(each.annotation)
    }
    own = [each for each in parameters if each.name not in groups]
    taken = {flag for each in own for flag in _flags(each.default)}
    spread = [(each.name, each.annotation, each.default) for each in own]
    for group in groups.values():
        spread += [(each.name, each.type, _without(each.default, taken)) for each in fields(group)]
    spread.sort(key=_order)
    written = {name: d.suffixes for name, _, d in spread if hasattr(d, "suffixes")}
    keyword = inspect.Parameter.KEYWORD_ONLY

    @functools.wraps(command)
    def gathered(**values: Any) -> None:
        saving.refuse_inputs(values)
        for name, suffixes in written.items():
            escape = name == "out" and values.get("escape_formulas", False)
            saving.check(values[name], suffixes, saving.WRITTEN[name], escape_formulas=escape)
        for name, group in groups.items():
            values[name] = group(**{each.name: values.pop(each.name) for each in fields(group)})
        command(**values)

    gathered.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(n, keyword, annotation=kind, default=d) for n, kind, d in spread]
    )
    gathered.__annotations__ = {name: kind for name, kind, _ in spread}
    del gathered.__wrapped__  # typer would inspect the original instead
    return gathered


def _order(parameter: tuple[str, Any, Any]) -> tuple[bool, int]:
    """Return where a parameter stands in the help: the graph first, then panel by panel."""
    name, _, declared = parameter
    return name != "graph", _PANELS.index(getattr(declared, "rich_help_panel", None))


def _flags(declared: Any) -> Sequence[str]:
    """Return the flags that an option declares."""
    return getattr(declared, "param_decls", None) or ()


def _without(declared: Any, taken: set[str]) -> Any:
    """Return an option without the flags that the command uses for another option."""
    if taken.isdisjoint(_flags(declared)):
        return declared
    declared = copy.copy(declared)
    declared.param_decls = [flag for flag in _flags(declared) if flag not in taken]
    return declared
