"""The report of a paper's experiments: Markdown with a section for each figure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from warpath.base import latex, units
from warpath_bench.measured import about, rows
from warpath_bench.paper_results import is_wrong, short
from warpath_bench.tables import no_times

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from warpath_bench.experiments import Figure, GraphSpec, Paper, Study
    from warpath_bench.paper_results import Results

    Line = dict[str, Any]

_HEAD = """\
# {title}

<!-- Written by `{command}`
from {source}: edit that file. -->

The paper measured on {machine}. Here: {here}.

{scale} Times are by the public call, after a warm-up: the median of three solves, or one where it
takes over a second. Every answer is compared, bit for bit, with one that passed the certificate.
† marks what the paper does not have.
"""


def page(
    results: Results,
    pictures: dict[str, list[Path]],
    *,
    command: str,
    scale: str,
    absent: Sequence[str],
) -> str:
    """Return the report.

    Parameters
    ----------
    pictures : figure -> its files, next to the report.
    command : the command that writes the report.
    scale : a sentence about sizes.
    absent : missing devices, such as "a GPU".
    """
    paper = results.paper
    head = _HEAD.format(
        title=paper.title,
        command=command,
        source=paper.source,
        machine=paper.machine,
        scale=scale,
        here=about_run(results.lines),
    )
    parts = [head, *_list("What differs from the paper throughout:", paper.differs)[1:]]
    told: set[str] = set()
    for figure in paper.figures:
        parts += ["", f"## {figure.name[:1].upper()}{figure.name[1:]}: {figure.title}", ""]
        parts += _section(results, figure, pictures.get(figure.name, []), absent)
        notes = [one.note for one in results.study(figure).graphs if one.note not in {"", *told}]
        told.update(notes)
        parts += _list("What differs:", [*figure.differs, *notes])
    text = "\n".join([*parts, *_failures(results.lines), *_skipped(paper, results), ""])
    return re.sub(r"\n{3,}", "\n\n", text)


def tables_for_latex(text: str) -> str:
    """Return the tables of a report for LaTeX, each with its section as a comment."""
    tables, section = [], ""
    for block in text.split("\n\n"):
        if block.startswith("## "):
            section = block.removeprefix("## ")
        if block.startswith("|"):
            head, _, *body = (line[2:-2].split(" | ") for line in block.splitlines())
            tables.append(latex.table(head, body, {"section": section}))
    return "\n".join(tables)


def about_run(lines: Sequence[Line]) -> str:
    """Return the machine and the versions of the measurements, their number and their time."""
    spent = units.clock(sum(line.get("spent_s", 0.0) for line in lines))
    return f"{about(lines)}; {len(lines):,} measurements in {spent}" if lines else "nothing"


def _section(
    results: Results, figure: Figure, pictures: Sequence[Path], absent: Sequence[str]
) -> list[str]:
    study = results.study(figure)
    parts = [figure.says, ""] if figure.says else []
    parts += [f"![{figure.name}: {figure.title}]({path.name})" for path in pictures]
    parts += [""] * bool(pictures)
    shown = _TABLES[figure.chart](results, figure)
    parts += shown
    if figure.published:
        parts += ["", *rows(["number", "the paper", "here"], published(results, figure))]
    missing = [short(recipe, study) for recipe in results.absent(figure)]
    if missing and figure.chart != "graphs":
        why = f"without {' and '.join(absent)}" if absent else "not begun in time"
        parts += ["", f"Not run here, {why}: {', '.join(missing)}."]
    return parts


def published(results: Results, figure: Figure) -> list[list[str]]:
    """Return a row for each number that the paper prints: its name, the paper's value, and ours."""
    return [[one.what, one.value, results.here(figure, one)] for one in figure.published]


def _list(head: str, items: Sequence[str]) -> list[str]:
    return ["", head, "", *(f"- {item}" for item in items)] if items else []


def _times(results: Results, figure: Figure) -> list[str]:
    """Return a table of times, and speedups over the baseline: recipes by graphs."""
    study = results.study(figure)
    labels, recipes = results.labels(study), results.recipes(figure)
    body = [
        [short(recipe, study), *(_cell(results, figure, label, recipe) for label in labels)]
        for recipe in recipes
    ]
    return rows(["", *labels], body) if body else []


def _cell(results: Results, figure: Figure, label: str, recipe: str) -> str:
    study = results.study(figure)
    lines = results.of(study, label, recipe)
    if any(is_wrong(line) for line in lines):
        return "**wrong**"
    value = results.mid(study, label, recipe, figure.key)
    if value is None:
        return next(filter(None, map(no_times, lines)), "")
    said = units.seconds(value / 1e3) if figure.key == "ms" else units.digits(value)
    base = results.mid(study, label, figure.baseline, figure.key) if figure.baseline else None
    if base is not None and recipe != figure.baseline:
        said += f" ({units.digits(base / value)}x)"
    lost = [line["wrong"] for line in lines if line.get("wrong")]
    return said + (f", {max(lost):,} wrong" if lost else "")


def _graphs(results: Results, figure: Figure) -> list[str]:
    study = results.study(figure)
    body: list[list[Any]] = []
    for label in results.labels(study):
        n, m, degree = (results.size(study, label, key) for key in ("n", "m", "mean_degree"))
        if n is not None and m is not None:
            body.append([label, int(n), int(m), degree])
    return rows(["graph", "vertices", "edges", "mean degree"], body) if body else []


def _work(results: Results, figure: Figure) -> list[str]:
    study = results.study(figure)
    body = []
    for recipe in results.recipes(figure):
        cells = []
        for label in results.labels(study):
            keys = ("work", "parallelism", "rounds")
            found = [_median(results, study, label, recipe, key) for key in keys]
            known = [text for text in found if text]
            cells.append(" · ".join(known) if len(known) == 3 else "")
        if any(cells):
            body.append([short(recipe, study), *cells])
    head = ["work · vertices a round · rounds", *results.labels(study)]
    return rows(head, body) if body else []


def _median(results: Results, study: Study, label: str, recipe: str, key: str) -> str:
    value = results.mid(study, label, recipe, key)
    return "" if value is None else units.digits(value)


def _delta(results: Results, figure: Figure) -> list[str]:
    study, body = results.study(figure), []
    for recipe in results.recipes(figure):
        for label in results.labels(study):
            for key in ("ms", "work", "parallelism"):
                found = [results.mid(study, label, recipe, key, one) for one in study.factors]
                if any(value is not None for value in found):
                    body.append([f"{short(recipe, study)}, {label}: {key}", *found])
    factors = [f"{factor:g}" for factor in study.factors if factor is not None]
    return rows(["delta / (32 w / d)", *factors], body) if body else []


_TABLES: dict[str, Callable[[Results, Figure], list[str]]] = {
    "time": _times,
    "speedup": _times,
    "graphs": _graphs,
    "work": _work,
    "rounds": _work,
    "delta": _delta,
    "table": lambda *_: [],
}


def _failures(lines: Sequence[Line]) -> list[str]:
    bad = [
        f"{line['recipe']} on {line['graph']}: "
        + (f"{line['wrong']:,} wrong labels" if is_wrong(line) else str(line.get("failed")))
        for line in lines
        if is_wrong(line) or "failed" in line
    ]
    return ["", "## Failures and wrong answers", "", *(f"- {one}" for one in bad or ["none"])]


def _skipped(paper: Paper, results: Results) -> list[str]:
    """Return a list of the paper's graphs that were not measured."""
    missing = {}
    for study in paper.studies:
        here = results.labels(study)
        for spec in study.graphs:
            reason = _absence(spec, study, here)
            if reason:
                missing[spec.title or spec.file] = reason
    items = [f"{title}: {reason}" for title, reason in missing.items()]
    return _list("## Graphs that are not here", items)


def _absence(spec: GraphSpec, study: Study, here: Sequence[str]) -> str:
    if spec.skip:
        return spec.skip
    title = spec.title
    if any(label.startswith(title) for label in here) or spec.make or not study.variants:
        return ""
    return f"{spec.file} is not in the folder of --data, or was not begun in time"
