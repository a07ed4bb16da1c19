"""A* and the searches of Yen's paths in the core: what they refuse, and what they keep."""

from __future__ import annotations

import numpy as np
import pytest

from support.reference import rows
from warpath import _core

LINE = rows(4, [(0, 1, 2), (1, 2, 2), (2, 3, 2), (0, 2, 5), (0, 3, 9)])
NONE = np.empty(0, np.int64)


def astar(graph, source, target, estimate=lambda _: 0.0, limit=np.inf, *, whole=True):
    edges, exact = _core.astar(*graph, source, target, estimate, limit=limit, whole=whole)
    return (None if edges is None else edges.tolist()), exact


def heads(graph, edges):
    return graph[1][edges].tolist()


def searches(graph):
    back = tuple(np.empty_like(array) for array in graph)
    _core.transpose(*graph, *back)
    return (
        _core.spur_search(*graph, *back),
        _core.spur_search_by_levels(*graph[:2], *back[:2]),
    )


def test_a_star_returns_the_edges_of_the_path():
    edges, exact = astar(LINE, 0, 3)
    assert exact
    assert heads(LINE, edges) == [1, 2, 3]
    assert astar(LINE, 2, 2) == ([], True)
    assert astar(LINE, 3, 0) == (None, True)
    assert astar(LINE, 0, 3, limit=5.0) == (None, True)


def test_a_star_is_led_by_the_estimate_and_asks_once_for_each_vertex():
    asked = []

    def misleading(vertex):
        asked.append(vertex)
        return 100.0 * (vertex in (1, 2))

    edges, _ = astar(LINE, 0, 3, misleading)
    assert heads(LINE, edges) == [3]
    assert sorted(asked) == [1, 2, 3]


def test_a_star_says_where_floats_are_not_enough():
    far = rows(3, [(0, 1, 2**52), (1, 2, 1)], weight_type=np.int64)
    assert astar(far, 0, 1) == ([0], True)
    assert astar(far, 0, 2)[1] is False
    assert astar(far, 0, 2, whole=False) == ([0, 1], True)
    assert astar(LINE, 0, 3, lambda _: float("nan"))[1] is False
    beyond = rows(3, [(0, 1, 2**63 - 2), (1, 2, 5)], weight_type=np.int64)
    assert astar(beyond, 0, 2, whole=False)[1] is False


@pytest.mark.parametrize("estimate", [lambda _: "far", lambda: 0.0])
def test_a_star_raises_the_errors_of_the_estimate(estimate):
    with pytest.raises((TypeError, RuntimeError)):
        astar(LINE, 0, 3, estimate)


def test_spurs_avoid_vertices_and_first_edges_of_this_call_alone():
    weighted, levels = searches(LINE)
    for search, first, around in ((weighted, [0, 1, 2, 3], [0, 2, 3]), (levels, [0, 3], None)):
        assert search(0, 3, NONE, NONE)[0].tolist() == first
        found = search(0, 3, np.array([1]), NONE)[0].tolist()
        assert found == (around or [0, 3])
        assert search(0, 3, np.array([1, 2]), np.array([3]))[0].tolist() == []
        assert search(0, 3, NONE, NONE)[0].tolist() == first
    assert weighted(0, 3, NONE, np.array([1]))[0].tolist() == [0, 2, 3]
    assert levels(0, 3, NONE, np.array([3]))[0].tolist() == [0, 2, 3]
    assert weighted(0, 3, NONE, NONE)[1] == 6
    assert levels(0, 3, NONE, NONE)[1] == 1
    for search in (weighted, levels):
        assert search(2, 2, NONE, NONE)[0].tolist() == [2]
        assert search(3, 0, NONE, NONE)[0].tolist() == []


def test_bad_arguments_are_refused():
    weighted, levels = searches(LINE)
    for search in (weighted, levels):
        for bad in ((9, 0, NONE, NONE), (0, -1, NONE, NONE), (0, 1, np.array([4]), NONE)):
            with pytest.raises(ValueError, match="there is no vertex"):
                search(*bad)
    with pytest.raises(ValueError, match="must not be negative"):
        astar(rows(2, [(0, 1, -1)]), 0, 1)
    with pytest.raises(ValueError, match="there is no vertex 7"):
        astar(LINE, 0, 7)
