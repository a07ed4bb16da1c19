"""Tables of distances: plan them with the place where they go, and fill them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warpath.api.auto_prepare import decided
from warpath.api.table import place_of, solved_table
from warpath.api.turned import turned_table
from warpath.planner.cpu_model import Size

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.api.options import Options
    from warpath.api.run import Progress
    from warpath.api.table_request import TableRequest
    from warpath.engines.base import Problem
    from warpath.graph import Graph
    from warpath.results.distance_table import DistanceTable
    from warpath.results.route import Route


def table_of(
    graph: Graph,
    options: Options,
    problem: Problem,
    request: TableRequest,
    progress: Progress,
    find_route: Callable[[Any, Any], Route],
) -> DistanceTable:
    """Return a table of distances; see `warpath.distances` and `warpath.apsp`.

    Parameters
    ----------
    find_route : returns a route from a source to a target.
    """
    if graph.turns is not None:
        return turned_table(graph, options, problem, request, progress, find_route)
    width = graph.n if problem.targets is None else len(problem.targets)
    place = place_of(graph, problem, request)
    size = Size(problem.task, len(problem.sources), width, request.dtype.itemsize, place)
    return solved_table(graph, problem, size, decided(graph, options, size), request, progress)
