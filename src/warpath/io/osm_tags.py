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
    "bicycle_road": 30,
    "AT:rural": 100,
    "AT:motorway": 130,
    "BE-VLG:rural": 70,
    "BE-BRU:urban": 30,
    "BG:motorway": 140,
    "BY:urban": 60,
    "CH:rural": 80,
    "CZ:motorway": 130,
    "DE:rural": 100,
    "DE:motorway": 130,
    "DK:rural": 80,
    "DK:motorway": 130,
    "FI:rural": 80,
    "FR:trunk": 110,
    "FR:rural": 80,
    "FR:motorway": 130,
    "GB:nsl_restricted": 48.28032,
    "GB:nsl_single": 96.56064,
    "GB:nsl_dual": 112.65408,
    "GB:motorway": 112.65408,
    "HR:motorway": 130,
    "HU:trunk": 110,
    "HU:motorway": 130,
    "IE:rural": 80,
    "IT:trunk": 110,
    "IT:motorway": 130,
    "NL:rural": 80,
    "NL:motorway": 100,
    "NO:rural": 80,
    "PL:motorway": 140,
    "RO:motorway": 130,
    "RS:motorway": 130,
    "RU:living_street": 20,
    "RU:urban": 60,
    "RU:motorway": 110,
    "SE:rural": 70,
    "SE:motorway": 110,
    "SI:motorway": 130,
    "SK:motorway": 130,
    "UA:motorway": 130,
}

#: Limits without a number: traffic signs that change, or no limit but that of the class.
_NO_NUMBER = frozenset({"none", "signals", "variable", "implicit", "national", "unposted"})

#: No country has a higher limit: larger numbers are mistakes. km/h.
HIGHEST_LIMIT = 160.0

#: Keys of kinds of limits, such as maxspeed:type=DE:urban.
KINDS_OF_LIMIT = ("maxspeed:type", "zone:maxspeed", "source:maxspeed")

#: Keys of speeds that are lower than the limit.
ADVISED_SPEEDS = ("maxspeed:advisory", "maxspeed:practical")

_KMH_PER_UNIT = {"": 1.0, "km/h": 1.0, "kmh": 1.0, "kph": 1.0, "mph": 1.609344, "knots": 1.852}
_LIMIT = re.compile(r"(\d{1,3}(?:\.\d{1,3})?)\s*([a-z/]*)", re.ASCII)
_PER_UNIT = {
    "": 1.0,
    "m": 1.0,
    "t": 1.0,
    "cm": 0.01,
    "kg": 0.001,
    "ft": 0.3048,
    "'": 0.3048,
    "st": 0.90718474,
    "lbs": 0.00045359237,
}
_MEASURE = re.compile(
    r"""(\d{1,6}(?:\.\d{1,6})?)\s*([a-z']*)(?:\s*(\d{1,2})\s*(?:"|in))?""", re.ASCII
)
_ZONE = re.compile(r"(?:zone:?)(\d{1,3})", re.ASCII)
_CLOCK = re.compile(r"(?:(\d{1,3}):)?(\d{1,4})(?::(\d\d))?", re.ASCII)
_ISO = re.compile(r"PT(?:(\d{1,3})H)?(?:(\d{1,4})M)?(?:(\d{1,5})S)?", re.ASCII)

ROUNDABOUTS = frozenset({"roundabout", "circular"})
_FORWARD = frozenset({"yes", "true", "1", "forward"})
_BACKWARD = frozenset({"-1", "reverse", "backward"})
_BOTH = frozenset({"no", "false", "0"})
_CHANGING = frozenset({"reversible", "alternating"})


def directions(tags: Mapping[str, str], keys: Sequence[str]) -> tuple[bool, bool]:
    """Return whether a way may be followed along its points forward, and backward.

    An explicit tag overrides the one-way that junction=roundabout or highway=motorway implies. A
    lane that changes its direction during the day (reversible, alternating) is closed both ways.
    An escalator is open both ways unless its direction is tagged.

    Parameters
    ----------
    keys : keys of one-way tags, the most specific first. Without "oneway" among them, roundabouts
        and motorways imply nothing.
    """
    key = next((key for key in keys if key in tags), None)
    value = None if key is None else tags[key].strip().lower()
    if key == "conveying" and value not in {"forward", "backward"}:
        value = tags.get("oneway")
    if value in _FORWARD:
        return True, False
    if value in _BACKWARD:
        return False, True
    if value in _CHANGING:
        return False, False
    if value not in _BOTH and "oneway" in keys:
        implied = tags.get("junction") in ROUNDABOUTS or tags.get("highway") == "motorway"
        return True, not implied
    return True, True


def is_direction(text: str) -> bool:
    """Return whether the value of a one-way tag is readable."""
    return text.strip().lower() in _FORWARD | _BACKWARD | _BOTH | _CHANGING


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
    duration_match = clock or iso
    if duration_match is None:
        return None
    hours, minutes, seconds = (float(part or 0) for part in duration_match.groups())
    return 3600 * hours + 60 * minutes + seconds or None


def speed_limit(text: str | None) -> float | None:
    """Return a maxspeed value in km/h.

    Accepts numbers with km/h (the default), mph or knots; "walk", country codes such as "DE:urban"
    or "GB:nsl_single", and zones ("DE:zone:30"). The smallest of several values ("50;30") counts.

    Returns
    -------
    float or None
        None without a tag; for values without a number ("none", "signals", "variable"); for an
        unreadable value, 0 and numbers above `HIGHEST_LIMIT`.

    Examples
    --------
    >>> speed_limit("30 mph")
    48.28032
    """
    if text is None:
        return None
    limits = [limit for part in re.split("[;|]", text) if (limit := _one_limit(part.strip()))]
    return min((limit for limit in limits if limit <= HIGHEST_LIMIT), default=None)


def measure(text: str | None) -> float | None:
    """Return a length in metres or a weight in tonnes, as of maxheight and maxweight.

    Accepts numbers with m, t (the defaults), cm, kg, ft, st or lbs, and feet with inches.

    Returns
    -------
    float or None
        None without a tag and for a value that is not such a number ("default", "none").

    Examples
    --------
    >>> measure("10 ft")
    3.048
    """
    match = None if text is None else _MEASURE.fullmatch(text.strip().lower())
    if match is None or match[2] not in _PER_UNIT:
        return None
    return float(match[1]) * _PER_UNIT[match[2]] + float(match[3] or 0) * 0.0254


def is_limit(text: str) -> bool:
    """Return whether a maxspeed value is readable, with a number or without one."""
    return text.strip().lower() in _NO_NUMBER or speed_limit(text) is not None


def limit_of(tags: Mapping[str, str], keys: Sequence[str], side: str) -> float | None:
    """Return the limit of a way in one direction, in km/h.

    maxspeed:motorcar:forward beats maxspeed:motorcar, maxspeed:forward and maxspeed; where none of
    them is readable, the fastest of maxspeed:lanes counts, or the kind of limit (maxspeed:type).

    Parameters
    ----------
    keys : the kinds of traffic, the most specific first.
    side : "forward" or "backward".

    Returns
    -------
    float or None
        inf for a limit of "none"; None without a readable limit.
    """
    for name in (*(f"maxspeed:{key}" for key in keys), "maxspeed"):
        for text in (tags.get(f"{name}:{side}"), tags.get(name)):
            if text is not None and text.strip().lower() == "none":
                return float("inf")
            if (limit := speed_limit(text)) is not None:
                return limit
    lanes = tags.get(f"maxspeed:lanes:{side}", tags.get("maxspeed:lanes", ""))
    limits = [limit for lane in lanes.split("|") if (limit := speed_limit(lane)) is not None]
    if limits:
        return max(limits)
    kinds = (speed_limit(tags.get(key)) for key in KINDS_OF_LIMIT)
    return next((limit for limit in kinds if limit is not None), None)


def advised_speed(tags: Mapping[str, str], side: str) -> float | None:
    """Return the advised or practical speed of a way in one direction, in km/h, if tagged."""
    speeds = [speed_limit(tags.get(f"{name}:{side}", tags.get(name))) for name in ADVISED_SPEEDS]
    return min((speed for speed in speeds if speed is not None), default=None)


def _one_limit(text: str) -> float | None:
    number = _LIMIT.fullmatch(text.lower())
    if number is not None:
        unit = _KMH_PER_UNIT.get(number[2])
        return None if unit is None else float(number[1]) * unit
    zone = _ZONE.search(text)
    if zone is not None:
        return float(zone[1])
    country, _, name = text.rpartition(":")
    country, name = country.upper(), name.lower()
    country = "GB" if country == "UK" else country
    return _NAMED_LIMITS.get(f"{country}:{name}", _NAMED_LIMITS.get(name))
