"""The fastest way of a tall truck that avoids gravel, by an own profile.

Run it with `python examples/truck_profile.py liechtenstein-latest.osm.pbf`; the file comes from
https://download.geofabrik.de/europe/liechtenstein.html. The data is © OpenStreetMap contributors.
"""

import sys

import warpath as wp

extract = sys.argv[1] if len(sys.argv) > 1 else "liechtenstein-latest.osm.pbf"
tall = {
    "base": "truck",
    "size": {"maxheight": 4.2, "maxweight": 44},
    "speeds": {"residential": 15, "track": 0},
    "factors": {"surface": {"gravel": 0.3, "ground": 0}},
}
station, malbun = wp.Place(9.5085, 47.1685), wp.Place(9.6090, 47.1020)
for name, profile in {"car": "car", "truck": "truck", "tall truck": tall}.items():
    route = wp.path(wp.read(extract, profile=profile, weight="seconds"), station, malbun)
    print(f"{name}: {route.length / 60:.0f} min, {route.along('length') / 1000:.1f} km")
