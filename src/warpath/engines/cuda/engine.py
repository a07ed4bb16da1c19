"""The CUDA engine: round-based recipes, their loops on the host and their kernels on a device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warpath.engines.base import Raw
from warpath.engines.cpu import refuse_overflow
from warpath.engines.cuda import breadth_first, patches
from warpath.engines.cuda.flight import Ended
from warpath.engines.cuda.tables import hierarchy_sweep as sweeps
from warpath.engines.cuda.tables.blocks_of_sources import block_a_source
from warpath.engines.cuda.tables.johnson import rounds_a_source
from warpath.engines.cuda.tables.matrix_steps import matrix_steps
from warpath.engines.cuda.tables.pair_solvers import pairs
from warpath.engines.cuda.tables.resident_floyd_warshall import floyd_warshall
from warpath.engines.cuda.tables.reweighted import johnson
from warpath.engines.cuda.tables.table_run import longest
from warpath.engines.cuda.tables.thread_a_source import thread_a_source
from warpath.engines.cuda.tables.widths import widths
from warpath.engines.cuda.wide import search as wide
from warpath.engines.potentials import labels_or_cycle
from warpath.engines.rounds import Run
from warpath.engines.rounds import solve as solve_by_rounds
from warpath.recipes import Loop

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.base.dtypes import Array
    from warpath.engines.base import Device, Order
    from warpath.engines.cuda.repeated_search import Search
    from warpath.graph import Graph

#: The loops of one source that are one launch.
ALONE: dict[Loop, Callable[[Order, Device], Raw]] = {
    Loop.BFS: breadth_first.breadth_first,
    Loop.PATCHES: patches.patches,
    Loop.WIDE: wide.wide,
}
#: What makes their searches, and what the words of one mean.
SEARCHES: dict[Loop, tuple[Callable[..., Search], Callable[[list[int]], dict[str, int]]]] = {
    Loop.BFS: (breadth_first.search_of, breadth_first.counters),
    Loop.PATCHES: (patches.search_of, patches.counters),
    Loop.WIDE: (wide.search_of, wide.counters),
}
#: The loops of many-to-many and of all pairs.
TABLES: dict[Loop, Callable[[Order, Device], Raw]] = {
    Loop.BLOCK_A_SOURCE: block_a_source,
    Loop.FLOYD_WARSHALL: floyd_warshall,
    Loop.HIERARCHY_SWEEP: sweeps.hierarchy_sweep,
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
    at_rest = solve_by_rounds(solve)
    if not at_rest and order.recipe.exact:
        labels_or_cycle(graph, order.problem.sources, None)
        msg = f"{order.recipe.name} made {solve.rounds} rounds and did not come to rest."
        raise RuntimeError(msg)
    if order.recipe.exact and longest(graph) >= 2**62:
        refuse_overflow(graph, order.problem, device.get(solve.dist))
    return Raw(solve.dist, stats={"rounds": solve.rounds}, device=device)


def totals(order: Order, device: Device, names: tuple[str, ...]) -> dict[str, Array] | None:
    """Return totals of an order on a device; see `warpath.engines.base.Engine`."""
    if order.recipe.loop is not Loop.HIERARCHY_SWEEP:
        return None
    return sweeps.totals(order, device, names)


class Bound:
    """The solves of a graph by a loop of one launch. Holds no reference to the graph.

    Parameters
    ----------
    search : what it launches.
    counters : what the words of a launch mean, by name.
    device : where it runs.
    proven : whether all distances are known to fit the labels: sums that do not are none of them.
    """

    nbytes = 0  # what it works with is kept elsewhere

    def __init__(
        self,
        search: Search,
        counters: Callable[[list[int]], dict[str, int]],
        device: Device,
        *,
        proven: bool,
    ) -> None:
        self.search = search
        self.counters = counters
        self.device = device
        self._proven = proven
        self._fits = True

    def __call__(self, source: int) -> tuple[Array, list[int]] | None:
        """Return the labels, new on the device, and the words; None where a sum did not fit.

        Then it is not tried again: other sources of the graph will hardly fit.
        """
        if not self._fits:
            return None
        with self.device.active():
            found = self.search(source)
        self._fits = self._proven or found[1][0] != Ended.LOST
        return found if self._fits else None


def bound(graph: Graph, loop: Loop, device: Device) -> Bound | None:
    """Return the solves of a graph from any source, to be called many times, as `run` does them.

    None for a loop that is not bound so, and where more is to be done than to launch it.
    """
    if loop not in SEARCHES or longest(graph) >= 2**62:
        return None

    search_of, counters = SEARCHES[loop]
    width = widths(graph)[0]
    with device.active():
        search = search_of(graph, width, device, {}, None)
        return Bound(search, counters, device, proven=width.proven)
