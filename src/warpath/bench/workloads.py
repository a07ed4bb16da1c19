"""The graphs of the studies, each by a name that says how it is made: ``rmat 18 16``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from warpath import generate
from warpath.errors import InputError
from warpath.graph import Graph
from warpath.io.formats import read

if TYPE_CHECKING:
    from collections.abc import Callable

_SEED = 20261121


def _hub(n: int) -> Graph:
    """Return a random graph of degree 4 in which vertex 0 has an edge to each other one."""
    src, dst, weights = generate.uniform(n, 4).edges()
    leaves = np.arange(1, n, dtype=dst.dtype)
    return Graph.from_edges(
        np.concatenate((src, np.zeros_like(leaves))),
        np.concatenate((dst, leaves)),
        np.concatenate((weights, 1000 + leaves % 1000)).astype(weights.dtype),
        n=n,
    )


#: Words of a name -> the graph; what follows the first word are whole numbers.
MAKERS: dict[str, Callable[..., Graph]] = {
    "rmat": lambda scale, factor=16: generate.rmat(scale, factor),
    "grid": lambda side: generate.grid(side, side, (100, 10_000), drop=0.25),
    "martin": lambda n: generate.random_in_degree(n, 7, (1, 10)),
    "dense": lambda n: generate.dense(n, 0.2, (1, 10)),
    "uniform": lambda n, degree=8: generate.uniform(n, degree),
    "hub": _hub,
}


def graph_of(name: str) -> Graph:
    """Return a graph by its name, or read it from a file.

    >>> graph_of("martin 64").m
    448
    """
    kind, *numbers = name.split()
    if kind in MAKERS and all(number.isdigit() for number in numbers):
        return MAKERS[kind](*map(int, numbers))
    if Path(name).exists():
        return read(name)
    msg = f"{name!r} is no graph: a file, or one of {', '.join(MAKERS)} and its numbers."
    raise InputError(msg)


def title_of(name: str) -> str:
    """Return what a graph is called in tables: a file by the last word of its stem.

    >>> title_of("data/USA-road-d.NY.gr.gz")
    'NY'
    >>> title_of("data/p2p-Gnutella04.txt.xz")
    'p2p-Gnutella04'
    """
    if name.split(maxsplit=1)[0] in MAKERS:
        return name
    stem = Path(name).name
    for suffix in (".gz", ".xz", ".gr", ".txt"):
        stem = stem.removesuffix(suffix)
    return stem.split(".")[-1]


def source_of(graph: Graph) -> int:
    """Return a vertex with edges out of it, drawn from a fixed seed."""
    usable = np.flatnonzero(np.diff(graph.indptr))
    if len(usable) == 0:
        msg = "a graph without edges has nothing to measure."
        raise InputError(msg)
    return int(np.random.default_rng(_SEED).choice(usable))


def tiny(graph: Graph) -> Graph:
    """Return a small graph of the same types, which takes the same kernels."""
    small = generate.uniform(64, 4, (1, 9), seed=1).astype(graph.solver_weights.dtype)
    return Graph(small.indptr, small.indices.astype(graph.indices.dtype), small.weights)
