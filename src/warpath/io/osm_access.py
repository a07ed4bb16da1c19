"""Interpretation of OpenStreetMap's access tags: values, lists of values and directions.

The rules follow the wiki pages Key:access and Forward & backward, left & right.
"""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Access(IntEnum):
    """How far a way is open."""

    CLOSED = 0
    #: Open to trips that start or end on the way, not to through traffic.
    ENDS = 1
    OPEN = 2


#: The values that give each access.
LEVELS: dict[Access, tuple[str, ...]] = {
    Access.OPEN: (
        *("yes", "true", "permissive", "designated", "public", "allowed", "unrestricted"),
        *("discouraged", "dismount", "optional_sidepath", "limited", "passable", "shared"),
        *("shared_lane", "lane", "track", "sidewalk", "crossing"),
    ),
    Access.ENDS: (
        *("destination", "customers", "customer", "delivery", "private", "permit", "permits"),
        *("residents", "resident", "employees", "employee", "staff", "members", "visitors"),
        *("guests", "students", "tenants", "owner", "local", "registered"),
    ),
    Access.CLOSED: (
        *("no", "false", "closed", "restricted", "agricultural", "forestry", "emergency"),
        *("military", "official", "bus", "psv", "taxi", "tram", "hgv", "use_sidepath"),
    ),
}
_ACCESS_OF = {value: access for access, values in LEVELS.items() for value in values}
#: Keys for which "official" means a way with a legal sign for them, as "designated" does.
OPEN_IF_OFFICIAL = frozenset({"bicycle", "foot"})

_SEPARATORS = re.compile("[;,|]")


class Permission(NamedTuple):
    """The access tag that decides.

    Attributes
    ----------
    access : how far it opens a way or point.
    key : its key without a direction, such as "vehicle".
    directed : whether it holds for one direction only, as vehicle:backward does.
    value : its value.
    """

    access: Access
    key: str
    directed: bool
    value: str


def parts_of(value: str) -> list[str]:
    """Return the values of a list such as "agricultural; forestry", in lower case."""
    return [part.strip().lower() for part in _SEPARATORS.split(value)]


def access_of(value: str, key: str, users: Sequence[str] = ()) -> Access | None:
    """Return the access that the value of a key gives; None for a value without a meaning.

    A list is as open as the most open value in it. A value such as "bus" opens for these `users`.

    Examples
    --------
    >>> access_of("no; private", "vehicle").name
    'ENDS'
    """
    parts = parts_of(value)
    if key in OPEN_IF_OFFICIAL and "official" in parts:
        return Access.OPEN
    if any(part in users and part in _ACCESS_OF for part in parts):
        return Access.OPEN
    return max((_ACCESS_OF[part] for part in parts if part in _ACCESS_OF), default=None)


def has_meaning(value: str, key: str) -> bool:
    """Return whether each value in a list gives an access."""
    return all(access_of(part, key) is not None for part in parts_of(value))


def permission(
    tags: Mapping[str, str], keys: Sequence[str], direction: str | None = None
) -> Permission | None:
    """Return the access tag that decides: motorcar=yes beats vehicle=no.

    Parameters
    ----------
    keys : keys of access tags, the most specific first.
    direction : "forward" or "backward", along or against the points of a way: vehicle:forward beats
        vehicle. None for a point.

    Returns
    -------
    Permission or None
        None without a tag whose value has a meaning.
    """
    for name, key, directed in _names(tuple(keys), direction):
        if name in tags and (access := access_of(tags[name], key, keys)) is not None:
            return Permission(access, key, directed, tags[name])
    return None


@lru_cache
def _names(keys: tuple[str, ...], direction: str | None) -> list[tuple[str, str, bool]]:
    """Return the tags to look at in their order: (name, key, whether of one direction)."""
    if direction is None:
        return [(key, key, False) for key in keys]
    return [
        name
        for key in keys
        for name in (
            (f"{key}:{direction}", key, True),
            (f"{key}:both_ways", key, False),
            (key, key, False),
        )
    ]
