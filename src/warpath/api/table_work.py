"""The rows of a table as one plan fills them, with predecessors and a trace where requested."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.api.run import narrowed, run_plan, too_wide, traced_run
from warpath.base.dtypes import unreachable
from warpath.base.errors import DistanceOverflowError
from warpath.base.progress import share
from warpath.engines.dense import sums_fit_int32
from warpath.engines.staged.tiles import Tiles
from warpath.graph.checks import on_host
from warpath.graph.zones import at_home, opened
from warpath.recipes import Loop
from warpath.recipes.recipe import WHOLE_TABLES
from warpath.results.predecessors import as_labels, search, searched, tree, without_unreached
from warpath.results.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.base.dtypes import Array
    from warpath.base.progress import Report
    from warpath.engines.base import Problem
    from warpath.graph import Graph
    from warpath.planner.plan import Plan


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
