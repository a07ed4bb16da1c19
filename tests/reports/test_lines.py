"""Files of lines: layers, points beside lines, lines that meet between their ends."""

from __future__ import annotations

import gzip
import warnings
from pathlib import Path

import pytest

import warpath as wp

geopandas = pytest.importorskip("geopandas")
shapely = pytest.importorskip("shapely")

DATA = Path(__file__).parent / "data"
INNER = DATA / "37-lines-sharing-an-inner-point.geojson"
NOT_JOINED = "lines that meet others between their ends, not joined there (noded=True splits them)"
SPLIT = "lines that meet others between their ends, split"


def lines(*corners, crs=None, **columns):
    return geopandas.GeoDataFrame(
        columns, geometry=[shapely.LineString(each) for each in corners], crs=crs
    )


def test_lines_that_meet_at_an_inner_point_are_reported():
    graph = wp.read(INNER)
    assert graph.m == 2
    assert graph.read_report == {NOT_JOINED: 1}


def test_lines_that_meet_at_an_inner_point_are_split_on_request():
    graph = wp.read(INNER, noded=True)
    start, end = (graph.nearest_vertex(*place) for place in ((0, 0), (0.001, 0.001)))
    assert wp.path(graph, start, end).length == pytest.approx(222.39, abs=0.01)
    assert graph.read_report == {SPLIT: 1}


@pytest.mark.parametrize(
    ("corners", "vertices", "edges", "split"),
    [
        ([[(0, 0), (3, 1)], [(1.5, 0.5), (5, 5)]], 4, 3, 1),  # one ends on the other
        ([[(0, 0), (2, 2)], [(0, 2), (2, 0)]], 5, 4, 2),  # they cross
        ([[(0, 0), (1, 1), (2, 0)], [(0, 2), (1, 1), (2, 2)]], 5, 4, 2),  # they share a corner
        ([[(0, 0), (4, 0)], [(1, 0), (2, 0)]], 4, 4, 1),  # they share a stretch
        ([[(0, 0), (4, 0), (4, 2), (2, 0)]], 2, 2, 1),  # a line ends on itself
        ([[(0, 0), (1, 0)], [(1, 0), (2, 0)]], 3, 2, 0),  # only ends meet
    ],
)
def test_lines_are_split_wherever_they_meet(corners, vertices, edges, split):
    plain = wp.Graph.of(lines(*corners))
    assert plain.read_report == ({NOT_JOINED: split} if split else {})
    graph = wp.Graph.of(lines(*corners), noded=True)
    assert (graph.n, graph.m) == (vertices, edges)
    assert graph.read_report == ({SPLIT: split} if split else {})


def test_weights_of_split_lines_are_divided_by_length():
    frame = lines([(0, 0), (4, 0)], [(1, 0), (1, 3)], cost=[8, 5])
    assert sorted(wp.Graph.of(frame, noded=True).weights.tolist()) == [2, 5, 6]
    assert wp.Graph.of(frame, noded=True, weight=None).weights is None


def test_gaps_up_to_the_tolerance_are_closed():
    frame = lines([(0, 0), (4, 0)], [(2, 0.01), (2, 3)], [(4.01, 0), (6, 3)], cost=[4, 3, 3])
    assert wp.Graph.of(frame, noded=True).n == 6
    graph = wp.Graph.of(frame, noded=True, tolerance=0.1)
    assert (graph.n, graph.m) == (5, 4)
    start, end = (graph.nearest_vertex(*place) for place in ((0, 0), (6, 3)))
    assert wp.path(graph, start, end).length == 7


def test_options_without_an_effect_are_refused():
    frame = lines([(0, 0), (4, 0)], u=[1], v=[2])
    with pytest.raises(wp.GraphError, match="columns name the ends of these"):
        wp.Graph.of(frame, noded=True)
    with pytest.raises(wp.GraphError, match="has no effect without noded=True"):
        wp.Graph.of(frame[["geometry"]], tolerance=1.0)
    with pytest.raises(wp.GraphError, match="must be a number, 0 or more"):
        wp.Graph.of(frame[["geometry"]], noded=True, tolerance=-1.0)


def test_longitudes_180_and_minus_180_are_one_place():
    frame = lines([(179.9, 0.5), (180, 0.5)], [(-180, 0.5), (-179.9, 0.5)], crs=4326)
    graph = wp.Graph.of(frame)
    assert graph.n == 3
    parts = shapely.multilinestrings(list(frame.geometry))
    whole = wp.Graph.of(geopandas.GeoDataFrame(geometry=[parts], crs=4326))
    assert whole.weights.tolist() == pytest.approx([graph.weights.sum()])


def test_a_line_across_the_antimeridian_is_short_and_meets_no_line_elsewhere():
    frame = lines(
        [(179.9, 0.5), (-179.9, 0.5)], [(10, -5), (10, 5)], [(-179.9, 0.5), (-170, 3)], crs=4326
    )
    for noded in (False, True):
        graph = wp.Graph.of(frame, noded=noded)
        assert (graph.n, graph.m, graph.read_report) == (5, 3, {})
        assert graph.weights.min() == pytest.approx(22238, abs=1)


@pytest.fixture
def both(tmp_path):
    """Return a GeoPackage of nodes and edges, as OSMnx writes it (38 of the public reports)."""
    points = [shapely.Point(*place) for place in ((0, 0), (0.001, 0), (1, 1))]
    nodes = geopandas.GeoDataFrame({"osmid": [1, 2, 3]}, geometry=points, crs=4326)
    edges = lines([(0, 0), (0.001, 0.0001)], crs=4326, u=[1], v=[2], key=[0], length=[111.0])
    nodes.to_file(tmp_path / "both.gpkg", layer="nodes", driver="GPKG")
    edges.to_file(tmp_path / "both.gpkg", layer="edges", driver="GPKG")
    return tmp_path / "both.gpkg"


def test_nodes_and_edges_of_a_geopackage_are_read_together(both):
    graph = wp.read(both, weight="length")
    assert graph.weights.tolist() == [111]
    assert graph.labels.tolist() == [1, 2]
    assert graph.coordinates.tolist() == [[0, 0], [0.001, 0]]
    assert graph.read_report == {"points without an edge, left out": 1}


def test_a_layer_is_chosen_by_name(both):
    assert wp.read(both, layer="edges").m == 1
    with pytest.raises(wp.InputError, match=r"no layer 'roads'. The layers are nodes \(Point\)"):
        wp.read(both, layer="roads")
    with pytest.raises(wp.GraphFormatError, match="a Point as its geometry"):
        wp.read(both, layer="nodes")


def test_several_layers_of_lines_need_a_choice(tmp_path):
    for name in ("roads", "rails"):
        lines([(0, 0), (1, 1)], crs=4326).to_file(tmp_path / "a.gpkg", layer=name, driver="GPKG")
    with pytest.raises(
        wp.GraphFormatError, match="2 layers have lines: choose one, as with layer="
    ):
        wp.read(tmp_path / "a.gpkg")
    assert wp.read(tmp_path / "a.gpkg", layer="rails").m == 1


def test_a_compressed_geopackage_is_read(both):
    packed = both.with_suffix(".gpkg.gz")
    packed.write_bytes(gzip.compress(both.read_bytes()))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert wp.read(packed, weight="length").m == 1


def test_nodes_and_edges_in_one_geojson_file_are_read_together(tmp_path):
    path = tmp_path / "both.geojson"
    frame = geopandas.GeoDataFrame(
        {"id": [7, 8, None], "from": [None, None, 7], "to": [None, None, 8]},
        geometry=[shapely.Point(0, 0), shapely.Point(1, 0.5), shapely.LineString([(0, 0), (1, 1)])],
        crs=4326,
    )
    frame.to_file(path)
    graph = wp.read(path)
    assert graph.labels.tolist() == [7, 8]
    assert graph.coordinates.tolist() == [[0, 0], [1, 0.5]]
    frame[["geometry"]].to_file(path)
    assert wp.read(path).read_report == {"points that are not ends of lines, left out": 2}


def test_a_frame_of_points_gives_coordinates_by_label():
    frame = lines([(0, 0), (1, 1)], u=[5], v=[9])
    points = geopandas.GeoDataFrame(
        geometry=[shapely.Point(1, 2), shapely.Point(3, 4)], index=[9, 5]
    )
    assert wp.Graph.of(frame, coordinates=points).coordinates.tolist() == [[3, 4], [1, 2]]
    with pytest.raises(wp.GraphError, match="the vertex 9 is not in the index of the points"):
        wp.Graph.of(frame, coordinates=points.iloc[1:])
