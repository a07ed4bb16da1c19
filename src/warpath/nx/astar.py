"""NetworkX's functions based on A*, with the caller's heuristic."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from warpath import _core
from warpath.base.errors import LeftToNetworkXError
from warpath.nx.arguments import is_nan, number_of, require

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.base.dtypes import Array
    from warpath.nx.graph import Converted, Weighted

_EXACT = 2**52  # the sum of two integers up to this one is exact as a float


def astar_path(
    G: Converted,
    source: Any,
    target: Any,
    heuristic: Any = None,
    weight: Any = "weight",
    *,
    cutoff: Any = None,
) -> Any:
    """Return the nodes of a shortest path; see `networkx.astar_path`."""
    require(G, source, "Source {} is not in G")
    require(G, target, "Target {} is not in G")
    weighted, edges = _found(G, source, target, heuristic, weight, cutoff)
    return [G.names[G.place[source]], *weighted.named(weighted.rows.indices[edges])]


def astar_path_length(
    G: Converted,
    source: Any,
    target: Any,
    heuristic: Any = None,
    weight: Any = "weight",
    *,
    cutoff: Any = None,
) -> Any:
    """Return the length of a shortest path; see `networkx.astar_path_length`."""
    for name in (source, target):
        require(G, name, "Either source {1} or target {2} is not in G", source, target)
    weighted, edges = _found(G, source, target, heuristic, weight, cutoff)
    return sum(weighted.numbers(edges))


def _found(
    G: Converted, source: Any, target: Any, heuristic: Any, weight: Any, cutoff: Any
) -> tuple[Weighted, Array]:
    """Return the weighted graph and the edges of the path."""
    weighted = G.weighted(weight)
    if weighted.negative:
        msg = "with negative weights A* may visit nodes again and again."
        raise LeftToNetworkXError(msg)
    rows = weighted.rows
    edges, exact = _core.astar(
        rows.indptr,
        rows.indices,
        rows._solver_weights,
        G.place[source],
        G.place[target],
        _estimate(G, heuristic, target),
        limit=_limit(cutoff),
        whole=not isinstance(weighted.kinds, int) or rows.dist_dtype.kind == "i",
    )
    if not exact:
        msg = (
            f"a length is beyond {_EXACT:,}, or the heuristic returned nan; backend='networkx' "
            "adds any numbers."
        )
        raise LeftToNetworkXError(msg)
    if edges is None:
        msg = f"Node {target} not reachable from {source}"
        raise nx.NetworkXNoPath(msg)
    return weighted, edges


def _estimate(G: Converted, heuristic: Any, target: Any) -> Callable[[int], float]:
    """Return the heuristic as a function of a vertex's index."""
    if heuristic is None:
        return lambda _: 0.0
    names = G.names

    def estimate(vertex: int) -> float:
        value = heuristic(names[vertex], target)
        if isinstance(value, float):
            return value
        if isinstance(value, int | np.integer) and abs(int(value)) <= _EXACT:
            return float(value)
        msg = (
            f"the heuristic returned {value!r} for {names[vertex]!r}: warpath adds floats and "
            f"integers up to {_EXACT:,}; backend='networkx' takes any numbers."
        )
        raise LeftToNetworkXError(msg)

    return estimate


def _limit(cutoff: Any) -> float:
    """Return the largest priority; NetworkX takes a cutoff of 0 for none, and nan is never passed.

    Raises
    ------
    LeftToNetworkXError
        If Python may compare a float with the cutoff differently from the core.
    """
    number = number_of(cutoff)
    if not number or is_nan(number):
        return math.inf
    if isinstance(number, int) and abs(number) > 2 * _EXACT:
        msg = f"cutoff = {cutoff!r} may not be a float."
        raise LeftToNetworkXError(msg)
    return float(number)
