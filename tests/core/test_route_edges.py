"""The edges of routes, and sums along them."""

from __future__ import annotations

import numpy as np
import pytest

from support import corpus
from warpath import _core
from warpath.engines.hierarchy import hierarchy_of, routes
from warpath.graph import Graph
from warpath.recipes import Loop
from warpath.results.predecessors import search


def lightest(graph, ends, threads=1):
    csr = graph.indptr, graph.indices, graph._solver_weights
    return _core.lightest_edges(*csr, *(np.array(each, np.int64) for each in ends), threads=threads)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", corpus.ALL_TYPES)
def test_the_first_of_the_lightest_parallel_edges_is_found(dtype, threads):
    for case in corpus.all(dtype=dtype):
        graph = case.graph()
        if graph.m > 100_000:
            continue
        best: dict[tuple[int, int], int] = {}
        src, dst, weights = (each.tolist() for each in graph.edges())
        for edge, ends in enumerate(zip(src, dst, strict=True)):
            if ends not in best or weights[edge] < weights[best[ends]]:
                best[ends] = edge
        if best:
            found = lightest(graph, list(zip(*best, strict=True)), threads)
            assert found.tolist() == list(best.values()), case


def test_ends_without_an_edge_have_none():
    graph = Graph.of([(0, 1, 5), (1, 2, 1)])
    assert lightest(graph, ([0, 0, 2], [1, 2, 2])).tolist() == [0, -1, -1]


def test_many_ends_are_shared_by_the_threads():
    graph = corpus.case("road").graph()
    src, dst, _ = graph.edges()
    ends = np.tile([src, dst], 20)
    assert lightest(graph, ends, 3).tolist() == lightest(graph, ends).tolist()


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint64"])
def test_sums_are_formed_in_the_order_of_the_route(dtype):
    counts = np.array([3, 0, 5, 1])
    values = (np.random.default_rng(0).random(9) * 1e4).astype(dtype)
    sums = np.empty(4, dtype)
    _core.route_sums(counts, values, sums)
    parts = np.split(values, np.cumsum(counts)[:-1])
    assert sums.tolist() == [np.cumsum(part)[-1] if len(part) else 0 for part in parts]


def test_a_sum_of_integers_that_does_not_fit_is_an_error():
    for dtype in (np.int64, np.uint64):
        most = np.iinfo(dtype).max
        values, sums = np.array([most, 1], dtype), np.empty(1, dtype)
        with pytest.raises(OverflowError, match="does not fit 64 bits"):
            _core.route_sums(np.array([2]), values, sums)
        pred = np.array([-1, 0], np.int32)
        with pytest.raises(OverflowError, match="does not fit 64 bits"):
            _core.tree_sums(pred, values, np.array([1]), sums)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint64"])
def test_sums_down_a_tree_are_those_of_its_routes(dtype):
    graph = corpus.case("road").graph()
    _, pred = search(graph, 7)
    values = (np.random.default_rng(1).random(graph.n) * 1e4).astype(dtype)
    targets = np.random.default_rng(2).integers(0, graph.n, 400)
    vertices, counts = _core.tree_routes(pred, targets)
    expected, found = np.empty(400, dtype), np.empty(400, dtype)
    _core.route_sums(counts, values[vertices], expected)
    _core.tree_sums(pred, values, targets, found)
    assert found.tobytes() == expected.tobytes()
    ends = np.cumsum(counts)
    assert vertices[ends - 1].tolist() == targets.tolist()
    assert set(vertices[ends - counts].tolist()) == {7}
    steps = np.flatnonzero(np.diff(np.repeat(np.arange(400), counts)) == 0)
    assert (pred[vertices[steps + 1]] == vertices[steps]).all()


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("name", ["road", "grid_of_ones", "zero_cycle", "unreachable_half"])
def test_many_routes_in_a_hierarchy_are_those_of_the_tree(name, threads):
    graph = corpus.case(name).graph()
    hierarchy_of(graph, 1)
    sources, targets = np.random.default_rng(3).integers(0, graph.n, (2, 300))
    vertices, counts = routes(graph, (sources, targets), threads, Loop.HIERARCHY)
    paths = np.split(vertices, np.cumsum(counts)[:-1])
    for source, target, path in zip(sources, targets, paths, strict=True):
        labels, pred = search(graph, int(source))
        reached = labels[target] != np.iinfo(np.int64).max
        expected = _core.tree_routes(pred, np.array([target]))[0].tolist() if reached else []
        assert path.tolist() == expected


def test_damaged_arguments_are_refused():
    graph = Graph.of([(0, 1, 5), (1, 2, 1)])
    sums = np.empty(1)
    with pytest.raises(ValueError, match="heads"):
        lightest(graph, ([0], [1, 2]))
    with pytest.raises(ValueError, match="3"):
        lightest(graph, ([0], [3]))
    for counts in ([2], [-1], [0]):
        with pytest.raises(ValueError, match="counts must be"):
            _core.route_sums(np.array(counts), np.ones(1), sums)
    cycle = np.array([1, 0], np.int32)
    with pytest.raises(ValueError, match="cycle"):
        _core.tree_routes(cycle, np.array([0]))
    with pytest.raises(ValueError, match="cycle"):
        _core.tree_sums(cycle, np.ones(2), np.array([0]), sums)
    for pred in ([1, 0, -1], [1, 2, 1], [0, -1, -1]):
        with pytest.raises(ValueError, match="cycle"):
            _core.tree_loads(np.array(pred, np.int32), np.array([0]), np.ones(1), np.zeros(3))
    beyond = np.array([2, 0], np.int32)
    for call in (
        lambda: _core.tree_routes(beyond, np.array([0])),
        lambda: _core.tree_sums(beyond, np.ones(2), np.array([0]), sums),
        lambda: _core.tree_loads(beyond, np.array([0]), np.ones(1), np.zeros(2)),
    ):
        with pytest.raises(ValueError, match="below its own size"):
            call()
