"""device="auto" on a machine with a GPU."""

from __future__ import annotations

import numpy as np
import pytest

import warpath as wp
from warpath import generate
from warpath.engines import cuda
from warpath.planner import auto_device


@pytest.fixture
def eager(monkeypatch):
    """Let "auto" take the GPU whatever is predicted."""
    monkeypatch.delenv("WARPATH_DEVICE", raising=False)
    monkeypatch.setattr(auto_device, "_LEAST", 0.0)
    monkeypatch.setattr(auto_device, "_GAIN", 1e-12)


@pytest.fixture
def graph():
    return generate.uniform(3000, 5, seed=7)


def test_the_gpu_is_seen_and_works():
    assert cuda.seen() == "cuda:0"
    assert cuda.trouble("cuda:0") == ""


@pytest.mark.usefixtures("eager")
def test_answers_are_on_the_host_with_the_bits_of_the_cpu(graph):
    paths, right = wp.sssp(graph, 0), wp.sssp(graph, 0, device="cpu")
    assert paths.plan.device == "cuda:0"
    assert "half as long as the CPU" in str(paths.plan)
    assert paths.dist.tobytes() == right.dist.tobytes()
    assert (paths.pred == right.pred).all()
    with pytest.raises(wp.NotSupportedError, match="on the host alone"):
        _ = paths.on_device
    calls = (
        lambda **on: wp.distances(graph, range(70), [5, 7], **on),
        lambda **on: wp.apsp(graph, **on),
        lambda **on: wp.pairs(graph, range(150), range(50, 200), **on),
        lambda **on: wp.nearest(graph, [3, 9], **on),
    )
    for call in calls:
        found = call()
        assert found.plan.device == "cuda:0"
        assert isinstance(found.dist, np.ndarray)
        assert (found.dist == call(device="cpu").dist).all()


@pytest.mark.usefixtures("eager")
def test_a_prepared_graph_is_swept_there():
    city = wp.prepare(generate.road(12_000, seed=2))
    table = city.distances(range(300))
    assert table.plan.device == "cuda:0"
    assert (table.dist == wp.distances(city.graph, range(300), device="cpu").dist).all()


@pytest.mark.usefixtures("eager")
def test_the_plan_is_the_same_before_and_after_the_gpu_was_used(graph):
    first = str(wp.plan(graph, 0))
    wp.sssp(graph, 0)
    wp.sssp(graph, 0, device="cuda")
    assert str(wp.plan(graph, 0)) == first


@pytest.mark.usefixtures("eager")
def test_the_environment_forbids_it(graph, monkeypatch):
    monkeypatch.setenv("WARPATH_DEVICE", "cpu")
    assert wp.sssp(graph, 0).plan.device == "cpu"


def test_a_short_question_stays_on_the_cpu(graph):
    assert wp.sssp(graph, 0).plan.device == "cpu"


@pytest.mark.usefixtures("eager")
def test_a_gpu_without_memory_leaves_the_work_to_the_cpu(graph, monkeypatch):
    monkeypatch.setenv("WARPATH_GPU_MEMORY", "10K")
    plan = wp.sssp(graph, 0).plan
    assert plan.device == "cpu"
    assert "cuda:0 was considered, but" in str(plan)
