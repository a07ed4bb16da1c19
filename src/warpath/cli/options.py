"""The options that several commands share, as groups.

A command has a parameter whose type is a group. `grouped` makes an option of each field of the
group, and passes the command the group with the values.
"""
# Annotations are read at run time here and in the modules of commands: no postponed evaluation.

import copy
import difflib
import functools
import inspect
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from warpath.api.several import is_several
from warpath.base.errors import InputError
from warpath.cli import saving
from warpath.cli.coordinates import names_coordinates
from warpath.cli.reporting import UsageError
from warpath.engines.cluster.clients import is_address
from warpath.planner.kinds import device_names
from warpath.planner.wish import whole_name
from warpath.recipes import CATALOGUE

_READING = "How the graph is read"
_SOLVING = "How it is solved"
_SEVERAL = "all, cuda:*, cuda:0,1 or the address of a Dask scheduler, tcp://10.0.0.4:8786"
_SHOWING = "How results are shown"

GraphFile = Annotated[
    Path,
    typer.Argument(
        metavar="GRAPH",
        help="A graph file: DIMACS .gr, Matrix Market .mtx, METIS .graph, SNAP edge list, GAP .wel "
        "or .wsg, TNTP, CSV, Parquet, .npz, OpenStreetMap, also inside gzip, xz, bzip2, zip, zstd; "
        "or a prepared graph, .wph.",
        show_default=False,
    ),
]


def number(text: str) -> float:
    """Return the number of a text; integers stay integers, as floats would round large ones."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    msg = f"{text!r} is not a number"
    raise ValueError(msg)


Cutoff = Annotated[
    float | None,
    typer.Option(
        "--cutoff",
        help="Largest distance: farther vertices count as unreachable.",
        show_default=False,
        parser=number,
        metavar="<float>",
    ),
]

EscapeFormulas = Annotated[
    bool,
    typer.Option(
        "--escape-formulas",
        help="In .csv, .tsv and .txt, put an apostrophe before names that a spreadsheet would take "
        "for formulas, because they start with = + - or @.",
    ),
]

Threads = Annotated[
    int | None,
    typer.Option(
        "--threads",
        "-t",
        min=1,
        max=1024,
        help="Number of CPU threads. Default: the cores that this process may use.",
        show_default=False,
        rich_help_panel=_SOLVING,
    ),
]

Theme = Annotated[
    str, typer.Option("--theme", help="Colours of the picture: [bold]light[/] or [bold]dark[/].")
]


@dataclass(frozen=True)
class Reading:
    """Options for reading a graph file."""

    file_format: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="The name of the format, if content and suffix do not determine it.",
            rich_help_panel=_READING,
        ),
    ] = None
    weight: Annotated[
        str | None,
        typer.Option(
            "--weight",
            help="The column of weights, by name or counted from 0; [bold]none[/] to give every "
            "edge the weight 1; [bold]euclidean[/] or [bold]great_circle[/] for lengths from "
            "coordinates.",
            rich_help_panel=_READING,
        ),
    ] = None
    weights: Annotated[
        Path | None,
        typer.Option(
            "--weights",
            help="A .csv or .tsv file of new weights: the columns that it calls source, "
            "target and weight, or three columns without a header. Other edges keep theirs. A "
            "prepared graph is customized.",
            show_default=False,
            rich_help_panel=_READING,
        ),
    ] = None
    column_from: Annotated[
        str | None,
        typer.Option(
            "--from-column",
            "--from",
            metavar="COLUMN",
            help="The column of the edges' sources in a table, by name or counted from 0.",
            rich_help_panel=_READING,
        ),
    ] = None
    column_to: Annotated[
        str | None,
        typer.Option(
            "--to-column",
            "--to",
            metavar="COLUMN",
            help="The column of the targets.",
            rich_help_panel=_READING,
        ),
    ] = None
    oneway: Annotated[
        str | None,
        typer.Option(
            "--oneway",
            metavar="COLUMN",
            help="The column of directions in a table: 1, yes or FT along the row, -1 or TF "
            "against it, 0, no or nothing both ways; [bold]none[/] to leave such columns out.",
            show_default=False,
            rich_help_panel=_READING,
        ),
    ] = None
    reverse_weight: Annotated[
        str | None,
        typer.Option(
            "--reverse-weight",
            metavar="COLUMN",
            help="The column of weights against the row; negative where that way is closed.",
            show_default=False,
            rich_help_panel=_READING,
        ),
    ] = None
    delimiter: Annotated[
        str | None,
        typer.Option(
            "--delimiter",
            help="What separates the columns of a CSV file, such as ';'. Default: found.",
            show_default=False,
            rich_help_panel=_READING,
        ),
    ] = None
    decimal: Annotated[
        str | None,
        typer.Option(
            "--decimal",
            help="The decimal mark of a CSV file, '.' or ','. Default: found.",
            show_default=False,
            rich_help_panel=_READING,
        ),
    ] = None
    directed: Annotated[
        bool | None,
        typer.Option(
            "--directed/--undirected",
            help="Whether an edge leads one way or both. Default: as the format says.",
            show_default=False,
            rich_help_panel=_READING,
        ),
    ] = None
    ids: Annotated[
        str | None,
        typer.Option(
            "--ids",
            help="Names of vertices in an edge list: [bold]auto[/], [bold]numbers[/] (0 .. n - 1, "
            "also those without edges), [bold]text[/] (names, even if they look like numbers).",
            rich_help_panel=_READING,
        ),
    ] = None
    member: Annotated[
        str | None,
        typer.Option("--member", help="The file to read inside a .zip.", rich_help_panel=_READING),
    ] = None
    coordinates: Annotated[
        Path | None,
        typer.Option(
            "--coordinates",
            help="A file of vertex coordinates, if the graph file has none.",
            rich_help_panel=_READING,
        ),
    ] = None
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile",
            help="Who uses the network of an OpenStreetMap extract: [bold]car[/], [bold]bike[/] or "
            "[bold]foot[/]. Default: car.",
            show_default=False,
            rich_help_panel=_READING,
        ),
    ] = None
    speed: Annotated[
        list[str] | None,
        typer.Option(
            "--speed",
            metavar="CLASS=KMH",
            help="The speed on a class of roads of an OpenStreetMap extract, such as "
            "residential=20; may be repeated.",
            show_default=False,
            rich_help_panel=_READING,
        ),
    ] = None
    at: Annotated[
        str | None,
        typer.Option(
            "--at",
            metavar="TIME",
            help="The local time at which conditional tags of an OpenStreetMap extract count, such "
            "as '2026-11-26 08:30'. Default: they are ignored.",
            show_default=False,
            rich_help_panel=_READING,
        ),
    ] = None
    turns: Annotated[
        bool,
        typer.Option(
            "--turns",
            help="Honour the turn restrictions of an OpenStreetMap extract.",
            rich_help_panel=_READING,
        ),
    ] = False
    turn_cost: Annotated[
        list[str] | None,
        typer.Option(
            "--turn-cost",
            metavar="TURN=COST",
            help="With --turns, what turns add to a path, in the unit of the weights: left=10, "
            "right=5 or u_turn=60; may be repeated.",
            show_default=False,
            rich_help_panel=_READING,
        ),
    ] = None
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            metavar="KEY=VALUE",
            help="Another option of the reader of the format; may be repeated.",
            rich_help_panel=_READING,
        ),
    ] = None


@dataclass(frozen=True)
class Snapping:
    """Options for coordinates in the role of vertices."""

    within: Annotated[
        float | None,
        typer.Option(
            "--within",
            metavar="METRES",
            min=0,
            help="How far a coordinate may be from the network, in metres, or in the unit of "
            "coordinates that are not degrees. Default: 1000 m.",
            show_default=False,
        ),
    ] = None

    def check(self, vertices: Sequence[str | Path | None]) -> None:
        """Raise UsageError if an option is given that no vertex of the command can need."""
        names = [each for each in vertices if each is not None]
        files = any(os.path.isfile(name) for name in names)  # noqa: PTH113 - as in coordinates.py
        if self.within is not None and not files and not any(map(names_coordinates, names)):
            raise UsageError("--within is for coordinates like 7.41,43.73, and none is given.")


@dataclass(frozen=True)
class TableSnapping(Snapping):
    """Options for coordinates in tables."""

    missing: Annotated[
        str,
        typer.Option(
            "--missing",
            help="[bold]raise[/] an error where coordinates are far from the network or a row of a "
            "file has none, or [bold]flag[/] such rows: they are counted on stderr and have no "
            "distance.",
        ),
    ] = "raise"

    def check(self, vertices: Sequence[str | Path | None]) -> None:
        """Raise UsageError also for a value of --missing that is not known."""
        super().check(vertices)
        if self.missing not in ("raise", "flag"):
            raise UsageError(f"--missing {self.missing!r} must be raise or flag.")


@dataclass(frozen=True)
class Solving:
    """Options for solving: algorithm, device and threads."""

    algorithm: Annotated[
        str,
        typer.Option(
            "--algorithm",
            "-a",
            help="A name from [bold]warpath algorithms[/], or auto.",
            rich_help_panel=_SOLVING,
        ),
    ] = "auto"
    device: Annotated[
        str,
        typer.Option(
            "--device",
            "-d",
            help=f"{device_names(auto=True, quoted=False)}; for tables also {_SEVERAL}.",
            rich_help_panel=_SOLVING,
        ),
    ] = "auto"
    threads: Threads = None

    def wish(self) -> dict[str, Any]:
        """Return keyword arguments of the library; raise UsageError if one has an unknown value."""
        names = [recipe.name for recipe in CATALOGUE]
        if self.algorithm != "auto" and self.algorithm not in names:
            part = [name for name in names if self.algorithm.lower() in name]
            near = part[:2] or difflib.get_close_matches(self.algorithm, names, n=2)
            hint = "warpath algorithms lists all."
            hint = f"did you mean {' or '.join(near)}? {hint}" if near else hint
            raise UsageError(f"there is no algorithm {self.algorithm!r}: {hint}")
        shared = is_several(self.device) or is_address(self.device)
        if self.device != "auto" and not shared:
            try:
                whole_name(self.device)
            except InputError:
                known = f"{device_names(auto=True, quoted=False)}; for tables also {_SEVERAL}"
                raise UsageError(f"there is no device {self.device!r}: use {known}.") from None
        return {"algorithm": self.algorithm, "device": self.device, "threads": self.threads}


@dataclass(frozen=True)
class HtmlMap:
    """Options for an interactive map in a file."""

    html: Annotated[
        Path | None,
        typer.Option(
            "--html",
            help="Write a map that can be moved and zoomed: .html, a page without a server.",
            show_default=False,
        ),
    ] = None
    tiles: Annotated[
        str | None,
        typer.Option(
            "--tiles",
            metavar="URL",
            help="The background of --html, from the network: an address with {z}, {x} and {y}.",
            show_default=False,
        ),
    ] = None

    def check(self) -> None:
        """Raise an error for a file that cannot be written, before the graph is read."""
        saving.check(self.html, saving.PAGES, "--html")
        if self.tiles is not None and self.html is None:
            raise UsageError("--tiles is the background of --html FILE, which is missing.")

    def write(self, found: Any) -> None:
        """Write the map of a result, with the ids of the graph's file."""
        found.save_html(self.html, tiles=self.tiles, file_ids=True)


@dataclass(frozen=True)
class Showing:
    """Options for the output of results and progress."""

    as_json: Annotated[
        bool,
        typer.Option("--json", help="Write one JSON document to stdout.", rich_help_panel=_SHOWING),
    ] = False
    quiet: Annotated[
        bool,
        typer.Option("--quiet", "-q", help="No progress bars on stderr.", rich_help_panel=_SHOWING),
    ] = False
    debug: Annotated[
        bool,
        typer.Option("--debug", help="Show the traceback of an error.", rich_help_panel=_SHOWING),
    ] = False

    @property
    def progress(self) -> bool | None:
        """The argument ``progress=`` for calls of the library."""
        return None if self.quiet else True


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command whose parameters that are groups are replaced by one option per field."""
    signature = inspect.signature(command)
    groups = {
        name: parameter.annotation
        for name, parameter in signature.parameters.items()
        if isinstance(parameter.annotation, type) and is_dataclass(parameter.annotation)
    }
    spread = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for name, parameter in signature.parameters.items()
        if name not in groups
    ]
    taken = {flag for each in spread for flag in _flags(each.annotation)}
    for group in groups.values():
        spread += [
            inspect.Parameter(
                each.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=each.default,
                annotation=_without(each.type, taken),
            )
            for each in fields(group)
        ]

    @functools.wraps(command)
    def gathered(**values: Any) -> None:
        saving.refuse_inputs(values)
        for name, group in groups.items():
            own = {each.name: values.pop(each.name) for each in fields(group)}
            values[name] = group(**own)
        command(**values)

    gathered.__signature__ = signature.replace(parameters=spread)  # type: ignore[attr-defined]
    gathered.__annotations__ = {each.name: each.annotation for each in spread}
    del gathered.__wrapped__  # typer would inspect the original instead
    return gathered


def _flags(annotation: Any) -> tuple[str, ...]:
    """Return the flags of a parameter's option."""
    options = getattr(annotation, "__metadata__", ())
    # typer keeps the first flag as the default of an option inside Annotated.
    return tuple(
        flag
        for each in options
        for flag in (getattr(each, "default", None), *(getattr(each, "param_decls", None) or ()))
        if isinstance(flag, str)
    )


def _without(annotation: Any, taken: set[str]) -> Any:
    """Return a parameter's option without the flags that the command uses for another option."""
    if taken.isdisjoint(_flags(annotation)):
        return annotation
    option = copy.copy(annotation.__metadata__[0])
    option.param_decls = [flag for flag in option.param_decls if flag not in taken]
    return Annotated[annotation.__origin__, option]
