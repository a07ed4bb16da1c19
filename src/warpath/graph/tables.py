"""Tables of other libraries as arguments: columns by name, and their entries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from warpath.base.errors import InputError, require


def as_table(data: Any) -> Any:
    """Return a table whose columns can be read by name; other objects unchanged.

    A polars LazyFrame is collected. An object that has only Arrow's PyCapsule interface, such as a
    relation of DuckDB, becomes a pyarrow Table without decimal numbers.

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
    return without_decimals(table)


def without_decimals(table: Any) -> Any:
    """Return a pyarrow Table whose decimal numbers are floats, or integers if they have no digits.

    SQL has them for literals such as 1.5 and for sums of integers.
    """
    import pyarrow as pa

    for at, field in enumerate(table.schema):
        if pa.types.is_decimal(field.type):
            kind = pa.int64() if field.type.scale == 0 else pa.float64()
            try:
                column = table.column(at).cast(kind)
            except pa.ArrowInvalid:  # beyond 64 bits
                column = table.column(at).cast(pa.float64())
            table = table.set_column(at, field.name, column)
    return table


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
