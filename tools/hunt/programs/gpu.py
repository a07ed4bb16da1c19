"""Every algorithm for a GPU, against plain Python on small graphs, the CPU's Dijkstra on large."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np

import warpath as wp
from hunt import graphs
from hunt.program import Finding, Program
from hunt.solving import Solves
from support import tables
from support.compare import assert_same_bits, noting
from support.recipes import on_gpu
from warpath.recipes import Loop, Task
from warpath.recipes.recipe import IN_ONE_LAUNCH, WHOLE_TABLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hunt.program import Counts
    from warpath.recipes import Recipe

    Choice = Recipe | None  # None: the planner's

_SSSP, _MANY, _APSP = (
    [each for each in on_gpu(task) if each.exact] for task in (Task.SSSP, Task.MANY, Task.APSP)
)
#: Loops that do not count relaxations on a GPU and refuse to record a trace there.
_UNTRACED = IN_ONE_LAUNCH | {Loop.BLOCK_A_SOURCE, Loop.FLOYD_WARSHALL, Loop.JOHNSON, Loop.PAIRS}
#: Loops with a round for each distance and source: on large graphs they would take minutes.
_MANY_ROUNDS = {Loop.SETTLE, Loop.SWEEPS, Loop.THREAD_A_SOURCE, Loop.ROUNDS_A_SOURCE}
_SOME = 6  # recipes of each task in a trial: few, so that new graphs come often
_MOST_SUM = 2**61  # limit of n times the largest weight for algorithms that do not check sums


def trial(rng: np.random.Generator, counts: Counts) -> None:
    """Solve a small graph in many ways, or a large one in a few."""
    with np.errstate(over="ignore", under="ignore"):  # plain Python adds NumPy's float32
        if rng.random() < 0.85:
            _small(rng, counts)
        else:
            _large(rng, counts)


def _small(rng: np.random.Generator, counts: Counts) -> None:
    drawn = graphs.draw(rng, largest=600)
    if drawn.graph.n == 0:
        return
    options = {"device": "cuda"}
    if rng.random() < 0.3:
        drawn.graph, options = drawn.graph.to("cuda"), {}
    solves = Solves(drawn, rng, counts, options)
    source = int(rng.integers(0, drawn.graph.n))
    for recipe in _chosen(solves, _SSSP, rng):
        given = _options(solves, recipe, rng)
        if recipe is not None and recipe.loop not in _UNTRACED and rng.random() < 0.1:
            given["trace"] = True
        solves.sssp(source, recipe, odd=bool(rng.random() < 0.4), **given)
    _tables(solves, rng)
    recipe = _SSSP[rng.integers(0, len(_SSSP))]
    if rng.random() < 0.3 and solves.takes(recipe, 0):
        facilities = rng.integers(0, drawn.graph.n, 3).tolist()
        reverse = bool(rng.random() < 0.4)
        solves.nearest(facilities, recipe, reverse=reverse, algorithm=recipe.name)


def _tables(solves: Solves, rng: np.random.Generator) -> None:
    n = solves.graph.n
    sources = rng.integers(0, n, int(rng.choice([1, 3, 64, 70]))).tolist()
    for recipe in _chosen(solves, _MANY, rng):
        targets = None if rng.random() < 0.5 else rng.integers(0, n, 4).tolist()
        given = _options(solves, recipe, rng) | {"predecessors": bool(rng.random() < 0.3)}
        solves.distances(sources, targets, recipe, odd=bool(rng.random() < 0.4), **given)
    if n > 150:
        return
    for recipe in _chosen(solves, _APSP, rng):
        given = _options(solves, recipe, rng) | {"predecessors": bool(rng.random() < 0.3)}
        solves.apsp(recipe, odd=bool(rng.random() < 0.4), **given)


def _chosen(solves: Solves, recipes: Sequence[Recipe], rng: np.random.Generator) -> list[Choice]:
    """Return the planner's choice and some algorithms that support the graph."""
    places = rng.permutation(len(recipes))[:_SOME]
    able = [recipes[at] for at in places.tolist() if _able(recipes[at], solves.graph)]
    chosen: list[Choice] = [each for each in able if solves.takes(each)]
    return [None, *chosen]


def _able(recipe: Recipe, graph: wp.Graph) -> bool:
    """Return whether a recipe must not refuse a graph for large sums of weights."""
    facts = graph.facts(symmetry=False)
    largest = max(abs(facts.min_weight), abs(facts.max_weight))
    checked = not (recipe.reassociates or recipe.loop is Loop.BFS)
    vertices = graph.n + graph.first_through + 1
    return checked or not facts.integer or largest * vertices < _MOST_SUM


def _options(solves: Solves, recipe: Choice, rng: np.random.Generator) -> dict[str, Any]:
    if recipe is None:
        return {}
    params = solves.params(recipe) if rng.random() < 0.5 else {}
    return {"algorithm": recipe.name} | params


def _large(rng: np.random.Generator, counts: Counts) -> None:
    """Compare with Dijkstra's algorithm on the CPU, whose answer is verified."""
    edges = int(10 ** rng.uniform(3.5, 6))
    graph, kind = graphs.draw_large(rng, edges=edges)
    if rng.random() < 0.4:
        _large_tables(rng, counts, edges)
        return
    source = int(rng.integers(0, graph.n))
    right = _certified(graph, source)
    for recipe in _for_large(graph, _SSSP, Task.SSSP, rng):
        algorithm = recipe.name if recipe else "auto"
        text = f"sssp({source}, algorithm={algorithm!r}, device='cuda') of {kind}"
        counts["large solves"] += 1
        try:
            found = wp.sssp(graph, source, algorithm=algorithm, device="cuda")
        except wp.DistanceOverflowError as error:
            if right is not None:
                raise Finding(f"{text}: {error}") from error
            continue
        if right is None:
            raise Finding(f"{text}: an answer, not DistanceOverflowError")
        with noting(text):
            assert_same_bits(found.dist, right.dist, graph)
            assert_same_bits(found.pred, right.pred)


def _certified(graph: wp.Graph, source: int) -> wp.Paths | None:
    """Return the CPU's answer; None if a distance does not fit."""
    try:
        right = wp.sssp(graph, source, algorithm="classic.dijkstra", device="cpu")
    except wp.DistanceOverflowError:
        return None
    wp.verify(graph, right)
    return right


def _for_large(
    graph: wp.Graph, recipes: Sequence[Recipe], task: Task, rng: np.random.Generator
) -> list[Choice]:
    """Return the planner's choice, our own algorithms and some published ones."""
    facts = graph.facts(symmetry=False)
    ends = graph._solver_weights.min(initial=0), graph._solver_weights.max(initial=0)
    able = [
        each
        for each in recipes
        if each.objection(task, facts) is None
        and _able(each, graph)
        and not (each.equal_weights and ends[0] != ends[1])
        and not (each.loop in _MANY_ROUNDS and graph.n > (3000 if task is Task.SSSP else 400))
        and not (each.axes is not None and each.axes.layout.value == "dense" and graph.n > 3000)
    ]
    own = [each for each in able if each.paper == "warpath"]
    others = [each for each in able if each.paper != "warpath"]
    places = rng.permutation(len(others))[:3].tolist()
    return [None, *own, *(others[at] for at in places)]


def _large_tables(rng: np.random.Generator, counts: Counts, edges: int) -> None:
    """Compare tables of many sources or all pairs; some of the latter are solved in tiles."""
    graph, kind = graphs.draw_large(rng, edges=min(edges, 60_000))
    every = graph.n <= 700
    sources = np.arange(graph.n) if every else rng.integers(0, graph.n, 100)
    try:
        right = wp.distances(graph, sources, algorithm="classic.dijkstra", device="cpu").dist
    except wp.DistanceOverflowError:
        return
    task, call = (Task.APSP, wp.apsp) if every else (Task.MANY, wp.distances)
    given = () if every else (sources,)
    for recipe in _for_large(graph, _APSP if every else _MANY, task, rng):
        algorithm = recipe.name if recipe else "auto"
        staged = recipe is not None and recipe.loop in WHOLE_TABLES and rng.random() < 0.3
        text = f"{task.value}, algorithm={algorithm!r}, staged {staged}, of {kind}"
        counts["large solves"] += 1
        half = str(graph.n**2 * graph.dist_dtype.itemsize // 2)
        with mock.patch.dict(os.environ, {"WARPATH_GPU_MEMORY": half} if staged else {}):
            try:
                found = call(graph, *given, algorithm=algorithm, device="cuda")
            except wp.NotEnoughMemoryError:
                continue
        with noting(text):
            tables.assert_lengths(found.plan.recipe, graph, found.on_host(), right)


def _obstacle() -> str:
    """Return the reason why no GPU can be used, "" if one can."""
    from warpath.engines.cuda.driver import device_count

    try:
        return "" if device_count() else "no GPU here"
    except wp.NotSupportedError as error:
        return str(error)


PROGRAM = Program(
    summary="Every algorithm for a GPU: small graphs against plain Python, large against the CPU.",
    trial=trial,
    packages=("cupy",),
    obstacle=_obstacle,
)
