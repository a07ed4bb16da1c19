"""The result of `within`: the vertices and the parts of edges within given cutoffs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base.cached import cached_property
from warpath.base.dtypes import unreachable
from warpath.base.errors import InputError
from warpath.base.upward import upward
from warpath.graph.arguments import checked_cutoff, one_index, with_unit
from warpath.graph.checks import plain_array, shown
from warpath.graph.coordinates import coordinates_of, stretch
from warpath.graph.edge_geometry import lines_of
from warpath.graph.labels import file_ids, one_label
from warpath.graph.places import NO_NAMES
from warpath.graph.raster import raster_of
from warpath.graph.solvable import SolvableGraph
from warpath.graph.zones import inside_from
from warpath.results.paths import Paths
from warpath.results.predecessors import no_path, search, searched_path
from warpath.results.reached import filled
from warpath.results.result import Result
from warpath.results.route_between import route_from, route_of_path

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.graph.places import Snap
    from warpath.graph.point_sources import PointSources
    from warpath.results.nearest import Nearest
    from warpath.results.route import Route
    from warpath.results.rows import Columns
    from warpath.results.run_plan import RunPlan


class NearVertices(NamedTuple):
    """The vertices within a cutoff.

    Attributes
    ----------
    indices : (r,) int64, in ascending order of (distance, index).
    dist : (r,) their distances.
    plan, stats : what ran, and its counters with ``seconds``.
    point_sources : as in `Within`.
    """

    indices: NDArray[np.int64]
    dist: Array
    plan: RunPlan
    stats: dict[str, Any]
    point_sources: PointSources | None = None

    @classmethod
    def of(cls, result: Paths | Nearest) -> NearVertices:
        """Return the reached vertices of a search."""
        reached = np.flatnonzero(result.reached)
        dist = result.dist[reached]
        order = np.argsort(dist, kind="stable")
        return cls(reached[order], dist[order], result.plan, result.stats, result.point_sources)


class Within(Result):
    """The vertices within one or more cutoffs of the nearest of its sources, in order of distance.

    Tables of the result have a row for each vertex: vertex, distance and cutoff.

    Attributes
    ----------
    graph : the graph that was solved.
    cutoffs : (k,) in ascending order, in the weights' unit.
    indices : (r,) int64, indices of the vertices within the largest cutoff, in ascending order of
        (distance, index).
    dist : (r,) distances of these vertices, all of which are reached.
    reverse : False for distances from the source, True for distances to it.
    sources : (s,) the sources, as the graph names them, in the order of the call; those of a set in
        ascending order of their indices.
    source_indices : (s,) int64; of points along edges, the nearer ends.
    point_sources : the sources as vertices of the graph that was searched, where some are points
        along edges; else None.
    plan : the plan that ran: algorithm, device and the reasons.
    stats : counters of the run, with ``seconds``.
    searched : the graph that was searched: `graph`, or the reversed graph if `reverse`.
    snapped : what was taken for each `Place` in the call, a tuple of `Snap`; empty without places.
    names : the names that the call gave to vertices, as ``{vertex: name}`` or by ``Place.name``: a
        dictionary from their indices. Pictures and maps show them.
    """

    snapped: tuple[Snap, ...] = ()
    names: Mapping[int, str] = NO_NAMES

    _COMPUTED = ("sources", "source", "counts", "count_of_sources")
    _LEFT_OUT = frozenset({"_search", "_result", "searched"})

    def __init__(
        self,
        graph: Graph,
        cutoffs: Array,
        sources: NDArray[np.int64],
        nearby: NearVertices,
        search: Callable[[], Paths | Nearest],
        *,
        reverse: bool,
    ) -> None:
        self.graph = graph
        self.cutoffs = cutoffs
        self._search = search
        self.searched = graph.reversed() if reverse else graph
        self.reverse = reverse
        self.indices, self.dist = nearby.indices, nearby.dist
        self.plan, self.stats = nearby.plan, nearby.stats
        self.point_sources = nearby.point_sources
        self.source_indices = sources

    @cached_property
    def _result(self) -> Paths | Nearest:
        """The distance of every vertex: of the search that ran, or of another one that has them."""
        return self._search()

    @property
    def paths(self) -> Paths | None:
        """The `Paths` of the search of `searched`; None for several sources."""
        return self._result if isinstance(self._result, Paths) else None

    @cached_property
    def source(self) -> Any:
        """The vertex or `Place` that distances are measured from, or to; a list of several."""
        if self.point_sources is not None and self.paths is not None:
            return self.paths.source
        names = self.sources.tolist()
        return names[0] if self.count_of_sources == 1 else names

    @cached_property
    def count_of_sources(self) -> int:
        """The number of different sources; `sources` has one given twice twice."""
        points = self.point_sources
        return len(np.unique(self.source_indices)) if points is None else points.distinct

    @cached_property
    def sources(self) -> Array:
        """The sources as the graph names them: (s,)."""
        return self.graph.label_of(self.source_indices)

    @cached_property
    def vertices(self) -> Array:
        """The vertices within the largest cutoff, as the graph names them: (r,)."""
        return self.graph.label_of(self.indices)

    @property
    def reached_dist(self) -> Array:
        """The distances of `vertices`, (r,): `dist`, by the name that other results have."""
        return self.dist

    def to_numpy(self, unreachable: float = math.nan) -> Array:
        """Return the distance of every vertex of the graph, (n,), with a number for the others.

        Parameters
        ----------
        unreachable : as in `Paths.to_numpy`; for vertices beyond the largest cutoff.
        """
        return filled(self._result.dist, self._result.reached, unreachable)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """The number of vertices within each cutoff, (k,), the nearer ones included.

        ``vertices[:counts[i]]`` are those within ``cutoffs[i]``.
        """
        limits = [checked_cutoff(cutoff, self.graph) for cutoff in self.cutoffs.tolist()]
        # checked_cutoff returns None for a cutoff beyond the range of the graph's distances.
        most = unreachable(self.dist.dtype)
        bounds = [most if limit is None else limit for limit in limits]
        counts: NDArray[np.int64] = np.searchsorted(self.dist, np.array(bounds), side="right")
        return counts

    @cached_property
    def band(self) -> NDArray[np.int64]:
        """The index of the smallest cutoff that each of `vertices` lies within: (r,)."""
        return np.repeat(np.arange(len(self.counts)), np.diff(self.counts, prepend=0))

    def path_to(self, vertex: Any) -> Route:
        """Return the route to a vertex; if `reverse`, the route from it, in backward order.

        It starts at the nearest of several sources, and is then found by a new search.

        Raises
        ------
        VertexError
            If the graph has no such vertex.
        NoPathError
            If the vertex is beyond the largest cutoff.
        """
        if isinstance(self._result, Paths):
            return self._result.path_to(vertex)
        t = one_index(self.graph, vertex, "vertex")
        row = int(self._result.facility_rows[t])
        if row < 0:
            ends = f"from a source to {one_label(self.graph, t)!r}"
            raise no_path(self.searched, int(self.source_indices[0]), t, self._result.cutoff, ends)
        length, points = self._result.dist[t].item(), self.point_sources
        if points is not None and points.ends.along[row] >= 0:
            (end,) = SolvableGraph(self.searched).arrivals(np.array([t])).tolist()
            path, _ = searched_path(points.searched, int(points.vertices[row]), end)
            return route_from(points, path, length, self.plan)
        path, _ = searched_path(self.searched, int(self.source_indices[row]), t)
        return route_of_path(self.searched, path, length, self.plan)

    def parts(self) -> tuple[NDArray[np.int64], NDArray[np.int64], Array, Array]:
        """Return the parts of edges within the cutoffs, one for each pair of an edge and its band.

        Returns
        -------
        edge : (p,) int64, positions in `Graph.edges`; of the reversed graph if `reverse`.
        band : (p,) int64, index of the cutoff as in `band`.
        start, end : (p,) float64, begin and end of the part as fractions of the edge's length, from
            the vertex that is reached first: 0.0 and 1.0 for a whole edge. An edge with sources
            along it is cut at these points.

        Notes
        -----
        The length of an edge is its weight, spread evenly along it. Each band takes O(r + out-edges
        of the r vertices).
        """
        searched = self.searched
        points, sources = self.point_sources, self.source_indices
        if points is not None:
            sources = sources[points.ends.along < 0]
        passed = np.isin(self.indices, sources)
        passed |= (self.indices >= searched.first_through) | searched.areas | bool(searched.turns)
        tails = self.indices[passed]
        degree = np.diff(searched.indptr)[tails]
        first = np.repeat(searched.indptr[tails] - np.cumsum(degree) + degree, degree)
        edge = first + np.arange(len(first))
        begin = np.repeat(self.dist[passed], degree).astype(np.float64)
        if searched.turns:
            begin = self._edge_begins()[edge]
        elif searched.areas:  # only a path that has not left the area of its source leaves it
            links = None if points is None else points.links
            inside = np.append(inside_from(searched, sources, links), 0.0)
            closed = np.minimum(np.repeat(tails, degree), searched.first_through)
            leaves = searched.indices[edge] >= searched.first_through
            begin = np.where(leaves, np.maximum(begin, inside[closed]), begin)
        least, most = np.zeros(len(edge)), np.ones(len(edge))
        if points is not None:
            own, starts, stops = points.parts()
            cut, of = np.unique(own, return_index=True)
            is_cut = np.isin(edge, cut)  # after the first point, the point itself is nearer
            most[is_cut] = starts[of][np.searchsorted(cut, edge[is_cut])]
            least, most = np.append(least, starts), np.append(most, stops)
            edge = np.append(edge, own)
            begin = np.append(begin, -starts * searched._solver_weights[own])
        length = searched._solver_weights[edge].astype(np.float64)
        parts = []
        low = -np.inf
        for at, high in enumerate(self.cutoffs.tolist()):
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                start = np.clip((low - begin) / length, least, most)
                end = np.clip((high - begin) / length, least, most)
            point = length <= 0  # both ends are at the same distance: one band has the whole edge
            inside = (begin > low) & (begin <= high)
            start, end = np.where(point, least, start), np.where(point, most, end)
            met = np.flatnonzero(np.where(point, inside, end > start))
            parts.append((edge[met], np.full(len(met), at), start[met], end[met]))
            low = high
        edges, bands, begins, ends = (np.concatenate(part) for part in zip(*parts, strict=True))
        return edges, bands, begins, ends

    def _edge_begins(self) -> NDArray[np.float64]:
        """Return the least distance at which a path enters each edge of a graph with turns: (m,).

        Each source is searched from once more.
        """
        view, points = SolvableGraph(self.searched), self.point_sources
        inner = view.inner if points is None else points.searched
        starts = self.source_indices if points is None else points.vertices
        limit = checked_cutoff(self.cutoffs.tolist()[-1], self.graph)
        begins = np.full(self.searched.m, np.inf)
        for start in np.unique(starts).tolist():
            labels, _ = search(inner, start, limit, starts[:0])
            distances = filled(labels, labels != unreachable(labels.dtype), np.inf)
            begins = np.minimum(begins, view.edge_begins(distances[: view.inner.n]))
        return begins

    def segments(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the parts of edges as straight line segments, several for a bent edge.

        Returns
        -------
        lines : (s, 2, 2) float64, x and y of both ends.
        part : (s,) int64, the position in `parts` of each segment's part.

        Raises
        ------
        GraphError
            If the graph has no coordinates.
        """
        points = self._coordinates("lines along edges")
        edge, _, start, end = self.parts()
        scale = stretch(points, points[self.indices])
        lines, part, low, high = lines_of(self.searched, edge, scale)
        begin, stop = np.maximum(low, start[part]), np.minimum(high, end[part])
        positive = np.flatnonzero((stop > begin) | ((start == 0) & (end == 1))[part])
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.stack([begin - low, stop - low], axis=1) / (high - low)[:, None]
        share = np.where(np.isfinite(share), share, (0.0, 1.0))[positive, :, None]
        whole = lines[positive]
        return whole[:, :1] + share * (whole[:, 1:] - whole[:, :1]), part[positive]

    def _vertices(self) -> NDArray[np.int64]:
        return np.concatenate([self.indices, self.source_indices])

    def to_raster(self) -> Array:
        """Return the distances as an array of the raster that the graph was made of.

        Returns
        -------
        (rows, columns), inf beyond the largest cutoff.

        Raises
        ------
        GraphError
            If the graph was not made by `Graph.of_raster`.
        """
        dist = np.full(self.graph.n, np.inf)
        dist[self.indices] = self.dist
        return raster_of(self.graph, "to_raster").array(dist)

    def _columns(self) -> Columns:
        return {
            "vertex": (file_ids(self.graph, self.indices), None),
            "distance": (self.dist, None),
            "cutoff": (self.cutoffs[self.band], None),
        }

    def to_geojson(
        self, kind: str = "polygons", *, resolution: float | None = None
    ) -> dict[str, Any]:
        """Return the areas, edges or vertices as a GeoJSON feature collection, for `json.dumps`.

        GeoJSON expects longitudes and latitudes; the graph's coordinates are not converted.

        Parameters
        ----------
        kind, resolution : as in `to_geodataframe`; the columns are the properties.

        Raises
        ------
        GraphError
            If the graph has no coordinates.
        MissingDependencyError
            If Shapely is not installed.
        """
        collection: dict[str, Any] = upward("Within.to_geojson")(self, kind, resolution)
        return collection

    def to_geodataframe(
        self, kind: str = "polygons", *, crs: Any = "auto", resolution: float | None = None
    ) -> Any:
        """Return a GeoPandas data frame of outlines, parts of edges, or vertices.

        Parameters
        ----------
        kind : "polygons" for one row per cutoff (cutoff, vertices, resolution, geometry), a
            MultiPolygon around the parts of edges within the cutoff; "edges" for one row per part
            of an edge (u, v, cutoff, geometry); "vertices" for one row per vertex (vertex,
            distance, cutoff, geometry).
        crs : the coordinate reference system, as GeoPandas takes it; "auto" for the graph's own, or
            EPSG:4326 if it has none and the coordinates can be longitudes and latitudes.
        resolution : of polygons, in metres, or in the unit of coordinates that are not degrees. An
            outline keeps a distance of half of it from the edges. A gap between edges that is
            narrower than twice the resolution is filled, and so are holes of up to 25 squares of
            it: blocks are, lakes are not. None for the median of the distances between neighbours.

        Raises
        ------
        GraphError
            If the graph has no coordinates.
        MissingDependencyError
            If GeoPandas is not installed.
        """
        self._coordinates(f"{kind} on a map")
        return upward("Within.to_geodataframe")(self, kind, crs, resolution)

    def plot(self, path: str | os.PathLike[str] | None = None, **options: Any) -> Any:
        """Draw the bands over the network; see `warpath.plot.plot_within`.

        Parameters
        ----------
        path : file to write, its format by suffix: .png, .svg, .pdf; None to save nothing.
        **options : ``title``, ``subtitle``, ``source`` (one name for each of `sources`, or
            ``{vertex: name}``), ``theme`` ("light", "dark"), ``dpi``.

        Returns
        -------
        matplotlib.figure.Figure
        """
        return upward("Within.plot")(self, path, **options)

    def save_html(self, path: Any, **options: Any) -> None:
        """Write a page with the bands on an interactive map; see `warpath.plot.html_within`.

        The page needs neither a server nor the network, and no package to be written.

        Parameters
        ----------
        path : file to write, .html.
        **options : ``title``, ``subtitle``, ``source`` (as in `plot`), ``theme`` ("light", "dark"),
            ``tiles``, ``file_ids``.
        """
        upward("Within.save_html")(self, path, **options)

    def explore(self, **options: Any) -> Any:
        """Return an interactive map: the parts of edges within each cutoff.

        Its script, style and background are fetched when it is shown, and GeoPandas and folium are
        needed; `save_html` writes a map that works without the network.

        Parameters
        ----------
        **options : those of `geopandas.GeoDataFrame.explore`, such as ``tiles`` and ``column``.

        Returns
        -------
        folium.Map, whose ``save`` writes an HTML page.
        """
        return upward("Within.explore")(self, options)

    def _coordinates(self, what: str) -> Array:
        return coordinates_of(self.graph, f", so there are no {what}")

    def __len__(self) -> int:
        return len(self.indices)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.vertices.tolist())

    def __repr__(self) -> str:
        way = "to" if self.reverse else "from"
        counts = ", ".join(
            f"{count:,} within {cutoff:,}"
            for count, cutoff in zip(self.counts.tolist(), self.cutoffs.tolist(), strict=True)
        )
        count = self.count_of_sources
        start = f"the nearest of {count:,} sources"
        if count == 1:
            start = str(self.source) if self.point_sources else shown(self.source)
        return f"<Within, {way} {start}: {counts}\n  {self.plan.headline()}>"


def _holds_texts(cutoff: Any) -> bool:
    """Return whether an array or a series may hold texts."""
    kind: str | None = getattr(getattr(cutoff, "dtype", None), "kind", None)
    return kind in {"U", "O"} and getattr(cutoff, "ndim", 0) == 1


def checked_cutoffs(
    cutoff: Any, graph: Graph, without: str = "`warpath.sssp` reaches everything"
) -> Array:
    """Return the distinct cutoffs in ascending order, (k,): integers if all are, none rounded.

    Parameters
    ----------
    without : how to ask for no limit, for messages.
    """
    if isinstance(cutoff, str):
        cutoff = with_unit(cutoff, graph)
    elif _holds_texts(cutoff):
        cutoff = [with_unit(one, graph) if isinstance(one, str) else one for one in cutoff.tolist()]
    elif isinstance(cutoff, list | tuple):
        cutoff = [with_unit(one, graph) if isinstance(one, str) else one for one in cutoff]
    if type(cutoff) in {int, float} and 0 <= cutoff < np.inf:  # most calls, in a tenth of the time
        return np.array([cutoff])
    given = np.atleast_1d(plain_array(cutoff, "cutoff", InputError))
    if given.ndim != 1 or not len(given):
        msg = f"cutoff = {shown(cutoff)}: one number, or a list of at least one, is needed."
        raise InputError(msg)
    listed = np.array(cutoff, object).ravel()
    exact = [cutoff.item() if isinstance(cutoff, np.generic) else cutoff for cutoff in listed]
    large = given.dtype == object and {*map(type, exact)} <= {int, float}
    numbers = given.dtype.kind in "iuf" or large
    for value in exact:
        if not numbers or not 0 <= value < np.inf:
            msg = f"cutoff {shown(value)} must be a finite number, 0 or more; {without}."
            raise InputError(msg)
    # NumPy rounds large integers in a list with floats, and makes objects of those beyond 64 bits.
    same = given.tolist() == exact
    return np.unique(given if same else np.array(exact, object))
