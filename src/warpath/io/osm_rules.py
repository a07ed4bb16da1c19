"""The profiles of `warpath.read`: built in, or a dict or TOML file of differences from one."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warpath.base.errors import InputError
from warpath.graph.checks import as_float, shown
from warpath.io.osm_profiles import PROFILES, RESTRICTED, Profile, Rules

if TYPE_CHECKING:
    from collections.abc import Iterable

    from warpath.io.osm_profiles import Restricted

_CLASSES = {name for profile in PROFILES.values() for name in profile.speeds}
_SIZES = ("maxheight", "maxwidth", "maxlength", "maxweight", "maxaxleload")
_LIMITS = ("replace", "cap", "ignore")
_CAR, _FOOT = PROFILES["car"], PROFILES["foot"]

#: Built-in profiles, as dicts of their differences from another one.
VARIANTS: dict[str, dict[str, Any]] = {
    "truck": {
        "base": "car",
        "users": "trucks",
        "access": ["hgv", "motor_vehicle", "vehicle"],
        "limits": "cap",
        "size": {"maxheight": 4, "maxwidth": 2.55, "maxlength": 16.5, "maxweight": 40},
        "speeds": {
            "motorway": 80,
            "motorway_link": 40,
            "trunk": 75,
            "trunk_link": 40,
            "primary": 60,
            "primary_link": 30,
            "secondary": 50,
            "secondary_link": 25,
            "tertiary": 40,
            "tertiary_link": 20,
            "unclassified": 30,
            "residential": 20,
            "living_street": 7,
            "road": 20,
            "service": 10,
            "track": 10,
        },
    },
    "bus": {
        "base": "car",
        "users": "buses",
        "access": ["bus", "psv", "motor_vehicle", "vehicle"],
        "limits": "cap",
        "barriers": sorted(_CAR.barriers - {"bus_trap"}),
        "size": {"maxheight": 3.2, "maxwidth": 2.55, "maxlength": 12, "maxweight": 18},
        "speeds": {
            "motorway": 90,
            "trunk": 80,
            "primary": 55,
            "secondary": 45,
            "tertiary": 40,
            "unclassified": 30,
            "residential": 25,
            "busway": 45,
        },
    },
    "wheelchair": {
        "base": "foot",
        "users": "wheelchairs",
        "access": ["wheelchair", "foot"],
        "speeds": {
            **{name: 4 for name, kmh in _FOOT.speeds.items() if kmh == _FOOT.speeds["footway"]},
            "steps": 0,
        },
        "factors": {
            "surface": {
                **dict.fromkeys(("sett", "compacted", "unpaved"), 0.8),
                **dict.fromkeys(("cobblestone", "unhewn_cobblestone", "ground", "grass"), 0.5),
                **dict.fromkeys(("gravel", "pebblestone", "dirt", "earth"), 0.5),
                **dict.fromkeys(("sand", "mud"), 0),
            },
            "smoothness": {
                "bad": 0.6,
                "very_bad": 0.3,
                **dict.fromkeys(("horrible", "very_horrible", "impassable"), 0),
            },
            "wheelchair": {"limited": 0.6},
            "barrier": dict.fromkeys(
                ("stile", "horse_stile", "turnstile", "full-height_turnstile", "step"), 0
            ),
        },
        "barriers": sorted(_FOOT.barriers | {"kissing_gate", "wicket_gate", "log"}),
    },
    "emergency": {
        "base": "car",
        "users": "emergency vehicles",
        "access": ["emergency", "motorcar", "motor_vehicle", "vehicle"],
        "on_permission": sorted(_CAR.on_permission - {"track"}),
        "service": True,
        "speeds": {"busway": 50},
    },
}
_NAMES = (*PROFILES, *VARIANTS)


def rules_of(
    profile: Any,
    speeds: Mapping[str, float] | None,
    *,
    service: bool | None,
    tracks: bool | None = None,
    restricted: Restricted,
) -> Rules:
    """Return the rules of a call of `warpath.read`, whose options these are.

    Raises
    ------
    InputError
        An unknown profile or use of restricted ways; a speed of a class that the profile does not
        use, or that is no speed; a profile of the caller's with a wrong key or value.
    """
    chosen = profile_of(profile)
    if not isinstance(restricted, str) or restricted not in RESTRICTED:
        msg = f"restricted={shown(restricted)} must be {', '.join(map(repr, RESTRICTED))}."
        raise InputError(msg)
    usual = dict(chosen.speeds)
    if not (chosen.service if service is None else service):
        usual.pop("service", None)
    if tracks is not None:
        chosen = replace(chosen, on_permission=chosen.on_permission - {"track"})
        if not tracks:
            usual.pop("track", None)
    for name, kmh in (speeds or {}).items():
        if name not in usual:
            option = {"service": "service", "track": "tracks"}.get(name)
            hint = f" ({option}=True includes it)" if option else ""
            msg = (
                f"speeds[{name!r}]: the profile {shown(profile)} does not use this class{hint}; "
                f"it uses {', '.join(usual)}."
            )
            raise InputError(msg)
        if not 0 < as_float(kmh) < float("inf"):
            msg = f"speeds[{name!r}] = {shown(kmh)} must be a number of km/h greater than 0."
            raise InputError(msg)
        usual[name] = float(kmh)
    return Rules(chosen, usual, restricted)


def profile_of(profile: Any) -> Profile:
    """Return a built-in profile by its name, or one that a dict or a TOML file describes.

    Raises
    ------
    InputError
        An unknown name, an unreadable file, or a wrong key or value.
    """
    if isinstance(profile, Mapping):
        return _derived(profile, "profile")
    if isinstance(profile, str) and profile in PROFILES:
        return PROFILES[profile]
    if isinstance(profile, str) and profile in VARIANTS:
        return _derived(VARIANTS[profile], profile)
    if isinstance(profile, os.PathLike) or (isinstance(profile, str) and profile[-5:] == ".toml"):
        return _derived(_content(Path(profile)), str(profile))
    msg = (
        f"profile={shown(profile)} must be {', '.join(map(repr, _NAMES))}, the name of a .toml "
        "file, or a dict."
    )
    raise InputError(msg)


def _content(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        msg = f"profile={str(path)!r}: cannot read the file: {error.strerror}."
    except ValueError as error:
        msg = f"profile={str(path)!r} is not a TOML file: {error}."
    raise InputError(msg)


def _derived(given: Mapping[str, Any], where: str) -> Profile:
    """Return the profile that differs from its base as a dict says.

    Parameters
    ----------
    where : the name of the dict in messages: "profile", or a file.
    """
    for key in given:
        _require(key in _READERS or key == "base", where, key, "is not a key of profiles", _KEYS)
    base = given.get("base")
    if not isinstance(base, str) or base not in _NAMES:
        msg = f"{where}['base'] = {shown(base)} must be {', '.join(map(repr, _NAMES))}."
        raise InputError(msg)
    start = profile_of(base)
    changes: dict[str, Any] = {
        key: _READERS[key](value, f"{where}[{key!r}]")
        for key, value in given.items()
        if key != "base"
    }
    if "speeds" in changes:
        speeds = {**start.speeds, **changes["speeds"]}
        changes["speeds"] = {name: kmh for name, kmh in speeds.items() if kmh > 0}
    if "factors" in changes:
        changes["factors"] = {
            key: {**start.factors.get(key, {}), **changes["factors"].get(key, {})}
            for key in {**start.factors, **changes["factors"]}
        }
    if "size" in changes:
        changes["size"] = {**start.size, **changes["size"]}
    if "access" in changes:
        users = [key for key in changes["access"] if key != "access"]
        changes["access"] = (*users, "access")
        changes["oneway"] = _by_user("oneway", users, start.oneway)
        changes["restriction"] = _by_user("restriction", users, start.restriction)
    for key in {"on_permission", "barriers"} & changes.keys():
        changes[key] = frozenset(changes[key])
    return replace(start, **changes)


def _by_user(key: str, users: Iterable[str], keys: Iterable[str]) -> tuple[str, ...]:
    """Return the keys of tags for some users, then those of `keys` that hold for all."""
    return (*(f"{key}:{user}" for user in users), *(name for name in keys if ":" not in name))


def _require(holds: bool, where: str, key: Any, fault: str, allowed: Iterable[str]) -> None:
    """Raise InputError about a key of a dict, with the similar one or all that are known."""
    if not holds:
        near = get_close_matches(str(key), list(allowed), 1)
        names = ", ".join(sorted(allowed))
        way_out = f"did you mean {near[0]!r}?" if near else f"there are {names}."
        msg = f"{where}[{shown(key)}] {fault}; {way_out}"
        raise InputError(msg)


def _numbers(value: Any, where: str, unit: str) -> dict[str, float]:
    """Return a dict of numbers, 0 or greater."""
    _check(isinstance(value, Mapping), where, value, f"a dict of {unit}")
    for key, number in value.items():
        good = not isinstance(number, bool) and 0 <= as_float(number) < float("inf")
        _check(good, f"{where}[{key!r}]", number, f"{unit}, 0 or greater")
    return {key: float(number) for key, number in value.items()}


def _speeds(value: Any, where: str) -> dict[str, float]:
    speeds = _numbers(value, where, "numbers of km/h")
    for name in speeds:
        _require(name in _CLASSES, where, name, "is not a class of ways", _CLASSES)
    return speeds


def _sizes(value: Any, where: str) -> dict[str, float]:
    sizes = _numbers(value, where, "metres or tonnes")
    for name in sizes:
        _require(name in _SIZES, where, name, "is not a tag of sizes", _SIZES)
    return sizes


def _factors(value: Any, where: str) -> dict[str, dict[str, float]]:
    _check(isinstance(value, Mapping), where, value, 'a dict such as {"surface": {"gravel": 0.5}}')
    return {
        key: _numbers(factors, f"{where}[{key!r}]", "factors of the speed")
        for key, factors in value.items()
    }


def _words(value: Any, where: str) -> list[str]:
    good = isinstance(value, Sequence) and not isinstance(value, str)
    good = good and all(isinstance(word, str) for word in value)
    _check(good, where, value, 'a list of texts such as ["hgv", "motor_vehicle"]')
    return list(value)


def _classes(value: Any, where: str) -> list[str]:
    for name in (names := _words(value, where)):
        _require(name in _CLASSES, where, name, "is not a class of ways", _CLASSES)
    return names


def _users(value: Any, where: str) -> str:
    _check(isinstance(value, str), where, value, 'a text such as "trucks"')
    return str(value)


def _effect(value: Any, where: str) -> str:
    good = isinstance(value, str) and value in _LIMITS
    _check(good, where, value, ", ".join(map(repr, _LIMITS)))
    return str(value)


def _flag(value: Any, where: str) -> bool:
    _check(isinstance(value, bool), where, value, "True or False")
    return bool(value)


def _check(holds: bool, where: str, value: Any, expected: str) -> None:
    """Raise InputError about a value that is not as expected."""
    if not holds:
        msg = f"{where} = {shown(value)} must be {expected}."
        raise InputError(msg)


#: The keys of a dict that describes a profile, with the functions that check their values.
_READERS = {
    "users": _users,
    "speeds": _speeds,
    "factors": _factors,
    "size": _sizes,
    "access": _words,
    "on_permission": _classes,
    "barriers": _words,
    "limits": _effect,
    "motorroads": _flag,
    "service": _flag,
}
_KEYS = ("base", *_READERS)
