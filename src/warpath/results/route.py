"""One shortest path, from a source to a target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from warpath.base.cached import cached_property
from warpath.base.errors import InputError
from warpath.base.upward import upward
from warpath.graph.checks import shown
from warpath.graph.coordinates import coordinates_of, stretch
from warpath.graph.edge_geometry import leg_weights, lightest, lines_of
from warpath.graph.labels import encodable, file_ids, one_label
from warpath.graph.places import NO_NAMES
from warpath.graph.raster import raster_of
from warpath.results.directions import directions_of
from warpath.results.legs import kept_column, legs_of, total_along
from warpath.results.result import Result

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.graph.places import Place, Snap
    from warpath.results.legs import Legs
    from warpath.results.rows import Columns
    from warpath.results.run_plan import RunPlan


class Route(Result):
    """One shortest path.

    Tables of the result have a row for each edge: u, v, length, and the distance from the source
    to v.

    Attributes
    ----------
    graph : the graph that was solved.
    indices : (h,) int64, indices of the vertices from source to target; where an end is a point
        along an edge, of those between the ends.
    length : length of the path, in the weights' unit.
    plan : the plan that ran: algorithm, device and the reasons; None of a call with one algorithm,
        such as `warpath.k_shortest_paths`.
    snapped : what was taken for each `Place` in the call, a tuple of `Snap`; empty without places.
    second : the second cost of a route of `warpath.pareto_paths`; None for other routes.
    names : the names that the call gave to vertices, as ``{vertex: name}`` or by ``Place.name``: a
        dictionary from their indices. Pictures and maps show them.
    sharing, stretch, local : measures of a route of `warpath.alternatives`, else None.
    order : the positions of the stops of `warpath.route_through`, in the order of the route; else
        None.
    """

    snapped: tuple[Snap, ...] = ()
    names: Mapping[int, str] = NO_NAMES
    second: float | None = None
    sharing: float | None = None
    stretch: float | None = None
    local: float | None = None
    order: tuple[int, ...] | None = None
    #: The places and the points of ends along edges, None for ends that are vertices.
    places: tuple[Place | None, Place | None] = (None, None)
    points: tuple[Array | None, Array | None] = (None, None)

    _COMPUTED = ("vertices", "edges", "shares", "weights", "legs", "coordinates", "line")
    _LEFT_OUT = frozenset({"pieces"})

    def __init__(
        self,
        graph: Graph,
        indices: NDArray[np.int64],
        length: float,
        plan: RunPlan | None = None,
        **known: Any,
    ) -> None:
        self.graph = graph
        self.indices = indices
        self.length = length
        self.plan = cast("RunPlan", plan)  # None in a result that was read from a file
        vars(self).update(known)  # `edges` and others that the search determines

    @cached_property
    def vertices(self) -> Array:
        """The vertices as the graph names them, from source to target: (h,)."""
        return self.graph.label_of(self.indices)

    @property
    def source(self) -> Hashable:
        """The first vertex, as the graph names it; the `Place` of a point along an edge."""
        return self.places[0] or one_label(self.graph, int(self.indices[0]))

    @property
    def target(self) -> Hashable:
        """The last vertex, as the graph names it; the `Place` of a point along an edge."""
        alone = self.places[0] if not len(self.indices) else None  # a route of one point
        return self.places[1] or alone or one_label(self.graph, int(self.indices[-1]))

    def stops(self, names: Sequence[Any]) -> list[Any]:
        """Return names of the vertices with the places of ends along edges: (e + 1,) for e edges.

        Parameters
        ----------
        names : (h,) names of the vertices.

        Raises
        ------
        InputError
            If there is not one name for each vertex.
        """
        if not isinstance(names, list | tuple) or len(names) != len(self.indices):
            raise InputError(
                f"names must be a list with a name for each of the route's {len(self.indices)} "
                f"vertices; it is {shown(names)}."
            )
        first, last = ([] if place is None else [place.name or str(place)] for place in self.places)
        return [*first, *names, *last]

    @cached_property
    def edges(self) -> Array:
        """The edges, as positions in `Graph.edges`, (e,); of parallel edges the lightest.

        They are those between the h vertices, and those that an end is a point of.
        """
        return lightest(self.graph, self.indices[:-1], self.indices[1:])

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """The part of each edge on the route, (e, 2): from and to a fraction of its length."""
        return np.tile((0.0, 1.0), (len(self.edges), 1))

    @cached_property
    def weights(self) -> Array:
        """The weights of the edges, (e,), each with the cost of the turn into it.

        Of an edge that the route begins or ends on, it is the weight of the part on the route.
        """
        return leg_weights(self.graph, self.indices[:-1], self.indices[1:])

    @cached_property
    def legs(self) -> Legs:
        """The streets along the route, a row for each run of edges of the same street.

        Raises
        ------
        GraphError
            If the graph keeps no column of street names.
        """
        return legs_of(self)

    def directions(self) -> list[str]:
        """Return the route in plain sentences: "Turn left onto Zollstrasse for 430 m.".

        A sentence begins at each street, and at each turn by more than 45 degrees at a junction
        where the route stays on its street. Up to 20 degrees, the route continues. Left and right
        are those of the coordinates. Lengths are metres where they are known, else weights. The
        last sentence names the target, if the call did.

        Raises
        ------
        GraphError
            If the graph has no coordinates or keeps no column of street names.
        """
        return directions_of(self)

    def along(self, quantity: str | ArrayLike) -> float:
        """Return the sum of another quantity along the route, such as the metres of the fastest.

        Parameters
        ----------
        quantity : the name of a kept column of numbers (see `Graph.edge_table`), or (m,) numbers in
            the order of `Graph.edges`.

        Raises
        ------
        GraphError
            If there is no such column, it has texts, or the array has not m numbers.
        """
        total: float = total_along(self, quantity)
        return total

    def attribute(self, name: str) -> Array:
        """Return a kept column for the edges of the route, such as the keys of a MultiDiGraph.

        Parameters
        ----------
        name : a kept column, see `Graph.edge_table`.

        Returns
        -------
        values : (e,), one for each of `edges`.

        Raises
        ------
        GraphError
            If the graph keeps no such column.
        """
        return kept_column(self.graph, name, self.edges, f"attribute({shown(name)})")

    @cached_property
    def coordinates(self) -> Array | None:
        """The coordinates of the vertices, (h, 2) x and y; None if the graph has none.

        An end that is a point along an edge adds this point.
        """
        points, raster = self.graph.coordinates, self.graph.raster
        if raster is not None and raster.transform is not None:
            return raster.coordinates(self.indices)
        if points is None:
            return None
        first, last = ([] if point is None else [point] for point in self.points)
        return np.array([*first, *points[self.indices], *last])

    @cached_property
    def pieces(self) -> tuple[Array, Array]:
        """The straight pieces of the edges, (s, 2, 2), and the position in `edges` of each, (s,).

        Edges that the route begins or ends on are cut at its ends. GraphError if the graph has no
        coordinates.
        """
        points = coordinates_of(self.graph, ", so its edges have no lines")
        ends = [point for point in self.points if point is not None]
        scale = stretch(points, np.array(ends)) if ends else 1.0
        pieces, which, start, end = lines_of(self.graph, self.edges, scale)
        low, high = self.shares[which].T
        whole = (low <= 0) & (high >= 1)
        on_route = np.flatnonzero(whole | ((end > low) & (start < high)))
        pieces, which = pieces[on_route], which[on_route]
        for at, point in zip((0, -1), self.points, strict=True):
            if point is not None and len(pieces):
                pieces[at, at] = point
        return pieces, which

    @cached_property
    def line(self) -> Array | None:
        """The points along the shapes of the edges, (k, 2); None without coordinates."""
        if self.graph.coordinates is None or not len(self.edges):
            return self.coordinates
        pieces, _ = self.pieces
        return np.concatenate([pieces[:1, 0], pieces[:, 1]])

    def to_geojson(self) -> dict[str, Any]:
        """Return the route as a GeoJSON feature, a dictionary for `json.dumps`.

        GeoJSON expects longitudes and latitudes; the graph's coordinates are not converted.

        Raises
        ------
        GraphError
            If the graph has no coordinates.
        """
        feature: dict[str, Any] = upward("Route.to_geojson")(self)
        return feature

    def to_geodataframe(self, *, legs: bool = False, crs: Any = "auto") -> Any:
        """Return a GeoPandas data frame: the route as one row, or one row per edge.

        Parameters
        ----------
        legs : False for one row (source, target, length, geometry); True for one row per edge (u,
            v, length, distance, geometry), with the distance from the source to v.
        crs : as in `Within.to_geodataframe`.

        Raises
        ------
        GraphError
            If the graph has no coordinates.
        MissingDependencyError
            If GeoPandas is not installed.
        """
        return upward("Route.to_geodataframe")(self, legs=legs, crs=crs)

    def plot(self, path: Any = None, **options: Any) -> Any:
        """Draw the route over the network around it; see `warpath.plot.plot_route`.

        Parameters
        ----------
        path : file to write, its format by suffix: .png, .svg, .pdf; None to save nothing.
        **options : ``others``, more routes with the same ends; ``title``, ``subtitle``, ``ends``,
            ``theme`` ("light", "dark"), ``dpi``.

        Returns
        -------
        matplotlib.figure.Figure
        """
        return upward("Route.plot")(self.graph, self, path, **options)

    def save_html(self, path: Any, **options: Any) -> None:
        """Write a page with the route on an interactive map; see `warpath.plot.html_route`.

        The page needs neither a server nor the network, and no package to be written.

        Parameters
        ----------
        path : file to write, .html.
        **options : ``others``, more routes with the same ends; ``title``, ``subtitle``, ``ends``,
            ``theme`` ("light", "dark"), ``tiles``, ``file_ids``.
        """
        upward("Route.save_html")(self, path, **options)

    def explore(self, **options: Any) -> Any:
        """Return an interactive map: the edges of the route.

        Its script, style and background are fetched when it is shown, and GeoPandas and folium are
        needed; `save_html` writes a map that works without the network.

        Parameters
        ----------
        **options : ``others``, more routes with the same ends; and those of
            `geopandas.GeoDataFrame.explore`, such as ``tiles`` and ``column``.

        Returns
        -------
        folium.Map, whose ``save`` writes an HTML page.
        """
        return upward("Route.explore")(self, options)

    @property
    def cells(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows and the columns of the cells, (h,) each, of a graph made by `Graph.of_raster`.

        Raises
        ------
        GraphError
            If the graph was made otherwise.
        """
        return raster_of(self.graph, "cells").cells(self.indices)

    def to_raster(self) -> NDArray[np.bool_]:
        """Return the mask of the route's cells: (rows, columns) bool.

        Raises
        ------
        GraphError
            If the graph was not made by `Graph.of_raster`.
        """
        mask = np.zeros(raster_of(self.graph, "to_raster").shape, np.bool_)
        mask[self.cells] = True
        return mask

    def _columns(self) -> Columns:
        ids = encodable(file_ids(self.graph, self.indices))
        if self.places != (None, None):
            ids = encodable(np.array(self.stops(ids.tolist()), object))
        distance = np.cumsum(self.weights, dtype=self.graph.dist_dtype)
        columns = {"u": ids[:-1], "v": ids[1:], "length": self.weights, "distance": distance}
        return {name: (values, None) for name, values in columns.items()}

    def _vertices(self) -> NDArray[np.int64]:
        return self.indices

    def __len__(self) -> int:
        return len(self.indices)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.vertices.tolist())

    def __repr__(self) -> str:
        names = self.stops([shown(name) for name in self.vertices.tolist()])
        edges = len(names) - 1
        if len(names) > 8:
            names = [*names[:4], "...", *names[-3:]]
        second = "" if self.second is None else f" and second cost {self.second:,}"
        return (
            f"<Route of length {self.length:,}{second} over {edges:,} edges: {' -> '.join(names)}>"
        )


def checked_routes(first: Any, others: Any) -> list[Any]:
    """Return a route and others; raise InputError unless all are routes with the same ends."""
    if not isinstance(others, list | tuple):
        raise InputError(f"others = {shown(others)} must be a list of routes.")
    for at, route in enumerate(others):
        if not isinstance(route, Route) or not isinstance(first, Route):
            raise InputError(
                f"others[{at}] = {shown(route)} must be a Route, and so must the first one: give "
                "routes as `warpath.alternatives` returns them."
            )
        if (route.source, route.target) != (first.source, first.target):
            raise InputError(
                f"others[{at}] leads from {shown(route.source)} to {shown(route.target)}, and the "
                f"first route from {shown(first.source)} to {shown(first.target)}: draw routes "
                "with the same ends."
            )
    return [first, *others]
