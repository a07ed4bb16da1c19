"""What NetworkX learns of its backend "warpath" when it is imported itself.

It is a package of its own because ``import networkx`` calls `get_info`, and ``import warpath.nx``
would import NumPy and the compiled core for those who only have warpath installed.
"""

from __future__ import annotations

from typing import Any

_SAME = "The same dictionary: keys in NetworkX's order, and of equal paths the one that it takes."
_EQUAL = "The same numbers and errors; of equally short paths it may be another one."
_SUMS = "The same numbers."
_LEVELS = "The same numbers, ascending; nodes equally far stand in the graph's order."

FUNCTIONS = {
    "all_pairs_all_shortest_paths": _SAME,
    "all_pairs_bellman_ford_path": _EQUAL,
    "all_pairs_bellman_ford_path_length": _EQUAL,
    "all_pairs_dijkstra": _SAME,
    "all_pairs_dijkstra_path": _SAME,
    "all_pairs_dijkstra_path_length": _SAME,
    "all_pairs_shortest_path": _SAME,
    "all_pairs_shortest_path_length": _SAME,
    "all_shortest_paths": "The same paths; in NetworkX's order but for Bellman and Ford's method.",
    "astar_path": "Without a heuristic. " + _EQUAL,
    "astar_path_length": "Without a heuristic. " + _SUMS,
    "average_shortest_path_length": _SUMS,
    "bellman_ford_path": _EQUAL,
    "bellman_ford_path_length": _SUMS,
    "bellman_ford_predecessor_and_distance": "The same sets of predecessors, in another order.",
    "bidirectional_dijkstra": _EQUAL + " Floats are added from both ends, but meet elsewhere.",
    "bidirectional_shortest_path": _EQUAL,
    "center": _SUMS,
    "closeness_centrality": _SUMS,
    "diameter": _SUMS,
    "dijkstra_path": _SAME,
    "dijkstra_path_length": _SUMS,
    "dijkstra_predecessor_and_distance": _SAME,
    "eccentricity": _SUMS,
    "find_negative_cycle": "Any of the negative cycles that the source reaches.",
    "floyd_warshall": _SUMS + " Floats are added in another order.",
    "floyd_warshall_numpy": _SUMS + " Floats are added in another order.",
    "floyd_warshall_predecessor_and_distance": _EQUAL + " Floats are added in another order.",
    "goldberg_radzik": _EQUAL,
    "harmonic_centrality": _SUMS,
    "has_path": _SUMS,
    "johnson": _SAME,
    "multi_source_dijkstra": _SAME,
    "multi_source_dijkstra_path": _SAME,
    "multi_source_dijkstra_path_length": _SAME,
    "negative_edge_cycle": "Exact where rounding alone would make a cycle of floats negative.",
    "periphery": _SUMS,
    "predecessor": _SAME,
    "radius": _SUMS,
    "shortest_path": _EQUAL,
    "shortest_path_length": _SUMS,
    "single_source_all_shortest_paths": _SAME,
    "single_source_bellman_ford": _EQUAL,
    "single_source_bellman_ford_path": _EQUAL,
    "single_source_bellman_ford_path_length": _EQUAL,
    "single_source_dijkstra": _SAME,
    "single_source_dijkstra_path": _SAME,
    "single_source_dijkstra_path_length": _SAME,
    "single_source_shortest_path": _SAME,
    "single_source_shortest_path_length": _LEVELS,
    "single_target_shortest_path": _EQUAL,
    "single_target_shortest_path_length": _LEVELS,
}


def get_info() -> dict[str, Any]:
    """Return what NetworkX prints of the backend, by its entry point ``networkx.backend_info``."""
    return {
        "backend_name": "warpath",
        "project": "warpath",
        "package": "warpath",
        "short_summary": "Exact shortest paths in C++ on all cores.",
        "functions": {name: {"additional_docs": note} for name, note in FUNCTIONS.items()},
    }
