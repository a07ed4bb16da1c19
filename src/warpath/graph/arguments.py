"""What the calls take: vertices, a cutoff, a type; checked before anything runs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import InputError, NotSupportedError
from warpath.graph.checks import dtype_of, is_number, shown

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from warpath.graph.graph import Graph


def a_graph(given: Any) -> Graph:
    """Return a graph as it is, or raise InputError for anything else."""
    from warpath.graph.graph import Graph

    if not isinstance(given, Graph):
        msg = f"graph is a {type(given).__name__}: a Graph is needed, as Graph.of makes one."
        raise InputError(msg)
    return given


def as_indices(graph: Graph, vertices: Any, what: str) -> NDArray[np.int64]:
    """Return the indices of one or more vertices: (k,) int64; an empty list is refused."""
    indices = graph.index_of(vertices)
    if len(indices) == 0:
        msg = f"{what} is empty: name at least one vertex."
        raise InputError(msg)
    return indices


def one_index(graph: Graph, vertex: Any, what: str) -> int:
    """Return the index of exactly one vertex."""
    # Most calls name one so, and arrays of one number take 3 us of a small solve.
    if graph.labels is None and type(vertex) is int and 0 <= vertex < len(graph.indptr) - 1:
        return vertex
    indices = as_indices(graph, vertex, what)
    if len(indices) != 1:
        msg = (
            f"{what} names {len(indices)} vertices: one is needed; `warpath.distances` takes many."
        )
        raise InputError(msg)
    return int(indices[0])


def checked_cutoff(cutoff: float | None, graph: Graph) -> float | None:
    """Return the limit in the type of the distances."""
    if cutoff is None:
        return None
    if not is_number(cutoff) or not cutoff >= 0:  # as it is for NaN
        msg = f"cutoff = {shown(cutoff)} must be a number, 0 or more; None means no limit."
        raise InputError(msg)
    if cutoff == math.inf:
        return None
    if graph.dist_dtype.kind == "i":
        # Not math.floor, which makes a float of NumPy's integers first.
        whole = int(cutoff)
        return whole if whole < np.iinfo(np.int64).max else None
    try:
        with np.errstate(over="ignore"):
            limit = float(graph.dist_dtype.type(cutoff))
    except OverflowError:  # an integer beyond all floats
        return None
    return None if limit == math.inf else limit


def checked_dist_dtype(wanted: DTypeLike | None, graph: Graph) -> np.dtype[Any]:
    """Return the type of the answer: the graph's own, or int32 for integers."""
    own = graph.dist_dtype
    if wanted is None:
        return own
    named = dtype_of(wanted)
    if named is None:
        msg = f"dist_dtype={shown(wanted)} is no type of numbers; {own} or int32 are meant."
        raise InputError(msg)
    if named == own:
        return own
    if own.kind == "i" and named == np.int32:
        return np.dtype(np.int32)
    msg = (
        f"dist_dtype={named.name!r} is not possible: {graph.weight_dtype} weights give "
        f"{own} distances{', or int32' if own.kind == 'i' else ''}. See graph.astype."
    )
    raise NotSupportedError(msg)
