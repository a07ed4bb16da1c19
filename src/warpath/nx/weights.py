"""Conversion of the weights of NetworkX edges, any Python objects, to arrays for the core."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base.errors import LeftToNetworkXError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from warpath.base.dtypes import Array

#: The kinds of original weights: a float, an integer, or missing, which counts as the integer 1.
FLOAT, WHOLE, ABSENT = 0, 1, 2
_HIDDEN = 3

_EXACT = 2**53  # floats hold all smaller integers


class _Absent(int):
    """The weight 1 of an edge without the attribute; the type distinguishes it from a given 1."""


#: The value of a missing attribute.
NO_WEIGHT = _Absent(1)

_KINDS: dict[type, int] = {
    float: FLOAT,
    np.float64: FLOAT,
    int: WHOLE,
    bool: WHOLE,
    np.bool_: WHOLE,
    np.int8: WHOLE,
    np.int16: WHOLE,
    np.int32: WHOLE,
    np.int64: WHOLE,
    np.uint8: WHOLE,
    np.uint16: WHOLE,
    np.uint32: WHOLE,
    np.uint64: WHOLE,
    np.longlong: WHOLE,
    np.ulonglong: WHOLE,
    _Absent: ABSENT,
    type(None): _HIDDEN,
}


class Weights(NamedTuple):
    """The weights of m edges.

    Attributes
    ----------
    values : (m,) int32, int64 or float64; None if all weights are missing, so that all are 1.
    kinds : the kind of all original weights, FLOAT, WHOLE or ABSENT; (m,) int8 if kinds differ.
    hidden : (m,) bool, edges of weight None, whose values are 0; None if there are none.
    """

    values: Array | None
    kinds: int | Array
    hidden: Array | None


def weights_of(raw: Sequence[Any], n: int, place: Callable[[int], str]) -> Weights:
    """Return the weights of the edges of a graph of n vertices.

    Parameters
    ----------
    raw : one object per edge: a number, NO_WEIGHT, or None, which hides the edge.
    place : function that returns the name of an edge from its position, for messages.

    Raises
    ------
    LeftToNetworkXError
        If sums of a weight may differ from those of Python's arithmetic, as for Fractions, integers
        beyond 64 bits, nan and inf; names the edge. NetworkX's dispatcher then uses its default
        implementation if fallback is enabled.
    """
    kinds = set(map(type, raw))
    unknown = unfit(kinds)
    if unknown is not None:
        at = next(at for at, weight in enumerate(raw) if type(weight) not in _KINDS)
        msg = f"the weight of the edge {place(at)} is {raw[at]!r}: {unknown}"
        raise LeftToNetworkXError(msg)
    if kinds <= {_Absent}:
        return Weights(None, ABSENT, None)
    codes: int | Array
    hidden = None
    if len(kinds) == 1 and kinds != {type(None)}:
        codes = _KINDS[kinds.pop()]
    else:
        codes = np.fromiter(map(_KINDS.__getitem__, map(type, raw)), np.int8, len(raw))
        hidden = codes == _HIDDEN
        raw = [0 if weight is None else weight for weight in raw] if hidden.any() else raw
        hidden = hidden if hidden.any() else None
        shown = np.unique(codes[codes != _HIDDEN])
        if len(shown) <= 1:
            codes = int(shown[0]) if len(shown) else WHOLE
    values = _whole(raw, place) if np.all(codes != FLOAT) else _floats(raw, codes, n, place)
    return Weights(values, codes, hidden)


def unfit(kinds: set[type]) -> str | None:
    """Return why weights of such types are not supported, or None if they are."""
    for kind in kinds:
        if kind not in _KINDS:
            return (
                f"warpath computes with integers of 64 bits and floats, not with {kind.__name__}; "
                "backend='networkx' takes any object with addition."
            )
    return None


def _whole(raw: Sequence[Any], place: Callable[[int], str]) -> Array:
    try:
        values = np.array(raw, np.int64)
    except OverflowError:
        at = next(at for at, weight in enumerate(raw) if not -(2**63) <= int(weight) < 2**63)
        msg = (
            f"the weight of the edge {place(at)} is {raw[at]}, which does not fit 64 bits; "
            "backend='networkx' takes integers of any size."
        )
        raise LeftToNetworkXError(msg) from None
    info = np.iinfo(np.int32)
    narrow = len(values) == 0 or (values.min() >= info.min and values.max() <= info.max)
    return values.astype(np.int32) if narrow else values


def _floats(raw: Sequence[Any], codes: int | Array, n: int, place: Callable[[int], str]) -> Array:
    try:
        values = np.array(raw, np.float64)
        largest = 0.0 if isinstance(codes, int) else np.abs(values[codes != FLOAT]).max(initial=0)
    except OverflowError:  # an integer too large for a float
        values, largest = np.zeros(0), math.inf
    if largest * n >= _EXACT:
        msg = (
            "weights are both integers and floats, and sums of integers may exceed 2**53, beyond "
            "which floats are not exact; backend='networkx' adds them as integers."
        )
        raise LeftToNetworkXError(msg)
    endless = np.flatnonzero(~np.isfinite(values))
    if len(endless):
        at = int(endless[0])
        msg = (
            f"the weight of the edge {place(at)} is {raw[at]}: warpath takes finite weights; "
            "leave the edge out, or use backend='networkx'."
        )
        raise LeftToNetworkXError(msg)
    if not math.isfinite(float(np.abs(values).max(initial=0)) * n):
        msg = (
            "a path over such weights may be longer than the largest float; "
            "backend='networkx' then answers inf."
        )
        raise LeftToNetworkXError(msg)
    return values
