"""``warpath bench faces``: time calls of SciPy and of NetworkX and our replacements, in one table.

A time covers a whole call, including reading SciPy's matrix and making the answer. Both sides take
turns; their answers are compared before, untimed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from functools import cache, partial
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath import csgraph
from warpath.base import settings
from warpath.base.errors import NotSupportedError, VerificationError, require
from warpath.graph import generate
from warpath_bench.limits import clocked
from warpath_bench.lines import append, read
from warpath_bench.measured import rows
from warpath_bench.options import REQUIRED, parsed
from warpath_bench.right import answers
from warpath_bench.run import commit, facts_text
from warpath_bench.suite import CPU
from warpath_bench.workloads import COLUMNS, typed, workload

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from warpath.base.dtypes import Array
    from warpath.graph import Graph

    Line = dict[str, Any]
    #: Milliseconds of theirs and of ours, and the median of their ratios.
    Times = tuple[float, float, float]

_KEY = ("face", "graph", "weights", "call")
_KINDS = {"whole": "int", "tenths": "float"}  # whole numbers and their tenths, both in float64
_LEAST = 2.0  # seconds for a line: a processor's speed may change by a third within a second
_TURNS = 3  # at least, however long they take
_KINDS_OF_PATHS = ("dijkstra_path", "bellman_ford_path", "shortest_path")
_PAIRS = 8  # pairs of nodes that are timed together: one call between two nodes is too short

#: SciPy's calls: title -> function, options, and number of sources; 0 for all pairs.
SCIPY: dict[str, tuple[str, dict[str, Any], int]] = {
    "dijkstra, one source": ("dijkstra", {}, 1),
    "dijkstra, one source, predecessors": ("dijkstra", {"return_predecessors": True}, 1),
    "dijkstra, 8 sources": ("dijkstra", {}, 8),
    "floyd_warshall": ("floyd_warshall", {}, 0),
    "floyd_warshall, predecessors": ("floyd_warshall", {"return_predecessors": True}, 0),
}


def _calls(ends: int, *names: str, **options: str) -> dict[str, tuple[int, dict[str, str]]]:
    return dict.fromkeys(names, (ends, options))


_ROUTES = (
    _calls(1, *(f"single_source_{kind}_length" for kind in _KINDS_OF_PATHS))
    | _calls(2, "dijkstra_path_length", "bidirectional_dijkstra")
    | _calls(2, "shortest_path", weight="weight")
)
#: NetworkX's calls on each graph: function -> the number of nodes among its arguments (0, 1 for the
#: source, 2 for source and target), and its options.
NETWORKX: dict[str, tuple[Callable[[], Graph], dict[str, tuple[int, dict[str, str]]]]] = {
    "uniform": (
        lambda: generate.uniform(125_000, 8),
        _ROUTES
        | _calls(1, "single_source_dijkstra_path", "single_source_dijkstra")
        | _calls(1, "single_source_shortest_path", "dijkstra_predecessor_and_distance"),
    ),
    # Paths on roads have so many nodes that a dictionary of all of them fills the memory.
    "road": (lambda: generate.road(400_000), _ROUTES),
    "all pairs": (
        lambda: generate.uniform(500, 8),
        _calls(0, "all_pairs_dijkstra_path_length", "all_pairs_dijkstra_path")
        | _calls(0, "all_pairs_shortest_path_length", "johnson", "floyd_warshall_numpy")
        | _calls(0, "closeness_centrality", "harmonic_centrality", distance="weight")
        | _calls(0, "eccentricity", "average_shortest_path_length", weight="weight"),
    ),
}
_OF_SEVERAL = ("bidirectional_dijkstra", "shortest_path")  # one of several shortest paths


class Job(NamedTuple):
    """A line of the table; `run` returns None if the graph's weights are fractions."""

    key: tuple[str, str, str, str]
    run: Callable[[], Times | None]


def main(arguments: Sequence[str]) -> int:
    """Measure jobs without a line until the time is over; print the table of all lines."""
    options = parsed(
        "faces",
        __doc__,
        arguments,
        lines=REQUIRED,
        faces={"default": ["csgraph", "networkx"], "help": "libraries to measure"},
        calls={"default": [], "metavar": "CALL", "help": "titles of calls, instead of all"},
        budget=3600.0,
        data=None,
        scale=1.0,
        pairs={"default": [1024, 2048], "metavar": "N", "help": "sizes of csgraph's all pairs"},
        sources=5,
    )
    start = time.monotonic()
    found = {_key(line): line for line in read(options.lines, _key)}
    left = 0
    for job in jobs(options):
        if job.key in found or (options.calls and job.key[-1] not in options.calls):
            continue
        if time.monotonic() - start > options.budget:
            left += 1
        elif (times := job.run()) is not None:
            values = dict(zip(("theirs_ms", "ours_ms", "times"), times, strict=True))
            line = dict(zip(_KEY, job.key, strict=True)) | values | {"facts": _facts()}
            found[job.key] = line
            append(options.lines, line)
    sys.stdout.write(table(list(found.values())))
    if left:
        sys.stderr.write(f"{left} lines are left: the same command continues.\n")
    return 0


def _key(line: Line) -> tuple[str, ...]:
    float(line["times"])
    return tuple(line[name] for name in _KEY)


def jobs(options: argparse.Namespace) -> Iterator[Job]:
    """Yield the jobs of the libraries; a graph is made when the first of its jobs runs."""
    if "csgraph" in options.faces:
        yield from _of_scipy(options)
    if "networkx" in options.faces:
        networkx = with_backend()
        for name, (make, calls) in NETWORKX.items():
            graph = cache(partial(_as_networkx, make))
            for function, (ends, more) in calls.items():
                run = partial(_networkx_times, networkx, graph, function, ends, more)
                yield Job(("networkx", name, "whole", function), run)


def times_of(
    theirs: Callable[[Any], Any],
    ours: Callable[[Any], Any],
    starts: Sequence[Any],
    check: Callable[[Any, Any, Any], None],
) -> Times:
    """Compare both sides from each start, then time them in turns for at least 2 s.

    Answers of one side are freed before the other side is timed, because Python's garbage collector
    scans all existing objects.

    Parameters
    ----------
    check : (start, their answer, our answer) -> None; raises VerificationError if they differ,
        because wrong answers get no times.
    """
    for start in starts:
        check(start, theirs(start), ours(start))
    times: list[tuple[float, float]] = []
    end = time.perf_counter() + _LEAST
    while len(times) < max(_TURNS, len(starts)) or time.perf_counter() < end:
        start = starts[len(times) % len(starts)]
        times.append((1e3 * clocked(theirs, start)[0], 1e3 * clocked(ours, start)[0]))
    their_ms, our_ms = (median(each) for each in zip(*times, strict=True))
    return their_ms, our_ms, median(a / b for a, b in times)


def _of_scipy(options: argparse.Namespace) -> Iterator[Job]:
    here = options.data is not None or settings.bench_data() is not None
    graphs = [workload(n, options.scale, options.data) for n in CPU if here or n in COLUMNS]
    made = [(one.title, one.make, False) for one in graphs]
    made += [(f"complete {n}", partial(generate.complete, n), True) for n in options.pairs]
    for title, make, dense in made:
        plain = cache(make)
        for kind in _KINDS:
            graph = cache(partial(_with_matrix, plain, kind, max(options.sources, 8), dense))
            for call, (_, _, count) in SCIPY.items():
                if dense == (count == 0):
                    run = partial(_scipy_times, graph, kind, call, options.sources)
                    yield Job(("csgraph", title, kind, call), run)


def _with_matrix(
    plain: Callable[[], Graph], kind: str, sources: int, dense: bool
) -> tuple[Graph, list[int], Any] | None:
    """Return a graph, sources and its matrix; None if its weights are fractions."""
    graph = typed(plain(), _KINDS[kind])
    if graph is None:
        return None
    matrix = matrix_of(graph)
    if dense:
        return graph, list(range(graph.n)), matrix.toarray()
    return graph, list(answers(graph, sources, 0)), matrix


def matrix_of(graph: Graph) -> Any:
    """Return a graph as a SciPy matrix of float64 with 32-bit indices, SciPy's usual types."""
    sparse = require("scipy.sparse", what="warpath bench faces")
    weights = graph._solver_weights.astype(np.float64)
    parts = weights, graph.indices, graph.indptr.astype(graph.indices.dtype)
    return sparse.csr_array(parts, shape=(graph.n, graph.n))


def _scipy_times(
    made: Callable[[], tuple[Graph, list[int], Any] | None], kind: str, call: str, sources: int
) -> Times | None:
    prepared = made()
    if prepared is None:
        return None
    graph, found, matrix = prepared
    theirs = require("scipy.sparse.csgraph", what="warpath bench faces")
    count = SCIPY[call][2]
    starts = [[s] for s in found[:sources]] if count == 1 else [found[:count] if count else found]
    slack = 0.0 if count or kind == "whole" else graph.n * float(np.finfo(np.float64).eps)
    return times_of(
        partial(call_scipy, theirs, call, matrix),
        partial(call_scipy, csgraph, call, matrix),
        starts,
        partial(check_scipy, graph, slack),
    )


def call_scipy(module: Any, call: str, matrix: Any, sources: list[int]) -> Any:
    """Return the answer of a call of `SCIPY` by a module: distances, or also predecessors."""
    function, options, count = SCIPY[call]
    indices = {"indices": sources[0] if count == 1 else sources} if count else {}
    return getattr(module, function)(matrix, **indices, **options)


def check_scipy(graph: Graph, slack: float, sources: list[int], expected: Any, found: Any) -> None:
    """Compare distances with SciPy's, and check the edges of the trees."""
    tree = isinstance(found, tuple)
    dist, right = (found[0], expected[0]) if tree else (found, expected)
    if not np.allclose(dist, right, rtol=slack, atol=0):
        msg = f"distances from {sources[:8]} are not SciPy's."
        raise VerificationError(msg, "peer", {"sources": sources})
    if tree:
        both = dist.reshape(-1, graph.n), found[1].reshape(-1, graph.n)
        for source, labels, pred in zip(sources, *both, strict=True):
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
    expected = reached.copy()
    expected[source] = False
    if not np.array_equal(good, expected) or (pred[~expected] != -9999).any():
        msg = f"the predecessors from {source} are no tree of shortest paths."
        raise VerificationError(msg, "pred", {"source": source})


def with_backend() -> Any:
    """Return NetworkX, if it knows our backend."""
    networkx = require("networkx", what="warpath bench faces", extra="networkx")
    if "warpath" not in networkx.utils.backends.backends:
        raise NotSupportedError(
            "NetworkX does not know the backend warpath: it reads the entry points of installed "
            "packages, and warpath is not installed. pip install '.[networkx]' in a checkout"
        )
    networkx.config.warnings_to_ignore.add("cache")  # cached conversions are intended here
    return networkx


def _as_networkx(make: Callable[[], Graph]) -> Any:
    """Return a graph as most users of NetworkX have it: not as a multigraph."""
    import networkx as nx

    graph = make().to_networkx()
    return nx.DiGraph(graph) if graph.is_multigraph() else graph


def _networkx_times(
    networkx: Any, made: Callable[[], Any], function: str, ends: int, options: dict[str, Any]
) -> Times:
    graph = made()
    drawn = np.random.default_rng(1).permutation(len(graph)).tolist()
    count = _PAIRS if ends == 2 else 1
    starts = [drawn[ends * at : ends * (at + 1)] for at in range(count)]

    def answered(backend: str, starts: list[list[int]]) -> list[Any]:
        call = getattr(networkx, function)
        found = (call(graph, *nodes, **options, backend=backend) for nodes in starts)
        return [list(each) if isinstance(each, Iterator) else each for each in found]

    def check(_: Any, theirs: list[Any], ours: list[Any]) -> None:
        if not all(_same(function, *pair) for pair in zip(theirs, ours, strict=True)):
            msg = f"{function}: NetworkX and warpath answer differently."
            raise VerificationError(msg, "peer", {})

    theirs, ours, ratio = times_of(
        partial(answered, "networkx"), partial(answered, "warpath"), [starts], check
    )
    return theirs / count, ours / count, ratio


def _same(function: str, theirs: Any, ours: Any) -> bool:
    if isinstance(theirs, np.ndarray):
        return bool(np.array_equal(theirs, ours))
    if function not in _OF_SEVERAL:
        return bool(theirs == ours)
    if isinstance(theirs, tuple):  # a length, and one of the paths that have it
        return bool(theirs[0] == ours[0])
    return len(theirs) > 0 and (theirs[0], theirs[-1]) == (ours[0], ours[-1])


def table(lines: Sequence[Line]) -> str:
    """Return a Markdown table of all lines, and the machines."""
    head = ("library", "graph", "weights", "call", "theirs, ms", "ours, ms", "times as fast")
    body = [[*_key(one), one["theirs_ms"], one["ours_ms"], one["times"]] for one in lines]
    facts = sorted({line["facts"] for line in lines})
    return "\n".join([*rows(head, body), *(f"\n{fact}." for fact in facts), ""])


@cache
def _facts() -> str:
    names = ("scipy", "networkx")
    versions = {name: require(name, what="the version").__version__ for name in names}
    return facts_text(**versions, commit=commit())
