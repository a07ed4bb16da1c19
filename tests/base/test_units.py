"""Lengths in the unit of a graph's weights."""

from __future__ import annotations

import pytest

from warpath.base import units


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (850, "m", "850 m"),
        (999.6, "m", "1 km"),
        (12_400, "m", "12.4 km"),
        (1_234_000, "m", "1,234 km"),
        (45.2, "s", "45.2 s"),
        (59.7, "s", "1 min"),
        (102.2, "s", "1.7 min"),
        (596.9, "s", "9.9 min"),
        (597, "s", "10 min"),
        (900, "s", "15 min"),
        (3_590, "s", "1:00 h"),
        (3_900, "s", "1:05 h"),
        (17, "min", "17 min"),
        (0.5, "minutes", "30 s"),
        (1.5, "h", "1:30 h"),
        (12.4, "km", "12.4 km"),
        (1_234.5, "EUR", "1,234.5 EUR"),
        (1_234.5, None, "1,234.5"),
    ],
)
def test_a_length_is_written_in_its_unit(value, unit, text):
    assert units.measure(value, unit) == text


@pytest.mark.parametrize(
    ("largest", "unit", "found"),
    [
        (1_999, "m", (1, "metres")),
        (2_000, "m", (1000, "kilometres")),
        (179, "s", (1, "seconds")),
        (180, "s", (60, "minutes")),
        (10_800, "s", (3600, "hours")),
        (2, "min", (1 / 60, "seconds")),
        (17, "min", (1, "minutes")),
        (200, "min", (60, "hours")),
        (5, "EUR", (1, "distance in EUR")),
        (5, None, (1, "distance")),
    ],
)
def test_a_scale_has_numbers_that_are_not_large(largest, unit, found):
    assert units.scale(largest, unit) == found
