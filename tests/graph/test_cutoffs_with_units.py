"""Cutoffs with a unit, such as "10min"."""

from __future__ import annotations

import numpy as np
import pytest

import warpath as wp
from warpath.base import units


def test_a_cutoff_with_a_unit_is_one_in_the_unit_of_the_weights():
    rows = wp.Graph.of([(0, 1, 60), (1, 2, 60), (2, 3, 3000)])
    seconds, metres = (
        rows.with_weights(rows.weights, unit="s"),
        rows.with_weights(rows.weights, unit="m"),
    )
    assert wp.within(seconds, 0, "2min").vertices.tolist() == [0, 1, 2]
    assert wp.within(seconds, 0, ["1 min", "1h"]).cutoffs.tolist() == [60, 3600]
    assert wp.sssp(seconds, 0, cutoff="90s").reached.tolist() == [True, True, False, False]
    assert (
        wp.distances(metres, [0], cutoff="0.12km").dist.tolist()
        == wp.distances(metres, [0], cutoff=120).dist.tolist()
    )
    assert wp.nearest(metres, [0], cutoff="1km").reached.sum() == 3
    assert wp.plan(seconds, 0, cutoff="2min").algorithm == wp.plan(seconds, 0, cutoff=120).algorithm
    days = rows.with_weights(rows.weights, unit="days")
    assert wp.within(days, 0, "60days").vertices.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("cutoff", "unit", "message"),
    [
        ("2km", "s", "must be in a unit of the graph's weights, which are in s: s, min, h"),
        ("2min", None, "has a unit, but the graph's weights have none: give a number"),
        ("120", "s", "must be a number, 0 or more, perhaps with a unit such as '10min'"),
        ("-1min", "s", "must be a number, 0 or more"),
        (["1min", "soon"], "s", "'soon' must be a number"),
    ],
)
def test_what_is_no_cutoff_in_the_unit_of_the_weights_says_why(cutoff, unit, message):
    rows = wp.Graph.of([(0, 1, 60)])
    graph = rows.with_weights(rows.weights, unit=unit)
    with pytest.raises(wp.InputError, match=message):
        wp.within(graph, 0, cutoff)


def test_whole_quantities_are_integers():
    assert [units.quantity(text, "m") for text in ("5km", "0.5 km", "1.5m")] == [5000, 500, 1.5]
    assert type(units.quantity("5km", "m")) is int
    assert all(units.quantity(f"{m / 1000:.3f}km", "m") == m for m in range(10_000))
    assert units.quantity("2.05min", "s") == 123


def test_a_vertex_at_a_cutoff_with_decimals_lies_within():
    rows = wp.Graph.of([(0, 1, 1005), (1, 2, 1)])
    metres = rows.with_weights(rows.weights, unit="m")
    assert wp.within(metres, 0, "1.005km").vertices.tolist() == [0, 1]
    assert np.isclose(units.quantity("1mi", "m"), 1609.344)
