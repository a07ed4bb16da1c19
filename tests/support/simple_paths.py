"""All simple paths of small random graphs, many of which are equally long."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

import warpath as wp

if TYPE_CHECKING:
    from collections.abc import Iterator

DTYPES = [np.int32, np.int64, np.float32, np.float64]


def lightest(graph: wp.Graph) -> dict[int, dict[int, Any]]:
    """Return {u: {v: weight}} with the lightest of parallel edges."""
    rows: dict[int, dict[int, Any]] = defaultdict(dict)
    for u, v, w in zip(*(part.tolist() for part in graph.edges()), strict=True):
        rows[u][v] = min(w, rows[u].get(v, w))
    return rows


def simple_paths(graph: wp.Graph, source: int, target: int) -> list[tuple[Any, list[int]]]:
    """Return (length, vertices) of every path that passes no vertex twice, in order."""
    rows = lightest(graph)
    found: list[tuple[Any, list[int]]] = []

    def go(path: list[int], length: Any) -> None:
        if path[-1] == target:
            found.append((length, path))
            return
        for v, w in rows[path[-1]].items():
            through = path[-1] == source or path[-1] >= graph.first_through
            if v not in path and through:
                go([*path, v], length + w)

    go([source], 0)
    return sorted(found)


def random_graphs(
    seed: int, count: int, dtype: Any = np.int32, closed: int = 0
) -> Iterator[tuple[wp.Graph, int, int]]:
    """Yield small graphs with few different weights, so that many paths are equally long."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n = int(rng.integers(1, 8))
        src, dst = rng.integers(0, n, (2, int(rng.integers(0, 3 * n + 1))))
        weights = rng.integers(rng.integers(0, 2), rng.integers(2, 6), len(src)).astype(dtype)
        directed = bool(rng.integers(0, 2))
        options: dict[str, Any] = {"directed": directed, "first_through": min(closed, n)}
        graph = wp.Graph.from_edges(src, dst, weights, n=n, **options)
        yield graph, *rng.integers(0, n, 2).tolist()
