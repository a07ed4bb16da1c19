"""A table filled by a plan, block by block where it goes to a file."""

from __future__ import annotations

import os
import time
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from warpath.api.prepared import decided
from warpath.api.run import narrowed, run_plan, too_wide, traced_run, with_own_names
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
from warpath.engines.base import Problem
from warpath.engines.dense import sums_fit_int32
from warpath.engines.shared_rows import SharedRows
from warpath.engines.staged.tiles import Tiles, all_pairs
from warpath.graph.checks import checked_bool, on_host
from warpath.graph.fingerprint import digest_of, fingerprint
from warpath.graph.turns import ends_of_turns, expanded, refuse_turns
from warpath.graph.zones import arrivals, at_home, opened, refuse_areas
from warpath.planner.cpu_model import Destination, Size
from warpath.planner.kinds import kind_of
from warpath.planner.wish import DEFAULT
from warpath.recipes import Loop, Task
from warpath.recipes.recipe import WHOLE_TABLES
from warpath.results.distance_table import DistanceTable
from warpath.results.predecessors import as_labels, search, searched, tree, without_unreached
from warpath.results.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from warpath.api.options import Options
    from warpath.api.run import Progress
    from warpath.base.dtypes import Array
    from warpath.base.progress import Report
    from warpath.graph import Graph
    from warpath.io.journal import Question
    from warpath.io.streams import NpyFile
    from warpath.planner.plan import Plan
    from warpath.results.route import Route


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
    from warpath.engines.staged.blocks import HostBlocks, HostMemory

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


class TableRequest(NamedTuple):
    """What a call requests of a table.

    Attributes
    ----------
    dtype : of the distances.
    out : where they go; see `warpath.io.outputs.output_of`.
    predecessors, trace : whether they are kept as well.
    """

    dtype: np.dtype[Any]
    out: Any = None
    predecessors: bool = False
    trace: bool = False


def check_trace(chosen: Plan) -> None:
    """Raise NotSupportedError where the plan counts nothing that a trace could hold."""
    if chosen.shares or kind_of(chosen.device).cluster:
        msg = "several devices keep no trace: trace one of them, as device='cpu' or 'cuda'."
        raise NotSupportedError(msg)
    if not kind_of(chosen.device).traces(chosen.recipe):
        msg = (
            f"{chosen.algorithm} counts no relaxations on a GPU, which are its kernels' own: leave "
            "trace out, or trace a published variant (warpath algorithms --device cuda)."
        )
        raise NotSupportedError(msg)
    if chosen.staged is not None:
        msg = (
            f"{chosen.algorithm} has no trace where tiles of the matrix pass through memory: leave "
            "trace out."
        )
        raise NotSupportedError(msg)


def check_predecessors(graph: Graph, chosen: Plan, problem: Problem, request: TableRequest) -> None:
    """Raise where predecessors cannot be kept, or would take more memory than is free."""
    refuse_areas(graph, "predecessors=True")
    out = request.out
    if not (out is None or isinstance(out, np.ndarray) or hasattr(out, "__cuda_array_interface__")):
        msg = (
            "predecessors=True fills an array in memory, but out= is a file or a function: leave "
            "one of them out. DistanceTable.path finds routes from the distances alone."
        )
        raise InputError(msg)
    on_gpu = hasattr(out, "__cuda_array_interface__")
    if on_gpu and not (chosen.recipe.predecessors and problem.targets is None):
        msg = (
            f"{chosen.algorithm} keeps no predecessors on the GPU, where out= lies: leave out= "
            "out, or predecessors."
        )
        raise NotSupportedError(msg)
    width = graph.n if problem.targets is None else len(problem.targets)
    bytes_ = len(problem.sources) * width * graph.indices.dtype.itemsize
    free, distances = settings.memory(), 0 if kind_of(chosen.device).own_memory else chosen.bytes
    if distances + bytes_ > free:
        msg = (
            f"predecessors would take {units.size(bytes_)} next to the {units.size(distances)} of "
            f"{chosen.algorithm}, but {units.size(free)} are free: leave predecessors out, for "
            "DistanceTable.path finds routes from the distances, or select fewer sources."
        )
        raise NotEnoughMemoryError(msg)


def question(graph: Graph, chosen: Plan, problem: Problem, request: TableRequest) -> Question:
    """Return what the bytes of a table depend on: a file is only continued by the same."""
    loose = chosen.recipe.reassociates and graph.dist_dtype.kind == "f"
    everything = "all vertices"
    return {
        "graph": fingerprint(graph),
        "sources": digest_of([problem.sources]),
        "targets": everything if problem.targets is None else digest_of([problem.targets]),
        "cutoff": str(problem.cutoff),
        "type": str(request.dtype),
        "order of sums": chosen.algorithm if loose or not chosen.recipe.exact else "along the path",
    }


@dataclass
class TableWork:
    """The rows of one table that a plan fills.

    Attributes
    ----------
    problem : with the columns as the opened graph has them; None for all vertices.
    names : (t,) the columns in the graph's own indices.
    pred : (k, t), or None.
    edges : what Dijkstra would relax for the rows traced so far.
    """

    graph: Graph
    plan: Plan
    problem: Problem
    names: Array
    pred: Array | None
    trace: Trace | None
    edges: int = 0

    def __post_init__(self) -> None:
        self.inner = opened(self.graph)

    def fill(self, block: slice, into: Any, report: Report | None) -> dict[str, Any]:
        """Put the distances of a block of rows into `into`; keep predecessors and the trace."""
        try:
            stats = self._solve(block, into, report)
        except DistanceOverflowError:
            if not self._may_fit():
                raise
            stats = self._row_by_row(block, into)
        self._at_home(block, into)
        return stats

    def _solve(self, block: slice, into: Any, report: Report | None) -> dict[str, Any]:
        """Solve a block by the plan; raises where any distance on the way does not fit."""
        recipe = self.plan.recipe
        picked = self.problem.targets is not None
        at_once = recipe.loop in WHOLE_TABLES
        by_rows = self.pred is not None and not recipe.predecessors
        if picked and at_once:
            return self._from_square(into, report)
        if picked and by_rows:
            return self._from_whole_rows(block, into, report)
        pred = None if self.pred is None or by_rows else self.pred[block]
        stats = self._run(block, into, pred, report)
        if self.pred is not None and by_rows:
            self._trees(block, into, self.pred[block])
        return stats

    def _may_fit(self) -> bool:
        """Say whether a distance that does not fit may not be the answer.

        It may lie beyond the cutoff, or be a closed vertex's round trip, or end at another vertex
        than the targets; or another source may reach a negative cycle.
        """
        problem, facts = self.problem, self.inner.facts(symmetry=False)
        long = not facts.integer or 2 * facts.longest >= unreachable(self.inner.dist_dtype)
        apart = problem.cutoff is not None or self.graph.first_through > 0
        cycle = facts.negative > 0 and len(problem.sources) > 1
        return apart or cycle or (long and problem.targets is not None)

    def _row_by_row(self, block: slice, into: Any) -> dict[str, Any]:
        """Search from one source after another, for distances of the table alone.

        A negative cycle that one source reaches is raised even where another source has a distance
        that does not fit, whichever comes first.
        """
        start = time.perf_counter()
        sources, pred = self.problem.sources[block], None if self.pred is None else self.pred[block]
        rows = np.empty((len(sources), len(self.names)), self.graph.dist_dtype)
        misfits: list[OverflowError] = []

        def one(at: int) -> None:
            s = int(sources[at])
            try:
                dist, through = searched(self.graph, s, self.problem.cutoff, self.names)
            except OverflowError as error:
                misfits.append(error)
                return
            rows[at] = dist[self.names]
            if pred is not None:
                pred[at] = without_unreached(through, dist)[self.names]

        self._on_threads(one, len(sources))
        if misfits:
            raise too_wide(misfits[0], into.dtype)
        _put(narrowed(rows, into.dtype), into)
        return {"seconds": time.perf_counter() - start}

    def _on_threads(self, one: Callable[[int], None], count: int) -> None:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(max(1, self.plan.threads)) as pool:
            for _ in pool.map(one, range(count)):
                pass

    def _run(
        self, block: slice, into: Any, pred: Any, report: Report | None, *, whole: bool = False
    ) -> dict[str, Any]:
        """Fill rows by the plan, of the requested columns or of all vertices (`whole`)."""
        problem = replace(self.problem, sources=self.problem.sources[block])
        if whole:
            problem = replace(problem, targets=None)
        if self.plan.recipe.loop in WHOLE_TABLES:  # closed vertices have rows that none asks for
            problem = replace(problem, sources=np.arange(self.inner.n))
        trace = None if self.trace is None else Trace()
        tiles = None if self.plan.staged is None else Tiles(self.plan.staged)
        _, stats = run_plan(
            self.graph,
            self.plan,
            problem,
            out=into,
            pred=pred,
            progress=report,
            trace=trace,
            tiles=tiles,
        )
        most = unreachable(into.dtype)
        if problem.cutoff is not None and self.plan.recipe.loop is not Loop.DIJKSTRA:
            beyond = into > min(problem.cutoff, most)
            into[beyond] = most
            if pred is not None:
                pred[on_host(beyond)] = -1
        if trace is not None:
            self._traced(trace, into if problem.targets is None else None)
        return stats

    def _traced(self, block: Trace, rows: Any) -> None:
        """Append the rounds of a block, and count the edges out of what its whole rows reach."""
        assert self.trace is not None  # noqa: S101 - the caller's promise
        for one in block:
            self.trace.add(replace(one, number=len(self.trace)))
        if isinstance(rows, np.ndarray):
            degrees = np.diff(self.inner.indptr)
            self.edges += sum(int(degrees[row != unreachable(row.dtype)].sum()) for row in rows)

    def _from_square(self, into: Any, report: Report | None) -> dict[str, Any]:
        """Solve all pairs of the opened graph, and keep the requested rows and columns."""
        n, columns = self.inner.n, self.problem.targets
        assert columns is not None  # noqa: S101 - the caller's promise
        square = np.empty((n, n), self._wide(into.dtype))
        kept = self.pred is not None and self.plan.recipe.predecessors
        pred = np.empty((n, n), self.inner.indices.dtype) if kept else None
        stats = self._run(slice(None), square, pred, report, whole=True)
        sources = self.problem.sources
        found = np.ascontiguousarray(square[np.ix_(sources, columns)])
        _put(narrowed(found, into.dtype), into)
        if self.pred is None:
            return stats
        if pred is not None:
            self.pred[:] = pred[np.ix_(sources, columns)]
        else:
            self._trees(slice(None), square[sources], self.pred)
        return stats

    def _from_whole_rows(self, block: slice, into: Any, report: Report | None) -> dict[str, Any]:
        """Solve whole rows, a few at a time: a tree needs them."""
        assert self.pred is not None  # noqa: S101 - the caller's promise
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
            self._trees(rows, wide, self.pred[rows])
            stats = {key: stats.get(key, 0) + value for key, value in counted.items()}
        return stats

    def _trees(self, block: slice, rows: Array, into: Array) -> None:
        """Put the tree of each row, all vertices of the opened graph, into rows of `into`.

        Floats that were added in another order than along the paths make no tree: there a search
        finds the labels once more.
        """
        inner, cutoff = self.inner, self.problem.cutoff
        sources, columns = self.problem.sources[block], self.problem.targets
        loose = self.plan.recipe.reassociates and inner.dist_dtype.kind == "f"
        cut = cutoff is not None and inner.facts(symmetry=False).negative > 0

        def one(at: int) -> None:
            s = int(sources[at])
            if loose or cut:
                labels, through = search(inner, s, cutoff)
                found = without_unreached(through, labels)
            else:
                found = tree(inner, s, as_labels(inner, rows[at]))
            into[at] = found if columns is None else found[columns]

        self._on_threads(one, len(sources))

    def _wide(self, dtype: np.dtype[Any]) -> np.dtype[Any]:
        """Return the type for distances of which some are no part of the table.

        Those may not fit the table's own type.
        """
        return dtype if sums_fit_int32(self.inner) else self.graph.dist_dtype

    def _at_home(self, block: slice, into: Any) -> None:
        """Put closed vertices at 0 from themselves, without a predecessor."""
        sources = self.problem.sources[block]
        at_home(self.graph, sources, self.names, into)
        if self.pred is not None and self.graph.first_through:
            self.pred[block][sources[:, None] == self.names[None, :]] = -1

    def end_trace(self, stats: dict[str, Any]) -> None:
        """Say in the trace what was traced."""
        if self.trace is None:
            return
        k = len(self.problem.sources)
        name = "all" if k == self.graph.n else f"{k} sources"
        self.trace.run = traced_run(self.plan, self.graph, name, self.edges, stats["seconds"])
        stats |= asdict(self.trace.totals())


def _put(rows: Array, into: Any) -> None:
    """Put rows of the host into an array of the host or of a GPU."""
    if isinstance(into, np.ndarray):
        into[:] = rows
    else:  # an array of a GPU takes one of the host by this only
        into.set(rows)


def table_of(
    graph: Graph,
    options: Options,
    problem: Problem,
    request: TableRequest,
    progress: Progress,
    find_route: Callable[[Any, Any], Route],
) -> DistanceTable:
    """Return a table of distances; see `warpath.distances` and `warpath.apsp`.

    Parameters
    ----------
    find_route : returns a route from a source to a target.
    """
    if graph.turns is not None:
        return turned_table(graph, options, problem, request, progress, find_route)
    width = graph.n if problem.targets is None else len(problem.targets)
    place = place_of(graph, problem, request)
    size = Size(problem.task, len(problem.sources), width, request.dtype.itemsize, place)
    return solved_table(graph, problem, size, decided(graph, options, size), request, progress)


def turned_table(
    graph: Graph,
    options: Options,
    problem: Problem,
    request: TableRequest,
    progress: Progress,
    find_route: Callable[[Any, Any], Route],
) -> DistanceTable:
    """Return a table of distances between the vertices of a graph with turns.

    Parameters
    ----------
    problem : rows and columns in the graph's own indices.
    find_route : returns a route from a source to a target.

    Raises
    ------
    NotSupportedError
        If predecessors are requested: the vertex before the target depends on the turn there.
    """
    if request.predecessors:
        refuse_turns(graph, "predecessors=True")
    inner, rows = expanded(graph), problem.sources
    columns = np.arange(graph.n) if problem.targets is None else problem.targets
    within = Problem(Task.MANY, rows, ends_of_turns(graph, columns), problem.cutoff)
    place = place_of(inner, within, request)
    size = Size(Task.MANY, len(rows), len(columns), request.dtype.itemsize, place)
    found = solved_table(inner, within, size, options.for_graph(inner), request, progress)
    return DistanceTable(
        graph,
        rows,
        columns,
        found.dist,
        cutoff=found.cutoff,
        plan=with_own_names(found.plan, inner, graph),
        stats=found.stats,
        trace=found.trace,
        reassociated=found.reassociated,
        find_route=find_route,
    )
