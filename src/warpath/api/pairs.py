"""Distances of many trips, in a prepared graph one by one, else origin by origin; single routes.

A single route leads from a source to a target, or through several stops.
"""

from __future__ import annotations

import math
import time
from functools import cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from warpath.api import question as asking
from warpath.api.along import LinkedRoutes, Routes
from warpath.api.prepared import with_hierarchy_if_faster
from warpath.api.run import narrowed, run_plan, with_own_names
from warpath.api.table import solved_table
from warpath.base.dtypes import unreachable
from warpath.base.errors import (
    DistanceOverflowError,
    InputError,
    NoPathError,
    NotSupportedError,
)
from warpath.base.progress import is_silent, share, watch
from warpath.engines.base import Trips
from warpath.graph.arguments import as_indices, checked_dist_dtype, distinct
from warpath.graph.checks import checked_bool, shown
from warpath.graph.labels import one_label
from warpath.graph.links import Links, arriving, between, leaving, pairs_of_links, plus_links
from warpath.graph.places import Snapped, all_places_to_vertices, with_snap_notes
from warpath.graph.solvable import SolvableGraph, search_graph
from warpath.planner.cpu_model import Size
from warpath.planner.kinds import kind_of
from warpath.planner.request import device_of
from warpath.planner.several import is_several
from warpath.recipes import CATALOGUE, Loop, Task
from warpath.results.pairs import Pairs
from warpath.results.predecessors import no_path
from warpath.results.route import Route
from warpath.results.route_between import route_between, route_of_path

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import DTypeLike, NDArray

    from warpath.api.options import Options
    from warpath.api.question import Progress, Question
    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.planner.plan import Plan
    from warpath.results.distance_table import DistanceTable

    #: The distances of trips between vertices, the plan, and the counters of the run.
    Solve = Callable[[Options, Question], tuple[Array, Plan, dict[str, Any]]]

_AT_ONCE = 4  # rows that each kind of device computes at a time, at least


def pairs_of(
    options: Options, question: Question, solve: Solve, find_route: Callable[[Any, Any], Route]
) -> Pairs:
    """Return the distances of several trips; see `warpath.pairs`.

    Parameters
    ----------
    find_route : returns a route from an origin to a destination.
    """
    graph, starts, entry = question.graph, question.sources, question.dtype.itemsize
    if options.request.prepared == "auto":
        searches = Size(Task.MANY, len(np.unique(starts)), 1, entry)
        trips = Size(Task.PAIRS, len(starts), 1, entry)
        options = with_hierarchy_if_faster(graph, options, searches, trips)
    if question.entries is not None:
        dist, chosen, stats = _linked_pairs(options, question, question.entries, solve)
    else:
        dist, chosen, stats = solve(options, question)
    dist.flags.writeable = False
    result = Pairs(
        graph,
        starts,
        question.all_targets,
        dist,
        find_route,
        partial(edges_of_trips, options, question),
        plan=chosen,
        stats=stats,
        entries=question.entries,
    )
    for end, given in zip(("origin", "destination"), question.given, strict=True):
        if type(given) is Snapped and not np.isnan(given.distances).all():
            result.snap_distances = {**result.snap_distances, end: given.distances}
            result.far = result.far | given.unusual
    return result


def edges_of_trips(
    options: Options, question: Question, trips: NDArray[np.int64]
) -> tuple[Array, Array | None, Array]:
    """Return the edges of the routes of trips, their shares, and how many each route has.

    Parameters
    ----------
    trips : trips that have a path.
    """
    routes = Routes(options, question)
    if question.entries is None:
        edges, counts = routes.edges(question.sources[trips], question.all_targets[trips])
        return edges, None, counts
    start, end = (side.part(trips) for side in question.entries)
    return LinkedRoutes(options, question, routes, solved_pairs).edges(start, end)


def solved_pairs(options: Options, question: Question) -> tuple[Array, Plan, dict[str, Any]]:
    """Return the distance of each trip between vertices, the plan and counters of the run."""
    start = time.perf_counter()
    if _by_pairs(options):
        graph, origins, destinations = question.graph, question.sources, question.all_targets
        plan, search = options.pairs(len(origins), graph, question.dtype.itemsize)
        chosen = plan._copied()
        if search is not None and is_silent(question.progress):
            dist = np.empty(len(origins), question.dtype)
            stats: dict[str, Any] = search(origins, destinations, dist)
        else:
            view = question.view
            problem = question.trips(view)
            raw, stats = run_plan(view, chosen, problem, progress=question.progress)
            dist = narrowed(raw.dist, question.dtype)
            if graph.first_through:
                dist[origins == destinations] = 0  # not the round trip of a closed vertex
    else:
        dist, chosen, stats = _by_origins(options, question)
    stats["seconds"] = time.perf_counter() - start
    return dist, chosen, stats


def _by_pairs(options: Options) -> bool:
    """Say whether an algorithm for pairs may run: it was requested, or the graph is prepared.

    On a GPU labels are one; without them tables of many origins take its place.
    """
    request = options.request
    if request.recipe is not None:
        return Task.PAIRS in request.recipe.solves
    if not request.prepared or request.device == "auto":
        return bool(request.prepared)
    if is_several(request.device):
        return False
    kind = kind_of(device_of(Size(Task.PAIRS), request)).runs
    able = (recipe for recipe in CATALOGUE if request.admits(recipe, Task.PAIRS))
    return any(kind in recipe.devices for recipe in able if Task.PAIRS in recipe.solves)


def size_of_pairs(
    options: Options, origins: NDArray[np.int64], destinations: NDArray[np.int64], entry: int
) -> Size:
    """Return the size of a question about pairs: of the trips, or of a table of their origins.

    Parameters
    ----------
    entry : bytes of a distance.
    """
    if _by_pairs(options):
        return Size(Task.PAIRS, len(origins), 1, entry)
    starts = len(distinct(origins)[0])
    if starts == 1:
        return Size(Task.MANY, 1, len(destinations), entry)
    columns = len(distinct(destinations)[0]) if 0 < starts <= _AT_ONCE else 1
    return Size(Task.MANY, starts, columns, entry)


def _by_origins(options: Options, question: Question) -> tuple[Array, Plan, dict[str, Any]]:
    """Search from some different origins at a time, each to the destinations of all of these."""
    graph, origins, entry = question.graph, question.sources, question.dtype.itemsize
    starts, row = distinct(origins)
    if 0 < len(starts) <= _AT_ONCE and is_silent(question.progress):
        return _in_one_table(options, question, starts, row)
    dist = np.empty(len(origins), question.dtype)
    chosen = options.plan(Size(Task.MANY, len(starts), 1, entry), graph)
    options = options.fixed_to(chosen.device, graph)  # for each block of rows, however small
    several = kind_of(chosen.device).rows_at_once(chosen.threads)
    order = np.argsort(row, kind="stable")
    ends = np.searchsorted(row[order], np.arange(len(starts)), side="right")
    stats: dict[str, Any] = {}
    with watch(question.progress, "pairs", "origins") as report:
        for first in range(0, len(starts), several):
            block = slice(first, min(first + several, len(starts)))
            trips = order[ends[first - 1] if first else 0 : ends[block.stop - 1]]
            part = question.but(
                targets=question.all_targets[trips], progress=share(report, block, len(starts))
            )
            dist[trips], _, counts = _in_one_table(options, part, starts[block], row[trips] - first)
            for name, value in counts.items():
                stats[name] = stats.get(name, 0) + value
    return dist, chosen, stats


def _in_one_table(
    options: Options, question: Question, starts: NDArray[np.int64], row: NDArray[np.int64]
) -> tuple[Array, Plan, dict[str, Any]]:
    """Return the distances of trips from a table between their ends.

    Parameters
    ----------
    starts, row : the different origins, and the one of each trip among them.
    """
    if len(starts) == 1:  # without a search for equal destinations: half the time of one trip
        part = question.but(task=Task.MANY, sources=starts)
        table = solved_table(options, part)
        return table.dist[0], cast("Plan", table.plan), table.stats
    columns, column = distinct(question.all_targets)
    part = question.but(task=Task.MANY, sources=starts, targets=columns)
    table = solved_table(options, part)
    return table.dist[row, column], cast("Plan", table.plan), table.stats


def _linked_pairs(
    options: Options, question: Question, entries: tuple[Snapped, Snapped], solve: Solve
) -> tuple[Array, Plan, dict[str, Any]]:
    """Return the distances of trips of which some ends are points along edges."""
    graph, inner, (start, end) = question.graph, question.view.inner, entries
    options = options.but(inner, prepared=options.request.prepared)
    k = len(start.indices)
    trip, first, last = pairs_of_links(leaving(graph, start), arriving(graph, end), k)
    dist = np.full(k, unreachable(graph.dist_dtype), graph.dist_dtype)
    if len(trip):
        part = question.but(
            graph=inner,
            sources=first.vertices,
            targets=last.vertices,
            dtype=graph.dist_dtype,
            entries=None,
        )
        between_vertices, chosen, stats = solve(options, part)
        sums = plus_links(plus_links(between_vertices, first.offsets), last.offsets)
        np.minimum.at(dist, trip, sums)
    else:
        chosen, stats = options.plan(Size(Task.MANY), inner), {"seconds": 0.0}
    both = np.arange(k)
    dist = np.minimum(dist, between(graph, start, end, both, both))
    return narrowed(dist, question.dtype), with_own_names(chosen, inner, graph), stats


def route_of(options: Options, question: Question) -> Route:
    """Return one shortest path; see `warpath.path`."""
    if question.entries is not None:
        return _linked_route(options, question, question.entries)
    graph, view = question.graph, question.view
    chosen = with_hierarchy_if_faster(graph, options).plan(Size(Task.PATH), graph)
    s, t = int(question.sources[0]), int(question.all_targets[0])
    if s == t:
        return Route(graph, question.sources, graph.dist_dtype.type(0).item(), chosen)
    raw, _ = run_plan(view, chosen, question.trips(view), progress=question.progress)
    if len(raw.vertices) == 0:
        raise no_path(graph, s, t)
    return route_of_path(graph, raw.vertices, raw.dist.item(), chosen)


def _linked_route(options: Options, question: Question, entries: tuple[Snapped, Snapped]) -> Route:
    """Return a shortest path of which some end is a point along an edge."""
    graph, inner, (start, end) = question.graph, question.view.inner, entries
    options = with_hierarchy_if_faster(inner, options.but(inner, prepared=options.request.prepared))
    chosen = with_own_names(options.plan(Size(Task.PATH), inner), inner, graph)
    row = np.zeros(1, np.int64)
    length = between(graph, start, end, row, row)[0]
    best: tuple[NDArray[np.int64], Links, Links] | None = None
    _, firsts, lasts = pairs_of_links(leaving(graph, start), arriving(graph, end), 1)
    for at in np.argsort(firsts.offsets + lasts.offsets, kind="stable").tolist():
        first, last = (links.taken(slice(at, at + 1)) for links in (firsts, lasts))
        if first.vertices == last.vertices:
            vertices, dist = first.vertices, np.zeros(1, graph.dist_dtype)
        else:
            problem = Trips(Task.PATH, first.vertices, last.vertices)
            raw, _ = run_plan(SolvableGraph(inner), chosen, problem, progress=question.progress)
            if not len(raw.vertices):
                continue
            vertices, dist = raw.vertices, np.array([raw.dist.item()], graph.dist_dtype)
        total = plus_links(plus_links(dist, first.offsets), last.offsets)[0]
        if total < length:
            length, best = total, (vertices, first, last)
    if length == unreachable(graph.dist_dtype):
        raise no_path(graph, int(start.indices[0]), int(end.indices[0]))
    return route_between(graph, entries, best, length.item(), chosen)


def pairs_left_there(
    options: Options,
    graph: Graph,
    ends: tuple[Any, Any],
    out: Any,
    dist_dtype: DTypeLike | None,
    progress: Progress,
    missing: str,
    find_route: Callable[[Any, Any], Route],
) -> Pairs | None:
    """Return the distances of trips whose ends are arrays of a GPU, found there by labels.

    None where the trips have to be answered from the host.
    """
    from warpath.io.outputs import array_of

    dtype = checked_dist_dtype(dist_dtype, graph)
    able = graph.labels is None and search_graph(graph) is graph and options.request.labelled
    arrays = (*ends, out)
    valid = isinstance(missing, str) and missing in {"raise", "flag"}
    if not (able and valid) or options.on_several or not all(map(_is_there, arrays)):
        return None
    first, last = (array.__cuda_array_interface__ for array in ends)
    shape = tuple(first["shape"])
    kinds = {np.dtype(each["typestr"]).kind for each in (first, last)}
    if shape != tuple(last["shape"]) or len(shape) != 1 or shape[0] == 0 or kinds - {"i", "u"}:
        return None
    plan = options.plan(Size(Task.PAIRS, shape[0], 1, dtype.itemsize), graph)
    there = {plan.device} == {f"cuda:{array.device.id}" for array in arrays}
    if plan.recipe.loop is not Loop.TREE_LABELS or not there:
        return None
    array_of(out, shape, dtype, on_gpu=True)
    problem = Trips(Task.PAIRS, *ends)
    _, stats = run_plan(SolvableGraph(graph), plan, problem, out=out, progress=progress)

    @cache
    def question() -> Question:
        return asking.of_pairs(graph, *ends, dist_dtype, None, missing)

    return Pairs(
        graph,
        *ends,
        out,
        find_route,
        lambda trips: edges_of_trips(options, question(), trips),
        plan=plan,
        stats=stats,
    )


def check_out(out: Any, question: Question) -> None:
    """Refuse what cannot take the distances of trips."""
    from warpath.io.outputs import array_of

    if not (isinstance(out, np.ndarray) or hasattr(out, "__cuda_array_interface__")):
        msg = f"out is a {type(out).__name__}: it must be None or an array, of NumPy or on a GPU."
        raise InputError(msg)
    array_of(out, question.sources.shape, question.dtype, on_gpu=True)


def put_into(out: Any, result: Pairs) -> None:
    """Copy the distances of a result into an array, which takes their place."""
    from warpath.io.outputs import array_of

    dist = result.dist
    array_of(out, dist.shape, dist.dtype, on_gpu=kind_of(result.plan.device).name == "cuda")
    if isinstance(out, np.ndarray):
        out[...] = dist
    else:
        out.set(dist)
    result.dist = out


def _is_there(array: Any) -> bool:
    """Return whether an array is on a GPU whose number it has, as those of CuPy."""
    numbered = hasattr(getattr(array, "device", None), "id")
    return numbered and hasattr(array, "__cuda_array_interface__")


_MOST = 12  # stops of which all orders are compared


def route_of_stops(
    graph: Graph,
    stops: Any,
    order: str,
    find_table: Callable[[Any, Any], DistanceTable],
    find_route: Callable[[Any, Any], Route],
    *,
    round_trip: bool,
) -> Route:
    """Return one route through several stops; see `warpath.route_through`.

    Parameters
    ----------
    find_table, find_route : return the distances of stops, and the route from one to another.
    """
    back = checked_bool(round_trip, "round_trip")
    if not isinstance(order, str) or order not in ("given", "best"):
        raise InputError(f"order = {shown(order)} must be 'given' or 'best'.")
    if isinstance(stops, set | frozenset):
        raise InputError("stops is a set, which has no order: give a list.")
    (given,) = all_places_to_vertices(graph, stops=stops)
    indices = as_indices(graph, given, "stops").tolist()
    if type(given) is Snapped and not given.only_vertices:
        raise NotSupportedError(
            "route_through goes from vertex to vertex, and a place of this call is a point along "
            "an edge: use Place(lon, lat, snap='vertex')."
        )
    if len(indices) < 2:
        raise InputError(f"stops = {shown(stops)} must be two vertices or more.")
    names = [one_label(graph, vertex) for vertex in indices]
    sequence = [*range(len(names)), *([0] if back else [])]
    if order == "best":
        if len(names) > _MOST:
            raise InputError(
                f"order='best' compares all orders of at most {_MOST} stops, and there are "
                f"{len(names)}: give the table warpath.distances(graph, stops, stops) to a library "
                "made for it, such as OR-Tools or PyVRP, or use order='given'."
            )
        dist = find_table(names, names).dist
        none = unreachable(dist.dtype)
        table = [[math.inf if d == none else d for d in row] for row in dist.tolist()]
        sequence = _best_order(table, 0 if back else len(names) - 1)
        if not sequence:
            raise NoPathError(_unconnected(table, names, back=back))
    legs = [find_route(names[a], names[b]) for a, b in pairwise(sequence)]
    route = _joined(legs)
    route.order = tuple(sequence)
    return with_snap_notes(route, given)


def _joined(legs: Sequence[Route]) -> Route:
    """Return routes that follow each other as one."""
    graph = legs[0].graph
    length = graph.dist_dtype.type(0).item()
    for leg in legs:
        length = length + leg.length
    if graph.dist_dtype.kind == "i" and length >= unreachable(graph.dist_dtype):
        raise DistanceOverflowError(
            f"the length of the route, {length:,}, does not fit 64 bits: use a larger unit, or "
            "float64 weights."
        )
    return Route(
        graph,
        np.concatenate([legs[0].indices, *(leg.indices[1:] for leg in legs[1:])]),
        graph.dist_dtype.type(length).item(),
        legs[0].plan,
        edges=np.concatenate([leg.edges for leg in legs]),
        weights=np.concatenate([leg.weights for leg in legs]),
    )


def _best_order(table: list[list[float]], last: int) -> list[int]:
    """Return the order of all rows of a table, from row 0 to `last`, of the least total.

    Of equally long orders it is the first in lexicographic order; [] if all are infinite. Source:
    Held and Karp 1962; O(2^k k^2).
    """
    free = [row for row in range(1, len(table)) if row != last]
    every = (1 << len(free)) - 1
    # The least length from a row to `last` through all rows that are not in the set of visited.
    rest: dict[tuple[int, int], float] = {(every, row): table[row][last] for row in [0, *free]}
    for visited in range(every - 1, -1, -1):
        left = [(1 << i, row) for i, row in enumerate(free) if not visited >> i & 1]
        here = [row for i, row in enumerate(free) if visited >> i & 1] if visited else [0]
        for row in here:
            rest[visited, row] = min(table[row][to] + rest[visited | bit, to] for bit, to in left)
    if rest[0, 0] == math.inf:
        return []
    order, visited = [0], 0
    while visited != every:
        row = order[-1]
        left = [(1 << i, to) for i, to in enumerate(free) if not visited >> i & 1]
        bit, to = min(left, key=lambda step: table[row][step[1]] + rest[visited | step[0], step[1]])
        order.append(to)
        visited |= bit
    return [*order, last]


def _unconnected(table: list[list[float]], names: list[Any], *, back: bool) -> str:
    """Return the message for stops of which no order has a route."""
    last = 0 if back else len(names) - 1
    for row in range(len(names)):
        for start, end in ((0, row), (row, last)):
            if table[start][end] == math.inf:
                ends = f"{shown(names[start])} to {shown(names[end])}"
                return f"no order of the stops is a route: no path leads from {ends}."
    return "no order of the stops is a route: some pairs of them have a path in no direction."
