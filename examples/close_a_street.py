"""What closing a street does to trips across Monaco: before, after, and the trips that change.

Run it with `python examples/close_a_street.py monaco.osm.gz`; it writes close_a_street.csv.
"""

import sys

import numpy as np

import warpath as wp

extract = sys.argv[1] if len(sys.argv) > 1 else "monaco.osm.gz"
streets = wp.read(extract, weight="seconds", attributes=["street", "length"])
city = wp.prepare(streets)
closed = city.with_changes("Boulevard des Moulins", np.inf)

origins, destinations = np.random.default_rng(0).choice(streets.labels, (2, 2_000))
before, after = (solver.pairs(origins, destinations).to_pandas() for solver in (city, closed))
table = before.assign(closed=after["distance"], longer=after["distance"] - before["distance"])
table.sort_values("longer", ascending=False).to_csv("close_a_street.csv", index=False)
print(
    f"{(table['longer'] > 0).sum():,} of {len(table):,} trips take longer, "
    f"{table['longer'].max():.0f} s at most; {after['distance'].isna().sum():,} have no path, "
    f"{before['distance'].isna().sum():,} before"
)
