"""``warpath bench host-rows``: one source of graphs whose edges do not fit the GPU's memory.

WARPATH_GPU_MEMORY is set to a third of the edges' bytes, or to what labels and lists take, if that
is more. The edges stay in memory of the host, and the kernels read them over the bus. The times are
compared with the edges' bytes over 55 GB/s, the copy of as many bytes, and the same search with the
edges on the GPU. All distances are compared with the CPU's, whose certificate is checked.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.api import calls
from warpath.planner.cpu_model import Size
from warpath.planner.gpu_model import gpu_bytes
from warpath.planner.host_rows import BUS, edge_bytes, host_rows_bytes
from warpath.recipes import Task
from warpath_bench.gpu import kernel_ms
from warpath_bench.lines import append
from warpath_bench.right import answers_of
from warpath_bench.run import facts_of
from warpath_bench.workloads import source_of, workload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from warpath.graph import Graph
    from warpath.results.paths import Paths
    from warpath_bench.right import Right

    Line = dict[str, Any]

_GRAPHS = ("rmat 22 16", "grid 2000")
_REPEATS = 5
_LIMIT = "WARPATH_GPU_MEMORY"


def main(arguments: Sequence[str], device: Any = None) -> int:
    """Measure and print a line for each graph; return 1 for wrong distances, else 0."""
    options = _parser().parse_args(arguments)
    if device is None:
        from warpath.engines.cuda.device import open_device

        device = open_device("cuda")
    facts = facts_of([device.name.partition(":")[0]], options.commit)
    wrong = 0
    for name in options.graphs:
        graph = workload(name, options.scale).make()
        right = answers_of(graph, [source_of(graph), *_hub_and_middle(graph)], 1, threads=None)
        for delta in [None, *options.deltas]:
            line = {"graph": name} | measured(graph, right, device, options.algorithm, delta)
            wrong += line["wrong"]
            if options.lines:
                append(Path(options.lines), line | facts)
            sys.stdout.write(f"{json.dumps(line)}\n")
            sys.stdout.flush()
    return 1 if wrong else 0


def _hub_and_middle(graph: Graph) -> list[int]:
    degrees = np.diff(graph.indptr)
    return [int(degrees.argmax()), int(np.flatnonzero(degrees)[graph.n // 3])]


def measured(
    graph: Graph, right: dict[int, Right], device: Any, algorithm: str, delta: float | None = None
) -> Line:
    """Return the times of a graph with its edges on the host.

    Parameters
    ----------
    right : the right answers by source.
    algorithm : a name, or "auto".
    delta : the width of a bucket; None for the algorithm's own.

    Returns
    -------
    limit : WARPATH_GPU_MEMORY, bytes.
    edges, whole : bytes of the edges, and of all that a search with edges on the GPU takes there.
    taken : bytes that the search took on the GPU with its edges on the host.
    bus_ms : edges over 55 GB/s; copy_ms : to copy as many bytes to the GPU.
    first_s : the first call, which sorts and pins the edges.
    kernel_ms, call_ms : a number for each source, medians of five.
    resident_ms : the kernels, with the edges on the GPU, likewise.
    ratio : the median of kernel_ms over bus_ms.
    wrong : number of distances that differ from the CPU's.
    """
    recipe = calls.plan(graph, 0, device=device.name, algorithm=algorithm).recipe
    facts, size = graph.facts(symmetry=False), Size(Task.SSSP)
    edges = edge_bytes(recipe, facts)
    limit = max(edges // 3, host_rows_bytes(recipe, size, facts))

    def solve(of: Graph, source: int) -> Paths:
        params = None if delta is None else {"delta": delta}
        return calls.sssp(of, source, algorithm=recipe.name, device=device.name, params=params)

    resident = _times(partial(solve, graph), list(right), device)
    other = graph.with_weights(graph.solver_weights)  # without the rows that are on the GPU
    _forget(graph)
    with _limited(limit):
        before, start = _used(device), time.perf_counter()
        paths = solve(other, next(iter(right)))
        first = time.perf_counter() - start
        taken = _used(device) - before
        wrong = sum(one.wrong(solve(other, at).dist)[0] for at, one in right.items())
        times = _times(partial(solve, other), list(right), device)
    _forget(other)
    bus = 1e3 * edges / BUS
    return {
        "algorithm": recipe.name,
        "delta": delta,
        "plan": str(paths.plan),
        "on_host": paths.plan.rows_on_host,
        "stats": paths.stats,
        "limit": limit,
        "edges": edges,
        "whole": gpu_bytes(recipe, size, facts),
        "taken": taken,
        "wrong": wrong,
        "first_s": first,
        "bus_ms": bus,
        "copy_ms": _copy_ms(device, edges),
        "kernel_ms": times["kernel_ms"],
        "call_ms": times["call_ms"],
        "resident_ms": resident["kernel_ms"],
        "ratio": median(times["kernel_ms"]) / bus,
    }


def _times(
    solve: Callable[[int], Paths], sources: Sequence[int], device: Any
) -> dict[str, list[float]]:
    def timed(source: int) -> float:
        start = time.perf_counter()
        _ = solve(source).dist
        return 1e3 * (time.perf_counter() - start)

    def of_kernels(source: int) -> float:
        return kernel_ms(device, lambda: solve(source).dist)

    timed(sources[0])
    return {
        name: [median(measure(at) for _ in range(_REPEATS)) for at in sources]
        for name, measure in (("kernel_ms", of_kernels), ("call_ms", timed))
    }


def _copy_ms(device: Any, count: int) -> float:
    """Return the milliseconds in which so many bytes are copied from page-locked memory."""
    with device.active():
        here = device.host_array(np.empty(count, np.uint8))
        here[...] = 1
        there = device.put(here)
        times = []
        for _ in range(_REPEATS):
            device.synchronize()
            start = time.perf_counter()
            device.put(here, there)
            device.synchronize()
            times.append(1e3 * (time.perf_counter() - start))
    return median(times)


def _used(device: Any) -> int:
    pool = getattr(device.xp, "get_default_memory_pool", None)
    return 0 if pool is None else int(pool().used_bytes())


def _forget(graph: Graph) -> None:
    graph.derived.clear()
    gc.collect()


@contextmanager
def _limited(limit: int) -> Iterator[None]:
    before = os.environ.get(_LIMIT)
    os.environ[_LIMIT] = str(limit)
    try:
        yield
    finally:
        del os.environ[_LIMIT]
        if before is not None:
            os.environ[_LIMIT] = before


# fmt: off
def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="warpath bench host-rows", description=__doc__)
    add = parser.add_argument
    add("--graphs", nargs="+", default=list(_GRAPHS), help="names of workloads")
    add("--scale", type=float, default=1.0, help="size of the generated graphs")
    add("--algorithm", default="auto", help="of the catalogue (auto)")
    add("--deltas", nargs="*", type=float, default=[], help="widths of a bucket, each measured too")
    add("--lines", metavar="FILE", help="append a line of JSON for each graph")
    add("--commit", default="", help="written into each line")
    return parser
