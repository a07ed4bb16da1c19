"""The result of `nearest`: the nearest facility of every vertex."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.cached import cached_property
from warpath.base.dtypes import unreachable
from warpath.base.upward import upward
from warpath.graph.labels import file_ids
from warpath.graph.places import NO_NAMES
from warpath.graph.raster import raster_of
from warpath.results.reached import ReachedDistances
from warpath.results.result import Result

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.graph.places import Snap
    from warpath.graph.point_sources import PointSources
    from warpath.results.rows import Columns
    from warpath.results.run_plan import RunPlan


class Nearest(Result, ReachedDistances):
    """The nearest facility of every vertex, and the distance to it.

    Tables of the result have a row for each vertex: vertex, facility and distance.

    Attributes
    ----------
    graph : the graph that was solved.
    facilities : (k,) the facilities, as the graph names them, in the order of the call; those of a
        set in ascending order of their indices.
    starts : (k,) int64, indices of the facilities, in the same order; of points along edges, those
        of the nearer ends.
    dist : (n,) distances in the weights' unit; inf (floats) or the largest integer where no
        facility is reachable, which sums of integers would include: see `reached_dist`,
        `to_numpy`.
    facility_indices : (n,) of the indices' type, the index of the nearest facility, of several
        equally near ones the smallest, points along edges last; -1 where no facility is reachable.
    facility_rows : (n,) int64, the position in `facilities` of the nearest facility, the first of a
        vertex that was given twice; -1 where no facility is reachable.
    point_sources : the facilities as vertices of the graph that was searched, where some are points
        along edges; else None.
    missing : (c,) bool, of the c facilities of the call those that were left out, as they had no
        vertex near or were None.
    reverse : False for distances from the facilities, True for distances to them.
    cutoff : the largest distance in the result; farther vertices have no facility. None for no
        limit.
    plan : the plan that ran: algorithm, device and the reasons.
    stats : counters of the run, with ``seconds``.
    snapped : what was taken for each `Place` in the call, a tuple of `Snap`; empty without places.
    names : the names that the call gave to vertices, as ``{vertex: name}`` or by ``Place.name``: a
        dictionary from their indices. Pictures and maps show them.
    """

    dist: Array
    snapped: tuple[Snap, ...] = ()
    names: Mapping[int, str] = NO_NAMES

    _COMPUTED = ("facility_rows", "count_of_facilities")

    def __init__(
        self,
        graph: Graph,
        facilities: NDArray[np.int64],
        dist: Array,
        nearest: Array,
        *,
        reverse: bool,
        cutoff: float | None,
        plan: RunPlan,
        stats: dict[str, Any],
        rows: NDArray[np.int64] | None = None,
        points: PointSources | None = None,
    ) -> None:
        self.graph = graph
        self.starts = facilities
        self.facilities = graph.label_of(facilities)
        self.dist = dist
        self.facility_indices = nearest
        self.missing = np.zeros(len(facilities), np.bool_)
        self.reverse = reverse
        self.cutoff = cutoff
        self.plan = plan
        self.stats = stats
        self.point_sources = points
        if rows is not None:
            self.facility_rows = rows

    @cached_property
    def count_of_facilities(self) -> int:
        """The number of different facilities; `facilities` has one given twice twice."""
        points = self.point_sources
        return len(np.unique(self.starts)) if points is None else points.distinct

    @property
    def facilities_counted(self) -> str:
        """The number of different facilities with its noun: "1 facility" or "3 facilities"."""
        count = self.count_of_facilities
        return f"{count:,} {'facility' if count == 1 else 'facilities'}"

    @cached_property
    def facility_rows(self) -> NDArray[np.int64]:
        """The position in `facilities` of the nearest facility of every vertex: (n,)."""
        starts, first = np.unique(self.starts, return_index=True)
        rows = first[np.searchsorted(starts, np.maximum(self.facility_indices, starts[0]))]
        return np.where(self.reached, rows, -1)

    @cached_property
    def reached(self) -> NDArray[np.bool_]:
        """Mask of the vertices that have a facility, within any cutoff: (n,) bool."""
        reached: NDArray[np.bool_] = self.dist != unreachable(self.dist.dtype)
        return reached

    @cached_property
    def facility(self) -> Array:
        """The nearest facility of every vertex, as the graph names it: (n,).

        Vertices without a facility have None if the graph has labels, else -1.
        """
        if self.graph.labels is None:
            return self.facility_indices
        names = self.graph.labels[np.maximum(self.facility_indices, 0)]
        if self.reached.all():
            return names
        names = names.astype(object)
        names[~self.reached] = None
        return names

    @property
    def _facility_ids(self) -> Array:
        """The names or ids of the nearest facilities, those of the first where there is none."""
        if not self.given_names[0]:
            return file_ids(self.graph, np.where(self.reached, self.facility_indices, 0))
        rows = np.where(self.reached, self.facility_rows, 0)
        ids: Array = file_ids(self.graph, self.starts, self.given_names[0])[rows]
        return ids

    def to_raster(self, values: ArrayLike | None = None) -> Array:
        """Return the distances as an array of the raster that the graph was made of.

        Parameters
        ----------
        values : (n,) other numbers, one for each vertex, such as `facility_rows` for an
            allocation; None for the distances.

        Returns
        -------
        (rows, columns), inf where there is no path.

        Raises
        ------
        GraphError
            If the graph was not made by `Graph.of_raster`.
        """
        raster = raster_of(self.graph, "to_raster")
        return raster.array(self.dist if values is None else values)

    def _columns(self) -> Columns:
        graph, reached = self.graph, self.reached
        return {
            "vertex": (file_ids(graph, np.arange(graph.n)), None),
            "facility": (self._facility_ids, reached),
            "distance": (self.dist, reached),
        }

    def to_geojson(self) -> dict[str, Any]:
        """Return the vertices as a GeoJSON feature collection, a dictionary for `json.dumps`.

        Points with the properties vertex, facility and distance, null where there is none.
        GeoJSON expects longitudes and latitudes; the graph's coordinates are not converted.

        Raises
        ------
        GraphError
            If the graph has no coordinates.
        """
        collection: dict[str, Any] = upward("Nearest.to_geojson")(self)
        return collection

    def to_geodataframe(self, *, crs: Any = "auto") -> Any:
        """Return a GeoPandas data frame of points: vertex, facility, distance, geometry.

        Parameters
        ----------
        crs : the coordinate reference system, as in `Within.to_geodataframe`.

        Raises
        ------
        GraphError
            If the graph has no coordinates.
        MissingDependencyError
            If GeoPandas is not installed.
        """
        return upward("Nearest.to_geodataframe")(self, crs)

    def plot(self, path: str | os.PathLike[str] | None = None, **options: Any) -> Any:
        """Draw the network in the colours of facilities; see `warpath.plot.plot_nearest`.

        Parameters
        ----------
        path : file to write, its format by suffix: .png, .svg, .pdf; None to save nothing.
        **options : ``title``, ``subtitle``, ``names`` (one for each of `facilities`, or
            ``{vertex: name}``), ``theme`` ("light", "dark"), ``dpi``.

        Returns
        -------
        matplotlib.figure.Figure
        """
        return upward("Nearest.plot")(self, path, **options)

    def save_html(self, path: Any, **options: Any) -> None:
        """Write a page with the areas on an interactive map; see `warpath.plot.html_nearest`.

        The page needs neither a server nor the network, and no package to be written.

        Parameters
        ----------
        path : file to write, .html.
        **options : ``title``, ``subtitle``, ``names`` as in `plot`, ``theme`` ("light", "dark"),
            ``tiles``, ``file_ids``.
        """
        upward("Nearest.save_html")(self, path, **options)

    def explore(self, **options: Any) -> Any:
        """Return an interactive map: the vertices, coloured by their facility.

        Its script, style and background are fetched when it is shown, and GeoPandas and folium are
        needed; `save_html` writes a map that works without the network.

        Parameters
        ----------
        **options : those of `geopandas.GeoDataFrame.explore`, such as ``tiles`` and ``column``.

        Returns
        -------
        folium.Map, whose ``save`` writes an HTML page.
        """
        return upward("Nearest.explore")(self, options)

    def __len__(self) -> int:
        return len(self.dist)

    def __repr__(self) -> str:
        count, way = int(self.reached.sum()), "to" if self.reverse else "from"
        return (
            f"<Nearest of {self.facilities_counted}: {count:,} of {len(self):,} "
            f"vertices have one, distances {way} it\n  {self.plan.headline()}>"
        )
