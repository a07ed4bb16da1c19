"""What is kept of a call with a graph, for the next one with the same options."""

from __future__ import annotations

import gc
import weakref

import pytest

import warpath as wp
from warpath import one_source

GRAPHS = {"buckets": [(0, 1, 2), (1, 2, 5), (0, 2, 9)], "bfs": [(0, 1, 3), (1, 2, 3)]}


@pytest.fixture(params=GRAPHS)
def graph(request):
    return wp.Graph.of(GRAPHS[request.param])


@pytest.fixture
def checks(monkeypatch):
    """The wishes that were checked and planned."""
    found = []
    real = one_source._checked
    monkeypatch.setattr(
        one_source, "_checked", lambda *what: (found.append(what[1]), real(*what))[1]
    )
    monkeypatch.setattr(one_source.settings, "surroundings", lambda: 0)  # nothing changes them
    return found


def test_options_are_checked_once_for_all_sources(graph, checks):
    assert [wp.sssp(graph, s)[2] for s in range(3)] == [wp.sssp(graph, s)[2] for s in range(3)]
    assert len(checks) == 1
    wp.sssp(graph, 0, threads=2)
    wp.sssp(graph, 0, algorithm="classic.dijkstra")
    assert len(checks) == 3


@pytest.mark.parametrize("bad", [{"threads": True}, {"threads": 1.0}, {"threads": [1]}])
def test_option_that_equals_a_kept_one_is_refused_all_the_same(graph, bad):
    wp.sssp(graph, 0, threads=1)
    with pytest.raises(wp.InputError, match="threads"):
        wp.sssp(graph, 0, **bad)


@pytest.mark.parametrize("bad", [{"algorithm": ["auto"]}, {"device": {}}])
def test_option_that_cannot_be_looked_up_is_refused(graph, bad):
    with pytest.raises(wp.InputError, match="must be a name"):
        wp.sssp(graph, 0, **bad)


def test_variables_count_at_the_next_call(graph, monkeypatch):
    wp.sssp(graph, 0, algorithm="warpath.buckets")
    monkeypatch.setenv("WARPATH_THREADS", "none")
    with pytest.raises(wp.InputError, match="WARPATH_THREADS"):
        wp.sssp(graph, 0, algorithm="warpath.buckets")


def test_kept_call_answers_as_one_in_steps(graph):
    quick = wp.sssp(graph, 0)
    slow = wp.sssp(graph, 0, progress=lambda _done, _total: None)
    assert quick.dist.tobytes() == slow.dist.tobytes()
    assert quick.pred.tobytes() == slow.pred.tobytes()
    assert quick.stats.keys() == slow.stats.keys()
    assert quick.stats["reached"] == slow.stats["reached"] == 3
    assert quick.plan == slow.plan
    assert not quick.dist.flags.writeable


def test_plan_of_a_result_is_its_own(graph):
    wp.sssp(graph, 0).plan.params["delta"] = 99
    assert wp.sssp(graph, 0).plan.params.get("delta") != 99


def test_graph_goes_when_nobody_has_it(graph):
    wp.sssp(graph, 0)
    gone = weakref.ref(wp.Graph.of(GRAPHS["buckets"]))
    assert gone() is None
    other = wp.Graph.of(GRAPHS["buckets"])
    wp.sssp(other, 0)
    gone = weakref.ref(other)
    gc.disable()
    try:
        del other
        assert gone() is None
    finally:
        gc.enable()
