"""The points of a network nearest to coordinates, and the error about those that are too far."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from warpath.graph.nearest_edges import edges_of
from warpath.graph.nearest_points import points_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.graph.csr_graph import CsrGraph
    from warpath.graph.nearest_points import NearestPoints

#: How far a place may be from the nearest vertex by default, in metres.
REACH = 1000.0
#: The same where coordinates are not degrees, as a part of the diagonal of the graph's box.
REACH_IN_PLANE = 0.1
#: The end of the error about a place that is too far away.
ALLOW_MORE = ", or pass a larger within= to Place or nearest_vertex"
#: The beginning of the end of the error about swapped coordinates, before a distance.
INSIST = ", or insist with within="


class Nearby(NamedTuple):
    """The points of a network nearest to k coordinates, how far they are, and which are too far.

    Attributes
    ----------
    search : the search for the nearest vertices.
    asked : (k, 2) float64, the coordinates.
    on_edges : (k,) bool, where points of edges count, not only vertices.
    vertices : (k,) int64, the vertices, or the nearer ends of edges.
    edges, fractions : (k,) int64 and float64, as `PointsOnEdges` has them; -1 and 0.0 for vertices.
    points : (k, 2) float64, the nearest points.
    distances, limits : (k,) float64, how far they are and may be.
    far : (k,) bool, which are too far.
    usual : how far a point may be by default.
    """

    search: NearestPoints
    asked: Array
    on_edges: NDArray[np.bool_]
    vertices: NDArray[np.int64]
    edges: NDArray[np.int64]
    fractions: NDArray[np.float64]
    points: Array
    distances: NDArray[np.float64]
    limits: NDArray[np.float64]
    far: NDArray[np.bool_]
    usual: float

    @classmethod
    def of(
        cls,
        graph: CsrGraph,
        asked: Array,
        within: Sequence[float | None],
        on_edges: NDArray[np.bool_] | None = None,
        component: str | None = None,
    ) -> Nearby:
        """Search the points nearest to coordinates.

        Parameters
        ----------
        asked : (k, 2) finite numbers.
        within : k numbers or None, as in `Graph.nearest_vertex`.
        on_edges : (k,) where points of edges count, not only vertices; None for nowhere.
        component : as in `points_of`, for vertices.

        Raises
        ------
        GraphError
            If the graph has no coordinates.
        """
        search, coordinates = points_of(graph, component), graph.coordinates
        assert coordinates is not None  # noqa: S101 - `points_of` has looked
        vertices, distances = search.nearest(asked)
        edges, fractions = np.full(len(asked), -1), np.zeros(len(asked))
        points = coordinates[vertices]
        on_edges = np.zeros(len(asked), np.bool_) if on_edges is None else on_edges
        if on_edges.any() and len(edges_of(graph)):
            at = np.flatnonzero(on_edges)
            edge, fraction, point = edges_of(graph).nearest(asked[at])
            away = search.measure(asked[at], point)
            nearer = away <= distances[at]  # not so for a vertex without edges
            at, edge, fraction = at[nearer], edge[nearer], fraction[nearer]
            tails = np.searchsorted(graph.indptr, edge, side="right") - 1
            vertices[at] = np.where(fraction <= 0.5, tails, graph.indices[edge])
            distances[at], points[at] = away[nearer], point[nearer]
            inside = (fraction > 0) & (fraction < 1)
            edges[at[inside]], fractions[at[inside]] = edge[inside], fraction[inside]
        diagonal = float(np.hypot(*np.ptp(search.box, 0)))
        default = REACH if search.degrees else REACH_IN_PLANE * diagonal
        limits = np.array([default if distance is None else float(distance) for distance in within])
        # A finite number is a statement about this place; infinity allows all, also by mistake.
        stated = np.array(
            [distance is not None and distance < np.inf for distance in within], np.bool_
        )
        far = distances > limits
        far |= _swapped(search, asked) & (distances > default) & ~stated
        return cls(
            search=search,
            asked=asked,
            on_edges=on_edges,
            vertices=vertices,
            edges=edges,
            fractions=fractions,
            points=points,
            distances=distances,
            limits=limits,
            far=far,
            usual=default,
        )

    def at_vertices(self, graph: CsrGraph, some: NDArray[np.bool_]) -> Nearby:
        """Return the same with some points of edges moved to the nearer ends of the edges."""
        assert graph.coordinates is not None  # noqa: S101 - the search has looked
        ends = graph.coordinates[self.vertices]
        return self._replace(
            edges=np.where(some, -1, self.edges),
            fractions=np.where(some, 0.0, self.fractions),
            points=np.where(some[:, None], ends, self.points),
            distances=np.where(some, self.search.measure(self.asked, ends), self.distances),
        )

    def misses(self, titles: Sequence[str], total: int) -> str:
        """Return the text of the error about the points that are too far from the network.

        Parameters
        ----------
        titles : where in the arguments of the call each point stands.
        total : the number of places and vertices in these arguments.
        """
        first, count = int(np.argmax(self.far)), int(self.far.sum())
        reason = self._reason(first)
        if count == 1:
            return reason if total == 1 else f"{titles[first]}: {reason}"
        ends = np.sort(self.distances[self.far])[[0, -1]].tolist()
        least, most = (f"{digits(end)}{self._unit}" for end in ends)
        return (
            f"{count:,} of {total:,} places are too far from the graph, {least} to {most}; the "
            f"first is {titles[first]}: {reason}"
        )

    @property
    def _unit(self) -> str:
        return " m" if self.search.degrees else ""

    def _reason(self, at: int) -> str:
        """Return why a point is too far from the {what}, and what to do."""
        point, distance = self.asked[at], float(self.distances[at])
        degrees = self.search.degrees
        place = f"Place({point[0]:.10g}, {point[1]:.10g})"
        axes = ("longitudes", "latitudes") if degrees else ("x", "y")
        (x, y), (x2, y2) = self.search.box.tolist()
        box = f"the graph has {axes[0]} {x:.6g} .. {x2:.6g} and {axes[1]} {y:.6g} .. {y2:.6g}"
        if _swapped(self.search, point[None])[0]:
            order = "longitude and latitude are" if degrees else "x and y are"
            return (
                f"{order} swapped in {place}: {box}. Write Place({point[1]:.10g}, {point[0]:.10g})"
                f"{INSIST}{np.ceil(distance):.0f}."
            )
        if degrees and not (abs(point[0]) <= 180 and abs(point[1]) <= 90):
            return f"{place} is not a longitude and a latitude in degrees, but {box}."
        limit, what = float(self.limits[at]), "network" if self.on_edges[at] else "nearest vertex"
        return (
            f"{place} is {digits(distance)}{self._unit} from the {what}, and "
            f"{digits(limit)}{self._unit} is the most: {box}. Correct the coordinate{ALLOW_MORE}."
        )


def _swapped(vertices: NearestPoints, points: Array) -> Array:
    """Return which points are outside the graph's box, but inside with x and y swapped: (k,)."""
    low, high = vertices.box
    inside = ((points >= low) & (points <= high)).all(axis=1)
    turned = points[:, ::-1]
    swapped: Array = ~inside & ((turned >= low) & (turned <= high)).all(axis=1)
    return swapped


def digits(value: float) -> str:
    """Return a distance as text: a whole number, or two digits of a small one."""
    return f"{value:,.0f}" if value >= 9.5 else f"{value:.2g}"
