"""Interpretation of OpenStreetMap tags that all profiles share: directions, limits, durations.

The rules follow the wiki pages Key:oneway, Key:maxspeed, Key:cycleway and Key:duration.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: What the licence of OpenStreetMap asks pictures to show.
ATTRIBUTION = "\N{COPYRIGHT SIGN} OpenStreetMap contributors"

# Named legal limits in km/h by country: "DE:rural". A name without a country is for all countries
# that are not listed.
_NAMED_LIMITS: dict[str, float] = {
    "walk": 5,
    "living_street": 10,
    "zone": 30,
    "urban": 50,
    "rural": 90,
    "trunk": 100,
    "motorway": 120,
    "none": 130,
    "AT:rural": 100,
    "AT:motorway": 130,
    "CH:rural": 80,
    "DE:rural": 100,
    "DE:motorway": 130,
    "DK:rural": 80,
    "DK:motorway": 130,
    "FR:rural": 80,
    "FR:motorway": 130,
    "GB:nsl_restricted": 48.28032,
    "GB:nsl_single": 96.56064,
    "GB:nsl_dual": 112.65408,
    "GB:motorway": 112.65408,
    "IT:trunk": 110,
    "IT:motorway": 130,
    "NL:rural": 80,
    "NL:motorway": 100,
    "PL:motorway": 140,
    "RU:urban": 60,
    "RU:motorway": 110,
    "UA:motorway": 130,
}

_KMH_PER_UNIT = {"": 1.0, "km/h": 1.0, "kmh": 1.0, "kph": 1.0, "mph": 1.609344, "knots": 1.852}
_LIMIT = re.compile(r"(\d{1,3}(?:\.\d{1,3})?)\s*([a-z/]*)", re.ASCII)
_ZONE = re.compile(r"(?:zone:?)(\d{1,3})", re.ASCII)
_CLOCK = re.compile(r"(?:(\d{1,3}):)?(\d{1,4})(?::(\d\d))?", re.ASCII)
_ISO = re.compile(r"PT(?:(\d{1,3})H)?(?:(\d{1,4})M)?(?:(\d{1,5})S)?", re.ASCII)

_ROUNDABOUTS = frozenset({"roundabout", "circular"})
_FORWARD = frozenset({"yes", "true", "1", "forward"})
_BACKWARD = frozenset({"-1", "reverse", "backward"})


def directions(tags: Mapping[str, str], keys: Sequence[str]) -> tuple[bool, bool]:
    """Return whether a way may be followed along its points forward, and backward.

    An explicit tag overrides the one-way that junction=roundabout or highway=motorway implies. A
    lane that changes its direction during the day (reversible, alternating) is closed both ways.

    Parameters
    ----------
    keys : keys of one-way tags, the most specific first. Without "oneway" among them, roundabouts
        and motorways imply nothing.
    """
    value = next((tags[key] for key in keys if key in tags), None)
    if value in _FORWARD:
        return True, False
    if value in _BACKWARD:
        return False, True
    if value in {"reversible", "alternating"}:
        return False, False
    if value not in {"no", "false", "0"} and "oneway" in keys:
        implied = tags.get("junction") in _ROUNDABOUTS or tags.get("highway") == "motorway"
        return True, not implied
    return True, True


def contraflow(tags: Mapping[str, str]) -> bool:
    """Return whether cyclists have a lane or track against a one-way street."""
    sides = ("cycleway", "cycleway:left", "cycleway:right", "cycleway:both")
    if any(tags.get(key, "").startswith("opposite") for key in sides):
        return True
    return any(tags.get(f"{key}:oneway") in {"no", "-1"} for key in sides)


def duration(text: str | None) -> float | None:
    """Return a duration in seconds: "45" and "0:45" are minutes, "1:30:00" has seconds, "PT1H30M".

    Returns
    -------
    float or None
        None without a tag, for an unreadable value and for 0.
    """
    if text is None:
        return None
    clock, iso = _CLOCK.fullmatch(text.strip()), _ISO.fullmatch(text.strip())
    found = clock or iso
    if found is None:
        return None
    hours, minutes, seconds = (float(part or 0) for part in found.groups())
    return 3600 * hours + 60 * minutes + seconds or None


def speed_limit(text: str | None) -> float | None:
    """Return a maxspeed value in km/h.

    Accepts numbers with km/h (the default), mph or knots; "walk", "none" (130 km/h), country codes
    such as "DE:urban" or "GB:nsl_single", and zones ("DE:zone:30"). The smallest of several values
    ("50;30") counts.

    Returns
    -------
    float or None
        None without a tag, for an unreadable value ("signals", "variable") and for a limit of 0.

    Examples
    --------
    >>> speed_limit("30 mph")
    48.28032
    """
    if text is None:
        return None
    limits = [limit for part in text.split(";") if (limit := _one_limit(part.strip()))]
    return min(limits, default=None)


def _one_limit(text: str) -> float | None:
    number = _LIMIT.fullmatch(text.lower())
    if number is not None:
        unit = _KMH_PER_UNIT.get(number[2])
        return None if unit is None else float(number[1]) * unit
    country, _, rest = text.rpartition(":") if not _ZONE.search(text) else ("", "", text)
    zone = _ZONE.search(rest)
    if zone is not None:
        return float(zone[1])
    return _NAMED_LIMITS.get(f"{country}:{rest}", _NAMED_LIMITS.get(rest))
