"""Interpretation of OpenStreetMap tags for cars: access, direction and speed.

The rules follow the wiki pages Key:highway, Key:access, Key:oneway and Key:maxspeed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

#: What the licence of OpenStreetMap asks pictures to show.
ATTRIBUTION = "\N{COPYRIGHT SIGN} OpenStreetMap contributors"

# Free-flow speeds in km/h for ways without a (readable) limit. They are assumptions, not
# measurements, between the usual legal limit of the class and the real speed of cars.
DEFAULT_SPEEDS: dict[str, float] = {
    "motorway": 110,
    "motorway_link": 50,
    "trunk": 90,
    "trunk_link": 45,
    "primary": 65,
    "primary_link": 35,
    "secondary": 55,
    "secondary_link": 30,
    "tertiary": 45,
    "tertiary_link": 25,
    "unclassified": 40,
    "residential": 30,
    "living_street": 10,
    "road": 30,
    "service": 15,
}

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

_CLOSED = frozenset(
    {"no", "private", "agricultural", "forestry", "agricultural;forestry", "delivery", "emergency"}
    | {"military", "psv", "bus", "official", "permit"}
)
_OPEN_PRIVATE = frozenset({"private", "permit", "delivery"})
_ROUNDABOUTS = frozenset({"roundabout", "circular"})


@dataclass(frozen=True, slots=True)
class Drive:
    """The directions in which cars may use a way, relative to its points, and km/h in each."""

    forward: bool
    backward: bool
    forward_speed: float
    backward_speed: float


@dataclass(frozen=True, slots=True)
class CarRules:
    """The rules that select the ways of the car network.

    Parameters
    ----------
    speeds : km/h by highway class, for ways without a tagged limit; other classes are left out.
    private : True includes ways open to some cars only (access=private, permit, delivery).
    """

    speeds: Mapping[str, float]
    private: bool = False

    def drive(self, tags: Mapping[str, str]) -> Drive | None:
        """Return the use of a way with these tags, or None if cars may not use it."""
        usual = self.speeds.get(tags.get("highway", ""))
        if usual is None or tags.get("area") == "yes" or not self._open(tags):
            return None
        forward, backward = directions(tags)
        if not (forward or backward):
            return None
        limit = speed_limit(tags.get("maxspeed")) or usual
        return Drive(
            forward,
            backward,
            speed_limit(tags.get("maxspeed:forward")) or limit,
            speed_limit(tags.get("maxspeed:backward")) or limit,
        )

    def _open(self, tags: Mapping[str, str]) -> bool:
        # The most specific key decides: motorcar=yes opens a way with motor_vehicle=no.
        for key in ("motorcar", "motor_vehicle", "vehicle", "access"):
            value = tags.get(key)
            if value is not None:
                return value not in _CLOSED or (self.private and value in _OPEN_PRIVATE)
        return True


def directions(tags: Mapping[str, str]) -> tuple[bool, bool]:
    """Return whether cars may follow the way's points forward, and backward.

    An explicit oneway overrides the one-way that junction=roundabout or highway=motorway implies. A
    lane that changes its direction during the day (reversible, alternating) is closed both ways.
    """
    keys = ("oneway:motorcar", "oneway:motor_vehicle", "oneway:vehicle", "oneway")
    value = next((tags[key] for key in keys if key in tags), None)
    if value in {"yes", "true", "1"}:
        return True, False
    if value in {"-1", "reverse"}:
        return False, True
    if value in {"reversible", "alternating"}:
        return False, False
    if value not in {"no", "false", "0"}:
        implied = tags.get("junction") in _ROUNDABOUTS or tags.get("highway") == "motorway"
        return True, not implied
    return True, True


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
