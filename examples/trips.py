"""Ten thousand trips in Rome: prepare the roads once, save them, load them and ask.

Run it with `python examples/trips.py`; it writes rome.wph into the current folder.
"""

from pathlib import Path

import numpy as np

import warpath as wp

roads = wp.read(Path(__file__).parent / "data" / "rome99.gr.xz")

# Done once. The file holds the roads and their hierarchy, and is loaded in milliseconds.
wp.prepare(roads).save("rome.wph")
city = wp.load("rome.wph")

# Trip i goes from origins[i] to destinations[i].
origins, destinations = np.random.default_rng(0).integers(0, roads.n, (2, 10_000))
trips = city.pairs(origins, destinations)
print(f"{len(trips):,} trips: mean {trips.dist.mean():,.0f}, longest {trips.dist.max():,}")
print(trips.plan.headline())

# All distances from 100 depots to 50 shops.
table = city.distances(origins[:100], destinations[:50])
print("{} depots, {} shops:".format(*table.shape), wp.verify(roads, table))

# The way of the first trip.
print(trips.route(0))
