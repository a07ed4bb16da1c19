"""The study of the catalogue as Markdown tables: rows of recipes, a column per graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warpath.base import units
from warpath.recipes import CATALOGUE
from warpath_bench.measured import about, rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Line = dict[str, Any]

_HEAD = """\
# The catalogue on {gpu}

<!-- Written by `warpath bench catalogue --table`: edit bench/warpath_bench/tables.py. -->

Every recipe from one seeded source a graph, {weights} weights: the fastest variant of each paper,
and its time. A time is the median of three solves by the public call, or one solve where it takes
over a second; compilation and copying the graph to the GPU come before. Every answer is, bit for
bit, the one that passed the certificate; variants that may be wrong are left out. `>` is the limit
after which the last variant was stopped. Recipes of the CPU were timed at the same time as those of
the GPU, each on a core of its own.

`warpath bench report` makes a table of all variants, with their rounds and work, from the lines in
this folder.
"""


def page(lines: Sequence[Line]) -> str:
    """Return the page: the conditions, the fastest variants, the graphs and the machine."""
    mine = [line for line in lines if line["study"] == "catalogue"]
    weights = ", ".join(sorted({line["weights"] for line in mine}))
    head = _HEAD.format(gpu=gpus_of(mine), weights=weights)
    return "\n".join(
        [head, *fastest(mine), "", *_graphs(mine), "", f"Measured with {about(mine)}.", ""]
    )


def fastest(lines: Sequence[Line]) -> list[str]:
    """Return the rows of the table of the fastest exact variant of each paper on each graph."""
    names = _graphs_of(lines)
    papers: dict[str, list[str]] = {}
    for recipe in CATALOGUE:
        if recipe.exact:
            papers.setdefault(recipe.name.partition(".")[0], []).append(recipe.name)
    at = {(line["recipe"], line["graph"]): line for line in lines}
    body = []
    for paper, recipes in papers.items():
        found = [[at[r, graph] for r in recipes if (r, graph) in at] for graph in names]
        if any(found):
            count = sum(any((r, graph) in at for graph in names) for r in recipes)
            body.append([paper, str(count), *(_fastest(cell) for cell in found)])
    return rows(["paper", "variants", *names], body)


def _fastest(lines: Sequence[Line]) -> str:
    timed = [line for line in lines if "ms" in line and not line["wrong"]]
    if timed:
        best = min(timed, key=lambda line: line["ms"])
        return f"{units.seconds(best['ms'] / 1e3)}: {best['recipe'].partition('.')[2]}"
    limits = [line["limit"] for line in lines if "limit" in line]
    return f"> {units.seconds(max(limits))}" if limits else ""


def gpus_of(lines: Iterable[Line]) -> str:
    """Return the names of the GPUs on which lines were measured, or "the CPU"."""
    return ", ".join(sorted({line["gpu"] for line in lines if line.get("gpu")})) or "the CPU"


def no_times(line: Line) -> str:
    """Return the cell of a line without times: the reason for that; "" if it has times."""
    if reason := line.get("refused") or line.get("skipped"):
        return f"no: {reason}"
    if "failed" in line:
        return f"failed: {line['failed'][:120]}"
    return f"> {units.seconds(line['limit'])}" if "limit" in line else ""


def table(lines: Sequence[Line]) -> list[str]:
    """Return the rows of the table, recipes in the order of the catalogue."""
    graphs = _graphs_of(lines)
    at = {(line["recipe"], line["graph"]): line for line in lines}
    body = []
    for recipe in CATALOGUE:
        found = [at.get((recipe.name, graph)) for graph in graphs]
        if any(found):
            cells = [_cell(one) for one in found]
            on = "CPU" if "cpu" in recipe.devices else "GPU"
            body.append([recipe.name, on, *cells])
    return rows(["", "on", *graphs], body)


def compact(line: Line) -> str:
    """Return a line's content as one short line of text."""
    return _cell(line).replace("<br>", "; ").replace("*", "")


def _graphs_of(lines: Sequence[Line]) -> list[str]:
    return list(dict.fromkeys(line["graph"] for line in sorted(lines, key=_by_size)))


def _by_size(line: Line) -> tuple[bool, int]:
    return line["graph"].startswith("dense"), line["m"]


def _cell(line: Line | None) -> str:
    if line is None:
        return ""
    if reason := no_times(line):
        made = line.get("rounds_made")
        return f"{reason}<br>{made:,} rounds" if made else reason
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


def _graphs(lines: Sequence[Line]) -> list[str]:
    keys = ("graph", "n", "m", "dijkstra_edges")
    found = {line["graph"]: [line[key] for key in keys] for line in lines if keys[-1] in line}
    return rows(
        ["graph", "n", "m", "reached edges"], [found[g] for g in _graphs_of(lines) if g in found]
    )
