"""A graph's rows on a device, or in memory of the host where kernels read them over the bus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from warpath.graph.derived import Derived

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.engines.base import Device
    from warpath.graph import Graph


class Rows(NamedTuple):
    """A graph's rows on a device."""

    indptr: Array
    indices: Array
    weights: Array

    def named(self) -> dict[str, Any]:
        """Return the arrays by the names of kernels' parameters."""
        return self._asdict()


#: A graph's rows, and those of its transpose, on a device.
ROWS: Derived[Rows] = Derived(__name__, "rows on a device")
TRANSPOSE: Derived[Rows] = Derived(__name__, "rows of the transpose on a device")


def resident(graph: Graph, device: Device, *, reverse: bool = False) -> Rows:
    """Return the rows of a graph, or of its transpose, on a device; copied once and kept."""

    def rows() -> Rows:
        host = graph.reversed() if reverse else graph
        return Rows(*map(device.put, host._solver_rows))

    return (TRANSPOSE if reverse else ROWS).of(graph, rows, device.name)


def rows_fit(graph: Graph, device: Device) -> bool:
    """Return whether a graph's rows are on a device, or fit its free memory."""
    if ROWS.cached(graph, device.name) is not None:
        return True
    return sum(int(array.nbytes) for array in graph._solver_rows) <= device.free_memory()


def longest(graph: Graph) -> int:
    """Return a bound above the size of any simple path's length; 0 for float weights."""
    return graph.facts(symmetry=False).longest


#: Their sizes are those on the device.
_ON_HOST: Derived[Rows] = Derived(
    __name__, "rows in memory of the host", lambda rows: int(rows.indptr.nbytes)
)
_WEIGHTS_ON_HOST: Derived[Array] = Derived(
    __name__, "narrow weights in memory of the host", lambda _: 0
)


def left_on_host(device: Device, array: Array) -> Array:
    """Return a kernel's argument that reads a copy of an array in page-locked memory."""
    held = device.host_array(array)
    held[...] = array
    return device.mapped(held)


def resident_on_host(graph: Graph, device: Device) -> Rows:
    """Return the rows of a graph: offsets on a device, edges in memory of the host; made once."""

    def rows() -> Rows:
        edges = (left_on_host(device, array) for array in (graph.indices, graph._solver_weights))
        return Rows(device.put(graph.indptr), *edges)

    return _ON_HOST.of(graph, rows, device.name)


def weights_on_host(graph: Graph, weight: str, device: Device) -> Array:
    """Return the weights of a graph in a type, in memory of the host; made once."""
    if graph._solver_weights.dtype == weight:
        return resident_on_host(graph, device).weights

    def narrow() -> Array:
        return left_on_host(device, graph._solver_weights.astype(weight))

    return _WEIGHTS_ON_HOST.of(graph, narrow, device.name, weight)
