"""GeoJSON and GeoPackage: edges with their lines."""

from __future__ import annotations

import pytest

import warpath as wp
from warpath.base.errors import GraphError
from warpath.graph.edge_geometry import Shapes

pytest.importorskip("geopandas", reason="geometry needs warpath[geo]")


@pytest.fixture
def town():
    return wp.Graph.of(
        [("a", "b", 2.5), ("b", "c", 4.0)],
        coordinates=[[7.0, 43.0], [7.1, 43.0], [7.2, 43.1]],
        shapes=Shapes([0, 1, 1], [[7.05, 43.02]], "EPSG:4326"),
    )


@pytest.mark.parametrize("suffix", [".geojson", ".gpkg"])
def test_a_graph_comes_back_with_its_lines(town, tmp_path, suffix):
    path = tmp_path / f"town{suffix}"
    wp.write(town, path)
    back = wp.read(path)
    assert back.labels.tolist() == ["a", "b", "c"]
    assert back.weights.tolist() == [2.5, 4.0]
    assert back.coordinates.tolist() == town.coordinates.tolist()
    assert back.shapes.points.tolist() == [[7.05, 43.02]]
    assert back.name == "town"


def test_a_graph_without_coordinates_is_refused(tmp_path):
    with pytest.raises(GraphError, match="need the coordinates of all vertices"):
        wp.write(wp.Graph.of([(0, 1, 2)]), tmp_path / "a.geojson")
    assert not (tmp_path / "a.geojson").exists()
