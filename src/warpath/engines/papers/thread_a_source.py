"""One thread per source: Dijkstra's algorithm on an adjacency matrix, batch by batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpath.engines.base import Raw
from warpath.engines.cpu import refuse_overflow
from warpath.engines.cuda.rows import longest
from warpath.engines.papers.run import Counted
from warpath.engines.papers.table_run import TableRun

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.engines.base import Device, Order

#: Vertices settled per source and launch: some tenths of a second at 10,000 vertices.
STEPS = 256
_TOGETHER = 32  # `kTogether` of thread_dijkstra.cuh


def thread_a_source(order: Order, device: Device) -> Raw:
    """Run `Loop.THREAD_A_SOURCE`.

    Raises
    ------
    OverflowError
        If a distance does not fit its type.
    """
    assert order.out is not None  # noqa: S101 - the caller's promise for MANY and APSP
    sources = order.problem.sources
    if order.out.size == 0:
        return Raw(order.out, stats={"rounds": 0})
    run = TableRun(order, device)
    matrix, _ = run.lay_out(run.rows.weights, run.label(run.unreachable), paths=False)
    batch = _batch(run)
    done = Counted()
    for first in range(0, len(sources), batch):
        at = slice(first, min(first + batch, len(sources)))
        _fill(run, matrix, at)
        if run.traced:
            done = Counted(*map(sum, zip(done, run.counted(), strict=True)))
        if order.progress is not None:
            order.progress(at.stop, len(sources))
    run.round("search", done.selected, done.relaxed, done.improved, done.read)
    return Raw(order.out, stats={"rounds": run.n})


def _batch(run: TableRun) -> int:
    """Return how many sources fit the device at a time: labels, flags, and predecessors."""
    a_label = np.dtype(run.label).itemsize
    each = run.n * (a_label + 1 + run.paths * run.rows.indices.itemsize)
    return max(1, min(len(run.sources), run.device.free_memory() * 3 // 4 // each))


def _fill(run: TableRun, matrix: Array, at: slice) -> None:
    """Search from a batch of sources and output its rows; frees the batch's memory on return."""
    _deliver(run, at, *_search(run, matrix, run.sources[at]))


def _search(run: TableRun, matrix: Array, sources: Array) -> tuple[Array, Array | None]:
    """Return the labels and the predecessors of a batch: (n, b) each, on the device.

    The labels of a vertex are next to each other, because the threads of a warp search from
    consecutive sources and read the same vertices.
    """
    xp, count = run.xp, len(sources)
    kernel = run.kernel("thread_dijkstra", paths=run.paths, traced=run.traced)
    rows = -(-run.n // _TOGETHER) * _TOGETHER
    dist = xp.full((rows, count), run.unreachable, run.label)
    dist[run.device.put(sources), xp.arange(count)] = 0
    visited = xp.zeros((rows, count), np.uint8)
    visited[run.n :] = 1
    pred = xp.full((run.n, count), -1, run.rows.indices.dtype) if run.paths else None
    left = xp.ones(1, np.int32)
    launches = 0
    with run.step("search"):
        while run.device.get(left)[0]:
            run.must_end_within(run.n // STEPS + 2, launches)
            left.fill(0)
            run.launch(
                kernel,
                count,
                blocks=-(-count // (kernel.threads or run.device.block)),
                n=run.n,
                steps=STEPS,
                matrix=matrix,
                dist=dist,
                visited=visited,
                pred=pred,
                left=left,
            )
            launches += 1
    return dist[: run.n], pred


def _deliver(run: TableRun, at: slice, dist: Array, pred: Array | None) -> None:
    """Output the columns of a batch as rows."""
    graph, xp = run.order.graph, run.xp
    for part in run.row_blocks(at.stop - at.start):
        rows = slice(at.start + part.start, at.start + part.stop)
        block = xp.ascontiguousarray(dist[:, part].T)
        if longest(graph) >= 2**62:
            for row in run.device.get(block):
                refuse_overflow(graph, run.order.problem, row)
        run.deliver(rows, block, None if pred is None else xp.ascontiguousarray(pred[:, part].T))
