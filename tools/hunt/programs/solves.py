"""Every call on random graphs, by every algorithm for the CPU, against plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import warpath as wp
from hunt import graphs
from hunt.program import Finding, Program
from hunt.solving import Solves
from support.recipes import on_cpu
from warpath.recipes import Loop, Task

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hunt.graphs import Drawn
    from hunt.program import Counts
    from warpath.recipes import Recipe

_SSSP, _MANY, _APSP, _PATH = (
    [None, *on_cpu(task)] for task in (Task.SSSP, Task.MANY, Task.APSP, Task.PATH)
)
#: The largest exceed most machines' cores, so that a team's threads wait for each other.
_THREADS = (1, 1, 2, 3, 5)
_MOST_PAIRS = 130  # vertices: all pairs are solved on graphs up to this size
#: Vertices above which a trial makes fewer calls: the oracle takes milliseconds for an answer.
_LARGE = 400


def trial(rng: np.random.Generator, counts: Counts) -> None:
    """Draw a graph and solve it in all ways."""
    drawn = graphs.draw(rng)
    with np.errstate(over="ignore", under="ignore"):  # plain Python adds NumPy's float32
        solves = Solves(drawn, rng, counts, {})
        n = drawn.graph.n
        if n == 0:
            _empty(solves)
            return
        large = n > _LARGE
        for source in _some(rng, n, 1 if large else 2):
            _one_source(solves, source, rng)
        _tables(solves, rng, large=large)
        if n <= _MOST_PAIRS:
            _all_pairs(solves, rng)
        _facilities(solves, rng)
        _plans(drawn, rng, counts)


def _some(rng: np.random.Generator, n: int, most: int) -> list[int]:
    return [int(v) for v in rng.integers(0, n, int(rng.integers(1, most + 1)))]


def _options(solves: Solves, recipe: Recipe | None, rng: np.random.Generator) -> dict[str, Any]:
    """Return options that choose the algorithm, its parameters and the threads."""
    threads = _THREADS[rng.integers(0, len(_THREADS))]
    options: dict[str, Any] = {} if rng.random() < 0.2 else {"threads": threads}
    if recipe is not None:
        options |= {"algorithm": recipe.name} | solves.params(recipe)
    return options


def _able(solves: Solves, recipes: Sequence[Recipe | None]) -> list[Recipe | None]:
    return [each for each in recipes if each is None or solves.takes(each)]


def _able_from_one(solves: Solves, recipes: Sequence[Recipe | None]) -> list[Recipe | None]:
    """Return what can find a tree or a route: no hierarchy for floats, whose sums differ there."""
    able = _able(solves, recipes)
    able = [r for r in able if r is None or solves.drawn.integer or not r.prepared]
    zero = solves.graph.facts(symmetry=False).zero  # lengths over which labels find no routes
    return [r for r in able if r is None or not (zero and r.loop is Loop.TREE_LABELS)]


def _one_source(solves: Solves, source: int, rng: np.random.Generator) -> None:
    n = solves.graph.n
    for recipe in _able_from_one(solves, _SSSP):
        options = _options(solves, recipe, rng)
        if rng.random() < 0.1:
            options["trace"] = True
        solves.sssp(source, recipe, odd=bool(rng.random() < 0.4), **options)
    for recipe in _able_from_one(solves, _PATH):
        options = {"algorithm": recipe.name} if recipe else {}
        for target in _some(rng, n, 2):
            solves.path(source, target, recipe, **options)
    if rng.random() < 0.5:
        solves.within(source, reverse=bool(rng.random() < 0.5), threads=2)
    _refused(solves, source, rng)


def _refused(solves: Solves, source: int, rng: np.random.Generator) -> None:
    """Check that an algorithm refuses weights that it does not support."""
    unable = [each for each in _SSSP if each is not None and not solves.takes(each)]
    if not unable:
        return
    recipe = unable[rng.integers(-min(2, len(unable)), len(unable))]  # the last are our own
    solves.counts["solves"] += 1
    try:
        wp.sssp(solves.graph, solves.drawn.name(source), algorithm=recipe.name)
    except (wp.NotSupportedError, wp.NegativeWeightError):
        return
    raise Finding(f"{recipe.name} took weights that it is not made for\n{solves.drawn}")


def _tables(solves: Solves, rng: np.random.Generator, *, large: bool) -> None:
    n = solves.graph.n
    # 33 is one more than side_by_side takes at once.
    many = rng.random() < (0.5 if large else 0.1)
    sources = rng.integers(0, n, 33 if many else int(rng.integers(1, 5))).tolist()
    for recipe in _able(solves, _MANY):
        targets = None if rng.random() < 0.4 else _some(rng, n, 4)
        options = _options(solves, recipe, rng)
        if rng.random() < 0.4:
            options["predecessors"] = True
        solves.distances(sources, targets, recipe, odd=bool(rng.random() < 0.5), **options)


def _all_pairs(solves: Solves, rng: np.random.Generator) -> None:
    for recipe in _able(solves, _APSP):
        if rng.random() < 0.5:
            continue
        options = _options(solves, recipe, rng)
        if rng.random() < 0.3:
            options["predecessors"] = True
        solves.apsp(recipe, odd=bool(rng.random() < 0.5), **options)


def _facilities(solves: Solves, rng: np.random.Generator) -> None:
    facilities = _some(rng, solves.graph.n, 4)
    for recipe in _able_from_one(solves, _SSSP):
        # The search begins with edges of length 0 to the facilities.
        if rng.random() < 0.85 or not (recipe is None or solves.takes(recipe, 0)):
            continue
        options = _options(solves, recipe, rng)
        solves.nearest(facilities, recipe, reverse=bool(rng.random() < 0.4), **options)


def _plans(drawn: Drawn, rng: np.random.Generator, counts: Counts) -> None:
    """Check that planning a call twice gives one plan, with an algorithm for the CPU."""
    source = drawn.name(int(rng.integers(0, drawn.graph.n)))
    counts["plans"] += 1
    plan = wp.plan(drawn.graph, source)
    if str(plan) != str(wp.plan(drawn.graph, source)) or plan.algorithm not in _NAMES:
        raise Finding(f"plan({source}) is {plan}\n{drawn}")


_NAMES = {recipe.name for recipe in on_cpu()}


def _empty(solves: Solves) -> None:
    """Solve a graph without vertices."""
    for recipe in _able(solves, _APSP):
        solves.apsp(recipe, odd=False, **({"algorithm": recipe.name} if recipe else {}))
    try:
        wp.sssp(solves.graph, 0)
    except wp.VertexError:
        return
    raise Finding("sssp found vertex 0 in a graph without vertices")


PROGRAM = Program(
    summary="Every algorithm for the CPU on random graphs, against plain Python, bit for bit.",
    trial=trial,
    share=5.0,
)
