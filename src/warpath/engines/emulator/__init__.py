"""The emulated engine: kernels of GPUs, compiled by g++, run on one thread of the CPU.

It needs a checkout and g++, and is for small graphs. The work that it counts is that of a GPU; its
times say nothing about one, so that traces have none.
"""

from __future__ import annotations

import functools
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warpath.base import settings
from warpath.engines.cuda import trust
from warpath.results.predecessors import as_labels
from warpath.results.trace import Trace, seed_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warpath.base.dtypes import Array
    from warpath.engines.base import Order, Raw
    from warpath.engines.betweenness import Sums
    from warpath.engines.cuda.device_paths import DevicePaths
    from warpath.engines.emulator.device import InterruptibleDevice
    from warpath.graph import Graph

name = "emulated"


def run(order: Order, device: str) -> Raw:
    """Run one order on the emulator; see `warpath.engines.base.Engine`.

    The order of threads begins anew, so that the same call counts the same.
    """
    from warpath.engines.cuda import engine

    trace, there = None if order.trace is None else Trace(), emulated()
    there.wait()
    there.seed = seed_of(device) or 0
    raw = engine.run(replace(order, trace=trace), there)
    for row in trace or ():
        assert order.trace is not None  # noqa: S101 - it is that of the order
        order.trace.add(replace(row, seconds={}))
    if raw.device is not None:
        raw.dist, raw.device = as_labels(order.graph, raw.dist), None
    return raw


def path_sums(graph: Graph, device: str, *asked: Any, **how: Any) -> Iterator[Sums]:
    """Yield sums of shortest paths by counting sweeps; see `warpath.engines.base.WithPathSums`."""
    from warpath.engines.cuda.tables.counting_sweeps import path_sums

    there = emulated()
    there.wait()
    there.seed = seed_of(device) or 0
    yield from path_sums(there, graph, *asked, **how)


def devices() -> list[str]:
    """Return nothing: "all" means the devices that save time."""
    return []


def dynamic_paths(graph: Graph, sources: Array, device: str) -> DevicePaths:  # noqa: ARG001 - there is one
    """Return paths that the emulator repairs; see `warpath.engines.base.WithRepairs`."""
    from warpath.engines.cuda.device_paths import DevicePaths

    return DevicePaths(graph, sources, emulated())


def place(graph: Graph, device: str) -> str:  # noqa: ARG001 - rows stay on the host
    """Return the name of the device, after a check that it works."""
    emulated()
    return device


def memory(graph: Graph, device: str) -> tuple[int | None, str]:  # noqa: ARG001 - it has none
    """Return the limit that is set for GPUs, or None: the emulator uses the host's memory."""
    return settings.gpu_memory(), ""


@functools.cache
def emulated() -> InterruptibleDevice:
    """Return the emulator, whose compiled kernels are kept in the folder for kernels.

    Raises
    ------
    NotSupportedError
        If this is not a checkout.
    MissingDependencyError
        If there is no C++ compiler.
    """
    from warpath.engines.emulator.build import compiler
    from warpath.engines.emulator.device import InterruptibleDevice

    compiler()
    folder = settings.kernel_cache()
    if folder is None or trust.refusal(folder) is not None:
        folder = Path(tempfile.mkdtemp(prefix="warpath-"))
    return InterruptibleDevice(cache=folder / "emulated")
