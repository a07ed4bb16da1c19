"""CSV edge tables: quoted fields, any delimiter, decimal commas, columns that are kept."""

from __future__ import annotations

import csv
import re
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import GraphError, InputError, WeightError
from warpath.base.escaping import csv_cell
from warpath.graph.checks import checked_bool
from warpath.graph.labels import file_ids
from warpath.io.columns import known_ends
from warpath.io.dataframes import Table, from_columns
from warpath.io.save import edge_blocks
from warpath.io.text_table import INTEGER, NUMBER, decimal_of, delimiter_of, layout_of, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import BinaryIO

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.io.columns import Column
    from warpath.io.source import Source
    from warpath.io.text_table import Layout

_WITH_COMMA = re.compile(r"[+-]?\d*,\d+")
_WITH_POINT = re.compile(r"[+-]?\d*\.\d+")

#: A field is at least a delimiter in the file, and an object in memory.
_FIELD_BYTES = 64


def sniff(head: bytes) -> bool:
    """Return whether a header names the ends of edges, and edge lists cannot hold the fields.

    Those fields are quoted, or have decimal commas between other delimiters.
    """
    lines = head.decode("utf-8", "replace").split("\n")
    if "\0" in lines[0] or lines[0].lstrip()[:1] in "#%":
        return False
    delimiter = delimiter_of(lines[:1])
    if not known_ends(name.strip('" \r') for name in lines[0].split(delimiter)):
        return False
    if '"' in "".join(lines[:2]):
        return True
    return decimal_of(delimiter, [line.strip().split(delimiter) for line in lines[1:-1]]) == ","


def read(
    source: Source,
    *,
    directed: bool | None = None,
    weight: Column | None = "auto",
    columns: Sequence[Column] | None = None,
    oneway: Column | bool | None = "auto",
    reverse_weight: Column | None = "auto",
    delimiter: str | None = None,
    decimal: str | None = None,
    header: bool | None = None,
    ids: str = "auto",
    attributes: str | Sequence[Column] | None = None,
) -> Graph:
    """Read a CSV file; columns are chosen as in `warpath.io.dataframes.from_table`.

    Without a header the columns are called "0", "1", ... and are source, target and, if there are
    three, weight. Lines above the first row that start with # or % are comments; a first line
    ``sep=;`` names the delimiter.

    Parameters
    ----------
    source : a UTF-8 or UTF-16 file.
    directed, weight, columns, oneway, reverse_weight : as for tables.
    delimiter : one character, " " for any run of blanks; None: the most frequent of comma,
        semicolon, tab and bar outside quotes in the first lines.
    decimal : "." or ","; None: "," if the delimiter is another, and numbers in the first rows have
        commas and no points.
    header : whether the first row has the names of columns; None: if one of its pairs of names is
        known, or it has words above numbers.
    ids : "auto": integers if all ends are integers, else names. "text": names.
    attributes : names or positions of further columns that the graph keeps, see
        `Graph.edge_table`; "all": every other column.

    Raises
    ------
    GraphFormatError
        A row has a different number of fields; the message has the line.

    Notes
    -----
    O(bytes). Three quoted columns: 500,000 rows in 1.7 s; without quotes the format edge_list reads
    them in 0.1 s.
    """
    for name, value, allowed in (
        ("decimal", decimal, (None, ".", ",")),
        ("ids", ids, ("auto", "text")),
    ):
        if value not in allowed:
            msg = f"{name}={value!r} must be {' or '.join(repr(one) for one in allowed if one)}."
            raise InputError(msg)
    if delimiter is not None and len(delimiter) != 1:
        msg = f"delimiter={delimiter!r}: one character is needed."
        raise InputError(msg)
    if delimiter is not None and delimiter == decimal:
        msg = f"delimiter={delimiter!r} and decimal={decimal!r} are the same character."
        raise InputError(msg)
    layout = layout_of(source, delimiter=delimiter, header=header, columns=columns or ())
    if layout is None:
        raise source.error(None, "the file has no rows, only comments")
    names, rows = _rows(source, layout)
    if layout.names is None:
        columns, weight = _of_positions(source, layout, len(names), columns, weight)
    table = _TextTable(names, rows, decimal or layout.decimal, text=ids == "text")
    table.report = comments_report(layout)
    if ids != "text":
        table.refuse_mixed_ends = layout.names is None
    try:
        return from_columns(
            table,
            columns=columns,
            weight=weight,
            directed=directed,
            oneway=oneway,
            reverse_weight=reverse_weight,
            attributes=attributes,
            name=source.title,
        )
    except InputError as error:
        raise source.error(None, str(error)) from error


def comments_report(layout: Layout) -> dict[str, Any]:
    """Return the part of a graph's report about comments."""
    count = layout.start.comments
    return {"lines at the start that were skipped as comments": count} if count else {}


def _of_positions(
    source: Source,
    layout: Layout,
    count: int,
    columns: Sequence[Column] | None,
    weight: Column | None,
) -> tuple[Sequence[Column], Column | None]:
    """Return the columns of a table without a header: source, target and weight if there are 3."""
    if columns is None or (len(columns) == 3 and columns[2] == "auto"):
        columns = (0, 1) if columns is None else columns[:2]
        if weight == "auto" and count == 3:
            weight = next(at for at in range(3) if at not in columns)
        elif weight == "auto" and count > 3:
            reason = (
                f"the table has {count} columns and no header that names the weight: choose its "
                "column, counted from 0, as with weight=2, or weight=None for 1 on every edge"
            )
            raise source.error(layout.line, reason)
    return columns, weight


def _rows(source: Source, layout: Layout) -> tuple[list[str], list[list[str]]]:
    """Return the names of columns and the rows, all with the same number of fields.

    Rows may end in more empty fields than the header, or lack fields of columns without a name.
    """
    delimiter, start = layout.delimiter, layout.start
    source.need(len(source.data) + _FIELD_BYTES * source.data.count(delimiter.encode()))
    try:
        text = source.data[start.at :].decode("utf-8")
    except UnicodeDecodeError as error:
        line = source.data.count(b"\n", 0, start.at + error.start) + 1
        raise source.error(line, "the file is not UTF-8 text: convert the file") from error
    names = layout.names or list(map(str, range(len(layout.first))))
    while not layout.names and len(names) > 2 and not layout.first[len(names) - 1]:
        names.pop()  # a delimiter at the end of rows
    width = len(names)
    needed = max((at + 1 for at, name in enumerate(names) if name), default=width)
    rows: list[list[str]] = []
    number = 1
    try:
        for at, (number, row) in enumerate(rows_of(text, delimiter)):
            if at < layout.above:
                continue
            if not needed <= len(row) or any(row[width:]):
                reason = f"expected {width} columns, found {len(row)}"
                found = delimiter.join(row).encode()
                raise source.error(start.line.number + number - 1, reason, found)
            rows.append([*row[:width], *[""] * (width - len(row))] if len(row) != width else row)
    except csv.Error as error:
        reason = f"a quoted field is not closed or not alone: {error}"
        raise source.error(start.line.number + number - 1, reason) from error
    if not rows:
        reason = f"the file has only a header ({', '.join(map(repr, names[:20]))}) and no edges"
        raise source.error(None, reason)
    return names, rows


class _TextTable(Table):
    """Columns of text, which become numbers where all fields of a column are numbers."""

    def __init__(
        self, names: list[str], rows: list[list[str]], decimal: str, *, text: bool
    ) -> None:
        super().__init__(None, names)
        self._rows = rows
        self._decimal = decimal
        self._text = text
        #: Whether a name among integers is refused wherever it is, as in lists without a header.
        self.refuse_mixed_ends = False

    def _fields(self, name: str) -> list[str]:
        at = self.names.index(name)
        return [row[at] for row in self._rows]

    def is_numeric(self, name: str) -> bool:
        """Return whether all fields of a column are numbers."""
        return self._numbers(self._fields(name)) is not None

    def _number(self, field: str) -> str:
        """Return a field with a decimal point; fields with a point stay what they are: text."""
        if self._decimal == ".":
            return field
        return field.replace(".", "?").replace(",", ".")

    def ends(self, name: str) -> Array:
        fields = self._fields(name)
        self._refuse_missing(name, fields, GraphError)
        if not fields:
            return np.empty(0, np.int64)
        integers = None if self._text else _integers(fields)
        if integers is None:
            texts = [] if self._text else [self._number(field) for field in fields]
            if texts and all(map(NUMBER.fullmatch, texts)):
                msg = (
                    f"column {name!r} has numbers that are not integers, such as {fields[0]!r}: "
                    'vertices are integers or names; ids="text" reads names.'
                )
                raise GraphError(msg)
            return np.array(fields)
        return integers

    def both_ends(self, source: str, target: str) -> tuple[Array, Array]:
        src, dst = self.ends(source), self.ends(target)
        if src.dtype.kind == "U" or dst.dtype.kind == "U":  # of both columns
            src, dst = np.array(self._fields(source)), np.array(self._fields(target))
            if not self._text and self._rows:
                self._report_mixed_ends(source, target)
        return src, dst

    def _report_mixed_ends(self, *ends: str) -> None:
        """Report a name among integers; raise GraphError if it may be an error of typing."""
        columns = {name: self._fields(name) for name in ends}
        if not all(INTEGER.fullmatch(fields[0]) for fields in columns.values()):
            return
        row, name = min(
            (next((at for at, field in enumerate(fields) if not INTEGER.fullmatch(field)), 0), name)
            for name, fields in columns.items()
            if not all(map(INTEGER.fullmatch, fields))
        )
        field = columns[name][row]
        if self.refuse_mixed_ends or field[:1] in {"#", "%"}:
            msg = (
                f"row {row} of column {name!r} is {field!r:.60}, but row 0 is an integer: vertices "
                'are all integers or all names. Leave the row out, or ids="text" reads names.'
            )
            raise GraphError(msg)
        self.report[f"vertices are names, as row {row} of column {name!r} is no integer"] = field

    def weights(self, name: str) -> Array:
        fields = self._fields(name)
        self._refuse_missing(name, fields, WeightError)
        values = self._numbers(fields)
        if values is None:
            at = next(
                k for k, each in enumerate(fields) if not NUMBER.fullmatch(self._number(each))
            )
            msg = (
                f"row {at} of column {name!r} is {fields[at]!r}: weights are numbers with the "
                f"decimal mark {self._decimal!r}{self._hint(fields, at)}; weight=None leaves them "
                "out."
            )
            raise WeightError(msg)
        return values

    def _hint(self, fields: list[str], at: int) -> str:
        """Return what to do about a field that is not a number with this decimal mark."""
        other = "." if self._decimal == "," else ","
        if other not in fields[at]:
            return ""
        if self._decimal in fields[at]:
            return ", without separators of thousands"
        mine = _WITH_COMMA if self._decimal == "," else _WITH_POINT
        row = next((row for row, field in enumerate(fields) if mine.fullmatch(field)), None)
        if row is not None:
            return f", as {fields[row]!r} in row {row} is: use one mark in the whole column"
        return f"; decimal={other!r} reads other marks"

    def kept(self, name: str) -> Array:
        fields = self._fields(name)
        values = self._numbers([field or "nan" for field in fields])
        return np.array(fields) if values is None else values

    def _numbers(self, fields: list[str]) -> Array | None:
        """Return fields as int64 or float64, or None if one is not a number."""
        if (integers := _integers(fields)) is not None:
            return integers
        texts = [self._number(field) for field in fields]
        if all(text == "nan" or NUMBER.fullmatch(text) for text in texts):
            return np.array(list(map(float, texts)), np.float64)
        return None

    def _refuse_missing(
        self, name: str, fields: list[str], error: type[GraphError | WeightError]
    ) -> None:
        missing = fields.count("")
        if missing:
            msg = (
                f"row {fields.index('')} of column {name!r} is missing ({missing} in all): leave "
                "such rows out."
            )
            raise error(msg)


def _integers(fields: list[str]) -> Array | None:
    """Return fields as int64, or None if one is not an integer of 64 bits."""
    if not all(map(INTEGER.fullmatch, fields)):
        return None
    try:
        return np.array(list(map(int, fields)), np.int64)
    except (OverflowError, ValueError):  # Python refuses thousands of digits
        return None


def write(
    graph: Graph,
    file: BinaryIO,
    *,
    delimiter: str = ",",
    decimal: str = ".",
    escape_formulas: bool = False,
) -> None:
    """Write source, target, weight (of a weighted graph) and kept columns, a row per stored edge.

    Parameters
    ----------
    delimiter, decimal : one character each.
    escape_formulas : whether names that a spreadsheet would take for formulas, because they start
        with = + - or @, get an apostrophe in front.

    Notes
    -----
    An undirected graph is written with both arcs of each edge. Vertices have the names of the
    graph's file. Coordinates and vertices without edges are not written; `.npz` holds them.
    """
    if len(delimiter) != 1 or decimal not in {".", ","} or delimiter == decimal:
        msg = f"delimiter={delimiter!r}, decimal={decimal!r}: two different characters are needed."
        raise InputError(msg)
    escape_formulas = checked_bool(escape_formulas, "escape_formulas")
    kept = {} if graph.given is None else graph.given.columns
    header = ["source", "target", *(["weight"] if graph.weights is not None else []), *kept]

    def cell(value: Any) -> str:
        if isinstance(value, str):
            return csv_cell(value, delimiter, escape_formulas=escape_formulas)
        return "" if value is None else str(value)

    file.writelines(
        f"{delimiter.join(map(cell, row))}\n".encode()
        for row in chain([header], _written(graph, decimal))
    )


def _written(graph: Graph, decimal: str) -> Iterator[tuple[Any, ...]]:
    low = 0
    for src, dst, weights in edge_blocks(graph):
        columns = [file_ids(graph, ends).tolist() for ends in (src, dst)]
        if graph.weights is not None:
            columns.append(_with_mark(weights, decimal))
        if graph.given is not None:
            edges = slice(low, low + len(src))
            columns += [
                _with_mark(graph.given.column(name, edges), decimal) for name in graph.given.columns
            ]
        low += len(src)
        yield from zip(*columns, strict=True)


def _with_mark(values: Array, decimal: str) -> list[Any]:
    texts: list[Any] = values.tolist()
    if decimal == "." or values.dtype.kind != "f":
        return texts
    return [repr(value).replace(".", decimal) for value in texts]
