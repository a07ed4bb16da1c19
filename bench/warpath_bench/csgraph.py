"""``warpath bench csgraph``: time the same calls of `warpath.csgraph` and of SciPy's module.

A time covers a whole call: reading the matrix, solving, and making the arrays of the answer. All
answers are compared, untimed.
"""

from __future__ import annotations

import argparse
import sys
import time
from functools import cache, partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath import csgraph
from warpath.base import settings, units
from warpath.base.errors import VerificationError, require
from warpath.graph import generate
from warpath_bench.right import answers
from warpath_bench.run import commit, facts_text
from warpath_bench.suite import CPU
from warpath_bench.workloads import COLUMNS, typed, workload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from warpath.base.dtypes import Array
    from warpath.graph import Graph

#: Kinds of weights by their names here: whole numbers and their tenths, both in float64.
KINDS = {"whole": "int", "tenths": "float"}


class Call(NamedTuple):
    """A call of both modules.

    Attributes
    ----------
    title : its name in the table.
    solve : (module, matrix, sources) -> distances, or distances and predecessors.
    sources : number of sources.
    """

    title: str
    solve: Callable[[Any, Any, list[int]], Any]
    sources: int = 1


CALLS = (
    Call(
        "dijkstra, one source",
        lambda module, matrix, sources: module.dijkstra(matrix, indices=sources[0]),
    ),
    Call(
        "dijkstra, one source, predecessors",
        lambda module, matrix, sources: module.dijkstra(
            matrix, indices=sources[0], return_predecessors=True
        ),
    ),
    Call(
        "dijkstra, 8 sources",
        lambda module, matrix, sources: module.dijkstra(matrix, indices=sources),
        8,
    ),
)
_LEAST_MS = 2000.0  # of a row: a processor's speed may change by a third within a second
ALL_PAIRS = (
    Call("floyd_warshall", lambda module, matrix, _: module.floyd_warshall(matrix)),
    Call(
        "floyd_warshall, predecessors",
        lambda module, matrix, _: module.floyd_warshall(matrix, return_predecessors=True),
    ),
)


class Row(NamedTuple):
    """Medians of milliseconds, and of their ratios."""

    graph: str
    weights: str
    call: str
    scipy: float
    ours: float
    times: float


class Job(NamedTuple):
    """A row that `run` measures; it returns None if the graph's weights are fractions."""

    graph: str
    weights: str
    call: str
    run: Callable[[], Row | None]


def main(arguments: Sequence[str]) -> int:
    """Measure and print the table; 0."""
    options = parser().parse_args(arguments)
    theirs = require("scipy.sparse.csgraph", what="warpath bench csgraph")
    sys.stdout.write(head())
    for row in rows(options, theirs):
        sys.stdout.write(line(row))
        sys.stdout.flush()
    version = require("scipy", what="the version").__version__
    sys.stdout.write(
        f"\nMedians over {options.sources} seeded sources, or of {options.repeats} calls, again "
        f"and again for {_LEAST_MS / 1e3:g} s; both modules in turn, all answers compared; "
        f"{settings.threads()} threads for ours, SciPy has one; "
        f"{facts_text(scipy=version, commit=commit())}.\n"
    )
    return 0


def head() -> str:
    """Return the first lines of the table."""
    return f"| graph | weights | call | SciPy, ms | warpath, ms | times |\n{'|---' * 6}|\n"


def line(row: Row) -> str:
    """Return a line of the table."""
    return (
        f"| {row.graph} | {row.weights} | {row.call} | {units.digits(row.scipy)} | "
        f"{units.digits(row.ours)} | {units.digits(row.times)}x |\n"
    )


def rows(options: argparse.Namespace, theirs: Any) -> Iterator[Row]:
    """Yield the rows as they are measured.

    Raises
    ------
    VerificationError
        If the two differ: wrong answers get no times.
    """
    for job in jobs(options, theirs):
        row = job.run()
        if row is not None:
            yield row


def jobs(options: argparse.Namespace, theirs: Any) -> Iterator[Job]:
    """Yield the jobs; a graph is made when the first of its jobs runs."""
    here = options.data is not None or settings.bench_data() is not None
    names = [name for name in CPU if here or name in COLUMNS]
    for name in names if options.graphs is None else options.graphs:
        one = workload(name, options.scale, options.data)
        plain = cache(one.make)
        for kind in options.weights:
            made = cache(partial(_prepared, plain, kind, options.sources))
            for call in CALLS:
                run = partial(_dijkstra, one.title, kind, call, made, options, theirs)
                yield Job(one.title, kind, call.title, run)
    for n in options.pairs:
        plain = cache(partial(generate.complete, n))
        for kind in options.weights:
            for call in ALL_PAIRS[: 1 + options.predecessors]:
                title = f"complete {n}"
                run = partial(_all_pairs, title, kind, call, plain, options, theirs)
                yield Job(title, kind, call.title, run)


def _prepared(
    plain: Callable[[], Graph], kind: str, sources: int
) -> tuple[Graph, list[int], Any] | None:
    """Return a graph, seeded sources and its matrix; None if its weights are fractions."""
    graph = typed(plain(), KINDS[kind])
    if graph is None:
        return None
    found = list(answers(graph, max(sources, *(call.sources for call in CALLS)), 0))
    return graph, found, matrix_of(graph)


def _dijkstra(
    title: str,
    kind: str,
    call: Call,
    made: Callable[[], tuple[Graph, list[int], Any] | None],
    options: argparse.Namespace,
    theirs: Any,
) -> Row | None:
    prepared = made()
    if prepared is None:
        return None
    graph, found, matrix = prepared
    batches = [found] if call.sources > 1 else [[s] for s in found[: options.sources]]
    batches = [batch[: call.sources] for batch in batches]
    if len(batches) == 1:
        batches *= options.repeats
    return measure(title, kind, call, matrix, batches, theirs, graph)


def _all_pairs(
    title: str,
    kind: str,
    call: Call,
    plain: Callable[[], Graph],
    options: argparse.Namespace,
    theirs: Any,
) -> Row | None:
    graph = typed(plain(), KINDS[kind])
    if graph is None:
        return None
    sources = [list(range(graph.n))] * options.repeats
    return measure(title, kind, call, matrix_of(graph).toarray(), sources, theirs, graph)


def matrix_of(graph: Graph) -> Any:
    """Return a graph as a SciPy matrix of float64 with 32-bit indices, SciPy's usual types."""
    sparse = require("scipy.sparse", what="warpath bench csgraph")
    weights = graph.solver_weights.astype(np.float64)
    parts = weights, graph.indices, graph.indptr.astype(graph.indices.dtype)
    return sparse.csr_array(parts, shape=(graph.n, graph.n))


def measure(
    title: str,
    kind: str,
    call: Call,
    matrix: Any,
    batches: Sequence[list[int]],
    theirs: Any,
    graph: Graph,
) -> Row:
    """Time a call of both modules in turns, on each batch of sources and for at least 2 s."""
    slack = graph.n * np.finfo(np.float64).eps if "floyd_warshall" in call.title else 0.0
    slack = 0.0 if kind == "whole" else slack
    if call.sources < graph.n and "floyd_warshall" not in call.title:
        call.solve(csgraph, matrix, batches[0])  # warms up the caches and touches the memory
        call.solve(theirs, matrix, batches[0])
    times: list[tuple[float, float]] = []
    while len(times) < len(batches) or sum(map(sum, times)) < _LEAST_MS:
        sources = batches[len(times) % len(batches)]
        start = time.perf_counter()
        expected = call.solve(theirs, matrix, sources)
        between = time.perf_counter()
        found = call.solve(csgraph, matrix, sources)
        times.append((1e3 * (between - start), 1e3 * (time.perf_counter() - between)))
        check(graph, sources, found, expected, slack)
    scipy, ours = (median(each) for each in zip(*times, strict=True))
    return Row(title, kind, call.title, scipy, ours, median(a / b for a, b in times))


def check(graph: Graph, sources: list[int], found: Any, expected: Any, slack: float) -> None:
    """Compare distances with SciPy's, and check the edges of the trees."""
    tree = isinstance(found, tuple)
    dist, right = (found[0], expected[0]) if tree else (found, expected)
    if not np.allclose(dist, right, rtol=slack, atol=0):
        msg = f"distances from {sources[:8]} are not SciPy's."
        raise VerificationError(msg, "peer", {"sources": sources})
    if tree:
        rows = dist.reshape(-1, graph.n), found[1].reshape(-1, graph.n)
        for source, labels, pred in zip(sources, *rows, strict=True):
            _check_tree(graph, source, labels, pred, slack)


def _check_tree(graph: Graph, source: int, dist: Array, pred: Array, slack: float) -> None:
    """Require an edge of the right length from a nearer vertex to each one that is reached."""
    src, dst, weights = graph.edges()
    reached = np.isfinite(dist)
    on_tree = (pred[dst] == src) & reached[dst]
    gap = np.abs(dist[src[on_tree]] + weights[on_tree] - dist[dst[on_tree]])
    fits = gap <= slack * dist[dst[on_tree]]
    fits &= dist[src[on_tree]] < dist[dst[on_tree]]
    good = np.zeros(graph.n, np.bool_)
    good[dst[on_tree][fits]] = True
    wanted = reached.copy()
    wanted[source] = False
    if not np.array_equal(good, wanted) or (pred[~wanted] != -9999).any():
        msg = f"the predecessors from {source} are no tree of shortest paths."
        raise VerificationError(msg, "pred", {"source": source})


def parser() -> argparse.ArgumentParser:
    """Return the parser of the options."""
    made = argparse.ArgumentParser(prog="warpath bench csgraph", description=__doc__)
    made.add_argument(
        "--graphs",
        nargs="*",
        metavar="GRAPH",
        help=f"names ({', '.join(CPU)}) or files; NY and cnr need --data",
    )
    made.add_argument("--data", type=Path, metavar="FOLDER", help="(WARPATH_BENCH_DATA)")
    made.add_argument("--scale", type=float, default=1.0, help="size of the generated graphs")
    made.add_argument("--weights", nargs="+", choices=list(KINDS), default=list(KINDS))
    made.add_argument("--sources", type=int, default=7, help="seeded sources per graph")
    made.add_argument("--pairs", type=int, nargs="*", default=[1024, 2048], metavar="N")
    made.add_argument("--predecessors", action="store_true", help="also for all pairs")
    made.add_argument("--repeats", type=int, default=3, help="calls with the same sources")
    return made
