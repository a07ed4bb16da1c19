from __future__ import annotations

import itertools
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import warpath as wp
from warpath.base.errors import GraphError, InputError, MissingDependencyError, WeightError
from warpath.io.columns import ENDS, WEIGHTS, chosen_columns

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
arrow = pytest.importorskip("pyarrow")

LIBRARIES = pytest.mark.parametrize(
    "table", [pandas.DataFrame, polars.DataFrame, polars.LazyFrame, arrow.table]
)


def edges_of(graph):
    src, dst, weights = graph.edges()
    return list(zip(src.tolist(), dst.tolist(), weights.tolist(), strict=True))


@LIBRARIES
def test_strings_become_labels(table):
    graph = wp.Graph.of(table({"from": ["b", "a"], "to": ["a", "c"], "km": [2.0, 3.0]}))
    assert graph.labels.tolist() == ["b", "a", "c"]
    assert graph.weights.tolist() == [2, 3]
    graph = wp.Graph.of(
        table({"from": ["b", "a"], "to": ["a", "c"], "km": [2.0, 3.0]}), weight="km"
    )
    assert edges_of(graph) == [(0, 1, 2.0), (1, 2, 3.0)]


@LIBRARIES
def test_integers_with_gaps_become_labels_in_ascending_order(table):
    graph = wp.Graph.of(table({"u": [70, 5], "v": [5, 9], "w": [1, 2]}))
    assert graph.labels.tolist() == [5, 9, 70]
    assert edges_of(graph) == [(0, 1, 2), (2, 0, 1)]


@LIBRARIES
def test_ids_0_to_n_are_no_labels(table):
    assert wp.Graph.of(table({"src": [0, 1], "dst": [1, 2]})).labels is None


@LIBRARIES
def test_n_makes_the_ids_indices(table):
    graph = wp.Graph.of(table({"src": [3], "dst": [1]}), n=6)
    assert (graph.n, graph.labels) == (6, None)


@LIBRARIES
def test_an_empty_table_is_the_empty_graph(table):
    empty = {"u": np.empty(0, np.int64), "v": np.empty(0, np.int64)}
    assert wp.Graph.of(table(empty)).n == 0


@LIBRARIES
def test_undirected_and_attributes(table):
    graph = wp.Graph.of(table({"u": [0], "v": [1]}), directed=False, name="pair")
    assert (graph.m, graph.directed, graph.name) == (2, False, "pair")


@LIBRARIES
def test_a_missing_value_is_refused_with_its_row(table):
    with pytest.raises(GraphError, match="row 1 of column 'to' is missing"):
        wp.Graph.of(table({"from": ["a", "b", "c"], "to": ["b", None, "c"]}))
    with pytest.raises(WeightError, match="row 2 of column 'w' is missing"):
        wp.Graph.of(table({"u": [0, 1, 2], "v": [1, 2, 0], "w": [1.0, 2.0, None]}))


@LIBRARIES
def test_floats_and_booleans_are_no_ids(table):
    with pytest.raises(GraphError, match=r"column 'u' is of type float64, row 0 is 1.5: vertices"):
        wp.Graph.of(table({"u": [1.5], "v": [1]}))
    with pytest.raises(GraphError, match="column 'v' is of type bool"):
        wp.Graph.of(table({"u": [1], "v": [True]}))


@LIBRARIES
def test_strings_are_no_weights(table):
    with pytest.raises(
        WeightError, match=r"column 'w' holds .*row 0 is 'far': weights are numbers"
    ):
        wp.Graph.of(table({"u": [1], "v": [1], "w": ["far"]}))


@LIBRARIES
def test_ends_of_two_types_are_refused(table):
    with pytest.raises(GraphError, match="both must be of one type"):
        wp.Graph.of(table({"u": [1], "v": ["1"]}))


@LIBRARIES
def test_columns_can_be_named_or_counted(table):
    data = table({"a": [1], "b": [2], "c": [7]})
    assert wp.Graph.of(data, columns=("b", "a", "c")).weights.tolist() == [7]
    assert wp.Graph.of(data, columns=(0, 1)).weights is None
    assert wp.Graph.of(data, columns=(0, 1), weight=2).weights.tolist() == [7]


def test_pandas_types_of_its_own_are_read():
    table = pandas.DataFrame(
        {
            "u": pandas.array([1, 5], "Int64"),
            "v": pandas.array([5, 9], "Int64"),
            "w": pandas.array([1.5, 2], "Float64"),
        }
    )
    assert edges_of(wp.Graph.of(table)) == [(0, 1, 1.5), (1, 2, 2.0)]
    kinds = pandas.DataFrame({"u": pandas.Categorical(["x", "y"]), "v": ["y", "z"]})
    assert wp.Graph.of(kinds).labels.tolist() == ["x", "y", "z"]
    with pytest.raises(GraphError, match="row 0 of column 'u' is missing"):
        wp.Graph.of(pandas.DataFrame({"u": pandas.array([None, 5], "Int64"), "v": [1, 2]}))


def test_pandas_columns_without_names_can_be_counted():
    table = pandas.DataFrame([[0, 1, 9]])
    assert wp.Graph.of(table, columns=(0, 1, 2)).weights.tolist() == [9]


def test_arrow_dictionaries_batches_and_dates_are_read():
    table = arrow.table({"u": arrow.array(["x", "y"]).dictionary_encode(), "v": ["y", "z"]})
    assert wp.Graph.of(table).labels.tolist() == ["x", "y", "z"]
    assert wp.Graph.of(table.to_batches()[0]).m == 2
    assert wp.Graph.of(table.to_reader()).m == 2


class Capsule:
    """A table of some library that speaks Arrow alone."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, schema=None):
        return self._table.__arrow_c_stream__(schema)


def test_any_table_with_arrows_capsule_is_read():
    assert wp.Graph.of(Capsule(arrow.table({"u": [0], "v": [1]}))).m == 1


def test_a_capsule_without_pyarrow_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingDependencyError, match=r"pip install pyarrow"):
        wp.Graph.of(Capsule(None))


def test_pandas_needs_no_pyarrow(monkeypatch):
    table = pandas.DataFrame({"u": [0], "v": [1]})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert wp.Graph.of(table).m == 1


@pytest.mark.parametrize("data", [pandas.Series([1, 2]), polars.Series([1]), arrow.array([1, 2])])
def test_a_single_column_is_no_table(data):
    with pytest.raises(GraphError, match="is not a table with a row per edge"):
        wp.Graph.of(data)


def test_columns_are_found_by_the_names_of_the_field():
    for (u, v), weight in itertools.product(ENDS, WEIGHTS):
        assert chosen_columns([weight, v.upper(), u], None, "auto") == (u, v.upper(), weight)


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [
        (["x", "y"], {}, r"none of the known pairs .*source/target.*columns 'x', 'y'.*source='x'"),
        (["u", "v", "from", "to"], {}, "could be u/v and from/to of .* as with source='u'"),
        (["u", "v", "length", "cost"], {}, "weight could be 'length' or 'cost' of the columns 'u'"),
        (["from", "to", "feature", "time"], {}, "weight could be 'time' of the columns"),
        (["u", "v"], {"weight": "km"}, "there is no column 'km'; there are 'u', 'v'"),
        (["u", "v"], {"weight": 2}, "there is no column 2"),
        (["u", "v", "u"], {}, "two columns are called 'u'"),
        (["u", "v"], {"columns": ("u", "x")}, "there is no column 'x'"),
    ],
)
def test_missing_and_ambiguous_columns_are_listed(names, options, message):
    with pytest.raises(GraphError, match=message):
        chosen_columns(names, **({"columns": None, "weight": "auto"} | options))


@pytest.mark.parametrize("columns", ["uv", ("u",), ("u", "v", "w", "x")])
def test_columns_are_two_or_three(columns):
    with pytest.raises(InputError, match="give two or three of 'u', 'v'"):
        chosen_columns(["u", "v"], columns, "auto")


def test_a_weight_of_an_unknown_name_is_refused():
    assert chosen_columns(["from", "to", "km"], None, "auto") == ("from", "to", "km")
    assert chosen_columns(["from", "to"], None, "auto") == ("from", "to", None)
    with pytest.raises(GraphError, match=r"none of .* choose weight='x', or weight=None for 1"):
        chosen_columns(["from", "to", "x"], None, "auto")
    with pytest.raises(GraphError, match=r"'x', 'lanes' is known .* weight='x', or weight=None"):
        chosen_columns(["from", "to", "x", "lanes"], None, "auto")


def test_an_id_is_no_example_of_a_weight():
    with pytest.raises(GraphError, match=r"'ID', .* choose weight=None for 1 on every edge"):
        chosen_columns(["ID", "START_NODE", "END_NODE", "DIR"], None, "auto")


def test_two_weights_are_refused():
    with pytest.raises(InputError, match="name two weights"):
        chosen_columns(["u", "v", "a", "b"], ("u", "v", "a"), "b")


def test_no_weight_on_request():
    assert chosen_columns(["u", "v", "w"], None, None) == ("u", "v", None)
    assert chosen_columns(["u", "v", "from", "w"], ("u", "from"), None) == ("u", "from", None)


@given(st.lists(st.tuples(st.text(max_size=3), st.text(max_size=3), st.integers(0, 9)), min_size=1))
def test_all_libraries_give_the_same_graph(edges):
    columns = {name: [edge[i] for edge in edges] for i, name in enumerate(("u", "v", "w"))}
    found = [
        wp.Graph.of(table(columns)) for table in (pandas.DataFrame, polars.DataFrame, arrow.table)
    ]
    assert found[0].labels.tolist() == found[1].labels.tolist() == found[2].labels.tolist()
    assert edges_of(found[0]) == edges_of(found[1]) == edges_of(found[2])


def test_a_table_of_cudf_is_copied_to_the_host():
    arrow = pytest.importorskip("pyarrow")

    class DataFrame:
        __module__ = "cudf.core.dataframe"

        def to_arrow(self):
            return arrow.table({"src": [0, 1], "dst": [1, 2], "weight": [2.5, 1.0]})

    graph = wp.Graph.of(DataFrame())
    assert graph.weights.tolist() == [2.5, 1.0]


@pytest.mark.parametrize("kind", ["pandas", "dictionary", "geopandas"])
def test_ends_and_weight_are_named_alike_for_tables_and_files(kind, tmp_path):
    columns = {"from": ["a", "b"], "to": ["b", "c"], "km": [4, 3], "minutes": [5, 6]}
    data = columns
    if kind != "dictionary":
        data = pytest.importorskip("pandas").DataFrame(columns)
        data.to_csv(tmp_path / "roads.csv", index=False)
        names = {"source": "from", "target": "to", "weight": "minutes"}
        from_file = wp.read(tmp_path / "roads.csv", **names)
        assert from_file.weights.tolist() == [5, 6]
    if kind == "geopandas":
        geopandas, shapely = pytest.importorskip("geopandas"), pytest.importorskip("shapely")
        lines = shapely.linestrings([[[0, 0], [1, 0]], [[1, 0], [2, 1]]])
        data = geopandas.GeoDataFrame(data, geometry=lines)
    for weight, expected in (("minutes", [5, 6]), ("km", [4, 3]), (None, [1, 1])):
        graph = wp.Graph.of(data, source="from", target="to", weight=weight)
        assert graph._solver_weights.tolist() == expected
        assert (graph.weights is None) == (weight is None)
