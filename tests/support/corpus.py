"""Named nasty graphs: each breaks a shortcut that some solver takes.

>>> from support import corpus
>>> corpus.case("parallel_edges").graph().m
4
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import InputError
from warpath.graph import Graph, generate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
    """The last of several edges is the shortest, and two are equal."""
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
    """Rows just below, at and above 32 and 64 edges, and of 140: what maps tell apart."""
    rows = {0: 140, 3: 70, 9: 40, 21: 64, 22: 33, 50: 32, 51: 31, 77: 63, 78: 65, 140: 30}
    rows |= {u: 1 + u % 3 for u in range(150) if u not in rows}
    return _edges(
        150, [(u, (u + 7 * k + 1) % 150, (5 * u + 7 * k) % 41) for u, size in rows.items()
              for k in range(size)]
    )  # fmt: skip


@_case()
def lost_minima(n: int = 300) -> Graph:
    """All of a round lower one label at a time: without atomics minima get lost."""
    # Martin, Torres, Gavilanes 2009, section 4.3, against Harish, Narayanan 2007; theirs has 1024.
    middle = range(1, n - 1)
    return _edges(n, [*((0, i, 1) for i in middle), *((i, n - 1, i) for i in middle)])


@_case(sources=(0, 99_999))
def long_path() -> Graph:
    """100,000 rounds for whoever counts hops."""
    vertices = np.arange(99_999, dtype=np.int32)
    return Graph.from_edges(vertices, vertices + 1, (vertices % 3).astype(np.int32), n=100_000)


@_case(sources=(999,))
def backward_path() -> Graph:
    """A path against the order of the vertices."""
    return _edges(1000, [(v, v - 1, 1) for v in range(1, 1000)])


@_case(sources=(0, 210))
def grid_of_ones() -> Graph:
    """Many ways of one length."""
    return generate.grid(20, 21, (1, 1))


@_case(sources=(0, 1234))
def road() -> Graph:
    """A road network in small."""
    return generate.road(2000, seed=5)


@_case(sources=(0, 39))
def complete() -> Graph:
    """Every pair an edge."""
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
    """A distance of just the unreachable label."""
    return _edges(3, [(0, 1, MAX64 - 1), (1, 2, 1)], np.int64)


@_case(dtypes=("int64",))
def overflow_avoided() -> Graph:
    """Sums overflow on the long way only: the answer fits."""
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
    exponent = generate.uniform(200, 5, (-8, 8), seed=5).solver_weights
    powers = np.array([float(f"1e{e}") for e in range(-8, 9)], np.float32)
    return graph.with_weights(graph.solver_weights.astype(np.float32) * powers[exponent + 8])


@_case(dtypes=FLOATS)
def negative_zero() -> Graph:
    """Weight -0.0 is a zero: labels stay +0.0."""
    return _edges(4, [(0, 1, -0.0), (1, 2, 1.5), (2, 3, -0.0), (3, 2, -0.0)], np.float32)


@_case(dtypes=FLOATS)
def absorbed_weights() -> Graph:
    """Small weights are absorbed: dist + weight == dist."""
    chain = [(v, v + 1, 0.5) for v in range(1, 8)]
    back = [(v + 1, v, 0.25) for v in range(1, 8)]
    return _edges(9, [(0, 1, 1e17), *chain, *back, (0, 8, 1e17)], np.float32)


@_case(dtypes=FLOATS, sources=(0, 17))
def rounding() -> Graph:
    """Rounded sums differ by the order of adding."""
    return generate.grid(12, 12, (0.1, 1.0), dtype="float32", seed=6)


@_case()
def two_equal_paths() -> Graph:
    """A longer way of equal length, a smaller predecessor."""
    return _edges(6, [(0, 4, 1), (0, 2, 1), (4, 5, 2), (2, 5, 2), (0, 1, 2), (1, 5, 1), (0, 5, 3)])


@_case(sources=(0, 3))
def unsorted_rows() -> Graph:
    """Rows neither ascending nor without repetition."""
    indptr = np.array([0, 5, 7, 9, 11], np.int64)
    indices = np.array([3, 1, 2, 1, 3, 3, 0, 3, 1, 0, 2], np.int32)
    weights = np.array([9, 4, 1, 2, 8, 1, 1, 6, 0, 5, 5], np.int32)
    return Graph.from_csr(indptr, indices, weights)


@_case(sources=(0, 5))
def wide_indices() -> Graph:
    """64-bit indices in a small graph."""
    graph = generate.rmat(6, 4, (0, 9), seed=7)
    return Graph(graph.indptr, graph.indices.astype(np.int64), graph.weights)


@_case(sources=(0, 30))
def unweighted() -> Graph:
    """No weights: every edge counts 1."""
    return generate.small_world(60, 4, 0.2, None, seed=8)


@_case(sources=(0, 2))
def closed_vertices() -> Graph:
    """One-way vertices, in TNTP's manner, may end a path only."""
    graph = _edges(4, [(0, 1, 1), (1, 3, 1), (0, 2, 3), (2, 3, 5), (2, 1, 1), (3, 0, 1)])
    return Graph(graph.indptr, graph.indices, graph.weights, first_through=2)


@_case(negative=True, sources=(0, 1))
def negative_without_cycle() -> Graph:
    """Negative weights, no cycle."""
    return _edges(5, [(0, 1, 4), (0, 2, 2), (2, 1, -3), (1, 3, 2), (2, 3, 4), (3, 4, -5)])


@_case(negative=True)
def negative_zero_cycle() -> Graph:
    """Tight zero-length cycle of a negative and a positive edge."""
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
    """An undirected negative edge is a cycle of two."""
    return Graph.from_edges([0, 1], [1, 2], np.array([3, -1], np.int32), directed=False)


@_case(negative=True)
def negative_cycle_elsewhere() -> Graph:
    """A negative cycle that the sources do not reach."""
    return _edges(5, [(0, 1, 1), (2, 3, -4), (3, 2, 1), (3, 1, -9), (1, 4, 2)])


@_case(negative=True)
def negative_unreached() -> Graph:
    """A bargain from where no path leads: unreachable less 7 is no length."""
    return _edges(4, [(0, 1, 5), (2, 1, -7), (2, 3, -1)])


@_case(negative=True, sources=(0,))
def bellman_ford_worst() -> Graph:
    """Improves again and again in the wrong order."""
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
