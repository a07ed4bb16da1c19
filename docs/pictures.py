"""Draw the pictures of the start page, the quick start, the tutorial and other pages.

``python docs/pictures.py [monaco.osm.gz [USA-road-d.NY.gr.gz]]``. Without these files the pictures
of Monaco and New York stay. The coordinates of New York are next to its roads.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

import warpath as wp

DOCS = Path(__file__).parent
PICTURES = DOCS / "pictures"
#: Pictures are drawn here and then moved: a source distribution that is packed meanwhile takes
#: every file of docs/, and it fails where one of them changes or vanishes.
DRAWN = DOCS.parent / "build" / "pictures"
TIMES = DOCS / "benchmarks" / "h100.jsonl"
#: The graphs of the picture of published variants, with their names there.
GRAPHS = {"NY": "roads of New York", "rmat 18 16": "R-MAT 18, like a social network"}


def town() -> None:
    """Draw the route of the quick start."""
    graph = wp.generate.road(2000)
    wp.path(graph, 0, 923).plot(DRAWN / "town-route.png", dpi=100)


def raster() -> None:
    """Draw the accumulated costs and the route of the page about rasters."""
    from matplotlib import pyplot as plt

    y, x = np.mgrid[:300, :400] / 40
    cost = 1 + 4 * (np.sin(3 * x) * np.cos(2 * y) + 1)
    cost[100:220, 200] = np.inf
    paths = wp.sssp(wp.Graph.of_raster(cost), (150, 50))
    figure, axes = plt.subplots(figsize=(7, 4.4))
    image = axes.imshow(paths.to_raster())
    axes.contour(paths.to_raster(), 12, colors="white", linewidths=0.5)
    rows, columns = paths.path_to((150, 390)).cells
    axes.plot(columns, rows, color="crimson", linewidth=2)
    figure.colorbar(image, label="accumulated cost")
    figure.savefig(DRAWN / "raster.png", dpi=80, bbox_inches="tight")
    plt.close(figure)


def monaco(path: str) -> None:
    """Draw the route and the isochrones of the tutorial."""
    streets = wp.read(path, weight="seconds")
    station, casino = streets.nearest_vertex([7.4192, 7.4279], [43.7384, 43.7393]).tolist()
    route = wp.path(streets, station, casino)
    route.plot(
        DRAWN / "monaco-route.png",
        title="Station to casino",
        ends=("station", "casino"),
        dpi=100,
    )
    near = wp.within(streets, station, [60, 120, 180])
    near.plot(
        DRAWN / "monaco-minutes.png",
        title="By car from the station",
        source="station",
        dpi=100,
    )

    city = wp.read(path, weight="metres", restricted="open")
    busy = wp.centrality.betweenness(city)
    title = "Monaco's busiest streets"
    busy.plot(DRAWN / "monaco-streets.png", title=title, theme="dark", dpi=110)


def new_york(path: str) -> None:
    """Draw the roads of New York by the shortest paths over them."""
    roads = wp.read(path, coordinates=path.replace(".gr", ".co"))
    busy = wp.centrality.betweenness(roads, k=200, seed=1)
    title = "New York's busiest roads"
    busy.plot(DRAWN / "new-york-streets.webp", title=title, theme="dark", dpi=120)


def papers() -> None:
    """Draw the times of each published GPU variant on two graphs."""
    from matplotlib import pyplot as plt

    lines = map(json.loads, TIMES.read_text(encoding="utf-8").splitlines())
    times = {
        (line["recipe"], line["graph"]): line["ms"]
        for line in lines
        if line["study"] == "catalogue" and line["graph"] in GRAPHS and "ms" in line
    }
    names = [
        recipe.name
        for recipe in wp.algorithms()
        if "cuda" in recipe.devices and all((recipe.name, graph) in times for graph in GRAPHS)
    ]
    figure, axes = plt.subplots(figsize=(9, 0.24 * len(names) + 1.2), layout="constrained")
    for marker, (graph, title) in zip("os", GRAPHS.items(), strict=True):
        values = [times[name, graph] for name in names]
        axes.scatter(values, range(len(names)), marker=marker, label=title, zorder=2)
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlabel("milliseconds for one source on an H100")
    axes.grid(axis="x", color="0.9", zorder=0)
    axes.grid(axis="y", color="0.95", zorder=0)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.06), ncols=2, frameon=False)
    figure.savefig(DRAWN / "papers.png", dpi=100)


def traffic() -> None:
    """Draw the animation of a day of traffic: the travel times from one vertex, repaired.

    Streets near the centre are slower in the rush hours. Every quarter of an hour each street gets
    the weight of that time, and a frame is drawn every hour.
    """
    from matplotlib import pyplot as plt
    from matplotlib.animation import FuncAnimation, PillowWriter
    from matplotlib.collections import LineCollection

    city = wp.generate.road(2_000, seed=1)
    source = 700
    live = wp.DynamicPaths(city, source, threads=1)
    src, dst, free = city.edges()
    streets = np.flatnonzero(src < dst)
    places = city.coordinates
    middle = (places[src] + places[dst]) / 2 - places.mean(axis=0)
    central = np.exp(-((middle / places.std(axis=0)) ** 2).sum(axis=1))
    night = float(live.dist.max())
    figure, axes = plt.subplots(figsize=(5.4, 5.4), layout="constrained")
    axes.set_axis_off()
    axes.set_aspect("equal")
    lines = LineCollection(places[np.stack([src, dst], axis=1)[streets]], cmap="viridis_r")
    lines.set_clim(0, 1.6 * night)
    axes.add_collection(lines)
    axes.plot(*places[source], "o", color="black", ms=7)
    axes.autoscale()

    def draw(hour: float) -> None:
        for now in hour + np.arange(0, 1, 0.25):
            rush = np.exp(-((now - 8.5) ** 2)) + np.exp(-((now - 17.5) ** 2) / 2)
            weights = (free[streets] * (1 + 3 * rush * central[streets])).astype(free.dtype)
            live.update((src[streets], dst[streets]), weights)
        ends = live.dist[src[streets]], live.dist[dst[streets]]
        lines.set_array(np.maximum(*ends))
        delay = 1 + 3 * rush * central[streets]
        lines.set_linewidths(0.8 + 0.9 * (delay - 1))
        axes.set_title(
            f"{int(hour):02}:{int(hour % 1 * 60):02}   travel time from the dot", loc="left"
        )

    animation = FuncAnimation(figure, draw, frames=np.arange(24), init_func=lambda: None)
    animation.save(DRAWN / "traffic-day.gif", PillowWriter(fps=4), dpi=56)
    plt.close(figure)


if __name__ == "__main__":
    DRAWN.mkdir(parents=True, exist_ok=True)
    town()
    raster()
    traffic()
    papers()
    if len(sys.argv) > 1:
        monaco(sys.argv[1])
    if len(sys.argv) > 2:
        new_york(sys.argv[2])
    for picture in DRAWN.iterdir():
        picture.replace(PICTURES / picture.name)
