"""Measuring: warm up, time each source with every solver in turn, verify outside the clock."""

from __future__ import annotations

import json
import platform
import time
from dataclasses import asdict, dataclass
from importlib.metadata import version
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.bench.suite import Solver, same_distances, sources_of
from warpath.errors import VerificationError
from warpath.paths import Paths
from warpath.verify import verify

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

    from warpath.graph import Graph


@dataclass(frozen=True)
class Timing:
    """One solver on one graph: milliseconds over the sources."""

    graph: str
    n: int
    m: int
    dtype: str
    solver: str
    sources: int
    median_ms: float
    low_ms: float
    high_ms: float
    verified: bool


def measure(
    name: str, graph: Graph, solvers: Sequence[Solver], sources: int, lines: TextIO | None = None
) -> list[Timing]:
    """Time solvers side by side on one graph.

    Each source is solved by every solver before the next source, so that a change of the machine's
    speed meets all of them. The first solver's answer is verified by the certificate, the others'
    by comparison with it.

    Raises
    ------
    VerificationError
        If an answer is wrong: there are no numbers for wrong answers.
    """
    ready = [(solver, solver.prepare(graph)) for solver in solvers]
    chosen = sources_of(graph, sources)
    for solver, prepared in ready:
        solver.solve(prepared, chosen[0])
    times: dict[str, list[float]] = {solver.name: [] for solver in solvers}
    for source in chosen:
        expected = None
        for solver, prepared in ready:
            start = time.perf_counter()
            found = solver.solve(prepared, source)
            times[solver.name].append(1e3 * (time.perf_counter() - start))
            if expected is None:
                _certify(graph, source, found)
                expected = found
            elif not same_distances(expected, found):
                msg = f"{solver.name} on {name}: distances from {source} differ from the certified."
                raise VerificationError(msg, "peer", {"source": source})
    result = []
    for solver in solvers:
        low, _, high = quantiles(times[solver.name], n=4) if sources > 1 else [0.0] * 3
        timing = Timing(
            name, graph.n, graph.m, str(graph.weight_dtype), solver.name, sources,
            median(times[solver.name]), low, high, verified=True,
        )  # fmt: skip
        result.append(timing)
        if lines is not None:
            lines.write(json.dumps(asdict(timing) | machine()) + "\n")
    return result


def _certify(graph: Graph, source: int, dist: Any) -> None:
    from warpath.routes import tree

    verify(graph, Paths(graph, source, np.asarray(dist), tree=lambda: tree(graph, source, dist)))


def machine() -> dict[str, str]:
    """Return what the numbers belong to."""
    return {
        "machine": platform.processor() or platform.machine(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "warpath": version("warpath"),
    }


def table(timings: Sequence[Timing], baseline: str) -> str:
    """Return a Markdown table of medians: rows solvers, columns graphs; ratios to a baseline."""
    graphs = list(dict.fromkeys(t.graph for t in timings))
    solvers = list(dict.fromkeys(t.solver for t in timings))
    at = {(t.solver, t.graph): t.median_ms for t in timings}
    lines = ["| ms | " + " | ".join(graphs) + " |", "|---" * (len(graphs) + 1) + "|"]
    for solver in solvers:
        cells = []
        for graph in graphs:
            ms, base = at.get((solver, graph)), at.get((baseline, graph))
            cells.append("-" if ms is None else f"{ms:.1f}" + _ratio(ms, base))
        lines.append(f"| {solver} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _ratio(ms: float, base: float | None) -> str:
    return "" if base is None or base == ms else f" ({base / ms:.1f}x)"
