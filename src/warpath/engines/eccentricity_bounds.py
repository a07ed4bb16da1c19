"""Diameter, radius and center from few searches: bounds of all eccentricities.

A search from a vertex and one to it bound the eccentricities of all others by the triangle
inequality. Vertices whose bounds leave the answer open are searched from.

Source: Takes, Kosters, "Determining the diameter of small world networks", 2011; Borassi et al.,
"Fast diameter and radius BFS-based computation in (weakly connected) real-world graphs", 2015.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.base.dtypes import Array

_ENDS = 4  # on New York's roads 11 searches give the diameter; 30 with 2, 47 with ends alone


class EccentricityBounds:
    """Bounds of the eccentricities of the vertices of a strongly connected graph.

    Parameters
    ----------
    n : the number of vertices.
    dtype : the type of distances: int64 or float64.
    from_vertex, to_vertex : return the distances from a vertex to all others, and to it from all;
        the same function where both are the same.

    Attributes
    ----------
    low, high : (n,) bounds of eccentricities; equal once a vertex was searched from.
    known : (n,) bool, the vertices that were searched from.
    """

    def __init__(
        self,
        n: int,
        dtype: np.dtype[Any],
        from_vertex: Callable[[int], Array],
        to_vertex: Callable[[int], Array],
    ) -> None:
        self._from_vertex, self._to_vertex = from_vertex, to_vertex
        whole = dtype.kind == "i"
        self.low = np.zeros(n, dtype)
        self.high = np.full(n, np.iinfo(dtype).max if whole else np.inf, dtype)
        self.known = np.zeros(n, np.bool_)
        #: Sums of floats are rounded at each edge of a path.
        self._slack = 0.0 if whole else 8.0 * n * float(np.finfo(dtype).eps)

    def search(self, vertex: int) -> tuple[Array, Array]:
        """Search from a vertex and to it, tighten all bounds, and return both rows of distances."""
        after = self._from_vertex(vertex)
        before = after
        if self._to_vertex is not self._from_vertex:
            before = self._to_vertex(vertex)
        own = after.max()
        down, up = 1 - self._slack, 1 + self._slack
        # A difference of rounded numbers may be wrong by the slack of the larger one.
        low = np.maximum(before, own * down - after * up if self._slack else own - after)
        high = before + own
        np.maximum(self.low, low * down if self._slack else low, out=self.low)
        np.minimum(self.high, high * up if self._slack else high, out=self.high)
        self.low[vertex] = self.high[vertex] = own
        self.known[vertex] = True
        return after, before

    def open_above(self) -> Array:
        """Return the mask of the vertices that may have a larger eccentricity than all known ones.

        Vertices of known eccentricity are never open.
        """
        mask: Array = ~self.known & (self.high > self.low[self.known].max(initial=0))
        return mask

    def open_below(self) -> Array:
        """Return the mask of the vertices that may have the least eccentricity."""
        mask: Array = ~self.known & (self.low <= self.high.min())
        return mask

    def next(self, mask: Array) -> int:
        """Return the open vertex to search from: four of the ends, then the most central ones.

        Ends give lower bounds, and each central vertex a tight upper bound of most others.
        """
        vertices = np.flatnonzero(mask)
        low, high = self.low[vertices], self.high[vertices]
        if np.count_nonzero(self.known) < _ENDS:
            best = np.flatnonzero(high == high.max())
            return int(vertices[best[np.argmax(low[best])]])
        best = np.flatnonzero(low == low.min())
        return int(vertices[best[np.argmin(high[best])]])
