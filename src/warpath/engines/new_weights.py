"""New weights for a prepared graph: the same streets, customized in place of prepared anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base import settings, units
from warpath.base.errors import (
    DistanceOverflowError,
    GraphError,
    InputError,
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
)
from warpath.engines.hierarchy import HIERARCHY
from warpath.graph.checks import as_weights, bad_weight, plain_array, shown
from warpath.graph.edge_changes import fitting
from warpath.graph.input_edges import new_weights as in_edge_order
from warpath.graph.solvable import search_graph
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
    graph: Graph, threads: int, weights: ArrayLike, progress: Progress, *, order: str = "edges"
) -> Graph:
    """Return a prepared graph with new weights and its hierarchy, which is customized.

    Parameters
    ----------
    graph : a prepared graph.
    weights, order, progress : as in `warpath.Solver.with_weights`.
    """
    made = _of_all_edges(graph, in_edge_order(graph, weights, order))
    refuse_negative(made)
    streets = search_graph(made)
    with watch(progress, "with_weights", "vertices") as report:
        elimination = _elimination(graph, report, "with_weights")
        ELIMINATION.of(streets, lambda: elimination)
        if CHANGES.known(search_graph(graph)) is None:
            arcs = customizable.hierarchy_of(streets, threads)
        else:
            changes = _changes(graph, made)
            arcs = changed_hierarchy_of(search_graph(graph), streets, changes, threads)
    return _with_hierarchy(made, arcs)


def changed(
    graph: Graph, threads: int, edges: ArrayLike, weights: ArrayLike, progress: Progress
) -> Graph:
    """Return a prepared graph with new weights of a few edges, and its hierarchy.

    Parameters
    ----------
    graph : a prepared graph.
    edges, weights, progress : as in `warpath.Solver.with_changes`.
    """
    numbers = _edge_numbers(graph, edges)
    lengths = _lengths(weights, len(numbers))
    array = graph.solver_weights.copy()
    array[numbers] = lengths if array.dtype == lengths.dtype else fitting(lengths, array.dtype)
    made = graph._like(graph.indptr, graph.indices, array)  # noqa: SLF001 - no copy of the weights
    streets = search_graph(made)
    with watch(progress, "with_changes", "vertices") as report:
        elimination = _elimination(graph, report, "with_changes")
        ELIMINATION.of(streets, lambda: elimination)
        changes = numbers if streets is made else _changes(graph, made)
        arcs = changed_hierarchy_of(search_graph(graph), streets, changes, threads)
    return _with_hierarchy(made, arcs)


def _elimination(graph: Graph, report: Report | None, call: str) -> Any:
    """Return the elimination of a graph; raise NotEnoughMemoryError if a call would take too much.

    How many arcs there are is known once the first call has found them: before, it is predicted.
    """
    inner = search_graph(graph)
    if ELIMINATION.known(inner) is None:
        facts = inner.facts(symmetry=False)
        _require_memory(int(_FOR_STREETS * prepare_bytes(facts)), call)
    elimination = elimination_of(inner, report)
    entry = inner.solver_weights.itemsize
    keeps = call == "with_changes" and CHANGES.known(inner) is None
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


def _changes(graph: Graph, made: Graph) -> NDArray[np.int64]:
    """Return the edges of the graph that is searched whose weights differ in another one."""
    before, after = search_graph(graph).solver_weights, search_graph(made).solver_weights
    return np.flatnonzero(before != after)


def _with_hierarchy(graph: Graph, arcs: Any) -> Graph:
    """Return a graph after its customized hierarchy is kept with it; refuse None."""
    if arcs is None:
        raise too_long()
    HIERARCHY.of(search_graph(graph), lambda: arcs)
    return graph


def _edge_numbers(graph: Graph, edges: ArrayLike) -> NDArray[np.int64]:
    """Return edge numbers that lie in 0 .. m - 1, each once: (k,)."""
    array = plain_array(edges, "edges", InputError)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        msg = f"edges = {shown(edges)} must be a list of integers, numbers of edges."
        raise InputError(msg)
    outside = np.flatnonzero((array < 0) | (array >= graph.m))
    if outside.size:
        at = int(outside[0])
        msg = f"edges[{at}] = {array[at]} is not an edge: they are numbered 0 .. {graph.m - 1}."
        raise InputError(msg)
    numbers = array.astype(np.int64)
    order = np.argsort(numbers, kind="stable")
    twice = np.flatnonzero(np.diff(numbers[order]) == 0)
    if twice.size:
        first, second = sorted(order[twice[0] : twice[0] + 2].tolist())
        msg = (
            f"edges[{first}] and edges[{second}] are both {numbers[first]}: an edge has one weight."
        )
        raise InputError(msg)
    return numbers


def _lengths(weights: ArrayLike, count: int) -> Array:
    """Return a weight for each of some edges, all finite and >= 0."""
    array = as_weights(weights)
    if len(array) != count:
        msg = f"weights has {len(array)} entries, but edges has {count}: one for each edge."
        raise GraphError(msg)
    if not np.isfinite(array).all():
        at = int(np.argmin(np.isfinite(array)))
        raise WeightError(_infinite(at)) if array[at] == np.inf else bad_weight(at, array)
    if array.min(initial=0) < 0:
        at = int(np.argmax(array < 0))
        msg = f"weights[{at}] = {array[at]} is negative, and a hierarchy needs weights >= 0."
        raise NegativeWeightError(msg)
    return array


def _of_all_edges(graph: Graph, weights: ArrayLike) -> Graph:
    """Return a graph with new weights, none of which is infinite: it has all edges."""
    array = as_weights(weights)
    made = graph.with_weights(array)
    if made.m < graph.m:
        raise WeightError(_infinite(int(np.argmax(array == np.inf))))
    return made


def _infinite(at: int) -> str:
    return (
        f"weights[{at}] is infinite: with_weights keeps all edges. Give a closed edge a weight "
        "that no path is worth, or use warpath.prepare(graph.with_weights(weights))."
    )


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
