"""A graph's rows for the kernel of a wide search: sorted by weight, hubs first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base import settings
from warpath.graph.derived import Derived
from warpath.graph.facts import rows_into

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.engines.base import Device
    from warpath.engines.cuda.tables.widths import Width
    from warpath.graph import Graph

#: Rows with more edges than this belong to hubs and are cut into runs, shared by the whole grid.
HUB = 512
#: Edges of a run, `kRun`.
RUN = 256
#: Edges sorted at once: keys, places and temporary memory take 50 bytes per edge.
_CHUNK = 2**26
#: A directed graph with more edges than this has no rows of in-edges on the device.
MOST_INTO = 2**28
_SAMPLE = 4096


@dataclass(frozen=True)
class WideRows:
    """Rows sorted by weight, on a device.

    Attributes
    ----------
    indptr : (n + 1,) int64.
    edges : (m, 2) of the weights' type: the weight, and the bits of the target's row number.
    into, sources : the same for in-edges; None if they would take too much memory.
    ranks : (n,) int32, the row of each vertex; None if that is the vertex's number.
    hubs : number of hubs, whose rows are the first ones.
    leaves : rows from this one on cannot lower a label.
    splitters : (15,) weights that split a sample of all weights into 16 equal parts.
    runs : number of runs of all hubs' rows.
    on_host : whether `edges` and `sources` are in memory of the host, as kernels' arguments.
    """

    indptr: Array
    edges: Array
    into: Array | None
    sources: Array | None
    ranks: Array | None
    hubs: int
    leaves: int
    splitters: Array
    runs: int
    on_host: bool = False

    @property
    def nbytes(self) -> int:
        """The bytes on the device; an array that is used twice counts once."""
        of_edges = [] if self.on_host else [self.edges, self.sources]
        arrays = [self.indptr, self.into, self.ranks, *of_edges]
        return sum(int(one.nbytes) for one in {id(a): a for a in arrays if a is not None}.values())


_ROWS: Derived[WideRows] = Derived(__name__, "ascending rows on a device")


def rows_of(graph: Graph, width: Width, device: Device) -> WideRows:
    """Return a graph's rows for weights of a width, made when first requested, in O(m log m)."""
    return _ROWS.of(graph, lambda: _rows(graph, width, device), device.name, width.weight)


def _rows(graph: Graph, width: Width, device: Device) -> WideRows:
    degrees = np.diff(graph.indptr)
    symmetric = rows_into(graph, settings.threads())[0] is graph
    ranks, hubs, leaves, runs = None, 0, graph.n, 0
    if graph.n and degrees.max() > HUB:
        # Labels of hubs are adjacent, so that caches hold them; vertices of low degree come last.
        order = np.argsort(-degrees, kind="stable")
        places = np.empty(graph.n, np.int32)
        places[order] = np.arange(graph.n, dtype=np.int32)
        ranks = device.put(places)
        hubs = int(np.count_nonzero(degrees > HUB))
        runs = int((degrees[degrees > HUB] // RUN + 1).sum())
        # A vertex of degree 1 in a symmetric graph gets its label over its only edge.
        leaves = int(np.count_nonzero(degrees > (1 if symmetric else 0)))
    indptr, edges = ascending(graph, width, device, ranks)
    into, sources = (indptr, edges) if symmetric else (None, None)
    if not symmetric and graph.m <= MOST_INTO:
        into, sources = ascending(graph.reversed(), width, device, ranks)
    splitters = device.put(splitters_of(graph).astype(width.weight))
    return WideRows(indptr, edges, into, sources, ranks, hubs, leaves, splitters, runs)


def splitters_of(graph: Graph) -> Array:
    """Return (15,) weights that split a sample of all weights into 16 equal parts, on the host."""
    if graph.m == 0:
        return np.zeros(15)
    sample = graph.solver_weights[np.random.default_rng(0).integers(graph.m, size=_SAMPLE)]
    return np.sort(sample)[np.arange(1, 16) * _SAMPLE // 16]


def ascending(
    graph: Graph, width: Width, device: Device, ranks: Array | None, own: int | None = None
) -> tuple[Array, Array]:
    """Return the rows in the order of the ranks, each sorted by weight.

    Parameters
    ----------
    own : only the rows of ranks below it are made; None for all of them.
    """
    xp: Any = device.xp
    before = device.put(graph.indptr)
    indptr, m = before, graph.m
    if ranks is not None:
        counts, places = before[1:] - before[:-1], ranks
        if own is not None:
            mine = ranks < own
            counts, places = counts[mine], ranks[mine]
        degrees = xp.zeros(len(counts) + 1, np.int64)
        degrees[1:][places] = counts
        indptr = xp.cumsum(degrees)
        m = int(indptr[-1])
    weight = np.dtype(width.weight)
    edges = xp.empty((m, 2), weight)
    bits = edges.view(f"u{weight.itemsize}")
    for first, last in chunks_of(graph.indptr, _CHUNK):
        begin, end = int(graph.indptr[first]), int(graph.indptr[last])
        targets = device.put(graph.indices[begin:end])
        weights = device.put(sortable(graph, graph.solver_weights[begin:end], weight))
        starts = before[first : last + 1]
        places = xp.arange(begin, end)
        row = xp.searchsorted(starts, places, side="right") - 1
        if ranks is not None and own is not None:
            mine = ranks[first:last][row] < own
            places, row, targets, weights = places[mine], row[mine], targets[mine], weights[mine]
        order = by_row_and_weight(xp, row, weights)
        if ranks is not None:
            places = indptr[ranks[first:last][row]] + (places - starts[row])
            targets = ranks[targets]
        # In some versions of CuPy, a[places] counts the entries of a in 32 bits; `put` never does.
        xp.put(edges[:, 0], places, weights[order], mode="wrap")
        xp.put(bits[:, 1], places, targets[order].astype(bits.dtype), mode="wrap")
    return indptr, edges


def sortable(graph: Graph, weights: Array, kind: np.dtype[Any]) -> Array:
    """Return weights on the host in a type, with 0 for -0, whose bits would not sort first.

    On the host, because CuPy flushes denormals.
    """
    here: Array = weights.astype(kind, copy=False)
    zeros = kind.kind == "f" and graph.facts(symmetry=False).zero > 0
    return here + kind.type(0) if zeros else here


def by_row_and_weight(xp: Any, row: Array, weights: Array) -> Array:
    """Return the order that sorts edges by row, then by weight."""
    order: Array
    if weights.dtype.itemsize == 4:
        order = xp.argsort((row << 32) | weights.view(np.uint32))
    else:
        order = xp.lexsort(xp.stack((weights, row.astype(weights.dtype))))
    return order


def chunks_of(indptr: Array, most: int) -> list[tuple[int, int]]:
    """Return (first, last) rows of chunks of at most so many edges, or of one row."""
    n, found, first = len(indptr) - 1, [], 0
    while first < n:
        last = int(np.searchsorted(indptr, indptr[first] + most, side="right")) - 1
        last = max(last, first + 1)
        if indptr[last] > indptr[first]:
            found.append((first, last))
        first = last
    return found
