"""Roads from a frame of edges and a frame of nodes, and back, without losing a column.

Run it with `python examples/two_frames.py`; it writes monaco.gpkg into the current folder.
"""

from pathlib import Path

import pandas as pd

import warpath as wp

roads = pd.read_csv(Path(__file__).parent / "data" / "monaco_roads.csv")
ends = [roads[[end, f"{end}_lon", f"{end}_lat"]].set_axis(["id", "lon", "lat"], axis=1)
        for end in ("from", "to")]  # fmt: skip
nodes = pd.concat(ends).drop_duplicates("id").sort_values("id")
edges = roads[["from", "to", "seconds"]].assign(row=range(len(roads)))

names = {"source": "from", "target": "to", "weight": "seconds"}
graph = wp.Graph.of(edges, nodes=nodes, **names, attributes=["row"])
route = wp.path(graph, 21911863, 25239325)
print(f"{route.length:.1f} s over the rows {route.attribute('row').tolist()}")

wp.write(graph, "monaco.gpkg")
back = wp.read("monaco.gpkg")
print(back, wp.path(back, 21911863, 25239325).length == route.length)
