"""Results, and the edges of a graph, as tables of Arrow, polars, pandas and DuckDB."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import warpath as wp
from warpath.results import rows

arrow = pytest.importorskip("pyarrow")
polars = pytest.importorskip("polars")

TOWN = wp.Graph.of(
    {
        "u": ["Harbour", "Bridge", "Märkt", "Hill"],
        "v": ["Bridge", "Märkt", "Harbour", "Bridge"],
        "w": [4, 3, 9, 1],
        "toll": [2, 3, 0, 1],
        "street": ["Quay", "Long Street", "Long Street", None],
    },
    source="u",
    target="v",
    weight="w",
    attributes="all",
    unit="minutes",
)
FROM_1 = wp.Graph.from_edges([0, 1], [1, 2], [0.5, 1.5], id_base=1)
MILLION = wp.generate.grid(1000, 1000)


class Stream:
    """An object that has nothing but Arrow's interface."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


def results(graph):
    a, b, c = graph.label_of(np.arange(3)).tolist()
    yield wp.pairs(graph, [a, c], [b, a])
    yield wp.sssp(graph, a)
    yield wp.within(graph, a, [1, 5])
    yield wp.nearest(graph, [b])
    yield wp.totals(graph, ["sum", "count"])
    yield wp.path(graph, a, c)
    if graph is TOWN:  # it has street names
        yield wp.path(graph, a, c).legs
    yield wp.loads(graph, [a], [c])
    yield wp.centrality.closeness(graph)
    yield wp.centrality.edge_betweenness(graph)
    yield wp.accessibility(graph, [a, c], [1, 5])


@pytest.mark.parametrize("graph", [TOWN, FROM_1], ids=["labels", "ids from 1"])
def test_arrow_and_polars_have_the_rows_of_pandas(graph):
    for result in results(graph):
        cells = cells_of(result.to_pandas())
        assert arrow.table(result).to_pydict() == cells
        assert result.to_polars().to_dict(as_series=False) == cells
        assert polars.DataFrame(result).equals(result.to_polars())


def cells_of(frame):
    """Return the columns of a pandas frame as lists, None for NA."""
    return {
        name: frame[name].astype(object).where(frame[name].notna(), None).tolist() for name in frame
    }


def test_what_does_not_exist_is_null():
    trips = wp.pairs(TOWN, ["Bridge", "Harbour"], ["Hill", "Märkt"])
    assert arrow.table(trips)["distance"].to_pylist() == [None, 7]
    tree = arrow.table(wp.sssp(TOWN, "Bridge"))
    assert tree.filter(arrow.compute.field("vertex") == "Hill").to_pylist() == [
        {"vertex": "Hill", "distance": None, "pred": None}
    ]


@pytest.mark.parametrize("pairs", [1 << 20, 3], ids=["one batch", "several"])
def test_a_table_has_a_row_for_each_pair(monkeypatch, pairs):
    monkeypatch.setattr(rows, "_PAIRS", pairs)
    everyone = TOWN.labels.tolist()
    table = wp.distances(TOWN, everyone, everyone[:3], predecessors=True)
    read = arrow.table(table)
    assert read["distance"].num_chunks == (1 if pairs > 12 else 4)
    assert read.to_pydict() == cells_of(table.to_pandas(long=True))
    assert table.to_polars().columns == ["source", "target", "distance", "pred"]


def test_a_table_in_a_file_is_read_batch_by_batch(monkeypatch, tmp_path):
    monkeypatch.setattr(rows, "_PAIRS", 3)
    for suffix in (".npy", ".zarr"):
        table = wp.apsp(TOWN, out=tmp_path / f"all{suffix}")
        assert arrow.table(table).num_rows == 16
    streamed = wp.apsp(TOWN, out=lambda *_: None)
    with pytest.raises(wp.InputError, match="needs the distances, but the function out= took"):
        arrow.table(streamed)


def test_sums_along_the_routes_are_columns():
    table = wp.distances(TOWN, ["Harbour"], ["Märkt", "Hill"], also=["toll"])
    assert arrow.table(table)["toll"].to_pylist() == [5, None]


def test_results_without_rows_keep_their_columns():
    none = polars.DataFrame(wp.pairs(TOWN, [], []))
    assert none.shape == (0, 3)
    assert none.columns == ["origin", "destination", "distance"]
    for shape in (([], ["Hill"]), (["Hill"], [])):
        table = arrow.table(wp.distances(TOWN, *shape))
        assert (table.num_rows, table.schema.names) == (0, ["source", "target", "distance"])
    edges = arrow.table(wp.Graph.from_edges([], [], n=2))
    assert (edges.num_rows, wp.Graph.of(edges).n) == (0, 2)


def test_a_million_numbers_are_not_copied():
    tree = wp.sssp(MILLION, 0)
    assert address(arrow.table(tree)["distance"]) == tree.dist.ctypes.data
    table = wp.distances(MILLION, [0])
    assert address(arrow.table(table)["distance"]) == table.dist.ctypes.data
    trips = wp.pairs(MILLION, [0] * 3, [1, 2, 3])
    assert address(arrow.table(trips)["distance"]) == trips.dist.ctypes.data
    assert address(arrow.table(MILLION)["weight"]) == MILLION.weights.ctypes.data
    frame = polars.DataFrame(tree)
    assert address(frame.to_arrow()["distance"]) == tree.dist.ctypes.data


@pytest.mark.parametrize("kind", ["table", "pairs", "edges"])
def test_polars_duckdb_and_pyarrow_read_without_pandas(monkeypatch, kind):
    duckdb = pytest.importorskip("duckdb")
    names = TOWN.labels.tolist()
    read = {
        "table": lambda: wp.distances(TOWN, names, names[:2]),
        "pairs": lambda: wp.pairs(TOWN, ["Bridge", "Harbour"], ["Hill", "Märkt"]),
        "edges": lambda: TOWN,
    }[kind]()
    monkeypatch.setitem(sys.modules, "pandas", None)  # importing it fails
    rows = arrow.table(read).to_pylist()
    assert polars.DataFrame(read).to_dicts() == rows
    relation = duckdb.sql("select * from read")
    assert [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()] == rows


def address(column):
    return column.chunk(0).buffers()[1].address


def test_the_edges_come_back_with_unit_and_direction():
    for graph in (TOWN, FROM_1, wp.Graph.from_edges([0, 1], [1, 2], [3, 4], directed=False)):
        for table in (arrow.table(graph), Stream(graph)):
            back = wp.Graph.of(table)
            assert (back.unit, back.directed) == (graph.unit, graph.directed)
            assert sorted(back.weights) == sorted(graph.weights)
        assert wp.Graph.of(polars.DataFrame(graph)).m == graph.m
    own = TOWN.edge_table()
    assert arrow.table(TOWN).select(["source", "target", "weight"]).to_pydict() == {
        name: own[name].tolist() for name in ("source", "target", "weight")
    }
    assert arrow.table(FROM_1)["source"].to_pylist() == [1, 2]


def test_labels_of_several_types_are_refused():
    mixed = wp.Graph.of([((0, 1), "a", 2)])
    with pytest.raises(wp.InputError, match=r"Paths: cannot write the column vertex, .* labels"):
        arrow.table(wp.sssp(mixed, "a"))
    with pytest.raises(wp.InputError, match="an Arrow column cannot hold these labels"):
        arrow.table(mixed)


def test_a_reader_may_ask_for_other_types():
    wanted = arrow.schema(
        [("vertex", arrow.large_string()), ("distance", arrow.float64()), ("pred", arrow.string())]
    )
    tree = wp.sssp(TOWN, "Bridge")
    assert arrow.RecordBatchReader.from_stream(tree, wanted).schema == wanted


def test_the_missing_package_is_named(monkeypatch):
    tree = wp.sssp(TOWN, "Hill")
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(wp.MissingDependencyError, match=r"Paths\.to_polars needs polars"):
        tree.to_polars()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(wp.MissingDependencyError, match="Paths as an Arrow table needs pyarrow"):
        tree.__arrow_c_stream__()


def test_a_result_is_not_a_graph():
    for result in (wp.pairs(TOWN, ["Hill"], ["Märkt"]), wp.sssp(TOWN, "Hill")):
        with pytest.raises(wp.GraphError, match="is not a supported graph"):
            wp.Graph.of(result)


def test_duckdb_queries_results_and_edges():
    duckdb = pytest.importorskip("duckdb")
    skims = wp.distances(TOWN, TOWN.labels, TOWN.labels)  # noqa: F841 - read by its name
    query = "select target, max(distance) from skims group by target order by target"
    assert duckdb.sql(query).fetchall()[0] == ("Bridge", 13)
    town = TOWN  # noqa: F841
    edges = duckdb.sql("select source, target, weight from town where weight < 5")
    assert wp.Graph.of(edges).m == 3
    trips = duckdb.sql("select 'Hill' as origin, 'Märkt' as destination, 7 as number")
    read = wp.pairs(TOWN, trips)
    assert read.dist.tolist() == [4]
    assert read.with_columns(trips).columns["number"].tolist() == [7]
    places = duckdb.sql("select 0.1 as lon, 0.0 as lat, 'Here' as name")
    plane = TOWN.with_coordinates({name: (at, 0) for at, name in enumerate(TOWN.labels)})
    assert wp.distances(plane, places, places).row_ids.tolist() == ["Here"]


@pytest.mark.parametrize("kind", [Stream, lambda table: table, lambda table: table.to_arrow()])
def test_tables_are_read_as_trips_places_and_coordinates(kind):
    trips = kind(polars.DataFrame({"origin": ["Hill"], "destination": ["Märkt"], "day": [3]}))
    read = wp.pairs(TOWN, trips)
    assert read.dist.tolist() == [4]
    assert arrow.table(read.with_columns(trips)).column_names[0] == "day"
    nodes = {"id": TOWN.labels.tolist(), "x": [0.0, 1, 2, 3], "y": [0.0, 0, 0, 1]}
    plane = TOWN.with_coordinates(kind(polars.DataFrame(nodes)))
    assert plane.coordinates[3].tolist() == [3, 1]


def test_decimal_numbers_are_weights_and_vertices():
    decimals = {"source": [1, 2**70], "target": [2, 3], "weight": [1.5, 2.25]}
    kinds = {"source": arrow.decimal128(38, 0), "weight": arrow.decimal128(5, 2)}
    first = arrow.table({name: column[:1] for name, column in decimals.items()})
    graph = wp.Graph.of(cast(first, kinds))
    assert (graph.labels.tolist(), graph.weights.tolist()) == ([1, 2], [1.5])
    large = arrow.table({name: arrow.array([str(x) for x in decimals[name]]) for name in decimals})
    with pytest.raises(wp.GraphError, match="vertices are integers or strings"):
        wp.Graph.of(cast(large, kinds))


def cast(table, kinds):
    """Return a table with other types of some columns."""
    for name, kind in kinds.items():
        at = table.column_names.index(name)
        table = table.set_column(at, name, table.column(at).cast(kind))
    return table


def test_a_column_is_no_table_of_trips():
    trips = wp.pairs(TOWN, ["Hill"], ["Märkt"])
    for column in (polars.Series([1]), "day", np.zeros(1)):
        with pytest.raises(wp.InputError, match="must be a data frame or a dictionary of columns"):
            trips.with_columns(column)
    with pytest.raises(wp.InputError, match=r"ChunkedArray is not a table with named columns"):
        trips.with_columns(arrow.chunked_array([[1]]))


@pytest.mark.parametrize("kind", [lambda table: table, lambda table: table.to_arrow()])
def test_frames_of_places_are_read(kind):
    plane = TOWN.with_coordinates({name: (at, 0) for at, name in enumerate(TOWN.labels)})
    places = kind(polars.DataFrame({"lon": [0.1, None], "lat": [0.0, 1], "name": ["Here", None]}))
    table = wp.distances(plane, places, places, missing="flag")
    assert table.row_ids.tolist() == ["Here", None]
    assert arrow.table(table)["source"].to_pylist() == ["Here", "Here", None, None]
