"""Potentials that make no weight negative, and the negative cycle where there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpath import _core
from warpath.base.errors import NegativeCycleError
from warpath.graph.derived import Derived
from warpath.results.predecessors import length_around

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.base.dtypes import Array
    from warpath.graph import Graph

_ALL = np.empty(0, np.int64)  # means to the core that every vertex is a source


def lengths_and_potentials(graph: Graph) -> tuple[Array, Array | None]:
    """Return the edge lengths that Floyd-Warshall takes, and the potentials that they are under.

    A negative cycle would spoil the whole matrix: it is refused. So would a cycle of length 0 that
    rounding makes negative: n steps can double it n times. Under potentials no float is below 0.
    """
    if not graph.facts(symmetry=False).negative:
        return graph._solver_weights, None
    potentials = potentials_of(graph)
    if graph.dist_dtype.kind != "f":
        return graph._solver_weights, None
    return reduced(graph, potentials), potentials


_POTENTIALS: Derived[Array] = Derived(__name__, "potentials")


def potentials_of(graph: Graph) -> Array:
    """Return labels that make no reduced weight negative, or raise for a negative cycle; kept."""
    return _POTENTIALS.of(graph, lambda: labels_or_cycle(graph, _ALL, None)[0])


def labels_or_cycle(
    graph: Graph, sources: Array, progress: Callable[[int, int], None] | None
) -> tuple[Array, dict[str, int]]:
    """Return the distances from the nearest of the sources; no sources: of all vertices."""
    dist = np.empty(graph.n, graph.dist_dtype)
    stats = dict(_core.bellman_ford(*graph._solver_rows, sources, dist, progress=progress))
    cycle = stats.pop("cycle")
    if len(cycle):
        raise NegativeCycleError(cycle.tolist(), length_around(graph, cycle))
    return dist, stats


def reduced(graph: Graph, potentials: Array) -> Array:
    """Return the float weights under potentials, >= 0; what rounding takes below 0 counts as 0."""
    src, dst, weights = graph.edges()
    with np.errstate(over="ignore"):
        reduced: Array = np.maximum(weights + potentials[src] - potentials[dst], 0)
        longest = reduced.max(initial=0) * reduced.dtype.type(graph.n)
    if not np.isfinite(longest):
        msg = f"a length under potentials could leave {reduced.dtype}"
        raise OverflowError(msg)
    return reduced
