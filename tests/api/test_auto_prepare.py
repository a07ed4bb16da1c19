"""Solvers with `prepared="auto"`: the hierarchy is built by the first call that it pays for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import warpath as wp
from warpath.api import prepared
from warpath.base.errors import NotSupportedError
from warpath.engines.hierarchy import HIERARCHY
from warpath.planner.cpu_model import may_be_prepared, prepare_seconds

EVERY = np.arange(0, 12_000, 4)


@pytest.fixture
def road():
    return wp.generate.road(12_000)


def test_the_first_call_that_pays_for_it_builds_the_hierarchy_and_later_ones_use_it(road):
    solver = wp.Solver(road, prepared="auto", threads=1)
    small = solver.distances([0, 1], [5])
    assert not small.plan.recipe.prepared
    assert not solver.pairs([0], [5]).plan.recipe.prepared
    assert HIERARCHY.cached(road) is None
    large = solver.distances(EVERY, EVERY[::2])
    assert large.plan.recipe.prepared
    assert HIERARCHY.cached(road) is not None
    assert np.array_equal(large.dist[:9], wp.distances(road, EVERY[:9], EVERY[::2]).dist)
    for found in (solver.path(0, 9), solver.pairs([0], [5]), solver.distances([0, 1], [5])):
        assert found.plan.recipe.prepared
    assert solver.plan(0, target=9).recipe.prepared
    assert solver.nearest([3]).plan.recipe.prepared


def test_pairs_and_totals_may_build_it_too(road):
    plain = wp.Solver(road)
    trips = wp.Solver(road, prepared="auto", threads=1).pairs(EVERY, EVERY[::-1])
    assert trips.plan.recipe.prepared
    assert np.array_equal(trips.dist, plain.pairs(EVERY, EVERY[::-1]).dist)
    other = wp.generate.road(12_000, seed=1)
    few = {"sources": EVERY, "targets": EVERY[:50]}
    totals = wp.Solver(other, prepared="auto", threads=1).totals("max", **few)
    assert totals.plan.recipe.prepared
    assert np.array_equal(totals["max"], wp.totals(other, "max", **few)["max"])


def test_a_graph_that_has_no_useful_hierarchy_is_contracted_in_vain_once(road, monkeypatch):
    built = []

    def refuse(*_):
        built.append(1)
        raise NotSupportedError("this graph has no useful hierarchy")

    monkeypatch.setattr(prepared, "hierarchy_of", refuse)
    solver = wp.Solver(road, prepared="auto", threads=1)
    for _ in range(2):
        assert not solver.pairs(EVERY, EVERY).plan.recipe.prepared
    assert built == [1]


@pytest.mark.parametrize(
    "graph",
    [
        wp.generate.rmat(13, 8),
        wp.generate.road(30),
    ],
)
def test_graphs_that_are_not_worth_it_are_solved_as_they_are(graph):
    solver = wp.Solver(graph, prepared="auto")
    everything = np.arange(graph.n)
    assert not solver.pairs(everything, everything).plan.recipe.prepared


def test_only_large_graphs_of_many_hops_without_negative_weights_may_be_prepared(road):
    facts = road.facts()
    assert may_be_prepared(facts)
    for other in ({"n": 9_999}, {"negative": 1}, {"mean_degree": 30.0}):
        assert not may_be_prepared(replace(facts, **other))


def test_a_named_algorithm_is_not_replaced(road):
    solver = wp.Solver(road, algorithm="classic.dijkstra", prepared="auto", threads=1)
    assert solver.pairs(EVERY[:100], EVERY[:100]).plan.algorithm == "classic.dijkstra"


@pytest.mark.parametrize("value", ["yes", 1, None, np.array([True])])
def test_other_values_are_refused(road, value):
    with pytest.raises(wp.InputError, match="must be True, False or 'auto'"):
        wp.Solver(road, prepared=value)


#: Vertices, edges, and the seconds of one thread that building the hierarchy took.
BUILT = {
    "a road": (20_000, 49_864, 0.083),
    "a vertex joined to a whole road": (20_001, 89_864, 0.179),
    "ten vertices joined to a whole road": (20_010, 449_864, 2.54),
    "a star": (80_000, 159_998, 0.04),
    "a tree": (20_000, 39_998, 0.023),
    "cliques of 10 joined by roads": (20_000, 184_990, 0.239),
    "cliques of 100 joined by roads": (20_000, 1_980_496, 6.8),
    "a grid": (22_500, 89_400, 0.32),
    "New York's roads": (264_346, 733_846, 3.8),
}


@pytest.mark.parametrize("name", BUILT)
def test_predictions_are_within_twice_what_building_took(name):
    n, m, seconds = BUILT[name]
    facts = replace(wp.generate.road(10).facts(), n=n, m=m)
    assert 0.48 < prepare_seconds(facts, 1) / seconds < 2.1
