"""Vertices on the command line, by their ids in the file or by coordinates.

The ids of a graph with labels are the labels. Otherwise they are numbers from `Graph.id_base` on,
while the library numbers vertices from 0. Coordinates are ``7.4192,43.7384`` in arguments, and two
columns in files.
"""

from __future__ import annotations

import csv
import difflib
import math
import os
import re
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.api.question import columns_of_vertices
from warpath.base.errors import (
    GraphError,
    GraphFormatError,
    InputError,
    NegativeCycleError,
    VertexError,
)
from warpath.cli.reporting import UsageError, tell
from warpath.graph.checks import written_alike
from warpath.graph.derived import Derived
from warpath.graph.labels import file_ids
from warpath.graph.nearby import ALLOW_MORE, INSIST
from warpath.graph.places import Place, nearby, snap_note, snaps_of
from warpath.io.columns import COORDINATES, coordinate_columns
from warpath.io.source import Source, foreign
from warpath.io.text_table import delimiter_of, rows_of, start_of
from warpath.results.files import load_vectors

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from warpath.cli.options import Reading
    from warpath.graph import Graph


_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?"
_DECIMAL_COMMA = re.compile(r"^([+-]?\d*),(\d+)$")
_COORDINATE = re.compile(rf"\s*({_NUMBER})\s*,\s*({_NUMBER})\s*")

_PREFIXES = ("origin_", "destination_")
#: Names of a column of vertices, in lower case.
_VERTEX = (
    "vertex", "vertex_id", "node", "node_id", "nodeid", "stop", "stop_id", "zone", "zone_id",
    "facility", "source", "target", "id", "name", "label", "city", "station", "origin",
    "destination",
)  # fmt: skip
#: Names of a column of names of places.
_NAMES = ("name", "id")
_COMPARED = 100  # characters of a name; comparing longer ones takes seconds
_TRIP = ("origin", "destination")
#: Cells without a coordinate, in lower case.
_NO_NUMBER = {"", "na", "nan", "none", "null"}


def vertex(graph: Graph, text: str, snapping: Reading | None = None, *, along: bool = False) -> Any:
    """Return the library's name of the vertex with this id, or the place of this coordinate."""
    return vertices(graph, [text], snapping, along=along)[0]


def vertices(
    graph: Graph, texts: Sequence[str], snapping: Reading | None = None, *, along: bool = False
) -> list[Any]:
    """Return the library's names of the vertices with these ids, and places of coordinates."""
    return on_network(graph, [_entry(graph, text) for text in texts], snapping, along=along)


def _entry(graph: Graph, text: str) -> Any:
    """Return the library's name of the vertex with this id, or the place of this coordinate."""
    if graph.labels is None:
        return coordinate(text) or _numbered(graph, text)
    labels = _label_of_text(graph)
    text = text if text in labels else _decoded(text)
    if text in labels:
        return labels[text]
    place = coordinate(text)
    if place is None:
        raise _unknown_label(graph, text, labels)
    return place


def vertices_of_line(
    graph: Graph, path: Path, line: int, texts: Sequence[str], hint: str = ""
) -> list[Any]:
    """Return the vertices and places that cells of a file name; None for empty cells."""
    try:
        return [_entry(graph, text) if text else None for text in texts]
    except VertexError as error:
        raise GraphFormatError(path, line, f"{error}{hint}") from error


def on_network(
    graph: Graph,
    entries: Sequence[Any],
    snapping: Reading | None,
    path: Path | None = None,
    lines: Sequence[int] = (),
    *,
    along: bool,
) -> list[Any]:
    """Return entries of a list of vertices after a check of the places among them.

    Write to stderr how far each place is from its vertex. An error counts the places that are far
    from any vertex, and names the first.

    Parameters
    ----------
    entries : names of vertices, and places.
    path, lines : the file of the entries, and the line of each.
    along : whether the command takes points along edges, not only vertices.
    """
    at = [i for i, entry in enumerate(entries) if isinstance(entry, Place)]
    if None in entries:
        count, total = sum(entry is None for entry in entries), len(entries)
        tell(f"{count:,} of {total:,} vertices and places are missing: they are unreachable")
    if not at:
        return list(entries)
    snap = "edge" if along else "vertex"
    within = getattr(snapping, "within", None)
    places = [replace(entries[i], within=within, snap=snap) for i in at]
    if graph.coordinates is None:
        raise GraphError(
            f"the graph has no coordinates, so {places[0]} cannot be found on it: give them with "
            "--coordinates FILE (DIMACS .co, Matrix Market n x 2, TNTP nodes), or use ids."
        )
    near = nearby(graph, places)
    if near.far.any():
        titles = [f"line {lines[i]}" if lines else f"number {i + 1}" for i in at]
        reason = near.misses(titles, len(entries))
        reason = reason.replace(ALLOW_MORE, ", or allow more with --within METRES")
        reason = reason.replace(INSIST, ", or insist with --within ")
        first = at[int(np.argmax(near.far))]
        if flags(snapping):
            tell(f"missing places are unreachable: {reason}")
        elif path is None:
            raise VertexError(reason)
        else:
            reason = reason.removeprefix(f"line {lines[first]}: ")
            raise GraphFormatError(path, lines[first], reason)
    snaps = snaps_of(graph, places, near, lambda vertices: ids(graph, vertices).tolist())
    taken = [snap for snap, far in zip(snaps, near.far.tolist(), strict=True) if not far]
    if taken:
        tell(snap_note(taken, in_metres=near.search.degrees))
    of_place = dict(zip(at, places, strict=True))
    return [of_place.get(i, entry) for i, entry in enumerate(entries)]


def flags(snapping: Reading | None) -> bool:
    """Return whether what is missing is flagged, not an error."""
    return getattr(snapping, "missing", "raise") == "flag"


def _decoded(text: str) -> str:
    """Return an argument whose UTF-8 the interpreter could not decode, as in the locale C."""
    try:
        return os.fsencode(text).decode()
    except ValueError:
        return text


def ids(graph: Graph, indices: Any) -> NDArray[Any]:
    """Return the ids in the file of vertex indices."""
    return file_ids(graph, np.asarray(indices))


def one_id(graph: Graph, index: int) -> Any:
    """Return the id in the file of one vertex index, as a plain Python object."""
    return ids(graph, np.array([index])).tolist()[0]


@contextmanager
def in_file_ids(graph: Graph) -> Iterator[None]:
    """Replace indices by the ids of the file in errors about negative cycles."""
    try:
        yield
    except NegativeCycleError as error:
        if graph.labels is not None or not graph.id_base:
            raise
        cycle = [v + graph.id_base for v in error.cycle]
        raise NegativeCycleError(cycle, error.length) from error


def listed(
    graph: Graph, argument: str, snapping: Reading | None = None, *, along: bool = False
) -> list[Any]:
    """Return the vertices of a list ``1,5,9`` or ``7.41,43.73;7.42,43.74``, or of a file.

    A file has ids in its column vertex, else coordinates in its columns lon and lat, with names in
    a column name or id, else ids in its first column.
    """
    if is_vertex(graph, argument):
        return vertices(graph, [argument], snapping, along=along)
    path = Path(argument)
    if os.path.exists(argument):  # noqa: PTH110 - Path.exists fails for long lists
        return _of_file(graph, path, snapping, along=along)
    texts = listed_texts(argument)
    if not texts:
        raise VertexError(f"{argument!r} lists no vertex: give ids like 1,5,9 or a file of ids.")
    if len(texts) == 1 and path.suffix.lower() in {".csv", ".tsv", ".txt"}:
        raise FileNotFoundError(2, "no such file", argument)
    return vertices(graph, texts, snapping, along=along)


def trips(
    graph: Graph, path: Path, snapping: Reading | None = None, *, along: bool = True
) -> tuple[list[Any], list[Any], dict[str, list[str]]]:
    """Return origins, destinations and further columns of the trips in a file, one trip per row.

    They are the columns that the first row calls origin and destination, else coordinates in
    origin_lon, origin_lat, destination_lon and destination_lat, else those of another known pair of
    names, such as from and to; without a header the first two of at most three columns.
    """
    rows = table_rows(path, "an origin and a destination per line", graph)
    if not rows:
        raise GraphFormatError(path, None, "the file lists no trip")
    names = [name.lower() for name in rows[0][1]]
    start_at, end_at = (coordinate_columns(names, f"{end}_") for end in _TRIP)
    lines: list[int] = []
    ends: list[Any] = []  # origins and destinations in turn
    if not any(name in names for name in _TRIP) and start_at and end_at:
        columns, header = (-1, -1), True
        for line, row in rows[1:]:
            ends += [_at_columns(path, line, row, at, snapping) for at in (start_at, end_at)]
            lines += [line] * 2
    else:
        columns, header = _trip_columns(graph, path, rows[0])
        for line, row in rows[header:]:
            texts = cells_at(row, columns)
            if not all(texts) and not flags(snapping):
                reason = f"expected an origin and a destination, found {','.join(row)!r:.60}"
                raise GraphFormatError(path, line, reason)
            ends += vertices_of_line(graph, path, line, texts, lacking(names, *_PREFIXES))
            lines += [line] * 2
    ends = on_network(graph, ends, snapping, path, lines, along=along)
    kept = {
        name: [cells_at(row, [at])[0] for _, row in rows[1:]]
        for at, name in enumerate(rows[0][1] if header else [])
        if name and at not in columns
    }
    return ends[::2], ends[1::2], kept


def _trip_columns(
    graph: Graph, path: Path, first: tuple[int, list[str]]
) -> tuple[tuple[int, int], bool]:
    """Return the columns of origin and destination, and whether the first row is a header."""
    line, cells = first
    names = [name.lower() for name in cells]
    called = all(name in names for name in _TRIP)
    if not called and any(is_vertex(graph, text) or coordinate(text) for text in cells[:2]):
        if len(cells) > 3:
            found = f"the file has {len(cells)} columns and no header"
            rule = "call two of them origin and destination in the first row"
            raise GraphFormatError(path, line, f"{found}: {rule}")
        return (0, 1), False
    try:
        origin, destination = columns_of_vertices(cells)
    except InputError as error:
        raise GraphFormatError(path, line, f"{error}{lacking(names, *_PREFIXES)}") from error
    return (cells.index(origin), cells.index(destination)), True


def is_vertex(graph: Graph, text: str) -> bool:
    """Return whether a text is an integer or the label of a vertex."""
    return _is_integer(text) or (graph.labels is not None and text in _label_of_text(graph))


def table_rows(path: Path, expected: str, graph: Graph) -> list[tuple[int, list[str]]]:
    """Return the lines of a text table and their cells, without blank lines.

    Lines that begin with # or % are comments above the first row, and everywhere if the vertices
    are numbers; not if they begin with the name of a vertex.
    """
    if path.is_file() and not path.stat().st_size:
        return []
    source = Source(path)
    if foreign(source.head) is not None:
        raise GraphFormatError(path, None, f"expected a text file with {expected}")
    start = start_of(source, delimiter="\t" if path.suffix.lower() == ".tsv" else None)
    try:
        text = source.data.decode("utf-8")
        # Where all lines are comments, they may still begin with names of vertices.
        delimiter = delimiter_of(text.split("\n")[:1]) if start is None else start.delimiter
        rows = list(rows_of(text, "," if delimiter == " " else delimiter))
    except UnicodeDecodeError as error:
        raise GraphFormatError(path, None, f"expected a text file with {expected}") from error
    except csv.Error as error:
        raise GraphFormatError(path, None, f"not a table of vertices: {error}") from error
    first_row = math.inf if start is None else start.line.number
    numbers = graph.labels is None or graph.labels.dtype.kind in "iu"

    def is_row(number: int, first: str) -> bool:
        if number < first_row and first.lower().startswith("sep="):
            return False
        comment = first.startswith(("#", "%")) and not is_vertex(graph, first)
        return not (comment and (numbers or number < first_row))

    return [(number, cells) for number, cells in rows if is_row(number, cells[0])]


def cells_at(row: list[str], columns: Sequence[int]) -> list[str]:
    """Return the cells of a row in some columns, "" beyond its end."""
    return [row[column] if column < len(row) else "" for column in columns]


def _of_file(graph: Graph, path: Path, snapping: Reading | None, *, along: bool) -> list[Any]:
    rows = table_rows(path, "one vertex per line", graph)
    header = [name.lower() for name in rows[0][1]] if rows else []
    at_columns = coordinate_columns(header)
    if at_columns and "vertex" not in header:
        if len(rows) == 1:
            raise GraphFormatError(path, None, "the file lists no place")
        named = next((header.index(name) for name in _NAMES if name in header), None)
        places = [
            _with_name(_at_columns(path, line, row, at_columns, snapping), row, named)
            for line, row in rows[1:]
        ]
        lines = [line for line, _ in rows[1:]]
        return on_network(graph, places, snapping, path, lines, along=along)
    column = 0
    if len(header) > 1 and not is_vertex(graph, rows[0][1][0]) and not coordinate(header[0]):
        name = next((name for name in _VERTEX if name in header), None)
        if name is None:
            listed = ", ".join(map(repr, rows[0][1][:40]))
            reason = f"none of the columns {listed} is known as a vertex: call one of them vertex"
            raise GraphFormatError(path, rows[0][0], f"{reason}.{lacking(header)}")
        column = header.index(name)
    cells = [(line, row[column]) for line, row in rows if len(row) > column and row[column]]
    entries, lines = [], []
    for at, (line, text) in enumerate(cells):
        try:
            entries.append(_entry(graph, text))
        except VertexError as error:
            if at == 0 and (len(header) > 1 or text.lower() in _VERTEX):
                continue  # the header
            hint = " If this row is a header, call it vertex." if at == 0 else ""
            raise GraphFormatError(path, line, f"{error}{lacking(header)}{hint}") from error
        lines.append(line)
    if not entries:
        raise GraphFormatError(path, None, "the file lists no vertex")
    return on_network(graph, entries, snapping, path, lines, along=along)


def numbers_of_vertices(graph: Graph, argument: str) -> Any:
    """Return a number for each vertex, (n,): of ``FILE.npy``, or a column ``FILE:COLUMN``.

    A row of a table has the id of a vertex and its number. Rows of one vertex are added up, and a
    vertex without a row has 0.
    """
    name, colon, column = argument.rpartition(":")
    vectors = load_vectors(graph, argument) if argument.endswith(".npy") else None
    if vectors is not None:
        return vectors[0]
    if not (name and colon and column):
        raise UsageError(
            f"--vertex-weights {argument} must be a .npy file with a number for each vertex, or a "
            "column of a table, as nodes.csv:area."
        )
    path = Path(name)
    rows = table_rows(path, "a vertex and a number per line", graph) or [(1, [])]
    header = [cell.lower() for cell in rows[0][1]]
    known = [header.index(each) for each in _VERTEX if each in header]
    if column.lower() not in header or not known:
        named = ", ".join(map(repr, rows[0][1][:40]))
        reason = f"expected the columns vertex and {column} in the first row, found {named}"
        raise GraphFormatError(path, rows[0][0], reason)
    at = known[0], header.index(column.lower())
    entries, numbers = [], []
    for line, row in rows[1:]:
        cells = cells_at(row, at)
        try:
            numbers.append(float(cells[1]))
        except ValueError:
            reason = f"expected a number in the column {column}, found {cells[1]!r:.60}"
            raise GraphFormatError(path, line, reason) from None
        if not cells[0]:
            raise GraphFormatError(path, line, "the row has no vertex")
        entries += vertices_of_line(graph, path, line, cells[:1], lacking(header))
    lines = [line for line, _ in rows[1:]]
    found = np.zeros(graph.n)
    ends = on_network(graph, entries, None, path, lines, along=False)
    np.add.at(found, graph.indices_of(ends), numbers)
    return found


def _with_name(place: Place | None, row: list[str], column: int | None) -> Place | None:
    """Return a place with the name that a column of its row has, if there is one."""
    name = "" if column is None else cells_at(row, [column])[0]
    return place if place is None or not name else replace(place, name=name)


def _at_columns(
    path: Path, line: int, row: list[str], columns: tuple[int, int], snapping: Reading | None
) -> Place | None:
    """Return the place of the coordinates in two columns of a row; None if it is missing."""
    cells = cells_at(row, columns)
    # Decimal marks may be commas, since each cell is one number.
    place = coordinate(",".join(_DECIMAL_COMMA.sub(r"\1.\2", cell.strip()) for cell in cells))
    if place is None and flags(snapping) and {each.lower() for each in cells} <= _NO_NUMBER:
        return None
    if place is None:
        reason = f"expected a longitude and a latitude, found {' and '.join(map(repr, cells)):.60}"
        raise GraphFormatError(path, line, reason)
    return place


def _numbered(graph: Graph, text: str) -> int:
    last = graph.n - 1 + graph.id_base
    rule = f"this graph's vertices are numbered {graph.id_base} .. {last}"
    rule = rule if graph.n else "this graph has no vertices"
    if not _is_integer(text):
        raise VertexError(f"{text!r} is not a vertex: {rule}.")
    number = int(text)
    if not graph.id_base <= number <= last:
        raise VertexError(f"vertex {number} does not exist: {rule}.")
    return number - graph.id_base


_LABELS: Derived[dict[str, Any]] = Derived(__name__, "labels by their text")


def _label_of_text(graph: Graph) -> dict[str, Any]:
    labels = graph.labels
    assert labels is not None  # noqa: S101 - checked by the callers
    return _LABELS.of(graph, lambda: {str(label): label for label in labels.tolist()})


def _unknown_label(graph: Graph, text: str, known: dict[str, Any]) -> VertexError:
    if graph.labels is not None and graph.labels.dtype.kind in "iu":
        numbers = graph.labels
        first, last = int(numbers.min()), int(numbers.max())
        gaps = "" if last - first < graph.n else " with gaps"
        rule = f"its {graph.n} ids are numbers{gaps}, {first} .. {last}"
        return VertexError(f"vertex {text!r} does not exist in the graph: {rule}.")
    short = [name for name in islice(known, 100_000) if len(name) <= _COMPARED]
    if alike := written_alike(short, text):
        return VertexError(f"vertex {text!r} does not exist in the graph.{alike}")
    near = difflib.get_close_matches(text, short, n=3) if len(text) <= _COMPARED else []
    hint = f"did you mean {' or '.join(map(repr, near))}?"
    hint = hint if near else f"it has {', '.join(list(known)[:3])}, ..."
    return VertexError(f"vertex {text!r} does not exist in the graph: {hint}")


def _is_integer(text: str) -> bool:
    # Python raises an error for integers of thousands of digits.
    return re.fullmatch(r"[+-]?[0-9]{1,1000}", text) is not None


def coordinate(text: str) -> Place | None:
    """Return the place of a text ``lon,lat``, or None for any other text."""
    found = _COORDINATE.fullmatch(text)
    return None if found is None else Place(float(found[1]), float(found[2]))


def protected(words: Sequence[str]) -> list[str]:
    """Return the words of a command line with a space before each coordinate that starts with -.

    The parser would take ``-73.98,40.75`` for an option.
    """
    return [f" {word}" if word.startswith("-") and coordinate(word) else word for word in words]


def listed_texts(argument: str) -> list[str]:
    """Return the entries of a list of vertices, which semicolons or commas separate.

    With a semicolon each entry may be a coordinate. Without, two numbers are one coordinate if one
    of them has a decimal point, else two ids.
    """
    alone = coordinate(argument) is not None and "." in argument
    entries = [argument] if alone else argument.split(";" if ";" in argument else ",")
    return [entry.strip() for entry in entries if entry.strip()]


def lacking(names: Sequence[str], *prefixes: str) -> str:
    """Return a sentence about a column of longitudes without latitudes, or the other way round."""
    for prefix in prefixes or ("",):
        found = [
            [prefix + name for name in known if prefix + name in names] for known in COORDINATES
        ]
        for here, other in ((0, 1), (1, 0)):
            if found[here] and not found[other]:
                missing = f"{prefix}{COORDINATES[other][0]}"
                return f" It has the column {found[here][0]}, but no column {missing}."
    return ""


def names_coordinates(argument: str | Path | None) -> bool:
    """Return whether an argument of a command has coordinates in it, or in the file that it names.

    The first line of a file is read.
    """
    if argument is None:
        return False
    if not os.path.isfile(argument):  # noqa: PTH113 - Path.is_file fails for long lists
        return any(coordinate(text) is not None for text in listed_texts(str(argument)))
    try:
        with Path(argument).open(encoding="utf-8-sig") as file:
            header = re.split("[,;\t|]", file.readline(10_000).lower().replace('"', ""))
    except UnicodeDecodeError:
        return False
    names = [name.strip() for name in header]
    return any(coordinate_columns(names, prefix) for prefix in ("", *_PREFIXES))
