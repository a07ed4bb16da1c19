"""Graphs from rustworkx, directed and undirected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import GraphError
from warpath.graph import Graph
from warpath.io.arrays import weight_array

if TYPE_CHECKING:
    from collections.abc import Callable


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
