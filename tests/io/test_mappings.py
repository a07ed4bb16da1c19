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


def test_columns_under_names_of_ends_are_a_table():
    data = {"source": np.array([1, 2]), "target": np.array([2, 5]), "weight": np.array([0.5, 1])}
    for columns in (data, {name: column.tolist() for name, column in data.items()}):
        assert edges_of(wp.Graph.of(columns)) == [(1, 2, 0.5), (2, 5, 1.0)]
    assert edges_of(wp.Graph.of({"u": [0, 1], "v": [1, 2]})) == [(0, 1, 1), (1, 2, 1)]
    assert edges_of(wp.Graph.of({"from": ["a"], "to": ["b"]})) == [("a", "b", 1)]
    assert edges_of(wp.Graph.of({"x": [1], "y": [2]}, source="y", target="x")) == [(2, 1, 1)]


def test_a_table_of_edges_is_the_graph_again():
    graph = wp.Graph.of([("a", "b", 2), ("b", "c", 3)])
    assert edges_of(wp.Graph.of(graph.edge_table())) == edges_of(graph)
    pandas = pytest.importorskip("pandas")
    roads = pandas.DataFrame({"from": [1, 2], "to": [2, 3], "km": [4, 5], "minutes": [9, 8]})
    graph = wp.Graph.of(roads, weight="km", attributes="all")
    assert edges_of(wp.Graph.of(graph.edge_table())) == edges_of(graph)


@pytest.mark.parametrize(
    "data",
    [
        {"a": ["b"], "b": ["a"]},
        {"u": ["x"], "v": ["y"]},
        {"source": ["target"], "target": ["source"]},
    ],
)
def test_what_could_be_columns_or_neighbours_is_refused_with_both_remedies(data):
    with pytest.raises(GraphError, match="for columns, or a list of edges") as caught:
        wp.Graph.of(data)
    message = str(caught.value)
    as_columns = eval(f"dict({message.partition('give ')[2].partition(' for columns')[0]})")  # noqa: S307 - our own message
    first, second = data.values()
    assert edges_of(wp.Graph.of(data, **as_columns)) == [(first[0], second[0], 1)]
    as_edges = message.partition("list of edges, ")[2].partition(", for neighbours")[0]
    edges = eval(as_edges, {"data": data})  # noqa: S307 - our own message
    assert edges_of(wp.Graph.of(edges)) == sorted((u, row[0], 1) for u, row in data.items())


def test_neighbours_under_names_of_ends_stay_neighbours():
    data = {"source": ["a", "b"], "a": ["target"], "b": ["target"], "target": []}
    assert wp.Graph.of(data).m == 4
    with pytest.raises(InputError, match="weight='km' is for columns"):
        wp.Graph.of(data, weight="km")


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(GraphError, match="src has 2 entries but dst has 1"):
        wp.Graph.of({"x": [1, 2], "y": [2]}, source="x", target="y")
