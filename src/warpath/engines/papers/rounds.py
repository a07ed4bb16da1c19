"""Algorithms in rounds on a device: one kernel makes all of them, or the host starts each step.

The stepping algorithms of Dong et al. also run on threads of the CPU, in a loop of the core.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpath import _core
from warpath.engines.base import Raw
from warpath.engines.cpu import refuse_overflow
from warpath.engines.cuda.rows import longest
from warpath.engines.papers.on_device import rounds_on_device
from warpath.engines.papers.run import Run
from warpath.engines.papers.settle import settle
from warpath.engines.potentials import labels_or_cycle

if TYPE_CHECKING:
    from warpath.engines.base import Device, Order


#: Of 128 to 4,096 the fastest on New York's roads; R-MAT graphs differ by a third.
_RHO_OF_A_THREAD = 256


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


def stepping(order: Order) -> Raw:
    """Run `Loop.STEPPING` on threads of the CPU."""
    graph = order.graph
    dist = np.empty(graph.n, graph.dist_dtype)
    delta = order.params.get("delta", 0)
    rho = 0 if delta else int(order.params.get("rho", _RHO_OF_A_THREAD * order.threads))
    stats = _core.stepping(
        *graph._solver_rows, order.problem.source, dist, delta=delta,
        rho=rho, threads=order.threads, complete=order.problem.cutoff is None,
        progress=order.progress,
    )  # fmt: skip
    return Raw(dist, stats=stats)
