"""Routes and predecessor trees from distances: over tight edges, or by a new search.

A complete and exact row of a table determines the routes. Sums of floats that were formed in
another order than along the path leave edges of shortest paths that are not tight. In that case,
and if columns are missing, one new search computes the distances.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import _core
from warpath.base.errors import InputError, NegativeCycleError, NoPathError, VerificationError
from warpath.graph import Graph
from warpath.graph.checks import shown
from warpath.graph.components import island
from warpath.graph.edge_edits import closed_edges
from warpath.graph.edge_geometry import leg_weights
from warpath.graph.facts import rows_into
from warpath.graph.labels import one_label
from warpath.graph.raster_graph import RasterGraph
from warpath.graph.search_vertices import arrivals
from warpath.graph.solvable import SolvableGraph, search_graph
from warpath.graph.zones import folded_tree, home_path, unfolded

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from warpath.base.dtypes import Array

    Check = Callable[[Array, float | None], None]

_ALL = np.empty(0, np.int64)
_STEPS = 2**12  # longer routes use the whole tree: a step costs as much as some hundred tree edges
_PER_THREAD = 2**16  # vertices and edges that justify another thread


def as_labels(graph: Graph, row: Array) -> Array:
    """Return a row of a table in the graph's distance type."""
    if row.dtype == graph.dist_dtype:
        return np.ascontiguousarray(row)
    wide = row.astype(graph.dist_dtype)
    wide[row == np.iinfo(row.dtype).max] = np.iinfo(wide.dtype).max
    return wide


def search(
    graph: Graph,
    source: int,
    cutoff: float | None = None,
    targets: Array | None = None,
    check: Check | None = None,
) -> tuple[Array, Array]:
    """Search from a source, and return the distances and the predecessors: (n,) each.

    Weights are added in the order of the path from the source. Vertices beyond the cutoff are
    unreachable; with negative weights they keep their predecessors, because a path to a vertex
    within the cutoff may lead through them.

    Parameters
    ----------
    graph : graph without closed vertices, as `search_graph` returns.
    targets : (t,) the vertices whose distances must fit their type; None for all. Others that do
        not fit are unreachable.
    check : function that certifies the distances before the cutoff is applied; takes them and the
        limit up to which they were computed.

    Raises
    ------
    OverflowError
        If the distance of a vertex of `targets`, within the cutoff, does not fit its type.
    """
    if graph.facts(symmetry=False).negative:
        return _signed_search(graph, source, cutoff, targets, check)
    labels = np.empty(graph.n, graph.dist_dtype)
    limit = cutoff
    if targets is not None and limit is None and labels.dtype.kind == "i":
        limit = _never(labels) - 1  # distances that do not fit stay unreachable
    _core.dijkstra(
        *graph._solver_rows,
        source,
        labels,
        queue="radix",
        targets=_ALL,
        cutoff=limit,
        progress=None,
    )
    if targets is not None and len(targets) and cutoff is None:
        _core.refuse_overflow(*graph._solver_rows, labels, targets)
    if check is not None:
        check(labels, limit)
    return labels, tree(graph, source, labels)


def _signed_search(
    graph: Graph, source: int, cutoff: float | None, targets: Array | None, check: Check | None
) -> tuple[Array, Array]:
    """Implement `search` for graphs with negative weights."""
    labels = np.empty(graph.n, graph.dist_dtype)
    try:
        start = np.array([source])
        cycle = _core.bellman_ford(*graph._solver_rows, start, labels, progress=None)["cycle"]
    except OverflowError:
        if labels.dtype.kind == "f":
            raise
        return _wide_search(graph, source, cutoff, targets, certify=check is not None)
    if len(cycle):
        raise NegativeCycleError(cycle.tolist(), length_around(graph, cycle))
    if check is not None:
        check(labels, None)
    through = tree(graph, source, labels)
    if cutoff is not None:
        labels[labels > cutoff] = _never(labels)
    return labels, through


def _wide_search(
    graph: Graph, source: int, cutoff: float | None, targets: Array | None, *, certify: bool
) -> tuple[Array, Array]:
    """Implement `search` for integer weights whose distances may not fit 64 bits."""
    labels, misfit = np.empty(graph.n, np.int64), np.empty(graph.n, np.int8)
    through = np.empty(graph.n, graph.indices.dtype)
    cycle, broken = _core.bellman_ford_wide(
        *graph._solver_rows, source, labels, misfit, through, certify=certify
    )
    if len(cycle):
        raise NegativeCycleError(cycle.tolist(), length_around(graph, cycle))
    if broken:
        msg = f"not verified: a search of 128 bits breaks the rule {broken!r}."
        raise VerificationError(msg, broken, {})
    lost = misfit != 0 if cutoff is None else misfit < 0  # too large is also beyond any cutoff
    if (lost if targets is None else lost[targets]).any():
        msg = "a distance does not fit 64 bits"
        raise OverflowError(msg)
    if cutoff is not None:
        labels[labels > cutoff] = _never(labels)
    return labels, through


def without_unreached(pred: Array, labels: Array) -> Array:
    """Return predecessors with -1 at unreachable vertices, for example those beyond a cutoff."""
    return np.where(labels == _never(labels), -1, pred)


def tree(
    graph: Graph, source: int, labels: Array, threads: int = 1, *, once: bool = False
) -> Array:
    """Compute the predecessors from the distances: (n,), read-only. O(n + m).

    Parameters
    ----------
    graph : graph without closed vertices, as `search_graph` returns.
    labels : (n,) exact distances.
    threads : largest number of threads; it does not change the result.
    once : True for the only tree of a graph whose weights are >= 0: skips the statistics and the
        symmetry check that would speed up later trees.
    """
    team = team_of(graph, threads) if threads > 1 else 1
    if isinstance(graph, RasterGraph):
        before = np.empty(graph.n, np.int32)
        graph.costs.tree(source, labels, before, team)
        return before
    if once:
        trees = _core.trees(*graph._solver_rows, *_no_rows(graph), ascending=False, negative=False)
    else:
        trees = bound_trees(graph, team)
    pred: Array = trees(source, labels, team)
    return pred


def team_of(graph: Graph, threads: int) -> int:
    """Return the number of threads, at most `threads`, for a tree of this size."""
    return max(1, min(threads, (graph.n + graph.m) // _PER_THREAD))


def bound_trees(graph: Graph, threads: int) -> Callable[..., Array]:
    """Return a function (source, dist, threads) that computes the `tree` of a graph."""
    negative = graph.facts(symmetry=False).negative > 0
    into, ascending = (None, False) if negative else rows_into(graph, threads)
    rows = _no_rows(graph) if into is None else into._solver_rows
    trees: Callable[..., Array] = _core.trees(*graph._solver_rows, *rows, ascending, negative)
    return trees


def tree_over(graph: Graph, source: int, dist: Array) -> Array:
    """Compute predecessors from exact distances, with closed vertices as leaves: (n,)."""
    pred = tree(search_graph(graph), source, unfolded(graph, dist, source))
    return folded_tree(graph, pred, source)


def searched(
    graph: Graph,
    source: int,
    cutoff: float | None,
    targets: Array | None = None,
    check: Check | None = None,
) -> tuple[Array, Array]:
    """Run `search` on any graph: (n,) distances and (n,) predecessors.

    Parameters
    ----------
    targets : (t,) vertices of the graph; see `search`.
    check : as in `search`; it takes the distances of the graph that is searched.
    """
    view = SolvableGraph(graph)
    if targets is None and (source < graph.first_through or graph.turns):
        targets = np.arange(
            graph.n
        )  # other sums, such as the round trip to the source, may overflow
    ends = None if targets is None else view.arrivals(targets[targets != source])
    labels, through = search(view.inner, source, cutoff, ends, check)
    return view.fold(labels, source), view.fold_tree(through, source)


def walked(graph: Graph, source: int, target: int, dist: Array) -> NDArray[np.int64]:
    """Return the route to a reachable vertex from the exact distances of all vertices.

    The route is traced back over tight in-edges, in time proportional to the in-degrees of its
    vertices, and has the predecessors of `tree`. The whole tree is computed if weights are
    negative, the route is long, or all tight edges into one of its vertices have weight 0.

    Parameters
    ----------
    dist : (n,) distances in the graph's distance type; finite at `target`.
    """
    inner = search_graph(graph)
    labels = unfolded(graph, dist, source)
    route = [source if source == target else int(arrivals(graph, np.array([target]))[0])]
    if not inner.facts(symmetry=False).negative:
        back, unreachable = inner.reversed(), _never(labels)
        while route[-1] != source:
            v = route[-1]
            into = slice(back.indptr[v], back.indptr[v + 1])
            before = labels[back.indices[into]]
            length = back._solver_weights[into].astype(labels.dtype)
            closer = (before != unreachable) & (before < labels[v])
            tight = back.indices[into][closer][before[closer] + length[closer] == labels[v]]
            if not len(tight) or len(route) >= _STEPS:
                break
            route.append(int(tight.min()))
    if route[-1] != source:
        pred = tree(inner, source, labels)
        while route[-1] != source:
            route.append(int(pred[route[-1]]))
    return home_path(graph, np.array(route[::-1], np.int64))


def followed(pred: Array, source: int, target: int) -> NDArray[np.int64]:
    """Return the route along stored predecessors, (n,).

    Raises
    ------
    InputError
        If they do not lead to the source, for example after rounding on a cycle of length 0.
    """
    route = [target]
    while route[-1] != source:
        if route[-1] < 0 or len(route) > len(pred):
            msg = (
                f"no route leads from {source} to {target} over the predecessors: sums of "
                "float weights were rounded on a cycle of length 0; use integer weights."
            )
            raise InputError(msg)
        route.append(int(pred[route[-1]]))
    return np.array(route[::-1], np.int64)


def searched_path(graph: Graph, source: int, target: int) -> tuple[NDArray[np.int64], Any]:
    """Search one route; return its vertices in the graph that is searched, and its length.

    The vertices are those of the tree; without a route there are none.
    """
    if source == target:
        return np.array([source]), graph.dist_dtype.type(0).item()
    view = SolvableGraph(graph)
    inner, end = view.inner, int(view.arrivals(np.array([target]))[0])
    if inner.facts(symmetry=False).negative:
        dist, pred = search(inner, source, None, np.array([end]))
        if dist[end] == _never(dist):
            return _ALL, dist[end].item()
        return followed(pred, source, end), dist[end].item()
    vertices, length, _ = _core.path(
        *inner._solver_rows,
        *inner.reversed()._solver_rows,
        source,
        end,
        bidirectional=False,
        progress=None,
    )
    return vertices, graph.dist_dtype.type(length).item()


def no_path(
    graph: Graph, source: int, target: int, cutoff: float | None = None, ends: str = ""
) -> NoPathError:
    """Return the error for a target without a finite distance.

    Sums of float weights along a path may round to inf, which is the label of unreachable vertices
    (rule 4). If the weights are large enough for that, an unweighted search determines whether a
    path exists, so that the message is right: O(n + m).

    Parameters
    ----------
    ends : "from A to B" with the caller's names of the vertices; by default those of the graph.
    """
    ends = ends or f"from {shown(one_label(graph, source))} to {shown(one_label(graph, target))}"
    if cutoff is not None:
        return NoPathError(f"no path leads {ends} within {cutoff}.")
    if graph.dist_dtype.kind == "f":
        view, most = SolvableGraph(graph), float(np.finfo(graph.dist_dtype).max)
        inner = view.inner
        if inner.facts(symmetry=False).max_weight > most / max(inner.n, 1):
            hops, _ = search(Graph(inner.indptr, inner.indices), source)
            if hops[view.arrivals(np.array([target]))[0]] != _never(hops):
                msg = (
                    f"every path {ends} has a length beyond the largest {graph.dist_dtype}, "
                    f"{most:.4g}, and counts as unreachable: use smaller units"
                    f"{', or float64' if graph.dist_dtype == np.float32 else ''}."
                )
                return NoPathError(msg)
    why = closed_edges(graph) + island(graph, source, target)
    return NoPathError(f"no path leads {ends}.{why}")


def length_around(graph: Graph, cycle: Array) -> float:
    """Return the length of a cycle, over the lightest of parallel edges, without overflow."""
    legs = leg_weights(graph, cycle, np.roll(cycle, -1))
    if legs.dtype.kind == "f":
        return float(np.cumsum(legs, dtype=np.float64)[-1])
    wide = legs.astype(np.int64, copy=False)
    return (int((wide >> 32).sum()) << 32) + int((wide & 0xFFFFFFFF).sum())


def _never(labels: Array) -> Any:
    return np.inf if labels.dtype.kind == "f" else np.iinfo(labels.dtype).max


def _no_rows(graph: Graph) -> tuple[Array, Array, Array]:
    """Return empty CSR arrays: the core then works without the in-edges of vertices."""
    return _ALL, np.empty(0, graph.indices.dtype), np.empty(0, graph.weight_dtype)
