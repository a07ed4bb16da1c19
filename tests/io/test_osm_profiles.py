"""Who may use a way, in which direction and how fast, by its tags."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from warpath.base.errors import InputError
from warpath.io.osm_profiles import PROFILES, Use, rules_of


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
        ("construction", ""), ("proposed", ""), ("elevator", ""), ("", ""),
    ],
)  # fmt: skip
def test_classes_are_for_their_users(highway, who):
    assert users({"highway": highway}) == who


@pytest.mark.parametrize(
    ("tags", "who"),
    [
        ({"access": "no"}, ""),
        ({"access": "private"}, ""),
        ({"access": "destination"}, "cbf"),
        ({"access": "customers"}, "cbf"),
        ({"access": "agricultural;forestry"}, ""),
        ({"access": "agricultural; forestry"}, ""),
        ({"access": "Agricultural , NO"}, ""),
        ({"access": "no;emergency;psv"}, ""),
        ({"vehicle": "private;delivery"}, "f"),
        ({"vehicle": "no;private"}, "f"),
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
        ({"highway": "footway", "vehicle": "destination"}, "bf"),
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
        ({"motor_vehicle:backward": "destination"}, True),
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
        ({"conveying": "backward"}, "fb", "fb", "b"),
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
    assert "".join(name[0] for name in PROFILES if rules(name).blocks(tags)) == stopped


def test_private_gates_open_on_request():
    gate = {"barrier": "gate", "access": "private"}
    assert rules("car").blocks(gate)
    assert not rules("car", restricted="open").blocks(gate)


@pytest.mark.parametrize(
    ("profile", "speeds", "service", "message"),
    [
        ("tram", None, None, r"profile='tram' must be 'car', 'bike', 'foot'"),
        (["car"], None, None, r"profile=\['car'\] must be"),
        ("car", {"footway": 5}, None, r"speeds\['footway'\]: the profile 'car' does not use"),
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
    rows = re.findall(r"^\| `(\w+)` \|(.*)\|(.*)\|(.*)\|$", page.read_text("utf-8"), re.MULTILINE)
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
