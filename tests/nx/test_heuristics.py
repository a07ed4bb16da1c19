"""A* with a heuristic and shortest simple paths: NetworkX's own answers, ties included."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import islice

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import warpath.nx as backend
from support.networkx_graphs import FLOATS, INTEGERS, NAMES, SIGNED, assert_same, graphs
from warpath.base.errors import LeftToNetworkXError

ask = {"backend": "warpath"}
A_STAR = [nx.astar_path, nx.astar_path_length]
ESTIMATES = st.dictionaries(
    st.sampled_from(NAMES), st.sampled_from([0, 1, 2, 5, 0.3, 2.5, -1, math.inf, True])
)
CUTOFFS = st.sampled_from([None, 0, 1, 3, 2.5, -2, math.inf, math.nan])


@pytest.mark.parametrize("function", A_STAR, ids=lambda function: function.__name__)
@given(graphs(), ESTIMATES, CUTOFFS, st.sampled_from(NAMES), st.sampled_from(NAMES))
def test_a_star_takes_vertices_in_networkxs_order(
    function, graph, estimates, cutoff, source, target
):
    asked = []

    def heuristic(node, _target):
        asked.append(node)
        return estimates.get(node, 0)

    assert_same(function, graph, source, target, heuristic, cutoff=cutoff)
    half = len(asked) // 2  # ours first, then NetworkX's
    assert asked[:half] == asked[half:]
    assert_same(function, graph, source, target)


def test_a_star_finds_the_way_over_a_grid_as_networkx_does():
    def straight(a, b):
        return np.hypot(a[0] - b[0], a[1] - b[1])

    graph = nx.grid_2d_graph(12, 15)
    nx.set_edge_attributes(graph, {e: 1 + sum(e[0]) % 4 / 3 for e in graph.edges}, "cost")
    for function in A_STAR:
        assert_same(function, graph, (0, 0), (11, 14), straight, weight="cost")


@pytest.mark.parametrize("value", [math.nan, Fraction(1, 3), 2**53, np.float32(0.5), "1", None])
def test_a_star_hands_back_what_it_cannot_add_as_python_does(value):
    for function in A_STAR:
        with pytest.raises(NotImplementedError):
            function(nx.path_graph(3), 0, 2, lambda *_: value, **ask)


def test_a_star_hands_back_negative_weights_long_paths_and_large_cutoffs():
    far = nx.DiGraph([(0, 1, {"weight": 2**52}), (1, 2, {"weight": 1})])
    signed = nx.DiGraph([(0, 1, {"weight": -1})])
    with pytest.raises(LeftToNetworkXError, match="beyond 4,503,599,627,370,496"):
        backend.astar_path(backend.convert_from_nx(far), 0, 2)
    with pytest.raises(LeftToNetworkXError, match="negative weights"):
        backend.astar_path(backend.convert_from_nx(signed), 0, 1)
    with pytest.raises(LeftToNetworkXError, match="may not be a float"):
        backend.astar_path(backend.convert_from_nx(nx.path_graph(2)), 0, 1, cutoff=2**53 + 2)


def test_an_error_of_the_heuristic_is_the_callers():
    def broken(_node, _target):
        raise OverflowError("my own")

    for function in A_STAR:
        with pytest.raises(OverflowError, match="my own"):
            function(nx.path_graph(3), 0, 2, broken, **ask)


@given(graphs(kinds=[nx.Graph]), st.sampled_from(NAMES), st.sampled_from(NAMES))
def test_simple_paths_of_undirected_graphs_come_in_networkxs_order(graph, source, target):
    for weight in (None, "weight", lambda _u, _v, data: data.get("weight", 2)):
        assert_same(first_paths, graph, source, target, weight=weight)


@pytest.mark.parametrize("weights", [[1], [0, 0, 1, 2, 3], [0.1, 0.2, 0.3, 2]])
def test_simple_paths_of_dense_graphs_with_many_ties(weights):
    for seed in range(40):
        graph = nx.gnm_random_graph(8, 16, seed=seed)
        random = np.random.default_rng(seed)
        for _, _, data in graph.edges(data=True):
            data["weight"] = weights[random.integers(len(weights))]
        for weight in (None, "weight"):
            assert_same(first_paths, graph, 0, 5, weight=weight)


def first_paths(graph, *args, **options):
    """A function for `assert_same`, which names a backend."""
    return list(islice(nx.shortest_simple_paths(graph, *args, **options), 30))


@given(
    graphs(st.one_of(INTEGERS, FLOATS), [nx.DiGraph]),
    st.sampled_from(NAMES),
    st.sampled_from(NAMES),
)
def test_simple_paths_of_directed_graphs_are_as_long_and_all_are_found(graph, source, target):
    for weight in (None, "weight"):
        try:
            theirs = list(islice(nx.shortest_simple_paths(graph, source, target, weight), 60))
        except (nx.NodeNotFound, nx.NetworkXNoPath):
            assert_same(first_paths, graph, source, target, weight=weight)
            continue
        ours = list(islice(nx.shortest_simple_paths(graph, source, target, weight, **ask), 60))
        assert len(ours) == len(theirs)
        lengths = [
            [1 if weight is None else nx.path_weight(graph, path, weight) for path in found]
            for found in (ours, theirs)
        ]
        assert lengths[0] == pytest.approx(lengths[1])
        assert len({tuple(path) for path in ours}) == len(ours)
        if len(ours) < 60:
            assert {tuple(path) for path in ours} == {tuple(path) for path in theirs}


def test_simple_paths_where_the_weights_of_an_edge_differ_by_direction():
    def climb(u, v, _data):
        return 1 if u < v else 3

    def hidden(u, v, _data):
        return None if (u, v) == (2, 1) else 1

    graph = nx.cycle_graph(6)
    for ends in ((0, 3), (3, 0), (5, 1)):
        assert_same(first_paths, graph, *ends, weight=climb)
    with pytest.raises(NotImplementedError):
        nx.shortest_simple_paths(graph, 0, 3, hidden, **ask)


@pytest.mark.parametrize("kind", [nx.MultiGraph, nx.MultiDiGraph])
def test_simple_paths_of_multigraphs_are_refused_as_networkx_refuses_them(kind):
    with pytest.raises(nx.NetworkXNotImplemented, match="not implemented for multigraph type"):
        nx.shortest_simple_paths(nx.path_graph(3, kind), 0, 2, **ask)


@given(graphs(SIGNED, [nx.DiGraph]), st.sampled_from(NAMES))
def test_simple_paths_under_negative_weights_are_handed_back(graph, target):
    graph.add_edge("x", target, weight=-1)
    with pytest.raises(NotImplementedError):
        nx.shortest_simple_paths(graph, "x", target, "weight", **ask)


def test_simple_paths_beyond_64_bits_are_handed_back_at_once():
    far = nx.DiGraph([(0, 1, {"weight": 2**62}), (1, 2, {"weight": 2**62})])
    with pytest.raises(NotImplementedError):
        nx.shortest_simple_paths(far, 0, 2, "weight", **ask)


def test_errors_come_when_the_first_path_is_read():
    paths = nx.shortest_simple_paths(nx.path_graph(3), 0, 9, **ask)
    with pytest.raises(nx.NodeNotFound, match="target node 9 not in graph"):
        next(paths)
