"""graph-tool's interface by a fake: it cannot be installed by pip."""

from __future__ import annotations

import numpy as np
import pytest

import warpath as wp
from warpath.base.errors import GraphError
from warpath.io.graph_libraries import from_graph_tool


class Map(dict):
    """A property map: by vertex, or as an array by the number of the edge."""

    def __init__(self, values, kind="double"):
        super().__init__(enumerate(values))
        self.a = None if kind == "string" else np.array(values)
        self._kind = kind

    def value_type(self):
        return self._kind


class Graph:
    """Two edges, listed against their numbers; a third number belongs to an edge removed."""

    __module__ = "graph_tool"
    edge_index = "edge_index"

    def __init__(self, edges=None, vertices=None):
        self.edge_properties = edges or {}
        self.vertex_properties = vertices or {}

    def num_vertices(self):
        return 3

    def is_directed(self):
        return True

    def get_edges(self, properties):
        assert properties == ["edge_index"]
        return np.array([[0, 1, 2], [1, 2, 0]])


def edges_of(graph):
    src, dst, weights = graph.edges()
    return sorted(zip(src.tolist(), dst.tolist(), weights.tolist(), strict=True))


def test_weights_follow_the_numbers_of_the_edges():
    graph = wp.Graph.of(Graph({"weight": Map([4, 9, 3])}))
    assert edges_of(graph) == [(0, 1, 3), (1, 2, 4)]
    assert (graph.n, graph.directed, graph.labels) == (3, True, None)
    assert graph.weights.dtype == "int64"


def test_a_property_map_can_be_named_or_given():
    km = Map([4.5, 9, 3])
    assert edges_of(wp.Graph.of(Graph({"km": km}), weight="km")) == [(0, 1, 3), (1, 2, 4.5)]
    assert edges_of(wp.Graph.of(Graph(), weight=km)) == [(0, 1, 3), (1, 2, 4.5)]
    assert wp.Graph.of(Graph({"km": km})).weights is None
    assert wp.Graph.of(Graph({"weight": km}), weight=None).weights is None


def test_names_and_places_of_vertices():
    places = Map([[0, 1, 5], [2, 3, 5], [4, 5, 5]], "string")
    graph = wp.Graph.of(
        Graph(vertices={"name": Map("abc", "string"), "pos": places}), labels="name"
    )
    assert graph.labels.tolist() == ["a", "b", "c"]
    assert graph.coordinates.tolist() == [[0, 1], [2, 3], [4, 5]]


def test_what_cannot_be_used_is_refused_with_what_there_is():
    with pytest.raises(GraphError, match="no edge property map 'km'; there are: 'weight'"):
        wp.Graph.of(Graph({"weight": Map([1, 2, 3])}), weight="km")
    with pytest.raises(GraphError, match="no vertex property map 'name'; there are: none"):
        wp.Graph.of(Graph(), labels="name")
    with pytest.raises(GraphError, match="type 'string' has no weights"):
        wp.Graph.of(Graph({"weight": Map("abc", "string")}))
    with pytest.raises(GraphError, match="vertices 0 and 2 both have labels = 'a'"):
        wp.Graph.of(Graph(), labels=Map("aba", "string"))
    with pytest.raises(GraphError, match="not a graph-tool graph"):
        from_graph_tool(3)

    class GraphView(Graph):
        """A part of a graph."""

    with pytest.raises(GraphError, match="prune=True"):
        wp.Graph.of(GraphView())
