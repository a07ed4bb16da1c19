"""Graphs from edges in Python containers: a tuple of arrays, or a list of tuples."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import GraphError, WeightError
from warpath.graph import Graph
from warpath.graph.checks import on_host, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from warpath.base.dtypes import Array

_INT64 = np.iinfo(np.int64)


def from_edges(
    data: tuple[Any, ...] | list[Any],
    *,
    n: int | None = None,
    directed: bool = True,
    **attributes: Any,
) -> Graph:
    """Make a graph from edges in Python containers.

    Parameters
    ----------
    data : a *tuple* ``(src, dst)`` or ``(src, dst, weights)`` of (m,) arrays, lists or columns; or
        ``(edge_index, weights)``, arrays or tensors of (2, m) and (m,), with weights that may be
        None; or a *list* of edges, each a tuple ``(u, v)`` or ``(u, v, weight)``. Integers in
        arrays are vertex indices. Integers in a list of edges are too if they are exactly
        0 .. n - 1 or if `n` is given; others become labels in ascending order, as in a table.
        Strings and other objects are labels, numbered in order of first appearance. Floats are
        refused.
    n : number of vertices, for indices only; by default the largest index plus 1.
    directed : False also stores the reverse of every edge.
    **attributes : ``labels``, ``id_base``, ``coordinates``, ``first_through``, ``name`` of `Graph`.

    Raises
    ------
    GraphError, WeightError
        An edge is not valid; the message has the position of the first one.

    Notes
    -----
    O(m); arrays of a graph's own types are read in place. Integer weights of up to 32 bits (but not
    uint32) and booleans become int32, other integers int64.
    """
    if isinstance(data, tuple):
        src, dst, weights = _columns(_split(data))
    else:
        src, dst, weights = _transposed(data)
    if len(src) != len(dst):
        msg = f"src has {len(src)} entries but dst has {len(dst)}: one per edge is needed."
        raise GraphError(msg)
    indices = isinstance(data, tuple) or n is not None or "labels" in attributes or not len(src)
    if isinstance(src, np.ndarray) and isinstance(dst, np.ndarray) and indices:
        return Graph.from_edges(src, dst, weights, n=n, directed=directed, **attributes)
    if n is not None:
        msg = (
            f"n = {n} was given, but the edges have vertices such as {src[0]!r}: n is for "
            f"indices 0 .. n - 1."
        )
        raise GraphError(msg)
    return Graph.from_labelled_edges(src, dst, weights, directed=directed, **attributes)


def from_iterable(data: Iterable[Any], **options: Any) -> Graph:
    """Make a graph from an iterator or a set of edges; see `from_edges` for lists."""
    return from_edges(list(data), **options)


def _split(data: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return ``(src, dst[, weights])``, splitting ``(edge_index[, weights])``."""
    if not 1 <= len(data) <= 2 or getattr(data[0], "ndim", 0) != 2 or data[0].shape[0] != 2:
        return data
    ends = on_host(data[0])
    return (ends[0], ends[1], *(part for part in data[1:] if part is not None))


def _columns(data: tuple[Any, ...]) -> tuple[Any, Any, Array | None]:
    if not 2 <= len(data) <= 3 or any(
        isinstance(part, tuple) or not _is_long(part) for part in data
    ):
        kinds = ", ".join(type(part).__name__ for part in data[:4])
        msg = (
            f"a tuple of {len(data)} ({kinds}{', ...' if len(data) > 4 else ''}) is not a graph: "
            "use (src, dst) or (src, dst, weights), each an array or a list, or put edges (u, v) "
            "into a list."
        )
        raise GraphError(msg)
    data = tuple(map(on_host, data))
    src, dst = _ends(data[0], "src"), _ends(data[1], "dst")
    if isinstance(src, np.ndarray) != isinstance(dst, np.ndarray) and len(src) and len(dst):
        src, dst = _as_list(src), _as_list(dst)
    weights = None
    if len(data) == 3:
        given = data[2]
        weights = weight_array(given, "weights[{}]".format) if isinstance(given, list) else given
    return src, dst, weights


def _is_long(part: Any) -> bool:
    return hasattr(part, "__len__") and not isinstance(part, str | bytes | dict | set)


def _as_list(ends: Array | list[Any]) -> list[Any]:
    return ends.tolist() if isinstance(ends, np.ndarray) else ends


def _transposed(edges: list[Any]) -> tuple[Any, Any, Array | None]:
    if not edges:
        nothing = np.empty(0, np.int64)
        return nothing, nothing, None
    width = len(edges[0]) if isinstance(edges[0], tuple) else 0
    for at, edge in enumerate(edges):
        if not isinstance(edge, tuple) or not 2 <= len(edge) <= 3 or len(edge) != width:
            raise _no_edge(at, edge, width)
    columns = list(zip(*edges, strict=True))
    src, dst = (
        _ends(list(column), f"edge {{}}: its {end}")
        for column, end in zip(columns[:2], ("source", "target"), strict=True)
    )
    if isinstance(src, np.ndarray) != isinstance(dst, np.ndarray):
        src, dst = _as_list(src), _as_list(dst)
    return src, dst, weight_array(columns[2], "edge {}: its weight".format) if width == 3 else None


def _no_edge(at: int, edge: Any, width: int) -> GraphError:
    if isinstance(edge, tuple) and 2 <= len(edge) <= 3:
        return GraphError(
            f"edge {at} is {edge!r}, but edge 0 has {width} entries: all edges must be (u, v), "
            f"or all (u, v, weight)."
        )
    shown = repr(edge)
    return GraphError(
        f"edge {at} is {shown[:60]}{'...' if len(shown) > 60 else ''}: the entries of a list must "
        "be tuples (u, v) or (u, v, weight). Arrays go into a tuple: (src, dst, weights)."
    )


def _ends(values: Any, where: str) -> Array | list[Any]:
    """Return indices as an integer array, labels as a list."""
    if not isinstance(values, list):
        array = np.asarray(values)
        if array.dtype.kind not in "OUST" or array.ndim != 1:
            return array  # Graph.from_edges checks the numbers
        values = array.tolist()
    kinds = set(map(type, values))
    for kind in kinds:
        named = not issubclass(kind, bool | type(None) | np.timedelta64)
        if not named or _is_real(kind) or kind.__name__ in _MISSING:
            at = next(at for at, value in enumerate(values) if type(value) is kind)
            location = where.format(at) if "{}" in where else f"{where}[{at}]"
            hint = (
                " Use int(...) or .astype(int) if it is a whole number." if _is_real(kind) else ""
            )
            msg = (
                f"{location} is {values[at]!r}: a vertex is an integer, or a label such as a "
                f"string.{hint}"
            )
            raise GraphError(msg)
    if not all(issubclass(kind, numbers.Integral) for kind in kinds):
        return [value.item() if isinstance(value, np.generic) else value for value in values]
    try:
        return np.array(values, np.int64)
    except OverflowError:
        at = next(at for at, value in enumerate(values) if not _INT64.min <= value <= _INT64.max)
        location = where.format(at) if "{}" in where else f"{where}[{at}]"
        msg = f"{location} = {values[at]} does not fit 63 bits."
        raise GraphError(msg) from None


# The types of pandas' missing values, by name: pandas may not be installed.
_MISSING = frozenset({"NAType", "NaTType"})


def _is_real(kind: type) -> bool:
    return issubclass(kind, numbers.Complex | np.floating) and not issubclass(
        kind, numbers.Integral
    )


def weight_array(values: Sequence[Any], place: Callable[[int], str]) -> Array:
    """Convert Python numbers to weights: int64 if all are integers, else float64.

    Parameters
    ----------
    values : (m,) ints and floats, NumPy's included; booleans count as 0 and 1.
    place : a function that describes the place of value i for the error ("edge 3: its weight").

    Raises
    ------
    WeightError
        For a value that is not a number, or an integer that does not fit 64 bits.
    """
    kinds = set(map(type, values))
    for kind in kinds:
        numeric = issubclass(kind, int | float | np.integer | np.float32 | np.float64 | np.bool_)
        if not numeric or issubclass(kind, np.timedelta64):
            at = next(at for at, value in enumerate(values) if type(value) is kind)
            value = f"{shown(values[at])} ({kind.__name__})"
            msg = f"{place(at)} is {value}: a weight is an int or a float."
            raise WeightError(msg)
    if any(issubclass(kind, float | np.floating) for kind in kinds):
        return np.array(values, np.float64)
    try:
        return np.array(values, np.int64)
    except OverflowError:
        at = next(at for at, value in enumerate(values) if not _INT64.min <= value <= _INT64.max)
        msg = f"{place(at)} = {values[at]} does not fit int64; use float64 weights."
        raise WeightError(msg) from None
