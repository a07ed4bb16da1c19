"""One shortest path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.api.auto_prepare import decided
from warpath.api.folded import as_ends, folded_route, needs_links
from warpath.api.run import run_plan, with_own_names
from warpath.engines.base import Problem
from warpath.graph.arguments import one_index
from warpath.graph.edge_geometry import leg_weights
from warpath.graph.places import noted, snapped_together
from warpath.graph.turns import edges_of_turns, ends_of_turns, expanded
from warpath.graph.zones import arrivals, home_path
from warpath.planner.cpu_model import Size
from warpath.recipes import Task
from warpath.results.predecessors import no_path
from warpath.results.route import Route

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.api.options import Options
    from warpath.api.run import Progress
    from warpath.graph import Graph
    from warpath.planner.plan import Plan


def route_of(graph: Graph, options: Options, source: Any, target: Any, progress: Progress) -> Route:
    """Return one shortest path; see `warpath.path`."""
    source, target = snapped_together(graph, source=source, target=target)
    s, t = one_index(graph, source, "source"), one_index(graph, target, "target")
    if needs_links(source, target):
        ends = as_ends(graph, source, "source"), as_ends(graph, target, "target")
        return noted(folded_route(graph, options, ends, progress), source, target)
    inner = expanded(graph)
    options = options if inner is graph else options.for_graph(inner)
    chosen = with_own_names(decided(inner, options).plan(Size(Task.PATH), inner), inner, graph)
    if s == t:
        route = Route(graph, np.array([s]), graph.dist_dtype.type(0).item(), chosen)
        return noted(route, source, target)
    targets = ends_of_turns(graph, np.array([t]))
    problem = Problem(Task.PATH, np.array([s]), arrivals(inner, targets))
    raw, _ = run_plan(inner, chosen, problem, progress=progress)
    if len(raw.vertices) == 0:
        raise no_path(graph, s, t)
    vertices = home_path(inner, raw.vertices)
    make = Route if graph.turns is None else _turned
    return noted(make(graph, vertices, raw.dist.item(), chosen), source, target)


def _turned(graph: Graph, path: NDArray[np.int64], length: Any, plan: Plan) -> Route:
    """Return the route of a path in the expanded graph."""
    edges = edges_of_turns(graph, path)
    indices = np.concatenate([path[:1], graph.indices[edges]])
    weights = leg_weights(expanded(graph), path[:-2], path[1:-1])  # with the costs of turns
    return Route(graph, indices, length, plan, edges=edges, weights=weights)
