"""One shortest path, from a source to a target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.cached import cached_property
from warpath.graph.checks import shown
from warpath.graph.edge_geometry import leg_weights, lightest, lines_of
from warpath.graph.labels import one_label
from warpath.graph.places import NO_NAMES
from warpath.results.legs import legs_of, total_along

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import ArrayLike, NDArray

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.graph.places import Snap
    from warpath.results.legs import Legs


class Route:
    """One shortest path.

    Attributes
    ----------
    graph : the graph that was solved.
    indices : (h,) int64, indices of the vertices from source to target.
    length : length of the path, in the weights' unit.
    plan : the plan that ran: algorithm, device and the reasons.
    snapped : what was taken for each `Place` in the call, a tuple of `Snap`; empty without places.
    names : the names that the call gave to vertices, as ``{vertex: name}`` or by ``Place.name``: a
        dictionary from their indices. Pictures and maps show them.
    """

    snapped: tuple[Snap, ...] = ()
    names: Mapping[int, str] = NO_NAMES

    def __init__(
        self,
        graph: Graph,
        indices: NDArray[np.int64],
        length: Any,
        plan: Any = None,
        **known: Array,
    ) -> None:
        self.graph = graph
        self.indices = indices
        self.length = length
        self.plan = plan
        vars(self).update(known)  # `edges` and `weights`, which a graph with turns determines

    @cached_property
    def vertices(self) -> Array:
        """The vertices as the graph names them, from source to target: (h,)."""
        return self.graph.label_of(self.indices)

    @property
    def source(self) -> Any:
        """The first vertex, as the graph names it."""
        return one_label(self.graph, int(self.indices[0]))

    @property
    def target(self) -> Any:
        """The last vertex, as the graph names it."""
        return one_label(self.graph, int(self.indices[-1]))

    @cached_property
    def edges(self) -> Array:
        """The edges, as positions in `Graph.edges`, (h - 1,); of parallel edges the lightest."""
        return lightest(self.graph, self.indices[:-1], self.indices[1:])

    @cached_property
    def weights(self) -> Array:
        """The weights of the edges, (h - 1,), each with the cost of the turn into it."""
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

    def along(self, quantity: str | ArrayLike) -> Any:
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
        return total_along(self, quantity)

    @property
    def coordinates(self) -> Array | None:
        """The coordinates of the vertices, (h, 2) x and y; None if the graph has none."""
        known = self.graph.coordinates
        return None if known is None else known[self.indices]

    @cached_property
    def line(self) -> Array | None:
        """The points along the shapes of the edges, (k, 2); None without coordinates."""
        known = self.graph.coordinates
        if known is None or len(self) == 1:
            return self.coordinates
        pieces = lines_of(self.graph, self.edges)[0]
        return np.concatenate([pieces[:1, 0], pieces[:, 1]])

    def to_geojson(self) -> dict[str, Any]:
        """Return the route as a GeoJSON feature, a dictionary for `json.dumps`.

        GeoJSON expects longitudes and latitudes; the graph's coordinates are not converted.

        Raises
        ------
        GraphError
            If the graph has no coordinates.
        """
        from warpath.results.geodata import route_feature

        return route_feature(self)

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
        from warpath.results.geodata import route_frame

        return route_frame(self, legs=legs, crs=crs)

    def plot(self, path: Any = None, **options: Any) -> Any:
        """Draw the route over the network around it; see `warpath.plot.plot_route`.

        Parameters
        ----------
        path : file to write, its format by suffix: .png, .svg, .pdf; None to save nothing.
        **options : ``title``, ``subtitle``, ``ends``, ``theme`` ("light", "dark"), ``dpi``.

        Returns
        -------
        matplotlib.figure.Figure
        """
        from warpath.plot import plot_route

        return plot_route(self.graph, self, path, **options)

    def save_html(self, path: Any, **options: Any) -> None:
        """Write a page with the route on an interactive map; see `warpath.plot.html_route`.

        The page needs neither a server nor the network, and no package to be written.

        Parameters
        ----------
        path : file to write, .html.
        **options : ``title``, ``subtitle``, ``ends``, ``theme`` ("light", "dark"), ``tiles``,
            ``file_ids``.
        """
        from warpath.plot import html_route

        html_route(self, path, **options)

    def explore(self, **options: Any) -> Any:
        """Return an interactive map: the edges of the route.

        Parameters
        ----------
        **options : those of `geopandas.GeoDataFrame.explore`, such as ``tiles`` and ``column``.

        Returns
        -------
        folium.Map, whose ``save`` writes an HTML page.
        """
        from warpath.results.interactive import explore_route

        return explore_route(self, options)

    def __len__(self) -> int:
        return len(self.indices)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.vertices.tolist())

    def __repr__(self) -> str:
        names = [shown(name) for name in self.vertices.tolist()]
        if len(names) > 8:
            names = [*names[:4], "...", *names[-3:]]
        return (
            f"<Route of length {self.length:,} over {len(self) - 1:,} edges: {' -> '.join(names)}>"
        )
