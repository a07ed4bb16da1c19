"""What `within` returns: the vertices and the parts of edges within some cutoffs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.cached import cached_property
from warpath.base.dtypes import unreachable
from warpath.base.errors import GraphError, InputError, require
from warpath.graph.arguments import checked_cutoff
from warpath.graph.checks import plain_array, shown
from warpath.graph.coordinates import stretch
from warpath.graph.edge_geometry import lines_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.results.paths import Paths
    from warpath.results.route import Route


class Within:
    """The vertices within one or several cutoffs of a source, the nearest first.

    Attributes
    ----------
    graph : the graph that was solved.
    cutoffs : (k,) in ascending order, in the weights' unit.
    indices : (r,) int64, the vertices within the largest cutoff as indices; in ascending order of
        their distance, of equally far ones the smallest index first.
    dist : (r,) their distances.
    reverse : False for distances from the source, True for distances to it.
    paths : the search that found them, a `Paths`; of the reversed graph with `reverse`.
    """

    def __init__(self, graph: Graph, cutoffs: Array, paths: Paths, *, reverse: bool) -> None:
        self.graph = graph
        self.cutoffs = cutoffs
        self.paths = paths
        self.reverse = reverse
        found = np.flatnonzero(paths.reached)
        dist = paths.dist[found]
        order = np.argsort(dist, kind="stable")
        self.indices = found[order]
        self.dist = dist[order]

    @property
    def source(self) -> Any:
        """The vertex that distances are measured from, or to, as the graph names it."""
        return self.paths.source

    @cached_property
    def vertices(self) -> Array:
        """The vertices within the largest cutoff, as the graph names them: (r,)."""
        return self.graph.label_of(self.indices)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How many vertices lie within each cutoff: (k,); they are the first of `vertices`."""
        limits = [checked_cutoff(cutoff, self.graph) for cutoff in self.cutoffs.tolist()]
        # A cutoff beyond all distances of the graph's type is None.
        most = unreachable(self.dist.dtype)
        known = [most if limit is None else limit for limit in limits]
        counts: NDArray[np.int64] = np.searchsorted(self.dist, np.array(known), side="right")
        return counts

    @cached_property
    def band(self) -> NDArray[np.int64]:
        """The place of the least cutoff that each of `vertices` lies within: (r,), 0 .. k - 1."""
        return np.repeat(np.arange(len(self.counts)), np.diff(self.counts, prepend=0))

    def path_to(self, vertex: Any) -> Route:
        """Return the route to a vertex; with `reverse` the one from it, against its direction.

        Raises
        ------
        VertexError
            If the graph has no such vertex.
        NoPathError
            If it is farther than the largest cutoff.
        """
        return self.paths.path_to(vertex)

    def parts(self) -> tuple[NDArray[np.int64], NDArray[np.int64], Array, Array]:
        """Return the parts of edges within the cutoffs, one for each edge and band that it meets.

        Returns
        -------
        edge : (p,) int64, places in `Graph.edges`, of the reversed graph with `reverse`.
        band : (p,) int64, as in `band`.
        start, end : (p,) float64, where the part begins and ends, as shares of the edge's length
            from the end that is reached first: 0.0 and 1.0 for a whole edge.

        Notes
        -----
        An edge counts as long as its weight, evenly along it. O(r + edges out of them), a band.
        """
        searched = self.paths.graph
        passed = (self.indices >= searched.first_through) | (
            self.indices == self.paths.source_index
        )
        tails = self.indices[passed]
        degree = np.diff(searched.indptr)[tails]
        first = np.repeat(searched.indptr[tails] - np.cumsum(degree) + degree, degree)
        edge = first + np.arange(len(first))
        begin = np.repeat(self.dist[passed], degree).astype(np.float64)
        length = searched.solver_weights[edge].astype(np.float64)
        parts = []
        low = -np.inf
        for at, high in enumerate(self.cutoffs.tolist()):
            with np.errstate(divide="ignore", invalid="ignore"):
                start = np.clip((low - begin) / length, 0, 1)
                end = np.clip((high - begin) / length, 0, 1)
            point = length <= 0  # it ends no farther than it begins
            inside = (begin > low) & (begin <= high)
            start, end = np.where(point, 0.0, start), np.where(point, 1.0, end)
            met = np.flatnonzero(np.where(point, inside, end > start))
            parts.append((edge[met], np.full(len(met), at), start[met], end[met]))
            low = high
        edges, bands, starts, ends = (np.concatenate(column) for column in zip(*parts, strict=True))
        return edges, bands, starts, ends

    def segments(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the parts of edges as straight lines, several where an edge bends.

        Returns
        -------
        lines : (s, 2, 2) float64, x and y of both ends.
        part : (s,) int64, the part in `parts` that each belongs to.

        Raises
        ------
        GraphError
            If the graph has no coordinates.
        """
        points = self._coordinates("their edges as lines")
        edge, _, start, end = self.parts()
        scale = stretch(points, points[self.indices])
        lines, part, low, high = lines_of(self.paths.graph, edge, scale)
        begin, stop = np.maximum(low, start[part]), np.minimum(high, end[part])
        kept = np.flatnonzero((stop > begin) | ((start == 0) & (end == 1))[part])
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.stack([begin - low, stop - low], axis=1) / (high - low)[:, None]
        share = np.where(np.isfinite(share), share, (0.0, 1.0))[kept, :, None]
        whole = lines[kept]
        return whole[:, :1] + share * (whole[:, 1:] - whole[:, :1]), part[kept]

    def to_pandas(self) -> Any:
        """Return a pandas data frame: vertex, distance and cutoff, the nearest first."""
        pandas = require("pandas", what="Within.to_pandas")
        cutoff = self.cutoffs[self.band]
        columns = {"vertex": self.vertices, "distance": self.dist, "cutoff": cutoff}
        return pandas.DataFrame(columns)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a row for each vertex, (vertex, distance, cutoff), as ``.parquet`` or ``.csv``.

        The file appears complete or not at all; vertices are named as in the graph's file.
        """
        from warpath.io.places import to_write
        from warpath.results.files import file_names, save_columns

        columns: dict[str, tuple[Array, Array | None]] = {
            "vertex": (file_names(self.graph, self.indices), None),
            "distance": (self.dist, None),
            "cutoff": (self.cutoffs[self.band], None),
        }
        save_columns(to_write(path), columns)

    def to_geodataframe(
        self, kind: str = "polygons", *, crs: Any = "auto", ratio: float = 0.2
    ) -> Any:
        """Return a GeoPandas data frame of outlines, parts of edges, or vertices.

        Parameters
        ----------
        kind : "polygons", a row for each cutoff (cutoff, vertices, geometry): the concave hull of
            the ends of edges and parts within it, with that of smaller cutoffs. "edges", a row for
            each part of an edge (u, v, cutoff, geometry). "vertices", a row for each (vertex,
            distance, cutoff, geometry).
        crs : the coordinates' reference system, as GeoPandas takes it; "auto" is that which the
            graph came with, else longitude and latitude (EPSG:4326) where they look so.
        ratio : of polygons, from 0 (tight) to 1 (the convex hull).

        Raises
        ------
        GraphError
            If the graph has no coordinates.
        MissingDependencyError
            If GeoPandas is not installed.
        """
        from warpath.results.geodata import within_frame

        self._coordinates(f"{kind} on a map")
        return within_frame(self, kind, crs, ratio)

    def plot(self, path: str | os.PathLike[str] | None = None, **options: Any) -> Any:
        """Draw the bands over the network; see `warpath.plot.plot_within`.

        Parameters
        ----------
        path : where to save it, by suffix: .png, .svg, .pdf. None: nothing is saved.
        **options : ``title``, ``theme`` ("light", "dark"), ``dpi``.

        Returns
        -------
        matplotlib.figure.Figure
        """
        from warpath.plot import plot_within

        return plot_within(self, path, **options)

    def _coordinates(self, what: str) -> Array:
        points = self.graph.coordinates
        if points is None:
            msg = (
                f"the graph has no coordinates, so there are no {what}: give them with "
                "coordinates= when reading, or graph.with_coordinates(array)."
            )
            raise GraphError(msg)
        return points

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
        return f"<Within, {way} {self.source!r}: {counts}\n  {self.paths.plan.headline()}>"


def checked_cutoffs(cutoff: Any) -> Array:
    """Return the cutoffs in ascending order: (k,), integers where all are, none rounded."""
    given = np.atleast_1d(plain_array(cutoff, "cutoff", InputError))
    if given.ndim != 1 or not len(given):
        msg = f"cutoff = {shown(cutoff)}: one number, or a list of at least one, is needed."
        raise InputError(msg)
    listed = np.array(cutoff, object).ravel()
    exact = [one.item() if isinstance(one, np.generic) else one for one in listed]
    large = given.dtype == object and {*map(type, exact)} <= {int, float}
    numbers = given.dtype.kind in "iuf" or large
    for value in exact:
        if not numbers or not 0 <= value < np.inf:
            msg = (
                f"cutoff {shown(value)} must be a finite number, 0 or more; `warpath.sssp` reaches "
                "everything."
            )
            raise InputError(msg)
    # NumPy rounds integers next to floats, and makes objects of those beyond 64 bits.
    same = given.tolist() == exact
    return np.unique(given if same else np.array(exact, object))
