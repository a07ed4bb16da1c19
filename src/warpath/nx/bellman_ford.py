"""NetworkX's functions based on Bellman-Ford, for weights of either sign."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from warpath import _core
from warpath.base.errors import LeftToNetworkXError
from warpath.graph import Graph
from warpath.graph.csr import kept_rows
from warpath.nx.arguments import require, require_hashable
from warpath.nx.graph import TOO_LONG, Weighted
from warpath.nx.search import Found, by_node, each, networkx_errors, searched
from warpath.nx.weights import ABSENT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warpath.base.dtypes import Array
    from warpath.nx.graph import Converted

_EVERY = np.empty(0, np.int64)  # passed to the core if all vertices are sources


def bellman_ford_path(G: Converted, source: Any, target: Any, weight: Any = "weight") -> Any:
    """Return the nodes of a shortest path; see `networkx.bellman_ford_path`."""
    return single_source_bellman_ford(G, source, target=target, weight=weight)[1]


def bellman_ford_path_length(G: Converted, source: Any, target: Any, weight: Any = "weight") -> Any:
    """Return the length of a shortest path; see `networkx.bellman_ford_path_length`."""
    if source == target:
        require(G, source, "Node {} not found in graph")
        return 0
    result, t = _to_one(G, source, target, weight)
    if t is None:
        msg = f"node {target} not reachable from {source}"
        raise nx.NetworkXNoPath(msg)
    return result.length_to(t)


def single_source_bellman_ford_path(
    G: Converted, source: Any, weight: Any = "weight"
) -> dict[Any, list[Any]]:
    """Return a shortest path to every node; see NetworkX's function of this name."""
    if source is None:  # NetworkX compares it with the target, None, before it looks for the node
        require(G, source, "Node {} is not found in the graph")
    return _from(G, source, weight).paths()


def single_source_bellman_ford_path_length(
    G: Converted, source: Any, weight: Any = "weight"
) -> dict[Any, Any]:
    """Return all distances; see `networkx.single_source_bellman_ford_path_length`."""
    return _from(G, source, weight).distances()


def single_source_bellman_ford(
    G: Converted, source: Any, target: Any = None, weight: Any = "weight"
) -> Any:
    """Return distances and paths, all or one; see `networkx.single_source_bellman_ford`."""
    if source == target:
        require(G, source, "Node {} is not found in the graph")
        return 0, [source]
    if target is None:
        result = _from(G, source, weight)
        return result.distances(), result.paths()
    result, t = _to_one(G, source, target, weight)
    if t is None:
        msg = f"Target {target} cannot be reached from given sources"
        raise nx.NetworkXNoPath(msg)
    return result.length_to(t), result.path_to(t)


def bellman_ford_predecessor_and_distance(
    G: Converted,
    source: Any,
    target: Any = None,  # noqa: ARG001 - NetworkX computes all distances too
    weight: Any = "weight",
    heuristic: Any = False,  # noqa: ARG001 - does not change the result
) -> Any:
    """Return predecessors and distances; see NetworkX's function of this name."""
    result = _whole(G, source, weight)
    if result is None:
        return {source: []}, {source: 0}
    return result.predecessors(), result.distances()


def all_pairs_bellman_ford_path_length(
    G: Converted, weight: Any = "weight"
) -> Iterator[tuple[Any, dict[Any, Any]]]:
    """Yield the distances from every node; see NetworkX's function of this name."""
    return by_node(signed(G, weight), Found.distances, queue=True)


def all_pairs_bellman_ford_path(
    G: Converted, weight: Any = "weight"
) -> Iterator[tuple[Any, dict[Any, list[Any]]]]:
    """Yield the paths from every node; see `networkx.all_pairs_bellman_ford_path`."""
    return by_node(signed(G, weight), Found.paths, queue=True)


def goldberg_radzik(G: Converted, source: Any, weight: Any = "weight") -> Any:
    """Return one predecessor and the distance of every node; see `networkx.goldberg_radzik`."""
    result = _whole(G, source, weight)
    if result is None:
        return {source: None}, {source: 0}
    before: list[Any] = result.weighted.named(result.before())
    before[0] = None
    return dict(zip(result.names(), before, strict=True)), result.distances()


def negative_edge_cycle(
    G: Converted,
    weight: Any = "weight",
    heuristic: Any = True,  # noqa: ARG001 - does not change the result
) -> bool:
    """Return whether there is a negative cycle; see `networkx.negative_edge_cycle`."""
    if callable(weight):
        msg = "NetworkX also calls the weight function for edges from a node that it adds."
        raise LeftToNetworkXError(msg)
    weighted = signed(G, weight)
    return weighted.negative and _potentials(weighted) is None


def find_negative_cycle(G: Converted, source: Any, weight: Any = "weight") -> list[Any]:
    """Return a negative cycle that the source reaches; see `networkx.find_negative_cycle`.

    NetworkX's cycle begins before the node that its search visits a second time. This one begins
    before the node that is nearest to the source in number of edges.
    """
    require(G, source, "Source {} not in G")
    weighted, s = signed(G, weight), G.place[source]
    indices = _labelled(weighted, np.array([s]))[0]
    if not len(indices):
        msg = "No negative cycles detected."
        raise nx.NetworkXError(msg)
    levels = searched(G.weighted(None), [s], queue=True).dist
    entry = int(np.argmin(levels[indices]))
    cycle = np.roll(indices, (1 if len(indices) > 2 else 0) - entry)
    named: list[Any] = weighted.named(cycle)
    return [*named, named[0]]


def johnson(G: Converted, weight: Any = "weight") -> dict[Any, dict[Any, list[Any]]]:
    """Return the paths between all pairs; see `networkx.johnson`."""
    weighted = signed(G, weight)
    if weighted.negative:
        weighted = _reduced(weighted)
    return {name: result.paths() for name, result in zip(G, each(weighted), strict=True)}


def _reduced(weighted: Weighted) -> Weighted:
    """Return the edges with reduced lengths w + p[u] - p[v], none of which is negative."""
    potentials = _potentials(weighted)
    if potentials is None:
        msg = "Negative cycle detected."
        raise nx.NetworkXUnbounded(msg)
    rows = weighted.rows
    largest = int(rows._solver_weights.max(initial=0)) - int(potentials.min(initial=0))
    if potentials.dtype.kind == "i" and largest >= TOO_LONG:
        msg = "lengths w + p[u] - p[v] may not fit 64 bits; backend='networkx' adds any integers."
        raise LeftToNetworkXError(msg)
    ends = potentials[weighted.tails], potentials[rows.indices]
    lengths = rows._solver_weights.astype(potentials.dtype) + ends[0] - ends[1]
    # Rounding of float sums may leave a length slightly below 0.
    reduced = kept_rows(rows.indptr, rows.indices, np.maximum(lengths, 0), copied=False)
    return Weighted(weighted.owner, Graph(*reduced), ABSENT)


def _potentials(weighted: Weighted) -> Array | None:
    """Return the distances from an extra vertex with edges of length 0 to all vertices.

    None if there is a negative cycle.
    """
    cycle, dist = _labelled(weighted, _EVERY)
    return None if len(cycle) else dist


def _labelled(weighted: Weighted, sources: Array) -> tuple[Array, Array]:
    """Return a negative cycle, empty if there is none, and the distances, valid without a cycle."""
    rows = weighted.rows
    dist = np.empty(rows.n, rows.dist_dtype)
    with networkx_errors():
        cycle = _core.bellman_ford(*rows._solver_rows, sources, dist)
    return cycle["cycle"], dist


def signed(G: Converted, weight: Any) -> Weighted:
    """Return the edges with the given weights; raise LeftToNetworkXError if one weighs None."""
    weighted = G.weighted(weight)
    if weighted.hides:
        msg = "an edge weighs None, which hides it only in NetworkX's Dijkstra searches."
        raise LeftToNetworkXError(msg)
    return weighted


def _from(G: Converted, source: Any, weight: Any) -> Found:
    require(G, source, "Source {} not in G")
    return searched(signed(G, weight), [G.place[source]], queue=True)


def _to_one(G: Converted, source: Any, target: Any, weight: Any) -> tuple[Found, int | None]:
    """Search until the target; return the search, and the target's index or None if unreached."""
    require(G, source, "Source {} not in G")
    if target not in G:
        require_hashable(target)
    weighted, t = signed(G, weight), G.place.get(target)
    early = None if weighted.negative else t
    result = searched(weighted, [G.place[source]], target=early, queue=True)
    return result, t if t is not None and result.reaches(t) else None


def _whole(G: Converted, source: Any, weight: Any) -> Found | None:
    """Search all nodes, with NetworkX's error for a negative self-loop; None for a single node."""
    require(G, source, "Node {} is not found in the graph")
    weighted = signed(G, weight)
    rows = weighted.rows
    if weighted.negative and (rows._solver_weights[rows.indices == weighted.tails] < 0).any():
        msg = "Negative cycle detected."
        raise nx.NetworkXUnbounded(msg)
    return None if len(G) == 1 else searched(weighted, [G.place[source]], queue=True)
