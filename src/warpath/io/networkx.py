"""Graphs from and to NetworkX, of all four classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import GraphError, InputError, require
from warpath.graph import Graph
from warpath.graph.checks import checked_bool, checked_kind, is_missing, label_array
from warpath.graph.edge_geometry import linestrings
from warpath.graph.export import refuse_closed
from warpath.graph.input_edges import InputEdges
from warpath.graph.turns import refuse_turns
from warpath.io.arrays import weight_array
from warpath.io.metadata import KEY, kept_columns_of, metadata_of, parsed, restored
from warpath.io.osm_tags import ATTRIBUTION

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def from_networkx(
    data: Any, *, weight: str | None = "auto", attributes: str | Sequence[str] | None = None
) -> Graph:
    """Make a graph from a NetworkX Graph, DiGraph, MultiGraph or MultiDiGraph.

    Parameters
    ----------
    data : the graph, directed or undirected.
    weight : the edge attribute that holds the weight; an edge without it has weight 1, as in
        NetworkX. A name other than "weight" that no edge has is refused. None: every weight is 1.
        "auto": "weight"; a graph without it whose edges have a length, distance, cost or time, as
        those of OSMnx, is refused, because NetworkX would count its edges.
    attributes : names of edge attributes that the graph keeps as columns, see
        `Graph.edge_table`; "all": every one; None: those of a graph of `Graph.to_networkx`,
        else none. "key" are the keys of a multigraph's edges. Lists, as in OSMnx's simplified
        graphs, become texts with ";" in between; a missing number is NaN, a missing text empty.

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
    metadata = None if KEY not in data.graph else parsed(data.graph[KEY])
    options = {"weight": weight, "directed": None}
    if attributes is None and metadata is not None:
        attributes = list(metadata.columns) or None
    names = list(data.nodes)
    index_of = {name: at for at, name in enumerate(names)}
    edges = list(data.edges(data=True))
    ends = np.array([(index_of[u], index_of[v]) for u, v, _ in edges], np.int64).reshape(-1, 2)
    numbered = all(type(name) is int and name == at for at, name in enumerate(names))
    src, dst = np.ascontiguousarray(ends[:, 0]), np.ascontiguousarray(ends[:, 1])
    if weight == "auto":
        if metadata is None or metadata.weights is not None:
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
        keep_rows=attributes is not None,
        **_of_osmnx(data, weight),
    )
    columns = _columns(data, edges, weight, attributes)
    if graph.given is not None:
        units = {name: _UNITS[name] for name in columns if _is_of_osmnx(data) and name in _UNITS}
        rows = InputEdges(graph.given.rows, len(edges), columns, units)
        graph.given = rows if columns else None
    nodes = [attributes for _, attributes in data.nodes(data=True)]
    placed = sum("pos" in node or ("x" in node and "y" in node) for node in nodes)
    if points is None and placed:
        report = "nodes without valid x and y or pos, so that no vertex has coordinates"
        graph.read_report[report] = len(nodes) - placed
    if points is not None and any("geometry" in attributes for _, _, attributes in edges):
        from warpath.io.geopandas import with_shapes

        lines = [attributes.get("geometry") for _, _, attributes in edges]
        graph = with_shapes(graph, (src, dst), weights, lines, data.graph.get("crs"))
    return graph if metadata is None else restored(graph, metadata, options)


def _columns(
    data: Any,
    edges: list[tuple[Any, Any, dict[str, Any]]],
    weight: str | None,
    attributes: str | Sequence[str] | None,
) -> dict[str, Any]:
    """Return attributes of edges as columns, (edges,) each."""
    if attributes is None:
        return {}
    every = dict.fromkeys(name for _, _, values in edges for name in values)
    by_key = data.is_multigraph() and "key" not in every
    if by_key:
        every["key"] = None
    if attributes == "all":
        chosen = [name for name in every if name != "geometry" and (name, weight) != _BOTH]
    else:
        chosen = [attributes] if isinstance(attributes, str) else list(attributes)
    columns = {}
    for name in chosen:
        if name not in every and edges:
            listed = ", ".join(sorted(map(repr, every))) or "none"
            raise GraphError(f"no edge has the attribute {name!r}; there are: {listed}.")
        if name == "key" and by_key:
            values = [key for _, _, key in data.edges(keys=True)]
        else:
            values = [attributes.get(name) for _, _, attributes in edges]
        columns[str(name)] = _column(values)
    return columns


#: The attribute that is no column, as `Graph.to_networkx` writes it from the weights.
_BOTH = ("weight", "weight")


def _column(values: list[Any]) -> Any:
    """Return values as numbers if all are, else as texts; missing ones are NaN or empty."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool} and None not in values:
        return np.array(values)
    if kinds and kinds <= {int, float}:
        numbers = np.array([np.nan if value is None else value for value in values])
        if numbers.dtype != object:  # integers of more than 64 bits
            return numbers
    texts = [
        ";".join(map(str, value)) if isinstance(value, list | tuple | set) else value
        for value in values
    ]
    return np.array(["" if is_missing(text) else str(text) for text in texts], np.str_)


def to_networkx(graph: Graph, *, geometry: bool = False, multigraph: bool | None = None) -> Any:
    """Return a NetworkX graph of the class that fits; see `Graph.to_networkx`."""
    refuse_turns(graph, "to_networkx")
    refuse_closed(graph, "to_networkx")
    checked_bool(geometry, "geometry")
    networkx = require("networkx", what="Graph.to_networkx")
    src, dst, weights = graph.edges()
    once = np.arange(graph.m) if graph.directed else np.flatnonzero(src <= dst)
    src, dst, weights = src[once], dst[once], weights[once]
    pairs = src.astype(np.int64) * max(graph.n, 1) + dst
    parallel = len(np.unique(pairs)) < len(pairs)
    if checked_kind(multigraph, bool, "multigraph") is False and parallel:
        msg = "multigraph=False: the graph has parallel edges, which only a multigraph holds."
        raise InputError(msg)
    parallel = parallel or multigraph is True
    kind = {
        (True, False): networkx.DiGraph,
        (True, True): networkx.MultiDiGraph,
        (False, False): networkx.Graph,
        (False, True): networkx.MultiGraph,
    }[graph.directed, parallel]
    result = kind(name=graph.name) if graph.name else kind()
    names = graph.label_of(np.arange(graph.n)).tolist()
    if None in names:
        raise InputError(
            f"vertex {names.index(None)} has the label None, which NetworkX takes for no node: "
            "give the graph other labels."
        )
    result.add_nodes_from(names)
    if graph.coordinates is not None:
        for axis, places in zip("xy", graph.coordinates.T.tolist(), strict=True):
            networkx.set_node_attributes(result, dict(zip(names, places, strict=True)), axis)
    metadata = metadata_of(graph, ("weight", "geometry"))
    columns = kept_columns_of(graph, metadata, once)
    if graph.weights is not None:
        columns["weight"] = weights
    numbered = columns.pop("key") if parallel and _are_keys(columns, pairs) else None
    attributes = [*columns]
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    values = [dict(zip(attributes, row, strict=True)) for row in rows] or [{} for _ in once]
    if geometry and graph.shapes is not None:
        shapely = require("shapely", extra="geo", what="Graph.to_networkx(geometry=True)")
        bent = np.flatnonzero(np.diff(graph.shapes.indptr)[once] > 0)
        for at, line in zip(bent.tolist(), linestrings(shapely, graph, once[bent]), strict=True):
            values[at]["geometry"] = line
        result.graph["crs"] = graph.shapes.crs
    tails, heads = graph.label_of(src).tolist(), graph.label_of(dst).tolist()
    keys = () if numbered is None else (numbered.tolist(),)
    result.add_edges_from(zip(tails, heads, *keys, values, strict=True))
    result.graph[KEY] = metadata.to_json()
    return result


def _are_keys(columns: dict[str, Any], pairs: Any) -> bool:
    """Return whether a column ``key`` tells parallel edges apart, as a multigraph needs it."""
    if "key" not in columns or columns["key"].dtype.kind not in "iU":
        return False
    return len({*zip(pairs.tolist(), columns["key"].tolist(), strict=True)}) == len(pairs)


def _of_osmnx(data: Any, weight: str | None) -> dict[str, Any]:
    """Return the unit of the weights and the attribution of a graph that OSMnx made, else none."""
    if not _is_of_osmnx(data):
        return {}
    return {"unit": _UNITS.get(weight or ""), "attribution": ATTRIBUTION}


def _is_of_osmnx(data: Any) -> bool:
    return str(data.graph.get("created_with", "")).startswith("OSMnx")


#: The units of attributes of OSMnx.
_UNITS = {"length": "m", "travel_time": "s"}


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
