"""What is known of a graph without solving it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from warpath.graph import Graph


@dataclass(frozen=True)
class Facts:
    """Sizes, degrees, the weights' range and signs. Weights are in the unit they came in."""

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
    symmetric: bool

    @property
    def edges(self) -> int:
        """Edges as a person counts them: an undirected edge once, though two arcs are stored."""
        return self.m if self.directed else (self.m + self.loops) // 2


def facts_of(graph: Graph) -> Facts:
    """Return the facts of a graph; O(n + m), and a transpose to see the symmetry."""
    known = graph.row_facts
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
        symmetric=not graph.directed or _equals_its_transpose(graph),
    )


def _equals_its_transpose(graph: Graph) -> bool:
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
