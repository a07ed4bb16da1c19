from __future__ import annotations

import pytest

from warpath.io.osm_profiles import PROFILES
from warpath.io.osm_tags import contraflow, directions, duration, speed_limit


@pytest.mark.parametrize(
    ("text", "kmh"),
    [
        ("50", 50), ("50 km/h", 50), ("30 mph", 48.28032), ("30mph", 48.28032), ("5.5", 5.5),
        ("10 knots", 18.52), ("walk", 5), ("none", None), ("DE:urban", 50), ("DE:rural", 100),
        ("FR:rural", 80), ("XX:rural", 90), ("CH:motorway", 120), ("GB:nsl_single", 96.56064),
        ("DE:zone:30", 30), ("DE:zone30", 30), ("zone:20", 20), ("DE:walk", 5), ("50;30", 30),
        ("50; signals", 50), (None, None), ("", None), ("signals", None), ("variable", None),
        ("0", None), ("50 furlongs", None), ("12345", None), ("RO:urban", 50), ("-5", None),
        ("160", 160), ("161", None), ("999", None), ("999;50", 50), ("50 MPH", 80.4672),
        ("50|30", 30), ("BE-VLG:rural", 70), ("national", None),
        ("UK:nsl_single", 96.56064), ("uk:motorway", 112.65408), ("de:Rural", 100),
    ],
)  # fmt: skip
def test_limits_are_read_in_kmh(text, kmh):
    assert speed_limit(text) == pytest.approx(kmh)


@pytest.mark.parametrize(
    ("tags", "both"),
    [
        ({}, (True, True)),
        ({"oneway": "yes"}, (True, False)),
        ({"oneway": "true"}, (True, False)),
        ({"oneway": " Yes"}, (True, False)),
        ({"oneway": "1"}, (True, False)),
        ({"oneway": "-1"}, (False, True)),
        ({"oneway": "reverse"}, (False, True)),
        ({"oneway": "no"}, (True, True)),
        ({"oneway": "reversible"}, (False, False)),
        ({"oneway": "alternating"}, (False, False)),
        ({"oneway": "what"}, (True, True)),
        ({"oneway": "yes", "oneway:motor_vehicle": "no"}, (True, True)),
        ({"junction": "roundabout"}, (True, False)),
        ({"junction": "circular"}, (True, False)),
        ({"junction": "roundabout", "oneway": "-1"}, (False, True)),
        ({"highway": "motorway"}, (True, False)),
        ({"highway": "motorway_link"}, (True, True)),
    ],
)
def test_directions(tags, both):
    assert directions(tags, PROFILES["car"].oneway) == both


@pytest.mark.parametrize(
    ("tags", "allowed"),
    [
        ({}, False),
        ({"cycleway": "lane"}, False),
        ({"cycleway": "opposite"}, True),
        ({"cycleway": "opposite_lane"}, True),
        ({"cycleway:left": "opposite_track"}, True),
        ({"cycleway:left:oneway": "-1"}, True),
        ({"cycleway:right:oneway": "no"}, True),
        ({"cycleway:right:oneway": "yes"}, False),
    ],
)
def test_contraflow(tags, allowed):
    assert contraflow(tags) is allowed


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        (None, None), ("", None), ("0", None), ("long", None), ("1:2:3:4", None), ("45", 2700),
        ("0:45", 2700), ("1:30", 5400), ("00:20:30", 1230), ("PT20M", 1200), ("PT1H30M", 5400),
        ("PT90S", 90), ("PT", None),
    ],
)  # fmt: skip
def test_durations_are_read_in_seconds(text, seconds):
    assert duration(text) == seconds
