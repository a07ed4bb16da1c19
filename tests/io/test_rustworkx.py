from __future__ import annotations

import pytest

import warpath as wp
from warpath.base.errors import GraphError, WeightError
from warpath.io.graph_libraries import from_rustworkx

rustworkx = pytest.importorskip("rustworkx")


def edges_of(graph):
    src, dst, weights = graph.edges()
    return sorted(zip(src.tolist(), dst.tolist(), weights.tolist(), strict=True))


def made(payloads, kind=rustworkx.PyDiGraph):
    graph = kind()
    graph.add_nodes_from(range(len(payloads) + 1))
    graph.add_edges_from([(at, at + 1, payload) for at, payload in enumerate(payloads)])
    return graph


def test_payloads_that_are_numbers_are_weights():
    graph = wp.Graph.of(made([3, 4]))
    assert (graph.n, graph.directed, graph.labels) == (3, True, None)
    assert edges_of(graph) == [(0, 1, 3), (1, 2, 4)]
    assert graph.weights.dtype == "int64"
    assert wp.Graph.of(made([3, 4.5])).weights.dtype == "float64"


def test_an_undirected_graph_has_both_arcs_and_parallel_edges_stay():
    source = made([3], rustworkx.PyGraph)
    source.add_edge(0, 1, 2)
    graph = wp.Graph.of(source)
    assert not graph.directed
    assert edges_of(graph) == [(0, 1, 2), (0, 1, 3), (1, 0, 2), (1, 0, 3)]


def test_the_same_routes_as_rustworkx_finds():
    source = rustworkx.directed_gnp_random_graph(60, 0.1, seed=4)
    for at, (u, v) in enumerate(source.edge_list()):
        source.update_edge(u, v, at % 7 + 1)
    found = wp.sssp(source, 0)
    lengths = rustworkx.dijkstra_shortest_path_lengths(source, 0, float)
    assert {v: found[v] for v in lengths} == dict(lengths)
    assert found.reached.sum() == len(lengths) + 1


def test_without_payloads_every_weight_is_1():
    assert wp.Graph.of(made([None, None])).weights is None
    assert wp.Graph.of(made([3, 4]), weight=None).weights is None
    assert wp.Graph.of(rustworkx.PyGraph()).n == 0


def test_payloads_that_are_dictionaries_have_the_weight_by_name():
    source = made([{"weight": 2, "km": 7}, {"weight": 3, "km": 8}])
    assert edges_of(wp.Graph.of(source)) == [(0, 1, 2), (1, 2, 3)]
    assert edges_of(wp.Graph.of(source, weight="km")) == [(0, 1, 7), (1, 2, 8)]
    assert edges_of(wp.Graph.of(source, weight=lambda p: p["km"] * 2)) == [(0, 1, 14), (1, 2, 16)]


def test_numbers_of_removed_nodes_make_labels():
    source = made([3, 4, 5])
    source.remove_node(0)
    graph = wp.Graph.of(source)
    assert graph.labels.tolist() == [1, 2, 3]
    assert list(wp.path(graph, 1, 3)) == [1, 2, 3]
    assert wp.Graph.of(source, labels=["a", "b", "c"]).labels.tolist() == ["a", "b", "c"]


def test_an_edge_without_a_weight_is_named():
    with pytest.raises(WeightError, match=r"weight of edge 1 \(1 -> 2\) is None"):
        wp.Graph.of(made([3, None]))
    with pytest.raises(GraphError, match=r"edge 1 \(1 -> 2\) has the payload \{\}.*'weight'"):
        wp.Graph.of(made([{"weight": 2}, {}]))
    with pytest.raises(GraphError, match="'km'"):
        wp.Graph.of(made([{"weight": 2}]), weight="km")
    with pytest.raises(GraphError, match="payload 1, which has no 3"):
        wp.Graph.of(made([1]), weight=3)


def test_what_is_no_graph_is_refused():
    with pytest.raises(GraphError, match="use a PyGraph or PyDiGraph"):
        from_rustworkx(3)
