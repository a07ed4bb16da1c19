"""Graphs come back equal from every format that holds them: weights, columns, units, sources."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import warpath as wp
from warpath.graph.edge_geometry import Shapes
from warpath.graph.input_edges import InputEdges

pytest.importorskip("geopandas", reason="geometry needs warpath[geo]")
pytest.importorskip("pyarrow", reason="Parquet needs warpath[io]")

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=6)
COLUMNS = {
    "int16": st.integers(-(2**15), 2**15 - 1),
    "int64": st.integers(-(2**53), 2**53),
    "float32": st.floats(width=32, allow_infinity=False),
    "float64": st.floats(allow_infinity=False),
    "bool": st.booleans(),
    "str": TEXTS,
}
NAMES = st.sampled_from(
    ["street", "Street", "kind", "length", "weight", "id", "fid", "geometry", "key"]
)
DEGREES = st.floats(-80, 80)


@st.composite
def graphs(draw):
    """Return a graph with attributes of all kinds."""
    n = draw(st.integers(1, 6))
    ends = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    edges = np.array(draw(st.lists(ends, min_size=1, max_size=8)))
    dtype = draw(st.sampled_from([None, "int32", "int64", "float32", "float64"]))
    lengths = st.integers(0, 1000) if dtype in {"int32", "int64"} else st.floats(0, 1e6, width=32)
    rows = st.lists(lengths, min_size=len(edges), max_size=len(edges))
    weights = None if dtype is None else np.array(draw(rows), dtype)
    names = draw(st.sampled_from([st.integers(-50, 2**40), TEXTS.filter(len)]))
    labels = draw(st.none() | st.lists(names, min_size=n, max_size=n, unique=True))
    points = draw(st.lists(st.tuples(DEGREES, DEGREES), min_size=n, max_size=n))
    graph = wp.Graph.from_edges(
        *edges.T,
        weights,
        n=n,
        directed=draw(st.booleans()),
        labels=labels,
        id_base=0 if labels else draw(st.sampled_from([0, 1])),
        coordinates=points,
        unit=draw(st.sampled_from([None, "s", "m", "euro"])),
        attribution=draw(st.none() | TEXTS),
        keep_rows=True,
    )
    columns, units = {}, {}
    for name in draw(st.lists(NAMES, unique=True, max_size=3)):
        kind = draw(st.sampled_from([*COLUMNS]))
        values = draw(st.lists(COLUMNS[kind], min_size=len(edges), max_size=len(edges)))
        columns[name] = np.array(values, kind)
        if draw(st.booleans()):
            units[name] = "m"
    graph.given = InputEdges(graph.given.rows, len(edges), columns, units)
    if draw(st.booleans()):
        inner = [[(u + v) / 2 + 0.5, u] for u, v in points[: graph.m]]
        counts = np.minimum(np.arange(graph.m + 1), len(inner))
        graph = wp.Graph(
            graph.indptr,
            graph.indices,
            graph.weights,
            shapes=Shapes(counts, inner, "EPSG:4326"),
            **{name: getattr(graph, name) for name in ATTRIBUTES},
            given=graph.given,
            coordinates=points,
            labels=labels,
        )
    return graph


ATTRIBUTES = ("directed", "id_base", "unit", "attribution")


def assert_equal(back, graph):
    """Compare all that a file holds; the kept columns edge by edge."""
    assert back.n == graph.n
    assert back.indptr.tolist() == graph.indptr.tolist()
    assert back.indices.tolist() == graph.indices.tolist()
    assert (back.weights is None) == (graph.weights is None)
    assert back.weight_dtype == graph.weight_dtype
    assert back._solver_weights.tolist() == graph._solver_weights.tolist()
    for name in ATTRIBUTES:
        assert getattr(back, name) == getattr(graph, name), name
    assert (back.labels is None) == (graph.labels is None)
    if graph.labels is not None:
        assert back.labels.tolist() == graph.labels.tolist()
    assert_same_units_and_types(back, graph)
    for name in graph.given.columns:
        np.testing.assert_array_equal(back.given.column(name), graph.given.column(name))


def assert_same_units_and_types(back, graph):
    """Compare the names, types and units of the kept columns."""
    theirs, ours = ({} if each.given is None else each.given.columns for each in (back, graph))
    assert [*theirs] == [*ours]
    for name, column in theirs.items():
        assert column.dtype.kind == ours[name].dtype.kind
        assert column.dtype.kind == "U" or column.dtype == ours[name].dtype
    assert ({} if back.given is None else back.given.units) == graph.given.units


def with_geometry(back, graph):
    """Compare coordinates and the points of edges."""
    np.testing.assert_array_equal(back.coordinates, graph.coordinates)
    assert (back.shapes is None) == (graph.shapes is None)
    if graph.shapes is not None:
        assert back.shapes.indptr.tolist() == graph.shapes.indptr.tolist()
        assert back.shapes.points.tolist() == graph.shapes.points.tolist()
        assert back.shapes.crs == graph.shapes.crs


@pytest.mark.parametrize("suffix", [".gpkg", ".geojson"])
@settings(max_examples=25, deadline=None)
@given(graph=graphs())
def test_a_file_with_geometry_gives_back_the_graph(tmp_path_factory, suffix, graph):
    path = tmp_path_factory.mktemp("files") / f"graph{suffix}"
    wp.write(graph, path)
    back = wp.read(path)
    assert_equal(back, graph)
    with_geometry(back, graph)


@settings(max_examples=25, deadline=None)
@given(graph=graphs())
def test_frames_of_edges_and_nodes_give_back_the_graph(graph):
    edges, nodes = graph.to_geopandas()
    back = wp.Graph.of(edges, nodes=nodes)
    assert_equal(back, graph)
    with_geometry(back, graph)


def rows_of(graph):
    """Return the edges with all their columns, in an order that does not depend on the vertices."""
    src, dst, weights = graph.edges()
    columns = [graph.label_of(src), graph.label_of(dst), weights]
    if graph.given is not None:
        columns += [graph.given.column(name) for name in sorted(graph.given.columns)]
    return sorted(map(repr, zip(*(column.tolist() for column in columns), strict=True)))


@settings(max_examples=25, deadline=None)
@given(graph=graphs())
def test_a_parquet_file_gives_back_the_edges_and_attributes(tmp_path_factory, graph):
    path = tmp_path_factory.mktemp("files") / "graph.parquet"
    wp.write(graph, path)
    back = wp.read(path)
    assert rows_of(back) == rows_of(graph)
    assert back.weight_dtype == graph.weight_dtype
    assert graph.labels is not None or back.n == graph.n
    for name in ("directed", "unit", "attribution"):
        assert getattr(back, name) == getattr(graph, name), name
    assert_same_units_and_types(back, graph)


@settings(max_examples=25, deadline=None)
@given(graph=graphs())
def test_a_graph_of_networkx_gives_back_the_graph(graph):
    back = wp.Graph.of(graph.to_networkx(geometry=True))
    assert rows_of(back) == rows_of(graph)
    assert back.weight_dtype == graph.weight_dtype
    assert back.label_of(range(back.n)).tolist() == graph.label_of(range(graph.n)).tolist()
    assert back.coordinates.tolist() == graph.coordinates.tolist()
    for name in ATTRIBUTES:
        assert getattr(back, name) == getattr(graph, name), name
    assert_same_units_and_types(back, graph)
    if graph.directed and graph.shapes is not None and len(graph.shapes.points):
        points = np.unique(graph.shapes.points, axis=0)
        assert np.unique(back.shapes.points, axis=0).tolist() == points.tolist()


def test_a_csv_file_gives_back_the_columns(tmp_path):
    data = {"source": ["a", "b"], "target": ["b", "c"], "street": ["High", ""], "km": [1.5, 2.0]}
    graph = wp.Graph.of(data, weight="km", attributes="all", keep_rows=True)
    wp.write(graph, tmp_path / "x.csv")
    assert rows_of(wp.read(tmp_path / "x.csv", attributes="all")) == rows_of(graph)


def test_an_edited_file_is_read_as_it_is(tmp_path):
    import geopandas

    graph = wp.Graph.of(
        [(0, 1, 2), (1, 2, 3)], directed=False, coordinates=[[0, 0], [1, 0], [2, 1]]
    )
    wp.write(graph, tmp_path / "x.gpkg")
    frame = geopandas.read_file(tmp_path / "x.gpkg", layer="edges")
    edges, nodes = graph.to_geopandas()
    assert len(frame) == 4
    one_way = wp.Graph.of(edges[:-1], nodes=nodes)
    assert one_way.directed
    assert one_way.read_report == {"edges of an undirected graph without their reverse": "directed"}
    slower = wp.Graph.of(edges.assign(weight=edges.weight / 4), nodes=nodes)
    assert (slower.directed, slower._solver_weights.tolist()) == (False, [0.5, 0.5, 0.75, 0.75])
    assert wp.Graph.of(edges, nodes=nodes, directed=True).directed
    plain = wp.Graph.of(edges.drop(columns="weight"), nodes=nodes, weight=None)
    assert plain.weights is None


def test_damaged_metadata_are_refused():
    edges, _ = wp.Graph.of([(0, 1)], coordinates=[[0, 0], [1, 0]]).to_geopandas()
    edges.attrs["warpath"] = '{"n": -1}'
    with pytest.raises(wp.GraphError, match="metadata 'warpath' are damaged"):
        wp.Graph.of(edges)
    assert wp.Graph.of(edges, source="source", target="target").n == 2


def test_labels_that_count_the_vertices_stay_labels():
    graph = wp.Graph.from_edges([0], [1], labels=[0, 1], coordinates=[[0, 0], [1, 0]])
    edges, nodes = graph.to_geopandas()
    assert wp.Graph.of(edges, nodes=nodes).labels.tolist() == [0, 1]
