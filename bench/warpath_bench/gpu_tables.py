"""Tables of ``warpath bench gpu``: the catalogue compared with ours, and the planner's choices."""

from __future__ import annotations

from statistics import geometric_mean, median
from typing import TYPE_CHECKING, Any

from warpath.base import units
from warpath.recipes import CATALOGUE
from warpath_bench.gpu_studies import GOOD, over_best

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Line = dict[str, Any]

_OF_CATALOGUE = """\
## The catalogue beside it

Every published recipe from the first source, with {dtype} weights: the call, its
answer left where it was found, the median of three solves, or one of over 50 ms. `>` is a solve
that was stopped after that time, `no` one that the recipe objects to, an empty cell one that was
not begun: the time of its graph was over, or it is one of a CPU and the graph has 2^30 edges.
Those of the CPU ran in the processes beside.
"""
_OF_PLANNER = """\
## What the planner chooses

Graphs that its costs were not set by: other parameters, seeds and kinds, weights of several types.
Each recipe that `auto` can take for one source is timed from three sources, and a choice is good
whose time is within 10 % of the best one's.
"""


def catalogue(lines: Sequence[Line], mine: Sequence[Line]) -> list[str]:
    """Return tables of all recipes compared with ours; empty if none was measured.

    Parameters
    ----------
    lines : lines of the catalogue.
    mine : lines of our solves by "auto" on the same graphs.
    """
    if not lines:
        return []
    at = {(line["graph"], line["algorithm"]): line for line in lines}
    own = {
        line["graph"]: _own(line, lines)
        for line in mine
        if line["dtype"] == lines[0]["dtype"] and line["algorithm"] == "auto"
    }
    graphs = [name for name in own if any(graph == name for graph, _ in at)]
    rows = [["graph", "ours, ms", "fastest published", "ms", "over ours", "stopped", "refused"]]
    behind = []
    for graph in graphs:
        here = [line for line in lines if line["graph"] == graph]
        times = {one["algorithm"]: ms for one in here if (ms := time_of(one)) is not None}
        row, took = [graph, _ms(own[graph]), "", "", ""], own[graph]
        if times and took is not None:
            name = min(times, key=lambda one: times[one])
            behind += [graph] if times[name] <= took else []
            row = [graph, _ms(took), f"`{name}`", _ms(times[name]), f"{times[name] / took:.1f}x"]
        counts = [sum(key in one for one in here) for key in ("limit", "refused")]
        rows.append([*row, *map(str, counts)])
    said = f"Ours is first but on {', '.join(behind)}." if behind else "Ours is first on all."
    full = [["", *graphs], ["*ours*", *(_ms(own[graph]) for graph in graphs)]]
    for recipe in CATALOGUE:
        cells = [at.get((graph, recipe.name)) for graph in graphs]
        if any(cells):
            on = ", CPU" if "cpu" in recipe.devices else ""
            full.append([recipe.name + on, *("" if one is None else cell(one) for one in cells)])
    head = _OF_CATALOGUE.format(dtype=lines[0]["dtype"])
    return [head, *_table(rows), "", said, "", "All times in ms:", "", *_table(full)]


def _own(line: Line, lines: Sequence[Line]) -> float | None:
    """Return our time from the source of the catalogue's measurements."""
    sources = [one["source"] for one in lines if one["graph"] == line["graph"]]
    if not sources or "call_ms" not in line or line.get("wrong"):
        return None
    place = line["sources"].index(sources[0]) if sources[0] in line["sources"] else 0
    return float(line["call_ms"][place])


def time_of(line: Line) -> float | None:
    """Return the milliseconds of a recipe that ended with the right distances."""
    return None if line.get("wrong") or "call_ms" not in line else float(median(line["call_ms"]))


def cell(line: Line) -> str:
    """Return a short text of a recipe's outcome."""
    if "refused" in line:
        return "no"
    if "failed" in line:
        return f"failed: {line['failed'][:80]}"
    if "limit" in line:
        return f"> {_ms(1e3 * line['limit'])}"
    wrong = f", {line['wrong']:,} wrong" if line["wrong"] else ""
    return _ms(median(line["call_ms"])) + wrong


def planner(lines: Sequence[Line]) -> list[str]:
    """Return the share of good choices and the misses; empty if no graph was measured."""
    judged = [line for line in lines if over_best(line, ours=True) is not None]
    if not lines:
        return []
    rows = [["best of", "graphs", "good choices", "lost in the mean", "at most"]]
    for name, ours in (("ours", True), ("all that it may take", False)):
        lost = [over for line in judged if (over := over_best(line, ours=ours)) is not None]
        good = sum(each <= GOOD for each in lost)
        rows.append(
            [
                name,
                str(len(lost)),
                f"{good}, {good / len(lost):.0%}",
                f"{geometric_mean(lost):.2f}x",
                f"{max(lost):.2f}x",
            ]
            if lost
            else [name, "0", "", "", ""]
        )
    misses = sorted(
        (line for line in judged if (over_best(line, ours=False) or 0) > GOOD),
        key=lambda line: -(over_best(line, ours=False) or 0),
    )
    missed = [["graph", "m", "taken", "ms", "best", "ms", "times"]]
    for line in misses:
        times, taken = line["ms"], line["chosen"]
        best = min(times, key=lambda name: times[name])
        missed.append(
            [
                line["graph"],
                f"{line['m']:,}",
                f"`{taken}`",
                _ms(times[taken]),
                f"`{best}`",
                _ms(times[best]),
                f"{over_best(line, ours=False):.2f}",
            ]
        )
    shown = ["", "Missed:", "", *_table(missed)] if misses else ["", "Missed: none."]
    unjudged = [line["graph"] for line in lines if line not in judged]
    left = ["", f"Not judged: {', '.join(unjudged)}."] if unjudged else []
    return [_OF_PLANNER, *_table(rows), *shown, *left]


def choice(line: Line) -> str:
    """Return a short text of a choice and its loss."""
    over = over_best(line, ours=False)
    lost = "no time" if over is None else f"{over:.2f} times the best"
    times = ", ".join(f"{name} {_ms(ms)}" for name, ms in line["ms"].items())
    return f"{line['chosen']}, {lost}; {times}; {line['wrong']} wrong"


def _ms(ms: float | None) -> str:
    return "" if ms is None else units.digits(ms)


def _table(rows: Iterable[Sequence[str]]) -> list[str]:
    head, *body = ("| " + " | ".join(row) + " |" for row in rows)
    return [head, "|---" * (head.count("|") - 1) + "|", *body]
