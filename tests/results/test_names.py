"""Results in the order of the call, and the names that a call gives to vertices."""

from __future__ import annotations

import numpy as np
import pytest

import warpath as wp
from warpath.base.errors import InputError
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
