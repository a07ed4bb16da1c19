"""Generated graphs in place of the papers' own, by names whose last number is the seed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpath.graph import Graph, generate
from warpath_bench.workloads import graph_of

if TYPE_CHECKING:
    from collections.abc import Callable


def _cube(side: int, seed: int = 0) -> Graph:
    """Return a mesh in three dimensions: each vertex is linked to its six neighbours."""
    at = np.arange(side**3, dtype=np.int32).reshape(side, side, side)
    pairs = [
        np.stack((np.delete(at, -1, axis).ravel(), np.delete(at, 0, axis).ravel()))
        for axis in range(3)
    ]
    src, dst = np.concatenate(pairs, axis=1)
    weights = np.random.default_rng(seed).integers(1, 1001, len(src), np.int32)
    return Graph.from_edges(src, dst, weights, n=side**3, directed=False)


#: The first word of a name -> the function that makes a graph from the numbers after it.
MAKERS: dict[str, Callable[..., Graph]] = {
    "martin": lambda n, seed=0: generate.random_in_degree(n, 7, (1, 10), seed=seed),
    "dense": lambda n, seed=0: generate.dense(n, 0.2, (1, 10), seed=seed),
    "uniform": lambda n, degree, seed=0: generate.uniform(n, degree, seed=seed),
    "rmat": lambda scale, factor, seed=0: generate.rmat(scale, factor, seed=seed),
    "road": lambda n, seed=0: generate.road(n, seed=seed),
    "grid": lambda side, seed=0: generate.grid(side, side, (100, 10_000), drop=0.25, seed=seed),
    "delaunay": lambda n, seed=0: generate.delaunay(n, (1, 1000), seed=seed),
    "cube": _cube,
}


def made_or_read(name: str) -> Graph:
    """Return a graph by its name, or read it from a file.

    >>> made_or_read("cube 3").m
    108
    """
    kind, *numbers = name.split()
    if kind in MAKERS and all(number.isdigit() for number in numbers):
        return MAKERS[kind](*map(int, numbers))
    return graph_of(name)
