"""The lines of ``warpath bench dynamic`` as a Markdown page, with a plot."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

from warpath.base import units
from warpath_bench import lines as files
from warpath_bench.charts import plane
from warpath_bench.measured import about, rows

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    Line = dict[str, Any]

_HEAD = """\
# Graphs that change{where}

<!-- Written by `warpath bench dynamic --output`: edit bench/warpath_bench/dynamic_page.py. -->

Each batch of changes is passed to `warpath.DynamicPaths`{others}:

```console
$ warpath bench dynamic --data FOLDER {options} --lines dynamic.jsonl \\
      --output {page}
```

*Repair* is one call of `update` or `insert`; *anew* makes the changed graph and solves it with its
tree, and *solve* is that without making the graph. Times are medians over the batches of a run, in
ms, and over the runs. New weights are half to twice the old ones. All distances were compared after
every batch, of a replay, which runs alone, after every 500th. *Affected* vertices had a distance
that could grow; a batch that affects too many is solved anew inside `DynamicPaths`, and *gave up*
counts these.
"""

_PEERS = ", to a new solve, and to NetworKit's\ndynamic Dijkstra, one edge after the other"
_COLUMNS = ("repair", "anew", "solve", "NetworKit")
_TITLES = {"weights": "new weights", "insertions": "new edges", "replay": "replay: new weights"}


def read(path: Path | None) -> list[Line]:
    """Return the lines of a file; none if the file does not exist."""
    keys = ("graph", "kind", "size", "threads")
    return files.read(path, lambda line: (*(line[k] for k in keys), *line["times"]["repair"]))


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
    path.write_text(page(lines, plot.name), encoding="utf-8")


def page(lines: Sequence[Line], plot: str) -> str:
    """Return the page as Markdown."""
    head = ["graph", "change", "edges", "batches", "affected", "gave up"]
    head += [f"{name}, ms" for name in _COLUMNS] + ["anew / repair"]
    keys = dict.fromkeys((line["graph"], line["kind"], line["size"]) for line in lines)
    body = [
        _row([line for line in lines if (line["graph"], line["kind"], line["size"]) == key])
        for key in keys
    ]
    wrong = (
        f"{line['graph']}, {line['size']:,} edges: {name} was wrong and left out from there, {why}."
        for line in lines
        for name, why in line["wrong"].items()
    )
    here = {line.get("device", "cpu") for line in lines} == {"cpu"}
    parts = [
        _HEAD.format(
            where="" if here else ", on a GPU",
            others=_PEERS if here else " and to a new solve",
            options="--threads 2" if here else "--device cuda --alone",
            page="dynamic-cpu.md" if here else "dynamic-gpu.md",
        ),
        *rows(head, body),
        "",
        _growth(lines),
        "",
        f"![Time of a batch over its affected vertices]({plot})",
        "",
        "Each point is a batch: repair over affected or changed vertices, whichever are more.",
        *(text for one in dict.fromkeys(wrong) for text in ("", one)),
        "",
        f"Measured with {about(lines)}.",
        "",
    ]
    return "\n".join(parts)


def _growth(lines: Sequence[Line]) -> str:
    """Return a sentence about the memory of replays."""
    told = dict.fromkeys(
        f"{line['graph']}: {line['bytes'][0]:,} bytes after the first batch and "
        f"{line['bytes'][-1]:,} near the end"
        for line in lines
        if line["bytes"]
    )
    return f"Memory of a replay, {'; '.join(told)}." if told else ""


def _row(lines: Sequence[Line]) -> list[Any]:
    first = lines[0]
    times: dict[str, float] = {}
    for name in _COLUMNS:
        found = [median(line["times"][name]) for line in lines if line["times"].get(name)]
        if found:
            times[name] = 1e3 * median(found)
    ratio = times["anew"] / times["repair"] if "anew" in times else None
    return [
        first["graph"],
        _TITLES[first["kind"]],
        first["size"],
        sum(line["batches"] for line in lines),
        round(median(value for line in lines for value in line["affected"])),
        sum(line["solved_anew"] for line in lines),
        *(times.get(name) for name in _COLUMNS),
        ratio,
    ]


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
