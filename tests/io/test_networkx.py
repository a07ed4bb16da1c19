from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import warpath as wp
from warpath.base.errors import GraphError, WeightError

nx = pytest.importorskip("networkx")


def edges_of(graph):
    src, dst, weights = graph.edges()
    return sorted(zip(src.tolist(), dst.tolist(), weights.tolist(), strict=True))


def test_nodes_keep_their_order_and_become_labels():
    given_graph = nx.DiGraph()
    given_graph.add_nodes_from(["c", "a", "b"])
    given_graph.add_edge("a", "c", weight=2)
    graph = wp.Graph.of(given_graph)
    assert graph.labels.tolist() == ["c", "a", "b"]
    assert edges_of(graph) == [(1, 0, 2)]


def test_nodes_0_to_n_in_order_are_no_labels_but_in_another_order_they_are():
    assert wp.Graph.of(nx.path_graph(3)).labels is None
    turned = nx.Graph([(1, 0)])
    assert wp.Graph.of(turned).labels.tolist() == [1, 0]


def test_tuples_are_labels():
    graph = wp.Graph.of(nx.grid_2d_graph(2, 2))
    assert graph.index_of((1, 0)) == list(graph.labels).index((1, 0))
    assert graph.m == 8


def test_an_edge_without_weight_weighs_1_as_in_networkx():
    mixed = nx.DiGraph()
    mixed.add_edge(0, 1, weight=2.5)
    mixed.add_edge(1, 2)
    assert edges_of(wp.Graph.of(mixed)) == [(0, 1, 2.5), (1, 2, 1.0)]


def test_without_any_weight_the_graph_has_none():
    assert wp.Graph.of(nx.path_graph(3)).weights is None
    assert wp.Graph.of(nx.DiGraph([(0, 1, {"weight": 3})]), weight=None).weights is None


def test_another_attribute_can_be_the_weight():
    graph = wp.Graph.of(nx.DiGraph([(0, 1, {"length": 3})]), weight="length")
    assert graph.weights.tolist() == [3]


def test_an_attribute_that_no_edge_has_is_refused_with_those_there_are():
    with pytest.raises(GraphError, match="no edge has the attribute 'lenght'; there are: length"):
        wp.Graph.of(nx.DiGraph([(0, 1, {"length": 3})]), weight="lenght")


def test_a_weight_that_is_no_number_is_refused_with_its_edge():
    with pytest.raises(WeightError, match="'weight' of the edge 'a' -> 'b' is None"):
        wp.Graph.of(nx.DiGraph([("a", "b", {"weight": None})]))


def test_undirected_graphs_and_self_loops():
    graph = wp.Graph.of(nx.Graph([(0, 1), (1, 1)]))
    assert edges_of(graph) == [(0, 1, 1), (1, 0, 1), (1, 1, 1)]
    assert not graph.directed


def test_parallel_edges_stay_parallel():
    graph = wp.Graph.of(nx.MultiDiGraph([(0, 1, {"weight": 2}), (0, 1, {"weight": 1})]))
    assert edges_of(graph) == [(0, 1, 1), (0, 1, 2)]
    assert wp.Graph.of(nx.MultiGraph([(0, 1), (0, 1)])).m == 4


def test_the_empty_graph_and_the_name():
    assert wp.Graph.of(nx.Graph()).n == 0
    assert wp.Graph.of(nx.Graph(name="club")).name == "club"


@pytest.mark.parametrize(
    "attributes", [lambda v: {"x": v, "y": -v}, lambda v: {"pos": (v, -v)}, lambda v: {"x": v}]
)
def test_coordinates_come_from_x_and_y_or_pos_where_all_have_them(attributes):
    given_graph = nx.path_graph(2)
    for v in given_graph:
        given_graph.nodes[v].update(attributes(v))
    found = wp.Graph.of(given_graph).coordinates
    if attributes(0).keys() == {"x"}:
        assert found is None
    else:
        assert found.tolist() == [[0, 0], [1, -1]]


def test_views_are_graphs_but_other_objects_of_networkx_are_not():
    assert wp.Graph.of(nx.path_graph(4).subgraph([0, 1, 2])).m == 4
    with pytest.raises(GraphError, match="is not a NetworkX graph"):
        wp.Graph.of(nx.path_graph(3).edges)


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 9)), max_size=20),
    st.booleans(),
)
def test_a_graph_comes_back_from_networkx(edges, directed):
    graph = wp.Graph.of(edges, n=6, directed=directed)
    again = wp.Graph.of(graph.to_networkx())
    assert again.directed == directed
    assert edges_of(again) == edges_of(graph)
    assert again.labels is None


def test_labels_come_back_from_networkx():
    graph = wp.Graph.of([("b", "a", 1), ("a", "c", 2)])
    again = wp.Graph.of(graph.to_networkx())
    assert again.labels.tolist() == ["b", "a", "c"]
    tuples = wp.Graph.of([((0, 0), (0, 1), 1)])
    assert list(wp.Graph.of(tuples.to_networkx()).labels) == [(0, 0), (0, 1)]


def test_distances_agree_with_networkx():
    given_graph = nx.gnp_random_graph(40, 0.1, seed=1, directed=True)
    for at, (u, v) in enumerate(given_graph.edges):
        given_graph.edges[u, v]["weight"] = at % 7
    csgraph = pytest.importorskip("scipy.sparse.csgraph")
    ours = csgraph.dijkstra(wp.Graph.of(given_graph).to_scipy(), indices=0)
    theirs = nx.single_source_dijkstra_path_length(given_graph, 0)
    assert {v: d for v, d in enumerate(ours.tolist()) if np.isfinite(d)} == theirs


def test_a_graph_whose_edges_have_lengths_but_no_weights_is_refused():
    data = nx.MultiDiGraph([(0, 1, {"length": 30.5, "travel_time": 2.0, "name": "Rue"})])
    with pytest.raises(GraphError, match=r"edges have length, travel_time: choose with weight='le"):
        wp.Graph.of(data)
    assert wp.Graph.of(data, weight="travel_time").weights.tolist() == [2.0]
    assert wp.Graph.of(data, weight=None).weights is None
    assert wp.Graph.of(data, weight="weight").weights is None  # as NetworkX counts


def test_coordinates_come_back_from_networkx():
    places = [[7.42, 43.73], [7.43, 43.74]]
    graph = wp.Graph.of([("a", "b", 2)], coordinates=places)
    data = graph.to_networkx()
    assert dict(data.nodes(data=True)) == {
        "a": {"x": 7.42, "y": 43.73},
        "b": {"x": 7.43, "y": 43.74},
    }
    assert wp.Graph.of(data).coordinates.tolist() == places


def test_nodes_without_coordinates_are_counted():
    given_graph = nx.DiGraph([(1, 2)])
    given_graph.nodes[1].update(x=1.0, y=2.0)
    graph = wp.Graph.of(given_graph)
    assert graph.coordinates is None
    (report,) = graph.read_report.items()
    assert report == ("nodes without valid x and y or pos, so that no vertex has coordinates", 1)


def test_attributes_of_edges_are_kept_as_columns():
    data = nx.MultiDiGraph(created_with="OSMnx 2.1", crs="EPSG:4326")
    data.add_edge(7, 9, name=["High Street", "Mill Lane"], length=12.5, lanes=2, oneway=True)
    data.add_edge(7, 9, length=10.0, oneway=False)
    graph = wp.Graph.of(data, weight="length", attributes="all")
    table = graph.edge_table()
    assert table["name"].tolist() == ["High Street;Mill Lane", ""]
    assert table["lanes"].tolist()[:1] == [2.0]
    assert np.isnan(table["lanes"][1])
    assert table["oneway"].tolist() == [True, False]
    assert graph.unit == "m"
    route = wp.path(graph, 7, 9)
    assert route.attribute("key").tolist() == [1]
    assert route.attribute("name").tolist() == [""]
    kept = wp.Graph.of(data, weight="length", attributes=["length", "key"])
    assert [*kept.given.columns] == ["length", "key"]
    assert {*kept.to_networkx().edges} == {(7, 9, 0), (7, 9, 1)}
    single = wp.Graph.of([("a", "b")])
    assert single.to_networkx(multigraph=True).is_multigraph()
    with pytest.raises(wp.InputError, match="multigraph=False: the graph has parallel edges"):
        kept.to_networkx(multigraph=False)
    assert kept.given.units == {"length": "m"}
    with pytest.raises(GraphError, match="no edge has the attribute 'lane'; there are: 'key', "):
        wp.Graph.of(data, weight="length", attributes="lane")
    with pytest.raises(GraphError, match="keeps no column of this name; there are 'length', 'key'"):
        wp.path(kept, 7, 9).attribute("lanes")


def test_a_file_of_networkx_gives_back_columns_and_units(tmp_path):
    data = {"source": ["a", "b"], "target": ["b", "c"], "weight": [4, 5], "street": ["x", "y"]}
    graph = wp.Graph.of(data, attributes="all", unit="s", attribution="the town")
    nx.write_graphml(graph.to_networkx(), tmp_path / "town.graphml")
    back = wp.read(tmp_path / "town.graphml")
    assert back.edge_table()["street"].tolist() == ["x", "y"]
    assert (back.unit, back.attribution, back.weights.dtype) == ("s", "the town", "int64")
    chosen = wp.read(tmp_path / "town.graphml", attributes="street", weight=None)
    assert (chosen.weights, [*chosen.given.columns]) == (None, ["street"])
