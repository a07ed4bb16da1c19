"""Further inputs of the reported kinds: names, missing values, marks, matrices, JSON."""

from __future__ import annotations

import gzip
import json
import pathlib
import re

import geopandas as gpd
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import shapely

import warpath as wp


@pytest.fixture
def file(tmp_path):
    """A function that writes a file and returns its path."""

    def written(text, name="roads.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return written


def edges_of(graph):
    table = graph.edge_table()
    columns = (table[name].tolist() for name in ("source", "target", "weight"))
    return list(zip(*columns, strict=True))


def refusal(path, **options):
    with pytest.raises(wp.GraphFormatError) as caught:
        wp.read(path, **options)
    return str(caught.value)


def remedy_of(message):
    """Return the graph of the call at the end of a message."""
    call = message[message.index("wp.Graph.of(") :]
    names = {"wp": wp, "pandas": pd, "networkx": nx, "json": json, "pathlib": pathlib}
    return eval(call, names)  # noqa: S307 - the call is the test's subject


@pytest.mark.parametrize(
    ("text", "name", "edges"),
    [
        ("source,target,weight\n007,7,3\n", "a.csv", [("007", "7", 3)]),
        ('source,target,weight\n"02139","10001",3\n', "a.csv", [("02139", "10001", 3)]),
        ("from,to,w\n10001,02139,3\n", "a.csv", [("10001", "02139", 3)]),
        ("from,to\n2,1\n1,02\n", "a.csv", [("2", "1", 1), ("1", "02", 1)]),
        ("007 7 3\n", "a.txt", [("007", "7", 3)]),
        ("7 8\n8 009\n", "a.txt", [("7", "8", 1), ("8", "009", 1)]),
        ("-01,2,3\n2,3,4\n", "a.csv", [("-01", "2", 3), ("2", "3", 4)]),
    ],
)  # fmt: skip
def test_vertices_that_start_with_0_are_names(file, text, name, edges):
    graph = wp.read(file(text, name))
    assert edges_of(graph) == edges
    assert any("starts with 0" in what for what in graph.read_report)


def test_a_0_in_front_of_a_late_vertex_is_refused_in_lists_and_read_in_tables(file):
    rows = [(at, at + 1) for at in range(10, 80)]
    path = file("".join(f"{u} {v}\n" for u, v in rows) + "8 009\n", "a.txt")
    message = refusal(path)
    assert "a.txt:71: a vertex number starts with 0" in message
    assert 'ids="text" reads names, ids="numbers" numbers' in message
    assert wp.read(path, ids="text").labels.tolist()[-2:] == ["8", "009"]
    assert edges_of(wp.read(path, ids="numbers"))[0] == (8, 9, 1)
    table = wp.read(file("".join(f"{u},{v}\n" for u, v in rows) + "8,009\n", "b.csv"))
    assert table.labels.tolist()[-2:] == ["8", "009"]


def test_kept_columns_with_0_in_front_are_texts(file):
    graph = wp.read(file("source,target,weight,zip\n1,2,03,02139\n"), attributes="all")
    assert edges_of(graph) == [(1, 2, 3)]
    assert graph.edge_table()["zip"].tolist() == ["02139"]


def test_digits_of_other_scripts_are_names_and_no_weights(file):
    assert edges_of(wp.read(file("source,target,weight\n\u0661,2,3\n"))) == [("\u0661", "2", 3)]
    assert "weights are numbers" in refusal(file("source,target,weight\n1,2,\u0663\n", "b.csv"))


def test_blanks_in_quotes_belong_to_a_name(file, tmp_path):
    graph = wp.read(file('source,target,weight\n" a","a",3\na,"b ",4\n'))
    assert edges_of(graph) == [(" a", "a", 3), ("a", "b ", 4)]
    assert graph.read_report["names with blanks at their ends, in quotes"] == 2
    wp.write(graph, tmp_path / "again.csv")
    assert edges_of(wp.read(tmp_path / "again.csv")) == edges_of(graph)
    padded = 'source,target,weight\n"  1","  2","  3"\n'
    assert edges_of(wp.read(file(padded, "padded.csv"))) == [(1, 2, 3)]


def test_names_that_are_no_texts_are_cells_of_their_own(tmp_path):
    graph = wp.Graph.of([((0, 0), (0, 1), 2), ((0, 1), (1, 1), 3)])
    wp.write(graph, tmp_path / "grid.csv")
    assert edges_of(wp.read(tmp_path / "grid.csv"))[0] == ("(0, 0)", "(0, 1)", 2)


@pytest.mark.parametrize("word", ["nan", "NaN", "null", "None", "<NA>", "#N/A"])
def test_words_for_a_missing_value_are_no_vertices(file, word):
    for text in (f"source,target,weight\na,{word},1\n", f'source,target,weight\n"a",{word},1\n'):
        path = file(text)
        message = refusal(path)
        assert repr(word) in message
        assert 'ids="text"' in message
        assert edges_of(wp.read(path, ids="text")) == [("a", word, 1)]
    assert wp.read(file(f"a {word}\n{word} b\n", "words.txt")).n == 3


@pytest.mark.parametrize("mark", ["", '"'])
def test_na_is_a_name_that_is_reported(file, mark):
    graph = wp.read(file(f"from,to\n{mark}NA{mark},DE\n"))
    assert graph.labels.tolist() == ["NA", "DE"]
    assert any("'NA'" in what for what in graph.read_report)


@pytest.mark.parametrize("number", ["9223372036854775808", "18446744073709551616"])
def test_integers_beyond_64_bits_are_refused_as_such(file, number):
    for text in (
        f"source,target,weight\n{number},2,3\n",
        f'source,target,weight\n"{number}",2,3\n',
    ):
        path = file(text)
        assert "64 bits" in refusal(path)
        assert edges_of(wp.read(path, ids="text")) == [(number, "2", 3)]
    weights = f'source,target,weight\n1,"2",3\n2,3,{number}\n'
    assert "row 1 of column 'weight'" in (message := refusal(file(weights)))
    assert "with a decimal point" in message
    assert edges_of(wp.read(file(weights.replace(number, f"{number}.0"))))[1][2] == float(number)


def test_a_first_line_of_sizes_is_no_edge(file):
    path = file("4 3\n1 2\n2 3\n3 4\n", "graph.txt")
    message = refusal(path)
    assert "graph.txt:1:" in message
    assert edges_of(wp.read(path, skip_lines=1)) == [(1, 2, 1), (2, 3, 1), (3, 4, 1)]
    assert len(edges_of(wp.read(path, header=False))) == 4
    assert len(edges_of(wp.read(file("4 3\n1 2\n2 3\n3 5\n", "other.txt")))) == 4


@pytest.mark.parametrize(
    "text",
    [
        ",Berlin,Hamburg\nBerlin,0,289\nHamburg,289,0\n",
        ",A,B,C\nA,0,1,2\nB,1,0,3\nC,2,3,0\n",
        "from/to;1;2;3\n1;0;1,5;2\n2;1,5;0;3\n3;2;3;0\n",
        "zone\tx\ty\nx\t\t5\ny\t6\t\n",
    ],
)
def test_matrices_with_names_are_refused_as_such(file, text):
    assert "as in a matrix" in refusal(file(text))


def test_the_remedy_for_a_matrix_reads_it(file):
    graph = remedy_of(refusal(file(",Berlin,Hamburg\nBerlin,0,289\nHamburg,281,0\n")))
    assert edges_of(graph) == [("Berlin", "Hamburg", 289), ("Hamburg", "Berlin", 281)]


@pytest.mark.parametrize(
    ("names", "edges"),
    [(["b", "a"], [("b", "a", 2), ("a", "b", 3)]), (["a", "b"], [("b", "b", 2), ("a", "a", 3)])],
)
def test_a_frame_with_equal_names_of_rows_and_columns_is_a_matrix(names, edges):
    frame = pd.DataFrame([[0, 2], [3, 0]], index=["b", "a"], columns=names)
    with pytest.raises(wp.GraphError, match="as in a matrix") as caught:
        wp.Graph.of(frame)
    call = str(caught.value)[str(caught.value).index("wp.Graph.of(") :]
    graph = eval(call, {"wp": wp, "frame": frame})  # noqa: S307 - the call is the test's subject
    assert edges_of(graph) == edges


def test_an_index_with_names_of_ends_counts_as_columns():
    index = pd.MultiIndex.from_tuples([(10, 20, 0), (20, 30, 0)], names=["u", "v", "key"])
    for data in (
        pd.DataFrame({"length": [5.0, 6.0]}, index),
        pd.Series([5.0, 6.0], index, name="length"),
    ):
        assert edges_of(wp.Graph.of(data)) == [(10, 20, 5.0), (20, 30, 6.0)]
    frame = pd.DataFrame({"target": [2, 3]}, pd.Index([1, 2], name="source"))
    assert edges_of(wp.Graph.of(frame)) == [(1, 2, 1), (2, 3, 1)]
    with pytest.raises(wp.GraphError, match=r"reset_index"):
        wp.Graph.of(pd.Series([5.0], [1]))


def test_pairs_of_neighbour_and_weight_are_no_vertices():
    data = {"a": [("b", 5), ("c", 6)], "b": [("c", 7)]}
    with pytest.raises(wp.GraphError, match="tuples") as caught:
        wp.Graph.of(data)
    assert "{u: dict(row) for u, row in data.items()}" in str(caught.value)
    graph = wp.Graph.of({u: dict(row) for u, row in data.items()})
    assert edges_of(graph) == [("a", "b", 5), ("a", "c", 6), ("b", "c", 7)]
    with pytest.raises(wp.GraphError, match="tuples"):
        wp.Graph.of({(0, 1): [3, 4]})
    grid = wp.Graph.of({(0, 0): [(0, 1)], (0, 1): [(0, 0)]})
    assert edges_of(grid) == [((0, 0), (0, 1), 1), ((0, 1), (0, 0), 1)]


def test_empty_points_are_missing_coordinates():
    points = {"a": shapely.Point(1, 2), "b": shapely.Point()}
    graph = wp.Graph.of([("a", "b", 1)], coordinates=points)
    assert graph.coordinates[0].tolist() == [1, 2]
    assert np.isnan(graph.coordinates[1]).all()


@pytest.mark.parametrize(
    ("content", "name", "words"),
    [
        ("source,target\n1,2\n".encode("utf-16-le"), "a.csv", "UTF-16"),
        ("source,target\n1,2\n".encode("utf-16-be"), "a.csv", "UTF-16"),
        ("source,target\n1,2\n".encode("utf-32"), "a.csv", "UTF-32"),
        (b"7z\xbc\xaf\x27\x1c\0\0", "a.7z", "7-Zip"),
        (b"Rar!\x1a\x07\0", "a.rar", "RAR"),
        (b"PK\x05\x06" + bytes(18), "a.zip", "without files"),
        ("<edges><edge id='a' from='1' to='2'/></edges>", "a.edg.xml", "XML"),
        ("<?xml version='1.0'?>\n<routes>\n<vehicle id='1'/></routes>", "a.xml", "XML"),
        ("$VISION\n$VERSION:VERSNR\n10\n$LINK:NO;FROMNODENO\n1;2\n", "a.net", "VISUM"),
        ('{"type":"FeatureCollection","features":[]}', "a.geojson", "no lines"),
    ],
)
def test_other_files_are_named(file, content, name, words):
    assert words in refusal(file(content, name))


def test_text_of_windows_is_read_by_the_remedy(file):
    path = file("source,target,weight\nMünchen,Köln,3\n".encode("cp1252"))
    assert edges_of(remedy_of(refusal(path))) == [("München", "Köln", 3)]


def test_a_name_in_utf_16_markup_is_read(file):
    text = (
        '<?xml version="1.0" encoding="UTF-16"?><graphml '
        'xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="directed">'
        '<node id="ä"/><node id="b"/><edge source="ä" target="b"/></graph></graphml>'
    )
    assert edges_of(wp.read(file(text.encode("utf-16"), "a.graphml"))) == [("ä", "b", 1)]


def test_parallel_edges_of_gml_and_json_are_kept(file):
    gml = "graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 weight 3 ] " * 1
    gml += "edge [ source 1 target 2 weight 4 ] directed 1 ]"
    assert edges_of(wp.read(file(gml, "a.gml"))) == [(1, 2, 3), (1, 2, 4)]
    links = [{"source": "a", "target": "b", "weight": weight} for weight in (3, 9)]
    data = {"directed": True, "nodes": [{"id": "a"}, {"id": "b"}], "links": links}
    for text in (json.dumps(data), json.dumps({**data, "multigraph": False})):
        assert edges_of(wp.read(file(text, "a.json"))) == [("a", "b", 3), ("a", "b", 9)]


def test_gml_nodes_with_one_label_are_named_by_id_on_request(file):
    gml = 'graph [ node [ id 1 label "x" ] node [ id 2 label "x" ] edge [ source 1 target 2 ] ]'
    message = refusal(file(gml, "a.gml"))
    assert "several nodes have the label" in message
    assert edges_of(remedy_of(message))[0] == (1, 2, 1)


def test_positions_of_nodes_in_json_are_no_ids(file):
    data = {"nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": 0, "target": 1}]}
    message = refusal(file(json.dumps(data), "a.json"), directed=True)
    assert 'the end 0, which is the "id" of no node' in message
    assert edges_of(remedy_of(message)) == [(0, 1, 1)]


def test_json_of_cytoscape_has_ids_alone(file):
    elements = {
        "nodes": [{"data": {"id": "7", "name": "x"}}, {"data": {"id": "8"}}],
        "edges": [{"data": {"source": "7", "target": "8", "weight": 2}}],
    }
    text = json.dumps({"data": {"name": "network"}, "elements": elements})
    assert "give directed=" in refusal(file(text, "a.json"))
    assert edges_of(wp.read(file(text, "a.json"), directed=True)) == [("7", "8", 2)]


def test_directions_in_other_words_are_reported(file):
    text = "LINK_ID,REF_IN_ID,NREF_IN_ID,DIR_TRAVEL,LENGTH\n1,10,20,B,5\n2,20,30,F,6\n3,30,40,T,7\n"
    path = file(text)
    assert wp.read(path).read_report == {
        "column 'DIR_TRAVEL' is not used": "oneway='DIR_TRAVEL' reads it"
    }
    both_ways = [(10, 20, 5), (20, 10, 5), (20, 30, 6), (40, 30, 7)]
    assert edges_of(wp.read(path, oneway="DIR_TRAVEL")) == both_ways


def test_directions_of_french_roads_are_read_as_the_report_says(file):
    path = file("SENS;NOEUD_INI;NOEUD_FIN;LENGTH\nDouble sens;1;2;5\nSens inverse;2;3;6\n")
    graph = wp.read(path)
    assert graph.read_report == {"column 'SENS' is not used": "oneway='SENS' reads it"}
    assert edges_of(wp.read(path, oneway="SENS")) == [(1, 2, 5), (2, 1, 5), (3, 2, 6)]


@pytest.mark.parametrize(
    ("header", "ends"),
    [
        ("TLID,TNIDF,TNIDT,LENGTH", (2, 3)),
        ("ID,SENS,NOEUD_INI,NOEUD_FIN,LENGTH", (3, 4)),
    ],
)
def test_further_pairs_of_names_are_known(file, header, ends):
    row = list(range(1, header.count(",") + 2))
    graph = wp.read(file(f"{header}\n{','.join(map(str, row))}\n"))
    assert edges_of(graph) == [(*ends, row[-1])]


def test_the_example_in_a_message_takes_names_that_are_alike(file):
    text = "SEGMENT,LANES,KNOTEN_X,KNOTEN_Y,LENGTH\n1,2,10,20,5\n"
    message = refusal(file(text))
    assert "source='KNOTEN_X', target='KNOTEN_Y', weight='LENGTH'" in message
    call = re.search(r"source='KNOTEN_X'.*'LENGTH'", message)
    graph = eval(f"wp.read(path, {call[0]})", {"wp": wp, "path": file(text)})  # noqa: S307
    assert edges_of(graph) == [(10, 20, 5)]


def test_compressed_text_of_any_suffix_keeps_its_names(file):
    path = file(gzip.compress(b"source,target,weight\n007,008,3\n"), "a.csv.bz2")
    assert edges_of(wp.read(path)) == [("007", "008", 3)]


def test_names_without_their_zeros_get_the_name_with_them(file):
    graph = wp.read(file("from_zip,to_zip,miles\n02139,10001,3\n"), source=0, target=1)
    with pytest.raises(wp.VertexError, match="There is '02139', of type str"):
        wp.path(graph, 2139, "10001")
    places = pd.DataFrame({"id": [2139, 10001], "x": [0, 1], "y": [0, 1]})
    with pytest.raises(wp.GraphError, match="There is 2139, of type int"):
        graph.with_coordinates(places)
    graph = graph.with_coordinates(places.assign(id=["02139", "10001"]))
    assert graph.coordinates.tolist() == [[0, 0], [1, 1]]


def test_tables_of_coordinates_are_read_as_those_of_edges(file):
    graph = file("source,target,weight\n007,7,3\n")
    text = "sep=;\nid;lon;lat;\n007;1,5;2;\n7;;;\n"
    points = wp.read(graph, coordinates=file(text, "places.csv")).coordinates
    assert points[0].tolist() == [1.5, 2.0]
    assert np.isnan(points[1]).all()


@pytest.mark.parametrize("name", ["a.csv", "a.txt"])
def test_infinite_weights_are_counted_and_larger_numbers_refused(file, name):
    graph = wp.read(file("1,2,inf\n2,3,4\n", name))
    assert edges_of(graph) == [(2, 3, 4.0)]
    assert graph.read_report == {"edges of weight inf, left out": 1}
    for text in ("1,2,1e400\n2,3,4\n", '"1","2","1e400"\n'):
        assert "1e400" in (message := refusal(file(text, name)))
        assert "larger than any double" in message
    frame = pd.DataFrame({"source": [1, 2], "target": [2, 3], "weight": [np.inf, 1.0]})
    assert wp.Graph.of(frame).read_report == {"edges of weight inf, left out": 1}


@pytest.mark.parametrize("mark", ["->", "-", "--", "=>"])
def test_a_mark_between_ends_is_no_vertex(file, mark):
    path = file(f"1 {mark} 2\n2 {mark} 3\n", "a.txt")
    assert f"the second column is {mark!r}" in (message := refusal(path))
    assert "columns=(0, 2), weight=None" in message
    assert edges_of(wp.read(path, columns=(0, 2), weight=None)) == [(1, 2, 1), (2, 3, 1)]
    path = file(f"a {mark} b 5\n", "b.txt")
    assert "columns=(0, 2), weight=3" in refusal(path)
    assert edges_of(wp.read(path, columns=(0, 2), weight=3)) == [("a", "b", 5)]


def test_a_quote_that_is_not_closed_below_a_header_is_named(file):
    for row in ('"1,2,3', '"a"b,c,3'):
        assert "a quoted field is not closed" in refusal(file(f"source,target,weight\n{row}\n"))


def test_coordinates_are_no_example_of_ends(file):
    text = "from_lat,from_lon,to_lat,to_lon,distance\n1.5,2,3,4,5\n"
    assert "choose the columns, as with source= and target=." in refusal(file(text))
    assert "source='geometry'" not in refusal(file('geometry,length\n"POINT (0 0)",5\n'))


def test_weights_of_the_opposite_direction_are_reported(file):
    for name in ("length_ba", "length_backward", "reverse_length"):
        graph = wp.read(file(f"from_node,to_node,length,{name}\nA,B,5,6\n"))
        assert graph.read_report == {
            f"column {name!r} is not used": f"reverse_weight={name!r} reads it"
        }
        graph = wp.read(file(f"from_node,to_node,length,{name}\nA,B,5,6\n"), reverse_weight=name)
        assert edges_of(graph) == [("A", "B", 5), ("B", "A", 6)]


def test_weights_of_a_shuffled_series_are_not_taken_by_position():
    graph = wp.Graph.of([("a", "b", 1), ("b", "c", 2)])
    weights = pd.Series([7, 8], index=[1, 0])
    for solve in (graph.with_weights, wp.prepare(graph).with_weights):
        with pytest.raises(wp.GraphError, match="another order than its index"):
            solve(weights)
    assert graph.with_weights(weights.sort_index()).weights.tolist() == [8, 7]
    assert graph.with_weights(weights.to_numpy()).weights.tolist() == [7, 8]


def test_points_of_lines_are_finite():
    line = shapely.LineString([(0, 0), (np.inf, 1)])
    with pytest.raises(wp.GraphError, match="row 1 has a point in its geometry that is not finite"):
        wp.Graph.of(gpd.GeoDataFrame(geometry=[shapely.LineString([(0, 0), (1, 1)]), line]))
