"""Every CUDA recipe for several sources or all pairs: the lengths of plain Python and the CPU."""

from __future__ import annotations

import os
from functools import cache

import numpy as np
import pytest

import warpath as wp
from support import corpus
from support.recipes import on_gpu
from support.tables import able, all_pairs, assert_lengths, assert_paths, check, expected, narrowed
from warpath import generate
from warpath.engines.base import Problem
from warpath.graph.zones import opened
from warpath.recipes import CATALOGUE, Task
from warpath.results.trace import Trace

RUN = set()
RECIPES = on_gpu(Task.MANY, Task.APSP)
MOST = {Task.APSP: 160, Task.MANY: 600}  # vertices; plain Python is slow
TYPES = ("int32", "int64", "float32", "float64")
#: What a loop treats in another way than by default.
WAYS = {
    "warpath.pairs": [{"together": side, "delta": 2} for side in (1, 64)],
    "warpath.block_per_source": [{"delta": 1}],
}

per_recipe = pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
per_type = pytest.mark.parametrize("dtype", TYPES)


def problems(graph: wp.Graph, case: corpus.Case, task: Task) -> list[Problem]:
    """All pairs; or the case's sources twice, to all vertices and to a few."""
    if task is Task.APSP:
        return [all_pairs(graph)]
    sources = np.array([*case.sources, 0, *case.sources])
    last = opened(graph).n - 1
    return [Problem(task, sources), Problem(task, sources, np.array([last, 0, 0]))]


@cache
def questions(dtype: str, task: Task) -> list:
    found = []
    for case in corpus.all(dtype=dtype):
        graph = case.graph()
        if 0 < graph.n <= MOST[task]:
            found += [(graph, p, expected(graph, p)) for p in problems(graph, case, task)]
    return found


@per_type
@per_recipe
def test_a_table_has_the_lengths_of_plain_python_on_a_gpu(recipe, dtype, gpu, ran):
    ran(recipe)
    for task in MOST:
        for graph, problem, answer in questions(dtype, task):
            if not able(recipe, graph, task):
                continue
            RUN.add((recipe.name, task, dtype))
            with gpu.active():
                for params in [{}, *WAYS.get(recipe.name, [])]:
                    check(recipe, graph, problem, gpu, answer, params=params)
                check(recipe, graph, problem, gpu, answer, paths=recipe.predecessors, trace=Trace())


GRAPHS = {
    "dense": lambda: generate.dense(300, 0.2, (1, 1000), seed=21),
    "rmat": lambda: generate.rmat(13, 12, seed=5),
    "grid": lambda: generate.grid(70, 70, (100, 10_000), drop=0.25, seed=6),
    "zeros": lambda: generate.uniform(200, 4, (0, 2), seed=24),
}


@cache
def solved(name: str, dtype: str) -> tuple[wp.Graph, list[int], list[int], np.ndarray]:
    """A graph, some sources and targets, and the sources' distances by the CPU."""
    graph = GRAPHS[name]().astype(dtype)
    rng = np.random.default_rng(8)
    sources, targets = rng.integers(graph.n, size=100), rng.integers(graph.n, size=300)
    right = wp.distances(graph, sources, algorithm="classic.dijkstra", device="cpu")
    return graph, sources.tolist(), targets.tolist(), right.dist


@per_type
@per_recipe
@pytest.mark.parametrize("name", GRAPHS)
def test_larger_tables_agree_with_the_cpu(recipe, name, dtype, ran):
    graph, sources, targets, right = solved(name, dtype)
    ours = recipe.paper == "warpath"
    large = graph.n > 1_000
    if large and not (ours and able(recipe, graph, Task.MANY)):
        pytest.skip(f"{graph.n:,} vertices are many for {recipe.name}")
    ran(recipe)
    if not ours:  # some have hundreds of rounds a source
        sources, right = sources[:9], right[:9]
    call = {"algorithm": recipe.name, "device": "cuda"}
    if Task.MANY in recipe.solves:
        for columns in (None, targets):
            found = wp.distances(graph, sources, columns, **call)
            wanted = right if columns is None else np.ascontiguousarray(right[:, columns])
            assert_lengths(recipe, graph, found.dist, wanted)
            assert found.plan.device.startswith("cuda")
    if Task.APSP in recipe.solves and not large:
        found = wp.apsp(graph, **call, predecessors=True)
        assert_lengths(recipe, graph, np.ascontiguousarray(found.dist[sources]), right)
        few = np.array(sources[:9])
        assert_paths(recipe, graph, few, found.dist[few], found.pred[few])
        if graph.dist_dtype.kind == "i":
            narrow = wp.apsp(graph, **call, dist_dtype="int32").dist
            assert narrow.dtype == np.int32
            assert np.array_equal(narrow, narrowed(found.dist, np.int32))


@per_recipe
@pytest.mark.parametrize("dist_dtype", ["int64", "int32"])
def test_an_answer_stays_on_the_gpu_where_its_array_is(recipe, dist_dtype, gpu, ran):
    ran(recipe)
    graph = generate.uniform(300, 6, (1, 1000), seed=22)
    call = {"algorithm": recipe.name, "device": "cuda", "dist_dtype": dist_dtype}
    solve = wp.apsp
    if Task.APSP not in recipe.solves:
        solve, call["sources"] = wp.distances, np.arange(graph.n)
    with gpu.active():
        out = gpu.xp.empty((graph.n, graph.n), dist_dtype)
        found = solve(graph, **call, out=out)
        assert found.dist is out
        right = wp.apsp(graph, device="cpu", dist_dtype=dist_dtype).dist
        assert np.array_equal(gpu.get(out), right)


def test_every_recipe_of_tables_ran():
    if not RUN or "PYTEST_XDIST_WORKER" in os.environ:
        pytest.skip("the tests that fill RUN were not all selected in this process")
    there = [recipe for recipe in CATALOGUE if "cuda" in recipe.devices]
    wanted = {(r.name, task, dtype) for r in there for task in r.solves for dtype in TYPES}
    assert {one for one in wanted if one[1] in MOST} == RUN
