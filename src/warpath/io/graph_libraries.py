"""Graphs from igraph, rustworkx and graph-tool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import GraphError
from warpath.graph import Graph
from warpath.graph.checks import label_array
from warpath.io.arrays import weight_array

if TYPE_CHECKING:
    from collections.abc import Callable


def from_igraph(data: Any, *, weight: str | None = "weight", labels: str | None = "name") -> Graph:
    """Make a graph from an igraph Graph.

    Parameters
    ----------
    data : the graph, directed or undirected.
    weight : the edge attribute that holds the weight. The default "weight" may be missing, then
        every weight is 1; any other name must exist. None: every weight is 1.
    labels : the vertex attribute with the vertices' names, which must differ. The default "name"
        may be missing, then there are no labels; None: no labels.

    Returns
    -------
    Graph
        Vertices are in igraph's order; coordinates come from the vertex attributes ``x`` and ``y``
        if all vertices have them.

    Raises
    ------
    GraphError, WeightError
        An unknown attribute, a name that occurs twice, or a weight that is not a number.
    """
    if not hasattr(data, "get_edgelist"):
        msg = f"a {type(data).__module__}.{type(data).__qualname__} is not an igraph graph."
        raise GraphError(msg)
    ends = np.array(data.get_edgelist(), np.int64).reshape(-1, 2)
    weights = None
    if _has(data.es, weight, "weight", "edge"):

        def place(at: int) -> str:
            return f"{weight!r} of edge {at} ({ends[at, 0]} -> {ends[at, 1]})"

        weights = weight_array(data.es[weight], place)
    return Graph.from_edges(
        np.ascontiguousarray(ends[:, 0]),
        np.ascontiguousarray(ends[:, 1]),
        weights,
        n=data.vcount(),
        directed=data.is_directed(),
        labels=_labels(data.vs[labels], labels)
        if _has(data.vs, labels, "name", "vertex")
        else None,
        coordinates=_coordinates(data),
        name=data["name"] if "name" in data.attributes() else None,
    )


def _has(sequence: Any, attribute: str | None, default: str, kind: str) -> bool:
    if attribute is None or attribute in sequence.attributes():
        return attribute is not None
    if attribute == default:
        return False
    attributes = ", ".join(sequence.attributes()) or "none"
    msg = f"no {kind} attribute {attribute!r}; there are: {attributes}."
    raise GraphError(msg)


def _coordinates(data: Any) -> Any:
    if not {"x", "y"} <= set(data.vs.attributes()):
        return None
    try:
        return np.column_stack([np.array(data.vs[axis], np.float64) for axis in ("x", "y")])
    except (TypeError, ValueError):
        return None


def from_rustworkx(
    data: Any, *, weight: str | Callable[[Any], float] | None = "auto", **attributes: Any
) -> Graph:
    """Make a graph from a rustworkx PyGraph or PyDiGraph.

    Parameters
    ----------
    data : the graph, directed or undirected.
    weight : rule that gives an edge's weight from its payload. "auto": the payload itself if all
        are numbers, its entry "weight" if all are dictionaries, 1 if no edge has a payload. Another
        string: that entry of a dictionary. A function of the payload, like rustworkx's
        ``weight_fn``. None: every weight is 1.
    **attributes : ``labels``, ``coordinates``, ``first_through``, ``name`` of `Graph`; arrays are
        in the order of ``data.node_indices()``.

    Returns
    -------
    Graph
        Vertices are rustworkx's node indices; if numbers are missing because nodes were removed,
        the node indices become labels.

    Raises
    ------
    GraphError, WeightError
        A payload has no valid weight; the message names the edge.

    Notes
    -----
    O(n + m) Python objects are visited.
    """
    if not hasattr(data, "weighted_edge_list"):
        msg = (
            f"a {type(data).__module__}.{type(data).__qualname__} is not a rustworkx graph: use a "
            "PyGraph or PyDiGraph."
        )
        raise GraphError(msg)
    edges = list(data.weighted_edge_list())
    ends = np.array([(u, v) for u, v, _ in edges], np.int64).reshape(-1, 2)
    nodes = np.array(data.node_indices(), np.int64)
    n = len(nodes)
    if n and nodes[-1] != n - 1:  # ascending: numbers of removed nodes are missing
        ends = np.searchsorted(nodes, ends)
        attributes.setdefault("labels", nodes)
    return Graph.from_edges(
        np.ascontiguousarray(ends[:, 0]),
        np.ascontiguousarray(ends[:, 1]),
        _weights(edges, weight),
        n=n,
        directed=hasattr(data, "predecessors"),  # a PyGraph has no predecessors
        **attributes,
    )


def _weights(edges: list[tuple[int, int, Any]], weight: str | Callable[[Any], float] | None) -> Any:
    payloads = [payload for _, _, payload in edges]

    def place(at: int) -> str:
        u, v, _ = edges[at]
        return f"the weight of edge {at} ({u} -> {v})"

    if weight is None or not edges:
        return None
    if callable(weight):
        return weight_array([weight(payload) for payload in payloads], place)
    if weight == "auto" and all(payload is None for payload in payloads):
        return None
    if weight == "auto" and not all(isinstance(payload, dict) for payload in payloads):
        return weight_array(payloads, place)
    key = "weight" if weight == "auto" else weight
    for at, payload in enumerate(payloads):
        if not isinstance(payload, dict) or key not in payload:
            u, v, _ = edges[at]
            msg = (
                f"edge {at} ({u} -> {v}) has the payload {str(payload)[:60]}, which has no "
                f"{key!r}: name another entry with weight=, or give a function of the payload."
            )
            raise GraphError(msg)
    return weight_array([payload[key] for payload in payloads], place)


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
        labels=None
        if named is None
        else _labels([named[v] for v in range(n)], labels if isinstance(labels, str) else "labels"),
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


def _labels(names: list[Any], attribute: str | None) -> Any:
    index_of: dict[Any, int] = {}
    for at, name in enumerate(names):
        first = index_of.setdefault(name, at)
        if first != at:
            msg = (
                f"vertices {first} and {at} both have {attribute} = {name!r}: names must differ. "
                "labels=None numbers the vertices instead."
            )
            raise GraphError(msg)
    return label_array(names)
