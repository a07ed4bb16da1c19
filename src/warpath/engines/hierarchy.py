"""Contraction hierarchies: one is built for a graph and kept with it, for all later searches."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import _core
from warpath.base.dtypes import unreachable
from warpath.base.errors import GraphError, NotSupportedError
from warpath.base.log import logged
from warpath.engines import customizable, labels
from warpath.engines.base import Order, Raw, TableOrder, TripsOrder
from warpath.graph.checks import refuse_wide
from warpath.graph.derived import Derived
from warpath.graph.labels import one_label
from warpath.recipes import Loop, Task

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from warpath.base.dtypes import Array
    from warpath.graph import Graph

    #: (sources, targets, out) -> counters; fills `out` with the distances.
    PairsSearch = Callable[..., dict[str, int]]

_ALL = np.empty(0, np.int64)  # means to the core that every vertex is a target

#: An object of the core, of a class for each type of the shortcuts' weights; None where their sums
#: may not fit 64 bits.
HIERARCHY: Derived[Any] = Derived(__name__, "contraction hierarchy")

_EXACT: Derived[bool] = Derived(__name__, "whether sums of float weights are exact")


def hierarchy_of(
    graph: Graph, threads: int, progress: Callable[[int, int], None] | None = None
) -> Any:
    """Return the hierarchy that is kept with a graph; the first call builds it.

    Any number of threads builds the same one. None if the sums of shortcuts may not fit 64 bits.

    Raises
    ------
    NotSupportedError
        If contracting vertices makes the rest of the graph denser and denser.
    """
    return HIERARCHY.of(graph, lambda: _contracted(graph, threads, progress))


def arrays_of(graph: Graph) -> tuple[Any, ...] | None:
    """Return the arguments of `keep` for the hierarchy of a graph; None if none was built."""
    hierarchy = HIERARCHY.cached(graph)
    if hierarchy is None:
        return None
    position, up, down = hierarchy.arrays()
    return (position, *up, *(up if down is None else down), hierarchy.symmetric)


def keep(graph: Graph, arrays: tuple[Any, ...]) -> None:
    """Keep a hierarchy of these arrays with a graph that has none yet; the core checks them."""
    build: Any = _core.hierarchy
    hierarchy = build(*arrays)
    if hierarchy.n != graph.n:
        msg = f"the hierarchy has {hierarchy.n:,} vertices, the graph {graph.n:,}"
        raise ValueError(msg)
    HIERARCHY.of(graph, lambda: hierarchy)


def contradiction(graph: Graph, of_labels: Sequence[Any] = ()) -> str:
    """Return why the hierarchy of a graph belongs to other edges or weights; "" if none is found.

    The distances from and to one vertex are compared with all edges: no edge may lead to a shorter
    distance, and an edge must give each distance. Labels must give the same distances. O(n + m),
    and two sweeps.

    Parameters
    ----------
    of_labels : labels of the core, of one kind or several.
    """
    hierarchy: Any = HIERARCHY.cached(graph)
    if graph.n == 0:
        return ""
    src, dst, weights = graph.edges()
    kind = graph.dist_dtype
    rounding = graph.n * float(np.finfo(kind).eps) if kind.kind == "f" else 0.0
    row, source = np.empty((1, graph.n), kind), np.array([graph.n // 2])
    back = hierarchy if hierarchy.symmetric else hierarchy.reversed()
    ends = np.full(graph.n, source[0]), np.arange(graph.n)
    for direction, labelled, tails, heads in (
        (hierarchy, of_labels, src, dst),
        (back, [each.reversed() for each in of_labels], dst, src),
    ):
        direction.table(source, _ALL, row, restricted=False)
        dist = row[0]
        reached = np.flatnonzero(dist[tails] != unreachable(kind))
        least = np.full(graph.n, unreachable(kind), kind)
        np.minimum.at(least, heads[reached], dist[tails[reached]] + weights[reached])
        least[source] = 0
        differ = ~np.isclose(least, dist, rounding, 0.0) if rounding else least != dist
        what, wrong = "hierarchy has", dist
        for each in labelled:
            if differ.any():
                break
            what, wrong = "labels have", np.empty_like(dist)
            each.pairs(*ends, wrong)
            differ = ~np.isclose(least, wrong, rounding, 0.0) if rounding else least != wrong
        if differ.any():
            at = int(np.argmax(differ))
            names = [repr(one_label(graph, vertex)) for vertex in (int(source[0]), at)]
            return (
                f"its {what} the distance {wrong[at]} between the vertices "
                f"{' and '.join(names)}, where the edges give {least[at]}"
            )
    return ""


def arcs_of(graph: Graph) -> tuple[int, int]:
    """Return the numbers of arcs up and down of the hierarchy that was built for a graph."""
    up, down = HIERARCHY.cached(graph).arcs  # type: ignore[union-attr]
    return up, down


def sums_are_exact(graph: Graph) -> bool:
    """Return whether all sums of weights in the hierarchy that a graph has are exact.

    Sums of floats are, where all weights are multiples of a power of 2 of which the type holds
    every multiple up to the longest distance: then any order of additions gives the same bits.
    """
    if graph.weight_dtype.kind == "i":
        return True
    hierarchy = HIERARCHY.cached(graph)
    return hierarchy is not None and _EXACT.of(graph, lambda: _sums_are_exact(graph, hierarchy))


def _sums_are_exact(graph: Graph, hierarchy: Any) -> bool:
    unit = np.spacing(_longest(graph, hierarchy))  # NaN if a sum may be infinite
    with np.errstate(over="ignore"):  # of an edge that is longer than all distances
        parts = graph._solver_weights / unit
    return bool((parts == np.rint(parts)).all())


def _longest(graph: Graph, hierarchy: Any) -> Any:
    """Return a bound on the distances, in the type of the weights.

    Where all vertices reach vertex 0 and are reached from it, a detour by it is one. Rounding
    cannot hide a longer one: the labels would reach the first sum that is not exact.
    """
    bound = graph.weight_dtype.type(hierarchy.bound)
    if graph.n == 0:
        return bound
    row, source, detour = np.empty((1, graph.n), graph.dist_dtype), np.zeros(1, np.int64), []
    for direction in (hierarchy, hierarchy if hierarchy.symmetric else hierarchy.reversed()):
        direction.table(source, _ALL, row, restricted=False)
        detour.append(row.max())
    with np.errstate(over="ignore"):
        return min(bound, np.nextafter(detour[0] + detour[1], np.inf, dtype=bound.dtype))


def share(graph: Graph, other: Graph) -> None:
    """Keep the hierarchy of a graph with another graph that has the same rows."""
    hierarchy = HIERARCHY.cached(graph)
    if hierarchy is not None:
        HIERARCHY.of(other, lambda: hierarchy)


def _contracted(graph: Graph, threads: int, progress: Callable[[int, int], None] | None) -> Any:
    refuse_wide(graph.n, "a hierarchy")
    try:
        with logged(f"built a contraction hierarchy of {graph.n:,} vertices"):
            contracted: Any = _core.contract(
                *graph._solver_rows, threads=threads, progress=progress
            )
    except OverflowError:
        return None
    if isinstance(contracted, tuple):
        vertices, arcs, growing = contracted
        more = (
            f"and {growing:,} of them, if removed, would add twice the arcs that go with them"
            if growing
            else "and more with every vertex that is removed"
        )
        msg = (
            f"this graph has no useful hierarchy: with {vertices:,} of {graph.n:,} vertices left, "
            f"each has {arcs / vertices:,.0f} arcs, {more}. "
            "Hierarchies suit road networks and meshes. Use warpath.Solver(graph), which needs "
            "no preparation."
        )
        raise NotSupportedError(msg)
    return contracted


def share_reversed(graph: Graph) -> None:
    """Keep the hierarchy of a graph, turned around, with the reversed graph, if there is one."""
    labels.share_reversed(graph)
    hierarchy = HIERARCHY.cached(graph)
    if hierarchy is not None:
        both = hierarchy.symmetric
        HIERARCHY.of(graph.reversed(), lambda: hierarchy if both else hierarchy.reversed())


def search(order: TripsOrder) -> Raw | None:
    """Find a route, or the distances of pairs; None without a hierarchy, see `hierarchy_of`."""
    graph, problem = order.graph, order.problem
    hierarchy = _for_searches(graph, order.recipe.loop, order.threads)
    if hierarchy is None:
        return None
    if problem.task is Task.PAIRS:
        dist = np.empty(len(problem.sources), graph.dist_dtype)
        counts = hierarchy.pairs(
            problem.sources, problem.targets, dist, threads=order.threads, progress=order.progress
        )
        return Raw(dist, stats=counts)
    back = graph.reversed()
    ends = problem.source, problem.target
    try:
        vertices, length, settled = hierarchy.route(
            *back._solver_rows, *ends, progress=order.progress
        )
    except ValueError as error:  # the edges give no path of the length that the hierarchy has
        source, target = (one_label(graph, end) for end in ends)
        msg = (
            f"the hierarchy of this graph was made for other weights: no path from {source!r} to "
            f"{target!r} has its length. Prepare the graph again, by warpath.prepare."
        )
        raise GraphError(msg) from error
    return Raw(np.asarray(length, graph.dist_dtype), vertices, {"settled": settled})


def routes(
    graph: Graph, ends: tuple[Array, Array], threads: int, loop: Loop
) -> tuple[Array, Array] | None:
    """Find many routes; None for loops that do not search upward, and without a hierarchy.

    Parameters
    ----------
    ends : (k,) sources and (k,) targets.

    Returns
    -------
    vertices : int64, those of one route after another, each from its source to its target.
    counts : (k,) int64, how many vertices each route has, 0 without a path.
    """
    if loop not in {Loop.HIERARCHY, Loop.CUSTOMIZED}:
        return None
    hierarchy = _for_searches(graph, loop, threads)
    if hierarchy is None:
        return None
    back = graph.reversed()
    try:
        vertices, counts = hierarchy.routes(*back._solver_rows, *ends, threads=threads)
    except ValueError as error:
        msg = (
            "the hierarchy of this graph was made for other weights: no path between the ends of a "
            "trip has its length. Prepare the graph again, by warpath.prepare."
        )
        raise GraphError(msg) from error
    return vertices, counts


def _for_searches(graph: Graph, loop: Loop, threads: int) -> Any:
    """Return the hierarchy in which a loop searches upward; None as by `hierarchy_of`."""
    customized = loop is Loop.CUSTOMIZED
    return (customizable.hierarchy_of if customized else hierarchy_of)(graph, threads)


def pairs_search(graph: Graph, loop: Loop, threads: int) -> PairsSearch | None:
    """Return the search of pairs that a loop runs on a graph, to be called many times.

    None for loops that do not search upward, and without a hierarchy.
    """
    if loop is Loop.TREE_LABELS:
        labelled = labels.labels_of(graph, threads)
        return None if labelled is None else partial(labelled.pairs, threads=threads)
    if loop not in {Loop.HIERARCHY, Loop.CUSTOMIZED}:
        return None
    hierarchy = _for_searches(graph, loop, threads)
    return None if hierarchy is None else partial(hierarchy.pairs, threads=threads)


def sweep_one(order: Order) -> Raw | None:
    """Find the distances from the nearest of the sources; None without a hierarchy."""
    graph, sources = order.graph, order.problem.sources
    hierarchy = hierarchy_of(graph, order.threads)
    if hierarchy is None:
        return None
    if len(sources) > 1:
        return _nearest(order, hierarchy)
    out = np.empty((1, graph.n), graph.dist_dtype)
    options: dict[str, Any] = {"threads": order.threads, "progress": order.progress}
    counts = hierarchy.table(sources, _ALL, out, restricted=False, **options)
    return Raw(out[0], stats=counts)


def sweep(order: TableOrder) -> Raw | None:
    """Fill a table of distances; None without a hierarchy."""
    graph, problem, out = order.graph, order.problem, order.out
    hierarchy = hierarchy_of(graph, order.threads)
    if hierarchy is None:
        return None
    if not out.size:
        return Raw(out)
    options: dict[str, Any] = {"threads": order.threads, "progress": order.progress}
    if order.recipe.loop is Loop.HIERARCHY_BUCKETS:
        targets = np.arange(graph.n) if problem.targets is None else problem.targets
        counts = hierarchy.bucket_table(problem.sources, targets, out, **options)
    else:
        targets = _ALL if problem.targets is None else problem.targets
        restricted = order.recipe.loop is Loop.RESTRICTED_SWEEP
        counts = hierarchy.table(problem.sources, targets, out, restricted=restricted, **options)
    return Raw(out, stats=counts)


def _nearest(order: Order, hierarchy: Any) -> Raw:
    """Find the nearest of several sources for every vertex."""
    graph = order.graph
    dist = np.empty(graph.n, graph.dist_dtype)
    owners = np.empty(graph.n, graph.indices.dtype)
    counts = hierarchy.nearest(order.problem.sources, dist, owners, progress=order.progress)
    return Raw(dist, stats=counts, owners=owners)


def totals(order: Order, _device: str, names: tuple[str, ...]) -> dict[str, Any] | None:
    """Return totals of sweeps down a hierarchy; None for other algorithms, and without one.

    See `warpath.engines.base.Engine`.
    """
    graph, problem = order.graph, order.problem
    if order.recipe.loop not in {Loop.HIERARCHY_SWEEP, Loop.RESTRICTED_SWEEP}:
        return None
    hierarchy = hierarchy_of(graph, order.threads)
    if hierarchy is None:
        return None
    most = unreachable(graph.dist_dtype)
    find: Any = _core.hierarchy_totals
    sums = find(
        hierarchy,
        np.ascontiguousarray(problem.sources, np.int64),
        _ALL if problem.targets is None else problem.targets,
        most if problem.cutoff is None else min(problem.cutoff, most),
        "harmonic" in names,
        threads=order.threads,
        progress=order.progress,
    )
    by_name = dict(zip(("sum", "max", "count", "harmonic"), sums, strict=True))
    return {name: by_name[name] for name in names}
