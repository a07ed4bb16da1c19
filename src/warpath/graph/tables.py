"""Tables of other libraries as arguments: columns by name, and their entries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from warpath.base.errors import InputError, require


def as_table(data: Any) -> Any:
    """Return a table whose columns can be read by name; other objects unchanged.

    A polars LazyFrame is collected. An object that has only Arrow's PyCapsule interface, such as a
    relation of DuckDB, becomes a pyarrow Table, and its decimal numbers, as of literals in SQL,
    floats.

    Raises
    ------
    InputError
        If the object is no table, but a single column.
    """
    package = type(data).__module__.partition(".")[0]
    if package == "polars":
        return data.collect() if hasattr(data, "collect") else data
    named = hasattr(data, "iloc") or hasattr(data, "column_names")
    if named or package == "cudf" or not hasattr(data, "__arrow_c_stream__"):
        return data
    arrow = require("pyarrow", extra="io", what="reading Arrow tables")
    try:
        table = arrow.table(data)
    except (TypeError, ValueError) as error:
        msg = f"a {package}.{type(data).__name__} is not a table with named columns: {error}."
        raise InputError(msg) from error
    decimal = arrow.types.is_decimal
    return table.cast(
        arrow.schema(
            field.with_type(arrow.float64()) if decimal(field.type) else field
            for field in table.schema
        )
    )


def column_names(table: Any) -> list[Any]:
    """Return the names of the columns of a table or a dictionary; none for other objects."""
    if isinstance(table, Mapping):
        return list(table)
    return list(getattr(table, "column_names", getattr(table, "columns", ())))


def entries_of(column: Any) -> list[Any]:
    """Return the entries of a column as plain Python objects."""
    for method in ("to_pylist", "tolist", "to_list"):
        if hasattr(column, method):
            return list(getattr(column, method)())
    return list(column)
