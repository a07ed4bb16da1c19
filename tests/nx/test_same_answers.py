"""The same dictionaries, paths, numbers and errors as NetworkX, on graphs that hypothesis finds."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from support.networkx_graphs import (
    ABSENT,
    FLOATS,
    INTEGERS,
    NAMES,
    SIGNED,
    answer,
    assert_same,
    graphs,
)

CUTOFFS = st.sampled_from([None, None, -1, 0, 0.3, 1, 2, 2.5, 1e19, float("inf")])


FROM_ONE = [
    nx.single_source_dijkstra,
    nx.single_source_dijkstra_path,
    nx.single_source_dijkstra_path_length,
    nx.dijkstra_predecessor_and_distance,
    nx.single_source_shortest_path,
]


@pytest.mark.parametrize("function", FROM_ONE, ids=lambda function: function.__name__)
@given(graph=graphs(), cutoff=CUTOFFS, data=st.data())
def test_from_one_node(function, graph, cutoff, data):
    source = data.draw(st.sampled_from(list(graph)))
    assert_same(function, graph, source, cutoff=cutoff)


@given(graph=graphs(), cutoff=CUTOFFS, data=st.data())
def test_to_one_node_paths_are_as_short_and_paths_of_the_graph(graph, cutoff, data):
    target = data.draw(st.sampled_from(list(graph)))
    found = nx.single_target_shortest_path(graph, target, cutoff, backend="warpath")
    theirs = nx.single_target_shortest_path(graph, target, cutoff)
    assert {node: len(path) for node, path in found.items()} == {
        node: len(path) for node, path in theirs.items()
    }
    for node, path in found.items():
        assert (path[0], path[-1]) == (node, target)
        assert nx.is_path(graph, path)


LENGTHS = [nx.single_source_shortest_path_length, nx.single_target_shortest_path_length]


@pytest.mark.parametrize("function", LENGTHS, ids=lambda function: function.__name__)
@given(graph=graphs(), cutoff=CUTOFFS, data=st.data())
def test_numbers_of_edges_ascend_and_equal_ones_stand_in_the_graphs_order(
    function, graph, cutoff, data
):
    end = data.draw(st.sampled_from(list(graph)))
    place = {name: at for at, name in enumerate(graph)}
    theirs = function(graph, end, cutoff=cutoff)
    ascending = sorted(theirs.items(), key=lambda item: (item[1], place[item[0]]))
    assert answer(function, graph, end, cutoff=cutoff, backend="warpath") == repr(dict(ascending))


@given(graphs(), CUTOFFS, st.data())
def test_from_several_nodes(graph, cutoff, data):
    sources = data.draw(st.lists(st.sampled_from(list(graph)), min_size=1, max_size=4))
    for function in (nx.multi_source_dijkstra, nx.multi_source_dijkstra_path_length):
        assert_same(function, graph, sources, cutoff=cutoff)
    target = data.draw(st.sampled_from(NAMES))
    assert_same(nx.multi_source_dijkstra, graph, sources, target=target, cutoff=cutoff)


@given(graphs(), CUTOFFS, st.sampled_from(NAMES), st.sampled_from(NAMES))
def test_from_one_node_to_another_and_names_that_are_not_there(graph, cutoff, source, target):
    assert_same(nx.single_source_dijkstra, graph, source, target=target, cutoff=cutoff)
    assert_same(nx.dijkstra_path, graph, source, target)
    assert_same(nx.dijkstra_path_length, graph, source, target)
    assert_same(nx.shortest_path_length, graph, source, target, weight="weight")
    assert_same(nx.has_path, graph, source, target)
    for seen in (False, True):
        assert_same(nx.predecessor, graph, source, target, cutoff=cutoff, return_seen=seen)
    assert_same(nx.predecessor, graph, source, cutoff=cutoff, return_seen=True)


@given(graphs(), CUTOFFS)
def test_from_every_node(graph, cutoff):
    assert_same(nx.all_pairs_dijkstra, graph, cutoff=cutoff)
    assert_same(nx.all_pairs_dijkstra_path, graph, cutoff=cutoff)
    assert_same(nx.all_pairs_shortest_path, graph, cutoff=cutoff)
    assert_same(nx.all_pairs_shortest_path_length, graph, cutoff=cutoff)


@given(graphs(st.one_of(INTEGERS, ABSENT)), st.sampled_from(NAMES), st.sampled_from(NAMES))
def test_all_shortest_paths_in_networkxs_order(graph, source, target):
    for weight in (None, "weight"):
        assert_same(nx.all_shortest_paths, graph, source, target, weight=weight)
        assert_same(nx.single_source_all_shortest_paths, graph, source, weight=weight)


@given(graphs(), st.sampled_from([None, "weight"]), st.data())
def test_centralities_and_distance_measures(graph, weight, data):
    some = data.draw(st.lists(st.sampled_from(NAMES), max_size=3))
    assert_same(nx.closeness_centrality, graph, distance=weight)
    assert_same(nx.closeness_centrality, graph, u=NAMES[0], distance=weight, wf_improved=False)
    assert_same(nx.harmonic_centrality, graph, distance=weight)
    assert_same(nx.harmonic_centrality, graph, nbunch=some, distance=weight)
    assert_same(nx.harmonic_centrality, graph, sources=some, distance=weight)
    assert_same(nx.eccentricity, graph, weight=weight)
    assert_same(nx.eccentricity, graph, v=some, weight=weight)
    for function in (nx.diameter, nx.radius, nx.periphery):
        assert_same(function, graph, weight=weight)
    assert_same(nx.average_shortest_path_length, graph, weight=weight)


def value_of(function, graph, *args, **options):
    try:
        return function(graph, *args, **options)
    except nx.NetworkXException as error:
        return type(error), str(error)


@given(
    graphs(SIGNED, [nx.DiGraph, nx.MultiDiGraph]), st.sampled_from(NAMES), st.sampled_from(NAMES)
)
def test_negative_weights(graph, source, target):
    for function, args in [
        (nx.single_source_bellman_ford_path_length, (source,)),
        (nx.bellman_ford_path_length, (source, target)),
        (nx.negative_edge_cycle, ()),
    ]:
        theirs = value_of(function, graph, *args)
        assert value_of(function, graph, *args, backend="warpath") == theirs
    assert_same(nx.johnson, graph)
    distances = value_of(nx.single_source_bellman_ford_path_length, graph, source)
    found = value_of(nx.goldberg_radzik, graph, source, backend="warpath")
    assume(isinstance(distances, dict) and isinstance(found[0], dict))
    before, lengths = found
    assert lengths == distances
    predecessors, again = nx.bellman_ford_predecessor_and_distance(graph, source, backend="warpath")
    theirs, _ = nx.bellman_ford_predecessor_and_distance(graph, source)
    assert again == distances
    assert {v: set(us) for v, us in predecessors.items()} == {
        v: set(us) for v, us in theirs.items()
    }
    assert all(u is None or u in theirs[v] for v, u in before.items())
    paths = nx.single_source_bellman_ford_path(graph, source, backend="warpath")
    assert paths.keys() == distances.keys()
    for name, path in paths.items():
        assert (path[0], path[-1]) == (source, name)
        assert length_along(graph, path) == distances[name]


@given(graphs(SIGNED, [nx.DiGraph, nx.MultiDiGraph]), st.sampled_from(NAMES))
def test_a_negative_cycle_is_one(graph, source):
    assume(source in graph)
    found = value_of(nx.find_negative_cycle, graph, source, backend="warpath")
    if isinstance(found, tuple):
        assert value_of(nx.find_negative_cycle, graph, source) == found
        return
    assert found[0] == found[-1]
    assert nx.has_path(graph, source, found[0])
    assert length_along(graph, found) < 0


@given(graphs(st.one_of(INTEGERS, ABSENT)), st.sampled_from(NAMES), st.sampled_from(NAMES))
def test_a_path_by_two_sided_search_is_a_shortest_one(graph, source, target):
    theirs = value_of(nx.bidirectional_dijkstra, graph, source, target)
    ours = value_of(nx.bidirectional_dijkstra, graph, source, target, backend="warpath")
    if isinstance(theirs[0], type):
        assert ours == theirs
        return
    assert ours[0] == theirs[0]
    assert length_along(graph, ours[1]) == theirs[0]
    path = nx.bidirectional_shortest_path(graph, source, target, backend="warpath")
    assert len(path) == len(nx.bidirectional_shortest_path(graph, source, target))
    assert nx.is_path(graph, path)
    assert nx.astar_path_length(graph, source, target, backend="warpath") == theirs[0]


@given(graphs(st.one_of(INTEGERS, FLOATS)))
def test_all_pairs_as_a_matrix_and_as_dictionaries(graph):
    before, theirs = nx.floyd_warshall_predecessor_and_distance(graph)
    pred, ours = nx.floyd_warshall_predecessor_and_distance(graph, backend="warpath")
    assert ours.keys() == theirs.keys()
    for u, row in theirs.items():
        assert ours[u] == pytest.approx(dict(row), rel=1e-12)
    assert {u: set(row) for u, row in pred.items()} == {u: set(row) for u, row in before.items()}
    for u, row in pred.items():
        for v in row:
            if u != v:
                assert nx.is_path(graph, nx.reconstruct_path(u, v, pred))
    matrix = nx.floyd_warshall_numpy(graph, backend="warpath")
    assert matrix.dtype == np.float64
    np.testing.assert_allclose(matrix, nx.floyd_warshall_numpy(graph), rtol=1e-12)
    names = list(graph)[::-1]
    turned = nx.floyd_warshall_numpy(graph, nodelist=names, backend="warpath")
    assert np.array_equal(turned, matrix[::-1, ::-1])


def test_integers_stay_integers_in_floyd_warshall_and_a_missing_weight_is_a_float():
    graph = nx.DiGraph([(0, 1, {"weight": 2}), (1, 2), (2, 2, {"weight": 0.0})])
    assert_same_numbers(graph)
    assert_same_numbers(nx.path_graph(3))
    assert_same_numbers(nx.DiGraph([(0, 1, {"weight": 2}), (1, 2, {"weight": 3})]))


def assert_same_numbers(graph):
    ours = nx.floyd_warshall(graph, backend="warpath")
    for u, row in nx.floyd_warshall(graph).items():
        assert {v: repr(d) for v, d in row.items()} == {v: repr(d) for v, d in ours[u].items()}


def length_along(graph, path):
    def least(u, v):
        edges = graph[u][v].values() if graph.is_multigraph() else [graph[u][v]]
        return min(data.get("weight", 1) for data in edges)

    return sum(least(u, v) for u, v in pairwise(path))


def test_rows_of_floyd_warshall_say_inf_of_what_is_no_node_as_networkx_has_it():
    graph = nx.path_graph(3)
    rows = nx.floyd_warshall(graph), nx.floyd_warshall(graph, backend="warpath")
    assert [type(each) for each in rows] == [dict, dict]
    assert [type(each[0]) for each in rows] == [defaultdict, defaultdict]
    assert [each[0]["none"] for each in rows] == [float("inf")] * 2
