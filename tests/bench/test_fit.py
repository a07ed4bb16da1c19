"""The planner's fit: known constants come back, choices are counted, files may be damaged."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import warpath as wp
from warpath.graph.facts import Facts
from warpath.planner import constants
from warpath.planner.cpu_model import Size, cpu_seconds, kind_of, work
from warpath.recipes import CATALOGUE, Task
from warpath_bench import fit, fit_cases, fit_model
from warpath_bench.fit_cases import FIT, HELD_OUT, Case
from warpath_bench.fit_model import Question, Timed, fitted, judged, least_relative_errors

ROAD = Facts(
    n=10_000, m=25_000, directed=True, loops=0, min_degree=1, max_degree=8, mean_degree=2.5,
    weighted=True, weight_dtype="int32", integer=True, min_weight=1, max_weight=1000,
    mean_weight=500, negative=0, zero=0, symmetric=None,
)  # fmt: skip
KEPT = Path(__file__).resolve().parents[2] / fit.LINES
HEAP, RADIX = CATALOGUE["classic.dijkstra"], CATALOGUE["classic.dijkstra.radix_heap"]
OWN = CATALOGUE["warpath.own_buckets"]
KNOWN = {
    "dijkstra.heap": {"call": 2e-5, "edge": 3e-9, "vertex": 2e-8, "compare": 1e-9},
    "dijkstra.radix": {"call": 1e-5, "edge": 1e-9, "vertex": 6e-8},
}


def facts_of_many():
    draw = np.random.default_rng(1)
    for _ in range(40):
        n = int(10 ** draw.uniform(3, 6))
        m = int(n * draw.uniform(2, 30))
        yield replace(ROAD, n=n, m=m, mean_degree=m / n, far=m // 2)


def times_of(recipe, facts, known=KNOWN, **of):
    size = Size(Task.SSSP)
    kind = kind_of(recipe, size, facts)
    amounts = work(kind, size, facts)
    return Timed(recipe, 1, sum(known[kind].get(name, 0) * x for name, x in amounts.items()), **of)


def questions(factor=lambda at: 1.0):  # noqa: ARG005 - what each graph does to all times
    for at, facts in enumerate(facts_of_many()):
        timed = [times_of(recipe, facts) for recipe in (HEAP, RADIX)]
        timed = tuple(one._replace(seconds=one.seconds * factor(at)) for one in timed)
        yield Question(f"graph {at}", FIT, Size(Task.SSSP), facts, timed)


def agree(found, facts):
    for recipe in (HEAP, RADIX):
        ours = cpu_seconds(recipe, Size(Task.SSSP), facts, 1, found)
        assert ours == pytest.approx(times_of(recipe, facts).seconds, rel=0.05)


def test_known_constants_come_back():
    found = fitted(list(questions()), {})
    for kind, of_kind in KNOWN.items():
        assert found[kind]["edge"] == pytest.approx(of_kind["edge"], rel=0.1)
    for facts in facts_of_many():
        agree(found, facts)


def test_what_a_graph_does_to_all_loops_alike_is_divided_out():
    found = fitted(list(questions(lambda at: 1.0 + at * 7 % 9)), {})
    for facts in facts_of_many():
        heap, radix = (
            cpu_seconds(recipe, Size(Task.SSSP), facts, 1, found) for recipe in (HEAP, RADIX)
        )
        expected = times_of(HEAP, facts).seconds / times_of(RADIX, facts).seconds
        assert heap / radix == pytest.approx(expected, rel=0.08)


def test_times_that_something_disturbed_do_not_spoil_the_others():
    amounts = np.array([[1.0, x] for x in range(1, 41)])
    seconds = amounts @ [3.0, 2.0]
    seconds[::8] *= 20
    assert least_relative_errors(amounts, seconds) == pytest.approx([3.0, 2.0], rel=0.02)


def test_no_constant_is_negative():
    amounts = np.array([[1.0, x] for x in range(1, 20)])
    found = least_relative_errors(amounts, amounts @ [-0.5, 2.0])
    assert found[0] == 0
    assert found[1] > 1


def test_kinds_without_measurements_keep_their_constants():
    before = {"own_buckets": {"edge": 1.0}, "dijkstra.heap": {"edge": 7.0}}
    few = fitted(list(questions())[:3], before)
    assert few == before
    found = fitted(list(questions()), before)
    assert found["own_buckets"] == {"edge": 1.0}
    assert found["dijkstra.heap"]["edge"] < 1


def test_what_threads_add_is_kept_where_only_one_was_measured():
    before = {"dijkstra.heap": {"edge": 1.0, "share": 0.6, "start": 2e-4}}
    heap = fitted(list(questions()), before)["dijkstra.heap"]
    assert (heap["share"], heap["start"]) == (0.6, 2e-4)
    line = {
        "graph": "g",
        "part": FIT,
        "task": "sssp",
        "sources": 1,
        "entry": 8,
        "facts": ROAD.__dict__,
        "candidates": [[HEAP.name, 1, 5.0, 3], [HEAP.name, 2, 3.0, 3], ["gone", 1, 1.0, 3]],
    }
    assert fit_model.question_of(line, 1).timed == (Timed(HEAP, 1, 0.005),)
    assert len(fit_model.question_of(line, 2).timed) == 2


@pytest.mark.parametrize(("share", "start"), [(0.9, 0.0), (0.5, 2e-4), (0.0, 1e-3)])
def test_what_further_threads_add_and_cost_comes_back(share, start):
    rows = [
        (seconds, seconds / (1 + (k - 1) * share) + (k - 1) * start, k)
        for seconds in (1e-4, 1e-3, 2e-3, 1e-2, 1e-1)
        for k in (2, 4)
    ]
    found = fit_model._share(rows)
    assert found["share"] == pytest.approx(share, abs=0.1)
    assert found["start"] == pytest.approx(start, rel=0.3, abs=2e-5)


def test_candidates_that_were_left_out_of_some_turns_are_compared_on_those_they_took_part_in():
    """The first source reaches everything, the others nothing: 8 and 16 say twice, not 16 times."""
    turns = [{0: 8.0, 1: 16.0, 2: 8.0}, {0: 1.0, 2: 3.0}, {0: 1.0, 2: 3.0}]
    assert fit.comparable(turns, 3) == [1.0, 2.0, 3.0]


def test_what_threads_add_is_fitted_to_the_work_that_they_have():
    """32 sources are a batch of one thread, and two half ones of two: twice the scans."""
    beside = CATALOGUE["warpath.side_by_side"]
    none = dict.fromkeys(work("side_by_side", Size(Task.MANY, 32), ROAD), 0.0)
    known = {"side_by_side": none | {"scan": 1e-8, "share": 0.8, "start": 1e-3}}
    dense = replace(ROAD, mean_degree=26.0)
    size = Size(Task.MANY, 32)
    given = [
        Question(
            f"graph {n}",
            FIT,
            size,
            facts,
            tuple(Timed(beside, k, cpu_seconds(beside, size, facts, k, known)) for k in (1, 2)),
        )
        for n in (10**4, 10**5, 3 * 10**5, 10**6)
        for facts in [replace(dense, n=n, m=26 * n)]
    ]
    found = fit_model._threads(given, known)["side_by_side"]
    assert found["share"] == pytest.approx(0.8, abs=0.1)
    assert found["start"] == pytest.approx(1e-3, rel=0.3)
    few = [one._replace(size=Size(Task.MANY, 4)) for one in given]
    assert not fit_model._threads(few, known)  # two threads search each alone


def asked(*seconds, facts=ROAD):
    """What the heap, the radix heap, and own buckets on 1 and 2 threads took."""
    candidates = [(HEAP, 1), (RADIX, 1), (OWN, 1), (OWN, 2)]
    timed = (Timed(r, k, s) for (r, k), s in zip(candidates, seconds, strict=False))
    return Question("graph", HELD_OUT, Size(Task.MANY, 4), facts, tuple(timed))


ALIKE = {"edge": 1e-9, "vertex": 1e-9}
HEAP_FIRST = {
    "dijkstra.heap": ALIKE,
    "dijkstra.radix": {"edge": 2e-9, "vertex": 2e-9},
    "own_buckets": {"edge": 3e-9, "vertex": 3e-9, "share": 1.0},
}


def test_a_choice_within_a_tenth_of_the_best_is_good():
    some = [asked(1.0, 2.0), asked(1.1, 1.0), asked(1.11, 1.0), asked(3.0, 1.0)]
    choices = judged(some, 1, HEAP_FIRST)
    assert [choice.good for choice in choices] == [True, True, False, False]
    assert [choice.ratio for choice in choices] == [1.0, 1.1, 1.11, 3.0]
    assert choices[-1].chosen.recipe is HEAP
    assert choices[-1].best.recipe is RADIX


def test_candidates_on_more_threads_than_there_are_do_not_count():
    some = [asked(1.0, 2.0, 3.0, 0.5)]
    assert judged(some, 1, HEAP_FIRST)[0].good
    assert not judged(some, 2, HEAP_FIRST)[0].good
    on_threads = HEAP_FIRST | {"own_buckets": ALIKE | {"share": 1.0}}
    assert judged(some, 2, on_threads)[0].good


def test_a_question_with_one_candidate_asks_for_no_choice():
    assert judged([asked(1.0)], 1, HEAP_FIRST) == []


def test_floats_are_not_judged_by_what_adds_in_another_order():
    closed = Timed(CATALOGUE["classic.floyd_warshall"], 1, 1e-9)
    floats = replace(ROAD, weight_dtype="float32", integer=False)
    one = asked(1.0, 2.0, facts=floats)
    [choice] = judged([one._replace(timed=(*one.timed, closed))], 1, HEAP_FIRST)
    assert choice.good


@pytest.fixture
def tiny(monkeypatch):
    """Four graphs of a few vertices, one of them held out."""
    made = [
        Case(f"uniform {n}", HELD_OUT if n == 40 else FIT, lambda n=n: wp.generate.uniform(n, 4))
        for n in (30, 40, 50, 60)
    ]
    monkeypatch.setattr(fit, "cases", lambda data: made if data is None else [])
    monkeypatch.setattr(fit, "_MOST_TURNS", 1)
    monkeypatch.setattr(fit, "_LEAST_TURNS", 1)


@pytest.mark.usefixtures("tiny")
def test_it_measures_fits_judges_and_goes_on_where_it_ended(tmp_path, capsys, monkeypatch):
    lines = tmp_path / "new" / "lines.jsonl"
    given = ["--lines", str(lines), "--budget", "60", "--seconds", "0"]
    assert fit.main(given) == 0
    said = capsys.readouterr()
    assert "| held out | all | 2 |" in said.out
    assert said.err.count("uniform") == 4
    assert [json.loads(line)["graph"] for line in lines.read_text().splitlines()][::4] == [
        "uniform 30",
        "uniform 40",
        "uniform 50",
        "uniform 60",
    ]
    before = lines.read_text()
    assert fit.main(given) == 0
    assert lines.read_text() == before
    assert "uniform" not in capsys.readouterr().err
    monkeypatch.setattr(constants, "__file__", str(tmp_path / "constants.py"))
    assert fit.main([*given[:2], "--write"]) == 0
    written: dict[str, object] = {}
    exec((tmp_path / "constants.py").read_text(), written)  # noqa: S102 - what we wrote
    assert written["SECONDS"].keys() == constants.SECONDS.keys()
    assert written["SECONDS"]["dijkstra.heap"] != constants.SECONDS["dijkstra.heap"]


@pytest.mark.parametrize("damage", ["{", '{"graph": "uniform 30"}', "[1]", '"', "null"])
def test_a_damaged_line_is_told_with_its_number(tmp_path, damage):
    lines = tmp_path / "lines.jsonl"
    lines.write_text(damage)
    with pytest.raises(wp.InputError, match=r"lines.jsonl:1: this line of measurements"):
        fit.load(lines)


@pytest.mark.usefixtures("tiny")
def test_a_spent_budget_leaves_graphs_and_says_how_many(tmp_path, capsys, monkeypatch):
    clock = iter(range(0, 1000, 10))
    monkeypatch.setattr(fit.time, "perf_counter", lambda: float(next(clock)))
    monkeypatch.setattr(fit, "measured", lambda *_: pytest.fail("nothing may be measured"))
    given = ["--lines", str(tmp_path / "lines.jsonl"), "--budget", "5", "--seconds", "0"]
    assert fit.main(given) == 1
    assert "has nothing to fit" in capsys.readouterr().err


def test_the_constants_file_is_what_the_tool_writes():
    written = fit.as_module({k: dict(v) for k, v in constants.SECONDS.items()})
    assert Path(constants.__file__).read_text(encoding="utf-8") == written


def test_every_planned_algorithm_of_the_cpu_has_constants():
    for recipe in CATALOGUE:
        if recipe.planned and "cpu" in recipe.devices:
            for facts in (ROAD, replace(ROAD, mean_degree=50.0), replace(ROAD, n=10**6)):
                for count in (1, 10**6):
                    assert kind_of(recipe, Size(Task.MANY, count), facts) in constants.SECONDS


def test_the_measurements_that_are_kept_are_whole_and_the_sets_have_no_graph_in_common(capsys):
    lines = fit.load(KEPT)
    assert lines
    assert not capsys.readouterr().err
    parts = {}
    for line in lines:
        assert parts.setdefault(line["graph"], line["part"]) == line["part"]
    names = [case.name for case in fit_cases.cases(None)]
    assert len(names) == len(set(names))
    assert set(names) <= parts.keys()
