"""Conditional tags of OpenStreetMap extracts at a given time."""

from __future__ import annotations

import datetime as dt
import re
import sys

import numpy as np
import pytest

import warpath as wp
from warpath.base.errors import InputError, MissingDependencyError
from warpath.io.osm_times import Moment, local_time

pytest.importorskip("osmium")

THURSDAY = "2026-11-26 08:30"
MONACO = 43.735, 7.42


def write(path, way=(), relation=(), point=()):
    """Write a crossing: way 1 from point 1 to 2, with tags, ways 2 and 3 from there to 3 and 4."""
    lines = ['<osm version="0.6">']
    for ref, (lat, lon) in enumerate([(0, 0), (0, 1), (0, 2), (1, 1)], 1):
        tags = "".join(f'<tag k="{k}" v="{v}"/>' for k, v in dict(point).items()) * (ref == 2)
        north, east = MONACO[0] + lat / 1000, MONACO[1] + lon / 1000
        lines.append(f'<node id="{ref}" lat="{north}" lon="{east}">{tags}</node>')
    for number, (refs, tags) in enumerate(((12, way), (23, ()), (24, ())), 1):
        inside = {"highway": "residential", **dict(tags)}
        lines.append(f'<way id="{number}">')
        lines += [f'<nd ref="{ref}"/>' for ref in str(refs)]
        lines += [f'<tag k="{k}" v="{v}"/>' for k, v in inside.items()]
        lines.append("</way>")
    if relation:
        lines.append('<relation id="1"><tag k="type" v="restriction"/>')
        lines += [f'<tag k="{k}" v="{v}"/>' for k, v in dict(relation).items()]
        lines.append('<member type="way" ref="1" role="from"/>')
        lines.append('<member type="node" ref="2" role="via"/>')
        lines.append('<member type="way" ref="3" role="to"/></relation>')
    path.write_text("".join([*lines, "</osm>"]))
    return path


def ends_of(graph):
    src, dst, _ = graph.edges()
    return set(zip(graph.label_of(src).tolist(), graph.label_of(dst).tolist(), strict=True))


def test_without_a_time_conditional_tags_are_counted(tmp_path):
    tags = {"motor_vehicle:conditional": "no @ (Mo-Fr 07:00-09:00)"}
    graph = wp.read(write(tmp_path / "a.osm", tags))
    assert (1, 2) in ends_of(graph)
    assert graph.read_report == {"conditional tags": 1}


def test_a_closed_hour_closes_a_street(tmp_path):
    pytest.importorskip("opening_hours")
    tags = {"motor_vehicle:conditional": "no @ (Mo-Fr 07:00-09:00)"}
    path = write(tmp_path / "a.osm", tags)
    closed = wp.read(path, at=THURSDAY)
    later = wp.read(path, at=dt.datetime(2026, 11, 26, 9, 30))  # noqa: DTZ001 - a local time
    assert 1 not in closed.labels
    assert (1, 2) in ends_of(later)
    assert closed.read_report == later.read_report == {}
    assert 1 in wp.read(path, at=THURSDAY, profile="bike").labels


@pytest.mark.parametrize(
    ("tags", "edges"),
    [
        ({"oneway:conditional": "yes @ (07:00-12:00); -1 @ (12:00-19:00)"}, {(1, 2)}),
        ({"oneway": "reversible", "oneway:conditional": "-1 @ (Mo-Fr)"}, {(2, 1)}),
        ({"access": "no", "access:conditional": "yes @ (Nov-Mar)"}, {(1, 2), (2, 1)}),
        ({"access:conditional": "no @ (Nov-Mar)", "motorcar": "yes"}, {(1, 2), (2, 1)}),
        ({"motor_vehicle:backward:conditional": "no @ (Th 08:00-09:00)"}, {(1, 2)}),
        ({"vehicle:conditional": "no @ (wet AND 20:00-22:00)"}, {(1, 2), (2, 1)}),
        ({"vehicle:conditional": "yes @ Sa; no @ Th; yes @ (We)"}, set()),
        ({"vehicle:conditional": "yes @ (Mo-Fr); no @ (Th 08:00-09:00)"}, set()),
    ],
)
def test_ways_at_half_past_eight(tmp_path, tags, edges):
    pytest.importorskip("opening_hours")
    graph = wp.read(write(tmp_path / "a.osm", tags), at=THURSDAY)
    assert {edge for edge in ends_of(graph) if 1 in edge} == edges
    assert not graph.read_report


def test_limits_at_a_time(tmp_path):
    pytest.importorskip("opening_hours")
    tags = {"maxspeed": "50", "maxspeed:conditional": "30 @ (Mo-Fr 07:00-09:00)"}
    path = write(tmp_path / "a.osm", tags)
    for at, kmh in ((None, 50), (THURSDAY, 30), ("2026-11-26 23:00", 50)):
        table = wp.read(path, at=at).edge_table()
        of_way_1 = np.asarray(table["way"] == 1)
        speeds = 3.6 * np.asarray(table["length"]) / np.asarray(table["seconds"])
        assert speeds[of_way_1] == pytest.approx([kmh, kmh])


@pytest.mark.parametrize(("at", "honoured"), [(THURSDAY, 1), ("2026-11-26 12:00", 0)])
def test_turn_restrictions_at_a_time(tmp_path, at, honoured):
    pytest.importorskip("opening_hours")
    rule = {"restriction:conditional": "no_left_turn @ (Mo-Fr 07:00-09:00)"}
    path = write(tmp_path / "a.osm", relation=rule)
    graph = wp.read(path, at=at, turns=True)
    assert graph.turns.honoured == honoured
    assert not graph.turns.ignored
    assert wp.read(path, turns=True).turns.ignored == {"conditional": 1}


@pytest.mark.parametrize(("at", "honoured"), [("2026-11-28 12:00", 0), (THURSDAY, 1)])
def test_a_turn_restriction_may_be_lifted_at_a_time(tmp_path, at, honoured):
    pytest.importorskip("opening_hours")
    rule = {"restriction": "no_left_turn", "restriction:conditional": "none @ (Sa-Su)"}
    graph = wp.read(write(tmp_path / "a.osm", relation=rule), at=at, turns=True)
    assert graph.turns.honoured == honoured
    assert not graph.turns.ignored


def test_barriers_at_a_time(tmp_path):
    pytest.importorskip("opening_hours")
    gate = {"barrier": "gate", "access:conditional": "no @ (22:00-09:00)"}
    path = write(tmp_path / "a.osm", point=gate)
    assert 1 in wp.read(path, at="2026-11-26 12:00").labels
    with pytest.raises(wp.GraphFormatError, match="a barrier ends every road"):
        wp.read(path, at=THURSDAY)


@pytest.mark.parametrize(
    "value",
    [
        "no @ (weight>7.5)",
        "no @ delivery",
        "no @ (Mo-Fr 07:00-09:00 AND wet)",
        "no @ (SH 07:00-09:00)",
        "no @ Mo 07:00-09:00; Th 08:00-09:00",
        "no",
        "no @ (Mo-Fr 07:00-09:00",
        "no @ (07:00-09:00), yes @ (Th)",
        "no @ (unknown)",
        "",
    ],
)
def test_conditions_that_a_time_does_not_decide_are_counted(tmp_path, value):
    pytest.importorskip("opening_hours")
    tags = {"motor_vehicle:conditional": value.replace(">", "&gt;")}
    graph = wp.read(write(tmp_path / "a.osm", tags), at=THURSDAY)
    assert (1, 2) in ends_of(graph)
    assert graph.read_report == {"conditional tags": 1}


def test_other_values_of_a_tag_count_beside_an_undecided_one():
    pytest.importorskip("opening_hours")
    tags = {"access:conditional": "no @ (Th); destination @ (length>10)"}
    at = Moment(local_time(THURSDAY), None)
    assert at.resolved(tags) == {**tags, "access": "no"}


@pytest.mark.parametrize(
    ("hours", "place", "value"),
    [
        ("PH", MONACO, "no"),
        ("(Mo-Su; PH off)", MONACO, None),
        ("PH", None, None),
        ("sunrise-sunset", MONACO, "no"),
        ("((sunrise-01:00)-(sunset+01:00)) ;", MONACO, "no"),
        ("dawn-dusk", None, None),
    ],
)
def test_holidays_and_daylight_are_those_of_the_place(hours, place, value):
    pytest.importorskip("opening_hours")
    national_day = dt.datetime(2026, 11, 19, 12)  # noqa: DTZ001 - a local time
    tags = Moment(national_day, place).resolved({"access:conditional": f"no @ {hours}"})
    assert tags.get("access") == value
    assert ("access:conditional" in tags) == (place is None)


def test_one_place_is_that_of_the_file(tmp_path):
    pytest.importorskip("opening_hours")
    path = write(tmp_path / "a.osm", {"access:conditional": "no @ (PH)"})
    assert 1 not in wp.read(path, at="2026-11-19 12:00").labels  # Monaco's national day
    assert 1 in wp.read(path, at="2026-11-18 12:00").labels


@pytest.mark.parametrize(
    "at",
    [
        "2026-11-26",
        "08:30",
        "tomorrow 8 am",
        "2026-13-26 08:30",
        "2026-11-26 08:30+01:00",
        dt.date(2026, 11, 26),
        dt.datetime(2026, 11, 26, tzinfo=dt.UTC),
        8.5,
        True,
    ],
)
def test_a_time_is_a_date_and_a_local_time_of_day(tmp_path, at):
    with pytest.raises(InputError, match=r'at=.* such as "2026-11-26 08:30"\.') as error:
        wp.read(write(tmp_path / "a.osm"), at=at)
    remedy = re.search(r'"([^"]*)"', str(error.value))[1]
    assert local_time(remedy) == dt.datetime(2026, 11, 26, 8, 30)  # noqa: DTZ001 - as stated


def test_without_the_package_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "opening_hours", None)
    path = write(tmp_path / "a.osm")
    with pytest.raises(MissingDependencyError, match=r"at= needs .*: pip install opening-hours-py"):
        wp.read(path, at=THURSDAY)
    assert wp.read(path).n == 4
