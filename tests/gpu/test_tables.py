"""Tables of many sources on a real GPU: the corpus in every way, large graphs against the CPU."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import warpath as wp
from warpath import generate
from warpath.recipes import CATALOGUE
from warpath.testing import corpus
from warpath.testing.compare import assert_same_bits
from warpath.testing.tables import check_table, expected_table, problem_of
from warpath.zones import opened

NAMES = ("warpath.block_per_source", "warpath.pairs", "warpath.johnson")
WAYS = [(name, {}) for name in NAMES]
WAYS += [("warpath.pairs", {"together": side, "delta": 2}) for side in (1, 64)]
WAYS += [("warpath.block_per_source", {"delta": 1})]
TYPES = ("int32", "int64", "float32", "float64")
GRAPHS = {
    "rmat": lambda: generate.rmat(15, 12, seed=5),
    "grid": lambda: generate.grid(170, 170, (100, 10_000), drop=0.25, seed=6),
    "uniform": lambda: generate.uniform(30_000, 3, seed=7),
}


@cache
def questions(dtype):
    found = []
    for case in corpus.all(dtype=dtype):
        graph = opened(case.graph())
        if 0 < graph.n <= 600:
            sources = np.array([*case.sources, 0, *case.sources])
            for targets in (None, np.array([graph.n - 1, 0, 0])):
                problem = problem_of(graph, sources, targets)
                found.append((graph, problem, expected_table(graph, problem)))
    return found


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(("name", "params"), WAYS)
def test_a_table_has_the_bits_of_plain_python(name, params, dtype, gpu, ran):
    recipe = CATALOGUE[name]
    ran(recipe)
    with gpu.active():
        for graph, problem, answer in questions(dtype):
            if recipe.objection(problem.task, graph.facts(symmetry=False)) is None:
                check_table(recipe, graph, problem, gpu, answer, params)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("name", NAMES)
def test_a_large_table_has_the_bits_of_the_cpu(name, graph, dtype, ran):
    ran(CATALOGUE[name])
    made = GRAPHS[graph]().astype(dtype)
    rng = np.random.default_rng(8)
    sources, targets = rng.integers(made.n, size=100), rng.integers(made.n, size=300)
    if name == "warpath.block_per_source" and dtype == "float64":
        made = generate.rmat(13, 12, seed=5).astype(dtype)
        sources, targets = sources % made.n, targets % made.n
    for columns in (None, targets):
        found = wp.distances(made, sources, columns, algorithm=name, device="cuda")
        wanted = wp.distances(made, sources, columns, device="cpu")
        assert_same_bits(found.dist.ravel(), wanted.dist.ravel())
        assert found.plan.device == "cuda:0"


def test_a_device_array_is_filled_where_it_is(gpu):
    from warpath.engines.base import Order
    from warpath.engines.cuda.engine import run

    graph = generate.rmat(10, 8, seed=5)
    problem = problem_of(graph, np.arange(graph.n))
    wanted = wp.apsp(graph, device="cpu").dist
    with gpu.active():
        for name in NAMES[:2]:
            out = gpu.xp.empty((graph.n, graph.n), np.int64)
            run(Order(CATALOGUE[name], graph, problem, 1, {}, out), gpu)
            assert np.array_equal(gpu.get(out), wanted)
