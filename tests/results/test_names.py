"""Results in the order of the call, and the names that a call gives to vertices."""

from __future__ import annotations

import json

import numpy as np
import pytest

import warpath as wp
from warpath.base.errors import InputError, VertexError
from warpath.results.names import names_of


@pytest.fixture
def town():
    points = np.array([(x * 100.0, 0.0) for x in range(5)])
    edges = [(u, u + 1, 2) for u in range(4)] + [(u + 1, u, 2) for u in range(4)]
    return wp.Graph.of(edges, coordinates=points)


def test_facilities_and_sources_come_back_in_the_order_of_the_call(town):
    near, reach = wp.nearest(town, [4, 0, 4]), wp.within(town, [4, 0, 4], 3)
    assert near.facilities.tolist() == reach.sources.tolist() == [4, 0, 4]
    assert near.facility.tolist() == [0, 0, 0, 4, 4]
    assert (near.count_of_facilities, reach.count_of_sources) == (2, 2)
    assert wp.distances(town, [4, 0, 4], [3, 1, 3]).sources.tolist() == [4, 0, 4]
    assert wp.totals(town, "sum", sources=[4, 0, 4]).sources.tolist() == [4, 0, 4]
    assert wp.pairs(town, [4, 0, 4], [0, 1, 2]).origins.tolist() == [4, 0, 4]
    assert wp.DynamicPaths(town, sources=[4, 0]).sources.tolist() == [4, 0]


def test_vertices_of_a_set_come_in_the_order_of_the_graph(town):
    named = wp.Graph.of([("b", "a", 1), ("a", "c", 1)])
    assert wp.distances(named, {"c", "a", "b"}).sources.tolist() == ["b", "a", "c"]
    assert wp.distances(town, {3, 1}).sources.tolist() == [1, 3]
    places = {wp.Place(400, 0), wp.Place(0, 0)}
    assert wp.nearest(town, places).facilities.tolist() == [0, 4]


def test_trips_in_a_set_are_refused_for_they_have_no_order(town):
    with pytest.raises(InputError, match=r"origins is a set.* give a list"):
        wp.pairs(town, {0, 1}, [1, 2])
    with pytest.raises(InputError, match="destinations is a set"):
        wp.pairs(town, [0, 1], frozenset({1, 2}))


def test_a_dictionary_names_vertices(town):
    near = wp.nearest(town, {4: "East", 0: "West"})
    assert near.facilities.tolist() == [4, 0]
    assert names_of(near, near.starts) == ["East", "West"]
    reach = wp.within(town, {4: "East", 0: "West"}, 3)
    assert names_of(reach, reach.source_indices) == ["East", "West"]
    assert wp.sssp(town, {4: "East"}).names == {4: "East"}
    assert wp.distances(town, {4: "East"}, {0: "West"}).names == {4: "East", 0: "West"}


def test_a_vertex_with_several_names_has_all_of_them(town):
    near = wp.nearest(town, {wp.Place(1, 0): "Clinic", 0: "Depot", wp.Place(2, 0): "Depot"})
    assert (near.facilities.tolist(), near.names) == ([0, 0, 0], {0: "Clinic / Depot"})


@pytest.mark.parametrize(
    "names", [["East", "West"], {0: "West", 4: "East"}, "series", "labelled series"]
)
def test_names_for_a_picture_belong_to_their_vertices(town, names):
    if isinstance(names, str):
        pandas = pytest.importorskip("pandas")
        labels = ["East", "West"] if names == "series" else ["West", "East"]
        names = pandas.Series(labels, index=None if names == "series" else [0, 4])
    near = wp.nearest(town, [4, 0])
    assert names_of(near, near.starts, names) == ["East", "West"]
    pytest.importorskip("matplotlib")
    figure = near.plot(names=names)
    (axes,) = figure.axes
    marks = {text.get_text(): tuple(text.xy) for text in axes.texts}
    assert marks == {"East": (400, 0), "West": (0, 0)}
    assert [text.get_text() for text in wp.within(town, [4, 0], 3).plot(source=names).axes[0].texts]


def test_a_name_of_another_vertex_or_of_none_is_refused(town):
    near = wp.nearest(town, [4, 0])
    with pytest.raises(InputError, match="'North' for a vertex that is not among"):
        names_of(near, near.starts, {1: "North"})
    for wrong in ("East", ["East"], {"East", "West"}):
        with pytest.raises(InputError, match="must be 2 labels, one for each vertex in the order"):
            names_of(near, near.starts, wrong)


def test_pages_show_the_names(town, tmp_path):
    near, page = wp.nearest(town, {4: "East", 0: "West"}), tmp_path / "near.html"
    near.save_html(page)
    assert "nearest facility: East" in page.read_text()
    near.save_html(page, names={4: "Station"})
    assert "nearest facility: Station" in page.read_text()
    wp.within(town, {4: "East"}, 3).save_html(page)
    assert "Within 3 of East" in page.read_text()
    wp.path(town, {4: "East"}, {0: "West"}).save_html(page)
    assert "Shortest path from East to West" in page.read_text()
    wp.pairs(town, {4: "East"}, {0: "West"}).save_html(page)
    assert "East to West" in page.read_text()


def test_interactive_maps_show_the_names(town):
    for package in ("geopandas", "folium", "mapclassify", "matplotlib"):
        pytest.importorskip(package)
    page = wp.nearest(town, {4: "East", 0: "West"}).explore().get_root().render()
    assert "East" in page
    page = wp.nearest(town, [4, 0]).explore(names=["Est", "Ouest"]).get_root().render()
    assert "Ouest" in page


def clinics(**columns):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(columns | {"lon": [400.0, 1.0, 2.0], "lat": [0.0, 0.0, 0.0]})


def test_tables_keep_the_names_of_a_frame_in_order_and_twice(town):
    frame = clinics(name=["East", "West", "West"])  # the last two have the same nearest vertex
    table = wp.distances(town, frame, frame.set_index("name"))
    wide, long = table.to_pandas(), table.to_pandas(long=True)
    assert wide.index.tolist() == wide.columns.tolist() == ["East", "West", "West"]
    assert long["source"].tolist() == ["East"] * 3 + ["West"] * 6
    assert long["target"].tolist() == ["East", "West", "West"] * 3
    assert "East" in repr(table)
    assert json.loads(table.to_json())["sources"] == ["East", "West", "West"]
    totals = wp.totals(town, "sum", sources=frame)
    assert totals.to_pandas()["source"].tolist() == ["East", "West", "West"]


def test_trips_keep_the_names_of_their_ends(town):
    frame = clinics(id=[30, 10, 10])
    trips = wp.pairs(town, frame, {0: "a", 1: "b", 2: "c"})
    assert trips.to_pandas()["origin"].tolist() == [30, 10, 10]
    assert trips.to_pandas()["destination"].tolist() == ["a", "b", "c"]
    assert json.loads(trips.detach().to_json())[0] == {
        "origin": 30,
        "destination": "a",
        "distance": 8,
        "origin_snap": 0.0,
        "far": False,
    }


def test_nearest_names_each_of_two_facilities_at_the_same_vertex(town):
    places = [wp.Place(60, 0, name="Clinic"), wp.Place(90, 0, name="Depot")]
    facility = wp.nearest(town, places).to_pandas()["facility"].tolist()
    assert facility == ["Clinic", "Depot", "Depot", "Depot", "Depot"]


def test_rows_without_a_name_have_their_id_among_names(town):
    table = wp.distances(town, [wp.Place(0, 0, name="West"), 3], [4])
    assert table.to_pandas().index.tolist() == ["West", "3"]
    assert table.to_pandas().columns.tolist() == [4]


def test_a_row_without_a_point_is_missing_and_keeps_its_name(town):
    frame = clinics(name=["East", "Nowhere", "West"])
    frame.loc[1, "lon"] = np.nan
    trips = wp.pairs(town, frame, frame, missing="flag").to_pandas()
    assert trips["origin"].tolist() == ["East", "Nowhere", "West"]
    assert trips["missing"].tolist() == [False, True, False]
    facility = wp.nearest(town, frame, missing="flag").to_pandas()["facility"]
    assert facility.tolist() == ["West", "West", "East", "East", "East"]
    with pytest.raises(VertexError, match=r"origins\[1\] is None"):
        wp.pairs(town, frame, [0, 1, 2])


def test_points_of_geopandas_are_places_and_other_shapes_are_refused(town):
    geopandas = pytest.importorskip("geopandas")
    points = geopandas.GeoSeries.from_xy([400, 0], [0, 0], index=["East", "West"])
    assert wp.distances(town, points, [0]).to_pandas().index.tolist() == ["East", "West"]
    frame = geopandas.GeoDataFrame({"name": ["e", "w"]}, geometry=points.values)
    assert wp.pairs(town, frame, [0, 0]).to_pandas()["origin"].tolist() == ["e", "w"]
    with pytest.raises(InputError, match=r"sources has shapes.*representative_point"):
        wp.distances(town, points.buffer(1))


def test_points_in_metres_are_converted_where_the_graph_has_degrees():
    geopandas = pytest.importorskip("geopandas")
    points = [(7.41, 43.7), (7.42, 43.7)]
    roads = wp.Graph.of([(0, 1, 100)], coordinates=points)
    there = geopandas.GeoSeries.from_xy(*zip(*points, strict=True), crs=4326).to_crs(3857)
    assert wp.pairs(roads, there[:1], there[1:].set_axis(["b"])).dist.tolist() == [100]


def test_a_frame_without_coordinates_is_refused(town):
    with pytest.raises(InputError, match=r"sources is a frame.*'x'.*lon and lat"):
        wp.distances(town, pytest.importorskip("pandas").DataFrame({"x": [1]}))
