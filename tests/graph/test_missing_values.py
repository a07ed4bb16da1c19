"""Missing vertices and weights, which are refused with their row before anything else is said."""

from __future__ import annotations

import numpy as np
import pytest

import warpath as wp
from warpath.base.errors import GraphError, VertexError, WeightError

GRAPH = wp.Graph.of([(0, 1, 2), (1, 2, 3), (2, 0, 4)])
NAMED = wp.Graph.of([("a", "b", 2), ("b", "c", 3)])


def columns(values):
    """Return a list with a missing value as a list and as a column of each library."""
    made = [values, np.array(values, object)]
    for package, make in (
        ("pandas", lambda pandas: pandas.Series(values)),
        ("pandas", lambda pandas: pandas.Series(values).convert_dtypes()),
        ("pandas", lambda pandas: pandas.array(values)),
        ("polars", lambda polars: polars.Series(values)),
        ("pyarrow", lambda arrow: arrow.array(values)),
        ("pyarrow", lambda arrow: arrow.chunked_array([values])),
    ):
        try:
            made.append(make(__import__(package)))
        except ImportError:
            continue
    return made


@pytest.mark.parametrize("column", [*columns([1, None]), [1, float("nan")]])
def test_a_missing_vertex_is_named_with_its_row_in_every_argument(column):
    for what, ask in {
        "origins": lambda: wp.pairs(GRAPH, column, [0, 1]),
        "destinations": lambda: wp.pairs(GRAPH, [0, 1], column),
        "sources": lambda: wp.distances(GRAPH, column),
        "targets": lambda: wp.distances(GRAPH, [0], column),
        "facilities": lambda: wp.nearest(GRAPH, column),
        "source": lambda: wp.within(GRAPH, column, 5),
        "vertices": lambda: GRAPH.index_of(column),
    }.items():
        with pytest.raises(VertexError, match=rf"{what}\[1\] is (missing \(.*, 1 in all|masked)"):
            ask()
    with pytest.raises(VertexError, match=r"vertices\[1\] is (missing|masked)"):
        GRAPH.subgraph(column)
    with pytest.raises(VertexError, match=r"sources\[1\] is (missing|masked)"):
        wp.totals(GRAPH, "sum", sources=column)
    with pytest.raises(VertexError, match=r"sources\[1\] is (missing|masked)"):
        wp.DynamicPaths(GRAPH, sources=column)


@pytest.mark.parametrize("column", columns(["a", None]))
def test_a_missing_label_is_named_before_an_unknown_one(column):
    with pytest.raises(VertexError, match=r"targets\[1\] is (missing|masked)"):
        wp.distances(NAMED, "a", column)
    with pytest.raises(VertexError, match=r"sources\[1\] is missing \(None, 2 in all\)"):
        wp.distances(NAMED, ["unknown", None, None])


def test_one_missing_vertex_is_no_row():
    with pytest.raises(VertexError, match="None is not a vertex"):
        wp.sssp(GRAPH, None)


@pytest.mark.parametrize("column", columns([1, None, 2]))
def test_a_missing_weight_is_named_with_its_row(column):
    with pytest.raises(WeightError, match=r"weights\[1\] (is missing|is masked|= nan)"):
        GRAPH.with_weights(column)
    with pytest.raises(WeightError, match=r"weights\[1\] (is|= nan)"):
        wp.Graph.of(([0, 1, 2], [1, 2, 0], column))
    with pytest.raises(WeightError, match=r"weights\[1\] (is missing|is masked|= nan)"):
        wp.DynamicPaths(GRAPH, 0).update(([0, 1, 2], [1, 2, 0]), column)


@pytest.mark.parametrize("column", columns([1, None]) + columns(["a", None]))
def test_a_missing_end_of_an_edge_is_named_with_its_row(column):
    with pytest.raises(GraphError, match=r"src\[1\] is (missing|masked|None|nan|<NA>)"):
        wp.Graph.of((column, [0, 1]))
    with pytest.raises(GraphError, match=r"dst\[1\] is (missing|masked)"):
        wp.Graph.from_labelled_edges([0, 1], column)


def test_columns_without_missing_values_are_vertices():
    for column in columns([1, 2]):
        assert wp.nearest(GRAPH, column).facilities.tolist() == [1, 2]
    for column in columns(["c", "a"]):
        assert wp.nearest(NAMED, column).facilities.tolist() == ["c", "a"]
