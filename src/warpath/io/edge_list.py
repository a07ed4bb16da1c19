"""Plain edge lists: SNAP, CSV without quotes, columns split by blanks, tabs or commas.

Rows are parsed in the core. Tables that need more (quotes, decimal commas, empty fields, columns of
directions) are read by `warpath.io.csv`.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base.errors import GraphError, GraphFormatError, InputError
from warpath.graph import Graph
from warpath.graph.checks import index_dtype
from warpath.io import csv
from warpath.io.columns import chosen_columns, has_directions, says_directions
from warpath.io.shown import printable
from warpath.io.text_table import (
    COMMENTS,
    DIGITS,
    INTEGER,
    NA_IS_A_NAME,
    NUMBER,
    READ_AS_NAME,
    layout_of,
    missing_word,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warpath.base.dtypes import Array
    from warpath.io.columns import Column
    from warpath.io.source import Source
    from warpath.io.text_table import Layout

_MARK = re.compile(r"[^\w\s]+|_+")
#: The most columns that a message lists.
_SHOWN_COLUMNS = 40


def read(
    source: Source,
    *,
    directed: bool | None = None,
    weight: Column | None = "auto",
    ids: str = "auto",
    columns: Sequence[Column] | None = None,
    header: bool | None = None,
    n: int | None = None,
    skip_lines: int = 0,
) -> Graph:
    """Read lines of columns, with or without a header.

    Lines above the first row that start with # or % are comments; so are later ones in a list of
    numbers without a header. A first line with a single number (some SNAP files have one) is
    skipped like a comment.

    Parameters
    ----------
    directed : False also stores the reverse of every edge.
    weight : the column of weights by name or counted from 0; None: every weight is 1. "auto": the
        column that is known by its name; without a header the third of three columns. Otherwise
        `weight` is required.
    ids : "auto": integers, or names if the first edge has names; a number with 0 in front, such as
        a postal code, is a name. "numbers": the vertices are 0 .. n - 1, some perhaps without
        edges. "text": names, even if they look like numbers.
    columns : the columns of the two ends, and of the weight if there is a third, by name or counted
        from 0; by default the columns that are known by their names, without a header the first
        two.
    header : whether the first row has the names of columns; None: if one of its pairs of names is
        known, or it has words above numbers.
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
    columns, weight = _checked_columns(columns, weight)
    layout = layout_of(source, skip_lines=skip_lines, header=header, columns=columns or ())
    if layout is None or not layout.first:
        return _without_edges(source, layout, n, directed=directed is not False)
    as_table = partial(
        csv.read,
        source,
        directed=directed,
        weight=weight,
        columns=_with_auto(columns, weight),
        delimiter=layout.delimiter,
        header=layout.names is not None and layout.start.heading is None,
        ids=ids,
    )
    tabular = n is None and ids != "numbers" and not skip_lines
    if tabular and _needs_csv(source, layout):
        return as_table()
    chosen = _columns(source, layout, columns, weight)
    try:
        edges = _parsed(source, layout, *chosen, ids=ids, n=n)
    except GraphFormatError as error:
        if not tabular or layout.delimiter == " ":
            raise
        try:
            return as_table()
        except GraphFormatError:
            if layout.names is None:
                raise error from None
            raise
    if ids == "auto":
        _check_ends(source, layout, edges, headed=header is not None)
    return _graph(source, edges, directed=directed is not False, ids=ids, n=n)


def _check_ends(source: Source, layout: Layout, edges: _Edges, *, headed: bool) -> None:
    """Raise GraphFormatError for ends that may not be vertices, and report doubtful ones.

    Parameters
    ----------
    headed : whether the caller says if there is a header.
    """
    if edges.names is not None:
        if layout.names is not None and (at := missing_word(edges.names)) is not None:
            raise source.error(None, f"a vertex is {edges.names[at]!r}, {READ_AS_NAME}")
        if layout.names is not None and "NA" in edges.names:
            edges.report[NA_IS_A_NAME] = 1
        return
    n, m = int(edges.src[0]), int(edges.dst[0])
    if not headed and layout.names is None and len(layout.first) == 2 < m + 1 == len(edges.src):
        largest = max(edges.src[1:].max(), edges.dst[1:].max())
        if n in {largest, largest + 1}:
            reason = (
                f"the row {n} {m} can be an edge, or the numbers of vertices and edges: give "
                "skip_lines=1 to leave it out, or header=False to read it as an edge"
            )
            raise source.error(layout.line, reason)


def _without_edges(
    source: Source, layout: Layout | None, n: int | None, *, directed: bool
) -> Graph:
    if n is None:
        what = (
            "comments"
            if layout is None
            else f"a header, {', '.join(map(repr, layout.names or []))}"
        )
        reason = f"the file has no edges, only {what}; give n= if this is intended"
        raise source.error(None, reason)
    return Graph.from_edges([], [], n=n, directed=directed, name=source.title)


class _Edges(NamedTuple):
    """Edges from the core: (m,) each; `names` of vertices, or None where they are numbers."""

    src: Array
    dst: Array
    weights: Array | None
    names: list[str] | None
    report: dict[str, Any]


def _parsed(
    source: Source,
    layout: Layout,
    ends: tuple[int, int],
    weight: int | None,
    *,
    ids: str,
    n: int | None,
) -> _Edges:
    """Parse the rows in the core."""
    if layout.names is not None and len(layout.first) != len(layout.names):
        reason = f"the header has {len(layout.names)} columns, this line has {len(layout.first)}"
        raise source.error(layout.line, reason)
    named = ids == "text" or (ids == "auto" and n is None and _has_names(source, layout, ends))
    roles = ["."] * len(layout.first)
    numbered = n is not None or ids == "numbers"
    roles[ends[0]] = roles[ends[1]] = "t" if named else "v" if numbered else "l"
    if weight is not None:
        roles[weight] = "n"
    # In a list of numbers without a header, a line with a mark cannot be an edge.
    listed = layout.names is None or layout.start.heading is not None
    comments = COMMENTS if listed and not named else b""
    report = csv.comments_report(layout)
    for name in filter(says_directions, layout.names or []):
        report[f"column {name!r} is not used"] = "it is read without n=, ids= and skip_lines="
    if inner := sum(source.data.count(b"\n%c" % mark, layout.at) for mark in comments):
        report["lines among the edges that were skipped as comments"] = inner
    arrays, names = source.named_rows(
        layout.at,
        layout.line,
        "".join(roles),
        delimiter=layout.delimiter,
        comments=comments.decode(),
        noun="edges",
        high=-1 if n is None else n - 1,
        expected=_expected(layout, ends, weight),
    )
    if named and ids == "auto" and all(DIGITS.fullmatch(layout.first[end]) for end in ends):
        report["vertices are names, as a number starts with 0"] = _padded(layout, ends)
    taken = sorted(k for k in (*ends, weight) if k is not None)
    src, dst = (arrays[taken.index(end)] for end in ends)
    weights = None if weight is None else arrays[taken.index(weight)]
    return _Edges(src, dst, weights, names if named else None, report)


def _graph(source: Source, edges: _Edges, *, directed: bool, ids: str, n: int | None) -> Graph:
    """Make a graph of edges, whose labels are names, or numbers with gaps."""
    src, dst, weights, names, report = edges
    attributes: dict[str, Any] = {
        "directed": directed,
        "name": source.title,
        "read_report": report,
    }
    if names is not None:
        longest = max(map(len, names), default=0)
        source.need(
            4 * longest * len(names),  # each name in an array takes the space of the longest
            f"There are {len(names):,} names, one of {longest:,} characters. Is it a name?",
        )
        labels = np.array(names, np.str_)
        return Graph.from_edges(src, dst, weights, n=len(names), labels=labels, **attributes)
    if ids == "numbers" or n is not None:
        n = 1 + max(int(src.max(initial=-1)), int(dst.max(initial=-1))) if n is None else n
        source.room_for(n)
        return Graph.from_edges(src, dst, weights, n=n, **attributes)
    return _labelled(source, src, dst, weights, attributes)


def _with_auto(columns: Sequence[Column] | None, weight: Column | None) -> Sequence[Column] | None:
    """Return the columns of a table whose weight is known by its name."""
    return columns if columns is None or weight != "auto" else (*columns, "auto")


def _needs_csv(source: Source, layout: Layout) -> bool:
    """Return whether a table has directions, quotes or decimal commas, or a delimiter at the end.

    Names in lists with blanks may have quotes in them.
    """
    if (
        has_directions(layout.names or [])
        or layout.decimal == ","
        or b'"' in layout.start.line.text
    ):
        return True
    return layout.delimiter != " " and (not layout.first[-1] or b'"' in source.data)


def _labelled(
    source: Source, src: Array, dst: Array, weights: Array | None, attributes: dict[str, Any]
) -> Graph:
    """Make a graph whose labels are the ids: by a table if they are dense, else by sorting."""
    largest = max(int(src.max(initial=-1)), int(dst.max(initial=-1)))
    least = min(int(src.min(initial=0)), int(dst.min(initial=0)))
    if least < 0 or largest > 8 * len(src) + 1024:
        source.need(88 * len(src))
        return Graph.from_labelled_edges(src, dst, weights, **attributes)
    named = np.zeros(largest + 1, np.bool_)
    named[src] = named[dst] = True
    if named.all():
        return Graph.from_edges(src, dst, weights, n=largest + 1, **attributes)
    labels = np.flatnonzero(named)
    index_of_label = np.cumsum(named, dtype=index_dtype(len(labels)))
    index_of_label -= 1
    return Graph.from_edges(
        index_of_label[src],
        index_of_label[dst],
        weights,
        n=len(labels),
        labels=labels,
        **attributes,
    )


def _checked_columns(
    columns: Sequence[Column] | None, weight: Column | None
) -> tuple[Sequence[Column] | None, Column | None]:
    """Return the two columns of the ends and that of the weight."""
    if columns is None:
        return None, weight
    if isinstance(columns, str | int | float) or len(columns) not in {2, 3}:
        msg = f"columns={columns!r}: give two or three columns: source, target and weight."
        raise InputError(msg)
    if len(columns) == 2:
        return columns, weight
    if weight not in {"auto", columns[2]}:
        msg = f"columns={columns!r} and weight={weight!r} name two weights: give one of them."
        raise InputError(msg)
    return columns[:2], columns[2]


def _columns(
    source: Source, layout: Layout, columns: Sequence[Column] | None, weight: Column | None
) -> tuple[tuple[int, int], int | None]:
    """Return the positions of the ends and of the weight."""
    if len(layout.first) < 2:
        line = source.data[layout.at :].split(b"\n", 1)[0]
        raise source.error(layout.line, 'expected "<from> <to>" or more columns', line)
    names, columns = csv.column_names(layout), _with_auto(columns, weight)
    marks = {row[1] for row in layout.start.sample if len(row) > 2}
    if columns is None and layout.names is None and all(map(_MARK.fullmatch, marks)) and marks:
        way = "weight=3" if len(names) == 4 else "weight=None"
        reason = (
            f"the second column is {marks.pop()!r}, a mark and not a vertex: choose the columns of "
            f"the ends, as with columns=(0, 2), {way}"
        )
        raise source.error(layout.line, reason)
    if layout.names is None:
        columns, weight = csv.columns_by_position(source, layout, columns, weight)
    try:
        u, v, w = chosen_columns(names, columns, weight, lambda name: _is_numeric(layout, name))
    except GraphError as error:
        raise source.error(None, str(error)) from error
    return (names.index(u), names.index(v)), None if w is None else names.index(w)


def _is_numeric(layout: Layout, name: str) -> bool:
    at = (layout.names or []).index(name)
    return all(at < len(row) and NUMBER.fullmatch(row[at]) for row in layout.start.sample[1:])


def _titles(layout: Layout) -> list[str]:
    return [printable(name[:20]) for name in layout.names or layout.first]


def _has_names(source: Source, layout: Layout, ends: tuple[int, int]) -> bool:
    """Return whether the first edge has names; raise GraphFormatError for a fraction."""
    fields = [layout.first[end] for end in ends]
    for field in fields:
        if NUMBER.fullmatch(field) and not DIGITS.fullmatch(field):
            reason = 'a vertex is an integer or a name; ids="text" reads this as a name'
            raise source.error(layout.line, reason, field.encode())
    return not all(map(INTEGER.fullmatch, fields)) or _padded(layout, ends) is not None


def _padded(layout: Layout, ends: tuple[int, int]) -> str | None:
    """Return the first end of the first rows that is a number with 0 in front, or None."""
    fields = (row[end] for row in layout.start.sample for end in ends if end < len(row))
    return next((f for f in fields if DIGITS.fullmatch(f) and not INTEGER.fullmatch(f)), None)


def _expected(layout: Layout, ends: tuple[int, int], weight: int | None) -> str:
    words = [f"<{name}>" if layout.names else "<...>" for name in _titles(layout)]
    words[ends[0]], words[ends[1]] = "<from>", "<to>"
    if weight is not None:
        words[weight] = "<weight>"
    words[_SHOWN_COLUMNS:] = ["..."] if len(words) > _SHOWN_COLUMNS else []
    return ("," if layout.delimiter == "," else " ").join(words)
