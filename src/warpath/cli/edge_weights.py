"""New weights of edges from a table: --weights."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import GraphFormatError, VertexError
from warpath.cli.options import number
from warpath.cli.vertices import table_rows, vertices

if TYPE_CHECKING:
    from pathlib import Path

    from warpath.base.dtypes import Array
    from warpath.graph import Graph

_COLUMNS = ("source", "target", "weight")


def weights_of(graph: Graph, path: Path) -> Array:
    """Return the weights of a graph with those of a table in place of its own: (m,).

    A row has a source, a target and the new weight of the edge between them, or of all edges
    between them where there are several. They are the columns that the first row calls source,
    target and weight, else the first three. Edges that have no row keep their weights; an edge of
    an undirected graph is meant in both directions.

    Raises
    ------
    GraphFormatError
        If the file is not a text table, lists no edge, or a row names a vertex or an edge that does
        not exist, or has no number; with the line.
    """
    rows = _edge_rows(path)
    ends = _indices(graph, path, rows)
    lengths = np.array([_weight(path, line, cells[2]) for line, cells in rows])
    known = graph.solver_weights
    integers = lengths.dtype.kind == "i"
    fits = known.dtype.kind == "f" or np.abs(lengths).max() <= np.iinfo(known.dtype).max
    made = known.astype(known.dtype if integers and fits else np.result_type(known, lengths))
    src, dst, _ = graph.edges()
    keys = src.astype(np.int64) * graph.n + dst
    order = np.argsort(keys, kind="stable")
    for back in (False, True) if not graph.directed else (False,):
        u, v = (ends[:, 1], ends[:, 0]) if back else (ends[:, 0], ends[:, 1])
        wanted = u * graph.n + v
        first = np.searchsorted(keys, wanted, "left", sorter=order)
        after = np.searchsorted(keys, wanted, "right", sorter=order)
        missing = np.flatnonzero(first == after)
        if missing.size:
            line, cells = rows[int(missing[0])]
            raise GraphFormatError(path, line, f"the graph has no edge {cells[0]} -> {cells[1]}")
        for begin, end, value in zip(first.tolist(), after.tolist(), lengths, strict=True):
            made[order[begin:end]] = value
    return made


def _edge_rows(path: Path) -> list[tuple[int, list[str]]]:
    """Return the lines of a table and their source, target and weight."""
    rows = table_rows(path, "a source, a target and a weight per line")
    names = [name.lower() for name in rows[0][1]] if rows else []
    named = all(name in names for name in _COLUMNS)
    columns = [names.index(name) for name in _COLUMNS] if named else [0, 1, 2]
    found = []
    for at, (line, row) in enumerate(rows):
        cells = [row[column] if column < len(row) else "" for column in columns]
        if at == 0 and (named or not _is_number(cells[2])):
            continue  # the header
        if not all(cells):
            reason = f"expected a source, a target and a weight, found {','.join(row)!r:.60}"
            raise GraphFormatError(path, line, reason)
        found.append((line, cells))
    if not found:
        raise GraphFormatError(path, None, "the file lists no edge")
    return found


def _indices(graph: Graph, path: Path, rows: list[tuple[int, list[str]]]) -> Array:
    """Return the indices of the sources and targets of rows: (k, 2)."""
    texts = [text for _, cells in rows for text in cells[:2]]
    try:
        names = vertices(graph, texts)
    except VertexError:
        for line, cells in rows:  # to name the line
            try:
                vertices(graph, cells[:2])
            except VertexError as error:
                raise GraphFormatError(path, line, str(error)) from error
        raise
    return graph.index_of(names).reshape(-1, 2)


def _is_number(text: str) -> bool:
    try:
        number(text)
    except ValueError:
        return False
    return True


def _weight(path: Path, line: int, text: str) -> Any:
    value = number(text) if _is_number(text) else math.nan
    if not abs(value) < 2**63:
        reason = f"expected a number below 2^63 as the weight, found {text!r:.60}"
        raise GraphFormatError(path, line, reason)
    return value
