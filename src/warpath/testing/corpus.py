"""Named nasty graphs: each breaks a shortcut that some solver takes.

>>> from warpath.testing import corpus
>>> corpus.case("parallel_edges").graph().m
4
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import generate
from warpath.errors import InputError
from warpath.graph import Graph

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import DTypeLike

ALL_TYPES = ("int32", "int64", "float32", "float64")
FLOATS = ("float32", "float64")
MAX32 = int(np.iinfo(np.int32).max)
MAX64 = int(np.iinfo(np.int64).max)


@dataclass(frozen=True)
class Case:
    """One graph and what is worth trying on it.

    Attributes
    ----------
    name : str
    why : what it is for, in one line
    make : builds the graph in its own weight type
    sources : worth solving from; empty for the graph without vertices
    dtypes : weight types that hold its weights exactly
    negative : it has a weight below zero
    has_cycle : a cycle of negative length can be reached from `sources`
    overflows : for int64, a distance from `sources` does not fit: OverflowError
    dtype : the weight type chosen by `astype`, or None
    """

    name: str
    why: str
    make: Callable[[], Graph] = field(repr=False)
    sources: tuple[int, ...] = (0,)
    dtypes: tuple[str, ...] = ALL_TYPES
    negative: bool = False
    has_cycle: bool = False
    overflows: bool = False
    dtype: str | None = None

    def graph(self) -> Graph:
        """Return the graph; built once for each type."""
        return _built(self.make, self.dtype)

    def astype(self, dtype: DTypeLike) -> Case:
        """Return the case with weights of another type; InputError if they do not fit it."""
        wanted = np.dtype(dtype).name
        if wanted not in self.dtypes:
            msg = f"{self.name} cannot have {wanted} weights: {', '.join(self.dtypes)}."
            raise InputError(msg)
        return replace(self, dtype=wanted)

    def __str__(self) -> str:
        return self.name if self.dtype is None else f"{self.name}-{self.dtype}"


@cache
def _built(make: Callable[[], Graph], dtype: str | None) -> Graph:
    graph = make()
    return graph if dtype is None else graph.astype(dtype)


_CASES: dict[str, Case] = {}


def _case(why: str, **facts: Any) -> Callable[[Callable[[], Graph]], Callable[[], Graph]]:
    def register(make: Callable[[], Graph]) -> Callable[[], Graph]:
        name = make.__name__
        _CASES[name] = Case(name, why, make, **facts)
        return make

    return register


def _edges(n: int, edges: list[tuple[int, int, float]], dtype: DTypeLike = np.int32) -> Graph:
    src, dst, weights = zip(*edges, strict=True) if edges else ((), (), ())
    return Graph.from_edges(
        np.array(src, np.int64), np.array(dst, np.int64), np.array(weights, dtype), n=n
    )


@_case("no vertices at all", sources=())
def empty() -> Graph:
    return _edges(0, [])


@_case("nothing but the source")
def one_vertex() -> Graph:
    return _edges(1, [])


@_case("an edge to itself at the only vertex")
def one_loop() -> Graph:
    return _edges(1, [(0, 0, 3)])


@_case("loops of weight 0 and more on the way", sources=(0, 2))
def self_loops() -> Graph:
    return _edges(3, [(0, 0, 0), (0, 1, 2), (1, 1, 0), (1, 1, 5), (1, 2, 3), (2, 2, 1)])


@_case("the last of several edges is the shortest, and two are equal")
def parallel_edges() -> Graph:
    return _edges(2, [(0, 1, 7), (0, 1, 3), (0, 1, 9), (0, 1, 3)])


@_case("all vertices at one distance: the tree must not close the cycle", sources=(0, 2))
def zero_cycle() -> Graph:
    return _edges(5, [(0, 1, 4), (1, 2, 0), (2, 3, 0), (3, 1, 0), (3, 4, 0), (4, 3, 0)])


@_case("tight edges among vertices that no path reaches")
def unreachable_zero_cycle() -> Graph:
    return _edges(5, [(0, 1, 1), (2, 3, 0), (3, 4, 0), (4, 2, 0), (2, 1, 0)])


@_case("every edge weighs nothing", sources=(0, 7))
def all_zero() -> Graph:
    return generate.grid(4, 4, (0, 0), seed=1)


@_case("vertices without edges before, between and after", sources=(1, 0, 5))
def isolated_vertices() -> Graph:
    return _edges(6, [(1, 3, 2), (3, 1, 2), (3, 4, 1)])


@_case("the other half leads here but is never reached", sources=(0, 9))
def unreachable_half() -> Graph:
    ring = [(v, (v + 1) % 5, 1 + v) for v in range(5)]
    return _edges(10, [*ring, *[(u + 5, v + 5, w) for u, v, w in ring], (7, 2, 1)])


@_case("one row holds all edges", sources=(0, 5))
def star_out() -> Graph:
    return _edges(300, [(0, v, 1 + v % 7) for v in range(1, 300)])


@_case("every edge meets at one label", sources=(0, 5))
def star_in() -> Graph:
    return _edges(300, [(v, 0, 1 + v % 7) for v in range(1, 300)])


@_case("100,000 rounds for whoever counts hops", sources=(0, 99_999))
def long_path() -> Graph:
    vertices = np.arange(99_999, dtype=np.int32)
    return Graph.from_edges(vertices, vertices + 1, (vertices % 3).astype(np.int32), n=100_000)


@_case("a path against the order of the vertices", sources=(999,))
def backward_path() -> Graph:
    return _edges(1000, [(v, v - 1, 1) for v in range(1, 1000)])


@_case("many ways of one length", sources=(0, 210))
def grid_of_ones() -> Graph:
    return generate.grid(20, 21, (1, 1))


@_case("a road network in small", sources=(0, 1234))
def road() -> Graph:
    return generate.road(2000, seed=5)


@_case("every pair an edge", sources=(0, 39))
def complete() -> Graph:
    return generate.complete(40, (1, 100), seed=2)


@_case("hubs and leaves", sources=(0, 77))
def power_law() -> Graph:
    return generate.rmat(9, 8, (1, 255), seed=3)


@_case("rows longer than 2^16, twice the same ends", sources=(0, 70_000))
def huge_degree() -> Graph:
    leaves = np.arange(1, 70_001, dtype=np.int32)
    hub = np.zeros_like(leaves)
    return Graph.from_edges(
        np.concatenate((hub, leaves, hub)),
        np.concatenate((leaves, leaves[::-1], leaves)),
        np.concatenate((leaves % 1000 + 5, leaves % 3, leaves % 999 + 5)).astype(np.int32),
    )


@_case("sums beyond 32 bits", dtypes=("int32", "int64", "float64"))
def largest_int32() -> Graph:
    return _edges(5, [(v, v + 1, MAX32) for v in range(4)] + [(0, 4, MAX32)])


@_case("a distance beyond 64 bits", dtypes=("int64",), overflows=True)
def overflow() -> Graph:
    return _edges(4, [(0, 1, MAX64 - 1), (1, 2, MAX64 - 1), (2, 3, 1)], np.int64)


@_case("a distance of just the unreachable label", dtypes=("int64",), overflows=True)
def overflow_by_one() -> Graph:
    return _edges(3, [(0, 1, MAX64 - 1), (1, 2, 1)], np.int64)


@_case("sums overflow on the long way only: the answer fits", dtypes=("int64",))
def overflow_avoided() -> Graph:
    far = MAX64 - 1
    return _edges(4, [(0, 1, far), (1, 2, far), (0, 2, far), (2, 3, 0), (3, 1, 5)], np.int64)


@_case("a sum overflows to +inf in float32: unreachable by definition", dtypes=("float32",))
def float_sum_to_infinity() -> Graph:
    return _edges(3, [(0, 1, 3e38), (1, 2, 3e38)], np.float32)


@_case("denormal weights: flush-to-zero would make them vanish", dtypes=FLOATS)
def denormal_weights() -> Graph:
    tiny = float(np.finfo(np.float32).smallest_subnormal)
    return _edges(4, [(0, 1, tiny), (1, 2, 3 * tiny), (0, 2, 5 * tiny), (2, 3, tiny)], np.float32)


@_case("weights of 16 decades", dtypes=FLOATS, sources=(0, 100))
def sixteen_decades() -> Graph:
    graph = generate.uniform(200, 5, (1, 9), seed=4)
    exponent = generate.uniform(200, 5, (-8, 8), seed=5).solver_weights
    powers = np.array([float(f"1e{e}") for e in range(-8, 9)], np.float32)
    return graph.with_weights(graph.solver_weights.astype(np.float32) * powers[exponent + 8])


@_case("-0.0 is a zero: labels stay +0.0", dtypes=FLOATS)
def negative_zero() -> Graph:
    return _edges(4, [(0, 1, -0.0), (1, 2, 1.5), (2, 3, -0.0), (3, 2, -0.0)], np.float32)


@_case("dist + weight == dist: small weights are absorbed", dtypes=FLOATS)
def absorbed_weights() -> Graph:
    chain = [(v, v + 1, 0.5) for v in range(1, 8)]
    back = [(v + 1, v, 0.25) for v in range(1, 8)]
    return _edges(9, [(0, 1, 1e17), *chain, *back, (0, 8, 1e17)], np.float32)


@_case("rounded sums differ by the order of adding", dtypes=FLOATS, sources=(0, 17))
def rounding() -> Graph:
    return generate.grid(12, 12, (0.1, 1.0), dtype="float32", seed=6)


@_case("a longer way of equal length, a smaller predecessor")
def two_equal_paths() -> Graph:
    return _edges(6, [(0, 4, 1), (0, 2, 1), (4, 5, 2), (2, 5, 2), (0, 1, 2), (1, 5, 1), (0, 5, 3)])


@_case("rows neither ascending nor without repetition", sources=(0, 3))
def unsorted_rows() -> Graph:
    indptr = np.array([0, 5, 7, 9, 11], np.int64)
    indices = np.array([3, 1, 2, 1, 3, 3, 0, 3, 1, 0, 2], np.int32)
    weights = np.array([9, 4, 1, 2, 8, 1, 1, 6, 0, 5, 5], np.int32)
    return Graph.from_csr(indptr, indices, weights)


@_case("64-bit indices in a small graph", sources=(0, 5))
def wide_indices() -> Graph:
    graph = generate.rmat(6, 4, (0, 9), seed=7)
    return Graph(graph.indptr, graph.indices.astype(np.int64), graph.weights)


@_case("no weights: every edge counts 1", sources=(0, 30))
def unweighted() -> Graph:
    return generate.small_world(60, 4, 0.2, None, seed=8)


@_case("one-way vertices, in TNTP's manner, may end a path only", sources=(0, 2))
def closed_vertices() -> Graph:
    graph = _edges(4, [(0, 1, 1), (1, 3, 1), (0, 2, 3), (2, 3, 5), (2, 1, 1), (3, 0, 1)])
    return Graph(graph.indptr, graph.indices, graph.weights, first_through=2)


@_case("negative weights, no cycle", negative=True, sources=(0, 1))
def negative_without_cycle() -> Graph:
    return _edges(5, [(0, 1, 4), (0, 2, 2), (2, 1, -3), (1, 3, 2), (2, 3, 4), (3, 4, -5)])


@_case("tight zero-length cycle of a negative and a positive edge", negative=True)
def negative_zero_cycle() -> Graph:
    return _edges(4, [(0, 1, 3), (1, 2, -2), (2, 1, 2), (2, 3, 1), (3, 2, -1)])


@_case("a negative cycle behind a path", negative=True, has_cycle=True, sources=(0, 2))
def negative_cycle() -> Graph:
    return _edges(5, [(0, 1, 1), (1, 2, 2), (2, 3, -4), (3, 1, 1), (3, 4, 1)])


@_case("a negative self-loop", negative=True, has_cycle=True)
def negative_loop() -> Graph:
    return _edges(3, [(0, 1, 5), (1, 1, -1), (1, 2, 1)])


@_case("an undirected negative edge is a cycle of two", negative=True, has_cycle=True)
def negative_link() -> Graph:
    return Graph.from_edges([0, 1], [1, 2], np.array([3, -1], np.int32), directed=False)


@_case("a negative cycle that the sources do not reach", negative=True)
def negative_cycle_elsewhere() -> Graph:
    return _edges(5, [(0, 1, 1), (2, 3, -4), (3, 2, 1), (3, 1, -9), (1, 4, 2)])


@_case("improves again and again in the wrong order", negative=True, sources=(0,))
def bellman_ford_worst() -> Graph:
    n = 40
    return _edges(n, [(u, v, 2 * (n - v) - u) for u in range(n) for v in range(u + 1, n)])


#: The names in the order in which the cases are written.
NAMES: tuple[str, ...] = tuple(_CASES)


def case(name: str) -> Case:
    """Return one case; InputError for a name that there is not."""
    if name not in _CASES:
        msg = f"{name!r} is no case of the corpus: {', '.join(NAMES)}."
        raise InputError(msg)
    return _CASES[name]


def all(  # noqa: A001 - corpus.all() is read with its module
    *, negative: bool | None = None, dtype: DTypeLike | None = None
) -> list[Case]:
    """Return the cases; only those with or without negative weights, only those of a type.

    Parameters
    ----------
    negative : True or False selects; None takes both.
    dtype : a weight type: the cases that can have it, in it.
    """
    chosen = [c for c in _CASES.values() if negative is None or c.negative == negative]
    if dtype is None:
        return chosen
    wanted = np.dtype(dtype).name
    return [c.astype(wanted) for c in chosen if wanted in c.dtypes]
