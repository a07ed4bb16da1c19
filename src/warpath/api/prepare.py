"""Preparing a graph for many questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warpath.api.new_weights import refuse_negative, too_long
from warpath.api.solver import Solver
from warpath.base import settings, units
from warpath.base.errors import NotEnoughMemoryError
from warpath.base.progress import watch
from warpath.engines.hierarchy import HIERARCHY, hierarchy_of
from warpath.graph import Graph
from warpath.graph.turns import refuse_turns
from warpath.graph.zones import opened
from warpath.planner.cpu_model import prepare_bytes

if TYPE_CHECKING:
    from warpath.api.run import Progress


def prepare(
    graph: Any,
    *,
    device: str = "auto",
    threads: int | None = None,
    progress: Progress = None,
) -> Solver:
    """Build a contraction hierarchy of a graph, and return a Solver that searches in it.

    It pays where a graph is asked for many routes, pairs or tables: on a road network of 264,346
    vertices it takes some seconds, and then a pair takes a thousandth of what a search in the graph
    takes. The hierarchy is kept with the graph, so that a second call returns at once.

    Parameters
    ----------
    graph : anything that `Graph.of` takes, with weights >= 0.
    device : as in `sssp`: where tables and totals are computed. The hierarchy is always built on
        the CPU; with "cuda" it is copied to the GPU, too.
    threads : threads that build it and that the Solver uses; all cores that the process may use
        when not given. Any number of threads builds the same hierarchy.
    progress : as in `sssp`; it counts the vertices that are contracted.

    Returns
    -------
    Solver
        Integer distances, trees and routes are those of an unprepared graph, bit for bit; float
        distances of `pairs` and tables agree within n * eps, because shortcuts form sums in
        another order. One source and one route with float weights are searched in the graph
        itself.

    Raises
    ------
    NegativeWeightError
        If a weight is negative.
    NotSupportedError
        If contracting vertices makes the rest of the graph denser and denser, as in a social
        network.
    DistanceOverflowError
        If the sums of shortcuts may not fit 64 bits.
    NotEnoughMemoryError
        If building the hierarchy is predicted to take more than the free memory.

    Notes
    -----
    Source: Geisberger, Sanders, Schultes, Delling, Contraction hierarchies, 2008. Memory: on road
    networks about as much as the graph takes, and five to eight times as much while it is built.

    Examples
    --------
    >>> import warpath as wp
    >>> city = wp.prepare([(0, 1, 2), (1, 2, 5), (2, 0, 1)])
    >>> city.pairs([0, 2], [2, 1]).dist
    array([7, 3])
    """
    made = Graph.of(graph)
    refuse_turns(made, "prepare")
    Solver(made, device=device, threads=threads)  # refuses options that are not valid
    refuse_negative(made)
    _require_memory(opened(made))
    team = settings.threads() if threads is None else threads
    with watch(progress, "prepare", "vertices") as report:
        if hierarchy_of(opened(made), team, report) is None:
            raise too_long()
    return Solver(made, device=device, threads=threads, prepared=True)  # copies the hierarchy


def _require_memory(graph: Graph) -> None:
    """Raise NotEnoughMemoryError if a graph has no hierarchy and there is too little for one."""
    need, free = prepare_bytes(graph.facts(symmetry=False)), settings.memory()
    if need > free and HIERARCHY.known(graph) is None:
        msg = (
            f"preparing would take {units.size(need)} in addition to the graph, "
            f"but {units.size(free)} are free: use a machine with more memory, or "
            "warpath.Solver(graph), which needs no preparation."
        )
        raise NotEnoughMemoryError(msg)
