"""Fit the planner's constants: measure its candidates, fit, and judge its choices on other graphs.

Measurements are JSON lines: one for each graph and query (one source; 4 and 32 sources; all
pairs), with the facts of the graph and the median time of each candidate on each number of threads.
A run continues where an earlier one ended, so ``--budget`` may be short.
"""

from __future__ import annotations

import math
import sys
import time
from dataclasses import asdict, replace
from itertools import chain, zip_longest
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.api.run import run_plan
from warpath.engines.base import Problem
from warpath.engines.planning import facts_for
from warpath.graph.solvable import SolvableGraph
from warpath.planner import constants
from warpath.planner.cpu_model import Size
from warpath.planner.device_kind import Hardware
from warpath.planner.kinds import usable_threads
from warpath.planner.plan import choose
from warpath.planner.request import Request
from warpath.recipes import CATALOGUE, Loop, Task
from warpath_bench.fit_cases import FIT, HELD_OUT, cases
from warpath_bench.fit_model import fitted, judged, question_of
from warpath_bench.lines import append, read
from warpath_bench.measured import rows
from warpath_bench.options import parsed
from warpath_bench.run import machine

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from warpath.graph import Graph
    from warpath.graph.facts import Facts
    from warpath.planner.plan import Plan
    from warpath_bench.fit_cases import Case
    from warpath_bench.fit_model import Choice, Constants, Question

    Line = dict[str, Any]

LINES = Path("docs/benchmarks/planner.jsonl")
_SHOWN = 15
_MANY_EDGES = 6_000_000  # of a graph, times the sources
_ALL_EDGES = 150_000_000
_LEAST_TURNS, _MOST_TURNS = 3, 25
#: A candidate is dropped after this many turns in which it took this multiple of the best time.
_DISTURBED = 2
_HOPELESS = 2.0
_MEMORY = 2**40  # enough for every plan, since only time is measured
_SEED = 20261121


def main(arguments: Sequence[str]) -> int:
    """Measure missing graphs, fit and judge; return 1 while graphs are missing, else 0."""
    options = parsed(
        "fit",
        __doc__,
        arguments,
        lines={"default": LINES},
        budget={"default": 0.0, "help": "seconds to measure; without it, only fit"},
        seconds={"default": 0.15, "help": "seconds to measure a query"},
        threads={"default": [1, 2], "help": "1 alone keeps the constants of more threads"},
        data=None,
        write={"default": False, "help": "write warpath/planner/constants.py"},
    )
    lines = load(options.lines)
    done = {line["graph"] for line in lines}
    missing = [case for case in _in_turn(options.data) if case.name not in done]
    end, left = time.perf_counter() + options.budget, len(missing) if options.budget else 0
    for case in missing if options.budget else ():
        if time.perf_counter() > end:
            break
        start = time.perf_counter()
        made = measured(case, tuple(options.threads), options.seconds)
        append(options.lines, *made)
        lines += made
        left -= 1
        sys.stderr.write(f"{case.name}: {time.perf_counter() - start:.1f} s\n")
    asked = [one for line in lines if (one := question_of(line, max(options.threads))).timed]
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


def load(path: Path) -> list[Line]:
    """Return the measurements in a file."""

    def key(line: Line) -> tuple[Any, ...]:
        question_of(line, 1)
        return line["graph"], line["task"], line["sources"]

    return read(path, key)


def _in_turn(data: Path | None) -> Iterator[Case]:
    """Yield graphs of both parts in turns, so that a short run has some of each."""
    every = list(cases(data))
    parts = [[case for case in every if case.part == part] for part in (FIT, HELD_OUT)]
    return (case for case in chain.from_iterable(zip_longest(*parts)) if case is not None)


def measured(case: Case, threads: tuple[int, ...], seconds: float) -> list[Line]:
    """Return the lines of a graph's queries: each candidate's recipe, threads, median ms and turns.

    All candidates take turns, so that a change of the machine's speed affects all of them. About
    as many turns are made as fit into `seconds`, each from other sources. A candidate that was slow
    in two turns (one may have been disturbed) is dropped from later ones.
    """
    graph, lines = SolvableGraph(case.make()).inner, []
    for task, sources in _queries(graph):
        size = Size(task, sources, graph.n, entry=graph.dist_dtype.itemsize)
        facts = facts_for(size, graph, "cpu")
        plans = list(_candidates(size, facts, threads))
        turns = _turns(graph, plans, size, seconds)
        line = {
            "graph": case.name,
            "part": case.part,
            "task": task.value,
            "sources": sources,
            "entry": size.entry,
            "facts": {name: _short(value) for name, value in asdict(facts).items()},
            "candidates": [
                [plan.algorithm, plan.threads, _short(1e3 * taken), sum(at in t for t in turns)]
                for at, (plan, taken) in enumerate(
                    zip(plans, comparable(turns, len(plans)), strict=True)
                )
            ],
            "machine": machine(),
        }
        lines.append(line)
    return lines


def _queries(graph: Graph) -> Iterator[tuple[Task, int]]:
    """Yield the queries of a graph, by task and number of sources, that do not take too long."""
    yield Task.SSSP, 1
    for sources in (4, 32):
        if sources * graph.m <= _MANY_EDGES:
            yield Task.MANY, sources
    if graph.n * graph.m <= _ALL_EDGES:
        yield Task.APSP, graph.n


def _turns(
    graph: Graph, plans: Sequence[Plan], size: Size, seconds: float
) -> list[dict[int, float]]:
    """Return the seconds of each turn by the candidates' places."""
    turns: list[dict[int, float]] = []
    one = size.task is Task.SSSP
    out = None if one else np.empty((size.sources, graph.n), graph.dist_dtype)
    draw = np.random.default_rng(_SEED)
    end = time.perf_counter() + seconds
    slow = [0] * len(plans)
    while len(turns) < _LEAST_TURNS or (len(turns) < _MOST_TURNS and time.perf_counter() < end):
        if size.task is Task.APSP:
            sources = np.arange(graph.n, dtype=np.int64)
        else:  # tails of random edges, which are mostly in large components
            edges = draw.integers(0, graph.m, size.sources)
            sources = np.searchsorted(graph.indptr, edges, side="right").astype(np.int64) - 1
        problem = Problem(size.task, sources)
        taken: dict[int, float] = {}
        for at, plan in enumerate(plans):
            if slow[at] >= _DISTURBED:
                continue
            if not turns and one:
                run_plan(SolvableGraph(graph), plan, problem, out=out)  # warms up
            start = time.perf_counter()
            run_plan(SolvableGraph(graph), plan, problem, out=out)
            taken[at] = time.perf_counter() - start
        for at, each in taken.items():
            slow[at] += each > _HOPELESS * min(taken.values())
        turns.append(taken)
    return turns


def comparable(turns: Sequence[Mapping[int, float]], count: int) -> list[float]:
    """Return comparable times of all candidates, although some were not in every turn.

    A candidate's time is the median of its ratios to the fastest one's time in the same turn, times
    the median of the fastest times.

    >>> comparable([{0: 8.0, 1: 16.0}, {0: 1.0}, {0: 1.0}], 2)
    [1.0, 2.0]
    """
    least = [min(turn.values()) for turn in turns]
    typical = median(least)
    return [
        typical
        * median(turn[at] / best for turn, best in zip(turns, least, strict=True) if at in turn)
        for at in range(count)
    ]


def _short(value: Any) -> Any:
    """Return a float rounded to five digits, and other values unchanged."""
    return float(f"{value:.5g}") if isinstance(value, float) else value


def _candidates(size: Size, facts: Facts, threads: tuple[int, ...]) -> Iterator[Plan]:
    """Yield a plan for each planned recipe and each number of threads that it can use."""
    for recipe in CATALOGUE:
        if not recipe.planned or "cpu" not in recipe.devices:
            continue
        if size.task not in recipe.solves or recipe.objection(size.task, facts):
            continue
        if recipe.loop is Loop.JOHNSON and not facts.negative:  # the same as Dijkstra's search
            continue
        usable = {usable_threads(recipe, size, count): count for count in reversed(threads)}
        for many, count in reversed(usable.items()):
            plan = choose(size, facts, Hardware(count, _MEMORY), Request(recipe.name, "cpu"))
            yield replace(plan, threads=many)


def report(asked: Sequence[Question], found: Constants, threads: Sequence[int]) -> str:
    """Return the shares of good choices by present and by fitted constants, and the misses."""
    body, missed = [], []
    for part in (FIT, HELD_OUT):
        of_part = [question for question in asked if question.part == part]
        for task in (*dict.fromkeys(question.size.task for question in of_part), None):
            some = [one for one in of_part if task in {one.size.task, None}]
            for count in threads:
                before = judged(some, count, constants.SECONDS)
                after = judged(some, count, found)
                name = "all" if task is None else task.value
                body.append([part, name, count, _share(before), _share(after)])
                if part == HELD_OUT and task is None:
                    missed += [choice for choice in after if not choice.good]
    worst = [
        [
            one.question.graph,
            one.question.size.sources,
            one.threads,
            f"{one.chosen.recipe.name}, {one.chosen.threads}",
            1e3 * one.chosen.seconds,
            f"{one.best.recipe.name}, {one.best.threads}",
            1e3 * one.best.seconds,
            one.ratio,
        ]
        for one in sorted(missed, key=lambda one: -one.ratio)[:_SHOWN]
    ]
    head = ["graph", "sources", "threads", "taken", "ms", "best", "ms", "times"]
    out = rows(["part", "task", "threads", "as it is", "fitted"], body)
    out += ["", "Held out, and over a tenth slower than the best candidate:", ""]
    return "\n".join([*out, *rows(head, worst), f"\n{len(missed)} misses in all.", ""])


def _share(choices: Sequence[Choice]) -> str:
    good = sum(choice.good for choice in choices)
    return f"{good} of {len(choices)}, {good / len(choices) if choices else math.nan:.0%}"


def as_module(found: Constants) -> str:
    """Return the source of `warpath.planner.constants`."""
    rows = [_HEAD, "SECONDS: dict[str, dict[str, float]] = {"]
    for kind, of_kind in found.items():
        said = [f'"{name}": {value:.3g}' for name, value in of_kind.items() if value]
        row = f'    "{kind}": {{{", ".join(said)}}},'
        if len(row) > _WIDTH:
            each = [f"        {one}," for one in said]
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
