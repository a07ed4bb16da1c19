"""Timing every candidate of the planner on one graph, a JSON line for each question."""

from __future__ import annotations

import time
from dataclasses import asdict, replace
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.costs import Size
from warpath.engines.base import Problem
from warpath.plan import Hardware, Wish, choose, usable_threads
from warpath.recipes import CATALOGUE, Loop, Task
from warpath.running import run_plan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warpath.bench.fit_cases import Case
    from warpath.graph import Graph
    from warpath.plan import Plan

#: A candidate that takes so many times the fastest one's time is timed once.
_HOPELESS = 2.0
_MEMORY = 2**40  # room for everything: what is measured is time
_SEED = 20261121


def questions(graph: Graph) -> Iterator[tuple[Task, int]]:
    """Yield what is asked of a graph, by task and number of sources, as far as it is quick."""
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
    """Return the line of one question: each candidate's recipe, threads, median ms and turns.

    All candidates take turns, so that a change of the machine's speed meets all of them; about as
    many turns as fit into `seconds`, each from other sources.
    """
    facts = graph.facts(symmetry=False)
    size = Size(task, sources, graph.n, entry=graph.dist_dtype.itemsize)
    plans = list(_candidates(size, graph, threads))
    times: list[list[float]] = [[] for _ in plans]
    out = None if task is Task.SSSP else np.empty((sources, graph.n), graph.dist_dtype)
    draw = np.random.default_rng(_SEED)
    end = time.perf_counter() + seconds
    turn = 0
    while turn < _LEAST_TURNS or (turn < _MOST_TURNS and time.perf_counter() < end):
        problem = Problem(task, _sources(graph, task, sources, draw))
        best = min((median(each) for each in times if each), default=np.inf)
        for plan, taken in zip(plans, times, strict=True):
            if taken and median(taken) > _HOPELESS * best:
                continue
            if turn == 0 and task is Task.SSSP:
                run_plan(graph, plan, problem, out=out)  # warms up
            start = time.perf_counter()
            run_plan(graph, plan, problem, out=out)
            taken.append(time.perf_counter() - start)
            best = min(best, median(taken))
        turn += 1
    return {
        "graph": case.name,
        "part": case.part,
        "task": task.value,
        "sources": sources,
        "entry": size.entry,
        "facts": {name: _short(value) for name, value in asdict(facts).items()},
        "candidates": [
            [plan.algorithm, plan.threads, _short(1e3 * median(taken)), len(taken)]
            for plan, taken in zip(plans, times, strict=True)
        ],
    }


def _short(value: Any) -> Any:
    """Return a number with the digits that mean something."""
    return float(f"{value:.5g}") if isinstance(value, float) else value


_LEAST_TURNS = 3
_MOST_TURNS = 25


def _candidates(size: Size, graph: Graph, threads: tuple[int, ...]) -> Iterator[Plan]:
    """Yield a plan for each planned recipe on each number of threads that it would use."""
    facts = graph.facts(symmetry=False)
    for recipe in CATALOGUE:
        if not recipe.planned or "cpu" not in recipe.devices:
            continue
        if size.task not in recipe.solves or recipe.objection(size.task, facts):
            continue
        if recipe.loop is Loop.JOHNSON and not facts.negative:  # Dijkstra's search by another name
            continue
        met = set()
        for count in threads:
            plan = choose(size, facts, Hardware(count, _MEMORY), Wish(recipe.name, "cpu"))
            many = usable_threads(recipe, size, count)
            if many not in met:
                met.add(many)
                yield replace(plan, threads=many)


def _sources(graph: Graph, task: Task, count: int, draw: np.random.Generator) -> Any:
    """Return ends of random edges: in graphs of many parts they are in a large one."""
    if task is Task.APSP:
        return np.arange(graph.n, dtype=np.int64)
    edges = draw.integers(0, graph.m, count)
    return np.searchsorted(graph.indptr, edges, side="right").astype(np.int64) - 1
