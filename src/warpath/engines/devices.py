"""The devices that a name means: several of this machine, or the workers of a Dask cluster."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from warpath.base import units
from warpath.base.errors import NotEnoughMemoryError, NotSupportedError
from warpath.engines.registry import engine_of, place
from warpath.planner import kinds
from warpath.planner.kinds import kind_of
from warpath.planner.several import LISTED, is_several

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warpath.graph import Graph
    from warpath.planner.cpu_model import Size
    from warpath.planner.plan import Plan

_WORKERS = 8  # that a plan's notes list


def members(device: str) -> tuple[str, ...]:
    """Return the devices that a name means: several, one, or none for "auto".

    Raises
    ------
    NoDeviceError, MissingDependencyError
        If "cuda:*" finds no GPU that can be used.
    """
    if not is_several(device):
        return () if device == "auto" else (device,)
    listed = LISTED.fullmatch(device)
    if listed is not None:
        names = [f"{listed['kind']}:{int(each)}" for each in listed["numbers"].split(",")]
        for name in names:
            kind_of(name)  # refuses what is not a device
        return tuple(dict.fromkeys(names))
    if device == "cuda:*":
        return tuple(engine_of("cuda").devices())
    found: list[str] = []
    for kind in kinds.KINDS:
        try:
            found += engine_of(kind).devices()
        except NotSupportedError:  # "all" is every device that there is
            continue
    return tuple(found)


def place_on(graph: Graph, names: Sequence[str]) -> None:
    """Copy a graph to each device, where it stays.

    Where there are several devices, a graph that does not fit one is divided when it is solved.
    """
    for each in names:
        try:
            place(graph, each)
        except NotEnoughMemoryError:
            if len(names) == 1:
                raise


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
    for worker in workers[:_WORKERS]:
        memory = units.size(worker.memory) if worker.memory else "no limit of memory"
        share = size.sources * worker.threads // max(1, threads)
        each = "thread" if worker.threads == 1 else "threads"
        notes.append(f"  {worker.address}: {worker.threads} {each}, {memory}, about {share:,} rows")
    if len(workers) > _WORKERS:
        notes.append(f"  and {len(workers) - _WORKERS} more")
    return replace(plan, seconds=seconds, notes=(*plan.notes, *notes))
