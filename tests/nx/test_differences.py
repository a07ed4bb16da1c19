"""What is announced to differ from NetworkX does, and the page that lists it is complete."""

from __future__ import annotations

import re
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from _warpath_nx import DIFFERENCES, EVERYWHERE, FUNCTIONS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "networkx.md"

ask = {"backend": "warpath"}


def test_the_page_lists_every_difference_and_its_functions():
    section = PAGE.read_text().split("## Where answers differ", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| (.+) \| (.+) \|$", section, re.MULTILINE)
    listed = {text: functions for text, functions in rows if text != "Difference"}
    expected = {
        text: ", ".join(f"`{name}`" for name, keys in FUNCTIONS.items() if key in keys)
        for key, text in DIFFERENCES.items()
    }
    assert listed == expected | dict.fromkeys(EVERYWHERE.values(), "all")


def test_every_difference_belongs_to_a_function():
    used = {key for keys in FUNCTIONS.values() for key in keys}
    assert used == DIFFERENCES.keys()


def weighted(kind, edges):
    graph = kind()
    graph.add_weighted_edges_from(edges)
    return graph


def both(name, graph, *args, **options):
    function = getattr(nx, name)
    return function(graph, *args, **options, **ask), function(graph, *args, **options)


def test_path_another_one_of_equal_length_may_be_returned():
    ours, theirs = both("bidirectional_dijkstra", nx.grid_2d_graph(4, 4), (0, 0), (1, 3))
    assert ours[0] == theirs[0] == 4
    assert ours[1] != theirs[1]


def test_order_of_equally_far_nodes_is_the_graphs():
    graph = nx.Graph()
    graph.add_nodes_from([0, 1, 2])
    graph.add_edges_from([(0, 2), (0, 1)])
    ours, theirs = both("single_source_shortest_path_length", graph, 0)
    assert ours == theirs
    assert (list(ours), list(theirs)) == ([0, 1, 2], [0, 2, 1])


def test_directed_graphs_have_equally_short_simple_paths_in_another_order():
    graph = nx.DiGraph([(0, 1), (0, 2), (2, 3), (1, 3)])
    ours, theirs = (list(found) for found in both("shortest_simple_paths", graph, 0, 3))
    assert (ours, theirs) == ([[0, 1, 3], [0, 2, 3]], [[0, 2, 3], [0, 1, 3]])


def test_rounding_of_sums_from_both_ends_differs_in_the_last_bits():
    graph = weighted(nx.DiGraph, [(0, 1, 0.1), (1, 2, 0.2), (2, 3, 0.3)])
    ours, theirs = both("bidirectional_dijkstra", graph, 0, 3)
    assert ours == (0.1 + 0.2 + 0.3, [0, 1, 2, 3])
    assert theirs == (0.1 + (0.2 + 0.3), [0, 1, 2, 3])


def test_cycle_that_networkx_fails_to_name_is_named():
    graph = weighted(nx.Graph, [(0, 0, -1)])
    with pytest.raises(AttributeError):
        nx.find_negative_cycle(graph, 0)
    assert nx.find_negative_cycle(graph, 0, **ask) == [0, 0]


def test_bounds_are_not_used_where_distances_differ_by_direction():
    def climb(u, v, _data):
        return 1 if u < v else 5

    assert both("diameter", nx.path_graph(3), usebounds=True, weight=climb) == (10, 5)


def test_zero_cycle_of_floats_is_not_negative():
    edges = [(0, 5, 0.1), (0, 4, -0.1), (4, 5, -0.3), (5, 4, 0.3)]
    graph = weighted(nx.DiGraph, edges)
    with pytest.raises(nx.NetworkXUnbounded):
        nx.single_source_bellman_ford_path_length(graph, 0)
    ours = nx.single_source_bellman_ford_path_length(graph, 0, **ask)
    assert ours == {0: 0, 4: -0.1, 5: -0.4}


def test_frozen_graphs_are_searched_for_negative_cycles():
    graph = nx.freeze(weighted(nx.DiGraph, [(0, 1, -1), (1, 0, 0)]))
    with pytest.raises(nx.NetworkXError, match="Frozen"):
        nx.negative_edge_cycle(graph)
    assert nx.negative_edge_cycle(graph, **ask)


def test_numbers_of_numpy_do_not_wrap():
    graph = weighted(nx.DiGraph, [(0, 1, np.int8(100)), (1, 2, np.int8(100))])
    assert nx.dijkstra_path_length(graph, 0, 2, **ask) == 200
    with np.errstate(over="ignore"):
        assert nx.dijkstra_path_length(graph, 0, 2) == -56


def test_nodes_are_the_graphs_own_objects():
    ours, theirs = both("single_source_shortest_path", nx.path_graph(2), True)  # noqa: FBT003
    assert ours == theirs
    assert (repr(ours), repr(theirs)) == ("{1: [1], 0: [1, 0]}", "{True: [True], 0: [True, 0]}")


def test_functions_are_called_for_edges_that_no_search_comes_to():
    graph = nx.DiGraph([(0, 1), (2, 3)])
    calls = []

    def weight(u, v, _data):
        calls.append((u, v))
        return 1

    nx.dijkstra_path_length(graph, 0, 1, weight=weight, **ask)
    assert calls == [(0, 1), (2, 3)]


def test_changes_of_a_graph_do_not_reach_an_iterator_that_was_made_before():
    graph = nx.path_graph(3)
    lengths = nx.all_pairs_shortest_path_length(graph, **ask)
    graph.add_edge(0, 2)
    assert dict(lengths)[0] == {0: 0, 1: 1, 2: 2}
