"""Fit the planner's constants: measure its candidates, fit, and judge its choices on other graphs.

Measurements are JSON lines: one for each graph and query (one source; 4 and 32 sources; all
pairs), with the facts of the graph and the median time of each candidate on each number of threads.
A run continues where an earlier one ended, so ``--budget`` may be short.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from itertools import chain, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warpath.graph.zones import opened
from warpath.planner import constants
from warpath_bench.fit_cases import FIT, HELD_OUT, cases
from warpath_bench.fit_measure import measured, questions
from warpath_bench.fit_model import fitted, judged, question_of
from warpath_bench.run import machine

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from warpath_bench.fit_cases import Case
    from warpath_bench.fit_model import Constants, Miss, Question, Score

LINES = Path("docs/benchmarks/planner.jsonl")
_SHOWN = 15


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure missing graphs, fit and judge; return 1 while graphs are missing, else 0."""
    options = _parser().parse_args(arguments)
    lines = load(options.lines)
    left = 0
    if options.budget > 0:
        left = measure(lines, options)
    asked = [
        question for line in lines if (question := question_of(line, max(options.threads))).timed
    ]
    if not any(question.part == FIT for question in asked):
        sys.stderr.write(f"{options.lines} has nothing to fit: --budget SECONDS measures.\n")
        return 1
    found = fitted([question for question in asked if question.part == FIT], constants.SECONDS)
    sys.stdout.write(report(asked, found, options.threads))
    if options.write:
        target = Path(constants.__file__)
        target.write_text(as_module(found), encoding="utf-8")
        sys.stdout.write(f"\nwritten: {target}\n")
    if left:
        sys.stdout.write(f"\n{left} graphs are left to be measured: run it again.\n")
    return int(left > 0)


def load(path: Path) -> list[dict[str, Any]]:
    """Return the measurements in a file, except of graphs with damaged or missing lines."""
    if not path.exists():
        return []
    lines, damaged = [], 0
    for text in path.read_text(encoding="utf-8").splitlines():
        try:
            line = json.loads(text)
            question_of(line, 1)
            lines.append(line | {"of": int(line["of"])})
        except (ValueError, KeyError, TypeError, AttributeError):
            damaged += 1
    count: dict[str, int] = {}
    for line in lines:
        count[line["graph"]] = count.get(line["graph"], 0) + 1
    whole = [line for line in lines if count[line["graph"]] == line["of"]]
    if damaged or len(whole) < len(lines):
        sys.stderr.write(
            f"{path}: {damaged} damaged lines, {len(lines) - len(whole)} of graphs not finished; "
            "these graphs are measured again.\n"
        )
    return whole


def measure(lines: list[dict[str, Any]], options: argparse.Namespace) -> int:
    """Measure graphs that the file lacks until the time is over; return how many are left."""
    end = time.perf_counter() + options.budget
    done = {line["graph"] for line in lines}
    missing = [case for case in _in_turn(options.data) if case.name not in done]
    options.lines.parent.mkdir(parents=True, exist_ok=True)
    with options.lines.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
        for at, case in enumerate(missing):
            if time.perf_counter() > end:
                return len(missing) - at
            start = time.perf_counter()
            graph = opened(case.make())
            asked = list(questions(graph))
            made = [
                measured(case, graph, task, sources, tuple(options.threads), options.seconds)
                | {"of": len(asked), "machine": machine()}
                for task, sources in asked
            ]
            file.writelines(json.dumps(line) + "\n" for line in made)
            file.flush()
            lines += made
            sys.stderr.write(f"{case.name}: {time.perf_counter() - start:.1f} s\n")
    return 0


def _in_turn(data: Path | None) -> Iterator[Case]:
    """Yield graphs of both parts in turns, so that a short run has some of each."""
    parts: dict[str, list[Case]] = {FIT: [], HELD_OUT: []}
    for case in cases(data):
        parts[case.part].append(case)
    both = chain.from_iterable(zip_longest(parts[FIT], parts[HELD_OUT]))
    return (case for case in both if case is not None)


def report(asked: Sequence[Question], found: Constants, threads: Sequence[int]) -> str:
    """Return the shares of good choices by present and by fitted constants, and the misses."""
    out = ["| part | task | threads | as it is | fitted |", "|---|---|---|---|---|"]
    missed: list[Miss] = []
    for part in (FIT, HELD_OUT):
        of_part = [question for question in asked if question.part == part]
        for task in (*dict.fromkeys(question.size.task for question in of_part), None):
            some = [one for one in of_part if task in {one.size.task, None}]
            for count in threads:
                before = judged(some, count, constants.SECONDS)
                after = judged(some, count, found)
                name = "all" if task is None else task.value
                out.append(f"| {part} | {name} | {count} | {_share(before)} | {_share(after)} |")
                if part == HELD_OUT and task is None:
                    missed += after.misses
    out += ["", "Held out, and over a tenth slower than the best candidate:", ""]
    out += ["| graph | sources | threads | taken | ms | best | ms | times |", "|---" * 8 + "|"]
    for miss in sorted(missed, key=lambda one: -one.ratio)[:_SHOWN]:
        question, chosen, best = miss.question, miss.chosen, miss.best
        out.append(
            f"| {question.graph} | {question.size.sources} | {miss.threads} "
            f"| {chosen.recipe.name}, {chosen.threads} | {1e3 * chosen.seconds:.3g} "
            f"| {best.recipe.name}, {best.threads} | {1e3 * best.seconds:.3g} "
            f"| {miss.ratio:.2f} |"
        )
    out.append(f"\n{len(missed)} misses in all.")
    return "\n".join(out) + "\n"


def _share(score: Score) -> str:
    share = score.good / score.total if score.total else math.nan
    return f"{score.good} of {score.total}, {share:.0%}"


def as_module(found: Constants) -> str:
    """Return the source of `warpath.planner.constants`."""
    rows = [_HEAD, "SECONDS: dict[str, dict[str, float]] = {"]
    for kind, of_kind in found.items():
        said = ", ".join(f'"{name}": {value:.3g}' for name, value in of_kind.items() if value)
        row = f'    "{kind}": {{{said}}},'
        if len(row) > _WIDTH:
            each = [f'        "{n}": {v:.3g},' for n, v in of_kind.items() if v]
            row = "\n".join([f'    "{kind}": {{', *each, "    },"])
        rows.append(row)
    return "\n".join([*rows, "}"]) + "\n"


_WIDTH = 100
_HEAD = '''"""The planner's constants: seconds of one core, by kind of loop and of work.

Written by ``warpath bench fit --write`` from docs/benchmarks/planner.jsonl.
`warpath.planner.cpu_model.work` says what they are multiplied with, and
docs/decisions/0010-predicted-times.md how they were found.
"""
'''


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="warpath bench fit",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--lines", type=Path, default=LINES, help=f"measurements ({LINES})")
    parser.add_argument(
        "--budget",
        type=float,
        default=0,
        metavar="SECONDS",
        help="time to measure; without it, only fit",
    )
    parser.add_argument("--seconds", type=float, default=0.15, help="time to measure a query")
    parser.add_argument(
        "--threads",
        type=int,
        nargs="+",
        default=[1, 2],
        help="1 alone keeps the constants of more threads",
    )
    parser.add_argument("--data", type=Path, help="folder of graph files, which are all held out")
    parser.add_argument("--write", action="store_true", help="write warpath/constants.py")
    return parser
