"""The lines of ``warpath bench prepared`` as a Markdown page."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from typing import TYPE_CHECKING, Any

from warpath.base import units
from warpath.base.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    Line = dict[str, Any]

_HEAD = """\
# Prepared graphs, on {cores} cores

<!-- Written by `warpath bench prepared --output`: edit bench/warpath_bench/prepared_page.py. -->

Contraction hierarchies of warpath, of RoutingKit and of pandana, customizable ones by pyroutingkit,
and searches of warpath without preparation, all asked the same seeded questions:

```console
$ warpath bench prepared --graphs {graphs} --data FOLDER --coordinates NY.co.gz --clock {option} \\
      --external '{command}' --lines prepared.jsonl --output prepared-cpu.md
```

A cell is the best of {runs}, of which each has the median over the questions of its kind. In
parentheses it is divided by that of warpath on one thread: 2x takes twice as long. {clock}
A time marked ~ was measured with a part of the sources of one question, because all questions would
have taken longer than `--budget`.

*Build* is the time from the arrays of a graph to the first question, conversion included. Our times
are those of whole Python calls (`pairs` with one pair, `path`, `pairs`, `distances`), as are those
of packages; those of a command are of its own calls in C++. *To all* writes all distances into
memory that is reused. RoutingKit answers it with every vertex as a target, pinned once while it
builds; pandana answers tables pair by pair, and has no such call for all vertices. All distances
are whole numbers and were equal to ours; of ours, a sample of each question was equal to
Dijkstra's. Routes were compared by their lengths along the edges.
[How RoutingKit takes part](external-solvers.md#prepared-graphs).
"""

_CLOCKS = {
    "wall": "Times are of the wall clock.",
    "processor": """\
Other processes
used the machine, so that times are those that the processor spent on one thread. Packages had one
thread, by OMP_NUM_THREADS=1.""",
}


def read(path: Path) -> list[Line]:
    """Return the lines of a file; none if the file does not exist.

    Raises
    ------
    InputError
        If a line is not of this benchmark; with its number.
    """
    found = []
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    for number, one in enumerate(text.splitlines(), start=1):
        try:
            line = json.loads(one)
            _ = line["graph"], line["solver"], line["clock"], line["figures"].items()
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            msg = (
                f"{path}:{number}: {one[:60]!r} is no line of this benchmark. A run that was "
                "killed may have torn the last line; remove it to continue."
            )
            raise InputError(msg) from error
        found.append(line)
    return found


def append(path: Path, line: Line) -> None:
    """Append a line in one write, so that a stopped run leaves complete lines."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def write(path: Path, text: str) -> None:
    """Write the page to a temporary file, and rename it."""
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def compact(line: Line) -> str:
    """Return a line as a short text."""
    told = "; ".join(
        f"{one['title']}: {units.digits(one['value'])}" for one in line["figures"].values()
    )
    built = line.get("build_s")
    head = f"{line['graph']}, {_title(line)}: "
    built_in = "" if built is None else f"build {built:.2f} s; "
    return head + built_in + told + (f" ({line['error']})" if "error" in line else "")


def page(lines: Sequence[Line]) -> str:
    """Return the page: the conditions, a table for each graph, and peers without a figure."""
    graphs = list(dict.fromkeys(line["graph"] for line in lines))
    most = max(Counter((line["graph"], _title(line)) for line in lines).values())
    cores = "/".join(dict.fromkeys(line["machine"]["cores"] for line in lines))
    runs = "one run" if most == 1 else f"up to {most} runs"
    clock = " ".join(_CLOCKS[name] for name in dict.fromkeys(line["clock"] for line in lines))
    option = lines[-1]["clock"]
    parts = [
        _HEAD.format(
            runs=runs,
            cores=cores,
            clock=clock,
            graphs=shlex.join(graphs),
            option=option,
            command="RoutingKit=./routingkit" + (" processor" if option == "processor" else ""),
        )
    ]
    for graph in graphs:
        parts += _section(graph, [line for line in lines if line["graph"] == graph])
    parts.append(_about(lines))
    return "\n".join(parts) + "\n"


def _section(graph: str, lines: Sequence[Line]) -> list[str]:
    n, m = lines[0]["n"], lines[0]["m"]
    titles = {name: one["title"] for line in lines for name, one in line["figures"].items()}
    head = ["solver", "build, s", "arcs up", *titles.values()]
    rows = [f"## {graph}: {n:,} vertices, {m:,} edges", "", f"| {' | '.join(head)} |"]
    rows.append("|---" + "|---:" * (len(head) - 1) + "|")
    notes = []
    base = [line for line in lines if _title(line) == _BASE]
    for title in dict.fromkeys(map(_title, lines)):
        mine = [line for line in lines if _title(line) == title]
        if any(line["figures"] for line in mine):
            cells = [_cell(mine, base, name) for name in ("build_s", *titles)]
            arcs = next((line["arcs"] for line in mine if line.get("arcs")), None)
            cells.insert(1, "" if arcs is None else f"{arcs:,}")
            rows.append(f"| {title} | {' | '.join(cells)} |")
        if "error" in mine[-1]:
            notes.append(f"- {title}, where it has no figures: {mine[-1]['error']}")
    return [*rows, "", *notes, *([""] if notes else [])]


_BASE = "warpath, 1 thread"


def _title(line: Line) -> str:
    count = line["threads"]
    solver: str = line["solver"]
    return solver + (f", {count} thread{'s' * (count > 1)}" if count else "")


def _value(line: Line, name: str) -> float | None:
    if name == "build_s":
        return line.get("build_s") if "not prepared" not in line["solver"] else None
    return line["figures"][name]["value"] if name in line["figures"] else None


def _best(lines: Sequence[Line], name: str) -> float | None:
    values = [_value(line, name) for line in lines]
    return min((value for value in values if value is not None), default=None)


def _cell(mine: Sequence[Line], base: Sequence[Line], name: str) -> str:
    """Return the best time of all runs, and its ratio to the best one of `base`."""
    best, ours = _best(mine, name), _best(base, name)
    if best is None:
        return ""
    part = any(line["figures"].get(name, {}).get("sources") for line in mine)
    text = ("~" if part else "") + units.digits(best)
    if ours is None or _title(mine[0]) == _BASE:
        return text
    return f"{text} ({units.digits(best / ours)}x)"


def _about(lines: Sequence[Line]) -> str:
    """Return the machine and the versions of the measurements."""
    facts = dict.fromkeys(
        ", ".join(f"{key} {value}" for key, value in line["machine"].items()) for line in lines
    )
    commits = ", ".join(dict.fromkeys(line["commit"] for line in lines if line["commit"]))
    return f"Machine: {'; '.join(facts)}" + (f"; commit {commits}." if commits else ".")
