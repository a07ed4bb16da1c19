"""The course of edges between their ends, in the order of a graph's rows."""

from __future__ import annotations

import numpy as np
import pytest

import warpath as wp
from warpath.base.errors import GraphError
from warpath.graph.edge_geometry import Shapes, in_rows, lightest, lines_of

N, M = 40, 250


@pytest.fixture(params=[(True, False), (False, False), (True, True), (False, True)])
def made(request):
    """A graph with parallel edges and loops; the points of edge e are (100 + e, 0), (100 + e, 1)..

    Lines are drawn from either end; some weights are infinite.
    """
    directed, weighted = request.param
    rng = np.random.default_rng(5)
    src, dst = rng.integers(0, N, (2, M))
    weights = rng.random(M) if weighted else None
    if weighted:
        weights[rng.integers(0, M, 20)] = np.inf
    places = rng.random((N, 2))
    inner = rng.integers(0, 4, M)
    lines = []
    for e in range(M):
        middle = [(100 + e, at) for at in range(inner[e])]
        line = [places[src[e]], *middle, places[dst[e]]]
        lines.append(line if e % 3 else line[::-1])
    whole = Shapes(np.cumsum([0, *map(len, lines)]), np.concatenate(lines))
    graph = wp.Graph.from_edges(src, dst, weights, n=N, directed=directed, coordinates=places)
    shapes = in_rows(whole, (src, dst), graph_weights(weights), places, directed=directed)
    graph = wp.Graph(
        graph.indptr,
        graph.indices,
        graph.weights,
        directed=directed,
        coordinates=places,
        shapes=shapes,
    )
    return graph, (src, dst, weights, inner)


def graph_weights(weights):
    return None if weights is None else np.asarray(weights)


def assert_right(graph, given):
    """Compare every row with the edge that its points name."""
    src, dst, weights, inner = given
    tails, heads, own = graph.edges()
    shapes = graph.shapes
    for at, (u, v) in enumerate(zip(tails.tolist(), heads.tolist(), strict=True)):
        points = shapes.points[shapes.indptr[at] : shapes.indptr[at + 1]]
        if not len(points):
            continue
        e = int(points[0, 0]) - 100
        assert {u, v} == {int(src[e]), int(dst[e])}
        assert weights is None or own[at] == weights[e]
        if u != v:
            along = list(range(inner[e])) if u == src[e] else list(range(inner[e]))[::-1]
            assert points[:, 1].tolist() == along


def test_each_row_has_the_shape_of_its_edge(made):
    graph, given = made
    kept = np.ones(M, bool) if given[2] is None else given[2] != np.inf
    times = np.where(given[0] == given[1], 1, 1 if graph.directed else 2)
    assert len(graph.shapes) == graph.m
    assert len(graph.shapes.points) == (given[3] * times)[kept].sum()
    assert_right(graph, given)


def test_turned_round_each_edge_keeps_its_shape(made):
    graph, given = made
    turned = graph.reversed()
    assert len(turned.shapes.points) == len(graph.shapes.points)
    assert_right(turned, given)


def test_new_weights_keep_the_shapes_of_what_is_left(made):
    graph, (src, dst, _, inner) = made
    weights = np.arange(graph.m, dtype=float)
    weights[::3] = np.inf
    changed = graph.with_weights(weights)
    assert len(changed.shapes) == changed.m
    assert_right(changed, (src, dst, None, inner))
    assert graph.with_weights(None).shapes is graph.shapes


def test_a_subgraph_keeps_the_shapes_of_its_edges(made):
    graph, given = made
    kept = np.random.default_rng(2).permutation(N)[: N // 2]
    part = graph.subgraph(kept)
    src, dst, weights, inner = given
    place = np.full(N, -1)
    place[kept] = np.arange(len(kept))
    assert_right(part, (place[src], place[dst], weights, inner))
    counts = np.diff(graph.shapes.indptr)
    tails, heads, _ = graph.edges()
    inside = (place[tails] >= 0) & (place[heads] >= 0)
    assert len(part.shapes.points) == counts[inside].sum() > 0


def test_npz_keeps_the_shapes(made, tmp_path):
    graph, given = made
    graph.shapes.crs = "EPSG:25832"
    wp.write(graph, tmp_path / "a.npz")
    back = wp.read(tmp_path / "a.npz")
    assert_right(back, given)
    assert np.array_equal(back.shapes.points, graph.shapes.points)
    assert back.shapes.crs == "EPSG:25832"


def test_pieces_join_from_end_to_end(made):
    graph, _ = made
    tails, heads, _ = graph.edges()
    edges = np.arange(graph.m)[::-1]
    lines, which, start, end = lines_of(graph, edges)
    first = np.flatnonzero(np.diff(which, prepend=-1))
    last = np.flatnonzero(np.diff(which, append=-1))
    assert np.array_equal(lines[first, 0], graph.coordinates[tails[edges]])
    assert np.array_equal(lines[last, 1], graph.coordinates[heads[edges]])
    inside = np.flatnonzero(np.diff(which) == 0)
    assert np.array_equal(lines[inside, 1], lines[inside + 1, 0])
    assert np.allclose(end[inside], start[inside + 1], rtol=0, atol=1e-9)
    assert np.allclose(start[first], 0, atol=1e-9)
    assert np.allclose(end[last], 1, atol=1e-9)


def test_the_lightest_of_parallel_edges_is_found(made):
    graph, _ = made
    tails, heads, weights = graph.edges()
    best = {}
    for at, edge in enumerate(zip(tails.tolist(), heads.tolist(), strict=True)):
        if edge not in best or weights[at] < weights[best[edge]]:
            best[edge] = at
    ends = np.array(list(best))
    assert lightest(graph, ends[:, 0], ends[:, 1]).tolist() == list(best.values())


def test_shares_are_of_the_length_true_to_scale():
    shapes = Shapes([0, 1], [(0, 1)])
    graph = wp.Graph(
        [0, 1, 1], np.array([1], np.int32), coordinates=[(0, 0), (3, 1)], shapes=shapes
    )
    assert lines_of(graph, np.array([0]))[2].tolist() == [0, 0.25]
    assert lines_of(graph, np.array([0]), 3.0)[2].tolist() == [0, 0.5]


def test_points_that_do_not_fit_are_refused():
    for wrong in ([0, 1], [1, 2], [0, 3, 2], [], [[0, 2]]):
        with pytest.raises(GraphError, match="ascend from 0 to the number of points, 2"):
            Shapes(wrong, [(0, 1), (2, 3)])
    shapes = Shapes([0, 0], [])
    with pytest.raises(GraphError, match="1 edges, but the graph has m = 2"):
        wp.Graph.from_edges([0, 1], [1, 0], shapes=shapes)


def test_lines_of_a_graph_without_coordinates_are_refused_with_the_way_out():
    graph = wp.Graph.of([(0, 1, 1)])
    with pytest.raises(GraphError, match="so its edges have no lines: give them with"):
        lines_of(graph, np.array([0]))
    with pytest.raises(GraphError, match="so its edges have no lines: give them with"):
        _ = wp.path(graph, 0, 1).pieces
