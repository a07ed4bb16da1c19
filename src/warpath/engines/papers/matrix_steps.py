"""Floyd-Warshall as published for GPUs: one thread per entry, one per row, or by tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warpath.engines.base import Raw
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
    from warpath.engines.base import Device, Order

_TILE = 32  # `kTile`
_SYNCHRONIZED = 256  # rounds between two waits, in which Ctrl-C can interrupt


def matrix_steps(order: Order, device: Device) -> Raw:
    """Run `Loop.MATRIX_STEPS`.

    Raises
    ------
    OverflowError
        If the weights are so large that a sum could leave 64 bits.
    """
    assert order.out is not None  # noqa: S101 - the caller's promise for APSP
    graph = order.graph
    if order.out.size == 0:
        return Raw(order.out, stats={"rounds": 0})
    if longest(graph) >= 2**61:
        msg = f"{graph.n:,} weights of this size could leave 64 bits"
        raise OverflowError(msg)
    lengths, potentials = lengths_and_potentials(graph)
    run = TableRun(order, device)
    weights = run.rows.weights if lengths is graph.solver_weights else device.put(lengths)
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
    each = _TILE if tiled else 1
    for k in range(0, run.n, each):
        step(k, dist, pred)
        done = run.counted() if run.traced else Counted()
        run.round("tile" if tiled else "vertex", min(each, run.n - k), done.relaxed, done.improved)
        if run.rounds % _SYNCHRONIZED == 0:
            run.device.synchronize()
        if run.order.progress is not None:
            run.order.progress(min(k + each, run.n), run.n)


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
