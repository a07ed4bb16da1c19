"""`auto` on a graph that several plans are predicted to solve about as fast."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import warpath as wp
from warpath import generate
from warpath.api import rivals, solver
from warpath.api import trial as trial_module
from warpath.api.trial import Contender, Trial
from warpath.base import units

EACH = 4  # solves of each plan: one to begin with, three that count
TURNS = 3 * EACH  # on the graph below: a team, one thread, and one thread's own buckets


@pytest.fixture
def graph():
    return generate.uniform(20_000, 5, (1, 99), seed=4)


def plans(graph, count, **options):
    return [wp.sssp(graph, s, threads=2, **options).plan for s in range(count)]


@pytest.fixture
def contenders(graph):
    team = wp.plan(graph, 0, threads=2)
    alone = wp.plan(graph, 0, threads=1)
    return Contender(team, None), Contender(alone, None)


def test_each_plan_is_tried_and_one_is_kept(graph, monkeypatch):
    first = wp.plan(graph, 0, threads=2)
    assert first.threads == 2
    monkeypatch.setattr(trial_module, "_BEHIND", math.inf)  # all have all their turns
    made = plans(graph, TURNS + 3)
    tried = [plan.headline() for plan in made[:TURNS:EACH]]
    assert len(set(tried)) == 3
    assert tried[0] == first.headline()
    assert [plan.headline() for plan in made[:TURNS]] == [one for one in tried for _ in range(EACH)]
    assert {(plan.algorithm, plan.threads) for plan in made[EACH:TURNS]} == {
        ("warpath.buckets", 1), ("warpath.own_buckets", 1),
    }  # fmt: skip
    assert made[EACH].reason == f"it is tried beside {first.headline()}"
    assert len({plan.headline() for plan in made[TURNS:]}) == 1
    assert made[TURNS].headline() in tried
    assert made[TURNS].reason.startswith("it was tried on this graph: ")
    assert wp.plan(graph, 0, threads=2).headline() == first.headline()  # what is predicted


def test_one_thread_is_tried_beside_a_team_where_it_is_predicted_to_be_faster():
    graph = generate.uniform(6_000, 3, (1, 99), seed=4)
    first = wp.plan(graph, 0, threads=2)
    assert first.threads == 1
    made = plans(graph, TURNS)
    assert 2 in {plan.threads for plan in made}
    assert {plan.threads for plan in [wp.sssp(graph, 0, threads=1).plan for _ in made]} == {1}


def test_every_turn_has_the_same_bits(graph):
    right = wp.sssp(graph, 7, algorithm="classic.dijkstra").dist.tobytes()
    assert {wp.sssp(graph, 7, threads=2).dist.tobytes() for _ in range(TURNS + 2)} == {right}


def test_a_trial_outlives_the_checking_of_options(graph, monkeypatch):
    moments = iter(range(100))
    monkeypatch.setattr(solver.settings, "surroundings", lambda: next(moments))
    assert plans(graph, TURNS + 1)[TURNS].reason.startswith("it was tried on this graph: ")


@pytest.mark.parametrize("options", [
    {"algorithm": "warpath.buckets"}, {"params": {}}, {"trace": True}, {"cutoff": 10**9},
    {"progress": lambda *_: None},
])  # fmt: skip
def test_nothing_is_tried_where_more_was_said(graph, options):
    made = plans(graph, 3, **options)
    assert len({(plan.headline(), plan.reason) for plan in made}) == 1


@pytest.mark.parametrize("times", [(0, 0), (1, 2)])
def test_nothing_is_tried_where_a_solve_is_predicted_to_be_too_short_or_long(
    graph, monkeypatch, times
):
    monkeypatch.setattr(solver, "_TRIED", times)
    made = plans(graph, 3)
    assert {plan.threads for plan in made} == {2}


def test_nothing_is_tried_where_others_are_predicted_to_be_far_slower(graph, monkeypatch):
    monkeypatch.setattr(rivals, "_OTHER_THREADS", 1.01)
    monkeypatch.setattr(rivals, "_OTHER_LOOP", 1.01)
    made = plans(graph, 3)
    assert {plan.threads for plan in made} == {2}


def test_the_median_of_three_decides_and_the_first_solve_of_each_does_not_count(contenders):
    team, alone = contenders
    trial, dist = Trial(team, alone), np.zeros(1000, np.int64)
    seconds = {id(team): [9, 1, 1, 50], id(alone): [0.5, 1.1, 1.1, 1.1]}
    for _ in range(2 * EACH):
        assert trial.kept is None
        one = trial.turn()
        trial.note(one, seconds[id(one)][one.begun - 1], dist)
    assert trial.turn() is trial.kept
    assert trial.kept.plan == replace(team.plan, reason=trial.kept.plan.reason)
    assert trial.kept.plan.reason.endswith(
        f"1 s for 1,000 vertices, 1.1 s with {alone.plan.headline()}"
    )


def test_time_counts_by_what_was_reached(contenders):
    trial = Trial(*contenders)
    unreachable = np.iinfo(np.int64).max
    for turn in range(2 * EACH):
        one = trial.turn()
        dist = np.full(1000, unreachable)
        dist[: 900 if turn >= EACH else 100] = 0  # the first reaches less in as long
        trial.note(one, 1.0, dist)
    assert trial.kept.plan.threads == 1


@pytest.mark.parametrize(("first", "other"), [(2, 1), (1, 2)])
@pytest.mark.parametrize(("took", "clearly"), [(0.96, False), (0.93, True)])
def test_the_prediction_stands_where_the_other_is_hardly_faster(
    contenders, first, other, took, clearly
):
    inorder = contenders if first == 2 else reversed(contenders)
    trial = Trial(*inorder)
    assert tried(trial, {first: 1.0, other: took}).plan.threads == (other if clearly else first)


def found(share):
    """Return distances of which a share of an eighth is reached."""
    unreachable = np.iinfo(np.int64).max
    return np.repeat([0, unreachable], [int(1000 * share), 8000 - int(1000 * share)])


def tried(trial, took):
    """Have plans solve until one is kept, a team in took[2] seconds and one thread in took[1]."""
    while trial.kept is None:
        one = trial.turn()
        trial.note(one, took[one.plan.threads], found(1))
    return trial.kept


@pytest.mark.parametrize(("took", "turns"), [(1.15, 4), (1.25, 2)])
def test_who_is_far_behind_after_two_solves_has_no_more_turns(contenders, took, turns):
    trial = Trial(*contenders)
    assert tried(trial, {2: 1.0, 1: took}).plan.threads == 2
    assert [one.begun for one in contenders] == [EACH, turns]
    told = units.seconds(took * 1000 / (1000 + 7000 / 16))
    assert f" {told} with" in trial.kept.plan.reason


def test_what_was_kept_is_tried_again_first_and_the_prediction_may_fall_behind(contenders):
    team, alone = contenders
    trial = Trial(team, alone)
    assert tried(trial, {2: 2.0, 1: 1.0}).plan.threads == 1
    while trial.kept:
        trial.note(trial.turn(), 1.0, found(1))
    assert trial.turn() is alone
    assert tried(trial, {2: 2.0, 1: 1.0}).plan.threads == 1
    assert (team.begun, alone.begun) == (2, EACH)


def solves_until_a_trial(trial, seconds=1.0):
    """Have the plan that is kept solve until a trial begins; how often it did."""
    for count in range(2000):
        if trial.kept is None:
            return count
        trial.note(trial.turn(), seconds, found(1))
    raise AssertionError


def test_a_trial_is_repeated_later_each_time_that_it_finds_the_same(contenders):
    trial, alone, team = Trial(*contenders), {2: 4.0, 1: 1.0}, {2: 1.0, 1: 4.0}
    counts = []
    for took in [alone] * 3 + [team] * 9:
        tried(trial, took)
        counts.append(solves_until_a_trial(trial))
    assert counts == [16, 32, 64, 16, 32, 64, 128, 256, 512, 1024, 1024, 1024]


@pytest.mark.parametrize(("seconds", "reached", "again"), [
    ([1.6] * 4, 1.0, True), ([1.6] * 3 + [1.4, 1.6], 1.0, False), ([1.4] * 9, 1.0, False),
    ([0.9] * 9, 0.1, False), ([8.0] * 4, 8.0, False),
])  # fmt: skip
def test_a_trial_is_repeated_when_four_solves_take_half_as_long_again(
    contenders, seconds, reached, again
):
    trial, took = Trial(*contenders), {2: 1.0, 1: 2.0}
    tried(trial, took)
    solves_until_a_trial(trial)
    assert tried(trial, took).plan.threads == 2  # the next trial would come after 32 solves
    for one in seconds:
        assert trial.kept
        trial.note(trial.turn(), one, found(reached))
    assert (trial.kept is None) == again
    if again:
        tried(trial, took)
        assert solves_until_a_trial(trial) == 16


def test_a_plan_that_cannot_solve_the_graph_is_not_tried_again(contenders):
    team, _ = contenders
    trial = Trial(*contenders)
    trial.give_up(trial.turn())
    assert tried(trial, {1: 1.0}).plan.threads == 1
    solves_until_a_trial(trial)
    assert tried(trial, {1: 1.0}).plan.threads == 1
    assert team.begun == 1


def test_a_plan_that_cannot_solve_the_graph_ends_its_turns(contenders):
    team, alone = contenders
    trial, dist = Trial(team, alone), np.zeros(10, np.int64)
    trial.give_up(trial.turn())
    for _ in range(EACH):
        assert trial.turn() is alone
        trial.note(alone, 1.0, dist)
    assert trial.kept.plan.threads == 1
    assert "inf" not in trial.kept.plan.reason


def test_a_call_between_the_last_solve_and_the_verdict_has_a_turn(contenders):
    trial = Trial(*contenders)
    for one in contenders:
        one.costs = [1.0] * 3
    assert trial.turn() is contenders[0]


def test_a_rival_takes_no_more_memory_than_there_is(graph):
    chosen, facts = wp.plan(graph, 0, threads=2), graph.facts(symmetry=False)
    assert rivals.rivals(chosen, facts, 2, 2**30)
    assert not rivals.rivals(chosen, facts, 2, 2**10)


def test_weights_beyond_the_labels_of_buckets_end_the_trial(graph):
    heavy = graph.with_weights(graph.weights.astype(np.int64) * 2**54)
    made = plans(heavy, 3 * EACH)
    assert not made[-1].reason.startswith("it is tried")
    assert wp.sssp(heavy, 0, threads=2)[7] == wp.sssp(graph, 0)[7] * 2**54
