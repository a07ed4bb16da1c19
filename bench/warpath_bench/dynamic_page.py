"""The lines of ``warpath bench dynamic`` as a Markdown page, with a plot."""

from __future__ import annotations

import json
from statistics import median
from typing import TYPE_CHECKING, Any

from warpath.base import units
from warpath.base.errors import InputError
from warpath_bench.charts import plane

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    Line = dict[str, Any]

_HEAD = """\
# Graphs that change{where}

<!-- Written by `warpath bench dynamic --output`: edit bench/warpath_bench/dynamic_page.py. -->

Each batch of changes is passed to `warpath.DynamicPaths`{others}, one after the other:

```console
$ warpath bench dynamic --data FOLDER {options} --lines dynamic.jsonl \\
      --output {page}
```

*Repair* is one call of `update` or `insert`. *Anew* makes the changed graph (`with_weights` or
`with_edges`) and solves it with its tree, *solve* is the second part of that alone. Times are
medians over the batches of a run, in ms; that of dynG is its own process's, for its call alone. A
cell has the best, the median and the worst of the runs
where there are several. New weights are half to twice the old ones, and integers. All distances
were compared after every batch, and equal unless the end of this page names a solver. NetworKit
gets one edge after the other. A replay runs alone; it was compared with a new solve and its tree
after every 500th batch. A batch is solved anew inside `DynamicPaths` if its repair affects too many
vertices; *gave up* counts them.

"""

_PEERS = ", to a new solve, to\nNetworKit's dynamic Dijkstra and to dynG"

_COLUMNS = ("repair", "anew", "solve", "NetworKit", "dynG")
_TITLES = {"weights": "new weights", "insertions": "new edges", "replay": "replay: new weights"}


def read(path: Path) -> list[Line]:
    """Return the lines of a file; none if the file does not exist."""
    found = []
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    for number, one in enumerate(text.splitlines(), start=1):
        try:
            line = json.loads(one)
            _ = line["graph"], line["kind"], line["times"]["repair"]
        except (ValueError, KeyError, TypeError) as error:
            msg = f"{path}:{number}: {one[:60]!r} is no line of this benchmark; remove it."
            raise InputError(msg) from error
        found.append(line)
    return found


def compact(line: Line) -> str:
    """Return a line as a short text."""
    times = {name: median(values) for name, values in line["times"].items()}
    told = [f"{name} {units.digits(1e3 * value)} ms" for name, value in times.items()]
    head = f"{line['graph']}, {line['batches']:,} batches of {line['size']:,} {line['kind']}"
    affected = f"{median(line['affected']):,.0f} affected, {line['solved_anew']:,} solved anew"
    return f"{head}: {', '.join(told)}; {affected}"


def write(lines: Sequence[Line], path: Path) -> None:
    """Write the page, and a plot of the time of a batch over its affected vertices beside it."""
    plot = path.with_name(f"{path.stem}-affected.png")
    _plot(lines, plot)
    part = path.with_name(path.name + ".part")
    part.write_text(page(lines, plot.name), encoding="utf-8")
    part.replace(path)


def page(lines: Sequence[Line], plot: str) -> str:
    """Return the page as Markdown."""
    head = ["graph", "change", "edges", "batches", "affected", "changed", "gave up"]
    head += [f"{name}, ms" for name in _COLUMNS] + ["anew / repair", "solve / repair"]
    rows = [f"| {' | '.join(head)} |", "|---|---" + "|---:" * (len(head) - 2) + "|"]
    keys = dict.fromkeys((line["graph"], line["kind"], line["size"]) for line in lines)
    for key in keys:
        mine = [line for line in lines if (line["graph"], line["kind"], line["size"]) == key]
        rows.append(f"| {' | '.join(_row(mine))} |")
    machines = dict.fromkeys(
        ", ".join(f"{name} {value}" for name, value in line["machine"].items() if value)
        for line in lines
    )
    devices = {line.get("device", "cpu") for line in lines}
    threads = "/".join(dict.fromkeys(str(line["threads"]) for line in lines))
    used = f"{threads} threads" if devices == {"cpu"} else f"on {', '.join(sorted(devices))}"
    commits = ", ".join(dict.fromkeys(line["commit"] for line in lines if line.get("commit")))
    about = f"Machine: {'; '.join(machines)}; {used}{commits and f'; commit {commits}'}."
    text = (
        f"![Time of a batch over its affected vertices]({plot})\n\n"
        "Each point is a batch: the time of its repair over the vertices whose distance could grow "
        "or has changed, whichever are more.\n"
    )
    wrong = (
        f"\n{line['graph']}, {line['size']:,} edges: {name} was wrong and took no further part, "
        f"{why}.\n"
        for line in lines
        for name, why in line["wrong"].items()
    )
    text += "".join(dict.fromkeys(wrong))  # the runs of a seed find the same
    here = devices == {"cpu"}
    head_text = _HEAD.format(
        where="" if here else ", on a GPU",
        others=_PEERS if here else " and to a new solve",
        options="--dyng python3.12" if here else "--device cuda --alone",
        page="dynamic-cpu.md" if here else "dynamic-gpu.md",
    )
    title = head_text.rstrip() + "\n"
    return "\n".join([title, *rows, "", _growth(lines), "", text, about]) + "\n"


def _growth(lines: Sequence[Line]) -> str:
    """Return a sentence about the memory of replays."""
    told = [
        f"{line['graph']}: {line['bytes'][0]:,} bytes after the first batch and "
        f"{line['bytes'][-1]:,} near the end"
        for line in lines
        if line["bytes"]
    ]
    return f"Memory of a replay, {'; '.join(told)}." if told else ""


def _row(lines: Sequence[Line]) -> list[str]:
    first = lines[0]
    found = [_medians(line) for line in lines]
    values = {
        name: [one[name] for one in found if name in one]
        for name in (*_COLUMNS, "anew / repair", "solve / repair")
    }
    every = [line for line in lines for _ in line["affected"]]
    return [
        first["graph"],
        _TITLES[first["kind"]],
        f"{first['size']:,}",
        f"{sum(line['batches'] for line in lines):,}",
        f"{median(value for line in lines for value in line['affected']):,.0f}",
        f"{median(value for line in lines for value in line['changed']):,.0f}",
        f"{sum(line['solved_anew'] for line in lines):,} of {len(every):,}",
        *(_cell([1e3 * value for value in values[name]]) for name in _COLUMNS),
        *(_cell(values[name]) for name in ("anew / repair", "solve / repair")),
    ]


def _cell(values: Sequence[float]) -> str:
    if not values:
        return ""
    if len(values) == 1:
        return units.digits(values[0])
    return " / ".join(map(units.digits, (min(values), median(values), max(values))))


def _medians(line: Line) -> dict[str, float]:
    """Return the median time of each solver in s, and the ratios to the repair."""
    found: dict[str, float] = {name: median(times) for name, times in line["times"].items()}
    for name in ("anew", "solve"):
        if found.get(name):
            found[f"{name} / repair"] = found[name] / found["repair"]
    return found


def _plot(lines: Sequence[Line], path: Path) -> None:
    series: dict[str, list[tuple[float, float]]] = {}
    for line in lines:
        if line["kind"] == "replay":
            continue
        name = f"{line['graph']}, {line['size']:,} {_TITLES[line['kind']]}"
        each = zip(line["affected"], line["changed"], line["times"]["repair"], strict=True)
        points = [(max(affected, changed, 1), 1e3 * time) for affected, changed, time in each]
        series.setdefault(name, []).extend(points)
    if series:
        plane(path, series, "affected or changed vertices", ["ms"])
