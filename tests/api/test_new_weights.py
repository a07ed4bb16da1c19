"""`Solver.with_weights`: the same streets, new weights, and nothing prepared anew."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import warpath as wp
from support import strategies
from warpath import _core
from warpath.engines import customizable
from warpath.engines.customizable import ELIMINATION
from warpath.engines.hierarchy import HIERARCHY
from warpath.graph import Graph
from warpath.graph.turns import Turns


@pytest.fixture(scope="module")
def road():
    return wp.generate.road(2000)


@pytest.fixture(scope="module")
def city(road):
    return wp.prepare(road)


def drawn(graph, seed, dtype=np.int32, most=1000):
    return np.random.default_rng(seed).integers(0, most, graph.m).astype(dtype)


def assert_answers_as_unprepared(solver, graph):
    """Compare all kinds of answers of integer weights, bit for bit."""
    assert solver.graph.weights.tolist() == graph.weights.tolist()
    table = wp.apsp(graph).dist
    assert solver.apsp().dist.tobytes() == table.tobytes()
    origins, destinations = np.random.default_rng(9).integers(0, graph.n, (2, 200))
    trips = solver.pairs(origins, destinations)
    assert trips.dist.tolist() == table[origins, destinations].tolist()
    assert trips.plan.recipe.prepared
    assert solver.sssp(5).pred.tolist() == wp.sssp(graph, 5).pred.tolist()
    for ends in zip(origins[:30].tolist(), destinations[:30].tolist(), strict=True):
        if np.isfinite(table[ends]) and table[ends] < 2**62:
            assert solver.path(*ends).indices.tolist() == wp.path(graph, *ends).indices.tolist()


@pytest.mark.threads
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_answers_are_those_of_an_unprepared_graph_after_several_changes(road, dtype):
    solver = wp.prepare(road, threads=2)
    for seed in range(3):
        weights = drawn(road, seed, dtype)
        weights[:: seed + 2] = 0
        solver = solver.with_weights(weights)
        assert solver.graph.weights.dtype == dtype
        assert_answers_as_unprepared(solver, road.with_weights(weights))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_floats_agree_within_rounding_and_trees_are_searched_in_the_graph(road, city, dtype):
    graph = road.with_weights(np.random.default_rng(1).random(road.m).astype(dtype))
    solver = city.with_weights(graph.weights)
    starts, ends = np.random.default_rng(2).integers(0, road.n, (2, 100))
    found, expected = solver.pairs(starts, ends), wp.pairs(graph, starts, ends)
    assert found.dist.dtype == dtype
    bound = road.n * float(np.finfo(dtype).eps)
    assert np.allclose(found.dist, expected.dist, rtol=bound, atol=0)
    assert solver.sssp(3).dist.tobytes() == wp.sssp(graph, 3).dist.tobytes()


@given(graph=strategies.graphs("int32"), data=st.data())
def test_random_graphs_answer_as_unprepared_ones(graph, data):
    values = st.lists(strategies.weights("int32"), min_size=graph.m, max_size=graph.m)
    solver = wp.prepare(graph, threads=1)
    for _ in range(2):
        weights = np.array(data.draw(values), np.int32)
        solver = solver.with_weights(weights)
        expected = wp.apsp(graph.with_weights(weights), algorithm="classic.dijkstra").dist
        starts, ends = np.divmod(np.arange(graph.n**2), graph.n)
        assert solver.pairs(starts, ends).dist.tolist() == expected.ravel().tolist()
        assert solver.apsp().dist.tolist() == expected.tolist()


def some_edges(graph, seed, count=10):
    return np.random.default_rng(seed).choice(graph.m, count, replace=False)


@pytest.mark.threads
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_changes_answer_as_an_unprepared_graph_and_leave_the_solver(road, dtype):
    start = wp.prepare(road.astype(dtype), threads=2)
    first, second = some_edges(road, 1), some_edges(road, 2)
    once = start.with_changes(first, drawn(road, 3, dtype)[:10])
    twice = once.with_changes(second, drawn(road, 4, dtype)[:10])
    again = start.with_changes(second, drawn(road, 5, dtype)[:10])
    back = twice.with_changes(first, road.weights[first])
    weights = road.weights.astype(dtype)
    assert_answers_as_unprepared(start, road.with_weights(weights))
    weights[first] = drawn(road, 3, dtype)[:10]
    assert_answers_as_unprepared(once, road.with_weights(weights))
    weights[second] = drawn(road, 4, dtype)[:10]
    assert_answers_as_unprepared(twice, road.with_weights(weights))
    weights[first] = road.weights[first]
    assert_answers_as_unprepared(back, road.with_weights(weights))
    weights = road.weights.astype(dtype)
    weights[second] = drawn(road, 5, dtype)[:10]
    assert_answers_as_unprepared(again, road.with_weights(weights))


def test_changes_customize_few_arcs_and_many_changes_all(road, city, monkeypatch):
    solver = city.with_changes(some_edges(road, 1), drawn(road, 1)[:10])
    anew = []
    customize = customizable._customized
    monkeypatch.setattr(
        customizable, "_customized", lambda *given: anew.append(given) or customize(*given)
    )
    weights = solver.graph.weights.copy()
    weights[some_edges(road, 2)] = 5
    for changed in (
        solver.with_changes(some_edges(road, 3), drawn(road, 3)[:10]),
        solver.with_weights(weights),
    ):
        assert not anew
        assert_answers_as_unprepared(changed, road.with_weights(changed.graph.weights))
    for changed in (
        solver.with_weights(drawn(road, 4)),
        solver.with_changes(some_edges(road, 5, 500), drawn(road, 5)[:500]),
    ):
        assert anew.pop()
        assert changed.pairs([0], [9]).dist[0] == wp.pairs(changed.graph, [0], [9]).dist[0]


def test_changes_may_need_wider_sums(city, road):
    solver = city.with_changes(range(20), [2**31 - 1] * 20)
    assert_answers_as_unprepared(solver, road.with_weights(solver.graph.weights))


@given(graph=strategies.graphs("int32"), data=st.data())
def test_random_changes_answer_as_unprepared_graphs(graph, data):
    solver, weights = wp.prepare(graph, threads=1), graph._solver_weights.copy()
    starts, ends = np.divmod(np.arange(graph.n**2), graph.n)
    for _ in range(3):
        for edge in data.draw(st.sets(st.integers(0, graph.m - 1))) if graph.m else ():
            weights[edge] = data.draw(strategies.weights("int32"))
        edges = np.flatnonzero(weights != solver.graph._solver_weights)
        solver = solver.with_changes(edges, weights[edges])
        expected = wp.apsp(graph.with_weights(weights), algorithm="classic.dijkstra").dist
        assert solver.pairs(starts, ends).dist.tolist() == expected.ravel().tolist()


def test_changes_of_closed_vertices_streets_keep_what_the_graph_has():
    graph = Graph.of(
        [("a", "c", 1), ("c", "b", 1), ("c", "d", 5), ("d", "a", 5)],
        first_through=1,
        unit="min",
        name="village",
    )
    solver = wp.prepare(graph).with_changes([0], [4])
    assert solver.graph.weights.tolist() == [4, 1, 5, 5]
    assert (solver.graph.unit, solver.graph.name, solver.graph.first_through) == (
        "min",
        "village",
        1,
    )
    assert solver.path("a", "b").length == 5


@pytest.mark.parametrize(
    ("edges", "weights", "error", "message"),
    [
        ([0, 1], [1], wp.GraphError, "weights has 1 entries, but edges has 2"),
        ([3], [1], wp.InputError, r"edges\[0\] = 3 is not an edge: they are numbered 0 .. 2"),
        ([0, -1], [1, 1], wp.InputError, r"edges\[1\] = -1 is not an edge"),
        ([1, 0, 1], [1, 2, 3], wp.InputError, r"edges\[0\] and edges\[2\] are both edge 1"),
        ([0.5], [1], wp.InputError, "must be a list of integers"),
        (0, [1], wp.InputError, "must be a list of integers"),
        ([0], [-2], wp.NegativeWeightError, r"weights\[0\] = -2 is negative"),
        ([0], [np.nan], wp.WeightError, r"weights\[0\] = nan"),
        ([0, 1], [2**62, 2**62], wp.DistanceOverflowError, "may not fit 64 bits"),
    ],
)
def test_what_are_no_changes_says_why(edges, weights, error, message):
    solver = wp.prepare([(0, 1, 2), (1, 2, 5), (2, 0, 1)])
    with pytest.raises(error, match=message):
        solver.with_changes(edges, weights)


def test_no_changes_are_a_solver_like_the_first(road, city):
    assert_answers_as_unprepared(city.with_changes([], []), road)


def test_solvers_of_the_same_streets_share_their_elimination(road, city, monkeypatch):
    first = city.with_weights(drawn(road, 1))
    shared = ELIMINATION.cached(road)
    assert shared is not None

    def anew(*_, **__):
        raise AssertionError

    monkeypatch.setattr(_core, "eliminate", anew)
    monkeypatch.setattr(_core, "contract", anew)
    second = first.with_weights(drawn(road, 2))
    third = city.with_weights(drawn(road, 3))
    for solver in (first, second, third):
        assert ELIMINATION.cached(solver.graph) is shared
        assert solver.pairs([0], [9]).plan.recipe.prepared
    hierarchies = {id(HIERARCHY.cached(each.graph)) for each in (city, first, second, third)}
    assert len(hierarchies) == 4


def test_the_old_solver_keeps_its_weights(road, city):
    before = city.pairs([0, 1], [9, 8]).dist.tolist()
    city.with_weights(drawn(road, 4))
    assert city.pairs([0, 1], [9, 8]).dist.tolist() == before
    assert wp.pairs(road, [0, 1], [9, 8]).dist.tolist() == before


def test_the_graph_keeps_all_but_its_weights_and_the_solver_its_options():
    graph = Graph.of(
        [("a", "c", 1), ("c", "b", 1), ("c", "d", 5), ("d", "a", 5)],
        first_through=1,
        coordinates=[[0, 0], [1, 0], [1, 1], [0, 1]],
        name="village",
    )
    solver = wp.prepare(graph, threads=2).with_weights([2.5, 1, 1, 4])
    made = solver.graph
    assert made.indptr.tolist() == graph.indptr.tolist()
    assert made.indices.tolist() == graph.indices.tolist()
    assert made.weights.tolist() == [2.5, 1, 1, 4]
    assert made.labels.tolist() == graph.labels.tolist()
    assert made.coordinates.tolist() == graph.coordinates.tolist()
    assert (made.name, made.first_through) == ("village", 1)
    assert repr(solver).endswith("threads=2, prepared=True>")


def test_trips_never_pass_through_closed_vertices():
    graph = Graph.of([(0, 1, 1), (1, 2, 1), (0, 3, 5), (3, 2, 5), (2, 0, 1)], first_through=2)
    solver = wp.prepare(graph)
    for weights in ([1, 7, 1, 1, 1], [0, 0, 0, 3, 0]):
        plain = wp.Solver(graph.with_weights(weights))
        solver = solver.with_weights(weights)
        starts, ends = np.divmod(np.arange(16), 4)
        assert solver.pairs(starts, ends).dist.tolist() == plain.pairs(starts, ends).dist.tolist()
        assert solver.apsp().dist.tolist() == plain.apsp().dist.tolist()


def test_an_unprepared_solver_is_refused_with_the_way_out(road):
    for change, values in (("with_weights", [road.weights]), ("with_changes", [[0], [1]])):
        message = rf"{change} needs a prepared Solver.*use warpath.prepare\(graph\)\.{change}"
        with pytest.raises(wp.NotSupportedError, match=message):
            getattr(wp.Solver(road), change)(*values)


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        ([1, 2], wp.GraphError, "weights has 2 entries, but the graph has m = 3 edges"),
        ([1, 2, 3, 4], wp.GraphError, "weights has 4 entries"),
        ([[1, 2, 3]], wp.WeightError, "a 1-d array is needed"),
        (["a", "b", "c"], wp.WeightError, "cannot be used"),
        ([1, np.nan, 2], wp.WeightError, r"weights\[1\]"),
        ([1, 2, -np.inf], wp.WeightError, r"weights\[2\]"),
        ([1, -2, 3], wp.NegativeWeightError, "1 negative weight, and a hierarchy"),
        ([1.0, -2.0, -3.0], wp.NegativeWeightError, "2 negative weights"),
        ([2**62, 2**62, 1], wp.DistanceOverflowError, "may not fit 64 bits"),
    ],
)
def test_what_are_no_new_weights_says_why(weights, error, message):
    solver = wp.prepare([(0, 1, 2), (1, 2, 5), (2, 0, 1)])
    with pytest.raises(error, match=message):
        solver.with_weights(weights)


def test_a_graph_that_grows_dense_without_its_weights_says_what_to_use(monkeypatch):
    solver = wp.prepare(wp.generate.road(100))
    monkeypatch.setattr(_core, "eliminate", lambda *_, **__: (3000, 3_000_000))
    with pytest.raises(wp.NotSupportedError, match=r"each has 1,000 arcs.*warpath\.prepare"):
        solver.with_weights(solver.graph.weights)


def test_the_first_call_reports_its_progress():
    graph = wp.generate.road(300_000)
    seen = []
    solver = wp.Solver(graph, prepared=True)
    solver.with_weights(graph.weights, progress=lambda done, total: seen.append((done, total)))
    assert seen
    assert {total for _, total in seen} == {graph.n}


def test_a_pickled_solver_has_its_customized_hierarchy(road, city):
    solver = city.with_weights(drawn(road, 5))
    again = pickle.loads(pickle.dumps(solver))  # noqa: S301 - our own bytes
    assert HIERARCHY.cached(again.graph) is not None
    assert again.pairs([0, 4], [9, 2]).dist.tolist() == solver.pairs([0, 4], [9, 2]).dist.tolist()
    assert_answers_as_unprepared(
        again.with_weights(drawn(road, 6)), road.with_weights(drawn(road, 6))
    )


def test_a_graph_without_weights_gets_some():
    plain = wp.generate.grid(9, 9).with_weights(None)
    solver = wp.prepare(plain).with_weights(drawn(plain, 7))
    assert_answers_as_unprepared(solver, plain.with_weights(drawn(plain, 7)))


@pytest.mark.parametrize(
    ("dtype", "weight", "wider"),
    [("int32", 4.5, "float64"), ("int64", 4.5, "float64"), ("int32", 2**40, "int64"),
     ("float32", 1e300, "float64")],
)  # fmt: skip
def test_a_weight_that_does_not_fit_the_graph_is_refused_with_a_remedy_that_works(
    dtype, weight, wider
):
    roads = wp.Graph.of([(0, 1, 2), (1, 2, 3)]).astype(dtype)
    for change in (
        lambda graph: wp.prepare(graph).with_changes([1], [weight]).graph,
        lambda graph: graph.with_edges([(0, 2)], [weight]),
        lambda graph: wp.DynamicPaths(graph, 0).update([(1, 2)], [weight]),
        lambda graph: wp.DynamicPaths(graph, 0).apply([("insert", 0, 2, weight)]),
    ):
        with pytest.raises(
            wp.WeightError, match=rf"weights\[0\] = .* does not fit {dtype}"
        ) as error:
            change(roads)
        remedy = f"graph.astype('{wider}')"
        assert remedy in str(error.value)
        change(eval(remedy, {"graph": roads}))  # noqa: S307 - what a user would type


def test_changes_keep_the_type_of_the_weights():
    for dtype in ("int32", "int64", "float32", "float64"):
        roads = wp.Graph.of([(0, 1, 2), (1, 2, 3)]).astype(dtype)
        for weights in ([4], [4.0], np.array([4], np.int8)):
            assert wp.prepare(roads).with_changes([1], weights).graph.weight_dtype == dtype


def test_new_weights_that_need_more_memory_than_is_free_are_refused(monkeypatch):
    road = wp.generate.road(3000)
    city, weights = wp.prepare(road), road.edges()[2] + 1
    monkeypatch.setenv("WARPATH_MEMORY", "400K")
    with pytest.raises(wp.NotEnoughMemoryError, match="with_weights would take"):
        city.with_weights(weights)
    assert ELIMINATION.cached(road) is None
    monkeypatch.setenv("WARPATH_MEMORY", "1G")
    other = city.with_weights(weights)
    monkeypatch.setenv("WARPATH_MEMORY", "400K")
    with pytest.raises(wp.NotEnoughMemoryError, match="with_changes would take"):
        other.with_changes([0], [9])


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_closed_edges_answer_as_a_graph_without_them(road, dtype):
    graph = road.astype(dtype)
    city = wp.prepare(graph, threads=2)
    first, second = some_edges(road, 1), some_edges(road, 2)
    once = city.with_changes(first, np.inf)
    assert once.graph.weight_dtype == dtype
    left = np.setdiff1d(np.arange(road.m), first)
    plain = wp.Graph.from_csr(*closed_rows(graph, first))
    assert_answers_as_unprepared(once, plain)
    # A second change names edges by their numbers in the graph that is left.
    numbers = np.searchsorted(left, np.setdiff1d(second, first))
    lengths = np.where(np.arange(len(numbers)) % 2, np.inf, 7)
    weights = plain.weights.astype(np.float64)
    weights[numbers] = lengths
    twice = once.with_changes(numbers, lengths)
    assert_answers_as_unprepared(twice, plain.with_weights(weights).astype(dtype))
    doubled = twice.with_weights(twice.graph.weights * 2)
    assert_answers_as_unprepared(doubled, twice.graph.with_weights(twice.graph.weights * 2))
    assert_answers_as_unprepared(city, graph)


def closed_rows(graph, closed):
    weights = graph.weights.astype(np.float64)
    weights[closed] = np.inf
    rows = wp.Graph.from_csr(graph.indptr, graph.indices, weights)
    return rows.indptr, rows.indices, rows.weights.astype(graph.weights.dtype)


@given(graph=strategies.graphs("float64"), data=st.data())
def test_random_graphs_with_infinite_weights_answer_as_unprepared_ones(graph, data):
    values = st.lists(
        st.sampled_from([0.0, 1.0, 2.0, 5.0, np.inf]), min_size=graph.m, max_size=graph.m
    )
    weights = np.array(data.draw(values), np.float64)
    solver = wp.prepare(graph.with_weights(np.ones(graph.m))).with_weights(weights)
    plain = graph.with_weights(weights)
    assert solver.graph.m == np.isfinite(weights).sum()
    assert solver.apsp().dist.tobytes() == wp.apsp(plain).dist.tobytes()
    more = np.full(plain.m, 3.0)
    assert solver.with_weights(more).apsp().dist.tobytes() == (
        wp.apsp(plain.with_weights(more)).dist.tobytes()
    )


@pytest.mark.parametrize("areas", [False, True])
def test_edges_are_closed_in_graphs_with_closed_vertices(areas):
    base = wp.generate.grid(8, 8, weights=(1, 9), seed=2)
    graph = wp.Graph.from_csr(base.indptr, base.indices, base.weights, first_through=6, areas=areas)
    closed = [0, 7, 30, 31, 90]
    solver = wp.prepare(graph).with_changes(closed, np.inf)
    plain = graph.without_edges(closed)
    assert solver.apsp().dist.tolist() == wp.apsp(plain).dist.tolist()
    assert solver.with_weights(plain.weights).apsp().dist.tolist() == solver.apsp().dist.tolist()


def test_an_edge_of_a_graph_with_turns_is_closed():
    rows = wp.Graph.of([(0, 1, 1), (1, 2, 1), (0, 2, 5), (2, 0, 1), (1, 3, 1), (3, 2, 1)])
    turns = Turns([[0, 2]], np.full(rows.m, -1))  # 0 -> 1 -> 2
    graph = wp.Graph(rows.indptr, rows.indices, rows.weights, turns=turns)
    city = wp.prepare(graph)
    assert city.path(0, 2).length == 3
    detour = city.with_changes([(3, 2)], np.inf)
    assert detour.path(0, 2).length == 5
    assert detour.apsp().dist.tolist() == wp.apsp(graph.without_edges([(3, 2)])).dist.tolist()


def test_a_street_is_closed_by_its_name_and_the_message_names_an_edge():
    ends = {"source": ["a", "b", "c"], "target": ["b", "c", "d"]}
    table = ends | {"w": [2, 3, 4], "street": ["A", "B", "B"]}
    graph = wp.Graph.of(table, directed=False, weight="w", attributes="all")
    city = wp.prepare(graph)
    mask = graph.edge_table()["street"] == "B"
    for closed in ("B", ["B"], mask, [("b", "c"), ("c", "d")]):
        solver = city.with_changes(closed, np.inf)
        assert solver.graph.edge_table()["street"].tolist() == ["A", "A"]
        assert graph.without_edges(closed).edge_table()["weight"].tolist() == [2, 2]
        message = (
            "to 'd'. In this graph 4 edges are closed, one of them 'b' -> 'c': by avoid, only, "
            r"without_edges, with_changes or with_weights\. The target is a vertex without an edge "
        )
        with pytest.raises(wp.NoPathError, match=message):
            solver.path("a", "d")
    changed = city.with_changes([("b", "c")], 30).graph
    assert changed.edge_table()["weight"].tolist() == [2, 2, 30, 30, 4, 4]
    with pytest.raises(wp.InputError, match=r"no edge has .Bb. in its column .street.; similar"):
        city.with_changes("Bb", 1)
    with pytest.raises(wp.GraphError, match="the graph has no names of streets"):
        wp.Graph.of([(0, 1, 2)]).without_edges("B")
    with pytest.raises(wp.InputError, match="a mask of 2 entries, but the graph has 6 edges"):
        city.with_changes([True, False], 1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rounded_floats_are_answered_by_the_hierarchy_bit_for_bit(road, city, dtype):
    weights = np.random.default_rng(8).uniform(1, 90, road.m).astype(dtype)
    step = 1 / 4
    solver = city.with_weights(weights, round=step)
    plain = road.with_weights(weights, round=step)
    assert plain.weights.dtype == dtype
    assert plain.weights.tolist() == (np.rint(weights / step) * step).tolist()
    assert solver.plan(3, 900).recipe.prepared
    assert not city.with_weights(weights).plan(3, 900).recipe.prepared
    assert_answers_as_unprepared(solver, plain)


def test_what_is_no_step_says_why(road, city):
    for step in (0, -1, np.nan, np.inf, "a"):
        with pytest.raises(wp.InputError, match="must be a number above 0, the step"):
            road.with_weights(road.weights / 3, round=step)
    with pytest.raises(wp.InputError, match="the weights are integers, which need no rounding"):
        city.with_weights(road.weights, round=0.5)
