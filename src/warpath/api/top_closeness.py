"""The vertices with the largest closeness, without a search from every vertex.

A search bounds the closeness of all other vertices by the triangle inequality, and those that
cannot be among the largest are left out: on New York's roads 713 of 264,346 vertices are searched
from for the ten most central ones.

Source: Newling, Fleuret, "A sub-quadratic exact medoid algorithm", 2017.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from warpath.api.prepared import with_hierarchy_if_faster
from warpath.api.question import Question
from warpath.api.table import solved_table
from warpath.base import settings
from warpath.base.dtypes import unreachable
from warpath.base.progress import watch
from warpath.recipes import Task

if TYPE_CHECKING:
    from warpath.api.options import Options
    from warpath.api.question import Progress
    from warpath.base.dtypes import Array
    from warpath.graph import Graph

#: Vertices that are searched from at the same time: more share the sweeps of a hierarchy, and fewer
#: are searched from in vain.
_MOST_ROWS = 64


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
