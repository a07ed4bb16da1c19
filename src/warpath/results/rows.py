"""Results as tables of other libraries: Arrow, polars and pandas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.dtypes import unreachable
from warpath.base.errors import InputError, require
from warpath.base.escaping import utf8
from warpath.graph.labels import encodable, file_ids

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warpath.base.dtypes import Array

    #: Name of each column -> values, and the mask of the rows that have one, None for all.
    Columns = dict[str, tuple[Array, Array | None]]

#: Pairs of a table of distances in a batch: tens of megabytes.
_PAIRS = 1 << 20


class Rows:
    """A table of rows, which libraries read through Arrow's PyCapsule interface.

    ``polars.DataFrame(result)``, ``pyarrow.table(result)`` and ``duckdb.sql("from result")`` take
    the NumPy arrays of numbers without a copy: do not write into these arrays afterwards. Vertices
    have the ids of the graph's file, and a value that does not exist, such as a distance without a
    path, is null.
    """

    def _columns(self) -> Columns:
        """Return the columns of the result as rows, with the ids of the graph's file."""
        raise NotImplementedError

    def _arrow(self) -> Any:
        """Return the rows as a pyarrow Table, or as a RecordBatchReader that makes them."""
        return arrow_table(self._columns(), type(self).__name__)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Return the rows as a stream of the Arrow C interface, a PyCapsule.

        Parameters
        ----------
        requested_schema : a PyCapsule with the types that the reader prefers; None for our own.

        Raises
        ------
        InputError
            If labels of several types are in one column.
        MissingDependencyError
            If pyarrow is not installed.
        """
        return self._arrow().__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> Any:
        """Return a pandas data frame of the rows, with NA for values that do not exist."""
        return data_frame(self._columns(), f"{type(self).__name__}.to_pandas")

    def to_polars(self) -> Any:
        """Return a polars data frame with the columns of `to_pandas`, and null for missing values.

        Of a `DistanceTable` it has a row for each pair.
        """
        polars = require("polars", what=f"{type(self).__name__}.to_polars")
        return polars.DataFrame(self)


def data_frame(columns: Columns, what: str) -> Any:
    """Return columns as a pandas data frame.

    Parameters
    ----------
    what : the call, for the message that pandas is missing.
    """
    pandas = require("pandas", what=what)

    def series(values: Array, present: Array | None) -> Any:
        values = encodable(values)
        if present is None:
            return values
        with np.errstate(invalid="ignore"):  # pandas tries whether all are integers
            return pandas.Series(values).convert_dtypes().mask(~present, pandas.NA)

    return pandas.DataFrame({name: series(*column) for name, column in columns.items()})


def arrow_table(columns: Columns, where: object) -> Any:
    """Return columns as a table of pyarrow, which shares the memory of numbers.

    Parameters
    ----------
    where : the result or the file, for messages.

    Raises
    ------
    InputError
        If the values of a column are of several types.
    """
    arrow = require("pyarrow", extra="io", what=f"{where} as an Arrow table")
    return arrow.table(
        {utf8(name): arrow_column(name, *column, where) for name, column in columns.items()}
    )


def arrow_column(name: str, values: Array, present: Array | None, where: object) -> Any:
    """Return one column of `arrow_table`.

    Parameters
    ----------
    present : mask of the rows that have a value; None for all.
    """
    arrow = require("pyarrow", extra="io", what=f"{where} as an Arrow table")
    try:
        return arrow.array(encodable(values), mask=None if present is None else ~present)
    except arrow.ArrowException as error:
        raise different_types(where, name, str(error)) from error


def pairs_of_table(table: Any) -> Any:
    """Return a RecordBatchReader with a row for each pair of a `DistanceTable`.

    A batch is made when it is read, so that a table in a file may be larger than memory.
    """
    where = "DistanceTable"
    arrow = require("pyarrow", extra="io", what=f"{where} as an Arrow table")
    k, t = table.shape
    dist, graph, also = table.dist, table.graph, table.also
    sources = arrow_column("source", table.row_ids, None, where)
    targets = arrow_column("target", table.column_ids, None, where)
    fields = {"source": sources.type, "target": targets.type}
    fields["distance"] = arrow.from_numpy_dtype(dist.dtype)
    if table.pred is not None:
        vertices = arrow_column("pred", file_ids(graph, np.arange(graph.n)), None, where)
        fields["pred"] = vertices.type
    fields |= {utf8(name): arrow.from_numpy_dtype(sums.dtype) for name, sums in also.items()}
    schema = arrow.schema(list(fields.items()))

    def batches() -> Iterator[Any]:
        chunk = getattr(dist, "chunks", (1,))[0]
        step = max(1, _PAIRS // max(1, t) // chunk) * chunk
        for low in range(0, k, step):
            rows = slice(low, min(k, low + step))
            lengths = _on_host(dist[rows]).ravel()
            none = lengths == unreachable(lengths.dtype)
            at = np.arange(rows.start, rows.stop)
            columns = [sources.take(arrow.array(np.repeat(at, t)))]
            columns.append(targets.take(arrow.array(np.tile(np.arange(t), len(at)))))
            columns.append(arrow.array(lengths, mask=none))
            if table.pred is not None:
                pred = _on_host(table.pred[rows]).ravel()
                columns.append(vertices.take(arrow.array(pred, mask=pred < 0)))
            columns += [
                arrow.array(_on_host(sums[rows]).ravel(), mask=none) for sums in also.values()
            ]
            yield arrow.record_batch(columns, schema=schema)

    return arrow.RecordBatchReader.from_batches(schema, batches())


def _on_host(values: Any) -> Array:
    return np.asarray(values.get() if hasattr(values, "get") else values)


def different_types(where: object, name: str, types: str) -> InputError:
    """Return the error of a column with values that a table cannot hold together."""
    return InputError(
        f"{where}: cannot write the column {name}, because a table cannot hold values of such "
        f"different types together ({types}): save as .npz, or use other labels."
    )
