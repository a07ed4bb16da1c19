"""New weights of edges from a table: --weights."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from warpath.base.errors import GraphError, GraphFormatError
from warpath.cli.options import number
from warpath.cli.reporting import tell
from warpath.cli.vertices import cells_at, is_vertex, on_network, table_rows, vertices_of_line
from warpath.io.columns import chosen_columns

if TYPE_CHECKING:
    from pathlib import Path

    from warpath.base.dtypes import Array
    from warpath.graph import Graph


def weights_of(graph: Graph, path: Path) -> Array:
    """Return the weights of a graph with those of a table in place of its own: (m,).

    A row has a source, a target and the new weight of the edge between them, or of all edges
    between them where there are several. They are the columns that the first row names, such as
    source, target and weight; without a header the table has these three. Edges that have no row
    keep their weights. A row for an edge of an undirected graph sets both directions. Errors name
    the line of the file.
    """
    rows = _edge_rows(graph, path)
    weights = [_weight(path, line, cells[2]) for line, cells in rows]
    ends = _indices(graph, path, rows)
    _refuse_twice(graph, path, rows, ends)
    lengths = np.array(weights)
    old = graph._solver_weights
    integers = lengths.dtype.kind == "i"
    fits = old.dtype.kind == "f" or np.abs(lengths).max() <= np.iinfo(old.dtype).max
    new = old.astype(old.dtype if integers and fits else np.result_type(old, lengths))
    if new.dtype.kind != old.dtype.kind:
        line = next(line for line, cells in rows if isinstance(number(cells[2]), float))
        tell(
            f"{path}, line {line}: the weight is not an integer, so all weights of the graph "
            f"become {new.dtype}"
        )
    src, dst, _ = graph.edges()
    keys = src.astype(np.int64) * graph.n + dst
    order = np.argsort(keys, kind="stable")
    for back in (False, True) if not graph.directed else (False,):
        u, v = (ends[:, 1], ends[:, 0]) if back else (ends[:, 0], ends[:, 1])
        row_keys = u * graph.n + v
        first = np.searchsorted(keys, row_keys, "left", sorter=order)
        after = np.searchsorted(keys, row_keys, "right", sorter=order)
        missing = np.flatnonzero(first == after)
        if missing.size:
            line, cells = rows[int(missing[0])]
            raise GraphFormatError(path, line, f"the graph has no edge {cells[0]} -> {cells[1]}")
        for begin, end, value in zip(first.tolist(), after.tolist(), lengths, strict=True):
            new[order[begin:end]] = value
    return new


def _edge_rows(graph: Graph, path: Path) -> list[tuple[int, list[str]]]:
    """Return the lines of a table and their source, target and weight."""
    rows = table_rows(path, "a source, a target and a weight per line", graph)
    if not rows:
        raise GraphFormatError(path, None, "the file lists no edge")
    line, first = rows[0]
    columns, header = [0, 1, 2], False
    vertex = any(is_vertex(graph, text) for text in first[:2])
    if len(first) != 3 or not (vertex or not math.isnan(_number(first[2]))):
        try:
            chosen = chosen_columns(first, None, "auto")
        except GraphError as error:
            known = str(error).partition("; choose")[0]  # options name the columns of the graph
            reason = f"{known}: call the columns source, target and weight in the first row"
            raise GraphFormatError(path, line, reason) from error
        if chosen[2] is None:
            names = ", ".join(map(repr, first))
            reason = f"no column of {names} is a weight: call one of them weight"
            raise GraphFormatError(path, line, reason)
        columns, header = [first.index(name) for name in chosen if name is not None], True
    lines = []
    for line, row in rows[header:]:
        cells = cells_at(row, columns)
        if not all(cells):
            reason = f"expected a source, a target and a weight, found {','.join(row)!r:.60}"
            raise GraphFormatError(path, line, reason)
        lines.append((line, cells))
    if not lines:
        raise GraphFormatError(path, None, "the file lists no edge")
    return lines


def _refuse_twice(graph: Graph, path: Path, rows: list[tuple[int, list[str]]], ends: Array) -> None:
    """Raise GraphFormatError for the second row of an edge that has another weight."""
    first: dict[tuple[int, int], tuple[int, str]] = {}
    for (line, cells), (u, v) in zip(rows, ends.tolist(), strict=True):
        edge = (u, v) if graph.directed else (min(u, v), max(u, v))
        before, weight = first.setdefault(edge, (line, cells[2]))
        if number(weight) != number(cells[2]):
            reason = (
                f"the edge {cells[0]} -> {cells[1]} has the weight {cells[2]} here and {weight} in "
                f"line {before}: a row is for all parallel edges between two vertices, so leave "
                "one of the rows out"
            )
            raise GraphFormatError(path, line, reason)


def _indices(graph: Graph, path: Path, rows: list[tuple[int, list[str]]]) -> Array:
    """Return the indices of the sources and targets of rows: (k, 2)."""
    ends = [end for line, cells in rows for end in vertices_of_line(graph, path, line, cells[:2])]
    lines = [line for line, _ in rows for _ in range(2)]
    return graph.indices_of(on_network(graph, ends, None, path, lines, along=False)).reshape(-1, 2)


def _number(text: str) -> float:
    """Return the number of a text; NaN for another text."""
    try:
        return number(text)
    except ValueError:
        return math.nan


def _weight(path: Path, line: int, text: str) -> float:
    value = _number(text)
    if not abs(value) < 2**63:
        reason = f"expected a number below 2^63 as the weight, found {text!r:.60}"
        raise GraphFormatError(path, line, reason)
    return value
