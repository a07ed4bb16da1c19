"""Customizable hierarchies: arcs for one set of streets, found once, and then for any weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warpath import _core
from warpath.base.errors import NotSupportedError
from warpath.graph.derived import Derived

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.graph import Graph

#: The arcs without weights: an `Elimination` of the core, which graphs of the same streets share.
ELIMINATION: Derived[Any] = Derived(__name__, "elimination of a customizable hierarchy")

#: The hierarchy for the graph's weights; None where their sums may not fit 64 bits.
CUSTOMIZED: Derived[Any] = Derived(__name__, "customized hierarchy")


def elimination_of(graph: Graph, progress: Callable[[int, int], None] | None = None) -> Any:
    """Return the elimination that is kept with a graph; the first call finds it.

    Raises
    ------
    NotSupportedError
        If removing vertices makes the rest of the graph denser and denser.
    """
    return ELIMINATION.of(graph, lambda: _eliminated(graph, progress))


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


def _eliminated(graph: Graph, progress: Callable[[int, int], None] | None) -> Any:
    eliminate: Any = _core.eliminate
    found = eliminate(graph.indptr, graph.indices, progress=progress)
    if isinstance(found, tuple):
        vertices, arcs = found
        msg = (
            f"this graph has no useful hierarchy for new weights: with {vertices:,} of "
            f"{graph.n:,} vertices left, each has {arcs / vertices:,.0f} arcs, and more with every "
            "vertex that is removed. Customizable hierarchies suit road networks. Use "
            "warpath.prepare(graph.with_weights(weights)), which leaves out arcs that these "
            "weights do not need."
        )
        raise NotSupportedError(msg)
    return found


def _customized(graph: Graph, threads: int, progress: Callable[[int, int], None] | None) -> Any:
    elimination = elimination_of(graph)
    try:
        return elimination.customize(graph.solver_weights, threads=threads, progress=progress)
    except OverflowError:
        return None
