"""Every algorithm of the catalogue on the corpus and on random graphs: same bits, same tree.

The oracle is `support.reference`: Dijkstra and Bellman-Ford in plain Python, in the
weights' own arithmetic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csgraph

import warpath as wp
from support import corpus, reference, strategies
from support.compare import assert_is_a_negative_cycle, assert_same_bits, noting
from support.recipes import on_cpu
from warpath import Graph
from warpath.base.dtypes import unreachable
from warpath.planner.cpu_model import Size
from warpath.planner.kinds import usable_threads
from warpath.recipes import Loop, Queue, Recipe, Task
from warpath.recipes.axes import Layout

if TYPE_CHECKING:
    from collections.abc import Callable

RUN = set()

CASES = [case.astype(dtype) for case in corpus.all() for dtype in case.dtypes]
SMALL = [case for case in CASES if case.graph().n <= 300]
SOLVED = [case for case in SMALL if not case.overflows and not case.has_cycle]
MOST_DENSE = 1_000  # vertices of matrices of labels: of 2,000 a solve takes a second
LARGE = 2_000  # the plain-Python oracle of bigger cases is left to the certificate


def facts_allow(recipe: Recipe, task: Task, graph: Graph) -> bool:
    return recipe.objection(task, graph.facts(symmetry=False)) is None


def oracle(graph: Graph, source: int) -> np.ndarray:
    if graph.facts(symmetry=False).negative:
        return reference.bellman_ford(graph, source)
    return reference.dijkstra(graph, source)


def label(graph: Graph, source: int):
    return graph.label_of(np.array([source]))[0]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_algorithm_gives_the_bits_of_dijkstra_and_the_one_tree(case):
    graph = case.graph()
    recipes = [
        recipe
        for recipe in on_cpu(Task.SSSP)
        if facts_allow(recipe, Task.SSSP, graph) and not is_too_long(case, recipe)
    ]
    RUN.update((recipe.name, Task.SSSP) for recipe in recipes)
    for source in case.sources:
        check = of_source(case, graph, source)
        for recipe in recipes:
            for threads in teams(case, recipe):
                with noting(f"{recipe.name} from {source} on {threads} threads"):
                    check(algorithm=recipe.name, threads=threads)


def of_source(case: corpus.Case, graph: Graph, source: int) -> Callable[..., None]:
    """Return a function that solves from a vertex and compares with plain Python."""
    name = label(graph, source)
    if case.overflows or case.has_cycle:
        kind = wp.DistanceOverflowError if case.overflows else wp.NegativeCycleError

        def fails(**call: Any) -> None:
            with pytest.raises(kind) as caught:
                wp.sssp(graph, name, **call)
            if kind is wp.NegativeCycleError:
                assert_is_a_negative_cycle(graph, caught.value)

        return fails
    expected = tree = None
    if graph.n <= LARGE:
        expected = oracle(graph, source)
        negative = graph.facts(symmetry=False).negative > 0
        tree = reference.rule2_tree(graph, source, expected, negative=negative)

    def solves(**call: Any) -> None:
        paths = wp.sssp(graph, name, **call)
        wp.verify(graph, paths)
        if expected is not None:
            assert_same_bits(paths.dist, expected, graph)
            assert np.array_equal(paths.pred, tree)

    return solves


def teams(case: corpus.Case, recipe: Recipe) -> set[int]:
    """Return the numbers of threads to try.

    A team that meets at each of 66,000 hops takes seconds, so that it does in one type only.
    """
    if (case.name, recipe.loop) == ("long_path", Loop.STEPPING) and case.dtype != "int32":
        return {1}
    return {1, usable_threads(recipe, Size(Task.SSSP), 3)}


def is_too_long(case: corpus.Case, recipe: Recipe) -> bool:
    """Whether a pair would take minutes, or more memory than there is."""
    if recipe.loop is not Loop.SETTLE:
        return False
    if recipe.axes.layout is Layout.DENSE:
        return case.graph().n > MOST_DENSE
    return case.name == "long_path"


@pytest.mark.parametrize("case", SOLVED, ids=str)
def test_tables_hold_the_rows_of_single_sources(case):
    graph = case.graph()
    names = graph.label_of(np.arange(graph.n))
    rows = {source: oracle(graph, source) for source in case.sources}
    for recipe in on_cpu(Task.MANY):
        if case.sources and facts_allow(recipe, Task.MANY, graph):
            RUN.add((recipe.name, Task.MANY))
            picked = [label(graph, source) for source in case.sources]
            for threads in (1, 2):
                table = wp.distances(graph, picked, algorithm=recipe.name, threads=threads)
                part = wp.distances(
                    graph, picked, names[::-2], algorithm=recipe.name, threads=threads
                )
                for row, source in enumerate(case.sources):
                    same_or_close(table.dist[row], rows[source], recipe, graph)
                    same_or_close(part.dist[row], rows[source][::-2], recipe, graph)


@pytest.mark.parametrize("case", [c for c in SMALL if c.graph().n <= 120], ids=str)
def test_all_pairs_agree_whatever_the_algorithm(case):
    graph = case.graph()
    rows = [oracle_or_error(graph, source) for source in range(graph.n)]
    for recipe in on_cpu(Task.APSP):
        if facts_allow(recipe, Task.APSP, graph):
            try:
                table = wp.apsp(graph, algorithm=recipe.name, threads=2)
            except wp.NegativeCycleError as error:
                assert_is_a_negative_cycle(graph, error)
                assert any(row is None for row in rows)
            except wp.DistanceOverflowError:
                assert any(isinstance(row, OverflowError) for row in rows)
            except wp.NotSupportedError as error:
                assert "could leave 64 bits" in str(error)  # noqa: PT017 - one of four outcomes
            else:
                RUN.add((recipe.name, Task.APSP))
                for row, expected in zip(table.dist, rows, strict=True):
                    same_or_close(row, expected, recipe, graph)


def oracle_or_error(graph: Graph, source: int) -> np.ndarray | OverflowError | None:
    try:
        return oracle(graph, source)
    except OverflowError as error:
        return error


def same_or_close(found: np.ndarray, expected: np.ndarray, recipe: Recipe, graph: Graph) -> None:
    """Compare bits, or n * eps of the sum of all weights where rule 1 exempts the algorithm."""
    if found.dtype.kind == "i" or not recipe.reassociates:
        assert found.tobytes() == np.ascontiguousarray(expected).tobytes()
        return
    assert np.array_equal(np.isinf(found), np.isinf(expected))
    finite = np.isfinite(expected)
    scale = max(np.abs(graph._solver_weights).sum(dtype=np.float64), 0)
    bound = graph.n * float(np.finfo(found.dtype).eps) * scale
    assert np.all(np.abs(found[finite].astype(np.float64) - expected[finite]) <= bound)


@pytest.mark.parametrize("case", SOLVED, ids=str)
def test_one_route_is_the_route_of_the_tree(case):
    graph = case.graph()
    for source in case.sources:
        tree = wp.sssp(graph, label(graph, source))
        for recipe in on_cpu(Task.PATH):
            if not facts_allow(recipe, Task.PATH, graph):
                continue
            RUN.add((recipe.name, Task.PATH))
            for target in range(0, graph.n, max(1, graph.n // 12)):
                end = label(graph, target)
                if not tree.reached[target]:
                    with pytest.raises(wp.NoPathError):
                        wp.path(graph, tree.source, end, algorithm=recipe.name)
                    continue
                route = wp.path(graph, tree.source, end, algorithm=recipe.name)
                assert route.indices[0] == source
                assert route.indices[-1] == target
                if recipe.reassociates and graph.dist_dtype.kind == "f":
                    same_or_close(
                        np.array([route.length], graph.dist_dtype),
                        tree.dist[[target]],
                        recipe,
                        graph,
                    )
                else:
                    assert route.indices.tolist() == tree.path_to(end).indices.tolist()
                    assert route.length == tree.dist[target]


@pytest.mark.parametrize("case", SOLVED, ids=str)
def test_pairs_have_the_distances_of_single_sources(case):
    graph = case.graph()
    targets = np.arange(0, graph.n, max(1, graph.n // 12))
    for source in case.sources:
        expected = oracle(graph, source)[targets]
        origins = graph.label_of(np.full(len(targets), source))
        for recipe in on_cpu(Task.PAIRS):
            if facts_allow(recipe, Task.PAIRS, graph):
                RUN.add((recipe.name, Task.PAIRS))
                ends = graph.label_of(targets)
                found = wp.pairs(graph, origins, ends, algorithm=recipe.name, threads=2)
                same_or_close(found.dist, expected, recipe, graph)
        same_bits = wp.pairs(graph, origins, graph.label_of(targets)).dist
        assert_same_bits(same_bits, expected, graph)


def agree_on(graph: Graph) -> None:
    """Solve from vertex 0 with everything that can, and compare bit by bit."""
    expected = oracle(graph, 0)
    for recipe in on_cpu(Task.SSSP):
        if not facts_allow(recipe, Task.SSSP, graph):
            continue
        try:
            paths = wp.sssp(graph, 0, algorithm=recipe.name, threads=2)
        except wp.NegativeCycleError as error:
            assert expected is None
            assert_is_a_negative_cycle(graph, error)
            continue
        assert_same_bits(paths.dist, expected, graph)
        wp.verify(graph, paths)


@given(graph=strategies.graphs("int32"))
def test_random_graphs_with_int32_weights(graph):
    agree_on(graph)


@given(graph=strategies.graphs("int64"))
def test_random_graphs_with_int64_weights(graph):
    agree_on(graph)


@given(graph=strategies.graphs("float32"))
def test_random_graphs_with_float32_weights(graph):
    agree_on(graph)


@given(graph=strategies.graphs("float64"))
def test_random_graphs_with_float64_weights(graph):
    agree_on(graph)


@given(graph=strategies.graphs("int32", negative=True))
def test_random_graphs_with_negative_integer_weights(graph):
    agree_on(graph)


@settings(max_examples=300, deadline=None)
@given(graph=strategies.graphs("int32", negative=True))
def test_negative_all_pairs_agree_with_scipy(graph):
    matrix = np.full((graph.n, graph.n), np.inf)
    np.minimum.at(matrix, graph.edges()[:2], graph.edges()[2].astype(np.float64))
    sparse = csgraph.csgraph_from_dense(matrix, null_value=np.inf)
    loops = np.diag(matrix).min(initial=np.inf)
    try:
        expected = csgraph.johnson(sparse)
        cyclic = loops < 0
    except csgraph.NegativeCycleError:
        cyclic = True
    for name in ("classic.johnson", "classic.floyd_warshall"):
        if cyclic:
            with pytest.raises(wp.NegativeCycleError):
                wp.apsp(graph, algorithm=name)
        else:
            found = wp.apsp(graph, algorithm=name).dist
            assert np.array_equal(
                np.where(found == unreachable(found.dtype), np.inf, found), expected
            )


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_cycles_of_length_zero_that_rounding_makes_negative_spoil_no_matrix(dtype):
    random = np.random.default_rng(0)
    solved = 0
    for n, degree in ((300, 3), (60, 60), (5, 9), (300, 3)) * 3:
        height = (10.0 ** random.uniform(-3, 3, n)).astype(dtype)
        src, dst = random.integers(0, n, (2, n * degree))
        # Rounded up: the exact sum round a cycle is >= 0, the rounded one is not always.
        uphill = np.nextafter(height[src] - height[dst], np.array(np.inf, dtype))
        graph = Graph.from_edges(src, dst, uphill, n=n)
        for name in ("classic.floyd_warshall", "classic.johnson"):
            table = wp.apsp(graph, algorithm=name, threads=2)
            reached = np.isfinite(table.dist)
            wanted = height[:, None].astype(np.float64) - height
            bound = 4 * n * np.finfo(dtype).eps * 1000
            assert np.all(np.abs(table.dist - wanted)[reached] <= bound)
            assert not table.dist.diagonal().any()
            wp.verify(graph, table)
            solved += 1
    assert solved == 24


def test_matrix_under_potentials_beyond_the_float_type_is_solved_without_them():
    graph = Graph.of([(0, 1, 1e308), (2, 1, -1.2e308)])
    for name in ("classic.floyd_warshall", "classic.johnson"):
        dist = wp.apsp(graph, algorithm=name).dist
        assert dist.tolist() == [[0, 1e308, np.inf], [np.inf, 0, np.inf], [np.inf, -1.2e308, 0]]


@settings(deadline=None)
@given(graph=strategies.graphs("float64"), factor=st.integers(-20, 20))
def test_scaling_weights_by_a_power_of_two_scales_distances_exactly(graph, factor):
    if (
        graph.facts(symmetry=False).max_weight > 1e300
        or 0 < graph.facts(symmetry=False).min_weight < 1e-300
    ):
        return
    scaled = graph.with_weights(graph._solver_weights * 2.0**factor)
    assert_same_bits(wp.sssp(scaled, 0).dist, wp.sssp(graph, 0).dist * 2.0**factor)


@settings(deadline=None)
@given(graph=strategies.graphs("float32"), data=st.data())
def test_renumbering_vertices_permutes_the_distances(graph, data):
    order = np.array(data.draw(st.permutations(range(graph.n))), np.int64)
    src, dst, weights = graph.edges()
    renumbered = Graph.from_edges(order[src], order[dst], weights, n=graph.n)
    assert_same_bits(wp.sssp(renumbered, order[0]).dist[order], wp.sssp(graph, 0).dist)


@settings(deadline=None)
@given(
    graph=strategies.graphs("float64"),
    extra=st.tuples(st.integers(0, 7), st.integers(0, 7), st.floats(0, 9)),
)
def test_another_edge_never_makes_a_way_longer(graph, extra):
    u, v, w = extra[0] % graph.n, extra[1] % graph.n, extra[2]
    src, dst, weights = graph.edges()
    more = Graph.from_edges(np.append(src, u), np.append(dst, v), np.append(weights, w), n=graph.n)
    assert np.all(wp.sssp(more, 0).dist <= wp.sssp(graph, 0).dist)


@settings(deadline=None)
@given(graph=strategies.graphs("int32"))
def test_reversing_a_graph_swaps_source_and_target(graph):
    there = wp.apsp(graph).dist
    assert np.array_equal(wp.apsp(graph.reversed()).dist, there.T)


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
@pytest.mark.parametrize("delta", [1, 3, 17, 1000, 10**12])
def test_delta_and_threads_do_not_change_a_bit(threads, delta):
    graph = corpus.case("power_law").astype("float32").graph()
    expected = wp.sssp(graph, label(graph, 0), algorithm="classic.dijkstra")
    found = wp.sssp(
        graph,
        label(graph, 0),
        algorithm="classic.delta_stepping",
        threads=threads,
        params={"delta": delta},
    )
    assert_same_bits(found.dist, expected.dist, graph)


def test_64_bit_indices_give_the_same_bits(request):
    narrow = corpus.case("small_rmat").graph()
    expected = wp.sssp(narrow, 0)
    table = wp.distances(narrow, [0, 5]).dist
    nearest = wp.nearest(narrow, [0, 5])
    request.getfixturevalue("wide_indices")
    graph = corpus.case("small_rmat").graph()
    assert graph.indices.dtype == np.int64
    solved = set()
    for recipe in on_cpu(Task.SSSP):
        if recipe.loop in {Loop.DIJKSTRA, Loop.BELLMAN_FORD} and recipe.queue in {
            None,
            Queue.HEAP,
            Queue.RADIX,
        }:
            solved.add(recipe.name)
            found = wp.sssp(graph, 0, algorithm=recipe.name)
            assert_same_bits(found.dist, expected.dist, graph)
            assert np.array_equal(found.pred, expected.pred)
            assert wp.verify(graph, found).tree
        elif facts_allow(recipe, Task.SSSP, graph):
            with pytest.raises(wp.NotSupportedError, match="it supports up to 0 vertices"):
                wp.sssp(graph, 0, algorithm=recipe.name)
    assert len(solved) >= 3
    assert_same_bits(wp.sssp(graph, 0).dist, expected.dist, graph)
    assert_same_bits(wp.distances(graph, [0, 5]).dist, table, graph)
    assert np.array_equal(wp.nearest(graph, [0, 5]).facility_indices, nearest.facility_indices)
    assert wp.path(graph, 0, 9).length == expected.dist[9]
    hops = wp.sssp(graph.with_weights(None), 0, algorithm="warpath.bfs").dist
    assert np.array_equal(hops, wp.sssp(narrow.with_weights(None), 0).dist)


@pytest.mark.usefixtures("wide_indices")
def test_what_numbers_up_to_2_31_vertices_says_so():
    graph = corpus.case("small_rmat").graph()
    with pytest.raises(wp.NotSupportedError, match="a hierarchy supports up to"):
        wp.prepare(graph)
    with pytest.raises(wp.NotSupportedError, match="DynamicPaths supports up to"):
        wp.DynamicPaths(graph, 0)


def test_every_registered_algorithm_was_run():
    if not RUN:
        pytest.skip("the tests that fill RUN were not selected")
    assert {(recipe.name, task) for recipe in on_cpu() for task in recipe.solves} == RUN


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("n", [8191, 8193, 8194, 20_001, 300_001])
def test_narrow_labels_spread_out_in_the_memory_of_the_answer(n, threads):
    graph = wp.generate.uniform(n, 5)
    found = wp.sssp(graph, n - 1, algorithm="warpath.buckets", threads=threads)
    right = wp.sssp(graph, n - 1, algorithm="classic.dijkstra")
    assert np.array_equal(found.dist, right.dist)
