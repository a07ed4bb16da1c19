"""Johnson: tables of graphs with negative weights, solved under potentials."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from warpath.engines.tables.blocks_of_sources import Blocks, fits
from warpath.engines.tables.fill import fill
from warpath.engines.tables.pairs import solver_of
from warpath.engines.tables.potentials import restore, reweighted

if TYPE_CHECKING:
    from warpath.engines.base import Array, Device, Order, Raw
    from warpath.engines.tables.fill import Solver
    from warpath.engines.tables.widths import Width


def johnson(order: Order, device: Device) -> Raw:
    """Run `Loop.JOHNSON`: potentials on the CPU, the searches and the way back on the device."""
    if not order.graph.facts(symmetry=False).negative:
        return fill(order, device, _solver)
    made = reweighted(order.graph, order.problem)
    targets = order.problem.targets

    def finish(rows: Array, sources: Array) -> None:
        restore(device, rows, made, sources, targets)

    # A reduced length says nothing about a cutoff, which then waits for the answer.
    reduced = replace(order, graph=made.graph, problem=replace(order.problem, cutoff=None))
    return fill(reduced, device, _solver, dtype=order.graph.dist_dtype, finish=finish)


def _solver(order: Order, device: Device, width: Width) -> Solver:
    blocks = fits(order.graph, width, device)
    return Blocks(order, device, width) if blocks else solver_of(order, device, width)
