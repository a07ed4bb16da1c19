"""An origin-destination matrix from three CSV files: roads, depots and shops with coordinates.

Run it with `python examples/od_matrix.py`; it writes od_matrix.csv into the current folder.
"""

from pathlib import Path

import pandas as pd

import warpath as wp

data = Path(__file__).parent / "data"
roads = pd.read_csv(data / "monaco_roads.csv")
depots = pd.read_csv(data / "monaco_depots.csv")
shops = pd.read_csv(data / "monaco_shops.csv")

# A vertex for each junction, at the coordinates that the roads give for their ends.
streets = wp.Graph.from_labelled_edges(roads["from"], roads["to"], roads["seconds"])
starts = roads[["from", "from_lon", "from_lat"]].to_numpy()
ends = roads[["to", "to_lon", "to_lat"]].to_numpy()
junctions = {int(name): (lon, lat) for name, lon, lat in [*starts, *ends]}
streets = streets.with_coordinates([junctions[name] for name in streets.labels.tolist()])

# Depots and shops are places: each stands for the point of a street nearest to it.
table = wp.distances(
    streets,
    [wp.Place(lon, lat) for lon, lat in zip(depots["lon"], depots["lat"], strict=True)],
    [wp.Place(lon, lat) for lon, lat in zip(shops["lon"], shops["lat"], strict=True)],
)
print(table.plan.notes[-1])

minutes = pd.DataFrame(table.dist / 60, index=depots["name"], columns=list(shops["name"]))
print(minutes.round(1))
minutes.to_csv("od_matrix.csv")
