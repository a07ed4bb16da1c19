"""What is known of a graph without solving it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from warpath import _core
from warpath.graph.csr import NO_WEIGHTS, threads_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.graph.graph import Graph


@dataclass(frozen=True)
class Facts:
    """Sizes, degrees, the weights' range and signs. Weights are in the unit they came in.

    `min_weight` and `max_weight` are exact: of type int for integer weights. The mean is rounded
    and serves predictions only, like `light_weight`.

    `light_weight` is what one edge of a vertex's lies below, from a sample: where it is far below
    mean weight / mean degree, a few heavy edges make the mean. 0 where it is not known.

    `far` counts the edges between vertices whose numbers lie over 4 sqrt(n) apart: few where the
    numbering follows a map, nearly all where neighbours are drawn at random.

    `hops` is how many edges from a vertex lead to thousands of vertices, as `probed` counts them:
    few where a graph is wide, many where it is deep; 0 where nobody has counted.
    """

    n: int
    m: int
    directed: bool
    loops: int
    min_degree: int
    max_degree: int
    mean_degree: float
    weighted: bool
    weight_dtype: str
    integer: bool
    min_weight: int | float
    max_weight: int | float
    mean_weight: float
    negative: int
    zero: int
    symmetric: bool | None
    light_weight: float = 0.0
    far: int = 0
    hops: int = 0

    @property
    def edges(self) -> int:
        """Edges as a person counts them: an undirected edge once, though two arcs are stored."""
        return self.m if self.directed else (self.m + self.loops) // 2

    @property
    def scattered(self) -> bool:
        """Whether half of the edges or more lead to far numbers."""
        return 2 * self.far >= self.m

    @property
    def longest(self) -> int:
        """What no simple path of integer weights exceeds in size; 0 for floats."""
        largest = max(abs(self.min_weight), abs(self.max_weight))
        return int(largest) * max(self.n, 1) if self.integer else 0

    @property
    def sums_fit_int32(self) -> bool:
        """Whether lengths stay within a quarter of int32's range, which leaves room for sums."""
        return self.integer and self.longest < np.iinfo(np.int32).max // 4


def facts_of(graph: Graph, *, symmetry: bool) -> Facts:
    """Return the facts of a graph in O(n + m); the symmetry takes a transpose."""
    weights = NO_WEIGHTS if graph.weights is None else graph.weights
    threads = threads_for(graph.n + graph.m)
    known = _core.row_facts(graph.indptr, graph.indices, weights, threads=threads)
    return Facts(
        n=graph.n,
        m=graph.m,
        directed=graph.directed,
        loops=known["loops"],
        min_degree=known["min_degree"],
        max_degree=known["max_degree"],
        mean_degree=graph.m / graph.n if graph.n else 0.0,
        weighted=graph.weights is not None,
        weight_dtype=str(graph.weight_dtype),
        integer=graph.weight_dtype.kind == "i",
        min_weight=known["min_weight"],
        max_weight=known["max_weight"],
        mean_weight=known["mean_weight"],
        negative=known["negative"],
        zero=known["zero"],
        symmetric=_is_symmetric(graph) if symmetry else None,
        light_weight=_light_weight(graph),
        far=known["far"],
    )


#: A graph is wide where as few hops lead to so many vertices, or to half of all.
WIDE_HOPS, _REACHED = 10, 2048
_MOST_HOPS = 64
_PROBES = 3  # vertices that are asked
_MOST_PROBED = 2**18  # edges that one of them may take


def probed(graph: Graph) -> Facts:
    """Return the facts of a graph with `hops`: the median of three vertices, at most 64.

    Counted once and kept, in some milliseconds: a search looks at 2^18 edges at most.
    """
    known: Facts | None = graph.derived.get("probed facts")
    if known is None:
        found = sorted(_hops(graph, v) for v in _asked(graph))
        hops = found[len(found) // 2] if found else 1
        known = replace(graph.facts(symmetry=False), hops=hops)
        graph.derived["probed facts"] = known
    return known


def _asked(graph: Graph) -> list[int]:
    """Return vertices with edges from all over the numbers, without an array of all vertices."""
    if graph.m == 0:
        return []
    places = np.linspace(0, graph.n - 1, _PROBES + 2)[1:-1].astype(np.int64)
    edges = np.minimum(graph.indptr[places], graph.m - 1)  # of the next vertex that has some
    found: list[int] = (np.searchsorted(graph.indptr, edges, side="right") - 1).tolist()
    return found


def _hops(graph: Graph, source: int) -> int:
    """Return how many hops from a vertex lead to thousands of vertices, or as far as its paths do.

    A front with more edges than are looked at counts as thousands of vertices.
    """
    seen = {source}
    front = np.array([source])
    enough = min(_REACHED, graph.n // 2)
    for hop in range(1, _MOST_HOPS + 1):
        starts, ends = graph.indptr[front], graph.indptr[front + 1]
        degrees = ends - starts
        total = int(degrees.sum())
        if total > _MOST_PROBED:
            return hop
        edges = np.repeat(ends - np.cumsum(degrees), degrees) + np.arange(total)
        onto = set(np.unique(graph.indices[edges]).tolist()) - seen
        seen |= onto
        if len(seen) >= enough or not onto:
            return hop
        front = np.fromiter(onto, np.int64, len(onto))
    return _MOST_HOPS


_SAMPLE = 4096


def _light_weight(graph: Graph) -> float:
    """Return the weight that 1 in (mean degree) of a sample of the edges lies below."""
    weights = graph.weights
    if weights is None or graph.m == 0:
        return float(graph.m > 0)
    if graph.m > _SAMPLE:  # drawn, for rows are often sorted or alike
        weights = weights[np.random.default_rng(0).integers(graph.m, size=_SAMPLE)]
    place = min(len(weights) * graph.n // graph.m, len(weights) - 1)
    return float(np.partition(weights, place)[place])


def _is_symmetric(graph: Graph) -> bool:
    if not graph.directed:
        return True
    other = graph.reversed()
    if not np.array_equal(graph.indptr, other.indptr):
        return False
    same = other.reversed()  # transposed twice: this graph with ascending rows, as `other` has them
    if not np.array_equal(same.indices, other.indices):
        return False
    if graph.weights is None:
        return True
    src, _, weights = same.edges()
    ours = np.lexsort((weights, same.indices, src))  # parallel edges may come in another order
    theirs = np.lexsort((other.solver_weights, other.indices, src))
    return bool(np.array_equal(weights[ours], other.solver_weights[theirs]))


def rows_into(graph: Graph, threads: int) -> tuple[Graph | None, bool]:
    """Return a graph whose rows are the edges into each vertex, where it costs no transpose.

    That is the graph itself where each edge has its opposite, which is looked up once and kept,
    or what `Graph.reversed` has made; else None. Also whether the vertices of each row ascend.
    """
    order: tuple[bool, bool] | None = graph.derived.get("row_order")
    if order is None:
        given = NO_WEIGHTS if graph.weights is None else graph.weights
        rows = graph.indptr, graph.indices, given
        order = graph.derived["row_order"] = _core.row_order(*rows, threads=threads)
    mirrored, ascending = order
    if mirrored:
        return graph, ascending
    return vars(graph).get("_transpose"), True  # a transpose comes out sorted


def leaves(graph: Graph) -> NDArray[np.uint8] | None:
    """Return a bit for each vertex, whether no edge leads out of it: (n / 8,) uint8.

    The lowest bit of a byte comes first. None where fewer than a quarter of the vertices are such:
    to pass over 73 % saves a search a fifth, to pass over 20 % two in a hundred.
    """
    if "leaves" not in graph.derived:
        ends = graph.indptr[1:] == graph.indptr[:-1]
        many = 4 * np.count_nonzero(ends) >= graph.n
        graph.derived["leaves"] = np.packbits(ends, bitorder="little") if many else None
    found: NDArray[np.uint8] | None = graph.derived["leaves"]
    return found
