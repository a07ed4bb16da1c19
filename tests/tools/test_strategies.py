import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.compare import assert_same_bits
from support.reference import bellman_ford, dijkstra, rule2_tree
from support.strategies import graphs

TYPES = ["int32", "int64", "float32", "float64"]


@pytest.mark.parametrize("dtype", TYPES)
def test_drawn_graphs_have_the_type_asked_for_and_equal_references(dtype):
    @settings(max_examples=150, deadline=None)
    @given(graphs(dtype))
    def check(graph):
        assert graph.weights.dtype == dtype
        assert 1 <= graph.n <= 8
        assert (graph.weights >= 0).all()
        assert_same_bits(dijkstra(graph, 0), bellman_ford(graph, 0), graph)

    check()


@settings(max_examples=150, deadline=None)
@given(graphs("int64", max_vertices=5, negative=True))
def test_negative_graphs_have_distances_or_a_cycle(graph):
    dist = bellman_ford(graph, 0)
    if dist is None:
        assert (graph.weights < 0).any()
        return
    pred = rule2_tree(graph, 0, dist, negative=True)
    reached = dist != np.iinfo(np.int64).max
    assert ((pred >= 0) == reached)[1:].all()


@settings(max_examples=100, deadline=None)
@given(graphs("int32", undirected=True), st.integers(0, 7))
def test_distances_of_undirected_graphs_are_the_same_both_ways(graph, target):
    target %= graph.n
    assert dijkstra(graph, 0)[target] == dijkstra(graph, target)[0]


@pytest.mark.full("strategies of Hypothesis", "tests/support/*.py")
def test_a_failure_shrinks_to_a_graph_that_one_can_draw():
    smallest = []

    @settings(max_examples=500, deadline=None, database=None)
    @given(graphs("float64"))
    def no_second_hop(graph):
        dist = dijkstra(graph, 0)
        if np.isfinite(dist).sum() >= 3:
            smallest.append((graph.n, graph.m))
            raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011 - our own
        no_second_hop()
    assert smallest[-1] == (3, 2)
