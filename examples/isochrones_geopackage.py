"""What clinics of Monaco reach in 1, 2 and 3 minutes by car, as polygons of a GeoPackage.

Run it with `python examples/isochrones_geopackage.py monaco.osm.gz`; it writes isochrones.gpkg and
isochrones.png.
"""

import sys
from pathlib import Path

import geopandas as gpd
import pandas as pd

import warpath as wp

extract = sys.argv[1] if len(sys.argv) > 1 else "monaco.osm.gz"
streets = wp.read(extract, weight="seconds")
clinics = pd.read_csv(Path(__file__).parent / "data" / "monaco_clinics.csv")
cutoffs = [60, 120, 180]

near = wp.within(streets, clinics, cutoffs)
near.save("isochrones.gpkg")
near.plot("isochrones.png", title="By car from a clinic of Monaco")
areas = gpd.read_file("isochrones.gpkg")
hectares = areas.to_crs(areas.estimate_utm_crs()).area / 10_000
print(areas.assign(hectares=hectares.round(1)).drop(columns="geometry").to_string(index=False))
