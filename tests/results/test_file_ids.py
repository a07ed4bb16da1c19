"""Tables, maps and files name vertices as the graph's file does; calls and arrays count from 0."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import warpath as wp

POINTS = [(7.4, 43.7), (7.41, 43.71), (7.42, 43.7)]


@pytest.fixture
def roads():
    """Return three vertices that a file calls 1, 2 and 3."""
    return wp.Graph.from_edges([0, 1], [1, 2], [4, 5], n=3, id_base=1, coordinates=POINTS)


RESULTS = {
    "tree": (lambda g: wp.sssp(g, 0), ["vertex"], [1, 2, 3]),
    "pairs": (lambda g: wp.pairs(g, [0, 1], [2, 2]), ["origin", "destination"], [1, 2, 3, 3]),
    "nearest": (lambda g: wp.nearest(g, [0, 1]), ["vertex", "facility"], [1, 2, 3, 1, 2, 2]),
    "within": (lambda g: wp.within(g, 0, 4), ["vertex"], [1, 2]),
}


@pytest.mark.parametrize("name", RESULTS)
def test_tables_in_memory_and_in_files_have_the_same_ids(roads, tmp_path, name):
    call, columns, ids = RESULTS[name]
    result = call(roads)
    result.save(tmp_path / "a.csv")
    for table in (result.to_pandas(), pd.read_csv(tmp_path / "a.csv")):
        assert [each for column in columns for each in table[column]] == ids


def test_a_table_of_distances_has_the_ids_of_the_file(roads, tmp_path):
    table = wp.distances(roads, [0, 1], [2], predecessors=True)
    wide = table.to_pandas()
    assert (wide.index.tolist(), wide.columns.tolist()) == ([1, 2], [3])
    table.save(tmp_path / "a.csv")
    for long in (table.to_pandas(long=True), pd.read_csv(tmp_path / "a.csv")):
        assert long[["source", "target", "pred"]].to_numpy().tolist() == [[1, 3, 2], [2, 3, 2]]
    assert (table.sources.tolist(), table.targets.tolist()) == ([0, 1], [2])


def test_predecessors_and_totals_have_the_ids_of_the_file(roads):
    assert wp.sssp(roads, 0).to_pandas()["pred"].tolist()[1:] == [1, 2]
    assert wp.totals(roads, ["sum"], sources=[1]).to_pandas()["source"].tolist() == [2]


def test_geodata_has_the_ids_of_the_file(roads):
    pytest.importorskip("geopandas")
    route = wp.path(roads, 0, 2)
    properties = route.to_geojson()["properties"]
    assert (properties["source"], properties["target"]) == (1, 3)
    assert route.to_geodataframe()[["source", "target"]].to_numpy().tolist() == [[1, 3]]
    assert route.to_geodataframe(legs=True)[["u", "v"]].to_numpy().tolist() == [[1, 2], [2, 3]]
    vertices = wp.within(roads, 0, 4).to_geodataframe("vertices")
    assert vertices["vertex"].tolist() == [1, 2]
    edges = wp.within(roads, 0, 4).to_geodataframe("edges")
    assert edges[["u", "v"]].to_numpy().tolist() == [[1, 2]]
    assert list(route) == [0, 1, 2]


def test_an_edge_table_makes_a_graph_that_is_named_as_the_file(roads, tmp_path):
    table = roads.edge_table()
    assert {name: each.tolist() for name, each in table.items()} == {
        "source": [1, 2],
        "target": [2, 3],
        "weight": [4, 5],
    }
    named = wp.Graph.of(pd.DataFrame(table))
    assert named.labels.tolist() == [1, 2, 3]
    pytest.importorskip("geopandas")
    wp.write(roads, tmp_path / "a.geojson")
    features = json.loads((tmp_path / "a.geojson").read_text())["features"]
    assert [each["properties"]["source"] for each in features] == [1, 2]


def test_maps_show_the_ids_of_the_file(roads, tmp_path):
    wp.path(roads, 0, 2).save_html(tmp_path / "a.html", tiles=None)
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "1 to 3" in page
    np.testing.assert_array_equal(wp.path(roads, 0, 2).indices, [0, 1, 2])


def test_columns_of_trips_are_in_front_of_tables_files_and_json(tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"trip_id": ["a", "b"], "origin": [0, 1], "day": [3, 4]}, index=[7, 8])
    graph = wp.Graph.of([(0, 1, 2), (1, 2, 5)])
    plain = wp.pairs(graph, frame["origin"], [2, 2])
    trips = plain.with_columns(frame)
    table = trips.to_pandas()
    assert table.columns.tolist() == ["trip_id", "day", "origin", "destination", "distance"]
    assert table["trip_id"].tolist() == ["a", "b"]
    trips.save(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text().splitlines()[1:] == ['"a",3,0,2,7', '"b",4,1,2,5']
    assert json.loads(trips.to_json())[1] == {
        "trip_id": "b", "day": 4, "origin": 1, "destination": 2, "distance": 5,
    }  # fmt: skip
    assert trips.detach().to_pandas().equals(table)
    assert plain.to_pandas().columns.tolist() == ["origin", "destination", "distance"]
    with pytest.raises(wp.InputError, match="'day' has 1 entries, but there are 2 trips"):
        plain.with_columns({"day": [1]})
    with pytest.raises(wp.InputError, match="along = 3 must be a list of names"):
        plain.to_pandas(along=3)
