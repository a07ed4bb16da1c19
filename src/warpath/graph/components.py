"""The connected components of a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from warpath import _core
from warpath.base.errors import InputError
from warpath.graph.checks import shown
from warpath.graph.csr import NO_WEIGHTS
from warpath.graph.derived import Derived

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.graph.csr_graph import CsrGraph, G

#: Whether the components of each value of ``component=`` are strongly connected.
KINDS = {"largest": False, "strong": True}
#: The beginning of what only callers from Python can do.
IN_PYTHON = " In Python also: "


class Components(NamedTuple):
    """The connected components of a graph, the largest first.

    Attributes
    ----------
    labels : (n,) int64, the component of each vertex.
    counts : (k,) int64, the number of vertices of each component, in descending order.
    """

    labels: NDArray[np.int64]
    counts: NDArray[np.int64]


_COMPONENTS: Derived[Components] = Derived(__name__, "connected components")


def components(graph: CsrGraph, *, strong: bool) -> Components:
    """Return the components of a graph; see `Graph.components`."""

    def compute() -> Components:
        weights = NO_WEIGHTS if graph.weights is None else graph.weights
        numbers = _core.components(graph.indptr, graph.indices, weights, strong=strong)
        _, first, which, counts = np.unique(
            numbers, return_index=True, return_inverse=True, return_counts=True
        )
        order = np.lexsort((first, -counts))
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        labels = rank[which]
        labels.flags.writeable = False
        return Components(labels, counts[order].astype(np.int64))

    return _COMPONENTS.of(graph, compute, strong)


def is_strong(component: str) -> bool:
    """Return whether a value of ``component=`` means the largest strongly connected component."""
    if not isinstance(component, str) or component not in KINDS:
        values = " or ".join(map(repr, KINDS))
        msg = f"component = {shown(component)} must be {values}, or None for the whole graph."
        raise InputError(msg)
    return KINDS[component]


def largest_component(graph: G, *, strong: bool) -> G:
    """Return the largest component of a graph; see `Graph.largest_component`."""
    labels, counts = components(graph, strong=strong)
    if len(counts) <= 1:
        return graph
    part = graph.subgraph(graph.label_of(np.flatnonzero(labels == 0)))
    word = "strong" if strong else "largest"
    part.read_report[f'vertices outside component="{word}"'] = graph.n - part.n
    part.read_report[f'edges outside component="{word}"'] = graph.m - part.m
    return part


def island(graph: CsrGraph, source: int, target: int) -> str:
    """Return a sentence about a vertex in a small component that has no path to or from others.

    It is empty where neither vertex is in such a component.
    """
    for word, strong in KINDS.items():
        labels, counts = components(graph, strong=strong)
        if labels[source] == labels[target]:
            continue
        alone = max(source, target, key=lambda v: labels[v])  # in the smaller component
        count = int(counts[labels[alone]])
        if 2 * count >= graph.n:
            return ""
        end = "source" if alone == source else "target"
        vertices = "a vertex" if count == 1 else f"one of {count:,} vertices"
        apart = "not on a round trip with" if strong else "without an edge to"
        argument = "strong=True" if strong else ""
        return (
            f" The {end} is {vertices} {apart} the largest component: read the file with "
            f'component="{word}".{IN_PYTHON}graph.largest_component({argument}), or '
            f'graph.nearest_vertex(lon, lat, component="{word}") for the vertex of a place.'
        )
    return ""
