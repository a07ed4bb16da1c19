"""Loads: how many trips lead over each edge, and through each vertex."""

from __future__ import annotations

import time
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.api.along import Routes, threads_of
from warpath.base.errors import InputError, NotSupportedError
from warpath.base.progress import watch
from warpath.engines.betweenness import loads_by_labels, split_loads
from warpath.graph.checks import plain_array, shown
from warpath.graph.labels import one_label
from warpath.graph.restrictions import selected_edges
from warpath.graph.solvable import search_graph
from warpath.results.centrality import Centrality

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import ArrayLike, NDArray

    from warpath.api.options import Options
    from warpath.api.question import Progress, Question
    from warpath.base.dtypes import Array
    from warpath.base.progress import Report
    from warpath.graph import Graph
    from warpath.results.pairs import Pairs

#: Trips whose routes are in memory at a time.
_TRIPS_AT_ONCE = 4096

_TOO_MANY = f"add up to more than {np.finfo(np.float64).max:.2g}: give smaller numbers."


def loads_of(
    options: Options,
    question: Question,
    find_pairs: Callable[[], Pairs],
    trips: ArrayLike | None,
    ties: str,
    through: Any,
    progress: Progress,
    name: str = "trips",
) -> Centrality:
    """Return the trips over each edge and through each vertex; see `warpath.loads`.

    Parameters
    ----------
    question : about the pairs of origins and destinations.
    find_pairs : answers it, for routes that are searched one by one.
    through : edges of which counted trips use one; None for all trips.
    name : of the numbers of trips, for messages.
    """
    if not isinstance(ties, str) or ties not in {"canonical", "split"}:
        raise InputError(f"ties = {shown(ties)} is not valid: use 'canonical' or 'split'.")
    start, graph, split = time.perf_counter(), question.graph, ties == "split"
    origins, destinations = question.sources, question.all_targets
    count = len(origins)
    numbers = np.ones(count) if trips is None else _checked_trips(trips, count, name)
    plain = question.entries is None and search_graph(graph) is graph
    by_labels = plain and options.request.algorithm == "auto" and not options.on_cluster
    if split and not by_labels:
        raise NotSupportedError(
            "ties='split' counts shortest paths, which is not supported for graphs with turns or "
            "closed vertices, trips from points along edges, a named algorithm or a cluster: use "
            "ties='canonical'."
        )
    uses, given, find_pairs = None, numbers, cache(find_pairs)
    if through is not None:
        if split:
            raise NotSupportedError(
                "through= selects the trips whose canonical route uses an edge, and ties='split' "
                "spreads trips over all shortest routes: leave one of the two out."
            )
        uses = _using(find_pairs(), selected_edges(graph, through, "through"))
        numbers = np.where(uses, numbers, 0.0)
    some = (origins, destinations, np.ascontiguousarray(numbers))
    from_labels = None
    with watch(progress, "loads", "trips") as report:
        if by_labels and (split or not graph.facts(symmetry=False).negative):
            from_labels = loads_by_labels(
                graph,
                some,
                threads_of(options),
                split=split,
                prepared=options.request.prepared,
                progress=report,
            )
        if from_labels is not None:
            loads, reached = from_labels
            method = "labels"
        else:
            pairs = find_pairs()
            reached, method = pairs.reached, pairs.plan.recipe.name
            if split:
                loads, method = split_loads(graph, some, threads_of(options), report)[1:]
                loads = loads[0]
            else:
                loads = _by_routes(options, question, pairs, numbers, report)
    _refuse_infinite(graph, loads, name)
    with np.errstate(over="ignore"):
        without_path = float(given[~reached].sum())
        passing = None
        if question.entries is None:
            _, heads, _ = graph.edges()
            passing = np.bincount(heads, loads, graph.n)
            passing += np.bincount(origins[reached], numbers[reached], graph.n)
    if without_path == np.inf:
        raise InputError(f"{name}: the trips without a path {_TOO_MANY}")
    return Centrality(
        graph,
        "load",
        passing,
        loads,
        origins,
        method=method,
        through=uses,
        stats={
            "seconds": time.perf_counter() - start,
            "trips_without_path": without_path,
        },
    )


def _using(pairs: Pairs, selected: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which trips use one of the selected edges: (k,)."""
    uses = np.zeros(len(pairs), np.bool_)
    for trips in _some_at_a_time(pairs, np.flatnonzero(pairs.reached)):
        edges, _, counts = pairs._find_edges(trips)  # noqa: SLF001 - one package
        uses[np.repeat(trips, counts)[selected[edges]]] = True
    return uses


def _some_at_a_time(pairs: Pairs, trips: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Yield trips in the order of their origins, whose trees are shared."""
    order = trips[np.argsort(pairs.origin_indices[trips], kind="stable")]
    for at in range(0, len(order), _TRIPS_AT_ONCE):
        yield order[at : at + _TRIPS_AT_ONCE]


def _by_routes(
    options: Options,
    question: Question,
    pairs: Pairs,
    numbers: NDArray[np.float64],
    report: Report | None,
) -> Array:
    """Return loads by a tree of each origin, or route by route."""
    reached = np.flatnonzero(pairs.reached & (numbers > 0))
    if question.entries is None:
        routes = Routes(options, question)
        if not routes.upward:
            origins, destinations = (
                pairs.origin_indices[reached],
                pairs.destination_indices[reached],
            )
            return routes.loads(origins, destinations, numbers[reached], report)
    loads, done = np.zeros(pairs.graph.m), 0
    for some in _some_at_a_time(pairs, reached):
        edges, _, counts = pairs._find_edges(some)  # noqa: SLF001 - one package
        with np.errstate(over="ignore"):
            loads += np.bincount(edges, np.repeat(numbers[some], counts), pairs.graph.m)
        done += len(some)
        if report is not None:
            report(done, len(reached))
    return loads


def _refuse_infinite(graph: Graph, loads: Array, name: str) -> None:
    """Raise InputError for the first edge whose trips add up to infinity."""
    infinite = np.flatnonzero(loads == np.inf)
    if len(infinite):
        src, dst, _ = graph.edges()
        ends = (one_label(graph, int(end[infinite[0]])) for end in (src, dst))
        edge = " -> ".join(map(repr, ends))
        raise InputError(f"{name}: the trips over the edge {edge} {_TOO_MANY}")


def _checked_trips(trips: ArrayLike, count: int, name: str) -> NDArray[np.float64]:
    array = plain_array(trips, name, InputError)
    if array.dtype.kind not in "biuf" or array.shape not in {(), (count,)}:
        msg = (
            f"{name} has the shape {array.shape} and the type {array.dtype}: give {count:,} "
            "numbers, one for each origin, or one for all."
        )
        raise InputError(msg)
    numbers = array.astype(np.float64)
    wrong = np.flatnonzero(~((numbers >= 0) & (numbers < np.inf)))
    if len(wrong):
        at = int(wrong[0])
        entry = f"{name}[{at}]" if array.shape else name
        msg = f"{entry} = {array.flat[at]} must be a finite number >= 0."
        raise InputError(msg)
    return np.broadcast_to(numbers, count)
