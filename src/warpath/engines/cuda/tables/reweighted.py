"""Johnson's algorithm: tables of graphs with negative weights, solved with reduced weights."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from warpath.engines.cuda.tables.blocks_of_sources import smallest
from warpath.engines.cuda.tables.fill import fill
from warpath.engines.cuda.tables.potentials import restore, reweighted

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.engines.base import Device, Order, Raw


def johnson(order: Order, device: Device) -> Raw:
    """Run `Loop.JOHNSON`: potentials on the CPU; searches and conversion on the device."""
    if not order.graph.facts(symmetry=False).negative:
        return fill(order, device, smallest)
    made = reweighted(order.graph, order.problem)
    targets = order.problem.targets

    def finish(rows: Array, sources: Array) -> None:
        restore(device, rows, made.on(device), sources, targets)

    # The cutoff does not apply to reduced lengths; the caller applies it to the result.
    reduced = replace(order, graph=made.graph, problem=replace(order.problem, cutoff=None))
    return fill(reduced, device, smallest, dtype=order.graph.dist_dtype, finish=finish)
