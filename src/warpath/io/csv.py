"""CSV edge tables with quoted fields, through pyarrow."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from warpath.base.errors import InputError, require
from warpath.io.dataframes import ENDS, from_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warpath.base.errors import GraphFormatError
    from warpath.graph import Graph
    from warpath.io.dataframes import Column
    from warpath.io.source import Source

_DELIMITERS = (",", ";", "\t", "|")
_ROW = re.compile(r"[Rr]ow #(\d+)")


def sniff(head: bytes) -> bool:
    """Return whether there are quoted fields and a header that names the ends of edges."""
    first, _, rest = head.partition(b"\n")
    second = rest.partition(b"\n")[0]
    if b'"' not in first + second or b"\0" in head or first.lstrip()[:1] in b"#%":
        return False
    fields = first.decode("utf-8", "replace").split(_delimiter(first))
    names = {field.strip('" \r').lower() for field in fields}
    return any(names.issuperset(pair) for pair in ENDS)


def _delimiter(header: bytes) -> str:
    text = header.decode("utf-8", "replace")
    return max(_DELIMITERS, key=text.count)


def read(
    source: Source,
    *,
    directed: bool = True,
    weight: Column | None = "auto",
    columns: Sequence[Column] | None = None,
    delimiter: str | None = None,
) -> Graph:
    """Read a CSV file with a header line; columns as in `warpath.io.dataframes.from_table`.

    Parameters
    ----------
    source : a UTF-8 file.
    directed, weight, columns : as for tables.
    delimiter : one character; None: the most frequent of comma, semicolon, tab and bar in the first
        line.

    Raises
    ------
    GraphFormatError
        A row has a different number of fields; the message has the line.
    MissingDependencyError
        pyarrow is not installed (`pip install pyarrow`).
    """
    csv = require("pyarrow.csv", extra="io", what="reading CSV edge tables")
    arrow = require("pyarrow", extra="io", what="reading CSV edge tables")
    if delimiter is None:
        delimiter = _delimiter(source.head.partition(b"\n")[0])
    elif len(delimiter) != 1:
        msg = f"delimiter={delimiter!r}: one character is needed."
        raise InputError(msg)
    columns_in_all = 1 + source.head.partition(b"\n")[0].count(delimiter.encode())
    source.need(len(source.data) + 8 * columns_in_all * source.rows_from(0))
    try:
        table = csv.read_csv(
            arrow.BufferReader(source.data),
            # With one thread, errors have the number of the bad row.
            read_options=csv.ReadOptions(use_threads=False),
            parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            # Only empty fields are missing values: NA can be a name.
            convert_options=csv.ConvertOptions(timestamp_parsers=[], null_values=[""]),
        )
    except arrow.ArrowMemoryError:
        raise
    except (arrow.ArrowException, ValueError) as error:
        text = str(error)
        row = _ROW.search(text)
        raise source.error(int(row[1]) if row else None, text.replace("\n", " ")) from error
    for name, kind in zip(column_names(source, table), table.schema.types, strict=True):
        if arrow.types.is_binary(kind):
            raise source.error(None, f"column {name!r} is not UTF-8 text: convert the file")
    return of_table(source, table, directed=directed, weight=weight, columns=columns)


def column_names(source: Source, table: Any) -> list[str]:
    """Return the names of a table's columns, or raise GraphFormatError if one is not UTF-8."""
    try:
        names: list[str] = table.column_names
    except UnicodeDecodeError as error:
        raise bad_name(source, error) from error
    return names


def bad_name(source: Source, error: UnicodeDecodeError) -> GraphFormatError:
    """Return the error for a column whose name is not UTF-8."""
    msg = f"the name of a column, {error.object[:40]!r}, is not UTF-8 text: convert the file"
    return source.error(None, msg)


def of_table(source: Source, table: Any, **options: Any) -> Graph:
    """Make a graph from a table that was read from a file; errors name the file."""
    try:
        return from_table(table, name=source.title, **options)
    except InputError as error:
        raise source.error(None, str(error)) from error
