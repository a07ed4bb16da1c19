"""Small OpenStreetMap files after public reports, and the networks that their makers meant."""

from __future__ import annotations

from pathlib import Path

import pytest

import warpath as wp

pytest.importorskip("osmium")

DATA = Path(__file__).parent / "data"


def ends_of(graph):
    """Return the ends of the edges, as OSM node ids."""
    src, dst, _ = graph.edges()
    return sorted(zip(graph.label_of(src).tolist(), graph.label_of(dst).tolist(), strict=True))


def test_motor_vehicle_backward_no_is_a_one_way_for_cars():
    assert ends_of(wp.read(DATA / "10-backward-forbidden.osm")) == [(1, 2)]
    assert ends_of(wp.read(DATA / "10-backward-forbidden.osm", profile="bike")) == [(1, 2), (2, 1)]


def test_a_list_of_values_that_close_a_street_closes_it():
    graph = wp.read(DATA / "11-access-list.osm")
    assert ends_of(graph) == [(1, 3), (3, 1)]
    assert graph.shapes.points.tolist() == [[0.001, 0.001]] * 2  # through point 4, not straight on


def test_a_history_file_has_the_newest_versions_alone():
    graph = wp.read(DATA / "12-history.osh")
    assert ends_of(graph) == [(1, 2)]  # version 2 of way 10 is one-way, way 11 is deleted
    assert graph.read_report["deleted objects and older versions"] == 3


def test_ways_that_josm_marks_as_deleted_are_left_out():
    assert ends_of(wp.read(DATA / "13-josm-deleted.osm")) == [(2, 3), (3, 2)]


def test_locations_on_ways_locate_their_points():
    graph = wp.read(DATA / "19-locations-on-ways.osm")
    assert ends_of(graph) == [(1, 2), (2, 1)]
    assert graph.coordinates.tolist() == [[0, 0], [0.001, 0]]


def test_a_root_element_may_take_two_lines():
    graph = wp.read(DATA / "20-root-element-over-two-lines.osm", weight="seconds")
    assert ends_of(graph) == [(1, 2), (2, 1)]


def test_speeds_of_no_limit_and_of_999_are_those_of_the_class():
    graph = wp.read(DATA / "15-maxspeed-none.osm", weight="seconds")
    table = graph.edge_table()
    kmh = dict(zip(table["kind"].tolist(), 3.6 * table["length"] / table["seconds"], strict=True))
    assert kmh == pytest.approx({"living_street": 10, "residential": 30})
    assert graph.read_report == {"limits of speed that are unreadable": 1}


def test_maxspeed_motorcar_beats_maxspeed():
    table = wp.read(DATA / "20-root-element-over-two-lines.osm").edge_table()
    assert (3.6 * table["length"] / table["seconds"]).tolist() == pytest.approx([20, 20])
