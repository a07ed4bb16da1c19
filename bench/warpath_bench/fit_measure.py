"""Time every candidate of the planner on one graph, with a JSON line for each query."""

from __future__ import annotations

import time
from dataclasses import asdict, replace
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.api.planning import facts_for
from warpath.api.run import run_plan
from warpath.engines.base import Problem
from warpath.planner.cpu_model import Size
from warpath.planner.device_kind import Hardware
from warpath.planner.kinds import usable_threads
from warpath.planner.plan import choose
from warpath.planner.wish import Wish
from warpath.recipes import CATALOGUE, Loop, Task

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from warpath.graph import Graph
    from warpath.graph.facts import Facts
    from warpath.planner.plan import Plan
    from warpath_bench.fit_cases import Case

#: A candidate is dropped after this many turns in which it took this multiple of the best time.
_DISTURBED = 2
_HOPELESS = 2.0
_MEMORY = 2**40  # enough for every plan, since only time is measured
_SEED = 20261121


def questions(graph: Graph) -> Iterator[tuple[Task, int]]:
    """Yield the queries of a graph, by task and number of sources, that do not take too long."""
    yield Task.SSSP, 1
    for sources in (4, 32):
        if sources * graph.m <= _MANY_EDGES:
            yield Task.MANY, sources
    if graph.n * graph.m <= _ALL_EDGES:
        yield Task.APSP, graph.n


_MANY_EDGES = 6_000_000  # of a graph, times the sources
_ALL_EDGES = 150_000_000


def measured(
    case: Case, graph: Graph, task: Task, sources: int, threads: tuple[int, ...], seconds: float
) -> dict[str, Any]:
    """Return the line of one query: each candidate's recipe, threads, median ms and turns.

    All candidates take turns, so that a change of the machine's speed affects all of them. About
    as many turns are made as fit into `seconds`, each from other sources. A candidate that was slow
    in two turns (one may have been disturbed) is dropped from later ones.
    """
    size = Size(task, sources, graph.n, entry=graph.dist_dtype.itemsize)
    facts = facts_for(size, graph, "cpu")
    plans = list(_candidates(size, facts, threads))
    turns: list[dict[int, float]] = []
    out = None if task is Task.SSSP else np.empty((sources, graph.n), graph.dist_dtype)
    draw = np.random.default_rng(_SEED)
    end = time.perf_counter() + seconds
    slow = [0] * len(plans)
    while len(turns) < _LEAST_TURNS or (len(turns) < _MOST_TURNS and time.perf_counter() < end):
        problem = Problem(task, _sources(graph, task, sources, draw))
        taken: dict[int, float] = {}
        for at, plan in enumerate(plans):
            if slow[at] >= _DISTURBED:
                continue
            if not turns and task is Task.SSSP:
                run_plan(graph, plan, problem, out=out)  # warms up
            start = time.perf_counter()
            run_plan(graph, plan, problem, out=out)
            taken[at] = time.perf_counter() - start
        best = min(taken.values())
        for at, each in taken.items():
            slow[at] += each > _HOPELESS * best
        turns.append(taken)
    times = comparable(turns, len(plans))
    return {
        "graph": case.name,
        "part": case.part,
        "task": task.value,
        "sources": sources,
        "entry": size.entry,
        "facts": {name: _short(value) for name, value in asdict(facts).items()},
        "candidates": [
            [plan.algorithm, plan.threads, _short(1e3 * taken), sum(at in turn for turn in turns)]
            for at, (plan, taken) in enumerate(zip(plans, times, strict=True))
        ],
    }


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


_LEAST_TURNS = 3
_MOST_TURNS = 25


def _candidates(size: Size, facts: Facts, threads: tuple[int, ...]) -> Iterator[Plan]:
    """Yield a plan for each planned recipe and each number of threads that it can use."""
    for recipe in CATALOGUE:
        if not recipe.planned or "cpu" not in recipe.devices:
            continue
        if size.task not in recipe.solves or recipe.objection(size.task, facts):
            continue
        if recipe.loop is Loop.JOHNSON and not facts.negative:  # the same as Dijkstra's search
            continue
        met = set()
        for count in threads:
            plan = choose(size, facts, Hardware(count, _MEMORY), Wish(recipe.name, "cpu"))
            many = usable_threads(recipe, size, count)
            if many not in met:
                met.add(many)
                yield replace(plan, threads=many)


def _sources(graph: Graph, task: Task, count: int, draw: np.random.Generator) -> Any:
    """Return tails of random edges, which are mostly in large components."""
    if task is Task.APSP:
        return np.arange(graph.n, dtype=np.int64)
    edges = draw.integers(0, graph.m, count)
    return np.searchsorted(graph.indptr, edges, side="right").astype(np.int64) - 1
