"""Graphs from NetworkX, of all four classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import GraphError
from warpath.graph import Graph
from warpath.graph.checks import label_array
from warpath.io.arrays import weight_array
from warpath.io.osm_tags import ATTRIBUTION

if TYPE_CHECKING:
    from collections.abc import Callable


def from_networkx(data: Any, *, weight: str | None = "auto") -> Graph:
    """Make a graph from a NetworkX Graph, DiGraph, MultiGraph or MultiDiGraph.

    Parameters
    ----------
    data : the graph, directed or undirected.
    weight : the edge attribute that holds the weight; an edge without it has weight 1, as in
        NetworkX. A name other than "weight" that no edge has is refused. None: every weight is 1.
        "auto": "weight"; a graph without it whose edges have a length, distance, cost or time, as
        those of OSMnx, is refused, because NetworkX would count its edges.

    Returns
    -------
    Graph
        Vertices are in the order of ``data.nodes``; the node objects are its labels unless they are
        the integers 0 .. n - 1 in order. Coordinates come from the node attributes ``x`` and ``y``,
        or ``pos``, if every node has them. In that case the shapes of edges come from the edge
        attribute ``geometry``, as in OSMnx (a shapely LineString in either direction). Weights are
        int64 if all are integers, else float64; the graph is unweighted if no edge has a weight.

    Raises
    ------
    GraphError, WeightError
        A weight is not a number; the message names the edge.

    Notes
    -----
    O(n + m) Python objects are visited.
    """
    if not hasattr(data, "is_multigraph"):
        msg = f"a {type(data).__module__}.{type(data).__qualname__} is not a NetworkX graph."
        raise GraphError(msg)
    names = list(data.nodes)
    index_of = {name: at for at, name in enumerate(names)}
    edges = list(data.edges(data=True))
    ends = np.array([(index_of[u], index_of[v]) for u, v, _ in edges], np.int64).reshape(-1, 2)
    numbered = all(type(name) is int and name == at for at, name in enumerate(names))
    src, dst = np.ascontiguousarray(ends[:, 0]), np.ascontiguousarray(ends[:, 1])
    if weight == "auto":
        _refuse_forgotten_weights(edges)
        weight = "weight"
    weights = None if weight is None else _weights(edges, weight)
    points = _coordinates([attributes for _, attributes in data.nodes(data=True)])
    graph = Graph.from_edges(
        src,
        dst,
        weights,
        n=len(names),
        directed=data.is_directed(),
        labels=None if numbered else label_array(names),
        coordinates=points,
        name=data.graph.get("name") or None,
        **_of_osmnx(data, weight),
    )
    nodes = [attributes for _, attributes in data.nodes(data=True)]
    placed = sum("pos" in node or ("x" in node and "y" in node) for node in nodes)
    if points is None and placed:
        report = "nodes without valid x and y or pos, so that no vertex has coordinates"
        graph.read_report[report] = len(nodes) - placed
    if points is None or not any("geometry" in attributes for _, _, attributes in edges):
        return graph
    from warpath.io.geopandas import with_shapes

    lines = [attributes.get("geometry") for _, _, attributes in edges]
    return with_shapes(graph, (src, dst), weights, lines, data.graph.get("crs"))


def _of_osmnx(data: Any, weight: str | None) -> dict[str, Any]:
    """Return the unit of the weights and the attribution of a graph that OSMnx made, else none."""
    if not str(data.graph.get("created_with", "")).startswith("OSMnx"):
        return {}
    units = {"length": "m", "travel_time": "s"}
    return {"unit": units.get(weight or ""), "attribution": ATTRIBUTION}


#: Attributes that measure an edge.
_MEASURES = frozenset({"length", "distance", "cost", "time", "travel_time"})


def _refuse_forgotten_weights(edges: list[tuple[Any, Any, dict[str, Any]]]) -> None:
    """Raise GraphError if no edge has a weight, but edges have another measure."""
    attribute_names = {name for _, _, attributes in edges for name in attributes}
    measures = sorted(attribute_names & _MEASURES)
    if measures and "weight" not in attribute_names:
        msg = (
            f"no edge has the attribute 'weight', but edges have {', '.join(measures)}: choose "
            f"with weight={measures[0]!r}, or weight=None for 1 on every edge."
        )
        raise GraphError(msg)


def _weights(edges: list[tuple[Any, Any, dict[str, Any]]], weight: str) -> Any:
    if not any(weight in attributes for _, _, attributes in edges):
        if weight == "weight" or not edges:
            return None
        attribute_names = sorted({str(name) for _, _, attributes in edges for name in attributes})
        names = ", ".join(attribute_names) or "none"
        msg = f"no edge has the attribute {weight!r}; there are: {names}."
        raise GraphError(msg)

    def place(at: int) -> str:
        u, v, _ = edges[at]
        return f"{weight!r} of the edge {u!r} -> {v!r}"

    return weight_array([attributes.get(weight, 1) for _, _, attributes in edges], place)


def _coordinates(nodes: list[dict[str, Any]]) -> Any:
    picks: tuple[Callable[[dict[str, Any]], Any], ...] = (
        lambda node: (node["x"], node["y"]),
        lambda node: tuple(node["pos"]),
    )
    for pick in picks:
        try:
            points = np.array([pick(node) for node in nodes], np.float64)
        except (KeyError, TypeError, ValueError):
            continue
        if points.ndim == 2 and points.shape[1] == 2:
            return points
    return None
