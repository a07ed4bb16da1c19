"""A graph's rows for a wide search that stay in memory of the host, where the kernel reads them.

A warp reads 256 bytes of a row at a time, because the bus is slow for less: all rows of more than
some vertices count as those of hubs, which the kernel reads so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base import settings
from warpath.engines.cuda.wide.rows import (
    RUN,
    WideRows,
    by_row_and_weight,
    chunks_of,
    sortable,
    splitters_of,
)
from warpath.graph.derived import Derived
from warpath.graph.facts import rows_into
from warpath.planner.host_rows import HOST_HUB, SORTING_BYTES

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.engines.base import Device
    from warpath.engines.cuda.tables.widths import Width
    from warpath.graph import Graph

#: Edges sorted at once: at least so many, and at most so many.
_LEAST_CHUNK, _CHUNK = 2**18, 2**26

_ROWS: Derived[WideRows] = Derived(__name__, "ascending rows in memory of the host")


def rows_on_host(graph: Graph, width: Width, device: Device) -> WideRows:
    """Return a graph's rows for weights of a width, made when first requested, in O(m log m).

    The device sorts them in chunks that fit its memory.
    """
    return _ROWS.of(graph, lambda: _rows(graph, width, device), device.name, width.weight)


def _rows(graph: Graph, width: Width, device: Device) -> WideRows:
    degrees = np.diff(graph.indptr)
    order, ranks, hubs, leaves, runs = None, None, 0, graph.n, 0
    symmetric = rows_into(graph, settings.threads())[0] is graph
    if graph.n and degrees.max() > HOST_HUB:
        order = np.argsort(-degrees, kind="stable")
        places = np.empty(graph.n, np.int32)
        places[order] = np.arange(graph.n, dtype=np.int32)
        ranks = device.put(places)
        hubs = int(np.count_nonzero(degrees > HOST_HUB))
        runs = int((degrees[degrees > HOST_HUB] // RUN + 1).sum())
        # A vertex of degree 1 in a symmetric graph gets its label over its only edge.
        leaves = int(np.count_nonzero(degrees > (1 if symmetric else 0)))
        indptr = np.concatenate([[0], np.cumsum(degrees[order])])
    else:
        indptr = graph.indptr
    there = device.put(indptr)
    edges = device.mapped(_ascending(graph, width, device, (order, ranks), (indptr, there)))
    # Rows of in-edges would take as much memory again.
    into, sources = (there, edges) if symmetric else (None, None)
    splitters = device.put(splitters_of(graph).astype(width.weight))
    same = ranks, hubs, leaves, splitters, runs
    return WideRows(there, edges, into, sources, *same, on_host=True)


def _ascending(
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
    for first, last in chunks_of(here, min(max(room, _LEAST_CHUNK), _CHUNK)):
        begin, end = int(here[first]), int(here[last])
        if order is None:
            chosen: Any = slice(begin, end)
        else:  # the edges of the rows' vertices, in the graph's order
            vertices = order[first:last]
            shift = graph.indptr[vertices] - here[first:last]
            chosen = np.repeat(shift, np.diff(here[first : last + 1])) + np.arange(begin, end)
        targets = device.put(graph.indices[chosen])
        weights = device.put(sortable(graph, graph.solver_weights[chosen], weight))
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
