"""Every recipe for one source on the emulator, over the corpus: the bits of plain Python.

What the emulator runs is what a GPU runs: the same kernels, the same loops. Its seeds draw the
order of threads, so that a race that can change a label shows for some of them.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings

from support import corpus, strategies
from support.compare import assert_same_bits
from support.kernels import check, device_for, expected, prepare, solve, takes_wide_indices
from support.recipes import on_gpu
from support.tiers import RECIPES_ON_GPUS
from warpath.base.dtypes import unreachable
from warpath.base.errors import InputError
from warpath.engines.cuda.entry import MOST_BUCKETS
from warpath.graph import Graph
from warpath.graph.zones import opened
from warpath.recipes import CATALOGUE, Loop, Task
from warpath.recipes.axes import Edges, Layout, Select
from warpath.results.trace import Trace

in_full = pytest.mark.full("one source on the emulator", *RECIPES_ON_GPUS)

RECIPES = on_gpu(Task.SSSP)
TRACED = [recipe for recipe in RECIPES if recipe.axes]  # others are one launch, which has no trace
INEXACT = {
    "martin2009.f_gpu_no_atomic",
    "martin2009.f_gpu_no_atomic_1min",
    "martin2009.f_gpu_no_atomic_1min.dense",
    "broken.harish_narayanan2007",
}
LEFT_OUT = {
    "empty": "has no source",
    "long_path": "66,000 rounds over 66,000 vertices",
    "backward_path": "1,000 rounds over 1,000 vertices; the shorter bellman_ford_worst stays",
    "road": "2,000 vertices in some 60 rounds; the smaller grids stay",
    "huge_degree": "70,001 vertices: it has a test of its own, of one type",
}
RECIPES_WITH_BUCKETS = [recipe for recipe in RECIPES if recipe.loop is Loop.BUCKETS]

per_type = pytest.mark.parametrize("dtype", corpus.ALL_TYPES)
per_recipe = pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)


@cache
def device_of(dtype, block=64, index="int32"):
    device = device_for(block)
    prepare(device, RECIPES, dtype, index=index)
    return device


@cache
def answers(dtype):
    """Return (graph, source, what must come out) for each case of a type."""
    cases = [case for case in corpus.all(dtype=dtype) if case.name not in LEFT_OUT]
    return [(c.graph(), s, expected(c.graph(), s)) for c in cases for s in c.sources]


def able(recipe, graph):
    return recipe.objection(Task.SSSP, opened(graph).facts(symmetry=False)) is None


def variations(recipe, graph):
    """Return the params to try: the defaults, and what a loop treats in another way."""
    names = {param.name for param in recipe.params}
    if "rounds" in names:
        return [{}, {"rounds": max(graph.n - 1, 1)}] if graph.n <= 50 else [{}]
    if "delta" not in names:
        return [{}]
    largest = float(max(graph.facts(symmetry=False).max_weight, 1))
    tiny = 1 if graph.facts(symmetry=False).integer else 0.25
    deltas = [{"delta": tiny}, {"delta": 2 * largest}, {"delta": 1e300}]
    if "switch" in names:
        return [{}, *({"switch": s, "delta": 2} for s in (1, 2, 5, 10**9))]
    if "buckets" in names:
        return [{}, *deltas, *({"buckets": b, "delta": 2} for b in (1, 2, 64))]
    return [{}, *deltas]


@in_full
@per_type
@per_recipe
def test_a_recipe_gives_the_bits_of_plain_python(recipe, dtype):
    device = device_of(dtype)
    able_cases = 0
    for device.seed, (graph, source, answer) in enumerate(answers(dtype)):
        if able(recipe, graph):
            check(recipe, graph, source, device, answer)
            able_cases += 1
    assert able_cases, f"{recipe.name} can solve no graph of the corpus in {dtype}"


@in_full
@per_type
@pytest.mark.parametrize("recipe", TRACED, ids=lambda recipe: recipe.name)
def test_a_traced_run_gives_the_same_bits_and_counts_what_it_did(recipe, dtype):
    device = device_of(dtype)
    for device.seed, (graph, source, answer) in enumerate(answers(dtype), start=100):
        if not able(recipe, graph):
            continue
        trace = Trace()
        check(recipe, graph, source, device, answer, trace=trace)
        if recipe.exact and not isinstance(answer, type):
            assert_counts(recipe, opened(graph), answer, trace)


def assert_counts(recipe, graph, dist, trace):
    src, dst, weights = graph.edges()
    reached = dist != unreachable(dist.dtype)
    edges = np.count_nonzero(reached[src])
    assert [row.number for row in trace] == list(range(len(trace)))
    assert all(0 <= row.improved <= row.relaxed for row in trace)
    assert all(row.rounds <= row.selected <= graph.n for row in trace)
    assert all(size >= 0 for row in trace for size in row.sizes.values())
    assert sum(row.improved for row in trace) >= np.count_nonzero(reached) - 1
    relaxed = sum(row.relaxed for row in trace)
    if recipe.loop is Loop.SETTLE:
        assert sum(row.selected for row in trace) <= np.count_nonzero(reached)
        assert relaxed <= edges
        with np.errstate(over="ignore", under="ignore"):
            longer = dist[src] + weights.astype(dist.dtype) != dist[src]
        if recipe.axes.select is Select.MIN and longer[reached[src]].all():
            # Without a zero length all of a label settle together: edges lead on or are left out.
            onwards = reached[src] & (dist[src] < dist[dst])
            pairs = list(zip(src[onwards].tolist(), dst[onwards].tolist(), strict=True))
            assert relaxed == len(set(pairs) if recipe.axes.layout is Layout.DENSE else pairs)
    else:
        loops = np.count_nonzero(src == dst) if recipe.axes.edges is Edges.CLASSIFIED else 0
        assert relaxed >= edges - loops


@in_full
@per_type
@pytest.mark.parametrize("recipe", [r for r in RECIPES if r.params], ids=lambda recipe: recipe.name)
def test_params_do_not_change_a_bit(recipe, dtype):
    device = device_of(dtype)
    for device.seed, (graph, source, answer) in enumerate(answers(dtype), start=200):
        if able(recipe, graph):
            for params in variations(recipe, graph)[1:]:
                check(recipe, graph, source, device, answer, params)


def test_what_is_left_out_is_in_the_corpus():
    assert set(LEFT_OUT) < set(corpus.NAMES)
    assert {recipe.name for recipe in RECIPES if not recipe.exact} == INEXACT


@in_full
@pytest.mark.parametrize("block", [32, 128, 256])
@pytest.mark.parametrize("name", ["power_law", "rounding", "negative_without_cycle", "star_out"])
def test_blocks_of_any_size_give_the_same_bits(block, name):
    dtype = "float32" if name == "rounding" else "int32"
    device = device_of(dtype, block)
    case = corpus.case(name).astype(dtype)
    answer = expected(case.graph(), case.sources[0])
    for device.seed, recipe in enumerate(RECIPES):
        if able(recipe, case.graph()):
            check(recipe, case.graph(), case.sources[0], device, answer)


@in_full
@pytest.mark.usefixtures("wide_indices")
@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_64_bit_indices_give_the_same_bits(dtype):
    device = device_of(dtype, index="int64")
    case = corpus.case("small_rmat").astype(dtype)
    assert case.graph().indices.dtype == np.int64
    recipes = [r for r in RECIPES if able(r, case.graph()) and takes_wide_indices(r)]
    for source in case.sources:
        answer = expected(case.graph(), source)
        for device.seed, recipe in enumerate(recipes):
            check(recipe, case.graph(), source, device, answer)


@in_full
def test_rows_beyond_16_bits_give_the_same_bits():
    graph = corpus.case("huge_degree").astype("int32").graph()
    device = device_of("int32")
    answer = expected(graph, 0)
    for recipe in RECIPES:
        # 1,000 rounds over 70,001 vertices, or a matrix of them; rows as long as the hub's
        large = recipe.loop is Loop.SETTLE or (recipe.axes and recipe.axes.layout is Layout.ELL)
        if able(recipe, graph) and not large:
            check(recipe, graph, 0, device, answer)


def test_there_are_as_many_buckets_as_kernels_take():
    (buckets,) = (p for p in RECIPES_WITH_BUCKETS[0].params if p.name == "buckets")
    assert buckets.most == MOST_BUCKETS
    graph = corpus.case("complete").astype("int32").graph()
    with pytest.raises(InputError, match=r"params\['buckets'\] = 65 must be at most 64"):
        solve(RECIPES_WITH_BUCKETS[0], graph, 0, device_of("int32"), {"buckets": 65})


@in_full
@per_recipe
def test_the_order_of_threads_does_not_change_a_bit(recipe):
    device = device_of("float32")
    graph = corpus.case("unweighted" if recipe.equal_weights else "power_law").graph()
    graph = graph.astype("float32")
    answer = expected(graph, 0)
    for device.seed in range(300, 308):
        check(recipe, graph, 0, device, answer)


SEVERAL = [
    CATALOGUE[name]
    for name in (
        "martin2009.f_gpu",
        "martin2009.u_gpu_plus",
        "davidson2014.near_far.merge_path",
        "davidson2014.bucketing.merge_path",
        "davidson2014.bucketing_multisplit.cta_warp_scan",
        "davidson2014.hybrid",
        "johnson_gpu.dijkstra_prefix",
    )
]
WITH_NEGATIVE = [recipe for recipe in RECIPES if recipe.negative]


def agree(recipes, graph, dtype):
    device, answer = device_of(dtype), expected(graph, 0)
    for recipe in recipes:
        check(recipe, graph, 0, device, answer)


@settings(max_examples=100)
@given(graph=strategies.graphs("int32"))
def test_a_hundred_random_graphs_with_int32_weights(graph):
    agree(SEVERAL, graph, "int32")


@in_full
@settings(max_examples=100)
@given(graph=strategies.graphs("int64"))
def test_a_hundred_random_graphs_with_int64_weights(graph):
    agree(SEVERAL, graph, "int64")


@in_full
@settings(max_examples=100)
@given(graph=strategies.graphs("float32"))
def test_a_hundred_random_graphs_with_float32_weights(graph):
    agree(SEVERAL, graph, "float32")


@in_full
@settings(max_examples=100)
@given(graph=strategies.graphs("float64"))
def test_a_hundred_random_graphs_with_float64_weights(graph):
    agree(SEVERAL, graph, "float64")


@settings(max_examples=100)
@given(graph=strategies.graphs("int32", negative=True))
def test_a_hundred_random_graphs_with_negative_weights(graph):
    agree(WITH_NEGATIVE, graph, "int32")


def labels_of(recipe, graph, source, seeds):
    device = device_of("int32")
    found = []
    for device.seed in seeds:
        found.append(solve(CATALOGUE[recipe], graph, source, device))
    return found


def test_the_sweep_of_2007_loses_minima_on_its_counterexample():
    graph = corpus.lost_minima(1024)
    found = {labels[-1] for labels in labels_of("broken.harish_narayanan2007", graph, 0, range(32))}
    assert len(found) > 1
    assert min(found) >= 2
    assert {x[-1] for x in labels_of("martin2009.f_gpu", graph, 0, range(8))} == {2}


def test_without_an_atomic_minimum_labels_are_wrong_for_some_order():
    graph = corpus.lost_minima(1024)
    for name in sorted(INEXACT - {"broken.harish_narayanan2007"}):
        found = {labels[-1] for labels in labels_of(name, graph, 0, range(8))}
        assert found != {2}
        assert min(found) >= 2


def test_without_an_atomic_minimum_a_thread_that_lowers_nothing_puts_an_old_label_back():
    """Vertex 1 lowers the label 5 of vertex 3 to 2; the sum of vertex 2 is 10."""
    edges = np.array([[0, 1, 1], [0, 2, 1], [0, 3, 5], [1, 3, 1], [2, 3, 9]], np.int32)
    graph = Graph.from_edges(*edges.T)
    lost = {
        name: {labels[3] for labels in labels_of(name, graph, 0, range(64))}
        for name in ("martin2009.f_gpu_no_atomic", "broken.harish_narayanan2007")
    }
    assert lost == {
        "martin2009.f_gpu_no_atomic": {2, 5},
        "broken.harish_narayanan2007": {2},
    }


@pytest.mark.parametrize("name", sorted(INEXACT))
def test_where_every_frontier_is_one_vertex_nothing_races(name):
    graph = corpus.case("largest_int32").astype("int32").graph()
    for labels in labels_of(name, graph, 0, range(4)):
        assert_same_bits(labels, expected(graph, 0))
