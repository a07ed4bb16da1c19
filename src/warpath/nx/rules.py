"""NetworkX's hooks `can_run` and `should_run`: whether the backend can and should run a call."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import networkx as nx

from warpath.nx.weights import NO_WEIGHT, unfit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_TO_ONE = {
    "astar_path",
    "astar_path_length",
    "bellman_ford_path",
    "bellman_ford_path_length",
    "bidirectional_dijkstra",
    "bidirectional_shortest_path",
    "dijkstra_path",
    "dijkstra_path_length",
    "has_path",
}
_FROM_EACH = {
    "all_pairs_all_shortest_paths",
    "all_pairs_bellman_ford_path",
    "all_pairs_bellman_ford_path_length",
    "all_pairs_dijkstra",
    "all_pairs_dijkstra_path",
    "all_pairs_dijkstra_path_length",
    "all_pairs_shortest_path",
    "all_pairs_shortest_path_length",
    "average_shortest_path_length",
    "betweenness_centrality",
    "betweenness_centrality_subset",
    "center",
    "closeness_centrality",
    "diameter",
    "eccentricity",
    "edge_betweenness_centrality",
    "edge_betweenness_centrality_subset",
    "floyd_warshall",
    "floyd_warshall_numpy",
    "floyd_warshall_predecessor_and_distance",
    "harmonic_centrality",
    "johnson",
    "periphery",
    "radius",
    "shortest_simple_paths",
}


# Functions that have other unsupported arguments than weights.
_OTHER_LIMITS = ("floyd_warshall",)


def can_run(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool | str:
    """Return True, or a sentence why the backend does not support these arguments.

    If the graph is not converted yet, the types of the weights are checked, in O(m). Unsupported
    values, such as integers beyond 64 bits, raise LeftToNetworkXError in the conversion.
    """
    if args and _converted(args[0]) and not name.startswith(_OTHER_LIMITS):
        return True  # saves binding the arguments, 12 us per call
    arguments = _bound(name, args, kwargs)
    if arguments is None:
        return True  # the call raises the error for wrong arguments
    weight = arguments.get(
        "distance" if name in {"closeness_centrality", "harmonic_centrality"} else "weight"
    )
    if callable(weight) and name.startswith("floyd_warshall"):
        return "NetworkX takes only the name of an attribute here, not a function."
    graph = arguments["G"]
    if weight is None or callable(weight) or _converted(graph):
        return True
    return unfit(_types(graph, weight)) or True


def should_run(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool | str:
    """Return True, or a sentence why NetworkX itself would be faster.

    NetworkX calls this if it considers warpath because of ``nx.config.backend_priority``.
    """
    arguments = _bound(name, args, kwargs)
    if arguments is None:
        return True
    graph = arguments["G"]
    if name in _FROM_EACH:
        return True
    if len(graph) < _SMALL:
        return f"on fewer than {_SMALL} nodes NetworkX itself is as fast."
    to_one = name in _TO_ONE or (
        arguments.get("source") is not None and arguments.get("target") is not None
    )
    if to_one and not _converted(graph):
        return (
            "the graph is not converted yet, which takes longer than one search between two nodes; "
            "backend='warpath' converts it, and later calls reuse the conversion."
        )
    return True


#: On smaller graphs NetworkX is at least as fast: on 64 nodes and 192 edges Dijkstra's algorithm
#: from one node takes 78 us in NetworkX, and here 71 us, or 376 us with the conversion.
_SMALL = 64


def _bound(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any] | None:
    signature = _SIGNATURES.get(name)
    if signature is None:
        signature = _SIGNATURES[name] = inspect.signature(getattr(nx, name))
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:
        return None
    bound.apply_defaults()
    return bound.arguments


_SIGNATURES: dict[str, inspect.Signature] = {}


def _converted(graph: Any) -> bool:
    """Return whether a graph is converted, or NetworkX has cached its conversion."""
    if getattr(graph, "__networkx_backend__", "networkx") == "warpath":
        return True
    cache = getattr(graph, "__networkx_cache__", None) or {}
    return bool(cache.get("backends", {}).get("warpath"))


def _types(graph: Any, weight: Any) -> set[type]:
    rows = graph._adj.values()  # noqa: SLF001 - as in the conversion
    if graph.is_multigraph():
        return {
            type(data.get(weight, NO_WEIGHT))
            for row in rows
            for keys in row.values()
            for data in keys.values()
        }
    return {type(data.get(weight, NO_WEIGHT)) for row in rows for data in row.values()}
