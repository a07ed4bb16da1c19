"""Profiles that a dict or a TOML file derives from a built-in one."""

from __future__ import annotations

import numpy as np
import pytest

from warpath.base.errors import InputError
from warpath.io import formats
from warpath.io.osm_access import Access
from warpath.io.osm_profiles import PROFILES
from warpath.io.osm_rules import VARIANTS, profile_of, rules_of
from warpath.io.osm_tags import measure

OSM = """<osm version="0.6">
 <node id="1" lon="0" lat="0"/><node id="2" lon="0.01" lat="0"/><node id="3" lon="0.02" lat="0"/>
 <way id="1"><nd ref="1"/><nd ref="2"/><tag k="highway" v="primary"/></way>
 <way id="2"><nd ref="2"/><nd ref="3"/><tag k="highway" v="tertiary"/>
  <tag k="surface" v="gravel"/><tag k="maxweight" v="7.5"/></way>
</osm>"""


def use(profile, **tags):
    """Return the use of a way by a profile."""
    rules = rules_of(profile, None, service=None, restricted="ends")
    return rules.use({name.replace("__", ":"): value for name, value in tags.items()})


@pytest.mark.parametrize("name", PROFILES)
def test_a_dict_without_differences_is_its_base(name):
    assert profile_of({"base": name}) == PROFILES[name]


def test_speeds_factors_and_sizes_differ_from_the_base():
    own = {
        "base": "car",
        "speeds": {"primary": 50, "motorway": 0},
        "factors": {"surface": {"gravel": 0.5, "mud": 0}},
        "size": {"maxheight": 3.5},
    }
    assert use(own, highway="primary").forward_speed == 50
    assert use(own, highway="primary", surface="gravel").backward_speed == 25
    assert use(own, highway="secondary").forward_speed == PROFILES["car"].speeds["secondary"]
    assert use(own, highway="motorway") is None
    assert use(own, highway="primary", surface="mud") is None
    assert use(own, highway="primary", maxheight="3.4 m") is None
    assert use(own, highway="primary", maxheight="default") is not None
    closed = rules_of(own, None, service=None, restricted="ends")
    assert closed.passage({"barrier": "height_restrictor", "maxheight": "2"}) is Access.CLOSED
    assert closed.passage({"barrier": "height_restrictor", "maxheight": "4"}) is Access.OPEN


def test_access_keys_also_name_one_ways_limits_and_restrictions():
    own = profile_of({"base": "car", "access": ["hgv", "motor_vehicle"]})
    assert own.access == ("hgv", "motor_vehicle", "access")
    assert own.oneway == ("oneway:hgv", "oneway:motor_vehicle", "oneway")
    assert own.restriction == ("restriction:hgv", "restriction:motor_vehicle", "restriction")
    assert use("truck", highway="primary", maxspeed__hgv="40").forward_speed == 40


@pytest.mark.parametrize(
    ("profile", "opened", "closed"),
    [
        ("truck", {"highway": "primary", "motor_vehicle": "hgv"}, {"highway": "road", "hgv": "no"}),
        ("truck", {"highway": "road", "maxweight": "40"}, {"highway": "road", "maxweight": "7"}),
        ("bus", {"highway": "busway", "access": "no", "bus": "yes"}, {"highway": "cycleway"}),
        ("bus", {"highway": "primary", "motor_vehicle": "psv"}, {"highway": "road", "bus": "no"}),
        ("wheelchair", {"highway": "elevator"}, {"highway": "steps", "foot": "yes"}),
        ("wheelchair", {"railway": "platform"}, {"highway": "footway", "wheelchair": "no"}),
        ("wheelchair", {"man_made": "pier"}, {"highway": "path", "surface": "sand"}),
        ("emergency", {"highway": "service", "service": "emergency_access"}, {"highway": "steps"}),
        ("emergency", {"highway": "footway", "emergency": "yes"}, {"highway": "footway"}),
    ],
)  # fmt: skip
def test_more_built_in_profiles(profile, opened, closed):
    assert use(profile, **opened) is not None
    assert use(profile, **closed) is None


def test_barriers_of_the_built_in_profiles():
    def passed(profile, **tags):
        return rules_of(profile, None, service=None, restricted="ends").passage(tags)

    assert passed("bus", barrier="bus_trap") is Access.OPEN
    assert passed("truck", barrier="bus_trap") is Access.CLOSED
    assert passed("wheelchair", barrier="stile", foot="yes") is Access.CLOSED
    assert passed("wheelchair", barrier="kissing_gate", wheelchair="yes") is Access.OPEN


@pytest.mark.parametrize("given", ["dict", "text", "path"])
def test_a_graph_is_read_with_a_dict_or_a_file(tmp_path, given):
    file, extract = tmp_path / "own.toml", tmp_path / "a.osm"
    file.write_text('base = "car"\nspeeds.primary = 36\nfactors.surface.gravel = 0.5\n')
    extract.write_text(OSM)
    own = {"base": "car", "speeds": {"primary": 36}, "factors": {"surface": {"gravel": 0.5}}}
    profile = {"dict": own, "text": str(file), "path": file}[given]
    car = formats.read(extract, weight="seconds")
    graph = formats.read(extract, weight="seconds", profile=profile)
    factor = np.where(graph.given.column("kind", np.arange(graph.m)) == "primary", 65 / 36, 2)
    np.testing.assert_allclose(graph.weights, car.weights * factor)
    assert formats.read(extract, profile="truck").m == 2


@pytest.mark.parametrize(
    ("profile", "message"),
    [
        ("tram", "profile='tram' must be 'car', 'bike', 'foot', 'truck', .*toml file, or a dict"),
        (7, "profile=7 must be 'car'"),
        ({}, r"profile\['base'\] = None must be 'car'"),
        ({"base": "tram"}, r"profile\['base'\] = 'tram' must be 'car'"),
        ({"base": "car", "sped": {}}, r"profile\['sped'\] is not a key.*did you mean 'speeds'"),
        ({"base": "car", "xyz": {}}, r"profile\['xyz'\] is not a key.*there are access, bar"),
        ({"base": "car", "speeds": 5}, r"profile\['speeds'\] = 5 must be a dict of numbers of km"),
        ({"base": "car", "speeds": {"residental": 5}}, "did you mean 'residential'"),
        ({"base": "car", "speeds": {"road": -5}}, r"\['speeds'\]\['road'\] = -5 must be numbers"),
        ({"base": "car", "speeds": {"road": True}}, r"\['road'\] = True must be"),
        ({"base": "car", "factors": {"surface": 1}}, r"\['factors'\]\['surface'\] = 1 must be a d"),
        ({"base": "car", "size": {"height": 1}}, "did you mean 'maxheight'"),
        ({"base": "car", "access": "hgv"}, r"\['access'\] = 'hgv' must be a list of texts"),
        ({"base": "car", "on_permission": ["pth"]}, "did you mean 'path'"),
        ({"base": "car", "limits": "none"}, r"\['limits'\] = 'none' must be 'replace', 'cap'"),
        ({"base": "car", "service": 1}, r"\['service'\] = 1 must be True or False"),
        ({"base": "car", "users": 1}, r"\['users'\] = 1 must be a text"),
        ("missing.toml", "profile='missing.toml': cannot read the file: No such file"),
    ],
)
def test_mistakes_are_named_with_the_way_out(profile, message):
    with pytest.raises(InputError, match=message):
        rules_of(profile, None, service=None, restricted="ends")


def test_mistakes_in_a_file_name_the_file(tmp_path):
    file = tmp_path / "own.toml"
    file.write_text("base = car")
    with pytest.raises(InputError, match=r"own\.toml' is not a TOML file: .*line 1"):
        profile_of(file)
    file.write_text('base = "car"\nspeeds.rode = 3')
    with pytest.raises(InputError, match=r"own\.toml\['speeds'\]\['rode'\] is not a class"):
        profile_of(str(file))


@pytest.mark.parametrize(
    ("text", "size"),
    [("3.5", 3.5), ("3.5 m", 3.5), ("350 cm", 3.5), ("7500 kg", 7.5), ("12'6\"", 3.81),
     ("10 ft", 3.048), ("10 st", 9.0718474), ("none", None), ("7 miles", None), (None, None)],
)  # fmt: skip
def test_sizes_are_metres_or_tonnes(text, size):
    assert measure(text) == (None if size is None else pytest.approx(size))


def test_all_variants_are_valid():
    assert [profile_of(name).users for name in VARIANTS] == [
        "trucks", "buses", "wheelchairs", "emergency vehicles",
    ]  # fmt: skip
