"""From a device's name to its engine; what a GPU needs is imported only when one is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warpath.base.errors import InputError, NotSupportedError
from warpath.engines import cpu
from warpath.graph.checks import checked_kind

if TYPE_CHECKING:
    from warpath.engines.base import Order, Raw
    from warpath.engines.cuda.engine import Bound
    from warpath.graph import Graph
    from warpath.recipes import Loop


def run(order: Order, device: str) -> Raw:
    """Run one order on "cpu", "cuda:0", ...; see `warpath.engines.base.Engine`."""
    if device == "cpu":
        return cpu.run(order)
    from warpath.engines import cuda

    return cuda.run(order, device)


def bound(graph: Graph, loop: Loop, device: str) -> Bound | None:
    """Return the solves of a graph from any source on a GPU, made once; None where none are so."""
    from warpath.engines import cuda

    return cuda.bound(graph, loop, device)


def place(graph: Graph, device: str) -> str:
    """Put a graph's rows on a device, where they are kept; return the device's whole name."""
    if checked_kind(device, str, "device") is None:
        msg = "device = None: give 'cpu', 'cuda' or 'cuda:1'."
        raise InputError(msg)
    if device == "cpu":
        return device
    from warpath.engines import cuda

    return cuda.place(graph, device)


def gpu_memory(device: str, graph: Graph) -> tuple[int | None, str]:
    """Return a GPU's bytes for a graph and "", or None and the sentence why it cannot be used.

    They are those that are free and those in which the graph is kept. Of the CPU: None and "".
    """
    if device == "cpu":
        return None, ""
    from warpath.engines import cuda

    try:
        return cuda.free_memory(device) + _kept_bytes(device, graph), ""
    except NotSupportedError as error:
        return None, str(error)


def _kept_bytes(device: str, graph: Graph) -> int:
    """Return the bytes of a graph's copies on a device, as `engines.rounds.run.kept` names them."""
    kept = [one for name, one in list(graph.derived.items()) if name.endswith(f" on {device}")]
    arrays = [each for one in kept for each in (one if isinstance(one, tuple) else (one,))]
    return sum(array.nbytes for array in arrays)
