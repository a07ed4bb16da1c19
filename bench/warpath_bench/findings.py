"""``warpath bench findings``: check which statements of the papers hold in our measurements.

Each paper gets a page. Numbers that the paper prints stand next to ours if the folder --papers has
the lines of ``warpath bench paper``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warpath_bench import experiments
from warpath_bench.claims import statements
from warpath_bench.jobs import read_lines
from warpath_bench.measured import FAILS, PARTLY, Measured, rows
from warpath_bench.options import REQUIRED, parsed
from warpath_bench.paper_charts import draw
from warpath_bench.paper_page import about_run, published
from warpath_bench.paper_results import MISSING, Results
from warpath_bench.tables import gpus_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from warpath_bench.claims import Statement

_HEAD = """\
# {paper}

<!-- Written by `warpath bench findings`
from bench/warpath_bench/statements.toml and papers/{name}.toml: edit those files. -->

{title}. The paper measured on {machine}; here on {gpu}.
[The variants](../../algorithms/{name}.md) have a page.

A statement about several graphs *holds in part* if it is true of some. Ratios are of times of
public calls after a warm-up, the least and the largest over the graphs of
[the catalogue's studies](../catalogue-h100.md). Every answer was compared with a certified one.
"""
_NUMBERS = """\
## The paper's numbers

`warpath bench paper {name}` repeats the experiments. Its report has all figures and tables, and
what differs from the paper. Measured with {about}.
"""


def main(arguments: Sequence[str]) -> int:
    """Write the pages; return 0."""
    options = parsed(
        "findings",
        __doc__,
        arguments,
        lines={"nargs": "+", "default": REQUIRED, "help": "files of the catalogue's lines"},
        records={"nargs": "*", "default": (), "help": "recorded runs, or their folders"},
        papers={"type": Path, "metavar": "FOLDER", "help": "folder of the papers' lines"},
        output={"default": REQUIRED, "metavar": "FOLDER", "help": "the folder of the pages"},
    )
    measured = Measured(read_lines(options.lines), read_records(options.records))
    options.output.mkdir(parents=True, exist_ok=True)
    every = statements()
    for name in dict.fromkeys(one.paper for one in every):
        mine = [one for one in every if one.paper == name]
        text = page(name, mine, measured, options.papers, options.output)
        (options.output / f"{name}.md").write_text(text, encoding="utf-8")
    return 0


def page(
    name: str,
    mine: Sequence[Statement],
    measured: Measured,
    lines: Path | None = None,
    output: Path | None = None,
) -> str:
    """Return a paper's page, and write its picture into the folder `output`.

    Parameters
    ----------
    mine : the statements of the paper.
    lines : the folder of the papers' lines.
    """
    paper = experiments.load(name)
    short, _, title = paper.title.partition(": ")
    head = _HEAD.format(
        paper=short, name=name, title=title, machine=paper.machine, gpu=gpus_of(measured.lines)
    )
    found = [(one, one.judge(measured)) for one in mine]
    table = [
        [f"{one.says} ({one.place})", one.figures, verdict.holds, verdict.numbers]
        for one, verdict in found
    ]
    parts = [head, *rows(["statement", "the paper", "here", "numbers"], table)]
    reasons = [
        f"- *{one.says}* {one.why}"
        for one, verdict in found
        if one.why and (verdict.holds in {PARTLY, FAILS} or verdict.holds == one.verdict)
    ]
    parts += ["", "## Why not, or only in part", "", *reasons] if reasons else []
    path = None if lines is None else next(lines.glob(f"{name}-*.jsonl"), None)
    if path is not None and output is not None:
        results = Results(paper, read_lines([path]))
        parts += ["", _NUMBERS.format(name=name, about=about_run(results.lines))]
        body = [row for figure in paper.figures for row in published(results, figure)]
        parts += rows(["number", "the paper", "here"], (row for row in body if row[2] != MISSING))
        missing = sum(row[2] == MISSING for row in body)
        parts += ["", f"{missing} of the paper's numbers were not measured here."] * bool(missing)
        charts = {one.chart: one for one in reversed(paper.figures)}
        timed = charts.get("speedup") or charts["time"]
        for picture in draw(results, timed, output / name):
            parts += ["", f"![{timed.name}: {timed.title}]({picture.name})"]
    return "\n".join([*parts, ""])


def read_records(places: Iterable[str]) -> list[dict[str, Any]]:
    """Return the recorded runs in files and folders, only the last one of each GPU."""
    found = {}
    for place in map(Path, places):
        for path in [place] if place.is_file() else sorted(place.glob("*.json")):
            record = json.loads(path.read_text(encoding="utf-8"))
            found[record.get("gpu", str(path))] = record
    return list(found.values())
