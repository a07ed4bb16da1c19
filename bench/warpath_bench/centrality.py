"""``warpath bench centrality``: betweenness by warpath and four other libraries.

igraph, NetworKit, NetworkX and cityseer count the same shortest paths of the same directed graphs,
on one thread, and all numbers are compared. A time is that of the processor, as machines are
shared; ours includes the edges' shares, which igraph, NetworkX and cityseer leave out. Graphs and
hierarchies are made before.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import warpath
from warpath.base.errors import VerificationError, require
from warpath.graph import Graph
from warpath_bench.lines import append, read
from warpath_bench.measured import rows
from warpath_bench.options import REQUIRED, parsed
from warpath_bench.peers import igraph_of, networkit_of
from warpath_bench.run import commit, facts_text
from warpath_bench.workloads import workload

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from warpath.base.dtypes import Array

    Line = dict[str, Any]

_KEY = ("graph", "question", "solver")
_SEED = 7
_TOLERANCE = 1e-9  # of the largest number: sums are formed in other orders


class Question(NamedTuple):
    """What is computed on a graph.

    Attributes
    ----------
    sources : how many random sources count; 0 for all vertices.
    radius : the part of the sum of all weights over the vertices that paths may be long; 0 for all.
    weighted : False for edges of length 1.
    """

    graph: str
    sources: int
    radius: float = 0.0
    weighted: bool = True

    @property
    def title(self) -> str:
        """The words of the table."""
        sources = f"{self.sources} sources" if self.sources else "all vertices"
        radius = f", within {self.radius:g} mean edges" if self.radius else ""
        return sources + radius + ("" if self.weighted else ", unweighted")


def questions(sources: int) -> list[Question]:
    """Return the questions of the table."""
    return [
        Question("NY", sources),
        Question("NY", 0, 10),
        Question("NY", 0, 7),  # a radius within which cityseer has the same ties
        Question("delaunay 65536", sources),
        Question("rmat 16 16", sources),
        Question("rmat 16 16", sources, weighted=False),
        Question("delaunay 4096", 0),
        Question("rmat 11 16", 0),
        Question("delaunay 1024", 0),
    ]


def main(arguments: Sequence[str]) -> int:
    """Measure what has no line yet, compare all numbers, and print the table."""
    options = parsed(
        "centrality", __doc__, arguments, lines=REQUIRED, data=None, scale=1.0, sources=64,
        budget=3600.0, graphs={"default": [], "help": "titles of graphs, instead of all"},
    )  # fmt: skip
    start, left = time.monotonic(), 0
    found = {_key(line): line for line in read(options.lines, _key)}
    for question in questions(options.sources):
        if options.graphs and question.graph not in options.graphs:
            continue
        made = workload(question.graph, options.scale, options.data)
        missing = [n for n in SOLVERS if (made.title, question.title, n) not in found]
        if not missing or time.monotonic() - start > options.budget:
            left += len(missing)
            continue
        for line in measured(made.title, made.make(), question):
            found[_key(line)] = line
            append(options.lines, line)
    sys.stdout.write(table(list(found.values())))
    if left:
        sys.stderr.write(f"{left} lines are left: the same command continues.\n")
    return 0


def _key(line: Line) -> tuple[str, ...]:
    float(line["seconds"] or 0)
    return tuple(line[name] for name in _KEY)


def measured(title: str, graph: Graph, question: Question) -> list[Line]:
    """Return a line for each solver, after a comparison of their numbers.

    Raises
    ------
    VerificationError
        If a solver's numbers are others.
    """
    graph = _simple(graph, weighted=question.weighted)
    drawn = np.random.default_rng(_SEED).permutation(graph.n)
    sources = drawn[: question.sources].tolist() if question.sources else None
    mean = float(graph.edges()[2].mean())
    cutoff = int(question.radius * mean) if question.radius else None
    lines: list[Line] = []
    expected: Array | None = None
    reference = ""
    for name, solver in SOLVERS.items():
        call = solver(graph, question, sources, cutoff)
        seconds = None
        if call is not None:
            start = time.process_time()
            answer = call()
            seconds = time.process_time() - start
            found = np.asarray(answer, np.float64)
            if expected is None:
                expected, reference = found, name
            if not np.allclose(found, expected, rtol=0, atol=_TOLERANCE * expected.max()):
                worst = int(np.argmax(np.abs(found - expected)))
                msg = f"{name} has other numbers than {reference} on {title}"
                raise VerificationError(msg, "peer", {"vertex": worst})
        key = dict(zip(_KEY, (title, question.title, name), strict=True))
        lines.append(key | {"seconds": seconds, "facts": _facts()})
    return lines


def _simple(graph: Graph, *, weighted: bool) -> Graph:
    """Return a directed graph with the lightest of parallel edges: igraph counts all of them."""
    src, dst, weights = graph.edges()
    order = np.lexsort((weights, dst, src))
    src, dst, weights = src[order], dst[order], weights[order]
    kept = (np.diff(src, prepend=-1) != 0) | (np.diff(dst, prepend=-1) != 0)
    kept &= src != dst
    lengths = weights[kept] if weighted else None
    return Graph.from_edges(src[kept], dst[kept], lengths, n=graph.n)


def _ours(
    algorithm: str, graph: Graph, question: Question, sources: list[int] | None, cutoff: int | None
) -> Callable[[], Any] | None:
    swept = algorithm == "warpath.counting_sweeps"
    if swept and (cutoff is not None or question.graph.startswith("rmat")):
        return None  # a hierarchy of such a graph has too many arcs
    solver = warpath.Solver(graph, algorithm=algorithm, threads=1)
    count = partial(warpath.centrality.betweenness, solver, normalized=False, cutoff=cutoff)
    count(sources=[0])  # makes the hierarchy
    return lambda: count(sources=sources).vertices


def _igraph(
    graph: Graph, _: Question, sources: list[int] | None, cutoff: int | None
) -> Callable[[], Any]:
    made, weights = igraph_of(graph)
    how = {"weights": weights, "sources": sources, "cutoff": cutoff}  # it takes one of the last two
    return lambda: made.betweenness(directed=True, **how)


def _networkit(
    graph: Graph, _: Question, sources: list[int] | None, cutoff: int | None
) -> Callable[[], Any] | None:
    if sources is not None or cutoff is not None:
        return None  # it draws its own sources
    networkit = require("networkit", what="warpath bench centrality")
    networkit.setNumberOfThreads(1)
    made = networkit_of(graph)[1]
    return lambda: networkit.centrality.Betweenness(made).run().scores()


def _networkx(
    graph: Graph, question: Question, sources: list[int] | None, cutoff: int | None
) -> Callable[[], Any] | None:
    if sources is not None or cutoff is not None or graph.m > _FOR_NETWORKX:
        return None
    networkx = require("networkx", what="warpath bench centrality", extra="networkx")
    made = networkx.DiGraph()
    made.add_nodes_from(range(graph.n))
    made.add_weighted_edges_from(zip(*(part.tolist() for part in graph.edges()), strict=True))
    weight = "weight" if question.weighted else None

    def call() -> list[float]:
        found = networkx.betweenness_centrality(
            made, normalized=False, weight=weight, backend="networkx"
        )
        return [found[v] for v in range(graph.n)]

    return call


_FOR_NETWORKX = 10_000  # edges, from which on it takes minutes


def _cityseer(
    graph: Graph, _: Question, sources: list[int] | None, cutoff: int | None
) -> Callable[[], Any] | None:
    whole = graph.weights is None or np.issubdtype(graph.weights.dtype, np.integer)
    if sources is not None or cutoff is None or cutoff > _FOR_CITYSEER or not whole:
        return None  # it takes no sources, needs a radius, or has other ties
    made = require("cityseer", what="warpath bench centrality").rustalgos.graph.NetworkStructure()
    os.environ["RAYON_NUM_THREADS"] = "1"  # read at its first call
    made.set_is_directed(True)  # otherwise a pair counts half in each direction
    for v in range(graph.n):
        made.add_street_node(v, v, 0, live=True, weight=1)
    edges = zip(*(part.tolist() for part in graph.edges()), strict=True)
    for i, (u, v, length) in enumerate(edges):
        made.add_street_edge(u, v, i, u, v, f"LINESTRING (0 0, {length} 0)")
    how = {"closeness_exprs": [], "compute_cycles": False, "pbar_disabled": True}

    def call() -> Any:  # at another speed, the radius is rounded to whole seconds
        found = made.centrality_shortest(
            [cutoff], betweenness_exprs=[("pairs", "1")], speed_m_s=1, **how
        )
        return found.metrics["pairs"][cutoff]

    return call


#: The largest radius for cityseer, whose paths tie within a 10,000th of their length, in float32.
#: Paths of whole lengths up to here are equal or differ by more.
_FOR_CITYSEER = 9_980

#: Solvers: (graph, question, sources, cutoff) -> the call that is timed; None where it cannot.
SOLVERS: dict[str, Callable[..., Callable[[], Any] | None]] = {
    "warpath.counting_sweeps": partial(_ours, "warpath.counting_sweeps"),
    "brandes2001.betweenness": partial(_ours, "brandes2001.betweenness"),
    "igraph": _igraph,
    "networkit": _networkit,
    "networkx": _networkx,
    "cityseer": _cityseer,
}


def table(lines: Sequence[Line]) -> str:
    """Return a Markdown table of all lines, and the machines."""
    head = ("graph", "question", *(f"{name}, s" for name in SOLVERS))
    of_rows: dict[tuple[str, str], dict[str, Any]] = {}
    for line in lines:
        of_rows.setdefault((line["graph"], line["question"]), {})[line["solver"]] = line["seconds"]
    body = [[*key, *(row.get(name) for name in SOLVERS)] for key, row in of_rows.items()]
    facts = sorted({line["facts"] for line in lines})
    return "\n".join([*rows(head, body), *(f"\n{fact}." for fact in facts), ""])


def _facts() -> str:
    names = ("igraph", "networkit", "networkx")
    versions = {name: require(name, what="the version").__version__ for name in names}
    with suppress(PackageNotFoundError):  # needed for one question only
        versions["cityseer"] = version("cityseer")
    return facts_text(**versions, commit=commit())
