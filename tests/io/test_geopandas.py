"""Edges with geometry in, routes with geometry out."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

import warpath as wp
from warpath.base.errors import GraphError, WeightError
from warpath.graph.coordinates import great_circle

geopandas = pytest.importorskip("geopandas", reason="geometry needs warpath[geo]")
shapely = pytest.importorskip("shapely")
networkx = pytest.importorskip("networkx")

BEND = [(0, 0), (0, 1), (1, 1)]
SHORT = [(1, 1), (2, 1)]
LONG = [(1, 1), (1.5, 3), (2, 1)]


def frame(lines=(BEND, SHORT), crs=None, **columns):
    shapes = [line and shapely.LineString(line) for line in lines]
    return geopandas.GeoDataFrame(columns, geometry=shapes, crs=crs)


def edges_of(graph):
    src, dst, weights = graph.edges()
    return sorted(zip(src.tolist(), dst.tolist(), weights.tolist(), strict=True))


def test_named_ends_have_their_places_and_the_edges_their_shapes():
    graph = wp.Graph.of(frame(u=["a", "b"], v=["b", "c"], length=[2, 1], lanes=[1, 2]))
    assert graph.labels.tolist() == ["a", "b", "c"]
    assert graph.coordinates.tolist() == [[0, 0], [1, 1], [2, 1]]
    assert edges_of(graph) == [(0, 1, 2), (1, 2, 1)]
    route = wp.path(graph, "a", "c")
    assert route.line.tolist() == [[0, 0], [0, 1], [1, 1], [2, 1]]
    assert route.coordinates.tolist() == [[0, 0], [1, 1], [2, 1]]


def test_the_way_back_runs_along_the_same_shape():
    graph = wp.Graph.of(frame(u=[0, 1], v=[1, 2]), directed=False)
    assert wp.path(graph, 2, 0).line.tolist() == [[2, 1], [1, 1], [0, 1], [0, 0]]
    assert wp.path(graph.reversed(), 2, 0).line.tolist() == [[2, 1], [1, 1], [0, 1], [0, 0]]
    kept = pickle.loads(pickle.dumps(graph))  # noqa: S301 - our own
    assert wp.path(kept, 0, 1).line.tolist() == [[0, 0], [0, 1], [1, 1]]


def test_of_parallel_edges_the_route_takes_the_lightest_and_its_shape():
    graph = wp.Graph.of(frame((LONG, SHORT, LONG), u=[1, 1, 1], v=[2, 2, 2], length=[9, 3, 4]))
    assert wp.path(graph, 1, 2).line.tolist() == [[1, 1], [2, 1]]
    others = graph.with_weights([1.0, np.inf, 2.0])
    assert others.m == 2
    assert wp.path(others, 1, 2).line.tolist() == [[1, 1], [1.5, 3], [2, 1]]


def test_lines_drawn_from_the_other_end_are_turned():
    graph = wp.Graph.of(frame((BEND, SHORT[::-1], [(2, 1), (5, 5)]), u=[0, 1, 2], v=[1, 2, 3]))
    assert graph.coordinates.tolist() == [[0, 0], [1, 1], [2, 1], [5, 5]]
    assert wp.path(graph, 0, 3).line.tolist() == [*map(list, BEND), [2, 1], [5, 5]]


def test_without_names_lines_that_share_an_end_meet():
    graph = wp.Graph.of(frame((BEND, SHORT, [(1 + 1e-9, 1), (7, 7)])))
    assert (graph.n, graph.m, graph.labels) == (5, 3, None)
    close = frame((BEND, SHORT, [(1 + 1e-9, 1), (7, 7)]), crs="EPSG:3857")
    near = wp.Graph.of(close, digits=6, directed=False)
    assert (near.n, near.m) == (4, 6)
    at = near.coordinates.tolist()
    route = wp.path(near, at.index([0, 0]), at.index([7, 7]))
    assert route.length == pytest.approx(2 + np.hypot(6, 6), rel=1e-8)
    assert route.line[-1].tolist() == [7, 7]


def test_weights_are_a_column_or_the_lengths_of_the_lines():
    lines = frame(u=[0, 1], v=[1, 2], time=[7, 8], width=[1, 1])
    assert edges_of(wp.Graph.of(lines)) == [(0, 1, 7), (1, 2, 8)]
    assert edges_of(wp.Graph.of(lines, weight="geometry")) == [(0, 1, 2), (1, 2, 1)]
    assert edges_of(wp.Graph.of(lines.drop(columns="time"))) == [(0, 1, 2), (1, 2, 1)]
    assert edges_of(wp.Graph.of(lines, columns=("u", "v", "width"))) == [(0, 1, 1), (1, 2, 1)]
    assert wp.Graph.of(lines, weight=None).weights is None
    assert edges_of(wp.Graph.of(frame(cost=[4, 5]))) == [(0, 1, 4), (1, 2, 5)]
    assert wp.Graph.of(frame(), weight=None).weights is None
    with pytest.raises(GraphError, match="could be 'length' or 'time'"):
        wp.Graph.of(frame(length=[1, 2], time=[3, 4]))
    with pytest.raises(GraphError, match="no column 'km'"):
        wp.Graph.of(frame(length=[1, 2]), weight="km")
    with pytest.raises(WeightError, match="row 1 of column 'cost' is missing"):
        wp.Graph.of(frame(cost=[1, None]))


def test_longitude_and_latitude_are_measured_on_a_sphere():
    graph = wp.Graph.of(frame(crs="EPSG:4326"))
    corners = np.array(BEND, float)
    assert edges_of(graph)[0][2] == great_circle(corners[:-1], corners[1:]).sum()
    assert edges_of(wp.Graph.of(frame(crs="EPSG:3857")))[0][2] == 2


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        (shapely.Point(0, 0), "a Point"),
        (None, "a NoneType"),
        (shapely.LineString(), "an empty line"),
        (shapely.MultiLineString([BEND, [(5, 5), (6, 6)]]), "a MultiLineString in parts"),
    ],
)
def test_a_row_that_is_no_line_is_named(shape, said):
    lines = geopandas.GeoDataFrame(geometry=[shapely.LineString(BEND), shape])
    with pytest.raises(GraphError, match=f"row 1 has {said}"):
        wp.Graph.of(lines)


def test_parts_that_form_one_line_are_joined():
    parts = shapely.MultiLineString([BEND[:2], BEND[1:]])
    graph = wp.Graph.of(geopandas.GeoDataFrame(geometry=[parts]))
    assert wp.path(graph, 0, 1).line.tolist() == [*map(list, BEND)]


def test_no_rows_make_an_empty_graph():
    assert wp.Graph.of(frame((), u=[], v=[])).n == 0
    assert wp.Graph.of(frame(())).n == 0


@pytest.fixture
def city():
    """A graph as OSMnx makes it."""
    graph = networkx.MultiDiGraph(crs="EPSG:4326", created_with="OSMnx 2.0.1")
    for name, (x, y) in zip((50, 60, 70), [(0, 0.5), (1, 1), (2, 1)], strict=True):
        graph.add_node(name, x=x, y=y)
    bend = shapely.LineString([(0, 0.5), (0, 1), (1, 1)])
    graph.add_edge(50, 60, length=20.5, geometry=bend)
    graph.add_edge(60, 70, length=10.5)
    graph.add_edge(60, 70, length=99, geometry=shapely.LineString(LONG))
    graph.add_edge(60, 50, length=20.5, geometry=bend.reverse())
    return graph


def test_a_graph_of_osmnx_has_shapes_where_its_edges_bend(city):
    graph = wp.Graph.of(city, weight="length")
    route = wp.path(graph, 50, 70)
    assert route.length == 31
    assert route.line.tolist() == [[0, 0.5], [0, 1], [1, 1], [2, 1]]
    assert wp.path(graph, 60, 50).line.tolist() == [[1, 1], [0, 1], [0, 0.5]]
    assert graph.shapes.crs == "EPSG:4326"
    assert (graph.unit, graph.attribution[2:]) == ("m", "OpenStreetMap contributors")
    both = wp.Graph.of(city.to_undirected(), weight="length")
    assert wp.path(both, 70, 50).line.tolist() == [[2, 1], [1, 1], [0, 1], [0, 0.5]]


def test_edges_of_osmnx_as_a_data_frame_are_named_by_their_index(city):
    rows = [
        {
            "u": u,
            "v": v,
            "key": key,
            "osmid": 7,
            "length": data["length"],
            "geometry": data.get("geometry", shapely.LineString(SHORT)),
        }
        for u, v, key, data in city.edges(keys=True, data=True)
    ]
    edges = geopandas.GeoDataFrame(rows, crs="EPSG:4326").set_index(["u", "v", "key"])
    graph = wp.Graph.of(edges)
    assert graph.labels.tolist() == [50, 60, 70]
    assert wp.path(graph, 50, 70).length == 31
    assert graph.coordinates.tolist() == [[0, 0.5], [1, 1], [2, 1]]


def test_a_route_becomes_geojson(city):
    graph = wp.Graph.of(city, weight="length")
    feature = json.loads(json.dumps(wp.path(graph, 50, 70).to_geojson()))
    assert feature["geometry"] == {
        "type": "LineString",
        "coordinates": [[0, 0.5], [0, 1], [1, 1], [2, 1]],
    }
    assert feature["properties"] == {"source": 50, "target": 70, "length": 31, "edges": 2}
    point = wp.path(graph, 50, 50).to_geojson()
    assert point["geometry"] == {"type": "Point", "coordinates": [0, 0.5]}
    with pytest.raises(GraphError, match="with_coordinates"):
        wp.path([(0, 1, 2)], 0, 1).to_geojson()


def test_a_route_becomes_a_geodataframe(city):
    route = wp.path(wp.Graph.of(city, weight="length"), 50, 70)
    whole = route.to_geodataframe()
    assert whole.drop(columns="geometry").to_dict("list") == {
        "source": [50],
        "target": [70],
        "length": [31],
    }
    assert list(whole.geometry[0].coords) == [(0, 0.5), (0, 1), (1, 1), (2, 1)]
    assert whole.crs == "EPSG:4326"
    legs = route.to_geodataframe(legs=True, crs=None)
    assert legs.drop(columns="geometry").to_dict("list") == {
        "u": [50, 60],
        "v": [60, 70],
        "length": [20.5, 10.5],
        "distance": [20.5, 31],
    }
    assert [len(line.coords) for line in legs.geometry] == [3, 2]
    alone = wp.path(route.graph, 50, 50)
    assert alone.to_geodataframe().geometry[0].coords[:] == [(0, 0.5)]
    assert len(alone.to_geodataframe(legs=True)) == 0


def test_the_nearest_facility_of_each_vertex_becomes_a_geodataframe(city):
    found = wp.nearest(wp.Graph.of(city, weight="length"), [50], cutoff=25).to_geodataframe()
    assert found.drop(columns="geometry").iloc[:2].to_dict("list") == {
        "vertex": [50, 60],
        "facility": [50, 50],
        "distance": [0, 20.5],
    }
    assert found["facility"].isna().tolist() == [False, False, True]
    assert [place.coords[0] for place in found.geometry] == [(0, 0.5), (1, 1), (2, 1)]
    assert found.crs == "EPSG:4326"
    with pytest.raises(GraphError, match="with_coordinates"):
        wp.nearest([(0, 1, 2)], [0]).to_geodataframe()


def test_trips_become_a_geodataframe_with_their_routes(city):
    found = wp.pairs(wp.Graph.of(city, weight="length"), [50, 70, 60], [70, 50, 60])
    rows = found.to_geodataframe()
    assert rows["destination"].tolist() == [70, 50, 60]
    assert list(rows.geometry[0].coords) == [(0, 0.5), (0, 1), (1, 1), (2, 1)]
    assert rows.geometry[1] is None
    assert rows.geometry[2].coords[:] == [(1, 1)]
    with pytest.raises(GraphError, match="with_coordinates"):
        wp.pairs([(0, 1, 2)], [0], [1]).to_geodataframe()


def test_isochrones_are_cut_along_the_shape():
    graph = wp.Graph.of(frame(u=[0, 1], v=[1, 2], length=[4, 4]))
    edges = wp.within(graph, 0, [1, 3, 5]).to_geodataframe("edges")
    assert [list(line.coords) for line in edges.geometry] == [
        [(0, 0), (0, 0.5)],
        [(0, 0.5), (0, 1), (0.5, 1)],
        [(0.5, 1), (1, 1)],
        [(1, 1), (1.25, 1)],
    ]
    assert edges.cutoff.tolist() == [1, 3, 5, 5]
    assert (edges.u.tolist(), edges.v.tolist()) == ([0, 0, 0, 1], [1, 1, 1, 2])


def test_pictures_follow_the_shapes():
    pytest.importorskip("matplotlib", reason="drawing needs warpath[plot]")
    graph = wp.Graph.of(frame((BEND, SHORT, LONG), u=[0, 1, 1], v=[1, 2, 2], length=[1, 1, 5]))
    tree = wp.sssp(graph, 0).plot(route=2).axes[0]
    lines = [line.tolist() for line in tree.collections[0].get_segments()]
    assert lines == [[[1, 1], [2, 1]], [[0, 0], [0, 1]], [[0, 1], [1, 1]]]
    assert tree.lines[0].get_xydata().tolist() == [*map(list, BEND), [2, 1]]
    network = wp.path(graph, 0, 2).plot().axes[0].collections[0]
    assert len(network.get_segments()) == 5


def test_other_coordinates_make_straight_edges():
    graph = wp.Graph.of(frame(u=[0, 1], v=[1, 2]))
    assert graph.with_coordinates(graph.coordinates + 5).shapes is None
    assert wp.path(graph.with_coordinates(None), 0, 1).line is None
