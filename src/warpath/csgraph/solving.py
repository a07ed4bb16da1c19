"""Rows and tables of distances: by a plan, or directly if planning would take longer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpath import _core
from warpath.api.calls import apsp, distances, sssp
from warpath.base import settings
from warpath.base.errors import DistanceOverflowError
from warpath.base.settings import threads
from warpath.csgraph.errors import raising_scipys
from warpath.csgraph.matrices import MatrixEdges
from warpath.csgraph.results import as_floats, as_predecessors, prefer_sources
from warpath.engines import cpu
from warpath.engines.base import Problem, TableOrder
from warpath.graph import Graph
from warpath.graph.arguments import checked_cutoff
from warpath.graph.csr import kept_rows
from warpath.recipes import CATALOGUE, Task
from warpath.results.predecessors import tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.base.dtypes import Array


#: (n + m) * sources; a search of less work is faster than planning, which takes 0.2 ms.
_SMALL = 2**15
_AT_ONCE = CATALOGUE["classic.dijkstra.radix_heap"]


def solved(
    edges: MatrixEdges,
    sources: Array,
    *,
    predecessors: bool,
    cutoff: float | None = None,
    algorithm: str | None = None,
) -> tuple[Array, Array | None]:
    """Return distances, (k, n) float64, and predecessors if requested, (k, n) int32, as SciPy does.

    Parameters
    ----------
    algorithm : for negative weights; Bellman-Ford by default. Other weights use a plan.
    """
    graph = edges.graph
    shape = len(sources), graph.n
    if 0 in shape:
        return np.empty(shape), np.empty(shape, np.int32) if predecessors else None
    with raising_scipys():
        if algorithm is None and edges.signed:
            # "auto" may choose Johnson, which adds negative floats in another order.
            algorithm = "classic.bellman_ford"
        small = (graph.n + graph.m) * len(sources) < _SMALL
        if algorithm is None and small:
            dist, pred = _at_once(graph, sources, cutoff, predecessors=predecessors)
        elif len(sources) == 1 and algorithm != "classic.johnson":
            s = int(sources[0])
            paths = sssp(graph, s, algorithm=algorithm or "auto", cutoff=cutoff)
            dist, pred = paths.dist, None
            if predecessors:
                predecessors_of_row = (
                    paths.pred if edges.signed else tree(graph, s, dist, threads(), once=True)
                )
                pred = predecessors_of_row[None]
        else:
            table = distances(
                graph,
                sources,
                algorithm=algorithm or "auto",
                cutoff=cutoff,
                predecessors=predecessors,
            )
            dist, pred = table.dist, table.pred
    floats = as_floats(dist).reshape(shape)
    if pred is None:
        return floats, None
    before = as_predecessors(pred)
    prefer_sources(graph, sources, dist.reshape(shape), before)
    return floats, before


def _at_once(
    graph: Graph, sources: Array, cutoff: float | None, *, predecessors: bool
) -> tuple[Array, Array | None]:
    """Run Dijkstra on one thread; weights are >= 0."""
    dist = np.empty((len(sources), graph.n), graph.dist_dtype)
    cutoff = checked_cutoff(cutoff, graph)
    cpu.run(TableOrder(_AT_ONCE, graph, Problem(Task.MANY, sources, None, cutoff), 1, {}, dist))
    if not predecessors:
        return dist, None
    rows = zip(sources.tolist(), dist, strict=True)
    return dist, np.stack([tree(graph, s, row, once=True) for s, row in rows])


_FAR = np.iinfo(np.int32).max
_WHOLE = _FAR // 4  # sums of smaller lengths fit 32 bits
_EXACT = 2**53  # smaller sums of integers are the same in int64 and in float64
_UNKNOWN = -2  # the core's mark for a predecessor that the lengths do not determine


def closed(lengths: Array, *, predecessors: bool = False) -> Array | None:
    """Replace lengths by distances between all pairs; return predecessors if requested.

    Parameters
    ----------
    lengths : (n, n) float64, C-contiguous; inf where there is no edge, 0 on the diagonal.

    Raises
    ------
    NegativeCycleError
    """
    if len(lengths) == 0:
        return np.empty((0, 0), np.int32) if predecessors else None
    if lengths.min() < 0:
        return _signed(lengths, predecessors=predecessors)
    edges = lengths.copy() if predecessors else None
    narrow = _in_32_bits(lengths)
    _core.floyd_warshall(lengths if narrow is None else narrow, threads=settings.threads())
    if narrow is not None:
        np.copyto(lengths, narrow)
        lengths[narrow == _FAR] = np.inf
    return None if edges is None else _tree(edges, lengths)


def _signed(lengths: Array, *, predecessors: bool) -> Array | None:
    graph = _graph(lengths)
    try:
        table = apsp(graph, predecessors=predecessors)
    except DistanceOverflowError:  # potentials do not fit; Bellman-Ford does not need them
        table = distances(
            graph, np.arange(graph.n), algorithm="classic.bellman_ford", predecessors=predecessors
        )
    lengths[:] = as_floats(table.dist)
    if table.pred is None:
        return None
    pred = as_predecessors(table.pred)
    prefer_sources(graph, table.source_indices, table.dist, pred)
    return pred


def _tree(edges: Array, dist: Array) -> Array:
    """Return the predecessors of all pairs; rows with edges of length 0 are solved again."""
    pred = np.empty(dist.shape, np.int32)
    _core.dense_tree(edges, dist, pred, threads=settings.threads())
    unknown = np.flatnonzero((pred == _UNKNOWN).any(axis=1))
    pred = as_predecessors(pred)
    if len(unknown):
        rows = MatrixEdges(_graph(edges), negative=False, signed=False)
        pred[unknown] = solved(rows, unknown, predecessors=True)[1]  # type: ignore[assignment]
    return pred


def _in_32_bits(lengths: Array) -> NDArray[np.int32] | None:
    """Return small integer lengths as int32, which takes half of the time; None for others."""
    some = lengths[0][lengths[0] != np.inf]
    if not np.array_equal(some, np.trunc(some)):  # a cheap test for fractions
        return None
    absent = lengths == np.inf
    if np.where(absent, 0, lengths).max() > _WHOLE // len(lengths):
        return None
    with np.errstate(invalid="ignore"):  # the cast of inf
        narrow = lengths.astype(np.int32)
    if not ((narrow == lengths) | absent).all():
        return None
    narrow[absent] = _FAR
    return narrow


def _graph(lengths: Array) -> Graph:
    """Return the graph of the finite lengths, with integer weights if the distances are equal."""
    present = lengths != np.inf
    np.fill_diagonal(present, val=False)
    indptr = np.concatenate(([0], np.cumsum(np.count_nonzero(present, axis=1))))
    indices = np.nonzero(present)[1].astype(np.int32)
    weights = lengths[present]
    largest = np.abs(weights).max(initial=0)
    # The size is tested first: the cast of larger floats is undefined.
    if largest < _EXACT // len(lengths) and np.array_equal(weights, np.trunc(weights)):
        weights = weights.astype(np.int32 if largest <= _FAR else np.int64)
    return Graph(*kept_rows(indptr, indices, weights, copied=False))
