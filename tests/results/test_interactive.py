"""Interactive maps, through GeoPandas and folium."""

from __future__ import annotations

import re
import sys

import pytest

import warpath as wp
from warpath import MissingDependencyError

pytestmark = pytest.mark.usefixtures("packages")

PLACES = [(7.41, 43.73), (7.42, 43.73), (7.42, 43.74), (float("nan"), float("nan"))]


@pytest.fixture(scope="module")
def packages():
    """Import them only in the process that runs these tests: they take 60 MB."""
    for name in ("folium", "geopandas", "mapclassify"):
        pytest.importorskip(name)


@pytest.fixture
def streets():
    edges = [(0, 1, 600), (1, 2, 300), (2, 3, 60)]
    return wp.Graph.of(edges, labels=["a", "b", "c", "d"], coordinates=PLACES)


def features(drawn):
    """The features of a map: their properties and the kind of their geometry."""
    page = drawn.get_root().render()
    kinds = re.findall(r'"geometry": {[^}]*"type": "(\w+)"', page)
    return page, kinds


def test_a_tree_has_its_edges_with_their_distances(streets):
    page, kinds = features(wp.sssp(streets, "a").explore())
    assert kinds == ["LineString", "LineString"]  # the edge to d has no place
    assert '"distance": 600, "pred": "a", "vertex": "b"' in page
    assert "7.41, 43.73" in page


def test_a_route_has_its_legs(streets):
    page, kinds = features(wp.path(streets, "a", "c").explore())
    assert kinds == ["LineString", "LineString"]
    assert '"distance": 900' in page


def test_isochrones_have_a_colour_for_each_cutoff(streets):
    page, kinds = features(wp.within(streets, "a", [600, 800]).explore())
    assert kinds == ["LineString", "LineString"]
    assert '"cutoff": 600' in page
    assert '"cutoff": 800' in page


def test_facilities_are_points_in_their_colours(streets):
    page, kinds = features(wp.nearest(streets, ["a", "c"]).explore())
    assert kinds == ["Point"] * 3
    assert '"facility": "c"' in page


def test_loads_are_edges_as_wide_as_the_trips_are_many(streets):
    flows = wp.loads(streets, ["a", "a"], ["b", "c"], [10, 20])
    page, kinds = features(flows.explore())
    assert kinds == ["LineString", "LineString"]
    assert '"load": 30.0' in page
    assert '"weight": 10.0' in page
    near = wp.centrality.betweenness(streets, cutoff=[100, 1000], normalized=False)
    assert '"betweenness": 3.0' in features(near.explore())[0]  # a to b, a to c, a to d
    assert '"betweenness": 3.0' not in features(near.explore(cutoff=100))[0]
    page, kinds = features(wp.centrality.closeness(streets).explore())
    assert kinds == ["LineString", "LineString"]
    assert '"closeness"' in page


def test_options_are_those_of_geopandas(streets):
    tree = wp.sssp(streets, "a")
    assert "openstreetmap.org" in features(tree.explore())[0]
    assert "tile.openstreetmap.org" not in features(tree.explore(tiles=None))[0]


def test_a_missing_package_is_named(streets, monkeypatch):
    monkeypatch.setitem(sys.modules, "folium", None)
    with pytest.raises(MissingDependencyError, match=r"Paths.explore needs folium.*pip install"):
        wp.sssp(streets, "a").explore()
