"""The Python interface: labels, order, matrices and missing values, after public reports."""

from __future__ import annotations

import numpy as np
import pytest

import warpath as wp


def test_coordinates_with_an_index_belong_to_the_vertices_of_that_index():
    pandas = pytest.importorskip("pandas")
    streets = pandas.DataFrame({"u": [30, 10], "v": [10, 20], "length": [1.0, 2.0]})
    nodes = pandas.DataFrame({"id": [20, 30, 10], "x": [2.0, 3.0, 1.0], "y": [0.0, 0.0, 0.0]})
    graph = wp.Graph.of(streets, coordinates=nodes.set_index("id"))
    assert graph.labels.tolist() == [10, 20, 30]
    assert graph.coordinates[:, 0].tolist() == [1, 2, 3]


def test_names_of_facilities_are_not_swapped():
    points = [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)]
    graph = wp.Graph.of([(0, 1, 1), (1, 2, 1), (2, 1, 1), (1, 0, 1)], coordinates=points)
    assert wp.nearest(graph, [2, 0]).facilities.tolist() == [2, 0]
    assert wp.within(graph, [2, 0], 1).sources.tolist() == [2, 0]


def test_components_of_scipy_end_on_a_matrix_of_parallel_edges():
    csgraph = pytest.importorskip("scipy.sparse.csgraph")
    graph = wp.Graph.of([(0, 1, 5), (0, 1, 3), (1, 0, 2), (1, 0, 2), (2, 2, 0)])
    matrix = graph.to_scipy()
    assert csgraph.connected_components(matrix)[0] == 2
    matrix.sum_duplicates()
    assert matrix.toarray().tolist() == [[0, 3, 0], [2, 0, 0], [0, 0, 0]]


def test_the_sum_of_integer_distances_does_not_wrap():
    paths = wp.sssp(wp.Graph.of([(0, 1, 2)], n=3), 0)
    assert paths.reached_dist.sum() == np.nansum(paths.to_numpy()) == 2


def test_a_null_among_origins_is_blamed_and_not_the_row_before_it():
    polars = pytest.importorskip("polars")
    graph = wp.Graph.of([(0, 1, 2), (1, 0, 2)])
    with pytest.raises(wp.VertexError, match=r"origins\[1\] is missing"):
        wp.pairs(graph, polars.Series([1, None]), [0, 0])


def test_a_fraction_does_not_turn_a_graph_of_integers_into_floats():
    city = wp.prepare([(0, 1, 2), (1, 2, 3)])
    with pytest.raises(
        wp.WeightError, match=r"4\.5 does not fit int64.*graph\.astype\('float64'\)"
    ):
        city.with_changes([1], [4.5])


def test_a_negative_weight_is_said_to_be_one():
    graph = wp.Graph.of([("a", "b", 4), ("b", "c", -2)])
    assert "the first is -2 on the edge 'b' -> 'c'" in str(wp.sssp(graph, "a").plan)


def test_a_vertex_on_an_island_is_said_to_be_there():
    graph = wp.Graph.of([(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2), (4, 5), (5, 4)])
    with pytest.raises(wp.NoPathError, match=r'target is one of 2 vertices .*component="largest"'):
        wp.path(graph, 0, 5)
