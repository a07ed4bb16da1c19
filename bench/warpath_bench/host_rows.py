"""``warpath bench host-rows``: one source of graphs whose edges do not fit the GPU's memory.

WARPATH_GPU_MEMORY is set to a third of the edges' bytes, or to what labels and lists take, if that
is more. The edges stay in memory of the host, and the kernels read them over the bus. The times are
compared with the edges' bytes over 55 GB/s and the same search with the edges on the GPU. All
distances are compared with the CPU's, whose certificate is checked.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from contextlib import contextmanager
from statistics import median
from typing import TYPE_CHECKING, Any

from warpath.api import calls
from warpath.planner.cpu_model import Size
from warpath.planner.host_rows import BUS, edge_bytes, host_rows_bytes
from warpath.recipes import Task
from warpath_bench.gpu import measured
from warpath_bench.gpu_made import chosen
from warpath_bench.lines import append
from warpath_bench.options import parsed
from warpath_bench.right import answers_of
from warpath_bench.run import facts_of
from warpath_bench.workloads import workload

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from warpath.graph import Graph
    from warpath_bench.right import Right

    Line = dict[str, Any]

_GRAPHS = ("rmat 22 16", "grid 2000")
_LIMIT = "WARPATH_GPU_MEMORY"


def main(arguments: Sequence[str], device: Any = None) -> int:
    """Measure and print a line for each graph; return 1 for wrong distances, else 0."""
    options = parsed(
        "host-rows",
        __doc__,
        arguments,
        graphs=_GRAPHS,
        scale=1.0,
        algorithm="auto",
        sources=3,
        lines=None,
        commit="",
    )
    if device is None:
        from warpath.engines.cuda.device import open_device

        device = open_device("cuda")
    facts = facts_of([device.name.partition(":")[0]], options.commit)
    wrong = 0
    for name in options.graphs:
        graph = workload(name, options.scale).make()
        right = answers_of(graph, chosen(graph, options.sources), 1, threads=None)
        line = {"graph": name} | compared(graph, right, device, options.algorithm)
        wrong += line["wrong"]
        append(options.lines, line | facts)
        sys.stdout.write(f"{json.dumps(line)}\n")
    return 1 if wrong else 0


def compared(graph: Graph, right: dict[int, Right], device: Any, algorithm: str) -> Line:
    """Return the times of a graph with its edges on the host; see `gpu.measured`.

    Returns
    -------
    limit : WARPATH_GPU_MEMORY, bytes.
    edges : bytes of the edges; bus_ms : these over 55 GB/s.
    on_host : whether the plan left the edges on the host.
    resident_ms : the kernels' times with the edges on the GPU.
    ratio : the median of kernel_ms over bus_ms.
    """
    plan = calls.plan(graph, next(iter(right)), device=device.name, algorithm=algorithm)
    name, facts = plan.algorithm, graph.facts(symmetry=False)
    edges = edge_bytes(plan.recipe, facts)
    limit = max(edges // 3, host_rows_bytes(plan.recipe, Size(Task.SSSP), facts))
    resident = measured(graph, name, list(right), right, device)
    other = graph.with_weights(graph.solver_weights)  # without the rows that are on the GPU
    graph.derived.clear()
    gc.collect()
    with _limited(limit):
        on_host = calls.plan(other, 0, device=device.name, algorithm=name).rows_on_host
        found = measured(other, name, list(right), right, device)
    bus = 1e3 * edges / BUS
    return found | {
        "limit": limit,
        "edges": edges,
        "on_host": on_host,
        "bus_ms": bus,
        "resident_ms": resident["kernel_ms"],
        "ratio": median(found["kernel_ms"]) / bus,
        "wrong": found["wrong"] + resident["wrong"],
    }


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
