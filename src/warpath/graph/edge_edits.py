"""Graphs with a few edges more or less than another one."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import _core
from warpath.base.errors import GraphError, InputError, NotSupportedError
from warpath.graph.checks import plain_array, shown
from warpath.graph.csr import NO_WEIGHTS
from warpath.graph.derived import Derived
from warpath.graph.edge_changes import ends_of, positions_of, weights_of
from warpath.graph.labels import one_label

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from warpath.base.dtypes import Array
    from warpath.graph.csr_graph import CsrGraph, G

_NONE = np.empty(0, np.int64)

#: How many edges a graph lacks that the one it was made from had, and the ends of one.
_CLOSED: Derived[tuple[int, str]] = Derived(__name__, "number of closed edges")

#: The kept columns that may hold names of streets, in this order.
NAMES = ("street", "name")


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
        >>> graph.with_edges(([0], [2]), [4]).edge_table()["weight"].tolist()
        [2, 4, 5]
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
        edges : one of

            - (sources, targets), two lists of k vertices, or k rows (source, target);
            - (k,) integers, numbers of edges in ``graph.edges()``, or of rows of `edge_table`;
            - (m,) bool, True for the edges that are removed;
            - the name of a street, or a list of names: all edges that have it in the kept column
              "street" or "name".
        position : for sources and targets: (k,) integers from 0, which of several parallel edges is
            meant, in their order in ``graph.edges()``. Without it each edge must be the only one
            between its ends.

        Raises
        ------
        VertexError
            For a vertex that does not exist.
        InputError
            For an edge or a name that does not exist, an edge that has parallel edges and no
            position, or is named twice.
        GraphError
            For a name if the graph has kept no column of names.

        Examples
        --------
        >>> import warpath as wp
        >>> wp.Graph.of([(0, 1, 2), (1, 2, 5)]).without_edges([(1, 2)]).m
        1
        """
        return without(self, numbers_both_ways(self, edges, position))


def numbers_both_ways(graph: CsrGraph, edges: Any, position: ArrayLike | None) -> NDArray[np.int64]:
    """Return the numbers of edges, all different, with the reversed edges of an undirected graph.

    Parameters
    ----------
    edges, position : as in `EdgeEdits.without_edges`.
    """
    rows = _Rows(graph)
    numbers, _ = _numbers(rows, edges, position)
    return numbers if graph.directed else np.union1d(numbers, _reverses(rows, numbers))


def without(graph: G, removed: Array) -> G:
    """Return a graph without the edges of these numbers, which are all different."""
    arrays = _edited(graph, np.sort(removed), _NONE, _NONE, graph._solver_weights[:0])
    left = np.delete(np.arange(graph.m), removed)
    parts = {"shapes": graph.shapes, "given": graph.given, "turns": graph.turns}
    taken = {name: part and part.taken(left) for name, part in parts.items()}
    changed = graph._like(*arrays, **taken)  # noqa: SLF001 - of the graph itself
    note_closed(graph, removed, changed)
    return changed


def note_closed(graph: CsrGraph, removed: Array, changed: CsrGraph) -> None:
    """Note with a graph which edges of another one it lacks, for `closed_edges`."""
    before = _CLOSED.cached(graph)
    if before is None and not len(removed):
        return
    count, example = before or (0, "")
    if len(removed):
        tail = int(np.searchsorted(graph.indptr, removed[0], side="right")) - 1
        ends = (one_label(graph, int(vertex)) for vertex in (tail, graph.indices[removed[0]]))
        example = " -> ".join(map(repr, ends))
    _CLOSED.of(changed, lambda: (count + len(removed), example))


def closed_edges(graph: CsrGraph) -> str:
    """Return a sentence about the edges that were closed, for a message; "" if there are none."""
    closed = _CLOSED.cached(graph)
    if closed is None:
        return ""
    count, example = closed
    edges = f"{count:,} edges are closed, one of them" if count > 1 else "one edge is closed,"
    calls = "avoid, only, without_edges, with_changes or with_weights"
    return f" In this graph {edges} {example}: by {calls}."


def edge_numbers(graph: CsrGraph, edges: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the numbers of edges in ``graph.edges()``, all different.

    Edges of an undirected graph that are named by their ends come with their reversed edges.

    Parameters
    ----------
    edges : as in `EdgeEdits.without_edges`.

    Returns
    -------
    numbers : (k + j,), of which the last j are reversed edges.
    of : (k + j,) int64, the position in the first k of the edge that each belongs to.
    """
    rows = _Rows(graph)
    numbers, by_ends = _numbers(rows, edges, None)
    of = np.arange(len(numbers))
    if graph.directed or not by_ends:
        return numbers, of
    back = _reverses(rows, numbers)
    new = np.flatnonzero(~np.isin(back, numbers))
    return np.concatenate([numbers, back[new]]), np.concatenate([of, new])


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


def _numbers(rows: _Rows, edges: Any, position: ArrayLike | None) -> tuple[NDArray[np.int64], bool]:
    """Return the numbers of edges, and whether they are named by their ends."""
    graph = rows.graph
    if position is None:
        numbers = _of_names(graph, edges)
        if numbers is None:
            numbers = _of_array(graph, edges)
        if numbers is not None:
            return numbers, False
    sources, targets = ends_of(graph, edges)
    positions = positions_of(position, len(sources))
    ends = zip(sources.tolist(), targets.tolist(), positions.tolist(), strict=True)
    listed = [_number(rows, *edge) for edge in ends]
    return _all_different(np.array(listed, np.int64)), True


def _number(rows: _Rows, u: int, v: int, position: int) -> int:
    """Return the number of an edge."""
    forward = rows.parallel(u, v)
    if len(forward) <= max(position, 0) or (position < 0 and len(forward) > 1):
        raise no_edge(rows.graph, u, v, position, len(forward))
    return int(forward[max(position, 0)])


def _of_names(graph: CsrGraph, edges: Any) -> NDArray[np.int64] | None:
    """Return the edges of streets; None for what is no name and no list of names."""
    if isinstance(edges, str):
        names = [edges]
    elif isinstance(edges, list) and edges and all(isinstance(name, str) for name in edges):
        names = edges
    else:
        return None
    given = graph.given
    column = next((name for name in NAMES if given is not None and name in given.columns), None)
    if given is None or column is None:
        msg = (
            f"edges = {shown(edges)}: the graph has no names of streets; read it with "
            'attributes=["street"], or give edges by numbers or by sources and targets.'
        )
        raise GraphError(msg)
    texts = given.column(column)
    numbers = [np.flatnonzero(texts == name) for name in dict.fromkeys(names)]
    for name, of_name in zip(dict.fromkeys(names), numbers, strict=True):
        if not of_name.size:
            near = get_close_matches(name, map(str, np.unique(texts)), n=3)
            hint = f"; similar: {', '.join(map(repr, near))}" if near else ""
            msg = f"no edge has {name!r} in its column {column!r}{hint}."
            raise InputError(msg)
    return np.unique(np.concatenate(numbers))


def _of_array(graph: CsrGraph, edges: Any) -> NDArray[np.int64] | None:
    """Return edges that are given by numbers or by a mask; None for ends of edges."""
    by_ends = isinstance(edges, tuple) and any(np.ndim(part) for part in edges)
    if by_ends or (isinstance(edges, list) and edges and np.ndim(edges[0])):
        return None
    array = plain_array(edges, "edges", InputError)
    if array.ndim == 2:
        return None
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iub"):
        msg = (
            f"edges = {shown(edges)} must be a list of integers, numbers of edges; a mask; a name "
            "of a street or a list of names; (sources, targets), a tuple of two lists; or rows "
            "(source, target)."
        )
        raise InputError(msg)
    if array.dtype.kind == "b":
        if len(array) != graph.m:
            msg = f"edges is a mask of {len(array)} entries, but the graph has {graph.m} edges."
            raise InputError(msg)
        return np.flatnonzero(array)
    outside = np.flatnonzero((array < 0) | (array >= graph.m))
    if outside.size:
        at = int(outside[0])
        msg = f"edges[{at}] = {array[at]} is not an edge: they are numbered 0 .. {graph.m - 1}."
        raise InputError(msg)
    return _all_different(array.astype(np.int64))


def _all_different(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    order = np.argsort(numbers, kind="stable")
    twice = np.flatnonzero(np.diff(numbers[order]) == 0)
    if twice.size:
        first, second = sorted(order[twice[0] : twice[0] + 2].tolist())
        msg = (
            f"edges[{first}] and edges[{second}] are both edge {numbers[first]}: name each edge "
            "once."
        )
        raise InputError(msg)
    return numbers


def _reverses(rows: _Rows, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the reversed edges of the same weights, those of an undirected graph: (k,)."""
    graph = rows.graph
    tails = np.searchsorted(graph.indptr, numbers, side="right") - 1
    heads, weights = graph.indices[numbers], graph._solver_weights[numbers]
    reverses = numbers.copy()
    for at, (u, v) in enumerate(zip(tails.tolist(), heads.tolist(), strict=True)):
        if u == v:
            continue
        rank = int(np.searchsorted(rows.parallel(u, v, weights[at]), numbers[at]))
        back = rows.parallel(v, u, weights[at])
        if rank >= len(back):
            edge = f"{one_label(graph, v)!r} -> {one_label(graph, u)!r}"
            msg = f"the graph is undirected, but has no edge {edge} of the same weight."
            raise InputError(msg)
        reverses[at] = back[rank]
    return reverses


class _Rows:
    """Finds edges in the rows of a graph. A row that is searched again is sorted."""

    def __init__(self, graph: CsrGraph) -> None:
        self.graph = graph
        self._sorted: dict[tuple[int, bool], tuple[Array, Array, Array] | None] = {}

    def parallel(self, u: int, v: int, weight: Any = None) -> Array:
        """Return the numbers of the edges from u to v, of one weight if it is given, ascending."""
        begin, end = self.graph.indptr[u], self.graph.indptr[u + 1]
        ends, weights = self.graph.indices[begin:end], self.graph._solver_weights[begin:end]
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
