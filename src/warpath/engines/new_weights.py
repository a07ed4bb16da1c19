"""New weights for a prepared graph: the same streets, customized in place of prepared anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base import settings, units
from warpath.base.errors import (
    DistanceOverflowError,
    GraphError,
    NegativeWeightError,
    NotEnoughMemoryError,
    WeightError,
)
from warpath.base.progress import watch
from warpath.engines import customizable
from warpath.engines.customizable import (
    CHANGES,
    ELIMINATION,
    changed_hierarchy_of,
    elimination_of,
    share_elimination,
)
from warpath.engines.hierarchy import HIERARCHY
from warpath.engines.hierarchy import hierarchy_of as contracted
from warpath.engines.hub_labels import HUB_LABELS, hub_labels_of
from warpath.engines.labels import LABELS, labels_of
from warpath.graph.checks import as_weights, bad_weight, plain_array
from warpath.graph.edge_changes import fitting
from warpath.graph.edge_edits import edge_numbers, note_closed, without
from warpath.graph.input_edges import new_weights as in_edge_order
from warpath.graph.input_edges import rounded
from warpath.graph.solvable import search_graph
from warpath.graph.zones import edges_of_opened
from warpath.planner.cpu_model import prepare_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from warpath.base.dtypes import Array
    from warpath.base.progress import Report
    from warpath.graph import Graph

    Progress = bool | Callable[[int, int], None] | None

_FOR_STREETS = 1.3  # bytes of finding the arcs, over those of a contraction hierarchy
_ARC = 12  # bytes of an arc without weights, while it is customized
_ENTRIES, _KEPT_ENTRIES = 5, 12  # weights of an arc; more where they are kept for changes


def reweighted(
    graph: Graph,
    threads: int,
    weights: ArrayLike,
    progress: Progress,
    *,
    order: str = "edges",
    step: float | None = None,
) -> Graph:
    """Return a prepared graph with new weights and its hierarchy, which is customized.

    Parameters
    ----------
    graph : a prepared graph.
    weights, order, progress : as in `warpath.Solver.with_weights`; `step` is its `round`.
    """
    array = as_weights(rounded(in_edge_order(graph, weights, order), step))
    new_graph = graph.with_weights(array)
    refuse_negative(new_graph)
    note_closed(graph, np.flatnonzero(array == np.inf), new_graph)
    with watch(progress, "with_weights", "vertices") as report:
        return _customized(graph, new_graph, array == np.inf, threads, report, "with_weights")


def changed(
    graph: Graph, threads: int, edges: Any, weights: ArrayLike, progress: Progress
) -> Graph:
    """Return a prepared graph with new weights of a few edges, and its hierarchy.

    Parameters
    ----------
    graph : a prepared graph.
    edges, weights, progress : as in `warpath.Solver.with_changes`.
    """
    numbers, of = edge_numbers(graph, edges)
    lengths = _lengths(weights, int(of.max(initial=-1)) + 1)[of]
    left = lengths != np.inf
    array = graph._solver_weights.copy()
    stay = lengths[left]
    array[numbers[left]] = stay if array.dtype == stay.dtype else fitting(stay, array.dtype)
    new_graph = graph._like(graph.indptr, graph.indices, array)  # noqa: SLF001 - no copy of the weights
    closed = np.zeros(graph.m, bool)
    closed[numbers[~left]] = True
    if closed.any():
        new_graph = without(new_graph, np.flatnonzero(closed))
    with watch(progress, "with_changes", "vertices") as report:
        return _customized(graph, new_graph, closed, threads, report, "with_changes")


def _customized(
    graph: Graph,
    new_graph: Graph,
    closed: NDArray[np.bool_],
    threads: int,
    report: Report | None,
    call: str,
) -> Graph:
    """Return a graph with a hierarchy that is customized from the elimination of another one.

    It has labels if the other one has.

    Parameters
    ----------
    graph : a prepared graph.
    new_graph : the same with other weights and without its closed edges.
    closed : (m,) whether each edge of `graph` is closed.
    """
    before, streets = search_graph(graph), search_graph(new_graph)
    if closed.any() and graph.turns is not None:  # it is searched in a graph of other vertices
        arcs = contracted(streets, threads, report)
    else:
        left = None
        if closed.any():
            left = np.flatnonzero(~np.append(closed, False)[edges_of_opened(graph)])
        share_elimination(before, streets, left, _elimination(graph, report, call))
        if call == "with_changes" or CHANGES.cached(before) is not None:
            arcs = changed_hierarchy_of(before, streets, threads)
        else:
            arcs = customizable.hierarchy_of(streets, threads)
    if arcs is None:
        raise too_long()
    HIERARCHY.of(streets, lambda: arcs)
    if LABELS.cached(before) is not None:
        labels_of(streets, threads)
    if HUB_LABELS.cached(before) is not None:
        hub_labels_of(streets, threads)
    return new_graph


def _elimination(graph: Graph, report: Report | None, call: str) -> Any:
    """Return the elimination of a graph; raise NotEnoughMemoryError if a call would take too much.

    How many arcs there are is known once the first call has found them: before, it is predicted.
    """
    inner = search_graph(graph)
    if ELIMINATION.cached(inner) is None:
        facts = inner.facts(symmetry=False)
        _require_memory(int(_FOR_STREETS * prepare_bytes(facts)), call)
    elimination = elimination_of(inner, report)
    entry = inner._solver_weights.itemsize
    keeps = call == "with_changes" and CHANGES.cached(inner) is None
    of_arc = _ARC + (_KEPT_ENTRIES if keeps else _ENTRIES) * entry
    _require_memory(elimination.arcs * of_arc + 2 * entry * inner.m, call)
    return elimination


def _require_memory(need: int, call: str) -> None:
    free = settings.memory()
    if need > free:
        msg = (
            f"{call} would take {units.size(need)} in addition to the graph, but "
            f"{units.size(free)} are free: use a machine with more memory, or "
            "warpath.Solver(graph.with_weights(weights)), which needs no preparation."
        )
        raise NotEnoughMemoryError(msg)


def _lengths(weights: ArrayLike, count: int) -> Array:
    """Return a weight for each of some edges, >= 0 or +inf for closed edges."""
    array = as_weights(np.atleast_1d(plain_array(weights, "weights", WeightError)))
    if np.ndim(weights) == 0:
        array = np.repeat(array, count)
    if len(array) != count:
        msg = (
            f"weights has {len(array)} entries, but edges has {count}: one for each edge, or one "
            "number for all."
        )
        raise GraphError(msg)
    if np.isnan(array).any():
        raise bad_weight(int(np.argmax(np.isnan(array))), array)
    if array.min(initial=0) < 0:
        at = int(np.argmax(array < 0))
        msg = f"weights[{at}] = {array[at]} is negative, and a hierarchy needs weights >= 0."
        raise NegativeWeightError(msg)
    return array


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
