"""Small maps as OpenStreetMap XML, drawn with tags of access and direction, and read.

Each way has two points, so it is one edge in each direction that it is open to. What a profile may
use follows from the tags by the rules of `docs/reference/openstreetmap.md`, which `_open` states
anew, without a line of the reader. Streets for some only are open or closed here; the tests have
random networks of those that are for the ends of trips, and random forbidden turns.
"""

from __future__ import annotations

import random
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

import warpath as wp
from hunt.program import Finding, Program
from warpath.base.errors import InputError

if TYPE_CHECKING:
    import numpy as np

    from hunt.program import Counts

_MAPS = 6

#: The keys of access by profile, the most specific first.
_ACCESS = {
    "car": ("motorcar", "motor_vehicle", "vehicle", "access"),
    "bike": ("bicycle", "vehicle", "access"),
    "foot": ("foot", "access"),
}
_ONEWAY = {
    "car": ("oneway:motorcar", "oneway:motor_vehicle", "oneway:vehicle", "oneway"),
    "bike": ("oneway:bicycle", "oneway:vehicle", "oneway"),
    "foot": ("oneway:foot",),
}
_CLOSING = ("no", "agricultural", "forestry", "military", "emergency", "psv")
_ENDS = ("destination", "customers", "delivery", "private")
_OPENING = ("yes", "permissive", "designated")


@dataclass
class Street:
    """A way of two points with its tags."""

    id: int
    u: int
    v: int
    tags: dict[str, str] = field(default_factory=dict)


def trial(rng: np.random.Generator, counts: Counts) -> None:
    """Draw some maps and read each for each profile."""
    chance = random.Random(int(rng.integers(2**63)))  # noqa: S311 - maps, not secrets
    with tempfile.TemporaryDirectory(prefix="warpath-hunt-") as folder:
        path = Path(folder) / "map.osm"
        for _ in range(_MAPS):
            streets = _streets(chance)
            text = _xml(chance, streets)
            path.write_text(text, encoding="utf-8")
            for profile in _ACCESS:
                counts["maps"] += 1
                restricted = chance.choice(("open", "closed"))
                options: dict[str, Any] = {"profile": profile, "restricted": restricted}
                if reason := _difference(path, streets, options):
                    raise Finding(f"{options}: {reason}\n{text}")


def _difference(path: Path, streets: list[Street], options: dict[str, Any]) -> str:
    """Return what is wrong with the graph that is read, "" if nothing is."""
    right: list[tuple[int, int, int]] = []
    for street in streets:
        forward, backward = _open(street.tags, **options)
        right += [(street.u, street.v, street.id)] * forward
        right += [(street.v, street.u, street.id)] * backward
    try:
        table = wp.read(path, service=True, **options).edge_table()
    except InputError as error:
        return f"refused: {error}\nright is {right}" if right else ""
    columns = (table[name].tolist() for name in ("source", "target", "way"))
    edges = sorted(zip(*columns, strict=True))
    return "" if edges == sorted(right) else f"read {edges}\nright is {sorted(right)}"


def _streets(chance: random.Random) -> list[Street]:
    """Return different pairs of points joined by tagged ways; not two ways between two points."""
    count = chance.randint(3, 7)
    pairs = [(u, v) for u in range(1, count + 1) for v in range(1, count + 1) if u != v]
    chance.shuffle(pairs)
    streets: list[Street] = []
    joined: set[frozenset[int]] = set()
    for u, v in pairs:
        if frozenset((u, v)) not in joined and len(streets) < 9:
            joined.add(frozenset((u, v)))
            streets.append(Street(100 + len(streets), u, v, _tags(chance)))
    return streets


def _tags(chance: random.Random) -> dict[str, str]:
    kinds = ("residential", "tertiary", "unclassified", "service", "living_street")
    tags = {"highway": chance.choice(kinds)}
    if chance.random() < 0.3:
        tags["access"] = chance.choice(_ENDS)
    for _ in range(chance.choice((0, 0, 0, 1, 2))):
        key = chance.choice(("motorcar", "motor_vehicle", "vehicle", "access", "bicycle", "foot"))
        key += chance.choice(("", "", ":forward", ":backward"))
        tags[key] = _values(chance)
    if chance.random() < 0.3:
        key = chance.choice(("oneway", "oneway", "oneway:bicycle", "oneway:vehicle"))
        tags[key] = chance.choice(("yes", "no", "-1", "true", "1", "reverse"))
    if chance.random() < 0.1:
        tags["junction"] = chance.choice(("roundabout", "circular"))
    if chance.random() < 0.2:
        tags[chance.choice(("hgv", "horse", "moped", "bus"))] = chance.choice(("no", "yes"))
    return tags


def _values(chance: random.Random) -> str:
    """Return a value of access, or a list of closing values."""
    if chance.random() < 0.3:
        listed = chance.sample(_CLOSING, 2)
        return chance.choice((";", "; ", " ; ")).join(listed)
    return chance.choice(chance.choice((_CLOSING, _ENDS, _OPENING, _OPENING)))


def _open(tags: dict[str, str], profile: str, restricted: str) -> list[bool]:
    """Return whether a way is open forward and backward; `restricted`: if it is for some only."""
    usable: list[bool] = []
    for side, in_oneway in zip(("forward", "backward"), _directions(tags, profile), strict=True):
        value, directed = "yes", False
        for key in _ACCESS[profile]:
            if f"{key}:{side}" in tags or key in tags:
                directed = f"{key}:{side}" in tags
                value = tags.get(f"{key}:{side}", tags.get(key, ""))
                break
        values = [each.strip() for each in value.split(";")]
        closing = _CLOSING if restricted == "open" else _ENDS + _CLOSING
        usable.append((in_oneway or directed) and not all(each in closing for each in values))
    return usable


def _directions(tags: dict[str, str], profile: str) -> tuple[bool, bool]:
    value = next((tags[key] for key in _ONEWAY[profile] if key in tags), None)
    if value in {"yes", "true", "1"}:
        return True, False
    if value in {"-1", "reverse"}:
        return False, True
    round_about = tags.get("junction") in {"roundabout", "circular"} and profile != "foot"
    return True, not (value is None and round_about)


def _xml(chance: random.Random, streets: list[Street]) -> str:
    points = sorted({end for street in streets for end in (street.u, street.v)})
    lines = ["<?xml version='1.0' encoding='UTF-8'?>", "<osm version='0.6'>"]
    for point in points:
        where = f"lon='{point * 0.001:.4f}' lat='{chance.randint(0, 9) * 0.001:.4f}'"
        lines.append(f"<node id='{point}' version='1' {where}/>")
    for street in streets:
        refs = f"<nd ref='{street.u}'/><nd ref='{street.v}'/>"
        tags = (f"<tag k={quoteattr(k)} v={quoteattr(v)}/>" for k, v in street.tags.items())
        lines.append(f"<way id='{street.id}' version='1'>{refs}{''.join(tags)}</way>")
    return "\n".join([*lines, "</osm>", ""])


PROGRAM = Program(
    summary="Small street maps with drawn tags: the edges that each profile may use.",
    trial=trial,
    hang=60.0,
    packages=("osmium",),
)
