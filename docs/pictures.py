"""Draw the pictures of the start page, the quick start and the tutorial: docs/pictures/*.png.

``python docs/pictures.py [monaco.osm.gz]``. Without that file the pictures of Monaco stay.
"""

from __future__ import annotations

import sys
from pathlib import Path

import warpath as wp

PICTURES = Path(__file__).parent / "pictures"


def town() -> None:
    """Draw the route of the quick start."""
    graph = wp.generate.road(2000)
    wp.path(graph, 0, 923).plot(PICTURES / "town-route.png", dpi=100)


def monaco(path: str) -> None:
    """Draw the route and the isochrones of the tutorial."""
    streets = wp.read(path, weight="seconds")
    station, casino = streets.nearest_vertex([7.4192, 7.4279], [43.7384, 43.7393]).tolist()
    route = wp.path(streets, station, casino)
    route.plot(
        PICTURES / "monaco-route.png",
        title="Station to casino",
        ends=("station", "casino"),
        dpi=100,
    )
    near = wp.within(streets, station, [60, 120, 180])
    near.plot(
        PICTURES / "monaco-minutes.png",
        title="By car from the station",
        source="station",
        dpi=100,
    )


if __name__ == "__main__":
    town()
    if len(sys.argv) > 1:
        monaco(sys.argv[1])
