"""Dask clusters as devices: their names, what they can be asked, and what each worker gets."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from warpath.api.several import members, place_on
from warpath.base import units
from warpath.base.errors import NotSupportedError
from warpath.graph.turns import expanded
from warpath.planner.kinds import SHARED_BY_ROWS

if TYPE_CHECKING:
    from warpath.api.options import Options
    from warpath.graph import Graph
    from warpath.planner.cpu_model import Size
    from warpath.planner.plan import Plan

_LISTED = 8  # workers of a plan's notes


def device_name(device: Any) -> Any:
    """Return the name of a Dask client or of a scheduler's address; other devices as they are.

    Dask is imported only where one of these is meant.
    """
    if isinstance(device, str):
        if device != "dask" and "://" not in device:
            return device
    elif "distributed" not in sys.modules:
        return device
    from warpath.engines.cluster.clients import device_name

    return device_name(device)


def put(graph: Graph, options: Options, device: Any) -> Any:
    """Copy a graph to each device of the options, where it stays; return a cluster's `device`."""
    place_on(graph, members(options.device()))
    if not options.on_cluster():
        return None
    from warpath.api.clustered import send

    send(expanded(graph), options.device(), prepared=options.wish.prepared is True)
    return device


def check_shared(device: str, size: Size) -> None:
    """Raise NotSupportedError for what the workers of a cluster cannot share."""
    if size.task not in SHARED_BY_ROWS:
        msg = (
            f"device={device!r} shares the rows of tables (distances, apsp, pairs, totals; nearest "
            f"runs on one worker): use this machine for {size.task.value}, as device='cpu'."
        )
        raise NotSupportedError(msg)


def spread(plan: Plan, size: Size) -> Plan:
    """Return the plan of a call whose rows a cluster's workers share, from that of one thread."""
    from warpath.engines.cluster.clients import client_of, workers_of

    try:
        workers = workers_of(client_of(plan.device))
    except NotSupportedError:
        return plan.again()  # its notes say why
    threads = sum(worker.threads for worker in workers)
    seconds = None if plan.seconds is None else plan.seconds / max(1, min(threads, size.sources))
    noun = "worker" if len(workers) == 1 else "workers"
    shared = f"{len(workers)} {noun} share {size.sources:,} rows"
    notes = [f"{shared}: each takes a block when a thread is free, and plans it with what it has"]
    for worker in workers[:_LISTED]:
        memory = units.size(worker.memory) if worker.memory else "no limit of memory"
        share = size.sources * worker.threads // max(1, threads)
        each = "thread" if worker.threads == 1 else "threads"
        notes.append(f"  {worker.address}: {worker.threads} {each}, {memory}, about {share:,} rows")
    if len(workers) > _LISTED:
        notes.append(f"  and {len(workers) - _LISTED} more")
    return replace(plan, seconds=seconds, notes=(*plan.notes, *notes))
