"""Transportation Networks (TNTP): files of links with travel times, and of coordinates."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from warpath.base.errors import InputError
from warpath.graph import Graph

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.io.source import Source

#: The columns in the order of the format; the first two are the ends.
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
    weight : "free_flow_time", "length", or another of `COLUMNS` by name or number; None for 1.
    directed : False for a file whose links stand for both directions; in the format each link has
        one direction.
    """
    tags, at, number = _metadata(source)
    n = _tag(source, tags, "NUMBER OF NODES")
    m = _tag(source, tags, "NUMBER OF LINKS")
    first = _tag(source, tags, "FIRST THRU NODE") if "FIRST THRU NODE" in tags else 1
    if not 1 <= first <= n + 1:
        line = tags["FIRST THRU NODE"][1]
        raise source.error(line, f"<FIRST THRU NODE> must lie in 1 .. {n + 1}", b"%d" % first)
    source.room_for(n)
    columns = _columns(source, at, number)
    roles = ["v", "v", *["."] * (columns - 2)]
    if weight is not None:
        roles[_column(weight, columns)] = "r"
    src, dst, *weights = source.rows(
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
    return Graph.from_edges(
        src,
        dst,
        weights[0] if weights else None,
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


def _columns(source: Source, at: int, number: int) -> int:
    """Return the number of columns of the first link."""
    line = source.line(at, number, b"~")
    if line is None:
        return len(COLUMNS)
    count = len(line.text.rstrip(b"; \t").split())
    if count < 5:
        raise source.error(line.number, f'expected "{_LINK}"', line.text)
    return count


def _column(weight: str | int, columns: int) -> int:
    names = COLUMNS[:columns]
    at = names.index(weight) if weight in names else weight
    if not isinstance(at, int) or isinstance(at, bool) or not 2 <= at < columns:
        listed = ", ".join(f"{k} {name}" for k, name in enumerate(names) if k >= 2)
        msg = f"weight={weight!r} is not a column of this TNTP file: {listed}."
        raise InputError(msg)
    return at
