"""Graphs from pandas, polars and Arrow tables: one row per edge, columns found by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import GraphError, WeightError, require
from warpath.graph import Graph
from warpath.graph.checks import as_names, is_missing, numbered, plain_array, refuse_labels
from warpath.graph.coordinate_tables import numbered_by
from warpath.graph.input_edges import InputEdges
from warpath.graph.tables import without_decimals
from warpath.io.columns import chosen_columns, ends_as_columns, known_ends, named
from warpath.io.directions import arcs_of
from warpath.io.metadata import metadata_in, restored

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from warpath.base.dtypes import Array
    from warpath.io.columns import Column


def from_table(
    data: Any,
    *,
    columns: Sequence[Column] | None = None,
    source: Column | None = None,
    target: Column | None = None,
    weight: Column | None = "auto",
    directed: bool | None = None,
    oneway: Column | bool | None = "auto",
    reverse_weight: Column | None = "auto",
    n: int | None = None,
    attributes: str | Sequence[Column] | None = None,
    nodes: Any = None,
    **more: Any,
) -> Graph:
    """Make a graph from a table with a row per edge.

    Parameters
    ----------
    data : a pandas or polars DataFrame, a polars LazyFrame (collected), a pyarrow Table,
        RecordBatch or RecordBatchReader, a cuDF DataFrame (copied from the GPU), or any object with
        Arrow's PyCapsule interface (read through pyarrow).
    columns : the columns (names, or positions from 0) of ends and weight: ``("from", "to",
        "metres")``; two of them for an unweighted graph, "auto" as the third to find the
        weight as for None. None: known by their names, see `warpath.io.columns`.
    source, target : the columns of the ends; the same as ``columns=(source, target, "auto")``.
    weight : the weight's column alone; None: every weight is 1; "auto": the column that is known by
        its name, none where there are only ends.
    directed : False makes every row an edge in both directions. None: the directions of the table
        where `oneway` or `reverse_weight` give them, else True.
    oneway : the column of directions: 1, yes, true or FT along the row, -1, reverse or TF against
        it, 0, no, false, both or nothing both ways; True or False for all rows. "auto": used for
        tables of AequilibraE, GMNS and Gephi, which their headers show; another such column is
        listed in `Graph.read_report`. None: not used.
    reverse_weight : the column of weights against the row. A negative weight closes the row in that
        direction. "auto": ``reverse_cost`` of pgRouting's tables; for a weight ``x_ab`` of a table
        with directions ``x_ba``.
    n : number of vertices; if given, the ends are the vertices 0 .. n - 1, without labels.
    attributes : names or positions of further columns that the graph keeps, see
        `Graph.edge_table`; "all": every other column. None: those that a Parquet file of
        `warpath.write` names, else none.
    nodes : a table of the vertices in their order, also of those without edges, with ids and
        coordinates as in `Graph.with_coordinates`. Its ids are the labels, unless they are exactly
        0 .. n - 1.
    **more : ``coordinates``, ``first_through``, ``name`` of `Graph`.

    Returns
    -------
    Graph
        Ends that are exactly 0 .. n - 1 give no labels; other integers become labels in ascending
        order, strings and other objects in order of first appearance.

    Raises
    ------
    GraphError, WeightError
        A column is missing or ambiguous (the message lists the columns), a value is missing (the
        message has its row), or the ends are floats.
    """
    options = {
        "columns": columns,
        "source": source,
        "target": target,
        "weight": weight,
        "directed": directed,
        "oneway": oneway,
        "reverse_weight": reverse_weight,
        "attributes": attributes,
    }
    table = adapted(data)
    metadata = metadata_in(table.data, table.names, options) if n is None else None
    chosen = options.copy() if metadata is None else metadata[1]
    del chosen["source"], chosen["target"]
    if metadata is None:
        chosen["columns"] = ends_as_columns(source, target, columns)
        return from_columns(table, **chosen, n=n, nodes=nodes, **more)
    named = metadata[0].labelled or metadata[0].id_base or nodes is not None
    n = None if named else metadata[0].n
    return restored(from_columns(table, **chosen, n=n, nodes=nodes, **more), metadata[0], options)


def from_columns(
    table: Table,
    *,
    columns: Sequence[Column] | None = None,
    weight: Column | None = "auto",
    directed: bool | None = None,
    oneway: Column | bool | None = "auto",
    reverse_weight: Column | None = "auto",
    n: int | None = None,
    attributes: str | Sequence[Column] | None = None,
    nodes: Any = None,
    **more: Any,
) -> Graph:
    """Make a graph from the columns of a `Table`; see `from_table`."""
    if columns is None and len(table.names) > 1 and sorted(table.names) == sorted(table.row_names):
        msg = (
            "the names of the columns are those of the rows, as in a matrix: name the columns of "
            "the ends by source= and target=, or for a matrix "
            "wp.Graph.of(frame[frame.index].to_numpy(), labels=frame.index.to_list())"
        )
        raise GraphError(msg)
    chosen = chosen_columns(table.names, columns, weight, table.is_numeric)
    source, target, weighted = chosen
    arcs, both, report = arcs_of(
        table, chosen, oneway=oneway, reverse_weight=reverse_weight, directed=directed
    )
    src, dst = table.both_ends(source, target)
    weights = None if weighted is None or arcs is not None else table.weights(weighted)
    further = kept_columns(table.names, {*chosen}, attributes)
    more["read_report"] = table.report | report
    if nodes is not None:
        refuse_labels(more)
        for name, value in (("n", n), ("coordinates", more.get("coordinates"))):
            if value is not None:
                raise GraphError(f"nodes= has the vertices: leave {name}= out.")
        more["labels"], ends, more["coordinates"] = numbered_by(nodes, src, dst)
        src, dst = np.split(ends, 2)
        n = len(more["coordinates"])
    if n is None:
        refuse_labels(more)
        more["labels"], ends = numbered(as_names(src, source), as_names(dst, target))
        src, dst = np.split(ends, 2)
        n = int(ends.max(initial=-1)) + 1 if more["labels"] is None else len(more["labels"])
    count = len(src)
    if arcs is not None:
        src, dst = arcs.directed(src, dst)
        weights = arcs.weights
    more["keep_rows"] = bool(further) or more.get("keep_rows", False)
    graph = Graph.from_edges(src, dst, weights, n=n, directed=both, **more)
    if graph.given is not None:
        rows = None if arcs is None else arcs.rows
        graph.given = table.input_edges(graph.given.rows, rows, count, further)
    return graph


def kept_columns(
    names: Sequence[str], used: set[str | None], attributes: str | Sequence[Column] | None
) -> list[str]:
    """Return the names of the columns that a graph keeps."""
    if attributes is None:
        return []
    if attributes == "all":
        return [name for name in names if name not in used and name.strip()]
    listed = [attributes] if isinstance(attributes, str | int) else attributes
    return [named(names, column) for column in listed]


def adapted(data: Any) -> Table:
    """Return the columns of a data frame or an Arrow table; raise GraphError for other objects."""
    package = type(data).__module__.partition(".")[0]
    if hasattr(data, "collect") and package == "polars":
        data = data.collect()
    if package == "cudf" and hasattr(data, "to_arrow"):
        data = data.to_arrow()  # a copy on the host
    data = with_named_index(data)
    if package in {"pandas", "polars"} and hasattr(data, "columns"):
        return Table(data, [str(name) for name in data.columns])
    if hasattr(data, "__arrow_c_stream__") or package == "pyarrow":
        arrow = require("pyarrow", extra="io", what="reading Arrow tables")
        try:
            return _ArrowTable(arrow.table(data))
        except (TypeError, ValueError) as error:  # a column, an array
            way = " Name the levels of its index, then .reset_index()." * hasattr(data, "iloc")
            msg = f"a {package}.{type(data).__name__} is not a table with a row per edge: {error}."
            raise GraphError(msg + way) from error
    msg = (
        f"a {package}.{type(data).__name__} is not a table with a row per edge: use a DataFrame "
        f"or a Table."
    )
    raise GraphError(msg)


def with_named_index(data: Any) -> Any:
    """Return a pandas object whose index has names of ends with the index as columns."""
    index = getattr(data, "index", None)
    levels = [str(name) for name in getattr(index, "names", ()) if name is not None]
    columns = [str(name) for name in getattr(data, "columns", ())]
    osmnx = {"u", "v"} <= {*levels}
    if (osmnx or not known_ends(columns)) and known_ends([*levels, *columns]):
        return data.reset_index() if {*levels}.isdisjoint(columns) else data
    return data


class Table:
    """Columns of a pandas or polars DataFrame as NumPy arrays."""

    def __init__(self, data: Any, names: list[str]) -> None:
        self.names = names
        self.data = data
        rows = getattr(data, "index", ())
        #: The names of the rows of a pandas DataFrame.
        self.row_names = [*map(str, rows)] if len(rows) == len(names) else []
        #: What reading the table left out or chose, for `Graph.read_report`.
        self.report: dict[str, Any] = {}

    def _column(self, name: str) -> tuple[Array, Array]:
        """Return the values, and a mask of those that are missing."""
        if hasattr(self.data, "iloc"):  # pandas, whose column names need not be strings
            series = self.data.iloc[:, self.names.index(name)]
            missing = np.asarray(series.isna().to_numpy(), bool)
        else:
            series = self.data[name]
            missing = series.is_null().to_numpy()
        return (np.empty(0, object) if missing.any() else np.asarray(series.to_numpy())), missing

    def _complete(self, name: str, error: type[GraphError | WeightError]) -> Array:
        values, missing = self._column(name)
        if missing.any():
            msg = (
                f"row {int(np.argmax(missing))} of column {name!r} is missing "
                f"({int(missing.sum())} in all): "
                "leave such rows out."
            )
            raise error(msg)
        return values

    def is_numeric(self, name: str) -> bool:
        """Return whether a column holds numbers, all of which can be weights."""
        values, missing = self._column(name)
        return not missing.any() and values.dtype.kind in "iuf"

    def both_ends(self, source: str, target: str) -> tuple[Array, Array]:
        """Return two columns of vertices, which are both integers or both names."""
        src, dst = self.ends(source), self.ends(target)
        if (src.dtype.kind in "iu") != (dst.dtype.kind in "iu") and len(src):
            msg = (
                f"column {source!r} holds {src.dtype} and column {target!r} {dst.dtype}: both must "
                "be of one type."
            )
            raise GraphError(msg)
        return src, dst

    def ends(self, name: str) -> Array:
        """Return a column of vertices: integers, or names."""
        values = self._complete(name, GraphError)
        if values.dtype == object and len(values) and all(type(v) is int for v in values):
            values = np.array(values.tolist())
        if not len(values):
            return np.empty(0, np.int64)
        if values.dtype.kind in "fcmMb":
            kind = "int" if values.dtype.kind == "f" else "str"
            msg = (
                f"column {name!r} is of type {values.dtype}, row 0 is "
                f"{values[:1].tolist()[0]!r}: vertices are integers or strings. Convert it, in "
                f"pandas by .astype({kind})."
            )
            raise GraphError(msg)
        return values

    def kept(self, name: str) -> Array:
        """Return a column of any type; missing values as the library converts them."""
        data = self.data
        series = data.iloc[:, self.names.index(name)] if hasattr(data, "iloc") else data[name]
        return np.asarray(series.to_numpy())

    def input_edges(
        self, arcs: Array, rows: Array | None, count: int, names: Sequence[str]
    ) -> InputEdges:
        """Return the rows of a graph's edges, with kept columns of this table.

        Parameters
        ----------
        arcs : (m,) the arc of each edge.
        rows : the row of each arc; None for one arc a row.
        count : number of rows.
        """
        columns = {name: self.kept(name) for name in names}
        return InputEdges(arcs if rows is None else rows[arcs], count, columns)

    def weights(self, name: str) -> Array:
        """Return a column of numbers."""
        values = self._complete(name, WeightError)
        if len(values) and values.dtype.kind not in "biuf":
            way = ".dt.total_seconds()" if values.dtype.kind == "m" else ".astype(float)"
            msg = (
                f"column {name!r} holds {values.dtype}, row 0 is {values[:1].tolist()[0]!r}: "
                f"weights are numbers. Convert it, in pandas by {way}; weight=None leaves it out."
            )
            raise WeightError(msg)
        return values


class ArrayTable(Table):
    """Columns in a dictionary, as NumPy arrays."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        super().__init__(
            {name: plain_array(column, name) for name, column in data.items()}, [*data]
        )

    def _column(self, name: str) -> tuple[Array, Array]:
        values = self.data[name]
        if values.dtype == object:
            return values, np.array([is_missing(value) for value in values.tolist()], np.bool_)
        return values, np.zeros(len(values), np.bool_)

    def kept(self, name: str) -> Array:  # noqa: D102 - as in `Table`
        column: Array = self.data[name]
        return column


class _ArrowTable(Table):
    """Columns of a pyarrow Table as NumPy arrays."""

    def kept(self, name: str) -> Array:
        column = self.data.column(self.names.index(name))
        return np.asarray(column.to_numpy(zero_copy_only=False))

    def __init__(self, table: Any) -> None:
        super().__init__(without_decimals(table), list(table.column_names))

    def _column(self, name: str) -> tuple[Array, Array]:
        import pyarrow as pa

        column = self.data.column(self.names.index(name))
        if column.null_count:
            return np.empty(0, object), np.asarray(column.is_null().to_numpy(zero_copy_only=False))
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        elif pa.types.is_temporal(column.type):
            column = column.cast(pa.string())
        return column.to_numpy(zero_copy_only=False), np.zeros(0, bool)
