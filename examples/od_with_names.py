"""A table of minutes with names, from three CSV files: roads, depots and shops with coordinates.

Run it with `python examples/od_with_names.py`; it writes od_with_names.csv into this folder.
"""

from pathlib import Path

import pandas as pd

import warpath as wp

data = Path(__file__).parent / "data"
roads = pd.read_csv(data / "monaco_roads.csv")

# A vertex for each junction, at the coordinates that the roads give for their ends.
streets = wp.Graph.from_labelled_edges(roads["from"], roads["to"], roads["seconds"])
ends = [roads[[end, f"{end}_lon", f"{end}_lat"]].to_numpy().tolist() for end in ("from", "to")]
junctions = {int(name): point for rows in ends for name, *point in rows}
streets = streets.with_coordinates([junctions[name] for name in streets.labels.tolist()])

# The files have the columns name, lon and lat: each row is a place, and gives its name.
depots, shops = pd.read_csv(data / "monaco_depots.csv"), pd.read_csv(data / "monaco_shops.csv")
table = wp.distances(streets, depots, shops)
(table.to_pandas() / 60).round(1).to_csv("od_with_names.csv")
print(table.plan.notes[-1], (table.to_pandas() / 60).round(1), sep="\n")
