"""Validation of arguments that calls share: graph, vertices, cutoff, type of distances."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base import units
from warpath.base.errors import GraphError, InputError, NotSupportedError
from warpath.graph.checks import dtype_of, is_number, on_host, shown
from warpath.graph.detached import DetachedGraph, needs_graph
from warpath.graph.places import Snapped

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from warpath.graph.graph import Graph

_FEW = 16  # vertices that are looked at one by one in less time than as an array


def a_graph(given: Any) -> Graph:
    """Return the argument if it is a Graph, else raise InputError."""
    from warpath.graph.graph import Graph

    if isinstance(given, DetachedGraph):
        raise needs_graph("this call")
    if not isinstance(given, Graph):
        msg = f"graph is a {type(given).__name__}: a Graph is needed; Graph.of makes one."
        raise InputError(msg)
    return given


def as_indices(graph: Graph, vertices: Any, what: str, *, empty: bool = False) -> NDArray[np.int64]:
    """Return the indices of vertices: (k,) int64; an empty list is refused without `empty`."""
    # A fast path for a few vertices, as in `one_index`.
    few = None if graph.labels is not None else _a_few(vertices)
    if few and set(map(type, few)) == {int} and min(few) >= 0 and max(few) < graph.n:
        return np.array(few, np.int64)
    if hasattr(vertices, "__cuda_array_interface__"):
        vertices = on_host(vertices)
    indices = vertices.indices if type(vertices) is Snapped else graph.indices_of(vertices, what)
    if len(indices) == 0 and not empty:
        msg = f"{what} is empty: name at least one vertex."
        raise InputError(msg)
    return indices


def _a_few(vertices: Any) -> list[Any] | None:
    """Return an int or the entries of a short list or array as a list; None for the rest."""
    if type(vertices) is int:
        return [vertices]
    if type(vertices) is list:
        return vertices if len(vertices) <= _FEW else None
    if type(vertices) is not np.ndarray or vertices.ndim != 1 or len(vertices) > _FEW:
        return None
    return vertices.tolist() if vertices.dtype.kind in "iu" else None


def distinct(vertices: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct vertices in ascending order, and the position of each vertex in them."""
    if len(vertices) > _FEW:
        return np.unique(vertices, return_inverse=True)
    listed = vertices.tolist()  # a fourth of the time of np.unique
    position = {vertex: at for at, vertex in enumerate(sorted(set(listed)))}
    positions = [position[vertex] for vertex in listed]
    return np.array(list(position), np.int64), np.array(positions, np.int64)


def one_index(graph: Graph, vertex: Any, what: str) -> int:
    """Return the index of exactly one vertex."""
    # A fast path for most calls: an array of one number would take 3 us of a small solve.
    if graph.labels is None and type(vertex) is int and 0 <= vertex < graph.n:
        return vertex
    indices = as_indices(graph, vertex, what)
    if len(indices) != 1:
        msg = (
            f"{what} names {len(indices)} vertices: one is needed; `warpath.distances` takes many."
        )
        raise InputError(msg)
    return int(indices[0])


def with_unit(cutoff: str, graph: Graph, name: str = "cutoff") -> float:
    """Return a cutoff such as "10min" in the unit of a graph's weights."""
    try:
        return units.quantity(cutoff, graph.unit)
    except ValueError as error:
        msg = f"{name} = {shown(cutoff)} {error}."
        raise InputError(msg) from None


def checked_cutoff(cutoff: float | str | None, graph: Graph, name: str = "cutoff") -> float | None:
    """Return the cutoff in the type of the distances, or None for no limit."""
    if cutoff is None:
        return None
    if isinstance(cutoff, str):
        cutoff = with_unit(cutoff, graph, name)
    if not is_number(cutoff) or not cutoff >= 0:  # also true for NaN
        msg = f"{name} = {shown(cutoff)} must be a number, 0 or more; None means no limit."
        raise InputError(msg)
    if cutoff == math.inf:
        return None
    if graph.dist_dtype.kind == "i":
        # Not math.floor, which converts NumPy's integers to float first.
        whole = int(cutoff)
        return whole if whole < np.iinfo(np.int64).max else None
    try:
        with np.errstate(over="ignore"):
            limit = float(graph.dist_dtype.type(cutoff))
    except OverflowError:  # an integer beyond all floats
        return None
    return None if limit == math.inf else limit


def in_place_of_weights(graph: Graph, given: Any, name: str, noun: str) -> Graph:
    """Return the graph with other numbers of edges as weights, as `Graph.with_weights` takes them.

    Parameters
    ----------
    name, noun : of the argument and of its numbers, for messages.
    """
    try:
        other = graph.with_weights(given)
    except (GraphError, InputError) as error:
        message = f"{name}: {error}".replace(f"{name}: weights", name, 1)
        raise type(error)(message) from None
    if other.m < graph.m:
        raise GraphError(
            f"{name}: {graph.m - other.m:,} {noun}s are inf, and every edge needs a finite one. "
            f"Remove these edges by graph.without_edges, or give them a {noun} beyond the limit."
        )
    return other


def checked_dist_dtype(wanted: DTypeLike | None, graph: Graph) -> np.dtype[Any]:
    """Return the type of the distances: the graph's own, or int32 for integers if requested."""
    own = graph.dist_dtype
    if wanted is None:
        return own
    or_int32 = " or int32" if own.kind == "i" else ""
    named = dtype_of(wanted)
    if named is None:
        msg = f"dist_dtype={shown(wanted)} is not a type of numbers; use {own}{or_int32}."
        raise InputError(msg)
    if named == own:
        return own
    if own.kind == "i" and named == np.int32:
        return np.dtype(np.int32)
    msg = (
        f"dist_dtype={named.name!r} is not possible: {graph.weight_dtype} weights give "
        f"{own}{or_int32} distances. See graph.astype."
    )
    raise NotSupportedError(msg)
