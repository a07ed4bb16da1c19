"""A list of improved vertices, relaxed whole in every round: the workfront."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpath.engines.rounds.lists import Lists
from warpath.engines.rounds.run import kept, resident
from warpath.recipes.axes import Edges, Emit, Map

if TYPE_CHECKING:
    from warpath.engines.base import Array
    from warpath.engines.cuda.entry import Kernel
    from warpath.engines.rounds.run import Run


def frontier(run: Run) -> bool:
    """Run `Loop.FRONTIER`; return whether it came to rest, which a negative cycle prevents."""
    return _by_prefix_sum(run) if run.axes.emit is Emit.PREFIX_SUM else _by_queue(run)


def _by_prefix_sum(run: Run) -> bool:
    lists = Lists(run)
    queue, count = run.list_of(run.order.problem.source), 1
    none = run.label(0)
    while count:
        if run.rounds > run.n:
            return False
        total, selected = lists.expand(queue, count), count
        count, _ = lists.split(lists.slots, total, none, run.label(run.never), queue, queue)
        relaxed, improved, _ = run.counted() if run.traced else (0, 0, 0)
        run.round("workfront", selected, relaxed, improved, queue=count)
    return True


def _by_queue(run: Run) -> bool:
    """Two queues that change places; a vertex joins the next one once a round."""
    xp, source = run.xp, run.order.problem.source
    push = run.push_kernel("EmitQueue")
    queue, queued, count = run.list_of(source), run.list_of(), 1
    stamps = xp.zeros(run.n, np.int32)
    state = xp.zeros(2, np.int64)  # the length of the next queue; a loop of negative weight
    loop = state[1:].view(np.int32)
    classified = run.axes.edges is Edges.CLASSIFIED
    classes = None
    if classified:
        classes = kept(run.order.graph, "vertex classes", run.device, lambda: _classes(run))
    pull = run.kernel("pull", bounds="GlobalBounds", traced=run.traced) if classified else None
    while count:
        if run.rounds > run.n:
            return False
        state.fill(0)
        blocks = count if run.axes.map is Map.CHILD_GRID else run.blocks(count)
        with run.step("relax"):
            run.launch(
                push, count, blocks=blocks, list=queue, **run.rows.named(),
                **{"from": run.dist}, dist=run.dist, classes=classes, source=source,
                negative_loop=loop, queue=queued, queue_size=state, stamps=stamps,
                round=run.rounds + 1,
            )  # fmt: skip
        selected = count
        count, looped = run.read(state)
        relaxed, improved, _ = run.counted() if run.traced else (0, 0, 0)
        run.round("queue", selected, relaxed, improved, queue=count)
        if looped:
            return False
        queue, queued = queued, queue
    if pull is not None:
        if run.device.get(run.dist[source : source + 1])[0] < 0:
            return False  # its edges start from 0 whatever its label, so the cycle was left once
        _assign_leaves(run, pull)
    return True


def _classes(run: Run) -> Array:
    """Return a byte for each vertex: 1 where one edge enters, 2 where none leaves."""
    rows = np.diff(run.order.graph.indptr)
    entering = np.diff(run.order.graph.reversed().indptr)
    return run.device.put((1 * (entering == 1) + 2 * (rows == 0)).astype(np.uint8))


def _assign_leaves(run: Run, pull: Kernel) -> None:
    """Give vertices without out-edges their labels, which no other label depends on."""
    graph = run.order.graph
    leaf = np.diff(graph.indptr) == 0
    leaf[run.order.problem.source] = False
    if not leaf.any():
        return
    entering = resident(graph, run.device, reverse=True)
    flags, others = (run.device.put(which.astype(np.uint8)) for which in (leaf, ~leaf))
    with run.step("leaves"):
        run.launch(pull, run.n, **entering.named(), dist=run.dist, frontier=others, unsettled=flags)
    relaxed, improved, _ = run.counted() if run.traced else (0, 0, 0)
    run.round("leaves", int(leaf.sum()), relaxed, improved)
