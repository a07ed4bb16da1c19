"""``warpath bench comparisons``: what duan2025.bmssp saves over Dijkstra's heap, as graphs grow.

Comparisons and additions of labels are counted in traced solves; times are those of solves that
count nothing, of both algorithms in turn, in processor time of one thread.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from warpath.api.solver import Solver
from warpath.base.errors import VerificationError
from warpath.results.trace import Trace
from warpath_bench.charts import Point, panels
from warpath_bench.measured import rows
from warpath_bench.options import parsed
from warpath_bench.run import facts_text
from warpath_bench.workloads import graph_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from warpath.graph import Graph
    from warpath.results.trace import TraceTotals

#: Name of a kind of graphs -> the name of its graph of 2 ** power vertices or so, for `graph_of`.
KINDS: dict[str, Callable[[int], str]] = {
    "random": lambda power: f"uniform {2**power} 3",
    "grid": lambda power: f"grid {math.isqrt(2**power)}",
    "road": lambda power: f"road {2**power}",
    "rmat": lambda power: f"rmat {power} 8",
}
DIJKSTRA, BMSSP = "classic.dijkstra", "duan2025.bmssp"
_SEED = 20261126
_SOURCES = 64  # that are drawn; the first ones of degree above 0 are used


@dataclass(frozen=True)
class Line:
    """Medians over sources of one algorithm on one graph.

    Attributes
    ----------
    kind, graph, algorithm : names.
    n, m : numbers of reached vertices, and of edges out of them.
    comparisons, additions : counts.
    ms : processor time.
    """

    kind: str
    graph: str
    algorithm: str
    n: int
    m: int
    comparisons: int
    additions: int
    ms: float


def main(arguments: Sequence[str]) -> int:
    """Measure, print the tables and draw the picture; return 0."""
    options = parsed(
        "comparisons",
        __doc__,
        arguments,
        files={"positional": True, "nargs": "*", "type": Path, "help": "graphs in files"},
        kinds={"default": list(KINDS), "choices": KINDS, "help": "kinds of generated graphs"},
        powers={"default": list(range(10, 21)), "help": "log2 of sizes"},
        repeats=7,
        params={"type": json.loads, "help": "of bmssp, as '{\"constant_degree\": 1}'"},
        output={"type": Path, "help": "file for the measurements, lines of JSON"},
        picture={"type": Path, "metavar": "FILE", "help": "file for the chart (.png, .svg)"},
    )
    names = [(kind, KINDS[kind](p)) for kind in options.kinds for p in options.powers]
    names += [("file", str(path)) for path in options.files]
    lines: list[Line] = []
    for kind, name in names:
        sys.stderr.write(f"{name}\n")
        lines += measure(kind, Path(name).name, graph_of(name), options.repeats, options.params)
    if options.output is not None:
        text = "".join(json.dumps(asdict(line)) + "\n" for line in lines)
        options.output.write_text(text, encoding="utf-8")
    sys.stdout.write(f"{table(lines)}\n\n{fits(lines)}\n\n")
    sys.stdout.write(f"Medians of {options.repeats} sources, same bits; {facts_text()}.\n")
    if options.picture is not None:
        draw(lines, options.picture)
    return 0


def measure(
    kind: str, name: str, graph: Graph, repeats: int, params: dict[str, float] | None = None
) -> list[Line]:
    """Solve from some sources by both algorithms in turn, so that noise affects both.

    Raises
    ------
    VerificationError
        If their distances differ: wrong answers get no times.
    """
    solvers = {
        DIJKSTRA: Solver(graph, device="cpu", algorithm=DIJKSTRA),
        BMSSP: Solver(graph, device="cpu", algorithm=BMSSP, params=params),
    }
    drawn = np.random.default_rng(_SEED).integers(0, graph.n, _SOURCES)
    sources = [int(v) for v in drawn if graph.indptr[v + 1] > graph.indptr[v]][:repeats]
    totals: dict[str, list[TraceTotals]] = {algorithm: [] for algorithm in solvers}
    seconds: dict[str, list[float]] = {algorithm: [] for algorithm in solvers}
    for source in sources:
        answers = []
        for algorithm, solver in solvers.items():
            start = time.thread_time()
            answers.append(solver.sssp(source).dist)
            seconds[algorithm].append(time.thread_time() - start)
            trace = solver.sssp(source, trace=True).trace or Trace()
            totals[algorithm].append(trace.totals())
        if answers[0].tobytes() != answers[1].tobytes():
            msg = f"{name}: the distances of {BMSSP} from {source} are not Dijkstra's."
            raise VerificationError(msg, "peer", {"source": source})
    return [
        Line(
            kind,
            name,
            algorithm,
            int(median(one.selected for one in totals[DIJKSTRA])),
            int(median(one.relaxed for one in totals[DIJKSTRA])),
            int(median(one.counts["comparisons"] for one in totals[algorithm])),
            int(median(one.counts["additions"] for one in totals[algorithm])),
            1e3 * median(seconds[algorithm]),
        )
        for algorithm in solvers
    ]


def table(lines: Sequence[Line]) -> str:
    """Return a Markdown table with a row for each graph, counts divided by reached vertices."""
    theirs = {line.graph: line for line in lines if line.algorithm == DIJKSTRA}
    body = []
    for ours in lines:
        if ours.algorithm == BMSSP:
            pair = theirs[ours.graph], ours
            counts = [
                getattr(one, key) / ours.n for key in ("comparisons", "additions") for one in pair
            ]
            times = [one.ms for one in pair]
            body.append([ours.graph, ours.n, *counts, *times, times[1] / times[0]])
    head = ["graph", "n", "comparisons / n", "bmssp", "additions / n", "bmssp", "ms", "bmssp"]
    return "\n".join(rows([*head, "ratio"], body))


def fits(lines: Sequence[Line]) -> str:
    """Return a Markdown table of exponents b: comparisons / n fitted by c * log2(n) ** b."""
    body = []
    for kind in dict.fromkeys(line.kind for line in lines):
        fitted = []
        for algorithm in (DIJKSTRA, BMSSP):
            some = [one for one in lines if (one.kind, one.algorithm) == (kind, algorithm)]
            if len(some) > 2:
                log = np.log([math.log2(one.n) for one in some])
                each = np.log([one.comparisons / one.n for one in some])
                fitted.append(np.polyfit(log, each, 1))
        if len(fitted) == 2:
            (slope, above), (ours, over) = fitted
            meet = math.exp((over - above) / (slope - ours)) if slope > ours else math.inf
            body.append([kind, f"{slope:.2f}", f"{ours:.2f}", f"{meet:,.0f}"])
    return "\n".join(rows(["graphs", "Dijkstra", "bmssp", "equal at log2 n"], body))


def draw(lines: Sequence[Line], path: Path) -> None:
    """Draw comparisons and time per vertex over n, a curve for each kind and algorithm."""
    charts = []
    for title in ("comparisons / n", "ns / n"):
        series: dict[str, list[Point]] = defaultdict(list)
        for line in lines:
            if line.kind != "file":
                value = (1e6 * line.ms if title == "ns / n" else line.comparisons) / line.n
                name = f"{line.kind}, {line.algorithm.partition('.')[2]}"
                series[name].append(Point(line.n, value, value, value))
        charts.append((title, series))
    panels(path, charts, "reached vertices")
