"""Escaping of text that comes from users, with one function for each kind of destination.

Labels, names of files, columns and graphs are data: they must not act as control characters of a
terminal, as markup or as code. Everything that writes them goes through one of these functions:

================  ======================================================
`visible`         messages, terminals, cells of tables in a pipe, pictures
`html`            text and attributes of HTML
`html_template`   HTML that jinja renders again, as in pages of folium
`json_chunks`     JSON documents
`script_data`     JSON inside a ``<script>`` element
`utf8`            other files: what UTF-8 cannot encode is escaped
`csv_cell`        cells of CSV and TSV files
================  ======================================================
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_SURROGATES = "\ud800-\udfff"
# C0, DEL and C1; line separators; marks, embeddings, overrides and isolates of bidirectional text.
_CONTROLS = "\x00-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff"

_UNENCODABLE = re.compile(f"[{_SURROGATES}]")
_INVISIBLE = re.compile(f"[{_CONTROLS}{_SURROGATES}]")
_INVISIBLE_BUT_LINES = re.compile(f"(?!\n)[{_CONTROLS}{_SURROGATES}]")
_NUMBER = re.compile(r"[+-]?\d*[.,]?\d*([eE][+-]?\d+)?")
_FORMULA = re.compile("[=+\\-@\t\r\uff1d\uff0b\uff0d\uff20]")


def visible(value: object, *, lines: bool = False) -> str:
    r"""Return a text in which control characters are escaped, such as ``\x1b`` and ``\n``.

    Parameters
    ----------
    lines : whether line feeds stay.
    """
    return (_INVISIBLE_BUT_LINES if lines else _INVISIBLE).sub(_escaped, str(value))


def utf8(value: object) -> str:
    r"""Return a text with halves of surrogate pairs escaped, such as ``\ud800``."""
    return _UNENCODABLE.sub(_escaped, str(value))


def html(value: object, *, lines: bool = False) -> str:
    """Return a text for HTML, also between the quotes of an attribute."""
    from html import escape  # imported here: it takes over 1 ms of `import warpath`

    return escape(visible(value, lines=lines))


def html_template(value: object) -> str:
    """Return a text for HTML that is the source of a jinja template."""
    return html(value).replace("{", "&#123;").replace("}", "&#125;")


def json_chunks(
    document: Any, *, indent: int | None = None, ascii_only: bool = False
) -> Iterator[str]:
    """Yield the JSON of a document in pieces; ValueError for NaN and infinite numbers.

    Control characters and halves of surrogate pairs are escaped, so that a reader of the JSON gets
    the same text, and a terminal is not changed.
    """
    encoder = json.JSONEncoder(ensure_ascii=ascii_only, indent=indent, allow_nan=False)
    for piece in encoder.iterencode(document):
        yield _INVISIBLE_BUT_LINES.sub(_json_escape, piece)


def script_data(document: Any) -> str:
    """Return the JSON of a document for a ``<script>`` element, which it cannot end."""
    data = json.dumps(document, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return _INVISIBLE.sub(_json_escape, data).replace("<", "\\u003c")


def csv_cell(
    text: str, delimiter: str = ",", *, quoted: bool = False, escape_formulas: bool = False
) -> str:
    """Return a text as a cell of a CSV file.

    Parameters
    ----------
    quoted : whether the cell has quotes even where it does not need them.
    escape_formulas : whether a text that a spreadsheet would take for a formula, because it starts
        with = + - @, a tab or a carriage return and is no number, gets an apostrophe in front.
    """
    if escape_formulas and _FORMULA.match(text) and not _NUMBER.fullmatch(text):
        text = f"'{text}"
    if quoted or not text or text != text.strip() or any(c in text for c in (delimiter, *'"\n\r')):
        return '"' + text.replace('"', '""') + '"'
    return text


def _escaped(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode()


def _json_escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"
