"""Isochrones of three clinics in Monaco: within one, two and three minutes by car of the nearest.

Run it with `python examples/isochrones.py`; it writes clinics.png and clinics.geojson into the
current folder. The map is made of OpenStreetMap data, © OpenStreetMap contributors.
"""

from pathlib import Path

import pandas as pd

import warpath as wp

data = Path(__file__).parent / "data"
roads = pd.read_csv(data / "monaco_roads.csv")
clinics = pd.read_csv(data / "monaco_clinics.csv")

# A vertex for each junction, at the coordinates that the roads give for their ends.
streets = wp.Graph.from_labelled_edges(
    roads["from"],
    roads["to"],
    roads["seconds"],
    unit="s",
    attribution="© OpenStreetMap contributors",
)
starts = roads[["from", "from_lon", "from_lat"]].to_numpy()
ends = roads[["to", "to_lon", "to_lat"]].to_numpy()
junctions = {int(name): (lon, lat) for name, lon, lat in [*starts, *ends]}
streets = streets.with_coordinates([junctions[name] for name in streets.labels.tolist()])

# One search from all clinics; reverse=True measures the way of a patient to a clinic.
places = [wp.Place(lon, lat) for lon, lat in zip(clinics["lon"], clinics["lat"], strict=True)]
near = wp.within(streets, places, [60, 120, 180], reverse=True)
print(near.plan.notes[-1])
print(near)

names = {snap.vertex: name for snap, name in zip(near.snapped, clinics["name"], strict=True)}
near.plot(
    "clinics.png",
    title="Within one, two and three minutes of a clinic",
    source=[names[vertex] for vertex in near.sources.tolist()],
)
outlines = near.to_geodataframe()  # a polygon around the streets for each cutoff
outlines["minutes"] = outlines["cutoff"] / 60
outlines.to_file("clinics.geojson", driver="GeoJSON")
print(outlines[["minutes", "vertices", "resolution"]].round(1))
