"""Weights in a unit, such as minutes, and cutoffs with a unit, such as "10min"."""

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
        ("2km", "min", "must be in a unit of the graph's weights, which are in min: s, min, h"),
        (
            "120",
            "s",
            r"must be a number, 0 or more, perhaps with a unit \(m, km, mi, s, min or h\), such as",
        ),
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


@pytest.mark.parametrize("unit", ["min", "minutes"])
def test_weights_in_minutes_take_cutoffs_in_seconds_minutes_and_hours(unit):
    rows = wp.Graph.of([(0, 1, 1.5), (1, 2, 58.5), (2, 3, 9.0)])
    minutes = rows.with_weights(rows.weights, unit=unit)
    for cutoff in ("3600s", "60min", "1h", "1 hour", "60 minutes"):
        assert wp.within(minutes, 0, cutoff).vertices.tolist() == [0, 1, 2]
    assert wp.within(minutes, 0, "90s").cutoffs.tolist() == [1.5]


def town(**columns):
    rows = {"source": [0, 1], "target": [1, 2], "length": [500, 1000], **columns}
    pd = pytest.importorskip("pandas")
    return wp.Graph.of(pd.DataFrame(rows), weight="length", attributes=sorted(columns))


def test_a_unit_as_the_weight_converts_the_weights_or_a_kept_column():
    plain = town()
    seconds = plain.with_weights([90, 30], unit="s")
    minutes = seconds.with_weights("minutes")
    assert (minutes.weights.tolist(), minutes.unit) == ([1.5, 0.5], "min")
    assert minutes.with_weights("h").with_weights("s").weights.tolist() == [90, 30]
    assert plain.with_weights(plain.weights, unit="m").with_weights("km").weights.tolist() == [
        0.5,
        1,
    ]
    own = town(minutes=[7, 8]).with_weights("minutes")
    assert own.weights.tolist() == [7, 8]  # a column of this name


@pytest.mark.parametrize(
    ("weights", "unit", "message"),
    [
        ("min", "h", r"unit='h'\): the unit of these weights is 'min'.* give that unit"),
        ("min", "EUR", r"the unit of these weights is 'min'. Leave unit out\.$"),
        ("great_circle", "km", r"the unit of these weights is 'm'. Leave unit out\.$"),
        ("length", "km", "the unit of these weights is 'm'"),
        ("min", 5, "unit = 5 must be a str"),
    ],
)
def test_another_unit_than_that_of_the_weights_is_refused(weights, unit, message):
    graph = town(length=[500, 1000]).with_weights([5400, 1800], unit="s")
    graph = graph.with_coordinates([(7.1, 43), (7.2, 43), (7.3, 43)])
    graph.given.units["length"] = "m"
    with pytest.raises(wp.InputError, match=message):
        graph.with_weights(weights, unit=unit)
    assert graph.with_weights("min", unit="minutes").weights.tolist() == [90, 30]
    assert graph.with_weights("min", unit="").unit == "min"


def test_a_kept_column_called_by_a_unit_has_that_unit():
    graph = town(km=[0.5, 3.0], Hours=[1, 2], h=[7, 8], minutes=[5, 6])
    assert wp.within(graph.with_weights("km"), 0, "3km").vertices.tolist() == [0, 1]
    assert graph.with_weights("Hours").unit == "h"
    assert graph.with_weights("h").unit is None  # perhaps heights
    assert graph.with_weights("minutes", unit="EUR").unit == "EUR"
    graph.given.units["minutes"] = "s"
    assert graph.with_weights("minutes").unit == "s"


def test_minutes_come_from_metres_and_speeds():
    fast, slow = town(speed_kph=[30.0, 60.0]), town(maxspeed=[60, 0])
    fast, slow = (graph.with_weights(graph.weights, unit="m") for graph in (fast, slow))
    assert fast.with_weights("minutes").weights.tolist() == [1, 1]
    mph = town(speed_mph=[30.0, 60.0])
    mph = mph.with_weights([1, 2], unit="mi").with_weights("min")
    assert np.allclose(mph.weights, 2)
    with pytest.raises(
        wp.GraphError, match="the speed of edge 1 in the kept column 'maxspeed' is 0:"
    ):
        slow.with_weights("minutes")
    texts = town(maxspeed=["50", "walk"])
    with pytest.raises(wp.GraphError, match="the speeds of the kept column 'maxspeed' are"):
        texts.with_weights(texts.weights, unit="m").with_weights("minutes")


def test_a_unit_that_a_graph_cannot_give_is_refused():
    with pytest.raises(
        wp.GraphError, match="no weights or kept column of times whose unit is known, n"
    ):
        town(toll=[1, 2]).with_weights("minutes")
    with pytest.raises(
        wp.GraphError, match="of lengths whose unit is known; there are no kept colum"
    ):
        wp.Graph.of([(0, 1, 5)]).with_weights("km")


def test_a_column_called_by_a_unit_gives_the_graph_its_unit(tmp_path):
    file = tmp_path / "roads.csv"
    file.write_text("source,target,minutes\n0,1,5\n1,2,70\n")
    graph = wp.read(file, weight="minutes")
    assert graph.unit == "min"
    assert wp.within(graph, 0, "1h").vertices.tolist() == [0, 1]


@pytest.mark.parametrize("kind", [np.str_, object])
def test_arrays_of_texts_are_cutoffs(kind):
    rows = wp.Graph.of([(0, 1, 60), (1, 2, 600)])
    graph = rows.with_weights(rows.weights, unit="s")
    assert wp.within(graph, 0, np.array(["1min", "5min"], kind)).cutoffs.tolist() == [60, 300]
    assert wp.within(graph, 0, np.array([7, 2**70], object)).counts.tolist() == [1, 3]
    with pytest.raises(wp.InputError, match=r"'soon' must be .*\(m, km, mi, s, min or h\)"):
        wp.within(graph, 0, np.array(["1min", "soon"], kind))
