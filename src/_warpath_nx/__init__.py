"""Information about the backend "warpath" that NetworkX reads when it is imported.

``import networkx`` calls `get_info`. The function is in a package separate from ``warpath.nx``,
whose import would load NumPy and the compiled core for all users of NetworkX.
"""

from __future__ import annotations

from typing import Any

#: All possible differences from NetworkX's results. Everything else is the same: numbers to the
#: last bit, int or float, the order of dictionaries, exceptions and their messages.
DIFFERENCES = {
    "path": "Of equally short paths it may return another one. Where integers and floats are "
    "mixed, the length is then an integer in place of an equal float, or the other way round.",
    "order": "Keys, or equally short paths, may come in another order.",
    "directed": "Equally short paths of a directed graph may come in another order.",
    "rounding": "Floats are added in another order, so lengths may differ in the last bits, and "
    "of paths that differ by rounding alone it may return another one.",
    "shares": "Shares of paths are added in another order, so the last bits may differ.",
    "cycle": "It may return another negative cycle, and returns one where NetworkX's search finds "
    "that there is one and then fails to name its nodes.",
    "bounds": "`usebounds=True` changes nothing. NetworkX's bounds hold where distances are the "
    "same in both directions and sums of floats are exact; elsewhere its answer may be another "
    "one, or never come.",
    "frozen": "It answers for frozen graphs and views as well, to which NetworkX cannot add the "
    "node that its search begins at.",
    "zero cycle": "NetworkX reports a negative cycle, or distances that went round it, where a "
    "cycle of floats is negative by rounding alone; warpath answers that there is none.",
    "early stop": "NetworkX's Bellman-Ford search can stop too early where nodes of its queue wait "
    "for each other; its distances are then too long, and warpath's are the shortest.",
}

#: Differences that apply to every function.
EVERYWHERE = {
    "numbers": "NumPy's scalars and booleans count as Python's numbers: sums do not wrap, and "
    "answers have Python's int and float.",
    "nodes": "The nodes in an answer are the graph's own objects. NetworkX returns the object of "
    "the call where that equals a node of another type, such as True or 1.0 for the node 1.",
    "functions": "A weight function is called once for each edge and direction, before the search.",
    "changes": "An iterator answers for the graph as it was at the call.",
}

_SEARCH = ("path", "order", "early stop", "zero cycle")

#: For each function of the backend the keys of `DIFFERENCES` that apply to it.
FUNCTIONS: dict[str, tuple[str, ...]] = {
    "all_pairs_all_shortest_paths": ("order", "early stop", "zero cycle"),
    "all_pairs_bellman_ford_path": _SEARCH,
    "all_pairs_bellman_ford_path_length": _SEARCH,
    "all_pairs_dijkstra": (),
    "all_pairs_dijkstra_path": (),
    "all_pairs_dijkstra_path_length": (),
    "all_pairs_shortest_path": (),
    "all_pairs_shortest_path_length": (),
    "all_shortest_paths": ("order", "early stop", "zero cycle"),
    "astar_path": (),
    "astar_path_length": (),
    "average_shortest_path_length": ("rounding", "early stop", "zero cycle"),
    "bellman_ford_path": _SEARCH,
    "bellman_ford_path_length": ("path", "early stop", "zero cycle"),
    "bellman_ford_predecessor_and_distance": _SEARCH,
    "betweenness_centrality": ("shares",),
    "betweenness_centrality_subset": ("shares",),
    "bidirectional_dijkstra": ("path", "rounding"),
    "bidirectional_shortest_path": ("path",),
    "center": ("bounds",),
    "closeness_centrality": (),
    "diameter": ("bounds",),
    "dijkstra_path": (),
    "dijkstra_path_length": ("path",),
    "dijkstra_predecessor_and_distance": (),
    "eccentricity": (),
    "edge_betweenness_centrality": ("shares",),
    "edge_betweenness_centrality_subset": ("shares",),
    "find_negative_cycle": ("cycle", "zero cycle"),
    "floyd_warshall": ("path", "order", "rounding"),
    "floyd_warshall_numpy": ("rounding",),
    "floyd_warshall_predecessor_and_distance": ("path", "order", "rounding"),
    "goldberg_radzik": ("path", "order", "zero cycle"),
    "harmonic_centrality": (),
    "has_path": (),
    "johnson": ("zero cycle",),
    "multi_source_dijkstra": (),
    "multi_source_dijkstra_path": (),
    "multi_source_dijkstra_path_length": (),
    "negative_edge_cycle": ("frozen", "zero cycle"),
    "periphery": ("bounds",),
    "predecessor": (),
    "radius": ("bounds",),
    "shortest_path": ("path", "order", "rounding", "early stop", "zero cycle"),
    "shortest_path_length": ("path", "order", "early stop", "zero cycle"),
    "shortest_simple_paths": ("directed",),
    "single_source_all_shortest_paths": ("order", "early stop", "zero cycle"),
    "single_source_bellman_ford": _SEARCH,
    "single_source_bellman_ford_path": _SEARCH,
    "single_source_bellman_ford_path_length": _SEARCH,
    "single_source_dijkstra": (),
    "single_source_dijkstra_path": (),
    "single_source_dijkstra_path_length": (),
    "single_source_shortest_path": (),
    "single_source_shortest_path_length": ("order",),
    "single_target_shortest_path": ("path", "order"),
    "single_target_shortest_path_length": ("order",),
}


def get_info() -> dict[str, Any]:
    """Return the description of the backend, for the entry point ``networkx.backend_info``."""
    return {
        "backend_name": "warpath",
        "project": "warpath",
        "package": "warpath",
        "short_summary": "Exact shortest paths in C++ on all cores.",
        "functions": {name: {"additional_docs": _note(keys)} for name, keys in FUNCTIONS.items()},
    }


def _note(keys: tuple[str, ...]) -> str:
    return " ".join(DIFFERENCES[key] for key in keys) or "The same answer, to the last bit."
