"""Plans for the devices of this machine: what there is, and which one "auto" takes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from warpath.base import settings
from warpath.base.errors import NotEnoughMemoryError, NotSupportedError
from warpath.engines.base import WithDetection
from warpath.engines.registry import capability, engine_of
from warpath.graph.facts import probed
from warpath.planner import auto_device, kinds
from warpath.planner.cpu_model import Destination
from warpath.planner.device_kind import Hardware
from warpath.planner.kinds import kind_of
from warpath.planner.plan import Plan, choose
from warpath.planner.request import DEFAULT, device_of
from warpath.recipes import CATALOGUE

if TYPE_CHECKING:
    from warpath.graph import Graph
    from warpath.graph.facts import Facts
    from warpath.planner.cpu_model import Size
    from warpath.planner.request import Request

_FEW = 4  # algorithms that a message lists


class Planned(NamedTuple):
    """A plan for a device of this machine.

    Attributes
    ----------
    plan : what runs.
    free : the bytes that were free for it; None where that is unknown.
    limited : whether the memory of a GPU, or its being there, decided.
    """

    plan: Plan
    free: int | None
    limited: bool = False


def planned(
    size: Size, graph: Graph, request: Request, preference: str, *, exact_sums: bool = False
) -> Planned:
    """Plan a question; see `warpath.planner.plan.choose`.

    Parameters
    ----------
    graph : the graph that is searched.
    preference : the device of WARPATH_DEVICE or of the graph, or "auto".
    exact_sums : as in `Facts`.
    """
    here = _on(device_of(size, request), size, graph, request, exact_sums=exact_sums)
    is_open = auto_device.is_open(request, preference) and size.place is not Destination.GPU
    if not is_open or not auto_device.is_long(here.plan):
        return here
    best = here
    for kind in kinds.KINDS.values():
        detection = capability(kind.name, WithDetection)
        device = None if detection is None else detection.seen()
        if detection is not None and device is not None:
            best = _better(best, device, detection, size, graph, request, exact_sums=exact_sums)
    return best


def _better(
    here: Planned,
    device: str,
    detection: WithDetection,
    size: Size,
    graph: Graph,
    request: Request,
    *,
    exact_sums: bool,
) -> Planned:
    """Return the better one of a plan and the plan for a device that is started only if it wins."""
    request = request._replace(device=device)
    kind = kind_of(device)
    facts = facts_for(size, graph, device, exact_sums=exact_sums)

    def counted(plan: Plan) -> Plan:
        return auto_device.with_start(plan, kind, size, facts)

    why, free = "", None
    try:
        # Without its memory, for which it would have to be started.
        hardware = Hardware(settings.threads(), settings.memory())
        there = counted(choose(size, facts, hardware, request))
        if not auto_device.same_bits(there, here.plan, facts):
            why = "sums of floats would depend on the device"
        elif auto_device.is_better(there, here.plan):
            why = detection.trouble(device) or engine_of(device).memory(graph, device)[1]
            if not why:
                last, free, _ = _on(device, size, graph, request, exact_sums=exact_sums)
                there = counted(last)
    except NotEnoughMemoryError as error:
        why = str(error)
    except NotSupportedError:  # it has no algorithm for this
        return here
    if why:
        return here._replace(plan=auto_device.without(here.plan, device, why), limited=True)
    if auto_device.is_better(there, here.plan):
        return Planned(auto_device.chosen(there, here.plan), free, limited=True)
    return here._replace(plan=auto_device.kept(here.plan, there), limited=True)


def _on(device: str, size: Size, graph: Graph, request: Request, *, exact_sums: bool) -> Planned:
    """Plan a question for one device. That it cannot be used is an error only when it is to run."""
    kind = kind_of(device)
    gpu, why = engine_of(device).memory(graph, device)
    hardware = Hardware(settings.threads(), settings.memory(), gpu, why)
    facts = facts_for(size, graph, device, exact_sums=exact_sums)
    plan, free = choose(size, facts, hardware, request), kind.free(hardware)
    return Planned(plan, free, limited=gpu is not None)


def facts_for(size: Size, graph: Graph, device: str, *, exact_sums: bool = False) -> Facts:
    """Return the facts that a plan is made from, with hops counted where they decide."""
    facts = graph.facts(symmetry=False)
    if kind_of(device).probes(size, facts):
        facts = probed(graph)
    return replace(facts, exact_sums=True) if exact_sums else facts


def without_device(error: NotSupportedError, chosen: Plan) -> NotSupportedError:
    """Return the error for a device that cannot be used, with algorithms that run without it."""
    recipe = chosen.recipe
    others = [
        other.name
        for other in CATALOGUE.planned
        if DEFAULT in other.devices and not other.prepared and other.solves & recipe.solves
    ]
    if DEFAULT in recipe.devices or not others:
        return error
    msg = (
        f"{recipe.name} runs on GPUs only, and {error}. On a CPU these "
        f"run: {', '.join(others[:_FEW])}; or, for small graphs, device='emulated'."
    )
    return type(error)(msg)
