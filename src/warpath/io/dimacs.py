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

#: Other problems whose files have a line "p <problem>": the title, and for the lines of edges the
#: first word and the positions of the ends and the weight.
_OTHERS = {
    b"edge": ("graph colouring", "e", (1, 2)),
    b"edges": ("graph colouring", "e", (1, 2)),
    b"col": ("graph colouring", "e", (1, 2)),
    b"max": ("maximum flow, whose numbers are capacities", "a", (1, 2, 3)),
    b"min": ("minimum-cost flow, whose last number is the cost", "a", (1, 2, 5)),
    b"asn": ("assignment", "a", (1, 2, 3)),
    b"mat": ("matching", "e", (1, 2, 3)),
    b"tw": ("treewidth", "", (0, 1)),
    b"cnf": ("satisfiability, which has no graph", "", ()),
}


def sniff(head: bytes) -> bool:
    """Return whether the first line that is not a comment is the problem line of a DIMACS file.

    Files of other problems than ``p sp`` are recognised too, so that `read` refuses them by name.
    """
    words = _first_words(head)
    if words[:1] != [b"p"] or sniff_coordinates(head):
        return False
    word, sizes = words[1:2], words[2:]
    return word == [b"sp"] or (
        len(sizes) >= 2 and not word[0].isdigit() and all(size.isdigit() for size in sizes)
    )


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
    source.text  # noqa: B018 - refuse a binary file before an error quotes its first line
    line = source.line(0, 1, b"c")
    if line is None:
        raise source.error(None, f'expected "{expected}", but the file has only comments')
    tokens = line.text.split()
    if tokens[0] == b"p" and tokens[1:2] not in ([words[1]], [b"sp"], []):
        raise source.error(line.number, _another_problem(source, tokens[1]))
    if tokens[: len(words)] != words or len(tokens) != len(words) + sizes:
        raise source.error(line.number, f'expected "{expected}"', line.text)
    names = ["the number of vertices", "the number of arcs"]
    counts = [
        source.size(token, line.number, what)
        for token, what in zip(tokens[len(words) :], names, strict=False)
    ]
    return line, counts


def _another_problem(source: Source, word: bytes) -> str:
    """Return the message about a file of another DIMACS problem, with a way to read its edges."""
    name = word.decode("utf-8", "replace")
    title, first_word, fields = _OTHERS.get(word, ("not known", "", ()))
    reason = f'expected "p sp", but this file is of another DIMACS problem: "p {name}" is {title}'
    if not fields:
        return reason
    edge = ", ".join(f"{'float' if at > 2 else 'int'}(w[{at}])" for at in fields)
    is_edge = f"w[:1] == [{first_word!r}]" if first_word else "w and w[0].isdigit()"
    directed = "" if first_word == "a" else ", directed=False"
    unpack = "" if source.compression is None else "unpack the file, then "
    return (
        f"{reason}. Its edges in Python: {unpack}wp.Graph.of([({edge}) for w in map(str.split, "
        f"pathlib.Path({str(source.path)!r}).read_text().splitlines()) if {is_edge}]{directed})"
    )


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
