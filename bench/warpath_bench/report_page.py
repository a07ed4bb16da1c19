"""The Markdown of a report: a section for each machine."""

from __future__ import annotations

from statistics import geometric_mean
from typing import TYPE_CHECKING, Any

from warpath.base import units
from warpath_bench.measured import rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from warpath_bench.report_lines import Case, Machine, Ratio

_WORST = 5


def page(found: Sequence[Machine], pictures: Mapping[int, Mapping[str, Path]]) -> str:
    """Return the report; `pictures` maps each machine's place to its pictures by title."""
    parts = ["# Shortest paths beside their peers"]
    if len(found) > 1:
        parts += ["", f"The lines are of {len(found)} machines or sets of versions, kept apart."]
    for at, machine in enumerate(found):
        parts += ["", f"## {_title(machine)}", "", _about(machine)]
        parts += _section(machine, pictures.get(at, {}))
    return "\n".join([*parts, ""])


def _title(machine: Machine) -> str:
    facts = machine.facts
    return str(facts.get("gpu") or facts.get("processor") or facts.get("machine") or "a machine")


def _about(machine: Machine) -> str:
    said = [f"{key} {value}" for key, value in machine.facts.items()]
    commits = sorted({str(line["commit"]) for line in machine.lines if line.get("commit")})
    said += [f"commit {', '.join(commits)}"] if commits else []
    return f"{', '.join(said)}; {len(machine.lines):,} lines."


def _section(machine: Machine, pictures: Mapping[str, Path]) -> list[str]:
    parts: list[str] = []
    ratios = machine.ratios()
    if ratios:
        mean = geometric_mean([ratio.times for ratio in ratios])
        first = sum(ratio.times >= 1 for ratio in ratios)
        said = (
            "Medians over the sources that both solved, in milliseconds. A peer has as many "
            "threads as ours, or fewer; one that was wrong is not compared. Above 1x ours is "
            "faster: here in "
            f"{first} of {len(ratios)}, {units.digits(mean)}x in the geometric mean."
        )
        parts += [
            "",
            "### Ours against the best peer",
            "",
            said,
            "",
            *_ratios(ratios),
            "",
            f"### The worst {_WORST}",
            "",
            *_ratios(sorted(ratios, key=lambda ratio: ratio.times)[:_WORST]),
        ]
    for title, path in pictures.items():
        parts += ["", f"![{title}]({path.name})"]
    if machine.cases():
        parts += ["", "### All solvers", "", "Median (quartiles) in milliseconds over the sources."]
        for dtype, tree in dict.fromkeys((case.dtype, case.tree) for case in machine.cases()):
            name = f"{dtype}{', with the tree' * tree}"
            parts += ["", f"**{name}**", "", *_times(machine, dtype, tree=tree)]
        parts += _speedups(machine)
    failures = machine.failures()
    parts += ["", "### Failures, wrong answers, and what was not begun", ""]
    parts += [
        f"- {one.solver}, {one.threads} threads, {one.case}, source {one.source}: {one.what}"
        for one in failures
    ] or ["- none"]
    return parts


def _ratios(ratios: Sequence[Ratio]) -> list[str]:
    head = ["graph", "weights", "tree", "threads", "ours", "ms", "best peer", "ms", "times"]
    body: list[list[Any]] = [
        [
            one.case.graph,
            one.case.dtype,
            "yes" if one.case.tree else "no",
            one.threads,
            one.ours,
            units.digits(one.ours_ms),
            one.peer,
            units.digits(one.peer_ms),
            f"{units.digits(one.times)}x",
        ]
        for one in ratios
    ]
    return rows(head, body)


def _times(machine: Machine, dtype: str, *, tree: bool) -> list[str]:
    cases = [case for case in machine.cases() if (case.dtype, case.tree) == (dtype, tree)]
    failed = {(one.case, one.solver, one.threads) for one in machine.failures()}
    body = []
    for solver, threads in machine.solvers():
        cells = [_cell(machine, case, solver, threads, failed) for case in cases]
        if any(cells):
            body.append([solver, threads, *cells])
    heads = []
    for case in cases:
        n, m = machine.size(case.graph)
        heads.append(f"{case.graph} ({n:,}; {m:,})")
    return rows(["solver", "threads", *heads], body)


def _cell(machine: Machine, case: Case, solver: str, threads: int, failed: set[Any]) -> str:
    spread = machine.spread(case, solver, threads)
    mark = ", **failed**" if (case, solver, threads) in failed else ""
    if spread is None:
        return mark.removeprefix(", ")
    low, mid, high = (units.digits(value) for value in spread[:3])
    return f"{mid} ({low} to {high}){mark}" if spread.sources > 1 else f"{mid}{mark}"


def _speedups(machine: Machine) -> list[str]:
    found = machine.speedups()
    threads = sorted({count for by_threads in found.values() for count in by_threads})
    body = [
        [solver, str(case), *(by_threads.get(count, {}).get(case) for count in threads)]
        for solver, by_threads in found.items()
        for case in machine.cases()
        if any(case in gains for gains in by_threads.values())
    ]
    if not body:
        return []
    head = ["solver", "graph", *(f"{count} threads" for count in threads)]
    return ["", "### Speed-up over one thread", "", *rows(head, body)]
