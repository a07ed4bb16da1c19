"""Graphs from pandas, polars and Arrow tables: one row per edge, columns found by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import GraphError, InputError, WeightError, require
from warpath.graph import Graph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warpath.base.dtypes import Array

#: Recognised names of the columns of source and target; case is ignored.
ENDS = (
    ("source", "target"),
    ("src", "dst"),
    ("from", "to"),
    ("u", "v"),
    ("tail", "head"),
    ("init_node", "term_node"),
)
#: Recognised names of a column of weights.
WEIGHTS = ("weight", "w", "length", "distance", "cost", "time")

Column = str | int


def from_table(
    data: Any,
    *,
    columns: Sequence[Column] | None = None,
    weight: Column | None = "auto",
    directed: bool = True,
    n: int | None = None,
    attributes: str | Sequence[Column] | None = None,
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
        weight as for None. None: found by name, see `ENDS` and
        `WEIGHTS`.
    weight : the weight's column alone; None: every weight is 1; "auto": found by name, or the only
        column except the ends.
    directed : False makes every row an edge in both directions.
    n : number of vertices; if given, the ends are the vertices 0 .. n - 1, without labels.
    attributes : names or positions of further columns that the graph keeps, see
        `Graph.edge_table`; "all": every other column.
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
    return from_columns(
        adapted(data),
        columns=columns,
        weight=weight,
        directed=directed,
        n=n,
        attributes=attributes,
        **more,
    )


def from_columns(
    table: Table,
    *,
    columns: Sequence[Column] | None,
    weight: Column | None,
    directed: bool,
    n: int | None = None,
    attributes: str | Sequence[Column] | None = None,
    **more: Any,
) -> Graph:
    """Make a graph from the columns of a `Table`; see `from_table`."""
    source, target, weighted = chosen_columns(table.names, columns, weight)
    src, dst = table.ends(source), table.ends(target)
    weights = None if weighted is None else table.weights(weighted)
    kept = _kept_columns(table.names, {source, target, weighted}, attributes)
    if kept:
        more["keep_rows"] = True
    if n is not None:
        graph = Graph.from_edges(src, dst, weights, n=n, directed=directed, **more)
        return _with_columns(graph, table, kept)
    if (src.dtype.kind in "iu") != (dst.dtype.kind in "iu") and len(src):
        msg = (
            f"column {source!r} holds {src.dtype} and column {target!r} {dst.dtype}: both must be "
            "of one type."
        )
        raise GraphError(msg)
    graph = Graph.from_labelled_edges(src, dst, weights, directed=directed, **more)
    return _with_columns(graph, table, kept)


def _kept_columns(
    names: Sequence[str], used: set[str | None], attributes: str | Sequence[Column] | None
) -> list[str]:
    """Return the names of the columns that a graph keeps."""
    if attributes is None:
        return []
    if attributes == "all":
        return [name for name in names if name not in used]
    listed = [attributes] if isinstance(attributes, str | int) else attributes
    return [_named(names, column) for column in listed]


def _with_columns(graph: Graph, table: Table, kept: Sequence[str]) -> Graph:
    if graph.given is not None:
        graph.given.columns.update({name: table.kept(name) for name in kept})
    return graph


def chosen_columns(
    names: Sequence[str], columns: Sequence[Column] | None, weight: Column | None
) -> tuple[str, str, str | None]:
    """Return the names of the columns (source, target, weight or None).

    Raises
    ------
    GraphError
        A column is missing or ambiguous; the message lists all of them.
    """
    listed = ", ".join(map(repr, names))
    if len(set(names)) != len(names):
        twice = next(name for name in names if list(names).count(name) > 1)
        msg = f"two columns are called {twice!r} ({listed}): rename one."
        raise GraphError(msg)
    if columns is not None:
        if isinstance(columns, str | int | float) or not 2 <= len(columns) <= 3:
            msg = f"columns={columns!r}: give two or three of {listed}: source, target and weight."
            raise InputError(msg)
        if len(columns) == 3 and weight not in {"auto", columns[2]}:
            msg = f"columns={columns!r} and weight={weight!r} name two weights: give one of them."
            raise InputError(msg)
        source, target = (_named(names, column) for column in columns[:2])
        if len(columns) == 3 and columns[2] == "auto":
            return (
                source,
                target,
                _found_weight([n for n in names if n not in {source, target}], listed),
            )
        if len(columns) == 3:
            return source, target, _named(names, columns[2])
        return source, target, None if weight in {None, "auto"} else _named(names, weight)
    source, target = _found_ends(names, listed)
    if weight is None:
        return source, target, None
    if weight != "auto":
        return source, target, _named(names, weight)
    return source, target, _found_weight([n for n in names if n not in {source, target}], listed)


def _named(names: Sequence[str], column: Column | None) -> str:
    if column in names:
        return str(column)
    if isinstance(column, int) and not isinstance(column, bool) and 0 <= column < len(names):
        return names[column]
    msg = f"there is no column {column!r}; there are {', '.join(map(repr, names))}."
    raise GraphError(msg)


def _found_ends(names: Sequence[str], listed: str) -> tuple[str, str]:
    lower = {name.strip().lower(): name for name in names}
    candidates = [(lower[u], lower[v]) for u, v in ENDS if u in lower and v in lower]
    if len(candidates) == 1:
        return candidates[0]
    known = ", ".join("/".join(pair) for pair in ENDS)
    if candidates:
        several = " and ".join("/".join(pair) for pair in candidates)
        example = f"columns=({candidates[0][0]!r}, {candidates[0][1]!r})"
        msg = f"the ends of the edges could be {several}; choose them, as with {example}."
    else:
        msg = (
            f"none of the pairs {known} is among the columns {listed}; choose the columns, as with "
            f"columns=({', '.join(map(repr, names[:3]))})."
        )
    raise GraphError(msg)


def _found_weight(others: list[str], listed: str) -> str | None:
    candidates = [name for name in others if name.strip().lower() in WEIGHTS]
    # In a table with more columns, "time" is often the moment of an event, not a duration.
    stamped = [name.strip().lower() for name in candidates] == ["time"] and len(others) > 1
    if not candidates and len(others) == 1:
        return others[0]
    if len(candidates) > 1 or stamped or (others and not candidates):
        msg = (
            f"the weight could be {' or '.join(map(repr, candidates or others))} of the columns "
            f"{listed}; choose one with weight={(candidates or others)[0]!r}, or weight=None for "
            "none."
        )
        raise GraphError(msg)
    return candidates[0] if candidates else None


def adapted(data: Any) -> Table:
    """Return the columns of a data frame or an Arrow table; raise GraphError for other objects."""
    package = type(data).__module__.partition(".")[0]
    if hasattr(data, "collect") and package == "polars":
        data = data.collect()
    if package == "cudf" and hasattr(data, "to_arrow"):
        data = data.to_arrow()  # a copy on the host
    if package in {"pandas", "polars"} and hasattr(data, "columns"):
        return Table(data, [str(name) for name in data.columns])
    if hasattr(data, "__arrow_c_stream__") or package == "pyarrow":
        arrow = require("pyarrow", extra="io", what="reading Arrow tables")
        try:
            return _ArrowTable(arrow.table(data))
        except (TypeError, ValueError) as error:  # a column, an array
            msg = f"a {package}.{type(data).__name__} is not a table with a row per edge: {error}."
            raise GraphError(msg) from error
    msg = (
        f"a {package}.{type(data).__name__} is not a table with a row per edge: use a DataFrame "
        f"or a Table."
    )
    raise GraphError(msg)


class Table:
    """Columns of a pandas or polars DataFrame as NumPy arrays."""

    def __init__(self, data: Any, names: list[str]) -> None:
        self.names = names
        self._data = data

    def _column(self, name: str) -> tuple[Array, Array]:
        """Return the values, and a mask of those that are missing."""
        if hasattr(self._data, "iloc"):  # pandas, whose column names need not be strings
            series = self._data.iloc[:, self.names.index(name)]
            missing = np.asarray(series.isna().to_numpy(), bool)
        else:
            series = self._data[name]
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

    def ends(self, name: str) -> Array:
        """Return a column of vertices: integers, or names."""
        values = self._complete(name, GraphError)
        if values.dtype == object and len(values) and all(type(v) is int for v in values):
            values = np.array(values.tolist())
        if not len(values):
            return np.empty(0, np.int64)
        if values.dtype.kind in "fcmMb":
            msg = (
                f"column {name!r} is of type {values.dtype}, row 0 is "
                f"{values[:1].tolist()[0]!r}: vertices are "
                "integers or strings. Use .astype(int) if they are whole numbers."
            )
            raise GraphError(msg)
        return values

    def kept(self, name: str) -> Array:
        """Return a column of any type; missing values as the library converts them."""
        data = self._data
        series = data.iloc[:, self.names.index(name)] if hasattr(data, "iloc") else data[name]
        return np.asarray(series.to_numpy())

    def weights(self, name: str) -> Array:
        """Return a column of numbers."""
        values = self._complete(name, WeightError)
        if len(values) and values.dtype.kind not in "biuf":
            msg = (
                f"column {name!r} holds {values.dtype}, row 0 is {values[:1].tolist()[0]!r}: "
                "weights are numbers; weight=None leaves them out."
            )
            raise WeightError(msg)
        return values


class _ArrowTable(Table):
    """Columns of a pyarrow Table as NumPy arrays."""

    def kept(self, name: str) -> Array:
        column = self._data.column(self.names.index(name))
        return np.asarray(column.to_numpy(zero_copy_only=False))

    def __init__(self, table: Any) -> None:
        super().__init__(table, list(table.column_names))

    def _column(self, name: str) -> tuple[Array, Array]:
        import pyarrow as pa

        column = self._data.column(self.names.index(name))
        if column.null_count:
            return np.empty(0, object), np.asarray(column.is_null().to_numpy(zero_copy_only=False))
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        elif pa.types.is_temporal(column.type) or pa.types.is_decimal(column.type):
            column = column.cast(pa.string())
        return column.to_numpy(zero_copy_only=False), np.zeros(0, bool)
