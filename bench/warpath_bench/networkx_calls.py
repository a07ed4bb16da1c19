"""``warpath bench networkx``: time calls of NetworkX by its own code and by our backend."""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Iterator
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base.errors import InputError, NotSupportedError, VerificationError, require
from warpath.graph import generate
from warpath_bench.run import facts_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from warpath.graph import Graph


class Call(NamedTuple):
    """A function of NetworkX, and its arguments after the graph.

    Attributes
    ----------
    name : name of the function.
    ends : number of nodes among its arguments: 0, 1 (source) or 2 (source and target).
    options : further arguments.
    bitwise : whether every number must be equal to the bit.
    """

    name: str
    ends: int = 0
    options: dict[str, Any] = {}  # noqa: RUF012 - read only
    bitwise: bool = True


class Workload(NamedTuple):
    """A graph, and the calls that are timed on it."""

    make: Callable[[], Graph]
    calls: Sequence[Call]


_LENGTHS = (
    Call("single_source_dijkstra_path_length", 1),
    Call("single_source_bellman_ford_path_length", 1),
    Call("single_source_shortest_path_length", 1),
)
_ROUTES = (
    Call("dijkstra_path_length", 2),
    Call("bidirectional_dijkstra", 2, bitwise=False),
    Call("shortest_path", 2, {"weight": "weight"}, bitwise=False),
)
_DICTIONARIES = (
    Call("single_source_dijkstra_path", 1),
    Call("single_source_dijkstra", 1),
    Call("single_source_shortest_path", 1),
    Call("dijkstra_predecessor_and_distance", 1),
)
_ALL_PAIRS = (
    Call("all_pairs_dijkstra_path_length"),
    Call("all_pairs_dijkstra_path"),
    Call("all_pairs_shortest_path_length"),
    Call("closeness_centrality", options={"distance": "weight"}),
    Call("harmonic_centrality", options={"distance": "weight"}),
    Call("eccentricity", options={"weight": "weight"}),
    Call("average_shortest_path_length", options={"weight": "weight"}),
    Call("johnson"),
    Call("floyd_warshall_numpy", bitwise=False),
)

_PAIRS = 8  # pairs of nodes per turn: a single call between two nodes is too short to time
_OTHERS = 2**23  # numbers of 8 bytes, more than caches hold
_TURN = 0.2  # seconds; a processor's speed may change by a third within a second

WORKLOADS = {
    "uniform": Workload(
        lambda: generate.uniform(125_000, 8), (*_LENGTHS, *_DICTIONARIES, *_ROUTES)
    ),
    # Paths on roads have so many nodes that a dictionary of all of them fills the memory.
    "road": Workload(lambda: generate.road(400_000), (*_LENGTHS, *_ROUTES)),
    "all pairs": Workload(lambda: generate.uniform(500, 8), _ALL_PAIRS),
}


def main(arguments: Sequence[str]) -> int:
    """Measure and print a table for each graph."""
    options = _parser().parse_args(arguments)
    networkx = with_backend()
    for name in options.graphs:
        if name not in WORKLOADS:
            msg = f"there is no graph {name!r}: there are {', '.join(WORKLOADS)}."
            raise InputError(msg)
        graph = WORKLOADS[name].make()
        given = as_networkx(graph)
        calls = [
            call
            for call in WORKLOADS[name].calls
            if not options.calls or call.name in options.calls
        ]
        sys.stdout.write(
            f"{name}: {given.number_of_nodes():,} nodes, {given.number_of_edges():,} edges, "
            f"{'directed' if given.is_directed() else 'undirected'}, "
            f"converted in {_conversion(networkx, given):.2f} s\n\n"
            "| call | NetworkX, ms | warpath, ms | times as fast |\n|---|---:|---:|---:|\n"
        )
        for call in calls:
            starts = starts_of(call, graph.n, options.seed)
            theirs, ours = measure(networkx, given, call, starts, options.repeats)
            sys.stdout.write(
                f"| `{call.name}` | {theirs:,.1f} | {ours:,.2f} | {theirs / ours:,.1f} |\n"
            )
            sys.stdout.flush()
        sys.stdout.write("\n")
    sys.stdout.write(
        f"Medians of {options.repeats} turns, answers compared; NetworkX {networkx.__version__}, "
        f"{facts_text()}.\n"
    )
    return 0


def with_backend() -> Any:
    """Return NetworkX, if it knows our backend."""
    networkx = require("networkx", what="warpath bench networkx", extra="networkx")
    if "warpath" not in networkx.utils.backends.backends:
        msg = (
            "NetworkX does not know the backend warpath: it reads the entry points of installed "
            "packages, and warpath is not installed. pip install '.[networkx]' in a checkout"
        )
        raise NotSupportedError(msg)
    networkx.config.warnings_to_ignore.add("cache")  # cached conversions are intended here
    return networkx


def as_networkx(graph: Graph) -> Any:
    """Return a graph as most users of NetworkX have it: not as a multigraph."""
    made = graph.to_networkx()
    import networkx as nx

    return nx.DiGraph(made) if made.is_multigraph() else made


def _conversion(networkx: Any, graph: Any) -> float:
    """Return the seconds of a first call, which converts the graph, less those of a second."""
    seconds = []
    for _ in range(2):
        start = time.perf_counter()
        networkx.dijkstra_path_length(graph, 0, 0, weight="weight", backend="warpath")
        seconds.append(time.perf_counter() - start)
    return seconds[0] - seconds[1]


def starts_of(call: Call, n: int, seed: int) -> list[list[int]]:
    """Return drawn nodes for calls: 8 pairs for calls between two nodes, else one choice."""
    drawn = np.random.default_rng(seed).permutation(n).tolist()
    count = _PAIRS if call.ends == 2 else 1
    return [drawn[call.ends * i : call.ends * (i + 1)] for i in range(count)]


def measure(
    networkx: Any, graph: Any, call: Call, starts: list[list[int]], repeats: int
) -> tuple[float, float]:
    """Return the milliseconds per call of NetworkX and of warpath, which take turns.

    In a turn, rounds of calls from all starts repeat until a fifth of a second is over; other data
    fill the caches before each round. The results are medians over rounds, per call. The answers
    are compared, untimed. Answers of one side are freed before the other one is timed, because
    Python's garbage collector scans all existing objects.

    Raises
    ------
    VerificationError
        If they differ: wrong answers get no times.
    """
    function = getattr(networkx, call.name)
    times: dict[str, list[float]] = {"networkx": [], "warpath": []}
    others = np.zeros(_OTHERS)
    _answers(function, graph, starts, call, "warpath")  # plans, and fills the graph's caches
    for _ in range(repeats):
        for backend, each in times.items():
            gc.collect()
            spent = 0.0
            while spent < _TURN:
                others += 1.0  # so that every round starts with the same data in the caches
                start = time.perf_counter()
                found = _answers(function, graph, starts, call, backend)
                seconds = time.perf_counter() - start
                each.append(1e3 * seconds / len(starts))
                spent += seconds
                del found
    theirs = _answers(function, graph, starts, call, "networkx")
    ours = _answers(function, graph, starts, call, "warpath")
    if not all(_same(*pair, call) for pair in zip(theirs, ours, strict=True)):
        msg = f"{call.name}: NetworkX and warpath answer differently."
        raise VerificationError(msg, "peer", {})
    return median(times["networkx"]), median(times["warpath"])


def _answers(
    function: Any, graph: Any, starts: list[list[int]], call: Call, backend: str
) -> list[Any]:
    found = (function(graph, *nodes, **call.options, backend=backend) for nodes in starts)
    return [list(each) if isinstance(each, Iterator) else each for each in found]


def _same(theirs: Any, ours: Any, call: Call) -> bool:
    if call.bitwise:
        return bool(theirs == ours)
    if isinstance(theirs, np.ndarray):
        return bool(np.array_equal(theirs, ours))
    if isinstance(theirs, tuple):  # a length, and one of the paths that have it
        return bool(theirs[0] == ours[0])
    return len(theirs) > 0 and (theirs[0], theirs[-1]) == (ours[0], ours[-1])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="warpath bench networkx", description=__doc__)
    parser.add_argument(
        "--graphs",
        nargs="+",
        default=list(WORKLOADS),
        metavar="GRAPH",
        help=f"names: {', '.join(WORKLOADS)}",
    )
    parser.add_argument("--calls", nargs="+", default=[], metavar="FUNCTION", help="only these")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1, help="draws the sources and the targets")
    return parser
