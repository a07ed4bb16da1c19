"""The result of `pairs`: the distance of each of many trips, and their routes on request."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base.cached import cached_property
from warpath.base.dtypes import unreachable
from warpath.base.errors import InputError, NoPathError
from warpath.base.upward import upward
from warpath.graph.checks import checked_integer, on_host, plain_array, shown
from warpath.graph.labels import labels_or_none, with_mask
from warpath.graph.places import NO_NAMES
from warpath.graph.tables import as_table, column_names
from warpath.results.legs import sums_of_routes, values_along
from warpath.results.reached import ReachedDistances
from warpath.results.result import NO_COLUMNS, Result
from warpath.results.rows import data_frame

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.graph.places import Snap, Snapped
    from warpath.results.route import Route
    from warpath.results.rows import Columns
    from warpath.results.run_plan import RunPlan


class RoutesOfTrips(NamedTuple):
    """The vertices of several routes, one route behind the other.

    Attributes
    ----------
    indptr : (k + 1,) int64; route i is ``vertices[indptr[i]:indptr[i + 1]]``.
    vertices : (h,) the vertices as the graph names them, of each route from origin to destination.
    """

    indptr: NDArray[np.int64]
    vertices: Array


class Pairs(Result, ReachedDistances):
    """The distances from several origins, each to a destination of its own.

    Attributes
    ----------
    graph : the graph that was solved.
    dist : (k,) distances in the weights' unit; inf (floats) or the largest integer where the
        destination cannot be reached, which sums of integers would include: see `reached_dist`,
        `to_numpy`. The array ``out`` of the call, which may be on a GPU.
    plan : the plan that ran: algorithm, device and the reasons.
    stats : counters of the run, with ``seconds``.
    snapped : what was taken for each `Place` in the call, a tuple of `Snap`; empty without places.
    names : the names that the call gave to vertices, as ``{vertex: name}`` or by ``Place.name``: a
        dictionary from their indices. Pictures and maps show them.
    snap_distances : (k,) float64 by ``"origin"`` and ``"destination"``: how far the places are from
        the network, in metres, or in the unit of the coordinates where they are not degrees; NaN
        for vertices. Empty without places.
    far : (k,) bool, the trips with a place that is farther from the network than is allowed by
        default: 1,000 m, or a tenth of the diagonal of the box around a graph in a plane.
    columns : (k,) arrays by name, which tables and files have in front; see `with_columns`.
    also : the sums along the routes of the columns that the call named, (k,) by name, as `along`
        returns them. Tables and files have them behind the distances.
    """

    dist: Array
    also: Mapping[str, Array] = NO_COLUMNS
    columns: Mapping[str, Array] = NO_COLUMNS
    snapped: tuple[Snap, ...] = ()
    names: Mapping[int, str] = NO_NAMES

    _LEFT_OUT = frozenset({"_find_route", "_find_edges", "_edges"})

    def __init__(
        self,
        graph: Graph,
        origins: NDArray[np.int64],
        destinations: NDArray[np.int64],
        dist: Array,
        find_route: Callable[[Any, Any], Route],
        find_edges: Callable[[NDArray[np.int64]], tuple[Array, Array | None, Array]],
        *,
        plan: RunPlan,
        stats: dict[str, Any],
        entries: tuple[Snapped, Snapped] | None = None,
    ) -> None:
        self.graph = graph
        self._ends = origins, destinations
        self.dist = dist
        self._find_route = find_route
        self.plan = plan
        self.stats = stats
        self._entries = entries
        self._find_edges = find_edges
        self.snap_distances: dict[str, NDArray[np.float64]] = {}
        self.far: NDArray[np.bool_] = np.zeros(len(dist), np.bool_)

    @cached_property
    def origin_indices(self) -> NDArray[np.int64]:
        """The origins: (k,) int64; the nearer ends for points along edges, -1 for missing ones."""
        return np.asarray(on_host(self._ends[0]), np.int64)

    @cached_property
    def destination_indices(self) -> NDArray[np.int64]:
        """The destinations, as `origin_indices`: (k,) int64."""
        return np.asarray(on_host(self._ends[1]), np.int64)

    @cached_property
    def origins(self) -> Array:
        """The origins as the graph names them: (k,)."""
        return labels_or_none(self.graph, self.origin_indices)

    @cached_property
    def destinations(self) -> Array:
        """The destinations as the graph names them: (k,)."""
        return labels_or_none(self.graph, self.destination_indices)

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Mask of the trips with a place that has no point near, or without a vertex: (k,)."""
        return (self.origin_indices < 0) | (self.destination_indices < 0)

    @cached_property
    def reached(self) -> NDArray[np.bool_]:
        """Mask of the trips that have a path: (k,) bool."""
        dist = on_host(self.dist)
        reached: NDArray[np.bool_] = dist != unreachable(dist.dtype)
        return reached

    def route(self, trip: int) -> Route:
        """Return a shortest path of one trip, which is searched for at each call.

        Parameters
        ----------
        trip : number of the trip, in [0, k).

        Raises
        ------
        InputError
            If there is no such trip.
        NoPathError
            If its destination cannot be reached.
        """
        at = checked_integer(trip, "trip", 0, len(self) - 1)
        if self._entries is None:
            return self._find_route(self.origins[at], self.destinations[at])
        if self.missing[at]:
            msg = f"there is no path of trip {at}: its origin or its destination is missing."
            raise NoPathError(msg)
        first, last = (entries.given[at] for entries in self._entries)
        return self._find_route(first, last)

    @cached_property
    def _edges(self) -> tuple[Array, Array | None, Array]:
        """The edges of all routes, (e,), their shares, and how many each route has: (r,).

        Shares are (e, 2), or None where all edges are wholly on the routes.
        """
        return self._find_edges(np.flatnonzero(self.reached))

    @cached_property
    def routes(self) -> RoutesOfTrips:
        """The routes of all trips as two arrays, searched at once: a million do not take objects.

        A trip without a path has no vertices. Where an end is a point along an edge, the vertices
        are those between the ends.

        Examples
        --------
        >>> import warpath as wp
        >>> wp.pairs([(0, 1, 2), (1, 2, 5)], [0, 2, 1], [2, 0, 1]).routes
        RoutesOfTrips(indptr=array([0, 3, 3, 4]), vertices=array([0, 1, 2, 1]))
        """
        trips = np.flatnonzero(self.reached)
        edges, _, counts = self._edges
        from_vertex, to_point = np.ones((2, len(trips)), np.bool_)
        if self._entries is None:
            to_point[:] = False
        else:
            first, last = self._entries
            from_vertex, to_point = first.along[trips] < 0, last.along[trips] >= 0
        # The origins, and the heads of all edges but a last one that leads to a point.
        stops = counts.cumsum()
        begins = stops - counts
        heads = np.ones(len(edges), np.bool_)
        heads[stops[to_point & (counts > 0)] - 1] = False
        kept = np.append(0, heads.cumsum())  # of the edges before each one
        sizes = np.zeros(len(self) + 1, np.int64)
        sizes[trips + 1] = counts + from_vertex - (to_point & (counts > 0))
        origins = self.origin_indices[trips[from_vertex]]
        vertices = np.insert(self.graph.indices[edges][heads], kept[begins[from_vertex]], origins)
        return RoutesOfTrips(sizes.cumsum(), self.graph.label_of(vertices))

    def along(self, quantity: str | ArrayLike) -> Array:
        """Return the sum of another quantity along the route of each trip, such as its metres.

        The first call searches for the routes, on the CPU; later calls use them again.

        Parameters
        ----------
        quantity : as in `Route.along`.

        Returns
        -------
        (k,) sums, in the unit of the quantity: float32 or float64 for these, else int64 or uint64.
        Trips without a path have inf, or the largest integer, as in ``dist``.

        Raises
        ------
        GraphError
            If there is no such column, it has texts, or the array has not m numbers.
        """
        return self._sums(quantity)

    def _sums(self, quantity: str | ArrayLike, *, also: bool = False) -> Array:
        """Implement `along`, and `also` of `warpath.pairs`."""
        edges, shares, counts = self._edges
        values = values_along(self.graph, quantity, edges, shares)
        along = sums_of_routes(values, counts, also=also)
        sums = np.full(len(self), unreachable(along.dtype), along.dtype)
        sums[self.reached] = along
        return sums

    def with_columns(self, trips: Any) -> Pairs:
        """Return the same result with columns of the trips, such as their names and dates.

        The rows of `to_pandas`, `to_json` and `save` have them in front.

        Parameters
        ----------
        trips : a data frame or a dictionary of columns with an entry for each trip. Columns that
            are called as one of the result's own, such as origin and distance, are left out.

        Raises
        ------
        InputError
            If a column has not as many entries as there are trips.

        Examples
        --------
        >>> import warpath as wp
        >>> trips = wp.pairs([(0, 1, 2), (1, 2, 5)], [0], [2])
        >>> print(trips.with_columns({"trip_id": ["a"]}).to_json())
        [{"trip_id": "a", "origin": 0, "destination": 2, "distance": 7}]
        """
        table = as_table(trips)
        if not (isinstance(table, Mapping) or hasattr(table, "columns")):
            msg = f"trips = {shown(trips)} must be a data frame or a dictionary of columns."
            raise InputError(msg)
        columns = {
            str(name): plain_array(table[name], str(name), InputError)
            for name in column_names(table)
            if str(name) not in self._own_columns()
        }
        for name, values in columns.items():
            if values.shape != (len(self),):
                msg = (
                    f"the column {name!r} has {values.size} entries, but there are {len(self)} "
                    "trips: give one for each."
                )
                raise InputError(msg)
        copied = copy.copy(self)
        copied.columns = columns
        return copied

    def to_pandas(self, *, along: Sequence[str] = ()) -> Any:
        """Return a pandas data frame: origin, destination and distance, NA where there is none.

        Vertices have the names that the call gave them, or the ids of the graph's file. Where the
        call had places, the columns `origin_snap` and `destination_snap` say how far they are from
        the network, and `far` has the flags of the attribute of this name. Where trips are missing,
        a column `missing` says which.

        Parameters
        ----------
        along : names of kept columns, whose sums along the routes are further columns; see `along`.
        """
        listed = [along] if isinstance(along, str) else along
        names = isinstance(listed, list | tuple) and all(isinstance(name, str) for name in listed)
        if not names:
            msg = f"along = {shown(along)} must be a list of names of kept columns."
            raise InputError(msg)
        columns = self._columns()
        for name in listed:
            if name in columns:
                msg = (
                    f"along = {name!r} is already a column of the table: use Pairs.along({name!r})."
                )
                raise InputError(msg)
            columns[name] = self.along(name), self.reached
        if self.missing.any():
            columns["missing"] = self.missing, None
        return data_frame(columns, "Pairs.to_pandas")

    def to_geojson(self) -> dict[str, Any]:
        """Return the routes as a GeoJSON feature collection, a dictionary for `json.dumps`.

        Each route is searched for. Lines with the properties origin, destination and distance.
        GeoJSON expects longitudes and latitudes; the graph's coordinates are not converted.

        Raises
        ------
        GraphError
            If the graph has no coordinates.
        """
        collection: dict[str, Any] = upward("Pairs.to_geojson")(self)
        return collection

    def to_geodataframe(self, *, crs: Any = "auto") -> Any:
        """Return a GeoPandas data frame: origin, destination, distance and the route as a line.

        Each route is searched for. A trip without a path has no geometry, one of a single vertex a
        point.

        Parameters
        ----------
        crs : the coordinate reference system, as in `Within.to_geodataframe`.

        Raises
        ------
        GraphError
            If the graph or a vertex of a route has no coordinates.
        MissingDependencyError
            If GeoPandas is not installed.
        """
        return upward("Pairs.to_geodataframe")(self, crs)

    def plot(self, path: str | os.PathLike[str] | None = None, **options: Any) -> Any:
        """Draw the routes over the network; see `warpath.plot.plot_pairs`.

        Parameters
        ----------
        path : file to write, its format by suffix: .png, .svg, .pdf; None to save nothing.
        **options : ``title``, ``subtitle``, ``theme`` ("light", "dark"), ``dpi``.

        Returns
        -------
        matplotlib.figure.Figure
        """
        return upward("Pairs.plot")(self, path, **options)

    def save_html(self, path: Any, **options: Any) -> None:
        """Write a page with the routes on an interactive map; see `warpath.plot.html_pairs`.

        The page needs neither a server nor the network, and no package to be written.

        Parameters
        ----------
        path : file to write, .html.
        **options : ``title``, ``subtitle``, ``theme`` ("light", "dark"), ``tiles``, ``file_ids``.
        """
        upward("Pairs.save_html")(self, path, **options)

    def _vertices(self) -> NDArray[np.int64]:
        return np.concatenate([self.origin_indices, self.destination_indices])

    def _columns(self) -> Columns:
        return {name: (values, None) for name, values in self.columns.items()} | self._own_columns()

    def _own_columns(self) -> Columns:
        return {
            "origin": with_mask(self.graph, self.origin_indices, self.given_names[0]),
            "destination": with_mask(self.graph, self.destination_indices, self.given_names[1]),
            "distance": (on_host(self.dist), self.reached),
            **{name: (sums, self.reached) for name, sums in self.also.items()},
            **self._snap_columns(),
        }

    def _snap_columns(self) -> Columns:
        columns: Columns = {
            f"{end}_snap": (distances, ~np.isnan(distances))
            for end, distances in self.snap_distances.items()
        }
        return columns | {"far": (self.far, None)} if columns else {}

    def __len__(self) -> int:
        return len(self.dist)

    def __repr__(self) -> str:
        count = int(self.reached.sum())
        return f"<Pairs: {count:,} of {len(self):,} trips have a path\n  {self.plan.headline()}>"
