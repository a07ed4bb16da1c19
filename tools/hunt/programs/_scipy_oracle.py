"""Exact distances, and checks of distances and predecessors, in plain Python."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from warpath.base.dtypes import Array

INF = np.inf


def exact_distances(lengths: Array) -> list[list[Fraction | None]] | Fraction:
    """Return the distances between all pairs as fractions; None for unreachable pairs.

    If there are negative cycles, return the length of one of them instead.
    """
    n = len(lengths)
    dist: list[list[Fraction | None]] = [
        [None if w in (INF, -INF) else Fraction(w) for w in row] for row in lengths.tolist()
    ]
    for i, row in enumerate(dist):
        loop = row[i]
        row[i] = Fraction(0) if loop is None or loop > 0 else loop
    for k in range(n):
        shortest = min(dist[i][i] for i in range(n))  # type: ignore[type-var]
        if shortest is not None and shortest < 0:
            return shortest
        for i in range(n):
            first = dist[i][k]
            if first is None:
                continue
            for j in range(n):
                second, old = dist[k][j], dist[i][j]
                if second is not None and (old is None or first + second < old):
                    dist[i][j] = first + second
    shortest = min((dist[i][i] for i in range(n)), default=None)  # type: ignore[type-var]
    return dist if shortest is None or shortest >= 0 else shortest


def reached(lengths: Array, sources: Array) -> Array:
    """Return the lengths of the edges that are reachable from the sources, inf elsewhere."""
    seen = np.zeros(len(lengths), np.bool_)
    seen[sources] = True
    for _ in range(len(lengths)):
        seen |= (lengths[seen] != INF).any(axis=0)
    return np.where(seen[:, None], lengths, INF)


def rounding(lengths: Array) -> Fraction:
    """Return a bound on the rounding error of sums of n lengths."""
    finite = lengths[np.isfinite(lengths)]
    largest = Fraction(float(np.abs(finite).max(initial=0)))
    return len(lengths) ** 2 * largest * Fraction(float(np.finfo(np.float64).eps))


def differs_by_rounding(found: Array, lengths: Array, sources: Array) -> bool:
    """Return whether distances are within n * eps of the exact ones, relative to the longest."""
    exact = exact_distances(lengths)
    if isinstance(exact, Fraction):
        return False
    n = len(lengths)
    finite = lengths[np.isfinite(lengths)]
    signed = bool((finite < 0).any())
    largest = Fraction(float(np.abs(finite).max(initial=0)))
    eps = Fraction(float(np.finfo(np.float64).eps))
    tiny = Fraction(5e-324) * n
    for s, row in zip(sources.tolist(), found.reshape(-1, n).tolist(), strict=True):
        for true, value in zip(exact[s], row, strict=True):
            if true is None:
                if value != INF:
                    return False
                continue
            room = (rounding(lengths) if signed else n * eps * abs(true)) + tiny
            # A sum that overflows float64 stays inf, even if later terms are negative.
            if value == INF and n * largest > Fraction(float(np.finfo(np.float64).max)):
                continue
            if not np.isfinite(value) or abs(Fraction(value) - true) > room:
                return False
    return True


def broken_tree(
    lengths: Array, sources: Array, dist: Array, pred: Array, *, tight: bool, stored: Array
) -> str:
    """Return the rule that predecessors break, "" for none.

    Parameters
    ----------
    lengths : (n, n) float64, inf where there is no edge.
    sources : (k,) source of each row.
    dist, pred : (k, n) distances and predecessors.
    tight : whether each distance must equal, in float64, the predecessor's plus the edge's length.
    stored : (n, n) bool, whether there is an edge.
    """
    n = len(lengths)
    for s, row, before in zip(sources.tolist(), dist.tolist(), pred.tolist(), strict=True):
        for v in range(n):
            u = before[v]
            if v == s or row[v] == INF:
                if u != -9999:
                    return f"the predecessor of {v} from {s} is {u}, but there is none"
                continue
            if not 0 <= u < n or not stored[u, v]:
                return f"the predecessor of {v} from {s} is {u}, which has no edge to it"
            if tight and row[u] + lengths[u, v] != row[v]:
                sum_of = f"{row[u]} + {lengths[u, v]}"
                return f"the predecessor of {v} from {s} is {u}: {sum_of} is not {row[v]}"
            at, steps = v, 0
            while at != s:
                at, steps = before[at], steps + 1
                if steps >= n or at < 0:
                    return f"the predecessors of {v} do not lead to the source {s}"
    return ""


def broken_routes(lengths: Array, source: int, sink: int, dist: Array, pred: Array) -> str:
    """Return the rule that the k shortest paths break, "" for none."""
    seen: set[tuple[int, ...]] = set()
    last = -INF
    for total, row in zip(dist.tolist(), pred.tolist(), strict=True):
        path = _path_along(row, sink)
        if path[0] != source or sum(u != -9999 for u in row) != len(path) - 1 or path in seen:
            return f"{path} is not a path from the source, has others before it or comes twice"
        seen.add(path)
        legs = [lengths[u, v] for u, v in pairwise(path)]
        room = len(lengths) * 2.3e-16 * sum(map(abs, legs))
        if total == INF or abs(sum(legs) - total) > room:
            return f"the path {path} has length {sum(legs)}, not {total}"
        if total < last - 2 * room:
            return f"{total} comes after {last}"
        last = total
    return ""


def _path_along(row: list[int], sink: int) -> tuple[int, ...]:
    path = [sink]
    while row[path[-1]] != -9999 and len(path) <= len(row):
        path.append(row[path[-1]])
    return tuple(reversed(path))
