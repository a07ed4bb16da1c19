"""Tables of text: where they begin, what separates their columns, and whether they have a header.

All readers of such tables follow the same rules: lines that begin with # or % are comments only
above the first row; a first line ``sep=;`` names the delimiter; rows may end in empty fields.
"""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, NamedTuple

from warpath.base.escaping import csv_cell
from warpath.graph.checks import checked_bool
from warpath.io.columns import known_ends

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from warpath.io.columns import Column
    from warpath.io.source import Line, Source

COMMENTS = b"#%"
_DELIMITERS = (";", "\t", "|", ",")  # if two are as frequent, the first is the delimiter
_SAMPLE_BYTES = 2**16
_SAMPLE_ROWS = 50

#: An integer as programs write it: with a 0 in front it may be a name, such as a postal code.
INTEGER = re.compile(r"[+-]?(0|[1-9][0-9]*)")
DIGITS = re.compile(r"[+-]?[0-9]+")
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?|[+-]?inf", re.IGNORECASE | re.ASCII)
#: Words that programs write for a missing value, in lower case; NA is also Namibia.
_MISSING = frozenset({"n/a", "#n/a", "<na>", "nan", "none", "null"})
NA_IS_A_NAME = "vertices called 'NA', as programs write a missing value"
#: The end of the message about a vertex that is such a word.
READ_AS_NAME = (
    'as programs write a missing value: leave such rows out, or ids="text" reads it as a name'
)
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+")
_DECIMAL_POINT = re.compile(r"[+-]?\d*\.\d+")
_SEPARATOR = re.compile(rb'"?sep=(.?)"?', re.IGNORECASE)  # a tab at the end is stripped
_QUOTED = re.compile(r'"[^"]*"')


class Start(NamedTuple):
    """The first row of a text, after comments and a line ``sep=``.

    Attributes
    ----------
    line : the row.
    at : the position of the row in the text.
    delimiter : " " for any run of blanks.
    comments : number of comments before the row.
    heading : the fields of a comment that names the columns, directly above the row, or None.
    sample : the first rows, with this one.
    """

    line: Line
    at: int
    delimiter: str
    comments: int
    heading: list[str] | None
    sample: list[list[str]]


class Layout(NamedTuple):
    """The layout of a table, determined from its first lines.

    Attributes
    ----------
    names : names of the columns, or None without a header.
    first : the fields of the first row below a header, empty if there is none.
    line : the number of its line, and `at` its position in the text.
    above : number of rows from `start` on that are above the first row.
    decimal : the decimal mark of the first rows, "." or ",".
    """

    names: list[str] | None
    first: list[str]
    line: int
    at: int
    above: int
    delimiter: str
    decimal: str
    start: Start


def start_of(source: Source, *, delimiter: str | None = None, skip_lines: int = 0) -> Start | None:
    """Return the first row of a text, or None if there are only comments."""
    source.text  # noqa: B018 - refuse a binary file before an error quotes its first line
    at, number, comments = 0, 1, 0
    for _ in range(min(skip_lines, source.data.count(b"\n") + 1)):
        at, number = (source.data.find(b"\n", at) + 1) or len(source.data), number + 1
    above: bytes | None = None
    while (line := source.line(at, number)) is not None:
        named = _SEPARATOR.fullmatch(line.text) if not comments else None
        if named is not None and above is None:
            delimiter = delimiter or named[1].decode("latin-1") or "\t"
        elif line.text[:1] in COMMENTS:
            comments, above = comments + 1, line.text
        else:
            break
        at, number = line.next, line.number + 1
    if line is None:
        return None
    begin = source.data.rfind(b"\n", 0, max(line.next - 1, 0)) + 1
    sampled = _sample(source, begin, line)
    if delimiter is None:
        delimiter = delimiter_of(sampled.split("\n"))
    sample = list(_split(sampled, delimiter))[:_SAMPLE_ROWS]
    heading = None
    if above is not None:
        fields = next(_split(above.lstrip(COMMENTS).decode("utf-8", "replace"), delimiter), [])
        if len(fields) == len(sample[0]) and known_ends(fields, letters=False):
            heading = fields
    return Start(line, begin, delimiter, comments, heading, sample)


def missing_word(names: Sequence[str]) -> int | None:
    """Return the position of the first name that stands for a missing value, or None."""
    words = {name for name in {*names} if name.casefold() in _MISSING}
    return next((at for at, name in enumerate(names) if name in words), None) if words else None


def _sample(source: Source, begin: int, line: Line) -> str:
    """Return the first lines of a text, the last of them whole."""
    stop = begin + _SAMPLE_BYTES
    if stop < len(source.data):
        stop = max(source.data.rfind(b"\n", begin, stop), line.next - 1)
    return source.data[begin:stop].decode("utf-8", "replace")


def delimiter_of(lines: Sequence[str]) -> str:
    """Return the delimiter of lines: " " for any run of blanks, else ; tab | or a comma.

    It is the most frequent one in the first line outside quotes, of those that every line has as
    often if there is one.
    """
    bare = [_QUOTED.sub("x", line).rstrip("\r") for line in lines if line.strip()]
    if not bare:
        return " "
    counts = {mark: [line.count(mark) for line in bare] for mark in _DELIMITERS}
    present = [mark for mark in _DELIMITERS if counts[mark][0]]
    steady = [mark for mark in present if len(set(counts[mark])) == 1]
    best = max(steady or present, key=lambda mark: counts[mark][0], default=" ")
    fields = bare[0].removesuffix("\t").split("\t")  # rows may end with a tab
    if best == "\t" and not (steady and all(map(str.strip, fields))):
        # Tabs that align columns, or blanks in some lines.
        return " " if all(len(row.split()) == len(bare[0].split()) for row in bare) else "\t"
    if best == "," and _has_decimal_commas(bare):
        return " "
    return best


def _has_decimal_commas(lines: Sequence[str]) -> bool:
    """Return whether three or more columns are separated by blanks, and commas mark decimals."""
    rows = [line.split() for line in lines]
    return len(rows[0]) >= 3 and all(
        len(row) == len(rows[0]) and line.count(",") == sum(map(bool, _commas_in(row)))
        for row, line in zip(rows, lines, strict=True)
    )


def _commas_in(row: Sequence[str]) -> Iterator[object]:
    return map(_DECIMAL_COMMA.fullmatch, row)


def decimal_of(delimiter: str, rows: Sequence[Sequence[str]]) -> str:
    """Return "," if sampled fields have decimal commas and none has a decimal point."""
    fields = [field.strip() for row in rows for field in row] if delimiter != "," else []
    comma = any(_DECIMAL_COMMA.fullmatch(field) for field in fields)
    return "," if comma and not any(_DECIMAL_POINT.fullmatch(field) for field in fields) else "."


def _split(text: str, delimiter: str) -> Iterator[list[str]]:
    """Yield the rows of a text that are not blank; a damaged quote ends them."""
    try:
        for _, row in rows_of(text, delimiter):
            yield row
    except csv.Error:
        return


def rows_of(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the numbers of lines from 1, and the fields of rows that are not blank.

    Blanks at the ends of fields are left out, except in quotes.

    Raises
    ------
    csv.Error
        A quoted field is not closed.
    """
    blanks = delimiter == " "
    if blanks and '"' not in text:
        for number, line in enumerate(text.split("\n"), 1):
            if fields := line.split():
                yield number, fields
        return
    lines = io.StringIO(text.replace("\t", " ") if blanks else text, newline="")
    own: list[str] = []  # the lines of a row

    def recorded() -> Iterator[str]:
        for line in lines:
            own.append(line)
            yield line

    reader = csv.reader(recorded(), delimiter=delimiter, strict=True, skipinitialspace=True)
    for row in reader:
        fields = [field.strip() for field in row]
        if any(fields):
            if fields != row:
                written = "".join(own)
                fields = [
                    field if bare and csv_cell(field, quoted=True) in written else bare
                    for field, bare in zip(row, fields, strict=True)
                ]
            yield reader.line_num, fields
        own.clear()


def layout_of(
    source: Source,
    *,
    delimiter: str | None = None,
    skip_lines: int = 0,
    header: bool | None = None,
    columns: Sequence[Column | None] = (),
) -> Layout | None:
    """Return the layout of a table, or None if there are only comments.

    Parameters
    ----------
    header : whether the first row has the names of columns; None: if it has known names, names
        that the caller uses, or words above numbers.
    columns : the columns that the caller names.

    Raises
    ------
    GraphFormatError
        Whether the first row is a header is not clear.
    """
    if header is not None:
        checked_bool(header, "header")
    start = start_of(source, delimiter=delimiter, skip_lines=skip_lines)
    if start is None:
        return None
    first, *below = start.sample or [[""]]
    if header is None and not columns and _is_matrix(first, below, start.delimiter):
        reason = (
            "the names of the columns are those of the rows, as in a matrix: wp.Graph.of((matrix "
            f":= pandas.read_csv({str(source.path)!r}, index_col=0, sep={start.delimiter!r}))"
            ".to_numpy(), labels=matrix.index.to_list())"
        )
        raise source.error(start.line.number, reason)
    line, at, above = start.line, start.at, 0
    if start.delimiter == " " and len(first) == 1 and INTEGER.fullmatch(first[0]) and below:
        # Some files of SNAP begin with the number of edges.
        following = source.line(line.next, line.number + 1)
        if following is not None and len(below[0]) > 1:
            line, at = following, source.data.rfind(b"\n", 0, max(following.next - 1, 0)) + 1
            first, *below, above = *below, 1
    if header is None and start.heading is None:
        header = _is_header(source, start._replace(line=line), first, below, columns)
    if header:
        decimal = decimal_of(start.delimiter, below)
        names = [name.strip() for name in first]
        next_line = source.line(line.next, line.number + 1)
        if next_line is None:
            return Layout(names, [], line.number, len(source.data), 1, start.delimiter, ".", start)
        at = source.data.rfind(b"\n", 0, max(next_line.next - 1, 0)) + 1
        first = below[0] if below else [""]  # a damaged quote
        return Layout(
            names, first, next_line.number, at, above + 1, start.delimiter, decimal, start
        )
    decimal = decimal_of(start.delimiter, [first, *below])
    return Layout(start.heading, first, line.number, at, above, start.delimiter, decimal, start)


def _is_matrix(first: list[str], below: list[list[str]], delimiter: str) -> bool:
    """Return whether the first rows are those of a matrix with names of rows and columns."""
    names, rows = first[1:], [row[0] for row in below]
    if len(names) < 2 or len(rows) < 2 or _is_number(first[0], delimiter):
        return False
    if len(rows) < _SAMPLE_ROWS - 1 and len(rows) != len(names):
        return False
    cells = [cell for row in below for cell in row[1:] if cell]
    return names[: len(rows)] == rows and all(_is_number(cell, delimiter) for cell in cells)


def _is_header(
    source: Source,
    start: Start,
    first: list[str],
    below: list[list[str]],
    columns: Sequence[Column | None],
) -> bool:
    """Return whether the first row of a table has the names of its columns."""
    named = [column for column in columns if isinstance(column, str) and column != "auto"]
    if named and set(named) <= set(first):
        return True
    pairs = known_ends(first, letters=False)
    if not pairs and (len(first) < 2 or any(_is_number(field, start.delimiter) for field in first)):
        return False
    if _above_numbers(start.delimiter, first, below):
        return True
    # A name of a vertex stands in other rows as well, the name of a column does not.
    repeated = _stands_below(source, start, pairs[0] if pairs else first[:2])
    if bool(pairs) != repeated:
        return bool(pairs)
    if not pairs and below and known_ends(first) and not _look_alike(first[:2], below):
        return True
    where = "also in other rows" if repeated else "in no other row"
    reason = (
        f"whether the first row is a header is not clear, since its words stand {where}; "
        f"give header=True if {first[0]!r:.40} and {first[1]!r:.40} name columns, or header=False "
        "if they are vertices"
    )
    raise source.error(start.line.number, reason)


def _above_numbers(delimiter: str, first: list[str], below: list[list[str]]) -> bool:
    """Return whether a word of the first row stands above a column of numbers."""
    for at, field in enumerate(first):
        cells = [row[at] for row in below if at < len(row) and row[at]]
        numbers = bool(cells) and all(_is_number(cell, delimiter) for cell in cells)
        if numbers and not _is_number(field, delimiter):
            return True
    return False


def _is_number(field: str, delimiter: str) -> bool:
    field = field.strip()
    comma = delimiter != "," and _DECIMAL_COMMA.fullmatch(field) is not None
    return comma or NUMBER.fullmatch(field) is not None or field.lower() == "nan"


def _stands_below(source: Source, start: Start, names: Sequence[str]) -> bool:
    """Return whether one of the names is a field of the rows below. O(bytes)."""
    ends = rb"[\s\"" + re.escape(start.delimiter.encode()) + rb"]"
    for name in names:
        word = re.escape(name.encode())
        # The name comes first in the pattern, which is searched for fast.
        pattern = re.compile(rb"%b(?<=%b%b)(?=%b|\Z)" % (word, ends, word, ends))
        if pattern.search(source.data, start.line.next - 1):
            return True
    return False


def _look_alike(letters: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Return whether names below are single letters of the same case too."""
    names = [name for row in below for name in row[:2]]
    return all(len(name) == 1 for name in (*letters, *names)) and (
        len({name.isupper() for name in (*letters, *names)}) == 1
    )
