"""``warpath bench many``: time tables of many sources and of all pairs, and peers' tables."""

from __future__ import annotations

import argparse
import sys
import time
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.api.distances import apsp, distances
from warpath.base.errors import InputError, VerificationError
from warpath.graph import generate
from warpath_bench.peers import chosen
from warpath_bench.right import sources_of, wrong_of
from warpath_bench.run import facts_text
from warpath_bench.workloads import COLUMNS, typed, workload

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath_bench.peers import Peer


class Rows(NamedTuple):
    """A solver that fills rows of a table; `prepare` is untimed, `solve` is timed.

    Attributes
    ----------
    name : its name in the table.
    prepare : converts a graph.
    solve : (converted graph, sources) -> a row of distances for each source.
    threads : number of threads.
    most : maximum number of sources if its time per source is constant; None for all sources.
    """

    name: str
    prepare: Callable[[Graph], Any]
    solve: Callable[[Any, list[int]], Array]
    threads: int = 1
    most: int | None = 8


def main(arguments: Sequence[str]) -> int:
    """Measure and print two tables: milliseconds per source, and for all pairs."""
    options = _parser().parse_args(arguments)
    ours = [own(name, count) for name in options.algorithms for count in options.threads]
    beside = peers(max(options.threads), options.peers)
    solvers = ours + beside
    columns = {}
    for name in options.graphs:
        graph = typed(workload(name, options.scale).make(), options.dtype)
        if graph is None:
            msg = f"{name}: its weights are fractions, which {options.dtype} does not hold."
            raise InputError(msg)
        sources = sorted(set(sources_of(graph, options.sources)))
        columns[name] = measure(graph, sources, solvers, options.repeats, options.clock)
        sys.stderr.write(f"{name}: {graph!r}\n")
    _print(f"ms a source, of {options.sources}", solvers, columns)
    ours = [own_pairs(count) for count in options.threads]
    solvers = ours + [peer._replace(most=None) for peer in beside]
    columns = {}
    for n in options.pairs:
        graph = generate.uniform(n, 8)
        found = measure(graph, list(range(n)), solvers, options.repeats, options.clock)
        columns[f"n = {n}"] = {name: n * ms for name, ms in found.items()}
    _print("ms for all pairs, 8 edges a vertex", solvers, columns)
    facts = facts_text()
    sys.stdout.write(f"Medians of {options.repeats}, {options.clock}, all compared; {facts}.\n")
    return 0


def own(algorithm: str, threads: int) -> Rows:
    """Return an algorithm of the catalogue on some threads."""

    def solve(graph: Graph, sources: list[int]) -> Array:
        names = graph.label_of(np.array(sources))
        dist: Array = distances(graph, names, algorithm=algorithm, threads=threads).dist
        return dist

    title = f"warpath {algorithm}, {threads} thread{'s' * (threads > 1)}"
    return Rows(title, _same, solve, threads, None)


def own_pairs(threads: int) -> Rows:
    """Return our all pairs, as the planner chooses, on some threads."""

    def solve(graph: Graph, sources: list[int]) -> Array:  # noqa: ARG001 - all of them
        dist: Array = apsp(graph, threads=threads).dist
        return dist

    title = f"warpath apsp, {threads} thread{'s' * (threads > 1)}"
    return Rows(title, _same, solve, threads, None)


def _same(graph: Graph) -> Graph:
    return graph


def peers(threads: int, names: Sequence[str] | None = None) -> list[Rows]:
    """Return the peers of these names that solve many sources, or all that are installed."""
    known = {"SciPy": _scipy, "igraph": _igraph, "NetworKit": _networkit}
    found = chosen(names)
    strange = [peer.name for peer in found if names and peer.name not in known]
    if strange:
        msg = f"{strange[0]} is not measured with many sources; {', '.join(known)} are."
        raise InputError(msg)
    return [known[peer.name](peer, threads) for peer in found if peer.name in known]


def _scipy(peer: Peer, _threads: int) -> Rows:
    def solve(matrix: Any, sources: list[int]) -> Array:
        from scipy.sparse.csgraph import dijkstra

        rows: Array = dijkstra(matrix, indices=sources)
        return rows

    return Rows("SciPy dijkstra", peer.prepare, solve)


def _igraph(peer: Peer, _threads: int) -> Rows:
    def solve(prepared: Any, sources: list[int]) -> Array:
        made, weights = prepared
        return np.array(made.distances(sources, weights=weights))

    return Rows("igraph", peer.prepare, solve)


def _networkit(peer: Peer, threads: int) -> Rows:
    import networkit

    def prepare(graph: Graph) -> Any:
        networkit.setNumberOfThreads(threads)
        _, made = peer.prepare(graph)
        return made

    def solve(made: Any, sources: list[int]) -> Array:
        found = np.array(networkit.distance.SPSP(made, sources).run().getDistances())
        found[found == np.finfo(np.float64).max] = np.inf
        return found

    return Rows(f"NetworKit SPSP, {threads} threads", prepare, solve, threads)


def measure(
    graph: Graph, sources: list[int], solvers: Sequence[Rows], repeats: int, clock: str = "wall"
) -> dict[str, float]:
    """Return each solver's median milliseconds per source; all take turns and are compared.

    The clock is "wall", or "processor": the time of all threads divided by their number, which is
    more reliable if other processes use the machine.

    Raises
    ------
    VerificationError
        If two tables differ: wrong answers get no times.
    """
    ready = [(solver, solver.prepare(graph)) for solver in solvers]
    for solver, prepared in ready:
        solver.solve(prepared, sources[:1])
    times: dict[str, list[float]] = {solver.name: [] for solver in solvers}
    expected: Array | None = None
    now = time.process_time if clock == "processor" else time.perf_counter
    for _ in range(repeats):
        for solver, prepared in ready:
            step = 1 if solver.most is None else -(-len(sources) // solver.most)
            some = sources[::step]
            start = now()
            found = solver.solve(prepared, some)
            share = solver.threads if clock == "processor" else 1
            times[solver.name].append(1e3 * (now() - start) / len(some) / share)
            expected = found if expected is None else expected
            if wrong_of(expected[::step], found)[0]:
                msg = f"{solver.name} and {solvers[0].name} give different distances."
                raise VerificationError(msg, "peer", {})
    return {name: median(each) for name, each in times.items()}


def _print(title: str, solvers: Sequence[Rows], columns: dict[str, dict[str, float]]) -> None:
    lines = [f"| {title} | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for solver in solvers:
        cells = " | ".join(f"{column[solver.name]:.2f}" for column in columns.values())
        lines.append(f"| {solver.name} | {cells} |")
    sys.stdout.write("\n".join(lines) + "\n\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="warpath bench many", description=__doc__)
    parser.add_argument(
        "--graphs",
        nargs="+",
        default=list(COLUMNS),
        metavar="GRAPH",
        help=f"names ({', '.join(COLUMNS)}) or files",
    )
    parser.add_argument("--sources", type=int, default=64, help="seeded sources per graph")
    parser.add_argument("--pairs", type=int, nargs="*", default=[512, 1024, 2048], metavar="N")
    parser.add_argument(
        "--peers", nargs="*", metavar="PEER", help="in place of all that are installed"
    )
    parser.add_argument("--algorithms", nargs="+", default=["auto"], help="of the catalogue")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], help="for our solvers")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--clock", choices=["wall", "processor"], default="wall")
    parser.add_argument("--dtype", default="own", help="weights: own, int32, int64, float32, ...")
    parser.add_argument("--scale", type=float, default=1.0, help="size of the generated graphs")
    return parser
