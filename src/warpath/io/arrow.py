"""The edges of a graph as batches of Arrow: for Parquet files, and for libraries in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import InputError, require
from warpath.graph.labels import encodable, file_ids
from warpath.io.metadata import KEY, kept_columns_of, metadata_of
from warpath.io.save import edge_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.io.metadata import Metadata


def edge_stream(graph: Graph, requested_schema: Any) -> Any:
    """Implement `Graph.__arrow_c_stream__`."""
    ids = file_ids(graph, np.arange(graph.n))
    metadata = metadata_of(graph, ("source", "target", "weight"))._replace(shapes=False)
    reader = edge_reader(graph, ids, metadata, what="an Arrow column", weighted=True)
    return reader.__arrow_c_stream__(requested_schema)


def edge_reader(
    graph: Graph,
    ids: Array,
    metadata: Metadata,
    *,
    what: str,
    weighted: bool,
    hint: str = "",
    escaped: bool = True,
) -> Any:
    """Return a RecordBatchReader of source, target, weight and kept columns, a row per stored edge.

    A batch has about a million edges and is made when it is read. Weights are not copied.

    Parameters
    ----------
    ids : (n,) the names of the vertices.
    metadata : what the schema says about the graph, with the names of kept columns.
    what, hint : the kind of column and the way out, for messages.
    weighted : whether a graph without weights has a column of ones.
    escaped : whether halves of surrogate pairs, which UTF-8 cannot encode, are escaped.

    Raises
    ------
    UnicodeEncodeError
        If a text has half of a surrogate pair, which is not escaped.
    InputError
        Labels, or entries of a kept column, of types that a column cannot hold together.
    """
    arrow = require("pyarrow", extra="io", what=f"{what} of edges")
    texts = encodable if escaped else _as_list
    names = _array(arrow, texts(ids), f"{what} cannot hold these labels", hint)
    fields = [("source", names.type), ("target", names.type)]
    if weighted:
        fields.append(("weight", arrow.from_numpy_dtype(graph._solver_weights.dtype)))
    for name, (own, kind) in metadata.columns.items():
        fields.append((name, _type_of(arrow, graph, own, np.dtype(kind), what)))
    schema = arrow.schema(fields, metadata={KEY: metadata.to_json()})

    def batches() -> Iterator[Any]:
        low = 0
        for src, dst, weights in edge_blocks(graph):
            columns: list[Any] = [names.take(arrow.array(ends)) for ends in (src, dst)]
            if weighted:
                columns.append(arrow.array(weights))
            further = kept_columns_of(graph, metadata, slice(low, low + len(src)))
            columns += [
                arrow.array(texts(values), schema.field(name).type)
                for name, values in further.items()
            ]
            low += len(src)
            yield arrow.record_batch(columns, schema=schema)

    return arrow.RecordBatchReader.from_batches(schema, batches())


def _type_of(arrow: Any, graph: Graph, name: str, kind: np.dtype[Any], what: str) -> Any:
    """Return the type of a kept column in Arrow, or raise InputError if there is none."""
    if kind.kind != "O":
        return arrow.from_numpy_dtype(kind)
    assert graph.given is not None  # noqa: S101 - it has the column
    column = encodable(graph.given.column(name))
    return _array(arrow, column, f"{what} cannot hold the kept column {name!r}", "").type


def _as_list(values: Array) -> Any:
    return values.tolist() if values.dtype.kind in "OU" else values


def _array(arrow: Any, values: Any, problem: str, hint: str) -> Any:
    try:
        return arrow.array(values)
    except (arrow.ArrowException, TypeError) as error:
        raise InputError(f"{problem} ({error}){hint}.") from error
