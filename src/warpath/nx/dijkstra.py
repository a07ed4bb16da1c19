"""NetworkX's functions based on Dijkstra's algorithm."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import networkx as nx

from warpath.api.calls import path
from warpath.base.errors import LeftToNetworkXError, NoPathError
from warpath.nx.arguments import limit_of, require, require_hashable, starts_of
from warpath.nx.search import Found, by_node, from_both_ends, networkx_errors, searched
from warpath.nx.weights import FLOAT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warpath.nx.graph import Converted, Weighted


def dijkstra_path(G: Converted, source: Any, target: Any, weight: Any = "weight") -> Any:
    """Return the nodes of a shortest path; see `networkx.dijkstra_path`."""
    return single_source_dijkstra(G, source, target=target, weight=weight)[1]


def dijkstra_path_length(G: Converted, source: Any, target: Any, weight: Any = "weight") -> Any:
    """Return the length of a shortest path; see `networkx.dijkstra_path_length`."""
    require(G, source, "Node {} not found in graph")
    if source == target:
        return 0
    weighted = G.weighted(weight)
    if weighted.negative:
        graph = weighted.to_nx()
        return nx.dijkstra_path_length(graph, source, target, backend="networkx")
    if target in G:
        if weighted.rows.dist_dtype.kind == "i":  # two-sided search would change sums of floats
            with suppress(nx.NetworkXNoPath):
                return one_path(weighted, source, target)[0]
        else:
            result = searched(weighted, [G.place[source]], target=G.place[target])
            if result.reaches(G.place[target]):
                return result.length_to(G.place[target])
    require_hashable(target)
    msg = f"Node {target} not reachable from {source}"
    raise nx.NetworkXNoPath(msg)


def single_source_dijkstra_path(
    G: Converted, source: Any, cutoff: Any = None, weight: Any = "weight"
) -> dict[Any, list[Any]]:
    """Return a shortest path to every node; see `networkx.single_source_dijkstra_path`."""
    return multi_source_dijkstra_path(G, {source}, cutoff=cutoff, weight=weight)


def single_source_dijkstra_path_length(
    G: Converted, source: Any, cutoff: Any = None, weight: Any = "weight"
) -> dict[Any, Any]:
    """Return all distances; see `networkx.single_source_dijkstra_path_length`."""
    return multi_source_dijkstra_path_length(G, {source}, cutoff=cutoff, weight=weight)


def single_source_dijkstra(
    G: Converted, source: Any, target: Any = None, cutoff: Any = None, weight: Any = "weight"
) -> Any:
    """Return distances and paths, all or one; see `networkx.single_source_dijkstra`."""
    return multi_source_dijkstra(G, {source}, cutoff=cutoff, target=target, weight=weight)


def multi_source_dijkstra_path(
    G: Converted, sources: Any, cutoff: Any = None, weight: Any = "weight"
) -> dict[Any, list[Any]]:
    """Return the path from the nearest source; see `networkx.multi_source_dijkstra_path`."""
    paths: dict[Any, list[Any]] = multi_source_dijkstra(G, sources, cutoff=cutoff, weight=weight)[1]
    return paths


def multi_source_dijkstra_path_length(
    G: Converted, sources: Any, cutoff: Any = None, weight: Any = "weight"
) -> dict[Any, Any]:
    """Return distances from the nearest source; see NetworkX's function of this name."""
    starts = starts_of(G, sources)
    weighted = G.weighted(weight)
    if weighted.negative:
        lengths: dict[Any, Any] = nx.multi_source_dijkstra_path_length(
            weighted.to_nx(), list(sources), cutoff=cutoff, backend="networkx"
        )
        return lengths
    return searched(weighted, starts, cutoff=limit_of(cutoff, weighted)).distances()


def multi_source_dijkstra(
    G: Converted, sources: Any, target: Any = None, cutoff: Any = None, weight: Any = "weight"
) -> Any:
    """Return distances and paths from the nearest source; see `networkx.multi_source_dijkstra`."""
    starts = starts_of(G, sources)
    if target not in G:
        require_hashable(target)
    if target in sources:
        return 0, [target]
    weighted = G.weighted(weight)
    if weighted.negative:  # the result then depends on each step of Dijkstra's algorithm
        return nx.multi_source_dijkstra(
            weighted.to_nx(), list(sources), target=target, cutoff=cutoff, backend="networkx"
        )
    limit = limit_of(cutoff, weighted)
    if target is None:
        result = searched(weighted, starts, cutoff=limit)
        return result.distances(), result.paths()
    t = G.place.get(target)
    if t is not None:
        result = searched(weighted, starts, cutoff=limit, target=t)
        if result.reaches(t):
            return result.length_to(t), result.path_to(t)
    msg = f"No path to {target}."
    raise nx.NetworkXNoPath(msg)


def dijkstra_predecessor_and_distance(
    G: Converted, source: Any, cutoff: Any = None, weight: Any = "weight"
) -> Any:
    """Return predecessors and distances; see NetworkX's function of this name."""
    require(G, source, "Node {} is not found in the graph")
    weighted = G.weighted(weight)
    if weighted.negative:
        return nx.dijkstra_predecessor_and_distance(
            weighted.to_nx(), source, cutoff=cutoff, backend="networkx"
        )
    limit = limit_of(cutoff, weighted)
    result = searched(weighted, [G.place[source]], cutoff=limit)
    return result.predecessors(first_met=True, cutoff=limit), result.distances()


def all_pairs_dijkstra(
    G: Converted, cutoff: Any = None, weight: Any = "weight"
) -> Iterator[tuple[Any, Any]]:
    """Yield distances and paths from every node; see `networkx.all_pairs_dijkstra`."""
    weighted = G.weighted(weight)
    if weighted.negative:
        return _theirs(nx.all_pairs_dijkstra, weighted, cutoff)
    limit = limit_of(cutoff, weighted)
    return by_node(weighted, lambda result: (result.distances(), result.paths()), cutoff=limit)


def all_pairs_dijkstra_path_length(
    G: Converted, cutoff: Any = None, weight: Any = "weight"
) -> Iterator[tuple[Any, dict[Any, Any]]]:
    """Yield the distances from every node; see `networkx.all_pairs_dijkstra_path_length`."""
    weighted = G.weighted(weight)
    if weighted.negative:
        return _theirs(nx.all_pairs_dijkstra_path_length, weighted, cutoff)
    return by_node(weighted, Found.distances, cutoff=limit_of(cutoff, weighted))


def all_pairs_dijkstra_path(
    G: Converted, cutoff: Any = None, weight: Any = "weight"
) -> Iterator[tuple[Any, dict[Any, list[Any]]]]:
    """Yield the paths from every node; see `networkx.all_pairs_dijkstra_path`."""
    weighted = G.weighted(weight)
    if weighted.negative:
        return _theirs(nx.all_pairs_dijkstra_path, weighted, cutoff)
    return by_node(weighted, Found.paths, cutoff=limit_of(cutoff, weighted))


def _theirs(function: Any, weighted: Weighted, cutoff: Any) -> Iterator[tuple[Any, Any]]:
    """Call NetworkX's function: with negative weights the result depends on each of its steps."""
    answer: Iterator[tuple[Any, Any]] = function(
        weighted.to_nx(), cutoff=cutoff, backend="networkx"
    )
    return answer


def bidirectional_dijkstra(G: Converted, source: Any, target: Any, weight: Any = "weight") -> Any:
    """Return a shortest path's length and nodes; see `networkx.bidirectional_dijkstra`."""
    require(G, source, "Source {} is not in G")
    require(G, target, "Target {} is not in G")
    if source == target:
        return 0, [source]
    weighted = G.weighted(weight)
    if weighted.negative:
        msg = "with negative weights the result depends on the order of the edges into a node."
        raise LeftToNetworkXError(msg)
    return one_path(weighted, source, target)


def one_path(weighted: Weighted, source: Any, target: Any) -> tuple[Any, list[Any]]:
    """Return the length and the nodes of a shortest path between two different nodes.

    Raises
    ------
    NetworkXNoPath
    """
    ends = weighted.place[source], weighted.place[target]
    none = f"No path between {source} and {target}."
    found = from_both_ends(weighted.rows, *ends)
    if found is not None:
        if not len(found[0]):
            raise nx.NetworkXNoPath(none)
        return found[1], weighted.named(found[0])
    try:
        with networkx_errors():
            route = path(weighted.rows, *ends)
    except NoPathError as error:
        raise nx.NetworkXNoPath(none) from error
    length = route.length
    if not isinstance(weighted.kinds, int):
        indptr, heads = weighted.rows.indptr, weighted.rows.indices
        kinds = [
            weighted.kinds[indptr[u] : indptr[u + 1]][heads[indptr[u] : indptr[u + 1]] == v].item()
            for u, v in zip(route.indices[:-1], route.indices[1:], strict=True)
        ]
        length = length if FLOAT in kinds else int(length)
    return length, weighted.named(route.indices)
