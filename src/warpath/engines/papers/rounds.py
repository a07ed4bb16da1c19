"""Algorithms in rounds on a device: one kernel makes all of them, or the host starts each step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warpath.engines.base import Raw
from warpath.engines.cpu import refuse_overflow
from warpath.engines.cuda.rows import longest
from warpath.engines.papers.on_device import rounds_on_device
from warpath.engines.papers.run import Run
from warpath.engines.papers.settle import settle
from warpath.engines.potentials import labels_or_cycle

if TYPE_CHECKING:
    from warpath.engines.base import Device, Order


def rounds(order: Order, device: Device) -> Raw:
    """Run a loop of `IN_ROUNDS` from one source.

    If a solve does not converge, there is a negative cycle, whose vertices are found on the CPU.
    """
    graph, run = order.graph, Run(order, device)
    at_rest = solve(run)
    if not at_rest and order.recipe.exact:
        labels_or_cycle(graph, order.problem.sources, None)
        msg = f"{order.recipe.name} made {run.rounds} rounds and did not come to rest."
        raise RuntimeError(msg)
    if order.recipe.exact and longest(graph) >= 2**62:
        refuse_overflow(graph, order.problem, device.get(run.dist))
    return Raw(run.dist, stats={"rounds": run.rounds}, device=device)


def solve(run: Run) -> bool:
    """Solve by rounds; return whether they came to rest, which a negative cycle prevents."""
    return settle(run) if run.axes.host_driven else rounds_on_device(run)
