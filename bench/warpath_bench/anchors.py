"""``warpath bench anchors``: measure all pairs and many-to-many on a GPU.

Times are of whole calls in the steady state, the graph already on the device: first with the answer
left there, then with its copy to the host. Sampled rows are compared with Dijkstra's on the CPU.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import warpath as wp
from warpath.base.errors import VerificationError
from warpath_bench.run import machine
from warpath_bench.workloads import graph_of, title_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from warpath.base.dtypes import Array
    from warpath.graph import Graph

_SEED = 20261122
_SAMPLED = 8
_RUNS = 7
#: Maximum min-plus operations per second of an H200: 132 SMs, 64 per clock, 1.98 GHz.
_ISSUE_LIMIT = 132 * 64 * 1.98e9


class Case(NamedTuple):
    """One query: a graph, an algorithm, the type of the answer, and sources x targets."""

    graph: str
    algorithm: str
    dtype: str
    shape: tuple[int, int] | None = None

    @property
    def title(self) -> str:
        """The query's name in the table."""
        size = "all pairs" if self.shape is None else f"{self.shape[0]} x {self.shape[1]}"
        return f"{title_of(self.graph)}, {size}, {self.dtype}"


def cases(gnutella: str | None) -> list[Case]:
    """Return the queries; `gnutella` is the file of p2p-Gnutella04, None to omit it."""
    found = [
        Case(f"dense {n}", "warpath.floyd_warshall", dtype)
        for n in (4096, 8192, 16384)
        for dtype in ("int32", "float32")
    ]
    if gnutella is not None:
        found += [Case(gnutella, name, "int32") for name in ("warpath.floyd_warshall", "auto")]
    return found + [
        Case(graph, "auto", "int32", (64, 1024)) for graph in ("rmat 18 16", "grid 1000")
    ]


def measured(case: Case, graph: Graph, xp: Any, device: str = "cuda") -> dict[str, Any]:
    """Measure one query and return its line; `xp` is CuPy, whose arrays are on the device.

    Raises
    ------
    VerificationError
        If a sampled row differs from Dijkstra's: wrong answers get no times.
    """
    random = np.random.default_rng(_SEED)
    usable = np.flatnonzero(np.diff(graph.indptr))
    sources = targets = None
    if case.shape is not None:
        sources = graph.label_of(np.sort(random.choice(usable, case.shape[0], replace=False)))
        targets = graph.label_of(np.sort(random.choice(usable, case.shape[1], replace=False)))
    shape = (graph.n, graph.n) if case.shape is None else case.shape
    there = xp.empty(shape, case.dtype)
    wish: dict[str, Any] = {"algorithm": case.algorithm, "device": device}
    if graph.dist_dtype.kind == "i":
        wish["dist_dtype"] = case.dtype

    def solve(out: Any) -> wp.DistanceTable:
        if sources is None:
            return wp.apsp(graph, out=out, **wish)
        return wp.distances(graph, sources, targets, out=out, **wish)

    def left_there() -> wp.DistanceTable:
        table = solve(there)
        xp.cuda.get_current_stream().synchronize()
        return table

    table, kept_ms = _timed(left_there)
    _compare(graph, case, xp.asnumpy(there), sources, targets)
    here = np.empty(shape, case.dtype)
    _, copied_ms = _timed(lambda: solve(here))
    pairs = shape[0] * shape[1]
    line = {
        "question": case.title,
        "algorithm": table.plan.algorithm,
        "n": graph.n,
        "m": graph.m,
        "ms": kept_ms,
        "ms_with_copy": copied_ms,
        "stats": table.stats,
        "pairs": pairs,
    }
    if case.algorithm.endswith(".floyd_warshall"):
        line["share_of_issue_limit"] = graph.n**3 / _ISSUE_LIMIT / (kept_ms / 1e3)
    return line


def _timed(solve: Callable[[], Any]) -> tuple[Any, float]:
    """Return the last answer and the median milliseconds, after one call to warm up."""
    table, times = solve(), []
    for _ in range(_RUNS):
        start = time.perf_counter()
        table = solve()
        times.append(1e3 * (time.perf_counter() - start))
    return table, median(times)


def _compare(
    graph: Graph, case: Case, found: Array, sources: Array | None, targets: Array | None
) -> None:
    rows = np.random.default_rng(_SEED).choice(len(found), min(_SAMPLED, len(found)), replace=False)
    asked = graph.label_of(rows) if sources is None else sources[rows]
    expected = wp.distances(
        graph,
        asked,
        targets,
        device="cpu",
        algorithm="classic.dijkstra",
        dist_dtype=case.dtype if graph.dist_dtype.kind == "i" else None,
    ).dist
    rounding = graph.n * np.finfo(case.dtype).eps if case.dtype.startswith("float") else 0
    if not np.allclose(found[rows], expected, rtol=rounding, atol=0):
        msg = f"{case.title} by {case.algorithm}: a sampled row differs from Dijkstra's."
        raise VerificationError(msg, "row", {"rows": rows.tolist()})


def main(arguments: Sequence[str]) -> int:
    """Measure and print a Markdown table."""
    parser = argparse.ArgumentParser(prog="warpath bench anchors", description=__doc__)
    parser.add_argument("--gnutella", metavar="FILE", help="p2p-Gnutella04 as an edge list")
    parser.add_argument("--lines", metavar="FILE", help="append one JSON object per query")
    parser.add_argument("--only", default="", help="only queries whose title contains this")
    options = parser.parse_args(arguments)
    import cupy

    sys.stdout.write("| question | algorithm | ms | with the copy | of the issue limit |\n")
    sys.stdout.write("|---|---|---:|---:|---:|\n")
    graphs: dict[tuple[str, str], Graph] = {}
    for case in cases(options.gnutella):
        if options.only not in case.title:
            continue
        key = case.graph, case.dtype
        if key not in graphs:
            graphs.clear()
            graphs[key] = graph_for(case)
        line = measured(case, graphs[key], cupy)
        share = line.get("share_of_issue_limit")
        shown = "" if share is None else f"{100 * share:.0f} %"
        sys.stdout.write(
            f"| {case.title} | {line['algorithm']} | {line['ms']:.2f} | "
            f"{line['ms_with_copy']:.1f} | {shown} |\n"
        )
        sys.stdout.flush()
        if options.lines:
            with Path(options.lines).open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(line | machine()) + "\n")
    return 0


def graph_for(case: Case) -> Graph:
    """Return the graph of a query, with weights of the answer's type."""
    graph = graph_of(case.graph)
    return graph.astype(case.dtype) if case.dtype.startswith("float") else graph
