"""The NetworkX backend "warpath": ``nx.shortest_path(G, ..., backend="warpath")``.

NetworkX finds this module by the entry point ``networkx.backends``, and its description in
``_warpath_nx``, which imports nothing, by ``networkx.backend_info``. Every public name except the
conversions and rules implements a NetworkX function with the same signature. NetworkX passes the
graph converted and the other arguments unchanged. Results and errors have NetworkX's types;
`_warpath_nx` lists all differences.
"""

from warpath.base.errors import require

require("networkx", what="the NetworkX backend", extra="networkx")

from warpath.nx.astar import astar_path, astar_path_length  # noqa: E402 - needs NetworkX
from warpath.nx.bellman_ford import (  # noqa: E402
    all_pairs_bellman_ford_path,
    all_pairs_bellman_ford_path_length,
    bellman_ford_path,
    bellman_ford_path_length,
    bellman_ford_predecessor_and_distance,
    find_negative_cycle,
    goldberg_radzik,
    johnson,
    negative_edge_cycle,
    single_source_bellman_ford,
    single_source_bellman_ford_path,
    single_source_bellman_ford_path_length,
)
from warpath.nx.dense import (  # noqa: E402
    floyd_warshall,
    floyd_warshall_numpy,
    floyd_warshall_predecessor_and_distance,
)
from warpath.nx.dijkstra import (  # noqa: E402
    all_pairs_dijkstra,
    all_pairs_dijkstra_path,
    all_pairs_dijkstra_path_length,
    bidirectional_dijkstra,
    dijkstra_path,
    dijkstra_path_length,
    dijkstra_predecessor_and_distance,
    multi_source_dijkstra,
    multi_source_dijkstra_path,
    multi_source_dijkstra_path_length,
    single_source_dijkstra,
    single_source_dijkstra_path,
    single_source_dijkstra_path_length,
)
from warpath.nx.generic import (  # noqa: E402
    all_pairs_all_shortest_paths,
    all_shortest_paths,
    average_shortest_path_length,
    has_path,
    shortest_path,
    shortest_path_length,
    single_source_all_shortest_paths,
)
from warpath.nx.graph import Converted, convert_from_nx, convert_to_nx  # noqa: E402
from warpath.nx.measures import (  # noqa: E402
    betweenness_centrality,
    betweenness_centrality_subset,
    center,
    closeness_centrality,
    diameter,
    eccentricity,
    edge_betweenness_centrality,
    edge_betweenness_centrality_subset,
    harmonic_centrality,
    periphery,
    radius,
)
from warpath.nx.rules import can_run, should_run  # noqa: E402
from warpath.nx.simple_paths import shortest_simple_paths  # noqa: E402
from warpath.nx.unweighted import (  # noqa: E402
    all_pairs_shortest_path,
    all_pairs_shortest_path_length,
    bidirectional_shortest_path,
    predecessor,
    single_source_shortest_path,
    single_source_shortest_path_length,
    single_target_shortest_path,
    single_target_shortest_path_length,
)

__all__ = [
    "Converted",
    "all_pairs_all_shortest_paths",
    "all_pairs_bellman_ford_path",
    "all_pairs_bellman_ford_path_length",
    "all_pairs_dijkstra",
    "all_pairs_dijkstra_path",
    "all_pairs_dijkstra_path_length",
    "all_pairs_shortest_path",
    "all_pairs_shortest_path_length",
    "all_shortest_paths",
    "astar_path",
    "astar_path_length",
    "average_shortest_path_length",
    "bellman_ford_path",
    "bellman_ford_path_length",
    "bellman_ford_predecessor_and_distance",
    "betweenness_centrality",
    "betweenness_centrality_subset",
    "bidirectional_dijkstra",
    "bidirectional_shortest_path",
    "can_run",
    "center",
    "closeness_centrality",
    "convert_from_nx",
    "convert_to_nx",
    "diameter",
    "dijkstra_path",
    "dijkstra_path_length",
    "dijkstra_predecessor_and_distance",
    "eccentricity",
    "edge_betweenness_centrality",
    "edge_betweenness_centrality_subset",
    "find_negative_cycle",
    "floyd_warshall",
    "floyd_warshall_numpy",
    "floyd_warshall_predecessor_and_distance",
    "goldberg_radzik",
    "harmonic_centrality",
    "has_path",
    "johnson",
    "multi_source_dijkstra",
    "multi_source_dijkstra_path",
    "multi_source_dijkstra_path_length",
    "negative_edge_cycle",
    "periphery",
    "predecessor",
    "radius",
    "shortest_path",
    "shortest_path_length",
    "shortest_simple_paths",
    "should_run",
    "single_source_all_shortest_paths",
    "single_source_bellman_ford",
    "single_source_bellman_ford_path",
    "single_source_bellman_ford_path_length",
    "single_source_dijkstra",
    "single_source_dijkstra_path",
    "single_source_dijkstra_path_length",
    "single_source_shortest_path",
    "single_source_shortest_path_length",
    "single_target_shortest_path",
    "single_target_shortest_path_length",
]
