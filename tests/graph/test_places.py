"""Places: the vertices nearest to coordinates, and coordinates in the role of vertices."""

from __future__ import annotations

import math

import numpy as np
import pytest

import warpath as wp
from warpath.base.errors import GraphError, InputError, VertexError
from warpath.graph import nearest_points
from warpath.graph.coordinates import EARTH_RADIUS, great_circle
from warpath.graph.nearest_points import NearestPoints, points_of

_XY = [(7.41, 43.73), (7.42, 43.74), (7.43, 43.75), (7.44, 43.74)]
_EDGES = [(0, 1, 2), (1, 2, 5), (2, 3, 1), (3, 0, 4)]


@pytest.fixture
def streets():
    return wp.Graph.of(_EDGES, coordinates=_XY)


@pytest.fixture
def named():
    edges = [("abcd"[u], "abcd"[v], w) for u, v, w in _EDGES]
    return wp.Graph.of(edges).with_coordinates(_XY)


def test_the_nearest_vertex_has_its_label_and_its_distance(streets, named):
    assert streets.nearest_vertex(7.4201, 43.7401) == 1
    assert named.nearest_vertex(7.4201, 43.7401) == "b"
    vertex, metres = named.nearest_vertex(7.42, 43.741, with_distance=True)
    assert vertex == "b"
    assert metres == pytest.approx(EARTH_RADIUS * math.radians(0.001), rel=1e-9)


def test_several_coordinates_give_arrays(named):
    vertices, metres = named.nearest_vertex(
        np.array([7.41, 7.4399]), [43.73, 43.74], with_distance=True
    )
    assert vertices.tolist() == ["a", "d"]
    assert metres[0] == 0
    assert named.nearest_vertex([], []).tolist() == []


@pytest.mark.parametrize("span", [0.02, 180.0])
def test_a_tree_and_blocks_find_the_nearest_of_all_pairs(span):
    rng = np.random.default_rng(0)
    points = rng.uniform(-span, span, (9000, 2)) * (1, 0.5)
    asked = rng.uniform(-span, span, (600, 2)) * (1, 0.5)
    search = NearestPoints(points)
    by_tree = search.nearest(asked)
    assert search._search._tree is not None
    search._search._tree = None
    by_blocks = search.nearest(asked)
    for one, other in zip(by_tree, by_blocks, strict=True):
        assert one.tolist() == other.tolist()
    for at in range(0, 600, 60):
        all_of_them = great_circle(np.tile(asked[at], (9000, 1)), points)
        assert by_tree[1][at] == pytest.approx(all_of_them.min(), rel=1e-9)


@pytest.mark.parametrize("tree", [True, False])
def test_of_equally_near_vertices_the_first_is_taken(monkeypatch, tree):
    if not tree:
        monkeypatch.setattr(nearest_points, "_tree_of", lambda _: None)
    grid = wp.generate.grid(80, 80)  # more vertices than a block without SciPy has
    shuffled = grid.with_coordinates(grid.coordinates[::-1])
    for graph in (grid, shuffled):
        x, y = graph.coordinates.T
        for at in ((3.5, 7.5), (0.5, 0.5), (5.5, 51.5)):
            squares = (x - at[0]) ** 2 + (y - at[1]) ** 2
            assert graph.nearest_vertex(*at) == int(np.argmin(squares))
    copies = wp.Graph.of([(0, 1)], coordinates=[(7.5, 43.5)] * 2)
    assert copies.nearest_vertex(7.5, 43.5) == 0


def test_places_beside_the_date_line_and_the_poles_have_near_vertices():
    around = wp.Graph.of([(0, 1)], coordinates=[(179.999, 10.5), (0.0, 89.999)])
    assert around.nearest_vertex(-179.999, 10.5) == 0
    assert around.nearest_vertex(150.0, 89.999) == 1


def test_vertices_without_coordinates_are_never_the_nearest():
    graph = wp.Graph.of(
        [(0, 1), (1, 2)], coordinates=[(np.nan, 43.5), (7.5, np.nan), (7.501, 43.5)]
    )
    assert graph.nearest_vertex(7.5, 43.5) == 2
    with pytest.raises(GraphError, match="no vertex has coordinates"):
        graph.with_coordinates(np.full((3, 2), np.nan)).nearest_vertex(7.5, 43.5)
    with pytest.raises(GraphError, match="the graph has no coordinates"):
        graph.with_coordinates(None).nearest_vertex(7.5, 43.5)


def test_projected_coordinates_are_points_of_a_plane():
    metres = [(763_000, 272_000), (763_300, 272_000), (763_000, 272_400)]
    graph = wp.Graph.of([(0, 1), (1, 2)], coordinates=metres)
    assert graph.nearest_vertex(763_290, 272_003, with_distance=True) == (1, np.hypot(10, 3))
    assert list(wp.path(graph, wp.Place(763_001, 272_000), 2)) == [1, 2]
    with pytest.raises(VertexError, match=r"and 50 is the most: the graph has x 763000 .. 763300"):
        graph.nearest_vertex(763_000, 271_900)
    with pytest.raises(VertexError, match="x and y are swapped"):
        graph.nearest_vertex(272_000, 763_000)
    with pytest.raises(VertexError, match="from the nearest vertex"):
        graph.nearest_vertex(9.52, 47.14)


def test_a_coordinate_in_the_sea_is_refused(streets):
    with pytest.raises(
        VertexError, match=r"Place\(7.5, 43.6\) is 1[0-9],\d{3} m .* and 1,000 m is"
    ):
        wp.sssp(streets, wp.Place(7.5, 43.6))
    assert streets.nearest_vertex(7.5, 43.6, within=20_000) == 0
    assert streets.nearest_vertex(7.5, 43.6, within=math.inf) == 0
    assert wp.sssp(streets, wp.Place(7.5, 43.6, within=20_000)).source_index == 0
    with pytest.raises(VertexError, match="and 5 m is the most"):
        streets.nearest_vertex(7.4201, 43.7401, within=5)
    with pytest.raises(VertexError, match=r"Place\(7.6, 43.6\)"):
        streets.nearest_vertex([7.41, 7.6], [43.73, 43.6])


def test_latitude_before_longitude_is_recognized(streets):
    for within in (None, math.inf):
        with pytest.raises(VertexError, match=r"are swapped .* Write Place\(7.42, 43.74\)"):
            streets.nearest_vertex(43.74, 7.42, within)
    tokyo = wp.Graph.of([(0, 1)], coordinates=[(139.7, 35.6), (139.8, 35.7)])
    with pytest.raises(VertexError, match="longitude and latitude are swapped"):
        tokyo.nearest_vertex(35.65, 139.75)
    with pytest.raises(VertexError, match="is not a longitude and a latitude in degrees"):
        streets.nearest_vertex(763_000, 272_000)


def test_a_finite_within_insists_on_a_place_that_looks_swapped():
    # Both orders of the coordinate are near the graph, of which one is inside the box around it.
    corner = wp.Graph.of([(0, 1), (1, 2)], coordinates=[(10.0, 10.15), (10.15, 9.9), (10.3, 10.2)])
    with pytest.raises(
        VertexError, match=r"Write Place\(10.1, 9.95\), or insist with within="
    ) as error:
        wp.path(corner, wp.Place(9.95, 10.1), 2)
    metres = float(str(error.value).split("within=")[1].rstrip("."))
    insisting = wp.Place(9.95, 10.1, within=metres)
    assert wp.path(corner, insisting, 2).snapped[0].distance <= metres
    at_vertex = wp.Place(9.95, 10.1, snap="vertex")
    with pytest.raises(VertexError, match=r"insist with within=\d+") as error:
        wp.path(corner, at_vertex, 2)
    metres = float(str(error.value).split("within=")[1].rstrip("."))
    assert corner.nearest_vertex(9.95, 10.1, within=metres) == 0
    with pytest.raises(VertexError, match="are swapped"):
        corner.nearest_vertex(9.95, 10.1, within=metres - 2)


def test_all_places_that_miss_are_counted_in_one_error(streets):
    near, far, farther = wp.Place(7.41, 43.73), wp.Place(7.5, 43.6), wp.Place(7.6, 43.5)
    with pytest.raises(VertexError) as error:
        wp.pairs(streets, [0, near, far], [near, farther, 2])
    assert str(error.value).startswith(
        "2 of 6 places are too far from the graph, 16,158 m to 29,632 m; the first is "
        "origins[2]: Place(7.5, 43.6) is 16,158 m from the network, and 1,000 m is the most"
    )
    with pytest.raises(VertexError, match=r"^targets\[1\]: Place\(7.5, 43.6\) is 16"):
        wp.distances(streets, [near], [near, far])
    with pytest.raises(VertexError, match=r"^target: Place\(7.5, 43.6\) is 16"):
        wp.path(streets, near, far)
    with pytest.raises(VertexError, match=r"^2 of 3 places .* the first is row 1: Place\(7.6"):
        streets.nearest_vertex([7.41, 7.6, 7.7], [43.73, 43.6, 43.6])
    allowed = [wp.Place(each.lon, each.lat, within=30_000) for each in (far, farther)]
    assert wp.distances(streets, allowed, [0]).dist.tolist() == [[1], [4]]


def test_a_place_may_have_a_name(streets):
    depot = wp.Place(7.41, 43.73, name="North depot")
    assert wp.nearest(streets, [depot]).snapped[0].place.name == "North depot"
    for name in (7, b"depot", ["a"]):
        with pytest.raises(InputError, match=r"name = .* must be a string, or None"):
            wp.Place(7.41, 43.73, name=name)


def test_a_place_beside_the_box_is_not_taken_for_a_swapped_one():
    diagonal = wp.Graph.of([(0, 1)], coordinates=[(10.0, 9.9951), (10.006, 10.0049)])
    assert diagonal.nearest_vertex(9.9990, 9.9951) == 0  # (9.9951, 9.9990) is outside as well
    assert diagonal.nearest_vertex(9.9990, 10.0) in {0, 1}  # (10.0, 9.9990) is inside


def test_a_place_is_a_vertex_in_every_call(streets):
    place, other = (wp.Place(*xy, snap="vertex") for xy in ((7.4101, 43.7301), (7.4301, 43.7499)))
    # the vertices 0 and 2
    assert wp.sssp(streets, place).dist.tolist() == wp.sssp(streets, 0).dist.tolist()
    assert list(wp.path(streets, place, other)) == [0, 1, 2]
    assert wp.path(streets, place, place).length == 0
    table = wp.distances(streets, [place, 3], [other])
    assert (table.source_indices.tolist(), table.dist.tolist()) == ([0, 3], [[7], [11]])
    trips = wp.pairs(streets, [3, place], (other, 1))
    assert (trips.origins.tolist(), trips.dist.tolist()) == ([3, 0], [11, 2])
    assert wp.nearest(streets, {place, other}).facilities.tolist() == [0, 2]
    assert wp.within(streets, place, 2).vertices.tolist() == [0, 1]
    assert wp.within(streets, place, 4, reverse=True).vertices.tolist() == [0, 3]
    assert wp.totals(streets, "sum", sources=place)["sum"].tolist() == [17]
    assert wp.plan(streets, place, target=other).algorithm
    assert streets.index_of(np.array([place, 3], object)).tolist() == [0, 3]
    assert list(wp.sssp(streets, 0).path_to(other)) == [0, 1, 2]


def test_results_say_how_far_places_moved(streets):
    place = wp.Place(7.42, 43.741, snap="vertex")
    route = wp.path(streets, place, 3)
    ((given, vertex, metres, point, *along),) = route.snapped
    assert (given, vertex, point, along) == (place, 1, (7.42, 43.74), [None] * 3)
    assert metres == streets.nearest_vertex(7.42, 43.741, with_distance=True)[1]
    assert route.plan.notes[-1] == "7.42,43.741 is taken as vertex 1, 111 m away"
    for found in (
        wp.sssp(streets, place),
        wp.distances(streets, place),
        wp.pairs(streets, place, 0),
        wp.nearest(streets, place),
        wp.within(streets, place, 2),
        wp.totals(streets, "sum", sources=place),
    ):
        assert found.snapped == route.snapped
        assert found.plan.notes[-1] == route.plan.notes[-1]
    many = wp.distances(streets, [place] * 2, [place, 0])
    assert len(many.snapped) == 3
    assert many.plan.notes[-1].startswith("3 places are taken as their nearest vertices, 111 m")
    # The plan that is cached for the options of a call gets no notes of one call.
    assert not any("taken as" in note for note in wp.path(streets, 0, 3).plan.notes)
    assert wp.path(streets, 0, 3).snapped == ()


def test_a_tuple_that_looks_like_a_coordinate_is_called_one(streets, named):
    for graph in (streets, named):
        for given in ((7.42, 43.74), [7.42, 43.74], [(7.42, 43.74)], np.array([[7.42, 43.74]])):
            with pytest.raises(VertexError, match=r"give it as wp.Place\(7.42, 43.74\)"):
                wp.sssp(graph, given)
        with pytest.raises(VertexError) as error:
            graph.index_of([0.5])
        assert "coordinate" not in str(error.value)
    grid = wp.Graph.of([((0.5, 1.5), (0.5, 2.5), 1)])
    assert grid.index_of([(0.5, 2.5)]).tolist() == [1]


@pytest.mark.parametrize("value", [math.nan, math.inf, "7", None, 1j])
def test_odd_coordinates_are_refused(streets, value):
    for make in (lambda: wp.Place(value, 43.7), lambda: wp.Place(7.4, value)):
        with pytest.raises(InputError, match="must be a finite number"):
            make()
    if not isinstance(value, str):
        with pytest.raises(InputError, match="lat "):
            streets.nearest_vertex(7.4, value)


@pytest.mark.filterwarnings("error")
def test_a_coordinate_beyond_float64_is_not_finite(streets):
    with pytest.raises(InputError, match="lat has the value inf: finite numbers are needed"):
        streets.nearest_vertex(7.4, np.longdouble("1e4000"))


@pytest.mark.filterwarnings("error")
def test_complex_coordinates_are_refused(streets):
    for lat in (np.complex64(1), [43.7 + 0j], np.array([43.7j])):
        with pytest.raises(InputError, match=r"lat = .* must be a number or an array of numbers"):
            streets.nearest_vertex([7.4], lat)


def test_odd_arguments_of_nearest_vertex_are_refused(streets):
    with pytest.raises(InputError, match="a coordinate has one of each"):
        streets.nearest_vertex([7.4, 7.5], [43.7])
    with pytest.raises(InputError, match=r"lon has shape \(1, 1\)"):
        streets.nearest_vertex([[7.4]], 43.7)
    for within in (-1, math.nan, "near"):
        with pytest.raises(InputError, match=r"within = .* must be a number, 0 or more"):
            streets.nearest_vertex(7.42, 43.74, within)
        with pytest.raises(InputError, match=r"within = .* must be a number, 0 or more"):
            wp.Place(7.42, 43.74, within=within)
    with pytest.raises(InputError, match="with_distance"):
        streets.nearest_vertex(7.42, 43.74, with_distance=1)


def test_the_search_is_built_once(streets):
    assert points_of(streets) is points_of(streets)


@pytest.mark.parametrize("vertices", [{(): "a"}, {(0, 1): "a"}, np.array(None, dtype=object)])
def test_what_is_neither_a_vertex_nor_several_is_refused(vertices):
    with pytest.raises(wp.VertexError, match="is not a vertex"):
        wp.sssp(wp.Graph.of([(0, 1, 2)]), vertices)


def test_a_point_whose_square_overflows_has_a_nearest_vertex():
    graph = wp.Graph.of([(0, 1, 1)], coordinates=[(0, 0), (1, 1)])
    assert graph.nearest_vertex(0.5, -1e300, within=1e301) == 0
