"""Edge tables as text, drawn with headers, delimiters, marks and directions, and read again.

A trial draws edges first and then writes them down, so the right answer is known without a reader.
A table whose header says which columns are meant must give exactly these edges. A header of
unknown words must be refused, and must be read once the columns are named.
"""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import warpath as wp
from hunt.program import Finding, Program
from warpath.base.errors import InputError

if TYPE_CHECKING:
    import numpy as np

    from hunt.program import Counts

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


@dataclass
class Table:
    """A table with what it means.

    Attributes
    ----------
    header : the titles of the columns, None for a list without a header.
    rows : the fields of each row, as they are written between quotes or without.
    ends : the positions of source and target.
    weight : the position of the weight, None if there is none.
    arcs : what the table means, with the number of times that each arc is there.
    delimiter, end_of_line : how fields and rows end.
    above : lines before the header or before the first row.
    quoted : whether all fields are quoted.
    trailing : whether each row ends with another delimiter.
    """

    header: list[str] | None
    rows: list[list[str]]
    ends: tuple[int, int]
    weight: int | None
    arcs: Counter[tuple[Any, Any, float]]
    delimiter: str = ","
    end_of_line: str = "\n"
    above: list[str] = field(default_factory=list)
    quoted: bool = False
    trailing: bool = False

    def encoded(self, chance: random.Random) -> bytes:
        """Return the bytes of the file."""
        lines = list(self.above)
        for row in ([] if self.header is None else [self.header]) + self.rows:
            line = self.delimiter.join(self._field(each) for each in row)
            lines.append(line + self.delimiter * self.trailing)
        if self.header is not None and chance.random() < 0.1:
            lines.append("")
        text = self.end_of_line.join(lines) + self.end_of_line * (chance.random() < 0.8)
        mark = b"\xef\xbb\xbf" if chance.random() < 0.1 else b""
        return mark + text.encode()

    def _field(self, text: str) -> str:
        if self.quoted or any(each in text for each in (self.delimiter, '"', "\n", "\r")):
            return '"' + text.replace('"', '""') + '"'
        return text


def trial(rng: np.random.Generator, counts: Counts) -> None:
    """Write some tables and read them."""
    chance = random.Random(int(rng.integers(2**63)))  # noqa: S311 - text, not secrets
    with tempfile.TemporaryDirectory(prefix="warpath-hunt-") as folder:
        for _ in range(_TABLES):
            table = chance.choice((_named, _named, _unknown, _list, _directed, _both_costs))(chance)
            suffix = {",": ".csv", ";": ".csv", "|": ".csv", "\t": ".tsv", " ": ".txt"}
            path = Path(folder) / f"t{suffix[table.delimiter]}"
            path.write_bytes(table.encoded(chance))
            _check(table, path, counts)


def _check(table: Table, path: Path, counts: Counts) -> None:
    counts["tables"] += 1
    options: dict[str, Any] = {}
    if table.header is not None and table.header[table.ends[0]] in _UNKNOWN:
        counts["refused"] += 1
        try:
            graph = wp.read(path)
        except InputError as error:
            _check_message(table, str(error), path)
        else:
            _report(path, options, f"unknown words became columns: {_arcs(graph)}")
        at = (*table.ends, table.weight)
        names = [None if each is None else table.header[each] for each in at]
        options = dict(zip(("source", "target", "weight"), names, strict=True))
    try:
        graph = wp.read(path, **options)
    except InputError as error:
        _report(path, options, f"refused: {error}")
    if _arcs(graph) != table.arcs:
        _report(path, options, f"read {_arcs(graph)}\nright is {table.arcs}")


def _check_message(table: Table, message: str, path: Path) -> None:
    assert table.header is not None
    shown = [name for name in table.header if name in message]
    if len(shown) < len(table.header) and len(message) < 300:
        _report(path, {}, f"the message does not list the columns: {message}")


def _report(path: Path, options: dict[str, Any], reason: str) -> None:
    msg = f"reading {path.suffix} with {options}: {reason}\nits bytes: {path.read_bytes()!r}"
    raise Finding(msg)


def _arcs(graph: wp.Graph) -> Counter[tuple[Any, Any, float]]:
    src, dst, weights = graph.edges()
    names = graph.label_of(range(graph.n)).tolist()
    rows = zip(src.tolist(), dst.tolist(), weights.tolist(), strict=True)
    return Counter((names[u], names[v], float(w)) for u, v, w in rows)


def _vertices(chance: random.Random, delimiter: str, *, listed: bool) -> list[Any]:
    """Return a few vertices: integers, or names that a table with this delimiter can hold."""
    kind = chance.choice(("int", "negative", "large", "name", "mark", "blank", "quoted"))
    numbers = {"int": (0, 40), "negative": (-40, 40), "large": (10**9, 10**15)}
    if kind in numbers and not (listed and kind == "negative"):
        low, high = numbers[kind]
        return list({chance.randint(low, high) for _ in range(6)})
    names = []
    for _ in range(6):
        name = "".join(chance.choice(_LETTERS) for _ in range(chance.randint(2, 5)))
        if kind == "mark" and not listed:
            name = chance.choice("#%") + name
        elif kind == "blank" and delimiter != " ":
            name = f"{name} {name[::-1]}"
        elif kind == "quoted" and not listed:
            name = chance.choice((f"{name}{delimiter}x", f'{name}"', f"'{name}"))
        names.append(name)
    return list(dict.fromkeys(names))


def _edges(chance: random.Random, vertices: list[Any]) -> list[tuple[Any, Any, str]]:
    """Return different pairs of vertices with a weight as text."""
    pairs = {
        (chance.choice(vertices), chance.choice(vertices)) for _ in range(chance.randint(1, 8))
    }
    whole = chance.random() < 0.5
    drawn = []
    for u, v in sorted(pairs, key=str):
        weight = chance.randint(0, 99)
        drawn.append((u, v, str(weight) if whole else f"{weight}.{chance.choice('05')}"))
    return drawn


def _laid_out(
    chance: random.Random, columns: dict[str, list[str]], delimiter: str
) -> tuple[list[str], list[list[str]]]:
    """Return titles and rows of columns in a random order, with remarks among them."""
    count = len(next(iter(columns.values())))
    for name in chance.sample(_REMARKS, chance.randint(0, 3)):
        numbers = name not in {"name", "remark"}
        columns[name] = [
            str(chance.randint(1, 9)) if numbers else chance.choice(("", "Mill Lane", "x"))
            for _ in range(count)
        ]
    titles = list(columns)
    chance.shuffle(titles)
    if delimiter == " ":
        return titles, []
    return titles, [[columns[name][row] for name in titles] for row in range(count)]


def _decimal(chance: random.Random, delimiter: str, texts: list[str]) -> list[str]:
    """Return weights, with decimal commas in some tables whose delimiter is another."""
    comma = delimiter in ";\t" and all("." in text for text in texts) and chance.random() < 0.4
    return [text.replace(".", ",") for text in texts] if comma else texts


def _style(chance: random.Random, delimiter: str) -> dict[str, Any]:
    return {
        "delimiter": delimiter,
        "end_of_line": chance.choice(("\n", "\n", "\r\n", "\r")),
        "above": chance.choice(([], [], [], ["# made by hand"])),
        "quoted": chance.random() < 0.15,
        "trailing": chance.random() < 0.1,
    }


def _from_header(chance: random.Random, pair: tuple[str, str], weight: str) -> Table:
    delimiter = chance.choice(",;\t|")
    edges = _edges(chance, _vertices(chance, delimiter, listed=False))
    columns = {
        pair[0]: [str(u) for u, _, _ in edges],
        pair[1]: [str(v) for _, v, _ in edges],
        weight: _decimal(chance, delimiter, [w for _, _, w in edges]),
    }
    titles, rows = _laid_out(chance, columns, delimiter)
    return Table(
        titles,
        rows,
        (titles.index(pair[0]), titles.index(pair[1])),
        titles.index(weight),
        Counter((u, v, float(w)) for u, v, w in edges),
        **_style(chance, delimiter),
    )


def _named(chance: random.Random) -> Table:
    """Return a table whose header has a known pair of names."""
    return _from_header(chance, chance.choice(_ENDS), chance.choice(_WEIGHTS))


def _unknown(chance: random.Random) -> Table:
    """Return a table whose header has unknown words."""
    first, second, third = chance.sample(_UNKNOWN, 3)
    return _from_header(chance, (first, second), third)


def _list(chance: random.Random) -> Table:
    """Return a list without a header, with comments at its start."""
    delimiter = chance.choice(" \t,")
    edges = _edges(chance, _vertices(chance, " ", listed=True))
    return Table(
        None,
        [[str(u), str(v), w] for u, v, w in edges],
        (0, 1),
        2,
        Counter((u, v, float(w)) for u, v, w in edges),
        delimiter=delimiter,
        end_of_line=chance.choice(("\n", "\r\n")),
        above=chance.choice(([], ["# a comment"], ["% x", "# 3 4"])),
    )


def _directed(chance: random.Random) -> Table:
    """Return a table of AequilibraE's columns: 1 is A to B, -1 is B to A, 0 is both."""
    table = _from_header(chance, ("a_node", "b_node"), "distance")
    assert table.header is not None
    ends, weight = table.ends, table.weight
    table.header.append("direction")
    right: Counter[tuple[Any, Any, float]] = Counter()
    by_text = {(str(u), str(v)): (u, v, w) for u, v, w in table.arcs}
    for row in table.rows:
        direction = chance.choice((-1, 0, 1))
        row.append(str(direction))
        u, v, w = by_text[row[ends[0]], row[ends[1]]]
        if direction >= 0:
            right[u, v, w] += 1
        if direction <= 0:
            right[v, u, w] += 1
    assert weight is not None
    table.arcs = right
    return table


def _both_costs(chance: random.Random) -> Table:
    """Return a table of pgRouting's columns: a negative cost closes a direction."""
    table = _from_header(chance, ("source", "target"), "cost")
    assert table.header is not None
    ends, weight = table.ends, table.weight
    assert weight is not None
    table.header.append("reverse_cost")
    right: Counter[tuple[Any, Any, float]] = Counter()
    by_text = {(str(u), str(v)): (u, v, w) for u, v, w in table.arcs}
    for row in table.rows:
        u, v, w = by_text[row[ends[0]], row[ends[1]]]
        back = chance.choice((-1, -1, 5, 40))
        row.append(str(back))
        if chance.random() < 0.2:
            row[weight] = "-1"
        else:
            right[u, v, w] += 1
        if back >= 0:
            right[v, u, float(back)] += 1
    table.arcs = right
    return table


PROGRAM = Program(
    summary="Edge tables as text, drawn with headers, delimiters, marks and directions.",
    trial=trial,
    hang=60.0,
)
