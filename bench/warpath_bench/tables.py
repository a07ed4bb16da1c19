"""The study of the catalogue as a Markdown table: a row per recipe, a column per graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warpath.base import units
from warpath.recipes import CATALOGUE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Line = dict[str, Any]

_HEAD = """\
# The catalogue on {gpu}

<!-- Written by `python -m warpath_bench catalogue --table`
from bench/warpath_bench/tables.py: edit that file. -->

Every recipe from one seeded source a graph, {weights} weights. A cell has the time, and below it
rounds, edges read over those that Dijkstra relaxes, and vertices selected a round. A time is the
median of three solves by the public call, or one solve where it takes over a second; compilation
and copying the graph to the GPU come before. Every answer is, bit for bit, the one that passed the
certificate; a recipe that loses minima shows how many labels are wrong. The traced solve behind
rounds, work and parallelism is not the timed one. *Italic* work and parallelism were not counted
but follow from the distances: such a recipe takes each vertex once, in the order of distances.

`> 60 s` is a solve that was stopped after that time; then come the rounds that it had made and, if
another recipe made the same rounds to the end, how many there are and how long they would take.
Recipes of the CPU were timed at the same time as those of the GPU, each on a core of its own.
"""

_PACE = """\
## Microseconds a round

The time of a call divided by its rounds, with its start and its end.
"""


def page(lines: Sequence[Line]) -> str:
    """Return the page: the conditions, the graphs and the table."""
    mine = [line for line in lines if line["study"] == "catalogue"]
    weights = ", ".join(sorted({line["weights"] for line in mine}))
    head = _HEAD.format(gpu=gpus_of(mine), weights=weights)
    return "\n".join(
        [head, *_graphs(mine), "", *table(mine), "", _PACE, *pace(mine), "", _about(mine), ""]
    )


def gpus_of(lines: Iterable[Line]) -> str:
    """Return the names of the GPUs on which lines were measured, or "the CPU"."""
    return ", ".join(sorted({line["gpu"] for line in lines if line.get("gpu")})) or "the CPU"


def no_times(line: Line) -> str:
    """Return the cell of a line without times: the reason for that; "" if it has times."""
    if "refused" in line:
        return f"no: {line['refused']}"
    if "failed" in line:
        return f"failed: {line['failed'][:120]}"
    return f"> {units.seconds(line['limit'])}" if "limit" in line else ""


def table(lines: Sequence[Line]) -> list[str]:
    """Return the rows of the table, recipes in the order of the catalogue."""
    graphs = list(dict.fromkeys(line["graph"] for line in sorted(lines, key=_by_size)))
    at = {(line["recipe"], line["graph"]): line for line in lines}
    rounds = _rounds_of_settling(lines)
    rows = ["| | on | " + " | ".join(graphs) + " |", "|---" * (len(graphs) + 2) + "|"]
    for recipe in CATALOGUE:
        found = [at.get((recipe.name, graph)) for graph in graphs]
        if any(found):
            cells = [_cell(one, rounds) for one in found]
            on = "CPU" if "cpu" in recipe.devices else "GPU"
            rows.append(f"| {recipe.name} | {on} | " + " | ".join(cells) + " |")
    return rows


def pace(lines: Sequence[Line]) -> list[str]:
    """Return the rows of the table of microseconds a round, for recipes that work in rounds."""
    graphs = list(dict.fromkeys(line["graph"] for line in sorted(lines, key=_by_size)))
    times = {
        (line["recipe"], line["graph"]): 1e3 * line["ms"] / line["rounds"]
        for line in lines
        if line.get("rounds") and "ms" in line and CATALOGUE[line["recipe"]].axes is not None
    }
    rows = ["| us | " + " | ".join(graphs) + " |", "|---" * (len(graphs) + 1) + "|"]
    for recipe in CATALOGUE:
        found = [times.get((recipe.name, graph)) for graph in graphs]
        if any(found):
            cells = ["" if one is None else units.digits(one) for one in found]
            rows.append(f"| {recipe.name} | " + " | ".join(cells) + " |")
    return rows


def compact(line: Line) -> str:
    """Return a line's content as one short line of text."""
    return _cell(line, {}).replace("<br>", "; ").replace("*", "")


def _by_size(line: Line) -> tuple[bool, int]:
    return line["graph"].startswith("dense"), line["m"]


def _rounds_of_settling(lines: Sequence[Line]) -> dict[str, int]:
    """Return graph -> rounds of recipes that settle the least labels, which all make the same."""
    return {
        line["graph"]: line["rounds"]
        for line in lines
        if line.get("rounds") and _settles(line["recipe"])
    }


def _settles(name: str) -> bool:
    recipe = CATALOGUE[name]
    return recipe.axes is not None and recipe.axes.select.value == "min" and recipe.exact


def _cell(line: Line | None, rounds: dict[str, int]) -> str:
    if line is None:
        return ""
    if reason := no_times(line):
        return _stopped(line, reason, rounds) if "limit" in line else reason
    first = units.seconds(line["ms"] / 1e3) if "ms" in line else line["device"]
    if line["wrong"]:
        first += f", {line['wrong']:,} wrong"
    counts = [f"{line['rounds']:,}"] if line.get("rounds") else []
    if "work" in line:
        mark = "*" if line["counted"] == "known" else ""
        if line["work"] is not None:
            counts.append(f"{mark}{units.digits(line['work'])}{mark}")
        counts.append(f"{mark}{units.digits(line['parallelism'])}{mark}")
    return first + ("<br>" + " · ".join(counts) if counts else "")


def _stopped(line: Line, text: str, rounds: dict[str, int]) -> str:
    """Return a cell's text with the rounds that were made, and their total if it is known."""
    made = line["rounds_made"]
    if not made:
        return text
    total = rounds.get(line["graph"]) if _settles(line["recipe"]) else None
    if total is None:
        return f"{text}<br>{made:,} rounds"
    return f"{text}<br>{made:,} of {total:,}: {units.seconds(line['limit'] * total / made)}"


def _graphs(lines: Sequence[Line]) -> list[str]:
    rows = ["| graph | n | m | reached edges |", "|---|---|---|---|"]
    seen = {}
    for line in sorted(lines, key=_by_size):
        if "dijkstra_edges" in line:
            seen[line["graph"]] = line
    for name, line in seen.items():
        rows.append(f"| {name} | {line['n']:,} | {line['m']:,} | {line['dijkstra_edges']:,} |")
    return rows


def _about(lines: Sequence[Line]) -> str:
    """Return the machine and the versions of the measurements."""
    kept = ("gpu", "driver", "CUDA runtime", "compiler", "machine", "cores", "python", "commit")
    values = {key: sorted({line[key] for line in lines if line.get(key)}) for key in kept}
    return "; ".join(f"{key} {', '.join(found)}" for key, found in values.items() if found) + "."
