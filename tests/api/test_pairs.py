"""`prepare` and `pairs`: many trips, with and without preparation."""

from __future__ import annotations

import json
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import warpath as wp
from support import strategies
from warpath.base.dtypes import unreachable
from warpath.base.errors import GraphError, InputError
from warpath.engines.hierarchy import HIERARCHY
from warpath.graph import Graph


@pytest.fixture(scope="module")
def road():
    return wp.generate.road(2000)


@pytest.fixture(scope="module")
def city(road):
    return wp.prepare(road)


@pytest.fixture(scope="module")
def trips(road):
    rng = np.random.default_rng(0)
    return rng.integers(0, road.n, (2, 300))


def test_pairs_are_entries_of_the_table(road, city, trips):
    origins, destinations = trips
    expected = wp.distances(road, origins).dist[np.arange(300), destinations]
    for found in (wp.pairs(road, origins, destinations), city.pairs(origins, destinations)):
        assert found.dist.tolist() == expected.tolist()
        assert found.origins.tolist() == origins.tolist()
        assert found.destinations.tolist() == destinations.tolist()
        assert len(found) == 300
        assert found.stats["seconds"] > 0


def test_a_prepared_solver_searches_in_the_hierarchy_and_an_unprepared_one_does_not(road, city):
    assert city.pairs([0], [9]).plan.algorithm == "geisberger2008.ch"
    assert city.path(0, 9).plan.algorithm == "geisberger2008.ch"
    assert city.plan(sources=[0, 1], targets=[5]).recipe.prepared
    assert not wp.path(road, 0, 9).plan.recipe.prepared
    assert not wp.pairs(road, [0], [9]).plan.recipe.prepared
    assert not wp.plan(road, sources=[0, 1], targets=[5]).recipe.prepared


def test_prepared_answers_are_those_of_the_graph(road, city):
    assert city.sssp(7).dist.tolist() == wp.sssp(road, 7).dist.tolist()
    assert city.sssp(7).pred.tolist() == wp.sssp(road, 7).pred.tolist()
    assert city.sssp(7, cutoff=900).dist.tolist() == wp.sssp(road, 7, cutoff=900).dist.tolist()
    assert city.apsp().dist.tobytes() == wp.apsp(road).dist.tobytes()
    table = city.distances([3, 4], [8, 1], predecessors=True)
    plain = wp.distances(road, [3, 4], [8, 1], predecessors=True)
    assert table.dist.tolist() == plain.dist.tolist()
    assert table.pred.tolist() == plain.pred.tolist()
    assert city.nearest([5, 6]).dist.tolist() == wp.nearest(road, [5, 6]).dist.tolist()
    reverse = city.within(5, 800, reverse=True)
    assert reverse.dist.tolist() == wp.within(road, 5, 800, reverse=True).dist.tolist()
    wp.verify(road, city.sssp(7))


def test_the_route_of_a_trip_is_the_path_of_the_tree(road, city, trips):
    found = city.pairs(*trips)
    for trip in (0, 150, 299):
        route = found.route(trip)
        assert route.indices.tolist() == wp.path(road, *trips[:, trip]).indices.tolist()
        assert route.length == found.dist[trip]
    with pytest.raises(wp.InputError, match=r"trip = 300 must be an integer in 0 \.\. 299"):
        found.route(300)


def test_trips_within_a_vertex_and_trips_without_a_path():
    graph = Graph.of([("a", "b", 2), ("b", "c", 3), ("d", "d", 1)])
    for found in (
        wp.pairs(graph, ["a", "a", "d", "c"], ["c", "a", "d", "a"]),
        wp.prepare(graph).pairs(["a", "a", "d", "c"], ["c", "a", "d", "a"]),
    ):
        assert found.dist[:3].tolist() == [5, 0, 0]
        assert found.reached.tolist() == [True, True, True, False]
        assert found.to_pandas()["distance"].isna().tolist() == [False, False, False, True]
        with pytest.raises(wp.NoPathError):
            found.route(3)


def test_trips_end_at_closed_vertices_and_never_pass_through_them():
    graph = Graph.of([(0, 1, 1), (1, 2, 1), (0, 3, 5), (3, 2, 5), (2, 0, 1)], first_through=2)
    expected = [wp.path(graph, 0, 2).length, 0, wp.path(graph, 0, 1).length]
    for found in (
        wp.pairs(graph, [0, 1, 0], [2, 1, 1]),
        wp.prepare(graph).pairs([0, 1, 0], [2, 1, 1]),
    ):
        assert found.dist.tolist() == expected


def test_as_many_destinations_as_origins_are_needed(road, city):
    for call in (city.pairs, lambda *ends: wp.pairs(road, *ends)):
        with pytest.raises(wp.InputError, match="origins names 2 vertices and destinations 1"):
            call([0, 1], [5])
        with pytest.raises(wp.VertexError):
            call([0], [road.n])


def test_distances_narrow_to_int32_or_say_that_they_do_not_fit(road):
    assert wp.prepare(road).pairs([0], [9], dist_dtype="int32").dist.dtype == np.int32
    long = wp.prepare([(0, 1, 2**31), (1, 2, 2**31)])
    assert long.pairs([0], [2]).dist.tolist() == [2**32]
    with pytest.raises(wp.DistanceOverflowError, match="leave dist_dtype out"):
        long.pairs([0], [2], dist_dtype="int32")


def test_floats_agree_within_rounding_and_trees_are_searched_in_the_graph(road):
    rng = np.random.default_rng(1)
    graph = road.with_weights(rng.random(road.m))
    solver = wp.prepare(graph)
    starts, ends = rng.integers(0, road.n, (2, 50))
    expected = wp.pairs(graph, starts, ends).dist
    assert np.allclose(solver.pairs(starts, ends).dist, expected, rtol=road.n * 2.3e-16, atol=0)
    assert solver.sssp(3).dist.tobytes() == wp.sssp(graph, 3).dist.tobytes()
    assert not solver.path(0, 9).plan.recipe.prepared


@pytest.mark.parametrize(
    ("dtype", "unit", "exact"),
    [
        (np.float64, 0.25, True),
        (np.float64, 0.1, False),
        (np.float32, 2.0, True),
        (np.float32, 2.0**-40, True),
        (np.float32, 0.1, False),
        (np.float32, 3001.0, True),  # though the bound of the hierarchy needs more than 24 bits
        (np.float32, 40001.0, False),
    ],
)
def test_floats_whose_sums_are_exact_have_the_bits_of_an_unprepared_graph(dtype, unit, exact):
    lengths = np.random.default_rng(3).integers(1, 60, wp.generate.road(2000).m)
    graph = wp.generate.road(2000).with_weights((lengths * unit).astype(dtype))
    city = wp.prepare(graph)
    tree, plain = city.sssp(3), wp.sssp(graph, 3)
    assert tree.plan.recipe.prepared == city.path(0, 9).plan.recipe.prepared == exact
    assert tree.dist.tobytes() == plain.dist.tobytes()
    assert tree.pred.tolist() == plain.pred.tolist()
    for target in (9, 700, 1999):
        route, expected = city.path(0, target), wp.path(graph, 0, target)
        assert (route.indices.tolist(), route.length) == (
            expected.indices.tolist(),
            expected.length,
        )
    trips = city.pairs([0, 5], [900, 1500])
    words = "sums of these floats are " + ("exact" if exact else "rounded")
    assert any(words in note for note in trips.plan.notes)
    if exact:
        assert trips.dist.tobytes() == wp.pairs(graph, [0, 5], [900, 1500]).dist.tobytes()
        near, expected = city.nearest([4, 70]), wp.nearest(graph, [4, 70])
        assert near.plan.recipe.prepared
        assert near.dist.tobytes() == expected.dist.tobytes()
        assert near.facility.tolist() == expected.facility.tolist()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@given(data=st.data())
def test_random_floats_have_the_bits_and_the_tree_of_an_unprepared_graph(dtype, data):
    graph = data.draw(strategies.graphs(dtype))
    if data.draw(st.booleans()):  # whole numbers, of which one may need all bits
        weights = np.rint(np.minimum(graph._solver_weights, 9))
        weights[:1] = data.draw(st.sampled_from([1, 2**23 + 1, 2**24, 2**52 + 1]))
        graph = graph.with_weights(weights.astype(dtype))
    wp.prepare(graph, threads=1)
    sweep = wp.Solver(graph, algorithm="delling2011.phast", prepared=True)
    for source in range(graph.n):
        try:
            found = sweep.sssp(source)
        except wp.NotSupportedError as error:
            assert "floats round differently" in str(error)  # noqa: PT017 - one of two outcomes
            continue
        expected = wp.sssp(graph, source, algorithm="classic.dijkstra")
        assert found.dist.tobytes() == expected.dist.tobytes()
        assert found.pred.tolist() == expected.pred.tolist()


@pytest.mark.parametrize(
    ("edges", "error", "message"),
    [
        ([(0, 1, -1), (1, 2, 5)], wp.NegativeWeightError, "1 negative weight, and a hierarchy"),
        ([(0, 1, 2**62), (1, 2, 2**62)] * 2, wp.DistanceOverflowError, "may not fit 64 bits"),
    ],
)
def test_what_cannot_be_prepared_says_why(edges, error, message):
    with pytest.raises(error, match=message):
        wp.prepare(edges)


def test_too_little_memory_is_noticed_before_preparing_starts(monkeypatch):
    graph = wp.generate.road(2000)
    monkeypatch.setenv("WARPATH_MEMORY", "100K")
    calls = []
    message = r"would take 4\d\d\.\d KiB in addition to the graph, but 100\.0 KiB are free"
    with pytest.raises(wp.NotEnoughMemoryError, match=message):
        wp.prepare(graph, progress=lambda *done: calls.append(done))
    assert calls == []
    assert HIERARCHY.cached(graph) is None
    monkeypatch.setenv("WARPATH_MEMORY", "1G")
    wp.prepare(graph)
    monkeypatch.setenv("WARPATH_MEMORY", "100K")
    wp.prepare(graph)  # the hierarchy is there


def test_preparing_reports_its_progress():
    seen = []
    wp.prepare(wp.generate.road(300_000), progress=lambda done, total: seen.append((done, total)))
    assert seen
    assert {total for _, total in seen} == {300_000}
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_trips_are_saved_with_the_names_of_the_file(city, tmp_path):
    found = city.pairs([0, 1], [2, 3])
    found.save(tmp_path / "trips.csv")
    lines = (tmp_path / "trips.csv").read_text().splitlines()
    assert lines[0] == '"origin","destination","distance"'
    assert lines[1] == f"0,2,{found.dist[0]}"
    assert repr(found).startswith("<Pairs: 2 of 2 trips have a path\n  geisberger2008.ch")


def pickled(solver):
    return pickle.loads(pickle.dumps(solver))  # noqa: S301 - our own bytes


def test_a_pickled_solver_has_its_options_and_its_hierarchy(trips):
    zones = Graph.of([(0, 2, 1), (2, 1, 1), (2, 3, 5), (3, 0, 5)], first_through=2)
    for graph, ends in ((wp.generate.road(2000), trips), (zones, ([0, 3], [1, 0]))):
        solver = wp.prepare(graph, threads=2)
        again = pickled(solver)
        assert repr(again) == repr(solver)
        assert again.pairs(*ends).dist.tolist() == solver.pairs(*ends).dist.tolist()
    assert HIERARCHY.cached(pickled(wp.prepare(wp.generate.road(50))).graph)
    plain = pickled(wp.Solver(zones, algorithm="classic.dijkstra"))
    assert plain.sssp(0).plan.algorithm == "classic.dijkstra"
    assert HIERARCHY.cached(plain.graph) is None


def test_threads_share_a_solver(road, city, trips):
    expected = [wp.path(road, *ends).indices.tolist() for ends in trips.T[:80]]
    with ThreadPoolExecutor(8) as pool:
        routes = list(pool.map(lambda ends: city.path(*ends), trips.T[:80]))
        tables = list(pool.map(lambda _: city.pairs(*trips).dist.tolist(), range(16)))
    assert [route.indices.tolist() for route in routes] == expected
    assert all(table == tables[0] for table in tables)


def with_lengths(graph):
    src, dst, _ = graph.edges()
    points = np.random.default_rng(1).random((graph.n, 2)) * 100
    lengths = np.random.default_rng(2).random(graph.m)
    edges = list(zip(src.tolist(), dst.tolist(), graph.weights.tolist(), strict=True))
    graph = Graph.of(edges, n=graph.n, keep_rows=True, coordinates=points)
    graph.given.columns["length"] = lengths.astype(np.float32)
    graph.given.columns["toll"] = np.arange(graph.m, dtype=np.int16)
    graph.given.columns["street"] = np.array(["Main Street"] * graph.m)
    return graph


@pytest.fixture(scope="module")
def toll_roads():
    rng = np.random.default_rng(0)
    edges = rng.integers(0, 40, (70, 2)).tolist()
    return with_lengths(Graph.of([(u, v, 1 + (u * v) % 7) for u, v in edges], n=40))


def own_sums(trips, quantity):
    sums = trips.along(quantity)
    return sums, [
        trips.route(i).along(quantity) if trips.reached[i] else unreachable(sums.dtype)
        for i in range(len(trips))
    ]


@pytest.mark.parametrize("prepared", [False, True])
def test_sums_along_many_routes_are_those_of_each_route(toll_roads, prepared):
    solver = wp.prepare(toll_roads) if prepared else wp.Solver(toll_roads)
    origins, destinations = np.random.default_rng(3).integers(0, 40, (2, 200))
    trips = solver.pairs(origins, destinations)
    assert not trips.reached.all()
    for quantity in ("length", "toll", np.arange(toll_roads.m, dtype=np.uint8) % 5):
        sums, expected = own_sums(trips, quantity)
        assert sums.tolist() == expected
        assert sums.dtype.kind == np.asarray(quantity).dtype.kind or isinstance(quantity, str)
    assert [trips.along(each).dtype for each in ("length", "toll")] == [np.float32, np.int64]


def test_sums_along_routes_between_places_have_parts_of_edges(toll_roads):
    points = np.random.default_rng(4).random((2, 30, 2)) * 100
    origins, destinations = ([wp.Place(*each, within=1000) for each in rows] for rows in points)
    trips = wp.pairs(toll_roads, origins, destinations)
    sums, expected = own_sums(trips, np.random.default_rng(5).random(toll_roads.m))
    assert sums.tolist() == expected


def test_sums_along_routes_are_refused_for_texts_and_unknown_columns(toll_roads):
    trips = wp.pairs(toll_roads, [0, 1], [2, 3])
    for quantity in ("street", "metres", [1, 2]):
        with pytest.raises(GraphError, match="along"):
            trips.along(quantity)


def test_no_trips_have_no_sums(toll_roads):
    assert wp.pairs(toll_roads, [], []).along("toll").tolist() == []


def test_tables_of_trips_have_sums_along_their_routes(toll_roads):
    pytest.importorskip("pandas")
    origins, destinations = np.random.default_rng(3).integers(0, 40, (2, 50))
    trips = wp.pairs(toll_roads, origins, destinations)
    table = trips.to_pandas(along=["toll", "length"])
    assert table.columns.tolist() == ["origin", "destination", "distance", "toll", "length"]
    assert table["toll"].isna().tolist() == (~trips.reached).tolist()
    with pytest.raises(InputError, match="already a column"):
        trips.to_pandas(along="distance")
    for along in (3, [["toll"]]):
        with pytest.raises(InputError, match="must be a list of names of kept columns"):
            trips.to_pandas(along=along)


TOWN = Graph.of([(0, 1, 100), (1, 2, 500)], coordinates=[(7.41, 43.7), (7.42, 43.7), (7.43, 43.7)])


def test_trips_come_as_one_table_whose_other_columns_are_kept():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"trip_id": ["a", "b"], "Source": [0, 1], "Target": [2, 2], "day": [3, 4]})
    for trips in (
        frame,
        frame.to_dict("list"),
        frame.rename(columns={"Source": "Origin", "Target": "Destination"}),
    ):
        table = wp.pairs(TOWN, trips).to_pandas()
        assert table.columns.tolist() == ["trip_id", "day", "origin", "destination", "distance"]
        assert table.values.tolist() == [["a", 3, 0, 2, 600], ["b", 4, 1, 2, 500]]
    assert wp.plan(TOWN, origins=frame) == wp.plan(TOWN, origins=[0, 1], destinations=[2, 2])
    scenarios = wp.Solver(TOWN).scenarios({"now": [100, 500]})
    assert scenarios.pairs(frame).dist.tolist() == [[600, 500]]
    arrow = pytest.importorskip("pyarrow").table(frame)
    assert wp.pairs(TOWN, arrow).columns["trip_id"].tolist() == ["a", "b"]


COORDINATES = {
    "trip": ["a", "b", "c"],
    "origin_lon": [7.4125, 7.42, None],
    "origin_lat": [43.7001, 43.7, None],
    "destination_lon": [7.43, 7.6, 7.43],
    "destination_lat": [43.7, 43.7, 43.7],
}


def test_trips_of_places_say_how_far_these_are_from_the_network():
    trips = wp.pairs(TOWN, COORDINATES, missing="flag")
    assert trips.dist.tolist() == [
        575,
        unreachable(np.dtype(np.int64)),
        unreachable(np.dtype(np.int64)),
    ]
    assert trips.snap_distances["origin"].round(1)[:2].tolist() == [11.1, 0]
    assert np.isnan(trips.snap_distances["origin"][2])
    assert trips.snap_distances["destination"].round().tolist() == [0, 13666, 0]
    assert trips.far.tolist() == [False, True, False]
    rows = json.loads(trips.to_json())
    assert [row["trip"] for row in rows] == ["a", "b", "c"]
    assert [row["far"] for row in rows] == [False, True, False]
    assert rows[2]["origin_snap"] is None
    allowed = wp.pairs(TOWN, [0], [wp.Place(7.6, 43.7, within=20_000)])
    assert allowed.far.tolist() == [True]
    assert list(allowed.snap_distances) == ["destination"]
    assert "far" not in json.loads(wp.pairs(TOWN, [0], [1]).to_json())[0]


def test_snap_distances_are_columns_of_the_data_frame_without_the_graph():
    pytest.importorskip("pandas")
    trips = wp.pairs(TOWN, COORDINATES, missing="flag")
    own = ["origin", "destination", "distance", "origin_snap", "destination_snap", "far", "missing"]
    assert trips.to_pandas().columns.tolist() == [*COORDINATES, *own]
    assert trips.detach().to_pandas().equals(trips.to_pandas())


@pytest.mark.parametrize(
    ("trips", "message"),
    [
        ({"trip": ["a"]}, "the ends of the trips are in none of the columns 'trip': call two"),
        ({"a": [0], "b": [1], "i": [0], "j": [1]}, "the ends of the trips could be a/b and i/j"),
        ([0, 1], "destinations is missing: give as many destinations as origins, or one data fr"),
        (
            {**COORDINATES, "origin_lon": ["x", 1, 2]},
            r"origins\[0\] has origin_lon = 'x' and origin_lat = 43.7001: a longitude and a lat",
        ),
    ],
)
def test_a_table_of_trips_without_their_ends_is_refused(trips, message):
    with pytest.raises(InputError, match=message):
        wp.pairs(TOWN, trips)


def test_an_array_takes_the_distances(road, city, trips):
    for solver in (city, wp.Solver(road)):
        for dtype in (np.int64, np.int32):
            out = np.empty(len(trips[0]), dtype)
            found = solver.pairs(*trips, out=out, dist_dtype=dtype)
            assert found.dist is out
            assert out.tolist() == wp.pairs(road, *trips).dist.tolist()
            assert found.origin_indices.tolist() == list(trips[0])


def test_an_array_that_cannot_take_the_distances_is_refused(road, trips):
    count = len(trips[0])
    for out, message in (
        (np.empty(count - 1, np.int64), rf"out has shape \({count - 1},\) .* shape \({count},\)"),
        (np.empty((count, 1), np.int64), "out has shape"),
        (np.empty(count, np.float64), "and type float64: a C-ordered array .* and type int64"),
        (np.empty(2 * count, np.int64)[::2], "not C-ordered"),
        ("distances.npy", "out is a str: it must be None or an array, of NumPy or on a GPU"),
        (print, "out is a builtin_function_or_method: it must be None or an array"),
    ):
        with pytest.raises(InputError, match=message):
            wp.pairs(road, *trips, out=out)
    out = np.empty(count, np.int64)
    out.flags.writeable = False
    with pytest.raises(InputError, match="out is read-only"):
        wp.pairs(road, *trips, out=out)


class OnGpu:
    """An array that NumPy can read by DLPack only, as those of CuPy."""

    def __init__(self, array):
        self.array, self.__cuda_array_interface__ = array, {}

    def __array__(self, *args, **kwargs):
        raise TypeError("implicit conversion is not allowed")

    def __dlpack__(self, **kwargs):
        return self.array.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_vertices_may_be_arrays_of_a_gpu(road, city, trips):
    ends = [OnGpu(np.array(end)) for end in trips]
    right = city.pairs(*trips).dist.tolist()
    assert city.pairs(*ends).dist.tolist() == right
    assert wp.pairs(road, *ends).dist.tolist() == right
    table = city.distances(ends[0], ends[1]).dist
    assert table.diagonal().tolist() == right


def check_routes(found):
    """Raise AssertionError unless the arrays of routes have the vertices of each single route."""
    indptr, vertices = found.routes
    assert len(vertices) == indptr[-1]
    for trip in range(len(found)):
        listed = vertices[indptr[trip] : indptr[trip + 1]].tolist()
        if found.reached[trip]:
            assert listed == found.route(trip).vertices.tolist(), trip
        else:
            assert listed == []


@pytest.mark.parametrize("prepare", [wp.Solver, wp.prepare])
def test_routes_of_all_trips_are_arrays(prepare, trips):
    edges = [("a", "b", 1), ("b", "c", 2), ("c", "a", 4), ("d", "a", 1)]
    names = ["a", "c", "a", "d", "d"], ["c", "c", "d", "d", "b"]
    check_routes(prepare(edges).pairs(*names))
    check_routes(prepare(wp.generate.road(2000, seed=3)).pairs(*trips))
    closed = Graph.of([(0, 2, 1), (2, 1, 1), (2, 3, 1), (3, 0, 9)], first_through=2)
    check_routes(prepare(closed).pairs([0, 0, 1, 1], [3, 1, 0, 1]))
    none = prepare(edges).pairs([], []).routes
    assert (none.indptr.tolist(), none.vertices.tolist()) == ([0], [])


def test_routes_of_all_trips_between_places_have_the_vertices_between_them(toll_roads):
    rng = np.random.default_rng(5)
    low, high = toll_roads.coordinates.min(axis=0), toll_roads.coordinates.max(axis=0)
    places = [wp.Place(*each, within=1e9) for each in rng.uniform(low, high, (60, 2)).tolist()]
    ends = [*places[:30], *range(10), *places[:9], 3], [*places[30:], *places[:10], *range(9), 3]
    check_routes(wp.pairs(toll_roads, *ends))
    check_routes(wp.pairs(toll_roads, places[:9], places[:9]))


def test_one_distance_is_that_of_pairs(road, city, trips):
    labelled = wp.prepare(wp.generate.road(2000), labels=True)
    expected = wp.pairs(road, *trips).dist.tolist()
    for solver in (labelled, city, wp.Solver(road)):
        ends = np.transpose(trips)[:40]
        found = [solver.distance(*pair) for pair in ends.tolist()]
        assert found == expected[:40]
        assert {type(each) for each in found} == {int}
        with pytest.raises(wp.VertexError, match="vertex 2000 does not exist"):
            solver.distance(0, 2000)
        with pytest.raises(InputError, match="source names 2 vertices"):
            solver.distance([0, 1], 0)
    assert labelled._options._pair is not None
    assert (
        labelled.distance(wp.Place(0.1, 0.1, within=1e9), 5)
        == wp.path(road, wp.Place(0.1, 0.1, within=1e9), 5).length
    )
    assert labelled.distance({4: "East"}, 5) == labelled.distance(4, 5)
    edges = [("a", "b", 2.5), ("c", "d", 0.5)]
    assert wp.distance(edges, "a", "b") == 2.5
    assert wp.distance(edges, "a", "d") == np.inf
    closed = wp.prepare(Graph.of([(1, 0, 1), (0, 2, 1), (1, 2, 9)], first_through=1), labels=True)
    assert [closed.distance(*pair) for pair in ((1, 2), (0, 0), (2, 0))] == [
        9, 0, unreachable(np.dtype(np.int64))
    ]  # fmt: skip
