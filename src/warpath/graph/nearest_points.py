"""Nearest vertices of coordinates: by a k-d tree of SciPy's, or block by block in NumPy."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import GraphError
from warpath.graph.components import components, is_strong
from warpath.graph.coordinates import coordinates_of, euclidean, great_circle, in_degrees
from warpath.graph.derived import Derived

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.graph.csr_graph import CsrGraph

_QUERIES, _VERTICES = 256, 4096  # of one block without SciPy: about 30 MB
_FAR = 1e150
_TIE = 1 + 1e-12  # distances this close are compared exactly


class PointSearch:
    """Points of a plane or in space, to be searched for those near other points.

    Attributes
    ----------
    points : (k, 2) or (k, 3) float64.
    """

    def __init__(self, points: Array) -> None:
        self.points = points
        self._tree = _tree_of(points)

    @property
    def nbytes(self) -> int:
        """The bytes of the points, and about as many of the tree."""
        return 2 * self.points.nbytes

    def nearest(self, points: Array) -> NDArray[np.int64]:
        """Return the nearest point of each of q points, of equally near ones the first: (q,)."""
        # SciPy's tree refuses numbers whose squares overflow.
        far = self._tree is not None and np.abs(points).max(initial=0) > _FAR
        with np.errstate(over="ignore"):
            return self._by_blocks(points) if self._tree is None or far else self._by_tree(points)

    def near(self, points: Array, radii: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the points within a radius of each of q points.

        Parameters
        ----------
        asked, radii : (q, d) and (q,).

        Returns
        -------
        which, at : (p,) each, ascending positions in `points`, and the points near them.
        """
        if self._tree is None:
            parts = [
                np.nonzero(_squares(points[row : row + 1], self.points)[0] <= radii[row] ** 2)[0]
                for row in range(len(points))
            ]
        else:
            parts = self._tree.query_ball_point(points, radii, return_sorted=False)
        counts = np.fromiter(map(len, parts), np.int64, len(points))
        at = np.fromiter(chain.from_iterable(parts), np.int64, int(counts.sum()))
        return np.repeat(np.arange(len(points)), counts), at

    def _by_tree(self, points: Array) -> NDArray[np.int64]:
        """Find the nearest in O(log n) for each point; ties are few and are compared one by one."""
        distances, nearest = self._tree.query(points, k=2)
        at: NDArray[np.int64] = nearest[:, 0].astype(np.int64)
        for row in np.flatnonzero(distances[:, 1] <= distances[:, 0] * _TIE):
            ball = self._tree.query_ball_point(points[row], distances[row, 0] * _TIE)
            near = np.sort(np.array([at[row], *ball]))
            at[row] = near[np.argmin(_squares(points[row : row + 1], self.points[near])[0])]
        return at

    def _by_blocks(self, points: Array) -> NDArray[np.int64]:
        """Find the nearest by comparing all pairs: O(n) for each point, in bounded memory."""
        at = np.zeros(len(points), np.int64)
        for first in range(0, len(points), _QUERIES):
            rows = slice(first, min(first + _QUERIES, len(points)))
            least = np.full(rows.stop - first, np.inf)
            for start in range(0, len(self.points), _VERTICES):
                squares = _squares(points[rows], self.points[start : start + _VERTICES])
                best = squares.argmin(axis=1)
                value = squares[np.arange(len(best)), best]
                nearer = value < least
                at[rows][nearer] = start + best[nearer]
                least[nearer] = value[nearer]
        return at


class NearestPoints:
    """The vertices of a graph that have coordinates, to be searched for the nearest ones.

    Coordinates in degrees are compared as points on the unit sphere: the nearest by a straight line
    is also the nearest on the sphere. Other coordinates are compared in the plane.

    Attributes
    ----------
    degrees : whether the coordinates are degrees, as `in_degrees` finds.
    box : (2, 2), the smallest x and y, and the largest.
    vertices : (k,) int64, the vertices that have coordinates.
    """

    def __init__(self, coordinates: Array) -> None:
        self.degrees = in_degrees(coordinates)
        self.vertices = np.flatnonzero(np.isfinite(coordinates).all(axis=1))
        if not len(self.vertices):
            msg = "no vertex has coordinates, so no place can be found on the graph."
            raise GraphError(msg)
        self._flat = coordinates[self.vertices]
        self.box = np.array([self._flat.min(axis=0), self._flat.max(axis=0)])
        self._search = PointSearch(self.embedded(self._flat))

    @property
    def nbytes(self) -> int:
        """The bytes of the points and of their search."""
        return self._search.nbytes + self._flat.nbytes + self.vertices.nbytes

    def nearest(self, points: Array) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the nearest vertex of each point, of equally near ones the smallest, and how far.

        Parameters
        ----------
        points : (q, 2) finite x and y.

        Returns
        -------
        vertices : (q,) int64.
        distances : (q,) float64, metres for degrees, else in the unit of the coordinates.
        """
        at = self._search.nearest(self.embedded(points))
        return self.vertices[at], self.measure(points, self._flat[at])

    def measure(self, start: Array, end: Array) -> NDArray[np.float64]:
        """Return the distances between (k, 2) points, as `nearest` measures them: (k,)."""
        return (great_circle if self.degrees else euclidean)(start, end)

    def embedded(self, flat: Array) -> Array:
        """Return (k, 2) points as they are compared: (k, 3) on the unit sphere for degrees."""
        if not self.degrees:
            return flat
        lam, phi = np.radians(flat).T
        return np.column_stack([np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)])


def _squares(points: Array, others: Array) -> Array:
    """Return the squares of the distances between all points: (q, k)."""
    total: Any = 0.0
    for axis in range(points.shape[1]):
        difference = points[:, axis, None] - others[None, :, axis]
        total = total + difference * difference
    squares: Array = total
    return squares


def _tree_of(points: Array) -> Any:
    """Return a k-d tree of points, or None where SciPy is not installed."""
    try:
        from scipy.spatial import cKDTree
    except ImportError:
        return None
    return cKDTree(points)


_POINTS: Derived[NearestPoints] = Derived(
    __name__, "search for nearest vertices", lambda points: points.nbytes
)


def points_of(graph: CsrGraph, component: str | None = None) -> NearestPoints:
    """Return the search of a graph, which is kept with it; GraphError without coordinates.

    Parameters
    ----------
    component : "largest" or "strong" for the vertices of that component alone; None for all.
    """
    coordinates = coordinates_of(graph, ", so no place can be found on it")
    if component is None:
        return _POINTS.of(graph, lambda: NearestPoints(coordinates))

    strong = is_strong(component)

    def of_component() -> NearestPoints:
        inside = components(graph, strong=strong).labels == 0
        return NearestPoints(np.where(inside[:, None], coordinates, np.nan))

    return _POINTS.of(graph, of_component, strong)
