"""The most central vertices: those of `closeness`, without a search from every vertex."""

from __future__ import annotations

import numpy as np
import pytest

import warpath as wp
from warpath.api.centrality import closeness, top_closeness
from warpath.graph.turns import Turns

TYPES = ("int32", "int64", "float32", "float64")


def random_graph(seed, dtype):
    """A graph of some components, directed or not, with lengths whose sums are exact."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 30))
    m = int(rng.integers(0, 4 * n))
    edges = zip(*rng.integers(0, n, (2, m)).tolist(), rng.integers(0, 5, m).tolist(), strict=True)
    return wp.Graph.of(list(edges), n=n, directed=bool(seed % 2)).astype(dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("improved", [False, True])
def test_the_largest_are_those_of_closeness(dtype, improved):
    for seed in range(60):
        graph = random_graph(seed, dtype)
        right = closeness(graph, wf_improved=improved).vertices
        order = np.lexsort((np.arange(graph.n), -right))
        for k in {1, min(3, graph.n), graph.n}:
            found = top_closeness(graph, k, wf_improved=improved)
            assert found.vertices.tolist() == order[:k].tolist(), seed
            assert found.values.tolist() == right[order[:k]].tolist()
            assert found.searches <= graph.n


@pytest.mark.parametrize("dtype", ["int32", "float64"])
@pytest.mark.parametrize("prepared", [False, True])
def test_few_vertices_of_a_road_network_are_searched_from(dtype, prepared):
    road = wp.generate.road(4_000).astype(dtype)
    right = closeness(road).vertices
    found = top_closeness(wp.Solver(road, prepared=prepared), 5)
    assert found.vertices.tolist() == np.argsort(-right, kind="stable")[:5].tolist()
    assert found.searches < road.n / 8


def test_names_and_directions_are_those_of_the_graph():
    row = wp.Graph.of([("a", "b", 1), ("b", "c", 1), ("c", "a", 5), ("x", "c", 1)])
    right = closeness(row).vertices
    found = top_closeness(row, 4)
    assert found.vertices.tolist() == [row.label_of(int(v)) for v in np.argsort(-right)]


def test_progress_counts_vertices_that_are_decided():
    said = []
    top_closeness(wp.generate.road(2_000), progress=lambda *done: said.append(done))
    assert said[-1] == (2_000, 2_000)
    assert [done for done, _ in said] == sorted(done for done, _ in said)


@pytest.mark.parametrize("k", [0, 4, 1.5, None])
def test_numbers_of_vertices_that_there_are_not_are_refused(k):
    with pytest.raises(wp.InputError, match="must be a number of vertices: 1 to 3"):
        top_closeness([(0, 1), (1, 2)], k)


def test_turns_and_closed_vertices_are_refused_by_name():
    rows = wp.Graph.of([(0, 1, 1), (1, 2, 1), (2, 0, 1)])
    turns = Turns(np.array([[0, 1]]), np.full(rows.m, -1))
    for graph in (
        wp.Graph(rows.indptr, rows.indices, rows.weights, turns=turns),
        wp.Graph.from_edges(*rows.edges(), first_through=1),
    ):
        with pytest.raises(wp.NotSupportedError, match="top_closeness"):
            top_closeness(graph)
