"""Places: coordinates in the role of vertices, each taken as the nearest vertex of a graph."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from warpath.base.errors import InputError, VertexError
from warpath.graph.checks import as_float, shown
from warpath.graph.nearest_points import NearestPoints, points_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from warpath.base.dtypes import Array
    from warpath.graph.graph import Graph

T = TypeVar("T")

#: How far a place may be from the nearest vertex by default, in metres.
REACH = 1000.0
#: The same where coordinates are not degrees, as a part of the diagonal of the graph's box.
REACH_IN_PLANE = 0.1
#: The end of the error about a place that is too far away.
ALLOW_MORE = ", or pass a larger within= to Place or nearest_vertex"


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

    Raises
    ------
    InputError
        If a coordinate is not a finite number, or `within` is not a number of at least 0.

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

    def __post_init__(self) -> None:
        for name in ("lon", "lat"):
            if not np.isfinite(as_float(getattr(self, name))):
                msg = f"{name} = {shown(getattr(self, name))} must be a finite number."
                raise InputError(msg)
        if self.within is not None:
            _checked_reach(self.within)

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
    """Vertices, some of which were given as places.

    Attributes
    ----------
    indices : (k,) int64, the vertices.
    snaps : what was taken for each place.
    """

    indices: NDArray[np.int64]
    snaps: tuple[Snap, ...]


def holds_places(vertices: Any) -> bool:
    """Return whether an argument is a place, or several vertices with a place among them."""
    if isinstance(vertices, Place):
        return True
    several = isinstance(vertices, list | tuple | set | frozenset)
    objects = getattr(getattr(vertices, "dtype", None), "kind", None) == "O"
    if several or (objects and np.ndim(vertices) == 1):
        return Place in map(type, vertices)
    return False


def snapped(graph: Graph, vertices: Any) -> Any:
    """Return vertices with places among them as `Snapped`; anything else unchanged.

    Raises
    ------
    GraphError
        If the graph has no coordinates.
    VertexError
        If a place has no vertex near, or the graph lacks another vertex.
    """
    # The first test is a fast path: the second takes 0.5 us, as much as 8 % of a small solve.
    if type(vertices) is int or not holds_places(vertices):
        return vertices
    given = [vertices] if isinstance(vertices, Place) else list(vertices)
    at = [i for i, each in enumerate(given) if type(each) is Place]
    places = [given[i] for i in at]
    indices = np.empty(len(given), np.int64)
    indices[at], distances = nearest_indices(
        graph, [p.lon for p in places], [p.lat for p in places], [p.within for p in places]
    )
    if len(at) < len(given):
        others = sorted(set(range(len(given))) - set(at))
        indices[others] = graph.index_of([given[i] for i in others])
    names = graph.label_of(indices[at]).tolist()
    return Snapped(indices, tuple(map(Snap, places, names, distances.tolist())))


def noted(result: T, *given: Any) -> T:
    """Return a result that says how far its places were from the vertices taken for them.

    Parameters
    ----------
    result : has a plan, whose notes then say so, and an attribute `snapped`.
    given : the arguments of the call, as `snapped` returns them.
    """
    if Snapped in map(type, given):
        snaps = tuple(snap for each in given if type(each) is Snapped for snap in each.snaps)
        found: Any = result
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


def nearest_indices(
    graph: Graph, lon: ArrayLike, lat: ArrayLike, within: Any
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the indices of the vertices nearest to k coordinates, and how far they are.

    Parameters
    ----------
    lon, lat : (k,) finite numbers.
    within : k numbers or None, as in `Graph.nearest_vertex`.

    Raises
    ------
    GraphError
        If the graph has no coordinates.
    VertexError
        If a coordinate is farther from all vertices than allowed.
    """
    known = points_of(graph)
    asked = np.column_stack([np.asarray(lon, np.float64), np.asarray(lat, np.float64)])
    default = REACH if known.degrees else REACH_IN_PLANE * float(np.hypot(*np.ptp(known.box, 0)))
    limits = np.array([default if each is None else float(each) for each in within])
    vertices, distances = known.nearest(asked)
    far = distances > limits
    far |= _swapped(known, asked) & (distances > default)  # however much `within` allows
    if far.any():
        first = int(np.argmax(far))
        raise _too_far(known, asked[first], float(distances[first]), float(limits[first]))
    return vertices, distances


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
    graph: Graph, lon: ArrayLike, lat: ArrayLike, within: float | None, *, with_distance: bool
) -> Any:
    """Return the names of the vertices nearest to coordinates; see `Graph.nearest_vertex`."""
    x, y = checked_numbers(lon, "lon"), checked_numbers(lat, "lat")
    if x.shape != y.shape:
        msg = f"lon has shape {x.shape} and lat {y.shape}: a coordinate has one of each."
        raise InputError(msg)
    reach = None if within is None else _checked_reach(within)
    indices, distances = nearest_indices(graph, x.ravel(), y.ravel(), [reach] * x.size)
    names = graph.label_of(indices)
    if x.ndim == 0:
        one = names.tolist()[0]
        return (one, float(distances[0])) if with_distance else one
    return (names, distances) if with_distance else names


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


def _too_far(known: NearestPoints, point: Array, distance: float, limit: float) -> VertexError:
    place = f"Place({point[0]:.10g}, {point[1]:.10g})"
    axes = ("longitudes", "latitudes") if known.degrees else ("x", "y")
    (x, y), (x2, y2) = known.box.tolist()
    box = f"the graph has {axes[0]} {x:.6g} .. {x2:.6g} and {axes[1]} {y:.6g} .. {y2:.6g}"
    if _swapped(known, point[None])[0]:
        order = "longitude and latitude are" if known.degrees else "x and y are"
        msg = f"{order} swapped in {place}: {box}. Write Place({point[1]:.10g}, {point[0]:.10g})."
        return VertexError(msg)
    if known.degrees and not (abs(point[0]) <= 180 and abs(point[1]) <= 90):
        msg = f"{place} is not a longitude and a latitude in degrees, but {box}."
        return VertexError(msg)
    unit = " m" if known.degrees else ""
    msg = (
        f"{place} is {_digits(distance)}{unit} from the nearest vertex, and {_digits(limit)}{unit} "
        f"is the most: {box}. Correct the coordinate{ALLOW_MORE}."
    )
    return VertexError(msg)


def _digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 9.5 else f"{value:.2g}"
