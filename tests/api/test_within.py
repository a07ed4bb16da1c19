"""What lies within some cutoffs of a vertex."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import warpath as wp
from warpath import generate
from warpath.base.errors import GraphError, InputError, NoPathError, VertexError

ROADS = [(0, 1, 2), (1, 2, 5), (2, 3, 9), (0, 4, 10)]


def test_the_vertices_within_one_cutoff_come_nearest_first():
    found = wp.within([(0, 3, 5), (0, 1, 2), (3, 2, 1), (2, 4, 9)], 0, 6)
    assert found.vertices.tolist() == [0, 1, 3, 2]
    assert found.dist.tolist() == [0, 2, 5, 6]
    assert (list(found), len(found)) == ([0, 1, 3, 2], 4)
    assert found.counts.tolist() == [4]


def test_of_equally_far_vertices_the_smallest_index_comes_first():
    found = wp.within([(500, v, 1 + v % 3) for v in range(500)], 500, 3)
    nearest_first = sorted(range(500), key=lambda v: (v % 3, v))
    assert found.vertices.tolist() == [500, *nearest_first]


def test_several_cutoffs_make_bands():
    found = wp.within(ROADS, 0, [10, 1, 7])
    assert found.cutoffs.tolist() == [1, 7, 10]
    assert found.counts.tolist() == [1, 3, 4]
    assert found.band.tolist() == [0, 1, 1, 2]
    assert found.vertices[: found.counts[1]].tolist() == [0, 1, 2]


def test_a_vertex_just_at_the_cutoff_lies_within():
    assert wp.within(ROADS, 0, 7).vertices.tolist() == [0, 1, 2]
    assert wp.within(ROADS, 0, 6.999).vertices.tolist() == [0, 1]


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("cutoffs", [[0], [40], [13.5, 27, 100]])
def test_it_is_what_sssp_says_bit_for_bit(dtype, cutoffs):
    graph = generate.uniform(300, 3, weights=(1, 30), seed=3).astype(dtype)
    whole = wp.sssp(graph, 7).dist
    found = wp.within(graph, 7, cutoffs)
    for cutoff, count in zip(cutoffs, found.counts, strict=True):
        assert sorted(found.indices[:count]) == np.flatnonzero(whole <= cutoff).tolist()
    assert np.array_equal(found.dist, whole[found.indices])
    assert (np.diff(found.dist) >= 0).all()


def test_reversed_it_is_what_reaches_the_vertex():
    found = wp.within(ROADS, 2, 7, reverse=True)
    assert found.vertices.tolist() == [2, 1, 0]
    assert found.dist.tolist() == [0, 5, 7]
    assert "to 2" in repr(found)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dtype", [np.int32, np.float64])
def test_several_sources_reach_what_the_nearest_of_them_reaches(dtype, reverse):
    roads = generate.road(400, seed=3)
    weights = np.random.default_rng(0).integers(1, 100, roads.m).astype(dtype)
    graph = roads.with_weights(weights)  # the way back has another length
    starts, cutoffs = [7, 300, 45, 7], [50, 200]
    found = wp.within(graph, starts, cutoffs, reverse=reverse)
    near = wp.nearest(graph, starts, cutoff=200, reverse=reverse)
    assert found.sources.tolist() == found.source == starts
    assert sorted(found.vertices.tolist()) == np.flatnonzero(near.reached).tolist()
    assert found.dist.tolist() == near.dist[found.indices].tolist()
    assert found.counts.tolist() == [int((near.dist <= cutoff).sum()) for cutoff in cutoffs]
    assert found.paths is None
    assert repr(found).startswith(
        f"<Within, {'to' if reverse else 'from'} the nearest of 3 sources: "
    )
    last = int(found.indices[-1])
    route = found.path_to(last)
    assert (route.source, route.target) == (near.facility[last], last)
    assert route.length == found.dist[-1] == pytest.approx(route.weights.sum(), rel=1e-12)


def test_one_source_in_a_list_is_one_source():
    found = wp.within(ROADS, [0, 0], 4)
    assert found.source == 0
    assert found.paths.source == 0
    assert found.vertices.tolist() == wp.within(ROADS, 0, 4).vertices.tolist()


def test_a_vertex_beyond_several_sources_has_no_route():
    chain = wp.Graph.of([("a", "b", 1), ("b", "c", 9), ("d", "e", 1)])
    found = wp.within(chain, ["a", "d"], 3)
    assert found.vertices.tolist() == ["a", "d", "b", "e"]
    assert list(found.path_to("e")) == ["d", "e"]
    with pytest.raises(wp.NoPathError, match="no path leads from a source to 'c' within 3"):
        found.path_to("c")


def test_parts_and_pictures_of_several_sources(tmp_path):
    grid = generate.grid(5, 5, weights=None)
    found = wp.within(grid, [0, 24], 1.5)
    edge, _, start, end = found.parts()
    src, dst, _ = grid.edges()
    parts = zip(src[edge].tolist(), dst[edge].tolist(), start.tolist(), end.tolist(), strict=True)
    assert {(u, v) for u, v, low, high in parts if (low, high) == (0, 1)} >= {(0, 1), (24, 23)}
    pytest.importorskip("matplotlib")
    figure = found.plot(tmp_path / "near.png")
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert texts == ["0", "24"]
    assert "Within 1.5 of the nearest of 2 sources" in [text.get_text() for text in figure.texts]
    with pytest.raises(InputError, match="must be 2 labels, one for each vertex"):
        found.plot(source="here")
    outlines = pytest.importorskip("geopandas") and found.to_geodataframe()
    assert outlines.geometry[0].geom_type == "MultiPolygon"


def test_closed_sources_start_paths_as_well():
    zones = wp.Graph.from_edges([0, 1, 2, 3], [2, 3, 3, 1], [1, 1, 5, 1], first_through=2)
    found = wp.within(zones, [0, 1], 1)
    assert found.vertices.tolist() == [0, 1, 2, 3]
    assert sorted(found.parts()[0].tolist()) == [0, 1]  # out of both closed sources


def test_labels_are_kept():
    found = wp.within([("home", "shop", 3), ("shop", "park", 4)], "home", [3, 5])
    assert list(found) == ["home", "shop"]
    assert found.source == "home"
    assert found.path_to("shop").length == 3
    with pytest.raises(NoPathError, match="within 5"):
        found.path_to("park")


def test_edges_are_cut_where_a_band_ends():
    edge, band, start, end = wp.within(ROADS, 0, [1, 4]).parts()
    parts = sorted(zip(edge.tolist(), band.tolist(), start.tolist(), end.tolist(), strict=True))
    assert parts == [
        (0, 0, 0, 0.5),
        (0, 1, 0.5, 1),
        (1, 0, 0, 0.1),
        (1, 1, 0.1, 0.4),
        (2, 1, 0, 0.4),
    ]


def test_an_edge_of_no_length_lies_in_the_band_of_its_start():
    edge, band, start, end = wp.within([(0, 1, 2), (1, 2, 0)], 0, [1, 2, 3]).parts()
    at = edge.tolist().index(1)
    assert (edge[at], band[at], start[at], end[at]) == (1, 1, 0, 1)
    assert edge.tolist().count(1) == 1


def test_no_part_leads_out_of_a_vertex_that_is_not_passed_through():
    graph = wp.Graph.from_edges([2, 0, 1], [0, 1, 2], [1, 1, 1], first_through=1)
    assert wp.within(graph, 2, 5).vertices.tolist() == [2, 0]
    assert wp.within(graph, 2, 5).parts()[0].tolist() == [2]
    assert wp.within(graph, 0, 1).parts()[0].tolist() == [0]


def test_lines_have_the_ends_of_the_parts():
    graph = wp.Graph.of(ROADS, coordinates=[(0, 0), (2, 0), (2, 5), (9, 9), (0, -10)])
    lines, part = wp.within(graph, 0, 4).segments()
    assert lines.tolist() == [[[0, 0], [2, 0]], [[0, 0], [0, -4]], [[2, 0], [2, 2]]]
    assert part.tolist() == [0, 1, 2]
    with pytest.raises(GraphError, match="with_coordinates"):
        wp.within(ROADS, 0, 4).segments()


@pytest.mark.parametrize("cutoff", [-1, np.nan, np.inf, [], [1, -2], "7", None, [[1]], True])
def test_what_is_no_cutoff_is_refused(cutoff):
    with pytest.raises(InputError, match="cutoff"):
        wp.within(ROADS, 0, cutoff)


def test_an_unknown_source_is_refused():
    with pytest.raises(VertexError):
        wp.within(ROADS, 9, 1)


def test_rows_become_a_data_frame_and_a_file(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    found = wp.within(ROADS, 0, [2, 7])
    frame = found.to_pandas()
    assert frame.to_dict("list") == {
        "vertex": [0, 1, 2],
        "distance": [0, 2, 7],
        "cutoff": [2, 2, 7],
    }
    found.save(tmp_path / "near.csv")
    assert pandas.read_csv(tmp_path / "near.csv").to_dict("list") == frame.to_dict("list")


@pytest.fixture
def town():
    pytest.importorskip("geopandas", reason="outlines need warpath[geo]")
    return generate.grid(9, 9, weights=None)


def test_outlines_grow_with_the_cutoff(town):
    frame = wp.within(town, 40, [1, 3]).to_geodataframe()
    assert frame["cutoff"].tolist() == [1, 3]
    assert frame["vertices"].tolist() == [5, 25]
    near, far = frame.geometry
    assert near.geom_type == "MultiPolygon"
    assert len(near.geoms) == 1
    assert frame["resolution"].tolist() == [1, 1]
    assert 2 <= near.area <= 6
    assert far.covers(near)
    assert 18 <= far.area <= 32
    assert frame.crs is None


def test_an_outline_of_one_vertex_lies_around_it(town):
    (outline,) = wp.within(town, 40, 0).to_geodataframe(resolution=0.2).geometry
    assert outline.centroid.coords[0] == pytest.approx((4, 4))
    assert outline.bounds == pytest.approx((3.9, 3.9, 4.1, 4.1), abs=0.01)


def test_an_outline_follows_the_streets_around_what_is_not_reached():
    shapely = pytest.importorskip("shapely")
    pytest.importorskip("geopandas", reason="outlines need warpath[geo]")
    angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    shore = 100 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    at = np.arange(40)
    lake = wp.Graph.from_edges(at, (at + 1) % 40, directed=False, coordinates=shore)
    whole, half = (wp.within(lake, 0, cutoff).to_geodataframe().geometry[0] for cutoff in (99, 11))
    assert not whole.covers(shapely.Point(0, 0))
    assert [len(area.interiors) for area in whole.geoms] == [1]
    assert whole.covers(shapely.Point(100, 0))
    # The hull of a half of the shore would cover a half of the lake.
    assert not half.intersects(shapely.Point(40, 0).buffer(30))
    (filled,) = wp.within(lake, 0, 99).to_geodataframe(resolution=120).geometry
    assert filled.covers(shapely.Point(0, 0))


def test_the_resolution_of_outlines_in_degrees_is_in_metres(town):
    degrees = town.with_coordinates(town.coordinates / 1000 + (7, 43.5))
    frame = wp.within(degrees, 40, 0).to_geodataframe(resolution=200)
    west, south, east, north = frame.geometry[0].bounds
    assert (north - south) * 111_195 == pytest.approx(200, rel=0.1)
    assert (east - west) * 111_195 * np.cos(np.radians(43.504)) == pytest.approx(200, rel=0.1)
    assert wp.within(degrees, 40, 1).to_geodataframe()["resolution"][0] == pytest.approx(
        111, rel=0.3
    )


def test_both_ways_of_a_street_are_outlined_once(town):
    from warpath.results.geodata import _once

    lines = wp.within(town, 40, 1).segments()[0]
    assert len(_once(np.concatenate([lines, lines[:, ::-1]]))) == 4


def test_edges_and_vertices_become_geometry(town):
    found = wp.within(town, 0, 1.5)
    edges = found.to_geodataframe("edges")
    assert sorted(edges.geometry.length) == [0.5] * 6 + [1.0] * 2
    assert edges[edges.u == 0].v.tolist() == [1, 9]
    points = found.to_geodataframe("vertices", crs="EPSG:3857")
    assert points.vertex.tolist() == [0, 1, 9]
    assert points.crs == "EPSG:3857"
    back = wp.within(
        wp.Graph.from_edges([0], [1], coordinates=[(0, 0), (1, 0)]), 1, 1, reverse=True
    )
    edge = back.to_geodataframe("edges")
    assert (edge.u.tolist(), edge.v.tolist()) == ([0], [1])


def test_degrees_are_told_to_geopandas(town):
    graph = town.with_coordinates(town.coordinates / 7)
    assert wp.within(graph, 0, 1).to_geodataframe().crs == "EPSG:4326"


def test_wrong_wishes_for_outlines_are_refused(town):
    found = wp.within(town, 0, 1)
    with pytest.raises(InputError, match="'polygons', 'edges', 'vertices'"):
        found.to_geodataframe("lines")
    for resolution in (0, -2, "a", float("nan"), float("inf")):
        with pytest.raises(InputError, match=r"resolution = .* must be a positive number, or None"):
            found.to_geodataframe(resolution=resolution)
    with pytest.raises(InputError, match=r"resolution = 2 is for kind='polygons'"):
        found.to_geodataframe("edges", resolution=2)
    for crs in ("EPSG:1", "nonsense", 3.5, object()):
        with pytest.raises(InputError, match=r"crs = .* PROJ knows: give an EPSG code"):
            found.to_geodataframe(crs=crs)
        with pytest.raises(InputError, match=r"crs = "):
            wp.path(town, 0, 1).to_geodataframe(crs=crs)
    with pytest.raises(GraphError, match="with_coordinates"):
        wp.within(ROADS, 0, 4).to_geodataframe()


def test_what_lies_nowhere_has_no_geometry(town):
    places = town.coordinates.copy()
    places[1] = np.nan
    found = wp.within(town.with_coordinates(places), 0, 1.5)
    points = found.to_geodataframe("vertices")
    assert points.vertex.tolist() == [0, 1, 9]
    assert points.geometry.isna().tolist() == [False, True, False]
    edges = found.to_geodataframe("edges")
    assert edges.geometry.isna().tolist() == ((edges.u == 1) | (edges.v == 1)).tolist()
    for kind in ("vertices", "edges", "polygons"):
        assert "NaN" not in found.to_geodataframe(kind).to_json()


def test_a_route_through_a_vertex_that_lies_nowhere_is_no_line(town):
    places = town.coordinates.copy()
    places[1] = np.nan
    route = wp.path(town.with_coordinates(places), 0, 2)
    for request in (route.to_geojson, route.to_geodataframe):
        with pytest.raises(GraphError, match="vertex 1 of the route has no coordinates"):
            request()


def test_a_vertex_that_lies_nowhere_is_named_by_its_label_of_any_kind():
    names = np.empty(2, object)
    names[:] = [("a", 1), ("b", 2)]
    places = np.array([[0.0, 0], [np.nan, 0]])
    graph = wp.Graph.from_edges([0], [1], [1], n=2, coordinates=places, labels=names)
    with pytest.raises(GraphError, match=r"vertex .*'b', 2.* of the route has no coordinates"):
        wp.path(graph, ("a", 1), ("b", 2)).to_geojson()


@pytest.mark.parametrize("kind", [int, np.int64, np.uint64, np.longdouble])
def test_a_cutoff_that_a_float_would_round_is_an_integer(kind):
    graph = wp.Graph.of([(0, 1, 2**53), (1, 2, 1), (2, 3, 1)])
    found = wp.within(graph, 0, kind(2**53) + kind(1))
    assert found.dist.tolist() == [0, 2**53, 2**53 + 1]


def test_large_integers_among_cutoffs_stay_integers_next_to_floats():
    graph = wp.Graph.of([(0, 1, 2**53), (1, 2, 1), (2, 3, 1)])
    found = wp.within(graph, 0, [2**53 + 1, 0.5])
    assert found.cutoffs.tolist() == [0.5, 2**53 + 1]
    assert found.counts.tolist() == [1, 3]
    assert wp.within(graph, 0, [np.int64(2**53 + 1), 0.5]).counts.tolist() == [1, 3]
    assert wp.within(graph, 0, [5, 0.5]).cutoffs.dtype == np.float64


def test_a_negative_cycle_is_named_along_the_graphs_own_edges_with_reverse():
    graph = wp.Graph.of([("a", "b", -3), ("b", "c", 1), ("c", "a", 1), ("c", "s", 4)])
    with pytest.raises(wp.NegativeCycleError) as caught:
        wp.within(graph, "s", 9, reverse=True)
    cycle = caught.value.cycle
    start = cycle.index("a")
    assert (cycle[start:] + cycle[:start], caught.value.length) == (["a", "b", "c"], -1)


def test_a_cutoff_beyond_64_bits_is_a_number_like_others():
    graph = wp.Graph.of([(0, 1, 2**62), (1, 2, 5)])
    assert wp.within(graph, 0, [2**64, 2**62]).counts.tolist() == [2, 3]
    assert wp.within(graph, 0, [2**64, 0.5]).cutoffs.tolist() == [0.5, 2**64]
    with pytest.raises(InputError, match="must be a finite number"):
        wp.within(graph, 0, [2**64, None])


@pytest.mark.parametrize("reverse", [False, True])
def test_a_prepared_solver_finds_the_same_vertices_near_and_far(reverse):
    roads = generate.road(20_000)
    weights = np.random.default_rng(0).integers(1, 100, roads.m).astype(np.int32)
    graph = roads.with_weights(weights)  # the way back has another length
    city = wp.prepare(graph)
    for sources in (7, [7, 19_000]):
        for cutoffs, swept in (([10, 50], False), ([10, 10**9], True)):
            found = city.within(sources, cutoffs, reverse=reverse)
            expected = wp.within(graph, sources, cutoffs, reverse=reverse)
            assert found.vertices.tolist() == expected.vertices.tolist()
            assert found.dist.tolist() == expected.dist.tolist()
            assert found.counts.tolist() == expected.counts.tolist()
            plan = found.paths.plan if found.paths is not None else None
            assert plan is None or plan.recipe.prepared == swept
    last = int(city.within(7, 10**9, reverse=reverse).indices[-1])
    route, expected = (
        each.within(7, 10**9, reverse=reverse).path_to(last) for each in (city, wp.Solver(graph))
    )
    assert route.indices.tolist() == expected.indices.tolist()


def test_the_cutoff_of_one_source_decides_whether_a_prepared_solver_sweeps():
    roads = generate.road(20_000)
    city = wp.prepare(roads)
    for cutoff, swept in ((2000, False), (10**9, True), (None, True)):
        found = city.sssp(3, cutoff=cutoff)
        assert found.plan.recipe.prepared == swept
        assert found.dist.tolist() == wp.sssp(roads, 3, cutoff=cutoff).dist.tolist()
        assert found.pred.tolist() == wp.sssp(roads, 3, cutoff=cutoff).pred.tolist()


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("starts", [5, [5, 1900, 5]])
def test_a_search_of_few_vertices_has_the_result_of_one_of_all(dtype, starts):
    graph = generate.grid(50, 60, weights=(0, 9), seed=4).astype(dtype)
    for reverse in (False, True):
        few = wp.within(graph, starts, [3, 12], reverse=reverse)
        named = wp.within(graph, starts, [3, 12], reverse=reverse, algorithm="classic.dijkstra")
        assert few.plan.reason == "few vertices are within the cutoff" != named.plan.reason
        assert few.indices.tolist() == named.indices.tolist()
        assert few.dist.tobytes() == named.dist.tobytes()
        assert few.counts.tolist() == named.counts.tolist()
        assert few.stats["settled"] == len(few)
        assert few.to_numpy().tobytes() == named.to_numpy().tobytes()
        last = few.vertices[-1]
        assert few.path_to(last).vertices.tolist() == named.path_to(last).vertices.tolist()


def test_a_search_of_few_vertices_takes_no_memory_for_the_others():
    graph = generate.grid(400, 400, weights=(1, 9), seed=5)
    wp.within(graph, 0, 3)  # makes what is kept with the graph
    tracemalloc.start()
    try:
        wp.within(graph, 0, 3)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < graph.n


def test_where_more_are_within_than_expected_all_vertices_are_searched():
    star = wp.Graph.of([(0, v, 1 if v < 3000 else 10**6) for v in range(1, 3100)])
    near = wp.within(star, 0, 1)
    assert len(near) == 3000
    assert near.plan.reason != "few vertices are within the cutoff"


def test_a_cutoff_at_the_end_of_64_bits_lets_no_sum_wrap():
    most = 2**63 - 2
    path = wp.Graph.of([(0, 1, most - 1), (1, 2, 1), (2, 3, most)])
    assert wp.within(path, 0, most).dist.tolist() == [0, most - 1, most]


def test_parameters_are_those_of_the_algorithm_that_searches_all_vertices():
    graph = generate.grid(300, 300, weights=(1, 900), seed=6)
    near = wp.within(graph, 0, 50, params={"delta": 40})
    assert near.plan.params == {"delta": 40}
    assert near.plan.algorithm == wp.sssp(graph, 0, params={"delta": 40}).plan.algorithm
