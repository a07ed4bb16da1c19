"""Tables from an adjacency matrix on a device, as published for GPUs.

Floyd-Warshall with a thread for each entry, for each row, or by tiles; Dijkstra's algorithm with a
thread for each source, batch by batch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpath.engines.base import Raw
from warpath.engines.cpu import refuse_overflow
from warpath.engines.cuda.rows import longest
from warpath.engines.cuda.tables.johnson import restore
from warpath.engines.papers.run import Counted
from warpath.engines.papers.table_run import TableRun
from warpath.engines.potentials import lengths_and_potentials
from warpath.recipes.axes import Memory
from warpath.recipes.matrix import Relax

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.base.dtypes import Array
    from warpath.engines.base import Device, TableOrder

_TILE = 32  # `kTile`
_SYNCHRONIZED = 256  # rounds between two waits, in which Ctrl-C can interrupt

#: Vertices settled per source and launch: some tenths of a second at 10,000 vertices.
STEPS = 256
_TOGETHER = 32  # `kTogether` of thread_dijkstra.cuh


def matrix_steps(order: TableOrder, device: Device) -> Raw:
    """Run `Loop.MATRIX_STEPS`.

    Raises
    ------
    OverflowError
        If the weights are so large that a sum could leave 64 bits.
    """
    graph = order.graph
    if order.out.size == 0:
        return Raw(order.out, stats={"rounds": 0})
    if longest(graph) >= 2**61:
        msg = f"{graph.n:,} weights of this size could leave 64 bits"
        raise OverflowError(msg)
    lengths, potentials = lengths_and_potentials(graph)
    run = TableRun(order, device)
    weights = run.rows.weights if lengths is graph._solver_weights else device.put(lengths)
    integer = graph.dist_dtype.kind == "i"
    nothing = run.label(run.unreachable // 2 if integer else run.unreachable)
    dist, pred = run.lay_out(weights, nothing, paths=run.paths)
    _rounds(run, dist, pred)
    undo = None if potentials is None else device.put(potentials)
    sources = order.problem.sources
    for at in run.row_blocks(len(sources)):
        rows = device.put(sources[at])
        block = dist[rows]
        if integer:
            block = run.xp.where(block >= run.unreachable // 4, run.label(run.unreachable), block)
        if undo is not None:
            restore(device, block, undo, sources[at], None)
        run.deliver(at, block, None if pred is None else pred[rows])
    return Raw(order.out, stats={"rounds": run.rounds})


def _rounds(run: TableRun, dist: Array, pred: Array | None) -> None:
    """Relax every entry through every vertex, in rounds of one vertex or of one pivot tile."""
    steps = run.order.recipe.steps
    assert steps is not None  # noqa: S101 - every recipe with this loop has them
    tiled = steps.relax is Relax.TILE
    step = _by_tiles(run) if tiled else _by_vertices(run)
    side = _TILE if tiled else 1
    for k in range(0, run.n, side):
        step(k, dist, pred)
        done = run.counted() if run.traced else Counted()
        run.round("tile" if tiled else "vertex", min(side, run.n - k), done.relaxed, done.improved)
        if run.rounds % _SYNCHRONIZED == 0:
            run.device.synchronize()
        if run.order.progress is not None:
            run.order.progress(min(k + side, run.n), run.n)


def _by_vertices(run: TableRun) -> Callable[[int, Array, Array | None], None]:
    """Return a function that relaxes all entries through a vertex, in one launch."""
    steps = run.order.recipe.steps
    assert steps is not None  # noqa: S101 - see above
    rows = steps.relax is Relax.ROW
    policies = {"paths": run.paths, "traced": run.traced}
    if rows:
        kernel, blocks = run.kernel("floyd_row", **policies), run.blocks(run.n)
    else:
        shared = steps.memory is Memory.SHARED
        kernel = run.kernel("floyd_entry", shared=shared, **policies)
        blocks = run.n * run.blocks(run.n)

    def relax(k: int, dist: Array, pred: Array | None) -> None:
        with run.step("relax"):
            run.launch(kernel, run.n, blocks=blocks, k=k, dist=dist, pred=pred)

    return relax


def _by_tiles(run: TableRun) -> Callable[[int, Array, Array | None], None]:
    """Return a function that relaxes all entries through a tile's vertices, in three launches."""
    steps = run.order.recipe.steps
    assert steps is not None  # noqa: S101 - see above
    kind = "floyd_tile_shared" if steps.memory is Memory.SHARED else "floyd_tile"
    others = -(-run.n // _TILE) - 1
    phases = [
        (phase.lower(), run.kernel(kind, phase=phase, paths=run.paths, traced=run.traced), blocks)
        for phase, blocks in (("Pivot", 1), ("Cross", 2 * others), ("Rest", others**2))
    ]

    def relax(k: int, dist: Array, pred: Array | None) -> None:
        for name, kernel, blocks in phases:
            with run.step(name):
                run.launch(kernel, run.n, blocks=blocks, k=k, dist=dist, pred=pred)

    return relax


def thread_a_source(order: TableOrder, device: Device) -> Raw:
    """Run `Loop.THREAD_A_SOURCE`.

    Raises
    ------
    OverflowError
        If a distance does not fit its type.
    """
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
    bytes_of_source = run.n * (a_label + 1 + run.paths * run.rows.indices.itemsize)
    return max(1, min(len(run.sources), run.device.free_memory() * 3 // 4 // bytes_of_source))


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
