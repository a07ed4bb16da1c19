"""Every CUDA recipe for several sources or all pairs on the corpus: the lengths of plain Python."""

from __future__ import annotations

import os
from functools import cache

import numpy as np
import pytest

import warpath as wp
from warpath import generate
from warpath.engines.tables.table import longest
from warpath.recipes import Recipe, Task
from warpath.testing import corpus
from warpath.testing.all_pairs import Answer, assert_lengths, check, expected
from warpath.testing.recipes import on_gpu
from warpath.trace import Trace
from warpath.zones import opened

RUN = set()
RECIPES = on_gpu(Task.MANY, Task.APSP)
MOST = {Task.APSP: 160, Task.MANY: 1_000}  # vertices; plain Python is slow
CASES = [case.astype(dtype) for case in corpus.all() for dtype in case.dtypes]

per_recipe = pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)


def able(recipe: Recipe, graph: wp.Graph, task: Task) -> bool:
    if recipe.objection(task, opened(graph).facts(symmetry=False)) is not None:
        return False
    return not recipe.reassociates or longest(opened(graph)) < 2**61


@cache
def answer_of(case: corpus.Case, task: Task) -> tuple[np.ndarray, Answer]:
    graph = case.graph()
    every = np.arange(opened(graph).n)
    sources = every if task is Task.APSP else np.array([*case.sources[::-1], case.sources[0]])
    return sources, expected(graph, sources, task)


JOBS = [
    pytest.param(recipe, case, task, id=f"{recipe.name}-{task.value}-{case}")
    for recipe in RECIPES
    for task in MOST
    for case in CASES
    if 0 < case.graph().n <= MOST[task] and able(recipe, case.graph(), task)
]


@pytest.mark.parametrize(("recipe", "case", "task"), JOBS)
def test_a_table_has_the_lengths_of_plain_python_on_a_gpu(recipe, case, task, gpu, ran):
    ran(recipe)
    sources, answer = answer_of(case, task)
    ways = [(False, None), (False, Trace())]
    if recipe.predecessors:
        ways += [(True, None), (True, Trace())]
    with gpu.active():
        for paths, trace in ways:
            check(
                recipe, case.graph(), gpu, sources, answer, task=task, paths=paths, trace=trace
            )  # fmt: skip
    RUN.add((recipe.name, task))


GRAPHS = {
    "dense": lambda: generate.dense(500, 0.2, (1, 1000), seed=21),
    "uniform": lambda: generate.uniform(777, 6, (1, 1000), seed=22),
    "grid": lambda: generate.grid(25, 30, (1, 100), drop=0.25, seed=23),
    "zeros": lambda: generate.uniform(300, 4, (0, 2), seed=24),
}


@per_recipe
@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("name", GRAPHS)
def test_many_tiles_agree_with_the_cpu(recipe, name, dtype, ran):
    ran(recipe)
    graph = GRAPHS[name]().astype(dtype)
    right = wp.apsp(graph, algorithm="classic.dijkstra", device="cpu").dist
    if Task.APSP in recipe.solves:
        found = wp.apsp(graph, algorithm=recipe.name, device="cuda").dist
        assert_lengths(recipe, graph, found, right)
        if graph.dist_dtype.kind == "i":
            narrow = wp.apsp(graph, algorithm=recipe.name, device="cuda", dist_dtype="int32").dist
            assert np.array_equal(narrow[right < 2**31], right[right < 2**31])
    if Task.MANY in recipe.solves:
        rows, columns = [5, 0, 5, graph.n - 1], [1, graph.n - 1, 1]
        found = wp.distances(graph, rows, columns, algorithm=recipe.name, device="cuda").dist
        assert_lengths(recipe, graph, found, right[rows][:, columns])


@per_recipe
def test_an_answer_stays_on_the_gpu_where_its_array_is(recipe, gpu, ran):
    ran(recipe)
    graph = GRAPHS["uniform"]()
    right = wp.apsp(graph, algorithm="classic.dijkstra", device="cpu").dist
    task = Task.APSP if Task.APSP in recipe.solves else Task.MANY
    from warpath.engines.base import Order, Problem
    from warpath.engines.cuda.engine import run

    with gpu.active():
        out = gpu.xp.empty(right.shape, right.dtype)
        problem = Problem(task, np.arange(graph.n))
        raw = run(Order(recipe, graph, problem, 1, {}, out), gpu)
        assert raw.dist is out
        assert np.array_equal(gpu.get(out), right)


def test_every_recipe_of_tables_ran():
    if not RUN or "PYTEST_XDIST_WORKER" in os.environ:
        pytest.skip("the tests that fill RUN were not all selected in this process")
    assert {(r.name, task) for r in RECIPES for task in r.solves if task in MOST} == RUN
