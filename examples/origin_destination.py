"""An origin-destination table of the roads of Rome: distances, routes, areas of the nearest depot.

Run it with `python examples/origin_destination.py`; it writes od.csv into the current folder.
"""

from pathlib import Path

import warpath as wp

roads = wp.read(Path(__file__).parent / "data" / "rome99.gr.xz")
depots, shops = [0, 999, 3352], [499, 1999, 2965]

# All depots to all shops in one call; the searches stop when the shops are reached.
table = wp.distances(roads, depots, shops)
print(table)
print(wp.verify(roads, table))
print(table.path(depots[0], shops[0]))
table.save("od.csv")  # a line for each pair: source, target, distance

# Which depot is the nearest for each vertex, as a van drives; reverse=True is the way to it.
areas = wp.nearest(roads, depots, cutoff=20_000)
print(areas)
for depot in depots:
    print(f"depot {depot}: {int((areas.facility == depot).sum()):,} vertices")
