"""Text and tables for LaTeX, which need no package of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_SPECIAL = re.compile(r"[&%$#_{}~^\\]")
_WRITTEN = {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}


def escaped(text: str) -> str:
    """Return a text with LaTeX's special characters escaped, in one line."""
    return _SPECIAL.sub(
        lambda match: _WRITTEN.get(match[0], "\\" + match[0]), " ".join(text.split())
    )


def table(
    heads: Sequence[str], rows: Iterable[Sequence[object]], about: Mapping[str, object]
) -> str:
    r"""Return a ``tabular``: columns of numbers are aligned on the right, all others on the left.

    Parameters
    ----------
    heads : names of the columns.
    rows : their values; None for an empty cell.
    about : written above the table as comments, ``% name: value``.
    """
    listed = [list(row) for row in rows]
    kinds = [
        "r" if any(_is_number(cell) for cell in column) else "l"
        for column in zip(*listed, strict=True)
    ] or ["l"] * len(heads)
    lines = [f"% {name}: {' '.join(str(value).split())}" for name, value in about.items()]
    lines += [rf"\begin{{tabular}}{{{''.join(kinds)}}}", r"\hline"]
    body = [heads, *(["" if cell is None else str(cell) for cell in row] for row in listed)]
    written = [" & ".join(map(escaped, row)) + r" \\" for row in body]
    return "\n".join([*lines, written[0], r"\hline", *written[1:], r"\hline", r"\end{tabular}", ""])


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) or bool(
        isinstance(value, str) and re.match(r"[>*-]*[\d,.]+", value)
    )
