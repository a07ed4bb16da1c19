"""Diameter, radius, center and the largest closeness: by bounds from a few searches.

A search from a vertex and one to it bound the eccentricities and the closeness of all others by the
triangle inequality. Vertices whose bounds leave the answer open are searched from.

Source: Takes, Kosters, "Determining the diameter of small world networks", 2011; Borassi et al.,
"Fast diameter and radius BFS-based computation in (weakly connected) real-world graphs", 2015;
Newling, Fleuret, "A sub-quadratic exact medoid algorithm", 2017, for closeness.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.api.prepared import with_hierarchy_if_faster
from warpath.api.question import Question
from warpath.api.run import paths_of
from warpath.api.table import solved_table
from warpath.base import settings
from warpath.base.dtypes import unreachable
from warpath.base.errors import GraphError
from warpath.base.progress import watch
from warpath.graph.labels import one_label
from warpath.graph.solvable import search_graph
from warpath.recipes import Task

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.api.options import Options
    from warpath.api.question import Progress
    from warpath.base.dtypes import Array
    from warpath.graph import Graph

#: Below this number of vertices a search from each takes no longer than bounds do.
_LEAST_VERTICES = 256
#: Vertices that are searched from one by one; a table of all that are left is faster then.
_MOST_SEARCHED = 64
#: Vertices of each kind that are searched from in turn: on New York's roads 11 searches give the
#: diameter; 30 with 2, 47 with ends alone.
_ENDS = 4
#: Vertices that are searched from at the same time for closeness: more share the sweeps of a
#: hierarchy, and fewer are searched from in vain. On New York's roads 713 give the ten largest.
_MOST_ROWS = 64


class EccentricityBounds:
    """Bounds of the eccentricities of the vertices of a strongly connected graph.

    Parameters
    ----------
    n : the number of vertices.
    dtype : the type of distances: int64 or float64.
    from_vertex, to_vertex : return the distances from a vertex to all others, and to it from all;
        the same function where both are the same.

    Attributes
    ----------
    low, high : (n,) bounds of eccentricities; equal once a vertex was searched from.
    searched : (n,) bool, the vertices that were searched from.
    """

    def __init__(
        self,
        n: int,
        dtype: np.dtype[Any],
        from_vertex: Callable[[int], Array],
        to_vertex: Callable[[int], Array],
    ) -> None:
        self._from_vertex, self._to_vertex = from_vertex, to_vertex
        whole = dtype.kind == "i"
        self.low = np.zeros(n, dtype)
        self.high = np.full(n, np.iinfo(dtype).max if whole else np.inf, dtype)
        self.searched = np.zeros(n, np.bool_)
        #: Sums of floats are rounded at each edge of a path.
        self._slack = 0.0 if whole else 8.0 * n * float(np.finfo(dtype).eps)

    def search(self, vertex: int) -> tuple[Array, Array]:
        """Search from a vertex and to it, tighten all bounds, and return both rows of distances."""
        after = self._from_vertex(vertex)
        before = after
        if self._to_vertex is not self._from_vertex:
            before = self._to_vertex(vertex)
        own = after.max()
        down, up = 1 - self._slack, 1 + self._slack
        # A difference of rounded numbers may be wrong by the slack of the larger one.
        low = np.maximum(before, own * down - after * up if self._slack else own - after)
        high = before + own
        np.maximum(self.low, low * down if self._slack else low, out=self.low)
        np.minimum(self.high, high * up if self._slack else high, out=self.high)
        self.low[vertex] = self.high[vertex] = own
        self.searched[vertex] = True
        return after, before

    def open_above(self) -> Array:
        """Return the mask of the vertices that may have a larger eccentricity than all known ones.

        Vertices of known eccentricity are never open.
        """
        mask: Array = ~self.searched & (self.high > self.low[self.searched].max(initial=0))
        return mask

    def open_below(self) -> Array:
        """Return the mask of the vertices that may have the least eccentricity."""
        mask: Array = ~self.searched & (self.low <= self.high.min())
        return mask

    def next(self, mask: Array) -> int:
        """Return the open vertex to search from: four of the ends, then the most central ones.

        Ends give lower bounds, and each central vertex a tight upper bound of most others.
        """
        vertices = np.flatnonzero(mask)
        low, high = self.low[vertices], self.high[vertices]
        if np.count_nonzero(self.searched) < _ENDS:
            best = np.flatnonzero(high == high.max())
            return int(vertices[best[np.argmax(low[best])]])
        best = np.flatnonzero(low == low.min())
        return int(vertices[best[np.argmin(high[best])]])


def diameter_of(
    options: Options, graph: Graph, eccentricity: Callable[..., Array], progress: Progress
) -> Any:
    """Return the diameter; see `warpath.diameter`.

    Parameters
    ----------
    eccentricity : returns the eccentricities of vertices, of all for None.
    """
    bounds = _bounded(options, graph, "diameter", progress)
    if bounds is not None:
        largest = bounds.low[bounds.searched].max()
        left = np.flatnonzero(bounds.open_above())
        if not len(left):
            return largest
        others = eccentricity(graph.label_of(left), progress=progress)
        return np.maximum(others.max(), largest)
    every = _all(graph, "diameter", eccentricity, progress)
    endless = np.flatnonzero(every == unreachable(every.dtype))
    if len(endless):
        raise GraphError(_unconnected(graph, "diameter", int(endless[0])))
    return every.max()


def least_of(
    options: Options,
    graph: Graph,
    eccentricity: Callable[..., Array],
    what: str,
    progress: Progress,
) -> tuple[Any, Array]:
    """Return the least eccentricity, and the indices of its vertices in ascending order.

    Parameters
    ----------
    eccentricity : as in `diameter_of`.
    what : "radius" or "center".
    """
    bounds = _bounded(options, graph, what, progress)
    if bounds is None:
        every = _all(graph, what, eccentricity, progress)
        if every.min() == unreachable(every.dtype):
            raise GraphError(_unconnected(graph, what, 0))
        return every.min(), np.flatnonzero(every == every.min())
    vertices, left = np.flatnonzero(bounds.searched), np.flatnonzero(bounds.open_below())
    values = bounds.low[vertices]
    if len(left):
        others = eccentricity(graph.label_of(left), progress=progress)
        vertices, values = np.append(vertices, left), np.append(values, others)
    return values.min(), np.sort(vertices[values == values.min()])


def _bounded(
    options: Options, graph: Graph, what: str, progress: Progress
) -> EccentricityBounds | None:
    """Return bounds after searches from a few vertices; None where bounds do not hold or help."""
    if not _may_be_bounded(options, graph):
        return None

    def searches_in(options: Options, graph: Graph) -> Callable[[int], Array]:
        def search(vertex: int) -> Array:
            source = np.array([vertex])
            question = Question(graph, Task.SSSP, source, None, None, graph.dist_dtype)
            return paths_of(options, question).dist

        return search

    forth = back = searches_in(options, graph)
    if graph.directed and not graph.facts().symmetric:
        back = searches_in(options.for_reversed(graph), graph.reversed())
    bounds = EccentricityBounds(graph.n, graph.dist_dtype, forth, back)
    with watch(progress, what, "searches") as report:
        for turn in range(_MOST_SEARCHED):
            mask = bounds.open_above() if what == "diameter" else bounds.open_below()
            if not mask.any():
                break
            rows = bounds.search(bounds.next(mask))
            if turn == 0 and not _is_connected(graph, what, *rows, one_way=back is not forth):
                return None
            if report is not None:
                report(turn + 1, _MOST_SEARCHED)
    return bounds


def _may_be_bounded(options: Options, graph: Graph) -> bool:
    """Return whether few searches may bound all eccentricities.

    With turns or closed vertices distances do not keep the triangle inequality, and the roundings
    of float32 make bounds loose.
    """
    request = options.request
    return (
        graph.n >= _LEAST_VERTICES
        and request.algorithm == "auto"
        and not request.params
        and not options.on_cluster
        and search_graph(graph) is graph
        and graph.dist_dtype != np.float32
        and not graph.facts(symmetry=False).negative
    )


def _is_connected(graph: Graph, what: str, after: Array, before: Array, *, one_way: bool) -> bool:
    """Return whether all vertices reach one another.

    Raises GraphError if they do not and there is no answer.

    Parameters
    ----------
    after, before : the distances from vertex 0 and to it.
    """
    endless = unreachable(after.dtype)
    if after.max() == endless:
        if what == "diameter" or not one_way:
            raise GraphError(_unconnected(graph, what, 0))
        return False
    missed = np.flatnonzero(before == endless)
    if len(missed) and what == "diameter":
        raise GraphError(_unconnected(graph, what, int(missed[0])))
    return not len(missed)


def _all(graph: Graph, what: str, eccentricity: Callable[..., Array], progress: Progress) -> Array:
    if not graph.n:
        raise GraphError(f"the graph has no vertices, so it has no {what}.")
    return eccentricity(progress=progress)


def _unconnected(graph: Graph, what: str, vertex: int) -> str:
    none = "no vertex reaches" if what != "diameter" else "not every vertex reaches"
    return (
        f"the graph has no {what}, for {none} all others: vertex "
        f"{one_label(graph, vertex)!r} does not. Take a connected part with "
        "graph.subgraph(vertices), or the largest distance to those that are reached with "
        "totals(graph, 'max')."
    )


def most_central(
    options: Options, graph: Graph, k: int, *, improved: bool, progress: Progress
) -> tuple[Array, Array, int]:
    """Return the vertices with the largest closeness, their closeness, and the number of searches.

    Parameters
    ----------
    graph : without turns and closed vertices, whose distances keep the triangle inequality.
    improved : as `wf_improved` of `warpath.centrality.closeness`.
    """
    component = graph.components(strong=True).labels
    options, back = options.on_this_machine(graph), graph
    if graph.directed:
        options, back = options.for_reversed(graph), graph.reversed()
    n, dtype = graph.n, graph.dist_dtype
    expected = Question(back, Task.MANY, np.arange(min(n, 4 * math.isqrt(n))), None, None, dtype)
    options = with_hierarchy_if_faster(back, options, expected.size())
    values = np.full(n, -np.inf)
    slack = 2.0**-50 if dtype.kind == "i" else 8.0 * n * float(np.finfo(dtype).eps)
    rows = max(1, min(_MOST_ROWS, settings.memory() // (32 * max(n, 1))))
    left = np.random.default_rng(0).permutation(n)  # may be among the largest
    ceiling = np.full(n, np.inf)  # of their closeness
    searches = 0
    with watch(progress, "closeness", "vertices") as report:
        while len(left):
            block = left[:rows]
            left, ceiling = left[rows:], ceiling[rows:]
            table = solved_table(options, Question(back, Task.MANY, block, None, None, dtype))
            for vertex, dist in zip(block, table.dist, strict=True):
                reached = dist != unreachable(dtype)
                count = int(np.count_nonzero(reached))
                total = (dist if count == n else dist[reached]).sum()
                values[vertex] = _closeness(total, count, n, improved=improved)
                # The same vertices reach all of a component, and from each of them the way to
                # another vertex of it is at most so much shorter than the way to this one.
                nearer = dist[left].astype(np.float64)
                least = total * (1 - slack) - (1 + slack) * count * nearer
                most = _closeness(least, count, n, improved=improved)
                bounded = (component[left] == component[vertex]) & (least > 0)
                np.minimum(ceiling, most, out=ceiling, where=bounded)
            searches += len(block)
            limit = np.partition(values, n - k)[n - k]
            open_ = ceiling >= limit
            left, ceiling = left[open_], ceiling[open_]
            if report is not None:
                report(n - len(left), n)
    best = np.lexsort((np.arange(n), -values))[:k]
    return best, values[best], searches


def _closeness(total: Array, count: int, n: int, *, improved: bool) -> Array:
    """Return the closeness of vertices that are reached by `count` ones, themselves included."""
    others = float(count - 1)
    share = others / (n - 1) if improved and n > 1 else 1.0
    total = np.asarray(total, np.float64)
    with np.errstate(over="ignore"):
        value = np.divide(others, total, out=np.zeros(total.shape), where=total > 0)
    return value * share
