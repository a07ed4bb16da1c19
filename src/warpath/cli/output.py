"""Results on stdout: tables with colour on a terminal, plain text in a pipe, or one JSON document.

Facts and small tables are aligned, also in a pipe. Rows of data in a pipe have a header and are
separated by tabs. Only on a terminal do numbers have thousands separators.
"""

from __future__ import annotations

import math
import sys
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base.escaping import json_chunks, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from warpath.graph import Graph


class NamedValues(NamedTuple):
    """Named values."""

    values: Mapping[str, Any]
    title: str | None = None


class TableRows(NamedTuple):
    """A table; `data` is True for results that programs may read, False for lists to read."""

    columns: Sequence[str]
    rows: Iterable[Sequence[Any]]
    title: str | None = None
    data: bool = True
    ids: frozenset[str] = frozenset({"vertex", "pred", "source", "target"})  # without separators


class Sentence(NamedTuple):
    """A sentence."""

    text: str


def show(
    document: Mapping[str, Any], *parts: NamedValues | TableRows | Sentence, as_json: bool
) -> None:
    """Print a document as JSON, or its parts as readable text."""
    if as_json:
        encoded = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")
        sys.stdout.writelines(json_chunks(plain(document), indent=2, ascii_only=not encoded))
        sys.stdout.write("\n")
    elif on_terminal():
        _show_rich(parts)
    else:
        for at, part in enumerate(parts):
            if at:
                sys.stdout.write("\n")
            _write_text(part)
    sys.stdout.flush()


def on_terminal() -> bool:
    """Return whether stdout is a terminal."""
    return sys.stdout.isatty()


def titled(file: Path, graph: Graph) -> str:
    """Return the file name and the sizes of a graph as one line."""
    name = text_of(file.name)
    both = "" if graph.directed else ", both ways counted"
    return f"{name}: n = {count(graph.n)} vertices, m = {count(graph.m)} edges{both}"


def count(number: int) -> str:
    """Return a number as text, on a terminal with thousands separators."""
    return text_of(number, thousands=on_terminal())


def plain(value: Any) -> Any:  # noqa: PLR0911 - one for each kind of value
    """Return a value that JSON can hold; infinite floats and NaN become None."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, np.ndarray):
        return [plain(each) for each in value.tolist()]
    if hasattr(value, "items"):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(each) for each in value]
    return str(value)


def text_of(value: Any, *, thousands: bool = False) -> str:
    """Return a value as readable text; None is a dash."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}" if thousands else str(value)
    if isinstance(value, float):
        return f"{value:,.10g}" if thousands else repr(value)
    return visible(value)


def write_rows(rows: Iterable[Sequence[Any]], separator: str = "\t") -> Iterator[str]:
    """Yield lines of separated values."""
    for row in rows:
        yield separator.join("" if value is None else text_of(value) for value in row) + "\n"


def _write_text(part: NamedValues | TableRows | Sentence) -> None:
    if isinstance(part, Sentence):
        sys.stdout.write(f"{visible(part.text, lines=True)}\n")
    elif isinstance(part, NamedValues):
        names = [visible(name) for name in part.values]
        width = max(map(len, names), default=0)
        for name, value in zip(names, part.values.values(), strict=True):
            sys.stdout.write(f"{name:<{width}}  {text_of(value)}\n")
    elif part.data:
        sys.stdout.write("\t".join(map(visible, part.columns)) + "\n")
        sys.stdout.writelines(write_rows(part.rows))
    else:
        rows = [
            [*map(visible, part.columns)],
            *([text_of(value) for value in row] for row in part.rows),
        ]
        widths = [max(len(row[at]) for row in rows) for at in range(len(part.columns))]
        for row in rows:
            cells = (f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
            sys.stdout.write("  ".join(cells).rstrip() + "\n")


def _show_rich(parts: Sequence[NamedValues | TableRows | Sentence]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=False)
    for at, part in enumerate(parts):
        if at:
            console.print()
        if isinstance(part, Sentence):
            console.print(Text(visible(part.text, lines=True)))
            continue
        if part.title:
            console.print(Text(visible(part.title), style="bold"))
        if isinstance(part, NamedValues):
            grid = Table.grid(padding=(0, 2))
            grid.add_column(style="cyan", no_wrap=True)
            grid.add_column(overflow="fold")
            for name, value in part.values.items():
                grid.add_row(Text(visible(name)), Text(text_of(value, thousands=True)))
            console.print(grid)
            continue
        rows = [list(row) for row in part.rows]
        table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
        for at_column, column in enumerate(part.columns):
            numeric = bool(rows) and all(_is_number(row[at_column]) for row in rows)
            table.add_column(
                Text(visible(column)),
                justify="right" if numeric else "left",
                overflow="fold",
                no_wrap=not part.data and not at_column,  # so that names can be copied
            )
        for row in rows:
            cells = zip(row, part.columns, strict=True)
            table.add_row(*(Text(text_of(v, thousands=c not in part.ids)) for v, c in cells))
        console.print(table)


def _is_number(value: Any) -> bool:
    return value is None or isinstance(value, int | float | np.number)
