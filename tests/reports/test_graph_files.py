"""Files of graphs in formats other than tables: read as they mean, or refused by name."""

from __future__ import annotations

import contextlib
import gzip
import importlib
import io
import json
import re
import zipfile
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import warpath as wp

DATA = Path(__file__).parent / "data"

#: The modules that remedies use.
MODULES = (
    "geopandas", "igraph", "json", "networkx", "numpy", "pandas", "pathlib", "scipy.io",
    "xml.etree.ElementTree",
)  # fmt: skip


def refusal(path, **options):
    with pytest.raises(wp.GraphFormatError) as caught:
        wp.read(path, **options)
    return str(caught.value)


def remedy_of(message):
    """Return the graph that the call in a message makes."""
    start = re.search(r"wp\.(Graph\.of|read)\(", message)
    assert start, message
    depth, at = 1, start.end()
    while depth:
        depth += {"(": 1, ")": -1}.get(message[at], 0)
        at += 1
    call = message[start.start() : at]
    names = {"wp": wp}
    for module in MODULES:
        if f"{module}." in call:
            importlib.import_module(module)
            root = module.split(".")[0]
            names[root] = importlib.import_module(root)
    with contextlib.chdir(Path(__file__).parent):
        return eval(call, names)  # noqa: S307 - the call is the test's subject


def named_edges(graph):
    table = graph.edge_table()
    ends = (graph.edge_table()[end].tolist() for end in ("source", "target"))
    return sorted(zip(*ends, table["weight"].tolist(), strict=True))


def test_unsigned_integers_of_scipy_are_weights():
    assert wp.read(DATA / "30-unsigned-integer.mtx").weights.tolist() == [4, 5]


def test_unsigned_integers_that_scipy_writes_are_read(tmp_path):
    sparse, scipy_io = importlib.import_module("scipy.sparse"), importlib.import_module("scipy.io")
    matrix = sparse.coo_array(np.array([[0, 2**40], [3, 0]], np.uint64))
    scipy_io.mmwrite(tmp_path / "a.mtx", matrix)
    assert wp.read(tmp_path / "a.mtx").weights.tolist() == [2**40, 3]


def test_another_dimacs_problem_is_named():
    message = refusal(DATA / "31-dimacs-edge.col")
    assert '"p edge" is graph colouring' in message
    assert remedy_of(message).m == 4


def test_lgl_is_named():
    graph = remedy_of(refusal(DATA / "32-lgl.lgl"))
    assert named_edges(graph)[0] == ("a", "b", 3)
    assert graph.m == 6


def test_overpass_json_is_named():
    assert "this is Overpass JSON" in refusal(DATA / "34-overpass.json")


def test_pajek_is_read():
    graph = wp.read(DATA / "35-pajek.net")
    assert named_edges(graph) == [("a", "b", 4), ("b", "c", 5)]
    assert graph.directed


DIRECTED = nx.DiGraph()
DIRECTED.add_weighted_edges_from([("a", "b", 3), ("b", "c", 4)])


def node_link(graph, stream, **changes):
    stream.write(json.dumps({**nx.node_link_data(graph, edges="links"), **changes}).encode())


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a"])
@pytest.mark.parametrize(
    "write",
    [
        nx.write_gml,
        nx.write_graphml,
        nx.write_gexf,
        nx.write_pajek,
        node_link,
        lambda graph, stream: stream.write(json.dumps(nx.cytoscape_data(graph)).encode()),
        lambda graph, stream: stream.write(json.dumps(nx.adjacency_data(graph)).encode()),
    ],
)
def test_files_of_networkx_are_known_by_their_content(tmp_path, write, name):
    stream = io.BytesIO()
    write(DIRECTED, stream)
    (tmp_path / name).write_bytes(stream.getvalue())
    graph = wp.read(tmp_path / name)
    assert named_edges(graph) == [("a", "b", 3), ("b", "c", 4)]
    assert graph.directed


def test_compressed_files_are_read_too(tmp_path):
    stream = io.BytesIO()
    nx.write_graphml(DIRECTED, stream)
    (tmp_path / "a.graphml.gz").write_bytes(gzip.compress(stream.getvalue()))
    assert wp.read(tmp_path / "a.graphml.gz").m == 2


@pytest.mark.parametrize(("write", "name"), [(nx.write_graph6, "a.g6"), (nx.write_sparse6, "a.s6")])
@pytest.mark.parametrize("header", [True, False])
def test_graph6_and_sparse6_are_read(tmp_path, write, name, header):
    write(nx.path_graph(4), tmp_path / name, header=header)
    graph = wp.read(tmp_path / name)
    assert (graph.m, graph.directed) == (6, False)


def test_labels_of_leda_edges_are_weights(tmp_path):
    text = "LEDA.GRAPH\nstring\nint\n-1\n3\n|{a}|\n|{b}|\n|{c}|\n2\n1 2 0 |{4}|\n2 3 0 |{5}|\n"
    (tmp_path / "a.lgr").write_text(text)
    assert named_edges(wp.read(tmp_path / "a.lgr")) == [("a", "b", 4), ("b", "c", 5)]


VERTICES = '*Vertices 3\n1 "a"\n2 "b"\n3 "c"\n'

#: Files that NetworkX reads with a loss, and the message.
LOSSES = {
    "dup.net": ('*Vertices 2\n1 "a"\n2 "a"\n*Arcs\n1 2 4\n', "2 vertices of the file have 1"),
    "lists.net": (VERTICES + "*Arcslist\n1 2 3\n", "not *vertices, *arcslist"),
    "weights.net": (VERTICES + "*Arcs\n1 2 x\n", 'expected lines of "<from> <to> <weight>"'),
    "beyond.net": (VERTICES + "*Arcs\n1 4 2\n", "3 vertices of the file have 4"),
    "parallel.lgr": (
        "LEDA.GRAPH\nvoid\nint\n-1\n2\n|{}|\n|{}|\n2\n1 2 0 |{4}|\n1 2 0 |{5}|\n",
        "the file has 2 vertices and 2 edges, but NetworkX reads 2 and 1",
    ),
    "twice.gml": (
        "graph [ node [ id 0 label 7 ] node [ id 1 label 7 ] edge [ source 0 target 1 ] ]",
        "several nodes have the label 7",
    ),
    "value.gml": (
        "graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 value 3 ] ]",
        "no edge has the attribute 'weight', but edges have 'value': choose weight='value'",
    ),
    "some.gml": (
        (
            "graph [ node [ id 0 ] edge [ source 0 target 0 weight 3 ] edge [ source 0 target 0 ] "
            "multigraph 1 ]"
        ),
        "1 of 2 edges have no attribute 'weight'",
    ),
    "text.gml": (
        'graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 weight "3 km" ] ]',
        "'weight' of the edge 0 -> 1",
    ),
    "two.g6": ("A_\nA_\n", "the file holds 2 graphs"),
    "d3.json": (
        '{"nodes": [{"name": "a"}], "links": [{"source": 0, "target": 0}]}',
        'a node has no "id"',
    ),
    "undirected.json": (
        '{"nodes": [{"id": "a"}], "links": [{"source": "a", "target": "a"}]}',
        "give directed=",
    ),
    "route.json": ('{"code": "Ok", "routes": []}', "a response of a routing service"),
}


@pytest.mark.parametrize("name", LOSSES)
def test_what_networkx_would_lose_is_refused(tmp_path, name):
    content, message = LOSSES[name]
    (tmp_path / name).write_text(content)
    assert message in refusal(tmp_path / name)


@pytest.mark.parametrize("arcs_first", [True, False])
def test_arcs_and_edges_of_pajek_are_read_from_one_file(tmp_path, arcs_first):
    sections = ["*Arcs\n1 2 4\n", "*Edges\n2 3 5\n"]
    text = VERTICES + "".join(sections if arcs_first else sections[::-1])
    (tmp_path / "a.net").write_text(text)
    edges = [("a", "b", 4), ("b", "c", 5), ("c", "b", 5)]
    assert named_edges(wp.read(tmp_path / "a.net")) == edges


def test_lists_of_arcs_of_pajek_are_read_by_the_remedy(tmp_path):
    (tmp_path / "a.net").write_text(LOSSES["lists.net"][0])
    assert remedy_of(refusal(tmp_path / "a.net")).m == 2


def test_a_json_file_can_be_given_its_direction(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(LOSSES["undirected.json"][0])
    assert wp.read(path, directed=True).directed
    with path.open("wb") as stream:
        node_link(DIRECTED, stream)
    assert "directed = True: leave directed= out" in refusal(path, directed=False)


def test_another_attribute_is_the_weight_on_request(tmp_path):
    (tmp_path / "a.gml").write_text(LOSSES["value.gml"][0])
    assert wp.read(tmp_path / "a.gml", weight="value").weights.tolist() == [3, 3]
    assert wp.read(tmp_path / "a.gml", weight=None).weights is None


#: Files that are refused by name: their content, the format's name, and the edges by the remedy.
OTHERS = {
    "a.dl": (
        "dl n=3\nformat = edgelist1\nlabels:\na,b,c\ndata:\n1 2 4\n2 3 5\n",
        "UCINET DL",
        [("a", "b", 4), ("b", "c", 5)],
    ),
    "dl.txt": ("DL n=2\nformat = edgelist1\ndata:\n1 2\n", "UCINET DL", [(0, 1, 1)]),
    "lgl.txt": ("# a\nb 3\n# b\nc 5\n", "LGL", None),
    "a.adjlist": ("1 2 3\n2 3\n", "an adjacency list", None),
    "a.sif": ("a pp b\nb pp c\n", "SIF", [("a", "b", 1), ("b", "c", 1)]),
    "edges.txt": ("a b {'weight': 3}\n", "NetworkX edge list", [("a", "b", 3), ("b", "a", 3)]),
    "rows.json": ('[{"source": 1, "target": 2, "weight": 3}]', "JSON", [(1, 2, 3)]),
    "rows.txt": (
        '{"source": 1, "target": 2, "weight": 3}\n{"source": 2, "target": 3, "weight": 4}\n',
        "JSON",
        [(1, 2, 3), (2, 3, 4)],
    ),
    "neighbours.json": ('{"a": {"b": 3}}', "JSON", [("a", "b", 3)]),
    "net.xml": (
        (
            '<?xml version="1.0"?>\n<!-- a b -->\n<net><edge id=":x"/>'
            '<edge from="a" to="b"><lane length="3.5"/></edge></net>'
        ),
        "SUMO",
        [("a", "b", 3.5)],
    ),
    "network.xml": (
        (
            '<?xml version="1.0"?>\n<!DOCTYPE network SYSTEM "http://x/network_v2.dtd">\n<network>'
            '<links><link id="1" from="a" to="b" length="10"/></links></network>'
        ),
        "MATSim",
        [("a", "b", 10)],
    ),
    "flow.max": ("c x\np max 2 1\nn 1 s\na 1 2 5\n", "maximum flow", [(1, 2, 5)]),
    "a.gr": ("p tw 3 2\n1 2\n2 3\n", "treewidth", None),
    "a.asn": ("p asn 2 1\nn 1\na 1 2 5\n", "assignment", [(1, 2, 5)]),
    "dense.mtx": (
        "%%MatrixMarket matrix array real general\n2 2\n0\n0\n3\n0\n",
        '"array" matrices',
        [(0, 1, 3)],
    ),
    "negated.mtx": (
        "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n",
        '"skew-symmetric" matrices',
        [(0, 1, -3), (1, 0, 3)],
    ),
    "complex.mtx": (
        "%%MatrixMarket matrix coordinate complex general\n2 2 1\n2 1 3 4\n",
        '"complex" matrices',
        [(1, 0, 5)],
    ),
    "hermitian.mtx": (
        "%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 1 3 4\n",
        '"complex" matrices',
        [(0, 1, 5), (1, 0, 5)],
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_format_that_is_not_read_is_named_and_its_remedy_works(tmp_path, name):
    content, title, edges = OTHERS[name]
    (tmp_path / name).write_text(content)
    message = refusal(tmp_path / name)
    assert title in message
    graph = remedy_of(message)
    if edges is not None:
        assert named_edges(graph) == edges


def test_files_of_other_libraries_are_named_and_their_remedies_work(tmp_path):
    geopandas, shapely = importlib.import_module("geopandas"), importlib.import_module("shapely")
    lines = geopandas.GeoDataFrame(
        {"u": [1], "v": [2], "length": [3]},
        geometry=[shapely.LineString([(0, 0), (1, 1)])],
        crs=4326,
    )
    lines.to_file(tmp_path / "a.shp")
    lines.to_file(tmp_path / "a.fgb", driver="FlatGeobuf")
    np.save(tmp_path / "a.npy", np.array([[0, 3], [0, 0]]))
    pd.DataFrame({"source": [1], "target": [2], "weight": [3]}).to_feather(tmp_path / "a.feather")
    for name, title in {
        "a.shp": "a Shapefile",
        "a.fgb": "FlatGeobuf",
        "a.npy": "NumPy",
        "a.feather": "Arrow",
    }.items():
        (tmp_path / f"{name}.txt").write_bytes((tmp_path / name).read_bytes())
        assert title in refusal(tmp_path / f"{name}.txt")
        assert remedy_of(refusal(tmp_path / name)).weights.tolist() == [3]
    assert "a part of a Shapefile" in refusal(tmp_path / "a.shx")


def test_tracks_and_placemarks_are_named_and_their_remedies_work(tmp_path):
    (tmp_path / "a.gpx").write_text(
        '<?xml version="1.0"?>\n<gpx version="1.1" creator="x" '
        'xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg><trkpt lat="0" lon="0"/>'
        '<trkpt lat="0" lon="1"/></trkseg></trk></gpx>'
    )
    (tmp_path / "a.kml").write_text(
        '<?xml version="1.0"?>\n<kml xmlns="http://www.opengis.net/kml/2.2"><Placemark><LineString>'
        "<coordinates>0,0 1,0</coordinates></LineString></Placemark></kml>"
    )
    for name in ("a.gpx", "a.kml"):
        assert remedy_of(refusal(tmp_path / name)).m == 1


def test_archives_of_other_formats_are_named(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", "<workbook/>")
    assert "this is an Excel workbook" in refusal(tmp_path / "a.zip")


def test_adjacency_lists_of_networkx_are_known_by_their_header(tmp_path):
    for write in (nx.write_adjlist, nx.write_multiline_adjlist):
        write(DIRECTED, tmp_path / "a.txt")
        assert "this is an adjacency list" in refusal(tmp_path / "a.txt")


def test_graphviz_files_are_named(tmp_path):
    (tmp_path / "a.txt").write_text("// streets\nstrict digraph G {\n a -> b [weight=3];\n}\n")
    message = refusal(tmp_path / "a.txt")
    assert "Graphviz DOT" in message
    pytest.importorskip("pydot")
    assert remedy_of(message).m == 1


def test_an_edge_list_with_comments_of_one_word_is_no_lgl(tmp_path):
    (tmp_path / "a.txt").write_text("# roads\n1 2\n# rails\n2 3\n")
    assert wp.read(tmp_path / "a.txt").m == 2


def test_a_web_page_is_named_in_any_spelling(tmp_path):
    for name in ("a.csv", "a.gr", "a.json", "a.gml"):
        (tmp_path / name).write_text("\n\n<HTML><body>404</body></HTML>\n")
        assert "a web page: was the download link a page?" in refusal(tmp_path / name)


def test_geojson_is_read_from_one_line_for_each_feature_and_compressed(tmp_path):
    line = (
        '{"type": "Feature", "properties": {"u": 1, "v": 2, "length": 3}, "geometry": '
        '{"type": "LineString", "coordinates": [[0, 0], [1, 1]]}}\n'
    )
    (tmp_path / "a.geojsonl").write_text(line * 2)
    assert wp.read(tmp_path / "a.geojsonl").m == 2
    whole = f'{{"type": "FeatureCollection", "features": [{line}]}}'
    (tmp_path / "a.geojson.gz").write_bytes(gzip.compress(whole.encode()))
    assert wp.read(tmp_path / "a.geojson.gz").weights.tolist() == [3]
