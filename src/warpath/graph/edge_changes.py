"""Changes of edges as arguments: which edges, with which weights, in what order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base.errors import GraphError, InputError, WeightError
from warpath.graph.checks import as_weights, bad_weight, converted, plain_array, shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, NDArray

    from warpath.base.dtypes import Array
    from warpath.graph.csr_graph import CsrGraph

#: The kinds of changes, by their numbers in the core.
UPDATE, INSERT, DELETE = range(3)
_KINDS = {"update": UPDATE, "insert": INSERT, "delete": DELETE}
_FEW = 16  # vertices or weights that are looked at one by one in less time than as an array
#: The type of plain weights, the least and the largest one, for each type of a graph's weights.
_LIMITS: dict[np.dtype[Any], tuple[Any, float, float]] = {
    np.dtype(kind): (int, int(np.iinfo(kind).min), int(np.iinfo(kind).max))
    for kind in (np.int32, np.int64)
} | {
    np.dtype(kind): (float, -float(np.finfo(kind).max), float(np.finfo(kind).max))
    for kind in (np.float32, np.float64)
}
_ENTRIES = {UPDATE: (4, 5), INSERT: (4,), DELETE: (3, 4)}  # of a change in a batch


class Batch(NamedTuple):
    """Changes of edges in vertex indices.

    Attributes
    ----------
    kinds : (k,) int8, UPDATE, INSERT or DELETE; (1,) where it is the same for all.
    sources, targets : (k,) int64.
    positions : (k,) int64, which of several parallel edges; -1 where there is only one. (1,) where
        it is the same for all.
    weights : (k,) of the graph's type; 0 for deletions.
    """

    kinds: NDArray[np.int8]
    sources: NDArray[np.int64]
    targets: NDArray[np.int64]
    positions: NDArray[np.int64]
    weights: Array

    def position(self, at: int) -> int:
        """Return the position of a change."""
        return int(self.positions[at if len(self.positions) > 1 else 0])


# Made once: a NumPy call takes as long as a small part of a repair.
_ALL_OF = [np.array([kind], np.int8) for kind in (UPDATE, INSERT, DELETE)]
_ONLY_ONE = np.array([-1], np.int64)


def ends_of(graph: CsrGraph, edges: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the sources and targets of edges as indices: (k,) each.

    Parameters
    ----------
    edges : a tuple of two, the sources and the targets; or (k, 2) rows, as an array or a list.
    """
    if isinstance(edges, tuple) and len(edges) == 2:
        first, second = edges
    else:
        first, second = _columns(edges)
    sources, targets = _indices(graph, first), _indices(graph, second)
    if len(sources) != len(targets):
        msg = f"edges has {len(sources)} sources but {len(targets)} targets: one per edge."
        raise GraphError(msg)
    return sources, targets


def _indices(graph: CsrGraph, vertices: Any) -> NDArray[np.int64]:
    # A fast path for a few vertices: `indices_of` takes longer than a repair that affects nothing.
    numbers = vertices
    if type(vertices) is np.ndarray and vertices.ndim == 1 and vertices.dtype.kind in "iu":
        numbers = vertices.tolist() if len(vertices) <= _FEW else None
    if graph.labels is None and type(numbers) is list and len(numbers) <= _FEW:
        n = len(graph.indptr) - 1
        if all(type(vertex) is int and 0 <= vertex < n for vertex in numbers):
            return np.array(numbers, np.int64)
    return graph.indices_of(vertices)


def _columns(edges: Any) -> tuple[Any, Any]:
    """Split rows of two vertices, which may be labels of any kind."""
    if isinstance(edges, np.ndarray):
        if edges.ndim == 2 and edges.shape[1] == 2:
            return edges[:, 0], edges[:, 1]
    elif isinstance(edges, list) and all(
        isinstance(row, list | tuple | np.ndarray) and len(row) == 2 for row in edges
    ):
        return [row[0] for row in edges], [row[1] for row in edges]
    msg = (
        f"edges = {shown(edges)} must be (sources, targets), a tuple of two lists, or a list or "
        "array of rows (source, target)."
    )
    raise InputError(msg)


def weights_of(weights: Any, count: int, dtype: np.dtype[Any]) -> Array:
    """Return finite weights of edges in the graph's type: (count,).

    Raises
    ------
    GraphError, WeightError
        If their number differs from that of the edges; for the first that is not finite or does
        not fit the type.
    """
    if type(weights) is list and len(weights) == count <= _FEW:
        kind, low, high = _LIMITS[dtype]
        if all(type(weight) is kind and low <= weight <= high for weight in weights):
            return np.array(weights, dtype)
    own = isinstance(weights, np.ndarray) and weights.dtype == dtype and dtype.kind == "i"
    if own and weights.shape == (count,) and weights.flags.carray:
        ready: Array = weights
        return ready
    array = as_weights(np.atleast_1d(plain_array(weights, "weights", WeightError)))
    if len(array) != count:
        msg = f"weights has {len(array)} entries, but edges has {count}: one for each edge."
        raise GraphError(msg)
    if array.dtype == dtype and dtype.kind == "i":
        return array
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        at = int(np.argmin(np.isfinite(array)))
        if array[at] != np.inf:
            raise bad_weight(at, array)
        msg = f"weights[{at}] is infinite, which means that there is no edge: delete the edge."
        raise WeightError(msg)
    return array if array.dtype == dtype else fitting(array, dtype)


def fitting(weights: Array, dtype: np.dtype[Any]) -> Array:
    """Return weights of some edges in the type of a graph's weights, or raise WeightError."""
    try:
        return converted(weights, dtype)
    except WeightError as error:
        wider = "float64" if weights.dtype.kind == "f" else weights.dtype.name
        way = "round it, or use" if dtype.kind == "i" and wider == "float64" else "use"
        reason = str(error).partition(":")[0]
        msg = f"{reason}, the type of the graph's weights: {way} graph.astype({wider!r}) first."
        raise WeightError(msg) from None


def positions_of(position: ArrayLike | None, count: int) -> NDArray[np.int64]:
    """Return which of several parallel edges is meant: (count,) int64, -1 where None was given."""
    if position is None:
        return np.full(count, -1, np.int64)
    array = np.atleast_1d(plain_array(position, "position", InputError))
    if array.shape != (count,) or (count and array.dtype.kind not in "iu"):
        msg = f"position = {shown(position)} must be an integer for each of the {count} edges."
        raise InputError(msg)
    if (array < 0).any() or (array >= 2**62).any():
        at = int(np.argmax((array < 0) | (array >= 2**62)))
        msg = f"position[{at}] = {array[at]} must be 0 or more: 0 is the first of parallel edges."
        raise InputError(msg)
    return array.astype(np.int64)


def updates(
    graph: CsrGraph, edges: Any, weights: Any, position: Any, dtype: np.dtype[Any]
) -> Batch:
    """Return new weights of edges as a batch."""
    sources, targets = ends_of(graph, edges)
    lengths = weights_of(weights, len(sources), dtype)
    return _batch(UPDATE, sources, targets, position, lengths)


def insertions(graph: CsrGraph, edges: Any, weights: Any, dtype: np.dtype[Any]) -> Batch:
    """Return new edges as a batch."""
    sources, targets = ends_of(graph, edges)
    lengths = weights_of(weights, len(sources), dtype)
    return _batch(INSERT, sources, targets, None, lengths)


def deletions(graph: CsrGraph, edges: Any, position: Any, dtype: np.dtype[Any]) -> Batch:
    """Return edges that are removed as a batch."""
    sources, targets = ends_of(graph, edges)
    nothing = np.zeros(len(sources), dtype)
    return _batch(DELETE, sources, targets, position, nothing)


def _batch(kind: int, sources: Any, targets: Any, position: Any, weights: Array) -> Batch:
    positions = _ONLY_ONE if position is None else positions_of(position, len(sources))
    return Batch(_ALL_OF[kind], sources, targets, positions, weights)


def mixed(graph: CsrGraph, changes: Iterable[Any], dtype: np.dtype[Any]) -> Batch:
    """Return changes of several kinds as a batch.

    Parameters
    ----------
    changes : ``("update", source, target, weight)``, ``("insert", source, target, weight)`` and
        ``("delete", source, target)``; the first and the last may end with a position.
    """
    try:
        rows = list(changes)
    except TypeError:
        msg = f"changes = {shown(changes)} must be a list, such as [('update', 0, 1, 2.5)]."
        raise InputError(msg) from None
    listed = [_change(at, change) for at, change in enumerate(rows)]
    kinds = np.array([kind for kind, *_ in listed], np.int8)
    sources = graph.indices_of([row[1] for row in listed]) if listed else np.empty(0, np.int64)
    targets = graph.indices_of([row[2] for row in listed]) if listed else np.empty(0, np.int64)
    positions = np.full(len(listed), -1, np.int64)
    given = [at for at, row in enumerate(listed) if row[4] is not None]
    if given:
        positions[given] = positions_of([listed[at][4] for at in given], len(given))
    weights = np.zeros(len(listed), dtype)
    weighed = np.flatnonzero(kinds != DELETE)
    if weighed.size:
        weights[weighed] = weights_of([listed[at][3] for at in weighed], len(weighed), dtype)
    return Batch(kinds, sources, targets, positions, weights)


def _change(at: int, change: Any) -> tuple[int, Any, Any, Any, Any]:
    """Return kind, source, target, weight and position of a change in a batch."""
    is_named = isinstance(change, list | tuple) and change and isinstance(change[0], str)
    kind = _KINDS.get(change[0]) if is_named else None
    if kind is None or len(change) not in _ENTRIES[kind]:
        msg = (
            f"batch[{at}] = {shown(change)} must be ('update', source, target, weight), "
            "('insert', source, target, weight) or ('delete', source, target); updates and "
            "deletions may end with a position among parallel edges."
        )
        raise InputError(msg)
    rest = list(change[3:])
    weight = 0 if kind == DELETE else rest.pop(0)
    return kind, change[1], change[2], weight, rest[0] if rest else None
