"""Tables of distances: planned with the destination of their rows, and filled block by block.

The file is one idea: a table, from its plan to its rows, predecessors and trace.
"""

from __future__ import annotations

import os
import time
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np

from warpath.api.prepared import with_hierarchy_if_faster
from warpath.api.run import may_fit, narrowed, run_plan, too_wide, traced_run, with_own_names
from warpath.base import settings, units
from warpath.base.dtypes import unreachable
from warpath.base.errors import (
    DistanceOverflowError,
    InputError,
    NotEnoughMemoryError,
    NotSupportedError,
    interrupts_first,
)
from warpath.base.progress import share, watch
from warpath.engines import cpu
from warpath.engines.shared_rows import SharedRows
from warpath.engines.staged.tiles import Tiles
from warpath.graph.checks import on_host
from warpath.graph.fingerprint import digest_of, fingerprint
from warpath.graph.links import arriving, before_least, between, direct_pairs, least_sums, leaving
from warpath.graph.turns import refuse_turns
from warpath.graph.zones import at_home, refuse_areas
from warpath.planner.cpu_model import Destination, Size
from warpath.planner.kinds import SEVERAL_TRACES, kind_of
from warpath.planner.request import DEFAULT
from warpath.recipes import Loop, Task
from warpath.recipes.recipe import WHOLE_TABLES
from warpath.results.distance_table import DistanceTable
from warpath.results.predecessors import as_labels, search, searched, tree, without_unreached
from warpath.results.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from warpath.api.options import Options
    from warpath.api.question import Question
    from warpath.base.dtypes import Array
    from warpath.base.progress import Report
    from warpath.engines.base import Problem
    from warpath.graph import Graph
    from warpath.graph.places import Snapped
    from warpath.graph.solvable import SolvableGraph
    from warpath.io import journal
    from warpath.io.streams import NpyFile
    from warpath.planner.plan import Plan
    from warpath.results.route import Route


class Solve(Protocol):
    """Fills a table between vertices: on this machine, or by the workers of a cluster."""

    def __call__(self, options: Options, question: Question, size: Size) -> DistanceTable:
        """Return the table."""


def table_of(
    options: Options,
    question: Question,
    solve: Solve,
    find_route: Callable[[Any, Any], Route] | None = None,
) -> DistanceTable:
    """Return a table of distances; see `warpath.distances` and `warpath.apsp`.

    Parameters
    ----------
    find_route : returns a route from an entry of the rows to one of the columns.
    """
    if question.entries is not None:
        return _linked_table(options, question, question.entries, solve, find_route)
    size = question.size(_destination_of(question))
    if question.is_empty:
        return solved_table(options.on_this_machine(question.graph), question, size)
    return solve(with_hierarchy_if_faster(question.graph, options, size), question, size)


def solved_table(options: Options, question: Question, size: Size | None = None) -> DistanceTable:
    """Plan and fill a table of distances between vertices on this machine.

    Parameters
    ----------
    size : with the destination of the rows; None for a table in memory.
    """
    size = question.size() if size is None else size
    chosen = planned_table(options, question, size)
    graph, view, shape = question.graph, question.view, (len(question.sources), question.width)
    problem, targets = question.problem(view), question.targets
    pred = np.empty(shape, graph.indices.dtype) if question.predecessors else None
    trace = Trace() if question.trace else None
    plans = chosen.shares or (chosen,)  # of each device
    works = [TableWork(view, plan, problem, targets, pred, trace) for plan in plans]
    if question.out is not None:
        array, stats = _sent_out(question, chosen, works)
    else:
        array = np.empty(shape, question.dtype)
        with interrupts_first(), _watched(question, chosen) as report:
            stats = dict(_filling(works, question)(slice(0, shape[0]), array, report))
    stats.setdefault("seconds", 0.0)
    if trace is not None:
        works[0].end_trace(trace, stats)
    return DistanceTable(
        graph,
        question.sources,
        targets,
        array,
        pred=pred,
        cutoff=question.cutoff,
        plan=chosen,
        stats=stats,
        trace=trace,
    )


def _watched(question: Question, chosen: Plan) -> AbstractContextManager[Report | None]:
    at_once = chosen.recipe.loop in WHOLE_TABLES
    return watch(question.progress, chosen.recipe.name, "" if at_once else "sources")


def _sent_out(
    question: Question, chosen: Plan, works: list[TableWork]
) -> tuple[Any, dict[str, Any]]:
    """Fill the destination that `out` names; return its array, and counters of the run."""
    from warpath.io.outputs import output_of  # here, as all of these take 10 ms of `import warpath`

    count, at_once = len(question.sources), chosen.recipe.loop in WHOLE_TABLES
    fill = _filling(works, question)
    stats: dict[str, Any] = {}
    with (
        interrupts_first(),
        output_of(
            question.out,
            (count, question.width),
            question.dtype,
            on_gpu=kind_of(chosen.device).name == "cuda",
            question=lambda: identity_of(chosen, question),
        ) as result,
        _watched(question, chosen) as report,
    ):
        if chosen.staged is not None and _destination_of(question) is Destination.MAPPED:
            (work,), memory = works, chosen.staged
            stats = _staged(
                work.view, chosen, memory, work.problem, cast("NpyFile", result), report
            )
            blocks = []
        else:
            blocks = result.blocks(at_once=at_once, several=rows_at_once(chosen))
        for block in blocks:
            into = result.block(block)
            whole = block == slice(0, count)
            counted = fill(block, into, report if whole else share(report, block, count))
            result.put(block, into)
            if report is not None and not whole:  # a block may end without a report
                report(block.stop, count)
            stats = {key: stats.get(key, 0) + value for key, value in counted.items()}
    if result.resumed and not at_once:
        stats["resumed"] = result.resumed
    return result.array, stats


def planned_table(options: Options, question: Question, size: Size) -> Plan:
    """Return the plan of a table; raise if it cannot keep a requested trace or predecessors.

    A trace is kept on this machine unless another device was requested.
    """
    graph = question.graph
    if question.trace:
        chosen = options.fixed_to(DEFAULT, graph).plan(size, graph)
        _check_trace(chosen)
    else:
        chosen = options.plan(size, graph)
    if question.predecessors:
        _check_predecessors(chosen, question)
    return chosen


def _linked_table(
    options: Options,
    question: Question,
    entries: tuple[Snapped, Snapped],
    solve: Solve,
    find_route: Callable[[Any, Any], Route] | None,
) -> DistanceTable:
    """Return a table of which some entries are points along edges.

    Each vertex that a link of `warpath.graph.links` leads to is searched from once, by the plan
    that the call would have for these vertices; then the least sums of links and distances are
    taken. Sums of floats are formed as (link + distance) + link. Missing entries have no links.
    """
    from warpath.io.outputs import output_of

    graph, cutoff = question.graph, question.cutoff
    _check_linked(question)
    inner, (start, end) = question.view.inner, entries
    rows, columns = leaving(graph, start), arriving(graph, end)
    heads, column = np.unique(columns.vertices, return_inverse=True)
    tails, columns = columns.vertices, columns._replace(vertices=column)
    shape = (len(start.indices), len(end.indices))
    size = Size(Task.MANY, max(1, len(np.unique(rows.vertices))), max(1, len(heads)))
    options = options.but(inner, prepared=options.request.prepared)
    options = with_hierarchy_if_faster(inner, options, size)
    chosen = options.plan(size, inner)
    options = options.fixed_to(chosen.device, inner)  # for each block of rows, however small
    # With negative weights a path within the cutoff may begin with a longer one.
    limit = None if inner.facts(symmetry=False).negative else cutoff
    between_vertices = question.but(
        graph=inner, cutoff=limit, dtype=graph.dist_dtype, targets=heads, entries=None, out=None
    )
    pred = np.empty(shape, graph.indices.dtype) if question.predecessors else None
    stats: dict[str, Any] = {}
    trace = None
    with (
        output_of(
            question.out,
            shape,
            question.dtype,
            question=lambda: (
                identity_of(chosen, question) | {"links": digest_of([*rows, *columns])}
            ),
        ) as result,
        watch(question.progress, chosen.recipe.name, "sources") as report,
    ):
        for block in result.blocks(several=rows_at_once(chosen)):
            links = rows.of(block)
            starts, row = np.unique(links.vertices, return_inverse=True)
            links = links._replace(vertices=row)
            dist, before = np.empty((0, 0), graph.dist_dtype), None
            if len(starts) and len(heads):
                reporting = share(report, block, shape[0])
                part = between_vertices.but(sources=starts, progress=reporting)
                table = solve(options, part, size._replace(sources=len(starts)))
                dist, before, trace = table.dist, table.pred, table.trace
                chosen = cast("Plan", table.plan)
                stats = _added(stats, table.stats)
            values = least_sums(dist, links, columns, (block.stop - block.start, shape[1]))
            i, j = direct_pairs(start, end, block)
            direct = between(graph, start, end, i, j)
            directly = direct <= values[i - block.start, j]
            i, j = i[directly] - block.start, j[directly]
            if pred is not None:
                pred[block] = before_least((dist, before), links, columns, tails, values)
                pred[block][i, j] = -1
            values[i, j] = direct[directly]
            values = cpu.cut(values, cutoff)
            if pred is not None:
                pred[block][values == unreachable(values.dtype)] = -1
            into = result.block(block)
            into[...] = narrowed(values, question.dtype)
            result.put(block, into)
    if result.resumed:
        stats["resumed"] = result.resumed
    stats.setdefault("seconds", 0.0)
    return DistanceTable(
        graph,
        start.indices,
        end.indices,
        result.array,
        pred=pred,
        cutoff=cutoff,
        plan=with_own_names(chosen, inner, graph),
        stats=stats,
        reassociated=True,
        trace=trace,
        find_route=find_route,
        ends=entries,
    )


def _check_linked(question: Question) -> None:
    """Raise NotSupportedError for what tables of points along edges cannot have."""
    if hasattr(question.out, "__cuda_array_interface__"):
        raise NotSupportedError(
            "out= is an array on a GPU, but distances of points along edges are formed on the "
            'host: leave it out, or use Place(..., snap="vertex").'
        )
    if question.predecessors:
        refuse_turns(question.graph, "predecessors=True")
        refuse_areas(question.graph, "predecessors=True")


def _added(stats: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """Return the sums of two blocks' counts and seconds, and the later block's ratios."""
    return {
        key: stats.get(key, 0) + value if isinstance(value, int) or key == "seconds" else value
        for key, value in more.items()
    }


def _filling(
    works: Sequence[TableWork], question: Question
) -> Callable[[slice, Any, Report | None], dict[str, Any]]:
    """Return the function that fills rows by works, each on a device of its own."""
    if question.is_empty:
        return lambda rows, into, report: {}  # noqa: ARG005 - the arguments of a fill
    if len(works) == 1:
        return works[0].fill

    def filling(work: TableWork) -> Callable[[slice, Any], dict[str, Any]]:
        return lambda rows, into: work.fill(rows, into, None)

    count = len(works[0].problem.sources)
    plans = [work.plan for work in works]
    return SharedRows(plans, [filling(work) for work in works], count).fill


def _destination_of(question: Question) -> Destination:
    """Return where a table goes, and whether a file can be the matrix of a dense solve."""
    graph, out = question.graph, question.out
    if out is None:
        return Destination.NEW
    if hasattr(out, "__cuda_array_interface__"):
        return Destination.GPU
    if isinstance(out, np.ndarray):
        return Destination.GIVEN
    mapped = isinstance(out, str | os.PathLike) and os.fspath(out).endswith(".npy")
    own_rows = question.task is Task.APSP and graph.first_through == 0
    if not mapped or not own_rows or question.predecessors:
        return Destination.BLOCKS
    facts = graph.facts(symmetry=False)
    narrow = facts.sums_fit_int32 and not facts.negative
    return (
        Destination.MAPPED if narrow or question.dtype == graph.dist_dtype else Destination.BLOCKS
    )


def identity_of(chosen: Plan, question: Question) -> journal.Question:
    """Return what the bytes of a table depend on: a file is only continued by the same."""
    graph, targets = question.graph, question.targets
    loose = chosen.recipe.reassociates and graph.dist_dtype.kind == "f"
    return {
        "graph": fingerprint(graph if graph.turns is None else question.view.inner),
        "sources": digest_of([question.sources]),
        "targets": "all vertices" if targets is None else digest_of([targets]),
        "cutoff": str(question.cutoff),
        "type": str(question.dtype),
        "order of sums": chosen.algorithm if loose or not chosen.recipe.exact else "along the path",
    }


def _check_trace(chosen: Plan) -> None:
    """Raise NotSupportedError where the plan counts nothing that a trace could hold."""
    msg = SEVERAL_TRACES if chosen.shares else kind_of(chosen.device).trace_objection(chosen.recipe)
    if msg is not None:
        raise NotSupportedError(msg)
    if chosen.staged is not None:
        raise NotSupportedError(
            f"{chosen.algorithm} has no trace where tiles of the matrix pass through memory: leave "
            "trace out."
        )


def _check_predecessors(chosen: Plan, question: Question) -> None:
    """Raise where predecessors cannot be kept, or would take more memory than is free."""
    graph, out = question.graph, question.out
    refuse_turns(graph, "predecessors=True")
    refuse_areas(graph, "predecessors=True")
    if not (out is None or isinstance(out, np.ndarray) or hasattr(out, "__cuda_array_interface__")):
        raise InputError(
            "predecessors=True fills an array in memory, but out= is a file or a function: leave "
            "one of them out. DistanceTable.path finds routes from the distances alone."
        )
    on_gpu = hasattr(out, "__cuda_array_interface__")
    if on_gpu and not (chosen.recipe.predecessors and question.targets is None):
        raise NotSupportedError(
            f"{chosen.algorithm} keeps no predecessors on the GPU, where out= lies: leave out= "
            "out, or predecessors."
        )
    bytes_ = len(question.sources) * question.width * graph.indices.dtype.itemsize
    free, distances = settings.memory(), 0 if kind_of(chosen.device).own_memory else chosen.bytes
    if distances + bytes_ > free:
        raise NotEnoughMemoryError(
            f"predecessors would take {units.size(bytes_)} next to the {units.size(distances)} of "
            f"{chosen.algorithm}, but {units.size(free)} are free: leave predecessors out, for "
            "DistanceTable.path finds routes from the distances, or select fewer sources."
        )


def rows_at_once(chosen: Plan) -> int:
    """Return how many rows of a table a plan should compute at a time."""
    return kind_of(chosen.device).rows_at_once(chosen.threads)


def _staged(
    view: SolvableGraph,
    chosen: Plan,
    memory: int,
    problem: Problem,
    result: NpyFile,
    report: Report | None,
) -> dict[str, Any]:
    """Let tiles of the matrix pass through some bytes; a stopped run goes on where it was."""
    tiles = Tiles(memory, result.journal, result.journal.panels)
    before = result.journal.done()
    _, stats = run_plan(view, chosen, problem, out=result.mapped(), progress=report, tiles=tiles)
    if before is not None:
        stats["resumed"] = min(view.graph.n, before["pivot"] * before["side"])
    return stats


@dataclass
class TableWork:
    """The rows of one table that a plan fills.

    Attributes
    ----------
    problem : in vertices of the graph that is searched.
    targets : (t,) the columns in the graph's own indices; None for all vertices.
    pred : (k, t), or None.
    edges : what Dijkstra would relax for the rows traced so far.
    """

    view: SolvableGraph
    plan: Plan
    problem: Problem
    targets: Array | None
    pred: Array | None
    trace: Trace | None
    edges: int = 0

    @property
    def graph(self) -> Graph:
        """The graph of the table."""
        return self.view.graph

    @property
    def inner(self) -> Graph:
        """The graph that is searched."""
        return self.view.inner

    def _columns(self) -> Array:
        """Return the vertices of the columns: (t,)."""
        return np.arange(self.graph.n) if self.targets is None else self.targets

    def fill(self, block: slice, into: Any, report: Report | None) -> dict[str, Any]:
        """Put the distances of a block of rows into `into`; keep predecessors and the trace."""
        try:
            stats = self._solve(block, into, report)
        except DistanceOverflowError:
            if not may_fit(self.view, self.problem):
                raise
            stats = self._row_by_row(block, into)
        if self.view.inner is not self.view.graph:
            self._at_home(block, into)
        return stats

    def _solve(self, block: slice, into: Any, report: Report | None) -> dict[str, Any]:
        """Solve a block by the plan; raises where any distance on the way does not fit."""
        recipe = self.plan.recipe
        columns, pred = self.problem.targets, self.pred
        trees = None if recipe.predecessors else pred
        if columns is not None and recipe.loop in WHOLE_TABLES:
            return self._from_square(columns, into, report)
        if columns is not None and trees is not None:
            return self._from_whole_rows(block, into, trees, report)
        rows_of_pred = None if pred is None or trees is not None else pred[block]
        stats = self._run(block, into, rows_of_pred, report)
        if trees is not None:
            self._trees(block, into, trees[block])
        return stats

    def _row_by_row(self, block: slice, into: Any) -> dict[str, Any]:
        """Search from one source after another, for distances of the table alone.

        A negative cycle that one source reaches is raised even where another source has a distance
        that does not fit, whichever comes first.
        """
        start = time.perf_counter()
        sources, pred = self.problem.sources[block], None if self.pred is None else self.pred[block]
        columns = self._columns()
        rows = np.empty((len(sources), len(columns)), self.graph.dist_dtype)
        misfits: list[OverflowError] = []

        def search_row(at: int) -> None:
            s = int(sources[at])
            try:
                dist, through = searched(self.graph, s, self.problem.cutoff, columns)
            except OverflowError as error:
                misfits.append(error)
                return
            rows[at] = dist[columns]
            if pred is not None:
                pred[at] = without_unreached(through, dist)[columns]

        self._on_threads(search_row, len(sources))
        if misfits:
            raise too_wide(misfits[0], into.dtype)
        _put(narrowed(rows, into.dtype), into)
        return {"seconds": time.perf_counter() - start}

    def _on_threads(self, function: Callable[[int], None], count: int) -> None:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(max(1, self.plan.threads)) as pool:
            for _ in pool.map(function, range(count)):
                pass

    def _run(
        self, block: slice, into: Any, pred: Any, report: Report | None, *, whole: bool = False
    ) -> dict[str, Any]:
        """Fill rows by the plan, of the requested columns or of all vertices (`whole`)."""
        problem = self.problem
        if block != slice(0, len(problem.sources)):
            problem = replace(problem, sources=problem.sources[block])
        if whole:
            problem = replace(problem, targets=None)
        if self.plan.recipe.loop in WHOLE_TABLES:  # closed vertices have rows that none asks for
            problem = replace(problem, sources=np.arange(self.inner.n))
        trace = None if self.trace is None else Trace()
        tiles = None if self.plan.staged is None else Tiles(self.plan.staged)
        _, stats = run_plan(
            self.view,
            self.plan,
            problem,
            out=into,
            pred=pred,
            progress=report,
            trace=trace,
            tiles=tiles,
        )
        if problem.cutoff is not None and self.plan.recipe.loop is not Loop.DIJKSTRA:
            most = unreachable(into.dtype)
            beyond = into > min(problem.cutoff, most)
            into[beyond] = most
            if pred is not None:
                pred[on_host(beyond)] = -1
        if trace is not None and self.trace is not None:
            self._traced(self.trace, trace, into if problem.targets is None else None)
        return stats

    def _traced(self, whole: Trace, block: Trace, rows: Any) -> None:
        """Append the rounds of a block, and count the edges out of what its whole rows reach."""
        for traced_round in block:
            whole.add(replace(traced_round, number=len(whole)))
        if isinstance(rows, np.ndarray):
            degrees = np.diff(self.inner.indptr)
            self.edges += sum(int(degrees[row != unreachable(row.dtype)].sum()) for row in rows)

    def _from_square(self, columns: Array, into: Any, report: Report | None) -> dict[str, Any]:
        """Solve all pairs of the searched graph, and keep the requested rows and columns."""
        n = self.inner.n
        square = np.empty((n, n), self._wide(into.dtype))
        with_pred = self.pred is not None and self.plan.recipe.predecessors
        pred = np.empty((n, n), self.inner.indices.dtype) if with_pred else None
        stats = self._run(slice(None), square, pred, report, whole=True)
        sources = self.problem.sources
        rows = np.ascontiguousarray(square[np.ix_(sources, columns)])
        _put(narrowed(rows, into.dtype), into)
        if self.pred is None:
            return stats
        if pred is not None:
            self.pred[:] = pred[np.ix_(sources, columns)]
        else:
            self._trees(slice(None), square[sources], self.pred)
        return stats

    def _from_whole_rows(
        self, block: slice, into: Any, pred: Array, report: Report | None
    ) -> dict[str, Any]:
        """Solve whole rows, a few at a time: a tree needs them."""
        from warpath.io.streams import BLOCK_BYTES

        n = self.inner.n
        stats: dict[str, Any] = {}
        dtype = self._wide(into.dtype)
        step = max(self.plan.threads, BLOCK_BYTES // max(1, n * dtype.itemsize))
        for start in range(block.start, block.stop, step):
            rows = slice(start, min(start + step, block.stop))
            wide = np.empty((rows.stop - rows.start, n), dtype)
            reporting = share(report, rows, len(self.problem.sources))
            counted = self._run(rows, wide, None, reporting, whole=True)
            picked = narrowed(wide[:, self.problem.targets], into.dtype)
            into[rows.start - block.start : rows.stop - block.start] = picked
            self._trees(rows, wide, pred[rows])
            stats = {key: stats.get(key, 0) + value for key, value in counted.items()}
        return stats

    def _trees(self, block: slice, rows: Array, into: Array) -> None:
        """Put the tree of each row, all vertices of the searched graph, into rows of `into`.

        Floats that were added in another order than along the paths make no tree: there a search
        finds the labels once more.
        """
        inner, cutoff = self.inner, self.problem.cutoff
        sources, columns = self.problem.sources[block], self.problem.targets
        loose = self.plan.recipe.reassociates and inner.dist_dtype.kind == "f"
        cut = cutoff is not None and inner.facts(symmetry=False).negative > 0

        def make_tree(at: int) -> None:
            s = int(sources[at])
            if loose or cut:
                labels, through = search(inner, s, cutoff)
                pred = without_unreached(through, labels)
            else:
                pred = tree(inner, s, as_labels(inner, rows[at]))
            into[at] = pred if columns is None else pred[columns]

        self._on_threads(make_tree, len(sources))

    def _wide(self, dtype: np.dtype[Any]) -> np.dtype[Any]:
        """Return the type for distances of which some are no part of the table.

        Those may not fit the table's own type.
        """
        return dtype if self.inner.facts(symmetry=False).sums_fit_int32 else self.graph.dist_dtype

    def _at_home(self, block: slice, into: Any) -> None:
        """Put closed vertices at 0 from themselves, without a predecessor."""
        sources = self.problem.sources[block]
        if self.graph.turns is None and self.graph.first_through:
            columns = self._columns()
            at_home(self.graph, sources, columns, into)
            if self.pred is not None:
                self.pred[block][sources[:, None] == columns[None, :]] = -1

    def end_trace(self, trace: Trace, stats: dict[str, Any]) -> None:
        """Say in the trace what was traced."""
        k = len(self.problem.sources)
        name = "all" if k == self.graph.n else f"{k} sources"
        trace.run = traced_run(self.plan, self.graph, name, self.edges, stats["seconds"])
        stats |= asdict(trace.totals())


def _put(rows: Array, into: Any) -> None:
    """Put rows of the host into an array of the host or of a GPU."""
    if isinstance(into, np.ndarray):
        into[:] = rows
    else:  # an array of a GPU takes one of the host by this only
        into.set(rows)
