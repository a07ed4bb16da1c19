"""The CUDA engine: kernels compiled when first needed, arrays of CuPy, launches of cuda.core.

Importing it imports neither; a call does.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from warpath.graph.zones import opened

if TYPE_CHECKING:
    from warpath.engines.base import Order, Raw
    from warpath.engines.cuda.engine import Bound
    from warpath.graph import Graph
    from warpath.recipes import Loop

name = "cuda"


def run(order: Order, device: str) -> Raw:
    """Run one order on a GPU; see `warpath.engines.base.Engine`.

    Parameters
    ----------
    order : what to run.
    device : "cuda:0"; opened here, for a missing package or GPU is an error of the run.
    """
    engine, devices = _modules()
    gpu = devices.open_device(device)
    with gpu.active():
        raw: Raw = engine.run(order, gpu)
        if raw.device is None or gpu.busy:
            gpu.synchronize()  # an array of the GPU is filled when the call returns, and was timed
        return raw


def bound(graph: Graph, loop: Loop, device: str) -> Bound | None:
    """Return the solves of a graph from any source on a GPU, or None; see `engine.bound`."""
    engine, devices = _modules()
    made: Bound | None = engine.bound(graph, loop, devices.open_device(device))
    return made


@functools.cache
def _modules() -> tuple[Any, Any]:
    """Import what a call needs; asking Python each time would take 2 us of a small solve."""
    from warpath.engines.cuda import device, engine

    return engine, device


def place(graph: Graph, device: str) -> str:
    """Put the rows that solves take on a GPU, and return its name, "cuda:0"."""
    from warpath.engines.cuda.device import open_device
    from warpath.engines.rounds.run import resident

    gpu = open_device(device)
    with gpu.active():
        resident(opened(graph), gpu)
    return gpu.name


def free_memory(device: str) -> int:
    """Return the bytes that are free on a GPU; raise as `open_device` does if it has none."""
    from warpath.engines.cuda.device import open_device

    gpu = open_device(device)
    with gpu.active():
        return gpu.free_memory()
