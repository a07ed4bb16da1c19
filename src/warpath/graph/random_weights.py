"""Helpers of the generators: checked arguments, and random weights from a seed."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import _core
from warpath.base import settings, units
from warpath.base.errors import InputError, NotEnoughMemoryError, WeightError
from warpath.graph.checks import dtype_of, is_integer, is_number, shown
from warpath.graph.csr import threads_for

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    Weights = tuple[float, float] | None
    Dtype = DTypeLike | None

_BYTES_PER_EDGE = 24  # src, dst and weight as drawn, index and weight as stored
_BYTES_PER_VERTEX = 16


def whole(**named: Any) -> int:
    """Return the one keyword argument as an int, or raise InputError if it is not an integer."""
    [(name, value)] = named.items()
    try:
        return operator.index(value)
    except TypeError:
        msg = f"{name} = {shown(value)}: must be an integer."
        raise InputError(msg) from None


def at_least(least: int, **named: Any) -> int:
    """Return the one keyword argument as an int, or raise InputError if it is below `least`."""
    [name] = named
    checked = whole(**named)
    if checked < least:
        msg = f"{name} = {shown(checked)}: must be at least {least}."
        raise InputError(msg)
    return checked


def seed_of(seed: Any) -> int:
    """Return a seed as an int in 0 .. 2**64 - 1, or raise InputError."""
    checked = at_least(0, seed=seed)
    if checked >= 2**64:
        msg = f"seed = {shown(checked)}: must be below 2**64."
        raise InputError(msg)
    return checked


def probability(**named: Any) -> float:
    """Return the one keyword argument as a float, or raise InputError if it is not in [0, 1]."""
    [(name, value)] = named.items()
    if not is_number(value) or not 0 <= value <= 1:
        msg = f"{name} = {shown(value)}: a probability lies in [0, 1]."
        raise InputError(msg)
    return float(value)


def threshold(**named: Any) -> int:
    """Return a probability in units of 2**-53, as the core expects it."""
    return int(probability(**named) * 2**53)


def must_fit(edges: int, vertices: int, *, working: int = 0) -> None:
    """Raise NotEnoughMemoryError, before anything is generated, if a graph exceeds free memory.

    Parameters
    ----------
    edges, vertices : numbers of stored edges and vertices.
    working : bytes that the generator itself needs.
    """
    needed = min(edges * _BYTES_PER_EDGE + vertices * _BYTES_PER_VERTEX + working, 2**200)
    free = settings.memory()
    if needed > free:
        msg = (
            f"a graph of {_count(vertices)} vertices and about {_count(edges)} edges needs about "
            f"{units.size(needed)}, but {units.size(free)} are free: "
            "use fewer vertices or edges."
        )
        raise NotEnoughMemoryError(msg)


def _count(number: int) -> str:
    """Return a number with its digits grouped, or the power of two below a very large one."""
    return f"{number:,}" if number < 2**100 else f"2**{number.bit_length() - 1}"


def drawn(count: int, weights: Weights, dtype: Dtype, seed: int) -> NDArray[Any] | None:
    """Draw `count` random weights: (count,) of the type of `weights` and `dtype`, or None.

    Raises
    ------
    WeightError
        `weights` is not a valid range, or does not fit the type.
    """
    if weights is None:
        if dtype is not None:
            msg = f"dtype = {shown(dtype)} is the type of weights, but weights is None."
            raise WeightError(msg)
        return None
    low, high = _range(weights)
    integers = isinstance(low, int) and isinstance(high, int)
    chosen = _type_of(low, high, dtype, integers=integers)
    out = np.empty(count, chosen)
    bound = int if chosen.kind == "i" else float
    threads = threads_for(len(out))
    _core.draw_weights(out=out, low=bound(low), high=bound(high), seed=seed, threads=threads)
    return out


def _range(weights: Any) -> tuple[int | float, int | float]:
    try:
        low, high = (_number(bound) for bound in weights)
    except (TypeError, ValueError, OverflowError):
        msg = f"weights = {shown(weights)}: give (low, high), or None for an unweighted graph."
        raise WeightError(msg) from None
    if not (math.isfinite(low) and math.isfinite(high) and math.isfinite(float(high) - float(low))):
        msg = f"weights = {weights!r}: low, high and their difference must be finite."
        raise WeightError(msg)
    if low > high:
        msg = f"weights = {weights!r}: low must not exceed high."
        raise WeightError(msg)
    return low, high


def _number(bound: Any) -> int | float:
    if not is_number(bound):
        msg = "a number is needed"
        raise TypeError(msg)
    float(bound)  # OverflowError for an integer larger than any float
    return operator.index(bound) if is_integer(bound) else float(bound)


def _type_of(low: float, high: float, dtype: Dtype, *, integers: bool) -> np.dtype[Any]:
    if dtype is None:
        if not integers:
            return np.dtype(np.float64)
        small = np.iinfo(np.int32)
        dtype = np.int32 if small.min <= low and high <= small.max else np.int64
    chosen = weight_type(dtype)
    if chosen.kind == "f":
        if max(abs(low), abs(high)) > float(np.finfo(chosen).max):
            msg = f"weights = ({low}, {high}) does not fit {chosen}: use a wider type."
            raise WeightError(msg)
        return chosen
    if not integers:
        msg = f"weights = ({low}, {high}) has floats, but dtype is {chosen}: give integers."
        raise WeightError(msg)
    if low < np.iinfo(chosen).min or high > np.iinfo(chosen).max:
        msg = f"weights = ({low}, {high}) does not fit {chosen}: use a smaller range."
        raise WeightError(msg)
    return chosen


def weight_type(dtype: DTypeLike) -> np.dtype[Any]:
    """Return a dtype that weights can have, or raise WeightError."""
    chosen = dtype_of(dtype)
    if chosen is None or chosen not in (np.int32, np.int64, np.float32, np.float64):
        msg = f"dtype = {shown(dtype)}: weights are int32, int64, float32 or float64."
        raise WeightError(msg)
    return chosen


def euclidean(
    rule: str,
    ends: tuple[NDArray[Any], NDArray[Any]],
    points: tuple[NDArray[Any], NDArray[Any]],
    dtype: Dtype,
) -> NDArray[Any]:
    """Return the lengths of edges between integer points: (m,), int32 by default.

    Parameters
    ----------
    rule : must be ``"euclidean"``; any other word is refused.
    ends : src and dst, each (m,).
    points : x and y, each (n,) int64.
    dtype : integer lengths are rounded to the nearest; floats are the correctly rounded root.
    """
    if rule != "euclidean":
        msg = f'weights = {rule!r}: give "euclidean", (low, high) or None.'
        raise WeightError(msg)
    out = np.empty(len(ends[0]), weight_type(np.int32 if dtype is None else dtype))
    _core.link_lengths(*ends, *points, out)
    return out
