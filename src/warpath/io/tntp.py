"""Transportation Networks (TNTP): files of links with travel times, and of coordinates."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from warpath.base.errors import InputError
from warpath.graph import Graph
from warpath.graph.checks import is_integer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.io.source import Source

#: The columns of a file without a line of names, in the order of the format.
COLUMNS = (
    "init_node",
    "term_node",
    "capacity",
    "length",
    "free_flow_time",
    "b",
    "power",
    "speed",
    "toll",
    "link_type",
)

_LINK = "<from> <to> <capacity> <length> <free flow time> ... ;"

#: Other names of columns, in lower case with underscores.
_SYNONYMS = {
    "tail": "init_node", "tail_node": "init_node", "from": "init_node", "from_node": "init_node",
    "head": "term_node", "head_node": "term_node", "to": "term_node", "to_node": "term_node",
    "fftt": "free_flow_time", "speed_limit": "speed", "type": "link_type",
}  # fmt: skip

#: Names with blanks, in files whose columns are split by blanks.
_PHRASES = re.compile(
    r"\b(?:(?:init|term|tail|head|from|to) node|free flow time|speed limit|link type)\b"
)


def sniff(head: bytes) -> bool:
    """Return whether `head` has a metadata tag of the format."""
    return re.search(rb"<(NUMBER OF (ZONES|NODES|LINKS)|FIRST THRU NODE)>", head) is not None


def sniff_coordinates(head: bytes) -> bool:
    """Return whether the first line is the header "node x y"."""
    return re.match(rb"\s*node[ \t,]+x[ \t,]+y\b", head, re.IGNORECASE) is not None


def read(
    source: Source, *, directed: bool | None = None, weight: str | int | None = "free_flow_time"
) -> Graph:
    """Read a ``_net`` file; vertices below "first thru node" are zones, never passed through.

    Parameters
    ----------
    weight : "free_flow_time", "length", or another column by number or by its name in the line
        that begins with ~ (`COLUMNS` in a file without this line); None: every weight is 1.
    directed : False for a file whose links stand for both directions; in the format each link has
        one direction.
    """
    tags, at, number = _metadata(source)
    if "TOTAL OD FLOW" in tags:
        reason = "this is a file of trips, not of links: read the file whose name ends in _net"
        raise source.error(tags["TOTAL OD FLOW"][1], reason)
    n = _tag(source, tags, "NUMBER OF NODES")
    m = _tag(source, tags, "NUMBER OF LINKS")
    first = _tag(source, tags, "FIRST THRU NODE") if "FIRST THRU NODE" in tags else 1
    if not 1 <= first <= n + 1:
        line = tags["FIRST THRU NODE"][1]
        raise source.error(line, f"<FIRST THRU NODE> must lie in 1 .. {n + 1}", b"%d" % first)
    source.room_for(n)
    names = _columns(source, tags, at, number)
    roles = ["."] * len(names)
    ends = names.index("init_node"), names.index("term_node")
    roles[ends[0]] = roles[ends[1]] = "v"
    if weight is not None:
        roles[_column(weight, names)] = "r"
    columns = source.rows(
        at,
        number,
        "".join(roles),
        comments="~",
        terminator=";",
        low=1,
        high=n,
        rows=m,
        expected=_LINK,
        noun="links",
    )
    by_column = dict(zip((k for k, role in enumerate(roles) if role != "."), columns, strict=True))
    src, dst = (by_column.pop(end) for end in ends)
    return Graph.from_edges(
        src,
        dst,
        next(iter(by_column.values()), None),
        n=n,
        directed=directed is not False,
        id_base=1,
        first_through=first - 1,
        name=source.title.removesuffix("_net"),
    )


def read_coordinates(source: Source) -> NDArray[np.float64]:
    """Read a ``_node`` file: (n, 2) x and y as in the file; NaN for vertices not in the file."""
    header = source.line(0, 1)
    if header is None or not sniff_coordinates(source.head):
        raise source.error(1, 'expected "node x y"')
    vertices, x, y = source.rows(
        header.next,
        header.number + 1,
        "vcc",
        comments="~",
        terminator=";",
        low=1,
        expected="<vertex> <x> <y> ;",
    )
    n = int(vertices.max(initial=-1)) + 1
    source.room_for(n)
    points = np.full((n, 2), np.nan)
    points[vertices] = np.column_stack([x, y])
    return points


def _metadata(source: Source) -> tuple[dict[str, tuple[bytes, int]], int, int]:
    """Return the tags with value and line, and the position and line of the first link."""
    source.text  # noqa: B018 - refuse a binary file before an error quotes its first line
    tags: dict[str, tuple[bytes, int]] = {}
    at, number = 0, 1
    while (line := source.line(at, number, b"~")) is not None:
        match = re.match(rb"<([^>]*)>(.*)", line.text)
        if match is None:
            raise source.error(
                line.number, 'expected "<TAG> value" or <END OF METADATA>', line.text
            )
        at, number = line.next, line.number + 1
        name = match[1].decode("ascii", "replace").strip().upper()
        if name == "END OF METADATA":
            return tags, at, number
        tags[name] = (match[2].strip(), line.number)
    raise source.error(None, "expected <END OF METADATA>: the file may be truncated")


def _tag(source: Source, tags: dict[str, tuple[bytes, int]], name: str) -> int:
    if name not in tags:
        raise source.error(None, f"the metadata lack <{name}>")
    value, line = tags[name]
    token = (value.split() or [b""])[0]
    return source.size(token, line, f"<{name}>")


def _columns(source: Source, tags: dict[str, tuple[bytes, int]], at: int, number: int) -> list[str]:
    """Return the names of the columns, of which there are as many as in the first link."""
    line = source.line(at, number, b"~")
    if line is None:
        return [*COLUMNS]
    count = len(line.text.rstrip(b"; \t").split())
    if count < 5:
        raise source.error(line.number, f'expected "{_LINK}"', line.text)
    headers = [tags[tag] for tag in ("ORIGINAL HEADER",) if tag in tags]
    while (note := source.line(at, number)) is not None and note.number < line.number:
        headers.insert(0, (note.text, note.number))  # the last line above the links counts first
        at, number = note.next, note.number + 1
    for text, where in headers:
        names = _names(text)
        if not {"init_node", "term_node"} <= {*names}:
            continue
        if len(names) != count:
            reason = f"this line names {len(names)} columns, but the first link has {count}"
            raise source.error(where, reason, text)
        if twice := [name for name in names if names.count(name) > 1]:
            raise source.error(where, f"this line names two columns {twice[0]}", text)
        return names
    return [*COLUMNS, *map(str, range(len(COLUMNS), count))][:count]


def _names(header: bytes) -> list[str]:
    """Return the names in a line that begins with ~, in the spelling of `COLUMNS`."""
    text = re.sub(r"\([^)]*\)", "", header.decode("utf-8", "replace").strip("~; \t\r").lower())
    text = _PHRASES.sub(lambda phrase: phrase[0].replace(" ", "_"), text)
    fields = [field.strip() for field in text.split("\t")] if "\t" in text else text.split()
    words = ["_".join(field.split()) for field in fields if field]
    return [_SYNONYMS.get(word, word) for word in words]


def _column(weight: str | int, names: list[str]) -> int:
    at = names.index(weight) if weight in names else weight
    ends = ("init_node", "term_node")
    if isinstance(at, str) or not is_integer(at) or not 0 <= at < len(names) or names[at] in ends:
        listed = ", ".join(f"{k} {name}" for k, name in enumerate(names) if name not in ends)
        msg = f"weight={weight!r} is not a column of this TNTP file: {listed}."
        raise InputError(msg)
    return at
