"""What the distances from each source add up to, without a table of them."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from warpath.api.nearest import nearest_of
from warpath.api.pairs import solved_pairs
from warpath.api.prepared import with_hierarchy_if_faster
from warpath.api.question import Runners
from warpath.api.run import run_totals
from warpath.api.table import solved_table, table_of
from warpath.base.errors import DistanceOverflowError
from warpath.base.progress import watch
from warpath.engines.shared_rows import SharedRows
from warpath.planner.cpu_model import Destination
from warpath.planner.kinds import kind_of
from warpath.results.totals import Reduced, RowTotals, Totals, checked_names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from warpath.api.options import Options
    from warpath.api.question import Progress, Question
    from warpath.base.dtypes import Array
    from warpath.engines.base import Problem
    from warpath.graph import Graph
    from warpath.graph.solvable import SolvableGraph
    from warpath.planner.plan import Plan
    from warpath.results.totals import Reduction


def totals_of(
    options: Options, question: Question, reduce: str | Sequence[str] | Reduction, runners: Runners
) -> Totals:
    """Return the totals of the distances from each source; see `warpath.totals`."""
    names = checked_names(reduce)
    graph, sources, start = question.graph, question.sources, time.perf_counter()
    if "sum" in names:
        _refuse_overflow(graph if graph.turns is None else question.view.inner, question.width)
    size = question.size(Destination.TOTALS)
    options = with_hierarchy_if_faster(graph, options, size)
    chosen = options.plan(size, graph)
    values = None
    if names and question.entries is None and not question.is_empty:
        values, chosen = runners.totals(options, question, names, chosen)
    if values is None:
        rows = (
            Reduced(graph, sources, reduce)
            if callable(reduce)
            else RowTotals(len(sources), graph.dist_dtype, names)
        )
        question = question.but(out=rows.add)
        if question.entries is not None or question.is_empty:
            table = table_of(options, question, runners.table)
        else:
            table = runners.table(options, question, size)
        chosen, values = cast("Plan", table.plan), rows.values
    stats = {"seconds": time.perf_counter() - start}
    return Totals(graph, sources, values, plan=chosen, stats=stats)


def solved_totals(
    options: Options, question: Question, names: tuple[str, ...], chosen: Plan
) -> tuple[dict[str, Array] | None, Plan]:
    """Return totals that are made without a table, and the plan; None where no engine makes them.

    A closed vertex has its distance to itself changed in rows of a table.
    """
    del options
    graph = question.graph
    if graph.turns is None and graph.first_through:
        return None, chosen
    view, problem = question.view, question.problem(question.view)
    shares = devices_with_same_sums(chosen, problem, names)
    if len(shares) > 1:
        return _shared_totals(view, shares, problem, names, question.progress), chosen
    return run_totals(view, shares[0], problem, names, question.progress), chosen


def _refuse_overflow(graph: Graph, columns: int) -> None:
    """Raise DistanceOverflowError where a sum of so many distances may not fit 64 bits."""
    longest = graph.facts(symmetry=False).longest
    if longest * columns >= 2**63:
        raise DistanceOverflowError(
            f"a sum of {columns:,} distances of up to {longest:,} may not fit 64 bits: use float64 "
            "weights (graph.astype('float64')), or fewer targets."
        )


class _NoTotals(Exception):  # noqa: N818 - an answer, which ends all devices as an error does
    """A device has no totals of this algorithm."""


def devices_with_same_sums(
    chosen: Plan, problem: Problem, names: Sequence[str]
) -> tuple[Plan, ...]:
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


def _shared_totals(
    view: SolvableGraph,
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
            values = run_totals(view, plan, some, names, None)
            if values is None:
                raise _NoTotals
            parts.append((rows, values))
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
    for block, part in parts:
        for name, values in part.items():
            totals[name][block] = values
    return totals


#: The calls that run in this process.
ON_THIS_MACHINE = Runners(solved_table, solved_pairs, nearest_of, solved_totals)
