"""Labels: the distances between each vertex and its ancestors in an elimination tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import _core
from warpath.base import settings, units
from warpath.base.errors import NotEnoughMemoryError
from warpath.base.log import logged
from warpath.engines import customizable
from warpath.engines.base import Raw, TableOrder, TripsOrder
from warpath.graph.derived import Derived
from warpath.recipes import Task

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.base.progress import Report
    from warpath.graph import Graph

#: An object of the core, of a class for each type of weights; None where sums of weights may not
#: fit 64 bits.
LABELS: Derived[Any] = Derived(__name__, "labels over the elimination tree")

#: By which labels lead to routes; None without labels. An object of the core for each type.
ARCS: Derived[Any] = Derived(__name__, "arcs of routes by labels")

_LINE = 64  # bytes of a cache line

#: The arrays of labels in files and pickles; the last two are equal if there is one.
NAMES = ("position", "parent", "up", "down")


def labels_of(
    graph: Graph, threads: int, progress: Report | None = None, *, most: int | None = None
) -> Any:
    """Return the labels that are kept with a graph; the first call computes them.

    Any number of threads computes the same ones. None if sums of weights may not fit 64 bits.

    Parameters
    ----------
    most : the bytes that labels may take; the free memory when not given.

    Raises
    ------
    NotSupportedError
        If removing vertices makes the rest of the graph denser and denser, or the elimination tree
        is too deep.
    NotEnoughMemoryError
        If the labels would take more memory than they may.
    """
    return LABELS.of(graph, lambda: _labelled(graph, threads, progress, most))


def _labelled(graph: Graph, threads: int, progress: Report | None, most: int | None) -> Any:
    elimination = customizable.elimination_of(graph, progress)
    hierarchy = customizable.hierarchy_of(graph, threads)
    if hierarchy is None:
        return None
    find: Any = _core.ancestor_tree
    compute: Any = _core.tree_labels
    tree = find(elimination)
    entries = tree.entries * (1 if hierarchy.symmetric else 2)
    need = entries * np.dtype(f"V{hierarchy.itemsize}").itemsize
    free = settings.memory()
    if need > free or (most is not None and need > most):
        limit, way_out = f"{units.size(free)} are free", "use a machine with more memory"
        if need <= free and most is not None:
            limit, way_out = f"{units.size(most)} are allowed", "allow more by memory="
        msg = (
            f"labels would take {units.size(need)}, but {limit}: {way_out}, or prepare the graph "
            "without labels."
        )
        raise NotEnoughMemoryError(msg)
    with logged(f"computed labels of {graph.n:,} vertices"):
        return compute(tree, elimination, hierarchy, threads=threads)


def search(order: TripsOrder) -> Raw | None:
    """Find a route, or the distances of pairs; None without labels, see `labels_of`."""
    graph, problem = order.graph, order.problem
    if problem.task is Task.PATH:
        return _route(order)
    labels = labels_of(graph, order.threads)
    if labels is None:
        return None
    dist = np.empty(len(problem.sources), graph.dist_dtype)
    options: dict[str, Any] = {"threads": order.threads, "progress": order.progress}
    counts = labels.pairs(problem.sources, problem.targets, dist, **options)
    return Raw(dist, stats=counts)


def arcs_of(graph: Graph, threads: int) -> Any:
    """Return what finds routes by the labels of a graph, which keeps it.

    None if sums of weights may not fit 64 bits. Weights must be above 0.
    """
    return ARCS.of(graph, lambda: _arcs(graph, threads))


def _arcs(graph: Graph, threads: int) -> Any:
    labels, hierarchy = labels_of(graph, threads), customizable.hierarchy_of(graph, threads)
    if labels is None or hierarchy is None:
        return None
    with logged(f"found the arcs of routes of {graph.n:,} vertices"):
        find: Any = _core.labelled_arcs
        return find(labels, hierarchy, graph.indptr, graph.indices, _lengths(graph))


def _lengths(graph: Graph) -> Array:
    """Return the weights as the core takes them: integers as int64."""
    weights = graph._solver_weights
    return weights.astype(np.int64) if weights.dtype.kind == "i" else weights


def _route(order: TripsOrder) -> Raw | None:
    graph, problem = order.graph, order.problem
    arcs = arcs_of(graph, order.threads)
    if arcs is None:
        return None
    vertices, _ = arcs.routes(problem.sources, problem.targets)
    length = np.empty(1, graph.dist_dtype)
    labels_of(graph, order.threads).pairs(problem.sources, problem.targets, length)
    return Raw(length[0], vertices)


def routes(graph: Graph, ends: tuple[Array, Array], threads: int) -> tuple[Array, Array] | None:
    """Find many routes, as `hierarchy.routes`; None without labels."""
    arcs = arcs_of(graph, threads)
    if arcs is None:
        return None
    found: tuple[Array, Array] = arcs.routes(*ends, threads=threads)
    return found


def table(order: TableOrder) -> Raw | None:
    """Fill a table of distances; None without labels, see `labels_of`."""
    graph, problem = order.graph, order.problem
    labels = labels_of(graph, order.threads)
    if labels is None:
        return None
    targets = np.arange(graph.n) if problem.targets is None else problem.targets
    options: dict[str, Any] = {"threads": order.threads, "progress": order.progress}
    counts = labels.table(problem.sources, targets, order.out, **options)
    return Raw(order.out, stats=counts)


def bytes_of_labels(graph: Graph) -> int:
    """Return the bytes of the labels that a graph has."""
    return LABELS.size(LABELS.cached(graph))


def arrays_of(graph: Graph) -> tuple[Array, ...] | None:
    """Return the arrays of a graph's labels, one for each of `NAMES`; None if it has no labels."""
    labels = LABELS.cached(graph)
    if labels is None:
        return None
    up, down = labels.arrays()
    return (*labels.tree.arrays(), up, up if down is None else down)


def keep(graph: Graph, arrays: tuple[Array, ...]) -> None:
    """Keep labels of these arrays with a graph that has none yet; the core checks their lengths."""
    position, parent, up, down = arrays
    tree_of: Any = _core.stored_ancestor_tree
    labels_from: Any = _core.stored_tree_labels
    if len(position) != graph.n:
        msg = f"the labels are of {len(position):,} vertices, the graph has {graph.n:,}"
        raise ValueError(msg)
    tree = tree_of(position, parent)
    labels = labels_from(tree, _aligned(up), None if down is up else _aligned(down))
    LABELS.of(graph, lambda: labels)


def _aligned(array: Array) -> Array:
    """Return an array that begins at a cache line: itself, or a copy."""
    if array.ctypes.data % _LINE == 0:
        return array
    room = np.empty(array.nbytes + _LINE, np.uint8)
    start = -room.ctypes.data % _LINE
    copy = room[start : start + array.nbytes].view(array.dtype)
    copy[:] = array
    return copy


def share_reversed(graph: Graph) -> None:
    """Keep the labels of a graph, turned around, with the reversed graph, if there are some."""
    labels = LABELS.cached(graph)
    if labels is not None:
        LABELS.of(graph.reversed(), labels.reversed)
