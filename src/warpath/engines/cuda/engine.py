"""The CUDA engine: round-based recipes, their loops on the host and their kernels on a device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warpath import _core
from warpath.engines import rounds
from warpath.engines.base import Raw
from warpath.engines.cpu import labels_or_cycle
from warpath.engines.tables.blocks_of_sources import block_a_source
from warpath.engines.tables.dense import floyd_warshall
from warpath.engines.tables.pairs import pairs
from warpath.engines.tables.reweighted import johnson
from warpath.recipes import Loop

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.engines.base import Device, Order
    from warpath.graph import Graph

LOOPS: dict[Loop, Callable[[rounds.Run], bool]] = {
    Loop.SWEEPS: rounds.sweeps,
    Loop.FRONTIER: rounds.frontier,
    Loop.NEAR_FAR: rounds.near_far,
    Loop.BUCKETS: rounds.buckets,
    Loop.SETTLE: rounds.settle,
}

#: The loops of many-to-many and of all pairs.
TABLES: dict[Loop, Callable[[Order, Device], Raw]] = {
    Loop.BLOCK_A_SOURCE: block_a_source,
    Loop.FLOYD_WARSHALL: floyd_warshall,
    Loop.JOHNSON: johnson,
    Loop.PAIRS: pairs,
}


def run(order: Order, device: Device) -> Raw:
    """Run one order on a device; see `warpath.engines.base.Engine`.

    A negative cycle shows as a solve that does not come to rest; which vertices it has is then
    found on the CPU.
    """
    if order.recipe.loop in TABLES:
        return TABLES[order.recipe.loop](order, device)
    graph = order.graph
    solve = rounds.Run(order, device)
    at_rest = LOOPS[order.recipe.loop](solve)
    if not at_rest and order.recipe.exact:
        labels_or_cycle(graph, order.problem.sources, None)
        msg = f"{order.recipe.name} made {solve.rounds} rounds and did not come to rest."
        raise RuntimeError(msg)
    dist = device.get(solve.dist)
    if order.recipe.exact and _sums_may_not_fit(graph):
        _core.refuse_overflow(graph.indptr, graph.indices, graph.solver_weights, dist)
    return Raw(dist, stats={"rounds": solve.rounds})


def _sums_may_not_fit(graph: Graph) -> bool:
    facts = graph.facts(symmetry=False)
    largest = max(abs(facts.min_weight), abs(facts.max_weight))
    return facts.integer and largest * max(facts.n, 1) >= 2**62
