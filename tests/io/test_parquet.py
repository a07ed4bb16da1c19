from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import warpath as wp
from warpath.base.errors import GraphFormatError, InputError, MissingDependencyError
from warpath.io import formats

arrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def edges_of(graph):
    src, dst, weights = graph.edges()
    names = graph.label_of(src).tolist(), graph.label_of(dst).tolist()
    return sorted(zip(*names, weights.tolist(), strict=True))


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_a_graph_comes_back_with_its_names(tmp_path, dtype):
    graph = wp.Graph.of((["b", "a"], ["a", "c"], np.array([2, 3], dtype)))
    formats.write(graph, tmp_path / "roads.parquet")
    again = formats.read(tmp_path / "roads.parquet")
    assert edges_of(again) == edges_of(graph) == [("a", "c", 3), ("b", "a", 2)]
    assert again.weights.dtype == np.dtype(dtype)
    assert again.name == "roads"


def test_the_columns_are_source_target_weight(tmp_path):
    formats.write(wp.Graph.of([("b", "a", 2)]), tmp_path / "x.parquet")
    assert parquet.read_table(tmp_path / "x.parquet").to_pydict() == {
        "source": ["b"],
        "target": ["a"],
        "weight": [2],
    }
    formats.write(wp.Graph.of([("b", "a")]), tmp_path / "x.parquet", labels="drop")
    assert parquet.read_table(tmp_path / "x.parquet").to_pydict() == {"source": [0], "target": [1]}


def test_the_empty_graph_comes_back(tmp_path):
    formats.write(wp.Graph.of([]), tmp_path / "x.parquet")
    assert formats.read(tmp_path / "x.parquet").n == 0


def test_a_compressed_file_comes_back(tmp_path):
    formats.write(wp.Graph.of([(0, 1, 2)]), tmp_path / "x.parquet.gz")
    assert formats.read(tmp_path / "x.parquet.gz").m == 1


def test_other_columns_are_left_alone(tmp_path):
    table = arrow.table({"osm": ["w1"], "from": [0], "to": [1], "length": [2.5], "lanes": [2]})
    parquet.write_table(table, tmp_path / "x.pq")
    assert edges_of(formats.read(tmp_path / "x.pq")) == [(0, 1, 2.5)]
    assert formats.read(tmp_path / "x.pq", weight="lanes").weights.tolist() == [2]
    assert formats.read(tmp_path / "x.pq", weight=None).weights is None


def test_labels_of_mixed_types_are_refused_or_dropped(tmp_path):
    graph = wp.Graph.of([(1, "a")])
    with pytest.raises(InputError, match=r'cannot hold these labels.*labels="drop"'):
        formats.write(graph, tmp_path / "x.parquet")
    with pytest.raises(InputError, match='"keep" or "drop"'):
        formats.write(graph, tmp_path / "x.parquet", labels="no")
    assert list(tmp_path.iterdir()) == []


def test_damaged_files_are_refused_with_the_path(tmp_path):
    path = tmp_path / "x.parquet"
    formats.write(wp.Graph.of([(0, 1, 2)]), path)
    whole = path.read_bytes()
    for size in range(1, len(whole), 41):
        path.write_bytes(whole[:size])
        with pytest.raises(GraphFormatError, match=r"x\.parquet: this is not a valid Parquet file"):
            formats.read(path)


def test_missing_values_name_file_and_row(tmp_path):
    table = arrow.table({"from": [0, None], "to": [1, 2]})
    parquet.write_table(table, tmp_path / "x.parquet")
    with pytest.raises(GraphFormatError, match=r"x\.parquet: row 1 of column 'from' is missing"):
        formats.read(tmp_path / "x.parquet")


def test_without_pyarrow_the_error_says_what_to_install(tmp_path, monkeypatch):
    (tmp_path / "x.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(MissingDependencyError, match=r"Parquet.*pip install pyarrow"):
        formats.read(tmp_path / "x.parquet")
    with pytest.raises(MissingDependencyError, match="writing Parquet"):
        formats.write(wp.Graph.of([(0, 1)]), tmp_path / "y.parquet")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.text(max_size=3), st.text(max_size=3), st.integers(0, 9)), min_size=1))
def test_any_labelled_graph_comes_back(tmp_path, edges):
    graph = wp.Graph.of(edges)
    formats.write(graph, tmp_path / "any.parquet")
    assert edges_of(formats.read(tmp_path / "any.parquet")) == edges_of(graph)


def test_a_kept_column_that_arrow_cannot_hold_is_refused(tmp_path):
    data = {"source": [0, 1], "target": [1, 2], "tag": [{"a": 1}, "text"]}
    graph = wp.Graph.of(
        pytest.importorskip("pandas").DataFrame(data), attributes="all", weight=None
    )
    with pytest.raises(wp.InputError, match="cannot hold the kept column 'tag'"):
        wp.write(graph, tmp_path / "x.parquet")
