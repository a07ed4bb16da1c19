"""Coordinates that are aligned by label, from every kind of table, or refused."""

from __future__ import annotations

import numpy as np
import pytest

import warpath as wp
from warpath.base.errors import GraphError

IDS, X, Y = ["c", "x", "a", "b"], [3.5, 9.5, 1.5, 2.5], [30.5, 90.0, 10.5, 20.5]
RIGHT = [[2.5, 20.5], [1.5, 10.5], [3.5, 30.5]]


@pytest.fixture
def roads():
    return wp.Graph.of([("b", "a", 1), ("a", "c", 2)])  # labels b, a, c


def frame(pandas, x="x", y="y", ids="id"):
    return pandas.DataFrame({ids: IDS, y: Y, x: X})


@pytest.mark.parametrize(
    "axes", [("x", "y"), ("lon", "lat"), ("Longitude", "Latitude"), ("X_COORD", "Y_COORD"),
             ("stop_lon", "stop_lat")],
)  # fmt: skip
@pytest.mark.parametrize("ids", ["id", "node_id", "osmid", "node", "stop_id", "name"])
def test_a_table_is_aligned_by_its_ids(roads, axes, ids):
    pandas = pytest.importorskip("pandas")
    table = frame(pandas, *axes, ids)
    assert roads.with_coordinates(table).coordinates.tolist() == RIGHT
    assert roads.with_coordinates(table.set_index(ids)).coordinates.tolist() == RIGHT


def test_tables_of_other_libraries_dictionaries_and_series_of_points_are_aligned(roads):
    polars, arrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    pandas, geopandas = pytest.importorskip("pandas"), pytest.importorskip("geopandas")
    shapely = pytest.importorskip("shapely")
    points = [shapely.Point(pair) for pair in zip(X, Y, strict=True)]
    pairs = list(zip(X, Y, strict=True))
    columns = {"id": IDS, "y": Y, "x": X}
    for given in (
        polars.DataFrame(columns),
        arrow.table(columns),
        dict(zip(IDS, pairs, strict=True)),
        dict(zip(IDS, points, strict=True)),
        pandas.Series(pairs, index=IDS),
        geopandas.GeoSeries(points, index=IDS),
        geopandas.GeoDataFrame({"osmid": IDS}, geometry=points),
        geopandas.GeoDataFrame({"x": 0.0}, geometry=points, index=IDS),
        pandas.DataFrame(pairs, index=IDS),
    ):
        assert roads.with_coordinates(given).coordinates.tolist() == RIGHT


def test_an_array_and_a_list_of_points_stay_in_the_order_of_the_vertices(roads):
    shapely = pytest.importorskip("shapely")
    assert roads.with_coordinates(RIGHT).coordinates.tolist() == RIGHT
    points = [shapely.Point(pair) for pair in RIGHT]
    assert roads.with_coordinates(points).coordinates.tolist() == RIGHT


@pytest.mark.parametrize("make", ["table", "tuple", "list", "labelled", "scipy", "constructor"])
def test_every_way_to_make_a_graph_aligns_coordinates(make):
    pandas, sparse = pytest.importorskip("pandas"), pytest.importorskip("scipy.sparse")
    nodes = frame(pandas).set_index("id")
    edges = [("b", "a", 1), ("a", "c", 2)]
    made = {
        "table": lambda: wp.Graph.of(
            pandas.DataFrame(edges, columns=["from", "to", "weight"]), coordinates=nodes
        ),
        "tuple": lambda: wp.Graph.of((["b", "a"], ["a", "c"]), coordinates=nodes),
        "list": lambda: wp.Graph.of(edges, coordinates=nodes),
        "labelled": lambda: wp.Graph.from_labelled_edges(["b", "a"], ["a", "c"], coordinates=nodes),
        "scipy": lambda: wp.Graph.of(
            sparse.csr_array((3, 3)), labels=["b", "a", "c"], coordinates=nodes
        ),
        "constructor": lambda: wp.Graph(
            np.array([0, 0, 0, 0]),
            np.empty(0, np.int32),
            labels=["b", "a", "c"],
            coordinates=nodes,
        ),
    }[make]()
    assert made.coordinates.tolist() == RIGHT


def test_the_index_of_a_graph_without_labels_is_its_vertices():
    pandas = pytest.importorskip("pandas")
    roads = wp.Graph.of([(0, 1), (1, 2)])
    table = pandas.DataFrame({"x": [3.0, 1.0, 2.0], "y": [0.0, 0.0, 0.0]}, index=[2, 0, 1])
    assert roads.with_coordinates(table).coordinates[:, 0].tolist() == [1, 2, 3]
    assert roads.with_coordinates(table.reset_index(drop=True)).coordinates[:, 0].tolist() == [
        3,
        1,
        2,
    ]


def test_an_index_left_by_a_filter_is_not_taken_for_ids():
    pandas = pytest.importorskip("pandas")
    roads = wp.Graph.of([(0, 1), (1, 2)])
    table = pandas.DataFrame({"id": [9, 2, 0, 1], "x": [9.0, 3.0, 1.0, 2.0], "y": [0.0] * 4})
    assert roads.with_coordinates(table[table.id < 9]).coordinates[:, 0].tolist() == [1, 2, 3]


def test_the_default_index_is_not_taken_for_labels():
    pandas = pytest.importorskip("pandas")
    roads = wp.Graph.of([(1, 2, 1), (2, 3, 1)])  # labels 1, 2, 3
    table = pandas.DataFrame({"x": [9.0, 1.0, 2.0, 3.0], "y": [0.0] * 4})
    with pytest.raises(GraphError, match=r"no column of ids .*rename one to 'id', or give an"):
        roads.with_coordinates(table)
    points = pandas.Series([(9, 0), (1, 0), (2, 0), (3, 0)])
    with pytest.raises(GraphError, match=r"the points have the index 0, 1, .*\.to_list\(\)"):
        roads.with_coordinates(points)
    assert roads.with_coordinates(points[1:].to_list()).coordinates[:, 0].tolist() == [1, 2, 3]


def test_vertices_without_a_row_or_with_two_are_named(roads):
    pandas = pytest.importorskip("pandas")
    table = frame(pandas)
    with pytest.raises(GraphError, match=r"1 of 3 vertices have no coordinates, the first is 'a'"):
        roads.with_coordinates(table[table.id != "a"])
    twice = pandas.concat([table, table[table.id == "b"]])
    with pytest.raises(GraphError, match=r"'b' in several rows: leave one for each vertex"):
        roads.with_coordinates(twice.set_index("id"))
    with pytest.raises(GraphError, match=r"3 of 3 .* There is '7', of type str"):
        wp.Graph.of([(7, 8), (8, 9)], coordinates={"7": (0, 0), "8": (0, 0), "9": (0, 0)})
    with pytest.raises(GraphError, match="row 1 of the coordinates is 'north'"):
        roads.with_coordinates({"a": (0, 0), "b": "north"})


def test_the_remedies_of_unclear_tables_work(roads):
    pandas = pytest.importorskip("pandas")
    table = frame(pandas)
    with pytest.raises(GraphError, match=r"no column of ids .* rename one to 'id'"):
        roads.with_coordinates(
            table.rename(columns={"id": "Kreuzung"}).to_dict("series")
            and pytest.importorskip("polars").DataFrame({"k": IDS, "x": X, "y": Y})
        )
    odd = frame(pandas, "east", "north")
    with pytest.raises(GraphError, match="rename two of them to 'x' and 'y'"):
        roads.with_coordinates(odd)
    renamed = odd.rename(columns={"east": "x", "north": "y"})
    assert roads.with_coordinates(renamed).coordinates.tolist() == RIGHT
    both = table.assign(lon=X, lat=Y)
    with pytest.raises(GraphError, match=r"lon/lat or x/y .* \.drop\(columns=\['x', 'y'\]\)"):
        roads.with_coordinates(both)
    assert roads.with_coordinates(both.drop(columns=["x", "y"])).coordinates.tolist() == RIGHT
    two = table.assign(name=IDS[::-1])
    with pytest.raises(GraphError, match=r"which name other vertices: drop all but one"):
        wp.Graph.of([("a", "b"), ("b", "c")], coordinates=two)


def test_swapped_columns_of_degrees_are_refused_with_the_remedy(roads):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(
        {"lon": [1.3, 1.4, 1.5], "lat": [103.8, 103.9, 104.0]}, index=["a", "b", "c"]
    )
    with pytest.raises(GraphError, match=r"row 0 of column 'lat' is 103.8, beyond 90 degrees") as e:
        roads.with_coordinates(table)
    assert ".rename(columns={'lon': 'lat', 'lat': 'lon'})" in str(e.value)
    right = roads.with_coordinates(table.rename(columns={"lon": "lat", "lat": "lon"}))
    assert right.coordinates[0].tolist() == [103.9, 1.4]


@pytest.mark.parametrize("name", ["nodes.csv", "nodes.tsv", "nodes.parquet", "semicolons.csv"])
def test_a_file_of_coordinates_is_aligned_by_the_ids_of_the_graphs_file(tmp_path, name):
    graph, nodes = tmp_path / "g.gr", tmp_path / name
    graph.write_text("p sp 3 2\na 1 2 5\na 2 3 7\n")
    rows = [
        ("node_id", "lat", "lon"),
        (3, 47.5, 9.3),
        (1, 47.5, 9.1),
        (2, 47.25, 9.2),
        (4, 47.5, 1.5),
    ]
    if name.endswith(".parquet"):
        arrow = pytest.importorskip("pyarrow")
        columns = dict(zip(rows[0], zip(*rows[1:], strict=True), strict=True))
        pytest.importorskip("pyarrow.parquet").write_table(arrow.table(columns), nodes)
    else:
        mark = {"nodes.csv": ",", "nodes.tsv": "\t", "semicolons.csv": ";"}[name]
        text = "\n".join(mark.join(map(str, row)) for row in rows)
        nodes.write_text(text.replace(".", ",") if mark == ";" else text)
    read = wp.read(graph, coordinates=nodes)
    assert read.coordinates.tolist() == [[9.1, 47.5], [9.2, 47.25], [9.3, 47.5]]


def test_a_file_that_lacks_a_vertex_is_named(tmp_path):
    graph, nodes = tmp_path / "g.csv", tmp_path / "nodes.csv"
    graph.write_text("source,target,weight\na,b,2\nb,c,3\n")
    nodes.write_text("id,x,y\na,1,2\nb,1,2\n")
    with pytest.raises(wp.GraphFormatError, match=r"nodes\.csv: .*the first is 'c'"):
        wp.read(graph, coordinates=nodes)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.array(3), r"coordinates has shape \(\), but \(n, 2\) = \(3, 2\) is needed"),
        (np.array("abc"), "coordinates must be numbers"),
        (np.array(None, object), "coordinates must be numbers"),
        ([1, 2, 3], r"shape \(3,\)"),
        (np.zeros((3, 3)), r"shape \(3, 3\)"),
        (np.zeros((3, 2, 1)), r"shape \(3, 2, 1\)"),
        ([[1, 2], [3], [4, 5]], "rows have different lengths"),
        ([[1, 2], None, [4, 5]], "rows have different lengths"),
        (["a", "b", "c"], "coordinates must be numbers"),
        ({"a": (1, 2), "b": "12", "c": (3, 4)}, "row 1 of the coordinates is '12'"),
        ({"a": (1, 2), "b": b"12", "c": (3, 4)}, "row 1 of the coordinates is b'12'"),
        ({"a": {1, 2}, "b": (1, 2), "c": (3, 4)}, r"row 0 of the coordinates is {1, 2}"),
        ({"a": {"x": 1, "y": 2}, "b": (1, 2), "c": (3, 4)}, "row 0 of the coordinates is {'x'"),
        ({"a": 1, "b": (1, 2), "c": (3, 4)}, "row 0 of the coordinates is 1: a point is x and y"),
    ],
)
def test_wrong_shapes_and_kinds_are_named(roads, given, message):
    with pytest.raises(GraphError, match=message):
        roads.with_coordinates(given)


def test_nodes_give_the_vertices_in_their_order():
    pandas = pytest.importorskip("pandas")
    edges = pandas.DataFrame({"source": [5, 3], "target": [3, 9], "weight": [1, 2]})
    nodes = pandas.DataFrame({"id": [9, 7, 5, 3], "x": [90, 70, 50, 30], "y": [0, 1, 2, 3]})
    graph = wp.Graph.of(edges, nodes=nodes)
    assert graph.labels.tolist() == [9, 7, 5, 3]
    assert graph.coordinates.tolist() == [[90, 0], [70, 1], [50, 2], [30, 3]]
    assert wp.path(graph, 5, 9).length == 3
    assert wp.Graph.of(edges, nodes=nodes.set_index("id")).labels.tolist() == [9, 7, 5, 3]
    assert wp.Graph.of(edges.to_dict("list"), nodes=nodes).labels.tolist() == [9, 7, 5, 3]
    with pytest.raises(wp.InputError, match=r"^nodes=.* is for columns"):
        wp.Graph.of({5: [3], 3: [9]}, nodes=nodes)
    counted = nodes.assign(id=[0, 1, 2, 3])
    ends = edges.assign(source=[0, 1], target=[1, 3])
    assert wp.Graph.of(ends, nodes=counted).labels is None
    assert wp.Graph.of(ends, nodes=counted.drop(columns="id")).n == 4


def test_an_end_that_is_not_in_nodes_is_refused():
    pandas = pytest.importorskip("pandas")
    edges = pandas.DataFrame({"source": [5, 3], "target": [3, 9]})
    nodes = pandas.DataFrame({"id": [5, 3], "x": [0, 1], "y": [2, 3]})
    with pytest.raises(
        wp.GraphError, match="1 of 3 ends of edges are not in nodes, the first is 9"
    ):
        wp.Graph.of(edges, nodes=nodes)
    with pytest.raises(wp.GraphError, match="'id' of nodes has 5 in several rows"):
        wp.Graph.of(edges[:1], nodes=pandas.concat([nodes, nodes[:1]]))
    with pytest.raises(wp.GraphError, match="nodes= has the vertices: leave n= out"):
        wp.Graph.of(edges[:1], nodes=nodes, n=2)
    with pytest.raises(wp.GraphError, match="must be a table with ids and coordinates"):
        wp.Graph.of(edges[:1], nodes=[5, 3])
