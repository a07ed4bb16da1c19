"""What one source takes of memory, at its peak, in a process of its own."""

from __future__ import annotations

import sys
from functools import partial

import numpy as np
import pytest

import warpath as wp
from support.memory import Solve, bound, graphs, peak_of
from support.tiers import SOLVES
from warpath.planner.cpu_model import Size, cpu_bytes
from warpath.recipes import CATALOGUE, Task

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc tells the peak")

SCALE = 20
_ANY_CALL = 4 << 20  # stacks, caches, imports: up to 2.5 MiB of any call, whatever its graph
# A hierarchy is kept with the graph and does not count as memory of one call.
PLANNED = [
    recipe
    for recipe in CATALOGUE
    if recipe.planned
    and not recipe.prepared
    and "cpu" in recipe.devices
    and Task.SSSP in recipe.solves
]
in_full = pytest.mark.full("memory of planned solves", *SOLVES)


@pytest.fixture(scope="module")
def solved():
    # The modules that a first call imports would count as memory of the call.
    _ = wp.sssp(wp.generate.grid(8, 8), 0, threads=2).pred
    return graphs(SCALE)


@pytest.mark.parametrize("tree", [False, True], ids=["distances", "tree"])
@pytest.mark.parametrize("team", [1, 2])
@pytest.mark.parametrize(
    "name", ["auto", *(pytest.param(recipe.name, marks=in_full) for recipe in PLANNED)]
)
def test_a_solve_stays_within_16_bytes_a_vertex_and_thread_and_64_mib(solved, name, team, tree):
    for graph in solved.values():
        facts = graph.facts(symmetry=False)
        if name == "auto" or CATALOGUE[name].objection(Task.SSSP, facts) is None:
            peak = peak_of(partial(Solve(name, team, tree).run, graph))
            assert graph.n * 8 <= peak <= bound(graph, team)


@pytest.mark.parametrize(
    "weights", [np.int32, *(pytest.param(one, marks=in_full) for one in (np.int64, np.float64))]
)
@pytest.mark.parametrize("team", [1, 2])
@pytest.mark.parametrize("name", ["uniform", "grid"])
def test_the_planned_one_holds_the_bound_at_any_size(solved, name, team, weights):
    graph = solved[name].with_weights(solved[name].weights.astype(weights))
    scaled = graph.with_weights(graph.weights << 24) if weights is np.int64 else graph
    facts, size = scaled.facts(symmetry=False), Size(Task.SSSP)
    _ = scaled._solver_weights
    peak = peak_of(partial(Solve("auto", team, tree=False).run, scaled))
    assert peak <= cpu_bytes(CATALOGUE["warpath.buckets"], size, facts, team)
    # 64 MiB would hide 8 bytes a vertex here: the little that any call takes does not.
    assert peak <= 12 * graph.n + _ANY_CALL
    with_tree = peak_of(partial(Solve("auto", team, tree=True).run, scaled))
    assert with_tree <= (12 + 4 * team) * graph.n + _ANY_CALL


@pytest.mark.parametrize("tree", [False, True], ids=["distances", "tree"])
def test_breadth_first_search_holds_the_bound_at_any_size(solved, tree):
    graph = solved["unweighted"]
    for team in (1, 2):
        peak = peak_of(partial(Solve("warpath.bfs", team, tree).run, graph))
        assert peak <= (12 + 4 * team) * graph.n + _ANY_CALL


def test_the_peak_is_seen_though_it_was_given_back():
    def call():
        held = np.ones(50 << 20, np.uint8)
        del held
        np.ones(10 << 20, np.uint8)

    # The first array may be given back to the system only after the second one was made.
    assert 49 << 20 <= peak_of(call) < 64 << 20


def test_a_call_that_fails_has_no_peak():
    with pytest.raises(OSError, match="failed in its own process"):
        peak_of(partial(int, "no number"))
