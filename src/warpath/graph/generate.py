"""Generators of the field's workloads: a seed gives the same graph on every platform.

Edges and weights come from integer arithmetic on (seed, position) alone, Euclidean lengths from
the correctly rounded square root. `GENERATORS` lists all functions for ``warpath generate``.

`weights` means the same everywhere: ``(low, high)`` with integers draws integers from low to high,
both included (int32, or int64 if they do not fit); with floats it draws from [low, high] (float64,
or `dtype`); None makes the graph unweighted. An undirected edge has one weight in both directions.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import _core
from warpath.base.errors import InputError
from warpath.graph.checks import checked_bool, is_number, shown
from warpath.graph.csr import kept_rows, threads_for
from warpath.graph.graph import Graph
from warpath.graph.random_weights import (
    at_least,
    drawn,
    euclidean,
    must_fit,
    probability,
    seed_of,
    threshold,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.graph.random_weights import Dtype, Weights

__all__ = [
    "GENERATORS",
    "complete",
    "delaunay",
    "dense",
    "grid",
    "kronecker",
    "random_in_degree",
    "rmat",
    "road",
    "small_world",
    "uniform",
]


def _graph(
    src: Any, dst: Any, weights: Weights, dtype: Dtype, seed: int, **attributes: Any
) -> Graph:
    return Graph.from_edges(src, dst, drawn(len(src), weights, dtype, seed), **attributes)


def random_in_degree(
    n: int, degree: int = 7, weights: Weights = (1, 10), *, dtype: Dtype = None, seed: int = 0
) -> Graph:
    """Generate a directed graph with `degree` edges into each vertex, from random vertices.

    The workload of Martin, Torres, Gavilanes (2009): degree 7, weights 1 .. 10. Sources are
    uniformly random; self-loops and parallel edges may occur. O(n degree).

    Parameters
    ----------
    n : number of vertices, >= 0.
    degree : number of edges into each vertex, >= 0.
    weights, dtype : see the module.
    seed : 0 .. 2**64 - 1.

    Raises
    ------
    InputError, NotEnoughMemoryError
    """
    n, degree, seed = at_least(0, n=n), at_least(0, degree=degree), seed_of(seed)
    must_fit(n * degree, n)
    src = _vertices(n * degree, n, seed)
    dst = np.repeat(np.arange(n, dtype=src.dtype), degree if n else 0)
    name = f"random_in_degree({n}, {degree})"
    return _graph(src, dst, weights, dtype, seed, n=n, name=name)


def uniform(
    n: int, out_degree: int = 8, weights: Weights = (1, 1000), *, dtype: Dtype = None, seed: int = 0
) -> Graph:
    """Generate a directed graph with `out_degree` edges from each vertex to random vertices.

    Targets are uniformly random; self-loops and parallel edges may occur. O(n out_degree).

    Parameters
    ----------
    n : number of vertices, >= 0.
    out_degree : number of edges out of each vertex, >= 0.
    weights, dtype : see the module.
    seed : 0 .. 2**64 - 1.

    Raises
    ------
    InputError, NotEnoughMemoryError
    """
    n, out_degree, seed = at_least(0, n=n), at_least(0, out_degree=out_degree), seed_of(seed)
    must_fit(n * out_degree, n)
    indices = _vertices(n * out_degree, n, seed)
    indptr = np.arange(n + 1, dtype=np.int64) * (out_degree if n else 0)
    chosen = drawn(len(indices), weights, dtype, seed)
    rows = kept_rows(indptr, indices, chosen, copied=False)
    return Graph(*rows, name=f"uniform({n}, {out_degree})")


def rmat(
    scale: int,
    edge_factor: int = 16,
    weights: Weights = (1, 255),
    *,
    a: float = 0.57,
    b: float = 0.19,
    c: float = 0.19,
    directed: bool = False,
    unique: bool = True,
    permute: bool = False,
    dtype: Dtype = None,
    seed: int = 0,
) -> Graph:
    """Generate a power-law graph by recursive quadrants (Chakrabarti, Zhan, Faloutsos 2004).

    Draws ``edge_factor * 2**scale`` edges; `unique` then removes self-loops and repeated edges.
    O(edge_factor 2**scale scale).

    Parameters
    ----------
    scale : 0 .. 31; the graph has ``2**scale`` vertices.
    edge_factor : edges drawn for each vertex, >= 0.
    a, b, c : probabilities of the quadrants (u low, v low), (low, high), (high, low); the fourth
        gets the rest. Rounded to multiples of 2**-32.
    weights, dtype : see the module.
    directed : False stores both arcs of every edge.
    unique : remove self-loops and repeated edges.
    permute : number the vertices at random; otherwise the hubs have the smallest numbers.
    seed : 0 .. 2**64 - 1.

    Raises
    ------
    InputError, NotEnoughMemoryError
    """
    scale, edge_factor = at_least(0, scale=scale), at_least(0, edge_factor=edge_factor)
    seed = seed_of(seed)
    directed, unique = checked_bool(directed, "directed"), checked_bool(unique, "unique")
    permute = checked_bool(permute, "permute")
    if scale > 31:
        msg = f"scale = {shown(scale)}: at most 31 (2**31 vertices) can be generated."
        raise InputError(msg)
    quadrants = [probability(a=a), probability(b=b), probability(c=c)]
    if math.fsum(quadrants) > 1:
        msg = f"a + b + c = {math.fsum(quadrants)}: probabilities must add up to 1 at most."
        raise InputError(msg)
    n, count = 1 << scale, edge_factor << scale
    must_fit(count if directed else 2 * count, n, working=24 * count)
    low, middle, high = (int(math.fsum(quadrants[:k]) * 2**32) for k in (1, 2, 3))
    src, dst = _core.rmat(
        scale=scale, count=count, a=low, ab=middle, abc=high,
        rename=permute, links=not directed, unique=unique, seed=seed, threads=threads_for(count),
    )  # fmt: skip
    name = f"rmat({scale}, {edge_factor})"
    return _graph(src, dst, weights, dtype, seed, n=n, directed=directed, name=name)


def kronecker(
    scale: int,
    edge_factor: int = 16,
    weights: Weights = (0.0, 1.0),
    *,
    dtype: Dtype = "float32",
    seed: int = 0,
) -> Graph:
    """Generate the Graph 500 workload: R-MAT .57 .19 .19 .05, undirected, permuted, not unique.

    Parameters
    ----------
    scale, edge_factor, weights, dtype, seed : as for `rmat`; weights in [0, 1] by default.

    Raises
    ------
    InputError, NotEnoughMemoryError
    """
    return rmat(
        scale, edge_factor, weights=weights, unique=False, permute=True, dtype=dtype, seed=seed
    )


def grid(
    rows: int,
    columns: int,
    weights: Weights = (1, 1000),
    *,
    diagonal: bool = False,
    drop: float = 0.0,
    dtype: Dtype = None,
    seed: int = 0,
) -> Graph:
    """Generate an undirected grid, numbered row by row, with coordinates (column, row).

    Parameters
    ----------
    rows, columns : >= 0.
    weights, dtype : see the module.
    diagonal : connect each vertex to its 8 neighbours instead of 4.
    drop : probability that an edge is left out, in [0, 1].
    seed : 0 .. 2**64 - 1.

    Raises
    ------
    InputError, NotEnoughMemoryError

    Examples
    --------
    >>> grid(3, 4, weights=None)
    <Graph grid(3, 4): n = 12, m = 34, undirected, every weight 1, with coordinates>
    """
    rows, columns, seed = at_least(0, rows=rows), at_least(0, columns=columns), seed_of(seed)
    diagonal = checked_bool(diagonal, "diagonal")
    n = rows * columns
    must_fit(n * (8 if diagonal else 4), n, working=16 * n)
    sides = (rows, columns) if n else (0, 0)  # the core loops over all rows, even empty ones
    src, dst = _core.grid(
        rows=sides[0], columns=sides[1], diagonal=diagonal, drop=threshold(drop=drop), seed=seed
    )
    y, x = np.divmod(np.arange(n, dtype=np.float64), max(sides[1], 1))
    return _graph(
        src, dst, weights, dtype, seed,
        n=n, directed=False, coordinates=np.column_stack((x, y)), name=f"grid({rows}, {columns})",
    )  # fmt: skip


def road(
    n: int, degree: float = 2.5, weights: Weights | str = "euclidean", *, dtype: Dtype = None,
    seed: int = 0,
) -> Graph:  # fmt: skip
    """Generate an undirected network like that of roads, with coordinates.

    The network is connected, planar and of small degree: one random point in each 1000 x 1000 cell
    of a grid, a random spanning tree of neighbours, and further edges between neighbours until the
    mean degree is about `degree`. O(n).

    Parameters
    ----------
    n : number of vertices, >= 0.
    degree : mean degree, in [2, 4]; large networks stay below 4.
    weights : ``"euclidean"`` for lengths, or as in the module.
    dtype : type of Euclidean weights: int32 (the default) or int64 rounds to the nearest integer,
        float64 or float32 does not.
    seed : 0 .. 2**64 - 1.

    Raises
    ------
    InputError, NotEnoughMemoryError
    """
    n, seed = at_least(0, n=n), seed_of(seed)
    if not is_number(degree) or not 2 <= degree <= 4:
        msg = f"degree = {shown(degree)}: a road network's mean degree must be in [2, 4]."
        raise InputError(msg)
    must_fit(4 * n, n, working=80 * n)
    columns = max(math.isqrt(n), 1)
    edges = _core.road(n=n, columns=columns, links=int(n * degree / 2), seed=seed)
    return _planar(edges, weights, dtype, seed, name=f"road({n})")


def delaunay(
    n: int, weights: Weights | str = "euclidean", *, dtype: Dtype = None, seed: int = 0
) -> Graph:
    """Generate the exact Delaunay mesh of n random points, undirected, with coordinates.

    The points are uniform in a square of side 2**28 and numbered along the Hilbert curve, so
    neighbours have close numbers. Mean degree just below 6. O(n) for random points.

    Parameters
    ----------
    n : number of points, 0 .. 2**30 - 1.
    weights, dtype : as for `road`.
    seed : 0 .. 2**64 - 1.

    Raises
    ------
    InputError, NotEnoughMemoryError
    """
    n, seed = at_least(0, n=n), seed_of(seed)
    if n >= 2**30:
        msg = f"n = {n}: a Delaunay mesh has fewer than 2**30 points."
        raise InputError(msg)
    must_fit(6 * n, n, working=150 * n)
    x, y = _core.random_points(n=n, seed=seed)
    edges = (*_core.delaunay(x, y), x, y)
    return _planar(edges, weights, dtype, seed, name=f"delaunay({n})")


def small_world(
    n: int, degree: int = 10, rewire: float = 0.1, weights: Weights = (1, 1000), *,
    dtype: Dtype = None, seed: int = 0,
) -> Graph:  # fmt: skip
    """Generate an undirected ring lattice with edges rewired at random (Watts, Strogatz 1998).

    A rewired edge may be parallel to another edge; both are stored. O(n degree).

    Parameters
    ----------
    n : number of vertices, > degree (or 0).
    degree : degree of each vertex in the ring, even.
    rewire : probability that an edge's far end moves, in [0, 1].
    weights, dtype : see the module.
    seed : 0 .. 2**64 - 1.

    Raises
    ------
    InputError, NotEnoughMemoryError
    """
    n, degree, seed = at_least(0, n=n), at_least(0, degree=degree), seed_of(seed)
    if degree % 2 or 0 < n <= degree:
        msg = f"degree = {degree}: a ring of n = {n} vertices needs an even degree below n."
        raise InputError(msg)
    must_fit(n * degree, n, working=4 * n * degree)
    half = degree // 2 if n else 0
    src, dst = _core.small_world(n=n, half=half, rewire=threshold(rewire=rewire), seed=seed)
    name = f"small_world({n}, {degree}, {rewire})"
    return _graph(src, dst, weights, dtype, seed, n=n, directed=False, name=name)


def dense(
    n: int, density: float = 0.5, weights: Weights = (1, 1000), *, dtype: Dtype = None,
    seed: int = 0,
) -> Graph:  # fmt: skip
    """Generate a directed graph with an edge u -> v, u != v, with probability `density`. O(n^2).

    Parameters
    ----------
    n : number of vertices, >= 0.
    density : probability of each edge, in [0, 1].
    weights, dtype : see the module.
    seed : 0 .. 2**64 - 1.

    Raises
    ------
    InputError, NotEnoughMemoryError
    """
    n, seed = at_least(0, n=n), seed_of(seed)
    keep = threshold(density=density)
    expected = n * n * keep >> 53
    must_fit(expected, n, working=12 * expected)
    src, dst = _core.pairs(n=n, keep=keep, seed=seed)
    return _graph(src, dst, weights, dtype, seed, n=n, name=f"dense({n}, {density})")


def complete(n: int, weights: Weights = (1, 1000), *, dtype: Dtype = None, seed: int = 0) -> Graph:
    """Generate a directed graph with an edge for each ordered pair u != v. O(n^2).

    Parameters
    ----------
    n : number of vertices, >= 0.
    weights, dtype : see the module.
    seed : 0 .. 2**64 - 1.

    Raises
    ------
    InputError, NotEnoughMemoryError
    """
    return dense(n, 1.0, weights, dtype=dtype, seed=seed)


def _vertices(count: int, n: int, seed: int) -> Any:
    chosen: Any = np.empty(count, np.int32 if n < 2**31 else np.int64)
    _core.draw_vertices(out=chosen, n=n, seed=seed, threads=threads_for(len(chosen)))
    return chosen


def _planar(
    edges: tuple[Any, Any, Any, Any], weights: Weights | str, dtype: Dtype, seed: int, name: str
) -> Graph:
    src, dst, x, y = edges
    if isinstance(weights, str):
        chosen: Any = euclidean(weights, (src, dst), (x, y), dtype)
    else:
        chosen = drawn(len(src), weights, dtype, seed)
    coordinates = np.column_stack((x, y)).astype(np.float64)
    return Graph.from_edges(
        src, dst, chosen, n=len(x), directed=False, coordinates=coordinates, name=name
    )


#: Functions by name, in the order in which ``warpath generate`` lists them.
GENERATORS: dict[str, Callable[..., Graph]] = {
    function.__name__: function
    for function in (
        random_in_degree, uniform, rmat, kronecker, grid, road, delaunay, small_world, dense,
        complete,
    )
}  # fmt: skip
