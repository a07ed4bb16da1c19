"""Betweenness of nodes and edges: NetworkX's values in its order, but for the last bits."""

from __future__ import annotations

import random

import networkx as nx
import pytest

ask = {"backend": "warpath"}

KINDS = (nx.Graph, nx.DiGraph)


def drawn(seed, kind):
    """A graph of named nodes with ties, self-loops and edges without a weight."""
    numbers = random.Random(seed)  # noqa: S311 - the same graph each time
    graph = kind()
    names = [*"abcdefghij", 7, (1, 2)]
    graph.add_nodes_from(numbers.sample(names, numbers.randint(1, len(names))))
    nodes = list(graph)
    for _ in range(numbers.randint(0, 3 * len(nodes))):
        length = numbers.choice([{}, {"w": 1}, {"w": 2}, {"w": 0.5}])
        graph.add_edge(numbers.choice(nodes), numbers.choice(nodes), **length)
    return graph


def assert_alike(found, expected):
    assert list(found) == list(expected)
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=1e-12, abs=0, nan_ok=True)
        assert type(found[name]) is float


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weight", [None, "w"])
def test_values_and_keys_are_those_of_networkx(kind, weight):
    for seed in range(60):
        graph = drawn(seed, kind)
        for k in (None, 1, len(graph)):
            how = {"k": k, "seed": 3, "weight": weight, "normalized": bool(seed % 2)}
            for ends in (False, True):
                ours = nx.betweenness_centrality(graph, endpoints=ends, **how, **ask)
                assert_alike(ours, nx.betweenness_centrality(graph, endpoints=ends, **how))
            ours = nx.edge_betweenness_centrality(graph, **how, **ask)
            assert_alike(ours, nx.edge_betweenness_centrality(graph, **how))


def test_generators_of_random_numbers_draw_the_same_nodes():
    graph = nx.cycle_graph(9)
    seeds = [random.Random(2) for _ in range(2)]  # noqa: S311 - no secret
    ours = nx.betweenness_centrality(graph, k=4, seed=seeds[0], **ask)
    theirs = nx.betweenness_centrality(graph, k=4, seed=seeds[1])
    assert_alike(ours, theirs)


def test_of_parallel_edges_the_lightest_counts_for_nodes():
    graph = nx.MultiGraph([("a", "b", {"weight": 3}), ("a", "b", {"weight": 1}), ("b", "c")])
    graph.add_edge("a", "c", weight=2)
    ours = nx.betweenness_centrality(graph, weight="weight", **ask)
    assert_alike(ours, nx.betweenness_centrality(graph, weight="weight"))


@pytest.mark.parametrize("length", [0, -1, None])
def test_lengths_that_are_not_positive_are_handed_back(length):
    graph = nx.Graph([(0, 1, {"w": length}), (1, 2, {"w": 1})])
    for function in (nx.betweenness_centrality, nx.edge_betweenness_centrality):
        with pytest.raises(NotImplementedError):
            function(graph, weight="w", **ask)


def test_edges_with_keys_are_handed_back():
    with pytest.raises(NotImplementedError):
        nx.edge_betweenness_centrality(nx.MultiGraph([(0, 1), (0, 1)]), **ask)


def test_more_samples_than_nodes_raise_the_error_of_networkx():
    for how in (ask, {}):
        with pytest.raises(ValueError, match="Sample larger than population"):
            nx.betweenness_centrality(nx.path_graph(3), k=5, **how)
