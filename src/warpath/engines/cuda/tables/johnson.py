"""Johnson's algorithm: potentials on the CPU, then searches with reduced weights in blocks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base.dtypes import unreachable
from warpath.engines.cuda.tables.blocks_of_sources import block_or_pair_solver
from warpath.engines.cuda.tables.fill import fill
from warpath.engines.potentials import labels_or_cycle, potentials_of
from warpath.graph import Graph
from warpath.graph.csr import kept_rows
from warpath.graph.derived import Derived, bytes_of_graph
from warpath.recipes import Task

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.engines.base import Device, Problem, Raw, TableOrder

_LEAST_INT64 = -(2**63)
#: Entries of a table converted at once, which limits temporary memory.
_AT_ONCE = 2**25


_REWEIGHTED: Derived[Graph] = Derived(__name__, "graph of reduced weights", bytes_of_graph)
_ON_DEVICE: Derived[Array] = Derived(__name__, "potentials on a device")


def johnson(order: TableOrder, device: Device) -> Raw:
    """Run `Loop.JOHNSON`: potentials on the CPU; searches and conversion on the device."""
    if not order.graph.facts(symmetry=False).negative:
        return fill(order, device, block_or_pair_solver)
    reduction = reweighted(order.graph, order.problem)
    targets = order.problem.targets

    def finish(rows: Array, sources: Array) -> None:
        restore(device, rows, reduction.on(device), sources, targets)

    # The cutoff does not apply to reduced lengths; the caller applies it to the result.
    reduced = replace(order, graph=reduction.graph, problem=replace(order.problem, cutoff=None))
    return fill(reduced, device, block_or_pair_solver, dtype=order.graph.dist_dtype, finish=finish)


class Reweighted(NamedTuple):
    """A graph with non-negative reduced weights, and its potentials.

    Attributes
    ----------
    graph : the same edges with the weights w + h[u] - h[v].
    potentials : h, (n,) of the distances' type, on the host.
    """

    graph: Graph
    potentials: Array

    def on(self, device: Device) -> Array:
        """Return the potentials on a device, cached with the graph."""
        return _ON_DEVICE.of(self.graph, lambda: device.put(self.potentials), device.name)


def reweighted(graph: Graph, problem: Problem) -> Reweighted:
    """Return a graph with reduced weights, whose shortest paths are the same.

    Float weights that rounding makes negative are set to 0. Integer weights are exact.

    Raises
    ------
    NegativeCycleError
        For a negative cycle that a source reaches; for all pairs, for any negative cycle.
    OverflowError
        If a reduced weight does not fit its type.
    """
    if problem.task is not Task.APSP:
        # Negative cycles that no source reaches do not matter.
        h, _ = labels_or_cycle(graph, problem.sources, None)
        return Reweighted(_under(graph, h), h)
    h = potentials_of(graph)
    return Reweighted(_REWEIGHTED.of(graph, lambda: _under(graph, h)), h)


def _under(graph: Graph, h: Array) -> Graph:
    src, dst, weights = graph.edges()
    unreached = unreachable(h.dtype)
    matters = h[src] != unreached  # then the target is reached as well
    low, high = np.where(matters, h[src], 0), np.where(matters, h[dst], 0)
    weights = np.where(matters, weights, 0).astype(h.dtype)
    if h.dtype.kind == "f":
        with np.errstate(over="ignore"):
            reduced = np.maximum(weights + low - high, h.dtype.type(0))
        if not np.isfinite(reduced).all():
            msg = f"a weight under potentials leaves {h.dtype}"
            raise OverflowError(msg)
        return Graph(*kept_rows(graph.indptr, graph.indices, reduced, copied=False))
    extremes = [int(array.min(initial=0)) for array in (weights, low, -high)]
    longest = [int(array.max(initial=0)) for array in (weights, low, -high)]
    if sum(extremes) < _LEAST_INT64 or sum(longest) >= unreachable(h.dtype):
        msg = "a weight under potentials could leave int64"
        raise OverflowError(msg)
    reduced = weights + low - high
    return Graph(*kept_rows(graph.indptr, graph.indices, reduced, copied=False))


def restore(
    device: Device, rows: Array, potentials: Array, sources: Array, targets: Array | None
) -> None:
    """Convert reduced distances on a device to lengths, in place.

    Parameters
    ----------
    rows : (k, t) on the device, of the potentials' type.
    potentials : (n,) on the device.
    sources, targets : vertices of rows and columns, on the host; None for all vertices.
    """
    xp: Any = device.xp
    to = potentials if targets is None else potentials[device.put(targets)]
    unreached = unreachable(potentials.dtype)
    step = max(_AT_ONCE // max(len(to), 1), 1)
    for begin in range(0, len(rows), step):
        some = rows[begin : begin + step]
        start = potentials[device.put(sources[begin : begin + step])][:, None]
        # In the order of the CPU: to - start is at most the length, so it does not overflow.
        lengths = some - (start - to) if unreached == np.inf else some - start + to
        some[...] = xp.where(some == unreached, some, lengths)
