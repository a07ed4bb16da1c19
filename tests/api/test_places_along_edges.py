"""Distances of points along edges, against graphs in which these points are vertices."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import warpath as wp
from warpath.base.errors import NoPathError
from warpath.graph.links import between
from warpath.graph.nearest_edges import edges_of
from warpath.graph.places import places_to_vertices
from warpath.graph.turns import Turns
from warpath.results.names import names_of

NEVER = np.iinfo(np.int64).max


def _town(seed, *, directed=True, kind=np.int64):
    """Streets of a grid with bent and parallel edges, some of them one-way."""
    rng = np.random.default_rng(seed)
    n = 12
    points = np.array([(x, y) for x in range(4) for y in range(3)]) * 100.0
    points += rng.integers(-30, 30, points.shape)
    ends = [(u, v) for u in range(n) for v in range(u + 1, n) if rng.random() < 0.25]
    ends += [(v, u) for u, v in ends if rng.random() < 0.6]
    ends += ends[:3]
    src, dst = np.array(ends).T
    weights = rng.integers(0, 50, len(src)).astype(kind)
    if np.dtype(kind).kind == "f":
        weights += rng.random(len(src)).astype(kind)
    return wp.Graph.from_edges(src, dst, weights, n=n, directed=directed, coordinates=points)


def _places(graph, seed, count=14):
    rng = np.random.default_rng(seed)
    low, high = graph.coordinates.min(axis=0), graph.coordinates.max(axis=0)
    places = [wp.Place(*xy, within=1e9) for xy in rng.uniform(low, high, (count, 2)).tolist()]
    edge = places_to_vertices(graph, places[:1]).along[0]  # two more on the street of the first one
    u, v = int(np.searchsorted(graph.indptr, edge, "right") - 1), int(graph.indices[edge])
    a, b = graph.coordinates[[u, v]]
    return [*places, *(wp.Place(*(a + f * (b - a)).tolist()) for f in (0.25, 0.75))]


def _densified(graph, ends):
    """Return a graph with a vertex for each point along an edge, and those of the entries."""
    src, dst, weights = (each.tolist() for each in graph.edges())
    chosen, count = ends.indices.copy(), graph.n
    cuts: dict[int, list[tuple[float, int]]] = {}
    for at in np.flatnonzero(ends.along >= 0).tolist():
        chosen[at] = count
        for edge in (ends.along[at], ends.back[at]):
            if edge >= 0:
                cuts.setdefault(int(edge), []).append((ends.fractions[at], count))
        count += 1
    for edge, points in cuts.items():
        w, integer = weights[edge], graph.dist_dtype.kind == "i"
        forward = edge in ends.along
        stops, upto = [src[edge] if forward else dst[edge]], [0]
        for fraction, vertex in sorted(points):
            stops.append(vertex)
            upto.append(int(np.floor(w * fraction + 0.5)) if integer else w * fraction)
        stops.append(dst[edge] if forward else src[edge])
        upto.append(w)
        parts = np.diff(upto).tolist()
        if not forward:
            stops.reverse()
            parts.reverse()
        src += stops[:-1]
        dst += stops[1:]
        weights += parts
    return wp.Graph.from_edges(src, dst, np.array(weights, graph.weight_dtype), n=count), chosen


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_tables_pairs_and_routes_are_those_of_a_graph_with_the_points_as_vertices(seed, directed):
    graph = _town(seed, directed=directed)
    entries = [*_places(graph, seed), 0, 5]
    dense, vertices = _densified(graph, places_to_vertices(graph, entries))
    right = wp.distances(dense, vertices, vertices).dist
    table = wp.distances(graph, entries, entries, predecessors=True)
    assert table.dist.tolist() == right.tolist()
    to_all = wp.distances(dense, vertices, range(graph.n)).dist
    assert wp.distances(graph, entries).dist.tolist() == to_all.tolist()
    from_all = wp.distances(dense, range(graph.n), vertices).dist
    assert wp.distances(graph, range(graph.n), entries).dist.tolist() == from_all.tolist()
    rows, columns = (each.ravel().tolist() for each in np.indices(right.shape))
    trips = wp.pairs(graph, [entries[i] for i in rows], [entries[j] for j in columns])
    assert trips.dist.tolist() == right.ravel().tolist()
    for cutoff in (0, 40):
        cut = wp.distances(graph, entries, entries, cutoff=cutoff).dist
        assert cut.tolist() == np.where(right <= cutoff, right, NEVER).tolist()
    totals = wp.totals(graph, ["sum", "count"], sources=entries, targets=entries)
    reached = right != NEVER
    assert totals["sum"].tolist() == np.where(reached, right, 0).sum(axis=1).tolist()
    assert totals["count"].tolist() == reached.sum(axis=1).tolist()
    for i, j in zip(rows[::17], columns[::17], strict=True):
        if right[i, j] == NEVER:
            with pytest.raises(NoPathError):
                wp.path(graph, entries[i], entries[j])
            continue
        route = table.path(entries[i], entries[j])
        assert (route.length, route.weights.sum()) == (right[i, j], right[i, j])
        _check(graph, route)
        last = table.pred[i, j]
        assert last == -1 or to_all[i, last] <= right[i, j]


def _check(graph, route):
    """Check that a route is connected, and that its line has its coordinates."""
    src, dst, _ = graph.edges()
    stops = [-1] * (route.points[0] is not None) + route.indices.tolist()
    stops += [-1] * (route.points[1] is not None)
    for edge, u, v in zip(route.edges, stops[:-1], stops[1:], strict=True):
        assert u in {-1, src[edge]}
        assert v in {-1, dst[edge]}
    line, corners = route.line, route.coordinates
    assert line[0].tolist() == corners[0].tolist()
    assert line[-1].tolist() == corners[-1].tolist()
    if len(route.edges):
        lengths = np.hypot(*np.diff(graph.coordinates[[src, dst]], axis=0)[0].T)
        metres = np.hypot(*np.diff(line, axis=0).T).sum()
        assert route.along(lengths) == pytest.approx(metres)


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_float_sums_are_the_link_plus_the_distance_plus_the_link(kind):
    graph = _town(1, kind=kind)
    entries = _places(graph, 1)
    dense, vertices = _densified(graph, places_to_vertices(graph, entries))
    dist = wp.distances(graph, entries, entries).dist
    assert dist.dtype == kind
    right = wp.distances(dense, vertices, vertices).dist
    assert np.allclose(dist, right, rtol=20 * np.finfo(kind).eps)
    prepared = wp.prepare(graph)
    assert np.allclose(
        prepared.distances(entries, entries).dist, dist, rtol=20 * np.finfo(kind).eps
    )


@pytest.mark.parametrize("seed", range(3))
def test_prepared_graphs_and_files_have_the_same_distances(seed, tmp_path):
    graph = _town(seed)
    entries = [*_places(graph, seed), 3]
    table = wp.distances(graph, entries, entries).dist
    city = wp.prepare(graph)
    assert city.distances(entries, entries).dist.tolist() == table.tolist()
    assert city.pairs(entries, entries[::-1]).dist.tolist() == np.diag(table[:, ::-1]).tolist()
    file = tmp_path / "table.npy"
    assert wp.distances(graph, entries, entries, out=file).dist.tolist() == table.tolist()
    blocks = {}
    wp.distances(
        graph, entries, entries, out=lambda rows, part: blocks.update({rows.start: part.copy()})
    )
    assert np.concatenate(list(blocks.values())).tolist() == table.tolist()
    narrow = wp.distances(graph, entries, entries, dist_dtype="int32").dist
    assert np.array_equal(narrow == np.iinfo(np.int32).max, table == NEVER)


def test_two_points_of_one_edge_are_as_far_as_the_part_between_them():
    long = wp.Graph.of([(0, 1, 1110)], coordinates=[(7.40, 43.7), (7.41, 43.7)], directed=False)
    near, far = wp.Place(7.402, 43.7001), wp.Place(7.4031, 43.7002)
    there, back = wp.path(long, near, far), wp.path(long, far, near)
    assert (there.length, back.length) == (122, 122)
    assert (there.vertices.tolist(), len(there.edges)) == ([], 1)
    assert there.to_geojson()["geometry"]["coordinates"] == [
        list(snap.point) for snap in there.snapped
    ]
    assert repr(there) == "<Route of length 122 over 1 edges: 7.402,43.7001 -> 7.4031,43.7002>"
    same = wp.path(long, near, near)
    assert (same.length, len(same.edges), same.to_geojson()["geometry"]["type"]) == (0, 0, "Point")


def test_a_one_way_street_leads_round_the_block():
    block = [(0, 1, 100), (1, 2, 70), (2, 3, 100), (3, 0, 70)]
    square = wp.Graph.of(block, coordinates=[(0, 0), (100, 0), (100, 70), (0, 70)])
    first, second = wp.Place(20, -1), wp.Place(50, -1)
    assert wp.path(square, first, second).length == 30
    around = wp.path(square, second, first)
    assert (around.length, list(around)) == (310, [1, 2, 3, 0])
    assert around.along([100, 70, 100, 70]) == pytest.approx(310)
    assert around.line[[0, -1]].tolist() == [[50, 0], [20, 0]]


def test_snaps_say_the_edge_and_the_offset():
    road = wp.Graph.of([("a", "b", 7), ("b", "a", 9)]).with_coordinates([(0, 0), (10, 0)])
    (snap,) = wp.path(road, wp.Place(3.5, 2, within=5), "b").snapped
    assert (snap.vertex, snap.edge, snap.fraction, snap.offset) == ("a", ("a", "b"), 0.35, 2)
    assert (snap.point, snap.distance) == ((3.5, 0.0), 2)
    route = wp.path(road, wp.Place(3.5, 2, within=5), "b")
    assert route.plan.notes[-1] == (
        "3.5,2 is taken as the point after 35 % of the edge a -> b, 2 away"
    )
    # Parts of a weight are rounded, halves up, and add up to it: 7 = 2 + 5 and 9 = 3 + 6.
    place = wp.Place(3.5, 2, within=5)
    table = wp.distances(road, [place, "a", "b"], [place, "a", "b"]).dist
    assert table.tolist() == [[0, 3, 5], [2, 0, 7], [6, 9, 0]]


def test_ends_of_edges_and_vertices_without_edges_are_vertices():
    graph = wp.Graph.from_edges([0, 1], [1, 2], n=4, coordinates=[(0, 0), (9, 0), (9, 9), (50, 50)])
    ends = places_to_vertices(
        graph, [wp.Place(-3, 0), wp.Place(9, 0), wp.Place(48, 49), wp.Place(9, 4)]
    )
    assert ends.indices.tolist() == [0, 1, 3, 1]
    assert (ends.along >= 0).tolist() == [False, False, False, True]
    at_vertices = [wp.Place(9, 4, snap="vertex"), wp.Place(2, 0, snap="vertex")]
    assert places_to_vertices(graph, at_vertices).only_vertices
    assert graph.index_of([wp.Place(9, 4)]).tolist() == [1]


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_paths_from_a_point_are_those_of_a_graph_with_the_point_as_a_vertex(seed, directed):
    graph = _town(seed, directed=directed)
    places = _places(graph, seed)
    dense, vertices = _densified(graph, places_to_vertices(graph, places))
    right = wp.distances(dense, vertices, range(graph.n)).dist
    for place, row in zip(places, right, strict=True):
        paths = wp.sssp(graph, place)
        assert paths.dist.tolist() == row.tolist()
        wp.verify(graph, paths)
        assert paths.stats["reached"] == paths.reached.sum()
        cut = wp.sssp(graph, place, cutoff=30, dist_dtype="int32")
        assert cut.to_numpy(-1).tolist() == np.where(row <= 30, row, -1).tolist()
        for target in np.flatnonzero(paths.reached).tolist():
            route = paths.path_to(target)
            assert (route.length, route.weights.sum()) == (row[target], row[target])
            _check(graph, route)
            before = paths.pred[target]
            assert (before == -1) == (len(route) == 1)
            assert before == -1 or before == route.indices[-2]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_facilities_and_isochrones_at_points_are_those_of_vertices_there(seed, directed, reverse):
    graph = _town(seed, directed=directed)
    entries = [*_places(graph, seed)[::3], 0, 7]
    dense, vertices = _densified(graph, places_to_vertices(graph, entries))
    everyone = range(graph.n)
    ends = (everyone, vertices) if reverse else (vertices, everyone)
    table = wp.distances(dense, *ends).dist
    right = table.T if reverse else table
    least = right.min(axis=0)
    near = wp.nearest(graph, entries, reverse=reverse)
    assert near.dist.tolist() == least.tolist()
    reached = np.flatnonzero(near.reached)
    assert right[near.facility_rows[reached], reached].tolist() == least[reached].tolist()
    assert (near.facility_rows[~near.reached] == -1).all()
    several = wp.within(graph, entries, [5, 30], reverse=reverse)
    assert several.to_numpy(-1).tolist() == np.where(least <= 30, least, -1).tolist()
    alone = [
        (wp.within(graph, each, 30, reverse=reverse), right[i]) for i, each in enumerate(entries)
    ]
    for found, row in [(several, least), *alone]:
        assert found.to_numpy(-1).tolist() == np.where(row <= 30, row, -1).tolist()
        for target in found.indices.tolist():
            route = found.path_to(target)
            assert (route.length, route.weights.sum()) == (row[target], row[target])
            _check(found.searched, route)


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_float_paths_from_a_point_have_the_bits_of_paths_from_a_vertex_there(kind):
    graph = _town(1, kind=kind)
    places = _places(graph, 1)
    dense, vertices = _densified(graph, places_to_vertices(graph, places))
    for place, vertex in zip(places, vertices.tolist(), strict=True):
        right = wp.sssp(dense, vertex).dist[: graph.n]
        near = wp.nearest(graph, [place, place])
        for found in (wp.sssp(graph, place), near):
            assert found.dist.dtype == kind
            assert np.allclose(found.dist, right, rtol=4 * np.finfo(kind).eps)
        assert (near.count_of_facilities, set(near.facility_rows.tolist()) - {-1}) == (1, {0})


@pytest.mark.parametrize("areas", [False, True])
@pytest.mark.parametrize("closed", [3, 8])
@pytest.mark.parametrize("seed", range(2))
def test_closed_vertices_and_areas_hold_for_paths_from_points(seed, closed, areas):
    town = _town(seed)
    src, dst, weights = town.edges()
    graph = wp.Graph.from_edges(
        src,
        dst,
        weights,
        n=town.n,
        coordinates=town.coordinates,
        first_through=closed,
        areas=areas,
    )
    entries = [*_places(graph, seed), 0, 9]
    right = wp.distances(graph, entries).dist
    back = wp.distances(graph, range(graph.n), entries).dist.T
    for entry, row, to in zip(entries, right, back, strict=True):
        paths = wp.sssp(graph, entry)
        assert paths.dist.tolist() == row.tolist()
        wp.verify(graph, paths)
        for target in np.flatnonzero(paths.reached).tolist():
            assert paths.path_to(target).weights.sum() == row[target]
        for near, expected in ((wp.within(graph, entry, 60), row),
                               (wp.within(graph, entry, 60, reverse=True), to)):  # fmt: skip
            assert near.to_numpy(-1).tolist() == np.where(expected <= 60, expected, -1).tolist()
            for target in near.indices.tolist():
                assert near.path_to(target).weights.sum() == expected[target]
    assert wp.nearest(graph, entries[::5]).dist.tolist() == right[::5].min(axis=0).tolist()
    near = wp.nearest(graph, entries[::5], reverse=True)
    assert near.dist.tolist() == back[::5].min(axis=0).tolist()


def test_negative_weights_and_rounds_work_from_points():
    points = [(0, 0), (10, 0), (20, 0), (10, 10)]
    edges = [("a", "b", 10), ("b", "c", -4), ("c", "d", 1), ("b", "d", 2)]
    graph = wp.Graph.of(edges).with_coordinates(points)
    place = wp.Place(5, 0, name="home")
    paths = wp.sssp(graph, place)
    assert paths.to_numpy(-9).tolist() == [-9, 5, 1, 2]
    assert list(paths.path_to("d")) == ["b", "c", "d"]
    assert wp.nearest(graph, [place, "c"]).dist.tolist()[1:] == [5, 0, 1]
    halfway = wp.Place(15, 0)  # after "b", which is beyond the cutoff
    assert wp.distances(graph, ["a"], [halfway], cutoff=9).dist.tolist() == [[8]]
    assert wp.sssp(graph, place, trace=True).trace.run.source == "5,0"
    looped = wp.Graph.of([*edges, ("d", "b", 1)]).with_coordinates(points)
    with pytest.raises(wp.NegativeCycleError) as caught:
        wp.sssp(looped, place)
    assert set(caught.value.cycle) == {"b", "c", "d"}


def test_isochrones_cut_the_edge_of_their_point():
    road = wp.Graph.of([(0, 1, 100), (1, 0, 50)], coordinates=[(0, 0), (100, 0)])
    place = wp.Place(40, 1)
    near = wp.within(road, place, [10, 30])
    assert (near.vertices.tolist(), near.dist.tolist(), near.source) == ([0], [20], place)
    parts = dict(
        zip(
            zip(*(each.tolist() for each in near.parts()[:2]), strict=True),
            zip(*(each.tolist() for each in near.parts()[2:]), strict=True),
            strict=True,
        )
    )
    expected = {(0, 0): (0.4, 0.5), (0, 1): (0.5, 0.7), (1, 0): (0.6, 0.8), (1, 1): (0.8, 1.0)}
    assert sorted(parts) == sorted([*expected, (0, 1)][:4])
    for part, ends in expected.items():
        assert parts[part] == pytest.approx(ends)
    none = wp.within(road, place, 5)
    assert (len(none), len(none.segments()[0])) == (0, 2)
    assert repr(none).startswith("<Within, from 40,1: 0 within 5")


def test_facilities_at_points_with_the_same_nearer_end_stay_apart():
    road = wp.Graph.of([(0, 1, 10), (0, 2, 10)], directed=False).with_coordinates(
        [(0, 0), (10, 0), (-10, 0)]
    )
    left, right = wp.Place(-3, 0, name="left"), wp.Place(4, 0, name="right")
    near = wp.nearest(road, [left, right])
    assert (near.dist.tolist(), near.facility_rows.tolist()) == ([3, 6, 7], [0, 1, 0])
    assert (near.facilities.tolist(), near.count_of_facilities) == ([0, 0], 2)
    assert names_of(near, near.starts) == ["left", "right"]


def test_results_from_points_are_pickled_saved_and_read_back(tmp_path):
    graph = _town(1)
    paths = wp.sssp(graph, _places(graph, 1)[2])
    paths.save(tmp_path / "tree.npz")
    target = int(np.argmax(np.where(paths.reached, paths.dist, -1)))
    pickled = pickle.loads(pickle.dumps(paths))  # noqa: S301 - our own bytes
    for copy in (pickled, wp.Paths.load(graph, tmp_path / "tree.npz")):
        assert str(copy.source) == str(paths.source)
        assert (copy.dist.tolist(), copy.pred.tolist()) == (
            paths.dist.tolist(),
            paths.pred.tolist(),
        )
        wp.verify(graph, copy)
    assert repr(copy.path_to(target)) == repr(paths.path_to(target))
    with pytest.raises(wp.NotSupportedError, match="needs the graph"):
        pickled.path_to(target)
    paths.save(tmp_path / "tree.csv")
    with pytest.raises(wp.GraphFormatError, match="points along edges are read from"):
        wp.Paths.load(graph, tmp_path / "tree.csv")
    paths.dist = paths.dist + (np.arange(graph.n) == target)
    with pytest.raises(wp.VerificationError):
        wp.verify(graph, paths)
    with pytest.raises(wp.InputError, match="verify the paths from each place"):
        wp.verify(graph, wp.distances(graph, paths.source))


def test_dynamic_paths_refuse_points_along_edges_and_say_what_to_give():
    road = wp.Graph.of([(0, 1, 10), (1, 2, 10)], coordinates=[(0, 0), (10, 0), (20, 0)])
    with pytest.raises(wp.NotSupportedError, match="DynamicPaths starts at vertices") as caught:
        wp.DynamicPaths(road, sources=[0, wp.Place(13, 0, within=5)])
    remedy = str(caught.value).partition("give ")[2].partition(" for the")[0]
    live = wp.DynamicPaths(road, eval(remedy, {"wp": wp}))  # noqa: S307 - our own text
    assert live.source == 1


def test_a_closed_end_of_a_street_is_not_passed_through():
    # 0 is closed: a path may end there but not continue to 3.
    edges = [(1, 0, 10), (0, 1, 10), (0, 3, 5), (3, 0, 5), (1, 2, 4)]
    points = [(0, 0), (10, 0), (10, 10), (-10, 0)]
    graph = wp.Graph.of(edges, coordinates=points, first_through=1)
    place, beyond = wp.Place(4, 0), wp.Place(-4, 0)
    dist = wp.distances(graph, [place], [0, 1, 2, 3, beyond]).dist
    assert dist.tolist() == [[4, 6, 10, NEVER, NEVER]]
    assert wp.distances(graph, [0, 1, 3], [place]).dist.tolist() == [[4], [6], [NEVER]]
    assert list(wp.path(graph, place, 0)) == [0]


def test_turns_after_and_before_a_point_are_those_of_its_edge():
    edges = [(0, 1, 10), (1, 0, 10), (1, 2, 10), (2, 1, 10), (2, 3, 10)]
    points = [(0, 0), (10, 0), (20, 0), (30, 0)]
    road = wp.Graph.of(edges, coordinates=points)
    # From 0 to 1 one may not go on to 2, and nobody turns back at 1 or 2.
    turns = Turns([(0, 2)], [1, 0, 3, 2, -1])
    road = wp.Graph(road.indptr, road.indices, road.weights, coordinates=points, turns=turns)
    first, second, last = wp.Place(2, 0), wp.Place(6, 0), wp.Place(16, 0)
    table = wp.distances(road, [first, second, 1], [second, last, 3, first])
    assert table.dist.tolist() == [[4, NEVER, NEVER, 0], [0, NEVER, NEVER, 4], [4, 6, 20, 8]]
    assert wp.pairs(road, [first, 1], [second, 3]).dist.tolist() == [4, 20]
    route = wp.path(road, 1, last)
    assert (route.length, route.indices.tolist(), route.edges.tolist()) == (6, [1], [2])
    back = wp.path(road, last, first)
    assert (back.length, back.indices.tolist(), back.edges.tolist()) == (14, [1], [3, 1])
    with pytest.raises(NoPathError):
        wp.path(road, first, last)
    assert wp.sssp(road, last).pred.tolist() == [1, -1, -1, 2]


@pytest.mark.parametrize("seed", range(12))
def test_one_search_from_places_honours_turns_as_tables_do(seed):
    town, rng = _town(seed), np.random.default_rng(seed)
    firsts = np.repeat(np.arange(town.m), np.diff(town.indptr)[town.indices])
    begins = np.concatenate([np.arange(*town.indptr[v : v + 2]) for v in town.indices])
    banned = np.stack([firsts, begins], axis=1)[rng.random(len(firsts)) < 0.3]
    turns = Turns(banned, np.full(town.m, -1), left=3)
    parts = town.indptr, town.indices, town.weights
    graph = wp.Graph(*parts, coordinates=town.coordinates, turns=turns)
    places = [*_places(graph, seed, 4), 3]
    there, back = wp.distances(graph, places).dist, wp.distances(graph, range(graph.n), places).dist
    for place, row, column in zip(places, there.tolist(), back.T.tolist(), strict=True):
        paths = wp.sssp(graph, place)
        assert paths.dist.tolist() == row
        for t in np.flatnonzero(paths.reached).tolist():
            assert paths.path_to(t).length == row[t] == paths.path_to(t).weights.sum()
        within = wp.within(graph, place, 60)
        assert within.dist.tolist() == sorted(d for d in row if d <= 60)
        assert len(within.parts()[0]) or len(within.dist) == 1  # no edge leaves it
        to = wp.within(graph, place, 60, reverse=True)
        assert to.dist.tolist() == sorted(d for d in column if d <= 60)
    near = wp.nearest(graph, places)
    assert near.dist.tolist() == there.min(axis=0).tolist()
    reached = np.flatnonzero(near.reached)
    assert (there[near.facility_rows[reached], reached] == near.dist[reached]).all()
    assert wp.nearest(graph, places, reverse=True).dist.tolist() == back.min(axis=1).tolist()
    for v in np.flatnonzero(there.min(axis=0) <= 60).tolist():
        assert wp.within(graph, places, 60).path_to(v).length == near.dist[v]


def test_missing_entries_are_unreachable_and_flagged():
    graph = _town(2)
    near, far = _places(graph, 2)[0], wp.Place(1e6, 1e6)
    right = wp.distances(graph, [near, 3], [near, 4]).dist
    table = wp.distances(
        graph, [near, far, 3, None], [near, 4, far], missing="flag", predecessors=True
    )
    assert table.dist[[0, 2], :2].tolist() == right.tolist()
    assert (table.dist[table.missing] == NEVER).all()
    assert table.missing.sum() == 8
    assert (table.pred[table.missing] == -1).all()
    assert table.plan.notes[-1].startswith("missing entries are unreachable: sources[3] is None")
    assert "2 of 7 places are too far from the graph" in table.plan.notes[-1]
    assert table.sources.tolist()[1::2] == [None, None]
    assert len(table.snapped) == 2
    trips = wp.pairs(graph, [near, far, 3], [4, 4, None], missing="flag")
    assert (trips.missing.tolist(), trips.reached.tolist()[1:]) == (
        [False, True, True],
        [False] * 2,
    )
    assert trips.to_pandas()["missing"].tolist() == [False, True, True]
    assert trips.to_pandas()["origin"].isna().tolist() == [False, True, False]
    road = wp.Graph.of([(0, 1, 10)], coordinates=[(0, 0), (100, 0)])
    beside, on = wp.Place(50, -2000), wp.Place(50, 0)  # nearest to the middle of the edge
    dist = wp.distances(road, [beside, on], [beside, 1], missing="flag").dist
    assert dist.tolist() == [[NEVER, NEVER], [NEVER, 5]]
    assert wp.pairs(road, [on, beside], [1, on], missing="flag").dist.tolist() == [5, NEVER]
    none = wp.pairs(graph, [far], [far], missing="flag")
    assert (none.dist.tolist(), none.missing.tolist()) == ([NEVER], [True])
    with pytest.raises(
        NoPathError, match="no path of trip 1: its origin or its destination is mis"
    ):
        trips.route(1)
    with pytest.raises(wp.InputError, match="missing = 'ignore' must be 'raise' or 'flag'"):
        wp.pairs(graph, [near], [3], missing="ignore")


def test_missing_sources_and_facilities_are_left_out():
    graph = _town(2)
    far = wp.Place(1e6, 1e6)
    totals = wp.totals(graph, ["sum", "count"], sources=[3, far], targets=[4, None], missing="flag")
    right = wp.totals(graph, ["sum", "count"], sources=[3], targets=[4])
    assert totals["sum"].tolist() == [right["sum"][0], 0]
    assert totals["count"].tolist() == [right["count"][0], 0]
    assert totals.missing.tolist() == [False, True]
    nearest = wp.nearest(graph, [far, 3, None, 4], missing="flag")
    assert nearest.missing.tolist() == [True, False, True, False]
    assert nearest.dist.tolist() == wp.nearest(graph, [3, 4]).dist.tolist()
    assert "missing entries are unreachable: facilities[2] is None" in nearest.plan.notes[-1]
    with pytest.raises(wp.VertexError, match="all facilities are missing: Place"):
        wp.nearest(graph, [far], missing="flag")


def test_missing_trips_have_empty_fields_in_files(tmp_path):
    graph = _town(2)
    trips = wp.pairs(graph, [wp.Place(1e6, 1e6), 3], [4, 4], missing="flag")
    trips.save(tmp_path / "trips.csv")
    assert (tmp_path / "trips.csv").read_text().splitlines()[1].startswith(",4,,")


def test_the_search_for_edges_is_built_once():
    graph = _town(0)
    assert edges_of(graph) is edges_of(graph)


@pytest.mark.parametrize("turns", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_areas_are_left_and_entered_from_points_inside_but_not_passed(seed, turns):
    town = _town(seed)
    closed = wp.Graph(
        town.indptr,
        town.indices,
        town.weights,
        coordinates=town.coordinates,
        first_through=5,
        areas=True,
        turns=Turns(np.empty((0, 2)), np.full(town.m, -1)) if turns else None,
    )
    entries = [*_places(closed, seed), 0, 7]
    ends = places_to_vertices(closed, entries)
    table = wp.distances(closed, entries, entries).dist.tolist()
    phased, starts, stops = _in_phases(closed, ends)
    outside = wp.distances(phased, starts, stops).dist
    rows, columns = np.indices(outside.shape)
    direct = between(closed, ends, ends, rows.ravel(), columns.ravel()).reshape(outside.shape)
    assert table == np.minimum(outside, direct).tolist()
    for i, j in ((0, 5), (3, 9), (16, 2)):
        if table[i][j] != NEVER:
            route = wp.path(closed, entries[i], entries[j])
            assert (route.length, route.weights.sum()) == (table[i][j], table[i][j])
            _check(closed, route)


def _in_phases(graph, ends):
    """Return a graph whose paths have closed vertices, then open ones, then closed ones.

    Its vertices are those of the graph three times, then the starts and the ends of the entries.
    """
    n, count = graph.n, len(ends.indices)
    edges, starts, stops = (
        [],
        np.arange(3 * n, 3 * n + count),
        np.arange(3 * n + count, 3 * n + 2 * count),
    )

    def phases(vertex, first, last):
        return [1] if vertex >= graph.first_through else [first, last]

    src, dst, weights = (each.tolist() for each in graph.edges())
    for u, v, w in zip(src, dst, weights, strict=True):
        edges += [
            (u + n * before, v + n * after, w)
            for before in phases(u, 0, 2)
            for after in phases(v, 0, 2)
            if before <= after and (after != 2 or before >= 1)
        ]
    for at in range(count):
        if ends.along[at] < 0:
            v = int(ends.indices[at])
            for phase in phases(v, 0, 2):
                edges += [(starts[at], v + n * phase, 0)] * (phase < 2)
                edges += [(v + n * phase, stops[at], 0)]
            continue
        for edge, forward in ((ends.along[at], True), (ends.back[at], False)):
            if edge < 0:
                continue
            u, v, w = src[edge], dst[edge], weights[edge]
            part = int(np.floor(w * ends.fractions[at] + 0.5))
            upto, rest = (part, w - part) if forward else (w - part, part)
            edges += [(starts[at], v + n * phases(v, 0, 0)[0], rest)]
            edges += [(u + n * phase, stops[at], upto) for phase in phases(u, 0, 2)]
    columns = np.array(edges).T
    return wp.Graph.from_edges(*columns, n=3 * n + 2 * count), starts, stops


def test_a_table_with_missing_entries_is_traced():
    graph = wp.Graph.of([("a", "b", 1), ("b", "c", 2)])
    table = wp.distances(graph, ["a", None, "c"], missing="flag", trace=True)
    assert table.stats["settled"] == 4
    assert table.dist[0].tolist() == [0, 1, 3]


@pytest.mark.parametrize("kind", [np.int64, np.float64])
@pytest.mark.parametrize("seed", range(10))
def test_sums_along_many_routes_between_places_are_those_of_each(seed, kind):
    town, rng = _town(seed, directed=seed % 2 == 0, kind=kind), np.random.default_rng(seed)
    parts: dict[str, object] = {"coordinates": town.coordinates}
    if seed % 3 == 1:
        parts |= {"first_through": 3, "areas": seed > 4}
    elif seed % 3 == 2:
        firsts = np.repeat(np.arange(town.m), np.diff(town.indptr)[town.indices])
        begins = np.concatenate([np.arange(*town.indptr[v : v + 2]) for v in town.indices])
        banned = np.stack([firsts, begins], axis=1)[rng.random(len(firsts)) < 0.3]
        parts["turns"] = Turns(banned, np.full(town.m, -1), left=3)
    town = wp.Graph(town.indptr, town.indices, town.weights, **parts)
    places = [*_places(town, seed), 4, 7]
    origins, destinations = (
        [places[at] for at in ends] for ends in rng.integers(0, len(places), (2, 50))
    )
    quantity = rng.random(town.m)
    for solver in (wp.Solver(town), wp.prepare(town)):
        trips = solver.pairs(origins, destinations)
        routes = {i: trips.route(i) for i in np.flatnonzero(trips.reached).tolist()}
        assert routes
        sums, numbers = trips.along(quantity), np.arange(town.m)
        assert {i: sums[i] for i in routes} == {i: r.along(quantity) for i, r in routes.items()}
        assert np.isinf(sums[~trips.reached]).all()
        sums = trips.along(numbers)
        assert {i: sums[i] for i in routes} == {i: r.along(numbers) for i, r in routes.items()}
