from __future__ import annotations

import numpy as np
import pytest

import warpath as wp
from warpath.base.errors import GraphError, InputError, WeightError


def edges_of(graph):
    src, dst, weights = graph.edges()
    names = graph.label_of(src).tolist(), graph.label_of(dst).tolist()
    return sorted(zip(*names, weights.tolist(), strict=True))


def test_a_dictionary_of_pairs_holds_weights():
    graph = wp.Graph.of({("a", "b"): 2.5, ("b", "c"): 1})
    assert edges_of(graph) == [("a", "b", 2.5), ("b", "c", 1.0)]


def test_a_dictionary_of_dictionaries_holds_neighbours_with_weights():
    graph = wp.Graph.of({"a": {"b": 2, "c": 7}, "b": {"c": 1}, "lonely": {}})
    assert graph.labels.tolist() == ["a", "b", "lonely", "c"]
    assert edges_of(graph) == [("a", "b", 2), ("a", "c", 7), ("b", "c", 1)]


def test_a_dictionary_of_lists_or_sets_holds_neighbours():
    graph = wp.Graph.of({0: [1, 2], 1: {2}, 3: ()})
    assert graph.labels is None
    assert graph.weights is None
    assert (graph.n, edges_of(graph)) == (4, [(0, 1, 1), (0, 2, 1), (1, 2, 1)])


def test_integers_with_gaps_are_labels_in_ascending_order():
    graph = wp.Graph.of({20: {10: 1.5}, 30: {}})
    assert graph.labels.tolist() == [10, 20, 30]
    assert wp.Graph.of({20: {10: 1.5}}, n=21).n == 21


def test_corners_of_a_grid_can_be_keys_of_both_kinds():
    assert edges_of(wp.Graph.of({(0, 0): {(0, 1): 3}})) == [((0, 0), (0, 1), 3)]
    assert edges_of(wp.Graph.of({((0, 0), (0, 1)): 3})) == [((0, 0), (0, 1), 3)]


def test_direction_and_name_are_options():
    graph = wp.Graph.of({("a", "b"): 2}, directed=False, name="two")
    assert (graph.m, graph.name) == (2, "two")
    assert wp.Graph.of({}).n == 0


@pytest.mark.parametrize("data", [{1: 2}, {"ab": 2}, {(1, 2, 3): 1}, {"a": {"b": 1}, "c": 3}])
def test_a_dictionary_of_something_else_is_refused(data):
    with pytest.raises(GraphError, match=r"is not an edge: .*\{u: \{v: weight\}\}"):
        wp.Graph.of(data)


def test_a_weight_that_is_no_number_is_refused():
    with pytest.raises(WeightError, match="edge 0: its weight is"):
        wp.Graph.of({0: {1: {"weight": 1}}})


def test_an_option_that_a_dictionary_does_not_have_is_refused():
    with pytest.raises(InputError, match=r"a dict has no option 'undirected'.*mean directed=False"):
        wp.Graph.of({("a", "b"): 2}, undirected=True)


def test_edges_come_from_generators_sets_and_views_too():
    edges = {("a", "b", 2), ("b", "c", 1)}
    for data in (iter(edges), edges, (edge for edge in edges), dict.fromkeys(edges).keys()):
        assert edges_of(wp.Graph.of(data)) == [("a", "b", 2), ("b", "c", 1)]
    assert wp.Graph.of(zip([0, 1], [1, 2], strict=True)).m == 2
    assert wp.Graph.of(map(tuple, np.array([[0, 1], [1, 2]]))).n == 3
