"""Places: coordinates in the role of vertices, each taken as the nearest vertex of a graph."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from warpath.base.errors import InputError, VertexError
from warpath.graph.checks import as_float, refuse_missing, shown
from warpath.graph.nearest_points import NearestPoints, points_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from warpath.base.dtypes import Array
    from warpath.graph.graph import Graph

T = TypeVar("T")

#: The names of a call that names no vertex.
NO_NAMES: Mapping[int, str] = MappingProxyType({})

#: How far a place may be from the nearest vertex by default, in metres.
REACH = 1000.0
#: The same where coordinates are not degrees, as a part of the diagonal of the graph's box.
REACH_IN_PLANE = 0.1
#: The end of the error about a place that is too far away.
ALLOW_MORE = ", or pass a larger within= to Place or nearest_vertex"
#: The beginning of the end of the error about swapped coordinates, before a distance.
INSIST = ", or insist with within="


@dataclass(frozen=True)
class Place:
    """A coordinate that stands for a vertex: calls take the vertex nearest to it.

    Every call that takes a vertex takes a place, also in lists and next to vertices. The results
    of `sssp`, `path`, `distances`, `pairs`, `nearest`, `within` and `totals` say in ``snapped`` and
    in the notes of their plan how far each place is from its vertex.

    Attributes
    ----------
    lon, lat : longitude and latitude in degrees; x and y where the graph's coordinates are not
        degrees.
    within : how far the vertex may be away, as in `Graph.nearest_vertex`.
    name : a name for rows, columns and legends; None for the name of the vertex.

    Raises
    ------
    InputError
        If a coordinate is not a finite number, `within` is not a number of at least 0, or `name` is
        not a string.

    Examples
    --------
    >>> import warpath as wp
    >>> places = [(7.41, 43.7), (7.42, 43.7), (7.5, 43.8)]
    >>> roads = wp.Graph.of([(0, 1, 2), (1, 2, 5)], coordinates=places)
    >>> route = wp.path(roads, wp.Place(7.4101, 43.7001), 2)
    >>> list(route), round(route.snapped[0].distance)
    ([0, 1, 2], 14)
    """

    lon: float
    lat: float
    within: float | None = None
    name: str | None = None

    def __post_init__(self) -> None:
        for name in ("lon", "lat"):
            if not np.isfinite(as_float(getattr(self, name))):
                msg = f"{name} = {shown(getattr(self, name))} must be a finite number."
                raise InputError(msg)
        if self.within is not None:
            _checked_reach(self.within)
        _check_name(self.name)

    def __str__(self) -> str:
        return f"{self.lon:.10g},{self.lat:.10g}"


class Snap(NamedTuple):
    """A place and the vertex that was taken for it.

    Attributes
    ----------
    place : the `Place`.
    vertex : the vertex, as the graph names it.
    distance : how far the vertex is from the place: metres, or the unit of the coordinates where
        they are not degrees.
    """

    place: Place
    vertex: Any
    distance: float


class Snapped(NamedTuple):
    """Vertices, some of which were given as places or with names.

    Attributes
    ----------
    indices : (k,) int64, the vertices.
    snaps : what was taken for each place.
    names : the names that the caller gave to vertices, by index.
    """

    indices: NDArray[np.int64]
    snaps: tuple[Snap, ...] = ()
    names: Mapping[int, str] = NO_NAMES


def holds_places(vertices: Any) -> bool:
    """Return whether an argument is a place, or several vertices with a place among them."""
    if isinstance(vertices, Place):
        return True
    several = isinstance(vertices, list | tuple | set | frozenset)
    objects = getattr(getattr(vertices, "dtype", None), "kind", None) == "O"
    if several or (objects and np.ndim(vertices) == 1):
        return Place in map(type, vertices)
    return False


def snapped(graph: Graph, vertices: Any, what: str = "vertices") -> Any:
    """Return ``{vertex: name}``, or vertices with places among them, as `Snapped`.

    Anything else is returned unchanged.

    Parameters
    ----------
    what : the name of the argument, for errors.

    Raises
    ------
    GraphError
        If the graph has no coordinates.
    VertexError
        If a place has no vertex near, or the graph lacks another vertex.
    """
    # The first test is a fast path: the others take 0.5 us, as much as 8 % of a small solve.
    if type(vertices) is int:
        return vertices
    if not isinstance(vertices, dict) and not holds_places(vertices):
        return vertices
    return snapped_together(graph, **{what: vertices})[0]


def snapped_together(graph: Graph, **given: Any) -> list[Any]:
    """Return several arguments as `snapped` does, with one error about all places that miss.

    Parameters
    ----------
    given : the arguments of a call, by their names.
    """
    lists = {
        what: [vertices] if isinstance(vertices, Place) else list(vertices)
        for what, vertices in given.items()
        if isinstance(vertices, dict) or holds_places(vertices)
    }
    if not lists:
        return list(given.values())
    at = {
        what: [i for i, one in enumerate(each) if type(one) is Place]
        for what, each in lists.items()
    }
    places = [lists[what][i] for what, rows in at.items() for i in rows]
    snaps, chosen = [], np.empty(0, np.int64)
    if places:
        near = near_places(graph, places)
        if near.far.any():
            titles = [
                what if isinstance(given[what], Place) else f"{what}[{i}]"
                for what, rows in at.items()
                for i in rows
            ]
            raise VertexError(near.misses(titles, sum(map(len, lists.values()))))
        chosen = near.vertices
        labels = graph.label_of(chosen).tolist()
        snaps = list(map(Snap, places, labels, near.distances.tolist()))
    result, done = dict(given), 0
    for what, entries in lists.items():
        rows, upto = at[what], done + len(at[what])
        indices = np.empty(len(entries), np.int64)
        indices[rows] = chosen[done:upto]
        if len(rows) < len(entries):
            refuse_missing(entries, what, VertexError)
            others = sorted(set(range(len(entries))) - set(rows))
            indices[others] = graph.index_of([entries[i] for i in others], what)
        vertices = given[what]
        own = [entry.name if type(entry) is Place else None for entry in entries]
        names = _names(indices, vertices.values() if isinstance(vertices, dict) else own)
        if isinstance(vertices, set | frozenset):  # which have no order of their own
            indices.sort()
        result[what] = Snapped(indices, tuple(snaps[done:upto]), names)
        done = upto
    return list(result.values())


def _names(indices: NDArray[np.int64], names: Iterable[Any]) -> dict[int, str]:
    """Return names by vertex, joined where a vertex has several; None is no name."""
    joined: dict[int, str] = {}
    for at, name in zip(indices.tolist(), names, strict=True):
        if name is not None and str(name) not in joined.get(at, "").split(" / "):
            joined[at] = f"{joined[at]} / {name}" if at in joined else str(name)
    return joined


def noted(result: T, *given: Any) -> T:
    """Return a result with the names of its vertices and the vertices taken for its places.

    Parameters
    ----------
    result : has attributes `names` and `snapped`, and a plan whose notes then say how far the
        places are from their vertices.
    given : the arguments of the call, as `snapped` returns them.
    """
    if Snapped in map(type, given):
        parts = [each for each in given if type(each) is Snapped]
        snaps = tuple(snap for part in parts for snap in part.snaps)
        found: Any = result
        found.names = {at: name for part in parts for at, name in part.names.items()}
        if not snaps:
            return result
        found.snapped = snaps
        note = described(snaps, in_metres=points_of(found.graph).degrees)
        found.plan = replace(found.plan, notes=(*found.plan.notes, note))
    return result


def described(snaps: Sequence[Snap], *, in_metres: bool) -> str:
    """Return in a sentence how far places are from their vertices."""
    unit = " m" if in_metres else ""
    if len(snaps) <= 2:
        parts = (
            f"{s.place} is taken as vertex {s.vertex}, {_digits(s.distance)}{unit} away"
            for s in snaps
        )
        return "; ".join(parts)
    distances = np.array([snap.distance for snap in snaps])
    mean, most = (f"{_digits(float(value))}{unit}" for value in (distances.mean(), distances.max()))
    return (
        f"{len(snaps):,} places are taken as their nearest vertices, {mean} away on average, "
        f"{most} at most"
    )


class Near(NamedTuple):
    """The vertices nearest to k points, how far they are and may be, and which are too far.

    Attributes
    ----------
    search : the vertices that were searched.
    points : (k, 2) float64.
    vertices : (k,) int64.
    distances, limits : (k,) float64.
    far : (k,) bool.
    """

    search: NearestPoints
    points: Array
    vertices: NDArray[np.int64]
    distances: NDArray[np.float64]
    limits: NDArray[np.float64]
    far: NDArray[np.bool_]

    @classmethod
    def of(cls, search: NearestPoints, points: Array, within: Sequence[float | None]) -> Near:
        """Search the vertices nearest to points.

        Parameters
        ----------
        points : (k, 2) finite numbers.
        within : k numbers or None, as in `Graph.nearest_vertex`.
        """
        diagonal = float(np.hypot(*np.ptp(search.box, 0)))
        default = REACH if search.degrees else REACH_IN_PLANE * diagonal
        limits = np.array([default if each is None else float(each) for each in within])
        vertices, distances = search.nearest(points)
        # A finite number is a statement about this place; infinity allows all, also by mistake.
        stated = np.array([each is not None and each < np.inf for each in within], np.bool_)
        far = distances > limits
        far |= _swapped(search, points) & (distances > default) & ~stated
        return cls(search, points, vertices, distances, limits, far)

    def misses(self, titles: Sequence[str], total: int) -> str:
        """Return the text of the error about the points that are too far from all vertices.

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
        least, most = (f"{_digits(end)}{self._unit}" for end in ends)
        return (
            f"{count:,} of {total:,} places are too far from every vertex, {least} to {most}; the "
            f"first is {titles[first]}: {reason}"
        )

    @property
    def _unit(self) -> str:
        return " m" if self.search.degrees else ""

    def _reason(self, at: int) -> str:
        """Return why a point is too far from all vertices, and what to do."""
        point, distance = self.points[at], float(self.distances[at])
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
        limit = float(self.limits[at])
        return (
            f"{place} is {_digits(distance)}{self._unit} from the nearest vertex, and "
            f"{_digits(limit)}{self._unit} is the most: {box}. Correct the coordinate{ALLOW_MORE}."
        )


def near_places(graph: Graph, places: Sequence[Place]) -> Near:
    """Search the vertices nearest to places; GraphError if the graph has no coordinates."""
    points = np.array([(place.lon, place.lat) for place in places], np.float64).reshape(-1, 2)
    return Near.of(points_of(graph), points, [place.within for place in places])


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
    graph: Graph,
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
    near = Near.of(points_of(graph, component), points, [reach] * x.size)
    if near.far.any():
        raise VertexError(near.misses([f"row {row}" for row in range(x.size)], x.size))
    names = graph.label_of(near.vertices)
    if x.ndim == 0:
        one = names.tolist()[0]
        return (one, float(near.distances[0])) if with_distance else one
    return (names, near.distances) if with_distance else names


def hint_of_coordinate(vertices: Any) -> str:
    """Return a sentence about `Place` for vertices that look like a coordinate, else nothing."""
    given = vertices.tolist() if isinstance(vertices, np.ndarray) else vertices
    for row in (given, given[0] if isinstance(given, list | tuple) and given else None):
        if not isinstance(row, list | tuple) or len(row) != 2:
            continue
        x, y = (as_float(each) for each in row)
        fractions = any(isinstance(each, float | np.floating) for each in row)
        if fractions and np.isfinite(x) and np.isfinite(y):
            return f" It looks like a coordinate: give it as wp.Place({x:.10g}, {y:.10g})."
    return ""


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


def _swapped(known: NearestPoints, points: Array) -> Array:
    """Return which points are outside the graph's box, but inside with x and y swapped: (k,)."""
    low, high = known.box
    inside = ((points >= low) & (points <= high)).all(axis=1)
    turned = points[:, ::-1]
    swapped: Array = ~inside & ((turned >= low) & (turned <= high)).all(axis=1)
    return swapped


def _digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 9.5 else f"{value:.2g}"
