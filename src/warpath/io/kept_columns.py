"""The columns and turns that a graph keeps with its edges, as arrays of files (.npz, .wph)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import InputError
from warpath.graph.checks import is_missing
from warpath.graph.input_edges import Coded, InputEdges
from warpath.graph.turns import Turns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from warpath.io.source import Source

#: The names of the arrays begin with one of these.
PREFIXES = ("given_", "turns_")

_STORED = "biufUS"


def parts_of_columns(given: InputEdges | None) -> dict[str, Any]:
    """Return the map from edges to rows of the input and the kept columns, by names of arrays.

    Raises
    ------
    InputError
        A column holds objects other than texts, which would have to be pickled.
    """
    if given is None:
        return {}
    names = list(given.columns)
    parts: dict[str, Any] = {
        "given_rows": given.rows,
        "given_count": np.int64(given.count),
        "given_names": np.array(names, np.str_),
        "given_units": np.array([given.units.get(name, "") for name in names], np.str_),
    }
    for at, (name, column) in enumerate(given.columns.items()):
        if isinstance(column, Coded):
            parts[f"given_column_{at}"] = column.codes
            parts[f"given_values_{at}"] = column.values
        else:
            parts[f"given_column_{at}"] = _plain(column, name)
    return parts


def _plain(column: NDArray[Any], name: str) -> NDArray[Any]:
    """Return a column without objects; missing values among texts become empty texts."""
    if column.dtype == object:
        values = ["" if is_missing(value) else value for value in column.tolist()]
        if all(isinstance(value, str) for value in values):
            return np.array(values, np.str_)
    if column.dtype.kind not in _STORED:
        msg = (
            f"the kept column {name!r} holds {column.dtype}, which cannot be stored in a file: "
            f"numbers and texts can. Leave it out: del graph.given.columns[{name!r}]."
        )
        raise InputError(msg)
    return column


def columns_of(source: Source, parts: Mapping[str, NDArray[Any]]) -> InputEdges | None:
    """Return what `parts_of_columns` made arrays of; None if there are none.

    Raises
    ------
    GraphFormatError
        An array is missing or does not fit the others.
    """
    if not any(name.startswith("given_") for name in parts):
        return None
    rows = _array(source, parts, "given_rows", "iu")
    count = int(_array(source, parts, "given_count", "iu", axes=0))
    names, units = (_array(source, parts, f"given_{name}", "U") for name in ("names", "units"))
    _check_below(source, "given_rows", rows, count)
    if len(set(names.tolist())) != len(names) or len(units) != len(names):
        raise source.error(None, "given_names must be different, with a unit for each")
    columns = {name: _column(source, parts, at, count) for at, name in enumerate(names.tolist())}
    with_units = zip(columns, units.tolist(), strict=True)
    return InputEdges(rows, count, columns, {name: unit for name, unit in with_units if unit})


def parts_of_turns(turns: Turns | None) -> dict[str, Any]:
    """Return the turns of a graph, by names of arrays."""
    if turns is None:
        return {}
    u_turn = np.nan if turns.u_turn is None else turns.u_turn
    return {
        "turns_banned": turns.banned,
        "turns_back": turns.back,
        "turns_costs": np.array([turns.left, turns.right, u_turn], np.float64),
        "turns_honoured": np.int64(turns.honoured),
        "turns_reasons": np.array(list(turns.ignored), np.str_),
        "turns_ignored": np.array(list(turns.ignored.values()), np.int64),
        "turns_against_travel": np.bool_(turns.against_travel),
    }


def turns_of(source: Source, parts: Mapping[str, NDArray[Any]]) -> Turns | None:
    """Return what `parts_of_turns` made arrays of; None if there are none.

    Raises
    ------
    GraphFormatError
        An array is missing or does not fit the others.
    """
    if not any(name.startswith("turns_") for name in parts):
        return None
    banned = _array(source, parts, "turns_banned", "i", axes=2)
    back = _array(source, parts, "turns_back", "i")
    costs = _array(source, parts, "turns_costs", "f")
    honoured = _array(source, parts, "turns_honoured", "iu", axes=0)
    reasons = _array(source, parts, "turns_reasons", "U")
    ignored = _array(source, parts, "turns_ignored", "iu")
    if banned.shape[1] < 2 or len(costs) != 3 or len(reasons) != len(ignored):
        reason = "turns_banned has two columns or more, turns_costs three numbers, other found"
        raise source.error(None, reason)
    against = False  # files of earlier versions do not tell
    if "turns_against_travel" in parts:
        against = bool(_array(source, parts, "turns_against_travel", "b", axes=0))
    left, right, u_turn = costs.tolist()
    if not (0 <= left < np.inf and 0 <= right < np.inf) or u_turn < 0 or u_turn == np.inf:
        raise source.error(None, f"turns_costs must be numbers >= 0, found {costs.tolist()}")
    return Turns(
        banned,
        back,
        left=left,
        right=right,
        u_turn=None if np.isnan(u_turn) else u_turn,
        honoured=int(honoured),
        ignored=dict(zip(reasons.tolist(), ignored.tolist(), strict=True)),
        against_travel=against,
    )


def _column(
    source: Source, parts: Mapping[str, NDArray[Any]], at: int, count: int
) -> NDArray[Any] | Coded:
    name = f"given_column_{at}"
    column = _array(source, parts, name, _STORED)
    if len(column) != count:
        reason = f"{name} has {len(column):,} rows, but given_count is {count:,}"
        raise source.error(None, reason)
    if f"given_values_{at}" not in parts:
        return column
    values = _array(source, parts, f"given_values_{at}", "U")
    _check_below(source, name, column, len(values))
    return Coded(column, values)


def _check_below(source: Source, name: str, array: NDArray[Any], count: int) -> None:
    if array.dtype.kind not in "iu" or (len(array) and not 0 <= array.min() <= array.max() < count):
        raise source.error(None, f"{name} must be integers in 0 .. {count - 1:,}")


def _array(
    source: Source,
    parts: Mapping[str, NDArray[Any]],
    name: str,
    kinds: str,
    *,
    axes: int = 1,
) -> NDArray[Any]:
    if name not in parts:
        raise source.error(None, f"expected the array {name}, which is missing")
    array = parts[name]
    if array.ndim != axes or array.dtype.kind not in kinds:
        reason = f"{name} has the shape {array.shape} of {array.dtype}, which it never has"
        raise source.error(None, reason)
    return array
