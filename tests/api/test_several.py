"""Tables whose rows several devices share."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import warpath as wp
from support import toy
from warpath.api import options, table, totals
from warpath.base.errors import InputError, NotSupportedError
from warpath.engines.base import Problem
from warpath.engines.devices import members
from warpath.engines.shared_rows import BlockSizes, SharedRows
from warpath.graph import generate
from warpath.planner import several
from warpath.planner.request import Request
from warpath.recipes import Task

PATIENCE = 60  # seconds that a thread waits for another one


@pytest.fixture
def engine(monkeypatch):
    return toy.registered(monkeypatch)


@pytest.fixture
def graph():
    return generate.uniform(300, 4, seed=3)


@pytest.fixture
def together(monkeypatch):
    """Let the CPU wait for the toy's first rows, so that both take part."""
    began = threading.Event()
    fill = table.TableWork.fill

    def filled(work, block, into, report):
        if work.plan.device != "cpu":
            began.set()
        elif threading.current_thread() is not threading.main_thread():  # it shares the rows
            assert began.wait(PATIENCE)
        return fill(work, block, into, report)

    monkeypatch.setattr(table.TableWork, "fill", filled)


@pytest.mark.usefixtures("together")
def test_devices_share_the_rows_of_a_table(engine, graph):
    right = wp.distances(graph, range(300), device="cpu")
    table = wp.distances(graph, range(300), device="all")
    assert (table.dist == right.dist).all()
    rows = [table.stats[f"rows on {device}"] for device in ("cpu", "toy:0")]
    assert sum(rows) == 300
    assert min(rows) > 0
    assert {share.device for share in table.plan.shares} == {"cpu", "toy:0"}
    assert "rows are shared with" in str(table.plan)
    assert engine.ran


@pytest.mark.usefixtures("engine", "together")
def test_targets_predecessors_and_a_cutoff_are_as_on_one_device(graph):
    asked = {"targets": range(0, 300, 7), "predecessors": True, "cutoff": 40}
    right = wp.distances(graph, range(200), device="cpu", **asked)
    table = wp.distances(graph, range(200), device="all", **asked)
    assert (table.dist == right.dist).all()
    assert (table.pred == right.pred).all()


@pytest.mark.usefixtures("engine", "together")
def test_all_pairs_go_to_a_file(graph, tmp_path):
    wp.apsp(graph, device="all", out=tmp_path / "full.npy")
    assert (np.load(tmp_path / "full.npy") == wp.apsp(graph, device="cpu").dist).all()


@pytest.mark.usefixtures("engine", "together")
def test_totals_of_shared_rows(graph):
    right = wp.totals(graph, "sum", device="cpu")
    assert (wp.totals(graph, "sum", device="all")["sum"] == right["sum"]).all()


@pytest.mark.usefixtures("engine")
def test_totals_that_devices_make_are_shared_by_sources(graph, monkeypatch):
    right = wp.totals(graph, ("sum", "max"), device="cpu")
    began, ran = threading.Event(), {"cpu": 0, "toy:0": 0}

    def made(_graph, plan, problem, names, _progress):
        if plan.device == "cpu":
            assert began.wait(PATIENCE)
        began.set()
        ran[plan.device] += len(problem.sources)
        return {name: right[name][problem.sources] for name in names}

    monkeypatch.setattr(totals, "run_totals", made)
    found = wp.totals(graph, ("sum", "max"), device="all")
    assert (found["sum"] == right["sum"]).all()
    assert (found["max"] == right["max"]).all()
    assert min(ran.values()) > 0
    assert sum(ran.values()) == graph.n


@pytest.mark.usefixtures("engine")
def test_sums_of_inverses_are_formed_by_one_kind_of_device(graph):
    chosen = wp.plan(graph, sources=range(300), device="all")
    problem = Problem(Task.MANY, np.arange(300))
    both = totals.devices_with_same_sums(chosen, problem, ("sum",))
    assert {plan.device for plan in both} == {"cpu", "toy:0"}
    assert totals.devices_with_same_sums(chosen, problem, ("harmonic", "sum")) == chosen.shares[:1]


def test_sums_of_inverses_to_targets_are_formed_by_one_device(graph):
    plan = wp.plan(graph, sources=range(300), device="cpu")
    two = replace(plan, shares=(plan, plan))
    some = Problem(Task.MANY, np.arange(300), np.arange(3))
    assert len(totals.devices_with_same_sums(two, some, ("sum",))) == 2
    assert len(totals.devices_with_same_sums(two, some, ("harmonic",))) == 1
    assert len(totals.devices_with_same_sums(two, replace(some, targets=None), ("harmonic",))) == 2


def test_the_cpu_leaves_a_thread_to_each_gpu(monkeypatch):
    monkeypatch.setenv("WARPATH_THREADS", "8")
    among = ("cpu", "cuda:0", "cuda:1")
    assert several.request_for(Request(), "cpu", among).threads == 6
    assert several.request_for(Request(threads=3), "cpu", among).threads == 3
    assert several.request_for(Request(threads=3), "cuda:1", among) == Request(device="cuda:1")


@pytest.mark.usefixtures("engine", "together")
def test_progress_counts_the_rows_of_all(graph):
    seen = []
    wp.distances(graph, range(300), device="all", progress=lambda *at: seen.append(at))
    assert seen[-1] == (300, 300)


@pytest.mark.usefixtures("engine")
def test_other_questions_are_refused(graph):
    with pytest.raises(NotSupportedError, match="use one device for sssp"):
        wp.sssp(graph, 0, device="all")
    with pytest.raises(NotSupportedError, match="use one device for path"):
        wp.path(graph, 0, 1, device="all")
    with pytest.raises(NotSupportedError, match="keep no trace"):
        wp.distances(graph, [0, 1], device="all", trace=True)


@pytest.mark.parametrize("name", ["all:0", "cuda:", "cuda:0,", "cuda:*,1", "cpu:0,1", "ALL"])
def test_other_names_are_no_devices(graph, name):
    with pytest.raises(InputError, match="is not valid"):
        wp.distances(graph, [0, 1], device=name)


def test_all_is_one_device_where_there_is_no_other(graph, monkeypatch):
    monkeypatch.setattr(options, "members", lambda _: ("cpu",))
    table = wp.distances(graph, range(50), device="all")
    assert not table.plan.shares
    assert "there is no other device" in str(table.plan)


def test_numbers_name_gpus():
    assert members("cuda:0,2,0") == ("cuda:0", "cuda:2")
    assert several.is_several("cuda:*")
    assert not several.is_several("cuda:1")
    assert members("cuda:1") == ("cuda:1",)
    assert members("auto") == ()


@pytest.mark.usefixtures("engine", "together")
def test_trips_share_their_origins(graph):
    origins, destinations = np.arange(300), np.arange(300)[::-1].copy()
    trips = wp.pairs(graph, origins, destinations, device="all")
    assert (trips.dist == wp.pairs(graph, origins, destinations, device="cpu").dist).all()


@pytest.mark.usefixtures("engine")
def test_one_device_makes_a_table_whose_rows_cannot_be_shared():
    dense = generate.dense(400, 0.9)
    plan = wp.plan(dense, device="all")
    assert not plan.shares
    assert "its algorithm makes all rows at once" in str(plan)


@pytest.mark.usefixtures("engine")
def test_sums_of_floats_do_not_depend_on_the_device(graph):
    plan = wp.plan(graph, sources=range(100), device="all")
    loose = [
        replace(share, recipe=replace(share.recipe, reassociates=True)) for share in plan.shares
    ]
    facts = graph.astype("float64").facts(symmetry=False)
    alone = several.shared_plan(loose, "all", facts)
    assert not alone.shares
    assert "sums of floats would depend on the device" in str(alone)
    assert several.shared_plan(loose, "all", graph.facts(symmetry=False)).shares


@pytest.mark.usefixtures("together")
def test_the_first_error_ends_all_devices(engine, graph, monkeypatch):
    def fails(*_):
        raise RuntimeError("the toy is broken")

    monkeypatch.setattr(engine, "run", fails)
    with pytest.raises(RuntimeError, match="the toy is broken"):
        wp.distances(graph, range(300), device="all")


@pytest.mark.usefixtures("engine", "together")
def test_an_interrupt_ends_all_devices(graph):
    def interrupted(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        wp.distances(graph, range(300), device="all", progress=interrupted)
    assert (wp.distances(graph, range(300), device="all").dist >= 0).all()


@given(
    st.integers(0, 400),
    st.lists(st.sampled_from([None, 1e-3, 1.0, 1e3]), min_size=1, max_size=4),
)
def test_each_row_is_filled_once(rows, seconds):
    plan = wp.plan([(0, 1, 2)], sources=[0, 1])
    plans = [replace(plan, device="cpu", seconds=each) for each in seconds]
    counts = np.zeros(rows, np.int64)

    def fill(at, into):
        assert len(into) == at.stop - at.start
        into += 1
        return {"filled": len(into)}

    shared = SharedRows(plans, [fill] * len(plans), rows)
    for _ in range(2):
        stats = shared.fill(slice(10, 10 + rows), counts, None)
    assert (counts == 2).all()
    assert stats.get("filled", 0) == rows


def test_blocks_follow_the_measured_rate_within_their_bounds():
    sizes = BlockSizes(1000.0, most=450, multiple=100)
    assert sizes.rows(10**6, 1.0) == 100  # a quarter of half a second, in whole multiples
    sizes.learn(100, 0.2)
    assert sizes.rate == 500
    assert sizes.rows(10**6, 1.0) == 200
    sizes.learn(200, 0.1)
    assert sizes.rate == 1250
    assert sizes.rows(10**6, 1.0) == 400  # not more than `most`
    assert sizes.rows(10**6, 3e-4) == 300
    assert sizes.rows(70, 0.5) == 70
    assert BlockSizes(1000.0, shortest=0.05).rows(200, 0.1) == 50
    assert BlockSizes(1000.0, least=150).rows(200, 0.1) == 150


def test_few_rows_are_shared_as_well():
    plan = wp.plan(generate.grid(4, 4), sources=range(4), device="cpu")
    plans = [replace(plan, device=f"cuda:{number}", seconds=1.0) for number in range(2)]
    both, began = threading.Barrier(2), [False, False]

    def filling(number):
        def fill(_rows, _into):
            if not began[number]:
                began[number] = True
                both.wait(PATIENCE)  # nobody else comes if one device takes all rows
            return {}

        return fill

    shared = SharedRows(plans, [filling(number) for number in range(2)], 100)
    stats = shared.fill(slice(0, 100), np.empty((100, 1)), None)
    assert stats["rows on cuda:0"] + stats["rows on cuda:1"] == 100
