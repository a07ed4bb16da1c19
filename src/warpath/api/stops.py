"""Routes through several stops, in the order of the call or in the best one."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.dtypes import unreachable
from warpath.base.errors import (
    DistanceOverflowError,
    InputError,
    NoPathError,
    NotSupportedError,
)
from warpath.graph.arguments import as_indices
from warpath.graph.checks import checked_bool, shown
from warpath.graph.labels import one_label
from warpath.graph.places import Snapped, all_places_to_vertices, with_snap_notes
from warpath.results.route import Route

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warpath.api.solver import Solver

_MOST = 12  # stops of which all orders are compared


def route_of_stops(solver: Solver, stops: Any, order: str, *, round_trip: bool) -> Route:
    """Return one route through several stops; see `warpath.route_through`."""
    graph, back = solver.graph, checked_bool(round_trip, "round_trip")
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
        dist = solver.distances(names, names).dist
        none = unreachable(dist.dtype)
        table = [[math.inf if d == none else d for d in row] for row in dist.tolist()]
        sequence = _best_order(table, 0 if back else len(names) - 1)
        if not sequence:
            raise NoPathError(_unconnected(table, names, back=back))
    legs = [solver.path(names[a], names[b]) for a, b in pairwise(sequence)]
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
