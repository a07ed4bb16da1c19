"""Betweenness of nodes and edges: NetworkX's values in its order, but for the last bits."""

from __future__ import annotations

import itertools
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


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weight", [None, "w"])
def test_subsets_have_the_values_and_keys_of_networkx(kind, weight):
    numbers = random.Random(4)  # noqa: S311 - the same choices each time
    for seed in range(60):
        graph = drawn(seed, kind)
        nodes = list(graph)
        sources = numbers.choices(nodes, k=numbers.randint(0, 6))  # some twice
        targets = numbers.choices([*nodes, "no node"], k=numbers.randint(0, 6))
        how = {"weight": weight, "normalized": bool(seed % 2)}
        ours = nx.betweenness_centrality_subset(graph, sources, targets, **how, **ask)
        assert_alike(ours, nx.betweenness_centrality_subset(graph, sources, targets, **how))
        ours = nx.edge_betweenness_centrality_subset(graph, sources, nodes, **how, **ask)
        assert_alike(ours, nx.edge_betweenness_centrality_subset(graph, sources, nodes, **how))


def by_enumeration(graph, sources, targets):
    """The shares of nodes and edges, from all shortest paths one by one."""
    nodes, edges = dict.fromkeys(graph, 0.0), dict.fromkeys(graph.edges, 0.0)
    for s in sources:
        for t in set(targets) - {s}:
            if not nx.has_path(graph, s, t):
                continue
            paths = list(nx.all_shortest_paths(graph, s, t, weight="w"))
            for path in paths:
                for v in path[1:-1]:
                    nodes[v] += 1 / len(paths)
                for edge in itertools.pairwise(path):
                    edges[edge if edge in edges else edge[::-1]] += 1 / len(paths)
    factor = 1 if graph.is_directed() else 0.5
    return tuple({name: factor * share for name, share in each.items()} for each in (nodes, edges))


@pytest.mark.parametrize("kind", KINDS)
def test_subsets_are_shares_of_the_paths_one_by_one(kind):
    numbers = random.Random(5)  # noqa: S311 - the same choices each time
    for seed in range(40):
        graph = drawn(seed, kind)
        names = list(graph)
        sources, targets = numbers.choices(names, k=4), numbers.choices(names, k=5)
        how = {"weight": "w", **ask}
        found = nx.betweenness_centrality_subset(graph, sources, targets, **how)
        assert found == pytest.approx(by_enumeration(graph, sources, targets)[0], rel=1e-12)
        found = nx.edge_betweenness_centrality_subset(graph, sources, names, **how)
        assert found == pytest.approx(by_enumeration(graph, sources, names)[1], rel=1e-12)


@pytest.mark.parametrize(
    ("sources", "targets"),
    [
        (iter([0]), [2]),
        ([0], iter([2])),
        ([9], [2]),
        (5, [2]),
        ([[0]], [2]),
        ([0], [[2]]),
    ],
)
def test_subsets_that_networkx_treats_specially_are_handed_back(sources, targets):
    with pytest.raises(NotImplementedError):
        nx.betweenness_centrality_subset(nx.path_graph(4), sources, targets, **ask)


def test_shares_of_edges_into_nodes_that_are_no_targets_are_handed_back():
    for graph in (nx.path_graph(4), nx.MultiGraph([(0, 1), (0, 1)])):
        with pytest.raises(NotImplementedError):
            nx.edge_betweenness_centrality_subset(graph, [0], [1], **ask)
    with pytest.raises(NotImplementedError):
        nx.edge_betweenness_centrality_subset(nx.MultiGraph([(0, 1)]), [0], [0, 1], **ask)


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
