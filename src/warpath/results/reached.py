"""Distances without those of unreachable vertices, or with another number in their place."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import DistanceOverflowError, InputError
from warpath.graph.checks import is_number, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.base.dtypes import Array

_EXACT = 2**53  # float64 holds all integers up to this one


class ReachedDistances:
    """The part of results that separates distances from the mark of unreachable vertices.

    The mark is inf in floats and the largest integer in integers, so that sums, means and maxima
    of an integer ``dist`` with unreachable vertices are wrong: use `reached_dist` or `to_numpy`.
    """

    dist: Any

    if TYPE_CHECKING:

        @property
        def reached(self) -> NDArray[np.bool_]:
            """Mask of the distances of paths."""

    @property
    def reached_dist(self) -> Array:
        """The distances that a path has, in the order of `dist`, as one axis: (r,)."""
        reached = self.reached
        return _on_host(self.dist)[_on_host(reached)]

    def to_numpy(self, unreachable: float = math.nan) -> Array:
        """Return a copy of the distances with a number of your choice where there is no path.

        Parameters
        ----------
        unreachable : NaN by default, with which integers become float64; an integer, such as -1,
            keeps them integers.

        Raises
        ------
        InputError
            If `unreachable` is not a number, or an integer that does not fit the type.
        DistanceOverflowError
            If a distance is an integer above 2**53, which float64 would round.

        Examples
        --------
        >>> import warpath as wp
        >>> wp.sssp(wp.Graph.of([(0, 1, 2)], n=3), 0).to_numpy()
        array([ 0.,  2., nan])
        """
        reached = _on_host(self.reached)
        return filled(_on_host(self.dist), reached, unreachable)


def filled(dist: Array, reached: NDArray[np.bool_], value: float) -> Array:
    """Return distances with a number where there is no path; see `ReachedDistances.to_numpy`."""
    if not is_number(value):
        msg = f"unreachable = {shown(value)} must be a number, such as float('nan') or -1."
        raise InputError(msg)
    whole = dist.dtype.kind == "i" and not isinstance(value, float | np.floating)
    if whole and not np.iinfo(dist.dtype).min <= value <= np.iinfo(dist.dtype).max:
        msg = f"unreachable = {shown(value)} does not fit {dist.dtype}: use a float."
        raise InputError(msg)
    if dist.dtype.kind == "i" and not whole:
        largest = np.abs(dist[reached]).max(initial=0)
        if largest > _EXACT:
            msg = (
                f"float64 does not hold the distance {largest} exactly: use to_numpy("
                "unreachable=-1), which keeps integers, or dist with reached."
            )
            raise DistanceOverflowError(msg)
        dist = dist.astype(np.float64)
    try:
        with np.errstate(over="raise"):
            marked = dist.dtype.type(value)
    except (OverflowError, FloatingPointError):
        raise InputError(f"unreachable = {shown(value)} does not fit {dist.dtype}.") from None
    return np.where(reached, dist, marked)


def _on_host(array: Any) -> Array:
    return np.asarray(array.get() if hasattr(array, "get") else array)
