"""One source with one delta after another: time, and the work and rounds that it comes to."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

from warpath.api import calls
from warpath.base.errors import InputError
from warpath.graph import Graph
from warpath.planner.kinds import kind_of
from warpath.plot.sweep import Sweep, Swept
from warpath.recipes import CATALOGUE, Task
from warpath.recipes.params import chosen_params

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warpath.base.progress import Report

#: The factors of an algorithm's own delta that are tried: 1/64 to 64.
FACTORS = tuple(2.0**power for power in range(-6, 7))


def delta_sweep(
    graph: Graph,
    source: Any,
    algorithm: str = "warpath.buckets",
    *,
    factors: Sequence[float] = FACTORS,
    repeats: int = 5,
    device: str = "auto",
    threads: int | None = None,
    report: Report | None = None,
) -> Sweep:
    """Measure an algorithm with several widths of its buckets.

    Parameters
    ----------
    graph, source, device, threads : as in `sssp`.
    algorithm : one that takes a ``delta``.
    factors : of the delta that it chooses itself; of widths that come out equal one is measured.
    repeats : solves for each, after a warm-up; work and rounds are counted by one more.
    report : called with (solves done, solves in all).

    Raises
    ------
    InputError
        If the algorithm is unknown or takes no delta.
    """
    able = [
        recipe.name
        for recipe in CATALOGUE
        if Task.SSSP in recipe.solves and any(param.name == "delta" for param in recipe.params)
    ]
    if algorithm not in able:
        msg = f"{algorithm!r} takes no delta from one source; these do: {', '.join(able)}."
        raise InputError(msg)
    graph = Graph.of(graph)
    call: dict[str, Any] = {"algorithm": algorithm, "device": device, "threads": threads}
    facts = graph.facts(symmetry=False)
    first = calls.sssp(graph, source, **call)
    default = float(first.plan.params["delta"])
    tried = ({"delta": default * factor} for factor in factors)
    chosen = {chosen_params(CATALOGUE[algorithm], facts, given)["delta"] for given in tried}
    points: list[Swept] = []
    for delta in sorted(chosen):
        params = {"delta": delta}
        calls.sssp(graph, source, params=params, **call)
        seconds = None
        if kind_of(first.plan.device).timed:
            seconds = median(
                calls.sssp(graph, source, params=params, **call).stats["seconds"]
                for _ in range(repeats)
            )
        traced = calls.sssp(graph, source, params=params, trace=True, **call)
        assert traced.trace is not None  # noqa: S101 - it was requested
        totals = traced.trace.totals()
        points.append(Swept(delta, seconds, totals.work_ratio, totals.rounds))
        if report is not None:
            report(len(points), len(chosen))
    return Sweep(algorithm, default, tuple(points))
