"""The edges that a graph was made from: their order, and further columns of the input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import _core
from warpath.base.errors import GraphError, InputError
from warpath.graph.checks import checked_kind, frozen, index_dtype, shown
from warpath.graph.coordinates import RULES, lengths
from warpath.graph.csr import rows_of_edges

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from warpath.base.dtypes import Array
    from warpath.graph.graph import Graph


class InputEdges:
    """A map from the edges of a graph to the rows of its input.

    Attributes
    ----------
    rows : (m,) integers, the row of each edge in the order of `Graph.edges`. An edge that is stored
        in both directions has its row twice; rows of weight +inf have no edge.
    count : number of rows of the input.
    columns : further columns of the input by name, each (count,).
    """

    def __init__(self, rows: Array, count: int, columns: Mapping[str, Array] | None = None) -> None:
        self.rows = frozen(rows)
        self.count = count
        self.columns = dict(columns or {})

    def checked(self, m: int) -> InputEdges:
        """Return this map unchanged, or raise GraphError if it does not belong to m edges."""
        if len(self.rows) != m:
            msg = f"given has {len(self.rows)} edges, but the graph has m = {m}."
            raise GraphError(msg)
        return self

    def taken(self, edges: Array) -> InputEdges:
        """Return the map of some edges, in this order."""
        return InputEdges(self.rows[edges], self.count, self.columns)

    def transposed(self, indptr: Array, indices: Array) -> InputEdges:
        """Return the map of a graph's reversed edges, in the order of the transpose."""
        rows = np.empty_like(self.rows)
        ends = np.empty_like(indptr), np.empty_like(indices)
        _core.transpose(indptr, indices, self.rows, *ends, rows)
        return InputEdges(rows, self.count, self.columns)


def input_edges(
    src: ArrayLike, dst: ArrayLike, weights: ArrayLike | None, n: int, *, both: bool
) -> InputEdges:
    """Return the map of a graph that `rows_of_edges` makes from the same edges. O(n + m)."""
    src, dst = np.asarray(src), np.asarray(dst)
    used = np.arange(len(src), dtype=index_dtype(len(src)))
    if weights is not None:
        used = used[np.asarray(weights) != np.inf]
    # Row numbers in place of weights: the stable sort carries them to their edges.
    _, _, rows = rows_of_edges(src[used], dst[used], used, n, both=both)
    assert rows is not None  # noqa: S101 - weights were given
    return InputEdges(rows, len(src))


def new_weights(graph: Graph, weights: Any, order: str) -> Any:
    """Return weights in the order of ``graph.edges()``; see `Graph.with_weights`."""
    checked_kind(order, str, "order")
    if order not in {"edges", "input"}:
        msg = f'order={order!r} must be "edges", the order of graph.edges(), or "input".'
        raise InputError(msg)
    if isinstance(weights, str):
        columns = {} if graph.given is None else graph.given.columns
        if weights in RULES:
            src, dst, _ = graph.edges()
            return lengths(weights, graph.coordinates, src, dst)
        if weights not in columns:
            known = ", ".join([*map(repr, columns), *map(repr, RULES)])
            msg = f"weights={weights!r} is not a rule or a kept column; there are {known}."
            raise GraphError(msg)
        weights, order = columns[weights], "input"
    if order == "edges" or weights is None:
        return weights
    if graph.given is None:
        msg = (
            'order="input" needs the rows that the edges came from: make the graph with '
            "keep_rows=True, or give the weights in the order of graph.edges()."
        )
        raise GraphError(msg)
    array = np.asarray(weights)
    if array.shape != (graph.given.count,):
        count = graph.given.count
        msg = f"weights has the shape {shown(array.shape)}, but the input has {count} rows."
        raise GraphError(msg)
    return array[graph.given.rows]


def edge_table(graph: Graph) -> dict[str, Array]:
    """Return the edges as columns; see `Graph.edge_table`."""
    src, dst, weights = graph.edges()
    table = {"source": graph.label_of(src), "target": graph.label_of(dst), "weight": weights}
    if graph.given is not None:
        table |= {name: column[graph.given.rows] for name, column in graph.given.columns.items()}
    return table
