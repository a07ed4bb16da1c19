"""Columns of directions: rows of a table that are open along, against, or both ways."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base.errors import GraphError, InputError, WeightError
from warpath.graph.checks import is_missing
from warpath.io.columns import (
    directions_by_name,
    means_two_way,
    named,
    opposite_weight,
    plain,
    says_directions,
)

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.io.columns import Column
    from warpath.io.dataframes import Table

#: Values of a column of directions, in lower case.
ALONG = (
    "1", "yes", "true", "y", "forward", "ft", "ab", "from-to", "directed", "oneway", "one-way",
    "one way", "sens direct",
)  # fmt: skip
AGAINST = ("-1", "reverse", "backward", "tf", "ba", "to-from", "sens inverse")
BOTH = (
    "0", "no", "false", "n", "both", "b", "undirected", "mutual", "two-way", "two way", "both ways",
    "bidirectional", "double sens",
)  # fmt: skip

_GEPHI = {"directed", "undirected", "mutual"}


class Arcs(NamedTuple):
    """The edges that the rows of a table stand for.

    Attributes
    ----------
    rows : (k,) int64, the row of each edge.
    against : (k,) bool, whether the edge leads from the row's target to its source.
    weights : (k,), or None.
    """

    rows: Array
    against: Array
    weights: Array | None

    def directed(self, src: Array, dst: Array) -> tuple[Array, Array]:
        """Return the sources and the targets of the edges, (k,) each, of those of the rows."""
        first, last = src[self.rows], dst[self.rows]
        return np.where(self.against, last, first), np.where(self.against, first, last)


class Ways(NamedTuple):
    """The directions of the rows of a table.

    Attributes
    ----------
    along, back : (r,) bool, whether a row is open along, and against.
    missing : the number of rows without a value.
    origin : the columns that the directions are from, in words.
    """

    along: Array
    back: Array
    missing: int
    origin: str


def arcs_of(
    table: Table,
    chosen: tuple[str, str, str | None],
    *,
    oneway: Column | bool | None,
    reverse_weight: Column | None,
    directed: bool | None,
) -> tuple[Arcs | None, bool, dict[str, str]]:
    """Return the edges of a table with directions, else None; directed; and the report.

    Parameters
    ----------
    chosen : the columns of source, target and weight.
    oneway : the column of directions; True or False for all rows; None: columns of directions are
        not used; "auto": used where the header identifies a format, see
        `warpath.io.columns.directions_by_name`, else reported.
    reverse_weight : the column of the weights against the direction of a row. A negative weight
        along or against closes a row in that direction, as in pgRouting.
    directed : what the caller says of all rows; None: the table's directions, else True.

    Raises
    ------
    InputError
        Two options contradict each other.
    GraphError
        A value is not a direction; the message has its row.
    """
    source, target, weight = chosen
    if isinstance(oneway, bool):
        if directed not in {None, oneway}:
            msg = f"oneway={oneway} and directed={directed} contradict: leave one of them out."
            raise InputError(msg)
        directed, oneway = oneway, None
    given = [
        f"{name}={value!r}"
        for name, value in (("oneway", oneway), ("reverse_weight", reverse_weight))
        if value is not None and value != "auto"
    ]
    if given and directed is not None:
        msg = f"{given[0]} and directed={directed} contradict: leave one of them out."
        raise InputError(msg)
    names = table.names
    by_name = directions_by_name(names, (source, target))
    auto = oneway == "auto" and directed is None
    column = by_name.oneway if auto else None if oneway in {None, "auto"} else named(names, oneway)
    if auto and column is not None and plain(column) == "type" and not _is_gephi(table, column):
        column = None
    costs = by_name.costs if auto and reverse_weight == "auto" else None
    opposite = None if weight is None else opposite_weight(names, weight)
    against: str | None
    if reverse_weight not in {None, "auto"}:
        if weight is None:
            msg = f"reverse_weight={reverse_weight!r} needs weight=, the column along the rows."
            raise InputError(msg)
        against = named(names, reverse_weight)
        costs = (weight, against) if column is None else None
    else:
        in_use = reverse_weight == "auto" and (column is not None or costs is not None)
        against = opposite if in_use else None
    report = {}
    if column is not None:
        ways = _ways(table, column)
    elif costs is not None:
        along, back = (table.weights(cost) >= 0 for cost in costs)
        names_of_costs = " and ".join(map(repr, costs))
        ways = Ways(along, back, 0, f"negative weights in the columns {names_of_costs}")
    else:
        if oneway == "auto":
            report = _unused(table, chosen, opposite)
        return None, directed is not False, report
    arcs, report = _arcs(table, weight, against, ways)
    return arcs, True, report


def _arcs(
    table: Table, weight: str | None, against: str | None, ways: Ways
) -> tuple[Arcs, dict[str, str]]:
    along, back = ways.along, ways.back
    counts = {
        "one way": int((along & ~back).sum()),
        "against their row": int((back & ~along).sum()),
        "both ways": int((along & back).sum()),
        "closed": int((~along & ~back).sum()),
    }
    said = ", ".join(f"{count:,} {way}" for way, count in counts.items() if count) or "no rows"
    if ways.missing:
        said += f" ({ways.missing:,} of them have no value and count as both ways)"
    rows = np.concatenate([np.flatnonzero(along), np.flatnonzero(back)])
    reverse = np.repeat([False, True], [int(along.sum()), int(back.sum())])
    order = np.argsort(rows, kind="stable")
    weights = None
    if weight is not None:
        weights = np.concatenate(
            [
                _needed(table, weight, along),
                _needed(table, weight if against is None else against, back),
            ]
        )[order]
    return Arcs(rows[order], reverse[order], weights), {f"directions from {ways.origin}": said}


def _needed(table: Table, column: str, rows: Array) -> Array:
    """Return the weights of some rows; the others may have none."""
    if rows.all():
        return table.weights(column)
    values = table.kept(column)
    if values.dtype.kind not in "biuf":
        return table.weights(column)[rows]  # names what is wrong
    bad = np.flatnonzero(rows & np.isnan(values))
    if len(bad):
        msg = f"row {bad[0]} of column {column!r} is missing, but the row is open in its direction."
        raise WeightError(msg)
    return values[rows]


def _ways(table: Table, column: str) -> Ways:
    """Return the directions of a column."""
    values = table.kept(column).tolist()
    texts = [_text(value) for value in values]
    different = dict.fromkeys(texts)
    meaning = _meaning(different, column)
    unknown = next((text for text in different if text not in meaning), None)
    if unknown is not None:
        at = texts.index(unknown)
        msg = (
            f"row {at} of column {column!r} is {values[at]!r}, which is not a direction: "
            f"{', '.join(ALONG[:3])} (along the row), {', '.join(AGAINST[:2])} (against it), "
            f"{', '.join(BOTH[:3])} or nothing (both ways). oneway=None leaves the column out."
        )
        raise GraphError(msg)
    ways = np.array([meaning[text] for text in texts], np.bool_).reshape(-1, 2)
    return Ways(ways[:, 0], ways[:, 1], texts.count(""), f"the column {column!r}")


def _meaning(texts: dict[str, None], column: str) -> dict[str, tuple[bool, bool]]:
    """Return whether rows with a text are open along and against."""
    lower = {text.casefold() for text in texts}
    two_way = means_two_way(column)
    meaning = {"": (True, True)}
    meaning |= dict.fromkeys(ALONG, (True, two_way))
    meaning |= dict.fromkeys(AGAINST, (False, True))
    meaning |= dict.fromkeys(BOTH, (True, not two_way))
    if lower & {"f", "t"}:
        if "b" in lower:  # Geofabrik's shapes: forward, against ("to-from"), both
            meaning |= {"f": (True, False), "t": (False, True)}
        elif lower & {"f", "t"} & set(texts):  # PostgreSQL
            meaning |= {"t": meaning["true"], "f": meaning["false"]}
        else:
            msg = (
                f"column {column!r} has T and F, which could be true and false, or to-from and "
                "from-to: write yes and no, or TF and FT. oneway=None leaves the column out."
            )
            raise GraphError(msg)
    if lower & {"ft", "tf"}:  # Esri's networks, where N is closed
        meaning["n"] = (False, False)
    return {text: meaning[text.casefold()] for text in texts if text.casefold() in meaning}


def _text(value: Any) -> str:
    if is_missing(value):
        return ""
    if isinstance(value, bool):
        return str(value)
    text = str(value).strip()
    try:
        number = float(text)
    except ValueError:
        return text
    if math.isnan(number):
        return ""
    return str(int(number)) if number.is_integer() else text


def _is_gephi(table: Table, column: str) -> bool:
    return {_text(value).casefold() for value in table.kept(column).tolist()} <= _GEPHI


def _unused(
    table: Table, chosen: tuple[str, str, str | None], opposite: str | None
) -> dict[str, str]:
    """Return the report of columns of directions that are not used."""
    report = {}
    own = {plain(name) for name in table.names}
    for name in table.names:
        if name in chosen or not (says_directions(name) or name == opposite):
            continue
        option = "reverse_weight" if name == opposite or plain(name).startswith("rev") else "oneway"
        if {"u", "v", "key"} <= own and option == "oneway":
            report[f"column {name!r}"] = "rows are directed: OSMnx lists both directions"
        else:
            report[f"column {name!r} is not used"] = f"{option}={name!r} reads it"
    return report
