"""What the backend tells NetworkX before a call: whether it can answer, and whether it should."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import networkx as nx

from warpath.nx.weights import NO_WEIGHT, unfit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_TO_ONE = {
    "astar_path", "astar_path_length", "bellman_ford_path", "bellman_ford_path_length",
    "bidirectional_dijkstra", "bidirectional_shortest_path", "dijkstra_path",
    "dijkstra_path_length", "has_path",
}  # fmt: skip
_FROM_EACH = {
    "all_pairs_all_shortest_paths", "all_pairs_bellman_ford_path",
    "all_pairs_bellman_ford_path_length", "all_pairs_dijkstra", "all_pairs_dijkstra_path",
    "all_pairs_dijkstra_path_length", "all_pairs_shortest_path", "all_pairs_shortest_path_length",
    "average_shortest_path_length", "center", "closeness_centrality", "diameter", "eccentricity",
    "floyd_warshall", "floyd_warshall_numpy", "floyd_warshall_predecessor_and_distance",
    "harmonic_centrality", "johnson", "periphery", "radius",
}  # fmt: skip


# Functions some of whose other arguments cannot be answered.
_ASKS_MORE = ("astar", "floyd_warshall")


def can_run(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool | str:
    """Return True, or a sentence why these arguments cannot be answered.

    Weights are looked at where the graph is not converted yet, in O(m). What only shows when all
    are read, such as an integer beyond 64 bits, is said by the conversion, as LeftToNetworkXError.
    """
    if args and _converted(args[0]) and not name.startswith(_ASKS_MORE):
        return True  # before the arguments are bound, which takes 12 us of a call between two nodes
    arguments = _bound(name, args, kwargs)
    if arguments is None:
        return True  # the call itself says what is wrong with them
    weight = arguments.get("distance" if name in {"closeness_centrality", "harmonic_centrality"}
                           else "weight")  # fmt: skip
    if arguments.get("heuristic") is not None and name.startswith("astar"):
        return "a heuristic is a Python function, called for every node that A* meets."
    if callable(weight) and name.startswith("floyd_warshall"):
        return "NetworkX takes the name of an attribute here: it would look a function up as one."
    graph = arguments["G"]
    if weight is None or callable(weight) or _converted(graph):
        return True
    return unfit(_types(graph, weight)) or True


def should_run(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool | str:
    """Return True, or a sentence why NetworkX itself would answer sooner.

    NetworkX asks where it chose warpath by itself, by ``nx.config.backend_priority``.
    """
    arguments = _bound(name, args, kwargs)
    if arguments is None:
        return True
    graph = arguments["G"]
    if name in _FROM_EACH:
        return True
    if len(graph) < _SMALL:
        return f"on fewer than {_SMALL} nodes NetworkX itself answers as soon."
    to_one = name in _TO_ONE or (
        arguments.get("source") is not None and arguments.get("target") is not None
    )
    if to_one and not _converted(graph):
        return (
            "the graph is not converted yet, which takes longer than one search between two nodes; "
            "backend='warpath' converts it, and later calls find it converted."
        )
    return True


#: Below this many nodes a call takes as long as NetworkX's own, or longer: on 64 nodes and 192
#: edges Dijkstra's from one node takes 78 us there and 71 us here, and 376 us with the conversion.
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
    """Return whether NetworkX keeps a conversion of a graph, or it is one."""
    if getattr(graph, "__networkx_backend__", "networkx") == "warpath":
        return True
    cache = getattr(graph, "__networkx_cache__", None) or {}
    return bool(cache.get("backends", {}).get("warpath"))


def _types(graph: Any, weight: Any) -> set[type]:
    rows = graph._adj.values()  # noqa: SLF001 - as in the conversion
    if graph.is_multigraph():
        return {
            type(data.get(weight, NO_WEIGHT))
            for row in rows for keys in row.values() for data in keys.values()
        }  # fmt: skip
    return {type(data.get(weight, NO_WEIGHT)) for row in rows for data in row.values()}
