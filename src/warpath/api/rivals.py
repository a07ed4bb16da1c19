"""The plans of one source that are predicted to be nearly as fast as the one that was chosen."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from warpath.planner.cpu_model import Size, cpu_bytes, cpu_seconds, lean_bytes
from warpath.planner.plan import usable_threads
from warpath.recipes import Loop, Task
from warpath.recipes.params import chosen_params

if TYPE_CHECKING:
    from warpath.graph.facts import Facts
    from warpath.planner.plan import Plan

_SIZE = Size(Task.SSSP)
_LOOPS = {Loop.BUCKET_TEAM, Loop.OWN_BUCKETS, Loop.BFS}
#: As fast as predicted a plan of other threads may be twice over: that is what a second thread
#: gives at best. Another loop on as many threads was never off by half.
_OTHER_THREADS, _OTHER_LOOP = 2.0, 1.4
_MOST = 2


def rivals(chosen: Plan, facts: Facts, threads: int, memory: int) -> list[Plan]:
    """Return plans on one thread or on all that may be the faster ones, the most likely first.

    Parameters
    ----------
    chosen : a plan for one source on the CPU that was predicted to be the fastest.
    facts : what it was made from.
    threads, memory : how many there are, and the bytes that may be taken.
    """
    assert chosen.seconds is not None  # noqa: S101 - auto takes nothing else
    found: list[Plan] = []
    able = [c.recipe for c in chosen.runners_up if c.seconds is not None]
    for recipe in [chosen.recipe, *able]:
        if recipe.loop not in _LOOPS or (recipe.reassociates and not facts.integer):
            continue
        for count in {1, usable_threads(recipe, _SIZE, threads)}:
            margin = _OTHER_LOOP if count == chosen.threads else _OTHER_THREADS
            seconds = cpu_seconds(recipe, _SIZE, facts, count)
            space = cpu_bytes(recipe, _SIZE, facts, count)
            same = (recipe, count) == (chosen.recipe, chosen.threads)
            most = min(memory, lean_bytes(facts.n, count))
            if same or seconds > margin * chosen.seconds or space > most:
                continue
            params = chosen_params(recipe, facts, {}, count)
            reason = "it is tried beside " + chosen.headline()
            other = replace(
                chosen, recipe=recipe, threads=count, params=params, seconds=seconds, bytes=space,
                reason=reason,
            )  # fmt: skip
            found.append(other)
    return sorted(found, key=lambda plan: plan.seconds or 0.0)[:_MOST]
