"""The order in which edges were given, and columns beside the weights."""

from __future__ import annotations

import copy
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import warpath as wp
from warpath.base.errors import GraphError, InputError

EDGES = [("b", "a", 4), ("a", "c", 1), ("b", "c", 2), ("b", "a", 3)]
MINUTES = [40, 10, 20, 30]


@pytest.mark.parametrize("directed", [False, True])
def test_weights_in_the_order_of_the_input_reach_their_edges(directed):
    graph = wp.Graph.of(EDGES, keep_rows=True, directed=directed)
    changed = graph.with_weights(MINUTES, order="input")
    expected = wp.Graph.of(
        [(u, v, w) for (u, v, _), w in zip(EDGES, MINUTES, strict=True)], directed=directed
    )
    assert changed.weights.tolist() == expected.weights.tolist()
    assert changed.with_weights([4, 1, 2, 3], order="input").weights.tolist() == (
        graph.weights.tolist()
    )


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=20), st.booleans())
def test_each_edge_is_of_its_row(ends, directed):
    src, dst = np.array(ends, np.int64).reshape(-1, 2).T
    weights = np.arange(len(ends)) * 10
    graph = wp.Graph.from_edges(src, dst, weights, directed=directed, keep_rows=True)
    assert (graph.given.rows * 10).tolist() == graph.weights.tolist()
    back = graph.reversed()
    assert (back.given.rows * 10).tolist() == back.weights.tolist()
    part = graph.subgraph(range(graph.n // 2))
    assert (part.given.rows * 10).tolist() == part.weights.tolist()


def test_rows_of_infinite_weight_have_no_edge():
    graph = wp.Graph.of([(0, 1, 1.0), (1, 2, np.inf), (2, 0, 3.0)], keep_rows=True)
    assert (graph.given.rows.tolist(), graph.given.count) == ([0, 2], 3)
    fewer = graph.with_weights([np.inf, 5.0, 7.0], order="input")
    assert (fewer.given.rows.tolist(), fewer.weights.tolist()) == ([2], [7.0])


def test_the_map_stays_with_the_graph():
    graph = wp.Graph.of(EDGES, keep_rows=True)
    for same in (copy.copy(graph), copy.deepcopy(graph), graph.astype("float64")):
        assert same.given.rows.tolist() == graph.given.rows.tolist()
    table = graph.edge_table()
    assert table["source"].tolist() == ["b", "b", "b", "a"]
    assert table["weight"].tolist() == graph.weights.tolist()


def test_a_prepared_solver_takes_the_same_order():
    graph = wp.Graph.of(EDGES, keep_rows=True)
    changed = wp.prepare(graph).with_weights(MINUTES, order="input")
    assert changed.graph.weights.tolist() == (
        graph.with_weights(MINUTES, order="input").weights.tolist()
    )


def test_what_has_no_order_is_refused():
    graph = wp.Graph.of(EDGES, keep_rows=True)
    with pytest.raises(GraphError, match=r"shape \(3,\), but the input has 4 rows"):
        graph.with_weights([1, 2, 3], order="input")
    with pytest.raises(GraphError, match="make the graph with keep_rows=True"):
        wp.Graph.of(EDGES).with_weights(MINUTES, order="input")
    with pytest.raises(InputError, match="order='rows' must be \"edges\""):
        graph.with_weights(MINUTES, order="rows")
    with pytest.raises(
        GraphError,
        match="'toll' is not a rule, a kept column or a unit such as 'minutes'; there are 'eu",
    ):
        graph.with_weights("toll")


def test_the_table_of_edges_is_a_data_frame_or_without_pandas_a_dictionary(monkeypatch):
    pandas = pytest.importorskip("pandas")
    graph = wp.Graph.of(
        {"u": ["a", "b"], "v": ["b", "c"], "w": [2, 3], "lone": ["\ud800", "x"]},
        attributes="all",
        columns=("u", "v"),
        weight="w",
    )
    table = graph.edge_table()
    assert isinstance(table, pandas.DataFrame)
    assert table.columns.tolist() == ["source", "target", "weight", "lone"]
    assert graph.without_edges(table["weight"] == 2).edge_table()["weight"].tolist() == [3]
    assert graph.without_edges(table.index[table["source"] == "b"]).weights.tolist() == [2]
    monkeypatch.setitem(sys.modules, "pandas", None)
    table = graph.edge_table()
    assert isinstance(table, dict)
    assert table["weight"].tolist() == [2, 3]
