"""Edge tables as text, drawn with headers, delimiters, marks and directions, and read again.

A trial draws edges first and then writes them down, so the right answer is known without a reader.
A table whose header says which columns are meant must give exactly these edges. A header of
unknown words must be refused, and must be read once the columns are named.
"""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import warpath as wp
from hunt.program import Finding, Program
from warpath.base.errors import InputError

if TYPE_CHECKING:
    import numpy as np

    from hunt.program import Counts

    Arcs = Counter[tuple[Any, Any, float]]

_TABLES = 30

#: Ends that a header names, by the programs that write them.
_ENDS = (
    ("source", "target"), ("Source", "Target"), ("from", "to"), ("src", "dst"), ("u", "v"),
    ("from_node", "to_node"), ("from_node_id", "to_node_id"), ("a_node", "b_node"),
    ("start_node", "end_node"), ("FNODE", "TNODE"), ("init_node", "term_node"), ("tail", "head"),
    ("FROMNODENO", "TONODENO"), ("origin", "destination"), ("u_id", "v_id"),
)  # fmt: skip
_WEIGHTS = ("weight", "length", "distance", "cost", "Weight", "LENGTH")
#: Columns that say nothing about the edges.
_REMARKS = ("link_id", "gid", "OBJECTID", "edge_id", "name", "lanes", "year", "remark", "key")
_UNKNOWN = ("alpha", "beta", "gamma", "delta", "colour", "shape", "kind of", "x1", "Größe")
_LETTERS = "abcdefgXYZäß"


def trial(rng: np.random.Generator, counts: Counts) -> None:
    """Write some tables and read them."""
    chance = random.Random(int(rng.integers(2**63)))  # noqa: S311 - text, not secrets
    with tempfile.TemporaryDirectory(prefix="warpath-hunt-") as folder:
        for _ in range(_TABLES):
            _read_one(chance, Path(folder), counts)


def _read_one(chance: random.Random, folder: Path, counts: Counts) -> None:
    """Write a table of one kind and compare what is read.

    The kinds are a header with known names, or with unknown ones; a list without a header;
    AequilibraE's columns, in which a direction of -1 leads from B to A and 0 both ways; and
    pgRouting's, in which a negative cost closes a direction.
    """
    kind = chance.choice(("known", "known", "unknown", "list", "direction", "reverse_cost"))
    delimiter = chance.choice(" \t,") if kind == "list" else chance.choice(",;\t|")
    edges = _edges(chance, " " if kind == "list" else delimiter, listed=kind == "list")
    ends, weight = chance.choice(_ENDS), chance.choice(_WEIGHTS)
    if kind == "unknown":
        *ends, weight = chance.sample(_UNKNOWN, 3)  # type: ignore[assignment]
    elif kind == "direction":
        ends, weight = ("a_node", "b_node"), "distance"
    elif kind == "reverse_cost":
        ends, weight = ("source", "target"), "cost"
    columns, arcs = _columns(chance, kind, (*ends, weight), edges)
    suffix = {",": ".csv", ";": ".csv", "|": ".csv", "\t": ".tsv", " ": ".txt"}[delimiter]
    path = folder / f"t{suffix}"
    path.write_bytes(_encoded(chance, columns, kind, delimiter, weight))
    counts["tables"] += 1
    options: dict[str, Any] = {}
    if kind == "unknown":
        counts["refused"] += 1
        _refused(path, [*columns])
        options = dict(zip(("source", "target", "weight"), (*ends, weight), strict=True))
    try:
        graph = wp.read(path, **options)
    except InputError as error:
        raise _finding(path, options, f"refused: {error}") from error
    if _arcs(graph) != arcs:
        raise _finding(path, options, f"read {_arcs(graph)}\nright is {arcs}")


def _columns(
    chance: random.Random, kind: str, names: tuple[str, ...], edges: list[tuple[Any, Any, str]]
) -> tuple[dict[str, list[str]], Arcs]:
    """Return the columns of a table of one kind, and what they mean."""
    columns: dict[str, list[str]] = {name: [] for name in names}
    columns |= {kind: []} if kind in {"direction", "reverse_cost"} else {}
    arcs: Arcs = Counter()
    for u, v, text in edges:
        there, back, cell, length = True, False, text, float(text)
        if kind == "direction":
            sign = chance.choice((-1, 0, 1))
            there, back = sign >= 0, sign <= 0
            columns[kind].append(str(sign))
        if kind == "reverse_cost":
            length = float(chance.choice((-1, -1, 5, 40)))
            back, there = length >= 0, chance.random() < 0.8
            cell = text if there else "-1"
            columns[kind].append(f"{length:.0f}")
        for name, each in zip(names, (str(u), str(v), cell), strict=True):
            columns[name].append(each)
        arcs.update([(u, v, float(text))] * there + [(v, u, length)] * back)
    return columns, arcs


def _refused(path: Path, titles: list[str]) -> None:
    """Check that a table is refused with a message that lists its columns."""
    try:
        graph = wp.read(path)
    except InputError as error:
        message = str(error)
        if len(message) < 300 and not all(title in message for title in titles):
            raise _finding(path, {}, f"the message does not list the columns: {message}") from error
    else:
        raise _finding(path, {}, f"unknown words became columns: {_arcs(graph)}")


def _finding(path: Path, options: dict[str, Any], reason: str) -> Finding:
    content = f"its bytes: {path.read_bytes()!r}"
    return Finding(f"reading {path.suffix} with {options}: {reason}\n{content}")


def _arcs(graph: wp.Graph) -> Arcs:
    src, dst, weights = graph.edges()
    names = graph.label_of(range(graph.n)).tolist()
    rows = zip(src.tolist(), dst.tolist(), weights.tolist(), strict=True)
    return Counter((names[u], names[v], float(w)) for u, v, w in rows)


def _edges(chance: random.Random, delimiter: str, *, listed: bool) -> list[tuple[Any, Any, str]]:
    """Return different pairs of integers, or of names that a table can hold, with a weight."""
    kind = chance.choice(("int", "negative", "large", "name", "mark", "blank", "quoted"))
    numbers = {"int": (0, 40), "negative": (-40, 40), "large": (10**9, 10**15)}
    vertices: list[Any] = []
    for _ in range(6):
        name = "".join(chance.choice(_LETTERS) for _ in range(chance.randint(2, 5)))
        if kind in numbers and not (listed and kind == "negative"):
            vertices.append(chance.randint(*numbers[kind]))
        elif kind == "mark" and not listed:
            vertices.append(chance.choice("#%") + name)
        elif kind == "blank" and delimiter != " ":
            vertices.append(f"{name} {name[::-1]}")
        elif kind == "quoted" and not listed:
            vertices.append(chance.choice((f"{name}{delimiter}x", f'{name}"', f"'{name}")))
        else:
            vertices.append(name)
    count, whole = chance.randint(1, 8), chance.random() < 0.5
    pairs = {(chance.choice(vertices), chance.choice(vertices)) for _ in range(count)}
    return [
        (u, v, str(chance.randint(0, 99)) + ("" if whole else f".{chance.choice('05')}"))
        for u, v in sorted(pairs, key=str)
    ]


def _encoded(
    chance: random.Random, columns: dict[str, list[str]], kind: str, delimiter: str, weight: str
) -> bytes:
    """Return the bytes of a file of some columns; a table gets further ones in a random order."""
    titles = list(columns)
    above: list[str] = chance.choice(([], [], [], ["# made by hand"]))
    quoted, trailing = chance.random() < 0.15, chance.random() < 0.1
    if kind == "list":
        above = chance.choice(([], ["# a comment"], ["% x", "# 3 4"]))
        quoted = trailing = False
    else:
        points = all("." in text for text in columns[weight])
        if points and delimiter in ";\t" and chance.random() < 0.4:
            columns[weight] = [text.replace(".", ",") for text in columns[weight]]
        for name in chance.sample(_REMARKS, chance.randint(0, 3)):
            words = ("", "Mill Lane", "x") if name in {"name", "remark"} else "123456789"
            columns[name] = [chance.choice(words) for _ in columns[weight]]
        titles = list(columns)
        chance.shuffle(titles)
    rows = [[columns[title][at] for title in titles] for at in range(len(columns[weight]))]
    lines = list(above)
    for row in rows if kind == "list" else [titles, *rows]:
        cells = [_cell(text, delimiter, quoted=quoted) for text in row]
        lines.append(delimiter.join(cells) + delimiter * trailing)
    lines += [""] * (kind != "list" and chance.random() < 0.1)
    end = chance.choice(("\n", "\n", "\r\n", "\n" if kind == "list" else "\r"))
    text = end.join(lines) + end * (chance.random() < 0.8)
    return b"\xef\xbb\xbf" * (chance.random() < 0.1) + text.encode()


def _cell(text: str, delimiter: str, *, quoted: bool) -> str:
    if quoted or any(each in text for each in (delimiter, '"', "\n", "\r")):
        return '"' + text.replace('"', '""') + '"'
    return text


PROGRAM = Program(
    summary="Edge tables as text, drawn with headers, delimiters, marks and directions.",
    trial=trial,
    hang=60.0,
)
