"""The edges of routes between entries of which some are points along edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpath.api.along import for_routes
from warpath.engines import hierarchy
from warpath.graph.links import arriving, between, leaving, pairs_of_links, plus_links
from warpath.recipes import Task

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from numpy.typing import NDArray

    from warpath.api.along import Routes
    from warpath.api.options import Options
    from warpath.api.question import Question
    from warpath.base.dtypes import Array
    from warpath.graph.links import Links
    from warpath.graph.places import Snapped

    SolvePairs = Callable[[Options, Question], tuple[Array, Any, dict[str, Any]]]


class LinkedRoutes:
    """The search for routes between entries, each by the links of its shortest path.

    The links are those that `warpath.path` takes: of equally short paths the one joined directly,
    else the one with the shortest links, else the first.

    Parameters
    ----------
    solve : returns the distances of trips between vertices, the plan and counters.
    """

    def __init__(
        self, options: Options, question: Question, routes: Routes, solve: SolvePairs
    ) -> None:
        self._graph = question.graph
        self._routes = routes
        self._solve = solve
        self._inner = inner = question.view.inner
        options = for_routes(options, inner)
        if options.request.prepared and not hierarchy.sums_are_exact(inner):
            options = options.but(inner, prepared=False)  # rounded sums may choose other links
        self._options = options
        self._question = question

    def edges(
        self, start: Snapped, end: Snapped
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
        """Return the edges of routes, (e,), their shares, (e, 2), and how many each has: (k,).

        Parameters
        ----------
        start, end : k entries each, between which there are paths.
        """
        graph, k = self._graph, len(start.indices)
        trip, first, last = pairs_of_links(leaving(graph, start), arriving(graph, end), k)
        total = self._totals(first, last)
        order = np.lexsort((first.offsets + last.offsets, total, trip))
        at = order[np.unique(trip[order], return_index=True)[1]]  # the best links of each trip
        both = np.arange(k)
        direct = between(graph, start, end, both, both)
        directly = np.ones(k, np.bool_)
        directly[trip[at]] = direct[trip[at]] <= total[at]
        at = at[~directly[trip[at]]]
        before, after = first.taken(at), last.taken(at)
        inner, counts_of_inner = self._routes.edges_in_searched(before.vertices, after.vertices)

        linked, alone = trip[at], np.flatnonzero(directly)
        forward = end.fractions >= start.fractions
        own = np.where(forward, start.along, start.back)
        has_before, has_after = before.edges >= 0, after.edges >= 0
        counts = np.zeros(k, np.int64)
        counts[linked] = has_before + counts_of_inner + has_after
        counts[alone] = ((start.along >= 0) & (start.fractions != end.fractions))[alone]
        alone = alone[counts[alone] > 0]

        begins = np.cumsum(counts) - counts
        edges = np.empty(counts.sum(), np.int64)
        shares = np.tile((0.0, 1.0), (len(edges), 1))
        edges[begins[alone]] = own[alone]
        for column, entries in enumerate((start, end)):
            turned = np.where(forward, entries.fractions, 1 - entries.fractions)
            shares[begins[alone], column] = turned[alone]
        within = np.arange(len(inner)) - np.repeat(
            np.cumsum(counts_of_inner) - counts_of_inner, counts_of_inner
        )
        edges[np.repeat(begins[linked] + has_before, counts_of_inner) + within] = inner
        ends = (
            (start, before, has_before, begins[linked]),
            (end, after, has_after, (begins + counts)[linked] - 1),
        )
        for column, (entries, links, has, positions) in enumerate(ends):
            rows = linked[has]
            ahead = links.edges[has] == entries.along[rows]
            edges[positions[has]] = links.edges[has]
            fractions = entries.fractions[rows]
            shares[positions[has], column] = np.where(ahead, fractions, 1 - fractions)
        return edges, shares, counts

    def _totals(self, first: Links, last: Links) -> Array:
        """Return the lengths of the shortest paths over links, each summed in its order."""
        part = self._question.but(
            graph=self._inner,
            task=Task.PAIRS,
            sources=first.vertices,
            targets=last.vertices,
            cutoff=None,
            dtype=self._graph.dist_dtype,
            out=None,
            predecessors=False,
            trace=False,
            progress=None,
            entries=None,
        )
        dist = self._solve(self._options, part)[0]
        return plus_links(plus_links(dist, first.offsets), last.offsets)
