"""Graphs with a few edges more or less than another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import _core
from warpath.base.errors import InputError, NotSupportedError
from warpath.graph.csr import NO_WEIGHTS
from warpath.graph.edge_changes import ends_of, positions_of, weights_of
from warpath.graph.labels import one_label

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from warpath.base.dtypes import Array
    from warpath.graph.csr_graph import CsrGraph, G

_NONE = np.empty(0, np.int64)


class EdgeEdits:
    """The part of `Graph` that adds and removes edges."""

    def with_edges(self: G, edges: Any, weights: ArrayLike | None = None) -> G:
        """Return the same graph with more edges.

        A new edge comes after the other edges of its source; an undirected graph gets its reverse
        as well. The edges that the graph has are copied and not checked again. O(n + m + k).

        Parameters
        ----------
        edges : (sources, targets), two lists of k vertices; or k rows (source, target).
        weights : (k,) finite numbers that fit the type of the graph's weights; None for a graph
            without weights.

        Returns
        -------
        Graph
            It has no `shapes` and no `given`, which the new edges lack.

        Raises
        ------
        VertexError, WeightError, GraphError
            For vertices that do not exist, weights that are not finite or do not fit, or another
            number of weights than of edges.
        NotSupportedError
            If the graph has turns, which name edges by their numbers.

        Examples
        --------
        >>> import warpath as wp
        >>> graph = wp.Graph.of([(0, 1, 2), (1, 2, 5)])
        >>> graph.with_edges(([0], [2]), [4]).edge_table()["weight"]
        array([2, 4, 5])
        """
        if self.turns is not None:
            msg = (
                "with_edges: the graph has turns, which the new edges lack; read it without turns."
            )
            raise NotSupportedError(msg)
        sources, targets = ends_of(self, edges)
        lengths = _new_weights(self, weights, len(sources))
        if not self.directed:
            back = np.flatnonzero(sources != targets)
            sources, targets = (
                np.concatenate([sources, targets[back]]),
                np.concatenate([targets, sources[back]]),
            )
            lengths = np.concatenate([lengths, lengths[back]]) if len(lengths) else lengths
        rows = _edited(self, _NONE, sources, targets, lengths)
        return self._like(*rows, shapes=None, given=None)

    def without_edges(self: G, edges: Any, position: ArrayLike | None = None) -> G:
        """Return the same graph without some edges.

        An undirected graph loses the reversed edges as well. The edges that are left are copied and
        not checked again. O(n + m + k log k), and the degree of each source, once
        or times its logarithm.

        Parameters
        ----------
        edges : (sources, targets), two lists of k vertices; or k rows (source, target).
        position : (k,) integers from 0, which of several parallel edges is meant, in their order in
            ``graph.edges()``. Without it each edge must be the only one between its ends.

        Raises
        ------
        VertexError
            For a vertex that does not exist.
        InputError
            For an edge that does not exist, has parallel edges and no position, or is named twice.

        Examples
        --------
        >>> import warpath as wp
        >>> wp.Graph.of([(0, 1, 2), (1, 2, 5)]).without_edges([(1, 2)]).m
        1
        """
        sources, targets = ends_of(self, edges)
        positions = positions_of(position, len(sources))
        rows = _Rows(self)
        numbers = [
            number
            for ends in zip(sources.tolist(), targets.tolist(), positions.tolist(), strict=True)
            for number in _numbers(rows, *ends)
        ]
        removed = np.unique(np.array(numbers, np.int64))
        if len(removed) < len(numbers):
            msg = "without_edges: an edge is named twice; name each edge once."
            raise InputError(msg)
        arrays = _edited(self, removed, _NONE, _NONE, self.solver_weights[:0])
        left = np.delete(np.arange(self.m), removed)
        parts = {"shapes": self.shapes, "given": self.given, "turns": self.turns}
        kept = {name: part and part.taken(left) for name, part in parts.items()}
        return self._like(*arrays, **kept)


def _new_weights(graph: CsrGraph, weights: ArrayLike | None, count: int) -> Array:
    if graph.weights is None and weights is None:
        return NO_WEIGHTS
    if graph.weights is None or weights is None:
        state = "has no weights: leave weights out" if graph.weights is None else "has weights"
        msg = f"with_edges: the graph {state}, or give weights to all edges by with_weights first."
        raise InputError(msg)
    return weights_of(weights, count, graph.weight_dtype)


def _edited(
    graph: CsrGraph, removed: Array, sources: Array, targets: Array, weights: Array
) -> tuple[Array, Array, Array | None]:
    given = NO_WEIGHTS if graph.weights is None else graph.weights
    edit: Any = _core.edited_rows
    indptr, indices, edited_weights = edit(
        graph.indptr, graph.indices, given, removed, sources, targets, weights
    )
    return indptr, indices, None if graph.weights is None else edited_weights


def no_edge(graph: CsrGraph, u: int, v: int, position: int, count: int) -> InputError:
    """Return the error for an edge that does not exist, or of which there are several.

    Parameters
    ----------
    u, v : indices of its ends.
    position : among parallel edges, or -1.
    count : the number of edges from u to v.
    """
    edge = f"{one_label(graph, u)!r} -> {one_label(graph, v)!r}"
    if count == 0:
        return InputError(f"there is no edge {edge}: name edges of the graph, or insert it first.")
    if position < 0:
        msg = (
            f"there are {count} parallel edges {edge}: give the position of one, 0 .. {count - 1}."
        )
        return InputError(msg)
    msg = f"there is no edge {edge} at position {position}: the last position is {count - 1}."
    return InputError(msg)


def _numbers(rows: _Rows, u: int, v: int, position: int) -> list[int]:
    """Return the number of an edge, and that of its reverse if the graph is undirected."""
    graph, forward = rows.graph, rows.parallel(u, v)
    if len(forward) <= max(position, 0) or (position < 0 and len(forward) > 1):
        raise no_edge(graph, u, v, position, len(forward))
    number = int(forward[max(position, 0)])
    if graph.directed or u == v:
        return [number]
    weight = graph.solver_weights[number]
    rank = int(np.searchsorted(rows.parallel(u, v, weight), number))
    reverse = rows.parallel(v, u, weight)
    if rank >= len(reverse):
        edge = f"{one_label(graph, v)!r} -> {one_label(graph, u)!r}"
        msg = f"the graph is undirected, but has no edge {edge} of the same weight to remove."
        raise InputError(msg)
    return [number, int(reverse[rank])]


class _Rows:
    """Finds edges in the rows of a graph. A row that is searched again is sorted."""

    def __init__(self, graph: CsrGraph) -> None:
        self.graph = graph
        self._sorted: dict[tuple[int, bool], tuple[Array, Array, Array] | None] = {}

    def parallel(self, u: int, v: int, weight: Any = None) -> Array:
        """Return the numbers of the edges from u to v, of one weight if it is given, ascending."""
        begin, end = self.graph.indptr[u], self.graph.indptr[u + 1]
        ends, weights = self.graph.indices[begin:end], self.graph.solver_weights[begin:end]
        row = u, weight is None
        if row not in self._sorted:
            self._sorted[row] = None
            alike = ends == v if weight is None else (ends == v) & (weights == weight)
            positions: Array = begin + np.flatnonzero(alike)
            return positions
        arrays = self._sorted[row]
        if arrays is None:
            order = np.lexsort((ends,) if weight is None else (weights, ends))
            arrays = self._sorted[row] = ends[order], weights[order], begin + order
        ends, weights, numbers = arrays
        head = ends.dtype.type(v)  # of another type, all ends would be converted
        low, high = np.searchsorted(ends, head), np.searchsorted(ends, head, side="right")
        if weight is not None:
            part = weights[low:high]
            high = low + np.searchsorted(part, weight, side="right")
            low += np.searchsorted(part, weight)
        return numbers[low:high]
