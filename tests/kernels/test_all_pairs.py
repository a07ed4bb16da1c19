"""Every recipe for several sources or all pairs on the emulator: the lengths of plain Python."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings

from support import corpus, strategies
from support.compare import assert_same_bits
from support.kernels import device_for, prepare, takes_wide_indices
from support.recipes import on_gpu
from support.tables import able, all_pairs, check, expected, solve
from support.tiers import RECIPES_ON_GPUS
from warpath import Graph
from warpath.base.dtypes import unreachable
from warpath.engines.base import Problem, TableOrder
from warpath.engines.cuda.engine import run
from warpath.engines.papers.table_run import TableRun
from warpath.graph.zones import opened
from warpath.recipes import CATALOGUE, Loop, Task
from warpath.recipes.matrix import Relax
from warpath.results.trace import Trace

in_full = pytest.mark.full("all pairs on the emulator", *RECIPES_ON_GPUS)

RECIPES = on_gpu(Task.MANY, Task.APSP)
FLOYD = [recipe for recipe in RECIPES if recipe.loop is Loop.MATRIX_STEPS]
KEEPING = [recipe for recipe in RECIPES if recipe.predecessors]
MOST = {Task.APSP: 70, Task.MANY: 300}  # vertices; plain Python is slow
FEW = 40  # vertices, where threads count or keep predecessors

per_type = pytest.mark.parametrize(
    "dtype",
    ["int32", *(pytest.param(one, marks=in_full) for one in corpus.ALL_TYPES if one != "int32")],
)
per_recipe = pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)


@cache
def device_of(dtype, block=64, index="int32"):
    device = device_for(block)
    prepare(device, in_blocks(block), dtype, index=index)
    return device


def in_blocks(block):
    """Return the recipes that run in blocks of a size."""
    return (
        RECIPES if block in {64, 256} else [r for r in RECIPES if r.loop is not Loop.FLOYD_WARSHALL]
    )


def question(case, task):
    """Return all pairs of a case, or its own sources, the first of them twice."""
    if task is Task.APSP:
        return all_pairs(case.graph())
    return Problem(task, np.array([*case.sources[::-1], case.sources[0]]))


@cache
def answers(dtype, task):
    """Return (graph, problem, what must come out) for each case of a type."""
    cases = [c for c in corpus.all(dtype=dtype) if 0 < c.graph().n <= MOST[task]]
    asked = [(case.graph(), question(case, task)) for case in cases]
    return [(graph, problem, expected(graph, problem)) for graph, problem in asked]


def jobs(dtype, recipes=RECIPES, most=MOST[Task.MANY]):
    for recipe in recipes:
        for task in sorted(recipe.solves, key=lambda task: task.value):
            for graph, problem, answer in answers(dtype, task) if task in MOST else ():
                if graph.n <= most and able(recipe, graph, task):
                    yield recipe, graph, problem, answer


@in_full
@per_type
@per_recipe
def test_a_recipe_gives_the_lengths_of_plain_python(recipe, dtype):
    device, ran = device_of(dtype), set()
    for device.seed, job in enumerate(jobs(dtype, [recipe])):
        _, graph, problem, answer = job
        check(recipe, graph, problem, device, answer)
        ran.add(problem.task)
    assert ran == recipe.solves & MOST.keys(), "there is no graph for each task of the recipe"


@per_type
def test_predecessors_make_paths_of_exactly_these_lengths(dtype):
    device, ran = device_of(dtype), set()
    for device.seed, job in enumerate(jobs(dtype, KEEPING, FEW), start=1000):
        recipe, graph, problem, answer = job
        check(recipe, graph, problem, device, answer, paths=True)
        ran.add(recipe.name)
    assert ran == {r.name for r in CATALOGUE if "cuda" in r.devices and r.predecessors}


@in_full
@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_targets_are_columns_of_the_table(dtype):
    device = device_of(dtype)
    for device.seed, (recipe, graph, problem, answer) in enumerate(jobs(dtype, most=FEW)):
        if not isinstance(answer, type):
            targets = np.array([graph.n - 1, 0, graph.n // 2, 0])
            some = replace(problem, targets=targets)
            check(recipe, graph, some, device, answer[:, targets])


def test_integer_distances_can_be_asked_for_in_32_bits():
    device = device_of("int32")
    for device.seed, (recipe, graph, problem, answer) in enumerate(jobs("int32", most=FEW)):
        if isinstance(answer, type):
            continue
        if np.abs(answer[answer != unreachable(answer.dtype)]).max(initial=0) < 2**31 - 1:
            paths = recipe.predecessors
            check(recipe, graph, problem, device, answer, paths=paths, dtype=np.int32)


@per_recipe
def test_a_distance_beyond_32_bits_is_refused_where_these_are_asked_for(recipe):
    graph = corpus.case("largest_int32").astype("int32").graph()
    task = max(recipe.solves, key=lambda task: task.value)
    problem = replace(all_pairs(graph), task=task)
    with pytest.raises(OverflowError, match="does not fit int32"):
        solve(recipe, graph, problem, device_of("int32"), dtype=np.int32)


@pytest.mark.parametrize("recipe", FLOYD, ids=lambda recipe: recipe.name)
def test_weights_whose_sums_could_leave_64_bits_are_refused(recipe):
    graph = corpus.case("overflow_avoided").graph()
    with pytest.raises(OverflowError, match="4 weights of this size could leave 64 bits"):
        solve(recipe, graph, all_pairs(graph), device_of("int64"))


@in_full
@per_type
def test_a_traced_run_gives_the_same_and_counts_what_it_did(dtype):
    device = device_of(dtype)
    for device.seed, (recipe, graph, problem, answer) in enumerate(
        jobs(dtype, most=FEW), start=2000
    ):
        if not isinstance(answer, type):
            trace = Trace()
            check(recipe, graph, problem, device, answer, trace=trace)
            assert [row.number for row in trace] == list(range(len(trace)))
            assert_counts(recipe, opened(graph), answer, trace)


def assert_counts(recipe, graph, dist, trace):
    reached = np.count_nonzero(dist != unreachable(dist.dtype))
    selected, relaxed, improved = (
        sum(getattr(row, name) for row in trace) for name in ("selected", "relaxed", "improved")
    )
    if recipe.loop is Loop.MATRIX_STEPS:
        edges = {(u, v) for u, v in zip(*graph.edges()[:2], strict=True) if u != v}
        assert (selected, relaxed) == (graph.n, graph.n**3)
        assert reached - graph.n - len(edges) <= improved <= relaxed
        assert len(trace) in {graph.n, -(-graph.n // 32)}
    elif recipe.loop is Loop.THREAD_A_SOURCE:
        assert [row.phase for row in trace] == ["search"]
        assert selected == reached
        assert reached - len(dist) <= improved <= relaxed
        assert relaxed <= len(dist) * len(set(zip(*graph.edges()[:2], strict=True)))
    elif recipe.loop is Loop.ROUNDS_A_SOURCE:
        searches = [row for row in trace if row.phase == "settle"]
        assert sum(row.selected for row in searches) <= reached
        assert improved >= reached - len(dist)


def test_what_stands_for_no_path_does_not_count_as_improved():
    """Three in a row, and one alone: from this one nothing is shorter by a negative weight."""
    graph = Graph(np.array([0, 1, 2, 2, 2]), np.array([1, 2]), np.array([4, -5], np.int32))
    for recipe in FLOYD:
        trace = Trace()
        solve(recipe, graph, all_pairs(graph), device_of("int32"), trace=trace)
        assert sum(row.improved for row in trace) == 1, recipe.name


def circle():
    """Vertices 34 and 3 at distance 0 of each other, reached from 64 by 33 in two equal ways.

    In tiles of 32 the row of 64 learns of 34 through 33, by way of 3, and of 3 through 32, by way
    of 34: each would come before the other.
    """
    edges = [(33, 32, 1), (32, 34, 1), (34, 3, 0), (3, 34, 0), (33, 3, 2), (64, 33, 1)]
    src, dst, weights = zip(*edges, strict=True)
    return Graph.from_edges(np.array(src), np.array(dst), np.array(weights, np.int32), n=65)


@pytest.mark.parametrize("recipe", KEEPING, ids=lambda recipe: recipe.name)
def test_no_circle_of_predecessors_stays(recipe, monkeypatch):
    graph, found = circle(), []
    answer = expected(graph, all_pairs(graph))
    astray = TableRun._rows_with_cycles
    monkeypatch.setattr(
        TableRun, "_rows_with_cycles", lambda *given: found.append(astray(*given)) or found[-1]
    )
    check(recipe, graph, all_pairs(graph), device_of("int32"), answer, paths=True)
    assert len(found) == 1
    if "tiled" in recipe.name:
        assert np.flatnonzero(found[0]).tolist() == [64]


def test_lengths_above_0_are_not_looked_through_for_circles(monkeypatch):
    monkeypatch.setattr(TableRun, "_rows_with_cycles", None)
    graph = corpus.case("complete").astype("int32").graph()
    answer = expected(graph, all_pairs(graph))
    for recipe in KEEPING:
        check(recipe, graph, all_pairs(graph), device_of("int32"), answer, paths=True)


@in_full
def test_rows_go_to_the_answer_in_blocks(monkeypatch):
    monkeypatch.setattr("warpath.engines.papers.table_run._ON_THE_WAY", 16 * 150 * 7)
    graph = corpus.case("hubs").astype("int32").graph()
    answer = expected(graph, all_pairs(graph))
    for recipe in RECIPES:
        paths = recipe.predecessors
        check(recipe, graph, all_pairs(graph), device_of("int32"), answer, paths=paths)


@in_full
def test_sources_that_do_not_fit_the_memory_together_are_searched_in_batches(monkeypatch):
    device, graph = device_of("int32"), corpus.case("hubs").astype("int32").graph()
    monkeypatch.setattr(device, "free_memory", lambda: 7 * 150 * 13 * 4 // 3 + 8)
    problem, progress = all_pairs(graph), []
    answer = expected(graph, problem)
    for recipe in KEEPING:
        check(recipe, graph, problem, device, answer, paths=True)
    order = TableOrder(
        CATALOGUE["bodra2025.apsp_dijkstra"],
        graph,
        problem,
        1,
        {},
        out := np.empty((150, 150), np.int64),
        progress=lambda *done: progress.append(done),
        pred=np.empty((150, 150), np.int32),
    )
    run(order, device)
    assert progress == [(min(done, 150), 150) for done in range(7, 157, 7)]
    assert_same_bits(out, answer, graph)


@pytest.mark.parametrize("recipe", FLOYD, ids=lambda recipe: recipe.name)
@pytest.mark.usefixtures("wide_indices")
def test_progress_tells_the_vertices_that_are_done(recipe):
    graph, progress = corpus.case("small_rmat").astype("int32").graph(), []
    order = TableOrder(
        recipe,
        graph,
        all_pairs(graph),
        1,
        {},
        np.empty((64, 64), np.int64),
        progress=lambda *done: progress.append(done),
    )
    run(order, device_of("int32", index="int64"))
    each = 32 if "tiled" in recipe.name else 1
    assert progress == [(done, 64) for done in range(each, 65, each)]


@in_full
def test_johnson_without_negative_weights_gives_the_bits_of_dijkstra():
    graph = corpus.case("rounding").astype("float32").graph()
    answer = expected(graph, all_pairs(graph))
    for recipe in RECIPES:
        if recipe.loop is Loop.ROUNDS_A_SOURCE:
            found, _ = solve(recipe, graph, all_pairs(graph), device_of("float32"))
            assert_same_bits(found, answer, graph)


def star(n):
    out = np.arange(1, n)
    return Graph.from_edges(np.zeros(n - 1, int), out, (1 + out % 7).astype("int32"), n=n)


@in_full
@pytest.mark.parametrize("block", [32, 128, 256])
@pytest.mark.parametrize("name", ["star", "negative_without_cycle", "bellman_ford_worst"])
def test_blocks_of_any_size_give_the_same(block, name):
    device = device_of("int32", block)
    # A row longer than a block, but not by much: all pairs take the third power.
    graph = star(block + 9) if name == "star" else corpus.case(name).astype("int32").graph()
    for task in (Task.APSP, Task.MANY):
        problem = Problem(task, np.arange(0, graph.n, 1 if task is Task.APSP else 7))
        answer = expected(graph, problem)
        for device.seed, recipe in enumerate(in_blocks(block)):
            if graph.n > 256 and recipe.steps is not None and recipe.steps.relax is Relax.ENTRY:
                continue  # 18 s, and in blocks of 32 and 128 a row is longer than a block as well
            if able(recipe, graph, task):
                check(recipe, graph, problem, device, answer, paths=recipe.predecessors)


@in_full
@pytest.mark.usefixtures("wide_indices")
@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_64_bit_indices_give_the_same(dtype):
    device = device_of(dtype, index="int64")
    graph = corpus.case("small_rmat").astype(dtype).graph()
    assert graph.indices.dtype == np.int64
    answer = expected(graph, all_pairs(graph))
    for device.seed, recipe in enumerate(filter(takes_wide_indices, RECIPES)):
        check(recipe, graph, all_pairs(graph), device, answer, paths=recipe.predecessors)


def agree(graph, dtype):
    device = device_of(dtype)
    for task in (Task.APSP, Task.MANY):
        problem = Problem(task, np.arange(graph.n if task is Task.APSP else 1))
        answer = expected(graph, problem)
        for recipe in RECIPES:
            if able(recipe, graph, task):
                check(recipe, graph, problem, device, answer, paths=recipe.predecessors)


@settings(max_examples=50)
@given(graph=strategies.graphs("int32"))
def test_fifty_random_graphs_with_int32_weights(graph):
    agree(graph, "int32")


@in_full
@settings(max_examples=50)
@given(graph=strategies.graphs("float64"))
def test_fifty_random_graphs_with_float64_weights(graph):
    agree(graph, "float64")


@in_full
@settings(max_examples=50)
@given(graph=strategies.graphs("int32", negative=True))
def test_fifty_random_graphs_with_negative_weights(graph):
    agree(graph, "int32")


def under_potentials(n, seed):
    """Return a random graph with many negative weights and no negative cycle."""
    rng = np.random.default_rng(seed)
    src, dst = rng.integers(0, n, (2, 6 * n))
    height = rng.integers(-500, 500, n)
    weights = rng.integers(0, 40, 6 * n) + height[src] - height[dst]
    return Graph.from_edges(src, dst, weights.astype(np.int32), n=n)


@in_full
@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_several_tiles_of_negative_weights(dtype):
    graph = under_potentials(101, 5).astype(dtype)
    assert graph.facts(symmetry=False).negative > 200
    agree(graph, dtype)


def test_no_vertices_and_no_sources_give_an_empty_table():
    graph = corpus.case("empty").astype("int32").graph()
    other = corpus.case("zero_cycle").astype("int32").graph()
    for recipe in RECIPES:
        assert solve(recipe, graph, all_pairs(graph), device_of("int32"))[0].shape == (0, 0)
        if Task.MANY in recipe.solves:
            nobody = Problem(Task.MANY, np.empty(0, np.int64))
            assert solve(recipe, other, nobody, device_of("int32"))[0].shape == (0, other.n)
