"""Prepared graphs in files: saved by a Solver, loaded by `warpath.load`."""

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
    NotSupportedError,
    WeightError,
)
from warpath.base.progress import watch
from warpath.engines import customizable, hierarchy
from warpath.engines.customizable import (
    CHANGES,
    ELIMINATION,
    changed_hierarchy_of,
    elimination_of,
)
from warpath.engines.hierarchy import HIERARCHY, hierarchy_of
from warpath.graph import Graph
from warpath.graph.checks import as_weights, bad_weight, plain_array, shown
from warpath.graph.derived import Derived
from warpath.graph.edge_changes import fitting
from warpath.graph.input_edges import new_weights as in_edge_order
from warpath.graph.solvable import search_graph
from warpath.planner.cpu_model import may_be_prepared, prepare_bytes, prepare_seconds

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from numpy.typing import ArrayLike, NDArray

    from warpath.api.options import Options
    from warpath.api.question import Progress
    from warpath.base.dtypes import Array
    from warpath.io import wph
    from warpath.planner.cpu_model import Size
    from warpath.planner.wish import Wish


def save(graph: Graph, path: str | os.PathLike[str]) -> None:
    """Write a graph and its hierarchy; see `Solver.save`."""
    from warpath.io import wph
    from warpath.io.places import to_write
    from warpath.io.save import atomic

    target = to_write(path)
    if target.suffix.lower() != ".wph":
        msg = f"{target}: a prepared graph is saved as .wph, uncompressed: name the file so."
        raise InputError(msg)
    arrays = hierarchy.arrays_of(search_graph(graph))
    if arrays is None:
        msg = (
            f"{target}: this Solver has no hierarchy to save: make it by warpath.prepare(graph), "
            "or save the graph alone by warpath.write."
        )
        raise InputError(msg)
    with atomic(target) as file:
        wph.write_prepared(graph, arrays, file)


def loaded(path: str | os.PathLike[str], graph: Any, progress: Progress = None) -> Graph:
    """Return the graph of a file, or the given one, with the hierarchy; see `warpath.load`."""
    from warpath.io import wph
    from warpath.io.places import to_read
    from warpath.io.source import Source, reading

    file_name = to_read(path)
    given = None if graph is None else Graph.of(graph)
    with reading(file_name) as passing, watch(progress, f"reading {file_name.name}") as report:
        file = wph.PreparedFile(Source(file_name, progress=passing(report)))
        if given is not None:
            file.refuse_another(given)
        result = file.graph() if given is None else given
        _keep_hierarchy(file, result)
    if given is None:
        wph.MAPPED_FROM.of(result, lambda: str(file_name.absolute()))
    return result


def keep_saved(path: Path, graph: Graph) -> bool:
    """Keep the hierarchy of a file with a graph that was read from it.

    Returns False, and does nothing, if the file is not a prepared graph.

    Raises
    ------
    GraphFormatError
        The file is damaged.
    InputError
        The graph is not that of the file, as it was read with other weights.
    """
    from warpath.io import wph
    from warpath.io.source import Source, reading

    with reading(path):
        source = Source(path)
        if not wph.sniff(source.raw_head):
            return False
        file = wph.PreparedFile(source)
        file.refuse_another(graph)
        _keep_hierarchy(file, graph)
    return True


def _keep_hierarchy(file: wph.PreparedFile, graph: Graph) -> None:
    searched = search_graph(graph)
    hierarchy.keep(searched, file.hierarchy(graph.weight_dtype))
    if reason := hierarchy.contradiction(searched):
        way = "prepare the graph again, by warpath.prepare or the command `warpath prepare`"
        raise file.source.error(None, f"{reason}: {way}")


def prepare_graph(graph: Graph, threads: int | None, progress: Progress = None) -> None:
    """Build the hierarchy of a graph, which keeps it; see `warpath.prepare`."""
    refuse_negative(graph)
    _require_memory(search_graph(graph))
    team = settings.threads() if threads is None else threads
    with watch(progress, "prepare", "vertices") as report:
        if hierarchy_of(search_graph(graph), team, report) is None:
            raise too_long()


def _require_memory(graph: Graph) -> None:
    """Raise NotEnoughMemoryError if a graph has no hierarchy and there is too little for one."""
    need, free = prepare_bytes(graph.facts(symmetry=False)), settings.memory()
    if need > free and HIERARCHY.known(graph) is None:
        msg = (
            f"preparing would take {units.size(need)} in addition to the graph, "
            f"but {units.size(free)} are free: use a machine with more memory, or "
            "warpath.Solver(graph), which needs no preparation."
        )
        raise NotEnoughMemoryError(msg)


def reweighted(
    graph: Graph, wish: Wish, weights: ArrayLike, progress: Progress, *, order: str = "edges"
) -> Graph:
    """Return a prepared graph with new weights and its hierarchy, which is customized.

    Parameters
    ----------
    graph, wish : of the Solver.
    weights, order, progress : as in `warpath.Solver.with_weights`.
    """
    _require_prepared(wish, "with_weights")
    made = _of_all_edges(graph, in_edge_order(graph, weights, order))
    refuse_negative(made)
    streets, threads = search_graph(made), wish.threads or settings.threads()
    with watch(progress, "with_weights", "vertices") as report:
        elimination = elimination_of(search_graph(graph), report)
        ELIMINATION.of(streets, lambda: elimination)
        if CHANGES.known(search_graph(graph)) is None:
            arcs = customizable.hierarchy_of(streets, threads)
        else:
            changes = _changes(graph, made)
            arcs = changed_hierarchy_of(search_graph(graph), streets, changes, threads)
    return _with_hierarchy(made, arcs)


def changed(
    graph: Graph, wish: Wish, edges: ArrayLike, weights: ArrayLike, progress: Progress
) -> Graph:
    """Return a prepared graph with new weights of a few edges, and its hierarchy.

    Parameters
    ----------
    graph, wish : of the Solver.
    edges, weights, progress : as in `warpath.Solver.with_changes`.
    """
    _require_prepared(wish, "with_changes")
    numbers = _edge_numbers(graph, edges)
    lengths = _lengths(weights, len(numbers))
    array = graph.solver_weights.copy()
    array[numbers] = lengths if array.dtype == lengths.dtype else fitting(lengths, array.dtype)
    made = graph._like(graph.indptr, graph.indices, array)  # noqa: SLF001 - no copy of the weights
    streets, threads = search_graph(made), wish.threads or settings.threads()
    with watch(progress, "with_changes", "vertices") as report:
        elimination = elimination_of(search_graph(graph), report)
        ELIMINATION.of(streets, lambda: elimination)
        changes = numbers if streets is made else _changes(graph, made)
        arcs = changed_hierarchy_of(search_graph(graph), streets, changes, threads)
    return _with_hierarchy(made, arcs)


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


def _require_prepared(wish: Wish, call: str) -> None:
    if not wish.prepared:
        msg = (
            f"{call} needs a prepared Solver, and this one is not: use "
            f"warpath.prepare(graph).{call}(...), or "
            "warpath.Solver(graph.with_weights(weights)) without preparation."
        )
        raise NotSupportedError(msg)


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


#: Why a graph has no hierarchy; kept, so that it is not contracted in vain again.
_REFUSED: Derived[str] = Derived(__name__, "why there is no contraction hierarchy")


def with_hierarchy_if_faster(
    graph: Graph, options: Options, size: Size | None = None, prepared_size: Size | None = None
) -> Options:
    """Return options that use a hierarchy or do not, whichever is predicted to be faster in total.

    A hierarchy that exists is used. One is built here if the call is predicted to take longer than
    building it and then answering.

    Parameters
    ----------
    options : of a Solver; returned as they are unless `prepared` is "auto".
    size : what the call requests; None for a call that is too small to build a hierarchy for.
    prepared_size : what it requests of a prepared graph, if that is not the same.
    """
    if options.wish.prepared != "auto":
        return options
    without, prepared = (options.but(graph, prepared=each) for each in (False, True))
    inner = search_graph(graph)
    if HIERARCHY.known(inner) is not None:
        return prepared
    facts = inner.facts(symmetry=False)
    able = options.wish.algorithm == "auto" and may_be_prepared(facts)
    if size is None or not able or _REFUSED.known(inner) is not None:
        return without
    threads = options.wish.threads or settings.threads()
    now = without.plan(size, graph).seconds
    then = prepared.plan(prepared_size or size, graph).seconds
    if now is None or then is None or now <= prepare_seconds(facts, threads) + then:
        return without
    try:
        built = hierarchy_of(inner, threads)
    except NotSupportedError as error:
        reason = str(error)
        _REFUSED.of(inner, lambda: reason)
        return without
    return without if built is None else prepared
