"""Customizable hierarchies: arcs for one set of streets, found once, and then for any weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath import _core
from warpath.base.errors import NotSupportedError
from warpath.base.log import logged
from warpath.graph.checks import refuse_wide
from warpath.graph.derived import Derived

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.base.dtypes import Array
    from warpath.graph import Graph


def _size(changes: Changes) -> int:
    return int(changes.edges.nbytes) + (0 if changes.weights is None else changes.weights.nbytes)


#: The arcs without weights: an `Elimination` of the core, which graphs of the same streets share.
ELIMINATION: Derived[Any] = Derived(__name__, "elimination of a customizable hierarchy")

#: The hierarchy for the graph's weights; None where their sums may not fit 64 bits.
CUSTOMIZED: Derived[Any] = Derived(__name__, "customized hierarchy")


class Changes(NamedTuple):
    """The weights that changes are applied to.

    Attributes
    ----------
    weights : an object of the core, which keeps the weights of all arcs; None where their sums may
        not fit 64 bits.
    edges : (k,) int64, ascending: those whose weights in the graph may differ from the kept ones.
    """

    weights: Any
    edges: Array


#: What is kept for the next changes of a graph's weights.
CHANGES: Derived[Changes] = Derived(__name__, "weights of a customizable hierarchy", _size)


class OpenEdges(NamedTuple):
    """The edges of a graph among those of all streets, some of which are closed.

    Attributes
    ----------
    indptr : (n + 1,) int64, the offsets of all streets' edges.
    edges : (m,) int64, ascending, the number of each of the graph's edges among them.
    """

    indptr: Array
    edges: Array


#: The open edges of a graph that has the elimination of more streets than its own.
OPEN_EDGES: Derived[OpenEdges] = Derived(__name__, "open edges of a customizable hierarchy")

#: Changed edges up to which arcs are computed one by one.
MOST_CHANGES = 300


def elimination_of(graph: Graph, progress: Callable[[int, int], None] | None = None) -> Any:
    """Return the elimination that is kept with a graph; the first call finds it.

    Raises
    ------
    NotSupportedError
        If removing vertices makes the rest of the graph denser and denser.
    """
    return ELIMINATION.of(graph, lambda: _eliminated(graph, progress))


def streets_of(graph: Graph) -> tuple[Array, Array]:
    """Return the offsets and the weights of the edges that a graph's elimination was made for.

    Closed edges have the weight -1, which means to the core that there is no edge.
    """
    streets = OPEN_EDGES.cached(graph)
    if streets is None:
        return graph.indptr, graph._solver_weights
    weights = np.full(int(streets.indptr[-1]), -1, graph.weight_dtype)
    weights[streets.edges] = graph._solver_weights
    return streets.indptr, weights


def share_elimination(before: Graph, graph: Graph, left: Array | None, elimination: Any) -> None:
    """Keep the elimination of a graph with another one of the same streets, or some of them.

    Parameters
    ----------
    left : the edges of `before` that `graph` has, ascending; None for all.
    """
    streets = OPEN_EDGES.cached(before)
    if left is not None and streets is not None:
        streets = OpenEdges(streets.indptr, streets.edges[left])
    elif left is not None:
        streets = OpenEdges(before.indptr, left)
    if streets is not None:
        OPEN_EDGES.of(graph, lambda: streets)
    ELIMINATION.of(graph, lambda: elimination)


def hierarchy_of(
    graph: Graph, threads: int, progress: Callable[[int, int], None] | None = None
) -> Any:
    """Return the customized hierarchy that is kept with a graph; the first call makes it.

    Any number of threads makes the same one. None if the sums of weights may not fit 64 bits.

    Raises
    ------
    NotSupportedError
        If removing vertices makes the rest of the graph denser and denser.
    """
    return CUSTOMIZED.of(graph, lambda: _customized(graph, threads, progress))


def changed_hierarchy_of(before: Graph, graph: Graph, threads: int) -> Any:
    """Return the customized hierarchy of a graph that differs from another one in a few weights.

    It is kept with the graph, as by `hierarchy_of`, and so are the weights that it was made from:
    for later changes of any of these graphs only edges that differ from those weights matter. The
    first call customizes all arcs.

    Parameters
    ----------
    before : the other graph, whose elimination they share. It may have edges that the graph lacks.
    """
    indptr, weights = streets_of(graph)
    old = streets_of(before)[1]
    if weights.dtype != old.dtype:
        return hierarchy_of(graph, threads)
    edges = np.flatnonzero(weights != old)
    if len(edges) > MOST_CHANGES:
        return hierarchy_of(graph, threads)
    changes = CHANGES.of(before, lambda: Changes(_changeable(before, threads), edges[:0]))
    differing = np.union1d(changes.edges, edges)
    if changes.weights is None or len(differing) > MOST_CHANGES:
        return hierarchy_of(graph, threads)
    try:
        arcs = changes.weights.changed(indptr, weights, differing)
    except OverflowError:  # in 32 bits, perhaps
        return hierarchy_of(graph, threads)
    CHANGES.of(graph, lambda: Changes(changes.weights, differing))
    return CUSTOMIZED.of(graph, lambda: arcs)


def _changeable(graph: Graph, threads: int) -> Any:
    try:
        return elimination_of(graph).changeable(streets_of(graph)[1], threads=threads)
    except OverflowError:
        return None


def _eliminated(graph: Graph, progress: Callable[[int, int], None] | None) -> Any:
    refuse_wide(graph.n, "a hierarchy")
    eliminate: Any = _core.eliminate
    with logged(f"found the arcs of {graph.n:,} vertices for any weights"):
        eliminated = eliminate(graph.indptr, graph.indices, progress=progress)
    if isinstance(eliminated, tuple):
        vertices, arcs = eliminated
        msg = (
            f"this graph has no useful hierarchy for new weights: with {vertices:,} of "
            f"{graph.n:,} vertices left, each has {arcs / vertices:,.0f} arcs, and more with every "
            "vertex that is removed. Customizable hierarchies suit road networks. Use "
            "warpath.prepare(graph.with_weights(weights)), which leaves out arcs that these "
            "weights do not need."
        )
        raise NotSupportedError(msg)
    return eliminated


def _customized(graph: Graph, threads: int, progress: Callable[[int, int], None] | None) -> Any:
    elimination = elimination_of(graph)
    try:
        return elimination.customize(streets_of(graph)[1], threads=threads, progress=progress)
    except OverflowError:
        return None
