"""Run orders on a device: searches in one launch, tables, and the loops of other rooms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warpath.base.errors import NotSupportedError
from warpath.engines import loops
from warpath.engines.base import TableOrder, TripsOrder
from warpath.engines.cuda import breadth_first, patches, repair
from warpath.engines.cuda.flight import Ended
from warpath.engines.cuda.rows import longest
from warpath.engines.cuda.tables import hierarchy_sweep as sweeps
from warpath.engines.cuda.tables.blocks_of_sources import block_a_source
from warpath.engines.cuda.tables.floyd_warshall import floyd_warshall
from warpath.engines.cuda.tables.johnson import johnson
from warpath.engines.cuda.tables.pair_solvers import pairs
from warpath.engines.cuda.tables.tree_labels import tree_label_pairs, tree_label_table
from warpath.engines.cuda.tables.widths import widths
from warpath.engines.cuda.wide import search as wide
from warpath.engines.cuda.wide.parts import solve_divided
from warpath.recipes import Loop

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from warpath.base.dtypes import Array
    from warpath.engines.base import Device, Order, Raw
    from warpath.engines.cuda.repeated_search import Search
    from warpath.graph import Graph

#: The loops of one source that are a single launch.
SINGLE_LAUNCH: dict[Loop, Callable[[Order, Device], Raw]] = {
    Loop.BFS: breadth_first.breadth_first,
    Loop.DYNAMIC: repair.search,
    Loop.PATCHES: patches.patches,
    Loop.WIDE: wide.wide,
}
#: For each of them, the function that makes a search and the one that names its status words.
SEARCHES: dict[Loop, tuple[Callable[..., Search], Callable[[list[int]], dict[str, int]]]] = {
    Loop.BFS: (breadth_first.search_of, breadth_first.counters),
    Loop.PATCHES: (patches.search_of, patches.counters),
    Loop.WIDE: (wide.search_of, wide.counters),
}
#: The loops of tables, many-to-many and all pairs.
TABLES: dict[Loop, Callable[[TableOrder, Device], Raw]] = {
    Loop.BLOCK_A_SOURCE: block_a_source,
    Loop.FLOYD_WARSHALL: floyd_warshall,
    Loop.HIERARCHY_SWEEP: sweeps.hierarchy_sweep,
    Loop.JOHNSON: johnson,
    Loop.PAIRS: pairs,
    Loop.TREE_LABELS: tree_label_table,
}
#: The loops of trips.
TRIPS: dict[Loop, Callable[[TripsOrder, Device], Raw]] = {Loop.TREE_LABELS: tree_label_pairs}


def run(order: Order, device: Device) -> Raw:
    """Run one order on a device; see `warpath.engines.base.Engine`."""
    loop = order.recipe.loop
    if isinstance(order, TableOrder) and loop in TABLES:
        return TABLES[loop](order, device)
    if isinstance(order, TripsOrder) and loop in TRIPS:
        return TRIPS[loop](order, device)
    return (SINGLE_LAUNCH.get(loop) or loops.on_device(order.recipe))(order, device)


def run_divided(order: Order, devices: Sequence[Device]) -> Raw:
    """Run an order of one source whose rows are divided over devices; the first has the labels."""
    if order.recipe.loop is not Loop.WIDE:
        msg = f"{order.recipe.name} runs on one device: only warpath.wide divides a graph."
        raise NotSupportedError(msg)
    return solve_divided(order, devices)


def totals(order: Order, device: Device, names: tuple[str, ...]) -> dict[str, Array] | None:
    """Return totals of an order on a device; see `warpath.engines.base.Engine`."""
    if order.recipe.loop is not Loop.HIERARCHY_SWEEP:
        return None
    return sweeps.totals(order, device, names)


class BoundSearch:
    """Solves of a graph by a single-launch loop. Holds no reference to the graph.

    Parameters
    ----------
    search : the search that is launched.
    counters : returns the names and values of the status words.
    device : the device that it runs on.
    proven : whether all distances are known to fit the labels. A sum that does not fit is then not
        a distance, and is ignored.
    """

    nbytes = 0  # its buffers are kept elsewhere

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
        """Return new labels on the device and the status words; None if a sum did not fit.

        After that it always returns None, as sums from other sources would hardly fit.
        """
        if not self._fits:
            return None
        with self.device.active():
            answer = self.search(source)
        self._fits = self._proven or answer[1][0] != Ended.LOST
        return answer if self._fits else None


def bound(graph: Graph, loop: Loop, device: Device) -> BoundSearch | None:
    """Return a callable that solves a graph from any source with the results of `run`.

    None if the loop has no search, or if its distances need a check for overflow.
    """
    if loop not in SEARCHES or longest(graph) >= 2**62:
        return None

    search_of, counters = SEARCHES[loop]
    width = widths(graph)[0]
    with device.active():
        search = search_of(graph, width, device, {}, None)
        return BoundSearch(search, counters, device, proven=width.proven)
