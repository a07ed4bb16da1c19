"""Distances without the mark of unreachable vertices, the same for every result."""

from __future__ import annotations

import math

import numpy as np
import pytest

import warpath as wp
from warpath.base.errors import DistanceOverflowError, InputError

GRAPH = wp.Graph.of([(0, 1, 2), (1, 2, 3)], n=4)
NEVER = np.iinfo(np.int64).max
ASKS = {
    "Paths": lambda graph: wp.sssp(graph, 0),
    "DistanceTable": lambda graph: wp.distances(graph, [0]),
    "Pairs": lambda graph: wp.pairs(graph, [0, 0, 0, 0], [0, 1, 2, 3]),
    "Nearest": lambda graph: wp.nearest(graph, [0]),
    "Within": lambda graph: wp.within(graph, 0, 100),
    "DynamicPaths": lambda graph: wp.DynamicPaths(graph, 0),
}


@pytest.mark.parametrize("name", ASKS)
@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_every_result_has_them_under_the_same_names(name, dtype):
    result = ASKS[name](GRAPH.astype(dtype))
    reached = result.reached_dist
    assert (reached.tolist(), reached.sum()) == ([0, 2, 5], 7)
    filled = result.to_numpy().ravel()
    assert filled.dtype == (np.float64 if dtype.startswith("int") else dtype)
    assert np.array_equal(filled, [0, 2, 5, math.nan], equal_nan=True)
    assert np.nansum(filled) == 7
    assert result.to_numpy(unreachable=-1).ravel().tolist() == [0, 2, 5, -1]
    assert result.to_numpy(-1).dtype == result.dist.dtype
    filled[0] = 9  # a copy


def test_the_sum_of_integers_with_the_mark_is_what_users_must_not_take():
    paths = wp.sssp(GRAPH, 0)
    assert paths.dist[3] == NEVER
    assert paths.dist.sum() < 0
    assert paths.reached_dist.sum() == 7


def test_integers_that_floats_do_not_hold_are_refused_with_a_way_out():
    assert wp.sssp(wp.Graph.of([(0, 1, 2**53)]), 0).to_numpy().tolist() == [0, 2**53]
    paths = wp.sssp(wp.Graph.of([(0, 1, 2**53 + 1)], n=3), 0)
    with pytest.raises(DistanceOverflowError, match=r"unreachable=-1"):
        paths.to_numpy()
    assert paths.to_numpy(unreachable=-1).tolist() == [0, 2**53 + 1, -1]


@pytest.mark.parametrize("value", ["x", None, True, 10**30])
def test_the_number_for_unreachable_vertices_is_checked(value):
    with pytest.raises(InputError, match="unreachable = "):
        wp.sssp(GRAPH, 0).to_numpy(unreachable=value)


def test_changes_have_no_mark_in_tables():
    pandas = pytest.importorskip("pandas")
    live = wp.DynamicPaths(GRAPH, 0)
    changed = live.delete([(1, 2)])
    assert changed.to_numpy(-1).tolist() == [[5, -1]]
    frame = changed.to_pandas()
    assert (frame["old"].tolist(), frame["new"].tolist()) == ([5], [pandas.NA])


def test_the_notes_of_a_result_say_where_the_first_negative_weight_stands():
    graph = wp.Graph.of([("a", "b", 4), ("b", "c", -2), ("a", "c", -1)])
    said = "2 of 3 weights are negative, the first is -1 on the edge 'a' -> 'c' (number 1)"
    for plan in (
        wp.plan(graph, "a"),
        wp.sssp(graph, "a").plan,
        wp.distances(graph, ["a"]).plan,
        wp.path(graph, "a", "c").plan,
        wp.pairs(graph, ["a"], ["c"]).plan,
    ):
        assert said in plan.notes
    rows = wp.Graph.from_edges([0, 1], [1, 2], [4, -2], keep_rows=True)
    assert "1 of 2 weights is negative" in str(wp.plan(rows, 0))
    assert "row 1 of the input" in str(wp.plan(rows, 0))
    assert not any("negative" in note for note in wp.plan(GRAPH, 0).notes)
