"""CSV edge tables with quoted fields, through pyarrow."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from warpath.errors import InputError, require
from warpath.io.tables import from_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warpath.graph import Graph
    from warpath.io.source import Source
    from warpath.io.tables import Column

_DELIMITERS = (",", ";", "\t", "|")
_ROW = re.compile(r"[Rr]ow #(\d+)")


def sniff(head: bytes) -> bool:
    """Say whether the first line has delimiters and quotes, which plain edge lists do not."""
    lines = [line for line in head.splitlines()[:2] if line.strip()]
    return any(
        line.count(b'"') >= 2
        and line[:1] not in b"{[<#%"
        and any(d.encode() in line for d in _DELIMITERS)
        for line in lines
    )


def read(
    source: Source,
    *,
    directed: bool = True,
    weight: Column | None = "auto",
    columns: Sequence[Column] | None = None,
    delimiter: str | None = None,
) -> Graph:
    """Read a CSV file with a header line; columns as in `warpath.io.tables.from_table`.

    Parameters
    ----------
    source : the file, UTF-8.
    directed, weight, columns : as for tables.
    delimiter : one character; None: the most frequent of comma, semicolon, tab and bar in the first
        line.

    Raises
    ------
    GraphFormatError
        With the line, where a row has another number of fields.
    MissingDependencyError
        pyarrow is not installed (`pip install warpath[io]`).
    """
    csv = require("pyarrow.csv", extra="io", what="reading CSV edge tables")
    arrow = require("pyarrow", extra="io", what="reading CSV edge tables")
    if delimiter is None:
        first = source.head.partition(b"\n")[0].decode("utf-8", "replace")
        delimiter = max(_DELIMITERS, key=first.count)
    elif len(delimiter) != 1:
        msg = f"delimiter={delimiter!r}: one character is needed."
        raise InputError(msg)
    try:
        table = csv.read_csv(
            arrow.BufferReader(source.data),
            # One thread: a row that is wrong is then reported by its number.
            read_options=csv.ReadOptions(use_threads=False),
            parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            convert_options=csv.ConvertOptions(timestamp_parsers=[]),
        )
    except (arrow.ArrowException, ValueError) as error:
        text = str(error)
        row = _ROW.search(text)
        raise source.error(int(row[1]) if row else None, text.replace("\n", " ")) from error
    return of_table(source, table, directed=directed, weight=weight, columns=columns)


def of_table(source: Source, table: Any, **options: Any) -> Graph:
    """Make the graph of a table read from a file; what is wrong with it names the file."""
    try:
        return from_table(table, name=source.title, **options)
    except InputError as error:
        raise source.error(None, str(error)) from error
