from __future__ import annotations

import pytest

import warpath as wp
from warpath.base.errors import GraphError, WeightError

igraph = pytest.importorskip("igraph")


def edges_of(graph):
    src, dst, weights = graph.edges()
    return sorted(zip(src.tolist(), dst.tolist(), weights.tolist(), strict=True))


def named(weights=(3, 4)):
    graph = igraph.Graph(n=3, edges=[(0, 1), (1, 2)], directed=True)
    graph.vs["name"] = ["a", "b", "c"]
    graph.es["weight"] = list(weights)
    return graph


def test_weights_and_names_are_read():
    graph = wp.Graph.of(named())
    assert graph.labels.tolist() == ["a", "b", "c"]
    assert edges_of(graph) == [(0, 1, 3), (1, 2, 4)]


def test_weights_and_names_can_be_left_out():
    graph = wp.Graph.of(named(), weight=None, labels=None)
    assert graph.weights is None
    assert graph.labels is None


def test_a_bare_undirected_graph_is_read():
    graph = wp.Graph.of(igraph.Graph.Ring(4))
    assert (graph.n, graph.m, graph.directed, graph.weights) == (4, 8, False, None)


def test_the_empty_graph():
    assert wp.Graph.of(igraph.Graph()).n == 0


def test_unknown_attributes_are_refused_with_those_there_are():
    with pytest.raises(GraphError, match="no edge attribute 'km'; there are: weight"):
        wp.Graph.of(named(), weight="km")
    with pytest.raises(GraphError, match="no vertex attribute 'id'; there are: name"):
        wp.Graph.of(named(), labels="id")


def test_a_name_that_occurs_twice_is_refused():
    graph = named()
    graph.vs["name"] = ["a", "b", "a"]
    with pytest.raises(GraphError, match="vertices 0 and 2 both have name = 'a'"):
        wp.Graph.of(graph)


def test_a_missing_weight_is_refused_with_its_edge():
    with pytest.raises(WeightError, match=r"'weight' of edge 1 \(1 -> 2\) is None"):
        wp.Graph.of(named([3, None]))


def test_coordinates_and_name_are_read():
    graph = named()
    graph.vs["x"], graph.vs["y"] = [0, 1, 2], [5, 6, 7]
    graph["name"] = "three"
    found = wp.Graph.of(graph)
    assert found.coordinates.tolist() == [[0, 5], [1, 6], [2, 7]]
    assert found.name == "three"
    graph.vs["x"] = ["west", None, "east"]
    assert wp.Graph.of(graph).coordinates is None


def test_another_object_of_igraph_is_refused():
    with pytest.raises(GraphError, match="is not an igraph graph"):
        wp.Graph.of(named().vs)
