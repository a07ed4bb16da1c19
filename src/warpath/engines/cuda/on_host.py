"""Arrays that stay in page-locked memory of the host, where kernels read them over the bus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warpath.engines.rounds.run import Rows
from warpath.graph.derived import Derived

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.engines.base import Device
    from warpath.graph import Graph

#: Their sizes are those on the device.
_ROWS: Derived[Rows] = Derived(
    __name__, "rows in memory of the host", lambda rows: int(rows.indptr.nbytes)
)
_WEIGHTS: Derived[Array] = Derived(__name__, "narrow weights in memory of the host", lambda _: 0)


def left_on_host(device: Device, array: Array) -> Array:
    """Return a kernel's argument that reads a copy of an array in page-locked memory."""
    held = device.host_array(array)
    held[...] = array
    return device.mapped(held)


def resident_on_host(graph: Graph, device: Device) -> Rows:
    """Return the rows of a graph: offsets on a device, edges in memory of the host; made once."""

    def rows() -> Rows:
        edges = (left_on_host(device, each) for each in (graph.indices, graph.solver_weights))
        return Rows(device.put(graph.indptr), *edges)

    return _ROWS.of(graph, rows, device.name)


def weights_on_host(graph: Graph, weight: str, device: Device) -> Array:
    """Return the weights of a graph in a type, in memory of the host; made once."""
    if graph.solver_weights.dtype == weight:
        return resident_on_host(graph, device).weights

    def narrow() -> Array:
        return left_on_host(device, graph.solver_weights.astype(weight))

    return _WEIGHTS.of(graph, narrow, device.name, weight)
