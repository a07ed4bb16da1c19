"""Conditional tags of OpenStreetMap at a given time, such as "no @ (Mo-Fr 07:00-09:00)".

The rules follow the wiki page Conditional restrictions.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any

from warpath.base.errors import InputError, require
from warpath.graph.checks import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

#: The end of the keys of conditional tags.
CONDITIONAL = ":conditional"

# A value, "@" and a condition, which stands in parentheses if it has a semicolon.
_CLAUSE = re.compile(r"\s*([^@;]+?)\s*@\s*(\((?:[^()]|\([^()]*\))*\)|[^;()]*?)\s*(?:;\s*|$)")
_CLAUSES = re.compile(f"(?:{_CLAUSE.pattern})+")
_AND = re.compile(r"\s+and\s+", re.IGNORECASE)
_SUN = re.compile("sunrise|sunset|dawn|dusk", re.IGNORECASE)
_HAS_TIME = re.compile(r"\d[T ]\d", re.ASCII)


def local_time(at: Any) -> datetime:
    """Return the option `at` as a date with a time of day, or raise InputError.

    Examples
    --------
    >>> local_time("2026-11-26 08:30")
    datetime.datetime(2026, 11, 26, 8, 30)
    """
    try:
        time = datetime.fromisoformat(at) if isinstance(at, str) and _HAS_TIME.search(at) else at
    except ValueError:
        time = None
    if not isinstance(time, datetime) or time.tzinfo is not None:
        msg = (
            f"at={shown(at)} must be a date and a local time without a time zone, "
            'such as "2026-11-26 08:30".'
        )
        raise InputError(msg)
    return time


class Moment:
    """A time at a place, which decides conditional tags.

    Parameters
    ----------
    time : local time.
    place : latitude and longitude, which determine public holidays and sunrise; None if unknown.

    Raises
    ------
    MissingDependencyError
        The package opening-hours-py is not installed.
    """

    def __init__(self, time: datetime, place: tuple[float, float] | None) -> None:
        hours = require("opening_hours", what="at=", extra="osm", package="opening-hours-py")
        self._time, self._place = time, place
        self._hours, self._error = hours.OpeningHours, hours.ParserError
        self._verdicts: dict[str, bool | None] = {}
        self._holidays = place is not None and self._parsed("PH").next_change(time) is not None

    def resolved(self, tags: Mapping[str, str]) -> Mapping[str, str]:
        """Return tags where each conditional one whose conditions hold replaces the tag it is for.

        The last of several values whose conditions hold counts. Conditional tags with a condition
        that the time does not decide, such as a weight, stay.
        """
        names = [name for name in tags if name.endswith(CONDITIONAL)]
        if not names:
            return tags
        result = dict(tags)
        for name in names:
            clauses = _CLAUSE.findall(tags[name]) if _CLAUSES.fullmatch(tags[name]) else [("", "")]
            verdicts = [self._holds(condition) for _, condition in clauses]
            values = [value for (value, _), holds in zip(clauses, verdicts, strict=True) if holds]
            if values:
                result[name.removesuffix(CONDITIONAL)] = values[-1]
            if None not in verdicts:
                del result[name]
        return result

    def _holds(self, condition: str) -> bool | None:
        """Return whether a condition holds; None if the time does not decide."""
        if condition not in self._verdicts:
            parts = _AND.split(re.sub(r"^\((.*)\)$", r"\1", condition))
            verdicts = {self._open(part) for part in parts}
            undecided = None if None in verdicts else True
            self._verdicts[condition] = False if False in verdicts else undecided
        return self._verdicts[condition]

    def _open(self, hours: str) -> bool | None:
        """Return whether opening hours include the time; None for what are none."""
        unknown_holiday = "SH" in hours or ("PH" in hours and not self._holidays)
        if unknown_holiday or (self._place is None and _SUN.search(hours)):
            return None
        try:
            parsed = self._parsed(hours)
        except self._error:
            return None
        return None if parsed.is_unknown(self._time) else bool(parsed.is_open(self._time))

    def _parsed(self, hours: str) -> Any:
        return self._hours(hours, coords=self._place)
