"""The lines of ``warpath bench prepared`` as a Markdown page."""

from __future__ import annotations

import shlex
from collections import Counter
from typing import TYPE_CHECKING, Any

from warpath.base import units
from warpath_bench import lines as files
from warpath_bench.measured import about, rows

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    Line = dict[str, Any]

_HEAD = """\
# Prepared graphs, on {cores} cores

<!-- Written by `warpath bench prepared --output`: edit bench/warpath_bench/prepared_page.py. -->

Contraction hierarchies of warpath, of [RoutingKit](external-solvers.md#prepared-graphs) and of
pandana, customizable ones of pyroutingkit, and searches of warpath without preparation, all asked
the same seeded questions:

```console
$ warpath bench prepared --graphs {graphs} --data FOLDER --clock {option} \\
      --external '{command}' --lines prepared.jsonl --output prepared-cpu.md
```

A cell is the best of {runs}, of which each has the median over the questions of its kind; ~ marks a
time of a part of the sources. {clock} *Build* is the time from the arrays of a graph to the first
question. Times are those of whole calls in Python, those of a command of its own calls in C++. All
distances were equal to ours, routes were compared by their lengths, and a sample of ours was equal
to Dijkstra's.
"""

_CLOCKS = {
    "wall": "Times are of the wall clock.",
    "processor": "Times are processor time of one thread, as others used the machine.",
}


def read(path: Path | None) -> list[Line]:
    """Return the lines of a file; none if the file does not exist."""
    keys = ("graph", "clock", "run", "solver", "threads")
    return files.read(path, lambda line: (*(line[key] for key in keys), *line["figures"]))


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
    option = lines[-1]["clock"]
    head = _HEAD.format(
        runs="one run" if most == 1 else f"up to {most} runs",
        cores="/".join(dict.fromkeys(line["machine"]["cores"] for line in lines)),
        clock=" ".join(_CLOCKS[name] for name in dict.fromkeys(line["clock"] for line in lines)),
        graphs=shlex.join(graphs),
        option=option,
        command="RoutingKit=./routingkit" + (" processor" if option == "processor" else ""),
    )
    parts = [head]
    for graph in graphs:
        parts += _section([line for line in lines if line["graph"] == graph])
    return "\n".join([*parts, f"Measured with {about(lines)}.", ""])


def _section(lines: Sequence[Line]) -> list[str]:
    titles = {name: one["title"] for line in lines for name, one in line["figures"].items()}
    body, notes = [], []
    for title in dict.fromkeys(map(_title, lines)):
        mine = [line for line in lines if _title(line) == title]
        if any(line["figures"] for line in mine):
            body.append([title, *(_cell(mine, name) for name in ("build_s", *titles))])
        if "error" in mine[-1]:
            notes.append(f"- {title}, where it has no figures: {mine[-1]['error']}")
    first = lines[0]
    head = f"## {first['graph']}: {first['n']:,} vertices, {first['m']:,} edges"
    table = rows(["solver", "build, s", *titles.values()], body)
    return [head, "", *table, "", *notes, *[""] * bool(notes)]


def _title(line: Line) -> str:
    count = line["threads"]
    solver: str = line["solver"]
    return solver + (f", {count} thread{'s' * (count > 1)}" if count else "")


def _cell(mine: Sequence[Line], name: str) -> str:
    """Return the best time of all runs."""
    figures = [line["figures"][name] for line in mine if name in line["figures"]]
    values = [one["value"] for one in figures]
    if name == "build_s":
        built = [line.get("build_s") for line in mine if "not prepared" not in line["solver"]]
        values = [value for value in built if value is not None]
    part = "~" * any(one.get("sources") for one in figures)
    return part + units.digits(min(values)) if values else ""
