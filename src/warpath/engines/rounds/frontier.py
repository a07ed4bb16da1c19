"""A list of improved vertices, relaxed whole in every round: the workfront."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warpath.engines.rounds.lists import Expansion, Splitter
from warpath.recipes.axes import Emit

if TYPE_CHECKING:
    from warpath.engines.rounds.run import Run


def frontier(run: Run) -> bool:
    """Run `Loop.FRONTIER`; return whether it came to rest, which a negative cycle prevents."""
    queued = run.axes.emit is Emit.ATOMIC_QUEUE
    expansion = Expansion(run)
    splitter = None if queued else Splitter(run)
    queue, count = run.list_of(run.order.problem.source), 1
    lowest, unreachable = run.lowest, run.label(run.unreachable)
    while count:
        if run.rounds > run.n:
            return False
        selected, count = count, expansion.expand(queue, count)
        if splitter is None:
            queue, expansion.items = expansion.items, queue
        else:
            count, _ = splitter.split(expansion.items, count, lowest, unreachable, queue, queue)
        relaxed, improved, _ = run.counted() if run.traced else (0, 0, 0)
        run.round("queue" if queued else "workfront", selected, relaxed, improved, queue=count)
    return expansion.finish()
