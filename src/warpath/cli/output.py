"""Results on stdout: tables with colour on a terminal, plain text in a pipe, or one JSON document.

Facts and small tables are aligned, also in a pipe. Rows of data in a pipe have a header and are
separated by tabs. Only on a terminal do numbers have thousands separators.
"""

from __future__ import annotations

import math
import sys
import time
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base import units
from warpath.base.escaping import json_chunks, visible
from warpath.cli.reporting import busy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from warpath.cli.reporting import Showing
    from warpath.graph import Graph
    from warpath.results.run_plan import RunPlan


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
    ids: frozenset[str] = frozenset(
        {"vertex", "pred", "source", "target", "facility", "origin", "destination"}
    )  # without separators


class Report:
    """The outcome of a command, which is shown as text, as tables on a terminal, or as JSON.

    Attributes
    ----------
    document : the JSON document; `plain` converts its values.
    facts : the lines of text, by their labels.
    parts : what follows these lines.
    """

    def __init__(self, command: str, showing: Showing, **document: Any) -> None:
        self.document: dict[str, Any] = {"command": command, **document}
        self.facts: dict[str, Any] = {}
        self.parts: list[NamedValues | TableRows | str] = []
        self.showing = showing

    def add(self, name: str, value: Any, label: str, text: Any = None) -> None:
        """Add a value to the document, and to the lines with a label, there perhaps as a text."""
        self.document[name] = value
        self.facts[label] = value if text is None else text

    def add_seconds(self, seconds: Mapping[str, float]) -> None:
        """Add the durations of steps such as read and solve."""
        steps = [f"{units.seconds(time)} {step.rstrip('e')}ing" for step, time in seconds.items()]
        self.add("seconds", seconds, "time", ", ".join(steps))

    def add_plan(self, plan: RunPlan, seconds: Mapping[str, float]) -> None:
        """Add the plan of a solve and the durations."""
        self.document |= {"algorithm": plan.algorithm, "plan": str(plan)}
        self.add_seconds(seconds)
        self.facts["plan"] = plan.headline()

    def add_run(self, result: Any, seconds: Mapping[str, float]) -> None:
        """Add the plan and the counters of a result, and the durations."""
        self.add_plan(result.plan, seconds)
        self.document["stats"] = result.stats

    def add_file(
        self, name: str, file: Path | None, label: str, write: Callable[[Path], Any]
    ) -> None:
        """Write a file if its option was given, and add its path and the time.

        Parameters
        ----------
        write : is called with the file; it may return a text to show instead of the path.
        """
        self.document[name] = None if file is None else str(file)
        if file is not None:
            start = time.perf_counter()
            with busy(f"{'drawing' if name == 'plot' else 'writing'} {file.name}", self.showing):
                text = write(file)
            took = time.perf_counter() - start
            self.facts[label] = text if isinstance(text, str) else file
            if "seconds" in self.document:
                self.add_seconds({**self.document["seconds"], "write": took})

    def add_rows(
        self, name: str, columns: Sequence[str], rows: Iterable[Sequence[Any]] | None
    ) -> None:
        """Add a table of results, in the document as a list of objects; None for no table."""
        self.document[name] = None
        if rows is not None:
            listed = list(rows)
            self.document[name] = [dict(zip(columns, row, strict=True)) for row in listed]
            self.parts.append(TableRows(columns, listed))

    def show(self, *, facts: bool = True) -> None:
        """Print the report.

        Parameters
        ----------
        facts : whether the text has the lines, not only the parts.
        """
        parts = [NamedValues(self.facts), *self.parts] if self.facts and facts else self.parts
        if self.document.get("out") == "-":  # the rows have been written there
            return
        if self.showing.as_json:
            encoded = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")
            document = plain(self.document)
            sys.stdout.writelines(json_chunks(document, indent=2, ascii_only=not encoded))
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


def titled(name: str, graph: Graph) -> str:
    """Return a name, such as that of the file, and the sizes of a graph as one line."""
    both = "" if graph.directed else ", both ways counted"
    return f"{visible(name)}: n = {count(graph.n)} vertices, m = {count(graph.m)} edges{both}"


def count(number: int) -> str:
    """Return a number as text, on a terminal with thousands separators."""
    return text_of(number, thousands=on_terminal())


def plain(value: Any) -> Any:
    """Return a value that JSON can hold; infinite floats and NaN become None."""
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
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


def _write_text(part: NamedValues | TableRows | str) -> None:
    if isinstance(part, str):
        sys.stdout.write(f"{visible(part, lines=True)}\n")
    elif isinstance(part, TableRows) and part.data:
        sys.stdout.write("\t".join(map(visible, part.columns)) + "\n")
        sys.stdout.writelines(
            "\t".join("" if value is None else text_of(value) for value in row) + "\n"
            for row in part.rows
        )
    else:
        rows = part.values.items() if isinstance(part, NamedValues) else [part.columns, *part.rows]
        texts = [list(map(text_of, row)) for row in rows]
        widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
        for row in texts:
            cells = map(str.ljust, row, widths)
            sys.stdout.write("  ".join(cells).rstrip() + "\n")


def _show_rich(parts: Sequence[NamedValues | TableRows | str]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=False)
    for at, part in enumerate(parts):
        if at:
            console.print()
        if isinstance(part, str):
            console.print(Text(visible(part, lines=True)))
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
