"""The ways of an OpenStreetMap extract that cars, bicycles and pedestrians use, and how fast.

The rules follow the wiki pages Key:access, Key:barrier, OSM tags for routing/Access restrictions
and Bicycle. Speeds are assumptions, not measurements.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from warpath.io.osm_access import Access, has_meaning, parts_of, permission
from warpath.io.osm_tags import (
    advised_speed,
    contraflow,
    directions,
    duration,
    is_direction,
    is_limit,
    limit_of,
    measure,
)
from warpath.io.osm_times import CONDITIONAL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from warpath.io.osm_access import Permission

#: The use of ways that are open to some only.
Restricted = Literal["ends", "open", "closed"]
RESTRICTED: tuple[str, ...] = get_args(Restricted)

#: km/h. A ferry without a tagged duration is this fast, with the waiting.
_FERRY = 10.0
_DISMOUNTED = 5.0

#: Classes where maxspeed=none is a speed of its own, in km/h; elsewhere that of the class counts.
_FAST = frozenset({"motorway", "trunk"})
_UNLIMITED = 130.0

#: The values of sac_scale of paths (highway=path) that bicycles may use without a tag for them.
EASY_HIKING = ("strolling", "hiking")

# Free-flow speeds, between the usual legal limit of the class and the real speed of cars.
_ROADS: dict[str, float] = {
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
_CAR: dict[str, float] = {
    **_ROADS,
    "track": 15,
    "ferry": _FERRY,
    **dict.fromkeys(("cycleway", "path", "pedestrian", "footway", "bridleway"), 10),
}
_STREETS = [name for name in _ROADS if not name.startswith("motorway")]
_BIKE: dict[str, float] = {
    **dict.fromkeys(_STREETS, 18),
    "living_street": 12,
    "road": 16,
    "service": 15,
    "cycleway": 18,
    "track": 12,
    "path": 12,
    "pedestrian": 8,
    "footway": 8,
    "bridleway": 8,
    "busway": 18,
    "steps": 2,
    "pier": 8,
    "elevator": 2,
    "motorway": 18,
    "motorway_link": 18,
    "ferry": _FERRY,
}
_FOOT: dict[str, float] = {
    **dict.fromkeys(_STREETS, 5),
    "pedestrian": 5,
    "footway": 5,
    "path": 5,
    "track": 5,
    "cycleway": 5,
    "bridleway": 5,
    "busway": 5,
    "corridor": 5,
    "platform": 5,
    "pier": 5,
    "elevator": 2,
    "steps": 3,
    "ferry": _FERRY,
}

#: Keys that give a way without a highway tag its class, by their value.
CLASS_KEYS = {
    "route": "ferry",
    "man_made": "pier",
    "railway": "platform",
    "public_transport": "platform",
}

_WALLS = frozenset(
    {"wall", "city_wall", "retaining_wall", "fence", "hedge", "guard_rail", "debris"}
)
_NARROW = frozenset(
    {"kissing_gate", "stile", "horse_stile", "turnstile", "full-height_turnstile", "wicket_gate"}
)
_FOR_CARS = frozenset(
    {"block", "bollard", "bus_trap", "chain", "cycle_barrier", "jersey_barrier", "log", "planter"}
    | {"motorcycle_barrier", "rope", "step", "sump_buster", "barrier_board", "cable_barrier"}
    | {"boulder", "concrete_barrier", "concrete_block", "ditch", "rock", "stone", "tank_trap"}
)
_GATES = frozenset(
    {"no", "gate", "lift_gate", "swing_gate", "sliding_gate", "hampshire_gate", "bump_gate"}
    | {"boom_gate", "sliding_beam", "rising_bollard", "bar", "door", "entrance", "sally_port"}
    | {"toll_booth", "ticket", "border_control", "checkpoint", "cattle_grid", "kerb", "spikes"}
    | {"height_restrictor", "chicane", "arch"}
)
_BARRIERS = _WALLS | _NARROW | _FOR_CARS | _GATES


@dataclass(frozen=True, slots=True)
class Profile:
    """The ways that one kind of traffic uses.

    Attributes
    ----------
    users : the kind of traffic, for messages.
    speeds : km/h by highway class; "ferry" for route=ferry. Other classes are not used.
    access : keys of access tags, the most specific first; "access" is the last.
    oneway : keys of one-way tags, the most specific first.
    restriction : keys of turn restrictions that apply, the most specific first.
    on_permission : classes that are closed unless a key of `access` other than "access" opens them.
    barriers : the values of `barrier` that close a point without an access tag.
    limits : whether a tagged limit replaces the speed, caps it or is ignored.
    motorroads : whether ways with motorroad=yes are open without permission.
    areas : classes whose areas (area=yes) are passed along their outlines.
    service : whether highway=service is included by default.
    factors : by key and value of a tag, a factor of the speed; 0 closes a way or barrier.
    size : metres or tonnes by the key of the limit, such as maxheight; lower limits close.
    """

    users: str
    speeds: Mapping[str, float]
    access: tuple[str, ...]
    oneway: tuple[str, ...]
    restriction: tuple[str, ...]
    on_permission: frozenset[str]
    barriers: frozenset[str]
    limits: Literal["replace", "cap", "ignore"]
    motorroads: bool = False
    areas: frozenset[str] = frozenset()
    service: bool = True
    factors: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    size: Mapping[str, float] = field(default_factory=dict)


PROFILES = {
    "car": Profile(
        users="cars",
        speeds=_CAR,
        access=("motorcar", "motor_vehicle", "vehicle", "access"),
        oneway=("oneway:motorcar", "oneway:motor_vehicle", "oneway:vehicle", "oneway"),
        restriction=("restriction:motorcar", "restriction:motor_vehicle", "restriction"),
        on_permission=frozenset(_CAR) - set(_ROADS),
        barriers=_WALLS | _NARROW | _FOR_CARS,
        limits="replace",
        motorroads=True,
        service=False,
    ),
    "bike": Profile(
        users="bicycles",
        speeds=_BIKE,
        access=("bicycle", "vehicle", "access"),
        oneway=("oneway:bicycle", "oneway:vehicle", "oneway"),
        restriction=("restriction:bicycle", "restriction"),
        on_permission=frozenset({"pedestrian", "footway", "bridleway", "busway", "steps"})
        | {"pier", "elevator", "motorway", "motorway_link"},
        barriers=_WALLS | _NARROW,
        limits="cap",
        areas=frozenset({"elevator"}),
    ),
    "foot": Profile(
        users="pedestrians",
        speeds=_FOOT,
        access=("foot", "access"),
        oneway=("oneway:foot", "conveying"),
        restriction=("restriction:foot",),
        on_permission=frozenset({"cycleway", "busway"}),
        barriers=_WALLS,
        limits="ignore",
        areas=frozenset({"pedestrian", "footway", "path", "platform", "pier", "elevator"}),
    ),
}


@dataclass(frozen=True, slots=True)
class Use:
    """The use of one way, relative to its points.

    Attributes
    ----------
    forward, backward : whether it may be followed in each direction.
    forward_speed, backward_speed : km/h.
    kind : the class: the value of `highway`, or "ferry".
    seconds : time for the whole way, None if it follows from the speeds.
    ends_only : whether only trips that start or end on the way may use it.
    """

    forward: bool
    backward: bool
    forward_speed: float
    backward_speed: float
    kind: str
    seconds: float | None = None
    ends_only: bool = False


@dataclass(frozen=True, slots=True)
class Rules:
    """A profile with the choices of a call.

    Parameters
    ----------
    profile : the kind of traffic.
    speeds : km/h by class, for ways without a tagged limit; ways of other classes are left out.
    restricted : the use of ways open to some only (destination, customers, private, ...): "ends"
        for trips that start or end there, "open" for all, "closed" for none.
    """

    profile: Profile
    speeds: Mapping[str, float]
    restricted: Restricted = "ends"

    def use(self, tags: Mapping[str, str]) -> Use | None:
        """Return the use of a way with these tags, or None if it may not be used."""
        profile, kind = self.profile, kind_of(tags)
        if kind not in self.speeds or (tags.get("area") == "yes" and kind not in profile.areas):
            return None
        factor = self._factor(tags)
        if factor == 0:
            return None
        by_tags = directions(tags, profile.oneway)
        by_bike = "bicycle" in profile.access
        if by_bike and "oneway:bicycle" not in tags and contraflow(tags):
            by_tags = True, True
        (forward, forward_speed), (backward, backward_speed) = (
            self._in_direction(tags, kind, side, in_oneway=open_by_tags)
            for side, open_by_tags in zip(("forward", "backward"), by_tags, strict=True)
        )
        if Access.OPEN in {forward, backward}:  # a way that is passed is an area in no direction
            forward, backward = (
                Access.OPEN if side is Access.OPEN else Access.CLOSED
                for side in (forward, backward)
            )
        if not (forward or backward):
            return None
        return Use(
            bool(forward),
            bool(backward),
            forward_speed * factor,
            backward_speed * factor,
            kind,
            duration(tags.get("duration")) if kind == "ferry" else None,
            ends_only=Access.ENDS in {forward, backward},
        )

    def passage(self, tags: Mapping[str, str]) -> Access:
        """Return how far a point with these tags is open; trips end on one side of `Access.ENDS`.

        An access tag of the barrier or elevator decides; else the kind of barrier, and whether it
        is locked.
        """
        barrier = tags.get("barrier")
        if barrier is None and tags.get("highway") != "elevator":
            return Access.OPEN
        if self._factor(tags) == 0:
            return Access.CLOSED
        stated = permission(tags, self.profile.access)
        if stated is not None:
            return self._granted(stated)
        if barrier is None or tags.get("bollard") == "rising":
            return Access.OPEN
        stops = not self.profile.barriers.isdisjoint(parts_of(barrier))
        return Access.CLOSED if stops or tags.get("locked") == "yes" else Access.OPEN

    def _factor(self, tags: Mapping[str, str]) -> float:
        """Return the factor of the speed that tags give, 0 where the traffic does not fit."""
        for key, own in self.profile.size.items():
            limit = measure(tags.get(key))
            if limit is not None and limit < own:
                return 0
        factors = self.profile.factors.items()
        return math.prod(values.get(tags[key], 1) for key, values in factors if key in tags)

    def _in_direction(
        self, tags: Mapping[str, str], kind: str, side: str, *, in_oneway: bool
    ) -> tuple[Access, float]:
        """Return the access and the speed in one direction of a way.

        Parameters
        ----------
        side : "forward" or "backward".
        in_oneway : whether the one-way tags of the way allow this direction.
        """
        stated, usual = permission(tags, self.profile.access, side), self.speeds[kind]
        if stated is not None and stated.value == "dismount":
            usual = min(usual, _DISMOUNTED)
        speed = self._speed(tags, kind, side, usual)
        against = not in_oneway and (stated is None or not stated.directed)
        general = stated is None or stated.key == "access"
        if against or (general and self._needs_permission(tags, kind)):
            return Access.CLOSED, speed
        return Access.OPEN if stated is None else self._granted(stated), speed

    def _needs_permission(self, tags: Mapping[str, str], kind: str) -> bool:
        """Return whether a way is closed unless a tag for this kind of traffic opens it."""
        profile = self.profile
        if "bicycle" in profile.access:
            if kind == "steps" and tags.get("ramp:bicycle", "no") != "no":
                return False
            if kind == "path" and tags.get("sac_scale", "hiking") not in EASY_HIKING:
                return True
        return (
            kind in profile.on_permission
            or (not profile.motorroads and tags.get("motorroad") == "yes")
            or ("vehicle" in profile.access and tags.get("smoothness") == "impassable")
            or ("vehicle" in profile.access and tags.get("impassable") == "yes")
            or (
                "motor_vehicle" in profile.access
                and "emergency" not in profile.access
                and tags.get("service") == "emergency_access"
            )
        )

    def _granted(self, stated: Permission) -> Access:
        """Return the access that a tag gives by the choice of the call."""
        if stated.access is not Access.ENDS or self.restricted == "ends":
            return stated.access
        return Access.OPEN if self.restricted == "open" else Access.CLOSED

    def _speed(self, tags: Mapping[str, str], kind: str, side: str, usual: float) -> float:
        """Return the speed in one direction of a way of a class that is usually so fast."""
        effect = self.profile.limits
        if effect == "ignore":
            return usual
        limit = limit_of(tags, self.profile.access[:-1], side)
        if limit == float("inf"):
            limit = _UNLIMITED if kind in _FAST else None
        if limit is None or (effect == "cap" and limit > usual):
            limit = usual
        advised = advised_speed(tags, side)
        return limit if advised is None else min(limit, advised)

    def ignored(self, tags: Mapping[str, str]) -> Iterator[str]:
        """Yield what is ignored among the tags of a way or point, in words for `read_report`."""
        keys = self.profile.access
        watched = {*keys, *self.profile.oneway, "maxspeed", *(f"maxspeed:{key}" for key in keys)}
        for name, value in tags.items():
            key = name.removesuffix(CONDITIONAL)
            if key != name and _without_side(key) in watched:
                yield "conditional tags"
            key = _without_side(name)
            if key in keys and not has_meaning(value, key):
                yield "access tags whose value has no meaning"
            if key in watched and key.startswith("oneway") and not is_direction(value):
                yield "one-way tags whose value has no meaning"
            if key in watched and key.startswith("maxspeed") and not is_limit(value):
                yield "limits of speed that are unreadable"
        if kind_of(tags) == "ferry" and "duration" in tags and not duration(tags["duration"]):
            yield "durations that are unreadable"
        barriers = parts_of(tags.get("barrier", "no"))
        if not _BARRIERS.issuperset(barriers) and permission(tags, keys) is None:
            yield "barriers of an unknown kind"


def kind_of(tags: Mapping[str, str]) -> str:
    """Return the class of a way: the value of highway, or ferry, pier or platform; else ""."""
    if "highway" in tags:
        return tags["highway"]
    return next((kind for key, kind in CLASS_KEYS.items() if tags.get(key) == kind), "")


def _without_side(key: str) -> str:
    """Return "vehicle" for "vehicle:forward"."""
    return key.removesuffix(":forward").removesuffix(":backward").removesuffix(":both_ways")
