"""``device="emulated"``: a GPU's algorithms without a GPU, for whoever has a checkout and g++."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

import warpath as wp
from warpath.engines import emulator
from warpath.engines.emulator import build, device

BUILD = Path(__file__).parents[2] / "build"  # the tests of kernels keep theirs there, too
NEAR_FAR = "davidson2014.near_far.merge_path"


@pytest.fixture(autouse=True)
def _own_device(monkeypatch):
    monkeypatch.setenv("WARPATH_CACHE_DIR", str(BUILD))
    emulator.emulated.cache_clear()
    yield
    emulator.emulated.cache_clear()


@pytest.fixture(scope="module")
def road():
    return wp.generate.road(60)


@pytest.mark.parametrize("algorithm", [NEAR_FAR, "martin2009.u_h1"])  # by the device, by the host
def test_a_gpus_algorithm_counts_its_work_and_has_no_times(road, tmp_path, algorithm):
    found = wp.sssp(road, 3, algorithm=algorithm, device="emulated", trace=True)
    right = wp.sssp(road, 3)
    assert found.dist.tolist() == right.dist.tolist()
    assert found.pred.tolist() == right.pred.tolist()
    assert found.plan.device == "emulated"
    assert "its time says nothing about a GPU" in str(found.plan)
    totals = found.trace.totals()
    assert totals.rounds > 1
    assert totals.work_ratio > 0
    assert totals.mean_parallelism >= 1
    assert (totals.seconds, totals.mteps, totals.steps) == (0, None, {})
    assert all(one.seconds == {} for one in found.trace)
    assert " time " not in repr(found.trace)
    found.trace.save(tmp_path / "run.jsonl")
    assert wp.Trace.load(tmp_path / "run.jsonl") == found.trace


def test_traces_without_times_are_drawn(road, tmp_path):
    pytest.importorskip("matplotlib")
    from warpath.plot import plot_trace

    run = wp.sssp(road, 3, algorithm=NEAR_FAR, device="emulated", trace=True).trace
    plot_trace([run], tmp_path / "one.svg")
    plot_trace([run, run], tmp_path / "two.svg")


def test_tables_and_what_is_made_of_one_source(road):
    right = wp.apsp(road).dist
    table = wp.distances(road, [3, 5], [1, 2, 9], device="emulated")
    assert table.dist.tolist() == right[[3, 5]][:, [1, 2, 9]].tolist()
    assert table.plan.device == "emulated"
    fw = wp.apsp(road, algorithm="bodra2025.fw_edge", device="emulated", trace=True)
    assert fw.dist.tolist() == right.tolist()
    assert {tuple(one.seconds) for one in fw.trace} == {()}
    assert fw.trace.run.seconds == 0
    assert (
        wp.nearest(road, [3, 50], device="emulated").dist.tolist() == right[[3, 50]].min(0).tolist()
    )
    assert wp.within(road, 3, 900, device="emulated").counts.tolist() == [(right[3] <= 900).sum()]


def test_a_plan_says_that_nothing_is_predicted(road):
    plan = wp.plan(road, 3, device="emulated")
    assert plan.seconds is None
    assert plan.reason == "it is the first that can, and no times are predicted"


def test_what_has_no_effect_or_is_not_emulated_is_refused(road):
    with pytest.raises(wp.NotSupportedError, match="threads=2 has no effect on emulated"):
        wp.sssp(road, 3, device="emulated", threads=2)
    with pytest.raises(wp.NotSupportedError, match="prepared graphs are not emulated"):
        wp.distances(road, [3], algorithm="delling2011.gphast", device="emulated")
    with pytest.raises(wp.InputError, match=r"'emulated:one' is not valid.* 'emulated'"):
        wp.sssp(road, 3, device="emulated:one")


def test_a_wheel_and_a_machine_without_a_compiler_say_what_is_missing(road, monkeypatch, tmp_path):
    monkeypatch.setattr(device, "_EMULATOR", tmp_path)
    with pytest.raises(wp.NotSupportedError, match=r"not with its wheel: install a checkout"):
        wp.sssp(road, 3, device="emulated")
    build.compiler.cache_clear()
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(wp.MissingDependencyError, match=r"install g\+\+ 12 or later"):
        wp.sssp(road, 3, device="emulated")
    build.compiler.cache_clear()


def test_an_interrupt_ends_a_call_and_the_next_one_is_right(road):
    def interrupt(*_):
        raise KeyboardInterrupt

    town = wp.generate.road(8000)
    wp.sssp(road, 3, algorithm="martin2009.u_gpu", device="emulated")  # compiles it
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            wp.sssp(town, 3, algorithm="martin2009.u_gpu", device="emulated")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert not emulator.emulated()._ended.is_set()
    again = wp.sssp(road, 3, algorithm="martin2009.u_gpu", device="emulated")
    assert again.dist.tolist() == wp.sssp(road, 3).dist.tolist()


def test_a_missing_gpu_names_the_emulator(road):
    from support.gpus import no_gpu

    if not no_gpu():
        pytest.skip("there is a GPU")
    with pytest.raises(wp.NotSupportedError, match=r"On a CPU these run: .*device='emulated'"):
        wp.sssp(road, 3, algorithm=NEAR_FAR)
