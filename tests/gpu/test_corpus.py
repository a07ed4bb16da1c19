"""Every CUDA recipe for one source on the whole corpus, in every weight type: the same bits."""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest

import warpath as wp
from support import corpus, reference
from support.compare import assert_is_a_negative_cycle, assert_same_bits
from support.kernels import takes_wide_indices
from support.recipes import on_gpu as on_gpu_recipes
from warpath import Graph
from warpath.recipes import Recipe, Task
from warpath.recipes.axes import Layout, Select

if TYPE_CHECKING:
    from support.corpus import Case

RUN = set()
RECIPES = on_gpu_recipes()
EXACT = [recipe for recipe in RECIPES if recipe.exact]
CASES = [case.astype(dtype) for case in corpus.all() for dtype in case.dtypes]

LARGE = 2_000  # vertices; bigger cases are left to the certificate, plain Python is slow
WIDEST_MATRIX = 5_000
MOST_PADDED = 2**26  # edges of padded rows
# A round of a hybrid costs 100 us, and the long path has 100,000: one recipe of each way to keep
# the next set runs all of it, the others its last 3,000.
WHOLE_PATH = {"bodra2025.bf_strided_flag", "johnson_gpu.bf_queue", "martin2009.f_gpu"}


def able(recipe: Recipe, case: Case) -> bool:
    graph = case.graph()
    layout = None if recipe.axes is None else recipe.axes.layout
    facts = graph.facts(symmetry=False)
    if layout is Layout.DENSE and graph.n > WIDEST_MATRIX:
        return False
    if layout is Layout.ELL and graph.n * facts.max_degree > MOST_PADDED:
        return False
    return recipe.objection(Task.SSSP, facts) is None


def sources(recipe: Recipe, case: Case) -> tuple[int, ...]:
    if case.name != "long_path":
        return case.sources
    if case.dtype != "int32":
        return (99_900,)
    return case.sources if recipe.name in WHOLE_PATH else (97_000,)


def label(graph: Graph, source: int):
    return graph.label_of(np.array([source]))[0]


def on_gpu(graph: Graph, source: int, recipe: Recipe, **options) -> wp.Paths:
    RUN.add(recipe.name)
    return wp.sssp(graph, label(graph, source), algorithm=recipe.name, device="cuda", **options)


@cache
def expected(case: Case, source: int) -> np.ndarray:
    graph = case.graph()
    if graph.n > LARGE:
        paths = wp.sssp(graph, label(graph, source), device="cpu")
        wp.verify(graph, paths)
        return paths.dist
    if graph.facts(symmetry=False).negative:
        return reference.bellman_ford(graph, source)
    return reference.dijkstra(graph, source)


PAIRS = [
    pytest.param(recipe, case, id=f"{recipe.name}-{case}")
    for recipe in EXACT
    for case in CASES
    if able(recipe, case)
]


@pytest.mark.parametrize(("recipe", "case"), PAIRS)
def test_a_recipe_gives_the_bits_of_dijkstra_on_a_gpu(recipe, case, ran):
    graph = case.graph()
    ran(recipe)
    for source in sources(recipe, case):
        if case.overflows:
            with pytest.raises(wp.DistanceOverflowError):
                on_gpu(graph, source, recipe)
        elif case.has_cycle:
            with pytest.raises(wp.NegativeCycleError) as caught:
                on_gpu(graph, source, recipe)
            assert_is_a_negative_cycle(graph, caught.value)
        else:
            paths = on_gpu(graph, source, recipe)
            assert_same_bits(paths.dist, expected(case, source), graph)
            assert paths.plan.device.startswith("cuda")


TRACED = [
    pytest.param(recipe, case, id=f"{recipe.name}-{case}")
    for recipe in EXACT
    for name in ("zero_cycle", "star_out", "power_law", "grid_of_ones", "rounding")
    for case in [corpus.case(name).astype("float32")]
    if recipe.axes is not None and able(recipe, case)  # others run in one launch
]


@pytest.mark.parametrize(("recipe", "case"), TRACED)
def test_a_traced_run_gives_the_same_bits_and_counts_its_rounds(recipe, case, ran):
    graph = case.graph()
    ran(recipe)
    for source in case.sources:
        paths = on_gpu(graph, source, recipe, trace=True)
        assert_same_bits(paths.dist, expected(case, source), graph)
        totals = paths.trace.totals()
        plain = on_gpu(graph, source, recipe)
        assert plain.trace is None
        if recipe.axes.settles:  # what settles when is no matter of luck
            assert totals.rounds == plain.stats["rounds"]
            if recipe.axes.select is Select.MIN:
                assert totals.selected == paths.stats["reached"]
        assert totals.improved <= totals.relaxed
        assert totals.improved >= paths.stats["reached"] - 1
        assert paths.trace.run.device.startswith("cuda")


@pytest.mark.usefixtures("wide_indices")
def test_64_bit_indices_give_the_same_bits(ran):
    case = corpus.case("small_rmat")
    graph = case.graph()
    assert graph.indices.dtype == np.int64
    for recipe in EXACT:
        if takes_wide_indices(recipe) and able(recipe, case):
            ran(recipe)
            assert_same_bits(on_gpu(graph, 5, recipe).dist, expected(case, 5), graph)


def test_parameters_do_not_change_a_bit(ran):
    case = corpus.case("power_law").astype("int32")
    for recipe in EXACT:
        for param in recipe.params:
            ran(recipe)
            for value in (1, 7, 40):
                found = on_gpu(case.graph(), 0, recipe, params={param.name: value})
                assert_same_bits(found.dist, expected(case, 0), case.graph())


def test_a_device_can_be_spelled_with_its_number():
    case = corpus.case("road").astype("int32")
    algorithm = "davidson2014.near_far.merge_path"
    paths = wp.sssp(case.graph(), 0, algorithm=algorithm, device="cuda:0")
    assert_same_bits(paths.dist, expected(case, 0), case.graph())
    with pytest.raises(wp.NotSupportedError, match="cuda:99"):
        wp.sssp(case.graph(), 0, algorithm=algorithm, device="cuda:99")


def test_every_cuda_recipe_ran():
    if not RUN or "PYTEST_XDIST_WORKER" in os.environ:
        pytest.skip("the tests that fill RUN were not all selected in this process")
    assert {recipe.name for recipe in EXACT} == RUN
