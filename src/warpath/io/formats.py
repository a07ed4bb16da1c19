"""The table of file formats, and `read` and `write`, which choose one of them."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warpath.base.errors import GraphFormatError, InputError
from warpath.base.progress import watch
from warpath.base.units import unit_of_column
from warpath.graph.arguments import a_graph
from warpath.graph.checks import checked_bool, checked_integer, checked_kind, is_integer, shown
from warpath.graph.components import is_strong
from warpath.graph.coordinates import RULES
from warpath.graph.export import first_vertices
from warpath.graph.labels import named_as_in_file
from warpath.io.columns import ends_as_columns
from warpath.io.compression import without_suffix
from warpath.io.places import to_read, to_write
from warpath.io.source import Source, foreign, reading

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from warpath.graph import Graph


@dataclass(frozen=True)
class Format:
    """A file format, whose module is imported on first use.

    The module has ``read(source: Source, **options) -> Graph``, perhaps ``sniff(head: bytes) ->
    bool`` (True only if the content is certainly of this format) and, if `writes`,
    ``write(graph, file: BinaryIO, **options)``. Options are keyword arguments, so that an unknown
    option can be refused by name.
    """

    name: str
    suffixes: tuple[str, ...]
    module: str
    summary: str
    writes: bool = False
    extra: str | None = None
    #: The call that writes files of a format that holds more than a graph.
    written_by: str | None = None

    def sniff(self, head: bytes) -> bool:
        """Return whether a file that starts with `head` is certainly of this format."""
        module = importlib.import_module(self.module)
        return hasattr(module, "sniff") and bool(module.sniff(head))

    def read(self, source: Source, **options: Any) -> Graph:
        """Read a graph with the options of the module's ``read``."""
        function = self._function("read")
        _check_options(self.name, function, options)
        graph: Graph = function(source, **options)
        return graph

    def options(self, function: str) -> list[str]:
        """Return the names of the options of the module's ``read`` or ``write``."""
        if function == "write" and not self.writes:
            return []
        return _options(self._function(function))

    def write(self, graph: Graph, path: Path, **options: Any) -> None:
        """Write a graph atomically, with the compression of the path's suffix."""
        if self.written_by is not None:
            msg = f"{path}: {self.name} files hold more than a graph: write it by {self.written_by}"
            raise InputError(msg)
        if not self.writes:
            names = _written_suffixes()
            suffix = Path(without_suffix(path.name)).suffix.lower()
            msg = f"{path}: {suffix or self.name} files are read but not written: write {names}."
            if suffix in _BY_NETWORKX:
                call = f"networkx.{_BY_NETWORKX[suffix]}(graph.to_networkx(), {str(path)!r})"
                msg = f"{msg[:-1]}, or in Python {call}."
            raise InputError(msg)
        if graph.turns is not None and self.name != "npz":
            msg = f"{path}: {self.name} files hold no turns: write .npz, or read without turns."
            raise InputError(msg)
        if graph.first_through and not graph.areas and self.name != "npz":
            msg = (
                f"{path}: {self.name} files do not store that paths end at "
                f"{first_vertices(graph.first_through)} and do not pass: write .npz."
            )
            raise InputError(msg)
        if graph.areas and self.name != "npz":
            msg = (
                f"{path}: {self.name} files do not store areas that trips do not pass: write .npz, "
                'or read with restricted="open" or restricted="closed".'
            )
            raise InputError(msg)
        function = self._function("write")
        _check_options(self.name, function, options)
        save = importlib.import_module("warpath.io.save")
        with save.atomic(path) as file:
            function(graph, file, **options)

    def _function(self, name: str) -> Callable[..., Any]:
        function: Callable[..., Any] = getattr(importlib.import_module(self.module), name)
        return function


#: All formats; the first whose `sniff` recognises a content reads it.
FORMATS: tuple[Format, ...] = (
    Format("dimacs", (".gr",), "warpath.io.dimacs", "9th DIMACS challenge", writes=True),
    Format("matrix_market", (".mtx",), "warpath.io.matrix_market", "Matrix Market", writes=True),
    Format("tntp", (".tntp",), "warpath.io.tntp", "Transportation Networks, TNTP links"),
    Format("metis", (".graph", ".metis"), "warpath.io.metis", "METIS and DIMACS10 adjacency lists"),
    Format(
        "gap",
        (".el", ".wel", ".sg", ".wsg"),
        "warpath.io.gap",
        "GAP Benchmark Suite, text and serialized",
        writes=True,
    ),
    Format("npz", (".npz",), "warpath.io.npz", "a whole graph, SciPy's save_npz", writes=True),
    Format(
        "wph",
        (".wph",),
        "warpath.io.wph",
        "a prepared graph, saved by Solver.save",
        written_by="warpath.prepare(graph).save(path), or the command `warpath prepare`.",
    ),
    Format(
        "parquet",
        (".parquet", ".pq"),
        "warpath.io.parquet",
        "Parquet edge tables",
        writes=True,
        extra="io",
    ),
    Format(
        "geojson",
        (".geojson",),
        "warpath.io.geojson",
        "edges with geometry",
        writes=True,
        extra="geo",
    ),
    Format(
        "gpkg", (".gpkg",), "warpath.io.geopackage", "edges with geometry", writes=True, extra="geo"
    ),
    Format(
        "networkx",
        (".gml", ".graphml", ".gexf", ".net", ".paj", ".lgr", ".leda", ".g6", ".s6", ".json"),
        "warpath.io.networkx_files",
        "GML, GraphML, GEXF, Pajek, LEDA, graph6, sparse6 and JSON, through NetworkX",
        extra="networkx",
    ),
    Format(
        "osm",
        (".osm", ".pbf"),
        "warpath.io.osm",
        "OpenStreetMap's network for cars, bicycles or pedestrians",
        extra="osm",
    ),
    Format(
        "edge_list",
        (".txt", ".edges", ".edgelist", ".tsv", ".snap"),
        "warpath.io.edge_list",
        "SNAP and plain edge lists: blanks, tabs or commas",
    ),
    # The format edge_list reads .csv files that need no more: see `_of_columns`.
    Format(
        "csv",
        (".csv",),
        "warpath.io.csv",
        "CSV edge tables, with quotes and decimal commas",
        writes=True,
    ),
)

#: The default of options for which None has a meaning.
_AUTO: Any = "auto"

#: Suffixes of files that are read, of formats that write others.
_READ_ONLY = {".sg", ".wsg"}

#: The functions of NetworkX that write files that warpath reads through it.
_BY_NETWORKX = {
    ".gml": "write_gml",
    ".graphml": "write_graphml",
    ".gexf": "write_gexf",
    ".net": "write_pajek",
    ".paj": "write_pajek",
    ".g6": "write_graph6",
    ".s6": "write_sparse6",
}


def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 - the word that every reader of files uses
    directed: bool | None = None,
    source: str | int | None = None,
    target: str | int | None = None,
    weight: str | int | None = _AUTO,
    ids: str = "auto",
    coordinates: Any = None,
    component: str | None = None,
    member: str | None = None,
    progress: bool | Callable[[int, int], None] | None = None,
    **options: Any,
) -> Graph:
    """Read a graph from a file.

    Parameters
    ----------
    path : the file, also compressed with gzip, xz, bzip2, zip or zstd.
    format : a name of `FORMATS`; None: by content, else by suffix.
    directed : True or False, if the file does not specify it; None: the format's default.
    source, target : the columns of the ends of edges in a table, by name or counted from 0; the
        same as ``columns=(source, target)``.
    weight : the column that holds the weights, by name or counted from 0; None: every weight is 1;
        "auto": the only possible column, else an error lists the columns. "euclidean" or
        "great_circle": lengths from the coordinates, see `Graph.with_weights`. A column that is
        called by a unit, such as "minutes", gives the graph its `unit`; OpenStreetMap extracts take
        any unit of lengths and times.
    ids : "file": calls take the file's ids, as tables show them, also in formats that number their
        vertices from 1; these ids become labels. "auto", or another value of the format's option
        ("numbers", "text" for edge lists).
    coordinates : as in `Graph.with_coordinates`, or the path of a file: DIMACS .co, Matrix Market
        array, TNTP nodes, or a table (.csv, .tsv, .parquet, .geojson, .gpkg) with the ids of the
        graph's file; `warpath.io.coordinate_files.find_coordinates` finds it by the graph's file
        name.
    component : "largest" keeps the largest connected component, "strong" the largest strongly
        connected one; the graph's `read_report` counts what is left out. None keeps all.
    member : the file inside a zip archive that holds more than one.
    progress : True for a bar on stderr, or a function of bytes done and bytes in total.
    **options : options of the format.

    Returns
    -------
    Graph
        A graph whose `name` comes from the file's name.

    Raises
    ------
    GraphFormatError
        The file is damaged; the message has path, line, expected and actual content.
    InputError
        An unknown format or option.
    MissingDependencyError
        The format or compression needs a package; the message has the command to install it.
    NotEnoughMemoryError
        The file or its graph needs more memory than WARPATH_MEMORY, or than is free.
    """
    if not (weight is None or isinstance(weight, str | bool) or is_integer(weight)):
        msg = f"weight = {shown(weight)} must be the name or the number of a column, or None."
        raise InputError(msg)
    for name, value in (("format", format), ("ids", ids), ("member", member)):
        checked_kind(value, str, name)
    strong = None if component is None else is_strong(component)
    rule = weight if weight in RULES else None
    if source is not None or target is not None:
        ends = ends_as_columns(source, target, options.get("columns"))
        options["columns"] = ends if weight == "auto" else ends[:2]
    if directed is not None:
        options["directed"] = checked_bool(directed, "directed")
    if ids not in {"auto", "file"}:
        options["ids"] = ids
    file_path = to_read(path)
    with reading(file_path) as passing:
        with watch(progress, f"reading {file_path.name}") as report:
            file = Source(file_path, member=member, progress=passing(report))
            chosen = format_named(format) if format is not None else _format_of(file)
            if format is None:
                chosen = _of_columns(chosen, file, options)
            if _is_column(weight, chosen):
                options["weight"] = weight
            graph = chosen.read(file, **options)
        graph = named_as_in_file(graph) if ids == "file" else graph
        graph.unit = graph.unit or unit_of_column(weight)
        if weight is None and graph.weights is not None:
            graph = graph.with_weights(None)
        if coordinates is not None:
            positions = importlib.import_module("warpath.io.coordinate_files")
            graph = graph.with_coordinates(positions.coordinates_of(coordinates, graph))
        graph = graph if rule is None else graph.with_weights(rule)
        return graph if strong is None else graph.largest_component(strong=strong)


def _is_column(weight: Any, chosen: Format) -> bool:
    """Return whether the argument `weight` of `read` is an option of a format."""
    named = weight != "auto" and weight not in RULES
    return named and (weight is not None or _takes(chosen, "weight"))


def _of_columns(chosen: Format, file: Source, options: Mapping[str, Any]) -> Format:
    """Choose between edge lists, which read most tables in the core, and CSV for its options."""
    if chosen.name not in {"edge_list", "csv"} or foreign(file.head) is not None:
        return chosen
    only_csv = {"delimiter", "decimal", "attributes", "oneway", "reverse_weight"}
    return format_named("edge_list" if only_csv.isdisjoint(options) else "csv")


def write(
    graph: Graph,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 - as in `read`
    **options: Any,
) -> None:
    """Write a graph to a file atomically, with the compression of the path's suffix.

    Only .npz, .geojson and .gpkg files have coordinates; others leave them out.

    Parameters
    ----------
    path : for example ``roads.mtx.gz``; an existing file is replaced only when the new one is
        complete.
    format : a name of `FORMATS`; None: by suffix.
    **options : options of the format, for example ``labels="drop"``.

    Raises
    ------
    InputError
        The format is unknown or cannot hold the graph.
    OutputError
        The folder cannot be written to, or the disk is full; the message has the bytes needed.
    """
    target = to_write(path)
    graph = a_graph(graph)
    if format is None:
        suffix = Path(without_suffix(target.name)).suffix.lower()
        chosen = _by_suffix(suffix)
        if chosen is None:
            suffixes = _written_suffixes()
            msg = f"{target}: no format has the suffix {suffix!r}: use {suffixes}, or format=."
            raise InputError(msg)
    else:
        chosen = format_named(format)
    try:
        chosen.write(graph, target, **options)
    except UnicodeEncodeError as error:
        around = str(error.object)[max(0, error.start - 20) : error.end + 20]
        msg = (
            f"{target}: a name with half of a surrogate pair, {around!r}, cannot be written in "
            "UTF-8: write .npz, or give the vertices other names."
        )
        raise InputError(msg) from error


def left_out(graph: Graph, path: Path, format: str | None) -> str:  # noqa: A002 - as in `write`
    """Return a sentence about the coordinates that a format does not have; empty without any."""
    suffix = Path(without_suffix(path.name)).suffix.lower()
    chosen = _by_suffix(suffix) if format is None else format_named(format)
    if (
        graph.coordinates is None
        or chosen is None
        or {".npz", ".geojson", ".gpkg"} & {*chosen.suffixes}
    ):
        return ""
    return (
        f"{path}: {chosen.name} files have no coordinates, so those of the graph were left out: "
        "write .npz, .geojson or .gpkg to keep them."
    )


def _written_suffixes() -> str:
    every = [suffix for format_ in FORMATS if format_.writes for suffix in format_.suffixes]
    return ", ".join(suffix for suffix in every if suffix not in _READ_ONLY)


def format_named(name: str) -> Format:
    """Return the format with a name or a suffix; raise InputError for an unknown one."""
    checked_kind(name, str, "format")
    for candidate in FORMATS:
        if name == candidate.name or f".{name.lower().lstrip('.')}" in candidate.suffixes:
            return candidate
    listed = ", ".join(f"{f.name} ({' '.join(f.suffixes) or 'by content'})" for f in FORMATS)
    msg = f"there is no format {name!r}: {listed}."
    raise InputError(msg)


def _format_of(source: Source) -> Format:
    """Choose a format by content, else by suffix; other text with columns is an edge list."""
    # An .npz file is a zip archive: its own first bytes are checked before it is unpacked.
    for part in ("raw_head", "head") if source.compression == "zip" else ("head",):
        head = getattr(source, part)
        for candidate in FORMATS:
            if candidate.sniff(head):
                return candidate
        importlib.import_module("warpath.io.other_formats").refuse(source, head)
    positions = importlib.import_module("warpath.io.coordinate_files")
    if positions.sniff(source.head):
        reason = "this file has coordinates, no edges: read the file of the graph with"
        raise source.error(None, f"{reason} coordinates={str(source.path)!r}")
    if (by_suffix := _by_suffix(source.suffix)) is not None:
        return by_suffix
    if foreign(source.head) is None and _has_columns(source.head):
        return format_named("edge_list")
    what = foreign(source.head)
    listed = ", ".join(f.name for f in FORMATS)
    reason = f"the format is not known{f' (it looks like {what})' if what else ''}"
    raise GraphFormatError(source.path, None, f"{reason}; choose one with format=: {listed}")


def _by_suffix(suffix: str) -> Format | None:
    return next((candidate for candidate in FORMATS if suffix in candidate.suffixes), None)


def _has_columns(head: bytes) -> bool:
    lines = [line for line in head.splitlines() if line.strip() and line[:1] not in b"#%"]
    return any(len(re.split(rb"[\s,;|]", line.strip())) >= 2 for line in lines[:2])


def _takes(chosen: Format, option: str) -> bool:
    return option in inspect.signature(chosen._function("read")).parameters  # noqa: SLF001


def _options(function: Callable[..., Any]) -> list[str]:
    parameters = inspect.signature(function).parameters.values()
    return [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]


def _check_options(name: str, function: Callable[..., Any], options: dict[str, Any]) -> None:
    """Raise InputError for an option that the format does not have, or a value of wrong type."""
    options_of_format = _options(function)
    for option, value in options.items():
        if option not in options_of_format:
            has = f"it has {', '.join(options_of_format)}" if options_of_format else "it has none"
            has = _REPLACED.get((name, option), has)
            msg = f"the format {name} has no option {option!r}: {has}."
            raise InputError(msg)
        if option == "skip_lines" or (option == "n" and value is not None):
            checked_integer(value, option, 0, 2**63 - 1)
        elif option in {"shapes", "barriers", "turns", "noded"} or (
            option in {"service", "tracks"} and value is not None
        ):
            checked_bool(value, option)
        elif option in _KINDS:
            checked_kind(value, _KINDS[option], option)


#: Replacements of options that a format no longer has.
_REPLACED = {
    ("osm", "private"): 'restricted="open" opens ways that few may use, "closed" closes them',
}

#: Options that are None or of the given type.
_KINDS = {
    "delimiter": str,
    "decimal": str,
    "layer": str,
    "labels": str,
    "speeds": Mapping,
    "turn_costs": Mapping,
}
