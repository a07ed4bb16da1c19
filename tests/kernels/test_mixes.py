"""Every legal mix of axes runs with the right bits: a new variant is one line of data."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from kernel_list import kernels_of
from support import corpus
from support.compare import assert_same_bits
from support.kernels import check, device_for, expected, prepare
from support.tiers import RECIPES_ON_GPUS
from warpath.engines.base import Order, Problem
from warpath.engines.papers.settle import settle_on_cpu
from warpath.graph.zones import opened
from warpath.recipes import CATALOGUE, Recipe, Task
from warpath.recipes.axes import (
    AXES,
    Axes,
    Emit,
    Labels,
    Lower,
    Map,
    Place,
    Reduce,
    Select,
    Side,
)
from warpath.recipes.recipe import loop_of
from warpath.results.trace import Trace

in_full = pytest.mark.full("mixes of axes on the emulator", *RECIPES_ON_GPUS)

SWEEP = CATALOGUE["davidson2014.bellman_ford"]
PARAMS = {
    (recipe.loop, recipe.axes.select): recipe.params
    for recipe in reversed([*CATALOGUE])  # the plainest of a loop comes first
    if recipe.axes and recipe.axes.select not in {Select.ALL, Select.IMPROVED}
}
GIVEN = {
    Select.BELOW: {"delta": 3},
    Select.DELTA_STAR: {"delta": 3},
    Select.RHO: {"rho": 3},
    Select.BUCKET: {"width": 2, "buckets": 3},
}

VALUES = {axis.__name__.lower(): list(axis) for axis in AXES}
VALUES["arrange"].append(None)
VALUES["place"] = [Place(*sides) for sides in itertools.product(Side, repeat=3)]


def changed(axes: Axes, count: int) -> set[Axes]:
    """Return the legal mixes that differ from one on so many axes at most."""
    found = set()
    for names in itertools.combinations(VALUES, count):
        for values in itertools.product(*(VALUES[name] for name in names)):
            try:
                found.add(replace(axes, **dict(zip(names, values, strict=True))))
            except ValueError:
                continue
    return found


@cache
def legal() -> list[Axes]:
    """Return all legal mixes: those of the catalogue, and what changes lead to from them."""
    start = {recipe.axes for recipe in CATALOGUE if recipe.axes}
    seen = todo = start.union(*(changed(axes, 2) for axes in start))
    while todo:
        todo = set().union(*(changed(axes, 1) for axes in todo)) - seen
        seen = seen | todo
    return sorted(seen, key=lambda axes: axes.words())


def variant(axes: Axes) -> Recipe:
    """Return a recipe of a mix; one line is all that a variant takes."""
    return SWEEP.but(
        f"davidson2014.mixed.{axes.words().replace(', ', '.').replace(' ', '_')}",
        "A mix that a test makes.",
        params=PARAMS.get((loop_of(axes), axes.select), ()),
        negative=axes.select in {Select.ALL, Select.IMPROVED},
        exact=axes.lower is Lower.ATOMIC_MIN,
        devices=("cpu",) if axes.place.whole_cpu else ("cuda",),
        **vars(axes),
    )


GRAPHS = {
    "hubs": (corpus.case("hubs").astype("int32").graph(), 0),
    "hubs of floats": (corpus.case("hubs").astype("float32").graph(), 140),
    "grid of floats": (corpus.case("rounding").astype("float32").graph(), 17),
    "closed vertices": (corpus.case("closed_vertices").astype("int32").graph(), 0),
}
NEGATIVE = {
    "negative": (corpus.case("negative_without_cycle").astype("int32").graph(), 0),
    "negative zero cycle": (corpus.case("negative_zero_cycle").astype("int32").graph(), 0),
    "negative cycle": (corpus.case("negative_cycle").astype("int32").graph(), 0),
    "negative loop": (corpus.case("negative_loop").astype("int32").graph(), 0),
    "worst order": (corpus.case("bellman_ford_worst").astype("int32").graph(), 0),
}


@in_full
@pytest.mark.parametrize("select", Select)
def test_every_legal_mix_runs_with_the_right_bits(select):
    recipes = [variant(axes) for axes in legal() if axes.select is select]
    on_gpu = [recipe for recipe in recipes if recipe.devices == ("cuda",)]
    device = device_for(64)
    for dtype in ("int32", "float32"):
        prepare(device, on_gpu, dtype)
    graphs = GRAPHS | (NEGATIVE if recipes[0].negative else {})
    for graph, source in graphs.values():
        answer = expected(graph, source)
        for device.seed, recipe in enumerate(on_gpu):
            trace = Trace() if device.seed % 2 else None
            check(recipe, graph, source, device, answer, GIVEN.get(select), trace)
        for recipe in set(recipes).difference(on_gpu):
            order = Order(recipe, opened(graph), Problem(Task.SSSP, np.array([source])), 1, {})
            assert_same_bits(settle_on_cpu(order)[0], answer, graph)


@pytest.mark.full("differences between mixes", *RECIPES_ON_GPUS)
def test_two_legal_mixes_never_run_the_same():
    """An axis whose value changes neither kernels nor host steps would be a name without a deed."""
    seen = {}
    for axes in legal():
        recipe = variant(axes)
        if axes.place.whole_cpu:
            continue
        kernels = frozenset(kernel.name for kernel in kernels_of(recipe, "int32"))
        on_host = (axes.direction, axes.layout) if axes.place.relax is Side.CPU else None
        other = seen.setdefault((recipe.loop, kernels, axes.place, on_host), recipe)
        assert other is recipe, f"{recipe.name} runs as {other.name} does"
    assert len(seen) > 350


def test_a_new_variant_is_one_line():
    variants = [
        CATALOGUE["johnson_gpu.dijkstra_queue"].but(
            "johnson_gpu.queue", "At the minimum.", select=Select.MIN
        ),
        CATALOGUE["johnson_gpu.bf_queue"].but(
            "johnson_gpu.balanced", "Balanced.", map=Map.MERGE_PATH
        ),
        CATALOGUE["martin2009.u_gpu_plus"].but(
            "martin2009.twice", "Two passes.", reduce=Reduce.TWO_PASS
        ),
        CATALOGUE["bodra2025.bf_strided"].but(
            "bodra2025.place", "In place.", labels=Labels.IN_PLACE
        ),
        CATALOGUE["davidson2014.near_far.merge_path"].but(
            "davidson2014.append", "Appends.", emit=Emit.ATOMIC_QUEUE
        ),
    ]
    graph, source = GRAPHS["hubs"]
    device = device_for(64)
    for recipe in variants:
        check(recipe, graph, source, device, expected(graph, source))
