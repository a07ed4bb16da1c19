"""HTML of results in notebooks: small, without scripts, for light and dark pages.

Colours are those of the page, or greys that are visible on both. All text is escaped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warpath.base.escaping import html

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_LINE = "1px solid rgba(128, 128, 128, 0.35)"
_BOX = (
    f"display: inline-block; border: {_LINE}; border-radius: 6px; padding: 0.5em 0.8em; "
    "max-width: 100%; overflow-x: auto; line-height: 1.45"
)
_TABLE = "border-collapse: collapse; margin: 0.3em 0 0 0; border: none"
_CELL = "padding: 0.1em 0.9em 0.1em 0; border: none; background: none"
_NAME = f"{_CELL}; text-align: left; opacity: 0.7; vertical-align: top"
_TEXT = f"{_CELL}; text-align: left"
_HEAD = f"border-bottom: {_LINE}"
_NUMBER = f"{_CELL}; text-align: right; font-variant-numeric: tabular-nums"


def box(title: str, *parts: str) -> str:
    """Return a frame with a bold title and the given parts below it."""
    return f'<div style="{_BOX}"><b>{html(title)}</b>{"".join(parts)}</div>'


def facts(values: Mapping[str, Any]) -> str:
    """Return a table of named values, one per row."""
    rows = "".join(
        f'<tr style="background: none"><td style="{_NAME}">{html(name)}</td>'
        f'<td style="{_TEXT}">{html(value)}</td></tr>'
        for name, value in values.items()
    )
    return f'<table style="{_TABLE}"><tbody>{rows}</tbody></table>'


def table(head: Sequence[Any], rows: Iterable[Sequence[Any]], *, names: int = 1) -> str:
    """Return a table whose first `names` columns are names, the others numbers or short text."""
    first = "".join(
        f'<th style="{_TEXT if at < names else _NUMBER}; {_HEAD}">{html(cell)}</th>'
        for at, cell in enumerate(head)
    )
    below = "".join(f'<tr style="background: none">{_cells(row, names)}</tr>' for row in rows)
    return f'<table style="{_TABLE}"><thead><tr>{first}</tr></thead><tbody>{below}</tbody></table>'


def folded(summary: str, lines: Iterable[str]) -> str:
    """Return lines that are hidden until their summary is clicked."""
    inside = "".join(f"<div>{html(line)}</div>" for line in lines)
    return (
        f'<details style="margin-top: 0.3em"><summary style="opacity: 0.7">{html(summary)}'
        f"</summary>{inside}</details>"
    )


def line(text: str) -> str:
    """Return a line of small text."""
    return f'<div style="opacity: 0.7; margin-top: 0.3em">{html(text)}</div>'


def progress(what: str, done: int, total: int, note: str) -> str:
    """Return a progress bar; without a total it is indeterminate."""
    amount = f' value="{done}" max="{total}"' if total else ""
    share = f"{100 * done // total} %" if total else ""
    words = "&ensp;".join(filter(None, (share, html(note))))
    return (
        f'<div style="line-height: 1.45">{html(what)}&ensp;<progress{amount} '
        f'style="vertical-align: middle; width: 18em"></progress>&ensp;{words}</div>'
    )


def _cells(row: Sequence[Any], names: int) -> str:
    return "".join(
        f'<td style="{_NAME if at < names else _NUMBER}">{html(cell)}</td>'
        for at, cell in enumerate(row)
    )
