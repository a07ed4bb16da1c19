"""Distances and predecessors that another program computed, as arrays of a graph."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base.dtypes import unreachable as largest_of
from warpath.base.errors import InputError, VerificationError
from warpath.graph.checks import as_float, is_number, on_host, shown
from warpath.graph.labels import one_label

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.graph import Graph


class Labels(NamedTuple):
    """Distances in the type of a graph.

    Attributes
    ----------
    graph : the graph, or the same with float64 weights for float64 sums of float32 weights.
    dist : (n,) in the distance type of that graph.
    slack : tolerance for distances that were rounded to fewer digits; else 0.
    """

    graph: Graph
    dist: Array
    slack: float


def labels_of(graph: Graph, dist: Any, unreachable: float | None) -> Labels:
    """Return distances of any integer or float type in the distance type of the graph.

    Parameters
    ----------
    unreachable : the value of vertices that were not reached, besides inf; None for the largest
        value of the type.

    Raises
    ------
    InputError
        If `unreachable` is no number, or the distances are not one number for each vertex, or
        beyond 64 bits.
    VerificationError
        If one is NaN or negative infinity, or has a fraction although all weights are integers.
    """
    if unreachable is not None and not is_number(unreachable):
        raise InputError(f"unreachable = {shown(unreachable)} must be a number or None.")
    array = _vector(graph, "dist", dist, "iuf")
    own, floats = graph.dist_dtype, array.dtype.kind == "f"
    largest = np.finfo(array.dtype).max if floats else np.iinfo(array.dtype).max
    mark = largest if unreachable is None else as_float(unreachable) if floats else unreachable
    with np.errstate(over="ignore"):  # a mark beyond the type is infinite in it
        missing = array == mark
    if floats:
        missing |= np.isposinf(array)
        if math.isnan(mark):
            missing |= np.isnan(array)
    values = np.where(missing, array.dtype.type(0), array)
    _refuse_no_distances(graph, values)
    if floats and own == np.float32 and (values.astype(own) != values).any():
        assert graph.weights is not None  # noqa: S101 - weights of 1 are integers
        graph = graph.with_weights(graph.weights.astype(np.float64))
        own = graph.dist_dtype
    labels = values.astype(own)
    labels[missing] = largest_of(own)
    return Labels(graph, labels, _slack(graph, values, own))


def _slack(graph: Graph, values: Array, own: np.dtype[Any]) -> float:
    """Return the rounding of sums in the coarser of two types: n * eps * the largest of them."""
    floats = [dtype for dtype in (values.dtype, own) if dtype.kind == "f"]
    if values.dtype == own or not floats:
        return 0
    eps = max(float(np.finfo(dtype).eps) for dtype in floats)
    largest = float(np.abs(values).max(initial=0))
    if len(floats) == 1:
        exact = largest <= 2 / eps  # all whole numbers up to there are exact
    else:
        exact = values.dtype.itemsize > own.itemsize and bool((values.astype(own) == values).all())
    if exact:
        return 0
    slack = graph.n * eps * largest
    return math.ceil(slack) if own.kind == "i" else slack


def _refuse_no_distances(graph: Graph, values: Array) -> None:
    """Raise an error for the first value that is no distance of the graph."""
    integer = graph.dist_dtype.kind == "i"
    if values.dtype.kind == "f":
        wrong = ~np.isfinite(values)
        said = "no distance may be NaN or -inf"
        if integer and not wrong.any():
            wrong = values != np.floor(values)
            said = "all weights are integers, and so are all distances"
        if wrong.any():
            vertex = int(np.flatnonzero(wrong)[0])
            value = values[vertex].item()
            msg = f"not verified: {said}; vertex {one_label(graph, vertex)!r} has dist {value}."
            raise VerificationError(msg, "label", {"vertex": vertex, "dist_v": value})
    wide = np.abs(values.astype(np.float64)) >= 2.0**63
    if integer and values.dtype != np.int64 and wide.any():
        vertex = int(np.flatnonzero(wide)[0])
        msg = (
            f"dist[{vertex}] = {values[vertex]} is beyond 64 bits: if it marks vertices that were "
            "not reached, give unreachable= that value."
        )
        raise InputError(msg)


def predecessors_of(graph: Graph, pred: Any, source: int) -> Array:
    """Return predecessors in the type of the graph's indices: -1 for none, also of the source.

    Negative numbers, the largest value of the type and, at the source, the source itself mean none.

    Raises
    ------
    InputError
        If they are not one vertex for each vertex.
    """
    array = _vector(graph, "pred", pred, "iu")
    none = (array < 0) | (array == np.iinfo(array.dtype).max)
    none[source] |= array[source] == source
    wrong = ~none & (array >= graph.n)
    if wrong.any():
        vertex = int(np.flatnonzero(wrong)[0])
        msg = (
            f"pred[{vertex}] = {array[vertex]} is not a vertex: give indices from 0 to "
            f"{graph.n - 1}, and -1 for none."
        )
        raise InputError(msg)
    result = np.full(graph.n, -1, graph.indices.dtype)
    result[~none] = array[~none]
    return result


def tree_fault(graph: Graph, source: int, labels: Array, pred: Array, slack: float) -> Any:
    """Return the rule that a tree breaks and the vertex, as the core does; None if it is one.

    O(m + n log n).

    Parameters
    ----------
    labels, pred : (n,) certified distances, and the predecessors.
    """
    reached = labels != largest_of(labels.dtype)
    expected = reached.copy()
    expected[source] = False
    tails = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    heads = graph.indices
    used = (pred[heads] == tails) & reached[tails]
    used &= (tails >= graph.first_through) | (tails == source)
    ends = heads[used]
    sums = labels[tails[used]] + graph._solver_weights[used]
    tight = np.zeros(graph.n, np.bool_)
    tight[ends[np.abs(sums - labels[ends]) <= labels.dtype.type(slack)]] = True
    wrong = (expected & ~tight) | (~expected & (pred >= 0))
    rule = "tight"
    if not wrong.any():
        ancestor = np.where(expected, pred, np.arange(graph.n))
        for _ in range(graph.n.bit_length()):
            ancestor = ancestor[ancestor]
        wrong, rule = reached & (ancestor != source), "cycle"
    if not wrong.any():
        return None
    vertex = int(np.flatnonzero(wrong)[0])
    return {"rule": rule, "vertex": vertex, "pred": int(pred[vertex])}


def _vector(graph: Graph, name: str, given: Any, kinds: str) -> Array:
    """Return a NumPy array of one number for each vertex."""
    try:
        array: Array = np.asarray(on_host(given))
    except ValueError as error:
        msg = f"{name} = {shown(given)} is not an array: {error}."
        raise InputError(msg) from None
    if array.dtype.kind not in kinds:
        numbers = "integers" if kinds == "iu" else "integers or floats"
        msg = f"{name} has type {array.dtype}: {numbers} are needed."
        raise InputError(msg)
    if array.shape != (graph.n,):
        msg = (
            f"{name} has shape {array.shape}, but this graph needs ({graph.n},): one number for "
            "each vertex."
        )
        raise InputError(msg)
    return array.astype(array.dtype.newbyteorder("="))
