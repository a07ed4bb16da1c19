"""Diameter, radius and center: by bounds from a few searches, and totals of the vertices left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.api.question import Question
from warpath.api.run import paths_of
from warpath.base.dtypes import unreachable
from warpath.base.errors import GraphError
from warpath.base.progress import watch
from warpath.engines.eccentricity_bounds import EccentricityBounds
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
        largest = bounds.low[bounds.known].max()
        left = np.flatnonzero(bounds.open_above())
        if not len(left):
            return largest
        found = eccentricity(graph.label_of(left), progress=progress)
        return np.maximum(found.max(), largest)
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
    vertices, left = np.flatnonzero(bounds.known), np.flatnonzero(bounds.open_below())
    values = bounds.low[vertices]
    if len(left):
        found = eccentricity(graph.label_of(left), progress=progress)
        vertices, values = np.append(vertices, left), np.append(values, found)
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
