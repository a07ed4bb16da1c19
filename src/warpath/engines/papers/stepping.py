"""The stepping algorithms of Dong et al. on the CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpath import _core
from warpath.engines.base import Raw

if TYPE_CHECKING:
    from warpath.engines.base import Order

#: Of 128 to 4,096 the fastest on New York's roads; R-MAT graphs differ by a third.
_RHO_OF_A_THREAD = 256


def on_cpu(order: Order) -> Raw:
    """Run `Loop.STEPPING` on threads of the CPU."""
    graph = order.graph
    dist = np.empty(graph.n, graph.dist_dtype)
    delta = order.params.get("delta", 0)
    rho = 0 if delta else int(order.params.get("rho", _RHO_OF_A_THREAD * order.threads))
    stats = _core.stepping(
        graph.indptr, graph.indices, graph.solver_weights, order.problem.source, dist, delta=delta,
        rho=rho, threads=order.threads, complete=order.problem.cutoff is None,
        progress=order.progress,
    )  # fmt: skip
    return Raw(dist, stats=stats)
