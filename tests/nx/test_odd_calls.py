"""Calls with odd weights, nodes and arguments: the same answer or error, or handed back in time."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest

import warpath.nx as backend
from warpath.base.errors import LeftToNetworkXError

ask = {"backend": "warpath"}


def weighted(kind, edges):
    graph = kind()
    graph.add_weighted_edges_from(edges)
    return graph


def assert_same(name, graph, *args, **options):
    """Expect the same printed answer, or an exception of the same class and text."""
    function = getattr(nx, name)
    try:
        theirs = function(graph, *args, **options)
    except Exception as error:  # noqa: BLE001 - of any class
        with pytest.raises(type(error), match=f"^{re.escape(str(error))}$"):
            function(graph, *args, **options, **ask)
    else:
        assert repr(function(graph, *args, **options, **ask)) == repr(theirs)


def assert_handed_back(name, graph, *args, **options):
    """Expect it at once, where NetworkX's dispatcher sees it: not when an iterator is read."""
    with pytest.raises(NotImplementedError) as raised:
        getattr(nx, name)(graph, *args, **options, **ask)
    assert type(raised.value) is NotImplementedError


CYCLE = [(0, 1, -(2**61)), (1, 2, -(2**61)), (2, 3, -(2**61)), (3, 4, -(2**61)), (4, 5, -(2**61))]


def test_negative_cycles_whose_lengths_do_not_fit_64_bits_are_handed_back():
    graph = weighted(nx.DiGraph, CYCLE)
    assert_handed_back("negative_edge_cycle", graph)
    assert_handed_back("find_negative_cycle", graph, 0)


ALL_PAIRS = [
    name
    for name in backend.__all__
    if name.startswith("all_pairs") and not name.startswith("all_pairs_shortest")
]


@pytest.mark.parametrize("name", ALL_PAIRS)
def test_all_pairs_are_handed_back_before_the_first_answer_is_read(name):
    far = weighted(nx.DiGraph, [(0, 1, 2**62), (1, 2, 2**62), (2, 3, 2**62)])
    endless = weighted(nx.MultiDiGraph, [(0, 1, 1.0), (1, 2, math.inf)])
    for graph in (far, endless):
        assert_handed_back(name, graph, weight="weight")
        kept = backend.convert_from_nx(graph)
        for weight in ("weight", lambda _u, _v, _data: Fraction(1, 2)):
            with pytest.raises(LeftToNetworkXError):
                getattr(backend, name)(kept, weight=weight)


@pytest.mark.parametrize("name", ALL_PAIRS)
def test_by_priority_networkx_answers_for_all_pairs_that_do_not_fit(name, monkeypatch):
    graph = weighted(nx.DiGraph, [(at, at + 1, 2**62) for at in range(70)])
    theirs = repr(list(getattr(nx, name)(graph, weight="weight")))
    monkeypatch.setattr(nx.config.backend_priority, "algos", ["warpath"])
    assert repr(list(getattr(nx, name)(graph, weight="weight"))) == theirs


@pytest.mark.parametrize("cutoff", [10**400, 2**63 - 1, 1e308, math.inf, math.nan, None])
def test_no_cutoff_hides_a_distance_that_does_not_fit(cutoff):
    graph = weighted(nx.DiGraph, [(0, 1, 2**63 - 1)])
    assert_handed_back("single_source_dijkstra_path_length", graph, 0, cutoff=cutoff)


@pytest.mark.parametrize("cutoff", [10**400, -(10**400), 2**53 + 1, True, np.int64(1), -math.inf])
@pytest.mark.parametrize("weights", [(1, 2), (None, 2)])
def test_integers_of_any_size_are_cutoffs(cutoff, weights):
    graph = weighted(nx.DiGraph, [(0, 1, weights[0]), (1, 2, weights[1])])
    for name in (
        "single_source_dijkstra",
        "dijkstra_predecessor_and_distance",
        "single_source_shortest_path",
        "single_source_shortest_path_length",
        "predecessor",
    ):
        assert_same(name, graph, 0, cutoff=cutoff)


def test_a_cutoff_between_two_floats_is_handed_back():
    graph = weighted(nx.DiGraph, [(0, 1, 2.0**53 + 4)])
    assert_handed_back("single_source_dijkstra", graph, 0, cutoff=2**53 + 3)


@pytest.mark.parametrize("cutoff", ["2", [], 1j, Fraction(1, 2), np.float32(0.3), np.uint64(2**63)])
def test_cutoffs_that_compare_by_rules_of_their_own_are_handed_back(cutoff):
    graph = nx.path_graph(3)
    for name in ("single_source_dijkstra", "single_source_shortest_path", "predecessor"):
        assert_handed_back(name, graph, 0, cutoff=cutoff)
    for name in ("all_pairs_dijkstra", "all_pairs_shortest_path_length"):
        assert_handed_back(name, graph, cutoff=cutoff)


def test_a_cutoff_of_nan_is_none_to_predecessor():
    assert_same("predecessor", nx.path_graph(4), 0, cutoff=math.nan)


def test_sums_beyond_the_largest_float_are_handed_back():
    graph = weighted(nx.DiGraph, [(0, 1, 1e308), (1, 2, 1e308)])
    for name in ("single_source_dijkstra", "single_source_bellman_ford", "goldberg_radzik"):
        assert_handed_back(name, graph, 0)
    for name in ("floyd_warshall", "floyd_warshall_numpy", "johnson"):
        assert_handed_back(name, graph)


def test_an_edge_whose_sum_does_not_fit_still_shows_its_node():
    graph = weighted(nx.DiGraph, [(0, 1, 1), (1, 2, 2**63 - 1), (1, 3, 1), (3, 2, 1)])
    assert_same("dijkstra_predecessor_and_distance", graph, 0)


def test_johnson_takes_reduced_lengths_that_round_below_0():
    edges = [(0, 1, -0.2), (1, 3, 0.1), (2, 3, -0.3), (3, 0, 0.1), (3, 1, 0.0)]
    graph = weighted(nx.DiGraph, edges)
    assert nx.johnson(graph, backend="warpath") == nx.johnson(graph, backend="networkx")


def test_lengths_that_johnson_cannot_hold_in_64_bits_are_handed_back():
    edges = [(0, 1, 2**63 - 1), (0, 2, 1), (2, 1, 1), (3, 1, -5)]
    assert_handed_back("johnson", weighted(nx.DiGraph, edges))


def test_a_function_as_the_weight_of_floyd_warshall_is_handed_back():
    graph = nx.cycle_graph(4)
    for method in ("floyd-warshall", "floyd-warshall-numpy"):
        options = {"weight": lambda _u, _v, _data: 3, "method": method}
        assert_handed_back("average_shortest_path_length", graph, **options)


def test_distances_that_networkx_adds_in_the_order_of_its_search_are_handed_back():
    average = "average_shortest_path_length"
    options = {"weight": "weight", "method": "bellman-ford"}
    ring = [(0, 1, 0.1), (1, 2, 0.7), (2, 0, 0.2)]
    assert_handed_back(average, weighted(nx.DiGraph, ring), **options)
    hidden = weighted(nx.Graph, [(0, 1, 1), (1, 2, None), (2, 0, 2)])
    assert_handed_back(average, hidden, **options)
    assert_same(average, weighted(nx.DiGraph, [(0, 1, 1), (1, 2, 7), (2, 0, 2)]), **options)


@pytest.mark.parametrize("method", [[], "", 0, "x"])
def test_a_method_that_is_none_is_refused_as_by_networkx(method):
    assert_same("average_shortest_path_length", nx.path_graph(3), method=method)


@pytest.mark.parametrize("options", [{}, {"weight": "weight"}, {"usebounds": 1}])
@pytest.mark.parametrize("name", ["center", "diameter", "radius", "periphery"])
@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph])
def test_measures_of_an_empty_graph_raise_what_networkx_raises(name, options, kind):
    assert_same(name, kind(), **options)


@pytest.mark.parametrize("options", [{}, {"nbunch": [0, 1]}, {"sources": [2]}])
def test_harmonic_centrality_divides_by_large_integers_as_python_does(options):
    edges = [(0, 1, 2**54 + 3), (1, 2, 2**53 + 1), (2, 0, 2**60), (3, 1, 1)]
    assert_same("harmonic_centrality", weighted(nx.Graph, edges), distance="weight", **options)


@pytest.mark.parametrize("options", [{}, {"nbunch": [0]}])
@pytest.mark.filterwarnings("error")
def test_harmonic_centrality_of_the_tiniest_lengths_is_inf(options):
    edges = [(0, 1, 5e-324), (0, 2, 1e-308), (0, 3, 1e-308), (1, 2, 1e-308)]
    assert_same("harmonic_centrality", weighted(nx.Graph, edges), distance="weight", **options)


@pytest.mark.parametrize("name", ["multi_source_dijkstra", "multi_source_dijkstra_path_length"])
def test_an_iterator_of_sources_is_handed_back_unread(name):
    sources = iter([0, 1])
    assert_handed_back(name, nx.path_graph(4), sources)
    assert list(sources) == [0, 1]


def test_an_iterator_of_nodes_is_handed_back_unread():
    for name, parameter in [
        ("harmonic_centrality", "nbunch"),
        ("harmonic_centrality", "sources"),
        ("eccentricity", "v"),
    ]:
        nodes = iter([0, 1])
        assert_handed_back(name, nx.path_graph(4), **{parameter: nodes})
        assert list(nodes) == [0, 1]


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("dijkstra_path_length", (0, [])),
        ("single_source_shortest_path", ([],)),
        ("single_source_bellman_ford", ([],)),
        ("bellman_ford_path_length", (0, {})),
        ("bidirectional_shortest_path", (0, [])),
        ("closeness_centrality", ([],)),
        ("harmonic_centrality", ([0, []],)),
        ("eccentricity", ([[]],)),
    ],
)
def test_what_is_not_hashable_is_handed_back(name, args):
    assert_handed_back(name, nx.path_graph(3), *args)


def test_has_path_without_an_end_is_handed_back():
    for ends in ((0, None), (None, 0), (None, None)):
        assert_handed_back("has_path", nx.path_graph(2), *ends)


def test_a_weight_function_that_raises_is_handed_back():
    graph = nx.DiGraph([(0, 1, {"w": 2}), (2, 3)])

    def weight(_u, _v, data):
        return data["w"]

    assert nx.dijkstra_path_length(graph, 0, 1, weight=weight) == 2
    assert_handed_back("dijkstra_path_length", graph, 0, 1, weight=weight)


def test_a_function_of_negative_edge_cycle_sees_edges_that_networkx_adds():
    graph = nx.DiGraph([(0, 1)])
    assert_handed_back("negative_edge_cycle", graph, weight=lambda _u, _v, data: -len(data))


@pytest.mark.parametrize(
    "name", ["all_pairs_bellman_ford_path", "all_pairs_bellman_ford_path_length"]
)
def test_nodes_that_reach_no_negative_cycle_are_answered_before_the_error(name):
    graph = weighted(nx.DiGraph, [(0, 1, 1), (2, 3, -1), (3, 2, -1), (2, 0, 1)])
    found = getattr(nx, name)(graph, **ask)
    theirs = getattr(nx, name)(graph)
    for _ in range(2):
        assert next(found) == next(theirs)
    for answers in (found, theirs):
        with pytest.raises(nx.NetworkXUnbounded, match="Negative cycle detected"):
            next(answers)


def test_a_negative_weight_between_two_nodes_is_handed_back():
    graph = weighted(nx.DiGraph, [(0, 1, 2), (1, 2, -1)])
    assert_handed_back("bidirectional_dijkstra", graph, 0, 2)
    assert_handed_back("shortest_path", graph, 0, 2, weight="weight")


def test_a_negative_weight_towards_a_node_is_handed_back():
    graph = weighted(nx.DiGraph, [(0, 1, 2), (1, 2, -1)])
    for name in ("shortest_path", "shortest_path_length"):
        assert_handed_back(name, graph, target=2, weight="weight")
    options = {"target": 2, "weight": "weight", "method": "bellman-ford"}
    assert nx.shortest_path_length(graph, **options, **ask) == {2: 0, 1: -1, 0: 1}


def test_all_shortest_paths_count_edges_by_the_method_unweighted():
    graph = weighted(nx.Graph, [(0, 1, 5), (1, 2, 5), (0, 3, 1), (3, 2, 1)])
    options = {"weight": "weight", "method": "unweighted"}
    assert len(list(nx.all_shortest_paths(graph, 0, 2, **options, **ask))) == 2
    ours = nx.single_source_all_shortest_paths(graph, 0, **options, **ask)
    assert list(ours) == list(nx.single_source_all_shortest_paths(graph, 0, **options))


def test_errors_of_a_generator_function_are_raised_when_it_is_read():
    answers = nx.single_source_all_shortest_paths(nx.path_graph(2), "none", **ask)
    with pytest.raises(nx.NodeNotFound, match="Source none not in G"):
        next(answers)


def test_a_node_that_does_not_equal_itself_ends_its_own_path():
    graph = nx.Graph([(math.nan, 1)])
    nan = next(iter(graph))
    assert list(nx.all_shortest_paths(graph, nan, nan, **ask)) == [[nan]]


@pytest.mark.parametrize("name", ["astar_path", "astar_path_length"])
@pytest.mark.parametrize("ends", [("none", 0), (0, "{}"), ("{1}", "{0}")])
def test_a_star_names_the_node_that_is_missing(name, ends):
    assert_same(name, nx.path_graph(2), *ends)


def test_parallel_edges_that_cannot_be_compared_are_handed_back():
    kept = backend.convert_from_nx(nx.MultiGraph([(0, 1, {"weight": np.zeros(2)}), (0, 1)]))
    with pytest.raises(LeftToNetworkXError, match="parallel edges have weights"):
        backend.dijkstra_path(kept, 0, 1)


@pytest.mark.parametrize("name", ["floyd_warshall", "floyd_warshall_numpy"])
def test_nan_among_parallel_edges_is_handed_back(name):
    assert_handed_back(name, weighted(nx.MultiGraph, [(0, 0, 2), (0, 0, math.nan), (0, 1, 1)]))


def test_no_source_at_all_is_named_as_networkx_names_it():
    for name in ("single_source_bellman_ford_path", "single_source_bellman_ford_path_length"):
        assert_same(name, nx.path_graph(2), None)
