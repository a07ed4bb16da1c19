"""The minutes and kilometres of ten thousand trips between junctions of an OpenStreetMap extract.

Run it with `python examples/trips_km_minutes.py monaco.osm.gz`; it writes trips_km_minutes.csv into
the current folder.
"""

import sys

import numpy as np

import warpath as wp

streets = wp.read(sys.argv[1] if len(sys.argv) > 1 else "monaco.osm.gz", weight="seconds")
origins, destinations = np.random.default_rng(0).choice(streets.labels, (2, 10_000))

# The fastest routes, and the metres along them.
trips = wp.prepare(streets).pairs(origins, destinations)
table = trips.to_pandas(along=["length"])
table.insert(0, "trip_id", [f"trip {number}" for number in range(1, len(trips) + 1)])
table["minutes"] = (table.pop("distance") / 60).round(1)
table["km"] = (table.pop("length") / 1000).round(2)
table.to_csv("trips_km_minutes.csv", index=False)
print(
    f"{len(trips):,} trips, {trips.reached.sum():,} with a path: {table['km'].mean():.2f} km each"
)
