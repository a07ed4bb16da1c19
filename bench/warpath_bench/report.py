"""``warpath bench report FILE...``: make tables and plots of the lines that ``suite`` wrote.

Each machine gets its own section. Lines of ``catalogue`` and of ``paper`` have the work and the
parallelism of each recipe, which are plotted against each other. ``--summary`` leaves out the
times of each solver and, with many graphs, joins the ratios of graphs of about the same size.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import geometric_mean
from typing import TYPE_CHECKING

from warpath.base import units
from warpath_bench.charts import dots, plane
from warpath_bench.measured import about, rows
from warpath_bench.options import parsed
from warpath_bench.report_lines import Machine, machines, read
from warpath_bench.session import NOT_BEGUN
from warpath_bench.tables import table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from warpath_bench.report_lines import Case, Failure, Line, Ratio

_WORST = 5
_MANY = 12  # from more graphs than this on, they share the rows of tables and pictures
_SIZES = (10_000, 100_000)  # limits of the classes of graphs by vertices
_COMPARED = (
    "Medians over the sources that both solved, in milliseconds. A peer has as many threads as "
    "ours, or fewer; one that was wrong is not compared. Above 1x ours is faster: here in "
)

_OF_RECIPES = (
    "A cell has the time, or the limit after which a solve was stopped; rounds; edges read over "
    "those that Dijkstra relaxes; and vertices selected a round. *Italic* counts follow from the "
    "distances."
)
_IN_FULL = (
    "Measured by `warpath bench suite`. The lines are in the same folder; from them, `warpath "
    "bench report` makes tables of all solvers' times."
)


def main(arguments: Sequence[str]) -> int:
    """Write the report; return 1 if one of our solvers failed or was wrong, else 0."""
    options = parsed(
        "report",
        __doc__,
        arguments,
        lines={"positional": True, "nargs": "+", "type": Path, "help": "files of JSON lines"},
        output={"default": Path(), "metavar": "FOLDER", "help": "the folder of the report"},
        name={"default": "report", "help": "name of the report's files"},
        title={"default": "One source, compared with other libraries", "help": "of the page"},
        summary={"default": False, "help": "ratios and the worst cases only"},
    )
    found = machines(line for name in options.lines for line in read(name))
    folder: Path = options.output
    folder.mkdir(parents=True, exist_ok=True)
    several = len(found) > 1
    stems = [f"{options.name}-{at}" if several else options.name for at, _ in enumerate(found, 1)]
    pictures = [
        draw(machine, folder / stem, one=options.summary)
        for machine, stem in zip(found, stems, strict=True)
    ]
    report = folder / f"{options.name}.md"
    text = page(found, pictures, options.title, summary=options.summary)
    report.write_text(text, encoding="utf-8")
    sys.stdout.write(f"{report}\n")
    if several:
        sys.stderr.write(f"{len(found)} machines or sets of versions, kept apart in the report\n")
    failed = [one for machine in found for one in machine.failures() if one.ours]
    return 1 if failed else 0


def page(
    found: Sequence[Machine],
    pictures: Sequence[Mapping[str, Path]],
    title: str,
    *,
    summary: bool = False,
) -> str:
    """Return the report; `pictures` has those of each machine by title."""
    parts = [f"# {title}"]
    if len(found) > 1:
        parts += ["", f"The lines are of {len(found)} machines or sets of versions, kept apart."]
    for machine, drawn in zip(found, pictures, strict=True):
        facts = machine.facts
        name = facts.get("gpu") or facts.get("processor") or facts.get("machine") or "a machine"
        said = f"{about(machine.lines)}; {len(machine.lines):,} lines."
        parts += ["", f"## {name}", "", said, ""]
        parts += _summary(machine) if summary else _ratios(machine)
        for text, path in drawn.items():
            parts += ["", f"![{text}]({path.name})"]
        if not summary:
            parts += [*_all_solvers(machine), *_all_recipes(machine)]
        parts += [
            "",
            "### Failures, wrong answers, and what was not begun",
            "",
            *_failures(machine),
        ]
    parts += ["", _IN_FULL] * summary
    return "\n".join([*parts, ""])


def told(lines: Sequence[Line]) -> str:
    """Return the tables that a suite prints: all times, then our ratios to the best peer."""
    machine = Machine({}, list(lines))
    return "\n".join([*_times(machine), "", *_ratios(machine)]).strip() + "\n"


def _ratios(machine: Machine) -> list[str]:
    """Return all ratios, and the worst ones."""
    ratios = machine.ratios()
    if not ratios:
        return []
    parts = ["### Ours against the best peer", "", _compared(ratios), "", *_table(ratios)]
    return [*parts, "", *_worst(ratios)]


def _compared(ratios: Sequence[Ratio]) -> str:
    first = sum(ratio.times >= 1 for ratio in ratios)
    mean = units.digits(geometric_mean([ratio.times for ratio in ratios]))
    return f"{_COMPARED}{first} of {len(ratios)}, {mean}x in the geometric mean."


def _closest(ratios: Sequence[Ratio]) -> str:
    one = min(ratios, key=lambda ratio: ratio.times)
    threads = f"{one.threads} thread{'s' * (one.threads != 1)}"
    return f"The closest peer is {one.peer}, on {one.case.graph} with {threads}."


def _worst(ratios: Sequence[Ratio]) -> list[str]:
    worst = sorted(ratios, key=lambda ratio: ratio.times)[:_WORST]
    return [f"### The worst {_WORST}", "", *_table(worst)]


def _table(ratios: Sequence[Ratio]) -> list[str]:
    head = ["graph", "weights", "tree", "threads", "ours", "ms", "best peer", "ms", "times"]
    return rows(
        head,
        [
            [
                one.case.graph,
                one.case.dtype,
                "yes" if one.case.tree else "no",
                one.threads,
                one.ours,
                one.ours_ms,
                one.peer,
                one.peer_ms,
                f"{units.digits(one.times)}x",
            ]
            for one in ratios
        ],
    )


def _summary(machine: Machine) -> list[str]:
    """Return ratios by graph with the worst one, or by classes of graphs and the worst ones."""
    ratios = machine.ratios()
    if not ratios:
        return []
    graphs = list(dict.fromkeys(one.case.graph for one in ratios))
    few = len(graphs) <= _MANY
    classes = {graph: graph if few else _size(machine, graph) for graph in graphs}
    kinds = list(dict.fromkeys(ratio.kind for ratio in ratios))
    body = []
    for name in sorted(set(classes.values()), key=list(classes.values()).index):
        cells = []
        for kind in kinds:
            mine = [r for r in ratios if classes[r.case.graph] == name and r.kind == kind]
            cells.append(_joined(mine))
        body.append([name, *cells])
    says = "our ms and the ratio" if few else "the ratios, least to largest"
    head = ["graph" if few else "vertices", *kinds]
    lead = f"{_compared(ratios)} A cell has {says}."
    if few:
        return [f"{lead} {_closest(ratios)}", "", *rows(head, body)]
    return [lead, "", *rows(head, body), "", *_worst(ratios)]


def _size(machine: Machine, graph: str) -> str:
    n, _ = machine.size(graph)
    low, high = _SIZES
    if n < low:
        return f"below {low:,}"
    return f"below {high:,}" if n < high else f"from {high:,} on"


def _joined(ratios: Sequence[Ratio]) -> str:
    if not ratios:
        return ""
    times = [ratio.times for ratio in ratios]
    if len(ratios) == 1:
        return f"{units.digits(ratios[0].ours_ms)}, {units.digits(times[0])}x"
    return f"{units.digits(min(times))} to {units.digits(max(times))}"


def _all_solvers(machine: Machine) -> list[str]:
    if not machine.cases():
        return []
    head = ["", "### All solvers", "", "Median (quartiles) in milliseconds over the sources."]
    return [*head, "", *_times(machine)]


def _times(machine: Machine) -> list[str]:
    """Return a table of times for each type of weights, without and with predecessors."""
    parts = []
    for dtype, tree in dict.fromkeys((case.dtype, case.tree) for case in machine.cases()):
        cases = [case for case in machine.cases() if (case.dtype, case.tree) == (dtype, tree)]
        body = []
        for solver, threads in machine.solvers():
            cells = [_cell(machine, case, solver, threads) for case in cases]
            if any(cells):
                body.append([solver, threads, *cells])
        sizes = [machine.size(case.graph) for case in cases]
        heads = [f"{c.graph} ({n:,}; {m:,})" for c, (n, m) in zip(cases, sizes, strict=True)]
        name = f"**{dtype}{', with the tree' * tree}**"
        parts += [name, "", *rows(["solver", "threads", *heads], body), ""]
    return parts[:-1]


def _cell(machine: Machine, case: Case, solver: str, threads: int) -> str:
    """Return median and quartiles, with the number of sources if some lack, or the failure."""
    failure = machine.failure(case, solver, threads)
    if failure is not None:
        if failure.what.startswith(NOT_BEGUN):
            return "-"
        return f"{failure.wrong:,} wrong" if failure.wrong else "**failed**"
    spread = machine.spread(case, solver, threads)
    if spread is None:
        return ""
    low, mid, high = (units.digits(value) for value in spread[:3])
    count = f" [{spread.sources}]" if spread.sources < machine.sources(case) else ""
    return (f"{mid} ({low} to {high})" if spread.sources > 1 else mid) + count


def _all_recipes(machine: Machine) -> list[str]:
    lines = [line for line in machine.lines if line.get("study") == "catalogue"]
    return ["", "### All recipes", "", _OF_RECIPES, "", *table(lines)] if lines else []


def _failures(machine: Machine) -> list[str]:
    """Return a list of failures; those of a solver for one reason are one item."""
    by_reason: dict[tuple[str, str], list[Failure]] = {}
    for one in machine.failures():
        by_reason.setdefault((one.solver, one.what.partition(":")[0]), []).append(one)
    items = []
    for (solver, _), (one, *others) in by_reason.items():
        more = f" and {len(others)} more" * bool(others)
        at = f"{one.threads} threads, {one.case}, source {one.source}{more}"
        items.append(f"- {solver}, {at}: {one.what}")
    return items or ["- none"]


def draw(machine: Machine, stem: Path, *, one: bool) -> dict[str, Path]:
    """Draw the charts for which a machine has lines, or the first one; return title -> file."""
    ways = {
        "ratios": ("Ours against the best peer", _draw_ratios),
        "work": ("Work and rounds against parallelism", _draw_work),
    }
    found: dict[str, Path] = {}
    for name, (title, way) in ways.items():
        path = stem.with_name(f"{stem.name}-{name}.png")
        if not (one and found) and way(machine, path):
            found[title] = path
    return found


def _draw_ratios(machine: Machine, path: Path) -> bool:
    """Draw a row for each case; with many graphs, points over the number of vertices."""
    series: dict[str, dict[str, float]] = {}
    points: dict[str, list[tuple[float, float]]] = {}
    ratios = machine.ratios()
    for ratio in ratios:
        threads = f"{ratio.threads} thread{'s' * (ratio.threads > 1)}"
        series.setdefault(threads, {})[str(ratio.case)] = ratio.times
        place = machine.size(ratio.case.graph)[0], ratio.times
        points.setdefault(ratio.kind, []).append(place)
    title = "times as fast as the best peer (above 1: ours is faster)"
    if len({ratio.case.graph for ratio in ratios}) > _MANY:
        plane(path, points, "vertices", [title])
    elif series:
        dots(path, series, title, level=1.0)
    return bool(series)


def _draw_work(machine: Machine, path: Path) -> bool:
    found = machine.works()
    work = {name: [(many, share) for many, share, _ in at] for name, at in found.items()}
    rounds = {name: [(many, made) for many, _, made in at if made] for name, at in found.items()}
    rounds = {name: places for name, places in rounds.items() if places}
    if work:
        titles = ("edges read / Dijkstra's", "rounds")[: 1 + bool(rounds)]
        plane(path, work, "vertices a round", titles, [rounds] if rounds else [])
    return bool(work)
