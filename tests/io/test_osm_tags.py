from __future__ import annotations

import pytest

from warpath.io.osm_tags import DEFAULT_SPEEDS, CarRules, Drive, directions, speed_limit

RULES = CarRules(DEFAULT_SPEEDS)


@pytest.mark.parametrize(
    ("text", "kmh"),
    [
        ("50", 50), ("50 km/h", 50), ("30 mph", 48.28032), ("30mph", 48.28032), ("5.5", 5.5),
        ("10 knots", 18.52), ("walk", 5), ("none", 130), ("DE:urban", 50), ("DE:rural", 100),
        ("FR:rural", 80), ("XX:rural", 90), ("CH:motorway", 120), ("GB:nsl_single", 96.56064),
        ("DE:zone:30", 30), ("DE:zone30", 30), ("zone:20", 20), ("DE:walk", 5), ("50;30", 30),
        ("50; signals", 50), (None, None), ("", None), ("signals", None), ("variable", None),
        ("0", None), ("50 furlongs", None), ("12345", None), ("RO:urban", 50), ("-5", None),
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
    assert directions(tags) == both


@pytest.mark.parametrize(
    ("tags", "opened"),
    [
        ({}, True),
        ({"access": "no"}, False),
        ({"access": "private"}, False),
        ({"access": "destination"}, True),
        ({"motor_vehicle": "no"}, False),
        ({"vehicle": "no"}, False),
        ({"access": "no", "motor_vehicle": "yes"}, True),
        ({"motor_vehicle": "no", "motorcar": "permissive"}, True),
        ({"access": "yes", "motorcar": "no"}, False),
        ({"access": "agricultural;forestry"}, False),
        ({"area": "yes"}, False),
        ({"highway": "track"}, False),
        ({"highway": "construction"}, False),
        ({"oneway": "reversible"}, False),
    ],
)
def test_the_most_specific_key_decides_who_may_drive(tags, opened):
    assert (RULES.drive({"highway": "residential"} | tags) is not None) is opened


@pytest.mark.parametrize(
    ("access", "opened"), [("private", True), ("permit", True), ("no", False), ("forestry", False)]
)
def test_private_ways_on_request(access, opened):
    rules = CarRules(DEFAULT_SPEEDS, private=True)
    assert (rules.drive({"highway": "tertiary", "access": access}) is not None) is opened


def test_speeds_of_both_directions():
    tags = {"highway": "primary", "maxspeed": "70", "maxspeed:backward": "50"}
    assert RULES.drive(tags) == Drive(
        forward=True, backward=True, forward_speed=70, backward_speed=50
    )
    assert RULES.drive({"highway": "primary"}).forward_speed == DEFAULT_SPEEDS["primary"]
