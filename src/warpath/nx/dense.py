"""NetworkX's Floyd-Warshall functions: all pairs as dictionaries or a matrix."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING, Any, cast

import networkx as nx
import numpy as np

from warpath.api.calls import apsp
from warpath.base.dtypes import unreachable
from warpath.base.errors import LeftToNetworkXError
from warpath.nx.search import networkx_errors
from warpath.nx.weights import FLOAT, WHOLE

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.nx.graph import Converted, Weighted
    from warpath.results.distance_table import DistanceTable


def floyd_warshall(G: Converted, weight: Any = "weight") -> dict[Any, dict[Any, Any]]:
    """Return all distances, inf where there is no path; see `networkx.floyd_warshall`."""
    distances: dict[Any, dict[Any, Any]] = floyd_warshall_predecessor_and_distance(G, weight)[1]
    return distances


def floyd_warshall_predecessor_and_distance(G: Converted, weight: Any = "weight") -> Any:
    """Return predecessors and distances of all pairs; see NetworkX's function of this name."""
    weighted = _shown(G, weight)
    if len(G) == 0:
        return {}, {}
    table = _table(weighted, predecessors=True)
    names = G.names
    rows = weighted.rows
    at_loops = weighted.tails == rows.indices
    loops = set(weighted.tails[at_loops].tolist())
    zeros = at_loops & (rows._solver_weights == 0) & (np.asarray(weighted.kinds) == FLOAT)
    float_loops = set(weighted.tails[zeros].tolist())
    predecessors = cast("Array", table.pred)  # as `predecessors=True` asks
    before, lengths = {}, {}  # as in NetworkX, a row of lengths returns inf for unknown nodes
    for at, name in enumerate(names):
        pred = predecessors[at]
        row = _numbers(weighted, at, table.dist[at], pred, float_loops)
        lengths[name] = defaultdict(_endless, zip(names, row, strict=True))
        reached = np.flatnonzero(pred >= 0)
        ways = dict(zip(weighted.named(reached), weighted.named(pred[reached]), strict=True))
        if at in loops:
            ways[name] = name
        if ways:
            before[name] = ways
    return before, lengths


def floyd_warshall_numpy(G: Converted, nodelist: Any = None, weight: Any = "weight") -> Array:
    """Return all distances as a float64 matrix; see `networkx.floyd_warshall_numpy`."""
    n = len(G)
    chosen: Any = slice(None)
    if nodelist is not None:
        if not len(nodelist) == n == len(set(nodelist)):
            msg = (
                "nodelist must contain every node in G with no repeats."
                "If you wanted a subgraph of G use G.subgraph(nodelist)"
            )
            raise nx.NetworkXError(msg)
        missing = set(nodelist) - set(G.names)
        if missing:
            msg = f"Nodes {missing} in nodelist is not in G"
            raise nx.NetworkXError(msg)
        order = [G.place[name] for name in nodelist]
        chosen = np.ix_(order, order)
    weighted = _shown(G, weight)
    if n == 0:
        return np.zeros((0, 0))
    dist = _table(weighted, predecessors=False).dist
    matrix: Array = np.where(dist == unreachable(dist.dtype), np.inf, dist)[chosen]
    return matrix


def _endless() -> float:
    return math.inf


def _shown(G: Converted, weight: Any) -> Weighted:
    if callable(weight):
        msg = "NetworkX takes only the name of an attribute here, not a function."
        raise LeftToNetworkXError(msg)
    weighted = G.weighted(weight)
    if weighted.hides:
        msg = "an edge weighs None, which cannot be an entry of a matrix."
        raise LeftToNetworkXError(msg)
    return weighted


def _table(weighted: Weighted, *, predecessors: bool) -> DistanceTable:
    try:
        with networkx_errors():
            return apsp(weighted.rows, predecessors=predecessors)
    except nx.NetworkXUnbounded as error:
        msg = "there is a negative cycle, so NetworkX's distances depend on its number of steps."
        raise LeftToNetworkXError(msg) from error


def _numbers(
    weighted: Weighted, source: int, row: Array, pred: Array, float_loops: set[int]
) -> list[Any]:
    """Return distances with the types of Python's sums: int if all weights of the path are.

    A missing weight counts as the float 1.0 here, as in NetworkX.
    """
    kinds = weighted.kinds
    reached = row != unreachable(row.dtype)
    if isinstance(kinds, int):
        values: list[Any] = (row if kinds == WHOLE else row.astype(np.float64)).tolist()
    else:
        whole = _whole_paths(weighted, kinds, source, pred)
        pairs = zip(row.tolist(), (whole & reached).tolist(), strict=True)
        values = [int(value) if is_whole else float(value) for value, is_whole in pairs]
    values[source] = 0.0 if source in float_loops else 0
    for v in np.flatnonzero(~reached).tolist():
        values[v] = np.inf
    return values


def _whole_paths(weighted: Weighted, kinds: Array, source: int, pred: Array) -> Array:
    """Return whether the path to each vertex has only integers, (n,) bool, by pointer jumping."""
    whole, above = (
        _last_edges(weighted, kinds, pred),
        np.where(pred < 0, np.arange(len(pred)), pred),
    )
    whole[source], above[source] = True, source
    while not np.array_equal(above, above[above]):
        whole &= whole[above]
        above = above[above]
    return whole & whole[above]


def _last_edges(weighted: Weighted, kinds: Array, pred: Array) -> Array:
    """Return whether the weight of the edge pred[v] -> v is an integer: (n,) bool."""
    whole = np.zeros(len(pred), bool)
    tails, heads = weighted.tails, weighted.rows.indices
    used = pred[heads] == tails
    whole[heads[used]] = kinds[used] == WHOLE
    return whole
