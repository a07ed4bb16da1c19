"""Progress reports of long calls: bars, lines and callbacks."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from warpath.base import notebook, units
from warpath.base.errors import InputError
from warpath.base.escaping import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    Report = Callable[[int, int], None]

_SILENT_SECONDS = 1.0  # shorter calls show nothing
_REDRAWN = 0.1  # between two updates of a notebook's bar


class Pace:
    """An estimate of the rate and the time left, from successive progress reports.

    Parameters
    ----------
    unit : the counted things, in the plural; empty if their number means nothing to users.
    """

    def __init__(self, unit: str = "") -> None:
        self._unit = unit
        self._first: tuple[float, int] | None = None

    def __call__(self, done: int, total: int) -> tuple[str, str]:
        """Return the rate and the time left as text, each empty if it is not known yet.

        Work that was done before the first call, by a run that this one continues, is not counted.
        """
        now = time.monotonic()
        if self._first is None:
            self._first = now, done
        start, before = self._first
        if done <= before or now <= start:
            return "", ""
        rate = (done - before) / (now - start)
        shown = f"{units.digits(rate)} {self._unit}/s" if self._unit else ""
        return shown, f"{units.clock((total - done) / rate)} left" if total > done else ""


def is_silent(progress: Any) -> bool:
    """Return whether `progress` requests no reports."""
    return progress is None or progress is False


_SILENT = nullcontext()  # entered in a tenth of the time of a generator


def watch(progress: Any, what: str, unit: str = "") -> AbstractContextManager[Report | None]:
    """Return a context with a callback that takes (done, total), or None for no reports.

    Parameters
    ----------
    progress : None or False for no reports; True for a bar with the rate and the time left: in a
        notebook below the cell, else on stderr (rich, if it is installed and stderr is a terminal,
        else a line for every tenth); or a function of (done, total).
    what : the name in front of the bar.
    unit : the counted things, in the plural, for the rate.

    Raises
    ------
    InputError
        `progress` is none of these.
    """
    return _SILENT if is_silent(progress) else _watching(progress, what, unit)


@contextmanager
def _watching(progress: Any, what: str, unit: str) -> Iterator[Report]:
    if callable(progress):
        yield progress
    elif progress is not True:
        msg = (
            f"progress = {progress!r:.60} must be True, which shows a bar, or a function, which is "
            "called with (done, total)."
        )
        raise InputError(msg)
    else:
        shown = _notebook_bar if _in_notebook() else _bar
        with shown(what, unit) as report:
            yield report


def _in_notebook() -> bool:
    """Return whether this is the kernel of a notebook, without importing IPython."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None


@contextmanager
def _notebook_bar(what: str, unit: str) -> Iterator[Report]:
    """Show a bar below the cell during a call; short calls show nothing."""
    from IPython.display import HTML, display

    start, pace = time.monotonic(), Pace(unit)
    handle: Any = None
    drawn = 0.0

    def report(done: int, total: int) -> None:
        nonlocal handle, drawn
        rate_and_left = pace(done, total)
        now = time.monotonic()
        if now - start <= _SILENT_SECONDS or now - drawn < _REDRAWN:
            return
        drawn = now
        page = HTML(notebook.progress(what, done, total, "  ".join(filter(None, rate_and_left))))
        if handle is None:
            handle = display(page, display_id=True)
        else:
            handle.update(page)

    try:
        yield report
    finally:
        if handle is not None:
            handle.update(HTML(""))


def share(report: Report | None, rows: slice, of: int) -> Report | None:
    """Return a callback for some rows of a table that reports their progress as rows of `of`."""
    if report is None:
        return None

    def part(done: int, total: int) -> None:
        fraction = min(1.0, done / total) if total else 0.0
        report(rows.start + int(fraction * (rows.stop - rows.start)), of)

    return part


@contextmanager
def _bar(what: str, unit: str) -> Iterator[Report]:
    try:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
    except ImportError:
        yield _lines(what, unit)
        return
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _lines(what, unit)
        return
    start, pace = time.monotonic(), Pace(unit)
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[pace]}", markup=False),
        console=console,
        transient=True,
    )
    task = bar.add_task(visible(what), total=None, pace="")
    shown = False  # the bar starts late, so that short calls show nothing

    def report(done: int, total: int) -> None:
        nonlocal shown
        rate, left = pace(done, total)
        if not shown and time.monotonic() - start > _SILENT_SECONDS:
            shown = True
            bar.start()
        bar.update(
            task, completed=done, total=total or None, pace="  ".join(filter(None, (rate, left)))
        )

    try:
        yield report
    finally:
        if shown:
            bar.stop()


def _lines(what: str, unit: str) -> Report:
    start, pace = time.monotonic(), Pace(unit)
    reported: int | None = None

    def report(done: int, total: int) -> None:
        nonlocal reported
        tenth = 10 * done // total if total else 0
        rate_and_left = pace(done, total)
        if reported is None:
            reported = tenth if done < total else 0  # work of an earlier run is not reported
        if tenth > reported and time.monotonic() - start > _SILENT_SECONDS:
            reported = tenth
            rest = ", ".join(filter(None, rate_and_left))
            sys.stderr.write(f"{visible(what)}: {10 * tenth} %{', ' if rest else ''}{rest}\n")

    return report
