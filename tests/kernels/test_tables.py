"""Tables of many sources on the emulator, over the corpus: the bits of plain Python."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings

import warpath as wp
from support import corpus, strategies
from support.kernels import device_for, prepare, takes_wide_indices
from support.recipes import on_gpu
from support.tables import able, check, check_totals, expected, narrowed, problem_of, solve
from support.tiers import RECIPES_ON_GPUS
from warpath import generate
from warpath.engines.base import Order, Problem, TableOrder
from warpath.engines.cuda.engine import run
from warpath.engines.cuda.tables import (
    deliver,
    hierarchy_levels,
    hierarchy_sweep,
    pair_solvers,
    upward_searches,
)
from warpath.engines.cuda.tables.blocks_of_sources import shared_bytes
from warpath.engines.cuda.tables.johnson import reweighted
from warpath.engines.cuda.tables.widths import Width, bucket, largest_within, widths
from warpath.engines.hierarchy import hierarchy_of
from warpath.graph.zones import opened
from warpath.recipes import CATALOGUE, Task

BLOCKS, PAIRS, JOHNSON = (
    CATALOGUE[f"warpath.{name}"] for name in ("block_per_source", "pairs", "johnson")
)
in_full = pytest.mark.full("tables on the emulator", *RECIPES_ON_GPUS)

SWEEP = CATALOGUE["delling2011.gphast"]
RECIPES = [BLOCKS, PAIRS, JOHNSON, SWEEP]
WAYS = {
    BLOCKS.name: [{}, {"delta": 1}, {"delta": 1e300}],
    PAIRS.name: [
        {"together": side} | more
        for side in (1, 64)
        for more in ({}, {"delta": 1}, {"delta": 1e300}, {"batch": 2})
    ],
    JOHNSON.name: [{}],
    SWEEP.name: [{}],
}
MOST_VERTICES = 300
MOST_OF_ALL_PAIRS = 20

per_type = pytest.mark.parametrize(
    "dtype",
    ["int32", *(pytest.param(one, marks=in_full) for one in corpus.ALL_TYPES if one != "int32")],
)


@cache
def device_of(dtype, index="int32"):
    device = device_for(64)
    prepare(device, on_gpu(Task.MANY, Task.APSP), dtype, index=index)  # as others do: built once
    return device


@cache
def questions(dtype):
    """Return (graph, problem, answer) for each case of a type: some sources, or all pairs."""
    found = []
    for case in corpus.all(dtype=dtype):
        graph = opened(case.graph())
        if not 0 < graph.n <= MOST_VERTICES:
            continue
        few = np.array([*case.sources, 0, *case.sources])
        asked = [problem_of(graph, few), problem_of(graph, few, np.array([graph.n - 1, 0, 0]))]
        if graph.n <= MOST_OF_ALL_PAIRS:
            asked.append(problem_of(graph, np.arange(graph.n)))
        found += [(graph, problem, expected(graph, problem)) for problem in asked]
    return found


@in_full
@per_type
@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_every_way_gives_the_bits_of_plain_python(recipe, dtype):
    device = device_of(dtype)
    ran = 0
    for device.seed, (graph, problem, answer) in enumerate(questions(dtype)):
        if able(recipe, graph, problem.task):
            for params in WAYS[recipe.name]:
                check(recipe, graph, problem, device, answer, params=params)
                ran += 1
    assert ran >= 50


@per_type
def test_a_cutoff_leaves_what_is_farther_unreachable(dtype):
    device = device_of(dtype)
    graph = generate.grid(9, 9, (1, 9), drop=0.2, seed=3).astype(dtype)
    for cutoff in (0, 7, 12.5 if dtype.startswith("f") else 12):
        problem = problem_of(graph, np.array([0, 40]), np.array([5, 44, 80]), cutoff)
        answer = expected(graph, problem)
        for recipe in (BLOCKS, PAIRS, SWEEP):
            for params in WAYS[recipe.name]:
                check(recipe, graph, problem, device, answer, params=params)
        if isinstance(cutoff, int):
            check_totals(SWEEP, graph, problem, device, answer)


@per_type
def test_totals_are_those_of_the_table(dtype):
    device = device_of(dtype)
    ran = 0
    for device.seed, (graph, problem, answer) in enumerate(questions(dtype)):
        if able(SWEEP, graph, problem.task) and not isinstance(answer, type):
            check_totals(SWEEP, graph, problem, device, answer)
            ran += 1
    assert ran >= 50


@per_type
def test_a_sweep_may_be_restricted_to_what_is_above_the_targets(dtype, monkeypatch):
    monkeypatch.setattr(hierarchy_sweep, "_TARGET_COST", 0)
    monkeypatch.setattr(hierarchy_levels, "_TOP_STEP", 32)  # else most have no top
    device, fewer = device_of(dtype), 0
    for device.seed, (graph, problem, answer) in enumerate(questions(dtype)):
        if problem.targets is None or not able(SWEEP, graph, problem.task):
            continue
        check(SWEEP, graph, problem, device, answer)
        if not isinstance(answer, type):
            check_totals(SWEEP, graph, problem, device, answer)
        hierarchy = hierarchy_of(graph, 1)
        if hierarchy is not None:
            order = Order(SWEEP, graph, problem, 1, {})
            fewer += hierarchy_sweep.Sweeps(order, device, hierarchy).levels.places < graph.n
    assert fewer >= 10


@in_full
@per_type
def test_searches_that_do_not_fit_the_device_are_made_on_the_cpu(dtype, monkeypatch):
    monkeypatch.setattr(upward_searches, "_ROOM", 1)
    device = device_of(dtype)
    graph = generate.road(340).astype(dtype)
    problem = problem_of(graph, np.arange(graph.n))
    answer = expected(graph, problem)
    order = Order(SWEEP, graph, problem, 1, {})
    sweeps = hierarchy_sweep.Sweeps(order, device, hierarchy_of(graph, 1))
    assert not sweeps.levels.search_on_cpu
    check_totals(SWEEP, graph, problem, device, answer)
    assert sweeps.levels.search_on_cpu  # the levels are kept with the graph
    check(SWEEP, graph, problem, device, answer)
    again = graph.with_weights(graph._solver_weights)
    check(SWEEP, again, problem, device, answer)


def test_threads_learn_each_that_their_searches_did_not_fit(monkeypatch):
    monkeypatch.setattr(upward_searches, "_ROOM", 1)
    device, graph = device_of("int32"), generate.road(340).astype("int32")
    problem = problem_of(graph, np.arange(graph.n))
    order = Order(SWEEP, graph, problem, 1, {})
    two = [hierarchy_sweep.Sweeps(order, device, hierarchy_of(graph, 1)) for _ in range(2)]
    for sweeps in two:
        assert list(sweeps.run(problem.sources))
    assert [sweeps.failed() for sweeps in two] == [True, True]
    for sweeps in two:
        assert list(sweeps.run(problem.sources))
    assert [sweeps.failed() for sweeps in two] == [False, False]


def test_labels_that_were_not_set_are_no_distances_that_do_not_fit(monkeypatch):
    monkeypatch.setattr(upward_searches, "_ROOM", 0)
    src, dst, weights = generate.road(340).edges()
    src, dst = (np.append(ends, end) for ends, end in ((src, 340), (dst, 341)))
    graph = wp.Graph.from_edges(src, dst, np.append(weights.astype(np.int64), 2**40))
    device = device_of("int64")
    problem = problem_of(graph, np.arange(40), np.arange(340))
    answer = expected(graph, problem)
    order = Order(SWEEP, graph, problem, 1, {})
    assert hierarchy_sweep.Sweeps(order, device, hierarchy_of(graph, 1)).label == np.int64
    monkeypatch.setattr(
        device.xp, "empty", lambda shape, dtype: np.full(shape, 2**60).astype(dtype), raising=False
    )
    check(SWEEP, graph, problem, device, answer, dtype=np.int32)


@pytest.mark.parametrize("dtype", ["int32", "float64"])
def test_more_sources_than_a_line_holds_take_several_sweeps(dtype, monkeypatch):
    graph = generate.road(340).astype(dtype)
    device = device_of(dtype)
    monkeypatch.setattr(upward_searches, "AT_ONCE", 2)
    monkeypatch.setattr(hierarchy_sweep, "AT_ONCE", 2)
    monkeypatch.setattr(hierarchy_sweep, "_WIDTHS", {4: (32, 64), 8: (32,)})
    for sources in (np.arange(graph.n), np.arange(0, graph.n, 7), np.arange(100)):
        problem = problem_of(graph, sources, np.array([5, 300, 5]))
        answer = expected(graph, problem)
        check(SWEEP, graph, problem, device, answer)
        check_totals(SWEEP, graph, problem, device, answer)


def test_buffers_of_whole_rows_serve_the_next_table_but_keep_no_rows(monkeypatch):
    monkeypatch.setattr(hierarchy_sweep, "_WIDTHS", {4: (32, 64), 8: (32,)})
    graph, device = generate.road(340).astype("int32"), device_of("int32")
    idle = hierarchy_sweep._IDLE.of(graph, list, device.name)
    kept = []
    for sources in (np.arange(20), np.arange(300, 332), np.arange(40), np.arange(150)):
        problem = problem_of(graph, sources)
        out = np.empty((len(sources), graph.n), np.int64)
        run(TableOrder(SWEEP, graph, problem, 1, {}, out), device)
        assert (out == expected(graph, problem)).all()
        assert sys.getrefcount(out) == 2
        kept += idle
    assert kept[0] is kept[1] is not kept[2] is kept[3]
    cut = problem_of(graph, np.arange(9), cutoff=5)
    check(SWEEP, graph, cut, device, expected(graph, cut))
    assert idle == kept[3:]


def test_a_sweep_is_narrower_where_memory_is_scarce_and_refused_with_the_numbers(monkeypatch):
    graph, device = generate.road(340).astype("int32"), device_of("int32")
    problem = problem_of(graph, np.arange(100))
    line = 4 * graph.n
    monkeypatch.setattr(device, "free_memory", lambda: 80 * line)
    check(SWEEP, graph, problem, device, expected(graph, problem))
    order = TableOrder(SWEEP, graph, problem, 1, {}, np.empty((100, graph.n), np.int64))
    assert hierarchy_sweep.Sweeps(order, device, hierarchy_of(graph, 1)).width == 64
    monkeypatch.setattr(device, "free_memory", lambda: 30 * line)
    with pytest.raises(wp.NotEnoughMemoryError, match=rf"takes {32 * line:,} bytes at least"):
        run(order, device)


def test_more_sources_than_lie_side_by_side_go_in_batches():
    graph = generate.rmat(7, 4, seed=5)
    device = device_of("int32")
    problem = problem_of(graph, np.arange(graph.n), np.array([3, 100]))
    answer = expected(graph, problem)
    for params in WAYS[PAIRS.name]:
        check(PAIRS, graph, problem, device, answer, params=params)
    reports = []
    out = np.empty(answer.shape, np.int64)
    order = TableOrder(
        PAIRS,
        graph,
        problem,
        1,
        {"batch": 50, "together": 1},
        out,
        progress=lambda *at: reports.append(at),
    )
    run(order, device)
    assert reports == [(50, 128), (100, 128), (128, 128)]


def test_pairs_stand_side_by_side_where_rows_are_full():
    device, width = device_of("int32"), Width("int32", "int32", proven=True)

    def chosen(graph, count=2):
        problem = problem_of(graph, np.arange(count), np.array([0]))
        order = TableOrder(PAIRS, graph, problem, 1, {}, np.empty((count, 1), np.int64))
        return pair_solvers.solver_of(order, device, width)

    rows = generate.rmat(10, 8)
    assert isinstance(chosen(rows), pair_solvers.PairRowsSolver)
    assert isinstance(chosen(rows, 1), pair_solvers.PairListSolver)
    assert isinstance(chosen(generate.uniform(10_000, 3), 70), pair_solvers.PairListSolver)
    assert isinstance(
        chosen(generate.grid(100, 100, (1, 9), diagonal=True), 70), pair_solvers.PairListSolver
    )


@in_full
@pytest.mark.usefixtures("wide_indices")
@pytest.mark.parametrize(
    "recipe", [*filter(takes_wide_indices, RECIPES)], ids=lambda recipe: recipe.name
)
def test_64_bit_indices_give_the_same_bits(recipe):
    graph = opened(corpus.case("small_rmat").astype("int32").graph())
    assert graph.indices.dtype == np.int64
    problem = problem_of(graph, np.array([0, 1, graph.n - 1]))
    device = device_of("int32", "int64")
    for params in WAYS[recipe.name]:
        check(recipe, graph, problem, device, expected(graph, problem), params=params)


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_sums_beyond_32_bits_are_computed_in_64(recipe):
    path = wp.Graph.from_edges([0, 1, 2, 0], [1, 2, 3, 3], np.full(4, 2**31 - 2, np.int32))
    shorter = wp.Graph.from_edges([0, 1, 2, 0], [1, 2, 3, 3], np.array([2**31 - 2] * 3 + [9]))
    for graph in (path, shorter):
        assert [each.label for each in widths(graph)] == ["int32", "int64"]
        problem = problem_of(graph, np.arange(4))
        device = device_of(graph.weights.dtype.name)
        check(recipe, graph, problem, device, expected(graph, problem))
        for params in WAYS[recipe.name]:
            check(recipe, graph, problem, device, expected(graph, problem), params=params)


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_int32_is_filled_where_asked_and_refused_where_it_does_not_fit(recipe):
    graph = wp.Graph.from_edges([0, 1, 2], [1, 2, 3], np.array([2**30, 2**30 - 2, 7], np.int32))
    problem, device = problem_of(graph, np.arange(3), np.array([1, 2])), device_of("int32")
    answer = narrowed(expected(graph, problem), np.int32)
    for params in WAYS[recipe.name]:
        found, _ = solve(recipe, graph, problem, device, params=params, dtype=np.int32)
        assert (found.dtype, found.tolist()) == (np.int32, answer.tolist())
        beyond = replace(problem, targets=np.array([3]))
        with pytest.raises(OverflowError, match="does not fit int32"):
            solve(recipe, graph, beyond, device, params=params, dtype=np.int32)


def test_a_label_of_the_largest_int32_is_no_label():
    graph = wp.Graph.from_edges([0, 1], [1, 2], np.array([2**31 - 2, 1], np.int32))
    problem = problem_of(graph, np.arange(3))
    answer = expected(graph, problem)
    assert answer[0, 2] == 2**31 - 1
    for recipe in (BLOCKS, PAIRS):
        for params in WAYS[recipe.name]:
            check(recipe, graph, problem, device_of("int32"), answer, params=params)
            with pytest.raises(OverflowError, match="does not fit int32"):
                solve(recipe, graph, problem, device_of("int32"), params=params, dtype=np.int32)


def test_labels_beyond_a_block_go_to_pairs():
    graph = generate.grid(90, 90, (1, 9))
    device = device_of("int32")
    assert shared_bytes(graph.n, 4) > device.shared_memory
    problem = problem_of(graph, np.array([7]), np.array([50, 8000]))
    check(BLOCKS, graph, problem, device, expected(graph, problem))


def test_rows_leave_through_two_buffers(monkeypatch):
    class Elsewhere(np.ndarray):
        """What the device's arrays are not."""

    graph = generate.rmat(6, 4, seed=5)
    device = device_of("int32")
    problem = problem_of(graph, np.arange(graph.n))
    answer = expected(graph, problem)
    monkeypatch.setattr(deliver, "ROW_BUFFER", 5 * graph.n * 8)
    monkeypatch.setattr(deliver, "_LEAST_COPY", 2 * graph.n * 8)
    monkeypatch.setattr(deliver, "on_device", lambda *_: False)
    for recipe in RECIPES:
        check(recipe, graph, problem, device, answer)
        found, _ = solve(recipe, graph, problem, device, dtype=np.int32)
        assert found.tolist() == narrowed(answer, np.int32).tolist()


def test_an_array_of_the_device_is_filled_in_place_or_in_its_own_type(monkeypatch):
    graph = generate.rmat(6, 4, seed=5)
    device = device_of("int32")
    problem = problem_of(graph, np.arange(graph.n))
    answer = expected(graph, problem)
    copies = []
    monkeypatch.setattr(device, "fetch", lambda *_: copies.append(1))
    out = np.empty((graph.n, 2 * graph.n), np.int64)[:, ::2]
    run(TableOrder(BLOCKS, graph, problem, 1, {}, out), device)
    assert out.tolist() == answer.tolist()
    assert copies == []


def test_pairs_stand_side_by_side_where_a_few_hops_lead_far():
    assert pair_solvers.fronts_meet(generate.rmat(12, 8))
    assert pair_solvers.fronts_meet(generate.uniform(30_000, 8))
    assert not pair_solvers.fronts_meet(generate.grid(200, 200, (1, 9)))
    assert not pair_solvers.fronts_meet(generate.grid(200, 200, (1, 9), diagonal=True))


def test_batches_are_of_the_fronts_or_of_all_labels():
    device, width = device_of("int32"), Width("int32", "int32", proven=True)

    def batch(graph):
        problem = problem_of(graph, np.arange(graph.n - 1), np.array([0]))
        order = TableOrder(PAIRS, graph, problem, 1, {"together": 1}, np.empty((graph.n - 1, 1)))
        return pair_solvers.PairListSolver(order, device, width).batch

    assert batch(generate.uniform(5000, 3)) == 2**22 // 5000
    assert batch(generate.grid(50, 50, (1, 9))) == 2499


def test_widths_are_the_narrowest_that_hold_or_tell():
    def of(weights):
        return widths(wp.Graph.from_edges([0, 1], [1, 2], np.array(weights)))

    assert of([3, 4]) == [Width("int32", "int32", proven=True)]
    assert of([3, 2**30]) == [
        Width("int32", "int32", proven=False),
        Width("int64", "int64", proven=True),
    ]
    assert of([3, 2**31 - 1]) == of([3, 2**31]) == [Width("int64", "int64", proven=True)]
    assert of([3, 2**62]) == [Width("int64", "int64", proven=False)]
    assert of([3.0, 4.0]) == [Width("float64", "float64", proven=True)]


def test_a_cutoff_between_two_float32_lets_the_lower_one_stand():
    width = Width("float32", "float32", proven=True)
    assert largest_within(0.1, width) == np.nextafter(np.float32(0.1), np.float32(0))
    assert largest_within(None, width) == np.inf
    assert largest_within(7.9, Width("int32", "int32", proven=True)) == 7
    assert largest_within(2**40, Width("int32", "int32", proven=True)) == 2**31 - 1


def test_a_bucket_is_never_of_no_width():
    graph = wp.Graph.from_edges([0, 1], [1, 2], np.array([1, 2], np.int32))
    width = Width("int32", "int32", proven=True)
    assert bucket(graph, width, 0.1, 1.0) == 1
    assert bucket(graph, width, None, 4.0) == 6
    assert bucket(graph, width, 1e300, 4.0) == 2**31 - 1


def test_a_batch_that_fits_no_memory_is_refused_with_the_numbers(monkeypatch):
    graph, device = generate.rmat(6, 4, seed=5), device_of("int32")
    monkeypatch.setattr(device, "free_memory", lambda: 900)
    for side in (1, 64):
        order = TableOrder(
            PAIRS,
            graph,
            Problem(Task.MANY, np.array([0])),
            1,
            {"together": side},
            np.empty((1, graph.n), np.int64),
        )
        with pytest.raises(wp.NotEnoughMemoryError, match=r"takes [\d,]+ bytes at least, and emul"):
            run(order, device)


def test_a_graph_too_large_for_a_block_is_left_to_others():
    road = generate.grid(3, 3).facts(symmetry=False)
    most = int(225 * 1024 / 6.125)
    assert BLOCKS.objection(Task.MANY, replace(road, n=most)) is None
    assert BLOCKS.objection(Task.MANY, replace(road, n=most + 1)) == (
        f"its block holds labels of {most:,} vertices, the graph has {most + 1:,}"
    )
    assert BLOCKS.objection(Task.MANY, replace(road, n=most, weight_dtype="float64")) is not None


@settings(max_examples=30)
@given(graph=strategies.graphs("int32", negative=True))
def test_random_graphs_with_negative_weights(graph):
    check_random(graph, "int32", [JOHNSON])


@settings(max_examples=30)
@given(graph=strategies.graphs("float32"))
def test_random_graphs_with_float32_weights(graph):
    check_random(graph, "float32", [BLOCKS, PAIRS, SWEEP])


@settings(max_examples=30)
@in_full
@given(graph=strategies.graphs("int64"))
def test_random_graphs_with_int64_weights(graph):
    check_random(graph, "int64", [BLOCKS, PAIRS, SWEEP])


def check_random(graph, dtype, recipes):
    if graph.n == 0:
        return
    problem, device = problem_of(graph, np.arange(graph.n)), device_of(dtype)
    answer = expected(graph, problem)
    for recipe in recipes:
        for params in WAYS[recipe.name]:
            check(recipe, graph, problem, device, answer, params=params)


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_tables_without_rows_columns_or_vertices_are_empty(recipe):
    none = np.empty(0, np.int64)
    empty = wp.Graph(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, np.int32))
    edge = wp.Graph.from_edges([0], [1], np.array([2], np.int32))
    for graph, sources, targets in (
        (empty, none, None),
        (empty, none, none),
        (edge, none, None),
        (edge, np.array([0]), none),
    ):
        for params in WAYS[recipe.name]:
            problem = problem_of(graph, sources, targets)
            assert solve(recipe, graph, problem, device_of("int32"), params=params)[0].size == 0


@pytest.mark.parametrize("dtype", corpus.ALL_TYPES)
def test_no_weight_is_negative_under_potentials(dtype):
    cases = [case for case in corpus.all(dtype=dtype) if case.negative and not case.has_cycle]
    assert len(cases) >= 4
    for case in cases:
        graph = opened(case.graph())
        made = reweighted(graph, Problem(Task.MANY, np.array(case.sources))).graph
        assert made.facts(symmetry=False).negative == 0
