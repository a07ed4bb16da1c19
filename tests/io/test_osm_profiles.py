"""Who may use a way, in which direction and how fast, by its tags."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from warpath.base.errors import InputError
from warpath.io.osm_access import Access
from warpath.io.osm_profiles import PROFILES, Use
from warpath.io.osm_rules import rules_of


def rules(profile, *, restricted="ends", **speeds):
    return rules_of(profile, speeds, service=True, restricted=restricted)


def users(tags, *, restricted="ends"):
    """Return the profiles that may use a way, as letters."""
    uses = {name: rules(name, restricted=restricted).use(tags) for name in PROFILES}
    return "".join(name[0] for name, use in uses.items() if use is not None)


@pytest.mark.parametrize(
    ("highway", "who"),
    [
        ("motorway", "c"), ("motorway_link", "c"), ("trunk", "cbf"), ("primary", "cbf"),
        ("residential", "cbf"), ("living_street", "cbf"), ("service", "cbf"), ("road", "cbf"),
        ("track", "bf"), ("path", "bf"), ("cycleway", "b"), ("footway", "f"), ("pedestrian", "f"),
        ("steps", "f"), ("bridleway", "f"), ("corridor", "f"), ("platform", "f"), ("busway", ""),
        ("construction", ""), ("proposed", ""), ("abandoned", ""), ("elevator", "f"),
        ("via_ferrata", ""), ("raceway", ""), ("", ""),
    ],
)  # fmt: skip
def test_classes_are_for_their_users(highway, who):
    assert users({"highway": highway}) == who


@pytest.mark.parametrize(
    ("tags", "who"),
    [
        ({"access": "no"}, ""),
        ({"access": "private"}, "cbf"),
        ({"access": "destination"}, "cbf"),
        ({"access": "customers"}, "cbf"),
        ({"access": "agricultural;forestry"}, ""),
        ({"access": "agricultural; forestry"}, ""),
        ({"access": "Agricultural , NO"}, ""),
        ({"access": "no;emergency;psv"}, ""),
        ({"vehicle": "private;delivery"}, "cbf"),
        ({"vehicle": "no;private"}, "cbf"),
        ({"motor_vehicle": "agricultural;yes"}, "cbf"),
        ({"motor_vehicle": "forestry; destination"}, "cbf"),
        ({"motor_vehicle": "no", "motorcar": "fixme"}, "bf"),
        ({"access": "what"}, "cbf"),
        ({"access": "no", "foot": "what;yes"}, "f"),
        ({"access": "official"}, ""),
        ({"access": "no", "bicycle": "official"}, "b"),
        ({"vehicle": "no"}, "f"),
        ({"motor_vehicle": "no"}, "bf"),
        ({"motorcar": "no"}, "bf"),
        ({"bicycle": "no"}, "cf"),
        ({"bicycle": "use_sidepath"}, "cf"),
        ({"foot": "no"}, "cb"),
        ({"foot": "use_sidepath"}, "cb"),
        ({"access": "no", "motor_vehicle": "yes"}, "c"),
        ({"access": "no", "vehicle": "yes"}, "cb"),
        ({"access": "no", "foot": "designated"}, "f"),
        ({"vehicle": "no", "bicycle": "yes"}, "bf"),
        ({"motor_vehicle": "no", "motorcar": "permissive"}, "cbf"),
        ({"access": "yes", "motorcar": "no"}, "bf"),
        ({"motorroad": "yes"}, "c"),
        ({"motorroad": "yes", "bicycle": "yes"}, "cb"),
        ({"area": "yes"}, ""),
        ({"oneway": "reversible"}, "f"),
    ],
)
def test_the_most_specific_key_decides(tags, who):
    assert users({"highway": "residential"} | tags) == who


@pytest.mark.parametrize(
    ("tags", "who"),
    [
        ({"highway": "footway", "bicycle": "yes"}, "bf"),
        ({"highway": "footway", "bicycle": "no"}, "f"),
        ({"highway": "footway", "access": "yes"}, "f"),
        ({"highway": "footway", "vehicle": "destination"}, "cbf"),
        ({"highway": "steps", "bicycle": "yes"}, "bf"),
        ({"highway": "cycleway", "foot": "designated"}, "bf"),
        ({"highway": "cycleway", "access": "yes"}, "b"),
        ({"highway": "pedestrian", "area": "yes"}, "f"),
        ({"highway": "service", "area": "yes"}, ""),
        ({"route": "ferry"}, "bf"),
        ({"route": "ferry", "motor_vehicle": "yes"}, "cbf"),
        ({"route": "ferry", "access": "yes"}, "bf"),
        ({"route": "ferry", "foot": "no", "bicycle": "no", "motorcar": "yes"}, "c"),
        ({"route": "bus"}, ""),
        ({"highway": "track", "motor_vehicle": "yes"}, "cbf"),
        ({"highway": "track", "motorcar": "destination"}, "cbf"),
        ({"highway": "track", "access": "yes"}, "bf"),
        ({"highway": "track", "motor_vehicle": "agricultural"}, "bf"),
        ({"highway": "pedestrian", "motor_vehicle": "yes"}, "cf"),
        ({"highway": "steps", "ramp:bicycle": "yes"}, "bf"),
        ({"highway": "steps", "ramp:bicycle": "no"}, "f"),
        ({"highway": "steps", "ramp:wheelchair": "yes"}, "f"),
        ({"highway": "steps", "ramp:bicycle": "yes", "bicycle": "no"}, "f"),
        ({"highway": "elevator", "bicycle": "yes"}, "bf"),
        ({"highway": "elevator", "area": "yes"}, "f"),
        ({"highway": "elevator", "area": "yes", "bicycle": "yes"}, "bf"),
        ({"highway": "corridor", "indoor": "yes"}, "f"),
        ({"highway": "footway", "indoor": "yes"}, "f"),
        ({"man_made": "pier"}, "f"),
        ({"man_made": "pier", "bicycle": "yes"}, "bf"),
        ({"man_made": "pier", "access": "no"}, ""),
        ({"man_made": "pier", "area": "yes"}, "f"),
        ({"man_made": "pier", "highway": "footway"}, "f"),
        ({"man_made": "tower"}, ""),
        ({"railway": "platform"}, "f"),
        ({"public_transport": "platform"}, "f"),
        ({"public_transport": "platform", "foot": "no"}, ""),
        ({"railway": "rail"}, ""),
        ({"highway": "residential", "smoothness": "impassable"}, "f"),
        ({"highway": "residential", "impassable": "yes", "bicycle": "yes"}, "bf"),
        ({"highway": "residential", "smoothness": "bad"}, "cbf"),
        ({"highway": "motorway", "access": "yes"}, "c"),
        ({"highway": "motorway", "bicycle": "yes"}, "cb"),
        ({"highway": "path", "sac_scale": "hiking"}, "bf"),
        ({"highway": "path", "sac_scale": "mountain_hiking"}, "f"),
        ({"highway": "path", "sac_scale": "mountain_hiking", "bicycle": "yes"}, "bf"),
        ({"highway": "construction", "construction": "primary"}, ""),
        ({"highway": "residential", "sidewalk": "separate"}, "cbf"),
    ],
)
def test_some_classes_need_a_permission(tags, who):
    assert users(tags) == who


@pytest.mark.parametrize(
    ("access", "everyone", "no_one"),
    [
        ("yes", "cbf", "cbf"),
        ("destination", "cbf", ""),
        ("private", "cbf", ""),
        ("permit", "cbf", ""),
        ("no", "", ""),
        ("forestry", "", ""),
    ],
)
def test_ways_for_some_only_are_opened_and_closed_by_choice(access, everyone, no_one):
    tags = {"highway": "tertiary", "access": access}
    assert users(tags, restricted="open") == everyone
    assert users(tags, restricted="closed") == no_one


@pytest.mark.parametrize(
    ("tags", "ends_only"),
    [
        ({}, False),
        ({"access": "yes"}, False),
        ({"access": "destination"}, True),
        ({"motor_vehicle": "destination"}, True),
        ({"vehicle": "Customers"}, True),
        ({"motor_vehicle": "agricultural;destination"}, True),
        ({"motor_vehicle": "destination;yes"}, False),
        ({"access": "destination", "motor_vehicle": "yes"}, False),
        ({"vehicle": "private;delivery"}, True),
        ({"access": "permit"}, True),
        ({"motor_vehicle:backward": "destination"}, False),
        ({"bicycle": "destination"}, False),
    ],
)
def test_ways_for_those_who_go_there_are_not_for_through_traffic(tags, ends_only):
    tags = {"highway": "residential"} | tags
    assert rules("car").use(tags).ends_only is ends_only
    assert rules("car", restricted="open").use(tags).ends_only is False


@pytest.mark.parametrize(
    ("tags", "car", "bike", "foot"),
    [
        ({"oneway": "yes"}, "f", "f", "fb"),
        ({"oneway": "-1"}, "b", "b", "fb"),
        ({"oneway": "yes", "oneway:bicycle": "no"}, "f", "fb", "fb"),
        ({"oneway": "no", "oneway:bicycle": "yes"}, "fb", "f", "fb"),
        ({"oneway": "yes", "cycleway": "opposite"}, "f", "fb", "fb"),
        ({"oneway": "-1", "cycleway:left": "opposite_lane"}, "b", "fb", "fb"),
        ({"oneway": "yes", "cycleway": "opposite", "oneway:bicycle": "yes"}, "f", "f", "fb"),
        ({"oneway": "yes", "oneway:vehicle": "no"}, "fb", "fb", "fb"),
        ({"oneway": "yes", "oneway:motor_vehicle": "no"}, "fb", "f", "fb"),
        ({"junction": "roundabout"}, "f", "f", "fb"),
        ({"junction": "roundabout", "oneway:foot": "yes"}, "f", "f", "f"),
        ({"junction": "circular"}, "f", "f", "fb"),
        ({"junction": "circular", "oneway": "no"}, "fb", "fb", "fb"),
        ({"conveying": "backward"}, "fb", "fb", "b"),
        ({"conveying": "forward"}, "fb", "fb", "f"),
        ({"conveying": "yes"}, "fb", "fb", "fb"),
        ({"conveying": "reversible"}, "fb", "fb", "fb"),
        ({"conveying": "yes", "oneway": "yes"}, "f", "f", "f"),
        ({"conveying": "forward", "oneway:foot": "no"}, "fb", "fb", "fb"),
        ({"motor_vehicle:backward": "no"}, "f", "fb", "fb"),
        ({"motorcar:forward": "no"}, "b", "fb", "fb"),
        ({"vehicle:forward": "no"}, "b", "b", "fb"),
        ({"access:backward": "no"}, "f", "f", "f"),
        ({"access:backward": "no", "foot": "yes"}, "f", "f", "fb"),
        ({"access:backward": "no", "bicycle:backward": "yes"}, "f", "fb", "f"),
        ({"access:both_ways": "no", "bicycle": "yes"}, "", "fb", ""),
        ({"motor_vehicle": "no", "motor_vehicle:forward": "yes"}, "f", "fb", "fb"),
        ({"motor_vehicle:backward": "no", "motorcar": "yes"}, "fb", "fb", "fb"),
        ({"oneway": "yes", "bicycle:backward": "yes"}, "f", "fb", "fb"),
        ({"oneway": "-1", "bicycle:forward": "designated"}, "b", "fb", "fb"),
        ({"oneway": "yes", "bicycle:forward": "yes"}, "f", "f", "fb"),
        ({"oneway": "yes", "bicycle": "yes"}, "f", "f", "fb"),
        ({"oneway": "yes", "bicycle:backward": "no", "cycleway": "opposite"}, "f", "f", "fb"),
        ({"oneway": "yes", "vehicle:backward": "yes"}, "fb", "fb", "fb"),
        ({"oneway": "yes", "motor_vehicle:forward": "no"}, "", "f", "fb"),
        ({"foot:backward": "no"}, "fb", "fb", "f"),
    ],
)
def test_one_ways_by_profile(tags, car, bike, foot):
    found = {}
    for name in PROFILES:
        use = rules(name).use({"highway": "residential"} | tags)
        found[name] = "" if use is None else "f" * use.forward + "b" * use.backward
    assert found == {"car": car, "bike": bike, "foot": foot}


def test_speeds_of_cars_are_the_tagged_limits():
    tags = {"highway": "primary", "maxspeed": "70", "maxspeed:backward": "50"}
    assert rules("car").use(tags) == Use(
        forward=True, backward=True, forward_speed=70, backward_speed=50, kind="primary"
    )
    assert (
        rules("car").use({"highway": "primary"}).forward_speed == PROFILES["car"].speeds["primary"]
    )
    assert rules("car", primary=40).use({"highway": "primary"}).backward_speed == 40
    assert rules("car", primary=40).use(tags).forward_speed == 70


def test_limits_cap_bicycles_and_mean_nothing_to_pedestrians():
    def speed(profile, **tags):
        return rules(profile).use({"highway": "residential", **tags}).forward_speed

    assert (speed("bike"), speed("bike", maxspeed="50"), speed("bike", maxspeed="10")) == (
        18,
        18,
        10,
    )
    assert (speed("foot"), speed("foot", maxspeed="3")) == (5, 5)
    assert speed("bike", bicycle="dismount") == 5


@pytest.mark.parametrize(
    ("tags", "kmh"),
    [
        ({"maxspeed": "none"}, 30),
        ({"maxspeed": "none", "highway": "living_street"}, 10),
        ({"maxspeed": "none", "highway": "motorway"}, 130),
        ({"maxspeed": "999"}, 30),
        ({"maxspeed": "0"}, 30),
        ({"maxspeed": "-1"}, 30),
        ({"maxspeed": "160"}, 160),
        ({"maxspeed": "100 mph"}, 30),
        ({"maxspeed": "signals"}, 30),
        ({"maxspeed": "50;30"}, 30),
        ({"maxspeed": "50", "maxspeed:motorcar": "20"}, 20),
        ({"maxspeed": "50", "maxspeed:motor_vehicle": "20"}, 20),
        ({"maxspeed": "50", "maxspeed:vehicle": "20"}, 20),
        ({"maxspeed": "50", "maxspeed:motorcar:forward": "20"}, 20),
        ({"maxspeed": "50", "maxspeed:motorcar:backward": "20"}, 50),
        ({"maxspeed:forward": "40", "maxspeed:motorcar": "20"}, 20),
        ({"maxspeed": "50", "maxspeed:motorcar": "what"}, 50),
        ({"maxspeed": "50", "maxspeed:motorcar": "none"}, 30),
        ({"maxspeed": "50", "maxspeed:hgv": "20", "maxspeed:bus": "10"}, 50),
        ({"maxspeed": "50", "maxspeed:lanes": "30|40"}, 50),
        ({"maxspeed:lanes": "30|40|"}, 40),
        ({"maxspeed:lanes:forward": "20", "maxspeed:lanes": "30|40"}, 20),
        ({"maxspeed:type": "RO:urban"}, 50),
        ({"source:maxspeed": "sign"}, 30),
        ({"maxspeed": "80", "source:maxspeed": "DE:urban"}, 80),
        ({"maxspeed": "80", "maxspeed:advisory": "60"}, 60),
        ({"maxspeed": "80", "maxspeed:practical": "100"}, 80),
        ({"maxspeed:practical": "20"}, 20),
    ],
)
def test_the_most_specific_readable_limit_is_the_speed_of_cars(tags, kmh):
    assert rules("car").use({"highway": "residential"} | tags).forward_speed == kmh


def test_a_limit_for_bicycles_caps_bicycles_only():
    tags = {"highway": "residential", "maxspeed": "30", "maxspeed:bicycle": "10"}
    assert (rules("bike").use(tags).forward_speed, rules("car").use(tags).forward_speed) == (10, 30)


@pytest.mark.parametrize(
    ("tags", "ignored"),
    [
        ({"motor_vehicle:conditional": "no @ (22:00-06:00)"}, "conditional tags"),
        ({"vehicle:forward:conditional": "no @ wet"}, "conditional tags"),
        ({"oneway:conditional": "no @ (Su)"}, "conditional tags"),
        ({"maxspeed:motorcar:conditional": "30 @ (wet)"}, "conditional tags"),
        ({"bicycle:conditional": "no @ (Su)"}, None),
        ({"access": "what"}, "access tags whose value has no meaning"),
        ({"vehicle:backward": "what"}, "access tags whose value has no meaning"),
        ({"access": "no"}, None),
        ({"foot": "what"}, None),
        ({"maxspeed": "fast"}, "limits of speed that are unreadable"),
        ({"maxspeed:forward": "999"}, "limits of speed that are unreadable"),
        ({"maxspeed": "signals"}, None),
        ({"maxspeed": "none"}, None),
        ({"maxspeed:hgv": "what"}, None),
    ],
)
def test_what_is_ignored_is_reported(tags, ignored):
    assert list(rules("car").ignored(tags)) == ([] if ignored is None else [ignored])


def test_tracks_are_for_cars_where_a_tag_or_the_call_says_so():
    def used(profile, choice, **tags):
        found = rules_of(profile, None, service=None, tracks=choice, restricted="ends")
        return found.use({"highway": "track", **tags}) is not None

    assert [used("car", choice) for choice in (None, True, False)] == [False, True, False]
    assert [used("foot", choice) for choice in (None, True, False)] == [True, True, False]
    assert not used("car", choice=True, motor_vehicle="forestry")
    assert not used("car", choice=False, motor_vehicle="yes")


def test_ferries_take_their_duration():
    ferry = {"route": "ferry", "motor_vehicle": "yes"}
    assert rules("car").use(ferry) == Use(
        forward=True, backward=True, forward_speed=10, backward_speed=10, kind="ferry"
    )
    assert rules("foot").use(ferry | {"duration": "0:20"}).seconds == 1200
    assert rules("car", ferry=25).use(ferry).forward_speed == 25
    assert rules("car").use({"highway": "primary", "duration": "0:20"}).seconds is None


@pytest.mark.parametrize(
    ("tags", "stopped"),
    [
        ({}, ""),
        ({"barrier": "gate"}, ""),
        ({"barrier": "toll_booth"}, ""),
        ({"barrier": "kerb"}, ""),
        ({"barrier": "bollard"}, "c"),
        ({"barrier": "bollard", "bollard": "rising"}, ""),
        ({"barrier": "bollard", "motor_vehicle": "yes"}, ""),
        ({"barrier": "bollard", "access": "no"}, "cbf"),
        ({"barrier": "block"}, "c"),
        ({"barrier": "concrete_block"}, "c"),
        ({"barrier": "boulder"}, "c"),
        ({"barrier": "retaining_wall"}, "cbf"),
        ({"barrier": "something"}, ""),
        ({"barrier": "gate; bollard"}, "c"),
        ({"barrier": "cycle_barrier"}, "c"),
        ({"barrier": "stile"}, "cb"),
        ({"barrier": "turnstile"}, "cb"),
        ({"barrier": "wall"}, "cbf"),
        ({"barrier": "gate", "access": "private"}, "cbf"),
        ({"barrier": "gate", "motor_vehicle": "private"}, "c"),
        ({"barrier": "gate", "access": "private; no"}, "cbf"),
        ({"barrier": "gate", "vehicle": "agricultural;forestry"}, "cb"),
        ({"barrier": "gate", "vehicle": "agricultural;permissive"}, ""),
        ({"barrier": "gate", "locked": "yes"}, "cbf"),
        ({"barrier": "gate", "locked": "yes", "foot": "yes"}, "cb"),
        ({"access": "no"}, ""),
    ],
)
def test_barriers_stop_their_users(tags, stopped):
    at_all = {name[0]: rules(name, restricted="closed").passage(tags) for name in PROFILES}
    assert "".join(name for name, passage in at_all.items() if not passage) == stopped


def test_a_way_that_is_open_one_way_is_closed_to_visitors_the_other_way():
    tags = {"highway": "residential", "motor_vehicle:backward": "destination"}
    use = rules("car").use(tags)
    assert (use.forward, use.backward, use.ends_only) == (True, False, False)
    use = rules("car").use(tags | {"motor_vehicle:forward": "no"})
    assert (use.forward, use.backward, use.ends_only) == (False, True, True)


def test_private_gates_open_on_request():
    gate = {"barrier": "gate", "access": "private"}
    assert rules("car").passage(gate) is Access.ENDS
    assert rules("car", restricted="open").passage(gate) is Access.OPEN
    assert rules("car", restricted="closed").passage(gate) is Access.CLOSED


@pytest.mark.parametrize(
    ("profile", "speeds", "service", "message"),
    [
        ("tram", None, None, r"profile='tram' must be 'car', 'bike', 'foot'"),
        (["car"], None, None, r"profile=\['car'\] must be"),
        ("car", {"steps": 5}, None, r"speeds\['steps'\]: the profile 'car' does not use"),
        ("foot", {"motorway": 5}, None, r"the profile 'foot' does not use .* it uses trunk, "),
        ("car", {"service": 5}, None, r"does not use this class \(service=True includes it\)"),
        ("bike", {"service": 5}, False, r"\(service=True includes it\)"),
        ("car", {"primary": 0}, None, r"speeds\['primary'\] = 0 must be a number of km/h"),
        ("car", {"primary": "fast"}, None, r"speeds\['primary'\] = 'fast' must be"),
        ("car", {"primary": True}, None, r"speeds\['primary'\] = True must be"),
        ("car", {"primary": float("nan")}, None, r"speeds\['primary'\] = nan must be"),
    ],
)
def test_wrong_profiles_and_speeds_are_refused(profile, speeds, service, message):
    with pytest.raises(InputError, match=message):
        rules_of(profile, speeds, service=service, restricted="ends")


def test_service_roads_are_for_bicycles_and_pedestrians_unless_left_out():
    def used(profile, service):
        found = rules_of(profile, None, service=service, restricted="ends")
        return found.use({"highway": "service"}) is not None

    found = {choice: [used(name, choice) for name in PROFILES] for choice in (None, True, False)}
    assert found == {None: [False, True, True], True: [True] * 3, False: [False] * 3}


def test_the_documentation_has_the_speeds():
    page = Path(__file__).parents[2] / "docs" / "reference" / "openstreetmap.md"
    text = page.read_text("utf-8").partition("## Access")[0]
    rows = re.findall(r"^\| `(\w+)` \|(.*)\|(.*)\|(.*)\|$", text, re.MULTILINE)
    stated = {
        (name, profile): cell.strip()
        for name, *cells in rows
        for profile, cell in zip(PROFILES, cells, strict=True)
        if cell.strip()
    }
    expected = {
        (name, key): f"({speed:g})" if name in profile.on_permission else f"{speed:g}"
        for key, profile in PROFILES.items()
        for name, speed in profile.speeds.items()
    }
    assert stated == expected


@pytest.mark.parametrize(
    ("tags", "report"),
    [
        ({"access": "psv;bicycle"}, ["access tags whose value has no meaning"]),
        ({"access": "destination;delivery"}, []),
        ({"bicycle": "official;yes"}, []),
        ({"oneway": "both"}, ["one-way tags whose value has no meaning"]),
        ({"oneway": "yes @ (07:00-09:00)"}, ["one-way tags whose value has no meaning"]),
        ({"oneway:motor_vehicle": "yes;no"}, ["one-way tags whose value has no meaning"]),
        ({"oneway": "Alternating"}, []),
        ({"oneway:bus": "perhaps"}, []),
        ({"route": "ferry", "duration": "90 min"}, ["durations that are unreadable"]),
        ({"highway": "footway", "duration": "90 min"}, []),
        ({"barrier": "something"}, ["barriers of an unknown kind"]),
        ({"barrier": "gate;something"}, ["barriers of an unknown kind"]),
        ({"barrier": "something", "access": "yes"}, []),
        ({"barrier": "Swing_Gate"}, []),
    ],
)
def test_values_without_a_meaning_are_reported(tags, report):
    assert list(rules("car").ignored(tags)) == report


def test_an_emergency_access_is_closed_to_cars_without_a_tag_for_them():
    way = {"highway": "service", "service": "emergency_access"}
    assert users(way) == "bf"
    assert users(way | {"motorcar": "yes"}) == "cbf"
