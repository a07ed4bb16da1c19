"""Parquet edge tables, through pyarrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from warpath.base.errors import InputError, NotSupportedError, require
from warpath.io.arrow import edge_reader
from warpath.io.dataframes import from_table
from warpath.io.metadata import metadata_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warpath.base.errors import GraphFormatError
    from warpath.graph import Graph
    from warpath.io.columns import Column
    from warpath.io.source import Source


def sniff(head: bytes) -> bool:
    """Return whether a file starts with Parquet's magic number."""
    return head.startswith(b"PAR1")


def read(
    source: Source,
    *,
    directed: bool | None = None,
    weight: Column | None = "auto",
    columns: Sequence[Column] | None = None,
    oneway: Column | bool | None = "auto",
    reverse_weight: Column | None = "auto",
    attributes: str | Sequence[Column] | None = None,
) -> Graph:
    """Read a Parquet file with a row per edge; columns as in `warpath.io.dataframes.from_table`.

    Raises
    ------
    GraphFormatError
        The file is damaged, or its columns do not describe edges.
    MissingDependencyError
        pyarrow is not installed (`pip install pyarrow`).
    """
    parquet = require("pyarrow.parquet", extra="io", what="reading Parquet edge tables")
    arrow = require("pyarrow", extra="io", what="reading Parquet edge tables")
    try:
        # Memory-mapped, so that only the columns of the edges are read.
        plain = source.compression is None
        data = arrow.memory_map(str(source.path)) if plain else arrow.BufferReader(source.data)
        file = parquet.ParquetFile(data)
        # Repeated values take almost nothing in the file, but 8 bytes each in memory.
        source.need(8 * file.metadata.num_rows * min(file.metadata.num_columns, 3))
        table = file.read()
        column_names(source, table)
    except (arrow.ArrowMemoryError, InputError, NotSupportedError):
        raise
    except UnicodeDecodeError as error:
        raise bad_name(source, error) from error
    except (arrow.ArrowException, OSError, ValueError) as error:
        raise source.error(None, f"this is not a valid Parquet file: {error}") from error
    try:
        return from_table(
            table,
            name=source.title,
            directed=directed,
            weight=weight,
            columns=columns,
            oneway=oneway,
            reverse_weight=reverse_weight,
            attributes=attributes,
        )
    except InputError as error:
        raise source.error(None, str(error)) from error


def column_names(source: Source, table: Any) -> list[str]:
    """Return the names of a table's columns, or raise GraphFormatError if one is not UTF-8."""
    try:
        names: list[str] = table.column_names
    except UnicodeDecodeError as error:
        raise bad_name(source, error) from error
    return names


def bad_name(source: Source, error: UnicodeDecodeError) -> GraphFormatError:
    """Return the error for a column whose name is not UTF-8."""
    msg = f"the name of a column, {error.object[:40]!r}, is not UTF-8 text: convert the file"
    return source.error(None, msg)


def write(graph: Graph, file: BinaryIO, *, labels: str = "keep") -> None:
    """Write source, target, weight (of a weighted graph) and kept columns, a row per stored edge.

    Parameters
    ----------
    labels : "keep" writes the labels of vertices; "drop" writes the numbers 0 .. n - 1.

    Notes
    -----
    An undirected graph is written with both arcs of each edge. The metadata of the file's schema
    have what else `read` restores, see `warpath.io.metadata`. The file does not hold coordinates,
    or labelled vertices without edges; `.npz` holds the whole graph.

    Raises
    ------
    InputError
        Labels of mixed types, which a column cannot hold.
    """
    if labels not in {"keep", "drop"}:
        msg = f'labels={labels!r} must be "keep" or "drop".'
        raise InputError(msg)
    parquet = require("pyarrow.parquet", extra="io", what="writing Parquet edge tables")
    names = np.arange(graph.n) if graph.labels is None or labels == "drop" else graph.labels
    metadata = metadata_of(graph, ("source", "target", "weight"))
    metadata = metadata._replace(
        labelled=metadata.labelled and labels == "keep", id_base=0, shapes=False
    )
    batches = edge_reader(
        graph,
        names,
        metadata,
        what="a Parquet column",
        weighted=graph.weights is not None,
        hint='; use labels="drop" to write numbers',
        escaped=False,
    )
    with parquet.ParquetWriter(file, batches.schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
