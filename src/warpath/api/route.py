"""One shortest path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.api.auto_prepare import decided
from warpath.api.run import run_plan
from warpath.engines.base import Problem
from warpath.graph.arguments import one_index
from warpath.graph.places import noted, snapped
from warpath.graph.zones import arrivals
from warpath.planner.cpu_model import Size
from warpath.recipes import Task
from warpath.results.predecessors import no_path
from warpath.results.route import Route

if TYPE_CHECKING:
    from warpath.api.options import Options
    from warpath.api.run import Progress
    from warpath.graph import Graph


def route_of(graph: Graph, options: Options, source: Any, target: Any, progress: Progress) -> Route:
    """Return one shortest path; see `warpath.path`."""
    source, target = snapped(graph, source), snapped(graph, target)
    s, t = one_index(graph, source, "source"), one_index(graph, target, "target")
    chosen = decided(graph, options).plan(Size(Task.PATH), graph)
    if s == t:
        route = Route(graph, np.array([s]), graph.dist_dtype.type(0).item(), chosen)
        return noted(route, source, target)
    problem = Problem(Task.PATH, np.array([s]), arrivals(graph, np.array([t])))
    raw, _ = run_plan(graph, chosen, problem, progress=progress)
    if len(raw.vertices) == 0:
        raise no_path(graph, s, t)
    raw.vertices[-1] = t
    return noted(Route(graph, raw.vertices, raw.dist.item(), chosen), source, target)
