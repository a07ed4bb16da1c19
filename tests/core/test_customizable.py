"""Customizable hierarchies: arcs that are found without the weights, and what they answer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import warpath as wp
from support import corpus, reference, strategies
from support.hubs import road_with_hubs
from warpath import _core
from warpath.base.errors import NotSupportedError
from warpath.engines import customizable
from warpath.engines.customizable import CUSTOMIZED, ELIMINATION, elimination_of
from warpath.graph import Graph


def suits(case: corpus.Case) -> bool:
    """Say whether the core answers for a graph as it is."""
    if case.negative or case.overflows or case.name == "overflow_avoided":
        return False
    return case.graph().n <= 300 and case.graph().first_through == 0


CASES = [case.astype(dtype) for case in filter(suits, corpus.all()) for dtype in case.dtypes]


def eliminated(graph, **options):
    return _core.eliminate(graph.indptr, graph.indices, **options)


def customized(graph, **options):
    return eliminated(graph).customize(graph._solver_weights, **options)


def flat(hierarchy) -> list[np.ndarray]:
    position, up, down = hierarchy.arrays()
    return [position, *up, *(down or ())]


def table_of(hierarchy, graph) -> np.ndarray:
    sources = np.arange(graph.n)
    out = np.empty((graph.n, graph.n), graph.dist_dtype)
    if graph.n:
        hierarchy.table(sources, sources[:0], out, restricted=False)
    return out


def assert_distances(searched, graph, sources, **options) -> None:
    """Compare distances of pairs with those of plain Python: bits, or n * eps of all weights."""
    ends = np.arange(graph.n)
    for source in sources:
        out = np.empty(graph.n, graph.dist_dtype)
        searched.pairs(np.full(graph.n, source), ends, out, **options)
        expected = reference.dijkstra(graph, source)
        if out.dtype.kind == "i":
            assert out.tolist() == expected.tolist()
            continue
        assert np.isinf(out).tolist() == np.isinf(expected).tolist()
        finite = np.isfinite(expected)
        sums = graph._solver_weights.sum(dtype=np.float64)
        bound = graph.n * float(np.finfo(out.dtype).eps) * sums
        assert np.all(np.abs(out[finite].astype(np.float64) - expected[finite]) <= bound)


@pytest.fixture(scope="module")
def road():
    return wp.generate.road(3000)


@pytest.fixture(scope="module")
def one_way(road):
    """The same streets, each direction with a weight of its own."""
    return road.with_weights(np.random.default_rng(3).integers(0, 900, road.m).astype(np.int32))


@pytest.mark.threads
@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_any_number_of_threads_customizes_alike(road, one_way, dtype):
    for graph in (road, one_way, wp.generate.rmat(8)):
        arcs = eliminated(graph)
        weights = graph._solver_weights.astype(dtype) * np.dtype(dtype).type(
            0.7 if "f" in dtype else 1
        )
        one = flat(arcs.customize(weights, threads=1))
        for threads in (2, 3):
            for array, expected in zip(
                flat(arcs.customize(weights, threads=threads)), one, strict=True
            ):
                assert array.tobytes() == expected.tobytes()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_difficult_graphs_have_the_distances_of_dijkstra(case):
    graph = case.graph()
    for threads in (1, 2, 3):
        assert_distances(customized(graph, threads=threads), graph, case.sources)


@pytest.mark.threads
@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@given(data=st.data())
def test_random_graphs_have_the_distances_of_dijkstra_under_any_weights(dtype, data):
    graph = data.draw(strategies.graphs(dtype, max_vertices=12))
    arcs = eliminated(graph)
    weight = strategies.weights(dtype)
    for _ in range(3):
        hierarchy = arcs.customize(graph._solver_weights, threads=data.draw(st.integers(1, 3)))
        assert_distances(hierarchy, graph, range(graph.n))
        drawn = data.draw(st.lists(weight, min_size=graph.m, max_size=graph.m))
        graph = graph.with_weights(np.array(drawn, dtype))


def test_a_customized_hierarchy_answers_as_a_new_one(road, one_way):
    arcs = eliminated(road)
    for graph in (road, one_way, road, road.with_weights(np.zeros(road.m, np.int32))):
        built = _core.contract(graph.indptr, graph.indices, graph._solver_weights)
        found = arcs.customize(graph._solver_weights, threads=2)
        assert np.array_equal(table_of(found, graph), table_of(built, graph))


@pytest.mark.parametrize("both_ways", [True, False])
def test_hubs_have_the_distances_of_dijkstra(both_ways):
    """Lists of more than 400 neighbours are put in order now and then."""
    graph = road_with_hubs(700, both_ways=both_ways)
    expected = wp.apsp(graph, algorithm="classic.dijkstra").dist
    assert table_of(customized(graph), graph).tolist() == expected.tolist()


def test_a_clique_on_a_road_adds_no_arcs():
    """All vertices of the clique but the one on the road are removed at once."""
    ends = np.triu_indices(300, 1)
    src, dst = np.append(ends[0], 0), np.append(ends[1], 300)
    graph = Graph.from_edges(src, dst, np.ones(len(src), int), directed=False)
    assert eliminated(graph).arcs == len(src)


def test_arcs_that_are_left_have_the_distance_of_their_ends(one_way):
    arcs = eliminated(one_way)
    hierarchy = arcs.customize(one_way._solver_weights)
    assert max(hierarchy.arcs) < arcs.arcs
    distances = wp.apsp(one_way).dist
    position, *both = hierarchy.arrays()
    vertex = np.argsort(position)
    for (first, heads, weights), turned in zip(both, (False, True), strict=True):
        tails = vertex[np.repeat(np.arange(one_way.n), np.diff(first))]
        ends = (vertex[heads], tails) if turned else (tails, vertex[heads])
        assert weights.tolist() == distances[ends].tolist()


def test_the_order_does_not_depend_on_weights_or_directions(road, one_way):
    turned = road.reversed()
    expected = customized(road).arrays()[0]
    for graph in (one_way, turned):
        assert customized(graph).arrays()[0].tolist() == expected.tolist()


def test_one_array_serves_both_directions_only_while_they_are_equal(road):
    arcs = eliminated(road)
    weights = road._solver_weights.copy()
    assert arcs.customize(weights).symmetric
    weights[17] += 1
    assert not arcs.customize(weights).symmetric


def test_parallel_edges_count_by_the_lightest_and_loops_not_at_all():
    graph = Graph.from_edges([0, 0, 0, 1, 1], [1, 1, 0, 1, 2], [9, 4, 0, 0, 1], n=4)
    arcs = eliminated(graph)
    assert arcs.edges == 5
    assert arcs.arcs == 2
    for weights in ([9, 4, 0, 0, 1], [3, 4, 9, 9, 0]):
        changed = graph.with_weights(weights)
        assert_distances(arcs.customize(changed._solver_weights), changed, range(4))


def test_a_triangle_of_the_elimination_is_one_of_its_arcs(road):
    grid = wp.generate.grid(7, 7)
    for graph in (grid, road):
        arcs = eliminated(graph)
        first, heads, _ = arcs.customize(np.zeros(graph.m, np.int32)).arrays()[1]
        rows = [set(row.tolist()) for row in np.split(heads, first[1:-1])]
        triangles = 0
        for row in rows:
            for middle in row:
                above = {head for head in row if head < middle}
                assert above <= rows[middle]
                triangles += len(above)
        assert triangles == arcs.triangles


def test_sums_beyond_32_bits_take_64_and_beyond_those_there_is_no_hierarchy():
    ends = np.arange(8)
    for weight in (2**30, 2**31 - 1):
        graph = Graph.from_edges(ends, ends + 1, np.full(8, weight, np.int32))
        hierarchy = customized(graph)
        assert hierarchy.arrays()[1][2].dtype == np.int64
        assert_distances(hierarchy, graph, [0, 8])
    for weight in (2**62, 2**63 - 1):
        graph = Graph.from_edges(ends, ends + 1, np.full(8, weight))
        with pytest.raises(OverflowError, match="fit"):
            customized(graph)
        assert customizable.hierarchy_of(graph, 1) is None
        with pytest.raises(wp.DistanceOverflowError):
            wp.path(graph, 0, 8, algorithm="dibbelt2014.cch")


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(3, np.int32), "weights has 3 entries"),
        (np.array([1, -2], np.int32), "not negative"),
        (np.array([1, -2], np.int64), "not negative"),
        (np.array([1.0, np.nan]), "must be finite"),
        (np.array([1.0, np.inf], np.float32), "must be finite"),
        (Graph.of([(0, 1, 1), (1, 2, -1)]).weights, "not negative"),
    ],
)
def test_weights_that_are_none_of_its_edges_are_refused_by_the_core(weights, message):
    arcs = eliminated(Graph.of([(0, 1, 1), (1, 2, 1)]))
    with pytest.raises(ValueError, match=message):
        arcs.customize(weights)


def assert_changed_as_customized(graph, kept, arcs, edges, weights) -> None:
    """Compare a hierarchy after changes with that of a complete customization, bit for bit."""
    after = graph.with_weights(weights)
    expected = arcs.customize(after._solver_weights)
    try:
        found = kept.changed(graph.indptr, after._solver_weights, edges)
    except OverflowError:  # of labels of 32 bits
        assert expected.arrays()[1][2].dtype == np.int64
        return
    for array, other in zip(flat(found), flat(expected), strict=True):
        assert array.tolist() == other.tolist()  # one may have labels of 64 bits
    assert found.symmetric == expected.symmetric
    # Which sums of floats are exact follows from the bound; of integers a larger one is as good.
    floats = expected.arrays()[1][2].dtype.kind == "f"
    assert found.bound == expected.bound if floats else found.bound >= expected.bound


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@given(data=st.data())
def test_changes_give_the_hierarchy_of_a_complete_customization(dtype, data):
    graph = data.draw(strategies.graphs(dtype, max_vertices=12))
    arcs = eliminated(graph)
    kept = arcs.changeable(graph._solver_weights)
    weight = strategies.weights(dtype)
    for _ in range(3):
        chosen = st.sets(st.integers(0, graph.m - 1)) if graph.m else st.just(set())
        edges = np.array(sorted(data.draw(chosen)), np.int64)
        weights = graph._solver_weights.copy()
        for edge in edges.tolist():
            weights[edge] = data.draw(weight)
        assert_changed_as_customized(graph, kept, arcs, edges, weights)


@pytest.mark.parametrize("dtype", ["int32", "float64"])
@pytest.mark.parametrize("factor", [0, 0.5, 7])
def test_changes_of_a_road_give_the_hierarchy_of_a_complete_customization(
    road, one_way, dtype, factor
):
    for graph in (road.astype(dtype), one_way.astype(dtype)):
        arcs = eliminated(graph)
        kept = arcs.changeable(graph._solver_weights, threads=2)
        rng = np.random.default_rng(5)
        for count in (1, 2, 10, 300):
            edges = rng.choice(graph.m, count, replace=False)
            weights = graph._solver_weights.copy()
            weights[edges] = (weights[edges] * factor).astype(dtype)
            assert_changed_as_customized(graph, kept, arcs, edges, weights)


@pytest.mark.threads
@pytest.mark.parametrize("graph", ["road", "one_way"])
def test_hierarchies_after_many_changes_keep_their_arcs(graph, request):
    """They share memory, which is full and copied several times meanwhile."""
    graph = request.getfixturevalue(graph)
    arcs = eliminated(graph)
    kept = arcs.changeable(graph._solver_weights)
    rng = np.random.default_rng(3)
    before, all_weights, found = kept.nbytes, [], []
    for _ in range(60):
        weights = graph._solver_weights.copy()
        edges = rng.choice(graph.m, 20, replace=False)
        weights[edges] *= 2
        found.append(kept.changed(graph.indptr, weights, edges))
        all_weights.append(weights)
    assert kept.nbytes > before
    for hierarchy, weights in zip(found, all_weights, strict=True):
        expected = arcs.customize(weights)
        assert hierarchy.arcs == expected.arcs
        for array, other in zip(flat(hierarchy), flat(expected), strict=True):
            assert array.tobytes() == other.tobytes()


def test_a_street_that_changes_in_both_directions_leaves_one_array_for_both(road):
    arcs = eliminated(road)
    kept = arcs.changeable(road._solver_weights)
    src, dst, _ = road.edges()
    both = np.flatnonzero(
        ((src == src[40]) & (dst == dst[40])) | ((src == dst[40]) & (dst == src[40]))
    )
    weights = road._solver_weights.copy()
    weights[both] += 1000
    assert kept.changed(road.indptr, road.with_weights(weights)._solver_weights, both).symmetric
    assert_changed_as_customized(road, kept, arcs, both, weights)


def test_of_parallel_edges_a_change_counts_only_if_it_is_the_lightest():
    graph = Graph.from_edges([0, 0, 0, 1, 1], [1, 1, 0, 1, 2], [9, 4, 0, 0, 1], n=4)
    arcs = eliminated(graph)
    kept = arcs.changeable(graph._solver_weights)
    for edges, weights in (([0], [5]), ([1], [20]), ([0, 1], [2, 1]), ([2, 3], [7, 7])):
        changed = graph._solver_weights.copy()
        changed[edges] = weights
        assert_changed_as_customized(graph, kept, arcs, np.array(edges), changed)


def test_changes_that_leave_the_type_are_an_overflow_and_change_nothing():
    ends = np.arange(8)
    graph = Graph.from_edges(ends, ends + 1, np.full(8, 5, np.int32))
    arcs = eliminated(graph)
    kept = arcs.changeable(graph._solver_weights)
    for weight in (2**30, 2**31 - 1):
        weights = graph.with_weights(np.full(8, weight, np.int32))._solver_weights
        with pytest.raises(OverflowError, match="fit"):
            kept.changed(graph.indptr, weights, ends)
    assert_changed_as_customized(graph, kept, arcs, ends, np.arange(8, dtype=np.int32))


def test_edges_and_offsets_of_another_graph_are_refused_by_the_core(road):
    kept = eliminated(road).changeable(road._solver_weights)
    other = wp.generate.road(100)
    for edge in (-1, road.m):
        with pytest.raises(ValueError, match="edges must lie in"):
            kept.changed(road.indptr, road._solver_weights, np.array([edge]))
    with pytest.raises(ValueError, match="indptr has 101 entries"):
        kept.changed(other.indptr, road._solver_weights, np.array([0]))
    with pytest.raises(ValueError, match="weights has"):
        kept.changed(road.indptr, other._solver_weights, np.array([0]))
    with pytest.raises(ValueError, match="must be that of a graph"):
        kept.changed(np.zeros(road.n + 1, np.int64), road._solver_weights, np.array([0]))


def test_rows_and_threads_that_do_not_exist_are_refused_by_the_core(road):
    with pytest.raises(ValueError, match="is not a vertex"):
        _core.eliminate(np.array([0, 1]), np.array([1], np.int32))
    with pytest.raises(ValueError, match="threads must be >= 1"):
        eliminated(road).customize(road._solver_weights, threads=0)
    with pytest.raises(TypeError):
        eliminated(road).customize(road._solver_weights.astype(np.int16))


def test_a_graph_that_grows_dense_is_refused_with_its_numbers(road, monkeypatch):
    vertices, arcs = eliminated(road, core_vertices=20, core_degree=3)
    assert vertices > 20
    assert arcs > 3 * vertices
    monkeypatch.setattr(_core, "eliminate", lambda *_, **__: (vertices, arcs))
    graph = wp.generate.road(100)
    with pytest.raises(NotSupportedError, match=r"vertices left, each has \d+ arcs"):
        elimination_of(graph)
    assert ELIMINATION.cached(graph) is None


def test_a_graph_keeps_its_elimination_and_its_customized_hierarchy(road):
    assert elimination_of(road) is elimination_of(road)
    assert customizable.hierarchy_of(road, 1) is customizable.hierarchy_of(road, 2)
    assert ELIMINATION.size(ELIMINATION.cached(road)) > 12 * elimination_of(road).arcs
    assert CUSTOMIZED.size(CUSTOMIZED.cached(road)) > 8 * sum(customized(road).arcs) // 2


def test_eliminating_and_customizing_report_their_progress():
    graph = wp.generate.road(300_000)
    seen = []
    arcs = eliminated(graph, progress=lambda done, total: seen.append((done, total)))
    assert {total for _, total in seen} == {graph.n}
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    seen.clear()
    arcs.customize(graph._solver_weights, progress=lambda done, total: seen.append((done, total)))
    assert all(0 <= done <= total for done, total in seen)


def test_an_error_of_progress_ends_the_call():
    graph = wp.generate.road(300_000)

    def stop(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        eliminated(graph, progress=stop)
