"""The CUDA engine: kernels compiled when first needed, arrays of CuPy, launches by cuda.core.

CuPy and cuda.core are imported by the first call, not by importing this package.
"""

from __future__ import annotations

import functools
import os
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import NotSupportedError, WarpathError
from warpath.engines.hierarchy import HIERARCHY
from warpath.engines.labels import LABELS
from warpath.graph.derived import derived_bytes
from warpath.graph.solvable import search_graph

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from warpath.base.dtypes import Array
    from warpath.engines.base import Bound, Device, Order, Raw
    from warpath.engines.betweenness import Sums
    from warpath.engines.cuda.device_paths import DevicePaths
    from warpath.engines.cuda.result import OnDevice
    from warpath.graph import Graph
    from warpath.planner.plan import Plan

name = "cuda"

#: Files that are there where a driver gives this process a GPU: on Linux, in WSL, on Windows.
_DRIVERS = ("/dev/nvidiactl", "/dev/dxg", r"C:\Windows\System32\nvcuda.dll")


def run(order: Order, device: str) -> Raw:
    """Run one order on a GPU; see `warpath.engines.base.Engine`.

    Parameters
    ----------
    order : what to run.
    device : "cuda:0". Opened here, so a missing package or GPU is an error of the run.
    """
    engine, devices = _modules()
    gpu = devices.open_device(device)
    with gpu.active():
        raw: Raw = engine.run(order, gpu)
        if raw.device is None or gpu.busy:
            gpu.synchronize()  # arrays on the GPU are complete when the call returns and is timed
        return raw


def run_divided(order: Order, names: Sequence[str]) -> Raw:
    """Run an order of one source on several GPUs; see `warpath.engines.base.WithDivision`."""
    engine, devices = _modules()
    gpus = [devices.open_device(name) for name in names]
    with gpus[0].active():
        raw: Raw = engine.run_divided(order, gpus)
        gpus[0].synchronize()
        return raw


def totals(order: Order, device: str, names: tuple[str, ...]) -> dict[str, Array] | None:
    """Return totals of sweeps down a hierarchy; see `warpath.engines.base.WithTotals`."""
    engine, devices = _modules()
    gpu = devices.open_device(device)
    with gpu.active():
        sums: dict[str, Array] | None = engine.totals(order, gpu, names)
        return sums


def path_sums(graph: Graph, device: str, *asked: Any, **how: Any) -> Iterator[Sums]:
    """Yield sums of shortest paths by counting sweeps; see `warpath.engines.base.WithPathSums`."""
    from warpath.engines.cuda.tables.counting_sweeps import path_sums

    gpu = _modules()[1].open_device(device)
    with gpu.active():
        yield from path_sums(gpu, graph, *asked, **how)


def device_search(graph: Graph, plan: Plan) -> Bound | None:
    """Return the solves of a graph from any source on a GPU, or None; see `engine.bound`."""
    engine, devices = _modules()
    if plan.among:
        return None
    search: Bound | None = engine.bound(graph, plan.recipe.loop, devices.open_device(plan.device))
    return search


def on_device(
    graph: Graph,
    source: int,
    labels: Array,
    device: Device,
    cutoff: float | None,
    dtype: np.dtype[Any],
) -> OnDevice:
    """Return distances that stay on the GPU as a result; see `WithDeviceResults`."""
    from warpath.engines.cuda.result import OnDevice

    return OnDevice(graph, source, labels, device, cutoff, dtype)


@functools.cache
def _modules() -> tuple[Any, Any]:
    """Import the modules of a call, once: an import statement costs 2 us, much of a small solve."""
    from warpath.engines.cuda import device, engine

    return engine, device


def dynamic_paths(graph: Graph, sources: Array, device: str) -> DevicePaths:
    """Return paths whose labels a GPU keeps and repairs; see `warpath.engines.base.WithRepairs`."""
    from warpath.engines.cuda.device import open_device
    from warpath.engines.cuda.device_paths import DevicePaths

    return DevicePaths(graph, sources, open_device(device))


def place(graph: Graph, device: str) -> str:
    """Copy a graph and what was prepared to a GPU; return the GPU's name, "cuda:0".

    Rows and labels that do not fit stay on the host.
    """
    from warpath.engines.cuda.device import open_device
    from warpath.engines.cuda.rows import resident
    from warpath.engines.cuda.tables.hierarchy_levels import levels_of
    from warpath.engines.cuda.tables.tree_labels import device_labels, labels_bytes

    gpu, inner = open_device(device), search_graph(graph)
    hierarchy, labels = HIERARCHY.cached(inner), LABELS.cached(inner)
    with gpu.active():
        if sum(array.nbytes for array in inner._solver_rows) <= gpu.free_memory():
            resident(inner, gpu)
        if hierarchy is not None:
            levels_of(inner, hierarchy, gpu)
        if labels is not None and labels_bytes(labels) <= gpu.free_memory():
            device_labels(inner, gpu)
    return gpu.name


def devices() -> list[str]:
    """Return the names of the GPUs that this process sees; see `warpath.engines.base.Engine`."""
    from warpath.engines.cuda.driver import device_count

    return [f"cuda:{index}" for index in range(device_count())]


@functools.cache
def seen() -> str | None:
    """Return "cuda:0" if a driver and the packages seem to be there; nothing of them is imported.

    Without a driver, the check takes 10 us.
    """
    if os.environ.get("CUDA_VISIBLE_DEVICES", "0").strip() in {"", "-1"}:
        return None
    if not any(map(os.path.exists, _DRIVERS)):
        return None
    try:
        there = all(find_spec(package) is not None for package in ("cupy", "cuda.core"))
    except (ImportError, ValueError):  # no package "cuda", or one without a specification
        return None
    return "cuda:0" if there else None


@functools.cache
def trouble(device: str) -> str:
    """Return why a GPU does not work, or "" if it solves a graph of two vertices.

    This compiles and launches a kernel of ours and some of CuPy's, so that an installation that is
    broken anywhere shows it here.
    """
    from warpath.engines.base import Order, Problem
    from warpath.graph import Graph
    from warpath.recipes import CATALOGUE, Task

    problem = Problem(Task.SSSP, np.array([0]))
    try:
        run(Order(CATALOGUE["warpath.wide"], Graph.of([(0, 1, 1)]), problem, 1, {}), device)
    except WarpathError as error:
        return str(error)
    return ""


def memory(graph: Graph, device: str) -> tuple[int | None, str]:
    """Return a GPU's memory for a graph in bytes and "", or None and why it cannot be used.

    The memory is what is free and what the graph's cached arrays take there.
    """
    from warpath.engines.cuda.device import open_device

    try:
        gpu = open_device(device)
        with gpu.active():
            free = gpu.free_memory()
    except NotSupportedError as error:
        return None, str(error)
    return free + derived_bytes(graph, device), ""
