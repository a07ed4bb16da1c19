"""A day of hourly speeds: the minutes of trips across Monaco in each hour, in one call.

Run it with `python examples/hourly_speeds.py monaco.osm.gz`; it writes hourly_speeds.csv.
"""

import sys

import numpy as np

import warpath as wp

extract = sys.argv[1] if len(sys.argv) > 1 else "monaco.osm.gz"
streets = wp.read(extract, weight="seconds", attributes=["kind"])
main = np.isin(streets.edge_table()["kind"], ["primary", "secondary", "tertiary"])
slower = {7: 1.6, 8: 2.0, 9: 1.4, 16: 1.5, 17: 2.2, 18: 1.8}
day = {
    f"{hour}:00": streets.weights * np.where(main, slower.get(hour, 1.0), 1.0) for hour in range(24)
}
origins, destinations = np.random.default_rng(0).choice(streets.labels, (2, 500))
trips = wp.prepare(streets).scenarios(day).pairs(origins, destinations)
minutes = trips.to_pandas() / 60
minutes.round(1).to_csv("hourly_speeds.csv")
print(minutes.mean(axis=1).round(2).to_string())
