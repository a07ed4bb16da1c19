"""The fastest way from Schaan's station to Malbun by car, by bicycle and on foot.

Run it with `python examples/car_bike_foot.py liechtenstein-latest.osm.pbf`; the file comes from
https://download.geofabrik.de/europe/liechtenstein.html. It writes a picture and an interactive map
of each route into the current folder: car.png, car.html and so on. The data is © OpenStreetMap
contributors.
"""

import sys

import warpath as wp

extract = sys.argv[1] if len(sys.argv) > 1 else "liechtenstein-latest.osm.pbf"
station, malbun = wp.Place(9.5085, 47.1685), wp.Place(9.6090, 47.1020)

for profile in ("car", "bike", "foot"):
    network = wp.read(extract, profile=profile, weight="seconds")
    route = wp.path(network, station, malbun)
    minutes, kilometres = route.length / 60, route.along("length") / 1000
    print(f"{profile}: {minutes:.0f} min, {kilometres:.1f} km over {len(route.legs)} streets")
    print(route.legs)
    ends = ("Schaan", "Malbun")
    title = f"From Schaan to Malbun: {profile}"
    route.plot(f"{profile}.png", title=title, ends=ends)
    route.save_html(f"{profile}.html", title=title, ends=ends)
