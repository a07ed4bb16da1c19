"""Compare networks of OpenStreetMap extracts with those of OSMnx, read from the same file.

``python tools/osmnx_beside.py FILE...`` with osmnx, osmium and warpath installed. OSMnx keeps each
way of an XML file, so the script writes a file with the ways that OSMnx's own filter selects, and
one with those of them that warpath uses too ("common ways", read without barriers). Both networks
are then simplified by OSMnx, so that their vertices are the same kind of junctions.
"""

from __future__ import annotations

import re
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import osmium
import osmnx
from osmnx._overpass import _get_network_filter

import warpath as wp

NETWORKS = {"car": "drive", "bike": "bike", "foot": "walk"}
_CONDITION = re.compile(r'\["([\w:]+)"(?:(!?~)"([^"]*)")?\]')


def selects(conditions: list[tuple[str, str, str]], tags: dict[str, str]) -> bool:
    """Return whether tags meet a filter of Overpass: a key, ~ or !~, a pattern."""
    for key, test, pattern in conditions:
        hit = key in tags and re.search(pattern, tags[key]) is not None
        if (test == "!~") == hit:
            return False
    return True


def selected(extract: str, network: str) -> set[int]:
    """Return the ways that OSMnx's filter selects."""
    conditions = _CONDITION.findall(_get_network_filter(network))
    ways = osmium.FileProcessor(extract, osmium.osm.WAY)
    return {way.id for way in ways if selects(conditions, dict(way.tags))}


def extract_of(extract: str, ways: set[int], file: Path) -> str:
    """Write a file of some ways and their points, and return its name."""
    points = {
        point.ref
        for way in osmium.FileProcessor(extract, osmium.osm.WAY)
        if way.id in ways
        for point in way.nodes
    }
    with osmium.SimpleWriter(str(file), overwrite=True) as writer:
        for item in osmium.FileProcessor(extract):
            if (item.is_node() and item.id in points) or (item.is_way() and item.id in ways):
                writer.add(item)
    return str(file)


def theirs(file: str, network: str) -> osmnx.simplification.nx.MultiDiGraph:
    """Return OSMnx's graph of all ways of a file, not yet simplified."""
    return osmnx.graph_from_xml(
        file, bidirectional=network == "walk", simplify=False, retain_all=True
    )


def ours(extract: str, **options: object) -> osmnx.simplification.nx.MultiDiGraph:
    """Return warpath's graph as OSMnx has graphs, so that OSMnx can simplify it."""
    graph = wp.read(extract, **options)
    assert graph.coordinates is not None
    made = osmnx.simplification.nx.MultiDiGraph(crs="epsg:4326")
    for name, (x, y) in zip(graph.labels.tolist(), graph.coordinates.tolist(), strict=True):
        made.add_node(name, x=x, y=y)
    table = graph.edge_table()
    columns = (table[name].tolist() for name in ("source", "target", "length", "way"))
    for u, v, length, way in zip(*columns, strict=True):
        made.add_edge(u, v, length=length, osmid=way)
    return made


def measured(graph: osmnx.simplification.nx.MultiDiGraph) -> tuple[int, int, float]:
    """Return vertices, edges and the length of all edges in km."""
    simple = osmnx.simplify_graph(graph)
    lengths = [data["length"] for *_, data in simple.edges(data=True)]
    return len(simple), len(lengths), sum(lengths) / 1000


def main(extracts: list[str]) -> None:
    print(f"osmnx {version('osmnx')}, osmium {version('osmium')}, warpath {wp.__version__}")
    print("| extract | network | vertices | edges | km |")
    print("|---|---|---|---|---|")
    for extract in extracts:
        name = Path(extract).name.partition(".")[0].partition("-")[0]
        for profile, network in NETWORKS.items():
            open_all = {"barriers": False}
            used = wp.read(extract, profile=profile, **open_all).edge_table()["way"].tolist()
            with tempfile.TemporaryDirectory() as folder:
                whole = selected(extract, network)
                file = extract_of(extract, whole, Path(folder, "theirs.osm"))
                common = extract_of(extract, whole & set(used), Path(folder, "common.osm"))
                rows = {
                    f"OSMnx {network}": measured(theirs(file, network)),
                    profile: measured(ours(extract, profile=profile)),
                    f"OSMnx {network}, common ways": measured(theirs(common, network)),
                    f"{profile}, common ways": measured(ours(common, profile=profile, **open_all)),
                }
            for what, (n, m, km) in rows.items():
                print(f"| {name} | {what} | {n:,} | {m:,} | {km:,.1f} |")


if __name__ == "__main__":
    main(sys.argv[1:])
