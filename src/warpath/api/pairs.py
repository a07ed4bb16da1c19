"""Distances of many trips: in a prepared graph one by one, else origin by origin."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.api.folded import as_ends, folded_pairs, folded_route, needs_links
from warpath.api.prepared import decided
from warpath.api.run import narrowed, run_plan, with_own_names
from warpath.api.table import TableRequest, solved_table
from warpath.base.errors import InputError
from warpath.base.progress import is_silent, share, watch
from warpath.engines.base import Problem
from warpath.graph.arguments import as_indices, checked_dist_dtype, one_index
from warpath.graph.edge_geometry import leg_weights
from warpath.graph.places import noted, snapped_together
from warpath.graph.turns import edges_of_turns, ends_of_turns, expanded
from warpath.graph.zones import arrivals, home_path
from warpath.planner.cpu_model import Size
from warpath.planner.kinds import kind_of
from warpath.planner.several import is_several
from warpath.planner.wish import device_of
from warpath.recipes import CATALOGUE, Task
from warpath.results.pairs import Pairs
from warpath.results.predecessors import no_path
from warpath.results.route import Route

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import DTypeLike, NDArray

    from warpath.api.options import Options
    from warpath.api.run import Progress
    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.planner.plan import Plan

    #: Takes what `solved_pairs` takes.
    Solve = Callable[..., tuple[Array, Plan, dict[str, Any]]]


def pairs_of(
    graph: Graph,
    options: Options,
    origins: Any,
    destinations: Any,
    dist_dtype: DTypeLike | None,
    progress: Progress,
    find_route: Callable[[Any, Any], Route],
    missing: str,
) -> Pairs:
    """Return the distances of several trips; see `warpath.pairs`.

    Parameters
    ----------
    find_route : returns a route from an origin to a destination.
    missing : as in `warpath.pairs`.
    """
    given = {"origins": origins, "destinations": destinations}
    origins, destinations = snapped_together(graph, missing=missing, **given)
    starts = as_indices(graph, origins, "origins", empty=True)
    ends = as_indices(graph, destinations, "destinations", empty=True)
    for name, vertices in given.items():
        if isinstance(vertices, set | frozenset) and len(starts) > 1:
            msg = f"{name} is a set, whose vertices have no order: give a list, one for each trip."
            raise InputError(msg)
    if len(starts) != len(ends):
        msg = (
            f"origins names {len(starts):,} vertices and destinations {len(ends):,}: a trip "
            "has one of each. For all distances between two sets use distances(sources, "
            "targets)."
        )
        raise InputError(msg)
    dtype = checked_dist_dtype(dist_dtype, graph)
    if options.wish.prepared == "auto":
        searches = Size(Task.MANY, len(np.unique(starts)), 1, dtype.itemsize)
        trips = Size(Task.PAIRS, len(starts), 1, dtype.itemsize)
        options = decided(graph, options, searches, trips)
    solved: Solve = solved_pairs
    if options.on_cluster():
        from warpath.api.clustered import clustered_pairs as solved
    both = None
    if needs_links(origins, destinations):
        both = as_ends(graph, origins, "origins"), as_ends(graph, destinations, "destinations")
        dist, chosen, stats = folded_pairs(graph, options, both, dtype, progress, solved)
    else:
        inner = expanded(graph)
        options = options if inner is graph else options.for_graph(inner)
        dist, chosen, stats = solved(
            inner, options, starts, ends_of_turns(graph, ends), dtype, progress
        )
        chosen = with_own_names(chosen, inner, graph)
    dist.flags.writeable = False
    found = Pairs(graph, starts, ends, dist, find_route, plan=chosen, stats=stats, entries=both)
    return noted(found, origins, destinations)


def solved_pairs(
    graph: Graph,
    options: Options,
    origins: NDArray[np.int64],
    destinations: NDArray[np.int64],
    dtype: np.dtype[Any],
    progress: Progress,
) -> tuple[Array, Plan, dict[str, Any]]:
    """Return the distance of each trip, the plan and counters of the run.

    Parameters
    ----------
    origins, destinations : (k,) vertices of the graph.
    dtype : the type of the distances.
    """
    start = time.perf_counter()
    if _by_pairs(options):
        bound = options.pairs(len(origins), graph, dtype.itemsize)
        chosen = bound.plan.again()
        if bound.search is not None and is_silent(progress):
            dist = np.empty(len(origins), dtype)
            stats: dict[str, Any] = bound.search(origins, destinations, dist)
        else:
            problem = Problem(Task.PAIRS, origins, arrivals(graph, destinations))
            raw, stats = run_plan(graph, chosen, problem, progress=progress)
            dist = narrowed(raw.dist, dtype)
            if graph.first_through:
                dist[origins == destinations] = 0  # not the round trip of a closed vertex
    else:
        dist, chosen, stats = _by_origins(graph, options, origins, destinations, dtype, progress)
    stats["seconds"] = time.perf_counter() - start
    return dist, chosen, stats


def _by_pairs(options: Options) -> bool:
    """Say whether an algorithm for pairs may run: it was requested, or the graph is prepared.

    On a GPU there is none: tables of many origins take its place.
    """
    wish = options.wish
    if wish.recipe is not None:
        return Task.PAIRS in wish.recipe.solves
    if not wish.prepared or wish.device == "auto":
        return bool(wish.prepared)
    if is_several(wish.device):
        return False
    kind = kind_of(device_of(Size(Task.PAIRS), wish)).runs
    return any(kind in recipe.devices for recipe in CATALOGUE if Task.PAIRS in recipe.solves)


def _by_origins(
    graph: Graph,
    options: Options,
    origins: NDArray[np.int64],
    destinations: NDArray[np.int64],
    dtype: np.dtype[Any],
    progress: Progress,
) -> tuple[Array, Plan, dict[str, Any]]:
    """Search from some different origins at a time, each to the destinations of all of these."""
    starts, row = np.unique(origins, return_inverse=True)
    order = np.argsort(row, kind="stable")
    ends = np.searchsorted(row[order], np.arange(len(starts)), side="right")
    dist = np.empty(len(origins), dtype)
    chosen = options.plan(Size(Task.MANY, len(starts), 1, dtype.itemsize), graph)
    options = options.settled(graph, chosen.device)  # for each block of rows, however small
    several = kind_of(chosen.device).rows_at_once(chosen.threads)
    stats: dict[str, Any] = {}
    with watch(progress, "pairs", "origins") as report:
        for first in range(0, len(starts), several):
            block = slice(first, min(first + several, len(starts)))
            trips = order[ends[first - 1] if first else 0 : ends[block.stop - 1]]
            columns, column = np.unique(destinations[trips], return_inverse=True)
            problem = Problem(Task.MANY, starts[block], columns)
            size = Size(Task.MANY, block.stop - first, len(columns), dtype.itemsize)
            request = TableRequest(dtype, None, predecessors=False, trace=False)
            reporting = share(report, block, len(starts))
            table = solved_table(graph, problem, size, options, request, reporting)
            dist[trips] = table.dist[row[trips] - first, column]
            for name, value in table.stats.items():
                stats[name] = stats.get(name, 0) + value
    return dist, chosen, stats


def route_of(graph: Graph, options: Options, source: Any, target: Any, progress: Progress) -> Route:
    """Return one shortest path; see `warpath.path`."""
    source, target = snapped_together(graph, source=source, target=target)
    s, t = one_index(graph, source, "source"), one_index(graph, target, "target")
    if needs_links(source, target):
        ends = as_ends(graph, source, "source"), as_ends(graph, target, "target")
        return noted(folded_route(graph, options, ends, progress), source, target)
    inner = expanded(graph)
    options = options if inner is graph else options.for_graph(inner)
    chosen = with_own_names(decided(inner, options).plan(Size(Task.PATH), inner), inner, graph)
    if s == t:
        route = Route(graph, np.array([s]), graph.dist_dtype.type(0).item(), chosen)
        return noted(route, source, target)
    targets = ends_of_turns(graph, np.array([t]))
    problem = Problem(Task.PATH, np.array([s]), arrivals(inner, targets))
    raw, _ = run_plan(inner, chosen, problem, progress=progress)
    if len(raw.vertices) == 0:
        raise no_path(graph, s, t)
    vertices = home_path(inner, raw.vertices)
    make = Route if graph.turns is None else _turned
    return noted(make(graph, vertices, raw.dist.item(), chosen), source, target)


def _turned(graph: Graph, path: NDArray[np.int64], length: Any, plan: Plan) -> Route:
    """Return the route of a path in the expanded graph."""
    edges = edges_of_turns(graph, path)
    indices = np.concatenate([path[:1], graph.indices[edges]])
    weights = leg_weights(expanded(graph), path[:-2], path[1:-1])  # with the costs of turns
    return Route(graph, indices, length, plan, edges=edges, weights=weights)
