"""A quick suite for some recipes, in a process of its own: its kernels may be broken, or watched.

Each line of the input is an order, the arguments of `ended` in JSON; a child runs it, and a line of
the output says how: its return code, negative for a signal, and what it said. What all orders need
is imported once.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import tempfile
import traceback
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from support import corpus, tables
from support.compare import assert_same_bits
from support.emulated_repairs import check_repairs, small_lists
from support.kernels import CACHE, Unset, check, expected, prepare
from warpath import Graph, generate
from warpath.base.dtypes import unreachable
from warpath.engines.cpu import cut
from warpath.engines.cuda import breadth_first
from warpath.engines.cuda.result import OnDevice, tree_on
from warpath.engines.emulator.build import loaded_sanitizer
from warpath.engines.emulator.device import EmulatedDevice
from warpath.engines.papers import on_matrix
from warpath.graph.zones import opened
from warpath.recipes import CATALOGUE, Loop, Recipe, Task
from warpath.recipes.axes import AXES, Map, Place, Side
from warpath.recipes.matrix import Relax
from warpath.results.predecessors import tree
from warpath.results.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from warpath.base.dtypes import Array
    from warpath.engines.base import Problem

RESULTS, REPAIRS = "results", "repairs"
#: Seconds of work for one answer, 0.4 without a fault at the most; watched there is no limit.
LONGEST = 0 if loaded_sanitizer() else 5
MOST_ROWS = 40  # of a table, more than a half of what lies side by side
PARAMS = {
    "warpath.block_per_source": [{}, {"delta": 3}],
    "warpath.pairs": [{"together": side} | more for side in (1, 64) for more in ({}, {"delta": 3})],
}
SMALL_PARAMS = {"delta": 3, "rho": 3, "pull": 4, "buckets": 3, "width": 3, "patch": 9}
SMALL = ["one_loop", "self_loops", "parallel_edges", "zero_cycle", "isolated_vertices", "hubs"]
MORE = [
    "lost_minima",
    "all_zero",
    "star_out",
    "star_in",
    "unreachable_half",
    "two_equal_paths",
    "complete",
]
CROWDED = {"lost_minima", "complete"}  # where many lower a label at once: the order tells
WIDEST = 40  # vertices, for all pairs as published
WIDEST_WATCHED = 20  # by entry, where a block has a row: of 40 entries as of 20
THREE_TILES = corpus.Case(
    "three_tiles", "Seventy vertices.", lambda: generate.uniform(70, 4, (1, 99), seed=7)
)
FALLING_HUB = corpus.Case(
    "falling_hub",
    "A vertex whose label falls in three rounds, each time with those of its sixty successors.",
    lambda: Graph.of(
        (
            [0, 1, 0, 1, 2, *[3] * 60],
            [1, 2, 3, 3, 3, *range(4, 64)],
            np.array([0, 0, 2, 1, 0, *[4] * 60], np.int32),
        )
    ),
)
LONGER_ROWS = corpus.Case(
    "longer_rows",
    "Rows of more edges than a warp has lanes, in the middle of others.",
    lambda: generate.rmat(7, 8, (1, 50), seed=7),
)
MANY_BLOCKS = corpus.Case(
    "many_blocks",
    "Eleven blocks of positions in an elimination tree, and vertices with over 128 ancestors.",
    lambda: generate.uniform(340, 4, (1, 99), seed=1),
)
TURNS = 0, 2, 2**31  # where breadth-first search looks back: never, in the middle, at once
OF_FLOATS = ["rounding", "float_sum_to_infinity", "negative_zero", "absorbed_weights"]
OF_INTEGERS = ["largest_int32", "overflow", "overflow_by_one", "overflow_avoided"]
NEGATIVE = [
    "negative_without_cycle",
    "negative_zero_cycle",
    "negative_cycle",
    "negative_loop",
    "bellman_ford_worst",
    "negative_cycle_elsewhere",
    "negative_unreached",
]


def recipe_of(text: str) -> Recipe:
    """Return a recipe of the catalogue, or a variant of one: NAME:emit=FLAGS,place=GPU/GPU/CPU."""
    name, _, changes = text.partition(":")
    if not changes:
        return CATALOGUE[name]
    axes = {axis.__name__.lower(): axis for axis in AXES}
    pairs = [change.split("=") for change in changes.split(",")]
    mixed: dict[str, Any] = {
        axis: Place(*(Side[each] for each in value.split("/")))
        if axis == "place"
        else axes[axis][value]
        for axis, value in pairs
    }
    return CATALOGUE[name].but(text, "A variant.", **mixed)


def params_of(recipe: Recipe) -> set[str]:
    """Return the names of what may be set."""
    return {param.name for param in recipe.params}


def serve() -> None:
    """Run each order in a child, which its kernels may well kill."""
    for order in sys.stdin:
        with tempfile.TemporaryFile() as said:
            child = os.fork()
            if child == 0:
                os.dup2(said.fileno(), 1)
                os.dup2(said.fileno(), 2)
                os._exit(ended(*json.loads(order)))
            _, status = os.waitpid(child, 0)
            said.seek(0)
            answer = os.waitstatus_to_exitcode(status), said.read().decode(errors="replace")
        sys.stdout.write(f"{json.dumps(answer)}\n")
        sys.stdout.flush()


def ended(seconds: int, *order: Any) -> int:
    """Run the suite for so many seconds of work at most, and return whether it failed."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))  # a broken kernel may be endless
    try:
        main(*order)
    except BaseException:  # noqa: BLE001 - nothing may return into the loop over orders
        traceback.print_exc()
        return 1
    finally:
        sys.stderr.flush()
    return 0


def begin() -> None:
    """Give the next answer its seconds of work: what is endless ends there, by a signal."""
    signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST)


def main(headers: str, sanitizer: str, dtype: str, names: list[str]) -> None:
    """Run the suite: first what counts nothing, whose kernels are compiled alone.

    Parameters
    ----------
    headers : the kernels' folder.
    sanitizer : "thread", "address" or "none".
    names : of the catalogue, or NAME:axis=VALUE for a variant; "results" is what is made of labels
        once they are found, "repairs" what follows changes of edges.

    Raises
    ------
    AssertionError
        With the first answer that is wrong.
    """
    watched = sanitizer != "none"
    recipes = [recipe_of(name) for name in names if name not in {RESULTS, REPAIRS}]
    strided = any(recipe.axes and recipe.axes.map is Map.GRID_STRIDE for recipe in recipes)
    device = EmulatedDevice(
        block=32 if strided else 64,  # with one processor fewer threads than some graphs' vertices
        processors=2 if any("patch" in params_of(recipe) for recipe in recipes) else 1,
        sanitize=sanitizer if watched else False,
        headers=Path(headers),
        cache=CACHE,
    )
    device.xp = Unset()
    on_matrix.STEPS = 16  # several launches, where a source takes more
    for traced in (False, True):
        prepare(device, recipes, dtype, traced=traced)
        run(recipes, dtype, device, watched=watched, traced=traced, results=RESULTS in names)
    if REPAIRS in names:
        begin()
        check_repairs(device, dtype, [1] if watched else [1, 2])
        begin()
        with small_lists():
            check_repairs(device, dtype, [3])


def run(
    recipes: list[Recipe],
    dtype: str,
    device: EmulatedDevice,
    *,
    watched: bool,
    traced: bool,
    results: bool,
) -> None:
    """Run the half of the suite that is traced, or the half that is not."""
    strided = any(recipe.axes and recipe.axes.map is Map.GRID_STRIDE for recipe in recipes)
    cases = SMALL + MORE + (OF_FLOATS if dtype.startswith("f") else OF_INTEGERS) + NEGATIVE
    of_tables = [recipe for recipe in recipes if recipe.solves & {Task.APSP, Task.MANY}]
    recipes = [recipe for recipe in recipes if Task.SSSP in recipe.solves]
    # Under a sanitizer a barrier is slow; those that have one for each entry need no third tile.
    if not (watched and any(is_by_entry(recipe) for recipe in of_tables)):
        solve_tables(of_tables, THREE_TILES.astype(dtype), device, [1], traced=traced)
    if not traced:
        check_levels(recipes, alike(long_rows(), dtype), 0, device, [1])
    graphs = [corpus.case(name) for name in cases + (["power_law"] if strided else [])]
    graphs += [LONGER_ROWS] if of_tables else []
    labelled = any(recipe.loop is Loop.TREE_LABELS for recipe in of_tables)
    graphs += [MANY_BLOCKS] if labelled else []
    graphs += [FALLING_HUB] if any("width" in params_of(recipe) for recipe in recipes) else []
    for case in [graph.astype(dtype) for graph in graphs if dtype in graph.dtypes]:
        seeds = [1] if watched else range(1, 9) if case.name in CROWDED else [1, 2]
        for source in case.sources:
            answer = expected(case.graph(), source)
            if results and not traced and not case.negative and not isinstance(answer, type):
                for device.seed in seeds:
                    begin()
                    check_results(opened(case.graph()), source, answer, device)
            if not traced:
                check_levels(recipes, alike(case.graph(), dtype), source, device, seeds)
            for device.seed in seeds:
                counted = device.seed == 2 or bool(watched and source)
                check_labels(recipes, case, source, answer, device, counted=counted, traced=traced)
        solve_tables(of_tables, case, device, [1] if watched else [1, 2], traced=traced)


def check_labels(
    recipes: list[Recipe],
    case: corpus.Case,
    source: int,
    answer: Array | type[Exception],
    device: EmulatedDevice,
    *,
    counted: bool,
    traced: bool,
) -> None:
    """Check the recipes that are traced, or those that are not; of some each run is `counted`."""
    for recipe in recipes:
        if (counted and recipe.axes is not None) != traced:
            continue
        if recipe.equal_weights or (case.negative and not recipe.negative):
            continue
        params = {name: SMALL_PARAMS[name] for name in params_of(recipe) & SMALL_PARAMS.keys()}
        if "width" in params:
            del params["delta"]  # which it replaces
        trace = Trace() if traced else None
        begin()
        check(recipe, case.graph(), source, device, answer, params, trace)


def alike(graph: Graph, dtype: str) -> Graph:
    """Return a graph with edges that are all equally long."""
    return graph.with_weights(np.full(graph.m, 3, dtype))


def long_rows() -> Graph:
    """Return a graph with 700 edges out of 2 and 701 into 1, only the last from what is reached."""
    away, onto = np.arange(800, 1500), np.arange(3, 703)
    src = np.concatenate([[0, 2, 1500, 1, 1502], np.full(700, 2), onto])
    dst = np.concatenate([[2, 1500, 1, 1502, 1503], away, np.full(700, 1)])
    return Graph.from_edges(src, dst, n=1510)


def check_levels(
    recipes: list[Recipe], graph: Graph, source: int, device: EmulatedDevice, seeds: Iterable[int]
) -> None:
    """Solve with those that take edges of one length, wherever the search may turn."""
    able = [recipe for recipe in recipes if recipe.equal_weights]
    answer = expected(graph, source) if able else None
    for recipe in able:
        for breadth_first._ALPHA in TURNS:
            for device.seed in seeds:
                begin()
                check(recipe, graph, source, device, answer)


def check_results(graph: Graph, source: int, answer: Array, device: EmulatedDevice) -> None:
    """Raise AssertionError unless the tree and the near distances of right labels come out."""
    labels, right = device.put(answer), tree(graph, source, answer)
    found = tree_on(graph, source, labels, device)
    if found is not None:
        assert_same_bits(found, right)
    else:  # the tree has edges of no length
        before, after = right[right >= 0], np.flatnonzero(right >= 0)
        assert (answer[before] == answer[after]).any(), f"no tree of {graph!r}"
    farthest = answer[np.argmax(np.where(answer == unreachable(answer.dtype), -1, answer))].item()
    for cutoff in (farthest, farthest / 2):
        near = OnDevice(graph, source, labels, device, cutoff, answer.dtype)
        assert_same_bits(near.here(), cut(answer, cutoff))


def solve_tables(
    recipes: list[Recipe],
    case: corpus.Case,
    device: EmulatedDevice,
    seeds: Iterable[int],
    *,
    traced: bool,
) -> None:
    """Solve tables of a case; once traced, with predecessors and in 32 bits, where there are such.

    Published recipes have all pairs of small graphs; ours all pairs, or many sources, to all
    vertices and to two of them, in every way that they know.
    """
    graph = case.graph()
    for recipe in recipes:
        if loaded_sanitizer() and is_by_entry(recipe) and graph.n > WIDEST_WATCHED:
            continue
        for problem, answer in asked(recipe, case):
            if not tables.able(recipe, graph, problem.task):
                continue
            for params in PARAMS.get(recipe.name, [{}]):
                for device.seed in sorted({*seeds, 2} if recipe.predecessors else seeds):
                    paths = recipe.predecessors and device.seed == 2
                    if paths != traced:
                        continue
                    begin()
                    tables.check(
                        recipe,
                        graph,
                        problem,
                        device,
                        answer,
                        params=params,
                        paths=paths,
                        trace=Trace() if paths else None,
                        dtype=np.int32 if paths and fits_int32(case, answer) else None,
                    )
                    if recipe.prepared and not isinstance(answer, type):
                        of_prepared(recipe, graph, problem, device, answer)


def of_prepared(
    recipe: Recipe, graph: Graph, problem: Problem, device: EmulatedDevice, answer: Array
) -> None:
    """Solve the totals of a table, or its entries as pairs, as a recipe of prepared graphs can."""
    if recipe.loop is Loop.HIERARCHY_SWEEP:
        tables.check_totals(recipe, graph, problem, device, answer)
    if Task.PAIRS in recipe.solves:
        tables.check_pairs(recipe, graph, problem, device, answer)


def asked(recipe: Recipe, case: corpus.Case) -> Iterable[tuple[Problem, tables.Answer]]:
    """Return the problems of a recipe on a case, and what must come out."""
    n = opened(case.graph()).n
    if (recipe.paper == "warpath" or recipe.prepared) and Task.MANY in recipe.solves:
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
        targets = np.array([graph.n - 1, 0, 0]) if few else None
        problem = tables.problem_of(graph, np.arange(min(graph.n, rows)), targets)
    return problem, tables.expected(graph, problem)


def fits_int32(case: corpus.Case, answer: tables.Answer) -> bool:
    """Say whether all distances of 32-bit weights fit 32 bits as well."""
    if case.dtype != "int32" or isinstance(answer, type):
        return False
    return int(np.abs(answer[answer != unreachable(answer.dtype)]).max(initial=0)) < 2**31 - 1


def is_by_entry(recipe: Recipe) -> bool:
    """Say whether a recipe has a thread for each entry of a matrix."""
    return recipe.steps is not None and recipe.steps.relax is Relax.ENTRY


if __name__ == "__main__":
    serve()
