"""What a call asks: its arguments, checked, in the indices of the graph's vertices.

Trips in one table are split into the columns of their ends and the others, which results keep.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from warpath.base.errors import InputError, VertexError
from warpath.engines.base import Problem, Trips
from warpath.graph.arguments import as_indices, checked_cutoff, checked_dist_dtype, one_index
from warpath.graph.checks import checked_bool, is_missing, shown
from warpath.graph.places import (
    Place,
    Snapped,
    all_places_to_vertices,
    holds_places,
    places_to_vertices,
    with_snap_notes,
)
from warpath.graph.solvable import SolvableGraph
from warpath.graph.tables import as_table, column_names, entries_of
from warpath.io.columns import coordinate_columns, known_ends
from warpath.planner.cpu_model import Destination, Size
from warpath.recipes import Task

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import DTypeLike, NDArray

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.planner.plan import Plan
    from warpath.results.distance_table import DistanceTable
    from warpath.results.nearest import Nearest

    #: What `progress=` may be.
    Progress = bool | Callable[[int, int], None] | None

T = TypeVar("T")


@dataclass(slots=True)
class Question:
    """What a call asks of a graph.

    Attributes
    ----------
    graph : the graph of the call.
    task : what kind of answer.
    sources : (k,) int64, the sources, origins or facilities; of points along edges the nearer ends,
        -1 for missing entries.
    targets : (t,) int64, the targets or destinations; None for all vertices.
    cutoff : the largest distance to return; None for no limit.
    dtype : the type of the distances.
    out, predecessors, trace, progress : as in `warpath.distances`.
    reverse : whether to return distances to the sources.
    entries : those of `sources` and of `targets`, where some are points along edges or missing;
        else None.
    given : the arguments, as `all_places_to_vertices` returns them, whose places the result notes.
    """

    graph: Graph
    task: Task
    sources: NDArray[np.int64]
    targets: NDArray[np.int64] | None
    cutoff: float | None
    dtype: np.dtype[Any]
    out: Any = None
    predecessors: bool = False
    trace: bool = False
    progress: Progress = None
    reverse: bool = False
    entries: tuple[Snapped, Snapped] | None = None
    given: tuple[Any, ...] = ()

    @property
    def view(self) -> SolvableGraph:
        """The graph with the graph that is searched."""
        return SolvableGraph(self.graph)

    @property
    def width(self) -> int:
        """The number of targets."""
        return self.graph.n if self.targets is None else len(self.targets)

    @property
    def is_empty(self) -> bool:
        """Whether a table has no entries, so that nothing is searched."""
        return not (len(self.sources) and self.width)

    @property
    def all_targets(self) -> NDArray[np.int64]:
        """The targets, with all vertices for None: (t,)."""
        return np.arange(self.graph.n) if self.targets is None else self.targets

    def size(self, destination: Destination = Destination.NEW) -> Size:
        """Return the size of a table, of which the plan depends."""
        entry = self.dtype.itemsize
        return Size(self.task, len(self.sources), self.width, entry, destination)

    def problem(self, view: SolvableGraph) -> Problem:
        """Return the question in vertices of the graph that is searched."""
        return Problem(self.task, self.sources, view.columns(self.targets), self.cutoff)

    def trips(self, view: SolvableGraph) -> Trips:
        """Return a question of PATH or PAIRS in vertices of the graph that is searched."""
        return Trips(self.task, self.sources, view.arrivals(self.all_targets), self.cutoff)

    def but(self, **changes: Any) -> Question:
        """Return the question with some attributes changed."""
        return replace(self, **changes)

    def with_snap_notes(self, result: T) -> T:
        """Return a result with the points that were taken for the places of the call."""
        return with_snap_notes(result, *self.given) if Snapped in map(type, self.given) else result


class Runners(NamedTuple):
    """The functions that run the calls about vertices.

    They are `totals.ON_THIS_MACHINE` or `cluster_calls.ON_CLUSTER`.

    Attributes
    ----------
    table : takes options, a question and its size; returns a `DistanceTable`.
    pairs : takes options and a question; returns distances, the plan and counters.
    nearest : takes options and a question; returns `Nearest`.
    totals : takes options, a question, the names of totals and a plan; returns their values, or
        None where a table has to be filled, and the plan.
    """

    table: Callable[..., DistanceTable]
    pairs: Callable[..., tuple[Array, Plan, dict[str, Any]]]
    nearest: Callable[..., Nearest]
    totals: Callable[..., tuple[dict[str, Array] | None, Plan]]


def _asked(
    graph: Graph,
    task: Task,
    sources: NDArray[np.int64],
    targets: NDArray[np.int64] | None,
    given: tuple[Any, ...],
    progress: Progress,
    cutoff: float | str | None = None,
    dist_dtype: DTypeLike | None = None,
    **more: Any,
) -> Question:
    """Return a question after its cutoff, its type and what is True or False are checked.

    Parameters
    ----------
    given : the arguments for `sources`, and for `targets` where the call has them.
    more : further attributes of the question.
    """
    limit, dtype = checked_cutoff(cutoff, graph), checked_dist_dtype(dist_dtype, graph)
    for name in more.keys() & {"predecessors", "reverse", "trace"}:
        more[name] = checked_bool(more[name], name)
    if "entries" not in more:
        more["entries"] = _entries(graph, *given)
    return Question(
        graph, task, sources, targets, limit, dtype, progress=progress, given=given, **more
    )


def of_source(
    graph: Graph,
    source: Any,
    cutoff: float | str | None,
    dist_dtype: DTypeLike | None,
    progress: Progress,
    *,
    trace: bool,
) -> Question:
    """Return the question of `warpath.sssp`."""
    source = places_to_vertices(graph, source, "source")
    return Question(
        graph,
        Task.SSSP,
        np.array([one_index(graph, source, "source")]),
        None,
        None if cutoff is None else checked_cutoff(cutoff, graph),
        checked_dist_dtype(dist_dtype, graph),
        trace=checked_bool(trace, "trace"),
        progress=progress,
        entries=_entries(graph, source) if type(source) is Snapped else None,
        given=(source,),
    )


def of_sources_within(
    graph: Graph, source: Any, cutoffs: Array, progress: Progress, *, reverse: bool
) -> Question:
    """Return the question of `warpath.within`.

    Parameters
    ----------
    cutoffs : as `warpath.results.within.checked_cutoffs` returns them.
    """
    source = places_to_vertices(graph, source, "source")
    starts, limit = as_indices(graph, source, "source"), cutoffs.tolist()[-1]
    return _asked(graph, Task.SSSP, starts, None, (source,), progress, limit, reverse=reverse)


def of_facilities(
    graph: Graph,
    facilities: Any,
    cutoff: float | str | None,
    dist_dtype: DTypeLike | None,
    progress: Progress,
    *,
    reverse: bool,
    missing: str,
) -> tuple[Question, NDArray[np.bool_] | None]:
    """Return the question of `warpath.nearest`, and the mask of the missing facilities, if any.

    The facilities of the question are those that are not missing.
    """
    (given,) = all_places_to_vertices(graph, missing=missing, facilities=facilities)
    starts = as_indices(graph, given, "facilities")
    absent, entries = None, None
    if type(given) is Snapped:
        absent = given.missing
        if absent.all():
            raise VertexError(f"all facilities are missing: {given.misses}")
        starts = starts[~absent]
        if given.given_names:
            named = [given.given_names[row] for row in np.flatnonzero(~absent).tolist()]
            given = given._replace(given_names=tuple(named))
        if (given.along >= 0).any():
            present = given.part(np.flatnonzero(~absent))
            entries = present, present
    question = _asked(
        graph,
        Task.SSSP,
        starts,
        None,
        (given,),
        progress,
        cutoff,
        dist_dtype,
        reverse=reverse,
        entries=entries,
    )
    return question, absent


def of_table(
    graph: Graph,
    sources: Any,
    targets: Any,
    cutoff: float | str | None,
    dist_dtype: DTypeLike | None = None,
    progress: Progress = None,
    *,
    missing: str,
    every: bool = False,
    **more: Any,
) -> Question:
    """Return the question of `warpath.distances` and `warpath.totals`.

    Parameters
    ----------
    targets : as in the calls; None for all vertices.
    every : whether None means all vertices for `sources`, too.
    more : `out`, `predecessors` and `trace`.
    """
    sources, targets = all_places_to_vertices(
        graph, missing=missing, sources=sources, targets=targets
    )
    whole = every and sources is None
    rows = np.arange(graph.n) if whole else as_indices(graph, sources, "sources", empty=True)
    columns = None if targets is None else as_indices(graph, targets, "targets", empty=True)
    given = sources, targets
    return _asked(graph, Task.MANY, rows, columns, given, progress, cutoff, dist_dtype, **more)


def of_opportunities(
    graph: Graph, origins: Any, opportunities: Any, cutoff: float | None, progress: Progress
) -> Question:
    """Return the question of `warpath.accessibility`, whose arguments may be None for all vertices.

    Parameters
    ----------
    cutoff : in the type of the distances.
    """
    given = all_places_to_vertices(graph, origins=origins, opportunities=opportunities)
    starts, targets = (
        np.arange(graph.n) if vertices is None else as_indices(graph, vertices, what, empty=empty)
        for vertices, what, empty in zip(
            given, ("origins", "opportunities"), (True, False), strict=True
        )
    )
    return _asked(graph, Task.MANY, starts, targets, tuple(given), progress, cutoff)


def of_all_pairs(
    graph: Graph, dist_dtype: DTypeLike | None, progress: Progress, **more: Any
) -> Question:
    """Return the question of `warpath.apsp`; `more` is as in `of_table`."""
    # With turns the vertices are a part of the rows and columns of the graph that is searched.
    task = Task.APSP if graph.turns is None else Task.MANY
    return _asked(graph, task, np.arange(graph.n), None, (), progress, None, dist_dtype, **more)


def of_pairs(
    graph: Graph,
    origins: Any,
    destinations: Any,
    dist_dtype: DTypeLike | None,
    progress: Progress,
    missing: str,
) -> Question:
    """Return the question of `warpath.pairs`."""
    raw = {"origins": origins, "destinations": destinations}
    origins, destinations = all_places_to_vertices(graph, missing=missing, **raw)
    starts = as_indices(graph, origins, "origins", empty=True)
    ends = as_indices(graph, destinations, "destinations", empty=True)
    for name, vertices in raw.items():
        if isinstance(vertices, set | frozenset) and len(starts) > 1:
            msg = f"{name} is a set, whose vertices have no order: give a list, one for each trip."
            raise InputError(msg)
    if len(starts) != len(ends):
        raise InputError(
            f"origins names {len(starts):,} vertices and destinations {len(ends):,}: a trip "
            "has one of each. For all distances between two sets use distances(sources, "
            "targets)."
        )
    given = origins, destinations
    return _asked(graph, Task.PAIRS, starts, ends, given, progress, dist_dtype=dist_dtype)


def of_path(graph: Graph, source: Any, target: Any, progress: Progress) -> Question:
    """Return the question of `warpath.path`."""
    entries = None
    if holds_places(source) or holds_places(target):
        source, target = all_places_to_vertices(graph, source=source, target=target)
        entries = _entries(graph, source, target)
    s = np.array([one_index(graph, source, "source")])
    t = np.array([one_index(graph, target, "target")])
    return Question(
        graph,
        Task.PATH,
        s,
        t,
        cutoff=None,
        dtype=graph.dist_dtype,
        progress=progress,
        entries=entries,
        given=(source, target),
    )


def _entries(graph: Graph, *given: Any) -> tuple[Snapped, Snapped] | None:
    """Return the entries of arguments; None where all are vertices.

    Parameters
    ----------
    given : sources, and targets where there are any; None for all vertices.
    """
    if Snapped not in map(type, given) or all(
        type(entries) is not Snapped or entries.only_vertices for entries in given
    ):
        return None
    first, *rest = (_snapped(graph, vertices) for vertices in given)
    return first, rest[0] if rest else first


def _snapped(graph: Graph, given: Any) -> Snapped:
    if type(given) is Snapped:
        return given
    indices = np.arange(graph.n) if given is None else as_indices(graph, given, "vertices")
    return Snapped.of(indices, graph.label_of(indices).tolist())


_ENDS = ("origin", "destination")
_WAY_OUT = (
    "call two of them origin and destination, or four of them origin_lon, origin_lat, "
    "destination_lon and destination_lat"
)


def ends_of_trips(origins: Any, destinations: Any) -> tuple[Any, Any, dict[str, Any] | None]:
    """Return origins, destinations and the columns to keep, which are None without a table.

    Parameters
    ----------
    origins, destinations : as in `warpath.pairs`: vertices and places, or a table and None.
    """
    if destinations is not None:
        return origins, destinations, None
    origins = as_table(origins)
    names = column_names(origins)
    if not names:
        raise InputError(
            "destinations is missing: give as many destinations as origins, or one data frame of "
            "trips with the columns origin and destination in place of both."
        )
    lower = [str(name).lower() for name in names]
    at_columns = [coordinate_columns(lower, f"{end}_") for end in _ENDS]
    if all(at_columns) and not set(_ENDS) & set(lower):
        first, last = (
            _places(origins, [names[at] for at in columns or ()], f"{end}s")
            for end, columns in zip(_ENDS, at_columns, strict=True)
        )
        used: Sequence[Any] = ()
    else:
        used = columns_of_vertices(names)
        first, last = (origins[name] for name in used)
    return first, last, {str(name): origins[name] for name in names if name not in used}


def numbers_of_trips(trips: Any, columns: dict[str, Any] | None) -> tuple[Any, str]:
    """Return the numbers of trips for `warpath.loads`, and their name for messages.

    Parameters
    ----------
    trips : numbers, the name of a column, or None.
    columns : the columns of the table besides the ends of the trips; None without a table.
    """
    if trips is None:
        named = (name for name in columns or () if name.lower() == "trips")
        name = next(named, None)
        return (None, "trips") if columns is None or name is None else (columns[name], name)
    if not isinstance(trips, str):
        return trips, "trips"
    if columns is None:
        msg = (
            f"trips = {shown(trips)} names a column, but origins and destinations are not in a "
            "table: give numbers, or one table in place of both."
        )
        raise InputError(msg)
    if trips not in columns:
        listed = ", ".join(map(repr, list(columns)[:40])) or "none"
        msg = (
            f"trips = {shown(trips)} is not a column of the table: its columns besides the ends of "
            f"the trips are {listed}."
        )
        raise InputError(msg)
    return columns[trips], trips


def columns_of_vertices(names: list[Any]) -> list[Any]:
    """Return the columns of origins and destinations, as the table calls them."""
    lower = [str(name).lower() for name in names]
    if set(_ENDS) <= set(lower):
        return [names[lower.index(end)] for end in _ENDS]
    pairs = known_ends(str(name) for name in names)
    if len(pairs) != 1:
        listed = ", ".join(map(repr, names[:40]))
        several = " and ".join("/".join(pair) for pair in pairs)
        choice = f"could be {several}" if pairs else "are in none"
        raise InputError(f"the ends of the trips {choice} of the columns {listed}: {_WAY_OUT}.")
    return [names[[str(name) for name in names].index(end)] for end in pairs[0]]


def _places(table: Any, columns: list[Any], what: str) -> list[Place | None]:
    """Return the places of two columns of coordinates, None where there is none."""
    lons, lats = (entries_of(table[name]) for name in columns)
    places: list[Place | None] = []
    for row, (lon, lat) in enumerate(zip(lons, lats, strict=True)):
        if is_missing(lon) or is_missing(lat):
            places.append(None)
            continue
        try:
            places.append(Place(lon, lat))
        except InputError:
            wrong = " and ".join(
                f"{name} = {shown(value)}" for name, value in zip(columns, (lon, lat), strict=True)
            )
            msg = f"{what}[{row}] has {wrong}: a longitude and a latitude are two finite numbers."
            raise InputError(msg) from None
    return places
