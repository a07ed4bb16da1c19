"""``warpath bench peak``: compare dense all pairs with the cores' peak rate of add and minimum."""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from warpath import _core
from warpath.api.calls import sssp
from warpath.base import settings
from warpath.base.errors import VerificationError
from warpath.graph import Graph
from warpath_bench.run import facts_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from warpath.base.dtypes import Array

_TYPES = ("float32", "float64", "int32", "int64")
_SEED = 20261121
_STEPS = 3_000_000  # of the peak's loop: about 50 ms
_VERIFIED = 4  # rows of an answer
_LONGEST = 1000  # upper bound of weights


@dataclass(frozen=True)
class Rate:
    """Rates of one type on some threads: medians of billions of sums and minima per second."""

    dtype: str
    threads: int
    peak: float
    floyd_warshall: float
    seconds: float


def main(arguments: Sequence[str]) -> int:
    """Measure and print the table; return 0."""
    options = _parser().parse_args(arguments)
    rates = []
    for dtype in options.dtypes:
        matrix = _matrix(options.n, dtype)
        counts = options.threads or range(1, settings.threads() + 1)
        rates += [measure(matrix, threads, options.repeats) for threads in counts]
    sys.stdout.write(table(rates, options.n) + "\n")
    sys.stdout.write(f"\nMedians of {options.repeats} in turn, answers verified; {facts_text()}.\n")
    return 0


def measure(
    matrix: Array, threads: int, repeats: int, solve: Callable[..., None] = _core.floyd_warshall
) -> Rate:
    """Time the peak and a solve in turns, so that a change of the machine's speed affects both.

    Raises
    ------
    VerificationError
        If an answer is wrong: wrong answers get no times.
    """
    n = len(matrix)
    kept = np.zeros(1, matrix.dtype)
    peaks, solves = [], []
    for _ in range(repeats):
        start = time.perf_counter()
        operations = _core.add_min_peak(kept, steps=_STEPS, threads=threads)
        peaks.append(operations / (time.perf_counter() - start))
        dist = matrix.copy()
        start = time.perf_counter()
        solve(dist, threads=threads)
        solves.append(time.perf_counter() - start)
    _verify(matrix, dist)
    seconds = median(solves)
    return Rate(str(matrix.dtype), threads, median(peaks) / 1e9, 2 * n**3 / seconds / 1e9, seconds)


def table(rates: Sequence[Rate], n: int) -> str:
    """Return a Markdown table with a row for each type and number of threads."""
    lines = [
        f"| type | threads | add + min, Gop/s | all pairs of {n:,}, Gop/s | of the peak | ms |",
        "|---" * 6 + "|",
    ]
    lines += [
        f"| {rate.dtype} | {rate.threads} | {rate.peak:.1f} | {rate.floyd_warshall:.1f} | "
        f"{rate.floyd_warshall / rate.peak:.0%} | {1e3 * rate.seconds:.1f} |"
        for rate in rates
    ]
    return "\n".join(lines)


def _matrix(n: int, dtype: str) -> Array:
    """Return the labels of a complete graph with weights from 1 on."""
    drawn = np.random.default_rng(_SEED).integers(1, _LONGEST, (n, n)).astype(dtype)
    np.fill_diagonal(drawn, 0)
    return drawn


def _verify(matrix: Array, dist: Array) -> None:
    """Compare some rows with Dijkstra's; floats may differ by the rounding of the sums."""
    graph = Graph.of(matrix)
    n = len(matrix)
    slack = n * float(np.finfo(matrix.dtype).eps) if matrix.dtype.kind == "f" else 0
    for source in np.random.default_rng(_SEED).integers(0, n, _VERIFIED).tolist():
        expected = sssp(graph, source, algorithm="classic.dijkstra").dist
        if (np.abs(dist[source] - expected) > slack * expected).any():
            msg = f"Floyd-Warshall of {matrix.dtype}: distances from {source} are not Dijkstra's."
            raise VerificationError(msg, "peer", {"source": source})


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="warpath bench peak", description=__doc__)
    parser.add_argument("--n", type=int, default=2048, help="vertices")
    parser.add_argument("--dtypes", nargs="+", choices=_TYPES, default=list(_TYPES))
    parser.add_argument(
        "--threads", type=int, nargs="+", help="(default: 1 to the number of cores)"
    )
    parser.add_argument("--repeats", type=int, default=7, help="solves per row")
    return parser
