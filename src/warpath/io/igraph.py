"""Graphs from igraph."""

from __future__ import annotations

from typing import Any

import numpy as np

from warpath.base.errors import GraphError
from warpath.graph import Graph
from warpath.graph.checks import label_array
from warpath.io.arrays import weight_array


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


def _coordinates(data: Any) -> Any:
    if not {"x", "y"} <= set(data.vs.attributes()):
        return None
    try:
        return np.column_stack([np.array(data.vs[axis], np.float64) for axis in ("x", "y")])
    except (TypeError, ValueError):
        return None
