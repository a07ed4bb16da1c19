"""The engine of Dask clusters: blocks of a table's rows are tasks of `dask.distributed`.

Only the modules of this package import Dask. `clients` finds the client of a device's name,
`graphs` sends a graph to the workers and keeps it there, `blocks` runs the tasks. The functions
that answer a block on a worker are in `warpath.api.cluster_worker`, since a worker plans with its
own hardware. `graph`, `partition`, `supersteps` and their neighbours solve one source of a graph
that no worker holds as a whole.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

from warpath.base import units
from warpath.base.errors import NotSupportedError

if TYPE_CHECKING:
    from warpath.graph import Graph
    from warpath.planner.cpu_model import Size
    from warpath.planner.plan import Plan

name = "dask"

_WORKERS = 8  # that a plan's notes list


def run(*_: Any) -> NoReturn:
    """Raise an error: the tables of a cluster are filled block by block by `warpath.api`."""
    raise NotImplementedError("a cluster answers blocks of rows: warpath.api.cluster_calls")


def devices() -> list[str]:
    """Return nothing: a cluster is named, and is not one of this machine's devices."""
    return []


def memory(graph: Graph, device: str) -> tuple[int | None, str]:  # noqa: ARG001
    """Return the memory limit of the smallest worker, and "" or why there is no worker."""
    from warpath.engines.cluster.clients import client_of, workers_of

    try:
        workers = workers_of(client_of(device))
    except NotSupportedError as error:
        return None, str(error)
    limits = [worker.memory for worker in workers if worker.memory]
    return min(limits, default=None), ""


def place(graph: Graph, device: str) -> str:  # noqa: ARG001 - `warpath.api` says what is sent
    """Check that there are workers of the same version; return the name of the device."""
    from warpath.engines.cluster.clients import check_versions, client_of

    check_versions(client_of(device))
    return device


def spread(plan: Plan, size: Size) -> Plan:
    """Return the plan of a call whose rows the workers share; see `engines.base.WithWorkers`."""
    from warpath.engines.cluster.clients import client_of, workers_of

    try:
        workers = workers_of(client_of(plan.device))
    except NotSupportedError:
        return plan._copied()  # its notes say why
    threads = sum(worker.threads for worker in workers)
    seconds = None if plan.seconds is None else plan.seconds / max(1, min(threads, size.sources))
    noun = "worker" if len(workers) == 1 else "workers"
    shared = f"{len(workers)} {noun} share {size.sources:,} rows"
    notes = [f"{shared}: each takes a block when a thread is free, and plans it with what it has"]
    for worker in workers[:_WORKERS]:
        memory = units.size(worker.memory) if worker.memory else "no limit of memory"
        share = size.sources * worker.threads // max(1, threads)
        noun = "thread" if worker.threads == 1 else "threads"
        notes.append(f"  {worker.address}: {worker.threads} {noun}, {memory}, about {share:,} rows")
    if len(workers) > _WORKERS:
        notes.append(f"  and {len(workers) - _WORKERS} more")
    return replace(plan, seconds=seconds, notes=(*plan.notes, *notes))
