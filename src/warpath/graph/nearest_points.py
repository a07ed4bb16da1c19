"""Nearest vertices of coordinates: by a k-d tree of SciPy's, or block by block in NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import GraphError
from warpath.graph.components import components, is_strong
from warpath.graph.coordinates import euclidean, great_circle, in_degrees
from warpath.graph.derived import Derived

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.graph.graph import Graph

_QUERIES, _VERTICES = 256, 4096  # of one block without SciPy: about 30 MB
_TIE = 1 + 1e-12  # distances this close are compared exactly


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
        self._points = self._embedded(self._flat)
        self._tree = _tree_of(self._points)

    @property
    def nbytes(self) -> int:
        """The bytes of the points, and about as many of the tree."""
        return 2 * self._points.nbytes + self._flat.nbytes + self.vertices.nbytes

    def nearest(self, asked: Array) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the nearest vertex of each point, of equally near ones the smallest, and how far.

        Parameters
        ----------
        asked : (q, 2) finite x and y.

        Returns
        -------
        vertices : (q,) int64.
        distances : (q,) float64, metres for degrees, else in the unit of the coordinates.
        """
        points = self._embedded(asked)
        at = self._by_blocks(points) if self._tree is None else self._by_tree(points)
        measure = great_circle if self.degrees else euclidean
        return self.vertices[at], measure(asked, self._flat[at])

    def _embedded(self, flat: Array) -> Array:
        if not self.degrees:
            return flat
        lam, phi = np.radians(flat).T
        return np.column_stack([np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)])

    def _by_tree(self, points: Array) -> NDArray[np.int64]:
        """Find the nearest in O(log n) for each point; ties are few and are compared one by one."""
        distances, found = self._tree.query(points, k=2)
        at: NDArray[np.int64] = found[:, 0].astype(np.int64)
        for row in np.flatnonzero(distances[:, 1] <= distances[:, 0] * _TIE):
            ball = self._tree.query_ball_point(points[row], distances[row, 0] * _TIE)
            near = np.sort(np.array([at[row], *ball]))
            at[row] = near[np.argmin(_squares(points[row : row + 1], self._points[near])[0])]
        return at

    def _by_blocks(self, points: Array) -> NDArray[np.int64]:
        """Find the nearest by comparing all pairs: O(n) for each point, in bounded memory."""
        at = np.zeros(len(points), np.int64)
        for first in range(0, len(points), _QUERIES):
            rows = slice(first, min(first + _QUERIES, len(points)))
            least = np.full(rows.stop - first, np.inf)
            for start in range(0, len(self._points), _VERTICES):
                squares = _squares(points[rows], self._points[start : start + _VERTICES])
                best = squares.argmin(axis=1)
                value = squares[np.arange(len(best)), best]
                nearer = value < least
                at[rows][nearer] = start + best[nearer]
                least[nearer] = value[nearer]
        return at


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


def points_of(graph: Graph, component: str | None = None) -> NearestPoints:
    """Return the search of a graph, which is kept with it; GraphError without coordinates.

    Parameters
    ----------
    component : "largest" or "strong" for the vertices of that component alone; None for all.
    """
    coordinates = graph.coordinates
    if coordinates is None:
        msg = (
            "the graph has no coordinates, so no place can be found on it: give them with "
            "coordinates= when reading, or graph.with_coordinates(array)."
        )
        raise GraphError(msg)
    if component is None:
        return _POINTS.of(graph, lambda: NearestPoints(coordinates))

    def of_component() -> NearestPoints:
        inside = components(graph, strong=is_strong(component)).labels == 0
        return NearestPoints(np.where(inside[:, None], coordinates, np.nan))

    return _POINTS.of(graph, of_component, component)
