"""`Graph.with_edges` and `Graph.without_edges`: the rows of a graph made from all edges at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import warpath as wp
from support import strategies
from warpath import Graph, _core
from warpath.graph.edge_changes import weights_of


def assert_same_graph(found, expected):
    for name in ("indptr", "indices", "weights"):
        ours, theirs = getattr(found, name), getattr(expected, name)
        assert (ours is None) == (theirs is None)
        assert ours is None or (ours.dtype == theirs.dtype and np.array_equal(ours, theirs)), name
    assert found.directed == expected.directed


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
@settings(max_examples=25)
@given(data=st.data())
def test_edges_are_added_behind_the_others_and_removed_again(dtype, data):
    graph = data.draw(strategies.graphs(dtype))
    vertex = st.integers(0, graph.n - 1)
    drawn = data.draw(st.lists(st.tuples(vertex, vertex, strategies.weights(dtype)), max_size=5))
    ends = [(u, v) for u, v, _ in drawn]
    weights = np.array([weight for *_, weight in drawn], dtype)
    more = graph.with_edges(ends, weights)
    src, dst, lengths = graph.edges()
    expected = Graph.from_edges(
        np.concatenate([src, np.array([u for u, _ in ends], src.dtype)]),
        np.concatenate([dst, np.array([v for _, v in ends], dst.dtype)]),
        np.concatenate([lengths, weights]),
        n=graph.n,
    )
    assert_same_graph(more, expected)
    count = {}
    for u, v in zip(src.tolist(), dst.tolist(), strict=True):
        count[u, v] = count.get((u, v), 0) + 1
    positions = []
    for edge in ends:
        positions.append(count.get(edge, 0))
        count[edge] = positions[-1] + 1
    assert_same_graph(more.without_edges(ends, positions), graph)


def test_an_undirected_graph_stays_one():
    graph = Graph.from_edges([0, 1], [1, 1], [2, 3], directed=False)
    more = graph.with_edges([(1, 0), (0, 0)], [4, 5])
    assert more.edge_table()["weight"].tolist() == [2, 5, 4, 2, 3, 4]
    assert_same_graph(more.without_edges([(0, 1), (0, 0)], [1, 0]), graph)


def test_a_graph_without_weights_keeps_none():
    graph = Graph.from_edges([0, 1], [1, 2])
    assert_same_graph(graph.with_edges([(0, 2)]).without_edges([(0, 2)]), graph)
    with pytest.raises(wp.InputError, match="has no weights: leave weights out"):
        graph.with_edges([(0, 2)], [1])
    with pytest.raises(wp.InputError, match="has weights"):
        Graph.of([(0, 1, 2)]).with_edges([(0, 1)])


def test_labels_and_columns_of_the_edges_that_are_left_are_kept():
    graph = Graph.from_labelled_edges(["a", "b", "a"], ["b", "c", "c"], [1, 2, 3])
    assert graph.with_edges([("c", "a")], [9]).labels.tolist() == ["a", "b", "c"]
    rows = Graph.from_edges([0, 1, 0], [1, 2, 2], [1, 2, 3], keep_rows=True)
    assert rows.without_edges([(0, 1)]).given.rows.tolist() == [2, 1]


def test_wrong_edges_are_refused():
    graph = Graph.of([(0, 1, 2), (0, 1, 3), (1, 2, 4)])
    with pytest.raises(wp.InputError, match="there is no edge 2 -> 0"):
        graph.without_edges([(2, 0)])
    with pytest.raises(wp.InputError, match="2 parallel edges 0 -> 1"):
        graph.without_edges([(0, 1)])
    with pytest.raises(wp.InputError, match="at position 2: the last position is 1"):
        graph.without_edges([(0, 1)], [2])
    with pytest.raises(wp.InputError, match="both edge 2: name each edge once"):
        graph.without_edges([(1, 2), (1, 2)])
    with pytest.raises(wp.WeightError, match="infinite"):
        graph.astype("float64").with_edges([(1, 2)], [np.inf])
    with pytest.raises(wp.VertexError, match="vertex 3 does not exist"):
        graph.with_edges([(1, 3)], [1])


def test_the_new_rows_are_not_checked_again():
    graph = Graph.of([(0, 1, 2), (1, 2, 4)])
    more = graph.with_edges([(0, 2)], [5])
    assert _core.rows_are_validated(more.indptr, more.indices, more.weights)
    assert more.weights.max() == 5
    wp.sssp(more, 0)


def test_the_core_checks_edited_rows():
    rows = np.array([0, 1]), np.array([0], np.int32), np.array([1], np.int32)
    none, no_weights = np.empty(0, np.int64), np.empty(0, np.int32)
    with pytest.raises(ValueError, match="removed must be edges in ascending order"):
        _core.edited_rows(*rows, np.array([0, 0]), none, none, no_weights)
    with pytest.raises(ValueError, match="there is no vertex 1"):
        _core.edited_rows(*rows, none, np.array([0]), np.array([1]), np.array([1], np.int32))
    with pytest.raises(ValueError, match="new_weights must have an entry"):
        _core.edited_rows(*rows, none, np.array([0]), np.array([0]), no_weights)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
@pytest.mark.parametrize(
    "weights",
    [
        *([1, 2], [-1, 0], [True, 2], [2**31 - 1, 1], [2**31, 1], [1, 2**63], [1, 2.0], [1.0, 2.5]),
        *([0.1, -0.0], [1.0, np.nan], [np.nan, 1.0], [1.0, np.inf], [1.0, 1e39], ["1", 2.0], [1.0]),
        [np.float32(1), np.float32(2)],
    ],
    ids=str,
)
def test_a_few_weights_in_a_list_are_taken_as_in_a_tuple(weights, dtype):
    def taken(given):
        try:
            array = weights_of(given, 2, np.dtype(dtype))
        except wp.InputError as error:
            return type(error), str(error)
        return array.dtype, array.tobytes()

    assert taken(weights) == taken(tuple(weights))


@pytest.mark.parametrize("directed", [True, False])
def test_many_parallel_edges_of_one_vertex_are_removed_by_their_positions(directed):
    rng = np.random.default_rng(2)
    ends, weights = (np.zeros(60, int), rng.integers(1, 3, 60)), rng.integers(1, 4, 60)
    graph = wp.Graph.from_edges(*ends, weights, directed=directed)
    sources, targets, lengths = graph.edges()
    to_one = lengths[(sources == 0) & (targets == 1)]
    position = rng.permutation(len(to_one))[:9]
    less = graph.without_edges((np.zeros(9, int), np.ones(9, int)), position)
    sources, targets, lengths = less.edges()
    left = np.delete(to_one, position).tolist()
    assert lengths[(sources == 0) & (targets == 1)].tolist() == left
    backward = lengths[(sources == 1) & (targets == 0)].tolist()
    assert sorted(backward) == ([] if directed else sorted(left))
