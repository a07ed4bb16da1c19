"""Plain edge lists: SNAP, CSV without quotes, columns split by blanks, tabs or commas."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base.errors import InputError
from warpath.graph import Graph
from warpath.graph.checks import index_dtype
from warpath.io.shown import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warpath.base.dtypes import Array
    from warpath.io.source import Line, Source

_COMMENTS = b"#%"

#: The most columns that a message lists.
_SHOWN_COLUMNS = 40

#: Recognised names of columns, in lower case without blanks and underscores.
_FROM = {"from", "source", "src", "u", "tail", "fromnodeid", "fromid", "initnode", "start"}
_TO = {"to", "target", "dst", "v", "head", "tonodeid", "toid", "termnode", "end", "destination"}
_WEIGHT = {"weight", "w", "length", "distance", "cost"}

_NUMBER = re.compile(rb"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?|[+-]?(inf|nan)", re.IGNORECASE)
_INTEGER = re.compile(rb"[+-]?\d+")


class Shape(NamedTuple):
    """The layout of all lines, determined from the first lines."""

    at: int  # byte position of the first edge
    number: int  # line number of the first edge
    delimiter: str  # " " for any run of blanks
    fields: list[bytes]  # of the first edge
    names: list[str] | None  # names of the columns, if there is a header


def sniff(head: bytes) -> bool:  # noqa: ARG001 - the interface of a format
    """Return False: lines of columns are an edge list only if no other format recognises them."""
    return False


def read(
    source: Source,
    *,
    directed: bool | None = None,
    weight: str | int | None = "auto",
    ids: str = "auto",
    columns: Sequence[str | int] | None = None,
    n: int | None = None,
    skip_lines: int = 0,
) -> Graph:
    """Read lines of columns; lines that start with # or % are comments.

    A first line with a single number (some SNAP files have one) is skipped like a comment. A header
    with names of columns is used.

    Parameters
    ----------
    directed : False also stores the reverse of every edge.
    weight : the column of weights by name or counted from 0; None: every weight is 1. "auto": a
        column called weight, w, length, distance or cost, else the third of three columns; with
        more columns, `weight` is required.
    ids : "auto": integers, or names if the first edge has names. "numbers": the vertices are
        0 .. n - 1, some perhaps without edges. "text": names, even if they look like numbers.
    columns : the columns of the two ends, and of the weight if there is a third, by name or counted
        from 0; by default the columns that the header names, else the first two.
    n : number of vertices; implies ids = "numbers".
    skip_lines : number of lines to skip at the start.

    Notes
    -----
    Ids that are exactly 0 .. n - 1 give a graph without labels; other ids become its labels.
    O(bytes); for names, expected O(bytes).
    """
    if ids not in {"auto", "numbers", "text"}:
        msg = f'ids={ids!r} must be "auto", "numbers" or "text".'
        raise InputError(msg)
    shape = _shape(source, skip_lines)
    if shape is None:
        if n is None:
            raise source.error(
                None, "the file has no edges, only comments; give n= if this is intended"
            )
        return Graph.from_edges([], [], n=n, directed=directed is not False, name=source.title)
    if columns is not None:
        columns, weight = _checked_columns(columns, weight)
    ends = _ends(source, shape, columns)
    at = _weight_column(source, shape, ends, weight)
    named = ids == "text" or (ids == "auto" and n is None and _has_names(source, shape, ends))
    roles = ["."] * len(shape.fields)
    roles[ends[0]] = roles[ends[1]] = "t" if named else "v"
    if at is not None:
        roles[at] = "n"
    arrays, names = source.named_rows(
        shape.at,
        shape.number,
        "".join(roles),
        delimiter=shape.delimiter,
        comments=_COMMENTS.decode(),
        noun="edges",
        high=-1 if n is None else n - 1,
        expected=_expected(shape, ends, at),
    )
    taken = sorted(k for k in (*ends, at) if k is not None)
    src, dst = (arrays[taken.index(end)] for end in ends)
    weights = None if at is None else arrays[taken.index(at)]
    attributes: dict[str, Any] = {"directed": directed is not False, "name": source.title}
    if named:
        longest = max(map(len, names), default=0)
        source.need(
            4 * longest * len(names),  # each name in an array takes the space of the longest
            f"There are {len(names):,} names, one of {longest:,} characters. Is it a name?",
        )
        return Graph.from_edges(
            src, dst, weights, n=len(names), labels=np.array(names, np.str_), **attributes
        )
    if ids == "numbers" or n is not None:
        n = 1 + max(int(src.max(initial=-1)), int(dst.max(initial=-1))) if n is None else n
        source.room_for(n)
        return Graph.from_edges(src, dst, weights, n=n, **attributes)
    return _labelled(source, src, dst, weights, attributes)


def _labelled(
    source: Source, src: Array, dst: Array, weights: Array | None, attributes: dict[str, Any]
) -> Graph:
    """Make a graph whose labels are the ids: by a table if they are dense, else by sorting."""
    largest = max(int(src.max(initial=-1)), int(dst.max(initial=-1)))
    if largest > 8 * len(src) + 1024:
        source.need(88 * len(src))
        return Graph.from_labelled_edges(src, dst, weights, **attributes)
    named = np.zeros(largest + 1, np.bool_)
    named[src] = named[dst] = True
    if named.all():
        return Graph.from_edges(src, dst, weights, n=largest + 1, **attributes)
    labels = np.flatnonzero(named)
    place = np.cumsum(named, dtype=index_dtype(len(labels)))
    place -= 1
    return Graph.from_edges(
        place[src], place[dst], weights, n=len(labels), labels=labels, **attributes
    )


def _shape(source: Source, skip_lines: int) -> Shape | None:
    """Return the layout that the first lines show, or None if there is no edge."""
    source.text  # noqa: B018 - refuse a binary file before an error quotes its first line
    at, number = 0, 1
    for _ in range(skip_lines):
        at, number = (source.data.find(b"\n", at) + 1) or len(source.data), number + 1
    first = source.line(at, number, _COMMENTS)
    if first is None:
        return None
    second = source.line(first.next, first.number + 1, _COMMENTS)
    if second is not None and _INTEGER.fullmatch(first.text) and len(_split(second.text)[1]) > 1:
        first, second = second, source.line(second.next, second.number + 1, _COMMENTS)
    delimiter, fields = _split(first.text)
    names = None
    if _is_header(fields, second, delimiter):
        names = [field.decode("utf-8", "replace").strip('" ') for field in fields]
        if second is None:
            return None
        first, fields = second, _split(second.text, delimiter)[1]
        if len(fields) != len(names):
            reason = f"the header has {len(names)} columns, this line has {len(fields)}"
            raise source.error(first.number, reason, first.text)
    if len(fields) < 2:
        raise source.error(first.number, 'expected "<from> <to>" or more columns', first.text)
    if b'"' in first.text:
        reason = 'quoted fields are read by format="csv"'
        raise source.error(first.number, reason, first.text)
    begin = source.data.rfind(b"\n", 0, max(first.next - 1, 0)) + 1
    return Shape(begin, first.number, delimiter, fields, names)


def _split(text: bytes, delimiter: str | None = None) -> tuple[str, list[bytes]]:
    """Return the delimiter of a line and its fields; tab only if a field contains blanks."""
    for mark in (",", ";", "\t") if delimiter is None else (delimiter,):
        if mark != " " and mark.encode() in text:
            fields = [field.strip() for field in text.split(mark.encode())]
            if mark == "\t" and not any(b" " in field for field in fields):
                break
            return mark, fields
    return " ", text.split()


def _plain(name: bytes | str) -> str:
    text = name.decode("utf-8", "replace") if isinstance(name, bytes) else name
    return re.sub(r"[\s_\"]", "", text).lower()


def _is_header(fields: list[bytes], second: Line | None, delimiter: str) -> bool:
    """Return whether fields are a header: names of an edge's ends, or words above numbers."""
    words = {_plain(field) for field in fields}
    if words & _FROM and words & _TO:
        return True
    if second is None or any(_NUMBER.fullmatch(field) for field in fields):
        return False
    below = _split(second.text, delimiter)[1]
    return len(below) == len(fields) and all(_INTEGER.fullmatch(field) for field in below[:2])


def _checked_columns(
    columns: Sequence[str | int], weight: str | int | None
) -> tuple[Sequence[str | int], str | int | None]:
    """Return the two columns of the ends and that of the weight."""
    if isinstance(columns, str | int | float) or len(columns) not in {2, 3}:
        msg = f"columns={columns!r}: give two or three columns: source, target and weight."
        raise InputError(msg)
    if len(columns) == 2:
        return columns, weight
    if weight not in {"auto", columns[2]}:
        msg = f"columns={columns!r} and weight={weight!r} name two weights: give one of them."
        raise InputError(msg)
    return columns[:2], columns[2]


def _ends(source: Source, shape: Shape, columns: Sequence[str | int] | None) -> tuple[int, int]:
    if columns is not None:
        u, v = (_column(source, shape, column) for column in columns)
        if u == v:
            msg = f"columns={columns!r} names one column twice."
            raise InputError(msg)
        return u, v
    words = [_plain(name) for name in shape.names or []]
    sources = [k for k, word in enumerate(words) if word in _FROM]
    targets = [k for k, word in enumerate(words) if word in _TO]
    return (sources[0], targets[0]) if sources and targets else (0, 1)


def _weight_column(
    source: Source, shape: Shape, ends: tuple[int, int], weight: str | int | None
) -> int | None:
    if weight is None:
        return None
    if weight != "auto":
        at = _column(source, shape, weight)
        if at in ends:
            msg = f"weight={weight!r} is a column of vertices: {_listed(shape)}."
            raise InputError(msg)
        return at
    words = [_plain(name) for name in shape.names or []]
    others = [k for k in range(len(shape.fields)) if k not in ends]
    called = [k for k in others if words and words[k] in _WEIGHT]
    if len(called) == 1:
        return called[0]
    if len(others) <= 1:
        return others[0] if others else None
    choice = repr(_titles(shape)[others[0]]) if shape.names else str(others[0])
    reason = (
        f"which of the columns is the weight is not clear: {_listed(shape)}. Choose with "
        f"weight={choice}, or weight=None for an unweighted graph"
    )
    raise source.error(shape.number, reason)


def _column(source: Source, shape: Shape, column: str | int) -> int:
    count = len(shape.fields)
    if isinstance(column, str) and shape.names and column in shape.names:
        return shape.names.index(column)
    if isinstance(column, int) and not isinstance(column, bool) and 0 <= column < count:
        return column
    msg = f"{source.path} has no column {column!r}: {_listed(shape)}."
    raise InputError(msg)


def _listed(shape: Shape) -> str:
    shown = [name if shape.names else f'("{name}")' for name in _titles(shape)[:_SHOWN_COLUMNS]]
    rest = ", ..." if len(shape.fields) > _SHOWN_COLUMNS else ""
    return "the columns are " + ", ".join(f"{k} {name}" for k, name in enumerate(shown)) + rest


def _titles(shape: Shape) -> list[str]:
    fields = [field.decode("utf-8", "backslashreplace") for field in shape.fields]
    return [printable(name[:20]) for name in shape.names or fields]


def _has_names(source: Source, shape: Shape, ends: tuple[int, int]) -> bool:
    """Return whether the first edge has names; raise GraphFormatError for a fraction."""
    fields = [shape.fields[end] for end in ends]
    for field in fields:
        if _NUMBER.fullmatch(field) and not _INTEGER.fullmatch(field):
            reason = 'a vertex is an integer or a name; ids="text" reads this as a name'
            raise source.error(shape.number, reason, field)
    return not all(_INTEGER.fullmatch(field) for field in fields)


def _expected(shape: Shape, ends: tuple[int, int], weight: int | None) -> str:
    words = [f"<{name}>" if shape.names else "<...>" for name in _titles(shape)]
    words[ends[0]], words[ends[1]] = "<from>", "<to>"
    if weight is not None:
        words[weight] = "<weight>"
    words[_SHOWN_COLUMNS:] = ["..."] if len(words) > _SHOWN_COLUMNS else []
    return ("," if shape.delimiter == "," else " ").join(words)
