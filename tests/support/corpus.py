"""Named difficult graphs: each breaks a shortcut that some solver takes.

>>> from support import corpus
>>> corpus.case("parallel_edges").graph().m
4
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from support.corpus_case import ALL_TYPES, Case
from warpath.base.errors import InputError
from warpath.graph import Graph, generate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import DTypeLike

__all__ = ["ALL_TYPES", "NAMES", "Case", "all", "case"]

FLOATS = ("float32", "float64")
MAX32 = int(np.iinfo(np.int32).max)
MAX64 = int(np.iinfo(np.int64).max)

_CASES: dict[str, Case] = {}


def _case(**facts: Any) -> Callable[[Callable[[], Graph]], Callable[[], Graph]]:
    def register(make: Callable[[], Graph]) -> Callable[[], Graph]:
        name = make.__name__
        _CASES[name] = Case(name, make.__doc__ or "", make, **facts)
        return make

    return register


def _edges(n: int, edges: Sequence[tuple[int, int, float]], dtype: DTypeLike = np.int32) -> Graph:
    src, dst, weights = zip(*edges, strict=True) if edges else ((), (), ())
    return Graph.from_edges(
        np.array(src, np.int64), np.array(dst, np.int64), np.array(weights, dtype), n=n
    )


@_case(sources=())
def empty() -> Graph:
    """No vertices at all."""
    return _edges(0, [])


@_case()
def one_vertex() -> Graph:
    """Nothing but the source."""
    return _edges(1, [])


@_case()
def one_loop() -> Graph:
    """An edge to itself at the only vertex."""
    return _edges(1, [(0, 0, 3)])


@_case(sources=(0, 2))
def self_loops() -> Graph:
    """Loops of weight 0 and more on the way."""
    return _edges(3, [(0, 0, 0), (0, 1, 2), (1, 1, 0), (1, 1, 5), (1, 2, 3), (2, 2, 1)])


@_case()
def parallel_edges() -> Graph:
    """Parallel edges, of which two are equally short and the last is one of them."""
    return _edges(2, [(0, 1, 7), (0, 1, 3), (0, 1, 9), (0, 1, 3)])


@_case(sources=(0, 2))
def zero_cycle() -> Graph:
    """All vertices at one distance: the tree must not close the cycle."""
    return _edges(5, [(0, 1, 4), (1, 2, 0), (2, 3, 0), (3, 1, 0), (3, 4, 0), (4, 3, 0)])


@_case()
def unreachable_zero_cycle() -> Graph:
    """Tight edges among vertices that no path reaches."""
    return _edges(5, [(0, 1, 1), (2, 3, 0), (3, 4, 0), (4, 2, 0), (2, 1, 0)])


@_case(sources=(0, 7))
def all_zero() -> Graph:
    """Every edge weighs nothing."""
    return generate.grid(4, 4, (0, 0), seed=1)


@_case(sources=(1, 0, 5))
def isolated_vertices() -> Graph:
    """Vertices without edges before, between and after."""
    return _edges(6, [(1, 3, 2), (3, 1, 2), (3, 4, 1)])


@_case(sources=(0, 9))
def unreachable_half() -> Graph:
    """The other half leads here but is never reached."""
    ring = [(v, (v + 1) % 5, 1 + v) for v in range(5)]
    return _edges(10, [*ring, *[(u + 5, v + 5, w) for u, v, w in ring], (7, 2, 1)])


@_case(sources=(0, 5))
def star_out() -> Graph:
    """One row holds all edges."""
    return _edges(300, [(0, v, 1 + v % 7) for v in range(1, 300)])


@_case(sources=(0, 5))
def star_in() -> Graph:
    """Every edge meets at one label."""
    return _edges(300, [(v, 0, 1 + v % 7) for v in range(1, 300)])


@_case(sources=(0, 140))
def hubs() -> Graph:
    """Rows just below, at and above 32 and 64 edges, and of 140: limits of traversals."""
    rows = {0: 140, 3: 70, 9: 40, 21: 64, 22: 33, 50: 32, 51: 31, 77: 63, 78: 65, 140: 30}
    rows |= {u: 1 + u % 3 for u in range(150) if u not in rows}
    return _edges(
        150,
        [
            (u, (u + 7 * k + 1) % 150, (5 * u + 7 * k) % 41)
            for u, size in rows.items()
            for k in range(size)
        ],
    )


@_case()
def lost_minima(n: int = 300) -> Graph:
    """All vertices of a round lower the same label: without atomics, minima get lost."""
    # Martin, Torres, Gavilanes 2009, section 4.3, on Harish, Narayanan 2007, with n = 1024.
    middle = range(1, n - 1)
    return _edges(n, [*((0, i, 1) for i in middle), *((i, n - 1, i) for i in middle)])


@_case(sources=(0, 65_999))
def long_path() -> Graph:
    """A path of 66,000 vertices: one round per hop."""
    vertices = np.arange(65_999, dtype=np.int32)
    return Graph.from_edges(vertices, vertices + 1, (vertices % 3).astype(np.int32), n=66_000)


@_case(sources=(999,))
def backward_path() -> Graph:
    """A path against the order of the vertices."""
    return _edges(1000, [(v, v - 1, 1) for v in range(1, 1000)])


@_case(sources=(0, 210))
def grid_of_ones() -> Graph:
    """Many paths of equal length."""
    return generate.grid(20, 21, (1, 1))


@_case(sources=(0, 1234))
def road() -> Graph:
    """A small road network."""
    return generate.road(2000, seed=5)


@_case(sources=(0, 39))
def complete() -> Graph:
    """An edge between every pair."""
    return generate.complete(40, (1, 100), seed=2)


@_case(sources=(0, 77))
def power_law() -> Graph:
    """Hubs and leaves."""
    return generate.rmat(9, 8, (1, 255), seed=3)


@_case(sources=(0, 70_000))
def huge_degree() -> Graph:
    """Rows longer than 2^16, twice the same ends."""
    leaves = np.arange(1, 70_001, dtype=np.int32)
    hub = np.zeros_like(leaves)
    return Graph.from_edges(
        np.concatenate((hub, leaves, hub)),
        np.concatenate((leaves, leaves[::-1], leaves)),
        np.concatenate((leaves % 1000 + 5, leaves % 3, leaves % 999 + 5)).astype(np.int32),
    )


@_case(dtypes=("int32", "int64", "float64"))
def largest_int32() -> Graph:
    """Sums beyond 32 bits."""
    return _edges(5, [(v, v + 1, MAX32) for v in range(4)] + [(0, 4, MAX32)])


@_case(dtypes=("int64",), overflows=True)
def overflow() -> Graph:
    """A distance beyond 64 bits."""
    return _edges(4, [(0, 1, MAX64 - 1), (1, 2, MAX64 - 1), (2, 3, 1)], np.int64)


@_case(dtypes=("int64",), overflows=True)
def overflow_by_one() -> Graph:
    """A distance equal to the unreachable label."""
    return _edges(3, [(0, 1, MAX64 - 1), (1, 2, 1)], np.int64)


@_case(dtypes=("int64",))
def overflow_avoided() -> Graph:
    """Sums overflow on the longer path only: the answer fits."""
    far = MAX64 - 1
    return _edges(4, [(0, 1, far), (1, 2, far), (0, 2, far), (2, 3, 0), (3, 1, 5)], np.int64)


@_case(dtypes=("float32",))
def float_sum_to_infinity() -> Graph:
    """A sum overflows to +inf in float32: unreachable by definition."""
    return _edges(3, [(0, 1, 3e38), (1, 2, 3e38)], np.float32)


@_case(dtypes=FLOATS)
def denormal_weights() -> Graph:
    """Denormal weights: flush-to-zero would make them vanish."""
    tiny = float(np.finfo(np.float32).smallest_subnormal)
    return _edges(4, [(0, 1, tiny), (1, 2, 3 * tiny), (0, 2, 5 * tiny), (2, 3, tiny)], np.float32)


@_case(dtypes=FLOATS, sources=(0, 100))
def sixteen_decades() -> Graph:
    """Weights of 16 decades."""
    graph = generate.uniform(200, 5, (1, 9), seed=4)
    exponent = generate.uniform(200, 5, (-8, 8), seed=5)._solver_weights
    powers = np.array([float(f"1e{e}") for e in range(-8, 9)], np.float32)
    return graph.with_weights(graph._solver_weights.astype(np.float32) * powers[exponent + 8])


@_case(dtypes=FLOATS)
def negative_zero() -> Graph:
    """Weights of -0.0: labels stay +0.0."""
    return _edges(4, [(0, 1, -0.0), (1, 2, 1.5), (2, 3, -0.0), (3, 2, -0.0)], np.float32)


@_case(dtypes=FLOATS)
def absorbed_weights() -> Graph:
    """Small weights are absorbed: dist + weight == dist."""
    chain = [(v, v + 1, 0.5) for v in range(1, 8)]
    back = [(v + 1, v, 0.25) for v in range(1, 8)]
    return _edges(9, [(0, 1, 1e17), *chain, *back, (0, 8, 1e17)], np.float32)


@_case(dtypes=FLOATS, sources=(0, 17))
def rounding() -> Graph:
    """Rounded sums depend on the order of addition."""
    return generate.grid(12, 12, (0.1, 1.0), dtype="float32", seed=6)


@_case()
def two_equal_paths() -> Graph:
    """A path of equal length with more edges has the smaller predecessor."""
    return _edges(6, [(0, 4, 1), (0, 2, 1), (4, 5, 2), (2, 5, 2), (0, 1, 2), (1, 5, 1), (0, 5, 3)])


@_case(sources=(0, 3))
def unsorted_rows() -> Graph:
    """Rows that are not sorted and contain repeated vertices."""
    indptr = np.array([0, 5, 7, 9, 11], np.int64)
    indices = np.array([3, 1, 2, 1, 3, 3, 0, 3, 1, 0, 2], np.int32)
    weights = np.array([9, 4, 1, 2, 8, 1, 1, 6, 0, 5, 5], np.int32)
    return Graph.from_csr(indptr, indices, weights)


@_case(sources=(0, 5))
def small_rmat() -> Graph:
    """64 vertices of unequal degrees; with the fixture `wide_indices`, in 64-bit indices."""
    return generate.rmat(6, 4, (0, 9), seed=7)


@_case(sources=(0, 30))
def unweighted() -> Graph:
    """No weights: every edge counts 1."""
    return generate.small_world(60, 4, 0.2, None, seed=8)


@_case(sources=(0, 2))
def closed_vertices() -> Graph:
    """Closed vertices, as TNTP's zones: a path may start or end there but not pass."""
    graph = _edges(4, [(0, 1, 1), (1, 3, 1), (0, 2, 3), (2, 3, 5), (2, 1, 1), (3, 0, 1)])
    return Graph(graph.indptr, graph.indices, graph.weights, first_through=2)


@_case(negative=True, sources=(0, 1))
def negative_without_cycle() -> Graph:
    """Negative weights, no cycle."""
    return _edges(5, [(0, 1, 4), (0, 2, 2), (2, 1, -3), (1, 3, 2), (2, 3, 4), (3, 4, -5)])


@_case(negative=True)
def negative_zero_cycle() -> Graph:
    """A cycle of length zero with a negative and a positive edge, both tight."""
    return _edges(4, [(0, 1, 3), (1, 2, -2), (2, 1, 2), (2, 3, 1), (3, 2, -1)])


@_case(negative=True, has_cycle=True, sources=(0, 2))
def negative_cycle() -> Graph:
    """A negative cycle behind a path."""
    return _edges(5, [(0, 1, 1), (1, 2, 2), (2, 3, -4), (3, 1, 1), (3, 4, 1)])


@_case(negative=True, has_cycle=True)
def negative_loop() -> Graph:
    """A negative self-loop."""
    return _edges(3, [(0, 1, 5), (1, 1, -1), (1, 2, 1)])


@_case(negative=True, has_cycle=True)
def negative_link() -> Graph:
    """An undirected negative edge, which is a negative cycle of two vertices."""
    return Graph.from_edges([0, 1], [1, 2], np.array([3, -1], np.int32), directed=False)


@_case(negative=True)
def negative_cycle_elsewhere() -> Graph:
    """A negative cycle that the sources do not reach."""
    return _edges(5, [(0, 1, 1), (2, 3, -4), (3, 2, 1), (3, 1, -9), (1, 4, 2)])


@_case(negative=True)
def negative_unreached() -> Graph:
    """A negative edge from an unreached vertex: unreachable - 7 is not a length."""
    return _edges(4, [(0, 1, 5), (2, 1, -7), (2, 3, -1)])


@_case(negative=True, sources=(0,))
def bellman_ford_worst() -> Graph:
    """Labels improve many times if edges are relaxed in the wrong order."""
    n = 40
    return _edges(n, [(u, v, 2 * (n - v) - u) for u in range(n) for v in range(u + 1, n)])


#: The names of the cases, in the order of their definitions.
NAMES: tuple[str, ...] = tuple(_CASES)


def case(name: str) -> Case:
    """Return one case; InputError if the name is unknown."""
    if name not in _CASES:
        msg = f"{name!r} is not a case of the corpus: {', '.join(NAMES)}."
        raise InputError(msg)
    return _CASES[name]


def all(  # noqa: A001 - corpus.all() is read with its module
    *, negative: bool | None = None, dtype: DTypeLike | None = None
) -> list[Case]:
    """Return all cases, or those with or without negative weights, or those of a weight type.

    Parameters
    ----------
    negative : whether the cases have negative weights; None for both kinds.
    dtype : a weight type; selects the cases that support it and converts them.
    """
    chosen = [c for c in _CASES.values() if negative is None or c.negative == negative]
    if dtype is None:
        return chosen
    wanted = np.dtype(dtype).name
    return [c.astype(wanted) for c in chosen if wanted in c.dtypes]
