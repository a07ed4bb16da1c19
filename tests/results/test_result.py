"""What all results share: rows in files, as JSON and in notebooks, and shapes."""

from __future__ import annotations

import json

import geopandas
import numpy as np
import pandas as pd
import pytest
import shapely

import warpath as wp

ROAD = wp.generate.road(400)
ISLANDS = wp.Graph.of(
    [(0, 1, 2.5), (2, 3, 1e5)], coordinates=[(7, 43), (7.001, 43), (8, 43), (8, 44)]
)


def test_json_has_the_rows_and_null_where_there_is_no_path():
    trips = wp.pairs(ISLANDS, [0, 0], [1, 3])
    rows = json.loads(trips.to_json())
    assert rows[0] == {"origin": 0, "destination": 1, "distance": 2.5}
    assert rows[1]["distance"] is None
    assert json.loads(trips.to_json(missing=np.int64(-1)))[1]["distance"] == -1
    table = json.loads(wp.distances(ISLANDS, [0], [1, 3]).to_json())
    assert table == {"sources": [0], "targets": [1, 3], "distances": [[2.5, None]]}
    for result in (trips, wp.distances(ISLANDS, [0], [3])):
        for wrong in (float("nan"), float("inf"), [], frozenset()):
            with pytest.raises(wp.InputError, match=r"missing = .* must be None, a text"):
                result.to_json(missing=wrong)
    near = json.loads(wp.nearest(ISLANDS, [0]).to_json())
    assert near[2] == {"vertex": 2, "facility": None, "distance": None}
    for result in (wp.sssp(ROAD, 0), wp.within(ROAD, 0, 900), wp.path(ROAD, 0, 9)):
        assert pd.DataFrame(json.loads(result.to_json())).shape == result.to_pandas().shape
    assert json.loads(wp.totals(ROAD, "sum", sources=[3]).to_json())[0]["source"] == 3


def test_features_have_the_columns_as_properties():
    near = wp.nearest(ISLANDS, [0]).to_geojson()
    assert near["features"][0] == {
        "type": "Feature",
        "geometry": {"type": "Point", "coordinates": [7.0, 43.0]},
        "properties": {"vertex": 0, "facility": 0, "distance": 0.0},
    }
    trips = wp.pairs(ISLANDS, [0, 0], [1, 3]).to_geojson()["features"]
    assert trips[0]["geometry"] == wp.path(ISLANDS, 0, 1).to_geojson()["geometry"]
    assert trips[1]["geometry"] is None
    for kind in ("polygons", "edges", "vertices"):
        bands = wp.within(ROAD, 0, [900, 3000])
        frame = bands.to_geodataframe(kind)
        features = json.loads(json.dumps(bands.to_geojson(kind)))["features"]
        assert len(features) == len(frame)
        shapes = [shapely.geometry.shape(feature["geometry"]) for feature in features]
        assert all(shapely.equals(shapes, frame.geometry.to_numpy()))
        assert [*features[0]["properties"]] == [*frame.columns.drop("geometry")]


@pytest.mark.filterwarnings("ignore:'crs' was not provided")
@pytest.mark.parametrize("suffix", [".gpkg", ".geojson", ".geoparquet"])
def test_results_with_shapes_are_saved_for_maps(tmp_path, suffix):
    results = (
        wp.path(ROAD, 0, 9),
        wp.pairs(ROAD, [0, 3], [9, 9]),
        wp.nearest(ROAD, [0, 9]),
        wp.within(ROAD, 0, [900, 3000]),
    )
    read = geopandas.read_parquet if suffix == ".geoparquet" else geopandas.read_file
    for result in results:
        result.save(tmp_path / f"result{suffix}")
        frame = read(tmp_path / f"result{suffix}")
        expected = result.to_geodataframe()
        assert all(shapely.equals(frame.geometry.to_numpy(), expected.geometry.to_numpy()))
        assert suffix == ".geojson" or frame.crs == expected.crs
    for result, name in (
        (wp.loads(ROAD, [0, 3], [9, 9]), "load"),
        (wp.centrality.edge_betweenness(ROAD, sources=[0]), "betweenness"),
        (wp.centrality.closeness(ROAD), "closeness"),
    ):
        result.save(tmp_path / f"numbers{suffix}")
        frame = read(tmp_path / f"numbers{suffix}")
        assert np.array_equal(frame[name], result._values, equal_nan=True)
        assert set(frame.geometry.geom_type) == {"Point" if name == "closeness" else "LineString"}
    for other in (wp.sssp(ROAD, 0), wp.distances(ROAD, [0], [1]), wp.totals(ROAD, "sum")):
        with pytest.raises(wp.InputError, match=r"has no shapes: save it as \.parquet or \.csv"):
            other.save(tmp_path / f"other{suffix}")
    assert not (tmp_path / f"other{suffix}").exists()


def test_routes_and_totals_are_saved_as_rows(tmp_path):
    for result in (wp.path(ROAD, 0, 9), wp.totals(ROAD, ["sum", "max"])):
        for suffix, read in ((".csv", pd.read_csv), (".parquet", pd.read_parquet)):
            result.save(tmp_path / f"rows{suffix}")
            rows = read(tmp_path / f"rows{suffix}")
            pd.testing.assert_frame_equal(rows, result.to_pandas(), check_dtype=False)
    with pytest.raises(wp.InputError, match=r"results are written as \.parquet, \.csv or \.tex"):
        wp.path(ROAD, 0, 9).save(tmp_path / "route.docx")


def test_areas_are_multipolygons_that_contain_those_of_smaller_cutoffs():
    for graph in (ROAD, wp.generate.grid(12, 12)):
        places = graph.coordinates
        if places is None:
            places = np.column_stack(np.unravel_index(np.arange(graph.n), (12, 12))) * 1.0
        frame = wp.within(graph.with_coordinates(places), 0, [2, 900, 2000, 9000]).to_geodataframe()
        assert set(frame.geometry.geom_type) == {"MultiPolygon"}
        assert frame.geometry.is_valid.all()
        inner, outer = frame.geometry[:-1].to_numpy(), frame.geometry[1:].to_numpy()
        assert all(shapely.area(shapely.difference(inner, outer)) < 1e-9 * shapely.area(outer))
        holes = [ring for part in frame.geometry for area in part.geoms for ring in area.interiors]
        sizes = [shapely.Polygon(hole).area for hole in holes]
        assert min(sizes, default=np.inf) >= 25 * frame["resolution"].iloc[0] ** 2


def test_notebooks_show_the_first_rows_of_all_results():
    results = (
        wp.path(ROAD, 0, 9),
        wp.pairs(ROAD, range(20), range(20, 40)),
        wp.nearest(ROAD, [0]),
        wp.within(ROAD, 0, 900),
        wp.totals(ROAD, "sum"),
    )
    for result in results:
        text = result._repr_html_()
        assert all(f">{name}</th>" in text for name in result.to_pandas().columns)
        assert text.count("<tr") <= 10


def test_a_workbook_is_refused_with_a_way_to_write_it(tmp_path):
    trips, table = wp.pairs([(0, 1, 2)], [0], [1]), wp.distances([(0, 1, 2)], [0])
    message = r"Spreadsheets open .csv; in Python with openpyxl, result.to_pandas\(\).to_excel\('a"
    for result in (trips, table, wp.sssp([(0, 1, 2)], 0)):
        with pytest.raises(wp.InputError, match=message):
            result.save(tmp_path / "a.xlsx")


def test_csv_has_numbers_as_people_write_them(tmp_path):
    numbers = [100000.0, 0.1, 1e-7, 123456789012.5, 1e16, 2.0]
    graph = wp.Graph.of([(0, v, w) for v, w in enumerate(numbers, start=1)])
    wp.distances(graph, [0], range(1, 7)).save(tmp_path / "table.csv")
    cells = [line.split(",")[-1] for line in (tmp_path / "table.csv").read_text().split()[1:]]
    assert cells == list(map(repr, numbers))


def test_a_plan_is_a_dictionary_for_json():
    plan = wp.plan(ROAD, 0)
    said = json.loads(json.dumps(plan.to_dict()))
    assert said["algorithm"] == plan.algorithm
    assert said["seconds"] == plan.seconds
    assert [other["algorithm"] for other in said["runners_up"]] == [
        other.recipe.name for other in plan.runners_up
    ]
