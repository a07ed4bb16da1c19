"""A graph of OSMnx into warpath, the edges of a route as OSMnx names them, and the graph back.

In place of `osmnx.graph_from_place` it makes a graph of that form, © OpenStreetMap contributors.
"""

from pathlib import Path

import networkx as nx
import pandas as pd

import warpath as wp

roads = Path(__file__).parent / "data" / "monaco_roads.csv"
streets = nx.MultiDiGraph(created_with="OSMnx 2", crs="EPSG:4326")
for u, v, seconds, *places in pd.read_csv(roads).itertuples(index=False):
    streets.add_node(u, x=places[0], y=places[1])
    streets.add_node(v, x=places[2], y=places[3])
    streets.add_edge(u, v, travel_time=seconds, name=f"way {u % 100}")
graph = wp.Graph.of(streets, weight="travel_time", attributes="all")
route = wp.path(graph, 21911863, 25239325)
steps = list(zip(route.vertices[:-1], route.vertices[1:], route.attribute("key"), strict=True))
print(f"{route.length:.1f} s:", [streets.edges[step]["name"] for step in steps][:3])
back = graph.to_networkx(multigraph=True)  # the same edges, which have the attribute weight as well
same = all(back.edges[edge].items() >= streets.edges[edge].items() for edge in streets.edges)
print(back, "equal" if same and {*back.edges} == {*streets.edges} else "different")
