"""Trips in one table: the columns of their ends, and the other columns, which results keep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warpath.base.errors import InputError
from warpath.graph.checks import is_missing, shown
from warpath.graph.places import Place
from warpath.graph.tables import as_table, column_names, entries_of
from warpath.io.columns import coordinate_columns, known_ends

if TYPE_CHECKING:
    from collections.abc import Sequence

_ENDS = ("origin", "destination")
_WAY_OUT = (
    "call two of them origin and destination, or four of them origin_lon, origin_lat, "
    "destination_lon and destination_lat"
)


def ends_of_trips(origins: Any, destinations: Any) -> tuple[Any, Any, dict[str, Any] | None]:
    """Return origins, destinations and the columns to keep, which are None without a table.

    Parameters
    ----------
    origins, destinations : as in `warpath.pairs`: vertices and places, or a table and None.
    """
    if destinations is not None:
        return origins, destinations, None
    origins = as_table(origins)
    names = column_names(origins)
    if not names:
        raise InputError(
            "destinations is missing: give as many destinations as origins, or one data frame of "
            "trips with the columns origin and destination in place of both."
        )
    lower = [str(name).lower() for name in names]
    at_columns = [coordinate_columns(lower, f"{end}_") for end in _ENDS]
    if all(at_columns) and not set(_ENDS) & set(lower):
        first, last = (
            _places(origins, [names[at] for at in columns or ()], f"{end}s")
            for end, columns in zip(_ENDS, at_columns, strict=True)
        )
        used: Sequence[Any] = ()
    else:
        used = columns_of_vertices(names)
        first, last = (origins[name] for name in used)
    return first, last, {str(name): origins[name] for name in names if name not in used}


def numbers_of_trips(trips: Any, columns: dict[str, Any] | None) -> tuple[Any, str]:
    """Return the numbers of trips for `warpath.loads`, and their name for messages.

    Parameters
    ----------
    trips : numbers, the name of a column, or None.
    columns : the columns of the table besides the ends of the trips; None without a table.
    """
    if trips is None:
        named = (name for name in columns or () if name.lower() == "trips")
        name = next(named, None)
        return (None, "trips") if columns is None or name is None else (columns[name], name)
    if not isinstance(trips, str):
        return trips, "trips"
    if columns is None:
        msg = (
            f"trips = {shown(trips)} names a column, but origins and destinations are not in a "
            "table: give numbers, or one table in place of both."
        )
        raise InputError(msg)
    if trips not in columns:
        listed = ", ".join(map(repr, list(columns)[:40])) or "none"
        msg = (
            f"trips = {shown(trips)} is not a column of the table: its columns besides the ends of "
            f"the trips are {listed}."
        )
        raise InputError(msg)
    return columns[trips], trips


def columns_of_vertices(names: list[Any]) -> list[Any]:
    """Return the columns of origins and destinations, as the table calls them."""
    lower = [str(name).lower() for name in names]
    if set(_ENDS) <= set(lower):
        return [names[lower.index(end)] for end in _ENDS]
    pairs = known_ends(str(name) for name in names)
    if len(pairs) != 1:
        listed = ", ".join(map(repr, names[:40]))
        several = " and ".join("/".join(pair) for pair in pairs)
        choice = f"could be {several}" if pairs else "are in none"
        raise InputError(f"the ends of the trips {choice} of the columns {listed}: {_WAY_OUT}.")
    return [names[[str(name) for name in names].index(end)] for end in pairs[0]]


def _places(table: Any, columns: list[Any], what: str) -> list[Place | None]:
    """Return the places of two columns of coordinates, None where there is none."""
    lons, lats = (entries_of(table[name]) for name in columns)
    places: list[Place | None] = []
    for row, (lon, lat) in enumerate(zip(lons, lats, strict=True)):
        if is_missing(lon) or is_missing(lat):
            places.append(None)
            continue
        try:
            places.append(Place(lon, lat))
        except InputError:
            wrong = " and ".join(
                f"{name} = {shown(value)}" for name, value in zip(columns, (lon, lat), strict=True)
            )
            msg = f"{what}[{row}] has {wrong}: a longitude and a latitude are two finite numbers."
            raise InputError(msg) from None
    return places
