"""The CUDA engine: round-based recipes, their loops on the host and their kernels on a device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warpath import _core
from warpath.engines.base import Raw
from warpath.engines.cpu import labels_or_cycle
from warpath.engines.patches import patches
from warpath.engines.rounds import LOOPS, Run
from warpath.engines.tables.blocks_of_sources import block_a_source
from warpath.engines.tables.dense import floyd_warshall
from warpath.engines.tables.johnson import rounds_a_source
from warpath.engines.tables.matrix_steps import matrix_steps
from warpath.engines.tables.pairs import pairs
from warpath.engines.tables.reweighted import johnson
from warpath.engines.tables.table import longest
from warpath.engines.tables.thread_a_source import thread_a_source
from warpath.engines.wide.search import wide
from warpath.recipes import Loop

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.engines.base import Device, Order

#: The loops of one source that are one launch.
ALONE: dict[Loop, Callable[[Order, Device], Raw]] = {Loop.PATCHES: patches, Loop.WIDE: wide}
#: The loops of many-to-many and of all pairs.
TABLES: dict[Loop, Callable[[Order, Device], Raw]] = {
    Loop.BLOCK_A_SOURCE: block_a_source,
    Loop.FLOYD_WARSHALL: floyd_warshall,
    Loop.JOHNSON: johnson,
    Loop.MATRIX_STEPS: matrix_steps,
    Loop.PAIRS: pairs,
    Loop.ROUNDS_A_SOURCE: rounds_a_source,
    Loop.THREAD_A_SOURCE: thread_a_source,
}


def run(order: Order, device: Device) -> Raw:
    """Run one order on a device; see `warpath.engines.base.Engine`.

    A negative cycle shows as a solve that does not come to rest; which vertices it has is then
    found on the CPU.
    """
    if order.recipe.loop in ALONE:
        return ALONE[order.recipe.loop](order, device)
    if order.recipe.loop in TABLES:
        return TABLES[order.recipe.loop](order, device)
    graph = order.graph
    solve = Run(order, device)
    at_rest = LOOPS[order.recipe.loop](solve)
    if not at_rest and order.recipe.exact:
        labels_or_cycle(graph, order.problem.sources, None)
        msg = f"{order.recipe.name} made {solve.rounds} rounds and did not come to rest."
        raise RuntimeError(msg)
    if order.recipe.exact and longest(graph) >= 2**62:
        rows = graph.indptr, graph.indices, graph.solver_weights
        _core.refuse_overflow(*rows, device.get(solve.dist))
    return Raw(solve.dist, stats={"rounds": solve.rounds}, device=device)
