"""Totals of distances whose sources several devices share, without a table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.api.run import run_totals
from warpath.api.shared_rows import SharedRows
from warpath.base.progress import watch
from warpath.planner.kinds import kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from warpath.api.run import Progress
    from warpath.base.dtypes import Array
    from warpath.engines.base import Problem
    from warpath.graph import Graph
    from warpath.planner.plan import Plan


class _NoTotals(Exception):  # noqa: N818 - an answer, which ends all devices as an error does
    """A device has no totals of this algorithm."""


def alike(chosen: Plan, problem: Problem, names: Sequence[str]) -> tuple[Plan, ...]:
    """Return the plans of devices that may share the sources of totals.

    The order in which sums of inverses are formed depends on the kind of device and, with targets,
    on the number of sources that it takes. So only devices of the fastest one's kind share them, or
    with targets none: otherwise their last bits would depend on who was free.
    """
    shares = chosen.shares or (chosen,)
    if "harmonic" not in names:
        return shares
    if problem.targets is not None:
        return shares[:1]
    return tuple(plan for plan in shares if kind_of(plan.device) is kind_of(shares[0].device))


def shared_totals(
    graph: Graph,
    shares: Sequence[Plan],
    problem: Problem,
    names: tuple[str, ...],
    progress: Progress,
) -> dict[str, Array] | None:
    """Return totals of the rows of a table by several devices, each from some of the sources.

    None where a device has none for its algorithm.

    Parameters
    ----------
    shares : a plan for each device.
    """
    parts: list[tuple[slice, dict[str, Array]]] = []

    def filling(plan: Plan) -> Callable[[slice, Any], dict[str, Any]]:
        def fill(rows: slice, _: Any) -> dict[str, Any]:
            some = replace(problem, sources=problem.sources[rows])
            found = run_totals(graph, plan, some, names, None)
            if found is None:
                raise _NoTotals
            parts.append((rows, found))
            return {}

        return fill

    count = len(problem.sources)
    if count == 0:
        return None
    rows = SharedRows(shares, [filling(plan) for plan in shares], count)
    try:
        with watch(progress, shares[0].recipe.name, "sources") as report:
            rows.fill(slice(0, count), problem.sources, report)
    except _NoTotals:
        return None
    totals = {name: np.empty(count, values.dtype) for name, values in parts[0][1].items()}
    for block, found in parts:
        for name, values in found.items():
            totals[name][block] = values
    return totals
