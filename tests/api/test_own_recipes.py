"""Recipes that a caller makes: passed to calls, registered, and refused where nothing runs them."""

from __future__ import annotations

import pickle
import re
from dataclasses import replace

import numpy as np
import pytest

import warpath as wp
from warpath.api.options import options_of
from warpath.engines.base import Raw
from warpath.engines.cpu import bound_search, run_search
from warpath.recipes import CATALOGUE, Citation, Loop, OwnLoop, Param, Queue, Recipe, Task
from warpath.recipes.axes import Axes, Direction, Map, Select

SMITH = Citation("Smith", "Near-far again", "Somewhere", 2026)
OWN = {"summary": "Of the test.", "where": "section 2", "source": SMITH}
GRAPH = wp.generate.random_in_degree(60, degree=4, weights=(1, 9), seed=3)
DIST = wp.sssp(GRAPH, 0).dist

F_CPU, NEAR_FAR = CATALOGUE["martin2009.f_cpu"], CATALOGUE["davidson2014.near_far.merge_path"]
DIJKSTRA, BUCKETS = CATALOGUE["classic.dijkstra"], CATALOGUE["warpath.buckets"]


def _pickled(thing):
    return pickle.loads(pickle.dumps(thing))  # noqa: S301 - bytes of its own


def test_a_recipe_runs_without_being_registered():
    mine = F_CPU.but("smith2026.pull", **OWN, direction=Direction.PULL)
    paths = wp.sssp(GRAPH, 0, algorithm=mine, trace=True)
    assert paths.plan.algorithm == paths.trace.run.algorithm == "smith2026.pull"
    np.testing.assert_array_equal(paths.dist, DIST)
    assert mine not in wp.algorithms()


def test_a_recipe_runs_on_the_emulator():
    mine = NEAR_FAR.but("smith2026.near_far", **OWN, map=Map.THREAD)
    paths = wp.sssp(GRAPH, 0, algorithm=wp.register(mine).name, device="emulated")
    np.testing.assert_array_equal(paths.dist, DIST)


@pytest.mark.parametrize(
    "call",
    [
        lambda g, a: wp.distances(g, [0, 5], algorithm=a),
        lambda g, a: wp.apsp(g, algorithm=a),
        lambda g, a: wp.pairs(g, [0], [5], algorithm=a),
        lambda g, a: wp.path(g, 0, 5, algorithm=a),
        lambda g, a: wp.nearest(g, [0, 5], algorithm=a),
        lambda g, a: wp.within(g, 0, 9, algorithm=a),
        lambda g, a: wp.totals(g, "sum", algorithm=a),
        lambda g, a: wp.Solver(g, algorithm=a).sssp(0),
        lambda g, a: _pickled(wp.Solver(g, algorithm=a)).sssp(0),
    ],
)
def test_every_call_takes_a_recipe(call):
    mine = DIJKSTRA.but("smith2026.dijkstra", **OWN)
    assert "smith2026.dijkstra" in str(call(GRAPH, mine).plan)


def test_a_plan_and_an_eccentricity_take_a_recipe():
    mine = DIJKSTRA.but("smith2026.dijkstra", **OWN)
    assert wp.plan(GRAPH, 0, algorithm=mine).recipe == mine
    assert wp.eccentricity(GRAPH, 0, algorithm=mine) == DIST.max()


def test_recipes_of_one_name_have_plans_of_their_own():
    for width in (2, 3):
        params = (Param("delta", "The width.", width, relative=True),)
        mine = BUCKETS.but("smith2026.buckets", **OWN, params=params, solves=frozenset({Task.SSSP}))
        passed = wp.plan(GRAPH, 0, algorithm=mine)
        wp.register(mine)
        assert wp.plan(GRAPH, 0, algorithm="smith2026.buckets").params == passed.params
    first = wp.plan(GRAPH, 0, algorithm=mine, threads=2)
    assert first.threads == 2
    assert [one.name for one in wp.algorithms()].count("smith2026.buckets") == 1


def test_a_registered_recipe_is_listed_and_auto_never_chooses_it():
    before = wp.plan(GRAPH, 0)
    mine = wp.register(DIJKSTRA.but("smith2026.dijkstra", **OWN, planned=True))
    assert wp.algorithms()[-1] is mine
    assert "smith2026: Smith: Near-far again, Somewhere 2026\n" in str(wp.algorithms())
    fresh = wp.generate.random_in_degree(60, degree=4, weights=(1, 9), seed=3)
    assert [c.recipe.name for c in wp.plan(fresh, 0).runners_up] == [
        c.recipe.name for c in before.runners_up
    ]


def test_a_recipe_of_the_package_is_the_same_as_its_name():
    assert options_of(GRAPH, F_CPU) is options_of(GRAPH, "martin2009.f_cpu")
    assert wp.register(F_CPU) is F_CPU
    assert not CATALOGUE._registered


def test_another_recipe_under_a_name_of_the_package_is_refused():
    other = F_CPU.but("martin2009.u_cpu", "Not u_cpu.")
    sentence = "the catalogue's martin2009.u_cpu differs from this recipe in summary, where, axes"
    for call in (wp.register, lambda one: wp.sssp(GRAPH, 0, algorithm=one)):
        with pytest.raises(wp.InputError, match=re.escape(sentence)):
            call(other)


def test_a_name_without_a_paper_is_refused():
    with pytest.raises(wp.InputError, match=r"'mine' must be as 'smith2026\.near_far'"):
        wp.sssp(GRAPH, 0, algorithm=DIJKSTRA.but("mine", **OWN))


@pytest.mark.parametrize("given", ["classic.dijkstra", None, 3])
def test_only_a_recipe_can_be_registered(given):
    with pytest.raises(wp.InputError, match=f"recipe = {given!r} must be a recipe, as "):
        wp.register(given)


@pytest.mark.parametrize(
    ("recipe", "changes", "sentence"),
    [
        (DIJKSTRA, {"queue": Queue.BINARY}, "does not do apsp, distances, path: say solves="),
        (
            DIJKSTRA,
            {"queue": Queue.DIAL, "solves": frozenset({Task.SSSP})},
            "has integer_only=True: say integer_only=True",
        ),
        (DIJKSTRA, {"devices": ("cuda",)}, "is for other devices: say devices=('cpu',)"),
        (DIJKSTRA, {"negative": True}, "has negative=False: say negative=False"),
        (CATALOGUE["warpath.bfs"], {"equal_weights": False}, "say equal_weights=True"),
        (BUCKETS, {"queue": None, "params": ()}, "the parameters of Loop.BUCKET_TEAM are delta: "),
        (NEAR_FAR, {"select": Select.IMPROVED}, "the parameters of Loop.FRONTIER are none: say "),
        (NEAR_FAR, {"solves": frozenset({Task.APSP})}, "say solves=frozenset({Task.SSSP})"),
    ],
)
def test_a_recipe_that_no_engine_runs_is_refused_with_what_would_fit(recipe, changes, sentence):
    with pytest.raises(wp.InputError, match=re.escape(sentence)):
        wp.register(recipe.but("smith2026.mine", **OWN, **changes))
    for _ in range(3):
        try:
            wp.register(recipe.but("smith2026.mine", **OWN, **changes))
        except wp.InputError as refused:
            remedy = re.search(r"say (\w+)=(.*)\.$", str(refused))
            scope = {"Task": Task, "frozenset": frozenset, "warpath": wp}
            changes = changes | {remedy[1]: eval(remedy[2], scope)}  # noqa: S307 - as a user types it
    assert "smith2026.mine" in str(wp.algorithms())


@pytest.mark.parametrize("recipe", CATALOGUE, ids=lambda recipe: recipe.name)
def test_every_recipe_of_the_package_fits_under_another_name(recipe):
    mine = recipe.but("smith2026.mine", **OWN)
    assert CATALOGUE.identified(mine) is mine
    assert CATALOGUE.identified(recipe) == recipe.name
    assert _pickled(mine) == mine
    assert isinstance(mine.axes, Axes | None)


def _by_sweeps(order, device=None):
    """Lower the labels over all edges at once, until none falls."""
    xp = np if device is None else device.xp
    tails, heads, weights = order.graph.edges()
    dist = xp.full(order.graph.n, np.inf)
    dist[order.problem.source] = 0
    rounds, before = 0, None
    while before is None or (before != dist).any():
        before = dist.copy()
        xp.minimum.at(dist, heads, before[tails] + weights)
        rounds += 1
    unreachable = np.iinfo(np.int64).max
    whole = np.where(np.isinf(dist), 0, dist).astype(np.int64)
    return Raw(np.where(np.isinf(dist), unreachable, whole), stats={"rounds": rounds})


def _bytes_of_sweeps(facts):
    return 1000 * facts.n


SWEEPS = Recipe(
    "smith2026.sweeps", "All edges at once.", SMITH, "section 1", frozenset({Task.SSSP}), Loop.OWN,
    own=OwnLoop(_bytes_of_sweeps, cpu=_by_sweeps, device=_by_sweeps), devices=("cpu", "cuda"),
    planned=False,
)  # fmt: skip


@pytest.mark.parametrize("device", ["cpu", "emulated"])
def test_an_algorithm_with_a_loop_of_its_own_runs_by_one_registration(device):
    assert wp.register(SWEEPS) is SWEEPS
    paths = wp.sssp(GRAPH, 0, algorithm="smith2026.sweeps", device=device)
    np.testing.assert_array_equal(paths.dist, DIST)
    assert paths.stats["rounds"] > 2
    assert paths.plan.bytes > 1000 * GRAPH.n
    assert _pickled(paths.plan) == paths.plan
    assert wp.within(GRAPH, 0, 9, algorithm=SWEEPS, device=device).dist.max() <= 9
    with pytest.raises(wp.NotSupportedError, match="it does sssp, not distances"):
        wp.distances(GRAPH, [0], algorithm=SWEEPS, device=device)


def test_a_search_of_ones_own_is_bound_once_for_a_solver():
    bound = []

    def search(graph, params, cutoff):
        bound.append((params, cutoff))
        return bound_search(graph, DIJKSTRA, params, 1, cutoff)

    own = OwnLoop(_bytes_of_sweeps, cpu=run_search, search=search)
    mine = replace(SWEEPS, name="smith2026.bound", own=own, devices=("cpu",))
    solver = wp.Solver(GRAPH, algorithm=mine)
    for _ in range(3):
        np.testing.assert_array_equal(solver.sssp(0).dist, DIST)
    assert bound == [({}, None)]


@pytest.mark.parametrize("on_threads", [False, True])
def test_a_loop_of_ones_own_gets_threads_if_it_takes_them(on_threads):
    threads = []

    def run(order):
        threads.append(order.threads)
        return _by_sweeps(order)

    own = OwnLoop(_bytes_of_sweeps, cpu=run, threads=on_threads)
    mine = replace(SWEEPS, name="smith2026.threads", own=own, devices=("cpu",))
    np.testing.assert_array_equal(wp.sssp(GRAPH, 0, algorithm=mine, threads=2).dist, DIST)
    assert threads == [2 if on_threads else 1]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"own": None}, "OWN needs functions in own"),
        ({"loop": Loop.BFS}, "BFS has no functions in own"),
        ({"devices": ("cpu",)}, r"own has functions for other devices: say devices=.'cpu', 'cuda'"),
    ],
)
def test_a_loop_of_ones_own_has_functions_for_the_devices_of_its_recipe(changes, sentence):
    with pytest.raises(ValueError, match=f"smith2026.sweeps cannot be: {sentence}"):
        replace(SWEEPS, **changes)


def test_a_plan_without_predictions_says_so_for_each_candidate():
    text = str(wp.plan(GRAPH, 0, device="emulated"))
    assert "inf" not in text
    assert "2nd warpath.wide: no prediction, " in text
