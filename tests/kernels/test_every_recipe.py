"""Every recipe for GPUs solves a few graphs on the emulator: the bits of plain Python.

The other tests of recipes on the emulator, with all graphs and types, run where their files changed
since a full run (tests/support/tiers.py).
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from support import corpus, kernels, tables
from support.recipes import on_gpu
from warpath.engines.base import Problem
from warpath.graph.zones import opened
from warpath.recipes import Task

GRAPHS = [
    "power_law",
    "parallel_edges",
    "negative_without_cycle",
    "unweighted",
    "hubs",
    "lost_minima",
    "zero_cycle",
    "isolated_vertices",
    "closed_vertices",
    "largest_int32",
    "negative_cycle",
]
MOST = 70  # vertices of a table's graph


@cache
def device_of(*tasks):
    device = kernels.device_for(64)
    kernels.prepare(device, on_gpu(*tasks), "int32")
    return device


def cases():
    return [corpus.case(name).astype("int32") for name in GRAPHS]


@pytest.mark.parametrize("recipe", on_gpu(Task.SSSP), ids=lambda recipe: recipe.name)
def test_a_recipe_for_one_source_gives_the_bits_of_plain_python(recipe):
    device, solved = device_of(Task.SSSP), 0
    for device.seed, case in enumerate(cases()):
        graph, source = case.graph(), case.sources[0]
        if recipe.objection(Task.SSSP, opened(graph).facts(symmetry=False)) is None:
            kernels.check(recipe, graph, source, device, kernels.expected(graph, source))
            solved += 1
    assert solved


@pytest.mark.parametrize("recipe", on_gpu(Task.MANY, Task.APSP), ids=lambda recipe: recipe.name)
def test_a_recipe_for_tables_gives_the_lengths_of_plain_python(recipe):
    device, solved = device_of(Task.MANY, Task.APSP), set()
    for device.seed, case in enumerate(cases()):
        graph = case.graph()
        for task in recipe.solves & {Task.MANY, Task.APSP}:
            if graph.n <= MOST and tables.able(recipe, graph, task):
                whole = tables.all_pairs(graph)
                problem = whole if task is Task.APSP else Problem(task, np.array([0, graph.n - 1]))
                answer = tables.expected(graph, problem)
                tables.check(recipe, graph, problem, device, answer, paths=recipe.predecessors)
                solved.add(task)
    assert solved == recipe.solves & {Task.MANY, Task.APSP}
