"""New weights for a prepared graph: the same streets, customized in place of prepared anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpath.base import settings
from warpath.base.errors import (
    DistanceOverflowError,
    NegativeWeightError,
    NotSupportedError,
    WeightError,
)
from warpath.base.progress import watch
from warpath.engines.customizable import ELIMINATION, elimination_of, hierarchy_of
from warpath.engines.hierarchy import HIERARCHY
from warpath.graph.checks import as_weights
from warpath.graph.input_edges import new_weights as in_edge_order
from warpath.graph.zones import opened

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from warpath.api.run import Progress
    from warpath.graph import Graph
    from warpath.planner.wish import Wish


def reweighted(
    graph: Graph, wish: Wish, weights: ArrayLike, progress: Progress, *, order: str = "edges"
) -> Graph:
    """Return a prepared graph with new weights and its hierarchy, which is customized.

    Parameters
    ----------
    graph, wish : of the Solver.
    weights, order, progress : as in `warpath.Solver.with_weights`.
    """
    if not wish.prepared:
        msg = (
            "with_weights needs a prepared Solver, and this one is not: use "
            "warpath.prepare(graph).with_weights(weights), or "
            "warpath.Solver(graph.with_weights(weights)) without preparation."
        )
        raise NotSupportedError(msg)
    made = _of_all_edges(graph, in_edge_order(graph, weights, order))
    refuse_negative(made)
    streets, threads = opened(made), wish.threads or settings.threads()
    with watch(progress, "with_weights", "vertices") as report:
        elimination = elimination_of(opened(graph), report)
        ELIMINATION.of(streets, lambda: elimination)
        hierarchy = hierarchy_of(streets, threads)
    if hierarchy is None:
        raise too_long()
    HIERARCHY.of(streets, lambda: hierarchy)
    return made


def _of_all_edges(graph: Graph, weights: ArrayLike) -> Graph:
    """Return a graph with new weights, none of which is infinite: it has all edges."""
    array = as_weights(weights)
    made = graph.with_weights(array)
    if made.m < graph.m:
        at = int(np.argmax(array == np.inf))
        msg = (
            f"weights[{at}] is infinite: with_weights keeps all edges. Give a closed edge a weight "
            "that no path is worth, or use warpath.prepare(graph.with_weights(weights))."
        )
        raise WeightError(msg)
    return made


def refuse_negative(graph: Graph) -> None:
    """Raise NegativeWeightError if a graph has negative weights, which no hierarchy has."""
    negative = graph.facts(symmetry=False).negative
    if negative:
        msg = (
            f"the graph has {negative:,} negative weight{'' if negative == 1 else 's'}, and a "
            "hierarchy needs weights >= 0: warpath.distances and warpath.apsp solve it by "
            "potentials, without preparation."
        )
        raise NegativeWeightError(msg)


def too_long() -> DistanceOverflowError:
    """Return the error for weights whose sums may not fit a hierarchy."""
    msg = (
        "sums of weights may not fit 64 bits in a hierarchy: use float64 weights "
        "(graph.astype('float64')), smaller units, or warpath.Solver(graph)."
    )
    return DistanceOverflowError(msg)
