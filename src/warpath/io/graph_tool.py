"""Graphs from graph-tool."""

from __future__ import annotations

from typing import Any

import numpy as np

from warpath.base.errors import GraphError
from warpath.graph import Graph
from warpath.graph.checks import label_array


def from_graph_tool(data: Any, *, weight: Any = "weight", labels: Any = None) -> Graph:
    """Make a graph from a graph-tool Graph.

    Parameters
    ----------
    data : the graph, directed or undirected. A GraphView is refused, because its vertices keep the
        numbers of the whole graph: copy it by ``Graph(view, prune=True)``.
    weight : an edge property map, or the name of an internal one. The default "weight" may be
        missing, then every weight is 1; any other name must exist. None: every weight is 1.
    labels : a vertex property map with the vertices' names, which must differ, or the name of an
        internal one; None: no labels.

    Returns
    -------
    Graph
        Vertices are in graph-tool's order; coordinates come from the internal vertex property map
        ``pos``.

    Raises
    ------
    GraphError, WeightError
        An unknown property map, a name that occurs twice, or weights that are not numbers.
    """
    if not hasattr(data, "edge_properties"):
        msg = f"a {type(data).__module__}.{type(data).__qualname__} is not a graph-tool graph."
        raise GraphError(msg)
    if type(data).__name__ == "GraphView":
        msg = "a GraphView keeps the numbers of its graph: give graph_tool.Graph(view, prune=True)."
        raise GraphError(msg)
    n = data.num_vertices()
    edges = np.asarray(data.get_edges([data.edge_index]), np.int64).reshape(-1, 3)
    values = _map(data.edge_properties, weight, "weight", "edge")
    named = _map(data.vertex_properties, labels, None, "vertex")
    points = data.vertex_properties.get("pos")
    return Graph.from_edges(
        np.ascontiguousarray(edges[:, 0]),
        np.ascontiguousarray(edges[:, 1]),
        None if values is None else np.asarray(_scalars(values))[edges[:, 2]],
        n=n,
        directed=data.is_directed(),
        labels=None if named is None else _names([named[v] for v in range(n)]),
        coordinates=None if points is None else np.array([list(points[v])[:2] for v in range(n)]),
    )


def _map(maps: Any, chosen: Any, default: str | None, kind: str) -> Any:
    if chosen is None or not isinstance(chosen, str):
        return chosen
    if chosen in maps:
        return maps[chosen]
    if chosen == default:
        return None
    listed = ", ".join(map(repr, maps)) or "none"
    raise GraphError(f"no {kind} property map {chosen!r}; there are: {listed}.")


def _scalars(values: Any) -> Any:
    if values.a is None:
        msg = f"an edge property map of type {values.value_type()!r} has no weights: use numbers."
        raise GraphError(msg)
    return values.a


def _names(names: list[Any]) -> Any:
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise GraphError(f"two vertices are called {twice!r}: names must differ.")
    return label_array(names)
