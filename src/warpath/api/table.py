"""A table filled by a plan, block by block where it goes to a file."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from warpath.api.run import run_plan
from warpath.api.shared_rows import SharedRows
from warpath.api.table_request import TableRequest, check_predecessors, check_trace, question
from warpath.api.table_work import TableWork
from warpath.base.errors import interrupts_first
from warpath.base.progress import share, watch
from warpath.engines.dense import sums_fit_int32
from warpath.engines.staged.tiles import Tiles, all_pairs
from warpath.graph.checks import checked_bool
from warpath.graph.zones import arrivals
from warpath.planner.cpu_model import Destination
from warpath.planner.kinds import kind_of
from warpath.planner.wish import DEFAULT
from warpath.recipes import Task
from warpath.recipes.recipe import WHOLE_TABLES
from warpath.results.distance_table import DistanceTable
from warpath.results.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from warpath.api.options import Options
    from warpath.api.run import Progress
    from warpath.base.dtypes import Array
    from warpath.base.progress import Report
    from warpath.engines.base import Problem
    from warpath.graph import Graph
    from warpath.io.streams import NpyFile
    from warpath.planner.cpu_model import Size
    from warpath.planner.plan import Plan


def solved_table(
    graph: Graph,
    problem: Problem,
    size: Size,
    options: Options,
    request: TableRequest,
    progress: Progress,
) -> DistanceTable:
    """Plan and fill a table.

    Parameters
    ----------
    problem : rows and columns in the graph's own indices.
    """
    from warpath.io.outputs import output_of  # here, as all of these take 10 ms of `import warpath`

    if checked_bool(request.trace, "trace"):
        chosen = options.settled(graph, DEFAULT).plan(size, graph)  # it traces everything
        check_trace(chosen)
    else:
        chosen = options.plan(size, graph)
    if request.predecessors:
        check_predecessors(graph, chosen, problem, request)
    rows = problem.sources
    names = np.arange(graph.n) if problem.targets is None else problem.targets
    shape = (len(rows), len(names))
    pred = np.empty(shape, graph.indices.dtype) if request.predecessors else None
    if kind_of(chosen.device).cluster:
        from warpath.api.clustered import clustered_table

        return clustered_table(graph, problem, options, request, chosen, pred, progress)
    works = [
        TableWork(
            graph,
            plan,
            replace(problem, targets=_columns(graph, problem, names)),
            names,
            pred,
            Trace() if request.trace else None,
        )
        for plan in chosen.shares or (chosen,)
    ]
    work = works[0]
    fill = work.fill if len(works) == 1 else _shared(works)
    at_once = chosen.recipe.loop in WHOLE_TABLES
    stats: dict[str, Any] = {}
    with (
        interrupts_first(),
        output_of(
            request.out,
            shape,
            request.dtype,
            on_gpu=kind_of(chosen.device).own_memory,
            question=lambda: question(graph, chosen, problem, request),
        ) as result,
        watch(progress, chosen.recipe.name, "" if at_once else "sources") as report,
    ):
        if chosen.staged is not None and size.place is Destination.MAPPED:
            stats = _staged(graph, chosen, problem, cast("NpyFile", result), report)
            blocks = []
        else:
            blocks = result.blocks(at_once=at_once, several=rows_at_once(chosen))
        for block in blocks:
            into = result.block(block)
            whole = block == slice(0, len(rows))
            reporting = report if whole else share(report, block, len(rows))
            counted = fill(block, into, reporting)
            result.put(block, into)
            if report is not None and not whole:  # a block may end without a report
                report(block.stop, len(rows))
            stats = {key: stats.get(key, 0) + value for key, value in counted.items()}
    if result.resumed and not at_once:
        stats["resumed"] = result.resumed
    stats.setdefault("seconds", 0.0)
    work.end_trace(stats)
    return DistanceTable(
        graph,
        rows,
        names,
        result.array,
        pred=work.pred,
        cutoff=problem.cutoff,
        plan=chosen,
        stats=stats,
        trace=work.trace,
    )


def _shared(works: Sequence[TableWork]) -> Callable[[slice, Any, Report | None], dict[str, Any]]:
    """Return the function that fills rows by several works, each on a device of its own."""

    def filling(work: TableWork) -> Callable[[slice, Any], dict[str, Any]]:
        return lambda rows, into: work.fill(rows, into, None)

    count = len(works[0].problem.sources)
    plans = [work.plan for work in works]
    return SharedRows(plans, [filling(work) for work in works], count).fill


def place_of(graph: Graph, problem: Problem, request: TableRequest) -> Destination:
    """Return where a table goes, and whether a file can be the matrix of a dense solve."""
    out = request.out
    checked_bool(request.predecessors, "predecessors")
    if out is None:
        return Destination.NEW
    if hasattr(out, "__cuda_array_interface__"):
        return Destination.GPU
    if isinstance(out, np.ndarray):
        return Destination.GIVEN
    mapped = isinstance(out, str | os.PathLike) and os.fspath(out).endswith(".npy")
    if not mapped or problem.task is not Task.APSP or graph.first_through or request.predecessors:
        return Destination.BLOCKS
    narrow = sums_fit_int32(graph) and not graph.facts(symmetry=False).negative
    return Destination.MAPPED if narrow or request.dtype == graph.dist_dtype else Destination.BLOCKS


def rows_at_once(chosen: Plan) -> int:
    """Return how many rows of a table a plan should compute at a time."""
    return kind_of(chosen.device).rows_at_once(chosen.threads)


def _staged(
    graph: Graph, chosen: Plan, problem: Problem, result: NpyFile, report: Report | None
) -> dict[str, Any]:
    """Let tiles of the matrix pass through the device; a stopped run goes on where it was."""
    assert chosen.staged is not None  # noqa: S101 - the caller's promise
    tiles = Tiles(chosen.staged, result.journal, result.journal.panels)
    before = result.journal.done()
    if not kind_of(chosen.device).own_memory:
        stats = _staged_here(graph, chosen, result.mapped(), tiles, report)
    else:
        _, stats = run_plan(
            graph, chosen, problem, out=result.mapped(), progress=report, tiles=tiles
        )
    if before is not None:
        stats["resumed"] = min(graph.n, before["pivot"] * before["side"])
    return stats


def _staged_here(
    graph: Graph, chosen: Plan, matrix: Array, tiles: Tiles, report: Report | None
) -> dict[str, Any]:
    from warpath.engines.staged.host import HostBlocks, HostMemory

    narrow = graph.dist_dtype.kind == "i" and sums_fit_int32(graph)
    blocks = HostBlocks(np.int32 if narrow else graph.dist_dtype, chosen.threads)
    start = time.perf_counter()
    all_pairs(
        graph,
        matrix,
        blocks,
        HostMemory(),
        tiles.memory,
        tiles.journal,
        tiles.panels,
        report,
        threads=chosen.threads,
    )
    return {"seconds": time.perf_counter() - start}


def _columns(graph: Graph, problem: Problem, names: Array) -> Array | None:
    whole = problem.targets is None and not graph.first_through
    return None if whole else arrivals(graph, names)
