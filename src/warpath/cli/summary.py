"""Summary statistics of distances."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.cli.vertices import ids, one_id

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.results.paths import Paths


def exact_sum(values: Array) -> int | float:
    """Return the sum without overflow or accumulated rounding: a Python int, or `math.fsum`."""
    if values.dtype.kind == "f":
        return math.fsum(values.ravel())
    wide = values.astype(np.int64, copy=False)
    return (int((wide >> 32).sum()) << 32) + int((wide & 0xFFFFFFFF).sum())


def described(graph: Graph, dist: Array, reached: Array) -> dict[str, Any]:
    """Return counts, sum, mean and the farthest vertex of distances, (n,)."""
    finite = dist[reached]
    total = exact_sum(finite)
    far = int(np.flatnonzero(reached)[np.argmax(finite)]) if len(finite) else None
    return {
        "reached": len(finite),
        "unreached": len(dist) - len(finite),
        "sum": total,
        "mean": total / len(finite) if len(finite) else None,
        "max": None if far is None else dist[far].item(),
        "farthest": None if far is None else one_id(graph, far),
    }


def distance_rows(paths: Paths) -> Iterator[list[Any]]:
    """Yield (id, distance, id of the predecessor) for each vertex; None for missing values."""
    graph = paths.graph
    names = ids(graph, np.arange(graph.n)).tolist()
    columns = (names, paths.dist.tolist(), paths.reached.tolist(), paths.pred.tolist())
    for name, distance, reached, before in zip(*columns, strict=True):
        yield [name, distance if reached else None, names[before] if before >= 0 else None]
