"""Tables of graphs with turns, which are solved in the expanded graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.api.run import with_own_names
from warpath.api.table import place_of, solved_table
from warpath.engines.base import Problem
from warpath.graph.turns import ends_of_turns, expanded, refuse_turns
from warpath.planner.cpu_model import Size
from warpath.recipes import Task
from warpath.results.distance_table import DistanceTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.api.options import Options
    from warpath.api.run import Progress
    from warpath.api.table_request import TableRequest
    from warpath.graph import Graph
    from warpath.results.route import Route


def turned_table(
    graph: Graph,
    options: Options,
    problem: Problem,
    request: TableRequest,
    progress: Progress,
    find_route: Callable[[Any, Any], Route],
) -> DistanceTable:
    """Return a table of distances between the vertices of a graph with turns.

    Parameters
    ----------
    problem : rows and columns in the graph's own indices.
    find_route : returns a route from a source to a target.

    Raises
    ------
    NotSupportedError
        If predecessors are requested: the vertex before the target depends on the turn there.
    """
    if request.predecessors:
        refuse_turns(graph, "predecessors=True")
    inner, rows = expanded(graph), problem.sources
    columns = np.arange(graph.n) if problem.targets is None else problem.targets
    within = Problem(Task.MANY, rows, ends_of_turns(graph, columns), problem.cutoff)
    place = place_of(inner, within, request)
    size = Size(Task.MANY, len(rows), len(columns), request.dtype.itemsize, place)
    found = solved_table(inner, within, size, options.for_graph(inner), request, progress)
    return DistanceTable(
        graph,
        rows,
        columns,
        found.dist,
        cutoff=found.cutoff,
        plan=with_own_names(found.plan, inner, graph),
        stats=found.stats,
        trace=found.trace,
        reassociated=found.reassociated,
        find_route=find_route,
    )
