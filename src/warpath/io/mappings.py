"""Graphs from dictionaries: the weights of pairs, or the neighbours of each vertex."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from warpath.base.errors import GraphError
from warpath.graph.checks import is_integer, label_array, shown
from warpath.io.arrays import from_edges

if TYPE_CHECKING:
    from warpath.graph import Graph


def from_mapping(
    data: Mapping[Any, Any], *, n: int | None = None, directed: bool = True, **attributes: Any
) -> Graph:
    """Make a graph from a dictionary of edges.

    Parameters
    ----------
    data : ``{u: {v: weight}}``, ``{u: [v, ...]}`` for an unweighted graph, or
        ``{(u, v): weight}``. The values show which. Vertices of the first two need not have edges.
    n, directed, **attributes : as for a list of edges, `warpath.io.arrays.from_edges`.

    Raises
    ------
    GraphError, WeightError
        A key or a value is of another kind; the message quotes it.

    Notes
    -----
    O(m). An edge that a dictionary lists once in each direction is two edges: ``directed=False``
    stores the reverse of both.
    """
    rows = list(data.values())
    edges: list[tuple[Any, ...]]
    if rows and all(isinstance(row, Mapping) for row in rows):
        edges = [(u, v, weight) for u, row in data.items() for v, weight in row.items()]
    elif rows and all(_is_collection(row) for row in rows):
        edges = [(u, v) for u, row in data.items() for v in row]
    else:
        return from_edges(_of_pairs(data), n=n, directed=directed, **attributes)
    if n is not None or "labels" in attributes:
        return from_edges(edges, n=n, directed=directed, **attributes)
    names = list(dict.fromkeys([*data, *(edge[1] for edge in edges)]))
    if all(map(is_integer, names)):
        names.sort()
    place = {name: at for at, name in enumerate(names)}
    numbered = [(place[edge[0]], place[edge[1]], *edge[2:]) for edge in edges]
    labels = None if names == list(range(len(names))) else label_array(names)
    return from_edges(numbered, n=len(names), directed=directed, labels=labels, **attributes)


def _is_collection(row: Any) -> bool:
    return isinstance(row, Iterable) and not isinstance(row, str | bytes | Mapping)


def _of_pairs(data: Mapping[Any, Any]) -> list[tuple[Any, Any, Any]]:
    for key, value in data.items():
        if not isinstance(key, tuple) or len(key) != 2:
            msg = (
                f"the entry {shown(key)}: {shown(value)} is not an edge: a dictionary of edges is "
                "{(u, v): weight}, {u: {v: weight}} or {u: [v, ...]}."
            )
            raise GraphError(msg)
    return [(u, v, weight) for (u, v), weight in data.items()]
