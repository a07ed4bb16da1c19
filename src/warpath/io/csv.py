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
from warpath.io.dataframes import Table, from_columns
from warpath.io.save import edge_blocks
from warpath.io.text_table import (
    DIGITS,
    INTEGER,
    NA_IS_A_NAME,
    NUMBER,
    READ_AS_NAME,
    layout_of,
    missing_word,
    rows_of,
)

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
    ids : "auto": integers if all ends are integers without 0 in front, else names; words such as
        NA and null are refused, because programs write them for missing values. "text": names.
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
            msg = f"{name}={value!r} must be {' or '.join(repr(item) for item in allowed if item)}."
            raise InputError(msg)
    if delimiter is not None and len(delimiter) != 1:
        msg = f"delimiter={delimiter!r}: one character is needed."
        raise InputError(msg)
    if delimiter is not None and delimiter == decimal:
        msg = f"delimiter={delimiter!r} and decimal={decimal!r} are the same character."
        raise InputError(msg)
    layout = _layout(source, delimiter=delimiter, header=header, columns=columns or ())
    table = _TextTable(source, layout, decimal=decimal, text=ids == "text")
    if layout.names is None:
        columns, weight = columns_by_position(source, layout, columns, weight)
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


def table_with_header(source: Source) -> _TextTable:
    """Return the columns of a text file whose first row names them."""
    return _TextTable(source, _layout(source, header=True))


def _layout(source: Source, **options: Any) -> Layout:
    layout = layout_of(source, **options)
    if layout is None:
        raise source.error(None, "the file has no rows, only comments")
    return layout


def comments_report(layout: Layout) -> dict[str, Any]:
    """Return the part of a graph's report about comments."""
    count = layout.start.comments
    return {"lines at the start that were skipped as comments": count} if count else {}


def column_names(layout: Layout) -> list[str]:
    """Return the names of the columns of a table, "0", "1", ... without a header."""
    names = layout.names or list(map(str, range(len(layout.first))))
    while not layout.names and len(names) > 2 and not layout.first[len(names) - 1]:
        names.pop()  # a delimiter at the end of rows
    return names


def columns_by_position(
    source: Source, layout: Layout, columns: Sequence[Column] | None, weight: Column | None
) -> tuple[Sequence[Column], Column | None]:
    """Return the columns of a table without a header: source, target and weight if there are 3."""
    if columns is not None and (len(columns) != 3 or columns[2] != "auto"):
        return columns, weight
    columns = (0, 1) if columns is None else columns[:2]
    if weight != "auto" or columns[0] == columns[1]:
        return columns, weight
    others = [at for at in range(len(column_names(layout))) if at not in columns]
    if len(others) > 1:
        listed = ", ".join(f'{at} ("{text[:20]}")' for at, text in enumerate(layout.first[:40]))
        reason = (
            f"which of the columns is the weight is not clear: the columns are {listed}. Choose "
            f"with weight={others[0]}, or weight=None for 1 on every edge"
        )
        raise source.error(layout.line, reason)
    return columns, others[0] if others else None


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
        reason = (
            "the file is not UTF-8 text: save it as UTF-8, or if it is of Windows, "
            f"wp.Graph.of(pandas.read_csv({str(source.path)!r}, encoding='cp1252'))"
        )
        raise source.error(line, reason) from error
    names = column_names(layout)
    width = len(names)
    needed = max((at + 1 for at, name in enumerate(names) if name), default=width)
    rows: list[list[str]] = []
    number = 0
    try:
        for at, (number, row) in enumerate(rows_of(text, delimiter)):
            if at < layout.above:
                continue
            if not needed <= len(row) or any(row[width:]):
                reason = f"expected {width} columns, found {len(row)}"
                joined = delimiter.join(row).encode()
                raise source.error(start.line.number + number - 1, reason, joined)
            rows.append([*row[:width], *[""] * (width - len(row))] if len(row) != width else row)
    except csv.Error as error:
        reason = f"a quoted field is not closed or not alone: {error}"
        raise source.error(start.line.number + number, reason) from error
    if not rows:
        reason = f"the file has only a header ({', '.join(map(repr, names[:20]))}) and no rows"
        raise source.error(None, reason)
    return names, rows


class _TextTable(Table):
    """Columns of text, which become numbers where all fields of a column are numbers.

    Parameters
    ----------
    decimal : the decimal mark; None: that of the layout.
    text : whether all vertices are names.
    """

    def __init__(
        self, source: Source, layout: Layout, *, decimal: str | None = None, text: bool = False
    ) -> None:
        names, self._rows = _rows(source, layout)
        super().__init__(None, names)
        self.report = comments_report(layout)
        self._decimal = decimal or layout.decimal
        self._text = text
        # In lists without a header, integers have no names among them.
        self._has_header = layout.names is not None

    def fields(self, name: str) -> list[str]:
        """Return a column of text."""
        at = self.names.index(name)
        return [row[at] for row in self._rows]

    def is_numeric(self, name: str) -> bool:
        """Return whether all fields of a column are numbers."""
        return self._numbers(self.fields(name)) is not None

    def _number(self, field: str) -> str:
        """Return a field with a decimal point; fields with a point stay what they are: text."""
        if self._decimal == ".":
            return field
        return field.replace(".", "?").replace(",", ".")

    def ends(self, name: str) -> Array:
        fields = self.fields(name)
        self._refuse_missing(name, fields, GraphError)
        if not fields:
            return np.empty(0, np.int64)
        if self._text:
            return np.array(fields)
        bare = [field.strip() for field in fields]
        if all(map(INTEGER.fullmatch, bare)):
            if (integers := _integers(bare)) is not None:
                return integers
            reason = f"has an integer that does not fit in 64 bits, such as {max(bare, key=len)!r}"
        elif all(map(DIGITS.fullmatch, bare)) or not all(
            NUMBER.fullmatch(self._number(field)) for field in bare
        ):
            return np.array(fields)
        else:
            fraction = next(field for field in bare if not DIGITS.fullmatch(field))
            reason = f"has numbers that are not integers, such as {fraction!r}"
        msg = f'column {name!r} {reason}: vertices are integers or names; ids="text" reads names.'
        raise GraphError(msg)

    def both_ends(self, source: str, target: str) -> tuple[Array, Array]:
        src, dst = self.ends(source), self.ends(target)
        if src.dtype.kind == "U" or dst.dtype.kind == "U":  # of both columns
            src, dst = np.array(self.fields(source)), np.array(self.fields(target))
            if not self._text and self._rows:
                self._check_names(source, target)
            if blanks := sum(name != name.strip() for name in {*src.tolist(), *dst.tolist()}):
                self.report["names with blanks at their ends, in quotes"] = blanks
        return src, dst

    def _check_names(self, *ends: str) -> None:
        """Report names among integers; raise GraphError for one that may be an error."""
        columns = {name: self.fields(name) for name in ends}
        if self._has_header:
            for name, fields in columns.items():
                if (row := missing_word(fields)) is not None:
                    msg = f"row {row} of column {name!r} is {fields[row]!r}, {READ_AS_NAME}."
                    raise GraphError(msg)
                if "NA" in fields:
                    self.report[NA_IS_A_NAME] = f"row {fields.index('NA')} of column {name!r}"
        if not all(DIGITS.fullmatch(fields[0].strip()) for fields in columns.values()):
            return
        row, name = min(
            (at, name)
            for name, fields in columns.items()
            for at, field in enumerate(fields)
            if not INTEGER.fullmatch(field.strip())
        )
        field = columns[name][row]
        padded = DIGITS.fullmatch(field.strip()) is not None
        if not padded and (not self._has_header or field[:1] in {"#", "%"}):
            msg = (
                f"row {row} of column {name!r} is {field!r:.60}, but row 0 is an integer: vertices "
                'are all integers or all names. Leave the row out, or ids="text" reads names.'
            )
            raise GraphError(msg)
        why = "starts with 0" if padded else "is no integer"
        self.report[f"vertices are names, as row {row} of column {name!r} {why}"] = field

    def weights(self, name: str) -> Array:
        fields = self.fields(name)
        self._refuse_missing(name, fields, WeightError)
        values = self._numbers(fields)
        if values is None:
            at = next(
                k for k, text in enumerate(fields) if not NUMBER.fullmatch(self._number(text))
            )
            msg = (
                f"row {at} of column {name!r} is {fields[at]!r}: weights are numbers with the "
                f"decimal mark {self._decimal!r}{self._hint(fields, at)}; weight=None leaves them "
                "out."
            )
            raise WeightError(msg)
        if values.dtype.kind == "f":
            self._refuse_rounding(name, fields, values)
        return values

    def _refuse_rounding(self, name: str, fields: list[str], values: Array) -> None:
        """Raise WeightError for an integer beyond 64 bits, or a number beyond all doubles."""
        for at in np.flatnonzero(np.isinf(values)).tolist():
            if "inf" not in fields[at].lower():
                msg = f"row {at} of column {name!r} is {fields[at]!r:.60}, larger than any double."
                raise WeightError(msg)
        for at, field in enumerate(fields):
            if len(field) > 18 and DIGITS.fullmatch(field) and _integers([field]) is None:
                msg = (
                    f"row {at} of column {name!r} is {field!r:.60}, which does not fit in 64 bits; "
                    "write it with a decimal point to have it rounded."
                )
                raise WeightError(msg)

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
        fields = self.fields(name)
        names = any(map(DIGITS.fullmatch, fields)) and not all(
            map(INTEGER.fullmatch, filter(DIGITS.fullmatch, fields))
        )
        values = None if names else self._numbers([field or "nan" for field in fields])
        return np.array(fields) if values is None else values

    def _numbers(self, fields: list[str]) -> Array | None:
        """Return fields as int64 or float64, or None if one is not a number."""
        fields = [field.strip() for field in fields]
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
    if not all(map(DIGITS.fullmatch, fields)):
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
    further = {} if graph.given is None else graph.given.columns
    header = ["source", "target", *(["weight"] if graph.weights is not None else []), *further]

    def cell(value: Any) -> str:
        if value is None or isinstance(value, int | float):
            return "" if value is None else str(value)
        return csv_cell(str(value), delimiter, escape_formulas=escape_formulas)

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
