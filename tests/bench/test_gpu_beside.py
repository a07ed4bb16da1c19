"""What ``warpath bench gpu`` sets beside ours: makers of graphs, the catalogue."""

from __future__ import annotations

import os
from contextlib import nullcontext
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

import warpath as wp
from support.tiers import BENCH
from warpath.recipes import CATALOGUE
from warpath_bench import (
    catalogue,
    gpu,
    gpu_made,
    workloads,
)
from warpath_bench.gpu_made import Failed, Makers, Wanted
from warpath_bench.limits import TimeIsUpError
from warpath_bench.right import answers_of

pytestmark = pytest.mark.full("comparison with solvers on GPUs", *BENCH)

DEVICE = SimpleNamespace(name="cpu")
MAKE = workloads.workload("grid 6").make
SMALL = Wanted("small", MAKE, dtypes=("int32", "none", "float32"), sources=3)


def gpu_recipes():
    """What --catalogue measures where the CPU is in a GPU's place."""
    names = catalogue.published("cpu")
    ours = [n for n in names if n.startswith("warpath.") or CATALOGUE[n].prepared]
    return [name for name in names if name not in ours]


@pytest.fixture
def measured(tmp_path, capsys, monkeypatch):
    """Run the command on the CPU in a GPU's place; returns code, page, messages and lines."""
    monkeypatch.setattr(gpu, "_SMALL", 100)
    monkeypatch.setattr(
        gpu,
        "measured",
        lambda *_: {
            "kernel_ms": [1.0] * 2,
            "call_ms": [2.0] * 2,
            "copied_ms": [3.0] * 2,
            "rounds": [None] * 2,
            "wrong": 0,
            "plan": "mine",
            "first_s": 0.5,
        },
    )

    def run(*words):
        lines = tmp_path / "lines.jsonl"
        given = ["--sources", "2", "--makers", "0", "--dtypes", "int32", "--lines", str(lines)]
        code = gpu.main([*given, *words], DEVICE)
        told = capsys.readouterr()
        return code, told.out, told.err, gpu.gpu_page.read(lines)

    return run


@pytest.mark.parametrize("count", [0, 1])
def test_makers_give_graphs_and_the_answers_of_the_cpu(tmp_path, count):
    with Makers(count, tmp_path) as makers:
        [made] = makers.each([SMALL], 60)
        for dtype in SMALL.dtypes:
            graph, expected = made.graph(dtype), workloads.graph_of("grid 6")
            assert (None if graph.weights is None else graph.weight_dtype.name) == (
                None if dtype == "none" else dtype
            )
            assert np.array_equal(graph.indices, expected.indices)
            right = made.right(graph, dtype)
            assert list(right) == made.sources
            assert [one.certified for one in right.values()] == [True, False, False]
            for source, one in right.items():
                assert np.array_equal(one.dist, wp.sssp(graph, source, device="cpu").dist)
                one.certified = False
                one.certify()
        made.forget()
        assert not made.folder.exists()
    assert not list(tmp_path.iterdir())


def test_the_first_answer_of_each_type_is_certified(tmp_path, monkeypatch):
    certified = []
    monkeypatch.setattr(
        gpu_made.Right, "certify", lambda right: certified.append(right.paths.source)
    )
    made = gpu_made.make(SMALL, str(tmp_path))
    assert certified == len(SMALL.dtypes) * made.sources[:1]


def test_a_graph_that_cannot_be_made_costs_itself_alone(tmp_path):
    make = partial(wp.generate.grid, 3, 3, (0.0, 1.0))
    fractions = Wanted("fractions", make, dtypes=("int32",), sources=1)
    with Makers(0, tmp_path) as makers:
        first, second = makers.each([fractions, SMALL], 60)
    assert isinstance(first, Failed)
    assert "its weights are fractions, which int32 does not hold" in first.why
    assert second.wanted is SMALL


class Deadly(int):
    """A number of sources that ends the process that reads it."""

    def __reduce__(self):
        return os._exit, (1,)


def test_a_maker_that_dies_is_told(tmp_path):
    deadly = SMALL._replace(sources=Deadly(3))
    with Makers(1, tmp_path) as makers:
        [found] = makers.each([deadly], 60)
    assert found == Failed(deadly, "a maker's process ended")


def test_nothing_is_waited_for_once_the_time_is_over(tmp_path):
    for count in (0, 1):
        with Makers(count, tmp_path) as makers:
            [found] = makers.each([SMALL], 0)
        assert found == Failed(SMALL, "the time was over")


def test_the_last_graph_is_made_first(measured, monkeypatch):
    asked = []
    monkeypatch.setattr(Makers, "each", lambda _, wanted, __: iter(asked.extend(wanted) or ()))
    measured("--graphs", "grid 8", "rmat 26 16", "--dtypes", "int32", "float32")
    found = [(one.title, one.dtypes, one.sources) for one in asked]
    assert found == [(name, ("int32", "float32"), 2) for name in ("rmat 26 16", "grid 8")]


def test_recipes_that_are_missing_ask_for_one_source_of_the_first_type(measured, monkeypatch):
    words = "--graphs", "grid 8", "--dtypes", "int32", "float32"
    measured(*words)
    asked = []
    monkeypatch.setattr(Makers, "each", lambda _, wanted, __: iter(asked.extend(wanted) or ()))
    measured(*words, "--catalogue", "1")
    assert [(one.dtypes, one.sources) for one in asked] == [(("int32",), 1)]


def test_every_published_recipe_runs_beside_ours_and_is_not_measured_twice(measured):
    words = "--graphs", "martin 64", "grid 8", "--catalogue", "60"
    code, page, err, lines = measured(*words)
    assert code == 0
    names = gpu_recipes()
    assert {"classic.dijkstra", "martin2009.fh", "martin2009.f_cpu.dense"} < set(names)
    mine = [line for line in lines if line.get("study") == "catalogue"]
    assert len(mine) == 2 * len(names)
    assert all(line["wrong"] == 0 and len(line["call_ms"]) in {1, 3} for line in mine)
    assert "martin 64, int32, martin2009.fh: " in err
    assert "| published |" in page
    *_, again = measured(*words)
    assert again == lines


def test_recipes_share_the_time_of_a_graph(measured):
    _, page, err, lines = measured("--graphs", "grid 8", "--catalogue", "1e-9")
    assert [line["algorithm"] for line in lines] == ["auto"]
    assert "not begun, for the time is over: grid 8, martin2009.fh" in err
    assert "catalogue" not in page


def test_a_recipe_says_why_it_has_no_time():
    graph = wp.generate.grid(300, 300)
    [right] = answers_of(graph, [0], 0).values()

    def tried(name, limit=1e-3):
        return gpu.beside(graph, name, 0, right, "cpu", limit)

    assert "matrix would take" in tried("martin2009.f_cpu.dense")["refused"]
    stopped = tried("martin2009.f_cpu")
    assert stopped["limit"] == 1e-3
    assert stopped["rounds_made"] is None or stopped["rounds_made"] >= 0
    assert "runs on cuda" in tried("martin2009.f_gpu", 9.0)["failed"]


@pytest.mark.parametrize(("rounds", "tried"), [([0, None, 3], [1, 3, 9]), ([0, 4], [1, 3])])
def test_a_first_solve_that_only_prepared_is_tried_again(monkeypatch, rounds, tried):
    graph = wp.generate.grid(5, 5)
    [right] = answers_of(graph, [0], 0).values()
    stops, allowed = iter(rounds), []

    def stopped(*_, **__):
        raise TimeIsUpError(next(stops))

    monkeypatch.setattr(gpu, "at_most", lambda limit: nullcontext(allowed.append(limit)))
    monkeypatch.setattr(gpu.calls, "sssp", stopped)
    found = gpu.beside(graph, "martin2009.f_gpu", 0, right, "cuda", 1.0)
    assert found == {"limit": 1.0, "rounds_made": rounds[-1]}
    assert allowed == tried


def test_a_solve_that_is_stopped_after_one_that_ended_has_no_time(monkeypatch):
    graph = wp.generate.grid(5, 5)
    [right] = answers_of(graph, [0], 0).values()
    solves = []

    def once(*_, **__):
        solves.append(right.paths)
        if len(solves) > 1:
            raise TimeIsUpError(None)
        return right.paths

    monkeypatch.setattr(gpu.calls, "sssp", once)
    found = gpu.beside(graph, "martin2009.f_gpu", 0, right, "cuda", 1.0)
    assert found == {"limit": 1.0, "rounds_made": None}
    assert len(solves) == 2


def test_every_recipe_is_warmed_up_once_before_any_is_timed(measured, monkeypatch):
    asked, warm_up = [], gpu.warm_up
    monkeypatch.setattr(gpu, "warm_up", lambda *given: asked.append(given))
    measured("--graphs", "martin 64", "grid 8", "--catalogue", "60")
    assert asked == [(gpu_recipes(), "int32", "cpu")]
    solved = []
    monkeypatch.setattr(gpu.calls, "sssp", lambda *_, **named: solved.append(named["algorithm"]))
    warm_up(["martin2009.fh", "classic.dijkstra.dial"], "float32", "cpu")
    assert solved == ["martin2009.fh"]  # Dial's buckets take whole numbers alone


def test_a_recipe_that_may_be_wrong_is_no_fault_but_shown():
    line = {
        "study": "catalogue",
        "graph": "g",
        "dtype": "int32",
        "source": 1,
        "call_ms": [2.0],
        "algorithm": "broken.harish_narayanan2007",
        "wrong": 1234,
    }
    assert not gpu.gpu_page.is_wrong(line)
    assert gpu.gpu_page.is_wrong(line | {"algorithm": "martin2009.f_gpu"})
