"""9th DIMACS challenge: .gr graphs (``a u v w``) and .co coordinates (``v id x y``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from warpath import _core
from warpath.base.errors import InputError
from warpath.graph import Graph
from warpath.io.save import edge_blocks, refuse_what_text_cannot_hold

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.io.source import Line, Source

_ARC = "a <from> <to> <weight>"


def sniff(head: bytes) -> bool:
    """Return whether the first line that is not a comment is the problem line ``p sp``."""
    return _first_words(head)[:2] == [b"p", b"sp"]


def sniff_coordinates(head: bytes) -> bool:
    """Return whether the problem line is ``p aux sp co``."""
    return _first_words(head)[:4] == [b"p", b"aux", b"sp", b"co"]


def _first_words(head: bytes) -> list[bytes]:
    """Return the words of the first line that is neither blank nor a comment."""
    lines = (line for text in head.splitlines() if (line := text.strip()))
    return next((line.split() for line in lines if not _is_comment(line)), [])


def read(source: Source, *, directed: bool | None = None) -> Graph:
    """Read a .gr file; vertices are numbered from 1 in the file.

    Weights are int32 or int64, or float64 if the file has fractions, which the format forbids.

    Parameters
    ----------
    directed : False for a file that lists every edge once; the format requires both arcs.
    """
    problem, (n, m) = _problem(source, [b"p", b"sp"], "p sp <vertices> <arcs>", 2)
    source.room_for(n)
    src, dst, weights = source.rows(
        problem.next,
        problem.number + 1,
        "vvn",
        comments="c",
        prefix="a",
        low=1,
        high=n,
        rows=m,
        expected=_ARC,
        noun="arcs",
    )
    return Graph.from_edges(
        src, dst, weights, n=n, directed=directed is not False, id_base=1, name=source.title
    )


def read_coordinates(source: Source) -> NDArray[np.float64]:
    """Read a .co file: (n, 2).

    The challenge's files hold longitude and latitude times 10^6, as integers. Values that can be
    micro-degrees (all in range, the largest beyond one degree) become degrees; other values are
    not changed.
    """
    problem, (n,) = _problem(source, [b"p", b"aux", b"sp", b"co"], "p aux sp co <vertices>", 1)
    source.room_for(n)
    vertices, x, y = source.rows(
        problem.next,
        problem.number + 1,
        "vcc",
        comments="c",
        prefix="v",
        low=1,
        high=n,
        rows=n,
        expected="v <vertex> <x> <y>",
        noun="vertices",
    )
    points = np.full((n, 2), np.nan)
    points[vertices] = np.column_stack([x, y])
    return points / 1e6 if _are_micro_degrees(points) else points


def _are_micro_degrees(points: NDArray[np.float64]) -> bool:
    largest = np.nanmax(np.abs(points), axis=0, initial=0)
    whole = bool(np.all((points == np.round(points)) | np.isnan(points)))
    return whole and 1e6 < largest[0] <= 180e6 and 1e6 < largest[1] <= 90e6


def _problem(
    source: Source, words: list[bytes], expected: str, sizes: int
) -> tuple[Line, list[int]]:
    at, number = 0, 1
    source.text  # noqa: B018 - refuse a binary file before an error quotes its first line
    while (line := source.line(at, number)) is not None and _is_comment(line.text):
        at, number = line.next, line.number + 1
    if line is None:
        raise source.error(None, f'expected "{expected}", but the file has only comments')
    tokens = line.text.split()
    if tokens[: len(words)] != words or len(tokens) != len(words) + sizes:
        raise source.error(line.number, f'expected "{expected}"', line.text)
    names = ["the number of vertices", "the number of arcs"]
    counts = [
        source.size(token, line.number, what)
        for token, what in zip(tokens[len(words) :], names, strict=False)
    ]
    return line, counts


def _is_comment(text: bytes) -> bool:
    return text[:1] == b"c" and text[1:2] in {b"", b" ", b"\t"}


def write(graph: Graph, file: BinaryIO, *, labels: str = "refuse") -> None:
    """Write a .gr file, with both arcs of undirected edges; weights must be integers.

    Parameters
    ----------
    labels : "refuse" raises for a graph with labels; "drop" writes the numbers 1 .. n instead.
    """
    refuse_what_text_cannot_hold(graph, ".gr", labels)
    if graph.weight_dtype.kind == "f":
        msg = (
            f"a .gr file holds integer weights, but these are {graph.weight_dtype}: "
            "write .mtx or .wel, or round the weights first."
        )
        raise InputError(msg)
    file.write(f"c written by warpath\np sp {graph.n} {graph.m}\n".encode())
    file.writelines(_core.format_edges(*b, base=1, prefix="a ") for b in edge_blocks(graph))
