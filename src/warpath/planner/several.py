"""Several devices for one question: their plans, and what one source divided over GPUs costs."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from warpath.base import settings, units
from warpath.base.errors import NotEnoughMemoryError, NotSupportedError
from warpath.planner.cpu_model import Destination, Size, label_bytes
from warpath.planner.gpu_model import GPU_START, across, wide_seconds
from warpath.planner.kinds import kind_of
from warpath.planner.plan import Plan
from warpath.recipes import CATALOGUE, Task
from warpath.recipes.params import chosen_params
from warpath.recipes.recipe import WHOLE_TABLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warpath.graph.facts import Facts
    from warpath.planner.request import Request

#: A list of devices of one kind, such as "cuda:0,2".
LISTED = re.compile(r"(?P<kind>\w+):(?P<numbers>\d{1,4}(,\d{1,4})+)")
_SHARED = {Task.MANY, Task.APSP}
#: The algorithm that divides the rows of a graph over several devices.
DIVIDED = "warpath.wide"
#: It must be predicted to take at most this part of one device's time: on R-MAT 26 two H200s were
#: predicted to take 0.8 of it, and took as long.
_DIVIDED_GAIN = 0.7

# Fitted to R-MAT 22 and 26 on two and four H200s: 2.7 and 4.3 ms, 11.0 and 12.4 ms.
_EXCHANGE = 5.5e-5  # seconds of a launch on one device, one after the other
_LINK = 4e11  # bytes a second between two devices


def is_several(device: str) -> bool:
    """Return whether a name means several devices: "all", "cuda:*" or "cuda:0,1"."""
    return device in ("all", "cuda:*") or LISTED.fullmatch(device) is not None


def check_shared(device: str, size: Size) -> None:
    """Raise NotSupportedError for what several devices cannot share."""
    if size.task not in _SHARED:
        msg = (
            f"device={device!r} shares the rows of a table (distances, apsp, totals), and several "
            f"GPUs also divide the graph for sssp: use one device for {size.task.value}, as "
            "device='cpu' or 'cuda'."
        )
        raise NotSupportedError(msg)
    if size.place is Destination.GPU:
        msg = (
            f"device={device!r} fills a table on the host or in a file, but out= is on one GPU: "
            "leave out= out, or name that GPU as device=."
        )
        raise NotSupportedError(msg)


def check_cluster(device: str, size: Size) -> None:
    """Raise NotSupportedError for what the workers of a cluster cannot share."""
    if size.task not in kind_of(device).tasks:
        msg = (
            f"device={device!r} shares the rows of tables (distances, apsp, pairs, totals; nearest "
            f"runs on one worker): use this machine for {size.task.value}, as device='cpu'."
        )
        raise NotSupportedError(msg)


def request_for(request: Request, device: str, among: Sequence[str]) -> Request:
    """Return the request for one of several devices.

    The CPU leaves a thread to each GPU, which drives it, unless `threads` is given.
    """
    if not kind_of(device).takes_threads:
        return request._replace(device=device, threads=None)
    gpus = sum(not kind_of(member).takes_threads for member in among)
    threads = max(settings.threads() - gpus, 1) if request.threads is None else request.threads
    return request._replace(device=device, threads=threads)


def shared_plan(plans: Sequence[Plan], device: str, facts: Facts) -> Plan:
    """Return the plan of a table whose rows several devices share.

    One device makes it alone where its algorithm makes all rows at once, or where floats would
    depend on which device made a row.

    Parameters
    ----------
    plans : one for each device.
    """
    lead = min(plans, key=_seconds)
    by_rows = [plan for plan in plans if plan.recipe.loop not in WHOLE_TABLES]
    why = ""
    if lead not in by_rows:
        why = "its algorithm makes all rows at once"
    elif not facts.integer and any(plan.recipe.reassociates for plan in plans):
        why = "sums of floats would depend on the device"
    if why:
        return replace(lead, notes=(*lead.notes, f"device={device!r}: one device alone, as {why}"))
    shares = tuple(sorted(by_rows, key=_seconds))
    if len(shares) == 1:
        note = f"device={device!r}: there is no other device"
        return replace(lead, notes=(*lead.notes, note))
    predicted = [plan.seconds for plan in shares if plan.seconds]
    seconds = 1 / sum(1 / time for time in predicted) if len(predicted) == len(shares) else None
    notes = [
        f"rows are shared with {plan.headline()}, {_time_on_one_device(plan)}"
        for plan in shares[1:]
    ]
    return replace(lead, seconds=seconds, notes=(*lead.notes, *notes), shares=shares)


def _time_on_one_device(plan: Plan) -> str:
    if plan.seconds is None:
        return "of no predicted time"
    return f"which alone would take {units.seconds(plan.seconds)}"


def _seconds(plan: Plan) -> float:
    return float("inf") if plan.seconds is None else plan.seconds


def divided_plan(
    alone: Plan | NotEnoughMemoryError,
    device: str,
    among: tuple[str, ...],
    facts: Facts,
    free: int | None,
    request: Request,
) -> Plan:
    """Return the plan of one source on several devices: divided over them, or on the first alone.

    Parameters
    ----------
    alone : the plan of the first device, or why it has none.
    free : the bytes that are free on each device; None where that is unknown.

    Raises
    ------
    NotEnoughMemoryError
        If the graph fits neither one device nor, divided, all of them.
    """
    recipe = CATALOGUE[DIVIDED]
    why = "there is no other device" if len(among) == 1 else ""
    if request.algorithm not in {"auto", DIVIDED} or request.traced:
        why = f"only {DIVIDED} divides a graph, without a trace"
    why = why or kind_of(among[0]).objection(recipe, Task.SSSP, facts) or ""
    if why:
        return _on_one(alone, device, why)
    seconds, needed = divided_seconds(facts, len(among)), divided_bytes(facts, len(among))
    if free is not None and needed > free:
        if not isinstance(alone, NotEnoughMemoryError):
            return _on_one(
                alone, device, "it is too large to be divided in the memory that is free"
            )
        msg = (
            f"{DIVIDED} divided over {' and '.join(among)} would take {units.size(needed)} on "
            f"each, but {units.size(free)} are free: use more GPUs, or device='cpu'."
        )
        raise NotEnoughMemoryError(msg) from alone
    if isinstance(alone, NotEnoughMemoryError):
        reason = f"the graph does not fit {among[0]} alone"
    elif request.algorithm == DIVIDED:
        reason = "it was requested"
    elif seconds < _DIVIDED_GAIN * _seconds(alone):
        reason = (
            f"it is predicted to be faster than {alone.headline()}, {_time_on_one_device(alone)}"
        )
    else:
        return _on_one(alone, device, f"divided it would take {units.seconds(seconds)}")
    params = chosen_params(recipe, facts, request.params or {}, 1)
    notes = (
        f"the rows are divided over {len(among)} devices, which exchange lowered labels",
        *(() if isinstance(alone, NotEnoughMemoryError) else alone.notes),
    )
    return Plan(recipe, among[0], 1, params, seconds, needed, reason, notes=notes, among=among)


def _on_one(alone: Plan | NotEnoughMemoryError, device: str, why: str) -> Plan:
    if isinstance(alone, NotEnoughMemoryError):
        raise alone
    return replace(alone, notes=(*alone.notes, f"device={device!r}: one device alone, as {why}"))


def divided_seconds(facts: Facts, devices: int) -> float:
    """Return the predicted time of one source of a graph that is divided over so many GPUs.

    The edges are shared; each hop across the graph takes an exchange of labels, for which each
    device compares those of all others with the last ones sent; all labels are copied at the end.
    """
    exchanges = max(across(facts, 2.0), 12)
    start = GPU_START + max(across(facts, 3.0), 20) * 8e-6
    sent = 1.65 * (devices + 1) * facts.n * label_bytes(facts) / _LINK
    launches = exchanges * devices * _EXCHANGE
    return start + launches + sent + (wide_seconds(facts) - start) / devices


def divided_bytes(facts: Facts, devices: int) -> int:
    """Return the bytes on each of so many GPUs: its rows, all labels, and lists to and from others.

    At most: the graph is cut, in chunks, by the GPUs themselves.
    """
    narrow = facts.weight_dtype in {"int32", "float32"}
    edge, label = (8, 4) if narrow else (16, 8)
    sides = 2 if facts.directed else 1
    rows = sides * (8 * (facts.n + 1) + facts.m * edge) // devices
    sorting = 16 * facts.n + 60 * min(facts.m, 2**26)
    return rows + facts.n * (6 * label + 7 * label // devices) + sorting
