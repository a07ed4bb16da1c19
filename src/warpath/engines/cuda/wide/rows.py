"""A graph's rows for the kernel of a wide search: sorted by weight, hubs first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base import settings
from warpath.graph.derived import Derived
from warpath.graph.facts import rows_into
from warpath.planner import gpu_model, host_rows
from warpath.planner.host_rows import HOST_HUB, LEAST_SORTED, SORTING_BYTES

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.engines.base import Device
    from warpath.engines.cuda.tables.widths import Width
    from warpath.graph import Graph

HUB, RUN = gpu_model.HUB, host_rows.RUN
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
        return sum(
            int(array.nbytes) for array in {id(a): a for a in arrays if a is not None}.values()
        )


_ROWS: Derived[WideRows] = Derived(__name__, "ascending rows on a device")


def rows_of(graph: Graph, width: Width, device: Device) -> WideRows:
    """Return a graph's rows for weights of a width, made when first requested, in O(m log m)."""
    return _ROWS.of(graph, lambda: _rows(graph, width, device), device.name, width.weight)


def _ranked(
    graph: Graph, hub: int, device: Device, *, symmetric: bool
) -> tuple[Array | None, Array | None, int, int, int]:
    """Return the vertices in the order of rows, and their ranks on the device; None if unchanged.

    Also the number of hubs, the first row that cannot lower a label, and the runs of hubs' rows.

    Parameters
    ----------
    hub : vertices of more edges than this are hubs.
    """
    degrees = np.diff(graph.indptr)
    if not graph.n or degrees.max() <= hub:
        return None, None, 0, graph.n, 0
    # Labels of hubs are adjacent, so that caches hold them; vertices of low degree come last.
    order = np.argsort(-degrees, kind="stable")
    rank_of = np.empty(graph.n, np.int32)
    rank_of[order] = np.arange(graph.n, dtype=np.int32)
    large = degrees[degrees > hub]
    # A vertex of degree 1 in a symmetric graph gets its label over its only edge.
    leaves = int(np.count_nonzero(degrees > (1 if symmetric else 0)))
    return order, device.put(rank_of), len(large), leaves, int((large // RUN + 1).sum())


def _rows(graph: Graph, width: Width, device: Device) -> WideRows:
    symmetric = rows_into(graph, settings.threads())[0] is graph
    _, ranks, hubs, leaves, runs = _ranked(graph, HUB, device, symmetric=symmetric)
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
    sample = graph._solver_weights[np.random.default_rng(0).integers(graph.m, size=_SAMPLE)]
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
        counts, positions = before[1:] - before[:-1], ranks
        if own is not None:
            mine = ranks < own
            counts, positions = counts[mine], ranks[mine]
        degrees = xp.zeros(len(counts) + 1, np.int64)
        degrees[1:][positions] = counts
        indptr = xp.cumsum(degrees)
        m = int(indptr[-1])
    weight = np.dtype(width.weight)
    edges = xp.empty((m, 2), weight)
    bits = edges.view(f"u{weight.itemsize}")
    for first, last in chunks_of(graph.indptr, _CHUNK):
        begin, end = int(graph.indptr[first]), int(graph.indptr[last])
        targets = device.put(graph.indices[begin:end])
        weights = device.put(sortable(graph, graph._solver_weights[begin:end], weight))
        starts = before[first : last + 1]
        positions = xp.arange(begin, end)
        row = xp.searchsorted(starts, positions, side="right") - 1
        if ranks is not None and own is not None:
            mine = ranks[first:last][row] < own
            positions, row, targets, weights = (
                positions[mine],
                row[mine],
                targets[mine],
                weights[mine],
            )
        order = by_row_and_weight(xp, row, weights)
        if ranks is not None:
            positions = indptr[ranks[first:last][row]] + (positions - starts[row])
            targets = ranks[targets]
        # In some versions of CuPy, a[places] counts the entries of a in 32 bits; `put` never does.
        xp.put(edges[:, 0], positions, weights[order], mode="wrap")
        xp.put(bits[:, 1], positions, targets[order].astype(bits.dtype), mode="wrap")
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
    n, chunks, first = len(indptr) - 1, [], 0
    while first < n:
        last = int(np.searchsorted(indptr, indptr[first] + most, side="right")) - 1
        last = max(last, first + 1)
        if indptr[last] > indptr[first]:
            chunks.append((first, last))
        first = last
    return chunks


HOST_ROWS: Derived[WideRows] = Derived(__name__, "ascending rows in memory of the host")


def rows_on_host(graph: Graph, width: Width, device: Device) -> WideRows:
    """Return a graph's rows that stay in memory of the host, where the kernel reads them.

    Made when first requested, in O(m log m): the device sorts them in chunks that fit its memory.
    A warp reads 256 bytes of a row at a time, because the bus is slow for less: all rows of more
    than `HOST_HUB` edges count as those of hubs, which the kernel reads so.
    """
    return HOST_ROWS.of(
        graph, lambda: _rows_on_host(graph, width, device), device.name, width.weight
    )


def _rows_on_host(graph: Graph, width: Width, device: Device) -> WideRows:
    symmetric = rows_into(graph, settings.threads())[0] is graph
    order, ranks, hubs, leaves, runs = _ranked(graph, HOST_HUB, device, symmetric=symmetric)
    indptr = graph.indptr
    if order is not None:
        indptr = np.concatenate([[0], np.cumsum(np.diff(indptr)[order])])
    there = device.put(indptr)
    edges = device.mapped(_ascending_on_host(graph, width, device, (order, ranks), (indptr, there)))
    # Rows of in-edges would take as much memory again.
    into, sources = (there, edges) if symmetric else (None, None)
    splitters = device.put(splitters_of(graph).astype(width.weight))
    same = ranks, hubs, leaves, splitters, runs
    return WideRows(there, edges, into, sources, *same, on_host=True)


def _ascending_on_host(
    graph: Graph,
    width: Width,
    device: Device,
    ranked: tuple[Array | None, Array | None],
    indptr: tuple[Array, Array],
) -> Array:
    """Return (m, 2) edges in page-locked memory, each row sorted by weight.

    Parameters
    ----------
    ranked : the vertices in the order of rows on the host, and the row of each on the device; None
        if they are the same.
    indptr : of the rows, on the host and on the device.
    """
    xp: Any = device.xp
    (order, ranks), (here, there) = ranked, indptr
    weight = np.dtype(width.weight)
    edges = device.host_array(np.empty((graph.m, 2), weight))
    room = device.free_memory() // 4 // SORTING_BYTES
    for first, last in chunks_of(here, min(max(room, LEAST_SORTED), _CHUNK)):
        begin, end = int(here[first]), int(here[last])
        if order is None:
            chosen: Any = slice(begin, end)
        else:  # the edges of the rows' vertices, in the graph's order
            vertices = order[first:last]
            shift = graph.indptr[vertices] - here[first:last]
            chosen = np.repeat(shift, np.diff(here[first : last + 1])) + np.arange(begin, end)
        targets = device.put(graph.indices[chosen])
        weights = device.put(sortable(graph, graph._solver_weights[chosen], weight))
        row = xp.searchsorted(there[first : last + 1], xp.arange(begin, end), side="right") - 1
        ascending = by_row_and_weight(xp, row, weights)
        if ranks is not None:
            targets = ranks[targets]
        sorted_edges = xp.empty((end - begin, 2), weight)
        bits = sorted_edges.view(f"u{weight.itemsize}")
        sorted_edges[:, 0] = weights[ascending]
        bits[:, 1] = targets[ascending].astype(bits.dtype)
        device.get(sorted_edges, edges[begin:end])
    return edges
