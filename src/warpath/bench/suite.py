"""What is measured: graphs, sources and solvers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath import generate
from warpath.api import sssp
from warpath.errors import InputError, require
from warpath.io.formats import read
from warpath.paths import never

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from warpath.graph import Graph

    Array = NDArray[Any]

#: The generated graphs, each at a scale of its full size (1) or less.
GRAPHS: dict[str, Callable[[float], Graph]] = {
    "road": lambda scale: generate.road(_count(1_000_000, scale), seed=1),
    "grid": lambda scale: generate.grid(*(_count(1000, scale**0.5),) * 2, (70, 140), drop=0.25),
    "rmat": lambda scale: generate.rmat(max(4, 18 + round(np.log2(scale))), 16),
    "martin": lambda scale: generate.random_in_degree(_count(2**20, scale)),
    "delaunay": lambda scale: generate.delaunay(_count(2**18, scale)),
}

_SEED = 20261120


class Solver(NamedTuple):
    """Something that solves from one source; `prepare` is outside the clock, `solve` inside."""

    name: str
    prepare: Callable[[Graph], Any]
    solve: Callable[[Any, int], Array]


def graph_named(name: str, scale: float, dtype: str) -> Graph:
    """Return a generated graph, or one read from a file; without weights it gets 1 .. 255."""
    if name in GRAPHS:
        graph = GRAPHS[name](scale)
    else:
        graph = read(name)
        if graph.weights is None:
            drawn = np.random.default_rng(_SEED).integers(1, 256, graph.m, np.int32)
            graph = graph.with_weights(drawn)
    return graph if dtype == "own" else graph.astype(dtype)


def sources_of(graph: Graph, count: int) -> list[int]:
    """Return seeded sources with edges out of them."""
    usable = np.flatnonzero(np.diff(graph.indptr))
    if len(usable) == 0:
        msg = "a graph without edges has nothing to measure."
        raise InputError(msg)
    return [int(s) for s in np.random.default_rng(_SEED).choice(usable, count)]


def ours(algorithm: str, threads: int, *, tree: bool) -> Solver:
    """Return a solver of the catalogue, or the planner's choice for "auto"."""

    def solve(graph: Graph, source: int) -> Array:
        name = graph.label_of(np.array([source]))[0]
        paths = sssp(graph, name, algorithm=algorithm, threads=threads)
        if tree:
            _ = paths.pred
        return paths.dist

    title = f"warpath {algorithm}, {threads} thread{'s' * (threads > 1)}"
    return Solver(title + ", tree" * tree, lambda graph: graph, solve)


def scipy_dijkstra(*, tree: bool) -> Solver:
    """Return SciPy's Dijkstra (float64 labels; parallel edges merged beforehand, as it needs)."""
    csgraph = require("scipy.sparse.csgraph", extra="test", what="The peer SciPy")
    sparse = require("scipy.sparse", extra="test", what="The peer SciPy")

    def prepare(graph: Graph) -> Any:
        src, dst, weights = graph.edges()
        order = np.lexsort((weights, dst, src))
        src, dst, weights = src[order], dst[order], weights[order]
        lightest = np.ones(len(src), np.bool_)
        lightest[1:] = (src[1:] != src[:-1]) | (dst[1:] != dst[:-1])
        parts = (weights[lightest].astype(np.float64), (src[lightest], dst[lightest]))
        return sparse.coo_array(parts, shape=(graph.n, graph.n)).tocsr()

    def solve(matrix: Any, source: int) -> Array:
        found = csgraph.dijkstra(matrix, indices=source, return_predecessors=tree)
        dist: Array = found[0] if tree else found
        return dist

    return Solver("SciPy dijkstra" + ", tree" * tree, prepare, solve)


def same_distances(ours: Array, other: Array) -> bool:
    """Say whether two answers agree: equal as float64, or within 1e-5 for float32 sums."""
    reached = ours != never(ours.dtype)
    if not np.array_equal(reached, np.isfinite(other) & (other != never(other.dtype))):
        return False
    mine, theirs = ours[reached].astype(np.float64), other[reached].astype(np.float64)
    tolerance = 1e-5 if ours.dtype == np.float32 else 0
    return bool(np.all(np.abs(mine - theirs) <= tolerance * np.abs(mine)))


def _count(full: int, scale: float) -> int:
    return max(16, round(full * scale))
