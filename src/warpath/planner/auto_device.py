"""Decide whether device="auto" takes a GPU for a question."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from warpath.base import units

if TYPE_CHECKING:
    from warpath.graph.facts import Facts
    from warpath.planner.cpu_model import Size
    from warpath.planner.device_kind import DeviceKind
    from warpath.planner.plan import Plan
    from warpath.planner.request import Request
    from warpath.recipes import Recipe

#: Seconds on the CPU up to which no other device is considered.
_LEAST = 0.2
#: A device that was not requested must be predicted to be so many times as fast as the CPU.
_GAIN = 2.0


def is_open(request: Request, preference: str) -> bool:
    """Return whether the caller left the choice of the device open.

    Parameters
    ----------
    preference : the device of WARPATH_DEVICE or of the graph, or "auto". Threads are the CPU's, a
        named algorithm has its device, and rounds are traced on the CPU.
    """
    fixed = request.threads is not None or request.algorithm != "auto" or request.traced
    return request.device == preference == "auto" and not fixed


def is_long(plan: Plan) -> bool:
    """Return whether a plan for the CPU takes long enough to consider another device."""
    return plan.seconds is not None and plan.seconds > _LEAST


def with_start(plan: Plan, kind: DeviceKind, size: Size, facts: Facts) -> Plan:
    """Return a plan whose times include what the first call on its device takes in addition."""

    def total(recipe: Recipe, seconds: float | None) -> float | None:
        return None if seconds is None else seconds + kind.start_seconds(recipe, size, facts)

    others = [
        replace(other, seconds=total(other.recipe, other.seconds)) for other in plan.runners_up
    ]
    return replace(plan, seconds=total(plan.recipe, plan.seconds), runners_up=tuple(others))


def same_bits(there: Plan, here: Plan, facts: Facts) -> bool:
    """Return whether the bits of an answer do not depend on which of two plans makes it."""
    loose = there.recipe.reassociates or here.recipe.reassociates
    return facts.integer or facts.exact_sums or not loose


def is_better(there: Plan, here: Plan) -> bool:
    """Return whether a plan for another device is worth it, its start included."""
    if there.seconds is None or here.seconds is None:
        return False
    return there.seconds * _GAIN <= here.seconds


def chosen(there: Plan, here: Plan) -> Plan:
    """Return the plan for another device that was not requested, with the CPU's prediction."""
    reason = f"it is predicted to take at most half as long as the CPU: {_prediction(here)}"
    note = (
        f"its time includes the start of {there.device}, copies of the graph and compiled kernels, "
        "as in a new process"
    )
    return replace(there, reason=reason, notes=(*there.notes, note))


def kept(here: Plan, there: Plan) -> Plan:
    """Return the plan for the CPU with the prediction for the device that it is preferred to."""
    note = (
        f"{there.device} would not take at most half as long, with its start, copies and "
        f"compilation: {_prediction(there)}"
    )
    return replace(here, notes=(*here.notes, note))


def without(here: Plan, device: str, why: str) -> Plan:
    """Return the plan for the CPU with the reason why a device was not taken."""
    return replace(here, notes=(*here.notes, f"{device} was considered, but {why}"))


def _prediction(plan: Plan) -> str:
    time = "no time" if plan.seconds is None else units.seconds(plan.seconds)
    return f"{plan.headline()}, predicted {time}"
