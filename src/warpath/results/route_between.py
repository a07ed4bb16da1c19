"""Routes between entries of a call, some of which are points along edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpath.graph.edge_geometry import leg_weights, lightest
from warpath.graph.places import Snapped
from warpath.graph.search_vertices import Expanded, originals
from warpath.graph.solvable import SolvableGraph, search_graph
from warpath.graph.turns import last_edges
from warpath.graph.zones import home_path
from warpath.results.route import Route

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.graph.links import Links
    from warpath.graph.point_sources import PointSources
    from warpath.results.run_plan import RunPlan


def route_of_path(graph: Graph, path: Array, length: float, plan: RunPlan | None) -> Route:
    """Return the route of a path in the graph that is searched."""
    vertices, parts = SolvableGraph(graph).path(path)
    return Route(graph, vertices, length, plan, **parts)


def route_from(points: PointSources, path: Array, length: float, plan: RunPlan | None) -> Route:
    """Return the route of a path from a point along an edge.

    Parameters
    ----------
    path : the path in ``points.searched``.
    """
    graph = points.graph
    row = np.flatnonzero(points.vertices == path[0])[:1]
    link, none = points.link(int(row[0]), int(path[1])), points.links.of(slice(0, 0))
    ends = points.ends.part(row), Snapped.of(originals(graph, path[-1:]), (None,))
    return route_between(graph, ends, (path[1:], link, none), length, plan)


def route_between(
    graph: Graph,
    ends: tuple[Snapped, Snapped],
    best: tuple[NDArray[np.int64], Links, Links] | None,
    length: float,
    plan: RunPlan | None,
) -> Route:
    """Return the route of a path between two entries.

    Parameters
    ----------
    best : the path in the graph that is searched, and the links before and after it; None where
        the entries are joined directly.
    """
    start, end = ends
    first, last = start.fractions[0], end.fractions[0]  # from the tail of `along`
    if best is None:
        forward = last >= first
        edges = (start.along if forward else start.back)[(start.along >= 0) & (first != last)]
        shares = np.array([[first, last] if forward else [1 - first, 1 - last]])[: len(edges)]
        vertices = start.indices[start.along < 0]
        weights = np.full(len(edges), length, graph.dist_dtype)
    else:
        path, before, after = best
        before, after = (links.taken(links.edges >= 0) for links in (before, after))
        if graph.turns is None:
            vertices = home_path(graph, path)
            inner = lightest(graph, vertices[:-1], vertices[1:])
            legs = leg_weights(graph, vertices[:-1], vertices[1:])
        else:
            is_edge = Expanded.of(graph).have_state(path[1:])
            inner = last_edges(graph, path[1:][is_edge])
            heads = graph.indices[np.concatenate([before.edges, inner])]
            vertices = np.concatenate([start.indices[start.along < 0], heads]).astype(np.int64)
            legs = leg_weights(search_graph(graph), path[:-1], path[1:])[is_edge]  # with turn costs
        edges = np.concatenate([before.edges, inner, after.edges])
        weights = np.concatenate([before.offsets, legs.astype(graph.dist_dtype), after.offsets])
        shares = np.tile((0.0, 1.0), (len(edges), 1))
        if len(before.edges):
            shares[0, 0] = first if before.edges[0] == start.along[0] else 1 - first
        if len(after.edges):
            shares[-1, 1] = last if after.edges[0] == end.along[0] else 1 - last
    inside = [end.along[0] >= 0 for end in ends]
    if best is None and not len(edges):
        inside[1] = False  # a route of one point
    return Route(
        graph,
        vertices,
        length,
        plan,
        edges=edges.astype(np.int64),
        weights=weights,
        shares=shares,
        places=tuple(end.given[0] if at else None for end, at in zip(ends, inside, strict=True)),
        points=tuple(end.points[0] if at else None for end, at in zip(ends, inside, strict=True)),
    )
