"""Checks of the lengths of edges, for calls that count shortest paths or measure them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpath.base.errors import NegativeWeightError, WeightError
from warpath.graph.labels import one_label

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.graph import Graph


def refuse_short(
    graph: Graph,
    weights: Array,
    numbers: Array | None,
    what: str = "betweenness counts shortest paths",
) -> None:
    """Raise an error that names an edge of negative length or of length 0.

    Parameters
    ----------
    weights : (k,) of some edges.
    numbers : (k,) of these edges in the graph; None if they are all.
    """
    if not len(weights) or weights.min() > 0:
        return
    edge = int(np.argmin(weights))
    length = weights[edge]
    kind = WeightError if length == 0 else NegativeWeightError
    msg = (
        f"{_named_edge(graph, edge if numbers is None else int(numbers[edge]))} has the length "
        f"{length}, but {what}, which needs lengths > 0: give the edge a small length with "
        "graph.with_weights, or leave it out with graph.without_edges."
    )
    raise kind(msg)


def length_lost(graph: Graph, edge: int, *, either_way: bool = False) -> WeightError:
    """Return the error for an edge whose length is lost in the sum with a distance.

    Parameters
    ----------
    either_way : whether the graph may be the reversed one of the call.
    """
    name = _named_edge(graph, edge)
    if either_way:
        name = "an edge between {!r} and {!r}".format(*_ends(graph, edge))
    return WeightError(
        f"{name} has the length {graph.edges()[2][edge]}, which is lost in the sum with a "
        "distance, so that shortest paths cannot be counted: use integer weights, float64 in "
        "place of float32, or weights of a smaller range."
    )


def _named_edge(graph: Graph, edge: int) -> str:
    return "edge {} from {!r} to {!r}".format(edge, *_ends(graph, edge))


def _ends(graph: Graph, edge: int) -> list[object]:
    tail = int(np.searchsorted(graph.indptr, edge, "right")) - 1
    return [one_label(graph, end) for end in (tail, int(graph.indices[edge]))]
