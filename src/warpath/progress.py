"""How long work tells how far it is."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Report = Callable[[int, int], None]

_SILENT_SECONDS = 1.0  # shorter work shows nothing


@contextmanager
def watch(progress: bool | Report | None, what: str) -> Iterator[Report | None]:
    """Give the core something to call with (done, total), or None.

    Parameters
    ----------
    progress : None or False for silence; True for a bar on stderr (rich, where it is installed and
        stderr is a terminal, else a line for every tenth); or a function of (done, total).
    what : the name in front of the bar.
    """
    if progress is None or progress is False:
        yield None
    elif callable(progress):
        yield progress
    else:
        with _bar(what) as report:
            yield report


def share(report: Report | None, rows: slice, of: int) -> Report | None:
    """Return a report for the part of a table that these rows are, told as rows of the whole."""
    if report is None:
        return None

    def part(done: int, total: int) -> None:
        fraction = min(1.0, done / total) if total else 0.0
        report(rows.start + int(fraction * (rows.stop - rows.start)), of)

    return part


@contextmanager
def _bar(what: str) -> Iterator[Report]:
    try:
        from rich.console import Console
        from rich.progress import Progress
    except ImportError:
        yield _lines(what)
        return
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _lines(what)
        return
    start = time.monotonic()
    bar = Progress(console=console, transient=True)  # started late: short work leaves no trace
    task = bar.add_task(what, total=None)
    shown = False

    def report(done: int, total: int) -> None:
        nonlocal shown
        if not shown and time.monotonic() - start > _SILENT_SECONDS:
            shown = True
            bar.start()
        bar.update(task, completed=done, total=total or None)

    try:
        yield report
    finally:
        if shown:
            bar.stop()


def _lines(what: str) -> Report:
    start = time.monotonic()
    told = 0

    def report(done: int, total: int) -> None:
        nonlocal told
        tenth = 10 * done // total if total else 0
        if tenth > told and time.monotonic() - start > _SILENT_SECONDS:
            told = tenth
            sys.stderr.write(f"{what}: {10 * tenth} %\n")

    return report
