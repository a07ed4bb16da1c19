"""What is known of a graph without solving it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from warpath import _core
from warpath.rows import NO_WEIGHTS

if TYPE_CHECKING:
    from warpath.graph import Graph


@dataclass(frozen=True)
class Facts:
    """Sizes, degrees, the weights' range and signs. Weights are in the unit they came in.

    `far` counts the edges between vertices whose numbers lie over 4 sqrt(n) apart: few where the
    numbering follows a map, nearly all where neighbours are drawn at random.
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
    min_weight: float
    max_weight: float
    mean_weight: float
    negative: int
    zero: int
    symmetric: bool | None
    far: int = 0

    @property
    def edges(self) -> int:
        """Edges as a person counts them: an undirected edge once, though two arcs are stored."""
        return self.m if self.directed else (self.m + self.loops) // 2

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
    known = _core.row_facts(graph.indptr, graph.indices, weights)
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
        far=known["far"],
    )


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
