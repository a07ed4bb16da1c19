"""The ways of an OpenStreetMap extract that cars, bicycles and pedestrians use, and how fast.

The rules follow the wiki pages Key:access, Key:barrier, OSM tags for routing/Access restrictions
and Bicycle. Speeds are assumptions, not measurements.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from warpath.base.errors import InputError
from warpath.graph.checks import as_float, shown
from warpath.io.osm_tags import contraflow, directions, duration, speed_limit

if TYPE_CHECKING:
    from collections.abc import Mapping

#: km/h. A ferry without a tagged duration is this fast, with the waiting.
_FERRY = 10.0
_DISMOUNTED = 5.0

# Free-flow speeds, between the usual legal limit of the class and the real speed of cars.
_CAR: dict[str, float] = {
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
    "ferry": _FERRY,
}
_STREETS = [name for name in _CAR if name not in {"motorway", "motorway_link", "ferry"}]
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
    "steps": 3,
    "ferry": _FERRY,
}

_CLOSED = frozenset(
    {"no", "private", "agricultural", "forestry", "agricultural;forestry", "delivery", "emergency"}
    | {"military", "psv", "bus", "official", "permit", "use_sidepath"}
)
_OPEN_PRIVATE = frozenset({"private", "permit", "delivery"})

_WALLS = frozenset({"wall", "city_wall", "fence", "hedge", "guard_rail", "debris"})
_NARROW = frozenset(
    {"kissing_gate", "stile", "horse_stile", "turnstile", "full-height_turnstile", "wicket_gate"}
)
_FOR_CARS = frozenset(
    {"block", "bollard", "bus_trap", "chain", "cycle_barrier", "jersey_barrier", "log", "planter"}
    | {"motorcycle_barrier", "rope", "step", "sump_buster"}
)


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


PROFILES = {
    "car": Profile(
        users="cars",
        speeds=_CAR,
        access=("motorcar", "motor_vehicle", "vehicle", "access"),
        oneway=("oneway:motorcar", "oneway:motor_vehicle", "oneway:vehicle", "oneway"),
        restriction=("restriction:motorcar", "restriction:motor_vehicle", "restriction"),
        on_permission=frozenset({"ferry"}),
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
        on_permission=frozenset({"pedestrian", "footway", "bridleway", "busway", "steps"}),
        barriers=_WALLS | _NARROW,
        limits="cap",
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
        areas=frozenset({"pedestrian", "footway", "path", "platform"}),
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
    """

    forward: bool
    backward: bool
    forward_speed: float
    backward_speed: float
    kind: str
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Rules:
    """A profile with the choices of a call.

    Parameters
    ----------
    profile : the kind of traffic.
    speeds : km/h by class, for ways without a tagged limit; ways of other classes are left out.
    private : True includes ways open to some only (private, permit, delivery).
    """

    profile: Profile
    speeds: Mapping[str, float]
    private: bool = False

    def use(self, tags: Mapping[str, str]) -> Use | None:
        """Return the use of a way with these tags, or None if it may not be used."""
        profile = self.profile
        kind = tags.get("highway", "ferry" if tags.get("route") == "ferry" else "")
        usual = self.speeds.get(kind)
        area = tags.get("area") == "yes" and kind not in profile.areas
        if usual is None or area or not self._open(tags, kind):
            return None
        forward, backward = directions(tags, profile.oneway)
        by_bike = "bicycle" in profile.access
        if by_bike and "oneway:bicycle" not in tags and contraflow(tags):
            forward = backward = True
        if not (forward or backward):
            return None
        if by_bike and tags.get("bicycle") == "dismount":
            usual = min(usual, _DISMOUNTED)
        limit = self._speed(usual, tags.get("maxspeed"))
        return Use(
            forward,
            backward,
            self._speed(limit, tags.get("maxspeed:forward")),
            self._speed(limit, tags.get("maxspeed:backward")),
            kind,
            duration(tags.get("duration")) if kind == "ferry" else None,
        )

    def blocks(self, tags: Mapping[str, str]) -> bool:
        """Return whether a point with these tags stops the traffic.

        An access tag of the point decides; else the kind of barrier, and whether it is locked.
        """
        barrier = tags.get("barrier")
        if barrier is None:
            return False
        value, _ = self._access(tags)
        if value is not None:
            return self._closed(value)
        if tags.get("bollard") == "rising":
            return False
        return barrier in self.profile.barriers or tags.get("locked") == "yes"

    def _open(self, tags: Mapping[str, str], kind: str) -> bool:
        profile = self.profile
        value, key = self._access(tags)
        fast_only = not profile.motorroads and tags.get("motorroad") == "yes"
        if (fast_only or kind in profile.on_permission) and key in {None, "access"}:
            return False
        return value is None or not self._closed(value)

    def _access(self, tags: Mapping[str, str]) -> tuple[str | None, str | None]:
        """Return the access value that decides, and its key: motorcar=yes beats vehicle=no."""
        key = next((key for key in self.profile.access if key in tags), None)
        return (None, None) if key is None else (tags[key], key)

    def _closed(self, value: str) -> bool:
        return value in _CLOSED and not (self.private and value in _OPEN_PRIVATE)

    def _speed(self, usual: float, limit: str | None) -> float:
        tagged = None if self.profile.limits == "ignore" else speed_limit(limit)
        if tagged is None:
            return usual
        return tagged if self.profile.limits == "replace" else min(usual, tagged)


def rules_of(
    profile: str,
    speeds: Mapping[str, float] | None,
    *,
    service: bool | None,
    private: bool,
) -> Rules:
    """Return the rules of a call of `warpath.read`, whose options these are.

    Raises
    ------
    InputError
        An unknown profile; a speed of a class that the profile does not use, or that is no speed.
    """
    if not isinstance(profile, str) or profile not in PROFILES:
        msg = f"profile={shown(profile)} must be {', '.join(map(repr, PROFILES))}."
        raise InputError(msg)
    chosen = PROFILES[profile]
    usual = dict(chosen.speeds)
    if not (chosen.service if service is None else service):
        del usual["service"]
    for name, kmh in (speeds or {}).items():
        if name not in usual:
            hint = " (service=True includes it)" if name == "service" else ""
            msg = (
                f"speeds[{name!r}]: the profile {profile!r} does not use this class{hint}; "
                f"it uses {', '.join(usual)}."
            )
            raise InputError(msg)
        if not 0 < as_float(kmh) < float("inf"):
            msg = f"speeds[{name!r}] = {shown(kmh)} must be a number of km/h greater than 0."
            raise InputError(msg)
        usual[name] = float(kmh)
    return Rules(chosen, usual, private)
