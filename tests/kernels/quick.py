"""A quick suite for some recipes, in a process of its own: its kernels may be broken, or watched.

python quick.py HEADERS SANITIZER DTYPE RECIPE ...

HEADERS is the kernels' folder, SANITIZER "thread", "address" or "none". A recipe is a name of the
catalogue, or NAME:axis=VALUE for a variant; "results" is what is made of labels once they are
found. The first answer that is wrong ends it with its traceback.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from warpath import generate
from warpath.engines.cpu import cut
from warpath.engines.on_device import OnDevice, tree_on
from warpath.engines.tables import thread_a_source
from warpath.paths import never
from warpath.recipes import CATALOGUE, Recipe, Task
from warpath.recipes.axes import AXES, Map
from warpath.recipes.matrix import Relax
from warpath.routes import tree
from warpath.testing import corpus, tables
from warpath.testing.compare import assert_same_bits
from warpath.testing.emulated import EmulatedDevice
from warpath.testing.kernels import CACHE, Unset, check, expected, prepare
from warpath.trace import Trace
from warpath.zones import opened

if TYPE_CHECKING:
    from collections.abc import Iterable

    from warpath.engines.base import Array, Problem
    from warpath.graph import Graph

RESULTS = "results"
MOST_ROWS = 40  # of a table, more than a half of what lies side by side
PARAMS = {
    "warpath.block_per_source": [{}, {"delta": 3}],
    "warpath.pairs": [{"together": side} | more for side in (1, 64) for more in ({}, {"delta": 3})],
}
SMALL_PARAMS = {"delta": 3, "buckets": 3, "patch": 9}
SMALL = ["one_loop", "self_loops", "parallel_edges", "zero_cycle", "isolated_vertices", "hubs"]
MORE = ["lost_minima", "all_zero", "star_out", "star_in", "unreachable_half", "two_equal_paths",
        "complete"]  # fmt: skip
CROWDED = {"lost_minima", "complete"}  # where many lower a label at once: the order tells
WIDEST = 40  # vertices, for all pairs as published
THREE_TILES = corpus.Case(
    "three_tiles", "Seventy vertices.", lambda: generate.uniform(70, 4, (1, 99), seed=7)
)
OF_FLOATS = ["rounding", "float_sum_to_infinity", "negative_zero", "absorbed_weights"]
OF_INTEGERS = ["largest_int32", "overflow", "overflow_by_one", "overflow_avoided"]
NEGATIVE = ["negative_without_cycle", "negative_zero_cycle", "negative_cycle", "negative_loop",
            "bellman_ford_worst", "negative_cycle_elsewhere",
    "negative_unreached"]  # fmt: skip


def recipe_of(text: str) -> Recipe:
    """Return a recipe of the catalogue, or a variant of one."""
    name, _, changes = text.partition(":")
    if not changes:
        return CATALOGUE[name]
    axes = {axis.__name__.lower(): axis for axis in AXES}
    pairs = [change.split("=") for change in changes.split(",")]
    mixed = {axis: axes[axis][value] for axis, value in pairs}
    return CATALOGUE[name].but(text, "A variant.", **mixed)


def params_of(recipe: Recipe) -> set[str]:
    """Return the names of what may be set."""
    return {param.name for param in recipe.params}


def main(headers: str, sanitizer: str, dtype: str, *names: str) -> None:
    """Run the suite."""
    watched = sanitizer != "none"
    recipes = [recipe_of(name) for name in names if name != RESULTS]
    strided = any(recipe.axes and recipe.axes.map is Map.GRID_STRIDE for recipe in recipes)
    device = EmulatedDevice(
        block=32 if strided else 64,  # with one processor fewer threads than some graphs' vertices
        processors=2 if any("patch" in params_of(recipe) for recipe in recipes) else 1,
        sanitize=sanitizer if watched else False,
        headers=Path(headers),
        cache=CACHE,
    )
    device.xp = Unset()
    prepare(device, recipes, dtype)
    cases = SMALL + MORE + (OF_FLOATS if dtype.startswith("f") else OF_INTEGERS) + NEGATIVE
    of_tables = [recipe for recipe in recipes if Task.APSP in recipe.solves]
    recipes = [recipe for recipe in recipes if Task.SSSP in recipe.solves]
    thread_a_source.STEPS = 16  # several launches, where a source takes more
    # Under a sanitizer a barrier is slow; those that have one for each entry need no third tile.
    if not (watched and any(is_by_entry(recipe) for recipe in of_tables)):
        solve_tables(of_tables, THREE_TILES.astype(dtype), device, [1])
    for name in cases + (["power_law"] if strided or of_tables else []):
        if dtype not in corpus.case(name).dtypes:
            continue
        case = corpus.case(name).astype(dtype)
        seeds = [1] if watched else range(1, 9) if name in CROWDED else [1, 2]
        for source in case.sources:
            answer = expected(case.graph(), source)
            if RESULTS in names and not case.negative and not isinstance(answer, type):
                for device.seed in seeds:
                    check_results(opened(case.graph()), source, answer, device)
            for recipe in recipes:
                if case.negative and not recipe.negative:
                    continue
                params = {
                    name: SMALL_PARAMS[name] for name in params_of(recipe) & SMALL_PARAMS.keys()
                }
                for seed in seeds:
                    device.seed = seed
                    counted = recipe.axes is not None and (seed == 2 or (watched and source))
                    trace = Trace() if counted else None
                    check(recipe, case.graph(), source, device, answer, params, trace)
        solve_tables(of_tables, case, device, [1] if watched else [1, 2])


def check_results(graph: Graph, source: int, answer: Array, device: EmulatedDevice) -> None:
    """Raise AssertionError unless the tree and the near distances of right labels come out."""
    labels, right = device.put(answer), tree(graph, source, answer)
    found = tree_on(graph, source, labels, device)
    if found is not None:
        assert_same_bits(found, right)
    else:  # the tree has edges of no length
        before, after = right[right >= 0], np.flatnonzero(right >= 0)
        assert (answer[before] == answer[after]).any(), f"no tree of {graph!r}"
    farthest = answer[np.argmax(np.where(answer == never(answer.dtype), -1, answer))].item()
    for cutoff in (farthest, farthest / 2):
        near = OnDevice(graph, source, labels, device, cutoff, answer.dtype)
        assert_same_bits(near.here(), cut(answer, cutoff))


def solve_tables(
    recipes: list[Recipe], case: corpus.Case, device: EmulatedDevice, seeds: Iterable[int]
) -> None:
    """Solve tables of a case; once traced, with predecessors and in 32 bits, where there are such.

    Published recipes have all pairs of small graphs; ours all pairs, or many sources, to all
    vertices and to two of them, in every way that they know.
    """
    graph = case.graph()
    for recipe in recipes:
        for problem, answer in asked(recipe, case):
            if not tables.able(recipe, graph, problem.task):
                continue
            for params in PARAMS.get(recipe.name, [{}]):
                for device.seed in sorted({*seeds, 2} if recipe.predecessors else seeds):
                    paths = recipe.predecessors and device.seed == 2
                    tables.check(
                        recipe, graph, problem, device, answer, params=params, paths=paths,
                        trace=Trace() if paths else None,
                        dtype=np.int32 if paths and fits_int32(case, answer) else None,
                    )  # fmt: skip


def asked(recipe: Recipe, case: corpus.Case) -> Iterable[tuple[Problem, tables.Answer]]:
    """Return the problems of a recipe on a case, and what must come out."""
    n = opened(case.graph()).n
    if recipe.paper == "warpath" and Task.MANY in recipe.solves:
        found = [answered(case, rows=MOST_ROWS), answered(case, rows=MOST_ROWS, few=True)]
        # Where one distance does not fit, it may be that of a vertex that is no target.
        return found[:1] if found[1][1] is OverflowError else found
    wide = recipe.paper == "warpath" or case.name == THREE_TILES.name
    return [answered(case)] if wide or n <= WIDEST else []


@cache
def answered(
    case: corpus.Case, *, rows: int | None = None, few: bool = False
) -> tuple[Problem, tables.Answer]:
    """Return a problem and its answer: all pairs, or so many sources, to two targets if `few`."""
    graph = opened(case.graph())
    problem = tables.all_pairs(graph)
    if rows is not None:
        targets = np.array([graph.n - 1, 0]) if few else None
        problem = tables.problem_of(graph, np.arange(min(graph.n, rows)), targets)
    return problem, tables.expected(graph, problem)


def fits_int32(case: corpus.Case, answer: tables.Answer) -> bool:
    """Say whether all distances of 32-bit weights fit 32 bits as well."""
    if case.dtype != "int32" or isinstance(answer, type):
        return False
    return int(np.abs(answer[answer != never(answer.dtype)]).max(initial=0)) < 2**31 - 1


def is_by_entry(recipe: Recipe) -> bool:
    """Say whether a recipe has a thread for each entry of a matrix."""
    return recipe.steps is not None and recipe.steps.relax is Relax.ENTRY


if __name__ == "__main__":
    main(*sys.argv[1:])
