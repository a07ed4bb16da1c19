"""A quick suite for some recipes, in a process of its own: its kernels may be broken, or watched.

python quick.py HEADERS SANITIZER DTYPE RECIPE ...

HEADERS is the kernels' folder, SANITIZER "thread", "address" or "none". A recipe is a name of the
catalogue, or NAME:axis=VALUE for a variant. The first answer that is wrong ends it with its
traceback.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from warpath import generate
from warpath.engines.tables import thread_a_source
from warpath.engines.tables.table import longest
from warpath.paths import never
from warpath.recipes import CATALOGUE, Recipe, Task
from warpath.recipes.axes import AXES, Map
from warpath.recipes.matrix import Relax
from warpath.testing import all_pairs, corpus
from warpath.testing.emulated import EmulatedDevice
from warpath.testing.kernels import CACHE, Unset, check, expected, prepare
from warpath.testing.tables import check_table, expected_table, problem_of
from warpath.trace import Trace
from warpath.zones import opened

MOST_ROWS = 40  # of a table, more than a half of what lies side by side
PARAMS = {
    "warpath.block_per_source": [{}, {"delta": 3}],
    "warpath.pairs": [{"together": side} | more for side in (1, 64) for more in ({}, {"delta": 3})],
}
SMALL = ["one_loop", "self_loops", "parallel_edges", "zero_cycle", "isolated_vertices", "hubs"]
MORE = ["lost_minima", "all_zero", "star_out", "star_in", "unreachable_half", "two_equal_paths",
        "complete"]  # fmt: skip
CROWDED = {"lost_minima", "complete"}  # where many lower a label at once: the order tells
WIDEST = 40  # vertices, for all pairs
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


def main(headers: str, sanitizer: str, dtype: str, *names: str) -> None:
    """Run the suite."""
    watched = sanitizer != "none"
    recipes = [recipe_of(name) for name in names]
    strided = any(recipe.axes and recipe.axes.map is Map.GRID_STRIDE for recipe in recipes)
    device = EmulatedDevice(
        block=32 if strided else 64,  # with one processor fewer threads than some graphs' vertices
        processors=1,
        sanitize=sanitizer if watched else False,
        headers=Path(headers),
        cache=CACHE,
    )
    device.xp = Unset()
    prepare(device, recipes, dtype)
    cases = SMALL + MORE + (OF_FLOATS if dtype.startswith("f") else OF_INTEGERS) + NEGATIVE
    of_tables = [recipe for recipe in recipes if Task.APSP in recipe.solves]
    ours = [recipe for recipe in of_tables if recipe.paper == "warpath"]
    published = [recipe for recipe in of_tables if recipe not in ours]
    thread_a_source.STEPS = 16  # several launches, where a source takes more
    small = [corpus.case(name) for name in cases if corpus.case(name).graph().n <= WIDEST]
    # Under a sanitizer a barrier is slow; those that have one for each entry need no third tile.
    wide = [] if watched and any(is_by_entry(recipe) for recipe in published) else [THREE_TILES]
    for case in small + wide if published else []:
        if dtype in case.dtypes:
            check_tables(published, case.astype(dtype), device)
    recipes = [recipe for recipe in recipes if Task.SSSP in recipe.solves]
    for name in cases + (["power_law"] if strided or ours else []):
        if dtype not in corpus.case(name).dtypes:
            continue
        case = corpus.case(name).astype(dtype)
        seeds = [1] if watched else range(1, 9) if name in CROWDED else [1, 2]
        for source in case.sources:
            answer = expected(case.graph(), source)
            for recipe in recipes:
                if case.negative and not recipe.negative:
                    continue
                params = {p.name: 3 for p in recipe.params if p.name in {"delta", "buckets"}}
                for seed in seeds:
                    device.seed = seed
                    trace = Trace() if seed == 2 or (watched and source) else None
                    check(recipe, case.graph(), source, device, answer, params, trace)
        tables(case, ours, device, seeds)


def tables(case, recipes, device, seeds):
    """Run the recipes of tables: from all sources, to all targets and to two."""
    graph = opened(case.graph())
    able = [r for r in recipes if r.negative or not case.negative]
    whole = [r for r in able if Task.MANY not in r.solves]
    if whole:
        answer = expected_table(graph, problem_of(graph, np.arange(graph.n)))
        for recipe in whole:
            for device.seed in seeds:
                check_table(recipe, graph, problem_of(graph, np.arange(graph.n)), device, answer)
    able = [r for r in able if r not in whole]
    for targets in (None, np.array([graph.n - 1, 0])) if able else ():
        problem = problem_of(graph, np.arange(min(graph.n, MOST_ROWS)), targets)
        answer = expected_table(graph, problem)
        if answer is OverflowError and targets is not None:
            continue  # another target's distance may be the one that does not fit
        for recipe in able:
            for params in PARAMS.get(recipe.name, [{}]):
                for device.seed in seeds:
                    check_table(recipe, graph, problem, device, answer, params)


def is_by_entry(recipe: Recipe) -> bool:
    """Say whether a recipe has a thread for each entry of a matrix."""
    return recipe.steps is not None and recipe.steps.relax is Relax.ENTRY


def check_tables(recipes: list[Recipe], case: corpus.Case, device: EmulatedDevice) -> None:
    """Solve all pairs, plain, and traced with predecessors and 32 bits where there are such."""
    graph = case.graph()
    sources = np.arange(graph.n)
    answer = all_pairs.expected(graph, sources, Task.APSP)
    found = answer.dist[answer.dist != never(answer.dist.dtype)]
    narrow = case.dtype == "int32" and answer.error is None and abs(found).max(initial=0) < 2**31
    for recipe in recipes:
        if case.negative and not recipe.negative:
            continue
        if recipe.reassociates and longest(graph) >= 2**61:
            continue
        for device.seed in (1, 2):
            paths = recipe.predecessors and device.seed == 2
            all_pairs.check(
                recipe, graph, device, sources, answer, task=Task.APSP, paths=paths,
                trace=Trace() if paths else None, dtype=np.int32 if narrow and paths else None,
            )  # fmt: skip


if __name__ == "__main__":
    main(*sys.argv[1:])
