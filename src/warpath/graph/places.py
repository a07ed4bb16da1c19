"""Places: coordinates in the role of vertices, taken as the nearest points of a network."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from warpath.base.errors import InputError, VertexError
from warpath.graph.checks import as_float, is_missing, shown
from warpath.graph.edge_geometry import weight_up_to
from warpath.graph.nearby import Nearby, digits
from warpath.graph.nearest_edges import edges_of
from warpath.graph.nearest_points import points_of
from warpath.graph.tables import as_table, column_names, entries_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from warpath.base.dtypes import Array
    from warpath.graph.csr_graph import CsrGraph

T = TypeVar("T")

#: The names of a call that names no vertex.
NO_NAMES: Mapping[int, str] = MappingProxyType({})


@dataclass(frozen=True)
class Place:
    """A coordinate in the role of a vertex: the point of the network nearest to it.

    Every call that takes a vertex takes a place, also in lists and next to vertices. The results
    of `sssp`, `path`, `distances`, `pairs`, `nearest`, `within` and `totals` say in ``snapped`` and
    in the notes of their plan which point was taken and how far it is from the place.

    A path from a point along an edge continues to the edge's head over the rest of the weight, or
    to its tail if an edge along the same line leads back. A path to the point comes from either
    end likewise. The weight is spread evenly over the length of the edge; parts of integers are
    rounded to integers, halves up, and add up to the weight.

    In a graph made by `Graph.of_raster` a place is the cell that contains it.

    `Graph.index_of` and the methods of results, such as `Paths.path_to`, take the nearest vertex.
    `DynamicPaths` starts at vertices and refuses points along edges.

    Attributes
    ----------
    lon, lat : longitude and latitude in degrees; x and y where the graph's coordinates are not
        degrees.
    within : how far the point may be away, as in `Graph.nearest_vertex`.
    name : a name for rows, columns and legends; None for the name of the vertex.
    snap : "edge" for the nearest point of an edge, or of a vertex without edges; "vertex" for the
        nearest vertex.

    Raises
    ------
    InputError
        If a coordinate is not a finite number, `within` is not a number of at least 0, `name` is
        not a string, or `snap` is neither "edge" nor "vertex".

    Notes
    -----
    An edge is straight between its vertices and the points of its shape: for degrees, a part of a
    great circle. The first place on a graph builds a search over its edges in O(m log m).

    Examples
    --------
    >>> import warpath as wp
    >>> points = [(7.41, 43.7), (7.42, 43.7), (7.5, 43.8)]
    >>> roads = wp.Graph.of([(0, 1, 100), (1, 2, 500)], coordinates=points)
    >>> route = wp.path(roads, wp.Place(7.4125, 43.7001), 2)
    >>> list(route), route.length
    ([1, 2], 575)
    >>> snap = route.snapped[0]
    >>> snap.edge, round(snap.fraction, 3), snap.offset, round(snap.distance)
    ((0, 1), 0.25, 25, 11)
    """

    lon: float
    lat: float
    within: float | None = None
    name: str | None = None
    snap: str = "edge"

    def __post_init__(self) -> None:
        for name in ("lon", "lat"):
            if not np.isfinite(as_float(getattr(self, name))):
                msg = f"{name} = {shown(getattr(self, name))} must be a finite number."
                raise InputError(msg)
        if self.within is not None:
            _checked_reach(self.within)
        _check_name(self.name)
        _check_choice("snap", self.snap, ("edge", "vertex"))

    def __str__(self) -> str:
        return f"{self.lon:.10g},{self.lat:.10g}"


class Snap(NamedTuple):
    """A place and the point that was taken for it: a vertex, or a point along an edge.

    Attributes
    ----------
    place : the `Place`.
    vertex : the vertex, or the nearer end of the edge, as the graph names it.
    distance : how far the point is from the place: metres, or the unit of the coordinates where
        they are not degrees.
    point : x and y of the point.
    edge : the tail and the head of the edge, as the graph names them; None for a vertex.
    fraction : the length of the edge from its tail to the point, as a part of the whole; None for a
        vertex.
    offset : the part of the edge's weight from its tail to the point; None for a vertex.
    """

    place: Place
    vertex: Any
    distance: float
    point: tuple[float, float]
    edge: tuple[Any, Any] | None = None
    fraction: float | None = None
    offset: Any = None


class Snapped(NamedTuple):
    """Vertices and points of edges, some of which were given as places or with names.

    Attributes
    ----------
    indices : (k,) int64, the vertices; for points of edges the nearer ends, -1 for what is missing.
    snaps : what was taken for each place.
    given : (k,) the vertices and places of the caller.
    along : (k,) int64, for points of edges the lightest edge along the line, as a position in
        `Graph.edges`; -1 for the rest.
    back : (k,) int64, the lightest edge along the same line in the other direction, -1 for none.
    fractions : (k,) float64, the part of the length from the tail of `along` to the point.
    points : (k, 2) float64, the points; NaN for vertices that were not given as places.
    distances : (k,) float64, how far places are from the network, also those that are too far;
        NaN for vertices and missing entries.
    unusual : (k,) bool, the places that are farther than is allowed by default.
    missing : (k,) bool, the entries without a vertex or point.
    misses : the text of an error about the missing entries, "" for none.
    names : the names that the caller gave to vertices, by index.
    given_names : (k,) the name of each entry, None for no name; () where no entry has one.
    """

    indices: NDArray[np.int64]
    snaps: tuple[Snap, ...]
    given: tuple[Any, ...]
    along: NDArray[np.int64]
    back: NDArray[np.int64]
    fractions: NDArray[np.float64]
    points: Array
    distances: NDArray[np.float64]
    unusual: NDArray[np.bool_]
    missing: NDArray[np.bool_]
    misses: str = ""
    names: Mapping[int, str] = NO_NAMES
    given_names: tuple[Any, ...] = ()

    @classmethod
    def of(cls, indices: NDArray[np.int64], given: Sequence[Any]) -> Snapped:
        """Return vertices as if they had been given among places."""
        k = len(indices)
        return cls(
            indices,
            snaps=(),
            given=tuple(given),
            along=np.full(k, -1),
            back=np.full(k, -1),
            fractions=np.zeros(k),
            points=np.full((k, 2), np.nan),
            distances=np.full(k, np.nan),
            unusual=np.zeros(k, np.bool_),
            missing=np.zeros(k, np.bool_),
        )

    @property
    def only_vertices(self) -> bool:
        """Whether each entry is a vertex."""
        return not ((self.along >= 0) | self.missing).any()

    def part(self, rows: NDArray[np.int64]) -> Snapped:
        """Return some entries, without snaps and names."""
        return self._replace(
            indices=self.indices[rows],
            snaps=(),
            given_names=(),
            given=tuple(self.given[row] for row in rows.tolist()),
            along=self.along[rows],
            back=self.back[rows],
            fractions=self.fractions[rows],
            points=self.points[rows],
            distances=self.distances[rows],
            unusual=self.unusual[rows],
            missing=self.missing[rows],
        )


def holds_places(vertices: Any) -> bool:
    """Return whether an argument is a place, a frame, a dictionary, or has a place among others."""
    if type(vertices) is int or vertices is None:  # of most calls, as the next one
        return False
    if type(vertices) is list:
        return Place in map(type, vertices)
    if isinstance(vertices, Place | dict):
        return True
    if hasattr(vertices, "columns") or hasattr(vertices, "geom_type"):
        return True
    several = isinstance(vertices, list | tuple | set | frozenset)
    objects = getattr(getattr(vertices, "dtype", None), "kind", None) == "O"
    if several or (objects and np.ndim(vertices) == 1):
        return Place in map(type, vertices)
    return False


def places_to_vertices(
    graph: CsrGraph, vertices: Any, what: str = "vertices", *, at_vertices: bool = False
) -> Any:
    """Return ``{vertex: name}``, or vertices with places among them, as `Snapped`.

    Anything else is returned unchanged.

    Parameters
    ----------
    what : the name of the argument, for errors.
    at_vertices : whether to take the nearest vertex of each place, not a point of an edge.

    Raises
    ------
    GraphError
        If the graph has no coordinates.
    VertexError
        If a place has no edge or vertex near, or the graph lacks another vertex.
    """
    # The first test is a fast path: the others take 0.5 us, as much as 8 % of a small solve.
    if type(vertices) is int:
        return vertices
    if not holds_places(vertices):
        return vertices
    return all_places_to_vertices(graph, at_vertices=at_vertices, **{what: vertices})[0]


def all_places_to_vertices(
    graph: CsrGraph, *, missing: str = "raise", at_vertices: bool = False, **given: Any
) -> list[Any]:
    """Return several arguments as `places_to_vertices` does, with one error about all misses.

    Parameters
    ----------
    missing : "raise" for that error; "flag" for entries that are missing, also where the caller has
        None, NaN or NA.
    at_vertices : as in `places_to_vertices`.
    given : the arguments of a call, by their names.
    """
    _check_choice("missing", missing, ("raise", "flag"))
    if missing == "raise" and not any(map(holds_places, given.values())):
        return list(given.values())
    names_of_frames = {}
    for what, vertices in given.items():
        if hasattr(vertices, "columns") or hasattr(vertices, "geom_type"):
            given[what], names_of_frames[what] = places_of_frame(graph, vertices, what)
    lists = {
        what: [vertices] if isinstance(vertices, Place) else list(vertices)
        for what, vertices in given.items()
        if what in names_of_frames
        or holds_places(vertices)
        or (missing == "flag" and _holds_nulls(vertices))
    }
    if not lists:
        return list(given.values())
    titles = [
        what if isinstance(given[what], Place) else f"{what}[{i}]"
        for what, entries in lists.items()
        for i in range(len(entries))
    ]
    entries = [entry for entry_list in lists.values() for entry in entry_list]
    together = _entries_at(graph, entries, titles, at_vertices=at_vertices)
    if together.misses and missing == "raise":
        raise VertexError(together.misses)
    snaps = iter(together.snaps)
    result, first = dict(given), 0
    for what, entries in lists.items():
        vertices, rows = given[what], np.arange(first, first + len(entries))
        first += len(entries)
        places = [i for i in rows.tolist() if type(together.given[i]) is Place]
        taken = tuple(islice(snaps, int((~together.missing[places]).sum())))
        own = [entry.name if type(entry) is Place else None for entry in entries]
        names = list(vertices.values()) if isinstance(vertices, dict) else own
        names_of = _names(together.indices[rows], names)
        names = names_of_frames.get(what, names)
        if isinstance(vertices, set | frozenset):  # which have no order of their own
            order = np.argsort(together.indices[rows], kind="stable")
            rows, names = rows[order], [names[at] for at in order.tolist()]
        if names.count(None) == len(names):
            names = []
        result[what] = together.part(rows)._replace(
            snaps=taken, names=names_of, given_names=tuple(names)
        )
    return list(result.values())


def places_of_frame(graph: CsrGraph, frame: Any, what: str) -> tuple[list[Place | None], list[Any]]:
    """Return the places of a data frame or a GeoSeries, None where there is no point, and names.

    Names are those of a column ``name`` or ``id``, or else of an index that does not count from 0.
    """
    frame = as_table(frame)
    columns = column_names(frame)
    if {"lon", "lat"} <= set(columns):
        lons, lats = (entries_of(frame[name]) for name in ("lon", "lat"))
    elif hasattr(frame, "geom_type"):
        points = frame.geometry
        known = points.crs is not None and graph.raster is None
        if known and not points.crs.is_geographic and points_of(graph).degrees:
            points = points.to_crs(4326)
        if set(points.geom_type.dropna()) - {"Point"}:
            msg = f"{what} has shapes that are not points: give frame.representative_point()."
            raise InputError(msg)
        lons, lats = points.x.tolist(), points.y.tolist()
    else:
        msg = (
            f"{what} is a frame with the columns {shown(columns)}: places need the columns lon and "
            "lat, or a geometry of points. For vertices give one column."
        )
        raise InputError(msg)
    column = next((name for name in ("name", "id") if name in columns), None)
    index = getattr(frame, "index", None)
    names = [None] * len(lons)
    if column is not None:
        names = [None if is_missing(name) else name for name in entries_of(frame[column])]
    elif index is not None and index.to_list() != list(range(len(lons))):
        names = index.to_list()
    places = [
        None
        if is_missing(lon) or is_missing(lat)
        else Place(lon, lat, name=None if name is None else str(name))
        for lon, lat, name in zip(lons, lats, names, strict=True)
    ]
    return places, names


def _names(indices: NDArray[np.int64], names: Iterable[Any]) -> dict[int, str]:
    """Return names by vertex, joined where a vertex has several; None is no name."""
    joined: dict[int, str] = {}
    for at, name in zip(indices.tolist(), names, strict=True):
        if name is not None and str(name) not in joined.get(at, "").split(" / "):
            joined[at] = f"{joined[at]} / {name}" if at in joined else str(name)
    return joined


def _entries_at(
    graph: CsrGraph, entries: list[Any], titles: list[str], *, at_vertices: bool
) -> Snapped:
    """Return the vertices and points of the entries of a call."""
    if graph.raster is not None:  # the cell that contains a place, not a point of an edge
        entries = [
            graph.raster.vertex_at(entry.lon, entry.lat) if type(entry) is Place else entry
            for entry in entries
        ]
    null = np.flatnonzero([is_missing(entry) for entry in entries])
    at = np.flatnonzero([type(entry) is Place for entry in entries])
    others = np.setdiff1d(np.arange(len(entries)), np.concatenate([null, at]))
    result = Snapped.of(np.full(len(entries), -1), entries)
    if len(others):
        indices = graph.indices_of([entries[i] for i in others.tolist()])
        if indices.shape != others.shape:
            raise VertexError(f"{shown(entries[others[0]])} is not a vertex, nor several of them.")
        result.indices[others] = indices
    result.missing[null] = True
    misses = []
    if len(null):
        first = f"{titles[null[0]]} is {entries[null[0]]}, neither a vertex nor a place."
        more = f"{len(null):,} of {len(entries):,} entries are missing, the first "
        misses.append(f"{more if len(null) > 1 else ''}{first}")
    if not len(at):
        return result._replace(misses=" ".join(misses))
    places = [entries[i] for i in at.tolist()]
    near = nearby(graph, places, on_edges=not at_vertices)
    result.indices[at] = np.where(near.far, -1, near.vertices)
    result.missing[at] |= near.far
    result.points[at] = near.points
    result.distances[at] = near.distances
    result.unusual[at] = near.distances > near.usual
    some = (near.edges >= 0) & ~near.far
    if some.any():
        inside = at[some]
        result.along[inside], result.back[inside] = edges_of(graph).twins.ways(near.edges[some])
        result.fractions[inside] = near.fractions[some]
    if near.far.any():
        misses.append(near.misses([titles[i] for i in at.tolist()], len(entries)))
    snaps = snaps_of(graph, places, near, lambda vertices: graph.label_of(vertices).tolist())
    snaps = tuple(snap for snap, far in zip(snaps, near.far.tolist(), strict=True) if not far)
    return result._replace(snaps=snaps, misses=" ".join(misses))


def nearby(graph: CsrGraph, places: Sequence[Place], *, on_edges: bool = True) -> Nearby:
    """Search the points of a graph nearest to places; GraphError if it has no coordinates."""
    asked = np.array([(place.lon, place.lat) for place in places], np.float64).reshape(-1, 2)
    edges = np.array([on_edges and place.snap == "edge" for place in places], np.bool_)
    near = Nearby.of(graph, asked, [place.within for place in places], edges)
    if graph.turns is not None and graph.areas:
        # Paths from inside such an edge would need turns into the area that may leave it again.
        tails = np.searchsorted(graph.indptr, near.edges, side="right") - 1
        closed = [vertices < graph.first_through for vertices in (tails, graph.indices[near.edges])]
        near = near.at_vertices(graph, (near.edges >= 0) & (closed[0] != closed[1]))
    return near


def snaps_of(
    graph: CsrGraph,
    places: Sequence[Place],
    near: Nearby,
    names: Callable[[NDArray[np.int64]], list[Any]],
) -> tuple[Snap, ...]:
    """Return what was taken for each place.

    Parameters
    ----------
    near : the points nearest to the places.
    names : returns the names of vertices from their indices.
    """
    inside = np.flatnonzero(near.edges >= 0)
    edges, fractions = near.edges[inside], near.fractions[inside]
    tails = np.searchsorted(graph.indptr, edges, side="right") - 1
    ends = zip(names(tails), names(graph.indices[edges].astype(np.int64)), strict=True)
    lightest = edges_of(graph).twins.ways(edges)[0] if len(edges) else edges
    offsets = weight_up_to(graph, lightest, fractions).tolist()
    parts = dict(
        zip(inside.tolist(), zip(ends, fractions.tolist(), offsets, strict=True), strict=True)
    )
    rows = zip(
        places, names(near.vertices), near.distances.tolist(), near.points.tolist(), strict=True
    )
    return tuple(
        Snap(place, vertex, distance, tuple(point), *parts.get(i, ()))
        for i, (place, vertex, distance, point) in enumerate(rows)
    )


def with_snap_notes(result: T, *given: Any) -> T:
    """Return a result with the names of its vertices and the points taken for its places.

    Parameters
    ----------
    result : has attributes `names` and `snapped`, and a plan whose notes then say which points were
        taken and what is missing.
    given : the arguments of the call, as `places_to_vertices` returns them.
    """
    if Snapped not in map(type, given):  # a fast path, for small solves
        return result
    parts = [entries for entries in given if type(entries) is Snapped]
    taken: Any = result
    taken.names = {at: name for part in parts for at, name in part.names.items() if at >= 0}
    taken.given_names = tuple(part.given_names if type(part) is Snapped else () for part in given)
    taken.snapped = tuple(snap for part in parts for snap in part.snaps)
    notes = []
    if taken.snapped:
        notes.append(snap_note(taken.snapped, in_metres=points_of(taken.graph).degrees))
    if parts[0].misses:
        notes.append(f"missing entries are unreachable: {parts[0].misses}")
    if notes:
        taken.plan = replace(taken.plan, notes=(*taken.plan.notes, *notes))
    return result


def snap_note(snaps: Sequence[Snap], *, in_metres: bool) -> str:
    """Return in a sentence which points were taken for places, and how far they are."""
    unit = " m" if in_metres else ""
    if len(snaps) <= 2:
        parts = (
            f"{snap.place} is taken as {_point(snap)}, {digits(snap.distance)}{unit} away"
            for snap in snaps
        )
        return "; ".join(parts)
    distances = np.array([snap.distance for snap in snaps])
    mean, most = (f"{digits(float(value))}{unit}" for value in (distances.mean(), distances.max()))
    inside = sum(snap.edge is not None for snap in snaps)
    if not inside:
        return (
            f"{len(snaps):,} places are taken as their nearest vertices, {mean} away on average, "
            f"{most} at most"
        )
    return (
        f"{len(snaps):,} places are taken as the nearest points of the network ({inside:,} along "
        f"edges, {len(snaps) - inside:,} at vertices), {mean} away on average, {most} at most"
    )


def _point(snap: Snap) -> str:
    if snap.edge is None:
        return f"vertex {snap.vertex}"
    tail, head = snap.edge
    assert snap.fraction is not None  # noqa: S101 - an edge has one
    return f"the point after {100 * snap.fraction:.3g} % of the edge {tail} -> {head}"


def _holds_nulls(vertices: Any) -> bool:
    """Return whether an argument is several vertices with None, NaN or NA among them."""
    several = isinstance(vertices, list | tuple)
    objects = getattr(getattr(vertices, "dtype", None), "kind", None) == "O"
    return (several or (objects and np.ndim(vertices) > 0)) and any(map(is_missing, vertices))


def checked_numbers(values: ArrayLike, name: str) -> Array:
    """Return finite coordinates as float64, (k,) or (), or raise InputError."""
    try:
        with np.errstate(over="ignore"):  # of numbers beyond float64, which become infinite
            array = np.asarray(values)
            if array.dtype.kind == "c":  # NumPy would drop the imaginary parts with a warning
                array = array.astype(object)
            array = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        msg = f"{name} = {shown(values)} must be a number or an array of numbers."
        raise InputError(msg) from None
    bad = ~np.isfinite(np.atleast_1d(array))
    if array.ndim > 1 or bad.any():
        what = (
            f"shape {array.shape}"
            if array.ndim > 1
            else f"the value {np.atleast_1d(array)[bad][0]}"
        )
        msg = f"{name} has {what}: finite numbers are needed, one or a list of them."
        raise InputError(msg)
    return array


def nearest_vertex(
    graph: CsrGraph,
    lon: ArrayLike,
    lat: ArrayLike,
    within: float | None,
    *,
    with_distance: bool,
    component: str | None = None,
) -> Any:
    """Return the names of the vertices nearest to coordinates; see `Graph.nearest_vertex`."""
    x, y = checked_numbers(lon, "lon"), checked_numbers(lat, "lat")
    if x.shape != y.shape:
        msg = f"lon has shape {x.shape} and lat {y.shape}: a coordinate has one of each."
        raise InputError(msg)
    reach = None if within is None else _checked_reach(within)
    points = np.column_stack([x.ravel(), y.ravel()])
    near = Nearby.of(graph, points, [reach] * x.size, component=component)
    if near.far.any():
        raise VertexError(near.misses([f"row {row}" for row in range(x.size)], x.size))
    names = graph.label_of(near.vertices)
    if x.ndim == 0:
        name = names.tolist()[0]
        return (name, float(near.distances[0])) if with_distance else name
    return (names, near.distances) if with_distance else names


def hint_of_coordinate(vertices: Any) -> str:
    """Return a sentence about `Place` for vertices that look like a coordinate, else nothing."""
    given = vertices.tolist() if isinstance(vertices, np.ndarray) else vertices
    for row in (given, given[0] if isinstance(given, list | tuple) and given else None):
        if not isinstance(row, list | tuple) or len(row) != 2:
            continue
        x, y = (as_float(number) for number in row)
        fractions = any(isinstance(number, float | np.floating) for number in row)
        if fractions and np.isfinite(x) and np.isfinite(y):
            return f" It looks like a coordinate: give it as wp.Place({x:.10g}, {y:.10g})."
    return ""


def _check_choice(what: str, value: Any, choices: tuple[str, str]) -> None:
    if not isinstance(value, str) or value not in choices:
        msg = f"{what} = {shown(value)} must be {' or '.join(map(repr, choices))}."
        raise InputError(msg)


def _check_name(name: Any) -> None:
    if name is not None and not isinstance(name, str):
        msg = f"name = {shown(name)} must be a string, or None."
        raise InputError(msg)


def _checked_reach(within: Any) -> float:
    reach = as_float(within)
    if not reach >= 0:  # also true for NaN
        msg = f"within = {shown(within)} must be a number, 0 or more; None means the default."
        raise InputError(msg)
    return reach
