"""NetworkX's functions for unweighted graphs, whose distances are numbers of edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warpath.nx.arguments import is_nan, levels_of, require
from warpath.nx.dijkstra import one_path
from warpath.nx.search import Found, by_node, lengths_by_levels, paths_by_levels, searched

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warpath.nx.graph import Converted, Weighted


def single_source_shortest_path_length(
    G: Converted, source: Any, cutoff: Any = None
) -> dict[Any, int]:
    """Return all distances; see `networkx.single_source_shortest_path_length`."""
    require(G, source, "Source {} is not in G")
    return lengths_by_levels(G, G.place[source], levels_of(cutoff))


def single_target_shortest_path_length(
    G: Converted, target: Any, cutoff: Any = None
) -> dict[Any, int]:
    """Return the distances to a node; see `networkx.single_target_shortest_path_length`."""
    require(G, target, "Target {} is not in G")
    return lengths_by_levels(G, G.place[target], levels_of(cutoff), towards=True)


def all_pairs_shortest_path_length(
    G: Converted, cutoff: Any = None
) -> Iterator[tuple[Any, dict[Any, int]]]:
    """Yield the distances from every node; see `networkx.all_pairs_shortest_path_length`."""
    limit = levels_of(cutoff)
    return by_node(G.weighted(None), Found.distances, cutoff=limit, queue=True)


def single_source_shortest_path(
    G: Converted, source: Any, cutoff: Any = None
) -> dict[Any, list[Any]]:
    """Return a shortest path to every node; see `networkx.single_source_shortest_path`."""
    require(G, source, "Source {} not in G")
    return paths_by_levels(G.weighted(None), G.place[source], levels_of(cutoff))


def single_target_shortest_path(
    G: Converted, target: Any, cutoff: Any = None
) -> dict[Any, list[Any]]:
    """Return a shortest path from every node; see `networkx.single_target_shortest_path`."""
    require(G, target, "Target {} not in G")
    back = G.weighted(None).backwards
    return paths_by_levels(back, G.place[target], levels_of(cutoff), backwards=True)


def all_pairs_shortest_path(
    G: Converted, cutoff: Any = None
) -> Iterator[tuple[Any, dict[Any, list[Any]]]]:
    """Yield the paths from every node; see `networkx.all_pairs_shortest_path`."""
    return by_node(G.weighted(None), Found.paths, cutoff=levels_of(cutoff), queue=True)


def bidirectional_shortest_path(G: Converted, source: Any, target: Any) -> list[Any]:
    """Return the nodes of a shortest path; see `networkx.bidirectional_shortest_path`."""
    require(G, source, "Source {} is not in G")
    require(G, target, "Target {} is not in G")
    return [source] if source == target else one_path(G.weighted(None), source, target)[1]


def predecessor(
    G: Converted, source: Any, target: Any = None, cutoff: Any = None, return_seen: Any = None
) -> Any:
    """Return the nodes before each node on shortest paths; see `networkx.predecessor`."""
    require(G, source, "Source {} not in G")
    # NetworkX checks the cutoff after a level, so the first is always visited; 0 means no limit.
    limit = levels_of(cutoff)
    limit = None if limit is None or not cutoff or is_nan(cutoff) else max(1, limit)
    levels = _levels(G.weighted(None), G.place[source], limit)
    before = levels.predecessors()
    if target is None:
        return (before, levels.distances()) if return_seen else before
    if target not in before:
        return ([], -1) if return_seen else []
    length = levels.length_to(G.place[target])
    return (before[target], length) if return_seen else before[target]


def _levels(weighted: Weighted, source: int, cutoff: Any) -> Found:
    return searched(weighted, [source], cutoff=cutoff, queue=True)
