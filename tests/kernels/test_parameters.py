"""Every parameter of every recipe changes what is measured: rounds, work, or what waits."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from support import corpus
from support.kernels import device_for, prepare
from support.recipes import on_gpu
from support.tiers import RECIPES_ON_GPUS
from warpath.engines.base import Order, Problem, TableOrder
from warpath.engines.cpu import run as run_on_cpu
from warpath.engines.cuda.engine import run as run_on_gpu
from warpath.graph.zones import opened
from warpath.recipes import CATALOGUE, Task
from warpath.recipes.params import chosen_params
from warpath.recipes.recipe import IN_ONE_LAUNCH
from warpath.results.trace import Trace

pytestmark = pytest.mark.full("parameters on the emulator", *RECIPES_ON_GPUS)

#: The graphs on which one of them at least has to differ, those that do so most often first.
GRAPHS = ["road", "power_law", "rounding", "hubs", "complete"]
#: Values that differ from each other, and from what a default is likely to be.
VALUES = {
    "delta": (1, 20_000),
    "skip": (1, 1000),
    "rho": (1, 1000),
    "pull": (1, 100_000),
    "buckets": (1, 2, 10, 64),
    "width": (1, 500),
    "switch": (1, 100_000),
    "rounds": (40, 60),
    "patch": (9, 20),
    "together": (1, 64),
    "batch": (3, 1000),
    "k": (1, 8),
    "t": (1, 4),
    "constant_degree": (None, 1),  # the default, and the only value
}
#: Other parameters that the effect needs: batches are of sources whose pairs advance together.
BESIDE = {"batch": {"together": 1}}
#: A block makes its search in one launch and counts nothing: only a GPU's clock tells them apart.
TIMED = {("warpath.block_per_source", "delta"), ("warpath.pairs", "delta")}

CASES = [
    pytest.param(recipe, on, param.name, id=f"{recipe.name} on {on}: {param.name}")
    for recipe in CATALOGUE
    for on in recipe.devices
    for param in recipe.params
]


@cache
def device():
    made = device_for(64)
    prepare(made, [recipe for recipe in on_gpu() if recipe.params], "int32")
    return made


@pytest.mark.parametrize(("recipe", "on", "name"), CASES)
def test_a_parameter_changes_what_is_measured(recipe, on, name):
    if (recipe.name, name) in TIMED:
        pytest.skip("its loop makes no rounds that are counted")
    for graph in (opened(corpus.case(each).astype("int32").graph()) for each in GRAPHS):
        given = [{} if value is None else {name: value} for value in VALUES[name]]
        seen = [measured(recipe, on, graph, one | BESIDE.get(name, {})) for one in given]
        if seen[0] != seen[-1]:
            return
    pytest.fail(f"params={{{name!r}: ...}} of {recipe.name} changed nothing")


@pytest.mark.parametrize("kind", ["bucketing", "bucketing_sort_all", "bucketing_multisplit"])
def test_more_buckets_are_narrower_and_take_more_rounds_for_less_work(kind):
    recipe = CATALOGUE[f"davidson2014.{kind}.merge_path"]
    graph = opened(corpus.case("road").astype("int32").graph())
    runs = [counted(recipe, graph, {"buckets": b}).totals() for b in VALUES["buckets"]]
    assert [run.rounds for run in runs] == sorted({run.rounds for run in runs})
    assert runs[-1].read < runs[0].read  # between them, the order of threads decides


def test_bucketing_takes_more_rounds_than_near_far():
    graph = opened(corpus.case("road").astype("int32").graph())
    near_far, buckets = (
        counted(CATALOGUE[f"davidson2014.{name}.merge_path"], graph, {}).totals()
        for name in ("near_far", "bucketing")
    )
    assert buckets.rounds > near_far.rounds


def test_a_threshold_that_rises_by_delta_splits_the_pile_more_often_in_as_many_rounds():
    graph = opened(corpus.case("road").astype("int32").graph())
    recipe = CATALOGUE["davidson2014.near_far.merge_path"]
    jumps, steps = (counted(recipe, graph, {"delta": 3} | skip) for skip in ({}, {"skip": 1}))
    counts = [[(r.selected, r.read) for r in run if r.rounds] for run in (jumps, steps)]
    assert counts[0] == counts[1]
    assert len(steps) > len(jumps)
    assert {one.phase for one in steps if not one.rounds} == {"far"}


def measured(recipe, on, graph, given):
    """Return the counts of each round; of a loop that counts no rounds, those of the solve."""
    stats, trace = solved(recipe, on, graph, given)
    rounds = [(r.phase, r.selected, r.relaxed, r.read, r.rounds, r.sizes, r.counts) for r in trace]
    return rounds or stats


def counted(recipe, graph, given):
    """Return the trace of a solve."""
    return solved(recipe, "cuda", graph, given)[1]


def solved(recipe, on, graph, given):
    """Return the counters and the trace of a solve from vertex 0, or from all vertices."""
    trace = Trace()
    params = chosen_params(recipe, graph.facts(symmetry=False), given, threads=1)
    if Task.SSSP in recipe.solves:
        order = Order(recipe, graph, Problem(Task.SSSP, np.array([0])), 1, params)
    else:
        problem = Problem(Task.APSP, np.arange(graph.n))
        out = np.empty((graph.n, graph.n), graph.dist_dtype)
        order = TableOrder(recipe, graph, problem, 1, params, out)
    kept = None if recipe.loop in IN_ONE_LAUNCH else trace
    order = replace(order, trace=kept)
    raw = run_on_cpu(order) if on == "cpu" else run_on_gpu(order, device())
    return raw.stats, trace
