from __future__ import annotations

import pytest

from warpath.io.osm_access import Access, access_of, permission

CAR = ("motorcar", "motor_vehicle", "vehicle", "access")


@pytest.mark.parametrize(
    ("value", "access"),
    [
        ("yes", Access.OPEN), ("designated", Access.OPEN), ("destination", Access.ENDS),
        ("private", Access.ENDS), ("no", Access.CLOSED), ("agricultural", Access.CLOSED),
        ("private;delivery", Access.ENDS), ("agricultural; forestry", Access.CLOSED),
        ("no;private", Access.ENDS), (" no , Permissive ", Access.OPEN), ("no|no", Access.CLOSED),
        ("no;what", Access.CLOSED), (";", None), ("", None), ("what", None), ("unknown", None),
    ],
)  # fmt: skip
def test_a_list_is_as_open_as_its_most_open_value(value, access):
    assert access_of(value, "vehicle") is access


def test_official_is_a_legal_sign_for_bicycles_and_pedestrians_only():
    opened = {key for key in ("bicycle", "foot", *CAR) if access_of("official", key)}
    assert opened == {"bicycle", "foot"}


@pytest.mark.parametrize(
    ("tags", "value"),
    [
        ({"vehicle": "no", "motorcar": "yes"}, "yes"),
        ({"vehicle:forward": "no", "vehicle": "yes"}, "no"),
        ({"vehicle:backward": "no", "vehicle": "yes"}, "yes"),
        ({"vehicle:forward": "no", "motor_vehicle": "yes"}, "yes"),
        ({"vehicle:both_ways": "no", "access": "yes"}, "no"),
        ({"motorcar": "what", "vehicle": "no"}, "no"),
    ],
)
def test_the_more_specific_key_and_direction_decide(tags, value):
    assert permission(tags, CAR, "forward").value == value


def test_no_tag_decides_where_none_has_a_meaning():
    assert permission({"motorcar": "what", "foot": "no"}, CAR, "forward") is None
