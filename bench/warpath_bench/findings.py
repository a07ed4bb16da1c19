"""``warpath bench findings``: check which statements of the papers hold in our measurements.

Each paper gets a page. With the folder --papers, which has the lines of ``warpath bench paper``,
the pages get a picture, and the numbers that the papers print stand next to ours on another page.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warpath_bench import experiments
from warpath_bench.claims import statements
from warpath_bench.jobs import read_lines
from warpath_bench.measured import FAILS, PARTLY, Measured, rows
from warpath_bench.options import REQUIRED, parsed
from warpath_bench.paper_charts import draw
from warpath_bench.paper_page import published
from warpath_bench.paper_results import MISSING, Results
from warpath_bench.tables import gpus_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from warpath_bench.claims import Statement

_HEAD = """\
# {paper}

<!-- Written by `warpath bench findings`
from bench/warpath_bench/statements.toml and papers/{name}.toml: edit those files. -->

{title}The paper measured on {machine}; here on {gpu}.
See [its variants](../../algorithms/{name}.md), [the meaning of the
numbers](../../papers.md) and [all measurements](../catalogue-h100.md).
"""
_NUMBERS = """\
# The papers' numbers

<!-- Written by `warpath bench findings` from bench/warpath_bench/papers: edit those files. -->

Numbers that the papers print, next to ours on graphs of the same kind and size; *both* are sweep
and near-far. `warpath bench paper NAME` repeats the experiments; its report says what differs.
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
    every, numbers = statements(), list[str]()
    for name in dict.fromkeys(one.paper for one in every):
        mine = [one for one in every if one.paper == name]
        results = _results(name, options.papers)
        text = page(name, mine, measured, results, options.output)
        (options.output / f"{name}.md").write_text(text, encoding="utf-8")
        numbers += [] if results is None else ["", *_numbers_of(results)]
    if numbers:
        text = "\n".join([_NUMBERS.rstrip("\n"), *numbers, ""])
        (options.output / "numbers.md").write_text(text, encoding="utf-8")
    return 0


def _results(name: str, folder: Path | None) -> Results | None:
    """Return the lines of a paper's experiments, if the folder has them."""
    path = None if folder is None else next(folder.glob(f"{name}-*.jsonl"), None)
    return None if path is None else Results(experiments.load(name), read_lines([path]))


def _numbers_of(results: Results) -> list[str]:
    """Return the section of the numbers that a paper prints; bounds of 1x are its statements."""
    body = [row for figure in results.paper.figures for row in published(results, figure)]
    body = [row for row in body if re.search(r"\d", row[1].replace(" 1x", "")) and row[1] != "1x"]
    table = rows(["number", "the paper", "here"], (row for row in body if row[2] != MISSING))
    missing = sum(row[2] == MISSING for row in body)
    note = f"{missing} of the paper's numbers were not measured here."
    return [f"## {results.paper.title.partition(': ')[0]}", "", *table, *["", note] * bool(missing)]


def page(
    name: str,
    mine: Sequence[Statement],
    measured: Measured,
    results: Results | None = None,
    output: Path | None = None,
) -> str:
    """Return a paper's page, and write its picture into the folder `output`.

    Parameters
    ----------
    mine : the statements of the paper.
    results : the lines of the paper's experiments, which the picture shows.
    """
    paper = experiments.load(name)
    short, _, title = paper.title.partition(": ")
    head = _HEAD.format(
        paper=short,
        name=name,
        title=f"{title}. " if title else "",
        machine=paper.machine,
        gpu=gpus_of(measured.lines),
    )
    table = []
    for one in mine:
        holds, numbers = one.judge(measured)
        explained = one.why and (holds in {PARTLY, FAILS} or holds == one.verdict)
        why = f"{numbers}. {one.why}" if explained else numbers
        table.append([f"{one.says} ({one.place})", holds, why])
    parts = [head, *rows(["statement", "here", "numbers, and why not"], table)]
    if results is not None and output is not None:
        charts = {one.chart: one for one in reversed(paper.figures)}
        timed = charts.get("speedup") or charts["time"]
        for picture in draw(results, timed, output / name):
            parts += ["", f"![{timed.name}: {timed.title}]({picture.name})"]
        commits = "/".join(dict.fromkeys(line["commit"] for line in results.lines))
        count = f"{len(results.lines)} measurements of `warpath bench paper {name}`"
        parts += ["", f"The picture shows {count} (commit {commits})."]
    return "\n".join([*parts, ""])


def read_records(places: Iterable[str]) -> list[dict[str, Any]]:
    """Return the recorded runs in files and folders, only the last one of each GPU."""
    found = {}
    for place in map(Path, places):
        for path in [place] if place.is_file() else sorted(place.glob("*.json")):
            record = json.loads(path.read_text(encoding="utf-8"))
            found[record.get("gpu", str(path))] = record
    return list(found.values())
